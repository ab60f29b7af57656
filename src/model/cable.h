/* cable.h - the ANCF cable element: mass, forces and their exact tangents. See cable.c. */
#ifndef CPS_CABLE_H
#define CPS_CABLE_H

typedef enum strain_kind {
  STRAIN_GREEN,      /* (r'.r' - 1)/2 */
  STRAIN_ENGINEERING /* |r'| - 1 */
} strain_kind;

typedef enum curvature_kind {
  CURVATURE_APPROXIMATE, /* |r''|, Westin Eq. (16) */
  CURVATURE_EXACT        /* |r' x r''| / |r'|^3 */
} curvature_kind;

enum { GAUSS_MAX = 5 };

/* Of cables that only pull: below it a rope of 1 MN bears 10 N. 1e-6 needs half as many iterations again, 1e-4 half as many. */
#define SLACK_STRAIN 1e-5

/* What a cable is made of. */
typedef struct cable_section {
  double ea, ei;          /* axial [N] and bending [N m2] stiffness */
  double rho;             /* mass per length [kg/m] */
  double rayleigh;        /* c of Westin Eq. (18) [N s]: damps r'_t, not objective */
  double axial_damping;   /* [N s]: tension of strain rate, objective */
  double bending_damping; /* [N m2 s]: moment of curvature rate, objective */
  strain_kind strain;
  curvature_kind curvature;
  int axial_points, bending_points; /* quadrature, 1 .. GAUSS_MAX */
  /* Above 0 the cable only pulls: its tension is EA s(e + lag e_t), with s = 0 up to -slack, (e + slack)^2/(4 slack) between -slack
   * and slack, and e from there on, and lag = axial_damping/EA [s]: that of Hooke and damping together, where that is not negative.
   * The part EA s(e) has a potential, what is left is lost; the stiffness is continuous, and neither it nor damping is ever negative. */
  double slack, lag;
  /* Of a cable that only pulls and is damped: 1 makes ea and axial_damping the factors of the derivatives of its force by them. */
  int by_numbers;
} cable_section;

/* Elastic and damping force of one element with coordinates q = [r0, r0', r1, r1'] and velocities v (both 4
 * dim), as dU/dq + dR/dv: what the element resists with. Adds to f[4 dim] and, unless NULL, adds s_q df/dq +
 * s_v df/dv to k[4 dim][4 dim]. Returns the elastic energy; *lost (unless NULL) is increased by the power of
 * the damping. dim is 2 or 3. */
double cps_element_force(int dim, const cable_section *c, double length, const double *q, const double *v,
                         double *f, double s_q, double s_v, double *k, double *lost);

/* Consistent mass of one element, per direction: m[4][4], constant. */
void cps_element_mass(const cable_section *c, double length, double m[4][4]);

/* Values of the four shape functions and their first two derivatives at x in 0..1. */
void cps_element_shape(double length, double x, double n[4], double n_p[4], double n_pp[4]);

/* Abscissae in 0..1 and weights (that sum to 1) of Gauss-Legendre quadrature with 1 .. GAUSS_MAX points. */
void cps_gauss(int n, const double **x, const double **w);

#endif
