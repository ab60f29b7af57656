/* scenario.h - a scenario as plain data: what a file says, with names resolved to indices and units to SI.
 *
 * scenario.c fills it from YAML; system.c reads it and never changes it. Every number that a user can name by
 * a path (bodies.block.mass) is a double in here.
 */
#ifndef CPS_SCENARIO_H
#define CPS_SCENARIO_H

#include "capstan.h"

enum { NAME_MAX_LENGTH = 64, GROUND = -1 };

/* A quantity as a function of time (or constant). A tree: sums and products have children. */
typedef enum profile_kind {
  PROFILE_CONSTANT, /* a[0] */
  PROFILE_SINE,   /* a[3] offset + a[0] sin(a[1] (t - a[4]) + a[2]): amplitude, omega, phase, offset, start */
  PROFILE_PULSES, /* a[0] amplitude from a[1] start, a[2] width, a[3] period, a[4] count (at least 1); 0
                     outside */
  PROFILE_STEP,   /* STEP:  a[0] t0, a[1] y0, a[2] t1, a[3] y1, third order */
  PROFILE_STEP5,  /* STEP5: the same, fifth order */
  PROFILE_CYCLOID, /* a[0] amplitude, a[1] duration, a[2] start: a0 (s - sin(2 pi s)/(2 pi)), s = (t - a2)/a1
                      in 0..1 */
  PROFILE_RAMP,    /* a[0] rate, a[1] start, a[2] end: 0 before, a0 (t - a1) between, constant after */
  PROFILE_POLYNOMIAL, /* pieces: n pieces, x[n + 1] times, y[4 n] coefficients of (t - x[i])^0..3; ends
                         continue constant */
  PROFILE_TABLE,      /* n points x[n] strictly rising, y[n]; a[0] = 0 linear, 1 cubic (natural spline, y2 = a
                         spline) */
  PROFILE_SUM,        /* of children */
  PROFILE_PRODUCT     /* of children */
} profile_kind;

typedef struct profile profile;
struct profile {
  profile_kind kind;
  double a[6];
  int n;           /* points, pieces or children */
  double *x;       /* owned */
  double *y;       /* owned */
  double *y2;      /* owned: second derivatives of a spline */
  profile **child; /* owned, n of them */
};

/* Value and its first two time derivatives; derivatives at a break are those after it. */
typedef struct profile_value {
  double y, y_t, y_tt;
} profile_value;

profile_value cps_profile_eval(const profile *p, double t);
/* The first time after t at which the profile or a derivative up to the second jumps; INFINITY if none. */
double cps_profile_next_break(const profile *p, double t);
void cps_profile_free(profile *p);

typedef enum body_kind {
  BODY_LINE,   /* one freedom: position = origin + x direction */
  BODY_PLANE,  /* two freedoms */
  BODY_SURFACE /* no freedom: moves along direction as prescribed */
} body_kind;

/* Bodies and surfaces, in file order, bodies first. */
typedef struct scenario_body {
  char name[NAME_MAX_LENGTH];
  body_kind kind;
  double mass;
  double origin[2], direction[2]; /* direction is a unit vector */
  double x[2], v[2];              /* initial state; a line uses [0] only */
  double held_until;              /* fixed at its initial place until then; -INFINITY if never */
  profile *motion;                /* surfaces: position along direction, or velocity */
  int motion_is_velocity;
  int line, column; /* where the file defines it */
} scenario_body;

/* One end of a spring: a body (index) or GROUND, and a point fixed to it. */
typedef struct spring_end {
  int body;
  double offset[2]; /* from the body's reference point; for GROUND the point itself */
} spring_end;

typedef struct scenario_spring {
  char name[NAME_MAX_LENGTH];
  spring_end end[2];
  double stiffness, damping, length;
  int tension_only;
  int along_line; /* 1: extension = (r_b - r_a) . axis - length, linear; 0: |r_b - r_a| - length */
  double axis[2];
  int line, column;
} scenario_spring;

typedef enum normal_kind {
  NORMAL_GIVEN,  /* a profile */
  NORMAL_WEIGHT, /* weight of the upper body and of all that rests on it */
  NORMAL_LOAD    /* that, and what springs and loads press it onto the line; not below zero */
} normal_kind;

typedef struct scenario_contact {
  char name[NAME_MAX_LENGTH];
  int body[2]; /* [0] a line body; [1] a line body, a surface or GROUND. v = velocity of [0] relative to [1]
                */
  normal_kind normal;
  profile *given;
  double weight; /* mass that rests on it, times g: filled for WEIGHT and LOAD */
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
  double z[CPS_MAX_STATES]; /* initial states */
  int line, column;
} scenario_contact;

typedef struct scenario_load {
  char name[NAME_MAX_LENGTH];
  int body;
  double direction[2];
  profile *force;
  int line, column;
} scenario_load;

typedef struct scenario_run {
  double from, until; /* [s] */
  double step;        /* of fixed-step solvers, largest of others; 0: the solver chooses */
  double output;      /* interval of the time series; 0: every step */
  double tolerance;   /* relative, of adaptive solvers */
  double tolerance_abs;
  char solver[32];
  double rho;       /* spectral radius at infinity of alpha */
  double max_steps; /* give up after that many */
} scenario_run;

struct cps_scenario {
  char *file; /* owned: name as given, "" for text */
  char *text; /* owned: the source */
  size_t length;
  char hash[65]; /* SHA-256 of source and settings, hexadecimal */
  char *title;   /* owned */
  double gravity[2];
  int n_bodies, n_springs, n_contacts, n_loads;
  scenario_body *bodies;
  scenario_spring *springs;
  scenario_contact *contacts;
  scenario_load *loads;
  scenario_run run;
};

#endif
