/* internal.h - what the files of the library share and do not show. */
#ifndef CPS_INTERNAL_H
#define CPS_INTERNAL_H

#include "capstan.h"
#include "processor.h"

/* Fills *err (unless NULL) and returns status; the text is formatted as by printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
cps_status
cps_error_set(cps_error *err, cps_status status, const char *key, const char *format, ...);

/* What the last digits of results depend on, besides the scenario: the library's sources, the compiler with its
 * flags, and the instructions that this processor has. */
const char *cps_build_identity(void);

/* Least number of insertions, deletions, replacements and swaps that turn one word into the other. */

/* Whether `name` is one of the blank-separated words; NULL has none. */
int cps_in_words(const char *words, const char *name);

/* Elastic energy at a depth: the integral of the normal force at rest. */
double cps_normal_energy(const cps_normal *law, const double *p, double depth);

/* cps_normal_eval without derivatives by parameters, for those who need none: a logarithm less. */
void cps_normal_force(const cps_normal *law, const double *p, double depth, double rate,
                      cps_normal_output *out);

#endif
