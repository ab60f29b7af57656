/* read_profile.c - profiles from their nodes.
 *
 * A named profile is read anew wherever it is used, since its units come from there. What that may cost is
 * limited, so that names that use names that use names cannot fill the memory.
 */
#include "internal.h"
#include "reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In numbers, of which a profile has some even if it is constant. */
enum { COST_MOST = 10000000, COST_EACH = sizeof(profile) / sizeof(double), NESTING_MOST = 60 };

/* The profile that is being read, and those around it: for loops of names. */
typedef struct trail {
  const struct trail *outer;
  const char *name; /* NULL if it is part of another */
  int depth;
} trail;

static profile *read_any(reader *r, const node *n, const key *k, const char *unit, const trail *t);

/* ------------------------------------------------------------------ making */

static profile *make(reader *r, const node *at, profile_kind kind, long cost) {
  r->profile_cost += COST_EACH + cost;
  if (r->profile_cost > COST_MOST) {
    cps_complain(
        r, at, "all profiles together, counted as often as they are used, need more than %d million numbers",
        COST_MOST / 1000000);
    return NULL;
  }
  profile *p = calloc(1, sizeof *p);
  if (p)
    p->kind = kind;
  else
    r->d->no_memory = 1;
  return p;
}

/* Second derivatives of the natural cubic spline, by elimination in a tridiagonal system. */
double *cps_profile_spline(const double *x, const double *y, int n) {
  double *m = calloc((size_t)n, sizeof *m), *u = calloc((size_t)n, sizeof *u);
  for (int i = 1; m && u && i < n - 1; i++) {
    double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    double pivot = 2 * (h0 + h1) - h0 * u[i - 1];
    u[i] = h1 / pivot;
    m[i] = (6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0) - h0 * m[i - 1]) / pivot;
  }
  for (int i = n - 2; m && u && i > 0; i--) m[i] -= u[i] * m[i + 1];
  if (!u) {
    free(m);
    m = NULL;
  }
  free(u);
  return m;
}

/* Whether times rise, for at least `least` of them. */
static int check_times(reader *r, const node *list, const double *x, int n, int least) {
  if (n < least) {
    cps_complain(r, list, "found %d time%s; at least %d are needed", n, n == 1 ? "" : "s", least);
    return 0;
  }
  for (int i = 1; i < n; i++) {
    if (x[i] > x[i - 1]) continue;
    int before = cps_enter_item(r, i);
    cps_complain(r, list->item[i], "found %.6g s after %.6g s; times must rise", x[i], x[i - 1]);
    cps_leave(r, before);
    return 0;
  }
  return 1;
}

/* ------------------------------------------------------------------ kinds with more to check */

static int finish_sine(reader *r, const node *n, raw_profile *raw) {
  const node *omega = cps_node_key(n, "omega"), *frequency = cps_node_key(n, "frequency");
  if (!omega == !frequency) {
    if (omega)
      cps_complain(r, frequency, "a sine has either omega or frequency, not both");
    else
      cps_complain(r, n, "a sine needs omega or frequency, such as omega: 2 rad/s");
    return 0;
  }
  if (frequency) raw->p.a[1] = 6.283185307179586476925287 * raw->frequency;
  return 1;
}

static int finish_pulses(reader *r, const node *n, raw_profile *raw) {
  double *a = raw->p.a;
  if (a[4] > 1 && !cps_node_key(n, "period")) {
    cps_complain(r, n, "several pulses need a period, such as period: 2 s");
    return 0;
  }
  if (a[4] > 1 && a[2] > a[3]) {
    cps_complain(r, cps_node_key(n, "width"), "the pulses overlap: width is %.6g s but period only %.6g s",
                 a[2], a[3]);
    return 0;
  }
  return 1;
}

static int finish_step(reader *r, const node *n, raw_profile *raw) {
  if (raw->p.a[2] > raw->p.a[0]) return 1;
  cps_complain(r, cps_node_get(n, "to"), "the step ends at %.6g s and starts at %.6g s; it must end later",
               raw->p.a[2], raw->p.a[0]);
  return 0;
}

static int finish_ramp(reader *r, const node *n, raw_profile *raw) {
  if (raw->p.a[2] > raw->p.a[1]) return 1;
  const node *end = cps_node_get(n, "end");
  cps_complain(r, end ? end : n, "the ramp ends at %.6g s and starts at %.6g s; it must end later",
               raw->p.a[2], raw->p.a[1]);
  return 0;
}

/* One piece: 1 to 4 coefficients, the unit of each lower by a power of time. */
static int read_piece(reader *r, const node *n, const char *unit, double *c) {
  static const char *const units[4] = {"*", "*/s", "*/s2", "*/s3"};
  if (n->kind != NODE_LIST || n->n < 1 || n->n > 4) {
    cps_complain(r, n, "found %s%s; expected a list of 1 to 4 coefficients, such as [0, 1]", cps_node_what(n),
                 n->kind == NODE_LIST && n->n > 4 ? " of more than 4" : "");
    return 0;
  }
  int good = 1;
  for (int i = 0; i < n->n; i++) {
    key k = {
        .name = "coefficient", .type = KEY_QUANTITY, .unit = units[i], .min = -INFINITY, .max = INFINITY};
    int before = cps_enter_item(r, i);
    good &= cps_read_quantity(r, n->item[i], &k, unit, &c[i]);
    cps_leave(r, before);
  }
  return good;
}

static int read_pieces(reader *r, const raw_profile *raw, const char *unit, profile *p) {
  const node *list = raw->coefficients;
  if (list->kind != NODE_LIST || list->n != p->n) {
    cps_complain(r, list, "found %s of %d; %d times need %d lists of coefficients", cps_node_what(list),
                 list->n, p->n + 1, p->n);
    return 0;
  }
  p->y = calloc(4 * (size_t)p->n, sizeof *p->y);
  if (!p->y) {
    r->d->no_memory = 1;
    return 0;
  }
  int good = 1;
  for (int i = 0; i < p->n; i++) {
    int before = cps_enter_item(r, i);
    good &= read_piece(r, list->item[i], unit, p->y + 4 * (size_t)i);
    cps_leave(r, before);
  }
  return good;
}

static profile *read_polynomial(reader *r, const raw_profile *raw, const char *unit) {
  static const key times = {.name = "times", .type = KEY_TIMES, .unit = "s", .example = "[0 s, 1 s]"};
  profile *p = make(r, raw->times, PROFILE_POLYNOMIAL, 5L * raw->times->n);
  if (!p) return NULL;
  int before = cps_enter(r, "times"), n = 0;
  p->x = cps_read_numbers(r, raw->times, &times, NULL, &n);
  int good = p->x && check_times(r, raw->times, p->x, n, 2);
  cps_leave(r, before);
  p->n = n - 1;
  before = cps_enter(r, "coefficients");
  good = good && read_pieces(r, raw, unit, p);
  cps_leave(r, before);
  if (good) return p;
  cps_profile_free(p);
  return NULL;
}

/* ------------------------------------------------------------------ tables */

/* Points from the two lists. */
static int read_lists(reader *r, const raw_profile *raw, const char *unit, profile *p) {
  static const key times = {.name = "times", .type = KEY_TIMES, .unit = "s", .example = "[0 s, 1 s]"};
  static const key values = {.name = "values", .type = KEY_VALUES, .unit = "*", .example = "[0, 1]"};
  int n_values = 0;
  int before = cps_enter(r, "times");
  p->x = cps_read_numbers(r, raw->times, &times, NULL, &p->n);
  int good = p->x && check_times(r, raw->times, p->x, p->n, 2);
  cps_leave(r, before);
  before = cps_enter(r, "values");
  p->y = cps_read_numbers(r, raw->values, &values, unit, &n_values);
  good = good && p->y;
  if (good && n_values != p->n) {
    cps_complain(r, raw->values, "found %d values for %d times", n_values, p->n);
    good = 0;
  }
  cps_leave(r, before);
  return good;
}

/* Points from lists or from a file, but not from both. */
static int read_points(reader *r, const node *n, const raw_profile *raw, const char *unit, profile *p) {
  const node *file = cps_node_key(n, "file"), *time = cps_node_key(n, "time"),
             *value = cps_node_key(n, "value");
  if (!file && (time || value)) {
    cps_complain(r, time ? time : value, "time and value name columns of a file, such as file: data.csv");
    return 0;
  }
  if (file && (raw->times || raw->values)) {
    cps_complain(r, file, "a table has either a file, or times and values, not both");
    return 0;
  }
  if (file)
    return cps_read_csv(r, cps_node_get(n, "file"), raw->file, raw->time, raw->value, &p->x, &p->y, &p->n);
  if (!raw->times || !raw->values) {
    cps_complain(r, n, "the key \"%s\" is missing from a table: it has times and values, or a file",
                 raw->times ? "values" : "times");
    return 0;
  }
  return read_lists(r, raw, unit, p);
}

static profile *read_table(reader *r, const node *n, const raw_profile *raw, const char *unit) {
  profile *p = make(r, n, PROFILE_TABLE, 0);
  if (!p) return NULL;
  int good = read_points(r, n, raw, unit, p);
  if (good) {
    /* The points count when they are there, since a file does not tell before. */
    r->profile_cost += 3L * p->n;
    p->a[0] = raw->cubic;
    if (raw->cubic && p->n > 2) p->y2 = cps_profile_spline(p->x, p->y, p->n);
    if (raw->cubic && p->n > 2 && !p->y2) r->d->no_memory = 1;
  }
  if (good && !r->d->no_memory) return p;
  cps_profile_free(p);
  return NULL;
}

/* ------------------------------------------------------------------ sums and products */

static profile *read_parts(reader *r, const node *list, const profile_type *type, const key *k,
                           const char *unit, const trail *t) {
  if (list->kind != NODE_LIST || list->n < 1) {
    cps_complain(r, list, "found %s; %s takes a list of profiles, such as %s", cps_node_what(list),
                 type->keys->what, type->keys->keys[0].example);
    return NULL;
  }
  profile *p = make(r, list, type->kind, list->n);
  if (!p) return NULL;
  p->child = calloc((size_t)list->n, sizeof(profile *));
  if (!p->child) {
    r->d->no_memory = 1;
    cps_profile_free(p);
    return NULL;
  }
  int good = 1;
  p->n = list->n;
  /* A range is that of the whole, not of its parts. */
  key part = *k;
  part.min = -INFINITY;
  part.max = INFINITY;
  for (int i = 0; i < list->n; i++) {
    int before = cps_enter_item(r, i);
    const char *part_unit = type->kind == PROFILE_PRODUCT && i > 0 ? "1" : unit;
    p->child[i] = read_any(r, list->item[i], &part, part_unit, t);
    good &= p->child[i] != NULL;
    cps_leave(r, before);
  }
  if (good) return p;
  cps_profile_free(p);
  return NULL;
}

/* ------------------------------------------------------------------ any profile */

static const profile_type *find_type(const char *name) {
  for (int i = 0; i < cps_profile_types(); i++)
    if (strcmp(cps_profile_type(i)->keys->name, name) == 0) return cps_profile_type(i);
  return NULL;
}

/* The one key of a map that says what kind of profile it is; NULL after a complaint. */
static const profile_type *type_of(reader *r, const node *map) {
  char list[160] = "", quote[QUOTE_SIZE], hint[HINT_SIZE];
  size_t n = 0;
  if (map->n == 1) {
    const profile_type *type = find_type(map->entry[0].key->text);
    if (type) return type;
  }
  for (int i = 0; i < cps_profile_types(); i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", cps_profile_type(i)->keys->name);
  if (map->n != 1) {
    cps_complain(r, map->n ? map->entry[1].key : map, "a profile is a map with one key, its kind: %s", list);
    return NULL;
  }
  nearest_name near = {.word = map->entry[0].key->text};
  for (int i = 0; i < cps_profile_types(); i++) cps_nearest_offer(&near, cps_profile_type(i)->keys->name);
  cps_complain(r, map->entry[0].key, "there is no kind of profile %s%s There are: %s",
               cps_quote(quote, near.word), cps_nearest_hint(&near, ".", hint), list);
  return NULL;
}

static profile *read_kind(reader *r, const node *n, const profile_type *type, const char *unit) {
  raw_profile raw;
  memset(&raw, 0, sizeof raw);
  if (!cps_read_map(r, n, type->keys, unit, &raw)) return NULL;
  switch (type->kind) {
  case PROFILE_SINE:
    if (!finish_sine(r, n, &raw)) return NULL;
    break;
  case PROFILE_PULSES:
    if (!finish_pulses(r, n, &raw)) return NULL;
    break;
  case PROFILE_STEP:
  case PROFILE_STEP5:
    if (!finish_step(r, n, &raw)) return NULL;
    break;
  case PROFILE_RAMP:
    if (!finish_ramp(r, n, &raw)) return NULL;
    break;
  case PROFILE_POLYNOMIAL:
    return read_polynomial(r, &raw, unit);
  case PROFILE_TABLE:
    return read_table(r, n, &raw, unit);
  default:
    break;
  }
  profile *p = make(r, n, type->kind, 0);
  if (p) memcpy(p->a, raw.p.a, sizeof p->a);
  return p;
}

/* The index of the input of a name, which it gets if it is new; -1 after a complaint. */
static int find_input(reader *r, const node *n, const char *name, const char *unit) {
  for (int i = 0; i < r->n_inputs; i++) {
    if (strcmp(r->inputs[i].name, name) != 0) continue;
    if (strcmp(r->inputs[i].unit, unit) == 0) return i;
    cps_complain(r, n, "input \"%s\" is in %s here and in %s before: give one of them another name", name,
                 unit, r->inputs[i].unit);
    return -1;
  }
  scenario_input *more = realloc(r->inputs, (size_t)(r->n_inputs + 1) * sizeof *more);
  if (!more) {
    r->d->no_memory = 1;
    return -1;
  }
  r->inputs = more;
  more += r->n_inputs;
  memset(more, 0, sizeof *more);
  snprintf(more->name, sizeof more->name, "%s", name);
  snprintf(more->unit, sizeof more->unit, "%s", unit);
  /* without its last part, which says that it is an input */
  snprintf(more->path, sizeof more->path, "%s", r->path);
  char *last = strrchr(more->path, '.');
  if (last) *last = 0;
  return r->n_inputs++;
}

/* A name alone, or a map. A named profile that is not used has no unit, and is no input. */
static profile *read_input(reader *r, const node *n, const profile_type *type, const char *unit) {
  raw_profile raw;
  memset(&raw, 0, sizeof raw);
  const node *name = n;
  int in_map = n->kind == NODE_MAP, started = in_map && cps_node_key(n, "start");
  if (in_map) {
    if (!cps_read_map(r, n, type->keys, unit, &raw)) return NULL;
    name = cps_node_get(n, "name");
  } else if (n->kind != NODE_SCALAR) {
    cps_complain(r, n, "found %s; an input has a name, such as {input: push}", cps_node_what(n));
    return NULL;
  }
  if (!cps_check_name(r, name)) return NULL;
  profile *p = make(r, n, type->kind, 0);
  if (!p || !unit) return p;
  int known = r->n_inputs, i = find_input(r, name, name->text, unit);
  if (i >= 0 && i < known && started && r->inputs[i].start != raw.p.a[0]) {
    cps_complain(r, cps_node_get(n, "start"),
                 "input \"%s\" starts with %.6g here and with %.6g where it is first used: say it there",
                 name->text, raw.p.a[0], r->inputs[i].start);
    i = -1;
  }
  if (i < 0) {
    cps_profile_free(p);
    return NULL;
  }
  if (i == known) r->inputs[i].start = raw.p.a[0];
  p->a[0] = r->inputs[i].start;
  p->a[1] = i;
  return p;
}

static profile *read_map(reader *r, const node *map, const key *k, const char *unit, const trail *t) {
  const profile_type *type = type_of(r, map);
  if (!type) return NULL;
  const node *value = map->entry[0].value;
  int before = cps_enter(r, type->keys->name);
  int parts = type->kind == PROFILE_SUM || type->kind == PROFILE_PRODUCT;
  profile *p = type->kind == PROFILE_INPUT ? read_input(r, value, type, unit)
               : parts                     ? read_parts(r, value, type, k, unit, t)
                                           : read_kind(r, value, type, unit);
  cps_leave(r, before);
  return p;
}

/* Names that use one another in a circle, as "a -> b -> a". */
static void complain_loop(reader *r, const node *n, const trail *t) {
  const char *chain[NESTING_MOST + 1];
  int length = 0;
  for (; t && length < NESTING_MOST; t = t->outer) {
    if (!t->name) continue;
    chain[length++] = t->name;
    if (strcmp(t->name, n->text) == 0) break;
  }
  char text[300] = "";
  size_t used = 0;
  while (length > 0 && used < sizeof text)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", chain[--length]);
  cps_complain(r, n, "this profile uses itself: %s%s", text, n->text);
}

static profile *read_name(reader *r, const node *n, const key *k, const char *unit, const trail *t) {
  char quote[QUOTE_SIZE];
  int i = cps_index_get(&r->profile_index, n->text);
  for (const trail *s = t; i >= 0 && s; s = s->outer) {
    if (!s->name || strcmp(s->name, n->text) != 0) continue;
    complain_loop(r, n, t);
    return NULL;
  }
  if (i < 0) {
    nearest_name near = {.word = n->text};
    for (int j = 0; r->profiles && j < r->profiles->n && !cps_problems_full(r->d->problems); j++)
      cps_nearest_offer(&near, r->profiles->entry[j].key->text);
    if (near.best)
      cps_complain(r, n, "there is no profile %s; did you mean \"%s\"?", cps_quote(quote, n->text),
                   near.best);
    else
      cps_complain_type(r, n, k, unit, "there is no profile of that name");
    return NULL;
  }
  r->profile_used[i] = 1;
  /* Complaints about it carry its own path. */
  char path[sizeof r->path];
  memcpy(path, r->path, sizeof path);
  snprintf(r->path, sizeof r->path, "profiles.%s", n->text);
  trail named = {t, n->text, t->depth + 1};
  profile *p = read_any(r, r->profiles->entry[i].value, k, unit, &named);
  memcpy(r->path, path, sizeof path);
  return p;
}

/* Text that starts like a number is a quantity, other text is a name. */
static int is_name(const node *n) {
  char c = n->text[0];
  return !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == ' ' || c == 0);
}

static profile *read_any(reader *r, const node *n, const key *k, const char *unit, const trail *t) {
  trail here = {t, NULL, t ? t->depth + 1 : 0};
  if (here.depth > NESTING_MOST) {
    cps_complain(r, n, "profiles are nested more than %d levels deep here", NESTING_MOST);
    return NULL;
  }
  if (n->kind == NODE_MAP) return read_map(r, n, k, unit, &here);
  if (n->kind == NODE_SCALAR && is_name(n)) return read_name(r, n, k, unit, &here);
  double value;
  key constant = *k;
  constant.type = k->type == KEY_NORMAL || k->type == KEY_PROFILE ? k->type : KEY_PROFILE;
  constant.unit = UNIT_OF_PLACE;
  if (unit && strcmp(unit, "1") == 0) constant.example = "0.5";
  if (!cps_read_quantity(r, n, &constant, unit, &value)) return NULL;
  profile *p = make(r, n, PROFILE_CONSTANT, 0);
  if (p) p->a[0] = value;
  return p;
}

profile *cps_read_profile(reader *r, const node *n, const key *k, const char *unit) {
  if (n->kind == NODE_NULL || n->kind == NODE_LIST) {
    cps_complain_type(r, n, k, unit, NULL);
    return NULL;
  }
  key any = *k;
  /* A range is that of a constant; rows of nodes have none unless they say so. */
  if (any.min == 0 && any.max == 0) {
    any.min = -INFINITY;
    any.max = INFINITY;
  }
  return read_any(r, n, &any, unit, NULL);
}

void cps_check_profiles(reader *r) {
  static const key any = {.name = "profile",
                          .type = KEY_PROFILE,
                          .min = -INFINITY,
                          .max = INFINITY,
                          .example = "{sine: {amplitude: 1, omega: 2 rad/s}}"};
  for (int i = 0; r->profiles && i < r->profiles->n; i++) {
    if (r->profile_used[i]) continue;
    const map_entry *e = &r->profiles->entry[i];
    trail named = {NULL, e->key->text, 0};
    int before = cps_enter(r, "profiles");
    cps_enter(r, e->key->text);
    if (e->value->kind == NODE_NULL)
      cps_complain_type(r, e->value, &any, NULL, NULL);
    else
      cps_profile_free(read_any(r, e->value, &any, NULL, &named));
    cps_leave(r, before);
  }
}
