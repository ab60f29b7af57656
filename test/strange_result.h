/* strange_result.h - a result file changed by HDF5 itself, so that it stays one: another shape, type or kind in the place of a
 * dataset or an attribute, storage or links that lead to another file. For mutate_result.c and fuzz/fuzz_result.c. */
#ifndef STRANGE_RESULT_H
#define STRANGE_RESULT_H

#include <stdint.h>

/* Where choices come from: numbers at random, or the bytes of a fuzzer. */
typedef struct strange_source {
  uint32_t (*next)(void *from);
  void *from;
  int largest; /* a dataset may be told to have up to 2^largest entries; HDF5 then may ask for as much memory */
} strange_source;

void cps_strange_use(strange_source *source);
uint32_t cps_strange_below(uint32_t n); /* 0 .. n - 1 */

/* Changes some objects of a file. */
void cps_strange_change(const char *name, const char *victim);

#endif
