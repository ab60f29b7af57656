/* sens_columns.c - derivatives of the recorded columns of cables by the state, as lists of entries.
 *
 * The columns are those of machine_columns.c and simulation.c, found by their names. */
#include "sens_columns.h"
#include "contact_runs.h"

#include <stdio.h>

typedef enum column_kind {
  COL_NONE,  /* constant, or time */
  COL_STATE, /* a number of the state */
  COL_TURN,  /* angle or rate of a drum */
  COL_CENTER,
  COL_TORQUE_OF_DRIVE,
  COL_SPRING,
  COL_SLIDE,
  COL_SURFACE,
  COL_TORQUE,
  COL_DRIVE,
  COL_PUSH,
  COL_TENSION_START,
  COL_TENSION_END,
  COL_TENSION_MAX,
  COL_TENSION_MIN,
  COL_END_FORCE, /* `drum` is the end */
  COL_END_MOMENT,
  COL_WRAP,
  COL_STICK,
  COL_SLIP,
  COL_T_IN,
  COL_T_OUT,
  COL_NORMAL,
  COL_FRICTION,
  COL_MARGIN,
  COL_PENETRATION,
  COL_WORK, /* a number of the state's works */
  COL_KINETIC,
  COL_ELASTIC,
  COL_GRAVITY,
  COL_LOST, /* damping of cables and of contacts */
  COL_ERROR
} column_kind;

struct column {
  column_kind kind;
  int cable, drum, at; /* node, number of d, axis, or work */
};

/* ------------------------------------------------------------------ names */

typedef struct naming {
  const cps_result *result;
  column *columns;
} naming;

static void name(naming *n, const char *kind, const char *of, const char *what, column x) {
  char text[4 * CPS_NAME_ROOM];
  if (of)
    snprintf(text, sizeof text, "%s.%s.%s", kind, of, what);
  else
    snprintf(text, sizeof text, "%s.%s", kind, what);
  int at = cps_result_find(n->result, text);
  if (at >= 0) n->columns[at] = x;
}

static const char *const axes[] = {"x", "y", "z"}, *const rates[] = {"vx", "vy", "vz"},
                         *const forces[] = {"fx", "fy", "fz"};

static void name_bodies(naming *n, const machine *m, const layout *l) {
  for (int i = 0; i < m->of->n_bodies; i++) {
    const scenario_body *of = &m->of->bodies[i];
    int c = m->body_cable[i];
    if (of->kind == BODY_SURFACE) continue;
    if (c < 0) {
      int at = l->border + m->body[m->body_border[i]].at, line = of->kind == BODY_LINE;
      for (int d = 0; d < (line ? 1 : m->dim); d++) {
        name(n, "bodies", of->name, axes[d], (column){COL_STATE, -1, -1, at + d});
        name(n, "bodies", of->name, line ? "v" : rates[d], (column){COL_STATE, -1, -1, at + m->nb + d});
      }
      continue;
    }
    int at = (m->body_end[i] == 0 ? 0 : m->cable[c].n) * m->cable[c].b;
    for (int d = 0; d < m->dim; d++) {
      name(n, "bodies", of->name, axes[d], (column){COL_STATE, -1, -1, l->cable[c].q + at + d});
      name(n, "bodies", of->name, rates[d], (column){COL_STATE, -1, -1, l->cable[c].v + at + d});
    }
  }
  for (int i = 0; i < m->of->n_springs; i++)
    name(n, "springs", m->of->springs[i].name, "force", (column){COL_SPRING, -1, -1, i});
}

static void name_drums(naming *n, const machine *m, const layout *l) {
  for (int i = 0; i < m->n_drums; i++) {
    const char *of = m->drum[i].of->name;
    int d0 = l->drum_d + i * DY_DRUM;
    name(n, "drums", of, "angle", (column){COL_TURN, -1, i, 0});
    name(n, "drums", of, "rate", (column){COL_TURN, -1, i, 1});
    name(n, "drums", of, "torque", (column){COL_TORQUE, -1, i, 0});
    name(n, "drums", of, "drive",
         (column){m->drum[i].angle_at >= 0 ? COL_TORQUE_OF_DRIVE : COL_DRIVE, -1, i, d0 + DY_ACCELERATION});
    for (int d = 0; d < m->dim; d++) {
      name(n, "drums", of, forces[d], (column){COL_PUSH, -1, i, d});
      name(n, "drums", of, axes[d], (column){COL_CENTER, -1, i, d});
    }
  }
}

static void name_slides(naming *n, const model *o) {
  const machine *m = &o->m;
  const layout *l = &o->at;
  static const char *const whats[] = {
      [SLIDE_V] = "v", [SLIDE_F] = "f", [SLIDE_N] = "n", [SLIDE_BALANCE] = "f_eq"};
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    const char *of = y->contact ? y->contact->name : m->drum[y->drum].of->name;
    for (int k = 0; k < (y->contact ? 4 : 3); k++)
      name(n, y->contact ? "contacts" : "bearings", of, whats[k], (column){COL_SLIDE, -1, i, k});
    if (!y->contact) continue;
    const cps_law *law = y->contact->law;
    name(n, "contacts", of, "work", (column){COL_WORK, -1, -1, l->rubs + y->index});
    for (int k = 0; k < law->n_states; k++)
      name(n, "contacts", of, law->states[k].name,
           (column){COL_STATE, -1, -1, cps_slide_first_state(o, i) + k});
  }
  for (int i = 0; i < m->of->n_bodies; i++)
    for (int k = 0; k < 2 && m->of->bodies[i].kind == BODY_SURFACE; k++)
      name(n, "surfaces", m->of->bodies[i].name, k ? "v" : "x",
           (column){COL_SURFACE, -1, -1, l->surface_d + 3 * i + k});
}

static void name_cables(naming *n, const machine *m) {
  static const struct {
    const char *what;
    column_kind kind;
  } whole[] = {{"tension_start", COL_TENSION_START},
               {"tension_end", COL_TENSION_END},
               {"tension_max", COL_TENSION_MAX},
               {"tension_min", COL_TENSION_MIN}},
    wrap[] = {{"wrap", COL_WRAP},         {"stick_arc", COL_STICK}, {"slip_arc", COL_SLIP},
              {"t_in", COL_T_IN},         {"t_out", COL_T_OUT},     {"normal", COL_NORMAL},
              {"friction", COL_FRICTION}, {"margin", COL_MARGIN},   {"penetration", COL_PENETRATION}};
  for (int i = 0; i < m->n_cables; i++) {
    const char *of = m->cable[i].of->name;
    for (size_t k = 0; k < sizeof whole / sizeof whole[0]; k++)
      name(n, "cables", of, whole[k].what, (column){whole[k].kind, i, -1, 0});
    for (int e = 0; e < 2; e++)
      for (int d = 0; d < 3; d++) {
        char what[16];
        snprintf(what, sizeof what, "f%s_%s", axes[d], e ? "end" : "start");
        name(n, "cables", of, what, (column){COL_END_FORCE, i, e, d});
        what[0] = 'm';
        name(n, "cables", of, what, (column){COL_END_MOMENT, i, e, d});
      }
    for (int d = 0; d < m->n_drums; d++) {
      char kind[16 + CPS_NAME_ROOM];
      snprintf(kind, sizeof kind, "cables.%s", of);
      for (size_t k = 0; k < sizeof wrap / sizeof wrap[0]; k++)
        name(n, kind, m->drum[d].of->name, wrap[k].what, (column){wrap[k].kind, i, d, 0});
      name(n, kind, m->drum[d].of->name, "slip_work", (column){COL_WORK, i, d, WK_SLIP + i * m->n_drums + d});
    }
  }
}

static void name_energy(naming *n) {
  name(n, "energy", NULL, "kinetic", (column){COL_KINETIC, -1, -1, 0});
  name(n, "energy", NULL, "elastic", (column){COL_ELASTIC, -1, -1, 0});
  name(n, "energy", NULL, "gravity", (column){COL_GRAVITY, -1, -1, 0});
  name(n, "energy", NULL, "friction", (column){COL_WORK, -1, -1, WK_FRICTION});
  name(n, "energy", NULL, "damping", (column){COL_LOST, -1, -1, 0});
  name(n, "energy", NULL, "load_work", (column){COL_WORK, -1, -1, WK_LOAD});
  name(n, "energy", NULL, "motion_work", (column){COL_WORK, -1, -1, WK_MOTION});
  name(n, "energy", NULL, "solver", (column){COL_WORK, -1, -1, WK_SOLVER});
  name(n, "energy", NULL, "error", (column){COL_ERROR, -1, -1, 0});
}

column *cps_columns_find(const model *o, const cps_result *result, pool *p) {
  column *all_of = cps_pool_new(p, (size_t)result->n_columns, sizeof *all_of);
  if (!all_of) return NULL;
  naming n = {result, all_of};
  name_bodies(&n, &o->m, &o->at);
  name_drums(&n, &o->m, &o->at);
  name_slides(&n, o);
  name_cables(&n, &o->m);
  name_energy(&n);
  return all_of;
}

int cps_column_works(const column *x) {
  if (x->kind == COL_LOST || x->kind == COL_ERROR) return COLUMN_ALL_WORKS;
  if (x->kind != COL_WORK) return 0;
  return x->at == WK_FRICTION || x->at >= WK_SLIP ? COLUMN_CONTACT_WORKS : COLUMN_ALL_WORKS;
}

/* ------------------------------------------------------------------ entries */

typedef struct filling {
  model *o;
  entries *list;
  int row;
  sink to;
} filling;

static void by_theta(const filling *f, int theta, double by) { cps_put_number(&f->to, f->row, theta, by); }

static void by_d(const filling *f, int d, double by) { cps_put_given(&f->to, f->row, d, by); }

/* Tension of element i: the force on its second node, along the chord. */
static void add_tension(const filling *x, int cable_of, int i, double factor) {
  const cable *c = &x->o->m.cable[cable_of];
  const double *q = c->q + i * c->b;
  const cable_section elastic = cps_section_of(c, OF_ELASTICITY);
  int b = c->b, dim = c->dim;
  double f[12] = {0}, along[12] = {0}, size = 0, tension = 0;
  const element_row y = {cable_of, i, 0, q, c->v + i * b, NULL, along};
  cps_element_force(dim, &elastic, c->length[i], q, y.v, f, 1, 0, NULL, NULL);
  for (int d = 0; d < dim; d++) {
    along[b + d] = q[b + d] - q[d];
    size += along[b + d] * along[b + d];
  }
  size = sqrt(size);
  for (int d = 0; d < dim; d++) {
    along[b + d] /= size;
    tension += along[b + d] * f[b + d];
  }
  cps_put_element(&x->to, x->row, &y, OF_ELASTICITY, factor);
  for (int d = 0; d < dim; d++) { /* the chord turns */
    double by = factor * (f[b + d] - tension * along[b + d]) / size;
    cps_put_coordinate(&x->to, x->row, cable_of, i * b + d, -by, 0, 0);
    cps_put_coordinate(&x->to, x->row, cable_of, i * b + b + d, by, 0, 0);
  }
}

static void add_row(const filling *x, int cable_of, int point, const contact_tangent *s,
                    const tangent_row *row) {
  const point_row to = {x->to, cable_of, point, s};
  cps_put_point(&to, x->row, row, 1);
}

/* The normal force of a point, times `by`. */
static void add_normal(const filling *x, int cable_of, int point, const contact_tangent *s, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  tangent_row row = {.r = {0}};
  cps_contact_tangent_normal(c, &c->point[point], s, by, &row);
  add_row(x, cable_of, point, s, &row);
}

/* How deep a point is in its drum. */
static void add_depth(const filling *x, int cable_of, int point, const contact_tangent *s) {
  const tangent_row row = {.r = {-s->n[0], -s->n[1], -s->n[2]}, .radius = 1};
  add_row(x, cable_of, point, s, &row);
}

static void add_friction(const filling *x, int cable_of, int point, int axis, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  cps_entries_add(x->list, x->row, x->o->at.after + x->o->at.cable[cable_of].f + point * (c->dim - 1) + axis,
                  by);
}

/* The reaction of an end, times `by`, and that of its slope, unless `slope` is NULL, as what holds it has them: without loads, and with a mass at the very end counted to what holds it. */
static void add_hold(const filling *x, int cable_of, int e, const double *by, const double *slope) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  int node = e ? c->n : 0;
  double here = 0;
  cps_put_reaction(&x->to, x->row, cable_of, e, by, slope);
  for (int d = 0; d < c->dim; d++) {
    int k = node * c->b + d;
    by_d(x, at->end + e * DY_END + DY_LOAD + d, by[d]);
    cps_entries_add(x->list, x->row, x->o->at.after + at->a + k, -by[d] * c->mass[node]);
    by_theta(x, x->o->at.gravity + d, by[d] * c->mass[node]);
    here += by[d] * (c->a[k] - c->gravity[d]);
  }
  by_theta(x, at->mass + node, -here);
}

/* Its part along the slope of the end: the tension there. */
static void add_end_tension(const filling *x, int cable_of, int e, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  int node = e ? c->n : 0, at = x->o->at.after + x->o->at.cable[cable_of].q + node * c->b + c->dim;
  const double *slope = c->q + node * c->b + c->dim;
  double hold[6], along[3] = {0}, size = 0, tension = 0;
  if (c->seam >= 0) {
    add_tension(x, cable_of, e ? c->n - 1 : 0, by);
    return;
  }
  cps_end_hold(c, e, hold);
  for (int d = 0; d < c->dim; d++) size += slope[d] * slope[d];
  for (int d = 0; d < c->dim; d++) {
    along[d] = (e ? by : -by) * slope[d] / sqrt(size);
    tension += along[d] * hold[d];
  }
  add_hold(x, cable_of, e, along, NULL);
  for (int d = 0; d < c->dim; d++)
    cps_entries_add(x->list, x->row, at + d,
                    (e ? by : -by) * hold[d] / sqrt(size) - tension * slope[d] / size);
}

/* What an end pulls with, along an axis; and the moment of a clamped end about one. */
static void add_end_force(const filling *x, const column *k) {
  double by[3] = {0};
  by[k->at] = -1;
  add_hold(x, k->cable, k->drum, by, NULL);
}

static void add_end_moment(const filling *x, const column *k) {
  const cable *c = &x->o->m.cable[k->cable];
  int e = k->drum, node = e ? c->n : 0, a = (k->at + 1) % 3, b = (k->at + 2) % 3;
  int at = x->o->at.after + x->o->at.cable[k->cable].q + node * c->b + c->dim;
  const double *slope = c->q + node * c->b + c->dim;
  double hold[6], none[3] = {0}, by[3] = {0};
  cps_end_hold(c, e, hold);
  by[a] = slope[b];
  by[b] = -slope[a];
  add_hold(x, k->cable, e, none, by);
  cps_entries_add(x->list, x->row, at + b, hold[c->dim + a]);
  cps_entries_add(x->list, x->row, at + a, -hold[c->dim + b]);
}

/* The torque -along.R of an end on the rim of a drum, times `by`: `along` grows with the radius, and turns with the end. */
static void add_rim_torque(const filling *x, int cable_of, int e, double by) {
  const machine *m = &x->o->m;
  int drum_of = m->cable[cable_of].end[e].drum;
  double arm[3], along[3], minus[3], reaction[6], outwards = 0, around = 0;
  cps_rim_arm(m, &m->cable[cable_of], e, arm, along);
  cps_end_reaction(&m->cable[cable_of], e, reaction);
  for (int d = 0; d < 3; d++) minus[d] = -by * along[d];
  for (int d = 0; d < m->dim; d++) {
    outwards += by * reaction[d] * arm[d];
    around -= by * reaction[d] * along[d];
  }
  cps_put_reaction(&x->to, x->row, cable_of, e, minus, NULL);
  by_theta(x, x->o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, around / m->drum[drum_of].radius);
  by_theta(x, x->o->at.cable[cable_of].tie + 2 * e, outwards);
  cps_put_turn(&x->to, x->row, drum_of, outwards, 0, 0);
}

/* Torque of the cables on a drum, times `by`. */
static void add_torque(const filling *x, int drum_of, double by) {
  const machine *m = &x->o->m;
  double radius = m->drum[drum_of].radius, sum = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      contact_tangent s;
      cps_contact_tangent_place(m, &m->cable[i], &m->cable[i].point[k], &s);
      if (s.drum != drum_of) continue;
      add_friction(x, i, k, 0, -by * radius);
      sum -= s.f[0];
    }
  by_theta(x, x->o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, by * sum);
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (m->cable[i].end[e].drum == drum_of) add_rim_torque(x, i, e, by);
}

/* ------------------------------------------------------------------ wraps */

static int sticks(const machine *m, const cable *c, const contact_point *p, const contact_tangent *s) {
  if (c->contact.kind != LAW_BALANCE) return p->stuck;
  const drum *g = &m->drum[s->drum];
  cps_law_input in = {s->along - g->radius * g->rate, s->load, s->f[0], NULL, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_eval(c->contact.law, c->contact.p, &in, &out, &jac);
  return jac.f.f_eq > 1 - 1e-6;
}

/* The length that a point stands for, times `by`; returns it. */
static double add_share(const filling *x, int cable_of, int point, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  const contact_point *p = &c->point[point];
  double share = 0;
  if (c->of->contact.quadrature > 0) {
    by_theta(x, at->p_weight + point, by);
    return p->weight;
  }
  for (int n = p->node - 1; n <= p->node; n++) {
    int i = n < 0 && c->seam >= 0 ? c->n - 1 : n;
    if (i < 0 || i >= c->n) continue;
    share += c->length[i] / 2;
    by_theta(x, at->length + i, by / 2);
  }
  return share;
}

static int touched(const machine *m, const cable *c, const contact_point *p) {
  contact_tangent s;
  cps_contact_tangent_place(m, c, p, &s);
  return s.drum;
}

/* The angle of the direction on a side of a run about the axis of its drum, times `by`: across.d(direction)/|direction|^2. */
static void add_side(const filling *x, int cable_of, int drum_of, const run_side *side, double by) {
  const machine *m = &x->o->m;
  const cable *c = &m->cable[cable_of];
  int q = x->o->at.after + x->o->at.cable[cable_of].q, b = c->b, end = (side->end ? c->n : 0) * b;
  const double *axis = m->drum[drum_of].axis;
  double along[3], arm[3], forward[3] = {0}, size = 0;
  cps_run_direction(m, c, drum_of, side, along);
  if (side->kind == SIDE_RIM) cps_rim_arm(m, c, side->end, arm, forward);
  for (int d = 0; d < 3; d++) size += along[d] * along[d];
  for (int d = 0; d < m->dim; d++) {
    int i = (d + 1) % 3, j = (d + 2) % 3;
    double across = by * (axis[i] * along[j] - axis[j] * along[i]) / size;
    if (side->kind == SIDE_CHORD) {
      cps_entries_add(x->list, x->row, q + side->straight * b + d, -across);
      cps_entries_add(x->list, x->row, q + (side->straight + 1) * b + d, across);
    } else if (side->kind == SIDE_SLOPE) {
      cps_entries_add(x->list, x->row, q + end + m->dim + d, across);
    } else { /* it turns as the arm does */
      double turned = by * forward[d] / size;
      cps_entries_add(x->list, x->row, q + end + d, turned);
      cps_put_center(&x->to, x->row, drum_of, d, -turned, 0, 0);
    }
  }
}

/* Wrap, times `by`; with by == 0 nothing but the elements whose tensions are those before and behind it. */
static double add_angle(const filling *x, int cable_of, int drum_of, double by, int *before, int *behind) {
  const machine *m = &x->o->m;
  const cable *c = &m->cable[cable_of];
  contact_run run;
  double angle = 0;
  int from = 0;
  for (int i = 0; (from = cps_contact_run_next(m, c, drum_of, touched, from, &run)) > 0; i++) {
    if (i == 0) *before = run.side[0].element;
    *behind = run.side[1].element;
    angle += fabs(run.angle);
    if (by == 0) continue;
    add_side(x, cable_of, drum_of, &run.side[1], copysign(by, by * run.angle));
    add_side(x, cable_of, drum_of, &run.side[0], copysign(by, -by * run.angle));
  }
  return angle;
}

/* What friction holds there, times `by`; returns it. */
static double add_limit(const filling *x, int cable_of, int point, const contact_tangent *s, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  double holds = cps_friction_holds(&c->contact, s->load), of[CPS_MAX_PARAMS] = {0};
  if (by == 0) return holds;
  add_normal(x, cable_of, point, s, by * cps_friction_holds_per(&c->contact, s->load));
  if (c->contact.hold >= 0)
    by_theta(x, at->theta + TH_HOLD, by * s->load);
  else
    cps_holds_by(&c->contact, s->load, of);
  for (int k = 0; k < c->contact.law->n_params; k++) by_theta(x, at->theta + TH_LAW + k, by * of[k]);
  return holds;
}

static void add_wrap(const filling *x, const column *k) {
  const machine *m = &x->o->m;
  const cable *c = &m->cable[k->cable];
  double friction = 0, limit = 0, length[2] = {0}, deepest = 0;
  int before = -1, behind = -1, deep = -1;
  cable_store store;
  cps_cable_survey(c, &store); /* tensions, by which the directions beside the drum are found */
  for (int i = 0; i < c->n_points; i++) {
    contact_tangent s;
    cps_contact_tangent_place(m, c, &c->point[i], &s);
    if (s.drum != k->drum) continue;
    friction += s.f[0];
    limit += add_limit(x, k->cable, i, &s, 0);
    length[sticks(m, c, &c->point[i], &s)] += add_share(x, k->cable, i, 0);
    if (s.depth > deepest) deep = i;
    deepest = fmax(deepest, s.depth);
  }
  double angle = add_angle(x, k->cable, k->drum, 0, &before, &behind), whole = length[0] + length[1];
  if (before < 0) return;
  int sticking = k->kind == COL_STICK, arc = k->kind == COL_STICK || k->kind == COL_SLIP;
  double part = k->kind == COL_WRAP ? 1 : arc ? length[sticking] / whole : 0;
  if (part > 0) add_angle(x, k->cable, k->drum, part, &before, &behind);
  for (int i = 0; i < c->n_points; i++) {
    contact_tangent s;
    cps_contact_tangent_place(m, c, &c->point[i], &s);
    if (s.drum != k->drum) continue;
    if (arc) add_share(x, k->cable, i, angle * ((sticks(m, c, &c->point[i], &s) == sticking) - part) / whole);
    if (k->kind == COL_NORMAL) add_normal(x, k->cable, i, &s, 1);
    if (k->kind == COL_FRICTION) add_friction(x, k->cable, i, 0, 1);
    if (k->kind == COL_PENETRATION && i == deep) add_depth(x, k->cable, i, &s);
    if (k->kind == COL_MARGIN && limit > 0) {
      add_friction(x, k->cable, i, 0, -copysign(1, friction) / limit);
      add_limit(x, k->cable, i, &s, fabs(friction) / (limit * limit));
    }
  }
  if (k->kind == COL_T_IN) add_tension(x, k->cable, before, 1);
  if (k->kind == COL_T_OUT) add_tension(x, k->cable, behind, 1);
}

/* The largest tension (sign 1), or the smallest: of an element, or of an end. */
static void add_extreme(const filling *x, int cable_of, int sign) {
  const cable *c = &x->o->m.cable[cable_of];
  int best = 0;
  for (int i = 1; i < c->n; i++)
    if (sign * c->tension[i] > sign * c->tension[best]) best = i;
  for (int e = 0; e < 2; e++)
    if (sign * cps_end_tension(c, e) > sign * c->tension[best] &&
        sign * cps_end_tension(c, e) >= sign * cps_end_tension(c, !e)) {
      add_end_tension(x, cable_of, e, 1);
      return;
    }
  add_tension(x, cable_of, best, 1);
}

static void add_error(const filling *x) {
  static const struct {
    int work;
    double sign;
  } parts[] = {{WK_INITIAL, -1}, {WK_LOAD, -1},   {WK_MOTION, -1}, {WK_FRICTION, 1},
               {WK_CONTACT, 1},  {WK_DAMPING, 1}, {WK_SOLVER, 1}};
  int rows[3] = {x->row, x->row, x->row};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    cps_entries_add(x->list, x->row, x->o->at.after + x->o->at.works + parts[i].work, parts[i].sign);
  cps_model_energy(x->o, x->list, rows);
}

void cps_columns_look(model *o, double t) {
  o->m.audited = t;
  cps_border_look(o, t);
}

void cps_column_add(model *o, entries *list, const column *k, int row, double t) {
  filling x = {o, list, row, cps_sink_list(o, list, 0)};
  const machine *m = &o->m;
  const cable *c = k->cable >= 0 ? &m->cable[k->cable] : NULL;
  int energy[3] = {k->kind == COL_KINETIC ? row : -1, k->kind == COL_ELASTIC ? row : -1,
                   k->kind == COL_GRAVITY ? row : -1};
  cable_store store;
  double by[3] = {0};
  switch (k->kind) {
  case COL_NONE:
    break;
  case COL_STATE:
    cps_entries_add(list, row, o->at.after + k->at, 1);
    break;
  case COL_TURN:
    cps_put_turn(&x.to, row, k->drum, k->at == 0, k->at == 1, 0);
    break;
  case COL_CENTER:
    cps_put_center(&x.to, row, k->drum, k->at, 1, 0, 0);
    break;
  case COL_TORQUE_OF_DRIVE:
    cps_put_drive(&x.to, row, k->drum, t, 1);
    break;
  case COL_SPRING:
    cps_border_pull(o, list, row, k->at);
    break;
  case COL_SLIDE:
    cps_slide_column(o, list, row, k->drum, k->at, 1);
    break;
  case COL_SURFACE:
    by_d(&x, k->at, 1);
    break;
  case COL_TORQUE:
    add_torque(&x, k->drum, 1);
    break;
  case COL_DRIVE:
    add_torque(&x, k->drum, -1);
    by_d(&x, k->at, m->drum[k->drum].of->inertia);
    by_theta(&x, o->at.drum_theta + k->drum * TH_DRUM + TH_INERTIA, m->drum[k->drum].acceleration);
    break;
  case COL_PUSH:
    by[k->at] = 1;
    cps_put_push(&x.to, row, k->drum, by);
    break;
  case COL_TENSION_START:
    add_end_tension(&x, k->cable, 0, 1);
    break;
  case COL_TENSION_END:
    add_end_tension(&x, k->cable, 1, 1);
    break;
  case COL_END_FORCE:
    add_end_force(&x, k);
    break;
  case COL_END_MOMENT:
    add_end_moment(&x, k);
    break;
  case COL_TENSION_MAX:
  case COL_TENSION_MIN:
    cps_cable_survey(c, &store);
    add_extreme(&x, k->cable, k->kind == COL_TENSION_MAX ? 1 : -1);
    break;
  case COL_WORK:
    cps_entries_add(list, row, o->at.after + o->at.works + k->at, 1);
    break;
  case COL_LOST:
    cps_entries_add(list, row, o->at.after + o->at.works + WK_DAMPING, 1);
    cps_entries_add(list, row, o->at.after + o->at.works + WK_CONTACT, 1);
    break;
  case COL_KINETIC:
  case COL_ELASTIC:
  case COL_GRAVITY:
    cps_model_energy(o, list, energy);
    break;
  case COL_ERROR:
    add_error(&x);
    break;
  default:
    add_wrap(&x, k);
    break;
  }
}

const column *cps_column_at(const column *columns, int i) { return &columns[i]; }
