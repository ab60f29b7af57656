/* aligned.h - memory from the start of a line of the cache on, as vectors want it. Not every C library has aligned_alloc. */
#ifndef CPS_ALIGNED_H
#define CPS_ALIGNED_H

#include <stddef.h>

enum { CACHE_LINE = 64 };

/* n things of `size` bytes, all zero, to be freed with cps_lines_free; NULL if there is no memory. */
void *cps_lines_new(size_t n, size_t size);
void cps_lines_free(void *block);

#endif
