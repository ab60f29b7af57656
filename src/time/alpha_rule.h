/* alpha_rule.h - coefficients of generalised-alpha, for bodies and cables, runs and derivatives: see alpha_rule.c. */
#ifndef CPS_ALPHA_RULE_H
#define CPS_ALPHA_RULE_H

/* How an integral x of rates, and the auxiliary rate, follow from the rates at the start and at the end of a step:
 *   x1 = x0 + x_aux aux0 + x_old rate0 + x_new rate1,   aux1 = aux_aux aux0 + aux_old rate0 + aux_new rate1
 * The local error of x is `error` times the second derivative of the rate. */
typedef struct alpha_rule {
  double x_aux, x_old, x_new;
  double aux_aux, aux_old, aux_new;
  double error;
} alpha_rule;

/* A step of length h: velocities v from accelerations, states z of laws from their rates, and
 *   q1 = q0 + h v0 + q_aux aux0 + q_old a0 + q_new a1
 * with a local error of q_error times the derivative of accelerations. */
typedef struct alpha_weights {
  double h, beta, q_aux, q_old, q_new, q_error;
  alpha_rule v, z;
} alpha_weights;

/* The coefficients that leave the part rho of what oscillates far above the step's resolution; and Newmark's. */
alpha_weights cps_alpha_weights(double rho, double h);
alpha_weights cps_newmark_weights(double gamma, double h);
/* Those that a scenario asks for. */
struct scenario_run;
alpha_weights cps_alpha_chosen(const struct scenario_run *set, double h);

/* What n integrals are without the rates at the end of the step. */
static inline void cps_alpha_base(const alpha_rule *u, int n, const double *x, const double *aux,
                                  const double *rate, double *base) {
  for (int i = 0; i < n; i++) base[i] = x[i] + u->x_aux * aux[i] + u->x_old * rate[i];
}

/* Auxiliary rates at its end; `aux` may be where those at its start are. */
static inline void cps_alpha_finish(const alpha_rule *u, int n, const double *rate, const double *rate0,
                                    const double *aux0, double *aux) {
  for (int i = 0; i < n; i++) aux[i] = u->aux_new * rate[i] + u->aux_old * rate0[i] + u->aux_aux * aux0[i];
}

#endif
