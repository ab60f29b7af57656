/* stick_guess.c - who sticks and who slips next: a guess for the next iteration, exact on a chain of springs.
 *
 * Where many contacts have to let go or to catch, Newton's method changes a few per iteration: the first that
 * sticks bears the whole excess of those that do not. For the guess of who sticks next, the cable is a chain of
 * springs along its arc: with slips s (in units of displacement) and friction f = base + K s in the box +-limit,
 * s = 0 inside it and of opposite sign at its edge. That is the minimum of s K s/2 + base s + sum limit |s|, and as K is
 * tridiagonal it is found exactly and at once: the derivative of the least cost of all that lies on one side of a
 * point, as a function g(s) of the point's slip, is a polyline that rises. A spring k shears it, s += g/k; a
 * point adds its own force, g += base + d s +- limit on the two sides of s = 0. All vertices of a side are moved by
 * the same map, which is kept instead of applied; so both sides of all points cost O(n). The point sticks if
 * |base + g(0) of the left + g(0) of the right| <= limit.
 *
 * On a drum the chain is far softer than the cable: where tension rises the cable sinks in and so gets shorter.
 * With q the normal stiffness per length, EA becomes EA/(1 + EA/(R^2 q)).
 */
#include "machine.h"

#include <math.h>
#include <string.h>

typedef struct chain_of {
  int n;
  double *k, *own, *base, *limit, *s, *f, *c, *y, *sum; /* [n]; k[i] between i and i + 1; own: d above */
  double (*vertex)[2];                                  /* [2 n + 2] */
  contact_point *p;
} chain_of;

/* A polyline of s and g: vertices with s < 0 from the start of the room upwards, those with s > 0 from its end
 * downwards, both in their own coordinates, y = M^-1 (x - shift). */
typedef struct polyline {
  double (*left)[2], (*right)[2];
  int n_left, n_right;
  double m[2][2], shift[2][2];
} polyline;

static void line_get(const polyline *l, int side, const double *y, double *x) {
  for (int i = 0; i < 2; i++) x[i] = l->m[i][0] * y[0] + l->m[i][1] * y[1] + l->shift[side][i];
}

static void line_push(polyline *l, int side, const double *x) {
  double u = x[0] - l->shift[side][0], v = x[1] - l->shift[side][1]; /* the determinant of M is 1 */
  double *y = side == 0 ? l->left[l->n_left++] : l->right[-1 - l->n_right++];
  y[0] = l->m[1][1] * u - l->m[0][1] * v;
  y[1] = l->m[0][0] * v - l->m[1][0] * u;
}

static void line_top(const polyline *l, int side, double *x) {
  line_get(l, side, side == 0 ? l->left[l->n_left - 1] : l->right[-l->n_right], x);
}

/* g(0) */
static double line_middle(const polyline *l) {
  double a[2], b[2];
  line_top(l, 0, a);
  line_top(l, 1, b);
  return b[0] > a[0] ? a[1] + (b[1] - a[1]) * (-a[0] / (b[0] - a[0])) : 0.5 * (a[1] + b[1]);
}

/* A point's own force; `middle` is g(0) before it. */
static void line_bend(polyline *l, double middle, double base, double own, double limit) {
  for (int j = 0; j < 2; j++) {
    l->m[1][j] += own * l->m[0][j];
    l->shift[j][1] += own * l->shift[j][0] + base + (j == 0 ? -limit : limit);
  }
  if (!(limit > 0)) return;
  double below[2] = {0, middle + base - limit}, above[2] = {0, middle + base + limit};
  line_push(l, 0, below);
  line_push(l, 1, above);
}

/* A spring; vertices that cross s = 0 change sides. The outermost never do. */
static void line_shear(polyline *l, double k) {
  double x[2];
  for (int j = 0; j < 2; j++) {
    l->m[0][j] += l->m[1][j] / k;
    l->shift[j][0] += l->shift[j][1] / k;
  }
  for (line_top(l, 0, x); x[0] > 0 && l->n_left > 1; line_top(l, 0, x)) {
    l->n_left--;
    line_push(l, 1, x);
  }
  for (line_top(l, 1, x); x[0] < 0 && l->n_right > 1; line_top(l, 1, x)) {
    l->n_right--;
    line_push(l, 0, x);
  }
}

/* Adds g(0) of all that lies before each point, in the given direction, to sum. */
static void chain_look(chain_of *h, int forward) {
  static const double far = 1; /* [m] no point slips so far in an iteration */
  double ends[2][2] = {{-far, 0}, {far, 0}};
  polyline l = {.left = h->vertex, .right = h->vertex + 2 * h->n + 2, .m = {{1, 0}, {0, 1}}};
  line_push(&l, 0, ends[0]);
  line_push(&l, 1, ends[1]);
  for (int j = 0; j < h->n; j++) {
    int i = forward ? j : h->n - 1 - j;
    double middle = line_middle(&l);
    h->sum[i] += middle;
    line_bend(&l, middle, h->base[i], h->own[i], h->limit[i]);
    if (j + 1 < h->n) line_shear(&l, h->k[forward ? i : i - 1]);
  }
}

/* Who sticks: into p->guess. */
static void chain_sort(chain_of *h) {
  memcpy(h->sum, h->base, (size_t)h->n * sizeof(double));
  chain_look(h, 1);
  chain_look(h, 0);
  for (int i = 0; i < h->n; i++)
    h->p[i].guess = fabs(h->sum[i]) <= h->limit[i] && h->limit[i] > 0 ? GUESS_STICK
                    : h->sum[i] > 0                                   ? GUESS_FORWARD
                                                                      : GUESS_BACKWARD;
}

/* Slips and friction for given sets. */
static void chain_solve(chain_of *h) {
  for (int i = 0; i < h->n; i++) { /* forward elimination; stuck points cut the chain */
    int stuck = h->p[i].guess == GUESS_STICK;
    double side = h->p[i].guess == GUESS_FORWARD ? 1 : -1;
    if (stuck) {
      h->c[i] = h->y[i] = 0;
      continue;
    }
    double rhs = side * h->limit[i] - h->base[i], d = h->own[i] + h->k[i];
    if (i > 0) {
      d += h->k[i - 1] * (1 - h->c[i - 1]);
      rhs += h->k[i - 1] * h->y[i - 1];
    }
    h->c[i] = h->k[i] / d;
    h->y[i] = rhs / d;
  }
  for (int i = h->n - 1; i >= 0; i--) h->s[i] = h->y[i] + (i + 1 < h->n ? h->c[i] * h->s[i + 1] : 0);
  for (int i = 0; i < h->n; i++) {
    h->f[i] = h->base[i] + h->own[i] * h->s[i];
    if (i > 0) h->f[i] -= h->k[i - 1] * (h->s[i - 1] - h->s[i]);
    if (i + 1 < h->n) h->f[i] -= h->k[i] * (h->s[i + 1] - h->s[i]);
  }
}

/* What pulls beyond the ends: the free spans, and the masses at their ends. */
static void chain_ends(chain_of *h, const cable *c, const step_coeffs *coeffs) {
  double total = 0, before = h->p[0].s, after;
  for (int i = 0; i < c->n; i++) total += c->length[i];
  after = total - h->p[h->n - 1].s;
  for (int e = 0; e < 2; e++) {
    double span = fmax(e == 0 ? before : after, c->length[0]), k = c->section.ea / span;
    double mass = (c->mass[e == 0 ? 0 : c->n] + c->section.rho * span / 2) / coeffs->q_a;
    if (!c->fixed[e == 0 ? 0 : c->n]) k = k * mass / (k + mass);
    h->own[e == 0 ? 0 : h->n - 1] += k;
  }
}

void cps_contact_limit(cable *c) {
  /* N is that from before the iteration: what slips may need a little more. Laws with several bristles take care of
   * themselves. */
  int single = c->contact.kind == LAW_MEMORY && c->contact.law->n_states == 1;
  double most = single ? 1.1 * c->contact.most : INFINITY;
  for (int k = 0; most < INFINITY && k < c->n_points; k++) {
    contact_point *p = &c->point[k];
    for (int i = 0; i < AXES && p->drum >= 0; i++) p->f[i] = fmax(-most * p->n, fmin(most * p->n, p->f[i]));
  }
}

int cps_contact_guesses(const machine *m, const cable *c) {
  law_kind kind = c->contact.kind;
  (void)m;
  return c->n_points > 1 && !c->all_stick && (kind == LAW_BALANCE || kind == LAW_KINK || kind == LAW_JUMP);
}

/* The spring between a point and the next. */
static double chain_spring(const machine *m, const cable *c, const contact_point *p) {
  double length = p[1].s - p->s, ea = c->section.ea;
  if (p->drum >= 0 && p->drum == p[1].drum) {
    double radius = m->drum[p->drum].radius, q = 0.5 * (p->stiff + p[1].stiff) * radius * radius / length;
    ea = ea * q / (ea + q);
  }
  return ea / length;
}

/* What a point that sticks, or nearly so, bears at most: smooth laws more than what they hold without creep. */
static double bears(const cable *c, const contact_point *p) {
  double most = c->contact.most * p->n;
  return c->contact.kind == LAW_BALANCE && most < INFINITY ? fmax(p->box, most) : p->box;
}

/* Of that, what is left along t: in space friction is bounded by a cone, of which the part along the axis takes its share. */
static double left_along(double most, const contact_point *p) {
  double rest = most * most - p->f[1] * p->f[1];
  return p->f[1] == 0 ? most : rest > 0 ? sqrt(rest) : 0;
}

/* The first and the last point that touch something; 0 if there are no two. */
static int find_ends(const cable *c, int *first, int *last) {
  *first = 0;
  *last = c->n_points - 1;
  while (*first <= *last && c->point[*first].drum < 0) ++*first;
  while (*last >= *first && c->point[*last].drum < 0) --*last;
  return *last > *first;
}

int cps_contact_wrong(const machine *m, const cable *c, const step_coeffs *coeffs, double slack) {
  int first, last;
  if (!cps_contact_guesses(m, c) || coeffs->bristle > 0 || !find_ends(c, &first, &last)) return 0;
  for (int k = first; k <= last; k++) {
    const contact_point *p = &c->point[k];
    if (p->drum < 0) continue;
    if (p->stuck && hypot(p->f[0], p->f[1]) > bears(c, p) * (1 + 1e-6) + slack) return 1;
    double s = p->stuck ? 0 : p->slip / p->slip_r + p->moved; /* friction pulls back */
    if (s * p->f[0] > 0 && fabs(s) * chain_spring(m, c, k < last ? p : p - 1) > slack) return 1;
  }
  return 0;
}

void cps_contact_spread(machine *m, cable *c, const step_coeffs *coeffs) {
  int first, last;
  if (!cps_contact_guesses(m, c) || coeffs->bristle > 0 || !find_ends(c, &first, &last)) return;
  chain_of h = {.n = last - first + 1, .p = c->point + first};
  double **parts[] = {&h.k, &h.own, &h.base, &h.limit, &h.s, &h.f, &h.c, &h.y, &h.sum};
  for (int i = 0; i < 9; i++) *parts[i] = c->draft + i * c->n_points;
  h.vertex = (double(*)[2])(c->draft + 9 * c->n_points);
  for (int i = 0; i < h.n; i++) {
    contact_point *p = &h.p[i];
    h.limit[i] = p->drum >= 0 ? left_along(p->box, p) : 0;
    h.s[i] = p->drum >= 0 && !p->stuck ? p->slip / p->slip_r + p->moved : 0;
    h.f[i] = p->drum >= 0 ? p->f[0] : 0;
    h.k[i] = i + 1 < h.n ? chain_spring(m, c, p) : 0;
    h.own[i] = p->mass / coeffs->q_a;
  }
  chain_ends(&h, c, coeffs);
  for (int i = 0; i < h.n; i++) {
    h.base[i] = h.f[i] - h.own[i] * h.s[i];
    if (i > 0) h.base[i] += h.k[i - 1] * (h.s[i - 1] - h.s[i]);
    if (i + 1 < h.n) h.base[i] += h.k[i] * (h.s[i + 1] - h.s[i]);
  }
  chain_sort(&h);
  chain_solve(&h);
  for (int i = 0; i < h.n; i++) {
    contact_point *p = &h.p[i];
    if (p->drum >= 0)
      p->f[0] = h.f[i] > h.limit[i] ? h.limit[i] : h.f[i] < -h.limit[i] ? -h.limit[i] : h.f[i];
    else
      p->guess = GUESS_NONE;
  }
}
