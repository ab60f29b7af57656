/* mesh_grading.c - element lengths that are small in zones and grow away from them.
 *
 * The wanted length h(p) is `fine` in the zones (and a `fine` around them, so that no element that reaches
 * into one is longer), rises outside with the slope ln(growth), and is never more than `size`. Nodes divide
 * the integral of 1/h into equal parts. Counted by elements, dh/dn = h h' <= h ln(growth): so no element is
 * longer than its neighbour by more than the factor growth. Between a few knots h is linear, so the
 * integral is a logarithm.
 */
#include "mesh_grading.h"

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
