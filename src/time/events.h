/* events.h - the solver `events` where another integrator makes the steps: see exchange.c. `work` is the workspace of the stepper. */
#ifndef CPS_EVENTS_H
#define CPS_EVENTS_H

#include "system.h"

/* Rates at the time and state of the simulation. */
cps_status cps_events_rates(void *work, cps_error *err);
/* After it: guards of all contacts, positive while their modes hold. */
void cps_events_guards(void *work, double *g);
/* Fires the guards that are not positive, and starts anew where something prescribed jumps. *changed: states or their rates
 * have jumped; *next: when something prescribed next jumps. */
cps_status cps_events_settle(void *work, int *changed, double *next, cps_error *err);

#endif
