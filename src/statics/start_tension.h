/* start_tension.h - cables that start with a wanted tension. See start_tension.c. */
#ifndef CPS_START_TENSION_H
#define CPS_START_TENSION_H

#include "cable_shapes.h"

/* Changes the unstretched lengths of cables that are drawn with a wanted tension, so that they have it in equilibrium.
 * CPS_NO_MEMORY; where no equilibrium is found, lengths stay as they are, and the search for the equilibrium reports it. */
cps_status cps_drawing_tighten(drawing *drawn, const cps_scenario *s, cps_error *err);

#endif
