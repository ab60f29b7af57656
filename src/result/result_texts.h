/* result_texts.h - what a result that was loaded owns beside its numbers: shared by those who make such results. */
#ifndef CPS_RESULT_TEXTS_H
#define CPS_RESULT_TEXTS_H

#include "result_file.h"

enum { RESULT_TEXTS = 9, UNIT_ROOM = 96 };

struct loaded_text {
  char *text[RESULT_TEXTS]; /* by cps_result_text_names; NULL if it is not there */
  char (*column_unit)[UNIT_ROOM];
  char (*field_unit)[UNIT_ROOM];
  char (*contact)[EVENT_NAME]; /* [events] */
  cps_result_place *places;
  int n_places;
};

extern const char *const cps_result_text_names[RESULT_TEXTS];

/* An empty one that is to be freed with cps_result_free; NULL if there is no memory. */
cps_result *cps_result_empty(void);

/* Room for n columns of r->rows rows; 0 if there is no memory. */
int cps_result_make_columns(cps_result *r, int n);

/* a * b in *product; 0 if it is more than fits. */
static inline int cps_size_times(size_t a, size_t b, size_t *product) {
  *product = a * b;
  return a == 0 || *product / a == b;
}

#endif
