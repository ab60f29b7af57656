/* world.h - scenarios with one cable, built by hand. */
#ifndef CPS_TEST_WORLD_H
#define CPS_TEST_WORLD_H

#include "test.h"

#include "cable_path.h"
#include "vec.h"

#define PI 3.14159265358979323846

enum { MOST_DRUMS = 8, MOST_ITEMS = 16, MOST_BODIES = 2 };

typedef struct world {
  cps_scenario s;
  scenario_drum drums[MOST_DRUMS];
  scenario_body bodies[MOST_BODIES];
  scenario_cable cable;
  path_item items[MOST_ITEMS];
  profile push; /* a force along -y, or whatever a test makes of it */
} world;

/* A world without anything but gravity; its cable has EA 1e6 N, ten elements and two free ends. */
static MAYBE_UNUSED void world_begin(world *w, int dim) {
  memset(w, 0, sizeof *w);
  w->s.dim = dim;
  w->s.gravity[1] = -10;
  w->s.drums = w->drums;
  w->s.bodies = w->bodies;
  w->s.cables = &w->cable;
  w->s.n_cables = 1;
  snprintf(w->cable.name, sizeof w->cable.name, "rope");
  w->cable.ea = 1e6;
  w->cable.elements = 10;
  w->cable.path = w->items;
}

static MAYBE_UNUSED int add_drum(world *w, double x, double y, double radius) {
  scenario_drum *d = &w->drums[w->s.n_drums];
  snprintf(d->name, sizeof d->name, "d%d", w->s.n_drums);
  d->center[0] = x, d->center[1] = y, d->axis[2] = 1, d->radius = radius, d->carrier = -1;
  return w->s.n_drums++;
}

static MAYBE_UNUSED int add_body(world *w, double mass) {
  scenario_body *b = &w->bodies[w->s.n_bodies];
  snprintf(b->name, sizeof b->name, "b%d", w->s.n_bodies);
  b->kind = BODY_PLANE, b->mass = mass;
  return w->s.n_bodies++;
}

static MAYBE_UNUSED path_item *add_item(world *w, const char *kind) {
  path_item *i = &w->items[w->cable.n_path++];
  i->kind = cps_item_find(kind);
  return i;
}

static MAYBE_UNUSED path_item *wrap(world *w, int drum, int side) {
  path_item *i = add_item(w, side > 0 ? "over" : side < 0 ? "under" : "around");
  i->drum = drum, i->side = side;
  return i;
}

static MAYBE_UNUSED path_item *turn(world *w, int drum, int way) {
  path_item *i = wrap(w, drum, 0);
  i->turn = way;
  return i;
}

static MAYBE_UNUSED path_item *hang(world *w, double length) {
  path_item *i = add_item(w, "hang");
  i->length = length;
  return i;
}

static MAYBE_UNUSED path_item *to(world *w, double x, double y) {
  path_item *i = add_item(w, "to");
  i->point[0] = x, i->point[1] = y;
  return i;
}

static MAYBE_UNUSED path_item *along(world *w, double x, double y, double length) {
  path_item *i = add_item(w, "along");
  i->direction[0] = x, i->direction[1] = y, i->length = length;
  return i;
}

static MAYBE_UNUSED void pin(world *w, int end, double x, double y) {
  cable_end *e = &w->cable.end[end];
  e->kind = cps_end_find("pinned"), e->placed = 1, e->at[0] = x, e->at[1] = y;
}

static MAYBE_UNUSED void carry(world *w, int end, int body) {
  w->cable.end[end].kind = cps_end_find("body"), w->cable.end[end].body = body;
}

static MAYBE_UNUSED void press_law(world *w, double stiffness, double exponent) {
  w->cable.contact.of_node = w->cable.contact.quadrature == 0;
  cable_contact *c = &w->cable.contact;
  c->normal = cps_normal_find("hunt-crossley");
  c->normal_p[0] = stiffness, c->normal_p[1] = exponent, c->normal_p[2] = 1;
}

static MAYBE_UNUSED path path_of(world *w) {
  path p;
  cps_error err = {0};
  if (cps_path_make(&p, &w->s, 0, &err) != CPS_OK) fail_msg("%s: %s", err.key, err.text);
  return p;
}

static MAYBE_UNUSED shape shape_of(world *w, const path *p) {
  shape m;
  cps_error err = {0};
  if (cps_shape_make(&m, &w->s, 0, p, &err) != CPS_OK) fail_msg("%s: %s", err.key, err.text);
  return m;
}

/* That the path is refused, with that key and these words. */
static MAYBE_UNUSED void refused(world *w, const char *key, const char *words) {
  path p;
  cps_error err = {0};
  assert_int_equal(cps_path_make(&p, &w->s, 0, &err), CPS_BAD_INPUT);
  assert_string_equal(err.key, key);
  if (!strstr(err.text, words)) fail_msg("\"%s\" does not say \"%s\"", err.text, words);
  assert_null(p.piece);
  assert_int_equal(cps_path_make(&p, &w->s, 0, NULL), CPS_BAD_INPUT);
}

static MAYBE_UNUSED void near_to(double a, double b, double tolerance, const char *what) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%s: %.17g, not %.17g", what, a, b);
}

static MAYBE_UNUSED void at_place(const path *p, const world *w, double l, double x, double y) {
  double r[3], t[3];
  cps_path_at(p, &w->s, l, r, t);
  near_to(r[0], x, 1e-12, "x");
  near_to(r[1], y, 1e-12, "y");
}

/* Position and (unless corners are allowed) tangent are continuous, and l is the length: 1000 points. */
static MAYBE_UNUSED void check_smooth(const path *p, const world *w, int corners) {
  enum { POINTS = 1000 };
  double r[3] = {0}, t[3] = {0}, r1[3] = {0}, t1[3] = {0}, d[3];
  for (int i = 0; i < POINTS; i++) {
    double l = p->length * i / POINTS, h = 1e-7 * p->length;
    cps_path_at(p, &w->s, l, r, t);
    cps_path_at(p, &w->s, l + h, r1, t1);
    near_to(vec_norm(t), 1, 1e-12, "|t|");
    vec_add(d, r1, -1, r);
    if (vec_norm(d) > h * (1 + 1e-6)) fail_msg("the path jumps at %g", l);
    if (!corners) near_to(vec_norm(d) / h, 1, 1e-5, "|dr/dl|");
  }
  double l = 0;
  for (int k = 0; k < p->n; l += p->piece[k++].length) {
    double eps = 1e-9 * p->length;
    assert_true(p->piece[k].length > 0);
    if (k == 0 && !p->closed) continue;
    cps_path_at(p, &w->s, l - eps, r, t);
    cps_path_at(p, &w->s, l + eps, r1, t1);
    vec_add(d, r1, -1, r);
    if (vec_norm(d) > 2.1 * eps) fail_msg("the path jumps by %g at joint %d", vec_norm(d), k);
    vec_add(d, t1, -1, t);
    if (!corners && vec_norm(d) > 1e-6) fail_msg("the path bends by %g at joint %d", vec_norm(d), k);
  }
  near_to(l, p->length, 1e-12 * l, "length");
}

/* Turns and moves everything in space by a rotation about `about` (which turns it by `angle`) and a shift. */
static MAYBE_UNUSED void rotate(double *v, const double *about, double angle) {
  double c[3], along = vec_dot(about, v);
  vec_cross(c, about, v);
  for (int k = 0; k < 3; k++)
    v[k] = cos(angle) * v[k] + sin(angle) * c[k] + (1 - cos(angle)) * along * about[k];
}

static MAYBE_UNUSED void tilt(world *w, const double *about, double angle, const double *shift) {
  w->s.dim = 3;
  rotate(w->s.gravity, about, angle);
  for (int i = 0; i < w->s.n_drums; i++) {
    rotate(w->drums[i].axis, about, angle);
    rotate(w->drums[i].center, about, angle);
    vec_add(w->drums[i].center, w->drums[i].center, 1, shift);
  }
  for (int e = 0; e < 2; e++) {
    rotate(w->cable.end[e].at, about, angle);
    vec_add(w->cable.end[e].at, w->cable.end[e].at, 1, shift);
  }
  for (int i = 0; i < w->cable.n_path; i++) {
    rotate(w->items[i].point, about, angle);
    vec_add(w->items[i].point, w->items[i].point, 1, shift);
    rotate(w->items[i].direction, about, angle);
  }
}

#endif
