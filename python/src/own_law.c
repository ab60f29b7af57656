/* own_law.c - laws of users, of friction and of normal contact: a C function by its address (numba's cfunc, ctypes), or a Python
 * callable.
 *
 * Those of friction fill a block of 1 + n_states rows, one for the force and one for the rate of each state, of 4 + n_states + n_params
 * numbers: value, then derivatives by v, n, f_eq, each state and each parameter. Those of normal contact fill one row: the force,
 * then its derivatives by depth, rate and each parameter. What is not finite becomes an exception of the call that met it.
 */
#include "core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*own_function)(const double *p, const double *x, const double *z, double *rows);

typedef struct own_law_data {
  cps_law law; /* or */
  cps_normal normal;
  own_function function; /* or */
  PyObject *call;        /* call(p, x, z, rows): bytes of float64, of which the last can be changed */
  PyObject *texts;       /* keeps the texts of the descriptor alive */
  cps_param params[CPS_MAX_PARAMS];
  cps_state states[CPS_MAX_STATES];
  double stick, peak, velocity;       /* factors of the normal force, and a speed: numbers, or */
  int stick_at, peak_at, velocity_at; /* indices of the parameters that they are; -1: numbers */
  double bounds[CPS_MAX_STATES];      /* of the states, and the same */
  int bounds_at[CPS_MAX_STATES];
  _Atomic(PyObject *) pending; /* the first exception of `call` since the last caller that looked */
} own_law_data;

int core_own_pending(PyObject *own) { return own && ((own_law_data *)core_data(own))->pending != NULL; }

int core_own_raised(PyObject *own) {
  PyObject *value = own ? atomic_exchange(&((own_law_data *)core_data(own))->pending, NULL) : NULL;
  if (value) PyErr_SetObject((PyObject *)Py_TYPE(value), value);
  Py_XDECREF(value);
  return PyErr_Occurred() != NULL;
}

/* Calls a function for each law of a scenario, until it answers other than 0: that answer. */
static int each_law(PyObject *scenario, int (*call)(PyObject *)) {
  PyObject *laws = scenario ? core_scenario_laws(scenario) : NULL;
  int answer = 0;
  for (Py_ssize_t i = 0; laws && !answer && i < PyTuple_Size(laws); i++)
    answer = call(core_law_keeper(PyTuple_GetItem(laws, i)));
  return answer;
}

int core_pending(PyObject *scenario) { return each_law(scenario, core_own_pending); }

int core_raised(PyObject *scenario) {
  if (core_pending(scenario)) PyErr_Clear(); /* what follows from it */
  return each_law(scenario, core_own_raised) || PyErr_Occurred() != NULL;
}

/* Keeps the exception that was raised, unless there is one already. */
static void keep_raised(own_law_data *o) {
  PyObject *type, *value, *trace, *none = NULL;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace) PyException_SetTraceback(value, trace);
  if (value && atomic_compare_exchange_strong(&o->pending, &none, value)) value = NULL;
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

/* Numbers as an object that has them to itself: whoever keeps it, as a traceback does, does not look at a stack that is gone. */
static PyObject *numbers(const double *data, int n) {
  return PyBytes_FromStringAndSize((const char *)data, data ? (Py_ssize_t)(sizeof *data) * n : 0);
}

static void call_python(own_law_data *o, const double *p, int n_params, const double *x, int n_x,
                        const double *z, int n_z, double *rows, int size) {
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!o->pending) {
    Py_ssize_t bytes = (Py_ssize_t)(sizeof *rows) * size;
    PyObject *given[] = {numbers(p, n_params), numbers(x, n_x), numbers(z, n_z)};
    PyObject *filled = PyByteArray_FromStringAndSize((const char *)rows, bytes);
    PyObject *done = given[0] && given[1] && given[2] && filled
                         ? PyObject_CallFunctionObjArgs(o->call, given[0], given[1], given[2], filled, NULL)
                         : NULL;
    if (!done)
      keep_raised(o);
    else if (PyByteArray_Size(filled) == bytes)
      memcpy(rows, PyByteArray_AsString(filled), (size_t)bytes);
    for (int i = 0; i < 3; i++) Py_XDECREF(given[i]);
    Py_XDECREF(filled);
    Py_XDECREF(done);
  }
  PyGILState_Release(gil);
}

/* Solvers must not meet what no number is: it becomes zero, and an exception that ends the call. */
static void refuse_infinite(own_law_data *o, const char *name, const char *what, const double *x, int n_x,
                            double *rows, int size, int every) {
  int bad = 0;
  for (int i = 0; i < size; i++) {
    if (isfinite(rows[i])) continue;
    bad |= i % every == 0;
    rows[i] = 0;
  }
  if (!bad) return;
  char place[3][CPS_NUMBER_TEXT] = {"", "", ""};
  for (int i = 0; i < n_x; i++) cps_number_shortest(place[i], sizeof place[i], x[i]);
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!o->pending) {
    PyErr_Format(PyExc_ValueError,
                 "law %s: its force, or a derivative of it, is not finite at %s = %s%s%s%s%s", name, what,
                 place[0], n_x > 1 ? ", " : "", place[1], n_x > 2 ? ", " : "", place[2]);
    keep_raised(o);
  }
  PyGILState_Release(gil);
}

static void partials(const cps_law *law, const double *row, cps_partials *x) {
  x->v = row[1];
  x->n = row[2];
  x->f_eq = row[3];
  for (int i = 0; i < law->n_states; i++) x->z[i] = row[4 + i];
  for (int i = 0; i < law->n_params; i++) x->p[i] = row[4 + law->n_states + i];
}

static void own_eval(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                     cps_law_jacobian *jac) {
  own_law_data *o = (own_law_data *)law->data;
  enum { WIDTH = 4 + CPS_MAX_STATES + CPS_MAX_PARAMS };
  double rows[(1 + CPS_MAX_STATES) * WIDTH] = {0}, x[3] = {in->v, in->n, in->f_eq};
  int width = 4 + law->n_states + law->n_params, size = (1 + law->n_states) * width;
  if (o->function)
    o->function(p, x, in->z, rows);
  else
    call_python(o, p, law->n_params, x, 3, in->z, law->n_states, rows, size);
  refuse_infinite(o, law->name, "v, n, f_eq", x, 3, rows, size, jac ? 1 : width);
  out->f = rows[0];
  for (int i = 0; i < law->n_states; i++) out->z_t[i] = rows[(1 + i) * width];
  if (!jac) return;
  partials(law, rows, &jac->f);
  for (int i = 0; i < law->n_states; i++) partials(law, rows + (1 + i) * width, &jac->z_t[i]);
}

static void own_press(const cps_normal *law, const double *p, double depth, double rate,
                      cps_normal_output *out) {
  own_law_data *o = (own_law_data *)law->data;
  double row[3 + CPS_MAX_PARAMS] = {0}, x[2] = {depth, rate};
  if (o->function)
    o->function(p, x, NULL, row);
  else
    call_python(o, p, law->n_params, x, 2, NULL, 0, row, 3 + law->n_params);
  refuse_infinite(o, law->name, "depth, rate", x, 2, row, 3 + law->n_params, 1);
  out->n = row[0];
  out->depth = row[1];
  out->rate = row[2];
  memcpy(out->p, row + 3, (size_t)law->n_params * sizeof *row);
}

static double number(double value, int at, const double *p) { return at >= 0 ? p[at] : value; }

static void own_scale(const cps_law *law, const double *p, double n, cps_law_scale *scale) {
  const own_law_data *o = law->data;
  scale->f_stick = n * number(o->stick, o->stick_at, p);
  scale->f_peak = n * number(o->peak, o->peak_at, p);
  scale->v_scale = number(o->velocity, o->velocity_at, p);
  scale->v_band = law->traits & CPS_NEEDS_FEQ ? scale->v_scale : 0;
  for (int i = 0; i < law->n_states; i++) scale->z[i] = number(o->bounds[i], o->bounds_at[i], p);
}

static void own_free(PyObject *self) {
  own_law_data *o = core_data(self);
  Py_XDECREF(o->call);
  Py_XDECREF(o->texts);
  Py_XDECREF(o->pending);
  core_object_free(self);
}

/* The text at a place of a tuple, which outlives its use. */
static const char *text_at(PyObject *tuple, Py_ssize_t i) {
  PyObject *item = PyTuple_GetItem(tuple, i);
  return item ? core_text(item) : NULL;
}

/* An object with a function, and parameters ((name, unit, meaning, value, min, max), ...); NULL with an exception. */
static PyObject *own_new(core_state *state, PyObject *texts, PyObject *params, PyObject *states,
                         unsigned long long address, PyObject *call) {
  if (PyTuple_Size(params) > CPS_MAX_PARAMS || PyTuple_Size(states) > CPS_MAX_STATES)
    return PyErr_Format(PyExc_ValueError, "a law has at most %d parameters and %d states", CPS_MAX_PARAMS,
                        CPS_MAX_STATES);
  if (!address && call == Py_None) return PyErr_Format(PyExc_ValueError, "a law is a function");
  PyObject *self = core_object_new(state->own_law);
  if (!self) return NULL;
  own_law_data *o = core_data(self);
  o->texts = Py_BuildValue("OOO", texts, params, states);
  o->function = (own_function)(uintptr_t)address;
  o->call = call == Py_None ? NULL : Py_NewRef(call);
  for (Py_ssize_t i = 0; i < PyTuple_Size(params); i++) {
    cps_param *q = &o->params[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(params, i), "sssddd", &q->name, &q->unit, &q->meaning, &q->value,
                          &q->min, &q->max))
      break;
  }
  if (!PyErr_Occurred()) return self;
  Py_DECREF(self);
  return NULL;
}

/* make_normal(texts, params, address, call): as make. */
static PyObject *own_make_normal(PyObject *type, PyObject *args) {
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  PyObject *texts, *params, *call, *none = PyTuple_New(0);
  unsigned long long address;
  PyObject *self = none && PyArg_ParseTuple(args, "O!O!KO", &PyTuple_Type, &texts, &PyTuple_Type, &params,
                                            &address, &call)
                       ? own_new(state, texts, params, none, address, call)
                       : NULL;
  Py_XDECREF(none);
  if (!self) return NULL;
  own_law_data *o = core_data(self);
  o->normal = (cps_normal){.name = text_at(texts, 0),
                           .title = text_at(texts, 1),
                           .equation = text_at(texts, 2),
                           .citation = text_at(texts, 3),
                           .n_params = (int)PyTuple_Size(params),
                           .params = o->params,
                           .eval = own_press,
                           .data = o};
  cps_error err = {0};
  int good = PyErr_Occurred() || cps_normal_validate(&o->normal, &err) == CPS_OK;
  if (!core_own_raised(self) && !good) core_raise(state, &err);
  PyObject *made = PyErr_Occurred() ? NULL : core_normal_new(state, &o->normal, self);
  Py_DECREF(self);
  return made;
}

/* make(texts, traits, params, states, scale, address, call): texts = (name, title, equation, citation); params = ((name, unit,
 * meaning, value, min, max), ...); states = ((name, unit, meaning, parity, bound, at), ...); scale = (stick, at, peak, at, velocity, at). */
static PyObject *own_make(PyObject *type, PyObject *args) {
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  PyObject *texts, *params, *states, *call;
  unsigned long long address;
  unsigned int traits;
  double scale[3];
  int at[3];
  if (!PyArg_ParseTuple(args, "O!IO!O!(dididi)KO", &PyTuple_Type, &texts, &traits, &PyTuple_Type, &params,
                        &PyTuple_Type, &states, &scale[0], &at[0], &scale[1], &at[1], &scale[2], &at[2],
                        &address, &call))
    return NULL;
  Py_ssize_t n_params = PyTuple_Size(params), n_states = PyTuple_Size(states);
  PyObject *self = own_new(state, texts, params, states, address, call);
  if (!self) return NULL;
  own_law_data *o = core_data(self);
  o->stick = scale[0], o->peak = scale[1], o->velocity = scale[2];
  o->stick_at = at[0], o->peak_at = at[1], o->velocity_at = at[2];
  o->law = (cps_law){.name = text_at(texts, 0),
                     .family = "own",
                     .title = text_at(texts, 1),
                     .equation = text_at(texts, 2),
                     .citation = text_at(texts, 3),
                     .traits = traits,
                     .n_params = (int)n_params,
                     .params = o->params,
                     .n_states = (int)n_states,
                     .states = n_states ? o->states : NULL,
                     .eval = own_eval,
                     .scale = own_scale,
                     .data = o};
  for (Py_ssize_t i = 0; i < n_states && !PyErr_Occurred(); i++) {
    cps_state *q = &o->states[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(states, i), "sssidi", &q->name, &q->unit, &q->meaning, &q->parity,
                          &o->bounds[i], &o->bounds_at[i]))
      break;
  }
  cps_error err = {0};
  int good = PyErr_Occurred() || cps_law_validate(&o->law, &err) == CPS_OK;
  if (!core_own_raised(self) && !good) core_raise(state, &err);
  PyObject *made = PyErr_Occurred() ? NULL : core_law_new(state, &o->law, self);
  Py_DECREF(self);
  return made;
}

int core_laws_of(core_state *state, PyObject *list, cps_laws **laws) {
  cps_error err = {0};
  *laws = NULL;
  Py_ssize_t n = PyTuple_Size(list);
  if (n <= 0) return n == 0;
  if (!(*laws = cps_laws_new())) {
    PyErr_NoMemory();
    return 0;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PyTuple_GetItem(list, i);
    cps_status added = CPS_OK;
    if (PyObject_TypeCheck(item, state->law))
      added = cps_laws_add(*laws, core_law_get(item), &err);
    else if (PyObject_TypeCheck(item, state->normal))
      added = cps_laws_add_normal(*laws, core_normal_get(item), &err);
    else
      PyErr_SetString(PyExc_TypeError, "a list of laws is needed");
    if (!core_own_raised(PyErr_Occurred() ? NULL : core_law_keeper(item)) && added != CPS_OK)
      core_raise(state, &err);
    if (!PyErr_Occurred()) continue;
    cps_laws_free(*laws);
    *laws = NULL;
    return 0;
  }
  return 1;
}

int core_own_law_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"make", own_make, METH_VARARGS | METH_CLASS, NULL},
                                  {"make_normal", own_make_normal, METH_VARARGS | METH_CLASS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, own_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.OwnLaw", CORE_SIZE(own_law_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->own_law, &spec);
}
