/* elevator_columns.c - what a run records of elevator.c: the columns of machine_columns.c, as far as they make sense, and the
 * words for its events. */
#include "elevator.h"
#include "system.h"

#include <math.h>
#include <stdio.h>

static const char *const axes[] = {"x", "y", "z"};

static void drum(row *r, const lift *l) {
  const char *name = l->drum->name;
  double t1 = cps_lift_tension(l, l->y, 0), t2 = cps_lift_tension(l, l->y, 1);
  cps_row_put(r, "drums", name, "angle", "rad", l->turn * l->y[LIFT_PSI]);
  cps_row_put(r, "drums", name, "rate", "rad/s", l->turn * l->y[LIFT_PSI_T]);
  cps_row_put(r, "drums", name, "torque", "N m", -l->turn * l->torque);
  if (!cps_drive_is(l->drum, DRIVE_RELEASES))
    cps_row_put(r, "drums", name, "drive", "N m", l->turn * (l->torque + l->inertia * l->acceleration));
  for (int d = 0; d < l->of->dim; d++) {
    char what[8];
    snprintf(what, sizeof what, "f%s", axes[d]);
    cps_row_put(r, "drums", name, what, "N", t1 * l->away[0][d] + t2 * l->away[1][d]);
  }
}

static void cable(row *r, const lift *l) {
  const char *name = l->cable->name;
  double e1 = cps_lift_tension(l, l->y, 0) / l->ea, e2 = cps_lift_tension(l, l->y, 1) / l->ea,
         slips = cps_lift_slip_arc(l, l->y);
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
  char kind[16 + 2 * CPS_NAME_ROOM];
  snprintf(kind, sizeof kind, "cables.%s", name);
  const char *on = l->drum->name;
  double friction = l->turn * l->ea * (e1 - e2), normal = 0; /* counterclockwise, as of finite elements */
  if (l->model != CABLE_SPRINGS)                             /* the integral of tension over the arc */
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

/* ------------------------------------------------------------------ along the cable */

enum { SECTIONS = 121 }; /* as many as a picture needs, at equal distances of the undeformed cable */

/* A place x along the path, of which `hub` is the frame of the pulley: centre, and two directions. */
static void place_at(const lift *l, double hub[3][3], double x, double *r) {
  if (x < 0 || x > l->arc) {
    int side = x > 0;
    double far = side ? x - l->arc : -x;
    for (int d = 0; d < 3; d++) r[d] = l->from[side][d] + l->away[side][d] * far;
    return;
  }
  double angle = l->angle + l->turn * x / l->radius, u = l->radius * cos(angle), w = l->radius * sin(angle);
  for (int d = 0; d < 3; d++) r[d] = hub[0][d] + hub[1][d] * u + hub[2][d] * w;
}

static void fields(row *r, const lift *l) {
  enum { S, TENSION, NORMAL, FRICTION, SLIP, STATE, DRUM, FIELDS };
  static const struct {
    const char *what, *unit;
  } of[FIELDS] = {[S] = {"contact.s", "m"},           [TENSION] = {"tension", "N"},
                  [NORMAL] = {"contact.normal", "N"}, [FRICTION] = {"contact.friction", "N"},
                  [SLIP] = {"contact.slip", "m/s"},   [STATE] = {"contact.state", "1"},
                  [DRUM] = {"contact.drum", "1"}};
  double value[FIELDS][SECTIONS], place[SECTIONS * 3], hub[3][3], axis[3];
  lift_section section[SECTIONS];
  double length = l->length[0] + l->arc + l->length[1], step = length / (SECTIONS - 1);
  int dim = l->of->dim == 3 ? 3 : 2;
  const char *name = l->cable->name;
  cps_drum_place(l->of, l->drum_index, hub[0], axis);
  cps_drum_frame(axis, hub[1], hub[2]);
  cps_lift_sections(l, l->y, SECTIONS, step, section);
  for (int k = 0; k < SECTIONS; k++) {
    lift_section o = section[k];
    double at[3];
    place_at(l, hub, o.x, at);
    for (int d = 0; d < dim; d++) place[k * dim + d] = at[d];
    value[S][k] = k * step;
    value[TENSION][k] = o.tension;
    value[NORMAL][k] = o.contact ? o.tension / l->radius * step : 0;
    value[FRICTION][k] = l->turn * o.rubs * step;
    value[SLIP][k] = l->turn * o.slides;
    value[STATE][k] = o.contact;
    value[DRUM][k] = o.contact ? l->drum_index : -1;
  }
  cps_row_field(r, name, "s", "m", SECTIONS, 1, 1, value[S]);
  cps_row_field(r, name, "position", "m", SECTIONS, dim, 0, place);
  cps_row_field(r, name, of[TENSION].what, of[TENSION].unit, SECTIONS, 1, 0, value[TENSION]);
  cps_row_field(r, name, of[S].what, of[S].unit, SECTIONS, 1, 1, value[S]);
  for (int f = NORMAL; f < FIELDS; f++)
    cps_row_field(r, name, of[f].what, of[f].unit, SECTIONS, 1, 0, value[f]);
}

void cps_lift_fields(row *r) {
  for (int i = 0; i < r->sim->system->n_lifts; i++) fields(r, &r->sim->work.lifts[i]);
}

void cps_lift_columns(row *r) {
  for (int i = 0; i < r->sim->system->n_lifts; i++) {
    drum(r, &r->sim->work.lifts[i]);
    cable(r, &r->sim->work.lifts[i]);
  }
}

/* ------------------------------------------------------------------ events */

void cps_lift_explain(const lift *l, int guard, char *text, size_t size) {
  const double *y = l->y;
  if (guard == LIFT_ARRIVES) {
    int side = cps_lift_span(l, y, 1) < cps_lift_span(l, y, 0);
    snprintf(text, size, "body %s has come up to pulley %s, where its span of the cable ends",
             l->of->bodies[l->body[side]].name, l->drum->name);
    return;
  }
  int held = l->model != CABLE_SEMI_ANALYTICAL && l->model != CABLE_SPRINGS &&
             fmin(y[LIFT_E1], y[LIFT_E2]) > 0;
  snprintf(text, size,
           held ? "cable %s slides through on its pulley, which the model of Lugris "
                  "cannot do: use model: semi-analytical"
                : "cable %s goes slack, and its mass would fall in loops, which this model "
                  "cannot do: use model: ancf, or mass_per_length: 0",
           l->cable->name);
}

const char *cps_lift_mode_name(lift_mode mode) {
  static const char *const names[] = {[LIFT_AT_START] = "slips at start",
                                      [LIFT_AT_END] = "slips at end",
                                      [LIFT_CARRIED] = "sticks",
                                      [LIFT_SLIDES] = "slides through",
                                      [LIFT_SLACK] = "slack"};
  return names[mode];
}
