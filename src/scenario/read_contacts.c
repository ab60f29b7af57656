/* read_contacts.c - contacts: who slides on whom, under which normal force, by which law.
 *
 * Weights. A body rests on what its contacts of kind `weight` or `load` say, and that can only be one thing:
 * how two would share the weight is not determined. So "rests on" is a forest, and what a body
 * carries is its own mass and that of all above it.
 */
#include "read_sections.h"

#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ friction law */

static const cps_law *find_law(reader *r, const node *n) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  const cps_law *law = cps_laws_find(r->laws, n->text);
  if (law) return law;
  nearest_name near = {.word = n->text};
  char alias[64], best[64];
  for (int i = 0; i < cps_laws_count(r->laws); i++) {
    const cps_law *other = cps_laws_at(r->laws, i);
    cps_nearest_offer(&near, other->name);
    for (const char *s = other->aliases; s && *s; s += strspn(s, " ")) {
      snprintf(alias, sizeof alias, "%.*s", (int)strcspn(s, " "), s);
      const char *before = near.best;
      cps_nearest_offer(&near, alias);
      if (near.best != before) near.best = memcpy(best, alias, sizeof best);
      s += strcspn(s, " ");
    }
  }
  cps_complain(r, n, "there is no friction law %s%s The command capstan models lists them",
               cps_quote(quote, n->text), cps_nearest_hint(&near, ".", hint));
  return NULL;
}

/* A law by its name alone, or a map from its name to its parameters. */
void cps_read_friction(reader *r, const node *n, const cps_law **found, double *p) {
  key rows[CPS_MAX_PARAMS];
  if (n->kind != NODE_SCALAR && (n->kind != NODE_MAP || n->n != 1)) {
    if (n->kind == NODE_MAP && n->n > 1)
      cps_complain(r, n->entry[1].key,
                   "friction is one law, such as {coulomb: {mu: 0.5}}; its parameters are one level "
                   "deeper");
    else
      cps_complain_type(r, n, cps_row(&cps_keys_contacts, "friction"), NULL, NULL);
    return;
  }
  const node *name = n->kind == NODE_MAP ? n->entry[0].key : n;
  const cps_law *law = *found = find_law(r, name);
  if (!law) return;
  cps_law_defaults(law, p);
  static const node nothing = {.kind = NODE_NULL};
  int before = cps_enter(r, name->text);
  key_table table = cps_keys_of_law(law, rows);
  int good = cps_read_map(r, n->kind == NODE_MAP ? n->entry[0].value : &nothing, &table, NULL, p);
  cps_error err;
  if (good && !r->lenient && cps_law_check(law, p, &err) != CPS_OK) cps_complain(r, name, "%s", err.text);
  cps_leave(r, before);
}

static void read_states(reader *r, const node *n, scenario_contact *c) {
  key rows[CPS_MAX_STATES];
  if (!n || !c->law) return;
  int before = cps_enter(r, "state");
  key_table table = cps_keys_of_states(c->law, rows);
  if (c->law->n_states == 0 && n->n > 0)
    cps_complain(r, n, "the law %s has no internal states", c->law->name);
  else
    cps_read_map(r, n, &table, NULL, c->z);
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ normal force */

static void read_normal(reader *r, const node *n, scenario_contact *c) {
  int before = cps_enter(r, "normal");
  c->normal = NORMAL_GIVEN;
  if (n->kind == NODE_SCALAR && strcmp(n->text, "weight") == 0)
    c->normal = NORMAL_WEIGHT;
  else if (n->kind == NODE_SCALAR && strcmp(n->text, "load") == 0)
    c->normal = NORMAL_LOAD;
  else
    c->given = cps_read_profile(r, n, cps_row(&cps_keys_contacts, "normal"), "N");
  cps_leave(r, before);
}

/* ------------------------------------------------------------------ the two that touch */

/* Why two things cannot be in contact; NULL if they can. */
static const char *why_not(const cps_scenario *s, int a, int b) {
  if (cps_is_fixed(s, a) && cps_is_fixed(s, b))
    return "neither of the two can be moved by friction, so this contact does nothing";
  if (a == b) return "a body cannot slide on itself";
  if ((a != GROUND && s->bodies[a].kind == BODY_PLANE) || (b != GROUND && s->bodies[b].kind == BODY_PLANE))
    return "a body with a position moves in the plane, and has no line to slide along; give it x instead, or "
           "connect it by springs";
  if (cps_is_fixed(s, a)) return "the body that slides comes first, then what it slides on";
  if (b == GROUND) return NULL;
  const double *d = s->bodies[a].direction, *e = s->bodies[b].direction;
  if (fabs(d[0] * e[1] - d[1] * e[0]) > 1e-9) return "the lines of the two are not parallel";
  return NULL;
}

static void read_pair(reader *r, const node *n, const cps_scenario *s, scenario_contact *c) {
  int before = cps_enter(r, "between"), good = 1;
  c->body[0] = c->body[1] = NOBODY;
  if (n->kind != NODE_LIST || n->n != 2) {
    cps_complain_type(r, n, cps_row(&cps_keys_contacts, "between"), NULL, NULL);
    good = 0;
  }
  for (int i = 0; good && i < 2; i++) {
    int outer = cps_enter_item(r, i);
    c->body[i] = cps_find_body(r, n->item[i], s);
    cps_leave(r, outer);
  }
  if (good && c->body[0] != NOBODY && c->body[1] != NOBODY) {
    const char *why = why_not(s, c->body[0], c->body[1]);
    if (why) {
      cps_complain(r, n, "%s", why);
      c->body[0] = NOBODY;
    }
  }
  cps_leave(r, before);
}

void cps_read_contacts(reader *r, const node *contacts, cps_scenario *s) {
  s->contacts = cps_section(r, contacts, cps_row(&cps_keys_scenario, "contacts"), sizeof *s->contacts);
  for (int i = 0; s->contacts && i < contacts->n; i++) {
    scenario_contact *c = &s->contacts[s->n_contacts++];
    const node *n = contacts->entry[i].value;
    raw_contact raw;
    int before = cps_enter_element(r, "contacts", &contacts->entry[i], c->name);
    cps_read_map(r, n, &cps_keys_contacts, NULL, &raw);
    c->body[0] = c->body[1] = NOBODY;
    if (raw.between) read_pair(r, raw.between, s, c);
    if (raw.normal) read_normal(r, raw.normal, c);
    int outer = cps_enter(r, "friction");
    if (raw.friction) cps_read_friction(r, raw.friction, &c->law, c->p);
    cps_leave(r, outer);
    read_states(r, raw.state, c);
    cps_leave(r, before);
  }
  if (s->contacts) cps_find_weights(r, s, contacts);
}

/* ------------------------------------------------------------------ weights */

enum { RESTS_ON_NOTHING = -3 };

/* Complains that a body rests on two things, at the second contact that says so. */
static void complain_shared(reader *r, const cps_scenario *s, const node *contacts, int i, int first) {
  const scenario_contact *c = &s->contacts[i];
  int before = cps_enter(r, "contacts");
  cps_enter(r, c->name);
  cps_enter(r, "normal");
  cps_complain(r, cps_node_get(contacts->entry[i].value, "normal"),
               "the weight of \"%s\" already rests on contact \"%s\"; how it is shared cannot be known, so "
               "give one of "
               "the two normal forces",
               s->bodies[c->body[0]].name, s->contacts[first].name);
  cps_leave(r, before);
}

static void complain_circle(reader *r, const cps_scenario *s, const node *contacts, const int *on,
                            const int *by, int body) {
  char text[300] = "";
  size_t used = 0;
  int b = body;
  do {
    used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", s->bodies[b].name);
    b = on[b];
  } while (b != body && used < sizeof text);
  int before = cps_enter(r, "contacts");
  cps_enter(r, s->contacts[by[body]].name);
  cps_complain(r, contacts->entry[by[body]].key, "bodies rest on one another in a circle: %s%s", text,
               s->bodies[body].name);
  cps_leave(r, before);
}

/* What each body rests on (on), by which contact (by), and how many rest directly on it (above). */
static void find_supports(reader *r, const cps_scenario *s, const node *contacts, int *on, int *by,
                          int *above) {
  for (int i = 0; i < s->n_bodies; i++) on[i] = RESTS_ON_NOTHING;
  for (int i = 0; i < s->n_contacts; i++) {
    const scenario_contact *c = &s->contacts[i];
    if (c->normal == NORMAL_GIVEN || c->body[0] < 0 || c->body[1] == NOBODY) continue;
    int a = c->body[0];
    if (on[a] == RESTS_ON_NOTHING) {
      on[a] = c->body[1];
      by[a] = i;
      if (on[a] >= 0) above[on[a]]++;
    } else if (on[a] != c->body[1]) {
      complain_shared(r, s, contacts, i, by[a]);
    }
  }
}

void cps_find_weights(reader *r, cps_scenario *s, const node *contacts) {
  size_t n = (size_t)s->n_bodies;
  int *on = calloc(n + 1, sizeof *on), *by = calloc(n + 1, sizeof *by), *above = calloc(n + 1, sizeof *above);
  int *ready = calloc(n + 1, sizeof *ready);
  double *carried = calloc(n + 1, sizeof *carried);
  if (!on || !by || !above || !ready || !carried) {
    r->d->no_memory = 1;
    goto out;
  }
  find_supports(r, s, contacts, on, by, above);
  /* From the top down: a body is ready when all that rest on it are. */
  int first = 0, last = 0;
  for (int i = 0; i < s->n_bodies; i++) {
    carried[i] = s->bodies[i].mass;
    if (above[i] == 0) ready[last++] = i;
  }
  for (; first < last; first++) {
    int b = ready[first];
    above[b] = -1;
    if (on[b] < 0) continue;
    carried[on[b]] += carried[b];
    if (--above[on[b]] == 0) ready[last++] = on[b];
  }
  /* What never became ready lies in a circle or below one: report each circle once. */
  for (int i = 0; i < s->n_bodies; i++) {
    if (above[i] <= 0) continue;
    int b = i;
    while (above[b] > 0 && on[b] >= 0) {
      above[b] = -2 - i;
      b = on[b];
    }
    if (above[b] == -2 - i) complain_circle(r, s, contacts, on, by, b);
  }
  double g = hypot(hypot(s->gravity[0], s->gravity[1]), s->gravity[2]);
  for (int i = 0; i < s->n_contacts; i++) {
    scenario_contact *c = &s->contacts[i];
    if (c->normal != NORMAL_GIVEN && c->body[0] >= 0) c->weight = g * carried[c->body[0]];
  }
out:
  free(on);
  free(by);
  free(above);
  free(ready);
  free(carried);
}
