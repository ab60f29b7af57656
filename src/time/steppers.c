/* steppers.c - the solvers by name, and what each of them cannot do. */
#include "steppers.h"

#include "machine.h"
#include "refusals.h"

#include <math.h>
#include <string.h>

static const solver solvers[] = {
    {"events", "event-driven: Dormand-Prince 5(4) between stick-slip transitions located to round-off",
     &cps_events, NULL, NULL, NULL},
    {"alpha", "generalised-alpha of order 2, implicit: adaptive, or with a fixed step", &cps_alpha,
     &cps_alpha, "events", NULL},
    {"bdf", "backward differentiation of order 1 to 5, implicit, adaptive (SUNDIALS)", &cps_body_bdf,
     &cps_cable_bdf, "events", "alpha"},
    {"rk4", "classical Runge-Kutta of order 4, fixed step", &cps_rk4, NULL, NULL, NULL},
};

enum { COUNT = sizeof solvers / sizeof solvers[0] };

const solver *cps_solver_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(solvers[i].name, name) == 0) return &solvers[i];
  return NULL;
}

/* ------------------------------------------------------------------ what they cannot do */

static const char WHERE[] = "run.solver";

/* Whether a law jumps from sticking to sliding, having no states that would soften it. */
static int jumps(const cps_law *law) { return law && law->n_modes && !law->n_states; }

static void refuse_jumps(refusals *r, const char *solver_name, const char *instead, const cps_law *law,
                         const char *kind, const char *name) {
  if (!jumps(law)) return;
  cps_refuse(r, WHERE,
             "the law %s of %s %s jumps between sticking and sliding, which %s cannot follow: "
             "use run.solver %s, or the law quinn, which is continuous",
             law->name, kind, name, solver_name, instead);
}

/* A velocity below which no fixed step ever ends by chance [m/s]; what counts as more. */
static const double REST_BAND = 1e-5, MORE = 1.001;

/* Steps of a fixed length pass the instant of rest, and a law that holds more at rest than it rubs with in sliding goes from sliding one way
 * to sliding the other way and back: it never sticks. */
static void refuse_rests(refusals *r, const scenario_contact *c) {
  cps_law_scale scale;
  if (!jumps(c->law)) return;
  cps_law_scales(c->law, c->p, 1, &scale);
  if (scale.v_band > REST_BAND) return;
  cps_law_input in = {2 * scale.v_band + 1e-9, 1, 0, NULL, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_eval(c->law, c->p, &in, &out, NULL);
  if (!(scale.f_stick > MORE * fabs(out.f))) return;
  cps_refuse(
      r, WHERE,
      "rk4 steps over the instant of rest, where the law %s of contact %s holds %.3g of its load, and in "
      "sliding %.3g: use run.solver events, which finds that instant",
      c->law->name, c->name, scale.f_stick, fabs(out.f));
}

/* What is sure to take that many, as each row, frame or step of a fixed size is one. */
static void refuse_counts(refusals *r, const scenario_run *run) {
  const struct {
    const char *key, *what;
    double every;
  } counts[] = {{"run.step", "steps", run->step},
                {"run.output", "rows", run->output},
                {"run.fields", "frames", run->fields}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    double n = counts[i].every > 0 ? (run->until - run->from) / counts[i].every : 0;
    if (n > STEPS_MOST * (1 + 1e-6))
      cps_refuse(r, counts[i].key, "%.3g s in %s of %.3g s are %.2g, which nobody can wait for: at most %.0e",
                 run->until - run->from, counts[i].what, counts[i].every, n, STEPS_MOST);
  }
}

void cps_refuse_solver(refusals *r, const cps_scenario *s) {
  r->numbers_of = s;
  refuse_counts(r, &s->run);
  r->numbers_of = NULL;
  const solver *how = cps_solver_find(s->run.solver); /* the reader knows no other names than the table */
  int elements = s->n_elements, reduced = s->n_cables - elements;
  if (elements > 0 && !how->cables) {
    cps_refuse(
        r, WHERE,
        "cables are stiff, and their contacts many: %s would need far too many steps. Use alpha, or bdf",
        how->name);
    return;
  }
  if (reduced > 0 && how->bodies == &cps_rk4)
    cps_refuse(
        r, WHERE,
        "a cable in few variables begins and ends to slide at instants that %s does not look for: use events",
        how->name);
  if (elements == 0 && reduced > 0) return; /* events follows everything */
  for (int i = 0; i < s->n_contacts && how->bodies == &cps_rk4; i++) refuse_rests(r, &s->contacts[i]);
  const char *instead = s->n_cables > 0 ? how->for_cable_jumps : how->for_jumps;
  if (!instead) return;
  for (int i = 0; i < s->n_contacts; i++)
    refuse_jumps(r, how->name, instead, s->contacts[i].law, "contact", s->contacts[i].name);
  for (int i = 0; i < elements; i++)
    refuse_jumps(r, how->name, instead, s->cables[i].contact.law, "cable", s->cables[i].name);
  for (int i = 0; i < s->n_drums && s->n_cables > 0; i++)
    if (cps_drum_is_free(&s->drums[i]))
      refuse_jumps(r, how->name, instead, s->drums[i].bearing, "the bearing of drum", s->drums[i].name);
}
