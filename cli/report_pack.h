/* report_pack.h - what a page carries: a header in JSON, in which arrays stand as descriptions, and the arrays; web/src/data.js unpacks
 * it.
 *
 *   packer p;
 *   pack_start(&p);
 *   json_text(&p.w, "title", title);
 *   pack_array(&p, "data", x, n, 1, SERIES_BITS);
 *   pack_end(&p, &bytes);
 */
#ifndef REPORT_PACK_H
#define REPORT_PACK_H

#include "json.h"

#include <stddef.h>

enum { SERIES_BITS = 30 /* of columns: a billionth of their range */ };

/* Bytes that grow. */
typedef struct bytes {
  unsigned char *data; /* owned */
  size_t length, room;
} bytes;

void bytes_add(bytes *b, const void *data, size_t length);

typedef struct packer {
  json w; /* of the header: the caller adds to its object */
  bytes arrays;
  char *header;
  size_t length;
} packer;

/* Opens the header, with the version of the tool in it. The packer must stay where it is until pack_end. */
void pack_start(packer *p);

/* n values of which the k-th belongs with the (k + stride)-th, the same thing later. */
void pack_array(packer *p, const char *key, const double *x, size_t n, size_t stride, int bits);

/* Values that stay what they are. */
void pack_exact(packer *p, const char *key, const double *x, size_t n);

/* Closes the header and adds all to the bytes. */
void pack_end(packer *p, bytes *out);

#endif
