/* cable_alpha.c - runs cables by generalised-alpha (haul.c): step control, outputs, and failures with a story.
 *
 * The step is controlled by the local error of positions, |beta - 1/6| h^2 |da|, as a root mean square over the nodes
 * (O. C. Zienkiewicz, Y. M. Xie 1991); with run.step it is fixed. A step whose equations do not converge is halved.
 */
#include "../haul.h"
#include "solvers.h"

#include <math.h>
#include <string.h>

/* Growth and shrinkage of a step, and the safety of its choice. */
static const double GROW = 2, SHRINK = 0.2, SAFETY = 0.85;

/* Where the equations stand worst: the cable, and what it does there. */
cps_status cps_haul_give_up(cps_simulation *sim, const machine *m, double h, cps_error *err) {
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

/* Starts the method, at first or where something has jumped: with accelerations that balance. */
static void begin(haul *r) {
  machine *m = r->m;
  cps_machine_move(m, r->t, r->t);
  cps_machine_tie(m);
  cps_haul_keep(m);
  cps_machine_look(m, r->t);
  int it = cps_machine_balance(m, r->t);
  r->iterations += it > 0 ? it : 0;
  if (it < 0) cps_haul_bring_back(m); /* the first step finds them */
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    memcpy(c->aux, c->a, (size_t)(c->n + 1) * (size_t)c->b * sizeof(double));
    for (int k = 0; c->memory && k < c->n_points; k++)
      memcpy(c->memory[k].aux, c->memory[k].z_t, sizeof c->memory[k].aux);
  }
  for (int k = 0; k < m->nb; k++) m->free[k].aux = m->free[k].a;
  for (int k = 0; k < m->n_slides; k++)
    memcpy(m->slide[k].y.aux, m->slide[k].y.z_t, sizeof m->slide[k].y.aux);
  cps_audit_start(m, r->t);
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
         stop = sim->t;
  double size = 0;
  for (int i = 0; i < r.m->n_cables; i++)
    for (int k = 0; k < r.m->cable[i].n; k++) size = fmax(size, r.m->cable[i].length[k] * r.m->cable[i].n);
  double tolerance = set->tolerance_abs + set->tolerance * size;
  double jump = sim->t;
  cps_status status = CPS_OK;
  while (status == CPS_OK && sim->t < set->until) {
    if (sim->t >= jump) {
      begin(&r);
      jump = cps_machine_next_break(sim->system->scenario, sim->t);
    }
    if (sim->t >= stop) stop = cps_simulation_next_stop(sim, &is_output);
    double left = stop - sim->t, steps = ceil(left / fmin(h, most) * (1 - 1e-9)),
           used = steps > 1 ? left / steps : left;
    /* what jumps at the end of the step is not yet seen there */
    double aside = steps <= 1 && stop >= jump && stop < set->until ? 1e-13 * used + 4e-16 * fabs(stop) : 0;
    if (!cps_haul_step(&r, used - aside)) {
      sim->result.counters.rejected++;
      h = used / 2;
      if (h < 1e-12 * span || h < 1e-13) status = cps_haul_give_up(sim, r.m, h, err);
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
    cps_machine_settle(r.m);
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
