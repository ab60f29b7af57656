/* element_recipe.h - what all elements of a cable have in common in an iteration. */
#ifndef CPS_CHAIN_RECIPE_H
#define CPS_CHAIN_RECIPE_H

#include "machine.h"
#include "simd.h"

/* What an iteration asks of all elements alike, in all lanes. */
typedef struct recipe {
  double v_q, a_q;    /* dv/dq, da/dq */
  lanes dv, da;       /* the same */
  lanes ea;           /* the section */
  lanes bend[6];      /* EI int r''.r'' in the pairs dd, d0, d1, 00, 01, 11, times l */
  lanes slow[6];      /* Rayleigh damping c int r'_t.r'_t in the same, over l (Westin Eq. 19) */
  lanes mass, w0, w1; /* rho/420, rho/2, rho/12 */
  int green, points, mid;
  int slackens;                /* it only pulls: see cable.h */
  lanes slack, per_slack, lag; /* per_slack: 1/(2 slack) */
  /* shapes of the modes at points, and their products; behind those of r' follow those of l r'' if bending is damped */
  lanes weight[2 * GAUSS_MAX], at[2 * GAUSS_MAX][3], pair[2 * GAUSS_MAX][6], per_weight;
  /* What few cables have: objective damping, exact curvature; see prepare_extra. */
  int extra, brakes_axial, brakes_bending, exact;
  lanes eta_axial, eta_bending, ei;
  int bending_points;
  lanes bend_weight[GAUSS_MAX], slope[GAUSS_MAX][3], turn[GAUSS_MAX][3]; /* r' and l r'' of the modes there */
} recipe;

static void shapes_at(recipe *y, int g, double weight, const double a[3]) {
  y->weight[g] = all(weight);
  for (int i = 0, k = 0; i < 3; i++) {
    y->at[g][i] = all(a[i]);
    for (int j = i; j < 3; j++) y->pair[g][k++] = all(a[i] * a[j]);
  }
}

static void prepare(recipe *y, const cable_section *s, const step_coeffs *coeffs) {
  static const double bend_full[6] = {12, -6, -6, 4, 2, 4}, bend_mid[6] = {0, 0, 0, 1, -1, 1};
  static const double brake[6] = {36, -3, -3, 4, -1, 4};
  const double *x, *w, ei = s->curvature == CURVATURE_APPROXIMATE ? s->ei : 0;
  y->extra = 0;
  y->v_q = coeffs->v_a / coeffs->q_a;
  y->a_q = 1 / coeffs->q_a;
  y->dv = all(y->v_q);
  y->da = all(y->a_q);
  y->ea = all(s->ea);
  y->mass = all(s->rho / 420);
  y->w0 = all(s->rho / 2);
  y->w1 = all(s->rho / 12);
  y->green = s->strain == STRAIN_GREEN;
  y->slackens = s->slack > 0;
  y->slack = all(s->slack);
  y->per_slack = all(y->slackens ? 0.5 / s->slack : 0);
  y->lag = all(s->lag);
  y->points = s->axial_points;
  y->mid = s->axial_points / 2;
  for (int i = 0; i < 6; i++) {
    y->bend[i] = all(ei * (s->bending_points > 1 ? bend_full[i] : bend_mid[i]));
    y->slow[i] = all(s->rayleigh * brake[i] / 30);
  }
  cps_gauss(s->axial_points, &x, &w);
  for (int g = 0; g < s->axial_points; g++) {
    double a[3] = {6 * x[g] - 6 * x[g] * x[g], 1 - 4 * x[g] + 3 * x[g] * x[g], 3 * x[g] * x[g] - 2 * x[g]};
    shapes_at(y, g, w[g], a);
  }
  y->per_weight = all(1 / w[y->mid]);
}

/* Tension over EA of a cable that only pulls at strain e (cable.h): o[0] that, o[1] its derivative, o[2] twice its potential. */
INLINE void answer_slack(const recipe *y, lanes e, lanes o[3]) {
  const lanes w = y->slack, zero = all(0);
  lanes z = -larger(all(-1), -larger(zero, (e + w) * y->per_slack)), more = larger(zero, e - w);
  o[0] = more + w * z * z;
  o[1] = z;
  o[2] = all(4.0 / 3) * w * w * z * z * z + more * (more + all(2) * w);
}

/* The section has what only few cables have: for those that want it from the lanes. */
static inline void prepare_extra(recipe *y, const cable_section *s) {
  const double *x, *w;
  y->brakes_axial = s->axial_damping > 0;
  y->brakes_bending = s->bending_damping > 0;
  y->exact = s->curvature == CURVATURE_EXACT && s->ei > 0;
  y->extra = y->brakes_axial || y->brakes_bending || y->exact;
  y->eta_axial = all(s->axial_damping);
  y->eta_bending = all(s->bending_damping);
  y->ei = all(s->ei);
  y->bending_points = s->bending_points;
  cps_gauss(s->bending_points, &x, &w);
  for (int g = 0; g < s->bending_points; g++) {
    double r1[3] = {6 * x[g] - 6 * x[g] * x[g], 1 - 4 * x[g] + 3 * x[g] * x[g], 3 * x[g] * x[g] - 2 * x[g]},
           r2[3] = {6 - 12 * x[g], 6 * x[g] - 4, 6 * x[g] - 2};
    y->bend_weight[g] = all(w[g]);
    for (int i = 0; i < 3; i++) {
      y->slope[g][i] = all(r1[i]);
      y->turn[g][i] = all(r2[i]);
    }
    shapes_at(y, s->axial_points + g, w[g], r2);
  }
}

#endif
