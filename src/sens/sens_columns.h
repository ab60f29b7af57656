/* sens_columns.h - derivatives of recorded columns of cables. See sens_columns.c. */
#ifndef CPS_SENS_COLUMNS_H
#define CPS_SENS_COLUMNS_H

#include "sens.h"
#include "sens_chain.h"

typedef struct column column;

/* What each column of a result is, [n_columns]; NULL if out of memory. */
column *cps_columns_find(const model *o, const cps_result *result, pool *p);
/* Looks at bodies at time t, for all columns of a row; to be called before the first of them. */
void cps_columns_look(model *o, double t);
/* Adds the derivatives of a column, at the state in the machine, to row `row` of a list. */
void cps_column_add(model *o, entries *list, const column *k, int row, double t);
/* Which works of steps it needs: 0, those of contacts, or all. */
enum { COLUMN_CONTACT_WORKS = 1, COLUMN_ALL_WORKS = 2 };
int cps_column_works(const column *x);
const column *cps_column_at(const column *columns, int i);

#endif
