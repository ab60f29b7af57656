/* calls.c - calls the functions of an FMU in any order, with any arguments, through its shared object alone: none may crash, and
 * whatever is refused is refused with a message.
 *
 * usage: calls SHARED-OBJECT RESOURCES TOKEN VERSION SEQUENCES SEED
 */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_EACH = 80, ROOM = 4096, STATES_KEPT = 3, STATUS_ERROR = 3 };

static void *object;
static long messages, counts[6], failures;
static uint64_t seed;

static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}
static int one_in(uint32_t n) { return below(n) == 0; }

/* A number: mostly a sensible one. */
static double number(void) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, -1, 1e-300};
  return one_in(4) ? odd[below(8)] : 0.01 * (double)below(100);
}

typedef void function(void);
static function *find(const char *name) {
  union {
    void *data;
    function *code;
  } f = {dlsym(object, name)};
  if (!f.data) {
    printf("there is no %s\n", name);
    exit(1);
  }
  return f.code;
}
#define F(result, name, ...) ((result(*)(__VA_ARGS__))find(name))

/* ------------------------------------------------------------------ what both versions have */

typedef struct session {
  int version, exchange;
  void *f;
  double t;
  void *states[STATES_KEPT];
  double values[ROOM];
  unsigned refs[8];
} session;

static void logger2(void *env, const char *name, int status, const char *category, const char *form, ...) {
  (void)env, (void)name, (void)category, (void)form;
  messages += status >= STATUS_ERROR || status == 2;
}
static void logger3(void *env, int status, const char *category, const char *text) {
  (void)env, (void)category;
  messages += status >= STATUS_ERROR || status == 2;
  if (!text || !text[0]) failures++;
}

static const char *call_name(const session *s, const char *two, const char *three) {
  return s->version == 2 ? two : three;
}

static void references(session *s, size_t *n) {
  *n = below(4);
  for (size_t i = 0; i < *n; i++) s->refs[i] = one_in(20) ? 1u << below(32) : below(60);
}

static int get(session *s) {
  size_t n;
  references(s, &n);
  if (s->version == 2)
    return F(int, "fmi2GetReal", void *, const unsigned *, size_t, double *)(s->f, s->refs, n, s->values);
  size_t room = one_in(3) ? n : ROOM;
  return F(int, "fmi3GetFloat64", void *, const unsigned *, size_t, double *, size_t)(s->f, s->refs, n,
                                                                                      s->values, room);
}
static int set(session *s) {
  size_t n;
  references(s, &n);
  for (size_t i = 0; i < n; i++) s->values[i] = number();
  if (s->version == 2)
    return F(int, "fmi2SetReal", void *, const unsigned *, size_t, const double *)(s->f, s->refs, n,
                                                                                   s->values);
  return F(int, "fmi3SetFloat64", void *, const unsigned *, size_t, const double *,
           size_t)(s->f, s->refs, n, s->values, one_in(10) ? 0 : n);
}
static int other_type(session *s) {
  int value = 0;
  if (s->version == 2)
    return F(int, "fmi2GetInteger", void *, const unsigned *, size_t, int *)(s->f, s->refs, below(2), &value);
  return F(int, "fmi3GetInt32", void *, const unsigned *, size_t, int *, size_t)(s->f, s->refs, below(2),
                                                                                 &value, 1);
}
static int enter_init(session *s) {
  double start = one_in(10) ? number() : 0;
  if (s->version == 2) {
    int status = F(int, "fmi2SetupExperiment", void *, int, double, double, int, double)(s->f, 0, 0, start, 0,
                                                                                         0);
    return status ? status : F(int, "fmi2EnterInitializationMode", void *)(s->f);
  }
  return F(int, "fmi3EnterInitializationMode", void *, bool, double, double, bool, double)(s->f, false, 0,
                                                                                           start, false, 0);
}
static int exit_init(session *s) {
  return F(int, call_name(s, "fmi2ExitInitializationMode", "fmi3ExitInitializationMode"), void *)(s->f);
}
static int terminate(session *s) {
  return one_in(5) ? F(int, call_name(s, "fmi2Terminate", "fmi3Terminate"), void *)(s->f) : 0;
}
static int reset(session *s) {
  s->t = 0;
  return one_in(3) ? F(int, call_name(s, "fmi2Reset", "fmi3Reset"), void *)(s->f) : 0;
}
static int logging(session *s) {
  const char *names[] = {one_in(4) ? "nonsense" : "logEvents"};
  if (s->version == 2)
    return F(int, "fmi2SetDebugLogging", void *, int, size_t, const char *const *)(s->f, (int)below(2),
                                                                                   below(2), names);
  return F(int, "fmi3SetDebugLogging", void *, bool, size_t, const char *const *)(s->f, one_in(2), below(2),
                                                                                  names);
}
static int step(session *s) {
  double h = one_in(6) ? number() : 0.01, at = one_in(10) ? number() : s->t;
  int status;
  if (s->version == 2) {
    status = F(int, "fmi2DoStep", void *, double, double, int)(s->f, at, h, 1);
    double last = NAN;
    if (F(int, "fmi2GetRealStatus", void *, int, double *)(s->f, 2, &last) == 0) s->t = last;
  } else {
    bool event, end, early;
    double last = s->t;
    status = F(int, "fmi3DoStep", void *, double, double, bool, bool *, bool *, bool *,
               double *)(s->f, at, h, true, &event, &end, &early, &last);
    s->t = last;
  }
  return status;
}
static int state_save(session *s) {
  return F(int, call_name(s, "fmi2GetFMUstate", "fmi3GetFMUState"), void *,
           void **)(s->f, &s->states[below(STATES_KEPT)]);
}
static int state_restore(session *s) {
  return F(int, call_name(s, "fmi2SetFMUstate", "fmi3SetFMUState"), void *,
           void *)(s->f, s->states[below(STATES_KEPT)]);
}
static int state_free(session *s) {
  return F(int, call_name(s, "fmi2FreeFMUstate", "fmi3FreeFMUState"), void *,
           void **)(s->f, &s->states[below(STATES_KEPT)]);
}
/* Changes bytes anywhere; mends: so that their sum fits, which stands before what it is the sum of. */
static void change(char *bytes, size_t size, int mends) {
  enum { SUM_AT = 16, SUMMED_FROM = 24 };
  static const int ints[] = {-2, -1000000, 2147483647, 77};
  static const double doubles[] = {NAN, INFINITY, 1e300, -1};
  size_t at = below((uint32_t)size), wide = at & ~(size_t)7;
  int what = mends && wide >= SUMMED_FROM && wide + 8 <= size ? (int)below(3) : 0;
  if (what == 0) bytes[at] ^= (char)(1 + below(255));
  if (what == 1) memcpy(bytes + wide, &ints[below(4)], sizeof(int));
  if (what == 2) memcpy(bytes + wide, &doubles[below(4)], sizeof(double));
  uint64_t sum = 14695981039346656037u;
  for (size_t i = SUMMED_FROM; i < size; i++) sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211u;
  if (mends && at >= SUMMED_FROM) memcpy(bytes + SUM_AT, &sum, sizeof sum);
}

/* Through bytes, which now and then are damaged, which is seen, or changed, whatever that leads to. */
static int state_bytes(session *s) {
  void *state = s->states[below(STATES_KEPT)], *back = NULL;
  size_t size = 0;
  int status = F(int, call_name(s, "fmi2SerializedFMUstateSize", "fmi3SerializedFMUStateSize"), void *,
                 void *, size_t *)(s->f, state, &size);
  if (status) return status;
  char *bytes = malloc(size + 1);
  status = F(int, call_name(s, "fmi2SerializeFMUstate", "fmi3SerializeFMUState"), void *, void *, char *,
             size_t)(s->f, state, bytes, one_in(10) ? size / 2 : size);
  int damaged = !status && one_in(3), changed = !status && !damaged && one_in(2);
  if (damaged || changed) change(bytes, size, changed);
  if (!status)
    status = F(int, call_name(s, "fmi2DeSerializeFMUstate", "fmi3DeserializeFMUState"), void *, const char *,
               size_t, void **)(s->f, bytes, one_in(10) ? size / 3 : size, &back);
  if (damaged && status == 0) failures++;
  if (!status)
    status = F(int, call_name(s, "fmi2SetFMUstate", "fmi3SetFMUState"), void *, void *)(s->f, back);
  F(int, call_name(s, "fmi2FreeFMUstate", "fmi3FreeFMUState"), void *, void **)(s->f, &back);
  free(bytes);
  return status;
}
static int derivative(session *s) {
  unsigned of[2] = {below(30), below(30)}, by[1] = {one_in(3) ? below(30) : 1};
  double seed_value[1] = {number()}, product[2];
  if (s->version == 2)
    return F(int, "fmi2GetDirectionalDerivative", void *, const unsigned *, size_t, const unsigned *, size_t,
             const double *, double *)(s->f, of, 1, by, 1, seed_value, product);
  return F(int, one_in(2) ? "fmi3GetDirectionalDerivative" : "fmi3GetAdjointDerivative", void *,
           const unsigned *, size_t, const unsigned *, size_t, const double *, size_t, double *,
           size_t)(s->f, of, 1, by, 1, seed_value, one_in(8) ? 0 : 1, product, 1);
}

/* ------------------------------------------------------------------ model exchange, and event mode */

static int event_mode(session *s) {
  return F(int, call_name(s, "fmi2EnterEventMode", "fmi3EnterEventMode"), void *)(s->f);
}
static int update(session *s) {
  struct {
    int flags[5];
    double next;
  } info;
  if (s->version == 2) return F(int, "fmi2NewDiscreteStates", void *, void *)(s->f, &info);
  bool b[5];
  return F(int, "fmi3UpdateDiscreteStates", void *, bool *, bool *, bool *, bool *, bool *,
           double *)(s->f, b, b + 1, b + 2, b + 3, b + 4, s->values);
}
static int continuous_mode(session *s) {
  return F(int, call_name(s, "fmi2EnterContinuousTimeMode", "fmi3EnterContinuousTimeMode"), void *)(s->f);
}
static int step_mode(session *s) { return s->version == 2 ? 0 : F(int, "fmi3EnterStepMode", void *)(s->f); }
static int set_time(session *s) {
  return F(int, call_name(s, "fmi2SetTime", "fmi3SetTime"), void *,
           double)(s->f, one_in(5) ? number() : (s->t += 0.001));
}
static int completed(session *s) {
  if (s->version == 3) {
    bool event, end;
    return F(int, "fmi3CompletedIntegratorStep", void *, bool, bool *, bool *)(s->f, true, &event, &end);
  }
  int event, end;
  return F(int, "fmi2CompletedIntegratorStep", void *, int, int *, int *)(s->f, 1, &event, &end);
}
static int numbers(session *s) {
  static const char *const names[][2] = {
      {"fmi2GetContinuousStates", "fmi3GetContinuousStates"},
      {"fmi2SetContinuousStates", "fmi3SetContinuousStates"},
      {"fmi2GetDerivatives", "fmi3GetContinuousStateDerivatives"},
      {"fmi2GetEventIndicators", "fmi3GetEventIndicators"},
      {"fmi2GetNominalsOfContinuousStates", "fmi3GetNominalsOfContinuousStates"}};
  uint32_t which = below(5);
  size_t n = which == 3 ? 2 : 7;
  if (which == 1)
    for (size_t i = 0; i < n; i++) s->values[i] = one_in(10) ? number() : 0.01 * (double)below(10);
  return F(int, names[which][s->version - 2], void *, double *, size_t)(s->f, s->values,
                                                                        one_in(10) ? below(9) : n);
}

/* ------------------------------------------------------------------ sequences */

static int nothing(session *s) {
  (void)s;
  return 0;
}

static void start(session *s, const char *resources, const char *token) {
  struct {
    void (*log)(void *, const char *, int, const char *, const char *, ...);
    void *others[3];
    void *env;
  } call = {logger2, {NULL}, NULL};
  if (s->version == 2)
    s->f = F(void *, "fmi2Instantiate", const char *, int, const char *, const char *, const void *, int,
             int)(one_in(5) ? NULL : "fmu", !s->exchange, token, resources, one_in(10) ? NULL : (void *)&call,
                  0, (int)below(2));
  else if (s->exchange)
    s->f = F(void *, "fmi3InstantiateModelExchange", const char *, const char *, const char *, bool, bool,
             void *, void *)("fmu", token, resources, false, one_in(2), NULL, (void *)(uintptr_t)logger3);
  else
    s->f = F(void *, "fmi3InstantiateCoSimulation", const char *, const char *, const char *, bool, bool,
             bool, bool, const unsigned *, size_t, void *, void *,
             void *)("fmu", token, resources, false, one_in(2), one_in(2), one_in(2), NULL, 0, NULL,
                     (void *)(uintptr_t)logger3, NULL);
}

static void sequence(int version, const char *resources, const char *token) {
  typedef int thunk(session *);
  static thunk *const thunks[] = {get,        set,           other_type,      enter_init,  exit_init,
                                  terminate,  reset,         logging,         step,        step,
                                  state_save, state_restore, state_free,      state_bytes, derivative,
                                  event_mode, update,        continuous_mode, step_mode,   set_time,
                                  completed,  numbers,       numbers};
  static session s;
  s = (session){.version = version, .exchange = one_in(2)};
  start(&s, resources, token);
  if (!s.f) { /* model exchange of cables */
    counts[4]++;
    return;
  }
  /* the way that leads on first, mostly: otherwise few sequences come far */
  thunk *const first[] = {enter_init, exit_init,
                          s.exchange     ? update
                          : version == 3 ? step_mode
                                         : nothing,
                          s.exchange ? continuous_mode : step};
  int proper = !one_in(4);
  for (int i = 0; i < CALLS_EACH; i++) {
    long before = messages;
    int n = (int)(sizeof thunks / sizeof thunks[0]),
        status = proper && i < 4 ? first[i](&s) : thunks[below((uint32_t)n)](&s);
    counts[status < 0 || status > 4 ? 5 : status]++;
    /* a logger may have been left out */
    if (status >= 2 && messages == before && version == 3) failures++;
  }
  for (int i = 0; i < STATES_KEPT; i++)
    F(int, call_name(&s, "fmi2FreeFMUstate", "fmi3FreeFMUState"), void *, void **)(s.f, &s.states[i]);
  F(void, call_name(&s, "fmi2FreeInstance", "fmi3FreeInstance"), void *)(s.f);
}

int main(int argc, char **argv) {
  if (argc != 7) return 2;
  int version = atoi(argv[4]);
  long n = atol(argv[5]);
  object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    printf("%s\n", dlerror());
    return 1;
  }
  seed = strtoull(argv[6], NULL, 10);
  for (long i = 0; i < n; i++) sequence(version, argv[2], argv[3]);
  /* no instance at all */
  session none = {.version = version};
  if (step(&none) == 0 || state_save(&none) == 0 || exit_init(&none) == 0) failures++;
  F(void, call_name(&none, "fmi2FreeInstance", "fmi3FreeInstance"), void *)(NULL);
  dlclose(object);
  printf("%ld sequences: %ld calls went well, %ld warned, %ld discarded, %ld refused, %ld instances refused; "
         "%ld wrong\n",
         n, counts[0], counts[1], counts[2], counts[3], counts[4], failures + counts[5]);
  return failures + counts[5] > 0;
}
