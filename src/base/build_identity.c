/* build_identity.c - which build this is, as far as the bits of results are concerned: see internal.h.
 *
 * The hash of the sources is made while building (cmake/identity.cmake), so that it is known without version control and
 * counts changes that are not committed. */
#include "build_identity.h" /* generated */
#include "internal.h"

#if !defined(__VERSION__)
#define __VERSION__ "unknown"
#endif

const char *cps_build_identity(void) {
  static const char with[] = "sources " BUILD_SOURCES ", compiler " __VERSION__ ", flags " BUILD_FLAGS
                             ", AVX2 and FMA";
  static const char wide[] = "sources " BUILD_SOURCES ", compiler " __VERSION__ ", flags " BUILD_FLAGS
                             ", AVX-512, AVX2 and FMA";
  static const char without[] = "sources " BUILD_SOURCES ", compiler " __VERSION__ ", flags " BUILD_FLAGS
                                ", plain";
  static const char neon[] = "sources " BUILD_SOURCES ", compiler " __VERSION__ ", flags " BUILD_FLAGS
                             ", NEON";
  return cps_has_avx512() ? wide : cps_has_avx2() ? with : cps_has_neon() ? neon : without;
}
