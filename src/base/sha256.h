/* sha256.h - the hash that names a scenario in its results. */
#ifndef CPS_SHA256_H
#define CPS_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes taken in so far */
  unsigned char block[64];
  int fast; /* the processor has instructions for it */
} sha256;

void cps_sha256_start(sha256 *s);
void cps_sha256_add(sha256 *s, const void *data, size_t length);
void cps_sha256_end(sha256 *s, char hex[65]);
/* All at once: cps_sha256_hex of capstan.h. */

#endif
