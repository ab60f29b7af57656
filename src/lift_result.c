/* lift_result.c - what a run of lift.c records: the columns of machine_result.c, as far as they make sense. */
#include "lift.h"
#include "system.h"

#include <math.h>
#include <stdio.h>

static const char *const axes[] = {"x", "y", "z"}, *const rates[] = {"vx", "vy", "vz"};

static void bodies(row *r, const lift *l) {
  double x[2], v[2];
  cps_lift_bodies(l, l->y, x, v);
  for (int i = 0; i < l->of->n_bodies; i++) {
    const scenario_body *b = &l->of->bodies[i];
    int side = l->body[1] == i;
    double far = side ? x[1] - l->arc : -x[0], fast = side ? v[1] : -v[0], along = 0, at = 0;
    if (b->kind == BODY_LINE) {
      for (int d = 0; d < 3; d++) {
        along += b->direction[d] * l->away[side][d];
        at += b->direction[d] * (l->from[side][d] - b->origin[d]);
      }
      cps_row_put(r, "bodies", b->name, "x", "m", at + along * far);
      cps_row_put(r, "bodies", b->name, "v", "m/s", along * fast);
      continue;
    }
    for (int d = 0; d < l->of->dim; d++)
      cps_row_put(r, "bodies", b->name, axes[d], "m", l->from[side][d] + l->away[side][d] * far);
    for (int d = 0; d < l->of->dim; d++)
      cps_row_put(r, "bodies", b->name, rates[d], "m/s", l->away[side][d] * fast);
  }
}

static void drum(row *r, const lift *l) {
  const char *name = l->drum->name;
  double t1 = l->ea * l->y[LIFT_E1], t2 = l->ea * l->y[LIFT_E2];
  cps_row_put(r, "drums", name, "angle", "rad", l->turn * l->y[LIFT_PSI]);
  cps_row_put(r, "drums", name, "rate", "rad/s", l->turn * l->y[LIFT_PSI_T]);
  cps_row_put(r, "drums", name, "torque", "N m", -l->turn * l->torque);
  if (l->drum->drive != DRUM_FREE)
    cps_row_put(r, "drums", name, "drive", "N m", l->turn * (l->torque + l->inertia * l->acceleration));
  for (int d = 0; d < l->of->dim; d++) {
    char what[8];
    snprintf(what, sizeof what, "f%s", axes[d]);
    cps_row_put(r, "drums", name, what, "N", t1 * l->away[0][d] + t2 * l->away[1][d]);
  }
}

static void cable(row *r, const lift *l) {
  const char *name = l->cable->name;
  double e1 = l->y[LIFT_E1], e2 = l->y[LIFT_E2], slips = cps_lift_slip_arc(l, l->y);
  double far[2] = {cps_lift_span(l, l->y, 0), cps_lift_span(l, l->y, 1)};
  cps_row_put(r, "cables", name, "tension_start", "N", l->ea * e1);
  cps_row_put(r, "cables", name, "tension_end", "N", l->ea * e2);
  cps_row_put(r, "cables", name, "tension_max", "N", l->ea * fmax(e1, e2));
  cps_row_put(r, "cables", name, "tension_min", "N", l->ea * fmin(e1, e2));
  cps_row_put(r, "cables", name, "elongation_start", "m", far[0] * e1);
  cps_row_put(r, "cables", name, "elongation_end", "m", far[1] * e2);
  if (l->model == CABLE_SPRINGS) {
    cps_row_put(r, "cables", name, "created_start", "J", l->y[LIFT_MADE1]);
    cps_row_put(r, "cables", name, "created_end", "J", l->y[LIFT_MADE2]);
  }
  char kind[16 + 2 * NAME_MAX_LENGTH];
  snprintf(kind, sizeof kind, "cables.%s", name);
  const char *on = l->drum->name;
  double friction = l->ea * (e1 - e2), normal = 0;
  if (l->model != CABLE_SPRINGS) /* the integral of tension over the arc */
    normal = l->ea * (fabs(e2 - e1) / l->mu + (l->wrap - slips) * (l->mode == LIFT_AT_START ? e2
                                                                   : l->mode == LIFT_AT_END ? e1
                                                                                            : (e1 + e2) / 2));
  cps_row_put(r, kind, on, "wrap", "rad", l->wrap);
  cps_row_put(r, kind, on, "stick_arc", "rad", l->wrap - slips);
  cps_row_put(r, kind, on, "slip_arc", "rad", slips);
  cps_row_put(r, kind, on, "t_in", "N", l->ea * e1);
  cps_row_put(r, kind, on, "t_out", "N", l->ea * e2);
  cps_row_put(r, kind, on, "normal", "N", normal);
  cps_row_put(r, kind, on, "friction", "N", friction);
  cps_row_put(r, kind, on, "margin", "1", 1 - slips / l->wrap);
  cps_row_put(r, kind, on, "slip_work", "J", l->y[LIFT_FRICTION]);
  cps_row_put(r, kind, on, "slip_power", "W", l->slip_power);
}

void cps_lift_columns(row *r) {
  const lift *l = r->sim->lift;
  bodies(r, l);
  drum(r, l);
  cable(r, l);
}
