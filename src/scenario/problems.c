/* problems.c - the list of all that is wrong with a file, and how people read it.
 *
 * A line of the source that is too long for cps_error.source is shown from LEFT characters before the column,
 * behind "..."; since this is decided by the column alone, the caret can be put under the right character
 * without knowing more.
 */
#include "document.h"
#include "plain_locale.h"
#include "plain_text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
  mark at;
  int serial; /* order of discovery */
  cps_error error;
} item;

struct cps_problems {
  int n, room;
  int unseen; /* more than fit */
  item *items;
  item reserve; /* says that memory ran out, when it did */
};

enum {
  LEFT = 60,
  WHOLE = 100
}; /* shown before the column; columns up to which lines are shown from the start */

#define NO_MEMORY_TEXT "there is not enough memory to read this"

/* For when there is not even memory for a list; never changed. */
static cps_problems no_memory_list = {
    .n = 1,
    .items = &no_memory_list.reserve,
    .reserve = {.error = {.status = CPS_NO_MEMORY, .time = NAN, .text = NO_MEMORY_TEXT}}};

cps_problems *cps_problems_new(void) {
  cps_problems *p = calloc(1, sizeof *p);
  return p;
}

cps_problems *cps_problems_no_memory(void) { return &no_memory_list; }

int cps_problems_count(const cps_problems *problems) { return problems ? problems->n : 0; }

const cps_error *cps_problems_at(const cps_problems *problems, int i) {
  return problems && i >= 0 && i < problems->n ? &problems->items[i].error : NULL;
}

void cps_problems_free(cps_problems *problems) {
  if (!problems || problems == &no_memory_list) return;
  if (problems->items != &problems->reserve) free(problems->items);
  free(problems);
}

void cps_problems_out_of_memory(cps_problems *p) {
  if (p->items != &p->reserve) free(p->items);
  memset(&p->reserve, 0, sizeof p->reserve);
  p->reserve.error.status = CPS_NO_MEMORY;
  p->reserve.error.time = NAN;
  snprintf(p->reserve.error.text, sizeof p->reserve.error.text, "%s", NO_MEMORY_TEXT);
  p->items = &p->reserve;
  p->n = p->room = 1;
  p->unseen = 0;
}

int cps_problems_full(const cps_problems *p) { return p->n >= PROBLEMS_COLLECTED; }

/* ------------------------------------------------------------------ adding */

/* Room for one more; NULL if the list is full or there is no memory. */
static item *next_item(document *d) {
  cps_problems *p = d->problems;
  if (p->n == p->room) {
    int room = p->room ? 2 * p->room : 8;
    item *more = realloc(p->items, (size_t)room * sizeof *more);
    if (!more) {
      d->no_memory = 1;
      return NULL;
    }
    p->items = more;
    p->room = room;
  }
  item *i = &p->items[p->n];
  memset(i, 0, sizeof *i);
  i->serial = p->n++;
  i->error.time = NAN;
  return i;
}

/* Length of the character that starts at s, at most `left` bytes: 0 if it is not UTF-8. */
static size_t character(const char *s, size_t left) {
  unsigned char c = (unsigned char)*s;
  size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
  if (n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
  return n;
}

/* Copies characters of a line so that a terminal takes no harm: no control characters, only whole ones. */
static void copy_line(char *out, size_t size, const char *s, size_t length) {
  size_t n = strlen(out);
  while (length > 0) {
    size_t c = character(s, length), used = c ? c : 1;
    if (n + used + 1 > size) break;
    if (c > 1)
      memcpy(out + n, s, c);
    else
      out[n] = (unsigned char)*s == '\t' ? '\t' : !c || (unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s;
    n += used;
    s += used;
    length -= used;
  }
  out[n] = 0;
}

static void show_source(const document *d, mark at, cps_error *e) {
  const source *s = &d->sources[at.source];
  size_t start = s->line[e->line - 1];
  size_t end = e->line < s->n_lines ? s->line[e->line] : s->length;
  while (end > start && (s->text[end - 1] == '\n' || s->text[end - 1] == '\r')) end--;
  if (e->column > WHOLE) {
    size_t i = at.offset < end ? at.offset : end;
    for (int k = 0; k < LEFT && i > start; k++) {
      do i--;
      while (i > start && ((unsigned char)s->text[i] & 0xc0) == 0x80);
    }
    start = i;
    snprintf(e->source, sizeof e->source, "...");
  }
  copy_line(e->source, sizeof e->source, s->text + start, end - start);
}

/* What is going to be shown does nothing to a terminal. */
static void make_plain(cps_error *e) {
  cps_plain_text(e->text, 1);
  cps_plain_text(e->key, 0);
  cps_plain_text(e->file, 0);
  for (char *c = e->source; *c; c++) {
    if (*c == '\t') continue; /* the caret below follows them */
    int n = cps_plain_length(c);
    if (n == 0)
      *c = '?';
    else
      c += n - 1;
  }
}

/* Whether the same has been said of the same place. */
static int said_before(const cps_problems *p, mark at, int once, const char *text) {
  for (int i = 0; i < p->n; i++) {
    const item *k = &p->items[i];
    if (k->at.source == at.source && k->at.offset == at.offset && (once || strcmp(k->error.text, text) == 0))
      return 1;
  }
  return 0;
}

void cps_problem_add(document *d, mark at, const char *path, int once, const char *format, va_list args) {
  if (cps_problems_full(d->problems)) {
    d->problems->unseen++;
    return;
  }
  char text[sizeof((cps_error *)NULL)->text];
  cps_format(text, sizeof text, format, args);
  if (said_before(d->problems, at, once, text)) return;
  item *i = next_item(d);
  if (!i) return;
  i->at = at;
  cps_error *e = &i->error;
  e->status = CPS_BAD_INPUT;
  if (path) snprintf(e->key, sizeof e->key, "%s", path);
  snprintf(e->text, sizeof e->text, "%s", text);
  if (at.source < 0 || at.source >= d->n_sources) return;
  snprintf(e->file, sizeof e->file, "%s", d->sources[at.source].name);
  cps_mark_place(d, at, &e->line, &e->column);
  if (e->line > 0) show_source(d, at, e);
  make_plain(e);
}

void cps_problem(document *d, mark at, const char *path, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_problem_add(d, at, path, 0, format, args);
  va_end(args);
}

void cps_problem_file(document *d, cps_status status, const char *file, const char *why) {
  item *i = next_item(d);
  if (!i) return;
  i->at.source = -1;
  i->error.status = status;
  snprintf(i->error.file, sizeof i->error.file, "%s", file);
  snprintf(i->error.text, sizeof i->error.text, "%s", why);
  make_plain(&i->error);
}

void cps_problem_copy(document *d, const cps_error *e) {
  item *i = cps_problems_full(d->problems) ? NULL : next_item(d);
  if (!i) return;
  i->at.source = INT_MAX;
  i->error = *e;
}

/* ------------------------------------------------------------------ finishing */

static int in_file_order(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->at.source != y->at.source) return x->at.source < y->at.source ? -1 : 1;
  if (x->at.offset != y->at.offset) return x->at.offset < y->at.offset ? -1 : 1;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

void cps_problems_finish(cps_problems *p) {
  if (p->n > 1) qsort(p->items, (size_t)p->n, sizeof *p->items, in_file_order);
  long more = (long)p->n + p->unseen - PROBLEMS_SHOWN;
  if (more <= 1) return;
  /* The last one stands for all that are not shown. */
  p->n = PROBLEMS_SHOWN + 1;
  cps_error *last = &p->items[PROBLEMS_SHOWN].error;
  char file[sizeof last->file];
  snprintf(file, sizeof file, "%s", p->items[0].error.file);
  memset(last, 0, sizeof *last);
  last->status = CPS_BAD_INPUT;
  last->time = NAN;
  snprintf(last->file, sizeof last->file, "%s", file);
  snprintf(last->text, sizeof last->text, "and %ld more problems", more);
}

/* ------------------------------------------------------------------ as text */

/* The caret line: blanks, and tabs where the source has tabs, up to the column. */
static void caret(char *out, size_t size, const cps_error *e) {
  int shown = e->column > WHOLE ? LEFT + 3 : e->column - 1;
  size_t n = 0;
  const char *s = e->source;
  for (int i = 0; i < shown && *s && n + 2 < size; i++) {
    out[n++] = *s == '\t' ? '\t' : ' ';
    size_t c = character(s, strlen(s));
    s += c ? c : 1;
  }
  out[n++] = '^';
  out[n] = 0;
}

int cps_problem_text(const cps_error *e, char *text, size_t size) {
  char place[sizeof e->file + 40] = "", mark_line[sizeof e->source + 4],
                              source_lines[2 * sizeof e->source + 64] = "";
  if (e->file[0] && e->line > 0)
    snprintf(place, sizeof place, "%s:%d:%d: ", e->file, e->line, e->column);
  else if (e->file[0])
    snprintf(place, sizeof place, "%s: ", e->file);
  if (e->source[0] && e->line > 0) {
    caret(mark_line, sizeof mark_line, e);
    snprintf(source_lines, sizeof source_lines, "\n%5d | %s\n      | %s", e->line, e->source, mark_line);
  }
  char when[40] = "";
  if (isfinite(e->time)) cps_print(when, sizeof when, "t = %.9g s: ", e->time);
  return snprintf(text, size, "%s%s%s%s%s%s", place, e->key, e->key[0] ? ": " : "", when, e->text,
                  source_lines);
}
