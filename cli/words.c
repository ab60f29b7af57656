/* words.c - complaints, nearest words and numbers: the small things that all commands need. */
#include "cli.h"

#include "capstan.h"
#include "json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *where, const char *format, ...) {
  char text[4 * 4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  /* it may quote names of files and texts of strangers; lines are those of the format */
  cps_plain_text(text, strchr(format, '\n') != NULL);
  fprintf(stderr, "capstan%s%s: %s\n", where ? " " : "", where ? where : "", text);
}

const char *shown_name(const char *text) {
  enum { ROOM = 4096, AT_ONCE = 4 };
  static char room[AT_ONCE][ROOM];
  static int next;
  char *copy = room[next++ % AT_ONCE];
  snprintf(copy, ROOM, "%s", text ? text : "");
  cps_plain_text(copy, 0);
  return copy;
}

void append(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  if (used + 1 >= size) return;
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

void nearest_offer(nearest *n, const char *candidate) {
  size_t a = strlen(n->word), b = strlen(candidate);
  int d = cps_edit_distance(n->word, candidate);
  /* A whole word inside a longer name is what people remember of it. */
  int part = (a > 2 && strstr(candidate, n->word)) || (b > 2 && strstr(n->word, candidate));
  if (part && d > 2) d = 2;
  if (n->best && d >= n->distance) return;
  n->best = candidate;
  n->distance = d;
}

void nearest_offer_words(nearest *n, const char *words, char *room, size_t size) {
  while (words && *words) {
    size_t length = strcspn(words, " ");
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, words);
    const char *before = n->best;
    nearest_offer(n, word);
    if (n->best != before) {
      snprintf(room, size, "%s", word);
      n->best = room;
    }
    words += length;
    words += strspn(words, " ");
  }
}

int read_number(const char *text, double *value) {
  /* strtod also takes blanks, "nan", "inf" and hexadecimal: none of them is meant by anyone here. */
  if (text[strspn(text, "0123456789+-.eE")] != 0) return 0;
  char *end;
  double x = strtod(text, &end);
  if (end == text || *end || !isfinite(x)) return 0;
  *value = x;
  return 1;
}

void number_text(char *text, size_t size, double value) {
  char plain[40], power[40];
  shortest_number(plain, sizeof plain, value);
  for (int digits = 0; digits <= 16; digits++) {
    snprintf(power, sizeof power, "%.*e", digits, value);
    if (strtod(power, NULL) == value) break;
  }
  char *e = strchr(power, 'e');
  if (strchr(plain, 'e') || (e && strlen(plain) > (size_t)(e - power) + 3)) {
    long exponent = e ? strtol(e + 1, NULL, 10) : 0;
    if (e) *e = 0;
    snprintf(text, size, "%se%ld", power, exponent);
  } else {
    snprintf(text, size, "%s", plain);
  }
}

static void (*last_thing)(void);

void before_out_of_memory(void (*call)(void)) { last_thing = call; }

/* Libraries that would tidy up at the end need memory for it. */
_Noreturn void out_of_memory(void) {
  if (last_thing) last_thing();
  complain(NULL, "out of memory");
  fflush(stdout);
  _Exit(STATUS_FAILED);
}

void *grow(void *block, size_t count, size_t size) {
  void *p = count <= (size_t)-1 / size ? realloc(block, count * size) : NULL;
  if (p) return p;
  out_of_memory();
}
