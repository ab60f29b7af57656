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
 * |base + g(0) of the left + g(0) of the right| <= limit. The map grows by about 1 + own/k from point to point, without bound along
 * free spans and in short steps: before digits get lost it is applied, and what lies beyond any slip is cut off.
 *
 * Dampers are springs, too, in a step: EA stands for the change of tension by that of strain, damping included. On a drum the chain
 * is far softer than the cable: where tension rises the cable sinks in and so gets shorter. With q the normal stiffness per
 * length, EA becomes EA/(1 + EA/(R^2 q)).
 *
 * A drum that the cable turns gives way: its surface moves by w, and what sticks goes along. The cost gains M w^2/2 with the
 * inertia of its rim over q_a and the slopes of its drive. For given w the chain is solved exactly as above, and w is found by
 * Newton's method: the sum of friction over the drum is a polyline that rises with w.
 *
 * Along the chain everything counts in the direction of the cable: the rim's direction t may point the other way. A belt is
 * opened where its longest run of points that touch nothing lies.
 */
#include "law_guess.h"

#include <math.h>
#include <string.h>

/* Drums of a chain that are free to turn; of more than these the rest stay where they are. */
enum { TURNING_MOST = 8 };

typedef struct chain_of {
  int n, first,
      total; /* points of the chain, in the order of the cable: first, first + 1, ... modulo total */
  contact_point *points;                                /* [total] of the cable */
  double *k, *own, *base, *limit, *s, *f, *c, *y, *sum; /* [n]; k[i] between i and i + 1; own: d above */
  double *sense;                                        /* [n] of t along the cable: 1 or -1 */
  double *still, *still_f; /* [n] base and friction as they are while no drum turns */
  double (*vertex)[2];     /* [2 n + 2] */
  int n_turning, turning[TURNING_MOST];
  double give[TURNING_MOST]; /* M of these drums */
} chain_of;

static contact_point *point_of(const chain_of *h, int i) { return &h->points[(h->first + i) % h->total]; }

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

static double *line_at(const polyline *l, int side, int i) {
  return side == 0 ? l->left[i] : l->right[-1 - i];
}

/* No point slips so far in an iteration [m]; and how much the map may grow. */
static const double FAR = 0.1, GROWN = 1e4;

/* Cuts a side off where it is FAR. The outermost vertex stays, on the line from the next. */
static void line_cut(polyline *l, int side) {
  int *n = side == 0 ? &l->n_left : &l->n_right, gone = 0;
  while (gone + 1 < *n && fabs(line_at(l, side, gone + 1)[0]) >= FAR) gone++;
  for (int i = 0; i + gone < *n && gone > 0; i++)
    memcpy(line_at(l, side, i), line_at(l, side, i + gone), 2 * sizeof(double));
  *n -= gone;
  double *end = line_at(l, side, 0);
  const double *next = *n > 1 ? line_at(l, side, 1)
                              : line_at(l, 1 - side, (side == 0 ? l->n_right : l->n_left) - 1);
  double far = side == 0 ? -FAR : FAR, part = (far - next[0]) / (end[0] - next[0]);
  if (!(part > 0 && part < 1)) return; /* it does not reach so far */
  for (int i = 0; i < 2; i++) end[i] = next[i] + part * (end[i] - next[i]);
}

/* Applies the map where it has grown. */
static void line_apply(polyline *l) {
  if (!(fabs(l->m[0][0] * l->m[1][1]) + fabs(l->m[0][1] * l->m[1][0]) > GROWN)) return;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < (side == 0 ? l->n_left : l->n_right); i++) {
      double x[2];
      line_get(l, side, line_at(l, side, i), x);
      memcpy(line_at(l, side, i), x, sizeof x);
    }
  l->m[0][0] = l->m[1][1] = 1;
  l->m[0][1] = l->m[1][0] = 0;
  memset(l->shift, 0, sizeof l->shift);
  line_cut(l, 0);
  line_cut(l, 1);
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
  line_apply(l);
}

/* Adds g(0) of all that lies before each point, in the given direction, to sum. */
static void chain_look(chain_of *h, int forward) {
  double ends[2][2] = {{-FAR, 0}, {FAR, 0}};
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

/* Who sticks, and which way the others are rubbed, along the cable: into p->guess. */
static void chain_sort(chain_of *h) {
  memcpy(h->sum, h->base, (size_t)h->n * sizeof(double));
  chain_look(h, 1);
  chain_look(h, 0);
  for (int i = 0; i < h->n; i++)
    point_of(h, i)->guess = fabs(h->sum[i]) <= h->limit[i] && h->limit[i] > 0 ? GUESS_STICK
                            : h->sum[i] > 0                                   ? GUESS_FORWARD
                                                                              : GUESS_BACKWARD;
}

/* Slips and friction for given sets; with `most` 0 their changes by those of base. */
static void chain_solve(chain_of *h, double most) {
  for (int i = 0; i < h->n; i++) { /* forward elimination; stuck points cut the chain */
    int guess = point_of(h, i)->guess;
    double side = guess == GUESS_FORWARD ? most : -most;
    if (guess == GUESS_STICK) {
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

/* The change of tension by that of strain in a step, in which velocities follow places. On machines of the gallery dampers are two to nine
 * times as stiff as the cable. */
static double stiffness(const cable *c, const step_coeffs *coeffs) {
  const cable_section *s = &c->section;
  return s->ea + (s->axial_damping + s->rayleigh) * coeffs->v_a / coeffs->q_a;
}

/* What pulls beyond the ends: the free spans, and the masses at their ends. Beyond the ends of a belt that was opened lies the
 * other end, which the guess takes to stay. */
static void chain_ends(chain_of *h, const cable *c, const step_coeffs *coeffs) {
  double total = 0, from = point_of(h, 0)->s, to = point_of(h, h->n - 1)->s;
  for (int i = 0; i < c->n; i++) total += c->length[i];
  double beyond[2] = {from, total - to};
  if (c->seam >= 0) beyond[0] = beyond[1] = from > to ? from - to : total + from - to;
  for (int e = 0; e < 2; e++) {
    int node = e == 0 ? 0 : c->n;
    double span = fmax(beyond[e], c->length[0]), k = stiffness(c, coeffs) / span;
    double mass = (c->mass[node] + c->section.rho * span / 2) / coeffs->q_a;
    if (!c->fixed[node] && c->seam < 0) k = k * mass / (k + mass);
    h->own[e == 0 ? 0 : h->n - 1] += k;
  }
}

/* K x for the displacement of drum d's surface by 1, added `by` times to base. */
static void chain_turn(chain_of *h, int d, double by) {
  for (int i = 0; i < h->n; i++) {
    double x[3];
    for (int j = -1; j <= 1; j++) {
      int there = i + j >= 0 && i + j < h->n && point_of(h, i + j)->drum == h->turning[d];
      x[j + 1] = there ? h->sense[i + j] : 0;
    }
    double push = h->own[i] * x[1];
    if (i > 0) push += h->k[i - 1] * (x[1] - x[0]);
    if (i + 1 < h->n) push += h->k[i] * (x[1] - x[2]);
    h->base[i] += by * push;
  }
}

/* Friction on drum d along its rim, less that of `from` (NULL: nothing). */
static double chain_torque(const chain_of *h, int d, const double *from) {
  double sum = 0;
  for (int i = 0; i < h->n; i++)
    if (point_of(h, i)->drum == h->turning[d]) sum += h->sense[i] * (h->f[i] - (from ? from[i] : 0));
  return sum;
}

/* Solves a x = b of the size of the drums that turn; a is positive definite. */
static void small_solve(int n, double a[TURNING_MOST][TURNING_MOST], double *b) {
  for (int j = 0; j < n; j++) {
    for (int i = j + 1; i < n; i++) {
      double f = a[i][j] / a[j][j];
      for (int k = j; k < n; k++) a[i][k] -= f * a[j][k];
      b[i] -= f * b[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int k = j + 1; k < n; k++) b[j] -= a[j][k] * b[k];
    b[j] /= a[j][j];
  }
}

/* Who sticks, with drums that give way: Newton's method on how far they do, which ends when the sets stay. */
enum { TURNS_MOST = 6 };

static void chain_balance(chain_of *h) {
  size_t bytes = (size_t)h->n * sizeof(double);
  double w[TURNING_MOST] = {0}, a[TURNING_MOST][TURNING_MOST], rest[TURNING_MOST], most = 0;
  memcpy(h->still, h->base, bytes);
  memcpy(h->still_f, h->f, bytes);
  for (int i = 0; i < h->n; i++) most = fmax(most, h->limit[i]);
  for (int it = 0; it < TURNS_MOST; it++) {
    double worst = 0;
    memcpy(h->base, h->still, bytes);
    for (int d = 0; d < h->n_turning; d++) chain_turn(h, d, w[d]);
    chain_sort(h);
    chain_solve(h, 1);
    for (int d = 0; d < h->n_turning; d++) {
      rest[d] = -(h->give[d] * w[d] + chain_torque(h, d, h->still_f));
      worst = fmax(worst, fabs(rest[d]));
    }
    if (worst <= 1e-3 * most || it + 1 == TURNS_MOST) return;
    for (int d = 0; d < h->n_turning; d++) {
      memset(h->base, 0, bytes);
      chain_turn(h, d, 1);
      chain_solve(h, 0);
      for (int e = 0; e < h->n_turning; e++) a[e][d] = chain_torque(h, e, NULL) + (e == d ? h->give[d] : 0);
    }
    small_solve(h->n_turning, a, rest);
    for (int d = 0; d < h->n_turning; d++) w[d] += rest[d];
  }
}

/* The drums of the chain that are free to turn. A bearing that sticks holds its drum. */
static void chain_drums(chain_of *h, const machine *m, const step_coeffs *coeffs) {
  for (int i = 0; i < h->n; i++) {
    int drum = point_of(h, i)->drum, known = drum < 0 || m->drum[drum].angle_at < 0;
    for (int d = 0; d < h->n_turning; d++) known |= h->turning[d] == drum;
    for (int k = 0; k < m->n_slides && !known; k++)
      known = !m->slide[k].contact && m->slide[k].drum == drum && m->slide[k].p.stuck;
    if (known || h->n_turning == TURNING_MOST) continue;
    const struct drum *g = &m->drum[drum];
    double by_angle, by_rate;
    cps_drum_torque(g, coeffs->t, &by_angle, &by_rate);
    h->turning[h->n_turning] = drum;
    h->give[h->n_turning++] = (g->of->inertia / coeffs->q_a - by_angle -
                               by_rate * coeffs->v_a / coeffs->q_a) /
                              (g->radius * g->radius);
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

/* A front of smooth laws moves over so few points by itself. */
enum { FEW = 30 };

/* A guess takes the bends of smooth laws for corners. They are, where a wave along the cable runs over more elements than these in a
 * step: what friction gains by slipping a little goes with the root of mass and slip, what the cable takes from it with the slip. On
 * machines of the gallery waves run over some 200, and the guess costs CDQ a fifth more iterations; on the motorised pulley they run over
 * some 5000 with 640 elements, which takes three times the iterations without the guess. */
static const double SHARP = 1000;

static int is_sharp(const cable *c, double q_a) {
  double speed = sqrt(c->section.ea / c->section.rho);
  return sqrt(q_a) * speed > SHARP * cps_cable_shortest(c);
}

/* Whether more points than these in a row lie on one drum. */
static int are_many(const cable *c) {
  for (int k = 0, run = 0; k < c->n_points; k++) {
    int drum = c->point[k].drum;
    run = drum < 0 ? 0 : k > 0 && c->point[k - 1].drum == drum ? run + 1 : 1;
    if (run > FEW) return 1;
  }
  return 0;
}

int cps_contact_guesses(const cable *c, double q_a) {
  law_kind kind = c->contact.kind;
  if (c->n_points < 2 || c->all_stick || kind == LAW_VELOCITY || kind == LAW_MEMORY) return 0;
  return kind != LAW_BALANCE || (is_sharp(c, q_a) && are_many(c));
}

/* The spring between a point and the next. On a drum the cable sinks in where its tension rises, as deep as contact and inertia let it.
 * Bending, which keeps it from that over waves of a few points, is left out: fronts that pass hundreds of points are long waves. */
static double chain_spring(const machine *m, const cable *c, const step_coeffs *coeffs,
                           const contact_point *p, const contact_point *next) {
  double length = next->s - p->s, ea = stiffness(c, coeffs);
  for (int i = 0; i < c->n && next < p; i++) length += c->length[i]; /* across the seam of a belt */
  if (p->drum >= 0 && p->drum == next->drum) {
    double each = 0.5 * (p->stiff + next->stiff + (p->mass + next->mass) / coeffs->q_a);
    double radius = m->drum[p->drum].radius, q = each * radius * radius / length;
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

/* The points from the first to the last that touch something; 0 if there are no two. */
static int chain_find(const cable *c, chain_of *h) {
  int first = 0, last = c->n_points - 1, longest = 0, run = 0;
  h->points = c->point;
  h->total = c->n_points;
  while (first <= last && c->point[first].drum < 0) first++;
  while (last >= first && c->point[last].drum < 0) last--;
  h->first = first;
  h->n = last - first + 1;
  if (c->seam < 0 || h->n < 2) return h->n > 1;
  for (int i = first; i < first + h->total; i++) { /* a belt begins behind its longest free run */
    run = c->point[i % h->total].drum < 0 ? run + 1 : 0;
    if (run <= longest) continue;
    longest = run;
    h->first = (i + 1) % h->total;
    h->n = h->total - run;
  }
  return h->n > 1;
}

int cps_contact_wrong(const machine *m, const cable *c, const step_coeffs *coeffs, double slack) {
  chain_of h = {0};
  if (!cps_contact_guesses(c, coeffs->q_a) || coeffs->bristle > 0 || !chain_find(c, &h)) return 0;
  for (int i = 0; i < h.n; i++) {
    const contact_point *p = point_of(&h, i);
    if (p->drum < 0) continue;
    if (p->stuck && hypot(p->f[0], p->f[1]) > bears(c, p) * (1 + 1e-6) + slack) return 1;
    double s = p->stuck ? 0 : p->slip / p->slip_r + p->moved; /* friction pulls back */
    if (!(s * p->f[0] > 0)) continue;
    int k = i + 1 < h.n ? i : i - 1;
    if (fabs(s) * chain_spring(m, c, coeffs, point_of(&h, k), point_of(&h, k + 1)) > slack) return 1;
  }
  return 0;
}

/* Whether t points along the cable: 1 or -1. */
static double sense_of(const cable *c, const contact_point *p) {
  const double *q = c->q + (size_t)(p->node < c->n ? p->node : p->node - 1) * (size_t)c->b;
  double along = 0;
  for (int d = 0; d < c->dim; d++) along += p->t[d] * (q[c->b + d] - q[d]);
  return along < 0 ? -1 : 1;
}

/* Room for the chain, its springs, and which way each point counts. */
static void chain_make(chain_of *h, const machine *m, const cable *c, const step_coeffs *coeffs) {
  double **parts[] = {&h->k, &h->own, &h->base, &h->limit, &h->s,     &h->f,
                      &h->c, &h->y,   &h->sum,  &h->sense, &h->still, &h->still_f};
  enum { PARTS = sizeof parts / sizeof parts[0] };
  for (int i = 0; i < PARTS; i++) *parts[i] = c->draft + i * c->n_points;
  h->vertex = (double(*)[2])(c->draft + PARTS * c->n_points);
  for (int i = 0; i < h->n; i++) {
    const contact_point *p = point_of(h, i);
    h->sense[i] = p->drum >= 0 ? sense_of(c, p) : 1;
    h->k[i] = i + 1 < h->n ? chain_spring(m, c, coeffs, p, point_of(h, i + 1)) : 0;
    h->own[i] = p->mass / coeffs->q_a;
  }
  chain_ends(h, c, coeffs);
}

void cps_contact_spread(machine *m, cable *c, const step_coeffs *coeffs) {
  chain_of h = {0};
  if (!cps_contact_guesses(c, coeffs->q_a) || coeffs->bristle > 0 || !chain_find(c, &h)) return;
  chain_make(&h, m, c, coeffs);
  for (int i = 0; i < h.n; i++) {
    const contact_point *p = point_of(&h, i);
    int touches = p->drum >= 0;
    h.limit[i] = touches ? left_along(p->box, p) : 0;
    h.s[i] = touches && !p->stuck ? h.sense[i] * (p->slip / p->slip_r + p->moved) : 0;
    h.f[i] = touches ? h.sense[i] * p->f[0] : 0;
  }
  for (int i = 0; i < h.n; i++) {
    h.base[i] = h.f[i] - h.own[i] * h.s[i];
    if (i > 0) h.base[i] += h.k[i - 1] * (h.s[i - 1] - h.s[i]);
    if (i + 1 < h.n) h.base[i] += h.k[i] * (h.s[i + 1] - h.s[i]);
  }
  chain_drums(&h, m, coeffs);
  chain_balance(&h);
  for (int i = 0; i < h.n; i++) {
    contact_point *p = point_of(&h, i);
    if (p->drum < 0) {
      p->guess = GUESS_NONE;
      continue;
    }
    p->f[0] = h.sense[i] * fmax(-h.limit[i], fmin(h.limit[i], h.f[i]));
    if (h.sense[i] < 0 && p->guess != GUESS_STICK)
      p->guess = p->guess == GUESS_FORWARD ? GUESS_BACKWARD : GUESS_FORWARD;
  }
}

/* ------------------------------------------------------------------ laws with memory */

int cps_contact_looks(const cable *c) {
  const contact_law *l = &c->contact;
  return l->kind == LAW_MEMORY && !l->drags && l->law->step && c->n_points > 1 && !c->all_stick;
}

/* Iterations on the chain, each of which is shortened so many times at most; and what may be left, of what the contacts hold. */
enum { LOOKS_MOST = 20, SHORTER_MOST = 4 };
static const double LOOKED = 1e-3;

/* The chain under a law with memory: a slip s makes velocity v + v_q s, and the law answers to that, under the load n. Some of the chain's
 * room has another meaning here. */
typedef struct looking_chain {
  chain_of h;
  const cable *c;
  double v_q, time;
  double *v, *n, *answer; /* [n] of each point, where s is 0; and what the law answers with now */
  double *rest, *slope, *step, *up;
} looking_chain;

/* What the law answers with at slips s, less what the chain needs for them, and the law's slopes. The largest remainder. */
static double look_rest(looking_chain *l) {
  const chain_of *h = &l->h;
  double worst = 0;
  for (int i = 0; i < h->n; i++) {
    double need = h->f[i] + h->own[i] * h->s[i];
    if (i > 0) need += h->k[i - 1] * (h->s[i] - h->s[i - 1]);
    if (i + 1 < h->n) need += h->k[i] * (h->s[i] - h->s[i + 1]);
    cps_law_step x = {0};
    if (l->n[i] > 0) {
      const contact_memory *y = &l->c->memory[point_of(h, i) - l->c->point];
      cps_law_input in = {l->v[i] + h->sense[i] * l->v_q * h->s[i], l->n[i], 0, y->z_star[0], CPS_MODE_FREE};
      cps_law_implicit_step(l->c->contact.law, l->c->contact.p, &in, l->time, &x);
    }
    l->answer[i] = x.f;
    l->slope[i] = fmin(x.f_v * l->v_q, 0);
    l->rest[i] = h->sense[i] * x.f - need;
    worst = fmax(worst, fabs(l->rest[i]));
  }
  return worst;
}

/* Newton's step. Its matrix is positive definite, as no slope rises. */
static void look_step(looking_chain *l) {
  const chain_of *h = &l->h;
  for (int i = 0; i < h->n; i++) {
    double before = i > 0 ? h->k[i - 1] : 0;
    double a = h->own[i] + h->k[i] - l->slope[i] + (i > 0 ? before * (1 - l->up[i - 1]) : 0);
    l->up[i] = h->k[i] / a;
    l->step[i] = (l->rest[i] + (i > 0 ? before * l->step[i - 1] : 0)) / a;
  }
  for (int i = h->n - 2; i >= 0; i--) l->step[i] += l->up[i] * l->step[i + 1];
}

/* How steeply the cost of slips, whose slope the remainder is, falls along the step. */
static double look_slope(const looking_chain *l) {
  double sum = 0;
  for (int i = 0; i < l->h.n; i++) sum += l->rest[i] * l->step[i];
  return sum;
}

/* Slips in balance, by Newton's method; a step that goes too far is shortened to where its cost no longer falls. What is left. */
static double look_solve(looking_chain *l, double worst, double good) {
  chain_of *h = &l->h;
  for (int it = 0; it < LOOKS_MOST && worst > good; it++) {
    look_step(l);
    double before = look_slope(l), part = 1, after;
    for (int i = 0; i < h->n; i++) h->s[i] += l->step[i];
    worst = look_rest(l);
    for (int k = 0; k < SHORTER_MOST && (after = look_slope(l)) < -0.5 * before; k++) {
      double next = part * fmax(before / (before - after), 0.1);
      for (int i = 0; i < h->n; i++) h->s[i] -= (part - next) * l->step[i];
      part = next;
      worst = look_rest(l);
    }
  }
  return worst;
}

/* Within some tenths of a millimetre per second bristles go from what they hold to what they rub with, and each contact stands on the chain
 * of all others. From where an iteration has led, the chain with the law itself, not its tangents, says at which velocities to
 * linearise next: on the published elevator in steps of 10 ms that takes 4.5 iterations instead of 12. */
int cps_contact_look(const machine *m, cable *c, const step_coeffs *coeffs, double least) {
  looking_chain l = {.c = c, .v_q = coeffs->v_a / coeffs->q_a, .time = cps_memory_time(&c->contact, coeffs)};
  chain_of *h = &l.h;
  double most = 0;
  if (!cps_contact_looks(c) || coeffs->bristle > 0 || !(l.v_q > 0) || !chain_find(c, h)) return 0;
  chain_make(h, m, c, coeffs);
  l.v = h->base, l.n = h->limit, l.answer = h->still_f, l.rest = h->y, l.slope = h->c, l.step = h->sum,
  l.up = h->still;
  for (int i = 0; i < h->n; i++) {
    const contact_point *p = point_of(h, i);
    int touches = p->drum >= 0;
    l.n[i] = touches ? cps_contact_load(m, c, p) : 0;
    l.v[i] = p->v[0] + l.v_q * p->moved;
    h->f[i] = touches ? h->sense[i] * p->f[0] : 0;
    h->s[i] = 0;
    most = fmax(most, p->limit);
  }
  double off = look_rest(&l);
  if (!(off > least * most) || !(look_solve(&l, off, LOOKED * most) < off)) return 0;
  for (int i = 0; i < h->n; i++) {
    contact_point *p = point_of(h, i);
    if (p->drum < 0) continue;
    p->f[0] = l.answer[i];
    p->root = l.v[i] + h->sense[i] * l.v_q * h->s[i];
    p->guess = GUESS_LOOK;
  }
  return 1;
}
