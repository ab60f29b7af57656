/* processor.c - what the processor can do, asked of itself: the compiler's own question needs a library that not every compiler
 * brings along. See processor.h.
 *
 * Answers are kept, since the question takes a microsecond in a virtual machine. Threads that ask at the same time find the
 * same answer. */
#include "processor.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { UNKNOWN, NO, YES };

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits of ECX of leaf 1, and of EBX of leaf 7. */
enum { FMA = 1 << 12, SSE41 = 1 << 19, OSXSAVE = 1 << 27, AVX = 1 << 28, AVX2 = 1 << 5, SHA = 1 << 29 };
static const unsigned AVX512 = 1u << 16 | 1u << 17 | 1u << 31; /* F, DQ, VL */

static int has(unsigned first, unsigned seventh) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & first) == first && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
         (b & seventh) == seventh;
}

/* Whether the operating system keeps the wide registers of a program: bits 1 and 2 of XCR0, and for AVX-512 bits 5 to 7. */
static int keeps_registers(unsigned bits) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & bits) == bits;
}

static int has_wide(void) { return has(OSXSAVE | AVX | FMA, AVX2) && keeps_registers(0x06); }
static int has_widest(void) { return has(OSXSAVE | AVX | FMA, AVX2 | AVX512) && keeps_registers(0xe6); }
int cps_has_sha(void) { return has(SSE41, SHA); }
#else
static int has_wide(void) { return 0; }
static int has_widest(void) { return 0; }
int cps_has_sha(void) { return 0; }
#endif

static int is_aarch64(void) {
#if defined(__aarch64__)
  return 1;
#else
  return 0;
#endif
}

/* An answer that is kept. */
static int has_and_may(atomic_int *known, int (*has_it)(void)) {
  int answer = atomic_load_explicit(known, memory_order_relaxed);
  if (answer == UNKNOWN) {
    const char *plain = getenv("CAPSTAN_PLAIN"); /* NOLINT(concurrency-mt-unsafe): nobody changes it */
    answer = has_it() && !(plain && *plain && *plain != '0') ? YES : NO;
    atomic_store_explicit(known, answer, memory_order_relaxed);
  }
  return answer == YES;
}

int cps_has_avx2(void) {
  static atomic_int known;
  return has_and_may(&known, has_wide);
}

int cps_has_neon(void) {
  static atomic_int known;
  return has_and_may(&known, is_aarch64);
}

int cps_has_fused(void) { return cps_has_avx2() || cps_has_neon(); }

int cps_has_avx512(void) {
  static atomic_int known;
  return has_and_may(&known, has_widest);
}
