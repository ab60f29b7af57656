/* sens_bodies.c - the engine that differentiates runs without cables.
 *
 * Forward: every operation of the run (sens_notes.c) is applied to the changes of state by all parameters as soon as the
 * solver has made it. Adjoint: operations go to a tape and are transposed from the last to the first. A tape that
 * grows too long is given up; the run is then repeated in parts, from its checkpoints, the last part first: memory stays
 * bounded, for one more simulation.
 */
#include "checkpoint.h"
#include "sens_tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tape may grow to this size; checkpoints are kept at most this many, evenly spread. */
static const size_t TAPE_MOST = (size_t)64 << 20;
enum { CHECKPOINTS = 128 };

/* A place from which the run can be repeated. */
typedef struct place_in_run {
  void *bytes;
  size_t size;
  double t, *y, *now;
  int *mode;
  hold *free;
  long rows, events, instant;
} place_in_run;

typedef struct adjoint_run {
  bodies *b;
  place_in_run at[CHECKPOINTS];
  int n;
  long instants, stride;
  long until; /* the instant at which a repeated part ends; -1: with the run */
  int repeats, given_up, no_memory;
} adjoint_run;

/* ------------------------------------------------------------------ making */

static void *many(long n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

/* All arrays of doubles of the engine. */
typedef struct array {
  double **at;
  long n;
} array;

enum { ARRAYS = 24 };
static void list(bodies *b, array *a) {
  const cps_system *s = b->s;
  long ny = s->ny, n = b->n, wrt = b->n_wrt, of = b->run->n_of, most = wrt > of ? wrt : of, nc = s->nc;
  long entries = b->at.l.count, columns = b->sim->result.n_columns;
  const array all[ARRAYS] = {{&b->y, ny},
                             {&b->open_y, ny},
                             {&b->scale, wrt},
                             {&b->s_y, wrt * n},
                             {&b->energy, wrt},
                             {&b->tau, nc * wrt},
                             {&b->w, of * n},
                             {&b->grad, of * wrt},
                             {&b->w_energy, of},
                             {&b->k, RK_STAGES * ny},
                             {&b->stage, RK_STAGES * ny},
                             {&b->dk, RK_STAGES * most * ny},
                             {&b->dy, n},
                             {&b->dy_t, n},
                             {&b->f0, n},
                             {&b->f1, n},
                             {&b->x_t, entries},
                             {&b->x, wrt},
                             {&b->columns, columns * wrt},
                             {&b->now, nc},
                             {&b->start, nc},
                             {&b->y_aside, ny},
                             {&b->now_aside, nc},
                             {&b->changes_aside, most * n}};
  memcpy(a, all, sizeof all);
}

/* Numbers each entry and lets the simulation fill a row with the numbers: which entry each column shows. */
static int map_columns(bodies *b) {
  const spot_layout *l = &b->at.l;
  double *id = many(l->count, sizeof(double)), *row = many(b->sim->result.n_columns, sizeof(double));
  b->column_entry = many(b->sim->result.n_columns, sizeof(int));
  if (id && row && b->column_entry) {
    for (int i = 0; i < l->count; i++) id[i] = i + 2; /* 0 and 1 are what depends on nothing */
    cps_simulation like = *b->sim;
    like.t = 0;
    like.y = id + l->y;
    like.work.spring = id + l->spring;
    like.work.v = id + l->v;
    like.work.f = id + l->f;
    like.work.n = id + l->n;
    like.work.f_eq = id + l->f_eq;
    const double *e = id + l->energy;
    cps_energy energy = {.kinetic = e[ENERGY_KINETIC],
                         .elastic = e[ENERGY_ELASTIC],
                         .gravity = e[ENERGY_GRAVITY],
                         .friction = e[ENERGY_FRICTION],
                         .damping = e[ENERGY_DAMPING],
                         .load_work = e[ENERGY_LOADS],
                         .motion_work = e[ENERGY_MOTION],
                         .error = e[ENERGY_ERROR]};
    cps_simulation_columns(&like, &energy, row);
    for (int i = 0; i < b->sim->result.n_columns; i++)
      b->column_entry[i] = row[i] >= 2 ? (int)row[i] - 2 : -1;
  }
  int good = id && row && b->column_entry;
  free(id);
  free(row);
  return good;
}

static void unmake(bodies *b) {
  array a[ARRAYS] = {{NULL, 0}};
  list(b, a);
  for (int i = 0; i < ARRAYS && a[i].at; i++) free(*a[i].at);
  for (int j = 0; b->change && j < b->n_wrt; j++) cps_change_free(&b->change[j]);
  cps_change_free(&b->time);
  free(b->change);
  if (b->at.s) cps_spot_free(&b->at);
  void *all[] = {b->moves, b->slack,         b->column_entry, b->mode,    b->mode_next,      b->mode_aside,
                 b->seen,  b->event_contact, b->event_index,  b->w_event, (void *)b->weight, b->n_weight};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  while (b->holds) {
    hold *next = b->holds->next;
    cps_workspace_free(&b->holds->k);
    free(b->holds);
    b->holds = next;
  }
  cps_tape_free(&b->tape);
  if (b->sim) b->sim->follow = (follower){0};
}

static cps_status make(bodies *b, sens_run *run, cps_error *err) {
  const cps_system *s = run->sim->system;
  *b = (bodies){.run = run, .s = s, .sim = run->sim, .n_wrt = run->n_wrt};
  b->is_alpha = strcmp(s->scenario->run.solver, "alpha") == 0;
  b->without_jumps = run->without_jumps;
  b->alpha = cps_alpha_layout(s);
  b->n = b->is_alpha ? b->alpha.count : s->ny;
  b->change = many(run->n_wrt, sizeof *b->change);
  b->moves = many(run->n_wrt, 1);
  if (!b->change || !b->moves)
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  cps_status status = cps_change_make_time(&b->time, s, err);
  for (int j = 0; j < b->n_wrt && status == CPS_OK; j++)
    status = cps_change_make(&b->change[j], s, &run->wrt[j], err);
  for (int j = 0; j < b->n_wrt && status == CPS_OK; j++)
    b->moves[j] = cps_sens_breaks_move(run->scenario, run->wrt[j].shadow[SENS_SHADOWS - 1]) != 0;
  if (status == CPS_OK) status = cps_spot_make(&b->at, s, b->change, b->n_wrt, err);
  if (status != CPS_OK) return status;
  array a[ARRAYS] = {{NULL, 0}};
  list(b, a);
  int good = 1;
  for (int i = 0; i < ARRAYS && a[i].at; i++) good = (*a[i].at = many(a[i].n, sizeof(double))) && good;
  b->mode = many(s->nc, sizeof(int));
  b->mode_next = many(s->nc, sizeof(int));
  b->mode_aside = many(s->nc, sizeof(int));
  b->seen = many(s->nc, sizeof(int));
  b->slack = many(s->scenario->n_springs, sizeof(int));
  b->event_contact = many(s->nc, sizeof(int));
  b->event_index = many(s->nc, sizeof(long));
  b->weight = many(run->n_of, sizeof *b->weight);
  b->n_weight = many(run->n_of, sizeof(long));
  good = good && b->mode && b->mode_next && b->mode_aside && b->seen && b->slack && b->event_contact &&
         b->event_index && b->weight && b->n_weight && map_columns(b);
  if (!good) {
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
    return CPS_NO_MEMORY;
  }
  for (int i = 0; i < s->nc; i++) b->seen[i] = -1;
  for (int j = 0; j < b->n_wrt; j++) b->scale[j] = run->wrt[j].q.value != 0 ? fabs(run->wrt[j].q.value) : 1;
  memcpy(b->y, b->sim->y, (size_t)s->ny * sizeof(double));
  memcpy(b->mode, b->sim->mode, (size_t)s->nc * sizeof(int));
  b->t = b->sim->t;
  b->free = cps_bodies_hold(b);
  return b->free ? CPS_OK : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
}

/* ------------------------------------------------------------------ rows */

static int row_apply(bodies *b, const op *o, cps_error *err, cps_status *status) {
  const spot_layout *l = &b->at.l;
  int columns = b->sim->result.n_columns, ny = b->s->ny;
  if (!cps_spot_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    memcpy(b->dy, b->s_y + (size_t)j * (size_t)b->n, (size_t)ny * sizeof(double));
    if (!cps_spot_along(&b->at, &b->change[j], b->dy)) return 0;
    cps_spot_follow(&b->at, SPOT_COLUMNS);
    b->at.z[l->energy + ENERGY_ERROR] -= b->energy[j];
    for (int i = 0; i < columns; i++) {
      int at = b->column_entry[i];
      b->columns[(size_t)i * (size_t)b->n_wrt + (size_t)j] = at < 0 ? 0 : b->at.z[at];
    }
  }
  *status = cps_sens_add_row(b->run, b->columns, err);
  return 1;
}

int cps_row_back(bodies *b, const op *o) {
  const spot_layout *l = &b->at.l;
  int gone = 0;
  for (int m = 0; m < b->run->n_of; m++) {
    int any = 0;
    double *z = cps_spot_clear(&b->at);
    while (b->n_weight[m] > 0 && b->weight[m][b->n_weight[m] - 1].row >= o->row) {
      const sens_weight *w = &b->weight[m][--b->n_weight[m]];
      int at = w->row == o->row ? b->column_entry[w->column] : -1;
      if (at < 0) continue;
      any = 1;
      z[at] += w->weight;
      if (at == l->energy + ENERGY_ERROR) b->w_energy[m] -= w->weight;
    }
    if (!any) continue;
    if (!gone && !cps_spot_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
    gone = 1;
    if (!cps_spot_back(&b->at, SPOT_COLUMNS, b->change, b->n_wrt, b->w + (size_t)m * (size_t)b->n,
                       b->grad + (size_t)m * (size_t)b->n_wrt))
      return 0;
  }
  return 1;
}

/* The energy at the start, which errors of the energy balance are measured from. */
static int energy_apply(bodies *b) {
  if (!cps_spot_go(&b->at, b->t, b->y, b->mode, &b->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    memcpy(b->dy, b->s_y + (size_t)j * (size_t)b->n, (size_t)b->s->ny * sizeof(double));
    if (!cps_spot_along(&b->at, &b->change[j], b->dy)) return 0;
    cps_spot_follow(&b->at, SPOT_COLUMNS);
    const double *e = b->at.z + b->at.l.energy;
    b->energy[j] = e[ENERGY_KINETIC] + e[ENERGY_ELASTIC] + e[ENERGY_GRAVITY];
  }
  return 1;
}

static int energy_back(bodies *b, const place_in_run *start) {
  for (int m = 0; m < b->run->n_of; m++) {
    if (b->w_energy[m] == 0) continue;
    double *e = cps_spot_clear(&b->at) + b->at.l.energy;
    e[ENERGY_KINETIC] = e[ENERGY_ELASTIC] = e[ENERGY_GRAVITY] = b->w_energy[m];
    if (!cps_spot_go(&b->at, start->t, start->y, start->mode, &start->free->k) ||
        !cps_spot_back(&b->at, SPOT_COLUMNS, b->change, b->n_wrt, b->w + (size_t)m * (size_t)b->n,
                       b->grad + (size_t)m * (size_t)b->n_wrt))
      return 0;
  }
  return 1;
}

/* ------------------------------------------------------------------ operations */

static cps_status unsettled(double t, cps_error *err) {
  return cps_error_set(err, CPS_FAILED, NULL, "at t = %.9g s: the equations cannot be linearised", t);
}

cps_status cps_bodies_emit(bodies *b, const op *o, cps_error *err) {
  static int (*const apply[])(bodies *, const op *) = {
      [OP_RK] = cps_rk_apply,         [OP_ALPHA] = cps_alpha_apply,     [OP_RATES] = cps_rates_apply,
      [OP_SWITCH] = cps_switch_apply, [OP_CAPTURE] = cps_capture_apply, [OP_ROW] = NULL};
  if (b->keeps) {
    if (b->tape.ops == NULL && b->tape.room < 0) return CPS_OK; /* given up */
    return cps_tape_add(&b->tape, b->s, o)
               ? CPS_OK
               : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the tape of an adjoint run");
  }
  cps_status status = CPS_OK;
  int good = o->kind == OP_ROW ? row_apply(b, o, err, &status) : apply[o->kind](b, o);
  return good ? status : unsettled(o->t, err);
}

static cps_status on_row(cps_simulation *sim, void *data, cps_error *err) {
  bodies *b = data;
  hold *h = cps_bodies_hold(b);
  if (!h) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  op o = {.kind = OP_ROW, .t = sim->t, .y = sim->y, .mode = sim->mode, .free = h, .row = b->rows++};
  return cps_bodies_emit(b, &o, err);
}

static cps_status on_step(cps_simulation *sim, const void *what, void *data, cps_error *err) {
  (void)sim;
  return cps_bodies_note(data, what, err);
}

static size_t changes_size(const bodies *b) {
  return (size_t)(b->keeps ? b->run->n_of : b->n_wrt) * (size_t)b->n * sizeof(double);
}

/* The run goes aside for a row, and comes back: so do the changes of state. */
static cps_status on_aside(cps_simulation *sim, int begins, void *data, cps_error *err) {
  bodies *b = data;
  size_t state = (size_t)b->s->ny * sizeof(double), modes = (size_t)b->s->nc * sizeof(int);
  size_t forces = (size_t)b->s->nc * sizeof(double);
  op o = {.kind = begins ? OP_ASIDE : OP_RETURN, .t = sim->t};
  if (begins) {
    b->t_aside = b->t;
    b->free_aside = b->free;
    b->carried_aside = b->carried;
    memcpy(b->now_aside, b->now, forces);
    memcpy(b->y_aside, b->y, state);
    memcpy(b->mode_aside, b->mode, modes);
    if (!b->keeps) memcpy(b->changes_aside, b->s_y, changes_size(b));
  } else {
    b->t = b->t_aside;
    b->free = b->free_aside;
    b->carried = b->carried_aside;
    memcpy(b->now, b->now_aside, forces);
    memcpy(b->y, b->y_aside, state);
    memcpy(b->mode, b->mode_aside, modes);
    if (!b->keeps) memcpy(b->s_y, b->changes_aside, changes_size(b));
  }
  return b->keeps ? cps_bodies_emit(b, &o, err) : CPS_OK;
}

/* Weights of the state that the run goes on from wait while those of the row aside are found, and are added to them. */
static int aside_back(bodies *b, const op *o) {
  if (o->kind == OP_RETURN) {
    memcpy(b->changes_aside, b->w, changes_size(b));
    memset(b->w, 0, changes_size(b));
  } else {
    for (size_t i = 0; i < (size_t)b->run->n_of * (size_t)b->n; i++) b->w[i] += b->changes_aside[i];
  }
  return 1;
}

/* ------------------------------------------------------------------ forward */

static double *change_of(void *data, int j) {
  bodies *b = data;
  return b->s_y + (size_t)j * (size_t)b->n;
}

/* What works need of where the stretch begins. */
static int look_around(bodies *b) {
  if (!b->is_alpha) return 1;
  if (!cps_spot_go(&b->at, b->t, b->y, b->mode, &b->free->k)) return 0;
  memcpy(b->now, b->at.f, (size_t)b->s->nc * sizeof(double));
  b->carried = 1;
  return 1;
}

/* From the state in the simulation to the end of the stretch, and a row there. */
static cps_status follow_stretch(bodies *b, cps_error *err) {
  cps_simulation *sim = b->sim;
  bdf_follower along = {b->n_wrt, b->scale, change_of, cps_bdf_along};
  if (!look_around(b)) return unsettled(b->t, err);
  sim->follow = (follower){
      .data = b, .row = on_row, .step = on_step, .aside = on_aside, .bdf = b->keeps ? NULL : &along};
  cps_status status = cps_simulation_step(sim, b->run->stretch->until, 0, NULL, err);
  if (status == CPS_OK) status = cps_bodies_end_segment(b, err);
  return status == CPS_OK ? on_row(sim, b, err) : status;
}

static cps_status forward_stretch(sens_run *run, cps_error *err) {
  bodies b;
  cps_status status = make(&b, run, err);
  size_t size = (size_t)run->n_wrt * (size_t)b.n * sizeof(double);
  if (status == CPS_OK) {
    memcpy(b.s_y, run->stretch->state, size);
    status = follow_stretch(&b, err);
    memcpy(run->stretch->state, b.s_y, size);
  }
  unmake(&b);
  return status;
}

static cps_status forward(sens_run *run, cps_error *err) {
  if (run->stretch) return forward_stretch(run, err);
  bodies b;
  cps_status status = make(&b, run, err);
  for (int j = 0; status == CPS_OK && j < b.n_wrt; j++)
    for (int i = 0; i < b.change[j].n_initial; i++)
      b.s_y[(size_t)j * (size_t)b.n + (size_t)b.change[j].initial[i].i] = b.change[j].initial[i].d;
  if (status == CPS_OK && !energy_apply(&b)) status = unsettled(b.t, err);
  if (status == CPS_OK) {
    bdf_follower along = {b.n_wrt, b.scale, change_of, cps_bdf_along};
    run->sim->follow = (follower){
        .data = &b, .row = on_row, .step = on_step, .aside = on_aside, .bdf = &along};
    status = cps_simulation_run(run->sim, run->progress, run->progress_data, err);
  }
  unmake(&b);
  return status;
}

/* ------------------------------------------------------------------ adjoint */

static void forget_place(place_in_run *p) {
  free(p->bytes);
  free(p->y);
  free(p->now);
  free(p->mode);
  memset(p, 0, sizeof *p);
}

/* Keeps this place; half of the places are dropped when there are too many. */
static int keep_place(adjoint_run *r, cps_simulation *sim, int begun) {
  bodies *b = r->b;
  if (r->n == CHECKPOINTS) {
    for (int i = 1; i < CHECKPOINTS; i++) {
      if (i % 2)
        forget_place(&r->at[i]);
      else
        r->at[i / 2] = r->at[i];
    }
    memset(r->at + CHECKPOINTS / 2, 0, CHECKPOINTS / 2 * sizeof r->at[0]);
    r->n = CHECKPOINTS / 2;
    r->stride *= 2;
    if (r->instants % r->stride) return 1;
  }
  place_in_run *p = &r->at[r->n];
  *p = (place_in_run){.t = b->t,
                      .free = b->free,
                      .rows = b->rows,
                      .events = b->event_offset + b->events,
                      .instant = r->instants};
  p->y = many(b->s->ny, sizeof(double));
  p->now = many(b->s->nc, sizeof(double));
  p->mode = many(b->s->nc, sizeof(int));
  if (!p->y || !p->now || !p->mode) return 0;
  memcpy(p->y, b->y, (size_t)b->s->ny * sizeof(double));
  memcpy(p->mode, b->mode, (size_t)b->s->nc * sizeof(int));
  memcpy(p->now, b->now, (size_t)b->s->nc * sizeof(double));
  r->n++;
  return !begun || cps_simulation_save(sim, &p->bytes, &p->size, NULL) == CPS_OK;
}

/* At each instant at which the run could be saved: in the first run, keeps places and gives up a tape that has grown too
 * long; in a repeated part, ends it. */
static int at_instant(cps_simulation *sim, void *data) {
  adjoint_run *r = data;
  r->instants++;
  if (r->repeats) return r->instants == r->until && cps_bodies_end_segment(r->b, NULL) == CPS_OK;
  if (cps_bodies_end_segment(r->b, NULL) != CPS_OK) r->no_memory = 1;
  if (r->instants % r->stride == 0 && !keep_place(r, sim, 1)) r->no_memory = 1;
  if (!r->given_up && r->b->tape.bytes > (r->b->run->tape_most ? r->b->run->tape_most : TAPE_MOST)) {
    r->given_up = 1;
    cps_tape_free(&r->b->tape);
    r->b->tape.room = -1;
  }
  return r->no_memory;
}

/* From the end of the tape to its start. */
static cps_status go_back(bodies *b, cps_error *err) {
  static int (*const back[])(bodies *, const op *) = {
      [OP_ASIDE] = aside_back,       [OP_RETURN] = aside_back,       [OP_ROW] = cps_row_back,
      [OP_RK] = cps_rk_back,         [OP_ALPHA] = cps_alpha_back,    [OP_RATES] = cps_rates_back,
      [OP_SWITCH] = cps_switch_back, [OP_CAPTURE] = cps_capture_back};
  for (long i = b->tape.n - 1; i >= 0; i--) {
    const op *o = &b->tape.ops[i];
    long rows = 0;
    while (o->kind == OP_SEGMENT && i - rows > 0 && o[-rows - 1].kind == OP_ROW && o[-rows - 1].t > o->t)
      rows++;
    if (o->kind == OP_SEGMENT && !cps_bdf_back(b, o, o - rows, rows))
      return cps_error_set(
          err, CPS_FAILED, NULL,
          "the adjoint cannot be integrated from t = %.9g s back to %.9g s: its rates change too "
          "fast there; forward derivatives (method forward) go with the run, and may succeed",
          o->t1, o->t);
    if (o->kind != OP_SEGMENT && !back[o->kind](b, o)) return unsettled(o->t, err);
    i -= rows;
  }
  cps_tape_clear(&b->tape);
  return CPS_OK;
}

/* Repeats the part of the run from a place to the instant `until`, with a tape. */
static cps_status repeat(adjoint_run *r, int from, long until, cps_error *err) {
  bodies *b = r->b;
  place_in_run *p = &r->at[from];
  cps_simulation *first = b->sim, *sim = cps_simulation_new(b->s, err);
  if (!sim) return CPS_NO_MEMORY;
  if (first->row_times) cps_simulation_rows_at(sim, first->row_times, first->n_row_times, first->rows_only);
  sim->event_rows = first->event_rows;
  sim->longest_step = first->longest_step;
  cps_status status = p->bytes ? cps_simulation_restore(sim, p->bytes, p->size, NULL, err) : CPS_OK;
  b->sim = sim;
  b->t = p->t;
  memcpy(b->y, p->y, (size_t)b->s->ny * sizeof(double));
  memcpy(b->mode, p->mode, (size_t)b->s->nc * sizeof(int));
  memcpy(b->now, p->now, (size_t)b->s->nc * sizeof(double));
  b->free = p->free;
  b->rows = p->rows;
  b->events = 0;
  b->event_offset = p->events;
  b->open = 0;
  r->instants = p->instant;
  r->until = until;
  r->repeats = 1;
  sim->follow = (follower){.data = b, .row = on_row, .step = on_step, .aside = on_aside};
  cps_simulation_on_checkpoint(sim, at_instant, r);
  cps_error stopped = {0};
  if (status == CPS_OK) {
    status = cps_simulation_run(sim, NULL, NULL, &stopped);
    if (status == CPS_FAILED && r->instants == until)
      status = CPS_OK;
    else if (status != CPS_OK && err)
      *err = stopped;
  }
  cps_simulation_free(sim);
  b->sim = first;
  return status;
}

static cps_status find_weights(bodies *b, cps_error *err) {
  b->n_events = b->sim->result.n_events;
  b->w_event = many((long)b->run->n_of * b->n_events, sizeof(double));
  if (!b->w_event) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  for (int m = 0; m < b->run->n_of; m++) {
    long event = -1;
    b->weight[m] = cps_sens_weights(b->run, m, &b->n_weight[m], &event, err);
    if (!b->weight[m] && b->n_weight[m] != 0) return CPS_NO_MEMORY;
    if (!b->weight[m]) b->n_weight[m] = 0;
    if (event >= 0 && event < b->n_events) b->w_event[m * b->n_events + event] = 1;
    for (long k = 0; event < 0 && k < b->n_events; k++)
      b->w_event[m * b->n_events + k] = cps_sens_jump(b->run, m, k);
  }
  return CPS_OK;
}

static void give_gradients(bodies *b) {
  for (int m = 0; m < b->run->n_of; m++) {
    const double *w = b->w + (size_t)m * (size_t)b->n;
    for (int j = 0; j < b->n_wrt; j++) {
      double sum = b->grad[(size_t)m * (size_t)b->n_wrt + (size_t)j];
      for (int i = 0; i < b->change[j].n_initial; i++)
        sum += w[b->change[j].initial[i].i] * b->change[j].initial[i].d;
      cps_sens_add(b->run, m, j, sum);
    }
  }
}

static cps_status adjoint_stretch(sens_run *run, cps_error *err) {
  bodies b;
  cps_status status = make(&b, run, err);
  b.keeps = 1;
  if (status == CPS_OK) status = follow_stretch(&b, err);
  if (status == CPS_OK) status = find_weights(&b, err);
  if (status == CPS_OK) {
    memcpy(b.w, run->stretch->state, (size_t)b.n * sizeof(double));
    status = go_back(&b, err);
    memcpy(run->stretch->state, b.w, (size_t)b.n * sizeof(double));
  }
  for (int j = 0; status == CPS_OK && j < b.n_wrt; j++) cps_sens_add(run, 0, j, b.grad[j]);
  unmake(&b);
  return status;
}

static cps_status adjoint(sens_run *run, cps_error *err) {
  if (run->stretch) return adjoint_stretch(run, err);
  bodies b;
  adjoint_run *r = many(1, sizeof *r);
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  *r = (adjoint_run){.b = &b, .stride = 1, .until = -1};
  cps_status status = make(&b, run, err);
  b.keeps = 1;
  if (status == CPS_OK && !keep_place(r, run->sim, 0)) r->no_memory = 1;
  if (status == CPS_OK) {
    run->sim->follow = (follower){.data = &b, .row = on_row, .step = on_step, .aside = on_aside};
    cps_simulation_on_checkpoint(run->sim, at_instant, r);
    status = cps_simulation_run(run->sim, run->progress, run->progress_data, err);
    cps_simulation_on_checkpoint(run->sim, NULL, NULL);
  }
  if (r->no_memory)
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for checkpoints of the run");
  if (status == CPS_OK) status = find_weights(&b, err);
  if (status == CPS_OK && !r->given_up) status = go_back(&b, err);
  if (r->given_up) b.tape.room = 0;
  for (int i = r->n - 1; r->given_up && i >= 0 && status == CPS_OK; i--) {
    status = repeat(r, i, i + 1 < r->n ? r->at[i + 1].instant : -1, err);
    if (status == CPS_OK) status = go_back(&b, err);
  }
  if (status == CPS_OK && !energy_back(&b, &r->at[0])) status = unsettled(r->at[0].t, err);
  if (status == CPS_OK) give_gradients(&b);
  for (int i = 0; i < r->n; i++) forget_place(&r->at[i]);
  free(r);
  unmake(&b);
  return status;
}

static const char *refuses(const cps_scenario *s, cps_sens_method method) {
  (void)method;
  if (s->n_cables > 0) return "";
  return NULL;
}

/* What generalised-alpha carries along, by the names that body_alpha.c gives it. Forces at the beginning of a step are not
 * among it: only works feel them. */
static void alpha_states(cps_simulation *sim, const alpha_layout *l, double **at) {
  const struct {
    const char *name;
    int state;
  } which[] = {
      {"alpha.a", l->a}, {"alpha.z_t", l->z_t}, {"alpha.aux_a", l->aux_a}, {"alpha.aux_z", l->aux_z}};
  int n = cps_state_pieces(sim, NULL, 0);
  state_piece *pieces = many(n, sizeof *pieces);
  if (pieces) cps_state_pieces(sim, pieces, n);
  for (int i = 0; pieces && i < n; i++)
    for (size_t j = 0; j < sizeof which / sizeof which[0]; j++)
      for (size_t k = 0; strcmp(pieces[i].name, which[j].name) == 0 && k < pieces[i].size / sizeof(double);
           k++)
        at[(size_t)which[j].state + k] = (double *)(void *)pieces[i].at + k;
  free(pieces);
}

static int states(cps_simulation *sim, double **at) {
  const cps_system *s = sim->system;
  alpha_layout l = cps_alpha_layout(s);
  int is_alpha = strcmp(s->scenario->run.solver, "alpha") == 0, n = is_alpha ? l.count : s->ny;
  if (!at) return n;
  memset(at, 0, (size_t)n * sizeof *at);
  for (int i = 0; i < s->ny; i++) at[i] = sim->y + i;
  for (int i = s->nd; i < s->nx; i++) at[i] = at[s->nx + i] = NULL; /* motions of surfaces are prescribed */
  if (is_alpha) alpha_states(sim, &l, at);
  for (int i = s->nd; is_alpha && i < s->nx; i++) at[l.a + i] = at[l.aux_a + i] = NULL;
  return n;
}

const sens_engine cps_sens_bodies = {
    .name = "bodies", .refuses = refuses, .forward = forward, .adjoint = adjoint, .states = states};
