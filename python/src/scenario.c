/* scenario.c - scenarios. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct scenario_data {
  cps_scenario *scenario;
  PyObject *laws; /* its own laws, a tuple, and the object that keeps their table; both NULL if it has none */
  PyObject *table;
} scenario_data;

const cps_scenario *core_scenario_get(PyObject *self) { return ((scenario_data *)core_data(self))->scenario; }
PyObject *core_scenario_laws(PyObject *self) { return ((scenario_data *)core_data(self))->laws; }

static PyObject *scenario_of(core_state *state, cps_scenario *scenario, cps_problems *problems,
                             PyObject *laws, PyObject *table) {
  if (!scenario) return core_raise_problems(state, problems);
  PyObject *self = core_object_new(state->scenario);
  if (!self) {
    cps_scenario_free(scenario);
    return NULL;
  }
  scenario_data *o = core_data(self);
  o->scenario = scenario;
  o->laws = Py_XNewRef(laws);
  o->table = Py_XNewRef(table);
  return self;
}

PyObject *core_scenario_like(core_state *state, cps_scenario *scenario, PyObject *like) {
  scenario_data *o = core_data(like);
  return scenario_of(state, scenario, NULL, o->laws, o->table);
}

static void scenario_free(PyObject *self) {
  scenario_data *o = core_data(self);
  cps_scenario_free(o->scenario);
  Py_XDECREF(o->table);
  Py_XDECREF(o->laws);
  core_object_free(self);
}

static core_state *state_of_type(PyObject *type) {
  return PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
}

static void free_laws(PyObject *capsule) { cps_laws_free(PyCapsule_GetPointer(capsule, NULL)); }

/* From a file (text NULL), or from text. */
static PyObject *scenario_read(PyObject *type, const char *path, const char *text, Py_ssize_t length,
                               PyObject *settings, PyObject *given) {
  core_state *state = state_of_type(type);
  cps_laws *laws;
  cps_load_options options = {0};
  PyObject *list = PySequence_Tuple(given);
  if (!list || !core_laws_of(state, list, &laws)) {
    Py_XDECREF(list);
    return NULL;
  }
  PyObject *table = laws ? PyCapsule_New(laws, NULL, free_laws) : NULL, *made = NULL;
  if (laws && !table) cps_laws_free(laws);
  const char **texts = laws && !table ? NULL : core_texts(settings, &options.n_settings);
  if (texts) {
    options.settings = texts;
    options.laws = laws;
    cps_problems *problems = NULL;
    cps_scenario *s = text ? cps_scenario_parse_with(text, (size_t)length, path, &options, &problems)
                           : cps_scenario_load_with(path, &options, &problems);
    made = scenario_of(state, s, problems, laws ? list : NULL, table);
  }
  PyMem_Free((void *)texts);
  Py_XDECREF(table);
  Py_DECREF(list);
  return made;
}

/* load(path, settings, laws) */
static PyObject *scenario_load(PyObject *type, PyObject *args) {
  PyObject *path, *settings, *laws;
  if (!PyArg_ParseTuple(args, "O&OO", PyUnicode_FSConverter, &path, &settings, &laws)) return NULL;
  PyObject *made = scenario_read(type, PyBytes_AsString(path), NULL, 0, settings, laws);
  Py_DECREF(path);
  return made;
}

/* parse(text, file, settings, laws) */
static PyObject *scenario_parse(PyObject *type, PyObject *args) {
  const char *text, *file;
  Py_ssize_t length;
  PyObject *settings, *laws;
  if (!PyArg_ParseTuple(args, "s#sOO", &text, &length, &file, &settings, &laws)) return NULL;
  return scenario_read(type, file, text, length, settings, laws);
}

static PyObject *scenario_change(PyObject *self, PyObject *args) {
  PyObject *paths, *values;
  core_doubles d;
  int n;
  if (!PyArg_ParseTuple(args, "OO", &paths, &values)) return NULL;
  const char **texts = core_texts(paths, &n);
  if (!texts) return NULL;
  PyObject *made = NULL;
  if (core_doubles_get(values, 0, &d)) {
    cps_problems *problems = NULL;
    if (d.n == n) {
      cps_scenario *changed = cps_scenario_with(core_scenario_get(self), texts, d.data, n, &problems);
      const scenario_data *o = core_data(self);
      made = scenario_of(core_state_from(self), changed, problems, o->laws, o->table);
    } else {
      PyErr_SetString(PyExc_ValueError, "as many values as paths are needed");
    }
    core_doubles_release(&d);
  }
  PyMem_Free((void *)texts);
  return made;
}

static PyObject *scenario_inputs(PyObject *self, PyObject *paths) {
  int n;
  cps_error err = {0};
  const char **texts = core_texts(paths, &n);
  if (!texts) return NULL;
  cps_scenario *s = cps_scenario_with_inputs(core_scenario_get(self), texts, n, &err);
  PyMem_Free((void *)texts);
  return s ? core_scenario_like(core_state_from(self), s, self) : core_raise(core_state_from(self), &err);
}

/* quantities(): [(path, unit, value)] of every number of the file. */
static PyObject *scenario_quantities(PyObject *self, PyObject *unused) {
  (void)unused;
  cps_quantity *all;
  int n;
  cps_error err = {0};
  if (cps_scenario_quantities(core_scenario_get(self), &all, &n, &err) != CPS_OK)
    return core_raise(core_state_from(self), &err);
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < n; i++) {
    PyObject *row = Py_BuildValue("ssd", all[i].path, all[i].unit, all[i].value);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  free(all);
  return list;
}

static PyObject *scenario_quantity(PyObject *self, PyObject *arg) {
  const char *path = core_text(arg);
  cps_quantity q;
  cps_error err = {0};
  if (!path) return NULL;
  if (cps_scenario_quantity(core_scenario_get(self), path, &q, &err) != CPS_OK)
    return core_raise(core_state_from(self), &err);
  return Py_BuildValue("ds", q.value, q.unit);
}

static PyObject *scenario_title(PyObject *self, PyObject *unused) {
  (void)unused;
  return PyUnicode_FromString(cps_scenario_title(core_scenario_get(self)));
}

static PyObject *scenario_hash(PyObject *self, PyObject *unused) {
  (void)unused;
  return PyUnicode_FromString(cps_scenario_hash(core_scenario_get(self)));
}

int core_scenario_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"load", scenario_load, METH_VARARGS | METH_CLASS, NULL},
                                  {"parse", scenario_parse, METH_VARARGS | METH_CLASS, NULL},
                                  {"change", scenario_change, METH_VARARGS, NULL},
                                  {"quantity", scenario_quantity, METH_O, NULL},
                                  {"quantities", scenario_quantities, METH_NOARGS, NULL},
                                  {"inputs", scenario_inputs, METH_O, NULL},
                                  {"title", scenario_title, METH_NOARGS, NULL},
                                  {"hash", scenario_hash, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, scenario_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Scenario", CORE_SIZE(scenario_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->scenario, &spec);
}
