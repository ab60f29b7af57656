/* own_law.c - friction laws of users: a C function by its address (numba's cfunc, ctypes), or a Python callable.
 *
 * Both fill a block of 1 + n_states rows, one for the force and one for the rate of each state, of 4 + n_states + n_params numbers:
 * value, then derivatives by v, n, f_eq, each state and each parameter.
 */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void (*own_function)(const double *p, const double *x, const double *z, double *rows);

typedef struct own_law_data {
  cps_law law;
  own_function function; /* or */
  PyObject *call;        /* call(p, x, z, rows) with memoryviews of float64 */
  PyObject *texts;       /* keeps the texts of the descriptor alive */
  cps_param params[CPS_MAX_PARAMS];
  cps_state states[CPS_MAX_STATES];
  double stick, peak, velocity;       /* factors of the normal force, and a speed: numbers, or */
  int stick_at, peak_at, velocity_at; /* indices of the parameters that they are; -1: numbers */
  _Atomic(PyObject *) pending;        /* the first exception of `call` since the last caller that looked */
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

static void call_python(own_law_data *o, double *p, double *x, double *z, double *rows, int size) {
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!o->pending) {
    int k = o->law.n_states;
    PyObject *p_view = PyMemoryView_FromMemory((char *)p, (Py_ssize_t)(sizeof *p) * o->law.n_params,
                                               PyBUF_READ);
    PyObject *x_view = PyMemoryView_FromMemory((char *)x, 3 * (Py_ssize_t)sizeof *x, PyBUF_READ);
    PyObject *z_view = PyMemoryView_FromMemory((char *)(z ? z : x), (Py_ssize_t)(sizeof *x) * k, PyBUF_READ);
    PyObject *r_view = PyMemoryView_FromMemory((char *)rows, (Py_ssize_t)(sizeof *rows) * size, PyBUF_WRITE);
    PyObject *done = p_view && x_view && z_view && r_view
                         ? PyObject_CallFunctionObjArgs(o->call, p_view, x_view, z_view, r_view, NULL)
                         : NULL;
    Py_XDECREF(p_view);
    Py_XDECREF(x_view);
    Py_XDECREF(z_view);
    Py_XDECREF(r_view);
    if (!done) keep_raised(o);
    Py_XDECREF(done);
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
    call_python(o, (double *)p, x, (double *)in->z, rows, size);
  for (int i = 0; i < size;
       i++) /* a solver must not meet what no number is: the run fails by its balance instead */
    if (!isfinite(rows[i])) rows[i] = 0;
  out->f = rows[0];
  for (int i = 0; i < law->n_states; i++) out->z_t[i] = rows[(1 + i) * width];
  if (!jac) return;
  partials(law, rows, &jac->f);
  for (int i = 0; i < law->n_states; i++) partials(law, rows + (1 + i) * width, &jac->z_t[i]);
}

static double number(double value, int at, const double *p) { return at >= 0 ? p[at] : value; }

static void own_scale(const cps_law *law, const double *p, double n, cps_law_scale *scale) {
  const own_law_data *o = law->data;
  scale->f_stick = n * number(o->stick, o->stick_at, p);
  scale->f_peak = n * number(o->peak, o->peak_at, p);
  scale->v_scale = number(o->velocity, o->velocity_at, p);
  scale->v_band = law->traits & CPS_NEEDS_FEQ ? scale->v_scale : 0;
  for (int i = 0; i < law->n_states; i++) scale->z[i] = 1;
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

/* make(texts, traits, params, states, scale, address, call): texts = (name, title, equation, citation); params = ((name, unit,
 * meaning, value, min, max), ...); states = ((name, unit, meaning, parity), ...); scale = (stick, at, peak, at, velocity, at). */
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
  if (n_params > CPS_MAX_PARAMS || n_states > CPS_MAX_STATES)
    return PyErr_Format(PyExc_ValueError, "a law has at most %d parameters and %d states", CPS_MAX_PARAMS,
                        CPS_MAX_STATES);
  PyObject *self = core_object_new(state->own_law);
  if (!self) return NULL;
  own_law_data *o = core_data(self);
  o->texts = Py_BuildValue("OOO", texts, params, states);
  o->function = (own_function)(uintptr_t)address;
  o->call = call == Py_None ? NULL : Py_NewRef(call);
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
  for (Py_ssize_t i = 0; i < n_params && !PyErr_Occurred(); i++) {
    cps_param *q = &o->params[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(params, i), "sssddd", &q->name, &q->unit, &q->meaning, &q->value,
                          &q->min, &q->max))
      break;
  }
  for (Py_ssize_t i = 0; i < n_states && !PyErr_Occurred(); i++) {
    cps_state *q = &o->states[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(states, i), "sssi", &q->name, &q->unit, &q->meaning, &q->parity))
      break;
  }
  cps_error err = {0};
  if (!PyErr_Occurred() && cps_law_validate(&o->law, &err) != CPS_OK) core_raise(state, &err);
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
    int is = PyObject_TypeCheck(item, state->law);
    if (!is) PyErr_SetString(PyExc_TypeError, "a list of laws is needed");
    if (is && cps_laws_add(*laws, core_law_get(item), &err) != CPS_OK) core_raise(state, &err);
    if (!PyErr_Occurred()) continue;
    cps_laws_free(*laws);
    *laws = NULL;
    return 0;
  }
  return 1;
}

int core_own_law_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"make", own_make, METH_VARARGS | METH_CLASS, NULL}, {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, own_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.OwnLaw", CORE_SIZE(own_law_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->own_law, &spec);
}
