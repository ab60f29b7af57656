/* law.c - friction laws: what they are, and their evaluation over arrays. */
#include "core.h"

#include <string.h>

typedef struct law_data {
  const cps_law *law;
  PyObject *keeper; /* of a law that is not built in; NULL */
} law_data;

PyObject *core_law_new(core_state *state, const cps_law *law, PyObject *keeper) {
  PyObject *self = core_object_new(state->law);
  if (!self) return NULL;
  law_data *o = core_data(self);
  o->law = law;
  o->keeper = Py_XNewRef(keeper);
  return self;
}

const cps_law *core_law_get(PyObject *self) { return ((law_data *)core_data(self))->law; }
PyObject *core_law_keeper(PyObject *self) { return ((law_data *)core_data(self))->keeper; }

static void law_free(PyObject *self) {
  Py_XDECREF(((law_data *)core_data(self))->keeper);
  core_object_free(self);
}

/* Everything that describes a law, as a dict. */
static PyObject *law_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  const cps_law *l = ((law_data *)core_data(self))->law;
  PyObject *params = PyList_New(0), *states = PyList_New(0);
  for (int i = 0; params && i < l->n_params; i++) {
    const cps_param *p = &l->params[i];
    PyObject *d = Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:s}", "name", p->name, "unit", p->unit, "value",
                                p->value, "min", p->min, "max", p->max, "meaning", p->meaning);
    if (!d || PyList_Append(params, d) < 0) Py_CLEAR(params);
    Py_XDECREF(d);
  }
  for (int i = 0; states && i < l->n_states; i++) {
    const cps_state *z = &l->states[i];
    PyObject *d = Py_BuildValue("{s:s,s:s,s:s}", "name", z->name, "unit", z->unit, "meaning", z->meaning);
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

/* eval(params, v, n, f_eq, z, f, z_t, jac): arrays of the same length, or of length 1. jac is None or [n, 3 + states + params]: of
 * the force by v, n, f_eq, states and parameters. */
static PyObject *law_eval(PyObject *self, PyObject *args) {
  const cps_law *l = ((law_data *)core_data(self))->law;
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
  Py_ssize_t n = d[5].n, states = l->n_states, width = 3 + states + l->n_params;
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
    double *row = jac + width * i;
    row[0] = j.f.v;
    row[1] = j.f.n;
    row[2] = j.f.f_eq;
    memcpy(row + 3, j.f.z, (size_t)states * sizeof *row);
    memcpy(row + 3 + states, j.f.p, (size_t)l->n_params * sizeof *row);
  }
  Py_END_ALLOW_THREADS;
  done = stop || core_own_raised(core_law_keeper(self)) ? NULL : Py_NewRef(Py_None);
out:
  for (int k = 0; k < 8; k++) core_doubles_release(&d[k]);
  return done;
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
  static PyMethodDef methods[] = {{"describe", law_describe, METH_NOARGS, NULL},
                                  {"eval", law_eval, METH_VARARGS, NULL},
                                  {"find", law_find, METH_O | METH_CLASS, NULL},
                                  {"names", law_names, METH_NOARGS | METH_CLASS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, law_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Law", CORE_SIZE(law_data), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return core_type_add(module, &state->law, &spec);
}
