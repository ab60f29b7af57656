/* sens_bodies.h - operations of runs of bodies (sens_tape.h): sens_notes.c makes them from what solvers tell (step_notes.h);
 * sens_steps.c, sens_alpha.c and sens_jumps.c apply them to changes of state, and their transposes to weights. */
#ifndef CPS_SENS_BODIES_H
#define CPS_SENS_BODIES_H

#include "sens_linear.h"
#include "sens_tape.h"
#include "step_notes.h"

/* Which bodies are free. */
typedef struct hold {
  workspace k; /* inverse_mass, w_ii, held, and f as a first guess of forces */
  struct hold *next;
} hold;

/* What generalised-alpha carries along behind the state y of every change: offsets. */
typedef struct alpha_layout {
  int a, f, z_t, aux_a, aux_z, count;
} alpha_layout;

typedef enum timing { AT_GUARD, AT_BREAK, AT_NO_TIME } timing;

static inline size_t bytes(int n) { return (size_t)n * sizeof(double); }

enum { CHAIN = 8 };

/* An operation, from the state (t, y, mode, free) to the state (t1, y1, mode1, free1). */
typedef struct body_op {
  union {
    op as;
    struct {
      op_kind kind;
      long row;
    };
  };
  size_t at; /* on the tape, of its arrays */
  double t, t1, h, latest;
  double *y, *y1; /* [ny] */
  int *mode, *mode1;
  hold *free, *free1;
  const rk_table *table;
  /* switches */
  timing when;
  int contact, guard;  /* whose guard sets the time; -1: none */
  int shifts;          /* whether the time of the switch moves the state */
  int mapped, n_chain; /* whether the states of the contact go through transitions */
  int chain[CHAIN];    /* those guards, one after the other */
  int released;        /* bodies are set free */
  int n_events;        /* recorded events that happen at this time */
  int *event_contact;
  long *event_index;
  /* steps of generalised-alpha */
  alpha_note alpha;
  double *a, *f, *z_t; /* at the end */
  double *before;      /* [nc] contact forces at the start, */
  int carried; /* where forces are those of before a stretch, whose state may have been changed since */
} body_op;

typedef struct bodies {
  course c;
  pool pool; /* all arrays */
  const cps_system *s;
  int n_wrt, n; /* parameters; length of a change of state, with what the method carries along */
  int is_alpha, without_jumps;
  cps_status status;    /* of the row that was added last */
  change *change;       /* [n_wrt] */
  unsigned char *moves; /* [n_wrt] whether it moves the times of jumps */
  change time;
  linearised at;
  alpha_layout alpha;
  int *column_entry; /* [columns] -1: none */
  /* where the run is */
  double t, *y;
  int *mode;
  hold *free, *holds;
  int carried;         /* of the next step */
  double *now, *start; /* [nc] of generalised-alpha: contact forces here, and where its step started */
  long events;
  /* where the run was when it went aside for a row; changes of state there, or weights */
  unsigned char *place_aside;
  double *changes_aside;
  int open; /* a smooth part that bdf integrates has begun, at: */
  double open_t, *open_y;
  /* forward */
  bdf_follower along;
  double *s_y;    /* [n_wrt n] changes of state */
  double *scale;  /* [n_wrt] sizes of the parameters */
  double *energy; /* [n_wrt] of the initial energy */
  double *tau;    /* [nc n_wrt] of event times, by contact */
  /* adjoint */
  double *w;       /* [n_of n] weights of the state */
  double *w_event; /* [n_of events] weights of event times */
  long n_events;
  double *w_energy;  /* [n_of] of the initial energy */
  long event_offset; /* events before the part of the run that is being repeated */
  /* scratch */
  double *k;     /* [RK_STAGES ny] rates of stages */
  double *stage; /* [RK_STAGES ny] their points */
  double *dk;    /* [RK_STAGES max(n_wrt, n_of) ny] */
  double *dy, *dy_t, *f0, *f1, *x_t, *x, *columns;
  int *mode_next, *seen; /* [nc] */
  int *event_contact;
  long *event_index;
  char graze[4][CPS_NAME_ROOM]; /* contacts that have been warned of */
  int grazes, warned_rk4, warned_break, warned_taut;
  int *slack;    /* [springs] */
  long along_at; /* number of the last evaluation for bdf */
  double along_t;
} bodies;

/* Forward: apply to the changes of all parameters. Back: from weights after to weights before, for all outputs. 0 if
 * forces do not settle. */
int cps_rk_apply(bodies *b, const body_op *o);
int cps_rk_back(bodies *b, const body_op *o);
/* Weights w_t of rates at the point that is linearised become weights of the state, added to w, and gradients. */
int cps_rates_weigh(bodies *b, const double *w_t, double *w, double *grad);
int cps_alpha_apply(bodies *b, const body_op *o); /* and rates that are found anew */
int cps_alpha_back(bodies *b, const body_op *o);
int cps_switch_apply(bodies *b, const body_op *o);
int cps_switch_back(bodies *b, const body_op *o);
int cps_capture_apply(bodies *b, const body_op *o);
int cps_capture_back(bodies *b, const body_op *o);

/* bdf (sens_bdf.c): what it integrates along, forwards; a smooth part, backwards, with the rows within it. */
int cps_bdf_along(void *data, int j, double t, const double *y, double *dy, double *dy_t);
int cps_bdf_back(bodies *b, const body_op *o, const body_op *rows, long n);
int cps_row_back(bodies *b, const body_op *o);

/* What a solver tells, as operations (sens_notes.c). */
cps_status cps_bodies_note(bodies *b, const step_note *note);
/* Ends the smooth part that bdf is in, if any. */
cps_status cps_bodies_end_segment(bodies *b);
/* Which bodies are free in the simulation now; NULL if out of memory. */
hold *cps_bodies_hold(bodies *b);

alpha_layout cps_alpha_layout(const cps_system *s);

#endif
