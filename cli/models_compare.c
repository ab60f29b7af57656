/* models_compare.c - capstan models --compare: laws side by side in the standard experiments, as a page or as JSON. */
#include "cli.h"
#include "experiments.h"
#include "models.h"
#include "pairs.h"
#include "plot.h"
#include "report.h"
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PER_FIGURE = 7 }; /* as many curves as colours */

/* What was asked for, and what came of it. */
typedef struct comparison {
  bench b;
  subject *laws;                  /* owned, [n_laws] */
  const experiment **tests;       /* owned, [n_tests] */
  finding *findings;              /* owned, [n_tests][n_laws] */
  check *checks;                  /* owned, [n_tests] */
  figure *figures;                /* owned, [n_tests][n_figures] */
  int n_laws, n_tests, n_figures; /* figures of each test */
} comparison;

/* ---------------------------------------------------------------- what was asked for */

static int add_law(comparison *c, const char *name) {
  const cps_law *law = cps_law_find(name);
  if (!law) {
    complain("models", "there is no friction law '%s'; did you mean '%s'? 'capstan models' lists them", name,
             cps_law_nearest(name)->name);
    return 0;
  }
  c->laws = (subject *)grow(c->laws, (size_t)c->n_laws + 1, sizeof *c->laws);
  c->laws[c->n_laws].law = law;
  cps_law_defaults(law, c->laws[c->n_laws++].p);
  return 1;
}

static int read_laws(comparison *c, const char *list) {
  words w = {0};
  int problems = 0;
  if (strcmp(list, "all") == 0) {
    for (int i = 0; i < cps_law_count(); i++) add_law(c, cps_law_at(i)->name);
    return 0;
  }
  words_split(&w, list);
  for (int i = 0; i < w.n; i++) problems += !add_law(c, w.item[i]);
  words_free(&w);
  if (!problems && c->n_laws == 0) {
    complain("models", "--compare needs laws: --compare quinn,cdq,lugre, or --compare all");
    problems = 1;
  }
  return problems;
}

static int read_tests(comparison *c, const char *list) {
  words w = {0};
  int problems = 0;
  c->tests = (const experiment **)grow(NULL, (size_t)n_experiments, sizeof *c->tests);
  words_split(&w, list ? list : "all");
  for (int i = 0; i < n_experiments; i++) {
    int wanted = 0;
    for (int k = 0; k < w.n; k++)
      wanted |= strcmp(w.item[k], "all") == 0 || strcmp(w.item[k], experiments[i].name) == 0;
    if (wanted) c->tests[c->n_tests++] = &experiments[i];
  }
  for (int k = 0; k < w.n; k++) {
    nearest n = {.word = w.item[k]};
    int known = strcmp(w.item[k], "all") == 0;
    for (int i = 0; i < n_experiments; i++) {
      known |= strcmp(w.item[k], experiments[i].name) == 0;
      nearest_offer(&n, experiments[i].name);
    }
    if (known) continue;
    char names[300] = "";
    for (int i = 0; i < n_experiments; i++)
      append(names, sizeof names, "%s%s", i ? ", " : "", experiments[i].name);
    complain("models", "there is no experiment '%s'; did you mean '%s'? They are: %s", w.item[k], n.best,
             names);
    problems++;
  }
  words_free(&w);
  return problems;
}

static int read_bench(comparison *c, const text_list *with, const char *load) {
  slot slots[32];
  for (int i = 0; i < n_bench_rows; i++) {
    double *value = (double *)(void *)((char *)&c->b + bench_rows[i].where);
    *value = bench_rows[i].value;
    slots[i] = (slot){.value = value};
    snprintf(slots[i].name, sizeof slots[i].name, "%s", bench_rows[i].name);
  }
  int problems = read_pairs("models", "with", "the experiments", with, slots, n_bench_rows);
  if (load && !read_number(load, &c->b.load)) c->b.load = NAN;
  for (int i = 0; i < n_bench_rows && !problems; i++) {
    double value = *slots[i].value;
    int may_vanish = strcmp(bench_rows[i].name, "damping") == 0;
    if (value > 0 || (may_vanish && value == 0)) continue;
    complain("models", "%s of the experiments is a number above 0", bench_rows[i].name);
    problems++;
  }
  if (!problems && c->b.cycles < 4) {
    complain("models", "cycles of the experiments is at least 4");
    problems++;
  }
  return problems;
}

/* A parameter applies to each law that has it; one that none has is a mistake. */
static int apply_settings(comparison *c, const text_list *set) {
  int problems = 0;
  for (int k = 0; k < set->n; k++) {
    char name[64];
    double value;
    const char *equals = strchr(set->item[k], '=');
    int used = 0;
    if (!equals || !read_number(equals + 1, &value)) {
      complain("models", "--set takes NAME=VALUE, such as mu=0.3; found '%s'", set->item[k]);
      problems++;
      continue;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - set->item[k]), set->item[k]);
    for (int i = 0; i < c->n_laws; i++) {
      int p = cps_law_param(c->laws[i].law, name);
      if (p < 0) continue;
      c->laws[i].p[p] = value;
      used = 1;
    }
    if (!used) complain("models", "none of these laws has a parameter '%s'", name);
    problems += !used;
  }
  for (int i = 0; i < c->n_laws && !problems; i++) {
    cps_error error;
    if (cps_law_check(c->laws[i].law, c->laws[i].p, &error) == CPS_OK) continue;
    complain("models", "%s: %s", c->laws[i].law->name, error.text);
    problems++;
  }
  return problems;
}

/* ---------------------------------------------------------------- doing it */

static void perform(comparison *c, int quiet) {
  c->n_figures = (c->n_laws + PER_FIGURE - 1) / PER_FIGURE;
  c->findings = (finding *)grow(NULL, (size_t)(c->n_tests * c->n_laws), sizeof *c->findings);
  c->checks = (check *)grow(NULL, (size_t)c->n_tests, sizeof *c->checks);
  c->figures = (figure *)grow(NULL, (size_t)(c->n_tests * c->n_figures), sizeof *c->figures);
  for (int k = 0; k < c->n_tests; k++) {
    const experiment *e = c->tests[k];
    e->check(&c->b, &c->checks[k]);
    for (int i = 0; i < c->n_laws; i++) {
      figure *f = &c->figures[k * c->n_figures + i / PER_FIGURE];
      if (i % PER_FIGURE == 0) {
        *f = (figure){.title = ""};
        e->frame(f);
      }
      for (int j = 0; j < f->n_panels; j++) panel_series(&f->panels[j], c->laws[i].law->name);
      finding *out = &c->findings[k * c->n_laws + i];
      *out = (finding){.value = {NAN, NAN, NAN}};
      e->run(&c->laws[i], &c->b, f, out);
    }
    if (!quiet) fprintf(stderr, "capstan models: %s, %d of %d\n", e->name, k + 1, c->n_tests);
  }
}

static void comparison_free(comparison *c) {
  for (int i = 0; c->figures && i < c->n_tests * c->n_figures; i++) figure_free(&c->figures[i]);
  free(c->figures);
  free(c->findings);
  free(c->checks);
  free((void *)c->tests);
  free(c->laws);
}

/* ---------------------------------------------------------------- JSON */

static void put_curves(json *w, const comparison *c, int k, int law) {
  const figure *f = &c->figures[k * c->n_figures + law / PER_FIGURE];
  json_open(w, "curves", '[');
  for (int j = 0; j < f->n_panels; j++) {
    const panel *g = &f->panels[j];
    const series *s = &g->series[law % PER_FIGURE];
    json_open(w, NULL, '{');
    json_text(w, "x_name", g->x.name);
    json_text(w, "x_unit", g->x.unit);
    json_text(w, "y_name", g->y.name);
    json_text(w, "y_unit", g->y.unit);
    for (int side = 0; side < 2; side++) {
      json_open_flat(w, side ? "y" : "x", '[');
      for (int i = 0; i < s->n; i++) json_number(w, NULL, side ? s->y[i] : s->x[i]);
      json_close(w);
    }
    json_close(w);
  }
  json_close(w);
}

static void put_json(FILE *out, const comparison *c) {
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "version", cps_version());
  json_open(&w, "bench", '{');
  for (int i = 0; i < n_bench_rows; i++)
    json_number(&w, bench_rows[i].name,
                *(const double *)(const void *)((const char *)&c->b + bench_rows[i].where));
  json_close(&w);
  json_open(&w, "experiments", '[');
  for (int k = 0; k < c->n_tests; k++) {
    const experiment *e = c->tests[k];
    const check *known = &c->checks[k];
    json_open(&w, NULL, '{');
    json_text(&w, "name", e->name);
    json_text(&w, "title", e->title);
    json_open_flat(&w, "check", '{');
    json_text(&w, "what", known->what);
    json_number(&w, "expected", known->expected);
    json_number(&w, "found", known->found);
    json_text(&w, "unit", known->unit);
    json_number(&w, "tolerance", known->tolerance);
    json_bool(&w, "ok", check_holds(known));
    json_close(&w);
    json_open(&w, "laws", '[');
    for (int i = 0; i < c->n_laws; i++) {
      const finding *x = &c->findings[k * c->n_laws + i];
      json_open(&w, NULL, '{');
      json_text(&w, "law", c->laws[i].law->name);
      for (int m = 0; m < MEASURES; m++)
        if (e->measure[m].name) json_number(&w, e->measure[m].name, x->value[m]);
      json_text(&w, "problem", x->why[0] ? x->why : NULL);
      put_curves(&w, c, k, i);
      json_close(&w);
    }
    json_close(&w);
    json_close(&w);
  }
  json_close(&w);
  json_close(&w);
  json_end(&w);
}

/* ---------------------------------------------------------------- the page */

static const char style[] =
    ":root{color-scheme:light dark;font:15px/1.5 Inter,system-ui,sans-serif}"
    "body{max-width:1180px;margin:0 auto;padding:28px 24px 60px;background:#fff;color:#16202e}"
    "h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:44px 0 4px}p{margin:0 0 12px;max-width:80ch}"
    "nav a{margin-right:14px}a{color:#1d63d8}.soft{color:#5a6778}.figures{display:flex;flex-wrap:wrap;gap:0 "
    "12px}figure{margin:10px 0;overflow-x:auto}"
    "svg{max-width:100%;height:auto;background:#fff;border-radius:8px}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:14px}"
    "th,td{text-align:left;padding:5px 18px 5px 0;border-bottom:1px solid "
    "#dfe5ec}td.n{font-variant-numeric:tabular-nums;text-align:right}"
    ".good{color:#00795a}.bad{color:#b3400a}"
    "@media(prefers-color-scheme:dark){body{background:#141a23;color:#e8edf4}.soft{color:#9aa8ba}a{color:#"
    "7fb0ff}"
    "th,td{border-color:#2b3543}.good{color:#2fc79a}.bad{color:#ff8a4c}}";

static void put_quantity(FILE *out, double value, const char *unit) {
  char text[64];
  if (isnan(value)) {
    fputs("\xE2\x80\x93", out);
    return;
  }
  quantity_text(text, sizeof text, value, unit);
  plot_escape(out, text);
}

static void put_table(FILE *out, const comparison *c, int k) {
  const experiment *e = c->tests[k];
  fputs("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">law</th>", out);
  for (int m = 0; m < MEASURES && e->measure[m].name; m++) {
    fputs("<th scope=\"col\">", out);
    plot_escape(out, e->measure[m].name);
    fputs("</th>", out);
  }
  fputs("</tr></thead><tbody>\n", out);
  for (int i = 0; i < c->n_laws; i++) {
    const finding *x = &c->findings[k * c->n_laws + i];
    fprintf(out, "<tr><th scope=\"row\">%s</th>", c->laws[i].law->name);
    for (int m = 0; m < MEASURES && e->measure[m].name && !x->why[0]; m++) {
      fputs("<td class=\"n\">", out);
      put_quantity(out, x->value[m], e->measure[m].unit);
      fputs("</td>", out);
    }
    if (x->why[0]) {
      fprintf(out, "<td colspan=\"%d\" class=\"bad\">", MEASURES);
      plot_escape(out, x->why);
      fputs("</td>", out);
    }
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

static void put_experiment(FILE *out, const comparison *c, int k) {
  const experiment *e = c->tests[k];
  const check *known = &c->checks[k];
  fprintf(out, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">", e->name, e->name);
  plot_escape(out, e->title);
  fputs("</h2><p>", out);
  plot_escape(out, e->text);
  fputs("</p>\n", out);
  fputs("<div class=\"figures\">", out);
  for (int i = 0; i < c->n_figures; i++) {
    fputs("<figure>", out);
    plot_svg(out, &c->figures[k * c->n_figures + i]);
    fputs("</figure>\n", out);
  }
  fputs("</div>\n", out);
  put_table(out, c, k);
  fprintf(out, "<p class=\"%s\">Check: ", check_holds(known) ? "good" : "bad");
  plot_escape(out, known->what);
  fputs(" = ", out);
  put_quantity(out, known->expected, known->unit);
  fputs("; found ", out);
  put_quantity(out, known->found, known->unit);
  fprintf(out, " (%s).</p></section>\n", check_holds(known) ? "holds" : "does not hold");
}

static void put_page(FILE *out, const comparison *c) {
  fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src",
        out);
  page_hash(out, (web_asset){style, strlen(style)});
  fputs("\">\n<title>Friction laws compared \xC2\xB7 Capstan</title><style>", out);
  fputs(style, out);
  fputs("</style></head><body><main>\n<h1>Friction laws compared</h1>\n<p class=\"soft\">", out);
  fprintf(out, "%d law%s in %d experiment%s", c->n_laws, c->n_laws == 1 ? "" : "s", c->n_tests,
          c->n_tests == 1 ? "" : "s");
  for (int i = 0; i < n_bench_rows; i++) {
    fprintf(out, "%s %s ", i ? "," : ";", bench_rows[i].name);
    put_quantity(out, *(const double *)(const void *)((const char *)&c->b + bench_rows[i].where),
                 bench_rows[i].unit);
  }
  fprintf(out, ". Capstan %s.</p>\n<nav aria-label=\"Experiments\">", cps_version());
  for (int k = 0; k < c->n_tests; k++) {
    fprintf(out, "<a href=\"#%s\">", c->tests[k]->name);
    plot_escape(out, c->tests[k]->title);
    fputs("</a>", out);
  }
  fputs("</nav>\n", out);
  for (int k = 0; k < c->n_tests; k++) put_experiment(out, c, k);
  fputs("</main></body></html>\n", out);
}

/* ---------------------------------------------------------------- the command */

int models_compare(const char *laws, const char *tests, const text_list *with, const text_list *set,
                   const char *load, const char *html, int as_json) {
  comparison c = {.laws = NULL};
  int problems = read_laws(&c, laws) + read_tests(&c, tests) + read_bench(&c, with, load);
  if (!problems) problems += apply_settings(&c, set);
  int status = problems ? STATUS_USAGE : STATUS_GOOD;
  if (!problems) {
    perform(&c, as_json);
    const char *path = html ? html : "laws.html";
    FILE *out = as_json && !html ? NULL : open_output("models", path);
    if (out) {
      put_page(out, &c);
      status = close_output("models", path, out);
      if (status == STATUS_GOOD && strcmp(path, "-") != 0) fprintf(stderr, "wrote %s\n", shown_name(path));
    } else if (!as_json || html) {
      status = STATUS_IO;
    }
    if (as_json && status == STATUS_GOOD) put_json(stdout, &c);
    for (int k = 0; k < c.n_tests && status == STATUS_GOOD; k++) {
      if (check_holds(&c.checks[k])) continue;
      complain("models", "%s: %s should give %.9g %s, and gives %.9g", c.tests[k]->name, c.checks[k].what,
               c.checks[k].expected, c.checks[k].unit, c.checks[k].found);
      status = STATUS_FAILED;
    }
  }
  comparison_free(&c);
  return status;
}
