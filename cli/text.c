/* text.c - texts that grow while they are written: see cli.h.
 *
 * open_memstream of the GNU library drops what it has no memory for, and says nothing: neither ferror nor fclose knows of it. A stream
 * whose writes we make ourselves does. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#if defined(__GLIBC__)

typedef struct growing {
  char **text;
  size_t *size;
  size_t room;
} growing;

static ssize_t put(void *cookie, const char *bytes, size_t n) {
  growing *g = cookie;
  if (n >= g->room - *g->size) {
    size_t room = 2 * g->room + n;
    char *more = realloc(*g->text, room);
    if (!more) return 0;
    *g->text = more;
    g->room = room;
  }
  memcpy(*g->text + *g->size, bytes, n);
  *g->size += n;
  (*g->text)[*g->size] = 0;
  return (ssize_t)n;
}

static int end(void *cookie) {
  free(cookie);
  return 0;
}

FILE *text_open(char **text, size_t *size) {
  enum { FIRST = 4096 };
  const cookie_io_functions_t calls = {.write = put, .close = end};
  growing *g = malloc(sizeof *g);
  char *first = calloc(FIRST, 1);
  FILE *file = g && first ? fopencookie(g, "w", calls) : NULL;
  if (!file) {
    free(g);
    free(first);
    return NULL;
  }
  *g = (growing){text, size, FIRST};
  *text = first;
  *size = 0;
  return file;
}

#else

FILE *text_open(char **text, size_t *size) { return open_memstream(text, size); }

#endif

int text_close(FILE *file, char **text) {
  int good = fflush(file) == 0 && !ferror(file);
  good = fclose(file) == 0 && good && *text;
  if (good) return 1;
  free(*text);
  *text = NULL;
  return 0;
}
