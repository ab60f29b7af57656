/* checkpoint.h - the state of a run as bytes, from which it goes on to the same bits.
 *
 * Each owner of state describes it once, in a function that names every array of it; the same function serves
 * to save and to restore:
 *
 *   static void list(checkpoint *c, void *owner) {
 *     run *r = owner;
 *     CHECKPOINT_VALUE(c, "rk4.index", r->index);
 *     cps_checkpoint_array(c, "rk4.sum", r->sum, n);
 *   }
 *
 * What belongs to the simulation is listed in checkpoint.c; what belongs to a stepper, by its row (steppers.h). To add state of your own kind (cables, drums, drives), add
 * a line per array to list_simulation in checkpoint.c, or to the list of the solver that holds it. Everything that
 * a later step reads must be in a list: values, lengths of steps, counters, warm starts of iterations. What cannot be
 * listed, such as the history within another library or the pivots of a matrix, has to be forgotten at every
 * instant at which checkpoints are possible, whether one is taken or not: those instants depend on the simulation
 * alone, so that a run that was interrupted and one that was not do the same.
 */
#ifndef CPS_CHECKPOINT_H
#define CPS_CHECKPOINT_H

#include "internal.h"

/* Bytes that are being saved or restored. */
typedef struct checkpoint checkpoint;
typedef void (*checkpoint_list)(checkpoint *c, void *owner);

/* Saves `size` bytes under a name, or puts them back. Names may repeat, in the same order. */
void cps_checkpoint_item(checkpoint *c, const char *name, void *at, size_t size);
void cps_checkpoint_array(checkpoint *c, const char *name, double *at, int n);
#define CHECKPOINT_VALUE(c, name, value) cps_checkpoint_item(c, name, &(value), sizeof(value))

/* One member of each of n structs that are `stride` bytes apart. A struct is listed by its members, so that its padding
 * is not written and its constants stay those of the model. */
void cps_checkpoint_members(checkpoint *c, const char *name, void *first, size_t size, size_t stride,
                            size_t n);
#define CHECKPOINT_MEMBER(c, name, array, n, member)                                                         \
  cps_checkpoint_members(c, name, &(array)->member, sizeof((array)->member), sizeof *(array), n)

/* What must be true of the item just listed for the model to go on from it: indices within their arrays, lengths of
 * steps that are positive. A checkpoint may come from anywhere. */
void cps_checkpoint_demand(checkpoint *c, int good, const char *name);
int cps_checkpoint_demands(const checkpoint *c); /* 0: nothing is looked at, as nothing comes from outside */
/* Whether bytes only leave this memory to come back to it: then structs are copied as a whole, in one piece. */
int cps_checkpoint_comes_back(const checkpoint *c);
int cps_checkpoint_finite(const double *x, size_t n);

/* The modes of all contacts [nc], which must be modes of their laws. */
void cps_checkpoint_modes(checkpoint *c, const char *name, const cps_system *s, int *mode);

/* Puts what was restored of the stepper's state into its workspace. */
cps_status cps_checkpoint_resume(cps_simulation *sim, cps_error *err);

/* The state of a simulation whose stepper has been made, as one block of memory: its size; into it; out of it; and the name of
 * the first item that differs, NULL if none does. */
size_t cps_state_size(cps_simulation *sim);
void cps_state_write(cps_simulation *sim, void *block);
/* Makes a block of the same size, of a scenario with other values, one of this simulation. */
void cps_state_label(cps_simulation *sim, void *block);
/* strange: it may come from anywhere, and what it holds is demanded to be possible; half of it is taken over if it is not. */
cps_status cps_state_read(cps_simulation *sim, const void *block, int strange, cps_error *err);
/* The state for one who goes aside and comes back, with all that the last evaluation has left at contacts: it could not be had again, as
 * an evaluation at the same state lets no time pass. Its items stay where they are for as long as the stepper lives, so they are listed
 * once, and what lies side by side is copied in one piece. */
typedef struct states_aside states_aside;
states_aside *cps_aside_new(cps_simulation *sim, int states); /* with room for so many; NULL: out of memory */
void cps_aside_free(states_aside *a);
void cps_aside_take(states_aside *a, int state);
void cps_aside_put(const states_aside *a, int state);
/* Where the items of the state are, in the simulation and in its block: the number of them, of which the first `room` are put
 * into pieces. Members of an array of structs are `stride` bytes apart in the simulation, and one after the other in the block. */
typedef struct state_piece {
  const char *name;
  unsigned char *at;
  size_t size, stride, n;
  size_t offset; /* in the block */
} state_piece;
cps_role cps_state_role(const char *name);
int cps_state_pieces(cps_simulation *sim, state_piece *pieces, int room);
const char *cps_state_compare(cps_simulation *sim, const void *block);

/* Whether `every` steps have been made since the last instant. */
int cps_checkpoint_due(const cps_simulation *sim, long every);

/* Calls the functions that save checkpoints. Stops the run if one fails. */
cps_status cps_checkpoint_offer(cps_simulation *sim, cps_error *err);

/* Steps between instants, for solvers that forget nothing of value there. */
enum { CHECKPOINT_STEPS = 32 };

#endif
