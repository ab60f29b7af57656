/* warnings.c - see warnings.h. */
#include "warnings.h"
#include "plain_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(warning_list *w, const char *text) {
  for (int i = 0; i < w->n; i++)
    if (strcmp(w->text[i], text) == 0) return;
  char **more = realloc(w->text, ((size_t)w->n + 1) * sizeof *more);
  if (!more) return;
  w->text = more;
  size_t length = strlen(text) + 1;
  char *copy = malloc(length);
  if (!copy) return;
  memcpy(copy, text, length);
  w->text[w->n++] = copy;
}

void cps_warnings_add(warning_list *w, const char *format, va_list args) {
  char text[400];
  cps_format(text, sizeof text, format, args);
  add(w, text);
}

void cps_warnings_copy(warning_list *w, const warning_list *from) {
  for (int i = 0; i < from->n; i++) add(w, from->text[i]);
}

const char *cps_warnings_at(const warning_list *w, int i) { return i >= 0 && i < w->n ? w->text[i] : NULL; }

void cps_warnings_clear(warning_list *w) {
  for (int i = 0; i < w->n; i++) free(w->text[i]);
  free(w->text);
  *w = (warning_list){NULL, 0};
}
