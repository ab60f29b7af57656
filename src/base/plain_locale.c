/* plain_locale.c - numbers with a point, whatever locale the program around the library has chosen.
 *
 * The locale of the thread is changed for the while and put back: other threads, and the program afterwards, see nothing.
 */
#include "plain_locale.h"

#include <locale.h>
#include <stdio.h>

#if defined(_WIN32)
#include <stdlib.h>
#include <string.h>

/* Threads have locales of their own there as long as they want to. */
void cps_locale_enter(plain_locale *l) {
  l->own = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
  const char *name = setlocale(LC_NUMERIC, NULL);
  l->before = name ? strdup(name) : NULL;
  setlocale(LC_NUMERIC, "C");
}

void cps_locale_leave(plain_locale *l) {
  if (l->before) setlocale(LC_NUMERIC, l->before);
  free(l->before);
  _configthreadlocale(l->own);
}
#else
#if defined(__APPLE__)
#include <xlocale.h>
#endif

void cps_locale_enter(plain_locale *l) {
  l->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  l->before = l->plain ? uselocale((locale_t)l->plain) : NULL;
}

void cps_locale_leave(plain_locale *l) {
  if (!l->plain) return;
  uselocale((locale_t)l->before);
  freelocale((locale_t)l->plain);
}
#endif

int cps_format(char *text, size_t size, const char *format, va_list args) {
  plain_locale l;
  cps_locale_enter(&l);
  int n = vsnprintf(text, size, format, args);
  cps_locale_leave(&l);
  return n;
}

int cps_print(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = cps_format(text, size, format, args);
  va_end(args);
  return n;
}
