/* repeat.c - chains: copies of a template, one for each value of an index.
 *
 *   text  = { character | "{" sum "}" }
 *   sum   = term { ("+" | "-") term }      term = factor { ("*" | "/") factor }
 *   factor = number | index | "(" sum ")" | "-" factor
 */
#include "expand.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ expressions */

typedef struct expression {
  const char *at;    /* what is left to read */
  const char *index; /* its name */
  double value;      /* its value */
  int depth;
  const char *wrong; /* what is wrong; NULL so far */
} expression;

static double sum(expression *e);

static void skip_blanks(expression *e) { e->at += strspn(e->at, " "); }

static double fail(expression *e, const char *why) {
  if (!e->wrong) e->wrong = why;
  return 0;
}

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static double factor(expression *e) {
  double x = 0;
  const char *end;
  skip_blanks(e);
  if (++e->depth > 50) return fail(e, "has too many parentheses");
  if (*e->at == '(') {
    e->at++;
    x = sum(e);
    skip_blanks(e);
    if (*e->at != ')') return fail(e, "lacks a closing parenthesis");
    e->at++;
  } else if (*e->at == '-') {
    e->at++;
    x = -factor(e);
  } else if (((*e->at >= '0' && *e->at <= '9') || *e->at == '.') && cps_number_read(e->at, &end, &x)) {
    e->at = end;
  } else {
    size_t n = 0;
    while (is_word(e->at[n])) n++;
    if (n == 0) return fail(e, "lacks a number or the index");
    if (n != strlen(e->index) || memcmp(e->at, e->index, n) != 0)
      return fail(e, "has a word that is not the index");
    e->at += n;
    x = e->value;
  }
  e->depth--;
  return x;
}

static double term(expression *e) {
  double x = factor(e);
  for (skip_blanks(e); !e->wrong && (*e->at == '*' || *e->at == '/'); skip_blanks(e)) {
    char operation = *e->at++;
    double y = factor(e);
    if (operation == '/' && y == 0) return fail(e, "divides by zero");
    x = operation == '*' ? x * y : x / y;
  }
  return x;
}

static double sum(expression *e) {
  double x = term(e);
  for (skip_blanks(e); !e->wrong && (*e->at == '+' || *e->at == '-'); skip_blanks(e)) {
    char operation = *e->at++;
    double y = term(e);
    x = operation == '+' ? x + y : x - y;
  }
  return x;
}

/* ------------------------------------------------------------------ substitution */

/* One pass over a template, for one value of the index. */
typedef struct pass {
  reader *r;
  const char *index;
  double value;
  int first;  /* the first copy, which makes the complaints */
  int failed; /* the template is wrong, or memory or room ran out */
} pass;

/* Replaces what is in braces; NULL if something is wrong, the same text if there is nothing to replace. */
static const char *substitute(pass *p, const node *n, int *only) {
  const char *s = n->text;
  if (!strchr(s, '{')) return s;
  char out[512];
  size_t used = 0;
  *only = 0;
  while (*s && used + 40 < sizeof out) {
    if (*s != '{') {
      out[used++] = *s++;
      continue;
    }
    expression e = {.at = s + 1, .index = p->index, .value = p->value};
    double x = sum(&e);
    if (!e.wrong && *e.at != '}') fail(&e, "lacks a closing brace");
    if (!e.wrong && !isfinite(x)) fail(&e, "is not finite");
    if (e.wrong) {
      char quote[QUOTE_SIZE];
      cps_complain(p->r, n, "found %s; the expression in braces %s (the index is %s)",
                   cps_quote(quote, n->text), e.wrong, p->index);
      p->failed = 1;
      return NULL;
    }
    char number[40];
    cps_number_text(number, sizeof number, x);
    *only = s == n->text && e.at[1] == 0;
    used += (size_t)snprintf(out + used, sizeof out - used, "%s", number);
    s = e.at + 1;
  }
  if (*s) {
    cps_complain(p->r, n, "text with an expression in braces is too long here");
    p->failed = 1;
    return NULL;
  }
  return cps_document_text(p->r->d, out, used);
}

/* A copy of a template; parts without anything to replace are shared. */
static node *instance(pass *p, node *n) {
  if (p->failed || n->kind == NODE_NULL) return n;
  node *copy = cps_node_new(p->r->d, (node_kind)n->kind, n->at);
  if (!copy) {
    p->failed = 1;
    return n;
  }
  *copy = *n;
  copy->repeated = !p->first;
  if (n->kind == NODE_SCALAR) {
    int only = 0;
    const char *text = substitute(p, n, &only);
    if (text) copy->text = text;
    if (only) copy->quoted = 0;
    return copy;
  }
  size_t size = n->kind == NODE_MAP ? sizeof(map_entry) : sizeof(node *);
  void *parts = cps_document_alloc(p->r->d, (size_t)n->n * size);
  if (!parts) {
    p->failed = 1;
    return n;
  }
  for (int i = 0; i < n->n; i++) {
    if (n->kind == NODE_MAP)
      ((map_entry *)parts)[i] = (map_entry){instance(p, n->entry[i].key), instance(p, n->entry[i].value)};
    else
      ((node **)parts)[i] = instance(p, n->item[i]);
  }
  if (n->kind == NODE_MAP)
    copy->entry = parts;
  else
    copy->item = parts;
  return copy;
}

/* Nodes that a copy of a template needs, up to a limit: aliases may make a small template large. */
static long size_of(const node *n, long limit) {
  long size = 1;
  for (int i = 0; i < n->n && size < limit; i++) {
    if (n->kind == NODE_MAP)
      size += 1 + size_of(n->entry[i].value, limit - size);
    else
      size += size_of(n->item[i], limit - size);
  }
  return size;
}

/* ------------------------------------------------------------------ expansion */

static const char *const sections[] = {"profiles", "bodies", "surfaces", "springs",
                                       "contacts", "loads",  "drums",    "cables"};
enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

/* A map that is being filled. */
typedef struct filling {
  node *map;
  int room;
} filling;

static int add_entries(document *d, filling *f, const node *from) {
  if (!from) return 1;
  if (f->map->n + from->n > f->room) {
    int room = 2 * (f->map->n + from->n);
    map_entry *more = cps_document_alloc(d, (size_t)room * sizeof *more);
    if (!more) return 0;
    if (f->map->n) memcpy(more, f->map->entry, (size_t)f->map->n * sizeof *more);
    f->map->entry = more;
    f->room = room;
  }
  for (int i = 0; i < from->n; i++) f->map->entry[f->map->n++] = from->entry[i];
  if (from->height > f->map->height) f->map->height = from->height;
  return 1;
}

/* Whether a repeat makes sense and its copies fit. */
static int check_repeat(reader *r, const node *n, raw_repeat *raw, int *too_large) {
  if (!cps_read_map(r, n, &cps_keys_repeat, NULL, raw)) return 0;
  if (!raw->index) raw->index = "i";
  const char *s = raw->index;
  int word = *s && !(*s >= '0' && *s <= '9');
  for (; *s && word; s++) word = is_word(*s);
  if (!word) {
    char quote[QUOTE_SIZE];
    cps_complain(r, cps_node_get(n, "index"), "found %s; the index is a word, such as i",
                 cps_quote(quote, raw->index));
    return 0;
  }
  long size = 0;
  for (int i = 0; i < N_SECTIONS; i++) {
    const node *section = cps_node_get(n, sections[i]);
    if (!section) continue;
    if (section->kind != NODE_MAP) {
      int before = cps_enter(r, sections[i]);
      cps_complain(r, section, "found %s; expected a map from names to %s", cps_node_what(section),
                   sections[i]);
      cps_leave(r, before);
      return 0;
    }
    size += size_of(section, NODES_MOST);
  }
  if (size == 0) {
    cps_complain(r, n, "this repeats nothing; it needs bodies, springs, contacts, ...");
    return 0;
  }
  if ((double)size * raw->count <= (double)(NODES_MOST - r->d->nodes)) return 1;
  *too_large = 1;
  cps_complain(r, cps_node_get(n, "count"),
               "%.0f copies of %ld values each are more than the %d million that are the "
               "limit",
               raw->count, size, NODES_MOST / 1000000);
  return 0;
}

static void expand_one(reader *r, const node *n, filling *f, int *too_large) {
  raw_repeat raw;
  if (n->kind != NODE_MAP) {
    cps_complain(r, n, "found %s; expected a map with the keys of a repeat, such as {count: 32, bodies: ...}",
                 cps_node_what(n));
    return;
  }
  if (!check_repeat(r, n, &raw, too_large)) return;
  for (int k = 0; k < (int)raw.count; k++) {
    pass p = {.r = r, .index = raw.index, .value = raw.from + k, .first = k == 0};
    for (int i = 0; i < N_SECTIONS; i++) {
      node *section = cps_node_get(n, sections[i]);
      if (!section) continue;
      int before = cps_enter(r, sections[i]);
      node *copy = instance(&p, section);
      cps_leave(r, before);
      if (p.failed || !add_entries(r->d, &f[i], copy)) return;
    }
  }
}

void cps_expand_repeats(reader *r, node *root) {
  node *list = cps_node_get(root, "repeat");
  if (!list || list->kind == NODE_NULL) return;
  int before = cps_enter(r, "repeat");
  if (list->kind != NODE_LIST) {
    cps_complain(r, list, "found %s; expected a list of maps, such as - {count: 32, bodies: ...}",
                 cps_node_what(list));
    cps_leave(r, before);
    return;
  }
  /* Things are in file order: copies go before those of a section that comes later in the file. */
  filling f[N_SECTIONS];
  int at = cps_node_find(root, "repeat"), late[N_SECTIONS];
  for (int i = 0; i < N_SECTIONS; i++) {
    const node *own = cps_node_get(root, sections[i]);
    late[i] = own && own->kind == NODE_MAP && cps_node_find(root, sections[i]) > at;
    f[i] = (filling){cps_node_new(r->d, NODE_MAP, list->at), 0};
    if (!f[i].map || (own && own->kind == NODE_MAP && !late[i] && !add_entries(r->d, &f[i], own))) {
      cps_leave(r, before);
      return;
    }
  }
  int too_large = 0; /* and no more of it: measuring takes time, too */
  for (int k = 0; k < list->n && !too_large; k++) {
    int outer = cps_enter_item(r, k);
    expand_one(r, list->item[k], f, &too_large);
    cps_leave(r, outer);
  }
  cps_leave(r, before);
  for (int i = 0; i < N_SECTIONS; i++) {
    int own = cps_node_find(root, sections[i]);
    if (late[i] && !add_entries(r->d, &f[i], root->entry[own].value)) return;
    if (f[i].map->n == 0) continue;
    cps_entries_unique(r->d, f[i].map, f[i].map->n, sections[i]);
    if (own < 0) {
      node *key = cps_node_scalar(r->d, sections[i], list->at);
      if (!key || !cps_node_put(r->d, root, key, f[i].map)) return;
    } else if (root->entry[own].value->kind == NODE_MAP || root->entry[own].value->kind == NODE_NULL) {
      f[i].map->at = root->entry[own].value->at;
      root->entry[own].value = f[i].map;
    }
  }
}
