/* sens_sweep_bdf.h - part of sens_sweep.h: tangents and adjoints of steps of bdf.
 *
 * With the points that IDA knows, y_1 the newest, and their weights g_i (haul_note),
 *
 *   w1 = sum g_i q_i,   w2 = c w1 + sum g_i v_i.
 *
 * A step that passes rows is taken apart: OP_REACH solves for its end, which waits in `ahead`; OP_BETWEEN puts the state where
 * the polynomial through the last points is, balances it, and adds the work of getting there; OP_BACK goes on to the end. */

/* Calls a function for each run of coordinates: where they are in q and v of a state, and among the w. */
#define EACH_PART(o, q, v, w, n)                                                                             \
  for (int part_ = 0, q, v, w, n; part_ <= (o)->m.n_cables && parts((o), part_, &q, &v, &w, &n); part_++)

static int parts(const model *o, int i, int *q, int *v, int *w, int *n) {
  const layout *l = &o->at;
  *q = i < o->m.n_cables ? l->cable[i].q : l->border;
  *v = i < o->m.n_cables ? l->cable[i].v : l->border + l->nb;
  *w = i < o->m.n_cables ? l->cable[i].w : l->border_w;
  *n = i < o->m.n_cables ? l->cable[i].e : l->nb;
  return 1;
}

/* ------------------------------------------------------------------ forward */

static void recall_forward(const model *o, const op *what, const weights *w, lanes *z) {
  int ws = o->at.ws;
  lanes *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  const lanes *past = z + o->at.before + o->at.past;
  lanes g[BDF_POINTS] = {all(what->past[0]), all(what->past[1]), all(what->past[2])}, c = all(w->v_q);
  for (int k = 0; k < ws; k++) {
    w1[k] = g[0] * past[k] + g[1] * past[2 * ws + k] + g[2] * past[4 * ws + k];
    w2[k] = c * w1[k] + g[0] * past[ws + k] + g[1] * past[3 * ws + k] + g[2] * past[5 * ws + k];
  }
}

/* The state at `from` is the newest point; the others are older by one, or with `anew` forgotten. */
static void learn_forward(const model *o, int from, int anew, lanes *z) {
  int ws = o->at.ws, past = o->at.before + o->at.past, older = 2 * (BDF_POINTS - 1) * ws;
  if (anew)
    memset(z + past + 2 * ws, 0, (size_t)older * sizeof *z);
  else
    memmove(z + past + 2 * ws, z + past, (size_t)older * sizeof *z);
  EACH_PART(o, q, v, w, n) {
    copy(z, past + w, from + q, n);
    copy(z, past + ws + w, from + v, n);
  }
}

/* Where the polynomial through the last points is; accelerations and friction forces start between both ends. */
static void interpolate_forward(const model *o, const op *what, lanes *z) {
  const layout *l = &o->at;
  int ws = l->ws, body = l->before;
  const lanes *past = z + l->before + l->past, *end = z + l->before + l->ahead;
  lanes g[BDF_POINTS] = {all(what->past[0]), all(what->past[1]), all(what->past[2])}, part = all(what->part);
  EACH_PART(o, q, v, w, n)
  for (int k = 0; k < n; k++) {
    const lanes *x = past + w + k;
    z[body + q + k] = g[0] * x[0] + g[1] * x[2 * ws] + g[2] * x[4 * ws];
    z[body + v + k] = g[0] * x[ws] + g[1] * x[3 * ws] + g[2] * x[5 * ws];
  }
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = i < o->m.n_cables ? &l->cable[i] : NULL;
    int a = at ? at->a : l->border + 2 * l->nb, n = at ? at->e : l->nb,
        forces = at ? o->m.cable[i].n_points * (o->m.dim - 1) : 0;
    for (int k = a; k < a + n; k++) z[body + k] += part * (end[k] - z[body + k]);
    for (int k = l->border; !at && k < l->border + l->nb; k++) /* friction of slides is a force, too */
      if (o->border.force[k - l->border]) z[body + k] = z[l->kept + k] + part * (end[k] - z[l->kept + k]);
    for (int k = 0; k < forces; k++) z[body + at->f + k] += part * (end[at->f + k] - z[body + at->f + k]);
  }
}

/* Adds the works between the states before and after, which then becomes the present one. */
static void pass_forward(const model *o, lanes *z) {
  int states = o->at.past;
  copy(z, o->at.after + o->at.works, o->at.before + o->at.works, states - o->at.works);
  apply(&o->work, z);
  if (o->has_dense) works_forward(o, z);
  copy(z, o->at.before, o->at.after, states);
}

static void bdf_forward(const model *o, const op *what, lanes *z) {
  const layout *l = &o->at;
  weights w = weights_of(o, what);
  if (what->kind != OP_BACK) rims_forward(o, z);
  if (is_bdf(what)) {
    solve_one_forward(o, what, &w, z);
    learn_forward(o, l->after, 0, z);
  } else if (what->kind == OP_BETWEEN) {
    op begin = *what;
    begin.kind = OP_BEGIN;
    copy(z, l->kept, l->before, l->works);
    interpolate_forward(o, what, z);
    move_forward(o, z);
    tie_rims_forward(o, l->before, z);
    if (what->balanced)
      solve_one_forward(o, &begin, &w, z);
    else
      copy(z, l->after, l->before, l->works);
    copy(z, l->before, l->kept, l->works);
  } else {
    copy(z, l->after, l->before + l->ahead, l->works);
  }
  if (what->kind == OP_REACH)
    copy(z, l->before + l->ahead, l->after, l->works);
  else
    pass_forward(o, z);
}

/* ------------------------------------------------------------------ backward */

static void recall_backward(const model *o, const op *what, const weights *w, lanes *z) {
  int ws = o->at.ws;
  const lanes *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  lanes *past = z + o->at.before + o->at.past, c = all(w->v_q);
  for (int i = 0; i < BDF_POINTS; i++) {
    lanes g = all(what->past[i]), *q = past + 2 * i * ws, *v = q + ws;
    if (what->past[i] == 0) continue;
    for (int k = 0; k < ws; k++) {
      q[k] += g * (w1[k] + c * w2[k]);
      v[k] += g * w2[k];
    }
  }
}

/* What the newest point is worth goes to the state at `to`; with `anew` the others are forgotten. */
static void learn_backward(const model *o, int to, int anew, lanes *z) {
  int ws = o->at.ws, past = o->at.after + o->at.past, older = 2 * (BDF_POINTS - 1) * ws;
  EACH_PART(o, q, v, w, n)
  for (int k = 0; k < n; k++) {
    z[to + q + k] += z[past + w + k];
    z[to + v + k] += z[past + ws + w + k];
  }
  if (anew)
    clear(z, past, 2 * ws + older);
  else
    memmove(z + past, z + past + 2 * ws, (size_t)older * sizeof *z);
  if (!anew) clear(z, past + older, 2 * ws);
}

/* From the state before, which was put there, to the last points, the end of the step and what was kept. */
static void interpolate_backward(const model *o, const op *what, lanes *z) {
  const layout *l = &o->at;
  int ws = l->ws, body = l->before;
  lanes *past = z + l->before + l->past, *end = z + l->before + l->ahead, part = all(what->part);
  for (int k = l->border; k < l->border + l->nb; k++) {
    if (!o->border.force[k - l->border]) continue;
    end[k] += part * z[body + k];
    z[l->kept + k] += (all(1) - part) * z[body + k];
    z[body + k] = all(0);
  }
  EACH_PART(o, q, v, w, n)
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < BDF_POINTS; i++) {
      past[2 * i * ws + w + k] += all(what->past[i]) * z[body + q + k];
      past[(2 * i + 1) * ws + w + k] += all(what->past[i]) * z[body + v + k];
    }
    z[body + q + k] = z[body + v + k] = all(0);
  }
  for (int i = 0; i <= o->m.n_cables; i++) {
    const cable_at *at = i < o->m.n_cables ? &l->cable[i] : NULL;
    int a = at ? at->a : l->border + 2 * l->nb, n = at ? at->e : l->nb,
        forces = at ? o->m.cable[i].n_points * (o->m.dim - 1) : 0;
    for (int k = 0; k < n + forces; k++) {
      int x = k < n ? a + k : at->f + k - n;
      end[x] += part * z[body + x];
      z[body + x] -= part * z[body + x];
    }
  }
  for (int k = 0; k < l->works; k++) z[l->kept + k] += z[body + k];
}

/* Adjoints of works, to the states before and after; those of before become what is there. */
static void pass_backward(const model *o, lanes *z) {
  clear(z, o->at.before, o->at.past);
  apply_transposed(&o->work, z);
  if (o->has_dense) works_backward(o, z);
  for (int k = o->at.works; k < o->at.past; k++) z[o->at.before + k] += z[o->at.after + k];
}

static void bdf_backward(const model *o, const op *what, lanes *z) {
  const layout *l = &o->at;
  weights w = weights_of(o, what);
  int rest = l->states - l->past, y0 = l->before, y1 = l->after;
  if (what->kind == OP_REACH) { /* the state stays, its end is solved for */
    copy(z, y0, y1, l->past);
    copy(z, y1, y1 + l->ahead, l->works);
    clear(z, y1 + l->ahead, l->works);
  } else {
    pass_backward(o, z);
  }
  if (is_bdf(what)) {
    learn_backward(o, y1, 0, z);
    copy(z, y0 + l->past, y1 + l->past, rest);
    solve_one_backward(o, what, &w, z);
    apply_transposed(&o->tied, z);
  } else if (what->kind == OP_BETWEEN) {
    op begin = *what;
    begin.kind = OP_BEGIN;
    copy(z, y0 + l->past, y1 + l->past, rest);
    copy(z, l->kept, y0, l->works);
    clear(z, y0, l->works);
    if (what->balanced)
      solve_one_backward(o, &begin, &w, z);
    else
      copy(z, y0, y1, l->works);
    tie_rims_backward(o, y0, z);
    apply_transposed(&o->tied, z);
    move_backward(o, y0, z);
    interpolate_backward(o, what, z);
    copy(z, y0, l->kept, l->works);
  } else {
    copy(z, y0 + l->past, y1 + l->past, rest);
    for (int k = 0; k < l->works; k++) z[y0 + l->ahead + k] += z[y1 + k];
  }
  copy(z, y1, y0, l->states);
}
