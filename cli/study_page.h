/* study_page.h - a study as one HTML page: failures, worst cases, distributions, sensitivity, convergence; no network needed. */
#ifndef STUDY_PAGE_H
#define STUDY_PAGE_H

#include "report_pack.h"
#include "study_table.h"

/* Writes the page about the table in an SQLite file, "-" being standard output. `named`: somebody gave the page's name; otherwise a link
 * in its place is replaced. Complains and returns an exit status. */
int study_page_write(const char *where, const char *table, const char *page, int named);

/* Prints what the page says in numbers as one JSON document. */
int study_page_json(const char *where, const char *table, FILE *out);

/* For a page that follows a study (watch.h): the page, and what it is sent. */
bytes study_page_live(void);

typedef struct study_page_state {
  const char *table;         /* the SQLite file; or, of a search, */
  const study_table *memory; /* the table itself, NULL of a file */
  const char *status;        /* "running", "complete" or "stopped"; NULL: as the file says */
  double done, wanted, wall; /* points, and seconds so far */
} study_page_state;

void study_page_encode(const void *state, bytes *out);

#endif
