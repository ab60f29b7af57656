/* sens_layout.c - where the numbers of a machine are in the vectors of sens_chain.h, and what they are. */
#include "sens_chain.h"

int cps_layout_make(layout *l, const machine *m, pool *p) {
  memset(l, 0, sizeof *l);
  POOL_ARRAY(p, l->cable, m->n_cables);
  if (!l->cable) return 0;
  int state = 0, w = 0, theta = 0, rhs = 0, axes = m->dim - 1;
  l->gravity = theta;
  l->grip = theta + 3;
  theta += 4;
  l->drum_theta = theta;
  theta += TH_DRUM * m->n_drums;
  l->numbers = theta;
  l->slide_theta = theta + cps_numbers_layout(m->system).count;
  l->release_theta = l->slide_theta + TH_SLIDE * m->n_slides;
  theta = l->release_theta + 3 * m->of->n_bodies;
  l->nb = m->nb;
  l->border = state;
  l->drum_start = state + 4 * m->nb;
  l->slide_start = l->drum_start + 4 * m->n_drums;
  state = l->slide_start + m->n_slides;
  l->load_d = l->drum_d + DY_DRUM * m->n_drums;
  l->slide_d = l->load_d + m->of->n_loads;
  l->surface_d = l->slide_d + m->n_slides;
  l->ds = l->surface_d + (m->system->ns > 0 ? 3 * m->of->n_bodies : 0);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    cable_at *at = &l->cable[i];
    at->e = (c->n + 1) * c->b;
    int *parts[] = {&at->q, &at->v, &at->a, &at->aux};
    for (int k = 0; k < 4; k++, state += at->e) *parts[k] = state;
    at->f = state;
    at->start = at->f + c->n_points * axes;
    at->reaction = at->start + c->n_points * m->dim;
    state = at->reaction + 2 * m->dim;
    at->memory = l->zs;
    if (c->memory) l->zs += c->n_points * axes * c->contact.law->n_states;
    at->w = w;
    w += at->e;
    at->theta = theta;
    at->length = theta + TH_ARRAYS;
    at->mass = at->length + c->n;
    at->p_mass = at->mass + c->n + 1;
    at->p_weight = at->p_mass + c->n_points;
    at->p_shape = at->p_weight + c->n_points;
    at->tie = at->p_shape + 4 * c->n_points;
    theta = at->tie + 4;
    at->end = l->ds;
    l->ds += 2 * DY_END;
    at->rhs = rhs;
    at->width = (c->b + c->slots) * (c->all_stick ? 2 : 1);
    rhs += (c->n + 1) * at->width;
  }
  l->tau_d = l->ds++;
  l->slide_memory = l->zs;
  for (int i = 0; i < m->n_slides; i++) l->zs += m->slide[i].law.law->n_states;
  l->z = state;
  l->z_t = l->z + l->zs;
  l->z_aux = l->z_t + l->zs;
  l->works = state = l->z_aux + l->zs;
  l->rubs = WK_SLIP + m->n_cables * m->n_drums;
  l->n_works = l->rubs + m->system->nc;
  l->states = state + l->n_works;
  l->thetas = theta;
  l->border_w = w;
  l->border_rhs = rhs;
  l->ws = w + m->nb;
  if (strcmp(m->of->run.solver, "bdf") == 0) {
    l->past = l->states;
    l->point = 2 * l->ws + l->zs;
    l->ahead = l->past + BDF_POINTS * l->point;
    l->states = l->ahead + l->works;
  }
  l->nx = m->nb;
  for (int i = 0; i < m->n_cables && m->nb > 0; i++) l->nx += 2 * m->cable[i].slots;
  l->rhs = rhs + l->nx;
  l->near = m->near;
  l->met = m->near + l->nx - l->nb;
  l->after = l->before + l->states;
  l->w1 = l->after + l->states;
  l->w2 = l->w1 + l->ws;
  l->z_star = l->w2 + l->ws;
  l->theta = l->z_star + l->zs;
  l->d = l->theta + l->thetas;
  l->d0 = l->d + l->ds;
  l->right = l->d0 + l->ds;
  l->kept = l->right + l->rhs;
  l->result = l->size = l->kept + (l->past > 0 ? l->works : 0);
  return 1;
}

static void theta_of_cable(const cable *c, const cable_at *at, double *theta) {
  double *x = theta + at->theta;
  x[TH_EA] = c->section.ea;
  x[TH_EI] = c->section.ei;
  x[TH_RHO] = c->section.rho;
  x[TH_RAYLEIGH] = c->section.rayleigh;
  x[TH_AXIAL] = c->section.axial_damping;
  x[TH_BENDING] = c->section.bending_damping;
  x[TH_VISCOUS] = c->contact.viscous;
  x[TH_HOLD] = c->contact.hold;
  memcpy(x + TH_NORMAL, c->contact.normal_p, sizeof c->contact.normal_p);
  memcpy(x + TH_LAW, c->contact.p, sizeof c->contact.p);
  for (int e = 0; e < 2; e++) {
    theta[at->tie + 2 * e] = c->end[e].angle;
    theta[at->tie + 2 * e + 1] = c->end[e].height;
  }
  memcpy(theta + at->length, c->length, (size_t)c->n * sizeof(double));
  memcpy(theta + at->mass, c->mass, (size_t)(c->n + 1) * sizeof(double));
  for (int k = 0; k < c->n_points; k++) {
    theta[at->p_mass + k] = c->point[k].mass;
    theta[at->p_weight + k] = c->point[k].weight;
    memcpy(theta + at->p_shape + 4 * k, c->point[k].shape, sizeof c->point[k].shape);
  }
}

static void theta_of_slide(const machine *m, const slide *y, double *x) {
  memset(x, 0, TH_SLIDE * sizeof *x);
  x[TH_SLIDE_VISCOUS] = y->law.viscous;
  x[TH_SLIDE_HOLD] = y->law.hold;
  if (y->contact) return;
  x[TH_FACTOR] = y->factor[0];
  x[TH_SLIDE_MASS] = y->p.mass;
  x[TH_SLIDE_LOAD] = m->drum[y->drum].of->bearing_load;
  memcpy(x + TH_SLIDE_LAW, y->law.p, sizeof y->law.p);
}

void cps_layout_theta(const layout *l, const machine *m, const machine *like, double *theta) {
  memcpy(theta + l->gravity, m->gravity, sizeof m->gravity);
  theta[l->grip] = cps_machine_grip(m);
  for (int i = 0; i < m->n_drums; i++) {
    double *x = theta + l->drum_theta + i * TH_DRUM;
    const scenario_drum *of = m->drum[i].of;
    x[TH_RADIUS] = m->drum[i].radius;
    memcpy(x + TH_CENTER, of->center, sizeof of->center);
    x[TH_KP] = of->kp;
    x[TH_KD] = of->kd;
    x[TH_INERTIA] = of->inertia;
    memcpy(x + TH_OFFSET, m->drum[i].offset, sizeof m->drum[i].offset);
  }
  cps_numbers_read(m->system, like->system, theta + l->numbers);
  for (int i = 0; i < m->of->n_bodies; i++)
    memcpy(theta + l->release_theta + 3 * i, m->of->bodies[i].v, sizeof m->of->bodies[i].v);
  for (int i = 0; i < m->n_slides; i++)
    theta_of_slide(m, &m->slide[i], theta + l->slide_theta + i * TH_SLIDE);
  for (int i = 0; i < m->n_cables; i++) theta_of_cable(&m->cable[i], &l->cable[i], theta);
}

void cps_layout_initial(const layout *l, const machine *m, double *state) {
  memset(state, 0, (size_t)l->states * sizeof(double));
  for (int k = 0; k < m->nb; k++) {
    state[l->border + k] = *m->free[k].q;
    state[l->border + m->nb + k] = *m->free[k].v;
  }
  double *z = state + l->z + l->slide_memory;
  for (int i = 0; i < m->n_slides; i++) {
    int n = m->slide[i].law.law->n_states;
    memcpy(z, m->slide[i].y.z[0], (size_t)n * sizeof(double));
    z += n;
  }
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    size_t bytes = (size_t)l->cable[i].e * sizeof(double);
    memcpy(state + l->cable[i].q, c->q, bytes);
    memcpy(state + l->cable[i].v, c->v, bytes);
  }
}
