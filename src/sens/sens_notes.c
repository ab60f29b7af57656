/* sens_notes.c - what solvers tell of their steps and jumps (step_notes.h), as operations to differentiate. */
#include "sens_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A contact that lets go when another one does is at its own limit if its guard is that small, over its force. */
static const double AT_LIMIT = 1e-9;

static int balances(const contact *c) {
  return c->law->n_modes == 3 && (c->law->traits & CPS_NEEDS_FEQ) != 0;
}

static int is_stuck(const bodies *b, const int *mode, int i) {
  return mode[i] == 0 && balances(&b->s->contacts[i]);
}

hold *cps_bodies_hold(bodies *b) {
  const cps_system *s = b->s;
  const workspace *k = &b->c.sim->work;
  size_t nx = (size_t)s->nx * sizeof(double), nc = (size_t)s->nc * sizeof(double);
  hold *h = b->free;
  if (h && h->k.held == k->held && memcmp(h->k.inverse_mass, k->inverse_mass, nx) == 0) {
    memcpy(h->k.f, k->f, nc);
    return h;
  }
  h = calloc(1, sizeof *h);
  if (!h || cps_workspace_make(s, &h->k, NULL) != CPS_OK) {
    free(h);
    return NULL;
  }
  memcpy(h->k.inverse_mass, k->inverse_mass, nx);
  memcpy(h->k.w_ii, k->w_ii, nc);
  memcpy(h->k.f, k->f, nc);
  h->k.held = k->held;
  h->next = b->holds;
  b->holds = h;
  return h;
}

/* The run is now where the simulation is. */
static void arrive(bodies *b, hold *h) {
  b->t = b->c.sim->t;
  memcpy(b->y, b->c.sim->y, (size_t)b->s->ny * sizeof(double));
  memcpy(b->mode, b->c.sim->mode, (size_t)b->s->nc * sizeof(int));
  b->free = h;
}

/* An operation that starts where the run was last. */
static body_op begin(const bodies *b, op_kind kind) {
  return (body_op){.kind = kind,
                   .t = b->t,
                   .t1 = b->t,
                   .y = b->y,
                   .mode = b->mode,
                   .free = b->free,
                   .contact = -1,
                   .guard = -1};
}

/* One that goes over to another state at the time of guard `guard` of contact i, or of something that is prescribed. */
static body_op begin_switch(const bodies *b, timing when, int i, int guard, double *y1, int *mode1,
                            hold *free1) {
  body_op o = begin(b, OP_SWITCH);
  o.when = when;
  o.shifts = 1;
  o.contact = i;
  o.guard = o.chain[0] = guard;
  o.n_chain = 1;
  o.y1 = y1;
  o.mode1 = mode1;
  o.free1 = free1;
  return o;
}

/* New events of contact i (-1: of all) happen at the time of the operation. */
static void add_events(bodies *b, body_op *o, int i) {
  const cps_result *r = &b->c.sim->result;
  o->event_contact = b->event_contact;
  o->event_index = b->event_index;
  for (long e = b->events; e < r->n_events && o->n_events < b->s->nc; e++) {
    if (i >= 0 && r->events[e].contact != i) continue;
    o->event_contact[o->n_events] = r->events[e].contact;
    o->event_index[o->n_events++] = b->event_offset + e;
  }
}

/* ------------------------------------------------------------------ contacts at rest */

static cps_status capture(bodies *b) {
  body_op o = begin(b, OP_CAPTURE);
  return cps_course_happens(&b->c, &o.as, NULL);
}

static int any_stuck(const bodies *b) {
  for (int i = 0; i < b->s->nc; i++)
    if (is_stuck(b, b->mode, i)) return 1;
  return 0;
}

/* Whether contact i, which lets go together with another one, does so because of its own load. */
static int at_own_limit(bodies *b, int i) {
  const contact *c = &b->s->contacts[i];
  const linearised *p = &b->at;
  double g[CPS_MAX_GUARDS];
  cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * b->s->nx + c->z, b->mode[i]};
  if (!is_stuck(b, b->mode, i)) return 0;
  cps_law_guards(c->law, c->p, &in, g, NULL);
  return fmin(g[0], g[1]) <= AT_LIMIT * fabs(p->k.f_eq[i]);
}

/* ------------------------------------------------------------------ located transitions */

/* The guard by which a contact that was stuck slides in its new mode, or one that slid sticks. */
static int own_guard(const bodies *b, int i, int to) { return is_stuck(b, b->mode, i) && to == 2 ? 1 : 0; }

/* Contacts that have changed together: the first with the transition of its states, and those that it has set off; then
 * those that have let go by themselves; then those that have come to rest. */
static cps_status switch_together(bodies *b, int i, int k) {
  const cps_system *s = b->s;
  const int *to = b->c.sim->mode;
  int *mode = b->mode_next, captured = 0, all = 1;
  hold *h = cps_bodies_hold(b);
  if (!h) return cps_course_no_memory(&b->c);
  if (!cps_linearised_go(&b->at, b->t, b->y, b->mode, &b->free->k)) return CPS_FAILED;
  memcpy(mode, b->mode, (size_t)s->nc * sizeof(int));
  for (int j = 0; j < s->nc; j++) {
    int alone = j != i && to[j] != b->mode[j] && (is_stuck(b, to, j) || at_own_limit(b, j));
    if (!alone) mode[j] = to[j];
    all &= !alone;
  }
  body_op o = begin_switch(b, AT_GUARD, i, k, b->c.sim->y, mode, b->free);
  o.mapped = s->contacts[i].n_states > 0;
  for (int j = 0; j < s->nc; j++)
    if (mode[j] == to[j]) add_events(b, &o, j); /* with those that were set off */
  cps_status status = cps_course_happens(&b->c, &o.as, NULL);
  memcpy(b->y, b->c.sim->y, (size_t)s->ny * sizeof(double));
  memcpy(b->mode, mode, (size_t)s->nc * sizeof(int));
  for (int j = 0; j < s->nc && status == CPS_OK && !all; j++) {
    if (to[j] == b->mode[j]) continue;
    int rests = is_stuck(b, to, j);
    body_op next = begin_switch(b, AT_GUARD, j, own_guard(b, j, to[j]), b->y, mode, b->free);
    captured |= rests;
    if (!rests) mode[j] = to[j]; /* else: its time alone, and a capture at the end */
    add_events(b, &next, j);
    status = cps_course_happens(&b->c, &next.as, NULL);
    memcpy(b->mode, mode, (size_t)s->nc * sizeof(int));
  }
  arrive(b, h);
  if (status == CPS_OK && captured) status = capture(b);
  return status;
}

/* The guards that fire one after the other at contact i, whose states and mode are those of the run's last place. */
static int find_chain(const bodies *b, int i, int *chain) {
  const cps_system *s = b->s;
  const contact *c = &s->contacts[i];
  const workspace *k = &b->c.sim->work;
  double z[CPS_MAX_STATES], next[CPS_MAX_STATES], g[CPS_MAX_GUARDS];
  int n = 0, mode = b->mode[i];
  memcpy(z, b->y + 2 * s->nx + c->z, (size_t)c->n_states * sizeof(double));
  double v = b->y[s->nx + c->a] - c->sb * b->y[s->nx + c->b];
  while (n < CHAIN) {
    cps_law_input in = {v, k->n[i], k->f_eq[i], z, mode};
    cps_law_guards(c->law, c->p, &in, g, NULL);
    int fired = -1;
    for (int m = 0; m < c->law->n_guards && fired < 0; m++)
      if (g[m] < 0) fired = m;
    if (fired < 0) break;
    mode = cps_law_transition(c->law, c->p, &in, fired, next, NULL);
    memcpy(z, next, (size_t)c->n_states * sizeof(double));
    chain[n++] = fired;
  }
  return n;
}

/* Laws with memory whose guards have been found negative after a step. */
static cps_status switch_settled(bodies *b, int shifts) {
  const cps_system *s = b->s;
  cps_status status = CPS_OK;
  int *mode = b->mode_next;
  memcpy(mode, b->mode, (size_t)s->nc * sizeof(int));
  double *y1 = malloc((size_t)s->ny * sizeof(double));
  if (!y1) return cps_course_no_memory(&b->c);
  for (int i = 0; i < s->nc && status == CPS_OK; i++) {
    const contact *c = &s->contacts[i];
    size_t at = (size_t)(2 * s->nx + c->z), size = (size_t)c->n_states * sizeof(double);
    if (c->n_states == 0 || !c->law->n_modes) continue;
    if (b->c.sim->mode[i] == b->mode[i] && memcmp(b->y + at, b->c.sim->y + at, size) == 0) continue;
    body_op o = begin_switch(b, AT_GUARD, i, -1, y1, mode, b->free);
    o.n_chain = find_chain(b, i, o.chain);
    if (o.n_chain == 0) continue;
    memcpy(y1, b->y, (size_t)s->ny * sizeof(double));
    memcpy(y1 + at, b->c.sim->y + at, size);
    mode[i] = b->c.sim->mode[i];
    o.mapped = 1;
    o.guard = o.chain[0];
    o.shifts = shifts;
    add_events(b, &o, i);
    status = cps_course_happens(&b->c, &o.as, NULL);
    memcpy(b->y, y1, (size_t)s->ny * sizeof(double));
    memcpy(b->mode, mode, (size_t)s->nc * sizeof(int));
  }
  free(y1);
  return status;
}

/* ------------------------------------------------------------------ stops */

static int moves_break(const bodies *b) {
  int several;
  for (int j = 0; j < b->n_wrt; j++)
    if (b->moves[j] && cps_sens_tau(b->c.run, j, b->c.sim->t, &several) != 0) return 1;
  return 0;
}

/* From before to after a jump of something prescribed. */
static cps_status cross_break(bodies *b, hold *h, int shifts) {
  body_op o = begin_switch(b, AT_BREAK, -1, -1, b->c.sim->y, b->c.sim->mode, h);
  o.t = nextafter(b->c.sim->t, -INFINITY);
  o.t1 = b->c.sim->t;
  o.released = h != b->free;
  o.shifts = shifts;
  add_events(b, &o, -1);
  return cps_course_happens(&b->c, &o.as, NULL);
}

/* Contacts that have let go or come to rest by themselves, as it happens, at an output. */
static cps_status switch_alone(bodies *b) {
  for (int i = 0; i < b->s->nc; i++)
    if (b->c.sim->mode[i] != b->mode[i] && !is_stuck(b, b->c.sim->mode, i))
      return switch_together(b, i, own_guard(b, i, b->c.sim->mode[i]));
  return CPS_OK;
}

static cps_status stop_here(bodies *b, const step_note *note, int shifts) {
  const cps_system *s = b->s;
  hold *h = cps_bodies_hold(b);
  if (!h) return cps_course_no_memory(&b->c);
  cps_status status = CPS_OK;
  int changed = memcmp(b->mode, b->c.sim->mode, (size_t)s->nc * sizeof(int)) != 0, stuck = 0;
  for (int i = 0; i < s->nc; i++) stuck |= is_stuck(b, b->c.sim->mode, i) && !is_stuck(b, b->mode, i);
  if (h != b->free || (note->pinned && changed) || (shifts && moves_break(b)))
    status = cross_break(b, h, shifts);
  else if (changed)
    status = switch_alone(b);
  arrive(b, h);
  if (status == CPS_OK && stuck) status = capture(b);
  return status;
}

/* ------------------------------------------------------------------ notes */

static cps_status find_rates(bodies *b) {
  body_op o = begin(b, OP_RATES);
  cps_status status = cps_course_happens(&b->c, &o.as, NULL);
  b->carried = 0;
  if (status == CPS_OK && cps_linearised_go(&b->at, b->t, b->y, b->mode, &b->free->k))
    memcpy(b->now, b->at.f, (size_t)b->s->nc * sizeof(double));
  return status;
}

static cps_status note_start(bodies *b, const step_note *note) {
  hold *h = cps_bodies_hold(b);
  if (!h) return cps_course_no_memory(&b->c);
  arrive(b, h);
  cps_status status = any_stuck(b) ? capture(b) : CPS_OK;
  return status == CPS_OK && note->restarts ? find_rates(b) : status;
}

static cps_status note_stop(bodies *b, const step_note *note) {
  cps_status status = stop_here(b, note, 1);
  return status == CPS_OK && note->restarts ? find_rates(b) : status;
}

static cps_status note_guard(bodies *b, const step_note *note) {
  if (note->contact < 0) return switch_settled(b, 1);
  if (!note->pinned) return switch_together(b, note->contact, note->guard);
  /* Because something prescribed has jumped: at that very time. */
  hold *h = cps_bodies_hold(b);
  body_op o = begin_switch(b, AT_BREAK, note->contact, -1, b->c.sim->y, b->c.sim->mode, h);
  o.mapped = b->s->contacts[note->contact].n_states > 0;
  o.chain[0] = note->guard;
  add_events(b, &o, -1);
  cps_status status = h ? cps_course_happens(&b->c, &o.as, NULL) : CPS_NO_MEMORY;
  if (h) arrive(b, h);
  return status;
}

static cps_status note_settle(bodies *b, const step_note *note) {
  if (b->c.sim->work.held != b->free->k.held) {
    cps_status status = stop_here(b, note, 0);
    if (status != CPS_OK) return status;
  }
  return switch_settled(b, 0);
}

static cps_status note_rk(bodies *b, const step_note *note) {
  body_op o = begin(b, OP_RK);
  o.t = note->t;
  o.h = note->h;
  o.latest = note->latest;
  o.table = note->table;
  return cps_course_happens(&b->c, &o.as, NULL);
}

static cps_status note_alpha(bodies *b, const step_note *note) {
  body_op o = begin(b, OP_ALPHA);
  o.t = note->from;
  o.t1 = note->t;
  o.h = note->h;
  o.y1 = b->c.sim->y;
  o.alpha = *note->alpha;
  o.a = (double *)note->alpha->a;
  o.f = (double *)note->alpha->f;
  o.z_t = (double *)note->alpha->z_t;
  o.before = b->start;
  /* what the step starts with is what the last one has left */
  memcpy(b->start, b->now, (size_t)b->s->nc * sizeof(double));
  memcpy(b->now, o.f, (size_t)b->s->nc * sizeof(double));
  o.carried = b->carried;
  b->carried = 0;
  return cps_course_happens(&b->c, &o.as, NULL);
}

cps_status cps_bodies_end_segment(bodies *b) {
  if (!b->open || !b->c.taping) return CPS_OK;
  b->open = 0;
  body_op o = begin(b, OP_SEGMENT);
  o.t = b->open_t;
  o.t1 = b->t;
  o.y = b->open_y;
  return cps_course_happens(&b->c, &o.as, NULL);
}

static cps_status note_smooth(bodies *b, const step_note *note) {
  (void)note;
  if (!b->open) { /* from where the run was */
    b->open = 1;
    b->open_t = b->t;
    memcpy(b->open_y, b->y, (size_t)b->s->ny * sizeof(double));
  }
  return CPS_OK;
}

/* The smooth part ends where the run was at the last note. */
static cps_status note_end(bodies *b, const step_note *note) {
  (void)note;
  return cps_bodies_end_segment(b);
}

/* A rope that goes taut with a damper in it begins to pull at once: no solver locates that, and the jump of derivatives
 * there is left out. */
static void watch_ropes(bodies *b) {
  const cps_scenario *sc = b->s->scenario;
  const workspace *k = &b->c.sim->work;
  for (int i = 0; i < sc->n_springs; i++) {
    if (!sc->springs[i].tension_only || !(sc->springs[i].damping > 0)) continue;
    int slack = k->spring_e[i] <= 0, jumps = b->slack[i] && !slack && k->spring[i] > 0;
    b->slack[i] = slack;
    if (!jumps || b->warned_taut) continue;
    b->warned_taut = 1;
    cps_sens_warn(b->c.run,
                  "spring %s goes taut at t = %.6g s, where the force of its damper jumps: derivatives "
                  "behind that leave "
                  "the jump out",
                  sc->springs[i].name, b->c.sim->t);
  }
}

cps_status cps_bodies_note(bodies *b, const step_note *note) {
  static cps_status (*const notes[])(bodies *, const step_note *) = {
      [NOTE_RK] = note_rk,         [NOTE_ALPHA] = note_alpha, [NOTE_START] = note_start,
      [NOTE_STOP] = note_stop,     [NOTE_GUARD] = note_guard, [NOTE_SETTLE] = note_settle,
      [NOTE_SMOOTH] = note_smooth, [NOTE_END] = note_end};
  cps_status status = notes[note->kind](b, note);
  const cps_result *r = &b->c.sim->result;
  watch_ropes(b);
  for (; b->events < r->n_events && status == CPS_OK; b->events++)
    if (!b->c.taping)
      status = cps_sens_add_event(b->c.run, b->tau + (size_t)r->events[b->events].contact * (size_t)b->n_wrt,
                                  b->c.err);
  if (status != CPS_OK) return status;
  hold *h = cps_bodies_hold(b);
  if (!h) return cps_course_no_memory(&b->c);
  if (note->kind != NOTE_END) arrive(b, h);
  return CPS_OK;
}
