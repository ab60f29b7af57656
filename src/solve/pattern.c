/* pattern.c - the making of the equations of bodies. The equations are in residual.c, the entries of the matrix and the
 * order of its elimination in body_matrix.c.
 */
#include "residual.h"

#include <stdlib.h>
#include <string.h>

static void *many(long n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

/* Up to this many unknowns beside cables a dense matrix is solved at least as fast as a sparse one. */
enum { DENSE_MOST = 32 };

/* The contacts at each free coordinate. */
static int find_contacts(residual *r) {
  const cps_system *s = r->s;
  POOL_ARRAY(&r->pool, r->at_first, s->nd + 2);
  POOL_ARRAY(&r->pool, r->at_contact, 2 * s->nc);
  if (r->pool.lost) return 0;
  int *count = r->at_first + 1; /* one further, so that filling it makes it right */
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < s->nc; i++) {
      int ends[2] = {s->contacts[i].a, s->contacts[i].b};
      for (int k = 0; k < 2; k++) {
        if (ends[k] >= s->nd) continue;
        if (pass)
          r->at_contact[count[ends[k]]++] = i;
        else if (ends[k] + 1 < s->nd)
          count[ends[k] + 1]++;
      }
    }
    for (int q = 0; !pass && q < s->nd; q++) count[q] += q > 0 ? count[q - 1] : 0;
  }
  return 1;
}

/* The matrix of n unknowns: entries of bodies and contacts, and `more`. */
static int make_matrix(residual *r, int n, const place *more, long count, int even) {
  place *list = many(cps_body_matrix_most(&r->entries) + count, sizeof(place));
  int *order = many(n, sizeof(int));
  int good = list && order && cps_body_matrix_order(&r->entries, n, more, count, order);
  if (good) {
    long own = cps_body_matrix_list(&r->entries, 1, list);
    if (count > 0) memcpy(list + own, more, (size_t)count * sizeof *list);
    good = cps_body_system_make(&r->system, n, list, own + count, order, even, r->numbers ? 0 : DENSE_MOST);
  }
  free(list);
  free(order);
  return good;
}

int cps_residual_make_among(residual *r, const cps_system *s, workspace *k, int n, const int *unknown,
                            const int *force, const place *more, long count, int even) {
  r->s = s;
  r->k = k;
  r->unknown = unknown;
  r->force = force;
  r->worst_contact = -1;
  pool *p = &r->pool;
  POOL_ARRAY(p, r->state_at, s->nc);
  POOL_ARRAY(p, r->inverse_at, s->nc);
  if (p->lost) return 0;
  int states = 0, inverses = 0;
  for (int i = 0; i < s->nc; i++) {
    int z = s->contacts[i].n_states;
    r->state_at[i] = states;
    r->inverse_at[i] = inverses;
    states += z * (z + 4);
    inverses += z * (z + 1);
  }
  struct {
    double **at;
    int n;
  } arrays[] = {{&r->r_a, s->nx},   {&r->r_f, s->nc},    {&r->r_z, s->nz},        {&r->dn, s->nc},
                {&r->limit, s->nc}, {&r->state, states}, {&r->inverse, inverses}, {&r->x, s->nd + s->nc}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) POOL_ARRAY(p, *arrays[i].at, arrays[i].n);
  POOL_ARRAY(p, r->look, s->nc);
  POOL_ARRAY(p, r->law, s->nc);
  POOL_ARRAY(p, r->row, s->nc);
  POOL_ARRAY(p, r->diagonal, n);
  POOL_ARRAY(p, r->queue, s->nc);
  if (p->lost || !cps_balance_make(&r->judged, s) || !cps_body_matrix_make(&r->entries, s, unknown, force) ||
      !find_contacts(r) || !make_matrix(r, n, more, count, even))
    return 0;
  cps_body_matrix_settle(&r->entries, cps_body_slot, &r->system);
  for (int i = 0; i < n; i++) r->diagonal[i] = cps_body_slot(&r->system, i, i);
  return 1;
}

/* What counts as solved, relative to the forces that balance; a force that is none in any case [N]. */
static const double BALANCE = 1e-11, TINY = 1e-290;

cps_status cps_residual_make(residual *r, const cps_system *s, workspace *k, cps_error *err) {
  memset(r, 0, sizeof *r);
  r->balance = BALANCE;
  r->nothing = TINY;
  POOL_ARRAY(&r->pool, r->numbers, s->nx + s->nc);
  int *unknown = r->numbers, *force = unknown ? unknown + s->nx : NULL;
  for (int i = 0; unknown && i < s->nx; i++) unknown[i] = i < s->nd ? i : -1;
  for (int i = 0; unknown && i < s->nc; i++) force[i] = s->nd + i;
  if (unknown && cps_residual_make_among(r, s, k, s->nd + s->nc, unknown, force, NULL, 0, 1)) return CPS_OK;
  cps_residual_free(r);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the matrix of the implicit solver");
}

void cps_residual_free(residual *r) {
  cps_pool_free(&r->pool);
  cps_balance_free(&r->judged);
  cps_body_matrix_free(&r->entries);
  cps_body_system_free(&r->system);
  memset(r, 0, sizeof *r);
}
