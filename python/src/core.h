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

const cps_scenario *core_scenario_get(PyObject *self);
PyObject *core_sens(PyObject *module, PyObject *args);

#endif
