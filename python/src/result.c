/* result.c - results: columns, events, energy and fields, without copies. */
#include "core.h"

typedef struct result_object {
  PyObject_HEAD PyObject *owner; /* the simulation that the result belongs to; NULL of a loaded one */
  const cps_result *result;
  cps_result *owned;
} result_object;

PyObject *core_result_new(core_state *state, PyObject *owner, const cps_result *borrowed, cps_result *owned) {
  result_object *o = PyObject_New(result_object, state->result);
  if (!o) {
    cps_result_free(owned);
    return NULL;
  }
  o->owner = Py_XNewRef(owner);
  o->result = owned ? owned : borrowed;
  o->owned = owned;
  return (PyObject *)o;
}

static void result_free(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  result_object *o = (result_object *)self;
  if (o->owned) cps_result_free(o->owned);
  Py_XDECREF(o->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

static const cps_result *get(PyObject *self) { return ((result_object *)self)->result; }

/* 0 with an exception while the simulation of the result is at work: its rows may move then. */
static int rests(PyObject *self) {
  PyObject *owner = ((result_object *)self)->owner;
  if (!owner || !core_simulation_busy(owner)) return 1;
  PyErr_SetString(PyExc_RuntimeError, "the simulation of this result is at work in another thread");
  return 0;
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
  return r ? core_result_new(state, NULL, NULL, r) : core_raise(state, &err);
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
  if (PyErr_Occurred() || !rests(self)) return NULL;
  const double *data = c >= 0 && c < cps_result_columns(get(self)) ? cps_result_data(get(self), (int)c)
                                                                   : NULL;
  Py_ssize_t shape = data ? cps_result_rows(get(self)) : 0;
  return core_array_new(core_state_from(self), self, data, 1, &shape);
}

static PyObject *result_events(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!rests(self)) return NULL;
  PyObject *list = PyList_New(0);
  for (long i = 0; list && i < cps_result_events(get(self)); i++) {
    const cps_event *e = cps_result_event(get(self), i);
    PyObject *row = Py_BuildValue("dss", e->time, e->contact_name ? e->contact_name : "", e->what);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *result_energy(PyObject *self, PyObject *unused) {
  (void)unused;
  cps_energy e;
  cps_result_energy(get(self), &e);
  return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "kinetic", e.kinetic, "elastic",
                       e.elastic, "gravity", e.gravity, "initial", e.initial, "load_work", e.load_work,
                       "motion_work", e.motion_work, "friction", e.friction, "damping", e.damping, "solver",
                       e.solver, "created", e.created, "error", e.error, "scale", e.scale);
}

static PyObject *result_counters(PyObject *self, PyObject *unused) {
  (void)unused;
  cps_counters n;
  cps_result_counters(get(self), &n);
  return Py_BuildValue("{s:l,s:l,s:l,s:l,s:l,s:l}", "steps", n.steps, "rejected", n.rejected, "evaluations",
                       n.evaluations, "newton", n.newton, "factorisations", n.factorisations, "events",
                       n.events);
}

/* fields(): [(name, unit, array [frames, points, components])], and the times of the frames. */
static PyObject *result_fields(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!rests(self)) return NULL;
  core_state *state = core_state_from(self);
  const cps_result *r = get(self);
  Py_ssize_t frames = cps_result_frames(r);
  PyObject *times = core_array_new(state, self, cps_result_frame_times(r), 1, &frames),
           *list = times ? PyList_New(0) : NULL;
  for (int i = 0; list && i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    Py_ssize_t shape[3] = {f->constant ? frames > 0 : frames, f->points, f->components};
    PyObject *a = core_array_new(state, self, cps_result_field_data(r, i), 3, shape);
    PyObject *row = a ? Py_BuildValue("ssN", f->name, f->unit, a) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  if (list) return Py_BuildValue("NN", times, list);
  Py_XDECREF(times);
  return NULL;
}

static PyObject *result_text(PyObject *self, PyObject *arg) {
  const char *name = PyUnicode_AsUTF8AndSize(arg, NULL);
  if (!name) return NULL;
  const char *text = ((result_object *)self)->owned ? cps_result_text(get(self), name) : NULL;
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
  static PyType_Spec spec = {"capstan._core.Result", sizeof(result_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  state->result = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return state->result ? PyModule_AddType(module, state->result) : -1;
}
