/* fit.c - capstan fit: parameters of a scenario from measured series. */
#include "cli.h"
#include "input.h"
#include "problems.h"
#include "progress.h"
#include "study.h"
#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4200 };

static const char *const losses[] = {
    [CPS_LOSS_NONE] = "none", [CPS_LOSS_HUBER] = "huber", [CPS_LOSS_CAUCHY] = "cauchy"};

enum { N_LOSSES = sizeof losses / sizeof losses[0] };

typedef struct fit_options {
  int help, json, quiet, no_report, watch;
  const char *folder, *loss_name, *steps_text;
  text_list data, parameters, column, sigma, set;
  cps_loss loss;
} fit_options;

/* A file of data, and the settings of its run. */
typedef struct data_set {
  char *file; /* owned */
  words settings;
  cps_table *table;
  report_data *shown; /* owned [n_shown] what was used */
  int n_shown;
  double **owned; /* [n_owned] values in SI */
  int n_owned;
} data_set;

typedef struct study {
  const fit_options *o;
  const cps_scenario *scenario;
  cps_fit *fit;
  data_set *sets;
  int n_sets;
  progress bar;
  trials seen;
  double wall;
} study;

static void print_help(const option *table, int n) {
  printf(
      "capstan fit - parameters of a scenario from measured series\n\n"
      "Usage: capstan fit FILE --data CSV --parameters PATH[:MIN:MAX],... [-o FOLDER]\n\n"
      "A CSV file has times in its first column and further columns named as those of a result, with units\n"
      "in brackets if they are not SI: time,bodies.block.x [mm]. A column sigma(NAME) holds the standard\n"
      "deviations of NAME. Several files are several runs with the same parameters; what is different in\n"
      "each follows its name: --data 'pulse.csv:loads.push.force=5 N;run.until=2'.\n"
      "Parameters start at the values of the scenario. Least squares by Levenberg and Marquardt, with\n"
      "derivatives across stick and slip.\n\nOptions:\n");
  options_help(stdout, table, n);
  printf("\nExamples:\n"
         "  capstan fit block.yaml --data test.csv --parameters "
         "contacts.belt.friction.mu_s:0.1:2,bodies.block.mass\n"
         "  capstan fit block.yaml --data test.csv --column pos=bodies.block.x --sigma pos='0.1 mm' "
         "--parameters "
         "...\n");
}

/* ---------------------------------------------------------------- arguments */

/* "0.2", "3 N" in the unit of a parameter; empty: no bound. */
static int read_bound(const char *text, const char *unit, double otherwise, double *value) {
  cps_error error = {0};
  *value = otherwise;
  if (!*text || strcmp(text, "-inf") == 0 || strcmp(text, "inf") == 0) return 1;
  if (cps_quantity_parse(text, unit, value, &error) == CPS_OK) return 1;
  problem_print("fit", &error);
  return 0;
}

/* PATH:MIN:MAX into three parts; 0 if there are others. */
static int cut_parameter(char *text, char **min, char **max) {
  *min = *max = NULL;
  char *colon = strchr(text, ':');
  if (!colon) return 1;
  *colon = 0;
  *min = colon + 1;
  colon = strchr(*min, ':');
  if (!colon || strchr(colon + 1, ':')) return 0;
  *colon = 0;
  *max = colon + 1;
  return 1;
}

static cps_fit *make_fit(const study *s, int *status) {
  const fit_options *o = s->o;
  words list = {0};
  for (int i = 0; i < o->parameters.n; i++) words_split(&list, o->parameters.item[i]);
  char **min = (char **)grow(NULL, (size_t)list.n + 1, sizeof *min);
  char **max = (char **)grow(NULL, (size_t)list.n + 1, sizeof *max);
  cps_error error = {0};
  cps_fit *fit = NULL;
  int good = 1;
  *status = STATUS_USAGE;
  for (int i = 0; i < list.n && good; i++) {
    good = cut_parameter(list.item[i], &min[i], &max[i]);
    if (!good)
      complain("fit", "a parameter is written PATH or PATH:MIN:MAX; found '%s:%s'", list.item[i], min[i]);
  }
  if (good) {
    fit = cps_fit_new(s->scenario, (const char *const *)list.item, list.n, &error);
    if (!fit) {
      problem_print("fit", &error);
      *status = study_status(&error);
    }
  }
  for (int i = 0; i < list.n && fit && good; i++) {
    cps_fit_parameter p;
    double low, high;
    if (!min[i]) continue;
    cps_fit_get(fit, i, &p);
    good = read_bound(min[i], p.quantity.unit, -INFINITY, &low) &&
           read_bound(max[i], p.quantity.unit, INFINITY, &high);
    if (good && cps_fit_bounds(fit, i, low, high, &error) != CPS_OK) {
      problem_print("fit", &error);
      good = 0;
    }
  }
  if (fit && !good) {
    cps_fit_free(fit);
    fit = NULL;
  }
  free((void *)min);
  free((void *)max);
  words_free(&list);
  return fit;
}

/* The value of NAME=VALUE in a list of such; NULL if it is not there. */
static const char *look_up(const text_list *list, const char *name, size_t length) {
  for (int i = 0; i < list->n; i++)
    if (strlen(list->item[i]) > length && strncmp(list->item[i], name, length) == 0 &&
        list->item[i][length] == '=')
      return list->item[i] + length + 1;
  return NULL;
}

/* Which column of the result a column of a file is: NULL if it is not to be used. */
static const char *target_of(const fit_options *o, const char *name) {
  const char *to = look_up(&o->column, name, strlen(name));
  if (to) return to;
  if (o->column.n == 0) return name;
  for (int i = 0; i < o->column.n; i++)
    if (strcmp(o->column.item[i], name) == 0) return name;
  return NULL;
}

/* ---------------------------------------------------------------- data */

/* Values in SI: [rows], remembered to be freed. */
static const double *in_si(data_set *d, int column, const char *unit, int *good) {
  const double *data = cps_table_data(d->table, column);
  const char *found = cps_table_unit(d->table, column);
  double factor = 1;
  if (*found) {
    char text[200];
    cps_error error = {0};
    snprintf(text, sizeof text, "1 %s", found);
    if (strcmp(found, "1") != 0 && cps_quantity_parse(text, unit, &factor, &error) != CPS_OK) {
      complain("fit", "%s, column %s: %s", d->file, cps_table_name(d->table, column), error.text);
      *good = 0;
    }
  }
  long n = cps_table_rows(d->table);
  double *x = (double *)grow(NULL, (size_t)n + 1, sizeof *x);
  for (long i = 0; i < n; i++) x[i] = factor * data[i];
  d->owned = (double **)grow((void *)d->owned, (size_t)d->n_owned + 1, sizeof *d->owned);
  d->owned[d->n_owned++] = x;
  return x;
}

/* The standard deviations of a column: from sigma(NAME), or one number for all; NULL if nothing is said. */
static const double *find_sigma(const study *s, data_set *d, const char *name, const char *unit, int *good) {
  char head[200];
  snprintf(head, sizeof head, "sigma(%s)", name);
  for (int i = 1; i < cps_table_columns(d->table); i++)
    if (strcmp(cps_table_name(d->table, i), head) == 0) return in_si(d, i, unit, good);
  const char *text = look_up(&s->o->sigma, name, strlen(name));
  if (!text) return NULL;
  double value = 0;
  cps_error error = {0};
  if (cps_quantity_parse(text, unit, &value, &error) != CPS_OK || !(value > 0)) {
    complain("fit", "--sigma %s: %s", name,
             error.status ? error.text : "a standard deviation is greater than 0");
    *good = 0;
    return NULL;
  }
  long n = cps_table_rows(d->table);
  double *x = (double *)grow(NULL, (size_t)n + 1, sizeof *x);
  for (long i = 0; i < n; i++) x[i] = value;
  d->owned = (double **)grow((void *)d->owned, (size_t)d->n_owned + 1, sizeof *d->owned);
  d->owned[d->n_owned++] = x;
  return x;
}

/* The columns that a run of the scenario has: names and units. */
static const cps_result *columns_of(const cps_scenario *s, cps_system **system, cps_simulation **sim,
                                    cps_error *error) {
  *system = cps_system_new(s, error);
  *sim = *system ? cps_simulation_new(*system, error) : NULL;
  return *sim ? cps_simulation_result(*sim) : NULL;
}

static void complain_column(const data_set *d, const cps_result *columns, const char *name) {
  nearest near = {.word = name};
  for (int c = 1; c < cps_result_columns(columns); c++) nearest_offer(&near, cps_result_name(columns, c));
  complain("fit", "%s: a result has no column '%s'; did you mean '%s'? --column %s=COLUMN says what it is",
           d->file, name, near.best ? near.best : "", name);
}

/* Hands the columns of a file to the fit. */
static int add_series(study *s, data_set *d, int set, const cps_result *columns) {
  int good = 1;
  const double *time = in_si(d, 0, "s", &good);
  for (int i = 1; i < cps_table_columns(d->table) && good; i++) {
    const char *name = cps_table_name(d->table, i), *to = target_of(s->o, name);
    if (!to || strncmp(name, "sigma(", 6) == 0) continue;
    int c = cps_result_find(columns, to);
    if (c < 1) {
      complain_column(d, columns, to);
      return 0;
    }
    const char *unit = cps_result_unit(columns, c);
    const double *value = in_si(d, i, unit, &good),
                 *sigma = good ? find_sigma(s, d, name, unit, &good) : NULL;
    cps_error error = {0};
    if (good &&
        cps_fit_add_series(s->fit, set, to, time, value, sigma, cps_table_rows(d->table), &error) != CPS_OK) {
      complain("fit", "%s: %s", d->file, error.text);
      good = 0;
    }
    d->shown = (report_data *)grow(d->shown, (size_t)d->n_shown + 1, sizeof *d->shown);
    d->shown[d->n_shown++] = (report_data){cps_result_name(columns, c), unit, time, value,
                                           cps_table_rows(d->table)};
  }
  if (good && d->n_shown == 0) {
    complain("fit", "%s: none of its columns is to be used", d->file);
    good = 0;
  }
  return good;
}

/* FILE or FILE:PATH=VALUE;PATH=VALUE. */
static int read_set(study *s, data_set *d, const char *text) {
  size_t n = strcspn(text, ":");
  d->file = (char *)grow(NULL, n + 1, 1);
  memcpy(d->file, text, n);
  d->file[n] = 0;
  for (const char *at = text[n] ? text + n + 1 : ""; *at;) {
    size_t length = strcspn(at, ";");
    words_add(&d->settings, at, length);
    at += length + (at[length] == ';');
  }
  cps_problems *problems = NULL;
  d->table = cps_table_load(d->file, &problems);
  int status = STATUS_GOOD;
  if (!d->table) {
    problems_print(problems);
    status = problems_status(problems);
  }
  cps_problems_free(problems);
  if (status != STATUS_GOOD) return status;
  cps_error error = {0};
  int set = cps_fit_add_set(s->fit, (const char *const *)d->settings.item, d->settings.n, &error);
  if (set < 0) {
    complain("fit", "%s: %s", d->file, error.text);
    return study_status(&error);
  }
  cps_system *system = NULL;
  cps_simulation *sim = NULL;
  cps_scenario *own = cps_fit_scenario(s->fit, set, 0, &error);
  const cps_result *columns = own ? columns_of(own, &system, &sim, &error) : NULL;
  if (!columns) {
    complain("fit", "%s: %s", d->file, error.text);
    status = study_status(&error);
  } else {
    status = add_series(s, d, set, columns) ? STATUS_GOOD : STATUS_USAGE;
  }
  /* names of columns are needed for the report */
  for (int i = 0; i < d->n_shown; i++) {
    size_t length = strlen(d->shown[i].name) + 1;
    char *copy = (char *)grow(NULL, length, 1);
    memcpy(copy, d->shown[i].name, length);
    d->shown[i].name = copy;
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(own);
  return status;
}

static void free_set(data_set *d) {
  free(d->file);
  words_free(&d->settings);
  cps_table_free(d->table);
  for (int i = 0; i < d->n_shown; i++) free((void *)d->shown[i].name);
  for (int i = 0; i < d->n_owned; i++) free(d->owned[i]);
  free(d->shown);
  free((void *)d->owned);
}

/* ---------------------------------------------------------------- for people */

/* The page that follows the search: parameters and the cost. */
static void watch_search(study *s) {
  const char *title = cps_scenario_title(s->scenario);
  trials_start(&s->seen, "fit", title && *title ? title : cps_scenario_file(s->scenario),
               cps_scenario_file(s->scenario));
  for (int i = 0; i < cps_fit_parameters(s->fit); i++) {
    cps_fit_parameter p;
    if (cps_fit_get(s->fit, i, &p) != CPS_OK) continue;
    trials_column(&s->seen, "parameter", p.quantity.path, p.quantity.unit, p.min, p.max);
  }
  trials_column(&s->seen, "output", "cost", "1", NAN, NAN);
}

static void note_trial(study *s, const cps_fit_progress *now) {
  int n = cps_fit_parameters(s->fit);
  double *row = (double *)grow(NULL, (size_t)n + 1, sizeof *row);
  memcpy(row, now->values, (size_t)n * sizeof *row);
  row[n] = now->cost;
  trials_add(&s->seen, row);
  free(row);
}

static int show(const cps_fit_progress *now, void *data) {
  study *s = (study *)data;
  if (!now->run) note_trial(s, now);
  int stop = trials_tick(&s->seen);
  if (now->run) return progress_show(now->run, &s->bar) || stop;
  if (s->o->quiet || s->o->json) return progress_stopped() || stop;
  progress_clear(&s->bar);
  if (now->step == 0) printf("  %4s %14s   %s\n", "step", "cost", "parameters");
  printf("  %4d %14.8g  ", now->step, now->cost);
  for (int i = 0; i < cps_fit_parameters(s->fit) && i < 6; i++) printf(" %.8g", now->values[i]);
  printf("%s\n", cps_fit_parameters(s->fit) > 6 ? " ..." : "");
  fflush(stdout);
  return progress_stopped() || stop;
}

static void print_parameters(const cps_fit *fit) {
  int widest = 9;
  cps_fit_parameter p;
  for (int i = 0; i < cps_fit_parameters(fit); i++) {
    cps_fit_get(fit, i, &p);
    int n = (int)strlen(p.quantity.path);
    widest = n > widest ? n : widest;
  }
  printf("\n  %-*s %14s %14s %12s   %-27s %s\n", widest, "parameter", "start", "found", "std. error",
         "95 % confidence", "unit");
  for (int i = 0; i < cps_fit_parameters(fit); i++) {
    char error[40], low[40], high[40], both[90];
    cps_fit_get(fit, i, &p);
    number_or_dash(low, sizeof low, "%.7g", p.low);
    number_or_dash(high, sizeof high, "%.7g", p.high);
    snprintf(both, sizeof both, "%s .. %s", low, high);
    printf("  %-*s %14.8g %14.8g %12s   %-27s %s%s\n", widest, p.quantity.path, p.start, p.quantity.value,
           number_or_dash(error, sizeof error, "%.3g", p.error), both, p.quantity.unit,
           p.at_bound ? p.at_bound < 0 ? ", at its lower bound" : ", at its upper bound" : "");
  }
}

static void print_correlations(const cps_fit *fit) {
  int n = cps_fit_parameters(fit);
  if (n < 2 || n > 12) return;
  printf("\n  correlations\n");
  for (int i = 0; i < n; i++) {
    cps_fit_parameter p;
    cps_fit_get(fit, i, &p);
    printf("  %3d", i + 1);
    for (int j = 0; j <= i; j++) {
      char text[20];
      printf(" %7s", number_or_dash(text, sizeof text, "%.3f", cps_fit_correlation(fit, i, j)));
    }
    printf("  %s\n", p.quantity.path);
  }
}

static void print_series(const study *s) {
  printf("\n  %-34s %8s %14s %14s %12s  %s\n", "series", "values", "rms before", "rms after", "sigma",
         "unit");
  for (int i = 0; i < cps_fit_sets(s->fit); i++) {
    for (int k = 0; k < cps_fit_series_count(s->fit, i); k++) {
      cps_fit_series f;
      char name[200];
      cps_fit_series_get(s->fit, i, k, &f);
      snprintf(name, sizeof name, "%s%s%s", s->n_sets > 1 ? s->sets[i].file : "", s->n_sets > 1 ? ": " : "",
               f.column);
      printf("  %-34s %8ld %14.6g %14.6g %12.4g  %s\n", name, f.n, f.rms_before, f.rms_after, f.sigma,
             f.unit);
    }
  }
}

static void print_found(const study *s) {
  char span[40];
  const char *title = cps_scenario_title(s->scenario);
  span_text(span, sizeof span, s->wall);
  printf("\n%s\n  %s after %d steps, %ld runs, %s\n",
         title && *title ? title : shown_name(cps_scenario_file(s->scenario)), cps_fit_reason(s->fit),
         cps_fit_steps(s->fit), cps_fit_runs(s->fit), span);
  print_parameters(s->fit);
  print_correlations(s->fit);
  print_series(s);
}

/* ---------------------------------------------------------------- JSON */

static void json_parameters(json *w, const cps_fit *fit) {
  int n = cps_fit_parameters(fit);
  json_open(w, "parameters", '[');
  for (int i = 0; i < n; i++) {
    cps_fit_parameter p;
    cps_fit_get(fit, i, &p);
    json_open_flat(w, NULL, '{');
    json_text(w, "path", p.quantity.path);
    json_text(w, "unit", p.quantity.unit);
    json_number(w, "start", p.start);
    json_number(w, "value", p.quantity.value);
    json_number(w, "error", p.error);
    json_number(w, "low", p.low);
    json_number(w, "high", p.high);
    json_number(w, "min", p.min);
    json_number(w, "max", p.max);
    json_int(w, "at_bound", p.at_bound);
    json_close(w);
  }
  json_close(w);
  json_open(w, "correlations", '[');
  for (int i = 0; i < n; i++) {
    json_open_flat(w, NULL, '[');
    for (int j = 0; j < n; j++) json_number(w, NULL, cps_fit_correlation(fit, i, j));
    json_close(w);
  }
  json_close(w);
  json_open_flat(w, "singular_values", '[');
  for (int i = 0; i < n; i++) json_number(w, NULL, cps_fit_singular(fit, i));
  json_close(w);
}

static void write_json(FILE *out, const void *data) {
  const study *s = (const study *)data;
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "title", cps_scenario_title(s->scenario));
  json_text(&w, "scenario", cps_scenario_file(s->scenario));
  json_text(&w, "hash", cps_scenario_hash(s->scenario));
  json_text(&w, "version", cps_version());
  json_bool(&w, "converged", cps_fit_converged(s->fit));
  json_text(&w, "reason", cps_fit_reason(s->fit));
  json_text(&w, "loss", losses[s->o->loss]);
  json_int(&w, "steps", cps_fit_steps(s->fit));
  json_number(&w, "runs", (double)cps_fit_runs(s->fit));
  json_number(&w, "cost_before", cps_fit_cost(s->fit, 0));
  json_number(&w, "cost", cps_fit_cost(s->fit, 1));
  json_parameters(&w, s->fit);
  json_open(&w, "data", '[');
  for (int i = 0; i < cps_fit_sets(s->fit); i++) {
    json_open(&w, NULL, '{');
    json_text(&w, "file", s->sets[i].file);
    json_open_flat(&w, "settings", '[');
    for (int k = 0; k < s->sets[i].settings.n; k++) json_text(&w, NULL, s->sets[i].settings.item[k]);
    json_close(&w);
    json_open(&w, "series", '[');
    for (int k = 0; k < cps_fit_series_count(s->fit, i); k++) {
      cps_fit_series f;
      cps_fit_series_get(s->fit, i, k, &f);
      json_open_flat(&w, NULL, '{');
      json_text(&w, "column", f.column);
      json_text(&w, "unit", f.unit);
      json_number(&w, "values", (double)f.n);
      json_number(&w, "rms_before", f.rms_before);
      json_number(&w, "rms", f.rms_after);
      json_number(&w, "sigma", f.sigma);
      json_close(&w);
    }
    json_close(&w);
    json_close(&w);
  }
  json_close(&w);
  json_open(&w, "warnings", '[');
  for (int i = 0; cps_fit_warning(s->fit, i); i++) json_text(&w, NULL, cps_fit_warning(s->fit, i));
  json_close(&w);
  json_number(&w, "wall_time", s->wall);
  json_close(&w);
  json_end(&w);
}

/* ---------------------------------------------------------------- files */

/* Settings that turn the scenario into the one that was found. */
static void write_settings(FILE *out, const void *data) {
  const cps_fit *fit = ((const study *)data)->fit;
  for (int i = 0; i < cps_fit_parameters(fit); i++) {
    cps_fit_parameter p;
    char number[40];
    cps_fit_get(fit, i, &p);
    shortest_number(number, sizeof number, p.quantity.value);
    fprintf(out, "%s=%s\n", p.quantity.path, number);
  }
}

/* Writes what was measured over the model before and after, one set of data. */
static int write_set(const study *s, int i, const char *folder) {
  study_run before, after;
  cps_error error = {0};
  int status = results_prepare("fit", folder, 1);
  if (status != STATUS_GOOD) return status;
  if (!study_run_make(&before, cps_fit_scenario(s->fit, i, 0, &error), &error) ||
      !study_run_make(&after, cps_fit_scenario(s->fit, i, 1, &error), &error)) {
    problem_print("fit", &error);
    return study_status(&error);
  }
  status = study_write("fit", folder, &after.all);
  if (status == STATUS_GOOD && !s->o->no_report) {
    char path[PATH_SIZE];
    report_source sources[2] = {report_source_of("before", &before.all),
                                report_source_of("after", &after.all)};
    sources[1].data = s->sets[i].shown;
    sources[1].n_data = s->sets[i].n_shown;
    snprintf(path, sizeof path, "%s/report.html", folder);
    status = report_write("fit", path, 0, sources, 2);
  }
  study_run_free(&before);
  study_run_free(&after);
  return status;
}

static int write_folder(const study *s, const char *folder) {
  int status = results_prepare("fit", folder, 1);
  if (status == STATUS_GOOD) status = study_file("fit", folder, "fit.json", write_json, s);
  if (status == STATUS_GOOD) status = study_file("fit", folder, "settings.txt", write_settings, s);
  for (int i = 0; i < s->n_sets && status == STATUS_GOOD; i++) {
    char own[PATH_SIZE], name[200];
    input_folder(s->sets[i].file, "", name, sizeof name);
    if (s->n_sets == 1)
      snprintf(own, sizeof own, "%s", folder);
    else
      snprintf(own, sizeof own, "%s/%d-%s", folder, i + 1, name);
    status = write_set(s, i, own);
  }
  return status;
}

/* ---------------------------------------------------------------- the command */

static int run_fit(study *s, const char *folder) {
  cps_error error = {0};
  cps_fit_loss(s->fit, s->o->loss);
  double steps;
  if (s->o->steps_text) {
    if (!read_number(s->o->steps_text, &steps) || cps_fit_limit(s->fit, (int)steps) != CPS_OK) {
      complain("fit", "--steps takes a number, such as 50; found '%s'", s->o->steps_text);
      return STATUS_USAGE;
    }
  }
  double began = seconds_now();
  if (s->o->watch) watch_search(s);
  progress_start(&s->bar, stderr, s->o->quiet);
  cps_status done = cps_fit_run(s->fit, show, s, &error);
  progress_end(&s->bar);
  trials_end(&s->seen, done == CPS_OK ? "complete" : "stopped");
  s->wall = seconds_now() - began;
  if (done != CPS_OK) {
    problem_print("fit", &error);
    return study_status(&error);
  }
  if (s->o->json)
    write_json(stdout, s);
  else if (!s->o->quiet)
    print_found(s);
  fflush(stdout);
  for (int i = 0; cps_fit_warning(s->fit, i) && !s->o->json; i++)
    complain("fit", "warning: %s", cps_fit_warning(s->fit, i));
  if (s->o->quiet && !s->o->json && !cps_fit_converged(s->fit))
    complain("fit", "it has not come to an end: %s", cps_fit_reason(s->fit));
  int status = write_folder(s, folder);
  if (status == STATUS_GOOD && !s->o->json && !s->o->quiet)
    printf("\n  results              %s/ (fit.json, settings.txt%s)\n", shown_name(folder),
           s->o->no_report ? ""
           : s->n_sets > 1 ? ", a report for each file"
                           : ", report.html");
  return status != STATUS_GOOD ? status : cps_fit_converged(s->fit) ? STATUS_GOOD : STATUS_FAILED;
}

static int check_usage(fit_options *o, int n, char **argv) {
  if (n != 1)
    complain("fit",
             n == 0 ? "which file? capstan fit FILE --data CSV --parameters PATH"
                    : "one file at a time, please: found '%s'",
             n == 0 ? "" : argv[1]);
  else if (o->data.n == 0)
    complain("fit", "to what? --data takes a CSV file with a column for time");
  else if (o->parameters.n == 0)
    complain("fit", "what is to be found? --parameters takes paths of numbers, such as bodies.block.mass");
  else {
    nearest near = {.word = o->loss_name};
    for (int i = 0; o->loss_name && i < N_LOSSES; i++) {
      nearest_offer(&near, losses[i]);
      if (strcmp(losses[i], o->loss_name) == 0) {
        o->loss = (cps_loss)i;
        return 1;
      }
    }
    if (!o->loss_name) return 1;
    complain("fit", "there is no loss '%s'; did you mean '%s'?", o->loss_name, near.best);
  }
  return 0;
}

int fit_run(int argc, char **argv) {
  fit_options o = {0};
  const option table[] = {
      {"data", 'd', OPTION_LIST, &o.data, "CSV[:PATH=VALUE;...]", "what was measured; several: several runs"},
      {"parameters", 'p', OPTION_LIST, &o.parameters, "PATH[:MIN:MAX],...", "what is to be found"},
      {"column", 'c', OPTION_LIST, &o.column, "NAME=COLUMN",
       "what a column of the data is; only these count"},
      {"sigma", 0, OPTION_LIST, &o.sigma, "NAME=VALUE", "standard deviation of a column of the data"},
      {"loss", 0, OPTION_TEXT, (void *)&o.loss_name, "NAME",
       "none (squares), huber or cauchy: against outliers"},
      {"steps", 0, OPTION_TEXT, (void *)&o.steps_text, "N", "at most so many steps; 50"},
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file, as often as you like"},
      {"output", 'o', OPTION_TEXT, (void *)&o.folder, "FOLDER",
       "where results go; FILE without its ending + .fit"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"watch", 'w', OPTION_FLAG, &o.watch, NULL, "serve a page on this computer that follows the search"},
      {"no-report", 0, OPTION_FLAG, &o.no_report, NULL, "write no report.html"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("fit", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  if (!check_usage(&o, n, argv)) return STATUS_USAGE;
  char folder[512];
  input_folder(argv[0], ".fit", folder, sizeof folder);
  int status;
  cps_scenario *scenario = study_load(argv[0], &o.set, o.json, &status);
  if (!scenario) return status;
  study s = {.o = &o, .scenario = scenario};
  s.fit = make_fit(&s, &status);
  s.sets = (data_set *)grow(NULL, (size_t)o.data.n, sizeof *s.sets);
  memset(s.sets, 0, (size_t)o.data.n * sizeof *s.sets);
  if (s.fit) status = STATUS_GOOD;
  for (int i = 0; i < o.data.n && status == STATUS_GOOD; i++)
    status = read_set(&s, &s.sets[s.n_sets++], o.data.item[i]);
  if (s.fit && status == STATUS_GOOD) status = run_fit(&s, o.folder ? o.folder : folder);
  for (int i = 0; i < s.n_sets; i++) free_set(&s.sets[i]);
  free(s.sets);
  cps_fit_free(s.fit);
  cps_scenario_free(scenario);
  return status;
}
