/* simulation.c - a run: its state, what it records, and how it reports. The solvers are in solver/. */
#include "elevator.h"
#include "newton.h"
#include "plain_locale.h"
#include "refusals.h"
#include "row_store.h"
#include "steppers.h"
#include "system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ columns */

/* Appends a text, as far as there is room before `end`; returns where it ends. */
static char *append(char *to, const char *end, const char *text) {
  while (*text && to < end) *to++ = *text++;
  *to = 0;
  return to;
}

/* "kind.name.what", without the name or without what if there is none. A model has many columns, and a study makes many models. */
static void put_name(char *to, size_t size, const char *kind, const char *name, const char *what) {
  const char *end = to + size - 1;
  to = append(to, end, kind);
  if (name) to = append(append(to, end, "."), end, name);
  if (*what) append(append(to, end, "."), end, what);
}

void cps_row_put(row *r, const char *kind, const char *name, const char *what, const char *unit,
                 double value) {
  cps_result *res = r->result;
  int i = r->column++;
  if (r->task == NAMING) {
    int c = res->n_columns;
    put_name(res->names[c], sizeof res->names[c], kind, name, what);
    res->slot[i] = cps_outputs_want(r->sim->system->scenario, res->names[c]) ? c : -1;
    res->n_columns += res->slot[i] >= 0;
    res->units[c] = unit;
  } else if (r->task == FILLING && res->slot[i] >= 0) {
    res->data[(size_t)res->slot[i] * (size_t)res->capacity + (size_t)res->rows] = value;
  }
}

int cps_row_wants(const row *r, int n) {
  int wanted = 0;
  for (int i = r->column; r->task == FILLING && !wanted && i < r->column + n; i++)
    wanted = r->result->slot[i] >= 0;
  return wanted;
}

void cps_simulation_want(cps_simulation *sim, const unsigned char *wanted) {
  cps_result *res = &sim->result;
  for (int i = 0; i < res->n_slots; i++) {
    int c = res->slot[i];
    if (c < 0 || wanted[c] || strncmp(res->names[c], "cables.", 7) != 0) continue;
    res->slot[i] = -1;
    res->left_out++;
  }
}

void cps_row_field(row *r, const char *name, const char *what, const char *unit, int points, int components,
                   int constant, const double *values) {
  int i = r->field++;
  if (r->task == COUNTING) return;
  if (r->result->only_field && r->result->only_field != i + 1) return;
  field_data *f = &r->result->fields[r->result->only_field ? 0 : i];
  if (r->task == NAMING) {
    snprintf(f->field.name, sizeof f->field.name, "cables.%s.%s", name, what);
    f->field.unit = unit;
    f->field.points = points;
    f->field.components = components;
    f->field.constant = constant;
    return;
  }
  if (constant && r->result->frames > 0) return;
  size_t size = (size_t)points * (size_t)components;
  memcpy(f->data + (constant ? 0 : (size_t)r->result->frames * size), values, size * sizeof(double));
}

int cps_simulation_mode(const cps_simulation *sim, int i) {
  if (!sim->machine) return sim->mode[i];
  const slide *y = cps_contact_slide(sim->machine, i);
  if (y->law.kind != LAW_JUMP || y->p.stuck) return y->p.mode[0];
  return y->law.slip[y->p.v[0] < 0];
}

/* Whether contact i slides: by its mode if it has one, else by its velocity. */
static int slides(const cps_simulation *sim, int i) {
  const cps_system *s = sim->system;
  const workspace *k = &sim->work;
  const contact *c = &s->contacts[i];
  if (c->law->n_modes > 1 && c->law->modes) {
    int mode = cps_simulation_mode(sim, i);
    if (mode < 0) {
      cps_law_input in = {k->v[i], k->n[i], k->f_eq[i], sim->y + 2 * s->nx + c->z, CPS_MODE_FREE};
      mode = cps_law_mode(c->law, c->p, &in);
    }
    return strncmp(c->law->modes[mode], "slip", 4) == 0;
  }
  cps_law_scale scale;
  cps_law_scales(c->law, c->p, k->n[i], &scale);
  return fabs(k->v[i]) > (scale.v_band > 0 ? scale.v_band : scale.v_scale);
}

static void enumerate_bodies(row *r) {
  static const char *const places[] = {"x", "y", "z"}, *const rates[] = {"vx", "vy", "vz"};
  const cps_system *s = r->sim->system;
  const cps_scenario *sc = s->scenario;
  const double *q = r->sim->y, *v = q + s->nx;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    int c = s->body_q[i], n = cps_body_freedoms(s, i);
    const char *kind = b->kind == BODY_SURFACE ? "surfaces" : "bodies";
    for (int d = 0; d < n; d++) cps_row_put(r, kind, b->name, places[d], "m", q[c + d]);
    for (int d = 0; d < n; d++)
      cps_row_put(r, kind, b->name, b->kind == BODY_PLANE ? rates[d] : "v", "m/s", v[c + d]);
  }
}

static void enumerate_contacts(row *r) {
  const cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  const workspace *k = &sim->work;
  const double *z = sim->y + 2 * s->nx, *w = z + s->nz;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    const char *name = s->scenario->contacts[i].name;
    cps_row_put(r, "contacts", name, "v", "m/s", k->v[i]);
    cps_row_put(r, "contacts", name, "f", "N", k->f[i]);
    cps_row_put(r, "contacts", name, "n", "N", k->n[i]);
    if (c->law->traits & CPS_NEEDS_FEQ) cps_row_put(r, "contacts", name, "f_eq", "N", k->f_eq[i]);
    for (int j = 0; j < c->n_states; j++)
      cps_row_put(r, "contacts", name, c->law->states[j].name, c->law->states[j].unit, z[c->z + j]);
    cps_row_put(r, "contacts", name, "slips", "1", r->task == FILLING ? slides(sim, i) : 0);
    cps_row_put(r, "contacts", name, "work", "J", w[i]);
  }
}

static void enumerate_energy(row *r, const cps_energy *e) {
  cps_row_put(r, "energy", NULL, "kinetic", "J", e->kinetic);
  cps_row_put(r, "energy", NULL, "elastic", "J", e->elastic);
  cps_row_put(r, "energy", NULL, "gravity", "J", e->gravity);
  cps_row_put(r, "energy", NULL, "friction", "J", e->friction);
  cps_row_put(r, "energy", NULL, "damping", "J", e->damping);
  cps_row_put(r, "energy", NULL, "load_work", "J", e->load_work);
  cps_row_put(r, "energy", NULL, "motion_work", "J", e->motion_work);
  if (r->sim->machine) cps_row_put(r, "energy", NULL, "solver", "J", e->solver);
  if (r->sim->system->n_lifts > 0) cps_row_put(r, "energy", NULL, "created", "J", e->created);
  cps_row_put(r, "energy", NULL, "error", "J", e->error);
}

static void enumerate(row *r, const cps_energy *e) {
  const cps_system *s = r->sim->system;
  r->column = 0;
  cps_row_put(r, "time", NULL, "", "s", r->sim->t);
  enumerate_bodies(r);
  for (int i = 0; i < s->scenario->n_springs; i++)
    cps_row_put(r, "springs", s->scenario->springs[i].name, "force", "N", r->sim->work.spring[i]);
  enumerate_contacts(r);
  if (r->sim->machine) cps_machine_columns(r);
  cps_lift_columns(r);
  enumerate_energy(r, e);
}

void cps_simulation_fields(row *r) {
  if (r->sim->machine) cps_machine_fields(r);
  cps_lift_fields(r);
}

void cps_simulation_columns(const cps_simulation *sim, const cps_energy *e, double *values) {
  cps_result one = sim->result;
  one.data = values;
  one.capacity = 1;
  one.rows = 0;
  row r = {sim, &one, 0, 0, FILLING};
  enumerate(&r, e);
}

/* Makes room for that many frames of the fields. */
static int grow_frames(cps_result *res, long capacity) {
  double *times = realloc(res->frame_times, (size_t)capacity * sizeof(double));
  if (!times) return 0;
  res->frame_times = times;
  for (int i = 0; i < res->n_fields; i++) {
    field_data *f = &res->fields[i];
    size_t size = (size_t)f->field.points * (size_t)f->field.components;
    size_t used = (size_t)(f->field.constant ? res->frames > 0 : res->frames) * size * sizeof(double);
    double *data = cps_room_grow(res->folder, f->data, &f->mapped, used,
                                 (size_t)(f->field.constant ? 1 : capacity) * size * sizeof(double));
    if (!data) return 0;
    f->data = data;
  }
  res->frames_capacity = capacity;
  return 1;
}

static int grow_events(cps_result *res, long capacity) {
  size_t used = (size_t)res->n_events * sizeof *res->events;
  cps_event *events = cps_room_grow(res->folder, res->events, &res->events_mapped, used,
                                    (size_t)capacity * sizeof *events);
  if (!events) return 0;
  res->events = events;
  res->events_capacity = capacity;
  return 1;
}

/* Keeps the last n rows, frames or events where there is no room for another. */
static void drop_rows(cps_result *res, long n) {
  for (int c = 0; c < res->n_columns; c++) {
    double *column = res->data + (size_t)c * (size_t)res->capacity;
    memmove(column, column + (res->rows - n), (size_t)n * sizeof(double));
  }
  res->rows = n;
}

static void drop_frames(cps_result *res, long n) {
  for (int i = 0; i < res->n_fields; i++) {
    field_data *f = &res->fields[i];
    size_t size = (size_t)f->field.points * (size_t)f->field.components;
    if (f->field.constant) continue;
    memmove(f->data, f->data + (size_t)(res->frames - n) * size, (size_t)n * size * sizeof(double));
  }
  memmove(res->frame_times, res->frame_times + (res->frames - n), (size_t)n * sizeof(double));
  res->frames = n;
}

enum { EVENTS_KEPT = 64 }; /* of a stretch, by a result that keeps no rows */

cps_status cps_simulation_keep(cps_simulation *sim, long rows, cps_error *err) {
  cps_result *res = &sim->result;
  const scenario_run *run = &sim->system->scenario->run;
  long room = rows > 0 ? 2 * rows : 0;
  res->rows = res->frames = res->n_events = 0;
  sim->keep = rows < 0 ? -1 : rows;
  int good = rows < 0 || grow_events(res, room > EVENTS_KEPT ? room : EVENTS_KEPT);
  if (rows > 0) good = good && cps_rows_grow(res, room) && (res->n_fields == 0 || grow_frames(res, room));
  if (!good) {
    sim->keep = -1;
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %ld rows of %d columns", room,
                         res->n_columns);
  }
  /* rows that have gone by unseen do not come back */
  if (!sim->row_times && run->output > 0 && sim->next_output <= sim->t && !sim->first_row_due) {
    sim->output_index = (long)floor((sim->t - run->from) / run->output * (1 + 1e-12)) + 1;
    sim->next_output = run->from + (double)sim->output_index * run->output;
  }
  return CPS_OK;
}

/* ------------------------------------------------------------------ life */

/* Laws with states and modes carry their mode along; others let the law choose, unless the solver decides. */
static void initial_modes(cps_simulation *sim) {
  const cps_system *s = sim->system;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    sim->mode[i] = CPS_MODE_FREE;
    if (!c->law->n_modes || !c->n_states) continue;
    cps_law_input in = {sim->work.v[i], sim->work.n[i], 0, sim->y + 2 * s->nx + c->z, CPS_MODE_FREE};
    sim->mode[i] = cps_law_mode(c->law, c->p, &in);
  }
}

static void stored_energy(cps_simulation *sim, cps_energy *e) {
  if (sim->machine) {
    cps_audit_energy(sim->machine, e);
    if (sim->beside) cps_lifts_energy(sim->system, &sim->beside->work, sim->beside->y, e);
  } else {
    cps_system_energy(sim->system, &sim->work, sim->t, sim->y, e);
  }
}

static void audit_run(cps_simulation *sim, cps_energy *e) {
  stored_energy(sim, e);
  double stored = e->kinetic + e->elastic + e->gravity;
  e->initial = sim->initial_energy;
  e->error = stored - e->initial - e->load_work - e->motion_work + e->friction + e->damping + e->solver -
             e->created;
  double sizes[] = {fabs(stored - e->initial), e->kinetic,        e->elastic,      fabs(e->load_work),
                    fabs(e->motion_work),      fabs(e->friction), fabs(e->damping)};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    sim->largest_energy = fmax(sim->largest_energy, sizes[i]);
  e->scale = sim->largest_energy;
  cps_verdict_note(sim, e);
  e->open = sim->open_energy;
}

static cps_status make_machine(cps_simulation *sim, cps_error *err);

/* Cables in few variables beside those of elements: a simulation of their own, whose rows are not recorded. */
static cps_status make_beside(cps_simulation *sim, cps_error *err) {
  sim->beside = cps_simulation_new(sim->system->reduced, err);
  if (!sim->beside) return err ? err->status : CPS_FAILED;
  sim->work.lifts = sim->beside->work.lifts;
  cps_status status = cps_simulation_keep(sim->beside, 0, err);
  return status == CPS_OK ? cps_driver_make(sim->beside, err) : status;
}

/* The state of the bodies that they move, for springs, contacts and loads. */
static void place_beside(cps_simulation *sim) {
  const cps_system *s = sim->system;
  const double *y = sim->beside->y;
  for (int i = s->nd + s->ns; i < s->nx - 1; i++) {
    sim->y[i] = y[i];
    sim->y[s->nx + i] = y[s->nx + i];
  }
}

/* State and workspace of bodies alone; 0 if out of memory. */
static int make_bodies(cps_simulation *sim) {
  const cps_system *s = sim->system;
  sim->y = malloc((size_t)s->ny * sizeof(double));
  if (!sim->y || cps_workspace_make(s, &sim->work, NULL) != CPS_OK) return 0;
  sim->work.inputs = sim->inputs;
  memcpy(sim->y, s->initial, (size_t)s->ny * sizeof(double));
  return 1;
}

cps_simulation *cps_simulation_new(const cps_system *s, cps_error *err) {
  cps_simulation *sim = calloc(1, sizeof *sim);
  if (!sim) goto fail;
  sim->system = sim->shared = s;
  sim->keep = -1;
  sim->first_row_due = 1;
  sim->inputs = calloc((size_t)s->scenario->n_inputs + 1, sizeof *sim->inputs);
  if (!sim->inputs) goto fail;
  for (int i = 0; i < s->scenario->n_inputs; i++) {
    double start = s->scenario->inputs[i].start;
    sim->inputs[i] = (input_value){start, start, -INFINITY, -INFINITY, 0};
  }
  sim->y_t = calloc((size_t)s->ny, sizeof(double));
  sim->mode = calloc(s->nc > 0 ? (size_t)s->nc : 1, sizeof(int));
  if (!sim->y_t || !sim->mode || (s->n_elements == 0 && !make_bodies(sim))) goto fail;
  sim->t = sim->stint.from = s->scenario->run.from;
  cps_warnings_copy(&sim->result.warnings, &s->warnings);
  sim->next_output = sim->next_frame = sim->t;
  if (s->n_lifts > 0 && !s->reduced && !(sim->work.lifts = cps_lifts_copy(s, sim->y, sim->inputs))) goto fail;
  if (s->n_elements > 0) {
    cps_status status = make_machine(sim, err);
    if (status == CPS_OK && s->reduced) status = make_beside(sim, err);
    if (status == CPS_OK && s->reduced) place_beside(sim);
    if (status == CPS_NO_MEMORY) goto fail;
    if (status != CPS_OK) goto refuse;
  } else {
    cps_system_hold(s, &sim->work, sim->t);
    cps_system_kinematics(s, &sim->work, sim->t, sim->y);
    initial_modes(sim);
  }
  cps_energy e = {0};
  row r = {sim, &sim->result, 0, 0, COUNTING};
  enumerate(&r, &e);
  cps_simulation_fields(&r);
  sim->result.n_fields = r.field;
  sim->result.n_slots = r.column;
  /* one more: a name is written before it is known whether it is wanted */
  size_t room = (size_t)r.column + 1;
  sim->result.names = calloc(room, sizeof sim->result.names[0]);
  sim->result.units = calloc(room, sizeof sim->result.units[0]);
  sim->result.slot = calloc(room, sizeof sim->result.slot[0]);
  sim->result.fields = calloc((size_t)r.field + 1, sizeof *sim->result.fields);
  if (!sim->result.names || !sim->result.units || !sim->result.slot || !sim->result.fields) goto fail;
  r.task = NAMING;
  r.field = 0;
  enumerate(&r, &e);
  cps_simulation_fields(&r);
  return sim;
fail:
  cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory while preparing the run");
refuse:
  cps_simulation_free(sim);
  return NULL;
}

void cps_refuse_outputs(refusals *r, const cps_system *s) {
  if (s->scenario->outputs.n == 0) return;
  cps_error err = {0};
  cps_simulation *sim = cps_simulation_new(s, &err);
  if (!sim) {
    cps_refuse_error(r, err.status, &err);
    return;
  }
  for (int i = 0; i < s->scenario->outputs.n; i++) {
    char key[40];
    snprintf(key, sizeof key, "outputs.columns.%d", i);
    if (cps_outputs_used(s->scenario, i, &sim->result)) continue;
    cps_refuse(r, key,
               "outputs.columns: no column fits \"%s\"; columns are called time, bodies.NAME.x, "
               "contacts.NAME.f, energy.kinetic, and so on: a run without outputs.columns has them all",
               s->scenario->outputs.pattern[i]);
  }
  cps_simulation_free(sim);
}

/* The cables of the scenario, as they are drawn. Bodies are in the state of the machine, and what acts on them in its workspace. */
static cps_status make_machine(cps_simulation *sim, cps_error *err) {
  const cps_scenario *sc = sim->system->scenario;
  machine *m = calloc(1, sizeof *m);
  if (!m) return CPS_NO_MEMORY;
  sim->machine = m;
  cps_status status = cps_machine_make_drawn(m, sc, sim->system->drawn, err);
  if (status == CPS_OK) {
    cps_machine_inputs(m, sim->inputs);
    sim->y = m->y;
    sim->work = m->forces;
  }
  sim->n_seen = status == CPS_OK ? cps_cable_events_count(m) : 0;
  sim->seen = calloc((size_t)sim->n_seen + 1, sizeof *sim->seen);
  if (!sim->seen) return CPS_NO_MEMORY;
  cps_cable_events_forget(sim);
  if (status != CPS_OK && err && !err->file[0])
    snprintf(err->file, sizeof err->file, "%s", sc->file ? sc->file : "");
  return status;
}

/* Energy counts from here. */
static void start_energy(cps_simulation *sim) {
  cps_energy e = {0};
  if (sim->machine) { /* energy is stored in contacts from the start */
    cps_machine_update_contacts(sim->machine, sim->t);
    cps_audit_start(sim->machine, sim->t);
  }
  stored_energy(sim, &e);
  sim->initial_energy = e.kinetic + e.elastic + e.gravity;
}

static cps_status start(cps_simulation *sim, int may_brake, cps_error *err) {
  if (sim->started) return CPS_OK;
  if (sim->machine) cps_machine_move(sim->machine, sim->t, sim->t); /* with inputs as they are */
  if (sim->beside && cps_simulation_start(sim->beside, err) != CPS_OK) return err ? err->status : CPS_FAILED;
  cps_status status = cps_start_rests(sim) ? cps_start_find(sim, may_brake, err) : CPS_OK;
  if (status != CPS_OK) return status;
  if (sim->machine && may_brake) cps_machine_set_out(sim->machine, sim->t);
  start_energy(sim);
  cps_verdict_start(sim);
  sim->started = 1;
  return CPS_OK;
}

cps_status cps_simulation_start(cps_simulation *sim, cps_error *err) { return start(sim, 1, err); }

static void machine_count(const cps_simulation *sim, cps_progress *p) {
  for (int i = 0; i < sim->machine->n_cables; i++) {
    const cable *c = &sim->machine->cable[i];
    for (int k = 0; k < c->n_points; k++)
      if (c->point[k].drum >= 0) *(c->point[k].stuck ? &p->sticking : &p->slipping) += 1;
  }
}

void cps_simulation_free(cps_simulation *sim) {
  if (!sim) return;
  cps_driver_free(sim);
  if (!sim->beside) free(sim->work.lifts);
  cps_simulation_free(sim->beside);
  if (!sim->machine) {
    cps_workspace_free(&sim->work);
    free(sim->y);
  }
  free(sim->y_t);
  free(sim->mode);
  free(sim->pending);
  free(sim->inputs);
  free(sim->values);
  free(sim->start_state);
  free(sim->result.slot);
  free(sim->result.names);
  free(sim->result.units);
  cps_rows_free(&sim->result);
  free(sim->result.fields);
  free(sim->result.frame_times);
  cps_warnings_clear(&sim->result.warnings);
  if (sim->machine) cps_machine_free(sim->machine);
  free(sim->machine);
  free(sim->seen);
  cps_system_free(sim->own_system);
  cps_scenario_free(sim->own_scenario);
  free(sim);
}

/* ------------------------------------------------------------------ for the solvers */

void cps_simulation_rows_in(cps_simulation *sim, const char *folder) { sim->result.folder = folder; }

void cps_simulation_rows_at(cps_simulation *sim, const double *times, long n, int only) {
  sim->row_times = times;
  sim->n_row_times = n;
  sim->rows_only = only;
  sim->output_index = 0;
  sim->next_output = n > 0 ? times[0] : INFINITY;
}

int cps_simulation_every_step(const cps_simulation *sim) {
  return !sim->rows_only && sim->keep != 0 && sim->system->scenario->run.output <= 0;
}

static size_t frame_bytes(const cps_result *res) {
  size_t bytes = sizeof(double);
  for (int i = 0; i < res->n_fields; i++) {
    const cps_field *f = &res->fields[i].field;
    if (!f->constant) bytes += (size_t)f->points * (size_t)f->components * sizeof(double);
  }
  return bytes;
}

/* A frame of the fields, if it is time for one; 0 if out of memory. */
static int record_frame(cps_simulation *sim) {
  const scenario_run *run = &sim->system->scenario->run;
  cps_result *res = &sim->result;
  double interval = run->fields < 0 ? (run->until - run->from) / 200 : run->fields;
  if (interval == 0 || sim->t < sim->next_frame - 1e-9 * interval) return 1;
  if (res->frames == res->frames_capacity && sim->keep > 0) drop_frames(res, sim->keep);
  if (res->frames == res->frames_capacity &&
      !grow_frames(res, res->frames_capacity > 0 ? 2 * res->frames_capacity : 64))
    return 0;
  row r = {sim, res, 0, 0, FILLING};
  cps_simulation_fields(&r);
  res->frame_times[res->frames++] = sim->t;
  cps_rows_added(res, frame_bytes(res));
  /* not one after the other where there are very many, or where they are closer than the last digit of times */
  if (sim->t - sim->next_frame > 1e6 * interval) sim->next_frame = sim->t;
  while (sim->next_frame <= sim->t + 1e-9 * interval)
    sim->next_frame = fmax(sim->next_frame + interval, nextafter(sim->next_frame, INFINITY));
  return 1;
}

cps_status cps_simulation_field(cps_simulation *sim, int i, double *values, cps_error *err) {
  cps_result *res = &sim->result;
  if (i < 0 || i >= res->n_fields)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no field %d: this scenario has %d", i,
                         res->n_fields);
  /* as a frame of a result of its own, which has no other field */
  cps_result one = *res;
  one.frames = 0;
  one.only_field = i + 1;
  field_data place = {res->fields[i].field, values, 0};
  one.fields = &place;
  row r = {sim, &one, 0, 0, FILLING};
  cps_simulation_fields(&r);
  return CPS_OK;
}

/* What lacks memory has not failed: the run can go on where there is more. */
static cps_status lacks_memory(cps_error *err) {
  if (err) err->status = CPS_NO_MEMORY;
  return CPS_NO_MEMORY;
}

cps_status cps_simulation_record(cps_simulation *sim, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  cps_result *res = &sim->result;
  if (sim->unheard) return CPS_OK;
  if (res->rows == res->capacity && sim->keep > 0) drop_rows(res, sim->keep);
  if (res->rows == res->capacity && !cps_rows_grow(res, res->capacity > 0       ? 2 * res->capacity
                                                        : res->n_columns < 1000 ? 64
                                                                                : 4)) {
    cps_simulation_fail(sim, -1, err,
                        "out of memory for %ld rows of %d columns: record less often with run.output",
                        2 * res->capacity, res->n_columns);
    return lacks_memory(err);
  }
  cps_status status = sim->beside ? cps_simulation_follow(sim, err) : CPS_OK;
  if (status != CPS_OK) return status;
  if (!sim->machine) status = cps_system_rates(sim->system, &sim->work, sim->t, sim->y, sim->mode, sim->y_t);
  if (status != CPS_OK)
    return cps_simulation_fail(sim, sim->work.failed_contact, err, "the contact forces do not settle");
  row r = {sim, res, 0, 0, FILLING};
  cps_energy e = {0};
  /* The audit evaluates springs alone, so contact quantities stay those of the rates. */
  audit_run(sim, &e);
  enumerate(&r, &e);
  res->energy = e;
  res->rows++;
  status = cps_verdict_row(sim, err);
  if (status != CPS_OK && !isfinite(e.kinetic + e.elastic + e.gravity + e.error))
    res->rows--; /* no row of numbers */
  if (status != CPS_OK) return status;
  cps_rows_added(res, (size_t)res->n_columns * sizeof(double));
  sim->stint.rows++;
  if (res->n_fields > 0 && !record_frame(sim)) {
    cps_simulation_fail(sim, -1, err, "out of memory for %ld frames: record less often with run.fields",
                        res->frames);
    return lacks_memory(err);
  }
  double same = cps_driver_same(sim);
  if (sim->row_times) {
    /* the one that was due may lie a little later than something that jumps, where the row is */
    for (int due = sim->next_output <= sim->t + same; due; due = sim->next_output <= sim->t)
      sim->next_output = ++sim->output_index < sim->n_row_times ? sim->row_times[sim->output_index]
                                                                : INFINITY;
  } else if (run->output > 0) {
    while (sim->next_output <= sim->t + fmax(1e-9 * run->output, same))
      sim->next_output = run->from + (double)++sim->output_index * run->output;
  }
  return sim->follow.row ? sim->follow.row(sim, sim->follow.data, err) : CPS_OK;
}

/* An event at the current time; a and b say from which mode to which. */
static cps_status add_event(cps_simulation *sim, const cps_event *like, const char *a, const char *b,
                            cps_error *err) {
  cps_result *res = &sim->result;
  res->counters.events++;
  sim->stint.events++;
  if (sim->unheard) return CPS_OK;
  if (res->n_events == res->events_capacity && sim->keep == 0) return CPS_OK; /* counted only */
  if (res->n_events == res->events_capacity && sim->keep > 0) {
    long n = res->n_events / 2, gone = res->n_events - n;
    memmove(res->events, res->events + gone, (size_t)n * sizeof *res->events);
    res->n_events = n;
    sim->events_from = sim->events_from > gone ? sim->events_from - gone : 0;
  }
  if (res->n_events == res->events_capacity &&
      !grow_events(res, res->events_capacity > 0 ? 2 * res->events_capacity : 64)) {
    cps_simulation_fail(sim, like->contact, err, "out of memory for %ld events", 2 * res->events_capacity);
    return lacks_memory(err);
  }
  cps_event *e = &res->events[res->n_events++];
  *e = *like;
  e->time = sim->t;
  snprintf(e->what, sizeof e->what, "%s -> %s", a, b);
  return CPS_OK;
}

cps_status cps_simulation_event(cps_simulation *sim, int i, int from, int to, cps_error *err) {
  const cps_law *law = sim->system->contacts[i].law;
  cps_event e = {
      .contact = i, .from = from, .to = to, .contact_name = sim->system->scenario->contacts[i].name};
  char a[20], b[20];
  cps_law_mode_name(law, from, a, sizeof a);
  cps_law_mode_name(law, to, b, sizeof b);
  return add_event(sim, &e, a, b, err);
}

cps_status cps_simulation_cable_event(cps_simulation *sim, const char *name, int from, int to, const char *a,
                                      const char *b, cps_error *err) {
  cps_event e = {.contact = -1, .from = from, .to = to, .contact_name = name};
  return add_event(sim, &e, a, b, err);
}

/* Steps of what stands beside, and its events. */
static cps_status step_beside(cps_simulation *sim, cps_error *err) {
  cps_simulation *beside = sim->beside;
  size_t inputs = (size_t)sim->system->scenario->n_inputs * sizeof *sim->inputs;
  if (memcmp(beside->inputs, sim->inputs, inputs) != 0) {
    memcpy(beside->inputs, sim->inputs, inputs);
    beside->restart_due = 1;
  }
  cps_status status = cps_simulation_step(beside, sim->t, 0, NULL, err);
  for (long i = 0; status == CPS_OK && i < beside->result.n_events; i++) {
    const cps_event *e = &beside->result.events[i];
    long before = sim->result.n_events;
    status = add_event(sim, e, "", "", err);
    if (sim->result.n_events > before) sim->result.events[sim->result.n_events - 1] = *e;
  }
  return status;
}

cps_status cps_simulation_follow(cps_simulation *sim, cps_error *err) {
  cps_simulation *beside = sim->beside;
  cps_status status = beside->t < sim->t ? step_beside(sim, err) : CPS_OK;
  if (status != CPS_OK) return status;
  /* what is recorded belongs to the state */
  status = cps_system_rates(beside->system, &beside->work, beside->t, beside->y, beside->mode, beside->y_t);
  if (status != CPS_OK)
    return cps_simulation_fail(sim, -1, err,
                               "the equations of a cable in few variables cannot be solved here");
  place_beside(sim);
  return CPS_OK;
}

/* The slide that holds the states of contact i whose guards end steps; NULL: the simulation does. */
static slide *located_slide(const cps_simulation *sim, int i) {
  machine *m = sim->machine;
  return m ? &m->slide[m->n_slides - m->system->nc + i] : NULL;
}

int cps_simulation_located(const cps_simulation *sim, int i) {
  const slide *y = located_slide(sim, i);
  return y ? y->law.located ? y->p.mode[0] : -1 : sim->mode[i];
}

cps_status cps_simulation_settle(cps_simulation *sim, int *fired, cps_error *err) {
  const cps_system *s = sim->system;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    slide *y = located_slide(sim, i);
    int *mode = y ? y->p.mode : sim->mode + i, before = cps_simulation_located(sim, i);
    if (before < 0) continue;
    double *z = y ? y->y.z[0] : sim->y + 2 * s->nx + c->z, z0[CPS_MAX_STATES];
    double v = sim->y[s->nx + c->a] - c->sb * sim->y[s->nx + c->b];
    cps_law_input in = {v, sim->work.n[i], sim->work.f_eq[i], z, before};
    size_t bytes = (size_t)c->n_states * sizeof *z;
    memcpy(z0, z, bytes);
    *mode = cps_law_settle(c->law, c->p, &in, z);
    if (fired) *fired |= *mode != before || memcmp(z0, z, bytes) != 0;
    if (*mode == before) continue;
    cps_status status = cps_simulation_event(sim, i, before, *mode, err);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

enum {
  STINT = 20000,          /* steps that have to bring a run forward */
  PROGRESS_STATES = 4000, /* states times steps between two reports */
};

static double seconds_now(void) {
  struct timespec now;
  return timespec_get(&now, TIME_UTC) ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* The numbers that a step integrates: those of bodies, and of the nodes of cables. */
static int step_size(const cps_simulation *sim) {
  int n = sim->system->ny;
  for (int i = 0; sim->machine && i < sim->machine->n_cables; i++)
    n += 2 * (sim->machine->cable[i].n + 1) * sim->machine->cable[i].b;
  return n;
}

static int progress_due(cps_simulation *sim) {
  if (sim->progress_every > 0) {
    double now = seconds_now();
    if (now < sim->progress_next) return 0;
    sim->progress_next = now + sim->progress_every;
    return 1;
  }
  if (++sim->since_progress < PROGRESS_STATES / step_size(sim) + 1) return 0;
  sim->since_progress = 0;
  return 1;
}

void cps_simulation_on_progress(cps_simulation *sim, int (*progress)(const cps_progress *, void *),
                                void *data) {
  sim->progress = progress;
  sim->progress_data = data;
}

void cps_simulation_progress_every(cps_simulation *sim, double seconds) {
  sim->progress_every = seconds;
  sim->progress_next = seconds > 0 ? seconds_now() + seconds : 0;
}

/* Why so many steps came hardly any further, as far as what happened in them tells. */
static cps_status comes_nowhere(cps_simulation *sim, const struct stint *s, double gone, cps_error *err) {
  enum { OFTEN = STINT / 10 };
  const char *solver = sim->system->scenario->run.solver;
  if (s->breaks >= OFTEN)
    return cps_simulation_fail(sim, -1, err,
                               "%d steps came only %.3g s further: %ld of them ended where something "
                               "prescribed jumps or bends. Pulses, tables and the like are that short: make "
                               "them longer, or run.until earlier",
                               STINT, gone, s->breaks);
  if (s->events >= OFTEN)
    return cps_simulation_fail(
        sim, -1, err,
        "%d steps came only %.3g s further: contacts changed between sticking and "
        "slipping %ld times. Is friction at rest (mu_s) less than in motion (mu_d)? Then "
        "neither holds; otherwise try a continuous law, such as quinn",
        STINT, gone, s->events);
  if (s->rows >= OFTEN)
    return cps_simulation_fail(
        sim, -1, err, "%d steps came only %.3g s further: %ld of them ended at a row: raise run.output",
        STINT, gone, s->rows);
  return cps_simulation_fail(
      sim, -1, err,
      "%d steps came only %.3g s further: something jumps where the equations should be smooth, or changes "
      "within %.2g s; try %sa continuous friction law, or see whether masses and stiffnesses are meant as "
      "they "
      "are",
      STINT, gone, gone / STINT, strcmp(solver, "events") == 0 ? "" : "run.solver events, ");
}

cps_status cps_simulation_report(cps_simulation *sim, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  /* often enough for people, whatever a step costs, and too seldom to be felt */
  if (!sim->progress || !progress_due(sim)) return CPS_OK;
  cps_progress p = {run->from, run->until, sim->t, sim->h, sim->result.counters.steps, 0, 0};
  for (int i = 0; !sim->machine && i < sim->system->nc && i < 1000; i++)
    *(slides(sim, i) ? &p.slipping : &p.sticking) += 1;
  if (sim->machine) machine_count(sim, &p);
  for (int i = 0; i < sim->system->n_lifts; i++)
    *(sim->work.lifts[i].mode >= LIFT_SLIDES ? &p.slipping : &p.sticking) += 1;
  if (sim->progress(&p, sim->progress_data) == 0) return CPS_OK;
  return cps_simulation_stopped(sim, err);
}

cps_status cps_simulation_stepped(cps_simulation *sim, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  cps_counters *n = &sim->result.counters;
  n->steps++;
  if (!sim->machine && (!isfinite(sim->y[sim->system->nx]) || !isfinite(sim->work.force[0])))
    return cps_simulation_fail(sim, -1, err, "the solution has become infinite: try a smaller step");
  if ((double)(n->steps - sim->steps_from) > run->max_steps)
    return cps_simulation_fail(sim, -1, err,
                               "%ld steps were not enough: raise run.max_steps, or loosen run.tolerance",
                               n->steps - sim->steps_from);
  if (sim->most_tries > 0 && (double)(n->steps + n->rejected) > sim->most_tries)
    return cps_simulation_fail(sim, -1, err, "given up after %.15g steps, as give_up_after says",
                               sim->most_tries);
  if (n->steps % STINT == 0) {
    /* Where a law jumps and the jump is not located, steps shrink and never end. */
    struct stint passed = sim->stint;
    double gone = sim->t - passed.from;
    sim->stint = (struct stint){.from = sim->t};
    /* steps that are asked for are never that many: cps_refuse_solver */
    if (gone < 1e-6 * (run->until - run->from) && sim->t < run->until)
      return comes_nowhere(sim, &passed, gone, err);
  }
  return cps_simulation_report(sim, err);
}

cps_status cps_simulation_fail(cps_simulation *sim, int i, cps_error *err, const char *format, ...) {
  if (!err) return CPS_FAILED;
  char text[400];
  va_list args;
  va_start(args, format);
  cps_format(text, sizeof text, format, args);
  va_end(args);
  const cps_scenario *sc = sim->system->scenario;
  if (i >= 0) {
    char key[sizeof err->key];
    snprintf(key, sizeof key, "contacts.%s", sc->contacts[i].name);
    const scenario_body *b = &sc->bodies[sc->contacts[i].body[0]];
    cps_error_set(err, CPS_FAILED, key, "at t = %.9g s, contact %s of body %s: %s", sim->t,
                  sc->contacts[i].name, b->name, text);
  } else {
    cps_error_set(err, CPS_FAILED, NULL, "at t = %.9g s: %s", sim->t, text);
  }
  snprintf(err->file, sizeof err->file, "%s", sc->file ? sc->file : "");
  err->time = sim->t;
  cps_scenario_blame(sc, err);
  return CPS_FAILED;
}

cps_status cps_simulation_stopped(const cps_simulation *sim, cps_error *err) {
  const char *file = sim->system->scenario->file;
  cps_error_set(err, CPS_FAILED, NULL, "at t = %.9g s: stopped on request", sim->t);
  if (!err) return CPS_FAILED;
  snprintf(err->file, sizeof err->file, "%s", file ? file : "");
  err->time = sim->t;
  return CPS_FAILED;
}

/* Energy and counters of the result, as things stand. */
static void summarise(cps_simulation *sim) {
  cps_counters *n = &sim->result.counters;
  cps_energy e = {0};
  audit_run(sim, &e);
  sim->result.energy = e;
  n->evaluations += sim->work.evaluations;
  n->newton += sim->work.newton;
  sim->work.evaluations = sim->work.newton = 0;
}

cps_status cps_simulation_ready(cps_simulation *sim, cps_error *err) {
  if (sim->begun && !sim->first_row_due && !sim->pending) return CPS_OK;
  cps_status status = cps_simulation_start(sim, err);
  /* What goes on from a checkpoint has recorded its first row before. */
  if (status == CPS_OK && sim->first_row_due && !sim->pending && sim->keep != 0 &&
      (!sim->rows_only || sim->next_output <= sim->t))
    status = cps_simulation_record(sim, err);
  if (status == CPS_OK) sim->first_row_due = 0;
  return status == CPS_OK ? cps_driver_begin(sim, err) : status;
}

cps_status cps_simulation_run(cps_simulation *sim, int (*progress)(const cps_progress *, void *), void *data,
                              cps_error *err) {
  int (*before)(const cps_progress *, void *) = sim->progress;
  void *data_before = sim->progress_data;
  cps_simulation_on_progress(sim, progress, data);
  sim->steps_from = 0;
  cps_status status = cps_simulation_ready(sim, err);
  if (status == CPS_OK) status = cps_driver_run(sim, sim->system->scenario->run.until, 1, err);
  cps_simulation_on_progress(sim, before, data_before);
  sim->ended = 1;
  if (sim->started) summarise(sim);
  return sim->started ? cps_verdict_run(sim, status, err) : status;
}

/* Evaluating columns between steps is no part of the run, and does not count for its verdict. */
static void look_at_energy(cps_simulation *sim, cps_energy *e) {
  double largest = sim->largest_energy, open = sim->open_energy, moving = sim->moving_energy;
  if (!sim->machine) cps_system_rates(sim->system, &sim->work, sim->t, sim->y, sim->mode, sim->y_t);
  audit_run(sim, e);
  sim->largest_energy = largest;
  sim->open_energy = open;
  sim->moving_energy = moving;
}

double cps_simulation_imbalance(cps_simulation *sim) {
  cps_energy e = {0};
  look_at_energy(sim, &e);
  return e.error;
}

void cps_simulation_read_columns(cps_simulation *sim) {
  cps_energy e = {0};
  look_at_energy(sim, &e);
  cps_simulation_columns(sim, &e, sim->values);
  sim->values_known = 1;
}

cps_status cps_statics(cps_simulation *sim, cps_error *err) {
  if (!sim->machine)
    return cps_error_set(err, CPS_BAD_INPUT, "cables", "statics is about cables, and there are none");
  /* what is drawn and does not start from rest comes to rest here */
  int found = !sim->started && cps_start_rests(sim);
  cps_status status = start(sim, 0, err);
  if (status == CPS_OK && !found) status = cps_start_find(sim, 0, err);
  if (status != CPS_OK) return status;
  start_energy(sim);
  sim->restart_due = sim->begun;
  sim->values_known = 0;
  sim->first_row_due = 0;
  return sim->keep != 0 ? cps_simulation_record(sim, err) : CPS_OK;
}

/* ------------------------------------------------------------------ results */

const cps_result *cps_simulation_result(const cps_simulation *sim) { return &sim->result; }
long cps_result_rows(const cps_result *r) { return r->rows; }
int cps_result_columns(const cps_result *r) { return r->n_columns; }
const char *cps_result_name(const cps_result *r, int c) {
  return c >= 0 && c < r->n_columns ? r->names[c] : NULL;
}
const char *cps_result_unit(const cps_result *r, int c) {
  return c >= 0 && c < r->n_columns ? r->units[c] : NULL;
}
const double *cps_result_data(const cps_result *r, int c) {
  return c >= 0 && c < r->n_columns && r->data ? r->data + (size_t)c * (size_t)r->capacity : NULL;
}
int cps_result_find(const cps_result *r, const char *name) {
  for (int c = 0; c < r->n_columns; c++)
    if (strcmp(r->names[c], name) == 0) return c;
  return -1;
}
long cps_result_events(const cps_result *r) { return r->n_events; }
const cps_event *cps_result_event(const cps_result *r, long i) {
  return i >= 0 && i < r->n_events ? &r->events[i] : NULL;
}
void cps_result_energy(const cps_result *r, cps_energy *energy) { *energy = r->energy; }
void cps_result_counters(const cps_result *r, cps_counters *counters) { *counters = r->counters; }
const char *cps_result_warning(const cps_result *r, int i) { return cps_warnings_at(&r->warnings, i); }
int cps_result_fields(const cps_result *r) { return r->n_fields; }
const cps_field *cps_result_field(const cps_result *r, int i) {
  return i >= 0 && i < r->n_fields ? &r->fields[i].field : NULL;
}
long cps_result_frames(const cps_result *r) { return r->frames; }
const double *cps_result_frame_times(const cps_result *r) { return r->frame_times; }
const double *cps_result_field_data(const cps_result *r, int i) {
  return i >= 0 && i < r->n_fields ? r->fields[i].data : NULL;
}
