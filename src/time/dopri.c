/* dopri.c - one step of Dormand and Prince's 5(4) pair, with its continuous extension.
 *
 * J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6, 1980; the continuous extension of order 4 as in E.
 * Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.6.
 */
#include "dopri.h"

#include "elevator.h"
#include "step_notes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 7 };

static const double C[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double A[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* The last stage is the new state: what follows it is the first of the next step. */
const rk_table cps_dopri_table = {6,
                                  {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1},
                                  {{0},
                                   {1.0 / 5},
                                   {3.0 / 40, 9.0 / 40},
                                   {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                   {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                   {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
                                  {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};

/* Fifth minus fourth order. */
static const double E[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double D[STAGES] = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};

int cps_dopri_make(dopri *d, int n) {
  memset(d, 0, sizeof *d);
  d->n = n;
  d->latest = INFINITY;
  size_t bytes = (size_t)n * sizeof(double);
  d->new_y = malloc(bytes);
  d->stage = malloc(bytes);
  d->sample = malloc(bytes);
  int good = d->new_y && d->stage && d->sample;
  for (int i = 0; i < STAGES; i++) good = (d->k[i] = calloc((size_t)n, sizeof(double))) && good;
  return good;
}

void cps_dopri_free(dopri *d) {
  free(d->new_y);
  free(d->stage);
  free(d->sample);
  for (int i = 0; i < STAGES; i++) free(d->k[i]);
  memset(d, 0, sizeof *d);
}

cps_status cps_dopri_step(dopri *d, cps_simulation *sim, double h) {
  const cps_system *s = sim->system;
  int n = d->n;
  const double *y = sim->y;
  for (int i = d->first_known ? 1 : 0; i < STAGES; i++) {
    double *point = i == STAGES - 1 ? d->new_y : d->stage;
    memcpy(point, y, (size_t)n * sizeof(double));
    for (int j = 0; j < i; j++) {
      double a = h * A[i][j];
      if (a == 0) continue;
      const double *k = d->k[j];
      for (int m = 0; m < n; m++) point[m] += a * k[m];
    }
    double t = fmin(sim->t + C[i] * h, d->latest);
    cps_status status = cps_system_rates(s, &sim->work, t, point, sim->mode, d->k[i]);
    if (status != CPS_OK) return status;
  }
  d->first_known = 1;
  d->length = h;
  return CPS_OK;
}

/* The error of entries from..to, as the largest over tolerances. */
static double worst(const dopri *d, const double *y, double h, int from, int to, double rtol, double atol) {
  double most = 0;
  for (int m = from; m < to; m++) {
    double e = 0;
    for (int i = 0; i < STAGES; i++) e += E[i] * d->k[i][m];
    double size = fmax(fabs(y[m]), fabs(d->new_y[m]));
    double ratio = fabs(h * e) / (atol + rtol * size);
    if (!(ratio <= most)) most = ratio; /* NaN goes through */
  }
  return most;
}

/* The largest error of cables in few variables, over the sizes of their states. */
static double worst_scaled(const dopri *d, const cps_system *s, double h) {
  double most = 0;
  for (int m = 0; m < s->n_lifts * LIFT_STATES; m++) {
    double e = 0;
    for (int i = 0; i < STAGES; i++) e += E[i] * d->k[i][s->lift_y + m];
    double ratio = fabs(h * e) / s->lifts[m / LIFT_STATES].scale[m % LIFT_STATES];
    if (!(ratio <= most)) most = ratio; /* NaN goes through */
  }
  return most;
}

static double larger(double a, double b) { return a > b ? a : !(b <= a) ? b : a; }

double cps_dopri_error(const dopri *d, const cps_simulation *sim, double h, double rtol, double atol) {
  const cps_system *s = sim->system;
  double q = worst(d, sim->y, h, 0, s->nd, rtol, atol);
  double v = worst(d, sim->y, h, s->nx, s->nx + s->nd, rtol, atol);
  double rest = worst(d, sim->y, h, 2 * s->nx, s->lift_y, rtol, atol);
  double bodies = q > v ? (q > rest ? q : rest) : (v > rest ? v : !(rest <= v) ? rest : v);
  return s->n_lifts == 0 ? bodies : larger(bodies, worst_scaled(d, s, h) / rtol);
}

const double *cps_dopri_sample(dopri *d, const cps_simulation *sim, double h, double x) {
  const double *y = sim->y;
  for (int m = 0; m < d->n; m++) {
    double change = d->new_y[m] - y[m], bend = h * d->k[0][m] - change, last = change - h * d->k[6][m] - bend,
           e = 0;
    for (int i = 0; i < STAGES; i++) e += D[i] * d->k[i][m];
    d->sample[m] = y[m] + x * (change + (1 - x) * (bend + x * (last + (1 - x) * h * e)));
  }
  return d->sample;
}

void cps_dopri_accept(dopri *d, cps_simulation *sim) {
  memcpy(sim->y, d->new_y, (size_t)d->n * sizeof(double));
  memcpy(d->k[0], d->k[STAGES - 1], (size_t)d->n * sizeof(double)); /* a checkpoint knows where it is */
  d->first_known = 1;
}
