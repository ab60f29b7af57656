/* steppers.h - integration methods as rows of a table, and the one loop that drives them (driver.c).
 *
 * The driver decides where steps have to end (jumps of something prescribed, the time that is asked for), records rows, reports events, progress and checkpoints. A stepper makes one step at a time. All that it needs is in its workspace, which is
 * made once; everything that a later step reads is in its list, so that a simulation can be saved between any two steps.
 */
#ifndef CPS_STEPPERS_H
#define CPS_STEPPERS_H

#include "checkpoint.h"
#include "system.h"

/* Where a step has to end at the latest, and why. */
typedef struct stop {
  double time;
  int is_break; /* something prescribed jumps there; a step that ends there must not see what comes after */
  int is_end;   /* of a run: nothing comes after */
  double jump;  /* when something prescribed next jumps, */
  double end;   /* and when the run ends; INFINITY: never */
} stop;

enum {
  STEPPER_PASSES_BREAKS =
      1, /* of a fixed grid: breaks do not end a step, and rows of run.output are those of the next step */
  STEPPER_INTERPOLATES = 2, /* `between` gives rows within a step */
  STEPPER_ROW_FIRST = 4,    /* at a break the row is recorded before the method starts anew */
  STEPPER_ROW_AT_EVENTS = 8 /* knows cps_simulation.event_rows */
};

/* Rows within a step: the next step that is taken has some; those that follow end at them, from its start; no more. */
typedef enum row_phase { ROWS_AHEAD, ROWS_WITHIN, ROWS_DONE } row_phase;

typedef struct stepper {
  unsigned traits;
  long checkpoint_steps; /* between two instants at which checkpoints are possible */
  /* The workspace for a simulation as it stands. */
  cps_status (*make)(cps_simulation *sim, void **work, cps_error *err);
  void (*free)(void *work);
  /* Before the first step; `resumed`: the state that is listed has been put in place. */
  cps_status (*begin)(void *work, int resumed, cps_error *err);
  /* Starts anew at the present time, where something prescribed has jumped. NULL: nothing to be done. */
  cps_status (*restart)(void *work, cps_error *err);
  /* Moves a stop onto the grid of fixed steps, if it differs from it by round-off only. May be NULL. */
  void (*snap)(const void *work, stop *stop);
  /* One accepted step that ends at stop->time at the latest: sets sim->h, and sim->t unless it interpolates. */
  cps_status (*step)(void *work, const stop *stop, cps_error *err);
  /* A length that the next step does not exceed. Rows within a step are then ends of shorter steps from its start. NULL: the
   * method interpolates. */
  double (*longest)(const void *work);
  /* Tells it where in this it is, so that these shorter steps may start from what the step has found; none of it is part of
   * the state, which is what it was after them. May be NULL. */
  void (*rows)(void *work, row_phase phase);
  /* STEPPER_INTERPOLATES: the end of the step; and puts the simulation to a time within it. */
  double (*reached)(const void *work);
  cps_status (*between)(void *work, double t, cps_error *err);
  /* At the end of the step, after the rows within: modes, and unless STEPPER_ROW_FIRST a new start at a break. May be NULL. */
  cps_status (*complete)(void *work, const stop *stop, cps_error *err);
  /* What a checkpoint holds of the workspace. */
  checkpoint_list list;
  /* Forgets what cannot be listed; NULL: nothing. `ready`: whether it may at the present time; NULL: always. */
  cps_status (*forget)(void *work, cps_error *err);
  int (*ready)(const void *work);
  /* Brings the counters of the result up to date. May be NULL. */
  void (*count)(void *work);
} stepper;

/* A solver as scenarios name it: its steppers for bodies, and for cables of elements (NULL: cannot). */
typedef struct solver {
  const char *name, *title;
  const stepper *bodies, *cables;
  /* What to use instead for laws that jump between sticking and sliding, of bodies alone and of scenarios with cables;
   * NULL: it can follow them. */
  const char *for_jumps, *for_cable_jumps;
} solver;

const solver *cps_solver_find(const char *name);

extern const stepper cps_rk4, cps_events, cps_alpha, cps_body_bdf, cps_cable_bdf;

/* The step that rk4 takes [s]. */
double cps_rk4_step(const scenario_run *run);

/* ------------------------------------------------------------------ driver.c */

/* Makes the workspace, unless it is there; and begins, or takes up a checkpoint. */
cps_status cps_driver_make(cps_simulation *sim, cps_error *err);
cps_status cps_driver_begin(cps_simulation *sim, cps_error *err);
/* Goes to `until`; ends: that is the end of a run, which has a row. */
cps_status cps_driver_run(cps_simulation *sim, double until, int ends, cps_error *err);
void cps_driver_free(cps_simulation *sim);
/* Goes to a state that was kept (cps_aside_take); rows that have been recorded since stay so. */
void cps_driver_go_to(cps_simulation *sim, const states_aside *a, int state);
/* The longest step that a method may choose for itself, of which it would like `most`. */
double cps_driver_longest(const cps_simulation *sim, double most);
/* Times that differ by less are the same: a part of a step, and round-off. */
double cps_driver_same(const cps_simulation *sim);

/* ------------------------------------------------------------------ fixed steps
 *
 * They lie on a grid from + i h. A stop that lies on it is reached along the grid, whatever stops are in between: a run that is
 * cut into pieces makes the same steps. One that does not is reached by one or two steps that are a little shorter. */

/* Moves a stop onto the grid, if it differs by round-off only and nothing jumps or ends there. */
void cps_grid_snap(const scenario_run *run, double h, stop *stop);
/* Where steps of at most h go next from t: to the next point of the grid, or to the stop if that lies before or not on the grid. */
double cps_grid_next(const scenario_run *run, double h, double t, double stop);

/* Fails: the equations do not converge with steps of h. Says where in which cable. */
cps_status cps_run_give_up(cps_simulation *sim, const struct machine *m, double h, cps_error *err);

/* Releases bodies whose hold ends at the current time: they get their initial velocity. */
void cps_solver_release(cps_simulation *sim);

#endif
