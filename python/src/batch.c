/* batch.c - many simulations of one model, stepped together over threads. */
#include "core.h"

#include <stdlib.h>

typedef struct batch_data {
  PyObject *scenario;
  cps_system *system;
  cps_batch *batch;
  Py_ssize_t n, inputs, columns;
  atomic_int busy;      /* a call is under way in some thread */
  unsigned long caller; /* that thread */
  atomic_int stop;      /* Ctrl-C in it */
} batch_data;

static void batch_free(PyObject *self) {
  batch_data *o = core_data(self);
  cps_batch_free(o->batch);
  cps_system_free(o->system);
  Py_XDECREF(o->scenario);
  core_object_free(self);
}

static int enter(batch_data *o) { return core_enter(&o->busy, "this batch"); }

/* Ctrl-C: only the thread that called can see it, and takes its part of the work. */
static int watch(const cps_progress *p, void *data) {
  (void)p;
  batch_data *o = data;
  if (PyThread_get_thread_ident() == o->caller) {
    PyGILState_STATE gil = PyGILState_Ensure();
    if (PyErr_Occurred() || PyErr_CheckSignals() < 0) o->stop = 1;
    PyGILState_Release(gil);
  }
  return o->stop;
}

/* make(scenario, n, threads, columns) */
static PyObject *batch_make(PyObject *type, PyObject *args) {
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  PyObject *scenario, *columns;
  int n, threads, n_columns;
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "OiiO", &scenario, &n, &threads, &columns)) return NULL;
  if (!PyObject_TypeCheck(scenario, state->scenario))
    return PyErr_Format(PyExc_TypeError, "a Scenario is needed");
  const char **names = core_texts(columns, &n_columns);
  if (!names) return NULL;
  PyObject *self = core_object_new(state->batch);
  if (!self) {
    PyMem_Free((void *)names);
    return NULL;
  }
  batch_data *o = core_data(self);
  o->scenario = Py_NewRef(scenario);
  o->n = n;
  o->columns = n_columns;
  Py_BEGIN_ALLOW_THREADS;
  o->system = cps_system_new(core_scenario_get(scenario), &err);
  o->batch = o->system ? cps_batch_new(o->system, n, threads, names, n_columns, &err) : NULL;
  Py_END_ALLOW_THREADS;
  PyMem_Free((void *)names);
  if (o->batch) {
    o->inputs = cps_simulation_inputs(cps_batch_at(o->batch, 0));
    for (int i = 0; i < n; i++) cps_simulation_on_progress(cps_batch_at(o->batch, i), watch, o);
    return self;
  }
  Py_DECREF(self);
  return core_raise(state, &err);
}

/* inputs(): [(name, unit, start)] */
static PyObject *batch_inputs(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_inputs(cps_batch_at(((batch_data *)core_data(self))->batch, 0));
}

/* step(duration, inputs or None, ramp, outputs, failed): arrays [n][inputs], [n][columns] and [n], of which the last gets 1 for each
 * simulation that failed. None, or the text of the first failure. */
static PyObject *batch_step(PyObject *self, PyObject *args) {
  batch_data *o = core_data(self);
  double duration;
  int ramp;
  PyObject *from[3], *done = NULL;
  core_doubles d[3] = {{.n = 0}};
  if (!PyArg_ParseTuple(args, "dOiOO", &duration, &from[0], &ramp, &from[1], &from[2])) return NULL;
  int given = from[0] != Py_None;
  cps_status *status = NULL;
  for (int k = given ? 0 : 1; k < 3; k++)
    if (!core_doubles_get(from[k], k > 0, &d[k])) goto out;
  if ((given && d[0].n != o->n * o->inputs) || d[1].n != o->n * o->columns || d[2].n != o->n) {
    PyErr_Format(PyExc_ValueError, "inputs [%zd, %zd] are needed", o->n, o->inputs);
    goto out;
  }
  if (!(status = PyMem_Calloc((size_t)o->n, sizeof *status))) {
    PyErr_NoMemory();
    goto out;
  }
  if (!enter(o)) goto out;
  cps_error err = {0};
  cps_status worst;
  o->caller = PyThread_get_thread_ident();
  o->stop = 0;
  Py_BEGIN_ALLOW_THREADS;
  worst = cps_batch_step(o->batch, duration, given ? d[0].data : NULL, ramp ? CPS_RAMP : CPS_HOLD,
                         (double *)d[1].data, status, &err);
  for (Py_ssize_t i = 0; i < o->n; i++) ((double *)d[2].data)[i] = status[i] != CPS_OK;
  Py_END_ALLOW_THREADS;
  o->busy = 0;
  if (core_raised(o->scenario)) goto out;
  if (worst == CPS_OK)
    done = Py_NewRef(Py_None);
  else if (worst == CPS_FAILED)
    done = PyUnicode_FromString(err.text);
  else
    core_raise(core_state_from(self), &err);
out:
  PyMem_Free(status);
  for (int k = 0; k < 3; k++) core_doubles_release(&d[k]);
  return done;
}

/* The i-th simulation of a batch that no other thread is at work with; NULL with an exception. */
static cps_simulation *at(batch_data *o, Py_ssize_t i) {
  if (i < 0 || i >= o->n) {
    PyErr_Format(PyExc_IndexError, "there are %zd simulations, and none of number %zd", o->n, i);
    return NULL;
  }
  return enter(o) ? cps_batch_at(o->batch, (int)i) : NULL;
}

/* reset(i, paths, values) */
static PyObject *batch_reset(PyObject *self, PyObject *args) {
  batch_data *o = core_data(self);
  Py_ssize_t i;
  PyObject *paths, *values, *done = NULL;
  core_doubles d = {.n = 0};
  int n;
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "nOO", &i, &paths, &values)) return NULL;
  const char **texts = core_texts(paths, &n);
  if (!texts) return NULL;
  if (!core_doubles_get(values, 0, &d)) goto out;
  if (d.n != n) {
    PyErr_SetString(PyExc_ValueError, "as many values as paths are needed");
    goto out;
  }
  cps_simulation *sim = at(o, i);
  if (!sim) goto out;
  cps_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = n > 0 ? cps_simulation_reset_with(sim, texts, d.data, n, &err) : cps_simulation_reset(sim, &err);
  Py_END_ALLOW_THREADS;
  o->busy = 0;
  done = status == CPS_OK ? Py_NewRef(Py_None) : core_raise(core_state_from(self), &err);
out:
  core_doubles_release(&d);
  PyMem_Free((void *)texts);
  return done;
}

/* times(out): the time of each */
static PyObject *batch_times(PyObject *self, PyObject *array) {
  batch_data *o = core_data(self);
  core_doubles d;
  if (!core_doubles_get(array, 1, &d)) return NULL;
  int fits = d.n == o->n;
  if (!fits) PyErr_SetString(PyExc_ValueError, "one place for each simulation is needed");
  for (Py_ssize_t i = 0; fits && i < o->n; i++)
    ((double *)d.data)[i] = cps_simulation_time(cps_batch_at(o->batch, (int)i));
  core_doubles_release(&d);
  return fits ? Py_NewRef(Py_None) : NULL;
}

static PyObject *batch_save(PyObject *self, PyObject *arg) {
  batch_data *o = core_data(self);
  Py_ssize_t i = PyLong_AsSsize_t(arg);
  if (PyErr_Occurred()) return NULL;
  cps_simulation *sim = at(o, i);
  if (!sim) return NULL;
  PyObject *bytes = core_state_save(core_state_from(self), sim);
  o->busy = 0;
  return bytes;
}

/* restore(i, state) */
static PyObject *batch_restore(PyObject *self, PyObject *args) {
  batch_data *o = core_data(self);
  Py_ssize_t i;
  PyObject *bytes;
  if (!PyArg_ParseTuple(args, "nS", &i, &bytes)) return NULL;
  cps_simulation *sim = at(o, i);
  if (!sim) return NULL;
  PyObject *done = core_state_restore(core_state_from(self), sim, bytes);
  o->busy = 0;
  return done;
}

int core_batch_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"make", batch_make, METH_VARARGS | METH_CLASS, NULL},
                                  {"inputs", batch_inputs, METH_NOARGS, NULL},
                                  {"step", batch_step, METH_VARARGS, NULL},
                                  {"reset", batch_reset, METH_VARARGS, NULL},
                                  {"times", batch_times, METH_O, NULL},
                                  {"save", batch_save, METH_O, NULL},
                                  {"restore", batch_restore, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, batch_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Batch", CORE_SIZE(batch_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->batch, &spec);
}
