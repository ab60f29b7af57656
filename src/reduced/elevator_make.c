/* elevator_make.c - what a scenario must be for elevator.c, and the equilibrium that it starts from. */
#include "elevator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const model_names[] = {"ancf", "springs", "semi-analytical", "semi-analytical-flow",
                                          "semi-analytical-printed"};

/* Says why the model cannot do what the scenario has. */
static cps_status refuse(const lift *l, const char *key, const char *why, cps_error *err) {
  char path[sizeof err->key];
  snprintf(path, sizeof path, "cables.%s%s%s", l->cable->name, *key ? "." : "", key);
  return cps_error_set(err, CPS_BAD_INPUT, path,
                       "the model %s is a cable over one pulley with a body at each end: %s",
                       model_names[l->cable->model], why);
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* ------------------------------------------------------------------ what it can do */

static const char *unfit(const cps_scenario *s, const lift *l) {
  const scenario_cable *c = l->cable;
  const scenario_drum *d = l->drum;
  if (s->n_cables != 1) return "this scenario has several cables";
  if (c->closed || c->end[0].kind != END_BODY || c->end[1].kind != END_BODY ||
      c->end[0].body == c->end[1].body)
    return "both ends of the path must be bodies";
  if (c->n_masses > 0) return "leave out its point masses";
  if (!c->start_statics) return "it starts from equilibrium, not as drawn";
  if (c->rayleigh > 0) return "damping is axial here, not rayleigh";
  if (s->n_springs + s->n_contacts + s->n_loads > 0 || s->n_bodies > 2)
    return "leave out everything else, or use model: ancf";
  if (c->model == CABLE_FLOW && d->drive != DRUM_ROTATION && d->drive != DRUM_FIXED)
    return "the flow of cable is prescribed by a drive with rotation";
  if (d->bearing || d->carrier >= 0 || d->shift[0] || d->shift[1] || d->shift[2])
    return "the pulley stays in place, on a bearing without friction";
  for (int i = 0; i < 2; i++) {
    const scenario_body *b = &s->bodies[c->end[i].body];
    if (b->held_until > s->run.from) return "no body can be held";
    if (dot(b->v, b->v) > 0) return "the bodies start from rest";
  }
  return NULL;
}

/* The friction coefficient of sliding. */
static double coefficient(const cable_contact *t) {
  static const char *const names[] = {"mu", "mu_d", "mu_k", "mu_s"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    for (int i = 0; t->law && i < t->law->n_params; i++)
      if (strcmp(t->law->params[i].name, names[k]) == 0) return t->p[i];
  return 0;
}

/* ------------------------------------------------------------------ geometry */

static cps_status place(lift *l, const path *p, cps_error *err) {
  const cps_scenario *s = l->of;
  if (p->n != 3 || p->piece[0].drum >= 0 || p->piece[1].drum < 0 || p->piece[2].drum >= 0)
    return refuse(l, "path", "the path is a body, a straight line, one pulley, a straight line, a body", err);
  const path_piece *on = &p->piece[1];
  double u[3], w[3], inward[3], center[3], axis[3];
  if (on->rise != 0) return refuse(l, "path", "the cable stays in the plane of the pulley", err);
  l->wrap = fabs(on->sweep);
  l->turn = on->sweep > 0 ? 1 : -1;
  l->angle = on->angle;
  l->radius = l->drum->radius;
  l->arc = l->radius * l->wrap;
  cps_drum_place(s, l->drum_index, center, axis);
  cps_drum_frame(axis, u, w);
  l->pull_u = dot(s->gravity, u);
  l->pull_w = dot(s->gravity, w);
  l->hub = -dot(s->gravity, center);
  for (int i = 0; i < 2; i++) {
    const path_piece *line = &p->piece[2 * i];
    const scenario_body *b = &s->bodies[l->body[i]];
    double r[3], t[3], size = sqrt(dot(s->gravity, s->gravity));
    l->length[i] = line->length;
    cps_piece_at(s, on, i ? on->length : 0, r, t, inward);
    for (int d = 0; d < 3; d++) {
      l->from[i][d] = r[d];
      l->away[i][d] = i ? line->along[d] : -line->along[d];
    }
    l->pull[i] = dot(s->gravity, line->along);
    l->height[i] = -dot(s->gravity, r);
    double along = b->kind == BODY_LINE ? fabs(dot(b->direction, line->along))
                                        : dot(s->gravity, l->away[i]) / (size > 0 ? size : 1);
    if (!(along > 1 - 1e-9))
      return refuse(l, "path",
                    b->kind == BODY_LINE ? "a body on a line moves along its span"
                                         : "a body that moves freely hangs straight down",
                    err);
  }
  double length = l->cable->length;
  if (length > 0 && fabs(length - p->length) > 1e-9 * length)
    return refuse(l, "length", "its length without tension is that of the path", err);
  return CPS_OK;
}

/* ------------------------------------------------------------------ equilibrium */

/* Accelerations of the two strains (or of the one that is free) at rest. */
static int unbalance(lift *l, double t, const double *strain, double *out) {
  double y[LIFT_STATES], y_t[LIFT_STATES];
  memcpy(y, l->y, sizeof y);
  y[LIFT_E1] = strain[0];
  y[LIFT_E2] = strain[1];
  int good = cps_lift_rates(l, t, y, y_t);
  out[0] = y_t[LIFT_E1_T];
  out[1] = y_t[LIFT_E2_T];
  return good;
}

/* Newton's method on the strains; a drum that is driven stands still meanwhile. */
static int settle(lift *l, double t) {
  double e[2] = {l->y[LIFT_E1], l->y[LIFT_E2]}, f[2], g[2], j[2][2];
  int n = l->mode == LIFT_SLIDES ? 1 : 2;
  for (int k = 0; k < 60; k++) {
    if (!unbalance(l, t, e, f)) return 0;
    for (int c = 0; c < n; c++) {
      double moved[2] = {e[0], e[1]}, step = 1e-6 * e[c];
      moved[c] += step;
      if (!unbalance(l, t, moved, g)) return 0;
      for (int r = 0; r < 2; r++) j[r][c] = (g[r] - f[r]) / step;
    }
    double d[2] = {f[0] / j[0][0], 0};
    if (n == 2) {
      double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
      d[0] = (f[0] * j[1][1] - f[1] * j[0][1]) / det;
      d[1] = (f[1] * j[0][0] - f[0] * j[1][0]) / det;
    }
    double change = 0;
    for (int c = 0; c < n; c++) {
      double limited = fmax(-0.5 * e[c], fmin(0.5 * e[c], d[c]));
      e[c] -= limited;
      change = fmax(change, fabs(limited / e[c]));
    }
    if (!(change < INFINITY)) return 0;
    if (change < 1e-15 || (k > 10 && change < 1e-13)) {
      l->y[LIFT_E1] = e[0];
      l->y[LIFT_E2] = e[1];
      return 1;
    }
  }
  return 0;
}

static cps_status balance(lift *l, double t, cps_error *err) {
  /* At rest, whatever the drive does later: a torque is a force, and stays. */
  scenario_drum still = *l->drum;
  const scenario_drum *driven = l->drum;
  if (still.drive == DRUM_ROTATION || still.drive == DRUM_PD) still.drive = DRUM_FIXED;
  double hang[2] = {-l->mass[0] * l->pull[0], l->mass[1] * l->pull[1]};
  if (!(hang[0] > 0 && hang[1] > 0))
    return refuse(l, "", "the weight of each body pulls at the cable, or it would be slack", err);
  /* A pulley that nothing holds lets the heavier body fall. */
  int falls = still.inertia > 0 && (still.drive == DRUM_FREE || still.drive == DRUM_TORQUE);
  double inertia = l->mass[0] + l->mass[1] + l->inertia / (l->radius * l->radius);
  double a = falls ? (hang[1] - hang[0]) / inertia : 0;
  if (falls && still.motion) a += l->turn * cps_profile_drawn(still.motion, t).y / l->radius / inertia;
  for (int i = 0; i < 2; i++)
    l->y[LIFT_E1 + i] = fmax(hang[i] - (i ? a : -a) * l->mass[i], 1e-3 * hang[i]) / l->ea;
  l->y[LIFT_PSI] = l->drum->motion && l->drum->drive == DRUM_ROTATION
                       ? l->turn * cps_profile_drawn(l->drum->motion, t).y
                       : 0;
  l->drum = &still; /* put back below */ /* cppcheck-suppress autoVariables */
  int good = 0;
  for (int tries = 0; tries < 4 && !good; tries++) {
    l->tight = l->y[LIFT_E2] > l->y[LIFT_E1];
    l->anchor = !l->tight;
    l->mode = l->tight ? LIFT_AT_START : LIFT_AT_END;
    int holds = l->model == CABLE_SPRINGS || cps_lift_slip_arc(l, l->y) < l->wrap;
    if (!holds) l->mode = LIFT_SLIDES;
    if (!settle(l, t)) break;
    if (l->mode == LIFT_SLIDES) l->y[LIFT_E2] = exp((l->tight ? 1 : -1) * l->mu * l->wrap) * l->y[LIFT_E1];
    good = l->tight == (l->y[LIFT_E2] > l->y[LIFT_E1]) &&
           (!holds || l->model == CABLE_SPRINGS || cps_lift_slip_arc(l, l->y) < l->wrap);
  }
  l->drum = driven;
  if (l->mode == LIFT_SLIDES && l->model != CABLE_SEMI_ANALYTICAL)
    return refuse(l, "model", "it cannot slide through, which it does at once; use semi-analytical", err);
  if (!good) return refuse(l, "", "no equilibrium to start from was found", err);
  /* The bodies start from rest, whatever the pulley does. */
  double y_t[LIFT_STATES];
  good = cps_lift_start(l, t, l->turn * l->drum->rate) && cps_lift_rates(l, t, l->y, y_t);
  for (int i = LIFT_FRICTION; i < LIFT_STATES; i++) l->y[i] = 0;
  return good ? CPS_OK : refuse(l, "", "its equations are singular", err);
}

cps_status cps_lift_make(lift *l, const cps_scenario *s, double t, cps_error *err) {
  memset(l, 0, sizeof *l);
  l->of = s;
  l->t = t;
  l->drum_index = -1;
  for (int i = 0; i < s->n_cables && !l->cable; i++)
    if (s->cables[i].model != CABLE_ANCF) l->cable = &s->cables[i];
  const scenario_cable *c = l->cable;
  for (int i = 0; i < c->n_path; i++)
    if (c->path[i].kind == PATH_WRAP) l->drum_index = c->path[i].drum;
  if (l->drum_index < 0) return refuse(l, "path", "the path has no pulley", err);
  l->drum = &s->drums[l->drum_index];
  const char *why = unfit(s, l);
  if (why) return refuse(l, "", why, err);
  l->model = c->model;
  l->ea = c->ea;
  l->rho = c->rho;
  l->damping = c->axial_damping;
  l->inertia = l->drum->inertia;
  l->mu = coefficient(&c->contact);
  if (!(l->mu > 0))
    return refuse(l, "contact.friction", "it needs a friction law with a coefficient mu", err);
  for (int i = 0; i < 2; i++) {
    l->body[i] = c->end[i].body;
    l->mass[i] = s->bodies[l->body[i]].mass;
  }
  path way;
  cps_status status = cps_path_make(&way, s, (int)(c - s->cables), err);
  if (status != CPS_OK) return status;
  status = place(l, &way, err);
  cps_path_free(&way);
  return status == CPS_OK ? balance(l, t, err) : status;
}
