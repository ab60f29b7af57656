/* balance_size.c - what remainders of the equations of bodies are judged by: the forces that balance there, and numbers whose round-off
 * they contain. A place is known to round-off of the largest, and a force to that times the stiffness of what is tied there. */
#include "balance_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cps_balance_make(balance_size *b, const cps_system *s) {
  size_t n = (size_t)s->nx;
  b->size = calloc(4 * n, sizeof(double));
  if (!b->size) return 0;
  b->blur = b->size + n;
  b->stiffness = b->blur + n;
  b->damping = b->stiffness + n;
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    int ends[2] = {g->a, g->b};
    for (int k = 0; k < 2; k++) {
      b->stiffness[ends[k]] += g->k;
      b->damping[ends[k]] += g->d;
    }
  }
  for (int i = 0; i < s->n_plane; i++) {
    int c[6], count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int k = 0; k < count; k++) {
      b->stiffness[c[k]] += s->plane[i].k;
      b->damping[c[k]] += s->plane[i].d;
    }
  }
  return 1;
}

void cps_balance_free(balance_size *b) {
  free(b->size);
  memset(b, 0, sizeof *b);
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

void cps_balance_look(const balance_size *b, const cps_system *s, const workspace *k, const double *y,
                      const double *a, const double *f) {
  double most = 0, q_most = largest(y, s->nx), v_most = largest(y + s->nx, s->nx);
  for (int i = 0; i < s->nd; i++) {
    b->size[i] = fabs(s->mass[i] * a[i]) + fabs(k->force[i]);
    most = b->size[i] > most ? b->size[i] : most;
  }
  for (int i = 0; i < s->nd; i++) b->blur[i] = most + b->stiffness[i] * q_most + b->damping[i] * v_most;
  for (int i = 0; i < s->nc; i++) {
    b->size[s->contacts[i].a] += fabs(f[i]);
    b->size[s->contacts[i].b] += fabs(f[i]);
  }
}
