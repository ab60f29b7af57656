/* core.h - the extension module of the Python package: what its files share.
 *
 * Plain C in the limited API of CPython 3.11, so that one build serves every later version. The module has no physics of its own: each
 * type holds an object of the library, and capstan/__init__.py gives it the face that people see. Long calls release the GIL.
 */
#ifndef CAPSTAN_CORE_H
#define CAPSTAN_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "capstan.h"

typedef struct core_state {
  PyObject *error;        /* capstan.CapstanError */
  PyTypeObject *scenario; /* types */
  PyTypeObject *simulation;
  PyTypeObject *result;
  PyTypeObject *array;
  PyTypeObject *law;
  PyTypeObject *batch;
  PyTypeObject *own_law;
  PyTypeObject *study;
} core_state;

core_state *core_state_of(PyObject *module);
/* The state of the module that defined the type of an object. */
core_state *core_state_from(PyObject *self);

/* Sets CapstanError from an error of the library; returns NULL. */
PyObject *core_raise(core_state *state, const cps_error *err);
/* The same from the list of all that is wrong with a file, which it frees. */
PyObject *core_raise_problems(core_state *state, cps_problems *problems);

/* A read-only array over memory that `owner` keeps alive. */
PyObject *core_array_new(core_state *state, PyObject *owner, const double *data, int dims,
                         const Py_ssize_t *shape);
PyObject *core_result_new(core_state *state, PyObject *owner, const cps_result *borrowed, cps_result *owned);

/* A C array of doubles from any object with the buffer protocol that holds contiguous float64, or from a number. */
typedef struct core_doubles {
  Py_buffer view;
  int has_view;
  double single;
  const double *data;
  Py_ssize_t n;
} core_doubles;
int core_doubles_get(PyObject *from, int writable, core_doubles *out);
void core_doubles_release(core_doubles *d);

/* "path=value" texts from a sequence of str: pointers into a block; NULL on failure. Free with PyMem_Free. */
const char **core_texts(PyObject *sequence, int *n);

/* Progress of a run for the library: answers Ctrl-C, and calls `call` (time, from, until, steps) unless it is None; nonzero stops. */
int core_watch(const cps_progress *p, void *call);

int core_array_type(PyObject *module, core_state *state);
int core_scenario_type(PyObject *module, core_state *state);
int core_result_type(PyObject *module, core_state *state);
int core_law_type(PyObject *module, core_state *state);
int core_simulation_type(PyObject *module, core_state *state);
int core_batch_type(PyObject *module, core_state *state);
int core_own_law_type(PyObject *module, core_state *state);
int core_study_type(PyObject *module, core_state *state);
PyObject *core_fit(PyObject *module, PyObject *args);
PyObject *core_optimize(PyObject *module, PyObject *args);

/* Laws written in Python raise in the middle of a run: whether one has, and that exception as the caller's own. */
int core_pending(void);
int core_pending_raise(void);

/* Whether a call is under way in some thread. */
int core_simulation_busy(PyObject *simulation);
/* [(name, unit, start)] of the inputs of a simulation. */
PyObject *core_inputs(const cps_simulation *sim);
/* The state of a simulation as bytes, and back. */
PyObject *core_state_save(core_state *state, cps_simulation *sim);
PyObject *core_state_restore(core_state *state, cps_simulation *sim, PyObject *bytes);
/* The scenario that a fit or an optimisation has found, as an object; `like` is the one that it began with. */
PyObject *core_scenario_like(core_state *state, cps_scenario *scenario, PyObject *like);
/* An object for a law, which `keeper` (NULL: it is built in) keeps alive; and the law of such an object. */
PyObject *core_law_new(core_state *state, const cps_law *law, PyObject *keeper);
const cps_law *core_law_get(PyObject *self);
/* The laws of a list of such objects (None or empty: NULL); 0 with an exception if they cannot go together. */
int core_laws_of(core_state *state, PyObject *list, cps_laws **laws);

const cps_scenario *core_scenario_get(PyObject *self);
PyObject *core_sens(PyObject *module, PyObject *args);

#endif
