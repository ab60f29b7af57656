/* sens.h - sensitivities: what the engines that differentiate runs share with sens.c.
 *
 * An engine differentiates the runs of some solvers on some scenarios. Parameters are known by their paths: what a
 * parameter changes is found by making the scenario anew with the parameter moved a little ("shadows": systems or
 * machines at p + j step, j = -3 .. 3 without 0) and differencing the plain numbers of the two, which depend on it smoothly, mostly
 * linearly; a formula of order six leaves round-off. Laws of friction and contact are never differenced: they have exact
 * derivatives by their parameters, since a moved parameter might change who sticks.
 *
 * Outputs are functions of the rows of a result. Forward engines give derivatives of all columns at each row; adjoint
 * engines are given the derivative of each output by single entries of rows, and give gradients.
 */
#ifndef CPS_SENS_H
#define CPS_SENS_H

#include "sens_place.h"
#include "system.h"

typedef struct sens_parameter {
  cps_quantity q;
  double step;                        /* of its shadows */
  cps_scenario *shadow[SENS_SHADOWS]; /* numbers in them may lie a little outside their range */
  double min, max;                    /* the range, and whether min itself is outside */
  int above;
} sens_parameter;

/* An output depends on entry (row, column) of the result with this derivative. */
typedef struct sens_weight {
  long row;
  int column;
  double weight;
} sens_weight;

/* A differentiated run, as the engine sees it. */
typedef struct sens_run {
  const cps_scenario *scenario; /* at the values of the parameters */
  cps_simulation *sim;          /* new; the engine runs it, and its result is the result */
  int n_wrt, n_of;
  sens_parameter *wrt; /* [n_wrt] */
  int (*progress)(const cps_progress *, void *);
  void *progress_data;
  cps_sens *owner;
  int without_jumps; /* leave out what happens to changes of state at transitions, to show what that does */
  size_t
      tape_most; /* bytes that a tape may have before the run is repeated in parts; 0: as the engine likes */
} sens_run;

typedef struct sens_engine {
  const char *name;
  /* Why it cannot do this, a clause for people such as "rk4 has no ...", "" if the scenario is not of its kind at all;
   * NULL if it can. */
  const char *(*refuses)(const cps_scenario *scenario, cps_sens_method method);
  cps_status (*forward)(sens_run *run, cps_error *err);
  cps_status (*adjoint)(sens_run *run, cps_error *err);
  int no_shadows; /* SENS_... */
} sens_engine;

/* Which shadows an engine wants to be there: all or none. */
enum { SENS_ALL_SHADOWS, SENS_NO_SHADOWS };

/* For forward engines, after each row that was recorded: d(column)/d(parameter), d[column * n_wrt + parameter]. */
cps_status cps_sens_add_row(sens_run *run, const double *d, cps_error *err);
/* After each event that was recorded: the derivative of its time, d[parameter]. */
cps_status cps_sens_add_event(sens_run *run, const double *d, cps_error *err);

/* For adjoint engines, after the run: what output `of` depends on, sorted by row; *n of them; NULL with an error if
 * out of memory. Borrowed. Outputs that are event times have event >= 0 instead: the index of the event, from 0. */
const sens_weight *cps_sens_weights(sens_run *run, int of, long *n, long *event, cps_error *err);
/* What an output that is an integral gains per second by which an event comes later. */
double cps_sens_jump(const sens_run *run, int of, long event);
/* Adds to the gradient of an output. */
void cps_sens_add(sens_run *run, int of, int wrt, double part);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cps_sens_warn(sens_run *run, const char *format, ...);

/* Makes the shadows of a parameter that are not there yet; or the last one alone. */
cps_status cps_sens_shadows(const sens_run *run, int wrt, cps_error *err);
cps_status cps_sens_shadow(const sens_run *run, int wrt, cps_error *err);
/* The scenario with parameter `wrt` at another value; NULL with an error that says why. */
cps_scenario *cps_sens_moved(const sens_run *run, int wrt, double value, int lenient, cps_error *err);

/* A parameter with its range. */
const sens_parameter *cps_sens_range(const cps_sens *s, int wrt);

/* For tests: a tape of at most that many bytes. */
void cps_sens_limit_tape(cps_sens *sens, size_t bytes);

/* The engines: sens_differences.c; sens_bodies.c; sens_cables.c. */
extern const sens_engine cps_sens_differences, cps_sens_bodies, cps_sens_cables;

#endif
