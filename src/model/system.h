/* system.h - the equations of a scenario, and the run that integrates them. Private to the library.
 *
 * Coordinates. Every body on a line has one coordinate, every body in the plane two; surfaces and the ground
 * follow as coordinates that are not free, so that springs and contacts need not ask what they are attached
 * to:
 *
 *   q[0 .. nd)         free coordinates
 *   q[nd .. nd + ns)   surfaces
 *   q[nx - 1]          the ground, always 0; nx = nd + ns + 1
 *
 * The state vector is y = [q (nx) | v (nx) | z (nz) | w (nw)]: coordinates, velocities, friction states of
 * all contacts, and what the audit accumulates: friction work of each contact, then damping, work of loads,
 * work of motions.
 *
 * Equations. M a = Q + A' f, one row of A per contact: relative velocity A v, relative acceleration A a - b
 * with the surfaces in b. A contact's force is f_i = F(v_i, e_i, n_i, z_i) with the balance force
 *
 *   e_i = f_i - m_i (A_i a - b_i),   m_i = 1/W_ii,   W = A M^-1 A'
 *
 * which is Quinn's section 3.3: consistent with the contacts that slip. A contact that shares no free
 * coordinate with another has e_i = -c_i/W_ii at once; the others form groups (coupling.c).
 */
#ifndef CPS_SYSTEM_H
#define CPS_SYSTEM_H

#include "checkpoint.h"
#include "internal.h"
#include "scenario.h"

/* A spring on one line: extension = sb q[b] - sa q[a] - rest. */
typedef struct line_spring {
  int a, b;
  double sa, sb, rest;
  double k, d;
  int tension_only;
  int index; /* in the scenario */
} line_spring;

/* An end of a spring in the plane: point = base + q[i] u + q[j] w; j is the ground for bodies on a line. */
typedef struct plane_end {
  int i, j;
  double base[2], u[2], w[2];
  double up[2]; /* what presses a body off its line, zero for others */
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

typedef struct load {
  int i, j;     /* coordinates */
  double u[2];  /* their factors: force . direction */
  double press; /* part that presses the body off its line */
  const profile *force;
} load;

struct cps_system {
  const cps_scenario *scenario;
  int nd, ns, nx, nz, nw, ny;
  int nc, n_line, n_plane, n_loads, n_groups;
  int presses;     /* whether any contact's normal force depends on springs and loads */
  double *mass;    /* [nd] */
  double *weight;  /* [nx] gravity along each coordinate */
  double *initial; /* [ny] */
  int *body_q;     /* [bodies] first coordinate of each body */
  line_spring *line;
  plane_spring *plane;
  contact *contacts;
  load *loads;
  group *groups;
  int *alone; /* [n_alone] contacts that are in no group */
  int n_alone;
  int most_group, most_band;
  struct shape *drawn; /* [cables] what each cable of elements starts with */
  struct lift *lift;   /* a cable in few variables, in equilibrium; NULL if there is none */
};

/* What an evaluation leaves behind, and needs. One per simulation; nothing is allocated while stepping. */
typedef struct workspace {
  double *inverse_mass;     /* [nx] 0 for what is not free now */
  double *force;            /* [nx] applied force, then with friction */
  double *press;            /* [nx] force that presses a line body onto its line */
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

cps_status cps_workspace_make(const cps_system *s, workspace *k, cps_error *err);
void cps_workspace_free(workspace *k);

/* Sets which bodies are free at time t (a held one is not), after which inverse masses and W hold. */
void cps_system_hold(const cps_system *s, workspace *k, double t);

/* Rates of the state at time t. Puts the surfaces' coordinates and velocities into y; leaves contact
 * quantities in k. mode[nc] is the mode of each contact, or NULL to let every law choose. Fails if a group of
 * contacts does not converge. */
cps_status cps_system_rates(const cps_system *s, workspace *k, double t, double *y, const int *mode,
                            double *y_t);

/* The parts of it: puts in the surfaces, sums applied forces, finds sliding velocities and normal forces. */
void cps_system_kinematics(const cps_system *s, workspace *k, double t, double *y);
/* Solves for the contact forces of one group; k->free_a, v, n must be there. */
cps_status cps_group_solve(const cps_system *s, workspace *k, const group *g, const double *z,
                           const int *mode);
/* Evaluates the law of contact i at balance force e; jac may be NULL. */
double cps_contact_force(const cps_system *s, workspace *k, int i, double e, const double *z, int mode,
                         cps_law_jacobian *jac);

/* The next time after t at which something prescribed jumps: a profile, or the release of a body. */
double cps_system_next_break(const cps_system *s, double t);

void cps_system_energy(const cps_system *s, workspace *k, double t, double *y, cps_energy *energy);

/* ------------------------------------------------------------------ simulation */

/* Values of one field, frame after frame. */
typedef struct field_data {
  cps_field field;
  double *data; /* owned */
} field_data;

/* What a result that was loaded from a file owns beside its numbers: see result_read.c. */
typedef struct loaded_text loaded_text;

/* Longest name of a column: also a derivative, d(bodies.block.x)/d(springs.spring.stiffness). */
enum { COLUMN_NAME = 5 * NAME_MAX_LENGTH };

struct cps_result {
  int n_columns;
  char (*names)[COLUMN_NAME];
  const char **units;
  double *data; /* column-major with `capacity` rows */
  long rows, capacity;
  cps_event *events;
  long n_events, events_capacity;
  cps_energy energy;
  cps_counters counters;
  int n_fields;
  field_data *fields;
  double *frame_times;
  long frames, frames_capacity;
  int *slot;          /* [everything that could be recorded] its column, -1 if it is not wanted */
  loaded_text *texts; /* of a result that was loaded */
};

struct machine;
struct lift;
struct row;

/* What follows a run closely, for sensitivities: every row that was recorded, and every step, which a solver describes
 * in its own way. */
typedef struct follower {
  void *data;
  cps_status (*row)(cps_simulation *sim, void *data, cps_error *err);
  cps_status (*step)(cps_simulation *sim, const void *what, void *data, cps_error *err);
  const struct bdf_follower *bdf; /* what bdf integrates along; NULL: nothing */
} follower;

/* How cables are computed: a machine of elements (machine.h), or a lift in few variables (elevator.h). */
typedef struct cable_engine {
  cps_status (*make)(cps_simulation *sim, cps_error *err);
  void (*columns)(struct row *r);
  void (*fields)(struct row *r);
  void (*energy)(const cps_simulation *sim, cps_energy *e);
  void (*count)(const cps_simulation *sim, cps_progress *p); /* what sticks and slips */
  const struct stepper *stepper;                             /* NULL: as run.solver says */
  int loses;                                                 /* the integrator dissipates, and knows it */
} cable_engine;

struct cps_simulation {
  const cps_system *system;
  const cable_engine *cables; /* of scenarios with cables; NULL otherwise */
  struct machine
      *machine;      /* of scenarios with cables; NULL otherwise, and then the rest of the state is in y */
  struct lift *lift; /* of a cable whose model is not ANCF */
  workspace work;
  double t, h;
  double *y, *y_t;
  int *mode; /* [nc] */
  double next_output, next_frame;
  long output_index;
  double largest_energy, initial_energy;
  cps_result result;
  int (*progress)(const cps_progress *, void *);
  void *progress_data;
  long since_progress;
  double stint_from; /* time at the last look at how far the run has come */
  int (*checkpoint)(cps_simulation *, void *);
  void *checkpoint_data;
  const struct stepper *stepper; /* steppers.h; NULL until the simulation begins */
  void *solver;                  /* its workspace, owned */
  int restart_due; /* the stepper has to start anew before the next step: something prescribed has jumped */
  long last_checkpoint;   /* steps at the last instant at which one was possible */
  unsigned char *pending; /* owned: items of a checkpoint for the stepper to take up */
  size_t pending_size;
  int ended;
  follower follow;         /* functions are NULL if nobody follows */
  const double *row_times; /* see cps_simulation_rows_at; NULL: none. Borrowed */
  long n_row_times;
  int rows_only;
  int drawn;      /* cables stay as they are drawn: for the names of columns */
  int event_rows; /* also one before and one after each event, since forces jump there */
};

/* Before a run: rows are recorded exactly at these n rising times, instead of at those of run.output; they must outlive
 * it. With `only` nowhere else, without it also at the start, the end and, if run.output is 0, after every step. What
 * goes on from a checkpoint needs the same call before cps_simulation_restore. */
void cps_simulation_rows_at(cps_simulation *sim, const double *times, long n, int only);
/* Whether every step is recorded. */
int cps_simulation_every_step(const cps_simulation *sim);
/* Records a row at the current time. */
cps_status cps_simulation_record(cps_simulation *sim, cps_error *err);
cps_status cps_simulation_event(cps_simulation *sim, int contact, int from, int to, cps_error *err);
cps_status cps_simulation_lift_event(cps_simulation *sim, int from, int to, cps_error *err);
/* After every step, of length sim->h: counts, reports progress. Nonzero: stop. */
cps_status cps_simulation_stepped(cps_simulation *sim, cps_error *err);
/* A failure at the current time, with the contact concerned (-1 for none). */
cps_status cps_simulation_fail(cps_simulation *sim, int contact, cps_error *err, const char *format, ...);
/* Columns and fields of a result are enumerated by functions that are called to count them, to name them and to fill
 * them: what is recorded stands in one place. */
typedef struct row row;
struct row {
  const cps_simulation *sim;
  cps_result *result;
  int column, field;
  enum { COUNTING, NAMING, FILLING } task;
};

void cps_row_put(row *r, const char *kind, const char *name, const char *what, const char *unit,
                 double value);
/* A field of `points` places with `components` values, from values[points * components]. */
void cps_row_field(row *r, const char *name, const char *what, const char *unit, int points, int components,
                   int constant, const double *values);

/* What a row of this simulation's state and workspace would be, as they are: values[columns]. */
void cps_simulation_columns(const cps_simulation *sim, const cps_energy *e, double *values);

/* Cables (machine_columns.c): what they record, their energy, and the next time that something prescribed jumps. */
void cps_machine_columns(row *r);
void cps_machine_fields(row *r);
void cps_lift_fields(row *r);
void cps_lift_columns(row *r); /* elevator_columns.c */
double cps_machine_next_break(const cps_scenario *s, double t);

/* Fires guards of laws with memory and modes; new modes and states. Counts events. */
cps_status cps_simulation_settle(cps_simulation *sim, cps_error *err);

#endif
