/* study_read.c - from a study file to a study.
 *
 * The tree comes from the reader of scenarios, and so do units, complaints and their places. What is wrong is collected and said at
 * once: the scenario's problems, too. Paths, units and ranges are known from the scenario, so of a study without a good scenario
 * only the form can be checked.
 */
#include "study_reading.h"

#include "internal.h"
#include "parameter_paths.h"
#include "plain_locale.h"
#include "sens_output.h"
#include "sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 1900 };

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
    char *text = cps_study_setting(r->d, e->key->text, e->value);
    if (!text) break;
    cps_scenario *alone = cps_study_with(r, e->key, s, (const char *const *)&text, 1);
    good &= alone != NULL;
    cps_scenario_free(alone);
    settings[n++] = text;
  }
  cps_scenario *all = good && n == set->n ? cps_study_with(r, set, s, (const char *const *)settings, n)
                                          : NULL;
  for (int i = 0; i < n; i++) free(settings[i]);
  cps_leave(r, before);
  if (!all) return s;
  cps_scenario_free(s);
  return all;
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
  study_group *g = cps_study_more(r->d, (void **)&s->groups, s->n_groups, sizeof *g);
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
      cps_study_check_name(r, s, name, name->text);
      study_output *o = cps_study_more(r->d, (void **)&s->outputs, s->n_outputs, sizeof *o);
      if (!o) break;
      *o = (study_output){.name = cps_text_copy_of(r->d, name->text),
                          .text = cps_text_copy_of(r->d, text->text),
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
      cps_scenario *varied = cps_study_with(r, vary, s->scenario, &setting, 1);
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
  s->title = cps_text_copy_of(r->d, raw.title ? raw.title : "");
  s->gradients = raw.gradients;
  s->keep = (study_keep)raw.keep;
  s->most_steps = s->most_seconds = INFINITY;
  if (raw.patience) read_patience(r, s, raw.patience);
  s->scenario = raw.scenario ? load_scenario(r, raw.scenario) : NULL;
  if (s->scenario && raw.set) s->scenario = apply_set(r, raw.set, s->scenario);
  int before = cps_enter(r, "vary");
  const node *vary = cps_node_get(root,
                                  "vary"); /* raw.vary is NULL, too, if there is nothing behind the colon */
  if (vary && (vary->kind != NODE_MAP || vary->n < 1))
    cps_complain(r, vary, "found %s; expected what varies by name, such as {bodies.block.mass: [1 kg, 2 kg]}",
                 vary->kind == NODE_MAP || vary->kind == NODE_NULL ? "nothing" : cps_node_what(vary));
  for (int i = 0; raw.vary && raw.vary->kind == NODE_MAP && i < raw.vary->n && !r->d->no_memory; i++)
    cps_study_read_varied(r, s, &raw.vary->entry[i]);
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
  const node *outputs = cps_node_get(root, "outputs");
  if (outputs) read_outputs(r, s, outputs, sim ? cps_simulation_result(sim) : NULL);
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
    s->file = cps_text_copy_of(d, d->sources[0].name);
    s->text = cps_text_copy(d, d->sources[0].text, d->sources[0].length);
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
  size_t length = 0;
  if (!cps_document_begin(&d, problems)) return NULL;
  char *text = cps_document_file(&d, path, &length);
  return text ? parse_owned(&d, text, length, path, problems) : finish(&d, NULL, problems);
}

cps_study *cps_study_parse(const char *text, size_t length, const char *file, cps_problems **problems) {
  document d;
  if (!cps_document_begin(&d, problems)) return NULL;
  char *copy = length <= TEXT_MOST ? cps_text_copy(&d, text, length) : NULL;
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
  for (int i = 0; i < s->n_dimensions; i++) cps_study_free_dimension(&s->dimensions[i]);
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
