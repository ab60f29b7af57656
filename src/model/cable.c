/* cable.c - the ANCF cable element.
 *
 * Position along an element is a cubic Hermite curve r(p) = sum N_i(p) q_i with the ends' positions and
 * slopes as coordinates (Westin Eqs. 10-12; Berzeri and Shabana 2000). Everything elastic is a function of
 * three invariants of the slope r' and the second derivative r'',
 *
 *   a = r'.r',   b = r'.r'',   c = r''.r''
 *
 * so that rigid motion strains nothing, in the plane and in space from the same source:
 *
 *   U = int EA e(a)^2/2 + EI k(a, b, c)^2/2 dp
 *   e = (a - 1)/2 or sqrt(a) - 1,   k^2 = c or (a c - b^2)/a^3
 *
 * With W the integrand, dW = (2 W_a r' + W_b r'').dr' + (W_b r' + 2 W_c r'').dr'', and the tangent follows
 * from the second derivatives of W in (a, b, c).
 *
 * Damping: Westin's R = c/2 int r'_t.r'_t dp, which also brakes a rigid rotation, and an objective one,
 *
 *   R = int eta_a e_t^2/2 + eta_b (c_t)^2/(8 (c + k0^2)) dp
 *
 * where c_t/(2 sqrt c) is the rate of |r''| and k0 keeps it smooth for a straight cable.
 */
#include "cable.h"

#include <math.h>
#include <string.h>

#define ROOT_3_5 0.7745966692414833770

static const double gauss_x[GAUSS_MAX][GAUSS_MAX] = {
    {0.5},
    {0.21132486540518711775, 0.78867513459481288225},
    {(1 - ROOT_3_5) / 2, 0.5, (1 + ROOT_3_5) / 2},
    {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240, 0.93056815579702628761},
    {0.04691007703066800360, 0.23076534494715845448, 0.5, 0.76923465505284154552, 0.95308992296933199640}};
static const double gauss_w[GAUSS_MAX][GAUSS_MAX] = {
    {1},
    {0.5, 0.5},
    {5.0 / 18, 4.0 / 9, 5.0 / 18},
    {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131, 0.17392742256872692869},
    {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444, 0.23931433524968323402,
     0.11846344252809454376}};

void cps_gauss(int n, const double **x, const double **w) {
  *x = gauss_x[n - 1];
  *w = gauss_w[n - 1];
}

void cps_element_shape(double length, double x, double n[4], double n_p[4], double n_pp[4]) {
  double l = length, x2 = x * x, x3 = x2 * x;
  n[0] = 1 - 3 * x2 + 2 * x3;
  n[1] = l * (x - 2 * x2 + x3);
  n[2] = 3 * x2 - 2 * x3;
  n[3] = l * (x3 - x2);
  n_p[0] = (6 * x2 - 6 * x) / l;
  n_p[1] = 1 - 4 * x + 3 * x2;
  n_p[2] = (6 * x - 6 * x2) / l;
  n_p[3] = 3 * x2 - 2 * x;
  n_pp[0] = (12 * x - 6) / (l * l);
  n_pp[1] = (6 * x - 4) / l;
  n_pp[2] = (6 - 12 * x) / (l * l);
  n_pp[3] = (6 * x - 2) / l;
}

/* rho L int N_i N_j dx, in closed form. */
void cps_element_mass(const cable_section *c, double length, double m[4][4]) {
  double l = length, s = c->rho * l / 420;
  double full[4][4] = {{156, 22 * l, 54, -13 * l},
                       {22 * l, 4 * l * l, 13 * l, -3 * l * l},
                       {54, 13 * l, 156, -22 * l},
                       {-13 * l, -3 * l * l, -22 * l, 4 * l * l}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) m[i][j] = s * full[i][j];
}

/* First and second derivatives of an energy density in the invariants a, b, c. */
typedef struct density {
  double w, a, b, c, aa, ab, ac, bb, bc, cc;
} density;

/* Tension over EA at a strain, with its potential and its derivative. */
typedef struct answer {
  double w, s, s_e;
} answer;

static answer answer_to(const cable_section *c, double e) {
  double w = c->slack;
  if (!(w > 0)) return (answer){e * e / 2, e, 1};
  double z = fmin(fmax((e + w) / (2 * w), 0), 1), more = fmax(e - w, 0);
  return (answer){2.0 / 3 * w * w * z * z * z + more * (more / 2 + w), more + w * z * z, z};
}

static density axial_density(const cable_section *s, double a) {
  density d = {0};
  if (s->strain == STRAIN_GREEN) {
    answer t = answer_to(s, (a - 1) / 2);
    d.w = s->ea * t.w;
    d.a = s->ea * t.s / 2;
    d.aa = s->ea * t.s_e / 4;
  } else {
    double stretch = sqrt(a), size = fmax(stretch, 1e-100); /* a cable that only pulls may have any */
    answer t = answer_to(s, stretch - 1);
    d.w = s->ea * t.w;
    d.a = s->ea * t.s / (2 * size);
    d.aa = s->ea * (t.s_e - t.s / size) / (4 * size * size);
  }
  return d;
}

static density bending_density(const cable_section *s, double a, double b, double c) {
  density d = {0};
  double h = s->ei / 2;
  if (s->curvature == CURVATURE_APPROXIMATE) {
    d.w = h * c;
    d.c = h;
    return d;
  }
  double a2 = a * a, a3 = a2 * a, a4 = a2 * a2;
  d.w = h * (a * c - b * b) / a3;
  d.a = h * (3 * b * b / a4 - 2 * c / a3);
  d.b = -2 * h * b / a3;
  d.c = h / a2;
  d.aa = h * (6 * c / a4 - 12 * b * b / (a4 * a));
  d.ab = 6 * h * b / a4;
  d.ac = -2 * h / a3;
  d.bb = -2 * h / a3;
  return d;
}

#define DIM     2
#define NAME(x) x##_2
#include "cable_element.h"
#undef DIM
#undef NAME
#define DIM     3
#define NAME(x) x##_3
#include "cable_element.h"

double cps_element_force(int dim, const cable_section *c, double length, const double *q, const double *v,
                         double *f, double s_q, double s_v, double *k, double *lost) {
  return dim == 2 ? element_2(c, length, q, v, f, s_q, s_v, k, lost)
                  : element_3(c, length, q, v, f, s_q, s_v, k, lost);
}
