/* bodies.h - bodies, springs, loads, surfaces and the contacts between bodies as constant tables, and what acts on them
 * (body_forces.c): the same for bodies alone (system.c) and beside cables (machine.c). Private to the library.
 *
 * Coordinates. Every body on a line has one coordinate, every body in the plane two; surfaces and the ground
 * follow as coordinates that are not free, so that springs and contacts need not ask what they are attached
 * to:
 *
 *   q[0 .. nd)         free coordinates
 *   q[nd .. nd + ns)   surfaces
 *   q[nd + ns .. )     bodies at the ends of cables in few variables, which move them (reduced_cables.c)
 *   q[nx - 1]          the ground, always 0
 *
 * The state vector is y = [q (nx) | v (nx) | z (nz) | w (nw) | cables in few variables]: coordinates, velocities, friction
 * states of all contacts, what the audit accumulates: friction work of each contact, then damping, work of loads,
 * work of motions; and the states of those cables.
 *
 * Equations. M a = Q + A' f, one row of A per contact: relative velocity A v, relative acceleration A a - b
 * with the surfaces in b. A contact's force is f_i = F(v_i, e_i, n_i, z_i) with the balance force
 *
 *   e_i = f_i - m_i (A_i a - b_i),   m_i = 1/W_ii,   W = A M^-1 A'
 *
 * which is Quinn's section 3.3: consistent with the contacts that slip. A contact that shares no free
 * coordinate with another has e_i = -c_i/W_ii at once; the others form groups (coupling.c).
 */
#ifndef CPS_BODIES_H
#define CPS_BODIES_H

#include "internal.h"
#include "pool.h"
#include "scenario.h"
#include "warnings.h"

/* A spring on one line: extension = sb q[b] - sa q[a] - rest. */
typedef struct line_spring {
  int a, b;
  double sa, sb, rest;
  double k, d;
  int tension_only;
  int index; /* in the scenario */
} line_spring;

/* An end of a spring between two points: point = base + sum of q[c[k]] along[k], k < dim. A body on a line has one
 * coordinate, and the ground for the others. */
typedef struct plane_end {
  int n; /* coordinates: all axes, the one along its line, or none on the ground */
  int c[3];
  double base[3], along[3][3];
  double up[3]; /* what presses a body off its line, zero for others */
} plane_end;

typedef struct plane_spring {
  plane_end end[2];
  double k, d, length;
  int tension_only;
  int index;
} plane_spring;

typedef struct contact {
  int a, b; /* coordinates; v = q'[a] - sb q'[b] */
  double sb;
  const cps_law *law;
  const double *p;
  int z; /* where its states start in z */
  int n_states;
  normal_kind normal;
  const profile *given;
  double constant; /* normal force, if it does not change: NaN if it does */
  double weight;   /* pressing part of the weight that rests on it */
  int group;       /* of contacts that are coupled through free coordinates; -1 if alone */
} contact;

/* Contacts that share coordinates, ordered so that W has a small band. */
typedef struct group {
  int n, band;
  int *contact; /* [n] */
  int *first;   /* [n] CSR of W: columns and values of row i are first[i] .. first[i + 1] */
  int *column;
  double *sign; /* product of signs over shared coordinate */
  int *shared;  /* the coordinate that is shared, one entry per coordinate */
} group;

typedef struct body_load {
  int c[3];     /* coordinates, the ground for those that the body does not have */
  double u[3];  /* their factors: force . direction */
  double press; /* part that presses the body off its line */
  const profile *force;
} body_load;

/* A spring between two points: derivatives of the force that its two points feel with respect to its 2 dim coordinates and
 * their rates, and of what presses either body onto its line. */
typedef struct plane_tangent {
  double q[6][6], v[6][6];
  double press_q[2][6], press_v[2][6];
} plane_tangent;

/* A spring's extension and its rate as functions of its coordinates. */
typedef struct spring_slope {
  int n, c[6];
  double e_q[6], et_q[6]; /* e_q is also the derivative of the rate by velocities */
  double k, d, e, e_t, tension, elastic;
  int pulls, stretched; /* whether the tension changes; whether energy is stored */
} spring_slope;

/* What the trapezoidal rule needs of the start of a step, to sum the work of forces over displacements. */
typedef struct work_start {
  const double *q;            /* [nx] borrowed from the state's owner, as are */
  const double *f;            /* [nc] friction forces */
  double *extension, *damper; /* [springs] extension; tension less its elastic part */
  double *load, *drive;       /* [loads] force, [nx] force on surfaces */
} work_start;

struct cps_system {
  pool pool; /* all arrays */
  const cps_scenario *scenario;
  int dim; /* coordinates of a body that moves freely */
  int nd, ns, nx, nz, nw, ny;
  int nc, n_line, n_plane, n_loads, n_groups;
  int presses;     /* whether any contact's normal force depends on springs and loads */
  double *mass;    /* [nd] */
  double *weight;  /* [nx] gravity along each coordinate */
  double *initial; /* [ny] */
  int *body_q;     /* [bodies] first coordinate of each body */
  int *
      end_cable; /* [bodies] the cable whose end simply is the body, which then carries its mass, weight and loads; -1: */
  int *end_side;   /* none; and which end */
  double (*up)[3]; /* [nx] direction off the line that gravity presses a line body against; zero for others */
  int *under;      /* [nx] coordinate of the body on which that of a line body rests; -1: none that is free */
  line_spring *line;
  plane_spring *plane;
  contact *contacts;
  body_load *loads;
  group *groups;
  int *alone; /* [n_alone] contacts that are in no group */
  int n_alone;
  int most_group, most_band;
  struct drawing
      *drawn;     /* what cables of elements and all with them start with; NULL: these are tables alone */
  int n_elements; /* cables of elements; then the bodies are those of a machine (machine.h) */
  int n_lifts;    /* cables in few variables: elevator.h */
  struct cps_system
      *reduced; /* those alone, for where there are cables of elements beside them; owned, tables shared */
  struct lift *lifts; /* [n_lifts] in equilibrium */
  int lift_y;         /* where their states start in y */
  int lift_contacts;  /* contacts on their bodies */
  int *partner; /* [nx] coordinate of the body on a line at the other end of the same such cable; -1: none; */
  int *cross;   /* and where in inverse_mass is what couples the two */
  warning_list warnings;
};

/* What an evaluation leaves behind, and needs. One per simulation; nothing is allocated while stepping. */
typedef struct workspace {
  pool pool;                 /* all arrays */
  const input_value *inputs; /* of the simulation; NULL: as they start */
  struct lift *lifts;        /* [n_lifts] of the simulation: their modes, and what evaluations leave */
  double *
      inverse_mass; /* [nx + n_lifts] 0 for what is not free now; then what couples the bodies of each lift */
  double *force;    /* [nx] applied force, then with friction */
  double *press;    /* [nx] force that presses a line body onto its line */
  double *hung;     /* [nx] the same of cables that hang on it and on drums that it carries, */
  int hangs;        /* if there are any */
  double *surface_a;        /* [nx] acceleration of surfaces, 0 elsewhere */
  double *w_ii;             /* [nc] */
  double *free_a;           /* [nc] of contacts in groups: relative acceleration without their friction */
  double *v, *n, *f, *f_eq; /* [nc] */
  double *z_t;              /* [nz] */
  double *spring;           /* [springs] tension of each spring, by scenario index */
  double *spring_e;         /* [springs] extension */
  double *band;             /* group solver */
  double *g, *d, *df;       /* [most_group] */
  long evaluations, newton;
  int held;           /* bodies that are not free now */
  int failed_contact; /* of the last coupling failure; -1 if none */
} workspace;

/* The tables of a scenario, without geometry of cables; NULL if out of memory. */
cps_system *cps_bodies_new(const cps_scenario *scenario);
/* Whether a body is at an end of a cable in few variables, which moves it. */
int cps_body_is_reduced(const cps_scenario *s, int body);
/* Whether a body is just a mass at the end of one cable of elements. */
int cps_body_is_end(const cps_scenario *s, int body);

cps_status cps_workspace_make(const cps_system *s, workspace *k, cps_error *err);
void cps_workspace_free(workspace *k);

/* ------------------------------------------------------------------ forces on bodies (body_forces.c) */

/* Coordinates of a body. */
static inline int cps_body_freedoms(const cps_system *s, int body) {
  return s->scenario->bodies[body].kind == BODY_PLANE ? s->dim : 1;
}
/* Puts surfaces into q and v, and their accelerations into k; places of those whose velocity is prescribed stay. */
void cps_surfaces_place(const cps_system *s, const workspace *k, double t, double *q, double *v);
/* Moves surfaces whose velocity is prescribed from q0 at time t to q at time t + h, by Simpson's rule; t1 is that end, or
 * just before it. */
void cps_surfaces_move(const cps_system *s, const workspace *k, double t, double h, double t1,
                       const double *q0, double *q);
/* Applied forces into k->force and k->press, tensions and extensions of springs; powers of loads and dampers. */
void cps_forces_apply(const cps_system *s, const workspace *k, double t, const double *q, const double *v,
                      double *load_power, double *damping);
/* Stiffness and damping of springs along lines now, zero where they are slack: [n_line] each. */
void cps_line_tangents(const cps_system *s, const double *q, const double *v, double *stiffness,
                       double *damping);
/* And tangents of springs between points: [n_plane]. */
void cps_plane_tangents(const cps_system *s, const double *q, const double *v, plane_tangent *out);
/* Extensions, tensions and their derivatives, of all springs by their number in the scenario: [springs]. */
void cps_spring_slopes(const cps_system *s, const double *q, const double *v, spring_slope *out);
/* The line between the points of a spring: its length, unit vector n and rate w. */
double cps_spring_span(const cps_system *s, const plane_spring *g, const double *q, const double *v,
                       double *n, double *w);
/* The coordinates of such a spring, [2 dim]; their number. */
int cps_plane_coordinates(const cps_system *s, const plane_spring *g, int *c);
/* Normal force of a contact: never negative. */
double cps_contact_normal(const workspace *k, const contact *c, double t);
/* Whether what presses the body of coordinate q onto its line also presses that of coordinate `lower`. */
int cps_rests_on(const cps_system *s, int q, int lower);
/* Stored energy of bodies and springs, whose extensions are in k. */
void cps_bodies_store(const cps_system *s, const workspace *k, const double *q, const double *v,
                      cps_energy *energy);
/* Work in steps: notes the start of one, with the forces of the last evaluation, which was at time t; adds the work of the
 * step that ends at t with the last evaluation to w[nw]. `drive` is room for [nx]. */
void cps_work_begin(const cps_system *s, const workspace *k, double t, work_start *start);
void cps_work_add(const cps_system *s, const workspace *k, double t, const double *q, const double *f,
                  const work_start *start, double *drive, double *w);
#endif
