/* study_vary.c - what varies in a study: a parameter, its paths, and where its values come from. See study_read.c. */
#include "study_reading.h"

#include "buffer.h"
#include "internal.h"
#include "parameter_paths.h"
#include "plain_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Columns of the table that are always there. */
static const char *const reserved[] = {"point",      "status",   "message", "steps",
                                       "iterations", "rejected", "seconds"};
/* Room for one more item at the end of an array; NULL if out of memory. */
void *cps_study_more(document *d, void **array, int n, size_t size) {
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
  cps_buffer_quote(b, n->text);
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

char *cps_study_setting(document *d, const char *path, const node *value) {
  buffer b = {0};
  cps_buffer_add(&b, "%s=", path);
  write_value(&b, value);
  char *text = cps_buffer_take(&b);
  if (!text) d->no_memory = 1;
  return text;
}

/* The scenario with further settings; says at a node what is wrong with it otherwise. */
cps_scenario *cps_study_with(reader *r, const node *at, const cps_scenario *s, const char *const *settings,
                             int n) {
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
    d->file = cps_text_copy_of(v->r->d, raw.file);
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
    study_variant *made = cps_study_more(v->r->d, (void **)&d->variants, n, sizeof *made);
    if (!made) break;
    made->name = cps_text_copy_of(v->r->d, key_node->text);
    made->setting = cps_study_setting(v->r->d, v->p->path[0], list ? all->item[i] : all->entry[i].value);
    n++;
    for (int k = 0; k < n - 1; k++)
      if (strcmp(d->variants[k].name, made->name) == 0)
        cps_complain(v->r, key_node, "there are two variants with the name \"%s\"", made->name);
    if (v->s->scenario && made->setting) {
      int inside = cps_enter(v->r, made->name);
      cps_scenario_free(
          cps_study_with(v->r, key_node, v->s->scenario, (const char *const *)&made->setting, 1));
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
    v->p->path[i] = cps_text_copy_of(r->d, places[i]->kind == NODE_SCALAR ? places[i]->text : "");
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

void cps_study_check_name(reader *r, const cps_study *s, const node *at, const char *name) {
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

void cps_study_free_dimension(study_dimension *d) {
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

void cps_study_read_varied(reader *r, cps_study *s, const map_entry *entry) {
  key rows[VARY_ROWS];
  key_table table = cps_keys_of_vary(rows);
  varied v = {.r = r, .s = s, .name = entry->key, .value = entry->value, .table = &table};
  study_dimension d = {0};
  int before = cps_enter(r, entry->key->text), law;
  cps_study_check_name(r, s, entry->key, entry->key->text);
  v.p = cps_study_more(r->d, (void **)&s->parameters, s->n_parameters, sizeof *v.p);
  if (!v.p) return;
  *v.p = (study_parameter){
      .name = cps_text_copy_of(r->d, entry->key->text), .nominal = NAN, .low = NAN, .high = NAN};
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
    cps_study_free_dimension(&d);
  } else {
    study_dimension *to = cps_study_more(r->d, (void **)&s->dimensions, s->n_dimensions, sizeof *to);
    if (to) {
      d.first = s->n_parameters - 1;
      d.n = 1;
      *to = d;
      s->n_dimensions++;
    } else {
      cps_study_free_dimension(&d);
    }
  }
  cps_leave(r, before);
}
