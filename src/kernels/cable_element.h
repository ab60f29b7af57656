/* cable_element.h - the element for one dimension: included by cable.c with DIM = 2 and 3, NAME(x) = x_2 and
 * x_3.
 *
 * Vectors are x[DIM]; a point of the quadrature contributes N'_i g1 + N''_i g2 to the force of coordinate i
 * and N'_i N'_j H11 + (N'_i N''_j H12 + N''_i N'_j H12') + N''_i N''_j H22 to the tangent.
 */

static inline double NAME(dot)(const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < DIM; i++) s += a[i] * b[i];
  return s;
}

/* sum_i n[i] q_i */
static inline void NAME(interpolate)(const double *n, const double *q, double *r) {
  for (int d = 0; d < DIM; d++)
    r[d] = n[0] * q[d] + n[1] * q[DIM + d] + n[2] * q[2 * DIM + d] + n[3] * q[3 * DIM + d];
}

/* Adds w (n_i g) to f. */
static inline void NAME(add_force)(const double *n, const double *g, double w, double *f) {
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < DIM; d++) f[i * DIM + d] += w * n[i] * g[d];
}

/* Adds w (n_i m_j h) to the tangent. */
static inline void NAME(add_block)(const double *n, const double *m, const double h[DIM][DIM], double w,
                                   double *k) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      double s = w * n[i] * m[j];
      double *block = k + (size_t)(i * DIM) * (4 * DIM) + j * DIM;
      for (int d = 0; d < DIM; d++)
        for (int e = 0; e < DIM; e++) block[d * 4 * DIM + e] += s * h[d][e];
    }
  }
}

/* h = x I + sum of y[i][j] u_i u_j' for u_0 = r', u_1 = r''. */
static inline void NAME(tensor)(double x, const double y[2][2], const double *r1, const double *r2,
                                double h[DIM][DIM]) {
  for (int d = 0; d < DIM; d++) {
    double left1 = y[0][0] * r1[d] + y[1][0] * r2[d], left2 = y[0][1] * r1[d] + y[1][1] * r2[d];
    for (int e = 0; e < DIM; e++) h[d][e] = left1 * r1[e] + left2 * r2[e];
    h[d][d] += x;
  }
}

/* Elastic part of one point: an energy density of the invariants. */
static void NAME(elastic)(const density *w, const double *n1, const double *n2, const double *r1,
                          const double *r2, double weight, double *f, double s_q, double *k) {
  double g1[DIM], g2[DIM];
  for (int d = 0; d < DIM; d++) {
    g1[d] = 2 * w->a * r1[d] + w->b * r2[d];
    g2[d] = w->b * r1[d] + 2 * w->c * r2[d];
  }
  int bends = w->c != 0 || w->b != 0;
  NAME(add_force)(n1, g1, weight, f);
  if (bends) NAME(add_force)(n2, g2, weight, f);
  if (!k) return;
  double h[DIM][DIM];
  const double y11[2][2] = {{4 * w->aa, 2 * w->ab}, {2 * w->ab, w->bb}};
  NAME(tensor)(2 * w->a, y11, r1, r2, h);
  NAME(add_block)(n1, n1, (const double(*)[DIM])h, weight * s_q, k);
  if (!bends) return;
  const double y12[2][2] = {{2 * w->ab, 4 * w->ac}, {w->bb, 2 * w->bc}},
               y21[2][2] = {{2 * w->ab, w->bb}, {4 * w->ac, 2 * w->bc}};
  NAME(tensor)(w->b, y12, r1, r2, h);
  NAME(add_block)(n1, n2, (const double(*)[DIM])h, weight * s_q, k);
  NAME(tensor)(w->b, y21, r1, r2, h);
  NAME(add_block)(n2, n1, (const double(*)[DIM])h, weight * s_q, k);
  const double y22[2][2] = {{w->bb, 2 * w->bc}, {2 * w->bc, 4 * w->cc}};
  NAME(tensor)(2 * w->c, y22, r1, r2, h);
  NAME(add_block)(n2, n2, (const double(*)[DIM])h, weight * s_q, k);
}

/* Objective axial damping: tension eta e_t on the strain e(a), e_t = e_a a_t, a_t = 2 r'.r'_t. */
static double NAME(axial_damping)(const cable_section *c, const double *n1, const double *r1,
                                  const double *v1, double weight, double *f, double s_q, double s_v,
                                  double *k) {
  double a = NAME(dot)(r1, r1), a_t = 2 * NAME(dot)(r1, v1);
  int green = c->strain == STRAIN_GREEN;
  double e_a = green ? 0.5 : 0.5 / sqrt(a), e_aa = green ? 0 : -0.25 / (a * sqrt(a));
  double rate = e_a * a_t, eta = c->axial_damping, p = 2 * eta * rate * e_a; /* force n' p r' */
  double g[DIM];
  for (int d = 0; d < DIM; d++) g[d] = p * r1[d];
  NAME(add_force)(n1, g, weight, f);
  if (k) {
    /* p = 2 eta e_a^2 a_t: dp/dr' = 2 eta (2 e_a e_aa a_t 2 r' + e_a^2 2 r'_t), dp/dr'_t = 4 eta e_a^2 r' */
    double h[DIM][DIM];
    for (int d = 0; d < DIM; d++) {
      for (int e = 0; e < DIM; e++) {
        double p_r = 8 * eta * e_a * e_aa * a_t * r1[e] + 4 * eta * e_a * e_a * v1[e],
               p_v = 4 * eta * e_a * e_a * r1[e];
        h[d][e] = r1[d] * (s_q * p_r + s_v * p_v);
      }
      h[d][d] += s_q * p;
    }
    NAME(add_block)(n1, n1, (const double(*)[DIM])h, weight, k);
  }
  return weight * eta * rate * rate;
}

/* Damping of a cable that only pulls: the tension d = eta/lag (s(e + lag e_t) - s(e)), so the force n' p r' with p = 2 d e_a. */
static double NAME(slack_damping)(const cable_section *c, const double *n1, const double *r1,
                                  const double *v1, double weight, double *f, double s_q, double s_v,
                                  double *k) {
  double a = fmax(NAME(dot)(r1, r1), 1e-200), a_t = 2 * NAME(dot)(r1, v1);
  int green = c->strain == STRAIN_GREEN;
  double strain = green ? (a - 1) / 2 : sqrt(a) - 1;
  double e_a = green ? 0.5 : 0.5 / sqrt(a), e_aa = green ? 0 : -0.25 / (a * sqrt(a)), rate = e_a * a_t;
  answer still = answer_to(c, strain), now = answer_to(c, strain + c->lag * rate);
  double stiff = c->lag > 0 ? c->axial_damping / c->lag : 0, d = stiff * (now.s - still.s), g[DIM];
  if (c->by_numbers) /* EA s(e + eta/EA e_t) by EA, without the elastic part, and by eta */
    d = c->ea * (now.s - still.s - c->lag * rate * now.s_e) + c->axial_damping * rate * now.s_e;
  for (int i = 0; i < DIM; i++) g[i] = 2 * d * e_a * r1[i];
  NAME(add_force)(n1, g, weight, f);
  if (k) {
    double d_e = stiff * (now.s_e - still.s_e), d_t = c->axial_damping * now.s_e, h[DIM][DIM];
    for (int i = 0; i < DIM; i++) {
      for (int j = 0; j < DIM; j++) {
        double e_r = 2 * e_a * r1[j], t_r = 2 * e_aa * a_t * r1[j] + 2 * e_a * v1[j];
        double p_r = 2 * e_a * (d_e * e_r + d_t * t_r) + 4 * d * e_aa * r1[j], p_v = 2 * e_a * d_t * e_r;
        h[i][j] = r1[i] * (s_q * p_r + s_v * p_v);
      }
      h[i][i] += s_q * 2 * d * e_a;
    }
    NAME(add_block)(n1, n1, (const double(*)[DIM])h, weight, k);
  }
  return weight * d * rate;
}

/* Objective bending damping: R = eta c_t^2/(8 (c + k0^2)), c_t = 2 r''.r''_t, so the force is n'' p r'' with
 * p = eta c_t/(2 (c + k0^2)). */
static double NAME(bending_damping)(const cable_section *c, double k0, const double *n2, const double *r2,
                                    const double *v2, double weight, double *f, double s_q, double s_v,
                                    double *k) {
  double sum = NAME(dot)(r2, r2) + k0 * k0, c_t = 2 * NAME(dot)(r2, v2), eta = c->bending_damping;
  double p = eta * c_t / (2 * sum), g[DIM];
  for (int d = 0; d < DIM; d++) g[d] = p * r2[d];
  NAME(add_force)(n2, g, weight, f);
  if (k) {
    double h[DIM][DIM];
    for (int d = 0; d < DIM; d++) {
      for (int e = 0; e < DIM; e++) {
        double p_r = eta * v2[e] / sum - 2 * p * r2[e] / sum, p_v = eta * r2[e] / sum;
        h[d][e] = r2[d] * (s_q * p_r + s_v * p_v);
      }
      h[d][d] += s_q * p;
    }
    NAME(add_block)(n2, n2, (const double(*)[DIM])h, weight, k);
  }
  return weight * p * c_t / 2;
}

static double NAME(axial)(const cable_section *c, double length, const double *q, const double *v, double *f,
                          double s_q, double s_v, double *k, double *lost) {
  const double *x, *w;
  double energy = 0, none[DIM] = {0};
  cps_gauss(c->axial_points, &x, &w);
  for (int i = 0; i < c->axial_points; i++) {
    double n[4], n1[4], n2[4], r1[DIM], weight = w[i] * length;
    cps_element_shape(length, x[i], n, n1, n2);
    NAME(interpolate)(n1, q, r1);
    density d = axial_density(c, NAME(dot)(r1, r1));
    energy += weight * d.w;
    NAME(elastic)(&d, n1, n2, r1, none, weight, f, s_q, k);
    if (!(c->axial_damping > 0 || c->by_numbers)) continue;
    double v1[DIM], power;
    NAME(interpolate)(n1, v, v1);
    power = c->slack > 0 ? NAME(slack_damping)(c, n1, r1, v1, weight, f, s_q, s_v, k)
                         : NAME(axial_damping)(c, n1, r1, v1, weight, f, s_q, s_v, k);
    if (lost) *lost += power;
  }
  return energy;
}

static double NAME(bending)(const cable_section *c, double length, const double *q, const double *v,
                            double *f, double s_q, double s_v, double *k, double *lost) {
  const double *x, *w;
  double energy = 0;
  cps_gauss(c->bending_points, &x, &w);
  for (int i = 0; i < c->bending_points; i++) {
    double n[4], n1[4], n2[4], r1[DIM], r2[DIM], weight = w[i] * length;
    cps_element_shape(length, x[i], n, n1, n2);
    NAME(interpolate)(n1, q, r1);
    NAME(interpolate)(n2, q, r2);
    density d = bending_density(c, NAME(dot)(r1, r1), NAME(dot)(r1, r2), NAME(dot)(r2, r2));
    energy += weight * d.w;
    NAME(elastic)(&d, n1, n2, r1, r2, weight, f, s_q, k);
    if (c->bending_damping <= 0) continue;
    double v2[DIM], k0 = 1e-3 / length;
    NAME(interpolate)(n2, v, v2);
    double power = NAME(bending_damping)(c, k0, n2, r2, v2, weight, f, s_q, s_v, k);
    if (lost) *lost += power;
  }
  return energy;
}

/* Westin Eq. (19), c int N'_i N'_j dp v: constant, in closed form. */
static void NAME(rayleigh)(const cable_section *c, double length, const double *v, double *f, double s_v,
                           double *k, double *lost) {
  double l = length, s = c->rayleigh / (30 * l);
  double g[4][4] = {{36, 3 * l, -36, 3 * l},
                    {3 * l, 4 * l * l, -3 * l, -l * l},
                    {-36, -3 * l, 36, -3 * l},
                    {3 * l, -l * l, -3 * l, 4 * l * l}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int d = 0; d < DIM; d++) {
        double part = s * g[i][j] * v[j * DIM + d];
        f[i * DIM + d] += part;
        if (lost) *lost += part * v[i * DIM + d];
        if (k) k[(i * DIM + d) * 4 * DIM + j * DIM + d] += s_v * s * g[i][j];
      }
    }
  }
}

static double NAME(element)(const cable_section *c, double length, const double *q, const double *v,
                            double *f, double s_q, double s_v, double *k, double *lost) {
  double energy = 0;
  if (c->ea > 0 || c->axial_damping > 0) energy = NAME(axial)(c, length, q, v, f, s_q, s_v, k, lost);
  if (c->ei > 0 || c->bending_damping > 0) energy += NAME(bending)(c, length, q, v, f, s_q, s_v, k, lost);
  if (c->rayleigh > 0) NAME(rayleigh)(c, length, v, f, s_v, k, lost);
  return energy;
}
