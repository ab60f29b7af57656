/* plain_text.c - see plain_text.h. */
#include "plain_text.h"

/* Marks that are not seen and change how other characters are shown or read: directions, and joiners of none. */
static int is_hidden(unsigned long c) {
  static const struct {
    unsigned long from, to;
  } ranges[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f},  {0x2028, 0x202e},
                {0x2060, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    if (c >= ranges[i].from && c <= ranges[i].to) return 1;
  return 0;
}

int cps_plain_length(const char *text) {
  const unsigned char *b = (const unsigned char *)text;
  static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = b[0] < 0x80                   ? 1
          : b[0] >= 0xc2 && b[0] < 0xe0 ? 2
          : b[0] >= 0xe0 && b[0] < 0xf0 ? 3
          : b[0] >= 0xf0 && b[0] < 0xf5 ? 4
                                        : 0;
  if (n == 0) return 0;
  unsigned long c = n == 1 ? b[0] : b[0] & (0x7fu >> n);
  for (int i = 1; i < n; i++) {
    if ((b[i] & 0xc0) != 0x80) return 0; /* also the end of the text */
    c = c << 6 | (b[i] & 0x3f);
  }
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || is_hidden(c)) return 0;
  return n;
}

void cps_plain_text(char *text, int lines) {
  for (char *c = text; *c;) {
    int n = cps_plain_length(c);
    if (n == 0 && !(lines && (*c == '\n' || *c == '\t'))) *c = '?';
    c += n > 0 ? n : 1;
  }
}
