/* store_hdf.c - the table of a study as HDF5: one dataset "points" with a field for each column, as numpy, h5py and MATLAB read it.
 *
 * A file comes from anywhere: names and texts in it are shown, never trusted. Rows go through a block of memory, so that the size of
 * a table does not matter. */
#include "buffer.h"
#include "hdf.h"
#include "internal.h"
#include "store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  TEXT_WIDEST = 1000,    /* texts are cut there [bytes] */
  ATTRIBUTE_MOST = 60000 /* HDF5 holds 64 kB; texts of files stay in the SQLite file */
};

static const hsize_t block_rows = 4096; /* written at a time */

typedef enum field_kind { FIELD_INTEGER, FIELD_NUMBER, FIELD_TEXT } field_kind;

/* A column of the table, and where it is in a row. */
typedef struct field {
  char *name, *unit; /* owned */
  field_kind kind;
  hid_t type;
  size_t at, size;
} field;

typedef struct hdf_table {
  const char *from; /* the SQLite file */
  sqlite3 *db;
  sqlite3_stmt *rows; /* all columns, in the order of points */
  hsize_t n_rows;
  field *field;
  int n;
  size_t width; /* of a row [bytes] */
} hdf_table;

static char *plain_copy(const unsigned char *text) {
  size_t n = text ? strlen((const char *)text) : 0;
  char *copy = malloc(n + 1);
  if (!copy) return NULL;
  if (n > 0) memcpy(copy, text, n);
  copy[n] = 0;
  cps_plain_text(copy, 0);
  return copy;
}

/* ------------------------------------------------------------------ what there is to write */

/* The unit of a column; "1" where the file does not say. */
static char *unit_of(sqlite3 *db, const char *name) {
  sqlite3_stmt *s = NULL;
  char *unit = NULL;
  if (sqlite3_prepare_v2(db, "SELECT unit FROM columns WHERE name = ?", -1, &s, NULL) == SQLITE_OK &&
      sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
    unit = plain_copy(sqlite3_column_text(s, 0));
  sqlite3_finalize(s);
  return unit ? unit : plain_copy((const unsigned char *)"1");
}

/* Names, units and kinds. */
static int name_fields(hdf_table *t) {
  t->n = sqlite3_column_count(t->rows);
  t->field = calloc((size_t)t->n + 1, sizeof *t->field);
  for (int i = 0; t->field && i < t->n; i++) {
    const char *name = sqlite3_column_name(t->rows, i), *declared = sqlite3_column_decltype(t->rows, i);
    field *f = &t->field[i];
    f->type = -1;
    f->name = plain_copy((const unsigned char *)name);
    f->unit = name ? unit_of(t->db, name) : NULL;
    f->kind = i == 0 ? FIELD_INTEGER : declared && strcmp(declared, "TEXT") == 0 ? FIELD_TEXT : FIELD_NUMBER;
    f->size = f->kind == FIELD_TEXT ? 1 : f->kind == FIELD_INTEGER ? sizeof(long long) : sizeof(double);
    if (!f->name || !f->unit) return 0;
  }
  return t->field != NULL;
}

/* Goes through the table once, for the number of rows and the longest texts; returns SQLite's code. */
static int measure(hdf_table *t) {
  int code;
  while ((code = sqlite3_step(t->rows)) == SQLITE_ROW) {
    t->n_rows++;
    for (int i = 0; i < t->n; i++) {
      if (t->field[i].kind != FIELD_TEXT || !sqlite3_column_text(t->rows, i)) continue;
      size_t length = (size_t)sqlite3_column_bytes(t->rows, i);
      if (length > TEXT_WIDEST) length = TEXT_WIDEST;
      if (length > t->field[i].size) t->field[i].size = length;
    }
  }
  for (int i = 0; i < t->n; i++) {
    field *f = &t->field[i];
    f->at = t->width;
    t->width += f->size;
    f->type = f->kind == FIELD_TEXT      ? cps_hdf_text_type(f->size)
              : f->kind == FIELD_INTEGER ? H5T_NATIVE_LLONG
                                         : H5T_NATIVE_DOUBLE;
  }
  return code == SQLITE_DONE ? sqlite3_reset(t->rows) : code;
}

/* ------------------------------------------------------------------ writing */

static void fill_row(const hdf_table *t, unsigned char *row) {
  memset(row, 0, t->width);
  for (int i = 0; i < t->n; i++) {
    const field *f = &t->field[i];
    int type = sqlite3_column_type(t->rows, i);
    if (f->kind == FIELD_INTEGER) {
      long long x = sqlite3_column_int64(t->rows, i);
      memcpy(row + f->at, &x, sizeof x);
    } else if (f->kind == FIELD_NUMBER) {
      double x = type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(t->rows, i) : NAN;
      memcpy(row + f->at, &x, sizeof x);
    } else if (type == SQLITE_TEXT) {
      char text[TEXT_WIDEST + 1];
      snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(t->rows, i));
      cps_plain_text(text, 0);
      size_t length = strlen(text);
      memcpy(row + f->at, text, length < f->size ? length : f->size);
    }
  }
}

/* Returns SQLite's code; *good: HDF5 took it all. */
static int write_rows(hid_t set, hid_t type, const hdf_table *t, unsigned char *block, int *good) {
  hid_t all = H5Dget_space(set);
  int code = SQLITE_ROW;
  *good = all >= 0;
  for (hsize_t start = 0; start < t->n_rows && *good; start += block_rows) {
    hsize_t count = 0, most = t->n_rows - start < block_rows ? t->n_rows - start : block_rows;
    while (count < most && (code = sqlite3_step(t->rows)) == SQLITE_ROW)
      fill_row(t, block + count++ * t->width);
    if (code != SQLITE_ROW) break;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    *good = memory >= 0 && H5Sselect_hyperslab(all, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
            H5Dwrite(set, type, memory, all, H5P_DEFAULT, block) >= 0;
    if (memory >= 0) H5Sclose(memory);
  }
  if (all >= 0) H5Sclose(all);
  return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Units by the number of the field, as names may hold anything. */
static int write_units(hid_t set, const hdf_table *t) {
  int good = 1;
  for (int i = 0; i < t->n && good; i++) {
    char name[32];
    snprintf(name, sizeof name, "unit_%d", i);
    good = cps_hdf_text(set, name, t->field[i].unit);
  }
  return good;
}

static int write_points(hid_t file, const hdf_table *t, int *good) {
  hsize_t rows = t->n_rows, chunk = rows == 0 ? 1 : rows < block_rows ? rows : block_rows;
  unsigned char *block = malloc((size_t)chunk * t->width);
  hid_t type = H5Tcreate(H5T_COMPOUND, t->width), space = H5Screate_simple(1, &rows, NULL),
        how = H5Pcreate(H5P_DATASET_CREATE);
  *good = block && type >= 0 && space >= 0 && H5Pset_chunk(how, 1, &chunk) >= 0 && H5Pset_shuffle(how) >= 0 &&
          H5Pset_deflate(how, 4) >= 0;
  for (int i = 0; i < t->n && *good; i++)
    *good = H5Tinsert(type, t->field[i].name, t->field[i].at, t->field[i].type) >= 0;
  hid_t set = *good ? H5Dcreate2(file, "points", type, space, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
  int code = SQLITE_OK;
  *good = set >= 0;
  if (*good) code = write_rows(set, type, t, block, good);
  if (*good) *good = write_units(set, t);
  if (set >= 0) H5Dclose(set);
  H5Pclose(how);
  H5Sclose(space);
  H5Tclose(type);
  free(block);
  return code;
}

/* What the file says of the study, as attributes. */
static int write_keys(hid_t file, sqlite3 *db, int *good) {
  sqlite3_stmt *s = NULL;
  hid_t about = H5Gcreate2(file, "study", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int code = sqlite3_prepare_v2(db, "SELECT key, value FROM study", -1, &s, NULL);
  *good = about >= 0;
  while (*good && code == SQLITE_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
    code = SQLITE_OK;
    const char *text = (const char *)sqlite3_column_text(s, 1);
    if (!text || sqlite3_column_bytes(s, 1) > ATTRIBUTE_MOST) continue;
    char *key = plain_copy(sqlite3_column_text(s, 0)), *value = plain_copy((const unsigned char *)text);
    *good = key && value && cps_hdf_text(about, key, value);
    free(key);
    free(value);
  }
  sqlite3_finalize(s);
  if (about >= 0) H5Gclose(about);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* ------------------------------------------------------------------ the file */

static cps_status write_table(hdf_table *t, const char *path, cps_error *err) {
  cps_output_file out;
  char reason[200] = "";
  int good, code = SQLITE_OK;
  if (!cps_output_name(&out, path, CPS_OUTPUT_NAMED))
    return cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", path, out.reason);
  hdf_voice voice = cps_hdf_hush();
  hid_t file = H5Fcreate(out.part, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  good = file >= 0;
  if (good) code = write_points(file, t, &good);
  if (good && code == SQLITE_OK) code = write_keys(file, t->db, &good);
  if (!good) cps_hdf_reason(reason, sizeof reason);
  if (file >= 0 && H5Fclose(file) < 0 && good) {
    good = 0;
    cps_hdf_reason(reason, sizeof reason);
  }
  cps_hdf_unhush(voice);
  if (good && code == SQLITE_OK && cps_output_commit(&out)) return CPS_OK;
  cps_output_discard(&out);
  if (code != SQLITE_OK) return cps_store_fault(t->db, t->from, code, err);
  return cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", path, good ? out.reason : reason);
}

cps_status cps_study_hdf(const char *file, const char *hdf, cps_error *err) {
  hdf_table t = {.from = file};
  cps_status status = cps_study_table_open(file, 0, &t.db, err);
  if (status == CPS_OK) {
    int code = sqlite3_prepare_v2(t.db, "SELECT * FROM points ORDER BY point", -1, &t.rows, NULL);
    if (code == SQLITE_OK && !name_fields(&t)) code = SQLITE_NOMEM;
    if (code == SQLITE_OK) code = measure(&t);
    status = code == SQLITE_OK ? write_table(&t, hdf, err) : cps_store_fault(t.db, file, code, err);
  }
  for (int i = 0; t.field && i < t.n; i++) {
    if (t.field[i].kind == FIELD_TEXT && t.field[i].type >= 0) H5Tclose(t.field[i].type);
    free(t.field[i].name);
    free(t.field[i].unit);
  }
  free(t.field);
  sqlite3_finalize(t.rows);
  sqlite3_close(t.db);
  return status;
}
