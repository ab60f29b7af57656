/* sens_sweep_rim.h - ends on rims of drums that turn freely or are carried, in tangents and adjoints: part of sens_sweep.h. See
 * sens_rim.c. */

/* Numbers of ends on rims that follow the border, but for what they follow. */
static void rims_forward(const model *o, lanes *z) {
  for (int i = 0; i < o->border.bonds; i++)
    if (o->border.bond[i].rim) clear(z, o->border.bond[i].rim + DY_Q, DY_END - DY_Q);
  apply(&o->tied, z);
}

/* Their reactions, after a solve, are found anew. */
static void rim_reactions_clear(const model *o, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (cps_reaction_prescribed(&o->m, &o->m.cable[i], e))
        clear(z, o->at.after + o->at.cable[i].reaction + e * o->m.dim, o->m.dim);
}

/* Such an end in a state: place, velocity and acceleration. */
static void rim_forward(const model *o, const chain_bond *x, int state, lanes *z) {
  const lanes *b = z + state + o->at.border, *own = z + x->rim;
  const cable_at *at = &o->at.cable[x->cable];
  int nb = o->at.nb, first = x->node * o->m.cable[x->cable].b;
  for (int j = 0; j < x->n; j++) {
    lanes q = own[DY_Q + j], v = own[DY_V + j], a = own[DY_A + j];
    for (int n = 0; n < x->unknowns; n++) {
      q += all(x->by[j][n]) * b[x->at[n]];
      v += all(x->by[j][n]) * b[nb + x->at[n]];
      a += all(x->by[j][n]) * b[2 * nb + x->at[n]];
    }
    if (x->turn >= 0) {
      v += all(x->v_turn[j]) * b[x->turn];
      a += all(x->a_turn[j]) * b[x->turn] + all(x->a_rate[j]) * b[nb + x->turn];
    }
    z[state + at->q + first + j] = q;
    z[state + at->v + first + j] = v;
    z[state + at->a + first + j] = a;
  }
}

static void tie_rims_forward(const model *o, int state, lanes *z) {
  for (int i = 0; i < o->border.bonds; i++)
    if (o->border.bond[i].rim) rim_forward(o, &o->border.bond[i], state, z);
}

/* ------------------------------------------------------------------ transposed */

static void rim_backward(const model *o, const chain_bond *x, int state, lanes *z) {
  lanes *b = z + state + o->at.border, *own = z + x->rim;
  const cable_at *at = &o->at.cable[x->cable];
  int nb = o->at.nb, first = x->node * o->m.cable[x->cable].b;
  for (int j = 0; j < x->n; j++) {
    lanes q = z[state + at->q + first + j], v = z[state + at->v + first + j],
          a = z[state + at->a + first + j];
    own[DY_Q + j] += q;
    own[DY_V + j] += v;
    own[DY_A + j] += a;
    for (int n = 0; n < x->unknowns; n++) {
      b[x->at[n]] += all(x->by[j][n]) * q;
      b[nb + x->at[n]] += all(x->by[j][n]) * v;
      b[2 * nb + x->at[n]] += all(x->by[j][n]) * a;
    }
    if (x->turn >= 0) {
      b[x->turn] += all(x->v_turn[j]) * v + all(x->a_turn[j]) * a;
      b[nb + x->turn] += all(x->a_rate[j]) * a;
    }
    z[state + at->q + first + j] = z[state + at->v + first + j] = z[state + at->a + first + j] = all(0);
  }
}

static void tie_rims_backward(const model *o, int state, lanes *z) {
  for (int i = 0; i < o->border.bonds; i++)
    if (o->border.bond[i].rim) rim_backward(o, &o->border.bond[i], state, z);
}
