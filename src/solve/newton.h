/* newton.h - Newton's method, time steps and statics of machines. See newton.c, cable_alpha.c, equilibrium.c. */
#ifndef CPS_NEWTON_H
#define CPS_NEWTON_H

#include "alpha_rule.h"
#include "machine.h"

/* What is known of a step around shorter ones that start where it does (alpha_between.c). */
typedef struct alpha_between {
  enum {
    BETWEEN_NONE,
    BETWEEN_EXPECTED,
    BETWEEN_KNOWN
  } is;                /* expected: the next step that is taken is the one */
  double from, length; /* its start and its length, */
  double at;           /* and that of the last one that was made within it; 0: none */
  double *end, *row;   /* accelerations and friction forces at the ends of the two */
} alpha_between;

/* A machine in time. */
typedef struct alpha_stepper {
  machine *m;
  double t;
  long iterations;
  long fruitless; /* steps that have failed since a second start last helped one */
  alpha_between between;
  double error;       /* of the last step, in m */
  step_coeffs coeffs; /* of the last step */
} alpha_stepper;

/* What a step of bdf tells about. One that passes no outputs: all of it. Otherwise that its end was reached, each
 * state between that was recorded, and that it is back at its end. */
typedef enum bdf_note { BDF_NONE, BDF_STEP, BDF_REACHED, BDF_BETWEEN } bdf_note;

enum { BDF_POINTS = 3 }; /* ends of steps that a step of order 2 knows */

/* What a run tells its follower (system.h): that bodies have been released; where it begins, at first or after a jump, with
 * accelerations that balance; and each step. */
typedef struct cable_note {
  int released;
  int begins;
  int fired;    /* as guards of laws between bodies have fired */
  double z_s;   /* of the step that these have ended */
  int balanced; /* 0: they are what they were, in balance or not to be found */
  double from, h;
  step_coeffs coeffs;
  /* bdf only: with c = 1/v_a and the last points reached before, the newest first, v = c q - w and
   * v' = c v - sum past_i v_i, where w = sum past_i q_i; between, q = sum past_i q_i, the end being the newest */
  bdf_note bdf;
  double past[BDF_POINTS];
  double part; /* between: of the way to the end, where accelerations and forces start from */
} cable_note;

/* Keeps the state before a step, or brings it back. */
void cps_machine_keep(machine *m);
void cps_machine_bring_back(machine *m);
int cps_machine_stay(
    machine *m); /* places and velocities alone of bodies apart from cables; whether there are any */

/* When a machine's equations are solved, as it is now. */
newton_goal cps_newton_goal(machine *m, int most, double tolerance);

/* Newton's method; the number of iterations, or -1. It ends with an iteration that found less than tolerance times the
 * tension out of balance, or of which it knows, from the iterations before and from those that made `known`, that it
 * leaves next to nothing; NULL: from the iterations before alone. */
int cps_newton_solve(machine *m, const step_coeffs *coeffs, int most, double tolerance, convergence *known);

/* One step of generalised-alpha of length h, whose equations hold at t1: its end, or just before it. 1 if it converged, else 0 with the
 * state as before. */
int cps_alpha_step(alpha_stepper *r, double h, double t1);

/* Where a step starts from: places, velocities and accelerations at its end, as far as the last steps tell (alpha_predict.c), or
 * as if accelerations stayed. A step of length h that is taken teaches it; where something jumps it forgets. */
void cps_alpha_predict(machine *m, const alpha_weights *u, int changing);
void cps_alpha_learn(machine *m, double h);
void cps_alpha_forget(machine *m);
/* What that is for the nodes of a cable in the plane (kernels/alpha_nodes.h), by lengths of this step over the last; and auxiliary
 * accelerations at the end of a step, with the sum of squares of their change. */
void cps_nodes_expect(cable *c, const alpha_weights *u, double lengths);
void cps_nodes_learn(cable *c, double lengths, double fades);
double cps_nodes_finish(cable *c, const alpha_weights *u);
void cps_plain_nodes_expect(cable *c, const alpha_weights *u, double lengths);
void cps_fused_nodes_expect(cable *c, const alpha_weights *u, double lengths);
void cps_plain_nodes_learn(cable *c, double lengths, double fades);
void cps_fused_nodes_learn(cable *c, double lengths, double fades);
double cps_plain_nodes_finish(cable *c, const alpha_weights *u);
double cps_fused_nodes_finish(cable *c, const alpha_weights *u);

/* Room for it; 0 if out of memory. */
int cps_between_make(alpha_between *b, const machine *m);
void cps_between_free(alpha_between *b);
/* A step of length h has been taken at `from`. */
void cps_between_note(alpha_between *b, const machine *m, double from, double h);
/* Accelerations and friction forces that a step starts from, if it ends within the one that is known; 0 if not. */
int cps_between_start(const alpha_between *b, machine *m, double from, double h);

/* Equilibrium with friction that holds what it can, from the present shape. Velocities and accelerations are zero
 * after it, but for what starts with one. Fails if something runs away, and says what and where to. */
cps_status cps_machine_statics(machine *m, double t, cps_error *err);

/* Takes the damping out of the cables, or puts it back: it has no part in an equilibrium, and would hide whether
 * something holds or only creeps. */
void cps_machine_damp(machine *m, int on);

/* One number of a pose: taken from the machine into x[*n], or put there; x NULL only counts. */
static inline void cps_exchange(double *value, double *x, size_t *n, int put) {
  if (x && put)
    *value = x[*n];
  else if (x)
    x[*n] = *value;
  ++*n;
}

/* Its parts (equilibrium.c): lays the cables onto their drums, with hardly any friction; then descends from there to
 * rest. Something runs if it goes further than all cables are long, or slides further than slide_most. */
typedef enum rest_verdict { REST_FOUND, REST_RUNS, REST_LOST } rest_verdict;
void cps_machine_lay(machine *m, double t);
rest_verdict cps_machine_descend(machine *m, double t, double slide_most);
/* Bodies that have nothing to do with cables start where they are said to be: they are held while cables find their
 * equilibrium, or let go again. */
void cps_machine_hold_apart(machine *m, double t, int hold);
double cps_machine_span(const machine *m); /* length of all cables */
double cps_machine_grip(const machine *m); /* of the springs that hold its contacts [N/m] */
/* Accelerations and friction forces that balance at time t with the places, velocities and states of laws that are
 * there. States of laws must be in z_star. The number of iterations, or -1 if none are found. */
int cps_machine_balance(machine *m, double t);
/* The same where something rubs that moves as the run starts: an equilibrium, or a drawing, has no sliding friction. 0 if nothing does,
 * or no balance is found, and all is as it was. */
int cps_machine_set_out(machine *m, double t);
step_coeffs cps_machine_instant(double t);

#endif
