/* row_store.c - the columns of a result while a run goes on, in memory or in a file; and its events and fields.
 *
 * Up to IN_MEMORY bytes (events and each field: BLOCK_IN_MEMORY) they are on the heap. Beyond that, if a folder was named, they are in a file of that folder, which has no
 * name and is gone with the process, and which is mapped: readers of columns see an array as before, and the system brings
 * in the pages that are looked at. Its room on the disk is taken beforehand, since a page for which there is none would end the
 * process. If the disk has no room, memory may have. Where files cannot be mapped, rows stay on the heap.
 */
#include "row_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes. Pieces that are copied are small, as rows that leave memory for a file are still there, too: 16 MB made that the moment in
 * which a run needs most. */
enum { IN_MEMORY = 64 << 20, BLOCK_IN_MEMORY = 8 << 20, RELEASE_EVERY = 16 << 20, PIECE = 1 << 20 };

#if defined(_WIN32)

static void *map_file(const char *folder, size_t bytes) {
  (void)folder, (void)bytes;
  return NULL;
}
static void unmap(void *data, size_t bytes) { (void)data, (void)bytes; }
static void release(void *data, size_t bytes) { (void)data, (void)bytes; }

#else

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file without a name in a folder; -1 if there can be none. */
static int nameless(const char *folder) {
#ifdef O_TMPFILE
  int made = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0) return made;
#endif
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/rows.XXXXXX", folder);
  if (length < 0 || length >= (int)sizeof path) return -1;
  int file = mkstemp(path);
  if (file >= 0) unlink(path);
  return file;
}

/* Room on the disk for a file; 0 if there is none. */
static int take_room(int file, size_t bytes) {
#ifdef __APPLE__
  fstore_t room = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = (off_t)bytes};
  return fcntl(file, F_PREALLOCATE, &room) != -1 && ftruncate(file, (off_t)bytes) == 0;
#else
  return posix_fallocate(file, 0, (off_t)bytes) == 0;
#endif
}

static void *map_file(const char *folder, size_t bytes) {
  int file = nameless(folder);
  if (file < 0) return NULL;
  void *data = take_room(file, bytes) ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                                      : MAP_FAILED;
  close(file); /* the mapping holds it */
  return data == MAP_FAILED ? NULL : data;
}

static void unmap(void *data, size_t bytes) { munmap(data, bytes); }
static void release(void *data, size_t bytes) { madvise(data, bytes, MADV_DONTNEED); }

#endif

void cps_room_free(void *data, size_t mapped) {
  if (mapped > 0)
    unmap(data, mapped);
  else
    free(data);
}

/* Copies what is in files in pieces, so that no more of it is in memory at a time. */
static void copy(char *to, size_t to_mapped, char *to_base, const char *from, size_t from_mapped,
                 char *from_base, size_t bytes) {
  for (size_t at = 0; at < bytes; at += PIECE) {
    memcpy(to + at, from + at, bytes - at < PIECE ? bytes - at : PIECE);
    if (to_mapped > 0) release(to_base, to_mapped);
    if (from_mapped > 0) release(from_base, from_mapped);
  }
}

void *cps_room_grow(const char *folder, void *data, size_t *mapped, size_t used, size_t bytes) {
  void *more = folder && bytes > BLOCK_IN_MEMORY ? map_file(folder, bytes) : NULL;
  if (!more && *mapped == 0) return realloc(data, bytes + 1);
  size_t mapped_now = more ? bytes : 0;
  if (!more) more = malloc(bytes + 1);
  if (!more) return NULL;
  copy(more, mapped_now, more, data, *mapped, data, used);
  cps_room_free(data, *mapped);
  *mapped = mapped_now;
  return more;
}

/* NaN everywhere, of which no more than a piece is in memory at a time. */
static void fill_unknown(double *data, size_t n, size_t mapped) {
  for (size_t i = 0; i < n; i++) {
    data[i] = NAN;
    if (mapped > 0 && i % (RELEASE_EVERY / sizeof *data) == 0) release(data, mapped);
  }
}

int cps_rows_grow(cps_result *r, long capacity) {
  size_t columns = (size_t)r->n_columns, bytes = columns * (size_t)capacity * sizeof(double), mapped = 0;
  double *data = NULL;
  if (r->folder && bytes > IN_MEMORY) data = map_file(r->folder, bytes);
  if (data)
    mapped = bytes;
  else
    data = malloc(bytes);
  if (!data) return 0;
  if (r->left_out > 0) fill_unknown(data, columns * (size_t)capacity, mapped);
  for (size_t c = 0; c < columns && r->rows > 0; c++)
    copy((char *)(data + c * (size_t)capacity), mapped, (char *)data,
         (const char *)(r->data + c * (size_t)r->capacity), r->mapped, (char *)r->data,
         (size_t)r->rows * sizeof(double));
  cps_room_free(r->data, r->mapped);
  r->data = data;
  r->mapped = mapped;
  r->capacity = capacity;
  return 1;
}

void cps_rows_free(cps_result *r) {
  cps_room_free(r->data, r->mapped);
  cps_room_free(r->events, r->events_mapped);
  for (int i = 0; i < r->n_fields && r->fields; i++) cps_room_free(r->fields[i].data, r->fields[i].mapped);
  r->data = NULL;
  r->mapped = r->events_mapped = 0;
  r->events = NULL;
  r->rows = r->capacity = r->n_events = r->events_capacity = 0;
}

void cps_rows_release(const cps_result *r) {
  if (r->mapped > 0) release(r->data, r->mapped);
  if (r->events_mapped > 0) release(r->events, r->events_mapped);
  for (int i = 0; i < r->n_fields && r->fields; i++)
    if (r->fields[i].mapped > 0) release(r->fields[i].data, r->fields[i].mapped);
}

void cps_rows_added(cps_result *r, size_t bytes) {
  r->unreleased += bytes;
  if (r->unreleased < RELEASE_EVERY) return;
  r->unreleased = 0;
  cps_rows_release(r);
}
