/* property_derivatives.c - every derivative of every law against finite differences.
 *
 * Estimates are Ridders' extrapolated differences, which come with an error. Where a central difference does
 * not settle or does not agree, the point may sit beside a kink: then the derivative has to be that of one
 * side. Where neither side settles it sits on a jump; such entries are counted, and must be rare. Where
 * several kinks meet, a side is a region: then the row has to be that of a point beside it, which in turn
 * agrees with differences.
 *
 * C. J. F. Ridders, Accurate computation of F'(x) and F'(x) F''(x), Adv. Eng. Software 4(2), 1982.
 */
#include "test.h"

enum { MOST_ROWS = 1 + CPS_MAX_STATES, LEVELS = 14, ORDERS = 5 };

#define REL_TOL    1e-6 /* of the derivative */
#define SCALE_TOL  1e-8 /* of (largest value) / (scale of the variable) */
#define SETTLED    1e-5 /* error of an estimate, in the same scale, above which it says nothing */
#define MOST_JUMPS 0.02 /* fraction of entries that may be without estimate at random points */

/* A vector function of a point, with its derivatives unless y_x is NULL: outputs, guards, or states after a
 * transition. */
typedef struct probe {
  int n_rows;
  int guard; /* that fires, for a transition */
  void (*eval)(const struct probe *probe, const point *x, double *y, cps_partials *y_x);
  const char *what;
} probe;

static void probe_outputs(const probe *probe, const point *x, double *y, cps_partials *y_x) {
  cps_law_output out;
  cps_law_jacobian jac;
  eval_at(x, &out, y_x ? &jac : NULL);
  for (int i = 0; i < probe->n_rows; i++) {
    y[i] = output(&out, i);
    if (y_x) y_x[i] = *output_row(&jac, i);
  }
}

static void probe_guards(const probe *probe, const point *x, double *y, cps_partials *y_x) {
  (void)probe;
  cps_law_input in = input_of(x);
  cps_law_guards(x->law, x->p, &in, y, y_x);
}

static void probe_transition(const probe *probe, const point *x, double *y, cps_partials *y_x) {
  cps_law_input in = input_of(x);
  cps_law_transition(x->law, x->p, &in, probe->guard, y, y_x);
}

/* The scale over which variable k can be expected to vary. */
static double variable_scale(const point *at, int k) {
  point x = *at;
  cps_law_scale s = scale_at(&x);
  double value = fabs(*variable(&x, k));
  if (k == VAR_V) return fmax(value, usable(s.v_scale));
  if (k == VAR_N) return value > 0 ? value : 1;
  if (k == VAR_FEQ) return fmax(value, usable(s.f_stick));
  if (k < VAR_Z + x.law->n_states) return fmax(value, usable(s.z[k - VAR_Z]));
  return value > 0 ? value : 1;
}

/* How far a variable may be moved to each side: parameters stay in their range, n stays positive. */
static void variable_room(const point *at, int k, double *below, double *above) {
  point x = *at;
  *below = *above = INFINITY;
  if (k == VAR_N) *below = x.n;
  int i = k - VAR_Z - x.law->n_states;
  if (i < 0) return;
  *below = x.p[i] - x.law->params[i].min;
  *above = x.law->params[i].max - x.p[i];
}

/* One variable of one probe at one point. */
typedef struct entry {
  const probe *probe;
  const point *x;
  int k;
  double scale;           /* of the variable */
  double size[MOST_ROWS]; /* of what may cancel in each row */
} entry;

/* What cancels in a row is as large as f_stick, the rates of a fresh start, or any variable's own
 * contribution. */
static void find_sizes(const probe *probe, const point *at, double *size) {
  cps_law_scale s = scale_at(at);
  point x = *at;
  double y[MOST_ROWS];
  cps_partials y_x[MOST_ROWS];
  x.v = fmax(usable(s.v_scale), fabs(at->v));
  memset(x.z, 0, sizeof x.z);
  probe->eval(probe, &x, y, NULL);
  for (int r = 0; r < probe->n_rows; r++)
    size[r] = probe->eval != probe_outputs ? 0 : r ? fabs(y[r]) : s.f_stick;
  x = *at;
  probe->eval(probe, &x, y, y_x);
  for (int r = 0; r < probe->n_rows; r++)
    for (int i = 0; i < count_variables(x.law); i++)
      size[r] = fmax(size[r], fabs(partial(x.law, &y_x[r], i) * *variable(&x, i)));
}

/* Estimates of a derivative for every row, with their errors, and the largest values met. */
typedef struct estimate {
  double value[MOST_ROWS], error[MOST_ROWS], most[MOST_ROWS];
} estimate;

/* Differences with steps h, h/2, h/4 ... : central for side 0, otherwise to that side. */
static estimate difference(const entry *at, double h, int side) {
  const probe *probe = at->probe;
  double table[LEVELS][ORDERS][MOST_ROWS] = {{{0}}};
  double here[MOST_ROWS] = {0}, low[MOST_ROWS] = {0}, high[MOST_ROWS] = {0};
  point x = *at->x;
  double *value = variable(&x, at->k), x0 = *value;
  estimate e;
  probe->eval(probe, &x, here, NULL);
  for (int r = 0; r < probe->n_rows; r++) {
    e.value[r] = 0;
    e.error[r] = INFINITY;
    e.most[r] = fabs(here[r]);
  }
  for (int j = 0; j < LEVELS; j++, h /= 2) {
    /* volatile, so that the step is what is really added */
    volatile double above = side < 0 ? x0 : x0 + h, below = side > 0 ? x0 : x0 - h;
    double width = above - below;
    memcpy(high, here, sizeof high);
    memcpy(low, here, sizeof low);
    if (side >= 0) {
      *value = above;
      probe->eval(probe, &x, high, NULL);
    }
    if (side <= 0) {
      *value = below;
      probe->eval(probe, &x, low, NULL);
    }
    if (!(width > 0)) break;
    for (int r = 0; r < probe->n_rows; r++) {
      double most = fmax(fabs(high[r]), fabs(low[r]));
      e.most[r] = fmax(e.most[r], most);
      table[j][0][r] = (high[r] - low[r]) / width;
      double factor = 1, round_off = 4 * DBL_EPSILON * fmax(most, at->size[r]) / width;
      for (int m = 1; m <= j && m < ORDERS; m++) {
        factor *= side == 0 ? 4 : 2;
        double better = (factor * table[j][m - 1][r] - table[j - 1][m - 1][r]) / (factor - 1);
        double error = fmax(fabs(better - table[j][m - 1][r]), fabs(better - table[j - 1][m - 1][r])) +
                       round_off;
        table[j][m][r] = better;
        if (error < e.error[r]) {
          e.error[r] = error;
          e.value[r] = better;
        }
      }
    }
  }
  return e;
}

/* What was compared: all entries, those without any estimate, and those that hold on one side only. */
typedef struct tally {
  long entries, jumps, kinks;
} tally;

static double unit_of(const entry *e, const estimate *d, int r) {
  return fmax(1e-3 * e->size[r], d->most[r]) / e->scale;
}

static int settled(const entry *e, const estimate *d, int r) {
  return d->error[r] <= SETTLED * (fabs(d->value[r]) + unit_of(e, d, r));
}

static int agrees(const entry *e, const estimate *d, int r, double value) {
  double tolerance = REL_TOL * fabs(d->value[r]) + SCALE_TOL * unit_of(e, d, r) + 4 * d->error[r];
  return settled(e, d, r) && fabs(value - d->value[r]) <= tolerance;
}

/* Whether the derivatives of row r are, all together, those of a point beside this one. */
static int holds_beside(const entry *e, const cps_partials *row, int r) {
  const cps_law *law = e->x->law;
  rng random = rng_for(law->name, 5);
  for (int attempt = 0; attempt < 200; attempt++) {
    point beside = *e->x;
    double y[MOST_ROWS];
    cps_partials y_x[MOST_ROWS];
    for (int k = 0; k < count_variables(law); k++) {
      double below, above, step = 1e-7 * variable_scale(e->x, k) * rng_between(&random, -1, 1);
      variable_room(e->x, k, &below, &above);
      *variable(&beside, k) += step > above || -step > below ? -step : step;
    }
    e->probe->eval(e->probe, &beside, y, y_x);
    int same = 1;
    for (int k = 0; same && k < count_variables(law); k++) {
      double a = partial(law, row, k), b = partial(law, &y_x[r], k);
      same = fabs(a - b) <= 1e-4 * (fabs(a) + fmax(1e-3 * e->size[r], fabs(y[r])) / variable_scale(e->x, k));
    }
    if (!same) continue;
    entry there = *e;
    there.x = &beside;
    estimate d = difference(&there, 1e-9 * e->scale, 0);
    double value = partial(law, &y_x[r], e->k);
    if (fabs(d.value[r] - value) <= 1e-3 * (fabs(value) + unit_of(&there, &d, r))) return 1;
  }
  return 0;
}

/* Compares the derivatives of all rows with respect to one variable. `one_sided` skips central differences.
 */
static void compare(const entry *at, const cps_partials *rows, int one_sided, tally *count) {
  entry e = *at;
  const probe *probe = e.probe;
  const point *x = e.x;
  int k = e.k;
  double below, above, h = 0.02 * e.scale;
  variable_room(x, k, &below, &above);
  double room = fmin(below, above);
  estimate central[2], side[2];
  int n_central = 0, n_sides = 0, use_central = !one_sided && room > 0;
  for (int r = 0; r < probe->n_rows; r++) {
    double value = partial(x->law, &rows[r], k);
    count->entries++;
    /* A kink or a narrow feature may be nearer than the first step; then try smaller ones. */
    int good = 0;
    for (int i = 0; i < 2 && use_central && !good; i++) {
      if (n_central == i) central[n_central++] = difference(&e, fmin(h, room / 2) / (i ? 512 : 1), 0);
      good = agrees(&e, &central[i], r, value);
    }
    if (good) continue;
    for (; n_sides < 2; n_sides++) {
      double space = n_sides ? above : below;
      side[n_sides] = difference(&e, space > 0 ? fmin(h / 64, space / 2) : 0, n_sides ? 1 : -1);
    }
    if (agrees(&e, &side[0], r, value) || agrees(&e, &side[1], r, value)) {
      count->kinks++;
      continue;
    }
    if (!settled(&e, &side[0], r) && !settled(&e, &side[1], r)) {
      count->jumps++;
      continue;
    }
    if (one_sided && holds_beside(&e, &rows[r], r)) {
      count->kinks++;
      continue;
    }
    print_point(x);
    if (n_central)
      print_error("  central difference %.12g (error %.1g)\n", central[0].value[r], central[0].error[r]);
    fail_msg(
        "derivative of %s %d with respect to %s is %.12g; from the left %.12g (error %.1g), from the right "
        "%.12g (error %.1g)",
        probe->what, r, variable_name(x->law, k), value, side[0].value[r], side[0].error[r], side[1].value[r],
        side[1].error[r]);
  }
}

static void compare_rows(const probe *probe, const point *x, int one_sided, tally *count) {
  double y[MOST_ROWS];
  cps_partials y_x[MOST_ROWS];
  entry e = {probe, x, 0, 0, {0}};
  find_sizes(probe, x, e.size);
  probe->eval(probe, x, y, y_x);
  for (e.k = 0; e.k < count_variables(x->law); e.k++) {
    e.scale = variable_scale(x, e.k);
    compare(&e, y_x, one_sided, count);
  }
}

/* Outputs, guards and one of the transitions at one point and mode. */
static void compare_all(const point *x, int guard, int one_sided, tally *count) {
  const cps_law *law = x->law;
  probe outputs = {1 + law->n_states, 0, probe_outputs, "output"};
  compare_rows(&outputs, x, one_sided, count);
  if (!law->n_modes || x->mode < 0) return;
  probe guards = {law->n_guards, 0, probe_guards, "guard"};
  compare_rows(&guards, x, one_sided, count);
  if (!law->n_states) return;
  probe transition = {law->n_states, guard, probe_transition, "state after transition"};
  compare_rows(&transition, x, one_sided, count);
}

/* Mode free, and every explicit mode or a few of many. */
static void compare_modes(point *x, rng *r, int one_sided, tally *count) {
  enum { FEW = 4 };
  x->mode = CPS_MODE_FREE;
  /* At a kink, free is the mode that applies: see same_value. */
  if (!one_sided || !x->law->n_modes) compare_all(x, 0, one_sided, count);
  for (int i = 0; i < x->law->n_modes && i < FEW; i++) {
    x->mode = x->law->n_modes <= FEW ? i : rng_below(r, x->law->n_modes);
    compare_all(x, rng_below(r, x->law->n_guards), one_sided, count);
  }
}

static void random_points(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 1);
  tally count = {0, 0, 0};
  for (int i = 0; i < (law->n_states > 2 ? 800 : 2000); i++) {
    point x;
    draw_point(law, &r, &x);
    compare_modes(&x, &r, 0, &count);
  }
  if (count.jumps > MOST_JUMPS * count.entries)
    FAIL_LAW(law, "%ld of %ld derivatives could not be compared with a difference", count.jumps,
             count.entries);
}

/* Velocities at which a law may have a kink: zero, velocity parameters, and those times dimensionless ones.
 */
static int kink_velocities(const point *x, double *v, int most) {
  const cps_law *law = x->law;
  int n = 0;
  v[n++] = 0;
  for (int i = 0; i < law->n_params; i++) {
    if (strcmp(law->params[i].unit, "m/s") != 0) continue;
    for (int j = -1; j < law->n_params; j++) {
      if (j >= 0 && !is_one(law->params[j].unit)) continue;
      for (int s = -1; s <= 1 && n < most; s += 2) v[n++] = s * x->p[i] * (j < 0 ? 1 : x->p[j]);
    }
  }
  return n;
}

/* Points exactly at the kinks, where only one side can be right. */
static void at_kinks(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 2);
  tally count = {0, 0, 0};
  static const double forces[] = {0, 1, -1, 0.5}, states[] = {0, 1, -1, 0.3};
  for (int set = 0; set < 4; set++) {
    point x;
    draw_point(law, &r, &x);
    if (set == 0) cps_law_defaults(law, x.p);
    x.n = set == 0 ? 10 : x.n;
    double v[64];
    int n_v = kink_velocities(&x, v, ROWS(v));
    cps_law_scale s = scale_at(&x);
    for (int i = 0; i < n_v; i++)
      for (int j = 0; j < (law->traits & CPS_NEEDS_FEQ ? ROWS(forces) : 1); j++)
        for (int k = 0; k < (law->n_states ? ROWS(states) : 1); k++) {
          x.v = v[i];
          x.f_eq = forces[j] * s.f_stick;
          for (int q = 0; q < law->n_states; q++) {
            double z = states[(k + q * (set > 1)) % ROWS(states)] * usable(s.z[q]);
            x.z[q] = law->states[q].parity > 0 ? fabs(z) : z;
          }
          /* A derivative that grows without limit at v = 0 has no value there. */
          if (x.v == 0 && (law->traits & CPS_LOG_SINGULAR)) continue;
          compare_modes(&x, &r, 1, &count);
        }
  }
  if (count.jumps > count.entries / 2)
    FAIL_LAW(law, "%ld of %ld derivatives at kinks could not be compared", count.jumps, count.entries);
}

/* With and without derivatives, free and in the mode that free means: the same bits. */
static void same_value(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 3);
  for (int i = 0; i < 5000; i++) {
    point x;
    draw_point(law, &r, &x);
    if (i % 8 == 0) x.v = 0;
    if (i % 16 < 3) x.f_eq = (i % 16 - 1) * scale_at(&x).f_stick;
    if (law->n_modes && i % 2) x.mode = rng_below(&r, law->n_modes);
    cps_law_output with, without;
    cps_law_jacobian jac;
    eval_at(&x, &with, &jac);
    eval_at(&x, &without, NULL);
    for (int k = 0; k <= law->n_states; k++) {
      double a = output(&with, k), b = output(&without, k);
      if (memcmp(&a, &b, sizeof a) != 0)
        FAIL_AT(&x, "output %d is %.17g with derivatives and %.17g without", k, a, b);
    }
    if (!law->n_modes || x.mode >= 0) continue;
    x.mode = mode_at(&x);
    cps_law_output there;
    cps_law_jacobian there_jac;
    eval_at(&x, &there, &there_jac);
    for (int k = 0; k <= law->n_states; k++) {
      if (output(&there, k) != output(&with, k))
        FAIL_AT(&x, "output %d is %.17g in this mode and %.17g in mode free", k, output(&there, k),
                output(&with, k));
      for (int q = 0; q < count_variables(law); q++)
        if (partial(law, output_row(&jac, k), q) != partial(law, output_row(&there_jac, k), q))
          FAIL_AT(&x, "derivative of output %d by %s differs between this mode and mode free", k,
                  variable_name(law, q));
    }
  }
}

/* Entries past those that the law has are left alone. */
static void writes_no_more(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 4);
  const double mark = -12345.678;
  for (int i = 0; i < 200; i++) {
    point x;
    draw_point(law, &r, &x);
    cps_law_output out;
    cps_law_jacobian jac;
    for (int k = 0; k < CPS_MAX_STATES; k++) out.z_t[k] = mark;
    for (int k = 0; k <= CPS_MAX_STATES; k++) {
      cps_partials *row = k ? &jac.z_t[k - 1] : &jac.f;
      row->v = row->n = row->f_eq = mark;
      for (int q = 0; q < CPS_MAX_STATES; q++) row->z[q] = mark;
      for (int q = 0; q < CPS_MAX_PARAMS; q++) row->p[q] = mark;
    }
    eval_at(&x, &out, &jac);
    for (int k = law->n_states; k < CPS_MAX_STATES; k++) {
      assert_true(out.z_t[k] == mark);
      assert_true(jac.z_t[k].v == mark && jac.z_t[k].p[0] == mark);
    }
    for (int k = 0; k <= law->n_states; k++) {
      const cps_partials *row = output_row(&jac, k);
      assert_true(row->v != mark && row->n != mark && row->f_eq != mark);
      for (int q = law->n_states; q < CPS_MAX_STATES; q++) assert_true(row->z[q] == mark);
      for (int q = law->n_params; q < CPS_MAX_PARAMS; q++) assert_true(row->p[q] == mark);
    }
  }
}

int main(void) {
  static const law_test tests[] = {
      {"derivatives at random points", random_points},
      {"derivatives at kinks", at_kinks},
      {"same value with and without derivatives", same_value},
      {"writes no more than it has", writes_no_more},
  };
  return over_laws("derivatives", tests, ROWS(tests));
}
