/* sens_sweep_wide.c - sens_sweep.h for x86-64 processors with AVX2 and FMA; who calls it asks before. */
#include "newton.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SWEEP(x) cps_wide_sweep_##x
#include "sens_sweep.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
