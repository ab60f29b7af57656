/* plain_text.c - see plain_text.h. */
#include "plain_text.h"

#include <stdio.h>

typedef struct code_range {
  long from, to;
} code_range;

static int is_in(long c, const code_range *range, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (c >= range[i].from && c <= range[i].to) return 1;
  return 0;
}
#define IS_IN(c, ranges) is_in(c, ranges, sizeof ranges / sizeof ranges[0])

/* What acts on a terminal, or turns the order of what is read. */
static const code_range control[] = {{0x00, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
/* Marks that are not seen, besides. */
static const code_range hidden[] = {{0x61c, 0x61c},   {0x200b, 0x200f}, {0x2060, 0x2065},
                                    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
/* Blocks of Unicode above 127 that have no letters: punctuation, signs, arrows, drawings, private use. */
static const code_range signs[] = {{0x80, 0xa9},       {0xab, 0xb4},     {0xb6, 0xb9},     {0xbb, 0xbf},
                                   {0xd7, 0xd7},       {0xf7, 0xf7},     {0x2000, 0x206f}, {0x20a0, 0x20cf},
                                   {0x2190, 0x2bff},   {0x2e00, 0x2e7f}, {0x3000, 0x3004}, {0x3008, 0x3020},
                                   {0xe000, 0xf8ff},   {0xfe00, 0xfe6f}, {0xfeff, 0xff0f}, {0xff1a, 0xff20},
                                   {0xff3b, 0xff40},   {0xff5b, 0xff65}, {0xfff0, 0xffff}, {0x1f000, 0x1faff},
                                   {0xe0000, 0x10ffff}};

/* The character at the start of text, and its length in bytes; -1 and 1 if that is not UTF-8. */
static long decode(const char *text, int *length) {
  const unsigned char *b = (const unsigned char *)text;
  static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = b[0] < 0x80                   ? 1
          : b[0] >= 0xc2 && b[0] < 0xe0 ? 2
          : b[0] >= 0xe0 && b[0] < 0xf0 ? 3
          : b[0] >= 0xf0 && b[0] < 0xf5 ? 4
                                        : 0;
  *length = 1;
  if (n == 0) return -1;
  long c = n == 1 ? b[0] : b[0] & (0x7f >> n);
  for (int i = 1; i < n; i++) {
    if ((b[i] & 0xc0) != 0x80) return -1; /* also the end of the text */
    c = c << 6 | (b[i] & 0x3f);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return -1;
  *length = n;
  return c;
}

int cps_plain_length(const char *text) {
  int n;
  long c = decode(text, &n);
  return c < 0 || IS_IN(c, control) || IS_IN(c, hidden) ? 0 : n;
}

const char *cps_plain_control(const char *text, char name[16]) {
  int n;
  for (; *text; text += n) {
    long c = decode(text, &n);
    if (c == '\n' || c == '\t' || (c >= 0 && !IS_IN(c, control))) continue;
    if (c < 0)
      snprintf(name, 16, "byte 0x%02x", (unsigned char)*text);
    else
      snprintf(name, 16, "U+%04lX", (unsigned long)c);
    return text;
  }
  return NULL;
}

int cps_plain_name(const char *text) {
  int n;
  for (; *text; text += n) {
    long c = decode(text, &n);
    int ascii = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                c == '_';
    if (c < 0x80 ? !ascii : IS_IN(c, signs) || IS_IN(c, hidden)) return 0;
  }
  return 1;
}

void cps_plain_text(char *text, int lines) {
  for (char *c = text; *c;) {
    int n = cps_plain_length(c);
    if (n == 0 && !(lines && (*c == '\n' || *c == '\t'))) *c = '?';
    c += n > 0 ? n : 1;
  }
}
