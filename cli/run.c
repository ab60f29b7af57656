/* run.c - capstan run: simulates a scenario file, writes a result folder, and says what matters. */
#include "cli.h"
#include "cost.h"
#include "export.h"
#include "input.h"
#include "options.h"
#include "problems.h"
#include "progress.h"
#include "recording.h"
#include "report.h"
#include "result_files.h"
#include "result_open.h"
#include "watch.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { LINES_SHOWN = 12 };

/* From this size on, people want to know what a run will write before it does [bytes]. */
#define LARGE 2e8

typedef struct run_options {
  int help, json, quiet, no_report, watch;
  const char *folder, *resume, *flush;
  double every; /* [s] */
  text_list set;
} run_options;

static void print_help(FILE *out, const option *table, int n) {
  fprintf(
      out,
      "Usage: capstan run FILE [-o FOLDER] [--set PATH=VALUE]... [--json] [--quiet]\n"
      "       capstan run --resume FOLDER [--json] [--quiet]\n\n"
      "Simulates a scenario file and writes a folder with result.h5 (everything, from the first second\n"
      "on), report.html to look at, summary.json, a copy of the scenario, and series.csv and events.csv if\n"
      "they are small. FILE may be - for standard input.\n"
      "A run that was interrupted goes on with --resume, and ends as if nothing had happened.\n\n"
      "Options:\n");
  options_help(out, table, n);
  fprintf(out,
          "\nExamples:\n"
          "  capstan run block.yaml\n"
          "  capstan run block.yaml --set contacts.belt.friction.mu_s=0.9 --set run.until='20 s' -o more\n"
          "  capstan run block.yaml --json | jq .energy\n"
          "  capstan run block.yaml --watch                       # then open the address that it says\n"
          "  capstan run --resume block.results\n");
}

/* ---------------------------------------------------------------- what matters */

/* The last value of a column "kind.name.what"; NaN if there is none. */
static double end_value(const cps_result *r, const char *kind, const char *name, const char *what) {
  char column[2 * CPS_NAME_ROOM];
  snprintf(column, sizeof column, "%s.%s.%s", kind, name, what);
  int c = cps_result_find(r, column);
  long last = cps_result_rows(r) - 1;
  return c >= 0 && last >= 0 ? cps_result_data(r, c)[last] + 0.0 : NAN; /* + 0.0: no minus zero */
}

static void print_bodies(const outcome *o) {
  int shown = 0;
  cps_contents has;
  cps_body b;
  cps_scenario_contents(o->scenario, &has);
  for (int i = 0; i < has.bodies && shown < LINES_SHOWN; i++) {
    cps_scenario_body_at(o->scenario, i, &b);
    int moves_freely = strcmp(b.kind, "plane") == 0;
    if (isnan(end_value(o->result, "bodies", b.name, "x"))) continue; /* not recorded */
    if (!shown++) printf("\n  %-20s %16s %16s\n", "at the end", "position [m]", "velocity [m/s]");
    static const char *const places[] = {"x", "y", "z"}, *const rates[] = {"vx", "vy", "vz"};
    for (int d = 0; d < (moves_freely ? 3 : 1); d++) {
      double at = end_value(o->result, "bodies", b.name, places[d]);
      double rate = end_value(o->result, "bodies", b.name, moves_freely ? rates[d] : "v");
      if (!isnan(at)) printf("  %-20s %16.9g %16.9g\n", d ? "" : b.name, at, rate);
    }
  }
  if (has.bodies > shown && shown > 0) printf("  and %d more in summary.json\n", has.bodies - shown);
}

static void print_contacts(const outcome *o) {
  int shown = 0;
  cps_contents has;
  cps_contact c;
  cps_scenario_contents(o->scenario, &has);
  for (int i = 0; i < LINES_SHOWN && cps_scenario_contact_at(o->scenario, i, &c) == CPS_OK; i++) {
    const char *name = c.name;
    if (isnan(end_value(o->result, "contacts", name, "f"))) continue; /* not recorded */
    if (!shown++)
      printf("\n  %-20s %16s %16s %12s\n", "contact", "force [N]", "dissipated [J]", "transitions");
    double slips = end_value(o->result, "contacts", name, "slips");
    const char *state = isnan(slips) ? "" : slips > 0 ? "slips" : "sticks";
    printf("  %-20s %16.9g %16.9g %12ld %8s\n", name, end_value(o->result, "contacts", name, "f"),
           end_value(o->result, "contacts", name, "work"), transitions_of(o->result, i), state);
  }
  if (has.contacts > LINES_SHOWN) printf("  and %d more in summary.json\n", has.contacts - LINES_SHOWN);
}

/* Cables on their drums: what a winch engineer asks first. */
static void print_cables(const outcome *o) {
  const cps_scenario *s = o->scenario;
  cps_cable c;
  cps_drum d;
  for (int i = 0, shown = 0; cps_scenario_cable_at(s, i, &c) == CPS_OK; i++) {
    for (int k = 0; shown < LINES_SHOWN; k++) {
      if (cps_scenario_drum_at(s, cps_scenario_wrap(s, i, k), &d) != CPS_OK) break;
      const char *drum = d.name;
      char kind[16 + CPS_NAME_ROOM];
      snprintf(kind, sizeof kind, "cables.%s", c.name);
      if (!shown++)
        printf("\n  %-24s %10s %12s %12s %10s %14s\n", "cable on drum", "wrap", "tension [N]", "[N]", "slips",
               "slip work [J]");
      char where[2 * CPS_NAME_ROOM];
      snprintf(where, sizeof where, "%s on %s", c.name, drum);
      double wrap = end_value(o->result, kind, drum, "wrap"),
             slip = end_value(o->result, kind, drum, "slip_arc");
      printf("  %-24s %6.1f deg %12.5g %12.5g %8.0f %% %14.6g\n", where, wrap * 57.29577951308232,
             end_value(o->result, kind, drum, "t_in"), end_value(o->result, kind, drum, "t_out"),
             wrap > 0 ? 100 * slip / wrap : 0, end_value(o->result, kind, drum, "slip_work"));
    }
  }
  for (int i = 0; i < LINES_SHOWN && cps_scenario_drum_at(s, i, &d) == CPS_OK; i++) {
    if (i == 0) printf("\n  %-24s %14s %16s %16s\n", "drum", "angle [rad]", "rate [rad/s]", "torque [N m]");
    const char *name = d.name;
    printf("  %-24s %14.6g %16.6g %16.6g\n", name, end_value(o->result, "drums", name, "angle"),
           end_value(o->result, "drums", name, "rate"), end_value(o->result, "drums", name, "torque"));
  }
}

static void print_summary(const outcome *o, const char *folder) {
  cps_energy e;
  cps_counters n;
  cps_result_energy(o->result, &e);
  cps_result_counters(o->result, &n);
  char wall[40];
  span_text(wall, sizeof wall, o->wall);
  const char *title = cps_scenario_title(o->scenario);
  cps_contents run;
  cps_scenario_contents(o->scenario, &run);
  long rows = cps_result_rows(o->result);
  printf("%s\n", title && *title ? title : shown_name(cps_scenario_file(o->scenario)));
  printf("  %s: %.9g s to %.9g s in %s, %ld steps, %ld rejected, %ld evaluations\n", run.solver, run.from,
         rows ? cps_result_data(o->result, 0)[rows - 1] : run.from, wall, n.steps, n.rejected, n.evaluations);
  print_bodies(o);
  print_contacts(o);
  print_cables(o);
  printf("\n  transitions          %16ld\n", cps_result_events(o->result));
  printf("  friction work        %16.9g J\n", e.friction);
  if (e.created != 0) printf("  created from nothing %16.9g J\n", e.created);
  if (isfinite(e.error)) /* else it has said what is too large */
    printf("  energy closing error %16.2g J, %.1g of the largest energy\n", e.error, closing_error(&e));
  if (e.solver != 0)
    printf("  lost by the solver   %16.2g J, %.1g of the largest energy\n", e.solver,
           e.scale > 0 ? fabs(e.solver) / e.scale : 0);
  char cost[200];
  cost_text(cost, sizeof cost);
  printf("  processor time       %s\n", cost);
  printf("  results              %s/ (result.h5 with %ld rows, summary.json%s)\n", shown_name(folder), rows,
         series_is_small(o->result) ? ", series.csv, events.csv" : "");
}

/* ---------------------------------------------------------------- running */

/* What is called while a run goes on. */
typedef struct watch {
  progress bar;
  recording *record;
  watch_server *page; /* NULL: no live page */
  outcome now;        /* for the page */
  int stopped;        /* the viewer asked for it */
} watch;

/* What the page shows of a run. */
static report_source shown(const watch *w, char label[256]) {
  report_label(label, 256, w->record->folder);
  return report_source_of(label, &w->now);
}

static int look(const cps_progress *now, void *data) {
  watch *w = (watch *)data;
  int stop = progress_show(now, &w->bar);
  if (w->page) {
    char label[256];
    w->now.wall = seconds_now() - w->bar.started;
    report_source source = shown(w, label);
    if (watch_tick(w->page, watch_encode_run, &source)) stop = w->stopped = 1;
  }
  return !recording_tick(w->record) || stop;
}

static void size_text(char *text, size_t size, double bytes) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  int i = 0;
  for (; bytes >= 1000 && i < 5; i++) bytes /= 1000;
  snprintf(text, size, bytes < 10 && i > 0 ? "%.1f %s" : "%.0f %s", bytes, units[i]);
}

/* Says beforehand what a large run is going to write, and whether there is room for it. */
static void announce(const cps_scenario *scenario, const cps_result *result, const char *folder) {
  double rows, frames, bytes = cps_result_size(scenario, result, &rows, &frames);
  char text[40], room[40], along[60] = "";
  struct statvfs disk;
  if (bytes < LARGE) return;
  size_text(text, sizeof text, bytes);
  if (frames > 0) snprintf(along, sizeof along, " and %.0f frames along the cables", frames);
  fprintf(stderr,
          "capstan run: %.0f rows of %d columns%s: up to %s before compression (outputs.every, "
          "outputs.columns and "
          "outputs.fields record less)\n",
          rows, cps_result_columns(result), along, text);
  if (statvfs(folder, &disk) != 0) return;
  double left = (double)disk.f_bavail * (double)disk.f_frsize;
  if (left >= bytes) return;
  size_text(room, sizeof room, left);
  fprintf(stderr, "capstan run: the disk of '%s' has %s left\n", shown_name(folder), room);
}

/* Takes up where a checkpoint left off: state, and what had been recorded. */
static int take_up(cps_simulation *sim, const interrupted *from, const char *folder, cps_error *err) {
  cps_extent before;
  if (from->size == 0) return 1; /* it has not begun */
  if (cps_simulation_restore(sim, from->state, from->size, &before, err) != CPS_OK) return 0;
  if (before.rows == 0 && before.events == 0 && before.frames == 0) return 1;
  cps_result *old = result_open(folder, err);
  int good = old && cps_result_refill(sim, old, before, err) == CPS_OK;
  cps_result_free(old);
  return good;
}

/* Writes what there is at the end, and says it; so many of the warnings have been said. */
static int conclude(const outcome *all, recording *record, const run_options *o, cps_status status,
                    int stopped, int said) {
  const char *folder = record->folder;
  int exit_status = status == CPS_OK ? STATUS_GOOD : status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_FAILED;
  cost_turn(COST_RESULT);
  char *summary = summary_text(all);
  if (!summary && !record->failed) {
    record->failed = 1;
    snprintf(record->error.text, sizeof record->error.text, "out of memory for the summary");
  }
  int written = recording_end(record, all->status, summary) ? STATUS_GOOD : STATUS_IO;
  cost_turn(COST_REPORT);
  int reports = !o->no_report && !record->grown;
  if (written == STATUS_GOOD && reports) written = report_write_run("run", folder, all);
  cost_turn(COST_SERIES);
  if (written == STATUS_GOOD) written = results_write("run", folder, all);
  cost_turn(COST_PROGRAM);
  free(summary);
  if (record->failed) complain("run", "%s", record->error.text);
  /* What failed would fail again; what was stopped, or had no room, can go on. */
  int goes_on = stopped || written != STATUS_GOOD;
  if (!goes_on) recording_forget(record);
  if (o->json)
    summary_write(stdout, all);
  else if (!o->quiet && written == STATUS_GOOD)
    print_summary(all, folder);
  if (!o->json && !o->quiet && written == STATUS_GOOD && reports)
    printf("  to look at           %s/report.html\n", shown_name(folder));
  fflush(stdout);
  /* those of the system stand first */
  for (int i = said; cps_result_warning(all->result, i); i++)
    complain("run", "warning: %s", cps_result_warning(all->result, i));
  if (status != CPS_OK && !record->failed) {
    int placed = all->error->line > 0;
    if (placed) problem_print("run", all->error);
    complain("run", "%s%s%s%s%s", stopped ? "stopped" : cps_status_name(status), placed ? "" : ": ",
             placed ? "" : all->error->text,
             written == STATUS_GOOD ? "; what was computed until then is in " : "",
             written == STATUS_GOOD ? folder : "");
  }
  if (goes_on) complain("run", "to go on: capstan run --resume %s", folder);
  return written != STATUS_GOOD ? written : exit_status;
}

/* A run that could not even start, as the document that was asked for. */
static void print_failure(const cps_scenario *scenario, const cps_error *error) {
  json w = json_start(stdout);
  json_open(&w, NULL, '{');
  json_text(&w, "title", cps_scenario_title(scenario));
  json_text(&w, "status", "failed");
  json_open(&w, "error", '{');
  json_text(&w, "status", cps_status_name(error->status));
  json_text(&w, "file", *error->file ? error->file : NULL);
  if (error->line > 0) {
    json_int(&w, "line", error->line);
    json_int(&w, "column", error->column);
  }
  json_text(&w, "key", *error->key ? error->key : NULL);
  json_number(&w, "time", error->time);
  json_text(&w, "text", error->text);
  json_close(&w);
  json_text(&w, "scenario", cps_scenario_file(scenario));
  json_text(&w, "hash", cps_scenario_hash(scenario));
  json_close(&w);
  json_end(&w);
}

/* Simulates a scenario that has been read, and writes and prints what came of it. */
static int simulate(const cps_scenario *scenario, const run_options *o, const char *folder,
                    const interrupted *from) {
  cps_error error = {.time = NAN};
  cps_contents has;
  int intended = 0;
  cps_scenario_contents(scenario, &has);
  recording record = {.folder = folder, .every = o->every, .no_report = o->no_report};
  record.source = (cps_result_source){.scenario = scenario, .status = "running"};
  if (from) snprintf(record.origin, sizeof record.origin, "%s", from->origin);
  if (!from && !recording_intend(&record, &intended)) {
    complain("run", "%s", record.error.text);
    return STATUS_IO;
  }
  cps_system *system = cps_system_new(scenario, &error);
  cps_simulation *sim = system ? cps_simulation_new(system, &error) : NULL;
  if (sim) cps_simulation_rows_in(sim, folder);
  int said = 0;
  for (; sim && cps_system_warning(system, said); said++)
    complain("run", "warning: %s", cps_system_warning(system, said));
  cost_turn(COST_START);
  int good = sim && (from ? take_up(sim, from, folder, &error) : cps_simulation_start(sim, &error) == CPS_OK);
  if (!good) {
    if (intended) recording_forget(&record);
    if (o->json)
      print_failure(scenario, &error);
    else
      problem_print("run", &error);
    cps_simulation_free(sim);
    cps_system_free(system);
    return error.status == CPS_IO ? STATUS_IO : error.status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_FAILED;
  }
  record.sim = sim;
  record.source.result = cps_simulation_result(sim);
  if (!o->quiet) announce(scenario, record.source.result, folder);
  int exit_status = STATUS_IO;
  if (!from && !o->quiet) export_name_stale("run", folder);
  cost_turn(COST_DYNAMICS);
  if (recording_start(&record, from != NULL || intended)) {
    watch w = {.record = &record};
    w.now = (outcome){.scenario = scenario,
                      .result = record.source.result,
                      .settings = has.settings,
                      .n_settings = has.n_settings,
                      .status = "running"};
    if (o->watch) w.page = watch_start("run", report_live_page(has.dim == 3));
    if (w.page) fprintf(stderr, "capstan run: to follow it: %s\n", watch_address(w.page));
    progress_start(&w.bar, stderr, o->quiet);
    cps_simulation_on_checkpoint(sim, recording_checkpoint, &record);
    cps_status status = cps_simulation_run(sim, look, &w, &error);
    double wall = seconds_now() - w.bar.started;
    /* without memory as without room on the disk: the run can go on elsewhere, or later */
    int stopped = status != CPS_OK &&
                  (progress_stopped() || w.stopped || record.failed || status == CPS_NO_MEMORY);
    outcome all = {.scenario = scenario,
                   .result = record.source.result,
                   .settings = has.settings,
                   .n_settings = has.n_settings,
                   .status = status == CPS_OK ? "complete"
                             : stopped        ? "stopped"
                                              : "failed",
                   .error = status == CPS_OK ? NULL : &error,
                   .wall = wall};
    progress_end(&w.bar);
    w.now = all;
    if (w.page) {
      char label[256];
      report_source source = shown(&w, label);
      watch_end(w.page, watch_encode_run, &source);
    }
    exit_status = conclude(&all, &record, o, status, stopped, said);
  } else {
    complain("run", "%s", record.error.text);
    if (record.started) complain("run", "to go on: capstan run --resume %s", folder);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  return exit_status;
}

/* ---------------------------------------------------------------- resuming */

/* The scenario as it was when the run began; other files that it names are found where they were then. */
static cps_scenario *scenario_again(const interrupted *from, cps_problems **problems) {
  cps_load_options how = {
      .settings = (const char *const *)from->setting, .n_settings = from->n_settings, .folder = from->origin};
  cps_scenario *s = cps_scenario_parse_with(from->text, from->length, from->file, &how, problems);
  if (s) cps_scenario_on_wait(s, progress_wait, NULL);
  return s;
}

/* Why there is nothing to go on with: perhaps because all is done. */
static int nothing_to_resume(const char *folder, const char *why, const run_options *o) {
  cps_result *r = result_open(folder, NULL);
  const char *state = r ? cps_result_text(r, "status") : NULL;
  int done = state && strcmp(state, "complete") == 0, failed = state && strcmp(state, "failed") == 0;
  if (done && !o->quiet && !o->json)
    printf("the run in %s is complete: nothing is left to do\n", shown_name(folder));
  if (done && o->json) {
    const char *summary = cps_result_text(r, "summary");
    if (summary) fputs(summary, stdout);
  }
  if (failed) complain("run", "the run in %s has failed, and would fail again", folder);
  if (!done && !failed) complain("run", "%s", why);
  cps_result_free(r);
  return done ? STATUS_GOOD : failed ? STATUS_FAILED : STATUS_IO;
}

static int resume(const run_options *given) {
  run_options options = *given, *o = &options;
  char why[FOLDER_ROOM + 200], folder[FOLDER_ROOM];
  interrupted from;
  snprintf(folder, sizeof folder, "%s", o->resume);
  for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--) folder[n - 1] = 0;
  memset(&from, 0, sizeof from);
  /* a folder without a checkpoint is not taken: it may be that of a run which is just starting */
  if (!interrupted_there(folder, why, sizeof why)) return nothing_to_resume(folder, why, o);
  int status = results_take("run", folder);
  if (status != STATUS_GOOD) return status;
  if (!interrupted_read(&from, folder, why, sizeof why)) {
    status = nothing_to_resume(folder, why, o);
  } else {
    /* as it was asked for, unless it is asked for otherwise */
    if (!o->flush) o->every = from.every;
    o->no_report |= from.no_report;
    cps_problems *problems = NULL;
    cps_scenario *scenario = scenario_again(&from, &problems);
    status = scenario ? simulate(scenario, o, folder, &from) : problems_refuse(from.file, problems, o->json);
    cps_problems_free(problems);
    cps_scenario_free(scenario);
  }
  interrupted_free(&from);
  return status;
}

/* ---------------------------------------------------------------- the command */

static int check_usage(run_options *o, int n, char **argv) {
  o->every = 1;
  if (o->flush && (!read_number(o->flush, &o->every) || o->every < 0)) {
    complain("run", "--flush takes a number of seconds, such as 1; found '%s'", o->flush);
    return 0;
  }
  if (o->resume) {
    if (n == 0 && !o->folder && o->set.n == 0) return 1;
    complain("run",
             "--resume takes the scenario, its settings and the folder from the run that was interrupted");
    return 0;
  }
  if (n == 1) return 1;
  if (n == 0)
    complain("run", "which file? capstan run FILE");
  else
    complain("run", "one file at a time, please: found '%s' after '%s'", argv[1], argv[0]);
  return 0;
}

int run_run(int argc, char **argv) {
  run_options o = {0};
  const option table[] = {
      {"output", 'o', OPTION_TEXT, (void *)&o.folder, "FOLDER",
       "where the results go; FILE without its ending + .results"},
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file, as often as you like"},
      {"resume", 0, OPTION_TEXT, (void *)&o.resume, "FOLDER", "go on with a run that was interrupted"},
      {"flush", 0, OPTION_TEXT, (void *)&o.flush, "SECONDS", "how often results are secured; 1"},
      {"watch", 'w', OPTION_FLAG, &o.watch, NULL, "serve a page on this computer that follows the run"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print the summary as one JSON document"},
      {"no-report", 0, OPTION_FLAG, &o.no_report, NULL, "write no report.html"},
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
  if (!check_usage(&o, n, argv)) return STATUS_USAGE;
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
  if (o.resume) return resume(&o);
  char folder[512];
  input_folder(argv[0], ".results", folder, sizeof folder);
  const char *where_to = o.folder ? o.folder : folder;

  cps_problems *problems = NULL;
  cost_turn(COST_SCENARIO);
  cps_scenario *scenario = input_scenario(argv[0], &o.set, &problems);
  if (!scenario) {
    int status = problems_refuse(argv[0], problems, o.json);
    cps_problems_free(problems);
    return status;
  }
  cps_problems_free(problems);
  int status = results_prepare("run", where_to, 1);
  if (status == STATUS_GOOD) status = simulate(scenario, &o, where_to, NULL);
  cps_scenario_free(scenario);
  return status;
}
