/* result_files.h - what a run leaves behind when it ends, beside result.h5: series.csv and events.csv, unless they
 * would be large, and summary.json.
 *
 * Every file is written under another name, and all are renamed once they are complete: what is there under
 * its own name is always whole.
 */
#ifndef RESULT_FILES_H
#define RESULT_FILES_H

#include "capstan.h"
#include "json.h"

enum { FOLDER_ROOM = 4096 };

/* The path of a file in a folder; 0 if it is too long. */
int results_path(char path[FOLDER_ROOM], const char *folder, const char *name);

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

/* Makes the folder, with those above it, and sees that files can be made in it. With `take` it belongs to this process
 * until that ends: another that takes it, too, is refused. Complains and returns STATUS_IO if not. */
int results_prepare(const char *where, const char *folder, int take);
/* Takes a folder that is there. */
int results_take(const char *where, const char *folder);

/* Writes all files. Complains and returns STATUS_IO at the first that cannot be written. */
int results_write(const char *where, const char *folder, const outcome *o);

/* Whether series.csv is small enough to be written unasked. */
int series_is_small(const cps_result *result);

/* The series or the events as CSV. */
void series_write(FILE *out, const cps_result *result);
void events_write(FILE *out, const cps_result *result);

/* Text as a CSV field, in quotes where it must be; a number as the shortest text that reads back the same. */
void csv_field(FILE *out, const char *text);
void csv_number(FILE *out, double value);

/* Rows that are in a file are looked at so many at a time, and released (cps_rows_release) before the next. */
enum { ROWS_AT_ONCE = 1 << 18 };

/* The rows with the smallest and the largest value of a column. */
void column_extremes(const cps_result *result, int column, long *least, long *most);

/* Writes the summary as one JSON document; and as text, to be freed, NULL if out of memory. */
void summary_write(FILE *out, const outcome *o);
char *summary_text(const outcome *o);

/* Energy left over, relative to the largest energy of the run; 0 if there is none. */
double closing_error(const cps_energy *e);

/* The list "warnings" of a result. */
void warnings_write(json *w, const cps_result *r);

/* How often a contact changed its mode. */
long transitions_of(const cps_result *result, int contact);

#endif
