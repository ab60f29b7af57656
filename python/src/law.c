/* law.c - laws of friction and of normal contact: what they are, and their evaluation over arrays. */
#include "core.h"

typedef struct law_data {
  const cps_law *law; /* or */
  const cps_normal *normal;
  PyObject *keeper; /* of a law that is not built in; NULL */
} law_data;

static PyObject *law_new(PyTypeObject *type, law_data data) {
  PyObject *self = core_object_new(type);
  if (!self) return NULL;
  Py_XINCREF(data.keeper);
  *(law_data *)core_data(self) = data;
  return self;
}

PyObject *core_law_new(core_state *state, const cps_law *law, PyObject *keeper) {
  return law_new(state->law, (law_data){.law = law, .keeper = keeper});
}

PyObject *core_normal_new(core_state *state, const cps_normal *law, PyObject *keeper) {
  return law_new(state->normal, (law_data){.normal = law, .keeper = keeper});
}

const cps_law *core_law_get(PyObject *self) { return ((law_data *)core_data(self))->law; }
const cps_normal *core_normal_get(PyObject *self) { return ((law_data *)core_data(self))->normal; }
PyObject *core_law_keeper(PyObject *self) { return ((law_data *)core_data(self))->keeper; }

static void law_free(PyObject *self) {
  Py_XDECREF(((law_data *)core_data(self))->keeper);
  core_object_free(self);
}

/* [{name, unit, value, min, max, meaning}] */
static PyObject *describe_params(const cps_param *all, int n) {
  PyObject *params = PyList_New(0);
  for (int i = 0; params && i < n; i++) {
    const cps_param *p = &all[i];
    PyObject *d = Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:s}", "name", p->name, "unit", p->unit, "value",
                                p->value, "min", p->min, "max", p->max, "meaning", p->meaning);
    if (!d || PyList_Append(params, d) < 0) Py_CLEAR(params);
    Py_XDECREF(d);
  }
  return params;
}

/* Everything that describes a law, as a dict. */
static PyObject *law_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  const cps_law *l = core_law_get(self);
  PyObject *params = describe_params(l->params, l->n_params), *states = PyList_New(0);
  for (int i = 0; states && i < l->n_states; i++) {
    const cps_state *z = &l->states[i];
    PyObject *d = Py_BuildValue("{s:s,s:s,s:i,s:s}", "name", z->name, "unit", z->unit, "parity", z->parity,
                                "meaning", z->meaning);
    if (!d || PyList_Append(states, d) < 0) Py_CLEAR(states);
    Py_XDECREF(d);
  }
  if (!params || !states) {
    Py_XDECREF(params);
    Py_XDECREF(states);
    return NULL;
  }
  return Py_BuildValue("{s:s,s:z,s:s,s:s,s:s,s:s,s:z,s:I,s:N,s:N,s:i}", "name", l->name, "aliases",
                       l->aliases, "family", l->family, "title", l->title, "equation", l->equation,
                       "citation", l->citation, "note", l->note, "traits", l->traits, "params", params,
                       "states", states, "modes", l->n_modes);
}

enum { CTRL_C_EVERY = 1 << 18 }; /* evaluations between two looks for it */

static double at(const core_doubles *d, Py_ssize_t i) { return d->data[d->n == 1 ? 0 : i]; }

static double *write_partials(double *row, const cps_law *l, const cps_partials *x) {
  *row++ = x->v;
  *row++ = x->n;
  *row++ = x->f_eq;
  for (int i = 0; i < l->n_states; i++) *row++ = x->z[i];
  for (int i = 0; i < l->n_params; i++) *row++ = x->p[i];
  return row;
}

/* eval(params, v, n, f_eq, z, f, z_t, jac): arrays of the same length, or of length 1. jac is None or [n, 1 + states, 3 + states +
 * params]: of the force, and of the rate of each state, by v, n, f_eq, states and parameters. */
static PyObject *law_eval(PyObject *self, PyObject *args) {
  const cps_law *l = core_law_get(self);
  PyObject *from[8];
  core_doubles d[8] = {{.n = 0}};
  if (!PyArg_ParseTuple(args, "OOOOOOOO", &from[0], &from[1], &from[2], &from[3], &from[4], &from[5],
                        &from[6], &from[7]))
    return NULL;
  PyObject *done = NULL;
  int got = 0;
  for (; got < 8; got++) {
    if (from[got] == Py_None) continue;
    if (!core_doubles_get(from[got], got >= 5, &d[got])) goto out;
  }
  Py_ssize_t n = d[5].n, states = l->n_states, width = (1 + states) * (3 + states + l->n_params);
  cps_error err = {0};
  if (d[0].n != l->n_params || (states && d[4].n != states * n) || (states && d[6].n != states * n) ||
      (d[7].data && d[7].n != width * n)) {
    PyErr_Format(PyExc_ValueError, "%s has %d parameters and %d states: arrays of other lengths were given",
                 l->name, l->n_params, l->n_states);
    goto out;
  }
  for (int k = 1; k < 4; k++) {
    if (d[k].n == 1 || d[k].n == n) continue;
    PyErr_SetString(PyExc_ValueError, "arrays must have the same length, or be single numbers");
    goto out;
  }
  if (cps_law_check(l, d[0].data, &err) != CPS_OK) {
    core_raise(core_state_from(self), &err);
    goto out;
  }
  double *f = (double *)d[5].data, *z_t = (double *)d[6].data, *jac = (double *)d[7].data;
  int stop = 0;
  Py_BEGIN_ALLOW_THREADS;
  cps_law_output out;
  cps_law_jacobian j;
  for (Py_ssize_t i = 0; i < n && !stop; i++) {
    if (i % CTRL_C_EVERY == CTRL_C_EVERY - 1) {
      Py_BLOCK_THREADS;
      stop = PyErr_CheckSignals() < 0;
      Py_UNBLOCK_THREADS;
    }
    cps_law_input in = {at(&d[1], i), at(&d[2], i), at(&d[3], i), states ? d[4].data + i * states : NULL,
                        CPS_MODE_FREE};
    cps_law_eval(l, d[0].data, &in, &out, jac ? &j : NULL);
    f[i] = out.f;
    for (Py_ssize_t k = 0; k < states; k++) z_t[i * states + k] = out.z_t[k];
    if (!jac) continue;
    double *row = write_partials(jac + width * i, l, &j.f);
    for (Py_ssize_t k = 0; k < states; k++) row = write_partials(row, l, &j.z_t[k]);
  }
  Py_END_ALLOW_THREADS;
  done = stop || core_own_raised(core_law_keeper(self)) ? NULL : Py_NewRef(Py_None);
out:
  for (int k = 0; k < 8; k++) core_doubles_release(&d[k]);
  return done;
}

/* scales(params, n): (f_stick, f_peak, v_band, v_scale, (bounds of the states)) */
static PyObject *law_scales(PyObject *self, PyObject *args) {
  const cps_law *l = core_law_get(self);
  PyObject *from;
  double n;
  core_doubles p;
  cps_law_scale s = {0};
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "Od", &from, &n) || !core_doubles_get(from, 0, &p)) return NULL;
  int fits = p.n == l->n_params, good = fits && cps_law_check(l, p.data, &err) == CPS_OK;
  if (good) cps_law_scales(l, p.data, n, &s);
  core_doubles_release(&p);
  if (!fits) return PyErr_Format(PyExc_ValueError, "%s has %d parameters", l->name, l->n_params);
  if (!good) return core_raise(core_state_from(self), &err);
  PyObject *bounds = PyTuple_New(l->n_states);
  for (int i = 0; bounds && i < l->n_states; i++) {
    PyObject *bound = PyFloat_FromDouble(s.z[i]);
    if (!bound || PyTuple_SetItem(bounds, i, bound) < 0) Py_CLEAR(bounds);
  }
  return bounds ? Py_BuildValue("ddddN", s.f_stick, s.f_peak, s.v_band, s.v_scale, bounds) : NULL;
}

static PyObject *law_find(PyObject *type, PyObject *arg) {
  const char *name = core_text(arg);
  if (!name) return NULL;
  const cps_law *law = cps_law_find(name);
  if (!law) {
    PyErr_Format(PyExc_KeyError, "no friction law is called \"%s\"; did you mean \"%s\"?", name,
                 cps_law_nearest(name)->name);
    return NULL;
  }
  return core_law_new(PyModule_GetState(PyType_GetModule((PyTypeObject *)type)), law, NULL);
}

static PyObject *law_names(PyObject *type, PyObject *unused) {
  (void)type, (void)unused;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < cps_law_count(); i++) {
    PyObject *name = PyUnicode_FromString(cps_law_at(i)->name);
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

int core_law_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {
      {"describe", law_describe, METH_NOARGS, NULL},        {"eval", law_eval, METH_VARARGS, NULL},
      {"scales", law_scales, METH_VARARGS, NULL},           {"find", law_find, METH_O | METH_CLASS, NULL},
      {"names", law_names, METH_NOARGS | METH_CLASS, NULL}, {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, law_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Law", CORE_SIZE(law_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->law, &spec);
}

/* ------------------------------------------------------------------ normal contact */

static PyObject *normal_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  const cps_normal *l = core_normal_get(self);
  PyObject *params = describe_params(l->params, l->n_params);
  return params ? Py_BuildValue("{s:s,s:z,s:s,s:s,s:s,s:z,s:N}", "name", l->name, "aliases", l->aliases,
                                "title", l->title, "equation", l->equation, "citation", l->citation, "note",
                                l->note, "params", params)
                : NULL;
}

/* eval(params, depth, rate, n, jac): arrays of the same length, or of length 1. jac is None or [n, 2 + params]: of the force by depth,
 * rate and parameters. */
static PyObject *normal_eval(PyObject *self, PyObject *args) {
  const cps_normal *l = core_normal_get(self);
  PyObject *from[5], *done = NULL;
  core_doubles d[5] = {{.n = 0}};
  if (!PyArg_ParseTuple(args, "OOOOO", &from[0], &from[1], &from[2], &from[3], &from[4])) return NULL;
  for (int k = 0; k < 5; k++)
    if (from[k] != Py_None && !core_doubles_get(from[k], k >= 3, &d[k])) goto out;
  Py_ssize_t n = d[3].n, width = 2 + l->n_params;
  if (d[0].n != l->n_params || (d[1].n != 1 && d[1].n != n) || (d[2].n != 1 && d[2].n != n) ||
      (d[4].data && d[4].n != width * n)) {
    PyErr_Format(PyExc_ValueError, "%s has %d parameters: arrays of other lengths were given", l->name,
                 l->n_params);
    goto out;
  }
  for (int i = 0; i < l->n_params; i++) {
    const cps_param *q = &l->params[i];
    if (d[0].data[i] >= q->min && d[0].data[i] <= q->max) continue;
    PyErr_Format(PyExc_ValueError, "%s: %s is out of its range", l->name, q->name);
    goto out;
  }
  double *force = (double *)d[3].data, *jac = (double *)d[4].data;
  int stop = 0;
  Py_BEGIN_ALLOW_THREADS;
  for (Py_ssize_t i = 0; i < n && !stop; i++) {
    if (i % CTRL_C_EVERY == CTRL_C_EVERY - 1) {
      Py_BLOCK_THREADS;
      stop = PyErr_CheckSignals() < 0;
      Py_UNBLOCK_THREADS;
    }
    cps_normal_output out;
    cps_normal_eval(l, d[0].data, at(&d[1], i), at(&d[2], i), &out);
    force[i] = out.n;
    if (!jac) continue;
    double *row = jac + width * i;
    *row++ = out.depth;
    *row++ = out.rate;
    for (int k = 0; k < l->n_params; k++) *row++ = out.p[k];
  }
  Py_END_ALLOW_THREADS;
  done = stop || core_own_raised(core_law_keeper(self)) ? NULL : Py_NewRef(Py_None);
out:
  for (int k = 0; k < 5; k++) core_doubles_release(&d[k]);
  return done;
}

static PyObject *normal_find(PyObject *type, PyObject *arg) {
  const char *name = core_text(arg);
  if (!name) return NULL;
  const cps_normal *law = cps_normal_find(name);
  if (law) return core_normal_new(PyModule_GetState(PyType_GetModule((PyTypeObject *)type)), law, NULL);
  return PyErr_Format(PyExc_KeyError, "no law of normal contact is called \"%s\"", name);
}

static PyObject *normal_names(PyObject *type, PyObject *unused) {
  (void)type, (void)unused;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < cps_normal_count(); i++) {
    PyObject *name = PyUnicode_FromString(cps_normal_at(i)->name);
    if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

int core_normal_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"describe", normal_describe, METH_NOARGS, NULL},
                                  {"eval", normal_eval, METH_VARARGS, NULL},
                                  {"find", normal_find, METH_O | METH_CLASS, NULL},
                                  {"names", normal_names, METH_NOARGS | METH_CLASS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, law_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Normal", CORE_SIZE(law_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->normal, &spec);
}
