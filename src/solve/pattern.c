/* pattern.c - the making of the implicit equations: which entries their matrix has, in which order it is
 * eliminated, and where everything goes in it. The equations are in residual.c.
 *
 * Coordinates are ordered by AMD on the graph of those that share an equation; the force of a contact follows
 * right after the last coordinate that it acts on, as residual.c wants it.
 */
#include "residual.h"

#include <stdlib.h>
#include <string.h>

static void *many(long n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

/* The free coordinate, or -1. */
static int only_free(const cps_system *s, int q) { return q < s->nd ? q : -1; }

/* The row and column of a contact's force. */
static int force_row(const cps_system *s, int i) { return s->nd + i; }

/* Finds the contacts whose normal force depends on springs: once to count, once to keep them. */
static int find_links(residual *r) {
  const cps_system *s = r->s;
  int *head = many(s->nx, sizeof(int)), *next = many(s->nc, sizeof(int));
  int good = head && next;
  for (int i = 0; good && i < s->nx; i++) head[i] = -1;
  for (int i = s->nc - 1; good && i >= 0; i--) {
    if (s->contacts[i].normal != NORMAL_LOAD) continue;
    next[i] = head[s->contacts[i].a];
    head[s->contacts[i].a] = i;
  }
  for (int pass = 0; good && pass < 2; pass++) {
    r->n_links = 0;
    for (int g = 0; g < s->n_plane; g++) {
      for (int side = 0; side < 2; side++) {
        const plane_end *end = &s->plane[g].end[side];
        if (end->up[0] == 0 && end->up[1] == 0 && end->up[2] == 0) continue;
        for (int q = end->c[0]; q >= 0; q = s->under[q]) { /* it presses those under it, too */
          for (int i = head[q]; i >= 0; i = next[i]) {
            if (pass) r->links[r->n_links] = (press_link){i, g, side, {0}};
            r->n_links++;
          }
        }
      }
    }
    if (!pass) good = (r->links = many(r->n_links, sizeof(press_link))) != NULL;
  }
  free(head);
  free(next);
  return good;
}

/* The entries of the matrix; or, with `forces` 0, of the graph of coordinates that share an equation. */
static long list_entries(const residual *r, place *list, int forces) {
  const cps_system *s = r->s;
  long n = 0;
  for (int i = 0; i < s->n_line; i++) {
    int a = only_free(s, s->line[i].a), b = only_free(s, s->line[i].b);
    list[n++] = (place){a, b};
    list[n++] = (place){b, a};
  }
  for (int i = 0; i < s->n_plane; i++) {
    int c[6], count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int j = 0; j < count; j++)
      for (int k = 0; k < count; k++) list[n++] = (place){only_free(s, c[j]), only_free(s, c[k])};
  }
  for (int i = 0; i < s->nc; i++) {
    int a = only_free(s, s->contacts[i].a), b = only_free(s, s->contacts[i].b), f = force_row(s, i);
    list[n++] = forces ? (place){a, f} : (place){a, b};
    list[n++] = forces ? (place){b, f} : (place){b, a};
    if (!forces) continue;
    list[n++] = (place){f, a};
    list[n++] = (place){f, b};
  }
  for (int i = 0; i < r->n_links; i++) {
    const press_link *l = &r->links[i];
    int c[6], count = cps_plane_coordinates(s, &s->plane[l->spring], c);
    int row = forces ? force_row(s, l->contact) : s->contacts[l->contact].a;
    for (int k = 0; k < count; k++) list[n++] = (place){row, only_free(s, c[k])};
  }
  return n;
}

/* Coordinates in an order with little fill-in, every contact force right after the last of its coordinates.
 */
static int make_order(const residual *r, const place *list, long count, int *order) {
  const cps_system *s = r->s;
  sparse graph;
  int *of = many(s->nd, sizeof(int)), *position = many(s->nd, sizeof(int));
  int *head = many(s->nd, sizeof(int)), *next = many(s->nc, sizeof(int));
  int good = cps_sparse_make(&graph, s->nd, list, count) && of && position && head && next;
  if (s->nd > 0) good = good && cps_sparse_order(&graph, of);
  int n = 0;
  for (int k = 0; good && k < s->nd; k++) {
    position[of[k]] = k;
    head[k] = -1;
  }
  for (int i = s->nc - 1; good && i >= 0; i--) {
    int a = only_free(s, s->contacts[i].a), b = only_free(s, s->contacts[i].b);
    int last = a < 0 ? b : b < 0 || position[a] > position[b] ? a : b;
    next[i] = last < 0 ? -2 : head[position[last]];
    if (last < 0)
      order[n++] = force_row(s, i);
    else
      head[position[last]] = i;
  }
  for (int k = 0; good && k < s->nd; k++) {
    order[n++] = of[k];
    for (int i = head[k]; i >= 0; i = next[i]) order[n++] = force_row(s, i);
  }
  cps_sparse_free(&graph);
  free(of);
  free(position);
  free(head);
  free(next);
  return good;
}

/* Where everything goes in the matrix. */
static void find_slots(residual *r) {
  const cps_system *s = r->s;
  const sparse *m = &r->matrix;
  for (int i = 0; i < s->nd; i++) r->diagonal[i] = cps_sparse_slot(m, i, i);
  for (int i = 0; i < s->n_line; i++) {
    int a = only_free(s, s->line[i].a), b = only_free(s, s->line[i].b), *slot = r->line_slot + 4 * i;
    slot[0] = cps_sparse_slot(m, a, a);
    slot[1] = cps_sparse_slot(m, a, b);
    slot[2] = cps_sparse_slot(m, b, a);
    slot[3] = cps_sparse_slot(m, b, b);
  }
  for (int i = 0; i < s->n_plane; i++) {
    int c[6], count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int j = 0; j < count; j++)
      for (int k = 0; k < count; k++)
        r->plane_slot[36 * i + 6 * j + k] = cps_sparse_slot(m, only_free(s, c[j]), only_free(s, c[k]));
  }
  for (int i = 0; i < s->nc; i++) {
    int a = only_free(s, s->contacts[i].a), b = only_free(s, s->contacts[i].b), f = force_row(s, i);
    r->contact_slot[i] = (contact_slots){cps_sparse_slot(m, a, f), cps_sparse_slot(m, b, f),
                                         cps_sparse_slot(m, f, a), cps_sparse_slot(m, f, b),
                                         cps_sparse_slot(m, f, f)};
  }
  for (int i = 0; i < r->n_links; i++) {
    press_link *l = &r->links[i];
    int c[6], count = cps_plane_coordinates(s, &s->plane[l->spring], c);
    for (int k = 0; k < count; k++)
      l->slot[k] = cps_sparse_slot(m, force_row(s, l->contact), only_free(s, c[k]));
  }
}

/* Stiffness and damping that act on each coordinate. */
static void sum_stiffness(residual *r) {
  const cps_system *s = r->s;
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    int ends[2] = {g->a, g->b};
    for (int k = 0; k < 2; k++) {
      r->stiffness[ends[k]] += g->k;
      r->damping[ends[k]] += g->d;
    }
  }
  for (int i = 0; i < s->n_plane; i++) {
    int c[6], count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int k = 0; k < count; k++) {
      r->stiffness[c[k]] += s->plane[i].k;
      r->damping[c[k]] += s->plane[i].d;
    }
  }
}

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
  long most = 4L * s->n_line + 36L * s->n_plane + 4L * s->nc + 6L * r->n_links;
  place *list = many(most, sizeof(place));
  int *order = many(n, sizeof(int));
  int good = list && order && make_order(r, list, list_entries(r, list, 0), order) &&
             cps_sparse_make(&r->matrix, n, list, list_entries(r, list, 1));
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
  } arrays[] = {{&r->r_a, s->nx},        {&r->r_f, s->nc},        {&r->r_z, s->nz},
                {&r->size, s->nx},       {&r->blur, s->nx},       {&r->dn, s->nc},
                {&r->limit, s->nc},      {&r->stiffness, s->nx},  {&r->damping, s->nx},
                {&r->line_k, s->n_line}, {&r->line_d, s->n_line}, {&r->state, states},
                {&r->inverse, inverses}, {&r->x, s->nd + s->nc}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    if (!(*arrays[i].at = many(arrays[i].n, sizeof(double)))) goto fail;
  r->plane = many(s->n_plane, sizeof *r->plane);
  r->look = many(s->nc, sizeof *r->look);
  r->law = many(s->nc, sizeof *r->law);
  r->whole = many(s->nc, sizeof *r->whole);
  r->line_slot = many(4L * s->n_line, sizeof(int));
  r->plane_slot = many(36L * s->n_plane, sizeof(int));
  r->contact_slot = many(s->nc, sizeof *r->contact_slot);
  r->diagonal = many(s->nd, sizeof(int));
  r->queue = many(s->nc, sizeof(int));
  if (!r->plane || !r->look || !r->law || !r->whole || !r->line_slot || !r->plane_slot || !r->contact_slot ||
      !r->diagonal || !r->queue || !find_links(r) || !find_contacts(r) || !make_matrix(r))
    goto fail;
  find_slots(r);
  sum_stiffness(r);
  return CPS_OK;
fail:
  cps_residual_free(r);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the matrix of the implicit solver");
}

void cps_residual_free(residual *r) {
  void *all[] = {r->limit,      r->at_first,  r->at_contact, r->queue,       r->look,     r->r_a,
                 r->blur,       r->r_f,       r->r_z,        r->size,        r->dn,       r->stiffness,
                 r->damping,    r->line_k,    r->line_d,     r->state,       r->x,        r->inverse,
                 r->plane,      r->law,       r->whole,      r->links,       r->diagonal, r->state_at,
                 r->inverse_at, r->line_slot, r->plane_slot, r->contact_slot};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  cps_sparse_free(&r->matrix);
  memset(r, 0, sizeof *r);
}
