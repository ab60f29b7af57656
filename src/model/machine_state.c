/* machine_state.c - the state of cables, drums and bodies: kept before a step and brought back, and as a checkpoint lists it.
 *
 * That is everything that a later step reads. What a Newton iteration fills anew is left out, and so are constants of the model, such as the node of a contact point.
 * What serves as an index is demanded to be one, for a checkpoint may come from anywhere. */
#include "checkpoint.h"
#include "newton.h"

#include <string.h>

/* ------------------------------------------------------------------ before a step */

/* Keeps what is now, or brings it back. */
static inline void carry(void *now, void *kept, size_t bytes, int back) {
  memcpy(back ? now : kept, back ? kept : now, bytes);
}

static void carry_memory(contact_memory *y, int back) {
  carry(y->z, y->z0, sizeof y->z, back);
  carry(y->aux, y->aux0, sizeof y->aux, back);
  carry(y->z_t, y->z_t0, sizeof y->z_t, back);
}

/* Modes are those of the step in any case: guards fire within it, or after it. */
static void keep_point(contact_point *p) {
  p->drum0 = p->drum;
  p->stuck0 = p->stuck != 0;
  p->slid0 = p->slid != 0;
  p->flips = 0;
  memcpy(p->mode0, p->mode, sizeof p->mode0);
}

static void bring_point_back(contact_point *p) {
  p->drum = p->drum0;
  p->stuck = p->stuck0;
  p->slid = p->slid0;
  p->guess = GUESS_NONE;
}

static void carry_cable(cable *c, int back) {
  for (int k = 0; k < c->n_points; k++) {
    carry(c->point[k].f, c->f0 + k * AXES, sizeof c->point[k].f, back);
    if (back)
      bring_point_back(&c->point[k]);
    else
      keep_point(&c->point[k]);
  }
}

static void carry_machine(machine *m, int back) {
  if (back)
    cps_block_bring_back(&m->state);
  else
    cps_block_keep(&m->state);
  for (int i = 0; i < m->n_cables; i++) carry_cable(&m->cable[i], back);
  for (int k = 0; k < m->n_slides; k++) {
    contact_point *p = &m->slide[k].p;
    if (!back) memcpy(p->mode0, p->mode, sizeof p->mode0);
  }
  for (int k = 0; k < m->n_sites; k++) carry_memory(m->site[k].y, back);
  carry(m->drum, m->drum0, (size_t)m->n_drums * sizeof *m->drum, back);
}

void cps_machine_keep(machine *m) { carry_machine(m, 0); }

void cps_machine_bring_back(machine *m) { carry_machine(m, 1); }

int cps_machine_stay(machine *m) {
  int any = 0;
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    for (int k = 0; k < y->n && y->apart; k++) {
      dof *f = &m->free[y->at + k];
      *f->q = *f->q0;
      *f->v = *f->v0;
      any = 1;
    }
  }
  if (any) cps_machine_tie(m);
  return any;
}

/* ------------------------------------------------------------------ in a checkpoint */

static int is_index(int i, int n) { return i >= -1 && i < n; }

/* Contact points, or those of slides, which are `stride` bytes apart. */
static void list_points(checkpoint *c, contact_point *p, size_t stride, size_t n) {
  if (cps_checkpoint_comes_back(c)) {
    cps_checkpoint_members(c, "point", p, sizeof *p, stride, n);
    return;
  }
#define MEMBER(member) cps_checkpoint_members(c, "point." #member, &p->member, sizeof p->member, stride, n)
  MEMBER(drum);
  MEMBER(near);
  MEMBER(f);
  MEMBER(clear);
  MEMBER(travel);
  MEMBER(seen);
  MEMBER(stuck);
  MEMBER(slid);
  MEMBER(drum0);
  MEMBER(stuck0);
  MEMBER(slid0);
  MEMBER(held);
  MEMBER(flips);
  MEMBER(guess);
  MEMBER(mode);
  MEMBER(mode0);
  MEMBER(mass);
  MEMBER(scale);
  MEMBER(depth);
  MEMBER(depth_t);
  MEMBER(n);
  MEMBER(v);
  MEMBER(limit);
  MEMBER(box);
  MEMBER(stiff);
  MEMBER(t);
  MEMBER(slip);
  MEMBER(slip_r);
  MEMBER(moved);
  MEMBER(spring);
  MEMBER(root);
  MEMBER(wrong);
#undef MEMBER
}

static void check_point(checkpoint *c, const contact_point *p, int drums, const cps_law *law) {
  int modes = law->n_modes > 1 ? law->n_modes : 1;
  cps_checkpoint_demand(c, is_index(p->drum, drums) && is_index(p->near, drums) && is_index(p->drum0, drums),
                        "point.drum");
  cps_checkpoint_demand(c, p->guess >= GUESS_NONE && p->guess <= GUESS_BACKWARD, "point.guess");
  for (int k = 0; k < AXES; k++)
    cps_checkpoint_demand(c, is_index(p->mode[k], modes) && is_index(p->mode0[k], modes), "point.mode");
}

/* Where the nodes of a mesh that moves are, with all that follows from it. */
static void list_mesh(checkpoint *c, cable *y) {
  size_t points = (size_t)y->n_points;
  cps_checkpoint_item(c, "cable.place", y->place, ((size_t)y->n + 1) * sizeof *y->place);
  CHECKPOINT_VALUE(c, "cable.moved", y->moved);
  cps_checkpoint_array(c, "cable.length", y->length, y->n);
  cps_checkpoint_array(c, "cable.mass", y->mass, y->n + 1);
  CHECKPOINT_MEMBER(c, "point.s", y->point, points, s);
  CHECKPOINT_MEMBER(c, "point.shape", y->point, points, shape);
  CHECKPOINT_MEMBER(c, "point.weight", y->point, points, weight);
  int good = y->place[0] == 0 && y->place[y->n] == y->on.units;
  for (int k = 0; k < y->n; k++) good = good && y->place[k] < y->place[k + 1] && y->length[k] > 0;
  cps_checkpoint_demand(c, good, "cable.place");
}

static void list_traces(checkpoint *c, contact_trace *t, size_t n, int drums) {
  if (cps_checkpoint_comes_back(c)) {
    cps_checkpoint_item(c, "trace", t, n * sizeof *t);
    return;
  }
  CHECKPOINT_MEMBER(c, "trace.drum", t, n, drum);
  CHECKPOINT_MEMBER(c, "trace.r", t, n, r);
  CHECKPOINT_MEMBER(c, "trace.pull", t, n, pull);
  CHECKPOINT_MEMBER(c, "trace.push", t, n, push);
  CHECKPOINT_MEMBER(c, "trace.f", t, n, f);
  CHECKPOINT_MEMBER(c, "trace.depth", t, n, depth);
  CHECKPOINT_MEMBER(c, "trace.n_damping", t, n, n_damping);
  CHECKPOINT_MEMBER(c, "trace.rise", t, n, rise);
  for (size_t i = 0; i < n; i++) cps_checkpoint_demand(c, is_index(t[i].drum, drums), "trace.drum");
}

static void list_cable(checkpoint *c, cable *y, int drums) {
  int entries = (y->n + 1) * y->b;
  size_t points = (size_t)y->n_points;
  cps_checkpoint_array(c, "cable.rise", y->rise, entries);
  cps_checkpoint_array(c, "cable.trend", y->trend[0], 4 * (y->n + 1));
  if (cps_checkpoint_demands(c))
    cps_checkpoint_demand(
        c, cps_checkpoint_finite(y->q, (size_t)entries) && cps_checkpoint_finite(y->v, (size_t)entries),
        "cable.q");
  if (y->place) list_mesh(c, y);
  cps_checkpoint_item(c, "cable.fixed", y->fixed, (size_t)y->n + 1);
  for (int i = 0; i <= y->n && cps_checkpoint_demands(c); i++)
    cps_checkpoint_demand(c, y->fixed[i] >> y->b == 0, "cable.fixed");
  CHECKPOINT_VALUE(c, "cable.load", y->load);
  CHECKPOINT_VALUE(c, "cable.reaction", y->reaction);
  CHECKPOINT_VALUE(c, "cable.loads0", y->loads0);
  CHECKPOINT_VALUE(c, "cable.reaction0", y->reaction0);
  if (points > 0) {
    list_points(c, y->point, sizeof *y->point, points);
    for (size_t i = 0; i < points && cps_checkpoint_demands(c); i++)
      check_point(c, &y->point[i], drums, y->contact.law);
    list_traces(c, y->trace, points, drums);
  }
  if (y->memory) cps_checkpoint_item(c, "cable.memory", y->memory, points * sizeof *y->memory);
  cps_checkpoint_array(c, "cable.slip_work", y->slip_work, drums);
  CHECKPOINT_VALUE(c, "cable.mesh_slip", y->mesh_slip);
  if (cps_checkpoint_comes_back(c)) return; /* rows aside are looked at, too */
  CHECKPOINT_VALUE(c, "cable.peak", y->peak);
  CHECKPOINT_VALUE(c, "cable.peak_at", y->peak_at);
  CHECKPOINT_VALUE(c, "cable.shown", y->shown);
  CHECKPOINT_VALUE(c, "cable.laid", y->laid);
  CHECKPOINT_VALUE(c, "cable.laid_drift", y->laid_drift);
}

static void list_drum(checkpoint *c, drum *g) {
  CHECKPOINT_VALUE(c, "drum.center", g->center);
  CHECKPOINT_VALUE(c, "drum.center_v", g->center_v);
  CHECKPOINT_VALUE(c, "drum.center_a", g->center_a);
  CHECKPOINT_VALUE(c, "drum.angle", g->angle);
  CHECKPOINT_VALUE(c, "drum.rate", g->rate);
  CHECKPOINT_VALUE(c, "drum.acceleration", g->acceleration);
  CHECKPOINT_VALUE(c, "drum.torque", g->torque);
  CHECKPOINT_VALUE(c, "drum.push", g->push);
}

void cps_machine_list(checkpoint *c, machine *m) {
  cps_block_list(c, &m->state);
  for (int i = 0; i < m->n_cables; i++) list_cable(c, &m->cable[i], m->n_drums);
  for (int i = 0; i < m->n_drums; i++) list_drum(c, &m->drum[i]);
  for (int i = 0; i < m->n_bodies; i++) {
    CHECKPOINT_VALUE(c, "body.held", m->body[i].held);
    CHECKPOINT_VALUE(c, "body.r", m->body[i].r);
    CHECKPOINT_VALUE(c, "body.v", m->body[i].v);
    CHECKPOINT_VALUE(c, "body.a", m->body[i].a);
  }
  if (m->n_slides > 0) {
    list_points(c, &m->slide[0].p, sizeof *m->slide, (size_t)m->n_slides);
    CHECKPOINT_MEMBER(c, "slide.by_n", m->slide, (size_t)m->n_slides, by_n);
  }
  for (int i = 0; i < m->n_slides; i++) {
    check_point(c, &m->slide[i].p, m->n_drums, m->slide[i].law.law);
    if (m->slide[i].law.law->n_states) CHECKPOINT_VALUE(c, "slide.memory", m->slide[i].y);
  }
  if (m->nb > 0) {
    CHECKPOINT_MEMBER(c, "freedom.rise", m->free, (size_t)m->nb, rise);
    CHECKPOINT_MEMBER(c, "freedom.trend", m->free, (size_t)m->nb, trend);
  }
  const cps_system *s = m->system;
  cps_checkpoint_array(c, "bodies.q0", m->start_q, s->nx);
  cps_checkpoint_array(c, "bodies.f0", m->start_f, s->nc);
  cps_checkpoint_array(c, "bodies.extension", m->start.extension, s->scenario->n_springs);
  cps_checkpoint_array(c, "bodies.damper", m->start.damper, s->scenario->n_springs);
  cps_checkpoint_array(c, "bodies.load", m->start.load, s->n_loads);
  cps_checkpoint_array(c, "bodies.drive", m->start.drive, s->nx);
  CHECKPOINT_VALUE(c, "travel", m->travel);
  CHECKPOINT_VALUE(c, "convergence.balance", m->convergence.balance);
  CHECKPOINT_VALUE(c, "convergence.force", m->convergence.force);
  CHECKPOINT_VALUE(c, "convergence.friction", m->convergence.friction);
  CHECKPOINT_VALUE(c, "convergence.slides", m->convergence.slides);
  CHECKPOINT_VALUE(c, "convergence.stretch", m->convergence.stretch);
  CHECKPOINT_VALUE(c, "convergence.unseen", m->convergence.unseen);
  CHECKPOINT_VALUE(c, "rise_length", m->rise_length);
  CHECKPOINT_VALUE(c, "work", m->work);
  CHECKPOINT_VALUE(c, "loss0", m->loss0);
  CHECKPOINT_VALUE(c, "audited", m->audited);
}
