/* chart.c - figures, panels and series as data, and the choice of limits, ticks and units. */
#include "chart.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

panel *figure_panel(figure *f, const char *title) {
  if (f->n_panels == f->room) {
    f->room = f->room ? 2 * f->room : 4;
    f->panels = (panel *)grow(f->panels, (size_t)f->room, sizeof *f->panels);
  }
  panel *p = &f->panels[f->n_panels++];
  memset(p, 0, sizeof *p);
  snprintf(p->title, sizeof p->title, "%s", title);
  return p;
}

static void series_free(series *s) {
  free(s->x);
  free(s->y);
}

void figure_free(figure *f) {
  for (int i = 0; i < f->n_panels; i++) {
    for (int k = 0; k < f->panels[i].n_series; k++) series_free(&f->panels[i].series[k]);
    free(f->panels[i].series);
  }
  free(f->panels);
  memset(f, 0, sizeof *f);
}

void axis_set(axis *a, const char *name, const char *unit) {
  snprintf(a->name, sizeof a->name, "%s", name);
  snprintf(a->unit, sizeof a->unit, "%s", unit);
}

series *panel_series(panel *p, const char *label) {
  if (p->n_series == p->room) {
    p->room = p->room ? 2 * p->room : 4;
    p->series = (series *)grow(p->series, (size_t)p->room, sizeof *p->series);
  }
  series *s = &p->series[p->n_series];
  memset(s, 0, sizeof *s);
  snprintf(s->label, sizeof s->label, "%s", label);
  s->colour = p->n_series++;
  s->width = 1;
  return s;
}

void panel_drop(panel *p) {
  if (p->n_series > 0) series_free(&p->series[--p->n_series]);
}

void series_add(series *s, double x, double y) {
  if (s->n == s->room) {
    s->room = s->room ? 2 * s->room : 64;
    s->x = (double *)grow(s->x, (size_t)s->room, sizeof *s->x);
    s->y = (double *)grow(s->y, (size_t)s->room, sizeof *s->y);
  }
  s->x[s->n] = x;
  s->y[s->n++] = y;
}

void series_break(series *s) {
  if (s->n > 0 && isfinite(s->y[s->n - 1])) series_add(s, NAN, NAN);
}

/* ---------------------------------------------------------------- units */

static const struct prefix {
  int exponent;
  const char *text;
} prefixes[] = {{-12, "p"}, {-9, "n"}, {-6, "µ"}, {-3, "m"}, {0, ""}, {3, "k"}, {6, "M"}, {9, "G"}};

enum { N_PREFIXES = sizeof prefixes / sizeof prefixes[0] };

/* Whether a unit may carry a prefix: one of those that people write that way. */
static int takes_prefix(const char *unit) {
  static const char *const known[] = {"m", "m/s", "m/s2", "N", "N/m", "s", "J", "W"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(unit, known[i]) == 0) return 1;
  return 0;
}

/* The prefix that makes `largest` a number from 1 to 1000. Tenths of a unit stay: 0.5 N, not 500 mN. */
static const struct prefix *choose_prefix(double largest, const char *unit) {
  const struct prefix *none = &prefixes[4], *best = &prefixes[0];
  if (!takes_prefix(unit) || !(largest > 0) || !isfinite(largest)) return none;
  if (largest > 0.0999 && largest < 1) return none;
  /* A little more than the number itself, so that rounding does not decide. */
  int e = (int)floor(log10(largest * 1.0001));
  for (int i = 0; i < N_PREFIXES; i++)
    if (prefixes[i].exponent <= e) best = &prefixes[i];
  return best;
}

void quantity_text(char *text, size_t size, double value, const char *unit) {
  const struct prefix *p = choose_prefix(fabs(value), unit);
  char rounded[40], number[40];
  snprintf(rounded, sizeof rounded, "%.4g", value * pow(10, -p->exponent));
  number_text(number, sizeof number, strtod(rounded, NULL));
  int bare = strcmp(unit, "1") == 0 || !*unit || value == 0;
  snprintf(text, size, "%s%s%s%s", number, bare ? "" : " ", bare ? "" : p->text, bare ? "" : unit);
}

void plain_text(char *text, size_t size, const char *markup) {
  size_t n = 0;
  for (; *markup && n + 1 < size; markup++) {
    int brace = *markup == '{' || *markup == '}';
    if (!brace) text[n++] = *markup;
  }
  text[n] = 0;
}

/* ---------------------------------------------------------------- limits */

/* The range of all points of a panel in one direction; 0 if there is none. */
static int data_range(const panel *p, char which, int log_scale, double *lo, double *hi) {
  *lo = INFINITY;
  *hi = -INFINITY;
  for (int i = 0; i < p->n_series; i++) {
    const series *s = &p->series[i];
    for (int k = 0; k < s->n; k++) {
      double value = which == 'x' ? s->x[k] : s->y[k];
      if (!isfinite(s->x[k]) || !isfinite(s->y[k]) || (log_scale && value <= 0)) continue;
      *lo = fmin(*lo, value);
      *hi = fmax(*hi, value);
    }
  }
  return *lo <= *hi;
}

/* Limits from the data: the y axis gets a margin, so that no curve runs along the frame. */
static void fit_limits(const panel *p, const axis *a, char which, scale *s) {
  s->lo = a->lo;
  s->hi = a->hi;
  if (a->lo < a->hi) return;
  if (!data_range(p, which, a->log, &s->lo, &s->hi)) {
    s->lo = a->log ? 0.1 : -1;
    s->hi = 1;
  }
  if (a->log) {
    double margin = which == 'y' ? pow(s->hi / s->lo, 0.06) : 1;
    if (s->hi / s->lo < 1.01) margin = 3;
    s->lo /= margin;
    s->hi *= margin;
    return;
  }
  double size = fmax(fabs(s->lo), fabs(s->hi));
  double span = s->hi - s->lo;
  if (!(span > 1e-9 * size)) span = size > 0 ? size : 1;
  if (which == 'y' || s->hi - s->lo < span) {
    s->lo -= 0.07 * span;
    s->hi += 0.07 * span;
  }
}

/* ---------------------------------------------------------------- ticks */

static void add_tick(scale *s, double value, const char *text) {
  if (s->n_ticks == SCALE_TICKS) return;
  s->tick[s->n_ticks] = value;
  snprintf(s->text[s->n_ticks++], sizeof s->text[0], "%s", text);
}

/* A step of 1, 2, 2.5 or 5 times a power of ten, not below the one asked for, and the decimals it needs. */
static double nice_step(double least, int *decimals) {
  static const double steps[] = {1, 2, 2.5, 5, 10};
  int e = (int)floor(log10(least)), i = 0;
  while (i < 4 && least > 1.0001 * steps[i] * pow(10, e)) i++;
  int digits = -e + (i == 2) - (i == 4);
  *decimals = digits > 0 ? digits : 0;
  return steps[i] * pow(10, e);
}

static void linear_ticks(scale *s, int wanted) {
  int decimals;
  double span = (s->hi - s->lo) * s->factor;
  double step = nice_step(span / wanted, &decimals);
  double first = ceil(s->lo * s->factor / step - 1e-6);
  for (int i = 0; i < SCALE_TICKS; i++) {
    double shown = (first + i) * step;
    if (shown > s->hi * s->factor + 1e-6 * step) break;
    char text[24];
    if (fabs(shown) < 1e-6 * step) shown = 0;
    snprintf(text, sizeof text, "%.*f", decimals < 12 ? decimals : 12, shown);
    add_tick(s, shown / s->factor, text);
  }
}

/* Decades, every second or third of them if there are many; 1, 2, 5 if there are few. */
static void log_ticks(scale *s, int wanted) {
  int first = (int)ceil(log10(s->lo) - 1e-6), last = (int)floor(log10(s->hi) + 1e-6);
  int every = (last - first) / wanted + 1;
  if (last - first < 2) {
    static const int digits[] = {1, 2, 5};
    for (int e = first - 1; e <= last; e++) {
      for (int k = 0; k < 3; k++) {
        double value = digits[k] * pow(10, e);
        char text[24];
        snprintf(text, sizeof text, "%.6g", value);
        if (value >= s->lo * 0.999999 && value <= s->hi * 1.000001) add_tick(s, value, text);
      }
    }
    return;
  }
  for (int e = first; e <= last; e += every) {
    char text[24];
    snprintf(text, sizeof text, "10^{%d}", e);
    add_tick(s, pow(10, e), text);
  }
}

/* Chooses the prefix, or a power of ten for a bare number, and writes the label. */
static void name_scale(const axis *a, scale *s) {
  double largest = fmax(fabs(s->lo), fabs(s->hi));
  const struct prefix *p = choose_prefix(s->log ? 1 : largest, a->unit);
  int bare = strcmp(a->unit, "1") == 0 || !*a->unit;
  int e = p->exponent;
  if (!s->log && !takes_prefix(a->unit) && (largest < 1e-3 || largest >= 1e5) && largest > 0)
    e = (int)floor(log10(largest));
  s->factor = pow(10, -e);
  char unit[64];
  if (e == p->exponent)
    snprintf(unit, sizeof unit, "%s%s", p->text, bare ? "" : a->unit);
  else
    snprintf(unit, sizeof unit, "10^{%d}%s%s", e, bare ? "" : " ", bare ? "" : a->unit);
  snprintf(s->label, sizeof s->label, *unit ? "%s [%s]" : "%s%s", a->name, unit);
}

scale scale_fit(const panel *p, char which, int wanted) {
  const axis *a = which == 'x' ? &p->x : &p->y;
  scale s = {.log = a->log};
  fit_limits(p, a, which, &s);
  name_scale(a, &s);
  if (s.log)
    log_ticks(&s, wanted);
  else
    linear_ticks(&s, wanted);
  return s;
}

double scale_place(const scale *s, double value) {
  if (!isfinite(value)) return NAN;
  if (!s->log) return (value - s->lo) / (s->hi - s->lo);
  return value > 0 ? log(value / s->lo) / log(s->hi / s->lo) : NAN;
}
