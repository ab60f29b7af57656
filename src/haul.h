/* haul.h - statics and time stepping of machines. See haul.c, statics.c. */
#ifndef CPS_HAUL_H
#define CPS_HAUL_H

#include "machine.h"

/* A machine in time. */
typedef struct haul {
  machine *m;
  double t, h;
  long steps, iterations, cuts, rejected;
  double error; /* of the last step, in m */
} haul;

/* Keeps the state before a step, or brings it back. */
void cps_haul_keep(machine *m);
void cps_haul_bring_back(machine *m);

/* Newton's method; the number of iterations, or -1. */
int cps_haul_solve(machine *m, const implicit *how, int most, double tolerance);

/* Accelerations and friction forces that balance the forces of the present state: to be called where a run starts
 * and where something prescribed jumps. 0 if Newton's method fails; the state is then as before. */
int cps_haul_balance(machine *m, double t);

/* One step of generalised-alpha of length h: 1 if it converged, else 0 with the state as before. */
int cps_haul_step(haul *r, double h);

/* Equilibrium with friction that holds what it can, from the present shape. Velocities and accelerations are zero
 * after it, but for what starts with one. Fails if something runs away, and says what and where to. */
cps_status cps_machine_statics(machine *m, double t, cps_error *err);

/* Its parts (statics.c): lays the cables onto their drums, with hardly any friction; then descends from there to
 * rest. Something runs if it goes further than all cables are long, or slides further than slide_most. */
typedef enum rest_verdict { REST_FOUND, REST_RUNS, REST_LOST } rest_verdict;
void cps_machine_settle(machine *m, double t);
rest_verdict cps_machine_descend(machine *m, double t, double slide_most);
double cps_machine_span(const machine *m); /* length of all cables */

#endif
