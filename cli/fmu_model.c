/* fmu_model.c - the variables of an FMU: see fmu_model.h. */
#include "fmu_model.h"

#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(text *t, const char *format, ...) {
  va_list args;
  for (;;) {
    va_start(args, format);
    int n = vsnprintf(t->data ? t->data + t->n : NULL, t->room - t->n, format, args);
    va_end(args);
    if (n < 0) return;
    if (t->n + (size_t)n < t->room) {
      t->n += (size_t)n;
      return;
    }
    t->room = 2 * (t->n + (size_t)n) + 1000;
    t->data = grow(t->data, t->room, 1);
  }
}

int fmu_find(const fmu_model *m, const char *name) {
  for (int i = 0; i < m->n; i++)
    if (strcmp(m->variables[i].name, name) == 0) return i;
  return -1;
}

static fmu_variable *add(fmu_model *m, fmu_kind kind, const char *name, const char *unit) {
  m->variables = grow(m->variables, (size_t)m->n + 1, sizeof *m->variables);
  fmu_variable *v = &m->variables[m->n++];
  *v = (fmu_variable){
      .kind = kind, .start = NAN, .min = -INFINITY, .max = INFINITY, .nominal = NAN, .state = -1, .of = -1};
  snprintf(v->name, sizeof v->name, "%s", name);
  snprintf(v->line, sizeof v->line, "%s", name);
  snprintf(v->unit, sizeof v->unit, "%s", unit ? unit : "1");
  return v;
}

static void add_inputs(fmu_model *m) {
  for (int i = 0; i < cps_simulation_inputs(m->sim); i++) {
    cps_input in;
    if (cps_simulation_input_at(m->sim, i, &in) != CPS_OK) continue;
    fmu_variable *v = add(m, FMU_INPUT, in.name, in.unit);
    v->start = in.start;
    snprintf(v->path, sizeof v->path, "%s", in.path);
    snprintf(v->about, sizeof v->about, "%s", in.path);
  }
}

/* Places, velocities and works: whatever is set, only a step changes them. */
static int is_kept(const char *column) {
  static const char *const of_bodies[] = {"x", "y", "z", "v", "vx", "vy", "vz"};
  static const char *const works[] = {"energy.damping", "energy.load_work", "energy.motion_work",
                                      "energy.friction"};
  const char *last = strrchr(column, '.');
  for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
    if (strcmp(column, works[i]) == 0) return 1;
  if (strncmp(column, "contacts.", 9) == 0) return last && strcmp(last, ".work") == 0;
  for (size_t i = 0; strncmp(column, "bodies.", 7) == 0 && i < sizeof of_bodies / sizeof of_bodies[0]; i++)
    if (last && strcmp(last + 1, of_bodies[i]) == 0) return 1;
  return 0;
}

static int wanted(const text_list *list, const char *name) {
  for (int i = 0; i < list->n; i++)
    if (strcmp(list->item[i], name) == 0) return 1;
  return list->n == 0;
}

static int add_outputs(fmu_model *m, const text_list *outputs) {
  const cps_result *r = cps_simulation_result(m->sim);
  int found = 0;
  for (int c = 1; c < cps_result_columns(r); c++) {
    const char *name = cps_result_name(r, c);
    if (!wanted(outputs, name)) continue;
    fmu_variable *v = add(m, FMU_OUTPUT, name, cps_result_unit(r, c));
    cps_result_long_name(name, v->about, sizeof v->about);
    v->kept = is_kept(name);
    found++;
  }
  if (found >= outputs->n) return STATUS_GOOD;
  for (int i = 0; i < outputs->n; i++)
    if (cps_result_find(r, outputs->item[i]) < 0)
      complain("fmu", "there is no column '%s'", outputs->item[i]);
  return STATUS_USAGE;
}

/* States that are no outputs, the rates of all, and the guards of contacts. */
static void add_exchange(fmu_model *m) {
  for (int i = 0; i < m->n_states; i++) {
    cps_exchange_state s;
    if (cps_exchange_state_at(m->sim, i, &s) != CPS_OK) continue;
    int place = fmu_find(m, s.name);
    fmu_variable *v = place >= 0 ? &m->variables[place] : add(m, FMU_STATE, s.name, s.unit);
    if (place < 0) snprintf(v->line, sizeof v->line, "%d", i);
    v->state = i;
    v->nominal = s.nominal;
  }
  for (int i = 0; i < m->n_states; i++) {
    cps_exchange_state s;
    char name[360], unit[40];
    if (cps_exchange_state_at(m->sim, i, &s) != CPS_OK) continue;
    snprintf(name, sizeof name, "der(%s)", s.name);
    snprintf(unit, sizeof unit, strcmp(s.unit, "1") == 0 ? "1/s" : "%s/s", s.unit);
    if (strcmp(s.unit, "m/s") == 0) snprintf(unit, sizeof unit, "m/s2");
    if (strcmp(s.unit, "J") == 0) snprintf(unit, sizeof unit, "W");
    int of = fmu_find(m, s.name);
    fmu_variable *v = add(m, FMU_RATE, name, unit);
    snprintf(v->line, sizeof v->line, "%d", i);
    v->of = of;
    v->state = i;
  }
  /* FMI 3.0 wants them to be variables */
  for (int i = 0; m->fmi3 && i < m->n_guards; i++) {
    char name[40];
    snprintf(name, sizeof name, "guards.%d", i);
    snprintf(add(m, FMU_GUARD, name, "1")->line, sizeof m->variables->line, "%d", i);
  }
}

/* What says how to compute, and where inputs start, is no parameter. */
static int is_no_parameter(const fmu_model *m, const char *path) {
  static const char *const none[] = {"capstan", "run", "outputs"};
  const char *last = strrchr(path, '.');
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    size_t n = strlen(none[i]);
    if (strncmp(path, none[i], n) == 0 && (path[n] == 0 || path[n] == '.')) return 1;
  }
  /* a path may leave out what kind of drive or profile it is */
  for (int i = 0; last && strcmp(last, ".start") == 0 && i < m->n; i++) {
    size_t n = (size_t)(last - path);
    if (m->variables[i].kind == FMU_INPUT && strncmp(m->variables[i].path, path, n) == 0) return 1;
  }
  return 0;
}

static int add_parameters(fmu_model *m, cps_error *err) {
  cps_quantity *list;
  int n;
  if (cps_scenario_quantities(m->scenario, &list, &n, err) != CPS_OK) return STATUS_FAILED;
  for (int i = 0; i < n; i++) {
    const cps_quantity *q = &list[i];
    cps_quantity found;
    /* what a simulation cannot take is no parameter */
    if (is_no_parameter(m, q->path) || cps_scenario_quantity(m->scenario, q->path, &found, NULL) != CPS_OK)
      continue;
    /* names are unique: where a body starts is not where it is */
    char start[360];
    snprintf(start, sizeof start, "start.%s", q->path);
    fmu_variable *v = add(m, cps_path_tunable(q->path) && !q->whole ? FMU_TUNED : FMU_PARAMETER,
                          fmu_find(m, q->path) >= 0 ? start : q->path, q->unit);
    snprintf(v->line, sizeof v->line, "%s", q->path);
    v->start = q->value;
    v->min = q->min;
    v->max = q->max;
  }
  free(list);
  return STATUS_GOOD;
}

static void add_fields(fmu_model *m) {
  const cps_result *r = cps_simulation_result(m->sim);
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *field = cps_result_field(r, i);
    fmu_variable *v = add(m, FMU_FIELD, field->name, field->unit);
    v->points = field->points;
    v->components = field->components;
    cps_result_long_name(field->name, v->about, sizeof v->about);
  }
}

int fmu_collect(fmu_model *m, const text_list *outputs) {
  cps_error err = {0};
  m->exchange = cps_exchange_size(m->sim, &m->n_states, &m->n_guards, &err) == CPS_OK;
  snprintf(m->refusal, sizeof m->refusal, "%.399s", err.text);
  err.text[0] = 0;
  add(m, FMU_TIME, "time", "s");
  add_inputs(m);
  int status = add_outputs(m, outputs);
  if (m->exchange) add_exchange(m);
  if (status == STATUS_GOOD) status = add_parameters(m, &err);
  if (m->fmi3) add_fields(m);
  if (err.text[0]) complain("fmu", "%s", err.text);
  return status;
}

text fmu_list(const fmu_model *m, const text_list *set, const text_list *inputs) {
  static const char *const words[] = {
      [FMU_INPUT] = "input", [FMU_OUTPUT] = "output",       [FMU_STATE] = "state", [FMU_RATE] = "rate",
      [FMU_GUARD] = "guard", [FMU_PARAMETER] = "parameter", [FMU_TUNED] = "tuned", [FMU_FIELD] = "field"};
  text t = {0};
  text_add(&t, "token %s\n", cps_scenario_hash(m->scenario));
  if (m->derivatives) text_add(&t, "derivatives\n");
  for (int i = 0; i < set->n; i++) text_add(&t, "set %s\n", set->item[i]);
  for (int i = 0; i < inputs->n; i++) text_add(&t, "with %s\n", inputs->item[i]);
  for (int i = 1; i < m->n; i++) text_add(&t, "%s %s\n", words[m->variables[i].kind], m->variables[i].line);
  return t;
}
