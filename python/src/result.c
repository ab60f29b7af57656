/* result.c - results: columns, events, energy and fields, without copies. */
#include "core.h"

typedef struct result_data {
  PyObject *owner;   /* the simulation that the result belongs to; NULL of a loaded one */
  cps_result *owned; /* that one */
  int live;          /* steps may follow: arrays are copies */
} result_data;

PyObject *core_result_new(core_state *state, PyObject *owner, int live, cps_result *owned) {
  PyObject *self = core_object_new(state->result);
  if (!self) {
    cps_result_free(owned);
    return NULL;
  }
  result_data *o = core_data(self);
  o->owner = Py_XNewRef(owner);
  o->owned = owned;
  o->live = live;
  return self;
}

static void result_free(PyObject *self) {
  result_data *o = core_data(self);
  if (o->owned) cps_result_free(o->owned);
  Py_XDECREF(o->owner);
  core_object_free(self);
}

static const cps_result *get(PyObject *self) {
  const result_data *o = core_data(self);
  return o->owned ? o->owned : cps_simulation_result(core_simulation_get(o->owner));
}

/* Keeps the simulation of the result from moving its rows; 0 with an exception if it is at work. let_go ends that, and hands on what
 * was made meanwhile. */
static int hold(PyObject *self) {
  PyObject *owner = ((result_data *)core_data(self))->owner;
  return !owner || core_enter(core_simulation_busy(owner), "the simulation of this result");
}
static PyObject *let_go(PyObject *self, PyObject *made) {
  PyObject *owner = ((result_data *)core_data(self))->owner;
  if (owner) *core_simulation_busy(owner) = 0;
  return made;
}

static PyObject *array_of(PyObject *self, const double *data, int dims, const Py_ssize_t *shape) {
  return core_array_new(core_state_from(self), ((result_data *)core_data(self))->live ? NULL : self, data,
                        dims, shape);
}

static PyObject *result_load(PyObject *type, PyObject *args) {
  PyObject *path;
  cps_error err = {0};
  cps_result *r;
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  const char *name = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS;
  r = cps_result_load(name, &err);
  Py_END_ALLOW_THREADS;
  Py_DECREF(path);
  return r ? core_result_new(state, NULL, 0, r) : core_raise(state, &err);
}

static PyObject *result_columns(PyObject *self, PyObject *unused) {
  (void)unused;
  PyObject *list = PyList_New(0);
  for (int c = 0; list && c < cps_result_columns(get(self)); c++) {
    PyObject *pair = Py_BuildValue("ss", cps_result_name(get(self), c), cps_result_unit(get(self), c));
    if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list);
    Py_XDECREF(pair);
  }
  return list;
}

static PyObject *result_column(PyObject *self, PyObject *arg) {
  long c = PyLong_AsLong(arg);
  if (PyErr_Occurred() || !hold(self)) return NULL;
  const double *data = c >= 0 && c < cps_result_columns(get(self)) ? cps_result_data(get(self), (int)c)
                                                                   : NULL;
  Py_ssize_t shape = data ? cps_result_rows(get(self)) : 0;
  return let_go(self, array_of(self, data, 1, &shape));
}

static PyObject *result_events(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!hold(self)) return NULL;
  PyObject *list = PyList_New(0);
  for (long i = 0; list && i < cps_result_events(get(self)); i++) {
    const cps_event *e = cps_result_event(get(self), i);
    PyObject *row = Py_BuildValue("dss", e->time, e->contact_name ? e->contact_name : "", e->what);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return let_go(self, list);
}

static PyObject *result_energy(PyObject *self, PyObject *unused) {
  (void)unused;
  cps_energy e;
  if (!hold(self)) return NULL;
  cps_result_energy(get(self), &e);
  let_go(self, NULL);
  return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "kinetic", e.kinetic, "elastic",
                       e.elastic, "gravity", e.gravity, "initial", e.initial, "load_work", e.load_work,
                       "motion_work", e.motion_work, "friction", e.friction, "damping", e.damping, "solver",
                       e.solver, "created", e.created, "error", e.error, "scale", e.scale);
}

static PyObject *result_counters(PyObject *self, PyObject *unused) {
  (void)unused;
  cps_counters n;
  if (!hold(self)) return NULL;
  cps_result_counters(get(self), &n);
  let_go(self, NULL);
  return Py_BuildValue("{s:l,s:l,s:l,s:l,s:l,s:l}", "steps", n.steps, "rejected", n.rejected, "evaluations",
                       n.evaluations, "newton", n.newton, "factorisations", n.factorisations, "events",
                       n.events);
}

/* fields(): [(name, unit, array [frames, points, components])], and the times of the frames. */
static PyObject *result_fields(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!hold(self)) return NULL;
  const cps_result *r = get(self);
  Py_ssize_t frames = cps_result_frames(r);
  PyObject *times = array_of(self, cps_result_frame_times(r), 1, &frames),
           *list = times ? PyList_New(0) : NULL;
  for (int i = 0; list && i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    Py_ssize_t shape[3] = {f->constant ? frames > 0 : frames, f->points, f->components};
    PyObject *a = array_of(self, cps_result_field_data(r, i), 3, shape);
    PyObject *row = a ? Py_BuildValue("ssN", f->name, f->unit, a) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  let_go(self, NULL);
  if (list) return Py_BuildValue("NN", times, list);
  Py_XDECREF(times);
  return NULL;
}

static PyObject *result_text(PyObject *self, PyObject *arg) {
  const char *name = core_text(arg);
  if (!name) return NULL;
  const char *text = ((result_data *)core_data(self))->owned ? cps_result_text(get(self), name) : NULL;
  return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

int core_result_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"load", result_load, METH_VARARGS | METH_CLASS, NULL},
                                  {"columns", result_columns, METH_NOARGS, NULL},
                                  {"column", result_column, METH_O, NULL},
                                  {"events", result_events, METH_NOARGS, NULL},
                                  {"energy", result_energy, METH_NOARGS, NULL},
                                  {"counters", result_counters, METH_NOARGS, NULL},
                                  {"fields", result_fields, METH_NOARGS, NULL},
                                  {"text", result_text, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, result_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Result", CORE_SIZE(result_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->result, &spec);
}
