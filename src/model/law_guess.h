/* law_guess.h - laws with memory that give a step in closed form (cps_law.step): at which velocities Newton's method linearises them next.
 * Guessed in stick_guess.c, obeyed in contact_point.c.
 */
#ifndef CPS_LAW_GUESS_H
#define CPS_LAW_GUESS_H

#include "machine.h"

/* contact_point.guess: the law is linearised at velocity `root`. */
enum { GUESS_LOOK = GUESS_BACKWARD + 1 };

/* Whether the law of a cable is one of these. */
int cps_contact_looks(const cable *c);

/* Guesses the velocities of the next iteration, if friction is off by more than `least` of what is held. Returns whether it did. */
int cps_contact_look(const machine *m, cable *c, const step_coeffs *coeffs, double least);

/* The normal force at a point that touches, where the iteration has brought it. */
double cps_contact_load(const machine *m, const cable *c, const contact_point *p);

#endif
