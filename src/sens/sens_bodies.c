/* sens_bodies.c - the engine that differentiates runs without cables. */
#include "sens_bodies.h"
#include "checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ making */

/* Where the run is. */
typedef struct body_place {
  double t;
  hold *free;
  int carried;
  long events; /* before it */
} body_place;

static size_t place_size(const course *c) {
  const cps_system *s = ((const bodies *)c)->s;
  return sizeof(body_place) + (size_t)(s->ny + s->nc) * sizeof(double) + (size_t)s->nc * sizeof(int);
}

static void make_arrays(bodies *b) {
  const cps_system *s = b->s;
  pool *p = &b->pool;
  long ny = s->ny, n = b->n, wrt = b->n_wrt, of = b->c.run->n_of, most = wrt > of ? wrt : of, nc = s->nc;
  long entries = b->at.l.count, columns = b->c.sim->result.n_columns;
  const struct {
    double **at;
    long n;
  } numbers[] = {{&b->y, ny},
                 {&b->open_y, ny},
                 {&b->scale, wrt},
                 {&b->s_y, wrt * n},
                 {&b->energy, wrt},
                 {&b->tau, nc * wrt},
                 {&b->w, of * n},
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
                 {&b->changes_aside, most * n}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) POOL_ARRAY(p, *numbers[i].at, numbers[i].n);
  POOL_ARRAY(p, b->mode, nc);
  POOL_ARRAY(p, b->mode_next, nc);
  POOL_ARRAY(p, b->place_aside, place_size(&b->c));
  POOL_ARRAY(p, b->seen, nc);
  POOL_ARRAY(p, b->slack, s->scenario->n_springs);
  POOL_ARRAY(p, b->event_contact, nc);
  POOL_ARRAY(p, b->event_index, nc);
  POOL_ARRAY(p, b->column_entry, columns);
}

/* Numbers each entry and lets the simulation fill a row with the numbers: which entry each column shows. */
static void map_columns(bodies *b) {
  const linear_layout *l = &b->at.l;
  pool room = {0};
  double *id = cps_pool_new(&room, (size_t)l->count, sizeof(double)),
         *row = cps_pool_new(&room, (size_t)b->c.sim->result.n_columns, sizeof(double));
  if (!room.lost) {
    for (int i = 0; i < l->count; i++) id[i] = i + 2; /* 0 and 1 are what depends on nothing */
    cps_simulation like = *b->c.sim;
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
    for (int i = 0; i < b->c.sim->result.n_columns; i++)
      b->column_entry[i] = row[i] >= 2 ? (int)row[i] - 2 : -1;
  }
  b->pool.lost |= room.lost;
  cps_pool_free(&room);
}

static void unmake(course *c) {
  bodies *b = (bodies *)c;
  if (b->at.s) cps_linearised_free(&b->at);
  cps_pool_free(&b->pool);
  while (b->holds) {
    hold *next = b->holds->next;
    cps_workspace_free(&b->holds->k);
    free(b->holds);
    b->holds = next;
  }
}

static double *change_of(void *data, int j) {
  bodies *b = data;
  return b->s_y + (size_t)j * (size_t)b->n;
}

/* Where the simulation is, the run is. */
static cps_status arrive(bodies *b) {
  const cps_simulation *sim = b->c.sim;
  memcpy(b->y, sim->y, (size_t)b->s->ny * sizeof(double));
  memcpy(b->mode, sim->mode, (size_t)b->s->nc * sizeof(int));
  b->t = sim->t;
  b->free = cps_bodies_hold(b);
  return b->free ? CPS_OK : cps_course_no_memory(&b->c);
}

static cps_status make(course *c) {
  bodies *b = (bodies *)c;
  sens_run *run = c->run;
  cps_error *err = c->err;
  const cps_system *s = run->sim->system;
  b->s = s;
  b->n_wrt = run->n_wrt;
  b->is_alpha = strcmp(s->scenario->run.solver, "alpha") == 0;
  b->without_jumps = run->without_jumps;
  b->alpha = cps_alpha_layout(s);
  b->n = b->is_alpha ? b->alpha.count : s->ny;
  POOL_ARRAY(&b->pool, b->change, run->n_wrt);
  POOL_ARRAY(&b->pool, b->moves, run->n_wrt);
  if (b->pool.lost || !cps_change_prescribe(&b->time, s, NULL, &b->pool)) return cps_course_no_memory(c);
  cps_status status = CPS_OK;
  for (int j = 0; j < b->n_wrt && status == CPS_OK; j++)
    status = cps_change_make(&b->change[j], s, &run->wrt[j], &b->pool, err);
  for (int j = 0; j < b->n_wrt && status == CPS_OK; j++)
    b->moves[j] = cps_sens_breaks_move(run->scenario, run->wrt[j].shadow[SENS_SHADOWS - 1]) != 0;
  if (status == CPS_OK) status = cps_linearised_make(&b->at, s, b->change, b->n_wrt, err);
  if (status != CPS_OK) return status;
  make_arrays(b);
  if (!b->pool.lost) map_columns(b);
  if (b->pool.lost) return cps_course_no_memory(c);
  for (int i = 0; i < s->nc; i++) b->seen[i] = -1;
  for (int j = 0; j < b->n_wrt; j++) b->scale[j] = run->wrt[j].q.value != 0 ? fabs(run->wrt[j].q.value) : 1;
  b->along = (bdf_follower){b->n_wrt, b->scale, change_of, cps_bdf_along};
  if (run->stretch && !c->taping)
    memcpy(b->s_y, run->stretch->state, (size_t)b->n_wrt * (size_t)b->n * sizeof(double));
  return arrive(b);
}

/* ------------------------------------------------------------------ rows */

static cps_status unsettled(course *c, double t) {
  return cps_error_set(c->err, CPS_FAILED, NULL, "at t = %.9g s: the equations cannot be linearised", t);
}

static int row_apply(bodies *b, const body_op *o) {
  const linear_layout *l = &b->at.l;
  int columns = b->c.sim->result.n_columns, ny = b->s->ny;
  if (!cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    memcpy(b->dy, b->s_y + (size_t)j * (size_t)b->n, (size_t)ny * sizeof(double));
    if (!cps_linearised_along(&b->at, &b->change[j], b->dy)) return 0;
    cps_linearised_follow(&b->at, 0, LINEAR_COLUMNS);
    b->at.z[l->energy + ENERGY_ERROR] -= b->energy[j];
    for (int i = 0; i < columns; i++) {
      int at = b->column_entry[i];
      b->columns[(size_t)i * (size_t)b->n_wrt + (size_t)j] = at < 0 ? 0 : b->at.z[at];
    }
  }
  b->status = cps_sens_add_row(b->c.run, b->columns, b->c.err);
  return 1;
}

int cps_row_back(bodies *b, const body_op *o) {
  const linear_layout *l = &b->at.l;
  int gone = 0;
  for (int m = 0; m < b->c.run->n_of; m++) {
    int any = 0;
    double *z = cps_linearised_clear(&b->at);
    for (const sens_weight *w; (w = cps_course_weight(&b->c, m, o->row)) != NULL;) {
      int at = b->column_entry[w->column];
      if (at < 0) continue;
      any = 1;
      z[at] += w->weight;
      if (at == l->energy + ENERGY_ERROR) b->w_energy[m] -= w->weight;
    }
    if (!any) continue;
    if (!gone && !cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
    gone = 1;
    if (!cps_linearised_back(&b->at, LINEAR_COLUMNS, b->change, b->n_wrt, b->w + (size_t)m * (size_t)b->n,
                             b->c.gradient + (size_t)m * (size_t)b->n_wrt))
      return 0;
  }
  return 1;
}

/* The energy at the start, which errors of the energy balance are measured from. */
static int energy_apply(bodies *b, const body_op *o) {
  if (!cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    memcpy(b->dy, b->s_y + (size_t)j * (size_t)b->n, (size_t)b->s->ny * sizeof(double));
    if (!cps_linearised_along(&b->at, &b->change[j], b->dy)) return 0;
    cps_linearised_follow(&b->at, 0, LINEAR_COLUMNS);
    const double *e = b->at.z + b->at.l.energy;
    b->energy[j] = e[ENERGY_KINETIC] + e[ENERGY_ELASTIC] + e[ENERGY_GRAVITY];
  }
  return 1;
}

static int energy_back(bodies *b, const body_op *o) {
  for (int m = 0; m < b->c.run->n_of; m++) {
    if (b->w_energy[m] == 0) continue;
    double *e = cps_linearised_clear(&b->at) + b->at.l.energy;
    e[ENERGY_KINETIC] = e[ENERGY_ELASTIC] = e[ENERGY_GRAVITY] = b->w_energy[m];
    if (!cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k) ||
        !cps_linearised_back(&b->at, LINEAR_COLUMNS, b->change, b->n_wrt, b->w + (size_t)m * (size_t)b->n,
                             b->c.gradient + (size_t)m * (size_t)b->n_wrt))
      return 0;
  }
  return 1;
}

/* ------------------------------------------------------------------ the tape */

static cps_status apply(course *c, const op *what, const void *where) {
  static int (*const how[])(bodies *, const body_op *) = {
      [OP_RK] = cps_rk_apply,         [OP_ALPHA] = cps_alpha_apply,     [OP_RATES] = cps_alpha_apply,
      [OP_SWITCH] = cps_switch_apply, [OP_CAPTURE] = cps_capture_apply, [OP_ROW] = row_apply,
      [OP_INITIAL] = energy_apply};
  const body_op *o = (const body_op *)what;
  bodies *b = (bodies *)c;
  (void)where;
  b->status = CPS_OK;
  int good = how[o->kind](b, o);
  if (cps_linearised_lost(&b->at)) return cps_course_no_memory(c);
  return good ? b->status : unsettled(c, o->t);
}

/* All arrays of an operation, and how long they are. */
enum { KEPT = 10 };
static void list(const cps_system *s, body_op *o, void **at[KEPT], size_t size[KEPT]) {
  void **all[KEPT] = {(void **)&o->y,          (void **)&o->y1,    (void **)&o->a,
                      (void **)&o->f,          (void **)&o->z_t,   (void **)&o->before,
                      (void **)&o->mode,       (void **)&o->mode1, (void **)&o->event_contact,
                      (void **)&o->event_index};
  size_t d = sizeof(double), i = sizeof(int), ny = (size_t)s->ny, nc = (size_t)s->nc,
         events = (size_t)o->n_events;
  const size_t sizes[KEPT] = {
      ny * d, ny * d,     (size_t)s->nx * d,    nc * d, (size_t)s->nz * d, nc * d, nc * i,
      nc * i, events * i, events * sizeof(long)};
  memcpy(at, all, sizeof all);
  memcpy(size, sizes, sizeof sizes);
}

static cps_status keep(course *c, const op *what, const void *where) {
  body_op *o = (body_op *)cps_tape_add(&c->tape, what);
  void **array[KEPT];
  size_t size[KEPT], at;
  (void)where;
  if (!o) return cps_course_no_memory(c);
  o->at = c->tape.size;
  list(((bodies *)c)->s, o, array, size);
  for (int k = 0; k < KEPT; k++) {
    if (!*array[k]) continue;
    void *to = cps_tape_keep(&c->tape, size[k], &at);
    if (!to) return cps_course_no_memory(c);
    memcpy(to, *array[k], size[k]);
  }
  return CPS_OK;
}

/* Operations know their arrays, now that these stay where they are. */
static void find_arrays(course *c) {
  for (long n = 0; n < c->tape.n; n++) {
    body_op *o = (body_op *)(void *)c->tape.ops + n;
    void **array[KEPT];
    size_t size[KEPT], at = o->at;
    list(((bodies *)c)->s, o, array, size);
    for (int k = 0; k < KEPT; k++) {
      if (!*array[k]) continue;
      *array[k] = c->tape.bytes + at;
      at += (size[k] + 7) / 8 * 8;
    }
  }
}

/* Weights of the state that the run goes on from wait while those of the row aside are found, and are added to them. */
static int aside_back(bodies *b, const body_op *o) {
  size_t n = (size_t)b->c.run->n_of * (size_t)b->n;
  if (o->kind == OP_RETURN) {
    memcpy(b->changes_aside, b->w, n * sizeof(double));
    memset(b->w, 0, n * sizeof(double));
  } else {
    for (size_t i = 0; i < n; i++) b->w[i] += b->changes_aside[i];
  }
  return 1;
}

/* From the end of the tape to its start. */
static cps_status go_back(course *c) {
  static int (*const back[])(bodies *, const body_op *) = {
      [OP_ASIDE] = aside_back,       [OP_RETURN] = aside_back,    [OP_ROW] = cps_row_back,
      [OP_RK] = cps_rk_back,         [OP_ALPHA] = cps_alpha_back, [OP_RATES] = cps_alpha_back,
      [OP_SWITCH] = cps_switch_back, [OP_INITIAL] = energy_back,  [OP_CAPTURE] = cps_capture_back};
  bodies *b = (bodies *)c;
  find_arrays(c);
  for (long i = c->tape.n - 1; i >= 0; i--) {
    const body_op *o = (const body_op *)(const void *)c->tape.ops + i;
    long rows = 0;
    while (o->kind == OP_SEGMENT && i - rows > 0 && o[-rows - 1].kind == OP_ROW && o[-rows - 1].t > o->t)
      rows++;
    int good = o->kind == OP_SEGMENT ? cps_bdf_back(b, o, o - rows, rows) : back[o->kind](b, o);
    if (good < 0 || cps_linearised_lost(&b->at)) return cps_course_no_memory(c);
    if (!good && o->kind == OP_SEGMENT)
      return cps_error_set(
          c->err, CPS_FAILED, NULL,
          "the adjoint cannot be integrated from t = %.9g s back to %.9g s: its rates change too "
          "fast there; forward derivatives (method forward) go with the run, and may succeed",
          o->t1, o->t);
    if (!good) return unsettled(c, o->t);
    i -= rows;
  }
  return CPS_OK;
}

/* ------------------------------------------------------------------ following */

static cps_status note(course *c, const void *what) { return cps_bodies_note((bodies *)c, what); }

static cps_status on_row(course *c) {
  bodies *b = (bodies *)c;
  hold *h = cps_bodies_hold(b);
  body_op o = {.kind = OP_ROW, .t = c->sim->t, .y = c->sim->y, .mode = c->sim->mode, .free = h};
  return h ? cps_course_happens(c, &o.as, NULL) : cps_course_no_memory(c);
}

static cps_status instant(course *c) { return cps_bodies_end_segment((bodies *)c); }

static const bdf_follower *along(course *c) {
  return strcmp(c->run->scenario->run.solver, "bdf") == 0 ? &((bodies *)c)->along : NULL;
}

static void save_place(const course *c, void *to) {
  const bodies *b = (const bodies *)c;
  const cps_system *s = b->s;
  double *numbers = (double *)(void *)((body_place *)to + 1);
  *(body_place *)to = (body_place){b->t, b->free, b->carried, b->event_offset + b->events};
  memcpy(numbers, b->y, (size_t)s->ny * sizeof(double));
  memcpy(numbers + s->ny, b->now, (size_t)s->nc * sizeof(double));
  memcpy(numbers + s->ny + s->nc, b->mode, (size_t)s->nc * sizeof(int));
}

static void return_to(bodies *b, const void *from) {
  const body_place *p = from;
  const cps_system *s = b->s;
  const double *numbers = (const double *)(const void *)(p + 1);
  b->t = p->t;
  b->free = p->free;
  b->carried = p->carried;
  memcpy(b->y, numbers, (size_t)s->ny * sizeof(double));
  memcpy(b->now, numbers + s->ny, (size_t)s->nc * sizeof(double));
  memcpy(b->mode, numbers + s->ny + s->nc, (size_t)s->nc * sizeof(int));
}

static void restore_place(course *c, const void *from) {
  bodies *b = (bodies *)c;
  return_to(b, from);
  b->event_offset = ((const body_place *)from)->events;
  b->events = 0;
  b->open = 0;
}

/* The run goes aside for a row, and comes back: so do the changes of state. */
static cps_status aside(course *c, int begins) {
  bodies *b = (bodies *)c;
  size_t changes = (size_t)b->n_wrt * (size_t)b->n * sizeof(double);
  body_op o = {.kind = begins ? OP_ASIDE : OP_RETURN, .t = c->sim->t};
  if (begins)
    save_place(c, b->place_aside);
  else
    return_to(b, b->place_aside);
  if (c->taping) return cps_course_happens(c, &o.as, NULL);
  memcpy(begins ? b->changes_aside : b->s_y, begins ? b->s_y : b->changes_aside, changes);
  return CPS_OK;
}

/* ------------------------------------------------------------------ beginning and end */

static cps_status start(course *c) {
  bodies *b = (bodies *)c;
  body_op o = {.kind = OP_INITIAL, .t = b->t, .y = b->y, .mode = b->mode, .free = b->free};
  for (int j = 0; j < b->n_wrt && !c->taping; j++)
    for (int i = 0; i < b->change[j].n_initial; i++)
      b->s_y[(size_t)j * (size_t)b->n + (size_t)b->change[j].initial[i].i] = b->change[j].initial[i].d;
  cps_status status = cps_course_begin(c, NULL);
  return status == CPS_OK ? cps_course_happens(c, &o.as, NULL) : status;
}

/* A stretch begins, with what works need of where it does. */
static cps_status stretch(course *c) {
  bodies *b = (bodies *)c;
  cps_status status = arrive(b);
  if (status != CPS_OK || !b->is_alpha) return status;
  if (!cps_linearised_go(&b->at, b->t, b->y, b->mode, &b->free->k)) return unsettled(c, b->t);
  memcpy(b->now, b->at.f, (size_t)b->s->nc * sizeof(double));
  b->carried = 1;
  return CPS_OK;
}

static void end_stretch(course *c) {
  bodies *b = (bodies *)c;
  size_t size = (size_t)(c->taping ? 1 : b->n_wrt) * (size_t)b->n * sizeof(double);
  memcpy(c->run->stretch->state, c->taping ? b->w : b->s_y, size);
}

/* Weights of events, and of the state at the end of a stretch. */
static cps_status weigh(course *c) {
  bodies *b = (bodies *)c;
  b->n_events = c->sim->result.n_events;
  if (!POOL_ARRAY(&b->pool, b->w_event, c->run->n_of * b->n_events)) return cps_course_no_memory(c);
  for (int m = 0; m < c->run->n_of; m++) {
    long event = c->seeds[m].event;
    if (event >= 0 && event < b->n_events) b->w_event[m * b->n_events + event] = 1;
    for (long k = 0; event < 0 && k < b->n_events; k++)
      b->w_event[m * b->n_events + k] = cps_sens_jump(c->run, m, k);
  }
  if (c->run->stretch) memcpy(b->w, c->run->stretch->state, (size_t)b->n * sizeof(double));
  return CPS_OK;
}

/* Weights of the first state. */
static void finish(course *c) {
  bodies *b = (bodies *)c;
  for (int m = 0; m < c->run->n_of && !c->run->stretch; m++)
    for (int j = 0; j < b->n_wrt; j++)
      for (int i = 0; i < b->change[j].n_initial; i++)
        c->gradient[m * b->n_wrt + j] += b->w[(size_t)m * (size_t)b->n + (size_t)b->change[j].initial[i].i] *
                                         b->change[j].initial[i].d;
}

static const course_calls calls = {.size = sizeof(bodies),
                                   .op_size = sizeof(body_op),
                                   .most = (size_t)64 << 20,
                                   .make = make,
                                   .free = unmake,
                                   .start = start,
                                   .stretch = stretch,
                                   .end_stretch = end_stretch,
                                   .note = note,
                                   .row = on_row,
                                   .aside = aside,
                                   .forward = apply,
                                   .keep = keep,
                                   .backward = go_back,
                                   .finish = finish,
                                   .weigh = weigh,
                                   .place_size = place_size,
                                   .save_place = save_place,
                                   .restore_place = restore_place,
                                   .instant = instant,
                                   .along = along};

static cps_status forward(sens_run *run, cps_error *err) { return cps_course_forward(&calls, run, err); }

static cps_status adjoint(sens_run *run, cps_error *err) { return cps_course_adjoint(&calls, run, err); }

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
  state_piece *pieces = calloc((size_t)n + 1, sizeof *pieces);
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
