/* steppers.h - what the solver files show each other. */
#ifndef CPS_SOLVERS_H
#define CPS_SOLVERS_H

#include "system.h"

cps_status cps_run_rk4(cps_simulation *sim, cps_error *err);
cps_status cps_run_events(cps_simulation *sim, cps_error *err);
cps_status cps_run_alpha(cps_simulation *sim, cps_error *err);
cps_status cps_run_bdf(cps_simulation *sim, cps_error *err);

/* Cables. */
cps_status cps_run_cable_alpha(cps_simulation *sim, cps_error *err);
cps_status cps_run_cable_bdf(cps_simulation *sim, cps_error *err);
/* Fails: the equations do not converge with steps of h. Says where in which cable. */
cps_status cps_run_give_up(cps_simulation *sim, const struct machine *m, double h, cps_error *err);
cps_status cps_lift_run(cps_simulation *sim, cps_error *err); /* whatever run.solver says */

/* Releases bodies whose hold ends at the current time: they get their initial velocity. */
void cps_solver_release(cps_simulation *sim);

#endif
