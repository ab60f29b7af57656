/* curves.c - the panels that show what a model does: which curves, over which range.
 *
 * Ranges come from the model's own scales, so that a new law is drawn well without being named here:
 *
 *   every law          force against velocity; with memory, the force that it settles to
 *   needs f_eq         force against f_eq at several velocities (Westin, Fig. 1)
 *   has a deflection   force over a slow cycle of displacement, and where the force is not linear in the
 *                      deflection, friction against it at several velocities (Schuderer, Fig. 3)
 *   other memory       force after steps of the velocity (Ruina)
 */
#include "cli.h"
#include "drive.h"
#include "models.h"
#include "sample.h"

#include <math.h>
#include <string.h>

#define FORCE "friction force f on the body"

/* A law at a point of which one coordinate is to be varied. */
typedef struct probe {
  const cps_law *law;
  const double *p;
  double v, n, f_eq, z;
} probe;

static double force_at(const probe *q) {
  double z[CPS_MAX_STATES] = {q->z};
  cps_law_input in = {.v = q->v, .n = q->n, .f_eq = q->f_eq, .z = z, .mode = CPS_MODE_FREE};
  cps_law_output out;
  cps_law_eval(q->law, q->p, &in, &out, NULL);
  return out.f;
}

static double over_v(const void *context, double v) {
  probe q = *(const probe *)context;
  q.v = v;
  return force_at(&q);
}

static double over_f_eq(const void *context, double f_eq) {
  probe q = *(const probe *)context;
  q.f_eq = f_eq;
  return force_at(&q);
}

/* The friction coefficient, positive when it holds a positive deflection. */
static double mu_over_z(const void *context, double z) {
  probe q = *(const probe *)context;
  q.z = z;
  return -force_at(&q) / q.n;
}

/* ---------------------------------------------------------------- ranges */

/* Magnitudes by which a law is drawn, all positive and finite. */
typedef struct ranges {
  double v;      /* shown velocities are -v .. v */
  double band;   /* velocity of interest near rest */
  double f;      /* static force */
  double length; /* displacement over which memory forgets; 0 if there is no such length */
  int deflects;  /* a state is a displacement */
} ranges;

static double positive_or(double x, double otherwise) { return x > 0 && isfinite(x) ? x : otherwise; }

static ranges find_ranges(const cps_law *law, const double *p, double n) {
  cps_law_scale s;
  cps_law_scales(law, p, n, &s);
  ranges r = {0};
  r.band = positive_or(s.v_band, positive_or(s.v_scale, 1));
  r.v = 4 * fmax(r.band, positive_or(s.v_scale, 0));
  r.f = positive_or(s.f_stick, positive_or(s.f_peak, n));
  for (int i = 0; i < law->n_states; i++) {
    if (strcmp(law->states[i].unit, "m") != 0) continue;
    r.deflects = 1;
    r.length = fmax(r.length, positive_or(s.z[i], 0));
  }
  for (int i = 0; r.length == 0 && i < law->n_params; i++)
    if (strcmp(law->params[i].unit, "m") == 0) r.length = positive_or(p[i], 0);
  return r;
}

/* ---------------------------------------------------------------- laws without memory */

static void label_quantity(char *text, size_t size, const char *name, double value, const char *unit) {
  char number[48];
  quantity_text(number, sizeof number, value, unit);
  snprintf(text, size, "%s = %s", name, number);
}

/* Coulomb's picture: the sliding branches, and the forces possible at rest as a vertical line. */
static void add_rest(panel *g, const ranges *r) {
  g->series[0].label[0] = 0;
  snprintf(g->series[0].label, sizeof g->series[0].label, "sliding");
  series *s = panel_series(g, "at rest: f = f_{eq}");
  series_add(s, 0, -r->f);
  series_add(s, 0, r->f);
}

/* Force against velocity; for laws that use it, at several f_eq. */
static void add_velocity_panel(figure *fig, const probe *at, const ranges *r) {
  static const double parts[] = {0, 0.5, 1.5}; /* of the static force */
  panel *g = figure_panel(fig, "Force against velocity");
  axis_set(&g->x, "velocity v", "m/s");
  axis_set(&g->y, FORCE, "N");
  const double nodes[] = {-r->v, -r->band, 0, r->band, r->v};
  int needs = (at->law->traits & CPS_NEEDS_FEQ) != 0, same = 1;
  probe q = *at;
  for (int i = 0; i < (needs ? 3 : 1); i++) {
    char label[80] = "";
    q.f_eq = parts[i] * r->f;
    if (needs) label_quantity(label, sizeof label, "f_{eq}", q.f_eq, "N");
    sample_curve(panel_series(g, label), over_v, &q, nodes, 5);
    if (i > 0 && !curves_agree(over_v, at, &q, -r->v, r->v)) same = 0;
  }
  if (!needs || !same) return;
  while (g->n_series > 0) panel_drop(g);
  const double outside[] = {-r->v, -1e-9 * r->v};
  series *s = panel_series(g, "sliding");
  sample_curve(s, over_v, at, outside, 2);
  series_break(s);
  const double ahead[] = {1e-9 * r->v, r->v};
  sample_curve(s, over_v, at, ahead, 2);
  add_rest(g, r);
}

/* Force against the balance force at several velocities, rest in bold. */
static void add_balance_panel(figure *fig, const probe *at, const ranges *r) {
  static const double parts[] = {0, 0.5, 1.5, -0.5, -1.5}; /* of the band: rest, inside, outside */
  panel *g = figure_panel(fig, "Force against balance force");
  axis_set(&g->x, "balance force f_{eq}", "N");
  axis_set(&g->y, FORCE, "N");
  double most = 1.8 * r->f;
  const double nodes[] = {-most, -r->f, 0, r->f, most};
  probe shown[5];
  int n = 0;
  for (int i = 0; i < 5; i++) {
    probe q = *at;
    q.v = parts[i] * r->band;
    int known = 0;
    for (int k = 0; k < n; k++) known |= curves_agree(over_f_eq, &shown[k], &q, -most, most);
    if (known) continue;
    shown[n++] = q;
    char label[80];
    label_quantity(label, sizeof label, "v", q.v, "m/s");
    series *s = panel_series(g, label);
    if (i == 0) s->width = 1.5;
    sample_curve(s, over_f_eq, &q, nodes, 5);
  }
}

/* ---------------------------------------------------------------- laws with memory */

/* Whether a law works in decades of velocity: its friction changes much less per factor than per difference.
 */
static int works_in_decades(const cps_law *law, const ranges *r) { return law->n_states && !r->deflects; }

/* The force that the law settles to at constant velocity. */
static void add_steady_panel(figure *fig, const probe *at, const ranges *r) {
  enum { POINTS = 120 };
  panel *g = figure_panel(fig, "Steady sliding");
  axis_set(&g->x, "velocity v", "m/s");
  axis_set(&g->y, FORCE, "N");
  g->x.log = works_in_decades(at->law, r);
  series *s = panel_series(g, "");
  double length = positive_or(r->length, r->v);
  for (int i = 0; i <= POINTS; i++) {
    double u = (double)i / POINTS;
    /* Closer points near rest, where the curve bends most. */
    double x = 2 * u - 1, v = g->x.log ? r->band * pow(10, 8 * u - 4) : r->v * x * fabs(x);
    if (v == 0) {
      series_break(s);
      continue;
    }
    driver d = drive_start(at->law, at->p, at->n);
    series_add(s, v, drive_steady(&d, v, length));
  }
}

/* Force against displacement x = amplitude sin(phase), from rest through one and a quarter cycles. */
static void add_cycle(panel *g, const probe *at, const ranges *r, double amplitude, const char *label) {
  enum { STEPS = 2400 };
  series *s = panel_series(g, label);
  driver d = drive_start(at->law, at->p, at->n);
  /* Slow against the law's own velocity, and slow enough that damping adds nothing that can be seen. */
  double fastest = fmin(0.002 * r->band, r->length), pi = acos(-1.0);
  double h = 2.5 * pi / STEPS * amplitude / fastest, x = 0;
  for (int i = 1; i <= STEPS; i++) {
    double next = amplitude * sin(2.5 * pi * i / STEPS);
    drive_step(&d, (next - x) / h, h, 0.5);
    x = next;
    series_add(s, x, d.f);
  }
}

static void add_hysteresis_panel(figure *fig, const probe *at, const ranges *r) {
  panel *g = figure_panel(fig, "Slow cycles of displacement");
  axis_set(&g->x, "displacement x", "m");
  axis_set(&g->y, FORCE, "N");
  char label[80];
  static const double amplitudes[] = {3, 0.8};
  for (int i = 0; i < 2; i++) {
    label_quantity(label, sizeof label, "amplitude", amplitudes[i] * r->length, "m");
    add_cycle(g, at, r, amplitudes[i] * r->length, label);
  }
}

/* Force over distance when the velocity steps up tenfold and down again. */
static void add_steps_panel(figure *fig, const probe *at, const ranges *r) {
  enum { STEPS = 400 };
  panel *g = figure_panel(fig, "Steps of the velocity");
  axis_set(&g->x, "distance slid", "m");
  axis_set(&g->y, FORCE, "N");
  series *s = panel_series(g, "");
  driver d = drive_start(at->law, at->p, at->n);
  double length = positive_or(r->length, r->v), x = 0;
  series_add(s, 0, drive_steady(&d, r->band, length));
  for (int leg = 0; leg < 3; leg++) {
    double v = leg == 1 ? 10 * r->band : r->band, stretch = (leg == 0 ? 2 : 6) * length;
    double h = stretch / STEPS / v;
    for (int i = 0; i < STEPS; i++) {
      drive_step(&d, v, h, 0.5);
      x += v * h;
      series_add(s, x, d.f);
    }
  }
}

/* Whether the force at rest is a curved function of the deflection: then that curve is worth a panel. */
static int bends_with_deflection(const probe *at, const ranges *r) {
  if (at->law->n_states != 1 || !r->deflects || !(at->n > 0)) return 0;
  probe q = *at;
  double half = mu_over_z(&q, 0.5 * r->length), full = mu_over_z(&q, 0.999 * r->length);
  return fabs(full - 2 * half) > 0.1 * fabs(full);
}

/* Schuderer Fig. 3: friction against displacement at several velocities of the stick region. */
static void add_deflection_panel(figure *fig, const probe *at, const ranges *r) {
  static const double parts[] = {0, 0.1, 0.25, 0.5, 1};
  panel *g = figure_panel(fig, "Stick: friction against deflection");
  char name[80];
  snprintf(name, sizeof name, "state %s", at->law->states[0].name);
  axis_set(&g->x, name, "m");
  axis_set(&g->y, "friction coefficient -f/n", "1");
  double most = 1.5 * r->length;
  const double nodes[] = {-most, -r->length, 0, r->length, most};
  for (int i = 0; i < 5; i++) {
    probe q = *at;
    q.v = parts[i] * r->band;
    char label[80];
    label_quantity(label, sizeof label, "v", q.v, "m/s");
    series *s = panel_series(g, label);
    if (i == 0) s->width = 1.5;
    sample_curve(s, mu_over_z, &q, nodes, 5);
  }
}

static void add_law(figure *fig, const cps_law *law, const double *p, double n) {
  ranges r = find_ranges(law, p, n);
  probe at = {.law = law, .p = p, .n = n};
  if (!law->n_states) add_velocity_panel(fig, &at, &r);
  if (law->n_states) add_steady_panel(fig, &at, &r);
  if (law->traits & CPS_NEEDS_FEQ) add_balance_panel(fig, &at, &r);
  if (r.deflects && r.length > 0)
    add_hysteresis_panel(fig, &at, &r);
  else if (law->n_states)
    add_steps_panel(fig, &at, &r);
  if (bends_with_deflection(&at, &r)) add_deflection_panel(fig, &at, &r);
}

/* ---------------------------------------------------------------- normal contact */

/* A normal law at a rate. */
typedef struct contact_response {
  const cps_normal *law;
  const double *p;
  double rate;
} contact_response;

static double normal_at(const contact_response *t, double depth, double rate) {
  cps_normal_output out;
  cps_normal_eval(t->law, t->p, depth, rate, &out);
  return out.n;
}

static double over_depth(const void *context, double depth) {
  const contact_response *t = (const contact_response *)context;
  return normal_at(t, depth, t->rate);
}

/* The depth at which a law at rest gives the force n. */
static double depth_for(const contact_response *t, double n) {
  double hi = 1e-12;
  while (hi < 1e3 && normal_at(t, hi, 0) < n) hi *= 2;
  double lo = 0;
  for (int i = 0; i < 60; i++) {
    double m = (lo + hi) / 2;
    if (normal_at(t, m, 0) < n)
      lo = m;
    else
      hi = m;
  }
  return hi;
}

/* A rate that changes the force at that depth by a third, so that damping can be seen. */
static double telling_rate(const contact_response *t, double depth) {
  double still = normal_at(t, depth, 0), rate = 1e-9;
  while (rate < 1e6 && normal_at(t, depth, rate) < 1.33 * still) rate *= 1.5;
  if (rate >= 1e6) return 1;
  double unit = pow(10, floor(log10(rate)));
  return unit * round(rate / unit);
}

static void add_normal(figure *fig, const cps_normal *law, const double *p, double n) {
  static const double parts[] = {0, 1, -1};
  contact_response t = {law, p, 0};
  double most = depth_for(&t, n), rate = telling_rate(&t, most);
  const double nodes[] = {-0.15 * most, 0, most};
  panel *g = figure_panel(fig, "Force against depth");
  axis_set(&g->x, "depth", "m");
  axis_set(&g->y, "normal force n", "N");
  for (int i = 0; i < 3; i++) {
    char label[80];
    contact_response still = t;
    t.rate = parts[i] * rate;
    still.rate = 0;
    if (i > 0 && curves_agree(over_depth, &still, &t, 0, most)) continue; /* no damping */
    label_quantity(label, sizeof label, "rate", t.rate, "m/s");
    sample_curve(panel_series(g, label), over_depth, &t, nodes, 3);
  }
  /* An impact that goes in and out along half a sine, entering with that rate. */
  g = figure_panel(fig, "Impact: in and out along half a sine");
  axis_set(&g->x, "depth", "m");
  axis_set(&g->y, "normal force n", "N");
  series *s = panel_series(g, "");
  double pi = acos(-1.0);
  for (int i = 0; i <= 200; i++) {
    double phase = pi * i / 200;
    double depth = i == 200 ? 0 : most * sin(phase);
    series_add(s, depth, normal_at(&t, depth, rate * cos(phase)));
  }
}

/* ---------------------------------------------------------------- capstan */

typedef struct belt {
  double t_in, t_out, mu, angle;
} belt;

static double over_theta(const void *context, double theta) {
  const belt *b = (const belt *)context;
  return cps_wrap_tension(b->t_in, b->t_out, b->mu, b->angle, theta);
}

static double arc_over_ratio(const void *context, double ratio) {
  const belt *b = (const belt *)context;
  cps_wrap w;
  if (cps_wrap_eval(b->t_in, b->t_in * ratio, b->mu, b->angle, &w) != CPS_OK) return NAN;
  return b->t_out > 0 ? w.slip_arc : w.stick_arc;
}

static void add_wrap(figure *fig, const double *p, double tension) {
  double limit = exp(fmin(p[WRAP_MU] * p[WRAP_ANGLE], 600));
  panel *g = figure_panel(fig, "Tension along the drum");
  axis_set(&g->x, "angle from where the cable runs on", "rad");
  axis_set(&g->y, "tension", "N");
  const double nodes[] = {0, p[WRAP_ANGLE]};
  for (int i = 4; i >= 0; i--) {
    double ratio = pow(limit, i / 4.0);
    belt b = {tension, tension * ratio, p[WRAP_MU], p[WRAP_ANGLE]};
    char label[80];
    snprintf(label, sizeof label, i == 4 ? "t_{out}/t_{in} = %.3g, the limit" : "t_{out}/t_{in} = %.3g",
             ratio);
    sample_curve(panel_series(g, label), over_theta, &b, nodes, 2);
  }
  g = figure_panel(fig, "Stick and slip arcs");
  axis_set(&g->x, "tension ratio t_{out}/t_{in}", "1");
  axis_set(&g->y, "arc", "rad");
  const double ratios[] = {1, limit, 1 + 1.3 * (limit - 1)};
  belt b = {tension, 0, p[WRAP_MU], p[WRAP_ANGLE]};
  sample_curve(panel_series(g, "stick arc"), arc_over_ratio, &b, ratios, 3);
  b.t_out = 1;
  sample_curve(panel_series(g, "slip arc"), arc_over_ratio, &b, ratios, 3);
}

/* ---------------------------------------------------------------- any entry */

figure entry_figure(const entry *e, const double *p, double n) {
  figure fig = {0};
  snprintf(fig.title, sizeof fig.title, "%s", e->title);
  char text[80];
  if (e->law)
    label_quantity(fig.subtitle, sizeof fig.subtitle, "n", n, "N");
  else if (!e->normal)
    label_quantity(fig.subtitle, sizeof fig.subtitle, "t_{in}", n, "N");
  for (int i = 0; i < e->n_params; i++) {
    label_quantity(text, sizeof text, e->params[i].name, p[i], e->params[i].unit);
    append(fig.subtitle, sizeof fig.subtitle, "%s%s", *fig.subtitle ? ", " : "", text);
  }
  if (e->law)
    add_law(&fig, e->law, p, n);
  else if (e->normal)
    add_normal(&fig, e->normal, p, n);
  else
    add_wrap(&fig, p, n);
  return fig;
}
