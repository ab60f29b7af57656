/* fmi3.c - FMI 3.0 for co-simulation, on instance.h. Names and types are those of the standard (FMI 3.0.2, sections 2 and 4). */
#include "instance.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FMI_API __attribute__((visibility("default")))

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean *,
                                               fmi3Float64 *);

typedef struct component {
  instance *f;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
  bool logging;
  double start;
} component;

static void tell(void *to, int is_error, const char *text) {
  component *c = to;
  if (!c->log || (!is_error && !c->logging)) return;
  c->log(c->environment, is_error ? fmi3Error : fmi3OK, is_error ? "logStatusError" : "logEvents", text);
}

static int allowed(component *c, unsigned phases, const char *call) {
  if (!c) return 0;
  if (c->f && phases >> c->f->phase & 1) return 1;
  char text[200];
  snprintf(text, sizeof text, "%s is not allowed now%s", call,
           c->f && c->f->phase == PHASE_FAILED ? ": the simulation has failed" : "");
  tell(c, 1, text);
  return 0;
}
enum {
  P_NEW = 1 << PHASE_INSTANTIATED,
  P_INIT = 1 << PHASE_INITIALIZATION,
  P_STEP = 1 << PHASE_STEP,
  P_EVENT = 1 << PHASE_EVENT,
  P_END = 1 << PHASE_TERMINATED,
  P_FAIL = 1 << PHASE_FAILED,
  P_LIVE = P_NEW | P_INIT | P_STEP | P_EVENT,
  P_ANY = P_LIVE | P_END | P_FAIL
};

FMI_API const char *fmi3GetVersion(void) { return "3.0"; }

FMI_API fmi3Status fmi3SetDebugLogging(fmi3Instance x, fmi3Boolean on, size_t n,
                                       const fmi3String categories[]) {
  (void)n, (void)categories;
  component *c = x;
  if (!c) return fmi3Error;
  c->logging = on;
  return fmi3OK;
}

FMI_API void fmi3FreeInstance(fmi3Instance x) {
  component *c = x;
  if (!c) return;
  instance_free(c->f);
  free(c);
}

FMI_API fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)name, (void)token, (void)visible, (void)required, (void)n_required, (void)update;
  component *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->environment = environment;
  c->log = log;
  c->logging = logging;
  c->f = instance_new(resources, tell, c);
  if (!c->f) {
    free(c);
    return NULL;
  }
  c->f->events_wanted = event_mode && early_return;
  return c;
}

static fmi3Instance refuse(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  if (log) log(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation");
  return NULL;
}
FMI_API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                  fmi3Boolean visible, fmi3Boolean logging,
                                                  fmi3InstanceEnvironment environment,
                                                  fmi3LogMessageCallback log) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  return refuse(environment, log);
}
FMI_API fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, void *clock, void *lock, void *unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock,
      (void)unlock;
  return refuse(environment, log);
}

FMI_API fmi3Status fmi3EnterInitializationMode(fmi3Instance x, fmi3Boolean has_tolerance,
                                               fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
                                               fmi3Float64 stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  component *c = x;
  if (!allowed(c, P_NEW, "fmi3EnterInitializationMode")) return fmi3Error;
  c->start = start;
  c->f->phase = PHASE_INITIALIZATION;
  return fmi3OK;
}

FMI_API fmi3Status fmi3ExitInitializationMode(fmi3Instance x) {
  component *c = x;
  if (!allowed(c, P_INIT, "fmi3ExitInitializationMode")) return fmi3Error;
  if (!instance_initialize(c->f, c->start)) return fmi3Error;
  if (c->f->events_wanted) c->f->phase = PHASE_EVENT;
  return fmi3OK;
}

FMI_API fmi3Status fmi3EnterEventMode(fmi3Instance x) {
  component *c = x;
  if (!allowed(c, P_STEP, "fmi3EnterEventMode")) return fmi3Error;
  c->f->phase = PHASE_EVENT;
  return fmi3OK;
}

FMI_API fmi3Status fmi3EnterStepMode(fmi3Instance x) {
  component *c = x;
  if (!allowed(c, P_EVENT, "fmi3EnterStepMode")) return fmi3Error;
  c->f->phase = PHASE_STEP;
  return fmi3OK;
}

FMI_API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance x, fmi3Boolean *need_update, fmi3Boolean *terminate,
                                            fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *has_next,
                                            fmi3Float64 *next) {
  component *c = x;
  if (!allowed(c, P_EVENT, "fmi3UpdateDiscreteStates")) return fmi3Error;
  if (need_update) *need_update = false;
  if (terminate) *terminate = false;
  if (nominals) *nominals = false;
  if (values) *values = false;
  if (has_next) *has_next = false;
  if (next) *next = 0;
  return fmi3OK;
}

FMI_API fmi3Status fmi3EnterConfigurationMode(fmi3Instance x) {
  return allowed(x, P_NEW, "fmi3EnterConfigurationMode") ? fmi3OK : fmi3Error;
}
FMI_API fmi3Status fmi3ExitConfigurationMode(fmi3Instance x) {
  return allowed(x, P_NEW, "fmi3ExitConfigurationMode") ? fmi3OK : fmi3Error;
}

FMI_API fmi3Status fmi3Terminate(fmi3Instance x) {
  component *c = x;
  if (!allowed(c, P_STEP | P_EVENT, "fmi3Terminate")) return fmi3Error;
  c->f->phase = PHASE_TERMINATED;
  return fmi3OK;
}

FMI_API fmi3Status fmi3Reset(fmi3Instance x) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi3Reset")) return fmi3Error;
  return instance_reset(c->f) ? fmi3OK : fmi3Error;
}

FMI_API fmi3Status fmi3GetFloat64(fmi3Instance x, const fmi3ValueReference r[], size_t n,
                                  fmi3Float64 values[], size_t n_values) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi3GetFloat64") || n_values < n) return fmi3Error;
  for (size_t i = 0; i < n; i++)
    if (!instance_get(c->f, r[i], &values[i])) return fmi3Error;
  return fmi3OK;
}

FMI_API fmi3Status fmi3SetFloat64(fmi3Instance x, const fmi3ValueReference r[], size_t n,
                                  const fmi3Float64 values[], size_t n_values) {
  component *c = x;
  if (!allowed(c, P_LIVE, "fmi3SetFloat64") || n_values < n) return fmi3Error;
  for (size_t i = 0; i < n; i++)
    if (!instance_set(c->f, r[i], values[i])) return fmi3Error;
  return fmi3OK;
}

/* What the standard has and this FMU has no variables or capabilities for: nothing asked is fine, anything else an error. */
static fmi3Status none(component *c, size_t n, const char *what) {
  if (n == 0) return fmi3OK;
  char text[100];
  snprintf(text, sizeof text, "this FMU has no %s", what);
  if (c) tell(c, 1, text);
  return fmi3Error;
}
#define NO_VARIABLES(Name, type, what)                                                                       \
  FMI_API fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference r[], size_t n, type v[],         \
                                   size_t m) {                                                               \
    (void)r, (void)v, (void)m;                                                                               \
    return none(c, n, what);                                                                                 \
  }                                                                                                          \
  FMI_API fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference r[], size_t n, const type v[],   \
                                   size_t m) {                                                               \
    (void)r, (void)v, (void)m;                                                                               \
    return none(c, n, what);                                                                                 \
  }
NO_VARIABLES(Float32, float, "variables of type Float32")
NO_VARIABLES(Int8, int8_t, "variables of type Int8")
NO_VARIABLES(UInt8, uint8_t, "variables of type UInt8")
NO_VARIABLES(Int16, int16_t, "variables of type Int16")
NO_VARIABLES(UInt16, uint16_t, "variables of type UInt16")
NO_VARIABLES(Int32, int32_t, "variables of type Int32")
NO_VARIABLES(UInt32, uint32_t, "variables of type UInt32")
NO_VARIABLES(Int64, int64_t, "variables of type Int64")
NO_VARIABLES(UInt64, uint64_t, "variables of type UInt64")
NO_VARIABLES(Boolean, bool, "variables of type Boolean")
NO_VARIABLES(String, fmi3String, "variables of type String")

FMI_API fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference r[], size_t n, size_t s[],
                                 const fmi3Byte *v[], size_t m) {
  (void)r, (void)s, (void)v, (void)m;
  return none(c, n, "variables of type Binary");
}
FMI_API fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference r[], size_t n, const size_t s[],
                                 const fmi3Byte *const v[], size_t m) {
  (void)r, (void)s, (void)v, (void)m;
  return none(c, n, "variables of type Binary");
}
FMI_API fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, bool v[]) {
  (void)r, (void)v;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, const bool v[]) {
  (void)r, (void)v;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference r[], size_t n, double i[],
                                          int q[]) {
  (void)r, (void)i, (void)q;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                           uint64_t a[], uint64_t b[], int q[]) {
  (void)r, (void)a, (void)b, (void)q;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference r[], size_t n, double v[]) {
  (void)r, (void)v;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference r[], size_t n, uint64_t a[],
                                        uint64_t b[]) {
  (void)r, (void)a, (void)b;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                          const double v[]) {
  (void)r, (void)v;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                           const uint64_t a[], const uint64_t b[]) {
  (void)r, (void)a, (void)b;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                       const double v[]) {
  (void)r, (void)v;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                        const uint64_t a[], const uint64_t b[]) {
  (void)r, (void)a, (void)b;
  return none(c, n, "clocks");
}
FMI_API fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  return allowed(c, P_EVENT | P_INIT, "fmi3EvaluateDiscreteStates") ? fmi3OK : fmi3Error;
}
FMI_API fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference r, size_t *n) {
  (void)r, (void)n;
  return none(c, 1, "arrays with dependencies");
}
FMI_API fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference r, size_t a[],
                                               fmi3ValueReference b[], size_t d[], int k[], size_t n) {
  (void)r, (void)a, (void)b, (void)d, (void)k;
  return none(c, n + 1, "arrays with dependencies");
}
FMI_API fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference u[], size_t nu,
                                                const fmi3ValueReference k[], size_t nk, const double seed[],
                                                size_t ns, double s[], size_t n) {
  component *x = c;
  if (!allowed(x, P_STEP | P_EVENT | P_END, "fmi3GetDirectionalDerivative")) return fmi3Error;
  return ns == nk && n == nu && instance_directional(x->f, u, nu, k, nk, seed, s) ? fmi3OK : fmi3Error;
}
FMI_API fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference u[], size_t nu,
                                            const fmi3ValueReference k[], size_t nk, const double seed[],
                                            size_t ns, double s[], size_t n) {
  component *x = c;
  if (!allowed(x, P_STEP | P_EVENT | P_END, "fmi3GetAdjointDerivative")) return fmi3Error;
  return ns == nu && n == nk && instance_adjoint(x->f, u, nu, k, nk, seed, s) ? fmi3OK : fmi3Error;
}
FMI_API fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                            const int32_t order[], double v[], size_t m) {
  (void)r, (void)order, (void)v, (void)m;
  return none(c, n, "output derivatives");
}
/* Of model exchange and scheduled execution. */
FMI_API fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return none(c, 1, "model exchange"); }
FMI_API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, bool a, bool *b, bool *d) {
  (void)a, (void)b, (void)d;
  return none(c, 1, "model exchange");
}
FMI_API fmi3Status fmi3SetTime(fmi3Instance c, double t) {
  (void)t;
  return none(c, 1, "model exchange");
}
FMI_API fmi3Status fmi3SetContinuousStates(fmi3Instance c, const double v[], size_t n) {
  (void)v;
  return none(c, n + 1, "model exchange");
}
FMI_API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, double v[], size_t n) {
  (void)v;
  return none(c, n + 1, "model exchange");
}
FMI_API fmi3Status fmi3GetEventIndicators(fmi3Instance c, double v[], size_t n) {
  (void)v;
  return none(c, n + 1, "model exchange");
}
FMI_API fmi3Status fmi3GetContinuousStates(fmi3Instance c, double v[], size_t n) {
  (void)v;
  return none(c, n + 1, "model exchange");
}
FMI_API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, double v[], size_t n) {
  (void)v;
  return none(c, n + 1, "model exchange");
}
FMI_API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
  (void)n;
  return none(c, 1, "model exchange");
}
FMI_API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
  (void)n;
  return none(c, 1, "model exchange");
}
FMI_API fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference r, double t) {
  (void)r, (void)t;
  return none(c, 1, "scheduled execution");
}

/* ------------------------------------------------------------------ state */

FMI_API fmi3Status fmi3GetFMUState(fmi3Instance x, fmi3FMUState *state) {
  component *c = x;
  if (!allowed(c, P_ANY & ~P_FAIL, "fmi3GetFMUState")) return fmi3Error;
  return instance_state_save(c->f, state) ? fmi3OK : fmi3Error;
}

FMI_API fmi3Status fmi3SetFMUState(fmi3Instance x, fmi3FMUState state) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi3SetFMUState")) return fmi3Error;
  return instance_state_restore(c->f, state) ? fmi3OK : fmi3Error;
}

FMI_API fmi3Status fmi3FreeFMUState(fmi3Instance x, fmi3FMUState *state) {
  (void)x;
  if (!state) return fmi3OK;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

FMI_API fmi3Status fmi3SerializedFMUStateSize(fmi3Instance x, fmi3FMUState state, size_t *size) {
  (void)x;
  *size = instance_state_bytes(state);
  return *size ? fmi3OK : fmi3Error;
}

FMI_API fmi3Status fmi3SerializeFMUState(fmi3Instance x, fmi3FMUState state, fmi3Byte bytes[], size_t n) {
  (void)x;
  size_t size = instance_state_bytes(state);
  if (!size || n < size) return fmi3Error;
  memcpy(bytes, state, size);
  return fmi3OK;
}

FMI_API fmi3Status fmi3DeserializeFMUState(fmi3Instance x, const fmi3Byte bytes[], size_t n,
                                           fmi3FMUState *state) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi3DeserializeFMUState")) return fmi3Error;
  return instance_state_load(c->f, bytes, n, state) ? fmi3OK : fmi3Error;
}

/* ------------------------------------------------------------------ co-simulation */

FMI_API fmi3Status fmi3DoStep(fmi3Instance x, fmi3Float64 at, fmi3Float64 step, fmi3Boolean no_set_state,
                              fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                              fmi3Float64 *last) {
  (void)no_set_state;
  component *c = x;
  double reached;
  int stopped = 0;
  if (!allowed(c, P_STEP, "fmi3DoStep")) return fmi3Error;
  if (!(step > 0)) {
    tell(c, 1, "fmi3DoStep: the step has to be greater than 0");
    return fmi3Error;
  }
  int good = instance_step(c->f, at + step, &reached, &stopped);
  if (event) *event = stopped != 0;
  if (terminate) *terminate = !good;
  if (early) *early = stopped != 0;
  if (last) *last = reached;
  return good ? fmi3OK : fmi3Error;
}
