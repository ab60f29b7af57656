/* sens_ops.c - tangents and adjoints of what happens to a machine: solves, and the linear maps between them. */
#include "sens_ops.h"

/* Where springs take hold: start = r + f t/grip, into the list, rows of the state after. */
static void linearise_hold(model *o) {
  const machine *m = &o->m;
  if (!(m->grip > 0)) o->m.grip = cps_machine_grip(m); /* as before anything was solved */
  o->list.n = 0;
  sink to = cps_sink_list(o, &o->list, 0);
  to.state = o->at.before;
  cps_slides_hold(o);
  for (int i = 0; i < m->n_drums; i++) { /* and where drums are meanwhile */
    int row = o->at.after + o->at.drum_start + 4 * i;
    if (m->drum[i].angle_at >= 0) cps_put_turn(&to, row, i, 1, 0, 0);
    for (int d = 0; d < m->dim && m->drum[i].carrier >= 0; d++)
      cps_put_center(&to, row + 1 + d, i, d, 1, 0, 0);
  }
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      contact_tangent s;
      cps_contact_tangent_place(m, c, p, &s);
      for (int d = 0; d < c->dim; d++) {
        int row = o->at.after + at->start + k * c->dim + d;
        for (int n = 0; n < 4; n++) {
          int node = p->node * c->b + n * c->dim, shape = at->p_shape + 4 * k + n;
          for (int e = 0; e < c->dim && p->shape[n] != 0; e++) {
            double by = (d == e) - (s.drum >= 0 ? s.f[0] / m->grip * s.n[d] * s.t[e] / s.rho : 0);
            cps_entries_add(&o->list, row, o->at.before + at->q + node + e, p->shape[n] * by);
            if (p->shape[0] != 1 && o->theta_varies[shape]) /* it lies elsewhere in a longer element */
              cps_entries_add(&o->list, row, o->at.theta + shape, by * c->q[node + e]);
          }
        }
        if (s.drum < 0) continue;
        const double *axis = m->drum[s.drum].axis;
        double pull = s.f[0] * s.t[d] + (c->dim == 3 ? s.f[1] * axis[d] : 0);
        int f = o->at.before + at->f + k * (c->dim - 1);
        cps_entries_add(&o->list, row, f, s.t[d] / m->grip);
        if (c->dim == 3) cps_entries_add(&o->list, row, f + 1, axis[d] / m->grip);
        for (int e = 0; e < c->dim; e++)
          cps_put_center(&to, row, s.drum, e, s.f[0] / m->grip * s.n[d] * s.t[e] / s.rho, 0, 0);
        cps_by_theta(o, &o->list, row, o->at.grip, -pull / (m->grip * m->grip));
      }
    }
  }
}

/* A step of bdf, or a part of one: what is solved there, and the works of what is passed. */
static int linearise_bdf(model *o, const machine_op *what, int works) {
  int good = 1;
  if (what->kind == OP_BDF || what->kind == OP_REACH)
    good = cps_model_linearise(o, &what->coeffs, 0);
  else if (what->kind == OP_BETWEEN && what->balanced)
    good = cps_model_linearise(o, &what->coeffs, 1);
  else
    cps_model_touch(o);
  if (what->kind == OP_REACH) cps_memory_states(o, &what->coeffs, 1);
  if (what->kind == OP_BETWEEN && !what->balanced && o->at.nb > 0) cps_border_tie(o);
  o->work.n = o->has_dense = 0;
  if (works && what->kind != OP_REACH) cps_model_works(o, what->coeffs.t, what->h, works > 1);
  return good;
}

static int linearise_begin(model *o, const machine_op *what) {
  if (what->balanced || what->stays) return cps_model_linearise(o, &what->coeffs, 1);
  if (o->at.nb > 0) cps_border_tie(o);
  cps_memory_begin(o, &what->coeffs);
  return 1;
}

/* Whether a body of the scenario is held in the machine's state. */
static int is_held(const machine *m, int body) {
  if (m->body_border[body] >= 0) return m->body[m->body_border[body]].held;
  if (m->body_cable[body] < 0) return 0;
  const cable *c = &m->cable[m->body_cable[body]];
  return c->fixed[m->body_end[body] ? c->n : 0] != 0;
}

/* Kinetic energy into row 0 of the results. */
static void linearise_kinetic(model *o, entries *list) {
  int row[3] = {o->at.result, -1, -1};
  list->n = 0;
  cps_model_energy(o, list, row);
}

void cps_op_look_held(model *o) {
  linearise_kinetic(o, &o->list);
  for (int i = 0; i < o->m.of->n_bodies; i++) o->released[i] = is_held(&o->m, i) != 0;
}

static void linearise_release(model *o) {
  linearise_kinetic(o, &o->work);
  for (int i = 0; i < o->m.of->n_bodies; i++) o->released[i] = o->released[i] && !is_held(&o->m, i);
  if (o->at.nb > 0) cps_border_tie(o);
}

int cps_op_linearise(model *o, const machine_op *what, int works) {
  int good = 1;
  if (what->kind == OP_SOLVE) {
    cps_machine_damp(&o->m, 0);
    good = cps_model_linearise(o, &what->coeffs, 0);
    cps_machine_damp(&o->m, 1);
  } else if (what->kind == OP_STEP) {
    good = cps_model_linearise(o, &what->coeffs, 0);
    o->work.n = o->has_dense = 0;
    if (works) cps_model_works(o, what->coeffs.t, what->h, works > 1);
  } else if (what->kind >= OP_BDF) {
    good = linearise_bdf(o, what, works);
  } else if (what->kind == OP_BEGIN) {
    good = linearise_begin(o, what);
  } else if (what->kind == OP_GUARD) {
    cps_fire_end(o, what, works);
    cps_border_tie(o);
  } else if (what->kind == OP_BALANCE) {
    good = cps_model_linearise(o, &what->coeffs, 1);
  } else if (what->kind == OP_SHIFT) {
    if (o->at.nb > 0) cps_border_tie(o);
    cps_model_shift(o, what->coeffs.t);
  } else if (what->kind == OP_START) {
    if (o->at.nb > 0) cps_border_tie(o);
  } else if (what->kind == OP_RELEASE) {
    linearise_release(o);
  } else if (what->kind == OP_HOLD) {
    linearise_hold(o);
  } else if (what->kind == OP_REMEMBER) {
    cps_memory_hold(o);
  } else if (what->kind == OP_INITIAL) {
    int row[3] = {o->at.result, o->at.result, o->at.result};
    o->list.n = 0;
    o->m.audited = o->m.of->run.from; /* bodies are looked at then */
    cps_model_energy(o, &o->list, row);
  }
  return good;
}

void cps_op_map(const model *o, const machine_op *what, int transposed, lanes *initial, lanes *z) {
  BEST_SWEEP(map, o, what, transposed, initial, z);
}
