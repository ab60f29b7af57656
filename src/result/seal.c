/* seal.c - see seal.h. */
#include "seal.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char title[] = "Capstan result, sealed\n";
enum { BLOCK = 1 << 16 };

/* The hash of all that follows the seal, and how many bytes that are; 0 if they cannot be read. */
static int hash_rest(int descriptor, char hex[65], long long *bytes) {
  unsigned char *block = malloc(BLOCK);
  sha256 h;
  long long at = SEAL_SIZE;
  cps_sha256_start(&h);
  for (; block;) {
    ssize_t n = pread(descriptor, block, BLOCK, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      free(block);
      return 0;
    }
    if (n == 0) break;
    cps_sha256_add(&h, block, (size_t)n);
    at += n;
  }
  if (!block) {
    errno = ENOMEM;
    return 0;
  }
  free(block);
  cps_sha256_end(&h, hex);
  *bytes = at - SEAL_SIZE;
  return 1;
}

static int make_seal(int descriptor, char seal[SEAL_SIZE]) {
  char hex[65];
  long long bytes;
  if (!hash_rest(descriptor, hex, &bytes)) return 0;
  memset(seal, 0, SEAL_SIZE);
  snprintf(seal, SEAL_SIZE, "%ssha256 %s\nbytes %lld, from byte %d on\n", title, hex, bytes, SEAL_SIZE);
  return 1;
}

int cps_seal_write(const char *path) {
  char seal[SEAL_SIZE];
  int d = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (d < 0) return 0;
  int good = make_seal(d, seal);
  for (size_t at = 0; good && at < sizeof seal;) {
    ssize_t n = pwrite(d, seal + at, sizeof seal - at, (off_t)at);
    if (n > 0)
      at += (size_t)n;
    else if (n == 0 || errno != EINTR)
      good = 0;
  }
  int reason = errno;
  if (close(d) != 0 && good) return 0;
  errno = reason;
  return good;
}

/* Whether the file is as long as its seal says. One that was made longer, as files with holes are at no cost, is not read for hours. */
static int has_its_length(int descriptor, const char found[SEAL_SIZE]) {
  struct stat is;
  char text[80];
  if (fstat(descriptor, &is) != 0) return 0;
  int n = snprintf(text, sizeof text, "\nbytes %lld, from byte %d on\n", (long long)is.st_size - SEAL_SIZE,
                   SEAL_SIZE);
  return memcmp(found + strlen(title) + strlen("sha256 ") + 64, text, (size_t)n) == 0;
}

seal_state cps_seal_check(int descriptor) {
  char found[SEAL_SIZE], seal[SEAL_SIZE];
  ssize_t n = pread(descriptor, found, sizeof found, 0);
  if (n < (ssize_t)strlen(title) || memcmp(found, title, strlen(title)) != 0) return SEAL_NONE;
  if (n < SEAL_SIZE || !has_its_length(descriptor, found) || !make_seal(descriptor, seal)) return SEAL_BROKEN;
  return memcmp(found, seal, sizeof seal) == 0 ? SEAL_GOOD : SEAL_BROKEN;
}
