/* unit_base.c - version, errors, words, a law of one's own, and laws in many threads. */
#include "internal.h"
#include "number_text.h"
#include "sha256.h"
#include "test.h"

#include <pthread.h>

static void version(void **state) {
  (void)state;
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", CPS_VERSION_MAJOR, CPS_VERSION_MINOR, CPS_VERSION_PATCH);
  assert_string_equal(cps_version(), expected);
}

static void status_names(void **state) {
  (void)state;
  static const cps_status all[] = {CPS_OK, CPS_FAILED, CPS_BAD_INPUT, CPS_IO, CPS_NO_MEMORY};
  for (int i = 0; i < ROWS(all); i++) {
    assert_true(*cps_status_name(all[i]) != 0);
    for (int k = 0; k < i; k++) assert_string_not_equal(cps_status_name(all[i]), cps_status_name(all[k]));
  }
  assert_string_equal(cps_status_name(CPS_BAD_INPUT), "bad input");
  assert_non_null(cps_status_name((cps_status)99)); /* not a status, but not a crash */
}

static void errors(void **state) {
  (void)state;
  cps_error err;
  memset(&err, 'x', sizeof err);
  assert_int_equal(cps_error_set(&err, CPS_IO, "a.b", "%s is %d", "this", 7), CPS_IO);
  assert_int_equal(err.status, CPS_IO);
  assert_string_equal(err.text, "this is 7");
  assert_string_equal(err.key, "a.b");
  assert_string_equal(err.file, "");
  assert_int_equal(err.line, 0);
  assert_true(isnan(err.time));
  /* No error to fill, no key: fine. */
  assert_int_equal(cps_error_set(NULL, CPS_FAILED, "a", "b"), CPS_FAILED);
  assert_int_equal(cps_error_set(&err, CPS_FAILED, NULL, "b"), CPS_FAILED);
  assert_string_equal(err.key, "");
  /* What is too long is cut, and ends. */
  char text[2000];
  memset(text, 'y', sizeof text - 1);
  text[sizeof text - 1] = 0;
  cps_error_set(&err, CPS_FAILED, text, "%s", text);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  assert_int_equal(strlen(err.key), sizeof err.key - 1);
}

static void edit_distance(void **state) {
  (void)state;
  assert_int_equal(cps_edit_distance("", ""), 0);
  assert_int_equal(cps_edit_distance("abc", "abc"), 0);
  assert_int_equal(cps_edit_distance("abc", ""), 3);
  assert_int_equal(cps_edit_distance("", "abc"), 3);
  assert_int_equal(cps_edit_distance("abc", "abd"), 1);  /* replaced */
  assert_int_equal(cps_edit_distance("abc", "abxc"), 1); /* inserted */
  assert_int_equal(cps_edit_distance("abc", "ac"), 1);   /* deleted */
  assert_int_equal(cps_edit_distance("abc", "acb"), 1);  /* swapped */
  assert_int_equal(cps_edit_distance("kitten", "sitting"), 3);
  char text[300];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = 0;
  assert_true(cps_edit_distance(text, "b") > 10); /* long words are cut, not overrun */
  assert_true(cps_edit_distance("b", text) > 10);
}

static void nearest(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"coulom", "coulomb"}, {"lurge", "lugre"},      {"qiunn", "quinn"}, {"dhal", "dahl"},
      {"karnop", "karnopp"}, {"stribek", "stribeck"}, {"iwam", "iwan"}};
  for (int i = 0; i < ROWS(pairs); i++) assert_string_equal(cps_law_nearest(pairs[i][0])->name, pairs[i][1]);
  assert_null(cps_law_nearest(NULL));
  assert_non_null(cps_law_nearest(""));
}

/* ------------------------------------------------------------------ a law of one's own */

/* f = -n mu v/sqrt(v^2 + v_r^2). */
static void root_law(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                     cps_law_jacobian *jac) {
  (void)law;
  double root = sqrt(in->v * in->v + p[1] * p[1]), c = in->v / root;
  out->f = -in->n * p[0] * c;
  if (!jac) return;
  jac->f.v = -in->n * p[0] * (1 - c * c) / root;
  jac->f.n = -p[0] * c;
  jac->f.p[0] = -in->n * c;
  jac->f.p[1] = in->n * p[0] * in->v * p[1] / (root * root * root);
}

static void root_scale(const cps_law *law, const double *p, double n, cps_law_scale *scale) {
  (void)law;
  scale->f_stick = scale->f_peak = p[0] * n;
  scale->v_scale = p[1];
}

static const cps_param root_params[] = {{"mu", "1", 0.5, 0, 10, "friction coefficient"},
                                        {"v_r", "m/s", 0.01, 1e-9, 1e3, "velocity of 71 %"}};

static const cps_law my_law = {.name = "my-root",
                               .family = "mine",
                               .title = "Root",
                               .equation = "f = -n mu v/sqrt(v^2 + v_r^2)",
                               .citation = "this test",
                               .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
                               .n_params = 2,
                               .params = root_params,
                               .eval = root_law,
                               .scale = root_scale};

static void own_law(void **state) {
  (void)state;
  cps_error err;
  assert_int_equal(cps_law_validate(&my_law, &err), CPS_OK);
  assert_null(cps_law_find("my-root")); /* not registered anywhere */
  double p[CPS_MAX_PARAMS];
  cps_law_defaults(&my_law, p);
  assert_int_equal(cps_law_param(&my_law, "v_r"), 1);
  cps_law_input in = {.v = 0.01, .n = 10, .mode = CPS_MODE_FREE};
  cps_law_output out;
  cps_law_jacobian jac;
  memset(&jac, 0x55, sizeof jac);
  cps_law_eval(&my_law, p, &in, &out, &jac);
  assert_true(fabs(out.f + 5 * sqrt(0.5)) < 1e-14);
  assert_true(jac.f.f_eq == 0); /* zeroed for the law */
  assert_true(fabs(jac.f.n + 0.5 * sqrt(0.5)) < 1e-14);
  in.n = -3;
  cps_law_eval(&my_law, p, &in, &out, &jac);
  assert_true(out.f == 0 && jac.f.n == 0);
  in.n = 1e300, in.v = 1e300;
  cps_law_eval(&my_law, p, &in, &out, &jac);
  assert_true(isfinite(out.f));
  cps_law_scale s;
  cps_law_scales(&my_law, p, 10, &s);
  assert_true(s.f_peak == 5 && s.v_band == 0);
  /* What only laws with modes have does nothing. */
  assert_int_equal(cps_law_mode(&my_law, p, &in), 0);
  assert_int_equal(cps_law_settle(&my_law, p, &in, NULL), 0);
  p[1] = 0;
  assert_int_equal(cps_law_check(&my_law, p, &err), CPS_BAD_INPUT);
  assert_non_null(strstr(err.text, "v_r"));
}

/* A descriptor that contradicts itself is refused, with the reason. */
static void own_law_refused(void **state) {
  (void)state;
  struct {
    cps_law law;
    const char *word;
  } rows[16];
  int n = 0;
  for (int i = 0; i < ROWS(rows); i++) rows[i].law = my_law;
  rows[n].law.name = NULL, rows[n++].word = "missing";
  rows[n].law.equation = NULL, rows[n++].word = "missing";
  rows[n].law.n_params = CPS_MAX_PARAMS + 1, rows[n++].word = "n_params";
  rows[n].law.n_params = -1, rows[n++].word = "n_params";
  rows[n].law.n_states = CPS_MAX_STATES + 1, rows[n++].word = "n_states";
  rows[n].law.n_guards = CPS_MAX_GUARDS + 1, rows[n++].word = "n_guards";
  rows[n].law.params = NULL, rows[n++].word = "params";
  rows[n].law.eval = NULL, rows[n++].word = "eval";
  rows[n].law.scale = NULL, rows[n++].word = "scale";
  rows[n].law.traits |= CPS_STICKS, rows[n++].word = "creeps or sticks";
  rows[n].law.traits &= ~(unsigned)CPS_CREEPS, rows[n++].word = "creeps or sticks";
  rows[n].law.traits |= CPS_MEMORY, rows[n++].word = "CPS_MEMORY";
  rows[n].law.traits |= CPS_MODES, rows[n++].word = "CPS_MODES";
  rows[n].law.traits &= ~(unsigned)CPS_CONTINUOUS, rows[n++].word = "smooth";
  rows[n].law.traits |= CPS_MODES, rows[n].law.n_modes = 2, rows[n++].word = "guards";
  for (int i = 0; i < n; i++) {
    cps_error err;
    assert_int_equal(cps_law_validate(&rows[i].law, NULL), CPS_BAD_INPUT);
    assert_int_equal(cps_law_validate(&rows[i].law, &err), CPS_BAD_INPUT);
    if (!strstr(err.text, rows[i].word)) fail_msg("\"%s\" does not say \"%s\"", err.text, rows[i].word);
  }
}

/* ------------------------------------------------------------------ threads */

enum { THREADS = 4, POINTS = 200 };

/* Folds every output of every law at many points into one number. */
static void *fold_all(void *result) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    rng r = rng_for(law->name, 60);
    for (int k = 0; k < POINTS; k++) {
      point x;
      cps_law_output out;
      cps_law_jacobian jac;
      draw_point(law, &r, &x);
      eval_at(&x, &out, &jac);
      for (int row = 0; row <= law->n_states; row++)
        for (int v = -1; v < count_variables(law); v++) {
          double y = v < 0 ? output(&out, row) : partial(law, output_row(&jac, row), v);
          uint64_t bits;
          memcpy(&bits, &y, sizeof bits);
          hash = (hash ^ bits) * 0x100000001b3u;
        }
    }
  }
  *(uint64_t *)result = hash;
  return NULL;
}

static void threads(void **state) {
  (void)state;
  pthread_t thread[THREADS];
  uint64_t alone, together[THREADS];
  fold_all(&alone);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, fold_all, &together[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(thread[i], NULL), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_true(together[i] == alone);
}

/* The fast way gives what printf and strtod do, for numbers of all sizes and lengths, ties and powers of two. */
static void shortest_numbers(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    int small = (int)(seed >> 40 & 31);
    double value = 0, fraction = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    if (i % 6 == 0) memcpy(&value, &seed, sizeof value);
    if (i % 6 == 1) value = (double)(int64_t)(seed % 2000001 - 1000000) / 1000;
    if (i % 6 == 2) value = ldexp(1, (int)(seed % 140) - 70);
    if (i % 6 == 3) value = fraction * pow(10, small - 12);
    if (i % 6 == 4) value = (double)(seed % 1000) * pow(10, small - 12);
    if (i % 6 == 5) value = (double)(seed % 100000000 * 10 + 5) / 1e9 + (double)(seed >> 62);
    char text[40], expected[40];
    int digits = 14;
    do snprintf(expected, sizeof expected, "%.*g", ++digits, value);
    while (digits < 17 && strtod(expected, NULL) != value);
    assert_int_equal(cps_number_shortest(text, sizeof text, value), strlen(expected));
    assert_string_equal(text, expected);
  }
}

/* Both ways of hashing, against the examples of FIPS 180-4 and one another at lengths around the blocks. */
static void hashes(void **state) {
  (void)state;
  static const struct {
    const char *text, *hex;
  } known[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
               {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
               {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
  char hex[2][65], text[300];
  for (int i = 0; i < 300; i++) text[i] = (char)(7 * i);
  for (int i = 0; i < ROWS(known) + 300; i++) {
    for (int plain = 0; plain < 2; plain++) {
      sha256 h;
      cps_sha256_start(&h);
      if (plain) h.fast = 0;
      if (i < ROWS(known))
        cps_sha256_add(&h, known[i].text, strlen(known[i].text));
      else
        cps_sha256_add(&h, text, (size_t)(i - ROWS(known)));
      cps_sha256_end(&h, hex[plain]);
      if (i < ROWS(known)) assert_string_equal(hex[plain], known[i].hex);
    }
    assert_string_equal(hex[0], hex[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version),         cmocka_unit_test(status_names), cmocka_unit_test(errors),
      cmocka_unit_test(edit_distance),   cmocka_unit_test(nearest),      cmocka_unit_test(own_law),
      cmocka_unit_test(own_law_refused), cmocka_unit_test(threads),      cmocka_unit_test(shortest_numbers),
      cmocka_unit_test(hashes),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
