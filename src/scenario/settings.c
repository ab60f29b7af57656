/* settings.c - "contacts.c.friction.mu=0.3" on top of a tree.
 *
 * A path is keys with dots between them, and numbers from 0 for the items of lists. The name of a law or of a
 * kind of profile or drive may be left out where there is only one. What lies on the path is copied before it is
 * changed, since aliases may share it.
 */
#include "expand.h"
#include "read_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS_MOST = 32 };

/* ------------------------------------------------------------------ parsing */

/* A plain number, as those that vary parameters have by the hundred, is a scalar in YAML, too. */
static int is_number(const char *text) {
  size_t n = strspn(text, "0123456789.+-eE");
  return n > 0 && n < 64 && !text[n] && (unsigned)(text[n - 1] - '0') < 10 && !strstr(text, "--");
}

/* Settings of `repeat` act before it is expanded. */
static int is_of_repeat(const char *path) {
  return strncmp(path, "repeat", 6) == 0 && (path[6] == '.' || path[6] == '=' || !path[6]);
}

int cps_setting_is_number(const char *text) {
  const char *value = strchr(text, '=');
  return value && is_number(value + 1) && !is_of_repeat(text);
}

static int parse_one(reader *r, const char *text, setting *s) {
  document *d = r->d;
  size_t length = strlen(text);
  char *copy = malloc(length + 1);
  if (!copy) {
    d->no_memory = 1;
    return 0;
  }
  memcpy(copy, text, length + 1);
  int source = cps_document_add(d, "--set", d->sources[0].folder, copy, length);
  if (source < 0) return 0;
  s->at = (mark){source, 0};
  size_t n = strcspn(text, "=\n\r");
  if (text[n] != '=' || n == 0 || strlen(text) > 65536) {
    cps_problem(d, s->at, NULL, "a setting is written path=value, such as run.until=5 s");
    return 0;
  }
  s->path = cps_document_text(d, text, n);
  if (!s->path) return 0;
  int known = cps_problems_count(d->problems);
  node *value = is_number(text + n + 1)
                    ? cps_node_scalar(d, d->sources[source].text + n + 1, (mark){source, (unsigned)n + 1})
                    : cps_yaml_parse(d, source, n + 1);
  if (!value && cps_problems_count(d->problems) == known && !d->no_memory)
    cps_problem(d, (mark){source, (unsigned)n}, s->path, "there is no value after \"=\"");
  s->value = value;
  return value != NULL;
}

void cps_settings_parse(reader *r, const char *const *settings, int n, setting *list) {
  for (int i = 0; i < n; i++) {
    list[i] = (setting){NULL, NULL, {0, 0}};
    if (settings[i] && !parse_one(r, settings[i], &list[i])) list[i].value = NULL;
  }
}

/* ------------------------------------------------------------------ walking */

/* A walk along a path. */
typedef struct walk {
  reader *r;
  const setting *s;
  char *segment[SEGMENTS_MOST];
  int n;
} walk;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
complain(walk *w, int i, const char *format, ...) {
  mark at = w->s->at;
  for (int k = 0; k < i; k++) at.offset += (unsigned)strlen(w->segment[k]) + 1;
  va_list args;
  va_start(args, format);
  cps_problem_add(w->r->d, at, w->s->path, 0, format, args);
  va_end(args);
  return 0;
}

static int split(walk *w, char *path) {
  w->n = 0;
  for (char *s = path;;) {
    char *dot = strchr(s, '.');
    if (dot) *dot = 0;
    if (w->n == SEGMENTS_MOST) return complain(w, 0, "this path has more than %d parts", SEGMENTS_MOST);
    w->segment[w->n++] = s;
    if (!*s) return complain(w, w->n - 1, "a part of this path is empty");
    if (!dot) return 1;
    s = dot + 1;
  }
}

node *cps_node_own(document *d, const node *n) {
  node *copy = cps_node_copy(d, n);
  size_t size = (size_t)n->n * (n->kind == NODE_MAP ? sizeof(map_entry) : sizeof(node *));
  if (!copy || (n->kind != NODE_MAP && n->kind != NODE_LIST) || n->n == 0) return copy;
  void *parts = cps_document_alloc(d, size);
  if (!parts) return NULL;
  memcpy(parts, n->kind == NODE_MAP ? (void *)n->entry : (void *)n->item, size);
  if (n->kind == NODE_MAP)
    copy->entry = parts;
  else
    copy->item = parts;
  return copy;
}

const char *cps_node_kind(const reader *r, const node *map) {
  if (map->n != 1) return NULL;
  const char *name = map->entry[0].key->text;
  if (cps_laws_find(r->laws, name) || cps_laws_find_normal(r->laws, name) || cps_row(&cps_keys_drive, name))
    return name;
  for (int i = 0; i < cps_profile_types(); i++)
    if (strcmp(cps_profile_type(i)->keys->name, name) == 0) return name;
  return NULL;
}

/* Whether a key that is not there may start a map of its own: sections, and keys of things. */
static int may_start(const walk *w, int i) {
  const key_table *t = &cps_keys_scenario;
  for (int k = 0; k <= i;) {
    const key *found = cps_row(t, w->segment[k]);
    if (!found) return 0;
    if (k == i) return 1;
    if (found->type != KEY_NAMED && found->type != KEY_MAP) return 0;
    /* Past the name of the thing, if it has one. */
    k += found->type == KEY_NAMED ? 2 : 1;
    t = found->table;
  }
  return 0;
}

static int complain_missing(walk *w, int i, const node *map) {
  char quote[QUOTE_SIZE], list[300] = "";
  nearest_name near = {.word = w->segment[i]};
  size_t used = 0;
  for (int k = 0; k < map->n; k++) {
    cps_nearest_offer(&near, map->entry[k].key->text);
    if (k < 12 && used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "",
                               map->entry[k].key->text);
  }
  /* At the top, what a scenario may have matters more than what this one has. */
  for (int k = 0; i == 0 && k < cps_keys_scenario.n; k++)
    cps_nearest_offer(&near, cps_keys_scenario.keys[k].name);
  cps_quote(quote, w->segment[i]);
  if (near.best) return complain(w, i, "there is no %s here; did you mean \"%s\"?", quote, near.best);
  if (map->n == 0) return complain(w, i, "there is no %s here, nor anything else", quote);
  return complain(w, i, "there is no %s here, only: %s%s", quote, list, map->n > 12 ? ", ..." : "");
}

/* Text that stands for a map: a law by its name alone, an item of a path in words. NULL if it is none. */
static node *as_map(reader *r, node *n, int in_path) {
  document *d = r->d;
  if (n->kind == NODE_MAP || n->kind == NODE_LIST) return cps_node_own(d, n);
  if (n->kind == NODE_NULL) return cps_node_new(d, NODE_MAP, n->at);
  if (in_path) return cps_path_entry(d, n);
  if (!cps_laws_find(r->laws, n->text) && !cps_laws_find_normal(r->laws, n->text)) return NULL;
  node *map = cps_node_new(d, NODE_MAP, n->at), *inside = cps_node_new(d, NODE_MAP, n->at);
  node *key_node = cps_node_copy(d, n);
  return map && inside && key_node && cps_node_put(d, map, key_node, inside) ? map : NULL;
}

static int set_in(walk *w, int i, node *n);

/* Goes down into a part, which is replaced by a copy. */
static int descend(walk *w, int i, node **part) {
  int in_path = i >= 2 && strcmp(w->segment[i - 2], "path") == 0;
  node *copy = as_map(w->r, *part, in_path);
  if (!copy) {
    char quote[QUOTE_SIZE];
    if (w->r->d->no_memory) return 0;
    return complain(w, i, "%s has no parts; it is %s", w->segment[i - 1], cps_quote(quote, (*part)->text));
  }
  *part = copy;
  return set_in(w, i, copy);
}

static int set_in_list(walk *w, int i, node *list) {
  char *end;
  long k = strtol(w->segment[i], &end, 10);
  if (*end || k < 0 || k >= list->n || w->segment[i][0] == '+') {
    char quote[QUOTE_SIZE];
    return complain(w, i, "there is no item %s in this list of %d; they count from 0",
                    cps_quote(quote, w->segment[i]), list->n);
  }
  if (i + 1 < w->n) return descend(w, i + 1, &list->item[k]);
  list->item[k] = w->s->value;
  return 1;
}

static int set_in_map(walk *w, int i, node *map) {
  document *d = w->r->d;
  const char *name = w->segment[i];
  int k = cps_node_find(map, name);
  const char *kind = k < 0 && i >= 2 ? cps_node_kind(w->r, map) : NULL;
  if (kind) {
    /* Another name of the same law is the same; another law is not; anything else is inside. */
    const cps_law *law = cps_laws_find(w->r->laws, name), *here = cps_laws_find(w->r->laws, kind);
    if (!law || !here || cps_law_param(here, name) >= 0) return descend(w, i, &map->entry[0].value);
    if (law != here)
      return complain(w, i, "the law here is %s; to change it, set the whole: friction={%s: {...}}", kind,
                      name);
    k = 0;
  }
  if (k >= 0 && i + 1 < w->n) return descend(w, i + 1, &map->entry[k].value);
  if (k >= 0) {
    map->entry[k].value = w->s->value;
    return 1;
  }
  if (i + 1 < w->n && !may_start(w, i)) return complain_missing(w, i, map);
  mark at = w->s->at;
  for (int j = 0; j < i; j++) at.offset += (unsigned)strlen(w->segment[j]) + 1;
  node *key_node = cps_node_scalar(d, name, at);
  node *value = i + 1 == w->n ? w->s->value : cps_node_new(d, NODE_MAP, at);
  if (!key_node || !value || !cps_node_put(d, map, key_node, value)) return 0;
  return i + 1 == w->n ? 1 : set_in(w, i + 1, value);
}

static int set_in(walk *w, int i, node *n) {
  return n->kind == NODE_LIST ? set_in_list(w, i, n) : set_in_map(w, i, n);
}

void cps_settings_apply(reader *r, node *root, const setting *list, int n, int repeats) {
  for (int i = 0; i < n; i++) {
    if (!list[i].value) continue;
    if (is_of_repeat(list[i].path) != repeats) continue;
    walk w = {.r = r, .s = &list[i]};
    char *path = cps_document_text(r->d, list[i].path, strlen(list[i].path));
    if (!path || !split(&w, path)) continue;
    if (strcmp(w.segment[0], "include") == 0)
      complain(&w, 0, "files to include cannot be set, only written into the scenario");
    else
      set_in(&w, 0, root);
  }
}
