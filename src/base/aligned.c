/* aligned.c - see aligned.h: what calloc gave is kept in front of the block. */
#include "aligned.h"

#include <stdint.h>
#include <stdlib.h>

void *cps_lines_new(size_t n, size_t size) {
  const size_t more = CACHE_LINE + sizeof(void *);
  if (size > 0 && n > (SIZE_MAX - more) / size) return NULL;
  char *whole = calloc(1, n * size + more);
  if (!whole) return NULL;
  char *start = whole + sizeof(void *);
  start += (CACHE_LINE - (uintptr_t)start % CACHE_LINE) % CACHE_LINE;
  ((void **)(void *)start)[-1] = whole;
  return start;
}

void cps_lines_free(void *block) {
  if (block) free(((void **)block)[-1]);
}
