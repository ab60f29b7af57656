/* search.c - fits of parameters to measurements, and optimisation. */
#include "core.h"

typedef struct watcher {
  PyObject *call, *scenario;
  int n; /* parameters */
} watcher;

/* Calls progress(steps or runs, cost, values); nonzero stops. Answers Ctrl-C in the middle of a run, too. */
static int told(const watcher *w, int count, double cost, const double *values, const cps_progress *run) {
  if (run) return core_watch(run, &(core_watcher){NULL, w->scenario});
  PyGILState_STATE gil = PyGILState_Ensure();
  int stop = core_pending(w->scenario) || PyErr_Occurred() || PyErr_CheckSignals() < 0;
  if (!stop && w->call != Py_None) {
    PyObject *list = PyList_New(w->n);
    for (int i = 0; list && i < w->n; i++) PyList_SetItem(list, i, PyFloat_FromDouble(values[i]));
    PyObject *answer = list ? PyObject_CallFunction(w->call, "idO", count, cost, list) : NULL;
    stop = !answer || PyObject_IsTrue(answer) != 0;
    Py_XDECREF(answer);
    Py_XDECREF(list);
  }
  PyGILState_Release(gil);
  return stop;
}

static int fit_told(const cps_fit_progress *p, void *data) {
  return told(data, p->step, p->cost, p->values, p->run);
}

static int optimize_told(const cps_optimize_progress *p, void *data) {
  return told(data, p->runs, p->objective, p->values, p->run);
}

/* Appends and gives up the reference; -1 with an exception. */
static int add(PyObject *list, PyObject *item) {
  int failed = !item || PyList_Append(list, item) < 0;
  Py_XDECREF(item);
  return failed ? -1 : 0;
}

/* The texts that a function gives by index until it gives NULL. */
#define WARNINGS(list, function, object)                                                                     \
  for (int i = 0; (function)((object), i); i++)                                                              \
    if (add((list), PyUnicode_FromString((function)((object), i))) < 0) goto out

/* Sets of data: ((settings, ((column, times, values, sigma or None), ...)), ...) */
static int add_sets(core_state *state, cps_fit *fit, PyObject *sets) {
  cps_error err = {0};
  for (Py_ssize_t s = 0; s < PyTuple_Size(sets); s++) {
    PyObject *settings, *series;
    int n;
    if (!PyArg_ParseTuple(PyTuple_GetItem(sets, s), "OO!", &settings, &PyTuple_Type, &series)) return -1;
    const char **texts = core_texts(settings, &n);
    if (!texts) return -1;
    int set = cps_fit_add_set(fit, texts, n, &err);
    PyMem_Free((void *)texts);
    if (set < 0) {
      core_raise(state, &err);
      return -1;
    }
    for (Py_ssize_t k = 0; k < PyTuple_Size(series); k++) {
      const char *column;
      PyObject *from[3];
      core_doubles d[3] = {{.n = 0}};
      if (!PyArg_ParseTuple(PyTuple_GetItem(series, k), "sOOO", &column, &from[0], &from[1], &from[2]))
        return -1;
      int got = 0, ok = 1;
      for (; ok && got < 3; got++)
        if (from[got] != Py_None) ok = core_doubles_get(from[got], 0, &d[got]);
      if (ok && (d[1].n != d[0].n || (d[2].data && d[2].n != d[0].n))) {
        PyErr_Format(PyExc_ValueError, "%s: as many values as times are needed", column);
        ok = 0;
      }
      if (ok && cps_fit_add_series(fit, set, column, d[0].data, d[1].data, d[2].data, (long)d[0].n, &err) !=
                    CPS_OK) {
        core_raise(state, &err);
        ok = 0;
      }
      for (int i = 0; i < 3; i++) core_doubles_release(&d[i]);
      if (!ok) return -1;
    }
  }
  return 0;
}

static PyObject *fit_found(core_state *state, const cps_fit *fit, PyObject *like) {
  PyObject *parameters = PyList_New(0), *covariance = PyList_New(0), *series = PyList_New(0),
           *warnings = PyList_New(0), *done = NULL, *scenario = NULL;
  cps_error err = {0};
  int n = cps_fit_parameters(fit);
  if (!parameters || !covariance || !series || !warnings) goto out;
  for (int i = 0; i < n; i++) {
    cps_fit_parameter p;
    if (cps_fit_get(fit, i, &p) != CPS_OK) continue;
    if (add(parameters, Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:d,s:d}", "path", p.quantity.path, "unit",
                                      p.quantity.unit, "value", p.quantity.value, "start", p.start, "error",
                                      p.error, "low", p.low, "high", p.high)) < 0)
      goto out;
    for (int j = 0; j < n; j++)
      if (add(covariance, PyFloat_FromDouble(cps_fit_covariance(fit, i, j))) < 0) goto out;
  }
  for (int s = 0; s < cps_fit_sets(fit); s++)
    for (int k = 0; k < cps_fit_series_count(fit, s); k++) {
      cps_fit_series f;
      if (cps_fit_series_get(fit, s, k, &f) != CPS_OK) continue;
      if (add(series, Py_BuildValue("{s:i,s:s,s:s,s:l,s:d,s:d,s:d}", "set", s, "column", f.column, "unit",
                                    f.unit, "n", f.n, "rms_before", f.rms_before, "rms_after", f.rms_after,
                                    "sigma", f.sigma)) < 0)
        goto out;
    }
  WARNINGS(warnings, cps_fit_warning, fit);
  cps_scenario *s = cps_fit_scenario(fit, 0, 1, &err);
  if (!s) {
    core_raise(state, &err);
    goto out;
  }
  if (!(scenario = core_scenario_like(state, s, like))) goto out;
  done = Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:d,s:s,s:i,s:i,s:l}", "parameters", parameters, "covariance",
                       covariance, "series", series, "warnings", warnings, "scenario", scenario, "cost",
                       cps_fit_cost(fit, 1), "reason", cps_fit_reason(fit), "converged",
                       cps_fit_converged(fit), "steps", cps_fit_steps(fit), "runs", cps_fit_runs(fit));
out:
  Py_XDECREF(scenario);
  Py_XDECREF(parameters);
  Py_XDECREF(covariance);
  Py_XDECREF(series);
  Py_XDECREF(warnings);
  return done;
}

/* fit(scenario, wrt, bounds [n, 2], loss, steps, sets, progress) */
PyObject *core_fit(PyObject *module, PyObject *args) {
  core_state *state = core_state_of(module);
  PyObject *scenario, *wrt, *from, *sets, *call, *done = NULL;
  int loss, steps, n;
  core_doubles bounds = {.n = 0};
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "O!OOiiO!O", state->scenario, &scenario, &wrt, &from, &loss, &steps,
                        &PyTuple_Type, &sets, &call))
    return NULL;
  const char **paths = core_texts(wrt, &n);
  if (!paths) return NULL;
  cps_fit *fit = core_doubles_get(from, 0, &bounds) ? cps_fit_new(core_scenario_get(scenario), paths, n, &err)
                                                    : NULL;
  if (!fit) {
    if (!PyErr_Occurred()) core_raise(state, &err);
    goto out;
  }
  cps_status status = bounds.n == 2 * n ? CPS_OK : CPS_FAILED;
  if (status != CPS_OK) {
    PyErr_SetString(PyExc_ValueError, "two bounds for each parameter are needed");
    goto out;
  }
  for (int i = 0; i < n && status == CPS_OK; i++)
    status = cps_fit_bounds(fit, i, bounds.data[2 * i], bounds.data[2 * i + 1], &err);
  cps_fit_loss(fit, (cps_loss)loss);
  if (steps > 0) cps_fit_limit(fit, steps);
  if (status == CPS_OK && add_sets(state, fit, sets) < 0) goto out;
  watcher w = {call, scenario, n};
  if (status == CPS_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = cps_fit_run(fit, fit_told, &w, &err);
    Py_END_ALLOW_THREADS;
  }
  if (core_raised(scenario)) goto out;
  done = status == CPS_OK ? fit_found(state, fit, scenario) : core_raise(state, &err);
out:
  cps_fit_free(fit);
  core_doubles_release(&bounds);
  PyMem_Free((void *)paths);
  return done;
}

static PyObject *optimize_found(core_state *state, const cps_optimize *o, PyObject *like) {
  PyObject *parameters = PyList_New(0), *outputs = PyList_New(0), *warnings = PyList_New(0), *scenario = NULL,
           *done = NULL;
  cps_error err = {0};
  if (!parameters || !outputs || !warnings) goto out;
  for (int i = 0; i < cps_optimize_parameters(o); i++) {
    const cps_quantity *q = cps_optimize_parameter(o, i);
    if (add(parameters, Py_BuildValue("{s:s,s:s,s:d,s:d}", "path", q->path, "unit", q->unit, "value",
                                      cps_optimize_value(o, i, 1), "start", cps_optimize_value(o, i, 0))) < 0)
      goto out;
  }
  for (int i = 0; i < cps_optimize_outputs(o); i++)
    if (add(outputs, Py_BuildValue("{s:s,s:s,s:d,s:d}", "output", cps_optimize_output(o, i), "unit",
                                   cps_optimize_unit(o, i), "value", cps_optimize_result(o, i, 1), "start",
                                   cps_optimize_result(o, i, 0))) < 0)
      goto out;
  WARNINGS(warnings, cps_optimize_warning, o);
  cps_scenario *s = cps_optimize_scenario(o, 1, &err);
  if (!s) {
    core_raise(state, &err);
    goto out;
  }
  if (!(scenario = core_scenario_like(state, s, like))) goto out;
  done = Py_BuildValue("{s:O,s:O,s:O,s:O,s:s,s:i,s:i,s:d}", "parameters", parameters, "outputs", outputs,
                       "warnings", warnings, "scenario", scenario, "reason", cps_optimize_reason(o),
                       "converged", cps_optimize_converged(o), "runs", cps_optimize_runs(o), "violation",
                       cps_optimize_violation(o, 1));
out:
  Py_XDECREF(scenario);
  Py_XDECREF(parameters);
  Py_XDECREF(outputs);
  Py_XDECREF(warnings);
  return done;
}

/* optimize(scenario, wrt, bounds [n, 2], objective, limits, algorithm, runs, tolerance, progress); limits = ((output, least, most), ...) */
PyObject *core_optimize(PyObject *module, PyObject *args) {
  core_state *state = core_state_of(module);
  PyObject *scenario, *wrt, *from, *limits, *call, *done = NULL;
  const char *objective;
  int algorithm, runs, n;
  double tolerance;
  core_doubles bounds = {.n = 0};
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "O!OOsO!iidO", state->scenario, &scenario, &wrt, &from, &objective,
                        &PyTuple_Type, &limits, &algorithm, &runs, &tolerance, &call))
    return NULL;
  const char **paths = core_texts(wrt, &n);
  if (!paths) return NULL;
  cps_optimize *o = core_doubles_get(from, 0, &bounds)
                        ? cps_optimize_new(core_scenario_get(scenario), paths, n, objective, &err)
                        : NULL;
  if (!o) {
    if (!PyErr_Occurred()) core_raise(state, &err);
    goto out;
  }
  if (bounds.n != 2 * n) {
    PyErr_SetString(PyExc_ValueError, "two bounds for each parameter are needed");
    goto out;
  }
  cps_status status = CPS_OK;
  for (int i = 0; i < n && status == CPS_OK; i++)
    status = cps_optimize_bounds(o, i, bounds.data[2 * i], bounds.data[2 * i + 1], &err);
  for (Py_ssize_t i = 0; i < PyTuple_Size(limits) && status == CPS_OK; i++) {
    const char *output;
    double least, most;
    if (!PyArg_ParseTuple(PyTuple_GetItem(limits, i), "sdd", &output, &least, &most)) goto out;
    status = cps_optimize_limit(o, output, least, most, &err);
  }
  cps_optimize_algorithm(o, (cps_algorithm)algorithm);
  cps_optimize_effort(o, runs, tolerance);
  watcher w = {call, scenario, n};
  if (status == CPS_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = cps_optimize_run(o, optimize_told, &w, &err);
    Py_END_ALLOW_THREADS;
  }
  if (core_raised(scenario)) goto out;
  done = status == CPS_OK ? optimize_found(state, o, scenario) : core_raise(state, &err);
out:
  cps_optimize_free(o);
  core_doubles_release(&bounds);
  PyMem_Free((void *)paths);
  return done;
}
