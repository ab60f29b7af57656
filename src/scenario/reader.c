/* reader.c - see reader.h. */
#include "reader.h"
#include "plain_text.h"

#include "parameter_paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ paths and complaints */

/* Without printf, since it happens for every key of every point of a study. */
int cps_enter(reader *r, const char *key) {
  size_t before = strlen(r->path), at = before, length = strlen(key);
  if (at > 0 && at + 1 < sizeof r->path) r->path[at++] = '.';
  if (length > sizeof r->path - 1 - at) length = sizeof r->path - 1 - at; /* what does not fit is cut */
  memcpy(r->path + at, key, length);
  r->path[at + length] = 0;
  return (int)before;
}

int cps_enter_item(reader *r, int i) {
  char number[16];
  snprintf(number, sizeof number, "%d", i);
  return cps_enter(r, number);
}

void cps_leave(reader *r, int before) { r->path[before] = 0; }

void cps_complain(reader *r, const node *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_problem_add(r->d, at->at, r->path, at->repeated, format, args);
  va_end(args);
}

/* "1 N" for a key without an example of its own. */
static const char *example_of(const key *k, const char *unit, char *text, size_t size) {
  char room[64];
  const char *u = cps_key_unit(k, unit, room, sizeof room);
  const char *number = k->example ? k->example : "1";
  /* Where the unit depends on the place, so does the example. */
  int depends = k->type == KEY_QUANTITY && (!k->example || (k->unit && k->unit[0] == '*'));
  if (depends && !k->example && k->value != 0 && isfinite(k->value))
    cps_number_text(text, size, k->value);
  else
    snprintf(text, size, "%s", number);
  if (depends && u && strcmp(u, "1") != 0 && !strstr(u, "^exponent")) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, " %s", u);
  }
  return text;
}

/* Only such text keeps its quotes in an example. */
static const char *quotes(const key *k) {
  return k->type == KEY_QUANTITY || k->type == KEY_AMOUNT ? "\"" : "";
}

void cps_complain_type(reader *r, const node *found, const key *k, const char *unit, const char *why) {
  char expected[160], example[120], quote[QUOTE_SIZE];
  if (cps_problems_full(r->d->problems)) {
    cps_complain(r, found, "more");
    return;
  }
  cps_key_expects(k, unit, expected, sizeof expected);
  example_of(k, unit, example, sizeof example);
  const char *what = found->kind == NODE_SCALAR ? cps_quote(quote, found->text) : cps_node_what(found);
  if (found->kind == NODE_LIST && found->n > 0) {
    snprintf(quote, sizeof quote, "a list of %d", found->n);
    what = quote;
  }
  /* What was meant for an expression of a repeat is a map to YAML. */
  if (!why && found->kind == NODE_MAP && found->n == 1 && found->entry[0].value->kind == NODE_NULL)
    why = "an expression in braces goes in quotes";
  cps_complain(r, found, "found %s%s%s; expected %s, such as %s%s%s", what, why ? ": " : "", why ? why : "",
               expected, quotes(k), example, quotes(k));
}

/* ------------------------------------------------------------------ numbers */

static void complain_range(reader *r, const node *n, const key *k, const char *unit) {
  char quote[QUOTE_SIZE], range[120], example[120], min[40], max[40];
  cps_number_text(min, sizeof min, k->min);
  cps_number_text(max, sizeof max, k->max);
  if (k->min == k->max) {
    cps_complain(r, n, "found %s; the only %s that is known is %s", cps_quote(quote, n->text), k->meaning,
                 min);
    return;
  }
  if (!isfinite(k->max))
    snprintf(range, sizeof range, "%s %s", k->above ? "greater than" : "at least", min);
  else if (!isfinite(k->min))
    snprintf(range, sizeof range, "at most %s", max);
  else
    snprintf(range, sizeof range, "%s %s and at most %s", k->above ? "greater than" : "at least", min, max);
  example_of(k, unit, example, sizeof example);
  cps_complain(r, n, "found %s; %s must be %s, such as %s%s%s", cps_quote(quote, n->text), k->name, range,
               quotes(k), example, quotes(k));
}

/* Numbers beyond this, or below its inverse where they are times or have to be above zero, are hardly those of a machine [SI units]. */
static const double FAR = 1e15;

/* Keeps the number that is furthest away. Those of laws have ranges, and places and the like may be zero but for round-off. */
static void look_how_far(reader *r, const node *n, const key *k, const char *unit, int is_time, double x) {
  char quote[QUOTE_SIZE], example[120];
  double size = fabs(x);
  int far = size > FAR || (size > 0 && size < 1 / FAR && (k->above || k->otherwise || is_time));
  if (!far || !isfinite(x) || k->type == KEY_INTEGER || !(fabs(log10(size)) > r->far.decades)) return;
  r->far.decades = fabs(log10(size));
  snprintf(r->far.key, sizeof r->far.key, "%.*s", (int)sizeof r->far.key - 1, r->path);
  cps_quote(quote, n->text);
  snprintf(r->far.said, sizeof r->far.said, "%.*s", (int)sizeof r->far.said - 1, quote);
  example_of(k, unit, example, sizeof example);
  snprintf(r->far.usual, sizeof r->far.usual, "%s%.50s%s", quotes(k), example, quotes(k));
}

int cps_read_quantity(reader *r, const node *n, const key *k, const char *unit, double *value) {
  char why[160], room[64];
  double x = 0;
  if (n->kind != NODE_SCALAR) {
    cps_complain_type(r, n, k, unit, NULL);
    return 0;
  }
  const char *u = k->type == KEY_INTEGER ? "1" : cps_key_unit(k, unit, room, sizeof room);
  if (!cps_quantity_read(&r->units, n->text, u, &x, why, sizeof why)) {
    cps_complain_type(r, n, k, unit, why);
    return 0;
  }
  if (k->type == KEY_INTEGER && x != floor(x)) {
    cps_complain_type(r, n, k, unit, NULL);
    return 0;
  }
  if (r->probes) cps_probe_number(r, NULL, k, u, x);
  if (!r->lenient && (x < k->min || x > k->max || (k->above && x == k->min))) {
    complain_range(r, n, k, unit);
    return 0;
  }
  look_how_far(r, n, k, unit, u && strcmp(u, "s") == 0, x);
  *value = x;
  return 1;
}

/* A vector, an axis, or a point in time. */
static int read_vector(reader *r, const node *n, const key *k, const char *unit, double *value) {
  int least = k->type == KEY_AXIS ? 3 : 2, most = k->type == KEY_POINT ? 2 : 3;
  if (n->kind != NODE_LIST || n->n < least || n->n > most) {
    cps_complain_type(r, n, k, unit, NULL);
    return 0;
  }
  if (most == 3) value[2] = 0;
  if (k->type == KEY_VECTOR && n->n == 3 && !r->space) r->space = n;
  key each = *k;
  each.type = KEY_QUANTITY;
  each.example = NULL;
  key time = each;
  time.unit = "s";
  int good = 1;
  for (int i = 0; i < n->n; i++) {
    int before = cps_enter_item(r, i);
    good &= cps_read_quantity(r, n->item[i], k->type == KEY_POINT && i == 0 ? &time : &each, unit, &value[i]);
    cps_leave(r, before);
  }
  return good;
}

double *cps_read_numbers(reader *r, const node *list, const key *k, const char *unit, int *n) {
  if (list->kind != NODE_LIST || list->n < 1) {
    cps_complain_type(r, list, k, unit, NULL);
    return NULL;
  }
  double *x = malloc((size_t)list->n * sizeof *x);
  if (!x) {
    r->d->no_memory = 1;
    return NULL;
  }
  key each = {.name = k->name, .type = KEY_QUANTITY, .unit = k->unit, .min = -INFINITY, .max = INFINITY};
  int good = 1;
  for (int i = 0; i < list->n; i++) {
    int before = cps_enter_item(r, i);
    good &= cps_read_quantity(r, list->item[i], &each, unit, &x[i]);
    cps_leave(r, before);
  }
  if (!good) {
    free(x);
    return NULL;
  }
  *n = list->n;
  return x;
}

/* ------------------------------------------------------------------ words */

static int read_flag(reader *r, const node *n, const key *k, int *value) {
  static const char *const yes[] = {"true", "True", "TRUE"}, *const no[] = {"false", "False", "FALSE"};
  for (int i = 0; n->kind == NODE_SCALAR && !n->quoted && i < 3; i++) {
    if (strcmp(n->text, yes[i]) == 0 || strcmp(n->text, no[i]) == 0) {
      *value = strcmp(n->text, yes[i]) == 0;
      return 1;
    }
  }
  cps_complain_type(r, n, k, NULL, NULL);
  return 0;
}

/* The i-th of blank-separated words, into word[size]; 0 if there are fewer. */
static int word_at(const char *words, int i, char *word, size_t size) {
  while (i-- > 0) {
    words += strcspn(words, " ");
    words += strspn(words, " ");
  }
  snprintf(word, size, "%.*s", (int)strcspn(words, " "), words);
  return word[0] != 0;
}

/* Which of the words of a key a text is; -1 if none. */
static int find_word(const key *k, const char *text) {
  char word[24];
  for (int i = 0; k->words && word_at(k->words, i, word, sizeof word); i++)
    if (strcmp(word, text) == 0) return i;
  return -1;
}

/* Complains that a text, found where a word was expected, is none of those that are known. */
static void complain_word(reader *r, const node *n, const key *k) {
  char words[8][24], quote[QUOTE_SIZE], hint[HINT_SIZE], expected[120];
  nearest_name near = {.word = n->text};
  for (int i = 0; i < 8 && word_at(k->words, i, words[i], sizeof words[i]); i++)
    cps_nearest_offer(&near, words[i]);
  for (int i = 0; k->type == KEY_CHOICE && i < k->table->n; i++)
    cps_nearest_offer(&near, k->table->keys[i].name);
  cps_key_expects(k, NULL, expected, sizeof expected);
  cps_complain(r, n, "found %s%s Expected: %s", cps_quote(quote, n->text), cps_nearest_hint(&near, ".", hint),
               expected);
}

static int read_word(reader *r, const node *n, const key *k, int *value) {
  if (n->kind != NODE_SCALAR) {
    cps_complain_type(r, n, k, NULL, NULL);
    return 0;
  }
  int i = find_word(k, n->text);
  if (i < 0) complain_word(r, n, k);
  if (i >= 0) *value = i;
  return i >= 0;
}

/* A quantity, or a word that stands for one. */
static int read_amount(reader *r, const node *n, const key *k, const char *unit, double *value) {
  if (n->kind != NODE_SCALAR || find_word(k, n->text) < 0) return cps_read_quantity(r, n, k, unit, value);
  *value = k->second;
  return 1;
}

int cps_read_choice(reader *r, const node *n, const key *k, void *target) {
  char expected[120];
  int words = 0;
  char word[24];
  while (k->words && word_at(k->words, words, word, sizeof word)) words++;
  if (n->kind == NODE_SCALAR) {
    const key *row = cps_row(k->table, n->text);
    int i = find_word(k, n->text);
    if (i < 0 && row)
      cps_complain(r, n, "%s says nothing alone; it is a key, such as {%s: %s}", row->name, row->name,
                   row->example);
    else if (i < 0)
      complain_word(r, n, k);
    return i;
  }
  if (n->kind != NODE_MAP || n->n != 1) {
    cps_key_expects(k, NULL, expected, sizeof expected);
    if (n->kind == NODE_MAP && n->n > 1)
      cps_complain(r, n->entry[1].key, "%s is one thing only: %s", k->name, expected);
    else
      cps_complain_type(r, n, k, NULL, NULL);
    return -1;
  }
  const key *row = cps_row(k->table, n->entry[0].key->text);
  int i = find_word(k, n->entry[0].key->text);
  if (!row && i >= 0 && n->entry[0].value->kind == NODE_NULL) return i;
  if (!row) {
    complain_word(r, n->entry[0].key, k);
    return -1;
  }
  return cps_read_map(r, n, k->table, NULL, target) ? words + (int)(row - k->table->keys) : -1;
}

static int read_text(reader *r, const node *n, const key *k, const char **value) {
  if (n->kind != NODE_SCALAR) {
    cps_complain_type(r, n, k, NULL, NULL);
    return 0;
  }
  *value = n->text;
  return 1;
}

int cps_check_name(reader *r, const node *key_node) {
  const char *name = key_node->text, *why = NULL;
  char quote[QUOTE_SIZE];
  unsigned char c = (unsigned char)name[0];
  if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80))
    why = "does not start with a letter";
  else if (strlen(name) >= CPS_NAME_ROOM)
    why = "is too long: at most 63 bytes";
  else if (!cps_plain_name(name))
    why = "contains a character other than letters, digits, - and _";
  else if (strcmp(name, "ground") == 0)
    why = "means what does not move and cannot be given to anything else";
  if (!why) return 1;
  cps_complain(r, key_node, "the name %s %s", cps_quote(quote, name), why);
  return 0;
}

/* ------------------------------------------------------------------ values and maps */

int cps_read_value(reader *r, const node *n, const key *k, const char *unit, void *target) {
  if (r->probes) cps_probe_other(r);
  switch (k->type) {
  case KEY_INTEGER:
  case KEY_QUANTITY:
    return cps_read_quantity(r, n, k, unit, target);
  case KEY_FLAG:
    return read_flag(r, n, k, target);
  case KEY_WORD:
    return read_word(r, n, k, target);
  case KEY_TEXT:
    return read_text(r, n, k, target);
  case KEY_VECTOR:
  case KEY_AXIS:
  case KEY_POINT:
    return read_vector(r, n, k, unit, target);
  case KEY_AMOUNT:
    return read_amount(r, n, k, unit, target);
  case KEY_PLACE:
    *(const node **)target = n;
    return 1;
  case KEY_NAMED:
  case KEY_PROFILES:
  case KEY_REPEATS:
  case KEY_FILES:
    /* A section without anything in it is as good as none. */
    *(const node **)target = n->kind == NODE_NULL ? NULL : n;
    return 1;
  default:
    if (n->kind == NODE_NULL) {
      cps_complain_type(r, n, k, unit, NULL);
      return 0;
    }
    *(const node **)target = n;
    return 1;
  }
}

static void set_default(const key *k, void *target) {
  switch (k->type) {
  case KEY_VECTOR:
  case KEY_AXIS:
    ((double *)target)[2] = k->third;
    /* fall through */
  case KEY_POINT:
    ((double *)target)[0] = k->value;
    ((double *)target)[1] = k->second;
    break;
  case KEY_INTEGER:
  case KEY_QUANTITY:
  case KEY_AMOUNT:
    *(double *)target = k->value;
    break;
  case KEY_FLAG:
  case KEY_WORD:
    *(int *)target = (int)k->value;
    break;
  case KEY_TEXT:
    *(const char **)target = NULL;
    break;
  default:
    *(const node **)target = NULL;
  }
}

static void complain_unknown(reader *r, const node *key_node, const key_table *t) {
  char list[400] = "", quote[QUOTE_SIZE], hint[HINT_SIZE];
  nearest_name near = {.word = key_node->text};
  size_t n = 0;
  for (int i = 0; i < t->n; i++) {
    cps_nearest_offer(&near, t->keys[i].name);
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", t->keys[i].name);
    if (n >= sizeof list) break;
  }
  cps_quote(quote, key_node->text);
  if (t->n == 0)
    cps_complain(r, key_node, "there is no key %s in %s, which has no keys", quote, t->what);
  else
    cps_complain(r, key_node, "there is no key %s in %s%s The keys are: %s", quote, t->what,
                 cps_nearest_hint(&near, ".", hint), list);
}

const key *cps_row(const key_table *t, const char *name) {
  for (int i = 0; i < t->n; i++)
    if (strcmp(t->keys[i].name, name) == 0) return &t->keys[i];
  return NULL;
}

int cps_read_map(reader *r, const node *map, const key_table *t, const char *unit, void *target) {
  int good = 1;
  for (int i = 0; i < t->n; i++) {
    set_default(&t->keys[i], (char *)target + t->keys[i].where);
    if (r->probes && !cps_node_get(map, t->keys[i].name)) cps_probe_default(r, &t->keys[i], unit);
  }
  if (map->kind != NODE_MAP && map->kind != NODE_NULL) {
    char quote[QUOTE_SIZE];
    cps_complain(r, map, "found %s; expected a map with the keys of %s, such as {%s: %s}",
                 map->kind == NODE_SCALAR ? cps_quote(quote, map->text) : cps_node_what(map), t->what,
                 t->n ? t->keys[0].name : "key", t->n && t->keys[0].example ? t->keys[0].example : "1");
    return 0;
  }
  for (int i = 0; i < map->n; i++) {
    const node *name = map->entry[i].key;
    const key *k = cps_row(t, name->text);
    int before = cps_enter(r, name->text);
    if (!k) complain_unknown(r, name, t);
    good &= k && cps_read_value(r, map->entry[i].value, k, unit, (char *)target + k->where);
    cps_leave(r, before);
  }
  for (int i = 0; i < t->n; i++) {
    const key *k = &t->keys[i];
    if (!k->required || cps_node_get(map, k->name)) continue;
    char example[160];
    cps_complain(r, map, "the key \"%s\" is missing from %s, such as %s: %s", k->name, t->what, k->name,
                 example_of(k, unit, example, sizeof example));
    good = 0;
  }
  return good;
}

int cps_read_part(reader *r, const node *map, const char *name, const key_table *table, const char *unit,
                  void *target) {
  static const node nothing = {.kind = NODE_NULL};
  int before = cps_enter(r, name);
  int good = cps_read_map(r, map ? map : &nothing, table, unit, target);
  cps_leave(r, before);
  return good;
}

profile *cps_read_profile_key(reader *r, const node *n, const key_table *table, const char *name,
                              const char *unit) {
  if (!n) return NULL;
  const key *k = cps_row(table, name);
  int before = cps_enter(r, name);
  profile *p = cps_read_profile(r, n, k, unit);
  cps_leave(r, before);
  return p;
}

void cps_read_components(reader *r, const node *map, const char *name, const char *unit, profile **out) {
  static const char *const names[3] = {"x", "y", "z"};
  raw_components raw;
  if (!map) return;
  int before = cps_enter(r, name);
  int good = cps_read_map(r, map, &cps_keys_components, unit, &raw);
  if (good && map->n == 0)
    cps_complain(r, map, "there is nothing here; it has x, y or z, such as {y: 1 %s}", unit);
  for (int i = 0; i < 3; i++)
    out[i] = cps_read_profile_key(r, raw.component[i], &cps_keys_components, names[i], unit);
  if (raw.component[2] && !r->space) r->space = raw.component[2];
  cps_leave(r, before);
}
