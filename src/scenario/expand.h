/* expand.h - what happens to a tree between the parser and the reader: includes, repeats, settings. */
#ifndef CPS_EXPAND_H
#define CPS_EXPAND_H

#include "reader.h"

/* Merges the files that the tree includes into it; returns the whole, NULL if nothing is left. */
node *cps_expand_includes(reader *r, node *root);

/* Replaces `repeat` by what it stands for. */
void cps_expand_repeats(reader *r, node *root);

/* The only key of a map, if it names a law or a kind of profile or drive; NULL otherwise. */
const char *cps_node_kind(const reader *r, const node *map);

/* A setting "path=value": its path and its value. */
typedef struct setting {
  const char *path;
  node *value;
  mark at; /* of the path */
} setting;

/* A copy of a node with an array of its own: its parts are shared, and may be replaced. NULL if out of memory. */
node *cps_node_own(document *d, const node *n);

/* Whether a setting puts a plain number somewhere, so that nothing but numbers of an expanded tree changes by it. */
int cps_setting_is_number(const char *text);

/* Parses settings into list[n]; those that cannot be parsed have a NULL value, and problems. */
void cps_settings_parse(reader *r, const char *const *settings, int n, setting *list);

/* Applies those that go into `repeat` (before it is expanded), or all others. */
void cps_settings_apply(reader *r, node *root, const setting *list, int n, int repeats);

#endif
