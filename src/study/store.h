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

/* Opens the file of a table to be read; CPS_BAD_INPUT if it is none. *db is to be closed in any case. And what a code of SQLite means. */
struct sqlite3;
cps_status cps_store_open_table(const char *file, struct sqlite3 **db, cps_error *err);
cps_status cps_store_fault(struct sqlite3 *db, const char *file, int code, cps_error *err);

#endif
