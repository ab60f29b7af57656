/* run_verdict.c - whether the result of a run can be trusted: its energy, its numbers, and how its steps went.
 *
 * What the audit leaves open, and what the integrator itself dissipates, is error: above `run.audit.warn` of the largest energy that is
 * a warning, above `run.audit.fail` the run has failed. Each is the largest of all rows and of the end, so that errors that
 * cancel in the end count, too.
 */
#include "system.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Faster than light [m/s], and further than light goes in a year [m]: no machine of ours. */
static const double FASTEST = 3e8, FURTHEST = 1e16;

/* With less kinetic energy than this no row needs a look at all of its numbers: a tonne would have 1400 km/s [J]. */
static const double SUSPECT = 1e15;

/* A part of what is stored that is round-off of its differences. */
static const double ROUND_OFF = 1e-10;

/* Rejected steps over all that were tried. */
static const double MANY_REJECTED = 0.3;
static const long FEW_STEPS = 50; /* a run so short says nothing about it */

static void warn(cps_simulation *sim, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(&sim->result.warnings, format, args);
  va_end(args);
}

void cps_verdict_note(cps_simulation *sim, const cps_energy *e) {
  double lost = fabs(e->error - e->solver), blur = fabs(e->initial) + fabs(e->gravity);
  sim->open_energy = fmax(sim->open_energy, lost - ROUND_OFF * blur);
}

/* What a column may be at most; INFINITY if it is not about the motion of a body. */
static double most_of(const char *name) {
  const char *what = strrchr(name, '.');
  if (strncmp(name, "bodies.", 7) != 0 || !what) return INFINITY;
  if (strcmp(what, ".v") == 0 || (what[1] == 'v' && strchr("xyz", what[2]) && what[2] && !what[3]))
    return FASTEST;
  return what[1] && strchr("xyz", what[1]) && !what[2] ? FURTHEST : INFINITY;
}

/* Looks at the last row, and names what has run away. */
static cps_status look_at_row(cps_simulation *sim, cps_error *err) {
  const cps_result *r = &sim->result;
  const cps_energy *e = &r->energy;
  const char *advice = "the solution has run away; try a smaller run.step, or run.solver alpha or bdf";
  for (int c = 0; c < r->n_columns && r->rows > 0; c++) {
    double x = r->data[(size_t)c * (size_t)r->capacity + (size_t)r->rows - 1];
    if (fabs(x) > most_of(r->names[c]))
      return cps_simulation_fail(sim, -1, err, "%s is %.3g %s: %s", r->names[c], x, r->units[c], advice);
  }
  if (isfinite(e->kinetic + e->elastic + e->gravity) && isfinite(e->error)) return CPS_OK;
  return cps_simulation_fail(sim, -1, err, "its energy is not a finite number: %s", advice);
}

cps_status cps_verdict_row(cps_simulation *sim, cps_error *err) {
  const cps_energy *e = &sim->result.energy;
  if (e->kinetic < SUSPECT && isfinite(e->error)) return CPS_OK;
  return look_at_row(sim, err);
}

/* Why steps were rejected, and what helps. */
static void judge_steps(cps_simulation *sim) {
  const cps_counters *n = &sim->result.counters;
  double part = (double)n->rejected / fmax(1, (double)(n->rejected + n->steps));
  if (n->rejected + n->steps < FEW_STEPS || !(part > MANY_REJECTED)) return;
  if (2 * n->unsolved > n->rejected)
    warn(
        sim,
        "%.0f %% of the steps were rejected, most of them because Newton's method did not converge: contacts "
        "change too much within a step; a smaller run.step, softer contact (normal.stiffness), more damping, "
        "or a "
        "friction law with a wider transition (epsilon) helps",
        100 * part);
  else
    warn(sim,
         "%.0f %% of the steps were rejected, most of them because their error was above the tolerance: "
         "something "
         "is fast or not smooth there; look at stiff springs or contacts without damping, at profiles with "
         "corners, "
         "or loosen run.tolerance (%g)",
         100 * part, sim->system->scenario->run.tolerance);
}

cps_status cps_verdict_run(cps_simulation *sim, cps_status status, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  const cps_energy *e = &sim->result.energy;
  judge_steps(sim);
  double part = e->scale > 0 ? sim->open_energy / e->scale : 0;
  int own = fabs(e->solver) > fabs(e->error);
  const char *what = own ? "what the integrator itself has dissipated or made"
                         : "what the audit of energy leaves open";
  if (status == CPS_OK) status = look_at_row(sim, err);
  if (status != CPS_OK) return status;
  if (run->audit_fail >= 0 && part > run->audit_fail)
    return cps_simulation_fail(
        sim, -1, err,
        "%s is %.2g J, %.2g %% of the largest energy, and %.3g %% is the limit: do not trust this "
        "result. Try a smaller run.tolerance or run.step; run.audit.fail sets the limit",
        what, sim->open_energy, 100 * part, 100 * run->audit_fail);
  if (run->audit_warn >= 0 && part > run->audit_warn)
    warn(sim,
         "%s is %.2g J, %.2g %% of the largest energy: a smaller run.tolerance or run.step makes it less "
         "(run.audit.warn is %.3g %%)",
         what, sim->open_energy, 100 * part, 100 * run->audit_warn);
  return CPS_OK;
}
