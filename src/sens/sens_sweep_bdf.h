/* sens_sweep_bdf.h - part of sens_sweep.h: tangents and adjoints of steps of bdf.
 *
 * With the points that IDA knows, y_1 the newest, and their weights g_i (cable_note),
 *
 *   w1 = sum g_i q_i,   w2 = c w1 + sum g_i v_i.
 *
 * A step that passes rows is taken apart: OP_REACH solves for its end, which waits in `ahead`; OP_BETWEEN puts the state where
 * the polynomial through the last points is, balances it, and adds the work of getting there; OP_BACK goes on to the end. */

/* Runs of numbers that a point of the past has, of each cable and of the border: where they are in a state, in a point, and how many. */
enum { PARTS = 3 };

typedef struct part {
  int state, point, n;
} part;

static void parts_of(const model *o, int i, part out[PARTS]) {
  const layout *l = &o->at;
  const cable_at *at = i < o->m.n_cables ? &l->cable[i] : NULL;
  int w = at ? at->w : l->border_w, n = at ? at->e : l->nb;
  out[0] = (part){at ? at->q : l->border, w, n};
  out[1] = (part){at ? at->v : l->border + l->nb, l->ws + w, n};
  out[2] = (part){l->cable[i].z, 2 * l->ws + l->cable[i].z_star,
                  l->cable[i].zs}; /* behind cables: of slides */
}

/* Accelerations and friction forces of each, which start between both ends of a step. */
static void starts_between(const model *o, int i, part out[2]) {
  const layout *l = &o->at;
  const cable_at *at = i < o->m.n_cables ? &l->cable[i] : NULL;
  out[0] = (part){at ? at->a : l->border + 2 * l->nb, 0, at ? at->e : l->nb};
  out[1] = (part){at ? at->f : 0, 0, at ? o->m.cable[i].n_points * (o->m.dim - 1) : 0};
}

/* ------------------------------------------------------------------ forward */

static void recall_forward(const model *o, const op *what, const weights *w, lanes *z) {
  int ws = o->at.ws, next = o->at.point;
  lanes *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  const lanes *q = z + o->at.before + o->at.past, *v = q + ws;
  lanes g[BDF_POINTS] = {all(what->past[0]), all(what->past[1]), all(what->past[2])}, c = all(w->v_q);
  for (int k = 0; k < ws; k++) {
    w1[k] = g[0] * q[k] + g[1] * q[next + k] + g[2] * q[2 * next + k];
    w2[k] = c * w1[k] + g[0] * v[k] + g[1] * v[next + k] + g[2] * v[2 * next + k];
  }
}

/* The state at `from` is the newest point; the others are older by one, or with `anew` forgotten. */
static void learn_forward(const model *o, int from, int anew, lanes *z) {
  int past = o->at.before + o->at.past, next = o->at.point, older = (BDF_POINTS - 1) * next;
  if (anew)
    clear(z, past + next, older);
  else
    memmove(z + past + next, z + past, (size_t)older * sizeof *z);
  for (int i = 0; i <= o->m.n_cables; i++) {
    part x[PARTS];
    parts_of(o, i, x);
    for (int k = 0; k < PARTS; k++) copy(z, past + x[k].point, from + x[k].state, x[k].n);
  }
}

/* Where the polynomial through the last points is; accelerations and friction forces start between both ends. */
static void interpolate_forward(const model *o, const op *what, lanes *z) {
  const layout *l = &o->at;
  const lanes *end = z + l->before + l->ahead;
  lanes *y = z + l->before, share = all(what->part);
  for (int i = 0; i <= o->m.n_cables; i++) {
    part x[PARTS];
    parts_of(o, i, x);
    for (int j = 0; j < PARTS; j++)
      for (int k = 0; k < x[j].n; k++) y[x[j].state + k] = recalled(o, what, x[j].point + k, z);
    starts_between(o, i, x);
    for (int j = 0; j < 2; j++)
      for (int k = x[j].state; k < x[j].state + x[j].n; k++) y[k] += share * (end[k] - y[k]);
  }
  for (int k = l->border; k < l->border + l->nb; k++) /* friction of slides is a force, too */
    if (o->border.force[k - l->border]) y[k] = z[l->kept + k] + share * (end[k] - z[l->kept + k]);
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
    apply(&o->recall, z); /* laws settle */
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
  lanes c = all(w->v_q);
  for (int i = 0; i < BDF_POINTS; i++) {
    lanes g = all(what->past[i]), *q = z + o->at.before + o->at.past + i * o->at.point, *v = q + ws;
    if (what->past[i] == 0) continue;
    for (int k = 0; k < ws; k++) {
      q[k] += g * (w1[k] + c * w2[k]);
      v[k] += g * w2[k];
    }
  }
}

/* What the newest point is worth goes to the state at `to`; with `anew` the others are forgotten. */
static void learn_backward(const model *o, int to, int anew, lanes *z) {
  int past = o->at.after + o->at.past, next = o->at.point, older = (BDF_POINTS - 1) * next;
  for (int i = 0; i <= o->m.n_cables; i++) {
    part x[PARTS];
    parts_of(o, i, x);
    for (int j = 0; j < PARTS; j++)
      for (int k = 0; k < x[j].n; k++) z[to + x[j].state + k] += z[past + x[j].point + k];
  }
  if (!anew) memmove(z + past, z + past + next, (size_t)older * sizeof *z);
  clear(z, past + (anew ? 0 : older), anew ? older + next : next);
}

/* From the state before, which was put there, to the last points, the end of the step and what was kept. */
static void interpolate_backward(const model *o, const op *what, lanes *z) {
  const layout *l = &o->at;
  lanes *y = z + l->before, *end = z + l->before + l->ahead, share = all(what->part);
  for (int k = l->border; k < l->border + l->nb; k++) {
    if (!o->border.force[k - l->border]) continue;
    end[k] += share * y[k];
    z[l->kept + k] += (all(1) - share) * y[k];
    y[k] = all(0);
  }
  for (int i = 0; i <= o->m.n_cables; i++) {
    part x[PARTS];
    starts_between(o, i, x);
    for (int j = 0; j < 2; j++)
      for (int k = x[j].state; k < x[j].state + x[j].n; k++) {
        end[k] += share * y[k];
        y[k] -= share * y[k];
      }
    parts_of(o, i, x);
    for (int j = 0; j < PARTS; j++)
      for (int k = x[j].state; k < x[j].state + x[j].n; k++) {
        recalled_backward(o, what, x[j].point + k - x[j].state, y[k], z);
        y[k] = all(0);
      }
  }
  for (int k = 0; k < l->works; k++) z[l->kept + k] += y[k];
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
    apply_transposed(&o->recall, z);
    for (int k = 0; k < l->works; k++) z[y0 + l->ahead + k] += z[y1 + k];
  }
  copy(z, y1, y0, l->states);
}
