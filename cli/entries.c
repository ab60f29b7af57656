/* entries.c - one list of all models, and what is said of their traits. */
#include "cli.h"
#include "models.h"

#include <stdlib.h>
#include <string.h>

static const cps_param wrap_params[] = {
    {"mu", "1", 0.25, 1e-6, 100, "friction coefficient between cable and drum"},
    {"angle", "rad", 3.141592653589793, 1e-6, 1e4, "wrap angle"},
};

static const entry wrap_entry = {
    .group = "belt and capstan",
    .name = "euler-eytelwein",
    .aliases = "capstan belt",
    .title = "Euler-Eytelwein capstan with Johnson's arcs",
    .equation =
        "holds while t_out/t_in <= exp(mu angle);  slip arc = |ln(t_out/t_in)|/mu, at the run-off side",
    .citation = "L. Euler 1769; J. A. Eytelwein 1808; K. L. Johnson, Contact Mechanics, 1985, section 8.3",
    .note =
        "An integral law: friction of a whole arc of contact, not of a point. The cable is massless and has "
        "no bending stiffness; it sticks where it runs on and slips where it runs off.",
    .n_params = 2,
    .params = wrap_params,
};

int entry_count(void) { return cps_law_count() + cps_normal_count() + 1; }

static entry view_law(const cps_law *l) {
  entry e = {l->family, l->name,     l->aliases, l->title, l->equation, l->citation,
             l->note,   l->n_params, l->params,  l,        NULL};
  return e;
}

static entry view_normal(const cps_normal *l) {
  entry e = {"normal contact", l->name,   l->aliases, l->title, l->equation, l->citation, l->note,
             l->n_params,      l->params, NULL,       l};
  return e;
}

entry entry_at(int i) {
  if (i < cps_law_count()) return view_law(cps_law_at(i));
  i -= cps_law_count();
  return i < cps_normal_count() ? view_normal(cps_normal_at(i)) : wrap_entry;
}

/* Whether a name is one of the blank-separated words. */
static int among(const char *words, const char *name) {
  size_t length = strlen(name);
  while (words && *words) {
    size_t n = strcspn(words, " ");
    if (n == length && memcmp(words, name, n) == 0) return 1;
    words += n;
    words += strspn(words, " ");
  }
  return 0;
}

int entry_find(const char *name, entry *e) {
  /* A name goes before an alias: one model's alias may be the name of another, of another kind. */
  for (int pass = 0; *name && pass < 2; pass++) {
    for (int i = 0; i < entry_count(); i++) {
      entry candidate = entry_at(i);
      if (pass == 0 ? strcmp(candidate.name, name) != 0 : !among(candidate.aliases, name)) continue;
      *e = candidate;
      return 1;
    }
  }
  return 0;
}

const char *entry_nearest(const char *name, char *room, size_t size) {
  nearest n = {.word = name};
  for (int i = 0; i < entry_count(); i++) nearest_offer(&n, entry_at(i).name);
  for (int i = 0; i < entry_count(); i++) nearest_offer_words(&n, entry_at(i).aliases, room, size);
  if (n.best != room) snprintf(room, size, "%s", n.best);
  return room;
}

void entry_defaults(const entry *e, double *p) {
  for (int i = 0; i < e->n_params; i++) p[i] = e->params[i].value;
}

int entry_check(const entry *e, const double *p) {
  int problems = 0;
  for (int i = 0; i < e->n_params; i++) {
    const cps_param *q = &e->params[i];
    if (p[i] >= q->min && p[i] <= q->max) continue;
    complain("models", "%s = %g is out of range: %s takes %g to %g%s%s", q->name, p[i], e->name, q->min,
             q->max, strcmp(q->unit, "1") == 0 ? "" : " ", strcmp(q->unit, "1") == 0 ? "" : q->unit);
    problems++;
  }
  cps_error err;
  if (!problems && e->law && cps_law_check(e->law, p, &err) != CPS_OK) {
    complain("models", "%s", err.text);
    problems++;
  }
  return problems;
}

int equation_part(const char **rest, char *part, size_t size) {
  const char *from = *rest + strspn(*rest, " ");
  if (!*from) return 0;
  const char *to = strstr(from, "  ");
  size_t n = to ? (size_t)(to - from) : strlen(from);
  snprintf(part, size, "%.*s", (int)n, from);
  *rest = from + n;
  return 1;
}

const trait traits[] = {
    {CPS_STICKS, "sticks", "sticks", "sticks truly: comes to rest under a static load below the limit"},
    {CPS_CREEPS, "creeps", "creeps", "creeps: slides, however slowly, under a static load below the limit"},
    {CPS_NEEDS_FEQ, "f_eq", "needs_f_eq", "uses the balance force f_eq"},
    {CPS_MEMORY, "memory", "memory", "has memory: internal states"},
    {CPS_MODES, "modes", "modes", "has modes, with guards for an event-driven solver"},
    {CPS_CONTINUOUS, NULL, "continuous", "continuous"},
    {CPS_SMOOTH, NULL, "smooth", "continuously differentiable"},
    {CPS_DISSIPATES, NULL, "dissipates",
     "dissipates: f v <= 0 outside the stick band or, with memory, no work from a closed cycle"},
    {CPS_UNBOUNDED, NULL, "unbounded", "unbounded: the force grows without limit with the velocity"},
    {CPS_LOAD_FREE, NULL, "load_free", "does not vanish with the normal force"},
    {CPS_LOG_SINGULAR, NULL, "log_singular", "a derivative grows logarithmically without limit at v = 0"},
    {CPS_SNAPS, NULL, "snaps", "snaps: the force jumps where a guard fires"},
};

const int n_traits = sizeof traits / sizeof traits[0];

void traits_brief(unsigned bits, char *text, size_t size) {
  text[0] = 0;
  for (int i = 0; i < n_traits; i++)
    if (traits[i].brief && (bits & traits[i].bit))
      append(text, size, "%s%s", *text ? " " : "", traits[i].brief);
  if (bits & CPS_CONTINUOUS) append(text, size, "%s%s", *text ? " " : "", bits & CPS_SMOOTH ? "C1" : "C0");
}
