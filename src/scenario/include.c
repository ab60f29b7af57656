/* include.c - files that include other files.
 *
 * Maps are merged down to the keys of each body, spring, ...: what the including file says wins. Lists of
 * repeats are joined. A file that was included before is not included again; one that is just being included
 * is a loop.
 */
#include "expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INCLUDE_DEPTH = 16 };

/* The files that are being read, outermost first. */
typedef struct chain {
  int source[INCLUDE_DEPTH + 1];
  int n;
} chain;

static node *include_all(reader *r, node *root, chain *c);

/* Joins two trees, of which the second wins, `levels` deep. */
static node *merge(document *d, node *base, node *over, int levels) {
  if (base->kind == NODE_LIST && over->kind == NODE_LIST && levels < 0) {
    node *both = cps_node_copy(d, over);
    node **item = cps_document_alloc(d, ((size_t)base->n + (size_t)over->n) * sizeof(node *));
    if (!both || !item) return over;
    if (base->n) memcpy(item, base->item, (size_t)base->n * sizeof(node *));
    if (over->n) memcpy(item + base->n, over->item, (size_t)over->n * sizeof(node *));
    both->item = item;
    both->n = base->n + over->n;
    if (base->height > both->height) both->height = base->height;
    return both;
  }
  if (base->kind != NODE_MAP || over->kind != NODE_MAP || levels <= 0) return over;
  name_index index = {0};
  node *both = cps_node_copy(d, base);
  map_entry *entry = cps_document_alloc(d, (size_t)(base->n + over->n) * sizeof *entry);
  int good = both && entry;
  for (int i = 0; good && i < base->n; i++) {
    entry[i] = base->entry[i];
    good = cps_index_put(&index, base->entry[i].key->text, i);
  }
  if (good) {
    both->entry = entry;
    both->at = over->at;
    if (over->height > both->height) both->height = over->height;
  }
  for (int i = 0; good && i < over->n; i++) {
    map_entry e = over->entry[i];
    int k = cps_index_get(&index, e.key->text);
    if (k < 0) {
      entry[both->n++] = e;
    } else {
      int joins = levels == 3 && strcmp(e.key->text, "repeat") == 0;
      entry[k] = (map_entry){e.key, merge(d, entry[k].value, e.value, joins ? -1 : levels - 1)};
    }
  }
  if (!good) d->no_memory = 1;
  cps_index_free(&index);
  return good ? both : over;
}

/* Takes "./" and "name/../" out of a path, so that one file has one name. */
static void tidy(char *path) {
  char *out = path;
  const char *s = path;
  while (*s) {
    size_t n = strcspn(s, "/");
    if (n == 1 && s[0] == '.' && s[1] == '/') {
      s += 2;
      continue;
    }
    if (n == 2 && s[0] == '.' && s[1] == '.' && s[2] == '/' && out > path) {
      /* Drop the folder before, unless that is itself "..", or the root. */
      char *start = out - 1;
      while (start > path && start[-1] != '/') start--;
      size_t before = (size_t)(out - start);
      if (before > 1 && !(before == 3 && start[0] == '.' && start[1] == '.')) {
        out = start;
        s += 3;
        continue;
      }
    }
    memmove(out, s, n + (s[n] == '/'));
    out += n + (s[n] == '/');
    s += n + (s[n] == '/');
  }
  *out = 0;
}

static void complain_loop(reader *r, const node *at, const chain *c, const char *path) {
  char text[300] = "";
  size_t used = 0;
  int from = 0;
  while (from < c->n && strcmp(r->d->sources[c->source[from]].name, path) != 0) from++;
  for (int i = from; i < c->n && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", r->d->sources[c->source[i]].name);
  cps_complain(r, at, "the files include one another in a circle: %s%s", text, path);
}

/* The source of an included file: -1 after a complaint, -2 if it was included before. */
static int open_file(reader *r, const node *at, const chain *c) {
  document *d = r->d;
  char path[1024], why[80], quote[QUOTE_SIZE];
  const char *folder = at->text[0] == '/' ? "" : d->sources[at->at.source].folder;
  int n = snprintf(path, sizeof path, "%s%s", folder, at->text);
  tidy(path);
  for (int i = 0; i < d->n_sources; i++) {
    if (strcmp(d->sources[i].name, path) != 0) continue;
    for (int k = 0; k < c->n; k++) {
      if (c->source[k] != i) continue;
      complain_loop(r, at, c, path);
      return -1;
    }
    return -2;
  }
  size_t length = 0;
  char *text = NULL;
  if (n >= (int)sizeof path)
    snprintf(why, sizeof why, "its name is too long");
  else if (c->n >= INCLUDE_DEPTH || d->n_sources >= SOURCES_MOST)
    snprintf(why, sizeof why, "files include files too often");
  else
    text = cps_file_read(d, path, 1, &length, why, sizeof why);
  if (!text) {
    cps_complain(r, at, "the file %s cannot be included: %s", cps_quote(quote, at->text), why);
    return -1;
  }
  return cps_document_add(d, path, cps_document_folder(d, path), text, length);
}

static node *include_one(reader *r, const node *at, chain *c) {
  if (at->kind != NODE_SCALAR) {
    cps_complain(r, at, "found %s; expected the name of a file, such as common.yaml", cps_node_what(at));
    return NULL;
  }
  int source = open_file(r, at, c);
  if (source < 0) return NULL;
  node *root = cps_yaml_parse(r->d, source, 0);
  if (!root) return NULL;
  if (root->kind != NODE_MAP) {
    cps_problem(r->d, root->at, NULL, "found %s; expected a map with the keys of a scenario",
                cps_node_what(root));
    return NULL;
  }
  /* Paths in it start anew. */
  char path[sizeof r->path];
  memcpy(path, r->path, sizeof path);
  r->path[0] = 0;
  c->source[c->n++] = source;
  root = include_all(r, root, c);
  c->n--;
  memcpy(r->path, path, sizeof path);
  return root;
}

static node *include_all(reader *r, node *root, chain *c) {
  const node *list = cps_node_get(root, "include");
  node *base = NULL;
  if (!list || list->kind == NODE_NULL) return root;
  int before = cps_enter(r, "include");
  if (list->kind == NODE_SCALAR) {
    base = include_one(r, list, c);
  } else if (list->kind == NODE_MAP) {
    cps_complain(r, list, "found %s; expected a list of file names, such as [common.yaml]",
                 cps_node_what(list));
  } else {
    for (int i = 0; i < list->n; i++) {
      int outer = cps_enter_item(r, i);
      node *one = include_one(r, list->item[i], c);
      if (one) base = base ? merge(r->d, base, one, 3) : one;
      cps_leave(r, outer);
    }
  }
  cps_leave(r, before);
  return base ? merge(r->d, base, root, 3) : root;
}

node *cps_expand_includes(reader *r, node *root) {
  chain c = {.source = {root->at.source}, .n = 1};
  return include_all(r, root, &c);
}
