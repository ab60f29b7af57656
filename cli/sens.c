/* sens.c - capstan sens: derivatives of outputs of a run with respect to parameters, as a table, as JSON, and over time. */
#include "cli.h"
#include "problems.h"
#include "progress.h"
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {[CPS_SENS_AUTO] = "auto",
                                      [CPS_SENS_FORWARD] = "forward",
                                      [CPS_SENS_ADJOINT] = "adjoint",
                                      [CPS_SENS_DIFFERENCES] = "differences"};

enum { N_METHODS = sizeof methods / sizeof methods[0] };

typedef struct sens_options {
  int help, json, quiet, no_report;
  const char *folder, *method_name;
  cps_sens_method method;
  text_list set, wrt, of;
} sens_options;

static void print_help(const option *table, int n) {
  printf(
      "capstan sens - derivatives of outputs of a run with respect to parameters\n\n"
      "Usage: capstan sens FILE --wrt PATH,... [--of OUTPUT,...] [-o FOLDER]\n\n"
      "A parameter is any number of the file, by its path as --set writes it. An output is a column of the\n"
      "result at the end of the run, or\n"
      "  COLUMN@T            its value at time T             bodies.block.x@0.5\n"
      "  max(COLUMN)         its largest value; min, mean, rms, integral alike\n"
      "  square(COLUMN, X)   integral of (COLUMN - X)^2 over time\n"
      "  max(COLUMN, A, B)   the same from time A to time B\n"
      "  event(N)            time of the N-th event; event(CONTACT, N) of those of one contact\n"
      "With -o the derivatives of all columns over time go into result.h5 and report.html.\n\nOptions:\n");
  options_help(stdout, table, n);
  printf(
      "\nExamples:\n"
      "  capstan sens block.yaml --wrt bodies.block.mass,springs.spring.stiffness --of bodies.block.x@5\n"
      "  capstan sens pulley.yaml --wrt cables.rope.EA --of 'max(cables.rope.tension_max)' -o pulley.sens\n");
}

/* ---------------------------------------------------------------- for people */

/* Share of change of the output per share of change of the parameter. */
static double relative(const cps_sens *s, int of, int wrt) {
  double y = cps_sens_value(s, of);
  return y != 0 ? cps_sens_gradient(s, of, wrt) * cps_sens_parameter(s, wrt)->value / y : NAN;
}

static void print_table(const cps_scenario *scenario, const cps_sens *s, double wall) {
  const char *title = cps_scenario_title(scenario);
  char span[40], number[40], unit[160];
  int widest = 9;
  span_text(span, sizeof span, wall);
  for (int p = 0; p < cps_sens_parameters(s); p++) {
    int n = (int)strlen(cps_sens_parameter(s, p)->path);
    widest = n > widest ? n : widest;
  }
  printf("%s\n", title && *title ? title : shown_name(cps_scenario_file(scenario)));
  printf("  %s, %s\n",
         cps_sens_used(s) == CPS_SENS_DIFFERENCES ? "differences of whole runs" : methods[cps_sens_used(s)],
         span);
  for (int i = 0; i < cps_sens_outputs(s); i++) {
    number_or_dash(number, sizeof number, "%.9g", cps_sens_value(s, i));
    const char *u = cps_sens_unit(s, i);
    printf("\n  %s = %s %s\n", cps_sens_output(s, i), number, strcmp(u, "1") == 0 ? "" : u);
    printf("    %-*s %16s %16s %12s  %s\n", widest, "by", "at", "derivative", "relative",
           "unit of derivative");
    for (int p = 0; p < cps_sens_parameters(s); p++) {
      const cps_quantity *q = cps_sens_parameter(s, p);
      char slope[40], share[40];
      cps_sens_ratio(unit, sizeof unit, u, q->unit);
      printf("    %-*s %16.9g %16s %12s  %s\n", widest, q->path, q->value,
             number_or_dash(slope, sizeof slope, "%.9g", cps_sens_gradient(s, i, p)),
             number_or_dash(share, sizeof share, "%.3g", relative(s, i, p)), unit);
    }
  }
}

static void write_json(FILE *out, const cps_scenario *scenario, const cps_sens *s, double wall) {
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "title", cps_scenario_title(scenario));
  json_text(&w, "scenario", cps_scenario_file(scenario));
  json_text(&w, "hash", cps_scenario_hash(scenario));
  json_text(&w, "version", cps_version());
  json_text(&w, "method", methods[cps_sens_used(s)]);
  json_open(&w, "parameters", '[');
  for (int p = 0; p < cps_sens_parameters(s); p++) {
    const cps_quantity *q = cps_sens_parameter(s, p);
    json_open_flat(&w, NULL, '{');
    json_text(&w, "path", q->path);
    json_text(&w, "unit", q->unit);
    json_number(&w, "value", q->value);
    json_close(&w);
  }
  json_close(&w);
  json_open(&w, "outputs", '[');
  for (int i = 0; i < cps_sens_outputs(s); i++) {
    json_open(&w, NULL, '{');
    json_text(&w, "output", cps_sens_output(s, i));
    json_text(&w, "unit", cps_sens_unit(s, i));
    json_number(&w, "value", cps_sens_value(s, i));
    json_open(&w, "derivatives", '[');
    for (int p = 0; p < cps_sens_parameters(s); p++) {
      char unit[160];
      cps_sens_ratio(unit, sizeof unit, cps_sens_unit(s, i), cps_sens_parameter(s, p)->unit);
      json_open_flat(&w, NULL, '{');
      json_text(&w, "path", cps_sens_parameter(s, p)->path);
      json_number(&w, "derivative", cps_sens_gradient(s, i, p));
      json_text(&w, "unit", unit);
      json_number(&w, "relative", relative(s, i, p));
      json_close(&w);
    }
    json_close(&w);
    json_close(&w);
  }
  json_close(&w);
  json_open(&w, "warnings", '[');
  for (int i = 0; cps_sens_warning(s, i); i++) json_text(&w, NULL, cps_sens_warning(s, i));
  json_close(&w);
  json_number(&w, "wall_time", wall);
  json_close(&w);
  json_end(&w);
}

/* ---------------------------------------------------------------- files */

typedef struct found {
  const cps_scenario *scenario;
  const cps_sens *sens;
  double wall;
} found;

static void write_found(FILE *out, const void *data) {
  const found *f = (const found *)data;
  write_json(out, f->scenario, f->sens, f->wall);
}

static int write_folder(const sens_options *o, const found *f) {
  cps_error error = {0};
  cps_result *r = cps_sens_with_histories(f->sens, &error);
  if (!r) {
    problem_print("sens", &error);
    return STATUS_FAILED;
  }
  outcome all = {.scenario = f->scenario,
                 .result = r,
                 .settings = o->set.item,
                 .n_settings = o->set.n,
                 .status = "complete",
                 .wall = f->wall};
  int status = study_write("sens", o->folder, &all);
  if (status == STATUS_GOOD) status = study_file("sens", o->folder, "sensitivities.json", write_found, f);
  if (status == STATUS_GOOD && !o->no_report) {
    char label[256];
    report_label(label, sizeof label, o->folder);
    report_source source = report_source_of(label, &all);
    int n = cps_sens_outputs(f->sens);
    source.focus = (const char **)grow(NULL, (size_t)n + 1, sizeof *source.focus);
    for (int i = 0; i < n; i++) {
      const char *column = cps_sens_output_column(f->sens, i);
      if (column) source.focus[source.n_focus++] = column;
    }
    char path[4200];
    snprintf(path, sizeof path, "%s/report.html", o->folder);
    status = report_write("sens", path, 0, &source, 1);
    free((void *)source.focus);
  }
  cps_result_free(r);
  return status;
}

/* ---------------------------------------------------------------- the command */

/* Who wants histories gets them, unless there are none. */
static cps_status run_it(cps_sens *s, const sens_options *o, progress *bar, cps_error *err) {
  if (o->folder && o->method == CPS_SENS_AUTO) {
    cps_error refused = {0};
    cps_status status = cps_sens_run(s, CPS_SENS_FORWARD, progress_show, bar, &refused);
    if (status == CPS_OK) return status;
    if (status != CPS_BAD_INPUT) {
      *err = refused;
      return status;
    }
  }
  return cps_sens_run(s, o->method, progress_show, bar, err);
}

static int differentiate(const cps_scenario *scenario, const sens_options *o, const words *wrt,
                         const words *of) {
  cps_error error = {0};
  cps_sens *s = cps_sens_new(scenario, (const char *const *)wrt->item, wrt->n, (const char *const *)of->item,
                             of->n, &error);
  if (!s) {
    problem_print("sens", &error);
    return study_status(&error);
  }
  progress bar;
  progress_start(&bar, stderr, o->quiet);
  cps_status status = run_it(s, o, &bar, &error);
  double wall = seconds_now() - bar.started;
  progress_end(&bar);
  int exit_status = STATUS_GOOD;
  if (status != CPS_OK) {
    problem_print("sens", &error);
    exit_status = study_status(&error);
  } else {
    found f = {scenario, s, wall};
    if (o->json)
      write_json(stdout, scenario, s, wall);
    else if (!o->quiet)
      print_table(scenario, s, wall);
    if (o->folder) exit_status = write_folder(o, &f);
    fflush(stdout);
    for (int i = 0; cps_sens_warning(s, i) && !o->json; i++)
      complain("sens", "warning: %s", cps_sens_warning(s, i));
    if (o->folder && exit_status == STATUS_GOOD && !o->json && !o->quiet)
      printf("\n  over time            %s/ (result.h5, sensitivities.json%s)\n", shown_name(o->folder),
             o->no_report ? "" : ", report.html");
  }
  cps_sens_free(s);
  return exit_status;
}

static int find_method(sens_options *o) {
  if (!o->method_name) return 1;
  nearest near = {.word = o->method_name};
  for (int i = 0; i < N_METHODS; i++) {
    if (strcmp(methods[i], o->method_name) == 0) {
      o->method = (cps_sens_method)i;
      return 1;
    }
    nearest_offer(&near, methods[i]);
  }
  complain("sens",
           "there is no method '%s'; did you mean '%s'? There are auto, forward, adjoint, differences",
           o->method_name, near.best);
  return 0;
}

static int check_usage(sens_options *o, int n, char **argv, words *wrt, words *of) {
  if (n != 1) {
    if (n == 0)
      complain("sens", "which file? capstan sens FILE --wrt PATH --of OUTPUT");
    else
      complain("sens", "one file at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    return 0;
  }
  for (int i = 0; i < o->wrt.n; i++) words_split(wrt, o->wrt.item[i]);
  for (int i = 0; i < o->of.n; i++) words_split(of, o->of.item[i]);
  words_once(wrt);
  words_once(of);
  if (wrt->n == 0) {
    complain("sens", "with respect to what? --wrt takes the path of a number, such as bodies.block.mass");
    return 0;
  }
  if (of->n == 0 && !o->folder) {
    complain("sens",
             "of what? --of takes an output, such as bodies.block.x; or -o a folder for all histories");
    return 0;
  }
  return find_method(o);
}

int sens_run(int argc, char **argv) {
  sens_options o = {0};
  const option table[] = {
      {"wrt", 'w', OPTION_LIST, &o.wrt, "PATH,...", "parameters to differentiate by"},
      {"of", 'y', OPTION_LIST, &o.of, "OUTPUT,...", "outputs to differentiate"},
      {"method", 'm', OPTION_TEXT, (void *)&o.method_name, "NAME",
       "auto (what costs least), forward, adjoint, differences"},
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file, as often as you like"},
      {"output", 'o', OPTION_TEXT, (void *)&o.folder, "FOLDER", "derivatives over time, and a report"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"no-report", 0, OPTION_FLAG, &o.no_report, NULL, "write no report.html"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("sens", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  words wrt = {0}, of = {0};
  int status = STATUS_USAGE;
  if (check_usage(&o, n, argv, &wrt, &of)) {
    cps_scenario *scenario = study_load(argv[0], &o.set, o.json, &status);
    if (scenario && o.folder) status = results_prepare("sens", o.folder, 1);
    if (scenario && status == STATUS_GOOD) status = differentiate(scenario, &o, &wrt, &of);
    cps_scenario_free(scenario);
  }
  words_free(&wrt);
  words_free(&of);
  return status;
}
