/* module.c - the module itself: errors, arrays over the library's memory, and conversions. */
#include "core.h"

#include <stdio.h>
#include <string.h>

core_state *core_state_of(PyObject *module) { return PyModule_GetState(module); }

core_state *core_state_from(PyObject *self) {
  PyObject *module = PyType_GetModule(Py_TYPE(self));
  return module ? PyModule_GetState(module) : NULL;
}

/* ------------------------------------------------------------------ errors */

static PyObject *error_dict(const cps_error *e) {
  return Py_BuildValue("{s:s,s:s,s:i,s:i,s:s,s:d,s:s,s:s}", "status", cps_status_name(e->status), "file",
                       e->file, "line", e->line, "column", e->column, "key", e->key, "time", e->time, "text",
                       e->text, "source", e->source);
}

PyObject *core_raise(core_state *state, const cps_error *err) {
  if (PyErr_Occurred()) return NULL; /* a callback has raised: that is the reason */
  if (err->status == CPS_NO_MEMORY) {
    PyErr_SetString(PyExc_MemoryError, err->text);
    return NULL;
  }
  PyObject *list = Py_BuildValue("[N]", error_dict(err));
  if (list) PyErr_SetObject(state->error, list);
  Py_XDECREF(list);
  return NULL;
}

PyObject *core_raise_problems(core_state *state, cps_problems *problems) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && problems && i < cps_problems_count(problems); i++) {
    PyObject *d = error_dict(cps_problems_at(problems, i));
    if (!d || PyList_Append(list, d) < 0) Py_CLEAR(list);
    Py_XDECREF(d);
  }
  int none = !problems;
  cps_problems_free(problems);
  if (none) {
    Py_XDECREF(list);
    return PyErr_NoMemory();
  }
  if (list) PyErr_SetObject(state->error, list);
  Py_XDECREF(list);
  return NULL;
}

/* ------------------------------------------------------------------ conversions */

int core_doubles_get(PyObject *from, int writable, core_doubles *out) {
  memset(out, 0, sizeof *out);
  if (PyFloat_Check(from) || PyLong_Check(from)) {
    if (writable) {
      PyErr_SetString(PyExc_TypeError, "an array to write to is needed, not a number");
      return 0;
    }
    out->single = PyFloat_AsDouble(from);
    out->data = &out->single;
    out->n = 1;
    return !PyErr_Occurred();
  }
  int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(from, &out->view, flags) < 0) return 0;
  out->has_view = 1;
  if (out->view.itemsize != 8 || !out->view.format || strcmp(out->view.format, "d") != 0) {
    PyErr_Format(PyExc_TypeError, "an array of float64 is needed, not of format \"%s\"",
                 out->view.format ? out->view.format : "?");
    core_doubles_release(out);
    return 0;
  }
  out->data = out->view.buf;
  out->n = out->view.len / 8;
  return 1;
}

void core_doubles_release(core_doubles *d) {
  if (d->has_view) PyBuffer_Release(&d->view);
  d->has_view = 0;
}

const char *core_text(PyObject *from) {
  if (!PyUnicode_Check(from)) {
    PyErr_SetString(PyExc_TypeError, "a str is needed");
    return NULL;
  }
  Py_ssize_t length;
  const char *text = PyUnicode_AsUTF8AndSize(from, &length);
  if (!text || (size_t)length == strlen(text)) return text;
  PyErr_Format(PyExc_ValueError, "a text ends where it ends, and not at a NUL within it: %R", from);
  return NULL;
}

const char **core_texts(PyObject *sequence, int *n) {
  Py_ssize_t count = PySequence_Size(sequence);
  if (count < 0) return NULL;
  const char **texts = PyMem_Calloc((size_t)count + 1, sizeof *texts);
  if (!texts) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    /* borrowed from the sequence, which outlives the call */
    PyObject *item = PySequence_GetItem(sequence, i);
    texts[i] = item && PyUnicode_Check(item) ? core_text(item) : NULL;
    Py_XDECREF(item);
    if (texts[i]) continue;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a sequence of str is needed");
    PyMem_Free((void *)texts);
    return NULL;
  }
  *n = (int)count;
  return texts;
}

int core_watch(const cps_progress *p, void *watcher) {
  const core_watcher *w = watcher;
  PyGILState_STATE gil = PyGILState_Ensure();
  int stop = core_pending(w->scenario) || PyErr_Occurred() ||
             PyErr_CheckSignals() < 0; /* a law written in Python, or Ctrl-C */
  if (!stop && w->call && w->call != Py_None) {
    PyObject *answer = PyObject_CallFunction(w->call, "dddl", p->time, p->from, p->until, p->steps);
    stop = !answer || PyObject_IsTrue(answer) != 0;
    Py_XDECREF(answer);
  }
  PyGILState_Release(gil);
  return stop;
}

/* ------------------------------------------------------------------ objects */

int core_type_add(PyObject *module, PyTypeObject **place, PyType_Spec *spec) {
  *place = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *place ? PyModule_AddType(module, *place) : -1;
}

PyObject *core_object_new(PyTypeObject *type) { return PyType_GenericAlloc(type, 0); }

void core_object_free(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

int core_enter(atomic_int *busy, const char *what) {
  if (!atomic_exchange(busy, 1)) return 1;
  PyErr_Format(PyExc_RuntimeError, "%s is at work in another thread", what);
  return 0;
}

/* ------------------------------------------------------------------ arrays */

typedef struct array_data {
  PyObject *owner; /* NULL: the data are its own */
  const double *data;
  int dims;
  Py_ssize_t shape[3], strides[3];
} array_data;

PyObject *core_array_new(core_state *state, PyObject *owner, const double *data, int dims,
                         const Py_ssize_t *shape) {
  PyObject *self = core_object_new(state->array);
  if (!self) return NULL;
  array_data *a = core_data(self);
  a->owner = Py_XNewRef(owner);
  a->data = data;
  a->dims = dims;
  Py_ssize_t stride = 8;
  for (int i = dims - 1; i >= 0; i--) {
    a->shape[i] = shape[i];
    a->strides[i] = stride;
    stride *= shape[i];
  }
  if (owner || !data) return self;
  double *copy = PyMem_Malloc((size_t)stride);
  if (copy) memcpy(copy, data, (size_t)stride);
  a->data = copy;
  if (copy) return self;
  Py_DECREF(self);
  return PyErr_NoMemory();
}

static void array_free(PyObject *self) {
  array_data *a = core_data(self);
  if (!a->owner) PyMem_Free((void *)a->data);
  Py_XDECREF(a->owner);
  core_object_free(self);
}

static int array_buffer(PyObject *self, Py_buffer *view, int flags) {
  array_data *a = core_data(self);
  static double nothing;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "results are read-only: copy them first");
    view->obj = NULL;
    return -1;
  }
  Py_ssize_t n = 1;
  for (int i = 0; i < a->dims; i++) n *= a->shape[i];
  view->obj = Py_NewRef(self);
  view->buf = (void *)(a->data ? a->data : &nothing);
  view->len = 8 * n;
  view->readonly = 1;
  view->itemsize = 8;
  view->format = (char *)"d";
  view->ndim = a->dims;
  view->shape = a->shape;
  view->strides = a->strides;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

int core_array_type(PyObject *module, core_state *state) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, array_free},
                                {Py_bf_getbuffer, array_buffer},
                                {Py_tp_doc, "A read-only array over memory of a result, for numpy.asarray."},
                                {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Array", CORE_SIZE(array_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->array, &spec);
}

/* ------------------------------------------------------------------ module */

static PyObject *set_error(PyObject *module, PyObject *type) {
  core_state *state = core_state_of(module);
  Py_XDECREF(state->error);
  state->error = Py_NewRef(type);
  Py_RETURN_NONE;
}

static PyObject *version(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  return PyUnicode_FromString(cps_version());
}

static PyObject *quantity(PyObject *module, PyObject *args) {
  const char *text, *unit;
  double value;
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "ss", &text, &unit)) return NULL;
  if (cps_quantity_parse(text, unit, &value, &err) != CPS_OK) return core_raise(core_state_of(module), &err);
  return PyFloat_FromDouble(value);
}

/* As the library and the tool write: whole or not at all, and never in the place of a device or through a stranger's link. */
static PyObject *write_file(PyObject *module, PyObject *args) {
  PyObject *path;
  Py_buffer bytes;
  cps_output_file file;
  cps_error err = {.status = CPS_IO};
  if (!PyArg_ParseTuple(args, "O&y*", PyUnicode_FSConverter, &path, &bytes)) return NULL;
  const char *name = PyBytes_AsString(path);
  int good;
  Py_BEGIN_ALLOW_THREADS;
  good = cps_output_open(&file, name, CPS_OUTPUT_NAMED);
  if (good && !cps_output_write(&file, bytes.buf, (size_t)bytes.len)) {
    cps_output_discard(&file);
    good = 0;
  }
  good = good && cps_output_commit(&file);
  Py_END_ALLOW_THREADS;
  if (!good) snprintf(err.text, sizeof err.text, "cannot write '%.300s': %s", name, file.reason);
  PyBuffer_Release(&bytes);
  Py_DECREF(path);
  if (!good) return core_raise(core_state_of(module), &err);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_error", set_error, METH_O,
     "The exception class to raise: called with a list of dicts, one per problem."},
    {"version", version, METH_NOARGS, "The version of the library."},
    {"quantity", quantity, METH_VARARGS, "quantity(text, unit): \"10 mm\" in SI."},
    {"write_file", write_file, METH_VARARGS, "write_file(path, bytes): whole, or not at all."},
    {"sens", core_sens, METH_VARARGS, "sens(scenario, wrt, of, method, progress): a differentiated run."},
    {"rows", core_rows, METH_VARARGS,
     "rows(scenario, wrt, columns, times, weights, progress): columns of a run, differentiated."},
    {"fit", core_fit, METH_VARARGS, "fit(scenario, wrt, bounds, loss, steps, sets, progress)"},
    {"optimize", core_optimize, METH_VARARGS,
     "optimize(scenario, wrt, bounds, objective, limits, algorithm, runs, tolerance, progress)"},
    {NULL, NULL, 0, NULL}};

static int execute(PyObject *module) {
  core_state *state = core_state_of(module);
  state->error = Py_NewRef(PyExc_RuntimeError);
  if (core_array_type(module, state) < 0 || core_scenario_type(module, state) < 0 ||
      core_result_type(module, state) < 0 || core_law_type(module, state) < 0 ||
      core_simulation_type(module, state) < 0 || core_batch_type(module, state) < 0 ||
      core_normal_type(module, state) < 0 || core_own_law_type(module, state) < 0 ||
      core_study_type(module, state) < 0)
    return -1;
  return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
  core_state *s = core_state_of(module);
  Py_VISIT(s->error);
  Py_VISIT(s->scenario);
  Py_VISIT(s->simulation);
  Py_VISIT(s->result);
  Py_VISIT(s->array);
  Py_VISIT(s->law);
  Py_VISIT(s->batch);
  Py_VISIT(s->normal);
  Py_VISIT(s->own_law);
  Py_VISIT(s->study);
  return 0;
}

static int clear(PyObject *module) {
  core_state *s = core_state_of(module);
  Py_CLEAR(s->error);
  Py_CLEAR(s->scenario);
  Py_CLEAR(s->simulation);
  Py_CLEAR(s->result);
  Py_CLEAR(s->array);
  Py_CLEAR(s->law);
  Py_CLEAR(s->batch);
  Py_CLEAR(s->normal);
  Py_CLEAR(s->own_law);
  Py_CLEAR(s->study);
  return 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, execute},
#ifdef Py_MOD_GIL_NOT_USED
                                          {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                                          {0, NULL}};
static const char about[] = "Capstan's library.";

#ifdef Py_TARGET_ABI3T
PyABIInfo_VAR(abi);
static PySlot exported[] = {PySlot_STATIC_DATA(Py_mod_abi, &abi),
                            PySlot_STATIC_DATA(Py_mod_name, "_core"),
                            PySlot_STATIC_DATA(Py_mod_doc, (void *)about),
                            PySlot_SIZE(Py_mod_state_size, sizeof(core_state)),
                            PySlot_STATIC_DATA(Py_mod_methods, methods),
                            PySlot_STATIC_DATA(Py_mod_slots, module_slots),
                            PySlot_FUNC(Py_mod_state_traverse, traverse),
                            PySlot_FUNC(Py_mod_state_clear, clear),
                            PySlot_END};

PyMODEXPORT_FUNC PyModExport__core(void) { return exported; }
#else
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", about, sizeof(core_state), methods, module_slots, traverse, clear, NULL};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
#endif
