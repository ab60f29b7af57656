/* read_cables.c - cables: what they are made of, how they are meshed, and how they touch drums. Their paths are
 * in read_path.c. */
#include "read_sections.h"

#include "internal.h"
#include "path_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------ material */

/* Complains at the first key of a list that is there (or, `missing`, not there); returns whether it did. */
static int complain_key(reader *r, const node *map, const char *const *names, int missing, const char *why) {
  for (; *names; names++) {
    const node *found = cps_node_key(map, *names);
    if ((found == NULL) != missing) continue;
    int before = (int)strlen(r->path);
    if (missing) {
      cps_complain(r, map, "the key \"%s\" is missing from a cable%s", *names, why);
    } else {
      cps_enter(r, *names);
      cps_complain(r, found, "%s", why);
    }
    cps_leave(r, before);
    return 1;
  }
  return 0;
}

static int has_any(const node *map, const char *const *names) {
  for (; *names; names++)
    if (cps_node_key(map, *names)) return 1;
  return 0;
}

static void read_material(reader *r, const node *n, const raw_cable *raw, scenario_cable *c) {
  static const char *const stiff[] = {"EA", "EI", "mass_per_length", NULL};
  static const char *const round[] = {"diameter", "modulus", "density", "bending_factor", NULL};
  static const char *const stiff_needs[] = {"EA", "mass_per_length", NULL};
  static const char *const round_needs[] = {"diameter", "modulus", "density", NULL};
  int as_round = has_any(n, round);
  if (as_round && has_any(n, stiff)) {
    complain_key(
        r, n, round, 0,
        "a cable has either EA, EI and mass_per_length, or diameter, modulus, density and bending_factor, "
        "not some of both");
    return;
  }
  if (complain_key(r, n, as_round ? round_needs : stiff_needs, 1,
                   as_round
                       ? ": a round one has diameter, modulus and density"
                       : ", which has EA and mass_per_length (and EI), or diameter, modulus and density"))
    return;
  double area = pi * raw->diameter * raw->diameter / 4;
  c->ea = as_round ? raw->modulus * area : raw->ea;
  c->ei = as_round ? raw->bending_factor * raw->modulus * area * raw->diameter * raw->diameter / 16 : raw->ei;
  c->rho = as_round ? raw->density * area : raw->rho;
  c->diameter = as_round ? raw->diameter : 0;
  if (!as_round && c->model == CABLE_ANCF && cps_node_key(n, "mass_per_length") && raw->rho == 0 &&
      raw->ea > 0) {
    int before = cps_enter(r, "mass_per_length");
    cps_complain(
        r, cps_node_get(n, "mass_per_length"),
        "elements need mass: expected more than 0, such as 0.5 kg/m; without it use model: semi-analytical");
    cps_leave(r, before);
  }
  /* What was refused is 0, and has its complaint. */
  int whole = raw->diameter > 0 && raw->modulus > 0 && raw->density > 0;
  if (whole && !(c->ea > 0 && c->rho > 0 && isfinite(c->ea) && isfinite(c->rho)))
    cps_complain(r, n, "with this diameter, modulus and density EA is %g N and the mass per length %g kg/m",
                 c->ea, c->rho);
}

/* ------------------------------------------------------------------ mesh and masses */

static void read_mesh(reader *r, const node *n, const raw_cable *raw, scenario_cable *c) {
  const node *elements = cps_node_key(n, "elements");
  c->elements = (int)raw->elements;
  if (raw->mesh) {
    cps_read_part(r, raw->mesh, "mesh", &cps_keys_mesh, NULL, c);
    const node *on_drums = cps_node_get(raw->mesh, "on_drums");
    if (!on_drums) c->drum_size = c->size;
    if (!cps_node_get(raw->mesh, "spare")) c->spare = -1;
    if (on_drums && c->size > 0 && c->drum_size > c->size) {
      int before = cps_enter(r, "mesh");
      cps_enter(r, "on_drums");
      cps_complain(r, on_drums, "elements on drums are at most as long as size, which is %.6g m", c->size);
      cps_leave(r, before);
    }
  }
  if (raw->mesh && elements) {
    int before = cps_enter(r, "elements");
    cps_complain(r, elements, "a cable has either elements or mesh, not both");
    cps_leave(r, before);
  } else if (c->model == CABLE_ANCF && !cps_node_get(n, "mesh") && !elements) {
    cps_complain(r, n, "a cable needs elements or mesh, such as elements: 40");
  }
}

static void read_masses(reader *r, const node *n, scenario_cable *c) {
  if (!n) return;
  int before = cps_enter(r, "masses");
  if (n->kind != NODE_LIST) {
    cps_complain_type(r, n, cps_row(&cps_keys_cables, "masses"), NULL, NULL);
  } else if (n->n > 0) {
    c->masses = calloc((size_t)n->n, sizeof *c->masses);
    if (!c->masses) r->d->no_memory = 1;
  }
  for (int i = 0; c->masses && i < n->n; i++) {
    point_mass *m = &c->masses[c->n_masses++];
    int outer = cps_enter_item(r, i);
    int good = cps_read_map(r, n->item[i], &cps_keys_masses, NULL, m);
    cps_enter(r, "at");
    if (good && c->length > 0 && m->at > c->length)
      cps_complain(r, cps_node_get(n->item[i], "at"),
                   "this lies %.6g m along the cable, which is only %.6g m long", m->at, c->length);
    cps_leave(r, outer);
  }
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ contact */

/* A cable whose contact has no stiffness of its own works this part of the radius within its smallest drum at this strain. */
static const double USUAL_DEPTH = 1e-3, USUAL_STRAIN = 1e-3;

/* Of contact per length: the force of EA, at the usual strain and bent around the smallest drum, at the usual depth. */
static void choose_stiffness(const cps_scenario *s, scenario_cable *c) {
  cable_contact *t = &c->contact;
  double radius = INFINITY, exponent = 1, *stiffness = NULL;
  for (int i = 0; i < (t->n_drums < 0 ? s->n_drums : t->n_drums); i++)
    radius = fmin(radius, s->drums[t->n_drums < 0 ? i : t->drums[i]].radius);
  const cps_param *of = NULL;
  for (int i = 0; i < t->normal->n_params; i++) {
    if (strcmp(t->normal->params[i].name, "exponent") == 0) exponent = t->normal_p[i];
    if (strcmp(t->normal->params[i].name, "stiffness") != 0) continue;
    stiffness = &t->normal_p[i];
    of = &t->normal->params[i];
  }
  double chosen = USUAL_STRAIN * c->ea / radius / pow(USUAL_DEPTH * radius, exponent);
  if (stiffness && isfinite(chosen) && chosen > 0) *stiffness = fmin(fmax(chosen, of->min), of->max);
}

/* A law of normal contact by its name alone, or with parameters: at points of elements they are per length. */
static void read_pressing(reader *r, const node *n, const cps_scenario *s, scenario_cable *c) {
  cable_contact *t = &c->contact;
  key rows[CPS_MAX_PARAMS];
  char units[CPS_MAX_PARAMS][UNIT_ROOM], quote[QUOTE_SIZE], hint[HINT_SIZE];
  if (n->kind != NODE_SCALAR && (n->kind != NODE_MAP || n->n != 1)) {
    if (n->kind == NODE_MAP && n->n > 1)
      cps_complain(
          r, n->entry[1].key,
          "normal is one law, such as {hunt-crossley: {stiffness: 1e9}}; its parameters are one level "
          "deeper");
    else
      cps_complain_type(r, n, cps_row(&cps_keys_cable_contact, "normal"), NULL, NULL);
    return;
  }
  const node *name = n->kind == NODE_MAP ? n->entry[0].key : n;
  t->normal = cps_laws_find_normal(r->laws, name->text);
  if (!t->normal) {
    nearest_name near = {.word = name->text};
    char list[300] = "";
    for (int i = 0; i < cps_laws_normals(r->laws); i++) {
      size_t used = strlen(list);
      const char *other = cps_laws_normal_at(r->laws, i)->name;
      cps_nearest_offer(&near, other);
      snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", other);
    }
    cps_complain(r, name, "there is no law of normal contact %s%s There are: %s",
                 cps_quote(quote, name->text), cps_nearest_hint(&near, ".", hint), list);
    return;
  }
  key_table table = cps_keys_of_normal(t->normal, !t->of_node, units, rows);
  for (int i = 0; i < table.n; i++) t->normal_p[i] = rows[i].value;
  static const node nothing = {.kind = NODE_NULL};
  int before = cps_enter(r, name->text);
  const node *map = n->kind == NODE_MAP ? n->entry[0].value : &nothing;
  int good = cps_read_map(r, map, &table, NULL, t->normal_p);
  if (good && !t->of_node && t->drums && cps_normal_find(t->normal->name) == t->normal &&
      !cps_node_get(map, "stiffness"))
    choose_stiffness(s, c);
  cps_leave(r, before);
}

/* Adds a drum to those that are touched, once. */
static int add_drum(cable_contact *t, int drum) {
  for (int i = 0; i < t->n_drums; i++)
    if (t->drums[i] == drum) return 0;
  t->drums[t->n_drums++] = drum;
  return 1;
}

/* The drums of the path. */
static void add_own_drums(scenario_cable *c) {
  for (int i = 0; i < c->n_path; i++)
    if (cps_item_is(&c->path[i], ITEM_WRAPS) && c->path[i].drum >= 0) add_drum(&c->contact, c->path[i].drum);
}

/* The drums that the cable may touch: some by name, all, or those of its path. */
static void read_touched(reader *r, const node *n, const cps_scenario *s, scenario_cable *c) {
  cable_contact *t = &c->contact;
  const key *k = cps_row(&cps_keys_cable_contact, "drums");
  int before = cps_enter(r, "drums");
  if (n && n->kind == NODE_SCALAR && strcmp(n->text, "all") == 0) {
    t->n_drums = -1;
  } else if (n && n->kind == NODE_SCALAR) {
    int drum = cps_find_drum(r, n, s);
    if (drum >= 0) add_drum(t, drum);
  } else if (n && (n->kind != NODE_LIST || n->n == 0)) {
    cps_complain_type(r, n, k, NULL, NULL);
  } else if (n) {
    for (int i = 0; i < n->n; i++) {
      int outer = cps_enter_item(r, i);
      int drum = cps_find_drum(r, n->item[i], s);
      if (drum >= 0 && !add_drum(t, drum))
        cps_complain(r, n->item[i], "the drum \"%s\" is in this list already", s->drums[drum].name);
      cps_leave(r, outer);
    }
  } else {
    add_own_drums(c);
  }
  cps_leave(r, before);
}

/* How many contact points an element has. */
static void read_points(reader *r, const node *n, cable_contact *t) {
  enum { AT_NODES, AT_TWO, AT_SOME, AT_EVEN };
  raw_contact_points raw = {0};
  t->even = 1;
  t->quadrature = 2;
  if (!n) return;
  int before = cps_enter(r, "at");
  int choice = cps_read_choice(r, n, cps_row(&cps_keys_cable_contact, "at"), &raw);
  t->even = choice == AT_EVEN;
  t->quadrature = choice == AT_TWO    ? 2
                  : choice == AT_SOME ? (int)raw.quadrature
                  : choice == AT_EVEN ? (int)raw.even
                                      : 0;
  cps_leave(r, before);
}

enum { PER_LENGTH, PER_NODE }; /* the words of `per` */

static void read_contact(reader *r, const node *n, const node *map, const cps_scenario *s, int path_good,
                         scenario_cable *c) {
  cable_contact *t = &c->contact;
  raw_cable_contact raw;
  int on_drums = cps_end_is(c->end[0].kind, END_ON_DRUM) || cps_end_is(c->end[1].kind, END_ON_DRUM);
  for (int i = 0; i < c->n_path; i++) on_drums |= cps_item_is(&c->path[i], ITEM_WRAPS);
  if (!n) {
    if (on_drums && !cps_node_get(map, "contact"))
      cps_complain(r, map, "a cable that runs over a drum needs contact, such as contact: %s",
                   cps_row(&cps_keys_cables, "contact")->example);
    return;
  }
  int before = cps_enter(r, "contact");
  t->drums = calloc((size_t)s->n_drums + 1, sizeof *t->drums);
  if (!t->drums) r->d->no_memory = 1;
  cps_read_map(r, n, &cps_keys_cable_contact, NULL, &raw);
  t->reading = raw.reading ? STICK_ALL : STICK_CONSISTENT;
  read_points(r, raw.at, t);
  t->of_node = t->quadrature == 0 && raw.per != PER_LENGTH;
  if (raw.per == PER_NODE && t->quadrature > 0)
    cps_complain(r, cps_node_get(n, "per"),
                 "numbers of normal contact can be those of a node only with `at: nodes`");
  if (t->drums) read_touched(r, raw.drums, s, c);
  int outer = cps_enter(r, "normal");
  if (raw.normal) read_pressing(r, raw.normal, s, c);
  cps_leave(r, outer);
  outer = cps_enter(r, "friction");
  if (raw.friction) cps_read_friction(r, raw.friction, &t->law, t->p);
  cps_leave(r, outer);
  if (path_good && !on_drums && n->kind == NODE_MAP && !cps_node_get(n, "drums"))
    cps_complain(r, n, "the path of this cable has no drums, so contact needs some, such as drums: all");
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ the whole */

static void read_cable(reader *r, const node *n, const cps_scenario *s, scenario_cable *c) {
  raw_cable raw;
  raw_quadrature points;
  int good = cps_read_map(r, n, &cps_keys_cables, NULL, &raw);
  c->model = (cable_model)raw.model;
  c->engineering = raw.strain == 0;
  c->tension_only = raw.tension_only;
  c->exact_curvature = raw.curvature == 1;
  c->start_statics = raw.start != 1;
  c->start_told = raw.start >= 0;
  c->start_braked = raw.start == 2;
  c->closed = raw.closed;
  c->length = raw.length;
  c->tension = raw.tension;
  if (n->kind != NODE_MAP) return;
  read_material(r, n, &raw, c);
  cps_read_part(r, raw.damping, "damping", &cps_keys_damping, NULL, c);
  if (cps_read_part(r, raw.quadrature, "quadrature", &cps_keys_quadrature, NULL, &points)) {
    c->axial_points = (int)points.axial;
    c->bending_points = (int)points.bending;
  }
  read_mesh(r, n, &raw, c);
  int known = cps_problems_count(r->d->problems);
  if (raw.path) cps_read_path(r, raw.path, s, c);
  int path_good = raw.path && cps_problems_count(r->d->problems) == known;
  read_masses(r, raw.masses, c);
  read_contact(r, raw.contact, n, s, path_good, c);
  if (good && c->length > 0 && c->tension > 0) {
    int before = cps_enter(r, "tension");
    cps_complain(r, cps_node_get(n, "tension"),
                 "a cable has either length or tension, since one gives the other");
    cps_leave(r, before);
  }
}

/* Bodies that say nothing about their place: at the end of a cable they move freely, elsewhere they are on the
 * line through the origin. */
static void place_bodies(cps_scenario *s) {
  for (int i = 0; i < s->n_cables; i++) {
    for (int k = 0; k < 2 && !s->cables[i].closed; k++) {
      const cable_end *e = &s->cables[i].end[k];
      if (cps_end_is(e->kind, END_ON_BODY) && e->body >= 0 && !s->bodies[e->body].placed)
        s->bodies[e->body].kind = BODY_PLANE;
    }
  }
  for (int i = 0; i < s->n_bodies; i++)
    if (s->bodies[i].kind != BODY_PLANE) s->bodies[i].placed = 1;
}

/* Cables of elements first, in the order of the file, then those in few variables. */
static void sort_cables(cps_scenario *s) {
  for (int i = 0; i < s->n_cables; i++) {
    if (s->cables[i].model != CABLE_ANCF) continue;
    scenario_cable moved = s->cables[i];
    memmove(&s->cables[s->n_elements + 1], &s->cables[s->n_elements],
            (size_t)(i - s->n_elements) * sizeof moved);
    s->cables[s->n_elements++] = moved;
  }
}

void cps_read_cables(reader *r, const node *cables, cps_scenario *s) {
  s->cables = cps_section(r, cables, cps_row(&cps_keys_scenario, "cables"), sizeof *s->cables);
  for (int i = 0; s->cables && i < cables->n && !r->d->no_memory; i++) {
    scenario_cable *c = &s->cables[s->n_cables++];
    int before = cps_enter_element(r, "cables", &cables->entry[i], c->name);
    read_cable(r, cables->entry[i].value, s, c);
    cps_leave(r, before);
  }
  place_bodies(s);
  sort_cables(s);
}
