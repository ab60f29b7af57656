/* helpers.c - steps of multibody codes, and estimates of Simpack's stick-slip parameters. */
#include "laws.h"

double cps_step5(double x, double x0, double y0, double x1, double y1, double *slope) {
  double width = x1 - x0, s_x, s = step5(width != 0 ? (x - x0) / width : x < x0 ? 0 : 1, &s_x);
  if (slope) *slope = width != 0 ? (y1 - y0) * s_x / width : 0;
  return y0 + (y1 - y0) * s;
}

double cps_step3(double x, double x0, double y0, double x1, double y1, double *slope) {
  double width = x1 - x0, u = clamp(width != 0 ? (x - x0) / width : x < x0 ? 0 : 1, 0, 1);
  if (slope) *slope = width != 0 ? (y1 - y0) * 6 * u * (1 - u) / width : 0;
  return y0 + (y1 - y0) * u * u * (3 - 2 * u);
}

double cps_simpack_stiffness(double mu_s, double n, double x_s) { return mu_s * n / x_s; }

double cps_simpack_damping(double damping, double c_f, double n, double g) {
  return 2 * damping * sqrt(c_f * n / g);
}

/* (pi - arccos D)/sqrt(1 - D^2): the rise time in units of 1/omega_0, Lutz and Wendt as cited by Schuderer
 * (13). */
static double rise(double damping) {
  return (acos(-1.0) - acos(damping)) / sqrt((1 - damping) * (1 + damping));
}

double cps_simpack_rise_time(double damping, double c_f, double n, double g) {
  return rise(damping) / sqrt(c_f * g / n);
}

double cps_simpack_stiffness_for_rise(double damping, double rise_time, double n, double g) {
  double omega = rise(damping) / rise_time;
  return n / g * omega * omega;
}
