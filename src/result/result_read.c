/* result_read.c - result.h5, read: see result_file.h. Also of a run that goes on, or was killed.
 *
 * Nothing in the file is trusted: whatever has not the form it should have is left out, or is an error. */
#include "hdf.h"
#include "hdf_disk.h"
#include "plain_text.h"
#include "result_texts.h"
#include "seal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* One dataset that a visit has found. */
typedef struct entry {
  char path[COLUMN_NAME];
  int order; /* `column` or `field` */
} entry;

typedef struct listing {
  entry *entries;
  int n, room;
  const char *order; /* the attribute that says where it belongs */
  int bad;           /* no memory, or a dataset that is not to be read */
} listing;

/* ------------------------------------------------------------------ finding */

static herr_t visit(hid_t group, const char *name, const H5O_info_t *info, void *data) {
  listing *l = data;
  if (info->type != H5O_TYPE_DATASET || strlen(name) >= sizeof l->entries->path) return 0;
  hid_t d = cps_hdf_open_dataset(group, name);
  if (d < 0) {
    l->bad = 1;
    return -1;
  }
  int order = cps_hdf_read_integer(d, l->order, -1);
  H5Dclose(d);
  if (order < 0) return 0;
  if (l->n == l->room) {
    int room = 2 * l->room + 64;
    entry *more = realloc(l->entries, (size_t)room * sizeof *more);
    if (!more) {
      l->bad = 1;
      return -1;
    }
    l->entries = more;
    l->room = room;
  }
  snprintf(l->entries[l->n].path, sizeof l->entries[l->n].path, "%s", name);
  l->entries[l->n++].order = order;
  return 0;
}

static int by_order(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->order != y->order ? (x->order < y->order ? -1 : 1) : strcmp(x->path, y->path);
}

/* The datasets below a group, in their order. */
static listing list_group(hid_t file, const char *group, const char *order) {
  listing l = {.order = order};
  hid_t g = cps_hdf_open_group(file, group);
  if (g < 0) return l;
  H5Ovisit(g, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &l);
  H5Gclose(g);
  if (l.n > 0) qsort(l.entries, (size_t)l.n, sizeof *l.entries, by_order);
  return l;
}

static hid_t open_in(hid_t file, const char *group, const char *path) {
  char whole[COLUMN_NAME + 40];
  snprintf(whole, sizeof whole, "%s/%s", group, path);
  return cps_hdf_open_dataset(file, whole);
}

/* The first n entries of an array of one dimension; 0 if they cannot be read. */
static int take(hid_t d, hid_t type, hsize_t n, void *data) { return cps_hdf_read(d, type, 1, &n, data); }

static char *take_text(hid_t file, const char *path) {
  hid_t d = cps_hdf_open_dataset(file, path);
  char *text = cps_hdf_read_whole_text(d);
  if (d >= 0) H5Dclose(d);
  return text;
}

/* The unit of a dataset, and its dotted name. */
static void label(hid_t d, const char *path, char *name, size_t size, char unit[UNIT_ROOM]) {
  char *text = cps_hdf_read_text(d, "unit");
  snprintf(unit, UNIT_ROOM, "%s", text ? text : "1");
  free(text);
  snprintf(name, size, "%s", path);
  cps_plain_text(unit, 0);
  cps_plain_text(name, 0);
  for (char *c = name; *c; c++)
    if (*c == '/') *c = '.';
}

/* ------------------------------------------------------------------ parts */

/* How much is complete: `recorded`, and not more than every dataset has. */
static cps_extent find_extent(hid_t file) {
  cps_extent e = {LONG_MAX, LONG_MAX, LONG_MAX};
  hid_t d = cps_hdf_open_dataset(file, "/recorded");
  int64_t counts[3];
  if (d < 0) return e;
  if (take(d, H5T_NATIVE_INT64, 3, counts) && counts[0] >= 0 && counts[1] >= 0 && counts[2] >= 0)
    e = (cps_extent){counts[0], counts[1], counts[2]};
  H5Dclose(d);
  return e;
}

/* All columns in one dataset: a run with very many of them that goes on, or was killed. */
static int read_rows(hid_t file, cps_result *r, long most) {
  hid_t values = open_in(file, "/rows", "values"), names = open_in(file, "/rows", "names");
  hid_t units = open_in(file, "/rows", "units");
  hsize_t size[3] = {0, 0, 0}, n_names[3], n_units[3];
  int good = values >= 0 && names >= 0 && units >= 0 && cps_hdf_sizes(values, size) == 2 && size[1] > 0 &&
             size[1] < INT_MAX / 2 && cps_hdf_sizes(names, n_names) == 1 &&
             cps_hdf_sizes(units, n_units) == 1 && n_names[0] == size[1] && n_units[0] == size[1];
  r->rows = good && size[0] < (hsize_t)most ? (long)size[0] : most;
  good = good && cps_result_make_columns(r, (int)size[1]);
  const hsize_t block[] = {(hsize_t)r->rows, size[1]};
  size_t cells;
  good = good && cps_size_times((size_t)block[0], (size_t)block[1], &cells);
  double *all = good ? calloc(cells + 1, sizeof(double)) : NULL;
  hid_t name = cps_hdf_text_type(sizeof *r->names), unit = cps_hdf_text_type(UNIT_ROOM);
  good = all && cps_hdf_read(values, H5T_NATIVE_DOUBLE, 2, block, all) &&
         take(names, name, size[1], r->names) && take(units, unit, size[1], r->texts->column_unit);
  for (int c = 0; good && c < r->n_columns; c++) {
    r->names[c][sizeof *r->names - 1] = r->texts->column_unit[c][UNIT_ROOM - 1] = 0;
    cps_plain_text(r->names[c], 0);
    cps_plain_text(r->texts->column_unit[c], 0);
    r->units[c] = r->texts->column_unit[c];
    for (long i = 0; i < r->rows; i++)
      r->data[(size_t)c * (size_t)r->capacity + (size_t)i] = all[(size_t)i * (size_t)size[1] + (size_t)c];
  }
  free(all);
  hid_t open[] = {values, names, units};
  for (int i = 0; i < 3; i++)
    if (open[i] >= 0) H5Dclose(open[i]);
  H5Tclose(name);
  H5Tclose(unit);
  return good;
}

/* A column, if it can be read in full; its length alone if r has no room yet. */
static int read_column(hid_t file, const char *group, const char *path, cps_result *r, int c) {
  hid_t d = open_in(file, group, path);
  hsize_t size[3];
  int good = d >= 0 && cps_hdf_sizes(d, size) == 1;
  if (good && !r->data && size[0] < (hsize_t)r->rows) r->rows = (long)size[0];
  if (good && r->data) {
    label(d, path, r->names[c], sizeof r->names[c], r->texts->column_unit[c]);
    r->units[c] = r->texts->column_unit[c];
    good = take(d, H5T_NATIVE_DOUBLE, (hsize_t)r->rows, r->data + (size_t)c * (size_t)r->capacity);
  }
  if (d >= 0) H5Dclose(d);
  return good;
}

/* From the path of a derivative, PARAMETER/bodies/block/x, to d(bodies.block.x)/d(PARAMETER). */
static void name_derivative(const char *path, char *name) {
  int n = (int)strcspn(path, "/");
  char column[COLUMN_NAME];
  snprintf(column, sizeof column, "%s", path[n] ? path + n + 1 : "");
  for (char *c = column; *c; c++)
    if (*c == '/') *c = '.';
  if (snprintf(name, COLUMN_NAME, "d(%s)/d(%.*s)", column, n, path) >= COLUMN_NAME) name[COLUMN_NAME - 1] = 0;
}

static int read_series(hid_t file, cps_result *r, long most) {
  if (H5Lexists(file, "/rows", H5P_DEFAULT) > 0) return read_rows(file, r, most);
  listing l = list_group(file, "/series", "column"), d = list_group(file, "/sensitivities", "column");
  int good = l.n > 0 && !l.bad && !d.bad && strcmp(l.entries[0].path, "time") == 0;
  r->rows = most;
  for (int pass = 0; pass < 2 && good; pass++) {
    if (pass == 1) good = cps_result_make_columns(r, l.n + d.n);
    for (int c = 0; c < l.n && good; c++) good = read_column(file, "/series", l.entries[c].path, r, c);
    for (int c = 0; c < d.n && good; c++) {
      good = read_column(file, "/sensitivities", d.entries[c].path, r, l.n + c);
      if (good && r->data) name_derivative(d.entries[c].path, r->names[l.n + c]);
    }
  }
  free(l.entries);
  free(d.entries);
  return good;
}

/* An array of events, of `width` bytes each; NULL if it is not there in full. */
static void *event_array(hid_t file, const char *name, hid_t type, size_t width, long n) {
  hid_t d = open_in(file, "/events", name);
  void *data = calloc((size_t)n + 1, width);
  if (d < 0 || !data || !take(d, type, (hsize_t)n, data)) {
    free(data);
    data = NULL;
  }
  if (d >= 0) H5Dclose(d);
  return data;
}

static int read_events(hid_t file, cps_result *r, long n) {
  static const char *const arrays[] = {"time", "contact",   "contact_index", "from",
                                       "to",   "from_mode", "to_mode"};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    hid_t d = open_in(file, "/events", arrays[i]);
    hsize_t size[3];
    if (d < 0) return 0;
    if (cps_hdf_sizes(d, size) != 1) size[0] = 0;
    if (size[0] < (hsize_t)n) n = (long)size[0];
    H5Dclose(d);
  }
  hid_t name = cps_hdf_text_type(EVENT_NAME), mode = cps_hdf_text_type(EVENT_MODE);
  double *time = event_array(file, "time", H5T_NATIVE_DOUBLE, sizeof(double), n);
  int *contact = event_array(file, "contact_index", H5T_NATIVE_INT, sizeof(int), n);
  int *from_mode = event_array(file, "from_mode", H5T_NATIVE_INT, sizeof(int), n);
  int *to_mode = event_array(file, "to_mode", H5T_NATIVE_INT, sizeof(int), n);
  char(*names)[EVENT_NAME] = event_array(file, "contact", name, EVENT_NAME, n);
  char(*from)[EVENT_MODE] = event_array(file, "from", mode, EVENT_MODE, n);
  char(*to)[EVENT_MODE] = event_array(file, "to", mode, EVENT_MODE, n);
  r->events = calloc((size_t)n + 1, sizeof *r->events);
  int good = time && contact && from_mode && to_mode && names && from && to && r->events;
  r->texts->contact = names;
  for (long i = 0; good && i < n; i++) {
    names[i][EVENT_NAME - 1] = from[i][EVENT_MODE - 1] = to[i][EVENT_MODE - 1] = 0;
    cps_plain_text(names[i], 0);
    cps_plain_text(from[i], 0);
    cps_plain_text(to[i], 0);
    good = contact[i] >= -1;
    cps_event *e = &r->events[i];
    *e = (cps_event){time[i], contact[i], from_mode[i], to_mode[i], names[i], ""};
    snprintf(e->what, sizeof e->what, "%s -> %s", from[i], to[i]);
  }
  r->n_events = good ? n : 0;
  free(time);
  free(contact);
  free(from_mode);
  free(to_mode);
  free(from);
  free(to);
  H5Tclose(name);
  H5Tclose(mode);
  return good;
}

/* What is known of a field before its values: name, unit, sizes. 0 if it has not the form of one. */
static int field_head(hid_t d, const char *path, cps_field *field, char unit[UNIT_ROOM], hsize_t *frames) {
  hsize_t size[3];
  int rank = cps_hdf_sizes(d, size);
  field->constant = cps_hdf_read_integer(d, "constant", 0) != 0;
  int from = field->constant ? 0 : 1;
  hsize_t components = rank == from + 2 ? size[from + 1] : 1;
  /* a frame is counted by ints */
  if (rank < from + 1 || rank > from + 2 || size[from] > INT_MAX || components < 1 || components > INT_MAX ||
      size[from] * components > INT_MAX)
    return 0;
  label(d, path, field->name, sizeof field->name, unit);
  field->unit = unit;
  field->points = (int)size[from];
  field->components = (int)components;
  *frames = field->constant ? 1 : size[0];
  return 1;
}

static int read_fields(hid_t file, cps_result *r, long most) {
  listing l = list_group(file, "/fields", "field");
  hid_t times = open_in(file, "/fields", "time");
  hsize_t size[3];
  r->frames = times >= 0 && cps_hdf_sizes(times, size) == 1 ? (long)size[0] : 0;
  if (r->frames > most) r->frames = most;
  r->fields = calloc((size_t)l.n + 1, sizeof *r->fields);
  r->texts->field_unit = calloc((size_t)l.n + 1, UNIT_ROOM);
  int good = r->fields && r->texts->field_unit && !l.bad;
  for (int pass = 0; pass < 2 && good; pass++) {
    for (int i = 0; i < l.n && good; i++) {
      field_data *f = &r->fields[i];
      hid_t d = open_in(file, "/fields", l.entries[i].path);
      hsize_t frames = 0;
      good = d >= 0 && field_head(d, l.entries[i].path, &f->field, r->texts->field_unit[i], &frames);
      if (good && !f->field.constant && frames < (hsize_t)r->frames) r->frames = (long)frames;
      if (good && pass == 1) {
        const cps_field *h = &f->field;
        const hsize_t whole[] = {(hsize_t)r->frames, (hsize_t)h->points, (hsize_t)h->components};
        size_t cells, entry = (size_t)h->points * (size_t)h->components;
        good = cps_size_times(entry, h->constant ? 1 : (size_t)r->frames, &cells);
        f->data = good ? calloc(cells + 1, sizeof(double)) : NULL;
        r->n_fields = i + 1;
        good = f->data && cps_hdf_read(d, H5T_NATIVE_DOUBLE, (h->components > 1 ? 3 : 2) - h->constant,
                                       whole + h->constant, f->data);
      }
      if (d >= 0) H5Dclose(d);
    }
  }
  r->frame_times = calloc((size_t)r->frames + 1, sizeof(double));
  good = good && r->frame_times &&
         (times < 0 || take(times, H5T_NATIVE_DOUBLE, (hsize_t)r->frames, r->frame_times));
  if (times >= 0) H5Dclose(times);
  r->frames_capacity = r->frames;
  free(l.entries);
  return good;
}

static void read_places(hid_t file, cps_result *r) {
  hid_t names = open_in(file, "/geometry", "name"), kinds = open_in(file, "/geometry", "kind");
  hid_t ats = open_in(file, "/geometry", "at"), directions = open_in(file, "/geometry", "direction");
  hid_t radii = open_in(file, "/geometry", "radius");
  hsize_t size[3] = {0, 1, 1};
  int good = names >= 0 && cps_hdf_sizes(names, size) == 1 && size[0] < INT_MAX / 4;
  size_t n = good ? (size_t)size[0] : 0;
  const hsize_t block[] = {n, 3};
  char(*name)[CPS_NAME_ROOM] = calloc(n + 1, sizeof *name), (*kind)[KIND_NAME] = calloc(n + 1, sizeof *kind);
  double *at = calloc(3 * n + 1, sizeof *at), *direction = calloc(3 * n + 1, sizeof *direction);
  double *radius = calloc(n + 1, sizeof *radius);
  hid_t name_type = cps_hdf_text_type(CPS_NAME_ROOM), kind_type = cps_hdf_text_type(KIND_NAME);
  r->texts->places = calloc(n + 1, sizeof *r->texts->places);
  good = good && name && kind && at && direction && radius && r->texts->places &&
         take(names, name_type, size[0], name) && take(kinds, kind_type, size[0], kind) &&
         cps_hdf_read(ats, H5T_NATIVE_DOUBLE, 2, block, at) &&
         cps_hdf_read(directions, H5T_NATIVE_DOUBLE, 2, block, direction) &&
         take(radii, H5T_NATIVE_DOUBLE, size[0], radius);
  for (size_t i = 0; good && i < n; i++) {
    cps_result_place *p = &r->texts->places[i];
    snprintf(p->name, sizeof p->name, "%.*s", CPS_NAME_ROOM - 1, name[i]);
    snprintf(p->kind, sizeof p->kind, "%.*s", KIND_NAME - 1, kind[i]);
    cps_plain_text(p->name, 0);
    cps_plain_text(p->kind, 0);
    memcpy(p->at, at + 3 * i, sizeof p->at);
    memcpy(p->direction, direction + 3 * i, sizeof p->direction);
    p->radius = radius[i];
  }
  r->texts->n_places = good ? (int)n : 0;
  hid_t open[] = {names, kinds, ats, directions, radii};
  for (int i = 0; i < 5; i++)
    if (open[i] >= 0) H5Dclose(open[i]);
  H5Tclose(name_type);
  H5Tclose(kind_type);
  free(name);
  free(kind);
  free(at);
  free(direction);
  free(radius);
}

static void read_texts(hid_t file, loaded_text *t) {
  t->text[0] = take_text(file, "/status");
  t->text[1] = take_text(file, "/summary");
  t->text[2] = take_text(file, "/scenario/text");
  static const char *const groups[RESULT_TEXTS] = {
      [3] = "/scenario", [4] = "/scenario",   [5] = "/scenario",
      [6] = "/scenario", [7] = "/provenance", [8] = "/provenance"};
  for (int i = 3; i < RESULT_TEXTS; i++) {
    hid_t g = cps_hdf_open_group(file, groups[i]);
    if (g < 0) continue;
    t->text[i] = cps_hdf_read_text(g, cps_result_text_names[i]);
    H5Gclose(g);
    if (t->text[i]) cps_plain_text(t->text[i], 1);
  }
}

/* ------------------------------------------------------------------ the whole */

/* A file whose writer is at work, or was killed, opens only for those who know. HDF5 reads again what is half
 * written, after a nanosecond, two, four, and so on: so many times take a tenth of a second, its default ages. */
enum { ATTEMPTS = 26 };

/* HDF5 reads from the descriptor and opens nothing, so that no link or name in the file leads anywhere. */
static hid_t open_file(int descriptor, hid_t *driver, char *why, size_t size) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  *driver = cps_hdf_disk_read(access, descriptor);
  hid_t file = *driver >= 0 ? H5Fopen("result.h5", H5F_ACC_RDONLY, access) : -1;
  if (file < 0 && *driver >= 0) {
    H5Pset_metadata_read_attempts(access, ATTEMPTS);
    file = H5Fopen("result.h5", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  }
  if (file < 0) cps_hdf_reason(why, size); /* the next call would forget it */
  H5Pclose(access);
  return file;
}

static cps_result *read_all(const char *path, hid_t file, cps_error *err) {
  cps_result *r = cps_result_empty();
  char *conventions = cps_hdf_read_text(file, "conventions");
  const char *wrong = NULL;
  if (!r) {
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for '%s'", path);
  } else if (!conventions || strncmp(conventions, "Capstan result 1", 16) != 0) {
    wrong = "it is an HDF5 file, but not a result of capstan";
  } else {
    cps_extent extent = find_extent(file);
    read_texts(file, r->texts);
    read_places(file, r);
    if (!read_series(file, r, extent.rows))
      wrong = "its series are damaged, or there is not enough memory for them";
    else if (!read_events(file, r, extent.events))
      wrong = "its events are damaged, or there is not enough memory for them";
    else if (!read_fields(file, r, extent.frames))
      wrong = "its fields are damaged, or there is not enough memory for them";
  }
  free(conventions);
  if (r && !wrong) return r;
  if (wrong) cps_error_set(err, CPS_IO, NULL, "cannot read '%s': %s", path, wrong);
  cps_result_free(r);
  return NULL;
}

/* Reads from a descriptor. Filters that would have to be loaded are not: a file does not choose what code is run. */
static cps_result *read_descriptor(const char *path, int descriptor, cps_error *err) {
  char why[160];
  unsigned plugins = 0;
  hid_t driver = -1;
  hdf_voice voice = cps_hdf_hush();
  int known = H5PLget_loading_state(&plugins) >= 0;
  H5PLset_loading_state(0);
  hid_t file = open_file(descriptor, &driver, why, sizeof why);
  cps_result *r = NULL;
  if (file < 0)
    cps_error_set(err, CPS_IO, NULL, "cannot read '%s': %s", path, why);
  else
    r = read_all(path, file, err);
  if (file >= 0) H5Fclose(file);
  if (driver >= 0) H5FDunregister(driver);
  if (known) H5PLset_loading_state(plugins);
  cps_hdf_unhush(voice);
  return r;
}

cps_result *cps_result_load(const char *path, cps_error *err) {
  char whole[PATH_ROOM], why[160];
  struct stat info;
  int is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  if (snprintf(whole, sizeof whole, "%s%s", path, is_folder ? "/result.h5" : "") >= (int)sizeof whole) {
    cps_error_set(err, CPS_IO, NULL, "the name of the result file is too long");
    return NULL;
  }
  cps_result *r = NULL;
  /* without waiting for a writer of a pipe */
  int d = open(whole, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (d < 0 || fstat(d, &info) != 0)
    cps_error_set(err, CPS_IO, NULL, "cannot read '%s': %s", whole, cps_hdf_system(errno, why, sizeof why));
  else if (!S_ISREG(info.st_mode))
    cps_error_set(err, CPS_IO, NULL, "cannot read '%s': it is not a regular file", whole);
  else if (cps_seal_check(d) == SEAL_BROKEN)
    cps_error_set(
        err, CPS_IO, NULL,
        "cannot read '%s': it is damaged, or was changed after it was written (its SHA-256 does not fit)",
        whole);
  else
    r = read_descriptor(whole, d, err);
  if (d >= 0) close(d);
  return r;
}

/* ------------------------------------------------------------------ going on */

static cps_status cannot_go_on(cps_error *err, const char *why) {
  return cps_error_set(err, CPS_IO, NULL, "the result file does not fit the checkpoint: %s", why);
}

/* Frames of the fields, which the simulation must have as well. What is constant comes from the simulation. */
static int refill_frames(cps_simulation *sim, const cps_result *from, long frames) {
  cps_result *to = &sim->result;
  if (frames == 0) return 1;
  for (int i = 0; i < to->n_fields; i++) {
    field_data *a = &to->fields[i];
    const field_data *b = i < from->n_fields ? &from->fields[i] : NULL;
    size_t entry = (size_t)a->field.points * (size_t)a->field.components;
    size_t n = entry * (size_t)(a->field.constant ? 1 : frames);
    if (!b || strcmp(a->field.name, b->field.name) != 0 || b->field.points != a->field.points ||
        b->field.components != a->field.components || b->field.constant != a->field.constant)
      return 0;
    double *more = realloc(a->data, (n + 1) * sizeof(double));
    if (!more) return 0;
    a->data = more;
  }
  row constants = {.sim = sim, .result = to, .task = FILLING};
  cps_simulation_fields(&constants); /* and a first frame, which is overwritten */
  for (int i = 0; i < to->n_fields; i++) {
    const cps_field *f = &to->fields[i].field;
    if (!f->constant)
      memcpy(to->fields[i].data, from->fields[i].data,
             (size_t)f->points * (size_t)f->components * (size_t)frames * sizeof(double));
  }
  double *times = realloc(to->frame_times, (size_t)frames * sizeof(double));
  if (!times) return 0;
  to->frame_times = times;
  memcpy(times, from->frame_times, (size_t)frames * sizeof(double));
  to->frames = to->frames_capacity = frames;
  return 1;
}

cps_status cps_result_refill(cps_simulation *sim, const cps_result *from, cps_extent upto, cps_error *err) {
  cps_result *to = &sim->result;
  const cps_scenario *s = sim->system->scenario;
  if (upto.rows < 0 || upto.events < 0 || upto.frames < 0 || from->rows < upto.rows ||
      from->n_events < upto.events || from->frames < upto.frames)
    return cannot_go_on(err, "it has fewer rows, events or frames");
  if (from->n_columns != to->n_columns) return cannot_go_on(err, "it has other columns");
  for (int c = 0; c < to->n_columns; c++)
    if (strcmp(to->names[c], from->names[c]) != 0) return cannot_go_on(err, "it has other columns");
  to->data = malloc((size_t)to->n_columns * (size_t)upto.rows * sizeof(double) + 1);
  to->events = malloc((size_t)upto.events * sizeof *to->events + 1);
  if (!to->data || !to->events || !refill_frames(sim, from, upto.frames))
    return cps_error_set(err, CPS_NO_MEMORY, NULL,
                         "out of memory for the results so far, or they have other fields");
  to->capacity = to->rows = upto.rows;
  to->events_capacity = to->n_events = upto.events;
  for (int c = 0; c < to->n_columns; c++)
    memcpy(to->data + (size_t)c * (size_t)upto.rows, cps_result_data(from, c),
           (size_t)upto.rows * sizeof(double));
  for (long i = 0; i < upto.events; i++) {
    to->events[i] = from->events[i];
    int contact = from->events[i].contact;
    if (contact < -1 || contact >= s->n_contacts || (contact < 0 && s->n_cables == 0))
      return cannot_go_on(err, "it has events of unknown contacts");
    to->events[i].contact_name = contact < 0 ? s->cables[0].name : s->contacts[contact].name;
  }
  return CPS_OK;
}
