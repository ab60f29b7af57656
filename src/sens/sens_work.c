/* sens_work.c - works and energies of energy.c, differentiated: lists of entries.
 *
 * Works of a step are products of what acts and of what moves, both at its start and at its end. */
#include "sens_chain.h"

static int shifts(const drum *g) { return g->of->shift[0] || g->of->shift[1] || g->of->shift[2]; }

void cps_model_look(model *o, double t) {
  for (int i = 0; i < o->m.n_cables; i++) {
    cable *c = &o->m.cable[i];
    for (int k = 0; k < c->n_points; k++)
      cps_contact_tangent_place(&o->m, c, &c->point[k], &o->contact0[i][k]);
    memcpy(c->loads0, c->load, sizeof c->load);
    memcpy(c->reaction0, c->reaction, sizeof c->reaction);
  }
  cps_machine_keep(&o->m);
  if (o->at.nb > 0) cps_border_begin(o, t);
}

void cps_model_touch(model *o) {
  const step_coeffs any = {.q_a = 1, .v_a = 1};
  for (int i = 0; i < o->m.n_cables; i++)
    for (int k = 0; k < o->m.cable[i].n_points; k++)
      cps_contact_tangent_eval(&o->m, &o->m.cable[i], &o->m.cable[i].point[k], &any, &o->contact[i][k]);
}

/* ------------------------------------------------------------------ contact points */

/* Friction, of the machine and of the cable on the drum; and what turns the drum. x: the start and the end of the step. */
static void add_friction(model *o, const point_row x[2]) {
  const cable *c = &o->m.cable[x->cable];
  const contact_tangent *a = x[0].s, *b = x[1].s;
  const drum *g = &o->m.drum[b->near], *g0 = &o->m.drum0[b->near];
  int first = o->at.after + o->at.works, touches[2] = {a->drum >= 0, b->drum >= 0};
  double pull[3] = {0}, turned = g->angle - g0->angle, mean = 0; /* the friction force on the cable */
  for (int k = 0; k < 2; k++) {
    const contact_tangent *s = x[k].s;
    if (!touches[k]) continue;
    mean += s->f[0] / 2;
    for (int d = 0; d < c->dim; d++)
      pull[d] -= (s->f[0] * s->t[d] + (c->dim == 3 ? s->f[1] * g->axis[d] : 0)) / 2;
  }
  for (int k = 0; k < 2; k++) {
    const contact_tangent *s = x[k].s;
    tangent_row turns = {.f = {touches[k] ? g->radius * turned / 2 : 0, 0},
                         .angle = (k ? 1 : -1) * mean * g->radius,
                         .radius = k ? mean * turned : 0};
    if (g->angle_at < 0) cps_put_point(&x[k], first + WK_MOTION, &turns, 1);
    double out = 0;
    for (int d = 0; d < c->dim; d++) {
      double moved = -(b->r[d] - a->r[d]) / 2;
      turns.r[d] = (k ? 1 : -1) * pull[d];
      if (!touches[k]) continue;
      turns.f[0] += s->t[d] * moved;
      turns.f[1] += c->dim == 3 ? g->axis[d] * moved : 0;
      out += s->n[d] * moved;
    }
    for (int d = 0; d < c->dim && touches[k]; d++) turns.r[d] -= s->f[0] * out / s->rho * s->t[d];
    cps_put_point(&x[k], first + WK_FRICTION, &turns, 1);
    cps_put_point(&x[k], first + WK_SLIP + x->cable * o->m.n_drums + b->near, &turns, 1);
  }
}

/* Work of a drum whose centre is moved. */
static void add_carried(model *o, const point_row x[2]) {
  const cable *c = &o->m.cable[x->cable];
  const contact_point *p = &c->point[x->point];
  int near = x[1].s->near, row = o->at.after + o->at.works + WK_MOTION;
  const drum *g = &o->m.drum[near], *g0 = &o->m.drum0[near];
  for (int k = 0; k < 2; k++) {
    const contact_tangent *s = x[k].s;
    tangent_row pushes = {.r = {0}};
    if (s->drum < 0) continue;
    for (int d = 0; d < c->dim; d++) {
      int column = o->at.drum_d + near * DY_DRUM + DY_CENTER + d;
      double push = (s->load * s->n[d] + s->f[0] * s->t[d] + (c->dim == 3 ? s->f[1] * g->axis[d] : 0)) / 2;
      cps_contact_tangent_force(&o->m, c, p, s, d, -(g->center[d] - g0->center[d]) / 2, &pushes);
      for (int side = 0; side < 2; side++) cps_put_given(&x[side].to, row, column, side ? push : -push);
    }
    cps_put_point(&x[k], row, &pushes, 1);
  }
}

/* Contact damping: the part of the normal force that velocity makes, times how much deeper the point gets. */
static void add_damping(model *o, const point_row x[2]) {
  const cable *c = &o->m.cable[x->cable];
  const contact_point *p = &c->point[x->point];
  double sunk = (x[1].s->depth - x[0].s->depth) / 2, mean = 0;
  contact_tangent damping[2];
  for (int k = 0; k < 2; k++) {
    damping[k] = *x[k].s;
    if (x[k].s->drum < 0) continue;
    cps_normal_output slow, *law = &damping[k].law;
    cps_normal_eval(c->contact.normal, c->contact.normal_p, damping[k].depth, 0, &slow);
    law->n -= slow.n;
    law->depth -= slow.depth;
    for (int j = 0; j < c->contact.normal->n_params; j++) law->p[j] -= slow.p[j];
    mean += p->weight * law->n / 2;
  }
  for (int k = 0; k < 2; k++) { /* depth is R - rho while it touches, else nothing */
    double deeper = k ? mean : -mean;
    tangent_row row = {.radius = deeper};
    if (x[k].s->drum < 0) continue;
    for (int d = 0; d < c->dim; d++) row.r[d] = -deeper * x[k].s->n[d];
    cps_contact_tangent_normal(c, p, &damping[k], sunk, &row);
    cps_put_point(&x[k], o->at.after + o->at.works + WK_CONTACT, &row, 1);
  }
}

static void add_points(model *o, int cable_of) {
  for (int k = 0; k < o->m.cable[cable_of].n_points; k++) {
    const contact_tangent *a = &o->contact0[cable_of][k], *b = &o->contact[cable_of][k];
    const point_row x[2] = {{cps_sink_list(o, &o->work, 1), cable_of, k, a},
                            {cps_sink_list(o, &o->work, 0), cable_of, k, b}};
    if (a->near < 0 || a->near != b->near || (a->drum < 0 && b->drum < 0)) continue;
    add_friction(o, x);
    if (shifts(&o->m.drum[b->near])) add_carried(o, x);
    add_damping(o, x);
  }
}

/* ------------------------------------------------------------------ elements */

/* out = M x of all cables. */
static void multiply(const model *o, const double *x, double *out) {
  memset(out, 0, (size_t)o->at.ws * sizeof(double));
  for (int i = 0; i < o->n_inertia; i++) {
    const chain_product *p = &o->inertia[i];
    out[p->at] += p->mass * x[p->column];
  }
}

/* By numbers of the cable: what the products are in proportion to, and lengths. */
static void add_products(model *o, int cable_of) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  const sink to = cps_sink_list(o, &o->work, 0);
  int solver = o->at.after + o->at.works + WK_SOLVER, damping = o->at.after + o->at.works + WK_DAMPING;
  if (!o->theta_varies[at->theta + TH_RHO] && !o->theta_varies[at->theta + TH_RAYLEIGH] &&
      !memchr(o->theta_varies + at->length, 1, (size_t)c->n) &&
      !memchr(o->theta_varies + at->mass, 1, (size_t)c->n + 1))
    return;
  for (int i = 0; i <= c->n; i++) {
    double dq[12] = {0}, dv[12] = {0}, ma[12] = {0}, mv[12] = {0}, alone = 0;
    for (int k = 0, n = i * c->b; k < (i < c->n ? 2 : 1) * c->b; k++, n++) {
      dq[k] = c->q[n] - c->q0[n];
      dv[k] = c->v[n] - c->v0[n];
      ma[k] = (c->a[n] + c->a0[n]) / 2;
      mv[k] = (c->v[n] + c->v0[n]) / 2;
    }
    for (int d = 0; d < c->dim; d++) alone += dq[d] * ma[d] - dv[d] * mv[d];
    cps_put_number(&to, solver, at->mass + i, alone);
    if (i == c->n) break;
    const element_row moved = {.cable = cable_of, .i = i, .a = ma, .w = dq},
                      faster = {.cable = cable_of, .i = i, .a = mv, .w = dv},
                      damped = {.cable = cable_of, .i = i, .q = c->q + i * c->b, .v = mv, .w = dq};
    cps_put_section(&to, solver, &moved, 1 << TH_RHO, 1);
    cps_put_section(&to, solver, &faster, 1 << TH_RHO, -1);
    cps_put_section(&to, damping, &damped, 1 << TH_RAYLEIGH, 1);
  }
}

/* Power of objective damping at one end of the step, h/2 of it. */
static void add_objective(model *o, int cable_of, double h, int before) {
  const cable *c = &o->m.cable[cable_of];
  const sink to = cps_sink_list(o, &o->work, before);
  const double *q = before ? c->q0 : c->q, *v = before ? c->v0 : c->v;
  if (!(c->section.axial_damping > 0 || c->section.bending_damping > 0)) return;
  for (int i = 0; i < c->n; i++) {
    const element_row lost = {.cable = cable_of, .i = i, .q = q + i * c->b, .v = v + i * c->b};
    cps_put_element(&to, o->at.after + o->at.works + WK_DAMPING, &lost, OF_LOSS, h / 2);
  }
}

/* Loads on ends, and what moves them. */
static void add_ends(model *o, int cable_of) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  int row = o->at.after + o->at.works + WK_LOAD;
  const sink side[2] = {cps_sink_list(o, &o->work, 1), cps_sink_list(o, &o->work, 0)};
  for (int e = 0; e < 2 && c->seam < 0; e++)
    for (int d = 0; d < c->dim; d++) {
      int k = (e ? c->n : 0) * c->b + d, load = at->end + e * DY_END + DY_LOAD + d;
      double moved = c->q[k] - c->q0[k], mean = (c->load[e][d] + c->loads0[e][d]) / 2;
      for (int i = 0; i < 2; i++) {
        cps_put_coordinate(&side[i], row, cable_of, k, i ? mean : -mean, 0, 0);
        cps_put_given(&side[i], row, load, moved / 2);
      }
      int on_rim = cps_reaction_prescribed(&o->m, c, e);
      if (!on_rim && (!(c->fixed[e ? c->n : 0] >> d & 1) || !cps_drive_places(c, e, d))) continue;
      int drives = o->at.after + o->at.works + WK_MOTION, reaction = at->reaction + e * c->dim + d;
      double force = (c->reaction[e][d] + c->reaction0[e][d]) / 2, turned = force, carried = 0;
      if (on_rim) { /* prescribed are the drum's centre, unless a body carries it, or its angle, unless the cables turn it */
        int i = c->end[e].drum;
        const drum *g = &o->m.drum[i], *g0 = &o->m.drum0[i];
        turned = g->angle_at < 0 ? force : 0;
        carried = (g->carrier < 0 ? force : 0) - turned;
        double centre = g->center[d] - g0->center[d];
        moved = (g->carrier < 0 ? centre : 0) + (g->angle_at < 0 ? moved - centre : 0);
        for (int n = 0; n < 2; n++) cps_put_center(&side[n], drives, i, d, n ? carried : -carried, 0, 0);
      }
      for (int i = 0; i < 2; i++) {
        cps_put_coordinate(&side[i], drives, cable_of, k, i ? turned : -turned, 0, 0);
        cps_entries_add(&o->work, drives, side[i].state + reaction, moved / 2);
      }
    }
}

/* solver: dq.M (mean a) - dv.M (mean v); damping: dq.C (mean v). */
static void add_elements(model *o) {
  double *dq = o->room[0], *dv = o->room[1], *mv = o->room[2], *ma = o->room[3];
  chain_work *w = &o->dense;
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int k = 0; k < at->e; k++) {
      int n = at->w + k;
      dq[n] = c->q[k] - c->q0[k];
      dv[n] = c->v[k] - c->v0[k];
      mv[n] = (c->v[k] + c->v0[k]) / 2;
      ma[n] = (c->a[k] + c->a0[k]) / 2;
    }
  }
  for (int k = 0; k < o->at.ws; k++)
    w->solver_q[k] = w->solver_v[k] = w->solver_a[k] = w->solver_u[k] = w->damping_q[k] = w->damping_u[k] = 0;
  for (int i = 0; i < o->n_inertia; i++) { /* M and C times all of them, in one go */
    chain_product p = o->inertia[i];
    w->solver_q[p.at] += p.mass * ma[p.column];
    w->solver_v[p.at] -= p.mass * mv[p.column];
    w->solver_a[p.at] += p.mass / 2 * dq[p.column];
    w->solver_u[p.at] -= p.mass / 2 * dv[p.column];
    w->damping_q[p.at] += p.damping * mv[p.column];
    w->damping_u[p.at] += p.damping / 2 * dq[p.column];
  }
}

void cps_model_works(model *o, double t, double h, int all_of) {
  o->work.n = 0;
  if (o->at.nb > 0) cps_border_end(o, t);
  for (int i = 0; i < o->m.n_cables; i++) {
    add_points(o, i);
    if (!all_of) continue;
    add_ends(o, i);
    add_products(o, i);
    add_objective(o, i, h, 1);
    add_objective(o, i, h, 0);
  }
  if (o->m.n_slides > 0) cps_slides_works(o);
  o->has_dense = all_of;
  if (!all_of) return;
  add_elements(o);
  if (o->at.nb > 0) cps_border_works(o, t, h);
}

/* ------------------------------------------------------------------ stored energy */

static void add_kinetic(model *o, entries *list, int row) {
  const sink to = cps_sink_list(o, list, 0);
  double *v = o->room[0], *product = o->room[1];
  for (int i = 0; i < o->m.n_cables; i++)
    memcpy(v + o->at.cable[i].w, o->m.cable[i].v, (size_t)o->at.cable[i].e * sizeof(double));
  multiply(o, v, product);
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    for (int k = 0; k < at->e; k++) cps_entries_add(list, row, o->at.after + at->v + k, product[at->w + k]);
    for (int k = 0; k <= c->n; k++) {
      const double *x = c->v + k * c->b;
      double square = 0;
      for (int d = 0; d < c->dim; d++) square += x[d] * x[d];
      cps_by_theta(o, list, row, at->mass + k, square / 2);
      if (k == c->n) continue;
      const element_row y = {.cable = i, .i = k, .a = x, .w = x};
      cps_put_section(&to, row, &y, 1 << TH_RHO, 0.5);
    }
  }
}

static void add_gravity(model *o, entries *list, int row) {
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_at *at = &o->at.cable[i];
    double rho = c->section.rho;
    for (int k = 0; k <= c->n; k++) {
      const double *q = c->q + k * c->b;
      for (int d = 0; d < c->dim; d++) {
        double g = c->gravity[d], l = k < c->n ? c->length[k] : 0;
        double w[4] = {l / 2, l * l / 12, l / 2, -l * l / 12}, sum = 0, by_l = 0,
               w_l[4] = {0.5, l / 6, 0.5, -l / 6};
        for (int s = 0; s < 4 && k < c->n; s++) {
          sum += w[s] * q[s * c->dim + d];
          by_l += w_l[s] * q[s * c->dim + d];
          cps_entries_add(list, row, o->at.after + at->q + k * c->b + s * c->dim + d, -rho * g * w[s]);
        }
        cps_entries_add(list, row, o->at.after + at->q + k * c->b + d, -c->mass[k] * g);
        cps_by_theta(o, list, row, at->mass + k, -g * q[d]);
        cps_by_theta(o, list, row, o->at.gravity + d, -rho * sum - c->mass[k] * q[d]);
        cps_by_theta(o, list, row, at->theta + TH_RHO, -g * sum);
        if (k < c->n && o->theta_varies[at->length + k])
          cps_entries_add(list, row, o->at.theta + at->length + k, -rho * g * by_l);
      }
    }
  }
}

static void add_contact_energy(model *o, entries *list, int cable_of, int row) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    contact_tangent s;
    cps_contact_tangent_place(&o->m, c, p, &s);
    if (s.drum < 0) continue;
    cps_normal_output slow;
    cps_normal_eval(c->contact.normal, c->contact.normal_p, s.depth, 0, &slow);
    double n = p->weight * slow.n;
    tangent_row x = {.radius = n,
                     .weight = cps_normal_energy(c->contact.normal, c->contact.normal_p, s.depth)};
    for (int d = 0; d < c->dim; d++) x.r[d] = -n * s.n[d];
    for (int j = 0; j < c->contact.normal->n_params; j++) {
      if (!o->theta_varies[at->theta + TH_NORMAL + j]) continue;
      double step = 1e-3 * fmax(fabs(c->contact.normal_p[j]), 1e-3), moved[CPS_MAX_PARAMS];
      for (int i = 0; i < SENS_SHADOWS; i++) {
        memcpy(moved, c->contact.normal_p, sizeof moved);
        moved[j] += step * cps_sens_place[i];
        x.normal[j] += cps_sens_share[i] / step * p->weight *
                       cps_normal_energy(c->contact.normal, moved, s.depth);
      }
    }
    const point_row to = {cps_sink_list(o, list, 0), cable_of, k, &s};
    cps_put_point(&to, row, &x, 1);
  }
}

static void add_elastic(model *o, entries *list, int row) {
  const sink to = cps_sink_list(o, list, 0);
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const cable_section elastic = cps_section_of(c, OF_ELASTICITY);
    for (int k = 0; k < c->n; k++) {
      const element_row y = {.cable = i, .i = k, .q = c->q + k * c->b, .v = c->v + k * c->b, .stores = 1};
      double f[12] = {0};
      cps_element_force(c->dim, &elastic, c->length[k], y.q, y.v, f, 1, 0, NULL, NULL);
      for (int s = 0; s < 2 * c->b; s++) cps_put_coordinate(&to, row, i, k * c->b + s, f[s], 0, 0);
      cps_put_section(&to, row, &y, OF_ELASTICITY, 1);
    }
    add_contact_energy(o, list, i, row);
  }
}

void cps_model_energy(model *o, entries *list, const int row[3]) {
  if (row[0] >= 0) add_kinetic(o, list, row[0]);
  if (row[1] >= 0) add_elastic(o, list, row[1]);
  if (row[2] >= 0) add_gravity(o, list, row[2]);
  if (o->at.nb > 0) cps_border_energy(o, list, row);
}
