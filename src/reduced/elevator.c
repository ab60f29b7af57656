/* elevator.c - a cable over one driven pulley with a body at each end, in few variables.
 *
 * U. Lugris, J. L. Escalona, D. Dopico, J. Cuadrado, Efficient and accurate simulation of the cable-pulley interaction in
 * weight-lifting machines; the arcs of stick and slip as in K. L. Johnson, Contact Mechanics, 1985, section 8.5.
 * Derivation, and what is wrong in print: docs/theory.md.
 *
 * s counts undeformed cable along the path: the start's span is -l1 .. 0, the arc on the pulley 0 .. R wrap, the end's span
 * follows. A section at s has gone x = s + u(s). Strain u' is e1 up to s = a, grows or falls as exp(k (s - a)),
 * k = +-mu/R, over the transition of length L = ln(e2/e1)/k, and is e2 from there. u is 0 where the span that
 * is less tight at the start touches the pulley. Three coordinates p = (flow, e1, e2) move everything,
 *
 *   x_t = b.p_t,   b = (1 + u' [+ du/da], du/de1, du/de2),
 *
 * so d'Alembert's principle is  int rho b (b.p_tt + c) = forces . b, with c the acceleration at p_tt = 0. The integrals
 * are sums over Gauss points.
 *
 * Cable that sticks moves with the pulley: R psi_t = (1 + e_in) flow_t, e_in the strain where it runs on. The transition
 * slips where the cable runs off. After a reversal it is carried to the other side, and when it covers the whole wrap
 * the cable slides through: then e2/e1 is fixed and flow_t is free. So both tensions vanish together, and a cable without
 * mass is slack until the bodies have fallen far enough to pull it taut.
 *
 * Invariants. (1) mode, tight and edge change only in cps_lift_change. (2) Bodies keep place and velocity there, the pulley
 * angle and rate. (3) y obeys the ties of its mode after cps_lift_place.
 */
#include "elevator.h"
#include "dense.h"

#include <math.h>
#include <string.h>

enum { FLOW, E1, E2, COORDINATES = LIFT_COORDINATES };

typedef lift_equations equations;

/* ------------------------------------------------------------------ the displacement field */

/* The transition and where it is, with rates at p_tt = 0 and derivatives by e1, e2. */
typedef struct field {
  double e[2], e_t[2], flow_t;
  double ratio; /* e[1]/e[0] */
  double k, l, l_t, l_tt;
  double a, a_t, a_tt, a_e[2], a_flow;
  double end_u, end_e[2], end_a, end_tt; /* F where the end's span touches, if u counts from there; else 0 */
} field;

/* A place on the cable. */
typedef struct spot {
  double u, u1, u2;       /* and derivatives by s */
  double b[COORDINATES];  /* dx/dp */
  double b1[COORDINATES]; /* db/ds */
  double c;               /* acceleration at p_tt = 0 */
} spot;

/* F at s on the end's side, its derivatives by e and a, and its second rate; s_t is that of s. */
static void behind(const field *f, double s, double s_t, double *u, double e[2], double *a, double *tt) {
  double z = s - f->a - f->l, z_t = s_t - f->a_t - f->l_t, z_tt = -f->a_tt - f->l_tt;
  *u = f->e[0] * f->a + (f->e[1] - f->e[0]) / f->k + f->e[1] * z;
  e[0] = f->a + (f->ratio - 1) / f->k;
  e[1] = z;
  *a = f->e[0] - f->e[1];
  *tt = 2 * f->e_t[0] * f->a_t + f->e[0] * f->a_tt + 2 * f->e_t[1] * z_t + f->e[1] * z_tt;
}

static field field_at(const lift *l, const double *y) {
  field f = {.e = {y[LIFT_E1], y[LIFT_E2]}, .e_t = {y[LIFT_E1_T], y[LIFT_E2_T]}, .flow_t = y[LIFT_FLOW_T]};
  f.k = (l->tight ? 1 : -1) * l->mu / l->radius;
  f.ratio = l->mode == LIFT_SLIDES ? exp(f.k * l->arc) : f.e[1] / f.e[0];
  if (l->model == CABLE_SPRINGS) {
    f.k = 1;
    f.a = l->arc / 2;
    return f;
  }
  if (l->mode == LIFT_SLIDES) {
    f.l = l->arc;
    f.a_e[0] = f.a_e[1] = 0;
  } else {
    double r0 = f.e_t[0] / f.e[0], r1 = f.e_t[1] / f.e[1];
    f.l = log(f.e[1] / f.e[0]) / f.k;
    f.l_t = (r1 - r0) / f.k;
    f.l_tt = (r0 * r0 - r1 * r1) / f.k;
  }
  int right = l->mode == LIFT_AT_END || (l->mode == LIFT_CARRIED && l->edge == 1);
  if (l->mode == LIFT_AT_END) f.a = l->arc;
  if (l->mode == LIFT_CARRIED) {
    f.a = y[LIFT_EDGE];
    f.a_flow = 1;
    f.a_t = f.flow_t;
  }
  if (right) {
    f.a -= f.l;
    f.a_t -= f.l_t;
    f.a_tt -= f.l_tt;
    f.a_e[0] = 1 / (f.k * f.e[0]);
    f.a_e[1] = -1 / (f.k * f.e[1]);
  }
  if (l->anchor == 1) behind(&f, l->arc, 0, &f.end_u, f.end_e, &f.end_a, &f.end_tt);
  return f;
}

/* Adds how u changes through a, and counts it from its anchor. */
static void finish(const field *f, double f_a, double u_tt, spot *o) {
  double by_a = f_a - f->end_a;
  o->u -= f->end_u;
  o->b[FLOW] = 1 + o->u1 + by_a * f->a_flow;
  for (int i = 0; i < 2; i++) o->b[E1 + i] += by_a * f->a_e[i] - f->end_e[i];
  o->c = u_tt - f->end_tt;
}

/* Before the transition, in it, and behind it. */
static spot spot_before(const field *f, double s) {
  spot o = {.u = f->e[0] * s, .u1 = f->e[0], .b = {0, s, 0}, .b1 = {0, 1, 0}};
  finish(f, 0, 2 * f->e_t[0] * f->flow_t, &o);
  return o;
}

static spot spot_within(const field *f, double s) {
  double grown = exp(f->k * (s - f->a)), e = f->e[0] * grown, w_t = f->flow_t - f->a_t;
  spot o = {.u = f->e[0] * f->a + (e - f->e[0]) / f->k, .u1 = e, .u2 = f->k * e};
  o.b[E1] = f->a + (grown - 1) / f->k;
  o.b1[FLOW] = o.u2 * (1 - f->a_flow);
  o.b1[E1] = grown - o.u2 * f->a_e[0];
  o.b1[E2] = -o.u2 * f->a_e[1];
  finish(f, f->e[0] - e, 2 * f->e_t[0] * (f->a_t + grown * w_t) + (f->e[0] - e) * f->a_tt + o.u2 * w_t * w_t,
         &o);
  return o;
}

static spot spot_behind(const field *f, double s) {
  double by_a, u_tt;
  spot o = {.u1 = f->e[1], .b1 = {0, 0, 1}};
  behind(f, s, f->flow_t, &o.u, o.b + E1, &by_a, &u_tt);
  finish(f, by_a, u_tt, &o);
  return o;
}

/* The spans of springs: each stretches by itself. One that is slack goes on counting how much, as a strain below zero. */
static spot spot_spring(const field *f, double s, int side) {
  spot o = {.u = f->e[side] * s, .u1 = f->e[side], .c = 2 * f->e_t[side] * f->flow_t};
  o.b[FLOW] = 1 + f->e[side];
  o.b[E1 + side] = s;
  o.b1[E1 + side] = 1;
  return o;
}

double cps_lift_span(const lift *l, const double *y, int side) {
  if (l->mode == LIFT_SLACK && side)
    return l->length[1] + y[LIFT_FLOW] + y[LIFT_E1]; /* as far as its body is */
  return l->length[side] + (side ? 1 : -1) * y[LIFT_FLOW];
}

/* The end of the cable at a side, where the body is; *s gets its coordinate. */
static spot spot_body(const lift *l, const field *f, const double *y, int side, double *s) {
  *s = side ? l->arc + cps_lift_span(l, y, 1) : -cps_lift_span(l, y, 0);
  if (l->model == CABLE_SPRINGS) return spot_spring(f, side ? *s - l->arc : *s, side);
  return side ? spot_behind(f, *s) : spot_before(f, *s);
}

/* ------------------------------------------------------------------ equations */

static void add_mass(equations *q, double w, const spot *o, const double *p_t) {
  double v = 0;
  for (int i = 0; i < COORDINATES; i++) {
    v += o->b[i] * p_t[i];
    for (int j = 0; j < COORDINATES; j++) q->m[i][j] += w * o->b[i] * o->b[j];
    q->force[i] -= w * o->b[i] * o->c;
  }
  q->kinetic += w * v * v / 2;
}

/* The mass w of a piece of some length around the spot, along which everything is linear: by how much it is more than that of
 * a point there. */
static void add_spread(equations *q, double w, double length, const spot *o, const double *p_t) {
  double v = 0, more = w * length * length / 12;
  for (int i = 0; i < COORDINATES; i++) {
    v += o->b1[i] * p_t[i];
    for (int j = 0; j < COORDINATES; j++) q->m[i][j] += more * o->b1[i] * o->b1[j];
  }
  q->kinetic += more * v * v / 2;
}

/* What elasticity and damping do over a piece of length w of which the spot is typical. */
static void add_stretch(const lift *l, equations *q, double w, const spot *o, const double *p_t) {
  double rate = 0;
  for (int i = 0; i < COORDINATES; i++) rate += o->b1[i] * p_t[i];
  for (int i = 0; i < COORDINATES; i++) q->force[i] -= w * (l->ea * o->u1 + l->damping * rate) * o->b1[i];
  q->elastic += w * l->ea * o->u1 * o->u1 / 2;
  q->damping += w * l->damping * rate * rate;
}

/* Rubbing in the transition: -EA u'' on the cable, relative to what the pulley does. */
static void add_friction(const lift *l, equations *q, double w, const spot *o, const double *p_t,
                         double stuck) {
  double f = -w * l->ea * o->u2;
  for (int i = 0; i < COORDINATES; i++) {
    double path = o->b[i] - (i == FLOW ? stuck : 0);
    /* As (17) is printed, friction helps the pulley to turn forward, whichever side is tight. */
    if (l->model == CABLE_PRINTED && i == FLOW) path = (o->u2 > 0 ? -l->turn : l->turn) * o->u1;
    q->force[i] += f * path;
    q->friction -= f * path * p_t[i];
  }
}

/* Gravity along the path and away from the hub, at s on the pulley. */
static void pull_at(const lift *l, double s, double *along, double *out) {
  double angle = l->angle + l->turn * s / l->radius, c = cos(angle), n = sin(angle);
  *along = l->turn * (l->pull_w * c - l->pull_u * n);
  *out = l->pull_u * c + l->pull_w * n;
}

/* Weight of a piece on the pulley, from the potential g.(r + t u). */
static void add_weight(const lift *l, equations *q, double w, double s, const spot *o) {
  double along, out;
  pull_at(l, s, &along, &out);
  for (int i = 0; i < COORDINATES; i++) q->force[i] += w * along * o->b[i];
  q->force[FLOW] -= w * out / l->radius * o->u;
  q->gravity += w * (l->hub - out * l->radius - along * o->u);
}

/* An arc of constant strain: everything is linear in s. */
static void add_stuck(const lift *l, equations *q, const field *f, double from, double to,
                      spot (*where)(const field *, double), const double *p_t) {
  if (!(to > from)) return;
  double middle = (from + to) / 2, length = to - from, r = l->radius;
  spot o = where(f, middle);
  add_stretch(l, q, length, &o, p_t);
  if (!(l->rho > 0)) return;
  add_mass(q, l->rho * length, &o, p_t);
  add_spread(q, l->rho * length, length, &o, p_t);
  /* The same as add_weight, integrated: out' = along/R, along' = -out/R. */
  double a0, a1, o0, o1;
  pull_at(l, from, &a0, &o0);
  pull_at(l, to, &a1, &o1);
  double along = r * (o1 - o0), out = -r * (a1 - a0), half = length / 2;
  double along_s = r * half * (o1 + o0) + r * r * (a1 - a0),
         out_s = -r * half * (a1 + a0) + r * r * (o1 - o0);
  for (int i = 0; i < COORDINATES; i++) q->force[i] += l->rho * (o.b[i] * along + o.b1[i] * along_s);
  q->force[FLOW] -= l->rho / r * (o.u * out + o.u1 * out_s);
  q->gravity += l->rho * (l->hub * length - r * out - o.u * along - o.u1 * along_s);
}

enum { POINTS_MOST = 8, PIECES_MOST = 4096 };

/* Gauss points on -1 .. 1: five are exact to round-off for pieces of less than a radian, eight for 3.2. */
typedef struct rule {
  int n;
  double x[POINTS_MOST], w[POINTS_MOST];
} rule;

static const rule few_points = {
    5,
    {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640},
    {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891}};
static const rule many_points = {
    8,
    {-0.9602898564975362, -0.7966664774136267, -0.5255324099163290, -0.1834346424956498, 0.1834346424956498,
     0.5255324099163290, 0.7966664774136267, 0.9602898564975362},
    {0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620, 0.3626837833783620,
     0.3137066458778873, 0.2223810344533745, 0.1012285362903763}};

/* The transition. */
static void add_transition(const lift *l, equations *q, const field *f, const double *p_t, double stuck) {
  if (!(f->l > 0)) return;
  double turns = f->l / l->radius / 3.2, growth = fabs(f->k) * f->l / 1.2;
  int pieces = (int)fmin(PIECES_MOST, ceil(fmax(1e-9, fmax(turns, growth))));
  const rule *gauss = fmax(turns, growth / 1.4) < 0.31 ? &few_points : &many_points;
  double h = f->l / pieces / 2;
  for (int i = 0; i < pieces; i++) {
    for (int g = 0; g < gauss->n; g++) {
      double s = f->a + h * (2 * i + 1 + gauss->x[g]), w = h * gauss->w[g];
      spot o = spot_within(f, s);
      add_stretch(l, q, w, &o, p_t);
      add_friction(l, q, w, &o, p_t, stuck);
      if (!(l->rho > 0)) continue;
      add_mass(q, l->rho * w, &o, p_t);
      add_weight(l, q, l->rho * w, s, &o);
    }
  }
}

/* A mass w at place s of a span, hanging on its tangent point. */
static void add_hanging(const lift *l, equations *q, double w, int side, double s, const spot *o,
                        const double *p_t) {
  add_mass(q, w, o, p_t);
  for (int i = 0; i < COORDINATES; i++) q->force[i] += w * l->pull[side] * o->b[i];
  q->gravity += w * (l->height[side] - l->pull[side] * (s - (side ? l->arc : 0) + o->u));
}

static void add_span(const lift *l, equations *q, const field *f, const double *y, int side,
                     const double *p_t) {
  double length = cps_lift_span(l, y, side), middle = side ? l->arc + length / 2 : -length / 2, s;
  spot body = spot_body(l, f, y, side, &s);
  memcpy(q->b[side], body.b, sizeof q->b[side]);
  q->c[side] = body.c;
  add_hanging(l, q, l->mass[side], side, s, &body, p_t);
  if (!l->slack[side]) add_stretch(l, q, length, &body, p_t);
  if (!(l->rho > 0) || l->model == CABLE_SPRINGS) return;
  spot o = side ? spot_behind(f, middle) : spot_before(f, middle);
  add_hanging(l, q, l->rho * length, side, middle, &o, p_t);
  add_spread(q, l->rho * length, length, &o, p_t);
}

/* The side whose strain the cable has where it sticks: where it runs on or, if all of it sticks, where u is 0. */
static int stuck_side(const lift *l) {
  return l->mode == LIFT_AT_START ? 1 : l->mode == LIFT_AT_END ? 0 : l->anchor;
}

/* How far the surface of the pulley goes per flow where the cable sticks; 0 where it slides. */
static double stuck_ratio(const lift *l, const double *y) {
  if (l->mode == LIFT_SLIDES) return 0;
  if (l->model == CABLE_SPRINGS || l->model == CABLE_PRINTED) return 1;
  return 1 + y[LIFT_E1 + stuck_side(l)];
}

/* The same for what the drive prescribes. */
static double drive_ratio(const lift *l, const double *y) {
  return l->model == CABLE_FLOW ? 1 : stuck_ratio(l, y);
}

/* Bodies that fall: all that there is of a slack cable, which has no mass. */
static void assemble_slack(const lift *l, const double *y, equations *q) {
  double x[2], v[2];
  cps_lift_bodies(l, y, x, v);
  for (int i = 0; i < 2; i++) {
    q->kinetic += l->mass[i] * v[i] * v[i] / 2;
    q->gravity += l->mass[i] * (l->height[i] - l->pull[i] * (x[i] - (i ? l->arc : 0)));
    q->b[i][FLOW] = 1;
    q->b[i][E1] = i;
  }
}

static void assemble(const lift *l, const double *y, equations *q) {
  memset(q, 0, sizeof *q);
  if (l->mode == LIFT_SLACK) {
    assemble_slack(l, y, q);
    return;
  }
  field f = field_at(l, y);
  const double p_t[COORDINATES] = {y[LIFT_FLOW_T], y[LIFT_E1_T], y[LIFT_E2_T]};
  for (int side = 0; side < 2; side++) add_span(l, q, &f, y, side, p_t);
  if (l->model == CABLE_SPRINGS) return;
  double stuck = stuck_ratio(l, y);
  add_stuck(l, q, &f, 0, f.a, spot_before, p_t);
  add_transition(l, q, &f, p_t, stuck);
  add_stuck(l, q, &f, f.a + f.l, l->arc, spot_behind, p_t);
  /* What friction takes from the pulley that turns under a sliding cable. */
  if (l->mode == LIFT_SLIDES) q->friction += l->radius * l->ea * (f.e[0] - f.e[1]) * y[LIFT_PSI_T];
}

/* Solves n <= 3 equations in place; 0 if singular. */
static int solve(int n, double a[][COORDINATES], double *x) {
  int pivot[COORDINATES];
  if (dense_factor(a[0], n, COORDINATES, pivot, NULL) == 0) return 0;
  dense_solve(a[0], n, COORDINATES, pivot, x, 1, 1);
  return 1;
}

/* ------------------------------------------------------------------ the drive */

/* Puts in prescribed motion; returns the acceleration of the pulley, or the torque on it if it turns freely. */
static double drive(const lift *l, double t, double *y) {
  profile_value at = {0};
  if (l->drum->motion) at = cps_profile_now(l->drum->motion, t, l->inputs);
  at = (profile_value){.y = l->turn * at.y, .y_t = l->turn * at.y_t, .y_tt = l->turn * at.y_tt};
  if (!cps_drive_is(l->drum, DRIVE_PRESCRIBES))
    return cps_drive_torque(l->drum, at, y[LIFT_PSI], y[LIFT_PSI_T]).value;
  y[LIFT_PSI] = at.y;
  y[LIFT_PSI_T] = at.y_t;
  return at.y_tt;
}

/* ------------------------------------------------------------------ rates */

static double ratio_of_tensions(const lift *l) { return exp((l->tight ? 1 : -1) * l->mu * l->wrap); }

/* The rates that the mode ties to others. */
static double flow_tied(const lift *l, const double *y) {
  return l->mode >= LIFT_SLIDES ? y[LIFT_FLOW_T] : l->radius * y[LIFT_PSI_T] / drive_ratio(l, y);
}

static void tie_state(const lift *l, double *y) {
  y[LIFT_FLOW_T] = flow_tied(l, y);
  if (l->mode != LIFT_SLIDES) return;
  double ratio = ratio_of_tensions(l);
  y[LIFT_E2] = ratio * y[LIFT_E1];
  y[LIFT_E2_T] = ratio * y[LIFT_E1_T];
}

/* Accelerations by forces, while the cable sticks somewhere: of the pulley, on which `given` acts (or which has it, if it
 * is driven), and of the coordinates. `drift` is that of the flow which the tie asks for while the pulley keeps its rate. */
static int stick(const lift *l, const equations *q, const double *y, const double *force, double given,
                 double drift, double *psi_tt, double *p_tt) {
  double ratio = drive_ratio(l, y), per = l->radius / ratio;
  double a[COORDINATES][COORDINATES], x[COORDINATES];
  int driven = !cps_drum_is_free(l->drum), springs = l->model == CABLE_SPRINGS;
  /* Unknowns: angular acceleration, then those of the strains. */
  for (int i = 0; i < COORDINATES; i++) {
    x[i] = force[i] - q->m[i][FLOW] * drift;
    a[i][0] = q->m[i][FLOW] * per;
    for (int j = E1; j <= E2; j++) a[i][j] = q->m[i][j];
  }
  if (driven || springs) {
    a[0][0] = driven ? 1 : l->inertia;
    a[0][1] = a[0][2] = 0;
    x[0] = given;
  } else {
    a[0][0] += l->inertia / per;
    x[0] += given / per;
  }
  if (!solve(3, a, x)) return 0;
  *psi_tt = x[0];
  p_tt[FLOW] = per * x[0] + drift;
  p_tt[E1] = x[1];
  p_tt[E2] = x[2];
  return 1;
}

/* While it slides: strains in a fixed ratio, the pulley turns by itself. */
static int slide(const lift *l, const equations *q, const double *force, double *p_tt) {
  double ratio = ratio_of_tensions(l), a[COORDINATES][COORDINATES] = {{0}}, x[2];
  a[0][0] = q->m[FLOW][FLOW];
  a[0][1] = a[1][0] = q->m[FLOW][E1] + ratio * q->m[FLOW][E2];
  a[1][1] = q->m[E1][E1] + ratio * (2 * q->m[E1][E2] + ratio * q->m[E2][E2]);
  x[0] = force[FLOW];
  x[1] = force[E1] + ratio * force[E2];
  if (!solve(2, a, x)) return 0;
  p_tt[FLOW] = x[0];
  p_tt[E1] = x[1];
  p_tt[E2] = ratio * x[1];
  return 1;
}

/* The torque that springs need of the pulley does not follow from their equations. */
static double naive_torque(const lift *l, const double *y) {
  return l->radius * (cps_lift_tension(l, y, 0) - cps_lift_tension(l, y, 1));
}

static int accelerate_stuck(lift *l, const double *y, const double *force, double *p_tt) {
  const equations *q = &l->equations;
  int springs = l->model == CABLE_SPRINGS;
  double drift = l->model == CABLE_SEMI_ANALYTICAL
                     ? -y[LIFT_FLOW_T] * y[LIFT_E1_T + stuck_side(l)] / drive_ratio(l, y)
                     : 0;
  double given = springs && cps_drum_is_free(l->drum) ? l->given - naive_torque(l, y) : l->given;
  if (!stick(l, q, y, force, given, drift, &l->acceleration, p_tt)) return 0;
  double left = -force[FLOW];
  for (int j = 0; j < COORDINATES; j++) left += q->m[FLOW][j] * p_tt[j];
  l->torque = springs ? naive_torque(l, y) : left * l->radius / stuck_ratio(l, y);
  return 1;
}

/* With forces along the path on the bodies. */
static int accelerate(lift *l, const double *y, const double on[2], double *p_tt) {
  const equations *q = &l->equations;
  double force[COORDINATES];
  if (l->mode == LIFT_SLACK) {
    double fall[2] = {l->pull[0] + on[0] / l->mass[0], l->pull[1] + on[1] / l->mass[1]};
    p_tt[FLOW] = fall[0];
    p_tt[E1] = fall[1] - fall[0];
    p_tt[E2] = 0;
    l->torque = 0;
  }
  for (int i = 0; i < COORDINATES; i++) force[i] = q->force[i] + on[0] * q->b[0][i] + on[1] * q->b[1][i];
  if (l->mode < LIFT_SLIDES) return accelerate_stuck(l, y, force, p_tt);
  if (l->mode == LIFT_SLIDES) {
    if (!slide(l, q, force, p_tt)) return 0;
    l->torque = l->radius * l->ea * (y[LIFT_E1] - y[LIFT_E2]);
  }
  l->acceleration = cps_drum_is_free(l->drum) ? (l->given - l->torque) / l->inertia : l->given;
  return 1;
}

int cps_lift_mobility(const lift *l, const double *y, double mobility[2][2]) {
  const equations *q = &l->equations;
  for (int j = 0; j < 2; j++) {
    double p_tt[COORDINATES], psi_tt;
    for (int i = 0; i < 2; i++) mobility[i][j] = i == j ? 1 / l->mass[i] : 0;
    if (l->mode == LIFT_SLACK) continue;
    if (!(l->mode == LIFT_SLIDES ? slide(l, q, q->b[j], p_tt) : stick(l, q, y, q->b[j], 0, 0, &psi_tt, p_tt)))
      return 0;
    for (int i = 0; i < 2; i++)
      mobility[i][j] = q->b[i][FLOW] * p_tt[FLOW] + q->b[i][E1] * p_tt[E1] + q->b[i][E2] * p_tt[E2];
  }
  return 1;
}

void cps_lift_place(lift *l, double t, double *y) {
  l->given = drive(l, t, y);
  tie_state(l, y);
}

void cps_lift_assemble(lift *l, const double *y) { assemble(l, y, &l->equations); }

int cps_lift_rates(lift *l, const double force[2], const double *y, double *y_t, double accelerations[2]) {
  const equations *q = &l->equations;
  double p_tt[COORDINATES];
  if (!accelerate(l, y, force, p_tt)) return 0;
  for (int i = 0; i < COORDINATES; i++) {
    y_t[LIFT_FLOW + i] = y[LIFT_FLOW_T + i];
    y_t[LIFT_FLOW_T + i] = p_tt[i];
  }
  for (int i = 0; i < 2; i++)
    accelerations[i] = q->b[i][FLOW] * p_tt[FLOW] + q->b[i][E1] * p_tt[E1] + q->b[i][E2] * p_tt[E2] + q->c[i];
  y_t[LIFT_PSI] = y[LIFT_PSI_T];
  y_t[LIFT_PSI_T] = l->acceleration;
  y_t[LIFT_EDGE] = y[LIFT_FLOW_T];
  y_t[LIFT_FRICTION] = l->slip_power = q->friction;
  if (l->mode < LIFT_SLIDES && l->model != CABLE_SPRINGS && l->model != CABLE_PRINTED) {
    /* What is dissipated; the rest goes to and fro as the tensions change. */
    double jump = y[LIFT_E2] - y[LIFT_E1], slips = l->mode == LIFT_CARRIED ? 0 : fabs(y[LIFT_FLOW_T]);
    l->slip_power = l->ea * jump * jump / 2 * slips;
  }
  y_t[LIFT_DAMPING] = q->damping;
  double torque = cps_drum_is_free(l->drum) ? l->torque + l->inertia * l->acceleration : l->torque;
  y_t[LIFT_MOTION] = torque * y[LIFT_PSI_T];
  if (l->model == CABLE_FLOW) y_t[LIFT_MOTION] *= stuck_ratio(l, y); /* the pulley turns that much faster */
  y_t[LIFT_MADE1] = y_t[LIFT_MADE2] = 0;
  if (l->model == CABLE_SPRINGS) {
    y_t[LIFT_MADE1] = cps_lift_tension(l, y, 0) * y[LIFT_E1] / 2 * y[LIFT_FLOW_T];
    y_t[LIFT_MADE2] = -cps_lift_tension(l, y, 1) * y[LIFT_E2] / 2 * y[LIFT_FLOW_T];
  }
  return isfinite(p_tt[FLOW] + p_tt[E1] + p_tt[E2] + l->acceleration);
}

/* ------------------------------------------------------------------ modes */

/* The sliding velocity of a cable that slides through, positive towards the tight side. */
static double slip_motion(const lift *l, const double *y) {
  int in = y[LIFT_FLOW_T] > 0 ? 0 : 1;
  return (l->tight ? 1 : -1) * ((1 + y[LIFT_E1 + in]) * y[LIFT_FLOW_T] - l->radius * y[LIFT_PSI_T]);
}

enum { GUARD_TIGHT, GUARD_WRAP, GUARD_WAY, GUARD_OTHER, GUARD_ARRIVES = LIFT_ARRIVES };

void cps_lift_guards(const lift *l, const double *y, double *guard) {
  for (int i = 0; i < LIFT_GUARDS; i++) guard[i] = INFINITY;
  guard[GUARD_ARRIVES] = fmin(cps_lift_span(l, y, 0), cps_lift_span(l, y, 1)) / l->radius;
  double least = fmin(y[LIFT_E1], y[LIFT_E2]), most = fmax(y[LIFT_E1], y[LIFT_E2]);
  if (l->model == CABLE_SPRINGS) { /* each by itself, relative to what a body's weight stretches it by */
    for (int i = 0; i < 2; i++)
      guard[GUARD_TIGHT + i] = (l->slack[i] ? -1 : 1) * y[LIFT_E1 + i] * l->ea /
                               (l->mass[i] * fabs(l->pull[i]));
    return;
  }
  if (l->mode == LIFT_SLACK) {
    guard[GUARD_OTHER] = -y[LIFT_E1] / l->radius;
    return;
  }
  if (l->mode == LIFT_SLIDES) {
    guard[GUARD_WAY] = slip_motion(l, y) / l->radius;
    guard[GUARD_OTHER] = y[LIFT_E1];
    return;
  }
  guard[GUARD_TIGHT] = (l->tight ? 1 : -1) * (y[LIFT_E2] - y[LIFT_E1]) / most;
  guard[GUARD_WRAP] = least > 0 ? l->wrap - cps_lift_slip_arc(l, y) : -1;
  if (l->model == CABLE_PRINTED) return;
  if (l->mode == LIFT_AT_START) guard[GUARD_WAY] = -y[LIFT_PSI_T];
  if (l->mode == LIFT_AT_END) guard[GUARD_WAY] = y[LIFT_PSI_T];
  if (l->mode == LIFT_CARRIED && least > 0) {
    double width = cps_lift_slip_arc(l, y) * l->radius;
    double left = y[LIFT_EDGE] - (l->edge ? width : 0);
    guard[GUARD_WAY] = left / l->radius;
    guard[GUARD_OTHER] = (l->arc - left - width) / l->radius;
  }
}

/* Moves the bodies a little, at rest. */
static int nudge(lift *l, const double by[2]) {
  double *y = l->y, a[COORDINATES][COORDINATES] = {{0}}, x[2] = {by[0], by[1]}, s;
  int slides = l->mode == LIFT_SLIDES;
  double ratio = slides ? ratio_of_tensions(l) : 0;
  field f = field_at(l, y);
  for (int i = 0; i < 2; i++) {
    spot o = spot_body(l, &f, y, i, &s);
    a[i][0] = slides ? o.b[FLOW] : o.b[E1];
    a[i][1] = slides ? o.b[E1] + ratio * o.b[E2] : o.b[E2];
  }
  if (!solve(2, a, x)) return 0;
  if (slides) y[LIFT_FLOW] += x[0];
  y[LIFT_E1] += slides ? x[1] : x[0];
  y[LIFT_E2] += slides ? ratio * x[1] : x[1];
  return 1;
}

/* Rates of flow and strains that give the bodies the velocities v, with the ties of the mode. */
static int take_over(lift *l, const double v[2]) {
  double *y = l->y, a[COORDINATES][COORDINATES] = {{0}}, x[2], s;
  int slides = l->mode == LIFT_SLIDES;
  double ratio = slides ? ratio_of_tensions(l) : 0, flow_t = slides ? 0 : flow_tied(l, y);
  y[LIFT_FLOW_T] = flow_t;
  field f = field_at(l, y);
  for (int i = 0; i < 2; i++) {
    spot o = spot_body(l, &f, y, i, &s);
    x[i] = v[i] - o.b[FLOW] * flow_t;
    a[i][0] = slides ? o.b[FLOW] : o.b[E1];
    a[i][1] = slides ? o.b[E1] + ratio * o.b[E2] : o.b[E2];
  }
  if (!solve(2, a, x)) return 0;
  if (slides) y[LIFT_FLOW_T] = x[0];
  y[LIFT_E1_T] = slides ? x[1] : x[0];
  y[LIFT_E2_T] = slides ? ratio * x[1] : x[1];
  return 1;
}

/* A cable that slides and has no tension is slack on both sides. Bodies fall from where they are. */
static void let_go(lift *l, const double x[2], const double v[2]) {
  double *y = l->y;
  l->mode = LIFT_SLACK;
  y[LIFT_FLOW] = x[0] + l->length[0];
  y[LIFT_FLOW_T] = v[0];
  y[LIFT_E1] = fmin(0, x[1] - x[0] - l->arc - l->length[0] - l->length[1]);
  y[LIFT_E1_T] = v[1] - v[0];
  y[LIFT_E2] = y[LIFT_E2_T] = 0;
}

/* A slack cable that has become straight slides towards the side that pulls more. */
static int pull_taut(lift *l, const double v[2]) {
  l->mode = LIFT_SLIDES;
  l->y[LIFT_E1] = l->y[LIFT_E2] = 0;
  for (int k = 0; k < 2; k++) {
    l->tight = !l->tight;
    if (!take_over(l, v)) return 0;
    if (slip_motion(l, l->y) >= 0) break;
  }
  return 1;
}

int cps_lift_change(lift *l, int guard) {
  double x[2], v[2], *y = l->y;
  equations before, after;
  if (guard == GUARD_ARRIVES) return 0;
  if (l->model == CABLE_SPRINGS) {
    l->slack[guard - GUARD_TIGHT] = !l->slack[guard - GUARD_TIGHT];
    return 1;
  }
  if (l->model != CABLE_SEMI_ANALYTICAL && guard == GUARD_WRAP) return 0;
  cps_lift_bodies(l, y, x, v);
  assemble(l, y, &before);
  if (l->mode == LIFT_SLACK) {
    if (!pull_taut(l, v)) return 0;
  } else if (l->mode == LIFT_SLIDES && guard == GUARD_OTHER) {
    if (l->rho > 0) return 0; /* its mass would fall in loops */
    let_go(l, x, v);
  } else if (l->mode == LIFT_SLIDES) {
    l->mode = y[LIFT_PSI_T] > 0 ? LIFT_AT_END : LIFT_AT_START;
  } else if (guard == GUARD_TIGHT) {
    l->tight = !l->tight; /* the transition has no length: nothing else changes */
  } else if (guard == GUARD_WRAP) {
    if (!(fmin(y[LIFT_E1], y[LIFT_E2]) > 0)) return 0;
    l->mode = LIFT_SLIDES;
  } else if (l->mode == LIFT_CARRIED) {
    l->mode = guard == GUARD_WAY ? LIFT_AT_START : LIFT_AT_END;
  } else {
    l->edge = l->mode == LIFT_AT_END;
    y[LIFT_EDGE] = l->edge ? l->arc : 0;
    l->mode = LIFT_CARRIED;
  }
  if (l->mode != LIFT_SLACK && !take_over(l, v)) return 0;
  tie_state(l, y);
  assemble(l, y, &after);
  /* The cable's own share of kinetic energy may change a little, with its velocities. */
  y[LIFT_FRICTION] += before.kinetic + before.elastic + before.gravity - after.kinetic - after.elastic -
                      after.gravity;
  return 1;
}

int cps_lift_move(lift *l, const double x[2], const double v[2]) {
  double at[2], now[2];
  if (l->mode == LIFT_SLACK) {
    let_go(l, x, v);
    return 1;
  }
  cps_lift_bodies(l, l->y, at, now);
  const double by[2] = {x[0] - at[0], x[1] - at[1]};
  return nudge(l, by) && take_over(l, v);
}

int cps_lift_start(lift *l, double t, double rate) {
  if (cps_drive_is(l->drum, DRIVE_PRESCRIBES)) return cps_lift_jump(l, t);
  const double still[2] = {0, 0};
  l->y[LIFT_PSI_T] = rate;
  return rate == 0 || take_over(l, still);
}

int cps_lift_jump(lift *l, double t) {
  double x[2], v[2], *y = l->y;
  equations before, after;
  if (!cps_drive_is(l->drum, DRIVE_PRESCRIBES)) return 1;
  double rate = cps_profile_now(l->drum->motion, t, l->inputs).y_t * l->turn;
  if (rate == y[LIFT_PSI_T]) return 1;
  cps_lift_bodies(l, y, x, v);
  assemble(l, y, &before);
  y[LIFT_PSI_T] = rate;
  if (l->mode != LIFT_SLACK && !take_over(l, v)) return 0;
  tie_state(l, y);
  assemble(l, y, &after);
  y[LIFT_MOTION] += after.kinetic - before.kinetic; /* of the cable, at once */
  return 1;
}

/* ------------------------------------------------------------------ what is asked for */

double cps_lift_tension(const lift *l, const double *y, int side) {
  return l->mode == LIFT_SLACK || l->slack[side] ? 0 : l->ea * y[LIFT_E1 + side];
}

/* At s, of springs and of the others. */
static lift_section section_spring(const lift *l, const field *f, const double *y, double s) {
  int side = s > l->arc, on = s >= 0 && !side;
  double t[2] = {cps_lift_tension(l, y, 0), cps_lift_tension(l, y, 1)};
  lift_section o = {.x = s, .tension = on ? fmax(t[0], t[1]) : t[side], .contact = on};
  if (!on) o.x += spot_spring(f, side ? s - l->arc : s, side).u;
  return o;
}

static lift_section section_at(const lift *l, const field *f, const double *y, double s) {
  int within = s > f->a && s < f->a + f->l;
  spot p = within ? spot_within(f, s) : s <= f->a ? spot_before(f, s) : spot_behind(f, s);
  lift_section o = {.x = s + p.u, .tension = l->ea * p.u1};
  if (s < 0 || s > l->arc) return o;
  o.contact = within && l->mode != LIFT_CARRIED ? 2 : 1;
  o.rubs = -l->ea * p.u2;
  if (o.contact == 2)
    o.slides = p.b[FLOW] * y[LIFT_FLOW_T] + p.b[E1] * y[LIFT_E1_T] + p.b[E2] * y[LIFT_E2_T] -
               l->radius * y[LIFT_PSI_T];
  return o;
}

void cps_lift_sections(const lift *l, const double *y, int n, double step, lift_section *out) {
  double x[2], v[2], length = l->length[0] + l->arc + l->length[1];
  if (l->mode == LIFT_SLACK) { /* anywhere between the bodies: what is too long is left out of the picture */
    cps_lift_bodies(l, y, x, v);
    for (int k = 0; k < n; k++) out[k] = (lift_section){.x = x[0] + (x[1] - x[0]) * (k * step) / length};
    return;
  }
  field f = field_at(l, y);
  for (int k = 0; k < n; k++) {
    double s = k * step - l->length[0] + y[LIFT_FLOW];
    out[k] = l->model == CABLE_SPRINGS ? section_spring(l, &f, y, s) : section_at(l, &f, y, s);
  }
}

void cps_lift_bodies(const lift *l, const double *y, double x[2], double v[2]) {
  if (l->mode == LIFT_SLACK) {
    x[0] = y[LIFT_FLOW] - l->length[0];
    x[1] = x[0] + l->length[0] + l->arc + l->length[1] + y[LIFT_E1];
    v[0] = y[LIFT_FLOW_T];
    v[1] = v[0] + y[LIFT_E1_T];
    return;
  }
  field f = field_at(l, y);
  for (int i = 0; i < 2; i++) {
    double s;
    spot o = spot_body(l, &f, y, i, &s);
    x[i] = s + o.u;
    v[i] = o.b[FLOW] * y[LIFT_FLOW_T] + o.b[E1] * y[LIFT_E1_T] + o.b[E2] * y[LIFT_E2_T];
  }
}

double cps_lift_slip_arc(const lift *l, const double *y) {
  if (l->model == CABLE_SPRINGS) return 0;
  return l->mode >= LIFT_SLIDES ? l->wrap : fabs(log(y[LIFT_E2] / y[LIFT_E1])) / l->mu;
}

void cps_lift_energy(const lift *l, const double *y, cps_energy *e) {
  equations q;
  assemble(l, y, &q);
  e->kinetic += q.kinetic;
  if (cps_drum_is_free(l->drum)) e->kinetic += l->inertia * y[LIFT_PSI_T] * y[LIFT_PSI_T] / 2;
  e->elastic += q.elastic;
  e->gravity += q.gravity;
  e->friction += y[LIFT_FRICTION];
  e->damping += y[LIFT_DAMPING];
  e->motion_work += y[LIFT_MOTION];
  e->created += y[LIFT_MADE1] + y[LIFT_MADE2];
}
