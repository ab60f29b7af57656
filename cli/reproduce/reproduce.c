/* reproduce.c - capstan reproduce: what papers say, what is known independently, and what we compute. */
#include "reproduce.h"
#include "cli.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "reproduce_doc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- studies */

static const study *const papers[] = {quinn_studies, schuderer_studies, verulkar_studies, westin_studies,
                                      lugris_studies};

enum { N_PAPERS = sizeof papers / sizeof papers[0] };

/* The i-th study of all; NULL past the end. */
static const study *study_at(int i) {
  for (int p = 0; p < N_PAPERS; p++)
    for (const study *s = papers[p]; s->id; s++)
      if (i-- == 0) return s;
  return NULL;
}

/* Whether a study is meant by "quinn.chain" or by "quinn". */
static int is_meant(const study *s, const char *word) {
  size_t n = strlen(word);
  return strncmp(s->id, word, n) == 0 && (s->id[n] == 0 || s->id[n] == '.');
}

static int is_wanted(const study *s, char *const *words, int n) {
  for (int i = 0; i < n; i++)
    if (is_meant(s, words[i])) return 1;
  return n == 0;
}

/* Complains about words that mean no study. */
static int check_words(char *const *words, int n) {
  int problems = 0;
  for (int k = 0; k < n; k++) {
    nearest close = {.word = words[k]};
    int found = 0;
    for (int i = 0; study_at(i); i++) {
      found += is_meant(study_at(i), words[k]);
      nearest_offer(&close, study_at(i)->id);
    }
    if (found) continue;
    complain("reproduce", "there is no '%s'; did you mean '%s'? 'capstan reproduce --list' lists them",
             words[k], close.best);
    problems++;
  }
  return problems;
}

static void run_study(reproduction *r, const study *s) {
  r->now = s;
  for (int i = 0; i < s->n_items; i++) {
    const item *it = &s->items[i];
    const trial *t = trial_run(r, it->file, "%s", it->settings);
    row x = {.published = it->published,
             .reference = it->reference,
             .computed = it->how(t, it->name, it->at),
             .unit = it->unit,
             .by = it->by,
             .tolerance = it->tolerance,
             .source = it->source,
             .note = it->note};
    snprintf(x.item, sizeof x.item, "%s", it->text);
    add_row(r, &x, t);
  }
  if (s->more) s->more(r);
  trials_free(r);
}

/* ---------------------------------------------------------------- output */

static void print_list(void) {
  for (int i = 0; study_at(i); i++) printf("%-24s %s\n", study_at(i)->id, study_at(i)->title);
}

static void json_list(void) {
  json w = json_start(stdout);
  json_open(&w, NULL, '[');
  for (int i = 0; study_at(i); i++) {
    json_open_flat(&w, NULL, '{');
    json_text(&w, "id", study_at(i)->id);
    json_text(&w, "paper", study_at(i)->paper);
    json_text(&w, "title", study_at(i)->title);
    json_close(&w);
  }
  json_close(&w);
  json_end(&w);
}

static const char *const comparison_names[] = {"relative", "absolute", "at least", "at most"};

static void print_json(const reproduction *r) {
  json w = json_start(stdout);
  json_open(&w, NULL, '[');
  for (int i = 0; i < r->n_rows; i++) {
    const row *x = &r->rows[i];
    json_open_flat(&w, NULL, '{');
    json_text(&w, "id", x->id);
    json_text(&w, "paper", x->paper);
    json_text(&w, "item", x->item);
    json_number(&w, "published", x->published);
    json_number(&w, "reference", x->reference);
    json_number(&w, "computed", x->computed);
    json_text(&w, "unit", x->unit);
    json_number(&w, "tolerance", x->by <= ABSOLUTE ? x->tolerance : NAN);
    json_bool(&w, "ok", x->ok);
    json_text(&w, "compare", comparison_names[x->by]);
    json_text(&w, "source", x->source);
    json_text(&w, "note", x->note);
    if (x->error[0]) json_text(&w, "error", x->error);
    json_close(&w);
  }
  json_close(&w);
  json_end(&w);
}

static void print_rows(const reproduction *r, int from, const term *t) {
  const study *s = r->now;
  printf("%s%s%s  %s\n", term_bold(t), s->id, term_plain(t), s->title);
  for (int i = from; i < r->n_rows; i++) {
    const row *x = &r->rows[i];
    char published[40], reference[40], computed[40], allowed[40];
    value_text(published, sizeof published, x->published, 6);
    value_text(reference, sizeof reference, x->reference, 13);
    value_text(computed, sizeof computed, x->computed, 13);
    allowed_text(allowed, sizeof allowed, x);
    printf("  %s%-4s%s ", x->ok ? "" : term_bold(t), x->ok ? "ok" : "OFF", x->ok ? "" : term_plain(t));
    term_pad(stdout, x->item, 62);
    printf(" %10s %20s %20s  %s%s%s\n", published, reference, computed, allowed, *x->unit == '1' ? "" : " ",
           *x->unit == '1' ? "" : x->unit);
    if (x->error[0]) printf("       %s\n", x->error);
  }
  fflush(stdout);
}

static void print_head(const term *t) {
  printf("%s       ", term_dim(t));
  term_pad(stdout, "", 62);
  printf(" %10s %20s %20s  %s%s\n", "published", "reference", "computed", "allowed", term_plain(t));
}

/* ---------------------------------------------------------------- the command */

typedef struct reproduce_options {
  int help, json, list;
  const char *markdown, *scenarios;
} reproduce_options;

static int reproduce(const reproduce_options *o, char **words, int n) {
  reproduction r = {.scenarios = o->scenarios, .draws = o->markdown != NULL};
  int talks = !o->json && !(o->markdown && strcmp(o->markdown, "-") == 0);
  if (!scenarios_found(&r)) {
    complain("reproduce", "the scenario files are not there; name their folder with --scenarios");
    return STATUS_IO;
  }
  term t = term_detect(stdout, 120);
  double started = seconds_now();
  if (talks) print_head(&t);
  for (int i = 0; study_at(i); i++) {
    int from = r.n_rows;
    if (!is_wanted(study_at(i), words, n)) continue;
    run_study(&r, study_at(i));
    if (talks) print_rows(&r, from, &t);
  }
  int good = 0;
  for (int i = 0; i < r.n_rows; i++) good += r.rows[i].ok;
  char wall[40];
  span_text(wall, sizeof wall, seconds_now() - started);
  if (talks) printf("\n%d of %d rows ok, %s\n", good, r.n_rows, wall);
  if (o->json) print_json(&r);
  int status = STATUS_GOOD;
  if (o->markdown) status = verification_write("reproduce", o->markdown, &r, study_at);
  for (int i = 0; i < r.n_drawings; i++) figure_free(&r.drawings[i].figure);
  free(r.rows);
  free(r.drawings);
  free((void *)r.trials);
  return status != STATUS_GOOD ? status : good == r.n_rows ? STATUS_GOOD : STATUS_FAILED;
}

int reproduce_run(int argc, char **argv) {
  reproduce_options o = {0};
  const option table[] = {
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print all rows as one JSON document"},
      {"list", 'l', OPTION_FLAG, &o.list, NULL, "list the ids, and run nothing"},
      {"markdown", 0, OPTION_TEXT, (void *)&o.markdown, "FILE", "write a page with tables and figures"},
      {"scenarios", 0, OPTION_TEXT, (void *)&o.scenarios, "FOLDER", "where the scenario files are"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("reproduce", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    printf(
        "Usage: capstan reproduce [ID]... [--json] [--list] [--markdown FILE]\n\n"
        "Runs the published test cases in scenarios/ and compares: published number, independent reference,\n"
        "our own. ID is one of --list, or its first word, such as quinn; without any, all are "
        "run.\n\nOptions:\n");
    options_help(stdout, table, n_options);
    printf("\nExit status: 0 if every row is ok, 1 if one is not.\n");
    return STATUS_GOOD;
  }
  if (check_words(argv, n)) return STATUS_USAGE;
  if (o.list) {
    if (o.json)
      json_list();
    else
      print_list();
    return STATUS_GOOD;
  }
  if (o.json && o.markdown && strcmp(o.markdown, "-") == 0) {
    complain("reproduce", "--json and --markdown - both want standard output; give the page a file name");
    return STATUS_USAGE;
  }
  return reproduce(&o, argv, n);
}
