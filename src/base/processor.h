/* processor.h - which instructions the processor has. */
#ifndef CPS_PROCESSOR_H
#define CPS_PROCESSOR_H

/* AVX2 and FMA, for the copies of the innermost loops of cables: cps_has_avx2 and cps_has_avx512 of capstan.h. */
#include "capstan.h"
/* The instructions for SHA-256. */
int cps_has_sha(void);

#endif
