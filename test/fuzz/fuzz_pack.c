/* fuzz_pack.c - what a process that reads a stranger's result file may send when the file has taken it over: any bytes. Who takes
 * them gets a result that can be looked at, or nothing.
 *
 * Layout of the input: if its first byte is odd, the bytes that are sent. Otherwise changes of what an honest process sends: a place
 * of two bytes, a length of one byte, and so many bytes.
 */
#include "fuzz_problems.h"
#include "result_file.h"
#include "result_texts.h"
#include "system.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct stream {
  unsigned char *bytes;
  size_t size, at;
} stream;

static int put(void *to, const void *bytes, size_t size) {
  stream *s = to;
  unsigned char *more = realloc(s->bytes, s->size + size + 1);
  if (!more) return 0;
  s->bytes = more;
  if (size) memcpy(more + s->size, bytes, size);
  s->size += size;
  return 1;
}

static int get(void *from, void *bytes, size_t size) {
  stream *s = from;
  if (size > s->size - s->at) return 0;
  if (size) memcpy(bytes, s->bytes + s->at, size);
  s->at += size;
  return 1;
}

/* What is sent of a small result, made by hand: two columns, three rows, an event, two frames of a field, a place, texts. */
static stream honest(void) {
  stream s = {0};
  int64_t head[6] = {2, 3, 1, 2, 1, 1}, field[3] = {2, 2, 0}, length = 5, none = -1;
  char zeros[4096] = "";
  double numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  put(&s, head, sizeof head);
  put(&s, zeros, 2 * sizeof *((cps_result *)0)->names);
  put(&s, zeros, 2 * UNIT_ROOM);
  put(&s, numbers, 6 * sizeof(double));
  put(&s, zeros, 8 + 16 + EVENT_NAME + 48);
  put(&s, numbers, 2 * sizeof(double));
  put(&s, field, sizeof field);
  put(&s, zeros, 128 + UNIT_ROOM);
  put(&s, numbers, 8 * sizeof(double));
  put(&s, zeros, sizeof(cps_result_place));
  put(&s, &length, sizeof length);
  put(&s, "hello", 5);
  for (int i = 1; i < RESULT_TEXTS; i++) put(&s, &none, sizeof none);
  return s;
}

static void change(stream *s, const uint8_t *data, size_t size) {
  for (size_t at = 0; at + 3 < size;) {
    size_t to = (data[at] | (size_t)data[at + 1] << 8) % s->size, n = 1 + data[at + 2] % 16u;
    at += 3;
    for (size_t i = 0; i < n && at < size && to < s->size; i++) s->bytes[to++] = data[at++];
  }
}

static void look_at(const cps_result *r) {
  long rows = cps_result_rows(r);
  double sum = 0;
  for (int c = 0; c < cps_result_columns(r); c++) {
    for (long i = 0; i < rows; i++) sum += cps_result_data(r, c)[i];
    sum += (double)strlen(cps_result_name(r, c)) + (double)strlen(cps_result_unit(r, c));
  }
  for (long i = 0; i < cps_result_events(r); i++) sum += (double)strlen(cps_result_event(r, i)->contact_name);
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    size_t n = (size_t)f->points * (size_t)f->components * (size_t)(f->constant ? 1 : cps_result_frames(r));
    for (size_t k = 0; k < n; k++) sum += cps_result_field_data(r, i)[k];
    sum += (double)strlen(f->name) + (double)strlen(f->unit);
  }
  for (int i = 0; i < cps_result_places(r); i++) sum += (double)strlen(cps_result_place_at(r, i)->name);
  volatile double looked_at = sum; /* so that all of it is read */
  (void)looked_at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stream s = {0};
  if (size == 0) return 0;
  if (data[0] & 1)
    put(&s, data + 1, size - 1);
  else {
    s = honest();
    change(&s, data + 1, size - 1);
  }
  cps_result *r = cps_result_unpack(get, &s, 1 << 20);
  demand(r || size > 1 || data[0] & 1, "what an honest process sends is not taken");
  if (r) look_at(r);
  cps_result_free(r);
  free(s.bytes);
  return 0;
}
