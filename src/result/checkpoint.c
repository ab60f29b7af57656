/* checkpoint.c - see checkpoint.h.
 *
 * The bytes: a head (struct head), then items, each with an item_head, its name and its value, then the SHA-256
 * of all that as 64 characters. Numbers are those of the machine: a checkpoint is read where it was written.
 */
#include "checkpoint.h"
#include "elevator.h"
#include "machine.h"
#include "steppers.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_LENGTH = 24, HASH_LENGTH = 64, NAME_ROOM = 40 };
static const char magic[MAGIC_LENGTH] = "capstan checkpoint 2\n";

typedef struct head {
  char magic[MAGIC_LENGTH];
  char version[24];
  char build[65]; /* what the last digits depend on: see cps_build_identity */
  char solver[32];
  char scenario[65];
  char order[7]; /* of bytes and sizes: see fill_head */
} head;

typedef struct item_head {
  char name[NAME_ROOM];
  uint64_t size;
} item_head;

struct checkpoint {
  unsigned char *bytes;
  size_t size, room;
  int restoring;
  enum {
    WITH_NAMES,
    RAW_SIZE,
    RAW_WRITE,
    RAW_READ,
    RAW_COMPARE,
    RAW_LIST
  } kind;              /* raw: values alone, one after the other, each item at a multiple of eight bytes */
  int comes_back;      /* see checkpoint.h */
  size_t at;           /* where the next item is expected */
  int no_memory;       /* while saving */
  const char *missing; /* the first item that was not there, or had another size */
  const char *wrong;   /* the first whose value the model cannot have */
  state_piece *piece;  /* RAW_LIST: [room] */
  int n_pieces, pieces_room;
};

/* ------------------------------------------------------------------ items */

static void add(checkpoint *c, const void *data, size_t size) {
  if (c->no_memory) return;
  if (size > c->room - c->size) {
    size_t room = 2 * (c->size + size) + 4096;
    unsigned char *more = realloc(c->bytes, room);
    if (!more) {
      c->no_memory = 1;
      return;
    }
    c->bytes = more;
    c->room = room;
  }
  if (size > 0) memcpy(c->bytes + c->size, data, size);
  c->size += size;
}

/* The value of the next item of that name; NULL if there is none of that size. */
static const unsigned char *find(checkpoint *c, const char *name, size_t size) {
  for (size_t at = c->at; at + sizeof(item_head) <= c->size;) {
    item_head h;
    memcpy(&h, c->bytes + at, sizeof h);
    at += sizeof h;
    if (h.size > c->size - at) return NULL;
    if (strncmp(h.name, name, NAME_ROOM) == 0) {
      c->at = at + (size_t)h.size;
      return h.size == size ? c->bytes + at : NULL;
    }
    at += (size_t)h.size;
  }
  return NULL;
}

/* Copies n items. */
static void copy_items(unsigned char *to, size_t to_stride, const unsigned char *from, size_t from_stride,
                       size_t size, size_t n) {
  if (n == 0 || size == 0) return;
  if (n == 1 || (to_stride == size && from_stride == size)) {
    memcpy(to, from, size * n);
    return;
  }
  for (size_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, size);
}

/* Values without their name. */
static void raw_items(checkpoint *c, const char *name, unsigned char *at, size_t size, size_t stride,
                      size_t n) {
  size_t place_of = (c->at + 7) / 8 * 8;
  if (c->kind == RAW_WRITE) memset(c->bytes + c->at, 0, place_of - c->at);
  c->at = place_of;
  if (c->kind == RAW_LIST) {
    if (c->n_pieces < c->pieces_room) c->piece[c->n_pieces] = (state_piece){name, at, size, stride, n, c->at};
    c->n_pieces++;
    c->at += size * n;
    return;
  }
  unsigned char *place = c->kind == RAW_SIZE ? NULL : c->bytes + c->at;
  c->at += size * n;
  if (c->kind == RAW_WRITE) copy_items(place, size, at, stride, size, n);
  if (c->kind == RAW_READ) copy_items(at, stride, place, size, size, n);
  for (size_t i = 0; c->kind == RAW_COMPARE && i < n && size > 0; i++)
    if (memcmp(at + i * stride, place + i * size, size) != 0 && !c->missing) c->missing = name;
}

void cps_checkpoint_members(checkpoint *c, const char *name, void *first, size_t size, size_t stride,
                            size_t n) {
  unsigned char *at = first;
  if (c->kind != WITH_NAMES) {
    raw_items(c, name, at, size, stride, n);
    return;
  }
  if (c->restoring) {
    const unsigned char *value = find(c, name, size * n);
    if (!value && !c->missing) c->missing = name;
    for (size_t i = 0; value && size > 0 && i < n; i++) memcpy(at + i * stride, value + i * size, size);
    return;
  }
  item_head h;
  memset(&h, 0, sizeof h);
  snprintf(h.name, sizeof h.name, "%s", name);
  h.size = size * n;
  add(c, &h, sizeof h);
  for (size_t i = 0; i < n; i++) add(c, at + i * stride, size);
}

void cps_checkpoint_item(checkpoint *c, const char *name, void *at, size_t size) {
  cps_checkpoint_members(c, name, at, size, size, 1);
}

void cps_checkpoint_demand(checkpoint *c, int good, const char *name) {
  if (!good && c->restoring && !c->wrong) c->wrong = name;
}

int cps_checkpoint_demands(const checkpoint *c) { return c->restoring; }

int cps_checkpoint_comes_back(const checkpoint *c) { return c->comes_back; }

int cps_checkpoint_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

void cps_checkpoint_array(checkpoint *c, const char *name, double *at, int n) {
  cps_checkpoint_item(c, name, at, (size_t)n * sizeof(double));
}

/* ------------------------------------------------------------------ what belongs to every simulation */

/* Places, velocities, states of laws and works of bodies [ny]. */
static void list_bodies(checkpoint *c, const cps_system *s, double *y) {
  cps_checkpoint_array(c, "bodies.x", y, s->nx);
  cps_checkpoint_array(c, "bodies.v", y + s->nx, s->nx);
  cps_checkpoint_array(c, "contacts.z", y + 2 * s->nx, s->nz);
  cps_checkpoint_array(c, "works", y + 2 * s->nx + s->nz, s->nw);
  if (s->n_lifts > 0) cps_lifts_list_states(c, s, y + s->lift_y);
  if (cps_checkpoint_demands(c))
    cps_checkpoint_demand(c, cps_checkpoint_finite(y, (size_t)s->ny), "bodies.x");
}

static void list_workspace(checkpoint *c, const cps_system *s, workspace *k) {
  const struct {
    const char *name;
    double *at;
    int n;
  } arrays[] = {{"work.inverse_mass", k->inverse_mass, s->nx + s->n_lifts},
                {"work.force", k->force, s->nx},
                {"work.press", k->press, s->nx},
                {"work.surface_a", k->surface_a, s->nx},
                {"work.w_ii", k->w_ii, s->nc},
                {"work.free_a", k->free_a, s->nc},
                {"work.v", k->v, s->nc},
                {"work.n", k->n, s->nc},
                {"work.f", k->f, s->nc},
                {"work.f_eq", k->f_eq, s->nc},
                {"work.z_t", k->z_t, s->nz},
                {"work.spring", k->spring, s->scenario->n_springs},
                {"work.spring_e", k->spring_e, s->scenario->n_springs}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    cps_checkpoint_array(c, arrays[i].name, arrays[i].at, arrays[i].n);
  CHECKPOINT_VALUE(c, "evaluations", k->evaluations);
  CHECKPOINT_VALUE(c, "newton", k->newton);
  CHECKPOINT_VALUE(c, "held", k->held);
}

/* A mode that the law of contact i has, or none. */
static int mode_fits(const cps_system *s, int i, int mode) {
  int modes = s->scenario->contacts[i].law->n_modes;
  return mode >= CPS_MODE_FREE && mode < (modes > 1 ? modes : 1);
}

void cps_checkpoint_modes(checkpoint *c, const char *name, const cps_system *s, int *mode) {
  cps_checkpoint_item(c, name, mode, (size_t)s->nc * sizeof(int));
  for (int i = 0; i < s->nc && cps_checkpoint_demands(c); i++)
    cps_checkpoint_demand(c, mode_fits(s, i, mode[i]), name);
}

static void list_simulation(checkpoint *c, cps_simulation *sim) {
  const cps_system *s = sim->system;
  const scenario_run *run = &s->scenario->run;
  CHECKPOINT_VALUE(c, "t", sim->t);
  /* steps from outside may go past the end, and integrators of others to any time */
  cps_checkpoint_demand(
      c, c->kind == WITH_NAMES ? sim->t >= run->from && sim->t <= run->until : isfinite(sim->t), "t");
  CHECKPOINT_VALUE(c, "h", sim->h);
  list_bodies(c, s, sim->y);
  cps_checkpoint_array(c, "y_t", sim->y_t, s->ny);
  cps_checkpoint_modes(c, "mode", s, sim->mode);
  cps_lifts_list(c, s, sim->work.lifts);
  CHECKPOINT_VALUE(c, "next_output", sim->next_output);
  cps_checkpoint_demand(c, !isnan(sim->next_output), "next_output");
  CHECKPOINT_VALUE(c, "output_index", sim->output_index);
  cps_checkpoint_demand(c, sim->output_index >= 0 && sim->output_index < LONG_MAX / 2, "output_index");
  CHECKPOINT_VALUE(c, "largest_energy", sim->largest_energy);
  CHECKPOINT_VALUE(c, "initial_energy", sim->initial_energy);
  CHECKPOINT_VALUE(c, "open_energy", sim->open_energy);
  CHECKPOINT_VALUE(c, "moving_energy", sim->moving_energy);
  CHECKPOINT_VALUE(c, "overshoot", sim->overshoot);
  cps_checkpoint_demand(
      c, sim->overshoot.contact >= 0 && (sim->overshoot.contact < s->nc || sim->overshoot.contact == 0),
      "overshoot");
  CHECKPOINT_VALUE(c, "mesh", sim->mesh);
  if (cps_checkpoint_demands(c))
    cps_checkpoint_demand(c, cps_mesh_verdict_valid(&sim->mesh, s->scenario), "mesh");
  CHECKPOINT_VALUE(c, "stint", sim->stint);
  CHECKPOINT_VALUE(c, "counters", sim->result.counters);
  cps_checkpoint_demand(c, sim->result.counters.steps >= 0, "counters");
  CHECKPOINT_VALUE(c, "last_checkpoint", sim->last_checkpoint);
  cps_checkpoint_demand(c, sim->last_checkpoint >= 0 && sim->last_checkpoint <= sim->result.counters.steps,
                        "last_checkpoint");
  list_workspace(c, s, &sim->work);
  CHECKPOINT_VALUE(c, "next_frame", sim->next_frame);
  cps_checkpoint_demand(c, sim->next_frame >= run->from, "next_frame");
  CHECKPOINT_VALUE(c, "restart_due", sim->restart_due);
  CHECKPOINT_VALUE(c, "first_row_due", sim->first_row_due);
  cps_checkpoint_item(c, "inputs", sim->inputs, (size_t)s->scenario->n_inputs * sizeof *sim->inputs);
  if (sim->machine) cps_machine_list(c, sim->machine);
  if (sim->machine) {
    cps_checkpoint_item(c, "seen", sim->seen, (size_t)sim->n_seen * sizeof *sim->seen);
    if (cps_checkpoint_demands(c)) cps_checkpoint_demand(c, cps_cable_events_fit(sim), "seen");
  }
  if (sim->beside) {
    CHECKPOINT_VALUE(c, "beside.begun", sim->beside->begun);
    CHECKPOINT_VALUE(c, "beside.started", sim->beside->started);
    list_simulation(c, sim->beside);
    sim->beside->stepper->list(c, sim->beside->solver);
  }
}

/* How much had been recorded, and whether a solver had begun. */
static void list_extent(checkpoint *c, cps_simulation *sim, cps_extent *e, int *begun) {
  *e = (cps_extent){sim->result.rows, sim->result.n_events, sim->result.frames};
  *begun = sim->begun;
  CHECKPOINT_VALUE(c, "recorded", *e);
  cps_checkpoint_demand(c, e->rows >= 0 && e->events >= 0 && e->frames >= 0, "recorded");
  CHECKPOINT_VALUE(c, "begun", *begun);
}

static void fill_head(const cps_simulation *sim, head *h) {
  const uint16_t order = 0x0201;
  memset(h, 0, sizeof *h);
  memcpy(h->magic, magic, sizeof magic);
  snprintf(h->version, sizeof h->version, "%s", cps_version());
  const char *build = cps_build_identity();
  cps_sha256_hex(build, strlen(build), h->build);
  snprintf(h->solver, sizeof h->solver, "%s", sim->system->scenario->run.solver);
  memcpy(h->scenario, sim->system->scenario->hash, sizeof h->scenario);
  memcpy(h->order, &order, sizeof order);
  h->order[2] = (char)sizeof(long);
  h->order[3] = (char)sizeof(size_t);
}

/* ------------------------------------------------------------------ saving and restoring */

cps_status cps_simulation_save(cps_simulation *sim, void **bytes, size_t *size, cps_error *err) {
  checkpoint c = {0};
  head h;
  cps_extent extent;
  int begun;
  char hex[65];
  cps_status status = cps_simulation_start(sim, err);
  if (status != CPS_OK) return status;
  if (sim->begun && sim->stepper->forget && !sim->at_instant) {
    status = sim->stepper->forget(sim->solver, err);
    if (status != CPS_OK) return status;
  }
  fill_head(sim, &h);
  add(&c, &h, sizeof h);
  list_extent(&c, sim, &extent, &begun);
  list_simulation(&c, sim);
  if (begun) sim->stepper->list(&c, sim->solver);
  if (!c.no_memory) {
    cps_sha256_hex(c.bytes, c.size, hex);
    add(&c, hex, HASH_LENGTH);
  }
  if (c.no_memory) {
    free(c.bytes);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a checkpoint");
  }
  *bytes = c.bytes;
  *size = c.size;
  return CPS_OK;
}

/* Says what is wrong with the head; NULL if nothing. */
static const char *check_head(const cps_simulation *sim, const unsigned char *bytes, size_t size) {
  head found, wanted;
  char hex[65];
  if (size < sizeof found + HASH_LENGTH || memcmp(bytes, magic, sizeof magic) != 0)
    return "this is not a checkpoint";
  cps_sha256_hex(bytes, size - HASH_LENGTH, hex);
  if (memcmp(hex, bytes + size - HASH_LENGTH, HASH_LENGTH) != 0) return "the checkpoint is damaged";
  memcpy(&found, bytes, sizeof found);
  fill_head(sim, &wanted);
  if (memcmp(found.version, wanted.version, sizeof found.version) != 0 ||
      memcmp(found.order, wanted.order, sizeof found.order) != 0)
    return "the checkpoint was written by another version, or on another kind of machine";
  if (memcmp(found.build, wanted.build, sizeof found.build) != 0)
    return "the checkpoint was written by another build of capstan (other sources, compiler or processor), "
           "whose "
           "last digits differ: go on with that one, or run the scenario anew";
  if (memcmp(found.scenario, wanted.scenario, sizeof found.scenario) != 0)
    return "the checkpoint belongs to another scenario, or to other settings";
  if (memcmp(found.solver, wanted.solver, sizeof found.solver) != 0)
    return "the checkpoint belongs to another solver";
  return NULL;
}

/* Whether all items were there, with values that the model can have. */
static cps_status check_items(const checkpoint *c, cps_error *err) {
  if (!c->missing && !c->wrong) return CPS_OK;
  return cps_error_set(err, CPS_BAD_INPUT, NULL, "the %s does not fit: \"%s\" %s",
                       c->kind == WITH_NAMES ? "checkpoint" : "state", c->missing ? c->missing : c->wrong,
                       c->missing ? "is missing or has another size"
                                  : "has a value that this model cannot have");
}

cps_status cps_simulation_restore(cps_simulation *sim, const void *bytes, size_t size, cps_extent *recorded,
                                  cps_error *err) {
  const char *wrong = check_head(sim, bytes, size);
  if (wrong) return cps_error_set(err, CPS_BAD_INPUT, NULL, "%s", wrong);
  size_t length = size - sizeof(head) - HASH_LENGTH;
  unsigned char *copy = malloc(length > 0 ? length : 1);
  if (!copy) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a checkpoint");
  memcpy(copy, (const unsigned char *)bytes + sizeof(head), length);
  checkpoint c = {.bytes = copy, .size = length, .restoring = 1};
  cps_extent extent;
  int begun;
  checkpoint before = {0};
  list_simulation(&before, sim);
  list_extent(&c, sim, &extent, &begun);
  if (!before.no_memory) list_simulation(&c, sim);
  cps_status status = before.no_memory
                          ? cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a checkpoint")
                          : check_items(&c, err);
  if (status != CPS_OK) { /* the simulation is what it was */
    before.restoring = 1;
    if (!before.no_memory) list_simulation(&before, sim);
    free(before.bytes);
    free(copy);
    return status;
  }
  free(before.bytes);
  if (recorded) *recorded = extent;
  cps_driver_free(sim);
  sim->result.rows = sim->result.frames = sim->result.n_events = 0;
  sim->started = 1;
  sim->ended = 0;
  sim->values_known = 0;
  free(sim->pending);
  sim->pending = NULL;
  if (begun) {
    sim->pending = copy;
    sim->pending_size = length;
  } else {
    free(copy);
  }
  return CPS_OK;
}

cps_status cps_checkpoint_resume(cps_simulation *sim, cps_error *err) {
  checkpoint c = {.bytes = sim->pending, .size = sim->pending_size, .restoring = 1};
  sim->stepper->list(&c, sim->solver);
  free(sim->pending);
  sim->pending = NULL;
  return check_items(&c, err);
}

/* ------------------------------------------------------------------ in memory */

/* What a block starts with. */
typedef struct block_head {
  uint64_t size;
  char scenario[64];
} block_head;

static void list_state(checkpoint *c, cps_simulation *sim) {
  list_simulation(c, sim);
  sim->stepper->list(c, sim->solver);
}

size_t cps_state_size(cps_simulation *sim) {
  checkpoint c = {.kind = RAW_SIZE, .at = sizeof(block_head)};
  list_state(&c, sim);
  return c.at;
}

static block_head head_of(cps_simulation *sim) {
  block_head h = {.size = cps_state_size(sim)};
  memcpy(h.scenario, sim->system->scenario->hash, sizeof h.scenario);
  return h;
}

void cps_state_label(cps_simulation *sim, void *block) {
  block_head h = head_of(sim);
  memcpy(block, &h, sizeof h);
}

void cps_state_write(cps_simulation *sim, void *block) {
  checkpoint c = {.kind = RAW_WRITE, .bytes = block, .at = sizeof(block_head)};
  cps_state_label(sim, block);
  list_state(&c, sim);
}

cps_status cps_state_read(cps_simulation *sim, const void *block, int strange, cps_error *err) {
  block_head h = head_of(sim);
  if (memcmp(block, &h, sizeof h) != 0)
    return cps_error_set(
        err, CPS_BAD_INPUT, NULL,
        "this is no state of this simulation: its scenario has other settings, or it is none");
  checkpoint c = {
      .kind = RAW_READ, .bytes = (unsigned char *)block, .at = sizeof(block_head), .restoring = strange};
  list_state(&c, sim);
  return check_items(&c, err);
}

int cps_state_pieces(cps_simulation *sim, state_piece *pieces, int room) {
  checkpoint c = {.kind = RAW_LIST, .at = sizeof(block_head), .piece = pieces, .pieces_room = room};
  list_state(&c, sim);
  return c.n_pieces;
}

/* ------------------------------------------------------------------ aside */

struct states_aside {
  unsigned char *bytes; /* [states size] */
  size_t size;
  int n_pieces;
  state_piece piece[]; /* with places in a state */
};

/* Joins pieces that lie side by side. */
static int join(state_piece *piece, int n) {
  int joined = 0;
  for (int i = 0; i < n; i++) {
    state_piece p = piece[i];
    if (p.n * p.size == 0) continue;
    if (p.n == 1 || p.stride == p.size) p = (state_piece){p.name, p.at, p.n * p.size, 0, 1, 0};
    state_piece *last = joined > 0 ? &piece[joined - 1] : NULL;
    if (last && last->n == 1 && p.n == 1 && last->at + last->size == p.at)
      last->size += p.size;
    else
      piece[joined++] = p;
  }
  return joined;
}

states_aside *cps_aside_new(cps_simulation *sim, int states) {
  checkpoint c = {.kind = RAW_LIST, .comes_back = 1};
  list_state(&c, sim);
  states_aside *a = malloc(sizeof *a + (size_t)c.n_pieces * sizeof *a->piece);
  if (!a) return NULL;
  c = (checkpoint){.kind = RAW_LIST, .comes_back = 1, .piece = a->piece, .pieces_room = c.n_pieces};
  list_state(&c, sim);
  a->n_pieces = join(a->piece, c.n_pieces);
  a->size = 0;
  for (int i = 0; i < a->n_pieces; i++) {
    a->piece[i].offset = a->size;
    a->size += a->piece[i].size * a->piece[i].n;
  }
  a->bytes = malloc(a->size > 0 ? a->size * (size_t)states : 1);
  if (a->bytes) return a;
  free(a);
  return NULL;
}

void cps_aside_free(states_aside *a) {
  if (a) free(a->bytes);
  free(a);
}

void cps_aside_take(states_aside *a, int state) {
  unsigned char *to = a->bytes + (size_t)state * a->size;
  for (int i = 0; i < a->n_pieces; i++) {
    const state_piece *p = &a->piece[i];
    copy_items(to + p->offset, p->size, p->at, p->stride, p->size, p->n);
  }
}

void cps_aside_put(const states_aside *a, int state) {
  const unsigned char *from = a->bytes + (size_t)state * a->size;
  for (int i = 0; i < a->n_pieces; i++) {
    const state_piece *p = &a->piece[i];
    copy_items(p->at, p->stride, from + p->offset, p->size, p->size, p->n);
  }
}

/* ------------------------------------------------------------------ */

const char *cps_state_compare(cps_simulation *sim, const void *block) {
  checkpoint c = {.kind = RAW_COMPARE, .bytes = (unsigned char *)block, .at = sizeof(block_head)};
  list_state(&c, sim);
  return c.missing;
}

int cps_checkpoint_due(const cps_simulation *sim, long every) {
  return sim->result.counters.steps >= sim->last_checkpoint + every;
}

cps_status cps_checkpoint_offer(cps_simulation *sim, cps_error *err) {
  sim->last_checkpoint = sim->result.counters.steps;
  if (!sim->checkpoint) return CPS_OK;
  sim->at_instant = 1;
  int stop = sim->checkpoint(sim, sim->checkpoint_data);
  sim->at_instant = 0;
  if (!stop) return CPS_OK;
  return cps_simulation_stopped(sim, err);
}

void cps_simulation_on_checkpoint(cps_simulation *sim, int (*call)(cps_simulation *, void *), void *data) {
  sim->checkpoint = call;
  sim->checkpoint_data = data;
}
