/* wrap.c - the capstan: Euler-Eytelwein with Johnson's stick and slip arcs.
 *
 * A massless, perfectly flexible cable on a drum has dT/dtheta = +-mu T where it slips and constant T where
 * it sticks to a drum that turns steadily. The stick arc lies where the cable runs on (K. L. Johnson, Contact
 * Mechanics, 1985, section 8.3), so the tension stays t_in over the angle minus the slip arc and then goes
 * exponentially to t_out.
 */
#include "capstan.h"

#include <math.h>
#include <string.h>

cps_status cps_wrap_eval(double t_in, double t_out, double mu, double angle, cps_wrap *wrap) {
  memset(wrap, 0, sizeof *wrap);
  if (!(t_in > 0 && t_out > 0 && mu > 0 && angle >= 0)) return CPS_BAD_INPUT;
  if (!(isfinite(t_in) && isfinite(t_out) && isfinite(mu) && isfinite(angle))) return CPS_BAD_INPUT;
  double log_ratio = log(t_out) - log(t_in), side = log_ratio < 0 ? -1 : 1;
  wrap->ratio = fmax(t_in, t_out) / fmin(t_in, t_out);
  wrap->limit = exp(mu * angle);
  wrap->margin = mu * angle - fabs(log_ratio);
  wrap->slips = wrap->margin < 0;
  wrap->slip_arc = wrap->slips ? angle : fabs(log_ratio) / mu;
  wrap->stick_arc = angle - wrap->slip_arc;
  wrap->torque = t_out - t_in;
  if (!wrap->slips) {
    wrap->slip_arc_t_in = -side / (mu * t_in);
    wrap->slip_arc_t_out = side / (mu * t_out);
    wrap->slip_arc_mu = -wrap->slip_arc / mu;
  }
  return CPS_OK;
}

double cps_wrap_tension(double t_in, double t_out, double mu, double angle, double theta) {
  cps_wrap wrap;
  if (cps_wrap_eval(t_in, t_out, mu, angle, &wrap) != CPS_OK) return NAN;
  if (theta <= wrap.stick_arc) return t_in;
  double side = t_out < t_in ? -1 : 1, on = theta < angle ? theta : angle;
  return t_in * exp(side * mu * (on - wrap.stick_arc));
}

double cps_wrap_power(double t_in, double t_out, double ea, double flow) {
  double difference = t_out - t_in;
  return difference * difference * fabs(flow) / (2 * ea);
}
