/* cable_kernels_avx512.c - cable_kernels.h with eight lanes, for x86-64 processors with AVX-512; cable_elimination.c asks before it calls. */
#define LANES 8
#include "machine.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))),                  \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#define KERNELS cps_kernels_avx512
#include "cable_kernels.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
