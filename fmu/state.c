/* state.c - states that are handed out: a head, the values of all variables, and the state of the simulation if it runs. */
#include "instance.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct head {
  uint64_t size;  /* of all */
  uint64_t token; /* whose state it is */
  uint64_t
      sum; /* of all behind it, if it was written as bytes: it may come from anywhere, damaged or changed; else 0 */
  uint32_t phase, exchange;
} head;

/* Fowler, Noll and Vo. */
static uint64_t hash_of(const void *bytes, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (const unsigned char *b = bytes; n > 0; n--) h = (h ^ *b++) * 1099511628211u;
  return h;
}

static uint64_t token_of(const instance *f) { return hash_of(f->token, strlen(f->token)); }

static uint64_t sum_of(const void *block, size_t size) {
  size_t at = offsetof(head, phase);
  uint64_t sum = hash_of((const char *)block + at, size - at);
  return sum ? sum : 1;
}

static size_t values_size(const instance *f) { return (size_t)f->n_variables * sizeof(double); }

/* Of the simulation: only what has started has one. */
static size_t sim_size(instance *f, unsigned phase, cps_error *err) {
  return phase & (PHASE_NEW | PHASE_INIT) ? 0 : cps_simulation_state_size(f->sim, err);
}

fmu_status state_save(instance *f, void **state, const char *call) {
  cps_error err = {0};
  if (!instance_allowed(f, PHASES_ALL & ~PHASE_FAILED, call)) return FMU_ERROR;
  if (!state) return instance_refuse(f, "%s: an argument is missing", call);
  if (instance_tune(f) != FMU_OK) return FMU_ERROR;
  size_t inner = sim_size(f, f->phase, &err);
  if (!inner && !(f->phase & (PHASE_NEW | PHASE_INIT))) return instance_failed(f, &err);
  head h = {sizeof h + values_size(f) + inner, token_of(f), 0, f->phase, (uint32_t)f->exchange};
  if (*state) { /* it has to be of the same size */
    head old;
    memcpy(&old, *state, sizeof old);
    if (old.size != h.size) {
      free(*state);
      *state = NULL;
    }
  }
  if (!*state) *state = calloc(1, h.size);
  if (!*state) return instance_no_memory(f);
  char *at = *state;
  memcpy(at, &h, sizeof h);
  double *values = (double *)(at + sizeof h);
  for (int i = 0; i < f->n_variables; i++) values[i] = f->variables[i].value;
  if (!inner) return FMU_OK;
  if (cps_simulation_state_get(f->sim, at + sizeof h + values_size(f), &err) != CPS_OK)
    return instance_failed(f, &err);
  return FMU_OK;
}

/* Whether a head is that of a state of this FMU. */
static int fits(const instance *f, const head *h) {
  unsigned p = h->phase;
  return h->token == token_of(f) && h->exchange == (uint32_t)f->exchange && p && (p & (p - 1)) == 0 &&
         (p & PHASES_ALL & ~PHASE_FAILED) && h->size >= sizeof *h + values_size(f);
}

/* Takes the values; *rebuild: parameters are others than those of the simulation. 0 if one is not possible. */
static int take_values(instance *f, const double *values, int *rebuild) {
  *rebuild = f->stale || f->to_tune;
  for (int i = 0; i < f->n_variables; i++) {
    const fmu_variable *v = &f->variables[i];
    if (isfinite(v->file) && !isfinite(values[i])) return 0;
  }
  for (int i = 0; i < f->n_variables; i++) {
    fmu_variable *v = &f->variables[i];
    *rebuild |= v->value != values[i] && (v->kind == FMU_PARAMETER || v->kind == FMU_TUNED);
    v->value = values[i];
  }
  return 1;
}

fmu_status state_restore(instance *f, const void *state, const char *call) {
  cps_error err = {0};
  head h;
  int rebuild;
  if (!instance_allowed(f, PHASES_ALL, call)) return FMU_ERROR;
  if (!state) return instance_refuse(f, "%s: there is no state", call);
  memcpy(&h, state, sizeof h);
  if (!fits(f, &h)) return instance_refuse(f, "%s: this state is of another FMU", call);
  const char *at = (const char *)state + sizeof h;
  size_t inner = (size_t)h.size - sizeof h - values_size(f);
  int started = !(h.phase & (PHASE_NEW | PHASE_INIT));
  if ((inner > 0) != started || !take_values(f, (const double *)at, &rebuild))
    return instance_refuse(f, "%s: this state has values that no FMU can have", call);
  f->followed = 0;
  if (!started) {
    f->stale = 1;
    f->phase = (fmu_phase)h.phase;
    return FMU_OK;
  }
  /* from here on nothing of before is left if it fails */
  f->phase = PHASE_FAILED;
  if (rebuild && instance_prepare(f) != FMU_OK) return FMU_ERROR;
  if (inner != sim_size(f, h.phase, &err)) return instance_refuse(f, "%s: this state does not fit", call);
  at += values_size(f);
  cps_status status = h.sum ? cps_simulation_state_take(f->sim, at, inner, &err)
                            : cps_simulation_state_set(f->sim, at, &err);
  if (status != CPS_OK) return instance_failed(f, &err);
  f->phase = (fmu_phase)h.phase;
  return FMU_OK;
}

fmu_status state_free(void **state) {
  if (!state) return FMU_OK;
  free(*state);
  *state = NULL;
  return FMU_OK;
}

fmu_status state_bytes(instance *f, const void *state, size_t *size, const char *call) {
  head h;
  if (!f) return FMU_ERROR;
  if (!state || !size) return instance_refuse(f, "%s: there is no state", call);
  memcpy(&h, state, sizeof h);
  *size = (size_t)h.size;
  return FMU_OK;
}

fmu_status state_write(instance *f, const void *state, void *bytes, size_t n, const char *call) {
  size_t size = 0;
  if (state_bytes(f, state, &size, call) != FMU_OK) return FMU_ERROR;
  if (!bytes || n < size)
    return instance_refuse(f, "%s: %zu bytes are too few for a state of %zu", call, n, size);
  memcpy(bytes, state, size);
  uint64_t sum = sum_of(bytes, size);
  memcpy((char *)bytes + offsetof(head, sum), &sum, sizeof sum);
  return FMU_OK;
}

fmu_status state_read(instance *f, const void *bytes, size_t n, void **state, const char *call) {
  head h;
  if (!instance_allowed(f, PHASES_ALL, call)) return FMU_ERROR;
  if (!bytes || !state) return instance_refuse(f, "%s: an argument is missing", call);
  if (n >= sizeof h) memcpy(&h, bytes, sizeof h);
  if (n < sizeof h || h.size != n || !fits(f, &h))
    return instance_refuse(f, "%s: these bytes are no state of this FMU", call);
  if (h.sum != sum_of(bytes, n)) return instance_refuse(f, "%s: these bytes are damaged", call);
  void *made = malloc(n);
  if (!made) return instance_no_memory(f);
  memcpy(made, bytes, n);
  free(*state);
  *state = made;
  return FMU_OK;
}
