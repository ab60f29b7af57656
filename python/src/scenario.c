/* scenario.c - scenarios, their whole runs, and their derivatives. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct scenario_object {
  PyObject_HEAD cps_scenario *scenario;
  PyObject *list; /* its own laws, and the object that keeps their table; both NULL if it has none */
  PyObject *table;
} scenario_object;

const cps_scenario *core_scenario_get(PyObject *self) { return ((scenario_object *)self)->scenario; }

static PyObject *scenario_of(core_state *state, cps_scenario *scenario, cps_problems *problems,
                             PyObject *list, PyObject *table) {
  if (!scenario) return core_raise_problems(state, problems);
  scenario_object *o = PyObject_New(scenario_object, state->scenario);
  if (!o) {
    cps_scenario_free(scenario);
    return NULL;
  }
  o->scenario = scenario;
  o->list = Py_XNewRef(list);
  o->table = Py_XNewRef(table);
  return (PyObject *)o;
}

PyObject *core_scenario_like(core_state *state, cps_scenario *scenario, PyObject *like) {
  scenario_object *o = (scenario_object *)like;
  return scenario_of(state, scenario, NULL, o->list, o->table);
}

static void scenario_free(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  scenario_object *o = (scenario_object *)self;
  cps_scenario_free(o->scenario);
  Py_XDECREF(o->table);
  Py_XDECREF(o->list);
  PyObject_Free(self);
  Py_DECREF(type);
}

static core_state *state_of_type(PyObject *type) {
  return PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
}

static void free_laws(PyObject *capsule) { cps_laws_free(PyCapsule_GetPointer(capsule, NULL)); }

/* From a file (text NULL), or from text. */
static PyObject *scenario_read(PyObject *type, const char *path, const char *text, Py_ssize_t length,
                               PyObject *settings, PyObject *list) {
  core_state *state = state_of_type(type);
  cps_laws *laws;
  cps_load_options options = {0};
  if (!core_laws_of(state, list, &laws)) return NULL;
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
      made = scenario_of(core_state_from(self), changed, problems, ((scenario_object *)self)->list,
                         ((scenario_object *)self)->table);
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
  return s ? scenario_of(core_state_from(self), s, NULL, ((scenario_object *)self)->list,
                         ((scenario_object *)self)->table)
           : core_raise(core_state_from(self), &err);
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
  const char *path = PyUnicode_AsUTF8AndSize(arg, NULL);
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
  static PyType_Spec spec = {"capstan._core.Scenario", sizeof(scenario_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  state->scenario = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return state->scenario ? PyModule_AddType(module, state->scenario) : -1;
}

/* ------------------------------------------------------------------ derivatives */

PyObject *core_sens(PyObject *module, PyObject *args) {
  core_state *state = core_state_of(module);
  PyObject *scenario, *wrt, *of, *call;
  int method, n_wrt, n_of;
  if (!PyArg_ParseTuple(args, "OOOiO", &scenario, &wrt, &of, &method, &call)) return NULL;
  if (!PyObject_TypeCheck(scenario, state->scenario))
    return PyErr_Format(PyExc_TypeError, "a Scenario is needed");
  const char **paths = core_texts(wrt, &n_wrt), **outputs = paths ? core_texts(of, &n_of) : NULL;
  PyObject *values = NULL, *gradient = NULL, *warnings = NULL;
  cps_error err = {0};
  cps_sens *sens = outputs ? cps_sens_new(core_scenario_get(scenario), paths, n_wrt, outputs, n_of, &err)
                           : NULL;
  if (outputs && !sens) core_raise(state, &err);
  if (sens) {

    cps_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = cps_sens_run(sens, (cps_sens_method)method, core_watch, call, &err);
    Py_END_ALLOW_THREADS;
    if (status != CPS_OK || core_pending()) {
      core_raise(state, &err);
    } else {
      values = PyList_New(0);
      gradient = PyList_New(0);
      warnings = PyList_New(0);
      for (int i = 0; i < n_of && gradient && values; i++) {
        PyObject *v = PyFloat_FromDouble(cps_sens_value(sens, i));
        if (!v || PyList_Append(values, v) < 0) Py_CLEAR(values);
        Py_XDECREF(v);
        for (int j = 0; j < n_wrt && gradient; j++) {
          PyObject *g = PyFloat_FromDouble(cps_sens_gradient(sens, i, j));
          if (!g || PyList_Append(gradient, g) < 0) Py_CLEAR(gradient);
          Py_XDECREF(g);
        }
      }
      for (int i = 0; warnings && cps_sens_warning(sens, i); i++) {
        PyObject *t = PyUnicode_FromString(cps_sens_warning(sens, i));
        if (!t || PyList_Append(warnings, t) < 0) Py_CLEAR(warnings);
        Py_XDECREF(t);
      }
    }
  }
  cps_sens_free(sens);
  PyMem_Free((void *)paths);
  PyMem_Free((void *)outputs);
  if (values && gradient && warnings) return Py_BuildValue("NNN", values, gradient, warnings);
  Py_XDECREF(values);
  Py_XDECREF(gradient);
  Py_XDECREF(warnings);
  return NULL;
}
