/* derivative.c - derivatives of steps: see instance.h. */
#include "instance.h"

#include <stdlib.h>

/* Indices of inputs or outputs by their references; 0 after a message. */
static int find_all(instance *f, const unsigned *references, size_t n, fmu_kind kind, int *index) {
  for (size_t i = 0; i < n; i++) {
    const fmu_variable *v = instance_find(f, references[i]);
    if (!v) return 0;
    if (v->kind != kind) {
      instance_refuse(f, "derivatives are those of outputs by inputs: %s is no %s", v->name,
                      kind == FMU_INPUT ? "input" : "output");
      return 0;
    }
    index[i] = v->index;
  }
  return 1;
}

static fmu_status differentiate(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                                const double *seed, double *product, int adjoint, const char *call) {
  cps_error err = {0};
  if (!instance_allowed(f, PHASE_STEP | PHASE_EVENT | PHASE_ENDED, call)) return FMU_ERROR;
  if ((n_of > 0 && !of) || (n_by > 0 && !by) || !seed || !product)
    return instance_refuse(f, "%s: an argument is missing", call);
  if (!f->followed)
    return instance_refuse(f, "there are no derivatives: they are those of the last step of co-simulation, "
                              "unless it could return early, of FMUs that were made with --derivatives");
  size_t inputs = (size_t)cps_simulation_inputs(f->sim),
         columns = (size_t)cps_result_columns(cps_simulation_result(f->sim));
  int *index = calloc(n_of + n_by + 1, sizeof *index);
  double *values = calloc(inputs + columns + 1, sizeof *values), *outputs = values ? values + inputs : NULL;
  int good = index && values;
  if (!good) instance_no_memory(f);
  good = good && find_all(f, of, n_of, FMU_OUTPUT, index) && find_all(f, by, n_by, FMU_INPUT, index + n_of);
  const int *known = adjoint ? index : index + n_of, *wanted = adjoint ? index + n_of : index;
  size_t n_known = adjoint ? n_of : n_by, n_wanted = adjoint ? n_by : n_of;
  double *from = adjoint ? outputs : values, *to = adjoint ? values : outputs;
  for (size_t i = 0; good && i < n_known; i++) from[known[i]] += seed[i];
  if (good) {
    cps_status status = adjoint ? cps_stretch_vjp(f->stretch, NULL, outputs, NULL, values, NULL, &err)
                                : cps_stretch_jvp(f->stretch, NULL, values, NULL, NULL, outputs, &err);
    good = status == CPS_OK || instance_failed(f, &err) == FMU_OK;
  }
  for (size_t i = 0; good && i < n_wanted; i++) product[i] = to[wanted[i]];
  free(index);
  free(values);
  return good ? FMU_OK : FMU_ERROR;
}

fmu_status instance_directional(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                                const double *seed, double *product, const char *call) {
  return differentiate(f, of, n_of, by, n_by, seed, product, 0, call);
}

fmu_status instance_adjoint(instance *f, const unsigned *of, size_t n_of, const unsigned *by, size_t n_by,
                            const double *seed, double *product, const char *call) {
  return differentiate(f, of, n_of, by, n_by, seed, product, 1, call);
}
