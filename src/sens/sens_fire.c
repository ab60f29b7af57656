/* sens_fire.c - guards of laws with memory between bodies that end steps of machines (time/alpha.c), at times that parameters move.
 *
 * As for bodies alone (sens_jumps.c): a guard g vanishes where the step ends, so that its time changes by
 *
 *   tau = -(g_y s + g_p)/(g_y F0 + g_t)
 *
 * with the change of state s and the rates F0 before. The transition maps states of the law, y1 = R(y), and with the rates F1 after,
 *
 *   s1 = R_y (s + F0 tau) + R_p - F1 tau.
 *
 * Of places the rates are velocities, which do not jump; of velocities accelerations, of works powers. Accelerations and forces follow from their balance (OP_BEGIN). In the list of entries tau is
 * result 0, and new states wait where states start solves from.
 */
#include "sens_ops.h"

/* Guards that may fire one after the other at one time. */
enum { CHAIN = 4 * CPS_MAX_GUARDS };

/* A contact where a guard has fired: its law as it was before, and its states then. */
typedef struct fired {
  const slide *y;
  int i; /* among slides */
  cps_law_input in;
  double z[CPS_MAX_STATES], z_t[CPS_MAX_STATES], a;
} fired;

/* Adds up how fast what rows depend on changes. */
typedef struct rate_sink {
  tangent_sink k;
  model *o;
  double *sum;
} rate_sink;

static void add_rate(const tangent_sink *k, int row, int cause, int i, double by) {
  const rate_sink *x = (const rate_sink *)(const void *)k;
  const machine *m = &x->o->m;
  const cps_system *s = m->system;
  (void)row;
  if (cause == BY_PLACE) *x->sum += by * m->y[s->nx + i];
  if (cause == BY_VELOCITY) *x->sum += by * x->o->a[i];
  if (cause == BY_NORMAL)
    *x->sum += by * cps_profile_now(s->contacts[i].given, x->o->looked, m->forces.inputs).y_t;
  if (cause == BY_LOAD)
    *x->sum += by * cps_profile_now(s->loads[i].force, x->o->looked, m->forces.inputs).y_t;
  x->o->vague |= cause == BY_HUNG;
}

/* How fast the normal force of a contact changes, but for what cables press its body with. */
static double normal_rate(model *o, int contact, double by) {
  double sum = 0;
  const body_point at = cps_border_point(o);
  const rate_sink x = {{.add = add_rate}, o, &sum};
  cps_tangent_normal(&at, &x.k, 0, contact, by);
  return sum;
}

/* The next guard that fires on the way to mode `to`; -1: none does. */
static int next_guard(const contact_law *l, const cps_law_input *in, int to) {
  double g[CPS_MAX_GUARDS];
  int nearest = 0;
  cps_law_guards(l->law, l->p, in, g, NULL);
  for (int i = 0; i < l->law->n_guards; i++) {
    if (g[i] < 0) return i;
    if (fabs(g[i]) < fabs(g[nearest])) nearest = i;
  }
  return in->mode == to ? -1 : nearest; /* by a hair it has not */
}

/* What knows x, along time. How balance forces change is not known there. */
static double along(model *o, const fired *f, const cps_partials *x) {
  double sum = x->v * f->a + normal_rate(o, f->y->index, x->n);
  o->vague |= x->f_eq != 0;
  for (int j = 0; j < f->y->law.law->n_states; j++) sum += x->z[j] * f->z_t[j];
  return sum;
}

/* A row of the list by all that x knows, times `by`. */
static void put_row(model *o, const fired *f, int row, const cps_partials *x, double by) {
  int n = f->y->law.law->n_states;
  recall_row r = {.v = by * x->v, .n = by * x->n, .e = by * x->f_eq};
  for (int k = 0; k < f->y->law.law->n_params; k++) r.p[k] = by * x->p[k];
  cps_slide_row(o, f->i, row, &r);
  for (int j = 0; j < n; j++)
    cps_entries_add(&o->list, row, o->at.before + cps_slide_first_state(o, f->i) + j, by * x->z[j]);
}

/* The contact before its guards fire. z_s is that of the step that they end. */
static void look(model *o, int i, double z_s, fired *f) {
  const slide *y = &o->m.slide[i];
  cps_law_output out;
  memset(f, 0, sizeof *f);
  f->y = y;
  f->i = i;
  for (int k = 0; k < y->law.law->n_states; k++) f->z[k] = y->y.z_star[0][k] + z_s * y->y.z_t[0][k];
  f->in = (cps_law_input){.z = f->z, .mode = y->p.mode[0]};
  cps_slide_look(o, i, &f->in, &f->a);
  cps_law_eval(y->law.law, y->law.p, &f->in, &out, NULL);
  memcpy(f->z_t, out.z_t, (size_t)y->law.law->n_states * sizeof *f->z_t);
}

static void add_partials(const cps_law *law, cps_partials *to, const cps_partials *x, double by) {
  to->v += by * x->v;
  to->n += by * x->n;
  to->f_eq += by * x->f_eq;
  for (int k = 0; k < law->n_states; k++) to->z[k] += by * x->z[k];
  for (int k = 0; k < law->n_params; k++) to->p[k] += by * x->p[k];
}

/* Maps its states into the list: what they change by waits in z_star, and rates are those of new states along the flow before. */
static void map_states(model *o, const fired *f, int to, double *rate) {
  const cps_law *law = f->y->law.law;
  int n = law->n_states, star = cps_slide_star(o, f->i), at = o->at.before + cps_slide_first_state(o, f->i);
  cps_partials d[CPS_MAX_STATES] = {{0}}, last[CPS_MAX_STATES], step[CPS_MAX_STATES];
  double z[CPS_MAX_STATES], next[CPS_MAX_STATES];
  cps_law_input in = f->in;
  memcpy(z, f->z, sizeof z);
  in.z = z;
  for (int j = 0; j < n; j++) d[j].z[j] = 1;
  for (int m = 0, guard; m < CHAIN && (guard = next_guard(&f->y->law, &in, to)) >= 0; m++) {
    in.mode = cps_law_transition(law, f->y->law.p, &in, guard, next, step);
    memcpy(last, d, sizeof last);
    memcpy(z, next, (size_t)n * sizeof *z);
    for (int j = 0; j < n; j++) {
      d[j] = step[j];
      memset(d[j].z, 0, sizeof d[j].z);
      for (int k = 0; k < n; k++) add_partials(law, &d[j], &last[k], step[j].z[k]);
    }
  }
  for (int j = 0; j < n; j++) {
    rate[j] = along(o, f, &d[j]);
    d[j].z[j] -= 1;
    put_row(o, f, star + j, &d[j], 1);
  }
  for (int j = 0; j < n; j++) cps_entries_add(&o->list, at + j, star + j, 1);
}

/* Result 0 becomes tau, by the guard that fires first at this contact; 0 if that only grazes zero. */
static int put_time(model *o, const fired *f, int to) {
  const contact_law *l = &f->y->law;
  cps_partials x[CPS_MAX_GUARDS];
  double g[CPS_MAX_GUARDS];
  int guard = next_guard(l, &f->in, to);
  if (guard < 0) return 0;
  memset(x, 0, sizeof x);
  cps_law_guards(l->law, l->p, &f->in, g, x);
  double rate = along(o, f, &x[guard]);
  if (!(fabs(rate) > 0)) return 0;
  put_row(o, f, o->at.result, &x[guard], -1 / rate);
  return 1;
}

void cps_fire_modes(model *o, const machine *m) {
  for (int i = 0; i < m->n_slides; i++) o->next_mode[i] = m->slide[i].p.mode[0];
}

void cps_fire_look(model *o, const machine_op *what, int works) {
  const layout *l = &o->at;
  const machine *m = &o->m;
  size_t size = (size_t)(l->states + l->ds + l->n_works);
  int timed = 0;
  o->list.n = 0;
  memset(o->rates, 0, size * sizeof *o->rates);
  cps_border_look(o, what->coeffs.t);
  for (int i = 0; i < m->n_slides; i++) {
    fired f;
    if (!m->slide[i].law.located) continue;
    look(o, i, what->coeffs.z_s, &f);
    if (next_guard(&m->slide[i].law, &f.in, o->next_mode[i]) < 0) continue;
    if (!timed) timed = put_time(o, &f, o->next_mode[i]);
    map_states(o, &f, o->next_mode[i], o->rates + cps_slide_first_state(o, i));
    o->fired[i] = 1;
  }
  cps_model_rates(o, what->coeffs.t, works, o->rates);
}

/* Of number i of the state rates were one before, and are another one after. */
static void put_jump(model *o, int i) {
  const double *after = o->rates + o->at.states + o->at.ds + o->at.n_works;
  cps_entries_add(&o->list, o->at.before + i, o->at.result, o->rates[i] - after[i]);
}

void cps_fire_end(model *o, const machine_op *what, int works) {
  const layout *l = &o->at;
  const machine *m = &o->m;
  size_t size = (size_t)(l->states + l->ds + l->n_works);
  double *before = o->rates, *after = before + size;
  memset(after, 0, size * sizeof *after);
  cps_border_look(o, what->coeffs.t);
  cps_model_rates(o, what->coeffs.t, works, after);
  for (int i = 0; i < m->n_slides; i++) {
    int at = cps_slide_first_state(o, i);
    for (int k = 0; k < m->slide[i].law.law->n_states && o->fired[i]; k++)
      cps_entries_add(&o->list, l->before + at + k, l->result, before[at + k] - m->slide[i].y.z_t[0][k]);
    o->fired[i] = 0;
  }
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < l->cable[i].e; k++) put_jump(o, l->cable[i].v + k);
  for (int k = 0; k < m->nb; k++) put_jump(o, l->border + m->nb + k);
  for (int k = 0; k < l->n_works; k++) {
    size_t at = (size_t)(l->states + l->ds + k);
    cps_entries_add(&o->list, l->before + l->works + k, l->result, before[at] - after[at]);
  }
}
