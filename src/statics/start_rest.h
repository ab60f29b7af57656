/* start_rest.h - bodies that rest far from where they are drawn. See start_rest.c. */
#ifndef CPS_START_REST_H
#define CPS_START_REST_H

#include "cable_shapes.h"

/* Draws cables that start from equilibrium anew where their bodies rest, if the search for the equilibrium does not find that from the
 * drawing. Fails by CPS_NO_MEMORY alone. */
cps_status cps_drawing_rest(drawing *drawn, const cps_scenario *s, cps_error *err);

#endif
