/* study_hdf.c - the table of a study as HDF5: one dataset "points" with a field for each column, as numpy, h5py and MATLAB read it. */
#include "cli.h"
#include "study_table.h"

#include "hdf.h"
#include "output_file.h"

#include <stdlib.h>
#include <string.h>

enum { STATUS_TEXT = 8, MESSAGE_MOST = 1000, FIXED = 7, BLOCK = 4096 /* rows written at a time */ };

/* A field of a row: where it is, and what it takes from the table. */
typedef struct field {
  const char *name, *unit;
  hid_t type;
  size_t at, size;
  const double *x;                  /* numbers; NULL: something else */
  const study_table_column *column; /* of words; NULL otherwise */
} field;

static size_t longest_word(const study_table_column *c) {
  size_t most = 1;
  for (int k = 0; k < c->n_words; k++) most = strlen(c->word[k]) > most ? strlen(c->word[k]) : most;
  return most;
}

static size_t longest_message(const study_table *t) {
  size_t most = 1;
  for (long i = 0; i < t->n; i++)
    if (t->message[i] && strlen(t->message[i]) > most) most = strlen(t->message[i]);
  return most < MESSAGE_MOST ? most : MESSAGE_MOST;
}

/* The fields in the order of the table: point, columns, status, message, counters. Types of texts are the caller's to close. */
static int make_fields(const study_table *t, field *f) {
  int n = 0;
  const double *const counters[] = {t->steps, t->iterations, t->rejected, t->seconds};
  static const char *const names[] = {"steps", "iterations", "rejected", "seconds"};
  f[n++] = (field){"point", "1", H5T_NATIVE_LLONG, 0, sizeof(long long), NULL, NULL};
  for (int i = 0; i < t->n_columns; i++) {
    const study_table_column *c = &t->column[i];
    f[n++] = c->word ? (field){c->name, "", cps_hdf_text_type(longest_word(c)), 0, longest_word(c), NULL, c}
                     : (field){c->name, c->unit, H5T_NATIVE_DOUBLE, 0, sizeof(double), c->x, NULL};
  }
  f[n++] = (field){"status", "", cps_hdf_text_type(STATUS_TEXT), 0, STATUS_TEXT, NULL, NULL};
  f[n++] = (field){"message", "", cps_hdf_text_type(longest_message(t)), 0, longest_message(t), NULL, NULL};
  for (int k = 0; k < 4; k++)
    f[n++] = (field){names[k], k == 3 ? "s" : "1", H5T_NATIVE_DOUBLE, 0, sizeof(double), counters[k], NULL};
  for (int i = 1; i < n; i++) f[i].at = f[i - 1].at + f[i - 1].size;
  return n;
}

static void put_text(unsigned char *to, size_t size, const char *text) {
  size_t n = text ? strlen(text) : 0;
  memset(to, 0, size);
  if (n > 0) memcpy(to, text, n < size ? n : size);
}

static void fill_row(const study_table *t, const field *f, int n, long i, unsigned char *row) {
  static const char *const names[] = {"ok", "limit", "failed"};
  for (int k = 0; k < n; k++) {
    unsigned char *to = row + f[k].at;
    if (f[k].x)
      memcpy(to, &f[k].x[i], sizeof(double));
    else if (f[k].column)
      put_text(to, f[k].size, f[k].column->x[i] >= 0 ? f[k].column->word[(int)f[k].column->x[i]] : NULL);
    else if (k == 0)
      memcpy(to, &t->point[i], sizeof(long long));
    else
      put_text(to, f[k].size,
               f[k].size == STATUS_TEXT && strcmp(f[k].name, "status") == 0 ? names[t->status[i]]
                                                                            : t->message[i]);
  }
}

static int write_rows(hid_t set, hid_t type, const study_table *t, const field *f, int n, size_t width) {
  unsigned char *block = (unsigned char *)grow(NULL, BLOCK, width);
  hid_t all = H5Dget_space(set);
  int good = all >= 0;
  for (long from = 0; from < t->n && good; from += BLOCK) {
    hsize_t start = (hsize_t)from, count = (hsize_t)(t->n - from < BLOCK ? t->n - from : BLOCK);
    for (hsize_t i = 0; i < count; i++) fill_row(t, f, n, from + (long)i, block + i * width);
    hid_t memory = H5Screate_simple(1, &count, NULL);
    good = memory >= 0 && H5Sselect_hyperslab(all, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
           H5Dwrite(set, type, memory, all, H5P_DEFAULT, block) >= 0;
    if (memory >= 0) H5Sclose(memory);
  }
  if (all >= 0) H5Sclose(all);
  free(block);
  return good;
}

static int write_points(hid_t file, const study_table *t) {
  field *f = (field *)grow(NULL, (size_t)t->n_columns + FIXED, sizeof *f);
  int n = make_fields(t, f);
  size_t width = f[n - 1].at + f[n - 1].size;
  hsize_t rows = (hsize_t)t->n, chunk = BLOCK < t->n ? BLOCK : (hsize_t)(t->n > 0 ? t->n : 1);
  hid_t type = H5Tcreate(H5T_COMPOUND, width), space = H5Screate_simple(1, &rows, NULL),
        how = H5Pcreate(H5P_DATASET_CREATE);
  int good = type >= 0 && space >= 0 && H5Pset_chunk(how, 1, &chunk) >= 0 && H5Pset_shuffle(how) >= 0 &&
             H5Pset_deflate(how, 4) >= 0;
  for (int k = 0; k < n && good; k++) good = H5Tinsert(type, f[k].name, f[k].at, f[k].type) >= 0;
  hid_t set = good ? H5Dcreate2(file, "points", type, space, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
  good = set >= 0 && write_rows(set, type, t, f, n, width);
  /* units by the number of the field, as names may hold anything */
  for (int k = 0; k < n && good; k++) {
    char name[32];
    snprintf(name, sizeof name, "unit_%d", k);
    good = cps_hdf_text(set, name, f[k].unit);
  }
  if (set >= 0) H5Dclose(set);
  for (int k = 0; k < n; k++)
    if (!f[k].x && k > 0) H5Tclose(f[k].type);
  H5Pclose(how);
  H5Sclose(space);
  H5Tclose(type);
  free(f);
  return good;
}

int study_table_hdf(const char *where, const study_table *t, const char *path) {
  hdf_voice voice = cps_hdf_hush();
  output_file out;
  char reason[200];
  if (!cps_output_name(&out, path, OUTPUT_NAMED)) {
    complain(where, "cannot write '%s': %s", path, out.reason);
    cps_hdf_unhush(voice);
    return STATUS_IO;
  }
  hid_t file = H5Fcreate(out.part, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  int good = file >= 0 && write_points(file, t);
  for (int i = 0; i < t->n_keys && good; i++) {
    hid_t about = i == 0 ? H5Gcreate2(file, "study", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                         : H5Gopen2(file, "study", H5P_DEFAULT);
    /* an attribute holds 64 kB; texts of files stay in the SQLite file */
    good = about >= 0 && (strlen(t->value[i]) > 60000 || cps_hdf_text(about, t->key[i], t->value[i]));
    if (about >= 0) H5Gclose(about);
  }
  if (!good) complain(where, "cannot write '%s': %s", path, cps_hdf_reason(reason, sizeof reason));
  if (file >= 0) good = H5Fclose(file) >= 0 && good;
  cps_hdf_unhush(voice);
  if (!good) {
    cps_output_discard(&out);
    return STATUS_IO;
  }
  if (cps_output_commit(&out)) return STATUS_GOOD;
  complain(where, "cannot write '%s': %s", path, out.reason);
  return STATUS_IO;
}
