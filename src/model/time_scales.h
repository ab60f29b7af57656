/* time_scales.h - how fast and how stiff the parts of a model are: see time_scales.c. */
#ifndef CPS_TIME_SCALES_H
#define CPS_TIME_SCALES_H

#include "bodies.h"
#include "refusals.h"
#include "warnings.h"

/* Refuses what would take more steps than anybody waits for, and warns of what steps or numbers cannot resolve. The system is
 * complete otherwise. */
void cps_judge_time_scales(const cps_system *s, refusals *r, warning_list *w);

#endif
