/* study.c - studies: points by index, and runs of some of them. */
#include "core.h"

#include <string.h>

typedef struct study_data {
  cps_study *study;
} study_data;

static const cps_study *get(PyObject *self) { return ((study_data *)core_data(self))->study; }

static void study_free(PyObject *self) {
  cps_study_free(((study_data *)core_data(self))->study);
  core_object_free(self);
}

/* load(path) */
static PyObject *study_load(PyObject *type, PyObject *path) {
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  PyObject *bytes;
  cps_problems *problems = NULL;
  cps_study *study;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  const char *name = PyBytes_AsString(bytes);
  Py_BEGIN_ALLOW_THREADS;
  study = cps_study_load(name, &problems);
  Py_END_ALLOW_THREADS;
  Py_DECREF(bytes);
  if (!study) return core_raise_problems(state, problems);
  PyObject *self = core_object_new(state->study);
  if (self)
    ((study_data *)core_data(self))->study = study;
  else
    cps_study_free(study);
  return self;
}

/* about(): (title, method, hash, scenario hash, count, parameters, outputs) */
static PyObject *study_about(PyObject *self, PyObject *unused) {
  (void)unused;
  const cps_study *s = get(self);
  return Py_BuildValue("(ssssLii)", cps_study_title(s), cps_study_method(s), cps_study_hash(s),
                       cps_scenario_hash(cps_study_scenario(s)), cps_study_count(s), cps_study_parameters(s),
                       cps_study_outputs(s));
}

/* columns(): [(name, unit, path, low, high)]: parameters, outputs, derivatives */
static PyObject *study_columns(PyObject *self, PyObject *unused) {
  (void)unused;
  const cps_study *s = get(self);
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < cps_study_columns(s); i++) {
    cps_study_column c;
    cps_study_column_at(s, i, &c);
    PyObject *row = Py_BuildValue("(sssdd)", c.name, c.unit, c.path, c.low, c.high);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

/* variant(parameter, value): its name, None if values are numbers */
static PyObject *study_variant(PyObject *self, PyObject *args) {
  int parameter;
  double value;
  if (!PyArg_ParseTuple(args, "id", &parameter, &value)) return NULL;
  const char *name = cps_study_variant(get(self), parameter, value);
  if (!name) return Py_NewRef(Py_None);
  return PyUnicode_FromString(name);
}

/* points(first, out): fills out [n * parameters] with the points from `first` on */
static PyObject *study_points(PyObject *self, PyObject *args) {
  long long first;
  PyObject *to;
  core_doubles out;
  cps_error err = {0};
  const cps_study *s = get(self);
  if (!PyArg_ParseTuple(args, "LO", &first, &to) || !core_doubles_get(to, 1, &out)) return NULL;
  cps_status status = CPS_OK;
  int width = cps_study_parameters(s);
  double *values = (double *)out.view.buf;
  Py_BEGIN_ALLOW_THREADS;
  for (Py_ssize_t i = 0; i < out.n / width && status == CPS_OK; i++)
    status = cps_study_point(s, first + i, values + i * width, &err);
  Py_END_ALLOW_THREADS;
  core_doubles_release(&out);
  return status == CPS_OK ? Py_NewRef(Py_None) : core_raise(core_state_from(self), &err);
}

typedef struct gathered {
  const cps_study *study;
  PyObject *rows;
  int failed; /* an exception is set */
} gathered;

static PyObject *row_object(const cps_study *s, const cps_study_row *row) {
  int n = cps_study_columns(s);
  PyObject *values = PyTuple_New(n);
  for (int i = 0; values && i < n; i++) {
    PyObject *x = PyFloat_FromDouble(row->values[i]);
    if (!x || PyTuple_SetItem(values, i, x) < 0) Py_CLEAR(values);
  }
  if (!values) return NULL;
  return Py_BuildValue("(LNsslnnd)", row->point, values, row->status, row->message, row->steps,
                       (Py_ssize_t)row->iterations, (Py_ssize_t)row->rejected, row->seconds);
}

static void take_row(const cps_study_row *row, void *data) {
  gathered *g = data;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!g->failed) {
    PyObject *r = row_object(g->study, row);
    if (!r || PyList_Append(g->rows, r) < 0) g->failed = 1;
    Py_XDECREF(r);
  }
  PyGILState_Release(gil);
}

static int look_for_signals(const cps_study_progress *now, void *data) {
  (void)now;
  gathered *g = data;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!g->failed && PyErr_CheckSignals() < 0) g->failed = 1;
  PyGILState_Release(gil);
  return g->failed;
}

/* run(ids, threads): [(point, values, status, message, steps, iterations, rejected, seconds)] in the order of ids */
static PyObject *study_run(PyObject *self, PyObject *args) {
  PyObject *ids;
  int threads;
  if (!PyArg_ParseTuple(args, "Oi", &ids, &threads)) return NULL;
  Py_ssize_t n = PySequence_Size(ids);
  long long *points = n >= 0 ? PyMem_Malloc(((size_t)n + 1) * sizeof *points) : NULL;
  if (!points) return n < 0 ? NULL : PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(ids, i);
    points[i] = item ? PyLong_AsLongLong(item) : -1;
    Py_XDECREF(item);
    if (!PyErr_Occurred()) continue;
    PyMem_Free(points);
    return NULL;
  }
  gathered g = {get(self), PyList_New(0), 0};
  cps_study_options how = {.threads = threads,
                           .points = points,
                           .n_points = n,
                           .row = take_row,
                           .progress = look_for_signals,
                           .data = &g};
  cps_error err = {0};
  cps_status status = CPS_NO_MEMORY;
  if (g.rows) {
    Py_BEGIN_ALLOW_THREADS;
    status = cps_study_run(g.study, &how, NULL, &err);
    Py_END_ALLOW_THREADS;
  }
  PyMem_Free(points);
  if (status == CPS_OK && !g.failed) return g.rows;
  Py_XDECREF(g.rows);
  return g.failed || !g.rows ? NULL : core_raise(core_state_from(self), &err);
}

int core_study_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"load", study_load, METH_O | METH_CLASS, NULL},
                                  {"about", study_about, METH_NOARGS, NULL},
                                  {"columns", study_columns, METH_NOARGS, NULL},
                                  {"variant", study_variant, METH_VARARGS, NULL},
                                  {"points", study_points, METH_VARARGS, NULL},
                                  {"run", study_run, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, study_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Study", CORE_SIZE(study_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->study, &spec);
}
