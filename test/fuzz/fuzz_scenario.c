/* fuzz_scenario.c - any bytes as a scenario: it is read, or refused with problems that can be printed.
 *
 * Layout of the input: the text, then up to four settings, with a byte 0xff before each.
 */
#include "drives.h"
#include "fuzz_problems.h"
#include "path_kinds.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SETTINGS = 4 };

static int is_unit(const double *v) { return fabs(hypot(hypot(v[0], v[1]), v[2]) - 1) < 1e-12; }

/* A profile can be evaluated anywhere, and its breaks come to an end or at least go on. */
static void check_profile(const profile *p) {
  demand(p != NULL, "a profile is missing");
  double t = -INFINITY;
  for (int i = 0; i < 20 && t < INFINITY; i++) {
    double next = cps_profile_next_break(p, t);
    demand(next > t, "a break is not after the time");
    if (isfinite(next)) cps_profile_eval(p, next);
    t = next;
  }
  cps_profile_eval(p, 0);
  cps_profile_eval(p, 1e300);
}

static void check_bodies(const cps_scenario *s) {
  for (int i = 0; i < s->n_bodies; i++) {
    const scenario_body *b = &s->bodies[i];
    demand(b->name[0] && b->line > 0, "a body has no name or place");
    demand(is_unit(b->direction), "a direction is not a unit vector");
    demand(b->kind == BODY_SURFACE || b->mass > 0, "a mass is not positive");
    demand(isfinite(b->mass) && isfinite(b->x[0]) && isfinite(b->x[1]) && isfinite(b->v[0]) &&
               isfinite(b->v[1]),
           "a state is not finite");
    demand(b->placed || b->kind == BODY_PLANE, "a body on a line has no place");
    if (b->kind == BODY_SURFACE) check_profile(b->motion);
  }
}

static void check_rest(const cps_scenario *s) {
  for (int i = 0; i < s->n_springs; i++) {
    const scenario_spring *g = &s->springs[i];
    demand(g->end[0].body < s->n_bodies && g->end[1].body < s->n_bodies, "a spring's end is out of range");
    demand(g->end[0].body >= GROUND && g->end[1].body >= GROUND, "a spring has no end");
    demand(!g->along_line || is_unit(g->axis), "an axis is not a unit vector");
    demand(isfinite(g->stiffness + g->damping + g->length), "a spring is not finite");
  }
  for (int i = 0; i < s->n_contacts; i++) {
    const scenario_contact *c = &s->contacts[i];
    demand(c->body[0] >= 0 && c->body[0] < s->n_bodies && s->bodies[c->body[0]].kind == BODY_LINE,
           "who slides?");
    demand(c->body[1] >= GROUND && c->body[1] < s->n_bodies, "on what?");
    demand(c->law && cps_law_check(c->law, c->p, NULL) == CPS_OK, "a law is not right");
    if (c->normal == NORMAL_GIVEN) check_profile(c->given);
  }
  for (int i = 0; i < s->n_loads; i++) {
    demand(s->loads[i].body >= 0 && s->loads[i].body < s->n_bodies, "a load acts on nothing");
    demand(is_unit(s->loads[i].direction), "a load has no direction");
    check_profile(s->loads[i].force);
  }
  demand(s->run.until > s->run.from && s->run.step >= 0 && s->run.output >= 0, "the run is not right");
  demand(strlen(s->hash) == 64 && s->title && s->file, "hash, title or file is missing");
}

static void check_three(profile *const *p) {
  for (int i = 0; i < 3; i++)
    if (p[i]) check_profile(p[i]);
}

static void check_drums(const cps_scenario *s) {
  for (int i = 0; i < s->n_drums; i++) {
    const scenario_drum *d = &s->drums[i];
    demand(d->name[0], "a drum has no name");
    demand(d->radius > 0 && isfinite(d->radius) && is_unit(d->axis), "a drum is not round");
    demand(s->dim == 3 || (d->axis[2] == 1 && d->center[2] == 0), "a drum is not in the plane");
    demand(!d->drive->unit == !d->motion, "what turns a drum?");
    demand(d->inertia > 0 || (!cps_drive_is(d, DRIVE_NEEDS_INERTIA) && !d->bearing), "a drum lacks inertia");
    demand(!d->bearing || (d->bearing_radius > 0 && cps_law_check(d->bearing, d->bearing_p, NULL) == CPS_OK),
           "a bearing is not right");
    demand(d->carrier >= -1 && d->carrier < s->n_bodies, "a drum is carried by nothing");
    demand(d->carrier < 0 || (!d->shift[0] && !d->shift[1] && !d->shift[2]), "a drum is moved and carried");
    if (d->motion) check_profile(d->motion);
    check_three(d->shift);
  }
}

static void check_path(const cps_scenario *s, const scenario_cable *c) {
  for (int k = 0; k < 2 && !c->closed; k++) {
    const cable_end *e = &c->end[k];
    demand(e->kind != cps_end_find("body") || (e->body >= 0 && e->body < s->n_bodies),
           "an end is on no body");
    demand(e->kind != cps_end_find("rim") || (e->drum >= 0 && e->drum < s->n_drums && c->n_path > 0),
           "an end is on no drum");
    check_three(e->shift);
    check_three(e->force);
  }
  for (int i = 0; i < c->n_path; i++) {
    const path_item *p = &c->path[i];
    demand(!cps_item_is(p, ITEM_WRAPS) || (p->drum >= 0 && p->drum < s->n_drums),
           "a cable is around nothing");
    demand(!cps_item_is(p, ITEM_WRAPS) || p->side != 0 || p->turn != 0, "which way around?");
    demand(p->turns >= 0 && p->length >= 0 && isfinite(p->pitch), "an item is not right");
    demand(!cps_item_is(p, ITEM_WRAPS) || c->contact.law, "a cable on a drum has no contact");
  }
}

static void check_cables(const cps_scenario *s) {
  for (int i = 0; i < s->n_cables; i++) {
    const scenario_cable *c = &s->cables[i];
    const cable_contact *t = &c->contact;
    demand(c->name[0], "a cable has no name");
    demand(c->ea > 0 && c->ei >= 0 && c->rho > 0, "a cable has no stiffness or mass");
    demand(c->axial_points >= 1 && c->axial_points <= 5 && c->bending_points >= 1 && c->bending_points <= 5,
           "a cable has no quadrature");
    demand((c->elements > 0) != (c->size > 0), "a cable has no mesh, or two");
    demand(c->elements > 0 || (c->drum_size > 0 && c->drum_size <= c->size && c->growth > 1),
           "a mesh is not right");
    check_path(s, c);
    demand(!t->law == !t->normal, "half a contact");
    demand(!t->law || cps_law_check(t->law, t->p, NULL) == CPS_OK, "a cable's friction is not right");
    demand(t->n_drums >= -1 && t->n_drums <= s->n_drums, "too many drums");
    for (int k = 0; k < t->n_drums; k++) demand(t->drums[k] >= 0 && t->drums[k] < s->n_drums, "which drum?");
    for (int k = 0; k < c->n_masses; k++)
      demand(c->masses[k].mass > 0 && c->masses[k].at >= 0, "a mass is not right");
  }
  demand(s->n_cables == 0 || strcmp(s->run.solver, "alpha") == 0 || strcmp(s->run.solver, "bdf") == 0,
         "a cable is solved by the wrong solver");
  demand(s->dim == 2 || (s->dim == 3 && s->n_contacts == 0), "space has contacts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* A copy with a zero at the end, cut at the separators. */
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = 0;
  const char *settings[SETTINGS];
  int n = 0;
  size_t length = size;
  for (size_t i = 0; i < size && n < SETTINGS; i++) {
    if (data[i] != 0xff) continue;
    if (n == 0) length = i;
    text[i] = 0;
    settings[n++] = text + i + 1;
  }
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, length, "fuzz.yaml", settings, n, &problems);
  if (s) {
    check_bodies(s);
    check_rest(s);
    check_drums(s);
    check_cables(s);
  }
  check_problems(s, problems);
  cps_scenario_free(s);
  free(text);
  return 0;
}
