/* law_memory.c - states of friction laws with memory on cables: where they come from, and what they do where nothing touches.
 *
 * A law takes over the friction force f of an equilibrium with the states that a slow pull from rest gives it. The pull is made of
 * implicit Euler steps, each half as long again as the one before; the last is as long as it takes to answer with f. So states are
 * a smooth function of f, of the load and of the law's parameters, and can be differentiated (sens_memory.c).
 */
#include "machine.h"

#include <math.h>
#include <string.h>

/* First step of a pull, and how far it goes at most [m]; how fast [m/s]. */
static const double FIRST = 1e-10, FURTHEST = 0.1, CRAWL = 1e-6;

double cps_memory_crawl(double f) { return f > 0 ? -CRAWL : CRAWL; }

/* A step of a pull from states z: whether the law then answers with f at least. */
static int answers(const contact_law *l, double n, double f, const double *z, pull *x) {
  double crawl = cps_memory_crawl(f), z_t[CPS_MAX_STATES] = {0};
  memcpy(x->z, z, sizeof x->z);
  cps_law_input in = {crawl, n, f, x->z, CPS_MODE_FREE};
  x->mode = l->law->n_modes ? cps_law_mode(l->law, l->p, &in) : CPS_MODE_FREE;
  cps_law_respond(l, crawl, n, f, x->mode, x->z, z, z_t, x->length / CRAWL);
  in.v = 0;
  cps_law_output out;
  cps_law_eval(l->law, l->p, &in, &out, NULL);
  return fabs(out.f) >= fabs(f) && out.f * f > 0;
}

int cps_memory_pull(const contact_law *l, double n, double f, double *z, pull *path, int *holds) {
  double gone = 0;
  pull x = {.length = FIRST};
  int count = 0;
  *holds = 0;
  memset(z, 0, CPS_MAX_STATES * sizeof *z);
  if (f == 0 || !(n > 0)) return 0;
  for (; count < PULLS && gone < FURTHEST && !*holds; x.length *= 1.5) {
    if (answers(l, n, f, z, &x)) {
      double low = 0, high = x.length;
      *holds = 1;
      while (high - low > 1e-15 * (gone + high)) {
        x.length = 0.5 * (low + high);
        *(answers(l, n, f, z, &x) ? &high : &low) = x.length;
      }
      x.length = low; /* held by a hair less, as by all that came before */
      answers(l, n, f, z, &x);
    }
    memcpy(z, x.z, sizeof x.z);
    gone += x.length;
    if (path) path[count] = x;
    count++;
  }
  return count;
}

void cps_memory_take(const contact_law *l, double n, double f, int *mode, contact_memory *y, int axis) {
  int holds;
  double *z = y->z[axis];
  memset(y->z_t[axis], 0, sizeof y->z_t[axis]);
  memset(y->aux[axis], 0, sizeof y->aux[axis]);
  cps_memory_pull(l, n, f, z, NULL, &holds);
  if (!l->law->n_modes || f == 0 || !(n > 0)) return;
  cps_law_input in = {0, n, f, z, CPS_MODE_FREE};
  *mode = cps_law_mode(l->law, l->p, &in);
}

/* The mode of a law that has none yet. */
static void choose(const contact_law *l, contact_point *p, const contact_memory *y, int axis) {
  cps_law_input in = {p->v[axis], p->n, p->f[axis], y->z[axis], CPS_MODE_FREE};
  if (l->law->n_modes && p->mode[axis] < 0) p->mode[axis] = p->mode0[axis] = cps_law_mode(l->law, l->p, &in);
}

void cps_memory_choose(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; c->memory && k < c->n_points; k++)
      for (int a = 0; a < m->dim - 1; a++) choose(&c->contact, &c->point[k], &c->memory[k], a);
  }
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    if (y->law.law->n_states) choose(&y->law, &y->p, &y->y, 0);
  }
}

/* What touches nothing keeps its states, whatever an iteration in between made of them. */
static void rest(contact_memory *y) {
  memcpy(y->z, y->z0, sizeof y->z);
  memcpy(y->z_star, y->z0, sizeof y->z_star);
  memset(y->z_t, 0, sizeof y->z_t);
  memset(y->aux, 0, sizeof y->aux);
}

void cps_memory_refresh(machine *m, const step_coeffs *coeffs) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    int frozen = c->frozen;
    c->frozen = 1;
    for (int k = 0; c->memory && k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      double r[3] = {0}, v[3] = {0}, a[3] = {0};
      contact_response unused;
      for (int j = 0; j < 4; j++)
        for (int d = 0; d < m->dim && p->shape[j] != 0; d++) {
          int at = p->node * c->b + j * m->dim + d;
          r[d] += p->shape[j] * c->q[at];
          v[d] += p->shape[j] * c->v[at];
          a[d] += p->shape[j] * c->a[at];
        }
      cps_contact_eval(m, c, p, r, v, a, NULL, 0, coeffs, &unused);
      if (p->drum < 0 && !(coeffs->bristle > 0)) rest(&c->memory[k]);
    }
    c->frozen = frozen;
  }
  cps_slides_refresh(m, coeffs);
}
