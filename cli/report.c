/* report.c - capstan report: results as one HTML page. Two or more are laid over one another and subtracted. */
#include "report.h"
#include "cli.h"
#include "input.h"
#include "options.h"
#include "problems.h"
#include "study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RESULTS_MOST = 8 };

/* A result that was read, with all that its report needs. */
typedef struct loaded {
  cps_result *result;
  cps_scenario *scenario; /* NULL if it can no longer be read */
  char label[256];
  char *settings; /* owned: lines, cut apart */
  text_list set;
  outcome run;
  cps_error error;
} loaded;

static void loaded_free(loaded *l) {
  cps_result_free(l->result);
  cps_scenario_free(l->scenario);
  free(l->settings);
}

/* ---------------------------------------------------------------- what the summary says */

/* A number of the summary, which is the tool's own JSON: its objects have two blanks before their key, and no
 * others inside. `part` is NULL for the document itself. */
static double summary_number(const char *summary, const char *part, const char *key) {
  char wanted[64];
  const char *at = summary, *end = summary ? summary + strlen(summary) : NULL;
  if (at && part) {
    snprintf(wanted, sizeof wanted, "\n  \"%s\": {", part);
    at = strstr(at, wanted);
    end = at ? strchr(at, '}') : NULL;
  }
  snprintf(wanted, sizeof wanted, part ? "\"%s\": " : "\n  \"%s\": ", key);
  at = at ? strstr(at, wanted) : NULL;
  if (!at || !end || at > end) return NAN;
  char *stop;
  double value = strtod(at + strlen(wanted), &stop);
  return stop > at + strlen(wanted) ? value : NAN;
}

/* Why the run is not complete, unless the summary says nothing of it. */
static int summary_error(const char *summary, char *text, size_t size) {
  const char *at = summary ? strstr(summary, "\n  \"error\": {") : NULL;
  at = at ? strstr(at, "\"text\": \"") : NULL;
  if (!at) return 0;
  size_t n = 0;
  for (at += strlen("\"text\": \""); *at && *at != '"' && n + 1 < size; at++) {
    if (*at == '\\' && at[1]) at++;
    text[n++] = *at;
  }
  text[n] = 0;
  return n > 0;
}

/* ---------------------------------------------------------------- reading */

static void split_settings(loaded *l, const char *lines) {
  size_t n = lines ? strlen(lines) + 1 : 1;
  l->settings = (char *)grow(NULL, n, 1);
  memcpy(l->settings, lines ? lines : "", n);
  for (char *line = l->settings; *line && l->set.n < TEXT_LIST_MAX;) {
    char *end = line + strcspn(line, "\n");
    int more = *end != 0;
    *end = 0;
    if (*line) l->set.item[l->set.n++] = line;
    line = end + more;
  }
}

/* The scenario, for the drawing. Files that it includes are looked for where it was, then beside the result. Only the scenario of this
 * run is drawn, by its hash: what files that have changed would show is wrong, and a result of strangers, which may name any file of
 * this machine, does not know what is in it. */
static void read_scenario(loaded *l, const char *folder) {
  const char *text = cps_result_text(l->result, "scenario"), *file = cps_result_text(l->result, "file");
  const char *hash = cps_result_text(l->result, "hash"), *why = "it is not in the result";
  char beside[4096];
  snprintf(beside, sizeof beside, "%s/scenario.yaml", folder);
  const char *places[] = {file, beside};
  cps_problems *problems = NULL;
  for (int i = 0; text && !l->scenario && i < 2; i++) {
    if (problems && problems_status(problems) == STATUS_FAILED)
      break; /* for lack of memory, wherever it is */
    cps_problems_free(problems);
    problems = NULL;
    l->scenario = cps_scenario_parse(text, strlen(text), places[i] ? places[i] : "", l->set.item, l->set.n,
                                     &problems);
    if (!l->scenario || (hash && strcmp(hash, cps_scenario_hash(l->scenario)) == 0)) continue;
    cps_scenario_free(l->scenario);
    l->scenario = NULL;
    why = "files that it names are not what they were";
  }
  if (!l->scenario)
    complain("report", "%s: the machine cannot be drawn, for its scenario can no longer be read: %s", folder,
             cps_problems_count(problems) > 0 ? cps_problems_at(problems, 0)->text : why);
  cps_problems_free(problems);
}

static int load(loaded *l, const char *folder) {
  int exit_status;
  l->result = input_result("report", folder, &exit_status);
  if (!l->result) return exit_status;
  report_label(l->label, sizeof l->label, folder);
  split_settings(l, cps_result_text(l->result, "settings"));
  read_scenario(l, folder);
  const char *summary = cps_result_text(l->result, "summary"), *status = cps_result_text(l->result, "status");
  int wrong = summary_error(summary, l->error.text, sizeof l->error.text);
  l->run = (outcome){.scenario = l->scenario,
                     .result = l->result,
                     .settings = l->set.item,
                     .n_settings = l->set.n,
                     .status = status ? status : "unknown",
                     .error = wrong ? &l->error : NULL,
                     .wall = summary_number(summary, NULL, "wall_time")};
  return STATUS_GOOD;
}

/* The first or last value of an energy column; 0 if it is not there. */
static double energy_at(const cps_result *r, const char *name, int last) {
  char column[64];
  snprintf(column, sizeof column, "energy.%s", name);
  int c = cps_result_find(r, column);
  long rows = cps_result_rows(r);
  return c >= 0 && rows > 0 ? cps_result_data(r, c)[last ? rows - 1 : 0] : 0;
}

/* The largest size that any energy column has, which stands for the scale of a run without a summary. */
static double energy_scale(const cps_result *r) {
  double most = 0;
  for (int c = 1; c < cps_result_columns(r); c++)
    if (strncmp(cps_result_name(r, c), "energy.", 7) == 0 && cps_result_rows(r) > 0) {
      long low, high;
      column_extremes(r, c, &low, &high);
      most = fmax(most, fmax(fabs(cps_result_data(r, c)[low]), fabs(cps_result_data(r, c)[high])));
    }
  return most;
}

/* Energy and counters at the end: from the summary, or, if the run was killed, from the last row. */
static void read_numbers(const cps_result *r, const char *summary, report_source *s) {
  cps_energy *e = &s->energy;
  cps_counters *n = &s->counters;
  const struct {
    const char *key, *column; /* in the summary; in the series, NULL if it is not there */
    double *to;
  } energies[] = {{"initial", NULL, &e->initial},
                  {"kinetic", "kinetic", &e->kinetic},
                  {"elastic", "elastic", &e->elastic},
                  {"gravity", "gravity", &e->gravity},
                  {"load_work", "load_work", &e->load_work},
                  {"motion_work", "motion_work", &e->motion_work},
                  {"friction", "friction", &e->friction},
                  {"damping", "damping", &e->damping},
                  {"solver", NULL, &e->solver},
                  {"closing_error", "error", &e->error},
                  {"largest", NULL, &e->scale}};
  const struct {
    const char *key;
    long *to;
  } counters[] = {{"steps", &n->steps},
                  {"rejected", &n->rejected},
                  {"evaluations", &n->evaluations},
                  {"newton", &n->newton},
                  {"factorisations", &n->factorisations},
                  {"events", &n->events}};
  e->initial = energy_at(r, "kinetic", 0) + energy_at(r, "elastic", 0) + energy_at(r, "gravity", 0);
  e->solver = 0;
  e->scale = energy_scale(r);
  for (size_t i = 0; i < sizeof energies / sizeof energies[0]; i++) {
    double value = summary_number(summary, "energy", energies[i].key);
    if (isfinite(value))
      *energies[i].to = value;
    else if (energies[i].column)
      *energies[i].to = energy_at(r, energies[i].column, 1);
  }
  for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
    double value = summary_number(summary, "counters", counters[i].key);
    *counters[i].to = isfinite(value) ? (long)value : 0;
  }
}

static report_source source_of(const loaded *l) {
  report_source s = report_source_of(l->label, &l->run);
  read_numbers(l->result, cps_result_text(l->result, "summary"), &s);
  s.title = cps_result_text(l->result, "title");
  s.file = cps_result_text(l->result, "file");
  s.hash = cps_result_text(l->result, "hash");
  s.text = cps_result_text(l->result, "scenario");
  s.version = cps_result_text(l->result, "version");
  s.solver = cps_result_text(l->result, "solver");
  s.summary = cps_result_text(l->result, "summary");
  return s;
}

/* Results whose folders have the same name are told apart by the whole path. */
static void tell_apart(loaded *all, int n, char **folders) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && strcmp(all[i].label, all[j].label) == 0)
        snprintf(all[i].label, sizeof all[i].label, "%s", folders[i]);
}

/* ---------------------------------------------------------------- the command */

static void print_help(FILE *out, const option *table, int n) {
  fprintf(
      out,
      "Usage: capstan report RESULT... [-o FILE.html]\n"
      "       capstan report STUDY.sqlite [-o FILE.html]\n\n"
      "Writes results as one page that needs no network: the machine drawn to scale and in motion,\n"
      "plots with one cursor, stick and slip, friction, energy, statistics and the scenario. RESULT is a\n"
      "result folder, or the result.h5 in it. Two or more are laid over one another, and "
      "subtracted.\n"
      "Of a study, the table that capstan sweep writes, the page has failures, worst cases, distributions,\n"
      "sensitivities and convergence.\n\nOptions:\n");
  options_help(out, table, n);
  fprintf(out, "\nExamples:\n"
               "  capstan report block.results\n"
               "  capstan report quinn.results cdq.results -o laws.html\n"
               "  capstan report hoist.sqlite -o hoist.html\n");
}

/* Where the page goes unless it is said: into the folder of the one result, or here if there are several. */
static int default_path(char *path, size_t size, const char *result, int n) {
  struct stat info;
  if (n > 1) return snprintf(path, size, "compare.html") < (int)size;
  if (stat(result, &info) == 0 && S_ISDIR(info.st_mode))
    return snprintf(path, size, "%s/report.html", result) < (int)size;
  const char *slash = strrchr(result, '/');
  return snprintf(path, size, "%.*sreport.html", slash ? (int)(slash - result) + 1 : 0, result) < (int)size;
}

/* ---------------------------------------------------------------- studies */

/* "dir/hoist.sqlite" gives "dir/hoist.html". */
static int study_path(char *path, size_t size, const char *table) {
  const char *slash = strrchr(table, '/'), *dot = strrchr(slash ? slash : table, '.');
  int length = dot && dot > table && dot[-1] != '/' ? (int)(dot - table) : (int)strlen(table);
  return snprintf(path, size, "%.*s.html", length, table) < (int)size;
}

static int report_study(const char *table, const char *output, int quiet, int as_json) {
  char path[4000];
  if (as_json) return study_page_json("report", table, stdout);
  if (!output && !study_path(path, sizeof path, table)) {
    complain("report", "the name of the study is too long");
    return STATUS_USAGE;
  }
  int status = study_page_write("report", table, output ? output : path, output != NULL);
  int shown = output && strcmp(output, "-") == 0;
  if (status == STATUS_GOOD && !quiet && !shown) printf("wrote %s\n", shown_name(output ? output : path));
  return status;
}

int report_run(int argc, char **argv) {
  struct {
    int help, quiet, json;
    const char *output;
  } o = {0};
  const option table[] = {
      {"output", 'o', OPTION_TEXT, (void *)&o.output, "FILE",
       "the page, - for standard output; RESULT/report.html, compare.html, or STUDY.html"},
      {"json", 0, OPTION_FLAG, &o.json, NULL,
       "of a study: print its numbers as one JSON document, write no page"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("report", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(stdout, table, n_options);
    return STATUS_GOOD;
  }
  if (n == 0 || n > RESULTS_MOST) {
    complain("report",
             n ? "at most %d results on one page, please" : "which result? capstan report RESULT...",
             RESULTS_MOST);
    return STATUS_USAGE;
  }
  for (int i = 0; i < n; i++) {
    if (!study_table_is(argv[i])) continue;
    if (n == 1) return report_study(argv[0], o.output, o.quiet, o.json);
    complain("report", "one study on a page, please: '%s' is one", argv[i]);
    return STATUS_USAGE;
  }
  if (o.json) {
    complain("report", "--json is for studies; the numbers of a result are in its summary.json");
    return STATUS_USAGE;
  }
  char path[4000];
  if (!o.output && !default_path(path, sizeof path, argv[0], n)) {
    complain("report", "the name of the result is too long");
    return STATUS_USAGE;
  }
  loaded all[RESULTS_MOST] = {0};
  report_source sources[RESULTS_MOST];
  int status = STATUS_GOOD;
  for (int i = 0; i < n && status == STATUS_GOOD; i++) status = load(&all[i], argv[i]);
  if (status == STATUS_GOOD) {
    tell_apart(all, n, argv);
    for (int i = 0; i < n; i++) sources[i] = source_of(&all[i]);
    status = report_write("report", o.output ? o.output : path, o.output != NULL, sources, n);
  }
  int shown = o.output && strcmp(o.output, "-") == 0;
  if (status == STATUS_GOOD && !o.quiet && !shown)
    printf("wrote %s\n", shown_name(o.output ? o.output : path));
  for (int i = 0; i < n; i++) loaded_free(&all[i]);
  return status;
}
