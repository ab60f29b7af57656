/* optimize_over.h - robust optima. */
#ifndef CPS_OPTIMIZE_OVER_H
#define CPS_OPTIMIZE_OVER_H

#include "capstan.h"

/* A robust optimum: every point is run at all samples, which are scenarios with the same parameters that differ in other numbers (such as
 * cps_study_scenario_at gives), and outputs are the mean over the samples, or the worst of them: the largest of what is minimised or has
 * an upper limit. They must outlive it; n = 0: the scenario alone, as without a call. */
typedef enum cps_robust { CPS_ROBUST_MEAN, CPS_ROBUST_WORST } cps_robust;
cps_status cps_optimize_over(cps_optimize *o, const cps_scenario *const *samples, int n, cps_robust how,
                             cps_error *err);

#endif
