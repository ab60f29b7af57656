/* models.c - capstan models: lists the models; shows, plots, evaluates and documents them. */
#include "models.h"
#include "cli.h"
#include "experiments.h"
#include "plot.h"

#include <string.h>

/* What was asked for. */
typedef struct request {
  int help, json;
  const char *svg, *markdown, *load, *compare, *tests, *html;
  text_list at, set, with;
} request;

static void print_help(const option *table, int n) {
  printf("capstan models - list the friction laws; show, plot and evaluate one of them\n\n"
         "Usage: capstan models [--json]                     all of them, as a table or as JSON\n"
         "       capstan models LAW [--set NAME=VALUE]...    equation, parameters, traits, curves\n"
         "       capstan models LAW --svg FILE               the curves as a picture\n"
         "       capstan models LAW --at v=0.01,n=10         force, rates and every derivative there\n"
         "       capstan models --markdown docs/models.md    the reference, with pictures\n"
         "       capstan models --compare quinn,cdq,lugre [--test breakaway,drift] [--html FILE]\n"
         "                                                   laws side by side in the standard "
         "experiments\n\nOptions:\n");
  options_help(stdout, table, n);
  printf(
      "\nA point is given as NAME=VALUE pairs with commas between them. Friction laws take v [m/s], n [N],\n"
      "f_eq [N], z or z.NAME for each state, and mode; n is 1 and all others are 0 unless given. Normal "
      "contact\n"
      "takes depth [m] and rate [m/s], the capstan t_in and t_out [N]. Everything is in SI units.\n\n"
      "Experiments of --compare, each with a check against a closed form:\n");
  for (int i = 0; i < n_experiments; i++) printf("  %-11s %s\n", experiments[i].name, experiments[i].title);
  printf("\nWhat --with may change of them, with defaults:\n");
  for (int i = 0; i < n_bench_rows; i++)
    printf("  %-11s %s [%s]; %g\n", bench_rows[i].name, bench_rows[i].meaning, bench_rows[i].unit,
           bench_rows[i].value);
}

static int find_or_complain(const char *name, entry *e) {
  if (entry_find(name, e)) return 1;
  char room[64];
  complain("models", "there is no model '%s'; did you mean '%s'? 'capstan models' lists them all", name,
           entry_nearest(name, room, sizeof room));
  return 0;
}

static int write_svg(const char *path, const entry *e, const double *p, double n) {
  FILE *out = open_output("models", path);
  if (!out) return STATUS_IO;
  figure f = entry_figure(e, p, n);
  plot_svg(out, &f);
  figure_free(&f);
  int status = close_output("models", path, out);
  if (status == STATUS_GOOD && out != stdout) fprintf(stderr, "wrote %s\n", shown_name(path));
  return status;
}

/* What is asked of one model. */
static int one_model(const request *r, const char *name) {
  entry e;
  if (!find_or_complain(name, &e)) return STATUS_USAGE;
  double p[CPS_MAX_PARAMS], n = 1;
  entry_defaults(&e, p);
  int problems = models_set(&e, &r->set, p);
  problems += entry_check(&e, p);
  problems += models_at_check(&e, &r->at);
  if (r->load && (!read_number(r->load, &n) || n <= 0)) {
    complain("models", "--load takes a positive number [N], but '%s' was given", r->load);
    problems++;
  }
  if (r->markdown) {
    complain("models", "--markdown documents all models: leave '%s' out", name);
    problems++;
  }
  if (problems) return STATUS_USAGE;
  int status = r->svg ? write_svg(r->svg, &e, p, n) : STATUS_GOOD;
  if (status != STATUS_GOOD) return status;
  if (r->at.n > 0) {
    models_at(stdout, &e, p, &r->at, r->json);
  } else if (r->json) {
    json w = json_start(stdout);
    entry_json(&w, NULL, &e);
    json_end(&w);
  } else if (!r->svg) {
    term t = term_detect(stdout, 80);
    models_show(stdout, &t, &e, p, n);
  }
  return STATUS_GOOD;
}

static int all_models(const request *r) {
  if (r->compare) return models_compare(r->compare, r->tests, &r->with, &r->set, r->load, r->html, r->json);
  if (r->tests || r->html || r->with.n > 0) {
    complain("models", "--test, --with and --html are for --compare LAWS");
    return STATUS_USAGE;
  }
  static const char *const single[] = {"svg", "load", "at", "set"};
  const int given[] = {r->svg != NULL, r->load != NULL, r->at.n > 0, r->set.n > 0};
  int problems = 0;
  for (int i = 0; i < 4; i++) {
    if (!given[i]) continue;
    complain("models", "--%s needs a model: capstan models LAW --%s ...", single[i], single[i]);
    problems++;
  }
  if (problems) return STATUS_USAGE;
  if (r->markdown) return models_markdown(r->markdown);
  if (r->json) {
    models_json(stdout);
  } else {
    term t = term_detect(stdout, 100);
    if (t.width > 100) t.width = 100;
    models_table(stdout, &t);
  }
  return STATUS_GOOD;
}

int models_run(int argc, char **argv) {
  request r = {0};
  const option table[] = {
      {"json", 0, OPTION_FLAG, &r.json, NULL, "print one JSON document"},
      {"at", 0, OPTION_LIST, &r.at, "POINT", "evaluate at a point: v=0.01,n=10,f_eq=2"},
      {"set", 0, OPTION_LIST, &r.set, "NAME=VALUE", "change a parameter, also for plots; may be repeated"},
      {"load", 0, OPTION_TEXT, &r.load, "N", "normal force of the plots in N, 1 unless given"},
      {"svg", 'o', OPTION_TEXT, &r.svg, "FILE",
       "write the curves as SVG, or the page of --compare; '-' is standard output"},
      {"markdown", 0, OPTION_TEXT, &r.markdown, "FILE", "write the reference of all models, plots beside it"},
      {"compare", 0, OPTION_TEXT, &r.compare, "LAWS",
       "laws with commas between them, or all: run the experiments"},
      {"test", 0, OPTION_TEXT, &r.tests, "NAMES", "which experiments; all"},
      {"with", 0, OPTION_LIST, &r.with, "NAME=VALUE", "change what the experiments have in common"},
      {"html", 0, OPTION_TEXT, &r.html, "FILE", "the page of --compare; laws.html"},
      {"help", 'h', OPTION_FLAG, &r.help, NULL, "this text"},
  };
  int n_options = sizeof table / sizeof table[0];
  int n = options_parse("models", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (r.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  if (n > 1) {
    complain("models", "one model at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    return STATUS_USAGE;
  }
  if (r.compare && !r.html) r.html = r.svg; /* what -o names everywhere else */
  if (n == 1 && r.compare) {
    complain("models", "--compare names its laws itself: leave '%s' out", argv[0]);
    return STATUS_USAGE;
  }
  return n == 1 ? one_model(&r, argv[0]) : all_models(&r);
}
