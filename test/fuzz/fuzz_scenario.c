/* fuzz_scenario.c - any bytes as a scenario: it is read, or refused with problems that can be printed.
 *
 * Layout of the input: the text, then up to four settings, with a byte 0xff before each.
 */
#include "scenario.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SETTINGS = 4 };

static void demand(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "scenario: %s\n", what);
  abort();
}

static int is_unit(const double *v) { return fabs(hypot(v[0], v[1]) - 1) < 1e-12; }

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
    demand(b->name[0] && b->line > 0 && b->column > 0, "a body has no name or place");
    demand(is_unit(b->direction), "a direction is not a unit vector");
    demand(b->kind == BODY_SURFACE || b->mass > 0, "a mass is not positive");
    demand(isfinite(b->mass) && isfinite(b->x[0]) && isfinite(b->x[1]) && isfinite(b->v[0]) &&
               isfinite(b->v[1]),
           "a state is not finite");
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
  demand(!s == (cps_problems_count(problems) > 0), "neither or both of scenario and problems");
  if (s) {
    check_bodies(s);
    check_rest(s);
  }
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char line[4096];
    int needed = cps_problem_text(cps_problems_at(problems, i), line, sizeof line);
    demand(needed > 0 && needed < (int)sizeof line, "a problem is too long");
    demand(cps_problems_at(problems, i)->text[0], "a problem says nothing");
  }
  cps_problems_free(problems);
  cps_scenario_free(s);
  free(text);
  return 0;
}
