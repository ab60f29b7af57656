/* path_kinds.h - what a cable's path is made of, its ends and the items between them, as rows of two tables: see path_kinds.c. */
#ifndef CPS_PATH_KINDS_H
#define CPS_PATH_KINDS_H

#include "scenario.h"

/* ------------------------------------------------------------------ ends */

enum {
  END_AT_PLACE = 1,        /* held at a place of its own, which may move as prescribed */
  END_KEEPS_DIRECTION = 2, /* and in its direction */
  END_ON_BODY = 4,         /* goes with a body, which is named */
  END_ON_DRUM = 8, /* is fixed to the rim of a drum, which is named, and leaves it along the tangent */
  END_HELD = END_AT_PLACE | END_ON_BODY |
             END_ON_DRUM /* by something or other: it bears no force of its own */
};

struct end_kind {
  const char *name; /* as scenarios and reports call it */
  unsigned traits;
};

const end_kind *cps_end_find(const char *name); /* NULL: there is none */

/* An end of zeros is free. */
static inline int cps_end_is(const end_kind *kind, unsigned traits) {
  return kind && (kind->traits & traits) != 0;
}

/* ------------------------------------------------------------------ items */

enum {
  ITEM_WRAPS = 1,   /* goes around a drum, which is named */
  ITEM_RUNS = 2,    /* straight for a length: along gravity, */
  ITEM_DIRECTED = 4 /* or along a direction that is given; of neither kind, it goes straight to a point */
};

struct path_kind {
  const char *name;
  unsigned traits;
  int side;         /* of a drum: +1 against gravity, -1 along it; 0: its turn has to be given */
  const char *with; /* keys that say more about it, with blanks around */
};

const path_kind *cps_item_find(const char *name); /* NULL: there is none */
const path_kind *cps_item_at(int i);              /* NULL past the last */

static inline int cps_item_is(const path_item *item, unsigned traits) {
  return item->kind && (item->kind->traits & traits) != 0;
}

#endif
