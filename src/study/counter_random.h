/* counter_random.h - random numbers that are a function of a seed and of where they are used, without any state.
 *
 * Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11,
 * 2011: a block cipher turns a counter of 128 bits and a key of 64 bits into 128 random bits. The counter is the index of a
 * point, a dimension and a purpose; the key is the seed. Any point can be had alone, in any order, in any process.
 */
#ifndef CPS_COUNTER_RANDOM_H
#define CPS_COUNTER_RANDOM_H

#include <stdint.h>

/* Streams that do not touch: what a number is for. */
enum {
  RANDOM_POINT = 1,
  RANDOM_JITTER,
  RANDOM_PERMUTATION,
  RANDOM_SHIFT,
  RANDOM_LEVEL,
  RANDOM_ORDER,
  RANDOM_RESAMPLE
};

/* The cipher itself. */
void cps_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* 64 random bits of an index, a dimension and a purpose. */
uint64_t cps_random_bits(uint64_t seed, uint64_t index, uint32_t dimension, uint32_t purpose);

/* A number in the open interval from 0 to 1, a multiple of 2^-53 plus 2^-54. */
double cps_random_unit(uint64_t seed, uint64_t index, uint32_t dimension, uint32_t purpose);

/* Where item i of n goes in a random permutation, which `stream` and `purpose` choose: a bijection of 0 .. n-1. */
uint64_t cps_random_place(uint64_t seed, uint64_t i, uint64_t n, uint32_t stream, uint32_t purpose);

#endif
