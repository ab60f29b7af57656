/* sens_sweep.h - the arithmetic of sensitivities of cables: matrices, solutions, and what multiplies four tangents or
 * adjoints at once. Compiled twice, by sens_sweep.c and, for processors with AVX2, by sens_sweep_wide.c, which define
 * SWEEP(x); sens_ops.c and sens_chain.c ask which one to call. In the second one products and sums are
 * fused. */
#include "dense.h"
#include "element_recipe.h"

#include "sens_ops.h"

/* ------------------------------------------------------------------ lists */

static void apply(const entries *list, lanes *z) {
  for (int i = 0; i < list->n; i++) z[list->e[i].row] += all(list->e[i].by) * z[list->e[i].column];
}

static void apply_transposed(const entries *list, lanes *z) {
  for (int i = 0; i < list->n; i++) z[list->e[i].column] += all(list->e[i].by) * z[list->e[i].row];
}

void SWEEP(apply)(const entries *list, lanes *z, int transposed) {
  if (transposed)
    apply_transposed(list, z);
  else
    apply(list, z);
}

/* ------------------------------------------------------------------ elements */

#define DIM     2
#define NAME(x) x##_2
#include "cable_elements.h"
#include "sens_chain_pass.h"
#undef DIM
#undef NAME
#define DIM     3
#define NAME(x) x##_3
#include "cable_elements.h"
#include "sens_chain_pass.h"
#undef DIM
#undef NAME

void SWEEP(forces)(const cable *c, chain_part part, double *length, double *f) {
  if (c->dim == 2)
    forces_2(c, part, length, f);
  else
    forces_3(c, part, length, f);
}

void SWEEP(assemble)(chain_matrix *a, const cable *c, double v_q, double a_q) {
  if (c->dim == 2)
    assemble_2(a, c, v_q, a_q);
  else
    assemble_3(a, c, v_q, a_q);
}

/* ------------------------------------------------------------------ solving */

/* Each number of unknowns per node with loops of known length. */
#define B       5
#define NAME(x) x##_5
#include "sens_chain_solve.h"
#undef B
#undef NAME
#define B       6
#define NAME(x) x##_6
#include "sens_chain_solve.h"
#undef B
#undef NAME
#define B       8
#define NAME(x) x##_8
#include "sens_chain_solve.h"
#undef B
#undef NAME
#define B       10
#define NAME(x) x##_10
#include "sens_chain_solve.h"
#undef B
#undef NAME
#define B       16
#define NAME(x) x##_16
#include "sens_chain_solve.h"
#undef B
#undef NAME

int SWEEP(factor)(chain_matrix *a) {
  return a->b == 5    ? factor_5(a)
         : a->b == 6  ? factor_6(a)
         : a->b == 8  ? factor_8(a)
         : a->b == 10 ? factor_10(a)
                      : factor_16(a);
}

static void solve_once(const chain_matrix *a, lanes *x) {
  if (a->b == 5)
    solve_5(a, x);
  else if (a->b == 6)
    solve_6(a, x);
  else if (a->b == 8)
    solve_8(a, x);
  else if (a->b == 10)
    solve_10(a, x);
  else
    solve_16(a, x);
}

static void transposed_once(const chain_matrix *a, lanes *x) {
  if (a->b == 5)
    transposed_5(a, x);
  else if (a->b == 6)
    transposed_6(a, x);
  else if (a->b == 8)
    transposed_8(a, x);
  else if (a->b == 10)
    transposed_10(a, x);
  else
    transposed_16(a, x);
}

/* Iterations that take out what was added to the diagonal: each leaves a hundredth. */
enum { TAKEN_OUT = 6 };

/* (A + E) x = b + E x, with the factors of A + E. */
static void take_out(const chain_matrix *a, void (*once)(const chain_matrix *, lanes *), lanes *x) {
  int rows = a->nodes * a->b;
  if (a->extra) memcpy(a->right, x, (size_t)rows * sizeof *x);
  once(a, x);
  for (int it = 0; it < TAKEN_OUT && a->extra; it++) {
    for (int k = 0; k < rows; k++) x[k] = a->right[k] + all(a->extra[k]) * x[k];
    once(a, x);
  }
}

static void solve(const chain_matrix *a, lanes *x) { take_out(a, solve_once, x); }

static void solve_transposed(const chain_matrix *a, lanes *x) { take_out(a, transposed_once, x); }

void SWEEP(solve)(const chain_matrix *a, lanes *x) { solve(a, x); }

/* How w1 and w2 depend on q, v, aux, a before a solve: weights of each. */
typedef struct weights {
  double w1[4], w2[4];
  double v_q, a_q;
  alpha_weights step;
} weights;

/* Whether it is an implicit step in time, and whether it is one of bdf. */
static int is_bdf(const op *what) { return what->kind == OP_BDF || what->kind == OP_REACH; }

static int is_step(const op *what) { return what->kind == OP_STEP || is_bdf(what); }

static weights weights_of(const model *o, const op *what) {
  double v_q = what->coeffs.v_a / what->coeffs.q_a, a_q = 1 / what->coeffs.q_a, h = what->h;
  weights w = {.v_q = v_q, .a_q = a_q};
  if (what->kind == OP_STEP) {
    w.step = cps_machine_weights(&o->m, h);
    w.w1[0] = v_q;
    w.w1[1] = v_q * h - 1;
    w.w1[2] = v_q * w.step.q_aux - w.step.v.x_aux;
    w.w1[3] = v_q * (w.step.q_old + w.step.q_new) - (w.step.v.x_old + w.step.v.x_new);
    w.w2[0] = a_q;
    w.w2[1] = a_q * h;
    w.w2[2] = a_q * w.step.q_aux;
    w.w2[3] = a_q * (w.step.q_old + w.step.q_new) - 1;
  } else if (what->kind == OP_SOLVE) {
    w.w1[0] = v_q;
    w.w2[0] = a_q;
  } else if (!is_bdf(what)) { /* unknowns are changes of q */
    w.w1[1] = -1;
    w.w2[3] = -1;
  }
  return w;
}

static int is_fixed(const cable *c, int e, int j) { return c->fixed[e ? c->n : 0] >> j & 1; }

/* Whether coordinate j of an end is prescribed, and not only held. */
static int is_driven(const cable *c, int e, int j) { return j < c->dim && cps_drive_places(c, e, j); }

/* ------------------------------------------------------------------ forward */

/* Where springs of statics took hold of drums and slides: neighbours in the state. */
static int starts_of(const model *o) { return 4 * o->m.n_drums + o->m.n_slides; }

static void copy(lanes *z, int to, int from, int n) { memcpy(z + to, z + from, (size_t)n * sizeof *z); }

static void clear(lanes *z, int at, int n) { memset(z + at, 0, (size_t)n * sizeof *z); }

#include "sens_sweep_memory.h"
#include "sens_sweep_rim.h"

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

/* w1 and w2 of n coordinates whose q, v, aux and a are there. */
static void combine(const weights *w, int n, const lanes *q, const lanes *v, const lanes *aux, const lanes *a,
                    lanes *w1, lanes *w2) {
  for (int k = 0; k < n; k++) {
    w1[k] = all(w->w1[0]) * q[k] + all(w->w1[1]) * v[k] + all(w->w1[2]) * aux[k] + all(w->w1[3]) * a[k];
    w2[k] = all(w->w2[0]) * q[k] + all(w->w2[1]) * v[k] + all(w->w2[2]) * aux[k] + all(w->w2[3]) * a[k];
  }
}

/* The same of bdf, for all coordinates, and its steps: see sens_sweep_bdf.h. */
static void recall_forward(const model *o, const op *what, const weights *w, lanes *z);
static void recall_backward(const model *o, const op *what, const weights *w, lanes *z);
static void learn_forward(const model *o, int from, int anew, lanes *z);
static void bdf_forward(const model *o, const op *what, lanes *z);

/* The border, and what follows it. */
static void predict_border(const model *o, const op *what, const weights *w, lanes *z) {
  int nb = o->at.nb;
  lanes *b = z + o->at.before + o->at.border, *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  if (!is_bdf(what))
    combine(w, nb, b, b + nb, b + 3 * nb, b + 2 * nb, w1 + o->at.border_w, w2 + o->at.border_w);
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    for (int j = 0; j < x->n; j++) {
      int k = o->at.cable[x->cable].w + x->node * o->m.cable[x->cable].b + j;
      w1[k] = w2[k] = all(0);
      for (int n = 0; n < x->unknowns; n++) {
        w1[k] += all(x->by[j][n]) * w1[o->at.border_w + x->at[n]];
        w2[k] += all(x->by[j][n]) * w2[o->at.border_w + x->at[n]];
      }
      if (!x->rim) continue;
      w1[k] -= z[x->rim + DY_V + j];
      w2[k] -= z[x->rim + DY_A + j];
      if (what->kind != OP_BEGIN) {
        w1[k] += all(w->v_q) * z[x->rim + DY_Q + j];
        w2[k] += all(w->a_q) * z[x->rim + DY_Q + j];
      }
      if (x->turn < 0) continue;
      w2[k] += all(x->a_rate[j]) * w1[o->at.border_w + x->turn];
      if (what->kind != OP_BEGIN) continue; /* what it turns by is unknown: cps_rim_own */
      w1[k] -= all(x->v_turn[j]) * b[x->turn];
      w2[k] -= all(x->a_turn[j]) * b[x->turn];
    }
  }
}

static void predict_forward(const model *o, const op *what, const weights *w, lanes *z) {
  if (is_bdf(what)) recall_forward(o, what, w, z);
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    const lanes *q = z + o->at.before + at->q, *v = z + o->at.before + at->v,
                *aux = z + o->at.before + at->aux, *a = z + o->at.before + at->a;
    lanes *w1 = z + o->at.w1 + at->w, *w2 = z + o->at.w2 + at->w;
    if (!is_bdf(what)) combine(w, at->e, q, v, aux, a, w1, w2);
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        int k = (e ? c->n : 0) * c->b + j;
        if (!is_fixed(c, e, j) || what->kind == OP_BEGIN) continue;
        const lanes *d = z + o->at.d + at->end + e * DY_END + j;
        int driven = is_step(what) && is_driven(c, e, j);
        lanes place = driven ? d[DY_Q] : q[k];
        lanes fast = driven ? d[DY_V] : what->kind == OP_SOLVE ? v[k] : all(0);
        lanes faster = driven ? d[DY_A] : what->kind == OP_SOLVE ? a[k] : all(0);
        w1[k] = all(w->v_q) * place - fast;
        w2[k] = all(w->a_q) * place - faster;
      }
  }
  if (o->at.nb > 0) predict_border(o, what, w, z);
  predict_states(o, what, w, z);
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
        if (c->all_stick) row[c->b + c->slots] = all(0);
        if (what->kind == OP_BEGIN)
          *row = all(0);
        else if (is_step(what) && is_driven(c, e, j))
          *row = z[o->at.d + at->end + e * DY_END + DY_Q + j];
        else
          *row = z[o->at.before + at->q + node * c->b + j];
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1 && o->spot[i][k].drum >= 0 && o->spot[i][k].open; n++)
        z[cps_model_friction_row(o, i, k, n)] = z[o->at.before + at->f + k * (c->dim - 1) + n];
  }
  lanes *border = z + o->at.right + o->at.border_rhs;
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    for (int j = 0; j < x->n; j++) {
      lanes *row = z + cps_model_row(o, x->cable, x->node, j);
      for (int n = 0; n < x->rows; n++) border[x->at[n]] += all(x->by[j][n]) * *row;
      *row = x->rim && what->kind != OP_BEGIN ? z[x->rim + DY_Q + j] : all(0);
    }
  }
  for (int k = 0; k < o->at.nb; k++)
    if (o->border.braked[k]) border[k] = what->kind == OP_BEGIN ? all(0) : z[o->at.before + o->at.border + k];
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
    int wide = at->width;
    for (int node = 0; node <= c->n; node++)
      for (int j = 0; j < c->b; j++) {
        int k = node * c->b + j;
        lanes now = x[node * wide + j];
        q[k] = balance ? q0[k] + now : now;
        v[k] = all(w->v_q) * now - w1[k];
        a[k] = all(w->a_q) * now - w2[k];
        aux[k] = balance                 ? a[k]
                 : what->kind != OP_STEP ? aux0[k]
                                         : all(w->step.v.aux_new) * a[k] + all(w->step.v.aux_old) * a0[k] +
                                               all(w->step.v.aux_aux) * aux0[k];
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1; n++)
        z[o->at.after + at->f + k * (c->dim - 1) + n] = z[cps_model_friction_row(o, i, k, n)];
    copy(z, o->at.after + at->start, o->at.before + at->start, c->n_points * c->dim);
  }
  int nb = o->at.nb;
  const lanes *x = z + o->at.right + o->at.border_rhs, *w1 = z + o->at.w1 + o->at.border_w,
              *w2 = z + o->at.w2 + o->at.border_w, *b0 = z + o->at.before + o->at.border;
  lanes *b = z + o->at.after + o->at.border;
  for (int k = 0; k < nb; k++) {
    b[k] = what->kind == OP_BEGIN ? b0[k] + x[k] : x[k];
    b[nb + k] = all(w->v_q) * x[k] - w1[k];
    b[2 * nb + k] = all(w->a_q) * x[k] - w2[k];
    b[3 * nb + k] = what->kind == OP_BEGIN ? b[2 * nb + k]
                    : what->kind != OP_STEP
                        ? b0[3 * nb + k]
                        : all(w->step.v.aux_new) * b[2 * nb + k] + all(w->step.v.aux_old) * b0[2 * nb + k] +
                              all(w->step.v.aux_aux) * b0[3 * nb + k];
    if (o->border.force[k]) b[nb + k] = b[2 * nb + k] = b[3 * nb + k] = all(0);
  }
  copy(z, o->at.after + o->at.drum_start, o->at.before + o->at.drum_start, starts_of(o));
  tie_rims_forward(o, o->at.after, z);
  states_forward(o, what, w, z);
}

/* What moves an end: its equations as if it were free, before and after they are solved. */
static void reactions_forward(const model *o, int cable_of, int solved, lanes *z) {
  const cable *c = &o->m.cable[cable_of];
  int b = o->matrix[cable_of].b;
  for (int e = 0; e < 2; e++)
    for (int j = 0; j < c->dim; j++) {
      if (!is_fixed(c, e, j) || !is_driven(c, e, j)) continue;
      int node = e ? c->n : 0;
      lanes *reaction = z + o->at.after + o->at.cable[cable_of].reaction + e * c->dim + j;
      if (!solved) *reaction = -z[cps_model_row(o, cable_of, node, j)];
      const lanes *x = z + cps_model_row(o, cable_of, node, 0), *next = e ? x - b : x + b;
      const double *raw = o->raw[cable_of][e][j];
      for (int k = 0; k < b && solved; k++) *reaction += all(raw[k]) * x[k] + all(raw[b + k]) * next[k];
    }
}

/* C w1 + M w2 */
static void inertia_forward(const model *o, int damped, lanes *z) {
  const lanes *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  for (int i = 0; i < o->n_inertia; i++) {
    const chain_product *p = &o->inertia[i];
    lanes sum = all(p->mass) * w2[p->column];
    if (damped) sum += all(p->damping) * w1[p->column];
    z[p->row] += sum;
  }
}

/* Works of elements, by the states at both ends of the step. */
static void works_forward(const model *o, lanes *z) {
  const chain_work *x = &o->dense;
  lanes solver = all(0), damping = all(0);
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    const lanes *y0 = z + o->at.before, *y1 = z + o->at.after;
    for (int k = 0; k < at->e; k++) {
      int w = at->w + k;
      lanes dq = y1[at->q + k] - y0[at->q + k], dv = y1[at->v + k] - y0[at->v + k],
            sv = y1[at->v + k] + y0[at->v + k], sa = y1[at->a + k] + y0[at->a + k];
      solver += all(x->solver_q[w]) * dq + all(x->solver_v[w]) * dv + all(x->solver_a[w]) * sa +
                all(x->solver_u[w]) * sv;
      damping += all(x->damping_q[w]) * dq + all(x->damping_u[w]) * sv;
    }
  }
  z[o->at.after + o->at.works + WK_SOLVER] += solver;
  z[o->at.after + o->at.works + WK_DAMPING] += damping;
}

#include "sens_sweep_border.h"

/* Unknowns of an implicit solve, into the state after it: all before its works. */
static void solve_one_forward(const model *o, const op *what, const weights *w, lanes *z) {
  predict_forward(o, what, w, z);
  clear(z, o->at.right, o->at.rhs);
  inertia_forward(o, what->kind != OP_SOLVE, z);
  apply(&o->now, z);
  for (int i = 0; i < o->m.n_cables; i++) reactions_forward(o, i, 0, z);
  given_forward(o, what, z);
  solve_all(o, z + o->at.right);
  for (int i = 0; i < o->m.n_cables; i++) reactions_forward(o, i, 1, z);
  unknowns_forward(o, what, w, z);
  rim_reactions_clear(o, z);
  apply(&o->reacts, z);
}

static void solve_forward(const model *o, const op *what, lanes *z) {
  weights w = weights_of(o, what);
  rims_forward(o, z);
  if (what->kind == OP_BEGIN) apply(&o->list, z);
  if (what->kind == OP_BEGIN) move_forward(o, z);
  if (what->kind == OP_BEGIN) tie_rims_forward(o, o->at.before, z);
  if (what->kind == OP_BEGIN && !what->balanced) {
    for (int i = 0; i < o->m.n_cables; i++)
      copy(z, o->at.before + o->at.cable[i].aux, o->at.before + o->at.cable[i].a, o->at.cable[i].e);
    copy(z, o->at.before + o->at.border + 3 * o->at.nb, o->at.before + o->at.border + 2 * o->at.nb, o->at.nb);
    begin_states(o, what, &w, z);
    return;
  }
  solve_one_forward(o, what, &w, z);
  copy(z, o->at.after + o->at.works, o->at.before + o->at.works, o->at.states - o->at.works);
  if (what->kind == OP_STEP) apply(&o->work, z);
  if (what->kind == OP_STEP && o->has_dense) works_forward(o, z);
  copy(z, o->at.before, o->at.after, o->at.states);
}

/* Velocities of ends that follow the border. */
static void tie_forward(const model *o, lanes *z) {
  rims_forward(o, z);
  tie_rims_forward(o, o->at.before, z);
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    for (int j = 0; j < x->n && !x->rim; j++) {
      lanes *v = z + o->at.before + o->at.cable[x->cable].v + x->node * o->m.cable[x->cable].b + j;
      *v = all(0);
      for (int n = 0; n < x->unknowns; n++)
        *v += all(x->by[j][n]) * z[o->at.before + o->at.border + o->at.nb + x->at[n]];
    }
  }
}

static void release_forward(const model *o, lanes *z);

void SWEEP(forward)(const model *o, const op *what, const lanes *initial, lanes *z) {
  const layout *l = &o->at;
  if (what->kind == OP_SOLVE || what->kind == OP_BEGIN || what->kind == OP_STEP) {
    solve_forward(o, what, z);
    if (what->kind == OP_BEGIN && l->past > 0) learn_forward(o, l->before, 1, z);
    return;
  }
  if (what->kind >= OP_BDF) {
    bdf_forward(o, what, z);
    return;
  }
  if (what->kind == OP_RELEASE) release_forward(o, z);
  if (what->kind == OP_INITIAL) {
    copy(z, l->after, l->before, l->states);
    z[l->result] = all(0);
    apply(&o->list, z);
    z[l->before + l->works + WK_INITIAL] = z[l->result];
  }
  if (what->kind == OP_REMEMBER) remember_forward(o, z);
  if (what->kind == OP_REST) clear(z, l->before + l->border + l->nb, 3 * l->nb);
  if (what->kind == OP_HOLD) clear(z, l->after + l->drum_start, starts_of(o));
  for (int k = 0; k < o->m.n_slides && what->kind == OP_LET_GO; k++)
    z[l->before + l->border + o->m.slide[k].f_at] = all(0);
  for (int k = 0; k < l->nb && what->kind == OP_START; k++)
    z[l->before + l->border + l->nb + k] = initial[l->border + l->nb + k];
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &l->cable[i];
    int starts = c->n_points * c->dim;
    if (what->kind == OP_REST) {
      clear(z, l->before + at->v, 3 * at->e); /* v, a and aux are neighbours */
      for (int e = 0; e < 2; e++)             /* but what is on a rim goes with it */
        for (int j = 0; j < c->dim && cps_end_is(c->end[e].kind, END_ON_DRUM); j++) {
          int k = (e ? c->n : 0) * c->b + j, d = l->d + at->end + e * DY_END + j;
          if (!is_driven(c, e, j)) continue;
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
        for (int j = 0; j < c->dim && cps_end_is(c->end[e].kind, END_ON_BODY); j++) {
          int k = at->v + (e ? c->n : 0) * c->b + j;
          z[l->before + k] = initial[k];
        }
    }
  }
  if (what->kind == OP_START) move_forward(o, z);
  if (what->kind == OP_START) tie_forward(o, z);
  if (what->kind != OP_HOLD) return;
  apply(&o->list, z);
  for (int i = 0; i < o->m.n_cables; i++)
    copy(z, l->before + l->cable[i].start, l->after + l->cable[i].start,
         o->m.cable[i].n_points * o->m.cable[i].dim);
  copy(z, l->before + l->drum_start, l->after + l->drum_start, starts_of(o));
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
  states_backward(o, what, w, z);
  tie_rims_backward(o, o->at.after, z);
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    int balance = what->kind == OP_BEGIN;
    lanes *x = z + o->at.right + at->rhs;
    lanes *w1 = z + o->at.w1 + at->w, *w2 = z + o->at.w2 + at->w, *q0 = z + o->at.before + at->q,
          *a0 = z + o->at.before + at->a, *aux0 = z + o->at.before + at->aux;
    const lanes *q = z + o->at.after + at->q, *v = z + o->at.after + at->v, *a = z + o->at.after + at->a,
                *aux = z + o->at.after + at->aux;
    int wide = at->width;
    for (int node = 0; node <= c->n; node++)
      for (int j = 0; j < c->b; j++) {
        int k = node * c->b + j;
        lanes by_a = a[k];
        if (balance) {
          by_a += aux[k];
          q0[k] += q[k];
        } else if (what->kind != OP_STEP) {
          aux0[k] += aux[k];
        } else {
          by_a += all(w->step.v.aux_new) * aux[k];
          a0[k] += all(w->step.v.aux_old) * aux[k];
          aux0[k] += all(w->step.v.aux_aux) * aux[k];
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
  int nb = o->at.nb;
  lanes *x = z + o->at.right + o->at.border_rhs, *w1 = z + o->at.w1 + o->at.border_w,
        *w2 = z + o->at.w2 + o->at.border_w, *b0 = z + o->at.before + o->at.border;
  const lanes *b = z + o->at.after + o->at.border;
  for (int k = 0; k < nb; k++) {
    if (o->border.force[k]) {
      x[k] = b[k];
      w1[k] = w2[k] = all(0);
      if (what->kind == OP_BEGIN) b0[k] += b[k];
      continue;
    }
    lanes by_a = b[2 * nb + k];
    if (what->kind == OP_BEGIN) {
      by_a += b[3 * nb + k];
      b0[k] += b[k];
    } else if (what->kind != OP_STEP) {
      b0[3 * nb + k] += b[3 * nb + k];
    } else {
      by_a += all(w->step.v.aux_new) * b[3 * nb + k];
      b0[2 * nb + k] += all(w->step.v.aux_old) * b[3 * nb + k];
      b0[3 * nb + k] += all(w->step.v.aux_aux) * b[3 * nb + k];
    }
    x[k] = b[k] + all(w->v_q) * b[nb + k] + all(w->a_q) * by_a;
    w1[k] = -b[nb + k];
    w2[k] = -by_a;
  }
  for (int k = 0; k < starts_of(o); k++)
    z[o->at.before + o->at.drum_start + k] += z[o->at.after + o->at.drum_start + k];
}

static void given_backward(const model *o, const op *what, lanes *z) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < c->b; j++) {
        if (!is_fixed(c, e, j)) continue;
        int node = e ? c->n : 0, row = cps_model_row(o, i, node, j);
        if (c->all_stick) z[row + c->b + c->slots] = all(0);
        if (what->kind == OP_BEGIN)
          z[row] = all(0);
        else if (is_step(what) && is_driven(c, e, j))
          take(z, o->at.d + at->end + e * DY_END + DY_Q + j, row);
        else
          take(z, o->at.before + at->q + node * c->b + j, row);
      }
    for (int k = 0; k < c->n_points; k++)
      for (int n = 0; n < c->dim - 1 && o->spot[i][k].drum >= 0 && o->spot[i][k].open; n++)
        take(z, o->at.before + at->f + k * (c->dim - 1) + n, cps_model_friction_row(o, i, k, n));
  }
  lanes *border = z + o->at.right + o->at.border_rhs;
  for (int k = 0; k < o->at.nb; k++) {
    if (!o->border.braked[k]) continue;
    if (what->kind != OP_BEGIN) z[o->at.before + o->at.border + k] += border[k];
    border[k] = all(0);
  }
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    for (int j = 0; j < x->n; j++) {
      lanes *row = z + cps_model_row(o, x->cable, x->node, j);
      if (x->rim && what->kind != OP_BEGIN) z[x->rim + DY_Q + j] += *row;
      *row = all(0);
      for (int n = 0; n < x->rows; n++) *row += all(x->by[j][n]) * border[x->at[n]];
    }
  }
}

static void combine_backward(const weights *w, int n, lanes *q, lanes *v, lanes *aux, lanes *a,
                             const lanes *w1, const lanes *w2) {
  for (int k = 0; k < n; k++) {
    q[k] += all(w->w1[0]) * w1[k] + all(w->w2[0]) * w2[k];
    v[k] += all(w->w1[1]) * w1[k] + all(w->w2[1]) * w2[k];
    aux[k] += all(w->w1[2]) * w1[k] + all(w->w2[2]) * w2[k];
    a[k] += all(w->w1[3]) * w1[k] + all(w->w2[3]) * w2[k];
  }
}

static void predict_border_backward(const model *o, const op *what, const weights *w, lanes *z) {
  int nb = o->at.nb;
  lanes *b = z + o->at.before + o->at.border, *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    for (int j = 0; j < x->n; j++) {
      int k = o->at.cable[x->cable].w + x->node * o->m.cable[x->cable].b + j;
      for (int n = 0; n < x->unknowns; n++) {
        w1[o->at.border_w + x->at[n]] += all(x->by[j][n]) * w1[k];
        w2[o->at.border_w + x->at[n]] += all(x->by[j][n]) * w2[k];
      }
      if (x->rim) {
        z[x->rim + DY_V + j] -= w1[k];
        z[x->rim + DY_A + j] -= w2[k];
        if (what->kind != OP_BEGIN) z[x->rim + DY_Q + j] += all(w->v_q) * w1[k] + all(w->a_q) * w2[k];
        if (x->turn >= 0) w1[o->at.border_w + x->turn] += all(x->a_rate[j]) * w2[k];
        if (x->turn >= 0 && what->kind == OP_BEGIN)
          b[x->turn] -= all(x->v_turn[j]) * w1[k] + all(x->a_turn[j]) * w2[k];
      }
      w1[k] = w2[k] = all(0);
    }
  }
  if (is_bdf(what)) return;
  combine_backward(w, nb, b, b + nb, b + 3 * nb, b + 2 * nb, w1 + o->at.border_w, w2 + o->at.border_w);
}

static void predict_backward(const model *o, const op *what, const weights *w, lanes *z) {
  predict_states_backward(o, what, w, z);
  if (o->at.nb > 0) predict_border_backward(o, what, w, z);
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
        int driven = is_step(what) && is_driven(c, e, j);
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
    if (!is_bdf(what)) combine_backward(w, at->e, q, v, aux, a, w1, w2);
  }
  if (is_bdf(what)) recall_backward(o, what, w, z);
}

static void reactions_backward(const model *o, int cable_of, int solved, lanes *z) {
  const cable *c = &o->m.cable[cable_of];
  int b = o->matrix[cable_of].b;
  for (int e = 0; e < 2; e++)
    for (int j = 0; j < c->dim; j++) {
      if (!is_fixed(c, e, j) || !is_driven(c, e, j)) continue;
      int node = e ? c->n : 0;
      lanes bar = z[o->at.after + o->at.cable[cable_of].reaction + e * c->dim + j];
      if (!solved) z[cps_model_row(o, cable_of, node, j)] = -bar;
      lanes *x = z + cps_model_row(o, cable_of, node, 0), *next = e ? x - b : x + b;
      const double *raw = o->raw[cable_of][e][j];
      for (int k = 0; k < b && solved; k++) {
        x[k] += all(raw[k]) * bar;
        next[k] += all(raw[b + k]) * bar;
      }
    }
}

static void inertia_backward(const model *o, int damped, lanes *z) {
  lanes *w1 = z + o->at.w1, *w2 = z + o->at.w2;
  for (int i = 0; i < o->n_inertia; i++) {
    const chain_product *p = &o->inertia[i];
    lanes bar = z[p->row];
    w2[p->column] += all(p->mass) * bar;
    if (damped) w1[p->column] += all(p->damping) * bar;
  }
}

static void works_backward(const model *o, lanes *z) {
  const chain_work *x = &o->dense;
  lanes solver = z[o->at.after + o->at.works + WK_SOLVER],
        damping = z[o->at.after + o->at.works + WK_DAMPING];
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable_at *at = &o->at.cable[i];
    lanes *y0 = z + o->at.before, *y1 = z + o->at.after;
    for (int k = 0; k < at->e; k++) {
      int w = at->w + k;
      lanes dq = all(x->solver_q[w]) * solver + all(x->damping_q[w]) * damping,
            dv = all(x->solver_v[w]) * solver;
      lanes sv = all(x->solver_u[w]) * solver + all(x->damping_u[w]) * damping,
            sa = all(x->solver_a[w]) * solver;
      y1[at->q + k] += dq;
      y0[at->q + k] -= dq;
      y1[at->v + k] += dv + sv;
      y0[at->v + k] += sv - dv;
      y1[at->a + k] += sa;
      y0[at->a + k] += sa;
    }
  }
}

/* Adds to what is in the state before. */
static void solve_one_backward(const model *o, const op *what, const weights *w, lanes *z) {
  clear(z, o->at.right, o->at.rhs);
  apply_transposed(&o->reacts, z);
  rim_reactions_clear(o, z);
  unknowns_backward(o, what, w, z);
  for (int i = 0; i < o->m.n_cables; i++) reactions_backward(o, i, 1, z);
  solve_all_transposed(o, z + o->at.right);
  given_backward(o, what, z);
  for (int i = 0; i < o->m.n_cables; i++) reactions_backward(o, i, 0, z);
  apply_transposed(&o->now, z);
  inertia_backward(o, what->kind != OP_SOLVE, z);
  predict_backward(o, what, w, z);
}

static void solve_backward(const model *o, const op *what, lanes *z) {
  weights w = weights_of(o, what);
  if (what->kind == OP_BEGIN && !what->balanced) {
    begin_states_backward(o, what, &w, z);
    for (int i = 0; i < o->m.n_cables; i++)
      for (int k = 0; k < o->at.cable[i].e; k++)
        take(z, o->at.after + o->at.cable[i].a + k, o->at.after + o->at.cable[i].aux + k);
    for (int k = 0; k < o->at.nb; k++)
      take(z, o->at.after + o->at.border + 2 * o->at.nb + k, o->at.after + o->at.border + 3 * o->at.nb + k);
    tie_rims_backward(o, o->at.after, z);
    apply_transposed(&o->tied, z);
    move_backward(o, o->at.after, z);
    return;
  }
  clear(z, o->at.before, o->at.states);
  if (what->kind == OP_STEP) apply_transposed(&o->work, z);
  if (what->kind == OP_STEP && o->has_dense) works_backward(o, z);
  for (int k = o->at.works; k < o->at.states; k++) z[o->at.before + k] += z[o->at.after + k];
  solve_one_backward(o, what, &w, z);
  if (what->kind == OP_BEGIN) tie_rims_backward(o, o->at.before, z);
  apply_transposed(&o->tied, z);
  if (what->kind == OP_BEGIN) move_backward(o, o->at.before, z);
  copy(z, o->at.after, o->at.before, o->at.states);
}

static void tie_backward(const model *o, lanes *z) {
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    for (int j = 0; j < x->n && !x->rim; j++) {
      lanes *v = z + o->at.after + o->at.cable[x->cable].v + x->node * o->m.cable[x->cable].b + j;
      for (int n = 0; n < x->unknowns; n++)
        z[o->at.after + o->at.border + o->at.nb + x->at[n]] += all(x->by[j][n]) * *v;
      *v = all(0);
    }
  }
  tie_rims_backward(o, o->at.after, z);
  apply_transposed(&o->tied, z);
}

#include "sens_sweep_release.h"

/* By the time of a jump; the list has rows of the state before, whose adjoints are back in `after`. */
static void break_backward(const model *o, lanes *z) {
  for (int i = 0; i < o->list.n; i++) {
    const entry *e = &o->list.e[i];
    z[e->column] += all(e->by) * z[e->row - o->at.before + o->at.after];
  }
}

#include "sens_sweep_bdf.h"

void SWEEP(backward)(const model *o, const op *what, lanes *initial, lanes *z) {
  const layout *l = &o->at;
  clear(z, l->d, l->ds);
  clear(z, l->d0, l->ds);
  if (what->kind == OP_SOLVE || what->kind == OP_BEGIN || what->kind == OP_STEP) {
    if (what->kind == OP_BEGIN && l->past > 0) learn_backward(o, l->after, 1, z);
    solve_backward(o, what, z);
    if (what->kind == OP_BEGIN) break_backward(o, z);
    return;
  }
  if (what->kind >= OP_BDF) {
    bdf_backward(o, what, z);
    return;
  }
  if (what->kind == OP_RELEASE) release_backward(o, z);
  if (what->kind == OP_START) tie_backward(o, z);
  if (what->kind == OP_START) move_backward(o, l->after, z);
  for (int k = 0; k < l->nb && what->kind == OP_START; k++) {
    initial[l->border + l->nb + k] += z[l->after + l->border + l->nb + k];
    z[l->after + l->border + l->nb + k] = all(0);
  }
  if (what->kind == OP_REST) clear(z, l->after + l->border + l->nb, 3 * l->nb);
  for (int k = 0; k < o->m.n_slides && what->kind == OP_LET_GO; k++)
    z[l->after + l->border + o->m.slide[k].f_at] = all(0);
  if (what->kind == OP_REMEMBER) remember_backward(o, z);
  if (what->kind == OP_INITIAL) {
    z[l->result] = all(0);
    take(z, l->result, l->after + l->works + WK_INITIAL);
    apply_transposed(&o->list, z);
    z[l->result] = all(0);
  }
  if (what->kind == OP_HOLD) { /* the list reads the state before, which otherwise stays */
    copy(z, l->before, l->after, l->states);
    for (int i = 0; i < o->m.n_cables; i++)
      clear(z, l->before + l->cable[i].start, o->m.cable[i].n_points * o->m.cable[i].dim);
    clear(z, l->before + l->drum_start, starts_of(o));
    apply_transposed(&o->list, z);
    copy(z, l->after, l->before, l->states);
    return;
  }
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &l->cable[i];
    if (what->kind == OP_REST) {
      for (int e = 0; e < 2; e++)
        for (int j = 0; j < c->dim && cps_end_is(c->end[e].kind, END_ON_DRUM); j++) {
          int k = (e ? c->n : 0) * c->b + j, d = l->d + at->end + e * DY_END + j;
          if (!is_driven(c, e, j)) continue;
          take(z, d + DY_Q, l->after + at->q + k);
          take(z, d + DY_V, l->after + at->v + k);
          take(z, d + DY_A, l->after + at->a + k);
        }
      clear(z, l->after + at->v, 3 * at->e);
    } else if (what->kind == OP_LET_GO) {
      clear(z, l->after + at->f, c->n_points * (c->dim - 1));
    } else if (what->kind == OP_START) {
      for (int e = 0; e < 2; e++)
        for (int j = 0; j < c->dim && cps_end_is(c->end[e].kind, END_ON_BODY); j++) {
          int k = at->v + (e ? c->n : 0) * c->b + j;
          initial[k] += z[l->after + k];
          z[l->after + k] = all(0);
        }
    }
  }
}
