/* json.c - see json.h. */
#include "json.h"

#include "capstan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json json_start(FILE *out) {
  json w = {.out = out};
  return w;
}

void json_end(json *w) {
  assert(w->depth == 0);
  fputc('\n', w->out);
}

/* Text between quotes. Bytes of UTF-8 pass through. */
static void quote(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    switch (*c) {
    case '"':
      fputs("\\\"", out);
      break;
    case '\\':
      fputs("\\\\", out);
      break;
    case '\n':
      fputs("\\n", out);
      break;
    case '\t':
      fputs("\\t", out);
      break;
    default:
      if (*c < 0x20 || *c == 0x7f)
        fprintf(out, "\\u%04x", *c);
      else
        fputc(*c, out);
    }
  }
  fputc('"', out);
}

/* What stands before a value: comma, new line, key. */
static void lead(json *w, const char *key) {
  if (w->depth > 0) {
    int flat = w->flat && w->depth >= w->flat;
    int *count = &w->count[w->depth - 1];
    if (*count) fputs(flat ? ", " : ",", w->out);
    if (!flat) fprintf(w->out, "\n%*s", 2 * w->depth, "");
    (*count)++;
  }
  if (key) {
    quote(w->out, key);
    fputs(": ", w->out);
  }
}

void json_open(json *w, const char *key, char bracket) {
  assert(w->depth < JSON_DEPTH);
  lead(w, key);
  fputc(bracket, w->out);
  w->closing[w->depth] = bracket == '{' ? '}' : ']';
  w->count[w->depth++] = 0;
}

void json_open_flat(json *w, const char *key, char bracket) {
  json_open(w, key, bracket);
  if (!w->flat) w->flat = w->depth;
}

void json_close(json *w) {
  assert(w->depth > 0);
  int flat = w->flat && w->depth >= w->flat;
  if (w->flat == w->depth) w->flat = 0;
  w->depth--;
  if (!flat && w->count[w->depth]) fprintf(w->out, "\n%*s", 2 * w->depth, "");
  fputc(w->closing[w->depth], w->out);
}

void json_text(json *w, const char *key, const char *text) {
  lead(w, key);
  if (text)
    quote(w->out, text);
  else
    fputs("null", w->out);
}

void shortest_number(char *text, size_t size, double value) { cps_number_shortest(text, size, value); }

void json_raw(json *w, const char *key, const char *text, size_t length) {
  lead(w, key);
  fwrite(text, 1, length, w->out);
}

void json_number(json *w, const char *key, double value) {
  lead(w, key);
  if (!isfinite(value)) {
    fputs("null", w->out);
    return;
  }
  char text[40];
  shortest_number(text, sizeof text, value);
  fputs(text, w->out);
}

void json_int(json *w, const char *key, int value) {
  lead(w, key);
  fprintf(w->out, "%d", value);
}

void json_bool(json *w, const char *key, int value) {
  lead(w, key);
  fputs(value ? "true" : "false", w->out);
}
