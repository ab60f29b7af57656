/* machine.c - makes a machine of a scenario, moves what is prescribed, and applies Newton's steps. */
#include "machine.h"
#include "cable_shapes.h"
#include "contact_place.h"
#include "start_rest.h"
#include "start_tension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ bodies */

/* Sorts bodies into ends of cables and bodies of the border. */
static void sort_bodies(machine *m) {
  const cps_scenario *s = m->of;
  for (int i = 0; i < s->n_bodies; i++) {
    const scenario_body *of = &s->bodies[i];
    m->body_border[i] = -1;
    if (of->kind == BODY_SURFACE || m->body_cable[i] >= 0 || cps_body_is_reduced(s, i)) continue;
    machine_body *y = &m->body[m->n_bodies];
    m->body_border[i] = m->n_bodies++;
    y->of = of;
    y->index = i;
    y->mass = of->mass;
    y->n = y->rows = cps_body_freedoms(m->system, i);
    y->press_at = -1;
    for (int d = 0; d < 3; d++) {
      if (of->kind == BODY_LINE) {
        y->base[d] = of->origin[d];
        y->along[0][d] = of->direction[d];
      } else {
        y->along[d][d] = 1;
      }
    }
  }
}

/* Whether a cable pulls at a body, or it carries a drum. */
static int is_pulled(const cps_scenario *s, int body) {
  int pulled = 0;
  for (int k = 0; k < s->n_drums; k++) pulled |= s->drums[k].carrier == body;
  for (int k = 0; k < 2 * s->n_elements; k++) {
    const scenario_cable *c = &s->cables[k / 2];
    pulled |= !c->closed && cps_end_is(c->end[k % 2].kind, END_ON_BODY) && c->end[k % 2].body == body;
  }
  return pulled;
}

/* Numbers the unknowns of bodies that cables pull at, or of the others. */
static void number_bodies(machine *m, int pulled) {
  for (int i = 0; i < m->n_bodies; i++) {
    machine_body *y = &m->body[i];
    if (is_pulled(m->of, y->index) != pulled) continue;
    y->at = m->nb;
    for (int k = 0; k < y->n; k++) {
      y->row[k] = y->at + k;
      m->unknown[m->system->body_q[y->index] + k] = y->at + k;
    }
    m->nb += y->n;
  }
}

/* Bodies that have nothing to do with any cable. */
static void find_apart(machine *m) {
  const cps_scenario *s = m->of;
  for (int i = 0; i < m->n_bodies; i++) m->body[i].apart = !is_pulled(s, m->body[i].index);
  for (int changed = 1; changed;) {
    changed = 0;
    for (int k = 0; k < s->n_springs + s->n_contacts; k++) {
      int spring = k < s->n_springs, c = k - s->n_springs;
      int ends[2] = {spring ? s->springs[k].end[0].body : s->contacts[c].body[0],
                     spring ? s->springs[k].end[1].body : s->contacts[c].body[1]};
      if (ends[0] < 0 || ends[1] < 0 || m->body_border[ends[0]] < 0 || m->body_border[ends[1]] < 0) continue;
      machine_body *a = &m->body[m->body_border[ends[0]]], *b = &m->body[m->body_border[ends[1]]];
      if (a->apart == b->apart) continue;
      a->apart = b->apart = 0;
      changed = 1;
    }
  }
  for (int i = 0; i < m->n_bodies; i++) m->n_apart += m->body[i].apart;
}

/* What cables press a body onto its line with is an unknown, if a normal force follows from it. */
static void find_presses(machine *m) {
  const cps_system *s = m->system;
  for (int i = 0; i < m->n_bodies; i++) {
    machine_body *y = &m->body[i];
    int q = s->body_q[y->index], presses = 0;
    for (int k = 0; k < s->nc; k++)
      presses |= s->contacts[k].normal != NORMAL_GIVEN && cps_rests_on(s, q, s->contacts[k].a);
    if (!presses || y->of->kind != BODY_LINE || !is_pulled(m->of, y->index)) continue;
    for (int d = 0; d < 3; d++) y->along[y->n][d] = -s->up[q][d];
    y->press_at = y->row[y->rows++] = m->nb++;
    m->forces.hangs = 1;
  }
}

static void start_bodies(machine *m, const drawing *drawn) {
  for (int i = 0; i < m->n_bodies; i++) {
    machine_body *y = &m->body[i];
    y->held = m->of->run.from < y->of->held_until;
    for (int k = 0; k < y->n; k++) {
      *m->free[y->at + k].q = drawn->body[y->of - m->of->bodies][k];
      *m->free[y->at + k].v = y->held ? 0 : y->of->v[k];
    }
  }
}

/* ------------------------------------------------------------------ drums and friction of the border */

/* Whether a cable in few variables runs over a drum, and so turns it. */
static int is_reduced(const cps_scenario *s, int index) {
  for (int i = s->n_elements; i < s->n_cables; i++)
    for (int k = 0; k < s->cables[i].n_path; k++)
      if (cps_item_is(&s->cables[i].path[k], ITEM_WRAPS) && s->cables[i].path[k].drum == index) return 1;
  return 0;
}

static void make_drum(machine *m, drum *g, const scenario_drum *of, const double *center) {
  g->of = of;
  g->elsewhere = is_reduced(m->of, (int)(of - m->of->drums));
  g->radius = of->radius;
  memcpy(g->axis, of->axis, sizeof g->axis);
  memcpy(g->center, center, sizeof g->center);
  g->angle_at = g->bearing = -1;
  g->carrier = of->carrier >= 0 ? m->body_border[of->carrier] : -1;
  if (cps_drum_is_free(of) && !g->elsewhere) g->angle_at = m->nb++;
  g->braked = !cps_drive_is(of, DRIVE_RELEASES);
  for (int i = 0; i < m->of->n_cables; i++) g->braked |= m->of->cables[i].start_braked;
}

static slide *add_slide(machine *m) {
  slide *y = &m->slide[m->n_slides++];
  y->at[0] = y->at[1] = -1;
  y->f_at = m->nb++;
  y->p.drum = y->p.near = y->p.drum0 = -1;
  y->p.mode[0] = y->p.mode[1] = CPS_MODE_FREE;
  y->p.weight = 1;
  return y;
}

static void make_bearings(machine *m) {
  const double none[CPS_MAX_PARAMS] = {0};
  for (int i = 0; i < m->n_drums; i++) {
    drum *g = &m->drum[i];
    if (!g->of->bearing || g->angle_at < 0) continue;
    if (g->of->bearing_load < 0) g->bearing = m->n_slides;
    slide *y = add_slide(m);
    y->drum = i;
    y->at[0] = g->angle_at;
    y->factor[0] = g->of->bearing_radius;
    y->p.mass = g->of->inertia / (g->of->bearing_radius * g->of->bearing_radius);
    cps_contact_law_set(&y->law, cps_normal_at(0), none, g->of->bearing, g->of->bearing_p);
  }
}

static void make_rails(machine *m) {
  const cps_scenario *s = m->of;
  const int locates = strcmp(s->run.solver, "alpha") == 0;
  const double none[CPS_MAX_PARAMS] = {0};
  for (int i = 0; i < s->n_contacts; i++) {
    const scenario_contact *of = &s->contacts[i];
    const contact *c = &m->system->contacts[i];
    slide *y = add_slide(m);
    y->contact = of;
    y->index = i;
    y->drum = -1;
    y->at[0] = m->unknown[c->a];
    y->at[1] = m->unknown[c->b];
    y->factor[0] = 1;
    y->factor[1] = c->sb;
    if (of->body[1] >= 0 && s->bodies[of->body[1]].kind == BODY_SURFACE) y->surface = &s->bodies[of->body[1]];
    memcpy(y->y.z[0], of->z, sizeof of->z);
    cps_contact_law_set(&y->law, cps_normal_at(0), none, of->law, of->p);
    y->law.located = locates && of->law->n_states && of->law->n_modes;
    if (y->law.located) y->law.walks = 0;
  }
}

/* ------------------------------------------------------------------ cables */

static void set_section(cable *c, const scenario_cable *of) {
  cable_section s = {.ea = of->ea,
                     .ei = of->ei,
                     .rho = of->rho,
                     .rayleigh = of->rayleigh,
                     .axial_damping = of->axial_damping,
                     .bending_damping = of->bending_damping,
                     .strain = of->engineering ? STRAIN_ENGINEERING : STRAIN_GREEN,
                     .slack = of->tension_only ? SLACK_STRAIN : 0,
                     .curvature = of->exact_curvature ? CURVATURE_EXACT : CURVATURE_APPROXIMATE,
                     .axial_points = of->axial_points,
                     .bending_points = of->bending_points};
  if (s.slack > 0) s.lag = s.axial_damping / s.ea;
  c->section = c->extra = s;
  c->extra.ea = c->extra.rayleigh = 0;
  if (s.curvature == CURVATURE_APPROXIMATE) c->extra.ei = 0;
  c->has_extra = c->extra.ei > 0 || s.axial_damping > 0 || s.bending_damping > 0;
}

double cps_node_length(const cable *c, int i) {
  double before = i > 0 ? c->length[i - 1] : c->of->closed ? c->length[c->n - 1] : 0;
  return (before + (i < c->n ? c->length[i] : 0)) / 2;
}

void cps_point_make(cable *c, int i, int j, double s) {
  const double *x = NULL, *w = NULL;
  int gauss = c->of->contact.quadrature, even = c->of->contact.even;
  double l = c->length[i < c->n ? i : c->n - 1], n1[4], n2[4];
  contact_point *p = &c->point[i * c->per_node + j];
  memset(p, 0, sizeof *p);
  p->node = i;
  p->drum = p->near = p->drum0 = -1;
  p->clear = -1;
  p->mode[0] = p->mode[1] = CPS_MODE_FREE;
  p->weight = p->shape[0] = 1;
  p->s = s;
  p->mass = c->section.rho * l + c->mass[i];
  /* What is fixed to a rim does not also rub on it: it would stick with any friction force. */
  if (gauss == 0 && ((i == 0 && cps_end_is(c->end[0].kind, END_ON_DRUM)) ||
                     (i == c->n && cps_end_is(c->end[1].kind, END_ON_DRUM))))
    p->clear = INFINITY;
  if (gauss == 0 && !c->of->contact.of_node) p->weight = cps_node_length(c, i);
  if (gauss == 0) return;
  /* Points that are equally far from each other let a pattern that repeats with every element cancel, as it is
   * when elements run onto a drum one after the other; with Gauss points a quarter of it is left. */
  cps_gauss(gauss, &x, &w);
  double at_x = even ? (j + 0.5) / gauss : x[j];
  cps_element_shape(l, at_x, p->shape, n1, n2);
  p->weight = (even ? 1.0 / gauss : w[j]) * l;
  p->s += at_x * l;
  p->mass = c->section.rho * p->weight;
}

static void make_points(cable *c) {
  double s = 0;
  for (int i = 0; i <= c->n; i++) {
    for (int j = 0; j < c->per_node && i * c->per_node + j < c->n_points; j++) cps_point_make(c, i, j, s);
    if (i < c->n) s += c->length[i];
  }
}

/* What the ends are tied to, and which of their coordinates do not follow the equations. */
static void make_ends(machine *m, cable *c) {
  unsigned place = m->dim == 2 ? 0x3 : 0x7, all = m->dim == 2 ? 0xf : 0x3f;
  for (int e = 0; e < 2; e++) {
    tie *t = &c->end[e];
    const cable_end *of = &c->of->end[e];
    const double *r = c->q + (e == 0 ? 0 : c->n * c->b);
    int node = e == 0 ? 0 : c->n;
    t->kind = of->kind;
    t->body = t->drum = -1;
    if (c->of->closed) {
      t->kind = NULL;
      continue;
    }
    t->force = (const profile *const *)of->force;
    t->shift = (const profile *const *)of->shift;
    memcpy(t->at, r, (size_t)m->dim * sizeof(double));
    if (cps_end_is(t->kind, END_ON_BODY)) {
      t->body = m->body_border[of->body];
      if (t->body < 0) {
        const scenario_body *b = &m->of->bodies[of->body];
        c->mass[node] += b->mass;
        for (int d = 0; d < m->dim && m->of->run.from >= b->held_until; d++) c->v[node * c->b + d] = b->v[d];
      }
    } else if (cps_end_is(t->kind, END_AT_PLACE)) {
      c->fixed[node] = (unsigned char)(cps_end_is(t->kind, END_KEEPS_DIRECTION) ? all : place);
    } else if (cps_end_is(t->kind, END_ON_DRUM)) {
      const drum *g = &m->drum[of->drum];
      double u[3], w[3], x = 0, y = 0;
      t->drum = of->drum;
      cps_drum_frame(g->axis, u, w);
      for (int d = 0; d < m->dim; d++) {
        x += (r[d] - g->center[d]) * u[d];
        y += (r[d] - g->center[d]) * w[d];
        t->height += (r[d] - g->center[d]) * (m->dim == 3 ? g->axis[d] : 0);
      }
      t->angle = atan2(y, x);
      if (g->angle_at < 0 && g->carrier < 0) c->fixed[node] = (unsigned char)place;
    }
  }
}

static int make_arrays(machine *m, cable *c) {
  pool *p = &m->pool;
  int nodes = c->n + 1;
  POOL_ARRAY(p, c->length, c->n);
  POOL_ARRAY(p, c->mass, nodes);
  POOL_ARRAY(p, c->rise, nodes * c->b);
  POOL_ARRAY(p, c->trend, nodes);
  POOL_ARRAY(p, c->fixed, nodes);
  POOL_ARRAY(p, c->point, c->n_points);
  POOL_ARRAY(p, c->start, c->n_points);
  POOL_ARRAY(p, c->f0, c->n_points * AXES);
  POOL_ARRAY(p, c->trace, c->n_points);
  POOL_ARRAY(p, c->slip_work, m->n_drums);
  POOL_ARRAY(p, c->crossed, m->n_drums);
  POOL_ARRAY(p, c->room, cps_cable_room(m, c));
  POOL_ARRAY(p, c->draft, 16 * c->n_points + 4);
  POOL_ARRAY(p, c->tension, c->n);
  if (c->of->follows) POOL_ARRAY(p, c->place, nodes);
  if (c->of->follows) POOL_ARRAY(p, c->wanted, c->n);
  if (c->of->contact.law && c->of->contact.law->n_states) POOL_ARRAY(p, c->memory, c->n_points);
  return !p->lost;
}

/* How many of everything a cable has, and its parts of the state. */
static void size_cable(machine *m, cable *c, int index, const shape *drawn) {
  const scenario_cable *of = c->of = &m->of->cables[index];
  c->dim = m->dim;
  c->b = 2 * m->dim;
  c->n = drawn->n;
  int gauss = of->contact.quadrature;
  c->per_node = gauss > 0 ? gauss : 1;
  c->slots = c->per_node * (m->dim - 1);
  c->n_points = !of->contact.law ? 0 : gauss > 0 ? gauss * c->n : c->n + !of->closed;
  c->all_stick = of->contact.law && of->contact.reading == STICK_ALL;
  c->width = c->b + c->slots;
  size_t entries = cps_cable_entries(c);
  cps_block_part(&m->state, "cable.q", &c->q, &c->q0, entries);
  cps_block_part(&m->state, "cable.v", &c->v, &c->v0, entries);
  cps_block_part(&m->state, "cable.a", &c->a, &c->a0, entries);
  cps_block_part(&m->state, "cable.aux", &c->aux, &c->aux0, entries);
  if (!c->all_stick) return;
  cps_block_part(&m->state, "cable.gap", &c->gap, &c->gap0, entries);
  cps_block_part(&m->state, "cable.pull", &c->pull, &c->pull0, (size_t)(c->n_points * AXES));
}

/* Where the unknowns of the border lie in the state. */
static void place_unknowns(machine *m) {
  const cps_system *s = m->system;
  for (int k = 0; k < m->nb; k++) {
    double **own[] = {&m->free[k].q, &m->free[k].v, &m->free[k].a, &m->free[k].aux};
    double **own0[] = {&m->free[k].q0, &m->free[k].v0, &m->free[k].a0, &m->free[k].aux0};
    for (int j = 0; j < 4; j++) {
      *own[j] = m->own[j] + k;
      *own0[j] = m->own0[j] + k;
    }
  }
  for (int c = 0; c < s->nd; c++) {
    if (m->unknown[c] < 0) continue;
    dof *f = &m->free[m->unknown[c]];
    f->q = m->y + c;
    f->v = m->y + s->nx + c;
    f->a = m->a + c;
    f->q0 = m->y0 + c;
    f->v0 = m->y0 + s->nx + c;
    f->a0 = m->a0 + c;
  }
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    m->free[y->f_at].kind = DOF_FRICTION;
    if (!y->contact) continue;
    m->free[y->f_at].q = m->f + y->index;
    m->free[y->f_at].q0 = m->f0 + y->index;
  }
}

/* Makes the state of everything; 0 if out of memory. */
static int make_state(machine *m, const shape *drawn) {
  static const char *const names[] = {"freedom.q", "freedom.v", "freedom.a", "freedom.aux"};
  const cps_system *s = m->system;
  cps_block_part(&m->state, NULL, &m->y, &m->y0, (size_t)s->ny); /* listed by its own parts */
  cps_block_part(&m->state, "bodies.a", &m->a, &m->a0, (size_t)s->nx);
  cps_block_part(&m->state, "contacts.f", &m->f, &m->f0, (size_t)s->nc);
  for (int j = 0; j < 4; j++) cps_block_part(&m->state, names[j], &m->own[j], &m->own0[j], (size_t)m->nb);
  for (int i = 0; i < m->n_cables; i++) size_cable(m, &m->cable[i], i, &drawn[i]);
  if (!cps_block_make(&m->state)) return 0;
  place_unknowns(m);
  return 1;
}

/* Where drums share their room, or the way runs through one that it is not led around there, the way as it is drawn tells which drum a point
 * starts on. */
static void find_homes(const machine *m, cable *c, const shape *drawn) {
  const double through = 0.05; /* of a radius */
  int n = c->n_drums < 0 ? m->n_drums : c->n_drums, any = 0;
  double length = c->point[c->n_points - 1].s;
  for (int j = 0; j < c->n_points; j++) {
    contact_point *p = &c->point[j];
    double r[3];
    cps_point_of(p, c->q + p->node * c->b, m->dim, r);
    for (int i = 0; i < drawn->n_wraps; i++)
      if (p->s >= drawn->wraps[i].from * length && p->s <= drawn->wraps[i].to * length)
        p->drum0 = drawn->wraps[i].drum;
    for (int i = 0; i < n; i++) {
      int k = c->n_drums < 0 ? i : c->drums[i];
      if (k == p->drum0) continue;
      int shared = 0;
      for (int o = 0; o < n; o++) {
        int other = c->n_drums < 0 ? o : c->drums[o];
        shared |= other != k && cps_drums_overlap(m, other, k);
      }
      int crossed = cps_drum_gap(m, k, r) < -through * m->drum[k].radius;
      any |= shared || crossed;
      if (crossed) c->crossed[k] |= shared ? 1 : 2;
    }
  }
  for (int j = 0; j < c->n_points; j++) {
    contact_point *p = &c->point[j];
    if (any)
      p->drum = p->near = p->drum0;
    else
      p->drum0 = -1;
  }
}

static cps_status make_cable(machine *m, cable *c, const shape *drawn, cps_error *err) {
  const scenario_cable *of = c->of;
  memcpy(c->gravity, m->gravity, sizeof c->gravity);
  set_section(c, of);
  c->n_drums = of->contact.n_drums;
  c->drums = of->contact.drums;
  if (!make_arrays(m, c))
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for cable %s", of->name);
  memcpy(c->length, drawn->length, (size_t)c->n * sizeof(double));
  memcpy(c->q, drawn->q, cps_cable_entries(c) * sizeof(double));
  double s = 0;
  for (int i = 0; i <= c->n; i++) { /* point masses go to the nearest node */
    double half = i < c->n ? c->length[i] / 2 : INFINITY, back = i > 0 ? c->length[i - 1] / 2 : INFINITY;
    for (int k = 0; k < of->n_masses; k++)
      if (of->masses[k].at >= s - back && of->masses[k].at < s + half) c->mass[i] += of->masses[k].mass;
    if (i < c->n) s += c->length[i];
  }
  c->on = drawn->on;
  c->unit = s / fmax(c->on.units, 1);
  for (int i = 0; i < c->n && c->place; i++) /* of the sum of all lengths s */
    c->place[i + 1] = c->place[i] + (int)lround(c->length[i] / c->unit);
  make_ends(m, c);
  if (c->n_points > 0) {
    cps_contact_law_set(&c->contact, of->contact.normal, of->contact.normal_p, of->contact.law,
                        of->contact.p);
    make_points(c);
    find_homes(m, c, drawn);
  }
  for (int j = 0; j < c->b && c->seam >= 0; j++) *m->free[c->seam + j].q = c->q[j];
  return CPS_OK;
}

/* Tables of bodies and what acts on them, and room for it; 0 if out of memory. */
static int make_tables(machine *m) {
  cps_system *s = m->system = cps_bodies_new(m->of);
  if (!s || cps_workspace_make(s, &m->forces, NULL) != CPS_OK) return 0;
  int springs = m->of->n_springs;
  double **arrays[] = {&m->start.load,   &m->start_q,     &m->start_f, &m->start.extension,
                       &m->start.damper, &m->start.drive, &m->room};
  int sizes[] = {s->n_loads, s->nx, s->nc, springs, springs, s->nx, s->nx};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) POOL_ARRAY(&m->pool, *arrays[i], sizes[i]);
  POOL_ARRAY(&m->pool, m->unknown, s->nx);
  if (m->pool.lost) return 0;
  m->start.q = m->start_q;
  m->start.f = m->start_f;
  m->body_cable = s->end_cable;
  m->body_end = s->end_side;
  for (int i = 0; i < s->nx; i++) m->unknown[i] = -1;
  return 1;
}

/* Where laws have states; 0 if out of memory. */
static int list_sites(machine *m) {
  int most = m->n_slides;
  for (int i = 0; i < m->n_cables; i++) most += m->cable[i].memory ? m->cable[i].n_points : 0;
  if (!POOL_ARRAY(&m->pool, m->site, most)) return 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; c->memory && k < c->n_points; k++)
      m->site[m->n_sites++] = (law_site){&c->memory[k], &c->point[k], &c->contact, m->dim - 1, 1};
  }
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    if (y->law.law->n_states) m->site[m->n_sites++] = (law_site){&y->y, &y->p, &y->law, 1, 0};
  }
  return 1;
}

cps_status cps_machine_make_drawn(machine *m, const cps_scenario *s, const drawing *drawn, cps_error *err) {
  memset(m, 0, sizeof *m);
  m->of = s;
  m->dim = s->dim == 3 ? 3 : 2;
  memcpy(m->gravity, s->gravity, sizeof m->gravity);
  m->convergence.balance = s->run.balance;
  m->audited = s->run.from;
  m->n_drums = s->n_drums;
  m->n_cables = s->n_elements;
  pool *p = &m->pool;
  POOL_ARRAY(p, m->cable, s->n_elements);
  POOL_ARRAY(p, m->drum, s->n_drums);
  POOL_ARRAY(p, m->drum0, s->n_drums);
  POOL_ARRAY(p, m->body, s->n_bodies);
  POOL_ARRAY(p, m->body_border, s->n_bodies);
  POOL_ARRAY(p, m->slide, s->n_drums + s->n_contacts);
  int good = !p->lost && make_tables(m);
  if (good) {
    sort_bodies(m);
    number_bodies(m, 1);
    find_presses(m);
    find_apart(m);
    for (int i = 0; i < m->n_drums; i++) make_drum(m, &m->drum[i], &s->drums[i], drawn->drum[i]);
    make_bearings(m);
    for (int i = 0; i < m->n_cables; i++) {
      m->cable[i].seam = s->cables[i].closed ? m->nb : -1;
      m->nb += s->cables[i].closed ? 2 * m->dim : 0;
    }
    m->near = m->nb;
    number_bodies(m, 0);
    make_rails(m);
    POOL_ARRAY(p, m->free, m->nb);
    POOL_ARRAY(p, m->s, m->near * m->near);
    POOL_ARRAY(p, m->rhs, m->nb);
    POOL_ARRAY(p, m->owner, m->nb);
    good = !p->lost && make_state(m, drawn->cable) && cps_border_prepare(m);
  }
  for (int k = 0; good && k < m->nb; k++) m->owner[k] = -1;
  for (int i = 0; good && i < m->n_bodies; i++)
    for (int k = 0; k < m->body[i].n; k++) m->owner[m->body[i].at + k] = i;
  for (int i = 0; good && i < m->n_bodies; i++)
    if (m->body[i].press_at >= 0) m->free[m->body[i].press_at].kind = DOF_PRESS;
  if (!good) {
    cps_machine_free(m);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the cables");
  }
  start_bodies(m, drawn);
  cps_slides_weigh(m);
  for (int i = 0; i < m->n_cables; i++) {
    cps_status status = make_cable(m, &m->cable[i], &drawn->cable[i], err);
    if (status == CPS_OK) continue;
    cps_machine_free(m);
    return status;
  }
  if (!list_sites(m)) {
    cps_machine_free(m);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the cables");
  }
  for (int i = 0; i < m->n_drums; i++) {
    drum *g = &m->drum[i];
    for (int d = 0; d < m->dim && g->carrier >= 0; d++) {
      const machine_body *y = &m->body[g->carrier];
      g->offset[d] = g->center[d] - y->base[d];
      for (int k = 0; k < y->n; k++) g->offset[d] -= *m->free[y->at + k].q * y->along[k][d];
    }
    if (g->angle_at >= 0) *m->free[g->angle_at].v = g->of->rate;
  }
  cps_machine_tie(m);
  cps_machine_move(m, s->run.from, s->run.from);
  return CPS_OK;
}

cps_status cps_machine_make(machine *m, const cps_scenario *s, cps_error *err) {
  drawing drawn = {0};
  cps_error *wrong = calloc((size_t)s->n_cables + 1, sizeof *wrong);
  cps_status status = wrong && cps_drawing_make(&drawn, s, wrong)
                          ? CPS_OK
                          : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the cables");
  for (int i = 0; i < s->n_cables && status == CPS_OK; i++) {
    status = wrong[i].status;
    if (status != CPS_OK && err) *err = wrong[i];
  }
  if (status == CPS_OK) status = cps_drawing_rest(&drawn, s, err);
  if (status == CPS_OK) status = cps_drawing_tighten(&drawn, s, err);
  if (status == CPS_OK) status = cps_machine_make_drawn(m, s, &drawn, err);
  cps_drawing_free(&drawn, s);
  free(wrong);
  return status;
}

void cps_machine_free(machine *m) {
  if (m->system) cps_workspace_free(&m->forces);
  cps_system_free(m->system);
  cps_block_free(&m->state);
  cps_residual_free(&m->equations);
  cps_pool_free(&m->pool);
  memset(m, 0, sizeof *m);
}

/* ------------------------------------------------------------------ what is prescribed */

/* Moves a drum under control without inertia: the classical Runge-Kutta method in short steps. */
static void control(drum *g, double t, double h) {
  double unused[2], by[2];
  cps_drum_torque(g, t, &by[0], &by[1]);
  int parts = h > 0 ? 2 + 2 * (int)(h * (sqrt(-by[0]) - by[1])) : 0;
  for (int i = 0; i < parts; i++) {
    double s = h / parts, at = t + i * s, k[4][2];
    drum x = *g;
    for (int j = 0; j < 4; j++) {
      double c = j == 0 ? 0 : j == 3 ? s : s / 2;
      x.angle = g->angle + (j ? c * k[j - 1][0] : 0);
      x.rate = g->rate + (j ? c * k[j - 1][1] : 0);
      k[j][0] = x.rate;
      k[j][1] = cps_drum_torque(&x, at + c, &unused[0], &unused[1]);
    }
    g->angle += s / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    g->rate += s / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
  g->acceleration = cps_drum_torque(g, t + h, &unused[0], &unused[1]);
}

static void move_drum(machine *m, drum *g, double t0, double t) {
  const scenario_drum *of = g->of;
  double gone = 0;
  if (g->elsewhere) return;
  if (cps_drive_is(of, DRIVE_PRESCRIBES)) {
    profile_value s = cps_profile_now(of->motion, t, m->inputs);
    g->angle = s.y;
    g->rate = s.y_t;
    g->acceleration = s.y_tt;
  } else if (cps_drum_is_led(of)) {
    control(g, t0, t - t0);
  }
  for (int d = 0; d < m->dim && g->carrier < 0; d++) {
    if (!of->shift[d]) continue;
    profile_value s = cps_profile_now(of->shift[d], t, m->inputs);
    double before = g->center[d];
    g->center[d] = of->center[d] + s.y;
    g->center_v[d] = s.y_t;
    g->center_a[d] = s.y_tt;
    gone += fabs(g->center[d] - before);
  }
  m->travel += gone;
}

static void move_end(machine *m, cable *c, int e, double t) {
  tie *k = &c->end[e];
  int node = e == 0 ? 0 : c->n;
  memset(c->load[e], 0, sizeof c->load[e]);
  if (c->seam >= 0) return;
  for (int d = 0; d < m->dim; d++) {
    size_t at = (size_t)(node * c->b + d);
    if (k->force[d]) c->load[e][d] = cps_profile_now(k->force[d], t, m->inputs).y;
    if (cps_end_is(k->kind, END_AT_PLACE) && k->shift[d]) {
      profile_value s = cps_profile_now(k->shift[d], t, m->inputs);
      c->q[at] = k->at[d] + s.y;
      c->v[at] = s.y_t;
      c->a[at] = s.y_tt;
    }
  }
}

void cps_machine_inputs(machine *m, const input_value *in) {
  m->inputs = m->forces.inputs = in;
  for (int i = 0; i < m->n_drums; i++) m->drum[i].inputs = m->drum0[i].inputs = in;
}

void cps_machine_move(machine *m, double t0, double t) {
  for (int i = 0; i < m->n_drums; i++) move_drum(m, &m->drum[i], t0, t);
  cps_surfaces_move(m->system, &m->forces, t0, t - t0, t, m->y, m->y);
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++) move_end(m, &m->cable[i], e, t);
  for (int i = 0; i < m->of->n_bodies; i++) {
    if (m->body_cable[i] < 0) continue;
    cable *c = &m->cable[m->body_cable[i]];
    int e = m->body_end[i], node = e == 0 ? 0 : c->n;
    unsigned place = m->dim == 2 ? 0x3 : 0x7;
    c->fixed[node] = (unsigned char)(t < m->of->bodies[i].held_until ? place : 0);
    for (int k = 0; k < m->of->n_loads; k++) {
      const scenario_load *l = &m->of->loads[k];
      if (l->body != i) continue;
      double f = cps_profile_now(l->force, t, m->inputs).y;
      for (int d = 0; d < m->dim; d++) c->load[e][d] += f * l->direction[d];
    }
  }
}

int cps_machine_release(machine *m, double t) {
  cps_energy before, after;
  int released = 0;
  cps_audit_energy(m, &before);
  for (int i = 0; i < m->of->n_bodies; i++) {
    const scenario_body *b = &m->of->bodies[i];
    if (b->kind == BODY_SURFACE || t < b->held_until) continue;
    if (m->body_cable[i] >= 0) {
      cable *c = &m->cable[m->body_cable[i]];
      int node = m->body_end[i] == 0 ? 0 : c->n;
      if (!c->fixed[node]) continue;
      c->fixed[node] = 0;
      memcpy(c->v + node * c->b, b->v, (size_t)m->dim * sizeof(double));
      released = 1;
    } else if (m->body_border[i] >= 0 && m->body[m->body_border[i]].held) {
      machine_body *y = &m->body[m->body_border[i]];
      y->held = 0;
      for (int k = 0; k < y->n; k++) *m->free[y->at + k].v = b->v[k];
      released = 1;
    }
  }
  if (!released) return 0;
  cps_slides_weigh(m);
  cps_machine_tie(m);
  cps_audit_energy(m, &after);
  m->work.motion_work += after.kinetic - before.kinetic; /* done by what prescribes that velocity */
  return 1;
}

/* ------------------------------------------------------------------ what is tied */

/* Place, velocity and acceleration of a point of a drum's rim. */
static void rim(const machine *m, const drum *g, double angle, double height, double *r, double *v,
                double *a) {
  double u[3], w[3], x = cos(angle + g->angle), y = sin(angle + g->angle);
  cps_drum_frame(g->axis, u, w);
  for (int d = 0; d < m->dim; d++) {
    double out = g->radius * (x * u[d] + y * w[d]), along = g->radius * (x * w[d] - y * u[d]);
    r[d] = g->center[d] + out + (m->dim == 3 ? height * g->axis[d] : 0);
    v[d] = g->center_v[d] + g->rate * along;
    a[d] = g->center_a[d] + g->acceleration * along - g->rate * g->rate * out;
  }
}

static void tie_end(machine *m, cable *c, int e) {
  const tie *k = &c->end[e];
  size_t at = e == 0 ? 0 : (size_t)(c->n * c->b);
  double *r = c->q + at, *v = c->v + at, *a = c->a + at;
  if (c->seam >= 0) {
    for (int j = 0; j < c->b; j++) {
      const dof *f = &m->free[c->seam + j];
      r[j] = *f->q;
      v[j] = *f->v;
      a[j] = *f->a;
    }
  } else if (cps_end_is(k->kind, END_ON_DRUM)) {
    rim(m, &m->drum[k->drum], k->angle, k->height, r, v, a);
  } else if (k->body >= 0) {
    const machine_body *y = &m->body[k->body];
    memcpy(r, y->r, (size_t)m->dim * sizeof(double));
    memcpy(v, y->v, (size_t)m->dim * sizeof(double));
    memcpy(a, y->a, (size_t)m->dim * sizeof(double));
  }
}

void cps_machine_tie(machine *m) {
  for (int i = 0; i < m->n_bodies; i++) {
    machine_body *y = &m->body[i];
    for (int d = 0; d < m->dim; d++) {
      y->r[d] = y->base[d];
      y->v[d] = y->a[d] = 0;
      for (int k = 0; k < y->n; k++) {
        const dof *f = &m->free[y->at + k];
        y->r[d] += *f->q * y->along[k][d];
        y->v[d] += *f->v * y->along[k][d];
        y->a[d] += *f->a * y->along[k][d];
      }
    }
  }
  for (int i = 0; i < m->n_drums; i++) {
    drum *g = &m->drum[i];
    if (g->angle_at >= 0) {
      const dof *f = &m->free[g->angle_at];
      g->angle = *f->q;
      g->rate = *f->v;
      g->acceleration = *f->a;
    }
    if (g->carrier < 0) continue;
    const machine_body *y = &m->body[g->carrier];
    for (int d = 0; d < m->dim; d++) {
      double before = g->center[d];
      g->center[d] = y->r[d] + g->offset[d];
      g->center_v[d] = y->v[d];
      g->center_a[d] = y->a[d];
      m->travel += fabs(g->center[d] - before);
    }
  }
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++) tie_end(m, &m->cable[i], e);
}

/* ------------------------------------------------------------------ Newton */

static void apply_border(machine *m, const step_coeffs *coeffs, double scale) {
  double v_q = scale * coeffs->v_a / coeffs->q_a, a_q = scale / coeffs->q_a;
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    *f->q += scale * m->rhs[k];
    if (f->kind != DOF_PLACE) continue;
    *f->v += v_q * m->rhs[k];
    *f->a += a_q * m->rhs[k];
  }
  if (m->nb > 0) cps_machine_tie(m);
}

/* What is left of the equations of drums and bodies, the cables having followed. */
static void judge_border(const machine *m, residual_norms *left) {
  for (int k = 0; k < m->nb; k++) {
    double arm = 1;
    for (int i = 0; i < m->n_drums; i++)
      if (m->drum[i].angle_at == k) arm = m->drum[i].radius;
    if (m->free[k].kind == DOF_PLACE) left->force = fmax(left->force, fabs(m->rhs[k]) / arm);
  }
}

int cps_machine_waits(machine *m, const step_coeffs *coeffs) {
  const char *doing = m->doing ? m->doing : "a time step";
  m->stopped = cps_waits(m->of, doing, coeffs->t - coeffs->length, ++m->iterations);
  return m->stopped;
}

int cps_machine_evaluate(machine *m, const step_coeffs *coeffs, residual_norms *left) {
  memset(left, 0, sizeof *left);
  cps_slides_press(m);
  for (int i = 0; i < m->n_drums; i++) {
    m->drum[i].torque = 0;
    memset(m->drum[i].push, 0, sizeof m->drum[i].push);
  }
  memset(m->s, 0, (size_t)m->near * (size_t)m->near * sizeof(double));
  memset(m->rhs, 0, (size_t)m->nb * sizeof(double));
  for (int i = 0; i < m->n_cables; i++)
    if (!cps_cable_eliminate(m, &m->cable[i], coeffs, left)) return 0;
  cps_rims_bear(m);
  if (m->nb == 0) return 1;
  cps_border_assemble(m, coeffs, left);
  if (!(coeffs->bristle > 0)) judge_border(m, left); /* statics ends when nothing moves any more */
  return 1;
}

int cps_machine_correct(machine *m, const step_coeffs *coeffs, double most, residual_norms *left) {
  body_system *system = &m->equations.system;
  double check = 0;
  if (m->nb > 0 && (!cps_body_system_factor(system) || !cps_body_system_solve(system, m->rhs))) return 0;
  for (int k = 0; k < m->nb; k++) m->rhs[k] = -m->rhs[k];
  for (int i = 0; i < m->n_cables; i++) {
    double moved = cps_cable_substitute(m, &m->cable[i], coeffs);
    left->moved = fmax(left->moved, moved);
    check += moved;
  }
  for (int k = 0; k < m->nb; k++) {
    if (m->free[k].kind == DOF_PLACE) left->moved = fmax(left->moved, fabs(m->rhs[k]));
    check += m->rhs[k];
  }
  if (!isfinite(check) || !isfinite(left->force) || !isfinite(left->friction)) return 0;
  double scale = left->moved > most ? most / left->moved : 1;
  for (int i = 0; i < m->n_cables && scale < 1; i++) cps_cable_take_back(m, &m->cable[i], coeffs, 1 - scale);
  apply_border(m, coeffs, scale);
  return 1;
}

int cps_machine_iterate(machine *m, const step_coeffs *coeffs, double most, residual_norms *left) {
  return cps_machine_evaluate(m, coeffs, left) && cps_machine_correct(m, coeffs, most, left);
}

void cps_machine_update_contacts(machine *m, double t) {
  const double instant = 1e-8; /* [s] */
  step_coeffs coeffs = {t, instant * instant, instant, 0, 0, 0, 0, 0};
  residual_norms left;
  for (int i = 0; i < m->n_sites; i++) { /* states of laws stay, as no time passes */
    contact_memory *y = m->site[i].y;
    memcpy(y->z_star, y->z, sizeof y->z);
  }
  cps_machine_iterate(m, &coeffs, 0, &left);
}

/* ------------------------------------------------------------------ after a step */

/* The mode of a law with memory at a point; whether its states jumped. */
static int settle_law(const contact_law *l, contact_point *p, contact_memory *y, int axis) {
  double before[CPS_MAX_STATES], *z = y->z[axis];
  cps_law_input in = {p->v[axis], p->n, p->f[axis], z, y->mode1[axis]};
  size_t bytes = (size_t)l->law->n_states * sizeof(double);
  memcpy(before, z, bytes);
  if (y->mode1[axis] < 0)
    p->mode[axis] = cps_law_mode(l->law, l->p, &in);
  else
    p->mode[axis] = cps_law_settle(l->law, l->p, &in, z);
  return memcmp(before, z, bytes) != 0;
}

int cps_machine_settle(machine *m) {
  int jumped = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) c->point[k].slid = c->point[k].drum >= 0 && !c->point[k].stuck;
  }
  for (int i = 0; i < m->n_slides; i++) m->slide[i].p.slid = !m->slide[i].p.stuck;
  for (int i = 0; i < m->n_sites; i++) {
    const law_site *x = &m->site[i];
    for (int a = 0; a < x->axes && x->law->law->n_modes && !x->law->located; a++)
      jumped |= settle_law(x->law, x->p, x->y, a);
  }
  return jumped;
}
