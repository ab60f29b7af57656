/* read_path.c - the path of a cable: its ends, and what it runs over.
 *
 *   path = [ end, item, item, ..., end ]      of a belt: [ item, item, ... ]
 *   end  = a body's name | free | pinned | clamped | {KEY: ...} | "KEY VALUE"
 *   item = {KEY: ...} | "KEY VALUE"
 *
 * Here only words are judged; whether there is such a path is found out when it is drawn.
 */
#include "path_kinds.h"
#include "read_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_KINDS_MOST = 16 };

static const char end_example[] = "a body's name, free, {pinned: [0, 2 m]} or {rim: winch}";
static const char item_example[] = "{over: pulley}, {hang: 1 m} or {to: [1 m, 0]}";

/* The row of the first word of a text in one of the tables; NULL if it is not in there. */
static const key *first_word(const key_table *t, const char *text, size_t *length) {
  char word[32];
  *length = strcspn(text, " ");
  snprintf(word, sizeof word, "%.*s", (int)(*length < sizeof word ? *length : 0), text);
  return cps_row(t, word);
}

node *cps_path_entry(document *d, const node *text) {
  size_t n;
  if (text->kind != NODE_SCALAR) return NULL;
  const key *k = first_word(&cps_keys_path, text->text, &n);
  if (!k) k = first_word(&cps_keys_ends, text->text, &n);
  if (!k || !text->text[n]) return NULL;
  n += strspn(text->text + n, " ");
  /* In the text as it is written, the value comes so many characters later. */
  mark at = {text->at.source, text->at.offset + (unsigned)n + text->quoted};
  node *map = cps_node_new(d, NODE_MAP, text->at), *key_node = cps_node_scalar(d, k->name, text->at);
  node *value = cps_node_scalar(d, text->text + n, at);
  if (!map || !key_node || !value || !cps_node_put(d, map, key_node, value)) return NULL;
  value->repeated = key_node->repeated = map->repeated = text->repeated;
  return map;
}

/* Whether an entry, a map or words, starts with a key of a table. */
static int belongs_to(const key_table *t, const node *n) {
  size_t length;
  if (n->kind == NODE_MAP) {
    for (int i = 0; i < n->n; i++)
      if (cps_row(t, n->entry[i].key->text)) return 1;
    return 0;
  }
  return n->kind == NODE_SCALAR && first_word(t, n->text, &length) != NULL;
}

/* ------------------------------------------------------------------ ends */

/* Where an end is held, and how that place moves. */
static void read_place(reader *r, const node *n, const key *k, cable_end *e) {
  raw_place raw = {0};
  int before = cps_enter(r, k->name);
  if (n->kind == NODE_LIST) {
    key vector = *k;
    vector.type = KEY_VECTOR;
    e->placed = cps_read_value(r, n, &vector, NULL, e->at);
  } else if (n->kind == NODE_MAP) {
    cps_read_map(r, n, k->table, NULL, &raw);
    memcpy(e->at, raw.at, sizeof e->at);
    memcpy(e->direction, raw.direction, sizeof e->direction);
    e->placed = cps_node_key(n, "at") != NULL;
    const node *direction = cps_node_get(n, "direction");
    if (cps_end_is(e->kind, END_KEEPS_DIRECTION) && direction && !cps_normalise(e->direction)) {
      cps_enter(r, "direction");
      cps_complain(r, direction, "a direction cannot be zero; it is a list such as [1, 0]");
      r->path[before] = 0;
      cps_enter(r, k->name);
    }
    cps_read_components(r, raw.moved, "moved", "m", e->shift);
    cps_read_components(r, raw.force, "force", "N", e->force);
  } else if (n->kind != NODE_NULL) {
    cps_complain_type(r, n, k, NULL, NULL);
  }
  cps_leave(r, before);
}

/* What the end is on, by its name. */
static void read_holder(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  if (cps_end_is(e->kind, END_ON_BODY)) e->body = cps_find_mass(r, n, s, "a cable's end is on");
  if (cps_end_is(e->kind, END_ON_DRUM)) e->drum = cps_find_drum(r, n, s);
}

static void read_end_map(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  raw_end raw;
  if (n->n != 1) {
    cps_complain(r, n->n > 1 ? n->entry[1].key : n, "an end of a cable is one thing, such as %s",
                 end_example);
    return;
  }
  if (!cps_read_map(r, n, &cps_keys_ends, NULL, &raw)) return;
  const char *name = n->entry[0].key->text;
  e->kind = cps_end_find(name);
  if (raw.place) {
    read_place(r, raw.place, cps_row(&cps_keys_ends, name), e);
    return;
  }
  int before = cps_enter(r, name);
  read_holder(r, n->entry[0].value, s, e);
  cps_leave(r, before);
}

/* An end in one word: what holds it, or the name of a body. */
static void read_end_word(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  e->kind = cps_end_find(n->text);
  if (e->kind && !cps_end_is(e->kind, END_ON_BODY | END_ON_DRUM)) return;
  e->kind = cps_end_find("body");
  if (strcmp(n->text, "ground") == 0)
    cps_complain(r, n, "ground has no place of its own; an end is held by {pinned: [0, 2 m]}");
  else
    read_holder(r, n, s, e);
}

static void read_end(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  node *entry = cps_path_entry(r->d, n);
  if (r->d->no_memory) return;
  if (belongs_to(&cps_keys_path, n) && !belongs_to(&cps_keys_ends, n))
    cps_complain(r, n, "a path starts and ends with an end of the cable, such as %s", end_example);
  else if (n->kind == NODE_MAP || entry)
    read_end_map(r, entry ? entry : n, s, e);
  else if (n->kind == NODE_SCALAR)
    read_end_word(r, n, s, e);
  else
    cps_complain(r, n, "found %s; expected an end of the cable, such as %s", cps_node_what(n), end_example);
}

/* ------------------------------------------------------------------ items */

/* What an item is: the first of its keys that says so. */
static const path_kind *kind_of(const node *map, int from, int *at) {
  for (*at = from; cps_item_at(*at); ++*at)
    if (cps_node_get(map, cps_item_at(*at)->name)) break;
  return cps_item_at(*at);
}

/* The kinds that a key goes with: "over, under and around". */
static void kinds_with(const char *word, char *text, size_t size) {
  const char *name[PATH_KINDS_MOST];
  int n = 0;
  text[0] = 0;
  for (int i = 0; cps_item_at(i) && n < PATH_KINDS_MOST; i++)
    if (strstr(cps_item_at(i)->with, word)) name[n++] = cps_item_at(i)->name;
  for (int i = 0; i < n; i++) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", i == 0 ? "" : i == n - 1 ? " and " : ", ", name[i]);
  }
}

/* Complains about keys that say more about other kinds of items. */
static void refuse_others(reader *r, const node *map, const path_kind *kind) {
  for (int i = 0; i < cps_keys_path.n; i++) {
    const char *name = cps_keys_path.keys[i].name;
    const node *found = cps_node_get(map, name);
    char word[32], kinds[100];
    snprintf(word, sizeof word, " %s ", name);
    if (!found || cps_item_find(name) || strstr(kind->with, word)) continue;
    int before = cps_enter(r, name);
    kinds_with(word, kinds, sizeof kinds);
    if ((kind->traits & ITEM_RUNS) && strcmp(name, "length") == 0)
      cps_complain(r, found, "length goes with %s; %s has its length itself, such as {%s: 1 m}", kinds,
                   kind->name, kind->name);
    else
      cps_complain(r, found, "%s goes with %s", name, kinds);
    cps_leave(r, before);
  }
}

static void read_wrap(reader *r, const node *n, const cps_scenario *s, const raw_item *raw, path_item *p) {
  int before = cps_enter(r, p->kind->name);
  p->drum = cps_find_drum(r, cps_node_get(n, p->kind->name), s);
  cps_leave(r, before);
  p->side = p->kind->side;
  p->turn = raw->turn < 0 ? 0 : raw->turn == 0 ? -1 : 1;
  p->turns = (int)raw->turns;
  p->pitch = raw->pitch;
  if (p->side == 0 && p->turn == 0)
    cps_complain(r, n, "%s needs a direction, such as turn: clockwise", p->kind->name);
  if (p->pitch != 0 && !r->space) r->space = cps_node_get(n, "pitch");
}

static void read_straight(reader *r, const node *n, const raw_item *raw, path_item *p) {
  p->length = raw->length;
  memcpy(cps_item_is(p, ITEM_DIRECTED) ? p->direction : p->point, raw->vector, sizeof p->point);
  if (!cps_item_is(p, ITEM_DIRECTED) || cps_normalise(p->direction)) return;
  int before = cps_enter(r, p->kind->name);
  cps_complain(r, cps_node_get(n, p->kind->name), "a direction cannot be zero; it is a list such as [1, 0]");
  cps_leave(r, before);
}

static void read_item_map(reader *r, const node *n, const cps_scenario *s, path_item *p) {
  raw_item raw;
  int at;
  if (!cps_read_map(r, n, &cps_keys_path, NULL, &raw)) return;
  const path_kind *kind = kind_of(n, 0, &at), *other = kind ? kind_of(n, at + 1, &at) : NULL;
  if (!kind) {
    cps_complain(r, n, "this does not say where the cable goes; an item of a path is such as %s",
                 item_example);
    return;
  }
  if (other) {
    cps_complain(r, n, "%s and %s are two items of a path; each has an entry of its own", kind->name,
                 other->name);
    return;
  }
  p->kind = kind;
  if (cps_item_is(p, ITEM_WRAPS))
    read_wrap(r, n, s, &raw, p);
  else
    read_straight(r, n, &raw, p);
  refuse_others(r, n, kind);
}

static void read_item(reader *r, const node *n, int closed, const cps_scenario *s, path_item *p) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  p->drum = -1;
  node *entry = cps_path_entry(r->d, n);
  if (r->d->no_memory) return;
  int is_body = n->kind == NODE_SCALAR && !entry && cps_index_get(&r->bodies, n->text) >= 0;
  if (is_body || belongs_to(&cps_keys_ends, n)) {
    cps_complain(r, n,
                 closed ? "a closed cable has no ends, only items such as %s"
                        : "an end of the cable is the first or the last entry of its path; between them are "
                          "items such as %s",
                 item_example);
  } else if (n->kind == NODE_MAP || entry) {
    read_item_map(r, entry ? entry : n, s, p);
  } else if (n->kind == NODE_SCALAR) {
    nearest_name near = {.word = n->text};
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(n->text, " "), n->text);
    near.word = word;
    for (int i = 0; cps_item_at(i); i++)
      if (strcmp(word, cps_item_at(i)->name) != 0) cps_nearest_offer(&near, cps_item_at(i)->name);
    cps_complain(r, n, "found %s%s Expected an item of a path, such as %s", cps_quote(quote, n->text),
                 cps_nearest_hint(&near, ".", hint), item_example);
  } else {
    cps_complain(r, n, "found %s; expected an item of a path, such as %s", cps_node_what(n), item_example);
  }
}

/* ------------------------------------------------------------------ the whole */

/* An end on a rim is next to a wrap on the same drum. */
static void check_rim(reader *r, const node *at, const cable_end *e, const path_item *next,
                      const cps_scenario *s) {
  if (!cps_end_is(e->kind, END_ON_DRUM) || e->drum < 0) return;
  if (next && cps_item_is(next, ITEM_WRAPS) && (next->drum == e->drum || next->drum < 0)) return;
  cps_complain(r, at,
               "an end on the rim of a drum is next to an item that says how the cable lies on it, such as "
               "{around: %s, turn: clockwise, turns: 2}",
               s->drums[e->drum].name);
}

/* Two wraps in a row are on different drums, and only one length may be left open. */
static void check_items(reader *r, const node *list, const cps_scenario *s, const scenario_cable *c) {
  int first = c->closed ? 0 : 1, open = -1;
  for (int i = 0; i < c->n_path; i++) {
    const path_item *p = &c->path[i];
    int k = i + 1 < c->n_path ? i + 1 : c->closed && c->n_path > 1 ? 0 : -1;
    const path_item *next = k < 0 ? NULL : &c->path[k];
    int before = cps_enter_item(r, first + (k < 0 ? i : k));
    if (next && cps_item_is(p, ITEM_WRAPS) && cps_item_is(next, ITEM_WRAPS) && p->drum >= 0 &&
        p->drum == next->drum)
      cps_complain(
          r, list->item[first + k],
          "the cable is on drum \"%s\" already; more turns on it are said by turns, such as turns: 1",
          s->drums[p->drum].name);
    cps_leave(r, before);
    if (!cps_item_is(p, ITEM_RUNS) || p->length > 0) continue;
    before = cps_enter_item(r, first + i);
    if (open >= 0)
      cps_complain(r, list->item[first + i], "another item takes the rest of the length already");
    else if (c->length == 0)
      cps_complain(
          r, list->item[first + i],
          "this item takes the rest of the cable's length, so the cable needs length, such as length: 10 m");
    cps_leave(r, before);
    open = i;
  }
}

void cps_read_path(reader *r, const node *n, const cps_scenario *s, scenario_cable *c) {
  int before = cps_enter(r, "path"), known = cps_problems_count(r->d->problems);
  if (n->kind != NODE_LIST || n->n < 2) {
    if (n->kind == NODE_LIST)
      cps_complain(r, n, "found %d entr%s; %s", n->n, n->n == 1 ? "y" : "ies",
                   c->closed ? "a belt runs around at least two drums or points"
                             : "a path has at least two, the ends of the cable");
    else
      cps_complain_type(r, n, cps_row(&cps_keys_cables, "path"), NULL, NULL);
    cps_leave(r, before);
    return;
  }
  int first = c->closed ? 0 : 1, last = n->n - first;
  for (int k = 0; k < 2; k++) c->end[k].body = c->end[k].drum = -1;
  c->path = calloc((size_t)n->n, sizeof *c->path);
  if (!c->path) r->d->no_memory = 1;
  for (int i = 0; i < n->n && !r->d->no_memory; i++) {
    int outer = cps_enter_item(r, i);
    if (i >= first && i < last)
      read_item(r, n->item[i], c->closed, s, &c->path[c->n_path++]);
    else
      read_end(r, n->item[i], s, &c->end[i > 0]);
    cps_leave(r, outer);
  }
  if (!r->d->no_memory && cps_problems_count(r->d->problems) == known) {
    check_items(r, n, s, c);
    for (int k = 0; k < 2 && !c->closed; k++) {
      int outer = cps_enter_item(r, k ? n->n - 1 : 0);
      const path_item *next = c->n_path ? &c->path[k ? c->n_path - 1 : 0] : NULL;
      check_rim(r, n->item[k ? n->n - 1 : 0], &c->end[k], next, s);
      cps_leave(r, outer);
    }
  }
  cps_leave(r, before);
}
