/* stretch.c - derivatives of stretches: what one cps_simulation_step does, by the state at its beginning, inputs and
 * parameters.
 *
 * The stretch is made once more by a simulation of its own, from the state that was kept, while an engine of sens.h follows it.
 * With bdf, whose history is no part of a state, it starts anew there: the derivative is that of a run that agrees to tolerance.
 * Directions are lanes of the engine: one for all numbers of the state, one for each input and parameter, and two for each
 * drum that a controller leads, whose angle and rate the engine treats as prescribed. Inputs become parameters in that the
 * scenario, and its shadows, are told what they are (cps_scenario_tell).
 */
#include "checkpoint.h"
#include "parameter_paths.h"
#include "sens_drive.h"
#include "steppers.h"
#include "warnings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number of the state: where the engine counts it, and where it is in a block. */
typedef struct number {
  int state;
  cps_state_item item;
} number;

struct cps_stretch {
  pool pool;          /* all arrays */
  cps_simulation *of; /* the caller's */
  const sens_engine *engine;
  cps_scenario *scenario; /* owned: as that of the caller's simulation, and told of inputs */
  cps_system *system;
  cps_simulation *sim; /* owned: follows */
  int n_wrt, n_drums, n_inputs, n_parameters;
  sens_parameter *wrt; /* state, angles and rates of drums, inputs, parameters */
  int n_numbers, n_states;
  number *numbers;
  void *begin; /* state at the beginning */
  input_value *inputs;
  double until;
  int known; /* a stretch has been made */
  double *state, *columns, *gradient;
  sens_weight *weights;
  warning_list warnings;
};

/* ------------------------------------------------------------------ making */

static cps_status no_memory(cps_error *err) {
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the derivative of a stretch");
}

static void drop_shadows(sens_parameter *p) {
  for (int k = 0; k < SENS_SHADOWS; k++) {
    cps_scenario_free(p->shadow[k]);
    p->shadow[k] = NULL;
  }
}

void cps_stretch_free(cps_stretch *s) {
  if (!s) return;
  for (int i = 0; s->wrt && i < s->n_wrt; i++) drop_shadows(&s->wrt[i]);
  cps_simulation_free(s->sim);
  cps_system_free(s->system);
  cps_scenario_free(s->scenario);
  cps_warnings_clear(&s->warnings);
  cps_pool_free(&s->pool);
  free(s);
}

/* The item of the state that has a number at this place, and where in a block. */
static int find_item(const state_piece *pieces, int n, const double *at, cps_state_item *item) {
  const unsigned char *place = (const unsigned char *)at;
  for (int i = 0; i < n; i++) {
    const state_piece *p = &pieces[i];
    if (p->size == 0 || p->n == 0 || place < p->at) continue;
    size_t from = (size_t)(place - p->at), k = from / p->stride, inside = from % p->stride;
    if (k >= p->n || inside >= p->size) continue;
    *item = (cps_state_item){p->name, cps_state_role(p->name), p->offset + k * p->size + inside,
                             sizeof(double)};
    return 1;
  }
  return 0;
}

static cps_status find_numbers(cps_stretch *s, cps_error *err) {
  s->n_states = s->engine->states(s->sim, NULL);
  int n = cps_state_pieces(s->sim, NULL, 0);
  pool room = {0};
  double **at = cps_pool_new(&room, (size_t)s->n_states, sizeof *at);
  state_piece *pieces = cps_pool_new(&room, (size_t)n, sizeof *pieces);
  POOL_ARRAY(&s->pool, s->numbers, s->n_states);
  int good = at && pieces && s->numbers;
  if (good) {
    s->engine->states(s->sim, at);
    cps_state_pieces(s->sim, pieces, n);
  }
  for (int i = 0; good && i < s->n_states; i++) {
    number *x = &s->numbers[s->n_numbers];
    if (!at[i] || !find_item(pieces, n, at[i], &x->item)) continue;
    x->state = i;
    s->n_numbers++;
  }
  cps_pool_free(&room);
  return good ? CPS_OK : no_memory(err);
}

static cps_status find_lanes(cps_stretch *s, const char *const *parameters, int n, cps_error *err) {
  const machine *m = s->sim->machine;
  int drums = m ? m->n_drums : 0;
  s->n_inputs = s->scenario->n_inputs;
  s->n_parameters = n;
  if (!POOL_ARRAY(&s->pool, s->wrt, 1 + 2 * drums + s->n_inputs + n)) return no_memory(err);
  s->wrt[s->n_wrt++].kind = SENS_STATE;
  for (int i = 0; i < drums; i++) {
    if (!cps_drum_is_led(m->drum[i].of)) continue;
    for (int j = 0; j < 2; j++) s->wrt[s->n_wrt++] = (sens_parameter){.kind = SENS_DRUM, .index = 2 * i + j};
    s->n_drums += 2;
  }
  for (int i = 0; i < s->n_inputs; i++) s->wrt[s->n_wrt++] = (sens_parameter){.kind = SENS_INPUT, .index = i};
  for (int i = 0; i < s->n_wrt; i++) {
    s->wrt[i].min = -INFINITY;
    s->wrt[i].max = INFINITY;
  }
  if (n == 0) return CPS_OK;
  cps_status status = cps_sens_find(s->scenario, parameters, n, 0, s->wrt + s->n_wrt, err);
  if (status == CPS_OK) s->n_wrt += n;
  return status;
}

static cps_status make(cps_stretch *s, cps_simulation *sim, const char *const *parameters, int n,
                       cps_error *err) {
  const cps_scenario *of = sim->system->scenario;
  cps_status status = cps_simulation_ready(sim, err);
  if (status != CPS_OK) return status;
  s->of = sim;
  s->engine = cps_sens_stretches(of, err);
  if (!s->engine) return CPS_BAD_INPUT;
  s->scenario = cps_scenario_again(of, (const char *const *)of->settings, of->n_settings, NULL, 0, 0, NULL);
  if (!s->scenario) return no_memory(err);
  s->system = cps_system_new(s->scenario, err);
  s->sim = s->system ? cps_simulation_new(s->system, err) : NULL;
  if (!s->sim) return err ? err->status : CPS_FAILED;
  size_t size = cps_simulation_state_size(s->sim, err);
  if (size == 0) return err ? err->status : CPS_FAILED;
  status = cps_simulation_keep(s->sim, 0, err);
  if (status == CPS_OK) status = find_lanes(s, parameters, n, err);
  if (status == CPS_OK) status = find_numbers(s, err);
  if (status != CPS_OK) return status;
  size_t columns = (size_t)s->sim->result.n_columns, wrt = (size_t)s->n_wrt;
  pool *p = &s->pool;
  s->begin = cps_pool_new(p, size, 1);
  POOL_ARRAY(p, s->inputs, s->n_inputs);
  POOL_ARRAY(p, s->state, wrt * (size_t)s->n_states);
  POOL_ARRAY(p, s->columns, wrt * columns);
  POOL_ARRAY(p, s->gradient, wrt);
  POOL_ARRAY(p, s->weights, columns);
  return p->lost ? no_memory(err) : CPS_OK;
}

cps_stretch *cps_stretch_new(cps_simulation *sim, const char *const *parameters, int n, cps_error *err) {
  cps_error e = {0};
  cps_stretch *s = calloc(1, sizeof *s);
  cps_status status = s ? make(s, sim, parameters, n, &e) : no_memory(&e);
  if (status == CPS_OK) return s;
  if (err) *err = e;
  cps_stretch_free(s);
  return NULL;
}

int cps_stretch_numbers(const cps_stretch *s) { return s->n_numbers; }

cps_status cps_stretch_number(const cps_stretch *s, int i, cps_state_item *item) {
  if (i < 0 || i >= s->n_numbers) return CPS_BAD_INPUT;
  *item = s->numbers[i].item;
  return CPS_OK;
}

const char *cps_stretch_warning(const cps_stretch *s, int i) { return cps_warnings_at(&s->warnings, i); }

/* ------------------------------------------------------------------ stepping */

cps_status cps_stretch_step(cps_stretch *s, double until, cps_outcome *outcome, cps_error *err) {
  s->known = 0;
  if (strcmp(s->of->system->scenario->hash, s->scenario->hash) != 0)
    return cps_error_set(
        err, CPS_BAD_INPUT, NULL,
        "the simulation has other parameters now: say anew what to differentiate its steps by");
  /* the simulation forgets nothing: that it is followed has no effect on it */
  cps_status status = cps_simulation_ready(s->of, err);
  if (status != CPS_OK) return status;
  cps_state_write(s->of, s->begin);
  status = cps_simulation_step(s->of, until, 0, outcome, err);
  if (status != CPS_OK) return status;
  memcpy(s->inputs, s->of->inputs, (size_t)s->n_inputs * sizeof *s->inputs);
  s->until = until;
  s->known = 1;
  return CPS_OK;
}

/* ------------------------------------------------------------------ products */

/* The scenario and its shadows know the inputs of the stretch. */
static cps_status tell(cps_stretch *s, const sens_run *run, cps_error *err) {
  cps_status status = cps_scenario_tell(s->scenario, s->inputs);
  for (int i = 0; i < s->n_wrt; i++) {
    sens_parameter *p = &s->wrt[i];
    if (p->kind == SENS_INPUT) { /* whose shadows lie around its value */
      drop_shadows(p);
      p->q.value = s->inputs[p->index].to;
    }
    for (int k = 0; k < SENS_SHADOWS && status == CPS_OK; k++)
      if (p->shadow[k]) status = cps_sens_tell(run, i, 0, p->shadow[k]);
  }
  for (int i = 0; i < s->n_wrt && status == CPS_OK; i++) status = cps_sens_shadows(run, i, err);
  return status == CPS_NO_MEMORY ? no_memory(err) : status;
}

typedef cps_status (*method)(sens_run *, cps_error *);

static cps_status differentiate(cps_stretch *s, int n_of, sens_stretch *stretch, method how, cps_error *err) {
  sens_run run = {.scenario = s->scenario,
                  .sim = s->sim,
                  .n_wrt = s->n_wrt,
                  .n_of = n_of,
                  .wrt = s->wrt,
                  .stretch = stretch};
  if (!s->known)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no step to differentiate: make one first");
  cps_warnings_clear(&s->warnings);
  cps_status status = tell(s, &run, err);
  return status == CPS_OK ? how(&run, err) : status;
}

static sens_stretch stretch_of(cps_stretch *s) {
  return (sens_stretch){.begin = s->begin,
                        .until = s->until,
                        .inputs = s->inputs,
                        .state = s->state,
                        .n_states = s->n_states,
                        .columns = s->columns,
                        .weights = s->weights,
                        .gradient = s->gradient,
                        .warnings = &s->warnings};
}

/* Which lane changes a number of the state: 0, or that of a drum. Those of drums are the last ones, in order. */
static int lane_of(const cps_stretch *s, const number *x) {
  int from_end = s->n_states - x->state;
  return from_end <= s->n_drums ? 1 + s->n_drums - from_end : 0;
}

cps_status cps_stretch_jvp(cps_stretch *s, const double *state, const double *inputs,
                           const double *parameters, double *state_end, double *columns_end, cps_error *err) {
  cps_error e = {0};
  int n_wrt = s->n_wrt, columns = s->sim->result.n_columns, first = 1 + s->n_drums;
  size_t n = (size_t)s->n_states;
  sens_stretch stretch = stretch_of(s);
  memset(s->state, 0, n * (size_t)n_wrt * sizeof *s->state);
  memset(s->gradient, 0, (size_t)n_wrt * sizeof *s->gradient);
  double *by = s->gradient; /* how much of each lane */
  by[0] = 1;
  for (int i = 0; state && i < s->n_numbers; i++) {
    int lane = lane_of(s, &s->numbers[i]);
    if (lane > 0)
      by[lane] = state[i];
    else
      s->state[s->numbers[i].state] = state[i];
  }
  for (int i = 0; inputs && i < s->n_inputs; i++) by[first + i] = inputs[i];
  for (int i = 0; parameters && i < s->n_parameters; i++) by[first + s->n_inputs + i] = parameters[i];
  cps_status status = differentiate(s, 0, &stretch, s->engine->forward, &e);
  if (status != CPS_OK) {
    if (err) *err = e;
    return status;
  }
  for (int i = 0; state_end && i < s->n_numbers; i++) {
    state_end[i] = 0;
    for (int k = 0; k < n_wrt; k++)
      if (by[k] != 0) state_end[i] += by[k] * s->state[(size_t)k * n + (size_t)s->numbers[i].state];
  }
  for (int c = 0; columns_end && c < columns; c++) {
    columns_end[c] = 0;
    for (int k = 0; k < n_wrt; k++)
      if (by[k] != 0) columns_end[c] += by[k] * s->columns[(size_t)c * (size_t)n_wrt + (size_t)k];
  }
  return CPS_OK;
}

cps_status cps_stretch_vjp(cps_stretch *s, const double *state_end, const double *columns_end, double *state,
                           double *inputs, double *parameters, cps_error *err) {
  cps_error e = {0};
  int columns = s->sim->result.n_columns, first = 1 + s->n_drums;
  sens_stretch stretch = stretch_of(s);
  memset(s->state, 0, (size_t)s->n_states * sizeof *s->state);
  memset(s->gradient, 0, (size_t)s->n_wrt * sizeof *s->gradient);
  for (int i = 0; state_end && i < s->n_numbers; i++) s->state[s->numbers[i].state] = state_end[i];
  for (int c = 0; columns_end && c < columns; c++)
    if (columns_end[c] != 0) s->weights[stretch.n_weights++] = (sens_weight){0, c, columns_end[c]};
  cps_status status = differentiate(s, 1, &stretch, s->engine->adjoint, &e);
  if (status != CPS_OK) {
    if (err) *err = e;
    return status;
  }
  for (int i = 0; state && i < s->n_numbers; i++) {
    int lane = lane_of(s, &s->numbers[i]);
    state[i] = lane > 0 ? s->gradient[lane] : s->state[s->numbers[i].state];
  }
  if (inputs) memcpy(inputs, s->gradient + first, (size_t)s->n_inputs * sizeof *inputs);
  if (parameters)
    memcpy(parameters, s->gradient + first + s->n_inputs, (size_t)s->n_parameters * sizeof *parameters);
  return CPS_OK;
}
