/* fmu.c - capstan fmu: a scenario as a Functional Mock-up Unit for co-simulation, FMI 2.0 or 3.0.
 *
 * An FMU is a ZIP archive: modelDescription.xml, the scenario with a list of its variables (fmu/instance.h), and the shared object
 * that was built beside this tool. No compiler is needed.
 */
#include "cli.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "study.h"
#include "zip.h"

#include "capstan.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct fmu_options {
  int help, fmi3;
  const char *version, *output;
  text_list set, inputs, outputs;
} fmu_options;

/* Text that grows. */
typedef struct text {
  char *data;
  size_t n, room;
} text;

static void add(text *t, const char *format, ...) PRINTS(2, 3);

static void add(text *t, const char *format, ...) {
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

/* As an attribute of XML. */
static void add_quoted(text *t, const char *name, const char *value) {
  add(t, " %s=\"", name);
  for (; *value; value++) {
    const char *special = strchr("&<>\"", *value);
    static const char *const words[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    if (special)
      add(t, "%s", words[special - "&<>\""]);
    else if ((unsigned char)*value >= 32)
      add(t, "%c", *value);
  }
  add(t, "\"");
}

static void add_number(text *t, const char *name, double value) {
  char number[40];
  shortest_number(number, sizeof number, value);
  add(t, " %s=\"%s\"", name, number);
}

/* ------------------------------------------------------------------ variables */

typedef enum causality { INDEPENDENT, INPUT, OUTPUT, PARAMETER } causality;

typedef struct variable {
  causality kind;
  char name[320], unit[32];
  double start;
  char about[300];
  char path[128]; /* of a parameter */
} variable;

typedef struct unit_list {
  char (*name)[32];
  int n;
} unit_list;

typedef struct model {
  const cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  variable *variables;
  int n;
  int has_derivatives; /* of its steps */
} model;

static variable *add_variable(model *m, causality kind, const char *name, const char *unit, double start) {
  m->variables = grow(m->variables, (size_t)m->n + 1, sizeof *m->variables);
  variable *v = &m->variables[m->n++];
  memset(v, 0, sizeof *v);
  v->kind = kind;
  snprintf(v->name, sizeof v->name, "%s", name);
  snprintf(v->unit, sizeof v->unit, "%s", unit ? unit : "1");
  v->start = start;
  return v;
}

static int wanted(const text_list *list, const char *name) {
  for (int i = 0; i < list->n; i++)
    if (strcmp(list->item[i], name) == 0) return 1;
  return list->n == 0;
}

/* In the order of value references: time, inputs, outputs, parameters. */
static int collect(model *m, const fmu_options *o, cps_error *err) {
  const cps_result *r = cps_simulation_result(m->sim);
  cps_quantity *list;
  int n, found = 0;
  add_variable(m, INDEPENDENT, "time", "s", 0);
  for (int i = 0; i < cps_simulation_inputs(m->sim); i++) {
    cps_input in;
    if (cps_simulation_input_at(m->sim, i, &in) == CPS_OK) add_variable(m, INPUT, in.name, in.unit, in.start);
  }
  for (int c = 1; c < cps_result_columns(r); c++) {
    const char *name = cps_result_name(r, c);
    if (!wanted(&o->outputs, name)) continue;
    variable *v = add_variable(m, OUTPUT, name, cps_result_unit(r, c), NAN);
    cps_result_long_name(name, v->about, sizeof v->about);
    found++;
  }
  if (found < o->outputs.n) {
    for (int i = 0; i < o->outputs.n; i++)
      if (cps_result_find(r, o->outputs.item[i]) < 0)
        complain("fmu", "there is no column '%s'", o->outputs.item[i]);
    return STATUS_USAGE;
  }
  if (cps_scenario_quantities(m->scenario, &list, &n, err) != CPS_OK) return STATUS_FAILED;
  for (int i = 0; i < n; i++) {
    cps_quantity q;
    /* what a simulation cannot take is no parameter */
    if (strncmp(list[i].path, "run.", 4) == 0 ||
        cps_scenario_quantity(m->scenario, list[i].path, &q, NULL) != CPS_OK)
      continue;
    /* names are unique: where a body starts is not where it is */
    char start[320];
    snprintf(start, sizeof start, "start.%s", list[i].path);
    variable *v = add_variable(m, PARAMETER, cps_result_find(r, list[i].path) >= 0 ? start : list[i].path,
                               list[i].unit, list[i].value);
    snprintf(v->path, sizeof v->path, "%s", list[i].path);
  }
  free(list);
  return STATUS_GOOD;
}

static text variables_text(const model *m, const fmu_options *o) {
  static const char *const words[] = {[INPUT] = "input", [OUTPUT] = "output", [PARAMETER] = "parameter"};
  text t = {0};
  for (int i = 0; i < o->set.n; i++) add(&t, "set %s\n", o->set.item[i]);
  for (int i = 0; i < o->inputs.n; i++) add(&t, "with %s\n", o->inputs.item[i]);
  for (int i = 1; i < m->n; i++) {
    const variable *v = &m->variables[i];
    add(&t, "%s %s\n", words[v->kind], v->kind == PARAMETER ? v->path : v->name);
  }
  return t;
}

/* ------------------------------------------------------------------ modelDescription.xml */

static double run_number(const model *m, const char *path, double otherwise) {
  cps_quantity q;
  return cps_scenario_quantity(m->scenario, path, &q, NULL) == CPS_OK ? q.value : otherwise;
}

/* What a unit is in SI, and other units in which importers may show it. */
static void add_unit_parts(text *t, const char *unit) {
  static const char *const bases[] = {"m", "kg", "s", "A", "K", "mol", "cd", "rad"};
  static const char *const shown[][2] = {{"rad", "deg"}, {"rad/s", "rpm"}, {"m", "mm"},     {"N", "kN"},
                                         {"Pa", "MPa"},  {"W", "kW"},      {"m/s", "mm/s"}, {"kg", "t"}};
  int powers[8];
  double factor;
  if (cps_unit_parts(unit, &factor, powers, NULL) != CPS_OK) return;
  add(t, "      <BaseUnit");
  for (int i = 0; i < 8; i++)
    if (powers[i]) add(t, " %s=\"%d\"", bases[i], powers[i]);
  if (factor != 1) add_number(t, "factor", factor);
  add(t, "/>\n");
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
    if (strcmp(shown[i][0], unit) != 0 || cps_unit_parts(shown[i][1], &factor, NULL, NULL) != CPS_OK)
      continue;
    add(t, "      <DisplayUnit");
    add_quoted(t, "name", shown[i][1]);
    add_number(t, "factor", 1 / factor);
    add(t, "/>\n");
  }
}

static void add_units(text *t, const model *m) {
  add(t, "  <UnitDefinitions>\n");
  for (int i = 0; i < m->n; i++) {
    int before = strcmp(m->variables[i].unit, "1") == 0;
    for (int k = 0; k < i && !before; k++) before = strcmp(m->variables[i].unit, m->variables[k].unit) == 0;
    if (before) continue;
    add(t, "    <Unit");
    add_quoted(t, "name", m->variables[i].unit);
    add(t, ">\n");
    add_unit_parts(t, m->variables[i].unit);
    add(t, "    </Unit>\n");
  }
  add(t, "  </UnitDefinitions>\n");
}

static void add_experiment(text *t, const model *m) {
  add(t,
      "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category name=\"%s\"/>\n  "
      "</LogCategories>\n  <DefaultExperiment",
      "logEvents");
  add_number(t, "startTime", run_number(m, "run.from", 0));
  add_number(t, "stopTime", run_number(m, "run.until", 1));
  double step = run_number(m, "run.output", 0);
  if (step > 0) add_number(t, "stepSize", step);
  add(t, "/>\n");
}

static const char *const causalities[] = {"independent", "input", "output", "parameter"};

static void add_variable2(text *t, const variable *v, int reference) {
  add(t, "    <ScalarVariable");
  add_quoted(t, "name", v->name);
  add(t, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, causalities[v->kind],
      v->kind == PARAMETER ? "fixed" : "continuous");
  if (v->kind == OUTPUT) add(t, " initial=\"calculated\"");
  if (v->kind == PARAMETER) add(t, " initial=\"exact\"");
  if (v->about[0]) add_quoted(t, "description", v->about);
  add(t, "><Real");
  if (strcmp(v->unit, "1") != 0) add_quoted(t, "unit", v->unit);
  if (v->kind == INPUT || v->kind == PARAMETER) add_number(t, "start", v->start);
  add(t, "/></ScalarVariable>\n");
}

static text describe2(const model *m) {
  text t = {0};
  add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"");
  add_quoted(&t, "modelName", cps_scenario_title(m->scenario));
  add_quoted(&t, "guid", cps_scenario_hash(m->scenario));
  add(&t, " generationTool=\"Capstan %s\" variableNamingConvention=\"flat\" numberOfEventIndicators=\"0\">\n",
      cps_version());
  add(&t, "  <CoSimulation modelIdentifier=\"capstan\" canHandleVariableCommunicationStepSize=\"true\" "
          "canGetAndSetFMUstate=\"true\" "
          "canSerializeFMUstate=\"true\" canNotUseMemoryManagementFunctions=\"true\"");
  if (m->has_derivatives) add(&t, " providesDirectionalDerivative=\"true\"");
  add(&t, "/>\n");
  add_units(&t, m);
  add_experiment(&t, m);
  add(&t, "  <ModelVariables>\n");
  for (int i = 0; i < m->n; i++) add_variable2(&t, &m->variables[i], i);
  add(&t, "  </ModelVariables>\n  <ModelStructure>\n");
  for (int pass = 0; pass < 2; pass++) {
    const char *list = pass == 0 ? "Outputs" : "InitialUnknowns";
    int any = 0;
    for (int i = 0; i < m->n; i++) {
      if (m->variables[i].kind != OUTPUT) continue;
      if (!any++) add(&t, "    <%s>\n", list);
      add(&t, "      <Unknown index=\"%d\"/>\n", i + 1);
    }
    if (any) add(&t, "    </%s>\n", list);
  }
  add(&t, "  </ModelStructure>\n</fmiModelDescription>\n");
  return t;
}

static void add_variable3(text *t, const variable *v, int reference) {
  add(t, "    <Float64");
  add_quoted(t, "name", v->name);
  add(t, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, causalities[v->kind],
      v->kind == PARAMETER ? "fixed" : "continuous");
  if (v->kind == OUTPUT) add(t, " initial=\"calculated\"");
  if (v->kind == PARAMETER) add(t, " initial=\"exact\"");
  if (v->about[0]) add_quoted(t, "description", v->about);
  if (strcmp(v->unit, "1") != 0) add_quoted(t, "unit", v->unit);
  if (v->kind == INPUT || v->kind == PARAMETER) add_number(t, "start", v->start);
  add(t, "/>\n");
}

static text describe3(const model *m) {
  text t = {0};
  add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\"");
  add_quoted(&t, "modelName", cps_scenario_title(m->scenario));
  add_quoted(&t, "instantiationToken", cps_scenario_hash(m->scenario));
  add(&t, " generationTool=\"Capstan %s\" variableNamingConvention=\"flat\">\n", cps_version());
  add(&t, "  <CoSimulation modelIdentifier=\"capstan\" canHandleVariableCommunicationStepSize=\"true\" "
          "canGetAndSetFMUState=\"true\" "
          "canSerializeFMUState=\"true\" hasEventMode=\"true\"");
  if (m->has_derivatives)
    add(&t, " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"");
  add(&t, "/>\n");
  add_units(&t, m);
  add_experiment(&t, m);
  add(&t, "  <ModelVariables>\n");
  for (int i = 0; i < m->n; i++) add_variable3(&t, &m->variables[i], i);
  add(&t, "  </ModelVariables>\n  <ModelStructure>\n");
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->n; i++)
      if (m->variables[i].kind == OUTPUT)
        add(&t, "    <%s valueReference=\"%d\"/>\n", pass == 0 ? "Output" : "InitialUnknown", i);
  add(&t, "  </ModelStructure>\n</fmiModelDescription>\n");
  return t;
}

/* ------------------------------------------------------------------ the archive */

static char *read_file(const char *path, size_t *size) {
  struct stat info;
  FILE *f = fopen(path, "rb");
  char *bytes = NULL;
  if (f && fstat(fileno(f), &info) == 0 && info.st_size >= 0) {
    bytes = grow(NULL, (size_t)info.st_size + 1, 1);
    *size = fread(bytes, 1, (size_t)info.st_size, f);
    bytes[*size] = 0;
    if (*size != (size_t)info.st_size) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (f) fclose(f);
  return bytes;
}

/* The shared object that goes into every FMU. */
static char *find_binary(size_t *size) {
  static const char *const places[] = {"/fmu/capstan.so", "/../lib/capstan/fmu/capstan.so",
                                       "/../lib64/capstan/fmu/capstan.so"};
  char own[4000], path[4200];
  input_own_folder(own, sizeof own);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    snprintf(path, sizeof path, "%s%s", own, places[i]);
    char *bytes = read_file(path, size);
    if (bytes) return bytes;
  }
  return NULL;
}

/* The scenario must stand on its own: files that it includes would be missing in the FMU. */
static int stands_alone(const char *source, size_t length, const fmu_options *o) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(source, length, "/nowhere/scenario.yaml", o->set.item, o->set.n,
                                       &problems);
  cps_problems_free(problems);
  cps_scenario_free(s);
  return s != NULL;
}

static int write_fmu(const model *m, const char *file, const fmu_options *o, const char *path) {
  size_t binary_size, source_size;
  char *binary = find_binary(&binary_size), *source = read_file(file, &source_size);
  int status = STATUS_FAILED;
  if (!binary) {
    complain("fmu", "the shared object for FMUs is missing: it is built beside this tool as fmu/capstan.so");
  } else if (!source) {
    complain("fmu", "cannot read '%s' once more", file);
    status = STATUS_IO;
  } else if (!stands_alone(source, source_size, o)) {
    complain("fmu", "%s refers to other files, which an FMU does not have: put their content into it", file);
    status = STATUS_USAGE;
  } else {
    text about = o->fmi3 ? describe3(m) : describe2(m), list = variables_text(m, o);
    FILE *out = open_output("fmu", path);
    zip *z = out ? zip_new(out) : NULL;
    int good = z != NULL;
    good = good && zip_add(z, "modelDescription.xml", about.data, about.n);
    good = good && zip_add(z, o->fmi3 ? "binaries/x86_64-linux/capstan.so" : "binaries/linux64/capstan.so",
                           binary, binary_size);
    good = good && zip_add(z, "resources/scenario.yaml", source, source_size);
    good = good && zip_add(z, "resources/variables.txt", list.data, list.n);
    if (z) good &= zip_end(z);
    if (out && good) status = close_output("fmu", path, out);
    if (out && !good) {
      discard_output(out);
      complain("fmu", "cannot write '%s'", path);
      status = STATUS_IO;
    }
    if (!out) status = STATUS_IO;
    free(about.data);
    free(list.data);
  }
  free(binary);
  free(source);
  return status;
}

static int export(const char *file, const fmu_options *o) {
  char path[1000];
  int status;
  cps_error err = {0};
  cps_scenario *read = study_load(file, &o->set, 0, &status), *scenario = read;
  if (!read) return status;
  if (o->inputs.n > 0) scenario = cps_scenario_with_inputs(read, o->inputs.item, o->inputs.n, &err);
  model m = {.scenario = scenario};
  if (scenario) m.system = cps_system_new(scenario, &err);
  if (m.system) m.sim = cps_simulation_new(m.system, &err);
  cps_stretch *stretch = m.sim ? cps_stretch_new(m.sim, NULL, 0, NULL) : NULL;
  m.has_derivatives = stretch != NULL;
  cps_stretch_free(stretch);
  status = m.sim ? collect(&m, o, &err) : study_status(&err);
  if (status != STATUS_GOOD && err.text[0]) complain("fmu", "%s", err.text);
  study_folder(file, ".fmu", path, sizeof path);
  const char *target = o->output ? o->output : path;
  if (status == STATUS_GOOD) status = write_fmu(&m, file, o, target);
  if (status == STATUS_GOOD && strcmp(target, "-") != 0) {
    int count[4] = {0};
    for (int i = 0; i < m.n; i++) count[m.variables[i].kind]++;
    fprintf(stderr,
            "capstan fmu: wrote %s, FMI %s co-simulation with %d inputs, %d outputs and %d parameters\n",
            target, o->fmi3 ? "3.0" : "2.0", count[INPUT], count[OUTPUT], count[PARAMETER]);
  }
  free(m.variables);
  cps_simulation_free(m.sim);
  cps_system_free(m.system);
  if (scenario != read) cps_scenario_free(scenario);
  cps_scenario_free(read);
  return status;
}

int fmu_run(int argc, char **argv) {
  fmu_options o = {0};
  const option table[] = {
      {"output", 'o', OPTION_TEXT, (void *)&o.output, "FILE", "the FMU; NAME.fmu if nothing is said"},
      {"fmi", 0, OPTION_TEXT, (void *)&o.version, "2|3", "version of the interface; 2 if nothing is said"},
      {"input", 0, OPTION_LIST, &o.inputs, "PATH",
       "make a quantity of the file an input, such as loads.push.force"},
      {"output-column", 0, OPTION_LIST, &o.outputs, "COLUMN", "have only these columns as outputs"},
      {"set", 0, OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  enum { N = sizeof table / sizeof table[0] };
  int n = options_parse("fmu", table, N, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    printf(
        "Usage: capstan fmu FILE [-o FILE.fmu] [--fmi 2|3] [--input PATH]... [--output-column COLUMN]...\n\n"
        "Makes a Functional Mock-up Unit for co-simulation of a scenario: its inputs are inputs, its columns "
        "outputs, and every\n"
        "number of the file a parameter by its path.\n\nOptions:\n");
    options_help(stdout, table, N);
    printf("\nExample:\n  capstan fmu crane.yaml --input loads.drive.force --fmi 3\n");
    return STATUS_GOOD;
  }
  if (n != 1) {
    complain("fmu",
             n == 0 ? "a scenario file is needed: capstan fmu FILE" : "one scenario file at a time, please");
    return STATUS_USAGE;
  }
  if (o.version && strcmp(o.version, "2") != 0 && strcmp(o.version, "3") != 0) {
    complain("fmu", "--fmi is 2 or 3, not '%s'", o.version);
    return STATUS_USAGE;
  }
  o.fmi3 = o.version && o.version[0] == '3';
  return export(argv[0], &o);
}
