/* instance.c - see instance.h. */
#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void instance_message(instance *f, int is_error, const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (f->log) f->log(f->log_to, is_error, text);
}

static int failed(instance *f, const cps_error *err) {
  char text[1200];
  if (err->file[0]) {
    cps_problem_text(err, text, sizeof text);
    instance_message(f, 1, "%s", text);
  } else {
    instance_message(f, 1, "%s", err->text);
  }
  if (err->status != CPS_BAD_INPUT) f->phase = PHASE_FAILED;
  return 0;
}

int instance_path(const char *uri, char *text, size_t size) {
  const char *scheme = "file:";
  size_t n = 0;
  if (strncmp(uri, scheme, strlen(scheme)) == 0) {
    uri += strlen(scheme);
    if (strncmp(uri, "///", 3) == 0)
      uri += 2;
    else if (strncmp(uri, "//localhost/", 12) == 0)
      uri += 11;
  }
  for (; *uri && n + 1 < size; n++) {
    int byte;
    if (uri[0] == '%' && sscanf(uri + 1, "%2x", (unsigned *)&byte) == 1) {
      text[n] = (char)byte;
      uri += 3;
    } else {
      text[n] = *uri++;
    }
  }
  text[n] = 0;
  while (n > 1 && text[n - 1] == '/') text[--n] = 0;
  return *uri == 0;
}

/* ------------------------------------------------------------------ resources */

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
  fmu_variable v = {.kind = kind, .name = copy(name), .index = -1, .value = NAN};
  if (!v.name) return 0;
  f->variables[f->n_variables++] = v;
  return 1;
}

enum { LINE_MOST = 1000, SETTINGS_MOST = 1000 };

/* The lines of variables.txt; settings are collected. */
static int read_variables(instance *f, const char *path, char **settings, int *n, char **inputs,
                          int *n_inputs) {
  static const struct {
    const char *word;
    fmu_kind kind;
  } kinds[] = {{"input ", FMU_INPUT}, {"output ", FMU_OUTPUT}, {"parameter ", FMU_PARAMETER}};
  char line[LINE_MOST];
  FILE *file = fopen(path, "r");
  if (!file) {
    instance_message(f, 1, "%s cannot be read", path);
    return 0;
  }
  int good = add_variable(f, FMU_TIME, "time");
  while (good && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = 0;
    if (strncmp(line, "set ", 4) == 0 && *n < SETTINGS_MOST)
      good = (settings[*n] = copy(line + 4)) != NULL, *n += good;
    if (strncmp(line, "with ", 5) == 0 && *n_inputs < SETTINGS_MOST)
      good = (inputs[*n_inputs] = copy(line + 5)) != NULL, *n_inputs += good;
    for (size_t k = 0; good && k < sizeof kinds / sizeof kinds[0]; k++) {
      size_t length = strlen(kinds[k].word);
      if (strncmp(line, kinds[k].word, length) == 0) good = add_variable(f, kinds[k].kind, line + length);
    }
  }
  fclose(file);
  if (!good) instance_message(f, 1, "out of memory");
  return good;
}

static int load_scenario(instance *f, const char *path, char *const *settings, int n) {
  cps_problems *problems = NULL;
  char text[1200];
  f->scenario = cps_scenario_load(path, (const char *const *)settings, n, &problems);
  for (int i = 0; problems && i < cps_problems_count(problems); i++) {
    cps_problem_text(cps_problems_at(problems, i), text, sizeof text);
    instance_message(f, 1, "%s", text);
  }
  cps_problems_free(problems);
  return f->scenario != NULL;
}

/* Start values of parameters and inputs, and the columns of outputs. */
static int bind(instance *f) {
  cps_error err = {0};
  for (int i = 0; i < f->n_variables; i++) {
    fmu_variable *v = &f->variables[i];
    cps_quantity q;
    cps_input in;
    if (v->kind == FMU_PARAMETER) {
      if (cps_scenario_quantity(f->scenario, v->name, &q, &err) != CPS_OK) return failed(f, &err);
      v->value = q.value;
    } else if (v->kind == FMU_INPUT) {
      v->index = cps_simulation_input(f->sim, v->name);
      if (v->index < 0 || cps_simulation_input_at(f->sim, v->index, &in) != CPS_OK) {
        instance_message(f, 1, "the scenario has no input \"%s\"", v->name);
        return 0;
      }
      v->value = in.start;
    } else if (v->kind == FMU_OUTPUT && (v->index = cps_simulation_column(f->sim, v->name)) < 0) {
      instance_message(f, 1, "the scenario has no column \"%s\"", v->name);
      return 0;
    }
  }
  return 1;
}

instance *instance_new(const char *resources, void (*log)(void *, int, const char *), void *log_to) {
  instance *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->log = log;
  f->log_to = log_to;
  char folder[2000], path[2100], **settings = calloc(2 * SETTINGS_MOST, sizeof *settings),
                                 **inputs = settings + SETTINGS_MOST;
  int n = 0, n_inputs = 0, good = settings && resources && instance_path(resources, folder, sizeof folder);
  cps_error err = {0};
  if (!good) instance_message(f, 1, "the place of the resources is missing or too long");
  snprintf(path, sizeof path, "%s/variables.txt", good ? folder : "");
  good = good && read_variables(f, path, settings, &n, inputs, &n_inputs);
  snprintf(path, sizeof path, "%s/scenario.yaml", good ? folder : "");
  good = good && load_scenario(f, path, settings, n);
  if (good && n_inputs > 0) {
    cps_scenario *with = cps_scenario_with_inputs(f->scenario, (const char *const *)inputs, n_inputs, &err);
    good = with ? 1 : failed(f, &err);
    if (with) {
      cps_scenario_free(f->scenario);
      f->scenario = with;
    }
  }
  if (good) {
    f->system = cps_system_new(f->scenario, &err);
    f->sim = f->system ? cps_simulation_new(f->system, &err) : NULL;
    good = f->sim && cps_simulation_keep(f->sim, 0, &err) == CPS_OK;
    if (!good) failed(f, &err);
  }
  good = good && bind(f);
  for (int i = 0; i < n; i++) free(settings[i]);
  for (int i = 0; i < n_inputs; i++) free(inputs[i]);
  free(settings);
  if (good) return f;
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
  free(f);
}

/* ------------------------------------------------------------------ variables */

static fmu_variable *find(instance *f, unsigned reference) {
  if (reference < (unsigned)f->n_variables) return &f->variables[reference];
  instance_message(f, 1, "there is no variable with value reference %u", reference);
  return NULL;
}

int instance_get(instance *f, unsigned reference, double *value) {
  fmu_variable *v = find(f, reference);
  if (!v) return 0;
  *value = v->kind == FMU_TIME     ? cps_simulation_time(f->sim)
           : v->kind == FMU_OUTPUT ? cps_simulation_get(f->sim, v->index)
                                   : v->value;
  return 1;
}

int instance_set(instance *f, unsigned reference, double value) {
  fmu_variable *v = find(f, reference);
  cps_error err = {0};
  if (!v) return 0;
  if (!isfinite(value)) {
    instance_message(f, 1, "%s cannot be set to a value that is not finite", v->name);
    return 0;
  }
  if (v->kind == FMU_INPUT) {
    if (value == v->value) return 1;
    if (cps_simulation_set(f->sim, v->index, value, CPS_HOLD, &err) != CPS_OK) return failed(f, &err);
    v->value = value;
    return 1;
  }
  if (v->kind == FMU_PARAMETER && f->phase <= PHASE_INITIALIZATION) {
    v->changed |= value != v->value;
    v->value = value;
    return 1;
  }
  instance_message(f, 1,
                   v->kind == FMU_PARAMETER
                       ? "%s is fixed: it can be set before and during initialization only"
                       : "%s is computed, and cannot be set",
                   v->name);
  return 0;
}

/* ------------------------------------------------------------------ life */

/* Parameters that were set go into the simulation, and inputs with them. */
static int apply(instance *f) {
  cps_error err = {0};
  int n = 0;
  const char **paths = calloc((size_t)f->n_variables + 1, sizeof *paths);
  double *values = calloc((size_t)f->n_variables + 1, sizeof *values);
  int good = paths && values;
  for (int i = 0; good && i < f->n_variables; i++) {
    const fmu_variable *v = &f->variables[i];
    if (v->kind != FMU_PARAMETER || !v->changed) continue;
    paths[n] = v->name;
    values[n++] = v->value;
  }
  if (!good) instance_message(f, 1, "out of memory");
  if (good && n > 0 && cps_simulation_reset_with(f->sim, paths, values, n, &err) != CPS_OK)
    good = failed(f, &err);
  for (int i = 0; good && i < f->n_variables; i++) {
    const fmu_variable *v = &f->variables[i];
    if (v->kind == FMU_INPUT && cps_simulation_set(f->sim, v->index, v->value, CPS_HOLD, &err) != CPS_OK)
      good = failed(f, &err);
  }
  free(paths);
  free(values);
  return good;
}

int instance_initialize(instance *f, double start) {
  cps_error err = {0};
  f->start = start;
  if (!apply(f)) return 0;
  if (start < cps_simulation_time(f->sim)) {
    instance_message(f, 1, "the scenario starts at %.9g s, later than the start time %.9g s",
                     cps_simulation_time(f->sim), start);
    return 0;
  }
  if (cps_simulation_start(f->sim, &err) != CPS_OK) return failed(f, &err);
  if (start > cps_simulation_time(f->sim) && cps_simulation_step(f->sim, start, 0, NULL, &err) != CPS_OK)
    return failed(f, &err);
  cps_stretch_free(f->stretch);
  f->stretch = cps_stretch_new(f->sim, NULL, 0, NULL);
  f->phase = PHASE_STEP;
  return 1;
}

int instance_step(instance *f, double until, double *reached, int *early) {
  cps_error err = {0};
  cps_outcome o;
  int to_event = early && f->events_wanted;
  f->followed = f->stretch && !to_event;
  cps_status status = f->followed
                          ? cps_stretch_step(f->stretch, until, &o, &err)
                          : cps_simulation_step(f->sim, until, to_event ? CPS_STEP_TO_EVENT : 0, &o, &err);
  *reached = cps_simulation_time(f->sim);
  if (early) *early = status == CPS_OK && !o.reached;
  return status == CPS_OK ? 1 : failed(f, &err);
}

/* ------------------------------------------------------------------ derivatives */

/* Places of inputs or outputs by their references; 0 after a message. */
static int find_all(instance *f, const unsigned *references, size_t n, fmu_kind kind, int *index) {
  for (size_t i = 0; i < n; i++) {
    const fmu_variable *v = find(f, references[i]);
    if (!v) return 0;
    if (v->kind != kind) {
      instance_message(f, 1, "derivatives are those of outputs by inputs: %s is no %s", v->name,
                       kind == FMU_INPUT ? "input" : "output");
      return 0;
    }
    index[i] = v->index;
  }
  return 1;
}

static int differentiate(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                         const double *seed, double *product, int adjoint) {
  cps_error err = {0};
  size_t inputs = (size_t)cps_simulation_inputs(f->sim),
         columns = (size_t)cps_result_columns(cps_simulation_result(f->sim));
  if (!f->followed) {
    instance_message(
        f, 1,
        "there are no derivatives: they are those of the last step, unless it could return early, "
        "with every solver but bdf");
    return 0;
  }
  int *index = calloc(n_of + n_by + 1, sizeof *index);
  double *values = calloc(inputs + columns + 1, sizeof *values), *outputs = values + inputs;
  int good = index && values;
  if (!good) instance_message(f, 1, "out of memory");
  good = good && find_all(f, of, n_of, FMU_OUTPUT, index) && find_all(f, by, n_by, FMU_INPUT, index + n_of);
  const int *known = adjoint ? index : index + n_of, *wanted = adjoint ? index + n_of : index;
  size_t n_known = adjoint ? n_of : n_by, n_wanted = adjoint ? n_by : n_of;
  double *from = adjoint ? outputs : values, *to = adjoint ? values : outputs;
  for (size_t i = 0; good && i < n_known; i++) from[known[i]] += seed[i];
  if (good) {
    cps_status status = adjoint ? cps_stretch_vjp(f->stretch, NULL, outputs, NULL, values, NULL, &err)
                                : cps_stretch_jvp(f->stretch, NULL, values, NULL, NULL, outputs, &err);
    if (status != CPS_OK) instance_message(f, 1, "%s", err.text);
    good = status == CPS_OK;
  }
  for (size_t i = 0; good && i < n_wanted; i++) product[i] = to[wanted[i]];
  free(index);
  free(values);
  return good;
}

int instance_directional(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                         const double *seed, double *product) {
  return differentiate(f, of, n_of, by, n_by, seed, product, 0);
}

int instance_adjoint(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                     const double *seed, double *product) {
  return differentiate(f, of, n_of, by, n_by, seed, product, 1);
}

int instance_reset(instance *f) {
  cps_error err = {0};
  cps_stretch_free(f->stretch);
  f->stretch = NULL;
  f->followed = 0;
  /* Parameters and inputs are what they were in the file. */
  int changed = 0;
  for (int i = 0; i < f->n_variables; i++) changed |= f->variables[i].changed, f->variables[i].changed = 0;
  if (changed) {
    cps_simulation_free(f->sim);
    f->sim = cps_simulation_new(f->system, &err);
    if (!f->sim || cps_simulation_keep(f->sim, 0, &err) != CPS_OK) return failed(f, &err);
  } else if (cps_simulation_reset(f->sim, &err) != CPS_OK) {
    return failed(f, &err);
  }
  f->phase = PHASE_INSTANTIATED;
  return bind(f);
}

/* ------------------------------------------------------------------ state: inputs and parameters, phase, then the simulation's */

static size_t state_size(instance *f) {
  cps_error err = {0};
  if (!f->state_size) f->state_size = cps_simulation_state_size(f->sim, &err);
  if (!f->state_size) {
    failed(f, &err);
    return 0;
  }
  return f->state_size + ((size_t)f->n_variables + 1) * sizeof(double);
}

static int state_get(instance *f, void *block) {
  cps_error err = {0};
  double *values = block;
  if (!state_size(f)) return 0;
  values[0] = f->phase;
  for (int i = 0; i < f->n_variables; i++) values[i + 1] = f->variables[i].value;
  if (cps_simulation_state_get(f->sim, values + f->n_variables + 1, &err) != CPS_OK) return failed(f, &err);
  return 1;
}

static int state_set(instance *f, const void *block, size_t size) {
  cps_error err = {0};
  const double *values = block;
  if (size != state_size(f)) {
    instance_message(f, 1, "this state is of another FMU");
    return 0;
  }
  if (cps_simulation_state_set(f->sim, values + f->n_variables + 1, &err) != CPS_OK) return failed(f, &err);
  f->followed = 0;
  f->phase = (fmu_phase)values[0];
  for (int i = 0; i < f->n_variables; i++) f->variables[i].value = values[i + 1];
  return 1;
}

int instance_state_save(instance *f, void **state) {
  size_t size = state_size(f);
  if (!size) return 0;
  if (!*state) *state = malloc(sizeof size + size);
  if (!*state) return 0;
  memcpy(*state, &size, sizeof size);
  return state_get(f, (char *)*state + sizeof size);
}

int instance_state_restore(instance *f, const void *state) {
  size_t size;
  if (!state) return 0;
  memcpy(&size, state, sizeof size);
  return state_set(f, (const char *)state + sizeof size, size);
}

size_t instance_state_bytes(const void *state) {
  size_t size;
  if (!state) return 0;
  memcpy(&size, state, sizeof size);
  return sizeof size + size;
}

int instance_state_load(instance *f, const void *bytes, size_t n, void **state) {
  size_t size = 0;
  if (n >= sizeof size) memcpy(&size, bytes, sizeof size);
  if (n < sizeof size || size != n - sizeof size || size != state_size(f)) {
    instance_message(f, 1, "these bytes are no state of this FMU");
    return 0;
  }
  void *made = malloc(n);
  if (!made) return 0;
  memcpy(made, bytes, n);
  free(*state);
  *state = made;
  return 1;
}
