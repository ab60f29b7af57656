/* number_text.c - see number_text.h.
 *
 * A number of usual size is m 2^e with an integer m of 53 bits, and v = |x| 10^k, of 17 digits before the point, is m 5^k 2^(e + k). For
 * 0 <= k <= 27 the product m 5^k has at most 116 bits: everything is done in integers of 128 bits, exactly. A decimal number c
 * reads back as x if |c - v| is less than half the distance of x to the next double. Numbers of unusual size, powers of two, whose
 * neighbours are not equally far, and ties are left to printf and strtod. */
#include "number_text.h"
#include "plain_locale.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_LEAST = 15, DIGITS_MOST = 17, POWER_MOST = 27 };

__extension__ typedef unsigned __int128 wide;

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

/* 0 if it leaves the number to others. */
static int by_integers(char *text, double value) {
  static const uint64_t five[POWER_MOST + 1] = {1u,
                                                5u,
                                                25u,
                                                125u,
                                                625u,
                                                3125u,
                                                15625u,
                                                78125u,
                                                390625u,
                                                1953125u,
                                                9765625u,
                                                48828125u,
                                                244140625u,
                                                1220703125u,
                                                6103515625u,
                                                30517578125u,
                                                152587890625u,
                                                762939453125u,
                                                3814697265625u,
                                                19073486328125u,
                                                95367431640625u,
                                                476837158203125u,
                                                2384185791015625u,
                                                11920928955078125u,
                                                59604644775390625u,
                                                298023223876953125u,
                                                1490116119384765625u,
                                                7450580596923828125u};
  static const uint64_t ten[] = {1, 10, 100}, digits_17 = 100000000000000000u;
  double size = fabs(value);
  if (!(size >= 1e-10 && size < 9e16)) return 0;
  int two;
  uint64_t m = (uint64_t)ldexp(frexp(size, &two), DBL_MANT_DIG);
  int exponent = (int)floor((two - 1) * 0.30102999566398120); /* right, or one too small */
  if (m << (64 - DBL_MANT_DIG) << 1 == 0) return 0;
  for (;; exponent++) {
    int k = DIGITS_MOST - 1 - exponent, shift = DBL_MANT_DIG - two - k; /* v = product/2^shift */
    wide product = (wide)m * five[k];
    if (shift < 0) product <<= -shift;
    int down = shift > 0 ? shift : 0;
    uint64_t whole = (uint64_t)(product >> down);
    if (whole >= digits_17) continue;
    wide part = product - ((wide)whole << down);
    wide half = shift < 0 ? (wide)five[k] << -shift
                          : five[k]; /* the distance to the next double, that is twice what is asked for */
    for (int digits = DIGITS_LEAST; digits <= DIGITS_MOST; digits++) {
      uint64_t by = ten[DIGITS_MOST - digits], c = whole / by;
      wide unit = (wide)by << down, rest = ((wide)(whole - c * by) << down) + part;
      if (2 * rest == unit) return 0;
      if (2 * rest > unit) {
        c++;
        rest = unit - rest;
      }
      if (2 * rest == half) return 0;
      if (2 * rest > half) continue;
      if (c >= digits_17 / ten[DIGITS_MOST - digits]) c /= 10, exponent++;
      return write_digits(text, value < 0, c, digits, exponent);
    }
    return 0;
  }
}

int cps_number_shortest(char *text, size_t size, double value) {
  int length = size >= NUMBER_TEXT ? by_integers(text, value) : 0;
  return length > 0 ? length : by_printf(text, size, value);
}
