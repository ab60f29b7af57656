/* result_write.c - result.h5, written: see result_file.h and docs/results.md.
 *
 * Live files obey what HDF5 asks of a single writer with many readers (SWMR): every object and attribute is made
 * before it starts, datasets then only grow, or are overwritten in place, and no text has a variable length.
 * Whatever is flushed is consistent, wherever the process dies. `recorded` is written after each flush: what it counts
 * is there; rows beyond may be half written.
 *
 * A chunk that is flushed before it is full is written again later, and in SWMR mode its old place is lost. Chunks
 * of live files are therefore short; when the run ends the file is written anew with long ones.
 */
#include "hdf.h"
#include "hdf_disk.h"
#include "result_file.h"
#include "row_store.h"
#include "seal.h"
#include "sens_result.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A finished dataset that is smaller than this in bytes stays as it is: the compressor takes longer to begin. */
enum { COMPRESS_FROM = 1 << 14 };

enum { PAGE = 4096, DEFLATE_LEVEL = 4, FIELD_CHUNK = 1 << 17, PATH_ROOM = 400 };

/* Rows that are in a file are brought into memory so many at a time; whole chunks of a finished file. */
enum { CHUNK_MOST = 16384, ROWS_AT_ONCE = 16 * CHUNK_MOST, EVENTS_AT_ONCE = 1 << 14 };

/* A live file with more columns has them in one dataset: HDF5 1.10 takes time with the square of how many there are
 * to flush and close them. */
enum { LIVE_COLUMNS = 1000 };

/* Parallel arrays of events. */
enum { EV_TIME, EV_CONTACT, EV_INDEX, EV_FROM, EV_TO, EV_FROM_MODE, EV_TO_MODE, EV_COUNT };
static const struct event_array {
  const char *name, *long_name;
  size_t text; /* length, 0 for numbers */
} event_arrays[EV_COUNT] = {
    [EV_TIME] = {"time", "time of the transition", 0},
    [EV_CONTACT] = {"contact", "contact", EVENT_NAME},
    [EV_INDEX] = {"contact_index", "place of the contact in the scenario, from 0", 0},
    [EV_FROM] = {"from", "mode before", EVENT_MODE},
    [EV_TO] = {"to", "mode after", EVENT_MODE},
    [EV_FROM_MODE] = {"from_mode", "number of the mode before, -1 where the law chooses", 0},
    [EV_TO_MODE] = {"to_mode", "number of the mode after", 0},
};

struct cps_result_file {
  cps_result_source from;
  char path[CPS_OUTPUT_PATH];
  int live;
  hid_t driver;
  hdf_disk *disk;           /* NULL before the file is open */
  hid_t file, link, access; /* the file, and how links are made and datasets opened */
  hid_t *series;            /* [columns] */
  hid_t rows;               /* all of them in one, of a live file with very many; otherwise -1 */
  hid_t events[EV_COUNT], event_type[EV_COUNT];
  hid_t frame_times, *fields; /* [fields] -1 for constant ones */
  hid_t recorded, status;
  cps_extent done;    /* in the file */
  int constants_done; /* constant fields are written */
  hid_t *all;         /* every handle, to be closed */
  int n_all, room_all;
  int failed;
};

/* ------------------------------------------------------------------ names for people */

static int split_derivative(const char *name, int *column, const char **parameter, int *length);

void cps_result_long_name(const char *name, char *text, size_t size) {
  const char *parameter;
  int column, length;
  if (split_derivative(name, &column, &parameter, &length)) {
    char part[COLUMN_NAME], of[COLUMN_NAME];
    snprintf(part, sizeof part, "%.*s", column, name + 2);
    cps_result_long_name(part, of, sizeof of);
    snprintf(text, size, "derivative of %s by %.*s", of, length, parameter);
    return;
  }
  char thing[CPS_NAME_ROOM + 1];
  const cps_column_meaning *m = cps_column_meaning_find(name, thing, sizeof thing);
  const char *gap = m ? strstr(m->text, "%s") : NULL;
  if (gap)
    snprintf(text, size, "%.*s%s%s", (int)(gap - m->text), m->text, thing, gap + 2);
  else
    snprintf(text, size, "%s", m ? m->text : name);
}

/* ------------------------------------------------------------------ sizes */

double cps_result_size(const cps_scenario *s, const cps_result *r, double *rows, double *frames) {
  const scenario_run *run = &s->run;
  double span = run->until - run->from, per_frame = 1;
  *rows = run->output > 0 ? floor(span / run->output) + 1 : 0;
  *frames = 0;
  for (int i = 0; i < r->n_fields; i++)
    if (!r->fields[i].field.constant)
      per_frame += (double)r->fields[i].field.points * r->fields[i].field.components;
  if (r->n_fields > 0) *frames = run->fields > 0 ? floor(span / run->fields) + 1 : run->fields < 0 ? 201 : 0;
  return 8 * (*rows * r->n_columns + *frames * per_frame);
}

static hsize_t within(double x, double least, double most) {
  return (hsize_t)(x < least ? least : x > most ? most : x);
}

/* Rows per chunk: see the top. */
static hsize_t row_chunk(const cps_result_file *f) {
  if (!f->live) return within((double)f->from.result->rows, 1, CHUNK_MOST);
  double rows, frames;
  cps_result_size(f->from.scenario, f->from.result, &rows, &frames);
  double room = 3e7 / f->from.result->n_columns; /* all columns have a chunk in memory */
  return within(rows > 0 ? rows / 64 : 1024, 16, fmin(fmax(room, 16), 4096));
}

/* ------------------------------------------------------------------ making */

static cps_status broken(cps_result_file *f, cps_error *err) {
  char why[160];
  int reason = f->disk ? f->disk->error : errno;
  f->failed = 1;
  if (reason)
    return cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", f->path,
                         cps_hdf_system(reason, why, sizeof why));
  return cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", f->path, cps_hdf_reason(why, sizeof why));
}

/* Remembers a handle, to close it with the file; -1 if it is none or there is no memory. */
static hid_t keep(cps_result_file *f, hid_t handle) {
  if (handle < 0) return -1;
  if (f->n_all == f->room_all) {
    int room = 2 * f->room_all + 64;
    hid_t *more = realloc(f->all, (size_t)room * sizeof *more);
    if (!more) return -1;
    f->all = more;
    f->room_all = room;
  }
  f->all[f->n_all++] = handle;
  return handle;
}

/* The two parts of d(COLUMN)/d(PARAMETER); 0 if a name is not of that form. */
static int split_derivative(const char *name, int *column, const char **parameter, int *length) {
  const char *middle = strstr(name, ")/d(");
  size_t n = strlen(name);
  if (strncmp(name, "d(", 2) != 0 || !middle || name[n - 1] != ')') return 0;
  *column = (int)(middle - name) - 2;
  *parameter = middle + 4;
  *length = (int)(name + n - 1 - *parameter);
  return 1;
}

/* The path of a dotted name below a group. Derivatives have a group for each parameter. */
static void path_of(char path[PATH_ROOM], const char *group, const char *name) {
  const char *parameter;
  char column[COLUMN_NAME], folder[COLUMN_NAME + 20];
  int length, n_column;
  if (split_derivative(name, &n_column, &parameter, &length)) {
    snprintf(column, sizeof column, "%.*s", n_column, name + 2);
    snprintf(folder, sizeof folder, "/sensitivities/%.*s", length, parameter);
    path_of(path, folder, column);
    return;
  }
  int n = snprintf(path, PATH_ROOM, "%s/", group);
  snprintf(path + n, (size_t)(PATH_ROOM - n), "%s", name);
  for (char *c = path + n; *c; c++)
    if (*c == '.') *c = '/';
}

/* A dataset that grows along its first dimension; -1 if it cannot be made. */
static hid_t make_growing(cps_result_file *f, const char *path, hid_t type, int rank, const hsize_t *rest,
                          hsize_t chunk) {
  hsize_t now[3] = {0, 1, 1}, most[3] = {H5S_UNLIMITED, 1, 1}, chunks[3] = {chunk, 1, 1};
  size_t bytes = (size_t)chunk * H5Tget_size(type);
  for (int i = 1; i < rank; i++) {
    now[i] = most[i] = chunks[i] = rest[i - 1];
    bytes *= (size_t)rest[i - 1];
  }
  hid_t space = H5Screate_simple(rank, now, most), make = H5Pcreate(H5P_DATASET_CREATE);
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS), d = -1;
  double unknown = NAN;
  int good = H5Pset_chunk(make, rank, chunks) >= 0 &&
             ((!f->live && bytes < COMPRESS_FROM) ||
              (H5Pset_shuffle(make) >= 0 && H5Pset_deflate(make, DEFLATE_LEVEL) >= 0)) &&
             H5Pset_chunk_cache(access, 3, 2 * bytes + 1024, 1) >= 0;
  if (good && H5Tget_class(type) == H5T_FLOAT)
    good = H5Pset_fill_value(make, H5T_NATIVE_DOUBLE, &unknown) >= 0;
  if (good) d = keep(f, H5Dcreate2(f->file, path, type, space, f->link, make, access));
  H5Pclose(access);
  H5Pclose(make);
  H5Sclose(space);
  return d;
}

/* One of fixed size, with its value (unless NULL); closed at once unless `open`. -1 if it fails. */
static hid_t make_fixed(cps_result_file *f, const char *path, hid_t type, int rank, const hsize_t *size,
                        const void *value) {
  hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
  /* in place from the start: it may be written when nothing can be made any more */
  hid_t make = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(make, H5D_ALLOC_TIME_EARLY);
  hid_t d = keep(f, H5Dcreate2(f->file, path, type, space, f->link, make, H5P_DEFAULT));
  if (d >= 0 && value && H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) d = -1;
  H5Pclose(make);
  H5Sclose(space);
  return d;
}

static hid_t make_text(cps_result_file *f, const char *path, const char *text, size_t length) {
  hid_t type = cps_hdf_text_type(length);
  hid_t d = make_fixed(f, path, type, 0, NULL, length > 0 ? text : "");
  H5Tclose(type);
  return d;
}

static int describe(hid_t d, const char *name, const char *unit) {
  char text[2 * COLUMN_NAME];
  cps_result_long_name(name, text, sizeof text);
  return cps_hdf_text(d, "unit", unit) && cps_hdf_text(d, "name", name) && cps_hdf_text(d, "long_name", text);
}

/* One dataset for all columns, and their names and units. */
static int make_rows(cps_result_file *f) {
  const cps_result *r = f->from.result;
  hsize_t columns = (hsize_t)r->n_columns;
  enum { NAME = sizeof *r->names, UNIT = 32 };
  char(*units)[UNIT] = calloc((size_t)r->n_columns, UNIT);
  hid_t name = cps_hdf_text_type(NAME), unit = cps_hdf_text_type(UNIT);
  for (int c = 0; units && c < r->n_columns; c++) snprintf(units[c], UNIT, "%s", r->units[c]);
  f->rows = make_growing(f, "/rows/values", H5T_NATIVE_DOUBLE, 2, &columns,
                         within(FIELD_CHUNK / (8.0 * r->n_columns), 1, 64));
  int good = units && f->rows >= 0 && make_fixed(f, "/rows/names", name, 1, &columns, r->names) >= 0 &&
             make_fixed(f, "/rows/units", unit, 1, &columns, units) >= 0;
  H5Tclose(name);
  H5Tclose(unit);
  free(units);
  return good;
}

static int make_series(cps_result_file *f) {
  const cps_result *r = f->from.result;
  if (f->live && r->n_columns > LIVE_COLUMNS) return make_rows(f);
  hsize_t chunk = row_chunk(f);
  for (int c = 0; c < r->n_columns; c++) {
    char path[PATH_ROOM];
    path_of(path, "/series", r->names[c]);
    f->series[c] = make_growing(f, path, H5T_NATIVE_DOUBLE, 1, NULL, chunk);
    if (f->series[c] < 0 || !describe(f->series[c], r->names[c], r->units[c]) ||
        !cps_hdf_integer(f->series[c], "column", c))
      return 0;
  }
  return 1;
}

static int make_events(cps_result_file *f) {
  for (int i = 0; i < EV_COUNT; i++) {
    const struct event_array *a = &event_arrays[i];
    char path[PATH_ROOM];
    path_of(path, "/events", a->name);
    f->event_type[i] = a->text        ? keep(f, cps_hdf_text_type(a->text))
                       : i == EV_TIME ? H5T_NATIVE_DOUBLE
                                      : H5T_NATIVE_INT;
    hsize_t chunk = f->live ? 64 : within((double)f->from.result->n_events, 1, 4096);
    hid_t d = f->events[i] = make_growing(f, path, f->event_type[i], 1, NULL, chunk);
    if (d < 0 || !cps_hdf_text(d, "long_name", a->long_name)) return 0;
    if (!a->text && !cps_hdf_text(d, "unit", i == EV_TIME ? "s" : "1")) return 0;
  }
  return 1;
}

/* Sizes of a field: points, and components if there are several. */
static int field_rank(const cps_field *field, hsize_t size[2]) {
  size[0] = (hsize_t)(field->points > 0 ? field->points : 1);
  size[1] = (hsize_t)field->components;
  return field->components > 1 ? 2 : 1;
}

static int make_fields(cps_result_file *f) {
  const cps_result *r = f->from.result;
  char path[PATH_ROOM];
  hsize_t expected = within((double)r->frames, 1, 256);
  f->frame_times = make_growing(f, "/fields/time", H5T_NATIVE_DOUBLE, 1, NULL, f->live ? 64 : expected);
  if (f->frame_times < 0 || !describe(f->frame_times, "time", "s")) return 0;
  for (int i = 0; i < r->n_fields; i++) {
    const cps_field *field = &r->fields[i].field;
    hsize_t size[2];
    int rank = field_rank(field, size);
    size_t bytes = (size_t)size[0] * (size_t)field->components * sizeof(double);
    path_of(path, "/fields", field->name);
    if (field->constant)
      f->fields[i] = make_fixed(f, path, H5T_NATIVE_DOUBLE, rank, size, NULL);
    else
      f->fields[i] = make_growing(
          f, path, H5T_NATIVE_DOUBLE, rank + 1, size,
          within((double)FIELD_CHUNK / (double)bytes, 1, f->live ? 8 : (double)expected));
    if (f->fields[i] < 0 || !describe(f->fields[i], field->name, field->unit) ||
        !cps_hdf_integer(f->fields[i], "constant", field->constant) ||
        !cps_hdf_integer(f->fields[i], "field", i))
      return 0;
  }
  return 1;
}

/* Where bodies and drums are, for drawings. */
static int make_places(cps_result_file *f) {
  const cps_scenario *s = f->from.scenario;
  int n = s->n_bodies + s->n_drums;
  if (n == 0) return keep(f, H5Gcreate2(f->file, "/geometry", f->link, H5P_DEFAULT, H5P_DEFAULT)) >= 0;
  char(*names)[CPS_NAME_ROOM] = calloc((size_t)n, sizeof *names),
  (*kinds)[KIND_NAME] = calloc((size_t)n, sizeof *kinds);
  double(*at)[3] = calloc((size_t)n, sizeof *at), (*direction)[3] = calloc((size_t)n, sizeof *direction);
  double *radius = calloc((size_t)n, sizeof *radius);
  int good = names && kinds && at && direction && radius;
  for (int i = 0; good && i < n; i++) {
    const scenario_body *b = i < s->n_bodies ? &s->bodies[i] : NULL;
    const scenario_drum *d = b ? NULL : &s->drums[i - s->n_bodies];
    memcpy(names[i], b ? b->name : d->name, CPS_NAME_ROOM);
    snprintf(kinds[i], sizeof kinds[i], "%s",
             !b                        ? "drum"
             : b->kind == BODY_LINE    ? "line"
             : b->kind == BODY_SURFACE ? "surface"
                                       : "plane");
    memcpy(at[i], b ? b->origin : d->center, sizeof at[i]);
    memcpy(direction[i], b ? b->direction : d->axis, sizeof direction[i]);
    radius[i] = b ? 0 : d->radius;
  }
  hsize_t size[2] = {(hsize_t)n, 3};
  hid_t name = cps_hdf_text_type(CPS_NAME_ROOM), kind = cps_hdf_text_type(KIND_NAME);
  good = good && make_fixed(f, "/geometry/name", name, 1, size, names) >= 0 &&
         make_fixed(f, "/geometry/kind", kind, 1, size, kinds) >= 0 &&
         make_fixed(f, "/geometry/at", H5T_NATIVE_DOUBLE, 2, size, at) >= 0 &&
         make_fixed(f, "/geometry/direction", H5T_NATIVE_DOUBLE, 2, size, direction) >= 0 &&
         make_fixed(f, "/geometry/radius", H5T_NATIVE_DOUBLE, 1, size, radius) >= 0;
  H5Tclose(name);
  H5Tclose(kind);
  free(names);
  free(kinds);
  free(at);
  free(direction);
  free(radius);
  return good;
}

static int make_scenario(cps_result_file *f) {
  const cps_scenario *s = f->from.scenario;
  if (make_text(f, "/scenario/text", s->text, s->length) < 0) return 0;
  hid_t g = keep(f, H5Gopen2(f->file, "/scenario", H5P_DEFAULT));
  size_t length = 1;
  for (int i = 0; i < s->n_settings; i++) length += strlen(s->settings[i]) + 1;
  char *settings = calloc(length, 1);
  if (g < 0 || !settings) {
    free(settings);
    return 0;
  }
  for (int i = 0, at = 0; i < s->n_settings; i++)
    at += snprintf(settings + at, length - (size_t)at, "%s%s", i > 0 ? "\n" : "", s->settings[i]);
  /* Attributes of many settings may be too large for one: those are in the text of the summary too. */
  int good = cps_hdf_text(g, "file", s->file) && cps_hdf_text(g, "hash", s->hash) &&
             cps_hdf_text(g, "title", s->title) && cps_hdf_text(g, "settings", settings);
  free(settings);
  return good;
}

static int make_provenance(cps_result_file *f) {
  const scenario_run *run = &f->from.scenario->run;
  hid_t g = keep(f, H5Gcreate2(f->file, "/provenance", f->link, H5P_DEFAULT, H5P_DEFAULT));
  unsigned major = 0, minor = 0, release = 0;
  char hdf[40];
  H5get_libversion(&major, &minor, &release);
  snprintf(hdf, sizeof hdf, "%u.%u.%u", major, minor, release);
#if defined(__VERSION__)
  const char *build = "C compiler " __VERSION__;
#else
  const char *build = "unknown compiler";
#endif
  return g >= 0 && cps_hdf_text(g, "program", "capstan") && cps_hdf_text(g, "version", cps_version()) &&
         cps_hdf_text(g, "build", build) && cps_hdf_text(g, "hdf5", hdf) &&
         cps_hdf_text(g, "solver", run->solver) && cps_hdf_number(g, "from", run->from) &&
         cps_hdf_number(g, "until", run->until) && cps_hdf_number(g, "output", run->output) &&
         cps_hdf_number(g, "fields", run->fields) && cps_hdf_number(g, "step", run->step) &&
         cps_hdf_number(g, "tolerance", run->tolerance) &&
         cps_hdf_number(g, "absolute_tolerance", run->tolerance_abs) &&
         cps_hdf_integer(g, "dimension", f->from.scenario->dim == 3 ? 3 : 2);
}

static int make_root(cps_result_file *f) {
  char status[STATUS_NAME] = "";
  int64_t none[3] = {0, 0, 0};
  hsize_t three = 3;
  hid_t type = keep(f, cps_hdf_text_type(STATUS_NAME)), root = keep(f, H5Gopen2(f->file, "/", H5P_DEFAULT));
  snprintf(status, sizeof status, "%s", f->from.status);
  f->status = make_fixed(f, "/status", type, 0, NULL, status);
  f->recorded = make_fixed(f, "/recorded", H5T_NATIVE_INT64, 1, &three, none);
  if (root < 0 || f->status < 0 || f->recorded < 0) return 0;
  if (f->from.summary && make_text(f, "/summary", f->from.summary, strlen(f->from.summary)) < 0) return 0;
  return cps_hdf_text(f->recorded, "long_name", "rows, events and frames that are complete") &&
         cps_hdf_text(root, "conventions", "Capstan result 1") &&
         cps_hdf_text(root, "title", f->from.scenario->title);
}

static hid_t create(cps_result_file *f) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), make = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  /* the format that has checksums */
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  if (f->live) {
    /* A process that is killed while it writes may have written some pages and not the next: what fits in a page has
     * to lie in one, or it could be half old, half new. */
    H5Pset_alignment(access, 1, PAGE);
    /* That leaves a gap behind every piece. HDF5 would look through all of them for room for the next. */
    H5Pset_file_space_strategy(make, H5F_FSPACE_STRATEGY_NONE, 0, 1);
  } else {
    H5Pset_userblock(make, SEAL_SIZE);
  }
  f->driver = cps_hdf_disk_use(access);
  unlink(f->path); /* never what lies there, which may be a link: a file of our own */
  errno = 0;
  hid_t file = f->driver >= 0 ? H5Fcreate(f->path, H5F_ACC_EXCL, make, access) : -1;
  void *handle = NULL;
  if (file >= 0 && H5Fget_vfd_handle(file, access, &handle) >= 0) f->disk = handle;
  H5Pclose(make);
  H5Pclose(access);
  return file;
}

/* Everything that the file will ever have, still empty. NULL if out of memory. */
static cps_result_file *make(const char *path, const cps_result_source *from, int live, cps_error *err) {
  cps_result_file *f = calloc(1, sizeof *f);
  if (f) {
    f->series = calloc((size_t)from->result->n_columns + 1, sizeof *f->series);
    f->fields = calloc((size_t)from->result->n_fields + 1, sizeof *f->fields);
  }
  if (!f || !f->series || !f->fields || strlen(path) >= sizeof f->path) {
    if (f) free(f->series), free(f->fields);
    free(f);
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for '%s', or its name is too long", path);
    return NULL;
  }
  f->from = *from;
  f->live = live;
  f->rows = -1;
  snprintf(f->path, sizeof f->path, "%s", path);
  f->link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(f->link, 1);
  H5Pset_char_encoding(f->link, H5T_CSET_UTF8);
  f->file = create(f);
  if (f->file < 0 || !f->disk || !make_root(f) || !make_series(f) || !make_events(f) || !make_fields(f) ||
      !make_places(f) || !make_scenario(f) || !make_provenance(f))
    broken(f, err);
  return f;
}

/* ------------------------------------------------------------------ adding */

/* Writes entries first .. first + n of a dataset that grows; the other sizes are those of one entry. */
static int put(hid_t d, hid_t type, long first, long n, int rank, const hsize_t *rest, const void *data) {
  hsize_t size[3] = {(hsize_t)(first + n), 1, 1}, start[3] = {(hsize_t)first, 0, 0},
          count[3] = {(hsize_t)n, 1, 1};
  for (int i = 1; i < rank; i++) size[i] = count[i] = rest[i - 1];
  if (H5Dset_extent(d, size) < 0) return 0;
  hid_t there = H5Screate_simple(rank, size, NULL), here = H5Screate_simple(rank, count, NULL);
  int good = H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
             H5Dwrite(d, type, here, there, H5P_DEFAULT, data) >= 0;
  H5Sclose(here);
  H5Sclose(there);
  return good;
}

/* Rows of the one dataset that has all columns, a block at a time. */
static int add_whole_rows(cps_result_file *f, long first, long n) {
  const cps_result *r = f->from.result;
  const hsize_t columns = (hsize_t)r->n_columns;
  const long block = 16;
  double *values = malloc((size_t)block * (size_t)columns * sizeof(double));
  int good = values != NULL;
  for (long from = first; from < first + n && good; from += block) {
    long count = first + n - from < block ? first + n - from : block;
    for (int c = 0; c < r->n_columns; c++)
      for (long i = 0; i < count; i++)
        values[(size_t)i * (size_t)columns + (size_t)c] = cps_result_data(r, c)[from + i];
    good = put(f->rows, H5T_NATIVE_DOUBLE, from, count, 2, &columns, values);
  }
  free(values);
  return good;
}

static int add_rows(cps_result_file *f) {
  const cps_result *r = f->from.result;
  long first = f->done.rows, n = r->rows - first;
  if (f->rows >= 0 && !add_whole_rows(f, first, n)) return 0;
  for (int c = 0; f->rows < 0 && c < r->n_columns; c++)
    for (long at = first; at < r->rows; at += ROWS_AT_ONCE) {
      long count = r->rows - at < ROWS_AT_ONCE ? r->rows - at : ROWS_AT_ONCE;
      if (!put(f->series[c], H5T_NATIVE_DOUBLE, at, count, 1, NULL, cps_result_data(r, c) + at)) return 0;
      cps_rows_release(r);
    }
  f->done.rows = r->rows;
  return 1;
}

/* One kind of thing about n events, into data. */
static void gather(const cps_result *r, int what, long first, long n, void *data) {
  for (long i = 0; i < n; i++) {
    const cps_event *e = &r->events[first + i];
    const char *arrow = strstr(e->what, " -> ");
    char *text = (char *)data + (size_t)i * event_arrays[what].text;
    if (what == EV_TIME)
      ((double *)data)[i] = e->time;
    else if (what == EV_INDEX)
      ((int *)data)[i] = e->contact;
    else if (what == EV_FROM_MODE)
      ((int *)data)[i] = e->from;
    else if (what == EV_TO_MODE)
      ((int *)data)[i] = e->to;
    else if (what == EV_CONTACT)
      snprintf(text, EVENT_NAME, "%s", e->contact_name);
    else if (what == EV_FROM)
      snprintf(text, EVENT_MODE, "%.*s", arrow ? (int)(arrow - e->what) : 0, e->what);
    else
      snprintf(text, EVENT_MODE, "%s", arrow ? arrow + 4 : e->what);
  }
}

static int add_events(cps_result_file *f) {
  const cps_result *r = f->from.result;
  int good = 1;
  for (long first = f->done.events; first < r->n_events && good; first += EVENTS_AT_ONCE) {
    long n = r->n_events - first < EVENTS_AT_ONCE ? r->n_events - first : EVENTS_AT_ONCE;
    for (int i = 0; i < EV_COUNT && good; i++) {
      void *data = calloc((size_t)n, event_arrays[i].text ? event_arrays[i].text : sizeof(double));
      if (data) gather(r, i, first, n, data);
      good = data && put(f->events[i], f->event_type[i], first, n, 1, NULL, data);
      free(data);
    }
  }
  f->done.events = r->n_events;
  return good;
}

/* Frames of one field, so many at a time that a piece has about as many values as one of rows. */
static int put_frames(cps_result_file *f, int i, long first, long n) {
  const field_data *d = &f->from.result->fields[i];
  hsize_t size[2];
  int rank = field_rank(&d->field, size);
  size_t entry = (size_t)size[0] * (size_t)d->field.components;
  long piece = entry < ROWS_AT_ONCE ? (long)(ROWS_AT_ONCE / entry) : 1;
  for (long at = first; at < first + n; at += piece) {
    long count = first + n - at < piece ? first + n - at : piece;
    if (!put(f->fields[i], H5T_NATIVE_DOUBLE, at, count, rank + 1, size, d->data + (size_t)at * entry))
      return 0;
    cps_rows_release(f->from.result);
  }
  return 1;
}

/* Frames; and constant fields, once they have values. */
static int add_frames(cps_result_file *f) {
  const cps_result *r = f->from.result;
  long first = f->done.frames, n = r->frames - first;
  for (int i = 0; i < r->n_fields; i++) {
    const field_data *d = &r->fields[i];
    if (d->field.constant) {
      if (f->constants_done || !d->data) continue;
      if (H5Dwrite(f->fields[i], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, d->data) < 0) return 0;
    } else if (!put_frames(f, i, first, n)) {
      return 0;
    }
  }
  if (n > 0 && !put(f->frame_times, H5T_NATIVE_DOUBLE, first, n, 1, NULL, r->frame_times + first)) return 0;
  if (r->frames > 0) f->constants_done = 1;
  f->done.frames = r->frames;
  return 1;
}

static int write_recorded(cps_result_file *f) {
  int64_t recorded[3] = {f->done.rows, f->done.events, f->done.frames};
  return H5Dwrite(f->recorded, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, recorded) >= 0;
}

cps_status cps_result_file_append(cps_result_file *f, cps_error *err) {
  hdf_voice voice = cps_hdf_hush();
  cps_status status = CPS_OK;
  if (f->failed || !add_rows(f) || !add_events(f) || !add_frames(f)) status = broken(f, err);
  cps_hdf_unhush(voice);
  return status;
}

cps_status cps_result_file_flush(cps_result_file *f, int to_disk, cps_error *err) {
  char why[160];
  hdf_voice voice = cps_hdf_hush();
  cps_status status = CPS_OK;
  if (f->failed || H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0 || f->disk->error || !write_recorded(f) ||
      H5Dflush(f->recorded) < 0 || f->disk->error)
    status = broken(f, err);
  else if (to_disk && fdatasync(f->disk->descriptor) != 0 && errno != EINVAL)
    status = cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", f->path,
                           cps_hdf_system(errno, why, sizeof why));
  if (status != CPS_OK) f->failed = 1;
  cps_hdf_unhush(voice);
  return status;
}

/* ------------------------------------------------------------------ closing */

/* Closes and frees, whatever state it is in; 0, and a reason from the operating system if there is one, if not all
 * could be written. */
static int finish(cps_result_file *f, int *reason) {
  int good = !f->failed;
  for (int i = f->n_all - 1; i >= 0; i--) {
    if (H5Iis_valid(f->all[i]) <= 0) continue;
    good = H5Idec_ref(f->all[i]) >= 0 && good;
  }
  good = good && f->file >= 0 && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0 && !f->disk->error;
  *reason = f->disk ? f->disk->error : 0;
  if (f->disk) f->disk->last = reason;
  if (f->file >= 0) good = H5Fclose(f->file) >= 0 && !*reason && good;
  if (f->driver >= 0) H5FDunregister(f->driver);
  H5Pclose(f->link);
  free(f->all);
  free(f->series);
  free(f->fields);
  return good;
}

cps_result_file *cps_result_file_new(const char *path, const cps_result_source *from, cps_error *err) {
  hdf_voice voice = cps_hdf_hush();
  cps_result_file *f = make(path, from, 1, err);
  if (f && !f->failed && (H5Fstart_swmr_write(f->file) < 0 || f->disk->error)) broken(f, err);
  cps_hdf_unhush(voice);
  if (f && !f->failed && cps_result_file_append(f, err) == CPS_OK &&
      cps_result_file_flush(f, 0, err) == CPS_OK)
    return f;
  if (f) cps_result_file_close(f, NULL, NULL);
  return NULL;
}

cps_status cps_result_file_close(cps_result_file *f, const char *status, cps_error *err) {
  hdf_voice voice = cps_hdf_hush();
  char text[STATUS_NAME] = "", why[160];
  cps_status result = CPS_OK;
  if (status && f->status >= 0) {
    hid_t type = cps_hdf_text_type(STATUS_NAME);
    snprintf(text, sizeof text, "%s", status);
    if (H5Dwrite(f->status, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) f->failed = 1;
    H5Tclose(type);
  }
  int reason = 0;
  if (!finish(f, &reason))
    result = cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", f->path,
                           reason ? cps_hdf_system(reason, why, sizeof why)
                                  : cps_hdf_reason(why, sizeof why));
  free(f);
  cps_hdf_unhush(voice);
  return result;
}

static cps_status write_whole(const char *path, cps_output_where where, const cps_result_source *from,
                              cps_error *err) {
  cps_output_file name;
  char why[160];
  if (!cps_output_name(&name, path, where))
    return cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", path, name.reason);
  hdf_voice voice = cps_hdf_hush();
  cps_result_file *f = make(name.part, from, 0, err);
  cps_hdf_unhush(voice);
  if (!f) return CPS_NO_MEMORY;
  cps_status status = f->failed ? CPS_IO : cps_result_file_append(f, err);
  if (status == CPS_OK) status = cps_result_file_flush(f, 0, err); /* to the disk once it is sealed */
  cps_status closed = cps_result_file_close(f, NULL, status == CPS_OK ? err : NULL);
  if (status == CPS_OK) status = closed;
  if (status == CPS_OK && !cps_seal_write(name.part))
    status = cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", path,
                           cps_hdf_system(errno, why, sizeof why));
  if (status == CPS_OK && !cps_output_commit(&name))
    status = cps_error_set(err, CPS_IO, NULL, "cannot write '%s': %s", path, name.reason);
  if (status != CPS_OK) cps_output_discard(&name);
  return status;
}

cps_status cps_result_file_write(const char *path, const cps_result_source *from, cps_error *err) {
  return write_whole(path, CPS_OUTPUT_INSIDE, from, err);
}

cps_status cps_simulation_write(const cps_simulation *sim, const char *path, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  cps_result_source from = {.result = &sim->result, .scenario = sim->system->scenario};
  from.status = sim->t >= run->until ? "complete" : sim->ended ? "failed" : "running";
  return write_whole(path, CPS_OUTPUT_NAMED, &from, err);
}

cps_status cps_sens_write(const cps_sens *s, const char *path, cps_error *err) {
  cps_error e = {0};
  cps_result *r = cps_sens_with_histories(s, &e);
  cps_status status = e.status;
  if (r) {
    const cps_scenario *sc = cps_sens_scenario(s);
    cps_result_source from = {
        .result = r, .scenario = sc, .status = cps_sens_is_complete(s) ? "complete" : "failed"};
    status = cps_result_file_write(path, &from, &e);
  }
  cps_result_free(r);
  if (status != CPS_OK && err) *err = e;
  return status;
}
