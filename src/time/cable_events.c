/* cable_events.c - what happens to cables as a whole, looked at where steps end.
 *
 *   a cable on a drum    off: no point touches; sticks: at least one point sticks; slips: all that touch slip
 *   a cable              taut, or slack: it is not stretched where it is tied at one of its ends
 *   bearings, contacts   the mode of the law, beside cables
 *
 * A point of a cable that begins to slip is no event: arcs of slip grow point by point in every run. Times are those of the ends of
 * steps, not located more closely; but guards of laws with memory between bodies are (alpha.c), and told there.
 */
#include "machine.h"
#include "system.h"

#include <math.h>
#include <stdio.h>

enum { UNKNOWN = -2 };
typedef enum arc_mode { ARC_OFF, ARC_STICKS, ARC_SLIPS } arc_mode;
static const char *const arc_names[] = {"off", "sticks", "slips"}, *const cable_names[] = {"taut", "slack"};

static arc_mode arc_of(const cable *c, int drum) {
  arc_mode mode = ARC_OFF;
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    if (p->drum != drum) continue;
    if (p->stuck) return ARC_STICKS;
    mode = ARC_SLIPS;
  }
  return mode;
}

/* Strain at a node, whose slope has the length 1 + strain. The tension that columns show is not known after every step. */
static double strain_at(const cable *c, int node) {
  const double *slope = c->q + (size_t)node * (size_t)c->b + c->dim;
  double square = 0;
  for (int d = 0; d < c->dim; d++) square += slope[d] * slope[d];
  return sqrt(square) - 1;
}

/* A slack cable is taut again when its end is stretched by this part of the largest strain along it, so that waves in it do not
 * count. */
static const double TAUT_AGAIN = 0.01;

static int is_slack(const cable *c, int was) {
  double most = 0;
  int slack = 0;
  for (int k = 0; k <= c->n && was > 0; k++) most = fmax(most, strain_at(c, k));
  for (int e = 0; e < 2 && !c->of->closed; e++)
    if (cps_end_is(c->end[e].kind, END_HELD)) slack |= !(strain_at(c, e ? c->n : 0) > TAUT_AGAIN * most);
  return slack;
}

int cps_cable_events_count(const machine *m) {
  return m->n_cables * (m->n_drums + 1) + m->n_slides + m->system->nc;
}

void cps_cable_events_forget(cps_simulation *sim) {
  for (int i = 0; i < sim->n_seen; i++) sim->seen[i] = UNKNOWN;
}

int cps_cable_events_fit(const cps_simulation *sim) {
  const machine *m = sim->machine;
  int arcs = m->n_cables * (m->n_drums + 1);
  for (int i = 0; i < sim->n_seen; i++) {
    const cps_law *law = i >= arcs + m->n_slides ? m->system->contacts[i - arcs - m->n_slides].law : NULL;
    int most = law ? law->n_modes - 1 : i < arcs && i % (m->n_drums + 1) == 0 ? 1 : ARC_SLIPS;
    if (sim->seen[i] < UNKNOWN || sim->seen[i] > (most > 0 ? most : 0)) return 0;
  }
  return 1;
}

static cps_status changed(cps_simulation *sim, int *seen, int now, const char *name, const char *thing,
                          const char *const *names, cps_error *err) {
  int before = *seen;
  char from[CPS_NAME_ROOM + 16], to[16];
  *seen = now;
  if (before == now || before == UNKNOWN) return CPS_OK;
  snprintf(from, sizeof from, "%s%s%s", thing, *thing ? ": " : "", names[before]);
  snprintf(to, sizeof to, "%s", names[now]);
  return cps_simulation_cable_event(sim, name, before, now, from, to, err);
}

cps_status cps_cable_events(cps_simulation *sim, cps_error *err) {
  const machine *m = sim->machine;
  const cps_scenario *s = sim->system->scenario;
  cps_status status = CPS_OK;
  int *seen = sim->seen;
  for (int i = 0; i < m->n_cables && status == CPS_OK; i++) {
    const cable *c = &m->cable[i];
    status = changed(sim, seen, is_slack(c, *seen), c->of->name, "", cable_names, err);
    seen++;
    for (int d = 0; d < m->n_drums && status == CPS_OK; d++)
      status = changed(sim, seen++, (int)arc_of(c, d), c->of->name, s->drums[d].name, arc_names, err);
  }
  for (int i = 0; i < m->n_slides && status == CPS_OK; i++) {
    const slide *y = &m->slide[i];
    int *last = seen++;
    if (!y->contact)
      status = changed(sim, last, y->p.stuck ? ARC_STICKS : ARC_SLIPS, s->drums[y->drum].name, "bearing",
                       arc_names, err);
  }
  for (int i = 0; i < m->system->nc && status == CPS_OK; i++) {
    if (cps_contact_slide(m, i)->law.located) { /* which tells them itself */
      seen++;
      continue;
    }
    int before = *seen, now = cps_simulation_mode(sim, i);
    *seen++ = now;
    if (before != now && before >= 0 && now >= 0) status = cps_simulation_event(sim, i, before, now, err);
  }
  return status;
}
