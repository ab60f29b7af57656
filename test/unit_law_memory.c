/* unit_law_memory.c - the path of a law's states through a step (law_memory.c): its derivatives against differences, it is continuous
 * in the velocity, and it does not overshoot what a bristle can bear, however long the step. */
#include "test.h"

#include "machine.h"

/* A law in a step: everything that the force at its end follows from. */
typedef struct step {
  contact_law law;
  int mode;
  double v, n, e, time, star[CPS_MAX_STATES];
} step;

static void draw(const cps_law *law, rng *r, step *s) {
  double p[CPS_MAX_PARAMS], none[CPS_MAX_PARAMS] = {0};
  const cps_normal *normal = cps_normal_find("linear");
  cps_law_defaults(law, p);
  cps_contact_law_set(&s->law, normal, none, law, p);
  cps_law_scale scale;
  s->n = rng_log(r, 1, 100);
  cps_law_scales(law, p, s->n, &scale);
  s->v = rng_sign(r) * rng_log(r, 1e-6, 0.1);
  s->e = rng_between(r, -1, 1) * scale.f_stick;
  s->time = rng_log(r, 1e-6, 2e-3);
  for (int i = 0; i < law->n_states; i++)
    s->star[i] = (law->states[i].parity < 0 ? rng_between(r, -1, 1) : rng_uniform(r)) * scale.z[i];
  cps_law_input in = {0, s->n, s->e, s->star, CPS_MODE_FREE}; /* it was at rest */
  s->mode = law->n_modes ? cps_law_mode(law, p, &in) : CPS_MODE_FREE;
}

/* Force and states at the end; whether there is a solution. */
static int take(const step *s, double *f, double *z) {
  memory_path path;
  recall_row f_row, rows[CPS_MAX_STATES];
  cps_memory_advance(&s->law, s->v, s->n, s->e, s->mode, s->star, s->star, s->time, &path);
  *f = cps_memory_rows_of(&s->law, s->v, s->n, s->e, &path, 0, &f_row, rows, NULL);
  memcpy(z, path.piece[path.n - 1].z, CPS_MAX_STATES * sizeof *z);
  return path.solved;
}

/* One of the numbers that it follows from, and where its derivative is. */
static double *input(step *s, recall_row *row, int i, double **by) {
  int states = s->law.law->n_states;
  double *const at[] = {&s->v, &s->n, &s->e}, *const of[] = {&row->v, &row->n, &row->e};
  *by = i < 3 ? of[i] : i < 3 + states ? &row->star[i - 3] : &row->p[i - 3 - states];
  return i < 3 ? at[i] : i < 3 + states ? &s->star[i - 3] : &s->law.p[i - 3 - states];
}

static void derivatives(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 90);
  int compared = 0, kinks = 0, many = 0, walks = 0, unsolved = 0;
  for (int k = 0; law->n_states && k < 200; k++) {
    step s;
    memory_path path;
    recall_row f_row, rows[CPS_MAX_STATES];
    draw(law, &r, &s);
    cps_memory_advance(&s.law, s.v, s.n, s.e, s.mode, s.star, s.star, s.time, &path);
    if (path.n == PIECES || !path.solved) { /* such a step of a run is rejected */
      unsolved += !path.solved;
      continue;
    }
    double f = cps_memory_rows_of(&s.law, s.v, s.n, s.e, &path, 1, &f_row, rows, NULL);
    many += path.n > 1;
    walks = s.law.walks;
    for (int i = 0; i < 3 + law->n_states + law->n_params; i++) {
      double *by, *x = input(&s, &f_row, i, &by), at = *x, analytic = *by;
      double f2[4], z2[4][CPS_MAX_STATES],
          h = 1e-5 * fmax(fabs(at), i >= 3 && i < 3 + law->n_states ? 1e-6 : 1e-9);
      int solved = 1;
      for (int d = 0; d < 4; d++) {
        *x = at + (d - 1.5) * h;
        solved &= take(&s, &f2[d], z2[d]);
      }
      *x = at;
      double outer = (f2[3] - f2[0]) / (3 * h), inner = (f2[2] - f2[1]) / h;
      double doubt = fabs(outer - inner) + 1e-13 * (fabs(f) + s.n) / h;
      if (!solved || fabs(outer - inner) > 1e-4 * (fabs(inner) + 1e-3 * s.n / fmax(fabs(at), 1e-6))) {
        kinks++;
        continue;
      }
      compared++;
      if (!(fabs(analytic - inner) <= 20 * doubt + 1e-5 * fabs(inner)))
        fail_msg("%s: f by number %d: %.9g, differences %.9g, in doubt by %.1g (%d pieces, v %g, time %g)",
                 law->name, i, analytic, inner, doubt, path.n, s.v, s.time);
      for (int j = 0; j < law->n_states; j++) {
        input(&s, &rows[j], i, &by);
        inner = (z2[2][j] - z2[1][j]) / h;
        outer = (z2[3][j] - z2[0][j]) / (3 * h);
        doubt = fabs(outer - inner) + 1e-12 * (fabs(z2[1][j]) + 1e-9) / h;
        if (!(fabs(*by - inner) <= 20 * doubt + 1e-5 * fabs(inner)))
          fail_msg("%s: state %d by number %d: %.9g, differences %.9g, in doubt by %.1g (%d pieces)",
                   law->name, j, i, *by, inner, doubt, path.n);
      }
    }
  }
  if (unsolved > (strcmp(law->name, "rill") == 0 ? 20 : 0))
    fail_msg("%s: %d steps are not solved", law->name, unsolved);
  if (law->n_states && kinks > compared / 4)
    fail_msg("%s: %d compared, %d at kinks", law->name, compared, kinks);
  if (walks && !law->slide && many == 0) fail_msg("%s: no guard fires", law->name);
}

/* A law's own slide ends where its guards and transitions lead to one by one, and has the mean force of a slide in many parts. */
static void slides(void **state) {
  const cps_law *law = law_of(state);
  if (!law->slide) skip();
  rng r = rng_for(law->name, 91);
  cps_law one_by_one = *law;
  one_by_one.slide = NULL;
  one_by_one.traits &= ~(unsigned)CPS_SNAPS;
  int many = 0, single = 0;
  for (int k = 0; k < 300; k++) {
    step s, t;
    memory_path path, other;
    draw(law, &r, &s);
    s.time = 1e-3;
    if (k % 2) s.v /= 1e3;
    t = s;
    t.law.law = &one_by_one;
    cps_memory_advance(&s.law, s.v, s.n, s.e, s.mode, s.star, s.star, s.time, &path);
    cps_memory_advance(&t.law, t.v, t.n, t.e, t.mode, t.star, t.star, t.time, &other);
    if (other.n == PIECES) continue;
    assert_int_equal(path.mode, other.mode);
    for (int i = 0; i < law->n_states; i++) {
      double got = path.piece[0].z[i], right = other.piece[other.n - 1].z[i];
      if (!(fabs(got - right) <= 1e-9 * (fabs(right) + fabs(s.v) * s.time)))
        fail_msg("%s: state %d is %.12g, not %.12g, after %d pieces", law->name, i, got, right, other.n);
    }
    many += other.n > 1;
    single += other.n == 1;
  }
  if (many < 20 || single < 20) fail_msg("%s: %d slides with jumps, %d without", law->name, many, single);
  step s;
  cps_law_scale scale;
  double z[CPS_MAX_STATES], f, mean = 0;
  enum { PARTS = 20000 };
  draw(law, &r, &s);
  cps_law_scales(law, s.law.p, s.n, &scale);
  s.v = 0.02;
  s.time = 3.3 * scale.z[0] / s.v;
  take(&s, &f, z);
  step part = s;
  part.time = s.time / PARTS;
  for (int k = 0; k < PARTS; k++) {
    memory_path path;
    recall_row f_row, rows[CPS_MAX_STATES];
    cps_memory_advance(&part.law, s.v, s.n, s.e, part.mode, part.star, part.star, part.time, &path);
    mean += cps_memory_rows_of(&part.law, s.v, s.n, s.e, &path, 0, &f_row, rows, NULL) / PARTS;
    memcpy(part.star, path.piece[0].z, sizeof part.star);
    part.mode = path.mode;
  }
  if (!(fabs(f - mean) <= 1e-3 * fabs(mean))) fail_msg("%s: %g N, mean %g N", law->name, f, mean);
}

/* A law's own step of implicit Euler gives what iteration finds. */
static void steps(void **state) {
  const cps_law *law = law_of(state);
  if (!law->step) skip();
  rng r = rng_for(law->name, 92);
  for (int k = 0; k < 300; k++) {
    step s;
    memory_path path;
    recall_row f_row, rows[CPS_MAX_STATES];
    cps_law_output out;
    cps_law_step got;
    draw(law, &r, &s);
    for (int i = 0; i < law->n_params; i++) s.law.p[i] *= rng_between(&r, 1, 1.5);
    if (k % 4 == 0) s.time = 0;
    if (k % 4 == 1) s.v = 0;
    if (k % 5 == 0) s.n = 0;
    if (k % 50 == 0) s.n = -1;
    if (k % 7 == 0) s.star[0] *= 3;
    cps_memory_advance(&s.law, s.v, s.n, s.e, s.mode, s.star, s.star, s.time, &path);
    double f = cps_memory_rows_of(&s.law, s.v, s.n, s.e, &path, 0, &f_row, rows, NULL), *z = path.piece[0].z;
    cps_law_input in = {s.v, s.n, s.e, z, s.mode};
    cps_law_eval(law, s.law.p, &in, &out, NULL);
    in.z = s.star;
    cps_law_implicit_step(law, s.law.p, &in, s.time, &got);
    const double pair[][2] = {
        {got.z, z[0]}, {got.z_t, out.z_t[0]}, {got.f, f}, {got.f_v, f_row.v}, {got.f_n, f_row.n}};
    const double same = s.n > 0 ? 1e-11 : 1e-8; /* lugre-adams without load is as stiff as can be */
    const double load = fabs(s.n) + 1, size[] = {1e-12, fabs(s.v), load, 1e4 * load, 1};
    for (int i = 0; i < (int)ROWS(pair); i++)
      if (!(fabs(pair[i][0] - pair[i][1]) <= same * (fabs(pair[i][1]) + size[i])))
        fail_msg("%s: number %d of a step: %.15g, by iteration %.15g (v %g, n %g, time %g)", law->name, i,
                 pair[i][0], pair[i][1], s.v, s.n, s.time);
  }
}

int main(void) {
  static const law_test tests[] = {{"derivatives", derivatives}, {"slides", slides}, {"steps", steps}};
  return over_laws("law memory", tests, ROWS(tests));
}
