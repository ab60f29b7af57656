/* builder.c - a scenario that is built by calls instead of written into a file.
 *
 * Calls put values into a tree of maps, lists and texts, by the paths that --set has, too. The tree is written as YAML
 * and read by the reader of files: keys, units, defaults, ranges and complaints exist once. The text of the scenario is
 * then that YAML, so that results, checkpoints, sensitivities and fits know nothing of where it came from.
 */
#include "buffer.h"
#include "internal.h"
#include "units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILDER_DEPTH = 32, KEY_LENGTH = 200 };

typedef struct branch branch;
struct branch {
  char *key;  /* owned; NULL: the item of a list */
  char *text; /* owned: YAML in one line; NULL: there are parts */
  branch **part;
  int n, room;
};

struct cps_builder {
  branch root;
  char *name; /* owned: of the "file" in messages */
};

/* ------------------------------------------------------------------ tree */

static void clear(branch *b) {
  for (int i = 0; i < b->n; i++) {
    clear(b->part[i]);
    free(b->part[i]->key);
    free(b->part[i]);
  }
  free(b->part);
  free(b->text);
  b->part = NULL;
  b->text = NULL;
  b->n = b->room = 0;
}

static char *copy(const char *text, size_t length) {
  char *made = malloc(length + 1);
  if (!made) return NULL;
  memcpy(made, text, length);
  made[length] = 0;
  return made;
}

/* The part of that name, which is made if it is not there; NULL if out of memory. */
static branch *part_of(branch *b, const char *key, size_t length) {
  for (int i = 0; i < b->n; i++)
    if (strlen(b->part[i]->key) == length && memcmp(b->part[i]->key, key, length) == 0) return b->part[i];
  if (b->n == b->room) {
    int room = b->room ? 2 * b->room : 4;
    branch **more = realloc(b->part, (size_t)room * sizeof *more);
    if (!more) return NULL;
    b->part = more;
    b->room = room;
  }
  branch *made = calloc(1, sizeof *made);
  if (!made || !(made->key = copy(key, length))) {
    free(made);
    return NULL;
  }
  b->part[b->n++] = made;
  return made;
}

static int is_path(const char *path) {
  if (!path || path[strcspn(path, "\n\r")]) return 0;
  for (int depth = 0; depth < BUILDER_DEPTH; depth++) {
    size_t length = strcspn(path, ".");
    if (length == 0 || length > KEY_LENGTH) return 0;
    if (!path[length]) return 1;
    path += length + 1;
  }
  return 0;
}

/* Puts text, which it takes, at a path. */
static cps_status put(cps_builder *m, const char *path, char *text, cps_error *err) {
  if (!is_path(path)) {
    free(text);
    return cps_error_set(err, CPS_BAD_INPUT, path,
                         "a path is keys with dots between them, such as bodies.block.mass; found \"%.100s\"",
                         path ? path : "");
  }
  branch *b = text ? &m->root : NULL;
  for (const char *s = path; b && *s;) {
    size_t length = strcspn(s, ".");
    if (b->text) clear(b); /* a value becomes a map: what it was is gone */
    b = part_of(b, s, length);
    s += length + (s[length] == '.');
  }
  if (!b) {
    free(text);
    return cps_error_set(err, CPS_NO_MEMORY, path, "out of memory for %s", path);
  }
  clear(b);
  b->text = text;
  return CPS_OK;
}

/* ------------------------------------------------------------------ text */

static void add_number(buffer *b, double value) {
  char text[40];
  cps_buffer_add(b, "%s",
                 isnan(value)   ? ".nan"
                 : isinf(value) ? value > 0 ? ".inf" : "-.inf"
                                : cps_number_text(text, sizeof text, value));
}

static void write_branch(buffer *out, const branch *b, int depth) {
  for (int i = 0; i < b->n; i++) {
    const branch *p = b->part[i];
    cps_buffer_add(out, "%*s%s:%s%s\n", 2 * depth, "", p->key, p->text ? " " : "", p->text ? p->text : "");
    write_branch(out, p, depth + 1);
  }
}

/* ------------------------------------------------------------------ public */

cps_builder *cps_builder_new(const char *name) {
  cps_builder *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->name = copy(name ? name : "model", strlen(name ? name : "model"));
  if (!m->name || cps_builder_set(m, "capstan", 1, NULL) != CPS_OK) {
    cps_builder_free(m);
    return NULL;
  }
  return m;
}

void cps_builder_free(cps_builder *m) {
  if (!m) return;
  clear(&m->root);
  free(m->name);
  free(m);
}

cps_status cps_builder_set(cps_builder *m, const char *path, double value, cps_error *err) {
  buffer b = {0};
  add_number(&b, value);
  return put(m, path, cps_buffer_take(&b), err);
}

cps_status cps_builder_set_numbers(cps_builder *m, const char *path, const double *values, int n,
                                   cps_error *err) {
  buffer b = {0};
  cps_buffer_add(&b, "[");
  for (int i = 0; i < n; i++) {
    if (i > 0) cps_buffer_add(&b, ", ");
    add_number(&b, values[i]);
  }
  cps_buffer_add(&b, "]");
  return put(m, path, cps_buffer_take(&b), err);
}

cps_status cps_builder_set_text(cps_builder *m, const char *path, const char *text, cps_error *err) {
  buffer b = {0};
  cps_buffer_quote(&b, text ? text : "");
  return put(m, path, cps_buffer_take(&b), err);
}

cps_status cps_builder_set_yaml(cps_builder *m, const char *path, const char *yaml, cps_error *err) {
  if (!yaml || yaml[strcspn(yaml, "\n\r")])
    return cps_error_set(err, CPS_BAD_INPUT, path,
                         "a value is one line of YAML, such as [left, {hang: 1 m}]");
  return put(m, path, copy(yaml, strlen(yaml)), err);
}

char *cps_builder_yaml(const cps_builder *m) {
  buffer b = {0};
  write_branch(&b, &m->root, 0);
  return cps_buffer_take(&b);
}

cps_scenario *cps_builder_scenario(const cps_builder *m, const cps_laws *laws, cps_problems **problems) {
  char *text = cps_builder_yaml(m);
  cps_load_options o = {.laws = laws};
  /* without memory for the text there is none for anything else: the parser says so */
  cps_scenario *s = cps_scenario_parse_with(text, text ? strlen(text) : 0, m->name, &o, problems);
  free(text);
  return s;
}
