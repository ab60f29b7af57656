/* core.h - the extension module of the Python package: what its files share.
 *
 * Plain C in the limited API, so that one build serves many versions of CPython: 3.11 and later with the GIL (abi3), or, with
 * -DPy_TARGET_ABI3T=0x030f0000, 3.15 and later with and without it (abi3t, PEP 803). Free-threaded 3.13 and 3.14 have no such interface:
 * -DCAPSTAN_FULL_API builds for one version. The module has no physics of its own: each type holds an object of the library, and
 * capstan/__init__.py gives it the face that people see. Long calls release the GIL; nothing relies on it.
 */
#ifndef CAPSTAN_CORE_H
#define CAPSTAN_CORE_H

#if !defined(Py_TARGET_ABI3T) && !defined(CAPSTAN_FULL_API)
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "capstan.h"

#include <stdatomic.h>

/* What an object holds stands behind its head, of which abi3t does not tell the size. Types have no subclasses. */
#ifdef Py_TARGET_ABI3T
#define CORE_SIZE(data) (-(int)sizeof(data))
static inline void *core_data(PyObject *self) { return PyObject_GetTypeData(self, Py_TYPE(self)); }
#else
enum { CORE_ALIGN = 16, CORE_HEAD = (sizeof(PyObject) + CORE_ALIGN - 1) / CORE_ALIGN * CORE_ALIGN };
#define CORE_SIZE(data) ((int)(CORE_HEAD + sizeof(data)))
static inline void *core_data(PyObject *self) { return (char *)self + CORE_HEAD; }
#endif

typedef struct core_state {
  PyObject *error;        /* capstan.CapstanError */
  PyTypeObject *scenario; /* types */
  PyTypeObject *simulation;
  PyTypeObject *result;
  PyTypeObject *array;
  PyTypeObject *law;
  PyTypeObject *batch;
  PyTypeObject *normal;
  PyTypeObject *own_law;
  PyTypeObject *study;
} core_state;

core_state *core_state_of(PyObject *module);
/* The state of the module that defined the type of an object. */
core_state *core_state_from(PyObject *self);

/* A type of the module, kept in its state; -1 with an exception. */
int core_type_add(PyObject *module, PyTypeObject **place, PyType_Spec *spec);
/* An object whose data are zero; and the end of one whose data have been let go. */
PyObject *core_object_new(PyTypeObject *type);
void core_object_free(PyObject *self);

/* One thread at a time: sets the flag, or returns 0 with an exception if it is set. */
int core_enter(atomic_int *busy, const char *what);

/* Sets CapstanError from an error of the library, unless a callback has raised; returns NULL. */
PyObject *core_raise(core_state *state, const cps_error *err);
/* The same from the list of all that is wrong with a file, which it frees. */
PyObject *core_raise_problems(core_state *state, cps_problems *problems);

/* A read-only array over memory that `owner` keeps alive; without an owner, over a copy. */
PyObject *core_array_new(core_state *state, PyObject *owner, const double *data, int dims,
                         const Py_ssize_t *shape);
/* The result of a simulation, whose arrays are copies if it is live: if steps may follow; or (owner NULL) one that was read. */
PyObject *core_result_new(core_state *state, PyObject *owner, int live, cps_result *owned);

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

/* The text of a str, which keeps it; NULL with an exception if it is none. */
const char *core_text(PyObject *from);
/* "path=value" texts from a sequence of str: pointers into a block; NULL on failure. Free with PyMem_Free. */
const char **core_texts(PyObject *sequence, int *n);

/* Progress of a run for the library: answers Ctrl-C and laws that have raised, and calls `call` (time, from, until, steps) unless it is
 * NULL or None; nonzero stops. */
typedef struct core_watcher {
  PyObject *call, *scenario;
} core_watcher;
int core_watch(const cps_progress *p, void *watcher);

int core_array_type(PyObject *module, core_state *state);
int core_scenario_type(PyObject *module, core_state *state);
int core_result_type(PyObject *module, core_state *state);
int core_law_type(PyObject *module, core_state *state);
int core_simulation_type(PyObject *module, core_state *state);
int core_batch_type(PyObject *module, core_state *state);
int core_normal_type(PyObject *module, core_state *state);
int core_own_law_type(PyObject *module, core_state *state);
int core_study_type(PyObject *module, core_state *state);
PyObject *core_fit(PyObject *module, PyObject *args);
PyObject *core_optimize(PyObject *module, PyObject *args);

/* Laws written in Python raise in the middle of a run: whether one of the scenario has; and whether an exception is on its way to the
 * caller, which that of the law becomes. */
int core_pending(PyObject *scenario);
int core_raised(PyObject *scenario);
/* The same of one law (an object of own_law.c). */
int core_own_pending(PyObject *own);
int core_own_raised(PyObject *own);

/* The library's object, and the flag that a call is under way in some thread. */
cps_simulation *core_simulation_get(PyObject *simulation);
atomic_int *core_simulation_busy(PyObject *simulation);
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
/* The same of a law of normal contact; the keeper is that of either. */
PyObject *core_normal_new(core_state *state, const cps_normal *law, PyObject *keeper);
const cps_normal *core_normal_get(PyObject *self);
PyObject *core_law_keeper(PyObject *self);
/* The laws of a tuple of such objects (empty: NULL); 0 with an exception if they cannot go together. */
int core_laws_of(core_state *state, PyObject *list, cps_laws **laws);

const cps_scenario *core_scenario_get(PyObject *self);
/* Its own laws, a tuple of such objects; NULL if it has none. */
PyObject *core_scenario_laws(PyObject *self);
PyObject *core_sens(PyObject *module, PyObject *args);
PyObject *core_rows(PyObject *module, PyObject *args);

#endif
