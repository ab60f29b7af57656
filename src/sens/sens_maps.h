/* sens_maps.h - what happens to a machine (sens_ops.h), as linear maps of the vector of sens_chain.h: tangents, or with BACK 1 the
 * transposes, for adjoints. Part of sens_sweep.h, which includes it twice, with BACK and NAME(x).
 *
 * What happens is a list of stages; transposed, they are gone through from the last to the first. A stage adds numbers to others or
 * replaces them, and does not read what it writes, so that its own order does not matter. The state is in `before`; all but that,
 * theta and what is prescribed are temporary: forward, they are given values before they are read, and so adjoints of them are zero
 * between operations. */

/* ------------------------------------------------------------------ lists */

static void NAME(listed)(const sweep *x) { apply(BACK, &x->o->list, x->z); }

static void NAME(worked)(const sweep *x) { apply(BACK, &x->o->work, x->z); }

static void NAME(fresh_results)(const sweep *x) {
  clear(x->z, x->o->at.result, x->what->kind == OP_ROW ? x->what->columns : 1);
}

/* The state where lists look for it, and the one after it in place of the one before. */
static void NAME(copy_out)(const sweep *x) {
  copy(BACK, x->z, x->o->at.after, x->o->at.before, x->o->at.states);
}

static void NAME(hand_over)(const sweep *x) {
  copy(BACK, x->z, x->o->at.before, x->o->at.after, states_of(x));
}

/* ------------------------------------------------------------------ what is prescribed */

/* Ends and rims are moved to where they are prescribed. */
static void NAME(move_end)(const sweep *x, int cable_of, int e) {
  const layout *l = &x->o->at;
  const cable *c = &x->o->m.cable[cable_of];
  const cable_at *at = &l->cable[cable_of];
  for (int j = 0; j < c->dim; j++) {
    int k = (e ? c->n : 0) * c->b + j;
    lanes *d = x->z + l->d + at->end + e * DY_END + j, *y = x->z + l->before + k;
    if (!is_driven(c, e, j)) continue;
    put(BACK, y + at->q, 1, d + DY_Q);
    put(BACK, y + at->v, 1, d + DY_V);
    put(BACK, y + at->a, 1, d + DY_A);
  }
}

static void NAME(move)(const sweep *x) {
  for (int i = 0; i < x->o->m.n_cables; i++)
    for (int e = 0; e < 2; e++) NAME(move_end)(x, i, e);
}

/* Ends on rims of drums that turn freely or are carried (sens_rim.c): their own numbers, but for what they follow. */
static void NAME(fresh_rims)(const sweep *x) {
  for (int i = 0; i < x->o->border.bonds; i++)
    if (x->o->border.bond[i].rim) clear(x->z, x->o->border.bond[i].rim + DY_Q, DY_END - DY_Q);
}

static void NAME(rims)(const sweep *x) { apply(BACK, &x->o->tied, x->z); }

/* Such ends in a state: place, velocity and acceleration. */
static void NAME(tie)(const sweep *x, int state) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->border.bonds; i++) {
    const chain_bond *y = &x->o->border.bond[i];
    const cable_at *at = &l->cable[y->cable];
    const int first[3] = {at->q, at->v, at->a};
    lanes *own = x->z + y->rim, *b = x->z + state + l->border;
    for (int j = 0; j < y->n && y->rim; j++)
      for (int rate = 0; rate < 3; rate++) {
        lanes *to = x->z + state + first[rate] + y->node * x->o->m.cable[y->cable].b + j;
        lanes sum = opened(BACK, to);
        add(BACK, &sum, 1, own + DY_Q + 3 * rate + j);
        for (int n = 0; n < y->unknowns; n++) add(BACK, &sum, y->by[j][n], b + rate * l->nb + y->at[n]);
        if (y->turn >= 0 && rate > 0) add(BACK, &sum, (rate == 1 ? y->v_turn : y->a_turn)[j], b + y->turn);
        if (y->turn >= 0 && rate == 2) add(BACK, &sum, y->a_rate[j], b + l->nb + y->turn);
        closed(BACK, to, sum);
      }
  }
}

static void NAME(tie_before)(const sweep *x) { NAME(tie)(x, x->o->at.before); }

static void NAME(tie_after)(const sweep *x) { NAME(tie)(x, x->o->at.after); }

/* Velocities of other ends that follow the border. */
static void NAME(follow)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->border.bonds; i++) {
    const chain_bond *y = &x->o->border.bond[i];
    for (int j = 0; j < y->n && !y->rim; j++) {
      lanes *v = x->z + l->before + l->cable[y->cable].v + y->node * x->o->m.cable[y->cable].b + j;
      lanes sum = opened(BACK, v);
      for (int n = 0; n < y->unknowns; n++)
        add(BACK, &sum, y->by[j][n], x->z + l->before + l->border + l->nb + y->at[n]);
      closed(BACK, v, sum);
    }
  }
}

/* ------------------------------------------------------------------ bdf */

/* With the points that IDA knows, y_1 the newest, and their weights g_i (cable_note),
 *
 *   w1 = sum g_i q_i,   w2 = c w1 + sum g_i v_i. */
static void NAME(recall_past)(const sweep *x) {
  const layout *l = &x->o->at;
  lanes *past = x->z + l->before + l->past;
  for (int k = 0; k < l->ws; k++) {
    lanes *w1 = x->z + l->w1 + k, *w2 = x->z + l->w2 + k, s1 = opened(BACK, w1), s2 = opened(BACK, w2);
    for (int i = 0; i < BDF_POINTS; i++) {
      double g = x->what->past[i];
      share(BACK, &s1, g, &s2, x->w.v_q * g, past + i * l->point + k);
      add(BACK, &s2, g, past + i * l->point + l->ws + k);
    }
    closed(BACK, w1, s1);
    closed(BACK, w2, s2);
  }
}

/* Number k of the last points, weighted. */
static void NAME(recall)(const sweep *x, lanes *to, double by, int k) {
  const layout *l = &x->o->at;
  lanes sum = opened(BACK, to);
  for (int i = 0; i < BDF_POINTS; i++)
    add(BACK, &sum, by * x->what->past[i], x->z + l->before + l->past + i * l->point + k);
  closed(BACK, to, sum);
}

/* All points are older by one, or forgotten. */
static void NAME(age)(const sweep *x) {
  const layout *l = &x->o->at;
  int past = l->before + l->past, next = l->point, older = (BDF_POINTS - 1) * next;
  memmove(x->z + past + (BACK ? 0 : next), x->z + past + (BACK ? next : 0), (size_t)older * sizeof *x->z);
  if (BACK) clear(x->z, past + older, next);
}

static void NAME(forget)(const sweep *x) {
  const layout *l = &x->o->at;
  if (l->past > 0) clear(x->z, l->before + l->past + l->point, (BDF_POINTS - 1) * l->point);
}

/* The state at `from` is the newest point. */
static void NAME(learn)(const sweep *x, int from) {
  const layout *l = &x->o->at;
  int past = l->before + l->past;
  for (int i = 0; i <= x->o->m.n_cables && l->past > 0; i++) {
    block y = block_of(x->o, i);
    copy(BACK, x->z, past + y.w, from + y.q, y.nodes * y.b);
    copy(BACK, x->z, past + l->ws + y.w, from + y.v, y.nodes * y.b);
  }
  if (l->past > 0) copy(BACK, x->z, past + 2 * l->ws, from + l->z, l->zs);
}

static void NAME(learn_before)(const sweep *x) { NAME(learn)(x, x->o->at.before); }

static void NAME(learn_after)(const sweep *x) { NAME(learn)(x, x->o->at.after); }

/* A row within a step: OP_REACH solves for the end of the step, which waits in `ahead`; OP_BETWEEN puts the state where the
 * polynomial through the last points is, balances it, and adds the work of getting there. Both are between OP_ASIDE and OP_RETURN. */
static void NAME(reach)(const sweep *x) {
  copy(BACK, x->z, x->o->at.before + x->o->at.ahead, x->o->at.after, x->o->at.works);
}

static void NAME(keep)(const sweep *x) { copy(BACK, x->z, x->o->at.kept, x->o->at.before, x->o->at.works); }

static void NAME(unkeep)(const sweep *x) { copy(BACK, x->z, x->o->at.before, x->o->at.kept, x->o->at.works); }

static void NAME(polynomial)(const sweep *x) {
  const layout *l = &x->o->at;
  lanes *s = x->z + l->before;
  for (int i = 0; i <= x->o->m.n_cables; i++) {
    block y = block_of(x->o, i);
    for (int k = 0; k < y.nodes * y.b; k++) {
      NAME(recall)(x, s + y.q + k, 1, y.w + k);
      NAME(recall)(x, s + y.v + k, 1, l->ws + y.w + k);
    }
  }
  for (int k = 0; k < l->zs; k++) NAME(recall)(x, s + l->z + k, 1, 2 * l->ws + k);
}

/* Part of the way from what was there to the end of the step. */
static void NAME(part_way)(const sweep *x, int at, int n) {
  lanes *y = x->z + x->o->at.before + at, *end = y + x->o->at.ahead;
  for (int k = 0; k < n; k++) {
    if (!BACK) y[k] *= all(1 - x->what->part);
    add(BACK, &y[k], x->what->part, &end[k]);
    if (BACK) y[k] *= all(1 - x->what->part);
  }
}

/* Accelerations and friction forces start between both ends. */
static void NAME(between)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i <= x->o->m.n_cables; i++) {
    block y = block_of(x->o, i);
    NAME(part_way)(x, y.a, y.nodes * y.b);
    if (i < x->o->m.n_cables) NAME(part_way)(x, l->cable[i].f, x->o->m.cable[i].n_points * (x->o->m.dim - 1));
  }
  for (int k = l->border; k < l->border + l->nb; k++) { /* friction of slides is a force, too */
    if (!x->o->border.force[k - l->border]) continue;
    lanes *to = x->z + l->before + k, sum = opened(BACK, to);
    add(BACK, &sum, x->what->part, to + l->ahead);
    add(BACK, &sum, 1 - x->what->part, x->z + l->kept + k);
    closed(BACK, to, sum);
  }
}

/* ------------------------------------------------------------------ where a solve starts from */

/* w1 and w2 of all coordinates, by q, v, aux and a; of bdf by the last points. */
static void NAME(combine)(const sweep *x) {
  const layout *l = &x->o->at;
  const weights *w = &x->w;
  for (int i = 0; i <= x->o->m.n_cables && !x->by_bdf; i++) {
    block y = block_of(x->o, i);
    lanes *s = x->z + l->before, *q = s + y.q, *v = s + y.v, *aux = s + y.aux, *a = s + y.a;
    lanes *w1 = x->z + l->w1 + y.w, *w2 = x->z + l->w2 + y.w;
    for (int k = 0; k < y.nodes * y.b; k++) {
      lanes s1 = opened(BACK, &w1[k]), s2 = opened(BACK, &w2[k]);
      share(BACK, &s1, w->w1[0], &s2, w->w2[0], &q[k]);
      share(BACK, &s1, w->w1[1], &s2, w->w2[1], &v[k]);
      share(BACK, &s1, w->w1[2], &s2, w->w2[2], &aux[k]);
      share(BACK, &s1, w->w1[3], &s2, w->w2[3], &a[k]);
      closed(BACK, &w1[k], s1);
      closed(BACK, &w2[k], s2);
    }
  }
  if (x->by_bdf) NAME(recall_past)(x);
}

/* Of coordinates of ends that do not follow the equations. */
static void NAME(predict_ends)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.n_cables && !x->balance; i++) {
    const cable *c = &x->o->m.cable[i];
    const cable_at *at = &l->cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        int k = (e ? c->n : 0) * c->b + j;
        if (!is_fixed(c, e, j)) continue;
        lanes *d = x->z + l->d + at->end + e * DY_END + j, *y = x->z + l->before + k;
        lanes *w1 = x->z + l->w1 + at->w + k, *w2 = x->z + l->w2 + at->w + k;
        lanes s1 = opened(BACK, w1), s2 = opened(BACK, w2);
        int driven = x->steps && is_driven(c, e, j);
        share(BACK, &s1, x->w.v_q, &s2, x->w.a_q, driven ? d + DY_Q : y + at->q);
        if (driven || x->what->kind == OP_SOLVE) {
          add(BACK, &s1, -1, driven ? d + DY_V : y + at->v);
          add(BACK, &s2, -1, driven ? d + DY_A : y + at->a);
        }
        closed(BACK, w1, s1);
        closed(BACK, w2, s2);
      }
  }
}

/* Of those that follow the border. */
static void NAME(predict_bonds)(const sweep *x) {
  const layout *l = &x->o->at;
  lanes *b = x->z + l->before + l->border, *b1 = x->z + l->w1 + l->border_w, *b2 = x->z + l->w2 + l->border_w;
  for (int i = 0; i < x->o->border.bonds; i++) {
    const chain_bond *y = &x->o->border.bond[i];
    lanes *own = x->z + y->rim;
    for (int j = 0; j < y->n; j++) {
      int k = l->cable[y->cable].w + y->node * x->o->m.cable[y->cable].b + j, turns = y->rim && y->turn >= 0;
      lanes *w1 = x->z + l->w1 + k, *w2 = x->z + l->w2 + k, s1 = opened(BACK, w1), s2 = opened(BACK, w2);
      for (int n = 0; n < y->unknowns; n++) {
        add(BACK, &s1, y->by[j][n], b1 + y->at[n]);
        add(BACK, &s2, y->by[j][n], b2 + y->at[n]);
      }
      if (y->rim) add(BACK, &s1, -1, own + DY_V + j);
      if (y->rim) add(BACK, &s2, -1, own + DY_A + j);
      if (y->rim && !x->balance) share(BACK, &s1, x->w.v_q, &s2, x->w.a_q, own + DY_Q + j);
      if (turns) add(BACK, &s2, y->a_rate[j], b1 + y->turn);
      if (turns && x->balance) /* else what it turns by is unknown: cps_rim_own */
        share(BACK, &s1, -y->v_turn[j], &s2, -y->a_turn[j], b + y->turn);
      closed(BACK, w1, s1);
      closed(BACK, w2, s2);
    }
  }
}

/* States of laws with memory follow their rates as places do: z = z_star + z_s z_t. */
static void NAME(predict_states)(const sweep *x) {
  const layout *l = &x->o->at;
  int steps = x->what->kind == OP_STEP;
  for (int k = 0; k < l->zs; k++) {
    lanes *star = x->z + l->z_star + k, *y = x->z + l->before + k;
    int past = 2 * l->ws + k, starts = x->o->walks[k];
    if (x->by_bdf && starts) {
      put(BACK, star, 1, x->z + l->before + l->past + past);
    } else if (x->by_bdf) {
      NAME(recall)(x, star, x->what->coeffs.z_s, past);
    } else {
      lanes sum = opened(BACK, star);
      add(BACK, &sum, 1, y + l->z);
      if (steps && !starts) add(BACK, &sum, x->w.step.z.x_aux, y + l->z_aux);
      if (steps && !starts) add(BACK, &sum, x->w.step.z.x_old, y + l->z_t);
      closed(BACK, star, sum);
    }
  }
}

/* ------------------------------------------------------------------ the equations */

static void NAME(fresh_rows)(const sweep *x) { clear(x->z, x->o->at.right, x->o->at.rhs); }

/* C w1 + M w2 */
static void NAME(inertia)(const sweep *x) {
  lanes *w1 = x->z + x->o->at.w1, *w2 = x->z + x->o->at.w2;
  int damped = x->what->kind != OP_SOLVE;
  for (int i = 0; i < x->o->n_inertia; i++) {
    const chain_product *p = &x->o->inertia[i];
    lanes row = BACK ? x->z[p->row] : all(0);
    add(BACK, &row, p->mass, &w2[p->column]);
    if (damped) add(BACK, &row, p->damping, &w1[p->column]);
    if (!BACK) x->z[p->row] += row;
  }
}

static void NAME(present)(const sweep *x) { apply(BACK, &x->o->now, x->z); }

/* What moves an end: its equations as if it were free, before and after they are solved. */
static void NAME(reactions)(const sweep *x, int solved) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.n_cables; i++) {
    const cable *c = &x->o->m.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->dim; j++) {
        int node = e ? c->n : 0, b = x->o->matrix[i].b, driven = is_fixed(c, e, j) && is_driven(c, e, j);
        lanes *reaction = x->z + l->after + l->cable[i].reaction + e * c->dim + j;
        lanes *row = x->z + cps_model_row(x->o, i, node, 0), *next = e ? row - b : row + b;
        const double *raw = x->o->raw[i][e][j];
        if (driven && !solved) put(BACK, reaction, -1, row + j);
        if (!driven && !solved) *reaction = all(0);
        for (int k = 0; k < b && driven && solved; k++) {
          add(BACK, reaction, raw[k], row + k);
          add(BACK, reaction, raw[b + k], next + k);
        }
      }
  }
}

static void NAME(react_free)(const sweep *x) { NAME(reactions)(x, 0); }

static void NAME(react_solved)(const sweep *x) { NAME(reactions)(x, 1); }

/* Rows that say what an unknown is: of ends, and of friction that stays what it was; */
static void NAME(given)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.n_cables; i++) {
    const cable *c = &x->o->m.cable[i];
    const cable_at *at = &l->cable[i];
    lanes *y = x->z + l->before;
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        if (!is_fixed(c, e, j)) continue;
        int node = e ? c->n : 0, driven = x->steps && is_driven(c, e, j);
        lanes *row = x->z + cps_model_row(x->o, i, node, j);
        if (c->all_stick) row[c->b + c->slots] = all(0);
        if (x->balance)
          *row = all(0);
        else
          put(BACK, row, 1,
              driven ? x->z + l->d + at->end + e * DY_END + DY_Q + j : y + at->q + node * c->b + j);
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1 && x->o->contact[i][k].drum >= 0 && x->o->contact[i][k].open; n++)
        put(BACK, x->z + cps_model_friction_row(x->o, i, k, n), 1, y + at->f + k * (c->dim - 1) + n);
  }
}

/* of ends that follow the border, whose equations go there; */
static void NAME(bind)(const sweep *x) {
  lanes *border = x->z + x->o->at.right + x->o->at.border_rhs;
  for (int i = 0; i < x->o->border.bonds; i++) {
    const chain_bond *y = &x->o->border.bond[i];
    for (int j = 0; j < y->n; j++)
      for (int n = 0; n < y->rows; n++)
        add(BACK, &border[y->at[n]], y->by[j][n], x->z + cps_model_row(x->o, y->cable, y->node, j));
  }
}

static void NAME(follow_rims)(const sweep *x) {
  for (int i = 0; i < x->o->border.bonds; i++) {
    const chain_bond *y = &x->o->border.bond[i];
    for (int j = 0; j < y->n; j++) {
      lanes *row = x->z + cps_model_row(x->o, y->cable, y->node, j);
      if (y->rim && !x->balance)
        put(BACK, row, 1, x->z + y->rim + DY_Q + j);
      else
        *row = all(0);
    }
  }
}

/* and of what is held. */
static void NAME(brake)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int k = 0; k < l->nb; k++) {
    lanes *row = x->z + l->right + l->border_rhs + k;
    if (!x->o->border.braked[k]) continue;
    if (x->balance)
      *row = all(0);
    else
      put(BACK, row, 1, x->z + l->before + l->border + k);
  }
}

static void NAME(solve_rows)(const sweep *x) { solve_all(BACK, x->o, x->z + x->o->at.right); }

/* ------------------------------------------------------------------ the state after a solve */

/* q = now, v = v_q now - w1, a = a_q now - w2 of all coordinates. */
static void NAME(unknowns)(const sweep *x) {
  const layout *l = &x->o->at;
  const alpha_rule *v = &x->w.step.v;
  int steps = x->what->kind == OP_STEP;
  for (int i = 0; i <= x->o->m.n_cables; i++) {
    block y = block_of(x->o, i);
    const unsigned char *force = i == x->o->m.n_cables ? x->o->border.force : NULL;
    for (int node = 0; node < y.nodes; node++)
      for (int j = 0; j < y.b; j++) {
        int k = node * y.b + j;
        lanes *now = x->z + l->right + y.rhs + node * y.width + j, *s0 = x->z + l->before + k,
              *s = x->z + l->after + k, *w1 = x->z + l->w1 + y.w + k, *w2 = x->z + l->w2 + y.w + k;
        if (force && force[k]) { /* it has neither velocity nor acceleration */
          lanes q = opened(BACK, s + y.q);
          add(BACK, &q, 1, now);
          if (x->balance) add(BACK, &q, 1, s0 + y.q);
          closed(BACK, s + y.q, q);
          s[y.v] = s[y.a] = s[y.aux] = all(0);
        } else if (BACK) {
          lanes q = s[y.q], fast = s[y.v], aux = s[y.aux],
                faster = s[y.a] + (x->balance ? aux : all(v->aux_new) * aux);
          if (x->balance) s0[y.q] += q;
          if (steps) s0[y.a] += all(v->aux_old) * aux;
          if (!x->balance) s0[y.aux] += steps ? all(v->aux_aux) * aux : aux;
          *now += q + all(x->w.v_q) * fast + all(x->w.a_q) * faster;
          *w1 -= fast;
          *w2 -= faster;
          s[y.q] = s[y.v] = s[y.a] = s[y.aux] = all(0);
        } else {
          lanes faster = all(x->w.a_q) * *now - *w2;
          s[y.q] = x->balance ? s0[y.q] + *now : *now;
          s[y.v] = all(x->w.v_q) * *now - *w1;
          s[y.a] = faster;
          s[y.aux] = x->balance ? faster
                     : !steps
                         ? s0[y.aux]
                         : all(v->aux_new) * faster + all(v->aux_old) * s0[y.a] + all(v->aux_aux) * s0[y.aux];
        }
      }
  }
}

/* Friction forces; and where springs took hold. */
static void NAME(friction)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.n_cables; i++) {
    const cable *c = &x->o->m.cable[i];
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1; n++)
        put(BACK, x->z + l->after + l->cable[i].f + k * (c->dim - 1) + n, 1,
            x->z + cps_model_friction_row(x->o, i, k, n));
    copy(BACK, x->z, l->after + l->cable[i].start, l->before + l->cable[i].start, c->n_points * c->dim);
  }
  copy(BACK, x->z, l->after + l->drum_start, l->before + l->drum_start, starts_of(x->o));
}

/* States of laws: in statics they stay; else the list `recall` says what becomes of them and their rates. */
static void NAME(fresh_states)(const sweep *x) {
  const layout *l = &x->o->at;
  if (x->what->kind == OP_SOLVE)
    copy(BACK, x->z, l->after + l->z, l->before + l->z, 3 * l->zs);
  else
    clear(x->z, l->after + l->z, 3 * l->zs);
}

static void NAME(states)(const sweep *x) {
  if (x->what->kind != OP_SOLVE) apply(BACK, &x->o->recall, x->z);
}

static void NAME(auxiliary)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int k = 0; k < l->zs && x->what->kind != OP_SOLVE; k++) {
    lanes *y0 = x->z + l->before + k, *y1 = x->z + l->after + k, sum = opened(BACK, y1 + l->z_aux);
    if (!cps_model_touches(x->o, k)) continue; /* it has no rates */
    add(BACK, &sum, x->balance ? 1 : x->w.step.z.aux_new, y1 + l->z_t);
    if (!x->balance) add(BACK, &sum, x->w.step.z.aux_old, y0 + l->z_t);
    if (!x->balance) add(BACK, &sum, x->w.step.z.aux_aux, y0 + l->z_aux);
    closed(BACK, y1 + l->z_aux, sum);
  }
}

/* Reactions of ends on rims that follow the border in part are found anew. */
static void NAME(fresh_reactions)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (cps_reaction_prescribed(&x->o->m, &x->o->m.cable[i], e))
        clear(x->z, l->after + l->cable[i].reaction + e * x->o->m.dim, x->o->m.dim);
}

static void NAME(react_rims)(const sweep *x) { apply(BACK, &x->o->reacts, x->z); }

/* ------------------------------------------------------------------ works */

static void NAME(keep_works)(const sweep *x) {
  const layout *l = &x->o->at;
  copy(BACK, x->z, l->after + l->works, l->before + l->works, states_of(x) - l->works);
}

/* Works of elements, by the states at both ends of the step. */
static void NAME(work_elements)(const sweep *x) {
  const layout *l = &x->o->at;
  const chain_work *d = &x->o->dense;
  lanes *works = x->z + l->after + l->works, solver = works[WK_SOLVER], damping = works[WK_DAMPING];
  for (int i = 0; i < x->o->m.n_cables && x->o->has_dense; i++) {
    const cable_at *at = &l->cable[i];
    for (int k = 0; k < at->e; k++) {
      int w = at->w + k;
      lanes *y0 = x->z + l->before + k, *y1 = x->z + l->after + k;
      share(BACK, &solver, d->solver_q[w], &damping, d->damping_q[w], y1 + at->q);
      share(BACK, &solver, -d->solver_q[w], &damping, -d->damping_q[w], y0 + at->q);
      share(BACK, &solver, d->solver_u[w] + d->solver_v[w], &damping, d->damping_u[w], y1 + at->v);
      share(BACK, &solver, d->solver_u[w] - d->solver_v[w], &damping, d->damping_u[w], y0 + at->v);
      add(BACK, &solver, d->solver_a[w], y1 + at->a);
      add(BACK, &solver, d->solver_a[w], y0 + at->a);
    }
  }
  works[WK_SOLVER] = solver;
  works[WK_DAMPING] = damping;
}

/* ------------------------------------------------------------------ statics, the start, and jumps */

static void NAME(rest)(const sweep *x) {
  const layout *l = &x->o->at;
  clear(x->z, l->before + l->border + l->nb, 3 * l->nb);
  for (int i = 0; i < x->o->m.n_cables; i++)
    clear(x->z, l->before + l->cable[i].v, 3 * l->cable[i].e); /* v, a and aux are neighbours */
}

static void NAME(move_rims)(const sweep *x) {
  for (int i = 0; i < x->o->m.n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (cps_end_is(x->o->m.cable[i].end[e].kind, END_ON_DRUM)) NAME(move_end)(x, i, e);
}

static void NAME(let_go)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int k = 0; k < x->o->m.n_slides; k++) x->z[l->before + l->border + x->o->m.slide[k].f_at] = all(0);
  for (int i = 0; i < x->o->m.n_cables; i++)
    clear(x->z, l->before + l->cable[i].f, x->o->m.cable[i].n_points * (x->o->m.dim - 1));
}

static void NAME(fresh_starts)(const sweep *x) {
  const layout *l = &x->o->at;
  clear(x->z, l->after + l->drum_start, starts_of(x->o));
  for (int i = 0; i < x->o->m.n_cables; i++)
    clear(x->z, l->after + l->cable[i].start, x->o->m.cable[i].n_points * x->o->m.dim);
}

static void NAME(hold)(const sweep *x) {
  const layout *l = &x->o->at;
  copy(BACK, x->z, l->before + l->drum_start, l->after + l->drum_start, starts_of(x->o));
  for (int i = 0; i < x->o->m.n_cables; i++)
    copy(BACK, x->z, l->before + l->cable[i].start, l->after + l->cable[i].start,
         x->o->m.cable[i].n_points * x->o->m.dim);
}

static void NAME(remember)(const sweep *x) {
  const layout *l = &x->o->at;
  copy(BACK, x->z, l->before + l->z, l->after + l->z, 3 * l->zs);
}

/* Velocities as at the start. */
static void NAME(start)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int k = l->border + l->nb; k < l->border + 2 * l->nb; k++)
    put(BACK, x->z + l->before + k, 1, x->initial + k);
  for (int i = 0; i < x->o->m.n_cables; i++) {
    const cable *c = &x->o->m.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->dim && cps_end_is(c->end[e].kind, END_ON_BODY); j++) {
        int k = l->cable[i].v + (e ? c->n : 0) * c->b + j;
        put(BACK, x->z + l->before + k, 1, x->initial + k);
      }
  }
}

static void NAME(store)(const sweep *x) {
  const layout *l = &x->o->at;
  put(BACK, x->z + l->before + l->works + WK_INITIAL, 1, x->z + l->result);
}

/* Bodies that are held no longer: kinetic energy is work of what moves them. */
static void NAME(lose)(const sweep *x) {
  const layout *l = &x->o->at;
  add(BACK, x->z + l->before + l->works + WK_MOTION, -1, x->z + l->result);
}

static void NAME(gain)(const sweep *x) {
  const layout *l = &x->o->at;
  add(BACK, x->z + l->before + l->works + WK_MOTION, 1, x->z + l->result);
}

static void NAME(release)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.of->n_bodies; i++) {
    int n = 0, at = velocity_of(x->o, i, &n);
    for (int d = 0; d < n && at >= 0; d++)
      put(BACK, x->z + l->before + at + d, 1, x->z + l->theta + l->release_theta + 3 * i + d);
  }
}

/* Where changes of states of slides wait until all are known. */
static void NAME(fresh_stars)(const sweep *x) {
  const layout *l = &x->o->at;
  clear(x->z, l->z_star + l->slide_memory, l->zs - l->slide_memory);
}

/* A motion that begins as it is. */
static void NAME(begin_rates)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i <= x->o->m.n_cables; i++) {
    block y = block_of(x->o, i);
    copy(BACK, x->z, l->before + y.aux, l->before + y.a, y.nodes * y.b);
  }
}

/* Nodes of cables go on as they do. */
static void NAME(keep_nodes)(const sweep *x) {
  const layout *l = &x->o->at;
  for (int i = 0; i < x->o->m.n_cables; i++) {
    copy(BACK, x->z, l->after + l->cable[i].a, l->before + l->cable[i].a, l->cable[i].e);
    copy(BACK, x->z, l->after + l->cable[i].aux, l->before + l->cable[i].aux, l->cable[i].e);
  }
}

/* ------------------------------------------------------------------ all of it */

#define RIMS NAME(fresh_rims), NAME(rims)
#define SOLVE                                                                                                \
  NAME(combine), NAME(predict_ends), NAME(predict_bonds), NAME(predict_states), NAME(fresh_rows),            \
      NAME(inertia), NAME(present), NAME(react_free), NAME(given), NAME(bind), NAME(follow_rims),            \
      NAME(brake), NAME(solve_rows), NAME(react_solved), NAME(unknowns), NAME(friction), NAME(tie_after),    \
      NAME(fresh_states), NAME(states), NAME(auxiliary), NAME(fresh_reactions), NAME(react_rims)
#define WORKS  NAME(keep_works), NAME(worked), NAME(work_elements), NAME(hand_over)
#define ENERGY NAME(copy_out), NAME(fresh_results)

static stage *const *NAME(stages_of)(const machine_op *what, int remembers) {
  static stage *const table[][STAGES] = {
      [OP_REST] = {NAME(rest), NAME(move_rims)},
      [OP_LET_GO] = {NAME(let_go)},
      [OP_HOLD] = {NAME(fresh_starts), NAME(listed), NAME(hold)},
      [OP_SOLVE] = {RIMS, SOLVE, NAME(keep_works), NAME(hand_over)},
      [OP_REMEMBER] = {NAME(fresh_states), NAME(listed), NAME(remember)},
      [OP_START] = {NAME(start), NAME(move), RIMS, NAME(tie_before), NAME(follow)},
      [OP_RELEASE] = {ENERGY, NAME(listed), NAME(lose), NAME(release), RIMS, NAME(tie_before), NAME(follow),
                      ENERGY, NAME(worked), NAME(gain)},
      [OP_INITIAL] = {ENERGY, NAME(listed), NAME(store)},
      [OP_GUARD] = {RIMS, NAME(fresh_results), NAME(fresh_stars), NAME(listed), NAME(tie_before),
                    NAME(follow)},
      [OP_BEGIN] = {RIMS, NAME(move), NAME(tie_before), SOLVE, NAME(keep_works), NAME(hand_over),
                    NAME(forget), NAME(learn_before)},
      [OP_SHIFT] = {RIMS, NAME(listed), NAME(move), NAME(tie_before)},
      [OP_BALANCE] = {RIMS, NAME(move), NAME(tie_before), SOLVE, NAME(keep_works), NAME(hand_over)},
      [OP_STEP] = {RIMS, SOLVE, WORKS},
      [OP_ROW] = {ENERGY, NAME(listed)},
      [OP_BDF] = {RIMS, SOLVE, NAME(age), NAME(learn_after), WORKS},
      [OP_REACH] = {RIMS, SOLVE, NAME(age), NAME(learn_after), NAME(reach)},
      [OP_BETWEEN] = {RIMS, NAME(keep), NAME(polynomial), NAME(between), NAME(move), NAME(tie_before), SOLVE,
                      NAME(unkeep), WORKS}};
  static stage *const plain[] = {
      RIMS, NAME(move), NAME(tie_before), NAME(begin_rates), NAME(forget), NAME(learn_before), NULL};
  static stage *const memory[] = {RIMS,
                                  NAME(move),
                                  NAME(tie_before),
                                  NAME(begin_rates),
                                  NAME(copy_out),
                                  NAME(predict_states),
                                  NAME(fresh_states),
                                  NAME(states),
                                  NAME(auxiliary),
                                  NAME(hand_over),
                                  NAME(forget),
                                  NAME(learn_before),
                                  NULL};
  static stage *const between[] = {RIMS,
                                   NAME(keep),
                                   NAME(polynomial),
                                   NAME(between),
                                   NAME(move),
                                   NAME(tie_before),
                                   NAME(copy_out),
                                   NAME(unkeep),
                                   WORKS,
                                   NULL};
  static stage *const stays[] = {RIMS,
                                 NAME(move),
                                 NAME(tie_before),
                                 SOLVE,
                                 NAME(keep_nodes),
                                 NAME(keep_works),
                                 NAME(hand_over),
                                 NAME(forget),
                                 NAME(learn_before),
                                 NULL};
  if (what->kind == OP_BEGIN && what->stays) return stays;
  if (what->kind == OP_BEGIN && !what->balanced) return remembers ? memory : plain;
  return what->kind == OP_BETWEEN && !what->balanced ? between : table[what->kind];
}

static void NAME(go)(const sweep *x) {
  stage *const *stages = NAME(stages_of)(x->what, x->o->recall.n > 0);
  int n = 0;
  while (stages[n]) n++;
  for (int k = 0; k < n; k++) stages[BACK ? n - 1 - k : k](x);
}

#undef RIMS
#undef SOLVE
#undef WORKS
#undef ENERGY
