/* processor.h - which instructions the processor has. */
#ifndef CPS_PROCESSOR_H
#define CPS_PROCESSOR_H

/* AVX2 and FMA, for the copies of the innermost loops of cables; not if the environment says CAPSTAN_PLAIN=1, which gives the
 * same bits on every processor. */
int cps_has_avx2(void);
/* The instructions for SHA-256. */
int cps_has_sha(void);

#endif
