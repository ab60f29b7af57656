/* cable_kernels_avx2.c - cable_kernels.h for x86-64 processors with AVX2 and FMA; cable_elimination.c asks before it calls. */
#include "machine.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define KERNELS cps_kernels_avx2
#include "cable_kernels.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
