/* sample.c - adaptive sampling: an interval is halved until its middle lies on the chord, or until it is so
 * short that a difference across it must be a jump. */
#include "sample.h"

#include <math.h>

enum { COARSE = 64, MIN_DEPTH = 3, MAX_DEPTH = 24 };

typedef struct sampler {
  series *s;
  curve f;
  const void *context;
  double tolerance; /* of y: what cannot be seen */
  double narrow;    /* of x: where a jump is a jump */
} sampler;

/* Adds the points after a, up to and including b. */
static void refine(const sampler *w, double a, double ya, double b, double yb, int depth) {
  double m = a + (b - a) / 2, ym = w->f(w->context, m);
  int flat = fabs(ym - (ya + yb) / 2) <= w->tolerance && fabs(yb - ya) < 40 * w->tolerance;
  if (depth >= MIN_DEPTH && flat) {
    series_add(w->s, b, yb);
    return;
  }
  if (depth >= MAX_DEPTH || b - a < w->narrow) {
    if (fabs(yb - ya) > 10 * w->tolerance) series_break(w->s);
    series_add(w->s, b, yb);
    return;
  }
  refine(w, a, ya, m, ym, depth + 1);
  refine(w, m, ym, b, yb, depth + 1);
}

/* The spread of the function's values, on a coarse grid. */
static double spread(curve f, const void *context, double lo, double hi) {
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i <= COARSE; i++) {
    double y = f(context, lo + (hi - lo) * i / COARSE);
    least = fmin(least, y);
    most = fmax(most, y);
  }
  return most > least ? most - least : 0;
}

void sample_curve(series *s, curve f, const void *context, const double *nodes, int n) {
  double lo = nodes[0], hi = nodes[n - 1];
  double size = spread(f, context, lo, hi);
  sampler w = {s, f, context, size > 0 ? 1e-3 * size : 1e-300, 1e-7 * (hi - lo)};
  double x = lo, y = f(context, lo);
  series_add(s, x, y);
  for (int i = 1; i < n; i++) {
    if (!(nodes[i] > x)) continue;
    double y1 = f(context, nodes[i]);
    refine(&w, x, y, nodes[i], y1, 0);
    x = nodes[i];
    y = y1;
  }
}

int curves_agree(curve f, const void *a, const void *b, double lo, double hi) {
  double size = fmax(spread(f, a, lo, hi), spread(f, b, lo, hi));
  /* An uneven count keeps the grid off zero and off round fractions of the range. */
  for (int i = 0; i < 997; i++) {
    double x = lo + (hi - lo) * (i + 0.31) / 997;
    if (fabs(f(a, x) - f(b, x)) > 2e-3 * size) return 0;
  }
  return 1;
}
