/* sens_agree.c - whether an adjoint gradient agrees with a forward derivative.
 *
 * Most adjoints are the transposed steps of the forward method, and agree with it to round-off. Those of bodies by bdf are integrated backwards
 * along a run that is interpolated: where the run is no smooth function of its parameters, as with laws whose modes come and go by the
 * hundred, the two need not agree, and then neither is a derivative. Where guards of laws end steps of a machine one after the other, steps
 * of next to no length amplify round-off in both, each in its own way. So one of the parameters, the one that does most, is
 * differentiated by the other method, too.
 */
#include "sens.h"

#include <math.h>

/* What forward and adjoint may differ by before it is said, and before there is no result; and the part of an output's own size,
 * over that of the parameter, below which they are not compared. */
static const double DOUBTFUL = 1e-3, WRONG = 1e-2, NEGLIGIBLE = 1e-3;

/* What a change of a parameter by all of itself does to an output. */
static double effect(const cps_sens *s, int of, int wrt) {
  double at = cps_sens_parameter(s, wrt)->value;
  return fabs(cps_sens_gradient(s, of, wrt) * (at != 0 ? at : 1));
}

/* The parameter that does most, over the size of each output. */
static int strongest(const cps_sens *s) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < cps_sens_outputs(s); i++)
    for (int j = 0; j < cps_sens_parameters(s); j++) {
      double does = effect(s, i, j) / (fabs(cps_sens_value(s, i)) + 1e-300);
      if (!(does > most)) continue;
      most = does;
      best = j;
    }
  return best;
}

static cps_status compare(sens_run *run, const cps_sens *s, const cps_sens *other, int wrt, cps_error *err) {
  const cps_quantity *q = cps_sens_parameter(s, wrt);
  for (int i = 0; i < cps_sens_outputs(s); i++) {
    if (isnan(cps_sens_value(s, i))) continue; /* there is nothing to differentiate */
    double a = cps_sens_gradient(s, i, wrt), f = cps_sens_gradient(other, i, 0);
    if (cps_sens_used(s) == CPS_SENS_FORWARD) f = a, a = cps_sens_gradient(other, i, 0);
    double size = fabs(cps_sens_value(s, i) / (q->value != 0 ? q->value : 1));
    double apart = fabs(a - f) / (fmax(fabs(a), fabs(f)) + NEGLIGIBLE * size + 1e-300);
    if (apart <= DOUBTFUL) continue;
    if (!(apart <= WRONG))
      return cps_error_set(
          err, CPS_FAILED, NULL,
          "the derivative of %s by %s is %.6g forwards and %.6g by the adjoint, so neither is one: the run "
          "is no smooth function of its parameters there, as where contacts graze their transitions. "
          "Smaller steps may help, or run.solver events for bodies; differences show how it jumps",
          cps_sens_output(s, i), q->path, f, a);
    cps_sens_warn(run,
                  "the derivative of %s by %s is %.6g forwards and %.6g by the adjoint: trust it to %.2g %%",
                  cps_sens_output(s, i), q->path, f, a, 100 * apart);
  }
  return CPS_OK;
}

cps_status cps_sens_agree(sens_run *run, cps_error *err) {
  const cps_sens *s = run->owner;
  int wrt = strongest(s);
  cps_sens *other = cps_sens_again(s, wrt, err);
  if (!other) return CPS_NO_MEMORY;
  cps_sens_method method = cps_sens_used(s) == CPS_SENS_ADJOINT ? CPS_SENS_FORWARD : CPS_SENS_ADJOINT;
  cps_status status = cps_sens_run(other, method, run->progress, run->progress_data, err);
  if (status == CPS_OK) status = compare(run, s, other, wrt, err);
  cps_sens_free(other);
  return status;
}
