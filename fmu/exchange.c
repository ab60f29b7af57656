/* exchange.c - model exchange: see instance.h, and cps_exchange_... in capstan.h. */
#include "instance.h"

#include <math.h>

enum { MODES = PHASE_EVENT | PHASE_CONTINUOUS };

/* Whether the call may come now, with room for as many numbers as there are. */
static int ready(instance *f, unsigned phases, const void *values, size_t n, int wanted, const char *call) {
  if (!f) return 0;
  if (!f->exchange) {
    instance_refuse(f, "%s belongs to model exchange, and this instance is for co-simulation", call);
    return 0;
  }
  if (!instance_allowed(f, phases, call)) return 0;
  if (n == (size_t)wanted && (values || n == 0)) return 1;
  instance_refuse(f, "%s: there are %d numbers, and not %zu", call, wanted, n);
  return 0;
}

/* What cannot be evaluated at a state that the importer tries may be possible at a nearer one. */
static fmu_status outcome_of(instance *f, cps_status status, const cps_error *err) {
  if (status == CPS_OK) return FMU_OK;
  instance_failed(f, err);
  return status == CPS_FAILED ? FMU_DISCARD : FMU_ERROR;
}

fmu_status exchange_time(instance *f, double t, const char *call) {
  cps_error err = {0};
  if (!ready(f, MODES, NULL, 0, 0, call)) return FMU_ERROR;
  return outcome_of(f, cps_exchange_put(f->sim, t, NULL, &err), &err);
}

fmu_status exchange_put(instance *f, const double *y, size_t n, const char *call) {
  cps_error err = {0};
  if (!ready(f, PHASE_CONTINUOUS, y, n, f ? f->n_states : 0, call)) return FMU_ERROR;
  return outcome_of(f, cps_exchange_put(f->sim, cps_simulation_time(f->sim), y, &err), &err);
}

fmu_status exchange_get(instance *f, double *y, size_t n, const char *call) {
  cps_error err = {0};
  if (!ready(f, PHASE_INIT | MODES | PHASE_ENDED, y, n, f ? f->n_states : 0, call)) return FMU_ERROR;
  return outcome_of(f, cps_exchange_get(f->sim, y, &err), &err);
}

fmu_status exchange_rates(instance *f, double *y_t, size_t n, const char *call) {
  cps_error err = {0};
  if (!ready(f, PHASE_INIT | MODES | PHASE_ENDED, y_t, n, f ? f->n_states : 0, call)) return FMU_ERROR;
  return outcome_of(f, cps_exchange_rates(f->sim, y_t, &err), &err);
}

fmu_status exchange_guards(instance *f, double *guards, size_t n, const char *call) {
  cps_error err = {0};
  if (!ready(f, PHASE_INIT | MODES | PHASE_ENDED, guards, n, f ? f->n_guards : 0, call)) return FMU_ERROR;
  return outcome_of(f, cps_exchange_guards(f->sim, guards, &err), &err);
}

fmu_status exchange_nominals(instance *f, double *nominals, size_t n, const char *call) {
  if (!ready(f, PHASE_INIT | MODES | PHASE_ENDED, nominals, n, f ? f->n_states : 0, call)) return FMU_ERROR;
  for (int i = 0; i < f->n_states; i++) {
    cps_exchange_state s;
    if (cps_exchange_state_at(f->sim, i, &s) != CPS_OK) return FMU_ERROR;
    nominals[i] = s.nominal;
  }
  return FMU_OK;
}

fmu_status exchange_completed(instance *f, int *event, const char *call) {
  cps_error err = {0};
  *event = 0;
  if (!ready(f, PHASE_CONTINUOUS, NULL, 0, 0, call)) return FMU_ERROR;
  double *guards = f->scratch + f->n_states;
  cps_status status = cps_exchange_guards(f->sim, guards, &err);
  for (int i = 0; status == CPS_OK && i < f->n_guards; i++) *event |= !(guards[i] > 0);
  return outcome_of(f, status, &err);
}

fmu_status exchange_event(instance *f, cps_exchange_outcome *outcome, const char *call) {
  cps_error err = {0};
  *outcome = (cps_exchange_outcome){.next = INFINITY};
  if (!ready(f, PHASE_EVENT, NULL, 0, 0, call)) return FMU_ERROR;
  if (instance_tune(f) != FMU_OK) return FMU_ERROR;
  cps_status status = cps_exchange_event(f->sim, outcome, &err);
  instance_log_events(f, outcome->events);
  if (status == CPS_OK) return FMU_OK;
  f->phase = PHASE_FAILED;
  return instance_failed(f, &err);
}

fmu_status exchange_value(instance *f, const fmu_variable *v, double *value) {
  cps_error err = {0};
  double *y = f->scratch;
  cps_status status = v->kind == FMU_STATE  ? cps_exchange_get(f->sim, y, &err)
                      : v->kind == FMU_RATE ? cps_exchange_rates(f->sim, y, &err)
                                            : cps_exchange_guards(f->sim, y, &err);
  if (status == CPS_OK) *value = y[v->index];
  return outcome_of(f, status, &err);
}
