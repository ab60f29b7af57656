/* fmi2.c - FMI 2.0 for co-simulation, on instance.h. Names and types are those of the standard (FMI 2.0.4, section 2 and 4). */
#include "instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FMI_API __attribute__((visibility("default")))

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

typedef struct component {
  instance *f;
  char *name;
  fmi2CallbackFunctions call;
  fmi2Boolean logging;
  double start;
} component;

static void tell(void *to, int is_error, const char *text) {
  component *c = to;
  if (!c->call.logger || (!is_error && !c->logging)) return;
  c->call.logger(c->call.environment, c->name, is_error ? fmi2Error : fmi2OK,
                 is_error ? "logStatusError" : "logAll", "%s", text);
}

/* Whether a call comes in one of the allowed phases, given as bits. */
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
  P_END = 1 << PHASE_TERMINATED,
  P_FAIL = 1 << PHASE_FAILED,
  P_LIVE = P_NEW | P_INIT | P_STEP,
  P_ANY = P_LIVE | P_END | P_FAIL
};

FMI_API const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI_API const char *fmi2GetVersion(void) { return "2.0"; }

FMI_API fmi2Status fmi2SetDebugLogging(fmi2Component x, fmi2Boolean on, size_t n,
                                       const fmi2String categories[]) {
  (void)n, (void)categories;
  component *c = x;
  if (!c) return fmi2Error;
  c->logging = on;
  return fmi2OK;
}

FMI_API void fmi2FreeInstance(fmi2Component x) {
  component *c = x;
  if (!c) return;
  instance_free(c->f);
  free(c->name);
  free(c);
}

FMI_API fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                      const fmi2CallbackFunctions *call, fmi2Boolean visible,
                                      fmi2Boolean logging) {
  (void)visible, (void)guid;
  component *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  if (call) c->call = *call;
  c->logging = logging;
  size_t length = name ? strlen(name) : 0;
  c->name = malloc(length + 1);
  if (c->name) {
    memcpy(c->name, name ? name : "", length);
    c->name[length] = 0;
  }
  if (type != fmi2CoSimulation)
    tell(c, 1, "this FMU is for co-simulation");
  else if (c->name)
    c->f = instance_new(resources, tell, c);
  if (c->f) return c;
  fmi2FreeInstance(c);
  return NULL;
}

FMI_API fmi2Status fmi2SetupExperiment(fmi2Component x, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                       fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  component *c = x;
  if (!allowed(c, P_NEW, "fmi2SetupExperiment")) return fmi2Error;
  c->start = start;
  return fmi2OK;
}

FMI_API fmi2Status fmi2EnterInitializationMode(fmi2Component x) {
  component *c = x;
  if (!allowed(c, P_NEW, "fmi2EnterInitializationMode")) return fmi2Error;
  c->f->phase = PHASE_INITIALIZATION;
  return fmi2OK;
}

FMI_API fmi2Status fmi2ExitInitializationMode(fmi2Component x) {
  component *c = x;
  if (!allowed(c, P_INIT, "fmi2ExitInitializationMode")) return fmi2Error;
  return instance_initialize(c->f, c->start) ? fmi2OK : fmi2Error;
}

FMI_API fmi2Status fmi2Terminate(fmi2Component x) {
  component *c = x;
  if (!allowed(c, P_STEP, "fmi2Terminate")) return fmi2Error;
  c->f->phase = PHASE_TERMINATED;
  return fmi2OK;
}

FMI_API fmi2Status fmi2Reset(fmi2Component x) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi2Reset")) return fmi2Error;
  return instance_reset(c->f) ? fmi2OK : fmi2Error;
}

FMI_API fmi2Status fmi2GetReal(fmi2Component x, const fmi2ValueReference r[], size_t n, fmi2Real value[]) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi2GetReal")) return fmi2Error;
  for (size_t i = 0; i < n; i++)
    if (!instance_get(c->f, r[i], &value[i])) return fmi2Error;
  return fmi2OK;
}

FMI_API fmi2Status fmi2SetReal(fmi2Component x, const fmi2ValueReference r[], size_t n,
                               const fmi2Real value[]) {
  component *c = x;
  if (!allowed(c, P_LIVE, "fmi2SetReal")) return fmi2Error;
  for (size_t i = 0; i < n; i++)
    if (!instance_set(c->f, r[i], value[i])) return fmi2Error;
  return fmi2OK;
}

/* There are real variables only. */
static fmi2Status none(component *c, size_t n, const char *type) {
  if (n == 0) return fmi2OK;
  char text[80];
  snprintf(text, sizeof text, "this FMU has no variables of type %s", type);
  if (c) tell(c, 1, text);
  return fmi2Error;
}
FMI_API fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer v[]) {
  (void)r, (void)v;
  return none(c, n, "Integer");
}
FMI_API fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Boolean v[]) {
  (void)r, (void)v;
  return none(c, n, "Boolean");
}
FMI_API fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2String v[]) {
  (void)r, (void)v;
  return none(c, n, "String");
}
FMI_API fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                  const fmi2Integer v[]) {
  (void)r, (void)v;
  return none(c, n, "Integer");
}
FMI_API fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                  const fmi2Boolean v[]) {
  (void)r, (void)v;
  return none(c, n, "Boolean");
}
FMI_API fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                 const fmi2String v[]) {
  (void)r, (void)v;
  return none(c, n, "String");
}

/* ------------------------------------------------------------------ state */

FMI_API fmi2Status fmi2GetFMUstate(fmi2Component x, fmi2FMUstate *state) {
  component *c = x;
  if (!allowed(c, P_ANY & ~P_FAIL, "fmi2GetFMUstate")) return fmi2Error;
  return instance_state_save(c->f, state) ? fmi2OK : fmi2Error;
}

FMI_API fmi2Status fmi2SetFMUstate(fmi2Component x, fmi2FMUstate state) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi2SetFMUstate")) return fmi2Error;
  return instance_state_restore(c->f, state) ? fmi2OK : fmi2Error;
}

FMI_API fmi2Status fmi2FreeFMUstate(fmi2Component x, fmi2FMUstate *state) {
  (void)x;
  if (!state) return fmi2OK;
  free(*state);
  *state = NULL;
  return fmi2OK;
}

FMI_API fmi2Status fmi2SerializedFMUstateSize(fmi2Component x, fmi2FMUstate state, size_t *size) {
  (void)x;
  *size = instance_state_bytes(state);
  return *size ? fmi2OK : fmi2Error;
}

FMI_API fmi2Status fmi2SerializeFMUstate(fmi2Component x, fmi2FMUstate state, fmi2Byte bytes[], size_t n) {
  (void)x;
  size_t size = instance_state_bytes(state);
  if (!size || n < size) return fmi2Error;
  memcpy(bytes, state, size);
  return fmi2OK;
}

FMI_API fmi2Status fmi2DeSerializeFMUstate(fmi2Component x, const fmi2Byte bytes[], size_t n,
                                           fmi2FMUstate *state) {
  component *c = x;
  if (!allowed(c, P_ANY, "fmi2DeSerializeFMUstate")) return fmi2Error;
  return instance_state_load(c->f, bytes, n, state) ? fmi2OK : fmi2Error;
}

FMI_API fmi2Status fmi2GetDirectionalDerivative(fmi2Component x, const fmi2ValueReference u[], size_t nu,
                                                const fmi2ValueReference k[], size_t nk, const fmi2Real dk[],
                                                fmi2Real du[]) {
  component *c = x;
  if (!allowed(c, P_STEP | P_END, "fmi2GetDirectionalDerivative")) return fmi2Error;
  return instance_directional(c->f, u, nu, k, nk, dk, du) ? fmi2OK : fmi2Error;
}

/* ------------------------------------------------------------------ co-simulation */

FMI_API fmi2Status fmi2SetRealInputDerivatives(fmi2Component x, const fmi2ValueReference r[], size_t n,
                                               const fmi2Integer order[], const fmi2Real value[]) {
  (void)r, (void)order, (void)value;
  return none(x, n, "input derivative");
}
FMI_API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component x, const fmi2ValueReference r[], size_t n,
                                                const fmi2Integer order[], fmi2Real value[]) {
  (void)r, (void)order, (void)value;
  return none(x, n, "output derivative");
}

FMI_API fmi2Status fmi2DoStep(fmi2Component x, fmi2Real at, fmi2Real step, fmi2Boolean no_set_state) {
  (void)no_set_state;
  component *c = x;
  double reached;
  if (!allowed(c, P_STEP, "fmi2DoStep")) return fmi2Error;
  if (!(step >= 0)) {
    tell(c, 1, "fmi2DoStep: the step has to be at least 0");
    return fmi2Error;
  }
  return instance_step(c->f, at + step, &reached, NULL) ? fmi2OK : fmi2Discard;
}

FMI_API fmi2Status fmi2CancelStep(fmi2Component x) {
  if (x) tell(x, 1, "steps cannot be cancelled: they are done when fmi2DoStep returns");
  return fmi2Error;
}
FMI_API fmi2Status fmi2GetStatus(fmi2Component x, fmi2StatusKind kind, fmi2Status *value) {
  component *c = x;
  if (!c || kind != fmi2DoStepStatus) return fmi2Discard;
  *value = c->f->phase == PHASE_FAILED ? fmi2Error : fmi2OK;
  return fmi2OK;
}
FMI_API fmi2Status fmi2GetRealStatus(fmi2Component x, fmi2StatusKind kind, fmi2Real *value) {
  component *c = x;
  if (!c || kind != fmi2LastSuccessfulTime) return fmi2Discard;
  return instance_get(c->f, 0, value) ? fmi2OK : fmi2Error;
}
FMI_API fmi2Status fmi2GetIntegerStatus(fmi2Component x, fmi2StatusKind kind, fmi2Integer *value) {
  (void)x, (void)kind, (void)value;
  return fmi2Discard;
}
FMI_API fmi2Status fmi2GetBooleanStatus(fmi2Component x, fmi2StatusKind kind, fmi2Boolean *value) {
  component *c = x;
  if (!c || kind != fmi2Terminated) return fmi2Discard;
  *value = c->f->phase == PHASE_TERMINATED;
  return fmi2OK;
}
FMI_API fmi2Status fmi2GetStringStatus(fmi2Component x, fmi2StatusKind kind, fmi2String *value) {
  (void)x, (void)kind, (void)value;
  return fmi2Discard;
}
