/* read_drums.c - drums: where they are, what turns them, what carries them. */
#include "drives.h"
#include "read_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cps_find_drum(reader *r, const node *n, const cps_scenario *s) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  if (n->kind != NODE_SCALAR) {
    cps_complain(r, n, "found %s; expected the name of a drum", cps_node_what(n));
    return -1;
  }
  int i = cps_index_get(&r->drums, n->text);
  if (i >= 0) return i;
  nearest_name near = {.word = n->text};
  for (int k = 0; k < s->n_drums && !cps_problems_full(r->d->problems); k++)
    cps_nearest_offer(&near, s->drums[k].name);
  cps_complain(r, n, "there is no drum %s%s", cps_quote(quote, n->text),
               cps_nearest_hint(&near, s->n_drums ? "" : "; there are no drums at all", hint));
  return -1;
}

/* ------------------------------------------------------------------ drives */

/* Units of the gains depend on whether they give a torque or an acceleration. */
static key_table keys_of_pd(int torque, key *rows) {
  memcpy(rows, cps_keys_pd.keys, (size_t)cps_keys_pd.n * sizeof *rows);
  for (int i = 0; torque && i < cps_keys_pd.n; i++) {
    if (strcmp(rows[i].name, "kp") == 0) rows[i].unit = "N m/rad";
    if (strcmp(rows[i].name, "kd") == 0) rows[i].unit = "N m s/rad";
  }
  key_table table = cps_keys_pd;
  table.keys = rows;
  return table;
}

static void read_pd(reader *r, const node *n, scenario_drum *d) {
  key rows[8];
  raw_pd raw;
  key_table table = keys_of_pd(d->inertia > 0, rows);
  int before = cps_enter(r, "pd");
  cps_read_map(r, n, &table, NULL, &raw);
  d->kp = raw.kp;
  d->kd = raw.kd;
  d->motion = cps_read_profile_key(r, raw.setpoint, &cps_keys_pd, "setpoint", "rad");
  cps_leave(r, before);
}

/* The name of what was chosen: a word, or the key of a map. */
static const char *choice_of(const node *n) { return n->kind == NODE_MAP ? n->entry[0].key->text : n->text; }

static void read_drive(reader *r, const node *n, scenario_drum *d) {
  raw_drive raw = {0};
  if (!n) return;
  int before = cps_enter(r, "drive");
  if (cps_read_choice(r, n, cps_row(&cps_keys_drums, "drive"), &raw) >= 0) {
    d->drive = cps_drive_find(choice_of(n));
    for (int i = 0; i < cps_keys_drive.n; i++) {
      const key *row = &cps_keys_drive.keys[i];
      if (!raw.told[i]) continue;
      if (row->type == KEY_PROFILE)
        d->motion = cps_read_profile_key(r, raw.told[i], &cps_keys_drive, row->name, row->unit);
      else
        read_pd(r, raw.told[i], d);
    }
    if (d->inertia == 0 && cps_drive_is(d, DRIVE_NEEDS_INERTIA))
      cps_complain(r, n, "a drum that %s needs inertia, such as inertia: 0.1 kg m2", d->drive->does);
  }
  cps_leave(r, before);
}

static void read_bearing(reader *r, const node *n, scenario_drum *d) {
  raw_bearing raw;
  if (!n) return;
  int before = cps_enter(r, "bearing");
  cps_read_map(r, n, &cps_keys_bearing, NULL, &raw);
  d->bearing_radius = raw.radius;
  d->bearing_load = raw.load;
  int outer = cps_enter(r, "friction");
  if (raw.friction) cps_read_friction(r, raw.friction, &d->bearing, d->bearing_p);
  cps_leave(r, outer);
  if (!cps_drive_is(d, DRIVE_TURNS))
    cps_complain(r, n, "friction in the bearing does nothing, since this drum %s", d->drive->does);
  else if (d->inertia == 0)
    cps_complain(r, n, "a drum with friction in its bearing needs inertia, such as inertia: 0.1 kg m2");
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ places */

static void read_axis(reader *r, const node *n, scenario_drum *d) {
  const node *axis = cps_node_get(n, "axis");
  int before = cps_enter(r, "axis");
  if (!cps_normalise(d->axis)) {
    cps_complain(r, axis ? axis : n, "an axis cannot be zero; it is a list such as [0, 0, 1]");
    d->axis[2] = 1;
  } else if (axis && !r->space && !(d->axis[0] == 0 && d->axis[1] == 0 && d->axis[2] > 0)) {
    /* The plane's own axis says nothing about space. */
    r->space = axis;
  }
  cps_leave(r, before);
}

static void read_carrier(reader *r, const node *n, const cps_scenario *s, scenario_drum *d) {
  const node *carrier = cps_node_get(n, "carried_by"), *moved = cps_node_key(n, "moved");
  if (!carrier) return;
  int before = cps_enter(r, "carried_by");
  int body = cps_find_mass(r, carrier, s, "a drum is carried by");
  if (body >= 0) d->carrier = body;
  if (moved)
    cps_complain(r, carrier,
                 "this drum is moved as prescribed, so no body can carry it; leave one of the two out");
  cps_leave(r, before);
}

/* A drum that says nothing about its centre sits on its body; a body that says nothing about its place is at the centre of the
 * first drum that it carries, and moves freely. */
static void sit(const node *n, cps_scenario *s, scenario_drum *d) {
  scenario_body *b = &s->bodies[d->carrier];
  int said = cps_node_key(n, "center") != NULL;
  if (!said && b->placed)
    for (int k = 0; k < 3; k++)
      d->center[k] = b->kind == BODY_PLANE ? b->x[k] : b->origin[k] + b->x[0] * b->direction[k];
  if (said) b->adrift = 0;
  if (b->placed) return;
  b->kind = BODY_PLANE;
  b->placed = 1;
  b->adrift = !said;
  memset(b->origin, 0, sizeof b->origin);
  memcpy(b->x, d->center, sizeof d->center);
}

static void read_drum(reader *r, const node *n, cps_scenario *s, scenario_drum *d) {
  raw_drum raw;
  cps_read_map(r, n, &cps_keys_drums, NULL, &raw);
  d->radius = raw.radius;
  d->inertia = raw.inertia;
  d->rate = raw.rate;
  memcpy(d->center, raw.center, sizeof d->center);
  memcpy(d->axis, raw.axis, sizeof d->axis);
  read_axis(r, n, d);
  read_drive(r, raw.drive, d);
  read_bearing(r, raw.bearing, d);
  cps_read_components(r, raw.moved, "moved", "m", d->shift);
  if (raw.carried_by) read_carrier(r, n, s, d);
  if (d->carrier >= 0) sit(n, s, d);
  const node *rate = cps_node_get(n, "rate");
  if (!rate || cps_drum_is_free(d)) return;
  int before = cps_enter(r, "rate");
  cps_complain(r, rate,
               "a drum starts with a rate only if it has inertia, and is not fixed or turned as prescribed");
  cps_leave(r, before);
}

void cps_read_drums(reader *r, const node *drums, cps_scenario *s) {
  s->drums = cps_section(r, drums, cps_row(&cps_keys_scenario, "drums"), sizeof *s->drums);
  for (int i = 0; s->drums && i < drums->n && !r->d->no_memory; i++) {
    const map_entry *e = &drums->entry[i];
    scenario_drum *d = &s->drums[s->n_drums++];
    int before = cps_enter_element(r, "drums", e, d->name);
    d->carrier = -1;
    d->drive = cps_drive_find("fixed");
    if (strcmp(d->name, "all") == 0)
      cps_complain(r, e->key, "the name \"all\" means all drums where cables touch them");
    read_drum(r, e->value, s, d);
    if (!cps_index_put(&r->drums, d->name, i)) r->d->no_memory = 1;
    cps_leave(r, before);
  }
}
