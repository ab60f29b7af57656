/* sens_result.h - what writers of files and reports want to know of a differentiated run. */
#ifndef CPS_SENS_RESULT_H
#define CPS_SENS_RESULT_H

#include "scenario.h"

/* The scenario as the last run had it. */
const cps_scenario *cps_sens_scenario(const cps_sens *s);
/* Whether the last run came to its end. */
int cps_sens_is_complete(const cps_sens *s);
/* For those who make many runs: records nothing along cables, and if nothing is differentiated no columns of cables but those of
 * outputs; runs without differentiating, for the values of the outputs and the result; and gives a run up after so many steps. */
cps_sens *cps_sens_new_plain(
    const cps_scenario *scenario, const char *const *paths, int n, const char *const *of, int n_of,
    cps_error *err); /* only for cps_sens_simulate: n numbers of any kind, also none */
void cps_sens_without_frames(cps_sens *s);
void cps_sens_give_up_after(cps_sens *s, double steps);
cps_status cps_sens_simulate(cps_sens *s, int (*progress)(const cps_progress *, void *), void *data,
                             cps_error *err);
/* The column of that name; -1 with an error that names the nearest. */
int cps_sens_find_column(const cps_sens *s, const char *name, cps_error *err);

#endif
