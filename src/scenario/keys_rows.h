/* keys_rows.h - what the files with tables of keys share. */
#ifndef CPS_KEYS_ROWS_H
#define CPS_KEYS_ROWS_H

#include "keys.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define TABLE(name, what, rows, meaning)                                                                     \
  { name, what, meaning, COUNT(rows), rows }

/* Ranges, for use in rows. */
#define ANY      .min = -INFINITY, .max = INFINITY
#define POSITIVE .min = 0, .max = INFINITY, .above = 1
#define NOT_NEG  .min = 0, .max = INFINITY

#endif
