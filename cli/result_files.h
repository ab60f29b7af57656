/* result_files.h - what a run leaves behind: a folder with series.csv, events.csv, summary.json and the
 * scenario.
 *
 * Every file is written under another name, and all are renamed once they are complete: what is there under
 * its own name is always whole, and a run that cannot be written does not spoil the one before it.
 */
#ifndef RESULT_FILES_H
#define RESULT_FILES_H

#include "json.h"
#include "scenario.h"

/* A run that has ended, one way or another. */
typedef struct outcome {
  const cps_scenario *scenario;
  const cps_result *result;
  const char *const *settings; /* "path=value" on top of the file */
  int n_settings;
  const char *status;     /* "complete", "failed" or "stopped" */
  const cps_error *error; /* why it is not complete; NULL if it is */
  double wall;            /* [s] */
} outcome;

/* Makes the folder, with those above it, and sees that files can be made in it. Complains and returns
 * STATUS_IO if not. */
int results_prepare(const char *where, const char *folder);

/* Writes all files. Complains and returns STATUS_IO at the first that cannot be written. */
int results_write(const char *where, const char *folder, const outcome *o);

/* Writes the summary as one JSON document. */
void summary_write(FILE *out, const outcome *o);

/* Energy left over, relative to the largest energy of the run; 0 if there is none. */
double closing_error(const cps_energy *e);

/* How often a contact changed its mode. */
long transitions_of(const cps_result *result, int contact);

#endif
