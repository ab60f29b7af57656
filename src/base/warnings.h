/* warnings.h - sentences for people, each once. */
#ifndef CPS_WARNINGS_H
#define CPS_WARNINGS_H

#include <stdarg.h>

typedef struct warning_list {
  char **text; /* owned */
  int n;
  int lost; /* there was no memory for one or more: the last sentence says so */
} warning_list;

/* Adds one, unless it is there already. */
void cps_warnings_add(warning_list *w, const char *format, va_list args);
/* Adds all of another list. */
void cps_warnings_copy(warning_list *w, const warning_list *from);
/* The i-th; NULL past the last. */
const char *cps_warnings_at(const warning_list *w, int i);
void cps_warnings_clear(warning_list *w); /* frees all */

#endif
