/* yaml_tree.h - a YAML document as a tree of our own, in which every key and value knows its place.
 *
 * Aliases share what they refer to, so the tree is really a graph without cycles: no function changes a node that
 * is in use. Merge keys are resolved, duplicate keys are reported and dropped, depth and size are limited.
 */
#ifndef CPS_YAML_TREE_H
#define CPS_YAML_TREE_H

#include "document.h"

enum { DEPTH_MOST = 64 };

typedef enum node_kind { NODE_NULL, NODE_SCALAR, NODE_MAP, NODE_LIST } node_kind;

typedef struct node node;

typedef struct map_entry {
  node *key; /* a scalar */
  node *value;
} map_entry;

struct node {
  unsigned char kind;
  unsigned char quoted;   /* a scalar in quotes is text, whatever it looks like */
  unsigned char height;   /* 1 for scalars, 1 + that of the highest part otherwise */
  unsigned char repeated; /* a second or later copy of a template */
  int n;                  /* entries or items */
  mark at;
  union {
    const char *text; /* scalars; "" for null */
    map_entry *entry;
    node **item;
  };
};

/* Parses a source, of which the first `skip` bytes count as blanks. NULL if it has no value or cannot be
 * parsed; the document then has a problem more, unless it is only empty. */
node *cps_yaml_parse(document *d, int source, size_t skip);

/* Rejects what is no text, or would lead the parser astray: returns 0 after adding a problem. */
int cps_text_check(document *d, int source, size_t skip);

/* New nodes; NULL if out of memory or if there are too many, which is then a problem at `at`. */
node *cps_node_new(document *d, node_kind kind, mark at);
node *cps_node_scalar(document *d, const char *text, mark at);
node *cps_node_copy(document *d, const node *from); /* the parts are shared */

/* Where a key is in a map; -1 if it is not in it, or if it is no map. */
int cps_node_find(const node *map, const char *key);

/* The value of a key in a map; NULL if it has none. */
node *cps_node_get(const node *map, const char *key);
const node *cps_node_key(const node *map, const char *key);

/* Gives a map a further entry, or a list a further item; the arrays are replaced, not changed. 0 if out of
 * memory. */
int cps_node_put(document *d, node *map, node *key, node *value);

/* Drops entries whose key came before; the first n_own must differ and are complained about. */
void cps_entries_unique(document *d, node *map, int n_own, const char *path);

/* "a map", "a list", "text", ... for messages. */
const char *cps_node_what(const node *n);

#endif
