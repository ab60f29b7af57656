/* trials.h - the trials of a search, to be watched as a study is: capstan fit --watch, capstan optimize --watch. */
#ifndef TRIALS_H
#define TRIALS_H

#include "study_table.h"
#include "watch.h"

typedef struct trials {
  study_table table;
  watch_server *page; /* NULL: no live page */
  long room;
  double began;
} trials;

/* Serves the page and says its address on standard error; without a page all of what follows does nothing. */
void trials_start(trials *t, const char *where, const char *title, const char *scenario);

/* Declares a column: parameters first, then outputs. low and high are NaN or infinite where there is no bound. */
void trials_column(trials *t, const char *kind, const char *name, const char *unit, double low, double high);

/* A trial, with the values of all columns. */
void trials_add(trials *t, const double *values);

/* To be called often; nonzero if the search is to stop. */
int trials_tick(trials *t);

/* Hands out what there is in the end, and closes. */
void trials_end(trials *t, const char *status);

#endif
