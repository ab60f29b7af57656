/* fuzz_csv.c - any bytes as a CSV file: as a table of measurements, as a series of a scenario, as a column of a study. */
#include "fuzz_file.h"
#include "fuzz_problems.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_table(const char *path) {
  cps_problems *problems = NULL;
  cps_table *t = cps_table_load(path, &problems);
  if (t) {
    long rows = cps_table_rows(t);
    const double *time = cps_table_data(t, 0);
    demand(rows > 0 && cps_table_columns(t) > 0, "an empty table");
    for (long i = 0; i < rows; i++)
      demand(isfinite(time[i]) && (!i || time[i] > time[i - 1]), "times do not rise");
    for (int c = 0; c < cps_table_columns(t); c++) {
      demand(cps_table_name(t, c) && cps_table_unit(t, c) && cps_table_data(t, c), "half a column");
      demand(!isinf(cps_table_data(t, c)[rows - 1]), "an infinite value");
    }
  }
  check_problems(t, problems);
  cps_table_free(t);
}

static void as_series(const char *path, const char *column) {
  char text[600];
  cps_problems *problems = NULL;
  int n = snprintf(
      text, sizeof text,
      "capstan: 1\nbodies: {a: {mass: 1}}\nloads: {l: {on: a, force: {table: {file: '%s', value: %s}}}}\n"
      "run: {until: 1, output: 0.1}\n",
      path, column);
  cps_scenario *s = cps_scenario_parse(text, (size_t)n, "fuzz.yaml", NULL, 0, &problems);
  check_problems(s, problems);
  cps_scenario_free(s);
}

static void as_column(const char *path, const char *scenario) {
  char text[600];
  cps_problems *problems = NULL;
  int n = snprintf(
      text, sizeof text,
      "study: 1\nscenario: '%s'\nvary: {m: {path: bodies.a.mass, csv: {file: '%s', column: mass}}}\n"
      "outputs: {x: bodies.a.x}\n",
      scenario, path);
  cps_study *s = cps_study_parse(text, (size_t)n, "study.yaml", &problems);
  if (s) {
    double value;
    demand(cps_study_count(s) > 0, "a study without points");
    demand(cps_study_point(s, cps_study_count(s) - 1, &value, NULL) == CPS_OK && isfinite(value),
           "no last point");
  }
  check_problems(s, problems);
  cps_study_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_file csv;
  static const char *const columns[] = {"1", "2", "3", "pull", "'pull [N]'", "-1", "1e300", "2.5"};
  if (size == 0) return 0;
  fuzz_file_fill(&csv, data + 1, size - 1);
  as_table(csv.path);
  as_series(csv.path, columns[data[0] % 8]);
  if (data[0] & 8) {
    char scenario[300];
    snprintf(scenario, sizeof scenario, "%s/machine.yaml", FUZZ_FOLDER);
    as_column(csv.path, scenario);
  }
  return 0;
}
