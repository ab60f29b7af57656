/* read_outputs.c - what a scenario says about its results: the section `outputs`, and which columns it wants. */
#include "read_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether text fits a pattern in which * stands for any text. Goes back to the last * where it does not. */
static int fits(const char *pattern, const char *text) {
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++from;
    } else {
      return 0;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}

int cps_outputs_want(const cps_scenario *s, const char *name) {
  if (s->outputs.n == 0 || strcmp(name, "time") == 0) return 1;
  for (int i = 0; i < s->outputs.n; i++)
    if (fits(s->outputs.pattern[i], name)) return 1;
  return 0;
}

int cps_outputs_used(const cps_scenario *s, int i, const cps_result *result) {
  for (int c = 0; c < cps_result_columns(result); c++)
    if (fits(s->outputs.pattern[i], cps_result_name(result, c))) return 1;
  return 0;
}

/* One name alone is a list of one. */
static void read_columns(reader *r, const node *list, cps_scenario *s) {
  static const key columns = {"columns", KEY_TEXTS, .example = "[\"bodies.*\"]"};
  int before = cps_enter(r, "columns"), is_list = list->kind == NODE_LIST, n = is_list ? list->n : 1;
  scenario_outputs *o = &s->outputs;
  o->pattern = calloc((size_t)n + 1, sizeof o->pattern[0]);
  if (!o->pattern) r->d->no_memory = 1;
  if (is_list && n == 0) cps_complain(r, list, "the list is empty; without the key everything is recorded");
  for (int i = 0; i < n && o->pattern; i++) {
    const node *item = is_list ? list->item[i] : list;
    if (item->kind != NODE_SCALAR || strlen(item->text) >= sizeof o->pattern[0])
      cps_complain_type(r, item, &columns, NULL, NULL);
    else
      snprintf(o->pattern[o->n++], sizeof o->pattern[0], "%s", item->text);
  }
  cps_leave(r, before);
}

/* An interval that is said twice is a contradiction, or will become one. */
static void read_interval(reader *r, const node *n, const char *name, const node *run, const char *other,
                          double value, double *target) {
  if (value < 0) return;
  const node *twice = run ? cps_node_get(run, other) : NULL;
  if (twice) {
    int before = cps_enter(r, name);
    cps_complain(r, cps_node_get(n, name), "run.%s says it too: leave one of them out", other);
    cps_leave(r, before);
  }
  *target = value;
}

void cps_read_outputs(reader *r, const node *n, const node *run, cps_scenario *s) {
  raw_outputs raw;
  memset(&raw, 0, sizeof raw);
  int before = cps_enter(r, "outputs");
  if (cps_read_map(r, n, &cps_keys_outputs, NULL, &raw)) {
    read_interval(r, n, "every", run, "output", raw.every, &s->run.output);
    read_interval(r, n, "fields", run, "fields", raw.fields, &s->run.fields);
    if (raw.columns) read_columns(r, raw.columns, s);
  }
  cps_leave(r, before);
}
