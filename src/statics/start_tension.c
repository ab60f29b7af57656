/* start_tension.c - the unstretched length with which a cable starts with the wanted tension.
 *
 * A cable between two held ends, or a belt, may be told its tension instead of its length. The length follows from the path only up to what
 * contact gives way, what bending straightens and what elements cut off at the rims: with EA of some MN, a thousandth of it
 * is more than all of the tension. So the equilibrium that the run starts from is found for some lengths, by the secant method,
 *
 *   mean tension of the free spans (length) = wanted tension.
 *
 * Cables that start as they are drawn have the tension there.
 */
#include "start_tension.h"

#include "newton.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 12 };
static const double near_enough =
    1e-10; /* of the wanted tension: lengths are differentiated by differences */

static int wants(const scenario_cable *c) {
  return c->tension > 0 && !(c->length > 0) && c->start_statics && c->model == CABLE_ANCF && c->ea > 0;
}

/* Mean tension of the elements that touch nothing, or of all if there are none. */
static double mean_tension(const cable *c) {
  double sum[2] = {0}, length[2] = {0};
  cable_store store;
  cps_cable_survey(c, &store);
  for (int i = 0; i < c->n; i++) {
    int touches = 0, last = (i + 1) * c->per_node + (c->of->contact.quadrature == 0);
    for (int k = i * c->per_node; k < last && c->n_points > 0; k++)
      touches |= c->point[k % c->n_points].drum >= 0;
    sum[touches] += c->tension[i] * c->length[i];
    length[touches] += c->length[i];
  }
  return length[0] > 0 ? sum[0] / length[0] : sum[1] / length[1];
}

/* The mean tensions in equilibrium of the cables that want one; 0 if there is no equilibrium. */
static int look(const drawing *drawn, const cps_scenario *s, double *tension) {
  machine m;
  if (cps_machine_make_drawn(&m, s, drawn, NULL) != CPS_OK) return 0;
  int good = cps_machine_statics(&m, s->run.from, NULL) == CPS_OK;
  for (int i = 0; i < s->n_cables && good; i++)
    if (wants(&s->cables[i])) tension[i] = mean_tension(&m.cable[i]);
  cps_machine_free(&m);
  return good;
}

static void scale(shape *y, int dim, double factor) {
  for (int i = 0; i < y->n; i++) y->length[i] *= factor;
  for (int i = 0; i <= y->n; i++)
    for (int d = 0; d < dim; d++) y->q[(2 * i + 1) * dim + d] /= factor; /* slopes */
}

cps_status cps_drawing_tighten(drawing *drawn, const cps_scenario *s, cps_error *err) {
  int any = 0, dim = s->dim == 3 ? 3 : 2;
  for (int i = 0; i < s->n_cables; i++) any |= wants(&s->cables[i]);
  if (!any) return CPS_OK;
  size_t n = (size_t)s->n_cables;
  double *tension = calloc(3 * n, sizeof *tension);
  if (!tension) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the cables");
  double *before = tension + n, *way = before + n;
  for (int k = 0; k < ROUNDS && look(drawn, s, tension); k++) {
    double worst = 0;
    for (int i = 0; i < s->n_cables; i++) {
      const scenario_cable *c = &s->cables[i];
      if (!wants(c)) continue;
      double off = tension[i] - c->tension, slope = k ? (tension[i] - before[i]) / way[i] : -c->ea;
      if (!(slope < -1e-3 * c->ea))
        slope = -c->ea; /* longer is looser; EA is the most that it can be by far */
      before[i] = tension[i];
      way[i] = fmin(fmax(-off / slope, -0.05), 0.05);
      worst = fmax(worst, fabs(off) / c->tension);
    }
    if (worst <= near_enough) break;
    for (int i = 0; i < s->n_cables; i++)
      if (wants(&s->cables[i])) scale(&drawn->cable[i], dim, 1 + way[i]);
  }
  free(tension);
  return CPS_OK;
}
