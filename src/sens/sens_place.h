/* sens_place.h - the formula of order six by which smooth numbers are differenced: where to evaluate them, in steps, and
 * their weights in the first derivative, over the step. */
#ifndef CPS_SENS_PLACE_H
#define CPS_SENS_PLACE_H

enum { SENS_SHADOWS = 6 };

extern const int cps_sens_place[SENS_SHADOWS];
extern const double cps_sens_share[SENS_SHADOWS];

#endif
