/* store.h - the table of a study as an SQLite file: docs/sweep.md says what is in it. Only store.c and
 * store_hdf.c speak to SQLite. */
#ifndef CPS_STORE_H
#define CPS_STORE_H

#include "study_data.h"

typedef struct study_store study_store;

/* Makes the file, or opens it to go on. CPS_BAD_INPUT if it belongs to another study, or is there and `resume` is 0. */
study_store *cps_store_open(const cps_study *s, const char *file, int resume, int rollback, cps_error *err);
void cps_store_close(study_store *store); /* NULL is fine */

/* Whether it has any rows, and whether it has that of a point: its status is then noted in *failed and *beyond. */
int cps_store_rows(study_store *store);
int cps_store_has(study_store *store, long long point, long long *failed, long long *beyond);

/* Adds rows in one transaction: all of them or none. A point that is there already is left as it is. */
cps_status cps_store_add(study_store *store, const cps_study_row *rows, int n, cps_error *err);

/* What a code of SQLite means. Tables are opened to be read by cps_study_table_open of capstan.h. */
struct sqlite3;
cps_status cps_store_fault(struct sqlite3 *db, const char *file, int code, cps_error *err);

#endif
