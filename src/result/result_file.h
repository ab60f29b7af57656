/* result_file.h - results as the files of src/result share them; capstan.h has what users call, docs/results.md what is in a
 * file. */
#ifndef CPS_RESULT_FILE_H
#define CPS_RESULT_FILE_H

#include "system.h"

/* Longest texts of events and places, as the file has them. */
enum {
  EVENT_NAME = CPS_NAME_ROOM,
  EVENT_MODE = 24,
  KIND_NAME = sizeof((cps_result_place *)NULL)->kind,
  STATUS_NAME = 16
};

/* A copy with room for more columns, to be freed as one that was loaded; and the values of a column, [rows]. */
cps_result *cps_result_copy(const cps_result *of, int extra, cps_error *err);
void cps_result_set_column(cps_result *r, int column, const char *name, const char *unit, const double *data);

#endif
