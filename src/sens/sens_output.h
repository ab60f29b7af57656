/* sens_output.h - outputs: numbers that are had from the rows and events of a result. */
#ifndef CPS_SENS_OUTPUT_H
#define CPS_SENS_OUTPUT_H

#include "sens.h"

typedef struct sens_output {
  char text[200]; /* as it was asked for */
  char unit[64];
  const struct output_kind *kind;
  int column;
  double from, to; /* part of the run; a value has only `to` */
  double target;   /* of square */
  int contact;     /* of events: -1 for all */
  char contact_name[CPS_NAME_ROOM];
  long nth; /* from 1 */
  sens_weight *
      given; /* weights of the caller, sorted by row, for a result of that many rows; kind is NULL then. Owned */
  long n_given, rows;
} sens_output;

/* Reads an output. The columns are those of `columns`. */
cps_status cps_sens_output_read(sens_output *o, const char *text, const cps_scenario *s,
                                const cps_result *columns, cps_error *err);

/* The column of that name; -1 with an error about `text` that names the nearest. */
int cps_sens_column_named(const char *text, const char *name, const cps_result *columns, cps_error *err);

/* The times at which it needs rows, into times[2]: returns how many. */
int cps_sens_output_times(const sens_output *o, const scenario_run *run, double *times);

/* Value of an output, and what it depends on: *weights is the caller's to free, sorted by row. For the time of an event
 * *event is its index, and -1 otherwise. Says in why[size] what is missing, and gives NaN then. 0: out of memory. */
int cps_sens_output_weigh(const sens_output *o, const cps_result *r, double *value, sens_weight **weights,
                          long *n, long *event, char *why, size_t size);

/* Whether it is an integral over time. */
int cps_sens_output_sums(const sens_output *o);

/* What an output gains per second by which event k comes later: integrals, where what they are of jumps there. */
double cps_sens_output_jump(const sens_output *o, const cps_result *r, double value, long k);

#endif
