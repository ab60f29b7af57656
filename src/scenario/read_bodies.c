/* read_bodies.c - bodies, surfaces, springs, loads, gravity and the run: see read_sections.h. */
#include "read_sections.h"

#include "parameter_paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what all share */

int cps_normalise(double *v) {
  /* Scaled first, so that neither tiny nor huge components are lost. */
  double largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
  if (!(largest > 0)) return 0;
  double x = v[0] / largest, y = v[1] / largest, z = v[2] / largest, length = sqrt(x * x + y * y + z * z);
  v[0] = x / length;
  v[1] = y / length;
  v[2] = z / length;
  return 1;
}

void *cps_section(reader *r, const node *section, const key *k, size_t size) {
  if (!section || section->kind == NODE_NULL) return NULL;
  int before = cps_enter(r, k->name);
  if (section->kind != NODE_MAP) cps_complain_type(r, section, k, NULL, NULL);
  cps_leave(r, before);
  if (section->kind != NODE_MAP || section->n == 0) return NULL;
  void *array = calloc((size_t)section->n, size);
  if (!array) r->d->no_memory = 1;
  return array;
}

int cps_enter_element(reader *r, const char *section, const map_entry *e, char *name) {
  int before = cps_enter(r, section);
  cps_enter(r, e->key->text);
  cps_check_name(r, e->key);
  snprintf(name, CPS_NAME_ROOM, "%s", e->key->text);
  return before;
}

int cps_is_fixed(const cps_scenario *s, int body) {
  return body == GROUND || s->bodies[body].kind == BODY_SURFACE;
}

/* Names of a chain differ in digits only: none of them is a better guess than the others. */
static int same_but_digits(const char *a, const char *b) {
  static const char digits[] = "0123456789";
  for (;; a++, b++) {
    a += strspn(a, digits);
    b += strspn(b, digits);
    if (*a != *b) return 0;
    if (!*a) return 1;
  }
}

int cps_find_body(reader *r, const node *n, const cps_scenario *s) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  if (n->kind != NODE_SCALAR) {
    cps_complain(r, n, "found %s; expected the name of a body or a surface, or ground", cps_node_what(n));
    return NOBODY;
  }
  if (strcmp(n->text, "ground") == 0) return GROUND;
  int i = cps_index_get(&r->bodies, n->text);
  if (i >= 0) return i;
  nearest_name near = {.word = n->text};
  for (int k = 0; k < s->n_bodies && !cps_problems_full(r->d->problems); k++)
    if (!same_but_digits(n->text, s->bodies[k].name)) cps_nearest_offer(&near, s->bodies[k].name);
  cps_nearest_offer(&near, "ground");
  cps_complain(r, n, "there is no body or surface %s%s", cps_quote(quote, n->text),
               cps_nearest_hint(&near, "", hint));
  return NOBODY;
}

int cps_find_mass(reader *r, const node *n, const cps_scenario *s, const char *what) {
  int body = cps_find_body(r, n, s);
  if (body == NOBODY || !cps_is_fixed(s, body)) return body;
  cps_complain(r, n, "\"%s\" is %s; %s a body with mass", n->text,
               body == GROUND ? "fixed" : "a surface that moves as prescribed", what);
  return NOBODY;
}

void cps_read_gravity(reader *r, const node *n, cps_scenario *s) {
  const key *k = cps_row(&cps_keys_scenario, "gravity");
  double g = k->value;
  s->gravity[0] = 0;
  s->gravity[1] = -g;
  key as = *k;
  as.type = KEY_QUANTITY;
  if (!n && r->probes) cps_probe_default(r, &as, NULL);
  if (!n) return;
  int before = cps_enter(r, "gravity");
  if (n->kind == NODE_LIST) {
    as.type = KEY_VECTOR;
    as.example = "[0, -9.81]";
    as.min = -INFINITY;
    cps_read_value(r, n, &as, NULL, s->gravity);
  } else if (n->kind == NODE_SCALAR) {
    as.type = KEY_QUANTITY;
    if (cps_read_quantity(r, n, &as, NULL, &g)) s->gravity[1] = g == 0 ? 0 : -g;
  } else {
    cps_complain_type(r, n, k, NULL, NULL);
  }
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ bodies and surfaces */

/* Complains if a map has keys that belong to the other kind of body. */
static void refuse_keys(reader *r, const node *map, const char *const *names, const char *why) {
  for (; *names; names++) {
    const node *found = cps_node_key(map, *names);
    if (!found) continue;
    int before = cps_enter(r, *names);
    cps_complain(r, found, "%s is for %s", *names, why);
    cps_leave(r, before);
  }
}

static void set_direction(reader *r, const node *map, const double *direction, scenario_body *b) {
  memcpy(b->direction, direction, sizeof b->direction);
  if (cps_normalise(b->direction)) return;
  b->direction[0] = 1;
  const node *found = cps_node_get(map, "direction");
  int before = cps_enter(r, "direction");
  cps_complain(r, found ? found : map, "a direction cannot be zero; it is a list such as [1, 0]");
  cps_leave(r, before);
}

static void read_body(reader *r, const node *n, scenario_body *b) {
  static const char *const line_keys[] = {"x", "v", "at", "direction", NULL};
  static const char *const plane_keys[] = {"velocity", NULL};
  raw_body raw;
  cps_read_map(r, n, &cps_keys_bodies, NULL, &raw);
  static const char *const place_keys[] = {"x", "v", "at", "direction", "position", "velocity"};
  b->mass = raw.mass;
  b->held_until = raw.held_until;
  for (size_t i = 0; i < sizeof place_keys / sizeof place_keys[0]; i++)
    b->placed |= cps_node_key(n, place_keys[i]) != NULL;
  if (cps_node_key(n, "position")) {
    b->kind = BODY_PLANE;
    b->direction[0] = 1;
    memcpy(b->x, raw.position, sizeof raw.position);
    memcpy(b->v, raw.velocity, sizeof raw.velocity);
    refuse_keys(r, n, line_keys, "bodies on a line, but this one has a position and so moves in the plane");
    return;
  }
  b->kind = BODY_LINE;
  memcpy(b->origin, raw.at, sizeof raw.at);
  b->x[0] = raw.x;
  b->v[0] = raw.v;
  refuse_keys(r, n, plane_keys,
              "bodies that move in the plane, which have a position; on a line it is called v");
  set_direction(r, n, raw.direction, b);
}

static void read_surface(reader *r, const node *n, scenario_body *b) {
  raw_surface raw;
  b->kind = BODY_SURFACE;
  b->placed = 1;
  b->held_until = -INFINITY;
  cps_read_map(r, n, &cps_keys_surfaces, NULL, &raw);
  memcpy(b->origin, raw.at, sizeof raw.at);
  set_direction(r, n, raw.direction, b);
  const node *velocity = cps_node_key(n, "velocity"), *position = cps_node_key(n, "position");
  if (!velocity == !position) {
    if (velocity)
      cps_complain(r, position,
                   "this surface has both velocity and position, but only one can be prescribed");
    else
      cps_complain(r, n, "a surface needs velocity or position, such as velocity: 1 m/s");
    return;
  }
  if (!raw.velocity && !raw.position) return;
  b->motion_is_velocity = raw.velocity != NULL;
  const char *name = raw.velocity ? "velocity" : "position";
  const key *k = cps_row(&cps_keys_surfaces, name);
  int before = cps_enter(r, name);
  b->motion = cps_read_profile(r, raw.velocity ? raw.velocity : raw.position, k, k->unit);
  cps_leave(r, before);
}

/* Enters the names of bodies and surfaces, which must differ. */
static void index_body(reader *r, const cps_scenario *s, int i, const node *at) {
  int other = cps_index_get(&r->bodies, s->bodies[i].name);
  if (other >= 0)
    cps_complain(r, at, "there is already a body called \"%s\", in line %d", s->bodies[i].name,
                 s->bodies[other].line);
  else if (!cps_index_put(&r->bodies, s->bodies[i].name, i))
    r->d->no_memory = 1;
}

void cps_read_bodies(reader *r, const node *bodies, const node *surfaces, cps_scenario *s) {
  const node *sections[2] = {bodies, surfaces};
  static const char *const names[2] = {"bodies", "surfaces"};
  int counts[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    if (!sections[k] || sections[k]->kind == NODE_NULL) continue;
    int before = cps_enter(r, names[k]);
    if (sections[k]->kind == NODE_MAP)
      counts[k] = sections[k]->n;
    else
      cps_complain_type(r, sections[k], cps_row(&cps_keys_scenario, names[k]), NULL, NULL);
    cps_leave(r, before);
  }
  if (counts[0] + counts[1] == 0) return;
  s->bodies = calloc((size_t)counts[0] + (size_t)counts[1], sizeof *s->bodies);
  if (!s->bodies) {
    r->d->no_memory = 1;
    return;
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < counts[k] && !r->d->no_memory; i++) {
      const map_entry *e = &sections[k]->entry[i];
      scenario_body *b = &s->bodies[s->n_bodies];
      int column, before = cps_enter_element(r, names[k], e, b->name);
      cps_mark_place(r->d, e->key->at, &b->line, &column);
      if (k == 0)
        read_body(r, e->value, b);
      else
        read_surface(r, e->value, b);
      index_body(r, s, s->n_bodies++, e->key);
      cps_leave(r, before);
    }
  }
}

/* ------------------------------------------------------------------ springs */

/* A point fixed to a body, given as [x, y] or as one number along its line. */
static int read_offset(reader *r, const node *n, const cps_scenario *s, spring_end *end) {
  key k = {.name = "point",
           .type = KEY_VECTOR,
           .unit = "m",
           .min = -INFINITY,
           .max = INFINITY,
           .example = "[10 mm, 0]"};
  if (n->kind != NODE_SCALAR) return cps_read_value(r, n, &k, NULL, end->offset);
  double along;
  k.type = KEY_QUANTITY;
  k.example = "10 mm";
  if (!cps_read_quantity(r, n, &k, NULL, &along)) return 0;
  const double *line = end->body == GROUND ? NULL : s->bodies[end->body].direction;
  for (int i = 0; i < 3; i++) end->offset[i] = along * (line ? line[i] : i == 0);
  return 1;
}

/* An end: a name, or a map from a name to a point. `pointed` tells which. */
static int read_end(reader *r, const node *n, const cps_scenario *s, spring_end *end, int *pointed) {
  *pointed = n->kind == NODE_MAP;
  if (*pointed && n->n != 1) {
    cps_complain(
        r, n,
        "found %s with %d keys; an end is a name, or one name with a point, such as {block: [10 mm, 0]}",
        cps_node_what(n), n->n);
    return 0;
  }
  end->body = cps_find_body(r, *pointed ? n->entry[0].key : n, s);
  if (end->body == NOBODY) return 0;
  if (!*pointed) return 1;
  int before = cps_enter(r, n->entry[0].key->text), good = read_offset(r, n->entry[0].value, s, end);
  cps_leave(r, before);
  return good;
}

/* The point of an end at the start. */
static void place_of(const cps_scenario *s, const spring_end *end, double *p) {
  memcpy(p, end->offset, sizeof end->offset);
  if (end->body == GROUND) return;
  const scenario_body *b = &s->bodies[end->body];
  profile_value at = {0, 0, 0};
  if (b->kind == BODY_SURFACE && !b->motion_is_velocity && b->motion)
    at = cps_profile_eval(b->motion, s->run.from);
  double x = b->kind == BODY_SURFACE ? at.y : b->x[0];
  for (int i = 0; i < 3; i++) p[i] += b->kind == BODY_PLANE ? b->x[i] : b->origin[i] + x * b->direction[i];
}

/* The largest component of a cross product: 0 if the two are parallel. */
static double across(const double *a, const double *b) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  return fmax(fmax(fabs(x), fabs(y)), fabs(z));
}

/* How far a point that was given lies off the line of a body, relative to the point itself. */
static int off_line(const double *point, const double *origin, const double *axis) {
  double d[3] = {point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]};
  return across(d, axis) > 1e-9 * (fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
}

/* The line along which a spring can act: 0 if its ends are not on parallel lines. */
static int common_axis(const cps_scenario *s, const scenario_spring *g, double *axis) {
  int n = 0;
  for (int i = 0; i < 2; i++) {
    if (g->end[i].body == GROUND) continue;
    const scenario_body *b = &s->bodies[g->end[i].body];
    if (b->kind == BODY_PLANE) return 0;
    if (n++ == 0)
      memcpy(axis, b->direction, sizeof b->direction);
    else if (across(axis, b->direction) > 1e-9)
      return 0;
  }
  return n > 0;
}

/* Whether the points that were given lie on the lines. */
static int points_on_line(const cps_scenario *s, const scenario_spring *g, const int *pointed,
                          const double *axis) {
  static const double zero[3] = {0, 0, 0};
  for (int i = 0; i < 2; i++) {
    if (!pointed[i]) continue;
    const spring_end *other = &g->end[1 - i];
    const double *origin = g->end[i].body == GROUND && other->body != GROUND ? s->bodies[other->body].origin
                                                                             : zero;
    if (off_line(g->end[i].offset, origin, axis)) return 0;
  }
  return 1;
}

/* Whether it is known here where an end is: bodies that cables place are not. */
static int is_placed(const cps_scenario *s, const spring_end *end) {
  return end->body == GROUND || s->bodies[end->body].placed;
}

/* Decides between line and distance, and orients the axis from the first end to the second. */
static void set_kind(reader *r, const node *n, const cps_scenario *s, scenario_spring *g, int kind,
                     const int *pointed) {
  double a[3], b[3];
  int parallel = common_axis(s, g, g->axis);
  if (kind == SPRING_LINE && !parallel) {
    cps_complain(r, cps_node_get(n, "kind"),
                 "a spring of kind line needs ends on parallel lines; use kind: distance");
    return;
  }
  g->along_line = kind == SPRING_LINE ||
                  (kind < 0 && parallel && !g->tension_only && points_on_line(s, g, pointed, g->axis));
  place_of(s, &g->end[0], a);
  place_of(s, &g->end[1], b);
  double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
  if (!g->along_line) {
    memset(g->axis, 0, sizeof g->axis);
    if (x == 0 && y == 0 && z == 0 && (g->length > 0 || g->damping > 0) && is_placed(s, &g->end[0]) &&
        is_placed(s, &g->end[1]))
      cps_complain(r, n,
                   "the ends of this spring are at the same place at the start, so that it has no direction");
  } else if (x * g->axis[0] + y * g->axis[1] + z * g->axis[2] < 0) {
    for (int i = 0; i < 3; i++) g->axis[i] = g->axis[i] == 0 ? 0 : -g->axis[i];
  }
}

static void check_ends(reader *r, const node *between, const cps_scenario *s, const scenario_spring *g) {
  int a = g->end[0].body, b = g->end[1].body;
  if (cps_is_fixed(s, a) && cps_is_fixed(s, b))
    cps_complain(r, between, "both ends are fixed or move as prescribed, so this spring does nothing");
  else if (a == b)
    cps_complain(r, between, "both ends are on the same body, \"%s\"", s->bodies[a].name);
}

static void read_spring(reader *r, const node *n, const cps_scenario *s, scenario_spring *g) {
  raw_spring raw;
  int pointed[2] = {0, 0};
  g->end[0].body = g->end[1].body = GROUND;
  int complete = cps_read_map(r, n, &cps_keys_springs, NULL, &raw);
  g->stiffness = raw.stiffness;
  g->damping = raw.damping;
  g->length = raw.length;
  g->tension_only = raw.tension_only;
  if (complete && !cps_node_key(n, "stiffness") && !cps_node_key(n, "damping"))
    cps_complain(r, n, "a spring needs stiffness or damping, such as stiffness: 10 N/m");
  if (!raw.between) return;
  int before = cps_enter(r, "between"), good = 1;
  if (raw.between->kind != NODE_LIST || raw.between->n != 2) {
    cps_complain_type(r, raw.between, cps_row(&cps_keys_springs, "between"), NULL, NULL);
    good = 0;
  }
  for (int i = 0; good && i < 2; i++) {
    int outer = cps_enter_item(r, i);
    good &= read_end(r, raw.between->item[i], s, &g->end[i], &pointed[i]);
    cps_leave(r, outer);
  }
  if (good) check_ends(r, raw.between, s, g);
  cps_leave(r, before);
  if (good) set_kind(r, n, s, g, raw.kind, pointed);
}

void cps_read_springs(reader *r, const node *springs, cps_scenario *s) {
  s->springs = cps_section(r, springs, cps_row(&cps_keys_scenario, "springs"), sizeof *s->springs);
  for (int i = 0; s->springs && i < springs->n; i++) {
    scenario_spring *g = &s->springs[s->n_springs++];
    int before = cps_enter_element(r, "springs", &springs->entry[i], g->name);
    read_spring(r, springs->entry[i].value, s, g);
    cps_leave(r, before);
  }
}

/* ------------------------------------------------------------------ loads */

/* The body that a load acts on: NOBODY after a complaint. */
static int read_target(reader *r, const node *on, const cps_scenario *s) {
  int before = cps_enter(r, "on");
  int body = cps_find_mass(r, on, s, "a load acts on");
  cps_leave(r, before);
  return body;
}

static void set_load_direction(reader *r, const node *n, const cps_scenario *s, const double *given,
                               scenario_load *l) {
  const node *direction = cps_node_get(n, "direction");
  if (!direction && l->body >= 0) {
    memcpy(l->direction, s->bodies[l->body].direction, sizeof l->direction);
    if (s->bodies[l->body].kind == BODY_PLANE)
      cps_complain(r, n,
                   "a load on a body that moves in the plane needs a direction, such as direction: [1, 0]");
  }
  if (!direction) return;
  memcpy(l->direction, given, sizeof l->direction);
  int before = cps_enter(r, "direction");
  if (!cps_normalise(l->direction))
    cps_complain(r, direction, "a direction cannot be zero; it is a list such as [1, 0]");
  cps_leave(r, before);
}

static void read_load(reader *r, const node *n, const cps_scenario *s, scenario_load *l) {
  raw_load raw;
  l->body = NOBODY;
  int good = cps_read_map(r, n, &cps_keys_loads, NULL, &raw);
  if (raw.on) l->body = read_target(r, cps_node_get(n, "on"), s);
  if (raw.force) {
    int before = cps_enter(r, "force");
    l->force = cps_read_profile(r, raw.force, cps_row(&cps_keys_loads, "force"), "N");
    cps_leave(r, before);
  }
  if (good) set_load_direction(r, n, s, raw.direction, l);
}

void cps_read_loads(reader *r, const node *loads, cps_scenario *s) {
  s->loads = cps_section(r, loads, cps_row(&cps_keys_scenario, "loads"), sizeof *s->loads);
  for (int i = 0; s->loads && i < loads->n; i++) {
    scenario_load *l = &s->loads[s->n_loads++];
    int before = cps_enter_element(r, "loads", &loads->entry[i], l->name);
    read_load(r, loads->entry[i].value, s, l);
    cps_leave(r, before);
  }
}

/* ------------------------------------------------------------------ run */

/* The body that stands for all that contacts tie to body i; `tied` has the ground, with all surfaces, in its last place. */
static int tied_to(const cps_scenario *s, const int *tied, int i) {
  if (i < 0 || s->bodies[i].kind == BODY_SURFACE) i = s->n_bodies;
  while (tied[i] != i) i = tied[i];
  return i;
}

/* Whether contacts whose laws need balance forces close a circle, as of two blocks that rest on the ground and on each other: the
 * forces within it are not unique, and jump where velocities do not. bdf integrates their work and stops there. */
static int closes_circle(reader *r, const cps_scenario *s) {
  int *tied = malloc((size_t)(s->n_bodies + 1) * sizeof *tied), closed = 0;
  if (!tied) r->d->no_memory = 1;
  for (int i = 0; tied && i <= s->n_bodies; i++) tied[i] = i;
  for (int i = 0; tied && i < s->n_contacts; i++) {
    const scenario_contact *c = &s->contacts[i];
    if (!c->law || !(c->law->traits & CPS_NEEDS_FEQ) || c->body[0] < 0) continue;
    int a = tied_to(s, tied, c->body[0]), b = tied_to(s, tied, c->body[1]);
    closed |= a == b;
    tied[a] = b;
  }
  free(tied);
  return closed;
}

/* The solver that suits the laws: see the table. */
static const char *default_solver(reader *r, const cps_scenario *s) {
  if (s->n_cables > 0) return "alpha";
  int modes = 1;
  for (int i = 0; i < s->n_contacts; i++) {
    const cps_law *law = s->contacts[i].law;
    if (law && law->n_modes && !law->n_states) return "events"; /* nothing else can follow its jumps */
    if (law && !(law->traits & CPS_MODES)) modes = 0;
  }
  return modes ? "events" : closes_circle(r, s) ? "alpha" : "bdf";
}

/* Settings that belong to another solver. */
static void check_solver(reader *r, const node *n, const cps_scenario *s) {
  const char *solver = s->run.solver;
  const node *newmark = cps_node_get(n, "newmark"), *rho = cps_node_get(n, "rho");
  int before;
  if (!s->run.newmark && cps_node_get(n, "gamma")) {
    before = cps_enter(r, "gamma");
    cps_complain(r, cps_node_get(n, "gamma"), "gamma belongs to Newmark's rule; say newmark: true as well");
    cps_leave(r, before);
  }
  if (!s->run.newmark) return;
  before = cps_enter(r, "newmark");
  if (strcmp(solver, "alpha") != 0)
    cps_complain(r, newmark, "newmark is a variant of the solver alpha, but the solver is %s", solver);
  else if (rho)
    cps_complain(r, newmark, "Newmark's rule has no rho; leave one of the two out");
  cps_leave(r, before);
}

static void read_audit(reader *r, const node *n, scenario_run *run) {
  raw_audit raw = {cps_keys_audit.keys[0].value, cps_keys_audit.keys[1].value};
  int before = cps_enter(r, "audit");
  if (n) cps_read_map(r, n, &cps_keys_audit, NULL, &raw);
  run->audit_warn = raw.warn;
  run->audit_fail = raw.fail;
  cps_leave(r, before);
}

/* What Newton's method may leave where the file does not say: as much as steps may be wrong by, so that two solvers agree as well as
 * their tolerance asks for. Less than the least is round-off of large machines; more than the most saves no iteration. */
static const double BALANCE_LEAST = 1e-9, BALANCE_MOST = 1e-6;

void cps_read_run(reader *r, const node *n, cps_scenario *s) {
  raw_run raw;
  memset(&raw, 0, sizeof raw);
  int before = cps_enter(r, "run");
  int good = cps_read_map(r, n, &cps_keys_run, NULL, &raw);
  s->run = raw.run;
  read_audit(r, raw.audit, &s->run);
  if (s->n_cables > 0 && !cps_node_get(n, "tolerance")) s->run.tolerance = 1e-6;
  if (!cps_node_get(n, "balance")) s->run.balance = fmin(fmax(s->run.tolerance, BALANCE_LEAST), BALANCE_MOST);
  const char *solver = cps_solver_words;
  for (int i = 0; i < raw.solver; i++) solver += strcspn(solver, " ") + 1;
  if (raw.solver < 0) solver = default_solver(r, s);
  snprintf(s->run.solver, sizeof s->run.solver, "%.*s", (int)strcspn(solver, " "), solver);
  if (good) check_solver(r, n, s);
  if (good && !(raw.run.until > raw.run.from)) {
    cps_enter(r, "until");
    cps_complain(r, cps_node_get(n, "until"),
                 "the run ends at %.6g s and starts at %.6g s; it must end later", raw.run.until,
                 raw.run.from);
  }
  cps_leave(r, before);
}
