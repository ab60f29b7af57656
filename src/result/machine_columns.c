/* machine_columns.c - what a run with cables records: columns over time, and fields along the cables. */
#include "contact_runs.h"
#include "machine.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z"}, *const forces[] = {"fx", "fy", "fz"};

/* ------------------------------------------------------------------ drums */

static int center_moves(const drum *g) {
  return g->carrier >= 0 || g->of->shift[0] || g->of->shift[1] || g->of->shift[2];
}

static void drums(row *r, const machine *m) {
  for (int i = 0; i < m->n_drums; i++) {
    const drum *g = &m->drum[i];
    const char *name = g->of->name;
    double by[2];
    if (g->elsewhere) continue;
    cps_row_put(r, "drums", name, "angle", "rad", g->angle);
    cps_row_put(r, "drums", name, "rate", "rad/s", g->rate);
    cps_row_put(r, "drums", name, "torque", "N m", g->torque);
    if (g->angle_at >= 0 && !cps_drive_is(g->of, DRIVE_RELEASES))
      cps_row_put(r, "drums", name, "drive", "N m", cps_drum_torque(g, r->sim->t, &by[0], &by[1]));
    else if (cps_drive_is(g->of, DRIVE_PRESCRIBES)) /* what its motor must do */
      cps_row_put(r, "drums", name, "drive", "N m", g->of->inertia * g->acceleration - g->torque);
    for (int d = 0; d < m->dim; d++) cps_row_put(r, "drums", name, forces[d], "N", g->push[d]);
    for (int d = 0; d < m->dim && center_moves(g); d++)
      cps_row_put(r, "drums", name, axes[d], "m", g->center[d]);
  }
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    if (y->contact) continue;
    const char *name = m->drum[y->drum].of->name;
    cps_row_put(r, "bearings", name, "v", "m/s", y->p.v[0]);
    cps_row_put(r, "bearings", name, "f", "N", *m->free[y->f_at].q);
    cps_row_put(r, "bearings", name, "n", "N", y->p.n);
  }
}

/* ------------------------------------------------------------------ wraps */

/* A cable on a drum: all its contact points there. */
typedef struct wrap {
  double angle, stick, slip; /* arcs [rad] */
  double t_in, t_out;        /* tension before the first and behind the last point [N] */
  double normal, friction, limit;
  double penetration; /* of the deepest point [m] */
} wrap;

/* Whether a point sticks. Smooth laws that know the balance force do while they answer it in full. */
static int sticks(const cable *c, const contact_point *p) {
  if (c->contact.kind != LAW_BALANCE) return p->stuck;
  cps_law_input in = {p->v[0], p->n, p->f[0], NULL, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_eval(c->contact.law, c->contact.p, &in, &out, &jac);
  return jac.f.f_eq > 1 - 1e-6;
}

/* Length of cable that a contact point stands for. */
static double share(const cable *c, const contact_point *p) {
  if (c->of->contact.quadrature > 0) return p->weight;
  double before = p->node > 0 ? c->length[p->node - 1] : c->seam >= 0 ? c->length[c->n - 1] : 0;
  return (before + (p->node < c->n ? c->length[p->node] : 0)) / 2;
}

/* Normal force at the end of the step; Newton's method had that of its last iteration's start. */
static double normal_of(const contact_trace *o) {
  double square = 0;
  for (int d = 0; d < 3; d++) square += (o->push[d] - o->pull[d]) * (o->push[d] - o->pull[d]);
  return o->depth > 0 ? sqrt(square) : 0;
}

static int touched(const machine *m, const cable *c, const contact_point *p) {
  (void)m;
  (void)c;
  return p->drum;
}

/* The angle is that between the directions of the cable; the parts that stick and slip are those of the length that its contact
 * points stand for. */
static wrap wrap_of(const machine *m, const cable *c, int drum_index, const double *tension) {
  wrap w = {0};
  double length[2] = {0};
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    if (p->drum != drum_index) continue;
    w.normal += normal_of(&c->trace[k]);
    w.friction += p->f[0];
    w.limit += p->limit;
    w.penetration = fmax(w.penetration, c->trace[k].depth);
    length[sticks(c, p)] += share(c, p);
  }
  contact_run run;
  int from = 0;
  for (int i = 0; (from = cps_contact_run_next(m, c, drum_index, touched, from, &run)) > 0; i++) {
    w.angle += fabs(run.angle);
    if (i == 0) w.t_in = tension[run.side[0].element];
    w.t_out = tension[run.side[1].element];
  }
  if (!(length[0] + length[1] > 0)) return w;
  w.stick = w.angle * length[1] / (length[0] + length[1]);
  w.slip = w.angle - w.stick;
  return w;
}

enum { WRAP_COLUMNS = 10, TENSION_COLUMNS = 4 };

/* The drums of a cable that its results name: those of its path. */
static void wraps(row *r, const machine *m, const cable *c, const double *tension) {
  for (int i = 0; i < m->n_drums; i++) {
    int touches = 0;
    for (int k = 0; k < c->of->n_path; k++)
      touches |= cps_item_is(&c->of->path[k], ITEM_WRAPS) && c->of->path[k].drum == i;
    if (!touches || c->n_points == 0) continue;
    wrap w = {0};
    if (cps_row_wants(r, WRAP_COLUMNS)) w = wrap_of(m, c, i, tension);
    char kind[16 + 2 * CPS_NAME_ROOM] = "";
    if (r->task == NAMING) snprintf(kind, sizeof kind, "cables.%s", c->of->name);
    const char *name = m->drum[i].of->name;
    cps_row_put(r, kind, name, "wrap", "rad", w.angle);
    cps_row_put(r, kind, name, "stick_arc", "rad", w.stick);
    cps_row_put(r, kind, name, "slip_arc", "rad", w.slip);
    cps_row_put(r, kind, name, "t_in", "N", w.t_in);
    cps_row_put(r, kind, name, "t_out", "N", w.t_out);
    cps_row_put(r, kind, name, "normal", "N", w.normal);
    cps_row_put(r, kind, name, "friction", "N", w.friction);
    cps_row_put(r, kind, name, "margin", "1", w.limit > 0 ? 1 - fabs(w.friction) / w.limit : 0);
    cps_row_put(r, kind, name, "slip_work", "J", c->slip_work[i]);
    cps_row_put(r, kind, name, "penetration", "m", w.penetration);
  }
}

/* What the ends of a cable pull with, on what holds them; nothing is there to be pulled at a free end. */
static void ends(row *r, const cable *c) {
  static const char *const pulls[2][3] = {{"fx_start", "fy_start", "fz_start"},
                                          {"fx_end", "fy_end", "fz_end"}},
                           *const moments[2][3] = {{"mx_start", "my_start", "mz_start"},
                                                   {"mx_end", "my_end", "mz_end"}};
  for (int e = 0; e < 2; e++) {
    double hold[6] = {0};
    const double *slope = c->q + (e ? c->n : 0) * c->b + c->dim;
    if (c->seam >= 0 || !cps_end_is(c->end[e].kind, END_HELD)) continue;
    int first = c->dim == 2 ? 2 : 0, clamped = cps_end_is(c->end[e].kind, END_KEEPS_DIRECTION);
    if (cps_row_wants(r, c->dim + (clamped ? 3 - first : 0))) cps_end_hold(c, e, hold);
    for (int d = 0; d < c->dim; d++) cps_row_put(r, "cables", c->of->name, pulls[e][d], "N", -hold[d]);
    for (int d = first; d < 3 && clamped; d++) {
      int a = (d + 1) % 3, b = (d + 2) % 3;
      cps_row_put(r, "cables", c->of->name, moments[e][d], "N m",
                  slope[b] * hold[c->dim + a] - slope[a] * hold[c->dim + b]);
    }
  }
}

static void cables(row *r, const machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double most = 0, least = INFINITY, at_end[2] = {0, 0};
    const double *tension = c->tension; /* the audit comes before the columns */
    const char *name = c->of->name;
    int wanted = cps_row_wants(r, TENSION_COLUMNS);
    for (int e = 0; e < 2 && wanted; e++) {
      at_end[e] = cps_end_tension(c, e);
      most = fmax(most, at_end[e]);
      least = fmin(least, at_end[e]);
    }
    for (int k = 0; k < c->n && wanted; k++) {
      most = tension[k] > most ? tension[k] : most;
      least = tension[k] < least ? tension[k] : least;
    }
    cps_row_put(r, "cables", name, "tension_start", "N", at_end[0]);
    cps_row_put(r, "cables", name, "tension_end", "N", at_end[1]);
    cps_row_put(r, "cables", name, "tension_max", "N", most);
    cps_row_put(r, "cables", name, "tension_min", "N", least);
    ends(r, c);
    wraps(r, m, c, tension);
  }
}

void cps_machine_columns(row *r) {
  const machine *m = r->sim->machine;
  drums(r, m);
  cables(r, m);
}

/* ------------------------------------------------------------------ fields */

void cps_machine_fields(row *r) {
  const machine *m = r->sim->machine;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    const char *name = c->of->name;
    int nodes = c->n + 1, points = c->n_points;
    double *x = c->room; /* big enough for any field, and free between steps */
    double s = 0;
    for (int k = 0; k < nodes; k++) {
      x[k] = s;
      if (k < c->n) s += c->length[k];
    }
    cps_row_field(r, name, "s", "m", nodes, 1, !c->place, x);
    for (int k = 0; k < nodes; k++)
      for (int d = 0; d < m->dim; d++) x[k * m->dim + d] = c->q[k * c->b + d];
    cps_row_field(r, name, "position", "m", nodes, m->dim, 0, x);
    for (int k = 0; k < nodes && r->task == FILLING; k++)
      x[k] = k == 0 || k == c->n ? cps_end_tension(c, k == c->n) : (c->tension[k - 1] + c->tension[k]) / 2;
    cps_row_field(r, name, "tension", "N", nodes, 1, 0, x);
    if (points == 0) continue;
    enum { FIELDS = 6 };
    static const struct {
      const char *what, *unit;
    } of[FIELDS] = {{"contact.s", "m"},      {"contact.normal", "N"}, {"contact.friction", "N"},
                    {"contact.slip", "m/s"}, {"contact.state", "1"},  {"contact.drum", "1"}};
    for (int f = 0; f < FIELDS; f++) {
      for (int k = 0; k < points; k++) {
        const contact_point *p = &c->point[k];
        double values[FIELDS] = {
            p->s, normal_of(&c->trace[k]), p->f[0], p->v[0], p->drum < 0 ? 0 : sticks(c, p) ? 1 : 2, p->drum};
        x[k] = values[f];
      }
      cps_row_field(r, name, of[f].what, of[f].unit, points, 1, f == 0 && !c->place, x);
    }
  }
}

/* ------------------------------------------------------------------ breaks */

static void next_of(const profile *p, double t, double *next) {
  if (p) *next = fmin(*next, cps_profile_next_break(p, t));
}

double cps_machine_next_break(const cps_system *system, double t) {
  const cps_scenario *s = system->scenario;
  double next = cps_system_next_break(system, t);
  for (int i = 0; i < s->n_drums; i++) {
    next_of(s->drums[i].motion, t, &next);
    for (int d = 0; d < 3; d++) next_of(s->drums[i].shift[d], t, &next);
  }
  for (int i = 0; i < s->n_cables; i++)
    for (int e = 0; e < 2; e++)
      for (int d = 0; d < 3; d++) {
        next_of(s->cables[i].end[e].shift[d], t, &next);
        next_of(s->cables[i].end[e].force[d], t, &next);
      }
  return next;
}
