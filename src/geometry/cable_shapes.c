/* cable_shapes.c - the geometry of all cables of a scenario, one after the other.
 *
 * A body that says nothing about its place is where the path of a cable puts it. If several cables end on it, the first of them that
 * can be drawn places it, and the others run to it: so a compensation rope needs to say nothing but the pulley that it runs
 * under. A cable whose ends are not known yet waits for those that place them.
 */
#include "cable_shapes.h"

#include <stdlib.h>
#include <string.h>

/* Bodies at the ends of a cable are now where it was drawn. */
static void place_ends(cps_scenario *known, int cable, const shape *y) {
  const scenario_cable *c = &known->cables[cable];
  int dim = known->dim == 3 ? 3 : 2;
  for (int e = 0; e < 2 && !c->closed; e++) {
    if (!cps_end_is(c->end[e].kind, END_ON_BODY)) continue;
    scenario_body *b = &known->bodies[c->end[e].body];
    if (b->placed || b->kind != BODY_PLANE) continue;
    memset(b->origin, 0, sizeof b->origin);
    memset(b->x, 0, sizeof b->x);
    memcpy(b->x, y->q + (e ? 2 * (size_t)dim * (size_t)y->n : 0), (size_t)dim * sizeof *b->x);
    b->placed = PLACED_BY_CABLE;
  }
}

void cps_shapes_draw(shape *drawn, const cps_scenario *s, cps_error *error) {
  cps_scenario known = *s; /* with places of bodies that are found on the way */
  int moves = 1;
  known.bodies = calloc((size_t)s->n_bodies + 1, sizeof *known.bodies);
  for (int i = 0; i < s->n_cables; i++) {
    error[i].status = CPS_OK;
    if (s->cables[i].model == CABLE_ANCF) error[i].status = known.bodies ? CPS_FAILED : CPS_NO_MEMORY;
  }
  if (!known.bodies) return;
  if (s->n_bodies > 0) memcpy(known.bodies, s->bodies, (size_t)s->n_bodies * sizeof *known.bodies);
  while (moves) {
    moves = 0;
    for (int i = 0; i < s->n_cables; i++) {
      if (error[i].status == CPS_OK || error[i].status == CPS_NO_MEMORY) continue;
      if (cps_shape_draw(&drawn[i], &known, i, &error[i]) != CPS_OK) continue;
      error[i].status = CPS_OK;
      place_ends(&known, i, &drawn[i]);
      moves = 1;
    }
  }
  free(known.bodies);
}
