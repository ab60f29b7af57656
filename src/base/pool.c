/* pool.c - see pool.h: the first line of a piece points to the piece before it. */
#include "pool.h"

#include "aligned.h"

#include <stdint.h>

void *cps_pool_new(pool *p, size_t n, size_t size) {
  int fits = size == 0 || n <= (SIZE_MAX - CACHE_LINE) / size;
  unsigned char *piece = fits ? cps_lines_new(CACHE_LINE + n * size, 1) : NULL;
  if (!piece) {
    p->lost = 1;
    return NULL;
  }
  *(void **)(void *)piece = p->last;
  p->last = piece;
  return piece + CACHE_LINE;
}

void cps_pool_free(pool *p) {
  while (p->last) {
    void *before = *(void **)p->last;
    cps_lines_free(p->last);
    p->last = before;
  }
  p->lost = 0;
}
