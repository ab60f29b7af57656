/* read_path.c - the path of a cable: its ends, and what it runs over.
 *
 *   path = [ end, item, item, ..., end ]      of a belt: [ item, item, ... ]
 *   end  = a body's name | free | pinned | clamped | {KEY: ...} | "KEY VALUE"
 *   item = {KEY: ...} | "KEY VALUE"
 *
 * Here only words are judged; whether there is such a path is found out when it is drawn.
 */
#include "read_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char end_example[] = "a body's name, free, {pinned: [0, 2 m]} or {rim: winch}";
static const char item_example[] = "{over: pulley}, {hang: 1 m} or {to: [1 m, 0]}";

/* Keys that say what an item is; the others say more about it. */
static const char *const item_kinds[] = {"hang", "over", "under", "around", "to", "along"};
enum { N_KINDS = sizeof item_kinds / sizeof item_kinds[0] };

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
    if (e->kind == END_CLAMPED && direction && !cps_normalise(e->direction)) {
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

static void read_end_map(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  static const struct {
    const char *name;
    end_kind kind;
  } places[] = {{"free", END_FREE}, {"pinned", END_PINNED}, {"clamped", END_CLAMPED}};
  raw_end raw;
  if (n->n != 1) {
    cps_complain(r, n->n > 1 ? n->entry[1].key : n, "an end of a cable is one thing, such as %s",
                 end_example);
    return;
  }
  if (!cps_read_map(r, n, &cps_keys_ends, NULL, &raw)) return;
  const node *value = n->entry[0].value;
  for (int i = 0; i < 3; i++) {
    if (strcmp(n->entry[0].key->text, places[i].name) != 0) continue;
    e->kind = places[i].kind;
    read_place(r, value, cps_row(&cps_keys_ends, places[i].name), e);
  }
  int before = cps_enter(r, n->entry[0].key->text);
  if (raw.body) {
    e->kind = END_BODY;
    e->body = cps_find_mass(r, value, s, "a cable's end is on");
  } else if (raw.rim) {
    e->kind = END_RIM;
    e->drum = cps_find_drum(r, value, s);
  }
  cps_leave(r, before);
}

/* An end in one word: what holds it, or the name of a body. */
static void read_end_word(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  static const struct {
    const char *word;
    end_kind kind;
  } words[] = {{"free", END_FREE}, {"pinned", END_PINNED}, {"clamped", END_CLAMPED}};
  for (int i = 0; i < 3; i++) {
    if (strcmp(n->text, words[i].word) != 0) continue;
    e->kind = words[i].kind;
    return;
  }
  if (strcmp(n->text, "ground") == 0) {
    cps_complain(r, n, "ground has no place of its own; an end is held by {pinned: [0, 2 m]}");
    return;
  }
  e->kind = END_BODY;
  e->body = cps_find_mass(r, n, s, "a cable's end is on");
}

static void read_end(reader *r, const node *n, const cps_scenario *s, cable_end *e) {
  e->body = e->drum = -1;
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

static int kind_of(const node *map) {
  for (int i = 0; i < N_KINDS; i++)
    if (cps_node_get(map, item_kinds[i])) return i;
  return -1;
}

/* Complains about a key that belongs to another kind of item. */
static void refuse(reader *r, const node *map, const char *name, const char *kinds) {
  const node *found = cps_node_get(map, name);
  if (!found) return;
  int before = cps_enter(r, name);
  cps_complain(r, found, "%s goes with %s", name, kinds);
  cps_leave(r, before);
}

static void read_wrap(reader *r, const node *n, const char *name, const cps_scenario *s, const raw_item *raw,
                      path_item *p) {
  int before = cps_enter(r, name);
  p->kind = PATH_WRAP;
  p->drum = cps_find_drum(r, cps_node_get(n, name), s);
  cps_leave(r, before);
  p->side = strcmp(name, "over") == 0 ? 1 : strcmp(name, "under") == 0 ? -1 : 0;
  p->turn = raw->turn < 0 ? 0 : raw->turn == 0 ? -1 : 1;
  p->turns = (int)raw->turns;
  p->pitch = raw->pitch;
  if (p->side == 0 && p->turn == 0) cps_complain(r, n, "around needs a direction, such as turn: clockwise");
  if (p->pitch != 0 && !r->space) r->space = cps_node_get(n, "pitch");
  refuse(r, n, "length", "along");
}

static void read_straight(reader *r, const node *n, const char *name, const raw_item *raw, path_item *p) {
  p->drum = -1;
  if (strcmp(name, "hang") == 0) {
    p->kind = PATH_HANG;
    p->length = raw->hang;
    refuse(r, n, "length", "along; hang has its length itself, such as {hang: 1 m}");
  } else if (strcmp(name, "to") == 0) {
    p->kind = PATH_TO;
    memcpy(p->point, raw->to, sizeof p->point);
    refuse(r, n, "length", "along");
  } else {
    p->kind = PATH_TO;
    p->length = raw->length;
    memcpy(p->direction, raw->along, sizeof p->direction);
    int before = cps_enter(r, name);
    if (!cps_normalise(p->direction))
      cps_complain(r, cps_node_get(n, name), "a direction cannot be zero; it is a list such as [1, 0]");
    cps_leave(r, before);
  }
  refuse(r, n, "turn", "over, under and around");
  refuse(r, n, "turns", "over, under and around");
  refuse(r, n, "pitch", "over, under and around");
}

static void read_item_map(reader *r, const node *n, const cps_scenario *s, path_item *p) {
  raw_item raw;
  if (!cps_read_map(r, n, &cps_keys_path, NULL, &raw)) return;
  int kind = kind_of(n);
  if (kind < 0) {
    cps_complain(r, n, "this does not say where the cable goes; an item of a path is such as %s",
                 item_example);
    return;
  }
  for (int i = kind + 1; i < N_KINDS; i++) {
    if (!cps_node_get(n, item_kinds[i])) continue;
    cps_complain(r, n, "%s and %s are two items of a path; each has an entry of its own", item_kinds[kind],
                 item_kinds[i]);
    return;
  }
  if (strcmp(item_kinds[kind], "over") == 0 || strcmp(item_kinds[kind], "under") == 0 ||
      strcmp(item_kinds[kind], "around") == 0)
    read_wrap(r, n, item_kinds[kind], s, &raw, p);
  else
    read_straight(r, n, item_kinds[kind], &raw, p);
}

static void read_item(reader *r, const node *n, int closed, const cps_scenario *s, path_item *p) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  p->drum = -1;
  p->kind = PATH_TO;
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
    for (int i = 0; i < N_KINDS; i++)
      if (strcmp(word, item_kinds[i]) != 0) cps_nearest_offer(&near, item_kinds[i]);
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
  if (e->kind != END_RIM || e->drum < 0) return;
  if (next && next->kind == PATH_WRAP && (next->drum == e->drum || next->drum < 0)) return;
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
    if (next && p->kind == PATH_WRAP && next->kind == PATH_WRAP && p->drum >= 0 && p->drum == next->drum)
      cps_complain(
          r, list->item[first + k],
          "the cable is on drum \"%s\" already; more turns on it are said by turns, such as turns: 1",
          s->drums[p->drum].name);
    cps_leave(r, before);
    int straight = p->kind == PATH_HANG || p->direction[0] != 0 || p->direction[1] != 0 ||
                   p->direction[2] != 0;
    if (!straight || p->length > 0) continue;
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
