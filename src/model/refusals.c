/* refusals.c - what a model cannot be made of, beyond what the reader sees.
 *
 * Everything here is asked once, when a system is made of a scenario, so that `capstan check` and `capstan run` refuse
 * the same things in the same words. Whether there is an equilibrium to start from is not asked: that is statics.
 */
#include "refusals.h"

#include "machine.h"
#include "plain_locale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cps_refuse_error(refusals *r, cps_status status, const cps_error *err) {
  if (status == CPS_OK) return;
  if (status == CPS_NO_MEMORY || r->no_memory) {
    r->no_memory = 1;
    return;
  }
  if (r->n == r->room) {
    int room = r->room ? 2 * r->room : 4;
    cps_error *more = realloc(r->list, (size_t)room * sizeof *more);
    if (!more) {
      r->no_memory = 1;
      return;
    }
    r->list = more;
    r->room = room;
  }
  r->list[r->n] = *err;
  if (r->numbers_of) cps_scenario_blame(r->numbers_of, &r->list[r->n]);
  r->n++;
}

void cps_refuse(refusals *r, const char *key, const char *format, ...) {
  cps_error err;
  char text[sizeof err.text];
  va_list args;
  va_start(args, format);
  cps_format(text, sizeof text, format, args);
  va_end(args);
  cps_refuse_error(r, cps_error_set(&err, CPS_BAD_INPUT, key, "%s", text), &err);
}

/* ------------------------------------------------------------------ contact of cables */

/* The drum of a cable in the reading all-stick whose motion is not given; -1 if there is none. */
static int moved_drum(const cps_scenario *s, const cable_contact *c) {
  int n = c->n_drums < 0 ? s->n_drums : c->n_drums;
  for (int i = 0; i < n; i++) {
    int at = c->n_drums < 0 ? i : c->drums[i];
    if (cps_drum_is_free(&s->drums[at]) || s->drums[at].carrier >= 0) return at;
  }
  return -1;
}

/* In the reading all-stick the contacts of a cable are coupled by the inertia of that cable alone. */
static void refuse_all_stick(refusals *r, const cps_scenario *s, const scenario_cable *c) {
  const char *const consistent =
      "leave `reading` out, and friction is consistent with the contacts that slip";
  char key[128];
  snprintf(key, sizeof key, "cables.%s.contact.reading", c->name);
  if (c->contact.law->n_states || c->contact.law->n_modes || !(c->contact.law->traits & CPS_NEEDS_FEQ))
    cps_refuse(r, key,
               "cable %s: the law %s does not ask for a balance force, so that the reading all-stick has "
               "nothing to say about it; leave `reading` out, or take quinn or cdq",
               c->name, c->contact.law->name);
  if (c->contact.quadrature >
      1) /* places and slopes would follow from those before, ever more inaccurately */
    cps_refuse(r, key,
               "cable %s: in the reading all-stick %d contact points per element leave it no freedom along "
               "the drum; use `at: nodes` or `at: {quadrature: 1}`",
               c->name, c->contact.quadrature);
  if (c->closed)
    cps_refuse(r, key, "cable %s: the reading all-stick is for cables with two ends, not for belts; %s",
               c->name, consistent);
  for (int e = 0; e < 2 && !c->closed; e++)
    if (cps_end_is(c->end[e].kind, END_ON_BODY) && !cps_body_is_end(s, c->end[e].body))
      cps_refuse(r, key,
                 "cable %s: the reading all-stick takes the inertia of the cable and of masses at its "
                 "ends, but body %s has more to it (a rail, a spring, a drum, or another cable); %s",
                 c->name, s->bodies[c->end[e].body].name, consistent);
  int at = moved_drum(s, &c->contact);
  if (at >= 0)
    cps_refuse(r, key,
               "cable %s: the reading all-stick is for drums whose motion is given, but drum %s is %s; %s",
               c->name, s->drums[at].name,
               cps_drum_is_free(&s->drums[at]) ? "turned by the cable (it has `inertia`)"
                                               : "carried by a body (`carried_by`)",
               consistent);
}

/* ------------------------------------------------------------------ prescribed motion */

/* The first time in the run at which a place jumps; INFINITY if it never does. */
static double first_jump(const profile *p, const scenario_run *run, double *by) {
  enum { MOST = 100000 }; /* breaks to look at */
  double t = run->from;
  for (int i = 0; i < MOST; i++) {
    t = cps_profile_next_break(p, t);
    if (!(t <= run->until)) return INFINITY;
    double shortly = 1e-9 * fmax(fabs(t), 1e-3 * (run->until - run->from));
    profile_value before = cps_profile_eval(p, t - shortly), at = cps_profile_eval(p, t);
    double smooth = 2 * shortly * (fabs(before.y_t) + fabs(at.y_t)) + 1e-9 * (fabs(before.y) + fabs(at.y));
    *by = at.y - before.y;
    if (fabs(*by) > smooth) return t;
  }
  return INFINITY;
}

static void refuse_jump(refusals *r, const scenario_run *run, const profile *p, const char *key,
                        const char *what, const char *unit) {
  double by = 0, t = p ? first_jump(p, run, &by) : INFINITY;
  if (t < INFINITY)
    cps_refuse(r, key,
               "%s jumps by %.3g %s at %.6g s, which would need an infinite force; let it move there in a "
               "short time, "
               "with `step`, `step5` or `ramp`",
               what, by, unit, t);
}

/* Prescribed angles and places that jump do infinite work on what they move. */
static void refuse_jumps(refusals *r, const cps_scenario *s) {
  static const char axes[] = "xyz";
  char key[160];
  for (int i = 0; i < s->n_drums; i++) {
    const scenario_drum *d = &s->drums[i];
    snprintf(key, sizeof key, "drums.%s.drive.rotation", d->name);
    if (cps_drive_is(d, DRIVE_PRESCRIBES)) refuse_jump(r, &s->run, d->motion, key, "the angle", "rad");
    for (int k = 0; k < 3; k++) {
      snprintf(key, sizeof key, "drums.%s.moved.%c", d->name, axes[k]);
      refuse_jump(r, &s->run, d->shift[k], key, "the place", "m");
    }
  }
  for (int i = 0; i < s->n_cables; i++)
    for (int e = 0; e < 2 && !s->cables[i].closed; e++)
      for (int k = 0; k < 3; k++) {
        snprintf(key, sizeof key, "cables.%s.path", s->cables[i].name);
        refuse_jump(r, &s->run, s->cables[i].end[e].shift[k], key, "the place of an end", "m");
      }
  for (int i = 0; i < s->n_bodies; i++) {
    const scenario_body *b = &s->bodies[i];
    snprintf(key, sizeof key, "surfaces.%s.position", b->name);
    if (b->kind == BODY_SURFACE && !b->motion_is_velocity)
      refuse_jump(r, &s->run, b->motion, key, "the place", "m");
  }
}

/* A mesh that follows the drums moves after steps of alpha, along cables with two ends. */
static void refuse_following(refusals *r, const cps_scenario *s, const scenario_cable *c) {
  char key[128];
  snprintf(key, sizeof key, "cables.%s.mesh.follow", c->name);
  if (!c->follows) return;
  if (c->closed)
    cps_refuse(r, key,
               "cable %s: the mesh of a belt does not follow the drums, as all of it runs over them; leave "
               "`follow` out",
               c->name);
  if (!strcmp(s->run.solver, "bdf"))
    cps_refuse(r, key,
               "cable %s: a mesh that follows the drums changes between steps, which bdf's memory of earlier "
               "steps does not allow; use `solver: alpha`, or leave `follow` out",
               c->name);
  if (c->contact.law && c->contact.reading == STICK_ALL)
    cps_refuse(r, key,
               "cable %s: the reading all-stick does not go with a mesh that follows the drums; leave one of "
               "them out",
               c->name);
}

void cps_refuse_cables(refusals *r, const cps_scenario *s) {
  r->numbers_of = s;
  refuse_jumps(r, s);
  r->numbers_of = NULL;
  for (int i = 0; i < s->n_cables; i++) {
    const scenario_cable *c = &s->cables[i];
    if (c->model == CABLE_ANCF) refuse_following(r, s, c);
    if (c->model != CABLE_ANCF || !c->contact.law) continue;
    if (c->contact.quadrature > PER_NODE_MAX) {
      char key[128];
      snprintf(key, sizeof key, "cables.%s.contact.at", c->name);
      cps_refuse(
          r, key,
          "cable %s: %d contact points per element are more than its freedoms along the drum can take; "
          "use 1 or 2, and more elements",
          c->name, c->contact.quadrature);
    } else if (c->contact.reading == STICK_ALL) {
      refuse_all_stick(r, s, c);
    }
  }
}
