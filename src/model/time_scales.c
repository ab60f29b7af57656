/* time_scales.c - how fast and how stiff the parts of a model are, estimated when it is made, so that `capstan check` knows which
 * runs come nowhere.
 *
 * Rates [1/s] are those of a part on the masses it moves: sqrt(k/m) of a spring, d/m of a damper, -f_v/m of friction. Those of an element of a cable
 * of length l are its highest frequencies, from the eigenvalues of stiffness and mass of a cubic element with free ends:
 * 90 + sqrt(6420) of stretching and 8400 of bending, so sqrt(170 EA/rho)/l, sqrt(8400 EI/rho)/l^2, and for damping
 * 170 c/(rho l^2) and 8400 d/(rho l^4).
 *
 * - Explicit solvers have to follow the fastest part: steps longer than about 3/rate are unstable.
 * - Implicit ones need not, but steps come to an end, about 1e-12 of the run, before they resolve a rate beyond that.
 * - Stiffness beyond double precision: coordinates are known to a part of 2^-52, and stiffness makes a force of that. Where it
 *   is not small against what the model is loaded with, forces have no digits.
 * - What is prescribed may jump more often than anybody can wait for steps.
 * - Cables that are too soft: all that loads the model would stretch them many times over.
 */
#include "time_scales.h"

#include "cable_shapes.h"
#include "plain_locale.h"
#include "steppers.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Steps times rate up to which explicit solvers are stable, for decay or oscillation, whichever is more: Dormand and Prince 5(4)
 * and the classical Runge-Kutta method. */
static const double DOPRI_REACH = 3.31, RK4_REACH = 2.83;

/* Of the run, what steps of implicit solvers are at least (alpha.c). */
static const double STEP_LEAST = 1e-12;

/* Of all loads, what round-off may make before it is doubtful; as much as they are, nothing is left of them. */
static const double NOISE_MOST = 0.01;

/* Strain by all loads together from which on a cable is doubted; and that with which nothing can be computed. */
static const double STRETCH_DOUBTED = 10, STRETCH_REFUSED = 1e4;

/* Largest eigenvalues of an element: stretching and bending. */
static const double STRETCHING = 170.125, BENDING = 8400;

/* The fastest part so far: what it is, and by which key. */
typedef struct fastest {
  double rate;
  char key[160], what[200];
} fastest;

static void note(fastest *f, double rate, const char *key, const char *format, ...) {
  if (!(rate > f->rate)) return;
  va_list args;
  f->rate = rate;
  snprintf(f->key, sizeof f->key, "%s", key);
  va_start(args, format);
  cps_format(f->what, sizeof f->what, format, args);
  va_end(args);
}

static void warn(warning_list *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(w, format, args);
  va_end(args);
}

/* ------------------------------------------------------------------ bodies */

/* 1/m of what is attached to an end of a spring: the body's own mass, nothing for ground and surfaces. */
static double compliance(const cps_scenario *s, int body) {
  return body >= 0 && s->bodies[body].kind != BODY_SURFACE ? 1 / s->bodies[body].mass : 0;
}

static void look_at_springs(const cps_scenario *s, fastest *f) {
  for (int i = 0; i < s->n_springs; i++) {
    const scenario_spring *g = &s->springs[i];
    double moves = compliance(s, g->end[0].body) + compliance(s, g->end[1].body);
    char key[160];
    if (g->tension_only || moves == 0) continue; /* it may be slack all the time */
    snprintf(key, sizeof key, "springs.%s.stiffness", g->name);
    note(f, sqrt(g->stiffness * moves), key, "spring %s (%.3g N/m on %.3g kg)", g->name, g->stiffness,
         1 / moves);
    snprintf(key, sizeof key, "springs.%s.damping", g->name);
    note(f, g->damping * moves, key, "the damper of spring %s (%.3g N s/m on %.3g kg)", g->name, g->damping,
         1 / moves);
  }
}

/* Friction about rest: the slope of a regularised law, and the bristles of one with states. Only fixed steps meet it for sure. */
static void look_at_contacts(const cps_system *s, fastest *f) {
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    const scenario_contact *of = &s->scenario->contacts[i];
    double moves = compliance(s->scenario, of->body[0]) + compliance(s->scenario, of->body[1]),
           z[CPS_MAX_STATES] = {0};
    double n = isnan(c->constant) ? c->weight : c->constant, bristle = 0;
    cps_law_input in = {.n = fmax(n, 0), .z = z, .mode = CPS_MODE_FREE};
    cps_law_output out;
    cps_law_jacobian by;
    char key[160];
    memset(&by, 0, sizeof by);
    cps_law_eval(c->law, c->p, &in, &out, &by);
    for (int k = 0; k < c->n_states; k++) bristle += fabs(by.f.z[k] * by.z_t[k].v);
    snprintf(key, sizeof key, "contacts.%s.friction", of->name);
    note(f, fmax(fabs(by.f.v) * moves, sqrt(bristle * moves)), key,
         "friction of contact %s about rest (%s, %.3g N on %.3g kg)", of->name, c->law->name, in.n,
         1 / moves);
  }
}

/* ------------------------------------------------------------------ cables */

static double shortest(const struct shape *d) {
  double least = INFINITY;
  for (int k = 0; k < d->n; k++) least = fmin(least, d->length[k]);
  return least;
}

static void look_at_cables(const cps_system *s, fastest *f) {
  for (int i = 0; s->drawn && s->drawn->cable && i < s->scenario->n_cables; i++) {
    const scenario_cable *c = &s->scenario->cables[i];
    const struct shape *d = &s->drawn->cable[i];
    if (c->model != CABLE_ANCF || d->n == 0 || !d->length) continue;
    double l = shortest(d), damping = fmax(c->rayleigh, c->axial_damping);
    const struct {
      double rate;
      const char *key, *what;
      double value;
      const char *unit;
    } parts[] = {
        {sqrt(STRETCHING * c->ea / c->rho) / l, "EA", "stretching", c->ea, "N"},
        {sqrt(BENDING * c->ei / c->rho) / (l * l), "EI", "bending", c->ei, "N m2"},
        {STRETCHING * damping / (c->rho * l * l), "damping", "damping", damping, "N s"},
        {BENDING * c->bending_damping / (c->rho * pow(l, 4)), "damping", "damping of bending",
         c->bending_damping, "N m2 s"},
    };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
      char key[160];
      snprintf(key, sizeof key, "cables.%s.%s", c->name, parts[k].key);
      note(f, parts[k].rate, key, "%s of cable %s (%.3g %s in elements of %.3g m with %.3g kg/m)",
           parts[k].what, c->name, parts[k].value, parts[k].unit, l, c->rho);
    }
  }
}

/* ------------------------------------------------------------------ precision */

/* All that loads the model, summed up: weights, forces, wanted tensions; 0: nothing does. */
static double loads(const cps_system *s) {
  enum { TIMES = 16 };
  const cps_scenario *sc = s->scenario;
  double g = hypot(hypot(sc->gravity[0], sc->gravity[1]), sc->gravity[2]), sum = 0;
  for (int i = 0; i < sc->n_bodies; i++)
    sum += g * (sc->bodies[i].kind == BODY_SURFACE ? 0 : sc->bodies[i].mass);
  for (int i = 0; i < sc->n_loads; i++) {
    double most = 0;
    for (int k = 0; k <= TIMES; k++)
      most = fmax(most, fabs(cps_profile_eval(sc->loads[i].force,
                                              sc->run.from + k * (sc->run.until - sc->run.from) / TIMES)
                                 .y));
    sum += most;
  }
  for (int i = 0; i < sc->n_cables; i++) {
    const scenario_cable *c = &sc->cables[i];
    sum += c->tension;
    for (int k = 0; s->drawn && s->drawn->cable && k < s->drawn->cable[i].n && s->drawn->cable[i].length; k++)
      sum += g * c->rho * s->drawn->cable[i].length[k];
    for (int k = 0; k < c->n_masses; k++) sum += g * c->masses[k].mass;
    for (int e = 0; e < 2; e++)
      for (int k = 0; k < 3; k++)
        if (c->end[e].force[k]) sum += fabs(cps_profile_eval(c->end[e].force[k], sc->run.until).y);
  }
  return sum;
}

/* Round-off of places of that size, in forces of that stiffness; the factor is that of newton.c. */
static double noise(double stiffness, double size) { return 4 * DBL_EPSILON * stiffness * size; }

/* Says that round-off is worth `made` of a force, where all loads together are `all`. */
static void judge_noise(refusals *r, warning_list *w, const char *key, const char *what, double made,
                        double all) {
  if (!(made > NOISE_MOST * all)) return;
  char text[300];
  snprintf(
      text, sizeof text,
      "%s is too stiff for numbers of 16 digits: round-off of places alone is worth %.2g N, and all loads "
      "together are %.2g N",
      what, made, all);
  if (made > all)
    cps_refuse(r, key, "%s", text);
  else
    warn(w, "%s (%s)", text, key);
}

/* Says that all loads together would stretch a cable many times over; 0 if that leaves no length to go on with. */
static int judge_stretch(const scenario_cable *c, double all, refusals *r, warning_list *w) {
  char key[160], text[300];
  if (!(all > STRETCH_DOUBTED * c->ea)) return 1;
  snprintf(key, sizeof key, "cables.%s.EA", c->name);
  cps_print(text, sizeof text,
            "cable %s of EA %.3g N would be stretched to %.2g times its length by all loads, together %.2g "
            "N: with EA of %.2g N or "
            "more they at most double it",
            c->name, c->ea, 1 + all / c->ea, all, all);
  if (all > STRETCH_REFUSED * c->ea) {
    cps_refuse(r, key, "%s", text);
    return 0;
  }
  warn(w, "%s (%s)", text, key);
  return 1;
}

static void judge_precision(const cps_system *s, refusals *r, warning_list *w) {
  const cps_scenario *sc = s->scenario;
  double all = loads(s);
  char key[160], what[200];
  if (!(all > 0)) return; /* what moves by itself has no scale */
  for (int i = 0; i < sc->n_springs; i++) {
    const scenario_spring *g = &sc->springs[i];
    double size = g->length;
    for (int e = 0; e < 2; e++)
      if (g->end[e].body >= 0) size = fmax(size, fabs(sc->bodies[g->end[e].body].x[0]));
    snprintf(key, sizeof key, "springs.%s.stiffness", g->name);
    cps_print(what, sizeof what, "spring %s of %.3g N/m", g->name, g->stiffness);
    judge_noise(r, w, key, what, noise(g->stiffness, size), all);
  }
  for (int i = 0; s->drawn && s->drawn->cable && i < sc->n_cables; i++) {
    const scenario_cable *c = &sc->cables[i];
    const struct shape *d = &s->drawn->cable[i];
    if (c->model != CABLE_ANCF || d->n == 0 || !d->length || !d->q) continue;
    double size = 0, l = shortest(d), bends = 12 * c->ei / (l * l * l);
    int b = 2 * s->dim;
    for (int k = 0; k < s->dim; k++) size = fmax(size, fmax(fabs(d->q[k]), fabs(d->q[d->n * b + k])));
    if (!judge_stretch(c, all, r, w)) continue;
    snprintf(key, sizeof key, "cables.%s.EA", c->name);
    cps_print(what, sizeof what, "cable %s of EA %.3g N in elements of %.3g m", c->name, c->ea, l);
    judge_noise(r, w, key, what, noise(c->ea / l, fmax(size, l)), all);
    snprintf(key, sizeof key, "cables.%s.EI", c->name);
    cps_print(what, sizeof what, "cable %s of EI %.3g N m2 in elements of %.3g m", c->name, c->ei, l);
    judge_noise(r, w, key, what, noise(bends, fmax(size, l)), all);
  }
}

/* ------------------------------------------------------------------ what is prescribed */

/* Steps end where what is prescribed jumps or bends, but for those of rk4, which are as long as they are. */
static void judge_breaks(const cps_system *s, const char *key, const profile *p, refusals *r,
                         warning_list *w) {
  const scenario_run *run = &s->scenario->run;
  double n = p ? cps_profile_breaks(p, run->from, run->until) : 0;
  if (strcmp(run->solver, "rk4") == 0) {
    double steps = (run->until - run->from) / cps_rk4_step(run);
    if (n > 2 * steps)
      warn(w, "%s jumps %.3g times in %.3g steps of run.solver rk4, which misses most of them (run.step)",
           key, n, steps);
  } else if (n > STEPS_MOST) {
    cps_refuse(r, key,
               "it jumps %.3g times until %.4g s, and a step ends at each: more than %.0e are more than "
               "anybody can wait for",
               n, run->until, STEPS_MOST);
  } else if (n > run->max_steps) {
    warn(w, "%s jumps %.3g times until %.4g s, and a step ends at each: more than run.max_steps", key, n,
         run->until);
  }
}

static void look_at_breaks(const cps_system *s, refusals *r, warning_list *w) {
  const cps_scenario *sc = s->scenario;
  char key[160];
  for (int i = 0; i < sc->n_loads; i++) {
    snprintf(key, sizeof key, "loads.%s.force", sc->loads[i].name);
    judge_breaks(s, key, sc->loads[i].force, r, w);
  }
  for (int i = 0; i < sc->n_contacts; i++) {
    snprintf(key, sizeof key, "contacts.%s.normal", sc->contacts[i].name);
    judge_breaks(s, key, sc->contacts[i].given, r, w);
  }
  for (int i = 0; i < sc->n_bodies; i++) {
    snprintf(key, sizeof key, "surfaces.%s.velocity", sc->bodies[i].name);
    judge_breaks(s, key, sc->bodies[i].motion, r, w);
  }
  for (int i = 0; i < sc->n_drums; i++) {
    snprintf(key, sizeof key, "drums.%s.drive", sc->drums[i].name);
    judge_breaks(s, key, sc->drums[i].motion, r, w);
  }
}

/* ------------------------------------------------------------------ the verdict */

/* Slack that starts as drawn, with a blow where its drawing bends too sharply. */
static void judge_slack(const cps_system *s, warning_list *w) {
  const double most = 0.01; /* strain: spans that hang well have 1e-4 */
  for (int i = 0; s->drawn && s->drawn->cable && i < s->scenario->n_cables; i++) {
    const scenario_cable *c = &s->scenario->cables[i];
    const shape *y = &s->drawn->cable[i];
    if (c->start_statics || !(fabs(y->blow) > most)) continue;
    warn(w,
         "the slack of cable %s bends more sharply than element %d of %.3g m can, within a span or where it "
         "leaves "
         "a drum: as drawn it starts with about %.2g N there. Less length, start: equilibrium, or shorter "
         "elements "
         "(cables.%s.start)",
         c->name, y->blow_at + 1, y->length[y->blow_at], y->blow * c->ea, c->name);
  }
}

/* Friction of contacts that come to rest, which explicit steps have to follow for as long as they do. */
static void judge_rest(const cps_system *s, warning_list *w) {
  const scenario_run *run = &s->scenario->run;
  fastest f = {0};
  look_at_contacts(s, &f);
  double steps = (run->until - run->from) * f.rate / DOPRI_REACH;
  if (steps > run->max_steps)
    warn(w,
         "%s acts within %.2g s, which run.solver events has to follow while it rests: up to %.2g steps "
         "until %.4g s. Use "
         "run.solver alpha or bdf (%s)",
         f.what, 1 / f.rate, steps, run->until, f.key);
}

void cps_judge_time_scales(const cps_system *s, refusals *r, warning_list *w) {
  const scenario_run *run = &s->scenario->run;
  double span = run->until - run->from, within = 0, steps;
  fastest f = {0};
  look_at_springs(s->scenario, &f);
  look_at_cables(s, &f);
  if (strcmp(run->solver, "rk4") == 0) look_at_contacts(s, &f);
  if (f.rate > 0) within = 1 / f.rate;
  if (!(within > 0)) {
    if (f.rate > 0)
      cps_refuse(r, f.key, "%s acts within less than numbers can say: is it meant like that?", f.what);
  } else if (strcmp(run->solver, "events") == 0 && s->scenario->n_cables == 0) {
    steps = span * f.rate / DOPRI_REACH;
    if (steps > STEPS_MOST)
      cps_refuse(r, f.key,
                 "%s acts within %.2g s, which run.solver events has to follow: %.2g steps until %.4g s, "
                 "which nobody "
                 "can wait for. Use run.solver alpha or bdf, or see whether the numbers are meant",
                 f.what, within, steps, run->until);
  } else if (strcmp(run->solver, "rk4") == 0) {
    double step = cps_rk4_step(run);
    if (step * f.rate > RK4_REACH)
      warn(w, "%s acts within %.2g s: with steps of %.3g s rk4 is not stable, at most %.2g s are (run.step)",
           f.what, within, step, RK4_REACH * within);
  } else if (within < STEP_LEAST * span) {
    warn(w,
         "%s acts within %.2g s, less than any step of a run of %.4g s: nothing resolves it. See whether "
         "masses, "
         "lengths, stiffnesses and dampings are meant as they are (%s)",
         f.what, within, span, f.key);
  }
  if (strcmp(run->solver, "events") == 0) judge_rest(s, w);
  look_at_breaks(s, r, w);
  judge_precision(s, r, w);
  judge_slack(s, w);
}
