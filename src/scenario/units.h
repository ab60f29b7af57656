/* units.h - quantities: a number and a unit, in SI. */
#ifndef CPS_UNITS_H
#define CPS_UNITS_H

#include <stddef.h>

enum { UNIT_SIZE = 48 };

/* Units that were looked up lately. */
typedef struct unit_cache {
  struct {
    char found[UNIT_SIZE], wanted[UNIT_SIZE];
    double factor; /* SI = number * factor */
    int power;     /* or, without rounding, number * 10^power; 0 if that is not so */
  } row[32];
  int n, next;
} unit_cache;

/* Reads a number that fills the text up to *end, in any locale; 0 if there is none. */
int cps_number_read(const char *text, const char **end, double *value);

/* Writes a number for people: the shortest that reads back as the same, such as 0.01 or 1e6. */
const char *cps_number_text(char *text, size_t size, double value);

/* Reads a quantity. `unit` is the SI unit to convert to; NULL takes any. Returns 0 and says why, in a clause
 * such as: "kg" cannot be converted to m. The cache may be NULL. */
int cps_quantity_read(unit_cache *cache, const char *text, const char *unit, double *value, char *why,
                      size_t size);

#endif
