/* unit_study.c - studies: random numbers and sequences against published ones, samples against what defines them, study files and
 * their problems, and runs whose results are known in closed form. */
#include "test.h"

#include "counter_random.h"
#include "distribution.h"
#include "sobol.h"
#include "sobol_points.h"

/* ------------------------------------------------------------------ generators */

/* Known answers that are published with Random123 (kat_vectors, philox4x32 with 10 rounds). */
static void test_philox(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (int i = 0; i < ROWS(known); i++) {
    uint32_t out[4];
    cps_philox(known[i].counter, known[i].key, out);
    assert_memory_equal(out, known[i].out, sizeof out);
  }
}

static void test_permutation(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 2, 3, 7, 16, 100, 1000};
  for (int k = 0; k < ROWS(sizes); k++) {
    uint64_t n = sizes[k], fixed = 0;
    unsigned char seen[1000] = {0};
    for (uint64_t i = 0; i < n; i++) {
      uint64_t to = cps_random_place(7, i, n, 3, RANDOM_PERMUTATION);
      assert_true(to < n && !seen[to]);
      seen[to] = 1;
      fixed += to == i;
    }
    assert_true(n < 100 || fixed < n / 10); /* one on average */
  }
}

/* Points 0 to 7 of the bare sequence in five dimensions, in units of 1/8 and as scipy.stats.qmc.Sobol(5, scramble=False) gives
 * them; and single ones further out, in units of 2^-32. */
static void test_sobol(void **state) {
  (void)state;
  static const int eighths[8][5] = {{0, 0, 0, 0, 0}, {4, 4, 4, 4, 4}, {6, 2, 2, 2, 6}, {2, 6, 6, 6, 2},
                                    {3, 3, 5, 7, 3}, {7, 7, 1, 3, 7}, {5, 1, 7, 5, 5}, {1, 5, 3, 1, 1}};
  uint32_t v[SOBOL_BITS];
  for (int j = 0; j < 5; j++) {
    cps_sobol_directions(j, v);
    for (uint64_t i = 0; i < 8; i++) assert_int_equal(cps_sobol(v, i) >> 29, eighths[i][j]);
  }
  for (int k = 0; k < ROWS(sobol_far); k++) {
    cps_sobol_directions(sobol_far[k].dimension, v);
    assert_int_equal(cps_sobol(v, sobol_far[k].point), sobol_far[k].value);
  }
}

/* ------------------------------------------------------------------ distributions */

static const distribution *law(const char *name) {
  for (int i = 0; i < cps_distributions(); i++)
    if (strcmp(cps_distribution(i)->keys->name, name) == 0) return cps_distribution(i);
  fail_msg("no distribution %s", name);
  return NULL;
}

static void close_to(double x, double wanted, double relative) {
  if (!(fabs(x - wanted) <= relative * fabs(wanted))) fail_msg("%.17g is not %.17g", x, wanted);
}

/* Values of scipy.stats: norm, truncnorm, lognorm, triang, beta. */
static void test_quantiles(void **state) {
  (void)state;
  close_to(cps_normal_quantile(0.975), 1.959963984540054, 1e-15);
  close_to(cps_normal_quantile(1e-20), -9.262340089798408, 1e-14);
  close_to(cps_normal_probability(-9.262340089798408), 1e-20, 1e-12);
  for (double u = 0.001; u < 1; u += 0.0371)
    close_to(cps_normal_probability(cps_normal_quantile(u)), u, 1e-14);
  const double normal[] = {10, 2, 9, 15}, far[] = {0, 1, 10, INFINITY}, beta[] = {2, 5, 0, 10},
               odd[] = {0.5, 0.5, 0, 1};
  close_to(law("normal")->quantile(normal, 0.25), 9.89894359416707, 1e-13);
  close_to(law("normal")->quantile(far, 0.5), 10.06841183608143, 1e-12); /* deep in the tail */
  const double median[] = {3, 0.5, -INFINITY, INFINITY};
  close_to(law("lognormal")->quantile(median, 0.9), 3 * exp(0.5 * 1.2815515655446004), 1e-14);
  const double triangle[] = {0, 1, 4};
  close_to(law("triangular")->quantile(triangle, 0.25), 1, 1e-14);
  close_to(law("triangular")->quantile(triangle, 0.75), 4 - sqrt(3.0), 1e-14);
  close_to(law("beta")->quantile(beta, 0.5), 2.6444998329566003, 1e-12);
  close_to(law("beta")->quantile(odd, 0.25), pow(sin(0.25 * 3.14159265358979323846 / 2), 2),
           1e-12); /* arcsine law */
  const double log_span[] = {1, 100};
  close_to(law("loguniform")->quantile(log_span, 0.5), 10, 1e-14);
  const double flat[] = {10, 0, -INFINITY, INFINITY}, nowhere[] = {0, 1, 60, 70}, swapped[] = {0, 1, 2, 1};
  assert_non_null(law("normal")->fault(flat));
  assert_non_null(law("normal")->fault(nowhere));
  assert_non_null(law("normal")->fault(swapped));
  assert_null(law("normal")->fault(far));
}

/* ------------------------------------------------------------------ studies */

/* A block that is thrown over rough ground: it stops at v^2/(2 mu g) after v/(mu g). */
#define BLOCK                                                                                                \
  "capstan: 1\n"                                                                                             \
  "title: thrown\n"                                                                                          \
  "bodies: {block: {mass: 2 kg, v: 1 m/s}}\n"                                                                \
  "contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}\n"          \
  "run: {until: 3, output: 0.5, solver: events}\n"
#define HEAD "study: 1\nscenario: unit_study_block.yaml\noutputs: {far: bodies.block.x, stop: event(1)}\n"
#define G    9.81

static const char *const SCENARIO = "unit_study_block.yaml";

static int write_files(void **state) {
  (void)state;
  FILE *f = fopen(SCENARIO, "w");
  int good = f && fputs(BLOCK, f) >= 0;
  if (f) fclose(f);
  f = fopen("unit_study.csv", "w");
  good = good && f && fputs("v [cm/s],mass [t]\n100,0.001\n150,0.002\n200,0.003\n", f) >= 0;
  if (f) fclose(f);
  return good ? 0 : -1;
}

static int remove_files(void **state) {
  (void)state;
  remove(SCENARIO);
  remove("unit_study.csv");
  return 0;
}

static cps_study *parse(const char *text) {
  cps_problems *problems = NULL;
  cps_study *s = cps_study_parse(text, strlen(text), "study.yaml", &problems);
  if (!s) {
    char line[2000];
    cps_problem_text(cps_problems_at(problems, 0), line, sizeof line);
    fail_msg("%s", line);
  }
  return s;
}

static const double *point_of(const cps_study *s, long long i) {
  static double values[16];
  assert_int_equal(cps_study_point(s, i, values, NULL), CPS_OK);
  return values;
}

#define MU "  mu: {path: contacts.floor.friction.mu, "
#define V  "  v: {path: bodies.block.v, "

static void test_grid(void **state) {
  (void)state;
  cps_study *s = parse(HEAD "vary:\n" MU "range: [0.1, 0.3], count: 3}\n" V "list: [100 cm/s, 2 m/s]}\n");
  assert_int_equal(cps_study_count(s), 6);
  for (int i = 0; i < 6; i++) {
    close_to(point_of(s, i)[0], 0.1 + 0.1 * (i / 2), 1e-15);
    close_to(point_of(s, i)[1], i % 2 ? 2 : 1, 0);
  }
  double values[2];
  assert_int_equal(cps_study_point(s, 6, values, NULL), CPS_BAD_INPUT);
  cps_study_free(s);
  s = parse(HEAD "vary:\n" MU "range: [0.1, 0.4], scale: log}\n" V "normal: {mean: 2, sd: 0.1}}\n"
                 "sample: {method: corners}\n");
  assert_int_equal(cps_study_count(s), 4);
  assert_true(point_of(s, 0)[0] == 0.1 && point_of(s, 3)[0] == 0.4);
  close_to(point_of(s, 1)[1], 2 + 0.1 * 2.3263478740408408, 1e-12);
  cps_study_free(s);
  s = parse(HEAD "vary:\n" MU "range: [0.1, 0.4]}\n" V "list: [1, 2, 3]}\nsample: {method: one-at-a-time}\n");
  assert_int_equal(cps_study_count(s), 6);
  assert_true(point_of(s, 0)[0] == 0.2 && point_of(s, 0)[1] == 1); /* as in the scenario */
  assert_true(point_of(s, 2)[0] == 0.4 && point_of(s, 2)[1] == 1);
  assert_true(point_of(s, 5)[0] == 0.2 && point_of(s, 5)[1] == 3);
  cps_study_free(s);
}

static void test_hypercube(void **state) {
  (void)state;
  enum { N = 500 };
  cps_study *s = parse(HEAD "vary:\n" MU "range: [0, 1]}\n" V "uniform: {low: 0, high: 500}}\n"
                            "sample: {method: latin-hypercube, points: 500, seed: 3}\n");
  unsigned char seen[2][N] = {{0}};
  double product = 0;
  for (int i = 0; i < N; i++) {
    const double *v = point_of(s, i);
    int a = (int)(v[0] * N), b = (int)v[1];
    assert_true(!seen[0][a] && !seen[1][b]);
    seen[0][a] = seen[1][b] = 1;
    product += (v[0] - 0.5) * (v[1] / N - 0.5);
  }
  assert_true(fabs(12 * product / N) < 4 / sqrt(N)); /* not correlated */
  cps_study_free(s);
}

/* The numbers of a distribution as a list, in the order of its keys: the same points to the bit, with units in either. */
static void test_lists(void **state) {
  (void)state;
  static const struct {
    const char *list, *map;
  } same[] = {
      {"uniform: [10 cm/s, 2]", "uniform: {high: 2 m/s, low: 0.1}"},
      {"loguniform: [1, 2 m/s]", "loguniform: {low: 1, high: 2}"},
      {"normal: [1 m/s, 5 cm/s]", "normal: {mean: 1, sd: 0.05}"},
      {"normal: [1, 0.05, 95 cm/s]", "normal: {mean: 1, sd: 0.05, low: 0.95}"},
      {"normal: [1, 0.05, 0.9, 1.05]", "normal: {mean: 1, sd: 0.05, low: 0.9, high: 1.05}"},
      {"lognormal: [100 cm/s, 0.2]", "lognormal: {median: 1, sigma: 0.2}"},
      {"triangular: [1, 1.5, 300 cm/s]", "triangular: {low: 1, mode: 1.5, high: 3}"},
      {"beta: [2, 3, 1, 2]", "beta: {a: 2, b: 3, low: 1, high: 2}"},
  };
  const char *sample = "sample: {method: random, points: 20, seed: 4}\n";
  for (int k = 0; k < ROWS(same); k++) {
    char text[2][600];
    snprintf(text[0], sizeof text[0], HEAD "vary:\n" V "%s}\n%s", same[k].list, sample);
    snprintf(text[1], sizeof text[1], HEAD "vary:\n" V "%s}\n%s", same[k].map, sample);
    cps_study *a = parse(text[0]), *b = parse(text[1]);
    for (int i = 0; i < 20; i++) {
      double x = point_of(a, i)[0], y = point_of(b, i)[0];
      if (x != y) fail_msg("%s gives %.17g, %s gives %.17g", same[k].list, x, same[k].map, y);
    }
    cps_study_free(a);
    cps_study_free(b);
  }
}

/* Correlations of normal scores are recovered; marginals stay what they are. */
static void test_correlation(void **state) {
  (void)state;
  enum { N = 4096 };
  cps_study *s = parse(HEAD "vary:\n" MU "normal: {mean: 0.3, sd: 0.01}}\n" V
                            "lognormal: {median: 2, sigma: 0.3}}\n"
                            "correlate: [{of: [mu, v], r: -0.7}]\nsample: {method: sobol, points: 4096}\n");
  double xx = 0, yy = 0, xy = 0, x_sum = 0, y_sum = 0;
  for (int i = 0; i < N; i++) {
    double x = (point_of(s, i)[0] - 0.3) / 0.01, y = log(point_of(s, i)[1] / 2) / 0.3;
    x_sum += x / N;
    y_sum += y / N;
    xx += x * x / N;
    yy += y * y / N;
    xy += x * y / N;
  }
  assert_true(fabs(x_sum) < 3e-3 && fabs(y_sum) < 3e-3);
  close_to(xx, 1, 0.01);
  close_to(yy, 1, 0.01);
  close_to(xy, -0.7, 0.01);
  cps_study_free(s);
}

/* Rows per base point: A, B, AB_1, AB_2. */
static void test_saltelli(void **state) {
  (void)state;
  cps_study *s = parse(HEAD "vary:\n" MU "range: [0, 1]}\n" V
                            "range: [0, 1]}\nsample: {method: saltelli, base: 64}\n");
  assert_int_equal(cps_study_count(s), 64 * 4);
  for (int i = 0; i < 64; i++) {
    double row[4][2];
    for (int k = 0; k < 4; k++) memcpy(row[k], point_of(s, 4 * i + k), sizeof row[k]);
    assert_true(row[2][0] == row[1][0] && row[2][1] == row[0][1]);
    assert_true(row[3][0] == row[0][0] && row[3][1] == row[1][1]);
    assert_true(row[0][0] != row[1][0] && row[0][1] != row[1][1]);
  }
  cps_study_free(s);
}

/* Between points of a trajectory one parameter moves, by levels/2 of levels - 1 parts, and each one does. */
static void test_morris(void **state) {
  (void)state;
  cps_study *s = parse(HEAD "vary:\n" MU "range: [0, 1]}\n" V "range: [0, 1]}\n"
                            "  m: {path: bodies.block.mass, range: [1, 2]}\nsample: {method: morris, "
                            "trajectories: 25, levels: 6, seed: 1}\n");
  assert_int_equal(cps_study_count(s), 25 * 4);
  int ups = 0, first[3] = {0};
  for (int t = 0; t < 25; t++) {
    int moved[3] = {0};
    for (int k = 0; k < 3; k++) {
      double a[3], b[3];
      memcpy(a, point_of(s, 4 * t + k), sizeof a);
      memcpy(b, point_of(s, 4 * t + k + 1), sizeof b);
      int changes = 0;
      for (int j = 0; j < 3; j++) {
        if (a[j] == b[j]) continue;
        changes++;
        moved[j]++;
        first[j] += k == 0;
        ups += b[j] > a[j];
        close_to(fabs(b[j] - a[j]), 0.6, 1e-12);
      }
      assert_int_equal(changes, 1);
    }
    assert_true(moved[0] == 1 && moved[1] == 1 && moved[2] == 1);
  }
  assert_true(ups > 20 && ups < 55 && first[0] > 2 && first[1] > 2 && first[2] > 2);
  cps_study_free(s);
}

/* ------------------------------------------------------------------ runs */

typedef struct seen {
  int n, ok, limit, failed;
  double worst;         /* of outputs against closed forms */
  double values[64][4]; /* two parameters, two outputs */
} seen;

static void look(const cps_study_row *row, void *data) {
  seen *r = (seen *)data;
  double mu = row->values[0], v = row->values[1];
  r->n++;
  r->ok += strcmp(row->status, "ok") == 0;
  r->limit += strcmp(row->status, "limit") == 0;
  r->failed += strcmp(row->status, "failed") == 0;
  if (row->point < 64) memcpy(r->values[row->point], row->values, sizeof r->values[0]);
  r->worst = fmax(r->worst, fabs(row->values[2] - v * v / (2 * mu * G)));
  r->worst = fmax(r->worst, fabs(row->values[3] - v / (mu * G)));
}

static void test_run(void **state) {
  (void)state;
  cps_study *s = parse(HEAD "vary:\n" MU "range: [0.1, 0.5], count: 5}\n" V "range: [1, 2.5], count: 4}\n"
                            "limits: [far < 2 m, stop > 10 ms]\n");
  seen one = {0}, four = {0};
  cps_study_options how = {.threads = 1, .row = look, .data = &one};
  cps_study_progress done;
  assert_int_equal(cps_study_run(s, &how, &done, NULL), CPS_OK);
  assert_true(done.done == 20 && done.wanted == 20 && done.failed == 0 && one.n == 20);
  assert_true(one.worst < 1e-6);
  int beyond = 0;
  for (int i = 0; i < 20; i++) beyond += one.values[i][2] > 2;
  assert_true(one.limit == beyond && beyond > 0 && one.ok == 20 - beyond);
  /* the same bits with other threads, and in parts */
  how.threads = 4;
  how.data = &four;
  for (int part = 1; part <= 3; part++) {
    how.shard = part;
    how.shards = 3;
    assert_int_equal(cps_study_run(s, &how, NULL, NULL), CPS_OK);
  }
  assert_int_equal(four.n, 20);
  for (int i = 0; i < 20; i++) assert_memory_equal(one.values[i], four.values[i], 4 * sizeof(double));
  /* single points, and their scenarios */
  const long long two[] = {7, 11};
  seen some = {0};
  cps_study_options few = {.points = two, .n_points = 2, .row = look, .data = &some};
  assert_int_equal(cps_study_run(s, &few, NULL, NULL), CPS_OK);
  assert_true(some.n == 2 && some.values[11][2] == one.values[11][2]);
  cps_scenario *at = cps_study_scenario_at(s, 11, NULL);
  cps_quantity q;
  assert_int_equal(cps_scenario_quantity(at, "contacts.floor.friction.mu", &q, NULL), CPS_OK);
  assert_true(q.value == one.values[11][0]);
  cps_scenario_free(at);
  cps_study_free(s);
}

static void note_gradients(const cps_study_row *row, void *data) {
  double *worst = (double *)data, mu = row->values[0], v = row->values[1];
  const double *d = row->values + 4; /* of far by mu and v, of stop by mu and v */
  const double known[] = {-v * v / (2 * mu * mu * G), v / (mu * G), -v / (mu * mu * G), 1 / (mu * G)};
  for (int i = 0; i < 4; i++) *worst = fmax(*worst, fabs(d[i] - known[i]) / fabs(known[i]));
}

static void test_gradients(void **state) {
  (void)state;
  cps_study *s = parse(HEAD "gradients: true\nvary:\n" MU "range: [0.2, 0.5]}\n" V "range: [1, 2.5]}\n"
                            "sample: {method: random, points: 6}\n");
  double worst = 0;
  cps_study_column c;
  assert_int_equal(cps_study_columns(s), 2 + 2 + 4);
  assert_int_equal(cps_study_column_at(s, 5, &c), CPS_OK);
  assert_string_equal(c.name, "d(far)/d(v)");
  assert_string_equal(c.unit, "m/(m/s)");
  cps_study_options how = {.row = note_gradients, .data = &worst};
  assert_int_equal(cps_study_run(s, &how, NULL, NULL), CPS_OK);
  assert_true(worst < 1e-5);
  cps_study_free(s);
}

static void count_laws(const cps_study_row *row, void *data) {
  double *far = (double *)data;
  far[(int)row->values[0] * 3 + (int)lround(row->values[1] / 0.5) - 2] = row->values[3];
}

/* Variants of a law, and columns of a CSV file, whose units are in its header and whose rows go together. */
static void test_variants(void **state) {
  (void)state;
  cps_study *s = parse(HEAD "vary:\n"
                            "  law: {path: contacts.floor.friction, variants: {rough: {coulomb: {mu: 0.4}}, "
                            "smooth: {coulomb: {mu: 0.2}}}}\n" V "csv: {file: unit_study.csv, column: v}}\n"
                            "  m: {path: bodies.block.mass, csv: {file: unit_study.csv, column: mass}}\n");
  assert_int_equal(cps_study_count(s), 6);
  assert_true(point_of(s, 4)[0] == 1 && point_of(s, 4)[1] == 1.5 && point_of(s, 4)[2] == 2);
  assert_string_equal(cps_study_variant(s, 0, 1), "smooth");
  assert_string_equal(cps_study_variant(s, 0, -1), "scenario");
  assert_null(cps_study_variant(s, 1, 0));
  double far[6] = {0};
  cps_study_options how = {.row = count_laws, .data = far};
  assert_int_equal(cps_study_run(s, &how, NULL, NULL), CPS_OK);
  for (int i = 0; i < 6; i++)
    close_to(far[i], pow(1 + 0.5 * (i % 3), 2) / (2 * (i < 3 ? 0.4 : 0.2) * G), 1e-6);
  cps_study_free(s);
}

typedef struct last_row {
  int failed;
  long long steps;
  char message[200];
  int n; /* values that are kept */
  double values[8];
} last_row;

static void keep_last(const cps_study_row *row, void *data) {
  last_row *last = (last_row *)data;
  last->failed += strcmp(row->status, "failed") == 0;
  last->steps = row->steps;
  snprintf(last->message, sizeof last->message, "%s", row->message);
  memcpy(last->values, row->values, (size_t)last->n * sizeof(double));
}

/* A point that takes too long has failed, and says so; counted in steps, at the same step everywhere. */
static void test_give_up(void **state) {
  (void)state;
  static const char *const texts[] = {
      HEAD "give_up_after: 1000 steps\nset: {run.solver: rk4, run.step: 1 ms}\nvary:\n" V "list: [1, 2]}\n",
      HEAD "give_up_after: 20 ms\nset: {run.solver: rk4, run.step: 1 us, run.output: 1}\nvary:\n" V
           "list: [1, 2]}\n",
      HEAD "give_up_after: 5000 steps\nset: {run.solver: rk4, run.step: 1 ms}\nvary:\n" V "list: [1, 2]}\n",
  };
  static const char *const says[] = {"given up after 1000 steps, as give_up_after says",
                                     "given up after 0.02 s of processor time, as give_up_after says", ""};
  for (int k = 0; k < ROWS(texts); k++) {
    cps_study *s = parse(texts[k]);
    last_row last = {0};
    cps_study_options how = {.row = keep_last, .data = &last, .threads = 1 + k};
    assert_int_equal(cps_study_run(s, &how, NULL, NULL), CPS_OK);
    assert_int_equal(last.failed, *says[k] ? 2 : 0);
    if (!strstr(last.message, says[k])) fail_msg("%s", last.message);
    if (k == 0) assert_true(last.steps == 1001 && strncmp(last.message, "at t = 1", 8) == 0);
    cps_study_free(s);
  }
}

/* A limit is said with the digits that people want: six, or as many as tell the value from it. */
static void test_limit_text(void **state) {
  (void)state;
  static const struct {
    const char *limit, *says;
  } cases[] = {
      {"far < 20 cm", "far is 0.254842 m, above the limit of 0.2 m"},
      {"far < 0.25484199796", "far is 0.254841997961 m, above the limit of 0.25484199796 m"},
      {"stop > 0.7", "stop is 0.509684 s, below the limit of 0.7 s"},
  };
  for (int k = 0; k < ROWS(cases); k++) {
    char text[600];
    snprintf(text, sizeof text, HEAD "vary:\n" V "list: [1]}\nlimits: [%s]\n", cases[k].limit);
    cps_study *s = parse(text);
    last_row last = {0};
    cps_study_options how = {.row = keep_last, .data = &last};
    assert_int_equal(cps_study_run(s, &how, NULL, NULL), CPS_OK);
    assert_string_equal(last.message, cases[k].says);
    cps_study_free(s);
  }
}

/* Of cables only the columns of outputs are computed; they are the same to the bit as in a run that records everything. */
static void test_cable_outputs(void **state) {
  (void)state;
  static const char *const of[] = {"max(cables.rope.tension_max)", "cables.rope.fy_end",
                                   "cables.rope.pulley.wrap", "drums.pulley.fy"};
  static const char *const wrt[] = {"bodies.left.mass"};
  FILE *f = fopen("unit_study_rope.yaml", "w");
  assert_non_null(f);
  fputs("capstan: 1\nbodies: {left: {mass: 10 kg}, right: {mass: 9 kg}}\n"
        "drums: {pulley: {radius: 250 mm, center: [0, 0]}}\n"
        "cables: {rope: {EA: 1 MN, EI: 0.7, mass_per_length: 0.5 kg/m, damping: {rayleigh: 10 N s}, "
        "elements: 12,"
        " path: [left, hang 1 m, over pulley, hang 1 m, right],"
        " contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {cdq: {mu: "
        "0.1}}}}}\n"
        "run: {until: 200 ms, output: 20 ms}\n",
        f);
  fclose(f);
  cps_study *s = parse("study: 1\nscenario: unit_study_rope.yaml\nvary: {bodies.left.mass: [12 kg]}\n"
                       "outputs: {a: max(cables.rope.tension_max), b: cables.rope.fy_end,"
                       " c: cables.rope.pulley.wrap, d: drums.pulley.fy}\n");
  last_row last = {.n = 5};
  cps_study_options how = {.row = keep_last, .data = &last};
  assert_int_equal(cps_study_run(s, &how, NULL, NULL), CPS_OK);
  assert_string_equal(last.message, "");
  cps_scenario *at = cps_study_scenario_at(s, 0, NULL);
  cps_sens *all = cps_sens_new(at, wrt, 1, of, 4, NULL);
  assert_int_equal(cps_sens_run(all, CPS_SENS_FORWARD, NULL, NULL, NULL), CPS_OK);
  for (int i = 0; i < 4; i++) {
    assert_true(last.values[1 + i] != 0);
    if (last.values[1 + i] != cps_sens_value(all, i))
      fail_msg("%s: %.17g, recorded %.17g", of[i], last.values[1 + i], cps_sens_value(all, i));
  }
  cps_sens_free(all);
  cps_scenario_free(at);
  cps_study_free(s);
  remove("unit_study_rope.yaml");
}

/* ------------------------------------------------------------------ bad input */

static void test_problems(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
    int line, column;
  } cases[] = {
      {HEAD "vary:\n  mu: {path: contacts.flor.friction.mu, list: [1]}\n", "did you mean", 5, 14},
      {HEAD "vary:\n" MU "range: [0.3, 0.1]}\n", "this range is empty", 5, 49},
      {HEAD "vary:\n" MU "range: [1 kg, 2 kg]}\n", "kg", 5, 50},
      {HEAD "vary:\n" MU "list: [-1]}\n", "takes numbers from 0", 5, 49},
      {HEAD "vary:\n" MU "normal: {mean: 1, sd: 0}}\n", "no mass", 5, 50},
      {HEAD "vary:\n" MU "normal: {mean: 0.1, sd: 0.1}}\n", "one in a thousand", 5, 50},
      {HEAD "vary:\n" MU "triangular: {low: 1, mode: 5, high: 2}}\n", "mode is not between", 5, 54},
      {HEAD "vary:\n" MU "range: [0, 1]}\n", "how many levels", 5, 3},
      {HEAD "vary:\n" MU "range: [0, 1], count: 1000000}\n" V "range: [0, 1], count: 1000000}\n",
       "1e+12 points", 1, 1},
      {HEAD "vary:\n" MU "list: [1], range: [1, 2]}\n", "one thing only", 5, 60},
      {HEAD "vary:\n" MU "}\n", "there are no values", 5, 3},
      {HEAD "vary:\n  far: {path: bodies.block.v, list: [1]}\n", "with the name \"far\" already", 3, 11},
      {HEAD "vary:\n  Status: {path: bodies.block.v, list: [1]}\n", "every table has", 5, 3},
      {HEAD "vary:\n" MU "list: [1]}\nlimits: [fat < 3]\n", "did you mean \"far\"", 6, 10},
      {HEAD "vary:\n" MU "list: [1]}\nlimits: [far < 3 kg]\n", "kg", 6, 10},
      {HEAD "vary:\n" MU "list: [1]}\nsample: {method: sobel, points: 3}\n", "did you mean", 6, 18},
      {HEAD "vary:\n" MU "list: [1]}\nsample: {method: sobol}\n", "needs points", 6, 9},
      {HEAD "vary:\n" MU "list: [1]}\nsample: {method: grid, points: 3}\n", "means nothing", 6, 32},
      {HEAD "vary:\n" MU "list: [1, 2]}\n" V "list: [1, 2]}\ncorrelate: [{of: [mu, v], r: 0.5}]\n",
       "draws points", 1, 1},
      {HEAD "vary:\n" MU "list: [1, 2]}\n" V "list: [1, 2]}\ncorrelate: [{of: [mu, v], r: 1}]\n"
            "sample: {method: random, points: 3}\n",
       "not positive definite", 7, 13},
      {HEAD "vary:\n  law: {path: contacts.floor.friction, variants: {odd: {coulom: {mu: 1}}}}\n", "coulom",
       5, 51},
      {HEAD "gradients: true\nvary:\n  t: {path: run.until, list: [1, 2]}\n", "nothing can be differentiated",
       6, 3},
      {HEAD "vary:\n" MU "csv: {file: unit_study.csv, column: w}}\n", "there is no column", 5, 78},
      {"study: 1\nscenario: nowhere.yaml\nvary: {v: [1]}\noutputs: {a: b}\n", "nowhere.yaml", 0, 0},
      {"study: 1\nscenario: unit_study_block.yaml\nvary: {bodies.block.v: [1, 2]}\noutputs: {a: max(x, 0, "
       "1)}\n",
       "goes in quotes", 4, 25},
      {HEAD "vary:\n" MU "uniform: [1]}\n", "has 2 numbers: [low, high]", 5, 51},
      {HEAD "vary:\n" MU "normal: [1, 2, 3, 4, 5]}\n", "2 to 4 numbers: [mean, sd, low, high]", 5, 50},
      {HEAD "vary:\n" MU "uniform: [1, 2 kg]}\n", "kg", 5, 55},
      {HEAD "vary:\n" MU "uniform: [2, 1]}\n", "no mass", 5, 51},
      {HEAD "vary:\n" MU "list: [1]}\ngive_up_after: 100\n", "20000 steps or 30 s", 6, 16},
      {HEAD "vary:\n" MU "list: [1]}\ngive_up_after: 1.5 steps\n", "20000 steps or 30 s", 6, 16},
      {HEAD "vary:\n" MU "list: [1]}\ngive_up_after: 3 m\n", "20000 steps or 30 s", 6, 16},
      {HEAD "vary:\n" MU "list: [1]}\ngive_up_after: -3 s\n", "needs some time", 6, 16},
      {HEAD "vary:\n" MU "list: [1]}\ngive_up_after: [3]\n", "20000 steps or 30 s", 6, 16},
      {"capstan: 1\n", "this is a scenario", 1, 1},
  };
  int missed = 0;
  for (int i = 0; i < ROWS(cases); i++) {
    cps_problems *problems = NULL;
    cps_study *s = cps_study_parse(cases[i].text, strlen(cases[i].text), "study.yaml", &problems);
    if (s) fail_msg("nothing is wrong with:\n%s", cases[i].text);
    char text[2000] = "";
    int found = 0;
    for (int k = 0; k < cps_problems_count(problems) && !found; k++) {
      const cps_error *e = cps_problems_at(problems, k);
      cps_problem_text(e, text, sizeof text);
      found = strstr(text, cases[i].says) && e->line == cases[i].line &&
              (e->column == cases[i].column || e->line == 0);
    }
    if (!found)
      print_error("case %d, expected \"%s\" at %d:%d, last:\n%s\n", i, cases[i].says, cases[i].line,
                  cases[i].column, text);
    missed += !found;
    cps_problems_free(problems);
  }
  assert_int_equal(missed, 0);
}

/* All at once. */
static void test_all_problems(void **state) {
  (void)state;
  const char *text =
      "study: 1\nscenario: unit_study_block.yaml\nvary:\n  mu: {path: contacts.flor.friction.mu, list: [1]}\n"
      "  v: {path: bodies.block.v, range: [2, 1], count: 2}\noutputs: {a: bodies.blok.x}\nkep: all\n";
  cps_problems *problems = NULL;
  assert_null(cps_study_parse(text, strlen(text), "study.yaml", &problems));
  assert_int_equal(cps_problems_count(problems), 4);
  cps_problems_free(problems);
  /* Units at a path that is not there are not complained about. */
  text = "study: 1\nscenario: unit_study_block.yaml\nvary: {bodies.blok.v: [1 m/s, 2 m/s]}\noutputs: {a: "
         "bodies.block.x}\n";
  assert_null(cps_study_parse(text, strlen(text), "study.yaml", &problems));
  assert_int_equal(cps_problems_count(problems), 1);
  cps_problems_free(problems);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_philox),      cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_sobol),       cmocka_unit_test(test_quantiles),
      cmocka_unit_test(test_grid),        cmocka_unit_test(test_hypercube),
      cmocka_unit_test(test_correlation), cmocka_unit_test(test_saltelli),
      cmocka_unit_test(test_morris),      cmocka_unit_test(test_run),
      cmocka_unit_test(test_gradients),   cmocka_unit_test(test_variants),
      cmocka_unit_test(test_problems),    cmocka_unit_test(test_all_problems),
      cmocka_unit_test(test_lists),       cmocka_unit_test(test_give_up),
      cmocka_unit_test(test_limit_text),  cmocka_unit_test(test_cable_outputs),
  };
  return cmocka_run_group_tests(tests, write_files, remove_files);
}
