/* document.c - texts, places in them, memory and names: see document.h. */
#include "document.h"

#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ memory */

/* With the sanitizer every piece is a block of its own, so that it sees where pieces end. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#endif
#ifdef SANITIZED
enum { BLOCK_SIZE = 1 };
#else
enum { BLOCK_SIZE = 64 << 10 };
#endif

struct arena_block {
  arena_block *next;
  size_t used, size;
  max_align_t data[];
};

int cps_document_start(document *d) {
  memset(d, 0, sizeof *d);
  d->problems = cps_problems_new();
  return d->problems != NULL;
}

int cps_document_begin(document *d, cps_problems **problems) {
  if (problems) *problems = NULL;
  if (cps_document_start(d)) return 1;
  if (problems) *problems = cps_problems_no_memory();
  return 0;
}

char *cps_document_file(document *d, const char *path, size_t *length) {
  char why[80] = "there is no file name";
  char *text = path ? cps_file_read(d, path, 0, length, why, sizeof why) : NULL;
  if (!text && !d->no_memory) cps_problem_file(d, CPS_IO, path ? path : "", why);
  return text;
}

char *cps_text_copy(document *d, const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) {
    d->no_memory = 1;
    return NULL;
  }
  if (length > 0) memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char *cps_text_copy_of(document *d, const char *text) { return cps_text_copy(d, text, strlen(text)); }

int cps_document_start_from(document *d, const document *base) {
  if (!cps_document_start(d)) return 0;
  d->room = base->n_sources + 8;
  d->sources = malloc((size_t)d->room * sizeof *d->sources);
  if (!d->sources) return 0;
  memcpy(d->sources, base->sources, (size_t)base->n_sources * sizeof *d->sources);
  d->n_sources = d->n_borrowed = base->n_sources;
  d->nodes = base->nodes;
  return 1;
}

void cps_document_end(document *d) {
  for (int i = d->n_borrowed; i < d->n_sources; i++) {
    free(d->sources[i].text);
    free(d->sources[i].line);
  }
  free(d->sources);
  while (d->arena) {
    arena_block *next = d->arena->next;
    free(d->arena);
    d->arena = next;
  }
  memset(d, 0, sizeof *d);
}

void *cps_document_alloc(document *d, size_t size) {
  size_t align = sizeof(max_align_t);
  size = (size + align - 1) / align * align;
  arena_block *b = d->arena;
  if (!b || b->size - b->used < size) {
    size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    arena_block *fresh = d->no_memory ? NULL : malloc(sizeof *fresh + room);
    if (!fresh) {
      d->no_memory = 1;
      return NULL;
    }
    fresh->used = 0;
    fresh->size = room;
    /* A large piece goes behind the current block, whose rest stays in use. */
    if (b && size > BLOCK_SIZE / 4) {
      fresh->next = b->next;
      b->next = fresh;
    } else {
      fresh->next = b;
      d->arena = fresh;
    }
    b = fresh;
  }
  void *p = (char *)b->data + b->used;
  b->used += size;
  return p;
}

char *cps_document_text(document *d, const char *text, size_t length) {
  char *copy = cps_document_alloc(d, length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

/* ------------------------------------------------------------------ texts */

const char *cps_document_folder(document *d, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? cps_document_text(d, path, (size_t)(slash - path) + 1) : "";
}

/* Whether a line ends after this character: at a line feed, or at a carriage return of its own. */
static int ends_line(const char *text, size_t length, size_t i) {
  return text[i] == '\n' || (text[i] == '\r' && (i + 1 == length || text[i + 1] != '\n'));
}

static int find_lines(source *s) {
  int n = 1;
  for (size_t i = 0; i < s->length; i++) n += ends_line(s->text, s->length, i);
  s->line = malloc((size_t)n * sizeof *s->line);
  if (!s->line) return 0;
  s->line[0] = 0;
  s->n_lines = 1;
  for (size_t i = 0; i < s->length; i++)
    if (ends_line(s->text, s->length, i)) s->line[s->n_lines++] = (unsigned)i + 1;
  return 1;
}

int cps_document_add(document *d, const char *name, const char *folder, char *text, size_t length) {
  source s = {.text = text, .length = length, .folder = folder};
  s.name = cps_document_text(d, name, strlen(name));
  if (s.name && d->n_sources == d->room) {
    int room = d->room ? 2 * d->room : 8;
    source *more = realloc(d->sources, (size_t)room * sizeof *more);
    if (more) {
      d->sources = more;
      d->room = room;
    }
  }
  if (!s.name || !s.folder || d->n_sources == d->room || !find_lines(&s)) {
    free(text);
    d->no_memory = 1;
    return -1;
  }
  d->sources[d->n_sources] = s;
  return d->n_sources++;
}

static const char *reason(int error) {
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return "there is no such file";
  case EACCES:
  case EPERM:
    return "reading it is not permitted";
  case EISDIR:
    return "it is a folder, not a file";
  default:
    return "it cannot be read";
  }
}

/* Reads up to the end or one byte beyond the limit. */
static char *read_all(FILE *file, size_t *length) {
  size_t room = 1 << 16, n = 0;
  char *text = malloc(room + 1);
  while (text) {
    n += fread(text + n, 1, room - n, file);
    if (n < room || n > TEXT_MOST) break;
    char *more = realloc(text, 2 * room + 1);
    if (!more) free(text);
    text = more;
    room *= 2;
  }
  if (text) text[n] = 0;
  *length = n;
  return text;
}

char *cps_file_read(document *d, const char *path, int regular_only, size_t *length, char *why, size_t size) {
  struct stat info;
  int error = 0;
  char *text = NULL;
  errno = 0;
  if (stat(path, &info) != 0)
    error = errno ? errno : ENOENT;
  else if (S_ISDIR(info.st_mode))
    error = EISDIR;
  else if (regular_only && !S_ISREG(info.st_mode))
    error = EIO;
  FILE *file = error ? NULL : fopen(path, "rb");
  if (!file && !error) error = errno ? errno : EIO;
  if (file) {
    text = read_all(file, length);
    if (!text) d->no_memory = 1;
    if (text && ferror(file)) {
      error = errno == EISDIR ? EISDIR : EIO;
      free(text);
      text = NULL;
    }
    fclose(file);
  }
  if (text && *length > TEXT_MOST) {
    free(text);
    snprintf(why, size, "it is larger than %d MB", TEXT_MOST >> 20);
    return NULL;
  }
  if (!text) snprintf(why, size, "%s", reason(error));
  return text;
}

/* ------------------------------------------------------------------ places */

/* Characters are counted up to here in a line and bytes beyond, so that a file of one line stays cheap. */
enum { COUNTED = 4096 };

static int is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

void cps_mark_place(const document *d, mark at, int *line, int *column) {
  *line = *column = 0;
  if (at.source < 0 || at.source >= d->n_sources) return;
  const source *s = &d->sources[at.source];
  int lo = 0, hi = s->n_lines - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1) / 2;
    if (s->line[mid] <= at.offset)
      lo = mid;
    else
      hi = mid - 1;
  }
  unsigned end = at.offset < s->length ? at.offset : (unsigned)s->length;
  unsigned start = s->line[lo], counted = end - start > COUNTED ? start + COUNTED : end;
  int n = 0;
  for (unsigned i = start; i < counted; i++) n += !is_continuation(s->text[i]);
  *line = lo + 1;
  *column = n + (int)(end - counted) + 1;
}

unsigned cps_mark_offset(const document *d, int source_index, int line, int column) {
  const source *s = &d->sources[source_index];
  if (line < 1) return 0;
  if (line > s->n_lines) return (unsigned)s->length;
  unsigned i = s->line[line - 1];
  unsigned end = line < s->n_lines ? s->line[line] : (unsigned)s->length;
  while (i < end && column > 1) {
    do i++;
    while (i < end && is_continuation(s->text[i]));
    column--;
  }
  /* Not past the line's own end. */
  unsigned start = s->line[line - 1];
  while (i > start && i == end && line < s->n_lines) i--;
  return i;
}

/* ------------------------------------------------------------------ names */

struct name_slot {
  const char *name;
  int value;
};

static unsigned hash(const char *name) {
  unsigned h = 2166136261u;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
  return h;
}

/* The slot of a name, or the free one where it would go. The room is a power of two and never full. */
static struct name_slot *slot_of(const name_index *x, const char *name) {
  unsigned i = hash(name);
  for (;; i++) {
    struct name_slot *slot = &x->slots[i & (unsigned)(x->room - 1)];
    if (!slot->name || strcmp(slot->name, name) == 0) return slot;
  }
}

static int enlarge(name_index *x) {
  name_index more = {.room = x->room ? 2 * x->room : 64, .n = x->n};
  more.slots = calloc((size_t)more.room, sizeof *more.slots);
  if (!more.slots) return 0;
  for (int i = 0; i < x->room; i++)
    if (x->slots[i].name) *slot_of(&more, x->slots[i].name) = x->slots[i];
  free(x->slots);
  *x = more;
  return 1;
}

int cps_index_put(name_index *x, const char *name, int value) {
  if (2 * x->n >= x->room && !enlarge(x)) return 0;
  struct name_slot *slot = slot_of(x, name);
  if (!slot->name) x->n++;
  slot->name = name;
  slot->value = value;
  return 1;
}

int cps_index_get(const name_index *x, const char *name) {
  if (!x->room) return -1;
  const struct name_slot *slot = slot_of(x, name);
  return slot->name ? slot->value : -1;
}

void cps_index_free(name_index *x) {
  free(x->slots);
  memset(x, 0, sizeof *x);
}

/* More candidates than this are not looked at: the answer must come at once. */
enum { OFFERS_MOST = 2000 };

void cps_nearest_offer(nearest_name *n, const char *candidate) {
  if (n->offers++ > OFFERS_MOST) return;
  int distance = cps_edit_distance(n->word, candidate);
  size_t a = strlen(n->word), b = strlen(candidate);
  int longest = (int)(a > b ? (a < 40 ? a : 40) : b < 40 ? b : 40);
  /* A word that shares hardly a letter is no help. */
  if (2 * distance > longest) return;
  if (n->best && distance >= n->distance) return;
  n->best = candidate;
  n->distance = distance;
}

const char *cps_nearest_hint(const nearest_name *n, const char *otherwise, char out[HINT_SIZE]) {
  if (!n->best) return otherwise;
  snprintf(out, HINT_SIZE, "; did you mean \"%.64s\"?", n->best);
  return out;
}

const char *cps_quote(char out[QUOTE_SIZE], const char *text) {
  enum { SHOWN = 48 };
  int n = 0;
  out[n++] = '"';
  for (; *text && n < SHOWN; text++) {
    unsigned char c = (unsigned char)*text;
    out[n++] = c < 0x20 || c == 0x7f ? ' ' : *text;
  }
  if (*text) {
    /* Do not cut a character in two. */
    while (n > 1 && is_continuation(out[n - 1])) n--;
    if (n > 1 && (unsigned char)out[n - 1] >= 0xc0) n--;
    memcpy(out + n, "...", 3);
    n += 3;
  }
  out[n++] = '"';
  out[n] = 0;
  return out;
}
