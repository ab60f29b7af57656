/* output_file.c - files that are written: capstan.h says what for.
 *
 * After a power loss a file system may have a rename and not the data of the file that was renamed, so the data go to
 * the disk first (fdatasync); and a rename may be lost until the folder itself was written (fsync of the folder). */
#include "capstan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40, TRIES = 4 };

static int because(cps_output_file *f, const char *what) {
  snprintf(f->reason, sizeof f->reason, "%s", what);
  return 0;
}

static int because_errno(cps_output_file *f) {
  char text[120];
  if (strerror_r(errno, text, sizeof text) != 0) snprintf(text, sizeof text, "error %d", errno);
  return because(f, text);
}

/* The folder of a file, as a path. */
static void folder_of(const char *path, char folder[CPS_OUTPUT_PATH]) {
  const char *slash = strrchr(path, '/');
  int n = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
  snprintf(folder, CPS_OUTPUT_PATH, "%.*s", n, slash ? path : ".");
}

/* In a folder that anybody may write to, a link that is neither ours nor of the owner of the folder was put there by
 * another user, who would choose what is overwritten. */
static int link_is_strange(const char *path, const struct stat *link) {
  char folder[CPS_OUTPUT_PATH];
  struct stat info;
  folder_of(path, folder);
  if (stat(folder, &info) != 0 || !(info.st_mode & (S_IWOTH | S_IWGRP))) return 0;
  return link->st_uid != geteuid() && link->st_uid != info.st_uid;
}

/* Follows links at the end of f->path, until there is something else, or nothing. */
static int follow_links(cps_output_file *f) {
  for (int i = 0; i < LINKS_MOST; i++) {
    struct stat info;
    if (lstat(f->path, &info) != 0 || !S_ISLNK(info.st_mode)) return 1;
    if (link_is_strange(f->path, &info))
      return because(f, "it is a link that somebody else made in a folder which others can write to");
    char to[CPS_OUTPUT_PATH], folder[CPS_OUTPUT_PATH], whole[2 * CPS_OUTPUT_PATH];
    ssize_t n = readlink(f->path, to, sizeof to - 1);
    if (n < 0) return because_errno(f);
    to[n] = 0;
    folder_of(f->path, folder);
    int length = snprintf(whole, sizeof whole, "%s%s%s", to[0] == '/' ? "" : folder, to[0] == '/' ? "" : "/",
                          to);
    if (length >= CPS_OUTPUT_PATH) return because(f, "the name that it links to is too long");
    memcpy(f->path, whole, (size_t)length + 1);
  }
  return because(f, "it is a link that leads in a circle");
}

/* Fills the names. *direct: the target is not a regular file. */
static int find_names(cps_output_file *f, const char *path, cps_output_where where, int *direct,
                      mode_t *mode) {
  struct stat info;
  *direct = 0;
  *mode = 0;
  *f = (cps_output_file){.descriptor = -1, .copy = where == CPS_OUTPUT_COPY};
  int n = snprintf(f->path, sizeof f->path, "%s", path);
  if (n < 0 || n >= CPS_OUTPUT_PATH - 32) return because(f, "the name is too long");
  if (n == 0) return because(f, "it has no name");
  if (where == CPS_OUTPUT_NAMED) {
    /* Before links are followed: those of /dev/stdout and /dev/fd lead to names that are none. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
      *direct = 1;
      return S_ISDIR(info.st_mode) ? because(f, "it is a folder") : 1;
    }
    if (!follow_links(f)) return 0;
  }
  if (lstat(f->path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) return because(f, "it is a folder");
    if (S_ISREG(info.st_mode)) {
      *mode = info.st_mode & 0777;
      /* A file that its owner has protected stays as it is, though its folder could be changed. */
      if (where == CPS_OUTPUT_NAMED && access(f->path, W_OK) != 0) return because_errno(f);
    }
  }
  snprintf(f->part, sizeof f->part, "%.*s.part", CPS_OUTPUT_PATH - 8, f->path);
  return 1;
}

/* Removes what lies where the part goes; if it cannot be removed, the part gets a name of its own. */
static int make_way(cps_output_file *f, int attempt) {
  if (attempt > 0)
    snprintf(f->part, sizeof f->part, "%.*s.%ld.%d.part", CPS_OUTPUT_PATH - 32, f->path, (long)getpid(),
             attempt);
  return unlink(f->part) == 0 || errno == ENOENT;
}

int cps_output_place(cps_output_file *f, const char *path) {
  int direct;
  mode_t mode;
  char folder[CPS_OUTPUT_PATH];
  if (!find_names(f, path, CPS_OUTPUT_NAMED, &direct, &mode)) return 0;
  *f->part = 0;
  if (direct) return because(f, "it is not a regular file");
  folder_of(f->path, folder);
  struct stat info;
  char *whole = realpath(folder, NULL);
  if (whole && (stat(whole, &info) != 0 || !S_ISDIR(info.st_mode))) {
    free(whole);
    whole = NULL;
    errno = ENOTDIR;
  }
  if (!whole) return because_errno(f);
  const char *slash = strrchr(f->path, '/');
  char name[CPS_OUTPUT_PATH];
  snprintf(name, sizeof name, "%s", slash ? slash + 1 : f->path);
  size_t n = strlen(whole), k = strlen(name);
  int fits = n + k + 2 <= sizeof f->path;
  if (fits) {
    memcpy(f->path, whole, n);
    f->path[n] = '/';
    memcpy(f->path + n + 1, name, k + 1);
  }
  free(whole);
  return fits ? 1 : because(f, "the name is too long");
}

int cps_output_name(cps_output_file *f, const char *path, cps_output_where where) {
  int direct;
  mode_t mode;
  if (!find_names(f, path, where, &direct, &mode)) return 0;
  if (direct) return because(f, "it is not a regular file");
  for (int i = 0; i < TRIES; i++)
    if (make_way(f, i)) return 1;
  return because_errno(f);
}

int cps_output_open(cps_output_file *f, const char *path, cps_output_where where) {
  int direct;
  mode_t mode;
  if (!find_names(f, path, where, &direct, &mode)) return 0;
  if (direct) {
    f->descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return f->descriptor >= 0 ? 1 : because_errno(f);
  }
  for (int i = 0; i < TRIES && f->descriptor < 0; i++) {
    if (!make_way(f, i)) continue;
    f->descriptor = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (f->descriptor < 0 && errno != EEXIST) break;
  }
  if (f->descriptor < 0) return because_errno(f);
  /* What replaces a file is not for more eyes than that was. */
  if (mode && fchmod(f->descriptor, mode) != 0 && errno != EPERM && errno != ENOTSUP) {
    because_errno(f);
    cps_output_discard(f);
    return 0;
  }
  return 1;
}

int cps_output_write(cps_output_file *f, const void *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t n = write(f->descriptor, (const char *)bytes + at, size - at);
    if (n > 0)
      at += (size_t)n;
    else if (n == 0 || errno != EINTR)
      return because_errno(f);
  }
  return 1;
}

/* EINVAL, ENOTSUP: not the kind of file, or of file system, that can. */
static int sync_descriptor(int descriptor) {
  return fdatasync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

int cps_folder_sync(const char *path) {
  char folder[CPS_OUTPUT_PATH];
  folder_of(path, folder);
  int d = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (d < 0) return errno == EACCES; /* a folder that may be written and not read: nothing to be done */
  int good = fsync(d) == 0 || errno == EINVAL || errno == ENOTSUP, reason = errno;
  close(d);
  errno = reason;
  return good;
}

/* One folder, whose name is on the disk before anything in it; that it is there already is fine. */
static int make_folder(cps_output_file *f, int no_link) {
  struct stat info;
  if (mkdir(f->path, 0777) == 0) return cps_folder_sync(f->path) ? 1 : because_errno(f);
  int reason = errno;
  /* some file systems say that they cannot be written before they say that it is there */
  if (lstat(f->path, &info) == 0) {
    if (S_ISLNK(info.st_mode) && no_link) return because(f, "it is a link");
    if (S_ISLNK(info.st_mode) && stat(f->path, &info) != 0)
      return because(f, errno == ELOOP ? "it is a link that leads in a circle"
                                       : "it is a link that leads nowhere");
    if (S_ISDIR(info.st_mode)) return 1;
    reason = ENOTDIR;
  }
  errno = reason;
  return because_errno(f);
}

int cps_folder_make(cps_output_file *f, const char *path, cps_output_where where) {
  *f = (cps_output_file){.descriptor = -1};
  size_t n = strlen(path);
  if (n == 0) return because(f, "it has no name");
  if (n >= CPS_OUTPUT_PATH - 32) return because(f, "the name is too long");
  memcpy(f->path, path, n + 1);
  while (n > 1 && f->path[n - 1] == '/') f->path[--n] = 0;
  for (size_t i = 1; i <= n; i++) {
    if (f->path[i] && f->path[i] != '/') continue;
    f->path[i] = 0;
    if (!make_folder(f, i == n && where != CPS_OUTPUT_NAMED)) return 0;
    if (i < n) f->path[i] = '/';
  }
  return 1;
}

int cps_output_commit(cps_output_file *f) {
  if (!*f->part) { /* a device or a pipe */
    int good = close(f->descriptor) == 0;
    f->descriptor = -1;
    return good ? 1 : because_errno(f);
  }
  if (f->descriptor < 0) f->descriptor = open(f->part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  int good = f->descriptor >= 0 && (f->copy || sync_descriptor(f->descriptor));
  if (!good) because_errno(f);
  if (f->descriptor >= 0 && close(f->descriptor) != 0 && good) good = because_errno(f);
  f->descriptor = -1;
  if (good && rename(f->part, f->path) != 0) good = because_errno(f);
  if (!good) {
    unlink(f->part);
    return 0;
  }
  return f->copy || cps_folder_sync(f->path) ? 1 : because_errno(f);
}

void cps_output_discard(cps_output_file *f) {
  if (f->descriptor >= 0) close(f->descriptor);
  f->descriptor = -1;
  if (*f->part) unlink(f->part);
}
