/* state_block.c - a state as one block of numbers. A table says of each part its name, where it starts and how many numbers it has; keeping a
 * state before a step, bringing it back and listing it for checkpoints are written once. What a part is - a place, a velocity, work - follows
 * from its name (state_items.c).
 *
 * Parts start at lines of the cache, as kernels read them in vectors.
 */
#include "state_block.h"

#include "aligned.h"
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 8 }; /* numbers in a line of the cache */

void cps_block_part(state_block *b, const char *name, double **now, double **kept, size_t n) {
  if (b->n_parts == b->room && !b->no_memory) {
    int room = 2 * b->room + 16;
    state_part *more = realloc(b->part, (size_t)room * sizeof *more);
    b->no_memory = !more;
    if (more) {
      b->part = more;
      b->room = room;
    }
  }
  if (b->no_memory) return;
  b->part[b->n_parts++] = (state_part){name, now, kept, b->n, n};
  b->n += (n + LINE - 1) / LINE * LINE;
}

int cps_block_make(state_block *b) {
  int keeps = 0;
  for (int i = 0; i < b->n_parts; i++) keeps |= b->part[i].kept != NULL;
  b->now = b->no_memory ? NULL : cps_lines_new((keeps ? 2 : 1) * b->n, sizeof(double));
  if (!b->now) return 0;
  b->kept = keeps ? b->now + b->n : NULL;
  for (int i = 0; i < b->n_parts; i++) {
    const state_part *p = &b->part[i];
    *p->now = b->now + p->at;
    if (p->kept) *p->kept = b->kept + p->at;
  }
  return 1;
}

void cps_block_free(state_block *b) {
  cps_lines_free(b->now);
  free(b->part);
  memset(b, 0, sizeof *b);
}

void cps_block_keep(state_block *b) { memcpy(b->kept, b->now, b->n * sizeof(double)); }

void cps_block_bring_back(state_block *b) { memcpy(b->now, b->kept, b->n * sizeof(double)); }

void cps_block_list(checkpoint *c, const state_block *b) {
  for (int i = 0; i < b->n_parts; i++)
    if (b->part[i].name)
      cps_checkpoint_item(c, b->part[i].name, *b->part[i].now, b->part[i].n * sizeof(double));
}
