/* base.c - version, errors, words. */
#include "internal.h"
#include "plain_locale.h"
#include "plain_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)

const char *cps_version(void) {
  return NUMBER(CPS_VERSION_MAJOR) "." NUMBER(CPS_VERSION_MINOR) "." NUMBER(CPS_VERSION_PATCH);
}

void cps_free(void *memory) { free(memory); }

const char *cps_status_name(cps_status status) {
  switch (status) {
  case CPS_OK:
    return "ok";
  case CPS_FAILED:
    return "failed";
  case CPS_BAD_INPUT:
    return "bad input";
  case CPS_IO:
    return "input/output error";
  case CPS_NO_MEMORY:
    return "out of memory";
  }
  return "unknown status";
}

cps_status cps_error_set(cps_error *err, cps_status status, const char *key, const char *format, ...) {
  if (!err) return status;
  memset(err, 0, sizeof *err);
  err->status = status;
  err->time = NAN;
  if (key) snprintf(err->key, sizeof err->key, "%s", key);
  va_list args;
  va_start(args, format);
  cps_format(err->text, sizeof err->text, format, args);
  va_end(args);
  /* it may quote anything, and is going to be shown */
  cps_plain_text(err->text, 1);
  cps_plain_text(err->key, 0);
  return status;
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* Optimal string alignment, in three rows of the table. */
int cps_edit_distance(const char *a, const char *b) {
  enum { MOST = 48 };
  int rows[3][MOST + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  char x[MOST] = "", y[MOST] = "";
  int m = 0, n = 0;
  for (; m < MOST && a[m]; m++) x[m] = lower(a[m]);
  for (; n < MOST && b[n]; n++) y[n] = lower(b[n]);
  for (int j = 0; j <= n; j++) last[j] = before[j] = j;
  for (int i = 0; i < m; i++) {
    row[0] = i + 1;
    for (int j = 0; j < n; j++) {
      int best = last[j] + (x[i] != y[j]);
      if (last[j + 1] + 1 < best) best = last[j + 1] + 1;
      if (row[j] + 1 < best) best = row[j] + 1;
      int swapped = i > 0 && j > 0 && x[i] == y[j - 1] && x[i - 1] == y[j];
      if (swapped && before[j - 1] + 1 < best) best = before[j - 1] + 1;
      row[j + 1] = best;
    }
    int *oldest = before;
    before = last;
    last = row;
    row = oldest;
  }
  return last[n];
}

int cps_in_words(const char *words, const char *name) {
  size_t n = strlen(name);
  while (words && *words) {
    size_t w = strcspn(words, " ");
    if (w == n && memcmp(words, name, n) == 0) return 1;
    words += w;
    words += strspn(words, " ");
  }
  return 0;
}
