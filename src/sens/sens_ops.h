/* sens_ops.h - what happens to the state of a machine, one thing after another, and its tangents and adjoints. See
 * sens_ops.c. */
#ifndef CPS_SENS_OPS_H
#define CPS_SENS_OPS_H

#include "sens_chain.h"
#include "sens_tape.h"

typedef struct machine_op {
  union {
    op as;
    struct {
      op_kind kind;
      long row;
    };
  };
  int balanced; /* OP_BEGIN: such accelerations were found */
  int stays;    /* OP_BEGIN: they were as they are, but have to balance what has changed beside cables */
  int moved;    /* what is prescribed may have moved */
  double h;
  step_coeffs coeffs;
  double past[BDF_POINTS], part; /* of bdf: see cable_note */
  int columns;                   /* OP_ROW: how many results */
  size_t state, before;          /* on the tape, of the machine after and before it, */
  size_t d, d0;                  /* and tangents of what is prescribed */
} machine_op;

/* To be called at the state before OP_RELEASE. */
void cps_op_look_held(model *o);
/* OP_GUARD (sens_fire.c): modes after it, as a machine has them; then to be called at the state before it, and at that after it. */
void cps_fire_modes(model *o, const machine *m);
void cps_fire_look(model *o, const machine_op *what, int works);
void cps_fire_end(model *o, const machine_op *what, int works);
/* Linearises `what` at the state that is in the machine; for a step, the state before must have been looked at
 * (cps_model_look). works: 0 none, 1 those of contacts, 2 all. 0 if a matrix is singular. */
int cps_op_linearise(model *o, const machine_op *what, int works);
/* The tangents z, with the state in `before`, which becomes that after it; initial: tangents of the first state. Transposed, the
 * adjoints z, whose state becomes that before it; those of what is prescribed are left in d and d0, and initial gets those of
 * the first state. Of a row, the results are columns by the list `list`. */
void cps_op_map(const model *o, const machine_op *what, int transposed, lanes *initial, lanes *z);

#endif
