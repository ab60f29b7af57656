/* path_kinds.c - the ends of cables, and the items of their paths. To add one: a row here, and its key in keys_cable.c. What traits say is
 * read, checked, drawn, moved and recorded everywhere; a mechanism that they do not know is a trait more. */
#include "path_kinds.h"

#include <string.h>

static const end_kind ends[] = {
    {"free", 0},           {"pinned", END_AT_PLACE}, {"clamped", END_AT_PLACE | END_KEEPS_DIRECTION},
    {"body", END_ON_BODY}, {"rim", END_ON_DRUM},
};

static const path_kind items[] = {
    {"hang", ITEM_RUNS, 0, ""},
    {"over", ITEM_WRAPS, 1, " turn turns pitch "},
    {"under", ITEM_WRAPS, -1, " turn turns pitch "},
    {"around", ITEM_WRAPS, 0, " turn turns pitch "},
    {"to", 0, 0, ""},
    {"along", ITEM_RUNS | ITEM_DIRECTED, 0, " length "},
};

enum { N_ENDS = sizeof ends / sizeof ends[0], N_ITEMS = sizeof items / sizeof items[0] };

const end_kind *cps_end_find(const char *name) {
  for (int i = 0; i < N_ENDS; i++)
    if (strcmp(ends[i].name, name) == 0) return &ends[i];
  return NULL;
}

const path_kind *cps_item_find(const char *name) {
  for (int i = 0; i < N_ITEMS; i++)
    if (strcmp(items[i].name, name) == 0) return &items[i];
  return NULL;
}

const path_kind *cps_item_at(int i) { return i >= 0 && i < N_ITEMS ? &items[i] : NULL; }
