/* pattern.c - the making of the implicit equations of bodies. The equations are in residual.c, the entries of the matrix and the
 * order of its elimination in body_matrix.c.
 */
#include "residual.h"

#include <stdlib.h>
#include <string.h>

static void *many(long n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

/* The free coordinate, or -1. */
static int only_free(const cps_system *s, int q) { return q < s->nd ? q : -1; }

/* The row and column of a contact's force. */
static int force_row(const cps_system *s, int i) { return s->nd + i; }

static int slot_in(const void *matrix, int row, int column) { return cps_sparse_slot(matrix, row, column); }

/* The contacts at each free coordinate. */
static int find_contacts(residual *r) {
  const cps_system *s = r->s;
  r->at_first = many(s->nd + 2, sizeof(int));
  r->at_contact = many(2L * s->nc, sizeof(int));
  if (!r->at_first || !r->at_contact) return 0;
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

static int make_matrix(residual *r) {
  const cps_system *s = r->s;
  int n = s->nd + s->nc;
  place *list = many(cps_body_matrix_most(&r->entries), sizeof(place));
  int *order = many(n, sizeof(int));
  int good = list && order && cps_body_matrix_order(&r->entries, n, NULL, 0, order) &&
             cps_sparse_make(&r->matrix, n, list, cps_body_matrix_list(&r->entries, 1, list));
  if (n > 0) good = good && cps_sparse_analyse(&r->matrix, order);
  free(list);
  free(order);
  return good;
}

cps_status cps_residual_make(residual *r, const cps_system *s, workspace *k, cps_error *err) {
  memset(r, 0, sizeof *r);
  r->s = s;
  r->k = k;
  r->worst_contact = -1;
  r->state_at = many(s->nc, sizeof(int));
  r->inverse_at = many(s->nc, sizeof(int));
  if (!r->state_at || !r->inverse_at) goto fail;
  int states = 0, inverses = 0;
  for (int i = 0; i < s->nc; i++) {
    int n = s->contacts[i].n_states;
    r->state_at[i] = states;
    r->inverse_at[i] = inverses;
    states += n * (n + 4);
    inverses += n * (n + 1);
  }
  struct {
    double **at;
    int n;
  } arrays[] = {{&r->r_a, s->nx},   {&r->r_f, s->nc},    {&r->r_z, s->nz},        {&r->dn, s->nc},
                {&r->limit, s->nc}, {&r->state, states}, {&r->inverse, inverses}, {&r->x, s->nd + s->nc}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    if (!(*arrays[i].at = many(arrays[i].n, sizeof(double)))) goto fail;
  r->look = many(s->nc, sizeof *r->look);
  r->law = many(s->nc, sizeof *r->law);
  r->whole = many(s->nc, sizeof *r->whole);
  r->unknown = many(s->nx, sizeof(int));
  r->force = many(s->nc, sizeof(int));
  r->diagonal = many(s->nd, sizeof(int));
  r->queue = many(s->nc, sizeof(int));
  if (!r->look || !r->law || !r->whole || !r->unknown || !r->force || !r->diagonal || !r->queue) goto fail;
  for (int i = 0; i < s->nx; i++) r->unknown[i] = only_free(s, i);
  for (int i = 0; i < s->nc; i++) r->force[i] = force_row(s, i);
  if (!cps_balance_make(&r->judged, s) || !cps_body_matrix_make(&r->entries, s, r->unknown, r->force) ||
      !find_contacts(r) || !make_matrix(r))
    goto fail;
  cps_body_matrix_settle(&r->entries, slot_in, &r->matrix);
  for (int i = 0; i < s->nd; i++) r->diagonal[i] = cps_sparse_slot(&r->matrix, i, i);
  return CPS_OK;
fail:
  cps_residual_free(r);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the matrix of the implicit solver");
}

void cps_residual_free(residual *r) {
  void *all[] = {r->limit,    r->at_first, r->at_contact, r->queue,   r->look,    r->r_a, r->r_f,
                 r->r_z,      r->dn,       r->state,      r->x,       r->inverse, r->law, r->whole,
                 r->diagonal, r->state_at, r->inverse_at, r->unknown, r->force};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  cps_balance_free(&r->judged);
  cps_body_matrix_free(&r->entries);
  cps_sparse_free(&r->matrix);
  memset(r, 0, sizeof *r);
}
