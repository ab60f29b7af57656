/* sens_cables.c - sensitivities of runs of cables by generalised-alpha and bdf: forward and adjoint.
 *
 * What happens to a machine, from the shape as drawn through statics to the last step, is a sequence of implicit
 * solves with linear maps between them (sens_ops.c). The run tells it (cable_note, machine_note); the equilibrium that it
 * starts from is found once more, for it was found before anybody could listen. Steps, who touches what, and who
 * sticks are those of the run; all else is differentiated, so that derivatives are those of the steps taken.
 *
 * Forward, tangents of four parameters at a time follow the run. The adjoint keeps a tape of states. When that holds
 * TAPE_MOST bytes, the run is saved, and the tape begins anew; at the end the last piece is on the tape, and the others
 * are run once more, from the last to the first, each from where it was saved. IDA's history cannot be saved: pieces of bdf begin
 * anywhere, and are reached by running from the last place where it was.
 */
#include "aligned.h"
#include "sens_columns.h"
#include "sens_drive.h"
#include "sens_ops.h"

#include <stdlib.h>

/* Bytes of states on the tape; and of one whose piece costs more to run again than itself. */
static const size_t TAPE_MOST = (size_t)16 << 20, TAPE_UTMOST = (size_t)64 << 20;

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

/* Something that happened: where its states are on the tape, and what was prescribed. */
typedef struct happened {
  op what;
  size_t state, before; /* of the machine after and before it */
  size_t d, d0;         /* tangents of what is prescribed, in doubles */
  long row;             /* OP_ROW */
} happened;

typedef struct tape {
  happened *list;
  long n, room;
  unsigned char *bytes;
  size_t size, bytes_room;
  double *d;
  size_t d_size, d_room;
  size_t state, d_now; /* where the present ones are */
} tape;

/* Where a piece of the run began: the simulation, and what the course knew. */
typedef struct piece {
  void *bytes;
  size_t size;
  double *drive;
  long rows, n; /* rows before it; what happened in it */
  int from;     /* the piece whose start it is reached from: itself, if the run was saved here, */
  long skip;    /* and what happens on the way */
} piece;

typedef struct cable_run {
  sens_run *run;
  model o;
  drive drive;
  column *columns;
  int n_columns, chunks, works;
  size_t z_size; /* lanes of a chunk */
  lanes *z;      /* [chunks][z_size] */
  double *row;   /* [n_columns][n_wrt] */
  cps_status status;
  cps_error *err;
  unsigned char *state; /* room for one */
  int looked;           /* the state before has been looked at */
  int warned_break;
  double *drive_kept;
  /* where the run was when it went aside for a row */
  lanes *z_aside; /* as z */
  size_t state_aside, d_aside;
  /* adjoint */
  int taping;
  tape tape;
  piece *pieces;
  int n_pieces;
  long rows;        /* so far */
  long most;        /* what may happen before the run is stopped; 0: no end */
  long since, skip; /* what has happened since the run was saved; what is not to be put onto the tape */
  int stopped;
} cable_run;

static cps_status no_memory(cps_error *err) {
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities of cables");
}

/* ------------------------------------------------------------------ states of machines */

static size_t state_size(const machine *m) {
  size_t size = (size_t)m->n_drums * sizeof(drum) + (size_t)m->nb * 5 * sizeof(double) + sizeof(double) +
                (size_t)m->n_slides * sizeof(kept_slide) + (size_t)m->n_bodies * sizeof(double) +
                (size_t)(m->system->nx - m->system->nd) * sizeof(double);
  for (int i = 0; i < m->n_slides; i++)
    if (m->slide[i].law.law->n_states) size += sizeof(kept_memory);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    size += 3 * (size_t)((c->n + 1) * c->b) * sizeof(double) + sizeof c->load + sizeof c->reaction +
            2 * sizeof(double);
    size += (size_t)c->n_points * (sizeof(kept_point) + sizeof c->start[0]);
    if (c->all_stick) size += (size_t)((c->n + 1) * c->b + c->n_points * AXES) * sizeof(double);
    if (c->memory) size += (size_t)(c->n_points * (c->dim - 1)) * sizeof(kept_memory);
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

/* What a law with memory started the solve from. */
static void exchange_memory(contact_point *p, contact_memory *y, int axes, unsigned char **at, int put) {
  for (int a = 0; a < axes; a++) {
    kept_memory x = {.mode = p->mode[a], .mode0 = p->mode0[a], .mode1 = y->mode1[a]};
    memcpy(x.z_star, y->z_star[a], sizeof x.z_star);
    memcpy(x.z_t, y->z_t[a], sizeof x.z_t);
    pass(at, &x, sizeof x, put);
    memcpy(y->z_star[a], x.z_star, sizeof x.z_star);
    memcpy(y->z_t[a], x.z_t, sizeof x.z_t);
    p->mode[a] = x.mode;
    p->mode0[a] = x.mode0;
    y->mode1[a] = x.mode1;
  }
}

/* Takes the state of a machine, or puts it there. */
static void exchange(machine *m, unsigned char *at, int put) {
  const cps_system *s = m->system;
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
    if (y->law.law->n_states) exchange_memory(&y->p, &y->y, 1, &at, put);
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
    pass(&at, c->reaction, sizeof c->reaction, put);
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
      if (c->memory) exchange_memory(p, &c->memory[k], c->dim - 1, &at, put);
    }
  }
  if (put && m->nb > 0) cps_machine_tie(m);
}

/* ------------------------------------------------------------------ tape */

static int more_bytes(unsigned char **x, size_t *room, size_t needed) {
  if (needed <= *room) return 1;
  size_t wanted = 2 * needed + 4096;
  unsigned char *more = realloc(*x, wanted);
  if (!more) return 0;
  *x = more;
  *room = wanted;
  return 1;
}

static void tape_free(tape *t) {
  free(t->list);
  free(t->bytes);
  free(t->d);
  memset(t, 0, sizeof *t);
}

static int has_state(op_kind k) {
  return k == OP_SOLVE || k == OP_REMEMBER || k == OP_BEGIN || k == OP_STEP || k == OP_START ||
         k == OP_RELEASE || k >= OP_BDF;
}

/* Puts the tangents of what is prescribed now onto the tape; where they are. */
static int tape_drive(cable_run *y, size_t *at) {
  tape *t = &y->tape;
  const drive *d = &y->drive;
  size_t size = (size_t)(d->varying * y->run->n_wrt);
  if (t->d_size + size > t->d_room) {
    size_t room = 2 * (t->d_size + size) + 64;
    double *more = realloc(t->d, room * sizeof *more);
    if (!more) return 0;
    t->d = more;
    t->d_room = room;
  }
  *at = t->d_size;
  for (int i = 0; i < d->varying; i++)
    for (int k = 0; k < y->run->n_wrt; k++)
      t->d[t->d_size++] = d->d[k / LANES * d->at->ds + d->which[i]][k % LANES];
  return 1;
}

static int tape_state(cable_run *y, machine *m, size_t *at) {
  tape *t = &y->tape;
  size_t size = state_size(m);
  if (!more_bytes(&t->bytes, &t->bytes_room, t->size + size)) return 0;
  *at = t->size;
  exchange(m, t->bytes + t->size, 0);
  t->size += size;
  return 1;
}

/* An empty tape, with the state that comes before all that happens on it. */
static cps_status tape_begin(cable_run *y, machine *m) {
  size_t at;
  y->tape.n = 0;
  y->tape.size = y->tape.d_size = 0;
  y->tape.state = y->tape.d_now = 0;
  return tape_state(y, m, &at) && tape_drive(y, &at) ? CPS_OK : no_memory(y->err);
}

static cps_status tape_add(cable_run *y, machine *m, const op *what, long row, int moved) {
  tape *t = &y->tape;
  if (t->n == t->room) {
    long room = t->room > 0 ? 2 * t->room : 256;
    happened *more = realloc(t->list, (size_t)room * sizeof *more);
    if (!more) return no_memory(y->err);
    t->list = more;
    t->room = room;
  }
  happened *x = &t->list[t->n];
  *x = (happened){.what = *what, .row = row};
  x->before = x->state = t->state;
  if (what->kind == OP_BEGIN && t->n > 0 &&
      x[-1].what.kind == OP_RELEASE) /* what jumps, jumps from before both */
    x->before = x[-1].before;
  x->d = x->d0 = t->d_now;
  if (has_state(what->kind) && !tape_state(y, m, &x->state)) return no_memory(y->err);
  if (moved && !tape_drive(y, &x->d)) return no_memory(y->err);
  if (what->kind != OP_REACH) { /* which goes nowhere yet */
    t->state = x->state;
    t->d_now = x->d;
  }
  t->n++;
  return CPS_OK;
}

/* ------------------------------------------------------------------ following */

/* Tangents of what is prescribed, into all chunks. */
static void put_drive(cable_run *y) {
  const layout *l = &y->o.at;
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size;
    memcpy(z + l->d0, z + l->d, (size_t)l->ds * sizeof *z);
    memcpy(z + l->d, y->drive.d + k * l->ds, (size_t)l->ds * sizeof *z);
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
      y->err, CPS_FAILED, NULL,
      "at t = %.9g s: the equations of the cables are singular there, and have no derivative", t);
}

/* Whether time passes, and work is done. OP_REACH is looked at for those that follow. */
static int passes(op_kind k) { return k == OP_STEP || k >= OP_BDF; }

/* Whether the state before is needed. */
static int looks_back(const model *o, op_kind k) {
  return passes(k) || ((k == OP_RELEASE || k == OP_BEGIN) && o->d_varies[o->at.tau_d]);
}

static cps_status forward_one(cable_run *y, machine *m, const op *what, int moved) {
  model *o = &y->o;
  if (looks_back(o, what->kind) && !y->looked) cps_model_look(o);
  if (what->kind == OP_RELEASE) cps_op_look_held(o);
  y->looked = looks_back(o, what->kind) && (what->kind == OP_REACH || what->kind == OP_RELEASE);
  exchange(m, y->state, 0);
  exchange(&o->m, y->state, 1);
  if (moved) put_drive(y);
  if (!cps_op_linearise(o, what, y->works)) return singular(y, what->coeffs.t);
  if (cps_model_lost(o)) return no_memory(y->err);
  for (int k = 0; k < y->chunks; k++)
    cps_op_map(o, what, 0, y->drive.initial + k * o->at.states, y->z + (size_t)k * y->z_size);
  if (what->kind == OP_REACH) put_back_drive(y);
  return CPS_OK;
}

static cps_status forward_row(cable_run *y, const op *what) {
  model *o = &y->o;
  const layout *l = &o->at;
  int n_wrt = y->run->n_wrt;
  o->list.n = 0;
  for (int i = 0; i < y->n_columns; i++)
    cps_column_add(o, &o->list, cps_column_at(y->columns, i), l->result + i, what->coeffs.t);
  if (o->list.lost) return no_memory(y->err);
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size;
    cps_op_map(o, what, 0, NULL, z);
    for (int i = 0; i < y->n_columns; i++)
      for (int n = 0; n < LANES && k * LANES + n < n_wrt; n++)
        y->row[i * n_wrt + k * LANES + n] = z[l->result + i][n];
  }
  return cps_sens_add_row(y->run, y->row, y->err);
}

static size_t tape_limit(const cable_run *y, size_t otherwise) {
  return y->run->tape_most > 0 ? y->run->tape_most : otherwise;
}

static piece *add_piece(cable_run *y);

/* A piece that begins here, and was not saved. */
static cps_status cut_tape(cable_run *y, machine *m) {
  y->pieces[y->n_pieces - 1].n = y->tape.n;
  piece *x = add_piece(y);
  if (!x) return no_memory(y->err);
  x->from = x[-1].from;
  x->skip = y->since;
  return tape_begin(y, m);
}

static cps_status happens_on_tape(cable_run *y, machine *m, const op *what, int moved) {
  long row = what->kind == OP_ROW ? y->rows++ : -1;
  y->since++;
  if (y->skip > 0) return --y->skip > 0 ? CPS_OK : tape_begin(y, m);
  cps_status status = tape_add(y, m, what, row, moved);
  y->stopped = y->most > 0 && y->tape.n == y->most;
  if (status == CPS_OK && y->stopped) return CPS_FAILED;
  /* at the end of a step the tape may be cut; not while the machine is aside */
  int may = what->kind == OP_BDF && y->most == 0;
  return status == CPS_OK && may && y->tape.size >= tape_limit(y, TAPE_UTMOST) ? cut_tape(y, m) : status;
}

/* Something happened; `moved`: what is prescribed may have moved. */
static cps_status happens(cable_run *y, machine *m, const op *what, int moved) {
  if (y->taping) return happens_on_tape(y, m, what, moved);
  return what->kind == OP_ROW ? forward_row(y, what) : forward_one(y, m, what, moved);
}

static void on_statics(machine *m, machine_note note, const step_coeffs *coeffs, void *data) {
  static const op_kind kinds[] = {
      [NOTE_REST] = OP_REST,    [NOTE_LET_GO] = OP_LET_GO,       [NOTE_HOLD] = OP_HOLD,
      [NOTE_SOLVED] = OP_SOLVE, [NOTE_REMEMBERED] = OP_REMEMBER, [NOTE_STARTED] = OP_START};
  cable_run *y = data;
  op what = {.kind = kinds[note]};
  if (coeffs) what.coeffs = *coeffs;
  if (y->status == CPS_OK) y->status = happens(y, m, &what, 0);
}

/* What is prescribed is looked at in the order of the notes, which is not that of time where a step passes a row: a copy keeps
 * where it was before the step. */
static void move_drive(cable_run *y, const cable_note *note, const drum *drums) {
  if (note->bdf == BDF_REACHED) cps_drive_save(&y->drive, y->drive_kept);
  if (note->bdf == BDF_BETWEEN) cps_drive_restore(&y->drive, y->drive_kept);
  cps_drive_move(&y->drive, note->from, note->coeffs.t, drums);
}

/* Something may jump: how its time moves. */
static void cross_break(cable_run *y, const machine *m, double t) {
  int several, which = cps_drive_break(&y->drive, t, &several);
  if (which < 0 || y->warned_break || !cps_break_shakes(m)) return;
  y->warned_break = 1;
  const char *path = y->run->wrt[which].q.path;
  if (several)
    cps_sens_warn(y->run,
                  "several prescribed things jump at t = %.9g s and %s does not move them alike: its "
                  "derivative is that of all of them moving together",
                  t, path);
  else
    cps_sens_warn(
        y->run,
        "%s moves the jump at t = %.9g s, and its derivative holds only as far as the steps behind it "
        "resolve the blow: it may be far off in size and sign. Shorter steps, --method differences, or "
        "something that starts smoothly show by how much",
        path, t);
}

static cps_status on_step(cps_simulation *sim, const void *what, void *data, cps_error *err) {
  static const op_kind kinds[] = {
      [BDF_NONE] = OP_STEP, [BDF_STEP] = OP_BDF, [BDF_REACHED] = OP_REACH, [BDF_BETWEEN] = OP_BETWEEN};
  cable_run *y = data;
  const cable_note *note = what;
  op x = {.kind = note->released ? OP_RELEASE
                  : note->begins ? OP_BEGIN
                                 : kinds[note->bdf],
          .balanced = note->balanced,
          .h = note->h,
          .coeffs = note->coeffs,
          .part = note->part};
  memcpy(x.past, note->past, sizeof x.past);
  (void)err;
  if (note->released) return happens(y, sim->machine, &x, 0);
  if (note->begins) cross_break(y, sim->machine, note->from);
  move_drive(y, note, sim->machine->drum);
  return happens(y, sim->machine, &x, 1);
}

static cps_status on_row(cps_simulation *sim, void *data, cps_error *err) {
  op x = {.kind = OP_ROW, .coeffs = {.t = sim->t}, .columns = sim->result.n_columns};
  (void)err;
  return happens(data, sim->machine, &x, 0);
}

/* Tangents of what is prescribed and of the state are put back, or those places on the tape. */
static cps_status on_aside(cps_simulation *sim, int begins, void *data, cps_error *err) {
  cable_run *y = data;
  tape *t = &y->tape;
  size_t size = y->z_size * (size_t)y->chunks * sizeof(lanes);
  op what = {.kind = begins ? OP_ASIDE : OP_RETURN, .coeffs = {.t = sim->t}};
  (void)err;
  if (begins) {
    cps_drive_save(&y->drive, y->drive_kept);
    memcpy(y->z_aside, y->z, size);
    y->state_aside = t->state;
    y->d_aside = t->d_now;
  } else {
    cps_drive_restore(&y->drive, y->drive_kept);
    memcpy(y->z, y->z_aside, size);
    t->state = y->state_aside;
    t->d_now = y->d_aside;
  }
  if (y->taping) return happens_on_tape(y, sim->machine, &what, 0);
  exchange(sim->machine, y->state, 0);
  exchange(&y->o.m, y->state, 1);
  y->looked = 0;
  return CPS_OK;
}

/* ------------------------------------------------------------------ life */

static void course_free(cable_run *y) {
  cps_drive_free(&y->drive);
  cps_model_free(&y->o);
  tape_free(&y->tape);
  for (int i = 0; i < y->n_pieces; i++) {
    free(y->pieces[i].bytes);
    free(y->pieces[i].drive);
  }
  free(y->pieces);
  free(y->columns);
  cps_lines_free(y->z);
  cps_lines_free(y->z_aside);
  free(y->row);
  free(y->state);
  free(y->drive_kept);
}

static cps_status course_make(cable_run *y, sens_run *run, int lanes_of, cps_error *err) {
  memset(y, 0, sizeof *y);
  y->run = run;
  y->err = err;
  cps_status status = cps_model_make(&y->o, run->scenario, err);
  if (status == CPS_OK) status = cps_drive_make(&y->drive, run, &y->o, err);
  if (status != CPS_OK) return status;
  y->o.theta_varies = y->drive.theta_varies;
  y->o.d_varies = y->drive.d_varies;
  const layout *l = &y->o.at;
  y->n_columns = run->sim->result.n_columns;
  y->columns = cps_columns_find(&y->o, &run->sim->result);
  y->chunks = (lanes_of + LANES - 1) / LANES;
  y->z_size = (size_t)(l->size + y->n_columns) + 1;
  size_t all_of = y->z_size * (size_t)y->chunks;
  y->z = cps_lines_new(all_of + 1, sizeof(lanes));
  y->z_aside = cps_lines_new(all_of + 1, sizeof(lanes));
  y->row = calloc((size_t)(y->n_columns * run->n_wrt) + 1, sizeof *y->row);
  y->state = malloc(state_size(&y->o.m));
  y->drive_kept = malloc(cps_drive_size(&y->drive) * sizeof(double));
  if (!y->columns || !y->z || !y->z_aside || !y->row || !y->state || !y->drive_kept ||
      !cps_model_prepare(&y->o))
    return no_memory(err);
  memset(y->z, 0, (all_of + 1) * sizeof(lanes));
  memset(y->z_aside, 0, (all_of + 1) * sizeof(lanes));
  cps_drive_move(&y->drive, run->scenario->run.from, run->scenario->run.from, y->o.m.drum);
  return CPS_OK;
}

/* Finds the equilibrium that the run starts from once more. */
static cps_status follow_start(cable_run *y) {
  const cps_scenario *s = y->run->scenario;
  int rests = 0;
  for (int i = 0; i < s->n_cables; i++) rests |= s->cables[i].start_statics;
  machine m;
  cps_status status = cps_machine_make(&m, s, y->err);
  if (status != CPS_OK) return status;
  m.note = on_statics;
  m.note_data = y;
  if (!rests) cps_machine_update_contacts(&m, s->run.from);
  if (y->taping) status = tape_begin(y, &m);
  if (status == CPS_OK && rests) status = cps_machine_statics(&m, s->run.from, y->err);
  op what = {.kind = OP_INITIAL};
  if (status == CPS_OK) status = y->status;
  if (status == CPS_OK) status = happens(y, &m, &what, 0);
  cps_machine_free(&m);
  return status;
}

static cps_status run_followed(cable_run *y, cps_simulation *sim) {
  int again = sim != y->run->sim;
  sim->follow = (follower){.data = y, .row = on_row, .step = on_step, .aside = on_aside};
  y->stopped = 0;
  y->since = 0;
  cps_status status = cps_simulation_run(sim, again ? NULL : y->run->progress, y->run->progress_data, y->err);
  sim->follow = (follower){.data = NULL};
  return y->stopped ? CPS_OK : status;
}

/* ------------------------------------------------------------------ stretches */

/* What is prescribed starts where the simulation is, and lanes of drums with the drums themselves. */
static void begin_drive(cable_run *y, const cps_simulation *sim) {
  drive *d = &y->drive;
  for (int i = 0; i < sim->machine->n_drums; i++) {
    d->base[i][0] = sim->machine->drum[i].angle;
    d->base[i][1] = sim->machine->drum[i].rate;
  }
  for (int k = 0; k < y->run->n_wrt; k++) {
    const sens_parameter *p = &y->run->wrt[k];
    int row = d->at->drum_d + p->index / 2 * DY_DRUM + (p->index % 2 ? DY_RATE : DY_ANGLE);
    if (p->kind == SENS_DRUM) d->d[k / LANES * d->at->ds + row][k % LANES] = 1;
  }
  cps_drive_move(d, sim->t, sim->t, sim->machine->drum);
}

/* From the state in the simulation to the end of the stretch, and a row there. */
static cps_status follow_stretch(cable_run *y) {
  cps_simulation *sim = y->run->sim;
  exchange(sim->machine, y->state, 0);
  exchange(&y->o.m, y->state, 1);
  y->o.m.audited = sim->machine->audited;
  cps_status status = y->taping ? tape_begin(y, sim->machine) : CPS_OK;
  sim->follow = (follower){.data = y, .row = on_row, .step = on_step, .aside = on_aside};
  if (status == CPS_OK) status = cps_simulation_step(sim, y->run->stretch->until, 0, NULL, y->err);
  if (status == CPS_OK) status = on_row(sim, y, y->err);
  sim->follow = (follower){.data = NULL};
  return status;
}

/* Angles and rates of drums are the last numbers of the state, as lanes of their own have them. */
static cps_status forward_stretch(cable_run *y) {
  const layout *l = &y->o.at;
  int n_wrt = y->run->n_wrt, led = 0;
  double *state = y->run->stretch->state;
  size_t n = (size_t)y->run->stretch->n_states;
  begin_drive(y, y->run->sim);
  for (int k = 0; k < n_wrt; k++)
    for (int i = 0; i < l->states; i++)
      y->z[(size_t)(k / LANES) * y->z_size + (size_t)(l->before + i)][k % LANES] =
          state[(size_t)k * n + (size_t)i];
  put_drive(y);
  put_drive(y);
  cps_status status = follow_stretch(y);
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
  return status;
}

static cps_status forward(sens_run *run, cps_error *err) {
  cable_run y;
  cps_status status = course_make(&y, run, run->n_wrt, err);
  const layout *l = &y.o.at;
  for (int i = 0; i < y.n_columns && y.columns; i++) {
    int needs = cps_column_works(cps_column_at(y.columns, i));
    if (needs > y.works) y.works = needs;
  }
  for (int k = 0; k < y.chunks && status == CPS_OK; k++) {
    lanes *z = y.z + (size_t)k * y.z_size;
    memcpy(z + l->theta, y.drive.theta + k * l->thetas, (size_t)l->thetas * sizeof *z);
    if (!run->stretch) memcpy(z + l->before, y.drive.initial + k * l->states, (size_t)l->states * sizeof *z);
  }
  if (status == CPS_OK && run->stretch) {
    status = forward_stretch(&y);
  } else if (status == CPS_OK) {
    put_drive(&y);
    put_drive(&y);
    status = follow_start(&y);
    if (status == CPS_OK) status = run_followed(&y, run->sim);
  }
  course_free(&y);
  return status;
}

/* ------------------------------------------------------------------ pieces of a run */

/* A new piece begins: where the run is saved, or at its start. */
static piece *add_piece(cable_run *y) {
  piece *more = realloc(y->pieces, ((size_t)y->n_pieces + 1) * sizeof *more);
  if (!more) return NULL;
  y->pieces = more;
  piece *x = &y->pieces[y->n_pieces++];
  *x = (piece){.rows = y->rows, .from = y->n_pieces - 1};
  x->drive = malloc(cps_drive_size(&y->drive) * sizeof(double));
  if (x->drive) cps_drive_save(&y->drive, x->drive);
  return x->drive ? x : NULL;
}

/* At an instant at which the run can be saved. */
static int on_checkpoint(cps_simulation *sim, void *data) {
  cable_run *y = data;
  if (y->tape.size < tape_limit(y, TAPE_MOST) && y->pieces[y->n_pieces - 1].skip == 0) return 0;
  y->pieces[y->n_pieces - 1].n = y->tape.n;
  piece *x = add_piece(y);
  y->since = 0;
  y->status = x ? cps_simulation_save(sim, &x->bytes, &x->size, y->err) : no_memory(y->err);
  if (y->status == CPS_OK) y->status = tape_begin(y, sim->machine);
  return y->status != CPS_OK;
}

/* Puts a piece of the run onto the tape again. */
static cps_status repeat(cable_run *y, int i) {
  const cps_simulation *first = y->run->sim;
  const piece *x = &y->pieces[i], *from = &y->pieces[x->from];
  y->rows = from->rows;
  y->most = x->n;
  y->skip = x->skip;
  cps_drive_restore(&y->drive, from->drive);
  cps_status status = i == 0 ? follow_start(y) : CPS_OK;
  cps_simulation *sim = status == CPS_OK ? cps_simulation_new(first->system, y->err) : NULL;
  if (!sim) return status != CPS_OK ? status : CPS_FAILED;
  if (first->row_times) cps_simulation_rows_at(sim, first->row_times, first->n_row_times, first->rows_only);
  sim->longest_step = first->longest_step;
  if (x->from > 0) status = cps_simulation_restore(sim, from->bytes, from->size, NULL, y->err);
  if (status == CPS_OK && i > 0 && x->skip == 0) status = tape_begin(y, sim->machine);
  if (status == CPS_OK) status = run_followed(y, sim);
  cps_simulation_free(sim);
  return status;
}

/* ------------------------------------------------------------------ adjoint */

/* An output's weights, and how far they have been used, from the last on. */
typedef struct seed {
  const sens_weight *weights;
  long left;
  int is_event;
} seed;

/* Adds the adjoints of what is prescribed, at the tape's places, to the gradients. */
static void contract(cable_run *y, int part, size_t at, double *gradient) {
  const drive *d = &y->drive;
  int n_wrt = y->run->n_wrt, n_of = y->run->n_of;
  for (int k = 0; k < y->chunks; k++) {
    const lanes *z = y->z + (size_t)k * y->z_size + part;
    for (int i = 0; i < d->varying; i++) {
      lanes bar = z[d->which[i]];
      const double *by = y->tape.d + at + (size_t)(i * n_wrt);
      for (int n = 0; n < LANES && k * LANES + n < n_of; n++) {
        double *g = gradient + (k * LANES + n) * n_wrt;
        if (bar[n] == 0) continue;
        for (int p = 0; p < n_wrt; p++) g[p] += bar[n] * by[p];
      }
    }
  }
}

/* The weights of outputs at a row. */
static cps_status backward_row(cable_run *y, const happened *x, seed *seeds, double *gradient) {
  model *o = &y->o;
  const layout *l = &o->at;
  int n_of = y->run->n_of, any = 0;
  double t = x->what.coeffs.t;
  o->list.n = 0;
  unsigned char *wanted = (unsigned char *)y->row; /* room that forward needs */
  for (int i = 0; i < n_of; i++)
    any |= seeds[i].left > 0 && seeds[i].weights[seeds[i].left - 1].row == x->row;
  if (!any) return CPS_OK;
  memset(wanted, 0, (size_t)y->n_columns);
  for (int i = 0; i < n_of; i++) {
    lanes *z = y->z + (size_t)(i / LANES) * y->z_size;
    while (seeds[i].left > 0 && seeds[i].weights[seeds[i].left - 1].row == x->row) {
      const sens_weight *w = &seeds[i].weights[--seeds[i].left];
      z[l->result + w->column][i % LANES] += w->weight;
      wanted[w->column] = 1;
    }
  }
  exchange(&o->m, y->tape.bytes + x->state, 1);
  for (int i = 0; i < y->n_columns; i++)
    if (wanted[i]) cps_column_add(o, &o->list, cps_column_at(y->columns, i), l->result + i, t);
  if (o->list.lost) return no_memory(y->err);
  for (int k = 0; k < y->chunks; k++) cps_op_map(o, &x->what, 1, NULL, y->z + (size_t)k * y->z_size);
  contract(y, l->d, x->d, gradient);
  return CPS_OK;
}

static cps_status backward_one(cable_run *y, const happened *x, lanes *initial, double *gradient) {
  model *o = &y->o;
  if (looks_back(o, x->what.kind) && (y->works || x->what.kind == OP_BEGIN)) {
    exchange(&o->m, y->tape.bytes + x->before, 1);
    cps_model_look(o);
  }
  if (x->what.kind == OP_RELEASE) {
    exchange(&o->m, y->tape.bytes + x->before, 1);
    cps_op_look_held(o);
  }
  exchange(&o->m, y->tape.bytes + x->state, 1);
  if (!cps_op_linearise(o, &x->what, y->works)) return singular(y, x->what.coeffs.t);
  if (cps_model_lost(o)) return no_memory(y->err);
  for (int k = 0; k < y->chunks; k++)
    cps_op_map(o, &x->what, 1, initial + k * o->at.states, y->z + (size_t)k * y->z_size);
  contract(y, o->at.d, x->d, gradient);
  if (passes(x->what.kind)) contract(y, o->at.d0, x->d0, gradient);
  return CPS_OK;
}

/* Adjoints of the state that the run goes on from wait while those of the row aside are found, and are added to them. */
static void backward_aside(cable_run *y, op_kind kind) {
  const layout *l = &y->o.at;
  size_t size = (size_t)l->states * sizeof(lanes);
  for (int k = 0; k < y->chunks; k++) {
    lanes *z = y->z + (size_t)k * y->z_size + l->before, *kept = y->z_aside + (size_t)k * y->z_size;
    if (kind == OP_RETURN) {
      memcpy(kept, z, size);
      memset(z, 0, size);
    } else {
      for (int i = 0; i < l->states; i++) z[i] += kept[i];
    }
  }
}

static cps_status backward(cable_run *y, seed *seeds, lanes *initial, double *gradient) {
  cps_status status = CPS_OK;
  for (long i = y->tape.n - 1; i >= 0 && status == CPS_OK; i--) {
    const happened *x = &y->tape.list[i];
    op_kind kind = x->what.kind;
    if (kind == OP_ASIDE || kind == OP_RETURN)
      backward_aside(y, kind);
    else
      status = kind == OP_ROW ? backward_row(y, x, seeds, gradient) : backward_one(y, x, initial, gradient);
  }
  return status;
}

/* What is left when the tape is at its start: adjoints of plain numbers and of the first state. */
static void finish(cable_run *y, const seed *seeds, const lanes *initial, double *gradient) {
  const layout *l = &y->o.at;
  int n_wrt = y->run->n_wrt, n_of = y->run->n_of;
  for (int i = 0; i < n_of; i++) {
    const lanes *z = y->z + (size_t)(i / LANES) * y->z_size, *first = initial + i / LANES * l->states;
    for (int p = 0; p < n_wrt; p++) {
      const lanes *theta = y->drive.theta + p / LANES * l->thetas,
                  *state = y->drive.initial + p / LANES * l->states;
      double sum = seeds[i].is_event ? NAN : gradient[i * n_wrt + p];
      for (int k = 0; k < l->thetas; k++)
        if (y->drive.theta_varies[k]) sum += z[l->theta + k][i % LANES] * theta[k][p % LANES];
      for (int k = 0; k < l->states && !y->run->stretch; k++)
        sum += (z[l->before + k][i % LANES] + first[k][i % LANES]) * state[k][p % LANES];
      cps_sens_add(y->run, i, p, sum);
    }
  }
}

/* Which works outputs need. */
static cps_status find_seeds(cable_run *y, seed *seeds) {
  for (int i = 0; i < y->run->n_of; i++) {
    long event;
    seeds[i].weights = cps_sens_weights(y->run, i, &seeds[i].left, &event, y->err);
    if (!seeds[i].weights) return CPS_NO_MEMORY;
    seeds[i].is_event = event >= 0;
    if (event >= 0)
      cps_sens_warn(y->run, "events of cables are seen where steps end: their times have no derivative");
    for (long k = 0; k < seeds[i].left; k++) {
      int needs = cps_column_works(cps_column_at(y->columns, seeds[i].weights[k].column));
      if (needs > y->works) y->works = needs;
    }
  }
  return CPS_OK;
}

/* Weights of drums at the end act on what is prescribed there, by all that changes it. */
static void weigh_drums(cable_run *y, double *gradient) {
  const drive *d = &y->drive;
  const double *w = y->run->stretch->state + y->o.at.states;
  for (int i = 0; i < y->o.m.n_drums; i++) {
    if (!cps_drum_is_led(y->o.m.drum[i].of)) continue;
    for (int j = 0; j < 2; j++, w++)
      for (int p = 0; p < y->run->n_wrt; p++)
        gradient[p] += *w *
                       d->d[p / LANES * d->at->ds + d->at->drum_d + i * DY_DRUM + DY_ANGLE + j][p % LANES];
  }
}

static cps_status adjoint_stretch(cable_run *y, seed *seeds, lanes *initial, double *gradient) {
  const layout *l = &y->o.at;
  double *state = y->run->stretch->state;
  begin_drive(y, y->run->sim);
  cps_status status = follow_stretch(y);
  if (status == CPS_OK) status = find_seeds(y, seeds);
  weigh_drums(y, gradient);
  for (int i = 0; i < l->states; i++) {
    y->z[l->before + i][0] = state[i];
    if (i >= l->works && state[i] != 0) y->works = 2;
  }
  if (status == CPS_OK) status = backward(y, seeds, initial, gradient);
  for (int i = 0; i < l->states; i++) state[i] = y->z[l->before + i][0] + initial[i][0];
  return status;
}

static cps_status adjoint(sens_run *run, cps_error *err) {
  cable_run y;
  cps_status status = course_make(&y, run, run->n_of, err);
  const layout *l = &y.o.at;
  size_t outputs = (size_t)run->n_of, states = (size_t)(y.chunks * l->states);
  seed *seeds = calloc(outputs + 1, sizeof *seeds);
  double *gradient = calloc(outputs * (size_t)run->n_wrt + 1, sizeof *gradient);
  lanes *initial = cps_lines_new(states + 1, sizeof(lanes));
  if (status == CPS_OK && (!seeds || !gradient || !initial)) status = no_memory(err);
  y.taping = 1;
  if (status == CPS_OK && run->stretch) {
    status = adjoint_stretch(&y, seeds, initial, gradient);
    goto end;
  }
  if (status == CPS_OK && !add_piece(&y)) status = no_memory(err);
  if (status == CPS_OK) status = follow_start(&y);
  if (status == CPS_OK) {
    cps_simulation_on_checkpoint(run->sim, on_checkpoint, &y);
    status = run_followed(&y, run->sim);
    cps_simulation_on_checkpoint(run->sim, NULL, NULL);
  }
  if (status == CPS_OK) status = find_seeds(&y, seeds);
  for (int i = y.n_pieces - 1; i >= 0 && status == CPS_OK; i--) {
    if (i < y.n_pieces - 1 && y.pieces[i].n == 0) continue;
    if (i < y.n_pieces - 1) status = repeat(&y, i);
    if (status == CPS_OK) status = backward(&y, seeds, initial, gradient);
  }
end:
  if (status == CPS_OK) finish(&y, seeds, initial, gradient);
  free(seeds);
  free(gradient);
  cps_lines_free(initial);
  course_free(&y);
  return status;
}

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

/* Where laws with memory have their states, rates and auxiliary rates. */
static void memory_at(const cps_law *law, contact_memory *y, int axes, double **z, double **z_t,
                      double **aux) {
  for (int a = 0; a < axes; a++) {
    for (int j = 0; j < law->n_states; j++) {
      *z++ = &y->z[a][j];
      *z_t++ = &y->z_t[a][j];
      *aux++ = &y->aux[a][j];
    }
  }
}

static int states(cps_simulation *sim, double **at) {
  machine *m = sim->machine;
  layout l;
  int n = cps_layout_make(&l, m, NULL) == CPS_OK ? l.states : 0;
  if (n > 0 && at) {
    memset(at, 0, (size_t)n * sizeof *at);
    for (int k = 0; k < m->nb; k++) {
      double *free_at[] = {m->free[k].q, m->free[k].v, m->free[k].a, m->free[k].aux};
      for (int j = 0; j < 4; j++) at[l.border + j * m->nb + k] = free_at[j];
    }
    for (int i = 0; i < m->n_cables; i++) {
      cable *c = &m->cable[i];
      const cable_at *x = &l.cable[i];
      double *parts[] = {c->q, c->v, c->a, c->aux};
      const int first[] = {x->q, x->v, x->a, x->aux};
      int axes = c->dim - 1;
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < x->e; k++) at[first[j] + k] = parts[j] + k;
      for (int k = 0; c->memory && k < c->n_points; k++) {
        int skip = k * axes * c->contact.law->n_states;
        memory_at(c->contact.law, &c->memory[k], axes, at + x->z + skip, at + x->z_t + skip,
                  at + x->z_aux + skip);
      }
    }
    const cable_at *x = &l.cable[m->n_cables];
    for (int i = 0, skip = 0; i < m->n_slides; skip += m->slide[i++].law.law->n_states)
      memory_at(m->slide[i].law.law, &m->slide[i].y, 1, at + x->z + skip, at + x->z_t + skip,
                at + x->z_aux + skip);
  }
  for (int i = 0; n > 0 && i < m->n_drums; i++) {
    if (!cps_drum_is_led(m->drum[i].of)) continue;
    if (at) {
      at[n] = &m->drum[i].angle;
      at[n + 1] = &m->drum[i].rate;
    }
    n += 2;
  }
  cps_layout_free(&l);
  return n;
}

const sens_engine cps_sens_cables = {"cables", refuses, forward, adjoint, SENS_NO_SHADOWS, states};
