/* mutate_result IN FOLDER FIRST COUNT [VICTIM [read]]: copies of a result file with something changed, by seed, each as
 * FOLDER/SEED.h5: for tests of those who read files that others have made. With `read` each is read as the tool does it, and
 * removed unless that fails; then one line says how many were tried and held. A reader that dies of a signal although it is told
 * to read in a process of its own, that does not end, or that gives something of VICTIM away has failed.
 *
 * Half of the changes are made by HDF5 itself, so that the file stays one: another shape, type or kind in the place of a
 * dataset or an attribute, storage or links that lead to VICTIM. The others are bytes, with the checksums of the
 * superblock and of object headers made to fit again. Most copies that had a seal are sealed anew; files of runs that go on
 * keep the mark that says so. */
#include "result_open.h"
#include "seal.h"
#include "strange_result.h"

#include <hdf5.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* HDF5's own, which it does not declare to others. */
uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start);

static uint64_t state;
static uint32_t any(void *unused) {
  (void)unused;
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (uint32_t)(z >> 32);
}
static uint32_t below(uint32_t n) { return any(NULL) % n; }

/* ------------------------------------------------------------------ by bytes */

/* Makes the checksum of a block of `length` bytes fit, which stands behind it. */
static void mend(unsigned char *at, size_t length, const unsigned char *end) {
  if (length > (size_t)(end - at) || (size_t)(end - at) - length < 4) return;
  uint32_t sum = H5_checksum_metadata(at, length, 0);
  for (int i = 0; i < 4; i++) at[length + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

/* The length of an object header of the second version before its checksum; 0 if it is none. */
static size_t header_length(const unsigned char *h, const unsigned char *end) {
  if (end - h < 32 || memcmp(h, "OHDR", 4) != 0) return 0;
  size_t at = 6, width = (size_t)1 << (h[5] & 3), size = 0;
  if (h[5] & 0x20) at += 16;
  if (h[5] & 0x10) at += 4;
  for (size_t i = 0; i < width && at + i < 32; i++) size |= (size_t)h[at + i] << 8 * i;
  return size < (size_t)(end - h) ? at + width + size : 0;
}

static void change_bytes(unsigned char *b, size_t size) {
  const unsigned char *end = b + size;
  int changes = 1 + (int)below(4);
  for (int i = 0; i < changes; i++) {
    /* near the start of some structure, or anywhere */
    size_t at = below((uint32_t)size);
    if (below(4) > 0)
      for (size_t k = 0; k < size; k++) {
        size_t p = (at + k) % size;
        static const char *const marks[] = {"OHDR", "FRHP", "FADB", "EAHD", "BTHD",
                                            "BTLF", "GCOL", "TREE", "SNOD", "HEAP"};
        int found = 0;
        for (int m = 0; m < 10 && p + 4 <= size; m++) found |= memcmp(b + p, marks[m], 4) == 0;
        if (found) {
          at = p + 4 + below(200);
          break;
        }
      }
    if (at >= size) continue;
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    b[at] = below(2) ? values[below(5)] : (unsigned char)(b[at] ^ 1u << below(8));
  }
  for (size_t p = 0; p + 48 < size; p++) {
    if (memcmp(b + p, "\x89HDF", 4) == 0 && b[p + 8] >= 2) mend(b + p, 44, end);
    size_t length = header_length(b + p, end);
    if (length) mend(b + p, length, end);
  }
}

/* ------------------------------------------------------------------ */

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  unsigned char *b = malloc(*size + 1);
  if (b && fread(b, 1, *size, f) != *size) *size = 0;
  fclose(f);
  return b;
}

/* A file that is being written says so in its superblock, and HDF5 changes no such file: the mark is put aside. */
static int set_marks(const char *name, int marks) {
  unsigned char head[48];
  int found = -1;
  FILE *f = fopen(name, "r+b");
  if (f && fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, "\x89HDF", 4) == 0 && head[8] >= 2) {
    found = head[11];
    head[11] = (unsigned char)marks;
    mend(head, 44, head + sizeof head);
    rewind(f);
    fwrite(head, 1, sizeof head, f);
  }
  if (f) fclose(f);
  return found;
}

/* Writes the copy of that seed; 0 if it cannot be written. */
static int make_copy(const char *name, long seed, const unsigned char *b, unsigned char *copy, size_t size,
                     const char *victim) {
  int sealed = memcmp(b, "Capstan result, sealed", 22) == 0;
  state = (uint64_t)seed * 7919 + 17;
  memcpy(copy, b, size);
  int objects = below(2) == 0;
  if (!objects) change_bytes(copy, size);
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(copy, 1, size, f) != size || fclose(f) != 0) return 0;
  if (objects) { /* which HDF5 does not always survive: then the file is what it was left as */
    int marks = set_marks(name, 0);
    pid_t child = fork();
    if (child == 0) {
      alarm(2);
      cps_strange_change(name, victim);
      _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) return 0;
    if (marks > 0 && below(4) > 0) set_marks(name, marks);
  }
  return !sealed || below(8) == 0 || cps_seal_write(name);
}

static int is_secret(const void *bytes, size_t size) {
  for (size_t i = 0; i + 12 <= size; i++)
    if (memcmp((const char *)bytes + i, "SECRETSECRET", 12) == 0) return 1;
  return 0;
}

/* Reads a file as the tool does and looks at everything in it; never returns. */
static void read_all(const char *name) {
  enum { REFUSED_MUTELY = 10, GIVES_AWAY = 11 };
  alarm(3000); /* on a machine that has much else to do; the reader has its own limit of processor time */
  cps_error error = {0};
  cps_result *r = result_open(name, &error);
  if (!r) _exit(error.text[0] ? 0 : REFUSED_MUTELY);
  long rows = cps_result_rows(r), frames = cps_result_frames(r);
  int bad = 0;
  for (int c = 0; c < cps_result_columns(r); c++) {
    const double *x = cps_result_data(r, c);
    bad |= (x && rows > 0 && is_secret(x, (size_t)rows * sizeof *x)) ||
           strlen(cps_result_name(r, c)) > 100000;
  }
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *field = cps_result_field(r, i);
    const double *x = cps_result_field_data(r, i);
    size_t n = (size_t)field->points * (size_t)field->components * (size_t)(field->constant ? 1 : frames);
    bad |= x && is_secret(x, n * sizeof *x);
  }
  static const char *const texts[] = {"status", "summary", "title", "scenario"};
  for (int i = 0; i < 4; i++) {
    const char *text = cps_result_text(r, texts[i]);
    bad |= text && is_secret(text, strlen(text));
  }
  for (long i = 0; i < cps_result_events(r); i++) bad |= strlen(cps_result_event(r, i)->what) > 1000;
  cps_result_free(r);
  _exit(bad ? GIVES_AWAY : 0);
}

/* Whether reading ends well; says so if not. */
static int reads_well(const char *name, long seed) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) read_all(name);
  if (child < 0 || waitpid(child, &status, 0) < 0) return 0;
  if (status != 0)
    printf("seed %ld: %s %d\n", seed, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return status == 0;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  const char *victim = argc > 5 ? argv[5] : "/etc/passwd";
  int reads = argc > 6 && strcmp(argv[6], "read") == 0;
  long tried = 0, failed = 0;
  size_t size = 0;
  unsigned char *b = read_file(argv[1], &size);
  if (!b || size < 2048) return 3;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  strange_source random = {any, NULL, 60};
  cps_strange_use(&random);
  unsigned char *copy = malloc(size);
  for (long seed = atol(argv[3]), last = seed + atol(argv[4]); seed < last; seed++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%ld.h5", argv[2], seed);
    if (!make_copy(name, seed, b, copy, size, victim)) return 3;
    if (!reads) continue;
    fflush(stdout);
    tried++;
    if (reads_well(name, seed))
      unlink(name);
    else
      failed++;
  }
  if (reads) printf("tried %ld held %ld failed %ld\n", tried, tried - failed, failed);
  free(copy);
  free(b);
  return failed > 0;
}
