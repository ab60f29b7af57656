/* fmu.c - what an FMU costs over the step interface, on the hoist of step.c at 1 kHz: an input is set, a step made, a column read, by
 * either of them in turn. Both make the same steps. */
#include "pulley.h"
#include "scenario.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICKS = 500, ROUNDS = 40 };
static const double TICK = 0.001; /* [s] */
static const char setting[] = "drums.pulley.drive.pd.setpoint={input: angle}", column[] = "bodies.right.y";

static void die(const char *what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

/* ------------------------------------------------------------------ the FMU, unpacked */

static void write_file(const char *folder, const char *name, const char *text, size_t length) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0) die("a file cannot be written");
}

typedef struct fmu {
  void *object, *instance;
  int (*set)(void *, const unsigned *, size_t, const double *);
  int (*step)(void *, double, double, int);
  int (*get)(void *, const unsigned *, size_t, double *);
} fmu;

/* Functions of the shared object, as POSIX has it. */
#define FIND(f, name, to) (*(void **)(&(to)) = dlsym((f)->object, name))

static fmu open_fmu(const char *folder, int derivatives) {
  char list[300];
  int n = snprintf(list, sizeof list, "token hoist\n%sset %s\ninput angle\noutput %s\n",
                   derivatives ? "derivatives\n" : "", setting, column);
  write_file(folder, "variables.txt", list, (size_t)n);
  fmu f = {.object = dlopen(CAPSTAN_FMU_OBJECT, RTLD_NOW | RTLD_LOCAL)};
  if (!f.object) die(dlerror());
  void *(*make)(const char *, int, const char *, const char *, const void *, int, int);
  int (*setup)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *);
  FIND(&f, "fmi2Instantiate", make);
  FIND(&f, "fmi2SetupExperiment", setup);
  FIND(&f, "fmi2EnterInitializationMode", enter);
  FIND(&f, "fmi2ExitInitializationMode", leave);
  FIND(&f, "fmi2SetReal", f.set);
  FIND(&f, "fmi2DoStep", f.step);
  FIND(&f, "fmi2GetReal", f.get);
  f.instance = make("hoist", 1, "hoist", folder, NULL, 0, 0);
  if (!f.instance || setup(f.instance, 0, 0, 0, 0, 0) || enter(f.instance) || leave(f.instance))
    die("the FMU does not start");
  return f;
}

static void close_fmu(fmu *f) {
  void (*release)(void *);
  FIND(f, "fmi2FreeInstance", release);
  release(f->instance);
  dlclose(f->object);
}

/* ------------------------------------------------------------------ in turns */

static double angle(int k) { return 1e-5 * k; }

static double play_fmu(fmu *f, int from, double *y) {
  static const unsigned input = 1, output = 2;
  double start = seconds_now();
  for (int k = from; k < from + TICKS; k++) {
    double u = angle(k);
    if (f->set(f->instance, &input, 1, &u) || f->step(f->instance, k * TICK, TICK, 1))
      die("a step of the FMU failed");
    f->get(f->instance, &output, 1, y);
  }
  return seconds_now() - start;
}

static double play_simulation(cps_simulation *sim, int from, double *y) {
  int c = cps_simulation_column(sim, column);
  double start = seconds_now();
  for (int k = from; k < from + TICKS; k++) {
    cps_simulation_set(sim, 0, angle(k), CPS_HOLD, NULL);
    if (cps_simulation_step(sim, k * TICK + TICK, 0, NULL, NULL) != CPS_OK) die("a step failed");
    *y = cps_simulation_get(sim, c);
  }
  return seconds_now() - start;
}

int main(void) {
  char folder[] = "/tmp/capstan-bench-XXXXXX", path[300];
  const char *settings[] = {setting};
  if (!mkdtemp(folder)) die("no folder");
  cps_scenario *file = pulley_scenario(40, "cdq");
  cps_scenario *s = file ? cps_scenario_parse(file->text, file->length, "hoist", settings, 1, NULL) : NULL;
  cps_system *system = s ? cps_system_new(s, NULL) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, NULL) : NULL;
  if (!sim || cps_simulation_keep(sim, 0, NULL) != CPS_OK) die("the scenario is not good");
  write_file(folder, "scenario.yaml", file->text, file->length);
  fmu plain = open_fmu(folder, 0), kept = open_fmu(folder, 1);
  double y[3] = {0}, best[3] = {INFINITY, INFINITY, INFINITY};
  for (int round = 0; round < ROUNDS; round++) {
    best[0] = fmin(best[0], play_simulation(sim, round * TICKS, &y[0]));
    best[1] = fmin(best[1], play_fmu(&plain, round * TICKS, &y[1]));
    best[2] = fmin(best[2], play_fmu(&kept, round * TICKS, &y[2]));
  }
  printf("hoist of 40 elements at 1 kHz: %.1f us a millisecond by the step interface, %.1f us as an FMU, "
         "%.1f us with "
         "derivatives; the load differs by %.1g m\n",
         1e6 * best[0] / TICKS, 1e6 * best[1] / TICKS, 1e6 * best[2] / TICKS, fabs(y[1] - y[0]));
  double more = 100 * (best[1] / best[0] - 1);
  int good = goal(more < 5, "an FMU costs %.1f %% more than the step interface (%.0f %%)", more, 5);
  good &= goal(best[1] / TICKS < 100e-6, "the hoist as an FMU at 1 kHz takes %.1f us a step (%.0f us)",
               1e6 * best[1] / TICKS, 100);
  close_fmu(&plain);
  close_fmu(&kept);
  static const char *const names[] = {"scenario.yaml", "variables.txt"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  cps_scenario_free(file);
  return good ? 0 : 1;
}
