/* element_energy_avx2.c - element_energy_pass.h for x86-64 processors with AVX2 and FMA; element_energy.c asks before it calls. */
#include "machine.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SURVEY(x) cps_avx2_##x
#include "element_energy_pass.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
