/* fmu.c - capstan fmu: a scenario as a Functional Mock-up Unit, FMI 2.0 or 3.0.
 *
 * An FMU is a ZIP archive: modelDescription.xml, the scenario with a list of its variables (fmu/instance.h), and shared objects
 * that were built beforehand: that beside this tool, and those for other platforms that are there. No compiler is needed.
 */
#include "cli.h"
#include "fmu_model.h"
#include "input.h"
#include "options.h"
#include "study.h"
#include "zip.h"

#include "capstan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct fmu_options {
  int help, fmi3, exchange, derivatives;
  const char *version, *output;
  text_list set, inputs, outputs;
} fmu_options;

/* ------------------------------------------------------------------ the archive */

/* Platforms as FMI 3.0 and 2.0 call them, and the file that each has. */
static const struct {
  const char *fmi3, *fmi2, *file;
} platforms[] = {{"x86_64-linux", "linux64", "capstan.so"},
                 {"aarch64-linux", "aarch64-linux", "capstan.so"},
                 {"x86_64-windows", "win64", "capstan.dll"},
                 {"x86_64-darwin", "darwin64", "capstan.dylib"},
                 {"aarch64-darwin", "aarch64-darwin", "capstan.dylib"}};
enum { PLATFORMS = sizeof platforms / sizeof platforms[0] };

/* The shared object of a platform, where this tool was built or installed; NULL if there is none. */
static char *find_binary(int platform, size_t *size) {
  static const char *const places[] = {"fmu",
                                       "binaries/fmu",
                                       "../lib/capstan/fmu",
                                       "../lib64/capstan/fmu",
                                       "../lib/x86_64-linux-gnu/capstan/fmu",
                                       "../lib/aarch64-linux-gnu/capstan/fmu"};
  char own[4000], path[4200];
  input_own_folder(own, sizeof own);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    snprintf(path, sizeof path, "%s/%s/%s/%s", own, places[i], platforms[platform].fmi3,
             platforms[platform].file);
    char *bytes = input_file(path, size);
    if (bytes) return bytes;
  }
  return NULL;
}

/* Adds all that are there; the number of them, -1 if one cannot be written. */
static int add_binaries(zip *z, int fmi3) {
  int n = 0;
  for (int i = 0; i < PLATFORMS && n >= 0; i++) {
    size_t size;
    char name[100], *bytes = find_binary(i, &size);
    if (!bytes) continue;
    snprintf(name, sizeof name, "binaries/%s/%s", fmi3 ? platforms[i].fmi3 : platforms[i].fmi2,
             platforms[i].file);
    n = zip_add(z, name, bytes, size) ? n + 1 : -1;
    free(bytes);
  }
  return n;
}

/* Says what the FMU runs on. */
static void list_platforms(char *text, size_t size) {
  text[0] = 0;
  for (int i = 0; i < PLATFORMS; i++) {
    size_t bytes;
    char *found = find_binary(i, &bytes);
    if (found) append(text, size, "%s%s", text[0] ? ", " : "", platforms[i].fmi3);
    free(found);
  }
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

static int write_archive(const fmu_model *m, const char *source, size_t source_size, const fmu_options *o,
                         const char *path) {
  text about = fmu_describe(m), list = fmu_list(m, &o->set, &o->inputs), terminals = {0};
  if (m->fmi3) terminals = fmu_terminals(m);
  FILE *out = open_output("fmu", path);
  zip *z = out ? zip_new(out) : NULL;
  int good = z && zip_add(z, "modelDescription.xml", about.data, about.n);
  if (good && terminals.data)
    good = zip_add(z, "terminalsAndIcons/terminalsAndIcons.xml", terminals.data, terminals.n);
  int binaries = good ? add_binaries(z, m->fmi3) : -1;
  good = binaries > 0 && zip_add(z, "resources/scenario.yaml", source, source_size) &&
         zip_add(z, "resources/variables.txt", list.data, list.n);
  if (z) good &= zip_end(z);
  int status = out && good ? close_output("fmu", path, out) : STATUS_IO;
  if (out && !good) {
    int said = binaries != 0 && flush_output("fmu", path, out) != STATUS_GOOD;
    discard_output(out);
    if (binaries == 0)
      complain("fmu", "there is no shared object for FMUs: it is built beside this tool, in the folder fmu");
    else if (!said)
      complain("fmu", "cannot write '%s': out of memory", path);
  }
  free(about.data);
  free(list.data);
  free(terminals.data);
  return binaries == 0 ? STATUS_FAILED : status;
}

static int write_fmu(const fmu_model *m, const char *file, const fmu_options *o, const char *path) {
  size_t size;
  int status;
  char *source = input_file(file, &size);
  if (!source) {
    complain("fmu", "cannot read '%s' once more", file);
    status = STATUS_IO;
  } else if (!stands_alone(source, size, o)) {
    complain("fmu", "%s refers to other files, which an FMU does not have: put their content into it", file);
    status = STATUS_USAGE;
  } else {
    status = write_archive(m, source, size, o, path);
  }
  free(source);
  return status;
}

static void report(const fmu_model *m, const char *path) {
  int inputs = 0, outputs = 0, parameters = 0, tuned = 0;
  char where[200];
  for (int i = 0; i < m->n; i++) {
    fmu_kind kind = m->variables[i].kind;
    inputs += kind == FMU_INPUT;
    outputs += kind == FMU_OUTPUT || kind == FMU_FIELD;
    parameters += kind == FMU_PARAMETER || kind == FMU_TUNED;
    tuned += kind == FMU_TUNED;
  }
  list_platforms(where, sizeof where);
  fprintf(stderr,
          "capstan fmu: wrote %s, FMI %s for co-simulation%s, with %d inputs, %d outputs and %d parameters, "
          "%d of "
          "them tunable; runs on %s\n",
          shown_name(path), m->fmi3 ? "3.0" : "2.0", m->exchange ? " and model exchange" : "", inputs,
          outputs, parameters, tuned, where);
}

static int export(const char *file, const fmu_options *o) {
  char path[1000];
  int status;
  cps_error err = {0};
  cps_scenario *read = study_load(file, &o->set, 0, &status), *scenario = read;
  if (!read) return status;
  if (o->inputs.n > 0) scenario = cps_scenario_with_inputs(read, o->inputs.item, o->inputs.n, &err);
  cps_system *system = scenario ? cps_system_new(scenario, &err) : NULL;
  fmu_model m = {.scenario = scenario, .fmi3 = o->fmi3};
  if (system) m.sim = cps_simulation_new(system, &err);
  if (m.sim && o->derivatives) {
    cps_stretch *stretch = cps_stretch_new(m.sim, NULL, 0, &err);
    m.derivatives = stretch != NULL;
    cps_stretch_free(stretch);
  }
  if (!m.sim || m.derivatives != o->derivatives) {
    status = study_status(&err);
    complain("fmu", "%s", err.text);
  } else {
    status = fmu_collect(&m, &o->outputs);
  }
  if (status == STATUS_GOOD && o->exchange && !m.exchange) {
    complain("fmu", "no model exchange: %s", m.refusal);
    status = STATUS_USAGE;
  }
  input_folder(file, ".fmu", path, sizeof path);
  const char *target = o->output ? o->output : path;
  if (status == STATUS_GOOD) status = write_fmu(&m, file, o, target);
  if (status == STATUS_GOOD && strcmp(target, "-") != 0) report(&m, target);
  free(m.variables);
  cps_simulation_free(m.sim);
  cps_system_free(system);
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
      {"model-exchange", 0, OPTION_FLAG, &o.exchange, NULL,
       "insist on model exchange: bodies with run.solver events have it anyway, others are refused"},
      {"derivatives", 0, OPTION_FLAG, &o.derivatives, NULL,
       "provide directional and adjoint derivatives of steps, which then cost a little more"},
      {"set", 0, OPTION_LIST, &o.set, "PATH=VALUE", "change a value of the file"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  enum { N = sizeof table / sizeof table[0] };
  int n = options_parse("fmu", table, N, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    printf(
        "Usage: capstan fmu FILE [-o FILE.fmu] [--fmi 2|3] [--input PATH]... [--output-column COLUMN]...\n\n"
        "Makes a Functional Mock-up Unit of a scenario: its inputs are inputs, its columns outputs, and "
        "every "
        "number of the file a\n"
        "parameter by its path. It is for co-simulation; of bodies under run.solver events also for model "
        "exchange.\n\nOptions:\n");
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
