/* property_traits.c - what a law says of itself is measured: creep or stick, continuity, smoothness, what it
 * needs.
 *
 * A trait that is claimed has to hold everywhere; one that is not claimed has to fail somewhere, so that a
 * law does not sell itself short either.
 */
#include "motion.h"

#define GRAVITY 9.81
#define HOUR    3600.0
#define HALF    0.5 /* of what a law holds: the load of the test */

/* ------------------------------------------------------------------ creep or stick */

/* A body at rest, undeflected, is loaded slowly to a part of what the law holds, and left for an hour. Leaves
 * the end in *x, and returns the displacement in the second half hour over what v_scale would cover in that
 * time. */
static double creep(point *x, double part) {
  const double ramp = 900, step = 10;
  cps_law_scale s = scale_at(x);
  motion m = {.x = *x, .mass = x->n / GRAVITY, .ramp = part * s.f_stick / ramp};
  memset(m.x.z, 0, sizeof m.x.z);
  m.x.v = 0;
  m.x.f_eq = 0;
  m.x.mode = CPS_MODE_FREE;
  if (x->law->n_modes) m.x.mode = mode_at(&m.x);
  int good = move_body(&m, 0, ramp, 1e-9, 1);
  m.ramp = 0;
  good = good && move_body(&m, ramp, HOUR / 2, 1e-6, step);
  m.travel = 0;
  good = good && move_body(&m, HOUR / 2, HOUR, 1e-3, step);
  *x = m.x;
  if (!good) FAIL_AT(x, "the body under half of f_stick cannot be integrated");
  return m.travel / (usable(s.v_scale) * HOUR / 2);
}

/* However slow a creep is, it lasts, and is the same when the load differs in the seventh digit. A decay does
 * not last, and round-off is not the same. */
static int is_creep(double rate, const point *start, const point *end) {
  if (!(rate > 1e-250 && end->v > 1e-9 * rate * usable(scale_at(end).v_scale))) return 0;
  for (int i = 1; i <= 2; i++) {
    point x = *start;
    if (fabs(creep(&x, HALF * (1 + i * 1e-7)) - rate) > 0.01 * rate) return 0;
  }
  return 1;
}

/* Whether sliding takes more than the load of the test. Where it takes less, a law whose friction falls with
 * velocity may be shaken loose on the way to the load, however slow that is: it neither creeps nor sticks, it
 * slides. */
static int slides_harder(const point *x) { return fabs(sliding_force(x)) > 1.2 * HALF * scale_at(x).f_stick; }

static void creeps_or_sticks(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 30);
  for (int i = 0; i < 30; i++) {
    point start, x;
    int attempts = 0;
    do draw_point(law, &r, &start);
    while (!slides_harder(&start) && ++attempts < 1000);
    if (attempts == 1000) FAIL_LAW(law, "no parameters with which sliding takes more than the load");
    if (i < 4) cps_law_defaults(law, start.p);
    if (i < 4) start.n = pow(10, i);
    x = start;
    double rate = creep(&x, HALF);
    int creeps = is_creep(rate, &start, &x);
    if ((law->traits & CPS_CREEPS) && !creeps) FAIL_AT(&x, "CPS_CREEPS, but it comes to rest");
    if ((law->traits & CPS_STICKS) && (creeps || fabs(rate) > 1e-10))
      FAIL_AT(&x, "CPS_STICKS, but it creeps at %g v_scale", rate);
  }
}

/* ------------------------------------------------------------------ jumps along segments */

enum { MOST_ENTRIES = (1 + CPS_MAX_STATES) * (3 + CPS_MAX_STATES) };

/* What is followed along a segment: outputs, or their derivatives by v, n, f_eq and z. Returns how many.
 * Unless NULL, `floor` receives for each a size below which changes are round-off of things that cancel. */
typedef int (*trace)(const point *x, double *y, double *floor);

static int trace_outputs(const point *x, double *y, double *floor) {
  cps_law_output out;
  eval_at(x, &out, NULL);
  for (int i = 0; i <= x->law->n_states; i++) y[i] = output(&out, i);
  if (floor) {
    cps_law_scale s = scale_at(x);
    for (int i = 0; i <= x->law->n_states; i++)
      floor[i] = 1e-9 * (i ? usable(s.v_scale) * usable(s.z[i - 1]) : s.f_stick);
  }
  return 1 + x->law->n_states;
}

static int trace_derivatives(const point *x, double *y, double *floor) {
  cps_law_output out;
  cps_law_jacobian jac;
  eval_at(x, &out, &jac);
  int n = 0;
  for (int i = 0; i <= x->law->n_states; i++)
    for (int k = 0; k < VAR_Z + x->law->n_states; k++) y[n++] = partial(x->law, output_row(&jac, i), k);
  if (!floor) return n;
  /* As large as the output's own size, or any variable's contribution to it, over the variable. */
  cps_law_scale s = scale_at(x);
  point at = *x;
  n = 0;
  for (int i = 0; i <= x->law->n_states; i++) {
    double size = fmax(fabs(output(&out, i)), i ? 0 : s.f_stick);
    for (int k = 0; k < VAR_Z + x->law->n_states; k++)
      size = fmax(size, fabs(partial(x->law, output_row(&jac, i), k) * *variable(&at, k)));
    for (int k = 0; k < VAR_Z + x->law->n_states; k++) {
      double natural = k == VAR_V ? s.v_scale : k == VAR_N ? x->n : k == VAR_FEQ ? s.f_stick : s.z[k - VAR_Z];
      floor[n++] = 1e-9 * size / usable(natural);
    }
  }
  return n;
}

/* The point at t from a to b; near a, which may have v = 0, numbers are closest together. */
static point between(const point *a, const point *b, double t) {
  point x = *a;
  for (int k = 0; k < VAR_Z + a->law->n_states; k++) {
    point from = *a, to = *b;
    double p = *variable(&from, k), q = *variable(&to, k);
    *variable(&x, k) = p == q ? p : p + t * (q - p);
  }
  return x;
}

/* The largest jump of any entry between two neighbouring numbers, over the range of that entry on the
 * segment; *where receives the place. Each entry's steepest interval is halved until nothing is left to
 * halve. */
static double largest_jump(const point *a, const point *b, trace follow, point *where) {
  enum { SAMPLES = 48 };
  static double y[SAMPLES + 1][MOST_ENTRIES]; /* too large for comfort on the stack; tests have one thread */
  double floor[MOST_ENTRIES];
  int n = 0;
  for (int i = 0; i <= SAMPLES; i++) {
    point x = between(a, b, (double)i / SAMPLES);
    n = follow(&x, y[i], i == SAMPLES / 2 ? floor : NULL);
  }
  double worst = 0;
  for (int e = 0; e < n; e++) {
    double low = INFINITY, high = -INFINITY, steepest = 0;
    int at = 0;
    for (int i = 0; i <= SAMPLES; i++) {
      low = fmin(low, y[i][e]);
      high = fmax(high, y[i][e]);
      if (i < SAMPLES && fabs(y[i + 1][e] - y[i][e]) > steepest) {
        steepest = fabs(y[i + 1][e] - y[i][e]);
        at = i;
      }
    }
    double range = high - low + floor[e] + 1e-6 * fmax(fabs(high), fabs(low));
    if (steepest <= 1e-3 * worst * range) continue;
    double t0 = (double)at / SAMPLES, t1 = (double)(at + 1) / SAMPLES, y0 = y[at][e], y1 = y[at + 1][e];
    point x = *a;
    while (1) {
      double t = t0 + (t1 - t0) / 2, values[MOST_ENTRIES];
      if (t <= t0 || t >= t1 || fabs(y1 - y0) <= 1e-9 * range) break;
      x = between(a, b, t);
      follow(&x, values, NULL);
      if (fabs(values[e] - y0) > fabs(y1 - values[e]))
        t1 = t, y1 = values[e];
      else
        t0 = t, y0 = values[e];
    }
    double jump = fabs(y1 - y0) / range;
    if (jump > worst) {
      worst = jump;
      *where = x;
    }
  }
  return worst;
}

/* An end of a segment: some variables random, and often where laws have their kinks. No segment crosses v =
 * 0, but many end there: so numbers near v = 0 can be told apart, which some laws need. */
static void draw_end(point *x, rng *r, double side, int unloaded) {
  x->n = rng_log(r, 1e-2, 1e3);
  cps_law_scale s = scale_at(x);
  x->v = side * usable(s.v_scale) * rng_log(r, 1e-3, 30);
  x->f_eq = usable(s.f_stick) * rng_between(r, -2, 2);
  draw_states(x, r, 1.3);
  if (rng_below(r, 3) == 0) x->v = 0;
  if (rng_below(r, 6) == 0) x->f_eq = 0;
  if (unloaded) x->n = 0;
}

/* The largest jump on many segments, of which each moves some of the variables. */
static double search_jumps(const cps_law *law, rng *r, trace follow, int may_unload, int n_segments,
                           point *where) {
  double worst = 0;
  for (int i = 0; i < n_segments; i++) {
    point a, b, place;
    memset(&a, 0, sizeof a);
    a.law = law;
    a.mode = CPS_MODE_FREE;
    draw_params(law, r, a.p);
    if (i % 4 == 0) cps_law_defaults(law, a.p);
    b = a;
    double side = rng_sign(r);
    draw_end(&a, r, side, may_unload && i % 8 == 1);
    draw_end(&b, r, side, 0);
    for (int k = 0; k < VAR_Z + law->n_states; k++)
      if (i % 3 && rng_below(r, 2)) *variable(&b, k) = *variable(&a, k);
    if (b.v == 0) {
      point swap = a;
      a = b;
      b = swap;
    }
    double jump = largest_jump(&a, &b, follow, &place);
    if (jump > worst) {
      worst = jump;
      *where = place;
    }
  }
  return worst;
}

static void continuous(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 31);
  point where;
  double jump = search_jumps(law, &r, trace_outputs, 1, 1500, &where);
  if ((law->traits & CPS_CONTINUOUS) && jump > 1e-6)
    FAIL_AT(&where, "CPS_CONTINUOUS, but it jumps by %g of its range", jump);
  if (!(law->traits & CPS_CONTINUOUS) && jump < 1e-3)
    FAIL_LAW(law, "not CPS_CONTINUOUS, but no jump was found");
}

static void smooth(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 32);
  point where;
  if (law->traits & CPS_LOG_SINGULAR) {
    assert_false(law->traits & CPS_SMOOTH);
    return;
  }
  double jump = search_jumps(law, &r, trace_derivatives, 0, law->n_states > 4 ? 300 : 800, &where);
  if ((law->traits & CPS_SMOOTH) && jump > 1e-6)
    FAIL_AT(&where, "CPS_SMOOTH, but a derivative jumps by %g of its range", jump);
  if (!(law->traits & CPS_SMOOTH) && (law->traits & CPS_CONTINUOUS) && jump < 1e-3)
    FAIL_LAW(law, "not CPS_SMOOTH, but no derivative was found to jump");
}

/* The largest derivative by v, n, f_eq and z among the outputs, as v goes to zero: does it grow with ln|v|?
 */
static void singular(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 33);
  int grew = 0;
  for (int i = 0; i < 200; i++) {
    point x;
    draw_point(law, &r, &x);
    double v = fabs(x.v), y[4][MOST_ENTRIES];
    int n = 0;
    for (int k = 0; k < 4; k++) {
      x.v = v * pow(10, -20 - 20 * k);
      n = trace_derivatives(&x, y[k], NULL);
    }
    for (int e = 0; e < n; e++) {
      double step[3] = {y[1][e] - y[0][e], y[2][e] - y[1][e], y[3][e] - y[2][e]};
      int log_like = fabs(y[3][e]) > fabs(y[2][e]) && fabs(y[2][e]) > fabs(y[1][e]) &&
                     fabs(step[0]) > 1e-3 * fabs(y[0][e]) && fabs(step[1] - step[0]) < 0.01 * fabs(step[0]) &&
                     fabs(step[2] - step[1]) < 0.01 * fabs(step[0]);
      if (log_like && !(law->traits & CPS_LOG_SINGULAR))
        FAIL_AT(&x, "derivative %d grows like ln|v|: %g, %g, %g, %g", e, y[0][e], y[1][e], y[2][e], y[3][e]);
      grew = grew || log_like;
    }
  }
  if ((law->traits & CPS_LOG_SINGULAR) && !grew)
    FAIL_LAW(law, "CPS_LOG_SINGULAR, but nothing grows like ln|v|");
}

/* ------------------------------------------------------------------ what matters to a law */

/* Whether outputs, mode or guards change when variable k does. */
static int matters(const cps_law *law, int k, rng *r) {
  int changed = 0;
  for (int i = 0; i < 4000; i++) {
    point a, b;
    draw_point(law, r, &a);
    if (rng_below(r, 3) == 0) a.v = 0;
    b = a;
    *variable(&b, k) *= rng_between(r, -3, 3);
    double y[MOST_ENTRIES], z[MOST_ENTRIES], g[CPS_MAX_GUARDS] = {0}, h[CPS_MAX_GUARDS] = {0};
    int n = trace_outputs(&a, y, NULL);
    trace_outputs(&b, z, NULL);
    if (law->n_modes) {
      a.mode = b.mode = mode_at(&a);
      cps_law_input in = input_of(&a);
      cps_law_guards(law, a.p, &in, g, NULL);
      in = input_of(&b);
      cps_law_guards(law, b.p, &in, h, NULL);
    }
    if (memcmp(y, z, (size_t)n * sizeof *y) != 0 || memcmp(g, h, sizeof g) != 0) changed++;
  }
  return changed;
}

static void needs(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 34);
  int by_feq = matters(law, VAR_FEQ, &r);
  if (!(law->traits & CPS_NEEDS_FEQ) && by_feq) FAIL_LAW(law, "without CPS_NEEDS_FEQ, but f_eq matters");
  if ((law->traits & CPS_NEEDS_FEQ) && !by_feq) FAIL_LAW(law, "CPS_NEEDS_FEQ, but f_eq does not matter");
  for (int k = 0; k < law->n_states; k++)
    if (!matters(law, VAR_Z + k, &r)) FAIL_LAW(law, "state %s does not matter", law->states[k].name);
  /* Every parameter has an effect somewhere, if only on a guard. */
  for (int k = 0; k < law->n_params; k++)
    if (!matters(law, VAR_Z + law->n_states + k, &r))
      FAIL_LAW(law, "parameter %s does not matter", law->params[k].name);
  assert_true(!(law->traits & CPS_MEMORY) == !law->n_states);
}

int main(void) {
  static const law_test tests[] = {
      {"creeps or sticks for an hour", creeps_or_sticks},
      {"continuous", continuous},
      {"smooth", smooth},
      {"singular at rest", singular},
      {"needs what it says", needs},
  };
  return over_laws("traits", tests, ROWS(tests));
}
