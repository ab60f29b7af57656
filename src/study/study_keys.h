/* study_keys.h - the format of study files, as tables of keys. */
#ifndef CPS_STUDY_KEYS_H
#define CPS_STUDY_KEYS_H

#include "study_data.h"

enum { LAWS_MOST = 8 };

typedef struct raw_study {
  double version;
  const char *title, *scenario;
  const node *set, *vary, *correlate, *sample, *outputs, *limits, *patience;
  int gradients, keep;
} raw_study;

typedef struct raw_vary {
  const char *path;
  const node *paths, *list, *range, *csv, *variants, *law[LAWS_MOST];
  double count;
  int scale;
} raw_vary;

typedef struct raw_csv {
  const char *file;
  const node *column;
} raw_csv;

typedef struct raw_correlation {
  const node *of, *matrix;
  double r;
} raw_correlation;

extern const key_table cps_keys_study, cps_keys_sample, cps_keys_csv, cps_keys_correlation;

/* The rows of a varied parameter, distributions of the table included: rows[VARY_ROWS]. */
enum { VARY_ROWS = 8 + LAWS_MOST };
key_table cps_keys_of_vary(key *rows);

#endif
