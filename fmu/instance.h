/* instance.h - an FMU of Capstan: one simulation behind the two versions of the Functional Mock-up Interface.
 *
 *   instance.c   variables, life and steps, without a word of FMI
 *   fmi2.c       FMI 2.0 for co-simulation
 *   fmi3.c       FMI 3.0 for co-simulation
 *
 * The FMU holds the scenario as resources/scenario.yaml, and beside it resources/variables.txt, one line a variable:
 *
 *   set PATH=VALUE      a setting that the exporter was given
 *   with PATH           a quantity that the exporter was told to make an input
 *   input NAME          input of the scenario
 *   output COLUMN
 *   parameter PATH      a number of the file
 *
 * Value reference 0 is time; the others count inputs, outputs and parameters in that order, from 1. The same order is that of
 * modelDescription.xml.
 */
#ifndef CAPSTAN_FMU_INSTANCE_H
#define CAPSTAN_FMU_INSTANCE_H

#include "capstan.h"

typedef enum fmu_phase {
  PHASE_INSTANTIATED,
  PHASE_INITIALIZATION,
  PHASE_STEP,
  PHASE_EVENT,
  PHASE_TERMINATED,
  PHASE_FAILED
} fmu_phase;

typedef enum fmu_kind { FMU_TIME, FMU_INPUT, FMU_OUTPUT, FMU_PARAMETER } fmu_kind;

typedef struct fmu_variable {
  fmu_kind kind;
  char *name; /* owned */
  int index;  /* of an input or a column; -1 if not known yet */
  double value;
  int changed; /* a parameter that somebody has set */
} fmu_variable;

typedef struct instance {
  fmu_phase phase;
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  int n_variables;
  fmu_variable *variables;
  double start;
  cps_stretch *stretch; /* for derivatives of steps; NULL if the solver has none */
  int followed;         /* the last step was made by it, and the state is that at its end */
  size_t state_size;
  int events_wanted; /* steps end early at transitions */
  /* Messages go here. */
  void (*log)(void *to, int is_error, const char *text);
  void *log_to;
} instance;

/* Reads the resources; NULL after a message. */
instance *instance_new(const char *resources, void (*log)(void *, int, const char *), void *log_to);
void instance_free(instance *f);

/* Each returns 0 after a message. */
int instance_initialize(instance *f,
                        double start); /* at the end of initialization: parameters and inputs are there */
int instance_get(instance *f, unsigned reference, double *value);
int instance_set(instance *f, unsigned reference, double value);
/* Advances to a time; *early (unless NULL): a transition came before. */
int instance_step(instance *f, double until, double *reached, int *early);
int instance_reset(instance *f);

/* Derivatives of outputs by inputs, as both were over the last step: products with changes seed[n_by] of inputs, into
 * product[n_of]; and with weights seed[n_of] of outputs, into product[n_by]. */
int instance_directional(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                         const double *seed, double *product);
int instance_adjoint(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                     const double *seed, double *product);

/* States as both versions of the interface hand them out: a block that starts with its size. Each returns 0 after a message. */
int instance_state_save(instance *f, void **state); /* makes *state, or writes over it */
int instance_state_restore(instance *f, const void *state);
size_t instance_state_bytes(const void *state); /* of the whole block; 0 of NULL */
int instance_state_load(instance *f, const void *bytes, size_t n, void **state);

void instance_message(instance *f, int is_error, const char *format, ...);

/* "file:///a%20b" or a plain path as a path, into text[size]; 0 if it does not fit. */
int instance_path(const char *uri, char *text, size_t size);

#endif
