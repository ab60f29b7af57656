/* state_items.c - what is where in the block of memory that holds a state: see cps_simulation_state_items.
 *
 * The items are those that checkpoint.c, machine_state.c and the steppers list; here is what each of them is. */
#include "checkpoint.h"
#include "steppers.h"

#include <stdlib.h>
#include <string.h>

/* What the items are whose names start with this; the first that fits counts, and all others belong to the method. */
static const struct {
  const char *start;
  cps_role role;
} roles[] = {
    {"bodies.x", CPS_ROLE_PLACE},
    {"bodies.v", CPS_ROLE_VELOCITY},
    {"bodies.a", CPS_ROLE_ACCELERATION},
    {"contacts.z", CPS_ROLE_MEMORY},
    {"contacts.f", CPS_ROLE_FORCE},
    {"works", CPS_ROLE_WORK},
    {"freedom.q", CPS_ROLE_PLACE},
    {"freedom.v", CPS_ROLE_VELOCITY},
    {"freedom.a", CPS_ROLE_ACCELERATION},
    {"cable.q", CPS_ROLE_PLACE},
    {"cable.v", CPS_ROLE_VELOCITY},
    {"cable.aux", CPS_ROLE_ACCELERATION},
    {"cable.reaction", CPS_ROLE_FORCE},
    {"cable.load", CPS_ROLE_FORCE},
    {"cable.memory", CPS_ROLE_MEMORY},
    {"cable.slip_work", CPS_ROLE_WORK},
    {"cable.mesh_slip", CPS_ROLE_WORK},
    {"cable.pull", CPS_ROLE_FORCE},
    {"cable.a", CPS_ROLE_ACCELERATION},
    {"point.f", CPS_ROLE_FORCE},
    {"point.mode", CPS_ROLE_MEMORY},
    {"drum.center_v", CPS_ROLE_VELOCITY},
    {"drum.center_a", CPS_ROLE_ACCELERATION},
    {"drum.center", CPS_ROLE_PLACE},
    {"drum.angle", CPS_ROLE_PLACE},
    {"drum.rate", CPS_ROLE_VELOCITY},
    {"drum.acceleration", CPS_ROLE_ACCELERATION},
    {"drum.torque", CPS_ROLE_FORCE},
    {"drum.push", CPS_ROLE_FORCE},
    {"body.r", CPS_ROLE_PLACE},
    {"body.v", CPS_ROLE_VELOCITY},
    {"body.a", CPS_ROLE_ACCELERATION},
    {"slide.memory", CPS_ROLE_MEMORY},
    {"lift.place", CPS_ROLE_PLACE},
    {"lift.velocity", CPS_ROLE_VELOCITY},
    {"lift.work", CPS_ROLE_WORK},
    {"lift.mode", CPS_ROLE_MEMORY},
    {"lift.applied", CPS_ROLE_FORCE},
    {"lift.torque", CPS_ROLE_FORCE},
    {"lift.acceleration", CPS_ROLE_ACCELERATION},
    {"mode", CPS_ROLE_MEMORY},
    {"inputs", CPS_ROLE_INPUT},
    {"alpha.aux_a", CPS_ROLE_ACCELERATION},
    {"alpha.a", CPS_ROLE_ACCELERATION},
    {"alpha.f", CPS_ROLE_FORCE},
    {"bodies.load", CPS_ROLE_FORCE},
    {"bodies.f0", CPS_ROLE_FORCE},
    {"largest_energy", CPS_ROLE_WORK},
    {"initial_energy", CPS_ROLE_WORK},
    {"open_energy", CPS_ROLE_WORK},
    {"moving_energy", CPS_ROLE_WORK},
};

cps_role cps_state_role(const char *name) {
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
    if (strncmp(name, roles[i].start, strlen(roles[i].start)) == 0) return roles[i].role;
  return CPS_ROLE_METHOD;
}

int cps_simulation_state_items(cps_simulation *sim, cps_state_item *items, int room, cps_error *err) {
  if (cps_driver_make(sim, err) != CPS_OK) return -1;
  int n = cps_state_pieces(sim, NULL, 0);
  state_piece *pieces = room > 0 ? calloc((size_t)n + 1, sizeof *pieces) : NULL;
  if (room > 0 && !pieces) {
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the items of a state");
    return -1;
  }
  if (pieces) cps_state_pieces(sim, pieces, n);
  for (int i = 0; i < n && i < room; i++)
    items[i] = (cps_state_item){pieces[i].name, cps_state_role(pieces[i].name), pieces[i].offset,
                                pieces[i].size * pieces[i].n};
  free(pieces);
  return n;
}
