/* processor.h - which instructions the processor has. */
#ifndef CPS_PROCESSOR_H
#define CPS_PROCESSOR_H

/* AVX2 and FMA, NEON, and AVX-512, for the copies of the innermost loops of cables: cps_has_avx2, cps_has_neon and cps_has_avx512 of
 * capstan.h. */
#include "capstan.h"

/* Whether there are copies with fused products and sums, and whether they may run: NEON is part of every aarch64, whose compilers
 * make two of its vectors of one of ours. */
#if defined(__x86_64__) || defined(__aarch64__)
#define CPS_FUSED 1
#else
#define CPS_FUSED 0
#endif
int cps_has_fused(void);

/* The instructions for SHA-256. */
int cps_has_sha(void);

#endif
