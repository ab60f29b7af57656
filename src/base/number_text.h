/* number_text.h - numbers as text. */
#ifndef CPS_NUMBER_TEXT_H
#define CPS_NUMBER_TEXT_H

#include <stddef.h>

enum { NUMBER_TEXT = 32 };

/* The shortest of %.15g, %.16g and %.17g that reads back as the same double, in text[size], size >= NUMBER_TEXT. Returns its
 * length. */
int cps_number_shortest(char *text, size_t size, double value);

#endif
