/* sens_chain.h - a cable machine linearised: what sens_cables.c multiplies with, forwards and backwards.
 *
 * Every implicit solve of a run (a step, the balance of accelerations where something jumps, a step of statics from
 * rest) is R(q, v, a, f; theta, d) = 0 with v = v_q q - w1, a = a_q q - w2: w1 and w2 are linear in the state before it,
 * theta are the plain numbers of the machine (stiffnesses, masses, parameters of laws, ...), d what is prescribed
 * at its time (drums, ends, loads). Its tangent is
 *
 *   J dq + R_f df = C dw1 + M dw2 - R_theta dtheta - R_d dd,   J = K + v_q C + a_q M
 *
 * J is block-tridiagonal by node; the rest is a list of entries (row, column, factor) over one vector,
 *
 *   [state before | state after | w1 | w2 | z_star | theta | d | d before | right-hand side | kept | results]
 *
 * so that the adjoint is the same lists read the other way round. A vector holds four parameters, or four outputs, at
 * once (simd.h).
 */
#ifndef CPS_SENS_CHAIN_H
#define CPS_SENS_CHAIN_H

#include "body_tangent.h"
#include "newton.h"
#include "pool.h"
#include "sens_list.h"
#include "sens_place.h"
#include "sparse.h"

#include "simd.h"

/* ------------------------------------------------------------------ layout */

/* Numbers of a cable in theta, before its arrays. */
enum {
  TH_EA,
  TH_EI,
  TH_RHO,
  TH_RAYLEIGH,
  TH_AXIAL,
  TH_BENDING,
  TH_VISCOUS,
  TH_HOLD,
  TH_NORMAL,
  TH_LAW = TH_NORMAL + CPS_MAX_PARAMS,
  TH_ARRAYS = TH_LAW + CPS_MAX_PARAMS
};

/* Numbers of a drum in theta. */
enum { TH_RADIUS, TH_CENTER, TH_KP = TH_CENTER + 3, TH_KD, TH_INERTIA, TH_OFFSET, TH_DRUM = TH_OFFSET + 3 };

/* Numbers of a slide (a bearing, or a body on a rail or surface) in theta: of its law; of a bearing what its velocity is multiplied
 * with, mass, normal force if that is a number, and parameters of the law. Those of contacts are among the numbers of bodies. */
enum {
  TH_SLIDE_VISCOUS,
  TH_SLIDE_HOLD,
  TH_FACTOR,
  TH_SLIDE_MASS,
  TH_SLIDE_LOAD,
  TH_SLIDE_LAW,
  TH_SLIDE = TH_SLIDE_LAW + CPS_MAX_PARAMS
};

/* Prescribed numbers of a drum, and of an end of a cable. */
enum {
  DY_ANGLE,
  DY_RATE,
  DY_ACCELERATION,
  DY_CENTER,
  DY_CENTER_V = DY_CENTER + 3,
  DY_CENTER_A = DY_CENTER_V + 3,
  DY_SET = DY_CENTER_A + 3, /* setpoint or torque of its drive, and its rate */
  DY_SET_T,
  DY_DRUM
};
enum { DY_LOAD, DY_Q = DY_LOAD + 3, DY_V = DY_Q + 3, DY_A = DY_V + 3, DY_END = DY_A + 3 };

/* Works, in the order of the state; slip work of each cable and drum follows, then that of each contact between bodies. */
enum { WK_FRICTION, WK_CONTACT, WK_DAMPING, WK_LOAD, WK_MOTION, WK_SOLVER, WK_INITIAL, WK_SLIP };

/* Where a cable's numbers are, relative to the parts of the vector. */
typedef struct cable_at {
  int e;                      /* coordinates: (n + 1) b */
  int q, v, a, aux, f, start; /* in a state; f: [points][axes], start: [points][dim] */
  int reaction;               /* [2][dim] of ends whose motion is prescribed, in part or in whole */
  int memory;                 /* first state of its law with memory: [points][axes][states] */
  int w;                      /* in w1, w2 */
  int theta;                  /* TH_...; then length[n], mass[n + 1], and per point mass, weight, shape[4] */
  int length, mass, p_mass, p_weight, p_shape; /* in theta */
  int tie;                                     /* in theta: angle and height of each end on its rim */
  int end;                                     /* of its first end in d */
  int rhs, width;                              /* of its first node in the right-hand side; rows of a node */
} cable_at;

typedef struct layout {
  int states, works; /* size of a state, where its works are */
  int n_works, rubs; /* how many these are; the first that is of a contact between bodies */
  int border;        /* of its border unknowns: [4][nb] q, v, a, aux */
  int past, point; /* bdf: the last points, newest first, and how long one is: q and v [ws], states of laws */
  int ahead;       /* and all before the works at the end of the step */
  int drum_start;  /* statics: angle and centre of each drum when springs took hold: [drums][4] */
  int slide_start; /* where springs hold slides: [slides] */
  int zs, slide_memory;      /* states of laws with memory: how many, and the first that is of a slide; */
  int z, z_t, z_aux;         /* these with their rates and auxiliary values: neighbours */
  int thetas, gravity, grip; /* size of theta; where these are in it */
  int drum_theta, drum_d;    /* of the first drum */
  int numbers;               /* of bodies, springs, contacts and loads (body_tangent.h) */
  int slide_theta;           /* of the first slide */
  int release_theta;         /* velocities with which bodies of the scenario are released: [3] each */
  int load_d;                /* forces of loads: [loads of the scenario] */
  int tau_d;                 /* by how much later all happens: sens_break.c */
  int slide_d;               /* normal forces of slides that are given: [1] each */
  int surface_d;   /* place, velocity and acceleration of surfaces: [3] for each body of the scenario */
  int ds, ws, rhs; /* sizes */
  int border_w, border_rhs; /* of the first border unknown in these */
  int nb, nx;               /* unknowns of the border, and with those that sens_border.c adds */
  int near; /* unknowns of the border that are in equations of cables, or whose equations have cables in them: the first, */
  int met;  /* and with those that sens_border.c adds, which are behind all others */
  int before, after, w1, w2, z_star, theta, d, d0, right, result; /* where the parts start in the vector */
  int kept;                                                       /* bdf: room for a state up to its works */
  int size;                                                       /* of it, without results */
  cable_at *cable;                                                /* [cables] */
} layout;

int cps_layout_make(layout *l, const machine *m, pool *p); /* 0 if out of memory */

/* The machine's theta, with signs as in `like`, and its state when it has just been made. */
void cps_layout_theta(const layout *l, const machine *m, const machine *like, double *theta);
void cps_layout_initial(const layout *l, const machine *m, double *state);

/* ------------------------------------------------------------------ a cable's matrix */

typedef struct chain_matrix {
  int nodes, b; /* unknowns of a node */
  double *d, *l,
      *u; /* [nodes][b][b] rows of node i: couplings to i - 1, i, i + 1; d becomes its inverse, u D^-1 U */
  /* [nodes][b] what was added to the diagonal so that elimination is stable, and is taken out again by iteration (NULL: nothing);
   * and room for it */
  double *extra;
  lanes *right;
} chain_matrix;

void cps_chain_matrix_make(chain_matrix *a, pool *p, int nodes, int b, int steady);
/* Elements and point masses of the cable, with weights 1, v_q, a_q of stiffness, damping and mass. */
void cps_chain_assemble(chain_matrix *a, const cable *c, double v_q, double a_q);
/* Makes sticking contacts springs: the last b - h unknowns of a node are friction forces. For matrices that are made `steady`. */
void cps_chain_prefer(chain_matrix *a, int h);
/* Factorises; 0 if singular. */
int cps_chain_factor(chain_matrix *a);
void cps_chain_solve(const chain_matrix *a, lanes *x);
/* Forces of the elements at their nodes, [n][4 dim], by one number of the section each: what multiplies it. */
typedef enum chain_part {
  CHAIN_EA = TH_EA,
  CHAIN_EI = TH_EI,
  CHAIN_RHO = TH_RHO,
  CHAIN_RAYLEIGH = TH_RAYLEIGH,
  CHAIN_ALL
} chain_part;
void cps_chain_forces(const cable *c, chain_part part, double *length, double *f);

/* ------------------------------------------------------------------ contact */

/* A row of the equations at a contact point: its derivatives by place, velocity and acceleration relative to the
 * drum's centre, friction forces, and plain numbers. */
typedef struct tangent_row {
  double r[3], v[3], a[3], f[AXES];
  double radius, angle, rate, acceleration, mass, weight, viscous, hold, grip;
  double normal[CPS_MAX_PARAMS], law[CPS_MAX_PARAMS], start[3];
} tangent_row;

/* A contact point at a converged state. */
typedef struct contact_tangent {
  int near, drum;                           /* -1: none; drum: it touches */
  double r[3], n[3], t[3], rho, out, along; /* place from the centre; velocity along n and t */
  double depth, load;                       /* normal force */
  cps_normal_output law;
  double f[AXES], slide_v[AXES], slide_a[AXES]; /* friction; sliding velocity and acceleration */
  tangent_row force[3];                         /* of minus the force on the cable */
  tangent_row rest[AXES];
  int open; /* friction is not determined: it stays what it was */
} contact_tangent;

/* What a law holds that is not in proportion to the normal force, by its parameters. */
void cps_holds_by(const contact_law *l, double n, double *by);

/* Place, normal force and directions only. */
void cps_contact_tangent_place(const machine *m, const cable *c, const contact_point *p, contact_tangent *s);
/* All of it. `stuck` as the point did at the end of the solve. */
void cps_contact_tangent_eval(const machine *m, const cable *c, const contact_point *p,
                              const step_coeffs *coeffs, contact_tangent *s);

/* A law with memory in one direction of a contact point, its states eliminated. */
typedef struct recall {
  double states[CPS_MAX_STATES]; /* at the end of the solve, */
  int mode;                      /* and the mode there */
  recall_row f, z[CPS_MAX_STATES], z_t[CPS_MAX_STATES];
} recall;

/* Its friction equation f - F along axis i, where only these are set: the balance force is f - mass a. */
void cps_recall_rub(const contact_law *l, const recall_row *f, double mass, double a, int i, friction *o,
                    friction_numbers *of);
/* By itself: e is the balance force, mode that of the solve. */
void cps_recall_law(const contact_law *l, const contact_memory *y, int axis, int mode, double v, double load,
                    double e, double z_s, recall *o);
/* The law settles after a step, as cps_machine_settle lets it: its states, and rows of them. */
void cps_recall_settle(const contact_law *l, double v, double n, double f, int mode, double *z,
                       recall_row *rows);
/* States that a slow pull gives the law (law_memory.c), by load, friction force (in e) and parameters. */
void cps_recall_pull(const contact_law *l, double n, double f, recall_row *z);
/* Of a point that was evaluated. */
void cps_recall(const cable *c, int point, int axis, const contact_tangent *s, double z_s, recall *o);
/* The sliding acceleration along an axis, times `by`. */
void cps_contact_tangent_accelerates(const machine *m, const cable *c, const contact_point *p,
                                     const contact_tangent *s, int axis, double by, tangent_row *row);
/* The normal force, or minus the force on the cable along axis d, times `by`, added to a row. */
void cps_contact_tangent_normal(const cable *c, const contact_point *p, const contact_tangent *s, double by,
                                tangent_row *row);
void cps_contact_tangent_force(const machine *m, const cable *c, const contact_point *p,
                               const contact_tangent *s, int d, double by, tangent_row *row);
/* How such a row depends on everything. */
void cps_contact_tangent_recall(const machine *m, const cable *c, const contact_point *p,
                                const contact_tangent *s, int axis, const recall_row *x, tangent_row *row);

/* ------------------------------------------------------------------ a machine, linearised */

/* An entry of M and C: row of the right-hand side, and the coordinate that it has there and its column. */
typedef struct chain_product {
  int row, at, column;
  double mass, damping;
} chain_product;

/* Works of a whole cable in a step, which are bilinear in changes and means of its coordinates: [coordinates] each. */
typedef struct chain_work {
  double *solver_q, *solver_v, *solver_a;   /* by the change of q and of v, and the sum of a at both ends */
  double *solver_u, *damping_q, *damping_u; /* by the sum of v, change of q, sum of v */
} chain_work;

/* Coordinates of an end of a cable that follow border unknowns: dq_j = sum by[j][k] dx_at[k]. On a rim also what does not
 * follow them: DY_Q, DY_V and DY_A of the numbers of d from `rim` on; and velocities and accelerations by the angle, which
 * is border unknown `turn`, and accelerations by its rate. The end's equations enter those of `rows` >= `unknowns` of them. */
typedef struct chain_bond {
  int cable, node, n, unknowns, rows, at[6];
  double by[6][6];
  int rim, turn; /* 0: not on a rim; -1: the drum is not free to turn */
  double v_turn[3], a_turn[3], a_rate[3];
} chain_bond;

/* The border's part of the equations (sens_border.c): A x + B y = r, C x + S y = r'. */
typedef struct border_matrix {
  double **b, **c; /* [cables]: [rows of the cable][met], [met][rows of the cable] */
  double **z;      /* [cables][met][rows]: A^-1 B */
  entries own;     /* S, one entry after the other */
  double *s;       /* [nx][nx]; factorised S - C A^-1 B; NULL: it is sparse */
  int *pivot;      /* [nx] */
  sparse *large;   /* the same, with rows divided by `unit`; its pattern is all that has been met so far */
  double *unit;    /* [nx] sizes of rows */
  double *one;     /* [nx] room */
  unsigned char *braked; /* [nb] stays what it is */
  unsigned char *force;  /* [nb] is a force: has neither velocity nor acceleration */
  chain_bond *bond;
  int bonds;
  lanes *room; /* as long as the longest cable's rows */
} border_matrix;

typedef struct model {
  machine m; /* of its own, to put states into */
  pool pool; /* all arrays but those of lists and matrices of bodies */
  layout at;
  const unsigned char *theta_varies, *d_varies; /* whether any parameter changes the number */
  chain_matrix *matrix;                         /* [cables] */
  chain_product *inertia;                       /* [n_inertia] constant: M and C of all cables */
  int n_inertia;
  border_matrix border;
  spring_slope *slope, *slope0; /* [springs] as of the last look at bodies, and before the step, */
  body_matrix tangents0;        /* as tangents, */
  double *y0, *force0, *f0,
      *f; /* [2 nx] state of bodies, [nx] forces on them, [nc] contact forces; those after it */
  double looked, looked0; /* times of these */
  double *a, *minus, *by; /* [nx] accelerations; -1; room */
  int *row;               /* [nx] room */
  press_causes presses;
  entries now;      /* right-hand side of the present solve by everything else */
  entries work;     /* works of a step by the states before and after it */
  entries recall;   /* states of laws with memory after a solve */
  chain_work dense; /* those of elements; */
  int has_dense;    /* if they are asked for */
  entries list;     /* other uses */
  entries reacts;   /* reactions of ends on rims that follow the border in part, by the state after a solve */
  entries tied;     /* numbers of d of ends on rims that follow the border, by all else */
  unsigned char *walks; /* [zs] whether guards of the law fire within steps, which start from where it was */
  const contact_tangent **touch; /* [zs] the point in `contact`; NULL: of a slide, which always touches */
  contact_tangent **contact, **contact0; /* [cables][points] as of the present state, and of the one before */
  double *force;                         /* room for forces of elements, seven times */
  double (
      *raw)[2][3]
           [32]; /* [cables] rows of ends that are moved, as they would be if these were free: what they have
                              of their own node and its neighbour */
  unsigned char *released; /* [bodies of the scenario] */
  /* guards that fire: what the state, prescribed numbers and works change by per time, before and after;
   * [slides] whose they are, and modes after it; whether a rate is not known */
  double *rates;
  unsigned char *fired;
  int *next_mode, vague;
  double *room[4]; /* as long as w1 */
} model;

/* Entries by a plain number, or by one of what is prescribed now, if any parameter changes it. */
static inline void cps_by_theta(const model *o, entries *list, int row, int theta, double by) {
  if (o->theta_varies[theta]) cps_entries_add(list, row, o->at.theta + theta, by);
}
static inline void cps_by_d(const model *o, entries *list, int row, int d, double by) {
  if (o->d_varies[d]) cps_entries_add(list, row, o->at.d + d, by);
}

/* Whether the point of state k of a law with memory touches something. */
static inline int cps_model_touches(const model *o, int k) { return !o->touch[k] || o->touch[k]->drum >= 0; }

cps_status cps_model_make(model *o, const cps_scenario *s, cps_error *err);
void cps_model_free(model *o);
int cps_model_lost(const model *o); /* whether an entry of its lists is missing for want of memory */
/* To be called once theta_varies and d_varies are known. */
void cps_model_prepare(model *o);
/* Matrices, factorised, and the list `now` at the state in the machine; balance: unknowns are changes of places from
 * the state before. 0 if singular. */
int cps_model_linearise(model *o, const step_coeffs *coeffs, int balance);
/* Looks at the machine's state, which is that at t, as the one before the next solve, and keeps it. */
void cps_model_look(model *o, double t);
/* The list `list` of what the state at time t in the machine changes by where tau changes, rows of the state before. */
void cps_model_shift(model *o, double t);
/* What the state, prescribed numbers and, if asked for, works change by per time, one after the other, where works know them. */
void cps_model_rates(model *o, double t, int works, double *rates);
/* Looks at them as those of the present state, as cps_model_linearise does. */
void cps_model_touch(model *o);
/* The list `work` of the step of length h whose end is linearised, and whose start was looked at: works of contacts, or
 * all of them. */
void cps_model_works(model *o, double t, double h, int all_of);
/* Derivatives of stored energies into rows of a list: kinetic, elastic, gravity; of the present state. */
void cps_model_energy(model *o, entries *list, const int row[3]);
/* Row of coordinate j of node i in the right-hand side, or of friction force k of a contact point. */
int cps_model_row(const model *o, int cable, int node, int j);
int cps_model_friction_row(const model *o, int cable, int point, int axis);

/* What rows depend on besides what body_tangent.h knows: an unknown of the border, its velocity and acceleration; a number of theta; one of
 * what is prescribed. */
enum { BY_UNKNOWN = BODY_CAUSES, BY_UNKNOWN_V, BY_UNKNOWN_A, BY_THETA, BY_D };

/* Where derivatives of rows go (sens_sink.c): into what is left of the equations of the present solve - of coordinate j of a node of a
 * cable, whatever the number of the row, or with node -1 of a row of the border -, or into a list, by the state and what is prescribed
 * after the step or, with `before`, before it. */
typedef struct sink {
  tangent_sink k; /* by causes */
  model *o;
  const step_coeffs *coeffs; /* of the solve; NULL: into a list */
  double v_q, a_q;
  int balance, cable, node, j, rhs;
  entries *list;
  int state, d; /* where the columns of the state and of what is prescribed start */
} sink;
sink cps_sink_equations(model *o, const step_coeffs *coeffs, int balance);
sink cps_sink_node(model *o, const step_coeffs *coeffs, int balance, int cable, int node, int j);
sink cps_sink_list(model *o, entries *list, int before);

/* A row by a plain number, or one that is prescribed, if any parameter changes it; by the place, velocity and acceleration of unknown k
 * of the border, `by` times, of coordinate k of a cable, of a drum's centre and of its angle, however these are moved. */
void cps_put_number(const sink *x, int row, int theta, double by);
void cps_put_given(const sink *x, int row, int d, double by);
void cps_put_unknown(const sink *x, int row, int k, double by, double q, double v, double a);
void cps_put_coordinate(const sink *x, int row, int cable, int k, double q, double v, double a);
void cps_put_center(const sink *x, int row, int drum, int axis, double r, double v, double a);
void cps_put_turn(const sink *x, int row, int drum, double angle, double rate, double acceleration);
/* By all that a row of a contact point knows, times `by`. */
typedef struct point_row {
  sink to;
  int cable, point;
  const contact_tangent *s;
} point_row;
void cps_put_point(const point_row *at, int row, const tangent_row *y, double by);
/* By w.F of element i of a cable, where F is what it resists with at these coordinates; NULL: no forces (q), no inertia (a). With w NULL by the
 * power that it loses or, in cps_put_section, the energy that it stores. Of its section these numbers count, a bit for each: 1 << TH_EA and
 * so on up to TH_BENDING. cps_put_section is by the section and the length of the element alone. */
typedef struct element_row {
  int cable, i, stores;
  const double *q, *v, *a, *w; /* [4 dim] */
} element_row;
enum {
  OF_ELASTICITY = 1 << TH_EA | 1 << TH_EI,
  OF_LOSS = 1 << TH_EA | 1 << TH_AXIAL | 1 << TH_BENDING,
  OF_ALL = (1 << (TH_BENDING + 1)) - 1
};
void cps_put_element(const sink *x, int row, const element_row *y, unsigned numbers, double by);
void cps_put_section(const sink *x, int row, const element_row *y, unsigned numbers, double by);
cable_section cps_section_of(const cable *c, unsigned numbers); /* with these alone; */
cable_section cps_section_by(const cable *c, int number);       /* and what its forces are by one of them */
/* By by.R of an end of a cable and slope.R of its slope, unless that is NULL; by the force with which cables press on a drum; by the
 * torque of a drum's drive at time t. */
void cps_put_reaction(const sink *x, int row, int cable, int e, const double *by, const double *slope);
void cps_put_push(const sink *x, int row, int drum, const double *by);
void cps_put_drive(const sink *x, int row, int drum, double t, double by);
/* The entry of the matrix in the row of coordinate j of a node, or in row j of the border with node -1, and the column of
 * another node's coordinate. */
double *cps_matrix_at(model *o, int cable, int node, int j, int other, int column);

/* The problem in which all contacts stick, into a cable's matrix (sens_stick.c). */
void cps_stick_add(model *o, int cable, const step_coeffs *coeffs, int balance);

/* Laws with memory (sens_memory.c): what states that a solve starts from do to the friction of a point, in `now`; what becomes of
 * states, in `recall`; and in statics, in `list`. */
void cps_memory_rows(model *o, int cable, int point, const step_coeffs *coeffs);
void cps_memory_states(model *o, const step_coeffs *coeffs, int balance);
void cps_memory_begin(model *o, const step_coeffs *coeffs); /* of a motion that begins as it is */
void cps_memory_hold(model *o);

/* The border of a model: see sens_border.c. */
int cps_border_make(model *o); /* 0 if out of memory */
void cps_border_free(model *o);
void cps_border_clear(model *o, const step_coeffs *coeffs);
void cps_border_own(model *o, const step_coeffs *coeffs, int balance);
void cps_border_bind(model *o, int cable_of);
void cps_border_tie(model *o);   /* who follows it, as of the present state */
int cps_border_factor(model *o); /* 0 if singular */
void cps_border_solve(const border_matrix *x, int back,
                      lanes *y); /* one that is sparse; NAN where that fails */
/* Adds to S. */
void cps_border_add(model *o, int row, int k, double by);
/* Unknown of the border that is number i of those that cables meet. */
static inline int cps_border_met(const layout *l, int i) { return i < l->near ? i : l->nb - l->near + i; }

/* Looks at bodies as they are in the machine at time t: forces, slopes and tangents of springs; and how they are there. */
void cps_border_look(model *o, double t);
body_point cps_border_point(const model *o);
/* Looks at the start of a step, which is at t, and at its end. */
void cps_border_begin(model *o, double t);
void cps_border_end(model *o, double t);

/* Both ends of a step into the list of works, from cps_border_end on. */
typedef struct border_step {
  sink sink[2];
  body_point at[2];
  body_step step;
} border_step;
void cps_border_step_rows(model *o, border_step *x);

/* Ends on rims that follow the border: see sens_rim.c. The bond of such an end, 0 if it is none; entries of `tied`; what is more
 * in the equations of a solve, once all else is there. */
int cps_rim_bond(const model *o, int cable, int e, chain_bond *out);
void cps_bond_body(const model *o, int body, chain_bond *out); /* adds a body's unknowns and rows */
void cps_rim_tie(model *o, const chain_bond *x);
void cps_rim_own(model *o, const chain_bond *x, const step_coeffs *coeffs, int balance);

/* Reactions of ends: see sens_reaction.c. Whether an end on a rim follows the border, but what moves its drum is prescribed in part. */
int cps_reaction_prescribed(const machine *m, const cable *c, int e);

/* Bearings with friction, and bodies on rails and surfaces: see sens_slides.c. */
void cps_slides_own(model *o, const step_coeffs *coeffs, int balance);
void cps_slides_hold(model *o);  /* into the list: where springs take hold of them */
void cps_slides_works(model *o); /* of a step */
void cps_slide_states(model *o, int slide, const step_coeffs *coeffs,
                      int balance);       /* of its law: into `recall` */
void cps_slide_hold(model *o, int slide); /* laws with memory take over its friction: into the list */
enum { SLIDE_V, SLIDE_F, SLIDE_N, SLIDE_BALANCE };
void cps_slide_column(model *o, entries *list, int row, int slide, int what, double by);
int cps_slide_first_state(const model *o, int slide); /* of its law in a state, */
int cps_slide_star(const model *o, int slide);        /* and where a solve starts from */
/* What its law sees, and its sliding acceleration; bodies have been looked at. A row of the list by all but states of its law, of the
 * state before. */
void cps_slide_look(const model *o, int slide, cps_law_input *in, double *a);
void cps_slide_row(model *o, int slide, int row, const recall_row *x);
/* Works of the border in a step of length h, and its stored energy. */
void cps_border_works(model *o, double t, double h);
void cps_border_energy(model *o, entries *list, const int row[3]);
/* Tension of a spring. */
void cps_border_pull(model *o, entries *list, int row, int spring);

/* Whether coordinate d of an end's place is prescribed. */
int cps_drive_places(const cable *c, int e, int d);

/* The arithmetic, in two copies: see sens_sweep.h. */
struct machine_op;
#define SWEEPS(copy)                                                                                         \
  void copy##_forces(const cable *c, chain_part part, double *length, double *f);                            \
  void copy##_assemble(chain_matrix *a, const cable *c, double v_q, double a_q);                             \
  int copy##_factor(chain_matrix *a);                                                                        \
  void copy##_solve(const chain_matrix *a, lanes *x);                                                        \
  void copy##_map(const model *o, const struct machine_op *what, int transposed, lanes *initial, lanes *z)
SWEEPS(cps_narrow_sweep);
SWEEPS(cps_wide_sweep);
#undef SWEEPS
#if defined(__x86_64__)
#define BEST_SWEEP(f, ...)                                                                                   \
  (cps_has_avx2() ? cps_wide_sweep_##f(__VA_ARGS__) : cps_narrow_sweep_##f(__VA_ARGS__))
#else
#define BEST_SWEEP(f, ...) cps_narrow_sweep_##f(__VA_ARGS__)
#endif

#endif
