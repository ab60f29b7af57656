/* reproduce_doc.h - the rows and figures of `capstan reproduce` as a page of documentation. */
#ifndef REPRODUCE_DOC_H
#define REPRODUCE_DOC_H

#include "reproduce.h"

/* Writes the page, and its figures into a folder beside it that has its name without the ending. study_at
 * enumerates the studies. Returns an exit status. */
int verification_write(const char *where, const char *path, const reproduction *r,
                       const study *(*study_at)(int));

/* A value with so many significant digits; "-" if it is not known. */
void value_text(char *text, size_t size, double value, int digits);

/* What is allowed: "1e-8 rel.", "5e-7 abs.", "at least". */
void allowed_text(char *text, size_t size, const row *x);

#endif
