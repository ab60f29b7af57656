/* step_notes.h - what a solver tells the follower of its run (system.h): every step and every jump, in the words
 * in which they can be differentiated. Between two notes the state does not change. */
#ifndef CPS_NOTES_H
#define CPS_NOTES_H

#include "alpha_rule.h"
#include "system.h"

/* An explicit Runge-Kutta method. */
enum { RK_STAGES = 6 };
typedef struct rk_table {
  int stages;
  double c[RK_STAGES], a[RK_STAGES][RK_STAGES], b[RK_STAGES];
} rk_table;

extern const rk_table cps_rk4_table, cps_dopri_table;

typedef enum note_kind {
  NOTE_RK,    /* an explicit step */
  NOTE_ALPHA, /* a step of generalised-alpha */
  NOTE_START, /* the run starts from rates at the state as it is; modes may have been chosen */
  NOTE_STOP, /* at a jump of something prescribed, or an output: bodies released, modes decided, rates found anew */
  NOTE_GUARD,  /* a guard has fired at its located time */
  NOTE_SETTLE, /* guards that are negative have fired, at no time of their own */
  NOTE_SMOOTH, /* bdf has come to the state as it is, and has brought the changes of state along */
  NOTE_END     /* and starts anew here */
} note_kind;

/* What bdf integrates along with the state: n changes of state. */
typedef struct bdf_follower {
  int n;
  const double *scale; /* [n] by which a change is multiplied to be measured as a state */
  /* The change j, [ny]: read where the integration starts, written where the run has come to. */
  double *(*change)(void *data, int j);
  /* Its rate at a state. 0 if that fails. */
  int (*along)(void *data, int j, double t, const double *y, double *dy, double *dy_t);
} bdf_follower;

typedef struct alpha_note {
  alpha_weights weights;     /* of the step */
  const double *a, *f, *z_t; /* at its end */
} alpha_note;

typedef struct step_note {
  note_kind kind;
  double t, h;   /* NOTE_RK: start and length; NOTE_ALPHA: time of the equations at the end, length */
  double from;   /* NOTE_ALPHA: start */
  double latest; /* NOTE_RK: nothing is evaluated later */
  const rk_table *table;
  int contact, guard; /* NOTE_GUARD, all that are negative if -1 */
  int pinned;         /* what changes does so because something prescribed jumps */
  int restarts;       /* an implicit method finds rates anew */
  const alpha_note *alpha;
} step_note;

/* Tells it, if anybody follows. */
cps_status cps_note(cps_simulation *sim, const step_note *note, cps_error *err);

#endif
