/* evaluate.c - find a friction law, evaluate it, print the force and every first derivative.
 *
 *   cc evaluate.c $(pkg-config --cflags --libs capstan) -lm && ./a.out [LAW]
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "cdq";
  const cps_law *law = cps_law_find(name);
  if (!law) {
    fprintf(stderr, "no law is called %s; did you mean %s?\n", name, cps_law_nearest(name)->name);
    return 2;
  }

  /* Parameters start from the law's defaults; change those that you know by name. */
  double p[CPS_MAX_PARAMS];
  cps_law_defaults(law, p);
  int mu = cps_law_param(law, "mu");
  if (mu >= 0) p[mu] = 0.3;
  cps_error err;
  if (cps_law_check(law, p, &err) != CPS_OK) {
    fprintf(stderr, "%s\n", err.text);
    return 2;
  }

  /* Sliding at 2 mm/s under 10 N, while 2 N of friction would balance the other forces; inner states at zero.
   */
  double z[CPS_MAX_STATES] = {0};
  cps_law_input in = {.v = 0.002, .n = 10, .f_eq = 2, .z = z, .mode = CPS_MODE_FREE};
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_eval(law, p, &in, &out, &jac);

  printf("%s: %s\n", law->title, law->equation);
  printf("  f        = %12.6g N\n", out.f);
  printf("  df/dv    = %12.6g N s/m\n", jac.f.v);
  printf("  df/dn    = %12.6g\n", jac.f.n);
  printf("  df/df_eq = %12.6g\n", jac.f.f_eq);
  for (int i = 0; i < law->n_params; i++) printf("  df/d(%s) = %g\n", law->params[i].name, jac.f.p[i]);
  for (int i = 0; i < law->n_states; i++) printf("  d(%s)/dt = %g\n", law->states[i].name, out.z_t[i]);

  /* The derivatives are exact: a difference quotient agrees, as far as it can. */
  cps_law_output more, less;
  double h = 1e-7;
  in.v = 0.002 + h;
  cps_law_eval(law, p, &in, &more, NULL);
  in.v = 0.002 - h;
  cps_law_eval(law, p, &in, &less, NULL);
  double quotient = (more.f - less.f) / (2 * h);
  return fabs(quotient - jac.f.v) <= 1e-5 * (1 + fabs(jac.f.v)) ? 0 : 1;
}
