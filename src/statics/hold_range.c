/* hold_range.c - which loads would be held: the range of each load within which statics finds an equilibrium.
 *
 * One load at a time is scaled, all others stay. From an equilibrium the load is raised (or lowered) in steps until
 * there is none, and then bisected; every trial starts from the last equilibrium, so that it costs few iterations.
 *
 * Where one drum lies between two loaded ends, the capstan formula says the same, corrected for the weight W of
 * what hangs beside the drum and for bending, which takes EI/2R^2 off the tension that presses the cable on:
 *
 *   (F2 + W2 - EI/2R^2)/(F1 + W1 - EI/2R^2) = exp(mu phi)
 */
#include "newton.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest and smallest factor that is tried, steps between, and how well a limit is found, or one beyond which the search
 * does not converge. */
static const double MOST = 100, LEAST = 0.01, STRIDE = 1.4, CLOSE = 2e-5, ROUGHLY = 0.02;

/* A cable that slides by more than this part of its length is not held. */
static const double SLIDES = 0.05;

/* ------------------------------------------------------------------ loads */

typedef enum load_kind {
  LOAD_MASS,   /* of a body that is the end of a cable */
  LOAD_BODY,   /* mass of a body of the border */
  LOAD_FORCE,  /* on a free end */
  LOAD_ON_BODY /* a load of the scenario on a body that is the end of a cable */
} load_kind;

typedef struct varied {
  load_kind kind;
  int cable, end, body, load;
  double beside; /* LOAD_MASS: what else the node carries [kg] */
} varied;

static double weighs(const machine *m, const machine_body *y) {
  double most = 0;
  for (int k = 0; k < y->n; k++) {
    double along = 0;
    for (int d = 0; d < m->dim; d++) along += y->along[k][d] * m->gravity[d];
    most = fmax(most, fabs(along));
  }
  return most;
}

static double size_of(const double *v, int dim) {
  double s = 0;
  for (int d = 0; d < dim; d++) s += v[d] * v[d];
  return sqrt(s);
}

/* The i-th load that can be varied; 0 past the end. */
static int find_load(const machine *m, int i, varied *out) {
  const cps_scenario *s = m->of;
  double g = size_of(m->gravity, m->dim);
  for (int k = 0; k < s->n_bodies; k++) {
    if (s->bodies[k].kind == BODY_SURFACE || s->bodies[k].held_until > s->run.from) continue;
    int at = m->body_border[k];
    varied one = {at >= 0 ? LOAD_BODY : LOAD_MASS, m->body_cable[k], m->body_end[k], at, -1, 0};
    if (at < 0)
      one.beside = m->cable[one.cable].mass[one.end == 0 ? 0 : m->cable[one.cable].n] - s->bodies[k].mass;
    if (at >= 0 && m->body[at].apart) continue; /* no cable bears it */
    int heavy = at >= 0 ? weighs(m, &m->body[at]) > 1e-9 * g && g > 0 : g > 0;
    if (heavy && i-- == 0) return *out = one, 1;
    for (int l = 0; l < s->n_loads && at < 0; l++) {
      varied force = {LOAD_ON_BODY, m->body_cable[k], m->body_end[k], k, l, 0};
      if (s->loads[l].body == k && i-- == 0) return *out = force, 1;
    }
  }
  for (int k = 0; k < m->n_cables; k++)
    for (int e = 0; e < 2; e++) {
      varied one = {LOAD_FORCE, k, e, -1, -1, 0};
      const cable *c = &m->cable[k];
      if (c->seam < 0 && !cps_end_is(c->end[e].kind, END_HELD) && size_of(c->load[e], m->dim) > 0 && i-- == 0)
        return *out = one, 1;
    }
  return 0;
}

/* Makes a load `factor` times what the scenario says at time t. */
static void set_load(machine *m, const varied *x, double t, double factor) {
  if (x->kind == LOAD_BODY) {
    m->body[x->body].mass = m->body[x->body].of->mass * factor;
    return;
  }
  cable *c = &m->cable[x->cable];
  int node = x->end == 0 ? 0 : c->n;
  if (x->kind == LOAD_MASS) {
    c->mass[node] = x->beside + m->of->bodies[c->of->end[x->end].body].mass * factor;
    return;
  }
  memset(c->load[x->end], 0, sizeof c->load[x->end]);
  for (int d = 0; d < m->dim && x->kind == LOAD_FORCE; d++)
    if (c->end[x->end].force[d])
      c->load[x->end][d] = factor * cps_profile_now(c->end[x->end].force[d], t, m->inputs).y;
  for (int k = 0; k < m->of->n_loads && x->kind == LOAD_ON_BODY; k++) {
    const scenario_load *l = &m->of->loads[k];
    if (l->body != x->body) continue;
    double f = cps_profile_now(l->force, t, m->inputs).y * (k == x->load ? factor : 1);
    for (int d = 0; d < m->dim; d++) c->load[x->end][d] += f * l->direction[d];
  }
}

static void name_load(const machine *m, const varied *x, double t, cps_hold *h) {
  const cable *c = x->cable >= 0 ? &m->cable[x->cable] : NULL;
  if (x->kind == LOAD_FORCE) {
    snprintf(h->name, sizeof h->name, "cables.%s.%s.force", c->of->name, x->end == 0 ? "start" : "end");
    h->unit = "N";
    h->value = size_of(c->load[x->end], m->dim);
  } else if (x->kind == LOAD_ON_BODY) {
    snprintf(h->name, sizeof h->name, "loads.%s.force", m->of->loads[x->load].name);
    h->unit = "N";
    h->value = cps_profile_now(m->of->loads[x->load].force, t, m->inputs).y;
  } else {
    const scenario_body *b = x->kind == LOAD_BODY ? m->body[x->body].of
                                                  : &m->of->bodies[c->of->end[x->end].body];
    snprintf(h->name, sizeof h->name, "bodies.%s.mass", b->name);
    h->unit = "kg";
    h->value = b->mass;
  }
}

/* ------------------------------------------------------------------ equilibria */

/* What an equilibrium is: places, friction forces, and where springs hold the contacts. */
typedef struct pose {
  size_t n;
  double *x;
} pose;

/* Runs through all numbers of a pose, to take them from the machine or to put them there. */
static size_t exchange(machine *m, double *x, int put) {
  size_t n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < (c->n + 1) * c->b; k++) cps_exchange(&c->q[k], x, &n, put);
    for (int k = 0; k < c->n_points; k++) {
      for (int a = 0; a < AXES; a++) cps_exchange(&c->point[k].f[a], x, &n, put);
      for (int d = 0; d < 3; d++) cps_exchange(&c->start[k][d], x, &n, put);
    }
  }
  for (int k = 0; k < m->nb; k++) cps_exchange(m->free[k].q, x, &n, put);
  for (int k = 0; k < m->n_slides; k++) cps_exchange(&m->slide[k].start, x, &n, put);
  for (int i = 0; i < m->n_drums; i++) {
    cps_exchange(&m->drum[i].start, x, &n, put);
    cps_exchange(&m->drum[i].angle, x, &n, put);
    for (int d = 0; d < 3; d++) cps_exchange(&m->drum[i].start_center[d], x, &n, put);
  }
  if (put) cps_machine_tie(m);
  return n;
}

typedef struct search {
  machine *m;
  const varied *load;
  double t, slides, most; /* largest factor that is tried */
  pose good;
  int lost; /* trials that found neither an equilibrium nor something that runs */
} search;

/* Whether a factor is held, starting from the last one that was; keeps the pose if it is. */
static rest_verdict find_rest(search *s, double factor) {
  exchange(s->m, s->good.x, 1);
  set_load(s->m, s->load, s->t, factor);
  rest_verdict verdict = cps_machine_descend(s->m, s->t, s->slides);
  if (verdict == REST_FOUND) exchange(s->m, s->good.x, 0);
  s->lost += verdict == REST_LOST;
  return verdict;
}

/* The limit beyond `from`, which is held, in the direction of `stride`; whether what lies beyond it is not known. */
static double limit_beyond(search *s, double from, double stride, int *unknown) {
  double good = from, bad = from * stride;
  rest_verdict verdict;
  *unknown = 0;
  while ((verdict = find_rest(s, bad)) == REST_FOUND) {
    good = bad;
    bad *= stride;
    if (bad > s->most) return INFINITY;
    if (bad < LEAST && bad > 0) bad = 0;
    if (good == 0) return 0;
  }
  while (fabs(bad - good) > (verdict == REST_LOST ? ROUGHLY : CLOSE) * fmax(fmax(good, bad), LEAST)) {
    double middle = (good + bad) / 2;
    rest_verdict there = find_rest(s, middle);
    if (there == REST_FOUND) {
      good = middle;
    } else {
      bad = middle;
      verdict = there;
    }
  }
  *unknown = verdict == REST_LOST;
  return good;
}

/* A factor that is held, the nearest to 1 on a grid; 0 if there is none. */
static double any_held(search *s) {
  cps_machine_lay(s->m, s->t);
  exchange(s->m, s->good.x, 0);
  double f = 1;
  for (int i = 0; i <= 20; i++, f *= 1.25) { /* up to about 100 */
    if (find_rest(s, f) == REST_FOUND) return f;
    if (i > 0 && find_rest(s, 1 / f) == REST_FOUND) return 1 / f;
  }
  return 0;
}

/* ------------------------------------------------------------------ the formula */

/* The only drum that a cable touches, with the material coordinates of its first and last point; -1 if there is none
 * or more than one. */
static int only_drum(const cable *c, double *first, double *last) {
  int found = -1;
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    if (p->drum < 0) continue;
    if (found >= 0 && p->drum != found) return -1;
    if (found < 0) *first = p->s;
    found = p->drum;
    *last = p->s;
  }
  return found;
}

/* The angle by which the cable turns about a drum's axis from one end to the other, along its slopes. */
static double turned(const cable *c, const drum *g) {
  double sum = 0;
  for (int k = 0; k < c->n; k++) {
    const double *a = c->q + k * c->b + c->dim, *b = c->q + (k + 1) * c->b + c->dim;
    double across, along = 0;
    if (c->dim == 2) {
      across = g->axis[2] * (a[0] * b[1] - a[1] * b[0]);
    } else {
      across = 0;
      for (int d = 0; d < 3; d++)
        across += g->axis[d] * (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
    }
    for (int d = 0; d < c->dim; d++) along += a[d] * b[d];
    sum += atan2(across, along);
  }
  return fabs(sum);
}

/* The pull of an end's load, and of the weight that hangs beside it; 0 if they do not pull the same way. */
static int pull_of_end(const machine *m, const cable *c, int e, double length, double *f, double *w) {
  int node = e == 0 ? 0 : c->n;
  double pull[3] = {0}, g = size_of(m->gravity, m->dim), down = 0;
  if (cps_end_is(c->end[e].kind, END_HELD) &&
      !(cps_end_is(c->end[e].kind, END_ON_BODY) && c->end[e].body < 0))
    return 0;
  if (c->fixed[node]) return 0;
  for (int d = 0; d < m->dim; d++) {
    pull[d] = c->load[e][d] + c->mass[node] * m->gravity[d];
    down += pull[d] * m->gravity[d];
  }
  *f = size_of(pull, m->dim);
  *w = c->section.rho * length * g;
  return g == 0 || down > (1 - 1e-9) * g * *f;
}

/* What the corrected capstan formula says about the load: pulls of its end. NaN where it does not apply. */
static void formula(machine *m, const varied *x, cps_hold *h) {
  h->formula_least = h->formula_most = NAN;
  if (x->cable < 0 || m->n_cables != 1) return;
  const cable *c = &m->cable[x->cable];
  double first = 0, last = 0, total = cps_machine_span(m), f[2], w[2];
  int at = only_drum(c, &first, &last);
  if (at < 0 || cps_drive_is(m->drum[at].of, DRIVE_RELEASES) || m->drum[at].carrier >= 0 ||
      c->contact.hold < 0)
    return;
  if (!pull_of_end(m, c, 0, first, &f[0], &w[0]) || !pull_of_end(m, c, 1, total - last, &f[1], &w[1])) return;
  double bend = c->section.ei / (2 * m->drum[at].radius * m->drum[at].radius);
  double grip = exp(c->contact.hold * turned(c, &m->drum[at])), own = f[x->end], other = f[1 - x->end];
  double tight = other + w[1 - x->end] - bend;
  if (!(own > 0) || !(tight > 0)) return;
  double g = size_of(m->gravity, m->dim), per = x->kind == LOAD_MASS ? g : 1;
  if (x->kind == LOAD_ON_BODY) return;
  /* what pulls besides the load that is varied */
  double besides = own - per * h->value;
  h->formula_most = (tight * grip - w[x->end] + bend - besides) / per;
  h->formula_least = fmax(0, (tight / grip - w[x->end] + bend - besides) / per);
}

/* ------------------------------------------------------------------ public */

static cps_status make(machine *m, const cps_system *system, cps_error *err) {
  const cps_scenario *s = system->scenario;
  if (s->n_elements == 0)
    return cps_error_set(err, CPS_BAD_INPUT, "cables", "statics is about cables, and there are none");
  return cps_machine_make(m, s, err);
}

int cps_hold_count(const cps_system *system) {
  machine m;
  varied x;
  int n = 0;
  cps_status status = make(&m, system, NULL);
  if (status != CPS_OK) return status == CPS_NO_MEMORY ? -1 : 0;
  while (find_load(&m, n, &x)) n++;
  cps_machine_free(&m);
  return n;
}

cps_status cps_hold_range(const cps_system *system, int i, cps_hold *hold, cps_error *err) {
  machine m;
  varied x;
  memset(hold, 0, sizeof *hold);
  cps_status status = make(&m, system, err);
  if (status != CPS_OK) return status;
  if (i < 0 || !find_load(&m, i, &x)) {
    cps_machine_free(&m);
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no load number %d", i);
  }
  double t = system->scenario->run.from;
  search s = {.m = &m, .load = &x, .t = t, .slides = SLIDES * cps_machine_span(&m)};
  s.good.n = exchange(&m, NULL, 0);
  s.good.x = malloc((s.good.n + 1) * sizeof(double));
  double *start = malloc((s.good.n + 1) * sizeof(double));
  name_load(&m, &x, t, hold);
  hold->least = hold->most = hold->formula_least = hold->formula_most = NAN;
  m.doing = "the search for what friction holds";
  cps_machine_hold_apart(&m, t, 1);
  double held = s.good.x && start ? any_held(&s) : 0;
  if (held > 0) {
    memcpy(start, s.good.x, s.good.n * sizeof(double));
    set_load(&m, &x, t, 1);
    formula(&m, &x, hold);
    /* with many turns the limit can lie far out */
    s.most = isfinite(hold->formula_most) ? fmax(MOST, 3 * hold->formula_most / hold->value) : MOST;
    hold->most = hold->value * limit_beyond(&s, held, STRIDE, &hold->most_unknown);
    memcpy(s.good.x, start, s.good.n * sizeof(double));
    hold->least = hold->value * limit_beyond(&s, held, 1 / STRIDE, &hold->least_unknown);
  }
  if (!s.good.x || !start || m.no_memory) {
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the range of loads");
  } else if (!(held > 0) && s.lost > 0) {
    status = cps_error_set(
        err, CPS_FAILED, hold->name,
        "no value of %s was found to hold, but the search for an equilibrium did not converge for %d "
        "of those that were tried: it is not known. A finer mesh or a softer contact may help",
        hold->name, s.lost);
  } else if (!(held > 0)) {
    status = cps_error_set(err, CPS_FAILED, hold->name,
                           "no value of %s holds: is another load too large, or "
                           "a drum free to turn?",
                           hold->name);
  }
  if (m.stopped) status = cps_error_set(err, CPS_FAILED, hold->name, "stopped on request");
  free(start);
  free(s.good.x);
  cps_machine_free(&m);
  return status;
}
