/* elevator.h - a cable over one driven pulley with a body at each end, in few variables. See elevator.c. */
#ifndef CPS_LIFT_H
#define CPS_LIFT_H

#include "cable_path.h"
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

typedef struct lift {
  const cps_scenario *of;
  const input_value *inputs; /* of the simulation; NULL: as they start */
  const scenario_cable *cable;
  const scenario_drum *drum;
  int drum_index, body[2];
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
  double y[LIFT_STATES];
  double t;
  double torque;       /* that the pulley needs for the cable, about psi [N m], and its acceleration: */
  double acceleration; /* as of the last evaluation */
  double slip_power;
} lift;

cps_status cps_lift_make(lift *l, const cps_scenario *s, double t, cps_error *err);

/* Rates of a state at time t; leaves torque, acceleration and slip power. 0 if the equations are singular. */
int cps_lift_rates(lift *l, double t, double *y, double *y_t);

/* What must stay positive while the mode lasts. */
enum { LIFT_GUARDS = 5, LIFT_ARRIVES = LIFT_GUARDS - 1 /* a body, at the pulley */ };
void cps_lift_guards(const lift *l, const double *y, double *guard);
/* Goes over to the next mode after guard i; 0 if the model has none. */
int cps_lift_change(lift *l, int guard);

/* The pulley of a drive that does not prescribe it starts with a rate, or the drive's rate jumps at time t: bodies
 * keep their velocities. 0 if that cannot be. */
int cps_lift_start(lift *l, double t, double rate);
int cps_lift_jump(lift *l, double t);

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
void cps_lift_energy(const lift *l, const double *y, cps_energy *e);
/* Undeformed length of the span at a side. */
double cps_lift_span(const lift *l, const double *y, int side);
/* Arc over which tension changes [rad]. */
double cps_lift_slip_arc(const lift *l, const double *y);

#endif
