/* study.c - see study.h. */
#include "study.h"
#include "cli.h"
#include "guard.h"
#include "input.h"
#include "problems.h"
#include "progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4200 };

/* ---------------------------------------------------------------- lists */

void words_add(words *w, const char *text, size_t length) {
  while (length > 0 && *text == ' ') {
    text++;
    length--;
  }
  while (length > 0 && text[length - 1] == ' ') length--;
  w->item = (char **)grow((void *)w->item, (size_t)w->n + 1, sizeof *w->item);
  char *copy = (char *)grow(NULL, length + 1, 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  w->item[w->n++] = copy;
}

void words_split(words *w, const char *text) {
  int depth = 0;
  const char *start = text;
  for (const char *c = text;; c++) {
    depth += (*c == '(' || *c == '[' || *c == '{') - (*c == ')' || *c == ']' || *c == '}');
    if (*c && (*c != ',' || depth > 0)) continue;
    if (c > start) words_add(w, start, (size_t)(c - start));
    start = c + 1;
    if (!*c) return;
  }
}

/* A text and where it stood. */
typedef struct placed {
  const char *text;
  int at;
} placed;

static int by_text(const void *a, const void *b) {
  const placed *x = (const placed *)a, *y = (const placed *)b;
  int order = strcmp(x->text, y->text);
  return order ? order : x->at - y->at;
}

void words_once(words *w) {
  placed *sorted = (placed *)grow(NULL, (size_t)w->n + 1, sizeof *sorted);
  for (int i = 0; i < w->n; i++) sorted[i] = (placed){w->item[i], i};
  if (w->n > 0) qsort(sorted, (size_t)w->n, sizeof *sorted, by_text);
  const char *last = NULL;
  for (int i = 0; i < w->n; i++) {
    if (last && strcmp(last, sorted[i].text) == 0) {
      free(w->item[sorted[i].at]);
      w->item[sorted[i].at] = NULL;
    } else {
      last = sorted[i].text;
    }
  }
  int kept = 0;
  for (int i = 0; i < w->n; i++)
    if (w->item[i]) w->item[kept++] = w->item[i];
  w->n = kept;
  free(sorted);
}

void words_free(words *w) {
  for (int i = 0; i < w->n; i++) free(w->item[i]);
  free((void *)w->item);
  *w = (words){NULL, 0};
}

/* ---------------------------------------------------------------- scenarios */

cps_scenario *study_load(const char *file, const text_list *set, int as_json, int *status) {
  cps_problems *problems = NULL;
  cps_scenario *s = input_scenario(file, set, &problems);
  *status = s ? STATUS_GOOD : problems_refuse(file, problems, as_json);
  cps_problems_free(problems);
  return s;
}

int study_status(const cps_error *e) {
  return e->status == CPS_IO ? STATUS_IO : e->status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_FAILED;
}

const char *number_or_dash(char *text, size_t size, const char *format, double value) {
  if (isfinite(value))
    snprintf(text, size, format, value + 0.0);
  else
    snprintf(text, size, "-");
  return text;
}

/* ---------------------------------------------------------------- runs */

int study_run_make(study_run *r, cps_scenario *scenario, cps_error *error) {
  memset(r, 0, sizeof *r);
  r->scenario = scenario;
  if (!scenario) return 0;
  r->system = cps_system_new(scenario, error);
  r->sim = r->system ? cps_simulation_new(r->system, error) : NULL;
  if (!r->sim) {
    study_run_free(r);
    return 0;
  }
  cps_contents has;
  cps_scenario_contents(scenario, &has);
  double began = seconds_now();
  cps_status status = cps_simulation_run(r->sim, NULL, NULL, &r->error);
  r->all = (outcome){.scenario = scenario,
                     .result = cps_simulation_result(r->sim),
                     .settings = has.settings,
                     .n_settings = has.n_settings,
                     .status = status == CPS_OK ? "complete" : "failed",
                     .error = status == CPS_OK ? NULL : &r->error,
                     .wall = seconds_now() - began};
  return 1;
}

void study_run_free(study_run *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
  memset(r, 0, sizeof *r);
}

/* ---------------------------------------------------------------- files */

int study_file(const char *where, const char *folder, const char *name, void (*write)(FILE *, const void *),
               const void *data) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = open_output_inside(where, path);
  if (!file) return STATUS_IO;
  write(file, data);
  return close_output(where, path, file);
}

static void write_source(FILE *out, const void *data) {
  size_t length;
  const char *text = cps_scenario_text((const cps_scenario *)data, &length);
  fwrite(text, 1, length, out);
}

int study_write(const char *where, const char *folder, const outcome *o) {
  char path[PATH_SIZE], *summary = summary_text(o);
  if (!summary) {
    complain(where, "out of memory");
    return STATUS_FAILED;
  }
  snprintf(path, sizeof path, "%s/result.h5", folder);
  cps_result_source from = {o->result, o->scenario, o->status, summary};
  cps_error error = {0};
  int status = STATUS_GOOD;
  guard_begin(where, path, NULL);
  if (cps_result_file_write(path, &from, &error) != CPS_OK) status = STATUS_IO;
  guard_end();
  if (status != STATUS_GOOD) complain(where, "%s", error.text);
  if (status == STATUS_GOOD) status = study_file(where, folder, "scenario.yaml", write_source, o->scenario);
  if (status == STATUS_GOOD) status = results_write(where, folder, o);
  free(summary);
  return status;
}
