/* simulation.c - simulations: whole runs. */
#include "core.h"

typedef struct simulation_object {
  PyObject_HEAD
  PyObject *scenario;
  cps_system *system;
  cps_simulation *sim;
  int busy; /* a call is under way in some thread */
} simulation_object;

static void simulation_free(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  simulation_object *o = (simulation_object *)self;
  cps_simulation_free(o->sim);
  cps_system_free(o->system);
  Py_XDECREF(o->scenario);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *simulation_make(PyObject *type, PyObject *args) {
  core_state *state = PyModule_GetState(PyType_GetModule((PyTypeObject *)type));
  PyObject *scenario;
  cps_error err = {0};
  if (!PyArg_ParseTuple(args, "O", &scenario)) return NULL;
  if (!PyObject_TypeCheck(scenario, state->scenario)) return PyErr_Format(PyExc_TypeError, "a Scenario is needed");
  simulation_object *o = PyObject_New(simulation_object, state->simulation);
  if (!o) return NULL;
  o->scenario = Py_NewRef(scenario);
  o->busy = 0;
  Py_BEGIN_ALLOW_THREADS;
  o->system = cps_system_new(core_scenario_get(scenario), &err);
  o->sim = o->system ? cps_simulation_new(o->system, &err) : NULL;
  Py_END_ALLOW_THREADS;
  if (o->sim) return (PyObject *)o;
  Py_DECREF(o);
  return core_raise(state, &err);
}

/* run(progress): None, or the error as a dict in a list if it failed: what was computed until then is in the result. */
static PyObject *simulation_run(PyObject *self, PyObject *call) {
  simulation_object *o = (simulation_object *)self;
  cps_error err = {0};
  cps_status status;
  if (o->busy) return PyErr_Format(PyExc_RuntimeError, "this simulation is at work in another thread");
  o->busy = 1;
  Py_BEGIN_ALLOW_THREADS;
  status = cps_simulation_run(o->sim, core_watch, call, &err);
  Py_END_ALLOW_THREADS;
  o->busy = 0;
  return status == CPS_OK ? Py_NewRef(Py_None) : core_raise(core_state_from(self), &err);
}

static PyObject *simulation_result(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_result_new(core_state_from(self), self, cps_simulation_result(((simulation_object *)self)->sim), NULL);
}

static PyObject *simulation_write(PyObject *self, PyObject *args) {
  PyObject *path;
  cps_error err = {0};
  cps_status status;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  const char *name = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS;
  status = cps_simulation_write(((simulation_object *)self)->sim, name, &err);
  Py_END_ALLOW_THREADS;
  Py_DECREF(path);
  return status == CPS_OK ? Py_NewRef(Py_None) : core_raise(core_state_from(self), &err);
}

int core_simulation_type(PyObject *module, core_state *state) {
  static PyMethodDef methods[] = {{"make", simulation_make, METH_VARARGS | METH_CLASS, NULL},
                                  {"run", simulation_run, METH_O, NULL},
                                  {"result", simulation_result, METH_NOARGS, NULL},
                                  {"write", simulation_write, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, simulation_free}, {Py_tp_methods, methods}, {0, NULL}};
  static PyType_Spec spec = {"capstan._core.Simulation", sizeof(simulation_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  state->simulation = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
  return state->simulation ? PyModule_AddType(module, state->simulation) : -1;
}
