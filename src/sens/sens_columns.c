/* sens_columns.c - derivatives of the recorded columns of cables by the state, as lists of entries.
 *
 * The columns are those of machine_columns.c and simulation.c, found by their names. */
#include "sens_columns.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum column_kind {
  COL_NONE, /* constant, or time */
  COL_PLACE,
  COL_STATE, /* a number of the state */
  COL_TURN,  /* angle or rate of a drum */
  COL_CENTER,
  COL_TORQUE_OF_DRIVE,
  COL_SPRING,
  COL_SLIDE,
  COL_SURFACE,
  COL_VELOCITY,
  COL_TORQUE,
  COL_DRIVE,
  COL_PUSH,
  COL_TENSION_START,
  COL_TENSION_END,
  COL_TENSION_MAX,
  COL_TENSION_MIN,
  COL_WRAP,
  COL_STICK,
  COL_SLIP,
  COL_T_IN,
  COL_T_OUT,
  COL_NORMAL,
  COL_FRICTION,
  COL_MARGIN,
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
  int found;
} naming;

static void name(naming *n, const char *kind, const char *of, const char *what, column x) {
  char text[4 * NAME_MAX_LENGTH];
  if (of)
    snprintf(text, sizeof text, "%s.%s.%s", kind, of, what);
  else
    snprintf(text, sizeof text, "%s.%s", kind, what);
  int at = cps_result_find(n->result, text);
  if (at < 0) return;
  n->columns[at] = x;
  n->found++;
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
    int node = m->body_end[i] == 0 ? 0 : m->cable[c].n;
    for (int d = 0; d < m->dim; d++) {
      name(n, "bodies", of->name, axes[d], (column){COL_PLACE, c, -1, node * m->cable[c].b + d});
      name(n, "bodies", of->name, rates[d], (column){COL_VELOCITY, c, -1, node * m->cable[c].b + d});
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
              {"friction", COL_FRICTION}, {"margin", COL_MARGIN}};
  for (int i = 0; i < m->n_cables; i++) {
    const char *of = m->cable[i].of->name;
    for (size_t k = 0; k < sizeof whole / sizeof whole[0]; k++)
      name(n, "cables", of, whole[k].what, (column){whole[k].kind, i, -1, 0});
    for (int d = 0; d < m->n_drums; d++) {
      char kind[16 + NAME_MAX_LENGTH];
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

column *cps_columns_find(const model *o, const cps_result *result) {
  column *all_of = calloc((size_t)result->n_columns + 1, sizeof *all_of);
  if (!all_of) return NULL;
  naming n = {result, all_of, 0};
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
} filling;

static void by_theta(const filling *f, int theta, double by) {
  if (f->o->theta_varies[theta]) cps_entries_add(f->list, f->row, f->o->at.theta + theta, by);
}

static void by_d(const filling *f, int d, double by) {
  if (f->o->d_varies[d]) cps_entries_add(f->list, f->row, f->o->at.d + d, by);
}

/* Tension of element i: the force on its second node, along the chord. */
static void add_tension(const filling *x, int cable_of, int i, double factor) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  cable_section elastic = c->section, part;
  const double *q = c->q + i * c->b, *v = c->v + i * c->b;
  int b = c->b, dim = c->dim;
  double f[12] = {0}, k[144] = {0}, along[3] = {0}, size = 0, tension = 0;
  elastic.rayleigh = elastic.axial_damping = elastic.bending_damping = 0;
  cps_element_force(dim, &elastic, c->length[i], q, v, f, 1, 0, k, NULL);
  for (int d = 0; d < dim; d++) {
    along[d] = q[b + d] - q[d];
    size += along[d] * along[d];
  }
  size = sqrt(size);
  for (int d = 0; d < dim; d++) {
    along[d] /= size;
    tension += along[d] * f[b + d];
  }
  for (int e = 0; e < 2 * b; e++) {
    double by = 0;
    for (int d = 0; d < dim; d++) by += along[d] * k[(b + d) * 2 * b + e];
    if (e % b < dim) by += (e < b ? -1 : 1) * (f[b + e % b] - tension * along[e % b]) / size;
    cps_entries_add(x->list, x->row, x->o->at.after + at->q + i * b + e, factor * by);
  }
  for (int n = 0; n < 2; n++) {
    double one[12] = {0}, by = 0;
    part = elastic;
    part.ea = n == 0;
    part.ei = n == 1;
    if (!x->o->theta_varies[at->theta + (n ? TH_EI : TH_EA)]) continue;
    cps_element_force(dim, &part, c->length[i], q, v, one, 1, 0, NULL, NULL);
    for (int d = 0; d < dim; d++) by += along[d] * one[b + d];
    by_theta(x, at->theta + (n ? TH_EI : TH_EA), factor * by);
  }
  if (!x->o->theta_varies[at->length + i]) return;
  double sum = 0, step = 2e-3 * c->length[i];
  for (int j = 0; j < SENS_SHADOWS; j++) {
    double one[12] = {0};
    cps_element_force(dim, &elastic, c->length[i] + step * cps_sens_place[j], q, v, one, 1, 0, NULL, NULL);
    for (int d = 0; d < dim; d++) sum += cps_sens_share[j] / step * along[d] * one[b + d];
  }
  by_theta(x, at->length + i, factor * sum);
}

/* Place and velocity of a contact point, relative to its drum's centre. */
static void by_point(const filling *x, int cable_of, int point, int near, const double *r, const double *v) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  const contact_point *p = &c->point[point];
  for (int d = 0; d < c->dim; d++) {
    cps_by_center(x->o, x->list, x->row, near, d, 0, x->o->at.after, x->o->at.d, -r[d]);
    cps_by_center(x->o, x->list, x->row, near, d, 1, x->o->at.after, x->o->at.d, -v[d]);
    for (int k = 0; k < 4; k++) {
      if (p->shape[k] == 0) continue;
      int j = p->node * c->b + k * c->dim + d;
      cps_entries_add(x->list, x->row, x->o->at.after + at->q + j, p->shape[k] * r[d]);
      cps_entries_add(x->list, x->row, x->o->at.after + at->v + j, p->shape[k] * v[d]);
      if (p->weight != 1) by_theta(x, at->p_shape + 4 * point + k, r[d] * c->q[j] + v[d] * c->v[j]);
    }
  }
}

/* The normal force of a point, times `by`. */
static void add_normal(const filling *x, int cable_of, int point, const spot *s, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  double w = by * c->point[point].weight, r[3] = {0}, v[3] = {0};
  for (int d = 0; d < c->dim; d++) {
    r[d] = -w * (s->law.depth * s->n[d] + s->law.rate * s->along / s->rho * s->t[d]);
    v[d] = -w * s->law.rate * s->n[d];
  }
  by_point(x, cable_of, point, s->drum, r, v);
  by_theta(x, x->o->at.drum_theta + s->drum * TH_DRUM + TH_RADIUS, w * s->law.depth);
  by_theta(x, at->p_weight + point, by * s->law.n);
  for (int k = 0; k < c->contact.normal->n_params; k++)
    by_theta(x, at->theta + TH_NORMAL + k, w * s->law.p[k]);
}

static void add_friction(const filling *x, int cable_of, int point, int axis, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  cps_entries_add(x->list, x->row, x->o->at.after + x->o->at.cable[cable_of].f + point * (c->dim - 1) + axis,
                  by);
}

/* minus (N n + f t) of a point along an axis, times `by`: n turns by t.dr/rho t, t by -t.dr/rho n. */
static void add_point_push(const filling *x, int cable_of, int point, const spot *s, int axis, double by) {
  const machine *m = &x->o->m;
  double r[3] = {0}, none[3] = {0};
  add_normal(x, cable_of, point, s, -by * s->n[axis]);
  for (int d = 0; d < m->dim; d++)
    r[d] = by * (s->f[0] * s->n[axis] - s->load * s->t[axis]) / s->rho * s->t[d];
  by_point(x, cable_of, point, s->drum, r, none);
  add_friction(x, cable_of, point, 0, -by * s->t[axis]);
  if (m->dim == 3) add_friction(x, cable_of, point, 1, -by * m->drum[s->drum].axis[axis]);
}

/* The reaction of an end, times `by`. */
static void add_reaction(const filling *x, int cable_of, int e, const double *by) {
  const machine *m = &x->o->m;
  const cable *c = &m->cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  int node = e ? c->n : 0, after = x->o->at.after;
  reaction_row y;
  cps_reaction_row(x->o, cable_of, e, by, &y);
  for (int j = 0; j < 2 * c->b; j++) {
    cps_entries_add(x->list, x->row, after + at->q + y.first + j, y.q[j]);
    cps_entries_add(x->list, x->row, after + at->v + y.first + j, y.v[j]);
    cps_entries_add(x->list, x->row, after + at->a + y.first + j, y.a[j]);
  }
  for (int n = 0; n < y.n; n++) by_theta(x, y.theta[n], y.by_theta[n]);
  for (int d = 0; d < c->dim; d++) by_d(x, at->end + e * DY_END + DY_LOAD + d, y.load[d]);
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    if (node < p->node || node > p->node + 1) continue;
    int shape = 2 * (node - p->node);
    spot s;
    cps_spot_place(m, c, p, &s);
    for (int d = 0; d < c->dim && s.drum >= 0; d++) {
      double pushed = s.load * s.n[d] + s.f[0] * s.t[d] +
                      (c->dim == 3 ? s.f[1] * m->drum[s.drum].axis[d] : 0);
      if (p->shape[shape] != 0) add_point_push(x, cable_of, k, &s, d, by[d] * p->shape[shape]);
      if (p->weight != 1) by_theta(x, at->p_shape + 4 * k + shape, -by[d] * pushed);
    }
  }
}

void cps_column_reaction(model *o, entries *list, int row, int cable_of, int e, const double *by) {
  filling x = {o, list, row};
  add_reaction(&x, cable_of, e, by);
}

/* The torque -along.R of an end on the rim of a drum, times `by`: `along` grows with the radius, and turns with the end. */
static void add_rim_torque(const filling *x, int cable_of, int e, double by) {
  const machine *m = &x->o->m;
  int drum_of = m->cable[cable_of].end[e].drum;
  double arm[3], along[3], minus[3], reaction[6], outwards = 0, around = 0;
  cps_rim_arm(m, &m->cable[cable_of], e, arm, along);
  cps_reaction_value(x->o, cable_of, e, reaction);
  for (int d = 0; d < 3; d++) minus[d] = -by * along[d];
  for (int d = 0; d < m->dim; d++) {
    outwards += by * reaction[d] * arm[d];
    around -= by * reaction[d] * along[d];
  }
  add_reaction(x, cable_of, e, minus);
  by_theta(x, x->o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, around / m->drum[drum_of].radius);
  by_theta(x, x->o->at.cable[cable_of].tie + 2 * e, outwards);
  cps_by_turn(x->o, x->list, x->row, drum_of, 0, x->o->at.after, x->o->at.d, outwards);
}

/* Torque of the cables on a drum, times `by`. */
static void add_torque(const filling *x, int drum_of, double by) {
  const machine *m = &x->o->m;
  double radius = m->drum[drum_of].radius, sum = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      spot s;
      cps_spot_place(m, &m->cable[i], &m->cable[i].point[k], &s);
      if (s.drum != drum_of) continue;
      add_friction(x, i, k, 0, -by * radius);
      sum -= s.f[0];
    }
  by_theta(x, x->o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, by * sum);
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (m->cable[i].end[e].kind == END_RIM && m->cable[i].end[e].drum == drum_of)
        add_rim_torque(x, i, e, by);
}

/* The force of the cables on a drum along an axis, times `by`. */
static void add_push(const filling *x, int drum_of, int axis, double by) {
  const machine *m = &x->o->m;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      spot s;
      cps_spot_place(m, &m->cable[i], &m->cable[i].point[k], &s);
      if (s.drum == drum_of) add_point_push(x, i, k, &s, axis, by);
    }
  double minus[3] = {0};
  minus[axis] = -by;
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (m->cable[i].end[e].kind == END_RIM && m->cable[i].end[e].drum == drum_of)
        add_reaction(x, i, e, minus);
}

void cps_column_push(model *o, entries *list, int row, int drum_of, const double *by) {
  filling x = {o, list, row};
  for (int d = 0; d < o->m.dim; d++) add_push(&x, drum_of, d, by[d]);
}

/* ------------------------------------------------------------------ wraps */

static int sticks(const machine *m, const cable *c, const contact_point *p, const spot *s) {
  if (c->contact.kind != LAW_BALANCE) return p->stuck;
  const drum *g = &m->drum[s->drum];
  cps_law_input in = {s->along - g->radius * g->rate, s->load, s->f[0], NULL, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_eval(c->contact.law, c->contact.p, &in, &out, &jac);
  return jac.f.f_eq > 1 - 1e-6;
}

/* The length that a point stands for, over the radius. */
static void add_arc(const filling *x, int cable_of, int point, int drum_of) {
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &x->o->at.cable[cable_of];
  const contact_point *p = &c->point[point];
  double radius = x->o->m.drum[drum_of].radius, share = 0;
  if (c->of->contact.quadrature > 0) {
    share = p->weight;
    by_theta(x, at->p_weight + point, 1 / radius);
  } else {
    for (int n = p->node - 1; n <= p->node; n++) {
      int i = n < 0 && c->seam >= 0 ? c->n - 1 : n;
      if (i < 0 || i >= c->n) continue;
      share += c->length[i] / 2;
      by_theta(x, at->length + i, 0.5 / radius);
    }
  }
  by_theta(x, x->o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, -share / (radius * radius));
}

/* What friction holds there, times `by`; returns it. */
static double add_limit(const filling *x, int cable_of, int point, const spot *s, double by) {
  const cable *c = &x->o->m.cable[cable_of];
  double holds = cps_friction_holds(&c->contact, s->load), per = c->contact.hold, step = 1e-4 * s->load;
  if (per < 0 && s->load > 0)
    per = (cps_friction_holds(&c->contact, s->load + step) -
           cps_friction_holds(&c->contact, s->load - step)) /
          (2 * step);
  if (by == 0) return holds;
  add_normal(x, cable_of, point, s, by * per);
  if (c->contact.hold >= 0) by_theta(x, x->o->at.cable[cable_of].theta + TH_HOLD, by * s->load);
  return holds;
}

static void add_wrap(const filling *x, const column *k) {
  const machine *m = &x->o->m;
  const cable *c = &m->cable[k->cable];
  double friction = 0, limit = 0;
  int first = -1, last = -1;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->n_points; i++) {
      spot s;
      cps_spot_place(m, c, &c->point[i], &s);
      if (s.drum != k->drum) continue;
      if (pass == 0) {
        if (first < 0) first = i;
        last = i;
        friction += s.f[0];
        limit += add_limit(x, k->cable, i, &s, 0);
        continue;
      }
      int stuck = sticks(m, c, &c->point[i], &s);
      if (k->kind == COL_WRAP || (k->kind == COL_STICK && stuck) || (k->kind == COL_SLIP && !stuck))
        add_arc(x, k->cable, i, k->drum);
      if (k->kind == COL_NORMAL) add_normal(x, k->cable, i, &s, 1);
      if (k->kind == COL_FRICTION) add_friction(x, k->cable, i, 0, 1);
      if (k->kind == COL_MARGIN && limit > 0) {
        add_friction(x, k->cable, i, 0, -copysign(1, friction) / limit);
        add_limit(x, k->cable, i, &s, fabs(friction) / (limit * limit));
      }
    }
  }
  if (first < 0) return;
  int a = c->point[first].node, b = c->point[last].node, after = c->per_node == 1 ? b + 1 : b + 2;
  if (k->kind == COL_T_IN) add_tension(x, k->cable, a > 1 ? a - 2 : 0, 1);
  if (k->kind == COL_T_OUT) add_tension(x, k->cable, after < c->n ? after : c->n - 1, 1);
}

/* The element whose tension is the largest (sign 1) or smallest. */
static int extreme(const cable *c, int sign) {
  int best = 0;
  for (int i = 1; i < c->n; i++)
    if (sign * c->tension[i] > sign * c->tension[best]) best = i;
  return best;
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

void cps_column_add(model *o, entries *list, const column *k, int row, double t) {
  filling x = {o, list, row};
  o->m.audited = t; /* bodies are looked at then */
  const machine *m = &o->m;
  const cable *c = k->cable >= 0 ? &m->cable[k->cable] : NULL;
  int energy[3] = {k->kind == COL_KINETIC ? row : -1, k->kind == COL_ELASTIC ? row : -1,
                   k->kind == COL_GRAVITY ? row : -1};
  cable_store store;
  switch (k->kind) {
  case COL_NONE:
    break;
  case COL_PLACE:
    cps_entries_add(list, row, o->at.after + o->at.cable[k->cable].q + k->at, 1);
    break;
  case COL_VELOCITY:
    cps_entries_add(list, row, o->at.after + o->at.cable[k->cable].v + k->at, 1);
    break;
  case COL_STATE:
    cps_entries_add(list, row, o->at.after + k->at, 1);
    break;
  case COL_TURN:
    cps_by_turn(o, list, row, k->drum, k->at, o->at.after, o->at.d, 1);
    break;
  case COL_CENTER:
    cps_by_center(o, list, row, k->drum, k->at, 0, o->at.after, o->at.d, 1);
    break;
  case COL_TORQUE_OF_DRIVE:
    cps_border_drive(o, list, row, k->drum, t);
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
    add_push(&x, k->drum, k->at, 1);
    break;
  case COL_TENSION_START:
    add_tension(&x, k->cable, 0, 1);
    break;
  case COL_TENSION_END:
    add_tension(&x, k->cable, c->n - 1, 1);
    break;
  case COL_TENSION_MAX:
  case COL_TENSION_MIN:
    cps_cable_survey(c, &store);
    add_tension(&x, k->cable, extreme(c, k->kind == COL_TENSION_MAX ? 1 : -1), 1);
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
