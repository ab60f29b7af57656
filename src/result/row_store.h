/* row_store.h - where the rows of a simulation are: see row_store.c. */
#ifndef CPS_ROW_STORE_H
#define CPS_ROW_STORE_H

#include "system.h"

/* Makes room for that many rows, which keep their values; 0 if there is none, and all is as it was. */
int cps_rows_grow(cps_result *r, long capacity);
/* Frees rows, events and the values of fields. */
void cps_rows_free(cps_result *r);
/* So many bytes were added: now and then what is in files is taken out of memory. */
void cps_rows_added(cps_result *r, size_t bytes);

/* Makes room for so many bytes, of which those that are used keep their values, on the heap or, if they are many, in a file of the
 * folder (NULL: never); *mapped says how many are in a file. NULL if there is no room, and all is as it was. */
void *cps_room_grow(const char *folder, void *data, size_t *mapped, size_t used, size_t bytes);
void cps_room_free(void *data, size_t mapped);

#endif
