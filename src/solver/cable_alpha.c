/* cable_alpha.c - runs cables by generalised-alpha (haul.c): step control, outputs, and failures with a story.
 *
 * The step is controlled by the local error of positions, |beta - 1/6| h^2 |da|, as a root mean square over the nodes
 * (O. C. Zienkiewicz, Y. M. Xie 1991); with run.step it is fixed. A step whose equations do not converge is halved.
 */
#include "../haul.h"
#include "solvers.h"

#include <math.h>

/* Growth and shrinkage of a step, and the safety of its choice. */
static const double GROW = 2, SHRINK = 0.2, SAFETY = 0.85;

/* Where the equations stand worst: the cable, and what it does there. */
static cps_status give_up(cps_simulation *sim, const haul *r, double h, cps_error *err) {
  const machine *m = r->m;
  const cable *worst = NULL;
  int at = 0;
  double most = -1;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k <= c->n; k++) {
      double x = 0;
      for (int d = 0; d < m->dim; d++) x += fabs(c->x[k * (c->b + c->slots) + d]);
      if (!(x <= most)) {
        most = x;
        worst = c;
        at = k;
      }
    }
  }
  double s = 0;
  for (int k = 0; worst && k < at; k++) s += worst->length[k];
  return cps_simulation_fail(
      sim, -1, err,
      "the equations of cable %s do not converge, however short the step (%.2g s), worst at "
      "%.4g m from its start: is something very stiff, is the cable slack or compressed there, "
      "or does a drive jump? Try more damping, a softer contact, or a finer mesh",
      worst ? worst->of->name : "?", h, s);
}

/* Laws with modes and memory, and laws that jump: what they are at the end of the step. */
static void settle(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    const contact_law *l = &c->contact;
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      p->slid = p->drum >= 0 && !p->stuck;
      if (l->kind != LAW_MEMORY || !l->law->n_modes) continue;
      for (int a = 0; a < m->dim - 1; a++) {
        cps_law_input in = {p->v[a], p->n, p->f[a], c->memory[k].z[a], p->mode[a]};
        if (p->mode[a] < 0)
          p->mode[a] = cps_law_mode(l->law, l->p, &in);
        else
          p->mode[a] = cps_law_settle(l->law, l->p, &in, c->memory[k].z[a]);
      }
    }
  }
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    y->p.slid = !y->p.stuck;
    if (y->law.kind != LAW_MEMORY || !y->law.law->n_modes) continue;
    cps_law_input in = {y->p.v[0], y->p.n, y->p.f[0], y->y.z[0], y->p.mode[0]};
    if (y->p.mode[0] < 0)
      y->p.mode[0] = cps_law_mode(y->law.law, y->law.p, &in);
    else
      y->p.mode[0] = cps_law_settle(y->law.law, y->law.p, &in, y->y.z[0]);
  }
}

cps_status cps_haul_alpha(cps_simulation *sim, cps_error *err) {
  const scenario_run *set = &sim->system->scenario->run;
  haul r = {.m = sim->machine, .t = sim->t};
  int adaptive = !(set->step > 0), is_output = 0;
  double span = set->until - set->from, most = adaptive ? span / 20 : set->step;
  int rests = 0; /* what is not in equilibrium starts with a shock, and is looked at closely */
  for (int i = 0; i < r.m->n_cables; i++) rests |= r.m->cable[i].of->start_statics;
  double h = !adaptive ? most
             : rests   ? fmin(1e-3 * span, 1e-3)
                       : fmin(1e-6 * span, 1e-6),
         stop = sim->t, at_break = NAN;
  double size = 0;
  for (int i = 0; i < r.m->n_cables; i++)
    for (int k = 0; k < r.m->cable[i].n; k++) size = fmax(size, r.m->cable[i].length[k] * r.m->cable[i].n);
  double tolerance = set->tolerance_abs + set->tolerance * size;
  cps_status status = CPS_OK;
  while (status == CPS_OK && sim->t < set->until) {
    if (sim->t >= stop) {
      if (sim->t == at_break) { /* accelerations jump with what is prescribed */
        cps_haul_balance(r.m, sim->t);
        cps_audit_start(r.m, sim->t);
      }
      stop = cps_simulation_next_stop(sim, &is_output);
      at_break = cps_machine_next_break(sim->system->scenario, sim->t);
    }
    double left = stop - sim->t, steps = ceil(left / fmin(h, most) * (1 - 1e-9)),
           used = steps > 1 ? left / steps : left;
    if (!cps_haul_step(&r, used)) {
      sim->result.counters.rejected++;
      h = used / 2;
      if (h < 1e-12 * span || h < 1e-13) status = give_up(sim, &r, h, err);
      continue;
    }
    double ratio = adaptive ? r.error / tolerance : 0;
    if (ratio > 1 && used > 1e-9 * span) {
      cps_haul_bring_back(r.m);
      r.t = sim->t;
      sim->result.counters.rejected++;
      h = used * fmax(SHRINK, SAFETY / cbrt(ratio));
      continue;
    }
    h = fmin(most, used * (adaptive ? fmin(GROW, SAFETY / cbrt(fmax(ratio, 1e-6))) : GROW));
    settle(r.m);
    cps_audit_step(r.m, r.t, used);
    sim->t = r.t = steps > 1 ? r.t : stop;
    sim->result.counters.newton = sim->result.counters.factorisations = r.iterations;
    if (sim->t == stop && is_output)
      status = cps_simulation_record(sim, err);
    else if (set->output <= 0)
      status = cps_simulation_record(sim, err);
    if (status == CPS_OK) status = cps_simulation_stepped(sim, used, err);
  }
  sim->result.counters.evaluations = r.iterations;
  return status;
}
