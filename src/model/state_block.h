/* state_block.h - a state as one block of numbers, with a table of its parts: see state_block.c. */
#ifndef CPS_STATE_BLOCK_H
#define CPS_STATE_BLOCK_H

#include <stddef.h>

struct checkpoint;

/* A part of it: where it lies now, and as it was kept. Whoever owns the pointers finds it there. */
typedef struct state_part {
  const char *name;     /* NULL: whoever owns it lists it */
  double **now, **kept; /* kept may be NULL */
  size_t at, n;
} state_part;

typedef struct state_block {
  double *now, *kept;
  size_t n;
  state_part *part;
  int n_parts, room;
  int no_memory;
} state_block;

/* Adds a part of n numbers. */
void cps_block_part(state_block *b, const char *name, double **now, double **kept, size_t n);
/* Makes room for all parts, which are zero, and lets their pointers point there; 0 if out of memory. */
int cps_block_make(state_block *b);
void cps_block_free(state_block *b);

/* Keeps all of it, or brings back what was kept. */
void cps_block_keep(state_block *b);
void cps_block_bring_back(state_block *b);

/* Its parts, for checkpoints. */
void cps_block_list(struct checkpoint *c, const state_block *b);

#endif
