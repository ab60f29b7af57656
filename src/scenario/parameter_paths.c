/* parameter_paths.c - numbers of a scenario by their paths: see parameter_paths.h. */
#include "parameter_paths.h"

#include "internal.h"
#include "plain_locale.h"
#include "read_sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ for the reader */

/* Whether a part of a path names a law or a kind of profile or drive, which a path may leave out. */
static int is_kind(const reader *r, const char *s, size_t n) {
  char name[CPS_NAME_ROOM];
  if (n >= sizeof name) return 0;
  memcpy(name, s, n);
  name[n] = 0;
  if (cps_laws_find(r->laws, name) || cps_laws_find_normal(r->laws, name) || cps_row(&cps_keys_drive, name))
    return 1;
  for (int i = 0; i < cps_profile_types(); i++)
    if (strcmp(cps_profile_type(i)->keys->name, name) == 0) return 1;
  return 0;
}

typedef enum match { NO_MATCH, MATCH, MATCH_INSIDE } match;

/* Whether a path that was asked for is `full`, or names something that `full` lies in. */
static match compare(const reader *r, const char *asked, const char *full) {
  for (int depth = 0;; depth++) {
    size_t a = strcspn(asked, "."), b = strcspn(full, ".");
    int same = a == b && memcmp(asked, full, a) == 0;
    /* No kind stands at the top or names a thing. */
    if (!same && (depth < 2 || !full[b] || !is_kind(r, full, b))) return NO_MATCH;
    full += b;
    if (same) asked += a;
    if (!*asked) return *full ? MATCH_INSIDE : MATCH;
    if (!*full) return NO_MATCH;
    full++;
    asked += same;
  }
}

static const char *path_of(const reader *r, const char *item, char *text, size_t size) {
  snprintf(text, size, "%s%s%s", r->path, item && r->path[0] ? "." : "", item ? item : "");
  return text;
}

/* A path without the kinds that may be left out. */
static void leave_out(const reader *r, const char *full, char *text, size_t size) {
  size_t n = 0;
  for (int depth = 0; *full && n + 1 < size; depth++) {
    size_t length = strcspn(full, ".");
    if (depth < 2 || !full[length] || !is_kind(r, full, length))
      n += (size_t)snprintf(text + n, size - n, "%s%.*s", n ? "." : "", (int)length, full);
    full += length + (full[length] == '.');
  }
}

static void offer_name(probe *p, const char *full) {
  const char *before = p->near.best;
  p->near.word = p->path;
  cps_nearest_offer(&p->near, full);
  if (p->near.best == before) return;
  snprintf(p->best, sizeof p->best, "%s", full);
  p->near.best = p->best;
}

static void fill(cps_quantity *q, const char *path, const key *k, const char *unit, double value) {
  snprintf(q->path, sizeof q->path, "%s", path);
  snprintf(q->unit, sizeof q->unit, "%.31s", unit ? unit : "1");
  q->value = value;
  q->min = k->min;
  q->max = k->max;
  q->above = k->above;
  q->whole = k->type == KEY_INTEGER;
}

/* Adds a number to a list. A path that is too long for a quantity cannot be asked for, and is left out. */
static void collect(const reader *r, quantity_list *all, const char *full, const key *k, const char *unit,
                    double value) {
  char brief[sizeof all->item->path + 1];
  leave_out(r, full, brief, sizeof brief);
  if (strlen(brief) >= sizeof all->item->path) return;
  if (all->n == all->room) {
    int room = 2 * all->room + 64;
    cps_quantity *more = (cps_quantity *)realloc(all->item, (size_t)room * sizeof *more);
    if (!more) {
      all->no_memory = 1;
      return;
    }
    all->item = more;
    all->room = room;
  }
  fill(&all->item[all->n++], brief, k, unit, value);
}

void cps_probe_number(reader *r, const char *item, const key *k, const char *unit, double value) {
  char full[sizeof r->path + 24];
  path_of(r, item, full, sizeof full);
  for (int i = 0; i < r->n_probes; i++) {
    probe *p = &r->probes[i];
    if (p->all) {
      collect(r, p->all, full, k, unit, value);
      continue;
    }
    if (p->want_near) {
      char brief[sizeof full];
      leave_out(r, full, brief, sizeof brief);
      offer_name(p, full);
      offer_name(p, brief);
      continue;
    }
    match m = compare(r, p->path, full);
    /* What is written says more than a default. */
    if (m == MATCH_INSIDE && (!p->inside[0] || (p->inside_default && !item))) {
      snprintf(p->inside, sizeof p->inside, "%.95s", full);
      p->inside_default = item != NULL;
    }
    if (m != MATCH || p->found) continue;
    p->found = 1;
    fill(&p->q, p->path, k, unit, value);
  }
}

void cps_probe_default(reader *r, const key *k, const char *unit) {
  char room[64], full[sizeof r->path + 24];
  int number = k->type == KEY_INTEGER || k->type == KEY_QUANTITY || k->type == KEY_AMOUNT;
  int vector = k->type == KEY_VECTOR || k->type == KEY_AXIS || k->type == KEY_POINT;
  if (number && !k->required && !k->otherwise && isfinite(k->value)) {
    const char *u = k->type == KEY_INTEGER ? "1" : cps_key_unit(k, unit, room, sizeof room);
    cps_probe_number(r, k->name, k, u, k->value);
    return;
  }
  /* Items of a vector that is not written cannot be set one by one. */
  size_t n = strlen(path_of(r, k->name, full, sizeof full));
  for (int i = 0; i < r->n_probes; i++) {
    const char *path = r->probes[i].path;
    if (path && strncmp(path, full, n) == 0 && (path[n] == 0 || (vector && path[n] == '.')))
      r->probes[i].other = 1;
  }
}

void cps_probe_other(reader *r) {
  for (int i = 0; i < r->n_probes; i++)
    if (!r->probes[i].want_near && !r->probes[i].all && compare(r, r->probes[i].path, r->path) == MATCH)
      r->probes[i].other = 1;
}

/* ------------------------------------------------------------------ asking */

/* Says why a path is no number. */
static cps_status complain(const cps_scenario *s, probe *p, cps_error *err) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  cps_quote(quote, p->path);
  cps_status status;
  if (p->inside[0]) {
    status = cps_error_set(err, CPS_BAD_INPUT, p->path, "%s is more than one number; such as %s", quote,
                           p->inside);
  } else if (p->other) {
    status = cps_error_set(err, CPS_BAD_INPUT, p->path, "%s is not a number in this scenario", quote);
  } else {
    probe again = {.path = p->path, .want_near = 1};
    cps_scenario_free(
        cps_scenario_again(s, (const char *const *)s->settings, s->n_settings, &again, 1, 0, NULL));
    status = cps_error_set(err, CPS_BAD_INPUT, p->path, "there is no number %s in this scenario%s", quote,
                           cps_nearest_hint(&again.near, "", hint));
  }
  if (err) snprintf(err->file, sizeof err->file, "%s", s->file);
  return status;
}

cps_status cps_scenario_probe(const cps_scenario *s, probe *probes, int n, cps_error *err) {
  for (int i = 0; i < n; i++) {
    if (!probes[i].path || strlen(probes[i].path) >= sizeof probes[i].q.path)
      return cps_error_set(err, CPS_BAD_INPUT, NULL, "a path has at most %zu characters",
                           sizeof probes[i].q.path - 1);
  }
  cps_scenario *again = cps_scenario_again(s, (const char *const *)s->settings, s->n_settings, probes, n, 0,
                                           NULL);
  if (!again)
    return cps_error_set(err, CPS_NO_MEMORY, NULL,
                         "the scenario cannot be read a second time: out of memory");
  cps_scenario_free(again);
  for (int i = 0; i < n; i++)
    if (!probes[i].found) return complain(s, &probes[i], err);
  return CPS_OK;
}

cps_status cps_scenario_quantity(const cps_scenario *s, const char *path, cps_quantity *quantity,
                                 cps_error *err) {
  probe p = {.path = path};
  cps_status status = cps_scenario_probe(s, &p, 1, err);
  if (status == CPS_OK) *quantity = p.q;
  return status;
}

cps_status cps_scenario_quantities(const cps_scenario *s, cps_quantity **list, int *n, cps_error *err) {
  quantity_list all = {NULL, 0, 0, 0};
  probe p = {.path = NULL, .all = &all};
  *list = NULL;
  *n = 0;
  cps_scenario *again = cps_scenario_again(s, (const char *const *)s->settings, s->n_settings, &p, 1, 0,
                                           NULL);
  if (!again || all.no_memory) {
    cps_scenario_free(again);
    free(all.item);
    return cps_error_set(err, CPS_NO_MEMORY, NULL,
                         "the scenario cannot be read a second time: out of memory");
  }
  cps_scenario_free(again);
  *list = all.item;
  *n = all.n;
  return CPS_OK;
}

/* ------------------------------------------------------------------ changing */

cps_scenario *cps_scenario_vary(const cps_scenario *s, const char *const *paths, const double *values, int n,
                                int lenient, cps_problems **problems) {
  enum { NUMBER = 40 };
  int all = s->n_settings + n;
  const char **settings = calloc((size_t)all + 1, sizeof *settings);
  size_t size = 1;
  for (int i = 0; i < n; i++) size += strlen(paths[i]) + NUMBER;
  char *text = malloc(size), *at = text;
  cps_scenario *varied = NULL;
  if (problems) *problems = NULL;
  if (!settings || !text) {
    if (problems) *problems = cps_problems_no_memory();
    goto out;
  }
  for (int i = 0; i < s->n_settings; i++) settings[i] = s->settings[i];
  for (int i = 0; i < n; i++) {
    settings[s->n_settings + i] = at;
    char number[NUMBER];
    at += sprintf(at, "%s=%s", paths[i], cps_number_text(number, sizeof number, values[i])) + 1;
  }
  varied = cps_scenario_again(s, settings, all, NULL, 0, lenient, problems);
out:
  free(settings);
  free(text);
  return varied;
}

/* What is wrong with inputs: of one of the quantities that it cannot be one, rather than that our text for it is wrong. */
static void say_why_no_input(const char *const *paths, int n, const cps_problems *problems, cps_error *err) {
  if (cps_problems_count(problems) == 0) return;
  const cps_error *first = cps_problems_at(problems, 0);
  for (int i = 0; i < n; i++) {
    size_t length = strlen(paths[i]);
    if (strcmp(first->file, "--set") != 0 || strncmp(first->source, paths[i], length) != 0 ||
        first->source[length] != '=')
      continue;
    cps_error_set(
        err, CPS_BAD_INPUT, NULL,
        "%s cannot be an input: only what may change with time can, such as a force, a torque, a set point "
        "or a prescribed motion",
        paths[i]);
    return;
  }
  if (err) *err = *first;
}

cps_scenario *cps_scenario_with_inputs(const cps_scenario *s, const char *const *paths, int n,
                                       cps_error *err) {
  enum { ROOM = 80 };
  int all = s->n_settings + n;
  const char **settings = calloc((size_t)all + 1, sizeof *settings);
  probe *probes = calloc((size_t)n + 1, sizeof *probes);
  size_t size = 1;
  for (int i = 0; i < n; i++) size += 2 * strlen(paths[i]) + ROOM;
  char *text = malloc(size), *at = text;
  cps_scenario *changed = NULL;
  cps_problems *problems = NULL;
  cps_status status = CPS_OK;
  if (!settings || !text || !probes) status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory");
  for (int i = 0; probes && i < n; i++) probes[i].path = paths[i];
  if (status == CPS_OK) status = cps_scenario_probe(s, probes, n, err);
  for (int i = 0; status == CPS_OK && i < s->n_settings; i++) settings[i] = s->settings[i];
  for (int i = 0; status == CPS_OK && i < n; i++) {
    settings[s->n_settings + i] = at;
    at += sprintf(at, "%s={input: {name: ", paths[i]);
    for (const char *c = paths[i]; *c; c++) *at++ = *c == '.' ? '_' : *c;
    at += cps_print(at, (size_t)(text + size - at), ", start: %.17g}}", probes[i].q.value) + 1;
  }
  if (status == CPS_OK) changed = cps_scenario_again(s, settings, all, NULL, 0, 0, &problems);
  if (status == CPS_OK && !changed) say_why_no_input(paths, n, problems, err);
  cps_problems_free(problems);
  free(settings);
  free(probes);
  free(text);
  return changed;
}

cps_scenario *cps_scenario_with(const cps_scenario *s, const char *const *paths, const double *values, int n,
                                cps_problems **problems) {
  return cps_scenario_vary(s, paths, values, n, 0, problems);
}
