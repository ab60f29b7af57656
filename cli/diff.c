/* diff.c - capstan diff: what tells two scenarios, or two results, apart.
 *
 * Scenarios are compared as they are read: every number by its path, in SI units, so that 10 mm and 0.01 are the same; and
 * words (laws, kinds, names in paths) as they stand in the files. Results are compared column by column at the times of the
 * first one, as far as the other goes. */
#include "cli.h"
#include "input.h"
#include "json.h"
#include "problems.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 400, WORD_ROOM = 200 };

typedef struct diff_options {
  int help, json, quiet, all;
  const char *tolerance;
  double relative;
  text_list set;
} diff_options;

/* One thing that differs. */
typedef struct difference {
  char path[PATH_ROOM], unit[32];
  char text[2][WORD_ROOM]; /* "" where one side has none */
  double value[2];         /* NaN: not a number */
  double most, when;       /* of a column: the largest difference, and its time; NaN otherwise */
} difference;

typedef struct differences {
  difference *item; /* owned */
  int n;
  long compared;
} differences;

static difference *add(differences *d, const char *path, const char *unit) {
  d->item = (difference *)grow(d->item, (size_t)d->n + 1, sizeof *d->item);
  difference *x = &d->item[d->n++];
  *x = (difference){.value = {NAN, NAN}, .most = NAN, .when = NAN};
  snprintf(x->path, sizeof x->path, "%s", path);
  snprintf(x->unit, sizeof x->unit, "%s", unit && strcmp(unit, "1") != 0 ? unit : "");
  return x;
}

static void set_number(difference *x, int side, double value) {
  x->value[side] = value;
  number_text(x->text[side], sizeof x->text[side], value);
}

/* Whether two numbers agree to the tolerance. */
static int agree(double a, double b, double relative) {
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

/* ---------------------------------------------------------------- scenarios */

typedef struct quantities {
  cps_quantity *item; /* owned */
  int n;
} quantities;

static const cps_quantity *find(const quantities *q, const char *path, int hint) {
  if (hint < q->n && strcmp(q->item[hint].path, path) == 0) return &q->item[hint];
  for (int i = 0; i < q->n; i++)
    if (strcmp(q->item[i].path, path) == 0) return &q->item[i];
  return NULL;
}

static void compare_numbers(differences *d, const quantities *a, const quantities *b, double relative) {
  for (int i = 0; i < a->n; i++) {
    const cps_quantity *x = &a->item[i], *y = find(b, x->path, i);
    d->compared++;
    if (y && agree(x->value, y->value, relative)) continue;
    difference *new = add(d, x->path, x->unit);
    set_number(new, 0, x->value);
    if (y) set_number(new, 1, y->value);
  }
  for (int i = 0; i < b->n; i++)
    if (!find(a, b->item[i].path, i))
      set_number(add(d, b->item[i].path, b->item[i].unit), 1, b->item[i].value);
}

typedef struct word_list {
  cps_word *item; /* owned */
  int n;
} word_list;

static const cps_word *find_word(const word_list *w, const char *path, int hint) {
  if (hint < w->n && strcmp(w->item[hint].path, path) == 0) return &w->item[hint];
  for (int i = 0; i < w->n; i++)
    if (strcmp(w->item[i].path, path) == 0) return &w->item[i];
  return NULL;
}

/* Whether numbers were read out of a text, such as "hang 2 m": they are compared as numbers. */
static int has_numbers(const char *path, const quantities *q) {
  size_t n = strlen(path);
  for (int i = 0; i < q->n; i++)
    if (strncmp(q->item[i].path, path, n) == 0 && q->item[i].path[n] == '.') return 1;
  return 0;
}

static void compare_words(differences *d, const word_list *a, const word_list *b, const quantities *numbers) {
  for (int i = 0; i < a->n; i++) {
    const cps_word *y = find_word(b, a->item[i].path, i);
    d->compared++;
    if (y && (strcmp(a->item[i].text, y->text) == 0 ||
              (has_numbers(y->path, &numbers[0]) && has_numbers(y->path, &numbers[1]))))
      continue;
    difference *x = add(d, a->item[i].path, "");
    snprintf(x->text[0], WORD_ROOM, "%s", a->item[i].text);
    if (y) snprintf(x->text[1], WORD_ROOM, "%s", y->text);
  }
  for (int i = 0; i < b->n; i++)
    if (!find_word(a, b->item[i].path, i))
      snprintf(add(d, b->item[i].path, "")->text[1], WORD_ROOM, "%s", b->item[i].text);
}

static int diff_scenarios(differences *d, char **paths, const diff_options *o) {
  cps_scenario *s[2] = {NULL, NULL};
  quantities q[2] = {{NULL, 0}, {NULL, 0}};
  word_list w[2] = {{NULL, 0}, {NULL, 0}};
  int status = STATUS_GOOD;
  for (int i = 0; i < 2 && status == STATUS_GOOD; i++) {
    cps_problems *problems = NULL;
    cps_error error;
    s[i] = input_scenario(paths[i], &o->set, &problems);
    if (!s[i]) {
      problems_print(problems);
      status = problems_status(problems);
    } else if (cps_scenario_quantities(s[i], &q[i].item, &q[i].n, &error) != CPS_OK ||
               cps_scenario_words(s[i], &w[i].item, &w[i].n, &error) != CPS_OK) {
      complain("diff", "%s", error.text);
      status = STATUS_FAILED;
    }
    cps_problems_free(problems);
  }
  if (status == STATUS_GOOD) {
    compare_words(d, &w[0], &w[1], q);
    compare_numbers(d, &q[0], &q[1], o->relative);
  }
  for (int i = 0; i < 2; i++) {
    free(q[i].item);
    cps_free(w[i].item);
    cps_scenario_free(s[i]);
  }
  return status;
}

/* ---------------------------------------------------------------- results */

static double interpolate(const double *t, const double *x, long n, long *at, double time) {
  while (*at + 2 < n && t[*at + 1] < time) ++*at;
  double h = t[*at + 1] - t[*at], w = h > 0 ? (time - t[*at]) / h : 0;
  return w <= 0 ? x[*at] : w >= 1 ? x[*at + 1] : x[*at] + w * (x[*at + 1] - x[*at]);
}

static void compare_column(differences *d, const cps_result *a, int i, const cps_result *b, int j,
                           double relative) {
  const double *t = cps_result_data(a, 0), *x = cps_result_data(a, i), *u = cps_result_data(b, 0),
               *y = cps_result_data(b, j);
  long n = cps_result_rows(a), m = cps_result_rows(b), at = 0;
  double most = 0, when = NAN, size = 0, values[2] = {NAN, NAN};
  for (long k = 0; k < n && m > 1; k++) {
    if (t[k] < u[0] || t[k] > u[m - 1]) continue;
    double other = interpolate(u, y, m, &at, t[k]), apart = fabs(other - x[k]);
    size = fmax(size, fmax(fabs(x[k]), fabs(other)));
    if (!(apart > most) && !(isnan(apart) && !(isnan(other) && isnan(x[k])))) continue;
    most = isnan(apart) ? INFINITY : apart;
    when = t[k];
    values[0] = x[k];
    values[1] = other;
  }
  if (most <= relative * size) return;
  difference *new = add(d, cps_result_name(a, i), cps_result_unit(a, i));
  set_number(new, 0, values[0]);
  set_number(new, 1, values[1]);
  new->most = most;
  new->when = when;
}

static void compare_count(differences *d, const char *what, double a, double b) {
  d->compared++;
  if (a == b) return;
  difference *x = add(d, what, "");
  set_number(x, 0, a);
  set_number(x, 1, b);
}

static void compare_results(differences *d, const cps_result *a, const cps_result *b, double relative) {
  for (int i = 0; i < cps_result_columns(a); i++) {
    int j = cps_result_find(b, cps_result_name(a, i));
    d->compared++;
    if (j < 0)
      snprintf(add(d, cps_result_name(a, i), cps_result_unit(a, i))->text[0], WORD_ROOM, "recorded");
    else if (i > 0)
      compare_column(d, a, i, b, j, relative);
  }
  for (int j = 0; j < cps_result_columns(b); j++)
    if (cps_result_find(a, cps_result_name(b, j)) < 0)
      snprintf(add(d, cps_result_name(b, j), cps_result_unit(b, j))->text[1], WORD_ROOM, "recorded");
  long n = cps_result_rows(a), m = cps_result_rows(b);
  compare_count(d, "rows", (double)n, (double)m);
  compare_count(d, "events", (double)cps_result_events(a), (double)cps_result_events(b));
  if (n > 0 && m > 0)
    compare_count(d, "end of the run [s]", cps_result_data(a, 0)[n - 1], cps_result_data(b, 0)[m - 1]);
}

static int diff_results(differences *d, char **paths, const diff_options *o) {
  cps_result *r[2] = {NULL, NULL};
  int status = STATUS_GOOD;
  for (int i = 0; i < 2 && status == STATUS_GOOD; i++) r[i] = input_result("diff", paths[i], &status);
  if (status == STATUS_GOOD) compare_results(d, r[0], r[1], o->relative);
  for (int i = 0; i < 2; i++) cps_result_free(r[i]);
  return status;
}

/* ---------------------------------------------------------------- the command */

static void print_json(const differences *d, const char *what, char **paths) {
  json w = json_start(stdout);
  json_open(&w, NULL, '{');
  json_text(&w, "what", what);
  json_text(&w, "a", paths[0]);
  json_text(&w, "b", paths[1]);
  json_bool(&w, "same", d->n == 0);
  json_number(&w, "compared", (double)d->compared);
  json_open(&w, "differences", '[');
  for (int i = 0; i < d->n; i++) {
    const difference *x = &d->item[i];
    json_open_flat(&w, NULL, '{');
    json_text(&w, "path", x->path);
    json_text(&w, "unit", x->unit);
    for (int k = 0; k < 2; k++) {
      const char *key = k ? "b" : "a";
      if (isnan(x->value[k]))
        json_text(&w, key, x->text[k][0] ? x->text[k] : NULL);
      else
        json_number(&w, key, x->value[k]);
    }
    if (!isnan(x->most)) {
      json_number(&w, "largest", x->most);
      json_number(&w, "at", x->when);
    }
    json_close(&w);
  }
  json_close(&w);
  json_close(&w);
  json_end(&w);
}

static void print_text(const differences *d) {
  for (int i = 0; i < d->n; i++) {
    const difference *x = &d->item[i];
    printf("  %-44s %14s  ->  %-14s %s", x->path, x->text[0][0] ? x->text[0] : "-",
           x->text[1][0] ? x->text[1] : "-", x->unit);
    if (!isnan(x->most)) printf("  at %.6g s, %.3g apart", x->when, x->most);
    printf("\n");
  }
}

static void print_help(const option *table, int n) {
  printf(
      "capstan diff - what tells two scenarios, or two results, apart\n\n"
      "Usage: capstan diff A B [--tolerance RELATIVE] [--json]\n\n"
      "Two scenarios are compared as they are read: 10 mm and 0.01 are the same, and so are a default and\n"
      "the same value written out. Of two results each column is compared over the time that both cover,\n"
      "and the largest difference is named. '-' is standard input.\n\nOptions:\n");
  options_help(stdout, table, n);
  printf("\nExit status: 0 nothing differs, 1 something does, 2 bad usage or input, 3 input/output error.\n"
         "\nExamples:\n"
         "  capstan diff winch.yaml mine.yaml\n"
         "  capstan diff before.results after.results --tolerance 1e-6\n");
}

int diff_run(int argc, char **argv) {
  diff_options o = {0};
  const option table[] = {
      {"tolerance", 't', OPTION_TEXT, (void *)&o.tolerance, "RELATIVE", "what counts as the same; 0"},
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value of both scenarios first"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "only the exit status says whether anything differs"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("diff", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  if (n != 2) {
    complain("diff", "two scenarios or two results, please: capstan diff A B");
    return STATUS_USAGE;
  }
  if (o.tolerance && (!read_number(o.tolerance, &o.relative) || o.relative < 0)) {
    complain("diff", "--tolerance takes a number such as 1e-6; found '%s'", o.tolerance);
    return STATUS_USAGE;
  }
  int results = input_is_result(argv[0]) + input_is_result(argv[1]);
  if (results == 1) {
    complain("diff", "'%s' is a result and '%s' is none: two of one kind can be compared",
             argv[!input_is_result(argv[0])], argv[input_is_result(argv[0])]);
    return STATUS_USAGE;
  }
  differences d = {0};
  int status = results ? diff_results(&d, argv, &o) : diff_scenarios(&d, argv, &o);
  if (status == STATUS_GOOD) {
    if (o.json)
      print_json(&d, results ? "results" : "scenarios", argv);
    else if (!o.quiet)
      print_text(&d);
    status = d.n > 0 ? STATUS_FAILED : STATUS_GOOD;
  }
  free(d.item);
  return status;
}
