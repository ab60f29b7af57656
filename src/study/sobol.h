/* sobol.h - the points of Sobol', any of them alone.
 *
 * I. M. Sobol', USSR Comput. Math. Math. Phys. 7 (1967), in the order of Gray code (Antonov and Saleev 1979), with the direction
 * numbers "new-joe-kuo-6" of S. Joe and F. Y. Kuo, SIAM J. Sci. Comput. 30 (2008) 2635-2654. */
#ifndef CPS_SOBOL_H
#define CPS_SOBOL_H

#include <stdint.h>

enum { SOBOL_MOST = 256, SOBOL_BITS = 32 };

/* Direction numbers of a dimension, from 0: v[SOBOL_BITS], the highest bit first. */
void cps_sobol_directions(int dimension, uint32_t v[SOBOL_BITS]);

/* Coordinate of point i as an integer; over 2^32 it is the coordinate. */
uint32_t cps_sobol(const uint32_t v[SOBOL_BITS], uint64_t i);

/* The table: a primitive polynomial, all of its coefficients as bits, and the first numbers. */
typedef struct sobol_row {
  unsigned short polynomial;
  unsigned short m[11];
} sobol_row;

extern const sobol_row cps_sobol_rows[SOBOL_MOST];

#endif
