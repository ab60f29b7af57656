/* refusals.h - what a model cannot be made of: see refusals.c. */
#ifndef CPS_REFUSALS_H
#define CPS_REFUSALS_H

#include "internal.h"
#include "scenario.h"

/* More steps than anybody waits for: a thousand million, which take hours even where one takes a microsecond. */
#define STEPS_MOST 1e9

/* Everything that keeps a scenario from being run, each with the key that is to blame. */
typedef struct refusals {
  cps_error *list; /* owned */
  int n, room;
  int no_memory;
  const cps_scenario *
      numbers_of; /* while what is refused is so for its numbers, whose it is: one far from those of machines is to blame */
} refusals;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void cps_refuse(refusals *r, const char *key, const char *format, ...);

/* Adds what a maker says; CPS_OK adds nothing. */
void cps_refuse_error(refusals *r, cps_status status, const cps_error *err);

/* What cables cannot do, whatever the solver. */
void cps_refuse_cables(refusals *r, const cps_scenario *s);

/* simulation.c: columns that are wanted and do not exist, of a system that is complete otherwise. */
void cps_refuse_outputs(refusals *r, const cps_system *s);

/* steppers.c: what the solver of the run cannot do. */
void cps_refuse_solver(refusals *r, const cps_scenario *s);

#endif
