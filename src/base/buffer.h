/* buffer.h - text that grows. */
#ifndef CPS_BUFFER_H
#define CPS_BUFFER_H

#include <stddef.h>

typedef struct buffer {
  char *text; /* owned, NULL while empty */
  size_t length, room;
  int failed; /* memory ran out; further text is dropped */
} buffer;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cps_buffer_add(buffer *b, const char *format, ...);

/* Adds a text in double quotes as YAML reads it. */
void cps_buffer_quote(buffer *b, const char *text);

/* The text, now the caller's to free; NULL if memory ran out. */
char *cps_buffer_take(buffer *b);

#endif
