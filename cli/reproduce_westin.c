/* reproduce_westin.c - C. Westin, R. A. Irani, Continuously differentiable stick-slip friction model with applications
 * to cable simulation using nonlinear finite elements. */
#include "reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAPER    "Westin and Irani"
#define PI       3.14159265358979323846
#define CAPSTAN  "westin/capstan.yaml"
#define PULLEY   "westin/pulley.yaml"
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Of both scenarios: friction coefficient, radius, bending stiffness, mass per length, gravity; of the first: holding
 * force, and growth of F2/F1 per second. */
static const double MU = 0.25, RADIUS = 0.25, EI = 0.7, RHO = 0.4555, G = 9.81, F1 = 98.1, GROWTH = 0.02;

enum { ALPHAS = 6 };
static const double alphas[ALPHAS] = {1, 0.99, 0.95, 0.90, 0.75, 0.50}; /* 1 is Quinn */

static const char source_paper[] = "the paper's text";
static const char source_formula[] = "capstan formula with weight and bending";

/* "cables.rope.contact.friction=..." of Quinn (alpha 1) or CDQ. */
static void law_setting(char *text, size_t size, double alpha) {
  if (alpha == 1)
    snprintf(text, size, "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}");
  else
    snprintf(text, size, "cables.rope.contact.friction={cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: %g}}",
             alpha);
}

static void law_name(char *text, size_t size, double alpha) {
  if (alpha == 1)
    snprintf(text, size, "Quinn");
  else
    snprintf(text, size, "CDQ alpha %.2f", alpha);
}

/* A field of the cable; NULL if the run has none. */
static const double *field_of(const trial *t, const char *what, int *points) {
  char name[80];
  snprintf(name, sizeof name, "cables.rope.%s", what);
  for (int i = 0; t->result && i < cps_result_fields(t->result); i++) {
    const cps_field *f = cps_result_field(t->result, i);
    if (strcmp(f->name, name) != 0) continue;
    *points = f->points;
    return cps_result_field_data(t->result, i);
  }
  return NULL;
}

/* ---------------------------------------------------------------- scenario I: force ratios */

/* F2/F1 by the capstan formula with a grip of alpha mu over half a turn, corrected for the weight of the cable that
 * hangs on each side and for bending. */
static double corrected(double alpha, double hang, double g) {
  double grip = exp(alpha * MU * PI);
  return grip + (grip - 1) * (hang * RHO * g - EI / (2 * RADIUS * RADIUS)) / F1;
}

/* The first frame in which every contact point slips (speed 0), or slides at least so fast; -1 if there is none. */
static long slip_frame(const trial *t, double speed) {
  int n = 0;
  const double *state = field_of(t, "contact.state", &n), *slip = field_of(t, "contact.slip", &n);
  for (long k = 0; state && slip && k < cps_result_frames(t->result); k++) {
    int touching = 0, slips = 0;
    for (int i = 0; i < n; i++) {
      long at = k * n + i;
      touching += state[at] > 0;
      slips += speed > 0 ? state[at] > 0 && fabs(slip[at]) >= speed : state[at] == 2;
    }
    if (touching > 0 && slips == touching) return k;
  }
  return -1;
}

/* F2/F1 at that frame. */
static double slip_ratio(const trial *t, double speed) {
  long k = slip_frame(t, speed);
  return k < 0 ? NAN : 1 + GROWTH * cps_result_frame_times(t->result)[k];
}

static const char slip_note[] =
    "Slip: every contact point has |f_eq| beyond alpha mu N (mu N for Quinn). The first one is beyond it at "
    "once, "
    "the last one decides. As f = f_eq up to there, that is what the state of the contact points says.";
static const char decimals_note[] =
    "The reference has three decimals, and slip is seen at output times: 0.1 s of the "
    "ramp is 0.002.";
static const char nodal_note[] =
    "Allowed is what contact at nodes does according to the reference: it moves the ratio by about 2 %.";
static const char runs_note[] = "The cable runs when every contact point slides faster than 1 mm/s, a tenth "
                                "of epsilon. Beyond alpha mu N CDQ "
                                "creeps, at first by micrometres per second: between slip and running lies "
                                "more the smaller alpha is, and with "
                                "0.50 most of the way to the ratio of Quinn.";

static void ratio_rows(reproduction *r) {
  static const double published[ALPHAS] = {2.24, 2.22, 2.16, 2.08, 1.80, 1.52};
  static const double independent[ALPHAS] = {2.228, 2.214, 2.150, 2.070, 1.844, 1.518};
  const trial *t[ALPHAS];
  char law[120], name[40];
  for (int i = 0; i < ALPHAS; i++) {
    law_setting(law, sizeof law, alphas[i]);
    t[i] = trial_run(r, CAPSTAN, "%s", law);
  }
  for (int i = 0; i < ALPHAS; i++) {
    law_name(name, sizeof name, alphas[i]);
    row x = {.published = published[i],
             .reference = independent[i],
             .computed = slip_ratio(t[i], 0),
             .unit = "1",
             .by = ABSOLUTE,
             .tolerance = 0.002,
             .source = source_run,
             .note = i == 0   ? slip_note
                     : i == 1 ? decimals_note
                              : NULL};
    snprintf(x.item, sizeof x.item, "%s: F2/F1 at slip", name);
    add_row(r, &x, t[i]);
  }
  for (int i = 0; i < ALPHAS; i++) {
    law_name(name, sizeof name, alphas[i]);
    row x = {
        .published = i == 0 ? 2.19 : NAN,
        .reference = exp(alphas[i] * MU * PI),
        .computed = slip_ratio(t[i], 0),
        .unit = "1",
        .by = RELATIVE,
        .tolerance = 0.03,
        .source = source_closed,
        .note = i == 0 ? "The reference expects ratios about 2 % above exp(alpha mu pi); what is allowed are "
                         "3 %, as it is not said more precisely."
                       : NULL};
    snprintf(x.item, sizeof x.item, "%s: F2/F1 at slip, against exp(alpha mu pi)", name);
    add_row(r, &x, t[i]);
  }
  for (int i = 0; i < ALPHAS; i++) {
    law_name(name, sizeof name, alphas[i]);
    row x = {.published = NAN,
             .reference = corrected(alphas[i], 2, G),
             .computed = slip_ratio(t[i], 0),
             .unit = "1",
             .by = RELATIVE,
             .tolerance = 0.02,
             .source = source_formula,
             .note = i == 0 ? nodal_note : NULL};
    snprintf(x.item, sizeof x.item, "%s: F2/F1 at slip, against the corrected formula", name);
    add_row(r, &x, t[i]);
  }
  for (int i = 0; i < ALPHAS; i++) {
    law_name(name, sizeof name, alphas[i]);
    row x = {.published = NAN,
             .reference = slip_ratio(t[i], 0),
             .computed = slip_ratio(t[i], 1e-3),
             .unit = "1",
             .by = AT_LEAST,
             .source = "ratio at slip, above",
             .note = i == 0 ? runs_note : NULL};
    snprintf(x.item, sizeof x.item, "%s: F2/F1 when the cable runs", name);
    add_row(r, &x, t[i]);
  }
}

/* Without weight, and with other lengths of what hangs. */
static void length_rows(reproduction *r) {
  static const struct {
    int elements;
    double reference;
  } weightless[] = {{40, 2.120}, {160, 2.132}};
  for (int i = 0; i < COUNT(weightless); i++) {
    const trial *t = trial_run(r, CAPSTAN,
                               "gravity=0; cables.rope.elements=%d; cables.rope.path.1=hang 1 m; "
                               "cables.rope.path.3=hang 1 m",
                               weightless[i].elements);
    row x = {
        .published = NAN,
        .reference = weightless[i].reference,
        .computed = slip_ratio(t, 0),
        .unit = "1",
        .by = ABSOLUTE,
        .tolerance = 0.002,
        .source = source_run,
        .note =
            i == 0
                ? "The reference does not say how much cable hangs on each side; without weight it matters "
                  "only as to where the nodes fall. With 1 m both its numbers come out."
                : NULL};
    snprintf(x.item, sizeof x.item, "Quinn, g = 0, %d elements: F2/F1 at slip (formula %.3f)",
             weightless[i].elements, corrected(1, 0, 0));
    add_row(r, &x, t);
  }
  /* the cable shifted by parts of an element */
  enum { SHIFTS = 6 };
  double sum = 0, least = INFINITY, most = 0;
  const trial *t = NULL;
  for (int i = 0; i < SHIFTS; i++) {
    double shift = 0.02 * i;
    t = trial_run(r, CAPSTAN, "gravity=0; cables.rope.path.1=hang %g m; cables.rope.path.3=hang %g m",
                  2 + shift, 2 - shift);
    double ratio = slip_ratio(t, 0);
    sum += ratio / SHIFTS;
    least = fmin(least, ratio);
    most = fmax(most, ratio);
  }
  static const char shifted[] = "Six runs with the cable moved along by 20 mm each, an element in all: a "
                                "node may lie anywhere between where "
                                "the cable lifts off and the next. The mean is that of a contact which is "
                                "everywhere; what is allowed is the "
                                "2 % of the reference for contact at nodes.";
  row x = {.item = "Quinn, g = 0, 40 elements: F2/F1 at slip, mean over where the nodes fall",
           .published = NAN,
           .reference = corrected(1, 0, 0),
           .computed = sum,
           .unit = "1",
           .by = RELATIVE,
           .tolerance = 0.02,
           .source = source_formula,
           .note = shifted};
  add_row(r, &x, t);
  row y = {
      .item = "the same: largest less smallest, relative to the formula",
      .published = NAN,
      .reference = 0.02,
      .computed = (most - least) / corrected(1, 0, 0),
      .unit = "1",
      .by = AT_LEAST,
      .source = "2 % by contact at nodes, as the reference has it",
      .note =
          "A warning, not a success: with 40 elements on 4.8 m, six or seven of them on the drum, where the "
          "nodes happen to fall matters more than the differences between neighbouring rows of Table II."};
  add_row(r, &y, t);
  t = trial_run(r, CAPSTAN,
                "gravity=0; cables.rope.elements=160; cables.rope.contact.at=quadrature; "
                "cables.rope.contact.normal.stiffness=1e9");
  row z = {
      .item = "Quinn, g = 0, 160 elements, contact at two points of each element: F2/F1 at slip",
      .published = NAN,
      .reference = corrected(1, 0, 0),
      .computed = slip_ratio(t, 0),
      .unit = "1",
      .by = RELATIVE,
      .tolerance = 0.005,
      .source = source_formula,
      .note =
          "The formula takes the moment EI/R to appear at once where the cable touches; the reference has "
          "0.3 % with 160 elements."};
  add_row(r, &z, t);
  static const double hangs[] = {0.5, 1, 4};
  for (int i = 0; i < COUNT(hangs); i++) {
    /* elements as long as with 2 m */
    int elements = (int)round((2 * hangs[i] + PI * RADIUS) / (4 + PI * RADIUS) * 40);
    t = trial_run(r, CAPSTAN,
                  "cables.rope.elements=%d; cables.rope.path.1=hang %g m; cables.rope.path.3=hang %g m",
                  elements, hangs[i], hangs[i]);
    row h = {
        .published = NAN,
        .reference = corrected(1, hangs[i], G),
        .computed = slip_ratio(t, 0),
        .unit = "1",
        .by = RELATIVE,
        .tolerance = 0.03,
        .source = source_formula,
        .note = i == 0 ? "What the length changes, which the paper does not give: the weight of what hangs. "
                         "Where the nodes fall differs as well; allowed are 2 % for that, and 1 % for the "
                         "ramp's end of elements that are not quite as long."
                       : NULL};
    snprintf(h.item, sizeof h.item, "Quinn, %g m on each side: F2/F1 at slip", hangs[i]);
    add_row(r, &h, t);
  }
}

static void capstan_figure(reproduction *r) {
  figure *f = add_drawing(
      r, "westin-capstan", "Westin and Irani, scenario I: a cable over a fixed drum begins to slip",
      "Left: F2/F1 at slip for Quinn (alpha = 1) and CDQ. Right: how fast the slowest contact point "
      "slides as F2/F1 grows. CDQ creeps long before Quinn lets go.");
  if (!f) return;
  char law[120], name[40];
  panel *p = figure_panel(f, "a) slip");
  axis_set(&p->x, "alpha", "1");
  axis_set(&p->y, "F2/F1 at slip", "1");
  static const double published[ALPHAS] = {2.24, 2.22, 2.16, 2.08, 1.80, 1.52};
  series *s = panel_series(p, "computed");
  s->mark = MARK_DOT;
  for (int i = 0; i < ALPHAS; i++) {
    law_setting(law, sizeof law, alphas[i]);
    series_add(s, alphas[i], slip_ratio(trial_run(r, CAPSTAN, "%s", law), 0));
  }
  s = panel_series(p, "published");
  s->mark = MARK_CROSS;
  s->line = LINE_NONE;
  for (int i = 0; i < ALPHAS; i++) series_add(s, alphas[i], published[i]);
  s = panel_series(p, "exp(alpha mu pi)");
  s->line = LINE_DOTTED;
  for (double a = 0.5; a < 1.001; a += 0.05) series_add(s, a, exp(a * MU * PI));
  s = panel_series(p, "with weight and bending");
  s->line = LINE_DASHED;
  for (double a = 0.5; a < 1.001; a += 0.05) series_add(s, a, corrected(a, 2, G));
  p = figure_panel(f, "b) creep");
  axis_set(&p->x, "F2/F1", "1");
  axis_set(&p->y, "slowest sliding", "m/s");
  p->y.log = 1;
  p->y.lo = 1e-7;
  p->y.hi = 1e-2;
  static const int shown[] = {0, 2, 4, 5};
  for (int i = 0; i < COUNT(shown); i++) {
    law_setting(law, sizeof law, alphas[shown[i]]);
    law_name(name, sizeof name, alphas[shown[i]]);
    const trial *t = trial_run(r, CAPSTAN, "%s", law);
    int n = 0;
    const double *state = field_of(t, "contact.state", &n), *slip = field_of(t, "contact.slip", &n);
    s = panel_series(p, name);
    for (long k = 0; state && slip && k < cps_result_frames(t->result); k += 4) {
      double slowest = INFINITY;
      for (int j = 0; j < n; j++)
        if (state[k * n + j] > 0) slowest = fmin(slowest, fabs(slip[k * n + j]));
      if (slowest > 1e-7 && slowest < 1e-2)
        series_add(s, 1 + GROWTH * cps_result_frame_times(t->result)[k], slowest);
    }
  }
}

static void capstan_more(reproduction *r) {
  ratio_rows(r);
  length_rows(r);
  capstan_figure(r);
}

/* ---------------------------------------------------------------- scenario I: contact forces */

/* Contact forces at the moment of slip. */
typedef struct distribution {
  const trial *t;
  long frame;
  int n;                                         /* points that touch */
  double angle[400], normal[400], friction[400]; /* [rad], and per length [N/m] */
  double noise; /* root mean square of normal over ideal less 1, lift-off included */
} distribution;

/* Tension at an angle from where the cable with F1 touches, when all of it slips: the capstan formula. */
static double ideal_tension(double angle) {
  double bend = EI / (2 * RADIUS * RADIUS);
  return (F1 + 2 * RHO * G - bend) * exp(MU * angle);
}

static void distribute(reproduction *r, distribution *d, int elements, const char *contact) {
  const trial *t = trial_run(r, CAPSTAN, "cables.rope.elements=%d%s", elements, contact);
  int points = 0, nodes = 0;
  const double *s = field_of(t, "contact.s", &points), *normal = field_of(t, "contact.normal", &points),
               *friction = field_of(t, "contact.friction", &points), *node = field_of(t, "s", &nodes);
  memset(d, 0, sizeof *d);
  d->t = t;
  d->frame = slip_frame(t, 0);
  if (d->frame < 0 || !s || !normal || !friction || !node || nodes < 2) return;
  double per = node[1] - node[0], sum = 0;
  if (points >= 2 * (nodes - 1)) per /= 2; /* two points of equal weight in each element */
  for (int i = 0; i < points && d->n < COUNT(d->angle); i++) {
    long at = d->frame * points + i;
    if (!(normal[at] > 0)) continue;
    d->angle[d->n] = (s[i] - 2) / RADIUS;
    d->normal[d->n] = normal[at] / per;
    d->friction[d->n] = fabs(friction[at]) / per;
    double off = d->normal[d->n] * RADIUS / ideal_tension(d->angle[d->n]) - 1;
    sum += off * off;
    d->n++;
  }
  d->noise = sqrt(sum / d->n);
}

/* The value of a column at a frame (frames and rows are recorded together). */
static double column_at(const trial *t, const char *column, long frame) {
  long rows = 0;
  const double *x = column_of(t, column, &rows);
  return x && frame >= 0 && frame < rows ? x[frame] : NAN;
}

/* Moment of all but the drum about its centre: ends, and weight lumped at the nodes. */
static double moment_of_loads(const distribution *d, double f2) {
  int nodes = 0;
  const double *s = field_of(d->t, "s", &nodes), *r = field_of(d->t, "position", &nodes);
  if (!s || !r || d->frame < 0) return NAN;
  r += d->frame * nodes * 2;
  double sum = -F1 * r[0] - f2 * r[2 * (nodes - 1)];
  for (int i = 0; i < nodes; i++) {
    double length = (i > 0 ? s[i] - s[i - 1] : 0) / 2 + (i + 1 < nodes ? s[i + 1] - s[i] : 0) / 2;
    sum -= RHO * G * length * r[2 * i];
  }
  return sum;
}

/* Moment of the friction at the nodes, which lie a little inside the rim. */
static double moment_of_friction(const distribution *d) {
  int points = 0, nodes = 0;
  const double *f = field_of(d->t, "contact.friction", &points), *r = field_of(d->t, "position", &nodes);
  if (!f || !r || d->frame < 0) return NAN;
  f += d->frame * points;
  r += d->frame * nodes * 2;
  double sum = 0;
  for (int i = 0; i < points; i++) sum += f[i] * hypot(r[2 * i], r[2 * i + 1]);
  return sum;
}

static void balance_rows(reproduction *r, const distribution *d, const char *name, int nodal) {
  double f2 = F1 * slip_ratio(d->t, 0), weight = RHO * G * (4 + PI * RADIUS);
  row x = {
      .published = NAN,
      .reference = F1 + f2 + weight,
      .computed = -column_at(d->t, "drums.drum.fy", d->frame),
      .unit = "N",
      .by = RELATIVE,
      .tolerance = 1e-4,
      .source = "balance of forces",
      .note = "Balances hold to the inertia of a cable that begins to slip; what is allowed is the 0.01 % by "
              "which F2 grows in two output intervals."};
  snprintf(x.item, sizeof x.item, "%s: force of the cable on the drum, downwards", name);
  add_row(r, &x, d->t);
  if (!nodal) return;
  row y = {
      .published = NAN,
      .reference = -moment_of_loads(d, f2),
      .computed = moment_of_friction(d),
      .unit = "N m",
      .by = RELATIVE,
      .tolerance = 1e-3,
      .source = "balance of moments",
      .note =
          "Friction acts at the nodes, 0.3 mm inside the rim; the weight is lumped at the nodes here, which "
          "explains the part in a thousand that is allowed."};
  snprintf(y.item, sizeof y.item, "%s: moment of the friction about the centre", name);
  add_row(r, &y, d->t);
}

enum { MESHES = 5 };
static const struct {
  int elements;
  const char *contact, *name;
} meshes[MESHES] = {
    {20, "", "20 elements, nodes"},
    {40, "", "40 elements, nodes"},
    {60, "", "60 elements, nodes"},
    {40, "; cables.rope.contact.at=quadrature; cables.rope.contact.normal.stiffness=1e9",
     "40 elements, quadrature"},
    {60, "; cables.rope.contact.at=quadrature; cables.rope.contact.normal.stiffness=1e9",
     "60 elements, quadrature"},
};

static void contact_figure(reproduction *r, const distribution *d) {
  figure *f = add_drawing(
      r, "westin-5", "Westin and Irani, Fig. 5: contact force along the drum",
      "Normal force per length over the contact angle, at the moment of slip (Quinn), F1 on the left. The "
      "dashed line "
      "is the capstan formula, T/R. Contact at nodes swings about it, most where the cable lifts off; two "
      "contact points "
      "in each element follow it more closely, but near lift-off, where bending matters.");
  if (!f) return;
  static const chart_mark marks[] = {MARK_SQUARE, MARK_RING, MARK_DOT};
  for (int half = 0; half < 3; half++) {
    static const char *const titles[] = {"a) normal force, nodes", "b) normal force, two points per element",
                                         "c) friction force, nodes"};
    panel *p = figure_panel(f, titles[half]);
    axis_set(&p->x, "contact angle", "deg");
    axis_set(&p->y, half == 2 ? "friction per length" : "normal force per length", "N/m");
    int from = half == 1 ? 3 : 0, to = half == 1 ? 5 : 3;
    for (int i = from; i < to; i++) {
      char name[40];
      snprintf(name, sizeof name, "%d elements", meshes[i].elements);
      series *s = panel_series(p, name);
      s->mark = marks[i % 3];
      for (int k = 0; k < d[i].n; k++)
        series_add(s, d[i].angle[k] * 180 / PI, half == 2 ? d[i].friction[k] : d[i].normal[k]);
    }
    series *s = panel_series(p, "capstan formula");
    s->line = LINE_DASHED;
    s->colour = 6;
    for (int k = 0; k <= 36; k++)
      series_add(s, 5 * k, ideal_tension(k * PI / 36) / RADIUS * (half == 2 ? MU : 1));
  }
}

/* The smallest and the largest normal force per angle of the pulley at the start, next to lift-off or not. */
static void noise_rows(reproduction *r) {
  const trial *t = trial_run(r, PULLEY, "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}");
  int points = 0, nodes = 0;
  const double *normal = field_of(t, "contact.normal", &points), *s = field_of(t, "s", &nodes);
  double least = INFINITY, most = 0;
  long frames = t->result ? cps_result_frames(t->result) : 0;
  for (long k = 0; normal && s && k < frames; k++) {
    int first = 0, last = points - 1;
    const double *n = normal + k * points;
    while (first < points && !(n[first] > 0)) first++;
    while (last > first && !(n[last] > 0)) last--;
    for (int i = first; i <= last; i++) {
      double per_angle = n[i] * RADIUS / (s[1] - s[0]);
      if (i > first && i < last) least = fmin(least, per_angle);
      most = fmax(most, per_angle);
    }
  }
  row x = {.item = "motorised pulley, 40 elements, nodes: largest normal force per angle in 10 s",
           .published = NAN,
           .reference = 206,
           .computed = most,
           .unit = "N",
           .by = RELATIVE,
           .tolerance = 0.1,
           .source = source_run,
           .note = "The ideal is T = 98 N, and the reference has 32 ... 206 N, without saying when. What is "
                   "allowed is "
                   "10 %: the force at a node changes that fast as it approaches the place of lift-off."};
  add_row(r, &x, t);
}

static void contact_more(reproduction *r) {
  distribution *d = calloc(MESHES, sizeof *d);
  if (!d) return;
  for (int i = 0; i < MESHES; i++) {
    distribute(r, &d[i], meshes[i].elements, meshes[i].contact);
    balance_rows(r, &d[i], meshes[i].name, i < 3);
  }
  static const struct {
    int finer, coarser;
    const char *text, *source, *note;
  } pairs[] = {
      {1, 0, "40 elements: swing about the ideal T/R, not above that of 20", source_paper,
       "Root mean square of N R/T - 1 over the contact points, with T of the capstan formula. \"As the "
       "number of elements "
       "increases, the amplitude of the variations diminishes\"."},
      {2, 1, "60 elements: swing about the ideal T/R, not above that of 40", source_paper, NULL},
      {3, 1, "40 elements, two points in each: swing, not above that at nodes",
       "design of contact at Gauss points", NULL},
      {4, 2, "60 elements, two points in each: swing, not above that at nodes",
       "design of contact at Gauss points", NULL},
  };
  for (int i = 0; i < COUNT(pairs); i++) {
    row x = {.published = NAN,
             .reference = d[pairs[i].coarser].noise,
             .computed = d[pairs[i].finer].noise,
             .unit = "1",
             .by = AT_MOST,
             .source = pairs[i].source,
             .note = pairs[i].note};
    snprintf(x.item, sizeof x.item, "%s", pairs[i].text);
    add_row(r, &x, d[pairs[i].finer].t);
  }
  noise_rows(r);
  contact_figure(r, d);
  free(d);
}

/* ---------------------------------------------------------------- scenario II */

static double displacement(const trial *t, const char *body) {
  char column[60];
  long n = 0;
  snprintf(column, sizeof column, "bodies.%s.y", body);
  const double *y = column_of(t, column, &n);
  return y && n > 1 && t->complete ? y[n - 1] - y[0] : NAN;
}

/* Root mean square of what two runs differ in the displacements of both loads. */
static double rms(const trial *a, const trial *b) {
  static const char *const columns[] = {"bodies.left.y", "bodies.right.y"};
  double sum = 0, count = 0;
  for (int c = 0; c < COUNT(columns); c++) {
    long n = 0, m = 0;
    const double *x = column_of(a, columns[c], &n), *y = column_of(b, columns[c], &m);
    if (!x || !y || n != m) return NAN;
    for (long i = 0; i < n; i++) {
      double off = (x[i] - x[0]) - (y[i] - y[0]);
      sum += off * off;
    }
    count += (double)n;
  }
  return sqrt(sum / count);
}

/* A run of the pulley with a law and a solver; NULL if that solver does not run cables. */
static const trial *pulley(reproduction *r, double alpha, const char *solver) {
  char law[120];
  law_setting(law, sizeof law, alpha);
  const trial *t = trial_run(r, PULLEY, "%s; run.solver=%s", law, solver);
  return t->complete || !strstr(t->error, "cannot run cables") ? t : NULL;
}

static void displacement_rows(reproduction *r) {
  static const struct {
    const char *body, *text;
    double reference;
  } loads[] = {{"right", "Quinn: displacement of the load that rises, at 10 s", 0.196288},
               {"left", "Quinn: displacement of the load that sinks, at 10 s", -0.196218}};
  const trial *t = pulley(r, 1, "alpha");
  for (int i = 0; i < COUNT(loads); i++) {
    row x = {
        .published = NAN,
        .reference = loads[i].reference,
        .computed = displacement(t, loads[i].body),
        .unit = "m",
        .by = ABSOLUTE,
        .tolerance = 2.6e-6,
        .source = source_run,
        .note =
            i == 0 ? "The reference used five points of axial quadrature, as the paper does; with three, the "
                     "default, the load that rises comes 0.1 mm less far. What is allowed is what two laws "
                     "differ by in the reference itself, 2.6e-6 m: the answer knows how friction started."
                   : NULL};
    snprintf(x.item, sizeof x.item, "%s", loads[i].text);
    add_row(r, &x, t);
  }
}

static void rms_rows(reproduction *r) {
  static const double published[ALPHAS] = {NAN, 2.30e-5, 3.82e-5, 5.74e-5, 7.94e-5, 1.64e-4};
  static const double reference[ALPHAS] = {NAN, 6e-8, NAN, NAN, NAN, 2.6e-6};
  const trial *quinn = pulley(r, 1, "alpha");
  double before = 0;
  for (int i = 1; i < ALPHAS; i++) {
    const trial *t = pulley(r, alphas[i], "alpha");
    int known = !isnan(reference[i]);
    row x = {
        .published = published[i],
        .reference = known ? reference[i] : before,
        .computed = rms(t, quinn),
        .unit = "m",
        .by = known ? RELATIVE : AT_LEAST,
        .tolerance = 0.5,
        .source = source_run,
        .note =
            i == 1 ? "Over both loads and 10 s. The paper's masses are not known, nor its tolerances: "
                     "ode15s at its default of 1e-3 would explain the published numbers. The "
                     "reference gives the ends of the range and not which load; the two differ by a "
                     "factor of 1.5, which is what is allowed."
            : i == 2
                ? "The reference gives the ends of the range; in between, more than with the larger alpha."
                : NULL};
    snprintf(x.item, sizeof x.item, "CDQ alpha %.2f: RMS difference from Quinn", alphas[i]);
    add_row(r, &x, t);
    before = x.computed;
  }
}

static double newton_of(const trial *t) {
  cps_counters n = {0};
  if (t->result) cps_result_counters(t->result, &n);
  return (double)n.newton;
}

static double steps_of(const trial *t) {
  cps_counters n = {0};
  if (t->result) cps_result_counters(t->result, &n);
  return (double)n.steps;
}

static const char cost_note[] =
    "Counted in Newton iterations, not in seconds. The paper's times for Quinn over CDQ are 4.5 to 18.8, "
    "with ode15s. What "
    "is compared with is the smallest of them: here CDQ does not pay like that. Generalised-alpha solves for "
    "the "
    "friction forces together with the motion, and a clamp is then no harder than a parabola: CDQ needs more "
    "iterations than Quinn, not fewer, because at alpha it has a double root, to which Newton's method comes "
    "linearly.";

static void cost_rows(reproduction *r) {
  static const double published[ALPHAS] = {
      NAN, 22804.0 / 5029, 22804.0 / 1938, 22804.0 / 1741, 22804.0 / 1428, 22804.0 / 1216};
  static const char *const solvers[] = {"alpha", "bdf"};
  for (int k = 0; k < COUNT(solvers); k++) {
    const trial *quinn = pulley(r, 1, solvers[k]);
    if (!quinn) continue; /* not for cables */
    row s = {.published = NAN,
             .reference = k == 0 ? 2000 : 7.6e3,
             .computed = steps_of(quinn),
             .unit = "1",
             .by = AT_MOST,
             .source = source_run,
             .note = k == 0 ? "The reference needed 500 to 2000 steps by generalised-alpha (h = 20 to 5 ms)."
                            : "The reference needed 7.6e3 steps by backward differentiation of order 2."};
    snprintf(s.item, sizeof s.item, "%s, Quinn: steps for 10 s", solvers[k]);
    add_row(r, &s, quinn);
    for (int i = 1; i < ALPHAS; i++) {
      const trial *t = pulley(r, alphas[i], solvers[k]);
      row x = {
          .published = published[i],
          .reference = k == 0 ? 1.3 : published[ALPHAS - 1],
          .computed = newton_of(quinn) / newton_of(t),
          .unit = "1",
          .by = AT_MOST,
          .source = k == 0 ? "the Quinn law within 1.3 of CDQ, which is what this solver is for"
                           : source_paper,
          .note =
              k == 0
                  ? cost_note
                  : "With backward differentiation the kinks of Quinn's law cost steps, as in the paper; no "
                    "more than in the paper is expected."};
      snprintf(x.item, sizeof x.item, "%s: cost of Quinn over CDQ alpha %.2f", solvers[k], alphas[i]);
      add_row(r, &x, t);
    }
  }
}

/* What the paper leaves open, varied one at a time. */
static void open_rows(reproduction *r) {
  static const struct {
    const char *text, *settings;
  } open[] = {
      {"as chosen: 10 kg, c = 10 N s, kp 400, kd 40, 1 m", ""},
      {"5 kg", "; bodies.left.mass=5; bodies.right.mass=5"},
      {"50 kg", "; bodies.left.mass=50; bodies.right.mass=50"},
      {"c = 0", "; cables.rope.damping.rayleigh=0"},
      {"c = 100 N s", "; cables.rope.damping.rayleigh=100"},
      {"kp 100, kd 20", "; drums.pulley.drive.pd.kp=100; drums.pulley.drive.pd.kd=20"},
      {"0.5 m on each side", "; cables.rope.path.1=hang 0.5 m; cables.rope.path.3=hang 0.5 m"},
      {"2 m on each side", "; cables.rope.path.1=hang 2 m; cables.rope.path.3=hang 2 m"},
      {"three points of axial quadrature", "; cables.rope.quadrature.axial=3"},
  };
  for (int i = 0; i < COUNT(open); i++) {
    const trial *t = trial_run(
        r, PULLEY, "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}%s", open[i].settings);
    row x = {
        .published = NAN,
        .reference = PI / 4 * RADIUS,
        .computed = displacement(t, "right"),
        .unit = "m",
        .by = ABSOLUTE,
        .tolerance = 4e-4,
        .source = source_closed,
        .note = i == 0 ? "What the open parameters change, against R pi/4 of a cable that neither slips nor "
                         "stretches. Allowed are the 0.4 mm by which, according to the reference, contact at "
                         "nodes moves the load; all of them together move it less than that."
                       : NULL};
    snprintf(x.item, sizeof x.item, "Quinn, %s: displacement of the load that rises", open[i].text);
    add_row(r, &x, t);
  }
}

static void pulley_figure(reproduction *r) {
  figure *f = add_drawing(
      r, "westin-6", "Westin and Irani, Fig. 6: a motorised pulley lifts a load",
      "Left: displacement of the load that rises, for Quinn and CDQ with alpha = 0.90, which cannot be "
      "told apart. Right: by how much CDQ differs from Quinn.");
  if (!f) return;
  const trial *quinn = pulley(r, 1, "alpha");
  long n = 0;
  const double *t = column_of(quinn, "time", &n), *q = column_of(quinn, "bodies.right.y", &n);
  panel *p = figure_panel(f, "a) displacement");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "displacement", "m");
  for (int i = 0; i < 2; i++) {
    const double *y = column_of(pulley(r, i ? 0.90 : 1, "alpha"), "bodies.right.y", &n);
    series *s = panel_series(p, i ? "CDQ alpha 0.90" : "Quinn");
    s->line = i ? LINE_DASHED : LINE_SOLID;
    for (long k = 0; t && y && k < n; k += 5) series_add(s, t[k], y[k] - y[0]);
  }
  p = figure_panel(f, "b) CDQ less Quinn");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "difference", "m");
  for (int i = 1; i < ALPHAS; i++) {
    char name[40];
    law_name(name, sizeof name, alphas[i]);
    const double *y = column_of(pulley(r, alphas[i], "alpha"), "bodies.right.y", &n);
    series *s = panel_series(p, name);
    for (long k = 0; t && y && q && k < n; k += 5) series_add(s, t[k], (y[k] - y[0]) - (q[k] - q[0]));
  }
}

static void pulley_more(reproduction *r) {
  displacement_rows(r);
  rms_rows(r);
  cost_rows(r);
  open_rows(r);
  pulley_figure(r);
}

/* ---------------------------------------------------------------- studies */

const study westin_studies[] = {
    {"westin.capstan", PAPER, "A cable over a fixed drum, scenario I",
     "A cable is held on one side by F1 = 98.1 N and pulled on the other by F2, which grows by 0.02 F1 per "
     "second from "
     "F1 on, until it slips: 40 elements, contact at nodes.",
     0, NULL, capstan_more},
    {"westin.contact-distribution", PAPER, "Contact forces along the drum, scenario I, Fig. 5",
     "Where the cable presses on the drum, and how much, at the moment of slip with the Quinn law.", 0, NULL,
     contact_more},
    {"westin.pulley", PAPER, "A motorised pulley, scenario II",
     "A pulley turned by a controller through 45 degrees in 10 s lifts one load and lowers the other. The "
     "paper leaves "
     "open the length of the cable, the masses, the gains, the damping and the number of elements; what "
     "is chosen stands in the scenario file.",
     0, NULL, pulley_more},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL}};
