/* contact_runs.c - where a cable runs onto and off a drum.
 *
 * The wrap of a taut cable is the angle between its directions before and behind the drum, whatever the mesh: counting contact points
 * would count them by half an element at either side. The element that reaches the first contact point is bent in part, so the
 * tension is that of the element before it. Bending stiffness straightens the cable beside the drum as exp(-x/sqrt(EI/T)), so the direction is
 * that of the chord of an element a few such lengths away, or halfway to the next drum. The angle is summed up from chord to chord, so
 * that full turns count. At an end that is fixed to the rim, the wrap starts there.
 */
#include "contact_runs.h"

#include <math.h>
#include <string.h>

static const double layers = 4; /* bending is down to 2 % after so many lengths sqrt(EI/T) */

/* An element of a cable, or of a belt round and round; -1 beyond the ends. */
static int element_at(const cable *c, int i) {
  if (c->seam >= 0) return (i % c->n + c->n) % c->n;
  return i >= 0 && i < c->n ? i : -1;
}

/* Elements that a point touches: [lowest, highest]. */
static void elements_of(const cable *c, const contact_point *p, int *low, int *high) {
  int at_node = c->of->contact.quadrature == 0;
  *low = element_at(c, at_node ? p->node - 1 : p->node);
  *high = element_at(c, p->node);
}

static int touches_element(const machine *m, const cable *c, contact_touch *touch, int element) {
  int near = element * c->per_node;
  for (int k = near; k < near + 2 * c->per_node && (k < c->n_points || c->seam >= 0); k++) {
    const contact_point *p = &c->point[k % c->n_points];
    int low, high;
    elements_of(c, p, &low, &high);
    if ((low == element || high == element) && touch(m, c, p) >= 0) return 1;
  }
  return 0;
}

/* From a free element away from the drum: the one whose direction is that of the straight cable. */
static int straight_beyond(const machine *m, const cable *c, contact_touch *touch, int element, int step) {
  double tension = c->tension[element], free = 0, want, gone = 0;
  int at = element, next, bounded = 0, i = 0;
  if (!(tension > 0) || !(c->section.ei > 0)) return element;
  want = layers * sqrt(c->section.ei / tension);
  for (next = element; next >= 0 && i < c->n && free < 2 * want; next = element_at(c, next + step), i++) {
    bounded = touches_element(m, c, touch, next);
    if (bounded) break;
    free += c->length[next];
  }
  want = fmin(want, bounded ? free / 2 : free);
  for (; gone + c->length[at] <= want; at = next) {
    next = element_at(c, at + step);
    if (next < 0 || touches_element(m, c, touch, next)) break;
    gone += c->length[at];
  }
  return at;
}

/* The side of a run beyond a point of it, towards the start of the cable (step -1) or its end. */
static run_side side_of(const machine *m, const cable *c, int drum, contact_touch *touch, int point,
                        int step) {
  int low, high, end = step > 0;
  elements_of(c, &c->point[point], &low, &high);
  int beside = step < 0 ? low : high; /* the last one that touches, or that is bent by it */
  int quadrature = c->of->contact.quadrature > 0, beyond = -1, at_rim = 0;
  if (c->seam < 0 && c->end[end].drum == drum) {
    int elements = beside < 0 ? 0 : step < 0 ? beside : c->n - 1 - beside;
    at_rim = elements <= quadrature;
  }
  if (beside >= 0 && !at_rim) {
    beyond = element_at(c, beside + step * (1 + quadrature));
    if (beyond < 0 || touches_element(m, c, touch, beyond)) beyond = element_at(c, beside + step);
    if (beyond >= 0 && touches_element(m, c, touch, beyond)) beyond = beside;
  }
  run_side side = {SIDE_CHORD, beyond, beyond, end};
  if (beyond >= 0) {
    side.straight = straight_beyond(m, c, touch, beyond, step);
    return side;
  }
  side.kind = at_rim ? SIDE_RIM : SIDE_SLOPE;
  side.element = end ? c->n - 1 : 0;
  return side;
}

/* The part of a vector off the axis of a drum. */
static void flatten(const machine *m, int drum, double *along) {
  const double *axis = m->drum[drum].axis;
  double height = 0;
  for (int d = 0; d < 3; d++) height += along[d] * axis[d];
  for (int d = 0; d < 3; d++) along[d] -= height * axis[d];
}

static void chord(const machine *m, const cable *c, int drum, int element, double *along) {
  const double *q = c->q + element * c->b;
  memset(along, 0, 3 * sizeof *along);
  for (int d = 0; d < m->dim; d++) along[d] = q[c->b + d] - q[d];
  flatten(m, drum, along);
}

void cps_run_direction(const machine *m, const cable *c, int drum, const run_side *side, double *along) {
  if (side->kind == SIDE_CHORD) {
    chord(m, c, drum, side->straight, along);
  } else if (side->kind == SIDE_SLOPE) {
    memset(along, 0, 3 * sizeof *along);
    memcpy(along, c->q + (side->end ? c->n : 0) * c->b + m->dim, (size_t)m->dim * sizeof *along);
    flatten(m, drum, along);
  } else { /* along the rim, the way the element there runs */
    double arm[3], to[3], same = 0;
    cps_rim_arm(m, c, side->end, arm, along);
    chord(m, c, drum, side->element, to);
    for (int d = 0; d < 3; d++) same += along[d] * to[d];
    for (int d = 0; d < 3 && same < 0; d++) along[d] = -along[d];
  }
}

/* The angle from direction a to direction b about the axis of a drum. */
static double turn(const machine *m, int drum, const double *a, const double *b) {
  const double *axis = m->drum[drum].axis;
  double sine = 0, cosine = 0;
  for (int d = 0; d < 3; d++) {
    sine += axis[d] * (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
    cosine += a[d] * b[d];
  }
  return sine == 0 && cosine == 0 ? 0 : atan2(sine, cosine);
}

static double angle_of(const machine *m, const cable *c, int drum, const contact_run *run) {
  double before[3], next[3], sum = 0;
  const run_side *in = &run->side[0], *out = &run->side[1];
  int from = in->kind == SIDE_CHORD ? in->straight + 1 : in->element;
  int to = out->kind == SIDE_CHORD ? out->straight - 1 : out->element;
  int n = c->seam >= 0 ? ((to - from + 1) % c->n + c->n) % c->n : to - from + 1;
  cps_run_direction(m, c, drum, in, before);
  for (int i = 0; i < n; i++) {
    chord(m, c, drum, element_at(c, from + i), next);
    sum += turn(m, drum, before, next);
    memcpy(before, next, sizeof before);
  }
  cps_run_direction(m, c, drum, out, next);
  return sum + turn(m, drum, before, next);
}

/* Where to start looking: on a belt between two runs, that is at a point on another drum, or in the longest stretch in the open. */
static int origin(const machine *m, const cable *c, int drum, contact_touch *touch) {
  int open = 0, longest = 0, at = 0;
  for (int k = 0; c->seam >= 0 && k < 2 * c->n_points; k++) {
    int on = touch(m, c, &c->point[k % c->n_points]);
    if (on >= 0 && on != drum) return k % c->n_points;
    open = on < 0 ? open + 1 : 0;
    if (open > longest) {
      longest = open;
      at = k % c->n_points;
    }
  }
  return at;
}

int cps_contact_run_next(const machine *m, const cable *c, int drum, contact_touch *touch, int from,
                         contact_run *run) {
  int start = origin(m, c, drum, touch), k;
  run->first = run->last = -1;
  for (k = from; k < c->n_points; k++) {
    int point = (start + k) % c->n_points, on = touch(m, c, &c->point[point]);
    if (on >= 0 && on != drum && run->first >= 0) break;
    if (on != drum) continue;
    if (run->first < 0) run->first = point;
    run->last = point;
  }
  if (run->first < 0) return 0;
  run->side[0] = side_of(m, c, drum, touch, run->first, -1);
  run->side[1] = side_of(m, c, drum, touch, run->last, 1);
  run->angle = angle_of(m, c, drum, run);
  return k;
}
