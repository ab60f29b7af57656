/* exchange.c - bodies under `events` as an ordinary differential equation that another integrator integrates: see capstan.h.
 *
 * The state that is handed out: places of bodies and surfaces (those with a prescribed velocity are integrated), velocities of
 * bodies, states of friction laws, works. Modes, anchors and the handling of transitions stay with events.c.
 */
#include "events.h"
#include "steppers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The pieces of the state, one after the other. */
enum { PIECES = 3 };
typedef struct piece {
  int from, n;
} piece;

/* The ground, which comes last, has no place. */
static int places(const cps_system *s) { return s->nd + s->ns; }

static void pieces_of(const cps_system *s, piece p[PIECES]) {
  p[0] = (piece){0, places(s)};
  p[1] = (piece){s->nx, s->nd};
  p[2] = (piece){2 * s->nx, s->ny - 2 * s->nx};
}

static int count(const cps_system *s) { return places(s) + s->nd + s->ny - 2 * s->nx; }

static void take(const cps_system *s, const double *all, double *y) {
  piece p[PIECES];
  pieces_of(s, p);
  for (int i = 0; i < PIECES; y += p[i++].n) memcpy(y, all + p[i].from, (size_t)p[i].n * sizeof *y);
}

static void put(const cps_system *s, double *all, const double *y) {
  piece p[PIECES];
  pieces_of(s, p);
  for (int i = 0; i < PIECES; y += p[i++].n) memcpy(all + p[i].from, y, (size_t)p[i].n * sizeof *y);
}

/* Whether it can be done at all, and the simulation is ready for it. */
static cps_status ready(cps_simulation *sim, cps_error *err) {
  const cps_scenario *sc = sim->system->scenario;
  if (sc->n_cables > 0)
    return cps_error_set(
        err, CPS_BAD_INPUT, "cables",
        "cables cannot be integrated from outside: hundreds of contact points that stick and "
        "slip are no ordinary differential equation with guards; let them make their own steps");
  if (strcmp(sc->run.solver, "events") != 0)
    return cps_error_set(err, CPS_BAD_INPUT, "run.solver",
                         "only bodies under run.solver events can be integrated from outside, since it alone "
                         "has guards; this is %s",
                         sc->run.solver);
  for (int i = 0; i < sc->n_inputs; i++)
    if (cps_input_is_motion(&sc->inputs[i]))
      return cps_error_set(err, CPS_BAD_INPUT, NULL,
                           "input \"%s\" is a motion, whose rate would be needed to integrate from outside",
                           sc->inputs[i].name);
  return cps_simulation_ready(sim, err);
}

cps_status cps_exchange_size(cps_simulation *sim, int *states, int *guards, cps_error *err) {
  cps_status status = ready(sim, err);
  if (status != CPS_OK) return status;
  const cps_system *s = sim->system;
  *states = count(s);
  *guards = 0;
  for (int i = 0; i < s->nc; i++) *guards += s->contacts[i].law->n_modes ? s->contacts[i].law->n_guards : 0;
  return CPS_OK;
}

/* ------------------------------------------------------------------ what the states are */

/* Coordinate k of the bodies, or its velocity. */
static void name_of_body(const cps_system *s, int k, int rate, cps_exchange_state *state) {
  static const char *const axes[] = {"x", "y", "z"}, *const rates[] = {"vx", "vy", "vz"};
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_bodies; i++) {
    int d = k - s->body_q[i];
    const scenario_body *b = &sc->bodies[i];
    if (d < 0 || d >= cps_body_freedoms(s, i)) continue;
    snprintf(state->name, sizeof state->name, "%s.%s.%s", b->kind == BODY_SURFACE ? "surfaces" : "bodies",
             b->name,
             !rate                   ? axes[d]
             : b->kind == BODY_PLANE ? rates[d]
                                     : "v");
  }
  state->unit = rate ? "m/s" : "m";
}

static void name_of_memory(cps_simulation *sim, int k, cps_exchange_state *state) {
  const cps_system *s = sim->system;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    int j = k - c->z;
    if (j < 0 || j >= c->n_states) continue;
    cps_law_scale scale;
    cps_law_scales(c->law, c->p, sim->work.n[i], &scale);
    snprintf(state->name, sizeof state->name, "contacts.%s.%s", s->scenario->contacts[i].name,
             c->law->states[j].name);
    state->unit = c->law->states[j].unit;
    if (isfinite(scale.z[j]) && scale.z[j] > 0) state->nominal = scale.z[j];
  }
}

static void name_of_work(const cps_system *s, int k, cps_exchange_state *state) {
  static const char *const sums[] = {"energy.damping", "energy.load_work", "energy.motion_work"};
  if (k < s->nc)
    snprintf(state->name, sizeof state->name, "contacts.%s.work", s->scenario->contacts[k].name);
  else
    snprintf(state->name, sizeof state->name, "%s", sums[k - s->nc]);
  state->unit = "J";
}

cps_status cps_exchange_state_at(cps_simulation *sim, int i, cps_exchange_state *state) {
  const cps_system *s = sim->system;
  if (s->scenario->n_cables > 0 || i < 0 || i >= count(s)) return CPS_BAD_INPUT;
  *state = (cps_exchange_state){.rate_of = -1, .nominal = 1};
  int v = places(s), z = v + s->nd, w = z + s->nz;
  if (i < v) {
    name_of_body(s, i, 0, state);
  } else if (i < z) {
    name_of_body(s, i - v, 1, state);
    state->rate_of = i - v;
  } else if (i < w) {
    name_of_memory(sim, i - z, state);
  } else {
    name_of_work(s, i - w, state);
  }
  state->column = cps_result_find(&sim->result, state->name);
  return CPS_OK;
}

/* ------------------------------------------------------------------ values */

cps_status cps_exchange_get(cps_simulation *sim, double *y, cps_error *err) {
  cps_status status = ready(sim, err);
  if (status == CPS_OK) take(sim->system, sim->y, y);
  return status;
}

cps_status cps_exchange_put(cps_simulation *sim, double t, const double *y, cps_error *err) {
  cps_status status = ready(sim, err);
  if (status != CPS_OK) return status;
  int good = isfinite(t);
  for (int i = 0; y && i < count(sim->system); i++) good = good && isfinite(y[i]);
  if (!good) return cps_error_set(err, CPS_BAD_INPUT, NULL, "time and states have to be finite");
  sim->t = t;
  if (y) put(sim->system, sim->y, y);
  sim->values_known = 0;
  return CPS_OK;
}

cps_status cps_exchange_rates(cps_simulation *sim, double *y_t, cps_error *err) {
  cps_status status = ready(sim, err);
  if (status == CPS_OK) status = cps_events_rates(sim->solver, err);
  if (status == CPS_OK) take(sim->system, sim->y_t, y_t);
  return status;
}

cps_status cps_exchange_guards(cps_simulation *sim, double *guards, cps_error *err) {
  cps_status status = ready(sim, err);
  if (status == CPS_OK) status = cps_events_rates(sim->solver, err);
  if (status == CPS_OK) cps_events_guards(sim->solver, guards);
  return status;
}

cps_status cps_exchange_event(cps_simulation *sim, cps_exchange_outcome *outcome, cps_error *err) {
  cps_status status = ready(sim, err);
  if (status != CPS_OK) return status;
  long events = sim->result.counters.events;
  if (sim->keep == 0) sim->result.n_events = 0;
  sim->values_known = 0;
  *outcome = (cps_exchange_outcome){0};
  status = cps_events_settle(sim->solver, &outcome->changed, &outcome->next, err);
  outcome->events = sim->result.counters.events - events;
  return status;
}
