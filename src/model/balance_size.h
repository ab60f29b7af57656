/* balance_size.h - what remainders of the equations of bodies are judged by: see balance_size.c. */
#ifndef CPS_BALANCE_SIZE_H
#define CPS_BALANCE_SIZE_H

#include "bodies.h"

#include <math.h>

/* What round-off of a number may leave, relative to it. */
#define CPS_ROUND_OFF 8e-16

typedef struct balance_size {
  double *size,
      *blur; /* [nx] forces that balance at a coordinate; the largest numbers whose round-off is felt there */
  double *stiffness, *damping; /* [nx] of the springs that are tied to it */
} balance_size;

int cps_balance_make(balance_size *b, const cps_system *s); /* 0 if out of memory */
void cps_balance_free(balance_size *b);

/* Finds size and blur at state y with accelerations a[nx] and contact forces f[nc], applied forces being in k. */
void cps_balance_look(const balance_size *b, const cps_system *s, const workspace *k, const double *y,
                      const double *a, const double *f);

/* The same for the force of contact i, whose law has the derivatives by_v and by_n: `pull` is what accelerations take of it. */
static inline double cps_balance_blur(const balance_size *b, const cps_system *s, const double *y, int i,
                                      double pull, double by_v, double by_n) {
  const contact *c = &s->contacts[i];
  double speed = fabs(y[s->nx + c->a]) + fabs(y[s->nx + c->b]);
  return fabs(pull) + fabs(by_v) * speed + (1 + fabs(by_n)) * (b->blur[c->a] + b->blur[c->b]);
}

#endif
