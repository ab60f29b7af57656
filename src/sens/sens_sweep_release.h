/* sens_sweep_release.h - bodies that are held no longer, in tangents and adjoints: part of sens_sweep.h. */

/* Where the velocity of a body that is released is in a state, with the number of its components; -1 if it is not. */
static int velocity_of(const model *o, int body, int *n) {
  const machine *m = &o->m;
  if (!o->released[body]) return -1;
  if (m->body_border[body] >= 0) {
    const machine_body *y = &m->body[m->body_border[body]];
    *n = y->n;
    return o->at.border + o->at.nb + y->at;
  }
  int cable_of = m->body_cable[body];
  *n = m->dim;
  return o->at.cable[cable_of].v + (m->body_end[body] ? m->cable[cable_of].n * m->cable[cable_of].b : 0);
}

/* Kinetic energy, by one of two lists. */
static lanes kinetic_of(const model *o, const entries *list, lanes *z) {
  copy(z, o->at.after, o->at.before, o->at.states);
  z[o->at.result] = all(0);
  apply(list, z);
  return z[o->at.result];
}

static void release_forward(const model *o, lanes *z) {
  lanes before = kinetic_of(o, &o->list, z);
  for (int i = 0; i < o->m.of->n_bodies; i++) {
    int n, at = velocity_of(o, i, &n);
    if (at >= 0) copy(z, o->at.before + at, o->at.theta + o->at.release_theta + 3 * i, n);
  }
  tie_forward(o, z);
  z[o->at.before + o->at.works + WK_MOTION] += kinetic_of(o, &o->work, z) - before;
}

static void release_backward(const model *o, lanes *z) {
  z[o->at.result] = z[o->at.after + o->at.works + WK_MOTION];
  apply_transposed(&o->work, z);
  tie_backward(o, z);
  for (int i = 0; i < o->m.of->n_bodies; i++) {
    int n = 0, at = velocity_of(o, i, &n);
    for (int d = 0; d < n && at >= 0; d++)
      take(z, o->at.theta + o->at.release_theta + 3 * i + d, o->at.after + at + d);
  }
  z[o->at.result] = -z[o->at.after + o->at.works + WK_MOTION];
  apply_transposed(&o->list, z);
  z[o->at.result] = all(0);
}
