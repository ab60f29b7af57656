/* units.c - "9.2 MN" in SI.
 *
 * Found and wanted unit must differ by a plain factor: reciprocals (2 s for a frequency), hertz for radians per second (without the
 * 2 pi), offsets and logarithms are refused.
 */
#include "units.h"

#include "internal.h"
#include "unit_expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ numbers */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads a number times a power of ten, correctly rounded. */
static int read_shifted(const char *text, long power, const char **end, double *value) {
  enum { MOST = 400 };
  char digits[MOST + 32];
  int n = 0, seen = 0;
  long shift = 0;
  const char *s = text;
  if (*s == '-') digits[n++] = '-';
  if (*s == '-' || *s == '+') s++;
  /* Digits go into a whole number and the point into its exponent: strtod then does not care for locales.
   * Digits beyond the most that can matter only shift. */
  int point = 0, leading = 1;
  for (; is_digit(*s) || (*s == '.' && !point); s++) {
    if (*s == '.') {
      point = 1;
      continue;
    }
    seen = 1;
    if (*s != '0') leading = 0;
    if (leading || n < MOST) {
      if (!leading) digits[n++] = *s;
      if (point && shift > -1000000) shift--;
    } else if (!point && shift < 1000000) {
      shift++;
    }
  }
  if (!seen) return 0;
  if (n == 0 || digits[n - 1] == '-') digits[n++] = '0';
  if (*s == 'e' || *s == 'E') {
    const char *e = s + 1;
    int sign = *e == '-' ? -1 : 1;
    if (*e == '-' || *e == '+') e++;
    if (is_digit(*e)) {
      long exponent = 0;
      for (; is_digit(*e); e++)
        if (exponent < 1000000) exponent = 10 * exponent + (*e - '0');
      shift += sign * exponent;
      s = e;
    }
  }
  snprintf(digits + n, sizeof digits - (size_t)n, "e%ld", shift + power);
  *value = strtod(digits, NULL);
  *end = s;
  return 1;
}

int cps_number_read(const char *text, const char **end, double *value) {
  return read_shifted(text, 0, end, value);
}

/* Whatever the locale uses for the decimal point becomes a point. */
static void plain_point(char *digits) {
  char *out = digits;
  for (const char *s = digits; *s; s++) {
    if (is_digit(*s) || strchr("+-einfa", *s))
      *out++ = *s;
    else if (out == digits || out[-1] != '.')
      *out++ = '.';
  }
  *out = 0;
}

/* Writes a number with n digits; whether it reads back as the same. */
static int write_digits(char *digits, size_t size, int n, double value) {
  const char *end;
  double back;
  snprintf(digits, size, "%.*g", n, value);
  plain_point(digits);
  return cps_number_read(digits, &end, &back) && !*end && back == value;
}

const char *cps_number_text(char *text, size_t size, double value) {
  char digits[48], *e;
  /* Numbers that people have written have few digits; others have 16 or 17, and need not be tried with fewer. */
  for (int n = write_digits(digits, sizeof digits, 15, value) ? 1 : 16; n <= 17; n++) {
    int good = write_digits(digits, sizeof digits, n, value);
    int powers = strchr(digits, 'e') && fabs(value) >= 1e-4 && fabs(value) < 1e6;
    if (good && !powers) break;
  }
  /* 1e+06 is 1e6 to people. */
  e = strchr(digits, 'e');
  if (e)
    snprintf(text, size, "%.*se%d", (int)(e - digits), digits, (int)strtol(e + 1, NULL, 10));
  else
    snprintf(text, size, "%s", digits);
  return text;
}

/* ------------------------------------------------------------------ units */

/* 1 if the two differ in the kind of frequency: in radians or in turns. */
static int confuses_frequency(const char *found, const unit_value *f, const char *wanted) {
  if (strcmp(wanted, "rad/s") == 0) return strstr(found, "Hz") || strstr(found, "hertz");
  return strcmp(wanted, "Hz") == 0 && f->powers[UNIT_RADIAN] != 0;
}

/* The factor between two units; 0 and why if there is none. Radians count as 1. */
static double factor_between(const char *found, const unit_value *f, const char *wanted, const unit_value *w,
                             char *why, size_t size) {
  char quote[UNIT_SIZE + 2];
  snprintf(quote, sizeof quote, "\"%.*s\"", UNIT_SIZE - 1, found);
  int same = 1;
  for (int i = 0; i < UNIT_BASES; i++) same = same && (i == UNIT_RADIAN || f->powers[i] == w->powers[i]);
  double factor = f->factor / w->factor;
  if (!same || !isfinite(factor) || factor <= 0) {
    if (strcmp(wanted, "1") == 0)
      snprintf(why, size, "%s is a unit", quote);
    else
      snprintf(why, size, "%s cannot be converted to %s", quote, wanted);
    return 0;
  }
  if (confuses_frequency(found, f, wanted)) {
    snprintf(why, size, "%s counts %s", quote,
             f->powers[UNIT_RADIAN] ? "radians, not turns, and goes into omega"
                                    : "turns, not radians, and goes into frequency");
    return 0;
  }
  return factor;
}

/* The exponent if a factor is a power of ten other than 1: 10 mm is then exactly the number 0.01. */
static int power_of_ten(double factor) {
  double power = round(log10(factor));
  return fabs(power) < 30 && fabs(factor / pow(10, power) - 1) < 1e-14 ? (int)power : 0;
}

static double look_up(const char *found, const char *wanted, char *why, size_t size) {
  unit_value f, w;
  if (!cps_unit_parse(found, &f)) {
    snprintf(why, size, "\"%.*s\" is not a unit that is known", UNIT_SIZE - 1, found);
    return 0;
  }
  if (!wanted) return 1;
  if (cps_unit_parse(wanted, &w)) return factor_between(found, &f, wanted, &w, why, size);
  snprintf(why, size, "the unit %s is not known", wanted);
  return 0;
}

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* What a unit may be made of: names with small exponents. Numbers in between ("2 5 m"), dates and offsets,
 * which other programs take, have no place here. */
static int looks_like_unit(const char *unit) {
  const char *s = unit;
  if (strncmp(s, "1/", 2) == 0)
    s += 2;
  else if (!is_letter(*s) && !strchr("%('\"/", *s))
    return 0;
  int digits = 0;
  char before = '/';
  for (; *s; s++) {
    digits = is_digit(*s) ? digits + 1 : 0;
    if (digits > 2 || (!digits && !is_letter(*s) && !strchr(" ./*^()-%_'\"", *s))) return 0;
    if (digits == 1 && !is_letter(before) && !strchr("^-)", before)) return 0;
    before = *s;
  }
  return 1;
}

/* A unit relative to the wanted one; 0 and why if it cannot be converted. */
static int find_unit(unit_cache *c, const char *found, const char *wanted, double *factor, int *power,
                     char *why, size_t size) {
  const char *key = wanted ? wanted : "";
  for (int i = 0; c && i < c->n; i++) {
    if (strcmp(c->row[i].found, found) != 0 || strcmp(c->row[i].wanted, key) != 0) continue;
    *factor = c->row[i].factor;
    *power = c->row[i].power;
    return 1;
  }
  *factor = look_up(found, wanted, why, size);
  if (*factor == 0) return 0;
  *power = power_of_ten(*factor);
  if (c && strlen(key) < UNIT_SIZE) {
    int rows = (int)(sizeof c->row / sizeof c->row[0]);
    int i = c->n < rows ? c->n++ : (c->next = (c->next + 1) % rows);
    snprintf(c->row[i].found, UNIT_SIZE, "%s", found);
    snprintf(c->row[i].wanted, UNIT_SIZE, "%s", key);
    c->row[i].factor = *factor;
    c->row[i].power = *power;
  }
  return 1;
}

int cps_quantity_read(unit_cache *cache, const char *text, const char *unit, double *value, char *why,
                      size_t size) {
  double x;
  const char *rest;
  /* Units that depend on a parameter, such as N/m^exponent, count as plain numbers. */
  if (unit && strstr(unit, "^exponent")) unit = "1";
  while (*text == ' ') text++;
  if (!cps_number_read(text, &rest, &x)) {
    const char *word = text + (*text == '-' || *text == '+');
    if (strcmp(word, ".inf") == 0 || strcmp(word, ".nan") == 0 || strcmp(word, "inf") == 0 ||
        strcmp(word, "nan") == 0 || strcmp(word, ".NaN") == 0 || strcmp(word, ".Inf") == 0)
      snprintf(why, size, "it is not finite");
    else
      snprintf(why, size, "it does not start with a number");
    return 0;
  }
  while (*rest == ' ') rest++;
  if (!isfinite(x)) {
    snprintf(why, size, "it is too large");
    return 0;
  }
  if (*rest) {
    char found[UNIT_SIZE] = "";
    size_t n = strlen(rest);
    while (n > 0 && rest[n - 1] == ' ') n--;
    if (n >= sizeof found) {
      snprintf(why, size, "what follows the number is too long for a unit");
      return 0;
    }
    memcpy(found, rest, n);
    found[n] = 0;
    if (!looks_like_unit(found)) {
      snprintf(why, size, "\"%s\" is not a unit that is known", found);
      return 0;
    }
    double factor;
    int power;
    if (!find_unit(cache, found, unit, &factor, &power, why, size)) return 0;
    if (power)
      read_shifted(text, power, &rest, &x);
    else
      x *= factor;
    if (!isfinite(x)) {
      snprintf(why, size, "it is too large");
      return 0;
    }
  }
  *value = x;
  return 1;
}

cps_status cps_unit_parts(const char *unit, double *factor, int powers[8], cps_error *err) {
  unit_value u;
  if (!unit || !cps_unit_parse(unit, &u) || u.factor == 0)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "found \"%.60s\": it is not a unit that is known",
                         unit ? unit : "");
  if (factor) *factor = u.factor;
  for (int i = 0; i < UNIT_BASES && powers; i++) powers[i] = u.powers[i];
  return CPS_OK;
}

cps_status cps_quantity_parse(const char *text, const char *unit, double *value, cps_error *err) {
  char why[160];
  if (!text || !value)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no text to read a quantity from");
  if (cps_quantity_read(NULL, text, unit, value, why, sizeof why)) return CPS_OK;
  int plain = !unit || strcmp(unit, "1") == 0;
  return cps_error_set(err, CPS_BAD_INPUT, NULL, "found \"%.60s\": %s; expected %s%s", text, why,
                       plain ? "a number" : "a quantity in ", plain ? "" : unit);
}
