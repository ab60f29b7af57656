/* steppers.c - the solvers by name. */
#include "steppers.h"

#include <string.h>

static const solver solvers[] = {
    {"events", "event-driven: Dormand-Prince 5(4) between stick-slip transitions located to round-off",
     &cps_events, NULL},
    {"alpha", "generalised-alpha of order 2, implicit: adaptive, or with a fixed step", &cps_body_alpha,
     &cps_cable_alpha},
    {"bdf", "backward differentiation of order 1 to 5, implicit, adaptive (SUNDIALS)", &cps_body_bdf,
     &cps_cable_bdf},
    {"rk4", "classical Runge-Kutta of order 4, fixed step", &cps_rk4, NULL},
};

enum { COUNT = sizeof solvers / sizeof solvers[0] };

const solver *cps_solver_at(int i) { return i >= 0 && i < COUNT ? &solvers[i] : NULL; }

const solver *cps_solver_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(solvers[i].name, name) == 0) return &solvers[i];
  return NULL;
}
