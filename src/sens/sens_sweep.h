/* sens_sweep.h - the arithmetic of sensitivities of cables: matrices, solutions, and what multiplies four tangents or
 * adjoints at once. Compiled twice, by sens_sweep.c and, for processors with AVX2, by sens_sweep_wide.c, which define
 * SWEEP(x); sens_ops.c and sens_chain.c ask which one to call. In the second one products and sums are
 * fused. */
#include "dense.h"
#include "element_recipe.h"

#include "sens_ops.h"

/* ------------------------------------------------------------------ elementary maps */

#define NUMBER lanes
#define OF(x)  all(x)
#include "sens_elementary.h"

/* Two sums that have a part of the same number. */
INLINE void share(int back, lanes *sum, double by, lanes *other, double by_other, lanes *from) {
  if (back) {
    *from += all(by) * *sum + all(by_other) * *other;
  } else {
    *sum += all(by) * *from;
    *other += all(by_other) * *from;
  }
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

typedef struct solver {
  int b;
  int (*factor)(chain_matrix *);
  void (*solve)(const chain_matrix *, lanes *), (*transposed)(const chain_matrix *, lanes *);
} solver;

static const solver *solver_of(const chain_matrix *a) {
  static const solver all_of[] = {{5, factor_5, solve_5, transposed_5},
                                  {6, factor_6, solve_6, transposed_6},
                                  {8, factor_8, solve_8, transposed_8},
                                  {10, factor_10, solve_10, transposed_10},
                                  {16, factor_16, solve_16, transposed_16}};
  int i = 0;
  while (all_of[i].b != a->b) i++;
  return &all_of[i];
}

int SWEEP(factor)(chain_matrix *a) { return solver_of(a)->factor(a); }

/* Iterations that take out what was added to the diagonal: each leaves a hundredth. */
enum { TAKEN_OUT = 6 };

/* (A + E) x = b + E x, with the factors of A + E; or the transposed. */
static void solve(int back, const chain_matrix *a, lanes *x) {
  void (*once)(const chain_matrix *, lanes *) = back ? solver_of(a)->transposed : solver_of(a)->solve;
  int rows = a->nodes * a->b;
  if (a->extra) memcpy(a->right, x, (size_t)rows * sizeof *x);
  once(a, x);
  for (int it = 0; it < TAKEN_OUT && a->extra; it++) {
    for (int k = 0; k < rows; k++) x[k] = a->right[k] + all(a->extra[k]) * x[k];
    once(a, x);
  }
}

void SWEEP(solve)(const chain_matrix *a, lanes *x) { solve(0, a, x); }

/* P S y = L U y = r, in place, or the transposed. */
static void solve_border(int back, const model *o, lanes *y) {
  int nb = o->at.nx;
  const double *s = o->border.s;
  if (!s) {
    cps_border_solve(&o->border, back, y);
    return;
  }
  if (!back) {
    dense_solve(s, nb, nb, o->border.pivot, (double *)y, LANES, LANES);
    return;
  }
  for (int i = 0; i < nb; i++) {
    for (int k = 0; k < i; k++) y[i] -= all(s[k * nb + i]) * y[k];
    y[i] /= all(s[i * nb + i]);
  }
  for (int i = nb - 1; i >= 0; i--)
    for (int k = i + 1; k < nb; k++) y[i] -= all(s[k * nb + i]) * y[k];
  for (int j = nb - 1; j >= 0; j--) {
    lanes t = y[o->border.pivot[j]];
    y[o->border.pivot[j]] = y[j];
    y[j] = t;
  }
}

/* All unknowns, of cables and of the border (sens_border.c): transposed, C and A^-1 B change places. */
static void solve_all(int back, const model *o, lanes *x) {
  const layout *l = &o->at;
  lanes *y = x + l->border_rhs;
  for (int i = 0; i < o->m.n_cables; i++) {
    lanes *part = x + o->at.cable[i].rhs;
    int rows = o->matrix[i].nodes * o->matrix[i].b;
    if (!back) solve(0, &o->matrix[i], part);
    for (int k = 0; k < l->met; k++) {
      const double *by = (back ? o->border.z[i] : o->border.c[i]) + k * rows;
      lanes *to = y + cps_border_met(l, k);
      for (int r = 0; r < rows; r++) *to -= all(by[r]) * part[r];
    }
  }
  if (l->nx > 0) solve_border(back, o, y);
  for (int i = 0; i < o->m.n_cables; i++) {
    lanes *part = x + o->at.cable[i].rhs;
    int rows = o->matrix[i].nodes * o->matrix[i].b;
    for (int k = 0; k < l->met; k++) {
      const double *by = (back ? o->border.c[i] : o->border.z[i]) + k * rows;
      const lanes *from = y + cps_border_met(l, k);
      for (int r = 0; r < rows; r++) part[r] -= all(by[r]) * *from;
    }
    if (back) solve(1, &o->matrix[i], part);
  }
}

/* ------------------------------------------------------------------ what happens, and its transpose */

/* How w1 and w2 depend on q, v, aux, a before a solve: weights of each. */
typedef struct weights {
  double w1[4], w2[4];
  double v_q, a_q;
  alpha_weights step;
} weights;

/* One thing that happens, and the vector that it is applied to. */
typedef struct sweep {
  const model *o;
  const machine_op *what;
  lanes *z, *initial;
  int steps, by_bdf; /* whether it is an implicit step in time, and one of bdf */
  int balance;       /* whether unknowns are changes of places */
  weights w;
} sweep;

typedef void stage(const sweep *x);

/* Stages of what happens, NULL at their end. */
enum { STAGES = 40 };

/* Whether it finds accelerations and forces at places and velocities that stay. */
static int balances(op_kind k) { return k == OP_BEGIN || k == OP_BALANCE || k == OP_BETWEEN; }

static weights weights_of(const model *o, const machine_op *what) {
  double v_q = what->coeffs.v_a / what->coeffs.q_a, a_q = 1 / what->coeffs.q_a, h = what->h;
  weights w = {.v_q = v_q, .a_q = a_q};
  if (what->kind == OP_STEP) {
    w.step = cps_alpha_chosen(&o->m.of->run, h);
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
  } else if (balances(what->kind)) {
    w.w1[1] = -1;
    w.w2[3] = -1;
  }
  return w;
}

static int is_fixed(const cable *c, int e, int j) { return c->fixed[e ? c->n : 0] >> j & 1; }

/* Whether coordinate j of an end is prescribed, and not only held. */
static int is_driven(const cable *c, int e, int j) { return j < c->dim && cps_drive_places(c, e, j); }

/* The coordinates of a cable, or behind the last one those of the border: where they are in a state, in w1 and w2, and in the
 * right-hand side, and how many. */
typedef struct block {
  int q, v, a, aux, w, rhs, nodes, b, width;
} block;

static block block_of(const model *o, int i) {
  const layout *l = &o->at;
  const cable_at *at = &l->cable[i];
  if (i == o->m.n_cables)
    return (block){l->border,
                   l->border + l->nb,
                   l->border + 2 * l->nb,
                   l->border + 3 * l->nb,
                   l->border_w,
                   l->border_rhs,
                   1,
                   l->nb,
                   l->nb};
  return (block){at->q,           at->v,    at->a, at->aux, at->w, at->rhs, o->m.cable[i].n + 1,
                 o->m.cable[i].b, at->width};
}

/* What of the state an operation replaces: within steps of bdf the points of the past stay. */
static int states_of(const sweep *x) { return x->what->kind >= OP_BDF ? x->o->at.past : x->o->at.states; }

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

/* Where springs of statics took hold of drums and slides: neighbours in the state. */
static int starts_of(const model *o) { return 4 * o->m.n_drums + o->m.n_slides; }

#define BACK    0
#define NAME(x) x##_forward
#include "sens_maps.h"
#undef BACK
#undef NAME
#define BACK    1
#define NAME(x) x##_backward
#include "sens_maps.h"
#undef BACK
#undef NAME

void SWEEP(map)(const model *o, const machine_op *what, int transposed, lanes *initial, lanes *z) {
  int balance = balances(what->kind), by_bdf = what->kind == OP_BDF || what->kind == OP_REACH;
  sweep x = {o, what, z, initial, what->kind == OP_STEP || by_bdf, by_bdf, balance, weights_of(o, what)};
  if (transposed) {
    clear(z, o->at.d, o->at.ds);
    clear(z, o->at.d0, o->at.ds);
    go_backward(&x);
  } else {
    go_forward(&x);
  }
}
