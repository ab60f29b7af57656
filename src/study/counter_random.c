/* counter_random.c - see counter_random.h. */
#include "counter_random.h"

enum { PHILOX_ROUNDS = 10, FEISTEL_ROUNDS = 6 };

void cps_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  const uint64_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
  const uint32_t weyl[2] = {0x9E3779B9u, 0xBB67AE85u}; /* golden ratio and sqrt(3) - 1 */
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < PHILOX_ROUNDS; round++) {
    uint64_t a = multiplier[0] * c[0], b = multiplier[1] * c[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                        (uint32_t)a};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    for (int i = 0; i < 2; i++) k[i] += weyl[i];
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

uint64_t cps_random_bits(uint64_t seed, uint64_t index, uint32_t dimension, uint32_t purpose) {
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), dimension, purpose};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t out[4];
  cps_philox(counter, key, out);
  return (uint64_t)out[1] << 32 | out[0];
}

double cps_random_unit(uint64_t seed, uint64_t index, uint32_t dimension, uint32_t purpose) {
  return ((double)(cps_random_bits(seed, index, dimension, purpose) >> 12) + 0.5) * 0x1p-52;
}

/* A Feistel network is a bijection of pairs of half words, whatever its round function is. One that leads out of 0 .. n-1 is
 * applied again until it comes back ("cycle walking"), which is a bijection of 0 .. n-1. */
uint64_t cps_random_place(uint64_t seed, uint64_t i, uint64_t n, uint32_t stream, uint32_t purpose) {
  int half = 1;
  while (half < 31 && (uint64_t)1 << (2 * half) < n) half++;
  uint64_t mask = ((uint64_t)1 << half) - 1;
  if (n < 2) return 0;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
      uint64_t mixed = left ^ (cps_random_bits(seed, right << 8 | round, stream, purpose) & mask);
      left = right;
      right = mixed;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}
