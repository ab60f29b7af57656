/* pairs.h - reads "name=value,name=value" into named places, with a complaint for whatever is wrong. */
#ifndef PAIRS_H
#define PAIRS_H

#include "options.h"

#include <stddef.h>

/* A name that may be given, and where its value goes: a number, or text if `text` is not NULL. */
typedef struct slot {
  char name[64];
  double *value;
  char *text;
  size_t size; /* of text */
  int given;
} slot;

/* Reads all pairs of an option's values; returns how many complaints were made. `owner` is whose names they
 * are, such as "quinn". */
int read_pairs(const char *where, const char *option_name, const char *owner, const text_list *list,
               slot *slots, int n_slots);

#endif
