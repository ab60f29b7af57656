/* simulation.c - simulations: whole runs, and steps from outside. */
#include "core.h"

typedef struct simulation_data {
  PyObject *scenario;
  cps_system *system;
  cps_simulation *sim;
  cps_stretch *stretch; /* makes the steps, of a simulation whose steps are differentiated; NULL otherwise */
  int parameters;       /* that those steps are differentiated by */
  atomic_int busy;      /* a call is under way in some thread */
  core_watcher watcher; /* Ctrl-C stops steps, too */
} simulation_data;

static void simulation_free(PyObject *self) {
  simulation_data *o = core_data(self);
  cps_stretch_free(o->stretch);
  cps_simulation_free(o->sim);
  cps_system_free(o->system);
  Py_XDECREF(o->scenario);
  core_object_free(self);
}

atomic_int *core_simulation_busy(PyObject *self) { return &((simulation_data *)core_data(self))->busy; }
cps_simulation *core_simulation_get(PyObject *self) { return ((simulation_data *)core_data(self))->sim; }

static cps_simulation *get(PyObject *self) { return core_simulation_get(self); }

/* A call that takes long: 0 with an exception if another thread is at work. */
static int enter(PyObject *self) { return core_enter(core_simulation_busy(self), "this simulation"); }

static PyObject *leave(PyObject *self, cps_status status, const cps_error *err) {
  simulation_data *o = core_data(self);
  o->busy = 0;
  if (core_raised(o->scenario)) return NULL;
  return status == CPS_OK ? Py_NewRef(Py_None) : core_raise(core_state_from(self), err);
}

static PyObject *simulation_make(PyObject *type, PyObject *args) {
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  PyObject *scenario;
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "O", &scenario)) return NULL;
  if (!PyObject_TypeCheck(scenario, state->scenario))
    return PyErr_Format(PyExc_TypeError, "a Scenario is needed");
  PyObject *self = core_object_new(state->simulation);
  if (!self) return NULL;
  simulation_data *o = core_data(self);
  o->scenario = Py_NewRef(scenario);
  o->watcher.scenario = scenario;
  Py_BEGIN_ALLOW_THREADS;
  o->system = cps_system_new(core_scenario_get(scenario), &err);
  o->sim = o->system ? cps_simulation_new(o->system, &err) : NULL;
  Py_END_ALLOW_THREADS;
  if (o->sim) {
    cps_simulation_on_progress(o->sim, core_watch, &o->watcher);
    return self;
  }
  Py_DECREF(self);
  return core_raise(state, &err);
}

/* run(progress): None, or the error as a dict in a list if it failed: what was computed until then is in the result. */
static PyObject *simulation_run(PyObject *self, PyObject *call) {
  simulation_data *o = core_data(self);
  cps_error err = {0};
  cps_status status;
  core_watcher watcher = {call, o->scenario};
  if (!enter(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = cps_simulation_run(o->sim, core_watch, &watcher, &err);
  Py_END_ALLOW_THREADS;
  return leave(self, status, &err);
}

/* result(live): steps may follow, so that arrays have to be copies. */
static PyObject *simulation_result(PyObject *self, PyObject *live) {
  return core_result_new(core_state_from(self), self, PyObject_IsTrue(live) != 0, NULL);
}

static PyObject *simulation_write(PyObject *self, PyObject *args) {
  PyObject *path;
  cps_error err = {0};
  cps_status status;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  if (!enter(self)) {
    Py_DECREF(path);
    return NULL;
  }
  const char *name = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS;
  status = cps_simulation_write(get(self), name, &err);
  Py_END_ALLOW_THREADS;
  Py_DECREF(path);
  return leave(self, status, &err);
}

/* ------------------------------------------------------------------ stepping */

static PyObject *simulation_keep(PyObject *self, PyObject *arg) {
  cps_error err = {0};
  long rows = PyLong_AsLong(arg);
  if (PyErr_Occurred() || !enter(self)) return NULL;
  return leave(self, cps_simulation_keep(get(self), rows, &err), &err);
}

static PyObject *simulation_start(PyObject *self, PyObject *unused) {
  (void)unused;
  cps_error err = {0};
  cps_status status;
  if (!enter(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = cps_simulation_start(get(self), &err);
  Py_END_ALLOW_THREADS;
  return leave(self, status, &err);
}

PyObject *core_inputs(const cps_simulation *sim) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < cps_simulation_inputs(sim); i++) {
    cps_input in;
    PyObject *row = cps_simulation_input_at(sim, i, &in) == CPS_OK
                        ? Py_BuildValue("ssd", in.name, in.unit, in.start)
                        : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *simulation_inputs(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_inputs(get(self));
}

/* step(duration, inputs, indices, ramp, to_event, outputs, columns): inputs[k] goes to input indices[k], column columns[k] to outputs[k].
 * Indices are arrays of float64, which is what buffers of one kind cost least. Returns (time, reached, steps). */
static PyObject *simulation_step(PyObject *self, PyObject *args) {
  double duration;
  int ramp, to_event;
  PyObject *from[4];
  core_doubles d[4] = {{.n = 0}};
  if (!PyArg_ParseTuple(args, "dOOiiOO", &duration, &from[0], &from[1], &ramp, &to_event, &from[2], &from[3]))
    return NULL;
  PyObject *done = NULL;
  int entered = 0;
  for (int k = 0; k < 4; k++)
    if (!core_doubles_get(from[k], k == 2, &d[k])) goto out;
  if (d[0].n != d[1].n || d[2].n != d[3].n) {
    PyErr_SetString(PyExc_ValueError, "as many values as inputs, and as many places as columns are needed");
    goto out;
  }
  if (!(entered = enter(self))) goto out;
  simulation_data *own = core_data(self);
  cps_stretch *stretch = own->stretch;
  if (stretch && to_event) {
    PyErr_SetString(PyExc_ValueError, "a step that is differentiated has a given length: without to_event");
    goto out;
  }
  cps_error err = {0};
  cps_outcome o = {0};
  cps_status status = CPS_OK;
  cps_simulation *sim = own->sim;
  double until = cps_simulation_time(sim) + duration;
  for (Py_ssize_t k = 0; k < d[0].n && status == CPS_OK; k++) {
    int i = (int)d[1].data[k];
    if (d[0].data[k] != cps_simulation_input_value(sim, i))
      status = cps_simulation_set(sim, i, d[0].data[k], ramp ? CPS_RAMP : CPS_HOLD, &err);
  }
  if (status == CPS_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = stretch ? cps_stretch_step(stretch, until, &o, &err)
                     : cps_simulation_step(sim, until, to_event ? CPS_STEP_TO_EVENT : 0, &o, &err);
    for (Py_ssize_t k = 0; k < d[2].n; k++)
      ((double *)d[2].data)[k] = cps_simulation_get(sim, (int)d[3].data[k]);
    Py_END_ALLOW_THREADS;
  }
  if (core_raised(own->scenario)) goto out;
  done = status == CPS_OK ? Py_BuildValue("dil", o.time, o.reached, o.steps)
                          : core_raise(core_state_from(self), &err);
out:
  if (entered) *core_simulation_busy(self) = 0;
  for (int k = 0; k < 4; k++) core_doubles_release(&d[k]);
  return done;
}

static PyObject *simulation_time(PyObject *self, PyObject *unused) {
  (void)unused;
  return PyFloat_FromDouble(cps_simulation_time(get(self)));
}

static PyObject *simulation_get(PyObject *self, PyObject *arg) {
  long c = PyLong_AsLong(arg);
  if (PyErr_Occurred() || !enter(self)) return NULL;
  double value = cps_simulation_get(get(self), (int)c);
  *core_simulation_busy(self) = 0;
  return PyFloat_FromDouble(value);
}

PyObject *core_state_save(core_state *state, cps_simulation *sim) {
  cps_error err = {0};
  size_t size = cps_simulation_state_size(sim, &err);
  PyObject *bytes = size ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
  if (size && !bytes) return NULL;
  if (bytes && cps_simulation_state_get(sim, PyBytes_AsString(bytes), &err) == CPS_OK) return bytes;
  Py_XDECREF(bytes);
  return core_raise(state, &err);
}

PyObject *core_state_restore(core_state *state, cps_simulation *sim, PyObject *bytes) {
  cps_error err = {0};
  char *data;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes, &data, &size) < 0) return NULL;
  return cps_simulation_state_take(sim, data, (size_t)size, &err) == CPS_OK ? Py_NewRef(Py_None)
                                                                            : core_raise(state, &err);
}

static PyObject *simulation_save(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!enter(self)) return NULL;
  PyObject *bytes = core_state_save(core_state_from(self), get(self));
  *core_simulation_busy(self) = 0;
  return bytes;
}

static PyObject *simulation_restore(PyObject *self, PyObject *arg) {
  if (!enter(self)) return NULL;
  PyObject *done = core_state_restore(core_state_from(self), get(self), arg);
  *core_simulation_busy(self) = 0;
  return done;
}

static PyObject *simulation_copy(PyObject *self, PyObject *from) {
  cps_error err = {0};
  if (!PyObject_TypeCheck(from, core_state_from(self)->simulation))
    return PyErr_Format(PyExc_TypeError, "a simulation is needed");
  if (from == self) return Py_NewRef(Py_None);
  if (!enter(from)) return NULL;
  PyObject *done = enter(self) ? leave(self, cps_simulation_copy(get(self), get(from), &err), &err) : NULL;
  *core_simulation_busy(from) = 0;
  return done;
}

static PyObject *simulation_reset(PyObject *self, PyObject *args) {
  PyObject *paths, *values;
  core_doubles d;
  int n;
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "OO", &paths, &values)) return NULL;
  const char **texts = core_texts(paths, &n);
  if (!texts) return NULL;
  PyObject *done = NULL;
  if (core_doubles_get(values, 0, &d)) {
    if (d.n != n) {
      PyErr_SetString(PyExc_ValueError, "as many values as paths are needed");
    } else if (enter(self)) {
      cps_status status;
      Py_BEGIN_ALLOW_THREADS;
      status = n > 0 ? cps_simulation_reset_with(get(self), texts, d.data, n, &err)
                     : cps_simulation_reset(get(self), &err);
      Py_END_ALLOW_THREADS;
      done = leave(self, status, &err);
    }
    core_doubles_release(&d);
  }
  PyMem_Free((void *)texts);
  return done;
}

/* ------------------------------------------------------------------ derivatives of steps */

/* differentiate(paths): steps from here on can be differentiated, also by these numbers of the file. Returns [(item, offset)] of
 * the numbers of the state that derivatives are by and of. */
static PyObject *simulation_differentiate(PyObject *self, PyObject *paths) {
  simulation_data *o = core_data(self);
  cps_error err = {0};
  int n;
  const char **texts = core_texts(paths, &n);
  if (!texts) return NULL;
  if (!enter(self)) {
    PyMem_Free((void *)texts);
    return NULL;
  }
  cps_stretch *made;
  Py_BEGIN_ALLOW_THREADS;
  made = cps_stretch_new(o->sim, texts, n, &err);
  Py_END_ALLOW_THREADS;
  PyMem_Free((void *)texts);
  PyObject *list = core_raised(o->scenario) ? NULL
                   : made                   ? PyList_New(0)
                                            : core_raise(core_state_from(self), &err);
  if (list) {
    cps_stretch_free(o->stretch);
    o->stretch = made;
    o->parameters = n;
  } else {
    cps_stretch_free(made);
  }
  for (int i = 0; list && i < cps_stretch_numbers(made); i++) {
    cps_state_item item;
    PyObject *row = cps_stretch_number(made, i, &item) == CPS_OK
                        ? Py_BuildValue("sn", item.name, (Py_ssize_t)item.offset)
                        : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  o->busy = 0;
  return list;
}

/* Five arrays, each None or of its length; those from `first_out` on are written. */
static int get_arrays(PyObject **from, const Py_ssize_t *sizes, int first_out, core_doubles *d,
                      double **data) {
  for (int k = 0; k < 5; k++) {
    data[k] = NULL;
    if (from[k] == Py_None) continue;
    if (!core_doubles_get(from[k], k >= first_out, &d[k])) return 0;
    if (d[k].n != sizes[k]) {
      PyErr_Format(PyExc_ValueError, "an array of %zd numbers is needed, not of %zd", sizes[k], d[k].n);
      return 0;
    }
    data[k] = (double *)d[k].data;
  }
  return 1;
}

/* A product with the derivative of the last step: forwards of (state, inputs, parameters) into (state, columns), or backwards of
 * (state, columns) into (state, inputs, parameters). */
static PyObject *multiply(PyObject *self, PyObject *args, int backwards) {
  simulation_data *o = core_data(self);
  PyObject *from[5], *done = NULL;
  core_doubles d[5] = {{.n = 0}};
  double *x[5];
  cps_error err = {0};
  cps_status status;
  if (!PyArg_ParseTuple(args, "OOOOO", &from[0], &from[1], &from[2], &from[3], &from[4])) return NULL;
  if (!enter(self)) return NULL;
  if (!o->stretch) {
    o->busy = 0;
    return PyErr_Format(PyExc_RuntimeError, "no step can be differentiated yet: call differentiate() first");
  }
  Py_ssize_t numbers = cps_stretch_numbers(o->stretch), inputs = cps_simulation_inputs(o->sim),
             columns = cps_result_columns(cps_simulation_result(o->sim));
  const Py_ssize_t forward[] = {numbers, inputs, o->parameters, numbers, columns},
                   backward[] = {numbers, columns, numbers, inputs, o->parameters};
  if (get_arrays(from, backwards ? backward : forward, backwards ? 2 : 3, d, x)) {
    Py_BEGIN_ALLOW_THREADS;
    status = backwards ? cps_stretch_vjp(o->stretch, x[0], x[1], x[2], x[3], x[4], &err)
                       : cps_stretch_jvp(o->stretch, x[0], x[1], x[2], x[3], x[4], &err);
    Py_END_ALLOW_THREADS;
    done = leave(self, status, &err);
  } else {
    o->busy = 0;
  }
  for (int k = 0; k < 5; k++) core_doubles_release(&d[k]);
  return done;
}

static PyObject *simulation_jvp(PyObject *self, PyObject *args) { return multiply(self, args, 0); }
static PyObject *simulation_vjp(PyObject *self, PyObject *args) { return multiply(self, args, 1); }

/* What may make derivatives wrong. */
static PyObject *simulation_warnings(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!enter(self)) return NULL;
  const cps_stretch *stretch = ((simulation_data *)core_data(self))->stretch;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && stretch && cps_stretch_warning(stretch, i); i++) {
    PyObject *text = PyUnicode_FromString(cps_stretch_warning(stretch, i));
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  *core_simulation_busy(self) = 0;
  return list;
}

int core_simulation_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"make", simulation_make, METH_VARARGS | METH_CLASS, NULL},
                                  {"run", simulation_run, METH_O, NULL},
                                  {"result", simulation_result, METH_O, NULL},
                                  {"write", simulation_write, METH_VARARGS, NULL},
                                  {"keep", simulation_keep, METH_O, NULL},
                                  {"start", simulation_start, METH_NOARGS, NULL},
                                  {"inputs", simulation_inputs, METH_NOARGS, NULL},
                                  {"step", simulation_step, METH_VARARGS, NULL},
                                  {"time", simulation_time, METH_NOARGS, NULL},
                                  {"get", simulation_get, METH_O, NULL},
                                  {"save", simulation_save, METH_NOARGS, NULL},
                                  {"restore", simulation_restore, METH_O, NULL},
                                  {"copy", simulation_copy, METH_O, NULL},
                                  {"reset", simulation_reset, METH_VARARGS, NULL},
                                  {"differentiate", simulation_differentiate, METH_O, NULL},
                                  {"jvp", simulation_jvp, METH_VARARGS, NULL},
                                  {"vjp", simulation_vjp, METH_VARARGS, NULL},
                                  {"warnings", simulation_warnings, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, simulation_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Simulation", CORE_SIZE(simulation_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->simulation, &spec);
}
