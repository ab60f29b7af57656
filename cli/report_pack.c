/* report_pack.c - see report_pack.h.
 *
 * Numbers become codes: 0 is NaN, k > 0 is min + (k - 1) step, with as many levels as the kind of data deserves. Codes
 * are differenced over time (twice, once or not at all, whichever gives the smallest numbers), zigzagged and stored
 * byte plane by byte plane, so that the compressor finds long runs of zeros. web/src/data.js is the other end. */
#include "report_pack.h"
#include "cli.h"

#include "capstan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_ORDERS = 3 };

void bytes_add(bytes *b, const void *data, size_t length) {
  if (b->length + length > b->room) {
    b->room = 2 * b->room + length + 4096;
    b->data = (unsigned char *)grow(b->data, b->room, 1);
  }
  if (length > 0) memcpy(b->data + b->length, data, length);
  b->length += length;
}

/* ---------------------------------------------------------------- arrays */

/* Smallest and largest finite value; 0 if there is none. *whole: all of them are integers. */
static int range_of(const double *x, size_t n, double *least, double *most, int *whole) {
  *least = INFINITY, *most = -INFINITY, *whole = 1;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) continue;
    *least = fmin(*least, x[i]);
    *most = fmax(*most, x[i]);
    if (*whole && x[i] != floor(x[i])) *whole = 0;
  }
  return *least <= *most;
}

static void difference(uint32_t *code, size_t n, size_t stride) {
  for (size_t i = n; i-- > stride;) code[i] -= code[i - stride];
}

static uint32_t zigzag(uint32_t v) { return (v << 1) ^ (v >> 31 ? UINT32_MAX : 0); }

/* How many bits the codes need, about. */
static double cost_of(const uint32_t *code, size_t n, int order) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t v = order > 0 ? zigzag(code[i]) : code[i];
    if (v) sum += 32 - __builtin_clz(v);
  }
  return sum;
}

static void put_planes(bytes *out, const uint32_t *code, size_t n, int order) {
  unsigned char *plane = (unsigned char *)grow(NULL, n, 1);
  for (int shift = 0; shift < 32; shift += 8) {
    for (size_t i = 0; i < n; i++)
      plane[i] = (unsigned char)((order > 0 ? zigzag(code[i]) : code[i]) >> shift & 255);
    bytes_add(out, plane, n);
  }
  free(plane);
}

static void put_constant(packer *p, const char *key, size_t n, double value) {
  json_open_flat(&p->w, key, '{');
  json_number(&p->w, "n", (double)n);
  json_number(&p->w, "c", value);
  json_close(&p->w);
}

void pack_array(packer *p, const char *key, const double *x, size_t n, size_t stride, int bits) {
  double least, most;
  int whole;
  if (n == 0 || !range_of(x, n, &least, &most, &whole)) {
    put_constant(p, key, n, NAN);
    return;
  }
  int finite = 1;
  for (size_t i = 0; i < n && finite; i++) finite = isfinite(x[i]) != 0;
  if (least == most && finite) {
    put_constant(p, key, n, least);
    return;
  }
  double levels = ldexp(1, bits) - 2, step = (most / 2 - least / 2) / levels * 2;
  if (whole && most - least < levels) step = 1;
  if (!(step > 0)) step = 1;
  uint32_t *code[CODE_ORDERS];
  for (int k = 0; k < CODE_ORDERS; k++) code[k] = (uint32_t *)grow(NULL, n, sizeof *code[k]);
  for (size_t i = 0; i < n; i++)
    code[0][i] = isfinite(x[i]) ? 1 + (uint32_t)fmin(levels, floor((x[i] - least) / step + 0.5)) : 0;
  int best = 0;
  double cost = cost_of(code[0], n, 0);
  for (int k = 1; k < CODE_ORDERS; k++) {
    memcpy(code[k], code[k - 1], n * sizeof *code[k]);
    difference(code[k], n, stride);
    double c = cost_of(code[k], n, k);
    if (c < cost) best = k, cost = c;
  }
  json_open_flat(&p->w, key, '{');
  json_number(&p->w, "n", (double)n);
  json_number(&p->w, "at", (double)p->arrays.length);
  json_number(&p->w, "min", least);
  json_number(&p->w, "step", step);
  json_int(&p->w, "order", best);
  json_number(&p->w, "stride", (double)stride);
  json_close(&p->w);
  put_planes(&p->arrays, code[best], n, best);
  for (int k = 0; k < CODE_ORDERS; k++) free(code[k]);
}

void pack_exact(packer *p, const char *key, const double *x, size_t n) {
  json_open_flat(&p->w, key, '{');
  json_number(&p->w, "n", (double)n);
  json_number(&p->w, "at", (double)p->arrays.length);
  json_int(&p->w, "f64", 1);
  json_close(&p->w);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    unsigned char raw[8];
    for (int k = 0; k < 8; k++) raw[k] = (unsigned char)(bits >> (8 * k) & 255);
    bytes_add(&p->arrays, raw, sizeof raw);
  }
}

/* ---------------------------------------------------------------- header and arrays in one */

void pack_start(packer *p) {
  memset(p, 0, sizeof *p);
  FILE *memory = text_open(&p->header, &p->length);
  if (!memory) {
    out_of_memory();
  }
  p->w = json_start(memory);
  json_open_flat(&p->w, NULL, '{');
  json_int(&p->w, "format", 1);
  json_text(&p->w, "version", cps_version());
}

void pack_end(packer *p, bytes *out) {
  FILE *memory = p->w.out;
  json_close(&p->w);
  json_end(&p->w);
  if (!text_close(memory, &p->header)) out_of_memory();
  unsigned char size[4];
  for (int k = 0; k < 4; k++) size[k] = (unsigned char)(p->length >> (8 * k) & 255);
  bytes_add(out, size, sizeof size);
  bytes_add(out, p->header, p->length);
  bytes_add(out, p->arrays.data, p->arrays.length);
  free(p->header);
  free(p->arrays.data);
}
