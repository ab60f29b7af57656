/* contents.c - what a scenario holds, for those outside: see capstan.h. */
#include "internal.h"
#include "path_kinds.h"
#include "yaml_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const body_kinds[] = {
    [BODY_LINE] = "line", [BODY_PLANE] = "plane", [BODY_SURFACE] = "surface"};

const char *cps_scenario_title(const cps_scenario *s) { return s->title; }
const char *cps_scenario_hash(const cps_scenario *s) { return s->hash; }
const char *cps_scenario_file(const cps_scenario *s) { return s->file; }

const char *cps_scenario_text(const cps_scenario *s, size_t *length) {
  if (length) *length = s->length;
  return s->text;
}

void cps_scenario_contents(const cps_scenario *s, cps_contents *c) {
  const scenario_run *run = &s->run;
  *c = (cps_contents){.springs = s->n_springs,
                      .contacts = s->n_contacts,
                      .loads = s->n_loads,
                      .drums = s->n_drums,
                      .cables = s->n_cables,
                      .dim = s->dim,
                      .solver = run->solver,
                      .from = run->from,
                      .until = run->until,
                      .step = run->step,
                      .output = run->output,
                      .tolerance = run->tolerance,
                      .tolerance_abs = run->tolerance_abs,
                      .settings = (const char *const *)s->settings,
                      .n_settings = s->n_settings};
  memcpy(c->gravity, s->gravity, sizeof c->gravity);
  for (int i = 0; i < s->n_bodies; i++) c->surfaces += s->bodies[i].kind == BODY_SURFACE;
  c->bodies = s->n_bodies - c->surfaces;
}

static cps_status known(int i, int n) { return i >= 0 && i < n ? CPS_OK : CPS_BAD_INPUT; }

cps_status cps_scenario_body_at(const cps_scenario *s, int i, cps_body *to) {
  if (known(i, s->n_bodies) != CPS_OK) return CPS_BAD_INPUT;
  const scenario_body *b = &s->bodies[i];
  *to = (cps_body){.name = b->name, .kind = body_kinds[b->kind], .mass = b->mass};
  memcpy(to->origin, b->origin, sizeof to->origin);
  memcpy(to->direction, b->direction, sizeof to->direction);
  memcpy(to->x, b->x, sizeof to->x);
  return CPS_OK;
}

cps_status cps_scenario_spring_at(const cps_scenario *s, int i, cps_spring *to) {
  if (known(i, s->n_springs) != CPS_OK) return CPS_BAD_INPUT;
  const scenario_spring *k = &s->springs[i];
  *to = (cps_spring){k->name, k->length, k->tension_only, k->along_line, {k->end[0].body, k->end[1].body},
                     {{0}}};
  for (int e = 0; e < 2; e++) memcpy(to->offset[e], k->end[e].offset, sizeof to->offset[e]);
  return CPS_OK;
}

cps_status cps_scenario_contact_at(const cps_scenario *s, int i, cps_contact *to) {
  if (known(i, s->n_contacts) != CPS_OK) return CPS_BAD_INPUT;
  const scenario_contact *c = &s->contacts[i];
  *to = (cps_contact){c->name, c->law, {c->body[0], c->body[1]}};
  return CPS_OK;
}

cps_status cps_scenario_load_at(const cps_scenario *s, int i, cps_load *to) {
  if (known(i, s->n_loads) != CPS_OK) return CPS_BAD_INPUT;
  const scenario_load *l = &s->loads[i];
  *to = (cps_load){.name = l->name, .body = l->body};
  memcpy(to->direction, l->direction, sizeof to->direction);
  return CPS_OK;
}

static double prescribed(const profile *p, double t) { return p ? cps_profile_eval(p, t).y : NAN; }

double cps_scenario_force(const cps_scenario *s, int load, double t) {
  return known(load, s->n_loads) == CPS_OK ? prescribed(s->loads[load].force, t) : NAN;
}

cps_status cps_scenario_drum_at(const cps_scenario *s, int i, cps_drum *to) {
  if (known(i, s->n_drums) != CPS_OK) return CPS_BAD_INPUT;
  const scenario_drum *d = &s->drums[i];
  *to = (cps_drum){.name = d->name, .radius = d->radius, .carrier = d->carrier};
  memcpy(to->center, d->center, sizeof to->center);
  memcpy(to->axis, d->axis, sizeof to->axis);
  for (int k = 0; k < 3; k++) to->moves[k] = d->shift[k] != NULL;
  return CPS_OK;
}

double cps_scenario_shift(const cps_scenario *s, int drum, int component, double t) {
  if (known(drum, s->n_drums) != CPS_OK || known(component, 3) != CPS_OK) return NAN;
  return prescribed(s->drums[drum].shift[component], t);
}

cps_status cps_scenario_cable_at(const cps_scenario *s, int i, cps_cable *to) {
  if (known(i, s->n_cables) != CPS_OK) return CPS_BAD_INPUT;
  const scenario_cable *c = &s->cables[i];
  *to = (cps_cable){.name = c->name,
                    .law = c->contact.law,
                    .diameter = c->diameter,
                    .mass_per_length = c->rho,
                    .closed = c->closed};
  for (int e = 0; e < 2; e++) {
    const cable_end *end = &c->end[e];
    to->end[e].kind = end->kind ? end->kind->name : "free";
    to->end[e].body = cps_end_is(end->kind, END_ON_BODY) ? end->body : -1;
    to->end[e].drum = cps_end_is(end->kind, END_ON_DRUM) ? end->drum : -1;
  }
  return CPS_OK;
}

int cps_scenario_wrap(const cps_scenario *s, int cable, int k) {
  if (known(cable, s->n_cables) != CPS_OK) return -1;
  const scenario_cable *c = &s->cables[cable];
  for (int i = 0; i < c->n_path; i++)
    if (cps_item_is(&c->path[i], ITEM_WRAPS) && k-- == 0) return c->path[i].drum;
  return -1;
}

/* ------------------------------------------------------------------ words */

typedef struct word_list {
  cps_word *item;
  int n, room;
} word_list;

static int is_number(const node *n) {
  return !n->quoted && n->text[0] && strchr("+-.0123456789", n->text[0]);
}

/* Adds the words at and below a node; 0 if out of memory. */
static int collect(word_list *w, const node *n, const char *path) {
  if (n->kind == NODE_SCALAR && !is_number(n)) {
    if (w->n == w->room) {
      int room = 2 * w->room + 64;
      cps_word *more = realloc(w->item, (size_t)room * sizeof *more);
      if (!more) return 0;
      w->item = more;
      w->room = room;
    }
    snprintf(w->item[w->n].path, sizeof w->item->path, "%s", path);
    w->item[w->n++].text = n->text;
  }
  for (int i = 0; (n->kind == NODE_MAP || n->kind == NODE_LIST) && i < n->n; i++) {
    char below[sizeof w->item->path], index[16];
    snprintf(index, sizeof index, "%d", i);
    int map = n->kind == NODE_MAP;
    snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", map ? n->entry[i].key->text : index);
    if (!collect(w, map ? n->entry[i].value : n->item[i], below)) return 0;
  }
  return 1;
}

cps_status cps_scenario_words(const cps_scenario *s, cps_word **list, int *n, cps_error *err) {
  word_list w = {NULL, 0, 0};
  *list = NULL;
  *n = 0;
  if (!collect(&w, cps_scenario_root(s), "")) {
    free(w.item);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory");
  }
  *list = w.item;
  *n = w.n;
  return CPS_OK;
}
