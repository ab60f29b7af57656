/* sens_drive.c - what parameters change in a machine: its plain numbers, its first state, and what is prescribed over time.
 *
 * Plain numbers are differenced between machines made of the shadows of the scenario (sens.h). Profiles are evaluated
 * in the shadows at the same times; where a parameter acts in proportion, two shadows say it exactly. Drums under
 * control without inertia are integrated in time by machine.c: the same method, differentiated stage by stage. */
#include "sens_drive.h"
#include "cable_path.h"

#include <stdio.h>
#include <stdlib.h>

/* Times at which a profile's derivatives are remembered: those of a step of the Runge-Kutta method. */
enum { REMEMBERED = 3 };

/* The shadow that is always there. */
enum { LAST = SENS_SHADOWS - 1 };

struct slot {
  prescribed what;
  int timed;   /* it changes with time, and its rates are asked for */
  int n;       /* parameters that change it */
  int *wrt;    /* [n] */
  int *linear; /* [n] whether it does so in proportion */
  double times[REMEMBERED];
  long used[REMEMBERED], uses; /* when each was last asked for: the oldest is forgotten first */
  lanes *value;                /* [REMEMBERED][3][chunks]: y, y_t, y_tt */
  lanes *
      points; /* of tables and polynomials whose values alone are changed: their derivatives, see tabulate() */
};

/* ------------------------------------------------------------------ comparing scenarios */

/* Whether cables, contacts and so on are the same but for what is prescribed. */
static int same_cable(const scenario_cable *a, const scenario_cable *b) {
  scenario_cable x = *a, y = *b;
  if (a->n_path != b->n_path || a->n_masses != b->n_masses) return 0;
  if (memcmp(a->path, b->path, (size_t)a->n_path * sizeof *a->path) != 0) return 0;
  if (a->n_masses > 0 && memcmp(a->masses, b->masses, (size_t)a->n_masses * sizeof *a->masses) != 0) return 0;
  x.path = y.path = NULL;
  x.masses = y.masses = NULL;
  x.contact.drums = y.contact.drums = NULL;
  for (int e = 0; e < 2; e++)
    for (int d = 0; d < 3; d++)
      x.end[e].shift[d] = y.end[e].shift[d] = x.end[e].force[d] = y.end[e].force[d] = NULL;
  return memcmp(&x, &y, sizeof x) == 0;
}

static int same_drum(const scenario_drum *a, const scenario_drum *b) {
  scenario_drum x = *a, y = *b;
  x.motion = y.motion = NULL;
  for (int d = 0; d < 3; d++) x.shift[d] = y.shift[d] = NULL;
  return memcmp(&x, &y, sizeof x) == 0;
}

static int same_body(const scenario_body *a, const scenario_body *b) {
  scenario_body x = *a, y = *b;
  x.motion = y.motion = NULL;
  return memcmp(&x, &y, sizeof x) == 0;
}

static int same_contact(const scenario_contact *a, const scenario_contact *b) {
  scenario_contact x = *a, y = *b;
  x.given = y.given = NULL;
  return memcmp(&x, &y, sizeof x) == 0;
}

/* Whether two scenarios differ at most in what drives of drums are told: then their machines are made of the same numbers. The shape as
 * drawn knows where ends are, and what pulls there. Differences in padding make it say no, which costs time and nothing else. */
static int same_numbers(const cps_scenario *a, const cps_scenario *b) {
  prescribed x, y;
  int same = memcmp(a->gravity, b->gravity, sizeof a->gravity) == 0;
  for (int i = 0; i < a->n_drums && same; i++) same = same_drum(&a->drums[i], &b->drums[i]);
  for (int i = 0; i < a->n_springs && same; i++)
    same = memcmp(&a->springs[i], &b->springs[i], sizeof a->springs[i]) == 0;
  for (int i = 0; i < a->n_bodies && same; i++) same = same_body(&a->bodies[i], &b->bodies[i]);
  for (int i = 0; i < a->n_cables && same; i++) same = same_cable(&a->cables[i], &b->cables[i]);
  for (int i = 0; i < a->n_contacts && same; i++) same = same_contact(&a->contacts[i], &b->contacts[i]);
  for (int i = 0; i < a->n_loads && same; i++)
    same = memcmp(a->loads[i].direction, b->loads[i].direction, sizeof a->loads[i].direction) == 0;
  for (int n = 0; same && cps_prescribed(a, n, &x); n++)
    same = x.kind == GIVEN_DRIVE || (cps_prescribed(b, n, &y) && cps_sens_same(x.by, y.by));
  return same;
}

/* ------------------------------------------------------------------ profiles */

/* As another scenario prescribes it. */
static const profile *profile_of(const drive *o, const slot *s, const cps_scenario *of) {
  prescribed x = {.by = NULL};
  cps_prescribed(of, (int)(s - o->slots), &x);
  return x.by;
}

static void differ(const drive *o, const slot *s, const sens_parameter *p, int linear, double t,
                   double out[3]) {
  out[0] = out[1] = out[2] = 0;
  for (int j = 0; j < SENS_SHADOWS; j++) {
    if (linear && j != 0 && j != LAST) continue;
    profile_value x = cps_profile_beside(profile_of(o, s, p->shadow[j]), s->what.by, t, t);
    double by = linear ? 1 / (2.0 * cps_sens_place[j]) : cps_sens_share[j];
    out[0] += by * x.y;
    out[1] += by * x.y_t;
    out[2] += by * x.y_tt;
  }
  for (int k = 0; k < 3; k++) out[k] /= p->step;
}

/* Whether two shadows say the same as six, at times all over the run. */
static int is_linear(const drive *o, const slot *s, const sens_parameter *p) {
  enum { LOOKS = 23 };
  const scenario_run *run = &o->run->scenario->run;
  for (int i = 0; i <= LOOKS; i++) {
    double few[3], many[3], t = run->from + (run->until - run->from) * (i + 0.37) / (LOOKS + 0.61);
    differ(o, s, p, 1, t, few);
    differ(o, s, p, 0, t, many);
    profile_value y = cps_profile_eval(s->what.by, t);
    double noise = 1e-14 * (fabs(y.y) + fabs(y.y_t) + fabs(y.y_tt)) / p->step;
    for (int k = 0; k < 3; k++)
      if (fabs(few[k] - many[k]) > 1e-11 * (fabs(many[0]) + fabs(many[1]) + fabs(many[2])) + noise) return 0;
  }
  return 1;
}

/* Finds parameters that are values of the table that a drum's drive follows: nothing has to be read again for these. */
static void find_points(drive *o) {
  const cps_scenario *s = o->run->scenario;
  for (int k = 0; k < o->run->n_wrt; k++) {
    const cps_quantity *q = &o->run->wrt[k].q;
    const char *values = strstr(q->path, ".table.values.");
    o->point[k] = o->table[k] = -1;
    for (int i = 0; i < s->n_drums && values; i++) {
      const profile *p = s->drums[i].motion;
      char start[CPS_NAME_ROOM + 16], *end;
      snprintf(start, sizeof start, "drums.%s.drive.", s->drums[i].name);
      long n = strtol(values + strlen(".table.values."), &end, 10);
      if (strncmp(q->path, start, strlen(start)) != 0 || *end != 0 || !p || p->kind != PROFILE_TABLE)
        continue;
      if (n < 0 || n >= p->n || p->y[n] != q->value) continue;
      o->point[k] = (int)n;
      o->table[k] = i;
    }
  }
}

/* Whether a parameter changes nothing but a table. */
static int is_point(const drive *o, int wrt) { return o->point[wrt] >= 0; }

/* Numbers of a table or polynomial at its points, in the order in which they are tabulated: values and, of a spline, second
 * derivatives; coefficients. NULL for other profiles. */
static double *number_of(const profile *p, int point, int which) {
  if (p->kind == PROFILE_POLYNOMIAL) return &p->y[4 * point + which];
  if (p->kind != PROFILE_TABLE || which > 1) return NULL;
  return which == 0 ? &p->y[point] : p->y2 ? &p->y2[point] : NULL;
}

/* The table by one of its own values: that is one, and its spline follows. */
static cps_status tabulate_point(drive *o, slot *s, int wrt) {
  const profile *p = s->what.by;
  double *unit = calloc((size_t)p->n, sizeof *unit), *bend = NULL;
  if (unit) unit[o->point[wrt]] = 1;
  if (unit && p->y2) bend = cps_profile_spline(p->x, unit, p->n);
  int good = unit && (bend || !p->y2);
  for (int i = 0; i < p->n && good; i++) {
    s->points[i * 4 * o->chunks + wrt / LANES][wrt % LANES] = unit[i];
    if (bend) s->points[(i * 4 + 1) * o->chunks + wrt / LANES][wrt % LANES] = bend[i];
  }
  free(unit);
  free(bend);
  return good ? CPS_OK : CPS_NO_MEMORY;
}

/* Where parameters are values of a table or coefficients of a polynomial, the derivatives by all of them are tables and
 * polynomials, too, which need not be looked up one by one: [points][4][chunks]. */
static cps_status tabulate(drive *o, slot *s) {
  const profile *base = s->what.by;
  if (s->n == 0) return CPS_OK;
  if (!POOL_ARRAY(&o->pool, s->points, base->n * 4 * o->chunks)) return CPS_NO_MEMORY;
  for (int k = 0; k < s->n; k++) {
    const sens_parameter *p = &o->run->wrt[s->wrt[k]];
    if (is_point(o, s->wrt[k])) {
      cps_status status = tabulate_point(o, s, s->wrt[k]);
      if (status != CPS_OK) return status;
      continue;
    }
    const profile *other = profile_of(o, s, p->shadow[LAST]);
    double span = cps_sens_place[LAST] * p->step;
    for (int i = 0; i < base->n; i++)
      for (int which = 0; which < 4 && number_of(base, i, which); which++)
        s->points[(i * 4 + which) * o->chunks + s->wrt[k] / LANES][s->wrt[k] % LANES] =
            (*number_of(other, i, which) - *number_of(base, i, which)) / span;
  }
  return CPS_OK;
}

/* The same at time t: table() and polynomial() of profile.c. */
static void look_up(const drive *o, const slot *s, double t, lanes *value) {
  const profile *p = s->what.by;
  int spline = p->kind == PROFILE_TABLE, last = spline ? p->n - 1 : p->n, i = -1;
  for (int high = last + 1; i + 1 < high;) { /* the last point at or before t */
    int middle = (i + 1 + high) / 2;
    if (p->x[middle] <= t)
      i = middle;
    else
      high = middle;
  }
  int n = o->chunks, inside = i >= 0 && i < last;
  const lanes *a = s->points + (size_t)((i < 0 ? 0 : inside ? i : p->n - 1) * 4 * n), *b = a + 4 * n;
  double w = inside ? p->x[i + 1] - p->x[i] : 1, x = inside ? (t - p->x[i]) / w : 0, r = 1 - x;
  double u = spline ? 0 : inside ? t - p->x[i] : i < 0 ? 0 : p->x[p->n] - p->x[p->n - 1];
  for (int k = 0; k < n; k++) {
    if (!spline) {
      lanes c0 = a[k], c1 = a[n + k], c2 = a[2 * n + k], c3 = a[3 * n + k], at = all(u);
      value[k] = c0 + at * (c1 + at * (c2 + at * c3));
      value[n + k] = inside ? c1 + at * (all(2) * c2 + at * all(3) * c3) : all(0);
      value[2 * n + k] = inside ? all(2) * c2 + all(6) * c3 * at : all(0);
    } else if (!inside) {
      value[k] = a[k];
      value[n + k] = value[2 * n + k] = all(0);
    } else {
      lanes rise = b[k] - a[k], m0 = a[n + k], m1 = b[n + k];
      value[k] = a[k] + all(x) * rise + all(w * w / 6 * (r * r * r - r)) * m0 +
                 all(w * w / 6 * (x * x * x - x)) * m1;
      value[n + k] = rise / all(w) + all(w / 6 * (1 - 3 * r * r)) * m0 + all(w / 6 * (3 * x * x - 1)) * m1;
      value[2 * n + k] = all(r) * m0 + all(x) * m1;
    }
  }
}

static int slot_varies(const slot *s) { return s->n > 0 || s->timed; }

/* Derivatives at time t, [3][chunks]; NULL if nothing changes it. */
static const lanes *slot_at(drive *o, slot *s, double t) {
  if (!slot_varies(s)) return NULL;
  size_t size = (size_t)(3 * o->chunks);
  for (int i = 0; i < REMEMBERED; i++) {
    if (s->times[i] != t) continue;
    s->used[i] = ++s->uses;
    return s->value + (size_t)i * size;
  }
  int oldest = 0;
  for (int i = 1; i < REMEMBERED; i++)
    if (s->used[i] < s->used[oldest]) oldest = i;
  lanes *value = s->value + (size_t)oldest * size;
  s->times[oldest] = t;
  s->used[oldest] = ++s->uses;
  if (s->points) look_up(o, s, t, value);
  if (s->timed) {
    profile_value rate = cps_sens_profile_rate(s->what.by, t);
    double by[3] = {rate.y, rate.y_t, rate.y_tt};
    for (int i = 0; i < 3; i++) value[i * o->chunks + o->time / LANES][o->time % LANES] = by[i];
  }
  for (int k = 0; k < s->n && !s->points; k++) {
    double by[3];
    int wrt = s->wrt[k];
    differ(o, s, &o->run->wrt[wrt], s->linear[k], t, by);
    for (int i = 0; i < 3; i++) value[i * o->chunks + wrt / LANES][wrt % LANES] = by[i];
  }
  return value;
}

/* Whether they differ in values of a table or coefficients of a polynomial alone: then one shadow says how. */
static int is_tabular(const profile *base, const profile *other) {
  if (other->kind != base->kind || (base->kind != PROFILE_TABLE && base->kind != PROFILE_POLYNOMIAL))
    return 0;
  size_t times = (size_t)(base->kind == PROFILE_TABLE ? base->n : base->n + 1) * sizeof(double);
  return other->n == base->n && memcmp(other->x, base->x, times) == 0;
}

/* Normal forces of contacts that are constant are numbers of bodies. */
static int is_number(const drive *o, const prescribed *x) {
  const cps_system *s = o->m->system;
  return x->kind == GIVEN_NORMAL && s->contacts[x->of].constant == s->contacts[x->of].constant;
}

static cps_status make_slot(drive *o, slot *s, cps_error *err) {
  const sens_run *run = o->run;
  const profile *base = s->what.by;
  POOL_ARRAY(&o->pool, s->wrt, run->n_wrt);
  POOL_ARRAY(&o->pool, s->linear, run->n_wrt);
  POOL_ARRAY(&o->pool, s->value, REMEMBERED * 3 * o->chunks);
  if (o->pool.lost) return CPS_NO_MEMORY;
  for (int i = 0; i < REMEMBERED; i++) s->times[i] = NAN;
  /* the place of a surface whose velocity is constant changes */
  s->timed = o->time >= 0 && (cps_sens_timed(base) || s->what.kind == GIVEN_SURFACE);
  int tables = 0;
  for (int k = 0; k < run->n_wrt; k++) {
    if (is_point(o, k)) {
      if (s->what.kind != GIVEN_DRIVE || s->what.of != o->table[k]) continue;
      s->linear[s->n] = 1;
      s->wrt[s->n++] = k;
      tables++;
      continue;
    }
    const sens_parameter *p = &run->wrt[k];
    if (cps_sens_same(base, profile_of(o, s, p->shadow[LAST]))) continue;
    s->linear[s->n] = is_tabular(base, profile_of(o, s, p->shadow[LAST]));
    tables += s->linear[s->n];
    if (!s->linear[s->n]) {
      cps_status status = cps_sens_shadows(run, k, err);
      if (status != CPS_OK) return status;
      s->linear[s->n] = is_linear(o, s, p);
    }
    s->wrt[s->n++] = k;
  }
  if (tables == s->n) return tabulate(o, s);
  for (int k = 0; k < s->n; k++) { /* of both kinds: one by one */
    cps_status status = cps_sens_shadows(run, s->wrt[k], err);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static slot *find_slot(const drive *o, prescribed_kind kind, int of, int part) {
  return &o->slots[o->of_kind[kind] + cps_given_parts(kind) * of + part];
}

static cps_status make_slots(drive *o, cps_error *err) {
  prescribed x;
  cps_status status = CPS_OK;
  while (cps_prescribed(o->run->scenario, o->n_slots, &x)) {
    if (x.of == 0 && x.part == 0) o->of_kind[x.kind] = o->n_slots;
    o->n_slots++;
  }
  if (!POOL_ARRAY(&o->pool, o->slots, o->n_slots)) return CPS_NO_MEMORY;
  for (int n = 0; n < o->n_slots && status == CPS_OK; n++) {
    cps_prescribed(o->run->scenario, n, &o->slots[n].what);
    if (o->slots[n].what.by && !is_number(o, &o->slots[n].what)) status = make_slot(o, &o->slots[n], err);
  }
  return status;
}

static int end_shifts(const cable *c, int e, int d) {
  const tie *k = &c->end[e];
  return cps_end_is(k->kind, END_AT_PLACE) && k->shift && k->shift[d];
}

/* Where the value of something prescribed and its first two rates are among the prescribed numbers; -1: nowhere. Forces on ends are
 * summed up. */
static void rows_of(const drive *o, const prescribed *x, int row[3]) {
  const layout *l = o->at;
  const drum *g = &o->m->drum[x->of];
  int axis = x->part % 3, end = x->part / 3, at = -1, step = 1, n = 3;
  if (x->kind == GIVEN_SURFACE) {
    at = l->surface_d + 3 * x->of;
    if (o->run->scenario->bodies[x->of].motion_is_velocity) at++, n--;
  } else if (x->kind == GIVEN_LOAD) {
    at = l->load_d + x->of, n = 1;
  } else if (x->kind == GIVEN_NORMAL) {
    at = l->slide_d + o->m->n_slides - o->m->system->nc + x->of, n = 1;
  } else if (x->kind == GIVEN_DRIVE && g->angle_at >= 0) {
    at = l->drum_d + x->of * DY_DRUM + DY_SET, n = 2;
  } else if (x->kind == GIVEN_DRIVE && cps_drive_is(g->of, DRIVE_PRESCRIBES)) {
    at = l->drum_d + x->of * DY_DRUM + DY_ANGLE;
  } else if (x->kind == GIVEN_CENTER) {
    at = l->drum_d + x->of * DY_DRUM + DY_CENTER + axis, step = 3;
  } else if (x->kind == GIVEN_END && end_shifts(&o->m->cable[x->of], end, axis)) {
    at = l->cable[x->of].end + end * DY_END + DY_Q + axis, step = 3;
  }
  for (int k = 0; k < 3; k++) row[k] = at >= 0 && k < n ? at + k * step : -1;
}

/* ------------------------------------------------------------------ plain numbers */

/* Numbers of a machine that are not in theta: what its ends are tied to, and directions of loads. */
static void ties(const machine *m, double *x) {
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++, x += 5) {
      const tie *k = &m->cable[i].end[e];
      memcpy(x, k->at, sizeof k->at);
      x[3] = k->angle;
      x[4] = k->height;
    }
  for (int i = 0; i < m->of->n_loads; i++, x += 3)
    memcpy(x, m->of->loads[i].direction, sizeof m->of->loads[i].direction);
}

/* Those of a chunk: of an end, or of a load. */
static const lanes *tie_of_end(const drive *o, int chunk, int cable_of, int e) {
  return o->tie + chunk * o->n_ties + (2 * cable_of + e) * 5;
}

static const lanes *tie_of_load(const drive *o, int chunk, int load) {
  return o->tie + chunk * o->n_ties + 10 * o->m->n_cables + 3 * load;
}

static cps_status other_mesh(const sens_parameter *p, cps_error *err) {
  return cps_error_set(
      err, CPS_BAD_INPUT, p->q.path,
      "%s changes the number of elements, an axis, a line, or who is held at the start: runs "
      "of cables cannot be differentiated by that",
      p->q.path);
}

/* Turns about the same axes, and has as many of everything. */
static int same_shape(const machine *a, const machine *b) {
  if (a->n_cables != b->n_cables || a->n_drums != b->n_drums || a->nb != b->nb) return 0;
  for (int i = 0; i < a->n_cables; i++)
    if (a->cable[i].n != b->cable[i].n || a->cable[i].n_points != b->cable[i].n_points) return 0;
  for (int i = 0; i < a->n_bodies; i++) /* lines stay where they are */
    if (memcmp(a->body[i].base, b->body[i].base, sizeof a->body[i].base) != 0 ||
        memcmp(a->body[i].along, b->body[i].along, sizeof a->body[i].along) != 0)
      return 0;
  for (int i = 0; i < a->of->n_bodies; i++)
    if ((a->of->run.from < a->of->bodies[i].held_until) != (b->of->run.from < b->of->bodies[i].held_until))
      return 0;
  for (int i = 0; i < a->n_drums; i++)
    if (memcmp(a->drum[i].axis, b->drum[i].axis, sizeof a->drum[i].axis) != 0) return 0;
  return 1;
}

/* Adds the derivatives by parameter k to theta, initial and tie. */
static cps_status difference_machines(drive *o, int k, double *room, cps_error *err) {
  const sens_parameter *p = &o->run->wrt[k];
  const layout *l = o->at;
  int chunk = k / LANES, lane_of = k % LANES;
  double *theta = room, *state = theta + l->thetas, *tie_of = state + l->states;
  if (is_point(o, k) || same_numbers(o->run->scenario, p->shadow[LAST])) return CPS_OK;
  cps_status made = cps_sens_shadows(o->run, k, err);
  if (made != CPS_OK) return made;
  for (int j = 0; j < SENS_SHADOWS; j++) {
    machine m;
    cps_status status = cps_machine_make(&m, p->shadow[j], err);
    if (status != CPS_OK) return status;
    if (!same_shape(o->m, &m)) {
      cps_machine_free(&m);
      return other_mesh(p, err);
    }
    double by = cps_sens_share[j] / p->step;
    cps_layout_theta(l, &m, o->m, theta);
    cps_layout_initial(l, &m, state);
    ties(&m, tie_of);
    for (int i = 0; i < l->thetas; i++) o->theta[chunk * l->thetas + i][lane_of] += by * theta[i];
    for (int i = 0; i < l->states; i++) o->initial[chunk * l->states + i][lane_of] += by * state[i];
    for (int i = 0; i < o->n_ties; i++) o->tie[chunk * o->n_ties + i][lane_of] += by * tie_of[i];
    cps_machine_free(&m);
  }
  return CPS_OK;
}

/* What differs by round-off alone does not differ. */
static void clear_noise(const double *base, lanes *x, int n, const sens_run *run, int chunk) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < LANES; k++) {
      int wrt = chunk * LANES + k;
      if (wrt >= run->n_wrt) continue;
      if (fabs(x[i][k]) * run->wrt[wrt].step <= 4e-15 * fabs(base[i])) x[i][k] = 0;
    }
}

INLINE int any_lane(lanes x) { return x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0; }

/* ------------------------------------------------------------------ what varies over time */

int cps_drive_places(const cable *c, int e, int d) {
  if (cps_end_is(c->end[e].kind, END_ON_DRUM))
    return c->fixed[e ? c->n : 0] >> d & 1; /* else it follows the border */
  return end_shifts(c, e, d);
}

/* The load acts on an end of a cable that simply is its body. */
static int acts_on(const drive *o, int load, int cable_of, int e) {
  int body = o->run->scenario->loads[load].body;
  return o->m->body_cable[body] == cable_of && o->m->body_end[body] == e;
}

/* Whether the force on an end does. */
static int load_varies(const drive *o, int cable_of, int e) {
  int varies = 0;
  for (int d = 0; d < 3; d++) varies |= slot_varies(find_slot(o, GIVEN_PULL, cable_of, 3 * e + d));
  for (int i = 0; i < o->run->scenario->n_loads && !varies; i++) {
    if (!acts_on(o, i, cable_of, e)) continue;
    varies = slot_varies(find_slot(o, GIVEN_LOAD, i, 0));
    for (int n = 0; n < 3 * o->chunks; n++) varies |= any_lane(tie_of_load(o, n / 3, i)[n % 3]);
  }
  return varies;
}

/* Whether a stretch is differentiated by where a drum is at its beginning. */
static int begins_turned(const drive *o, int drum) {
  for (int k = 0; k < o->run->n_wrt; k++)
    if (o->run->wrt[k].kind == SENS_DRUM && o->run->wrt[k].index / 2 == drum) return 1;
  return 0;
}

static void find_varying(drive *o) {
  const layout *l = o->at;
  for (int k = 0; k < o->run->n_wrt; k++)
    if (o->moves[k]) o->d_varies[l->tau_d] = 1;
  for (int i = 0; i < o->m->n_drums; i++) {
    unsigned char *x = o->d_varies + l->drum_d + i * DY_DRUM;
    const unsigned char *th = o->theta_varies + l->drum_theta + i * TH_DRUM;
    const slot *s = find_slot(o, GIVEN_DRIVE, i, 0);
    int turns = slot_varies(s) || th[TH_KP] || th[TH_KD] || begins_turned(o, i) || o->time >= 0;
    int free_to_turn = o->m->drum[i].angle_at >= 0;
    for (int k = DY_ANGLE; k <= DY_ACCELERATION; k++) x[k] = turns && !free_to_turn;
    x[DY_SET] = x[DY_SET_T] = slot_varies(s) && free_to_turn;
    for (int d = 0; d < 3; d++) {
      int moves = slot_varies(find_slot(o, GIVEN_CENTER, i, d));
      x[DY_CENTER + d] = moves || th[TH_CENTER + d];
      x[DY_CENTER_V + d] = x[DY_CENTER_A + d] = moves != 0;
    }
  }
  for (int i = 0; i < o->m->n_cables; i++)
    for (int e = 0; e < 2; e++) {
      unsigned char *x = o->d_varies + l->cable[i].end + e * DY_END;
      int loads = load_varies(o, i, e);
      for (int d = 0; d < 3; d++) {
        x[DY_LOAD + d] = loads != 0;
        x[DY_Q + d] = x[DY_V + d] = x[DY_A + d] = cps_drive_places(&o->m->cable[i], e, d) != 0;
      }
    }
  for (int n = o->of_kind[GIVEN_SURFACE]; n < o->n_slots; n++) {
    int row[3], surface = o->slots[n].what.kind == GIVEN_SURFACE;
    if (o->slots[n].what.kind > GIVEN_NORMAL || !slot_varies(&o->slots[n])) continue;
    rows_of(o, &o->slots[n].what, row);
    for (int k = 0; k < 3; k++)
      if (row[k] >= 0) o->d_varies[row[k]] = 1;
    if (surface) o->d_varies[l->surface_d + 3 * o->slots[n].what.of] = 1;
  }
  o->varying = 0;
  for (int i = 0; i < l->ds; i++)
    if (o->d_varies[i]) o->which[o->varying++] = i;
}

/* Parameters that move the times of jumps. */
static cps_status find_moving(drive *o, cps_error *err) {
  cps_status status = CPS_OK;
  for (int k = 0; k < o->run->n_wrt && status == CPS_OK; k++) {
    if (is_point(o, k) || !cps_sens_breaks_move(o->run->scenario, o->run->wrt[k].shadow[LAST])) continue;
    o->moves[k] = 1;
    o->time = o->run->n_wrt;
    status = cps_sens_shadows(o->run, k, err);
  }
  return status;
}

cps_status cps_drive_make(drive *o, const sens_run *run, const model *of, cps_error *err) {
  memset(o, 0, sizeof *o);
  o->run = run;
  o->m = &of->m;
  o->at = &of->at;
  o->time = -1;
  const layout *l = o->at;
  pool *p = &o->pool;
  double *room = NULL;
  POOL_ARRAY(p, o->point, run->n_wrt);
  POOL_ARRAY(p, o->table, run->n_wrt);
  POOL_ARRAY(p, o->moves, run->n_wrt);
  cps_status status = p->lost ? CPS_NO_MEMORY : CPS_OK;
  if (status == CPS_OK) find_points(o);
  for (int k = 0; k < run->n_wrt && status == CPS_OK; k++)
    if (!is_point(o, k)) status = cps_sens_shadow(run, k, err);
  if (status == CPS_OK) status = find_moving(o, err);
  o->chunks = (run->n_wrt + (o->time >= 0) + LANES - 1) / LANES;
  POOL_ARRAY(p, o->theta_varies, l->thetas);
  POOL_ARRAY(p, o->d_varies, l->ds);
  POOL_ARRAY(p, o->which, l->ds);
  POOL_ARRAY(p, o->theta, o->chunks * l->thetas);
  POOL_ARRAY(p, o->initial, o->chunks * l->states);
  POOL_ARRAY(p, o->d, o->chunks * l->ds);
  o->n_ties = 10 * o->m->n_cables + 3 * run->scenario->n_loads;
  POOL_ARRAY(p, o->tie, o->chunks * o->n_ties);
  POOL_ARRAY(p, o->base, o->m->n_drums);
  POOL_ARRAY(p, room, l->thetas + l->states + o->n_ties);
  if (status == CPS_OK && p->lost) status = CPS_NO_MEMORY;
  if (status == CPS_OK) status = make_slots(o, err);
  if (status == CPS_NO_MEMORY) cps_error_set(err, status, NULL, "out of memory for sensitivities");
  for (int k = 0; k < run->n_wrt && status == CPS_OK; k++) status = difference_machines(o, k, room, err);
  if (status == CPS_OK) {
    cps_layout_theta(l, o->m, o->m, room);
    for (int k = 0; k < o->chunks; k++) clear_noise(room, o->theta + k * l->thetas, l->thetas, run, k);
    cps_layout_initial(l, o->m, room);
    for (int k = 0; k < o->chunks; k++) clear_noise(room, o->initial + k * l->states, l->states, run, k);
    for (int k = 0; k < o->chunks; k++)
      for (int i = 0; i < l->thetas; i++) o->theta_varies[i] |= any_lane(o->theta[k * l->thetas + i]) != 0;
    find_varying(o);
    for (int i = 0; i < o->m->n_drums; i++) {
      o->base[i][0] = o->m->drum[i].angle;
      o->base[i][1] = o->m->drum[i].rate;
    }
  }
  return status;
}

void cps_drive_free(drive *o) {
  cps_pool_free(&o->pool);
  memset(o, 0, sizeof *o);
}

/* ------------------------------------------------------------------ moving */

/* d(torque) of a drum under control. */
INLINE lanes torque_by(const drive *o, int i, const drive_torque *f, const lanes dx[2], const lanes *ds,
                       int chunk) {
  const lanes *th = o->theta + chunk * o->at->thetas + o->at->drum_theta + i * TH_DRUM;
  lanes sum = th[TH_KP] * all(f->by_kp) + th[TH_KD] * all(f->by_kd) + all(f->by_angle) * dx[0] +
              all(f->by_rate) * dx[1];
  if (ds) sum += all(f->by_set) * ds[chunk] + all(f->by_set_t) * ds[o->chunks + chunk];
  return sum;
}

/* A stage of the Runge-Kutta method: state, torque, and the setpoint's derivatives. */
typedef struct stage {
  double x[2], c;
  drive_torque f;
  const lanes *ds;
} stage;

/* A drum under control without inertia: control() of machine.c, and its tangents. */
static void control(drive *o, int i, double t, double h) {
  const scenario_drum *of = o->m->drum[i].of;
  slot *s = find_slot(o, GIVEN_DRIVE, i, 0);
  double *x = o->base[i];
  drive_torque now = cps_drive_torque(of, cps_profile_eval(of->motion, t), x[0], x[1]);
  int parts = h > 0 ? 2 + 2 * (int)(h * (sqrt(-now.by_angle) - now.by_rate)) : 0,
      first = o->at->drum_d + i * DY_DRUM;
  for (int part = 0; part < parts; part++) {
    double step = h / parts, at = t + part * step, k[4][2];
    stage y[4];
    for (int j = 0; j < 4; j++) {
      double c = j == 0 ? 0 : j == 3 ? step : step / 2;
      y[j] = (stage){.x = {x[0] + (j ? c * k[j - 1][0] : 0), x[1] + (j ? c * k[j - 1][1] : 0)},
                     .c = c,
                     .ds = slot_at(o, s, at + c)};
      y[j].f = cps_drive_torque(of, cps_profile_eval(of->motion, at + c), y[j].x[0], y[j].x[1]);
      k[j][0] = y[j].x[1];
      k[j][1] = y[j].f.value;
    }
    lanes sixth = all(step / 6), two = all(2);
    for (int chunk = 0; chunk < o->chunks; chunk++) {
      lanes *d = o->d + chunk * o->at->ds + first, dk[4][2];
      for (int j = 0; j < 4; j++) {
        lanes dx[2] = {d[DY_ANGLE], d[DY_RATE]};
        for (int n = 0; n < 2 && j > 0; n++) dx[n] += all(y[j].c) * dk[j - 1][n];
        dk[j][0] = dx[1];
        dk[j][1] = torque_by(o, i, &y[j].f, dx, y[j].ds, chunk);
      }
      for (int n = 0; n < 2; n++)
        d[DY_ANGLE + n] += sixth * (dk[0][n] + two * dk[1][n] + two * dk[2][n] + dk[3][n]);
    }
    x[0] += step / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    x[1] += step / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
  drive_torque end = cps_drive_torque(of, cps_profile_eval(of->motion, t + h), x[0], x[1]);
  const lanes *ds = slot_at(o, s, t + h);
  if (o->time >= 0) {
    lanes *d = o->d + o->time / LANES * o->at->ds + first;
    d[DY_ANGLE][o->time % LANES] = x[1];
    d[DY_RATE][o->time % LANES] = end.value;
  }
  for (int chunk = 0; chunk < o->chunks; chunk++) {
    lanes *d = o->d + chunk * o->at->ds + first, dx[2] = {d[DY_ANGLE], d[DY_RATE]};
    d[DY_ACCELERATION] = torque_by(o, i, &end, dx, ds, chunk);
  }
}

/* What is prescribed, as the slots say it. */
static void move_slots(drive *o, double t) {
  for (int n = 0; n < o->n_slots; n++) {
    int row[3];
    const lanes *value = slot_at(o, &o->slots[n], t);
    if (!value) continue;
    rows_of(o, &o->slots[n].what, row);
    for (int k = 0; k < 3; k++)
      for (int chunk = 0; chunk < o->chunks && row[k] >= 0; chunk++)
        o->d[chunk * o->at->ds + row[k]] = value[k * o->chunks + chunk];
  }
}

/* Places of surfaces whose velocity is prescribed, as cps_surfaces_move has them. */
static void move_surface(drive *o, int i, double t0, double t) {
  slot *s = find_slot(o, GIVEN_SURFACE, i, 0);
  const double share[3] = {1, 4, 1};
  if (!slot_varies(s) || !o->run->scenario->bodies[i].motion_is_velocity) return;
  for (int k = 0; k < 3 && t != t0; k++) { /* Simpson's rule */
    const lanes *velocity = slot_at(o, s, t0 + k * (t - t0) / 2);
    for (int chunk = 0; chunk < o->chunks; chunk++)
      o->d[chunk * o->at->ds + o->at->surface_d + 3 * i] += all((t - t0) / 6 * share[k]) * velocity[chunk];
  }
  if (o->time >= 0)
    o->d[o->time / LANES * o->at->ds + o->at->surface_d + 3 * i][o->time % LANES] =
        cps_profile_eval(s->what.by, t).y;
}

/* Plain numbers that a shift is added to, if there is one. */
static void add_plain(drive *o, const slot *shift, int row, int chunk, lanes plain) {
  lanes *d = &o->d[chunk * o->at->ds + row];
  *d = slot_varies(shift) ? *d + plain : plain;
}

static void move_drum(drive *o, int i, double t0, double t) {
  int first = o->at->drum_d + i * DY_DRUM, theta = o->at->drum_theta + i * TH_DRUM + TH_CENTER;
  int led = o->m->drum[i].angle_at < 0 && cps_drum_is_led(o->m->drum[i].of);
  if (led && o->d_varies[first + DY_ANGLE]) control(o, i, t0, t - t0);
  for (int axis = 0; axis < 3; axis++)
    for (int chunk = 0; chunk < o->chunks; chunk++)
      add_plain(o, find_slot(o, GIVEN_CENTER, i, axis), first + DY_CENTER + axis, chunk,
                o->theta[chunk * o->at->thetas + theta + axis]);
}

/* A point of a rim: rim() of machine.c. */
static void move_rim(drive *o, int cable_of, int e, const drum *g) {
  const tie *k = &o->m->cable[cable_of].end[e];
  int dim = o->m->dim;
  double u[3], w[3], x = cos(k->angle + g->angle), y = sin(k->angle + g->angle);
  cps_drum_frame(g->axis, u, w);
  for (int chunk = 0; chunk < o->chunks; chunk++) {
    const lanes *turn = o->d + chunk * o->at->ds + o->at->drum_d + k->drum * DY_DRUM;
    const lanes *end = tie_of_end(o, chunk, cable_of, e);
    lanes radius = o->theta[chunk * o->at->thetas + o->at->drum_theta + k->drum * TH_DRUM + TH_RADIUS] /
                   all(g->radius);
    lanes by = end[3] + turn[DY_ANGLE],
          *d = o->d + chunk * o->at->ds + o->at->cable[cable_of].end + e * DY_END;
    for (int i = 0; i < dim; i++) {
      double out = g->radius * (x * u[i] + y * w[i]), along = g->radius * (x * w[i] - y * u[i]);
      lanes d_out = radius * all(out) + by * all(along), d_along = radius * all(along) - by * all(out);
      d[DY_Q + i] = turn[DY_CENTER + i] + d_out + (dim == 3 ? end[4] * all(g->axis[i]) : all(0));
      d[DY_V + i] = turn[DY_CENTER_V + i] + turn[DY_RATE] * all(along) + all(g->rate) * d_along;
      d[DY_A + i] = turn[DY_CENTER_A + i] + turn[DY_ACCELERATION] * all(along) +
                    all(g->acceleration) * d_along - all(2 * g->rate * out) * turn[DY_RATE] -
                    all(g->rate * g->rate) * d_out;
    }
  }
}

/* Forces on an end, as move_end() and cps_machine_move() sum them up. */
static void move_loads(drive *o, int cable_of, int e, double t) {
  const cps_scenario *s = o->run->scenario;
  int first = o->at->cable[cable_of].end + e * DY_END + DY_LOAD;
  for (int n = 0; n < 3 * o->chunks; n++) {
    int axis = n % 3, chunk = n / 3;
    const lanes *pull = slot_at(o, find_slot(o, GIVEN_PULL, cable_of, 3 * e + axis), t);
    lanes sum = pull ? pull[chunk] : all(0);
    for (int i = 0; i < s->n_loads; i++) {
      if (!acts_on(o, i, cable_of, e)) continue;
      const lanes *force = slot_at(o, find_slot(o, GIVEN_LOAD, i, 0), t);
      if (force) sum += all(s->loads[i].direction[axis]) * force[chunk];
      sum += all(cps_profile_eval(s->loads[i].force, t).y) * tie_of_load(o, chunk, i)[axis];
    }
    o->d[chunk * o->at->ds + first + axis] = sum;
  }
}

static void move_end(drive *o, int cable_of, int e, double t, const drum *drums) {
  const cable *c = &o->m->cable[cable_of];
  int first = o->at->cable[cable_of].end + e * DY_END, on_drum = cps_end_is(c->end[e].kind, END_ON_DRUM);
  for (int axis = 0; axis < o->m->dim; axis++)
    for (int chunk = 0; chunk < o->chunks && end_shifts(c, e, axis); chunk++)
      add_plain(o, find_slot(o, GIVEN_END, cable_of, 3 * e + axis), first + DY_Q + axis, chunk,
                tie_of_end(o, chunk, cable_of, e)[axis]);
  if (on_drum && cps_drive_places(c, e, 0)) move_rim(o, cable_of, e, &drums[c->end[e].drum]);
  if (o->d_varies[first + DY_LOAD]) move_loads(o, cable_of, e, t);
}

void cps_drive_move(drive *o, double t0, double t, const drum *drums) {
  move_slots(o, t);
  for (int i = 0; i < o->m->of->n_bodies; i++) move_surface(o, i, t0, t);
  for (int i = 0; i < o->m->n_drums; i++) move_drum(o, i, t0, t);
  for (int i = 0; i < o->m->n_cables; i++)
    for (int e = 0; e < 2; e++) move_end(o, i, e, t, drums);
}

void cps_drive_put(const drive *o, int chunk, lanes *to) {
  const lanes *d = o->d + chunk * o->at->ds;
  memcpy(to, d, (size_t)o->at->ds * sizeof *to);
  if (o->time < 0) return;
  const lanes *time = o->d + o->time / LANES * o->at->ds, tau = d[o->at->tau_d];
  if (!any_lane(tau)) return;
  for (int i = 0; i < o->varying; i++) to[o->which[i]] += tau * all(time[o->which[i]][o->time % LANES]);
}

/* ------------------------------------------------------------------ going back */

size_t cps_drive_size(const drive *o) {
  return (size_t)(o->chunks * LANES) * (size_t)o->at->ds + 2 * (size_t)o->m->n_drums;
}

void cps_drive_save(const drive *o, double *x) {
  size_t n = (size_t)(o->chunks * LANES) * (size_t)o->at->ds;
  memcpy(x, o->d, n * sizeof(double));
  memcpy(x + n, o->base, 2 * (size_t)o->m->n_drums * sizeof(double));
}

void cps_drive_restore(drive *o, const double *x) {
  size_t n = (size_t)(o->chunks * LANES) * (size_t)o->at->ds;
  memcpy(o->d, x, n * sizeof(double));
  memcpy(o->base, x + n, 2 * (size_t)o->m->n_drums * sizeof(double));
}
