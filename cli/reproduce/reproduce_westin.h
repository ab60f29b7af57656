/* reproduce_westin.h - what the studies of Westin and Irani share. */
#ifndef REPRODUCE_WESTIN_H
#define REPRODUCE_WESTIN_H

#include "reproduce.h"

#define PI         3.14159265358979323846
#define CAPSTAN    "westin/capstan.yaml"
#define PULLEY     "westin/pulley.yaml"
#define QUINN      "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}"
#define HANGS      "cables.rope.path.1=hang %g m; cables.rope.path.3=hang %g m"
#define QUADRATURE "; cables.rope.contact.at=quadrature; cables.rope.contact.normal.stiffness=1e9"
#define COUNT(a)   ((int)(sizeof(a) / sizeof((a)[0])))

/* Of both scenarios: friction coefficient, radius, bending stiffness, mass per length, gravity; of the first: holding
 * force, and growth of F2/F1 per second. */
static const double MU = 0.25, RADIUS = 0.25, EI = 0.7, RHO = 0.4555, G = 9.81, F1 = 98.1, GROWTH = 0.02;

/* The laws of Table II: Quinn, which counts as alpha = 1, and CDQ. */
enum { WESTIN_ALPHAS = 6 };
extern const double westin_alphas[WESTIN_ALPHAS];

extern const char westin_text[], westin_formula[];

/* "cables.rope.contact.friction=..." of a law, and its name. */
void westin_law(char *text, size_t size, double alpha);
void westin_law_name(char *text, size_t size, double alpha);

/* A field of the cable; NULL if the run has none. */
const double *westin_field(const trial *t, const char *what, int *points);

/* The first frame in which every contact point slips (speed 0), or slides at least so fast; -1 if there is none. F2/F1
 * at that frame. */
long westin_slip_frame(const trial *t, double speed);
double westin_slip_ratio(const trial *t, double speed);

/* The studies in files of their own. */
void westin_contact(reproduction *r);
void westin_pulley(reproduction *r);

#endif
