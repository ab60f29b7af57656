/* plain_locale.h - numbers with a point, whatever locale the program around the library has chosen. */
#ifndef CPS_PLAIN_LOCALE_H
#define CPS_PLAIN_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

/* The locale in which numbers have a point, for this thread and a while; and vsnprintf in it. */
typedef struct plain_locale {
  void *plain, *before;
  int own; /* whether the thread had a locale of its own; only used where that is to be asked */
} plain_locale;
void cps_locale_enter(plain_locale *l);
void cps_locale_leave(plain_locale *l);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
int cps_format(char *text, size_t size, const char *format, va_list args);

/* snprintf in it. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int cps_print(char *text, size_t size, const char *format, ...);

#endif
