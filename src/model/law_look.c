/* law_look.c - linearising friction laws so that Newton's method converges.
 *
 * Where a law is flat on both sides of a steep middle, Newton's method jumps from side to side. When it passes the middle it is
 * therefore made to look there first: the law is linearised at v = 0, and its force extrapolated from there.
 */
#include "law_look.h"

#include <math.h>

/* A part of the regularisation's width that does not count. */
static const double ASIDE = 1e-9;

static double width(const cps_law *law, const double *p, double n) {
  cps_law_scale scale;
  cps_law_scales(law, p, n, &scale);
  return scale.v_band > 0 ? scale.v_band : scale.v_scale;
}

/* The point at which the law is linearised. */
static outlook look_at(const cps_law *law, const double *p, double n, sight sight, outlook now, outlook *last,
                       int *limited) {
  outlook before = *last;
  if (sight == LOOK_LAST) {
    ++*limited;
    return before;
  }
  *last = now;
  if (sight != LOOK_CAREFULLY || !(now.v * before.v < 0) || fabs(now.v - before.v) <= width(law, p, n))
    return now;
  ++*limited;
  last->v = 0;
  return *last;
}

double cps_law_look(const cps_law *law, const double *p, double n, int mode, sight sight, outlook now,
                    outlook *last, cps_law_jacobian *jac, int *limited) {
  outlook at = look_at(law, p, n, sight, now, last, limited);
  cps_law_input in = {at.v, n, at.e, NULL, mode};
  cps_law_output out;
  cps_law_eval(law, p, &in, &out, jac);
  /* From rest under more than it can hold, a contact is about to slide: look that way. */
  int overloaded = (law->traits & CPS_NEEDS_FEQ) && jac->f.f_eq == 0 && jac->f.v != 0;
  double aside = overloaded ? ASIDE * width(law, p, n) : 0;
  if (overloaded && fabs(at.v) < aside) {
    in.v = at.v -= copysign(aside, at.e);
    cps_law_eval(law, p, &in, &out, jac);
  }
  double force = out.f;
  if (at.v != now.v) force += jac->f.v * (now.v - at.v);
  if (at.e != now.e) force += jac->f.f_eq * (now.e - at.e);
  return force;
}
