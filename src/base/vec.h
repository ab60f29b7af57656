/* vec.h - vectors of three components. */
#ifndef CPS_VEC_H
#define CPS_VEC_H

#include <math.h>
#include <string.h>

static inline double vec_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vec_norm(const double *a) { return sqrt(vec_dot(a, a)); }

static inline void vec_copy(double *out, const double *a) { memcpy(out, a, 3 * sizeof *out); }

/* out = a + s b; out may be a or b */
static inline void vec_add(double *out, const double *a, double s, const double *b) {
  for (int i = 0; i < 3; i++) out[i] = a[i] + s * b[i];
}

static inline void vec_cross(double *out, const double *a, const double *b) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Makes a a unit vector and returns the length it had; zero stays zero. */
static inline double vec_unit(double *a) {
  double length = vec_norm(a);
  for (int i = 0; i < 3 && length > 0; i++) a[i] /= length;
  return length;
}

#endif
