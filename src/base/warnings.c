/* warnings.c - see warnings.h. */
#include "warnings.h"
#include "plain_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char lost[] = "a warning is missing here: there was not enough memory for it";

static void add(warning_list *w, const char *text) {
  for (int i = 0; i < w->n; i++)
    if (strcmp(w->text[i], text) == 0) return;
  size_t length = strlen(text) + 1;
  char **more = realloc(w->text, ((size_t)w->n + 1) * sizeof *more), *copy = more ? malloc(length) : NULL;
  if (more) w->text = more;
  if (copy) {
    memcpy(copy, text, length);
    w->text[w->n++] = copy;
  } else {
    w->lost = 1;
  }
}

void cps_warnings_add(warning_list *w, const char *format, va_list args) {
  char text[400];
  cps_format(text, sizeof text, format, args);
  add(w, text);
}

void cps_warnings_copy(warning_list *w, const warning_list *from) {
  for (int i = 0; i < from->n; i++) add(w, from->text[i]);
  w->lost |= from->lost;
}

const char *cps_warnings_at(const warning_list *w, int i) {
  return i >= 0 && i < w->n ? w->text[i] : i == w->n && w->lost ? lost : NULL;
}

void cps_warnings_clear(warning_list *w) {
  for (int i = 0; i < w->n; i++) free(w->text[i]);
  free(w->text);
  *w = (warning_list){0};
}
