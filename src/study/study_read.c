/* study_read.c - from a study file to a study.
 *
 * The tree comes from the reader of scenarios, and so do units, complaints and their places. What is wrong is collected and said at
 * once: the scenario's problems, too. Paths, units and ranges are known from the scenario, so of a study without a good scenario
 * only the form can be checked.
 */
#include "study_data.h"

#include "buffer.h"
#include "internal.h"
#include "parameter_paths.h"
#include "plain_locale.h"
#include "sens_output.h"
#include "sha256.h"
#include "study_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SETTINGS_MOST = 500, COLUMNS_MOST = 1900 };

/* Columns of the table that are always there. */
static const char *const reserved[] = {"point",      "status",   "message", "steps",
                                       "iterations", "rejected", "seconds"};

static char *copy_text(document *d, const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) {
    d->no_memory = 1;
    return NULL;
  }
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static char *copy_of(document *d, const char *text) { return copy_text(d, text, strlen(text)); }

/* Room for one more item at the end of an array; NULL if out of memory. */
static void *one_more(document *d, void **array, int n, size_t size) {
  void *more = realloc(*array, ((size_t)n + 1) * size);
  if (!more) {
    d->no_memory = 1;
    return NULL;
  }
  *array = more;
  return memset((char *)more + (size_t)n * size, 0, size);
}

/* ------------------------------------------------------------------ values as settings */

static void write_scalar(buffer *b, const node *n) {
  const char *safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./()*^% ";
  if (!n->quoted && n->text[0] && !n->text[strspn(n->text, safe)] && !strchr("-*%", n->text[0])) {
    cps_buffer_add(b, "%s", n->text);
    return;
  }
  if (!n->quoted && n->text[0] == '-' && n->text[1] && !n->text[strspn(n->text, safe)] && n->text[1] != ' ') {
    cps_buffer_add(b, "%s", n->text);
    return;
  }
  cps_buffer_add(b, "\"");
  for (const unsigned char *c = (const unsigned char *)n->text; *c; c++) {
    if (*c == '"' || *c == '\\')
      cps_buffer_add(b, "\\%c", *c);
    else if (*c < 0x20)
      cps_buffer_add(b, "\\x%02x", *c);
    else
      cps_buffer_add(b, "%c", *c);
  }
  cps_buffer_add(b, "\"");
}

/* A value as one line of YAML. */
static void write_value(buffer *b, const node *n) {
  if (n->kind == NODE_SCALAR) {
    write_scalar(b, n);
  } else if (n->kind == NODE_NULL) {
    cps_buffer_add(b, "null");
  } else {
    cps_buffer_add(b, n->kind == NODE_MAP ? "{" : "[");
    for (int i = 0; i < n->n; i++) {
      if (i) cps_buffer_add(b, ", ");
      if (n->kind == NODE_MAP) {
        write_scalar(b, n->entry[i].key);
        cps_buffer_add(b, ": ");
      }
      write_value(b, n->kind == NODE_MAP ? n->entry[i].value : n->item[i]);
    }
    cps_buffer_add(b, n->kind == NODE_MAP ? "}" : "]");
  }
}

static char *setting_of(document *d, const char *path, const node *value) {
  buffer b = {0};
  cps_buffer_add(&b, "%s=", path);
  write_value(&b, value);
  char *text = cps_buffer_take(&b);
  if (!text) d->no_memory = 1;
  return text;
}

/* The scenario with further settings; says at a node what is wrong with it otherwise. */
static cps_scenario *with_settings(reader *r, const node *at, const cps_scenario *s,
                                   const char *const *settings, int n) {
  cps_problems *problems = NULL;
  const char *all[2 * SETTINGS_MOST];
  for (int i = 0; i < s->n_settings; i++) all[i] = s->settings[i];
  for (int i = 0; i < n; i++) all[s->n_settings + i] = settings[i];
  cps_scenario *made = cps_scenario_again(s, all, s->n_settings + n, NULL, 0, 0, &problems);
  const cps_error *e = cps_problems_at(problems, 0);
  if (!made && e) cps_complain(r, at, "%s%s%s", e->key, e->key[0] ? ": " : "", e->text);
  cps_problems_free(problems);
  return made;
}

/* ------------------------------------------------------------------ the scenario */

static cps_scenario *load_scenario(reader *r, const char *file) {
  char path[1024];
  cps_problems *problems = NULL;
  int n = snprintf(path, sizeof path, "%s%s", file[0] == '/' ? "" : r->d->sources[0].folder, file);
  cps_scenario *s = n < (int)sizeof path ? cps_scenario_load(path, NULL, 0, &problems) : NULL;
  for (int i = 0; i < cps_problems_count(problems); i++) cps_problem_copy(r->d, cps_problems_at(problems, i));
  cps_problems_free(problems);
  return s;
}

/* Puts what `set` says on top; returns what is then the scenario. */
static cps_scenario *apply_set(reader *r, const node *set, cps_scenario *s) {
  char *settings[SETTINGS_MOST] = {NULL};
  int n = 0, before = cps_enter(r, "set"), good = 1;
  if (set->kind != NODE_MAP || set->n > SETTINGS_MOST) {
    cps_complain(r, set, "found %s; expected a map from paths to values, such as {run.until: 2 s}",
                 set->kind == NODE_MAP ? "too many values" : cps_node_what(set));
    cps_leave(r, before);
    return s;
  }
  for (int i = 0; i < set->n; i++) {
    const map_entry *e = &set->entry[i];
    char *text = setting_of(r->d, e->key->text, e->value);
    if (!text) break;
    cps_scenario *alone = with_settings(r, e->key, s, (const char *const *)&text, 1);
    good &= alone != NULL;
    cps_scenario_free(alone);
    settings[n++] = text;
  }
  cps_scenario *all = good && n == set->n ? with_settings(r, set, s, (const char *const *)settings, n) : NULL;
  for (int i = 0; i < n; i++) free(settings[i]);
  cps_leave(r, before);
  if (!all) return s;
  cps_scenario_free(s);
  return all;
}

/* ------------------------------------------------------------------ parameters */

/* A parameter that is being read. */
typedef struct varied {
  reader *r;
  cps_study *s;
  const node *name, *value;
  raw_vary raw;
  const key_table *table;
  study_parameter *p;
  probe where; /* what the scenario knows of its first path */
  int known;   /* the scenario is good, and the path is there */
} varied;

/* Whether a number may stand at the path. */
static int fits(const varied *v, const node *at, double x, const char *what) {
  const cps_quantity *q = &v->where.q;
  char number[40], min[40], max[40];
  if (!v->known) return 1;
  cps_print(number, sizeof number, "%.6g", x);
  cps_number_text(min, sizeof min, q->min);
  cps_number_text(max, sizeof max, q->max);
  const char *unit = strcmp(q->unit, "1") == 0 ? "" : q->unit, *blank = *unit ? " " : "";
  if (q->whole && x != floor(x)) {
    cps_complain(v->r, at, "%s is %s, but %s takes whole numbers", what, number, v->p->path[0]);
    return 0;
  }
  if (!(x < q->min || (q->above && x == q->min) || x > q->max)) return 1;
  if (x > q->max)
    cps_complain(v->r, at, "%s is %s%s%s, but %s takes at most %s", what, number, blank, unit, v->p->path[0],
                 max);
  else
    cps_complain(v->r, at, "%s is %s%s%s, but %s takes numbers %s %s", what, number, blank, unit,
                 v->p->path[0], q->above ? "greater than" : "from", min);
  return 0;
}

static const key *row_named(const varied *v, const char *name) { return cps_row(v->table, name); }
static const char *unit_of(const varied *v) {
  return v->known ? v->p->unit : NULL; /* any, of a path that is not there */
}

static void read_list(varied *v, const node *list, study_dimension *d) {
  int n = 0, before = list == v->value ? (int)strlen(v->r->path) : cps_enter(v->r, "list");
  d->kind = &cps_dimension_values;
  d->values = cps_read_numbers(v->r, list, row_named(v, "list"), unit_of(v), &n);
  d->count = n;
  for (int i = 0; i < n && d->values; i++) fits(v, list->item[i], d->values[i], "this value");
  cps_leave(v->r, before);
}

static void read_range(varied *v, study_dimension *d) {
  int n = 0, before = cps_enter(v->r, "range");
  const node *range = v->raw.range;
  double *x = cps_read_numbers(v->r, range, row_named(v, "range"), unit_of(v), &n);
  d->kind = &cps_dimension_range;
  d->count = (int64_t)v->raw.count;
  d->log = v->raw.scale == 1;
  if (x && n != 2)
    cps_complain(v->r, range, "found a list of %d; a range has a least and a largest value, such as [1, 5]",
                 n);
  else if (x && !(x[0] < x[1]))
    cps_complain(v->r, range, "this range is empty: %g is not less than %g", x[0], x[1]);
  else if (x && d->log && !(x[0] > 0))
    cps_complain(v->r, range->item[0], "found %g; a range with a logarithmic scale starts above 0", x[0]);
  else if (x && fits(v, range->item[0], x[0], "the least value"))
    fits(v, range->item[1], x[1], "the largest value");
  if (x && n == 2) {
    d->low = x[0];
    d->high = x[1];
  }
  free(x);
  cps_leave(v->r, before);
}

/* The numbers of a distribution in the order of its keys; those that may be left out stand last. */
static int read_law_list(varied *v, const node *list, const key_table *keys, double *p) {
  char names[120] = "";
  int needed = 0, good = 1;
  size_t used = 0;
  for (int i = 0; i < keys->n; i++) {
    needed += keys->keys[i].required;
    p[i] = keys->keys[i].value;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", keys->keys[i].name);
  }
  if (list->n < needed || list->n > keys->n) {
    char count[40];
    snprintf(count, sizeof count, needed < keys->n ? "%d to %d" : "%d", needed, keys->n);
    cps_complain(v->r, list, "found a list of %d; %s has %s numbers: [%s]", list->n, keys->what, count,
                 names);
    return 0;
  }
  for (int i = 0; i < list->n; i++) {
    int before = cps_enter(v->r, keys->keys[i].name);
    good &= cps_read_quantity(v->r, list->item[i], &keys->keys[i], unit_of(v), &p[i]);
    cps_leave(v->r, before);
  }
  return good;
}

static void read_law(varied *v, const node *map, const distribution *law, study_dimension *d) {
  int before = cps_enter(v->r, law->keys->name);
  d->kind = &cps_dimension_distribution;
  d->law = law;
  d->count = (int64_t)v->raw.count;
  if (map->kind == NODE_LIST ? read_law_list(v, map, law->keys, d->p)
                             : cps_read_map(v->r, map, law->keys, unit_of(v), d->p)) {
    const char *fault = law->fault(d->p);
    if (fault) {
      cps_complain(v->r, map, "this distribution has no mass: %s", fault);
    } else if (v->known) {
      cps_distribution_span(law, d->p, &d->low, &d->high);
      static const char hint[] = "one in a thousand of its values, or a bound of it (low and high truncate),";
      cps_quantity *q = &v->where.q;
      int whole = q->whole; /* values are rounded */
      q->whole = 0;
      if (fits(v, map, d->low, hint)) fits(v, map, d->high, hint);
      q->whole = whole;
    }
  }
  cps_leave(v->r, before);
}

static void read_column(varied *v, study_dimension *d) {
  raw_csv raw;
  int n = 0, before = cps_enter(v->r, "csv");
  d->kind = &cps_dimension_values;
  if (cps_read_map(v->r, v->raw.csv, &cps_keys_csv, NULL, &raw)) {
    d->file = copy_of(v->r->d, raw.file);
    d->values = cps_read_csv_column(v->r, v->raw.csv, raw.file, raw.column, v->known ? v->p->unit : NULL, &n);
    d->count = n;
    for (int i = 0; i < n && d->values; i++)
      if (!fits(v, v->raw.csv, d->values[i], "a value of this column")) break;
  }
  cps_leave(v->r, before);
}

/* Whole parts, each of which has to make a good scenario. */
static void read_variants(varied *v, study_dimension *d) {
  const node *all = v->raw.variants;
  int before = cps_enter(v->r, "variants"), list = all->kind == NODE_LIST, n = 0;
  d->kind = &cps_dimension_values;
  if ((all->kind != NODE_MAP && !list) || all->n < 1) {
    cps_complain(v->r, all, "found %s; expected a map from names to values for %s, or a list of words",
                 all->kind == NODE_MAP || list ? "nothing" : cps_node_what(all), v->p->path[0]);
    cps_leave(v->r, before);
    return;
  }
  for (int i = 0; i < all->n && !v->r->d->no_memory; i++) {
    const node *key_node = list ? all->item[i] : all->entry[i].key;
    if (key_node->kind != NODE_SCALAR) {
      cps_complain(v->r, key_node, "found %s; a variant without a name is a word, such as alpha",
                   cps_node_what(key_node));
      continue;
    }
    study_variant *made = one_more(v->r->d, (void **)&d->variants, n, sizeof *made);
    if (!made) break;
    made->name = copy_of(v->r->d, key_node->text);
    made->setting = setting_of(v->r->d, v->p->path[0], list ? all->item[i] : all->entry[i].value);
    n++;
    for (int k = 0; k < n - 1; k++)
      if (strcmp(d->variants[k].name, made->name) == 0)
        cps_complain(v->r, key_node, "there are two variants with the name \"%s\"", made->name);
    if (v->s->scenario && made->setting) {
      int inside = cps_enter(v->r, made->name);
      cps_scenario_free(
          with_settings(v->r, key_node, v->s->scenario, (const char *const *)&made->setting, 1));
      cps_leave(v->r, inside);
    }
  }
  d->count = n;
  cps_leave(v->r, before);
}

/* The paths, and what the scenario knows of them. */
static void read_paths(varied *v) {
  reader *r = v->r;
  const node *places[64];
  int n = 0;
  if (v->raw.path && v->raw.paths)
    cps_complain(r, v->name, "it has both path and paths; one of them is enough");
  if (v->raw.paths && (v->raw.paths->kind != NODE_LIST || v->raw.paths->n < 1 || v->raw.paths->n > 64)) {
    cps_complain(r, v->raw.paths, "found %s; expected a list of paths", cps_node_what(v->raw.paths));
    return;
  }
  for (int i = 0; v->raw.paths && i < v->raw.paths->n; i++) places[n++] = v->raw.paths->item[i];
  if (!v->raw.paths) {
    const node *path = v->value->kind == NODE_MAP ? cps_node_get(v->value, "path") : NULL;
    places[n++] = path ? path : v->name;
  }
  v->p->path = calloc((size_t)n, sizeof *v->p->path);
  if (!v->p->path) r->d->no_memory = 1;
  for (int i = 0; i < n && v->p->path; i++) {
    v->p->path[i] = copy_of(r->d, places[i]->kind == NODE_SCALAR ? places[i]->text : "");
    v->p->n_paths++;
    if (!v->s->scenario || v->raw.variants || !v->p->path[i]) continue;
    cps_error e = {0};
    probe q = {.path = v->p->path[i]};
    if (cps_scenario_probe(v->s->scenario, &q, 1, &e) != CPS_OK) {
      cps_complain(r, places[i], "%s", e.text);
      v->known = 0;
      return;
    }
    if (i == 0) {
      v->where = q;
      v->known = 1;
      v->p->nominal = q.q.value;
      v->p->integer = q.q.whole;
      memcpy(v->p->unit, q.q.unit, sizeof v->p->unit);
    } else if (strcmp(q.q.unit, v->p->unit) != 0) {
      cps_complain(r, places[i], "%s is in %s, but %s in %s: they cannot have the same value", q.path,
                   q.q.unit, v->p->path[0], v->p->unit);
    }
    v->where.q.min = fmax(v->where.q.min, q.q.min);
    v->where.q.max = fmin(v->where.q.max, q.q.max);
  }
}

/* What the values come from: exactly one of these. */
static const node *source_of(varied *v, int *law) {
  const node *all[5 + LAWS_MOST] = {v->raw.list, v->raw.range, v->raw.csv, v->raw.variants};
  const node *found = v->value->kind == NODE_LIST ? v->value : NULL;
  *law = -1;
  for (int i = 0; i < cps_distributions(); i++) all[4 + i] = v->raw.law[i];
  for (int i = 0; i < 4 + cps_distributions(); i++) {
    if (!all[i]) continue;
    if (found) {
      cps_complain(v->r, all[i],
                   "values come from one thing only: a list, a range, a distribution, csv or variants");
      return NULL;
    }
    found = all[i];
    if (i >= 4) *law = i - 4;
  }
  if (!found)
    cps_complain(v->r, v->name,
                 "there are no values; it has a list, a range, a distribution, csv or variants, such as "
                 "{range: [1, 5]}");
  return found;
}

static void check_name(reader *r, const cps_study *s, const node *at, const char *name) {
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
    if (strcasecmp(reserved[i], name) == 0)
      cps_complain(r, at, "the name \"%s\" is that of a column which every table has; choose another", name);
  const char *twin = NULL;
  for (int i = 0; i < s->n_parameters; i++)
    if (strcasecmp(s->parameters[i].name, name) == 0) twin = "parameter";
  for (int i = 0; i < s->n_outputs; i++)
    if (strcasecmp(s->outputs[i].name, name) == 0) twin = "output";
  if (twin)
    cps_complain(r, at,
                 "there is a%s %s with the name \"%s\" already (upper and lower case are the same in tables)",
                 twin[0] == 'o' ? "n" : "", twin, name);
  if (strlen(name) > 127 || !*name) cps_complain(r, at, "a name has 1 to 127 characters");
}

/* Columns of one file are one dimension: rows go together. */
static int join_file(varied *v, study_dimension *d) {
  cps_study *s = v->s;
  study_dimension *last = s->n_dimensions > 0 ? &s->dimensions[s->n_dimensions - 1] : NULL;
  for (int j = 0; d->file && j < s->n_dimensions; j++) {
    if (!s->dimensions[j].file || strcmp(s->dimensions[j].file, d->file) != 0) continue;
    if (&s->dimensions[j] != last) {
      cps_complain(v->r, v->name, "parameters from one CSV file stand one after the other");
      return 0;
    }
    if (!d->values || !last->values) return 0;
    if (d->count != last->count) {
      cps_complain(v->r, v->name, "this column has %lld values, but the one before has %lld",
                   (long long)d->count, (long long)last->count);
      return 0;
    }
    double *more = realloc(last->values, (size_t)(last->n + 1) * (size_t)d->count * sizeof *more);
    if (!more) {
      v->r->d->no_memory = 1;
      return 0;
    }
    memcpy(more + last->n * d->count, d->values, (size_t)d->count * sizeof *more);
    last->values = more;
    last->n++;
    v->p->dimension = s->n_dimensions - 1;
    return 1;
  }
  return -1;
}

static void free_dimension(study_dimension *d) {
  for (int i = 0; d->variants && i < d->count; i++) {
    free(d->variants[i].name);
    free(d->variants[i].setting);
  }
  free(d->variants);
  free(d->values);
  free(d->file);
}

static void find_span(study_parameter *p, const study_dimension *d, const double *values) {
  p->low = d->low;
  p->high = d->high;
  if (!values) return;
  p->low = INFINITY;
  p->high = -INFINITY;
  for (int64_t i = 0; i < d->count; i++) {
    p->low = fmin(p->low, values[i]);
    p->high = fmax(p->high, values[i]);
  }
}

static void read_varied(reader *r, cps_study *s, const map_entry *entry) {
  key rows[VARY_ROWS];
  key_table table = cps_keys_of_vary(rows);
  varied v = {.r = r, .s = s, .name = entry->key, .value = entry->value, .table = &table};
  study_dimension d = {0};
  int before = cps_enter(r, entry->key->text), law;
  check_name(r, s, entry->key, entry->key->text);
  v.p = one_more(r->d, (void **)&s->parameters, s->n_parameters, sizeof *v.p);
  if (!v.p) return;
  *v.p = (study_parameter){.name = copy_of(r->d, entry->key->text), .nominal = NAN, .low = NAN, .high = NAN};
  s->n_parameters++;
  int good = v.value->kind == NODE_LIST || cps_read_map(r, v.value, &table, NULL, &v.raw);
  const node *from = good ? source_of(&v, &law) : NULL;
  read_paths(&v);
  if (!good || !from || r->d->no_memory) {
    cps_leave(r, before);
    return;
  }
  v.p->dimension = s->n_dimensions;
  if (v.value->kind == NODE_LIST || from == v.raw.list)
    read_list(&v, from, &d);
  else if (from == v.raw.range)
    read_range(&v, &d);
  else if (law >= 0)
    read_law(&v, from, cps_distribution(law), &d);
  else if (from == v.raw.csv)
    read_column(&v, &d);
  else
    read_variants(&v, &d);
  if (v.raw.count > 0 && d.kind->discrete)
    cps_complain(r, cps_node_get(v.value, "count"),
                 "count belongs to a range or a distribution; this has %lld values", (long long)d.count);
  find_span(v.p, &d, d.values);
  int joined = join_file(&v, &d);
  if (joined >= 0) {
    free_dimension(&d);
  } else {
    study_dimension *to = one_more(r->d, (void **)&s->dimensions, s->n_dimensions, sizeof *to);
    if (to) {
      d.first = s->n_parameters - 1;
      d.n = 1;
      *to = d;
      s->n_dimensions++;
    } else {
      free_dimension(&d);
    }
  }
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ groups */

static int find_parameter(reader *r, const cps_study *s, const node *name) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  nearest_name near = {.word = name->text};
  for (int i = 0; i < s->n_parameters; i++) {
    if (strcmp(s->parameters[i].name, name->text) == 0) return i;
    cps_nearest_offer(&near, s->parameters[i].name);
  }
  cps_complain(r, name, "there is no parameter %s in `vary`%s", cps_quote(quote, name->text),
               cps_nearest_hint(&near, "", hint));
  return -1;
}

/* Cholesky's factor in place; 0 if the matrix is not positive definite. */
static int factorise(double *a, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 1e-12)) return 0;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  }
  return 1;
}

static int read_matrix(reader *r, const node *m, int n, double *a) {
  static const key number = {
      .name = "matrix", .type = KEY_QUANTITY, .unit = "1", .min = -1, .max = 1, .example = "0.5"};
  int good = m->kind == NODE_LIST && m->n == n;
  for (int i = 0; i < n && good; i++) good = m->item[i]->kind == NODE_LIST && m->item[i]->n == n;
  if (!good) {
    cps_complain(r, m, "expected a list of %d lists of %d correlations", n, n);
    return 0;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      good &= cps_read_quantity(r, m->item[i]->item[j], &number, NULL, &a[i * n + j]);
  for (int i = 0; i < n && good; i++) {
    for (int j = 0; j <= i && good; j++) {
      if (a[i * n + j] == a[j * n + i] && (i != j || a[i * n + i] == 1)) continue;
      cps_complain(r, m->item[i]->item[j], "a matrix of correlations is symmetric, with 1 in its diagonal");
      good = 0;
    }
  }
  return good;
}

static void read_group(reader *r, cps_study *s, const node *map) {
  raw_correlation raw;
  if (!cps_read_map(r, map, &cps_keys_correlation, NULL, &raw)) return;
  const node *of = raw.of;
  int n = of->kind == NODE_LIST ? of->n : 0;
  if (n < 2 || n > SOBOL_MOST) {
    cps_complain(r, of, "expected a list of two or more names of parameters, such as [mu, mass]");
    return;
  }
  if (isnan(raw.r) == !raw.matrix) {
    cps_complain(r, map, "a group has one correlation r, or a matrix of them");
    return;
  }
  study_group *g = one_more(r->d, (void **)&s->groups, s->n_groups, sizeof *g);
  if (!g) return;
  s->n_groups++;
  g->dimension = calloc((size_t)n, sizeof *g->dimension);
  g->factor = calloc((size_t)n * (size_t)n, sizeof *g->factor);
  if (!g->dimension || !g->factor) {
    r->d->no_memory = 1;
    return;
  }
  g->n = n;
  int good = 1;
  for (int i = 0; i < n; i++) {
    int p = of->item[i]->kind == NODE_SCALAR ? find_parameter(r, s, of->item[i]) : -1;
    good &= p >= 0;
    if (p < 0) continue;
    g->dimension[i] = s->parameters[p].dimension;
    for (int k = 0; k < s->n_groups; k++)
      for (int j = 0; j < (&s->groups[k] == g ? i : s->groups[k].n); j++)
        if (s->groups[k].dimension[j] == g->dimension[i]) {
          cps_complain(r, of->item[i], "this is in a correlated group already, or goes with one that is");
          good = 0;
        }
    for (int j = 0; j < n; j++) g->factor[i * n + j] = i == j ? 1 : raw.r;
  }
  if (raw.matrix) good = read_matrix(r, raw.matrix, n, g->factor) && good;
  if (good && !factorise(g->factor, n))
    cps_complain(r, map, "there are no numbers with these correlations: the matrix is not positive definite");
}

/* ------------------------------------------------------------------ outputs */

/* Reads an output against the columns of a simulation. */
static void check_output(reader *r, const node *at, study_output *o, const cps_scenario *s,
                         const cps_result *columns) {
  sens_output read;
  cps_error e = {0};
  if (!columns) return;
  if (cps_sens_output_read(&read, o->text, s, columns, &e) != CPS_OK)
    cps_complain(r, at, "%s", e.text);
  else
    memcpy(o->unit, read.unit, sizeof o->unit);
}

static void read_outputs(reader *r, cps_study *s, const node *list, const cps_result *columns) {
  int before = cps_enter(r, "outputs"), is_list = list->kind == NODE_LIST;
  if ((list->kind != NODE_MAP && !is_list) || list->n < 1) {
    cps_complain(r, list, "found %s; expected outputs by name, such as {peak: max(cables.rope.tension_max)}",
                 list->n < 1 && (is_list || list->kind == NODE_MAP) ? "nothing" : cps_node_what(list));
    cps_leave(r, before);
    return;
  }
  for (int i = 0; i < list->n && !r->d->no_memory; i++) {
    const node *name = is_list ? list->item[i] : list->entry[i].key;
    const node *text = is_list ? list->item[i] : list->entry[i].value;
    int inside = cps_enter(r, name->kind == NODE_SCALAR ? name->text : "");
    if (text->kind == NODE_NULL) {
      cps_complain(
          r, text,
          "there is no output here; one with commas goes in quotes within braces and brackets, such as "
          "{a: \"max(bodies.block.v, 0, 1)\"}");
    } else if (text->kind != NODE_SCALAR) {
      cps_complain(r, text, "found %s; expected an output, such as max(bodies.block.v)", cps_node_what(text));
    } else {
      check_name(r, s, name, name->text);
      study_output *o = one_more(r->d, (void **)&s->outputs, s->n_outputs, sizeof *o);
      if (!o) break;
      *o = (study_output){.name = copy_of(r->d, name->text),
                          .text = copy_of(r->d, text->text),
                          .least = -INFINITY,
                          .most = INFINITY};
      s->n_outputs++;
      if (o->text) check_output(r, text, o, s->scenario, columns);
    }
    cps_leave(r, inside);
  }
  cps_leave(r, before);
}

/* "NAME < X", "NAME > X", "NAME = X". */
static void read_limit(reader *r, cps_study *s, const node *n, int known) {
  const char *text = n->kind == NODE_SCALAR ? n->text : "";
  size_t at = strcspn(text, "<>="), length = at;
  char name[200], why[160], quote[QUOTE_SIZE], hint[HINT_SIZE];
  if (!text[at] || at == 0 || at >= sizeof name) {
    cps_complain(r, n, "a limit is written OUTPUT < X, OUTPUT > X or OUTPUT = X, such as peak < 500 N");
    return;
  }
  while (length > 0 && text[length - 1] == ' ') length--;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  const char *value = text + at + 1;
  value += strspn(value, "= "); /* <= is as good as < */
  study_output *o = NULL;
  nearest_name near = {.word = name};
  for (int i = 0; i < s->n_outputs && !o; i++) {
    cps_nearest_offer(&near, s->outputs[i].name);
    if (strcmp(s->outputs[i].name, name) == 0) o = &s->outputs[i];
  }
  if (!o) {
    cps_complain(r, n, "there is no output %s%s", cps_quote(quote, name),
                 cps_nearest_hint(&near, "; limits are on outputs of this study", hint));
    return;
  }
  double x;
  if (!known || !o->unit[0]) return;
  if (!cps_quantity_read(&r->units, value, o->unit, &x, why, sizeof why)) {
    cps_complain(r, n, "found %s: %s; expected a number in %s", cps_quote(quote, value), why, o->unit);
    return;
  }
  if (text[at] != '>') o->most = fmin(o->most, x);
  if (text[at] != '<') o->least = fmax(o->least, x);
  if (o->least > o->most)
    cps_complain(r, n, "nothing can hold this: %s would have to be at least %g and at most %g", o->name,
                 o->least, o->most);
}

static void read_limits(reader *r, cps_study *s, const node *list, int known) {
  int before = cps_enter(r, "limits");
  if (list->kind == NODE_SCALAR) read_limit(r, s, list, known);
  if (list->kind == NODE_MAP)
    cps_complain(r, list, "found a map; expected a list of limits, such as [peak < 500 N]");
  for (int i = 0; list->kind == NODE_LIST && i < list->n; i++) {
    int inside = cps_enter_item(r, i);
    read_limit(r, s, list->item[i], known);
    cps_leave(r, inside);
  }
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ the sample */

static const node *sample_key(const node *sample, const char *name, const node *otherwise) {
  const node *n = sample ? cps_node_get(sample, name) : NULL;
  return n ? n : otherwise;
}

/* Keys that mean nothing to the method, and those that it needs. */
static void check_sample_keys(reader *r, cps_study *s, const node *sample, const node *root) {
  static const char *const names[] = {"points", "levels", "base", "trajectories", "seed", "scramble"};
  for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
    const node *given = sample_key(sample, names[i], NULL);
    if (given && !(s->method->takes & 1u << i))
      cps_complain(r, given, "%s means nothing with the method %s: %s", names[i], s->method->name,
                   s->method->meaning);
    if (!given && s->method->needs & 1u << i)
      cps_complain(r, sample ? sample : root, "the method %s needs %s, such as %s: %s", s->method->name,
                   names[i], names[i], cps_row(&cps_keys_sample, names[i])->example);
  }
}

/* Ranges in a grid need a number of levels. */
static void check_levels(reader *r, const cps_study *s, const node *vary) {
  if (strcmp(s->method->name, "grid") != 0 || s->sample.levels > 0) return;
  for (int j = 0; j < s->n_dimensions; j++) {
    const char *name = s->parameters[s->dimensions[j].first].name;
    const node *at = cps_node_key(vary, name);
    if (s->dimensions[j].count > 0 || !at || s->dimensions[j].kind->discrete) continue;
    int before = cps_enter(r, "vary");
    cps_enter(r, name);
    cps_complain(r, at, "how many levels? In a grid it has a count, such as count: 5, or sample has levels");
    cps_leave(r, before);
  }
}

static void read_sample(reader *r, cps_study *s, const node *sample, const node *vary, const node *root) {
  static const node nothing = {.kind = NODE_NULL};
  int before = cps_enter(r, "sample"), good;
  good = cps_read_map(r, sample ? sample : &nothing, &cps_keys_sample, NULL, &s->sample);
  s->method = cps_sampling(s->sample.method);
  s->seed = (uint64_t)s->sample.seed;
  if (!sample) sample = NULL;
  if (good) check_sample_keys(r, s, sample, root);
  int morris = strcmp(s->method->name, "morris") == 0;
  const node *levels = sample_key(sample, "levels", sample);
  if (morris && s->sample.levels == 0) s->sample.levels = 4;
  if (morris && levels && fmod(s->sample.levels, 2) != 0)
    cps_complain(r, levels, "found %g; morris needs an even number of levels, such as 4", s->sample.levels);
  if (s->n_groups > 0 && s->method->independent)
    cps_complain(
        r, sample_key(sample, "method", root),
        "correlated groups need a method that draws points: random, latin-hypercube or sobol, not %s",
        s->method->name);
  int most = strcmp(s->method->name, "saltelli") == 0 ? SOBOL_MOST / 2 : SOBOL_MOST;
  if (s->n_dimensions > most)
    cps_complain(r, root, "%d parameters are too many: with the method %s at most %d", s->n_dimensions,
                 s->method->name, most);
  cps_leave(r, before);
  check_levels(r, s, vary);
  if (!good || cps_problems_count(r->d->problems) > 0) return;
  double n = s->method->count(s);
  if (n > POINTS_MOST) {
    before = cps_enter(r, "sample");
    cps_complain(
        r, sample ? sample : root,
        "this makes %.4g points; a study has at most %g. Fewer levels, or a method such as latin-hypercube "
        "or sobol, with points: 1000, says as much",
        n, POINTS_MOST);
    cps_leave(r, before);
  }
  s->count = n > POINTS_MOST ? 0 : (int64_t)n;
}

/* "20000 steps", which is the same on every machine, or "30 s" of processor time. */
static void read_patience(reader *r, cps_study *s, const node *n) {
  static const char hint[] = "expected a number of steps or a time, such as 20000 steps or 30 s";
  int before = cps_enter(r, "give_up_after");
  char quote[QUOTE_SIZE], why[160];
  const char *text = n->kind == NODE_SCALAR ? n->text : "", *unit;
  double x;
  if (cps_number_read(text, &unit, &x))
    unit += strspn(unit, " ");
  else
    unit = "";
  if (n->kind != NODE_SCALAR)
    cps_complain(r, n, "found %s; %s", cps_node_what(n), hint);
  else if (strcmp(unit, "steps") == 0 && x >= 1 && x == floor(x) && x <= 1e15)
    s->most_steps = x;
  else if (strcmp(unit, "steps") == 0 || !*unit)
    cps_complain(r, n, "found %s; %s", cps_quote(quote, text), hint);
  else if (!cps_quantity_read(&r->units, text, "s", &x, why, sizeof why))
    cps_complain(r, n, "found %s: %s; %s", cps_quote(quote, text), why, hint);
  else if (!(x > 0) || isinf(x))
    cps_complain(r, n, "found %s; a point needs some time, such as 30 s", cps_quote(quote, text));
  else
    s->most_seconds = x;
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ what belongs together */

/* A number that varies has to be there in every variant, too. */
static void check_paths_in_variants(reader *r, cps_study *s, const node *vary) {
  for (int j = 0; j < s->n_dimensions; j++) {
    const study_dimension *d = &s->dimensions[j];
    for (int i = 0; d->variants && i < d->count; i++) {
      const char *name = s->parameters[d->first].name;
      const char *setting = d->variants[i].setting;
      cps_scenario *varied = with_settings(r, vary, s->scenario, &setting, 1);
      for (int k = 0; varied && k < s->n_parameters; k++) {
        const study_parameter *p = &s->parameters[k];
        for (int m = 0; m < p->n_paths && !s->dimensions[p->dimension].variants; m++) {
          cps_error e = {0};
          probe q = {.path = p->path[m]};
          if (cps_scenario_probe(varied, &q, 1, &e) == CPS_OK) continue;
          int before = cps_enter(r, "vary");
          cps_enter(r, p->name);
          cps_complain(r, cps_node_key(vary, p->name), "with the variant %s of %s: %s", d->variants[i].name,
                       name, e.text);
          cps_leave(r, before);
        }
      }
      cps_scenario_free(varied);
    }
  }
}

/* Whether a parameter is a number; one that could not be read has no dimension. */
static int is_number(const cps_study *s, const study_parameter *p) {
  return p->dimension >= s->n_dimensions || !s->dimensions[p->dimension].variants;
}

static void check_gradients(reader *r, const cps_study *s, const node *vary) {
  for (int i = 0; i < s->n_parameters; i++) {
    const study_parameter *p = &s->parameters[i];
    for (int k = 0; k < p->n_paths; k++) {
      const char *why = p->integer ? "takes whole numbers"
                        : strncmp(p->path[k], "run.", 4) == 0 || strncmp(p->path[k], "outputs.", 8) == 0
                            ? "says how to compute"
                            : NULL;
      if (!is_number(s, p) || !why) continue;
      int before = cps_enter(r, "vary");
      cps_enter(r, p->name);
      cps_complain(r, cps_node_key(vary, p->name),
                   "%s %s: nothing can be differentiated by it, as gradients: true wants", p->path[k], why);
      cps_leave(r, before);
    }
  }
}

/* ------------------------------------------------------------------ reading */

static void read_tree(reader *r, cps_study *s, const node *root) {
  raw_study raw;
  memset(&raw, 0, sizeof raw);
  cps_read_map(r, root, &cps_keys_study, NULL, &raw);
  s->title = copy_of(r->d, raw.title ? raw.title : "");
  s->gradients = raw.gradients;
  s->keep = (study_keep)raw.keep;
  s->most_steps = s->most_seconds = INFINITY;
  if (raw.patience) read_patience(r, s, raw.patience);
  s->scenario = raw.scenario ? load_scenario(r, raw.scenario) : NULL;
  if (s->scenario && raw.set) s->scenario = apply_set(r, raw.set, s->scenario);
  int before = cps_enter(r, "vary");
  if (raw.vary && (raw.vary->kind != NODE_MAP || raw.vary->n < 1))
    cps_complain(r, raw.vary,
                 "found %s; expected what varies by name, such as {bodies.block.mass: [1 kg, 2 kg]}",
                 raw.vary->kind == NODE_MAP ? "nothing" : cps_node_what(raw.vary));
  for (int i = 0; raw.vary && raw.vary->kind == NODE_MAP && i < raw.vary->n && !r->d->no_memory; i++)
    read_varied(r, s, &raw.vary->entry[i]);
  cps_leave(r, before);
  before = cps_enter(r, "correlate");
  if (raw.correlate && raw.correlate->kind != NODE_LIST)
    cps_complain(r, raw.correlate, "found %s; expected a list of groups, such as [{of: [mu, mass], r: 0.5}]",
                 cps_node_what(raw.correlate));
  for (int i = 0; raw.correlate && raw.correlate->kind == NODE_LIST && i < raw.correlate->n; i++) {
    int inside = cps_enter_item(r, i);
    read_group(r, s, raw.correlate->item[i]);
    cps_leave(r, inside);
  }
  cps_leave(r, before);
  cps_error e = {0};
  cps_system *system = s->scenario ? cps_system_new(s->scenario, &e) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &e) : NULL;
  if (s->scenario && !sim) {
    cps_scenario_locate(s->scenario, &e);
    cps_problem_copy(r->d, &e);
  }
  if (raw.outputs) read_outputs(r, s, raw.outputs, sim ? cps_simulation_result(sim) : NULL);
  if (raw.limits) read_limits(r, s, raw.limits, sim != NULL);
  cps_simulation_free(sim);
  cps_system_free(system);
  if (raw.vary) read_sample(r, s, raw.sample, raw.vary, root);
  if (cps_problems_count(r->d->problems) == 0) check_paths_in_variants(r, s, raw.vary);
  if (s->gradients && raw.vary) check_gradients(r, s, raw.vary);
  int numbers = 0;
  for (int i = 0; i < s->n_parameters; i++) numbers += is_number(s, &s->parameters[i]);
  long columns = s->n_parameters + (long)s->n_outputs * (1 + (s->gradients ? numbers : 0));
  if (columns > COLUMNS_MOST)
    cps_complain(r, root, "the table would have %ld columns; at most %d are possible", columns, COLUMNS_MOST);
}

/* The study's text, and further files behind separators. */
static void set_hash(const document *d, cps_study *s) {
  sha256 h;
  cps_sha256_start(&h);
  for (int i = 0; i < d->n_sources; i++) {
    if (i > 0) cps_sha256_add(&h, "\1", 1);
    cps_sha256_add(&h, d->sources[i].text, d->sources[i].length);
  }
  cps_sha256_end(&h, s->hash);
}

static cps_study *read_document(document *d) {
  cps_study *s = calloc(1, sizeof *s);
  reader *r = calloc(1, sizeof *r);
  if (!s || !r) {
    d->no_memory = 1;
  } else {
    r->d = d;
    s->file = copy_of(d, d->sources[0].name);
    s->text = copy_text(d, d->sources[0].text, d->sources[0].length);
    s->length = d->sources[0].length;
    const node *root = cps_yaml_parse(d, 0, 0);
    if (root && root->kind == NODE_MAP && cps_node_get(root, "capstan") && !cps_node_get(root, "study"))
      cps_problem(d, root->at, NULL,
                  "this is a scenario, not a study; a study starts with study: 1 and names its scenario");
    else if (root && root->kind == NODE_MAP)
      read_tree(r, s, root);
    else if (root || cps_problems_count(d->problems) == 0)
      cps_problem(d, (mark){0, 0}, NULL, "a study is a map that starts with study: 1");
    set_hash(d, s);
    if (cps_problems_count(d->problems) == 0 && !d->no_memory && !cps_sampling_prepare(s)) d->no_memory = 1;
  }
  free(r);
  return s;
}

static cps_study *finish(document *d, cps_study *s, cps_problems **problems) {
  cps_problems *list = d->problems;
  if (d->no_memory) cps_problems_out_of_memory(list);
  cps_document_end(d);
  if (cps_problems_count(list) > 0) {
    cps_problems_finish(list);
    cps_study_free(s);
    s = NULL;
  }
  if (problems && !s)
    *problems = list;
  else
    cps_problems_free(list);
  return s;
}

/* Takes ownership of the text. */
static cps_study *parse_owned(document *d, char *text, size_t length, const char *file,
                              cps_problems **problems) {
  cps_study *s = NULL;
  if (cps_document_add(d, file, cps_document_folder(d, file), text, length) == 0) s = read_document(d);
  return finish(d, s, problems);
}

cps_study *cps_study_load(const char *path, cps_problems **problems) {
  document d;
  char why[80] = "there is no file name";
  size_t length = 0;
  if (problems) *problems = NULL;
  if (!cps_document_start(&d)) {
    if (problems) *problems = cps_problems_no_memory();
    return NULL;
  }
  char *text = path ? cps_file_read(&d, path, 0, &length, why, sizeof why) : NULL;
  if (text) return parse_owned(&d, text, length, path, problems);
  if (!d.no_memory) cps_problem_file(&d, CPS_IO, path ? path : "", why);
  return finish(&d, NULL, problems);
}

cps_study *cps_study_parse(const char *text, size_t length, const char *file, cps_problems **problems) {
  document d;
  if (problems) *problems = NULL;
  if (!cps_document_start(&d)) {
    if (problems) *problems = cps_problems_no_memory();
    return NULL;
  }
  char *copy = length <= TEXT_MOST ? copy_text(&d, text, length) : NULL;
  if (copy) return parse_owned(&d, copy, length, file ? file : "study", problems);
  if (!d.no_memory) cps_problem_file(&d, CPS_BAD_INPUT, file ? file : "study", "this is too large");
  return finish(&d, NULL, problems);
}

void cps_study_free(cps_study *s) {
  if (!s) return;
  for (int i = 0; i < s->n_parameters; i++) {
    for (int k = 0; k < s->parameters[i].n_paths; k++) free(s->parameters[i].path[k]);
    free(s->parameters[i].path);
    free(s->parameters[i].name);
  }
  for (int i = 0; i < s->n_dimensions; i++) free_dimension(&s->dimensions[i]);
  for (int i = 0; i < s->n_outputs; i++) {
    free(s->outputs[i].name);
    free(s->outputs[i].text);
  }
  for (int i = 0; i < s->n_groups; i++) {
    free(s->groups[i].dimension);
    free(s->groups[i].factor);
  }
  free(s->parameters);
  free(s->dimensions);
  free(s->outputs);
  free(s->groups);
  free(s->directions);
  free(s->shift);
  cps_scenario_free(s->scenario);
  free(s->file);
  free(s->text);
  free(s->title);
  free(s);
}
