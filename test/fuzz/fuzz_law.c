/* fuzz_law.c - any bytes as a law, a mode, a point and parameters: everything stays finite, and nothing
 * crashes.
 *
 * Layout of the input: law, mode, guard, how to read on (one byte each), then v, n, f_eq, the states and the
 * parameters; what is missing is zero. Bit 0 of how: parameters are numbers, else one byte each between the
 * ends of their ranges. Bit 1: numbers are two bytes, digits and exponent, else eight bytes as they are.
 * Numbers that are not finite become zero. Parameters are brought into their range, and replaced by the
 * defaults if the law does not accept them together.
 */
#include "capstan.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct reader {
  const uint8_t *data;
  size_t size;
  int brief; /* numbers of two bytes */
} reader;

static int read_byte(reader *r) {
  if (r->size == 0) return 0;
  r->size--;
  return *r->data++;
}

static double read_number(reader *r) {
  if (r->brief) {
    int digits = read_byte(r) - 128, exponent = read_byte(r) - 128;
    return digits / 16.0 * pow(10, exponent / 6.0);
  }
  unsigned char bytes[sizeof(double)] = {0};
  double x;
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)read_byte(r);
  memcpy(&x, bytes, sizeof x);
  return isfinite(x) ? x : 0;
}

static void demand(int good, const cps_law *law, const char *what) {
  if (good) return;
  fprintf(stderr, "law %s: %s\n", law->name, what);
  abort();
}

static void demand_row(const cps_law *law, const cps_partials *row, const char *what) {
  int good = isfinite(row->v) && isfinite(row->n) && isfinite(row->f_eq);
  for (int i = 0; i < law->n_states; i++) good = good && isfinite(row->z[i]);
  for (int i = 0; i < law->n_params; i++) good = good && isfinite(row->p[i]);
  demand(good, law, what);
}

/* Parameters: raw numbers brought into range, or one byte each as a place between the ends of the range. */
static void read_params(reader *r, const cps_law *law, int raw, double *p) {
  for (int i = 0; i < law->n_params; i++) {
    const cps_param *q = &law->params[i];
    double part = raw ? 0 : read_byte(r) / 255.0;
    double x = raw          ? read_number(r)
               : q->min > 0 ? exp(log(q->min) + part * (log(q->max) - log(q->min)))
                            : q->min + part * (q->max - q->min);
    p[i] = fmin(fmax(x, q->min), q->max);
  }
  if (cps_law_check(law, p, NULL) != CPS_OK) cps_law_defaults(law, p);
}

static void check_outputs(const cps_law *law, const double *p, const cps_law_input *in) {
  cps_law_output out, value;
  cps_law_jacobian jac;
  cps_law_eval(law, p, in, &out, &jac);
  cps_law_eval(law, p, in, &value, NULL);
  demand(isfinite(out.f), law, "f is not finite");
  demand(memcmp(&out.f, &value.f, sizeof out.f) == 0, law, "f differs with and without derivatives");
  demand_row(law, &jac.f, "a derivative of f is not finite");
  for (int i = 0; i < law->n_states; i++) {
    demand(isfinite(out.z_t[i]), law, "a state rate is not finite");
    demand(memcmp(&out.z_t[i], &value.z_t[i], sizeof(double)) == 0, law,
           "a rate differs with and without derivatives");
    demand_row(law, &jac.z_t[i], "a derivative of a state rate is not finite");
  }
  cps_law_scale s;
  cps_law_scales(law, p, in->n, &s);
  demand(isfinite(s.f_stick) && s.f_stick >= 0 && s.f_peak >= s.f_stick, law, "f_stick or f_peak");
  demand(isfinite(s.v_band) && s.v_band >= 0 && isfinite(s.v_scale) && s.v_scale > 0, law,
         "v_band or v_scale");
}

static void check_modes(const cps_law *law, const double *p, const cps_law_input *in, int guard) {
  double g[CPS_MAX_GUARDS], z[CPS_MAX_STATES];
  cps_partials g_x[CPS_MAX_GUARDS], z_x[CPS_MAX_STATES];
  int mode = cps_law_mode(law, p, in);
  demand(mode >= 0 && mode < law->n_modes, law, "no such mode");
  cps_law_guards(law, p, in, g, g_x);
  for (int i = 0; i < law->n_guards; i++) {
    demand(isfinite(g[i]), law, "a guard is not finite");
    demand_row(law, &g_x[i], "a derivative of a guard is not finite");
  }
  mode = cps_law_transition(law, p, in, guard % law->n_guards, z, z_x);
  demand(mode >= 0 && mode < law->n_modes, law, "a transition leads nowhere");
  for (int i = 0; i < law->n_states; i++) {
    demand(isfinite(z[i]), law, "a state after a transition is not finite");
    demand_row(law, &z_x[i], "a derivative of a transition is not finite");
  }
  /* Settling ends where no guard is negative. */
  cps_law_input end = *in;
  end.mode = cps_law_settle(law, p, in, z);
  end.z = law->n_states ? z : NULL;
  demand(end.mode >= 0 && end.mode < law->n_modes, law, "settles nowhere");
  cps_law_guards(law, p, &end, g, NULL);
  for (int i = 0; i < law->n_guards; i++) demand(g[i] >= 0, law, "has not settled");
  char name[16];
  cps_law_mode_name(law, in->mode, name, sizeof name);
  demand(memchr(name, 0, sizeof name) != NULL, law, "the name of a mode does not end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader r = {data, size, 0};
  const cps_law *law = cps_law_at(read_byte(&r) % cps_law_count());
  int mode = read_byte(&r), guard = read_byte(&r), coeffs = read_byte(&r);
  r.brief = coeffs >> 1 & 1;
  double z[CPS_MAX_STATES], p[CPS_MAX_PARAMS];
  cps_law_input in = {.mode = CPS_MODE_FREE};
  in.v = read_number(&r);
  in.n = read_number(&r);
  in.f_eq = read_number(&r);
  for (int i = 0; i < law->n_states; i++) z[i] = read_number(&r);
  in.z = law->n_states ? z : NULL;
  read_params(&r, law, coeffs & 1, p);
  check_outputs(law, p, &in);
  if (law->n_modes == 0) return 0;
  check_modes(law, p, &in, guard);
  in.mode = mode % law->n_modes;
  check_outputs(law, p, &in);
  check_modes(law, p, &in, guard);
  return 0;
}
