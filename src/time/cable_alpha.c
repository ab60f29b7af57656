/* cable_alpha.c - machines with cables under generalised-alpha (alpha.c, alpha_rule.c): how they start, a step, its error, and what is said
 * when one fails.
 *
 * Newton's method solves for accelerations and friction forces at the end of the step, with the exact matrix in every iteration.
 *
 * The local error of a step is that of positions, |beta - 1/6| h^2 |da|, as a root mean square over the nodes, or that of
 * a body or a rim if it is larger (O. C. Zienkiewicz, Y. M. Xie 1991). Bodies that have nothing to do with cables are judged as they are
 * alone.
 */
#include "alpha.h"
#include "checkpoint.h"
#include "newton.h"
#include "simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ a step */

/* Iterations of a step. */
enum { NEWTON_MOST = 15 };

/* Newton's tolerance: force that is left before the last iteration, relative to the tension. What is left after it
 * is far less. */
static const double BALANCED = 1e-7;

/* Where states of laws start from, so that z = z_star + z_s z_t. */
static void predict_states(const contact_law *l, contact_memory *y, const alpha_rule *u) {
  if (l->walks) memcpy(y->z_star, y->z0, sizeof y->z_star);
  if (l->walks) return;
  for (int i = 0; i < AXES; i++)
    cps_alpha_base(u, l->law->n_states, y->z0[i], y->aux0[i], y->z_t0[i], y->z_star[i]);
}

static void finish_states(const contact_law *l, contact_memory *y, const alpha_rule *u) {
  for (int i = 0; i < AXES; i++)
    cps_alpha_finish(u, l->law->n_states, y->z_t[i], y->z_t0[i], y->aux0[i], y->aux[i]);
}

/* How much the acceleration of an unknown of the border has changed. */
static double changed(const machine *m, int k) { return fabs(*m->free[k].aux - *m->free[k].aux0); }

/* The most that bodies and rims of drums have. Seams of belts are nodes of their cables, and among these; bodies that have nothing to do
 * with cables are judged as bodies alone are (body_error.c). */
static double border_changed(const machine *m) {
  double most = 0;
  for (int i = 0; i < m->n_bodies; i++)
    for (int k = 0; k < m->body[i].n && !m->body[i].apart; k++)
      most = fmax(most, changed(m, m->body[i].at + k));
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) most = fmax(most, m->drum[i].radius * changed(m, m->drum[i].angle_at));
  return most;
}

/* The auxiliary accelerations at the end, and what they say about the error: a norm of (beta - 1/6) h^2 da. */
static double finish(machine *m, const alpha_weights *u) {
  double sum = 0, count = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t n = cps_cable_entries(c);
    if (m->dim == 2) sum += cps_nodes_finish(c, u);
    if (m->dim == 3) cps_alpha_finish(&u->v, (int)n, c->a, c->a0, c->aux0, c->aux);
    for (size_t k = 0; k < n && m->dim == 3; k++)
      if (k % 6 < 3) sum += (c->aux[k] - c->aux0[k]) * (c->aux[k] - c->aux0[k]);
    count += c->n + 1;
  }
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    cps_alpha_finish(&u->v, 1, f->a, f->a0, f->aux0, f->aux);
  }
  for (int k = 0; k < m->n_sites; k++)
    if (!m->site[k].on_cable || m->site[k].p->drum >= 0) finish_states(m->site[k].law, m->site[k].y, &u->z);
  return fabs(u->beta - 1.0 / 6) * u->h * u->h * fmax(border_changed(m), sqrt(sum / fmax(count, 1)));
}

/* Who stuck and who slid at the end of the last step is the guess for this one; but who would be pulled beyond what it holds if
 * friction changed as in that step lets go. */
static void guess(machine *m, double q_a) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (!cps_contact_guesses(c, q_a)) continue;
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      double next = p->f[0] + c->trace[k].rise;
      int sticks = p->stuck && fabs(next) <= p->limit;
      p->guess = sticks ? GUESS_STICK : next > 0 ? GUESS_FORWARD : GUESS_BACKWARD;
      if (p->stuck && hypot(p->f[0], p->f[1]) > p->limit)
        p->guess = GUESS_NONE; /* smooth laws between sticking and slipping */
    }
  }
}

/* Whether nodes are about where they were expected, their accelerations having changed by what q_a makes of it: within a part of
 * an element, and of a radian. Otherwise the step is too long to know it, and the equations may have been solved elsewhere: an
 * element turned inside out, or pressed deep into a drum, is in balance too. Where a cable runs onto a drum or off it, nodes turn by
 * what an element turns there, and this part of that may be missed; not so without bending stiffness, where slopes that are off by as much
 * are in balance elsewhere, too (a rope that falls onto a drum made three times its energy from nothing: verify_cable_shock). */
static const double ASTRAY = 0.25, TURNED = 0.05, BENT = 0.75;

/* Nodes beside one that touches a drum which turn as it lands or lifts off. */
enum { BESIDE = 4 };

static double may_turn(const machine *m, const cable *c, int node) {
  double most = 0;
  for (int i = 0; i < c->n_points && c->section.ei > 0; i++) {
    const contact_point *p = &c->point[i];
    if (p->drum >= 0 && abs(p->node - node) <= BESIDE)
      most = fmax(most, c->length[p->node < c->n ? p->node : c->n - 1] / m->drum[p->drum].radius);
  }
  return fmax(TURNED, BENT * most);
}

static int resolved(const machine *m, double q_a) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double shortest = cps_cable_shortest(c);
    lanes most = all(0);
    if (m->dim == 2)
      for (int k = 0; k <= c->n; k++)
        most = larger(most, magnitude(load(c->a + k * 4) - load(c->a0 + k * 4)));
    if (m->dim == 2 && q_a * fmax(most[0], most[1]) <= ASTRAY * shortest &&
        q_a * fmax(most[2], most[3]) <= TURNED)
      continue; /* all are well within */
    for (int k = 0; k <= c->n; k++) {
      const double *a = c->a + k * c->b, *a0 = c->a0 + k * c->b;
      double moved = 0, turned = 0;
      for (int d = 0; d < m->dim; d++) {
        moved = fmax(moved, fabs(a[d] - a0[d]));
        turned = fmax(turned, fabs(a[m->dim + d] - a0[m->dim + d]));
      }
      if (q_a * moved > ASTRAY * c->length[k < c->n ? k : c->n - 1]) return 0;
      if (q_a * turned > TURNED && q_a * turned > may_turn(m, c, k)) return 0;
    }
  }
  return 1;
}

/* Solves a step from where accelerations are expected, from the step around it or from those before; or as if they stayed. 0, with the state as before, if it did not converge. */
static int solve_from(alpha_stepper *r, const alpha_weights *u, double t1, int changing) {
  machine *m = r->m;
  cps_machine_keep(m);
  guess(m, u->q_new);
  int within = changing && cps_between_start(&r->between, m, r->t, u->h);
  cps_alpha_predict(m, u, changing && !within);
  for (int k = 0; k < m->n_sites; k++) predict_states(m->site[k].law, m->site[k].y, &u->z);
  cps_machine_move(m, r->t, t1);
  cps_machine_tie(m);
  r->coeffs = (step_coeffs){t1, u->q_new, u->v.x_new, u->z.x_new, 0, 0, u->h, 0};
  convergence known = m->convergence;
  known.wary = within;
  int it = cps_newton_solve(m, &r->coeffs, NEWTON_MOST, fmin(BALANCED, known.balance), &known);
  if (!within) m->convergence = known; /* a row starts nearer, and would spoil what steps know */
  r->iterations += it < 0 ? NEWTON_MOST : it;
  if (it > 0 && resolved(m, r->coeffs.q_a)) return 1;
  cps_machine_bring_back(m);
  return 0;
}

/* A step whose first start fails is started once more. Where that has not helped for so many failures, as beside laws that are hard to
 * solve (with `rill` on a rope that slides it helped 6 times of 695), it is tried at every eighth failure only. */
enum { FRUITLESS = 16, RETRY_EVERY = 8 };

static int retry(alpha_stepper *r, const alpha_weights *u, double t1) {
  if (r->m->stopped || !(r->m->rise_length > 0)) return 0;
  int tried = r->fruitless < FRUITLESS || r->fruitless % RETRY_EVERY == 0;
  int good = tried && solve_from(r, u, t1, 0);
  r->fruitless = good ? 0 : r->fruitless + 1;
  return good;
}

int cps_alpha_step(alpha_stepper *r, double h, double t1) {
  machine *m = r->m;
  alpha_weights u = cps_alpha_chosen(&m->of->run, h);
  if (!solve_from(r, &u, t1, 1) && !retry(r, &u, t1)) return 0;
  cps_memory_refresh(m, &r->coeffs);
  r->error = finish(m, &u);
  r->t += h;
  return 1;
}

/* ------------------------------------------------------------------ failures */

/* The cable whose last correction was largest [m], and the element where. At its ends corrections may be those of reactions. */
static const cable *worst_cable(const machine *m, double *most, int *at) {
  const cable *worst = NULL;
  *most = -1;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    int inside = c->links > 1;
    for (int k = inside; c->x && k <= c->links - inside; k++) {
      double x = 0;
      for (int d = 0; d < m->dim; d++) x += fabs(c->x[k * c->width + d]);
      if (!(x <= *most)) {
        *most = x;
        worst = c;
        *at = c->by ? c->cut[k] : k;
      }
    }
  }
  return worst;
}

/* The bearing, rail or contact of bodies whose friction was last corrected by more than the force that presses it, and most of all; NULL:
 * none. Where friction diverges places need not: a contact holds what it wants to, and moves by nothing. */
static const slide *worst_slide(const machine *m) {
  const slide *worst = NULL;
  double most = 1;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    double x = y->f_at >= 0 && y->p.n > 0 ? fabs(m->rhs[y->f_at]) / y->p.n : 0;
    if (x <= most) continue; /* NaN goes through */
    most = x;
    worst = y;
  }
  return worst;
}

cps_status cps_run_give_up(cps_simulation *sim, const machine *m, double h, cps_error *err) {
  if (m->stopped) return cps_simulation_stopped(sim, err);
  double most, s = 0;
  int at = 0;
  const cable *worst = worst_cable(m, &most, &at);
  const slide *rubs = worst_slide(m);
  if (rubs)
    return cps_simulation_fail(
        sim, rubs->contact ? rubs->index : -1, err,
        "friction of %s %s does not converge, however short the step (%.2g s): nothing fits its law %s "
        "there. Try a "
        "wider regularisation, or another law; contacts that close a circle have forces that are not unique",
        rubs->contact ? "contact" : "the bearing of drum",
        rubs->contact ? rubs->contact->name : m->drum[rubs->drum].of->name, h, rubs->law.law->name);
  for (int k = 0; worst && k < at; k++) s += worst->length[k];
  return cps_simulation_fail(
      sim, -1, err,
      "the equations of cable %s do not converge, however short the step (%.2g s), worst at "
      "%.4g m from its start: is something very stiff, is the cable slack or compressed there, "
      "or does a drive jump? Try more damping, a softer contact, or a finer mesh",
      worst ? worst->of->name : "?", h, s);
}

/* Whether forces balance as things are: what rests in equilibrium has no accelerations, and what round-off makes of
 * them is far more on a fine mesh than what is left of forces deserves. Everything is as it was kept after it. */
static int rests(machine *m, double t) {
  step_coeffs coeffs = cps_machine_instant(t);
  newton_goal goal = cps_newton_goal(m, 1, 1e-6);
  residual_norms left;
  int good = cps_machine_iterate(m, &coeffs, INFINITY, &left) && cps_newton_settled(&left, &goal);
  cps_machine_bring_back(m);
  return good;
}

typedef struct cable_run {
  cps_simulation *sim;
  alpha_stepper r;
  double tolerance;
} cable_run;

/* Rates of bodies of the machine as it is. Those of states of laws whose guards fire within steps stay zero: they have no error. */
static void rates(const void *of, const body_rates *to) {
  const machine *m = ((const cable_run *)of)->r.m;
  const cps_system *s = m->system;
  memcpy(to->a, m->a, (size_t)s->nx * sizeof(double));
  memcpy(to->f, m->f, (size_t)s->nc * sizeof(double));
  for (int i = 0; i < s->nc; i++) {
    const slide *x = cps_contact_slide(m, i);
    const contact *c = &s->contacts[i];
    size_t bytes = x->law.walks ? 0 : (size_t)c->n_states * sizeof(double);
    memcpy(m->y + 2 * s->nx + c->z, x->y.z[0], (size_t)c->n_states * sizeof(double));
    memcpy(to->z_t + c->z, x->y.z_t[0], bytes);
  }
}

/* ------------------------------------------------------------------ a run */

static void list(checkpoint *c, void *of) {
  cable_run *y = of;
  CHECKPOINT_VALUE(c, "alpha.t", y->r.t);
  CHECKPOINT_VALUE(c, "alpha.iterations", y->r.iterations);
  CHECKPOINT_VALUE(c, "alpha.fruitless", y->r.fruitless);
  cps_checkpoint_demand(c, y->r.fruitless >= 0, "alpha.fruitless");
}

/* The instant that the balance of forces takes has not passed: bodies apart from cables are where they were before it. Forces
 * that depend on their velocities then balance to the instant's first power; one more iteration makes it the second. */
static void settle_bodies(machine *m, const step_coeffs *coeffs) {
  residual_norms left;
  if (!cps_machine_stay(m)) return;
  cps_machine_iterate(m, coeffs, INFINITY, &left);
  cps_machine_stay(m);
}

/* Starts the method, at first or where something has jumped: with accelerations that balance. */
static cps_status start(void *of, alpha_start why, cps_error *err) {
  cable_run *y = of;
  alpha_stepper *r = &y->r;
  cps_simulation *sim = y->sim;
  machine *m = r->m;
  cable_note what = {.released = 1, .from = r->t, .coeffs = cps_machine_instant(r->t)};
  if (cps_machine_release(m, r->t) && sim->follow.step) {
    cps_status status = sim->follow.step(sim, &what, sim->follow.data, err);
    if (status != CPS_OK) return status;
  }
  cps_machine_move(m, r->t, r->t);
  cps_machine_tie(m);
  cps_machine_keep(m);
  cps_machine_update_contacts(m, r->t);
  cps_memory_choose(m);
  step_coeffs coeffs = cps_machine_instant(r->t);
  int it = rests(m, r->t) ? -1 : cps_machine_balance(m, r->t);
  r->iterations += it > 0 ? it : 0;
  if (it < 0)
    cps_machine_bring_back(m); /* they stay, or the first step finds them */
  else
    settle_bodies(m, &coeffs);
  cps_memory_refresh(m, &coeffs);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    memcpy(c->aux, c->a, (size_t)(c->n + 1) * (size_t)c->b * sizeof(double));
  }
  for (int k = 0; k < m->nb; k++) *m->free[k].aux = *m->free[k].a;
  for (int k = 0; k < m->n_sites; k++) memcpy(m->site[k].y->aux, m->site[k].y->z_t, sizeof m->site[k].y->aux);
  cps_alpha_forget(m);
  cps_audit_start(m, r->t);
  what.released = 0;
  what.begins = 1;
  what.fired = why == START_AT_GUARD;
  what.z_s = r->coeffs.z_s;
  what.balanced = it >= 0;
  return sim->follow.step ? sim->follow.step(sim, &what, sim->follow.data, err) : CPS_OK;
}

static solved solve_step(void *of, double h, double t1) {
  cable_run *y = of;
  y->r.t = y->sim->t;
  return cps_alpha_step(&y->r, h, t1) ? STEP_SOLVED : y->r.m->stopped ? STEP_STOPPED : STEP_FAILED;
}

static double local_error(const void *of) {
  const cable_run *y = of;
  return y->r.error / y->tolerance;
}

static void take_back(void *of) { cps_machine_bring_back(((cable_run *)of)->r.m); }

static void look(const void *of, double t) { cps_bodies_look(((const cable_run *)of)->r.m, t); }

static cps_status accept(void *of, double from, double h, double t1, cps_error *err) {
  cable_run *y = of;
  cps_simulation *sim = y->sim;
  y->r.t = sim->t;
  cps_alpha_learn(y->r.m, h);
  cps_between_note(&y->r.between, y->r.m, from, h);
  cps_machine_settle(y->r.m);
  cps_audit_step(y->r.m, t1, h);
  sim->result.counters.newton = sim->result.counters.factorisations = sim->result.counters.evaluations =
      y->r.iterations;
  cable_note what = {.from = from, .h = h, .coeffs = y->r.coeffs};
  cps_status status = sim->follow.step ? sim->follow.step(sim, &what, sim->follow.data, err) : CPS_OK;
  if (status == CPS_OK) cps_mesh_follow(y->r.m, sim->t, h);
  return status;
}

static cps_status give_up(void *of, double h, cps_error *err) {
  const cable_run *y = of;
  return cps_run_give_up(y->sim, y->r.m, h, err);
}

static void rows(void *of, row_phase phase) {
  cable_run *y = of;
  alpha_between *b = &y->r.between;
  b->is = phase == ROWS_AHEAD ? BETWEEN_EXPECTED : phase == ROWS_WITHIN ? BETWEEN_KNOWN : BETWEEN_NONE;
}

static void free_run(void *of) {
  cable_run *y = of;
  cps_between_free(&y->r.between);
  free(y);
}

static void forget(void *of) { cps_body_system_forget(&((cable_run *)of)->r.m->equations.system); }

static cps_status make_run(cps_simulation *sim, alpha_bodies *bodies, void **of, double *first,
                           cps_error *err) {
  (void)bodies;
  const scenario_run *set = &sim->system->scenario->run;
  const machine *m = sim->machine;
  double size = 0;
  int rests = 0; /* what is not in equilibrium starts with a shock, and is looked at closely */
  cable_run *y = calloc(1, sizeof *y);
  *of = y;
  if (!y) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  for (int i = 0; i < m->n_cables; i++) {
    double length = 0;
    for (int k = 0; k < m->cable[i].n; k++) length += m->cable[i].length[k];
    size = fmax(size, length);
    rests |= m->cable[i].of->start_statics;
  }
  *first = (rests ? 1e-3 : 1e-6) * fmin(set->until - set->from, 1);
  *y = (cable_run){.sim = sim,
                   .r = {.m = sim->machine, .t = sim->t},
                   .tolerance = set->tolerance_abs + set->tolerance * size};
  if (!cps_between_make(&y->r.between, m)) {
    free_run(y);
    *of = NULL;
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  }
  return CPS_OK;
}

const alpha_equations cps_alpha_machine = {.part = 1.0 / 20,
                                           .safety = 0.85,
                                           .row_first = 1,
                                           .make = make_run,
                                           .free = free_run,
                                           .start = start,
                                           .solve = solve_step,
                                           .take_back = take_back,
                                           .error = local_error,
                                           .rates = rates,
                                           .look = look,
                                           .accept = accept,
                                           .give_up = give_up,
                                           .rows = rows,
                                           .list = list,
                                           .forget = forget};
