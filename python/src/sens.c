/* sens.c - derivatives of whole runs: of outputs, and of rows. */
#include "core.h"

#include <string.h>

/* What may make derivatives wrong. */
static PyObject *warnings_of(const cps_sens *sens) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && cps_sens_warning(sens, i); i++) {
    PyObject *text = PyUnicode_FromString(cps_sens_warning(sens, i));
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

/* Runs and differentiates; 0 with an exception. */
static int run(core_state *state, cps_sens *sens, int method, PyObject *scenario, PyObject *call) {
  core_watcher watcher = {call, scenario};
  cps_error err = {0};
  cps_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = cps_sens_run(sens, (cps_sens_method)method, core_watch, &watcher, &err);
  Py_END_ALLOW_THREADS;
  if (core_raised(scenario)) return 0;
  if (status != CPS_OK) core_raise(state, &err);
  return status == CPS_OK;
}

/* sens(scenario, wrt, of, method, progress): ([value], [gradient by each of wrt, of one output after the other], [warning]) */
PyObject *core_sens(PyObject *module, PyObject *args) {
  core_state *state = core_state_of(module);
  PyObject *scenario, *wrt, *of, *call, *done = NULL;
  int method, n_wrt, n_of;
  if (!PyArg_ParseTuple(args, "O!OOiO", state->scenario, &scenario, &wrt, &of, &method, &call)) return NULL;
  const char **paths = core_texts(wrt, &n_wrt), **outputs = paths ? core_texts(of, &n_of) : NULL;
  cps_error err = {0};
  cps_sens *sens = outputs ? cps_sens_new(core_scenario_get(scenario), paths, n_wrt, outputs, n_of, &err)
                           : NULL;
  if (outputs && !sens) core_raise(state, &err);
  if (sens && run(state, sens, method, scenario, call)) {
    PyObject *values = PyList_New(n_of), *gradient = PyList_New((Py_ssize_t)n_of * n_wrt);
    for (int i = 0; values && gradient && i < n_of; i++) {
      PyList_SetItem(values, i, PyFloat_FromDouble(cps_sens_value(sens, i)));
      for (int j = 0; j < n_wrt; j++)
        PyList_SetItem(gradient, (Py_ssize_t)i * n_wrt + j,
                       PyFloat_FromDouble(cps_sens_gradient(sens, i, j)));
    }
    PyObject *warnings = values && gradient ? warnings_of(sens) : NULL;
    if (warnings) done = Py_BuildValue("OOO", values, gradient, warnings);
    Py_XDECREF(values);
    Py_XDECREF(gradient);
    Py_XDECREF(warnings);
  }
  cps_sens_free(sens);
  PyMem_Free((void *)paths);
  PyMem_Free((void *)outputs);
  return done;
}

/* ------------------------------------------------------------------ rows */

/* Places of columns by their names, [n]; NULL with an exception. */
static int *find_columns(const cps_result *r, const char *const *names, int n) {
  int *at = PyMem_Calloc((size_t)n + 1, sizeof *at);
  if (!at) PyErr_NoMemory();
  for (int i = 0; at && i < n; i++) {
    at[i] = cps_result_find(r, names[i]);
    if (at[i] >= 0) continue;
    PyErr_Format(PyExc_KeyError, "no column is called \"%s\"", names[i]);
    PyMem_Free(at);
    return NULL;
  }
  return at;
}

/* Weights [rows][n] of columns as an output of the run; 0 with an exception. */
static int weigh(core_state *state, cps_sens *sens, const core_doubles *d, const int *at, int n) {
  Py_ssize_t all = cps_result_columns(cps_sens_result(sens)), rows = n > 0 ? d->n / n : 0;
  cps_error err = {0};
  if (rows * n != d->n || rows < 1) {
    PyErr_Format(PyExc_ValueError, "weights: rows of %d numbers are needed", n);
    return 0;
  }
  double *spread = PyMem_Calloc((size_t)(rows * all), sizeof *spread);
  if (!spread) {
    PyErr_NoMemory();
    return 0;
  }
  for (Py_ssize_t i = 0; i < d->n; i++) spread[i / n * all + at[i % n]] += d->data[i];
  int of = cps_sens_weigh(sens, -1, spread, (long)rows, &err);
  PyMem_Free(spread);
  if (of < 0) core_raise(state, &err);
  return of >= 0;
}

/* Times, columns [rows, n] and, of a run without weights, their derivatives [rows, n, wrt]; with weights the gradient [wrt]. */
static PyObject *rows_of(core_state *state, const cps_sens *sens, const int *at, int n, int weighted) {
  const cps_result *r = cps_sens_result(sens);
  Py_ssize_t rows = cps_result_rows(r), wrt = cps_sens_parameters(sens);
  const Py_ssize_t shape[] = {rows, n, wrt};
  double *values = PyMem_Calloc((size_t)(rows * n) + 1, sizeof *values),
         *by = PyMem_Calloc((size_t)(weighted ? wrt : rows * n * wrt) + 1, sizeof *by);
  PyObject *times = NULL, *values_array = NULL, *by_array = NULL, *warnings = NULL, *done = NULL;
  for (Py_ssize_t k = 0; values && by && k < n; k++) {
    const double *data = cps_result_data(r, at[k]);
    for (Py_ssize_t i = 0; i < rows; i++) values[i * n + k] = data[i];
    for (Py_ssize_t j = 0; !weighted && j < wrt; j++) {
      const double *history = cps_sens_history(sens, at[k], (int)j);
      for (Py_ssize_t i = 0; history && i < rows; i++) by[(i * n + k) * wrt + j] = history[i];
    }
  }
  for (Py_ssize_t j = 0; by && weighted && j < wrt; j++) by[j] = cps_sens_gradient(sens, 0, (int)j);
  if (values && by) {
    times = core_array_new(state, NULL, cps_result_data(r, 0), 1, &rows);
    values_array = core_array_new(state, NULL, values, 2, shape);
    by_array = weighted ? core_array_new(state, NULL, by, 1, &wrt)
                        : core_array_new(state, NULL, by, 3, shape);
    warnings = warnings_of(sens);
  } else {
    PyErr_NoMemory();
  }
  if (times && values_array && by_array && warnings)
    done = Py_BuildValue("OOOO", times, values_array, by_array, warnings);
  Py_XDECREF(times);
  Py_XDECREF(values_array);
  Py_XDECREF(by_array);
  Py_XDECREF(warnings);
  PyMem_Free(values);
  PyMem_Free(by);
  return done;
}

/* rows(scenario, wrt, columns, times or None, weights or None, progress): (times, columns, derivatives, [warning]); with weights by the
 * adjoint, without by the forward method. */
PyObject *core_rows(PyObject *module, PyObject *args) {
  core_state *state = core_state_of(module);
  PyObject *scenario, *wrt, *columns, *from[2], *call, *done = NULL;
  int n_wrt, n, *at = NULL;
  core_doubles times = {.n = 0}, weights = {.n = 0};
  cps_error err = {0};
  cps_sens *sens = NULL;
  if (!PyArg_ParseTuple(args, "O!OOOOO", state->scenario, &scenario, &wrt, &columns, &from[0], &from[1],
                        &call))
    return NULL;
  int weighted = from[1] != Py_None;
  const char **paths = core_texts(wrt, &n_wrt), **names = paths ? core_texts(columns, &n) : NULL;
  if (!names || (from[0] != Py_None && !core_doubles_get(from[0], 0, &times)) ||
      (weighted && !core_doubles_get(from[1], 0, &weights)))
    goto out;
  sens = cps_sens_new(core_scenario_get(scenario), paths, n_wrt, NULL, 0, &err);
  if (!sens || (times.data && cps_sens_at(sens, times.data, (long)times.n, &err) != CPS_OK)) {
    core_raise(state, &err);
    goto out;
  }
  if (!(at = find_columns(cps_sens_result(sens), names, n))) goto out;
  if (weighted && !weigh(state, sens, &weights, at, n)) goto out;
  if (run(state, sens, weighted ? CPS_SENS_ADJOINT : CPS_SENS_FORWARD, scenario, call))
    done = rows_of(state, sens, at, n, weighted);
out:
  cps_sens_free(sens);
  PyMem_Free(at);
  core_doubles_release(&times);
  core_doubles_release(&weights);
  PyMem_Free((void *)paths);
  PyMem_Free((void *)names);
  return done;
}
