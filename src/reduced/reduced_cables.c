/* reduced_cables.c - cables in few variables as parts of a system of bodies.
 *
 * The state of such a cable moves the two bodies at its ends: their coordinates are not free, but follow from it, as those of
 * surfaces follow from time (bodies.h). Forces of springs and loads on them go into its equations. Contacts ask how their
 * bodies give way: to forces on both bodies of one cable that is
 *
 *   x_tt = x_tt(0) + G f,   G = B M^-1 B',
 *
 * B the derivatives of the places of the bodies by the coordinates of the cable. So one of them has the inverse mass G_ii
 * instead of 1/m, and contacts on both are coupled by G_01 as contacts on one body are by its inverse mass.
 */
#include "elevator.h"
#include "refusals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *state_of(const cps_system *s, double *y, int i) {
  return y + s->lift_y + (size_t)i * LIFT_STATES;
}
static const double *state_at(const cps_system *s, const double *y, int i) {
  return y + s->lift_y + (size_t)i * LIFT_STATES;
}

/* ------------------------------------------------------------------ making them */

/* The bodies of a cable, put into places and velocities of the system. */
static void place_bodies(const lift *l, const double *of, double *q, double *v) {
  double x[2], x_t[2];
  cps_lift_bodies(l, of, x, x_t);
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < l->freedoms[i]; d++) {
      q[l->q[i] + d] = l->base[i][d] + l->direction[i][d] * x[i];
      v[l->q[i] + d] = l->direction[i][d] * x_t[i];
    }
}

/* Forces along the path on its bodies, of those that are in k. */
static void along_path(const lift *l, const workspace *k, double force[2]) {
  for (int i = 0; i < 2; i++) {
    force[i] = 0;
    for (int d = 0; d < l->freedoms[i]; d++) force[i] += l->direction[i][d] * k->force[l->q[i] + d];
  }
}

typedef struct trial {
  const cps_system *s;
  workspace work;
  double *y;
} trial;

static void try_forces(const lift *l, double t, const double *of, double force[2], void *with) {
  trial *b = with;
  double powers[2], *q = b->y, *v = b->y + b->s->nx;
  place_bodies(l, of, q, v);
  cps_surfaces_place(b->s, &b->work, t, q, v);
  cps_forces_apply(b->s, &b->work, t, q, v, &powers[0], &powers[1]);
  along_path(l, &b->work, force);
}

/* One after the other finds its equilibrium with what springs between their bodies do, until none of them moves. */
static cps_status balance_all(cps_system *s, trial *b, cps_error *err) {
  enum { ROUNDS = 100 };
  double t = s->scenario->run.from, change = 1;
  for (int round = 0; change > 1e-13; round++) {
    if (round == ROUNDS)
      return cps_error_set(err, CPS_BAD_INPUT, "cables",
                           "no equilibrium to start from was found for cables in few variables whose bodies "
                           "springs connect");
    change = 0;
    for (int i = 0; i < s->n_lifts; i++) {
      lift *l = &s->lifts[i];
      double before[2] = {l->y[LIFT_E1], l->y[LIFT_E2]};
      cps_status status = cps_lift_balance(l, t, try_forces, b, err);
      if (status != CPS_OK) return status;
      place_bodies(l, l->y, b->y, b->y + s->nx);
      for (int e = 0; e < 2; e++) change = fmax(change, fabs(before[e] / l->y[LIFT_E1 + e] - 1));
    }
    if (s->n_lifts == 1) break;
  }
  for (int i = 0; i < s->n_lifts; i++)
    memcpy(state_of(s, b->y, i), s->lifts[i].initial, sizeof s->lifts[i].initial);
  memcpy(s->initial, b->y, (size_t)s->ny * sizeof(double));
  return CPS_OK;
}

int cps_lifts_make(cps_system *s, refusals *r) {
  cps_error err = {0};
  int before = r->n, at = 0;
  if (s->n_lifts == 0) return 1;
  trial b = {.s = s, .y = malloc((size_t)s->ny * sizeof(double))};
  if (!POOL_ARRAY(&s->pool, s->lifts, s->n_lifts) || !b.y || cps_workspace_make(s, &b.work, NULL) != CPS_OK) {
    free(b.y);
    return 0;
  }
  memcpy(b.y, s->initial, (size_t)s->ny * sizeof(double));
  for (int i = 0; i < s->scenario->n_cables; i++)
    if (s->scenario->cables[i].model != CABLE_ANCF)
      cps_refuse_error(r, cps_lift_make(&s->lifts[at++], s, i, &err), &err);
  if (r->n == before) cps_refuse_error(r, balance_all(s, &b, &err), &err);
  cps_workspace_free(&b.work);
  free(b.y);
  return 1;
}

lift *cps_lifts_copy(const cps_system *s, double *y, const input_value *inputs) {
  lift *lifts = malloc((size_t)s->n_lifts * sizeof *lifts);
  for (int i = 0; lifts && i < s->n_lifts; i++) {
    lifts[i] = s->lifts[i];
    lifts[i].y = state_of(s, y, i);
    lifts[i].inputs = inputs;
  }
  return lifts;
}

/* ------------------------------------------------------------------ rates */

void cps_lifts_place(const cps_system *s, const workspace *k, double t, double *y) {
  for (int i = 0; i < s->n_lifts; i++) {
    lift *l = &k->lifts[i];
    double *of = state_of(s, y, i);
    cps_lift_place(l, t, of);
    place_bodies(l, of, y, y + s->nx);
  }
}

static int is_moved(const cps_system *s, int q) { return q >= s->nd + s->ns && q < s->nx - 1; }

/* The inverse masses that contacts see. */
static void offer_mobility(const cps_system *s, workspace *k) {
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (!is_moved(s, c->a) && !is_moved(s, c->b)) continue;
    k->w_ii[i] = k->inverse_mass[c->a] + k->inverse_mass[c->b];
    if (s->partner[c->a] == c->b) k->w_ii[i] -= 2 * c->sb * k->inverse_mass[s->cross[c->a]];
  }
}

void cps_lifts_offer(const cps_system *s, workspace *k, const double *y) {
  for (int i = 0; i < s->n_lifts; i++) {
    lift *l = &k->lifts[i];
    const double *of = state_at(s, y, i);
    double y_t[LIFT_STATES], a[2], mobility[2][2];
    cps_lift_assemble(l, of);
    along_path(l, k, l->applied);
    if (s->lift_contacts == 0) continue;
    /* What is singular is found again, and said, when the rates are. */
    if (!cps_lift_mobility(l, of, mobility) || !cps_lift_rates(l, l->applied, of, y_t, a)) continue;
    for (int side = 0; side < 2; side++) {
      if (l->freedoms[side] > 1) continue; /* contacts are on lines */
      l->feels[side] = l->direction[side][0] * a[side] / mobility[side][side];
      k->inverse_mass[l->q[side]] = mobility[side][side];
      k->force[l->q[side]] = l->feels[side];
      if (s->partner[l->q[side]] >= 0)
        k->inverse_mass[s->cross[l->q[side]]] = l->direction[0][0] * l->direction[1][0] *
                                                (mobility[0][1] + mobility[1][0]) / 2;
    }
  }
  if (s->lift_contacts > 0) offer_mobility(s, k);
}

int cps_lifts_rates(const cps_system *s, workspace *k, const double *y, double *y_t) {
  double *q_t = y_t, *v_t = y_t + s->nx;
  for (int i = 0; i < s->n_lifts; i++) {
    lift *l = &k->lifts[i];
    double force[2] = {l->applied[0], l->applied[1]}, a[2];
    for (int side = 0; side < 2 && s->lift_contacts > 0; side++)
      if (l->freedoms[side] == 1)
        force[side] += l->direction[side][0] * (k->force[l->q[side]] - l->feels[side]);
    if (!cps_lift_rates(l, force, state_at(s, y, i), state_of(s, y_t, i), a)) return 0;
    for (int side = 0; side < 2; side++)
      for (int d = 0; d < l->freedoms[side]; d++) {
        q_t[l->q[side] + d] = y[s->nx + l->q[side] + d];
        v_t[l->q[side] + d] = l->direction[side][d] * a[side];
      }
  }
  return 1;
}

void cps_lifts_follow(const cps_system *s, workspace *k, double *y) {
  for (int i = 0; i < s->n_lifts; i++) {
    lift *l = &k->lifts[i];
    double x[2], v[2];
    int moved = 0;
    cps_lift_bodies(l, l->y, x, v);
    for (int side = 0; side < 2; side++) {
      int q = l->q[side];
      double base = l->base[side][0], along = l->direction[side][0];
      if (l->freedoms[side] > 1) continue;
      if (y[q] == base + along * x[side] && y[s->nx + q] == along * v[side]) continue;
      x[side] = (y[q] - base) / along;
      v[side] = y[s->nx + q] / along;
      moved = 1;
    }
    if (moved) cps_lift_move(l, x, v);
  }
}

void cps_lifts_energy(const cps_system *s, const workspace *k, const double *y, cps_energy *e) {
  for (int i = 0; i < s->n_lifts; i++) cps_lift_energy(&k->lifts[i], state_at(s, y, i), e);
}

/* ------------------------------------------------------------------ checkpoints */

void cps_lifts_list_states(checkpoint *c, const cps_system *s, double *states) {
  const struct {
    const char *name;
    int from, to;
  } parts[] = {{"lift.place", LIFT_FLOW, LIFT_FLOW_T},
               {"lift.velocity", LIFT_FLOW_T, LIFT_FRICTION},
               {"lift.work", LIFT_FRICTION, LIFT_STATES}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    cps_checkpoint_members(c, parts[i].name, states + parts[i].from,
                           (size_t)(parts[i].to - parts[i].from) * sizeof(double),
                           LIFT_STATES * sizeof(double), (size_t)s->n_lifts);
}

void cps_lifts_list(checkpoint *c, const cps_system *s, lift *l) {
  size_t n = (size_t)s->n_lifts;
  if (n == 0) return;
  CHECKPOINT_MEMBER(c, "lift.mode", l, n, mode);
  for (size_t i = 0; i < n; i++)
    cps_checkpoint_demand(c, (int)l[i].mode >= LIFT_AT_START && (int)l[i].mode <= LIFT_SLACK, "lift.mode");
  CHECKPOINT_MEMBER(c, "lift.tight", l, n, tight);
  CHECKPOINT_MEMBER(c, "lift.edge", l, n, edge);
  CHECKPOINT_MEMBER(c, "lift.slack", l, n, slack);
  CHECKPOINT_MEMBER(c, "lift.given", l, n, given);
  CHECKPOINT_MEMBER(c, "lift.applied", l, n, applied);
  CHECKPOINT_MEMBER(c, "lift.feels", l, n, feels);
  CHECKPOINT_MEMBER(c, "lift.torque", l, n, torque);
  CHECKPOINT_MEMBER(c, "lift.acceleration", l, n, acceleration);
  CHECKPOINT_MEMBER(c, "lift.slip_power", l, n, slip_power);
}
