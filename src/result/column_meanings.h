/* column_meanings.h - what every column and field of a result means: name, unit, meaning and sign, in one table. */
#ifndef CPS_COLUMN_MEANINGS_H
#define CPS_COLUMN_MEANINGS_H

#include <stddef.h>

/* The name of a column is KIND.THING.WHAT, of a cable on a drum cables.THING.DRUM.WHAT, and of energies KIND.WHAT. */
typedef struct column_meaning {
  const char *kind, *what, *unit;
  const char *text; /* for people; %s stands for the thing */
  const char *sign; /* what is positive, and how it is defined; "" if there is nothing to say */
  int on_drum;      /* of a cable on a drum */
  int field;        /* recorded along a cable, frame by frame */
} column_meaning;

extern const column_meaning cps_column_meanings[];
extern const int cps_n_column_meanings;

/* The row of a column or field; NULL if there is none. thing[size] gets the name of what it belongs to. */
const column_meaning *cps_column_meaning(const char *name, char *thing, size_t size);

#endif
