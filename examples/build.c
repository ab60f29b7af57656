/* build.c - a scenario without a file: masses on a belt, as many as asked for, built by calls.
 *
 * Each mass hangs on its neighbour by a spring and is dragged along by a belt, with friction of Coulomb's kind: a chain
 * that sticks and slips.
 */
#include <capstan.h>
#include <stdio.h>
#include <stdlib.h>

enum { MASSES = 5 };

static cps_error err;

/* Sets a value of the i-th thing of a section: "bodies.m3.mass". */
static int set(cps_builder *m, const char *format, int i, double value) {
  char path[100];
  snprintf(path, sizeof path, format, i);
  return cps_builder_set(m, path, value, &err) == CPS_OK;
}

static int set_yaml(cps_builder *m, const char *format, int i, const char *yaml, int a, int b) {
  char path[100], value[200];
  snprintf(path, sizeof path, format, i);
  snprintf(value, sizeof value, yaml, a, b);
  return cps_builder_set_yaml(m, path, value, &err) == CPS_OK;
}

static cps_scenario *build(void) {
  cps_problems *problems = NULL;
  cps_builder *m = cps_builder_new("chain");
  int good = m && cps_builder_set_text(m, "title", "Chain on a belt", &err) == CPS_OK &&
             cps_builder_set_text(m, "surfaces.belt.velocity", "100 mm/s", &err) == CPS_OK &&
             cps_builder_set(m, "run.until", 5, &err) == CPS_OK &&
             cps_builder_set_yaml(m, "springs.k0.between", "[m0, ground]", &err) == CPS_OK;
  for (int i = 0; i < MASSES && good; i++) {
    good = set(m, "bodies.m%d.mass", i, 1 + 0.1 * i) && set(m, "springs.k%d.stiffness", i, 40) &&
           (i == 0 || set_yaml(m, "springs.k%d.between", i, "[m%d, m%d]", i, i - 1)) &&
           set_yaml(m, "contacts.c%d.between", i, "[m%d, belt]", i, 0) &&
           set_yaml(m, "contacts.c%d.normal", i, "weight", 0, 0) &&
           set_yaml(m, "contacts.c%d.friction", i, "{coulomb: {mu: 0.3}}", 0, 0);
  }
  cps_scenario *s = good ? cps_builder_scenario(m, NULL, &problems) : NULL;
  if (!good) fprintf(stderr, "%s\n", err.text);
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char text[1000];
    cps_problem_text(cps_problems_at(problems, i), text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  cps_problems_free(problems);
  cps_builder_free(m);
  return s;
}

int main(void) {
  cps_scenario *scenario = build();
  cps_system *system = scenario ? cps_system_new(scenario, &err) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  int good = sim && cps_simulation_run(sim, NULL, NULL, &err) == CPS_OK;
  if (good) {
    const cps_result *r = cps_simulation_result(sim);
    cps_energy e;
    cps_result_energy(r, &e);
    long last = cps_result_rows(r) - 1;
    printf("the last of %d masses has come %.1f mm, after %ld transitions; friction took %.3f J\n", MASSES,
           1000 * cps_result_data(r, cps_result_find(r, "bodies.m4.x"))[last], cps_result_events(r),
           e.friction);
    good = cps_result_events(r) > 0 && e.error < 1e-6 && e.error > -1e-6;
  } else if (scenario) {
    fprintf(stderr, "%s\n", err.text);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(scenario);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
