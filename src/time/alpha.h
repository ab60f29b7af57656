/* alpha.h - what generalised-alpha steps: bodies alone (body_alpha.c), or a machine (cable_alpha.c). See alpha.c. */
#ifndef CPS_ALPHA_H
#define CPS_ALPHA_H

#include "body_error.h"
#include "steppers.h"

typedef enum solved { STEP_STOPPED = -1, STEP_FAILED, STEP_SOLVED } solved;

/* Why the method starts. */
typedef enum alpha_start { START_FIRST, START_AT_BREAK, START_AT_GUARD } alpha_start;

/* Rates of bodies at the start of a step and at its end, the error that these tell of, and guards of laws between bodies. */
typedef struct alpha_bodies {
  body_rates old, now;
  const double *y; /* at the end */
  body_error error;
  int judged;             /* whether errors of bodies count by themselves */
  int guarded;            /* whether guards are located */
  double *guard, *guard1; /* [nc CPS_MAX_GUARDS] at the start and at the end */
  state_block state;      /* all of the numbers */
} alpha_bodies;

/* A kind of equations. `of` is what `make` has made of a simulation, with the step to try first if steps are chosen; `bodies` outlives
 * it. */
typedef struct alpha_equations {
  double part;   /* of the run: the longest step */
  double safety; /* of the choice of the next one */
  int row_first; /* the first row, and that at a break, is recorded before the method starts there */
  cps_status (*make)(cps_simulation *sim, alpha_bodies *bodies, void **of, double *first, cps_error *err);
  void (*free)(void *of);
  /* Rates that balance, at first or where something has jumped. */
  cps_status (*start)(void *of, alpha_start why, cps_error *err);
  /* Solves a step of length h from where the simulation is. Its equations hold at t1: its end, or just before something that
   * jumps there. Unless it is solved, all is as before. */
  solved (*solve)(void *of, double h, double t1);
  void (*take_back)(void *of); /* a step that was solved; NULL: nothing to be done */
  /* Of a step that was solved: its local error, over what is allowed, beside that of bodies (NULL: none); rates of bodies, at its end or
   * where the method has started (NULL: they are there); looks at contacts between bodies, as they are at time t (NULL: the
   * simulation's workspace knows them). */
  double (*error)(const void *of);
  void (*rates)(const void *of, const body_rates *to);
  void (*look)(const void *of, double t);
  /* Takes it, of length h from time `from`, and tells who follows; the simulation's time is its end. */
  cps_status (*accept)(void *of, double from, double h, double t1, cps_error *err);
  cps_status (*give_up)(void *of, double h, cps_error *err); /* even with steps of h */
  void (*rows)(void *of, row_phase phase); /* as that of steppers.h; NULL: nothing to be done */
  checkpoint_list list;
  void (*forget)(void *of); /* pivots, which are a matter of the matrices before */
} alpha_equations;

extern const alpha_equations cps_alpha_bodies, cps_alpha_machine;

#endif
