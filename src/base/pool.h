/* pool.h - memory that belongs to one thing: asked for piece by piece, given back all at once. */
#ifndef CPS_POOL_H
#define CPS_POOL_H

#include <stddef.h>

typedef struct pool {
  void *last; /* piece; each knows the one before */
  int lost;   /* a piece could not be had */
} pool;

/* n things of `size` bytes, all zero, from the start of a line of the cache on; NULL if there is no memory: then the pool is
 * lost: of many pieces only the pool is asked. */
void *cps_pool_new(pool *p, size_t n, size_t size);
void cps_pool_free(pool *p);

/* n things of the type that a pointer points to. */
#define POOL_ARRAY(p, pointer, n) ((pointer) = cps_pool_new(p, (size_t)(n), sizeof *(pointer)))

#endif
