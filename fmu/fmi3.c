/* fmi3.c - FMI 3.0, on instance.h. Names and types are those of the standard (FMI 3.0.2, sections 2 to 4). */
#include "fmi_api.h"
#include "instance.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

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

/* Where messages of an instance go. */
typedef struct front {
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
} front;

static void tell(void *to, fmu_message kind, const char *text) {
  static const fmi3Status statuses[] = {fmi3Error, fmi3Warning, fmi3OK};
  front *x = to;
  if (x->log) x->log(x->environment, statuses[kind], fmu_categories[kind], text);
}

/* The result of a call that takes an instance first. */
#define CALL(expression) return (fmi3Status)(expression)

FMI_API const char *fmi3GetVersion(void) { return "3.0"; }

FMI_API fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n,
                                       const fmi3String categories[]) {
  CALL(instance_logging(c, on, n, categories));
}

FMI_API void fmi3FreeInstance(fmi3Instance c) {
  instance *f = c;
  if (!f) return;
  free(f->front);
  instance_free(f);
}

static instance *instantiate(const char *token, const char *resources, int exchange, int logging,
                             fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  front *x = calloc(1, sizeof *x);
  if (!x) return NULL;
  *x = (front){environment, log};
  instance_setup setup = {.token = token ? token : "",
                          .resources = resources,
                          .exchange = exchange,
                          .logging = logging,
                          .log = tell,
                          .front = x};
  instance *f = instance_new(&setup);
  if (!f) free(x);
  return f;
}

FMI_API fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)name, (void)visible, (void)required, (void)n_required, (void)update;
  instance *f = instantiate(token, resources, 0, logging, environment, log);
  if (f) f->event_mode = event_mode, f->early_return = event_mode && early_return;
  return f;
}
FMI_API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                  fmi3Boolean visible, fmi3Boolean logging,
                                                  fmi3InstanceEnvironment environment,
                                                  fmi3LogMessageCallback log) {
  (void)name, (void)visible;
  return instantiate(token, resources, 1, logging, environment, log);
}
FMI_API fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, void *clock, void *lock, void *unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock,
      (void)unlock;
  if (log) log(environment, fmi3Error, fmu_categories[MESSAGE_ERROR], "this FMU has no scheduled execution");
  return NULL;
}

/* ------------------------------------------------------------------ life */

FMI_API fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                               fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
                                               fmi3Float64 stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  CALL(instance_enter_initialization(c, start, "fmi3EnterInitializationMode"));
}
FMI_API fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  instance *f = c;
  CALL(instance_exit_initialization(f, f && (f->exchange || f->event_mode) ? PHASE_EVENT : PHASE_STEP,
                                    "fmi3ExitInitializationMode"));
}
FMI_API fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  instance *f = c;
  CALL(instance_enter(f,
                      f && f->exchange     ? PHASE_CONTINUOUS
                      : f && f->event_mode ? PHASE_STEP
                                           : 0,
                      PHASE_EVENT, "fmi3EnterEventMode"));
}
FMI_API fmi3Status fmi3EnterStepMode(fmi3Instance c) {
  instance *f = c;
  CALL(instance_enter(f, f && f->exchange ? 0 : PHASE_EVENT, PHASE_STEP, "fmi3EnterStepMode"));
}
/* There are no structural parameters, and nothing to be configured. */
FMI_API fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
  CALL(instance_enter(c, PHASE_NEW, PHASE_NEW, "fmi3EnterConfigurationMode"));
}
FMI_API fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
  CALL(instance_enter(c, PHASE_NEW, PHASE_NEW, "fmi3ExitConfigurationMode"));
}
FMI_API fmi3Status fmi3Terminate(fmi3Instance c) {
  CALL(instance_enter(c, PHASES_RUNNING, PHASE_ENDED, "fmi3Terminate"));
}
FMI_API fmi3Status fmi3Reset(fmi3Instance c) { CALL(instance_reset(c, "fmi3Reset")); }

FMI_API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *need_update, fmi3Boolean *terminate,
                                            fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *has_next,
                                            fmi3Float64 *next) {
  static const char call[] = "fmi3UpdateDiscreteStates";
  instance *f = c;
  cps_exchange_outcome o = {.next = INFINITY};
  fmu_status status = f && f->exchange ? exchange_event(f, &o, call)
                                       : instance_enter(f, PHASE_EVENT, PHASE_EVENT, call);
  if (need_update) *need_update = false;
  if (terminate) *terminate = false;
  if (nominals) *nominals = false;
  if (values) *values = o.changed != 0;
  if (has_next) *has_next = isfinite(o.next);
  if (next) *next = isfinite(o.next) ? o.next : 0;
  CALL(status);
}
FMI_API fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  CALL(instance_allowed(c, PHASE_INIT | PHASE_EVENT, "fmi3EvaluateDiscreteStates") ? FMU_OK : FMU_ERROR);
}

/* ------------------------------------------------------------------ variables */

FMI_API fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                  fmi3Float64 values[], size_t n_values) {
  CALL(instance_get(c, r, n, values, n_values, "fmi3GetFloat64"));
}
FMI_API fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                  const fmi3Float64 values[], size_t n_values) {
  CALL(instance_set(c, r, n, values, n_values, "fmi3SetFloat64"));
}

/* What the standard has and this FMU has no variables or capabilities for: nothing asked is fine, anything else an error. */
static fmi3Status none(instance *f, size_t n, const char *what) {
  if (n == 0) return fmi3OK;
  CALL(f ? instance_refuse(f, "this FMU has no %s", what) : FMU_ERROR);
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
FMI_API fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference r, size_t *n) {
  (void)r, (void)n;
  return none(c, 1, "dependencies of elements");
}
FMI_API fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference r, size_t a[],
                                               fmi3ValueReference b[], size_t d[], int k[], size_t n) {
  (void)r, (void)a, (void)b, (void)d, (void)k, (void)n;
  return none(c, 1, "dependencies of elements");
}
FMI_API fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference u[], size_t nu,
                                                const fmi3ValueReference k[], size_t nk, const double seed[],
                                                size_t ns, double s[], size_t n) {
  static const char call[] = "fmi3GetDirectionalDerivative";
  if (c && (ns != nk || n != nu)) CALL(instance_refuse(c, "%s: lengths do not agree", call));
  CALL(instance_directional(c, u, nu, k, nk, seed, s, call));
}
FMI_API fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference u[], size_t nu,
                                            const fmi3ValueReference k[], size_t nk, const double seed[],
                                            size_t ns, double s[], size_t n) {
  static const char call[] = "fmi3GetAdjointDerivative";
  if (c && (ns != nu || n != nk)) CALL(instance_refuse(c, "%s: lengths do not agree", call));
  CALL(instance_adjoint(c, u, nu, k, nk, seed, s, call));
}
FMI_API fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference r[], size_t n,
                                            const int32_t order[], double v[], size_t m) {
  (void)r, (void)order, (void)v, (void)m;
  return none(c, n, "derivatives of outputs over time");
}
FMI_API fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference r, double t) {
  (void)r, (void)t;
  return none(c, 1, "scheduled execution");
}

/* ------------------------------------------------------------------ state */

FMI_API fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
  CALL(state_save(c, state, "fmi3GetFMUState"));
}
FMI_API fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  CALL(state_restore(c, state, "fmi3SetFMUState"));
}
FMI_API fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
  (void)c;
  CALL(state_free(state));
}
FMI_API fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
  CALL(state_bytes(c, state, size, "fmi3SerializedFMUStateSize"));
}
FMI_API fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t n) {
  CALL(state_write(c, state, bytes, n, "fmi3SerializeFMUState"));
}
FMI_API fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t n,
                                           fmi3FMUState *state) {
  CALL(state_read(c, bytes, n, state, "fmi3DeserializeFMUState"));
}

/* ------------------------------------------------------------------ co-simulation */

FMI_API fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 at, fmi3Float64 step, fmi3Boolean no_set_state,
                              fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                              fmi3Float64 *last) {
  (void)no_set_state;
  instance *f = c;
  int stopped;
  fmu_status status = instance_step(f, at, step, &stopped, "fmi3DoStep");
  if (event) *event = stopped != 0;
  if (terminate) *terminate = false;
  if (early) *early = stopped != 0;
  if (last) *last = f ? cps_simulation_time(f->sim) : at;
  CALL(status == FMU_DISCARD ? FMU_ERROR : status);
}

/* ------------------------------------------------------------------ model exchange */

FMI_API fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  instance *f = c;
  CALL(
      instance_enter(f, f && f->exchange ? PHASE_EVENT : 0, PHASE_CONTINUOUS, "fmi3EnterContinuousTimeMode"));
}
FMI_API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state, fmi3Boolean *event,
                                               fmi3Boolean *terminate) {
  (void)no_set_state;
  int passed;
  fmu_status status = exchange_completed(c, &passed, "fmi3CompletedIntegratorStep");
  if (event) *event = passed != 0;
  if (terminate) *terminate = false;
  CALL(status);
}
FMI_API fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) { CALL(exchange_time(c, t, "fmi3SetTime")); }
FMI_API fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 y[], size_t n) {
  CALL(exchange_put(c, y, n, "fmi3SetContinuousStates"));
}
FMI_API fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 y[], size_t n) {
  CALL(exchange_get(c, y, n, "fmi3GetContinuousStates"));
}
FMI_API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 y_t[], size_t n) {
  CALL(exchange_rates(c, y_t, n, "fmi3GetContinuousStateDerivatives"));
}
FMI_API fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 guards[], size_t n) {
  CALL(exchange_guards(c, guards, n, "fmi3GetEventIndicators"));
}
FMI_API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t n) {
  CALL(exchange_nominals(c, nominals, n, "fmi3GetNominalsOfContinuousStates"));
}
static fmi3Status count(instance *f, int count, size_t *n) {
  if (!f || !n) return fmi3Error;
  *n = (size_t)count;
  return fmi3OK;
}
FMI_API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
  instance *f = c;
  return count(f, f ? f->n_guards : 0, n);
}
FMI_API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
  instance *f = c;
  return count(f, f ? f->n_states : 0, n);
}
