/* fmi2.c - FMI 2.0, on instance.h. Names and types are those of the standard (FMI 2.0.4, sections 2 to 4). */
#include "fmi_api.h"
#include "instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
                 fmi2String message, ...);
  void *(*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void *);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment environment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

/* Where messages of an instance go. */
typedef struct front {
  fmi2CallbackFunctions call;
  double start;
  char name[]; /* of the instance */
} front;

static void tell(void *to, fmu_message kind, const char *text) {
  static const fmi2Status statuses[] = {fmi2Error, fmi2Warning, fmi2OK};
  front *x = to;
  if (x->call.logger)
    x->call.logger(x->call.environment, x->name, statuses[kind], fmu_categories[kind], "%s", text);
}

/* The result of a call that takes an instance first. */
#define CALL(expression) return (fmi2Status)(expression)

FMI_API const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI_API const char *fmi2GetVersion(void) { return "2.0"; }

FMI_API fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                                       const fmi2String categories[]) {
  CALL(instance_logging(c, on, n, categories));
}

FMI_API void fmi2FreeInstance(fmi2Component c) {
  instance *f = c;
  if (!f) return;
  free(f->front);
  instance_free(f);
}

FMI_API fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                      const fmi2CallbackFunctions *call, fmi2Boolean visible,
                                      fmi2Boolean logging) {
  (void)visible;
  size_t length = name ? strlen(name) : 0;
  front *x = calloc(1, sizeof *x + length + 1);
  if (!x) return NULL;
  if (call) x->call = *call;
  if (length) memcpy(x->name, name, length);
  instance_setup setup = {.token = guid ? guid : "",
                          .resources = resources,
                          .exchange = type == fmi2ModelExchange,
                          .logging = logging,
                          .log = tell,
                          .front = x};
  instance *f = instance_new(&setup);
  if (!f) free(x);
  return f;
}

/* ------------------------------------------------------------------ life */

FMI_API fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                       fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  instance *f = c;
  if (!instance_allowed(f, PHASE_NEW, "fmi2SetupExperiment")) return fmi2Error;
  ((front *)f->front)->start = start;
  return fmi2OK;
}
FMI_API fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  instance *f = c;
  CALL(instance_enter_initialization(f, f ? ((front *)f->front)->start : 0, "fmi2EnterInitializationMode"));
}
FMI_API fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  instance *f = c;
  CALL(instance_exit_initialization(f, f && f->exchange ? PHASE_EVENT : PHASE_STEP,
                                    "fmi2ExitInitializationMode"));
}
FMI_API fmi2Status fmi2Terminate(fmi2Component c) {
  CALL(instance_enter(c, PHASES_RUNNING, PHASE_ENDED, "fmi2Terminate"));
}
FMI_API fmi2Status fmi2Reset(fmi2Component c) { CALL(instance_reset(c, "fmi2Reset")); }

/* ------------------------------------------------------------------ variables: there are real ones only */

FMI_API fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[]) {
  CALL(instance_get(c, r, n, value, n, "fmi2GetReal"));
}
FMI_API fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n,
                               const fmi2Real value[]) {
  CALL(instance_set(c, r, n, value, n, "fmi2SetReal"));
}

/* Nothing asked is fine, anything else an error. */
static fmi2Status none(instance *f, size_t n, const char *what) {
  if (n == 0) return fmi2OK;
  CALL(f ? instance_refuse(f, "this FMU has no %s", what) : FMU_ERROR);
}
#define NO_VARIABLES(Name, type)                                                                             \
  FMI_API fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference r[], size_t n, type v[]) {      \
    (void)r, (void)v;                                                                                        \
    return none(c, n, "variables of type " #Name);                                                           \
  }                                                                                                          \
  FMI_API fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference r[], size_t n,                  \
                                   const type v[]) {                                                         \
    (void)r, (void)v;                                                                                        \
    return none(c, n, "variables of type " #Name);                                                           \
  }
NO_VARIABLES(Integer, fmi2Integer)
NO_VARIABLES(Boolean, fmi2Boolean)
NO_VARIABLES(String, fmi2String)

/* ------------------------------------------------------------------ state */

FMI_API fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  CALL(state_save(c, state, "fmi2GetFMUstate"));
}
FMI_API fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  CALL(state_restore(c, state, "fmi2SetFMUstate"));
}
FMI_API fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  (void)c;
  CALL(state_free(state));
}
FMI_API fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  CALL(state_bytes(c, state, size, "fmi2SerializedFMUstateSize"));
}
FMI_API fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t n) {
  CALL(state_write(c, state, bytes, n, "fmi2SerializeFMUstate"));
}
FMI_API fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t n,
                                           fmi2FMUstate *state) {
  CALL(state_read(c, bytes, n, state, "fmi2DeSerializeFMUstate"));
}

FMI_API fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference u[], size_t nu,
                                                const fmi2ValueReference k[], size_t nk, const fmi2Real dk[],
                                                fmi2Real du[]) {
  CALL(instance_directional(c, u, nu, k, nk, dk, du, "fmi2GetDirectionalDerivative"));
}

/* ------------------------------------------------------------------ co-simulation */

FMI_API fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                               const fmi2Integer order[], const fmi2Real value[]) {
  (void)r, (void)order, (void)value;
  return none(c, n, "derivatives of inputs");
}
FMI_API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                                const fmi2Integer order[], fmi2Real value[]) {
  (void)r, (void)order, (void)value;
  return none(c, n, "derivatives of outputs over time");
}
FMI_API fmi2Status fmi2DoStep(fmi2Component c, fmi2Real at, fmi2Real step, fmi2Boolean no_set_state) {
  (void)no_set_state;
  int early;
  CALL(instance_step(c, at, step, &early, "fmi2DoStep"));
}
FMI_API fmi2Status fmi2CancelStep(fmi2Component c) {
  CALL(c ? instance_refuse(c, "steps cannot be cancelled: they are done when fmi2DoStep returns")
         : FMU_ERROR);
}
FMI_API fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value) {
  instance *f = c;
  if (!f || !value || kind != fmi2DoStepStatus) return fmi2Discard;
  *value = f->phase == PHASE_FAILED ? fmi2Discard : fmi2OK;
  return fmi2OK;
}
FMI_API fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value) {
  instance *f = c;
  if (!f || !value || kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = cps_simulation_time(f->sim);
  return fmi2OK;
}
FMI_API fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
FMI_API fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value) {
  instance *f = c;
  if (!f || !value || kind != fmi2Terminated) return fmi2Discard;
  *value = 0; /* it never asks to be ended */
  return fmi2OK;
}
FMI_API fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}

/* ------------------------------------------------------------------ model exchange */

FMI_API fmi2Status fmi2EnterEventMode(fmi2Component c) {
  CALL(instance_enter(c, PHASE_CONTINUOUS, PHASE_EVENT, "fmi2EnterEventMode"));
}
FMI_API fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  CALL(instance_enter(c, PHASE_EVENT, PHASE_CONTINUOUS, "fmi2EnterContinuousTimeMode"));
}
FMI_API fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  cps_exchange_outcome o;
  fmu_status status = exchange_event(c, &o, "fmi2NewDiscreteStates");
  if (info)
    *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = o.changed,
                            .nextEventTimeDefined = isfinite(o.next),
                            .nextEventTime = isfinite(o.next) ? o.next : 0};
  CALL(status);
}
FMI_API fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state, fmi2Boolean *event,
                                               fmi2Boolean *terminate) {
  (void)no_set_state;
  int passed;
  fmu_status status = exchange_completed(c, &passed, "fmi2CompletedIntegratorStep");
  if (event) *event = passed;
  if (terminate) *terminate = 0;
  CALL(status);
}
FMI_API fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { CALL(exchange_time(c, t, "fmi2SetTime")); }
FMI_API fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real y[], size_t n) {
  CALL(exchange_put(c, y, n, "fmi2SetContinuousStates"));
}
FMI_API fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real y[], size_t n) {
  CALL(exchange_get(c, y, n, "fmi2GetContinuousStates"));
}
FMI_API fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real y_t[], size_t n) {
  CALL(exchange_rates(c, y_t, n, "fmi2GetDerivatives"));
}
FMI_API fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real guards[], size_t n) {
  CALL(exchange_guards(c, guards, n, "fmi2GetEventIndicators"));
}
FMI_API fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t n) {
  CALL(exchange_nominals(c, nominals, n, "fmi2GetNominalsOfContinuousStates"));
}
