/* unit_path.c - the way of a cable around drums: closed forms, senses of turning, space, and refusals. */
#include "world.h"

/* ------------------------------------------------------------------ the plane */

static void test_hang_over_hang(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  hang(&w, 1);
  wrap(&w, add_drum(&w, 2, 3, 0.25), 1);
  hang(&w, 1.5);
  path p = path_of(&w);
  assert_int_equal(p.n, 3);
  near_to(p.length, 2.5 + PI * 0.25, 1e-14, "length");
  at_place(&p, &w, 0, 1.75, 2); /* the first hang is on the left */
  at_place(&p, &w, 1, 1.75, 3);
  at_place(&p, &w, 1 + PI / 8, 2, 3.25);
  at_place(&p, &w, p.length, 2.25, 1.5);
  at_place(&p, &w, p.length + 1, 2.25, 0.5); /* and on straight */
  at_place(&p, &w, -1, 1.75, 1);
  check_smooth(&p, &w, 0);
  cps_path_free(&p);

  w.items[1].side = 0, w.items[1].turn = 1; /* the other way around */
  p = path_of(&w);
  at_place(&p, &w, 0, 2.25, 2);
  at_place(&p, &w, p.length, 1.75, 1.5);
  cps_path_free(&p);

  w.items[1].turns = 2;
  p = path_of(&w);
  near_to(p.length, 2.5 + 5 * PI * 0.25, 1e-13, "length with two more turns");
  near_to(p.piece[1].sweep, 5 * PI, 1e-13, "sweep");
  check_smooth(&p, &w, 0);
  cps_path_free(&p);

  memset(w.s.gravity, 0, sizeof w.s.gravity); /* down is -y then */
  p = path_of(&w);
  at_place(&p, &w, 0, 2.25, 2);
  cps_path_free(&p);
}

static void test_point_tangents(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2)
    for (int flip = -1; flip <= 1; flip += 2) {
      world w;
      world_begin(&w, 2);
      pin(&w, 0, -5. * flip, 0);
      wrap(&w, add_drum(&w, 0, 0, 3), side);
      pin(&w, 1, 5. * flip, 0);
      path p = path_of(&w);
      assert_int_equal(p.n, 3);
      near_to(p.length, 8 + 3 * (PI - 2 * acos(0.6)), 1e-13, "length");
      at_place(&p, &w, 4, -1.8 * flip, 2.4 * side); /* the 3-4-5 triangle */
      at_place(&p, &w, p.length / 2, 0, 3. * side);
      near_to(p.piece[1].sweep, -flip * side * (PI - 2 * acos(0.6)), 1e-14, "sweep");
      check_smooth(&p, &w, 0);
      cps_path_free(&p);
    }
}

/* Belt around two pulleys: the textbook's lengths. */
static double belt_length(double r1, double r2, double d, int crossed) {
  double s = crossed ? r1 + r2 : r2 - r1, a = asin(s / d);
  return 2 * sqrt(d * d - s * s) + (crossed ? (PI + 2 * a) * (r1 + r2) : PI * (r1 + r2) + 2 * a * (r2 - r1));
}

static void test_belts(void **state) {
  (void)state;
  static const double radii[][2] = {{0.2, 0.2}, {0.2, 0.5}, {0.6, 0.1}};
  for (int i = 0; i < ROWS(radii); i++)
    for (int crossed = 0; crossed < 2; crossed++)
      for (int flip = -1; flip <= 1; flip += 2)
        for (int first = -1; first <= 1; first += 2) {
          world w;
          world_begin(&w, 2);
          w.cable.closed = 1;
          int a = add_drum(&w, 1, 1, radii[i][0]), b = add_drum(&w, 1 + 1.6 * flip, 2.2, radii[i][1]);
          wrap(&w, a, first);
          wrap(&w, b, crossed ? -first : first);
          path p = path_of(&w);
          assert_int_equal(p.n, 4);
          near_to(p.length, belt_length(radii[i][0], radii[i][1], 2, crossed), 1e-13, "belt");
          assert_int_equal(p.piece[0].item, 0);
          assert_int_equal(p.piece[0].sweep * p.piece[2].sweep > 0, !crossed);
          assert_int_equal(p.piece[0].sweep<0, first * flip> 0); /* over, to the right: clockwise */
          check_smooth(&p, &w, 0);
          double r[2], t[2], q[2];
          cps_path_at(&p, &w.s, 0, r, t);
          cps_path_at(&p, &w.s, p.length, q, t);
          near_to(hypot(r[0] - q[0], r[1] - q[1]), 0, 1e-14, "it closes");
          cps_path_free(&p);
        }
}

static void test_belt_of_three(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  w.cable.closed = 1;
  int a = add_drum(&w, 0, 0, 0.3), b = add_drum(&w, 3, 0, 0.3), c = add_drum(&w, 1.5, -2, 0.3);
  wrap(&w, a, 1);
  wrap(&w, b, 1);
  wrap(&w, c, -1);
  path p = path_of(&w);
  near_to(p.length, 3 + 2 * 2.5 + 2 * PI * 0.3, 1e-13, "belt of three equal pulleys");
  check_smooth(&p, &w, 0);
  cps_path_free(&p);

  /* A point in its way, and a start that is not there. */
  to(&w, -1, -1);
  p = path_of(&w);
  assert_int_equal(p.piece[0].item, 0);
  check_smooth(&p, &w, 1);
  cps_path_free(&p);
  w.cable.n_path = 0;
  turn(&w, a, 1)->turns = 3;
  p = path_of(&w);
  near_to(p.length, 6 * PI * 0.3, 1e-13, "three times around one drum");
  cps_path_free(&p);
}

static void test_over_and_under(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  pin(&w, 0, -2, 0);
  wrap(&w, add_drum(&w, 0, 0, 0.5), 1);
  wrap(&w, add_drum(&w, 2, 0, 0.5), -1);
  wrap(&w, add_drum(&w, 4, 0, 0.5), 1);
  hang(&w, 1);
  path p = path_of(&w);
  assert_int_equal(p.n, 7);
  double slope = asin(0.5), rise = asin(0.25);
  near_to(p.piece[1].sweep, -(rise + slope), 1e-14, "first");
  near_to(p.piece[3].sweep, 2 * slope, 1e-14, "second");
  near_to(p.piece[5].sweep, -(PI / 2 + slope), 1e-14, "third");
  at_place(&p, &w, p.length, 4.5, -1);
  check_smooth(&p, &w, 0);
  cps_path_free(&p);

  /* A tackle straight below: no crossing over. */
  world_begin(&w, 2);
  hang(&w, 1);
  wrap(&w, add_drum(&w, 0, 0, 0.5), 1);
  wrap(&w, add_drum(&w, 0, -3, 0.5), -1);
  pin(&w, 1, -0.5, 1);
  p = path_of(&w);
  at_place(&p, &w, 0, -0.5, -1);
  at_place(&p, &w, p.length, -0.5, 1);
  near_to(p.length, 1 + 3 + 4 + PI, 1e-13, "tackle");
  cps_path_free(&p);
  pin(&w, 1, 0, -1); /* even if nothing else tells */
  p = path_of(&w);
  assert_true(p.piece[1].sweep < 0 && p.piece[3].sweep < 0);
  cps_path_free(&p);
}

static void test_rim(void **state) {
  (void)state;
  for (int turns = 0; turns < 3; turns++)
    for (int end = 0; end < 2; end++) {
      world w;
      world_begin(&w, 2);
      int winch = add_drum(&w, 0, 0, 0.5), sheave = add_drum(&w, 3, 0, 0.5);
      w.cable.end[end].kind = cps_end_find("rim"), w.cable.end[end].drum = winch;
      if (end) hang(&w, 2);
      if (end) wrap(&w, sheave, 1);
      wrap(&w, winch, 1)->turns = turns;
      if (!end) wrap(&w, sheave, 1);
      if (!end) hang(&w, 2);
      path p = path_of(&w);
      const path_piece *wound = &p.piece[end ? p.n - 1 : 0];
      near_to(fabs(wound->sweep), turns ? 2 * PI * turns : PI, 1e-14, "wound");
      assert_int_equal(wound->sweep > 0, end);
      double way = wound->length + 3 + 0.5 * PI / 2 + 2;
      near_to(p.length, way, 1e-13, "winch");
      at_place(&p, &w, end ? 0 : p.length, 3.5, -2);
      at_place(&p, &w, end ? p.length : 0, 0, turns ? 0.5 : -0.5);
      check_smooth(&p, &w, 0);
      cps_path_free(&p);
    }
}

static void test_straight_pieces(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  along(&w, 3, 4, 2); /* two straight pieces, a drum, two more */
  along(&w, 1, 0, 1);
  turn(&w, add_drum(&w, 0, 0, 1), -1);
  along(&w, 0, -2, 1);
  along(&w, -1, 0, 1);
  path p = path_of(&w);
  near_to(p.length, 5 + PI / 2, 1e-14, "length");
  at_place(&p, &w, 0, -1 - 1.2, 1 - 1.6);
  at_place(&p, &w, 3 + PI / 2, 1, 0);
  at_place(&p, &w, p.length, 0, -1);
  check_smooth(&p, &w, 1);
  cps_path_free(&p);

  world_begin(&w, 2); /* a path of points alone: free ends are at its points */
  to(&w, 1, 1);
  to(&w, 4, 5);
  p = path_of(&w);
  near_to(p.length, 5, 1e-14, "line");
  at_place(&p, &w, 0, 1, 1);
  cps_path_free(&p);

  world_begin(&w, 2); /* a pendulum either way */
  pin(&w, 0, 1, 1);
  hang(&w, 2);
  p = path_of(&w);
  at_place(&p, &w, 2, 1, -1);
  cps_path_free(&p);
  world_begin(&w, 2);
  pin(&w, 1, 1, 1);
  hang(&w, 2);
  p = path_of(&w);
  at_place(&p, &w, 0, 1, -1);
  cps_path_free(&p);
}

static void test_ends(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  int load = add_body(&w, 5);
  carry(&w, 1, load);
  w.bodies[load].placed = 1, w.bodies[load].x[0] = 1, w.bodies[load].x[1] = -2;
  hang(&w, 1);
  wrap(&w, add_drum(&w, 0, 0, 1), 1);
  hang(&w, 0); /* as far as the body is */
  path p = path_of(&w);
  near_to(p.length, 1 + PI + 2, 1e-14, "to a placed body");
  cps_path_free(&p);
  w.items[2].length = 2; /* says the same again */
  p = path_of(&w);
  cps_path_free(&p);
  w.items[2].length = 2.1;
  refused(&w, "cables.rope.path.3", "leave one of them out");
  w.bodies[load].placed = 0;
  p = path_of(&w);
  at_place(&p, &w, p.length, 1, -2.1);
  cps_path_free(&p);
  w.items[2].length = 0;
  refused(&w, "cables.rope.path.3", "give the length");
  w.cable.length = 7;
  p = path_of(&w);
  near_to(p.length, 7, 1e-14, "what remains");
  cps_path_free(&p);
  w.cable.length = 4;
  refused(&w, "cables.rope.path.3", "takes 4.14159 m already");
  w.cable.length = 0;
  w.items[2].length = 2;
  pin(&w, 0, -1, -1);
  p = path_of(&w);
  cps_path_free(&p);
  w.items[0].length = 1.5;
  refused(&w, "cables.rope.path.1", "the hang is 1.5 m long");

  /* Ends and drums that are moved by a profile start where it has them. */
  world_begin(&w, 2);
  profile shift = {.kind = PROFILE_CONSTANT, .a = {0.5}};
  pin(&w, 0, -3, -3);
  w.cable.end[0].shift[0] = &shift;
  w.drums[add_drum(&w, 0, 0, 1)].shift[1] = &shift;
  wrap(&w, 0, 1);
  hang(&w, 1);
  p = path_of(&w);
  at_place(&p, &w, 0, -2.5, -3);
  at_place(&p, &w, p.length, 1, -0.5);
  cps_path_free(&p);
}

static void test_refusals(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  int a = add_drum(&w, 0, 0, 1), b = add_drum(&w, 1.5, 0, 1), c = add_drum(&w, 0, 0.2, 0.3);
  refused(&w, "cables.rope.path", "nothing says where the cable is");
  wrap(&w, a, 1);
  refused(&w, "cables.rope.path.1", "where the cable starts");
  pin(&w, 0, -2, 0);
  refused(&w, "cables.rope.path.1", "where the cable ends");
  pin(&w, 1, 0.5, 0.5);
  refused(&w, "cables.rope.path.1", "inside");
  pin(&w, 1, 2, 3);
  refused(&w, "cables.rope.path.1", "does not touch drum d0");
  pin(&w, 0, -3, 1);
  pin(&w, 1, 3, 1);
  refused(&w, "cables.rope.path.1", "grazes");
  w.items[0].turns = 2; /* but with turns that is no matter */
  path p = path_of(&w);
  near_to(fabs(p.piece[1].sweep), 4 * PI, 1e-13, "two turns");
  cps_path_free(&p);
  w.items[0].turns = -1;
  refused(&w, "cables.rope.path.1", "negative");
  w.items[0].turns = 0;
  pin(&w, 1, 4, 0);
  wrap(&w, b, -1);
  refused(&w, "cables.rope.path.2", "overlap");
  w.items[1].drum = c;
  w.items[1].side = 1;
  refused(&w, "cables.rope.path.2", "inside the other");
  w.items[1].drum = a;
  refused(&w, "cables.rope.path.2", "follows itself");
  w.items[0].side = 0;
  refused(&w, "cables.rope.path.1", "over or under");
  w.cable.n_path = 0;
  wrap(&w, a, 1);
  w.cable.end[1].kind = cps_end_find("rim"), w.cable.end[1].drum = b;
  refused(&w, "cables.rope.path.1", "must be last");
  w.cable.end[0].kind = cps_end_find("rim"), w.cable.end[0].drum = a;
  w.cable.end[1].drum = a;
  refused(&w, "cables.rope.path.1", "both ends");
  world_begin(&w, 2);
  hang(&w, 1);
  refused(&w, "cables.rope.path.1", "nothing says where the cable is");
  w.cable.closed = 1;
  refused(&w, "cables.rope.path.0", "closed cable");
  w.cable.n_path = 0;
  refused(&w, "cables.rope.path", "closed cable");
  world_begin(&w, 3);
  w.drums[add_drum(&w, 0, 0, 1)].axis[2] = 0;
  w.drums[0].axis[1] = 1;
  hang(&w, 1);
  wrap(&w, 0, 1);
  hang(&w, 1);
  refused(&w, "cables.rope.path.2", "give its `turn`");
  w.items[1].turn = 1;
  refused(&w, "cables.rope.path.2", "along the axis");
}

/* ------------------------------------------------------------------ space */

static void scene(world *w, int k) {
  world_begin(w, 2);
  int a = add_drum(w, 0, 0, 0.5), b = add_drum(w, 2, 0.7, 0.3), c = add_drum(w, 4, -0.2, 0.8);
  if (k == 0) { /* over, under, over */
    hang(w, 1);
    wrap(w, a, 1);
    wrap(w, b, -1);
    wrap(w, c, 1)->turns = 1;
    pin(w, 1, 6, -2);
  } else if (k == 1) {
    w->cable.closed = 1;
    wrap(w, a, 1);
    wrap(w, c, -1);
  } else {
    w->cable.end[0].kind = cps_end_find("rim");
    w->cable.end[0].drum = a;
    wrap(w, a, 1)->turns = 2;
    wrap(w, c, 1);
    along(w, 1, -3, 0.7);
    to(w, 6, 3);
  }
}

static void test_tilted_plane(void **state) {
  (void)state;
  rng g = rng_for("tilt", 1);
  for (int i = 0; i < 60; i++) {
    world w, v;
    scene(&w, i % 3);
    scene(&v, i % 3);
    double about[3] = {rng_between(&g, -1, 1), rng_between(&g, -1, 1), rng_between(&g, -1, 1)};
    double shift[3] = {rng_between(&g, -2, 2), rng_between(&g, -2, 2), rng_between(&g, -2, 2)};
    double angle = rng_between(&g, -3, 3);
    vec_unit(about);
    tilt(&v, about, angle, shift);
    for (int d = 0; d < v.s.n_drums; d++) /* an axis may point either way */
      for (int k = 0; k < 3 && i % 4 == 3; k++) v.drums[d].axis[k] *= -1;
    if (i % 4 == 3 && i % 3 == 0) continue; /* where left and right are told by the axis alone */
    path p = path_of(&w), q = path_of(&v);
    assert_int_equal(p.n, q.n);
    near_to(q.length, p.length, 1e-12, "tilted length");
    for (int j = 0; j <= 50; j++) {
      double r[3] = {0}, t[3] = {0}, r1[3], t1[3];
      cps_path_at(&p, &w.s, p.length * j / 50.1, r, t);
      cps_path_at(&q, &v.s, p.length * j / 50.1, r1, t1);
      rotate(r, about, angle);
      rotate(t, about, angle);
      vec_add(r, r, 1, shift);
      for (int k = 0; k < 3; k++) {
        near_to(r1[k], r[k], 1e-12, "tilted place");
        near_to(t1[k], t[k], 1e-12, "tilted tangent");
      }
    }
    check_smooth(&q, &v, i % 3 == 2);
    cps_path_free(&p);
    cps_path_free(&q);
  }
}

/* From a point around a cylinder to a point elsewhere along the axis: the unrolled straight line. */
static void test_unrolled(void **state) {
  (void)state;
  world w;
  world_begin(&w, 3);
  pin(&w, 0, -5, 0);
  wrap(&w, add_drum(&w, 0, 0, 3), 1);
  pin(&w, 1, 5, 0);
  w.cable.end[1].at[2] = 2;
  path p = path_of(&w);
  double flat = 8 + 3 * (PI - 2 * acos(0.6));
  near_to(p.length, hypot(flat, 2), 1e-13, "unrolled");
  check_smooth(&p, &w, 0);
  cps_path_free(&p);

  w.items[0].turns = 3; /* a given pitch is kept */
  w.items[0].pitch = 0.1;
  p = path_of(&w);
  double sweep = 6 * PI + PI - 2 * acos(0.6);
  near_to(p.piece[1].rise, 0.1 * sweep / (2 * PI), 1e-13, "rise");
  near_to(p.piece[1].length, hypot(3 * sweep, p.piece[1].rise), 1e-12, "helix");
  double slope = (2 - p.piece[1].rise) / 8;
  near_to(p.piece[0].along[2], slope / hypot(1, slope), 1e-13, "slope before");
  near_to(p.piece[2].along[2], slope / hypot(1, slope), 1e-13, "slope after");
  check_smooth(&p, &w, 1);
  cps_path_free(&p);

  world_begin(&w, 3); /* a rim is in the drum's middle plane */
  w.cable.end[0].kind = cps_end_find("rim");
  w.cable.end[0].drum = add_drum(&w, 0, 0, 1);
  w.drums[0].center[2] = 5;
  path_item *wound = wrap(&w, 0, 1);
  wound->turns = 2, wound->pitch = 0.25;
  hang(&w, 1);
  p = path_of(&w);
  double r[3], t[3];
  cps_path_at(&p, &w.s, 0, r, t);
  near_to(r[2], 5, 1e-14, "rim");
  cps_path_at(&p, &w.s, p.length, r, t);
  near_to(r[2], 5.5, 1e-14, "wound two turns");
  cps_path_free(&p);
}

/* Three drums whose axes point anywhere. */
static int skew_scene(world *w, rng *g) {
  world_begin(w, 3);
  pin(w, 0, -3, -1);
  pin(w, 1, 7, -1);
  for (int i = 0; i < 3; i++) {
    int d = add_drum(w, 2. * i + rng_between(g, -0.2, 0.2), rng_between(g, -0.3, 0.3) + (i == 1 ? -1.5 : 0),
                     0.4);
    w->drums[d].center[2] = rng_between(g, -0.5, 0.5);
    for (int k = 0; k < 2; k++) w->drums[d].axis[k] = rng_between(g, -0.5, 0.5);
    vec_unit(w->drums[d].axis);
    wrap(w, d, i == 1 ? -1 : 1);
  }
  w->cable.end[0].at[2] = rng_between(g, -1, 1);
  w->cable.end[1].at[2] = rng_between(g, -1, 1);
  return 3;
}

/* Length of the cable with the heights of the arcs' ends moved by dh, its angles set so that lines touch:
 * what a taut cable makes smallest. Lines between arcs are found by alternating projections, in no way that
 * tangent_lines.c goes. */
static double length_with(const world *w, const path *p, const double *dh) {
  double angle[6], height[6], at[8][3], length = 0;
  int arc[3], n = 0;
  for (int k = 0; k < p->n; k++)
    if (p->piece[k].drum >= 0) arc[n++] = k;
  for (int i = 0; i < n; i++) {
    const path_piece *a = &p->piece[arc[i]];
    angle[2 * i] = a->angle, angle[2 * i + 1] = a->angle + a->sweep;
    height[2 * i] = a->height + dh[2 * i], height[2 * i + 1] = a->height + a->rise + dh[2 * i + 1];
  }
  vec_copy(at[0], w->cable.end[0].at);
  vec_copy(at[7], w->cable.end[1].at);
  for (int sweep = 0; sweep < 60; sweep++)
    for (int j = 0; j < 2 * n; j++) {
      const path_piece *a = &p->piece[arc[j / 2]];
      double c[3], x[3], u[3], v[3], d[3];
      cps_drum_place(&w->s, a->drum, c, x);
      cps_drum_frame(x, u, v);
      if (sweep > 0) { /* the tangent point seen from the other end of the line */
        vec_add(d, at[j % 2 ? j + 2 : j], -1, c);
        double px = vec_dot(d, u), py = vec_dot(d, v), open = acos(0.4 / hypot(px, py));
        double way = (a->sweep > 0 ? 1 : -1) * (j % 2 ? -1 : 1), old = angle[j];
        angle[j] = atan2(py, px) + way * open;
        angle[j] += 2 * PI * round((old - angle[j]) / (2 * PI));
      }
      for (int k = 0; k < 3; k++)
        at[j + 1][k] = c[k] + 0.4 * (cos(angle[j]) * u[k] + sin(angle[j]) * v[k]) + height[j] * x[k];
    }
  for (int j = 0; j <= n; j++) {
    double d[3];
    vec_add(d, at[2 * j + 1], -1, at[2 * j]);
    length += vec_norm(d);
  }
  for (int i = 0; i < n; i++)
    length += hypot(0.4 * (angle[2 * i + 1] - angle[2 * i]), height[2 * i + 1] - height[2 * i]);
  return length;
}

static void test_skew_drums(void **state) {
  (void)state;
  rng g = rng_for("skew", 1);
  for (int i = 0; i < 40; i++) {
    world w;
    skew_scene(&w, &g);
    path p = path_of(&w);
    assert_int_equal(p.n, 7);
    check_smooth(&p, &w, 0);
    /* tangents agree at the joints to rounding */
    for (int k = 1; k < p.n; k++) {
      double r[3], t[3], n[3], r1[3], t1[3];
      cps_piece_at(&w.s, &p.piece[k - 1], p.piece[k - 1].length, r, t, n);
      cps_piece_at(&w.s, &p.piece[k], 0, r1, t1, n);
      for (int j = 0; j < 3; j++) {
        near_to(r[j], r1[j], 1e-13, "joint");
        near_to(t[j], t1[j], 1e-12, "tangent at a joint");
      }
    }
    /* no other heights make it shorter */
    double none[6] = {0}, best = length_with(&w, &p, none);
    near_to(best, p.length, 1e-12, "length by another way");
    for (int trial = 0; trial < 20; trial++) {
      double dh[6];
      for (int j = 0; j < 6; j++) dh[j] = 1e-3 * rng_between(&g, -1, 1);
      assert_true(length_with(&w, &p, dh) > p.length);
    }
    cps_path_free(&p);
  }
}

/* Two sheaves across each other, with hangs: by symmetry the cable touches where it must. */
static void test_crossed_sheaves(void **state) {
  (void)state;
  world w;
  world_begin(&w, 3);
  hang(&w, 1);
  turn(&w, add_drum(&w, 0, 0, 0.5), -1); /* axis z: runs off at the top, along x */
  turn(&w, add_drum(&w, 3, 0, 0.5), 1);
  w.drums[1].axis[2] = 0, w.drums[1].axis[1] = 1; /* axis y: around it, on along z */
  w.drums[1].center[2] = -0.5, w.drums[1].center[1] = 7;
  along(&w, 0, 0, 2);
  w.items[3].direction[2] = -1;
  path p = path_of(&w);
  double r[3], t[3];
  near_to(p.length, 1 + PI / 4 + 3 + PI / 4 + 2, 1e-12, "crossed");
  cps_path_at(&p, &w.s, p.length, r, t);
  near_to(r[0], 3.5, 1e-12, "x");
  near_to(r[1], 0.5, 1e-12, "y");
  near_to(r[2], -2.5, 1e-12, "z");
  check_smooth(&p, &w, 0);
  cps_path_free(&p);
}

/* A sheave whose centre lies within the other drum's cylinder, though its rim does not. */
static void test_sheave_along_axis(void **state) {
  (void)state;
  world w;
  world_begin(&w, 3);
  pin(&w, 0, -3, 0.6);
  turn(&w, add_drum(&w, 0, 0, 0.5), -1);
  turn(&w, add_drum(&w, 0.2, -0.3, 1), -1);
  w.drums[1].center[2] = 3;
  w.drums[1].axis[2] = 0, w.drums[1].axis[0] = 1;
  pin(&w, 1, 1, -0.3);
  w.cable.end[1].at[2] = 6;
  path p = path_of(&w);
  assert_int_equal(p.n, 5);
  check_smooth(&p, &w, 0);
  cps_path_free(&p);
}

/* ------------------------------------------------------------------ anything */

static void random_item(world *w, rng *g) {
  path_item *i = NULL;
  switch (rng_below(g, 6)) {
  case 0:
    i = hang(w, rng_below(g, 3) ? rng_between(g, 0, 2) : 0);
    break;
  case 1:
    i = to(w, rng_between(g, -4, 4), rng_between(g, -4, 4));
    break;
  case 2:
    i = along(w, rng_between(g, -1, 1), rng_between(g, -1, 1), rng_between(g, -0.5, 2));
    break;
  default:
    i = wrap(w, rng_below(g, w->s.n_drums), rng_below(g, 20) ? (int)rng_sign(g) : 0);
  }
  i->turn = rng_below(g, 4) ? 0 : (int)rng_sign(g);
  i->turns = rng_below(g, 5) ? 0 : rng_below(g, 3);
  i->pitch = rng_below(g, 3) ? 0 : rng_between(g, -0.1, 0.1);
  if (w->s.dim == 3) i->point[2] = rng_between(g, -1, 1), i->direction[2] *= 0.5;
}

static void random_world(world *w, rng *g) {
  world_begin(w, 2 + rng_below(g, 2));
  int drums = 1 + rng_below(g, 4), items = rng_below(g, 6);
  for (int i = 0; i < drums; i++) {
    int d = add_drum(w, rng_between(g, -4, 4), rng_between(g, -4, 4), rng_between(g, 0.1, 0.8));
    if (w->s.dim == 2) continue;
    w->drums[d].center[2] = rng_between(g, -1, 1);
    for (int k = 0; k < 3 && rng_below(g, 2); k++) w->drums[d].axis[k] += rng_between(g, -0.5, 0.5);
    vec_unit(w->drums[d].axis);
  }
  for (int i = 0; i < items; i++) random_item(w, g);
  for (int e = 0; e < 2; e++) {
    cable_end *end = &w->cable.end[e];
    static const char *const kinds[] = {"free", "pinned", "clamped", "body", "rim"};
    end->kind = cps_end_find(kinds[rng_below(g, 5)]);
    end->placed = rng_below(g, 2);
    for (int k = 0; k < w->s.dim; k++) end->at[k] = rng_between(g, -5, 5);
    end->body = add_body(w, rng_between(g, 0, 10));
    end->drum = end->kind == cps_end_find("rim") && items &&
                        cps_item_is(&w->items[e ? items - 1 : 0], ITEM_WRAPS)
                    ? w->items[e ? items - 1 : 0].drum
                    : rng_below(g, drums);
  }
  w->cable.closed = rng_below(g, 6) == 0;
  w->cable.length = rng_below(g, 4) ? 0 : rng_between(g, 1, 40);
  w->cable.tension = rng_below(g, 4) ? 0 : rng_between(g, 1, 1000);
  w->cable.rho = rng_between(g, 0, 1);
  w->cable.elements = rng_below(g, 3) ? 1 + rng_below(g, 60) : 0;
  w->cable.size = rng_between(g, 0.05, 1);
  w->cable.drum_size = rng_between(g, 0.02, 0.3);
  w->cable.growth = rng_between(g, 1, 2);
  press_law(w, rng_log(g, 1e4, 1e8), rng_between(g, 1, 2));
  w->cable.contact.quadrature = rng_below(g, 3);
}

static void check_sentence(const cps_error *err) {
  size_t n = strlen(err->text);
  assert_true(n > 20 && n < sizeof err->text - 1);
  assert_true(strncmp(err->key, "cables.rope", 11) == 0);
  assert_null(strstr(err->text, "nan"));
}

static void test_anything(void **state) {
  (void)state;
  rng g = rng_for("anything", 7);
  int good[2] = {0}, laid = 0;
  for (int i = 0; i < 6000; i++) {
    world w;
    path p;
    shape m;
    cps_error err = {0};
    random_world(&w, &g);
    cps_status status = cps_path_make(&p, &w.s, 0, &err);
    if (status != CPS_OK) {
      assert_int_equal(status, CPS_BAD_INPUT);
      check_sentence(&err);
      continue;
    }
    good[w.s.dim == 3]++;
    if (good[w.s.dim == 3] % 10 == 0) check_smooth(&p, &w, 1);
    status = cps_shape_make(&m, &w.s, 0, &p, &err);
    if (status != CPS_OK) {
      assert_int_equal(status, CPS_BAD_INPUT);
      check_sentence(&err);
    } else {
      laid++;
      for (int k = 0; k < 2 * w.s.dim * (m.n + 1); k++) assert_true(isfinite(m.q[k]));
      for (int k = 0; k < m.n; k++) assert_true(m.length[k] > 0);
    }
    cps_shape_free(&m);
    cps_path_free(&p);
  }
  if (good[0] < 300 || good[1] < 200 || laid < 500)
    fail_msg("only %d + %d paths, %d meshes", good[0], good[1], laid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hang_over_hang),  cmocka_unit_test(test_point_tangents),
      cmocka_unit_test(test_belts),           cmocka_unit_test(test_belt_of_three),
      cmocka_unit_test(test_over_and_under),  cmocka_unit_test(test_rim),
      cmocka_unit_test(test_straight_pieces), cmocka_unit_test(test_ends),
      cmocka_unit_test(test_refusals),        cmocka_unit_test(test_tilted_plane),
      cmocka_unit_test(test_unrolled),        cmocka_unit_test(test_skew_drums),
      cmocka_unit_test(test_crossed_sheaves), cmocka_unit_test(test_sheave_along_axis),
      cmocka_unit_test(test_anything),
  };
  return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
