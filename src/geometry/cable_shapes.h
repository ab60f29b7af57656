/* cable_shapes.h - the geometry of all cables of a scenario. See cable_shapes.c. */
#ifndef CPS_CABLE_SHAPES_H
#define CPS_CABLE_SHAPES_H

#include "cable_path.h"

/* What `placed` is of a body once a cable has been drawn to it. */
enum { PLACED_BY_CABLE = 2 };

/* Draws all cables with elements: drawn[cables]. error[cables] says what is wrong with each; CPS_OK in those that are drawn. */
void cps_shapes_draw(shape *drawn, const cps_scenario *s, cps_error *error);

#endif
