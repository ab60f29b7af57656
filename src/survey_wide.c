/* survey_wide.c - survey_pass.h for x86-64 processors with AVX2 and FMA; survey.c asks before it calls. */
#include "machine.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SURVEY(x) cps_wide_##x
#include "survey_pass.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
