/* buffer.c - see buffer.h. */
#include "buffer.h"
#include "plain_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more characters and the zero. */
static int reserve(buffer *b, size_t n) {
  if (b->failed) return 0;
  if (b->length + n + 1 <= b->room) return 1;
  size_t room = 2 * (b->length + n) + 256;
  char *more = realloc(b->text, room);
  if (!more) {
    b->failed = 1;
    return 0;
  }
  b->text = more;
  b->room = room;
  return 1;
}

void cps_buffer_add(buffer *b, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = cps_format(NULL, 0, format, args);
  if (n >= 0 && reserve(b, (size_t)n)) {
    cps_format(b->text + b->length, (size_t)n + 1, format, again);
    b->length += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

void cps_buffer_quote(buffer *b, const char *text) {
  cps_buffer_add(b, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    cps_buffer_add(b, *c == '"' || *c == '\\' ? "\\%c" : *c < 0x20 ? "\\x%02x" : "%c", *c);
  cps_buffer_add(b, "\"");
}

char *cps_buffer_take(buffer *b) {
  char *text = b->text;
  if (b->failed) {
    free(text);
    text = NULL;
  }
  memset(b, 0, sizeof *b);
  return text;
}
