/* sens_memory.c - friction laws with memory at contact points of cables, differentiated.
 *
 * A solve starts from z_star and ends with z = z_star + z_s Z(v, N, e, z), f = F(v, N, e, z). Eliminated as in the run,
 *
 *   dz = (1 - z_s Z_z)^-1 (dz_star + z_s (Z_v dv + Z_N dN + Z_e de + Z_p dp)),
 *
 * which makes f a function of v, N, e, z_star and p. The mode is that of the step. After a step the law settles: where guards have
 * fired, states jump, and tangents with them.
 */
#include "sens_chain.h"

/* ------------------------------------------------------------------ rows */

void cps_recall_law(const contact_law *l, const contact_memory *y, int axis, int mode, double v, double load,
                    double e, double z_s, recall *o) {
  double guess[CPS_MAX_STATES] = {0};
  int n = l->law->n_states;
  memory_path path;
  if (l->drags) { /* what creeps does not ask for the balance force, nor for a mode */
    e = 0;
    mode = CPS_MODE_FREE;
  }
  for (int i = 0; i < n; i++) guess[i] = y->z_star[axis][i] + z_s * y->z_t[axis][i];
  cps_memory_advance(l, v, load, e, mode, guess, y->z_star[axis], z_s, &path);
  cps_memory_rows_of(l, v, load, e, &path, 1, &o->f, o->z, NULL);
  const memory_piece *last = &path.piece[path.n - 1];
  memcpy(o->states, last->z, sizeof o->states);
  o->mode = path.mode;
  cps_law_input in = {v, load, e, o->states, last->mode};
  cps_law_output out;
  cps_law_jacobian jac;
  int one_rate = path.n == 1 && !path.slid;
  if (one_rate) cps_law_eval(l->law, l->p, &in, &out, &jac);
  for (int i = 0; i < n; i++) {
    if (one_rate) {
      cps_memory_chain(l->law, &jac.z_t[i], o->z, 1, &o->z_t[i]);
    } else { /* z_t = (z - z_star)/z_s */
      recall_row *row = &o->z_t[i];
      *row = o->z[i];
      row->star[i] -= 1;
      row->v /= z_s;
      row->n /= z_s;
      row->e /= z_s;
      for (int k = 0; k < n; k++) row->star[k] /= z_s;
      for (int k = 0; k < l->law->n_params; k++) row->p[k] /= z_s;
    }
    if (!l->drags) continue;
    o->z[i].e = o->z_t[i].e = 0;
  }
  if (l->drags) o->f.e = 0;
}

void cps_recall_rub(const contact_law *l, const recall_row *f, double mass, double a, int i, friction *o,
                    friction_numbers *of) {
  o->by_f[i][i] = 1 - f->e;
  o->by_v[i][i] = -f->v;
  o->by_a[i][i] = f->e * mass;
  o->by_n[i] = -f->n;
  of->mass[i] = f->e * a;
  for (int k = 0; k < l->law->n_params; k++) of->law[i][k] = -f->p[k];
}

void cps_recall(const cable *c, int point, int axis, const contact_tangent *s, double z_s, recall *o) {
  const contact_point *p = &c->point[point];
  cps_recall_law(&c->contact, &c->memory[point], axis, p->mode0[axis], s->slide_v[axis], s->load,
                 s->f[axis] - p->mass * s->slide_a[axis], z_s, o);
}

void cps_recall_settle(const contact_law *l, double v, double n, double f, int mode, double *z,
                       recall_row *rows) {
  const cps_law *law = l->law;
  if (mode < 0 || !law->n_modes || !law->guards) return;
  for (int round = 0; round < 4 * CPS_MAX_GUARDS; round++) {
    cps_law_input in = {v, n, f, z, mode};
    double g[CPS_MAX_GUARDS], next[CPS_MAX_STATES];
    cps_partials by[CPS_MAX_STATES];
    recall_row moved[CPS_MAX_STATES];
    int fired = -1;
    cps_law_guards(law, l->p, &in, g, NULL);
    for (int i = 0; i < law->n_guards && fired < 0; i++)
      if (g[i] < 0) fired = i;
    if (fired < 0) return;
    mode = cps_law_transition(law, l->p, &in, fired, next, by);
    for (int i = 0; i < law->n_states; i++) {
      cps_memory_chain(law, &by[i], rows, 1, &moved[i]);
      moved[i].f += by[i].f_eq; /* it is told the friction force, not the balance force */
      moved[i].e -= by[i].f_eq;
    }
    memcpy(rows, moved, (size_t)law->n_states * sizeof *rows);
    memcpy(z, next, (size_t)law->n_states * sizeof *z);
  }
}

/* ------------------------------------------------------------------ entries */

/* Number of the first state of a point in one direction. */
static int first_of(const model *o, int cable_of, int point, int axis) {
  const cable *c = &o->m.cable[cable_of];
  return o->at.cable[cable_of].memory + (point * (c->dim - 1) + axis) * c->contact.law->n_states;
}

void cps_memory_rows(model *o, int cable_of, int point, const step_coeffs *coeffs) {
  const cable *c = &o->m.cable[cable_of];
  const contact_tangent *s = &o->contact[cable_of][point];
  if (coeffs->bristle > 0) return;
  for (int a = 0; a < c->dim - 1; a++) {
    int row = cps_model_friction_row(o, cable_of, point, a),
        star = o->at.z_star + first_of(o, cable_of, point, a);
    recall y;
    cps_recall(c, point, a, s, cps_memory_time(&c->contact, coeffs), &y);
    for (int k = 0; k < c->contact.law->n_states; k++) cps_entries_add(&o->now, row, star + k, y.f.star[k]);
  }
}

/* Rows of states and their rates. What touches nothing keeps its states, whose rows by them are in `star`. */
static void add_states(model *o, int cable_of, int point, int axis, const step_coeffs *coeffs, int balance) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  const contact_point *p = &c->point[point];
  const contact_tangent *s = &o->contact[cable_of][point];
  const point_row to = {cps_sink_list(o, &o->recall, 0), cable_of, point, s};
  int n = c->contact.law->n_states, first = first_of(o, cable_of, point, axis), touches = s->drum >= 0;
  recall y;
  if (touches) {
    cps_recall(c, point, axis, s, cps_memory_time(&c->contact, coeffs), &y);
  } else {
    for (int k = 0; k < n; k++) {
      y.z[k] = (recall_row){.v = 0};
      y.z[k].star[k] = 1;
      y.states[k] = c->memory[point].z_star[axis][k];
    }
    y.mode = p->mode0[axis];
  }
  if (!balance)
    cps_recall_settle(&c->contact, touches ? s->slide_v[axis] : 0, s->load, s->f[axis], y.mode, y.states,
                      y.z);
  for (int k = 0; k < n; k++)
    for (int rate = 0; rate < (touches ? 2 : 1); rate++) {
      const recall_row *x = rate ? &y.z_t[k] : &y.z[k];
      int row = o->at.after + (rate ? o->at.z_t : o->at.z) + first + k;
      int from = (touches ? o->at.z_star : o->at.before + o->at.z) + first;
      for (int j = 0; j < n; j++) cps_entries_add(&o->recall, row, from + j, x->star[j]);
      if (touches) {
        tangent_row all_of;
        cps_contact_tangent_recall(&o->m, c, p, s, axis, x, &all_of);
        cps_put_point(&to, row, &all_of, 1);
      } else {
        for (int j = 0; j < c->contact.law->n_params; j++)
          cps_by_theta(o, &o->recall, row, at->theta + TH_LAW + j, x->p[j]);
      }
    }
}

void cps_memory_states(model *o, const step_coeffs *coeffs, int balance) {
  o->recall.n = 0;
  for (int i = 0; i < o->m.n_cables && !(coeffs->bristle > 0); i++)
    for (int k = 0; o->m.cable[i].memory && k < o->m.cable[i].n_points; k++)
      for (int a = 0; a < o->m.dim - 1; a++) add_states(o, i, k, a, coeffs, balance);
  if (o->at.zs > o->at.slide_memory) cps_border_look(o, coeffs->t);
  for (int i = 0; i < o->m.n_slides && !(coeffs->bristle > 0); i++) cps_slide_states(o, i, coeffs, balance);
}

void cps_memory_begin(model *o, const step_coeffs *coeffs) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    for (int k = 0; c->memory && k < c->n_points; k++)
      cps_contact_tangent_eval(&o->m, c, &c->point[k], coeffs, &o->contact[i][k]);
  }
  cps_memory_states(o, coeffs, 1);
}

/* ------------------------------------------------------------------ statics */

void cps_recall_pull(const contact_law *l, double n, double f, recall_row *z) {
  const cps_law *law = l->law;
  pull path[PULLS];
  double crawl = cps_memory_crawl(f), states[CPS_MAX_STATES], rest_z[CPS_MAX_STATES] = {0};
  int holds, pulls = cps_memory_pull(l, n, f, states, path, &holds);
  cps_law_output out;
  cps_law_jacobian jac;
  memset(z, 0, (size_t)law->n_states * sizeof *z);
  if (pulls == 0) { /* nothing to hold: a pull of no length */
    cps_law_input in = {crawl, n, f, states, CPS_MODE_FREE};
    path[0].mode = law->n_modes ? cps_law_mode(law, l->p, &in) : CPS_MODE_FREE;
    path[0].length = 0;
    memcpy(path[0].z, states, sizeof states);
    pulls = holds = 1;
  }
  for (int i = 0; i < pulls; i++) {
    recall_row step[CPS_MAX_STATES], unused, after[CPS_MAX_STATES];
    memory_path of;
    double z_time[CPS_MAX_STATES];
    cps_memory_pull_path(l, n, f, i > 0 ? path[i - 1].z : rest_z, path[i].length, path[i].mode, &of);
    cps_memory_rows_of(l, crawl, n, f, &of, 1, &unused, step, z_time);
    for (int k = 0; k < law->n_states; k++) {
      after[k] = step[k];
      after[k].v = i == pulls - 1 ? z_time[k] : 0; /* by the time of the last pull, in place of v */
      memset(after[k].star, 0, sizeof after[k].star);
      for (int j = 0; j < law->n_states; j++) {
        after[k].n += step[k].star[j] * z[j].n;
        after[k].e += step[k].star[j] * z[j].e;
        for (int m = 0; m < law->n_params; m++) after[k].p[m] += step[k].star[j] * z[j].p[m];
      }
    }
    for (int k = 0; k < law->n_states; k++) z[k] = after[k];
  }
  /* z_s so that F(0, n, f, z) = f */
  cps_law_input in = {0, n, f, path[pulls - 1].z, CPS_MODE_FREE};
  recall_row rest;
  cps_law_eval(law, l->p, &in, &out, &jac);
  jac.f.v = 0;
  cps_memory_chain(law, &jac.f, z, 1, &rest);
  rest.e -= 1;
  double by = rest.v;
  for (int k = 0; k < law->n_states; k++) {
    double per = holds && by != 0 ? -z[k].v / by : 0;
    z[k].v = 0;
    z[k].n += per * rest.n;
    z[k].e += per * rest.e;
    for (int j = 0; j < law->n_params; j++) z[k].p[j] += per * rest.p[j];
  }
}

void cps_memory_hold(model *o) {
  const machine *m = &o->m;
  o->list.n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; c->memory && k < c->n_points; k++) {
      contact_tangent s;
      cps_contact_tangent_place(m, c, &c->point[k], &s);
      if (s.drum < 0 || !(s.load > 0)) continue;
      point_row to = {cps_sink_list(o, &o->list, 0), i, k, &s};
      to.to.state = o->at.before;
      for (int a = 0; a < m->dim - 1; a++) {
        recall_row z[CPS_MAX_STATES];
        cps_recall_pull(&c->contact, s.load, s.f[a], z);
        for (int j = 0; j < c->contact.law->n_states; j++) {
          tangent_row x;
          recall_row y = z[j];
          y.f = y.e;
          y.e = 0;
          cps_contact_tangent_recall(m, c, &c->point[k], &s, a, &y, &x);
          cps_put_point(&to, o->at.after + o->at.z + first_of(o, i, k, a) + j, &x, 1);
        }
      }
    }
  }
  if (o->at.zs > o->at.slide_memory) cps_border_look(o, m->of->run.from);
  for (int i = 0; i < m->n_slides; i++) cps_slide_hold(o, i);
}
