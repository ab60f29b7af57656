/* cable_shapes.h - the geometry of all cables of a scenario. See cable_shapes.c. */
#ifndef CPS_CABLE_SHAPES_H
#define CPS_CABLE_SHAPES_H

#include "cable_path.h"

/* What `placed` is of a body that cable 0 has placed; of other cables it is more by their numbers. */
enum { PLACED_BY_CABLE = 2 };

/* What a run starts with. */
typedef struct drawing {
  shape *cable;      /* [cables] those with elements */
  double (*body)[3]; /* [bodies] their coordinates, as scenario_body has them */
  double (*drum)[3]; /* [drums] their centres, before anything that is prescribed moves them */
} drawing;

/* Draws all cables with elements. error[cables] says what is wrong with each; CPS_OK in those that are drawn.
 * 0 if out of memory. */
int cps_drawing_make(drawing *y, const cps_scenario *s, cps_error *error);
/* The same with bodies that move on from where they are said to be to where they would rest on strings that slide freely around drums; 0
 * if there is no such place, or it is where they are; -1 if out of memory. */
int cps_drawing_settle(drawing *y, const cps_scenario *s);
void cps_drawing_free(drawing *y, const cps_scenario *s);

#endif
