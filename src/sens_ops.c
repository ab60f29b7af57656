/* sens_ops.c - tangents and adjoints of what happens to a machine: solves, and the linear maps between them. */
#include "sens_ops.h"

/* How w1 and w2 depend on q, v, aux, a before a solve: weights of each. */
typedef struct weights {
  double w1[4], w2[4];
  double v_q, a_q;
  haul_weights step;
} weights;

static weights weights_of(const model *o, const op *what) {
  double v_q = what->how.v_a / what->how.q_a, a_q = 1 / what->how.q_a, h = what->h;
  weights w = {.v_q = v_q, .a_q = a_q};
  if (what->kind == OP_STEP) {
    w.step = cps_haul_weights(&o->m, h);
    w.w1[0] = v_q;
    w.w1[1] = v_q * h - 1;
    w.w1[2] = v_q * w.step.q_aux - w.step.v_aux;
    w.w1[3] = v_q * w.step.q_a0 - w.step.v_a0;
    w.w2[0] = a_q;
    w.w2[1] = a_q * h;
    w.w2[2] = a_q * w.step.q_aux;
    w.w2[3] = a_q * w.step.q_a0 - 1;
  } else if (what->kind == OP_SOLVE) {
    w.w1[0] = v_q;
    w.w2[0] = a_q;
  } else { /* unknowns are changes of q */
    w.w1[1] = -1;
    w.w2[3] = -1;
  }
  return w;
}

static int is_fixed(const cable *c, int e, int j) { return c->fixed[e ? c->n : 0] >> j & 1; }

/* Whether coordinate j of an end is prescribed, and not only held. */
static int is_driven(const cable *c, int e, int j) { return j < c->dim && cps_drive_places(c, e, j); }

/* ------------------------------------------------------------------ linearising */

static void set_damping(machine *m, int on) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    c->section.rayleigh = on ? c->of->rayleigh : 0;
    c->section.axial_damping = c->extra.axial_damping = on ? c->of->axial_damping : 0;
    c->section.bending_damping = c->extra.bending_damping = on ? c->of->bending_damping : 0;
  }
}

/* Where springs take hold: start = r + f t/grip, into the list, rows of the state after. */
static void linearise_hold(model *o) {
  const machine *m = &o->m;
  o->list.n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      spot s;
      cps_spot_place(m, c, p, &s);
      for (int d = 0; d < c->dim; d++) {
        int row = o->at.after + at->start + k * c->dim + d;
        for (int n = 0; n < 4; n++) {
          int first = o->at.before + at->q + p->node * c->b + n * c->dim;
          cps_entries_add(&o->list, row, first + d, p->shape[n]);
          for (int e = 0; e < c->dim && s.drum >= 0; e++)
            cps_entries_add(&o->list, row, first + e,
                            -p->shape[n] * s.f[0] / m->grip * s.n[d] * s.t[e] / s.rho);
        }
        if (s.drum < 0) continue;
        const double *axis = m->drum[s.drum].axis;
        double pull = s.f[0] * s.t[d] + (c->dim == 3 ? s.f[1] * axis[d] : 0);
        int f = o->at.before + at->f + k * (c->dim - 1);
        cps_entries_add(&o->list, row, f, s.t[d] / m->grip);
        if (c->dim == 3) cps_entries_add(&o->list, row, f + 1, axis[d] / m->grip);
        for (int e = 0; e < c->dim; e++) {
          int center = o->at.drum_d + s.drum * DY_DRUM + DY_CENTER + e;
          if (o->d_varies[center])
            cps_entries_add(&o->list, row, o->at.d + center, s.f[0] / m->grip * s.n[d] * s.t[e] / s.rho);
        }
        if (o->theta_varies[o->at.grip])
          cps_entries_add(&o->list, row, o->at.theta + o->at.grip, -pull / (m->grip * m->grip));
      }
    }
  }
}

int cps_op_linearise(model *o, const op *what, int works) {
  int good = 1;
  if (what->kind == OP_SOLVE) {
    set_damping(&o->m, 0);
    good = cps_model_linearise(o, &what->how, 0);
    set_damping(&o->m, 1);
  } else if (what->kind == OP_STEP) {
    good = cps_model_linearise(o, &what->how, 0);
    o->work.n = 0;
    if (works) cps_model_works(o, what->h, works > 1);
  } else if (what->kind == OP_BEGIN && what->balanced) {
    good = cps_model_linearise(o, &what->how, 1);
  } else if (what->kind == OP_HOLD) {
    linearise_hold(o);
  } else if (what->kind == OP_INITIAL) {
    int row[3] = {o->at.result, o->at.result, o->at.result};
    o->list.n = 0;
    cps_model_energy(o, &o->list, row);
  }
  return good;
}

/* ------------------------------------------------------------------ forward */

static void copy(lanes *z, int to, int from, int n) { memcpy(z + to, z + from, (size_t)n * sizeof *z); }

static void clear(lanes *z, int at, int n) { memset(z + at, 0, (size_t)n * sizeof *z); }

/* Ends and rims are moved to where they are prescribed. */
static void move_forward(const model *o, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->dim; j++) {
        int k = (e ? c->n : 0) * c->b + j, d = o->at.d + at->end + e * DY_END + j;
        if (!is_driven(c, e, j)) continue;
        z[o->at.before + at->q + k] = z[d + DY_Q];
        z[o->at.before + at->v + k] = z[d + DY_V];
        z[o->at.before + at->a + k] = z[d + DY_A];
      }
  }
}

static void predict_forward(const model *o, const op *what, const weights *w, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    const lanes *q = z + o->at.before + at->q, *v = z + o->at.before + at->v,
                *aux = z + o->at.before + at->aux, *a = z + o->at.before + at->a;
    lanes *w1 = z + o->at.w1 + at->w, *w2 = z + o->at.w2 + at->w;
    for (int k = 0; k < at->e; k++) {
      w1[k] = all(w->w1[0]) * q[k] + all(w->w1[1]) * v[k] + all(w->w1[2]) * aux[k] + all(w->w1[3]) * a[k];
      w2[k] = all(w->w2[0]) * q[k] + all(w->w2[1]) * v[k] + all(w->w2[2]) * aux[k] + all(w->w2[3]) * a[k];
    }
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        int k = (e ? c->n : 0) * c->b + j;
        if (!is_fixed(c, e, j) || what->kind == OP_BEGIN) continue;
        const lanes *d = z + o->at.d + at->end + e * DY_END + j;
        int driven = what->kind == OP_STEP && is_driven(c, e, j);
        lanes place = driven ? d[DY_Q] : q[k];
        lanes fast = driven ? d[DY_V] : what->kind == OP_SOLVE ? v[k] : all(0);
        lanes faster = driven ? d[DY_A] : what->kind == OP_SOLVE ? a[k] : all(0);
        w1[k] = all(w->v_q) * place - fast;
        w2[k] = all(w->a_q) * place - faster;
      }
  }
}

/* Rows that say what an unknown is. */
static void given_forward(const model *o, const op *what, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        if (!is_fixed(c, e, j)) continue;
        int node = e ? c->n : 0;
        lanes *row = z + cps_model_row(o, i, node, j);
        if (what->kind == OP_BEGIN)
          *row = all(0);
        else if (what->kind == OP_STEP && is_driven(c, e, j))
          *row = z[o->at.d + at->end + e * DY_END + DY_Q + j];
        else
          *row = z[o->at.before + at->q + node * c->b + j];
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1 && o->spot[i][k].drum >= 0 && o->spot[i][k].open; n++)
        z[cps_model_friction_row(o, i, k, n)] = z[o->at.before + at->f + k * (c->dim - 1) + n];
  }
}

static void unknowns_forward(const model *o, const op *what, const weights *w, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    int balance = what->kind == OP_BEGIN;
    const lanes *x = z + o->at.right + at->rhs;
    const lanes *w1 = z + o->at.w1 + at->w, *w2 = z + o->at.w2 + at->w, *q0 = z + o->at.before + at->q,
                *a0 = z + o->at.before + at->a, *aux0 = z + o->at.before + at->aux;
    lanes *q = z + o->at.after + at->q, *v = z + o->at.after + at->v, *a = z + o->at.after + at->a,
          *aux = z + o->at.after + at->aux;
    int wide = c->b + c->slots;
    for (int node = 0; node <= c->n; node++)
      for (int j = 0; j < c->b; j++) {
        int k = node * c->b + j;
        lanes now = x[node * wide + j];
        q[k] = balance ? q0[k] + now : now;
        v[k] = all(w->v_q) * now - w1[k];
        a[k] = all(w->a_q) * now - w2[k];
        aux[k] = balance ? a[k]
                 : what->kind == OP_SOLVE
                     ? aux0[k]
                     : all(w->step.by_a) * a[k] + all(w->step.by_a0) * a0[k] + all(w->step.by_aux) * aux0[k];
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1; n++)
        z[o->at.after + at->f + k * (c->dim - 1) + n] = z[cps_model_friction_row(o, i, k, n)];
    copy(z, o->at.after + at->start, o->at.before + at->start, c->n_points * c->dim);
  }
}

static void solve_forward(const model *o, const op *what, lanes *z) {
  weights w = weights_of(o, what);
  if (what->kind == OP_BEGIN) move_forward(o, z);
  if (what->kind == OP_BEGIN && !what->balanced) {
    for (int i = 0; i < o->m.n_cables; i++)
      copy(z, o->at.before + o->at.cable[i].aux, o->at.before + o->at.cable[i].a, o->at.cable[i].e);
    return;
  }
  predict_forward(o, what, &w, z);
  clear(z, o->at.right, o->at.rhs);
  cps_entries_apply(&o->mass, z);
  if (what->kind != OP_SOLVE) cps_entries_apply(&o->damping, z);
  cps_entries_apply(&o->now, z);
  given_forward(o, what, z);
  for (int i = 0; i < o->m.n_cables; i++)
    cps_chain_solve(&o->matrix[i], z + o->at.right + o->at.cable[i].rhs);
  unknowns_forward(o, what, &w, z);
  copy(z, o->at.after + o->at.works, o->at.before + o->at.works, o->at.states - o->at.works);
  if (what->kind == OP_STEP) cps_entries_apply(&o->work, z);
  copy(z, o->at.before, o->at.after, o->at.states);
}

void cps_op_forward(const model *o, const op *what, const lanes *initial, lanes *z) {
  const layout *l = &o->at;
  if (what->kind == OP_SOLVE || what->kind == OP_BEGIN || what->kind == OP_STEP) {
    solve_forward(o, what, z);
    return;
  }
  if (what->kind == OP_INITIAL) {
    copy(z, l->after, l->before, l->states);
    z[l->result] = all(0);
    cps_entries_apply(&o->list, z);
    z[l->before + l->works + WK_INITIAL] = z[l->result];
  }
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &l->cable[i];
    int starts = c->n_points * c->dim;
    if (what->kind == OP_REST) {
      clear(z, l->before + at->v, 3 * at->e); /* v, a and aux are neighbours */
      for (int e = 0; e < 2; e++)             /* but what is on a rim goes with it */
        for (int j = 0; j < c->dim && c->end[e].kind == END_RIM; j++) {
          int k = (e ? c->n : 0) * c->b + j, d = l->d + at->end + e * DY_END + j;
          z[l->before + at->q + k] = z[d + DY_Q];
          z[l->before + at->v + k] = z[d + DY_V];
          z[l->before + at->a + k] = z[d + DY_A];
        }
    } else if (what->kind == OP_LET_GO) {
      clear(z, l->before + at->f, c->n_points * (c->dim - 1));
    } else if (what->kind == OP_HOLD) {
      clear(z, l->after + at->start, starts);
    } else if (what->kind == OP_START) {
      for (int e = 0; e < 2; e++)
        for (int j = 0; j < c->dim && c->end[e].kind == END_BODY; j++) {
          int k = at->v + (e ? c->n : 0) * c->b + j;
          z[l->before + k] = initial[k];
        }
    }
  }
  if (what->kind == OP_START) move_forward(o, z);
  if (what->kind != OP_HOLD) return;
  cps_entries_apply(&o->list, z);
  for (int i = 0; i < o->m.n_cables; i++)
    copy(z, l->before + l->cable[i].start, l->after + l->cable[i].start,
         o->m.cable[i].n_points * o->m.cable[i].dim);
}

/* ------------------------------------------------------------------ backward: each function transposed */

static void take(lanes *z, int to, int from) {
  z[to] += z[from];
  z[from] = all(0);
}

static void move_backward(const model *o, int state, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->dim; j++) {
        int k = (e ? c->n : 0) * c->b + j, d = o->at.d + at->end + e * DY_END + j;
        if (!is_driven(c, e, j)) continue;
        take(z, d + DY_Q, state + at->q + k);
        take(z, d + DY_V, state + at->v + k);
        take(z, d + DY_A, state + at->a + k);
      }
  }
}

static void unknowns_backward(const model *o, const op *what, const weights *w, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    int balance = what->kind == OP_BEGIN;
    lanes *x = z + o->at.right + at->rhs;
    lanes *w1 = z + o->at.w1 + at->w, *w2 = z + o->at.w2 + at->w, *q0 = z + o->at.before + at->q,
          *a0 = z + o->at.before + at->a, *aux0 = z + o->at.before + at->aux;
    const lanes *q = z + o->at.after + at->q, *v = z + o->at.after + at->v, *a = z + o->at.after + at->a,
                *aux = z + o->at.after + at->aux;
    int wide = c->b + c->slots;
    for (int node = 0; node <= c->n; node++)
      for (int j = 0; j < c->b; j++) {
        int k = node * c->b + j;
        lanes by_a = a[k];
        if (balance) {
          by_a += aux[k];
          q0[k] += q[k];
        } else if (what->kind == OP_SOLVE) {
          aux0[k] += aux[k];
        } else {
          by_a += all(w->step.by_a) * aux[k];
          a0[k] += all(w->step.by_a0) * aux[k];
          aux0[k] += all(w->step.by_aux) * aux[k];
        }
        x[node * wide + j] = q[k] + all(w->v_q) * v[k] + all(w->a_q) * by_a;
        w1[k] = -v[k];
        w2[k] = -by_a;
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1; n++)
        z[cps_model_friction_row(o, i, k, n)] = z[o->at.after + at->f + k * (c->dim - 1) + n];
    for (int k = 0; k < c->n_points * c->dim; k++)
      z[o->at.before + at->start + k] += z[o->at.after + at->start + k];
  }
}

static void given_backward(const model *o, const op *what, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        if (!is_fixed(c, e, j)) continue;
        int node = e ? c->n : 0, row = cps_model_row(o, i, node, j);
        if (what->kind == OP_BEGIN)
          z[row] = all(0);
        else if (what->kind == OP_STEP && is_driven(c, e, j))
          take(z, o->at.d + at->end + e * DY_END + DY_Q + j, row);
        else
          take(z, o->at.before + at->q + node * c->b + j, row);
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1 && o->spot[i][k].drum >= 0 && o->spot[i][k].open; n++)
        take(z, o->at.before + at->f + k * (c->dim - 1) + n, cps_model_friction_row(o, i, k, n));
  }
}

static void predict_backward(const model *o, const op *what, const weights *w, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    lanes *q = z + o->at.before + at->q, *v = z + o->at.before + at->v, *aux = z + o->at.before + at->aux,
          *a = z + o->at.before + at->a;
    lanes *w1 = z + o->at.w1 + at->w, *w2 = z + o->at.w2 + at->w;
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        int k = (e ? c->n : 0) * c->b + j;
        if (!is_fixed(c, e, j) || what->kind == OP_BEGIN) continue;
        lanes *d = z + o->at.d + at->end + e * DY_END + j;
        int driven = what->kind == OP_STEP && is_driven(c, e, j);
        *(driven ? &d[DY_Q] : &q[k]) += all(w->v_q) * w1[k] + all(w->a_q) * w2[k];
        if (driven) {
          d[DY_V] -= w1[k];
          d[DY_A] -= w2[k];
        } else if (what->kind == OP_SOLVE) {
          v[k] -= w1[k];
          a[k] -= w2[k];
        }
        w1[k] = w2[k] = all(0);
      }
    for (int k = 0; k < at->e; k++) {
      q[k] += all(w->w1[0]) * w1[k] + all(w->w2[0]) * w2[k];
      v[k] += all(w->w1[1]) * w1[k] + all(w->w2[1]) * w2[k];
      aux[k] += all(w->w1[2]) * w1[k] + all(w->w2[2]) * w2[k];
      a[k] += all(w->w1[3]) * w1[k] + all(w->w2[3]) * w2[k];
    }
  }
}

static void solve_backward(const model *o, const op *what, lanes *z) {
  weights w = weights_of(o, what);
  if (what->kind == OP_BEGIN && !what->balanced) {
    for (int i = 0; i < o->m.n_cables; i++)
      for (int k = 0; k < o->at.cable[i].e; k++)
        take(z, o->at.after + o->at.cable[i].a + k, o->at.after + o->at.cable[i].aux + k);
    move_backward(o, o->at.after, z);
    return;
  }
  clear(z, o->at.before, o->at.states);
  clear(z, o->at.right, o->at.rhs);
  if (what->kind == OP_STEP) cps_entries_apply_transposed(&o->work, z);
  for (int k = o->at.works; k < o->at.states; k++) z[o->at.before + k] += z[o->at.after + k];
  /* entries of the work that lie in the state before are kept: what follows adds */
  unknowns_backward(o, what, &w, z);
  for (int i = 0; i < o->m.n_cables; i++)
    cps_chain_solve_transposed(&o->matrix[i], z + o->at.right + o->at.cable[i].rhs);
  given_backward(o, what, z);
  cps_entries_apply_transposed(&o->now, z);
  if (what->kind != OP_SOLVE) cps_entries_apply_transposed(&o->damping, z);
  cps_entries_apply_transposed(&o->mass, z);
  predict_backward(o, what, &w, z);
  if (what->kind == OP_BEGIN) move_backward(o, o->at.before, z);
  copy(z, o->at.after, o->at.before, o->at.states);
}

void cps_op_backward(const model *o, const op *what, lanes *initial, lanes *z) {
  const layout *l = &o->at;
  clear(z, l->d, l->ds);
  clear(z, l->d0, l->ds);
  if (what->kind == OP_SOLVE || what->kind == OP_BEGIN || what->kind == OP_STEP) {
    solve_backward(o, what, z);
    return;
  }
  if (what->kind == OP_START) move_backward(o, l->after, z);
  if (what->kind == OP_INITIAL) {
    z[l->result] = all(0);
    take(z, l->result, l->after + l->works + WK_INITIAL);
    cps_entries_apply_transposed(&o->list, z);
    z[l->result] = all(0);
  }
  if (what->kind == OP_HOLD) { /* the list reads the state before, which otherwise stays */
    copy(z, l->before, l->after, l->states);
    for (int i = 0; i < o->m.n_cables; i++)
      clear(z, l->before + l->cable[i].start, o->m.cable[i].n_points * o->m.cable[i].dim);
    cps_entries_apply_transposed(&o->list, z);
    copy(z, l->after, l->before, l->states);
    return;
  }
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &l->cable[i];
    if (what->kind == OP_REST) {
      for (int e = 0; e < 2; e++)
        for (int j = 0; j < c->dim && c->end[e].kind == END_RIM; j++) {
          int k = (e ? c->n : 0) * c->b + j, d = l->d + at->end + e * DY_END + j;
          take(z, d + DY_Q, l->after + at->q + k);
          take(z, d + DY_V, l->after + at->v + k);
          take(z, d + DY_A, l->after + at->a + k);
        }
      clear(z, l->after + at->v, 3 * at->e);
    } else if (what->kind == OP_LET_GO) {
      clear(z, l->after + at->f, c->n_points * (c->dim - 1));
    } else if (what->kind == OP_START) {
      for (int e = 0; e < 2; e++)
        for (int j = 0; j < c->dim && c->end[e].kind == END_BODY; j++) {
          int k = at->v + (e ? c->n : 0) * c->b + j;
          initial[k] += z[l->after + k];
          z[l->after + k] = all(0);
        }
    }
  }
}
