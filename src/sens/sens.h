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

/* What a derivative is by: a number of the scenario; and, of a stretch, an input, the state at its beginning, or angle or rate of
 * a drum whose motion is prescribed by a controller and that is no unknown. */
typedef enum sens_kind { SENS_NUMBER, SENS_INPUT, SENS_STATE, SENS_DRUM } sens_kind;

typedef struct sens_parameter {
  sens_kind kind;
  int index; /* of the input; of the drum twice, and one more for its rate */
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

/* A stretch of a run (stretch.c) in place of a whole one: from the state that the simulation is in to a time. */
typedef struct sens_stretch {
  const void *begin; /* the state that the simulation begins in */
  double until;
  const input_value *inputs; /* [inputs of the scenario] as they are in it */
  /* The state as the engine counts it. Forward: changes at the beginning, [n_wrt][states], become those at the end. Adjoint:
   * weights of the end, [n_of][states], become those of the beginning. */
  double *state;
  int n_states;
  double *columns;      /* forward: changes of columns at the end, [columns][n_wrt] */
  sens_weight *weights; /* adjoint: of the only row, [n_weights], of the only output */
  long n_weights;
  double *gradient; /* adjoint: [n_wrt] */
  warning_list *warnings;
} sens_stretch;

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
  sens_stretch *stretch; /* NULL: the run is a whole one */
  int guarded; /* guards of laws have ended steps of a machine: very short ones between them amplify round-off */
} sens_run;

typedef struct sens_engine {
  const char *name;
  /* Why it cannot do this, a clause for people such as "rk4 has no ...", "" if the scenario is not of its kind at all;
   * NULL if it can. */
  const char *(*refuses)(const cps_scenario *scenario, cps_sens_method method);
  cps_status (*forward)(sens_run *run, cps_error *err);
  cps_status (*adjoint)(sens_run *run, cps_error *err);
  int no_shadows; /* SENS_... */
  /* Of stretches: how many numbers the state has that derivatives are by, and where they are in a simulation that has begun:
   * at[] (unless NULL), in which NULL is a number that is not among them. 0 if the engine cannot do stretches of it. */
  int (*states)(cps_simulation *sim, double **at);
} sens_engine;

/* The engine for derivatives of stretches of a scenario; NULL if there is none, with the reason. */
const sens_engine *cps_sens_stretches(const cps_scenario *scenario, cps_error *err);
/* Tells a shadow of a parameter what the inputs of the stretch are, with the parameter at `value`. */
cps_status cps_sens_tell(const sens_run *run, int wrt, double value, cps_scenario *moved);
/* The parameters at some paths; plain: also numbers that nothing can be differentiated by. */
cps_status cps_sens_find(const cps_scenario *s, const char *const *paths, int n, int plain,
                         sens_parameter *found, cps_error *err);

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

/* After a run whose forward and adjoint derivatives need not agree: an error if they do not. */
cps_status cps_sens_agree(sens_run *run, cps_error *err);

/* The same outputs, with their weights and rows, by one of the parameters; NULL if out of memory. */
cps_sens *cps_sens_again(const cps_sens *s, int wrt, cps_error *err);

/* Makes the shadows of a parameter that are not there yet; or the last one alone. */
cps_status cps_sens_shadows(const sens_run *run, int wrt, cps_error *err);
cps_status cps_sens_shadow(const sens_run *run, int wrt, cps_error *err);
/* The scenario with parameter `wrt` at another value; NULL with an error that says why. */
cps_scenario *cps_sens_moved(const sens_run *run, int wrt, double value, int lenient, cps_error *err);

/* Whether things that are prescribed jump at other times in the other scenario; and how the time t of such a jump moves with a
 * parameter, whose shadows are there: *several if things that jump there do not move together (sens_jump_times.c). */
int cps_sens_breaks_move(const cps_scenario *a, const cps_scenario *b);
double cps_sens_tau(const sens_run *run, int wrt, double t, int *several);

/* What is prescribed over time: a surface's motion, the force of a load, a normal force; setpoint or torque of a drum's drive, a shift of
 * its centre, and of an end of a cable a shift and a force. */
typedef enum prescribed_kind {
  GIVEN_SURFACE,
  GIVEN_LOAD,
  GIVEN_NORMAL,
  GIVEN_DRIVE,
  GIVEN_CENTER,
  GIVEN_END,
  GIVEN_PULL,
  GIVEN_KINDS
} prescribed_kind;

typedef struct prescribed {
  prescribed_kind kind;
  int of, part; /* which in the scenario; axis, and of ends three more for the second one */
  const profile *by;
} prescribed;

/* Parts of one thing: axes, of both ends. */
static inline int cps_given_parts(prescribed_kind kind) {
  return kind < GIVEN_CENTER ? 1 : kind == GIVEN_CENTER ? 3 : 6;
}

/* Number n of all that may be prescribed; by NULL if it is not. 0 behind the last. */
int cps_prescribed(const cps_scenario *s, int n, prescribed *x);

/* Whether two profiles are the same. */
int cps_sens_same(const profile *a, const profile *b);
/* Whether a profile changes with time; and its rate, with the first two rates of that. */
int cps_sens_timed(const profile *p);
profile_value cps_sens_profile_rate(const profile *p, double t);

/* A parameter with its range. */
const sens_parameter *cps_sens_range(const cps_sens *s, int wrt);

/* For tests: a tape of at most that many bytes. */
void cps_sens_limit_tape(cps_sens *sens, size_t bytes);

/* The engines: sens_differences.c; sens_bodies.c; sens_cables.c. */
extern const sens_engine cps_sens_differences, cps_sens_bodies, cps_sens_cables;

#endif
