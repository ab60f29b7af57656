/* study_table.c - see study_table.h. */
#include "study_table.h"
#include "cli.h"
#include "input.h"
#include "json.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 2000, WORDS_MOST = 1000 };

#define ROWS_MOST 5e7

static const char *const status_names[] = {"ok", "limit", "failed"};

/* ---------------------------------------------------------------- statements */

typedef struct reading {
  sqlite3 *db;
  sqlite3_stmt *query; /* the one at work */
  study_table *t;
  cps_error *error;
} reading;

static void set_error(cps_error *err, cps_status status, const char *file, const char *text,
                      const char *more) {
  *err = (cps_error){.status = status};
  snprintf(err->text, sizeof err->text, "'%s' %s%s", file, text, more);
}

static int refuse(reading *r, const char *text) {
  set_error(r->error, CPS_BAD_INPUT, r->t->file, text, "");
  return 0;
}

static int refuse_database(reading *r) {
  int code = sqlite3_errcode(r->db);
  int bad = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
  set_error(r->error, bad ? CPS_BAD_INPUT : CPS_IO, r->t->file,
            "cannot be read as the table of a study: ", sqlite3_errmsg(r->db));
  return 0;
}

static int prepare(reading *r, const char *text) {
  sqlite3_finalize(r->query);
  r->query = NULL;
  return sqlite3_prepare_v2(r->db, text, -1, &r->query, NULL) == SQLITE_OK || refuse_database(r);
}

/* 1: a row, 0: no more, -1: an error that was noted. */
static int next_row(reading *r) {
  int code = sqlite3_step(r->query);
  if (code == SQLITE_ROW) return 1;
  if (code == SQLITE_DONE) return 0;
  refuse_database(r);
  return -1;
}

static char *copy_of(const char *text) {
  size_t n = strlen(text) + 1;
  return (char *)memcpy(grow(NULL, n, 1), text, n);
}

/* A text of the row; what could act on a terminal is taken out. */
static char *text_at(const reading *r, int i, int lines) {
  const char *text = (const char *)sqlite3_column_text(r->query, i);
  char *copy = copy_of(text ? text : "");
  cps_plain_text(copy, lines);
  return copy;
}

static double number_at(const reading *r, int i) {
  int type = sqlite3_column_type(r->query, i);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(r->query, i) : NAN;
}

/* ---------------------------------------------------------------- the three tables */

static int read_keys(reading *r) {
  study_table *t = r->t;
  int row;
  if (!prepare(r, "SELECT key, value FROM study")) return 0;
  while ((row = next_row(r)) > 0) {
    t->key = (char **)grow((void *)t->key, (size_t)t->n_keys + 1, sizeof *t->key);
    t->value = (char **)grow((void *)t->value, (size_t)t->n_keys + 1, sizeof *t->value);
    t->key[t->n_keys] = text_at(r, 0, 0);
    t->value[t->n_keys++] = text_at(r, 1, 1);
  }
  return row == 0;
}

static int is_shown(const char *kind) {
  return strcmp(kind, "parameter") == 0 || strcmp(kind, "output") == 0 || strcmp(kind, "gradient") == 0;
}

static int read_columns(reading *r) {
  study_table *t = r->t;
  int row;
  if (!prepare(r, "SELECT name, kind, unit, path, low, high FROM columns")) return 0;
  while ((row = next_row(r)) > 0) {
    const char *kind = (const char *)sqlite3_column_text(r->query, 1);
    if (!kind || !is_shown(kind)) continue;
    if (t->n_columns == COLUMNS_MOST) return refuse(r, "has more columns than a page can show");
    t->column = (study_table_column *)grow(t->column, (size_t)t->n_columns + 1, sizeof *t->column);
    study_table_column *c = &t->column[t->n_columns++];
    *c = (study_table_column){.kind = copy_of(kind), .unit = text_at(r, 2, 0), .path = text_at(r, 3, 0)};
    const char *name = (const char *)sqlite3_column_text(r->query, 0); /* as it is, to ask for it */
    c->name = copy_of(name ? name : "");
    c->low = number_at(r, 4);
    c->high = number_at(r, 5);
  }
  return row == 0;
}

/* Index of a variant among the words of a column; a new one is added. */
static double word_index(study_table_column *c, const char *text) {
  for (int k = 0; k < c->n_words; k++)
    if (strcmp(c->word[k], text) == 0) return k;
  if (c->n_words == WORDS_MOST) return NAN;
  c->word = (char **)grow((void *)c->word, (size_t)c->n_words + 1, sizeof *c->word);
  c->word[c->n_words] = copy_of(text);
  return c->n_words++;
}

static double value_at(const reading *r, study_table_column *c, int i) {
  if (sqlite3_column_type(r->query, i) != SQLITE_TEXT) return number_at(r, i);
  char *text = text_at(r, i, 0);
  double index = word_index(c, text);
  free(text);
  return index;
}

static unsigned char status_at(const reading *r, int i) {
  const char *text = (const char *)sqlite3_column_text(r->query, i);
  for (unsigned char k = 0; text && k < 3; k++)
    if (strcmp(text, status_names[k]) == 0) return k;
  return POINT_FAILED;
}

/* "SELECT point, ... FROM points": names are quoted as SQL wants it. */
static char *select_text(const study_table *t) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = text_open(&text, &size);
  if (!out) return NULL;
  fputs("SELECT point, status, message, seconds, steps, iterations, rejected", out);
  for (int i = 0; i < t->n_columns; i++) {
    fputs(", \"", out);
    for (const char *c = t->column[i].name; *c; c++) {
      if (*c == '"') fputc('"', out);
      fputc(*c, out);
    }
    fputc('"', out);
  }
  fputs(" FROM points ORDER BY point", out);
  text_close(out, &text);
  return text;
}

void study_table_room(study_table *t, long room) {
  size_t n = (size_t)room;
  t->point = (long long *)grow(t->point, n, sizeof *t->point);
  t->status = (unsigned char *)grow(t->status, n, 1);
  t->message = (char **)grow((void *)t->message, n, sizeof *t->message);
  double **all[] = {&t->seconds, &t->steps, &t->iterations, &t->rejected};
  for (int k = 0; k < 4; k++) *all[k] = (double *)grow(*all[k], n, sizeof(double));
  for (int i = 0; i < t->n_columns; i++) t->column[i].x = (double *)grow(t->column[i].x, n, sizeof(double));
}

static int read_points(reading *r) {
  enum { FIXED = 7 };
  study_table *t = r->t;
  char *text = select_text(t);
  int row = text && prepare(r, text) ? 1 : -1;
  long room = 0;
  free(text);
  if (row < 0) return 0;
  while ((row = next_row(r)) > 0) {
    if ((double)t->n >= ROWS_MOST) return refuse(r, "has more points than can be read at once");
    if (t->n == room) study_table_room(t, room = 2 * room + 1024);
    long i = t->n++;
    t->point[i] = sqlite3_column_int64(r->query, 0);
    t->status[i] = status_at(r, 1);
    const char *message = (const char *)sqlite3_column_text(r->query, 2);
    t->message[i] = message && *message ? text_at(r, 2, 0) : NULL;
    double *const counters[] = {t->seconds, t->steps, t->iterations, t->rejected};
    for (int k = 0; k < 4; k++) counters[k][i] = number_at(r, 3 + k);
    for (int k = 0; k < t->n_columns; k++) t->column[k].x[i] = value_at(r, &t->column[k], FIXED + k);
  }
  return row == 0;
}

/* ---------------------------------------------------------------- the file */

int study_table_is(const char *file) {
  static const char signature[16] = "SQLite format 3"; /* with its zero */
  char head[16] = "";
  FILE *in = input_is_file(file) ? fopen(file, "rb") : NULL;
  size_t n = in ? fread(head, 1, sizeof head, in) : 0;
  if (in) fclose(in);
  return n == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

study_table *study_table_read(const char *file, int live, cps_error *error) {
  study_table *t = (study_table *)grow(NULL, 1, sizeof *t);
  memset(t, 0, sizeof *t);
  t->file = copy_of(file);
  reading r = {.t = t, .error = error};
  int good = cps_study_table_open(file, live, &r.db, error) == CPS_OK && prepare(&r, "BEGIN") &&
             next_row(&r) == 0 && read_keys(&r) && read_columns(&r) && read_points(&r);
  sqlite3_finalize(r.query);
  sqlite3_close(r.db);
  if (good) {
    for (int i = 0; i < t->n_columns; i++) cps_plain_text(t->column[i].name, 0);
    return t;
  }
  study_table_free(t);
  return NULL;
}

void study_table_free(study_table *t) {
  if (t) study_table_clear(t);
  free(t);
}

void study_table_clear(study_table *t) {
  for (int i = 0; i < t->n_columns; i++) {
    study_table_column *c = &t->column[i];
    free(c->name);
    free(c->kind);
    free(c->unit);
    free(c->path);
    free(c->x);
    for (int k = 0; k < c->n_words; k++) free(c->word[k]);
    free((void *)c->word);
  }
  for (long i = 0; i < t->n; i++) free(t->message[i]);
  for (int i = 0; i < t->n_keys; i++) {
    free(t->key[i]);
    free(t->value[i]);
  }
  free((void *)t->message);
  free((void *)t->key);
  free((void *)t->value);
  free(t->column);
  free(t->point);
  free(t->status);
  free(t->seconds);
  free(t->steps);
  free(t->iterations);
  free(t->rejected);
  free(t->file);
  memset(t, 0, sizeof *t);
}

/* ---------------------------------------------------------------- what it says */

const char *study_table_text(const study_table *t, const char *key) {
  for (int i = 0; i < t->n_keys; i++)
    if (strcmp(t->key[i], key) == 0) return t->value[i];
  return NULL;
}

double study_table_number(const study_table *t, const char *key) {
  const char *text = study_table_text(t, key);
  double value;
  return text && read_number(text, &value) ? value : NAN;
}

int study_table_kind(const study_table *t, const char *kind, int *at) {
  int n = 0;
  for (int i = 0; i < t->n_columns; i++)
    if (strcmp(t->column[i].kind, kind) == 0) at[n++] = i;
  return n;
}

int study_table_find(const study_table *t, const char *name) {
  for (int i = 0; i < t->n_columns; i++)
    if (strcmp(t->column[i].name, name) == 0) return i;
  return -1;
}

/* A word of a command line: quoted if a shell would see more in it than letters. */
static void put_word(FILE *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-@";
  if (*word && *word != '-' && strspn(word, plain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  fputc('\'', out);
}

/* The settings of a point, for `capstan run`. */
static void put_settings(FILE *out, const study_table *t, long i) {
  for (int k = 0; k < t->n_columns; k++) {
    const study_table_column *c = &t->column[k];
    char number[40];
    if (strcmp(c->kind, "parameter") != 0 || !isfinite(c->x[i])) continue;
    shortest_number(number, sizeof number, c->x[i]);
    const char *path = *c->path ? c->path : c->name, *value = c->word ? c->word[(int)c->x[i]] : number;
    size_t length = strlen(path) + strlen(value) + 2;
    char *set = (char *)grow(NULL, length, 1);
    snprintf(set, length, "%s=%s", path, value);
    fputs(" --set ", out);
    put_word(out, set);
    free(set);
  }
}

char *study_table_command(const study_table *t, long i) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = text_open(&text, &size);
  const char *study = study_table_text(t, "study"), *scenario = study_table_text(t, "scenario");
  if (!out) return NULL;
  if (study && *study) {
    fputs("capstan sweep ", out);
    put_word(out, study);
    fprintf(out, " --point %lld", t->point[i]);
  } else {
    fputs("capstan run ", out);
    put_word(out, scenario && *scenario ? scenario : "SCENARIO.yaml");
    put_settings(out, t, i);
  }
  text_close(out, &text);
  return text;
}
