/* alpha_rule.c - the generalised-alpha method.
 *
 * J. Chung, G. M. Hulbert, J. Appl. Mech. 60(2), 1993, in the form of M. Arnold, O. Bruels, Multibody Syst.
 * Dyn. 18, 2007, which meets the equations themselves at the end of each step:
 *
 *   (1 - am) A1 + am A0 = (1 - af) a1 + af a0
 *   q1 = q0 + h v0 + h^2 ((1/2 - beta) A0 + beta A1),   v1 = v0 + h ((1 - gamma) A0 + gamma A1)
 *
 * with the true accelerations a and the auxiliary ones A, which are those at t + (am - af) h. They stay where the next step has another
 * length. The method is of order 2 for gamma = 1/2 - am + af; Chung and Hulbert choose am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1),
 * beta = (1 - am + af)^2/4, so that oscillations far above the step's resolution lose the factor rho per step: rho = 1 is
 * Newmark's average acceleration, which loses nothing; rho = 0 removes them at once. (HHT has am = 0, af = (1 - rho)/(1 + rho),
 * Newmark am = af = 0: both are members of the family, and second to this choice.) Friction states have the first-order
 * counterpart, am = (3 rho - 1)/(2 (rho + 1)): K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput. Methods Appl. Mech. Eng.
 * 190, 2000; O. Bruels, M. Arnold, J. Comput. Nonlinear Dyn. 3(4), 2008.
 */
#include "alpha_rule.h"

#include "scenario.h"

#include <math.h>

static alpha_rule rule(double am, double af, double gamma, double h) {
  double shift = am - af, bend = 0.5 * shift * (am + af - 1);
  alpha_rule r = {.aux_aux = -am / (1 - am), .aux_old = af / (1 - am), .aux_new = (1 - af) / (1 - am)};
  r.x_aux = h * (1 - gamma + gamma * r.aux_aux);
  r.x_old = h * gamma * r.aux_old;
  r.x_new = h * gamma * r.aux_new;
  r.error = fabs(shift * shift / 2 - 1.0 / 12 - bend) * h * h * h;
  return r;
}

static void add_places(alpha_weights *s, double beta, double shift) {
  double h2 = s->h * s->h;
  s->beta = beta;
  s->q_aux = h2 * (0.5 - beta + beta * s->v.aux_aux);
  s->q_old = h2 * beta * s->v.aux_old;
  s->q_new = h2 * beta * s->v.aux_new;
  s->q_error = fabs(1.0 / 6 - beta - shift / 2) * h2 * s->h;
}

alpha_weights cps_alpha_weights(double rho, double h) {
  double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), shift = am - af;
  double am_first = (3 * rho - 1) / (2 * (rho + 1));
  alpha_weights s = {.h = h, .v = rule(am, af, 0.5 - shift, h)};
  s.z = rule(am_first, af, 0.5 - (am_first - af), h);
  add_places(&s, (1 - shift) * (1 - shift) / 4, shift);
  return s;
}

alpha_weights cps_newmark_weights(double gamma, double h) {
  alpha_weights s = {.h = h, .v = rule(0, 0, gamma, h)};
  s.z = s.v;
  add_places(&s, 0.25 * (gamma + 0.5) * (gamma + 0.5), 0);
  return s;
}

alpha_weights cps_alpha_chosen(const scenario_run *set, double h) {
  return set->newmark ? cps_newmark_weights(set->gamma, h) : cps_alpha_weights(set->rho, h);
}
