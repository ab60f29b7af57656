/* rows.c - runs scenario files with the core alone and prints which instructions the innermost loops of cables use, and every number of
 * the results as its bits, for comparison between processors and systems (scripts/binaries.sh, vectors.sh). A file may have settings
 * behind it, as --set has them. usage: rows FILE[+PATH=VALUE]... */
#include "capstan.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS = 8 };

static int run(const char *machine) {
  cps_problems *problems = NULL;
  cps_error err = {0};
  char text[2000] = "";
  char path[500];
  const char *settings[SETTINGS];
  int n = 0;
  snprintf(path, sizeof path, "%s", machine);
  for (char *at = strchr(path, '+'); at && n < SETTINGS; at = strchr(at, '+')) {
    *at++ = '\0';
    settings[n++] = at;
  }
  cps_scenario *s = cps_scenario_load(path, settings, n, &problems);
  cps_system *system = s ? cps_system_new(s, &err) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  int good = sim && cps_simulation_run(sim, NULL, NULL, &err) == CPS_OK;
  if (good) {
    const cps_result *r = cps_simulation_result(sim);
    for (int c = 0; c < cps_result_columns(r); c++)
      for (long i = 0; i < cps_result_rows(r); i++) {
        uint64_t bits;
        memcpy(&bits, &cps_result_data(r, c)[i], sizeof bits);
        printf("%s|%s|%s|%016" PRIx64 "\n", machine, cps_result_name(r, c), cps_result_unit(r, c), bits);
      }
  } else {
    cps_problem_text(problems ? cps_problems_at(problems, 0) : &err, text, sizeof text);
    fprintf(stderr, "rows: %s: %s\n", machine, text);
  }
  cps_problems_free(problems);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return good;
}

int main(int argc, char **argv) {
  int good = argc > 1;
  printf("%s\n", cps_has_avx512() ? "avx512" : cps_has_avx2() ? "avx2" : cps_has_neon() ? "neon" : "plain");
  for (int i = 1; i < argc; i++) good = run(argv[i]) && good;
  return good ? 0 : 1;
}
