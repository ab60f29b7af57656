/* fmilib.c - reads an FMU with FMI Library, and makes twenty steps of co-simulation with it: nothing may be complained of.
 *
 * usage: fmilib FMU FOLDER      (FOLDER: where it is unpacked)
 */
#include <fmilib.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20 };
static const double STEP = 0.01;
static int complaints;

/* What fmi3Terminal.xsd has and FMI Library 3.0.4 does not know. */
static int is_of_terminals(const char *message) {
  static const char *const unknown[] = {
      "'matchingRule=", "'terminalKind=", "'variableName=", "'memberName=", "'variableKind="};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    if (strstr(message, unknown[i])) return 1;
  return strstr(message, "element 'Terminal'") != NULL;
}

static void heard(jm_callbacks *c, jm_string module, jm_log_level_enu_t level, jm_string message) {
  (void)c;
  if (level > jm_log_level_warning || is_of_terminals(message)) return;
  printf("%s: %s\n", module, message);
  complaints++;
}

static void logger2(fmi2_component_environment_t env, fmi2_string_t instance, fmi2_status_t status,
                    fmi2_string_t category, fmi2_string_t message, ...) {
  va_list args;
  (void)env, (void)instance, (void)category;
  va_start(args, message);
  if (status > fmi2_status_warning) vprintf(message, args), complaints++;
  va_end(args);
}

static void logger3(fmi3_instance_environment_t env, fmi3_status_t status, fmi3_string_t category,
                    fmi3_string_t message) {
  (void)env, (void)category;
  if (status > fmi3_status_warning) printf("%s\n", message), complaints++;
}

static void need(int good, const char *what) {
  if (good) return;
  printf("%s failed\n", what);
  exit(1);
}

static double run2(fmi_import_context_t *context, const char *folder) {
  fmi2_callback_functions_t call = {logger2, calloc, free, NULL, NULL};
  fmi2_real_t value = NAN;
  fmi2_import_t *fmu = fmi2_import_parse_xml(context, folder, NULL);
  need(fmu != NULL, "reading modelDescription.xml");
  need(fmi2_import_create_dllfmu(fmu, fmi2_fmu_kind_cs, &call) == jm_status_success, "loading");
  need(fmi2_import_instantiate(fmu, "fmu", fmi2_cosimulation, NULL, 0) == jm_status_success,
       "fmi2Instantiate");
  need(fmi2_import_setup_experiment(fmu, 0, 0, 0, 0, 0) == fmi2_status_ok, "fmi2SetupExperiment");
  need(fmi2_import_enter_initialization_mode(fmu) == fmi2_status_ok, "fmi2EnterInitializationMode");
  need(fmi2_import_exit_initialization_mode(fmu) == fmi2_status_ok, "fmi2ExitInitializationMode");
  for (int k = 0; k < STEPS; k++)
    need(fmi2_import_do_step(fmu, k * STEP, STEP, fmi2_true) == fmi2_status_ok, "fmi2DoStep");
  fmi2_value_reference_t time = fmi2_import_get_variable_vr(fmi2_import_get_variable_by_name(fmu, "time"));
  need(fmi2_import_get_real(fmu, &time, 1, &value) == fmi2_status_ok, "fmi2GetReal");
  need(fmi2_import_terminate(fmu) == fmi2_status_ok, "fmi2Terminate");
  fmi2_import_free_instance(fmu);
  fmi2_import_destroy_dllfmu(fmu);
  fmi2_import_free(fmu);
  return value;
}

static double run3(fmi_import_context_t *context, const char *folder) {
  fmi3_float64_t value = NAN, last;
  fmi3_boolean_t event, end, early;
  fmi3_import_t *fmu = fmi3_import_parse_xml(context, folder, NULL);
  need(fmu != NULL, "reading modelDescription.xml");
  need(fmi3_import_create_dllfmu(fmu, fmi3_fmu_kind_cs, NULL, logger3) == jm_status_success, "loading");
  need(fmi3_import_instantiate_co_simulation(fmu, "fmu", NULL, fmi3_false, fmi3_false, fmi3_false, fmi3_false,
                                             NULL, 0, NULL) == jm_status_success,
       "fmi3InstantiateCoSimulation");
  need(fmi3_import_enter_initialization_mode(fmu, fmi3_false, 0, 0, fmi3_false, 0) == fmi3_status_ok,
       "fmi3EnterInitializationMode");
  need(fmi3_import_exit_initialization_mode(fmu) == fmi3_status_ok, "fmi3ExitInitializationMode");
  for (int k = 0; k < STEPS; k++)
    need(fmi3_import_do_step(fmu, k * STEP, STEP, fmi3_true, &event, &end, &early, &last) == fmi3_status_ok,
         "fmi3DoStep");
  fmi3_value_reference_t time = fmi3_import_get_variable_vr(fmi3_import_get_variable_by_name(fmu, "time"));
  need(fmi3_import_get_float64(fmu, &time, 1, &value, 1) == fmi3_status_ok, "fmi3GetFloat64");
  need(fmi3_import_terminate(fmu) == fmi3_status_ok, "fmi3Terminate");
  fmi3_import_free_instance(fmu);
  fmi3_import_destroy_dllfmu(fmu);
  fmi3_import_free(fmu);
  return value;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  jm_callbacks callbacks = {malloc, calloc, realloc, free, heard, jm_log_level_warning, NULL, ""};
  fmi_import_context_t *context = fmi_import_allocate_context(&callbacks);
  fmi_version_enu_t version = fmi_import_get_fmi_version(context, argv[1], argv[2]);
  need(version == fmi_version_2_0_enu || version == fmi_version_3_0_enu, "finding the version");
  double t = version == fmi_version_2_0_enu ? run2(context, argv[2]) : run3(context, argv[2]);
  fmi_import_free_context(context);
  need(fabs(t - STEPS * STEP) < 1e-9, "coming to the end");
  printf("FMI Library: FMI %d of %s, %d complaints\n", version == fmi_version_2_0_enu ? 2 : 3, argv[1],
         complaints);
  return complaints > 0;
}
