/* fmu_model.h - what an FMU has: variables (fmu_model.c), and how they are described (fmu_description.c). For fmu.c. */
#ifndef FMU_MODEL_H
#define FMU_MODEL_H

#include "cli.h"
#include "options.h"

#include "capstan.h"

/* Kinds of variables; fmu/instance.h has the same. */
typedef enum fmu_kind {
  FMU_TIME,
  FMU_INPUT,
  FMU_OUTPUT,
  FMU_STATE, /* a state that is no output */
  FMU_RATE,
  FMU_GUARD,
  FMU_PARAMETER,
  FMU_TUNED,
  FMU_FIELD
} fmu_kind;

typedef struct fmu_variable {
  fmu_kind kind;
  char name[360], unit[32];
  char line[360]; /* what variables.txt says of it, after its kind */
  char path[128]; /* of an input: of the quantity that it is */
  char about[300];
  double start, min, max, nominal; /* NaN or infinite: none */
  int state;                       /* of a state, and of an output that is one, its index; -1: none */
  int of;                          /* of a rate: the variable that it is the rate of; -1 otherwise */
  int kept;                        /* an output that a step has to change: no input reaches it at once */
  int points, components;          /* of a field */
} fmu_variable;

typedef struct fmu_model {
  const cps_scenario *scenario;
  cps_simulation *sim;
  int fmi3;
  fmu_variable *variables; /* owned, in the order of value references */
  int n;
  int derivatives;        /* of its steps are wanted */
  int n_states, n_guards; /* of model exchange */
  int exchange;           /* it can be integrated from outside */
  char refusal[400];      /* why not */
} fmu_model;

/* Finds all variables; of the columns only `outputs`, unless there are none. An exit status, after a message unless it is 0. */
int fmu_collect(fmu_model *m, const text_list *outputs);
/* The place of a variable of that name, -1 if there is none. */
int fmu_find(const fmu_model *m, const char *name);
/* variables.txt, modelDescription.xml, and terminalsAndIcons.xml, whose data is NULL if there are no terminals. */
typedef struct text {
  char *data; /* owned */
  size_t n, room;
} text;
text fmu_list(const fmu_model *m, const text_list *set, const text_list *inputs);
text fmu_describe(const fmu_model *m);
text fmu_terminals(const fmu_model *m);

void text_add(text *t, const char *format, ...) PRINTS(2, 3);

#endif
