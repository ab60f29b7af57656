/* elevator.h - a cable over one driven pulley with a body at each end, in few variables: see elevator.c; and such cables as
 * parts of a system of bodies: see reduced_cables.c. */
#ifndef CPS_LIFT_H
#define CPS_LIFT_H

#include "bodies.h"
#include "cable_path.h"
#include "checkpoint.h"
#include "drives.h"
#include "internal.h"
#include "scenario.h"

/* Where the transition between the two tensions lies on the pulley, and what moves with what. */
typedef enum lift_mode {
  LIFT_AT_START, /* at the side of the cable's start, where it slips: the cable runs off there */
  LIFT_AT_END,   /* at the side of its end */
  LIFT_CARRIED,  /* between the two after a reversal: carried along with the pulley, nothing slips */
  LIFT_SLIDES,   /* all around: the cable slides through */
  LIFT_SLACK     /* nowhere: the cable is slack, and the bodies fall */
} lift_mode;

/* The state, one double each. Rates that the mode ties to others are kept in step with them. In LIFT_SLACK, LIFT_FLOW is
 * what it would be if the start's span were just straight, and LIFT_E1 how much longer than the cable the path between
 * the bodies is [m], which is less than zero. */
enum {
  LIFT_FLOW,   /* undeformed cable that has passed from the start's side to the end's [m] */
  LIFT_E1,     /* strain at the start's side */
  LIFT_E2,     /* and at the end's */
  LIFT_PSI,    /* angle of the pulley, positive towards the end [rad] */
  LIFT_EDGE,   /* LIFT_CARRIED: the edge of the transition that is fixed to the cable [m] */
  LIFT_FLOW_T, /* rates of the first four */
  LIFT_E1_T,
  LIFT_E2_T,
  LIFT_PSI_T,
  LIFT_FRICTION, /* work since the start [J]: dissipated by friction, */
  LIFT_DAMPING,  /* by damping, */
  LIFT_MOTION,   /* done by the drive, */
  LIFT_MADE1,    /* created from nothing by springs, at each side */
  LIFT_MADE2,
  LIFT_STATES
};

/* m p_tt = force, of the coordinates p = (flow, e1, e2); the power that friction and damping take; stored energy; and how the
 * bodies move: x_tt = b.p_tt + c. */
enum { LIFT_COORDINATES = 3 };
typedef struct lift_equations {
  double m[LIFT_COORDINATES][LIFT_COORDINATES], force[LIFT_COORDINATES];
  double friction, damping;
  double kinetic, elastic, gravity;
  double b[2][LIFT_COORDINATES], c[2];
} lift_equations;

typedef struct lift {
  const cps_scenario *of;
  const input_value *inputs; /* of the simulation; NULL: as they start */
  const scenario_cable *cable;
  const scenario_drum *drum;
  int drum_index, body[2];
  /* Coordinates of the bodies in the system: freedoms[side] of them from q[side] on, at base + direction x. */
  int q[2], freedoms[2];
  double base[2][3], direction[2][3];
  cable_model model;
  double ea, rho, damping, mu, radius, wrap, arc, inertia, turn;
  double length[2];              /* undeformed, of the spans at the start of the run [m] */
  double mass[2];                /* of the bodies */
  double from[2][3], away[2][3]; /* tangent points, and unit vectors from there to the bodies */
  double pull[2];                /* gravity along the path at either side [m/s2] */
  double pull_u, pull_w, angle; /* gravity in the frame of the drum, and where the cable runs onto it [rad] */
  double height[2], hub;        /* - gravity . place of the tangent points and the centre [m2/s2] */

  lift_mode mode;
  int tight;    /* side with the higher tension: 0 start, 1 end */
  int anchor;   /* side whose tangent point u counts from: the less tight one at the start of the run */
  int edge;     /* LIFT_CARRIED: which edge of the transition LIFT_EDGE is, 0 or 1 */
  int slack[2]; /* CABLE_SPRINGS: spans that are shorter than without tension */
  double *y;    /* [LIFT_STATES] the state, in that of the simulation */
  double initial[LIFT_STATES]; /* in equilibrium */
  double scale[LIFT_STATES];   /* what an error of each state is judged by */
  double given;                /* acceleration of the pulley, or the torque on it, as of the last placing */
  lift_equations equations;    /* as of the last evaluation */
  double applied[2],
      feels[2]; /* forces on the bodies along the path, without those of contacts [N]; and reduced_cables.c */
  double torque;       /* that the pulley needs for the cable, about psi [N m], and its acceleration: */
  double acceleration; /* as of the last evaluation */
  double slip_power;
} lift;

/* Reduced cable i of the scenario, which is cable `index`, as a part of the system. Its equilibrium comes later. */
cps_status cps_lift_make(lift *l, const cps_system *s, int index, cps_error *err);
/* Forces along the path that act on its bodies at a state. */
typedef void (*lift_forces)(const lift *l, double t, const double *y, double force[2], void *with);
cps_status cps_lift_balance(lift *l, double t, lift_forces forces, void *with, cps_error *err);

/* Rates of a state at time t, in three steps: puts prescribed motion into y, and what the mode ties; finds the equations; and
 * solves them with forces along the path that act on the bodies, leaving torque, acceleration, slip power, and those of the
 * bodies. 0 if the equations are singular. */
void cps_lift_place(lift *l, double t, double *y);
void cps_lift_assemble(lift *l, const double *y);
int cps_lift_rates(lift *l, const double force[2], const double *y, double *y_t, double accelerations[2]);
/* What forces of 1 N on the bodies add to their accelerations. */
int cps_lift_mobility(const lift *l, const double *y, double mobility[2][2]);
/* Moves the bodies by as little as round-off, without changing the mode. */
int cps_lift_move(lift *l, const double x[2], const double v[2]);

/* What must stay positive while the mode lasts. */
enum { LIFT_GUARDS = 5, LIFT_ARRIVES = LIFT_GUARDS - 1 /* a body, at the pulley */ };
void cps_lift_guards(const lift *l, const double *y, double *guard);
/* Goes over to the next mode after guard i; 0 if the model has none. */
int cps_lift_change(lift *l, int guard);

/* The pulley of a drive that does not prescribe it starts with a rate, or the drive's rate jumps at time t: bodies
 * keep their velocities. 0 if that cannot be. */
int cps_lift_start(lift *l, double t, double rate);
int cps_lift_jump(lift *l, double t);
/* Says why the model does not go on after guard i. */
void cps_lift_explain(const lift *l, int guard, char *text, size_t size);
/* The name of a mode, for events. */
const char *cps_lift_mode_name(lift_mode mode);

/* Tension of the span at a side [N]. */
double cps_lift_tension(const lift *l, const double *y, int side);

/* Sections of the cable at equal undeformed distances from its start on. */
typedef struct lift_section {
  double x;       /* place along the path, from where the start's span touches the pulley [m] */
  double tension; /* [N] */
  double rubs;    /* friction force on it per length [N/m] */
  double slides;  /* velocity along the rim [m/s] */
  int contact;    /* 0: none, 1: sticks, 2: slips */
} lift_section;
void cps_lift_sections(const lift *l, const double *y, int n, double step, lift_section *out);

/* Positions along the path and velocities of the two bodies. */
void cps_lift_bodies(const lift *l, const double *y, double x[2], double v[2]);
/* Adds to the energies. */
void cps_lift_energy(const lift *l, const double *y, cps_energy *e);
/* Undeformed length of the span at a side. */
double cps_lift_span(const lift *l, const double *y, int side);
/* Arc over which tension changes [rad]. */
double cps_lift_slip_arc(const lift *l, const double *y);

/* ------------------------------------------------------------------ in a system (reduced_cables.c) */

struct refusals;
struct workspace;
struct row;

/* Makes those of a system, of which the tables of bodies are there. 0 if out of memory. */
int cps_lifts_make(cps_system *s, struct refusals *r);
/* A simulation's own, whose states are in y; NULL if out of memory. */
lift *cps_lifts_copy(const cps_system *s, double *y, const input_value *inputs);

/* Within an evaluation of the rates at time t: puts the bodies where the cables have them; after forces have been applied, says
 * how contacts find those bodies; and after contacts have been solved, finds the rates. The last is 0 if that fails. */
void cps_lifts_place(const cps_system *s, const struct workspace *k, double t, double *y);
void cps_lifts_offer(const cps_system *s, struct workspace *k, const double *y);
int cps_lifts_rates(const cps_system *s, struct workspace *k, const double *y, double *y_t);
/* Puts the states of the cables to where contacts that stick have put the bodies. */
void cps_lifts_follow(const cps_system *s, struct workspace *k, double *y);
void cps_lifts_energy(const cps_system *s, const struct workspace *k, const double *y, cps_energy *e);
/* What a checkpoint holds of them: their states, which follow one another, and the rest. */
void cps_lifts_list_states(checkpoint *c, const cps_system *s, double *states);
void cps_lifts_list(checkpoint *c, const cps_system *s, lift *lifts);

#endif
