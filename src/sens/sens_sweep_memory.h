/* sens_sweep_memory.h - states of laws with memory: tangents and adjoints. Part of sens_sweep.h.
 *
 * As places and accelerations, states follow their rates: z = z_star + z_s z_t, where z_star is linear in what was before the step. The
 * list `recall` says what becomes of z and z_t; what touches nothing has no rates. */

/* Blocks of states are those of the cables, and one of all slides, which always touch. */
static int touches(const model *o, int cable_of, int k) {
  if (cable_of == o->m.n_cables) return 1;
  return o->spot[cable_of][k / (o->at.cable[cable_of].zs / o->m.cable[cable_of].n_points)].drum >= 0;
}

/* Of bdf: what is at place k of each of the last points, weighted. */
INLINE lanes recalled(const model *o, const op *what, int k, const lanes *z) {
  const lanes *past = z + o->at.before + o->at.past + k;
  lanes sum = all(what->past[0]) * past[0];
  for (int i = 1; i < BDF_POINTS; i++) sum += all(what->past[i]) * past[i * o->at.point];
  return sum;
}

INLINE void recalled_backward(const model *o, const op *what, int k, lanes bar, lanes *z) {
  lanes *past = z + o->at.before + o->at.past + k;
  for (int i = 0; i < BDF_POINTS; i++) past[i * o->at.point] += all(what->past[i]) * bar;
}

/* Whether a state is one of a law whose guards fire within steps, which starts from where it was. */
static int walks(const model *o, int cable_of, int k) {
  if (cable_of < o->m.n_cables) return o->m.cable[cable_of].contact.walks;
  int i = 0;
  for (; k >= o->m.slide[i].law.law->n_states; i++) k -= o->m.slide[i].law.law->n_states;
  return o->m.slide[i].law.walks;
}

/* Where states start from. */
static void predict_states(const model *o, const op *what, const weights *w, lanes *z) {
  int steps = what->kind == OP_STEP;
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    const lanes *y = z + o->at.before;
    for (int k = 0; k < at->zs; k++) {
      lanes *star = z + o->at.z_star + at->z_star + k;
      *star = y[at->z + k];
      if (walks(o, i, k)) {
        if (is_bdf(what)) *star = z[o->at.before + o->at.past + 2 * o->at.ws + at->z_star + k];
        continue;
      }
      if (is_bdf(what)) *star = all(what->coeffs.z_s) * recalled(o, what, 2 * o->at.ws + at->z_star + k, z);
      if (steps) *star += all(w->step.z.x_aux) * y[at->z_aux + k] + all(w->step.z.x_old) * y[at->z_t + k];
    }
  }
}

static void predict_states_backward(const model *o, const op *what, const weights *w, lanes *z) {
  int steps = what->kind == OP_STEP;
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    lanes *y = z + o->at.before;
    for (int k = 0; k < at->zs; k++) {
      lanes star = z[o->at.z_star + at->z_star + k];
      if (walks(o, i, k)) {
        z[is_bdf(what) ? o->at.before + o->at.past + 2 * o->at.ws + at->z_star + k
                       : o->at.before + at->z + k] += star;
        continue;
      }
      if (is_bdf(what)) {
        recalled_backward(o, what, 2 * o->at.ws + at->z_star + k, all(what->coeffs.z_s) * star, z);
        continue;
      }
      y[at->z + k] += star;
      if (!steps) continue;
      y[at->z_aux + k] += all(w->step.z.x_aux) * star;
      y[at->z_t + k] += all(w->step.z.x_old) * star;
    }
  }
}

/* What becomes of them; in statics, nothing. */
static void states_forward(const model *o, const op *what, const weights *w, lanes *z) {
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    if (what->kind == OP_SOLVE)
      copy(z, o->at.after + at->z, o->at.before + at->z, 3 * at->zs);
    else
      clear(z, o->at.after + at->z, 3 * at->zs);
  }
  if (what->kind == OP_SOLVE) return;
  apply(&o->recall, z);
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    const lanes *y0 = z + o->at.before;
    lanes *y1 = z + o->at.after;
    for (int k = 0; k < at->zs; k++) {
      if (!touches(o, i, k)) continue;
      y1[at->z_aux + k] = what->kind == OP_BEGIN ? y1[at->z_t + k]
                                                 : all(w->step.z.aux_new) * y1[at->z_t + k] +
                                                       all(w->step.z.aux_old) * y0[at->z_t + k] +
                                                       all(w->step.z.aux_aux) * y0[at->z_aux + k];
    }
  }
}

static void states_backward(const model *o, const op *what, const weights *w, lanes *z) {
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    lanes *y0 = z + o->at.before, *y1 = z + o->at.after;
    clear(z, o->at.z_star + at->z_star, at->zs);
    for (int k = 0; k < 3 * at->zs && what->kind == OP_SOLVE; k++) y0[at->z + k] += y1[at->z + k];
    for (int k = 0; k < at->zs && what->kind != OP_SOLVE; k++) {
      lanes bar = y1[at->z_aux + k];
      if (!touches(o, i, k)) continue;
      y1[at->z_t + k] += what->kind == OP_BEGIN ? bar : all(w->step.z.aux_new) * bar;
      if (what->kind == OP_BEGIN) continue;
      y0[at->z_t + k] += all(w->step.z.aux_old) * bar;
      y0[at->z_aux + k] += all(w->step.z.aux_aux) * bar;
    }
  }
  if (what->kind != OP_SOLVE) apply_transposed(&o->recall, z);
}

/* A motion that begins as it is: only rates of states are new. */
static void begin_states(const model *o, const op *what, const weights *w, lanes *z) {
  if (o->recall.n == 0) return;
  copy(z, o->at.after, o->at.before, o->at.states);
  predict_states(o, what, w, z);
  states_forward(o, what, w, z);
  copy(z, o->at.before, o->at.after, o->at.states);
}

static void begin_states_backward(const model *o, const op *what, const weights *w, lanes *z) {
  if (o->recall.n == 0) return;
  clear(z, o->at.before, o->at.states);
  states_backward(o, what, w, z);
  predict_states_backward(o, what, w, z);
  for (int i = 0; i <= o->m.n_cables; i++)
    copy(z, o->at.after + o->at.cable[i].z, o->at.before + o->at.cable[i].z, 3 * o->at.cable[i].zs);
}

/* Laws take over friction forces: the list has z by the state before. */
static void remember_forward(const model *o, lanes *z) {
  for (int i = 0; i <= o->m.n_cables; i++) clear(z, o->at.after + o->at.cable[i].z, 3 * o->at.cable[i].zs);
  apply(&o->list, z);
  for (int i = 0; i <= o->m.n_cables; i++)
    copy(z, o->at.before + o->at.cable[i].z, o->at.after + o->at.cable[i].z, 3 * o->at.cable[i].zs);
}

static void remember_backward(const model *o, lanes *z) {
  copy(z, o->at.before, o->at.after, o->at.states);
  for (int i = 0; i <= o->m.n_cables; i++) clear(z, o->at.before + o->at.cable[i].z, 3 * o->at.cable[i].zs);
  apply_transposed(&o->list, z);
  copy(z, o->at.after, o->at.before, o->at.states);
}
