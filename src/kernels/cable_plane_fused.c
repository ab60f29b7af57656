/* cable_plane_fused.c - cable_plane.h with fused products and sums, for x86-64 processors with AVX2 and FMA and for aarch64 (NEON); cable_elimination.c asks before it calls. */
#include "machine.h"
#include "processor.h"

#include <math.h>
#include <string.h>

#if CPS_FUSED
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#elif defined(__x86_64__)
#pragma GCC target("avx2,fma")
#endif
#define PLANE(x) cps_fused_##x
#include "cable_plane.h"
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
#endif
