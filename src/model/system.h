/* system.h - the equations of a scenario, and the run that integrates them. Private to the library.
 * Coordinates and tables are in bodies.h.
 */
#ifndef CPS_SYSTEM_H
#define CPS_SYSTEM_H

#include "bodies.h"
#include "checkpoint.h"
#include "internal.h"
#include "scenario.h"
#include "warnings.h"

/* Sets which bodies are free at time t (a held one is not), after which inverse masses and W hold. */
void cps_system_hold(const cps_system *s, workspace *k, double t);

/* Rates of the state at time t. Puts the surfaces' coordinates and velocities into y; leaves contact
 * quantities in k. mode[nc] is the mode of each contact, or NULL to let every law choose. Fails if a group of
 * contacts does not converge. */
cps_status cps_system_rates(const cps_system *s, workspace *k, double t, double *y, const int *mode,
                            double *y_t);

/* The parts of it: puts in the surfaces, sums applied forces, finds sliding velocities and normal forces. */
void cps_system_kinematics(const cps_system *s, const workspace *k, double t, double *y);

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
  double *data;  /* owned */
  size_t mapped; /* bytes of it that are in a file, as those of rows */
} field_data;

/* What a result that was loaded from a file owns beside its numbers: see result_read.c. */
typedef struct loaded_text loaded_text;

/* Longest name of a column: also a derivative, d(bodies.block.x)/d(springs.spring.stiffness). */
enum { COLUMN_NAME = 5 * CPS_NAME_ROOM };

struct cps_result {
  int n_columns;
  char (*names)[COLUMN_NAME];
  const char **units;
  double *data; /* column-major with `capacity` rows: see row_store.h */
  long rows, capacity;
  const char *folder; /* where much may be kept in a file; NULL: nowhere. Borrowed */
  size_t mapped;      /* bytes of data that are in such a file; 0: it is on the heap */
  size_t unreleased;  /* bytes that were added since files were last taken out of memory */
  cps_event *events;
  long n_events, events_capacity;
  size_t events_mapped;
  cps_energy energy;
  cps_counters counters;
  warning_list warnings;
  int n_fields;
  field_data *fields;
  double *frame_times;
  long frames, frames_capacity;
  int only_field; /* of a frame of one field: its index + 1; 0: of all fields */
  int *slot;      /* [n_slots] of everything that could be recorded its column, -1 if it is not wanted */
  int n_slots, left_out; /* how many there are, and how many columns stay empty */
  loaded_text *texts;    /* of a result that was loaded */
};

struct machine;
struct row;

/* What follows a run closely, for sensitivities: every row that was recorded, and every step, which a solver describes
 * in its own way. */
typedef struct follower {
  void *data;
  cps_status (*row)(cps_simulation *sim, void *data, cps_error *err);
  cps_status (*step)(cps_simulation *sim, const void *what, void *data, cps_error *err);
  /* The run goes aside for a row, and is back where it was when it did. */
  cps_status (*aside)(cps_simulation *sim, int begins, void *data, cps_error *err);
  const struct bdf_follower *bdf; /* what bdf integrates along; NULL: nothing */
} follower;

/* Where the mesh of a cable is the coarsest for the drum that it touches, and where contact gives way the most: see run_verdict.c. */
typedef struct mesh_verdict {
  double error, length; /* estimated, relative; of the elements there [m] */
  int cable, drum;
  double sunk; /* penetration over radius */
  int sunk_cable, sunk_drum;
  double pulled,
      pushed; /* largest tension and compression of any element that bending does not explain [N] */
  int pushed_cable;
  double folded,
      folded_at; /* largest tension of an element that is turned back on itself, and where along the cable [N, m] */
  int folded_cable;
} mesh_verdict;

struct cps_simulation {
  const cps_system *system;
  struct machine *
      machine; /* of scenarios with cables of elements; NULL otherwise, and then the rest of the state is in y */
  struct cps_simulation
      *beside; /* of cables in few variables, where there are cables of elements too; owned */
  workspace work;
  double t, h;
  input_value *inputs; /* [inputs of the scenario], owned */
  double *y, *y_t;
  int *mode; /* [nc] */
  int *
      seen; /* [n_seen] modes of cables, bearings and contacts beside cables at the last step (cable_events.c), owned */
  int n_seen;
  double next_output, next_frame;
  long output_index;
  double largest_energy, initial_energy;
  double open_energy; /* largest energy that is not accounted for, or that the integrator dissipates */
  double
      moving_energy; /* largest kinetic energy with what has gone in and out: what there was to dissipate */
  mesh_verdict mesh;
  struct overshoot {
    double part,
        step; /* how far a state of a law has gone beyond where its mode ends, over that; in a step of [s] */
    int contact;
  } overshoot; /* of rk4, which locates nothing */
  cps_result result;
  int (*progress)(const cps_progress *, void *);
  void *progress_data;
  long since_progress;
  struct stint {
    double from; /* time at the last look at how far the run has come */
    long breaks, events,
        rows; /* since then: steps that ended where something prescribed jumps, transitions, rows */
  } stint;
  int (*checkpoint)(cps_simulation *, void *);
  void *checkpoint_data;
  const struct stepper *stepper; /* steppers.h; NULL until the simulation begins */
  void *solver;                  /* its workspace, owned */
  struct states_aside *aside;    /* owned: states around the present step (driver.c); NULL: none */
  int unheard;                   /* a step is tried: rows and events are not recorded */
  double longest_step;           /* of methods that choose their steps; 0: as they like. See cps_sens_run */
  int begun;                     /* it has begun, or taken up a state */
  int restart_due; /* the stepper has to start anew before the next step: something prescribed has jumped */
  int at_instant;  /* a checkpoint is being offered: what cannot be listed has been forgotten */
  long last_checkpoint;   /* steps at the last instant at which one was possible */
  unsigned char *pending; /* owned: items of a checkpoint for the stepper to take up */
  size_t pending_size;
  int ended;         /* a run has come to its end, or has failed */
  int started;       /* cables have come to rest, and energies count from here */
  int first_row_due; /* the row at the start has not been recorded */
  long keep;         /* rows of the result: -1 all, 0 none, else about the last so many */
  long events_from;  /* events that the result had before the present stretch */
  int stop_at_event; /* the driver returns after a step with an event */
  long steps_from;   /* steps that do not count for run.max_steps */
  double most_tries; /* steps, with those that were rejected, after which the run is given up; 0: no limit */
  double *values;    /* [columns] as of now if values_known; owned, NULL until they are asked for */
  int values_known;
  unsigned char *start_state; /* owned: the state after the start, to go back to; NULL: none yet */
  cps_scenario *own_scenario; /* owned, of a simulation with parameters of its own; NULL: it shares */
  cps_system *own_system;
  const cps_system *shared;             /* the system that it was made for */
  double progress_every, progress_next; /* [s] of real time; 0: by steps */
  follower follow;                      /* functions are NULL without a follower */
  const double *row_times;              /* see cps_simulation_rows_at; NULL: none. Borrowed */
  long n_row_times;
  int rows_only;
  int event_rows; /* also one before and one after each event, since forces jump there */
};

/* Before a run: rows are recorded exactly at these n rising times, instead of at those of run.output; they must outlive
 * it. With `only` nowhere else, without it also at the start, the end and, if run.output is 0, after every step. What
 * goes on from a checkpoint needs the same call before cps_simulation_restore. */
void cps_simulation_rows_at(cps_simulation *sim, const double *times, long n, int only);
/* Of the columns of cables, which cost more than others, only those are computed that are wanted[column]; rows have NaN in the
 * others. */
void cps_simulation_want(cps_simulation *sim, const unsigned char *wanted);
/* Brings cables in few variables that stand beside those of elements to the present time. */
cps_status cps_simulation_follow(cps_simulation *sim, cps_error *err);
/* Whether every step is recorded. */
int cps_simulation_every_step(const cps_simulation *sim);
/* Starts, records the first row, and makes the stepper ready, as far as that has not been done. */
cps_status cps_simulation_ready(cps_simulation *sim, cps_error *err);
/* All columns as things stand, into sim->values. */
void cps_simulation_read_columns(cps_simulation *sim);
/* The error of the energy balance at present; nothing is recorded. */
double cps_simulation_imbalance(cps_simulation *sim);
/* Whether an input is a place, an angle or a rate of one, rather than a force or a torque. */
int cps_input_is_motion(const scenario_input *input);
/* Records a row at the current time. */
cps_status cps_simulation_record(cps_simulation *sim, cps_error *err);
cps_status cps_simulation_event(cps_simulation *sim, int contact, int from, int to, cps_error *err);
cps_status cps_simulation_cable_event(cps_simulation *sim, const char *name, int from, int to, const char *a,
                                      const char *b, cps_error *err);
/* The mode of contact i; CPS_MODE_FREE if none was chosen. */
int cps_simulation_mode(const cps_simulation *sim, int i);

/* Events of cables (cable_events.c), after a step: how many things are looked at; none has been seen yet; whether a checkpoint
 * has modes that they can have; and the look itself. */
int cps_cable_events_count(const struct machine *m);
void cps_cable_events_forget(cps_simulation *sim);
int cps_cable_events_fit(const cps_simulation *sim);
cps_status cps_cable_events(cps_simulation *sim, cps_error *err);
/* Reports progress, if it is time. Nonzero: stop. */
cps_status cps_simulation_report(cps_simulation *sim, cps_error *err);
/* After every step, of length sim->h: counts, reports progress. Nonzero: stop. */
cps_status cps_simulation_stepped(cps_simulation *sim, cps_error *err);
/* A failure at the current time, with the contact concerned (-1 for none). */
cps_status cps_simulation_fail(cps_simulation *sim, int contact, cps_error *err, const char *format, ...);
/* The same where somebody wanted it to end. */
cps_status cps_simulation_stopped(const cps_simulation *sim, cps_error *err);

/* Whether anything starts from equilibrium; and that equilibrium (find_start.c), if need be and allowed with drums held that turn
 * freely, which the run then says. */
int cps_start_rests(const cps_simulation *sim);
cps_status cps_start_find(cps_simulation *sim, int may_brake, cps_error *err);

/* Whether a run can be trusted (run_verdict.c): looks at how it starts; takes note of an audit; looks at the row just recorded; and judges the whole
 * run, which may make it a failure. */
void cps_verdict_start(cps_simulation *sim);
void cps_verdict_note(cps_simulation *sim, const cps_energy *e);
int cps_mesh_verdict_valid(const mesh_verdict *v, const cps_scenario *s);
cps_status cps_verdict_row(cps_simulation *sim, cps_error *err);
cps_status cps_verdict_run(cps_simulation *sim, cps_status status, cps_error *err);
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
/* Whether one of the next n columns will be filled: otherwise the caller need not compute them. */
int cps_row_wants(const row *r, int n);
/* A field of `points` places with `components` values, from values[points * components]. */
void cps_row_field(row *r, const char *name, const char *what, const char *unit, int points, int components,
                   int constant, const double *values);

/* What a row of this simulation's state and workspace would be, as they are: values[columns]. */
void cps_simulation_columns(const cps_simulation *sim, const cps_energy *e, double *values);

/* Cables (machine_columns.c): what they record, their energy, and the next time that something prescribed jumps. */
void cps_machine_columns(row *r);
void cps_machine_fields(row *r);
void cps_lift_fields(row *r); /* elevator_columns.c */
void cps_lift_columns(row *r);
/* All fields of a simulation. */
void cps_simulation_fields(row *r);
double cps_machine_next_break(const cps_system *s, double t);

/* Fires guards of laws with memory and modes; new modes and states. Counts events. */
cps_status cps_simulation_settle(cps_simulation *sim, int *fired, cps_error *err);
/* The mode of a law with memory between bodies whose guards end steps; -1: they do not. */
int cps_simulation_located(const cps_simulation *sim, int i);

#endif
