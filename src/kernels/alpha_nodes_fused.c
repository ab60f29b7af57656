/* alpha_nodes_fused.c - alpha_nodes.h with fused products and sums, for x86-64 processors with AVX2 and FMA and for aarch64
 * (NEON); alpha_nodes.c asks before it calls. */
#include "newton.h"
#include "processor.h"

#if CPS_FUSED
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#elif defined(__x86_64__)
#pragma GCC target("avx2,fma")
#endif
#define ALPHA_NODES(x) cps_fused_nodes_##x
#include "alpha_nodes.h"
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
#endif
