/* optimize.c - capstan optimize: the parameters that make an output least, within limits on others. */
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

static const char *const algorithms[] = {
    [CPS_ALGORITHM_SLSQP] = "slsqp", [CPS_ALGORITHM_MMA] = "mma", [CPS_ALGORITHM_CCSA] = "ccsa"};

enum { N_ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

static const char *const robusts[] = {[CPS_ROBUST_MEAN] = "mean", [CPS_ROBUST_WORST] = "worst"};

enum { SAMPLES_MOST = 10000 };

typedef struct optimize_options {
  int help, json, quiet, no_report, watch;
  const char *folder, *minimise, *maximise, *algorithm_name, *runs_text, *tolerance_text, *over, *robust;
  text_list parameters, limits, set;
} optimize_options;

typedef struct study {
  const optimize_options *o;
  const cps_scenario *scenario;
  cps_optimize *search;
  cps_scenario **samples; /* owned: [n_samples] */
  int n_samples;
  progress bar;
  trials seen;
  double wall;
} study;

static void print_help(const option *table, int n) {
  printf("capstan optimize - the parameters that make an output least, within limits on others\n\n"
         "Usage: capstan optimize FILE --minimize OUTPUT --parameters PATH[:MIN:MAX],... [--limit 'OUTPUT < "
         "X']...\n\n"
         "Outputs are those of capstan sens. A limit is OUTPUT < X, OUTPUT > X or OUTPUT = X, with a unit if "
         "X is\n"
         "not in SI. Parameters start at the values of the file, and may be anything that is a number in it: "
         "also\n"
         "the coefficients of a profile, such as drums.winch.drive.rotation.sum.0.step5.to.1. With --over, "
         "outputs "
         "are the\n"
         "mean over all points of a study of the file (capstan sweep), or the worst of them.\n\nOptions:\n");
  options_help(stdout, table, n);
  printf("\nExample:\n"
         "  capstan optimize winch.yaml --minimize 'rms(bodies.load.vx, 1.5, 3)' \\\n"
         "    --parameters drums.winch.drive.rotation.step5.to.0:0.5:2 --limit 'max(cables.rope.tension_max) "
         "< 500 N'\n");
}

/* ---------------------------------------------------------------- arguments */

/* PATH:MIN:MAX; the bounds may be left out, one of them too. */
static int read_bounds(cps_optimize *search, int i, char *text) {
  double bound[2] = {-INFINITY, INFINITY};
  cps_error error = {0};
  char *max = strchr(text, ':');
  if (!max) {
    complain("optimize", "bounds are written PATH:MIN:MAX; found '%s'", text);
    return 0;
  }
  *max = 0;
  const char *part[2] = {text, max + 1};
  for (int k = 0; k < 2; k++) {
    if (!*part[k]) continue;
    if (cps_quantity_parse(part[k], cps_optimize_parameter(search, i)->unit, &bound[k], &error) != CPS_OK) {
      problem_print("optimize", &error);
      return 0;
    }
  }
  if (cps_optimize_bounds(search, i, bound[0], bound[1], &error) == CPS_OK) return 1;
  problem_print("optimize", &error);
  return 0;
}

static cps_optimize *make_search(const study *s, int *status) {
  const optimize_options *o = s->o;
  words list = {0};
  char output[250];
  cps_error error = {0};
  for (int i = 0; i < o->parameters.n; i++) words_split(&list, o->parameters.item[i]);
  char **bounds = (char **)grow(NULL, (size_t)list.n + 1, sizeof *bounds);
  for (int i = 0; i < list.n; i++) {
    bounds[i] = strchr(list.item[i], ':');
    if (bounds[i]) *bounds[i]++ = 0;
  }
  snprintf(output, sizeof output, "%s%s", o->maximise ? "-" : "", o->maximise ? o->maximise : o->minimise);
  cps_optimize *search = cps_optimize_new(s->scenario, (const char *const *)list.item, list.n, output,
                                          &error);
  int good = search != NULL;
  *status = STATUS_USAGE;
  if (!search) {
    problem_print("optimize", &error);
    *status = study_status(&error);
  }
  for (int i = 0; i < list.n && good; i++)
    if (bounds[i]) good = read_bounds(search, i, bounds[i]);
  if (search && !good) {
    cps_optimize_free(search);
    search = NULL;
  }
  free((void *)bounds);
  words_free(&list);
  return search;
}

/* "OUTPUT < X": the unit of X is that of the output. */
static int read_limit(const study *s, const char *text) {
  size_t n = strcspn(text, "<>=");
  char output[250];
  cps_error error = {0};
  double x;
  if (!text[n] || n == 0) {
    complain("optimize", "a limit is written 'OUTPUT < X', 'OUTPUT > X' or 'OUTPUT = X'; found '%s'", text);
    return 0;
  }
  size_t length = n;
  while (length > 0 && text[length - 1] == ' ') length--;
  snprintf(output, sizeof output, "%.*s", (int)length, text);
  const char *value = text + n + 1, *path = cps_optimize_parameter(s->search, 0)->path;
  value += strspn(value, "= "); /* <= is as good as < */
  const char *of = output;
  cps_sens *check = cps_sens_new(s->scenario, &path, 1, &of, 1, &error);
  int good = check && cps_quantity_parse(value, cps_sens_unit(check, 0), &x, &error) == CPS_OK &&
             cps_optimize_limit(s->search, output, text[n] == '<' ? -INFINITY : x,
                                text[n] == '>' ? INFINITY : x, &error) == CPS_OK;
  if (!good) complain("optimize", "--limit '%s': %s", text, error.text);
  cps_sens_free(check);
  return good;
}

static int read_effort(const study *s) {
  const optimize_options *o = s->o;
  double runs = 200, tolerance = 1e-5;
  if (o->runs_text && (!read_number(o->runs_text, &runs) || runs < 1 || runs > 1e9)) {
    complain("optimize", "--runs takes a number, such as 200; found '%s'", o->runs_text);
    return 0;
  }
  if (o->tolerance_text &&
      (!read_number(o->tolerance_text, &tolerance) || !(tolerance > 0 && tolerance < 1))) {
    complain("optimize", "--tolerance takes a number between 0 and 1, such as 1e-5; found '%s'",
             o->tolerance_text);
    return 0;
  }
  cps_optimize_effort(s->search, (int)runs, tolerance);
  if (!o->algorithm_name) return 1;
  nearest near = {.word = o->algorithm_name};
  for (int i = 0; i < N_ALGORITHMS; i++) {
    nearest_offer(&near, algorithms[i]);
    if (strcmp(algorithms[i], o->algorithm_name) == 0) {
      cps_optimize_algorithm(s->search, (cps_algorithm)i);
      return 1;
    }
  }
  complain("optimize", "there is no algorithm '%s'; did you mean '%s'? There are slsqp, mma, ccsa",
           o->algorithm_name, near.best);
  return 0;
}

/* The scenarios of all points of the study that --over names. */
static int read_samples(study *s) {
  const optimize_options *o = s->o;
  int how = CPS_ROBUST_MEAN;
  cps_error error = {0};
  while (o->robust && how <= CPS_ROBUST_WORST && strcmp(robusts[how], o->robust) != 0) how++;
  if (how > CPS_ROBUST_WORST || (o->robust && !o->over)) {
    complain("optimize",
             o->over ? "--robust takes mean or worst; found '%s'"
                     : "--robust %s: of which samples? --over takes a study",
             o->robust);
    return 0;
  }
  if (!o->over) return 1;
  cps_problems *problems = NULL;
  cps_study *points = cps_study_load(o->over, &problems);
  long long n = points ? cps_study_count(points) : 0;
  if (!points) problems_print(problems);
  int good = points != NULL;
  if (good && n > SAMPLES_MOST) {
    complain("optimize", "--over %s: %lld points are too many to run for each step; %d at most", o->over, n,
             SAMPLES_MOST);
    good = 0;
  }
  if (good && strcmp(cps_scenario_file(cps_study_scenario(points)), cps_scenario_file(s->scenario)) != 0) {
    complain("optimize", "--over %s: it is a study of '%s', not of '%s'", o->over,
             cps_scenario_file(cps_study_scenario(points)), cps_scenario_file(s->scenario));
    good = 0;
  }
  for (long long i = 0; i < n && good; i++) {
    cps_problems_free(problems);
    problems = NULL;
    s->samples = (cps_scenario **)grow((void *)s->samples, (size_t)s->n_samples + 1, sizeof *s->samples);
    s->samples[s->n_samples] = cps_study_scenario_at(points, i, &problems);
    good = s->samples[s->n_samples] != NULL;
    if (good)
      s->n_samples++;
    else
      problems_print(problems);
  }
  cps_problems_free(problems);
  cps_study_free(points);
  if (!good) return 0;
  if (cps_optimize_over(s->search, (const cps_scenario *const *)s->samples, s->n_samples, (cps_robust)how,
                        &error) == CPS_OK)
    return 1;
  problem_print("optimize", &error);
  return 0;
}

/* ---------------------------------------------------------------- for people */

/* The page that follows the search: parameters, the output, and how far limits are broken. */
static void watch_search(study *s) {
  const cps_optimize *o = s->search;
  const char *title = cps_scenario_title(s->scenario);
  trials_start(&s->seen, "optimize", title && *title ? title : cps_scenario_file(s->scenario),
               cps_scenario_file(s->scenario));
  for (int i = 0; i < cps_optimize_parameters(o); i++) {
    double min, max;
    cps_optimize_range(o, i, &min, &max);
    trials_column(&s->seen, "parameter", cps_optimize_parameter(o, i)->path,
                  cps_optimize_parameter(o, i)->unit, min, max);
  }
  trials_column(&s->seen, "output", cps_optimize_output(o, 0), "", NAN, NAN);
  trials_column(&s->seen, "output", "beyond its limits", "1", NAN, NAN);
}

static void note_trial(study *s, const cps_optimize_progress *now) {
  int n = cps_optimize_parameters(s->search);
  double *row = (double *)grow(NULL, (size_t)n + 2, sizeof *row);
  memcpy(row, now->values, (size_t)n * sizeof *row);
  row[n] = now->objective;
  row[n + 1] = now->violation;
  trials_add(&s->seen, row);
  free(row);
}

static int show(const cps_optimize_progress *now, void *data) {
  study *s = (study *)data;
  if (!now->run) note_trial(s, now);
  int stop = trials_tick(&s->seen);
  if (now->run) return progress_show(now->run, &s->bar) || stop;
  if (s->o->quiet || s->o->json) return progress_stopped() || stop;
  progress_clear(&s->bar);
  if (now->runs == 1) printf("  %4s %14s %12s   %s\n", "run", "output", "beyond", "parameters");
  printf("  %4d %14.8g %12.3g  ", now->runs, now->objective, now->violation);
  int n = cps_optimize_parameters(s->search);
  for (int i = 0; i < n && i < 6; i++) printf(" %.6g", now->values[i]);
  printf("%s\n", n > 6 ? " ..." : "");
  fflush(stdout);
  return progress_stopped() || stop;
}

static void limit_text(const cps_optimize *o, int i, char *text, size_t size) {
  double least, most;
  cps_optimize_limits(o, i, &least, &most);
  if (i == 0)
    snprintf(text, size, "least");
  else if (least == most)
    snprintf(text, size, "= %.6g", least);
  else if (isinf(least))
    snprintf(text, size, "< %.6g", most);
  else if (isinf(most))
    snprintf(text, size, "> %.6g", least);
  else
    snprintf(text, size, "%.4g .. %.4g", least, most);
}

static void print_found(const study *s) {
  const cps_optimize *o = s->search;
  char span[40], text[60];
  const char *title = cps_scenario_title(s->scenario);
  int widest = 10;
  for (int i = 0; i < cps_optimize_parameters(o); i++) {
    int n = (int)strlen(cps_optimize_parameter(o, i)->path);
    widest = n > widest ? n : widest;
  }
  for (int i = 0; i < cps_optimize_outputs(o); i++) {
    int n = (int)strlen(cps_optimize_output(o, i));
    widest = n > widest ? n : widest;
  }
  span_text(span, sizeof span, s->wall);
  printf("\n%s\n  %s after %d runs, %s\n",
         title && *title ? title : shown_name(cps_scenario_file(s->scenario)), cps_optimize_reason(o),
         cps_optimize_runs(o), span);
  if (s->n_samples > 0)
    printf("  outputs are the %s over %d samples; a run is one at each of them\n",
           s->o->robust ? s->o->robust : robusts[CPS_ROBUST_MEAN], s->n_samples);
  printf("\n  %-*s %14s %14s %16s  %s\n", widest, "output", "before", "after", "wanted", "unit");
  for (int i = 0; i < cps_optimize_outputs(o); i++) {
    limit_text(o, i, text, sizeof text);
    printf("  %-*s %14.7g %14.7g %16s  %s\n", widest, cps_optimize_output(o, i), cps_optimize_result(o, i, 0),
           cps_optimize_result(o, i, 1), i == 0 && s->o->maximise ? "most" : text, cps_optimize_unit(o, i));
  }
  printf("\n  %-*s %14s %14s %16s  %s\n", widest, "parameter", "before", "after", "bound", "unit");
  for (int i = 0; i < cps_optimize_parameters(o); i++) {
    double min, max, x = cps_optimize_value(o, i, 1);
    cps_optimize_range(o, i, &min, &max);
    printf("  %-*s %14.7g %14.7g %16s  %s\n", widest, cps_optimize_parameter(o, i)->path,
           cps_optimize_value(o, i, 0), x,
           x <= min   ? "at its least"
           : x >= max ? "at its most"
                      : "",
           cps_optimize_parameter(o, i)->unit);
  }
}

static void write_json(FILE *out, const void *data) {
  const study *s = (const study *)data;
  const cps_optimize *o = s->search;
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "title", cps_scenario_title(s->scenario));
  json_text(&w, "scenario", cps_scenario_file(s->scenario));
  json_text(&w, "hash", cps_scenario_hash(s->scenario));
  json_text(&w, "version", cps_version());
  json_bool(&w, "converged", cps_optimize_converged(o));
  json_text(&w, "reason", cps_optimize_reason(o));
  json_int(&w, "runs", cps_optimize_runs(o));
  if (s->n_samples > 0) {
    json_int(&w, "samples", s->n_samples);
    json_text(&w, "robust", s->o->robust ? s->o->robust : robusts[CPS_ROBUST_MEAN]);
  }
  json_bool(&w, "maximised", s->o->maximise != NULL);
  json_number(&w, "violation_before", cps_optimize_violation(o, 0));
  json_number(&w, "violation", cps_optimize_violation(o, 1));
  json_open(&w, "outputs", '[');
  for (int i = 0; i < cps_optimize_outputs(o); i++) {
    double least, most;
    cps_optimize_limits(o, i, &least, &most);
    json_open_flat(&w, NULL, '{');
    json_text(&w, "output", cps_optimize_output(o, i));
    json_text(&w, "unit", cps_optimize_unit(o, i));
    json_number(&w, "before", cps_optimize_result(o, i, 0));
    json_number(&w, "after", cps_optimize_result(o, i, 1));
    json_number(&w, "least", least);
    json_number(&w, "most", most);
    json_close(&w);
  }
  json_close(&w);
  json_open(&w, "parameters", '[');
  for (int i = 0; i < cps_optimize_parameters(o); i++) {
    double min, max;
    cps_optimize_range(o, i, &min, &max);
    json_open_flat(&w, NULL, '{');
    json_text(&w, "path", cps_optimize_parameter(o, i)->path);
    json_text(&w, "unit", cps_optimize_parameter(o, i)->unit);
    json_number(&w, "before", cps_optimize_value(o, i, 0));
    json_number(&w, "after", cps_optimize_value(o, i, 1));
    json_number(&w, "min", min);
    json_number(&w, "max", max);
    json_close(&w);
  }
  json_close(&w);
  json_open(&w, "warnings", '[');
  for (int i = 0; cps_optimize_warning(o, i); i++) json_text(&w, NULL, cps_optimize_warning(o, i));
  json_close(&w);
  json_number(&w, "wall_time", s->wall);
  json_close(&w);
  json_end(&w);
}

/* ---------------------------------------------------------------- files */

static void write_settings(FILE *out, const void *data) {
  const cps_optimize *o = ((const study *)data)->search;
  for (int i = 0; i < cps_optimize_parameters(o); i++) {
    char number[40];
    shortest_number(number, sizeof number, cps_optimize_value(o, i, 1));
    fprintf(out, "%s=%s\n", cps_optimize_parameter(o, i)->path, number);
  }
}

static int write_folder(const study *s, const char *folder) {
  study_run before = {0}, after = {0};
  cps_error error = {0};
  int status = results_prepare("optimize", folder, 1);
  if (status == STATUS_GOOD) status = study_file("optimize", folder, "optimum.json", write_json, s);
  if (status == STATUS_GOOD) status = study_file("optimize", folder, "settings.txt", write_settings, s);
  if (status != STATUS_GOOD) return status;
  if (!study_run_make(&before, cps_optimize_scenario(s->search, 0, &error), &error) ||
      !study_run_make(&after, cps_optimize_scenario(s->search, 1, &error), &error)) {
    problem_print("optimize", &error);
    study_run_free(&before);
    return study_status(&error);
  }
  status = study_write("optimize", folder, &after.all);
  if (status == STATUS_GOOD && !s->o->no_report) {
    char path[PATH_SIZE];
    report_source sources[2] = {report_source_of("before", &before.all),
                                report_source_of("after", &after.all)};
    snprintf(path, sizeof path, "%s/report.html", folder);
    status = report_write("optimize", path, 0, sources, 2);
  }
  study_run_free(&before);
  study_run_free(&after);
  return status;
}

/* ---------------------------------------------------------------- the command */

static int search_it(study *s, const char *folder) {
  cps_error error = {0};
  double began = seconds_now();
  if (s->o->watch) watch_search(s);
  progress_start(&s->bar, stderr, s->o->quiet);
  cps_status done = cps_optimize_run(s->search, show, s, &error);
  progress_end(&s->bar);
  trials_end(&s->seen, done == CPS_OK ? "complete" : "stopped");
  s->wall = seconds_now() - began;
  if (done != CPS_OK) {
    problem_print("optimize", &error);
    return study_status(&error);
  }
  if (s->o->json)
    write_json(stdout, s);
  else if (!s->o->quiet)
    print_found(s);
  fflush(stdout);
  for (int i = 0; cps_optimize_warning(s->search, i) && !s->o->json; i++)
    complain("optimize", "warning: %s", cps_optimize_warning(s->search, i));
  if (s->o->quiet && !s->o->json && !cps_optimize_converged(s->search))
    complain("optimize", "no minimum was found: %s", cps_optimize_reason(s->search));
  int status = write_folder(s, folder);
  if (status == STATUS_GOOD && !s->o->json && !s->o->quiet)
    printf("\n  results              %s/ (optimum.json, settings.txt%s)\n", shown_name(folder),
           s->o->no_report ? "" : ", report.html with both runs");
  return status != STATUS_GOOD ? status : cps_optimize_converged(s->search) ? STATUS_GOOD : STATUS_FAILED;
}

static int check_usage(const optimize_options *o, int n, char **argv) {
  if (n > 1)
    complain("optimize", "one file at a time, please: found '%s' after '%s'", argv[1], argv[0]);
  else if (n == 0)
    complain("optimize", "which file? capstan optimize FILE --minimize OUTPUT --parameters PATH:MIN:MAX");
  else if (!o->minimise == !o->maximise)
    complain("optimize", "what is to become least? --minimize takes one output, --maximize the opposite");
  else if (o->parameters.n == 0)
    complain("optimize",
             "what may change? --parameters takes paths of numbers, such as bodies.block.mass:1:5");
  else
    return 1;
  return 0;
}

int optimize_run(int argc, char **argv) {
  optimize_options o = {0};
  const option table[] = {
      {"minimize", 0, OPTION_TEXT, (void *)&o.minimise, "OUTPUT", "what is to become least"},
      {"maximize", 0, OPTION_TEXT, (void *)&o.maximise, "OUTPUT", "or most"},
      {"parameters", 'p', OPTION_LIST, &o.parameters, "PATH[:MIN:MAX],...", "what may change"},
      {"limit", 'l', OPTION_LIST, &o.limits, "'OUTPUT < X'", "what has to hold, as often as you like"},
      {"over", 0, OPTION_TEXT, (void *)&o.over, "STUDY", "a robust optimum: over all points of this study"},
      {"robust", 0, OPTION_TEXT, (void *)&o.robust, "HOW", "mean of the outputs over them, or worst; mean"},
      {"algorithm", 'a', OPTION_TEXT, (void *)&o.algorithm_name, "NAME", "slsqp, mma or ccsa"},
      {"runs", 0, OPTION_TEXT, (void *)&o.runs_text, "N", "at most so many runs; 200"},
      {"tolerance", 0, OPTION_TEXT, (void *)&o.tolerance_text, "X", "relative change at which it ends; 1e-5"},
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file, as often as you like"},
      {"output", 'o', OPTION_TEXT, (void *)&o.folder, "FOLDER",
       "where results go; FILE without its ending + .optimum"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"watch", 'w', OPTION_FLAG, &o.watch, NULL, "serve a page on this computer that follows the search"},
      {"no-report", 0, OPTION_FLAG, &o.no_report, NULL, "write no report.html"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("optimize", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  if (!check_usage(&o, n, argv)) return STATUS_USAGE;
  char folder[512];
  input_folder(argv[0], ".optimum", folder, sizeof folder);
  int status;
  cps_scenario *scenario = study_load(argv[0], &o.set, o.json, &status);
  if (!scenario) return status;
  study s = {.o = &o, .scenario = scenario};
  s.search = make_search(&s, &status);
  if (s.search) {
    int good = read_effort(&s) && read_samples(&s);
    for (int i = 0; i < o.limits.n && good; i++) good = read_limit(&s, o.limits.item[i]);
    status = good ? search_it(&s, o.folder ? o.folder : folder) : STATUS_USAGE;
  }
  cps_optimize_free(s.search);
  for (int i = 0; i < s.n_samples; i++) cps_scenario_free(s.samples[i]);
  free((void *)s.samples);
  cps_scenario_free(scenario);
  return status;
}
