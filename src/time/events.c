/* events.c - integration from one stick-slip transition to the next, of contacts and of cables in few variables.
 *
 * Every contact whose law has modes is in one of them; in a mode the law is smooth, so a method of order 5
 * integrates it at full order. After each step the guards are sampled along it; the first that turns negative
 * is located by repeating the step with other lengths until the time is exact to round-off. There the law's
 * mode map applies, and the contacts at rest are decided together.
 *
 * Contacts at rest (laws that balance forces: mode 0 is stick, 1 and 2 slip forward and backward) depend on
 * one another through W. All that have no velocity are first taken to stick; the one that is most overloaded
 * is let go, the forces are solved again, and so on. One that was let go but would be pushed back against its
 * sliding direction sticks again.
 *
 * While a contact sticks its relative position is kept, not integrated, and its relative velocity is zero: no
 * drift.
 *
 * Cables in few variables (elevator.h) have modes and guards too: those that slip at one side or the other, stick, slide
 * through or are slack. They come after the contacts wherever guards are counted. While a contact holds one of their
 * bodies, their state is put to where that body is.
 *
 * Invariants. (1) sim->mode holds a mode for every law that has some. (2) Time never goes back. (3) A stuck
 * contact has relative velocity zero and its anchor's relative position after every accepted step. (4) Every
 * change of mode is an event in the result.
 */
#include "events.h"
#include "dopri.h"
#include "elevator.h"
#include "step_notes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STICK, FORWARD, BACKWARD };
enum { SAMPLES = 6, TIGHT = 100 };

#define LIFT_ZERO                                                                                            \
  1e-13 /* what counts as zero of a guard of a cable in few variables: they are relative, or angles */
#define V_SAME 1e-12 /* contacts slower than this when another event happens stop with it [m/s] */

typedef struct run {
  cps_simulation *sim;
  dopri d;
  double *anchor; /* [nc] relative position of stuck contacts */
  double *before; /* [(nc + n_lifts) * CPS_MAX_GUARDS] guards at the start of the step */
  double *guard;  /* [(nc + n_lifts) * CPS_MAX_GUARDS] */
  int *old;       /* [nc] modes before an event */
  int *let_go;    /* [nc] released in this event: how often */
  double *since;  /* [nc] when it last let go */
  double v_small; /* relative velocity that counts as none */
  double last_event;
  int at_same_time;
  double h;          /* step to try next */
  double ceiling;    /* no step is longer, since one that was has failed */
  double next_break; /* when something prescribed next jumps */
  int watches;       /* guards of contacts are there, which need an evaluation */
  int pinned;        /* transitions happen because something prescribed jumps */
  cps_error *err;
} run;

/* A law that balances forces: rest is a constraint. */
static int balances(const contact *c) {
  return c->law->n_modes == 3 && (c->law->traits & CPS_NEEDS_FEQ) != 0;
}

static int is_stuck(const run *r, int i) {
  return r->sim->mode[i] == STICK && balances(&r->sim->system->contacts[i]);
}

static cps_law_input input(const run *r, int i, const double *y) {
  const cps_system *s = r->sim->system;
  const workspace *k = &r->sim->work;
  cps_law_input in = {k->v[i], k->n[i], k->f_eq[i], y + 2 * s->nx + s->contacts[i].z, r->sim->mode[i]};
  return in;
}

/* The cable in few variables that a guard belongs to; NULL: it is one of contact i. */
static lift *lift_of(const run *r, int i) {
  int nc = r->sim->system->nc;
  return i < nc ? NULL : &r->sim->work.lifts[i - nc];
}

/* Guards of all contacts after an evaluation at y, and of all cables in few variables. */
static void read_guards(const run *r, const double *y, double *g) {
  const cps_system *s = r->sim->system;
  for (int i = 0; i < s->n_lifts; i++)
    cps_lift_guards(&r->sim->work.lifts[i], y + s->lift_y + (size_t)i * LIFT_STATES,
                    g + ((size_t)s->nc + (size_t)i) * CPS_MAX_GUARDS);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (!c->law->n_modes) continue;
    cps_law_input in = input(r, i, y);
    cps_law_guards(c->law, c->p, &in, g + (size_t)i * CPS_MAX_GUARDS, NULL);
  }
}

/* What counts as zero of a guard of contact i: round-off of what it is made of. */
static double guard_zero(const run *r, int i) {
  const workspace *k = &r->sim->work;
  const contact *c = &r->sim->system->contacts[i];
  if (!balances(c)) return 0;
  if (r->sim->mode[i] == STICK) return 1e-12 * (fabs(k->f_eq[i]) + 1e-300);
  return r->v_small;
}

/* Relative velocity zero and relative position kept, for all stuck contacts. Bodies that rest on bodies
 * follow those, so as many passes as the tallest stack has levels. */
static void project(run *r) {
  const cps_system *s = r->sim->system;
  double *q = r->sim->y, *v = q + s->nx;
  for (int pass = 0; pass < s->nc + 1; pass++) {
    int moved = 0;
    for (int i = 0; i < s->nc; i++) {
      if (!is_stuck(r, i)) continue;
      const contact *c = &s->contacts[i];
      double q_new = c->sb * q[c->b] + r->anchor[i], v_new = c->sb * v[c->b];
      if (q[c->a] == q_new && v[c->a] == v_new) continue;
      q[c->a] = q_new;
      v[c->a] = v_new;
      moved = 1;
    }
    if (!moved) break;
  }
  if (s->lift_contacts > 0) cps_lifts_follow(s, &r->sim->work, r->sim->y);
}

/* Takes hold: from now on the contact sticks here. */
static void anchor(run *r, int i) {
  const contact *c = &r->sim->system->contacts[i];
  r->anchor[i] = r->sim->y[c->a] - c->sb * r->sim->y[c->b];
}

static cps_status evaluate(run *r) {
  cps_simulation *sim = r->sim;
  cps_status status = cps_system_rates(sim->system, &sim->work, sim->t, sim->y, sim->mode, sim->y_t);
  if (status != CPS_OK)
    return cps_simulation_fail(sim, sim->work.failed_contact, r->err,
                               "the forces of contacts that depend on one another do not settle");
  return CPS_OK;
}

static double relative_acceleration(const run *r, int i) {
  const cps_system *s = r->sim->system;
  const contact *c = &s->contacts[i];
  const double *v_t = r->sim->y_t + s->nx;
  return v_t[c->a] - c->sb * (v_t[c->b] + r->sim->work.surface_a[c->b]);
}

/* The stuck contact that is most overloaded, relative to what it holds; -1 if none. *side gets the guard. */
static int most_overloaded(run *r, int *side) {
  const cps_system *s = r->sim->system;
  double worst = 1e-12;
  int found = -1;
  for (int i = 0; i < s->nc; i++) {
    if (!is_stuck(r, i)) continue;
    double g[CPS_MAX_GUARDS];
    cps_law_input in = input(r, i, r->sim->y);
    cps_law_guards(s->contacts[i].law, s->contacts[i].p, &in, g, NULL);
    for (int k = 0; k < 2; k++) {
      double over = -g[k] / (fabs(r->sim->work.f_eq[i]) + 1e-300);
      if (over > worst) {
        worst = over;
        found = i;
        *side = k;
      }
    }
  }
  return found;
}

/* A contact that was let go now but accelerates against its sliding direction; -1 if none. */
static int pushed_back(const run *r) {
  const cps_system *s = r->sim->system;
  for (int i = 0; i < s->nc; i++) {
    if (r->let_go[i] == 0 || r->let_go[i] > 3 || is_stuck(r, i)) continue;
    double direction = r->sim->mode[i] == FORWARD ? 1 : -1, a = relative_acceleration(r, i);
    double size = (fabs(r->sim->work.f[i]) + fabs(r->sim->work.f_eq[i])) * r->sim->work.w_ii[i];
    if (direction * a < -1e-10 * size) return i;
  }
  return -1;
}

/* Decides which contacts without velocity stick. `fired` (or -1) has just been let go by its guard. */
static cps_status decide(run *r, int fired) {
  const cps_system *s = r->sim->system;
  memset(r->let_go, 0, (size_t)s->nc * sizeof(int));
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (!balances(c) || is_stuck(r, i)) continue;
    double v = r->sim->y[s->nx + c->a] - c->sb * r->sim->y[s->nx + c->b];
    int just_now = r->sim->t - r->since[i] <=
                   1e-10 * (1 + fabs(r->sim->t)); /* an event at the same time let it go */
    if (i == fired || (just_now && fabs(v) <= V_SAME)) {
      r->let_go[i] = 1;
    } else if (fabs(v) <= V_SAME) {
      r->sim->mode[i] = STICK;
      anchor(r, i);
    }
  }
  project(r);
  for (int round = 0; round < 8 * s->nc + 16; round++) {
    cps_status status = evaluate(r);
    if (status != CPS_OK) return status;
    int side = 0, i = most_overloaded(r, &side);
    if (i >= 0) {
      r->sim->mode[i] = side == 0 ? FORWARD : BACKWARD;
      r->let_go[i]++;
      r->since[i] = r->sim->t;
      continue;
    }
    i = pushed_back(r);
    if (i < 0) return CPS_OK;
    r->sim->mode[i] = STICK;
    r->let_go[i] += 2;
    r->since[i] = -INFINITY;
    anchor(r, i);
    project(r);
  }
  return cps_simulation_fail(
      r->sim, fired, r->err,
      "no consistent set of sticking and sliding contacts was found: several contacts depend on "
      "one another with static above dynamic friction; try a continuous law such as quinn");
}

static cps_status report(run *r) {
  for (int i = 0; i < r->sim->system->nc; i++) {
    if (r->old[i] == r->sim->mode[i]) continue;
    cps_status status = cps_simulation_event(r->sim, i, r->old[i], r->sim->mode[i], r->err);
    if (status != CPS_OK) return status;
    r->old[i] = r->sim->mode[i];
  }
  return CPS_OK;
}

/* Guard k of a cable in few variables has fired. */
static cps_status fire_lift(run *r, lift *l, int k) {
  cps_simulation *sim = r->sim;
  lift_mode from = l->mode;
  if (r->at_same_time > TIGHT)
    return cps_simulation_fail(sim, -1, r->err, "cable %s does not decide whether it sticks or slides",
                               l->cable->name);
  if (!cps_lift_change(l, k)) {
    char why[256];
    cps_lift_explain(l, k, why, sizeof why);
    return cps_simulation_fail(sim, -1, r->err, "%s", why);
  }
  memcpy(r->old, sim->mode, (size_t)sim->system->nc * sizeof(int));
  r->d.first_known = 0;
  cps_status status = decide(r, -1);
  if (status == CPS_OK) status = report(r);
  if (status != CPS_OK || from == l->mode) return status;
  return cps_simulation_cable_event(sim, l->cable->name, (int)from, (int)l->mode, cps_lift_mode_name(from),
                                    cps_lift_mode_name(l->mode), r->err);
}

/* Guard k of contact i has fired at the current time and state; or of a cable, which comes after the contacts. */
static cps_status fire(run *r, int i, int k) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  if (sim->t > r->last_event) r->at_same_time = 0;
  r->last_event = sim->t;
  r->at_same_time++;
  if (lift_of(r, i)) return fire_lift(r, lift_of(r, i), k);
  const contact *c = &s->contacts[i];
  if (r->at_same_time > TIGHT + 4 * s->nc)
    return cps_simulation_fail(
        sim, i, r->err,
        "more than %d transitions at one time: they pile up; try run.solver bdf with a continuous "
        "law, or a looser run.tolerance",
        r->at_same_time - 1);
  memcpy(r->old, sim->mode, (size_t)s->nc * sizeof(int));
  double *z = sim->y + 2 * s->nx + c->z, next[CPS_MAX_STATES];
  cps_law_input in = input(r, i, sim->y);
  int was_stuck = is_stuck(r, i);
  sim->mode[i] = cps_law_transition(c->law, c->p, &in, k, next, NULL);
  memcpy(z, next, (size_t)c->n_states * sizeof(double));
  if (balances(c) && sim->mode[i] == STICK) anchor(r, i);
  if (was_stuck) r->since[i] = sim->t;
  cps_status status = decide(r, was_stuck ? i : -1);
  r->d.first_known = 0;
  if (status == CPS_OK) status = report(r);
  step_note note = {.kind = NOTE_GUARD, .contact = i, .guard = k, .pinned = r->pinned};
  return status == CPS_OK ? cps_note(sim, &note, r->err) : status;
}

/* The guard that is negative in g, where it was not before; the most negative relative to its zero comes
 * first. */
static int crossed(const run *r, const double *g, int *k) {
  const cps_system *s = r->sim->system;
  for (int i = 0; i < s->nc; i++) {
    const cps_law *law = s->contacts[i].law;
    for (int j = 0; j < law->n_guards; j++) {
      double now = g[(size_t)i * CPS_MAX_GUARDS + (size_t)j];
      /* One that starts at zero, as after an event, has to leave it clearly; any other counts from zero. */
      double zero = guard_zero(r, i), start = r->before[(size_t)i * CPS_MAX_GUARDS + (size_t)j];
      if (law->n_modes && now < (start > zero ? 0 : -zero)) {
        *k = j;
        return i;
      }
    }
  }
  for (int i = s->nc; i < s->nc + s->n_lifts; i++)
    for (int j = 0; j < LIFT_GUARDS; j++) {
      double now = g[(size_t)i * CPS_MAX_GUARDS + (size_t)j],
             start = r->before[(size_t)i * CPS_MAX_GUARDS + (size_t)j];
      if (!(now >= -LIFT_ZERO) && !(now >= start)) {
        *k = j;
        return i;
      }
    }
  return -1;
}

/* Evaluates the guards at a state of time t. A step that ends where something prescribed jumps belongs to the
 * time before the jump, all of it. */
static cps_status guards_at(run *r, double t, double *y) {
  t = fmin(t, r->d.latest);
  cps_status status = CPS_OK;
  if (r->watches) status = cps_system_rates(r->sim->system, &r->sim->work, t, y, r->sim->mode, r->sim->y_t);
  if (status == CPS_OK) read_guards(r, y, r->guard);
  return status;
}

/* The first sample of the step at which a guard is negative: its fraction, and the one before it. 0 if none.
 */
static cps_status scan(run *r, double h, double *low, double *high, int *hit, int *k) {
  *hit = -1;
  *low = 0;
  for (int m = 1; m <= SAMPLES && *hit < 0; m++) {
    double x = (double)m / SAMPLES;
    double *y = m == SAMPLES ? r->d.new_y : (double *)cps_dopri_sample(&r->d, r->sim, h, x);
    cps_status status = guards_at(r, r->sim->t + x * h, y);
    if (status != CPS_OK) return status;
    *hit = crossed(r, r->guard, k);
    if (*hit < 0) *low = x;
    *high = x;
  }
  return CPS_OK;
}

/* Repeats the step with length x h and reads the guards there. */
static cps_status retry(run *r, double h, double x) {
  cps_status status = cps_dopri_step(&r->d, r->sim, x * h);
  return status == CPS_OK ? guards_at(r, r->sim->t + x * h, r->d.new_y) : status;
}

/* Locates the first time in (low, high] of the step at which any guard is negative, by bisection with secants
 * of the guard that fires, down to neighbouring times. */
static cps_status locate(run *r, double h, double low, double high, int *hit, int *k) {
  double g_low = 0, g_high = 0, tiny = 4e-16 * fmax(fabs(r->sim->t), h) / h;
  cps_status status = retry(r, h, high);
  if (status != CPS_OK) return status;
  *hit = crossed(r, r->guard, k);
  if (*hit < 0) return CPS_OK; /* the samples' doing: the step itself is clean */
  g_high = r->guard[(size_t)*hit * CPS_MAX_GUARDS + (size_t)*k];
  int with = *hit, which = *k;
  for (int it = 0; it < 200 && high - low > tiny; it++) {
    double x = (low + high) / 2;
    if (it % 3 != 2 && g_low > 0 && g_high < 0) { /* secant, kept a little inside */
      double secant = low + (high - low) * g_low / (g_low - g_high), inside = 1e-3 * (high - low);
      x = fmin(fmax(secant + (it % 3 == 0 ? 0.5 : -0.5) * tiny, low + fmin(inside, tiny)),
               high - fmin(inside, tiny));
    }
    status = retry(r, h, x);
    if (status != CPS_OK) return status;
    int j = 0, i = crossed(r, r->guard, &j);
    if (i >= 0) {
      high = x;
      if (i != with || j != which) { /* another one fires earlier */
        with = i;
        which = j;
        g_low = 0;
      }
      g_high = r->guard[(size_t)with * CPS_MAX_GUARDS + (size_t)which];
    } else {
      low = x;
      g_low = r->guard[(size_t)with * CPS_MAX_GUARDS + (size_t)which];
    }
  }
  *hit = with;
  *k = which;
  return retry(r, h, high);
}

/* Guards at the start of the step, whose evaluation the integrator has already used. */
static void read_start(run *r) {
  const cps_system *s = r->sim->system;
  if (!r->watches ||
      cps_system_rates(s, &r->sim->work, r->sim->t, r->sim->y, r->sim->mode, r->sim->y_t) == CPS_OK)
    read_guards(r, r->sim->y, r->before);
}

/* A stuck contact that begins the step at its very limit and leaves it lets go at the beginning. */
static int lets_go_at_start(const run *r, int i, int k) {
  double start = r->before[(size_t)i * CPS_MAX_GUARDS + (size_t)k];
  return !lift_of(r, i) && is_stuck(r, i) && start <= guard_zero(r, i) && r->at_same_time < TIGHT;
}

/* Accepts the step of length h that was tried last. */
static void take_step(run *r, double h) {
  cps_dopri_accept(&r->d, r->sim);
  r->sim->t += h;
  project(r);
}

/* `from` is the very time: what is prescribed may jump there. */
static cps_status tell_step(run *r, double from, double h) {
  step_note note = {.kind = NOTE_RK, .t = from, .h = h, .latest = r->d.latest, .table = &cps_dopri_table};
  return cps_note(r->sim, &note, r->err);
}

/* What is damped more strongly than a step resolves grows slowly from round-off as soon as steps are too long for it, and its error tells
 * nothing until it is too large; longer steps than those that were good are then tried again at once, and fail. So the next ones are at
 * most this part of a step that has failed, and rise by this factor from step to step. */
static const double TRIED = 0.75, RISES = 1.02;

/* One accepted step of at most h, ending at an event if there is one. Gives the length used and the next to
 * try. */
static cps_status advance(run *r, double h, double *used, double *next) {
  cps_simulation *sim = r->sim;
  const scenario_run *set = &sim->system->scenario->run;
  double error, from = sim->t, failed = 0;
  for (;;) {
    cps_status status = cps_dopri_step(&r->d, sim, h);
    if (status != CPS_OK && (sim->work.failed_contact >= 0 || sim->system->n_lifts == 0))
      return cps_simulation_fail(sim, sim->work.failed_contact, r->err, "the contact forces do not settle");
    error = status != CPS_OK ? NAN : cps_dopri_error(&r->d, sim, h, set->tolerance, set->tolerance_abs);
    double factor = error > 0 ? 0.9 * pow(error, -0.2) : 5;
    if (status == CPS_OK && error <= 1) {
      r->ceiling = failed > 0 ? fmax(h, TRIED * failed) : RISES * r->ceiling;
      *next = fmin(r->ceiling, h * fmin(5, fmax(0.2, factor)));
      break;
    }
    sim->result.counters.rejected++;
    failed = fmax(failed, h);
    h *= error == error ? fmax(0.1, factor) : 0.1;
    if (!(h > 1e-15 * fmax(fabs(sim->t), 1e-3)))
      return cps_simulation_fail(
          sim, -1, r->err,
          "the step has shrunk to nothing: something is stiffer than round-off allows, or jumps "
          "where no event is known; loosen run.tolerance, or try run.solver bdf");
  }
  double low, high;
  int hit, k;
  read_start(r);
  cps_status status = scan(r, h, &low, &high, &hit, &k);
  if (status == CPS_OK && hit >= 0 && lets_go_at_start(r, hit, k)) {
    *used = 0;
    *next = h;
    status = evaluate(r);
    return status == CPS_OK ? fire(r, hit, k) : status;
  }
  if (status == CPS_OK && hit >= 0) {
    status = locate(r, h, low, high, &hit, &k);
    /* the step was repeated with the length that is now in d */
  }
  if (status != CPS_OK)
    return cps_simulation_fail(sim, sim->work.failed_contact, r->err, "the contact forces do not settle");
  *used = h;
  if (hit < 0) {
    if (high != 1 && retry(r, h, 1) != CPS_OK)
      return cps_simulation_fail(sim, -1, r->err, "the contact forces do not settle");
    take_step(r, h);
    return tell_step(r, from, h);
  }
  *used = r->d.length;
  take_step(r, r->d.length);
  status = tell_step(r, from, r->d.length);
  if (status == CPS_OK) status = evaluate(r);
  /* Where every step is recorded, both sides of an event are, since forces jump there. */
  if (status == CPS_OK && (cps_simulation_every_step(sim) || sim->event_rows))
    status = cps_simulation_record(sim, r->err);
  return status == CPS_OK ? fire(r, hit, k) : status;
}

/* Starts, and starts again where something prescribed jumps: guards may be negative at once. */
static cps_status restart(run *r, int begins, int jumps) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  cps_solver_release(sim);
  if (jumps)
    for (int i = 0; i < s->n_lifts; i++)
      if (!cps_lift_jump(&sim->work.lifts[i], sim->t))
        return cps_simulation_fail(sim, -1, r->err, "the drive jumps where nothing can follow");
  cps_system_kinematics(s, &sim->work, sim->t, sim->y);
  r->d.first_known = 0;
  memcpy(r->old, sim->mode, (size_t)s->nc * sizeof(int));
  /* A body that is set free may start with a velocity, at which its contacts do not stick. */
  for (int i = 0; i < s->nc; i++)
    if (is_stuck(r, i) && fabs(sim->work.v[i]) > V_SAME)
      sim->mode[i] = sim->work.v[i] > 0 ? FORWARD : BACKWARD;
  cps_status status = decide(r, -1);
  if (status == CPS_OK) status = report(r);
  r->pinned = begins || sim->t >= r->next_break;
  step_note note = {.kind = begins ? NOTE_START : NOTE_STOP, .contact = -1, .pinned = r->pinned};
  if (status == CPS_OK) status = cps_note(sim, &note, r->err);
  for (int round = 0; status == CPS_OK && round < 4 * CPS_MAX_GUARDS; round++) {
    read_guards(r, sim->y, r->guard);
    /* cables have no guard that is negative at once and falls */
    memcpy(r->before + (size_t)s->nc * CPS_MAX_GUARDS, r->guard + (size_t)s->nc * CPS_MAX_GUARDS,
           (size_t)s->n_lifts * CPS_MAX_GUARDS * sizeof(double));
    int k = 0, i = crossed(r, r->guard, &k);
    if (i < 0) break;
    status = fire(r, i, k);
  }
  r->pinned = 0;
  return status;
}

/* First modes: by velocity for laws that balance forces, by their own mode map for the others. */
static void start_modes(run *r) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  cps_system_kinematics(s, &sim->work, sim->t, sim->y);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    r->old[i] = sim->mode[i];
    if (!c->law->n_modes) continue;
    if (balances(c))
      sim->mode[i] = sim->work.v[i] > V_SAME ? FORWARD : sim->work.v[i] < -V_SAME ? BACKWARD : STICK;
    if (is_stuck(r, i)) anchor(r, i);
    r->old[i] = sim->mode[i];
  }
}

static void list(checkpoint *c, void *owner) {
  run *r = owner;
  int nc = r->sim->system->nc, guards = (nc + r->sim->system->n_lifts) * CPS_MAX_GUARDS;
  size_t modes = (size_t)nc * sizeof(int);
  cps_checkpoint_array(c, "events.rates", r->d.k[0], r->d.n);
  CHECKPOINT_VALUE(c, "events.rates_known", r->d.first_known);
  CHECKPOINT_VALUE(c, "events.length", r->d.length);
  CHECKPOINT_VALUE(c, "events.latest", r->d.latest);
  cps_checkpoint_array(c, "events.anchor", r->anchor, nc);
  cps_checkpoint_array(c, "events.before", r->before, guards);
  cps_checkpoint_array(c, "events.guard", r->guard, guards);
  cps_checkpoint_modes(c, "events.old", r->sim->system, r->old);
  cps_checkpoint_item(c, "events.let_go", r->let_go, modes);
  cps_checkpoint_array(c, "events.since", r->since, nc);
  CHECKPOINT_VALUE(c, "events.last_event", r->last_event);
  CHECKPOINT_VALUE(c, "events.at_same_time", r->at_same_time);
  CHECKPOINT_VALUE(c, "events.h", r->h);
  cps_checkpoint_demand(c, r->h > 0 && r->d.length >= 0, "events.h");
  CHECKPOINT_VALUE(c, "events.ceiling", r->ceiling);
  cps_checkpoint_demand(c, r->ceiling > 0, "events.ceiling");
  CHECKPOINT_VALUE(c, "events.next_break", r->next_break);
}

static cps_status start(run *r) {
  const scenario_run *set = &r->sim->system->scenario->run;
  start_modes(r);
  for (int i = 0; i < r->sim->system->nc; i++) r->since[i] = -INFINITY;
  r->h = set->step > 0 ? set->step : 1e-4 * (set->until - set->from);
  r->ceiling = INFINITY;
  r->next_break = -INFINITY;
  return restart(r, 1, 0);
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  run *r = work;
  r->err = err;
  return resumed ? CPS_OK : start(r);
}

static cps_status start_anew(void *work, cps_error *err) {
  run *r = work;
  r->err = err;
  return restart(r, 0, 1);
}

static cps_status step(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  const scenario_run *set = &sim->system->scenario->run;
  r->err = err;
  if (sim->t >= r->next_break) {
    r->next_break = stop->jump;
    r->d.latest = nextafter(r->next_break, -INFINITY);
  }
  double h = r->h, used = 0, next = h, from = sim->t;
  double left = stop->time - from,
         longest = set->step > 0 ? set->step : cps_driver_longest(sim, (set->until - set->from) / 50);
  double most = left > longest * (1 + 1e-9) ? longest : left; /* round-off leaves no step of its own */
  double try_h = h < 0.999 * most ? h : most;                 /* do not leave a crumb before the stop */
  if (try_h < most && try_h > 0.6 * most) try_h = most / 2;
  long events = sim->result.counters.events;
  cps_status status = advance(r, try_h, &used, &next);
  if (status != CPS_OK) return status;
  if (sim->result.counters.events > events || used < try_h) next = fmin(next, fmax(h, used));
  r->h = try_h < h && next > h ? fmax(h, next) : next;
  sim->h = used;
  /* it has come to the stop: say so exactly */
  if (used == try_h && (try_h == stop->time - from || sim->t >= stop->time)) sim->t = stop->time;
  return CPS_OK;
}

static cps_status complete(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  r->err = err;
  return r->sim->t == stop->time ? restart(r, 0, stop->is_break) : CPS_OK;
}

/* ------------------------------------------------------------------ steps of another integrator */

/* Evaluates at the time before the next jump of something prescribed, until that has been passed. */
cps_status cps_events_rates(void *work, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  r->err = err;
  if (cps_system_rates(sim->system, &sim->work, fmin(sim->t, r->d.latest), sim->y, sim->mode, sim->y_t) ==
      CPS_OK)
    return CPS_OK;
  return cps_simulation_fail(sim, sim->work.failed_contact, err, "the contact forces do not settle");
}

/* Guard k of contact i after an evaluation. One that was zero at the last event is lifted by what counts as zero: it is positive
 * there, and has to leave zero clearly. */
static double lifted_guard(const run *r, int i, int k, double g) {
  double zero = fmax(guard_zero(r, i), DBL_MIN);
  return g + (r->before[(size_t)i * CPS_MAX_GUARDS + (size_t)k] > zero ? 0 : zero);
}

void cps_events_guards(void *work, double *g) {
  run *r = work;
  const cps_system *s = r->sim->system;
  read_guards(r, r->sim->y, r->guard);
  for (int i = 0; i < s->nc; i++)
    for (int k = 0; s->contacts[i].law->n_modes && k < s->contacts[i].law->n_guards; k++)
      *g++ = lifted_guard(r, i, k, r->guard[(size_t)i * CPS_MAX_GUARDS + (size_t)k]);
}

/* The first guard that is not positive; -1 if all are. */
static int not_positive(run *r, int *k) {
  const cps_system *s = r->sim->system;
  read_guards(r, r->sim->y, r->guard);
  for (int i = 0; i < s->nc; i++)
    for (*k = 0; s->contacts[i].law->n_modes && *k < s->contacts[i].law->n_guards; ++*k)
      if (lifted_guard(r, i, *k, r->guard[(size_t)i * CPS_MAX_GUARDS + (size_t)*k]) <= 0) return i;
  return -1;
}

cps_status cps_events_settle(void *work, int *changed, double *next, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  cps_status status = CPS_OK;
  r->err = err;
  *changed = 0;
  if (r->next_break - sim->t <= 4 * DBL_EPSILON * fabs(sim->t)) {
    int begins = r->next_break == -INFINITY;
    if (!begins) sim->t = fmax(sim->t, r->next_break);
    r->next_break = cps_system_next_break(s, sim->t);
    r->d.latest = nextafter(r->next_break, -INFINITY);
    if (!begins) status = restart(r, 0, 1);
    read_start(r);
    *changed = !begins;
  }
  for (;;) {
    if (status == CPS_OK) status = cps_events_rates(work, err);
    int k = 0, i = status == CPS_OK ? not_positive(r, &k) : -1;
    if (i < 0) break;
    status = fire(r, i, k);
    read_start(r);
    *changed = 1;
  }
  read_start(r);
  *next = r->next_break;
  return status;
}

static void free_run(void *work) {
  run *r = work;
  cps_dopri_free(&r->d);
  free(r->anchor);
  free(r->before);
  free(r->guard);
  free(r->old);
  free(r->let_go);
  free(r->since);
  free(r);
}

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  const cps_system *s = sim->system;
  size_t nc = s->nc > 0 ? (size_t)s->nc : 1, guards = (nc + (size_t)s->n_lifts) * CPS_MAX_GUARDS;
  run *r = calloc(1, sizeof *r);
  *work = r;
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  *r = (run){.sim = sim, .last_event = -INFINITY, .v_small = 1e-14};
  int good = cps_dopri_make(&r->d, s->ny);
  r->anchor = calloc(nc, sizeof(double));
  r->before = calloc(guards, sizeof(double));
  r->guard = calloc(guards, sizeof(double));
  for (int i = 0; i < s->nc; i++) r->watches |= s->contacts[i].law->n_guards > 0;
  r->old = calloc(nc, sizeof(int));
  r->let_go = calloc(nc, sizeof(int));
  r->since = calloc(nc, sizeof(double));
  if (good && r->anchor && r->before && r->guard && r->old && r->let_go && r->since) return CPS_OK;
  free_run(r);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
}

static double longest(const void *work) { return 1.01 * ((const run *)work)->h; }

const stepper cps_events = {.traits = STEPPER_ROW_AT_EVENTS,
                            .checkpoint_steps = CHECKPOINT_STEPS,
                            .make = make_run,
                            .free = free_run,
                            .begin = begin,
                            .restart = start_anew,
                            .longest = longest,
                            .step = step,
                            .complete = complete,
                            .list = list};
