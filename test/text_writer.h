/* text_writer.h - a scenario that a test writes piece by piece. Include after test.h. */
#ifndef CPS_TEST_TEXT_WRITER_H
#define CPS_TEST_TEXT_WRITER_H

typedef struct writer {
  char text[6000];
  size_t n;
} writer;

static inline void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
  va_end(args);
  assert_true(n >= 0 && (size_t)n < sizeof w->text - w->n);
  w->n += (size_t)n;
}

#endif
