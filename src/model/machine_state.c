/* machine_state.c - the state of cables, drums and bodies as a checkpoint lists it: everything that a later step reads.
 * What a Newton iteration fills anew is left out. */
#include "checkpoint.h"
#include "machine.h"

static void list_cable(checkpoint *c, cable *y, int drums) {
  int entries = (y->n + 1) * y->b;
  size_t points = (size_t)y->n_points;
  cps_checkpoint_array(c, "cable.q", y->q, entries);
  cps_checkpoint_array(c, "cable.v", y->v, entries);
  cps_checkpoint_array(c, "cable.a", y->a, entries);
  cps_checkpoint_array(c, "cable.aux", y->aux, entries);
  cps_checkpoint_item(c, "cable.fixed", y->fixed, (size_t)y->n + 1);
  CHECKPOINT_VALUE(c, "cable.load", y->load);
  CHECKPOINT_VALUE(c, "cable.reaction", y->reaction);
  CHECKPOINT_VALUE(c, "cable.loads0", y->loads0);
  CHECKPOINT_VALUE(c, "cable.reaction0", y->reaction0);
  cps_checkpoint_item(c, "cable.point", y->point, points * sizeof *y->point);
  cps_checkpoint_item(c, "cable.trace", y->trace, points * sizeof *y->trace);
  if (y->memory) cps_checkpoint_item(c, "cable.memory", y->memory, points * sizeof *y->memory);
  if (y->all_stick) {
    cps_checkpoint_array(c, "cable.gap", y->gap, entries);
    cps_checkpoint_array(c, "cable.pull", y->pull, y->n_points * AXES);
  }
  cps_checkpoint_array(c, "cable.slip_work", y->slip_work, drums);
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
  for (int i = 0; i < m->n_cables; i++) list_cable(c, &m->cable[i], m->n_drums);
  for (int i = 0; i < m->n_drums; i++) list_drum(c, &m->drum[i]);
  for (int i = 0; i < m->n_bodies; i++) {
    CHECKPOINT_VALUE(c, "body.held", m->body[i].held);
    CHECKPOINT_VALUE(c, "body.r", m->body[i].r);
    CHECKPOINT_VALUE(c, "body.v", m->body[i].v);
    CHECKPOINT_VALUE(c, "body.a", m->body[i].a);
  }
  for (int i = 0; i < m->n_slides; i++) {
    CHECKPOINT_VALUE(c, "slide.point", m->slide[i].p);
    CHECKPOINT_VALUE(c, "slide.memory", m->slide[i].y);
  }
  cps_checkpoint_item(c, "freedoms", m->free, (size_t)m->nb * sizeof *m->free);
  CHECKPOINT_VALUE(c, "travel", m->travel);
  CHECKPOINT_VALUE(c, "pace", m->convergence);
  CHECKPOINT_VALUE(c, "work", m->work);
  CHECKPOINT_VALUE(c, "loss0", m->loss0);
  CHECKPOINT_VALUE(c, "audited", m->audited);
}
