/* sens_linear.c - the equations of bodies linearised at a point, forwards and transposed.
 *
 * With the residual of residual.c, r(y, x, p) = 0 for the unknowns x = (a, f, z_t), a change of state and parameter gives
 *
 *   dx = -K^-1 (r_y dy + r_p dp)
 *
 * where K is the sparse matrix with b_q = b_v = b_z = 0 for rates, or with those of an implicit step. Contacts
 * that stick have the row m (A a - b) = 0, so that changes of dimension need no care. Modes are those in which the laws
 * were evaluated; nothing here can change who sticks. All that is not K is lists of entries over one vector, whose rows
 * body_tangent.c knows: transposed, the same lists are read the other way round.
 *
 * What is prescribed (surfaces) is overwritten in every evaluation: so it is in the changes.
 */
#include "sens_linear.h"
#include "simd.h"

#include <string.h>

#define NUMBER double
#define OF(x)  (x)
#include "sens_elementary.h"

static void zero(double *x, int n) {
  if (n > 0) memset(x, 0, (size_t)n * sizeof(double));
}

static void take_over(double *to, const double *from, int n) {
  if (n > 0) memcpy(to, from, (size_t)n * sizeof(double));
}

static void add_to(double *to, const double *x, int n) {
  for (int i = 0; i < n; i++) to[i] += x[i];
}

/* ------------------------------------------------------------------ making */

static linear_layout lay_out(const cps_system *s, int numbers) {
  int springs = s->scenario->n_springs, at = 0;
  linear_layout l;
  const struct {
    int *part, n;
  } parts[] = {{&l.y, s->ny},         {&l.a, s->nx},          {&l.f, s->nc},        {&l.z_t, s->nz},
               {&l.load, s->n_loads}, {&l.normal, s->nc},     {&l.number, numbers}, {&l.y0, 2 * s->nx},
               {&l.f0, s->nc},        {&l.load0, s->n_loads}, {&l.r_a, s->nx},      {&l.r_f, s->nc},
               {&l.r_z, s->nz},       {&l.work, s->nw},       {&l.spring, springs}, {&l.v, s->nc},
               {&l.n, s->nc},         {&l.f_eq, s->nc},       {&l.energy, ENERGIES}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    *parts[i].part = at;
    at += parts[i].n;
  }
  l.count = at;
  return l;
}

/* Numbers that any parameter changes, and how many these are. */
static int find_numbers(linearised *p, const change *c, int n) {
  int slots = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < c[j].n_number; i++) {
      int x = c[j].number[i].i;
      if (!p->varies[x]) p->slot[x] = slots++;
      p->varies[x] = 1;
    }
  return slots;
}

cps_status cps_linearised_make(linearised *p, const cps_system *s, const change *c, int n, cps_error *err) {
  memset(p, 0, sizeof *p);
  p->s = s;
  pool *room = &p->pool;
  int springs = s->scenario->n_springs, numbers = cps_numbers_layout(s).count;
  POOL_ARRAY(room, p->varies, numbers);
  POOL_ARRAY(room, p->slot, numbers);
  if (!room->lost) p->l = lay_out(s, find_numbers(p, c, n));
  const int cause[BODY_CAUSES] = {
      [BY_PLACE] = p->l.y,        [BY_VELOCITY] = p->l.y + s->nx, [BY_STATE] = p->l.y + 2 * s->nx,
      [BY_ACCELERATION] = p->l.a, [BY_FRICTION] = p->l.f,         [BY_LOAD] = p->l.load,
      [BY_NORMAL] = p->l.normal,  [BY_NUMBER] = p->l.number};
  memcpy(p->cause, cause, sizeof cause);
  const struct {
    double **at;
    int n;
  } arrays[] = {{&p->y, s->ny},     {&p->y_t, s->ny},    {&p->a, s->nx},     {&p->f, s->nc},
                {&p->z_t, s->nz},   {&p->da, s->nx},     {&p->df, s->nc},    {&p->dz_t, s->nz},
                {&p->drive, s->nx}, {&p->z, p->l.count}, {&p->minus, s->nx}, {&p->y0, s->ny},
                {&p->f0, s->nc},    {&p->force0, s->nx}, {&p->by, s->nx}};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) POOL_ARRAY(room, *arrays[i].at, arrays[i].n);
  for (int i = 0; i < s->nx && p->minus; i++) p->minus[i] = -1;
  POOL_ARRAY(room, p->mode, s->nc);
  POOL_ARRAY(room, p->row, s->nx);
  POOL_ARRAY(room, p->row0, s->nx);
  POOL_ARRAY(room, p->spring, springs);
  POOL_ARRAY(room, p->spring0, springs);
  POOL_ARRAY(room, p->law, s->nc);
  POOL_ARRAY(room, p->law_at, s->nc);
  cps_press_causes_make(&p->presses, s, room);
  cps_status status = CPS_OK;
  if (!cps_body_tangents_make(&p->tangents0, s) || room->lost)
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  if (status == CPS_OK) status = cps_workspace_make(s, &p->k, err);
  if (status == CPS_OK) status = cps_residual_make(&p->r, s, &p->k, err);
  return status;
}

void cps_linearised_free(linearised *p) {
  cps_body_matrix_free(&p->tangents0);
  cps_entries_free(&p->rows);
  for (int i = 0; i < LINEAR_LISTS; i++) cps_entries_free(&p->lists[i]);
  if (p->r.s) cps_residual_free(&p->r);
  cps_workspace_free(&p->k);
  cps_pool_free(&p->pool);
  memset(p, 0, sizeof *p);
}

/* ------------------------------------------------------------------ going there */

/* The force on surfaces, friction included. */
static void find_drives(linearised *p) {
  const cps_system *s = p->s;
  take_over(p->drive, p->k.force, s->nx);
  for (int i = 0; i < s->nc; i++) p->drive[s->contacts[i].b] -= s->contacts[i].sb * p->f[i];
}

static void find_slopes(linearised *p) {
  cps_spring_slopes(p->s, p->y, p->y + p->s->nx, p->spring);
  find_drives(p);
}

/* The state and what is free now. */
static void settle_in(linearised *p, double t, const double *y, const workspace *like) {
  const cps_system *s = p->s;
  p->t = t;
  p->number++;
  take_over(p->y, y, s->ny);
  take_over(p->k.inverse_mass, like->inverse_mass, s->nx);
  take_over(p->k.w_ii, like->w_ii, s->nc);
  p->k.held = like->held;
}

/* The mode of every law that has some, as the last evaluation chose it. */
static void choose_modes(linearised *p, const int *mode) {
  const cps_system *s = p->s;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    p->mode[i] = mode ? mode[i] : CPS_MODE_FREE;
    if (p->mode[i] >= 0 || !c->law->n_modes) continue;
    cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * s->nx + c->z, CPS_MODE_FREE};
    p->mode[i] = cps_law_mode(c->law, c->p, &in);
  }
}

int cps_linearised_go(linearised *p, double t, const double *y, const int *mode, const workspace *like) {
  const cps_system *s = p->s;
  settle_in(p, t, y, like);
  take_over(p->k.f, like->f, s->nc); /* where groups of contacts start to look for their forces */
  if (cps_system_rates(s, &p->k, t, p->y, mode, p->y_t) != CPS_OK) return 0;
  choose_modes(p, mode);
  take_over(p->a, p->y_t + s->nx, s->nx);
  take_over(p->f, p->k.f, s->nc);
  take_over(p->z_t, p->y_t + 2 * s->nx, s->nz);
  p->in_step = 0;
  p->r.sight = LOOK_HERE;
  cps_residual_eval(&p->r, t, p->y, p->a, p->f, p->z_t, p->mode);
  find_slopes(p);
  return cps_residual_factor(&p->r, 0, 0, 0);
}

void cps_linearised_start(linearised *p, double t, const double *y, const double *f, int carried) {
  const cps_system *s = p->s;
  p->t0 = t;
  p->in_step = 1;
  p->carried = carried;
  take_over(p->y0, y, s->ny);
  take_over(p->f0, f, s->nc);
  cps_system_kinematics(s, &p->k, t, p->y0);
  take_over(p->force0, p->k.force, s->nx);
  cps_spring_slopes(s, p->y0, p->y0 + s->nx, p->spring0);
  cps_body_matrix_look(&p->tangents0, p->y0, p->y0 + s->nx);
}

int cps_linearised_go_known(linearised *p, double t, const double *y, const double *a, const double *f,
                            const double *z_t, const int *mode, const workspace *like, double b_q, double b_v,
                            double b_z) {
  const cps_system *s = p->s;
  settle_in(p, t, y, like);
  take_over(p->a, a, s->nx);
  take_over(p->f, f, s->nc);
  take_over(p->z_t, z_t, s->nz);
  p->r.sight = LOOK_HERE;
  for (int i = 0; i < s->nc; i++) p->mode[i] = mode[i];
  cps_residual_eval(&p->r, t, p->y, p->a, p->f, p->z_t, p->mode);
  find_slopes(p);
  return cps_residual_factor(&p->r, b_q, b_v, b_z);
}

/* ------------------------------------------------------------------ rows */

static body_point point_of(const linearised *p) {
  return (body_point){.s = p->s,
                      .k = &p->k,
                      .t = p->t,
                      .y = p->y,
                      .a = p->a,
                      .tangents = &p->r.entries,
                      .spring = p->spring,
                      .presses = &p->presses,
                      .varies = p->varies,
                      .at = cps_numbers_layout(p->s)};
}

/* Where in z something is that rows depend on. */
static inline int column_of(const linearised *p, int cause, int i) {
  return p->cause[cause] + (cause == BY_NUMBER ? p->slot[i] : i);
}

/* Into a list. */
typedef struct listing {
  const linearised *p;
  entries *list;
} listing;

static void to_list(const tangent_sink *k, int row, int cause, int i, double by) {
  const listing *o = k->to;
  cps_entries_add(o->list, row, column_of(o->p, cause, i), by);
}

/* Of the start of an implicit step. */
static void to_start(const tangent_sink *k, int row, int cause, int i, double by) {
  const listing *o = k->to;
  const linear_layout *l = &o->p->l;
  int column = cause == BY_PLACE      ? l->y0 + i
               : cause == BY_VELOCITY ? l->y0 + o->p->s->nx + i
               : cause == BY_FRICTION ? l->f0 + i
               : cause == BY_LOAD     ? l->load0 + i
                                      : column_of(o->p, cause, i);
  cps_entries_add(o->list, row, column, by);
}

static void to_nothing(const tangent_sink *k, int row, int cause, int i, double by) {
  (void)k, (void)row, (void)cause, (void)i, (void)by;
}

/* Into the equations: what depends on their unknowns is in their matrix. */
static void to_equations(const tangent_sink *k, int row, int cause, int i, double by) {
  const listing *o = k->to;
  if (cause == BY_FRICTION || (cause == BY_ACCELERATION && i < o->p->s->nd)) return;
  cps_entries_add(o->list, row, column_of(o->p, cause, i), by);
}

/* The law of contact i with all derivatives. */
static const cps_law_jacobian *law_of(linearised *p, int i) {
  const cps_system *s = p->s;
  const contact *c = &s->contacts[i];
  if (p->law_at[i] != p->number) {
    cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * s->nx + c->z, p->mode[i]};
    cps_law_output out;
    cps_law_eval(c->law, c->p, &in, &out, &p->law[i]);
    p->law_at[i] = p->number;
  }
  return &p->law[i];
}

/* The equations of contact i: as they are in the matrix, and by normal force and parameters of the law. */
static void contact_rows(linearised *p, const body_point *at, const tangent_sink *k, int i) {
  const contact *c = &p->s->contacts[i];
  int n = c->n_states, first = at->at.contact + CONTACT_NUMBERS * i;
  const double *d = p->r.state + p->r.state_at[i];
  const law_tangent *t = &p->r.law[i];
  int all = (c->normal == NORMAL_GIVEN && c->constant != c->constant) ||
            memchr(p->varies + first, 1, CONTACT_NUMBERS) != NULL;
  const cps_law_jacobian *law = all ? law_of(p, i) : NULL;
  for (int row = -1; row < n; row++) {
    const double of[3] = {row < 0 ? t->v : d[n + row], row < 0 ? t->e : d[2 * n + row],
                          row < 0 ? t->n : d[3 * n + row]};
    cps_partials x; /* parameters are looked at only if there is a law */
    x.v = of[0];
    x.f_eq = of[1];
    x.n = of[2];
    memcpy(x.z, row < 0 ? d : d + 4 * n + n * row, (size_t)n * sizeof(double));
    if (law) {
      const cps_partials *whole = row < 0 ? &law->f : &law->z_t[row];
      x.n = whole->n;
      memcpy(x.p, whole->p, sizeof x.p);
    }
    cps_tangent_law(at, k, row < 0 ? p->l.r_f + i : p->l.r_z + c->z + row, i, &x, -1);
  }
}

/* Rows of coordinates; whether they are those of the last point. */
static int find_rows(linearised *p) {
  const cps_system *s = p->s;
  int same = p->rows.n > 0;
  for (int c = 0; c < s->nx; c++) {
    int held = c < s->nd && p->k.inverse_mass[c] == 0, row = held || c == s->nx - 1 ? -1 : p->l.r_a + c;
    same &= row == p->row[c];
    p->row[c] = row;
  }
  return same;
}

static void list_rows(linearised *p) {
  const cps_system *s = p->s;
  body_point at = point_of(p);
  listing to = {p, &p->rows};
  tangent_sink k = {to_equations, &to};
  if (p->rows_at == p->number) return;
  p->rows_at = p->number;
  if (!find_rows(p)) {
    p->rows.n = 0;
    cps_tangent_steady_forces(&at, &k, p->row, p->minus);
    p->steady = p->rows.n;
  }
  p->rows.n = p->steady;
  for (int c = 0; c < s->nd; c++)
    if (p->row[c] >= 0 && p->varies[at.at.mass + c]) k.add(&k, p->row[c], BY_NUMBER, at.at.mass + c, p->a[c]);
  cps_tangent_forces(&at, &k, p->row, p->minus);
  for (int i = 0; i < s->nc; i++) contact_rows(p, &at, &k, i);
}

/* ------------------------------------------------------------------ what follows */

/* Rates of works. */
static void list_rates(const linearised *p, const body_point *at, const tangent_sink *k, entries *list) {
  const cps_system *s = p->s;
  const double *v = p->y + s->nx;
  int damping = p->l.work + s->nc, loads = damping + 1, motion = damping + 2;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    k->add(k, p->l.work + i, BY_FRICTION, i, -p->k.v[i]);
    cps_tangent_sliding(at, k, p->l.work + i, i, 1, -p->f[i]);
    if (c->b >= s->nd) k->add(k, motion, BY_FRICTION, i, c->sb * v[c->b]);
  }
  for (int c = s->nd; c < s->nx - 1; c++) {
    cps_entries_add(list, motion, p->l.r_a + c, v[c]);
    k->add(k, motion, BY_VELOCITY, c, -p->drive[c]);
  }
  for (int j = 0; j < s->n_line + s->n_plane; j++) {
    const spring_slope *g = &p->spring[cps_spring_index(s, j)];
    cps_tangent_damper(at, k, damping, j, g->e_t);
    cps_tangent_extension(at, k, damping, j, 0, g->tension - g->elastic);
  }
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *o = &s->loads[i];
    double f = cps_profile_eval(o->force, p->t).y;
    for (int d = 0; d < s->dim; d++) {
      int number = at->at.load + LOAD_NUMBERS * i + LOAD_U + d;
      k->add(k, loads, BY_VELOCITY, o->c[d], f * o->u[d]);
      k->add(k, loads, BY_LOAD, i, o->u[d] * v[o->c[d]]);
      if (p->varies[number]) k->add(k, loads, BY_NUMBER, number, f * v[o->c[d]]);
    }
  }
}

/* Works of an implicit step. */
static void list_works(const linearised *p, const body_point *at, const tangent_sink *k) {
  const cps_system *s = p->s;
  int damping = p->l.work + s->nc;
  body_point from = *at;
  from.t = p->t0;
  from.y = p->y0;
  from.spring = p->spring0;
  from.tangents = &p->tangents0;
  tangent_sink start = {to_start, k->to}, carried = {p->carried ? to_nothing : to_start, k->to};
  body_step x = {{&from, at}, {&carried, k}, {&start, k}, {p->f0, p->f}, {p->force0, p->k.force},
                 p->row0,     p->by};
  for (int i = 0; i < s->nc; i++) cps_tangent_friction_work(&x, p->l.work + i, i);
  cps_tangent_works(&x, damping, damping + 1, damping + 2);
}

/* What is recorded. */
static void list_columns(const linearised *p, const body_point *at, const tangent_sink *k, entries *list) {
  const cps_system *s = p->s;
  const linear_layout *l = &p->l;
  int e = l->energy, works = l->y + 2 * s->nx + s->nz;
  for (int j = 0; j < s->n_line + s->n_plane; j++)
    cps_tangent_tension(at, k, l->spring + cps_spring_index(s, j), j, 1);
  for (int i = 0; i < s->nc; i++) {
    cps_tangent_sliding(at, k, l->v + i, i, 1, 1);
    cps_tangent_normal(at, k, l->n + i, i, 1);
    cps_tangent_balance(at, k, l->f_eq + i, i, 1);
    cps_entries_add(list, e + ENERGY_FRICTION, works + i, 1);
  }
  cps_tangent_energy(at, k, (const int[3]){e + ENERGY_KINETIC, e + ENERGY_ELASTIC, e + ENERGY_GRAVITY});
  for (int i = 0; i < 3; i++) cps_entries_add(list, e + ENERGY_DAMPING + i, works + s->nc + i, 1);
  for (int i = 0; i < ENERGY_ERROR; i++) /* follows from those before */
    cps_entries_add(list, e + ENERGY_ERROR, e + i, i == ENERGY_LOADS || i == ENERGY_MOTION ? -1 : 1);
}

static const entries *list_of(linearised *p, linear_list which) {
  entries *list = &p->lists[which];
  body_point at = point_of(p);
  listing to = {p, list};
  tangent_sink k = {to_list, &to};
  if (p->at[which] == p->number) return list;
  p->at[which] = p->number;
  list->n = 0;
  if (which == LINEAR_RATES) list_rates(p, &at, &k, list);
  if (which == LINEAR_WORKS) list_works(p, &at, &k);
  if (which == LINEAR_COLUMNS) list_columns(p, &at, &k, list);
  return list;
}

/* ------------------------------------------------------------------ what is prescribed */

/* What parameters change by themselves, or with `back` what follows from weights of that: a number, into z or out of it. */
INLINE void change_by(int back, double *to, double by, double *gradient) {
  if (back)
    *gradient += *to * by;
  else
    *to = by;
}

/* Surfaces are where they are prescribed, whatever was there. */
static void forget_surfaces(const linearised *p, double *dy) {
  const cps_system *s = p->s;
  const cps_scenario *sc = s->scenario;
  double *dq = dy, *dv = dy + s->nx;
  dq[s->nx - 1] = dv[s->nx - 1] = 0;
  for (int i = 0; i < sc->n_bodies && s->ns > 0; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE) continue;
    dv[s->body_q[i]] = 0;
    if (!b->motion_is_velocity) dq[s->body_q[i]] = 0;
  }
}

void cps_linearised_prescribe(linearised *p, int back, const change *c, int n, double *dy, double *grad) {
  double *dq = dy, *dv = dy + p->s->nx;
  if (!back) forget_surfaces(p, dy);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < c[j].n_profile; i++) {
      const profile_change *x = &c[j].profile[i];
      if (x->kind != GIVEN_SURFACE) continue;
      profile_value d = cps_change_profile(&c[j], x, p->t);
      change_by(back, &dv[x->i], x->is_velocity ? d.y : d.y_t, &grad[j]);
      if (!x->is_velocity) change_by(back, &dq[x->i], d.y, &grad[j]);
    }
  if (back) forget_surfaces(p, dy);
}

/* In z. */
static void give(const linearised *p, int back, const change *c, int n, double *grad) {
  const linear_layout *l = &p->l;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < c[j].n_number; i++)
      change_by(back, &p->z[l->number + p->slot[c[j].number[i].i]], c[j].number[i].d, &grad[j]);
    for (int i = 0; i < c[j].n_profile; i++) {
      const profile_change *x = &c[j].profile[i];
      profile_value v = cps_change_profile(&c[j], x, p->t);
      double d = x->kind != GIVEN_SURFACE ? v.y : x->is_velocity ? v.y_t : v.y_tt;
      int at = x->kind == GIVEN_SURFACE ? l->a : x->kind == GIVEN_LOAD ? l->load : l->normal;
      change_by(back, &p->z[at + x->i], d, &grad[j]);
      double *first = &p->z[l->load0 + x->i];
      if (x->kind == GIVEN_LOAD && p->in_step && (!back || *first != 0))
        change_by(back, first, cps_change_profile(&c[j], x, p->t0).y, &grad[j]);
    }
  }
}

/* ------------------------------------------------------------------ the equations */

double *cps_linearised_clear(linearised *p) {
  zero(p->z, p->l.count);
  return p->z;
}

/* Solved for accelerations, forces and rates, in place; transposed, their weights become those of what is left of the equations. */
static int solve(linearised *p, int back) {
  const cps_system *s = p->s;
  const linear_layout *l = &p->l;
  double *z = p->z, *from[3] = {z + l->r_a, z + l->r_f, z + l->r_z},
         *to[3] = {z + l->a, z + l->f, z + l->z_t};
  double **in = back ? to : from, **out = back ? from : to;
  list_rows(p);
  if (p->rows.lost) return 0;
  if (!back) apply(0, &p->rows, z);
  if (!(back ? cps_residual_solve_back : cps_residual_solve)(&p->r, in[0], in[1], in[2], p->da, p->df,
                                                             p->dz_t))
    return 0;
  take_over(out[0], p->da, s->nd);
  take_over(out[1], p->df, s->nc);
  take_over(out[2], p->dz_t, s->nz);
  if (back) apply(1, &p->rows, z);
  return 1;
}

int cps_linearised_equations(linearised *p, int back, const change *c, int n, double *dy, double *grad) {
  if (back) {
    if (!solve(p, 1)) return 0;
    add_to(dy, p->z + p->l.y, p->s->ny);
    zero(p->z + p->l.y, p->s->ny);
    give(p, 1, c, n, grad);
    cps_linearised_prescribe(p, 1, c, n, dy, grad);
    return 1;
  }
  cps_linearised_prescribe(p, 0, c, n, dy, NULL);
  take_over(p->z + p->l.y, dy, p->s->ny);
  give(p, 0, c, n, NULL);
  return solve(p, 0);
}

int cps_linearised_along(linearised *p, const change *c, double *dy) {
  cps_linearised_clear(p);
  return cps_linearised_equations(p, 0, c, 1, dy, NULL);
}

void cps_linearised_follow(linearised *p, int back, linear_list which) {
  const linear_layout *l = &p->l;
  int first = which == LINEAR_COLUMNS ? l->spring : l->work,
      end = which == LINEAR_COLUMNS ? l->count : l->spring;
  if (!back) zero(p->z + first, end - first);
  apply(back, list_of(p, which), p->z);
}

int cps_linearised_lost(const linearised *p) {
  int lost = p->rows.lost;
  for (size_t i = 0; i < sizeof p->lists / sizeof p->lists[0]; i++) lost |= p->lists[i].lost;
  return lost;
}

int cps_linearised_back(linearised *p, linear_list which, const change *c, int n, double *w, double *grad) {
  if (which != LINEAR_NOTHING) cps_linearised_follow(p, 1, which);
  return cps_linearised_equations(p, 1, c, n, w, grad);
}

int cps_linearised_rates(linearised *p, const change *c, double *dy, double *dy_t) {
  const cps_system *s = p->s;
  const linear_layout *l = &p->l;
  if (!cps_linearised_along(p, c, dy)) return 0;
  cps_linearised_follow(p, 0, LINEAR_RATES);
  take_over(dy_t, dy + s->nx, s->nx);
  take_over(dy_t + s->nx, p->z + l->a, s->nd);
  zero(dy_t + s->nx + s->nd, s->nx - s->nd);
  take_over(dy_t + 2 * s->nx, p->z + l->z_t, s->nz);
  take_over(dy_t + 2 * s->nx + s->nz, p->z + l->work, s->nw);
  return !p->lists[LINEAR_RATES].lost;
}

/* ------------------------------------------------------------------ laws */

/* Along a vector of changes, or added to the weights in z. */
typedef struct reading {
  const linearised *p;
  const double *z;
  double sum;
} reading;

static void read_one(const tangent_sink *k, int row, int cause, int i, double by) {
  reading *o = k->to;
  (void)row;
  o->sum += by * o->z[column_of(o->p, cause, i)];
}

static void weigh_one(const tangent_sink *k, int row, int cause, int i, double by) {
  const linearised *p = k->to;
  (void)row;
  p->z[column_of(p, cause, i)] += by;
}

double cps_linearised_law_along(linearised *p, int i, const cps_partials *d, const double *z) {
  body_point at = point_of(p);
  reading to = {p, z, 0};
  tangent_sink k = {read_one, &to};
  cps_tangent_law(&at, &k, 0, i, d, 1);
  return to.sum;
}

void cps_linearised_law_back(linearised *p, int i, const cps_partials *d, double by) {
  body_point at = point_of(p);
  tangent_sink k = {weigh_one, p};
  cps_tangent_law(&at, &k, 0, i, d, by);
}

cps_partials cps_linearised_guard(const linearised *p, int i, int k) {
  const contact *c = &p->s->contacts[i];
  double g[CPS_MAX_GUARDS];
  cps_partials d[CPS_MAX_GUARDS];
  cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * p->s->nx + c->z, p->mode[i]};
  cps_law_guards(c->law, c->p, &in, g, d);
  return d[k];
}

/* ------------------------------------------------------------------ captures */

/* Whether contact i is held at rest by a law that balances forces. */
static int holds(const linearised *p, int i) {
  const contact *c = &p->s->contacts[i];
  return c->law->n_modes == 3 && (c->law->traits & CPS_NEEDS_FEQ) && p->mode[i] == 0 && p->k.w_ii[i] > 0;
}

int cps_linearised_capture(linearised *p, int back, double *dy) {
  const cps_system *s = p->s;
  const linear_layout *l = &p->l;
  double *dv = dy + s->nx, *z = cps_linearised_clear(p);
  int any = back;
  for (int i = 0; i < s->nc && !back; i++) {
    const contact *c = &s->contacts[i];
    z[l->r_f + i] = holds(p, i) ? (dv[c->a] - c->sb * dv[c->b]) / p->k.w_ii[i] : 0;
    any |= z[l->r_f + i] != 0;
  }
  if (!any) return 1;
  if (!back) {
    if (!cps_residual_solve(&p->r, z + l->r_a, z + l->r_f, z + l->r_z, p->da, p->df, p->dz_t)) return 0;
    add_to(dv, p->da, s->nd);
    return 1;
  }
  if (!cps_residual_solve_back(&p->r, dv, z + l->f, z + l->z_t, p->da, p->df, p->dz_t)) return 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (!holds(p, i)) continue;
    dv[c->a] += p->df[i] / p->k.w_ii[i];
    dv[c->b] -= c->sb * p->df[i] / p->k.w_ii[i];
  }
  return 1;
}
