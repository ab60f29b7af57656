/* run.c - capstan run: simulates a scenario file, writes a result folder, and says what matters. */
#include "cli.h"
#include "options.h"
#include "problems.h"
#include "progress.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 12 };

typedef struct run_options {
  int help, json, quiet;
  const char *folder;
  text_list set;
} run_options;

static void print_help(FILE *out, const option *table, int n) {
  fprintf(out, "Usage: capstan run FILE [-o FOLDER] [--set PATH=VALUE]... [--json] [--quiet]\n\n"
               "Simulates a scenario file and writes a folder with series.csv (everything over time),\n"
               "events.csv (stick-slip transitions), summary.json and a copy of the scenario.\n\nOptions:\n");
  options_help(out, table, n);
  fprintf(out,
          "\nExamples:\n"
          "  capstan run block.yaml\n"
          "  capstan run block.yaml --set contacts.belt.friction.mu_s=0.9 --set run.until='20 s' -o more\n"
          "  capstan run block.yaml --json | jq .energy\n");
}

/* Says what is wrong with the file: to people, or as the document that was asked for. */
static int refuse(const char *file, const cps_problems *problems, int as_json) {
  if (as_json) {
    json w = json_start(stdout);
    json_open(&w, NULL, '{');
    json_text(&w, "status", "bad input");
    json_text(&w, "scenario", file);
    problems_json(&w, "problems", problems);
    json_close(&w);
    json_end(&w);
  } else {
    problems_print(problems);
  }
  return problems_status(problems);
}

/* "dir/block.yaml" gives "block.results". */
static void default_folder(const char *file, char *folder, size_t size) {
  const char *name = strrchr(file, '/');
  name = name ? name + 1 : file;
  const char *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(folder, size, "%.*s.results", length, name);
}

/* ---------------------------------------------------------------- what matters */

/* The last value of a column "kind.name.what"; NaN if there is none. */
static double end_value(const cps_result *r, const char *kind, const char *name, const char *what) {
  char column[2 * NAME_MAX_LENGTH];
  snprintf(column, sizeof column, "%s.%s.%s", kind, name, what);
  int c = cps_result_find(r, column);
  long last = cps_result_rows(r) - 1;
  return c >= 0 && last >= 0 ? cps_result_data(r, c)[last] + 0.0 : NAN; /* + 0.0: no minus zero */
}

static void print_bodies(const outcome *o) {
  const cps_scenario *s = o->scenario;
  int shown = 0, bodies = 0;
  for (int i = 0; i < s->n_bodies; i++) bodies += s->bodies[i].kind != BODY_SURFACE;
  for (int i = 0; i < s->n_bodies && shown < LINES_SHOWN; i++) {
    const scenario_body *b = &s->bodies[i];
    if (b->kind == BODY_SURFACE) continue;
    if (!shown++) printf("\n  %-20s %16s %16s\n", "at the end", "position [m]", "velocity [m/s]");
    double x = end_value(o->result, "bodies", b->name, "x");
    if (b->kind == BODY_PLANE) {
      printf("  %-20s %16.9g %16.9g\n", b->name, x, end_value(o->result, "bodies", b->name, "vx"));
      printf("  %-20s %16.9g %16.9g\n", "", end_value(o->result, "bodies", b->name, "y"),
             end_value(o->result, "bodies", b->name, "vy"));
    } else {
      printf("  %-20s %16.9g %16.9g\n", b->name, x, end_value(o->result, "bodies", b->name, "v"));
    }
  }
  if (bodies > shown) printf("  and %d more in summary.json\n", bodies - shown);
}

static void print_contacts(const outcome *o) {
  const cps_scenario *s = o->scenario;
  for (int i = 0; i < s->n_contacts && i < LINES_SHOWN; i++) {
    const char *name = s->contacts[i].name;
    if (i == 0) printf("\n  %-20s %16s %16s %12s\n", "contact", "force [N]", "dissipated [J]", "transitions");
    double slips = end_value(o->result, "contacts", name, "slips");
    printf("  %-20s %16.9g %16.9g %12ld %8s\n", name, end_value(o->result, "contacts", name, "f"),
           end_value(o->result, "contacts", name, "work"), transitions_of(o->result, i),
           slips > 0 ? "slips" : "sticks");
  }
  if (s->n_contacts > LINES_SHOWN) printf("  and %d more in summary.json\n", s->n_contacts - LINES_SHOWN);
}

static void print_summary(const outcome *o, const char *folder) {
  cps_energy e;
  cps_counters n;
  cps_result_energy(o->result, &e);
  cps_result_counters(o->result, &n);
  char wall[40];
  span_text(wall, sizeof wall, o->wall);
  const char *title = cps_scenario_title(o->scenario);
  long rows = cps_result_rows(o->result);
  printf("%s\n", title && *title ? title : o->scenario->file);
  printf("  %s: %.9g s to %.9g s in %s, %ld steps, %ld rejected, %ld evaluations\n", o->scenario->run.solver,
         o->scenario->run.from, rows ? cps_result_data(o->result, 0)[rows - 1] : o->scenario->run.from, wall,
         n.steps, n.rejected, n.evaluations);
  print_bodies(o);
  print_contacts(o);
  printf("\n  transitions          %16ld\n", cps_result_events(o->result));
  printf("  friction work        %16.9g J\n", e.friction);
  if (e.created != 0) printf("  created from nothing %16.9g J\n", e.created);
  printf("  energy closing error %16.2g J, %.1g of the largest energy\n", e.error, closing_error(&e));
  printf("  results              %s/ (series.csv with %ld rows, events.csv, summary.json, scenario.yaml)\n",
         folder, rows);
}

/* ---------------------------------------------------------------- running */

/* Simulates a scenario that has been read, and writes and prints what came of it. */
static int simulate(const cps_scenario *scenario, const run_options *o, const char *folder) {
  cps_error error = {.time = NAN};
  cps_system *system = cps_system_new(scenario, &error);
  cps_simulation *sim = system ? cps_simulation_new(system, &error) : NULL;
  if (!sim) {
    complain("run", "%s", error.text);
    cps_system_free(system);
    return STATUS_FAILED;
  }
  progress bar;
  progress_start(&bar, stderr, o->quiet);
  cps_status status = cps_simulation_run(sim, progress_show, &bar, &error);
  double wall = seconds_now() - bar.started;
  progress_end(&bar);

  int stopped = status != CPS_OK && progress_stopped();
  outcome all = {.scenario = scenario,
                 .result = cps_simulation_result(sim),
                 .settings = o->set.item,
                 .n_settings = o->set.n,
                 .status = status == CPS_OK ? "complete"
                           : stopped        ? "stopped"
                                            : "failed",
                 .error = status == CPS_OK ? NULL : &error,
                 .wall = wall};
  int exit_status = status == CPS_OK ? STATUS_GOOD : status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_FAILED;
  int written = results_write("run", folder, &all);
  if (o->json)
    summary_write(stdout, &all);
  else if (!o->quiet && written == STATUS_GOOD)
    print_summary(&all, folder);
  if (status != CPS_OK) {
    fflush(stdout);
    complain("run", "%s: %s%s%s", stopped ? "stopped" : cps_status_name(status), error.text,
             written == STATUS_GOOD ? "; what was computed until then is in " : "",
             written == STATUS_GOOD ? folder : "");
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  return written != STATUS_GOOD ? written : exit_status;
}

int run_run(int argc, char **argv) {
  run_options o = {0};
  const option table[] = {
      {"output", 'o', OPTION_TEXT, (void *)&o.folder, "FOLDER",
       "where the results go; FILE without its ending + .results"},
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file, as often as you like"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print the summary as one JSON document"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("run", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(stdout, table, n_options);
    return STATUS_GOOD;
  }
  if (n != 1) {
    if (n == 0)
      complain("run", "which file? capstan run FILE");
    else
      complain("run", "one file at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    return STATUS_USAGE;
  }
  char folder[512];
  default_folder(argv[0], folder, sizeof folder);
  const char *where_to = o.folder ? o.folder : folder;

  cps_problems *problems = NULL;
  cps_scenario *scenario = cps_scenario_load(argv[0], o.set.item, o.set.n, &problems);
  if (!scenario) {
    int status = refuse(argv[0], problems, o.json);
    cps_problems_free(problems);
    return status;
  }
  cps_problems_free(problems);
  int status = results_prepare("run", where_to);
  if (status == STATUS_GOOD) status = simulate(scenario, &o, where_to);
  cps_scenario_free(scenario);
  return status;
}
