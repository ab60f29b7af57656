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
  if (c->closed || !cps_end_is(c->end[0].kind, END_ON_BODY) || !cps_end_is(c->end[1].kind, END_ON_BODY) ||
      c->end[0].body == c->end[1].body)
    return "both ends of the path must be bodies";
  if (c->n_masses > 0) return "leave out its point masses";
  if (!c->start_statics || c->start_braked) return "it starts from equilibrium, not as drawn or braked";
  if (c->rayleigh > 0) return "damping is axial here, not rayleigh";
  if (c->model == CABLE_FLOW && cps_drive_is(d, DRIVE_TURNS))
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

/* Which end of the cable a body is at; -1: neither. */
static int side_of(const lift *l, int body) { return body == l->body[0] ? 0 : body == l->body[1] ? 1 : -1; }

/* The end at which the cable leaves no room for anything else that moves a body: one that hangs freely. */
static int hangs_freely(const lift *l, int body) {
  int side = side_of(l, body);
  return side >= 0 && l->of->bodies[body].kind == BODY_PLANE;
}

/* Another part of the scenario that pulls where this model cannot follow: refused with its own key. */
static cps_status refuse_other(const lift *l, const char *kind, const char *name, const char *why,
                               const char *body, cps_error *err) {
  char path[sizeof err->key];
  snprintf(path, sizeof path, "%s.%s", kind, name);
  return cps_error_set(err, CPS_BAD_INPUT, path, "body %s is at an end of cable %s, whose model is %s: %s",
                       body, l->cable->name, model_names[l->cable->model], why);
}

/* Beside cables of elements it is integrated by itself, and nothing else acts on its bodies. */
static cps_status check_alone(const lift *l, cps_error *err) {
  const cps_scenario *s = l->of;
  static const char why[] = "in a file with cables of elements nothing else acts on it; use model: ancf";
  for (int i = 0; i < s->n_springs; i++)
    for (int e = 0; e < 2; e++)
      if (side_of(l, s->springs[i].end[e].body) >= 0)
        return refuse_other(l, "springs", s->springs[i].name, why, s->bodies[s->springs[i].end[e].body].name,
                            err);
  for (int i = 0; i < s->n_contacts; i++)
    for (int e = 0; e < 2; e++)
      if (side_of(l, s->contacts[i].body[e]) >= 0)
        return refuse_other(l, "contacts", s->contacts[i].name, why, s->bodies[s->contacts[i].body[e]].name,
                            err);
  for (int i = 0; i < s->n_loads; i++)
    if (side_of(l, s->loads[i].body) >= 0)
      return refuse_other(l, "loads", s->loads[i].name, why, s->bodies[s->loads[i].body].name, err);
  return CPS_OK;
}

/* Springs and loads on its bodies, and drums that they carry. */
static cps_status check_parts(const lift *l, cps_error *err) {
  const cps_scenario *s = l->of;
  static const char on_line[] = "it only moves along its span; give it a `direction`, so that it is guided "
                                "there, or use model: ancf";
  if (s->n_elements > 0) return check_alone(l, err);
  for (int i = 0; i < s->n_springs; i++)
    for (int e = 0; e < 2; e++)
      if (hangs_freely(l, s->springs[i].end[e].body))
        return refuse_other(l, "springs", s->springs[i].name, on_line,
                            s->bodies[s->springs[i].end[e].body].name, err);
  for (int i = 0; i < s->n_loads; i++) {
    int side = side_of(l, s->loads[i].body);
    if (side < 0 || !hangs_freely(l, s->loads[i].body)) continue;
    double along = dot(s->loads[i].direction, l->away[side]);
    if (fabs(along) < 1 - 1e-9)
      return refuse_other(l, "loads", s->loads[i].name, on_line, s->bodies[s->loads[i].body].name, err);
  }
  for (int i = 0; i < s->n_drums; i++)
    if (side_of(l, s->drums[i].carrier) >= 0)
      return refuse_other(l, "drums", s->drums[i].name, "it cannot carry a drum; use model: ancf",
                          s->bodies[s->drums[i].carrier].name, err);
  return CPS_OK;
}

/* Other cables on its bodies or on its pulley. */
static cps_status check_cables(const lift *l, cps_error *err) {
  const cps_scenario *s = l->of;
  for (int i = 0; i < s->n_cables; i++) {
    const scenario_cable *c = &s->cables[i];
    if (c == l->cable) continue;
    for (int k = 0; k < c->contact.n_drums; k++)
      if (c->contact.drums[k] == l->drum_index && c->model == CABLE_ANCF)
        return refuse(l, "path", "no other cable touches that pulley; use model: ancf", err);
    for (int e = 0; e < 2 && !c->closed; e++)
      if (cps_end_is(c->end[e].kind, END_ON_BODY) && side_of(l, c->end[e].body) >= 0)
        return refuse_other(l, "cables", c->name, "it cannot hang on another cable too; use model: ancf",
                            s->bodies[c->end[e].body].name, err);
    for (int k = 0; k < c->n_path; k++)
      if (cps_item_is(&c->path[k], ITEM_WRAPS) && c->path[k].drum == l->drum_index)
        return refuse(
            l, "path",
            "no other cable runs over that pulley; use model: ancf, or one cable with the EA of both", err);
  }
  return CPS_OK;
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

/* Where its bodies are by their own coordinates: those of a place x on the path are base + direction x. */
static void find_coordinates(lift *l, const cps_system *system) {
  for (int i = 0; i < 2; i++) {
    const scenario_body *b = &l->of->bodies[l->body[i]];
    double sign = i ? 1 : -1, from = i ? l->arc : 0;
    l->q[i] = system->body_q[l->body[i]];
    l->freedoms[i] = cps_body_freedoms(system, l->body[i]);
    for (int d = 0; d < l->freedoms[i]; d++) {
      double along = l->away[i][d], at = l->from[i][d];
      if (b->kind == BODY_LINE) {
        along = dot(b->direction, l->away[i]);
        at = dot(b->direction, l->from[i]) - dot(b->direction, b->origin);
      }
      l->direction[i][d] = sign * along;
      l->base[i][d] = at - sign * along * from;
    }
  }
}

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

/* What acts on its bodies beside it. */
typedef struct outside {
  lift_forces forces;
  void *with;
} outside;

/* Accelerations of the two strains (or of the one that is free) at rest. */
static int unbalance(lift *l, double t, const outside *other, const double *strain, double *out) {
  double y[LIFT_STATES], y_t[LIFT_STATES], force[2], accelerations[2];
  memcpy(y, l->y, sizeof y);
  y[LIFT_E1] = strain[0];
  y[LIFT_E2] = strain[1];
  cps_lift_place(l, t, y);
  cps_lift_assemble(l, y);
  other->forces(l, t, y, force, other->with);
  int good = cps_lift_rates(l, force, y, y_t, accelerations);
  out[0] = y_t[LIFT_E1_T];
  out[1] = y_t[LIFT_E2_T];
  return good;
}

/* Newton's method on the strains; a drum that is driven stands still meanwhile. */
static int settle(lift *l, double t, const outside *other) {
  double e[2] = {l->y[LIFT_E1], l->y[LIFT_E2]}, f[2], g[2], j[2][2];
  int n = l->mode == LIFT_SLIDES ? 1 : 2;
  for (int k = 0; k < 60; k++) {
    if (!unbalance(l, t, other, e, f)) return 0;
    for (int c = 0; c < n; c++) {
      double moved[2] = {e[0], e[1]}, step = 1e-6 * e[c];
      moved[c] += step;
      if (!unbalance(l, t, other, moved, g)) return 0;
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

/* What an error of each state is judged by. */
static void set_scales(lift *l) {
  double length = l->length[0] + l->length[1] + l->arc, strain = fmax(l->y[LIFT_E1], l->y[LIFT_E2]);
  double mass = fmin(l->mass[0], l->mass[1]), span = fmin(l->length[0], l->length[1]);
  double omega = sqrt(l->ea / (mass * span)), energy = l->ea * strain * length;
  const double by[LIFT_STATES] = {[LIFT_FLOW] = length,
                                  [LIFT_E1] = strain,
                                  [LIFT_E2] = strain,
                                  [LIFT_PSI] = length / l->radius,
                                  [LIFT_EDGE] = length,
                                  [LIFT_FLOW_T] = length,
                                  [LIFT_E1_T] = strain * omega,
                                  [LIFT_E2_T] = strain * omega,
                                  [LIFT_PSI_T] = length / l->radius,
                                  [LIFT_FRICTION] = energy * strain,
                                  [LIFT_DAMPING] = energy * strain,
                                  [LIFT_MOTION] = energy,
                                  [LIFT_MADE1] = energy * strain,
                                  [LIFT_MADE2] = energy * strain};
  memcpy(l->scale, by, sizeof by);
}

cps_status cps_lift_balance(lift *l, double t, lift_forces forces, void *with, cps_error *err) {
  const outside other = {forces, with};
  memset(l->initial, 0, sizeof l->initial);
  /* At rest, whatever the drive does later: a torque is a force, and stays. */
  scenario_drum still = *l->drum;
  const scenario_drum *driven = l->drum;
  if (cps_drive_is(&still, DRIVE_PRESCRIBES | DRIVE_LEADS)) still.drive = cps_drive_find("fixed");
  double pulled[2], hang[2];
  forces(l, t, l->y, pulled, with);
  for (int i = 0; i < 2; i++) hang[i] = (i ? 1 : -1) * (l->mass[i] * l->pull[i] + pulled[i]);
  if (!(hang[0] > 0 && hang[1] > 0))
    return refuse(l, "", "the weight of each body pulls at the cable, or it would be slack", err);
  /* A pulley that nothing holds lets the heavier body fall. */
  int falls = cps_drum_is_free(&still);
  double inertia = l->mass[0] + l->mass[1] + l->inertia / (l->radius * l->radius);
  double a = falls ? (hang[1] - hang[0]) / inertia : 0;
  if (falls && still.motion) a += l->turn * cps_profile_drawn(still.motion, t).y / l->radius / inertia;
  for (int i = 0; i < 2; i++)
    l->y[LIFT_E1 + i] = fmax(hang[i] - (i ? a : -a) * l->mass[i], 1e-3 * hang[i]) / l->ea;
  l->y[LIFT_PSI] = cps_drive_is(l->drum, DRIVE_PRESCRIBES) ? l->turn * cps_profile_drawn(l->drum->motion, t).y
                                                           : 0;
  l->drum = &still; /* put back below */ /* cppcheck-suppress autoVariables */
  int good = 0;
  for (int tries = 0; tries < 4 && !good; tries++) {
    l->tight = l->y[LIFT_E2] > l->y[LIFT_E1];
    l->anchor = !l->tight;
    l->mode = l->tight ? LIFT_AT_START : LIFT_AT_END;
    int holds = l->model == CABLE_SPRINGS || cps_lift_slip_arc(l, l->y) < l->wrap;
    if (!holds) l->mode = LIFT_SLIDES;
    if (!settle(l, t, &other)) break;
    if (l->mode == LIFT_SLIDES) l->y[LIFT_E2] = exp((l->tight ? 1 : -1) * l->mu * l->wrap) * l->y[LIFT_E1];
    good = l->tight == (l->y[LIFT_E2] > l->y[LIFT_E1]) &&
           (!holds || l->model == CABLE_SPRINGS || cps_lift_slip_arc(l, l->y) < l->wrap);
  }
  l->drum = driven;
  if (l->mode == LIFT_SLIDES && l->model != CABLE_SEMI_ANALYTICAL)
    return refuse(l, "model", "it cannot slide through, which it does at once; use semi-analytical", err);
  if (!good) return refuse(l, "", "no equilibrium to start from was found", err);
  /* The bodies start from rest, whatever the pulley does. */
  good = cps_lift_start(l, t, l->turn * l->drum->rate);
  for (int i = LIFT_FRICTION; i < LIFT_STATES; i++) l->y[i] = 0;
  set_scales(l);
  return good ? CPS_OK : refuse(l, "", "its equations are singular", err);
}

cps_status cps_lift_make(lift *l, const cps_system *system, int index, cps_error *err) {
  const cps_scenario *s = system->scenario;
  const scenario_cable *c = &s->cables[index];
  memset(l, 0, sizeof *l);
  l->of = s;
  l->y = l->initial;
  l->drum_index = -1;
  l->cable = c;
  for (int i = 0; i < c->n_path; i++)
    if (cps_item_is(&c->path[i], ITEM_WRAPS)) l->drum_index = c->path[i].drum;
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
  cps_status status = cps_path_make(&way, s, index, err);
  if (status != CPS_OK) return status;
  status = place(l, &way, err);
  cps_path_free(&way);
  if (status == CPS_OK) status = check_parts(l, err);
  if (status == CPS_OK) status = check_cables(l, err);
  if (status == CPS_OK) find_coordinates(l, system);
  return status;
}
