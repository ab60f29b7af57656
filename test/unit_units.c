/* unit_units.c - the table of units that is compiled in, against UDUNITS-2: every name, symbol and prefix, and random products. */
#include "test.h"

#include "unit_expression.h"
#include "unit_table.h"

#include <stdio.h>
#include <udunits2.h>

static ut_system *theirs;

static int read_database(void **state) {
  (void)state;
  ut_set_error_message_handler(ut_ignore);
  theirs = ut_read_xml(NULL);
  return theirs ? 0 : -1;
}

static int free_database(void **state) {
  (void)state;
  ut_free_system(theirs);
  return 0;
}

/* Compares what both make of a text. One that is more than a factor must be so for both. */
static int compare(const char *text) {
  static const char *const bases[UNIT_BASES] = {"m", "kg", "s", "A", "K", "mol", "cd", "rad"};
  unit_value ours;
  ut_unit *their = ut_parse(theirs, text, UT_UTF8);
  int known = cps_unit_parse(text, &ours);
  if (their && !known) fail_msg("\"%s\" is known to UDUNITS-2, but not here", text);
  if (!their) return 0; /* its own way of reading UTF-8 refuses some products that make sense */
  char product[200] = "";
  size_t n = 0;
  for (int i = 0; i < UNIT_BASES; i++)
    if (ours.powers[i])
      n += (size_t)snprintf(product + n, sizeof product - n, "%s%s%d", n ? "." : "", bases[i],
                            ours.powers[i]);
  ut_unit *base = ut_parse(theirs, n ? product : "1", UT_UTF8);
  cv_converter *c = base && ut_are_convertible(their, base) ? ut_get_converter(their, base) : NULL;
  if (!c) fail_msg("\"%s\" is not %s", text, n ? product : "1");
  double zero = cv_convert_double(c, 0), factor = cv_convert_double(c, 1);
  if (ours.factor == 0) {
    assert_true(zero != 0 || !isfinite(zero));
  } else {
    assert_true(zero == 0);
    if (!(fabs(factor - ours.factor) <= 1e-14 * fabs(factor)))
      fail_msg("\"%s\" is %.17g, not %.17g", text, factor, ours.factor);
  }
  cv_free(c);
  ut_free(base);
  ut_free(their);
  return 1;
}

#define ROWS_OF(table) (int)(sizeof(table) / sizeof(table)[0])

static void test_table(void **state) {
  (void)state;
  for (int i = 0; i < ROWS_OF(unit_names); i++) assert_true(compare(unit_names[i].word));
  for (int i = 0; i < ROWS_OF(unit_symbols); i++) assert_true(compare(unit_symbols[i].word));
  for (int k = 0; k < ROWS_OF(prefix_names); k++) {
    char text[40];
    snprintf(text, sizeof text, "%snewton", prefix_names[k].word);
    assert_true(compare(text));
  }
  for (int k = 0; k < ROWS_OF(prefix_symbols); k++) {
    char text[40];
    snprintf(text, sizeof text, "%sPa", prefix_symbols[k].word);
    assert_true(compare(text));
  }
}

static void test_random_products(void **state) {
  (void)state;
  static const char *const words[] = {"m",    "mm",     "kN",     "N",      "kg", "s",         "ms", "MPa",
                                      "rad",  "degree", "rpm",    "t",      "J",  "h",         "kW", "g",
                                      "ft",   "lbf",    "Newton", "meters", "um", "\xc2\xb5m", "%",  "Hz",
                                      "turn", "min",    "inch",   "dam",    "bar"};
  static const char *const between[] = {" ", ".", "/", "*", " / ", " * ", "\xc2\xb7", " per "};
  static const char *const powers[] = {"", "", "", "2", "-1", "^2", "^-3", "\xc2\xb2", "\xe2\x81\xbb\xc2\xb9",
                                       "3"};
  rng r = {77};
  int known = 0;
  for (int i = 0; i < 5000; i++) {
    char text[200] = "";
    int terms = 1 + (int)(4 * rng_between(&r, 0, 1)), open = 0;
    for (int k = 0; k < terms; k++) {
      if (k) strcat(text, between[(int)rng_between(&r, 0, 7.999)]);
      if (k && !open && rng_between(&r, 0, 1) < 0.2) strcat(text, "("), open = 1;
      strcat(text, words[(int)rng_between(&r, 0, (double)ROWS_OF(words) - 1e-9)]);
      strcat(text, powers[(int)rng_between(&r, 0, (double)ROWS_OF(powers) - 1e-9)]);
    }
    if (open) strcat(text, ")");
    known += compare(text);
  }
  assert_true(known > 3000);
}

static void test_no_units(void **state) {
  (void)state;
  static const char *const texts[] = {"",    " ",   "N/", "/s",   "Newtonx", "(m",   "m)",      "m^",
                                      "m^x", "m**", "()", "mm2m", "xyz",     "m//s", "kN kN kx"};
  for (int i = 0; i < ROWS_OF(texts); i++) {
    unit_value u;
    if (cps_unit_parse(texts[i], &u)) fail_msg("\"%s\" is no unit", texts[i]);
  }
  unit_value u;
  assert_true(cps_unit_parse("deg", &u) && fabs(u.factor - 0.017453292519943295) < 1e-17);
  assert_true(cps_unit_parse("rev/s", &u) && fabs(u.factor - 6.283185307179586) < 1e-15);
  assert_true(cps_unit_parse("celsius", &u) && u.factor == 0);
  int powers[8];
  double factor;
  assert_true(cps_unit_parts("kN s/m", &factor, powers, NULL) == CPS_OK && factor == 1000 && powers[1] == 1 &&
              powers[2] == -1 && powers[0] == 0);
  assert_true(cps_unit_parts("celsius", &factor, powers, NULL) == CPS_BAD_INPUT &&
              cps_unit_parts(NULL, &factor, powers, NULL) == CPS_BAD_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_random_products),
                                     cmocka_unit_test(test_no_units)};
  return cmocka_run_group_tests(tests, read_database, free_database);
}
