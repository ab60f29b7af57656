/* row_store.c - the columns of a result while a run goes on, in memory or in a file.
 *
 * Up to IN_MEMORY bytes they are on the heap. Beyond that, if a folder was named, they are in a file of that folder, which has no
 * name and is gone with the process, and which is mapped: whoever reads columns sees an array as before, and the system brings
 * in the pages that are looked at. Its room on the disk is taken beforehand, since a page for which there is none would end the
 * process. If the disk has no room, memory may have. Where files cannot be mapped, rows stay on the heap.
 */
#include "row_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_MEMORY = 64 << 20, RELEASE_EVERY = 16 << 20 }; /* bytes */

#if defined(_WIN32)

static double *map_file(const char *folder, size_t bytes) {
  (void)folder, (void)bytes;
  return NULL;
}
static void unmap(double *data, size_t bytes) { (void)data, (void)bytes; }
static void release(double *data, size_t bytes) { (void)data, (void)bytes; }

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

static double *map_file(const char *folder, size_t bytes) {
  int file = nameless(folder);
  if (file < 0) return NULL;
  void *data = posix_fallocate(file, 0, (off_t)bytes) == 0
                   ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                   : MAP_FAILED;
  close(file); /* the mapping holds it */
  return data == MAP_FAILED ? NULL : data;
}

static void unmap(double *data, size_t bytes) { munmap(data, bytes); }
static void release(double *data, size_t bytes) { madvise(data, bytes, MADV_DONTNEED); }

#endif

static void drop(double *data, size_t mapped) {
  if (mapped > 0)
    unmap(data, mapped);
  else
    free(data);
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
  for (size_t i = 0; r->left_out > 0 && i < columns * (size_t)capacity; i++) data[i] = NAN;
  double *before = r->data;
  size_t mapped_before = r->mapped;
  long stride = r->capacity;
  r->data = data;
  r->mapped = mapped;
  r->capacity = capacity;
  r->released = r->rows;
  for (size_t c = 0; c < columns && r->rows > 0; c++) {
    memcpy(data + c * (size_t)capacity, before + c * (size_t)stride, (size_t)r->rows * sizeof(double));
    if (mapped > 0) release(data, mapped);
    if (mapped_before > 0) release(before, mapped_before);
  }
  drop(before, mapped_before);
  return 1;
}

void cps_rows_free(cps_result *r) {
  drop(r->data, r->mapped);
  r->data = NULL;
  r->mapped = 0;
  r->rows = r->capacity = r->released = 0;
}

void cps_rows_release(const cps_result *r) {
  if (r->mapped > 0) release(r->data, r->mapped);
}

void cps_rows_added(cps_result *r) {
  if (r->mapped == 0) return;
  if ((size_t)(r->rows - r->released) * (size_t)r->n_columns * sizeof(double) < RELEASE_EVERY) return;
  r->released = r->rows;
  cps_rows_release(r);
}
