/* fuzz_study.c - any bytes as a study file: it is read, or refused with problems that can be printed; what was read has points,
 * and points have finite values and scenarios or problems. Studies find machine.yaml beside themselves. */
#include "fuzz_problems.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_point(const cps_study *s, long long i) {
  enum { PARAMETERS = 64 };
  double values[PARAMETERS];
  cps_error err = {0};
  if (cps_study_parameters(s) > PARAMETERS) return;
  if (cps_study_point(s, i, values, &err) != CPS_OK) {
    demand(err.text[0], "no point, and no word why");
    return;
  }
  for (int k = 0; k < cps_study_parameters(s); k++) demand(isfinite(values[k]), "a value is not finite");
  cps_problems *problems = NULL;
  cps_scenario *at = cps_study_scenario_at(s, i, &problems);
  check_problems(at, problems);
  cps_scenario_free(at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cps_problems *problems = NULL;
  cps_study *s = cps_study_parse((const char *)data, size, FUZZ_FOLDER "/study.yaml", &problems);
  if (s) {
    long long n = cps_study_count(s);
    demand(n > 0, "a study without points");
    demand(strlen(cps_study_hash(s)) == 64 && cps_study_title(s) && cps_study_method(s) &&
               cps_study_scenario(s),
           "hash, title, method or scenario is missing");
    for (int i = 0; i < cps_study_columns(s); i++) {
      cps_study_column c;
      demand(cps_study_column_at(s, i, &c) == CPS_OK && c.name[0], "a column has no name");
    }
    check_point(s, 0);
    check_point(s, n / 2);
    check_point(s, n - 1);
    double none;
    demand(cps_study_point(s, n, &none, NULL) != CPS_OK, "a point behind the last");
  }
  check_problems(s, problems);
  cps_study_free(s);
  return 0;
}
