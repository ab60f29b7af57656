/* zip.c - ZIP archives (APPNOTE 6.3, without extensions: fewer than 65535 files of less than 4 GB), deflated by zlib. All entries have
 * the same date, so that the same files give the same bytes. */
#include "zip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ENTRIES_MOST = 64, NAME_MOST = 200 };

typedef struct zip_entry {
  char name[NAME_MOST];
  uint32_t crc, packed, size, at;
} zip_entry;

struct zip {
  FILE *file;
  int n, good;
  uint32_t at;
  zip_entry entry[ENTRIES_MOST];
};

zip *zip_new(FILE *file) {
  zip *z = calloc(1, sizeof *z);
  if (z) {
    z->file = file;
    z->good = 1;
  }
  return z;
}

static void put(zip *z, const void *bytes, size_t size) {
  z->good = z->good && fwrite(bytes, 1, size, z->file) == size;
  z->at += (uint32_t)size;
}

static void put2(zip *z, unsigned v) {
  unsigned char b[2] = {(unsigned char)(v & 255), (unsigned char)(v >> 8 & 255)};
  put(z, b, 2);
}

static void put4(zip *z, uint32_t v) {
  put2(z, v & 0xffff);
  put2(z, v >> 16);
}

/* What the headers of an entry share: version, flags, method, time, date, sizes, length of the name. */
static void put_entry(zip *z, const zip_entry *e) {
  put2(z, 20);
  put2(z, 0);
  put2(z, 8);
  put2(z, 0);
  put2(z, 0x21); /* 1980-01-01 */
  put4(z, e->crc);
  put4(z, e->packed);
  put4(z, e->size);
  put2(z, (unsigned)strlen(e->name));
  put2(z, 0);
}

int zip_add(zip *z, const char *name, const void *bytes, size_t size) {
  if (z->n == ENTRIES_MOST || strlen(name) >= NAME_MOST || size > INT32_MAX) return z->good = 0;
  zip_entry *e = &z->entry[z->n++];
  memcpy(e->name, name, strlen(name) + 1);
  e->size = (uint32_t)size;
  e->at = z->at;
  e->crc = (uint32_t)crc32(0, bytes, (uInt)size);
  z_stream s = {0};
  uLong room = 0;
  unsigned char *packed = NULL;
  int good = deflateInit2(&s, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  if (good) room = deflateBound(&s, (uLong)size);
  good = good && (packed = malloc(room + 1)) != NULL;
  if (good) {
    s.next_in = (Bytef *)(uintptr_t)bytes; /* zlib does not change it */
    s.avail_in = (uInt)size;
    s.next_out = packed;
    s.avail_out = (uInt)room;
    good = deflate(&s, Z_FINISH) == Z_STREAM_END;
    e->packed = (uint32_t)s.total_out;
  }
  deflateEnd(&s);
  if (good) {
    put4(z, 0x04034b50);
    put_entry(z, e);
    put(z, e->name, strlen(e->name));
    put(z, packed, e->packed);
  }
  free(packed);
  return z->good = z->good && good;
}

int zip_end(zip *z) {
  uint32_t start = z->at;
  for (int i = 0; i < z->n; i++) {
    const zip_entry *e = &z->entry[i];
    put4(z, 0x02014b50);
    put2(z, 3 << 8 | 20); /* made on Unix, which knows permissions */
    put_entry(z, e);
    put2(z, 0);
    put2(z, 0);
    put2(z, 0);
    put4(z, (uint32_t)0100644 << 16);
    put4(z, e->at);
    put(z, e->name, strlen(e->name));
  }
  uint32_t size = z->at - start;
  put4(z, 0x06054b50);
  put4(z, 0);
  put2(z, (unsigned)z->n);
  put2(z, (unsigned)z->n);
  put4(z, size);
  put4(z, start);
  put2(z, 0);
  int good = z->good;
  free(z);
  return good;
}
