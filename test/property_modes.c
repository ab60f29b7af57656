/* property_modes.c - modes, guards and transitions fit together, and the table is in order.
 *
 * The mode that a law chooses has no negative guard; firing guards ends, and ends where none is negative;
 * names are unique; parameters are checked, and a complaint says what is wrong.
 */
#include "test.h"

/* A point as it may occur, now and then exactly where modes meet. */
static void draw_meeting(const cps_law *law, rng *r, point *x) {
  draw_point(law, r, x);
  cps_law_scale s = scale_at(x);
  if (rng_below(r, 4) == 0) x->v = 0;
  if (rng_below(r, 6) == 0) x->v = rng_sign(r) * s.v_band;
  if (rng_below(r, 4) == 0) x->v = rng_sign(r) * s.v_band * rng_uniform(r);
  if (rng_below(r, 5) == 0) x->f_eq = rng_sign(r) * s.f_stick;
  if (rng_below(r, 8) == 0) x->f_eq = 0;
  if (rng_below(r, 12) == 0) x->n = 0;
  for (int k = 0; k < law->n_states; k++) {
    double sign = law->states[k].parity < 0 ? rng_sign(r) : 1;
    if (rng_below(r, 6) == 0) x->z[k] = sign * s.z[k];
    if (rng_below(r, 8) == 0) x->z[k] = 0;
    if (rng_below(r, 10) == 0) x->z[k] *= 5;
  }
}

/* The most negative guard, in *g; its index, or -1 if none is negative. */
static int negative_guard(const point *x, double *g) {
  double all[CPS_MAX_GUARDS];
  cps_law_input in = input_of(x);
  cps_law_guards(x->law, x->p, &in, all, NULL);
  int worst = -1;
  for (int k = 0; k < x->law->n_guards; k++)
    if (all[k] < 0 && (worst < 0 || all[k] < all[worst])) worst = k;
  *g = worst < 0 ? 0 : all[worst];
  return worst;
}

/* Whether any mode holds at a point: none may where a state is beyond what a guard allows. */
static int some_mode_holds(point x) {
  double g;
  for (x.mode = 0; x.mode < x.law->n_modes; x.mode++)
    if (negative_guard(&x, &g) < 0) return 1;
  return 0;
}

/* The mode that a law chooses holds there, if any does. */
static void chosen_mode_holds(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 40);
  for (int i = 0; law->n_modes && i < 20000; i++) {
    point x;
    draw_meeting(law, &r, &x);
    x.mode = mode_at(&x);
    double g;
    int k = negative_guard(&x, &g);
    if (k >= 0 && some_mode_holds(x)) FAIL_AT(&x, "the law chooses this mode, but its guard %d is %g", k, g);
  }
}

/* From any mode at any point, firing what is negative ends; where it ends nothing is negative, and firing
 * again changes nothing. */
static void settles(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 41);
  for (int i = 0; law->n_modes && i < 20000; i++) {
    point x;
    draw_meeting(law, &r, &x);
    x.mode = rng_below(&r, law->n_modes);
    point end = x;
    cps_law_input in = input_of(&x);
    end.mode = cps_law_settle(law, x.p, &in, end.z);
    if (end.mode < 0 || end.mode >= law->n_modes) FAIL_AT(&x, "settles in mode %d", end.mode);
    double g;
    int k = negative_guard(&end, &g);
    if (k >= 0) {
      print_point(&x);
      FAIL_AT(&end, "settling from the first point ends here, but guard %d is %g", k, g);
    }
    /* The force there is one that the law can have: a guard that does not fire lets it grow. */
    cps_law_scale s = scale_at(&end);
    cps_law_output out;
    int inside = fabs(end.v) <= s.v_band || end.mode == mode_at(&end);
    for (int q = 0; q < law->n_states; q++) inside = inside && fabs(end.z[q]) <= s.z[q];
    eval_at(&end, &out, NULL);
    if (inside && fabs(out.f) > s.f_peak * (1 + 1e-12))
      FAIL_AT(&end, "settles here, where |f| = %g exceeds f_peak = %g", fabs(out.f), s.f_peak);
    point again = end;
    in = input_of(&end);
    again.mode = cps_law_settle(law, x.p, &in, again.z);
    if (again.mode != end.mode || memcmp(again.z, end.z, sizeof end.z) != 0)
      FAIL_AT(&end, "settling twice ends in mode %d", again.mode);
    /* In place, as a solver does it. */
    point place = x;
    in = input_of(&place);
    place.mode = cps_law_settle(law, x.p, &in, place.z);
    if (place.mode != end.mode || memcmp(place.z, end.z, sizeof end.z) != 0)
      FAIL_AT(&x, "settling in place differs from settling into other memory");
  }
}

/* A fired guard is not at once negative again, and leads elsewhere: another mode, or other states. */
static void transitions(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 42);
  char fired[1024][CPS_MAX_GUARDS] = {{0}};
  assert_true(law->n_modes <= ROWS(fired));
  for (int i = 0; law->n_modes && i < 40000; i++) {
    point x;
    draw_meeting(law, &r, &x);
    x.mode = rng_below(&r, law->n_modes);
    double g;
    int k = negative_guard(&x, &g);
    if (k < 0) continue;
    fired[x.mode][k] = 1;
    point end = x;
    cps_law_input in = input_of(&x);
    end.mode = cps_law_transition(law, x.p, &in, k, end.z, NULL);
    if (end.mode == x.mode && memcmp(end.z, x.z, sizeof x.z) == 0)
      FAIL_AT(&x, "guard %d is %g, but firing it changes nothing", k, g);
    /* With derivatives, or without memory for the states: the same. */
    double z[CPS_MAX_STATES];
    cps_partials z_x[CPS_MAX_STATES];
    memcpy(z, x.z, sizeof z);
    assert_int_equal(cps_law_transition(law, x.p, &in, k, z, z_x), end.mode);
    assert_memory_equal(z, end.z, sizeof z);
    assert_int_equal(cps_law_transition(law, x.p, &in, k, NULL, NULL), end.mode);
  }
  /* Every mode can be left: no mode whose guards never turn negative. */
  for (int m = 0; m < law->n_modes; m++) {
    int any = 0;
    for (int k = 0; k < law->n_guards; k++) any = any || fired[m][k];
    if (!any) FAIL_LAW(law, "mode %d is never left", m);
  }
}

/* Modes have names, all different. */
static void mode_names(void **state) {
  const cps_law *law = law_of(state);
  char a[64], b[64];
  for (int i = 0; i < law->n_modes; i++) {
    cps_law_mode_name(law, i, a, sizeof a);
    assert_true(a[0] != 0);
    for (int k = 0; k < i; k++) {
      cps_law_mode_name(law, k, b, sizeof b);
      if (strcmp(a, b) == 0) FAIL_LAW(law, "modes %d and %d are both called %s", i, k, a);
    }
  }
  cps_law_mode_name(law, CPS_MODE_FREE, a, sizeof a);
  assert_string_equal(a, "free");
  cps_law_mode_name(law, law->n_modes, a, sizeof a);
  assert_string_equal(a, "none");
  memset(a, 'x', sizeof a);
  cps_law_mode_name(law, 0, a, 3); /* cut to fit */
  assert_true(memchr(a, 0, 3) != NULL);
  assert_true(a[3] == 'x');
}

/* ------------------------------------------------------------------ the table */

/* Calls visit(word, arg) for the name and every alias. */
static void for_names(const cps_law *law, void (*visit)(const cps_law *law, const char *word)) {
  visit(law, law->name);
  char word[64];
  for (const char *s = law->aliases; s && *s;) {
    size_t n = strcspn(s, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, s);
    visit(law, word);
    s += n;
    s += strspn(s, " ");
  }
}

static void found_by(const cps_law *law, const char *word) {
  const cps_law *found = cps_law_find(word);
  if (found != law) FAIL_LAW(law, "\"%s\" finds %s", word, found ? found->name : "nothing");
  if (strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(word))
    FAIL_LAW(law, "odd name \"%s\"", word);
}

static void described(void **state) {
  const cps_law *law = law_of(state);
  cps_error err = {0};
  if (cps_law_validate(law, &err) != CPS_OK) FAIL_LAW(law, "%s", err.text);
  for_names(law, found_by);
  assert_ptr_equal(cps_law_nearest(law->name), law);
  assert_non_null(law->family);
  if (law->traits & (CPS_UNBOUNDED | CPS_LOAD_FREE | CPS_LOG_SINGULAR) || !(law->traits & CPS_DISSIPATES)) {
    if (!law->note) FAIL_LAW(law, "an exception without a note");
  }
  for (int i = 0; i < law->n_params; i++) {
    const cps_param *q = &law->params[i];
    assert_true(q->name && *q->name && q->unit && *q->unit && q->meaning && *q->meaning);
    assert_true(q->min < q->max && q->value >= q->min && q->value <= q->max);
    assert_int_equal(cps_law_param(law, q->name), i);
  }
  assert_int_equal(cps_law_param(law, "no such parameter"), -1);
  for (int i = 0; i < law->n_states; i++) {
    const cps_state *z = &law->states[i];
    assert_true(z->name && z->unit && z->meaning && (z->parity == 1 || z->parity == -1));
    assert_int_equal(cps_law_param(law, z->name), -1); /* one name means one thing */
  }
  assert_true((law->n_modes > 0) == (law->n_guards > 0));
}

/* A parameter that is out of range is refused with its name, value and range. */
static void parameters_checked(void **state) {
  const cps_law *law = law_of(state);
  double p[CPS_MAX_PARAMS];
  for (int i = 0; i < law->n_params; i++) {
    const cps_param *q = &law->params[i];
    const double wrong[] = {q->min - 1 - fabs(q->min), q->max + 1 + fabs(q->max), NAN, INFINITY, -INFINITY};
    for (int k = 0; k < ROWS(wrong); k++) {
      cps_error err = {0};
      cps_law_defaults(law, p);
      assert_int_equal(cps_law_check(law, p, &err), CPS_OK);
      assert_true(err.text[0] == 0); /* untouched */
      p[i] = wrong[k];
      assert_int_equal(cps_law_check(law, p, &err), CPS_BAD_INPUT);
      assert_int_equal(cps_law_check(law, p, NULL), CPS_BAD_INPUT);
      char value[32], low[32], high[32];
      snprintf(value, sizeof value, "%g", wrong[k]);
      snprintf(low, sizeof low, "%g", q->min);
      snprintf(high, sizeof high, "%g", q->max);
      if (!strstr(err.text, q->name) || !strstr(err.text, value) || !strstr(err.text, low) ||
          !strstr(err.text, high))
        FAIL_LAW(law, "%s = %s is refused with \"%s\"", q->name, value, err.text);
      assert_int_equal(err.status, CPS_BAD_INPUT);
      assert_true(strstr(err.key, q->name) != NULL);
    }
  }
  /* Where a law looks at parameters together, some in range are refused, with a reason. */
  if (!law->check) return;
  rng r = rng_for(law->name, 43);
  int refused = 0;
  for (int i = 0; i < 20000; i++) {
    cps_error err = {0};
    for (int k = 0; k < law->n_params; k++) {
      const cps_param *q = &law->params[k];
      p[k] = q->min > 0 ? fmin(fmax(rng_log(&r, q->min, q->max), q->min), q->max)
                        : rng_between(&r, q->min, q->max);
    }
    if (cps_law_check(law, p, &err) == CPS_OK) continue;
    refused++;
    assert_true(strlen(err.text) > strlen(law->name) + 5);
    assert_true(strstr(err.text, law->name) != NULL);
  }
  if (!refused) FAIL_LAW(law, "its check refuses nothing");
}

/* No two laws share a name or an alias; the table has an end. */
static void table_in_order(void **state) {
  (void)state;
  int n = cps_law_count();
  assert_true(n > 30);
  assert_null(cps_law_at(-1));
  assert_null(cps_law_at(n));
  assert_null(cps_law_find(""));
  assert_null(cps_law_find(NULL));
  assert_null(cps_law_find("no-such-law"));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(cps_law_at(i)->name, cps_law_at(k)->name);
      assert_string_not_equal(cps_law_at(i)->title, cps_law_at(k)->title);
    }
}

int main(void) {
  static const law_test tests[] = {
      {"chosen mode holds", chosen_mode_holds},
      {"settles", settles},
      {"transitions", transitions},
      {"mode names", mode_names},
      {"described", described},
      {"parameters are checked", parameters_checked},
  };
  const struct CMUnitTest table[] = {cmocka_unit_test(table_in_order)};
  int failed = cmocka_run_group_tests_name("table", table, NULL, NULL);
  return failed + over_laws("modes", tests, ROWS(tests));
}
