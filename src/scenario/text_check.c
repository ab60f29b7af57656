/* text_check.c - looks at the bytes of a file before the YAML parser does.
 *
 * What passes is UTF-8 without control characters, directive lines and explicit keys. The parser would say
 * less about them, and takes three characters for the end of a line that are not.
 */
#include "yaml_tree.h"

#include <string.h>

/* Length of the UTF-8 character at s, 0 if it is none; gives its code. */
static size_t decode(const unsigned char *s, size_t left, unsigned *code) {
  static const unsigned least[5] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned c = s[0];
  size_t n = c < 0x80                ? 1
             : c >= 0xf0 && c < 0xf5 ? 4
             : c >= 0xe0 && c < 0xf0 ? 3
             : c >= 0xc2 && c < 0xe0 ? 2
                                     : 0;
  if (n == 0 || n > left) return 0;
  *code = n == 1 ? c : c & (0xffu >> (n + 1));
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (s[i] & 0x3f);
  }
  if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) return 0;
  return n;
}

/* Whether YAML takes the character; a byte order mark only at the start. */
static int is_text(unsigned code, size_t at) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0x7f && code < 0xa0) return 0;
  if (code == 0xfeff) return at == 0;
  if (code == 0x2028 || code == 0x2029) return 0; /* separators of lines to YAML 1.1 */
  return code != 0xfffe && code != 0xffff;
}

/* Where values can start in a line: behind blanks and the dashes of lists. */
static int may_start_value(unsigned code, int before) {
  if (code == '\n' || code == '\r' || code == 0xfeff) return 1;
  return before && (code == ' ' || code == '\t' || code == '-');
}

static int is_blank_or_end(const unsigned char *s, size_t left) {
  return left == 0 || *s == ' ' || *s == '\t' || *s == '\n' || *s == '\r';
}

int cps_text_check(document *d, int source, size_t skip) {
  const unsigned char *s = (const unsigned char *)d->sources[source].text;
  size_t length = d->sources[source].length, i = 0;
  int line_start = 1, value_start = 1;
  if (length >= 2 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff))) {
    cps_problem(d, (mark){source, 0}, NULL, "found UTF-16; a scenario is written in UTF-8");
    return 0;
  }
  while (i < length) {
    mark at = {source, (unsigned)i};
    unsigned code = 0;
    size_t n = decode(s + i, length - i, &code);
    if (n == 0) {
      cps_problem(d, at, NULL, "found the byte 0x%02x, which is not UTF-8 here; save the file as UTF-8",
                  s[i]);
      return 0;
    }
    if (code == 0) {
      cps_problem(d, at, NULL, "found a NUL byte; a scenario is text");
      return 0;
    }
    if (!is_text(code, i)) {
      cps_problem(d, at, NULL, "found the control character U+%04X; a scenario is text", code);
      return 0;
    }
    if (code == '%' && line_start) {
      cps_problem(d, at, NULL,
                  "found \"%%\" at the start of a line; YAML directives are not used here, and text "
                  "that starts so goes in quotes");
      return 0;
    }
    if (code == '?' && value_start && is_blank_or_end(s + i + n, length - i - n)) {
      cps_problem(d, at, NULL, "found \"?\" before a key; keys are written key: value");
      return 0;
    }
    line_start = code == '\n' || code == '\r' || code == 0xfeff;
    value_start = i + n <= skip || may_start_value(code, value_start);
    i += n;
  }
  return 1;
}
