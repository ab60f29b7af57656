/* unit_expression.c - units by a table that is compiled in (unit_table.h): no file to find, no lock, no locale. */
#include "unit_expression.h"

#include "unit_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 64, MOST_NESTED = 20, MOST_POWER = 99 };

static const unit_value one = {.factor = 1};

/* What people write and UDUNITS-2 does not know. */
static const unit_row short_names[] = {{"deg", 0.017453292519943295, {0, 0, 0, 0, 0, 0, 0, 1}},
                                       {"rev", 6.283185307179586, {0, 0, 0, 0, 0, 0, 0, 1}}};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int compare(const void *word, const void *row) { return strcmp(word, ((const unit_row *)row)->word); }

#define FIND(word, table)                                                                                    \
  bsearch((word), (table), sizeof(table) / sizeof(table)[0], sizeof(table)[0], compare)

static int find(const char *word, unit_value *unit) {
  char name[WORD_SIZE];
  size_t n = strlen(word);
  for (size_t i = 0; i <= n; i++) name[i] = lower(word[i]);
  const unit_row *row = FIND(name, unit_names);
  if (!row) row = FIND(name, short_names);
  if (!row) row = FIND(word, unit_symbols);
  if (!row) return 0;
  unit->factor = row->factor;
  for (int i = 0; i < UNIT_BASES; i++) unit->powers[i] = (int)row->powers[i];
  return 1;
}

/* The longest prefix that a word starts with; names count before symbols. */
static double find_prefix(const char *word, size_t *length) {
  for (size_t k = 0; k < sizeof prefix_names / sizeof prefix_names[0]; k++) {
    const char *name = prefix_names[k].word;
    size_t i = 0;
    while (name[i] && lower(word[i]) == name[i]) i++;
    *length = i;
    if (!name[i]) return prefix_names[k].factor;
  }
  for (size_t k = 0; k < sizeof prefix_symbols / sizeof prefix_symbols[0]; k++) {
    *length = strlen(prefix_symbols[k].word);
    if (strncmp(word, prefix_symbols[k].word, *length) == 0) return prefix_symbols[k].factor;
  }
  return 0;
}

static int find_with_prefix(const char *word, unit_value *unit) {
  if (find(word, unit)) return 1;
  size_t length;
  double prefix = find_prefix(word, &length);
  if (prefix == 0 || !find(word + length, unit)) return 0;
  unit->factor *= prefix;
  return 1;
}

/* ------------------------------------------------------------------ the expression */

typedef struct reader {
  const char *at;
  int depth;
} reader;

static void skip(reader *r) {
  while (*r->at == ' ') r->at++;
}

/* Superscripts and the raised dot of UTF-8, as what they stand for; 0 if it is none. */
static char special(const char *at, size_t *length) {
  static const struct {
    const char *bytes;
    char means;
  } table[] = {{"\xc2\xb9", '1'},     {"\xc2\xb2", '2'},     {"\xc2\xb3", '3'},     {"\xe2\x81\xb0", '0'},
               {"\xe2\x81\xb4", '4'}, {"\xe2\x81\xb5", '5'}, {"\xe2\x81\xb6", '6'}, {"\xe2\x81\xb7", '7'},
               {"\xe2\x81\xb8", '8'}, {"\xe2\x81\xb9", '9'}, {"\xe2\x81\xba", '+'}, {"\xe2\x81\xbb", '-'},
               {"\xc2\xb7", '.'}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    *length = strlen(table[i].bytes);
    if (strncmp(at, table[i].bytes, *length) == 0) return table[i].means;
  }
  return 0;
}

/* A power, in digits (`raised` 0) or superscripts: 0 if there is none. */
static int read_power(reader *r, int raised, int *power) {
  const char *at = r->at;
  int sign = 1, digits = 0, value = 0;
  for (;;) {
    size_t length = 1;
    char c = raised ? special(at, &length) : *at;
    if ((c == '-' || c == '+') && at == r->at) {
      sign = c == '-' ? -1 : 1;
    } else if (c >= '0' && c <= '9') {
      value = value < 1000 ? 10 * value + (c - '0') : value;
      digits++;
    } else {
      break;
    }
    at += length;
  }
  if (!digits || value > MOST_POWER) return 0;
  r->at = at;
  *power = sign * value;
  return 1;
}

static int is_letter(const char *at) {
  size_t length;
  unsigned char c = (unsigned char)*at;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || c == '\'' || c == '"' ||
         (c >= 0x80 && !special(at, &length));
}

/* The end of a word: digits belong to it if a letter follows, as in inH2O. */
static const char *word_end(const char *at) {
  const char *end = at;
  while (is_letter(at)) {
    while (is_letter(at)) at++;
    end = at;
    while (*at >= '0' && *at <= '9') at++;
  }
  return end;
}

static int read_word(reader *r, unit_value *unit) {
  char word[WORD_SIZE];
  size_t n = (size_t)(word_end(r->at) - r->at);
  if (n == 0 || n >= sizeof word) return 0;
  memcpy(word, r->at, n);
  word[n] = 0;
  r->at += n;
  return find_with_prefix(word, unit);
}

static int read_product(reader *r, unit_value *unit);

/* A unit, a number 1, or a product in parentheses, with its power. */
static int read_factor(reader *r, unit_value *unit) {
  int power = 1;
  if (*r->at == '(') {
    if (++r->depth > MOST_NESTED) return 0;
    r->at++;
    if (!read_product(r, unit) || *r->at != ')') return 0;
    r->at++;
    r->depth--;
  } else if (*r->at == '1') {
    r->at++;
    *unit = one;
    return !(*r->at >= '0' && *r->at <= '9');
  } else if (!read_word(r, unit)) {
    return 0;
  }
  if (*r->at == '^' || strncmp(r->at, "**", 2) == 0) {
    r->at += *r->at == '^' ? 1 : 2;
    if (!read_power(r, 0, &power)) return 0;
  } else if (!read_power(r, 0, &power)) {
    (void)read_power(r, 1, &power);
  }
  unit->factor = unit->factor == 0 && power != 1 ? 0 : pow(unit->factor, power);
  for (int i = 0; i < UNIT_BASES; i++) unit->powers[i] *= power;
  return 1;
}

/* What stands between two factors: '/', '.', or a blank for nothing. */
static char read_operator(reader *r) {
  size_t length;
  int blank = *r->at == ' ';
  skip(r);
  if (*r->at == '/' || *r->at == '.' || *r->at == '*' || (*r->at == '-' && !blank)) {
    char c = *r->at++;
    skip(r);
    return c == '/' ? '/' : '.';
  }
  if (special(r->at, &length) == '.') {
    r->at += length;
    return '.';
  }
  if (blank && strncmp(r->at, "per ", 4) == 0) {
    r->at += 4;
    skip(r);
    return '/';
  }
  return ' ';
}

static int read_product(reader *r, unit_value *unit) {
  skip(r);
  if (!read_factor(r, unit)) return 0;
  for (;;) {
    char between = read_operator(r);
    if (!*r->at || *r->at == ')') return between == ' ';
    unit_value next;
    if (!read_factor(r, &next)) return 0;
    int sign = between == '/' ? -1 : 1;
    /* an offset or a logarithm in a product counts as what it is without them in some places, and is refused in all of them here */
    unit->factor = sign > 0 ? unit->factor * next.factor : next.factor == 0 ? 0 : unit->factor / next.factor;
    for (int i = 0; i < UNIT_BASES; i++) unit->powers[i] += sign * next.powers[i];
  }
}

int cps_unit_parse(const char *text, unit_value *unit) {
  reader r = {text, 0};
  return read_product(&r, unit) && !*r.at;
}
