/* sens_drive.h - what parameters change in a machine: its plain numbers, its first state, and what is prescribed over time.
 * See sens_drive.c. */
#ifndef CPS_SENS_DRIVE_H
#define CPS_SENS_DRIVE_H

#include "sens.h"
#include "sens_chain.h"

/* Derivatives of something prescribed by the parameters that change it. */
typedef struct slot slot;

typedef struct drive {
  pool pool; /* all arrays */
  const sens_run *run;
  const machine *m; /* for its shape; not its state */
  const layout *at;
  int time;   /* the lane behind all parameters: derivatives by time; -1: no parameter moves a jump */
  int chunks; /* of four parameters */
  unsigned char *theta_varies, *d_varies;
  lanes *theta;   /* [chunks][thetas] */
  lanes *initial; /* [chunks][states] */
  lanes *d;       /* [chunks][ds] as of the last move */
  lanes *
      tie; /* [chunks]: of each end its place at[3], its angle and height on a rim; of each load its direction */
  int n_ties;
  slot *slots;                       /* of all that may be prescribed, */
  int n_slots, of_kind[GIVEN_KINDS]; /* the first of each kind */
  double (*base)[2];                 /* [drums] angle and rate of those under control without inertia */
  int *point;           /* [n_wrt] of parameters that are values of a drive's table: which; -1 of others, */
  int *table;           /* [n_wrt] and the drum */
  int varying, *which;  /* rows of d that vary: how many, and which */
  unsigned char *moves; /* [n_wrt] whether it moves the times of jumps */
} drive;

cps_status cps_drive_make(drive *o, const sens_run *run, const model *of, cps_error *err);
void cps_drive_free(drive *o);
/* Brings o->d from t0 to t, as cps_machine_move did with the machine whose drums are given. */
void cps_drive_move(drive *o, double t0, double t, const drum *drums);

/* A chunk of o->d where all happens later by tau, the parameter's number tau_d of it (sens_break.c): [ds]. */
void cps_drive_put(const drive *o, int chunk, lanes *to);

/* Before that, where something jumps: how its time moves, into the numbers tau_d; whether that is new. *which: the last parameter
 * that moves it, or -1; *several: things that jump there do not move together. */
int cps_drive_break(drive *o, double t, int *which, int *several);
/* And what that does to drums under control without inertia, whose torque jumps. */
void cps_drive_jump(drive *o, double t);
/* All happens at its own time again; whether it did not. */
int cps_drive_in_time(drive *o);
int cps_drive_late(const drive *o); /* whether it does not now */
/* Whether accelerations jump from those that the machine has kept to its present ones. */
int cps_break_shakes(const machine *m);
/* Its state, to go back to: `size` doubles. */
size_t cps_drive_size(const drive *o);
void cps_drive_save(const drive *o, double *x);
void cps_drive_restore(drive *o, const double *x);

#endif
