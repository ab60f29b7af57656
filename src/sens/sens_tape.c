/* sens_tape.c - operations of a run, kept to be gone through backwards. */
#include "sens_tape.h"

#include <stdlib.h>
#include <string.h>

/* A copy of n things; NULL stays NULL. *good becomes 0 if out of memory. */
static void *keep(tape *t, const void *from, size_t n, size_t size, int *good) {
  if (!from) return NULL;
  void *to = malloc(n > 0 ? n * size : 1);
  if (to)
    memcpy(to, from, n * size);
  else
    *good = 0;
  t->bytes += n * size;
  return to;
}

/* All arrays of an operation. */
enum { ARRAYS = 10 };
static void list(op *o, void **at[ARRAYS]) {
  void **all[ARRAYS] = {(void **)&o->y,
                        (void **)&o->y1,
                        (void **)&o->mode,
                        (void **)&o->mode1,
                        (void **)&o->event_contact,
                        (void **)&o->event_index,
                        (void **)&o->a,
                        (void **)&o->f,
                        (void **)&o->z_t,
                        (void **)&o->before};
  memcpy(at, all, sizeof all);
}

int cps_tape_add(tape *t, const cps_system *s, const op *o) {
  if (t->n == t->room) {
    long room = t->room > 0 ? 2 * t->room : 256;
    op *more = realloc(t->ops, (size_t)room * sizeof *more);
    if (!more) return 0;
    t->ops = more;
    t->room = room;
  }
  op *to = &t->ops[t->n];
  *to = *o;
  size_t d = sizeof(double), i = sizeof(int), ny = (size_t)s->ny, nc = (size_t)s->nc,
         events = (size_t)o->n_events;
  size_t count[ARRAYS] = {ny, ny, nc, nc, events, events, (size_t)s->nx, nc, (size_t)s->nz, nc};
  size_t size[ARRAYS] = {d, d, i, i, i, sizeof(long), d, d, d, d};
  void **at[ARRAYS];
  int good = 1;
  list(to, at);
  t->bytes += sizeof *o;
  for (int k = 0; k < ARRAYS; k++) *at[k] = keep(t, *at[k], count[k], size[k], &good);
  t->n++;
  return good;
}

void cps_tape_clear(tape *t) {
  for (long n = 0; n < t->n; n++) {
    void **at[ARRAYS];
    list(&t->ops[n], at);
    for (int k = 0; k < ARRAYS; k++) free(*at[k]);
  }
  t->n = 0;
  t->bytes = 0;
}

void cps_tape_free(tape *t) {
  cps_tape_clear(t);
  free(t->ops);
  memset(t, 0, sizeof *t);
}
