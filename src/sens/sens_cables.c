/* sens_cables.c - sensitivities of runs of cables by generalised-alpha and bdf: forward and adjoint.
 *
 * What happens to a machine, from the shape as drawn through statics to the last step, is a sequence of implicit
 * solves with linear maps between them (sens_ops.c). The run tells it (cable_note, machine_note); the equilibrium that it
 * starts from is found once more, for it was found before anybody could listen. Steps, who touches what, and who
 * sticks are those of the run; all else is differentiated, so that derivatives are those of the steps taken.
 *
 * Forward, tangents of four parameters at a time follow the run. The adjoint keeps a tape of states.
 */
#include "sens_columns.h"
#include "sens_drive.h"
#include "sens_ops.h"

/* What is kept of a contact point. */
typedef struct kept_point {
  double f[AXES], scale[AXES];
  int near, stuck;
} kept_point;

/* And of its memory, in one direction. */
typedef struct kept_memory {
  double z_star[CPS_MAX_STATES], z_t[CPS_MAX_STATES];
  int mode, mode0, mode1;
} kept_memory;

/* And of a slide. */
typedef struct kept_slide {
  double start;
  int stuck;
} kept_slide;

typedef struct cable_run {
  course c;
  pool pool; /* all arrays */
  model o;
  drive drive;
  column *columns;
  int n_columns, chunks, works;
  size_t z_size; /* lanes of a chunk */
  lanes *z;      /* [chunks][z_size] */
  double *row;   /* [n_columns][n_wrt] */
  cps_status status;
  unsigned char *state; /* room for one */
  int looked;           /* the state before has been looked at */
  int is_aside;
  int warned_break, warned_vague;
  double *drive_kept;
  lanes *d_room; /* [ds] */
  /* where the run was when it went aside for a row */
  lanes *z_aside; /* as z */
  size_t state_aside, d_aside;
  /* adjoint */
  size_t state_now, d_now; /* on the tape, where the present ones are */
  lanes *initial;          /* [chunks][states] adjoints of the first state */
} cable_run;

/* ------------------------------------------------------------------ states of machines */

static size_t state_size(const machine *m) {
  size_t size = (size_t)m->n_drums * sizeof(drum) + (size_t)m->nb * 5 * sizeof(double) + sizeof(double) +
                (size_t)m->n_slides * sizeof(kept_slide) + (size_t)m->n_bodies * sizeof(double) +
                (size_t)(m->system->nx - m->system->nd) * sizeof(double);
  for (int i = 0; i < m->n_sites; i++) size += (size_t)m->site[i].axes * sizeof(kept_memory);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    size += 3 * (size_t)((c->n + 1) * c->b) * sizeof(double) + sizeof c->load + 2 * sizeof(double);
    size += (size_t)c->n_points * (sizeof(kept_point) + sizeof c->start[0]);
    if (c->all_stick) size += (size_t)((c->n + 1) * c->b + c->n_points * AXES) * sizeof(double);
  }
  return size;
}

/* Copies one way or the other, and goes on. */
static void pass(unsigned char **at, void *of, size_t size, int put) {
  if (put)
    memcpy(of, *at, size);
  else
    memcpy(*at, of, size);
  *at += size;
}

/* How states are exchanged: they are put there, or taken, as they are or as a solve at this instant would start from them. */
enum { TAKE, PUT, TAKE_INSTANT };

/* What a law with memory started the solve from. */
static void exchange_memory(const law_site *site, unsigned char **at, int how) {
  contact_point *p = site->p;
  contact_memory *y = site->y;
  for (int a = 0; a < site->axes; a++) {
    int now = how == TAKE_INSTANT;
    kept_memory x = {
        .mode = p->mode[a], .mode0 = now ? p->mode[a] : p->mode0[a], .mode1 = now ? p->mode[a] : y->mode1[a]};
    memcpy(x.z_star, now ? y->z[a] : y->z_star[a], sizeof x.z_star);
    memcpy(x.z_t, y->z_t[a], sizeof x.z_t);
    pass(at, &x, sizeof x, how == PUT);
    if (now) continue;
    memcpy(y->z_star[a], x.z_star, sizeof x.z_star);
    memcpy(y->z_t[a], x.z_t, sizeof x.z_t);
    p->mode[a] = x.mode;
    p->mode0[a] = x.mode0;
    y->mode1[a] = x.mode1;
  }
}

/* Takes the state of a machine, or puts it there. */
static void exchange(machine *m, unsigned char *at, int how) {
  const cps_system *s = m->system;
  int put = how == PUT;
  pass(&at, &m->grip, sizeof m->grip, put);
  pass(&at, m->y + s->nd, (size_t)(s->nx - s->nd) * sizeof(double), put); /* places of surfaces */
  for (int k = 0; k < m->nb; k++) {
    const dof *f = &m->free[k]; /* what was kept stays as it was looked at */
    double *all[] = {f->q, f->v, f->a, f->aux, f->aux0};
    for (size_t j = 0; j < sizeof all / sizeof all[0]; j++) pass(&at, all[j], sizeof(double), put);
  }
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    kept_slide x = {y->start, y->p.stuck};
    pass(&at, &x, sizeof x, put);
    y->start = x.start;
    y->p.stuck = x.stuck;
  }
  for (int i = 0; i < m->n_bodies; i++) {
    double held = m->body[i].held;
    pass(&at, &held, sizeof held, put);
    m->body[i].held = held != 0;
  }
  if (put) cps_slides_weigh(m);
  for (int i = 0; i < m->n_drums; i++) {
    const scenario_drum *of = m->drum[i].of; /* not that of another machine */
    pass(&at, &m->drum[i], sizeof m->drum[i], put);
    m->drum[i].of = of;
  }
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t bytes = (size_t)((c->n + 1) * c->b) * sizeof(double);
    pass(&at, c->q, bytes, put);
    pass(&at, c->v, bytes, put);
    pass(&at, c->a, bytes, put);
    pass(&at, c->load, sizeof c->load, put);
    double fixed[2] = {c->fixed[0], c->fixed[c->n]};
    pass(&at, fixed, sizeof fixed, put);
    c->fixed[0] = (unsigned char)fixed[0];
    c->fixed[c->n] = (unsigned char)fixed[1];
    pass(&at, c->start, (size_t)c->n_points * sizeof c->start[0], put);
    if (c->all_stick) pass(&at, c->gap, bytes, put);
    if (c->all_stick) pass(&at, c->pull, (size_t)(c->n_points * AXES) * sizeof(double), put);
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      kept_point x = {{p->f[0], p->f[1]}, {p->scale[0], p->scale[1]}, p->near, p->stuck};
      pass(&at, &x, sizeof x, put);
      memcpy(p->f, x.f, sizeof p->f);
      memcpy(p->scale, x.scale, sizeof p->scale);
      p->near = x.near;
      p->stuck = x.stuck;
    }
  }
  for (int i = 0; i < m->n_sites; i++) exchange_memory(&m->site[i], &at, how);
  if (put && m->nb > 0) cps_machine_tie(m);
  if (put) cps_audit_look(m);
}

/* ------------------------------------------------------------------ tape */

static int has_state(op_kind k) {
  return k == OP_SOLVE || k == OP_LET_GO || k == OP_REMEMBER || k == OP_GUARD || k == OP_BEGIN ||
         k == OP_BALANCE || k == OP_STEP || k == OP_START || k == OP_RELEASE || k >= OP_BDF;
}

/* Puts the tangents of what is prescribed now onto the tape; where they are. */
static int tape_drive(cable_run *y, size_t *at) {
  const drive *d = &y->drive;
  int n_wrt = y->c.run->n_wrt;
  double *to = cps_tape_keep(&y->c.tape, (size_t)(d->varying * n_wrt) * sizeof(double), at);
  for (int chunk = 0; chunk * LANES < n_wrt && to; chunk++) {
    cps_drive_put(d, chunk, y->d_room);
    for (int i = 0; i < d->varying; i++)
      for (int k = chunk * LANES; k < (chunk + 1) * LANES && k < n_wrt; k++)
        to[i * n_wrt + k] = y->d_room[d->which[i]][k % LANES];
  }
  return to != NULL;
}

static int tape_state(cable_run *y, const machine *m, int how, size_t *at) {
  unsigned char *to = cps_tape_keep(&y->c.tape, state_size(m), at);
  if (to) exchange((machine *)m, to, how);
  return to != NULL;
}

/* The state that comes before all that happens on a tape. */
static cps_status begin(course *c, const void *where) {
  cable_run *y = (cable_run *)c;
  const machine *m = where ? where : c->sim->machine;
  return tape_state(y, m, TAKE, &y->state_now) && tape_drive(y, &y->d_now) ? CPS_OK : cps_course_no_memory(c);
}

/* How the state that an operation is about is taken. */
static int take_of(op_kind k) { return k == OP_BALANCE ? TAKE_INSTANT : TAKE; }

static cps_status keep(course *c, const op *what, const void *m) {
  cable_run *y = (cable_run *)c;
  machine_op x = *(const machine_op *)(const void *)what;
  x.before = x.state = y->state_now;
  x.d = x.d0 = y->d_now;
  if (has_state(x.kind) && !tape_state(y, m, take_of(x.kind), &x.state)) return cps_course_no_memory(c);
  if (x.moved && !tape_drive(y, &x.d)) return cps_course_no_memory(c);
  if (x.kind != OP_REACH) { /* which goes nowhere yet */
    y->state_now = x.state;
    y->d_now = x.d;
  }
  return cps_tape_add(&c->tape, &x.as) ? CPS_OK : cps_course_no_memory(c);
}

/* ------------------------------------------------------------------ following */

/* Works that a column needs are computed. */
static void need_works(cable_run *y, int column_of) {
  int needs = cps_column_works(cps_column_at(y->columns, column_of));
  if (needs > y->works) y->works = needs;
}

/* Tangents of what is prescribed, into all chunks. */
static void put_drive(cable_run *y) {
  const layout *l = &y->o.at;
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size;
    memcpy(z + l->d0, z + l->d, (size_t)l->ds * sizeof *z);
    cps_drive_put(&y->drive, k, z + l->d);
  }
}

/* Those of before it. */
static void put_back_drive(cable_run *y) {
  const layout *l = &y->o.at;
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size;
    memcpy(z + l->d, z + l->d0, (size_t)l->ds * sizeof *z);
  }
}

static cps_status singular(cable_run *y, double t) {
  return cps_error_set(
      y->c.err, CPS_FAILED, NULL,
      "at t = %.9g s: the equations of the cables are singular there, and have no derivative", t);
}

static void warn_of_vagueness(cable_run *y) {
  if (y->o.vague && !y->warned_vague++)
    cps_sens_warn(
        y->c.run,
        "when a law between bodies changes its mode depends on forces of cables or on what balances, whose "
        "rates are taken to be zero there: derivatives are inexact by that");
}

/* Whether time passes, and work is done. OP_REACH is looked at for those that follow. */
static int passes(op_kind k) { return k == OP_STEP || k >= OP_BDF; }

static cps_status forward_one(cable_run *y, const machine *m, const machine_op *what) {
  model *o = &y->o;
  if (passes(what->kind) && !y->looked && y->works) cps_model_look(o, what->coeffs.t - what->h);
  if (what->kind == OP_RELEASE) cps_op_look_held(o);
  if (what->kind == OP_GUARD) {
    cps_fire_modes(o, m);
    cps_fire_look(o, what, y->works);
  }
  y->looked = what->kind == OP_REACH;
  if (what->kind != OP_SHIFT) { /* which is about the state before all that the simulation has done since */
    exchange((machine *)m, y->state, take_of(what->kind));
    exchange(&o->m, y->state, PUT);
  }
  if (what->moved) put_drive(y);
  if (!cps_op_linearise(o, what, y->works)) return singular(y, what->coeffs.t);
  warn_of_vagueness(y);
  if (cps_model_lost(o)) return cps_course_no_memory(&y->c);
  for (int k = 0; k < y->chunks; k++)
    cps_op_map(o, what, 0, y->drive.initial + k * o->at.states, y->z + (size_t)k * y->z_size);
  if (what->kind == OP_REACH) put_back_drive(y);
  return CPS_OK;
}

static cps_status forward_row(cable_run *y, const machine_op *what) {
  model *o = &y->o;
  const layout *l = &o->at;
  int n_wrt = y->c.run->n_wrt;
  o->list.n = 0;
  cps_columns_look(o, what->coeffs.t);
  for (int i = 0; i < y->n_columns; i++)
    cps_column_add(o, &o->list, cps_column_at(y->columns, i), l->result + i, what->coeffs.t);
  if (o->list.lost) return cps_course_no_memory(&y->c);
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size;
    cps_op_map(o, what, 0, NULL, z);
    for (int i = 0; i < y->n_columns; i++)
      for (int n = 0; n < LANES && k * LANES + n < n_wrt; n++)
        y->row[i * n_wrt + k * LANES + n] = z[l->result + i][n];
  }
  return cps_sens_add_row(y->c.run, y->row, y->c.err);
}

static cps_status forward_op(course *c, const op *o, const void *m) {
  const machine_op *what = (const machine_op *)(const void *)o;
  return o->kind == OP_ROW ? forward_row((cable_run *)c, what) : forward_one((cable_run *)c, m, what);
}

static void on_statics(machine *m, machine_note note, const step_coeffs *coeffs, void *data) {
  static const op_kind kinds[] = {
      [NOTE_REST] = OP_REST,    [NOTE_LET_GO] = OP_LET_GO,       [NOTE_HOLD] = OP_HOLD,
      [NOTE_SOLVED] = OP_SOLVE, [NOTE_REMEMBERED] = OP_REMEMBER, [NOTE_STARTED] = OP_START};
  cable_run *y = data;
  machine_op what = {.kind = kinds[note]};
  if (coeffs) what.coeffs = *coeffs;
  if (y->status == CPS_OK) y->status = cps_course_happens(&y->c, &what.as, m);
}

/* What is prescribed is looked at in the order of the notes, which is not that of time where a step passes a row: a copy keeps
 * where it was before the step. */
static void move_drive(cable_run *y, const cable_note *note, const drum *drums) {
  if (note->bdf == BDF_REACHED) cps_drive_save(&y->drive, y->drive_kept);
  if (note->bdf == BDF_BETWEEN) cps_drive_restore(&y->drive, y->drive_kept);
  cps_drive_move(&y->drive, note->from, note->coeffs.t, drums);
}

/* All that happens from here on happens later by tau, or no longer does. */
static cps_status shift(cable_run *y, double t) {
  machine_op x = {.kind = OP_SHIFT, .moved = 1, .coeffs = {.t = t}};
  return cps_course_happens(&y->c, &x.as, y->c.sim->machine);
}

/* Something may jump: how its time moves. */
static cps_status cross_break(cable_run *y, const machine *m, double t, int begins) {
  int several, which, changes = cps_drive_break(&y->drive, t, &which, &several);
  if (several && begins && !y->warned_break && cps_break_shakes(m)) {
    y->warned_break = 1;
    cps_sens_warn(y->c.run,
                  "several prescribed things jump at t = %.9g s and %s does not move them alike: its "
                  "derivative is that of all of them moving together",
                  t, y->c.run->wrt[which].q.path);
  }
  cps_status status = changes ? shift(y, nextafter(t, -INFINITY)) : CPS_OK;
  if (begins) cps_drive_jump(&y->drive, t);
  return status;
}

/* Where all happens later, the tangents at the present time itself. */
static cps_status come_in_time(cable_run *y) {
  double t = y->c.sim->t;
  machine_op x = {.kind = OP_BALANCE, .coeffs = cps_machine_instant(t)};
  if (!cps_drive_in_time(&y->drive)) return CPS_OK;
  cps_status status = shift(y, t);
  return status == CPS_OK ? cps_course_happens(&y->c, &x.as, y->c.sim->machine) : status;
}

static cps_status on_step(course *c, const void *what) {
  static const op_kind kinds[] = {
      [BDF_NONE] = OP_STEP, [BDF_STEP] = OP_BDF, [BDF_REACHED] = OP_REACH, [BDF_BETWEEN] = OP_BETWEEN};
  cable_run *y = (cable_run *)c;
  const cable_note *note = what;
  machine *m = c->sim->machine;
  machine_op x = {.kind = note->released ? OP_RELEASE
                          : note->begins ? OP_BEGIN
                                         : kinds[note->bdf],
                  .balanced = note->balanced,
                  .stays = note->fired && !note->balanced,
                  .moved = !note->released,
                  .h = note->h,
                  .coeffs = note->coeffs,
                  .part = note->part};
  memcpy(x.past, note->past, sizeof x.past);
  if (note->fired) {
    c->run->guarded = 1;
    machine_op fired = {.kind = OP_GUARD, .coeffs = {.t = note->from, .z_s = note->z_s}};
    cps_status status = cps_course_happens(c, &fired.as, m);
    if (status != CPS_OK) return status;
  } else if (note->begins || note->released) {
    cps_status status = cross_break(y, m, note->from, note->begins);
    if (status != CPS_OK) return status;
  }
  if (x.moved) move_drive(y, note, m->drum);
  return cps_course_happens(c, &x.as, m);
}

/* Tangents of what is prescribed and of the state are put back, or those places on the tape. */
static cps_status on_aside(course *c, int begins) {
  cable_run *y = (cable_run *)c;
  size_t size = y->z_size * (size_t)y->chunks * sizeof(lanes);
  machine_op what = {.kind = begins ? OP_ASIDE : OP_RETURN, .coeffs = {.t = c->sim->t}};
  y->is_aside = begins;
  if (begins) {
    cps_drive_save(&y->drive, y->drive_kept);
    memcpy(y->z_aside, y->z, size);
    y->state_aside = y->state_now;
    y->d_aside = y->d_now;
  } else {
    cps_drive_restore(&y->drive, y->drive_kept);
    memcpy(y->z, y->z_aside, size);
    y->state_now = y->state_aside;
    y->d_now = y->d_aside;
  }
  if (c->taping) return cps_course_happens(c, &what.as, c->sim->machine);
  exchange(c->sim->machine, y->state, TAKE);
  exchange(&y->o.m, y->state, PUT);
  y->looked = 0;
  return CPS_OK;
}

/* Rows are about times that do not move. */
static cps_status on_row(course *c) {
  cable_run *y = (cable_run *)c;
  machine_op x = {.kind = OP_ROW, .coeffs = {.t = c->sim->t}, .columns = c->sim->result.n_columns};
  int leaves = cps_drive_late(&y->drive) && !y->is_aside;
  cps_status status = leaves ? on_aside(c, 1) : CPS_OK;
  if (status == CPS_OK) status = come_in_time(y);
  if (status == CPS_OK) status = cps_course_happens(c, &x.as, c->sim->machine);
  return status == CPS_OK && leaves ? on_aside(c, 0) : status;
}

/* So are ends of stretches, whose states go out. */
static cps_status on_instant(course *c) { return c->run->stretch ? come_in_time((cable_run *)c) : CPS_OK; }

static size_t place_size(const course *c) {
  return cps_drive_size(&((const cable_run *)c)->drive) * sizeof(double);
}

static void save_place(const course *c, void *to) { cps_drive_save(&((const cable_run *)c)->drive, to); }

static void restore_place(course *c, const void *from) { cps_drive_restore(&((cable_run *)c)->drive, from); }

/* ------------------------------------------------------------------ life */

static void unmake(course *c) {
  cable_run *y = (cable_run *)c;
  cps_drive_free(&y->drive);
  cps_model_free(&y->o);
  cps_pool_free(&y->pool);
}

static cps_status make(course *c) {
  cable_run *y = (cable_run *)c;
  pool *p = &y->pool;
  sens_run *run = c->run;
  cps_error *err = c->err;
  cps_status status = cps_model_make(&y->o, run->scenario, err);
  if (status == CPS_OK) status = cps_drive_make(&y->drive, run, &y->o, err);
  if (status != CPS_OK) return status;
  y->o.theta_varies = y->drive.theta_varies;
  y->o.d_varies = y->drive.d_varies;
  const layout *l = &y->o.at;
  y->n_columns = run->sim->result.n_columns;
  y->columns = cps_columns_find(&y->o, &run->sim->result, p);
  y->chunks = ((c->taping ? run->n_of : run->n_wrt) + LANES - 1) / LANES;
  y->z_size = (size_t)(l->size + y->n_columns) + 1;
  POOL_ARRAY(p, y->z, y->z_size * (size_t)y->chunks);
  POOL_ARRAY(p, y->z_aside, y->z_size * (size_t)y->chunks);
  POOL_ARRAY(p, y->initial, y->chunks * l->states);
  POOL_ARRAY(p, y->row, y->n_columns * run->n_wrt);
  POOL_ARRAY(p, y->state, state_size(&y->o.m));
  POOL_ARRAY(p, y->drive_kept, cps_drive_size(&y->drive));
  POOL_ARRAY(p, y->d_room, l->ds);
  if (p->lost) return cps_course_no_memory(c);
  cps_model_prepare(&y->o);
  cps_drive_move(&y->drive, run->scenario->run.from, run->scenario->run.from, y->o.m.drum);
  for (int k = 0; k < y->chunks && !c->taping; k++)
    memcpy(y->z + (size_t)k * y->z_size + l->theta, y->drive.theta + k * l->thetas,
           (size_t)l->thetas * sizeof(lanes));
  for (int i = 0; i < y->n_columns && !c->taping; i++) need_works(y, i);
  return CPS_OK;
}

/* Finds the equilibrium that the run starts from once more. */
static cps_status start(course *c) {
  cable_run *y = (cable_run *)c;
  const cps_scenario *s = c->run->scenario;
  const layout *l = &y->o.at;
  int rests = 0;
  for (int k = 0; k < y->chunks && !c->taping; k++)
    memcpy(y->z + (size_t)k * y->z_size + l->before, y->drive.initial + k * l->states,
           (size_t)l->states * sizeof(lanes));
  for (int k = 0; k < 2 && !c->taping; k++) put_drive(y);
  for (int i = 0; i < s->n_cables; i++) rests |= s->cables[i].start_statics;
  machine m;
  cps_status status = cps_machine_make(&m, s, c->err);
  if (status != CPS_OK) return status;
  m.note = on_statics;
  m.note_data = y;
  for (int i = 0; i < m.n_drums; i++) /* the run may hold them where nothing else does (find_start.c) */
    y->o.m.drum[i].braked = m.drum[i].braked = c->run->sim->machine->drum[i].braked;
  if (!rests) cps_machine_update_contacts(&m, s->run.from);
  if (c->taping) status = cps_course_begin(c, &m);
  if (status == CPS_OK && rests) status = cps_machine_statics(&m, s->run.from, c->err);
  machine_op what = {.kind = OP_INITIAL}, set_out = {.kind = OP_BALANCE};
  if (status == CPS_OK) status = y->status;
  if (status == CPS_OK && cps_machine_set_out(&m, s->run.from)) {
    set_out.coeffs = cps_machine_instant(s->run.from);
    status = cps_course_happens(c, &set_out.as, &m);
  }
  if (status == CPS_OK) status = cps_course_happens(c, &what.as, &m);
  cps_machine_free(&m);
  return status;
}

/* ------------------------------------------------------------------ stretches */

/* What is prescribed starts where the simulation is, and lanes of drums with the drums themselves. */
static void begin_drive(cable_run *y, const cps_simulation *sim) {
  drive *d = &y->drive;
  for (int i = 0; i < sim->machine->n_drums; i++) {
    d->base[i][0] = sim->machine->drum[i].angle;
    d->base[i][1] = sim->machine->drum[i].rate;
  }
  for (int k = 0; k < y->c.run->n_wrt; k++) {
    const sens_parameter *p = &y->c.run->wrt[k];
    int row = d->at->drum_d + p->index / 2 * DY_DRUM + (p->index % 2 ? DY_RATE : DY_ANGLE);
    if (p->kind == SENS_DRUM) d->d[k / LANES * d->at->ds + row][k % LANES] = 1;
  }
  cps_drive_move(d, sim->t, sim->t, sim->machine->drum);
}

/* A stretch begins at the state in the simulation. */
static cps_status stretch(course *c) {
  cable_run *y = (cable_run *)c;
  const layout *l = &y->o.at;
  const double *state = c->run->stretch->state;
  size_t n = (size_t)c->run->stretch->n_states;
  begin_drive(y, c->sim);
  for (int k = 0; k < c->run->n_wrt && !c->taping; k++)
    for (int i = 0; i < l->states; i++)
      y->z[(size_t)(k / LANES) * y->z_size + (size_t)(l->before + i)][k % LANES] =
          state[(size_t)k * n + (size_t)i];
  for (int k = 0; k < 2 && !c->taping; k++) put_drive(y);
  exchange(c->sim->machine, y->state, TAKE);
  exchange(&y->o.m, y->state, PUT);
  y->o.m.audited = c->sim->machine->audited;
  return c->taping ? cps_course_begin(c, NULL) : CPS_OK;
}

/* Angles and rates of drums are the last numbers of the state, as lanes of their own have them. */
static void end_stretch(course *c) {
  cable_run *y = (cable_run *)c;
  const layout *l = &y->o.at;
  int n_wrt = c->run->n_wrt, led = 0;
  double *state = c->run->stretch->state;
  size_t n = (size_t)c->run->stretch->n_states;
  for (int i = 0; i < l->states && c->taping; i++) state[i] = y->z[l->before + i][0] + y->initial[i][0];
  if (c->taping) return;
  for (int k = 0; k < n_wrt; k++)
    for (int i = 0; i < l->states; i++)
      state[(size_t)k * n + (size_t)i] =
          y->z[(size_t)(k / LANES) * y->z_size + (size_t)(l->before + i)][k % LANES];
  for (int i = 0; i < y->o.m.n_drums; i++) {
    if (!cps_drum_is_led(y->o.m.drum[i].of)) continue;
    for (int k = 0; k < n_wrt; k++)
      for (int j = 0; j < 2; j++)
        state[(size_t)k * n + (size_t)(l->states + 2 * led + j)] =
            y->drive.d[k / LANES * l->ds + l->drum_d + i * DY_DRUM + DY_ANGLE + j][k % LANES];
    led++;
  }
}

/* ------------------------------------------------------------------ adjoint */

/* Adds the adjoints of what is prescribed, at the tape's places, to the gradients. */
static void contract(cable_run *y, int part, size_t at) {
  const drive *d = &y->drive;
  int n_wrt = y->c.run->n_wrt, n_of = y->c.run->n_of;
  for (int k = 0; k < y->chunks; k++) {
    const lanes *z = y->z + (size_t)k * y->z_size + part;
    for (int i = 0; i < d->varying; i++) {
      lanes bar = z[d->which[i]];
      const double *by = (const double *)(const void *)(y->c.tape.bytes + at) + i * n_wrt;
      for (int n = 0; n < LANES && k * LANES + n < n_of; n++) {
        double *g = y->c.gradient + (k * LANES + n) * n_wrt;
        if (bar[n] == 0) continue;
        for (int p = 0; p < n_wrt; p++) g[p] += bar[n] * by[p];
      }
    }
  }
}

/* The weights of outputs at a row. */
static cps_status backward_row(cable_run *y, const machine_op *x) {
  model *o = &y->o;
  const layout *l = &o->at;
  int any = 0;
  o->list.n = 0;
  unsigned char *wanted = (unsigned char *)y->row; /* room that forward needs */
  memset(wanted, 0, (size_t)y->n_columns);
  for (int i = 0; i < y->c.run->n_of; i++) {
    lanes *z = y->z + (size_t)(i / LANES) * y->z_size;
    for (const sens_weight *w; (w = cps_course_weight(&y->c, i, x->row)) != NULL; any = 1) {
      z[l->result + w->column][i % LANES] += w->weight;
      wanted[w->column] = 1;
    }
  }
  if (!any) return CPS_OK;
  exchange(&o->m, y->c.tape.bytes + x->state, PUT);
  cps_columns_look(o, x->coeffs.t);
  for (int i = 0; i < y->n_columns; i++)
    if (wanted[i]) cps_column_add(o, &o->list, cps_column_at(y->columns, i), l->result + i, x->coeffs.t);
  if (o->list.lost) return cps_course_no_memory(&y->c);
  for (int k = 0; k < y->chunks; k++) cps_op_map(o, x, 1, NULL, y->z + (size_t)k * y->z_size);
  contract(y, l->d, x->d);
  return CPS_OK;
}

static cps_status backward_one(cable_run *y, const machine_op *x) {
  model *o = &y->o;
  if (passes(x->kind) && y->works) {
    exchange(&o->m, y->c.tape.bytes + x->before, PUT);
    cps_model_look(o, x->coeffs.t - x->h);
  }
  if (x->kind == OP_RELEASE) {
    exchange(&o->m, y->c.tape.bytes + x->before, PUT);
    cps_op_look_held(o);
  }
  exchange(&o->m, y->c.tape.bytes + x->state, PUT);
  if (x->kind == OP_GUARD) {
    cps_fire_modes(o, &o->m);
    exchange(&o->m, y->c.tape.bytes + x->before, PUT);
    cps_fire_look(o, x, y->works);
    exchange(&o->m, y->c.tape.bytes + x->state, PUT);
  }
  if (!cps_op_linearise(o, x, y->works)) return singular(y, x->coeffs.t);
  warn_of_vagueness(y);
  if (cps_model_lost(o)) return cps_course_no_memory(&y->c);
  for (int k = 0; k < y->chunks; k++)
    cps_op_map(o, x, 1, y->initial + k * o->at.states, y->z + (size_t)k * y->z_size);
  contract(y, o->at.d, x->d);
  if (passes(x->kind) || x->kind == OP_SHIFT) contract(y, o->at.d0, x->d0);
  return CPS_OK;
}

/* Adjoints of the state that the run goes on from wait while those of the row aside are found, and are added to them. */
static cps_status backward_aside(cable_run *y, const machine_op *x) {
  const layout *l = &y->o.at;
  size_t size = (size_t)l->states * sizeof(lanes);
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size + l->before, *kept = y->z_aside + (size_t)k * y->z_size;
    if (x->kind == OP_RETURN) {
      memcpy(kept, z, size);
      memset(z, 0, size);
    } else {
      for (int i = 0; i < l->states; i++) z[i] += kept[i];
    }
  }
  return CPS_OK;
}

static cps_status backward(course *c) {
  cps_status status = CPS_OK;
  for (long i = c->tape.n - 1; i >= 0 && status == CPS_OK; i--) {
    const machine_op *x = (const machine_op *)(const void *)c->tape.ops + i;
    int aside = x->kind == OP_ASIDE || x->kind == OP_RETURN;
    status = (aside ? backward_aside : x->kind == OP_ROW ? backward_row : backward_one)((cable_run *)c, x);
  }
  return status;
}

/* What is left when the tape is at its start: adjoints of plain numbers and of the first state. */
static void finish(course *c) {
  cable_run *y = (cable_run *)c;
  const layout *l = &y->o.at;
  int n_wrt = c->run->n_wrt;
  for (int i = 0; i < c->run->n_of; i++) {
    const lanes *z = y->z + (size_t)(i / LANES) * y->z_size, *first = y->initial + i / LANES * l->states;
    for (int p = 0; p < n_wrt; p++) {
      const lanes *theta = y->drive.theta + p / LANES * l->thetas,
                  *state = y->drive.initial + p / LANES * l->states;
      double sum = c->seeds[i].event >= 0 ? NAN : 0;
      for (int k = 0; k < l->thetas; k++)
        if (y->drive.theta_varies[k]) sum += z[l->theta + k][i % LANES] * theta[k][p % LANES];
      for (int k = 0; k < l->states && !c->run->stretch; k++)
        sum += (z[l->before + k][i % LANES] + first[k][i % LANES]) * state[k][p % LANES];
      c->gradient[i * n_wrt + p] += sum;
    }
  }
}

/* Weights of drums at the end act on what is prescribed there, by all that changes it. */
static void weigh_drums(cable_run *y) {
  const drive *d = &y->drive;
  const double *w = y->c.run->stretch->state + y->o.at.states;
  for (int i = 0; i < y->o.m.n_drums; i++) {
    if (!cps_drum_is_led(y->o.m.drum[i].of)) continue;
    for (int j = 0; j < 2; j++, w++)
      for (int p = 0; p < y->c.run->n_wrt; p++)
        y->c.gradient[p] +=
            *w * d->d[p / LANES * d->at->ds + d->at->drum_d + i * DY_DRUM + DY_ANGLE + j][p % LANES];
  }
}

/* Which works outputs need; and weights of the state at the end of a stretch. */
static cps_status weigh(course *c) {
  cable_run *y = (cable_run *)c;
  const layout *l = &y->o.at;
  for (int i = 0; i < c->run->n_of; i++) {
    if (c->seeds[i].event >= 0)
      cps_sens_warn(c->run, "events of cables are seen where steps end: their times have no derivative");
    for (long k = 0; k < c->seeds[i].left; k++) need_works(y, c->seeds[i].weights[k].column);
  }
  if (!c->run->stretch) return CPS_OK;
  const double *state = c->run->stretch->state;
  weigh_drums(y);
  for (int i = 0; i < l->states; i++) {
    y->z[l->before + i][0] = state[i];
    if (i >= l->works && state[i] != 0) y->works = COLUMN_ALL_WORKS;
  }
  return CPS_OK;
}

/* A tape of more than `utmost` bytes costs more to make again than itself. */
static const course_calls calls = {.size = sizeof(cable_run),
                                   .op_size = sizeof(machine_op),
                                   .most = (size_t)16 << 20,
                                   .utmost = (size_t)64 << 20,
                                   .make = make,
                                   .free = unmake,
                                   .start = start,
                                   .stretch = stretch,
                                   .end_stretch = end_stretch,
                                   .begin = begin,
                                   .note = on_step,
                                   .row = on_row,
                                   .instant = on_instant,
                                   .aside = on_aside,
                                   .forward = forward_op,
                                   .keep = keep,
                                   .backward = backward,
                                   .finish = finish,
                                   .weigh = weigh,
                                   .place_size = place_size,
                                   .save_place = save_place,
                                   .restore_place = restore_place};

static cps_status forward(sens_run *run, cps_error *err) { return cps_course_forward(&calls, run, err); }

static cps_status adjoint(sens_run *run, cps_error *err) { return cps_course_adjoint(&calls, run, err); }

/* ------------------------------------------------------------------ what it can do */

static const char *refuses(const cps_scenario *s, cps_sens_method method) {
  (void)method;
  if (s->n_cables == 0) return "";
  if (strcmp(s->run.solver, "alpha") != 0 && strcmp(s->run.solver, "bdf") != 0)
    return "cables have them with run.solver alpha or bdf only";
  for (int i = 0; i < s->n_cables; i++) {
    const scenario_cable *c = &s->cables[i];
    if (c->model != CABLE_ANCF) return "cables have them with the model ancf only";
    if (c->follows) return "the mesh of a cable follows the drums (mesh.follow)";
  }
  return NULL;
}

static int states(cps_simulation *sim, double **at) {
  machine *m = sim->machine;
  layout l;
  pool room = {0};
  int n = cps_layout_make(&l, m, &room) ? l.states : 0;
  int carried = strcmp(m->of->run.solver, "bdf") == 0 ? 3 : 4; /* auxiliary values are those of alpha */
  if (n > 0 && at) {
    memset(at, 0, (size_t)n * sizeof *at);
    for (int k = 0; k < m->nb; k++) {
      double *free_at[] = {m->free[k].q, m->free[k].v, m->free[k].a, m->free[k].aux};
      for (int j = 0; j < carried; j++) at[l.border + j * m->nb + k] = free_at[j];
    }
    for (int i = 0; i < m->n_cables; i++) {
      cable *c = &m->cable[i];
      const cable_at *x = &l.cable[i];
      double *parts[] = {c->q, c->v, c->a, c->aux};
      const int first[] = {x->q, x->v, x->a, x->aux};
      for (int j = 0; j < carried; j++)
        for (int k = 0; k < x->e; k++) at[first[j] + k] = parts[j] + k;
    }
    for (int i = 0, k = 0; i < m->n_sites; i++) /* laws with memory */
      for (int a = 0; a < m->site[i].axes; a++)
        for (int j = 0; j < m->site[i].law->law->n_states; j++, k++) {
          contact_memory *y = m->site[i].y;
          at[l.z + k] = &y->z[a][j];
          at[l.z_t + k] = &y->z_t[a][j];
          at[l.z_aux + k] = &y->aux[a][j];
        }
  }
  for (int i = 0; n > 0 && i < m->n_drums; i++) {
    if (!cps_drum_is_led(m->drum[i].of)) continue;
    if (at) {
      at[n] = &m->drum[i].angle;
      at[n + 1] = &m->drum[i].rate;
    }
    n += 2;
  }
  cps_pool_free(&room);
  return n;
}

const sens_engine cps_sens_cables = {"cables", refuses, forward, adjoint, SENS_NO_SHADOWS, states};
