/* instance.h - an FMU of Capstan: one simulation behind the two versions of the Functional Mock-up Interface.
 *
 *   instance.c    resources, variables, life, steps; without a word of FMI
 *   derivative.c  derivatives of steps
 *   exchange.c    model exchange: the importer integrates
 *   state.c       states that are handed out
 *   fmi2.c        FMI 2.0
 *   fmi3.c        FMI 3.0
 *
 * The FMU holds the scenario as resources/scenario.yaml, and beside it resources/variables.txt, one line each:
 *
 *   derivatives         steps are kept so that they can be differentiated
 *   token TEXT          what the importer has to name (guid, instantiationToken)
 *   set PATH=VALUE      a setting that the exporter was given
 *   with PATH           a quantity that the exporter was told to make an input
 *   input NAME          input of the scenario
 *   output COLUMN
 *   state I, rate I     of model exchange: a state and its rate
 *   guard I             of model exchange: an event indicator
 *   parameter PATH      a number of the file; tuned: the same, which may change between steps
 *   field NAME          a field along a cable, an array
 *
 * Value reference 0 is time; the others count these lines from `input` on, from 1. The same order is that of modelDescription.xml.
 */
#ifndef CAPSTAN_FMU_INSTANCE_H
#define CAPSTAN_FMU_INSTANCE_H

#include "capstan.h"

/* The numbers of both versions. */
typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR } fmu_status;

/* Where an instance is in its life. Calls are allowed in some of these, as bits. */
typedef enum fmu_phase {
  PHASE_NEW = 1,
  PHASE_INIT = 2,
  PHASE_STEP = 4,        /* co-simulation: between two steps */
  PHASE_EVENT = 8,       /* event mode */
  PHASE_CONTINUOUS = 16, /* model exchange: the importer integrates */
  PHASE_ENDED = 32,
  PHASE_FAILED = 64,
  PHASES_RUNNING = PHASE_STEP | PHASE_EVENT | PHASE_CONTINUOUS,
  PHASES_LIVE = PHASE_NEW | PHASE_INIT | PHASES_RUNNING,
  PHASES_ALL = PHASES_LIVE | PHASE_ENDED | PHASE_FAILED
} fmu_phase;

/* Kinds of messages, and their names, which are those of LogCategories. Errors are always logged. */
typedef enum fmu_message { MESSAGE_ERROR, MESSAGE_WARNING, MESSAGE_EVENT, MESSAGE_KINDS } fmu_message;
extern const char *const fmu_categories[MESSAGE_KINDS];

typedef enum fmu_kind {
  FMU_TIME,
  FMU_INPUT,
  FMU_OUTPUT,
  FMU_STATE,
  FMU_RATE,
  FMU_GUARD,
  FMU_PARAMETER,
  FMU_TUNED,
  FMU_FIELD
} fmu_kind;

typedef struct fmu_variable {
  fmu_kind kind;
  char *name;   /* owned */
  int index;    /* of an input, a column, a state, a guard or a field */
  size_t size;  /* numbers in it */
  double value; /* of inputs and parameters */
  double file;  /* what the file says */
} fmu_variable;

typedef struct instance instance;
typedef void fmu_log(void *front, fmu_message kind, const char *text);

struct instance {
  fmu_phase phase;
  int exchange; /* the importer integrates */
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  int n_variables;
  fmu_variable *variables;
  char token[80];
  double start;
  int stale;            /* parameters or inputs have been set since the simulation was made, before it runs */
  int to_tune;          /* parameters have been set while it runs */
  int derivatives;      /* of steps are wanted */
  cps_stretch *stretch; /* for them; NULL until the first step */
  int followed;         /* the last step was made by it, and the state is that at its end */
  int event_mode;       /* FMI 3.0: steps and events take turns */
  int early_return;     /* steps end at transitions */
  int n_states, n_guards; /* of model exchange */
  double *scratch;        /* [n_states + n_guards] */
  int warned;             /* warnings that have been logged */
  unsigned logged;        /* kinds of messages that are wanted, as bits */
  fmu_log *log;
  void *front; /* what the interface in front keeps: where messages go */
};

typedef struct instance_setup {
  const char *token, *resources; /* a path or a URI */
  int exchange, logging;
  fmu_log *log;
  void *front;
} instance_setup;

/* NULL after a message. */
instance *instance_new(const instance_setup *setup);
void instance_free(instance *f);
/* Which messages are logged: those of n categories, or of all if n is 0. */
fmu_status instance_logging(instance *f, int on, size_t n, const char *const *categories);
void instance_message(instance *f, fmu_message kind, const char *format, ...);
/* Says what an error is, and returns FMU_ERROR. */
fmu_status instance_refuse(instance *f, const char *format, ...);
fmu_status instance_failed(instance *f, const cps_error *err);
fmu_status instance_no_memory(instance *f);
/* Whether a call may come now; otherwise it says so. f may be NULL. */
int instance_allowed(instance *f, unsigned phases, const char *call);

/* ------------------------------------------------------------------ life: each checks by itself whether it may come now */

fmu_status instance_enter_initialization(instance *f, double start, const char *call);
fmu_status instance_exit_initialization(instance *f, fmu_phase next, const char *call);
fmu_status instance_enter(instance *f, unsigned from, fmu_phase to, const char *call);
/* Makes the simulation anew with parameters and inputs as they have been set, and starts it. */
fmu_status instance_prepare(instance *f);
fmu_status instance_reset(instance *f, const char *call);

/* ------------------------------------------------------------------ variables, of which some are arrays: n_values numbers in all */

fmu_status instance_get(instance *f, const unsigned *references, size_t n, double *values, size_t n_values,
                        const char *call);
fmu_status instance_set(instance *f, const unsigned *references, size_t n, const double *values,
                        size_t n_values, const char *call);
fmu_variable *instance_find(instance *f, unsigned reference); /* NULL after a message */

/* ------------------------------------------------------------------ steps of co-simulation */

/* From `at` on; *early: a transition came before its end. FMU_DISCARD if the integration fails. */
fmu_status instance_step(instance *f, double at, double step, int *early, const char *call);
/* Parameters that were set while it runs take effect. */
fmu_status instance_tune(instance *f);
void instance_log_events(instance *f, long n);

/* ------------------------------------------------------------------ derivative.c
 *
 * Derivatives of outputs by inputs, as both were over the last step: products with changes seed[n_by] of inputs, into
 * product[n_of]; and with weights seed[n_of] of outputs, into product[n_by]. */
fmu_status instance_directional(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                                const double *seed, double *product, const char *call);
fmu_status instance_adjoint(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                            const double *seed, double *product, const char *call);

/* ------------------------------------------------------------------ exchange.c */

fmu_status exchange_time(instance *f, double t, const char *call);
fmu_status exchange_put(instance *f, const double *y, size_t n, const char *call);
fmu_status exchange_get(instance *f, double *y, size_t n, const char *call);
fmu_status exchange_rates(instance *f, double *y_t, size_t n, const char *call);
fmu_status exchange_guards(instance *f, double *guards, size_t n, const char *call);
fmu_status exchange_nominals(instance *f, double *nominals, size_t n, const char *call);
/* After each step of the importer: *event is set if a guard has passed zero that the importer has not seen. */
fmu_status exchange_completed(instance *f, int *event, const char *call);
fmu_status exchange_event(instance *f, cps_exchange_outcome *outcome, const char *call);
/* Values of states, rates and guards, for instance_get. */
fmu_status exchange_value(instance *f, const fmu_variable *v, double *value);

/* ------------------------------------------------------------------ state.c: a block that starts with its size */

fmu_status state_save(instance *f, void **state, const char *call); /* makes *state, or writes over it */
fmu_status state_restore(instance *f, const void *state, const char *call);
fmu_status state_free(void **state);
fmu_status state_bytes(instance *f, const void *state, size_t *size,
                       const char *call); /* of the whole block */
fmu_status state_write(instance *f, const void *state, void *bytes, size_t n, const char *call);
fmu_status state_read(instance *f, const void *bytes, size_t n, void **state, const char *call);

#endif
