/* sens_tape.c - tapes, and the driver of runs that are differentiated.
 *
 * IDA's history cannot be saved: pieces of its runs begin anywhere, and are reached by running from the last place where the run
 * was saved. */
#include "sens_tape.h"
#include "steppers.h"

#include <stdlib.h>
#include <string.h>

/* Where a piece of the run began: the simulation, and what the engine knew. */
typedef struct piece {
  void *bytes, *place;
  size_t size;
  long rows, n; /* rows before it; what happened in it */
  int from;     /* the piece whose start it is reached from: itself, if the run was saved here, */
  long skip;    /* and what happens on the way */
} piece;

cps_status cps_course_no_memory(course *c) {
  return cps_error_set(c->err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
}

/* ------------------------------------------------------------------ the tape */

op *cps_tape_add(tape *t, const op *o) {
  if (t->n == t->room) {
    long room = t->room > 0 ? 2 * t->room : 256;
    unsigned char *more = realloc(t->ops, (size_t)room * t->each);
    if (!more) return NULL;
    t->ops = more;
    t->room = room;
  }
  return memcpy(t->ops + (size_t)t->n++ * t->each, o, t->each);
}

void *cps_tape_keep(tape *t, size_t size, size_t *at) {
  size_t needed = t->size + (size + 7) / 8 * 8;
  if (needed > t->room_bytes) {
    size_t room = 2 * needed + 4096;
    unsigned char *more = realloc(t->bytes, room);
    if (!more) return NULL;
    t->bytes = more;
    t->room_bytes = room;
  }
  *at = t->size;
  t->size = needed;
  return t->bytes + *at;
}

static size_t bytes_of(const tape *t) { return t->size + (size_t)t->n * t->each; }

static size_t limit(const course *c, size_t otherwise) {
  return c->run->tape_most > 0 ? c->run->tape_most : otherwise;
}

cps_status cps_course_begin(course *c, const void *where) {
  c->tape.n = 0;
  c->tape.size = 0;
  return c->calls->begin ? c->calls->begin(c, where) : CPS_OK;
}

/* ------------------------------------------------------------------ pieces of a run */

/* A new piece begins: where the run is saved, or at its start. */
static piece *add_piece(course *c) {
  piece *more = realloc(c->pieces, ((size_t)c->n_pieces + 1) * sizeof *more);
  if (!more) return NULL;
  c->pieces = more;
  piece *x = &c->pieces[c->n_pieces++];
  *x = (piece){.rows = c->rows, .from = c->n_pieces - 1, .place = malloc(c->calls->place_size(c))};
  if (!x->place) return NULL;
  c->calls->save_place(c, x->place);
  return x;
}

/* A piece that begins here, and was not saved. */
static cps_status cut_tape(course *c, const void *where) {
  c->pieces[c->n_pieces - 1].n = c->tape.n;
  piece *x = add_piece(c);
  if (!x) return cps_course_no_memory(c);
  x->from = x[-1].from;
  x->skip = c->since;
  return cps_course_begin(c, where);
}

cps_status cps_course_happens(course *c, const op *o, const void *where) {
  long row = o->kind == OP_ROW ? c->rows++ : -1;
  if (!c->taping) return c->calls->forward(c, o, where);
  c->since++;
  if (c->skip > 0) return --c->skip > 0 ? CPS_OK : cps_course_begin(c, where);
  cps_status status = c->calls->keep(c, o, where);
  if (status != CPS_OK) return status;
  ((op *)(void *)(c->tape.ops + (size_t)(c->tape.n - 1) * c->tape.each))->row = row;
  c->stopped = c->most > 0 && c->tape.n == c->most;
  if (c->stopped) return CPS_FAILED;
  /* at the end of a step the tape may be cut; not while the machine is aside */
  int may = o->kind == OP_BDF && c->most == 0 && !c->run->stretch;
  return may && bytes_of(&c->tape) >= limit(c, c->calls->utmost) ? cut_tape(c, where) : CPS_OK;
}

/* At an instant at which the run can be saved. */
static int on_checkpoint(cps_simulation *sim, void *data) {
  course *c = data;
  cps_status status = c->calls->instant ? c->calls->instant(c) : CPS_OK;
  c->lost = status;
  if (status != CPS_OK || c->most > 0) return status != CPS_OK;
  if (bytes_of(&c->tape) < limit(c, c->calls->most) && c->pieces[c->n_pieces - 1].skip == 0) return 0;
  c->pieces[c->n_pieces - 1].n = c->tape.n;
  piece *x = add_piece(c);
  c->since = 0;
  status = x ? cps_simulation_save(sim, &x->bytes, &x->size, c->err) : cps_course_no_memory(c);
  if (status == CPS_OK) status = cps_course_begin(c, NULL);
  c->lost = status;
  return status != CPS_OK;
}

/* ------------------------------------------------------------------ following */

static cps_status on_row(cps_simulation *sim, void *data, cps_error *err) {
  course *c = data;
  (void)sim, (void)err;
  return c->calls->row(c);
}

static cps_status on_step(cps_simulation *sim, const void *what, void *data, cps_error *err) {
  course *c = data;
  (void)sim, (void)err;
  return c->calls->note(c, what);
}

static cps_status on_aside(cps_simulation *sim, int begins, void *data, cps_error *err) {
  course *c = data;
  (void)sim, (void)err;
  return c->calls->aside(c, begins);
}

static const struct bdf_follower *along(course *c) {
  return c->calls->along && !c->taping ? c->calls->along(c) : NULL;
}

static void follow(course *c, cps_simulation *sim) {
  c->sim = sim;
  sim->follow = (follower){.data = c, .row = on_row, .step = on_step, .aside = on_aside, .bdf = along(c)};
}

static cps_status run_followed(course *c, cps_simulation *sim) {
  sens_run *run = c->run;
  int again = sim != run->sim;
  follow(c, sim);
  c->stopped = 0;
  c->since = 0;
  if (c->taping) cps_simulation_on_checkpoint(sim, on_checkpoint, c);
  cps_status status = cps_simulation_run(sim, again ? NULL : run->progress, run->progress_data, c->err);
  if (c->taping) cps_simulation_on_checkpoint(sim, NULL, NULL);
  sim->follow = (follower){.data = NULL};
  if (c->lost != CPS_OK) return c->lost;
  return c->stopped ? CPS_OK : status;
}

/* From the state in the simulation to the end of the stretch, and a row there. */
static cps_status follow_stretch(course *c) {
  cps_simulation *sim = c->run->sim;
  if (along(c)) cps_driver_free(sim); /* bdf is made with what it integrates along */
  sim->follow = (follower){.data = c, .bdf = along(c)};
  cps_status status = cps_simulation_state_set(sim, c->run->stretch->begin, c->err);
  if (status == CPS_OK) status = c->calls->stretch(c);
  follow(c, sim);
  if (status == CPS_OK) status = cps_simulation_step(sim, c->run->stretch->until, 0, NULL, c->err);
  if (status == CPS_OK && c->calls->instant) status = c->calls->instant(c);
  if (status == CPS_OK) status = c->calls->row(c);
  sim->follow = (follower){.data = NULL};
  if (along(c)) cps_driver_free(sim);
  return status;
}

/* Puts a piece of the run onto the tape again. */
static cps_status repeat(course *c, int i) {
  cps_simulation *first = c->run->sim, *sim = cps_simulation_new(first->system, c->err);
  const piece *x = &c->pieces[i], *from = &c->pieces[x->from];
  if (!sim) return CPS_NO_MEMORY;
  if (first->row_times) cps_simulation_rows_at(sim, first->row_times, first->n_row_times, first->rows_only);
  sim->event_rows = first->event_rows;
  sim->longest_step = first->longest_step;
  c->sim = sim;
  c->rows = from->rows;
  c->most = x->n;
  c->skip = x->skip;
  cps_status status = CPS_OK;
  if (x->from > 0) status = cps_simulation_restore(sim, from->bytes, from->size, NULL, c->err);
  c->calls->restore_place(c, from->place);
  if (status == CPS_OK && i == 0) status = c->calls->start(c);
  if (status == CPS_OK && i > 0 && x->skip == 0) status = cps_course_begin(c, NULL);
  if (status == CPS_OK) status = run_followed(c, sim);
  cps_simulation_free(sim);
  c->sim = first;
  return status;
}

/* ------------------------------------------------------------------ life */

static void drop(course *c) {
  if (!c) return;
  c->calls->free(c);
  for (int i = 0; i < c->n_pieces; i++) {
    free(c->pieces[i].bytes);
    free(c->pieces[i].place);
  }
  free(c->pieces);
  free(c->tape.ops);
  free(c->tape.bytes);
  free(c->seeds);
  free(c->gradient);
  free(c);
}

static course *make(const course_calls *calls, sens_run *run, int taping, cps_status *status,
                    cps_error *err) {
  course *c = calloc(1, calls->size);
  size_t outputs = (size_t)run->n_of;
  if (c) {
    *c = (course){.calls = calls, .run = run, .err = err, .sim = run->sim, .taping = taping};
    c->tape.each = calls->op_size;
    c->seeds = calloc(outputs + 1, sizeof *c->seeds);
    c->gradient = calloc(outputs * (size_t)run->n_wrt + 1, sizeof *c->gradient);
  }
  if (!c || !c->seeds || !c->gradient) {
    if (c) free(c->seeds), free(c->gradient);
    free(c);
    *status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
    return NULL;
  }
  *status = calls->make(c);
  return c;
}

cps_status cps_course_forward(const course_calls *calls, sens_run *run, cps_error *err) {
  cps_status status;
  course *c = make(calls, run, 0, &status, err);
  if (status == CPS_OK && run->stretch) {
    status = follow_stretch(c);
    calls->end_stretch(c);
  } else if (status == CPS_OK) {
    status = calls->start(c);
    if (status == CPS_OK) status = run_followed(c, run->sim);
  }
  drop(c);
  return status;
}

/* ------------------------------------------------------------------ adjoint */

static cps_status find_seeds(course *c) {
  for (int i = 0; i < c->run->n_of; i++) {
    seed *x = &c->seeds[i];
    x->weights = cps_sens_weights(c->run, i, &x->left, &x->event, c->err);
    if (!x->weights) return CPS_NO_MEMORY;
  }
  return c->calls->weigh(c);
}

const sens_weight *cps_course_weight(course *c, int of, long row) {
  seed *x = &c->seeds[of];
  while (x->left > 0 && x->weights[x->left - 1].row > row) x->left--;
  return x->left > 0 && x->weights[x->left - 1].row == row ? &x->weights[--x->left] : NULL;
}

static cps_status adjoint_run(course *c) {
  cps_status status = add_piece(c) ? c->calls->start(c) : cps_course_no_memory(c);
  if (status == CPS_OK) status = run_followed(c, c->run->sim);
  if (status == CPS_OK) status = find_seeds(c);
  for (int i = c->n_pieces - 1, last = i; i >= 0 && status == CPS_OK; i--) {
    if (i < last && c->pieces[i].n == 0) continue;
    if (i < last) status = repeat(c, i);
    if (status == CPS_OK) status = c->calls->backward(c);
  }
  return status;
}

cps_status cps_course_adjoint(const course_calls *calls, sens_run *run, cps_error *err) {
  cps_status status;
  course *c = make(calls, run, 1, &status, err);
  if (status == CPS_OK && run->stretch) {
    status = follow_stretch(c);
    if (status == CPS_OK) status = find_seeds(c);
    if (status == CPS_OK) status = calls->backward(c);
    calls->end_stretch(c);
  } else if (status == CPS_OK) {
    status = adjoint_run(c);
  }
  if (status == CPS_OK) calls->finish(c);
  for (int i = 0; i < run->n_of && status == CPS_OK; i++)
    for (int j = 0; j < run->n_wrt; j++) cps_sens_add(run, i, j, c->gradient[i * run->n_wrt + j]);
  drop(c);
  return status;
}
