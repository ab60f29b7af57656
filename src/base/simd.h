/* simd.h - vectors of four doubles, for the compiler to do with as the processor allows. */
#ifndef CPS_LANES_H
#define CPS_LANES_H

#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inlined functions only */
#define INLINE static inline __attribute__((always_inline))
typedef double lanes __attribute__((vector_size(4 * sizeof(double))));
#else
#error "Capstan needs a compiler with vector extensions (gcc or clang)"
#endif

/* Short loops over coordinates are written out, so that what they make stays in registers. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { LANES = 4 };

INLINE lanes all(double x) { return (lanes){x, x, x, x}; }

/* Square root, lane by lane: an exact operation, so the compiler may do as it likes. */
INLINE lanes root(lanes x) { return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

typedef long long lane_bits __attribute__((vector_size(4 * sizeof(long long))));

/* The larger one, lane by lane; b if they cannot be compared. */
INLINE lanes larger(lanes a, lanes b) {
  lane_bits first = a > b;
  return (lanes)((first & (lane_bits)a) | (~first & (lane_bits)b));
}

INLINE lanes magnitude(lanes a) {
  const long long rest = 0x7fffffffffffffff; /* all but the sign */
  return (lanes)((lane_bits)a & (lane_bits){rest, rest, rest, rest});
}

/* Four doubles anywhere in memory. */
typedef double loose_lanes __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

INLINE lanes load(const double *x) { return *(const loose_lanes *)x; }

INLINE void save(double *x, lanes r) { *(loose_lanes *)x = r; }

/* Lane i in all lanes. */
#define LANE(x, i) __builtin_shufflevector(x, x, i, i, i, i)
INLINE lanes lane(lanes x, int i) {
  return i == 0 ? LANE(x, 0) : i == 1 ? LANE(x, 1) : i == 2 ? LANE(x, 2) : LANE(x, 3);
}

/* The diagonal of four rows. */
INLINE lanes diagonal(lanes a, lanes b, lanes c, lanes d) {
  lanes ab = __builtin_shufflevector(a, b, 0, 5, 2, 7), cd = __builtin_shufflevector(c, d, 0, 5, 2, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 6, 7);
}

/* Transposes four vectors of four. */
INLINE void turn(lanes a, lanes b, lanes c, lanes d, lanes out[4]) {
  lanes ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  lanes cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

#endif
