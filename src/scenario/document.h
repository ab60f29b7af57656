/* document.h - one reading of a scenario: its texts, its memory, and all that is wrong with it.
 *
 * Whatever lives only while a file is read comes from one arena and is freed at once. A place is a text and
 * an offset into it; line and column are worked out on demand. When memory runs out, `no_memory` is
 * set and stays set: callers only have to stop touching what they did not get.
 */
#ifndef CPS_DOCUMENT_H
#define CPS_DOCUMENT_H

#include "capstan.h"

#include <stdarg.h>

enum {
  TEXT_MOST = 64 << 20,     /* largest file [bytes] */
  SOURCES_MOST = 2000,      /* files and settings of one scenario */
  NODES_MOST = 4000000,     /* values in the tree, after merging and repeating */
  PROBLEMS_SHOWN = 50,      /* then "and N more" */
  PROBLEMS_COLLECTED = 1000 /* from which the first ones in file order are shown */
};

/* A place in a text. */
typedef struct mark {
  int source;
  unsigned offset;
} mark;

/* A text that problems can point into: a file, a setting, data. */
typedef struct source {
  const char *name;   /* as messages show it */
  const char *folder; /* where relative paths in it start: "" or ends in a slash */
  char *text;         /* owned, with a zero at the end */
  size_t length;
  unsigned *line; /* owned: where each line starts */
  int n_lines;
  int unread; /* data of another reading that this one has not asked for: the hash leaves it out */
} source;

typedef struct arena_block arena_block;

typedef struct document {
  source *sources;
  int n_sources, room;
  int n_borrowed; /* the first of them belong to another document, which has to outlive this one */
  arena_block *arena;
  long nodes; /* made so far */
  cps_problems *problems;
  int no_memory;
} document;

/* Both return 0 if there is not even memory for the list of problems. */
int cps_document_start(document *d);
void cps_document_end(document *d); /* frees all but the problems */

/* The same with a list of problems (NULL: not wanted) that is empty, or says that there was no memory: then 0. */
int cps_document_begin(document *d, cps_problems **problems);
/* A file that a document starts with, to be freed; NULL after a problem, or without memory. */
char *cps_document_file(document *d, const char *path, size_t *length);

/* Copies of texts of their own, to be freed; NULL (and d->no_memory) if there is no memory. */
char *cps_text_copy(document *d, const char *text, size_t length);
char *cps_text_copy_of(document *d, const char *text);

/* Starts a document with the sources of another one; what is read into this one does not change that. 0 if out of memory. */
int cps_document_start_from(document *d, const document *base);

/* Memory that lasts as long as the document; NULL (and d->no_memory) if there is none. */
void *cps_document_alloc(document *d, size_t size);
char *cps_document_text(document *d, const char *text, size_t length);

/* Adds a text, of which it takes ownership even if it fails; returns its index, or -1. */
int cps_document_add(document *d, const char *name, const char *folder, char *text, size_t length);

/* Reads a whole file into memory of its own. Returns NULL and says why in why[size], or sets d->no_memory. */
char *cps_file_read(document *d, const char *path, int regular_only, size_t *length, char *why, size_t size);

/* The folder part of a path, with its slash; "" if there is none. */
const char *cps_document_folder(document *d, const char *path);

/* Line and column of a place, from 1; columns count characters. */
void cps_mark_place(const document *d, mark at, int *line, int *column);

/* The offset of a line and column. */
unsigned cps_mark_offset(const document *d, int source, int line, int column);

/* ------------------------------------------------------------------ problems */

/* Adds a problem. One at the same place is not added again if it says the same or `once` is set. */
void cps_problem_add(document *d, mark at, const char *path, int once, const char *format, va_list args);

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void cps_problem(document *d, mark at, const char *path, const char *format, ...);

/* A problem of a whole file, without a place in it. */
void cps_problem_file(document *d, cps_status status, const char *file, const char *why);

/* A problem of another file that was read on the way, after those of this one. */
void cps_problem_copy(document *d, const cps_error *e);

/* A list that can still be filled; NULL if out of memory. And one that says just that. */
cps_problems *cps_problems_new(void);
cps_problems *cps_problems_no_memory(void);

/* Sorts into file order, keeps the first PROBLEMS_SHOWN, and counts the others in a last one. */
void cps_problems_finish(cps_problems *problems);

/* Makes the list say that memory ran out, and nothing else. */
void cps_problems_out_of_memory(cps_problems *problems);

/* Whether so many were found that finding good words for more is a waste. */
int cps_problems_full(const cps_problems *problems);

/* ------------------------------------------------------------------ names */

/* From names to numbers; the names must outlive it. */
typedef struct name_index {
  struct name_slot *slots;
  int room, n;
} name_index;

/* Enters a name, or gives it a new value; 0 if out of memory. */
int cps_index_put(name_index *index, const char *name, int value);
int cps_index_get(const name_index *index, const char *name); /* -1 if it is not in there */
void cps_index_free(name_index *index);

/* The name nearest to a misspelt one: offer candidates, then read `best`; NULL if none comes near. */
typedef struct nearest_name {
  const char *word;
  const char *best;
  int distance;
  int offers;
} nearest_name;

void cps_nearest_offer(nearest_name *n, const char *candidate);

/* `; did you mean "block"?`, or what is to be said otherwise. */
enum { HINT_SIZE = 96 };
const char *cps_nearest_hint(const nearest_name *n, const char *otherwise, char out[HINT_SIZE]);

/* Writes found text for a message: in quotes, without control characters, cut where it is long. */
enum { QUOTE_SIZE = 64 };
const char *cps_quote(char out[QUOTE_SIZE], const char *text);

#endif
