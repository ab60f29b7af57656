/* mesh_grading.c - element lengths that are small in zones and grow away from them.
 *
 * The wanted length h(p) is `fine` in the zones (and a `fine` around them, so that no element that reaches
 * into one is longer), rises outside with the slope ln(growth), and is never more than `size`. Nodes divide
 * the integral of 1/h into equal parts. Counted by elements, dh/dn = h h' <= h ln(growth): so no element is
 * longer than its neighbour by more than the factor growth. Between a few knots h is linear, so the
 * integral is a logarithm.
 */
#include "mesh_grading.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

typedef struct grader {
  double length, size, fine, slope;
  const zone *zones;
  int n, ring;
} grader;

/* Distance from a zone; in a ring also the other way around. */
static double distance(const grader *g, const zone *z, double p) {
  double d = INFINITY;
  for (int turn = -g->ring; turn <= g->ring; turn++) {
    double x = p + turn * g->length;
    d = fmin(d, fmax(fmax(z->from - g->fine - x, x - z->to - g->fine), 0));
  }
  return d;
}

static double wanted(const grader *g, double p) {
  double h = g->size;
  for (int i = 0; i < g->n; i++) h = fmin(h, g->fine + g->slope * distance(g, &g->zones[i], p));
  return h;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All places where h may have a corner, sorted: the edges of the zones, where it reaches `size`, and where
 * the slopes of two zones meet. */
static int find_knots(const grader *g, double *knot) {
  double reach = (g->size - g->fine) / g->slope;
  int n = 0;
  knot[n++] = 0;
  knot[n++] = g->length;
  for (int turn = -g->ring; turn <= g->ring; turn++)
    for (int i = 0; i < g->n; i++) {
      double shift = turn * g->length, from = g->zones[i].from - g->fine + shift,
             to = g->zones[i].to + g->fine + shift;
      const double at[4] = {from, to, from - reach, to + reach};
      for (int k = 0; k < 4; k++)
        if (at[k] > 0 && at[k] < g->length) knot[n++] = at[k];
      for (int j = 0; j < g->n; j++)
        for (int other = -g->ring; other <= g->ring; other++) {
          double middle = (to + g->zones[j].from - g->fine + other * g->length) / 2;
          if (middle > 0 && middle < g->length) knot[n++] = middle;
        }
    }
  qsort(knot, (size_t)n, sizeof *knot, compare);
  return n;
}

/* Integral of 1/h over d, h being linear with values a and b; and how far to go for the integral x. */
static double count(double a, double b, double d) {
  double t = (b - a) / a;
  return fabs(t) < 1e-8 ? d / a * (1 - t / 2) : d / (b - a) * log1p(t);
}

static double advance(double a, double b, double d, double x) {
  double c = (b - a) / d * x;
  return fabs(c) < 1e-8 ? a * x * (1 + c / 2) : a * expm1(c) * d / (b - a);
}

static double *place_nodes(const grader *g, const double *knot, int knots, int elements, double total) {
  double *node = calloc((size_t)elements + 1, sizeof *node);
  double before = 0;
  int k = 0, i = 1;
  for (; node && i < elements; i++) {
    double x = total * i / elements, part = 0, a = 0, b = 0, d = 0;
    for (; k < knots - 1; k++, before += part) {
      d = knot[k + 1] - knot[k];
      a = wanted(g, knot[k]), b = wanted(g, knot[k + 1]);
      part = d > 0 ? count(a, b, d) : 0;
      if (before + part >= x) break;
    }
    node[i] = k == knots - 1 ? g->length : knot[k] + advance(a, b, d, x - before);
  }
  if (node) node[elements] = g->length;
  return node;
}

int cps_grade(double length, double size, double fine, double growth, const zone *zones, int n, int ring,
              double **out) {
  *out = NULL;
  size = fmin(size, length);
  if (!(fine > 0 && fine < size)) n = 0;
  grader g = {length, size, fine, log(growth), zones, n, ring ? 1 : 0};
  double *knot = calloc((size_t)(2 + 3 * n * (4 + 3 * n)), sizeof *knot);
  if (!knot) return 0;
  int knots = find_knots(&g, knot);
  double total = 0;
  for (int k = 0; k + 1 < knots; k++)
    if (knot[k + 1] > knot[k])
      total += count(wanted(&g, knot[k]), wanted(&g, knot[k + 1]), knot[k + 1] - knot[k]);
  int elements = total < GRADING_MOST ? (int)ceil(total * (1 - 1e-12)) : -1;
  if (elements == 0) elements = 1;
  if (elements > 0) *out = place_nodes(&g, knot, knots, elements, total);
  free(knot);
  if (elements > 0 && !*out) return 0;
  double *node = *out;
  for (int i = 0; i < elements; i++) node[i] = node[i + 1] - node[i];
  return elements;
}

/* ------------------------------------------------------------------ meshes that move */

double cps_grade_wanted(double size, double fine, double growth, double distance) {
  return fmin(size, fine + log(growth) * fmax(distance, 0));
}

/* The least length that is wanted along an element. */
static double least_wanted(const grader *g, double from, double to) {
  double d = INFINITY;
  for (int i = 0; i < g->n; i++) d = fmin(d, fmax(fmax(g->zones[i].from - to, from - g->zones[i].to), 0));
  return fmin(g->size, g->fine + g->slope * fmax(d - g->fine, 0));
}

typedef struct halver {
  const grader *g;
  double unit;
  int *width; /* [room] of elements, in units */
  long n, room;
} halver;

/* Adds the element of `width` units, which starts after `from`, or its halves. */
static void halve(halver *h, long from, int width) {
  double a = h->unit * (double)from, b = h->unit * (double)(from + width);
  if (width > 1 && (b - a) * (1 - 1e-9) > least_wanted(h->g, a, b)) {
    halve(h, from, width / 2);
    halve(h, from + width / 2, width / 2);
    return;
  }
  if (h->n < h->room) h->width[h->n] = width;
  h->n++;
}

/* Halves the element that is longest for where it is; 0 if there is none to be halved. */
static int halve_one(halver *h) {
  long from = 0, best = -1;
  double most = 0;
  for (long k = 0; k < h->n; from += h->width[k++]) {
    double a = h->unit * (double)from, b = h->unit * (double)(from + h->width[k]);
    double ratio = (b - a) / least_wanted(h->g, a, b);
    if (h->width[k] < 2 || ratio <= most) continue;
    most = ratio;
    best = k;
  }
  if (best < 0 || h->n == h->room) return 0;
  for (long k = h->n++; k > best; k--) h->width[k] = h->width[k - 1];
  h->width[best] /= 2;
  h->width[best + 1] = h->width[best];
  return 1;
}

int cps_grade_halving(double length, double size, double fine, double growth, const zone *zones, int n,
                      int spare, grid *on, double **out) {
  size = fmin(size, length);
  fine = fmin(fine, size);
  grader g = {length, size, fine, log(growth), zones, n, 0};
  *out = NULL;
  on->cell = 1;
  while (2 * fine * on->cell <= size && on->cell < INT_MAX / 4) on->cell *= 2;
  double cells = ceil(length / (fine * on->cell) * (1 - 1e-12));
  if (!(cells * on->cell < INT_MAX / 4)) return -1;
  on->units = (int)cells * on->cell;
  halver h = {&g, length / on->units, NULL, 0, 0};
  for (long from = 0; from < on->units && h.n <= GRADING_MOST; from += on->cell) halve(&h, from, on->cell);
  if (h.n + spare > GRADING_MOST) return -1;
  h.room = h.n + spare;
  h.width = calloc((size_t)(h.room > 0 ? h.room : 1), sizeof *h.width);
  h.n = 0;
  for (long from = 0; from < on->units && h.width; from += on->cell) halve(&h, from, on->cell);
  for (int i = 0; i < spare && h.width; i++)
    if (!halve_one(&h)) break;
  if (h.width) *out = calloc((size_t)(h.n > 0 ? h.n : 1), sizeof **out);
  for (long k = 0; k < h.n && *out; k++) (*out)[k] = h.unit * h.width[k];
  free(h.width);
  return *out ? (int)h.n : 0;
}
