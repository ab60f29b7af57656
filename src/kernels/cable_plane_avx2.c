/* cable_plane_avx2.c - cable_plane.h for x86-64 processors with AVX2 and FMA; cable_elimination.c asks before it calls. */
#include "machine.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define PLANE(x) cps_avx2_##x
#include "cable_plane.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
