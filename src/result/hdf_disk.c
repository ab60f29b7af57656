/* hdf_disk.c - see hdf_disk.h.
 *
 * When a write fails, HDF5 gets into states from which it does not find out, and in the end crashes. So it is not
 * told: from the first failure on, nothing more reaches the file; what HDF5 writes is kept in memory, where it
 * finds it again. The file then is what it would be if the process had been killed at that moment, which files
 * in SWMR mode are made for; and the caller that flushes asks for the error.
 */
#include "hdf_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 10, 0)
#define SWMR_FEATURE H5FD_FEAT_SUPPORTS_SWMR_IO
#else
#error "HDF5 1.10 or newer is needed"
#endif

/* A write that did not reach the file. */
typedef struct lost {
  struct lost *next;
  haddr_t at;
  size_t size;
  unsigned char bytes[];
} lost;

/* What is told to the driver when a file is opened. */
typedef struct disk_access {
  int borrowed, descriptor; /* read from that one */
} disk_access;

typedef struct disk_file {
  H5FD_t base; /* must be first */
  int borrowed;
  hdf_disk disk;
  haddr_t eoa, eof;
  dev_t device;
  ino_t inode;
  lost *first, *last;
} disk_file;

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
  (void)most;
  const disk_access *told = H5Pget_driver_info(access);
  int how = flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY;
  if (flags & H5F_ACC_TRUNC) how |= O_TRUNC;
  if (flags & H5F_ACC_CREAT) how |= O_CREAT;
  if (flags & H5F_ACC_EXCL) how |= O_EXCL | O_NOFOLLOW;
  struct stat info;
  disk_file *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->borrowed = told && told->borrowed;
  f->disk.descriptor = f->borrowed ? told->descriptor : open(name, how, 0666);
  if (f->disk.descriptor < 0 || fstat(f->disk.descriptor, &info) != 0) {
    int reason = errno;
    if (f->disk.descriptor >= 0 && !f->borrowed) close(f->disk.descriptor);
    free(f);
    errno = reason;
    return NULL;
  }
  f->eof = (haddr_t)info.st_size;
  f->device = info.st_dev;
  f->inode = info.st_ino;
  return &f->base;
}

/* The first write that fails. */
static void lose(disk_file *f, int reason) {
  if (f->disk.error) return;
  f->disk.error = reason;
  if (f->disk.last) *f->disk.last = reason;
}

static herr_t disk_close(H5FD_t *file) {
  disk_file *f = (disk_file *)file;
  if (!f->borrowed && close(f->disk.descriptor) != 0) lose(f, errno);
  while (f->first) {
    lost *next = f->first->next;
    free(f->first);
    f->first = next;
  }
  free(f);
  return 0;
}

static int disk_compare(const H5FD_t *a, const H5FD_t *b) {
  const disk_file *x = (const disk_file *)a, *y = (const disk_file *)b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  return x->inode == y->inode ? 0 : x->inode < y->inode ? -1 : 1;
}

static herr_t disk_query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | SWMR_FEATURE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const disk_file *)file)->eoa;
}

static herr_t disk_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t at) {
  (void)type;
  ((disk_file *)file)->eoa = at;
  return 0;
}

static haddr_t disk_get_eof(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const disk_file *)file)->eof;
}

static herr_t disk_handle(H5FD_t *file, hid_t access, void **handle) {
  (void)access;
  *handle = &((disk_file *)file)->disk;
  return 0;
}

/* What overlaps of a lost write, over what was read. */
static void recall(const lost *l, haddr_t at, size_t size, unsigned char *bytes) {
  haddr_t from = l->at > at ? l->at : at, end = l->at + l->size < at + size ? l->at + l->size : at + size;
  if (from < end) memcpy(bytes + (from - at), l->bytes + (from - l->at), (size_t)(end - from));
}

static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, void *buffer) {
  disk_file *f = (disk_file *)file;
  unsigned char *bytes = buffer;
  (void)type, (void)list;
  for (size_t done = 0; done < size;) {
    ssize_t n = pread(f->disk.descriptor, bytes + done, size - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) { /* behind the end there are zeros */
      memset(bytes + done, 0, size - done);
      break;
    }
    done += (size_t)n;
  }
  for (const lost *l = f->first; l; l = l->next) recall(l, at, size, bytes);
  return 0;
}

static herr_t remember(disk_file *f, haddr_t at, size_t size, const void *buffer) {
  lost *l = malloc(sizeof *l + size);
  if (!l) return -1;
  l->next = NULL;
  l->at = at;
  l->size = size;
  memcpy(l->bytes, buffer, size);
  *(f->last ? &f->last->next : &f->first) = l;
  f->last = l;
  return 0;
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size,
                         const void *buffer) {
  disk_file *f = (disk_file *)file;
  const unsigned char *bytes = buffer;
  (void)type, (void)list;
  if (at + size > f->eof) f->eof = at + size;
  for (size_t done = 0; done < size && !f->disk.error;) {
    ssize_t n = pwrite(f->disk.descriptor, bytes + done, size - done, (off_t)(at + done));
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno != EINTR)
      lose(f, n == 0 ? EIO : errno);
  }
  return f->disk.error ? remember(f, at, size, buffer) : 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t list, hbool_t closing) {
  disk_file *f = (disk_file *)file;
  (void)list, (void)closing;
  if (f->eoa == f->eof) return 0;
  if (!f->disk.error && ftruncate(f->disk.descriptor, (off_t)f->eoa) != 0) lose(f, errno);
  f->eof = f->eoa;
  return 0;
}

/* HDF5 marks a file as being written only if its driver locks. Where locks do not work, no other process can lock either. */
static herr_t disk_lock(H5FD_t *file, hbool_t exclusive) {
  int how = (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
  if (flock(((disk_file *)file)->disk.descriptor, how) == 0) return 0;
  return errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK ? 0 : -1;
}

static herr_t disk_unlock(H5FD_t *file) {
  flock(((disk_file *)file)->disk.descriptor, LOCK_UN);
  return 0;
}

static hid_t use(hid_t access, const disk_access *tell) {
  static const H5FD_class_t driver = {.name = "capstan",
                                      .maxaddr = ((haddr_t)1 << 62) - 1,
                                      .fc_degree = H5F_CLOSE_STRONG,
                                      .fapl_size = sizeof(disk_access),
                                      .open = disk_open,
                                      .close = disk_close,
                                      .cmp = disk_compare,
                                      .query = disk_query,
                                      .get_eoa = disk_get_eoa,
                                      .set_eoa = disk_set_eoa,
                                      .get_eof = disk_get_eof,
                                      .get_handle = disk_handle,
                                      .read = disk_read,
                                      .write = disk_write,
                                      .truncate = disk_truncate,
                                      .lock = disk_lock,
                                      .unlock = disk_unlock,
                                      .fl_map = H5FD_FLMAP_DICHOTOMY};
  hid_t id = H5FDregister(&driver);
  if (id < 0) return -1;
  if (H5Pset_driver(access, id, tell) >= 0) return id;
  H5FDunregister(id);
  return -1;
}

hid_t cps_hdf_disk_use(hid_t access) {
  disk_access tell = {0, -1};
  return use(access, &tell);
}

hid_t cps_hdf_disk_read(hid_t access, int descriptor) {
  disk_access tell = {1, descriptor};
  return use(access, &tell);
}
