/* sobol.c - see sobol.h. */
#include "sobol.h"

void cps_sobol_directions(int dimension, uint32_t v[SOBOL_BITS]) {
  const sobol_row *row = &cps_sobol_rows[dimension];
  unsigned polynomial = row->polynomial;
  int degree = 0;
  while (polynomial >> (degree + 1)) degree++;
  for (int k = 0; k < SOBOL_BITS; k++) {
    if (dimension == 0 ||
        k < degree) { /* the first dimension is van der Corput's sequence: all numbers are 1 */
      v[k] = (uint32_t)(dimension == 0 ? 1 : row->m[k]) << (SOBOL_BITS - 1 - k);
      continue;
    }
    v[k] = v[k - degree] ^ (v[k - degree] >> degree);
    for (int j = 1; j < degree; j++)
      if (polynomial >> (degree - j) & 1) v[k] ^= v[k - j];
  }
}

uint32_t cps_sobol(const uint32_t v[SOBOL_BITS], uint64_t i) {
  uint64_t gray = i ^ (i >> 1);
  uint32_t x = 0;
  for (int k = 0; k < SOBOL_BITS && gray >> k; k++)
    if (gray >> k & 1) x ^= v[k];
  return x;
}
