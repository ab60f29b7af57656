/* sens_slides.c - friction of the border, linearised: bearings of drums, and bodies on rails and surfaces.
 *
 * The equations of body_equations.c: a slide has a force f, an unknown of the border, and
 *
 *   f = F(v, f - m a, N),   v = sum of factors times velocities of the border - velocity of the surface,
 *
 * with the law at hand, differentiated as at the contact points of cables (sens_contact.c). Its normal force is a number, is
 * prescribed, or is what the cables press on the drum with: then the equation knows all the contact points on that drum.
 */
#include "sens_chain.h"

/* A slide now: where it is, how fast, and what presses it together. */
typedef struct sliding_now {
  double x, v, a, load, push[3];
} sliding_now;

static double factor_of(const slide *y, int i) { return i == 0 ? y->factor[0] : -y->factor[1]; }

static int is_given(const slide *y) { return y->contact && y->contact->normal == NORMAL_GIVEN; }

/* Whether cables press it. */
static int is_pressed(const model *o, const slide *y) {
  return !y->contact && !(o->m.drum[y->drum].of->bearing_load >= 0);
}

/* The first number of its surface in d. */
static int surface_of(const model *o, const slide *y) {
  return o->at.surface_d + 3 * (int)(y->surface - o->m.of->bodies);
}

double cps_slide_push(const model *o, int drum_of, double *push) {
  const machine *m = &o->m;
  double square = 0;
  memset(push, 0, 3 * sizeof *push);
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      spot s;
      cps_spot_place(m, &m->cable[i], &m->cable[i].point[k], &s);
      for (int d = 0; d < m->dim && s.drum == drum_of; d++)
        push[d] -= s.load * s.n[d] + s.f[0] * s.t[d] + s.f[1] * m->drum[drum_of].axis[d];
    }
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++) {
      double reaction[6];
      if (m->cable[i].end[e].kind != END_RIM || m->cable[i].end[e].drum != drum_of) continue;
      cps_reaction_value(o, i, e, reaction);
      for (int d = 0; d < m->dim; d++) push[d] -= reaction[d];
    }
  for (int d = 0; d < m->dim; d++) square += push[d] * push[d];
  return sqrt(square);
}

static void look(const model *o, int i, double t, sliding_now *s) {
  const slide *y = &o->m.slide[i];
  memset(s, 0, sizeof *s);
  for (int k = 0; k < 2; k++) {
    if (y->at[k] < 0) continue;
    const dof *f = &o->m.free[y->at[k]];
    s->x += factor_of(y, k) * f->q;
    s->v += factor_of(y, k) * f->v;
    s->a += factor_of(y, k) * f->a;
  }
  if (y->contact) { /* bodies have been looked at */
    const cps_system *sys = o->m.system;
    int b = sys->contacts[y->index].b;
    s->load = cps_contact_normal(&o->m.forces, &sys->contacts[y->index], t);
    if (y->surface) {
      s->v -= y->factor[1] * o->m.y[sys->nx + b];
      s->a -= y->factor[1] * o->m.forces.surface_a[b];
    }
  } else if (is_pressed(o, y)) {
    s->load = cps_slide_push(o, y->drum, s->push);
  } else {
    s->load = o->m.drum[y->drum].of->bearing_load;
  }
}

/* Where derivatives go: into a row of a list or, if that is NULL, of the border's equations in the present solve. */
typedef struct target {
  entries *list;
  int row;
  const step_coeffs *coeffs;
  int balance;
} target;

static void to_theta(model *o, const target *x, int theta, double by) {
  if (!x->list)
    cps_border_by_theta(o, x->row, theta, -by);
  else if (o->theta_varies[theta])
    cps_entries_add(x->list, x->row, o->at.theta + theta, by);
}

static void to_d(model *o, const target *x, int d, double by) {
  if (!x->list)
    cps_border_by_d(o, x->row, d, -by);
  else if (o->d_varies[d])
    cps_entries_add(x->list, x->row, o->at.d + d, by);
}

static void to_unknown(model *o, const target *x, int k, double by) {
  if (!x->list)
    cps_border_by_unknown(o, x->row, k, by, 0, 0, x->coeffs, x->balance);
  else
    cps_entries_add(x->list, x->row, o->at.after + o->at.border + k, by);
}

static void to_coordinate(model *o, const target *x, int c, double q, double v) {
  if (!x->list) {
    cps_border_by_coordinate(o, x->row, c, q, v, x->coeffs, x->balance);
    return;
  }
  cps_by_coordinate(o, x->list, x->row, c, 0, 1, q);
  cps_by_coordinate(o, x->list, x->row, c, 1, 1, v);
}

/* What a spring presses the body at one of its ends onto its line with, times `by`. */
static void spring_press_by(model *o, const target *x, int spring, int side, double by) {
  const machine *m = &o->m;
  const cps_system *s = m->system;
  const plane_spring *g = &s->plane[spring];
  const spring_slope *now = &o->slope[g->index];
  int c[6], n = cps_plane_coordinates(s, g, c), theta = o->at.spring_theta + 3 * g->index;
  double per_tension = 0; /* minus up . pull: the direction of the spring is that in which it gets longer */
  for (int k = 0; k < n; k++)
    to_coordinate(o, x, c[k], by * m->entries.plane[spring].press_q[side][k],
                  by * m->entries.plane[spring].press_v[side][k]);
  if (!now->pulls) return;
  for (int d = 0; d < s->dim; d++) per_tension += cps_spring_direction(s, g, m->y, d) * g->end[side].up[d];
  per_tension *= side == 0 ? -by : by;
  to_theta(o, x, theta, per_tension * now->e);
  to_theta(o, x, theta + 1, per_tension * now->e_t);
  to_theta(o, x, theta + 2, -per_tension * now->k);
}

/* The normal force of a contact or of a bearing with a given load, times `by`. */
static void normal_by(model *o, const target *x, int i, double by) {
  const machine *m = &o->m;
  const slide *y = &m->slide[i];
  const cps_system *s = m->system;
  if (is_given(y)) {
    to_d(o, x, o->at.slide_d + i, by);
    return;
  }
  to_theta(o, x, o->at.slide_theta + i * TH_SLIDE + TH_SLIDE_LOAD, by);
  if (!y->contact) return;
  int a = s->contacts[y->index].a, loads = y->contact->normal == NORMAL_LOAD;
  for (int k = 0; k < m->n_bodies; k++) {
    int q = s->body_q[m->body[k].index];
    if (!cps_rests_on(s, q, a)) continue;
    if (m->body[k].press_at >= 0) to_unknown(o, x, m->body[k].press_at, by);
    for (int d = 0; d < m->dim && loads; d++) to_d(o, x, o->at.body_d + 3 * k + d, -by * s->up[q][d]);
  }
  for (int k = 0; k < 2 * s->n_plane && loads; k++)
    if (cps_rests_on(s, s->plane[k / 2].end[k % 2].c[0], a)) spring_press_by(o, x, k / 2, k % 2, by);
}

/* The normal force, times `by`, into the row of the friction force: what is left of its equation. */
static void add_load(model *o, int i, const sliding_now *s, double by, const step_coeffs *coeffs,
                     int balance) {
  const slide *y = &o->m.slide[i];
  if (by == 0 || (y->contact && !(s->load > 0))) return;
  if (!is_pressed(o, y)) {
    normal_by(o, &(target){NULL, y->f_at, coeffs, balance}, i, by);
  } else if (s->load > 0) {
    double along[3];
    for (int d = 0; d < 3; d++) along[d] = by * s->push[d] / s->load;
    cps_border_by_push(o, y->f_at, y->drum, along, coeffs, balance);
  }
}

/* What is held differentiated by the normal force, and by parameter k of a law that is not in proportion to it. */
static double holds_by_load(const contact_law *l, double load) {
  if (l->hold >= 0) return l->hold;
  double sum = 0, step = 1e-3 * load;
  for (int j = 0; j < SENS_SHADOWS && load > 0; j++)
    sum += cps_sens_share[j] / step * cps_friction_holds(l, load + step * cps_sens_place[j]);
  return sum;
}

static double holds_by(const contact_law *l, double load, int k) {
  contact_law moved = *l;
  double sum = 0, step = 1e-3 * fmax(fabs(l->p[k]), 1e-6);
  for (int j = 0; j < SENS_SHADOWS; j++) {
    moved.p[k] = l->p[k] + step * cps_sens_place[j];
    sum += cps_sens_share[j] / step * cps_friction_holds(&moved, load);
  }
  return sum;
}

/* Statics: f = - k (x - start), up to what is held. */
static void add_spring(model *o, int i, const sliding_now *s, const step_coeffs *coeffs) {
  const slide *y = &o->m.slide[i];
  int theta = o->at.slide_theta + i * TH_SLIDE, row = y->f_at;
  double k = coeffs->bristle, pull = -k * (s->x - y->start), limit = cps_friction_holds(&y->law, s->load);
  cps_border_by_unknown(o, row, row, 1, 0, 0, coeffs, 0);
  if (fabs(pull) > limit) {
    double side = copysign(1, pull);
    add_load(o, i, s, -side * holds_by_load(&y->law, s->load), coeffs, 0);
    if (y->law.hold >= 0) cps_border_by_theta(o, row, theta + TH_SLIDE_HOLD, side * s->load);
    for (int n = 0; n < y->law.law->n_params && y->law.hold < 0; n++)
      if (o->theta_varies[theta + TH_SLIDE_LAW + n])
        cps_border_by_theta(o, row, theta + TH_SLIDE_LAW + n, side * holds_by(&y->law, s->load, n));
    return;
  }
  for (int n = 0; n < 2; n++)
    if (y->at[n] >= 0) cps_border_by_unknown(o, row, y->at[n], k * factor_of(y, n), 0, 0, coeffs, 0);
  cps_border_by_theta(o, row, theta + TH_FACTOR, -k * o->m.free[y->at[0]].q);
  if (k == o->m.grip) cps_border_by_theta(o, row, o->at.grip, pull / k);
  cps_entries_add(&o->now, o->at.right + o->at.border_rhs + row, o->at.before + o->at.slide_start + i, k);
}

static void rub_memory(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, rub *r);

/* The mass that the balance force is scaled by, times `by`: of a bearing a number, else 1/m = sum of 1/m of bodies that are free. */
static void mass_by(model *o, const target *x, int i, double by) {
  const slide *y = &o->m.slide[i];
  if (!y->contact) {
    to_theta(o, x, o->at.slide_theta + i * TH_SLIDE + TH_SLIDE_MASS, by);
    return;
  }
  for (int k = 0; k < o->m.n_bodies; k++) {
    const machine_body *b = &o->m.body[k];
    double part = y->p.mass / b->mass;
    if ((b->at == y->at[0] || b->at == y->at[1]) && !b->held)
      to_theta(o, x, o->at.body_theta + k, by * part * part);
  }
}

/* The law. */
static void add_friction(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, int balance) {
  const slide *y = &o->m.slide[i];
  const dof *first = &o->m.free[y->at[0]];
  int theta = o->at.slide_theta + i * TH_SLIDE, row = y->f_at;
  double f[AXES] = {o->m.free[row].q, 0};
  slip x = {.axes = 1, .v = {s->v}, .a = {s->a}, .load = s->load, .mass = y->p.mass, .scale = y->p.mass};
  rub r;
  x.limit = cps_friction_holds(&y->law, s->load);
  if (y->law.kind == LAW_MEMORY || (y->contact && y->held))
    rub_memory(o, i, s, coeffs, &r);
  else
    cps_rub_by(&y->law, &x, f, y->p.stuck, &r);
  double by_v = r.v[0][0], by_a = r.a[0][0];
  if (r.f[0][0] == 0 && y->held) { /* it keeps what it has */
    o->border.braked[row] = 1;
    return;
  }
  cps_border_by_unknown(o, row, row, r.f[0][0], 0, 0, coeffs, balance);
  for (int k = 0; k < 2; k++)
    if (y->at[k] >= 0)
      cps_border_by_unknown(o, row, y->at[k], 0, factor_of(y, k) * by_v, factor_of(y, k) * by_a, coeffs,
                            balance);
  cps_border_by_theta(o, row, theta + TH_FACTOR, -by_v * first->v - by_a * first->a);
  mass_by(o, &(target){NULL, row, coeffs, balance}, i, r.mass[0]);
  cps_border_by_theta(o, row, theta + TH_SLIDE_VISCOUS, -r.viscous[0]);
  for (int k = 0; k < y->law.law->n_params; k++)
    cps_border_by_theta(o, row, theta + TH_SLIDE_LAW + k, -r.law[0][k]);
  if (y->surface) {
    cps_border_by_d(o, row, surface_of(o, y) + 1, y->factor[1] * by_v);
    cps_border_by_d(o, row, surface_of(o, y) + 2, y->factor[1] * by_a);
  }
  add_load(o, i, s, r.n[0], coeffs, balance);
}

void cps_slides_own(model *o, const step_coeffs *coeffs, int balance) {
  for (int i = 0; i < o->m.n_slides; i++) {
    const slide *y = &o->m.slide[i];
    sliding_now s;
    look(o, i, coeffs->t, &s);
    if (coeffs->bristle > 0)
      add_spring(o, i, &s, coeffs);
    else
      add_friction(o, i, &s, coeffs, balance);
    for (int k = 0; k < 2; k++)
      if (y->at[k] >= 0) cps_border_by_unknown(o, y->at[k], y->f_at, -factor_of(y, k), 0, 0, coeffs, balance);
    cps_border_by_theta(o, y->at[0], o->at.slide_theta + i * TH_SLIDE + TH_FACTOR, o->m.free[y->f_at].q);
  }
}

void cps_slides_hold(model *o) {
  const machine *m = &o->m;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    int row = o->at.after + o->at.slide_start + i, border = o->at.before + o->at.border;
    int theta = o->at.slide_theta + i * TH_SLIDE + TH_FACTOR;
    for (int k = 0; k < 2; k++)
      if (y->at[k] >= 0) cps_entries_add(&o->list, row, border + y->at[k], factor_of(y, k));
    cps_entries_add(&o->list, row, border + y->f_at, 1 / m->grip);
    if (o->theta_varies[theta]) cps_entries_add(&o->list, row, o->at.theta + theta, m->free[y->at[0]].q);
    if (o->theta_varies[o->at.grip])
      cps_entries_add(&o->list, row, o->at.theta + o->at.grip, -m->free[y->f_at].q / (m->grip * m->grip));
  }
}

/* ------------------------------------------------------------------ works and columns */

void cps_slides_works(model *o, double t, double h) {
  const machine *m = &o->m;
  const cps_system *s = m->system;
  int first = o->at.after + o->at.works;
  (void)t, (void)h;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    const dof *force = &m->free[y->f_at];
    int theta = o->at.slide_theta + i * TH_SLIDE + TH_FACTOR, rows = y->contact ? 2 : 1;
    int row[2] = {first + WK_FRICTION, first + o->at.rubs + y->index},
        b = y->surface ? s->contacts[y->index].b : 0;
    double mean = (force->q + force->q0) / 2, belt = y->surface ? y->factor[1] * (m->y[b] - m->q0[b]) : 0;
    double moved = -belt;
    for (int k = 0; k < 2; k++)
      if (y->at[k] >= 0) moved += factor_of(y, k) * (m->free[y->at[k]].q - m->free[y->at[k]].q0);
    for (int after = 0; after < 2; after++) {
      double sign = after ? mean : -mean;
      int state = (after ? o->at.after : o->at.before) + o->at.border;
      for (int r = 0; r < rows; r++) {
        for (int k = 0; k < 2; k++)
          if (y->at[k] >= 0) cps_entries_add(&o->work, row[r], state + y->at[k], -sign * factor_of(y, k));
        if (y->surface) cps_by_coordinate(o, &o->work, row[r], b, 0, after, sign * y->factor[1]);
        cps_entries_add(&o->work, row[r], state + y->f_at, -moved / 2);
      }
      if (!y->surface) continue; /* its motion works against what it rubs with */
      cps_by_coordinate(o, &o->work, first + WK_MOTION, b, 0, after, sign * y->factor[1]);
      cps_entries_add(&o->work, first + WK_MOTION, state + y->f_at, belt / 2);
    }
    if (o->theta_varies[theta])
      cps_entries_add(&o->work, row[0], o->at.theta + theta,
                      -mean * (m->free[y->at[0]].q - m->free[y->at[0]].q0));
  }
}

static void by_theta(const model *o, entries *list, int row, int theta, double by) {
  if (o->theta_varies[theta]) cps_entries_add(list, row, o->at.theta + theta, by);
}

static void by_d(const model *o, entries *list, int row, int d, double by) {
  if (o->d_varies[d]) cps_entries_add(list, row, o->at.d + d, by);
}

/* Its velocity (1) or acceleration (2). */
static void by_motion(model *o, entries *list, int row, int i, int rate, double by) {
  const slide *y = &o->m.slide[i];
  const dof *first = &o->m.free[y->at[0]];
  for (int k = 0; k < 2; k++)
    if (y->at[k] >= 0)
      cps_entries_add(list, row, o->at.after + o->at.border + rate * o->at.nb + y->at[k],
                      by * factor_of(y, k));
  by_theta(o, list, row, o->at.slide_theta + i * TH_SLIDE + TH_FACTOR,
           by * (rate == 1 ? first->v : first->a));
  if (y->surface) by_d(o, list, row, surface_of(o, y) + rate, -by * y->factor[1]);
}

static void by_load(model *o, entries *list, int row, int i, double by) {
  const slide *y = &o->m.slide[i];
  if (!is_pressed(o, y)) {
    if (!y->contact || o->m.forces.n[y->index] > 0) normal_by(o, &(target){list, row, NULL, 0}, i, by);
  } else {
    double push[3], size = cps_slide_push(o, y->drum, push);
    for (int d = 0; d < 3; d++) push[d] *= size > 0 ? by / size : 0;
    cps_column_push(o, list, row, y->drum, push);
  }
}

void cps_slide_column(model *o, entries *list, int row, int i, int what, double by) {
  const slide *y = &o->m.slide[i];
  cps_border_look(o, o->m.audited);
  if (what == SLIDE_F || what == SLIDE_BALANCE)
    cps_entries_add(list, row, o->at.after + o->at.border + y->f_at, by);
  if (what == SLIDE_F) return;
  if (what == SLIDE_BALANCE) { /* f - m a */
    sliding_now s;
    look(o, i, o->m.audited, &s);
    by_motion(o, list, row, i, 2, -by * y->p.mass);
    mass_by(o, &(target){list, row, NULL, 0}, i, -by * s.a);
  }
  if (what == SLIDE_V) by_motion(o, list, row, i, 1, by);
  if (what == SLIDE_N) by_load(o, list, row, i, by);
}

/* ------------------------------------------------------------------ laws with memory */

/* The first of its states among those of all slides. */
static int first_of(const model *o, int i) {
  int n = 0;
  for (int k = 0; k < i; k++) n += o->m.slide[k].law.law->n_states;
  return n;
}

int cps_slide_first_state(const model *o, int i) { return o->at.cable[o->m.n_cables].z + first_of(o, i); }

static void recall_slide(const model *o, int i, const sliding_now *s, double z_s, recall *out) {
  const slide *y = &o->m.slide[i];
  int held = y->contact && y->held; /* there is nothing to balance */
  double e = held ? 0 : o->m.free[y->f_at].q - y->p.mass * s->a;
  cps_recall_law(&y->law, &y->y, 0, y->p.mode0[0], s->v, s->load, e, z_s, out);
  if (!held) return;
  out->f.e = 0;
  for (int k = 0; k < y->law.law->n_states; k++) out->z[k].e = out->z_t[k].e = 0;
}

/* f = F(v, f - m a, N, z), where states z follow from the others and from where they start. */
static void rub_memory(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, rub *r) {
  const slide *y = &o->m.slide[i];
  int star = o->at.z_star + o->at.cable[o->m.n_cables].z_star + first_of(o, i);
  recall x;
  recall_slide(o, i, s, cps_memory_time(&o->m.slide[i].law, coeffs), &x);
  memset(r, 0, sizeof *r);
  r->f[0][0] = 1 - x.f.e;
  r->v[0][0] = -x.f.v;
  r->a[0][0] = x.f.e * y->p.mass;
  r->n[0] = -x.f.n;
  r->mass[0] = x.f.e * s->a;
  for (int k = 0; k < y->law.law->n_params; k++) r->law[0][k] = -x.f.p[k];
  for (int k = 0; k < y->law.law->n_states; k++)
    cps_entries_add(&o->now, o->at.right + o->at.border_rhs + y->f_at, star + k, x.f.star[k]);
}

/* A row of its law by everything that is not a state. */
static void by_recall(model *o, entries *list, int row, int i, const sliding_now *s, const recall_row *x) {
  const slide *y = &o->m.slide[i];
  int theta = o->at.slide_theta + i * TH_SLIDE;
  by_motion(o, list, row, i, 1, x->v);
  by_motion(o, list, row, i, 2, -x->e * y->p.mass);
  mass_by(o, &(target){list, row, NULL, 0}, i, -x->e * s->a);
  cps_entries_add(list, row, o->at.after + o->at.border + y->f_at, x->e + x->f);
  if (x->n != 0) by_load(o, list, row, i, x->n);
  for (int k = 0; k < y->law.law->n_params; k++) by_theta(o, list, row, theta + TH_SLIDE_LAW + k, x->p[k]);
}

void cps_slide_states(model *o, int i, const step_coeffs *coeffs, int balance) {
  const slide *y = &o->m.slide[i];
  const cable_at *at = &o->at.cable[o->m.n_cables];
  int n = y->law.law->n_states, first = first_of(o, i);
  sliding_now s;
  recall x;
  if (n == 0) return;
  cps_border_look(o, coeffs->t);
  look(o, i, coeffs->t, &s);
  recall_slide(o, i, &s, cps_memory_time(&o->m.slide[i].law, coeffs), &x);
  if (!balance) cps_recall_settle(&y->law, s.v, s.load, o->m.free[y->f_at].q, x.mode, x.states, x.z);
  for (int k = 0; k < n; k++)
    for (int rate = 0; rate < 2; rate++) {
      const recall_row *of = rate ? &x.z_t[k] : &x.z[k];
      int row = o->at.after + (rate ? at->z_t : at->z) + first + k;
      for (int j = 0; j < n; j++)
        cps_entries_add(&o->recall, row, o->at.z_star + at->z_star + first + j, of->star[j]);
      by_recall(o, &o->recall, row, i, &s, of);
    }
}

void cps_slide_settle(model *o, int i, double t) {
  const slide *y = &o->m.slide[i];
  const cable_at *at = &o->at.cable[o->m.n_cables];
  int n = y->law.law->n_states, first = first_of(o, i);
  double states[CPS_MAX_STATES];
  sliding_now s;
  recall_row z[CPS_MAX_STATES];
  if (n == 0 || !y->law.law->n_modes) return;
  cps_border_look(o, t);
  look(o, i, t, &s);
  memcpy(states, y->y.z_star[0], sizeof states);
  if (!cps_recall_settles(&y->law, s.v, s.load, o->m.free[y->f_at].q, y->y.mode1[0], states, z)) return;
  for (int k = 0; k < n; k++) {
    int row = o->at.after + at->z + first + k, from = o->at.before + o->at.ahead + at->z + first;
    for (int j = 0; j < n; j++) cps_entries_add(&o->recall, row, from + j, z[k].star[j] - (j == k));
    by_recall(o, &o->recall, row, i, &s, &z[k]);
  }
}

void cps_slide_hold(model *o, int i) {
  const slide *y = &o->m.slide[i];
  int n = y->law.law->n_states, start = o->list.n;
  sliding_now s;
  recall_row z[CPS_MAX_STATES];
  if (n == 0) return;
  cps_border_look(o, o->m.of->run.from);
  look(o, i, o->m.of->run.from, &s);
  if (!(s.load > 0)) return;
  cps_recall_pull(&y->law, s.load, o->m.free[y->f_at].q, z);
  for (int k = 0; k < n; k++) {
    recall_row x = z[k];
    x.f = x.e; /* at rest */
    x.e = 0;
    by_recall(o, &o->list, o->at.after + o->at.cable[o->m.n_cables].z + first_of(o, i) + k, i, &s, &x);
  }
  for (int k = start; k < o->list.n; k++) { /* by the state before, which that after it replaces */
    entry *e = &o->list.e[k];
    if (e->column >= o->at.after && e->column < o->at.after + o->at.states)
      e->column += o->at.before - o->at.after;
  }
}
