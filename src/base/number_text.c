/* number_text.c - see number_text.h.
 *
 * A number of usual size is scaled to an integer of 17 digits, v = |x| 10^k. A long double of 64 bits holds 10^k exactly up to
 * k = 27, so that v has one rounding: it is off by less than 1e17 2^-64 = 0.006. A decimal number c reads back as x if
 * |c - v| is less than half the distance of x to the next double. Where 0.006 could decide - between that and its
 * contrary, or how a digit is rounded - and for numbers of unusual size, printf and strtod decide. */
#include "number_text.h"
#include "plain_locale.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_LEAST = 15, DIGITS_MOST = 17, POWER_MOST = 27 };

/* More than v can be off. */
static const double doubt = 0.0056;

static int by_printf(char *text, size_t size, double value) {
  int length = 0;
  plain_locale l;
  cps_locale_enter(&l);
  for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
    length = snprintf(text, size, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  cps_locale_leave(&l);
  return length;
}

/* As %g writes it: `digits` decimal digits c, the first of which has the weight 10^exponent. */
static int write_digits(char *text, int negative, uint64_t c, int digits, int exponent) {
  char digit[DIGITS_MOST + 1];
  int precision = digits, n = 0;
  for (; digits > 1 && c % 10 == 0; digits--) c /= 10;
  for (int i = digits; i-- > 0; c /= 10) digit[i] = (char)('0' + c % 10);
  if (negative) text[n++] = '-';
  if (exponent < -4 || exponent >= precision) {
    text[n++] = digit[0];
    if (digits > 1) {
      text[n++] = '.';
      memcpy(text + n, digit + 1, (size_t)digits - 1);
      n += digits - 1;
    }
    int size = abs(exponent);
    text[n++] = 'e';
    text[n++] = exponent < 0 ? '-' : '+';
    text[n++] = (char)('0' + size / 10);
    text[n++] = (char)('0' + size % 10);
  } else if (exponent < 0) {
    text[n++] = '0';
    text[n++] = '.';
    for (int i = -1; i > exponent; i--) text[n++] = '0';
    memcpy(text + n, digit, (size_t)digits);
    n += digits;
  } else {
    for (int i = 0; i <= exponent; i++) text[n++] = i < digits ? digit[i] : '0';
    if (digits > exponent + 1) {
      text[n++] = '.';
      memcpy(text + n, digit + exponent + 1, (size_t)(digits - exponent - 1));
      n += digits - exponent - 1;
    }
  }
  text[n] = 0;
  return n;
}

/* 0 if it cannot decide. */
static int by_scaling(char *text, double value) {
  static const long double power[POWER_MOST + 1] = {
      1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
      1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
  double size = fabs(value);
  if (LDBL_MANT_DIG < 64 || !(size >= 1e-10 && size < 9e16)) return 0;
  int two;
  double fraction = frexp(size, &two);
  int exponent = (int)floor((two - 1) * 0.30102999566398120); /* right, or one too small */
  long double v = size * power[16 - exponent];
  if (v >= 1e17L) v = size * power[16 - ++exponent];
  /* half the distance to the next double, and to the one before, in units of v */
  double above = (double)(ldexpl(0.5L, two - DBL_MANT_DIG) * power[16 - exponent]);
  double below = fraction > 0.5 ? above : above / 2;
  for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
    long double unit = power[DIGITS_MOST - digits], scaled = v / unit;
    uint64_t c = (uint64_t)(scaled + 0.5L);
    double rest = (double)(scaled - (long double)c), far = (double)fabsl((long double)c * unit - v);
    if (fabs(fabs(rest) - 0.5) < doubt / (double)unit + 1e-9) return 0;
    if (digits < DIGITS_MOST && far > above + doubt) continue;
    if (far > below - doubt) return 0;
    if ((long double)c >= power[digits]) c /= 10, exponent++;
    return write_digits(text, value < 0, c, digits, exponent);
  }
  return 0;
}

int cps_number_shortest(char *text, size_t size, double value) {
  int length = size >= NUMBER_TEXT ? by_scaling(text, value) : 0;
  return length > 0 ? length : by_printf(text, size, value);
}
