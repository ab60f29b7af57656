/* sens_agree.c - whether an adjoint gradient agrees with a forward derivative.
 *
 * Most adjoints are the transposed steps of the forward method, and agree with it to round-off. Those of bodies by bdf are integrated backwards
 * along a run that is interpolated: where the run is no smooth function of its parameters, as with laws whose modes come and go by the
 * hundred, the two need not agree, and then neither is a derivative. So one of the parameters, the one that does most, is differentiated
 * forwards, too.
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

static cps_status compare(sens_run *run, const cps_sens *adjoint, const cps_sens *forward, int wrt,
                          cps_error *err) {
  const cps_quantity *q = cps_sens_parameter(adjoint, wrt);
  for (int i = 0; i < cps_sens_outputs(adjoint); i++) {
    if (isnan(cps_sens_value(adjoint, i))) continue; /* there is nothing to differentiate */
    double a = cps_sens_gradient(adjoint, i, wrt), f = cps_sens_gradient(forward, i, 0);
    double size = fabs(cps_sens_value(adjoint, i) / (q->value != 0 ? q->value : 1));
    double apart = fabs(a - f) / (fmax(fabs(a), fabs(f)) + NEGLIGIBLE * size + 1e-300);
    if (apart <= DOUBTFUL) continue;
    if (!(apart <= WRONG))
      return cps_error_set(
          err, CPS_FAILED, NULL,
          "the derivative of %s by %s is %.6g forwards and %.6g by the adjoint, so neither is one: the run "
          "is no "
          "smooth function of its parameters there, as where contacts graze their transitions. A smaller "
          "run.tolerance, or run.solver events, may help; differences show how it jumps",
          cps_sens_output(adjoint, i), q->path, f, a);
    cps_sens_warn(run,
                  "the derivative of %s by %s is %.6g forwards and %.6g by the adjoint: trust it to %.2g %%",
                  cps_sens_output(adjoint, i), q->path, f, a, 100 * apart);
  }
  return CPS_OK;
}

cps_status cps_sens_agree(sens_run *run, cps_error *err) {
  const cps_sens *s = run->owner;
  int wrt = strongest(s);
  cps_sens *forward = cps_sens_again(s, wrt, err);
  if (!forward) return CPS_NO_MEMORY;
  cps_status status = cps_sens_run(forward, CPS_SENS_FORWARD, run->progress, run->progress_data, err);
  if (status == CPS_OK) status = compare(run, s, forward, wrt, err);
  cps_sens_free(forward);
  return status;
}
