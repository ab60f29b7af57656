/* plain_locale.c - numbers with a point, whatever locale the program around the library has chosen.
 *
 * The locale of the thread is changed for the while and put back: other threads, and the program afterwards, see nothing.
 */
#include "plain_locale.h"

#include <locale.h>
#include <stdio.h>

void cps_locale_enter(plain_locale *l) {
  l->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  l->before = l->plain ? uselocale((locale_t)l->plain) : NULL;
}

void cps_locale_leave(plain_locale *l) {
  if (!l->plain) return;
  uselocale((locale_t)l->before);
  freelocale((locale_t)l->plain);
}

int cps_format(char *text, size_t size, const char *format, va_list args) {
  plain_locale l;
  cps_locale_enter(&l);
  int n = vsnprintf(text, size, format, args);
  cps_locale_leave(&l);
  return n;
}
