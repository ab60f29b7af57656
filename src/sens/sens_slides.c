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

/* Whether cables press it. */
static int is_pressed(const model *o, const slide *y) {
  return !y->contact && !(o->m.drum[y->drum].of->bearing_load >= 0);
}

/* Its numbers in theta, and the parameters of its law. */
static int theta_of(const model *o, int i) { return o->at.slide_theta + i * TH_SLIDE; }

static int law_theta(const model *o, int i) {
  const slide *y = &o->m.slide[i];
  if (!y->contact) return theta_of(o, i) + TH_SLIDE_LAW;
  return o->at.numbers + cps_numbers_layout(o->m.system).contact + CONTACT_NUMBERS * y->index + CONTACT_LAW;
}

/* What cables press on the drum of a bearing with; its size. */
static double push_of(const model *o, int drum_of, double *push) {
  memcpy(push, o->m.drum[drum_of].push, 3 * sizeof *push);
  return sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
}

static void look(const model *o, int i, double t, sliding_now *s) {
  const slide *y = &o->m.slide[i];
  memset(s, 0, sizeof *s);
  for (int k = 0; k < 2; k++) {
    if (y->at[k] < 0) continue;
    const dof *f = &o->m.free[y->at[k]];
    s->x += factor_of(y, k) * *f->q;
    s->v += factor_of(y, k) * *f->v;
    s->a += factor_of(y, k) * *f->a;
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
    s->load = push_of(o, y->drum, s->push);
  } else {
    s->load = o->m.drum[y->drum].of->bearing_load;
  }
}

/* ------------------------------------------------------------------ what its equation consists of */

static void by_theta(const tangent_sink *k, int row, int theta, double by) {
  k->add(k, row, BY_THETA, theta, by);
}

/* Its velocity (1) or acceleration (2). */
static void by_motion(model *o, const tangent_sink *k, int row, int i, int rate, double by) {
  const slide *y = &o->m.slide[i];
  if (y->contact) {
    const body_point at = cps_border_point(o);
    cps_tangent_sliding(&at, k, row, y->index, rate, by);
    return;
  }
  const dof *angle = &o->m.free[y->at[0]];
  k->add(k, row, BY_UNKNOWN + rate, y->at[0], by * y->factor[0]);
  by_theta(k, row, theta_of(o, i) + TH_FACTOR, by * (rate == 1 ? *angle->v : *angle->a));
}

/* The mass that the balance force is scaled by: of a bearing a number, else 1/m = sum of 1/m of bodies that are free. */
static void by_mass(model *o, const tangent_sink *k, int row, int i, double by) {
  const slide *y = &o->m.slide[i];
  const body_point at = cps_border_point(o);
  if (y->contact)
    cps_tangent_mass(&at, k, row, y->index, by);
  else
    by_theta(k, row, theta_of(o, i) + TH_SLIDE_MASS, by);
}

/* The normal force, unless cables press it. */
static void by_normal(model *o, const tangent_sink *k, int row, int i, double by) {
  const slide *y = &o->m.slide[i];
  const body_point at = cps_border_point(o);
  if (y->contact)
    cps_tangent_normal(&at, k, row, y->index, by);
  else
    by_theta(k, row, theta_of(o, i) + TH_SLIDE_LOAD, by);
}

/* The normal force, whatever presses it. */
static void by_load(model *o, const sink *to, int row, int i, const sliding_now *s, double by) {
  const slide *y = &o->m.slide[i];
  double along[3];
  if (by == 0) return;
  if (!is_pressed(o, y)) {
    by_normal(o, &to->k, row, i, by);
  } else if (s->load > 0) {
    for (int d = 0; d < 3; d++) along[d] = by * s->push[d] / s->load;
    cps_put_push(to, row, y->drum, along);
  }
}

static void rub_memory(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, friction *r,
                       friction_numbers *of);

/* The equation as Newton's method has it; returns its derivative by place. */
static double rub_as(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, friction *r,
                     friction_numbers *of) {
  slide *y = &o->m.slide[i];
  contact_point p = y->p;
  p.n = s->load;
  p.f[0] = *o->m.free[y->f_at].q;
  memset(of, 0, sizeof *of);
  if (coeffs->bristle > 0) return cps_slide_rub(y, coeffs, p.n, p.f[0], s->x, s->v, s->a, r);
  const slip_motion x = cps_slide_motion(y, coeffs, s->load, s->v, s->a);
  cps_friction_found(&y->law, &p, &x, r);
  cps_friction_numbers(&y->law, &p, &x, r, of);
  return 0;
}

/* Where a spring of statics takes hold, and what of it gives way. */
static void add_spring(const sink *to, int i, const sliding_now *s, double k) {
  model *o = to->o;
  const slide *y = &o->m.slide[i];
  int theta = theta_of(o, i), law = law_theta(o, i), row = y->f_at;
  double pull = -to->coeffs->rail * (s->x - y->start), by[CPS_MAX_PARAMS];
  if (k == 0) {
    double side = copysign(1, pull);
    if (y->law.hold >= 0)
      cps_put_number(to, row, theta + TH_SLIDE_HOLD, -side * s->load);
    else
      cps_holds_by(&y->law, s->load, by);
    for (int n = 0; n < y->law.law->n_params && y->law.hold < 0; n++)
      cps_put_number(to, row, law + n, -side * by[n]);
    return;
  }
  for (int n = 0; n < 2; n++)
    if (y->at[n] >= 0) cps_put_unknown(to, row, y->at[n], k * factor_of(y, n), 1, 0, 0);
  if (!y->contact) cps_put_number(to, row, theta + TH_FACTOR, k * *o->m.free[y->at[0]].q);
  cps_put_number(to, row, o->at.grip, -pull / o->m.grip); /* k is in proportion to it */
  cps_entries_add(&o->now, o->at.right + o->at.border_rhs + row, o->at.before + o->at.slide_start + i, k);
}

/* The law. */
static void add_friction(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, int balance) {
  const slide *y = &o->m.slide[i];
  const sink to = cps_sink_equations(o, coeffs, balance);
  int row = y->f_at, law = law_theta(o, i), springs = coeffs->bristle > 0;
  double by_x = 0;
  friction r;
  friction_numbers of;
  if (!springs && (y->law.kind == LAW_MEMORY || (y->contact && y->held)))
    rub_memory(o, i, s, coeffs, &r, &of);
  else
    by_x = rub_as(o, i, s, coeffs, &r, &of);
  if (r.by_f[0][0] == 0 && y->held) { /* it keeps what it has */
    o->border.braked[row] = 1;
    return;
  }
  cps_put_unknown(&to, row, row, r.by_f[0][0], 1, 0, 0);
  by_motion(o, &to.k, row, i, 1, r.by_v[0][0]);
  by_motion(o, &to.k, row, i, 2, r.by_a[0][0]);
  by_mass(o, &to.k, row, i, of.mass[0]);
  by_theta(&to.k, row, theta_of(o, i) + TH_SLIDE_VISCOUS, of.viscous[0]);
  for (int k = 0; k < y->law.law->n_params; k++) by_theta(&to.k, row, law + k, of.law[0][k]);
  by_load(o, &to, row, i, s, r.by_n[0]);
  if (springs) add_spring(&to, i, s, by_x);
}

void cps_slides_own(model *o, const step_coeffs *coeffs, int balance) {
  const sink to = cps_sink_equations(o, coeffs, balance);
  for (int i = 0; i < o->m.n_slides; i++) {
    const slide *y = &o->m.slide[i];
    sliding_now s;
    look(o, i, coeffs->t, &s);
    add_friction(o, i, &s, coeffs, balance);
    for (int k = 0; k < 2; k++)
      if (y->at[k] >= 0) cps_put_unknown(&to, y->at[k], y->f_at, -factor_of(y, k), 1, 0, 0);
    if (!y->contact) cps_put_number(&to, y->at[0], theta_of(o, i) + TH_FACTOR, -*o->m.free[y->f_at].q);
  }
}

void cps_slides_hold(model *o) {
  const machine *m = &o->m;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    int row = o->at.after + o->at.slide_start + i, border = o->at.before + o->at.border;
    int theta = theta_of(o, i) + TH_FACTOR;
    for (int k = 0; k < 2; k++)
      if (y->at[k] >= 0) cps_entries_add(&o->list, row, border + y->at[k], factor_of(y, k));
    cps_entries_add(&o->list, row, border + y->f_at, 1 / cps_rail_grip(m->grip));
    cps_by_theta(o, &o->list, row, theta, *m->free[y->at[0]].q);
    cps_by_theta(o, &o->list, row, o->at.grip, -*m->free[y->f_at].q / (cps_rail_grip(m->grip) * m->grip));
  }
}

/* ------------------------------------------------------------------ works and columns */

void cps_slides_works(model *o) {
  const machine *m = &o->m;
  int first = o->at.after + o->at.works;
  border_step x;
  cps_border_step_rows(o, &x);
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    if (y->contact) {
      cps_tangent_friction_work(&x.step, first + WK_FRICTION, y->index);
      cps_tangent_friction_work(&x.step, first + o->at.rubs + y->index, y->index);
      continue;
    }
    const dof *force = &m->free[y->f_at], *angle = &m->free[y->at[0]];
    double mean = (*force->q + *force->q0) / 2, turned = *angle->q - *angle->q0;
    for (int after = 0; after < 2; after++) {
      const tangent_sink *k = &x.sink[after].k;
      k->add(k, first + WK_FRICTION, BY_UNKNOWN, y->at[0], (after ? -mean : mean) * y->factor[0]);
      k->add(k, first + WK_FRICTION, BY_UNKNOWN, y->f_at, -turned * y->factor[0] / 2);
    }
    by_theta(&x.sink[1].k, first + WK_FRICTION, theta_of(o, i) + TH_FACTOR, -mean * turned);
  }
}

void cps_slide_column(model *o, entries *list, int row, int i, int what, double by) {
  const slide *y = &o->m.slide[i];
  const sink to = cps_sink_list(o, list, 0);
  sliding_now s;
  look(o, i, o->m.audited, &s);
  if (what == SLIDE_F || what == SLIDE_BALANCE) to.k.add(&to.k, row, BY_UNKNOWN, y->f_at, by);
  if (what == SLIDE_BALANCE) { /* f - m a */
    by_motion(o, &to.k, row, i, 2, -by * y->p.mass);
    by_mass(o, &to.k, row, i, -by * s.a);
  }
  if (what == SLIDE_V) by_motion(o, &to.k, row, i, 1, by);
  if (what == SLIDE_N) by_load(o, &to, row, i, &s, by);
}

/* ------------------------------------------------------------------ laws with memory */

/* The first of its states among all. */
static int first_of(const model *o, int i) {
  int n = o->at.slide_memory;
  for (int k = 0; k < i; k++) n += o->m.slide[k].law.law->n_states;
  return n;
}

int cps_slide_first_state(const model *o, int i) { return o->at.z + first_of(o, i); }

int cps_slide_star(const model *o, int i) { return o->at.z_star + first_of(o, i); }

void cps_slide_look(const model *o, int i, cps_law_input *in, double *a) {
  const slide *y = &o->m.slide[i];
  sliding_now s;
  look(o, i, o->looked, &s);
  in->v = s.v;
  in->n = s.load;
  in->f_eq = y->held ? 0 : *o->m.free[y->f_at].q - y->p.mass * s.a;
  *a = s.a;
}

static void recall_slide(const model *o, int i, const sliding_now *s, double z_s, recall *out) {
  const slide *y = &o->m.slide[i];
  int held = y->contact && y->held; /* there is nothing to balance */
  double e = held ? 0 : *o->m.free[y->f_at].q - y->p.mass * s->a;
  cps_recall_law(&y->law, &y->y, 0, y->p.mode0[0], s->v, s->load, e, z_s, out);
  if (!held) return;
  out->f.e = 0;
  for (int k = 0; k < y->law.law->n_states; k++) out->z[k].e = out->z_t[k].e = 0;
}

/* f = F(v, f - m a, N, z), where states z follow from the others and from where they start. */
static void rub_memory(model *o, int i, const sliding_now *s, const step_coeffs *coeffs, friction *r,
                       friction_numbers *of) {
  const slide *y = &o->m.slide[i];
  int star = cps_slide_star(o, i);
  recall x;
  recall_slide(o, i, s, cps_memory_time(&o->m.slide[i].law, coeffs), &x);
  memset(r, 0, sizeof *r);
  memset(of, 0, sizeof *of);
  cps_recall_rub(&y->law, &x.f, y->p.mass, s->a, 0, r, of);
  for (int k = 0; k < y->law.law->n_states; k++)
    cps_entries_add(&o->now, o->at.right + o->at.border_rhs + y->f_at, star + k, x.f.star[k]);
}

/* A row of its law by everything that is not a state. */
static void by_recall(model *o, entries *list, int row, int i, const sliding_now *s, const recall_row *x) {
  const slide *y = &o->m.slide[i];
  const sink to = cps_sink_list(o, list, 0);
  int law = law_theta(o, i);
  by_motion(o, &to.k, row, i, 1, x->v);
  by_motion(o, &to.k, row, i, 2, -x->e * y->p.mass);
  by_mass(o, &to.k, row, i, -x->e * s->a);
  to.k.add(&to.k, row, BY_UNKNOWN, y->f_at, x->e + x->f);
  by_load(o, &to, row, i, s, x->n);
  for (int k = 0; k < y->law.law->n_params; k++) by_theta(&to.k, row, law + k, x->p[k]);
}

/* Entries of the list from `start` on by the state before, which that after it replaces. */
static void take_before(model *o, int start) {
  for (int k = start; k < o->list.n; k++) {
    entry *e = &o->list.e[k];
    if (e->column >= o->at.after && e->column < o->at.after + o->at.states)
      e->column += o->at.before - o->at.after;
  }
}

void cps_slide_row(model *o, int i, int row, const recall_row *x) {
  int start = o->list.n;
  sliding_now s;
  look(o, i, o->looked, &s);
  by_recall(o, &o->list, row, i, &s, x);
  take_before(o, start);
}

void cps_slide_states(model *o, int i, const step_coeffs *coeffs, int balance) {
  const slide *y = &o->m.slide[i];
  int n = y->law.law->n_states, first = first_of(o, i);
  sliding_now s;
  recall x;
  if (n == 0) return;
  look(o, i, coeffs->t, &s);
  recall_slide(o, i, &s, cps_memory_time(&o->m.slide[i].law, coeffs), &x);
  if (!balance && !y->law.located)
    cps_recall_settle(&y->law, s.v, s.load, *o->m.free[y->f_at].q, x.mode, x.states, x.z);
  for (int k = 0; k < n; k++)
    for (int rate = 0; rate < 2; rate++) {
      const recall_row *of = rate ? &x.z_t[k] : &x.z[k];
      int row = o->at.after + (rate ? o->at.z_t : o->at.z) + first + k;
      for (int j = 0; j < n; j++) cps_entries_add(&o->recall, row, o->at.z_star + first + j, of->star[j]);
      by_recall(o, &o->recall, row, i, &s, of);
    }
}

void cps_slide_hold(model *o, int i) {
  const slide *y = &o->m.slide[i];
  int n = y->law.law->n_states, start = o->list.n;
  sliding_now s;
  recall_row z[CPS_MAX_STATES];
  if (n == 0) return;
  look(o, i, o->m.of->run.from, &s);
  if (!(s.load > 0)) return;
  cps_recall_pull(&y->law, s.load, *o->m.free[y->f_at].q, z);
  for (int k = 0; k < n; k++) {
    recall_row x = z[k];
    x.f = x.e; /* at rest */
    x.e = 0;
    by_recall(o, &o->list, o->at.after + cps_slide_first_state(o, i) + k, i, &s, &x);
  }
  take_before(o, start);
}
