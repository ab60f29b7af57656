/* export_npy.c - a result as one .npz file: a zip archive, without compression, of .npy files.
 *
 * Formats: NumPy Enhancement Proposal 1; PKWARE's APPNOTE, without the extensions for more than 4 GB.
 */
#include "cli.h"
#include "export.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_ROOM = 512, ENTRIES_MOST = 65000 };

typedef struct zip_entry {
  char name[160];
  uint32_t crc, size, at;
} zip_entry;

typedef struct zip {
  FILE *out;
  zip_entry *entries;
  int n;
  uint64_t at;
  int too_large;
  uint32_t table[256];
} zip;

static void make_table(uint32_t table[256]) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
}

static uint32_t crc_add(const zip *z, uint32_t crc, const void *data, size_t size) {
  const unsigned char *p = (const unsigned char *)data;
  for (size_t i = 0; i < size; i++) crc = z->table[(crc ^ p[i]) & 0xff] ^ (crc >> 8);
  return crc;
}

/* Little-endian numbers of 2 and 4 bytes, as a format string of '2' and '4' says. */
static void put_numbers(zip *z, const char *sizes, const uint32_t *values) {
  for (; *sizes; sizes++, values++) {
    for (int i = 0; i < *sizes - '0'; i++) fputc((int)(*values >> (8 * i)) & 0xff, z->out);
    z->at += (uint64_t)(*sizes - '0');
  }
}

static void put_bytes(zip *z, const void *data, size_t size) {
  fwrite(data, 1, size, z->out);
  z->at += size;
}

/* The first bytes of a .npy file; returns their number. */
static size_t npy_head(char *head, const char *type, int rank, const long *shape) {
  char text[300] = "";
  append(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  for (int i = 0; i < rank; i++) append(text, sizeof text, "%ld,%s", shape[i], i + 1 < rank ? " " : "");
  append(text, sizeof text, "), }");
  size_t whole = (10 + strlen(text) + 1 + 63) / 64 * 64;
  static const unsigned char magic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  memcpy(head, magic, sizeof magic);
  head[8] = (char)((whole - 10) & 0xff);
  head[9] = (char)((whole - 10) >> 8);
  /* blanks up to the line feed at the end; it is written over the zero */
  snprintf(head + 10, HEAD_ROOM - 10, "%-*s", (int)(whole - 11), text);
  head[whole - 1] = '\n';
  return whole;
}

/* Adds an array to the archive. Numbers are those of this machine, which has to be little-endian. */
static void add_array(zip *z, const char *name, const char *type, int rank, const long *shape,
                      const void *data, size_t size) {
  char head[HEAD_ROOM];
  size_t head_size = npy_head(head, type, rank, shape);
  if (z->too_large || z->n >= ENTRIES_MOST || z->at + size + head_size + 400 >= UINT32_MAX) {
    z->too_large = 1;
    return;
  }
  z->entries = (zip_entry *)grow(z->entries, (size_t)z->n + 1, sizeof *z->entries);
  zip_entry *e = &z->entries[z->n++];
  snprintf(e->name, sizeof e->name, "%s.npy", name);
  e->crc = ~crc_add(z, crc_add(z, 0xffffffffu, head, head_size), data, size);
  e->size = (uint32_t)(head_size + size);
  e->at = (uint32_t)z->at;
  /* signature, version 2.0, flag 0x800: names are UTF-8, stored, time, date (1980-01-01), crc, sizes, name, extra */
  const uint32_t local[] = {
      0x04034b50, 20, 0x800, 0, 0, 0x21, e->crc, e->size, e->size, (uint32_t)strlen(e->name), 0};
  put_numbers(z, "42222244422", local);
  put_bytes(z, e->name, strlen(e->name));
  put_bytes(z, head, head_size);
  if (size > 0) put_bytes(z, data, size);
}

static void finish_zip(zip *z) {
  uint32_t start = (uint32_t)z->at;
  for (int i = 0; i < z->n; i++) {
    const zip_entry *e = &z->entries[i];
    const uint32_t central[] = {
        0x02014b50, 20, 20, 0x800, 0, 0,    0x21, e->crc, e->size, e->size, (uint32_t)strlen(e->name),
        0,          0,  0,  0,     0, e->at};
    put_numbers(z, "42222224442222244", central);
    put_bytes(z, e->name, strlen(e->name));
  }
  const uint32_t end[] = {0x06054b50, 0, 0, (uint32_t)z->n, (uint32_t)z->n, (uint32_t)z->at - start,
                          start,      0};
  put_numbers(z, "42222442", end);
}

/* ---------------------------------------------------------------- what goes in */

static void add_events(zip *z, const cps_result *r) {
  enum { WHAT = sizeof((cps_event *)0)->what };
  long n = cps_result_events(r);
  double *time = (double *)grow(NULL, (size_t)n + 1, sizeof *time);
  int32_t *number = (int32_t *)grow(NULL, 3 * (size_t)n + 1, sizeof *number);
  char(*contact)[CPS_NAME_ROOM] = (char(*)[CPS_NAME_ROOM])grow(NULL, (size_t)n + 1, sizeof *contact);
  char(*what)[WHAT] = (char(*)[WHAT])grow(NULL, (size_t)n + 1, sizeof *what);
  memset(contact, 0, (size_t)n * sizeof *contact);
  memset(what, 0, (size_t)n * sizeof *what);
  for (long i = 0; i < n; i++) {
    const cps_event *e = cps_result_event(r, i);
    time[i] = e->time;
    number[i] = e->contact;
    number[n + i] = e->from;
    number[2 * n + i] = e->to;
    snprintf(contact[i], sizeof contact[i], "%s", e->contact_name);
    snprintf(what[i], sizeof what[i], "%s", e->what);
  }
  char type[16];
  add_array(z, "events.time", "<f8", 1, &n, time, (size_t)n * sizeof *time);
  add_array(z, "events.contact_index", "<i4", 1, &n, number, (size_t)n * sizeof *number);
  add_array(z, "events.from_mode", "<i4", 1, &n, number + n, (size_t)n * sizeof *number);
  add_array(z, "events.to_mode", "<i4", 1, &n, number + 2 * n, (size_t)n * sizeof *number);
  snprintf(type, sizeof type, "|S%d", CPS_NAME_ROOM);
  add_array(z, "events.contact", type, 1, &n, contact, (size_t)n * sizeof *contact);
  snprintf(type, sizeof type, "|S%d", WHAT);
  add_array(z, "events.what", type, 1, &n, what, (size_t)n * sizeof *what);
  free(time);
  free(number);
  free(contact);
  free(what);
}

static void add_fields(zip *z, const cps_result *r) {
  long frames = cps_result_frames(r);
  if (cps_result_fields(r) > 0)
    add_array(z, "fields.time", "<f8", 1, &frames, cps_result_frame_times(r),
              (size_t)frames * sizeof(double));
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    long shape[3] = {frames, f->points, f->components};
    int from = f->constant ? 1 : 0, to = f->components > 1 ? 3 : 2;
    size_t n = (size_t)f->points * (size_t)f->components * (f->constant ? 1 : (size_t)frames);
    char name[160];
    snprintf(name, sizeof name, "fields.%s", f->name);
    add_array(z, name, "<f8", to - from, shape + from, cps_result_field_data(r, i), n * sizeof(double));
  }
}

int export_npy(const cps_result *r, const char *folder, int *files) {
  char path[EXPORT_PATH];
  zip z = {.out = export_open(folder, "result.npz", path)};
  if (!z.out) return STATUS_IO;
  make_table(z.table);
  long rows = cps_result_rows(r);
  for (int c = 0; c < cps_result_columns(r); c++)
    add_array(&z, cps_result_name(r, c), "<f8", 1, &rows, cps_result_data(r, c),
              (size_t)rows * sizeof(double));
  add_events(&z, r);
  add_fields(&z, r);
  finish_zip(&z);
  free(z.entries);
  ++*files;
  if (!z.too_large) return close_output("export", path, z.out);
  discard_output(z.out);
  complain("export",
           "the result is too large for one .npz file (4 GB, %d arrays): read result.h5 with h5py instead",
           ENTRIES_MOST);
  return STATUS_FAILED;
}
