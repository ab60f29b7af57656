/* moving_mesh.c - short elements that follow the drums while the cable runs over them.
 *
 * Elements need to be short only where the cable bends. The wanted length of an element rises with its distance from the drums,
 * measured along the line on which it would run onto them; nodes lie on a grid, so that an element is halved where it is too
 * long, and two halves are joined again where they are shorter than they need be. The number of elements stays: every node that
 * is put somewhere is taken from elsewhere.
 *
 * A half of an element is the same cubic curve as before, in place and in velocity, so that nothing changes but the rounding of
 * integrals. A joined element goes through the same two nodes with the same slopes; along straight spans it is the same
 * curve, too. What its velocity lacks of momentum is given to its nodes, and what all of it makes of energy is an entry of the
 * audit, in the line of the integrator. Nodes that touch a drum stay, and so do point masses.
 */
#include "machine.h"
#include "mesh_grading.h"

#include <math.h>
#include <string.h>

/* Elements are joined if this part of what is wanted is not exceeded, so that they are not halved again at once; and they are fine up
 * to so many of them before a drum. */
static const double JOINED = 0.95, BEFORE = 2;

static double length_of(const cable *c, int from, int to) {
  double l = 0;
  for (int k = from; k < to; k++) l += c->length[k];
  return l;
}

/* ------------------------------------------------------------------ what is wanted */

/* How far a chord is from a drum, along the line that touches it: 0 if it touches. */
static double distance(const cable *c, const drum *g, const double *a, const double *b) {
  double from[3] = {0}, way[3] = {0}, dot = 0, square = 0, off = 0;
  for (int d = 0; d < c->dim; d++) {
    from[d] = a[d] - g->center[d];
    way[d] = b[d] - a[d];
  }
  if (c->dim == 3) { /* off the axis */
    double x = 0, y = 0;
    for (int d = 0; d < 3; d++) {
      x += from[d] * g->axis[d];
      y += way[d] * g->axis[d];
    }
    for (int d = 0; d < 3; d++) {
      from[d] -= x * g->axis[d];
      way[d] -= y * g->axis[d];
    }
  }
  for (int d = 0; d < c->dim; d++) {
    dot -= from[d] * way[d];
    square += way[d] * way[d];
  }
  double at = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
  for (int d = 0; d < c->dim; d++) off += (from[d] + at * way[d]) * (from[d] + at * way[d]);
  return sqrt(fmax(off - g->radius * g->radius, 0));
}

static double wanted(const machine *m, const cable *c, int k) {
  const double *a = c->q + k * c->b, *b = a + c->b, fine = c->of->drum_size;
  double least = INFINITY;
  int n = c->n_drums < 0 ? m->n_drums : c->n_drums;
  for (int i = 0; i < n; i++)
    least = fmin(least, distance(c, &m->drum[c->n_drums < 0 ? i : c->drums[i]], a, b));
  return cps_grade_wanted(c->of->size, fine, c->of->growth, least - BEFORE * fine);
}

static int touches(const cable *c, int i) { /* at node i, or along element i */
  int from = i * c->per_node, touching = 0;
  for (int j = from; j < from + c->per_node && j < c->n_points; j++) touching |= c->point[j].drum >= 0;
  return touching;
}

static int width(const cable *c, int k) { return c->place[k + 1] - c->place[k]; }

static int can_halve(const cable *c, int k) {
  return width(c, k) > 1 && !touches(c, k) && !(c->of->contact.quadrature == 0 && touches(c, k + 1));
}

/* Whether the elements before and after node i are halves of one. */
static int can_join(const cable *c, int i) {
  int w = width(c, i - 1);
  return width(c, i) == w && 2 * w <= c->on.cell && c->place[i - 1] % (2 * w) == 0 && !(c->mass[i] > 0) &&
         !touches(c, i) && !(c->of->contact.quadrature > 0 && touches(c, i - 1));
}

/* The element that is too long by most; -1: none. */
static int find_long(const cable *c) {
  double most = 1 + 1e-6;
  int at = -1;
  for (int k = 0; k < c->n; k++) {
    if (!(c->length[k] > most * c->wanted[k]) || !can_halve(c, k)) continue;
    most = c->length[k] / c->wanted[k];
    at = k;
  }
  return at;
}

/* The node that is needed least, none of the element k; 0: none is. */
static int find_needless(const cable *c, int k) {
  double least = JOINED;
  int at = 0;
  for (int i = 1; i < c->n; i++) {
    double l = c->length[i - 1] + c->length[i];
    if (!(l < least * fmin(c->wanted[i - 1], c->wanted[i]))) continue;
    if (i == k || i == k + 1 || !can_join(c, i)) continue;
    least = l / fmin(c->wanted[i - 1], c->wanted[i]);
    at = i;
  }
  return at;
}

/* ------------------------------------------------------------------ moving a node */

/* Twice the momentum of an element per mass and length, with velocities v at its two nodes. */
static void add_momentum(const cable *c, double l, const double *v, double factor, double *p) {
  for (int d = 0; d < c->dim; d++)
    p[d] += factor * l * (v[d] + v[c->b + d] + l / 6 * (v[c->dim + d] - v[c->b + c->dim + d]));
}

/* Whether the velocity of a node is its own: not that of a body, a rim or something prescribed. */
static int is_own(const cable *c, int i) {
  if (c->fixed[i]) return 0;
  return (i > 0 || !cps_end_is(c->end[0].kind, END_HELD)) &&
         (i < c->n || !cps_end_is(c->end[1].kind, END_HELD));
}

/* Gives what joining the elements beside node i loses of momentum to the nodes beside it. */
static void keep_momentum(cable *c, int i) {
  double *before = c->v + (i - 1) * c->b, *at = before + c->b, *after = at + c->b, joined[12], p[3] = {0},
         mass = 0;
  size_t bytes = (size_t)c->b * sizeof(double);
  memcpy(joined, before, bytes);
  memcpy(joined + c->b, after, bytes);
  add_momentum(c, c->length[i - 1], before, c->section.rho, p);
  add_momentum(c, c->length[i], at, c->section.rho, p);
  add_momentum(c, c->length[i - 1] + c->length[i], joined, -c->section.rho, p);
  int left = is_own(c, i - 1), right = is_own(c, i + 1);
  if (left) mass += 2 * c->mass[i - 1] + c->section.rho * length_of(c, i > 1 ? i - 2 : 0, i + 1);
  if (right) mass += 2 * c->mass[i + 1] + c->section.rho * length_of(c, i - 1, i + 2 < c->n ? i + 2 : c->n);
  for (int d = 0; d < c->dim && mass > 0; d++) {
    if (left) before[d] += p[d] / mass;
    if (right) after[d] += p[d] / mass;
  }
}

/* Moves n entries of an array of `size` bytes each. */
static void shift(void *array, size_t size, int to, int from, int n) {
  char *bytes = array;
  if (bytes && n > 0) memmove(bytes + size * (size_t)to, bytes + size * (size_t)from, size * (size_t)n);
}

static void shift_points(cable *c, int to, int from, int n) {
  int per = c->per_node;
  shift(c->point, sizeof *c->point, to * per, from * per, n * per);
  shift(c->trace, sizeof *c->trace, to * per, from * per, n * per);
  shift(c->memory, sizeof *c->memory, to * per, from * per, n * per);
  for (int k = to * per; k < (to + n) * per; k++) c->point[k].node = k / per;
}

static void shift_nodes(cable *c, int to, int from, int n) {
  double *arrays[] = {c->q, c->v, c->a, c->aux, c->rise};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
    shift(arrays[k], (size_t)c->b * sizeof(double), to, from, n);
  shift(c->trend, sizeof *c->trend, to, from, n);
  shift(c->mass, sizeof *c->mass, to, from, n);
  shift(c->fixed, sizeof *c->fixed, to, from, n);
  shift(c->place, sizeof *c->place, to, from, n);
  if (c->of->contact.quadrature == 0) shift_points(c, to, from, n);
}

static void shift_elements(cable *c, int to, int from, int n) {
  shift(c->length, sizeof *c->length, to, from, n);
  shift(c->wanted, sizeof *c->wanted, to, from, n);
  if (c->of->contact.quadrature > 0) shift_points(c, to, from, n);
}

/* Contact points of node or element i as if they had never touched anything. */
static void renew_points(cable *c, int i) {
  int from = i * c->per_node;
  if (from >= c->n_points) return;
  memset(&c->trace[from], 0, (size_t)c->per_node * sizeof *c->trace);
  if (c->memory) memset(&c->memory[from], 0, (size_t)c->per_node * sizeof *c->memory);
  for (int j = 0; j < c->per_node; j++) {
    cps_point_make(c, i, j, length_of(c, 0, i));
    c->trace[from + j].drum = -1;
  }
}

/* Takes node i away and puts one into the middle of element k instead. */
static void move_node(machine *m, cable *c, int i, int k) {
  double *arrays[] = {c->q, c->v, c->a, c->aux}, fresh[4][6], n[4], n_p[4], n_pp[4];
  int middle = (c->place[k] + c->place[k + 1]) / 2, quadrature = c->of->contact.quadrature > 0;
  cps_element_shape(c->length[k], 0.5, n, n_p, n_pp);
  for (int j = 0; j < 4; j++)
    for (int d = 0; d < c->dim; d++) {
      const double *q = arrays[j] + k * c->b + d;
      int b = c->b, dim = c->dim;
      fresh[j][d] = n[0] * q[0] + n[1] * q[dim] + n[2] * q[b] + n[3] * q[b + dim];
      fresh[j][dim + d] = n_p[0] * q[0] + n_p[1] * q[dim] + n_p[2] * q[b] + n_p[3] * q[b + dim];
    }
  keep_momentum(c, i);
  int later = i > k,
      at = later ? k + 1 : k; /* where the new node is to be, after and before its two elements */
  int element[3] = {at - 1, at, later ? i : i - 1};
  shift_nodes(c, later ? k + 2 : i, later ? k + 1 : i + 1, later ? i - k - 1 : k - i);
  shift_elements(c, later ? k + 2 : i, later ? k + 1 : i + 1, later ? i - k - 2 : k - i - 1);
  for (int j = 0; j < 4; j++) memcpy(arrays[j] + at * c->b, fresh[j], (size_t)c->b * sizeof(double));
  memset(c->rise + at * c->b, 0, (size_t)c->b * sizeof(double));
  memset(c->trend[at], 0, sizeof c->trend[at]);
  c->mass[at] = 0;
  c->fixed[at] = 0;
  c->place[at] = middle;
  for (int j = 0; j < 3; j++) {
    c->length[element[j]] = c->unit * width(c, element[j]);
    c->wanted[element[j]] = wanted(m, c, element[j]);
  }
  if (!quadrature) renew_points(c, at);
  for (int j = 0; j < 3; j++) {
    if (quadrature)
      renew_points(c, element[j]);
    else if (c->n_points > 0)
      c->point[element[j]].mass = c->section.rho * c->length[element[j]] + c->mass[element[j]];
  }
  for (int j = 0; j < 6 && !quadrature && !c->of->contact.of_node && c->n_points > 0; j++) {
    int node = element[j / 2] + j % 2;
    c->point[node].weight = cps_node_length(c, node);
  }
}

/* ------------------------------------------------------------------ after a step */

/* How fast anything goes, at most. */
static double speed_of(const machine *m, const cable *c) {
  double cable = 0, drums = 0;
  for (int i = 0; i <= c->n; i++) {
    double square = 0;
    for (int d = 0; d < c->dim; d++) square += c->v[i * c->b + d] * c->v[i * c->b + d];
    cable = fmax(cable, square);
  }
  for (int i = 0; i < m->n_drums; i++) {
    double square = 0;
    for (int d = 0; d < c->dim; d++) square += m->drum[i].center_v[d] * m->drum[i].center_v[d];
    drums = fmax(drums, square);
  }
  return sqrt(cable) + sqrt(drums);
}

static double energy_of(const cable *c) {
  cable_store now;
  cps_cable_survey(c, &now);
  return now.elastic + now.kinetic + now.gravity;
}

static int follow(machine *m, cable *c) {
  int moved = 0;
  double before = 0;
  for (int k = 0; k < c->n; k++) c->wanted[k] = wanted(m, c, k);
  for (; moved < c->n; moved++) {
    int k = find_long(c), i = k < 0 ? 0 : find_needless(c, k);
    if (i == 0) break;
    if (moved == 0) before = energy_of(c);
    move_node(m, c, i, k);
  }
  if (moved > 0) m->work.solver += before - energy_of(c);
  return moved;
}

int cps_mesh_follow(machine *m, double t, double h) {
  int moved = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (!c->place) continue;
    c->moved += h * speed_of(m, c);
    if (c->moved < c->of->drum_size / 2) continue;
    c->moved = 0;
    moved += follow(m, c);
  }
  if (moved > 0) cps_audit_start(m, t);
  return moved;
}
