/* sens_tape.h - runs as sequences of operations that can be differentiated, and the one driver of all that are: sens_tape.c.
 *
 * An engine (sens_bodies.c, sens_cables.c) makes operations from what solvers tell. Forward, each is applied to changes of the
 * state as soon as it is made. For the adjoint they go to a tape and are transposed from the last to the first. Memory is
 * bounded: a tape that has become long is given up where the run can be saved, and begins anew; at the end the last piece of the run
 * is on the tape, and the others are run once more, from the last to the first, each from where it was saved. */
#ifndef CPS_SENS_TAPE_H
#define CPS_SENS_TAPE_H

#include "sens.h"

typedef enum op_kind {
  OP_ROW,     /* a row is recorded */
  OP_ASIDE,   /* the run goes aside for a row, */
  OP_RETURN,  /* and is back where it was */
  OP_INITIAL, /* the energy that is stored now is the initial one */
  /* of bodies */
  OP_RK,      /* an explicit step */
  OP_ALPHA,   /* a step of generalised-alpha */
  OP_RATES,   /* rates are found anew */
  OP_SWITCH,  /* a jump: of modes, of states of laws, of what is prescribed */
  OP_CAPTURE, /* contacts that are found at rest */
  OP_SEGMENT, /* a smooth part that bdf has integrated */
  /* of machines */
  OP_REST,     /* statics: velocities and accelerations become zero */
  OP_LET_GO,   /* friction forces become zero */
  OP_HOLD,     /* springs hold the contact points where they are */
  OP_SOLVE,    /* a step from rest */
  OP_REMEMBER, /* laws with memory take over their friction forces */
  OP_START,    /* velocities as at the start */
  OP_RELEASE,  /* bodies that were held get velocities of their own */
  OP_GUARD,    /* guards of laws between bodies have fired: sens_fire.c */
  OP_BEGIN,    /* accelerations that balance, at first and after a jump */
  OP_SHIFT,    /* all happens later, or no longer does so: sens_break.c; */
  OP_BALANCE,  /* with accelerations and forces that follow */
  OP_STEP,     /* a step of generalised-alpha */
  OP_BDF,      /* a step of bdf; */
  OP_REACH,    /* aside: one that only looks at its end, */
  OP_BETWEEN   /* and the state in between that a row is about */
} op_kind;

/* What every operation begins with. */
typedef struct op {
  op_kind kind;
  long row; /* OP_ROW: which */
} op;

/* Operations, each of `each` bytes, and what they keep: places in `bytes`. */
typedef struct tape {
  unsigned char *ops, *bytes;
  size_t each, size, room_bytes;
  long n, room;
} tape;

/* A copy of an operation, to which others may then be added; NULL if out of memory. */
op *cps_tape_add(tape *t, const op *o);
/* Room for what it keeps, NULL if out of memory; it is at *at from the start of `bytes`. */
void *cps_tape_keep(tape *t, size_t size, size_t *at);

/* An output's weights, and how many have not been used, from the last on. */
typedef struct seed {
  const sens_weight *weights;
  long left, event; /* the event whose time it is; -1: none */
} seed;

/* A run that is differentiated. What an engine knows of it begins with this. */
typedef struct course {
  const struct course_calls *calls;
  sens_run *run;
  cps_error *err;
  cps_simulation *sim; /* that is being run: the first, or one that repeats a piece of it */
  int taping;
  tape tape;
  struct piece *pieces;
  int n_pieces;
  long rows;        /* so far */
  long most;        /* what may happen before the run is stopped; 0: no end */
  long since, skip; /* what has happened since the run was saved; what is not to be put onto the tape */
  int stopped;
  cps_status lost;  /* why the run could not be saved */
  seed *seeds;      /* [n_of] */
  double *gradient; /* [n_of][n_wrt] */
} course;

typedef struct course_calls {
  size_t size, op_size; /* of what begins with a course, and of its operations */
  size_t most, utmost;  /* bytes of a tape: where the run can be saved, and anywhere else */
  cps_status (*make)(course *c);
  void (*free)(course *c);
  /* What happens before the run, with tangents of the first state; and the stretch: its states come in, or go out. */
  cps_status (*start)(course *c);
  cps_status (*stretch)(course *c);
  void (*end_stretch)(course *c);
  /* A tape begins; `where` is what cps_course_happens was told. */
  cps_status (*begin)(course *c, const void *where);
  /* What a solver tells, a row, and the way aside and back: engines call cps_course_happens. */
  cps_status (*note)(course *c, const void *what);
  cps_status (*row)(course *c);
  cps_status (*aside)(course *c, int begins);
  /* Something happens: forward it is applied, or put onto the tape. */
  cps_status (*forward)(course *c, const op *o, const void *where);
  cps_status (*keep)(course *c, const op *o, const void *where);
  /* All that is on the tape, transposed; and what is left when the run is at its start. */
  cps_status (*backward)(course *c);
  void (*finish)(course *c);
  /* Once weights of outputs are known. */
  cps_status (*weigh)(course *c);
  /* Where the run is, as far as the simulation does not know it. */
  size_t (*place_size)(const course *c);
  void (*save_place)(const course *c, void *place);
  void (*restore_place)(course *c, const void *place);
  cps_status (*instant)(course *c);               /* the run could be saved here; NULL: nothing to be done */
  const struct bdf_follower *(*along)(course *c); /* what bdf integrates along; NULL: nothing */
} course_calls;

cps_status cps_course_forward(const course_calls *calls, sens_run *run, cps_error *err);
cps_status cps_course_adjoint(const course_calls *calls, sens_run *run, cps_error *err);
cps_status cps_course_happens(course *c, const op *o, const void *where);
cps_status cps_course_begin(course *c, const void *where);
cps_status cps_course_no_memory(course *c);
/* The next weight of an output at a row, from the last on; NULL if there is none, or no more. */
const sens_weight *cps_course_weight(course *c, int of, long row);

#endif
