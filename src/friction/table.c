/* table.c - the table of friction laws, and what can be done with any of them. */
#include "internal.h"
#include "laws.h"

#include <stdio.h>
#include <string.h>

/* Families in the order in which they are listed. A new law is a row in its family's file; only a new family
 * touches this one. */
static const family *const families[] = {&cps_family_coulomb,    &cps_family_regularised, &cps_family_quinn,
                                         &cps_family_commercial, &cps_family_lugre,       &cps_family_bristle,
                                         &cps_family_maxwell,    &cps_family_ratestate};

int cps_law_count(void) {
  int n = 0;
  for (int i = 0; i < COUNT(families); i++) n += families[i]->n_laws;
  return n;
}

const cps_law *cps_law_at(int i) {
  if (i < 0) return NULL;
  for (int k = 0; k < COUNT(families); k++) {
    if (i < families[k]->n_laws) return &families[k]->laws[i];
    i -= families[k]->n_laws;
  }
  return NULL;
}

const cps_law *cps_law_find(const char *name) {
  if (!name || !*name) return NULL;
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    if (strcmp(law->name, name) == 0 || cps_in_words(law->aliases, name)) return law;
  }
  return NULL;
}

const cps_law *cps_law_nearest(const char *name) {
  const cps_law *best = NULL;
  int least = 0;
  for (int i = 0; name && i < cps_law_count(); i++) {
    int d = cps_edit_distance(name, cps_law_at(i)->name);
    if (!best || d < least) {
      best = cps_law_at(i);
      least = d;
    }
  }
  return best;
}

void cps_law_defaults(const cps_law *law, double *p) {
  for (int i = 0; i < law->n_params; i++) p[i] = law->params[i].value;
}

int cps_law_param(const cps_law *law, const char *name) {
  for (int i = 0; i < law->n_params; i++)
    if (strcmp(law->params[i].name, name) == 0) return i;
  return -1;
}

cps_status cps_law_check(const cps_law *law, const double *p, cps_error *err) {
  for (int i = 0; i < law->n_params; i++) {
    const cps_param *q = &law->params[i];
    if (!(p[i] >= q->min && p[i] <= q->max)) {
      return cps_error_set(err, CPS_BAD_INPUT, q->name, "%s = %g is out of range: %s takes %g to %g %s",
                           q->name, p[i], law->name, q->min, q->max,
                           strcmp(q->unit, "1") == 0 ? "" : q->unit);
    }
  }
  const char *complaint = law->check ? law->check(law, p) : NULL;
  if (complaint) return cps_error_set(err, CPS_BAD_INPUT, law->name, "%s: %s", law->name, complaint);
  return CPS_OK;
}

cps_status cps_law_validate(const cps_law *law, cps_error *err) {
  const char *what = NULL;
  unsigned t = law->traits;
  if (!law->name || !law->title || !law->equation || !law->citation)
    what = "name, title, equation or citation is missing";
  else if (law->n_params < 0 || law->n_params > CPS_MAX_PARAMS)
    what = "n_params is out of range";
  else if (law->n_states < 0 || law->n_states > CPS_MAX_STATES)
    what = "n_states is out of range";
  else if (law->n_guards < 0 || law->n_guards > CPS_MAX_GUARDS)
    what = "n_guards is out of range";
  else if ((law->n_params && !law->params) || (law->n_states && !law->states))
    what = "params or states is NULL";
  else if (!law->eval || !law->scale)
    what = "eval and scale are needed";
  else if (!(t & CPS_CREEPS) == !(t & CPS_STICKS))
    what = "it either creeps or sticks";
  else if (!(t & CPS_MEMORY) != !law->n_states)
    what = "CPS_MEMORY means that it has states";
  else if (!(t & CPS_MODES) != !law->n_modes)
    what = "CPS_MODES means that it has modes";
  else if (law->n_modes && (!law->mode || !law->guards || !law->transition || !law->n_guards))
    what = "a law with modes needs mode, guards and transition";
  else if ((t & CPS_SMOOTH) && !(t & CPS_CONTINUOUS))
    what = "what is smooth is continuous";
  else if (law->step && (law->n_states != 1 || law->n_modes || t & CPS_NEEDS_FEQ))
    what = "only a law with one state, without modes and balance force has a step of its own";
  if (what)
    return cps_error_set(err, CPS_BAD_INPUT, law->name, "law %s: %s", law->name ? law->name : "?", what);
  double p[CPS_MAX_PARAMS];
  cps_law_defaults(law, p);
  return cps_law_check(law, p, err);
}

/* Limits a value to what cannot overflow; NaN passes through. */
static double limit(double x) {
  return x > CPS_INPUT_MAX ? CPS_INPUT_MAX : x < -CPS_INPUT_MAX ? -CPS_INPUT_MAX : x;
}

/* The input as the functions of a law expect it: limited, n >= 0, with a mode. zs holds the limited states.
 */
static cps_law_input prepare(const cps_law *law, const double *p, const cps_law_input *in, double *zs) {
  cps_law_input x = {limit(in->v),
                     in->n > 0    ? limit(in->n)
                     : in->n <= 0 ? 0
                                  : in->n,
                     limit(in->f_eq), zs, in->mode};
  for (int i = 0; i < law->n_states; i++) zs[i] = limit(in->z[i]);
  if (x.mode < 0 && law->mode) x.mode = law->mode(law, p, &x);
  return x;
}

/* Zeroes the entries of a row of partial derivatives that the law has. */
static void zero(const cps_law *law, cps_partials *d) {
  d->v = d->n = d->f_eq = 0;
  for (int i = 0; i < law->n_states; i++) d->z[i] = 0;
  for (int i = 0; i < law->n_params; i++) d->p[i] = 0;
}

void cps_law_eval(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                  cps_law_jacobian *jac) {
  double zs[CPS_MAX_STATES];
  cps_law_input x = prepare(law, p, in, zs);
  if (jac) {
    zero(law, &jac->f);
    for (int i = 0; i < law->n_states; i++) zero(law, &jac->z_t[i]);
  }
  law->eval(law, p, &x, out, jac);
  /* No load below zero: the law is constant in n there. */
  if (jac && in->n < 0) {
    jac->f.n = 0;
    for (int i = 0; i < law->n_states; i++) jac->z_t[i].n = 0;
  }
}

void cps_law_implicit_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                           cps_law_step *out) {
  double zs[CPS_MAX_STATES];
  cps_law_input x = prepare(law, p, in, zs);
  law->step(law, p, &x, time, out);
  if (in->n < 0) out->f_n = 0;
}

void cps_law_scales(const cps_law *law, const double *p, double n, cps_law_scale *scale) {
  memset(scale, 0, sizeof *scale);
  law->scale(law, p, n > 0 ? limit(n) : 0, scale);
}

int cps_law_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  if (!law->mode) return 0;
  double zs[CPS_MAX_STATES];
  cps_law_input free_in = *in;
  free_in.mode = CPS_MODE_FREE;
  return prepare(law, p, &free_in, zs).mode;
}

void cps_law_mode_name(const cps_law *law, int mode, char *text, size_t size) {
  if (size == 0) return;
  if (mode < 0 || mode >= law->n_modes) {
    snprintf(text, size, "%s", mode < 0 ? "free" : "none");
  } else if (law->modes) {
    snprintf(text, size, "%s", law->modes[mode]);
  } else {
    size_t n = 0;
    for (int i = 0; i < law->n_states && n + 1 < size; i++) text[n++] = (mode >> i) & 1 ? 's' : '.';
    text[n] = 0;
  }
}

void cps_law_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                    cps_partials *g_x) {
  if (!law->guards) return;
  double zs[CPS_MAX_STATES];
  cps_law_input x = prepare(law, p, in, zs);
  for (int i = 0; g_x && i < law->n_guards; i++) zero(law, &g_x[i]);
  law->guards(law, p, &x, g, g_x);
}

int cps_law_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard, double *z,
                       cps_partials *z_x) {
  double zs[CPS_MAX_STATES];
  cps_law_input x = prepare(law, p, in, zs);
  for (int i = 0; i < law->n_states; i++) {
    if (z) z[i] = zs[i];
    if (z_x) {
      zero(law, &z_x[i]);
      z_x[i].z[i] = 1;
    }
  }
  double scratch[CPS_MAX_STATES];
  memcpy(scratch, zs, sizeof scratch);
  return law->transition ? law->transition(law, p, &x, guard, z ? z : scratch, z_x) : x.mode;
}

int cps_law_settle(const cps_law *law, const double *p, const cps_law_input *in, double *z) {
  if (!law->guards) return 0;
  double zs[CPS_MAX_STATES], next[CPS_MAX_STATES], g[CPS_MAX_GUARDS];
  cps_law_input x = prepare(law, p, in, zs);
  /* Each guard can fire once for each other one that it wakes; more is a law that contradicts itself. */
  for (int round = 0; round < 4 * CPS_MAX_GUARDS; round++) {
    law->guards(law, p, &x, g, NULL);
    int fired = -1;
    for (int i = 0; i < law->n_guards && fired < 0; i++)
      if (g[i] < 0) fired = i;
    if (fired < 0) break;
    memcpy(next, zs, sizeof next);
    x.mode = law->transition(law, p, &x, fired, next, NULL);
    memcpy(zs, next, sizeof zs);
  }
  for (int i = 0; z && i < law->n_states; i++) z[i] = zs[i];
  return x.mode;
}
