/* sens_ops.h - what happens to the state of a machine, one thing after another, and its tangents and adjoints. See
 * sens_ops.c. */
#ifndef CPS_SENS_OPS_H
#define CPS_SENS_OPS_H

#include "sens_chain.h"

typedef enum op_kind {
  OP_REST,     /* statics: velocities and accelerations become zero */
  OP_LET_GO,   /* friction forces become zero */
  OP_HOLD,     /* springs hold the contact points where they are */
  OP_SOLVE,    /* a step from rest */
  OP_REMEMBER, /* laws with memory take over their friction forces */
  OP_START,    /* velocities as at the start */
  OP_RELEASE,  /* bodies that were held get velocities of their own */
  OP_INITIAL,  /* the energy that is stored now is the initial one */
  OP_BEGIN,    /* accelerations that balance, at first and after a jump */
  OP_STEP,     /* a step of generalised-alpha */
  OP_ROW,      /* a row is recorded */
  OP_ASIDE,    /* the run goes aside for a row, */
  OP_RETURN,   /* and is back where it was */
  OP_BDF,      /* a step of bdf, to its end, */
  OP_REACH,    /* or one that only looks there: it passes rows, */
  OP_BETWEEN   /* and the state in between that a row is about */
} op_kind;

typedef struct op {
  op_kind kind;
  int balanced; /* OP_BEGIN: such accelerations were found */
  double h;
  step_coeffs coeffs;
  double past[BDF_POINTS], part; /* of bdf: see cable_note */
  int columns;                   /* OP_ROW: how many results */
} op;

/* To be called at the state before OP_RELEASE. */
void cps_op_look_held(model *o);
/* Linearises `what` at the state that is in the machine; for a step, the state before must have been looked at
 * (cps_model_look). works: 0 none, 1 those of contacts, 2 all. 0 if a matrix is singular. */
int cps_op_linearise(model *o, const op *what, int works);
/* The tangents z, with the state in `before`, which becomes that after it; initial: tangents of the first state. Transposed, the
 * adjoints z, whose state becomes that before it; those of what is prescribed are left in d and d0, and initial gets those of
 * the first state. Of a row, the results are columns by the list `list`. */
void cps_op_map(const model *o, const op *what, int transposed, lanes *initial, lanes *z);

#endif
