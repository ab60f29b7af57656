/* result_file.h - result.h5: writing it while a run goes on, writing it whole, reading it. docs/results.md says
 * what is in it. */
#ifndef CPS_RESULT_FILE_H
#define CPS_RESULT_FILE_H

#include "system.h"

/* Longest texts of events and places, as the file has them. */
enum { EVENT_NAME = NAME_MAX_LENGTH, EVENT_MODE = 24, KIND_NAME = 12, STATUS_NAME = 16 };

/* What goes into a file. Borrowed: must outlive the writing. */
typedef struct result_source {
  const cps_result *result;
  const cps_scenario *scenario;
  const char *const *settings; /* "path=value" on top of the file */
  int n_settings;
  const char *status;  /* "running", "complete", "failed", "stopped" */
  const char *summary; /* JSON; NULL if there is none yet */
} result_source;

/* Where things are that have a place of their own: bodies on lines, surfaces, drums. */
typedef struct result_place {
  char name[NAME_MAX_LENGTH];
  char kind[KIND_NAME]; /* line, plane, surface, drum */
  double at[3];         /* origin of the line, or centre */
  double direction[3];  /* of the line, or axis */
  double radius;        /* of a drum, 0 of others */
} result_place;

/* A file that is being written while its run goes on. */
typedef struct result_file result_file;

/* Makes it, with all that the result holds already, for others to read from now on (SWMR). */
result_file *cps_result_file_new(const char *path, const result_source *from, cps_error *err);
/* Adds what is new in the result since the last time. */
cps_status cps_result_file_append(result_file *f, cps_error *err);
/* Hands it to the operating system, and if `to_disk` waits until it is on the disk. */
cps_status cps_result_file_flush(result_file *f, int to_disk, cps_error *err);
/* Sets the status; frees f, whether that and closing succeeds or not. */
cps_status cps_result_file_close(result_file *f, const char *status, cps_error *err);

/* Writes a whole file, compactly, in the oldest format. */
cps_status cps_result_file_write(const char *path, const result_source *from, cps_error *err);

/* About how large the file of a run becomes before compression [bytes]; rows are not known (0) if every step is
 * recorded. */
double cps_result_size(const cps_scenario *scenario, const cps_result *result, double *rows, double *frames);

/* Puts the first rows, events and frames of a loaded result into the simulation's, which must be empty. */
cps_status cps_result_refill(cps_simulation *sim, const cps_result *loaded, cps_extent upto, cps_error *err);

/* A copy with room for more columns, to be freed as one that was loaded; and the values of a column, [rows]. */
cps_result *cps_result_copy(const cps_result *of, int extra, cps_error *err);
void cps_result_set_column(cps_result *r, int column, const char *name, const char *unit, const double *data);

/* The places in a loaded result. */
int cps_result_places(const cps_result *result);
const result_place *cps_result_place(const cps_result *result, int i);

#endif
