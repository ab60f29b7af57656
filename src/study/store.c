/* store.c - see store.h.
 *
 * Invariants: the tables `study` and `columns` are there, complete, if the table `points` is (one transaction makes them); a row of
 * `points` is complete (one transaction adds it) and there is at most one per point (primary key). A process may be killed at any
 * instant, and a disk may be full: what was committed stays.
 */
#include "store.h"

#include "buffer.h"
#include "internal.h"
#include "units.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_MILLISECONDS = 20000 };

struct study_store {
  const cps_study *study;
  sqlite3 *db;
  sqlite3_stmt *insert, *find;
  char *file; /* owned */
};

/* Columns that every table has behind those of the study. */
static const struct {
  const char *name, *type, *unit;
} counters[] = {{"status", "TEXT", ""},         {"message", "TEXT", ""},      {"steps", "INTEGER", "1"},
                {"iterations", "INTEGER", "1"}, {"rejected", "INTEGER", "1"}, {"seconds", "REAL", "s"}};

enum { N_COUNTERS = sizeof counters / sizeof counters[0] };

static const char *const kind_names[] = {
    [CPS_STUDY_PARAMETER] = "parameter", [CPS_STUDY_OUTPUT] = "output", [CPS_STUDY_GRADIENT] = "gradient"};

/* ------------------------------------------------------------------ talking to SQLite */

cps_status cps_store_fault(sqlite3 *db, const char *file, int code, cps_error *err) {
  cps_status status = code == SQLITE_NOMEM ? CPS_NO_MEMORY : CPS_IO;
  cps_error_set(err, status, NULL, "%s cannot be used: %s%s", file,
                db ? sqlite3_errmsg(db) : sqlite3_errstr(code),
                code == SQLITE_FULL ? "; what was written until then is kept" : "");
  if (err) snprintf(err->file, sizeof err->file, "%s", file);
  return status;
}

static int execute(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

/* A name as SQL writes it. */
static void add_name(buffer *b, const char *name) {
  cps_buffer_add(b, "\"");
  for (const char *c = name; *c; c++) cps_buffer_add(b, *c == '"' ? "\"\"" : "%c", *c);
  cps_buffer_add(b, "\"");
}

static int bind_text(sqlite3_stmt *s, int i, const char *text) {
  return sqlite3_bind_text(s, i, text, -1, SQLITE_TRANSIENT);
}

/* What the table `study` says under a key, into text[size]; 0 if nothing. */
static int read_key(sqlite3 *db, const char *schema, const char *key, char *text, size_t size) {
  char sql[120];
  sqlite3_stmt *s = NULL;
  int found = 0;
  text[0] = 0;
  snprintf(sql, sizeof sql, "SELECT value FROM \"%s\".study WHERE key = ?", schema);
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && bind_text(s, 1, key) == SQLITE_OK &&
      sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0)) {
    snprintf(text, size, "%s", (const char *)sqlite3_column_text(s, 0));
    found = 1;
  }
  sqlite3_finalize(s);
  return found;
}

/* The number that a query gives; -1 if it cannot be had. */
static long long query_number(sqlite3 *db, const char *sql) {
  sqlite3_stmt *s = NULL;
  long long n = -1;
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
    n = sqlite3_column_int64(s, 0);
  sqlite3_finalize(s);
  return n;
}

/* Files may come from anywhere: what stands in them cannot change how SQLite behaves, and nothing is longer than a study's texts. */
static void guard(sqlite3 *db) {
  enum { LONGEST = 64 << 20 };
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST);
}

/* Whether the three tables are there, as plain ones: views could go on for ever when they are read, triggers act when something is
 * written, virtual tables and computed columns run code of their own. */
static int has_tables(sqlite3 *db, const char *schema) {
  static const char *const names[] = {"study", "points", "columns"};
  char sql[300];
  snprintf(sql, sizeof sql,
           "SELECT sum(type = 'table' AND rootpage > 0 AND sql LIKE 'CREATE TABLE%%' AND name IN ('study', "
           "'points', 'columns')) "
           "- 100 * sum(type = 'trigger') FROM \"%s\".sqlite_master",
           schema);
  int good = query_number(db, sql) == 3;
  for (int i = 0; i < 3 && good; i++) {
    snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_xinfo('%s', '%s') WHERE hidden <> 0",
             names[i], schema);
    good = query_number(db, sql) == 0;
  }
  return good;
}

/* ------------------------------------------------------------------ making the tables */

/* How the table of points is made; the caller's to free. */
static char *points_made(const cps_study *s) {
  buffer b = {0};
  cps_study_column c;
  cps_buffer_add(&b, "CREATE TABLE points (point INTEGER PRIMARY KEY");
  for (int i = 0; i < cps_study_columns(s); i++) {
    cps_study_column_at(s, i, &c);
    cps_buffer_add(&b, ", ");
    add_name(&b, c.name);
    cps_buffer_add(&b, c.unit[0] ? " REAL" : " TEXT");
  }
  for (int i = 0; i < N_COUNTERS; i++) cps_buffer_add(&b, ", %s %s", counters[i].name, counters[i].type);
  cps_buffer_add(&b, ")");
  return cps_buffer_take(&b);
}

static int make_points(sqlite3 *db, const cps_study *s) {
  char *sql = points_made(s);
  int code = sql ? execute(db, sql) : SQLITE_NOMEM;
  free(sql);
  return code;
}

static int add_column(sqlite3_stmt *insert, const char *name, const char *kind, const char *unit,
                      const char *path, double low, double high) {
  sqlite3_reset(insert);
  sqlite3_clear_bindings(insert);
  bind_text(insert, 1, name);
  bind_text(insert, 2, kind);
  bind_text(insert, 3, unit);
  if (path && *path) bind_text(insert, 4, path);
  if (isfinite(low)) sqlite3_bind_double(insert, 5, low);
  if (isfinite(high)) sqlite3_bind_double(insert, 6, high);
  int code = sqlite3_step(insert);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int make_columns(sqlite3 *db, const cps_study *s) {
  sqlite3_stmt *insert = NULL;
  cps_study_column c;
  int code = execute(
      db, "CREATE TABLE columns (name TEXT PRIMARY KEY, kind TEXT, unit TEXT, path TEXT, low REAL, high "
          "REAL)");
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(db, "INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?)", -1, &insert, NULL);
  for (int i = 0; i < cps_study_columns(s) && code == SQLITE_OK; i++) {
    cps_study_column_at(s, i, &c);
    code = add_column(insert, c.name, kind_names[c.kind], c.unit, c.path, c.low, c.high);
  }
  for (int i = 0; i < N_COUNTERS && code == SQLITE_OK; i++)
    code = add_column(insert, counters[i].name, "counter", counters[i].unit, NULL, NAN, NAN);
  sqlite3_finalize(insert);
  return code;
}

static int add_key(sqlite3_stmt *insert, const char *key, const char *value) {
  sqlite3_reset(insert);
  bind_text(insert, 1, key);
  bind_text(insert, 2, value);
  int code = sqlite3_step(insert);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int add_number(sqlite3_stmt *insert, const char *key, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.0f", value);
  return add_key(insert, key, text);
}

/* Names of parameters, a line for each dimension; those of one CSV file with commas between them. */
static char *dimension_names(const cps_study *s) {
  buffer b = {0};
  for (int j = 0; j < s->n_dimensions; j++)
    for (int k = 0; k < s->dimensions[j].n; k++)
      cps_buffer_add(&b, "%s%s", k ? "," : j ? "\n" : "", s->parameters[s->dimensions[j].first + k].name);
  return cps_buffer_take(&b);
}

static int make_study(sqlite3 *db, const cps_study *s) {
  sqlite3_stmt *insert = NULL;
  int code = execute(db, "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT)");
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "INSERT INTO study VALUES (?, ?)", -1, &insert, NULL);
  char *names = dimension_names(s);
  if (!names) code = SQLITE_NOMEM;
  const cps_scenario *sc = s->scenario;
  const char *texts[][2] = {{"title", s->title[0] ? s->title : sc->title},
                            {"study", s->file},
                            {"study_hash", s->hash},
                            {"study_text", s->text},
                            {"scenario", sc->file},
                            {"scenario_hash", sc->hash},
                            {"scenario_text", sc->text},
                            {"method", s->method->name},
                            {"dimensions", names},
                            {"version", cps_version()},
                            {"build", cps_build_identity()}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0] && code == SQLITE_OK; i++)
    code = add_key(insert, texts[i][0], texts[i][1]);
  const struct {
    const char *key;
    double value;
    int there;
  } numbers[] = {{"count", (double)s->count, 1},
                 {"dimension", s->n_dimensions, 1},
                 {"seed", s->sample.seed, (s->method->takes & SAMPLE_SEED) != 0},
                 {"base", s->sample.base, (s->method->takes & SAMPLE_BASE) != 0},
                 {"trajectories", s->sample.trajectories, (s->method->takes & SAMPLE_TRAJECTORIES) != 0},
                 {"levels", s->sample.levels, s->sample.levels > 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && code == SQLITE_OK; i++)
    if (numbers[i].there) code = add_number(insert, numbers[i].key, numbers[i].value);
  if (code == SQLITE_OK && s->method->takes & SAMPLE_BASE) code = add_key(insert, "rows", "A B AB_1..AB_d");
  sqlite3_finalize(insert);
  free(names);
  return code;
}

static int make_tables(sqlite3 *db, const cps_study *s) {
  int code = execute(db, "BEGIN IMMEDIATE");
  if (code == SQLITE_OK && has_tables(db, "main"))
    return execute(db, "ROLLBACK"); /* another process was faster */
  if (code == SQLITE_OK) code = make_study(db, s);
  if (code == SQLITE_OK) code = make_columns(db, s);
  if (code == SQLITE_OK) code = make_points(db, s);
  if (code == SQLITE_OK) code = execute(db, "COMMIT");
  if (code != SQLITE_OK && !sqlite3_get_autocommit(db)) execute(db, "ROLLBACK");
  return code;
}

/* ------------------------------------------------------------------ opening */

static cps_status check_hash(sqlite3 *db, const char *schema, const char *file, const char *key,
                             const char *what, const char *wanted, const char *than, cps_error *err) {
  char found[80];
  if (read_key(db, schema, key, found, sizeof found) && strcmp(found, wanted) == 0) return CPS_OK;
  cps_error_set(err, CPS_BAD_INPUT, NULL,
                "%s has points of another %s (hash %.12s, not %.12s as %s): they cannot stand in one table",
                file, what, found[0] ? found : "-", wanted, than);
  if (err) snprintf(err->file, sizeof err->file, "%s", file);
  return CPS_BAD_INPUT;
}

/* Files may be damaged, or changed by others: pages hang together, and points are those of a study, with `count` of them unless
 * that is negative. */
static cps_status check_rows(sqlite3 *db, const char *schema, const char *file, long long count,
                             cps_error *err) {
  char sql[300];
  sqlite3_stmt *s = NULL;
  snprintf(sql, sizeof sql, "PRAGMA \"%s\".quick_check(1)", schema);
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW) {
    sqlite3_finalize(s);
    return cps_store_fault(db, file, sqlite3_errcode(db), err);
  }
  const char *found = (const char *)sqlite3_column_text(s, 0);
  int whole = found && strcmp(found, "ok") == 0;
  if (!whole)
    cps_error_set(err, CPS_BAD_INPUT, NULL, "%s is damaged: %.200s", file, found ? found : "no text");
  sqlite3_finalize(s);
  if (!whole) return CPS_BAD_INPUT;
  snprintf(
      sql, sizeof sql,
      "SELECT count(*) FROM \"%s\".points WHERE point < 0 OR (%lld >= 0 AND point >= %lld) OR status IS NULL "
      "OR status NOT IN ('ok', 'limit', 'failed')",
      schema, count, count);
  if (query_number(db, sql) == 0) return CPS_OK;
  return cps_error_set(err, CPS_BAD_INPUT, NULL, "%s has points that this study cannot have: it was changed",
                       file);
}

/* Whether the columns of points are those of the study. */
static int has_columns(const study_store *store) {
  sqlite3_stmt *s = NULL;
  char *made = points_made(store->study);
  int same = made &&
             sqlite3_prepare_v2(store->db, "SELECT 1 FROM sqlite_master WHERE name = 'points' AND sql = ?",
                                -1, &s, NULL) == SQLITE_OK &&
             bind_text(s, 1, made) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
  sqlite3_finalize(s);
  free(made);
  return same;
}

static cps_status check_study(study_store *store, cps_error *err) {
  const cps_study *s = store->study;
  cps_status status = check_hash(store->db, "main", store->file, "study_hash", "study file", s->hash, "now",
                                 err);
  if (status == CPS_OK)
    status = check_hash(store->db, "main", store->file, "scenario_hash", "scenario", s->scenario->hash, "now",
                        err);
  if (status == CPS_OK && !has_columns(store))
    status = cps_error_set(err, CPS_BAD_INPUT, NULL, "%s has other columns than the study: it was changed",
                           store->file);
  return status == CPS_OK ? check_rows(store->db, "main", store->file, (long long)s->count, err) : status;
}

static cps_status open_tables(study_store *store, int resume, int rollback, cps_error *err) {
  sqlite3 *db = store->db;
  guard(db);
  sqlite3_busy_timeout(db, BUSY_MILLISECONDS);
  int code = execute(db, rollback ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  /* with less than FULL a log keeps what is committed in memory until it has grown to a thousand pages, and power takes it */
  if (code == SQLITE_OK) code = execute(db, "PRAGMA synchronous = FULL");
  if (code == SQLITE_OK && !has_tables(db, "main")) {
    if (query_number(db, "SELECT count(*) FROM sqlite_master") > 0)
      return cps_error_set(err, CPS_BAD_INPUT, NULL, "%s is an SQLite file, but not of a study", store->file);
    code = make_tables(db, store->study);
  } else if (code == SQLITE_OK && !resume) {
    return cps_error_set(
        err, CPS_BAD_INPUT, NULL,
        "%s is there already, with %lld of %lld points: --resume goes on with it, -o names another file",
        store->file, query_number(db, "SELECT count(*) FROM points"), (long long)store->study->count);
  }
  if (code != SQLITE_OK) return cps_store_fault(db, store->file, code, err);
  return check_study(store, err);
}

static int prepare(study_store *store) {
  buffer b = {0};
  cps_buffer_add(&b, "INSERT OR IGNORE INTO points VALUES (?");
  for (int i = 0; i < cps_study_columns(store->study) + N_COUNTERS; i++) cps_buffer_add(&b, ", ?");
  cps_buffer_add(&b, ")");
  char *sql = cps_buffer_take(&b);
  int code = sql ? sqlite3_prepare_v2(store->db, sql, -1, &store->insert, NULL) : SQLITE_NOMEM;
  free(sql);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(store->db, "SELECT status FROM points WHERE point = ?", -1, &store->find, NULL);
  return code;
}

void cps_store_close(study_store *store) {
  if (!store) return;
  sqlite3_finalize(store->insert);
  sqlite3_finalize(store->find);
  sqlite3_close(store->db);
  free(store->file);
  free(store);
}

static char *copy_text(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = malloc(n);
  return copy ? memcpy(copy, text, n) : NULL;
}

/* A file that is there already, or a new one; never a device or a pipe, nor through a link that somebody else has put there. */
static cps_status open_to_write(sqlite3 **db, const char *file, cps_error *err) {
  cps_output_file place;
  if (!cps_output_place(&place, file))
    return cps_error_set(err, CPS_IO, NULL, "%s cannot be used: %s", file, place.reason);
  int code = sqlite3_open_v2(place.path, db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, NULL);
  return code == SQLITE_OK ? CPS_OK : cps_store_fault(*db, file, code, err);
}

study_store *cps_store_open(const cps_study *s, const char *file, int resume, int rollback, cps_error *err) {
  study_store *store = calloc(1, sizeof *store);
  if (store) store->file = copy_text(file);
  if (!store || !store->file) {
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the table of a study");
    cps_store_close(store);
    return NULL;
  }
  store->study = s;
  cps_status status = open_to_write(&store->db, file, err);
  if (status == CPS_OK) status = open_tables(store, resume, rollback, err);
  if (status == CPS_OK) {
    int code = prepare(store);
    if (code != SQLITE_OK) status = cps_store_fault(store->db, file, code, err);
  }
  if (status == CPS_OK) return store;
  cps_store_close(store);
  return NULL;
}

/* ------------------------------------------------------------------ rows */

int cps_store_rows(study_store *store) {
  return query_number(store->db, "SELECT EXISTS (SELECT 1 FROM points)") > 0;
}

int cps_store_has(study_store *store, long long point, long long *failed, long long *beyond) {
  sqlite3_reset(store->find);
  sqlite3_bind_int64(store->find, 1, point);
  if (sqlite3_step(store->find) != SQLITE_ROW) return 0;
  const char *status = (const char *)sqlite3_column_text(store->find, 0);
  *failed += status && strcmp(status, "failed") == 0;
  *beyond += status && strcmp(status, "limit") == 0;
  sqlite3_reset(store->find);
  return 1;
}

static int add_row(study_store *store, const cps_study_row *row) {
  const cps_study *s = store->study;
  sqlite3_stmt *in = store->insert;
  int n = cps_study_columns(s);
  sqlite3_reset(in);
  sqlite3_bind_int64(in, 1, row->point);
  for (int i = 0; i < n; i++) {
    const char *variant = i < s->n_parameters ? cps_study_variant(s, i, row->values[i]) : NULL;
    if (variant)
      sqlite3_bind_text(in, i + 2, variant, -1, SQLITE_STATIC);
    else
      sqlite3_bind_double(in, i + 2, row->values[i]); /* NaN is NULL */
  }
  sqlite3_bind_text(in, n + 2, row->status, -1, SQLITE_STATIC);
  sqlite3_bind_text(in, n + 3, row->message, -1, SQLITE_STATIC);
  sqlite3_bind_int64(in, n + 4, row->steps);
  sqlite3_bind_int64(in, n + 5, row->iterations);
  sqlite3_bind_int64(in, n + 6, row->rejected);
  sqlite3_bind_double(in, n + 7, row->seconds);
  int code = sqlite3_step(in);
  sqlite3_reset(in);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

cps_status cps_store_add(study_store *store, const cps_study_row *rows, int n, cps_error *err) {
  int code = execute(store->db, "BEGIN IMMEDIATE");
  for (int i = 0; i < n && code == SQLITE_OK; i++) code = add_row(store, &rows[i]);
  if (code == SQLITE_OK) code = execute(store->db, "COMMIT");
  if (code == SQLITE_OK) return CPS_OK;
  cps_status status = cps_store_fault(store->db, store->file, code, err);
  if (!sqlite3_get_autocommit(store->db)) execute(store->db, "ROLLBACK");
  return status;
}

/* ------------------------------------------------------------------ merging */

static int attach(sqlite3 *db, const char *file) {
  sqlite3_stmt *s = NULL;
  int code = sqlite3_prepare_v2(db, "ATTACH ? AS part", -1, &s, NULL);
  if (code == SQLITE_OK) {
    bind_text(s, 1, file);
    code = sqlite3_step(s);
    code = code == SQLITE_DONE ? SQLITE_OK : code;
  }
  sqlite3_finalize(s);
  return code;
}

/* Tables like those of the attached file. */
static int copy_tables(sqlite3 *db) {
  sqlite3_stmt *s = NULL;
  int code = sqlite3_prepare_v2(
      db,
      "SELECT sql FROM part.sqlite_master WHERE type = 'table' AND name IN ('study', "
      "'columns', 'points')",
      -1, &s, NULL);
  while (code == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
    /* that one statement, whatever may stand behind it */
    sqlite3_stmt *make = NULL;
    code = sqlite3_prepare_v2(db, (const char *)sqlite3_column_text(s, 0), -1, &make, NULL);
    if (code == SQLITE_OK && sqlite3_step(make) != SQLITE_DONE) code = sqlite3_errcode(db);
    sqlite3_finalize(make);
  }
  sqlite3_finalize(s);
  if (code == SQLITE_OK) code = execute(db, "INSERT INTO main.study SELECT * FROM part.study");
  if (code == SQLITE_OK) code = execute(db, "INSERT INTO main.columns SELECT * FROM part.columns");
  return code;
}

static int same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Adds the rows of one file; one transaction. */
static cps_status merge_one(sqlite3 *db, const char *to, const char *from, cps_error *err) {
  char study[80], scenario[80];
  cps_status status = CPS_OK;
  struct stat there;
  if (stat(from, &there) != 0) return cps_error_set(err, CPS_IO, NULL, "%s is not there", from);
  if (!S_ISREG(there.st_mode))
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "%s is not the table of a study: it is not a file", from);
  int code = attach(db, from);
  if (code != SQLITE_OK) return cps_store_fault(db, from, code, err);
  if (!has_tables(db, "part")) {
    status = cps_error_set(err, CPS_BAD_INPUT, NULL, "%s is not the table of a study", from);
  } else {
    code = execute(db, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK && !has_tables(db, "main")) code = copy_tables(db);
    if (code == SQLITE_OK) {
      read_key(db, "main", "study_hash", study, sizeof study);
      read_key(db, "main", "scenario_hash", scenario, sizeof scenario);
      status = check_hash(db, "part", from, "study_hash", "study file", study, "in the others", err);
      if (status == CPS_OK)
        status = check_hash(db, "part", from, "scenario_hash", "scenario", scenario, "in the others", err);
    }
    if (code == SQLITE_OK && status == CPS_OK) status = check_rows(db, "part", from, -1, err);
    if (code == SQLITE_OK && status == CPS_OK)
      code = execute(db, "INSERT OR IGNORE INTO main.points SELECT * FROM part.points");
    if (code == SQLITE_OK && status == CPS_OK) code = execute(db, "COMMIT");
    if (code != SQLITE_OK) status = cps_store_fault(db, to, code, err);
    if (!sqlite3_get_autocommit(db)) execute(db, "ROLLBACK");
  }
  execute(db, "DETACH part");
  return status;
}

cps_status cps_study_merge(const char *to, const char *const *files, int n, long long *rows,
                           long long *wanted, cps_error *err) {
  sqlite3 *db = NULL;
  char count[40] = "";
  cps_status status = open_to_write(&db, to, err);
  if (status == CPS_OK) {
    guard(db);
    sqlite3_busy_timeout(db, BUSY_MILLISECONDS);
  }
  for (int i = 0; i < n && status == CPS_OK; i++)
    if (!same_file(files[i], to)) status = merge_one(db, to, files[i], err);
  if (status == CPS_OK && !has_tables(db, "main"))
    status = cps_error_set(err, CPS_BAD_INPUT, NULL, "there is nothing to merge into %s", to);
  if (rows) *rows = status == CPS_OK ? query_number(db, "SELECT count(*) FROM points") : 0;
  if (status == CPS_OK) read_key(db, "main", "count", count, sizeof count);
  if (wanted) *wanted = atoll(count);
  sqlite3_close(db);
  return status;
}

/* ------------------------------------------------------------------ reading */

/* A file that no process writes is opened as one that does not change: SQLite then leaves no files beside it. */
static int open_to_read(sqlite3 **db, const char *file, int live) {
  static const char *const beside[] = {"-wal", "-journal"};
  struct stat info;
  buffer b = {0};
  for (int i = 0; i < 2; i++) {
    b.length = 0;
    cps_buffer_add(&b, "%s%s", file, beside[i]);
    live |= b.failed || stat(b.text, &info) == 0;
  }
  b.length = 0;
  cps_buffer_add(&b, "file:");
  for (const char *c = file; *c; c++)
    cps_buffer_add(&b, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
  cps_buffer_add(&b, "?immutable=1");
  int code = live       ? sqlite3_open_v2(file, db, SQLITE_OPEN_READONLY, NULL)
             : b.failed ? SQLITE_NOMEM
                        : sqlite3_open_v2(b.text, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
  free(b.text);
  return code;
}

cps_status cps_study_table_open(const char *file, int live, sqlite3 **db, cps_error *err) {
  enum { READ_MILLISECONDS = 2000 };
  *db = NULL;
  int code = open_to_read(db, file, live);
  if (code == SQLITE_OK) {
    guard(*db);
    sqlite3_busy_timeout(*db, READ_MILLISECONDS);
    code = execute(*db, "SELECT 1 FROM sqlite_master");
  }
  cps_status status = CPS_OK;
  if (code != SQLITE_OK) {
    int bad = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
    status = cps_error_set(err, bad ? CPS_BAD_INPUT : CPS_IO, NULL,
                           "'%s' cannot be read as the table of a study: %s", file,
                           *db ? sqlite3_errmsg(*db) : sqlite3_errstr(code));
  } else if (!has_tables(*db, "main")) {
    status = cps_error_set(err, CPS_BAD_INPUT, NULL,
                           "'%s' cannot be read as the table of a study: it lacks the plain tables study, "
                           "columns and points, or has "
                           "triggers or computed columns",
                           file);
  }
  if (status == CPS_OK) return CPS_OK;
  sqlite3_close(*db);
  *db = NULL;
  return status;
}

/* ------------------------------------------------------------------ CSV */

/* Text as a cell, which others may have put there: nothing in it acts on a terminal, and what a spreadsheet would take for a formula
 * gets an apostrophe before it, so that it stays text there. Without memory there is no text. */
static void add_cell(buffer *b, const char *found) {
  char *text = found ? strdup(found) : NULL;
  if (!text) {
    b->failed = 1;
    return;
  }
  cps_plain_text(text, 1);
  const char *mark = *text && strchr("=+-@\t", *text) ? "'" : "";
  if (!text[strcspn(text, ",\"\n")]) {
    cps_buffer_add(b, "%s%s", mark, text);
  } else {
    cps_buffer_add(b, "\"%s", mark);
    for (const char *c = text; *c; c++) cps_buffer_add(b, *c == '"' ? "\"\"" : "%c", *c);
    cps_buffer_add(b, "\"");
  }
  free(text);
}

static void add_value(buffer *b, sqlite3_stmt *s, int i) {
  char number[40];
  int type = sqlite3_column_type(s, i);
  if (type == SQLITE_INTEGER)
    cps_buffer_add(b, "%lld", (long long)sqlite3_column_int64(s, i));
  else if (type == SQLITE_FLOAT)
    cps_buffer_add(b, "%s", cps_number_text(number, sizeof number, sqlite3_column_double(s, i)));
  else if (type == SQLITE_TEXT)
    add_cell(b, (const char *)sqlite3_column_text(s, i));
}

static cps_status write_csv(sqlite3 *db, const char *file, cps_output_file *out, cps_error *err) {
  enum { PIECE = 1 << 16 };
  sqlite3_stmt *s = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT * FROM points ORDER BY point", -1, &s, NULL);
  if (code != SQLITE_OK) return cps_store_fault(db, file, code, err);
  buffer b = {0};
  int n = sqlite3_column_count(s), written = 1;
  for (int i = 0; i < n; i++) {
    if (i) cps_buffer_add(&b, ",");
    add_cell(&b, sqlite3_column_name(s, i));
  }
  cps_buffer_add(&b, "\n");
  while (written && (code = sqlite3_step(s)) == SQLITE_ROW) {
    for (int i = 0; i < n; i++) {
      if (i) cps_buffer_add(&b, ",");
      add_value(&b, s, i);
    }
    cps_buffer_add(&b, "\n");
    if (b.length < PIECE) continue;
    written = !b.failed && cps_output_write(out, b.text, b.length);
    b.length = 0;
  }
  if (written && b.length > 0) written = !b.failed && cps_output_write(out, b.text, b.length);
  sqlite3_finalize(s);
  free(b.text);
  if (b.failed) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %s", out->path);
  if (!written) return cps_error_set(err, CPS_IO, NULL, "%s cannot be written: %s", out->path, out->reason);
  return code == SQLITE_DONE ? CPS_OK : cps_store_fault(db, file, code, err);
}

/* To be read; yet a log that lies beside it has to be written into it. */
cps_status cps_study_csv(const char *file, const char *csv, cps_error *err) {
  sqlite3 *db = NULL;
  cps_output_file out;
  cps_status status = cps_study_table_open(file, 0, &db, err);
  if (status == CPS_OK && !cps_output_open(&out, csv, CPS_OUTPUT_NAMED)) {
    status = cps_error_set(err, CPS_IO, NULL, "%s cannot be written: %s", csv, out.reason);
  } else if (status == CPS_OK) {
    status = write_csv(db, file, &out, err);
    if (status != CPS_OK)
      cps_output_discard(&out);
    else if (!cps_output_commit(&out))
      status = cps_error_set(err, CPS_IO, NULL, "%s cannot be written: %s", csv, out.reason);
  }
  sqlite3_close(db);
  return status;
}
