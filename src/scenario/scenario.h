/* scenario.h - a scenario as plain data: what a file says, with names resolved to indices and units to SI.
 *
 * scenario.c fills it from YAML; system.c reads it and never changes it. Every number that a user can name by
 * a path (bodies.block.mass) is a double in here.
 */
#ifndef CPS_SCENARIO_H
#define CPS_SCENARIO_H

#include "capstan.h"

enum { GROUND = -1 };

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
  PROFILE_PRODUCT,    /* of children */
  PROFILE_INPUT /* a[0] start value, a[1] index of the scenario's input: what a simulation is told while it runs. a[2] 1: it
                   has been told (cps_scenario_tell): a[3] from, a[4] to, and x[2] since and until */
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

/* What an input of a simulation is: `to` from the time `until` on, a straight line from `from` at `since` before. */
typedef struct input_value {
  double from, to, since, until;
  double rate; /* over the last stretch */
} input_value;
profile_value cps_input_eval(const input_value *in, double t);

/* The value as inputs start or the scenario has been told; as they start, which is how things are drawn; and as they are:
 * in[inputs of the scenario], NULL as the first. */
profile_value cps_profile_eval(const profile *p, double t);
profile_value cps_profile_drawn(const profile *p, double t);
profile_value cps_profile_now(const profile *p, double t, const input_value *in);
/* The same, continued from the pieces in which `like`, a profile of the same form, is at time `at`. */
profile_value cps_profile_beside(const profile *p, const profile *like, double at, double t);
/* The first time after t at which the profile or a derivative up to the second jumps; INFINITY if none. */
double cps_profile_next_break(const profile *p, double t);
/* How many of those there are from one time to another, at most. */
double cps_profile_breaks(const profile *p, double from, double until);
void cps_profile_free(profile *p);
/* Second derivatives of the natural cubic spline through n points, to be freed; NULL if out of memory. */
double *cps_profile_spline(const double *x, const double *y, int n);

typedef enum body_kind {
  BODY_LINE,   /* one freedom: position = origin + x direction */
  BODY_PLANE,  /* moves freely: two freedoms, three in space */
  BODY_SURFACE /* no freedom: moves along direction as prescribed */
} body_kind;

/* Bodies and surfaces, in file order, bodies first. */
typedef struct scenario_body {
  char name[CPS_NAME_ROOM];
  body_kind kind;
  double mass;
  int placed; /* 0: nothing is said about where it is; a cable's path places it */
  int adrift; /* it carries drums, and nothing says where it or they are: lengths of cables may */
  double origin[3], direction[3]; /* direction is a unit vector */
  double x[3], v[3];              /* initial state; a line uses [0] only */
  double held_until;              /* fixed at its initial place until then; -INFINITY if never */
  profile *motion;                /* surfaces: position along direction, or velocity */
  int motion_is_velocity;
  int line; /* of the file that defines it */
} scenario_body;

/* One end of a spring: a body (index) or GROUND, and a point fixed to it. */
typedef struct spring_end {
  int body;
  double offset[3]; /* from the body's reference point; for GROUND the point itself */
} spring_end;

typedef struct scenario_spring {
  char name[CPS_NAME_ROOM];
  spring_end end[2];
  double stiffness, damping, length;
  int tension_only;
  int along_line; /* 1: extension = (r_b - r_a) . axis - length, linear; 0: |r_b - r_a| - length */
  double axis[3];
} scenario_spring;

typedef enum normal_kind {
  NORMAL_GIVEN,  /* a profile */
  NORMAL_WEIGHT, /* weight of the upper body and of all that rests on it, and what cables pull it down with */
  NORMAL_LOAD    /* that, and what springs and loads press it onto the line; not below zero */
} normal_kind;

typedef struct scenario_contact {
  char name[CPS_NAME_ROOM];
  int body[2]; /* [0] a line body; [1] a line body, a surface or GROUND. v = velocity of [0] relative to [1]
                */
  normal_kind normal;
  profile *given;
  double weight; /* mass that rests on it, times g: filled for WEIGHT and LOAD */
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
  double z[CPS_MAX_STATES]; /* initial states */
} scenario_contact;

typedef struct scenario_load {
  char name[CPS_NAME_ROOM];
  int body;
  double direction[3];
  profile *force;
} scenario_load;

/* ------------------------------------------------------------------ cables and drums
 *
 * A scenario with cables lives in the plane (dim 2) or in space (dim 3); vectors have three components, of
 * which the plane uses two. */

typedef struct drum_drive drum_drive; /* drives.h */

typedef struct scenario_drum {
  char name[CPS_NAME_ROOM];
  double radius; /* of the cable's centre line on it */
  double center[3];
  double axis[3]; /* unit vector; (0, 0, 1) in the plane: positive turns are counter-clockwise */
  const drum_drive *drive;
  profile *motion;                  /* angle [rad], setpoint [rad] or torque [N m]; NULL if none */
  double kp, kd;                    /* [1/s2], [1/s], or with inertia [N m/rad], [N m s/rad] */
  double inertia;                   /* [kg m2]; 0: none given */
  double rate;                      /* initial, of drums with inertia [rad/s] */
  const cps_law *bearing;           /* friction of the bearing; NULL if none */
  double bearing_p[CPS_MAX_PARAMS]; /* its parameters */
  double bearing_radius;            /* [m] */
  double bearing_load;              /* normal force [N]; negative: what the cables press on the drum */
  profile *shift[3];                /* prescribed displacement of the centre; NULL: none */
  int carrier;                      /* body that carries the centre; -1: none */
} scenario_drum;

typedef struct end_kind end_kind; /* path_kinds.h */

typedef struct cable_end {
  const end_kind *kind;
  int placed;          /* whether `at` is given; otherwise the path says where the end is */
  double at[3];        /* [m] */
  double direction[3]; /* of a clamped end: unit vector along the cable; zero: as the path says */
  profile *shift[3];   /* displacement of a pinned or clamped end over time; NULL: none */
  profile *force[3];   /* on a free end [N]; NULL: none */
  int body, drum;      /* that it is on; -1: none */
} cable_end;

typedef struct path_kind path_kind; /* path_kinds.h */

typedef struct path_item {
  const path_kind *kind;
  int drum;  /* that it goes around; -1: none */
  int turn;  /* +1 counter-clockwise about the axis, -1 clockwise; 0: as over/under and the neighbours say */
  int side;  /* +1 over, -1 under (against gravity, or along it); 0: turn says it */
  int turns; /* full turns on top of the wrap that the neighbours give */
  double
      more; /* of a wrap next to a rim: by how much a drawing elsewhere winds more onto it than `turns` says [rad] */
  double pitch;        /* shift along the axis per turn, in space [m] */
  double length;       /* of a straight piece; 0: what remains */
  double point[3];     /* that it goes to */
  double direction[3]; /* that it goes along */
} path_item;

typedef struct point_mass {
  double at; /* material coordinate from the start of the cable [m] */
  double mass;
} point_mass;

typedef enum stick_reading {
  STICK_CONSISTENT, /* Quinn 3.3: consistent with the contacts that slip */
  STICK_ALL /* Westin: balance forces are the multipliers of the problem in which all contacts stick */
} stick_reading;

typedef struct cable_contact {
  int quadrature; /* contact points per element; 0: at the nodes */
  int even;       /* they are equally far from each other, and not Gauss points */
  int of_node;    /* the numbers of `normal` are those of a node, and not per length */
  int n_drums;    /* drums that the cable may touch; -1: all */
  int *drums;     /* owned */
  const cps_normal *normal;
  double normal_p[CPS_MAX_PARAMS]; /* per length of cable, or of a node */
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
  stick_reading reading;
} cable_contact;

typedef enum cable_model {
  CABLE_ANCF,
  CABLE_SPRINGS,         /* elevator.c: a cable over one pulley, each span a spring, */
  CABLE_SEMI_ANALYTICAL, /* or with arcs of stick and slip, */
  CABLE_FLOW,            /* with the drive prescribing the flow of cable, */
  CABLE_PRINTED          /* as it is printed */
} cable_model;

typedef struct scenario_cable {
  char name[CPS_NAME_ROOM];
  cable_model model;
  double ea, ei, rho;                              /* [N], [N m2], [kg/m] */
  double diameter;                                 /* of a round cross-section; 0: not given */
  double rayleigh, axial_damping, bending_damping; /* [N s], [N s], [N m2 s] */
  int tension_only;                                /* it bears no compression */
  int engineering;                                 /* strain: 0 Green-Lagrange, 1 engineering */
  int exact_curvature;
  int axial_points, bending_points; /* quadrature */
  int elements;                     /* in all; 0: from sizes */
  double size, drum_size, growth;   /* graded: longest element, longest on a drum, ratio of neighbours */
  int follows;                      /* short elements follow the drums; */
  double spare;                     /* how many are kept for that; negative: chosen */
  int closed;                       /* a belt: the path returns to its start */
  double length;                    /* unstretched; 0: that of the path */
  double tension;                   /* wanted where the path fixes both ends or closes; 0: none */
  cable_end end[2];
  int n_path;
  path_item *path; /* owned */
  int n_masses;
  point_mass *masses; /* owned */
  cable_contact contact;
  int start_statics; /* 1: starts from equilibrium (default), 0: from the drawn shape */
  int start_told;    /* the file says so */
  int start_braked;  /* with drums that turn freely held in that equilibrium */
} scenario_cable;

typedef struct scenario_run {
  double from, until; /* [s] */
  double step;        /* of fixed-step solvers, largest of others; 0: the solver chooses */
  double output;      /* interval of the time series; 0: every step */
  double tolerance;   /* relative, of adaptive solvers */
  double tolerance_abs;
  char solver[32];
  double rho;       /* spectral radius at infinity of alpha */
  int newmark;      /* alpha as Newmark's rule with */
  double gamma;     /* its gamma, and beta = (gamma + 1/2)^2/4 */
  double balance;   /* force that Newton's method may leave in a step of cables, relative to the tension */
  double fields;    /* interval of what is recorded along the cables; 0: none, negative: about 200 in all */
  double max_steps; /* give up after that many */
  /* energy that is not accounted for, over the largest: above these a run is doubted, or has failed; negative: never */
  double audit_warn, audit_fail;
} scenario_run;

/* What is set from outside while time passes: see {input: ...} among the profiles. */
typedef struct scenario_input {
  char name[CPS_NAME_ROOM];
  char unit[32];
  char path[128]; /* of the quantity that it is first used for */
  double start;
} scenario_input;

/* What to record: `run` says how often. */
typedef struct scenario_outputs {
  int n;                              /* patterns; 0: everything */
  char (*pattern)[2 * CPS_NAME_ROOM]; /* owned */
} scenario_outputs;

/* Whether a column is to be recorded; and whether any of the recorded ones fits pattern i. */
int cps_outputs_want(const cps_scenario *scenario, const char *name);
int cps_outputs_used(const cps_scenario *scenario, int i, const cps_result *result);

/* Problems of a scenario that were found after it was read, by their keys: with file, line and column of what the source
 * says there. One error gets them into itself. */
cps_problems *cps_scenario_place(const cps_scenario *s, const cps_error *found, int n);
void cps_scenario_locate(const cps_scenario *s, cps_error *err);

/* From now on inputs have these values [inputs of the scenario] where no others are given: derivatives of a stretch. What
 * is drawn stays as it was. CPS_NO_MEMORY if a profile does not get room for it. */
cps_status cps_scenario_tell(cps_scenario *s, const input_value *in);

/* The number of a scenario that is furthest from those of machines, if any is far from them: what cannot be computed is likelier due
 * to it than to anything else. */
typedef struct far_number {
  double decades; /* from 1, in SI units; 0: none is far */
  char key[128];  /* its path */
  char said[64];  /* as the source says it, in quotes */
  char usual[64]; /* what would be usual, as in messages */
} far_number;

/* Makes an error that is about numbers one about the number that is far from those of machines, with its place in the source; without
 * such a number, or if the error speaks of its key already, nothing changes. */
void cps_scenario_blame(const cps_scenario *s, cps_error *err);

/* What the source says, after includes, repeats and the settings that are no numbers. */
const struct node *cps_scenario_root(const cps_scenario *s);

struct cps_scenario {
  char *file;       /* owned: name as given, "" for text */
  char *folder;     /* owned: where relative paths in the source start; NULL: the folder of the file */
  const char *text; /* the source; of `tree` */
  size_t length;
  struct scenario_tree *tree; /* what the source says, for readings with other numbers: scenario.c. Shared */
  char **settings;            /* owned: those on top of the source */
  int n_settings;
  const cps_laws *laws; /* that it may name besides the built-in ones; NULL: none. Borrowed */
  char hash[65];        /* SHA-256 of source and settings, hexadecimal */
  char *title;          /* owned */
  double gravity[3];
  int dim; /* 3 if anything is said in space */
  int n_bodies, n_springs, n_contacts, n_loads, n_drums, n_cables;
  scenario_body *bodies;
  scenario_spring *springs;
  scenario_contact *contacts;
  scenario_load *loads;
  scenario_drum *drums;
  scenario_cable *cables; /* those of elements first, */
  int n_elements;         /* so many; then those in few variables */
  scenario_run run;
  scenario_outputs outputs;
  far_number far;
  int n_inputs;
  scenario_input *inputs; /* owned, in the order in which they are first read */
  int (*wait)(const cps_wait *now,
              void *data); /* called while the model is made, to report progress; NULL: none */
  void *wait_data;
};

/* Tells who waits what is being done; nonzero: it is to be given up. */
static inline int cps_waits(const cps_scenario *s, const char *doing, double time, long iterations) {
  cps_wait now = {doing, time, iterations};
  return s->wait && s->wait(&now, s->wait_data) != 0;
}

#endif
