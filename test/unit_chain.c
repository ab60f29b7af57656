/* unit_chain.c - a Newton iteration of a machine against differences: the residuals are put together here the plain way,
 * their matrix is found by central differences, and the step that the elimination finds must solve those equations. The short cuts of the plane against the careful path, and no allocation while stepping. */
#include "memory.h"

#include "newton.h"
#include "processor.h"

/* ------------------------------------------------------------------ scenes */

typedef struct scene {
  const char *name, *text; /* with the place of contact, and the law */
  int space, belt, still; /* still: drums do not turn, as the rim's matrix leaves out what its turning does */
} scene;

#define ROPE                                                                                                 \
  "    EA: 1 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n    damping: {rayleigh: 10 N s}\n"
#define DAMPED                                                                                               \
  "    EA: 1 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n"                                       \
  "    damping: {rayleigh: 10 N s, axial: 2000, bending: 0.5}\n"
#define TOUCHES "    contact: {at: %s, normal: {hunt-crossley: {stiffness: 1e6}}, friction: {%s: {}}}\n"
#define END     "run: {until: 1 s}\n"

static const scene scenes[] = {
    {"plane",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 13\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     0, 0, 0},
    {"pinned, engineering strain",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}}\n"
     "cables:\n  rope:\n" ROPE "    strain: engineering\n    elements: 12\n"
     "    path: [left, hang 0.3 m, over drum, {pinned: [0.3 m, -0.5 m]}]\n" TOUCHES END,
     0, 0, 0},
    {"exact curvature",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    curvature: exact\n    elements: 11\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     0, 0, 0},
    {"space",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, center: [0, 0, 0]}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 10\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     1, 0, 0},
    {"free drum with a bearing",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, inertia: 0.3 kg m2, drive: free,\n"
     "  bearing: {friction: {quinn: {mu: 0.1}}, radius: 20 mm, load: 200 N}}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 12\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     0, 0, 0},
    {"free drum in space",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, center: [0, 0, 0], inertia: 0.3 kg m2, drive: free}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 10\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     1, 0, 0},
    {"drum on a body",
     "capstan: 1\nbodies: {block: {mass: 5 kg, position: [0, 0]}, load: {mass: 12 kg}}\n"
     "drums: {drum: {radius: 250 mm, center: [0, 0], inertia: 0.3 kg m2, drive: free, carried_by: block}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 12\n"
     "    path: [{pinned: [-0.25 m, 0.5 m]}, under drum, {pinned: [0.25 m, 0.5 m]}]\n" TOUCHES
     "  strop:\n" ROPE "    elements: 4\n    path: [block, hang 0.5 m, load]\n" END,
     0, 0, 0},
    {"rim",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, inertia: 0.3 kg m2, drive: free}}\nbodies: {load: {mass: 12 "
     "kg}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 12\n"
     "    path: [{rim: drum}, {around: drum, turn: clockwise, turns: 1}, hang 0.4 m, load]\n" TOUCHES END,
     0, 0, 1},
    {"belt",
     "capstan: 1\ndrums:\n  a: {radius: 200 mm, inertia: 0.2 kg m2, drive: free}\n"
     "  b: {radius: 150 mm, center: [1 m, 0], drive: free, inertia: 0.1 kg m2}\n"
     "cables:\n  rope:\n" ROPE "    elements: 22\n    closed: true\n    tension: 500 N\n"
     "    path: [{around: a, turn: clockwise}, {around: b, turn: clockwise}]\n" TOUCHES END,
     0, 1, 0},
    {"objective damping",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" DAMPED "    elements: 15\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     0, 0, 0},
    {"objective damping, pinned, engineering strain, exact curvature",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}}\n"
     "cables:\n  rope:\n" DAMPED "    strain: engineering\n    curvature: exact\n    elements: 11\n"
     "    path: [left, hang 0.3 m, over drum, {pinned: [0.3 m, -0.5 m]}]\n" TOUCHES END,
     0, 0, 0},
    {"objective damping in space",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, center: [0, 0, 0]}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" DAMPED "    curvature: exact\n    elements: 10\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     1, 0, 0},
    {"tension only",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    tension_only: true\n    elements: 13\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     0, 0, 0},
    {"tension only, objective damping, Green's strain, pinned",
     "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}}\n"
     "cables:\n  rope:\n" DAMPED "    tension_only: true\n    strain: green\n    elements: 11\n"
     "    path: [left, hang 0.3 m, over drum, {pinned: [0.3 m, -0.5 m]}]\n" TOUCHES END,
     0, 0, 0},
    {"tension only, objective damping in space",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, center: [0, 0, 0]}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" DAMPED "    tension_only: true\n    elements: 10\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     1, 0, 0},
    {"bearing pressed by the cable",
     "capstan: 1\ndrums: {drum: {radius: 250 mm, inertia: 0.3 kg m2, drive: free,\n"
     "  bearing: {friction: {tanh: {mu: 0.3}}, radius: 200 mm}}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 12\n"
     "    path: [left, hang 0.3 m, over drum, hang 0.3 m, right]\n" TOUCHES END,
     0, 0, 0},
    {"bearing pressed by the cable on a body",
     "capstan: 1\nbodies: {block: {mass: 5 kg, position: [0, 0]}, load: {mass: 12 kg}}\n"
     "drums: {drum: {radius: 250 mm, center: [0, 0], inertia: 0.3 kg m2, drive: free, carried_by: block,\n"
     "  bearing: {friction: {tanh: {mu: 0.3}}, radius: 200 mm}}}\n"
     "cables:\n  rope:\n" ROPE "    elements: 10\n"
     "    path: [{pinned: [-0.25 m, 0.5 m]}, under drum, {pinned: [0.25 m, 0.5 m]}]\n" TOUCHES
     "  strop:\n" ROPE "    elements: 4\n    path: [block, hang 0.5 m, load]\n" END,
     0, 0, 0},
};

static const char *const laws[] = {"quinn",      "cdq",    "coulomb",     "coulomb-static", "tanh",
                                   "lugre-load", "lugris", "awrejcewicz", "brown-mcphee",   "dieterich"};

/* A scenario and its machine. */
typedef struct stage {
  cps_scenario *scenario;
  machine m;
  int size; /* unknowns */
  int *kind, *of,
      *at; /* [size] NODE: coordinate `at` of cable `of`; POINT: friction; BORDER; GAP and PULL: the same
                        * as NODE and POINT, of the problem in which all contacts stick */
  int *axis;
} stage;

enum { NODE, POINT, BORDER, GAP, PULL };

static int is_force(const machine *m, int k) {
  for (int i = 0; i < m->n_slides; i++)
    if (m->slide[i].f_at == k) return 1;
  return 0;
}

/* Whether a coordinate of a cable is an unknown of its own. */
static int is_free(const machine *m, const cable *c, int node, int j) {
  int side = node == 0 ? 0 : node == c->n ? 1 : -1;
  if (c->fixed[node] >> j & 1) return 0;
  if (side < 0) return 1;
  if (c->seam >= 0) return 0;
  const tie *e = &c->end[side];
  int bound = e->body >= 0 || (e->kind == cps_end_find("rim") &&
                               (m->drum[e->drum].angle_at >= 0 || m->drum[e->drum].carrier >= 0));
  return !(bound && j < c->dim);
}

static void list_unknowns(stage *s) {
  const machine *m = &s->m;
  int most = m->nb;
  for (int i = 0; i < m->n_cables; i++)
    most += 2 * ((m->cable[i].n + 1) * m->cable[i].b + AXES * m->cable[i].n_points);
  s->kind = calloc((size_t)most * 4, sizeof(int));
  s->of = s->kind + most;
  s->at = s->of + most;
  s->axis = s->at + most;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k < (c->n + 1) * c->b; k++) {
      for (int twin = 0; twin <= c->all_stick && is_free(m, c, k / c->b, k % c->b); twin++) {
        s->kind[s->size] = twin ? GAP : NODE;
        s->of[s->size] = i;
        s->at[s->size++] = k;
      }
    }
    for (int k = 0; k < c->n_points * (m->dim - 1); k++) {
      for (int twin = 0; twin <= c->all_stick; twin++) {
        s->kind[s->size] = twin ? PULL : POINT;
        s->of[s->size] = i;
        s->axis[s->size] = k % (m->dim - 1);
        s->at[s->size++] = k / (m->dim - 1);
      }
    }
  }
  for (int k = 0; k < m->nb; k++) {
    s->kind[s->size] = BORDER;
    s->at[s->size++] = k;
  }
}

static void open_stage(stage *s, const scene *scene, const char *place, const char *law) {
  char text[3000];
  cps_problems *problems = NULL;
  cps_error err = {.text = ""};
  memset(s, 0, sizeof *s);
  snprintf(text, sizeof text, scene->text, place, law);
  s->scenario = cps_scenario_parse(text, strlen(text), scene->name, NULL, 0, &problems);
  if (!s->scenario) {
    char why[1000];
    cps_problem_text(cps_problems_at(problems, 0), why, sizeof why);
    fail_msg("%s: %s", scene->name, why);
  }
  cps_problems_free(problems);
  if (cps_machine_make(&s->m, s->scenario, &err) != CPS_OK) fail_msg("%s: %s", scene->name, err.text);
  for (int i = 0; i < s->m.n_cables;
       i++) { /* strains on both sides of it, and differences that do not leave it */
    cable *c = &s->m.cable[i];
    if (c->section.slack > 0) c->section.slack = c->extra.slack = 1e-3;
  }
  list_unknowns(s);
}

static void close_stage(stage *s) {
  free(s->kind);
  cps_machine_free(&s->m);
  cps_scenario_free(s->scenario);
}

/* Somewhere near, in motion, with friction of any size. */
static void shake(stage *s, rng *r, int still) {
  machine *m = &s->m;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < (c->n + 1) * c->b; k++) {
      c->q[k] += 1e-6 * rng_between(r, -1, 1);
      c->v[k] = 0.005 * rng_between(r, -1, 1);
      c->a[k] = 0.1 * rng_between(r, -1, 1);
      if (c->all_stick) c->gap[k] = (c->fixed[k / c->b] >> k % c->b & 1) ? 0 : rng_between(r, -1, 1);
    }
    for (int k = 0; c->all_stick && k < AXES * c->n_points; k++) c->pull[k] = rng_between(r, -20, 20);
    for (int k = 0; k < c->n_points; k++)
      for (int j = 0; j < m->dim - 1; j++) c->point[k].f[j] = rng_between(r, -20, 20);
    for (int k = 0; c->memory && k < c->n_points; k++)
      for (int j = 0; j < AXES; j++)
        for (int z = 0; z < CPS_MAX_STATES; z++)
          c->memory[k].z[j][z] = c->memory[k].z_star[j][z] = 1e-6 * rng_between(r, -1, 1);
  }
  for (int i = 0; i < m->n_cables; i++) { /* where springs start from */
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++)
      for (int d = 0; d < m->dim; d++) {
        c->start[k][d] = 1e-3 * rng_between(r, -1, 1);
        for (int n = 0; n < 4; n++)
          if (c->point[k].shape[n] != 0)
            c->start[k][d] += c->point[k].shape[n] * c->q[c->point[k].node * c->b + n * m->dim + d];
      }
  }
  for (int k = 0; k < m->nb; k++) {
    *m->free[k].q += (is_force(m, k) ? 5 : 1e-6) * rng_between(r, -1, 1);
    *m->free[k].v = still ? 0 : 0.005 * rng_between(r, -1, 1);
    *m->free[k].a = still ? 0 : 0.1 * rng_between(r, -1, 1);
  }
  cps_machine_tie(m);
  for (int i = 0; i < m->n_drums; i++) {
    drum *g = &m->drum[i];
    if (g->angle_at >= 0 || still) continue;
    g->rate = 0.02;
    g->acceleration = -0.2;
  }
}

/* ------------------------------------------------------------------ residuals, the plain way */

static void add_elements(const cable *c, const step_coeffs *coeffs, double *f, double *k) {
  int b = c->b, dim = c->dim;
  for (int i = 0; i < c->n; i++) {
    double mass[4][4], force[24] = {0}, tangent[24 * 24] = {0};
    cps_element_mass(&c->section, c->length[i], mass);
    cps_element_force(dim, &c->section, c->length[i], c->q + i * b, c->v + i * b, force, 1,
                      coeffs->v_a / coeffs->q_a, tangent, NULL);
    for (int r = 0; r < 4 * dim; r++) {
      f[i * b + r] += force[r];
      for (int s = 0; s < 4; s++)
        f[i * b + r] += mass[r / dim][s] *
                        (c->a[i * b + s * dim + r % dim] - (s % 2 == 0 ? c->gravity[r % dim] : 0));
    }
    for (int d = 0; d < dim; d++) { /* diagonal blocks of places, for the scale of friction */
      for (int e = 0; e < dim; e++) {
        k[i * 9 + d * 3 + e] += tangent[d * 4 * dim + e] + (d == e) * mass[0][0] / coeffs->q_a;
        k[(i + 1) * 9 + d * 3 + e] += tangent[(2 * dim + d) * 4 * dim + 2 * dim + e] +
                                      (d == e) * mass[2][2] / coeffs->q_a;
      }
    }
  }
  for (int i = 0; i <= c->n; i++) {
    for (int d = 0; d < dim; d++) {
      f[i * b + d] += c->mass[i] * (c->a[i * b + d] - c->gravity[d]);
      k[i * 9 + d * 4] += c->mass[i] / coeffs->q_a;
      if (i == 0 || i == c->n) f[i * b + d] -= c->load[i != 0][d];
    }
  }
}

static void add_contacts(machine *m, cable *c, const step_coeffs *coeffs, const double *k, double *f,
                         double *rest, double *border) {
  for (int i = 0; i < c->n_points; i++) {
    contact_point *p = &c->point[i];
    double r[3] = {0}, v[3] = {0}, a[3] = {0};
    contact_response t;
    for (int s = 0; s < 4; s++) {
      for (int d = 0; d < c->dim && p->shape[s] != 0; d++) {
        int at = p->node * c->b + s * c->dim + d;
        r[d] += p->shape[s] * c->q[at];
        v[d] += p->shape[s] * c->v[at];
        a[d] += p->shape[s] * c->a[at];
      }
    }
    p->guess = GUESS_NONE;
    if (!cps_contact_eval(m, c, p, r, v, a, k + p->node * 9, 3, coeffs, &t)) {
      for (int j = 0; j < c->dim - 1; j++) rest[i * AXES + j] = p->f[j];
      continue;
    }
    for (int j = 0; j < c->dim - 1; j++) rest[i * AXES + j] = t.rest[j];
    for (int s = 0; s < 4; s++)
      for (int d = 0; d < c->dim && p->shape[s] != 0; d++)
        f[p->node * c->b + s * c->dim + d] -= p->shape[s] * t.force[d];
    const drum *g = &m->drum[p->drum];
    if (g->angle_at >= 0) border[g->angle_at] += g->radius * p->f[0];
    for (int d = 0; d < c->dim; d++) m->drum[p->drum].push[d] -= t.force[d];
    for (int n = 0; g->carrier >= 0 && n < m->body[g->carrier].n; n++)
      for (int d = 0; d < c->dim; d++)
        border[m->body[g->carrier].at + n] += m->body[g->carrier].along[n][d] * t.force[d];
  }
}

/* The problem in which all contacts stick: M gap - A' pull, and A gap - r_s; what is fixed has the pull of its mass. */
static void add_sticking(machine *m, cable *c, const step_coeffs *coeffs, const double *k, double *f,
                         double *rest) {
  int b = c->b, dim = c->dim;
  for (int i = 0; i < c->n; i++) {
    double mass[4][4];
    cps_element_mass(&c->section, c->length[i], mass);
    for (int r = 0; r < 4 * dim; r++)
      for (int s = 0; s < 4; s++) f[i * b + r] += mass[r / dim][s] * c->gap[i * b + s * dim + r % dim];
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < dim; d++) f[i * b + d] += c->mass[i] * c->gap[i * b + d];
  for (int i = 0; i < c->n_points; i++) {
    contact_point *p = &c->point[i];
    double r[3] = {0}, v[3] = {0}, a[3] = {0}, gap[3] = {0};
    const double *pull = c->pull + i * AXES;
    contact_response t;
    for (int s = 0; s < 4; s++) {
      for (int d = 0; d < dim && p->shape[s] != 0; d++) {
        int at = p->node * b + s * dim + d;
        r[d] += p->shape[s] * c->q[at];
        v[d] += p->shape[s] * c->v[at];
        a[d] += p->shape[s] * c->a[at];
        gap[d] += p->shape[s] * c->gap[at];
      }
    }
    int touches = cps_contact_eval(m, c, p, r, v, a, k + p->node * 9, 3, coeffs, &t);
    int fixed = p->shape[0] == 1 && c->fixed[p->node];
    for (int j = 0; j < dim - 1; j++) {
      rest[i * AXES + j] = pull[j];
      if (!touches) continue;
      const drum *g = &m->drum[p->drum];
      double slides = j == 0 ? -g->radius * g->acceleration : 0, along = 0;
      for (int d = 0; d < dim; d++) {
        slides += t.dir[j][d] * (a[d] - g->center_a[d]);
        along += t.dir[j][d] * gap[d];
      }
      rest[i * AXES + j] = fixed ? pull[j] - p->mass * slides : p->mass * (along - slides);
      for (int s = 0; s < 4; s++)
        for (int d = 0; d < dim && p->shape[s] != 0; d++)
          f[p->node * b + s * dim + d] -= p->shape[s] * t.dir[j][d] * pull[j];
    }
  }
}

/* Work of the forces at the ends of cables on a shift of border unknown k. */
static double end_work(machine *m, int k, double *const *f) {
  const double h = 1e-6;
  double work = 0, kept = *m->free[k].q, low[2][2][6];
  for (int side = 0; side < 2; side++) {
    *m->free[k].q = kept + (side == 0 ? -h : h);
    cps_machine_tie(m);
    for (int i = 0; i < m->n_cables; i++) {
      const cable *c = &m->cable[i];
      for (int e = 0; e < 2; e++) {
        const double *q = c->q + e * c->n * c->b;
        if (side == 0) memcpy(low[i][e], q, (size_t)c->b * sizeof(double));
        for (int j = 0; j < c->b && side == 1; j++)
          work += (q[j] - low[i][e][j]) / (2 * h) * f[i][e * c->n * c->b + j];
      }
    }
  }
  *m->free[k].q = kept;
  cps_machine_tie(m);
  return work;
}

/* Residuals of all unknowns at the present state, with friction scaled by the blocks `scale` unless NULL. */
static void residuals(stage *s, const step_coeffs *coeffs, double *out, double *const *scale, double **made) {
  machine *m = &s->m;
  double *f[2] = {NULL, NULL}, *rest[2] = {NULL, NULL}, *gap[2] = {NULL, NULL}, *pull[2] = {NULL, NULL},
         *k[2], *border = calloc((size_t)m->nb + 1, sizeof(double));
  residual_norms left = {0};
  for (int i = 0; i < m->n_drums; i++) memset(m->drum[i].push, 0, sizeof m->drum[i].push);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    f[i] = calloc((size_t)((c->n + 1) * c->b), sizeof(double));
    k[i] = calloc((size_t)((c->n + 1) * 9), sizeof(double));
    rest[i] = calloc((size_t)(c->n_points * AXES + 1), sizeof(double));
    add_elements(c, coeffs, f[i], k[i]);
    add_contacts(m, c, coeffs, scale ? scale[i] : k[i], f[i], rest[i], border);
    if (!c->all_stick) continue;
    gap[i] = calloc((size_t)((c->n + 1) * c->b), sizeof(double));
    pull[i] = calloc((size_t)(c->n_points * AXES + 1), sizeof(double));
    add_sticking(m, c, coeffs, scale ? scale[i] : k[i], gap[i], pull[i]);
  }
  memset(m->s, 0, (size_t)(m->nb * m->nb) * sizeof(double));
  memset(m->rhs, 0, (size_t)m->nb * sizeof(double));
  if (m->nb > 0) cps_border_assemble(m, coeffs, &left);
  for (int n = 0; n < m->nb; n++) border[n] += m->rhs[n];
  for (int n = 0; n < m->nb; n++)
    if (!is_force(m, n)) border[n] += end_work(m, n, f);
  for (int j = 0; j < s->size; j++)
    out[j] = s->kind[j] == NODE    ? f[s->of[j]][s->at[j]]
             : s->kind[j] == POINT ? rest[s->of[j]][s->at[j] * AXES + s->axis[j]]
             : s->kind[j] == GAP   ? gap[s->of[j]][s->at[j]]
             : s->kind[j] == PULL  ? pull[s->of[j]][s->at[j] * AXES + s->axis[j]]
                                   : border[s->at[j]];
  for (int i = 0; i < m->n_cables; i++) {
    free(f[i]);
    free(rest[i]);
    free(gap[i]);
    free(pull[i]);
    if (made)
      made[i] = k[i];
    else
      free(k[i]);
  }
  free(border);
}

/* Shifts an unknown, with all that follows it. */
static void shift(stage *s, const step_coeffs *coeffs, int j, double by) {
  machine *m = &s->m;
  double v = by * coeffs->v_a / coeffs->q_a, a = by / coeffs->q_a;
  if (s->kind[j] == NODE) {
    cable *c = &m->cable[s->of[j]];
    c->q[s->at[j]] += by;
    c->v[s->at[j]] += v;
    c->a[s->at[j]] += a;
  } else if (s->kind[j] == POINT) {
    m->cable[s->of[j]].point[s->at[j]].f[s->axis[j]] += by;
  } else if (s->kind[j] == GAP) {
    m->cable[s->of[j]].gap[s->at[j]] += by;
  } else if (s->kind[j] == PULL) {
    m->cable[s->of[j]].pull[s->at[j] * AXES + s->axis[j]] += by;
  } else {
    dof *f = &m->free[s->at[j]];
    *f->q += by;
    if (!is_force(m, s->at[j])) {
      *f->v += v;
      *f->a += a;
    }
    cps_machine_tie(m);
  }
}

/* The step that an iteration makes in an unknown. */
static double step_of(const stage *s, int j) {
  const machine *m = &s->m;
  if (s->kind[j] == BORDER) return m->rhs[s->at[j]];
  const cable *c = &m->cable[s->of[j]];
  if (s->kind[j] == NODE) return c->q[s->at[j]] - c->q0[s->at[j]];
  if (s->kind[j] == GAP) return c->gap[s->at[j]] - c->gap0[s->at[j]];
  if (s->kind[j] == PULL) {
    int k = s->at[j] * AXES + s->axis[j];
    return c->pull[k] - c->pull0[k];
  }
  return c->point[s->at[j]].f[s->axis[j]] - c->f0[s->at[j] * AXES + s->axis[j]];
}

/* Places, slopes and forces are compared with the largest of their kind. */
static int class_of(const stage *s, int j) {
  const machine *m = &s->m;
  if (s->kind[j] >= GAP) return 2;
  if (s->kind[j] == POINT || (s->kind[j] == BORDER && is_force(m, s->at[j]))) return 2;
  return s->kind[j] == NODE ? s->at[j] % m->cable[s->of[j]].b >= m->dim : 0;
}

/* How far the step is from solving the equations: what is left of each row, against its largest part. */
static double left_over(const stage *s, const double *a, const double *residual, int *where) {
  double worst = 0;
  for (int i = 0; i < s->size; i++) {
    double sum = residual[i], most = fabs(residual[i]);
    for (int j = 0; j < s->size; j++) {
      double part = a[i * s->size + j] * step_of(s, j);
      sum += part;
      most = fmax(most, fabs(part));
    }
    if (!(fabs(sum) > worst * most)) continue;
    worst = fabs(sum) / most;
    *where = i;
  }
  return worst;
}

static void check_matrix(const scene *scene, const char *place, const char *law, const step_coeffs *coeffs,
                         uint64_t seed) {
  stage s;
  open_stage(&s, scene, place, law);
  machine *m = &s.m;
  rng r = rng_for(law, seed);
  shake(&s, &r, scene->still);
  cps_machine_keep(m);
  int n = s.size;
  double *x = malloc((size_t)n * sizeof(double)), *a = malloc((size_t)(n * n) * sizeof(double)),
         *scale[2] = {NULL, NULL};
  double *up = malloc((size_t)n * sizeof(double)), *down = malloc((size_t)n * sizeof(double));
  residuals(&s, coeffs, x, NULL, scale);
  for (int i = 0; i < m->n_cables; i++) m->cable[i].frozen = 1;
  for (int j = 0; j < n; j++) {
    double h = class_of(&s, j) == 2 ? 1e-5 : 2e-9;
    cps_machine_bring_back(m);
    cps_machine_tie(m);
    shift(&s, coeffs, j, h);
    residuals(&s, coeffs, up, scale, NULL);
    cps_machine_bring_back(m);
    cps_machine_tie(m);
    shift(&s, coeffs, j, -h);
    residuals(&s, coeffs, down, scale, NULL);
    for (int i = 0; i < n; i++) a[i * n + j] = (up[i] - down[i]) / (2 * h);
  }
  for (int careful = 0; careful < 2; careful++) {
    step_coeffs with = *coeffs;
    residual_norms left;
    int where = 0;
    with.careful = careful;
    cps_machine_bring_back(m);
    cps_machine_tie(m);
    residuals(&s, coeffs, up, scale,
              NULL); /* bearings know what presses on them from the evaluation before */
    assert_true(cps_machine_iterate(m, &with, INFINITY, &left));
    double off = left_over(&s, a, x, &where);
    if (getenv("SHOW")) printf("  %-28s %-14s %-12s %d unknowns: %.1e\n", scene->name, law, place, n, off);
    if (!(off < 1e-3))
      fail_msg("%s, %s at %s%s: equation %d of kind %d at %d is left with %g of itself", scene->name, law,
               place, careful ? ", careful" : "", where, s.kind[where], s.at[where], off);
  }
  for (int i = 0; i < m->n_cables; i++) free(scale[i]);
  free(x);
  free(a);
  free(up);
  free(down);
  close_stage(&s);
}

static void test_matrix(void **state) {
  (void)state;
  const step_coeffs coeffs = {0, 2e-5, 5e-3, 5e-3, 0, 0, 5e-3, 0};
  for (int i = 0; i < ROWS(scenes); i++)
    for (int l = 0; l < ROWS(laws); l++)
      for (int k = 0; k < 2; k++)
        check_matrix(&scenes[i], k == 0 ? "nodes" : "{quadrature: 2}", laws[l], &coeffs,
                     (uint64_t)(10 * i + k));
}

/* Westin's reading, where its problem comes in: at nodes and at quadrature points, in the plane and in space. */
static void test_all_stick_matrix(void **state) {
  (void)state;
  static const char *const aware[] = {"quinn", "cdq", "awrejcewicz"};
  const step_coeffs coeffs = {0, 2e-5, 5e-3, 5e-3, 0, 0, 5e-3, 0};
  for (int i = 0; i < 4; i++)
    for (int l = 0; l < ROWS(aware); l++)
      for (int k = 0; k < 2; k++)
        check_matrix(&scenes[i], k == 0 ? "nodes, reading: all-stick" : "{quadrature: 1}, reading: all-stick",
                     aware[l], &coeffs, (uint64_t)(200 + 10 * i + k));
}

/* Solves a x = b, both of n, by elimination with pivoting; x replaces b. */
static void solve_dense(int n, double *a, double *b) {
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(a[i * n + j]) > fabs(a[best * n + j])) best = i;
    for (int k = 0; k < n; k++) {
      double t = a[j * n + k];
      a[j * n + k] = a[best * n + k];
      a[best * n + k] = t;
    }
    double t = b[j];
    b[j] = b[best];
    b[best] = t;
    for (int i = j + 1; i < n; i++) {
      double f = a[i * n + j] / a[j * n + j];
      for (int k = j; k < n; k++) a[i * n + k] -= f * a[j * n + k];
      b[i] -= f * b[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int k = j + 1; k < n; k++) b[j] -= a[j * n + k] * b[k];
    b[j] /= a[j * n + j];
  }
}

/* Friction forces if all contacts stuck, from the masses and forces alone: W l = -(A M^-1 Q - b) with W = A M^-1 A'. What
 * the machine does at this instant says what Q is: M a - A' f. */
static void multipliers(machine *m, double *l) {
  cable *c = &m->cable[0];
  int n = (c->n + 1) * c->b, rows = 0, dim = c->dim, *of = calloc((size_t)(c->n_points * AXES), sizeof(int));
  double *mass = calloc((size_t)(n * n), sizeof(double)),
         *a = calloc((size_t)(n * AXES * c->n_points), sizeof(double));
  double *b = calloc((size_t)(AXES * c->n_points), sizeof(double)), *load = calloc((size_t)n, sizeof(double));
  for (int i = 0; i < c->n; i++) {
    double e[4][4];
    cps_element_mass(&c->section, c->length[i], e);
    for (int r = 0; r < 4; r++)
      for (int s = 0; s < 4; s++)
        for (int d = 0; d < dim; d++) mass[(i * c->b + r * dim + d) * n + i * c->b + s * dim + d] += e[r][s];
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < dim; d++) mass[(i * c->b + d) * (n + 1)] += c->mass[i];
  for (int i = 0; i < c->n_points; i++) { /* A, b */
    const contact_point *p = &c->point[i];
    for (int j = 0; j < dim - 1 && p->drum >= 0; j++, rows++) {
      const drum *g = &m->drum[p->drum];
      const double *dir = j == 0 ? p->t : g->axis;
      of[rows] = i * AXES + j;
      b[rows] = j == 0 ? g->radius * g->acceleration : 0;
      for (int d = 0; d < dim; d++) b[rows] += dir[d] * g->center_a[d];
      for (int s = 0; s < 4; s++)
        for (int d = 0; d < dim && p->shape[s] != 0; d++)
          a[rows * n + p->node * c->b + s * dim + d] = p->shape[s] * dir[d];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) load[i] += mass[i * n + j] * c->a[j];
    for (int k = 0; k < rows; k++) load[i] -= a[k * n + i] * c->point[of[k] / AXES].f[of[k] % AXES];
  }
  for (int i = 0; i < n; i++) /* what does not move */
    for (int j = 0; j < n && (c->fixed[i / c->b] >> i % c->b & 1); j++) mass[i * n + j] = i == j;
  double *w = calloc((size_t)(rows * rows), sizeof(double)), *x = calloc((size_t)n, sizeof(double)),
         *copy = calloc((size_t)(n * n), sizeof(double)), *right = calloc((size_t)rows, sizeof(double));
  for (int k = 0; k <= rows; k++) { /* columns of M^-1 A', and M^-1 Q */
    memcpy(copy, mass, (size_t)(n * n) * sizeof(double));
    memcpy(x, k < rows ? a + k * n : load, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
      if (c->fixed[i / c->b] >> i % c->b & 1) x[i] = 0;
    solve_dense(n, copy, x);
    for (int r = 0; r < rows; r++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += a[r * n + i] * x[i];
      if (k < rows)
        w[r * rows + k] = sum;
      else
        right[r] = b[r] - sum;
    }
  }
  solve_dense(rows, w, right);
  for (int i = 0; i < AXES * c->n_points; i++) l[i] = 0;
  for (int r = 0; r < rows; r++) l[of[r]] = right[r];
  free(of);
  free(mass);
  free(a);
  free(b);
  free(load);
  free(w);
  free(x);
  free(copy);
  free(right);
}

/* A machine that moves, with friction that some contacts cannot hold: f - pull are those multipliers, and the law gives f
 * for them. */
static void test_multipliers(void **state) {
  (void)state;
  static const int some[] = {0, 2, 3};
  for (int i = 0; i < ROWS(some); i++) {
    for (int k = 0; k < 2; k++) {
      stage s;
      cps_error err = {.text = ""};
      open_stage(&s, &scenes[some[i]],
                 k == 0 ? "nodes, reading: all-stick" : "{quadrature: 1}, reading: all-stick", "quinn");
      if (cps_machine_statics(&s.m, 0, &err) != CPS_OK) fail_msg("%s: %s", scenes[some[i]].name, err.text);
      cable *c = &s.m.cable[0];
      rng r = rng_for("multipliers", (uint64_t)(2 * i + k));
      shake(&s, &r, 0);
      assert_true(cps_machine_balance(&s.m, 0) > 0);
      double *l = calloc((size_t)(c->n_points * AXES), sizeof(double)), most = 0;
      int slipping = 0, sticking = 0;
      multipliers(&s.m, l);
      for (int j = 0; j < c->n_points * AXES; j++) most = fmax(most, fabs(l[j]));
      for (int j = 0; j < c->n_points; j++) {
        const contact_point *p = &c->point[j];
        if (p->drum < 0) continue;
        slipping += !p->stuck;
        sticking += p->stuck;
        for (int d = 0; d < s.m.dim - 1; d++)
          if (!(fabs(p->f[d] - c->pull[j * AXES + d] - l[j * AXES + d]) < 1e-6 * most))
            fail_msg("%s: point %d: %.12g, not %.12g", scenes[some[i]].name, j,
                     p->f[d] - c->pull[j * AXES + d], l[j * AXES + d]);
        if (s.m.dim == 3) continue;
        double f = cps_law_respond(&c->contact, p->v[0], p->n, l[j * AXES], CPS_MODE_FREE, NULL, NULL, NULL,
                                   0, NULL)
                       .f;
        if (!(fabs(p->f[0] - f) < 1e-6 * most))
          fail_msg("%s: point %d is rubbed with %g, not %g", scenes[some[i]].name, j, p->f[0], f);
      }
      if (!(slipping > 0 && sticking > 0))
        fail_msg("%s: %d slip, %d stick", scenes[some[i]].name, slipping, sticking);
      free(l);
      close_stage(&s);
    }
  }
}

/* With springs for friction, as statics has it; some hold and some give. */
static void test_springs(void **state) {
  (void)state;
  const step_coeffs coeffs = {0, 1e-2, 1e-1, 1e-1, 3e4, 0, 0, 3e4};
  for (int i = 0; i < ROWS(scenes); i++)
    for (int k = 0; k < 2 && !scenes[i].belt; k++)
      check_matrix(&scenes[i], k == 0 ? "nodes" : "{quadrature: 2}", "quinn", &coeffs,
                   (uint64_t)(100 + 10 * i + k));
}

/* The step of an iteration from the state that was kept: node by node, or by one of the sets of kernels. */
static void step_by(stage *s, int careful, kernel_set kernels, double *x) {
  machine *m = &s->m;
  const step_coeffs coeffs = {0, 2e-5, 5e-3, 5e-3, 0, careful, 5e-3, 0};
  residual_norms left = {0};
  cps_machine_bring_back(m);
  cps_machine_tie(m);
  m->kernels = kernels;
  assert_true(cps_machine_iterate(m, &coeffs, INFINITY, &left));
  assert_true(careful == (m->cable[0].by == NULL));
  for (int j = 0; j < s->size; j++) x[j] = step_of(s, j);
}

/* A scene with so many elements more in its first cable: as many as kernels with eight lanes need, and any remainder. */
static void lengthen(const scene *from, int by, scene *to, char *text, size_t size) {
  const char *at = strstr(from->text, "elements: ") + strlen("elements: ");
  snprintf(text, size, "%.*s%d%s", (int)(at - from->text), from->text, atoi(at) + by,
           at + strspn(at, "0123456789"));
  *to = *from;
  to->text = text;
}

/* Kernels make the careful path's step, in the plane and in space, with contact at nodes and in elements, with and without a border. */
static void test_kernels(void **state) {
  (void)state;
  static const char *const places[] = {"nodes", "{quadrature: 1}", "{quadrature: 2}"};
  int seen = 0;
  for (int n = 0; n < ROWS(scenes) * ROWS(places) * ROWS(laws); n++) {
    char text[2000];
    scene any, *scene = &any;
    lengthen(&scenes[n % ROWS(scenes)], 6 + n % 9, &any, text, sizeof text);
    const char *place = places[n / ROWS(scenes) % ROWS(places)], *law = laws[n / ROWS(scenes) / ROWS(places)];
    stage s;
    open_stage(&s, scene, place, law);
    rng r = rng_for(law, 1);
    shake(&s, &r, scene->still);
    cps_machine_keep(&s.m);
    size_t bytes = (size_t)s.size * sizeof(double);
    double *careful = malloc(bytes), *fast = malloc(bytes), most[3] = {0}, blur[3] = {0};
    step_by(&s, 1, KERNELS_BEST, careful);
    for (int i = 0; i < s.m.n_cables; i++)
      s.m.cable[i].frozen = 1; /* scales of friction are a matter of taste */
    for (int j = 0; j < s.size; j++) most[class_of(&s, j)] = fmax(most[class_of(&s, j)], fabs(careful[j]));
    for (int i = 0; i < (s.m.cable[0].n + 1) * s.m.cable[0].b;
         i++) /* what the last digits of places do to the step */
      s.m.cable[0].q0[i] *= 1 + 1e-15 * rng_between(&r, -1, 1);
    step_by(&s, 1, KERNELS_BEST, fast);
    for (int j = 0; j < s.size; j++)
      blur[class_of(&s, j)] = fmax(blur[class_of(&s, j)], fabs(fast[j] - careful[j]));
    memcpy(careful, fast, bytes);
    for (kernel_set k = KERNELS_PLAIN; k <= cps_kernels_most(); k++) {
      step_by(&s, 0, k, fast);
      seen++;
      for (int j = 0; j < s.size;
           j++) /* the careful path prefers friction forces that are there by 1e-6: see prefer */
        if (!(fabs(fast[j] - careful[j]) < 2e-6 * most[class_of(&s, j)] + 10 * blur[class_of(&s, j)]))
          fail_msg("%s, %s, %s, kernels %d: step %d is %.17g, not %.17g", scene->name, place, law, (int)k, j,
                   fast[j], careful[j]);
    }
    free(careful);
    free(fast);
    close_stage(&s);
  }
  assert_true(seen >= ROWS(scenes) * ROWS(places) * ROWS(laws));
}

/* The step of an iteration from the state that was kept, by one of three ways. */
static void shortcut_by(stage *s, int way, double *x) {
  machine *m = &s->m;
  cable *c = &m->cable[0];
  step_coeffs coeffs = {0, 2e-5, 5e-3, 5e-3, 0, way == 0, 5e-3, 0};
  residual_norms left = {0};
  cps_machine_bring_back(m);
  if (way == 0) {
    assert_true(cps_machine_iterate(m, &coeffs, INFINITY, &left));
#if CPS_FUSED
  } else if (way == 2) {
    assert_true(cps_fused_eliminate(m, c, &coeffs, &left) &&
                isfinite(cps_fused_substitute(m, c, &coeffs, 1)));
#endif
  } else {
    assert_true(cps_plane_eliminate(m, c, &coeffs, &left) &&
                isfinite(cps_plane_substitute(m, c, &coeffs, 1)));
  }
  for (int j = 0; j < s->size; j++) x[j] = step_of(s, j);
}

/* The short cut for the plane makes the careful path's step, and nearly that with and without fused products. */
static void test_short_cut(void **state) {
  (void)state;
  int seen = 0;
  for (int i = 0; i < ROWS(scenes); i++) {
    for (int l = 0; l < ROWS(laws); l++) {
      stage s;
      open_stage(&s, &scenes[i], "nodes", laws[l]);
      if (s.m.dim != 2 || s.m.nb > 0) { /* what it is not for */
        close_stage(&s);
        continue;
      }
      seen++;
      rng r = rng_for(laws[l], 1);
      shake(&s, &r, 0);
      cps_machine_keep(&s.m);
      size_t bytes = (size_t)s.size * sizeof(double);
      double *careful = malloc(bytes), *plane = malloc(bytes), *wide = malloc(bytes), most[3] = {0};
      shortcut_by(&s, 0, careful);
      shortcut_by(&s, 1, plane);
      for (int j = 0; j < s.size; j++) most[class_of(&s, j)] = fmax(most[class_of(&s, j)], fabs(careful[j]));
      for (int j = 0; j < s.size; j++)
        if (!(fabs(plane[j] - careful[j]) < 1e-6 * most[class_of(&s, j)]))
          fail_msg("%s, %s: step %d is %.17g, not %.17g", scenes[i].name, laws[l], j, plane[j], careful[j]);
#if CPS_FUSED
      if (cps_has_fused()) {
        shortcut_by(&s, 2, wide);
        for (int j = 0; j < s.size; j++) /* other roundings, and otherwise the same */
          if (!(fabs(wide[j] - plane[j]) < 1e-6 * most[class_of(&s, j)]))
            fail_msg("%s, %s: step %d is %.17g, not %.17g", scenes[i].name, laws[l], j, wide[j], plane[j]);
      }
#endif
      free(careful);
      free(plane);
      free(wide);
      close_stage(&s);
    }
  }
  assert_true(seen >= 5 * ROWS(laws));
}

/* Any number of elements from the least on, the odd ones too, meets in the middle. */
static void test_lengths(void **state) {
  (void)state;
  for (int n = 4; n < 27; n++) {
    char text[2000], elements[20];
    scene any = {"lengths", text, 0, 0, 0};
    snprintf(elements, sizeof elements, "elements: %d\n", n);
    const char *at = strstr(scenes[0].text, "elements: 13\n");
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scenes[0].text), scenes[0].text, elements,
             at + strlen("elements: 13\n"));
    const step_coeffs coeffs = {0, 2e-5, 5e-3, 5e-3, 0, 0, 5e-3, 0};
    check_matrix(&any, "nodes", "quinn", &coeffs, (uint64_t)n);
  }
}

/* ------------------------------------------------------------------ sums over elements */

/* x' M y of a cable, with its point masses. */
static double inertia(const cable *c, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < c->n; i++) {
    double mass[4][4];
    cps_element_mass(&c->section, c->length[i], mass);
    for (int r = 0; r < 4; r++)
      for (int k = 0; k < 4; k++)
        for (int d = 0; d < c->dim; d++)
          sum += mass[r][k] * x[i * c->b + r * c->dim + d] * y[i * c->b + k * c->dim + d];
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < c->dim; d++) sum += c->mass[i] * x[i * c->b + d] * y[i * c->b + d];
  return sum;
}

/* Energies and tensions, element by element. */
static void survey_plainly(const cable *c, cable_store *o, double *tension) {
  cable_section elastic = c->section;
  elastic.rayleigh = elastic.axial_damping = elastic.bending_damping = 0;
  memset(o, 0, sizeof *o);
  o->kinetic = inertia(c, c->v, c->v) / 2;
  double *down = calloc((size_t)((c->n + 1) * c->b), sizeof(double));
  for (int i = 0; i <= c->n; i++) /* a field of places that is constant */
    for (int d = 0; d < c->dim; d++) down[i * c->b + d] = c->gravity[d];
  o->gravity = -inertia(c, down, c->q);
  free(down);
  for (int i = 0; i < c->n; i++) {
    const double *q = c->q + i * c->b;
    double f[12] = {0}, along = 0, square = 0;
    o->elastic += cps_element_force(c->dim, &elastic, c->length[i], q, c->v + i * c->b, f, 1, 0, NULL, NULL);
    for (int d = 0; d < c->dim; d++) {
      double chord = q[c->b + d] - q[d];
      along += f[c->b + d] * chord;
      square += chord * chord;
    }
    tension[i] = along / sqrt(square);
  }
}

/* Work of Westin's damping over the step that was kept, element by element. */
static double brake_plainly(const cable *c) {
  cable_section brake = {.rho = 1, .rayleigh = c->section.rayleigh, .axial_points = 1, .bending_points = 1};
  double sum = 0;
  for (int i = 0; i < c->n; i++) {
    double f[12] = {0}, mean[12];
    for (int j = 0; j < 2 * c->b; j++) mean[j] = (c->v[i * c->b + j] + c->v0[i * c->b + j]) / 2;
    cps_element_force(c->dim, &brake, c->length[i], c->q + i * c->b, mean, f, 1, 0, NULL, NULL);
    for (int j = 0; j < 2 * c->b; j++) sum += f[j] * (c->q[i * c->b + j] - c->q0[i * c->b + j]);
  }
  return sum;
}

static void agree(const char *name, double a, double b, double most) {
  if (!(fabs(a - b) <= most)) fail_msg("%s: %.17g, not %.17g", name, a, b);
}

static void check_survey(const char *name, const cable *c) {
  enum { MOST = 100 };
  double tension[MOST], mean[MOST * 6], moved[MOST * 6], solver = 0, damping = 0;
  cable_store plain, fast;
  assert_true(c->n < MOST);
  survey_plainly(c, &plain, tension);
  cps_cable_survey(c, &fast);
  double most = 0;
  for (int i = 0; i < c->n; i++) most = fmax(most, fabs(tension[i]));
  for (int i = 0; i < c->n; i++)
    if (!(fabs(tension[i] - c->tension[i]) <= 1e-9 * most))
      fail_msg("%s: tension %d is %.17g, not %.17g", name, i, c->tension[i], tension[i]);
  agree(name, fast.elastic, plain.elastic, 1e-9 * plain.elastic);
  agree(name, fast.kinetic, plain.kinetic, 1e-12 * plain.kinetic);
  agree(name, fast.gravity, plain.gravity, 1e-12 * fabs(plain.gravity) + 1e-12);
  for (int k = 0; k < (c->n + 1) * c->b; k++) {
    mean[k] = (c->a[k] + c->a0[k]) / 2;
    moved[k] = c->q[k] - c->q0[k];
  }
  double work = inertia(c, moved, mean), change = (inertia(c, c->v, c->v) - inertia(c, c->v0, c->v0)) / 2;
  cps_cable_step_work(c, &solver, &damping);
  agree(name, solver, work - change, 1e-10 * (fabs(work) + fabs(change)));
  agree(name, damping, brake_plainly(c), 1e-10 * fabs(damping));
#if CPS_FUSED
  if (!cps_has_fused()) return;
  cable_store wide;
  double of_wide[MOST], work_of[2][2] = {{0}};
  cps_narrow_store(c, tension, &fast);
  cps_fused_store(c, of_wide, &wide);
  agree(name, wide.elastic, fast.elastic, 1e-9 * plain.elastic);
  agree(name, wide.kinetic, fast.kinetic, 1e-13 * plain.kinetic);
  agree(name, wide.gravity, fast.gravity, 1e-13 * fabs(plain.gravity) + 1e-13);
  for (int i = 0; i < c->n && c->section.curvature == CURVATURE_APPROXIMATE; i++)
    agree(name, of_wide[i], tension[i], 1e-9 * most);
  cps_narrow_step_work(c, &work_of[0][0], &work_of[0][1]);
  cps_fused_step_work(c, &work_of[1][0], &work_of[1][1]);
  agree(name, work_of[1][0], work_of[0][0], 1e-12 * (fabs(work) + fabs(change)));
  agree(name, work_of[1][1], work_of[0][1], 1e-12 * fabs(damping));
#endif
}

/* Four at a time, elements say what they say one by one, with and without fused products. */
static void test_survey(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(scenes); i++) {
    stage s;
    open_stage(&s, &scenes[i], "nodes", "quinn");
    rng r = rng_for("survey", (uint64_t)i);
    shake(&s, &r, 1);
    cps_machine_keep(&s.m);
    shake(&s, &r, 1);
    for (int k = 0; k < s.m.n_cables; k++) {
      cable *c = &s.m.cable[k];
      for (int d = 0; d < c->dim; d++) c->gravity[d] = d - 9.81;
      for (int points = 1; points <= GAUSS_MAX; points++) {
        c->section.axial_points = c->section.bending_points = points;
        check_survey(scenes[i].name, c);
      }
    }
    close_stage(&s);
  }
}

/* Steps that fail and steps that do not, with all that may happen in them, and not a block of memory. */
static void test_no_allocation(void **state) {
  (void)state;
#ifndef SANITIZED
  for (int i = 0; i < ROWS(scenes); i++) {
    for (int l = 0; l < ROWS(laws); l++) {
      stage s;
      open_stage(&s, &scenes[i], "nodes", laws[l]);
      alpha_stepper run = {.m = &s.m};
      cps_error err;
      double h = 1e-3;
      int made = 0;
      if (cps_machine_statics(&s.m, 0, &err) != CPS_OK) { /* then from the drawing */
        close_stage(&s);
        open_stage(&s, &scenes[i], "nodes", laws[l]);
      }
      cps_energy energy;
      cps_audit_start(&s.m, 0);
      calls = 0;
      for (int k = 0; k < 20; k++) {
        int good = cps_alpha_step(&run, h, run.t + h);
        made += good;
        h *= good ? 1 : 0.5;
        if (!good) continue;
        cps_machine_settle(&s.m);
        cps_audit_step(&s.m, run.t, h);
        cps_audit_energy(&s.m, &energy);
      }
      assert_int_equal(calls, 0);
      if (made == 0) fail_msg("%s, %s: no step", scenes[i].name, laws[l]);
      close_stage(&s);
    }
  }
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrix),       cmocka_unit_test(test_all_stick_matrix),
      cmocka_unit_test(test_multipliers),  cmocka_unit_test(test_springs),
      cmocka_unit_test(test_kernels),      cmocka_unit_test(test_short_cut),
      cmocka_unit_test(test_lengths),      cmocka_unit_test(test_survey),
      cmocka_unit_test(test_no_allocation)};
  return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
