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
#include <stdio.h>
#include <stdlib.h>

enum {
  ROUNDS = 12,
  ROUNDS_MOST = 60,
  FAILURES_MOST = 8
}; /* the latter where something hangs in it that has to be lifted first */
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

/* One cable's way to its tension: x is the logarithm of its length, of which tension falls. */
typedef struct tightening {
  double x, tension, last_x, last_tension;
  double way;          /* the next step of x */
  double tight, loose; /* where it was too tight, and too loose: between them is what is looked for */
} tightening;

/* The next step of x: the secant's, and where the cable is so loose that the secant tells nothing - what hangs in it lifts first - twice
 * the last one; from where it has been both too tight and too loose, halfway where the secant gains little. */
static void find_way(tightening *y, const scenario_cable *c, int first) {
  const double most = 0.05, flat = 1e-3, close = 1e-4;
  double off = y->tension - c->tension,
         slope = first ? -c->ea : (y->tension - y->last_tension) / (y->x - y->last_x);
  double gained = first ? 0 : fabs(off) / fabs(y->last_tension - c->tension), way = -off / slope;
  if (!(slope < -flat * c->ea))
    way = fabs(y->way) > fabs(off) / c->ea ? copysign(2 * y->way, off) : off / c->ea;
  if (off > 0)
    y->tight = y->x;
  else
    y->loose = y->x;
  if (!(y->tight < y->loose)) y->tight = -INFINITY, y->loose = INFINITY; /* other cables have changed */
  way = fmin(fmax(way, -most), most);
  double to = y->x + way;
  if (isfinite(y->loose - y->tight) && fabs(off) > close * c->tension &&
      (gained > 0.5 || !(to > y->tight && to < y->loose)))
    way = 0.5 * (y->tight + y->loose) - y->x;
  y->last_x = y->x;
  y->last_tension = y->tension;
  y->way = way;
}

static cps_status refuse_tension(const scenario_cable *c, const tightening *y, cps_error *err) {
  char key[2 * CPS_NAME_ROOM];
  snprintf(key, sizeof key, "cables.%s.tension", c->name);
  return cps_error_set(
      err, CPS_BAD_INPUT, key,
      "at rest cable %s has a tension of %.4g N and not %.4g N, whatever its length: what hangs on "
      "it or pulls at it decides. Leave tension out, or give its length",
      c->name, y->tension, c->tension);
}

cps_status cps_drawing_tighten(drawing *drawn, const cps_scenario *s, cps_error *err) {
  const double wrong = 1e-3; /* of the wanted tension: then it is not what was asked for */
  int any = 0, dim = s->dim == 3 ? 3 : 2, failures = 0;
  for (int i = 0; i < s->n_cables; i++) any |= wants(&s->cables[i]);
  if (!any) return CPS_OK;
  size_t n = (size_t)s->n_cables;
  tightening *of = calloc(n, sizeof *of);
  double *tension = calloc(n, sizeof *tension), worst = INFINITY;
  for (size_t i = 0; of && i < n; i++) of[i].tight = -INFINITY, of[i].loose = INFINITY;
  for (int k = 0; of && tension && k < (worst > wrong ? ROUNDS_MOST : ROUNDS); k++) {
    int good = look(drawn, s, tension);
    failures += !good;
    if (failures > (k > 0) * FAILURES_MOST) break; /* the search for the equilibrium says why */
    double before = worst;
    worst = 0;
    for (int i = 0; i < s->n_cables; i++) {
      if (!wants(&s->cables[i])) continue;
      of[i].tension = tension[i];
      if (good)
        find_way(&of[i], &s->cables[i], k == 0);
      else
        of[i].way *= -0.5; /* too far: half of the way back */
      worst = fmax(worst, fabs(tension[i] - s->cables[i].tension) / s->cables[i].tension);
    }
    if (!good) worst = before;
    if (worst <= near_enough) break;
    for (int i = 0; i < s->n_cables; i++) {
      if (!wants(&s->cables[i])) continue;
      of[i].x += of[i].way;
      scale(&drawn->cable[i], dim, exp(of[i].way));
    }
  }
  cps_status status = of && tension ? CPS_OK
                                    : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the cables");
  for (int i = 0; i < s->n_cables && status == CPS_OK && isfinite(worst) && worst > wrong; i++)
    if (wants(&s->cables[i]) && fabs(of[i].tension - s->cables[i].tension) > wrong * s->cables[i].tension)
      status = refuse_tension(&s->cables[i], &of[i], err);
  free(of);
  free(tension);
  return status;
}
