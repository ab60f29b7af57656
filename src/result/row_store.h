/* row_store.h - where the rows of a simulation are: see row_store.c. */
#ifndef CPS_ROW_STORE_H
#define CPS_ROW_STORE_H

#include "system.h"

/* Makes room for that many rows, which keep their values; 0 if there is none, and all is as it was. */
int cps_rows_grow(cps_result *r, long capacity);
void cps_rows_free(cps_result *r);
/* A row was added: now and then rows that are in a file are taken out of memory. */
void cps_rows_added(cps_result *r);

#endif
