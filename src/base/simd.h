/* simd.h - vectors of LANES doubles, four unless LANES says otherwise; the compiler maps them to the processor's own. */
#ifndef CPS_LANES_H
#define CPS_LANES_H

#include <math.h>
#include <string.h>

#ifndef LANES
#define LANES 4
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inlined functions only */
#define INLINE static inline __attribute__((always_inline))
typedef double four __attribute__((vector_size(4 * sizeof(double))));
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef long long lane_bits __attribute__((vector_size(LANES * sizeof(long long))));
#else
#error "Capstan needs a compiler with vector extensions (gcc or clang)"
#endif

/* Short loops over coordinates are written out, so that what they make stays in registers. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

INLINE four four_of(double x) { return (four){x, x, x, x}; }

INLINE lanes all(double x) {
#if LANES == 8
  return (lanes){x, x, x, x, x, x, x, x};
#else
  return (lanes){x, x, x, x};
#endif
}

/* Square root, lane by lane: an exact operation, so the compiler may do as it likes. */
INLINE lanes root(lanes x) {
#if LANES == 8
  return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3]),
                 sqrt(x[4]), sqrt(x[5]), sqrt(x[6]), sqrt(x[7])};
#else
  return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

/* The larger one, lane by lane; b if they cannot be compared. */
INLINE lanes larger(lanes a, lanes b) {
  lane_bits first = a > b;
  return (lanes)((first & (lane_bits)a) | (~first & (lane_bits)b));
}

INLINE lanes magnitude(lanes a) {
  const long long rest = 0x7fffffffffffffff; /* all but the sign */
  return (lanes)((lane_bits)a & rest);
}

INLINE double sum_of(lanes a) {
  double sum = a[0] + a[1] + (a[2] + a[3]);
#if LANES == 8
  sum += a[4] + a[5] + (a[6] + a[7]);
#endif
  return sum;
}

/* Whether a comparison holds in all lanes. */
INLINE int every(lane_bits a) {
  long long both = a[0] & a[1] & (a[2] & a[3]);
#if LANES == 8
  both &= a[4] & a[5] & (a[6] & a[7]);
#endif
  return both != 0;
}

/* Four doubles anywhere in memory. */
typedef double loose_lanes __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

INLINE four load(const double *x) { return *(const loose_lanes *)x; }

INLINE void save(double *x, four r) { *(loose_lanes *)x = r; }

/* Lane i in all lanes. */
#define LANE(x, i) __builtin_shufflevector(x, x, i, i, i, i)
INLINE four lane(four x, int i) {
  return i == 0 ? LANE(x, 0) : i == 1 ? LANE(x, 1) : i == 2 ? LANE(x, 2) : LANE(x, 3);
}

/* The diagonal of four rows. */
INLINE four diagonal(four a, four b, four c, four d) {
  four ab = __builtin_shufflevector(a, b, 0, 5, 2, 7), cd = __builtin_shufflevector(c, d, 0, 5, 2, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 6, 7);
}

/* Transposes four vectors of four. */
INLINE void turn(four a, four b, four c, four d, four out[4]) {
  four ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  four cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/* The first four numbers of a row for each lane. */
INLINE void to_columns(const double *const row[LANES], lanes out[4]) {
#if LANES == 8
  four low[4], high[4];
  turn(load(row[0]), load(row[1]), load(row[2]), load(row[3]), low);
  turn(load(row[4]), load(row[5]), load(row[6]), load(row[7]), high);
  UNROLL for (int i = 0; i < 4; i++)
      out[i] = __builtin_shufflevector(low[i], high[i], 0, 1, 2, 3, 4, 5, 6, 7);
#else
  turn(load(row[0]), load(row[1]), load(row[2]), load(row[3]), out);
#endif
}

/* And back: of four vectors the row of each lane. */
INLINE void to_rows(const lanes x[4], four out[LANES]) {
#if LANES == 8
  four low[4], high[4];
  UNROLL for (int i = 0; i < 4; i++) {
    low[i] = __builtin_shufflevector(x[i], x[i], 0, 1, 2, 3);
    high[i] = __builtin_shufflevector(x[i], x[i], 4, 5, 6, 7);
  }
  turn(low[0], low[1], low[2], low[3], out);
  turn(high[0], high[1], high[2], high[3], out + 4);
#else
  turn(x[0], x[1], x[2], x[3], out);
#endif
}

#endif
