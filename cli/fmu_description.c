/* fmu_description.c - modelDescription.xml of FMI 2.0 and 3.0, and terminals: see fmu_model.h.
 *
 * Both versions say the same in other words: a variable is a ScalarVariable with a Real inside, or a Float64; the structure refers to
 * variables by their place in the list, from 1, or by value reference.
 */
#include "fmu_model.h"

#include "cli.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As an attribute of XML. */
static void add_quoted(text *t, const char *name, const char *value) {
  text_add(t, " %s=\"", name);
  for (; *value; value++) {
    const char *special = strchr("&<>\"", *value);
    static const char *const words[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    if (special)
      text_add(t, "%s", words[special - "&<>\""]);
    else if ((unsigned char)*value >= 32)
      text_add(t, "%c", *value);
  }
  text_add(t, "\"");
}

static void add_number(text *t, const char *name, double value) {
  char number[40];
  if (!isfinite(value)) return;
  shortest_number(number, sizeof number, value);
  text_add(t, " %s=\"%s\"", name, number);
}

/* ------------------------------------------------------------------ units */

/* Units in which importers may show others; with `first` they do unless told otherwise. */
static const struct {
  const char *unit, *shown;
  int first;
} display[] = {{"rad", "deg", 1}, {"rad/s", "rpm", 1}, {"m", "mm", 0},     {"N", "kN", 0},
               {"Pa", "MPa", 0},  {"W", "kW", 0},      {"m/s", "mm/s", 0}, {"kg", "t", 0}};
enum { DISPLAYS = sizeof display / sizeof display[0] };

static void add_unit(text *t, const char *unit) {
  static const char *const bases[] = {"m", "kg", "s", "A", "K", "mol", "cd", "rad"};
  int powers[8];
  double factor;
  text_add(t, "    <Unit");
  add_quoted(t, "name", unit);
  if (cps_unit_parts(unit, &factor, powers, NULL) != CPS_OK) {
    text_add(t, "/>\n");
    return;
  }
  text_add(t, ">\n      <BaseUnit");
  for (int i = 0; i < 8; i++)
    if (powers[i]) text_add(t, " %s=\"%d\"", bases[i], powers[i]);
  if (factor != 1) add_number(t, "factor", factor);
  text_add(t, "/>\n");
  for (int i = 0; i < DISPLAYS; i++) {
    if (strcmp(display[i].unit, unit) != 0 || cps_unit_parts(display[i].shown, &factor, NULL, NULL) != CPS_OK)
      continue;
    text_add(t, "      <DisplayUnit");
    add_quoted(t, "name", display[i].shown);
    add_number(t, "factor", 1 / factor);
    text_add(t, "/>\n");
  }
  text_add(t, "    </Unit>\n");
}

static void add_units(text *t, const fmu_model *m) {
  text_add(t, "  <UnitDefinitions>\n");
  for (int i = 0; i < m->n; i++) {
    int before = strcmp(m->variables[i].unit, "1") == 0;
    for (int k = 0; k < i && !before; k++) before = strcmp(m->variables[i].unit, m->variables[k].unit) == 0;
    if (!before) add_unit(t, m->variables[i].unit);
  }
  text_add(t, "  </UnitDefinitions>\n");
}

/* ------------------------------------------------------------------ variables */

static const struct {
  const char *causality, *variability, *initial;
} rows[] = {[FMU_TIME] = {"independent", "continuous", NULL},
            [FMU_INPUT] = {"input", "continuous", NULL},
            [FMU_OUTPUT] = {"output", "continuous", "calculated"},
            [FMU_STATE] = {"local", "continuous", "calculated"},
            [FMU_RATE] = {"local", "continuous", "calculated"},
            [FMU_GUARD] = {"local", "continuous", "calculated"},
            [FMU_PARAMETER] = {"parameter", "fixed", "exact"},
            [FMU_TUNED] = {"parameter", "tunable", "exact"},
            [FMU_FIELD] = {"output", "continuous", "calculated"}};

static void add_values(text *t, const fmu_model *m, const fmu_variable *v) {
  int has_unit = strcmp(v->unit, "1") != 0;
  if (has_unit) add_quoted(t, "unit", v->unit);
  for (int i = 0; i < DISPLAYS; i++)
    if (display[i].first && strcmp(display[i].unit, v->unit) == 0)
      add_quoted(t, "displayUnit", display[i].shown);
  add_number(t, "min", v->min);
  add_number(t, "max", v->max);
  if (v->kind != FMU_RATE) add_number(t, "nominal", v->nominal);
  if (v->of >= 0) text_add(t, " derivative=\"%d\"", v->of + !m->fmi3);
  add_number(t, "start", v->start);
}

static void add_variable(text *t, const fmu_model *m, int i) {
  const fmu_variable *v = &m->variables[i];
  text_add(t, m->fmi3 ? "    <Float64" : "    <ScalarVariable");
  add_quoted(t, "name", v->name);
  text_add(t, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", i, rows[v->kind].causality,
           rows[v->kind].variability);
  if (rows[v->kind].initial) add_quoted(t, "initial", rows[v->kind].initial);
  if (v->about[0]) add_quoted(t, "description", v->about);
  if (!m->fmi3) text_add(t, "><Real");
  add_values(t, m, v);
  if (v->kind == FMU_FIELD) {
    text_add(t, "><Dimension start=\"%d\"/>", v->points);
    if (v->components > 1) text_add(t, "<Dimension start=\"%d\"/>", v->components);
    text_add(t, "</Float64>\n");
  } else {
    text_add(t, m->fmi3 ? "/>\n" : "/></ScalarVariable>\n");
  }
}

/* ------------------------------------------------------------------ structure */

static int is_output(const fmu_variable *v) { return v->kind == FMU_OUTPUT || v->kind == FMU_FIELD; }
static int is_rate(const fmu_variable *v) { return v->kind == FMU_RATE; }
static int is_guard(const fmu_variable *v) { return v->kind == FMU_GUARD; }
static int is_initial(const fmu_variable *v) { return is_output(v) || is_rate(v) || v->kind == FMU_STATE; }

/* What an unknown depends on, where less than everything is known. */
static void add_dependencies(text *t, const fmu_model *m, const fmu_variable *v) {
  int shift = !m->fmi3;
  if (v->kind == FMU_OUTPUT && v->state >= 0) {
    text_add(t, " dependencies=\"%d\" dependenciesKind=\"constant\"", (int)(v - m->variables) + shift);
  } else if (v->kind == FMU_OUTPUT && v->kept && !m->exchange) {
    text_add(t, " dependencies=\"\"");
  } else if (is_rate(v)) {
    cps_exchange_state s;
    for (int i = 0; i < m->n_states; i++)
      if (cps_exchange_state_at(m->sim, i, &s) == CPS_OK && s.rate_of == v->state)
        text_add(t, " dependencies=\"%d\" dependenciesKind=\"constant\"", fmu_find(m, s.name) + shift);
  }
}

static void add_structure(text *t, const fmu_model *m) {
  static const struct {
    const char *list2, *item3; /* as FMI 2.0 and FMI 3.0 call them; NULL: it does not have it */
    int (*has)(const fmu_variable *);
    int initial;
  } parts[] = {{"Outputs", "Output", is_output, 0},
               {"Derivatives", "ContinuousStateDerivative", is_rate, 0},
               {"InitialUnknowns", "InitialUnknown", is_initial, 1},
               {NULL, "EventIndicator", is_guard, 0}};
  text_add(t, "  <ModelStructure>\n");
  for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
    int any = 0;
    for (int i = 0; i < m->n; i++) {
      const fmu_variable *v = &m->variables[i];
      if (!parts[p].has(v) || (!m->fmi3 && !parts[p].list2)) continue;
      if (!any++ && !m->fmi3) text_add(t, "    <%s>\n", parts[p].list2);
      if (m->fmi3)
        text_add(t, "    <%s valueReference=\"%d\"", parts[p].item3, i);
      else
        text_add(t, "      <Unknown index=\"%d\"", i + 1);
      if (!parts[p].initial) add_dependencies(t, m, v);
      text_add(t, "/>\n");
    }
    if (any && !m->fmi3) text_add(t, "    </%s>\n", parts[p].list2);
  }
  text_add(t, "  </ModelStructure>\n");
}

/* ------------------------------------------------------------------ modelDescription.xml */

static double run_number(const fmu_model *m, const char *path, double otherwise) {
  cps_quantity q;
  return cps_scenario_quantity(m->scenario, path, &q, NULL) == CPS_OK ? q.value : otherwise;
}

static void add_interfaces(text *t, const fmu_model *m) {
  const char *state = m->fmi3 ? "State" : "state";
  if (m->exchange) {
    text_add(t,
             "  <ModelExchange modelIdentifier=\"capstan\" canGetAndSetFMU%s=\"true\" "
             "canSerializeFMU%s=\"true\"%s/>\n",
             state, state,
             m->fmi3
                 ? " needsCompletedIntegratorStep=\"true\""
                 : " canNotUseMemoryManagementFunctions=\"true\" completedIntegratorStepNotNeeded=\"false\"");
  }
  text_add(t,
           "  <CoSimulation modelIdentifier=\"capstan\" canHandleVariableCommunicationStepSize=\"true\" "
           "canGetAndSetFMU%s=\"true\" canSerializeFMU%s=\"true\"%s",
           state, state,
           m->fmi3 ? " hasEventMode=\"true\" canReturnEarlyAfterIntermediateUpdate=\"false\""
                   : " canNotUseMemoryManagementFunctions=\"true\"");
  if (m->derivatives)
    text_add(t, m->fmi3 ? " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\""
                        : " providesDirectionalDerivative=\"true\"");
  text_add(t, "/>\n");
}

text fmu_describe(const fmu_model *m) {
  text t = {0};
  text_add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
           m->fmi3 ? "3.0" : "2.0");
  add_quoted(&t, "modelName", cps_scenario_title(m->scenario));
  add_quoted(&t, m->fmi3 ? "instantiationToken" : "guid", cps_scenario_hash(m->scenario));
  text_add(&t, " generationTool=\"Capstan %s\" variableNamingConvention=\"flat\"", cps_version());
  if (!m->fmi3) text_add(&t, " numberOfEventIndicators=\"%d\"", m->n_guards);
  text_add(&t, ">\n");
  add_interfaces(&t, m);
  add_units(&t, m);
  text_add(&t, "  <LogCategories>\n"
               "    <Category name=\"logStatusError\" description=\"errors; they are always logged\"/>\n"
               "    <Category name=\"logStatusWarning\" description=\"what makes results doubtful\"/>\n"
               "    <Category name=\"logEvents\" description=\"transitions between stick and slip\"/>\n"
               "  </LogCategories>\n  <DefaultExperiment");
  add_number(&t, "startTime", run_number(m, "run.from", 0));
  add_number(&t, "stopTime", run_number(m, "run.until", 1));
  double step = run_number(m, "run.output", 0);
  if (step > 0) add_number(&t, "stepSize", step);
  text_add(&t, "/>\n  <ModelVariables>\n");
  for (int i = 0; i < m->n; i++) add_variable(&t, m, i);
  text_add(&t, "  </ModelVariables>\n");
  add_structure(&t, m);
  text_add(&t, "</fmiModelDescription>\n");
  return t;
}

/* ------------------------------------------------------------------ terminals
 *
 * A shaft has an angle, a rate and a torque; an end of a rope has a force, and a place if that is prescribed. What is an input of
 * the FMU goes before what it computes. */

static void add_member(text *t, const fmu_model *m, int variable, const char *member, const char *kind) {
  if (variable < 0) return;
  text_add(t, "      <TerminalMemberVariable");
  add_quoted(t, "variableName", m->variables[variable].name);
  text_add(t, " memberName=\"%s\" variableKind=\"%s\"/>\n", member, kind);
}

/* A terminal with members that were written to `inside`, if there are any. */
static void add_terminal(text *t, const char *name, const char *kind, const char *about, text *inside) {
  if (inside->n > 0) {
    text_add(t, "    <Terminal");
    add_quoted(t, "name", name);
    text_add(t, " matchingRule=\"bus\" terminalKind=\"_capstan_%s\"", kind);
    add_quoted(t, "description", about);
    text_add(t, ">\n%s    </Terminal>\n", inside->data);
  }
  free(inside->data);
}

/* The input at a path of the scenario, -1 if there is none. */
static int input_at(const fmu_model *m, const char *path) {
  for (int i = 0; i < m->n; i++)
    if (m->variables[i].kind == FMU_INPUT && strcmp(m->variables[i].path, path) == 0) return i;
  return -1;
}

static int first_of(int a, int b) { return a >= 0 ? a : b; }

static int column(const fmu_model *m, const char *of, const char *what) {
  char name[360];
  snprintf(name, sizeof name, "%s.%s", of, what);
  return fmu_find(m, name);
}

static void add_shaft(text *t, const fmu_model *m, const char *drum) {
  char path[200];
  text inside = {0};
  snprintf(path, sizeof path, "%s.drive.rotation", drum);
  add_member(&inside, m, first_of(input_at(m, path), column(m, drum, "angle")), "phi", "signal");
  add_member(&inside, m, column(m, drum, "rate"), "w", "signal");
  snprintf(path, sizeof path, "%s.drive.torque", drum);
  add_member(&inside, m, first_of(input_at(m, path), column(m, drum, "drive")), "tau", "inflow");
  add_terminal(t, drum, "shaft", "shaft of the drum: angle, rate, and torque on it", &inside);
}

/* Inputs of an end are at entries of the path of the cable, the first of which is its start. */
static void add_end(text *t, const fmu_model *m, const char *cable, int at_end) {
  static const char *const axes[] = {"x", "y", "z"};
  const char *end = at_end ? "end" : "start";
  char name[360], prefix[200];
  text inside = {0};
  snprintf(prefix, sizeof prefix, "%s.path.", cable);
  for (int d = 0; d < 3; d++) {
    int place = -1, force = -1;
    for (int i = 0; i < m->n; i++) {
      const fmu_variable *v = &m->variables[i];
      const char *rest = v->path + strlen(prefix), *last = strrchr(v->path, '.');
      if (v->kind != FMU_INPUT || strncmp(v->path, prefix, strlen(prefix)) != 0) continue;
      if ((strncmp(rest, "0.", 2) != 0) != at_end || !last || strcmp(last + 1, axes[d]) != 0) continue;
      if (strstr(rest, ".moved.")) place = i;
      if (strstr(rest, ".force.")) force = i;
    }
    add_member(&inside, m, place, axes[d], "signal");
    snprintf(name, sizeof name, "f%s_%s", axes[d], end);
    int pull = column(m, cable, name);
    snprintf(name, sizeof name, "f%s", axes[d]);
    add_member(&inside, m, first_of(force, pull), name, force >= 0 ? "inflow" : "outflow");
  }
  snprintf(name, sizeof name, "tension_%s", end);
  add_member(&inside, m, column(m, cable, name), "tension", "signal");
  snprintf(name, sizeof name, "%s.%s", cable, end);
  add_terminal(t, name, "rope_end", "end of the cable: force, and its place if that is prescribed", &inside);
}

/* Calls back for every thing of a kind, in the order of its first column. */
static void each(text *t, const fmu_model *m, const char *kind, const char *column,
                 void (*add)(text *, const fmu_model *, const char *)) {
  const cps_result *r = cps_simulation_result(m->sim);
  for (int c = 0; c < cps_result_columns(r); c++) {
    const char *name = cps_result_name(r, c), *last = strrchr(name, '.');
    char thing[360];
    if (!last || strncmp(name, kind, strlen(kind)) != 0 || strcmp(last + 1, column) != 0) continue;
    snprintf(thing, sizeof thing, "%.*s", (int)(last - name), name);
    add(t, m, thing);
  }
}

static void add_ends(text *t, const fmu_model *m, const char *cable) {
  for (int e = 0; e < 2; e++) add_end(t, m, cable, e);
}

text fmu_terminals(const fmu_model *m) {
  text t = {0}, inside = {0};
  each(&inside, m, "drums.", "angle", add_shaft);
  each(&inside, m, "cables.", "tension_start", add_ends);
  if (inside.n == 0) return t;
  text_add(&t,
           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n"
           "  <Terminals>\n%s  </Terminals>\n</fmiTerminalsAndIcons>\n",
           inside.data);
  free(inside.data);
  return t;
}
