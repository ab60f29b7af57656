/* body_matrix.c - which entries bodies, springs and contacts have in the matrix of a Newton iteration, and their values.
 *
 * Bodies alone (residual.c) and beside cables (body_equations.c) number and scale their unknowns differently; what is in the
 * matrix, and where, they have from here.
 */
#include "body_matrix.h"

#include <stdlib.h>
#include <string.h>

static void *many(long n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

/* Finds the contacts whose normal force depends on springs: once to count, once to keep them. */
static int find_links(body_matrix *b) {
  const cps_system *s = b->s;
  int *head = many(s->nx, sizeof(int)), *next = many(s->nc, sizeof(int));
  int good = head && next;
  for (int i = 0; good && i < s->nx; i++) head[i] = -1;
  for (int i = s->nc - 1; good && i >= 0; i--) {
    if (s->contacts[i].normal != NORMAL_LOAD) continue;
    next[i] = head[s->contacts[i].a];
    head[s->contacts[i].a] = i;
  }
  for (int pass = 0; good && pass < 2; pass++) {
    b->n_links = 0;
    for (int g = 0; g < s->n_plane; g++) {
      for (int side = 0; side < 2; side++) {
        const plane_end *end = &s->plane[g].end[side];
        if (end->up[0] == 0 && end->up[1] == 0 && end->up[2] == 0) continue;
        for (int q = end->c[0]; q >= 0; q = s->under[q]) { /* it presses those under it, too */
          for (int i = head[q]; i >= 0; i = next[i]) {
            if (pass) b->links[b->n_links] = (press_link){i, g, side, {0}};
            b->n_links++;
          }
        }
      }
    }
    if (!pass) good = POOL_ARRAY(&b->pool, b->links, b->n_links) != NULL;
  }
  free(head);
  free(next);
  return good;
}

int cps_body_tangents_make(body_matrix *b, const cps_system *s) {
  *b = (body_matrix){.s = s};
  POOL_ARRAY(&b->pool, b->line_k, s->n_line);
  POOL_ARRAY(&b->pool, b->line_d, s->n_line);
  POOL_ARRAY(&b->pool, b->plane, s->n_plane);
  return !b->pool.lost;
}

int cps_body_matrix_make(body_matrix *b, const cps_system *s, const int *unknown, const int *force) {
  int good = cps_body_tangents_make(b, s);
  b->unknown = unknown;
  b->force = force;
  POOL_ARRAY(&b->pool, b->line_slot, 4L * s->n_line);
  POOL_ARRAY(&b->pool, b->plane_slot, 36L * s->n_plane);
  POOL_ARRAY(&b->pool, b->contact_slot, s->nc);
  return good && !b->pool.lost && find_links(b);
}

void cps_body_matrix_free(body_matrix *b) {
  cps_pool_free(&b->pool);
  memset(b, 0, sizeof *b);
}

/* ------------------------------------------------------------------ pattern */

long cps_body_matrix_most(const body_matrix *b) {
  return 2L * b->s->n_line + 36L * b->s->n_plane + 4L * b->s->nc + 6L * b->n_links;
}

long cps_body_matrix_list(const body_matrix *b, int forces, place *list) {
  const cps_system *s = b->s;
  const int *x = b->unknown;
  long n = 0;
  int c[6];
  for (int i = 0; i < s->n_line; i++) {
    list[n++] = (place){x[s->line[i].a], x[s->line[i].b]};
    list[n++] = (place){x[s->line[i].b], x[s->line[i].a]};
  }
  for (int i = 0; i < s->n_plane; i++) {
    int count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int j = 0; j < count; j++)
      for (int k = 0; k < count; k++) list[n++] = (place){x[c[j]], x[c[k]]};
  }
  for (int i = 0; i < s->nc; i++) {
    int a = x[s->contacts[i].a], side = x[s->contacts[i].b], f = b->force[i];
    list[n++] = forces ? (place){a, f} : (place){a, side};
    list[n++] = forces ? (place){side, f} : (place){side, a};
    if (!forces) continue;
    list[n++] = (place){f, a};
    list[n++] = (place){f, side};
  }
  for (int i = 0; i < b->n_links; i++) {
    const press_link *l = &b->links[i];
    int count = cps_plane_coordinates(s, &s->plane[l->spring], c);
    int row = forces ? b->force[l->contact] : x[s->contacts[l->contact].a];
    for (int k = 0; k < count; k++) list[n++] = (place){row, x[c[k]]};
  }
  return n;
}

/* The graph of unknowns that are no contact's force: the equation of such a force is that of its first coordinate. */
static int make_graph(const body_matrix *b, int n, const place *more, long count, const int *contact,
                      sparse *graph) {
  place *list = many(cps_body_matrix_most(b) + count, sizeof *list);
  if (!list) return 0;
  long size = cps_body_matrix_list(b, 0, list);
  for (long i = 0; i < count; i++) {
    place p = more[i];
    if (contact[p.row] >= 0) p.row = b->unknown[b->s->contacts[contact[p.row]].a];
    if (contact[p.column] < 0) list[size++] = p;
  }
  int good = cps_sparse_make(graph, n, list, size);
  free(list);
  return good;
}

int cps_body_matrix_order(const body_matrix *b, int n, const place *more, long count, int *order) {
  const cps_system *s = b->s;
  sparse graph = {0};
  int *of = many(n, sizeof(int)), *position = many(n, sizeof(int)), *contact_of = many(n, sizeof(int));
  int *head = many(n, sizeof(int)), *next = many(s->nc, sizeof(int)), done = 0;
  int good = of && position && contact_of && head && next;
  for (int k = 0; good && k < n; k++) contact_of[k] = head[k] = -1;
  for (int i = 0; good && i < s->nc; i++) contact_of[b->force[i]] = i;
  good = good && make_graph(b, n, more, count, contact_of, &graph) &&
         (n == 0 || cps_sparse_order(&graph, of));
  for (int k = 0; good && k < n; k++) position[of[k]] = k;
  for (int i = s->nc - 1; good && i >= 0; i--) {
    int a = b->unknown[s->contacts[i].a], side = b->unknown[s->contacts[i].b];
    int last = a < 0 ? side : side < 0 || position[a] > position[side] ? a : side;
    if (last < 0) {
      order[done++] = b->force[i];
      continue;
    }
    next[i] = head[last];
    head[last] = i;
  }
  for (int k = 0; good && k < n; k++) {
    if (contact_of[of[k]] >= 0) continue;
    order[done++] = of[k];
    for (int i = head[of[k]]; i >= 0; i = next[i]) order[done++] = b->force[i];
  }
  cps_sparse_free(&graph);
  free(of);
  free(position);
  free(contact_of);
  free(head);
  free(next);
  return good;
}

void cps_body_matrix_settle(body_matrix *b, entry_slot slot, const void *m) {
  const cps_system *s = b->s;
  const int *x = b->unknown;
  int c[6];
  for (int i = 0; i < s->n_line; i++) {
    const int ends[2] = {x[s->line[i].a], x[s->line[i].b]};
    for (int k = 0; k < 4; k++) b->line_slot[4 * i + k] = slot(m, ends[k / 2], ends[k % 2]);
  }
  for (int i = 0; i < s->n_plane; i++) {
    int count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int j = 0; j < count; j++)
      for (int k = 0; k < count; k++) b->plane_slot[36 * i + 6 * j + k] = slot(m, x[c[j]], x[c[k]]);
  }
  for (int i = 0; i < s->nc; i++) {
    int a = x[s->contacts[i].a], side = x[s->contacts[i].b], f = b->force[i];
    b->contact_slot[i] = (contact_slots){slot(m, a, f), slot(m, side, f), slot(m, f, a), slot(m, f, side),
                                         slot(m, f, f)};
  }
  for (int i = 0; i < b->n_links; i++) {
    press_link *l = &b->links[i];
    int count = cps_plane_coordinates(s, &s->plane[l->spring], c);
    for (int k = 0; k < count; k++) l->slot[k] = slot(m, b->force[l->contact], x[c[k]]);
  }
}

/* ------------------------------------------------------------------ values */

void cps_body_matrix_look(const body_matrix *b, const double *q, const double *v) {
  cps_line_tangents(b->s, q, v, b->line_k, b->line_d);
  cps_plane_tangents(b->s, q, v, b->plane);
}

void cps_body_matrix_springs(const body_matrix *b, double b_q, double b_v, double *value) {
  const cps_system *s = b->s;
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    const int *slot = b->line_slot + 4 * (size_t)i;
    double k = b_q * b->line_k[i] + b_v * b->line_d[i];
    value[slot[0]] += g->sa * g->sa * k;
    value[slot[1]] -= g->sa * g->sb * k;
    value[slot[2]] -= g->sa * g->sb * k;
    value[slot[3]] += g->sb * g->sb * k;
  }
  for (int i = 0; i < s->n_plane; i++) {
    const plane_tangent *p = &b->plane[i];
    const int *slot = b->plane_slot + 36 * (size_t)i, count = 2 * s->dim;
    for (int j = 0; j < count; j++)
      for (int k = 0; k < count; k++) value[slot[6 * j + k]] += b_q * p->q[j][k] + b_v * p->v[j][k];
  }
}

void cps_body_matrix_press(const body_matrix *b, const press_link *l, double by_n, double b_q, double b_v,
                           double *value) {
  const plane_tangent *p = &b->plane[l->spring];
  for (int k = 0; k < 2 * b->s->dim; k++)
    value[l->slot[k]] += by_n * (b_q * p->press_q[l->side][k] + b_v * p->press_v[l->side][k]);
}
