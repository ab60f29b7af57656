/* study_table.h - the table of a study, read from its SQLite file: columns of numbers, a row a point.
 *
 * A file comes from anywhere: it is opened for reading only, and names and texts in it are shown, never trusted.
 */
#ifndef STUDY_TABLE_H
#define STUDY_TABLE_H

#include "capstan.h"

#include <stdio.h>

typedef enum study_point_status { POINT_OK, POINT_LIMIT, POINT_FAILED } study_point_status;

typedef struct study_table_column {
  char *name, *kind, *unit, *path; /* owned; kind is "parameter", "output" or "gradient" */
  double low, high;                /* range of a parameter, limits of an output; NaN: none */
  double *x;                       /* owned [n]; NaN where there is none; of variants: indices into word */
  char **word;                     /* owned [n_words]: names of variants; NULL of numbers */
  int n_words;
} study_table_column;

typedef struct study_table {
  char *file; /* owned */
  int n_columns;
  study_table_column *column;
  long n;
  long long *point; /* [n] ascending */
  unsigned char *status;
  char **message; /* owned; NULL where there is none */
  double *seconds, *steps, *iterations, *rejected;
  int n_keys;
  char **key, **value; /* owned: what the file says of the study */
} study_table;

/* Reads a file; NULL with an error if it is no study, or cannot be read. `live`: somebody may be writing it. */
study_table *study_table_read(const char *file, int live, cps_error *error);
void study_table_free(study_table *t);

/* For tables that are made and not read: room for so many points, and an end of all that one owns. */
void study_table_room(study_table *t, long points);
void study_table_clear(study_table *t);

/* Whether a file is an SQLite file, by its first bytes. */
int study_table_is(const char *file);

/* What the file says under a key; NULL if nothing. And as a number; NaN if it is none. */
const char *study_table_text(const study_table *t, const char *key);
double study_table_number(const study_table *t, const char *key);

/* Columns of a kind: their indices into at[n_columns]; returns how many. */
int study_table_kind(const study_table *t, const char *kind, int *at);
/* The column with a name; -1 if there is none. */
int study_table_find(const study_table *t, const char *name);

/* The command that computes the i-th point of the table again; the caller's to free. */
char *study_table_command(const study_table *t, long i);

#endif
