/* instance.c - see instance.h. */
#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ messages */

const char *const fmu_categories[MESSAGE_KINDS] = {"logStatusError", "logStatusWarning", "logEvents"};

/* A number with a point, whatever the locale of the importer. */
typedef struct number_text {
  char text[CPS_NUMBER_TEXT];
} number_text;

static number_text number(double value) {
  number_text n;
  cps_number_shortest(n.text, sizeof n.text, value);
  return n;
}

static void say(instance *f, fmu_message kind, const char *format, va_list args) {
  char text[1200];
  if (!f->log || (kind != MESSAGE_ERROR && !(f->logged >> kind & 1))) return;
  vsnprintf(text, sizeof text, format, args);
  f->log(f->front, kind, text);
}

void instance_message(instance *f, fmu_message kind, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(f, kind, format, args);
  va_end(args);
}

fmu_status instance_refuse(instance *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(f, MESSAGE_ERROR, format, args);
  va_end(args);
  return FMU_ERROR;
}

fmu_status instance_failed(instance *f, const cps_error *err) {
  char text[1200];
  if (strcmp(err->file, "--set") == 0) /* a value of a parameter: there is no file to point into */
    snprintf(text, sizeof text, "%s: %s", err->key, err->text);
  else if (err->file[0])
    cps_problem_text(err, text, sizeof text);
  else
    snprintf(text, sizeof text, "%s", err->text);
  return instance_refuse(f, "%s", text);
}

fmu_status instance_no_memory(instance *f) { return instance_refuse(f, "out of memory"); }

fmu_status instance_logging(instance *f, int on, size_t n, const char *const *categories) {
  if (!f) return FMU_ERROR;
  unsigned wanted = n == 0 ? ~0u : 0;
  for (size_t i = 0; i < n; i++) {
    int known = 0;
    for (int k = 0; categories && categories[i] && k < MESSAGE_KINDS; k++)
      if (strcmp(categories[i], fmu_categories[k]) == 0) known = 1, wanted |= 1u << k;
    if (!known)
      return instance_refuse(f, "there is no log category \"%s\"",
                             categories && categories[i] ? categories[i] : "");
  }
  f->logged = on ? f->logged | wanted : f->logged & ~wanted;
  return FMU_OK;
}

int instance_allowed(instance *f, unsigned phases, const char *call) {
  static const char *const where[] = {"before initialization",
                                      "during initialization",
                                      "in step mode",
                                      "in event mode",
                                      "in continuous-time mode",
                                      "after the end",
                                      "after the simulation has failed"};
  if (!f) return 0;
  if (f->phase & phases) return 1;
  int i = 0;
  while (!(f->phase >> i & 1)) i++;
  instance_refuse(f, "%s is not allowed %s", call, where[i]);
  return 0;
}

/* Warnings of the result that have not been told yet. */
static void log_warnings(instance *f) {
  const cps_result *r = cps_simulation_result(f->sim);
  const char *text;
  while ((text = cps_result_warning(r, f->warned)) != NULL) {
    instance_message(f, MESSAGE_WARNING, "%s", text);
    f->warned++;
  }
}

/* The last n events of the result, as far as it has kept them. */
void instance_log_events(instance *f, long n) {
  const cps_result *r = cps_simulation_result(f->sim);
  long all = cps_result_events(r);
  if (!(f->logged >> MESSAGE_EVENT & 1)) return;
  for (long i = n < all ? all - n : 0; i < all; i++) {
    const cps_event *e = cps_result_event(r, i);
    instance_message(f, MESSAGE_EVENT, "at t = %s s, %s: %s", number(e->time).text, e->contact_name, e->what);
  }
}

/* ------------------------------------------------------------------ resources */

/* A digit of a number to the base 16; -1 if it is none. */
static int digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* "file:///a%20b" or a plain path as a path, into text[size]; 0 if it does not fit. */
static int path_of(const char *uri, char *text, size_t size) {
  const char *scheme = "file:";
  size_t n = 0;
  int is_uri = strncmp(uri, scheme, strlen(scheme)) == 0;
  if (is_uri) {
    uri += strlen(scheme);
    if (strncmp(uri, "//localhost/", 12) == 0)
      uri += 11;
    else if (strncmp(uri, "///", 3) == 0)
      uri += 2;
    /* file:///C:/folder */
    if (uri[0] == '/' && uri[1] && uri[2] == ':') uri++;
  }
  for (; *uri && n + 1 < size; n++) {
    int high = is_uri && uri[0] == '%' ? digit(uri[1]) : -1, low = high >= 0 ? digit(uri[2]) : -1;
    text[n] = low >= 0 ? (char)(16 * high + low) : *uri;
    uri += low >= 0 ? 3 : 1;
  }
  text[n] = 0;
  while (n > 1 && (text[n - 1] == '/' || text[n - 1] == '\\')) text[--n] = 0;
  return *uri == 0;
}

static char *copy(const char *text) {
  size_t n = strlen(text) + 1;
  char *made = malloc(n);
  return made ? memcpy(made, text, n) : NULL;
}

static int add_variable(instance *f, fmu_kind kind, const char *name) {
  if ((f->n_variables & (f->n_variables - 1)) == 0) {
    fmu_variable *more = realloc(f->variables,
                                 (size_t)(f->n_variables ? 2 * f->n_variables : 1) * sizeof *more);
    if (!more) return 0;
    f->variables = more;
  }
  fmu_variable v = {.kind = kind, .name = copy(name), .index = -1, .size = 1, .value = NAN, .file = NAN};
  if (!v.name) return 0;
  f->variables[f->n_variables++] = v;
  return 1;
}

/* Lines of one kind. */
typedef struct lines {
  char **item;
  int n;
} lines;

static int add_line(lines *l, const char *text) {
  char **more = realloc(l->item, (size_t)(l->n + 1) * sizeof *more);
  if (!more) return 0;
  l->item = more;
  return (l->item[l->n] = copy(text)) != NULL && ++l->n;
}

static void free_lines(lines *l) {
  for (int i = 0; i < l->n; i++) free(l->item[i]);
  free(l->item);
}

enum { LINE_MOST = 2000 };

static int read_line(instance *f, const char *line, lines *settings, lines *inputs) {
  static const struct {
    const char *word;
    fmu_kind kind;
  } kinds[] = {{"input ", FMU_INPUT}, {"output ", FMU_OUTPUT}, {"state ", FMU_STATE},
               {"rate ", FMU_RATE},   {"guard ", FMU_GUARD},   {"parameter ", FMU_PARAMETER},
               {"tuned ", FMU_TUNED}, {"field ", FMU_FIELD}};
  if (strncmp(line, "set ", 4) == 0) return add_line(settings, line + 4);
  if (strncmp(line, "with ", 5) == 0) return add_line(inputs, line + 5);
  if (strcmp(line, "derivatives") == 0) f->derivatives = 1;
  if (strncmp(line, "token ", 6) == 0) snprintf(f->token, sizeof f->token, "%s", line + 6);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    size_t length = strlen(kinds[k].word);
    if (strncmp(line, kinds[k].word, length) == 0) return add_variable(f, kinds[k].kind, line + length);
  }
  return 1;
}

static int read_variables(instance *f, const char *path, lines *settings, lines *inputs) {
  char line[LINE_MOST];
  FILE *file = fopen(path, "r");
  if (!file) {
    instance_refuse(f, "%s cannot be read", path);
    return 0;
  }
  int good = add_variable(f, FMU_TIME, "time");
  while (good && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = 0;
    good = read_line(f, line, settings, inputs);
  }
  fclose(file);
  if (!good) instance_no_memory(f);
  return good;
}

static int load_scenario(instance *f, const char *path, const lines *settings, const lines *inputs) {
  cps_problems *problems = NULL;
  cps_error err = {0};
  f->scenario = cps_scenario_load(path, (const char *const *)settings->item, settings->n, &problems);
  for (int i = 0; problems && i < cps_problems_count(problems); i++)
    instance_failed(f, cps_problems_at(problems, i));
  cps_problems_free(problems);
  if (!f->scenario || inputs->n == 0) return f->scenario != NULL;
  cps_scenario *with = cps_scenario_with_inputs(f->scenario, (const char *const *)inputs->item, inputs->n,
                                                &err);
  if (!with) return instance_failed(f, &err) == FMU_OK;
  cps_scenario_free(f->scenario);
  f->scenario = with;
  return 1;
}

/* ------------------------------------------------------------------ the simulation */

/* Start values of parameters and inputs, and which columns and fields the others are. */
static int bind(instance *f) {
  cps_quantity *list;
  int n;
  cps_error err = {0};
  const cps_result *r = cps_simulation_result(f->sim);
  if (cps_scenario_quantities(f->scenario, &list, &n, &err) != CPS_OK)
    return instance_failed(f, &err) == FMU_OK;
  int next = 0, good = 1;
  for (int i = 1; good && i < f->n_variables; i++) {
    fmu_variable *v = &f->variables[i];
    cps_input in;
    int number = v->kind == FMU_STATE || v->kind == FMU_RATE || v->kind == FMU_GUARD;
    if (v->kind == FMU_PARAMETER || v->kind == FMU_TUNED) {
      /* they come in the order of the list */
      int k = next;
      while (k < n && strcmp(list[k].path, v->name) != 0) k++;
      for (good = k < n; !good && k > 0;) good = strcmp(list[--k].path, v->name) == 0;
      if (good) v->file = v->value = list[k].value, next = k + 1;
    } else if (v->kind == FMU_INPUT) {
      v->index = cps_simulation_input(f->sim, v->name);
      good = cps_simulation_input_at(f->sim, v->index, &in) == CPS_OK;
      if (good) v->file = v->value = in.start;
    } else if (v->kind == FMU_OUTPUT) {
      good = (v->index = cps_simulation_column(f->sim, v->name)) >= 0;
    } else if (number) {
      v->index = atoi(v->name);
      good = v->index >= 0 && v->index < (v->kind == FMU_GUARD ? f->n_guards : f->n_states);
    } else {
      for (v->index = 0; v->index < cps_result_fields(r); v->index++)
        if (strcmp(cps_result_field(r, v->index)->name, v->name) == 0) break;
      const cps_field *field = cps_result_field(r, v->index);
      good = field != NULL;
      if (good) v->size = (size_t)field->points * (size_t)field->components;
    }
    if (!good) instance_refuse(f, "the scenario has no \"%s\"", v->name);
  }
  free(list);
  return good;
}

/* A simulation that has not started. */
static int make_simulation(instance *f) {
  cps_error err = {0};
  cps_simulation *sim = cps_simulation_new(f->system, &err);
  if (!sim || cps_simulation_keep(sim, 0, &err) != CPS_OK) {
    cps_simulation_free(sim);
    instance_failed(f, &err);
    return 0;
  }
  cps_stretch_free(f->stretch);
  f->stretch = NULL;
  f->followed = 0;
  cps_simulation_free(f->sim);
  f->sim = sim;
  f->warned = 0;
  return 1;
}

instance *instance_new(const instance_setup *setup) {
  instance *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->log = setup->log;
  f->front = setup->front;
  f->exchange = setup->exchange;
  f->phase = PHASE_NEW;
  f->logged = setup->logging ? ~0u : 1u << MESSAGE_WARNING;
  char folder[2000] = "", path[2100];
  lines settings = {0}, inputs = {0};
  cps_error err = {0};
  int good = setup->resources && path_of(setup->resources, folder, sizeof folder);
  if (!good) instance_refuse(f, "the place of the resources is missing or too long");
  snprintf(path, sizeof path, "%s/variables.txt", folder);
  good = good && read_variables(f, path, &settings, &inputs);
  if (good && setup->token && strcmp(setup->token, f->token) != 0)
    good = instance_refuse(f, "the FMU is \"%s\", and not \"%s\" as its description says", f->token,
                           setup->token) == FMU_OK;
  snprintf(path, sizeof path, "%s/scenario.yaml", folder);
  good = good && load_scenario(f, path, &settings, &inputs);
  free_lines(&settings);
  free_lines(&inputs);
  if (good) {
    f->system = cps_system_new(f->scenario, &err);
    good = f->system ? make_simulation(f) : instance_failed(f, &err) == FMU_OK;
  }
  if (good && cps_exchange_size(f->sim, &f->n_states, &f->n_guards, &err) == CPS_OK) {
    f->scratch = calloc((size_t)(f->n_states + f->n_guards) + 1, sizeof *f->scratch);
    good = f->scratch ? make_simulation(f) : instance_no_memory(f) == FMU_OK;
  } else if (good && f->exchange) {
    good = instance_failed(f, &err) == FMU_OK;
  }
  if (good && bind(f)) return f;
  instance_free(f);
  return NULL;
}

void instance_free(instance *f) {
  if (!f) return;
  cps_stretch_free(f->stretch);
  cps_simulation_free(f->sim);
  cps_system_free(f->system);
  cps_scenario_free(f->scenario);
  for (int i = 0; i < f->n_variables; i++) free(f->variables[i].name);
  free(f->variables);
  free(f->scratch);
  free(f);
}

/* ------------------------------------------------------------------ parameters */

static int is_parameter(const fmu_variable *v) { return v->kind == FMU_PARAMETER || v->kind == FMU_TUNED; }

/* Paths and values of the parameters that are not as in the file. */
typedef struct changes {
  const char **paths; /* owned, as the values are */
  double *values;
  int n;
} changes;

static int collect(const instance *f, changes *c) {
  *c = (changes){calloc((size_t)f->n_variables + 1, sizeof *c->paths),
                 calloc((size_t)f->n_variables + 1, sizeof *c->values), 0};
  for (int i = 0; c->paths && c->values && i < f->n_variables; i++) {
    const fmu_variable *v = &f->variables[i];
    if (!is_parameter(v) || v->value == v->file) continue;
    c->paths[c->n] = v->name;
    c->values[c->n++] = v->value;
  }
  return c->paths && c->values;
}

static int any_changed(const instance *f) {
  for (int i = 0; i < f->n_variables; i++)
    if (is_parameter(&f->variables[i]) && f->variables[i].value != f->variables[i].file) return 1;
  return 0;
}

/* All parameters that are not as in the file, into the simulation as it is. */
static fmu_status change(instance *f) {
  changes c;
  cps_error err = {0};
  cps_status status = collect(f, &c) ? CPS_OK : CPS_NO_MEMORY;
  if (status == CPS_OK) {
    cps_stretch_free(f->stretch);
    f->stretch = NULL;
    f->followed = 0;
    status = cps_simulation_retune(f->sim, c.paths, c.values, c.n, &err);
  }
  free(c.paths);
  free(c.values);
  if (status == CPS_OK) return FMU_OK;
  return err.text[0] ? instance_failed(f, &err) : instance_no_memory(f);
}

fmu_status instance_prepare(instance *f) {
  cps_error err = {0};
  if (!make_simulation(f)) return FMU_ERROR;
  cps_status status = CPS_OK;
  for (int i = 0; i < f->n_variables && status == CPS_OK; i++) {
    const fmu_variable *v = &f->variables[i];
    if (v->kind == FMU_INPUT) status = cps_simulation_set(f->sim, v->index, v->value, CPS_HOLD, &err);
  }
  if (status == CPS_OK && any_changed(f) && change(f) != FMU_OK) return FMU_ERROR;
  if (status == CPS_OK) status = cps_simulation_start(f->sim, &err);
  if (status != CPS_OK) return instance_failed(f, &err);
  f->stale = f->to_tune = 0;
  return FMU_OK;
}

fmu_status instance_tune(instance *f) {
  if (!f->to_tune) return FMU_OK;
  if (change(f) != FMU_OK) return FMU_ERROR;
  f->to_tune = 0;
  return FMU_OK;
}

/* An error is large, and to zero all of it costs more than to set a variable. */
static void empty(cps_error *err) {
  err->status = CPS_OK;
  err->line = err->column = 0;
  err->file[0] = err->text[0] = err->key[0] = err->source[0] = 0;
}

/* ------------------------------------------------------------------ variables */

fmu_variable *instance_find(instance *f, unsigned reference) {
  if (reference < (unsigned)f->n_variables) return &f->variables[reference];
  instance_refuse(f, "there is no variable with value reference %u", reference);
  return NULL;
}

static fmu_status get_field(instance *f, const fmu_variable *v, double *values) {
  cps_error err = {0};
  return cps_simulation_field(f->sim, v->index, values, &err) == CPS_OK ? FMU_OK : instance_failed(f, &err);
}

static fmu_status get(instance *f, const fmu_variable *v, double *value) {
  switch (v->kind) {
  case FMU_TIME:
    *value = cps_simulation_time(f->sim);
    return FMU_OK;
  case FMU_OUTPUT:
    *value = cps_simulation_get(f->sim, v->index);
    return FMU_OK;
  case FMU_STATE:
  case FMU_RATE:
  case FMU_GUARD:
    return exchange_value(f, v, value);
  case FMU_FIELD:
    return get_field(f, v, value);
  default:
    *value = v->value;
    return FMU_OK;
  }
}

fmu_status instance_get(instance *f, const unsigned *references, size_t n, double *values, size_t n_values,
                        const char *call) {
  if (!instance_allowed(f, PHASES_ALL, call)) return FMU_ERROR;
  if (n > 0 && (!references || !values)) return instance_refuse(f, "%s: an argument is missing", call);
  for (size_t i = 0, at = 0; i < n; i++) {
    const fmu_variable *v = instance_find(f, references[i]);
    if (!v) return FMU_ERROR;
    if (v->size > n_values - at)
      return instance_refuse(f, "%s: %s has %zu numbers, more than there is room for", call, v->name,
                             v->size);
    /* what is computed follows what was set */
    int computed = !is_parameter(v) && v->kind != FMU_INPUT && v->kind != FMU_TIME;
    if (computed && f->phase == PHASE_INIT && f->stale && instance_prepare(f) != FMU_OK) return FMU_ERROR;
    fmu_status status = get(f, v, values + at);
    if (status != FMU_OK) return status;
    at += v->size;
  }
  return FMU_OK;
}

static fmu_status set_input(instance *f, const fmu_variable *v, double value) {
  cps_error err;
  empty(&err);
  return cps_simulation_set(f->sim, v->index, value, CPS_HOLD, &err) == CPS_OK ? FMU_OK
                                                                               : instance_failed(f, &err);
}

static fmu_status set(instance *f, fmu_variable *v, double value) {
  if (!isfinite(value)) return instance_refuse(f, "%s cannot be set to a value that is not finite", v->name);
  if (v->kind == FMU_INPUT || is_parameter(v)) {
    if (value == v->value) return FMU_OK;
    if (f->phase & (PHASE_NEW | PHASE_INIT)) {
      f->stale = 1;
    } else if (v->kind == FMU_INPUT) {
      if (set_input(f, v, value) != FMU_OK) return FMU_ERROR;
    } else if (v->kind == FMU_TUNED && f->phase != PHASE_CONTINUOUS) {
      f->to_tune = 1;
    } else {
      return instance_refuse(f, "%s %s", v->name,
                             v->kind == FMU_TUNED
                                 ? "is tunable: it can be set in event mode, and not while you integrate"
                                 : "is fixed: it can be set before and during initialization only");
    }
    v->value = value;
    return FMU_OK;
  }
  return instance_refuse(f, "%s is computed, and cannot be set", v->name);
}

fmu_status instance_set(instance *f, const unsigned *references, size_t n, const double *values,
                        size_t n_values, const char *call) {
  if (!instance_allowed(f, PHASES_LIVE, call)) return FMU_ERROR;
  if (n > 0 && (!references || !values)) return instance_refuse(f, "%s: an argument is missing", call);
  if (n_values < n) return instance_refuse(f, "%s: %zu values for %zu variables", call, n_values, n);
  for (size_t i = 0; i < n; i++) {
    fmu_variable *v = instance_find(f, references[i]);
    if (!v || set(f, v, values[i]) != FMU_OK) return FMU_ERROR;
  }
  return FMU_OK;
}

/* ------------------------------------------------------------------ life */

fmu_status instance_enter_initialization(instance *f, double start, const char *call) {
  if (!instance_allowed(f, PHASE_NEW, call)) return FMU_ERROR;
  if (!isfinite(start)) return instance_refuse(f, "%s: the start time has to be finite", call);
  f->start = start;
  f->stale = 1;
  f->phase = PHASE_INIT;
  return FMU_OK;
}

fmu_status instance_exit_initialization(instance *f, fmu_phase next, const char *call) {
  cps_error err = {0};
  if (!instance_allowed(f, PHASE_INIT, call)) return FMU_ERROR;
  if (f->stale && instance_prepare(f) != FMU_OK) return FMU_ERROR;
  double from = cps_simulation_time(f->sim);
  if (f->start < from)
    return instance_refuse(f, "the scenario starts at %s s, later than the start time %s s",
                           number(from).text, number(f->start).text);
  if (f->start > from && cps_simulation_step(f->sim, f->start, 0, NULL, &err) != CPS_OK)
    return instance_failed(f, &err);
  log_warnings(f);
  f->phase = next;
  return FMU_OK;
}

fmu_status instance_enter(instance *f, unsigned from, fmu_phase to, const char *call) {
  if (!instance_allowed(f, from, call)) return FMU_ERROR;
  f->phase = to;
  return FMU_OK;
}

fmu_status instance_reset(instance *f, const char *call) {
  if (!instance_allowed(f, PHASES_ALL, call)) return FMU_ERROR;
  for (int i = 0; i < f->n_variables; i++) f->variables[i].value = f->variables[i].file;
  f->stale = f->to_tune = 0;
  if (!make_simulation(f)) {
    f->phase = PHASE_FAILED;
    return FMU_ERROR;
  }
  f->phase = PHASE_NEW;
  return FMU_OK;
}

/* ------------------------------------------------------------------ steps */

fmu_status instance_step(instance *f, double at, double step, int *early, const char *call) {
  cps_error err;
  empty(&err);
  cps_outcome o = {0};
  *early = 0;
  if (!instance_allowed(f, PHASE_STEP, call)) return FMU_ERROR;
  if (!(step > 0) || !isfinite(at + step))
    return instance_refuse(f, "%s: the step has to be greater than 0, and finite", call);
  double now = cps_simulation_time(f->sim), same = 1e-6 * step + 1e-12 * fabs(now);
  if (fabs(at - now) > same)
    return instance_refuse(f, "%s: the step is to begin at %s s, but the FMU is at %s s", call,
                           number(at).text, number(now).text);
  if (instance_tune(f) != FMU_OK) return FMU_ERROR;
  if (f->derivatives && !f->stretch && !f->early_return) f->stretch = cps_stretch_new(f->sim, NULL, 0, NULL);
  f->followed = f->stretch && !f->early_return;
  cps_status status = f->followed ? cps_stretch_step(f->stretch, at + step, &o, &err)
                                  : cps_simulation_step(f->sim, at + step,
                                                        f->early_return ? CPS_STEP_TO_EVENT : 0, &o, &err);
  instance_log_events(f, o.events);
  log_warnings(f);
  *early = status == CPS_OK && !o.reached;
  if (status == CPS_OK) return FMU_OK;
  instance_failed(f, &err);
  if (status == CPS_BAD_INPUT) return FMU_ERROR;
  f->phase = PHASE_FAILED;
  return FMU_DISCARD;
}
