/* fuzz_problems.h - what every reader of texts promises: an object or problems, and problems that can be printed. */
#ifndef FUZZ_PROBLEMS_H
#define FUZZ_PROBLEMS_H

#include "capstan.h"

#include <stdio.h>
#include <stdlib.h>

static inline void demand(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "fuzz: %s\n", what);
  abort();
}

/* Looks at the problems of something that was read or not, and frees them. */
static inline void check_problems(const void *object, cps_problems *problems) {
  demand(!object == (cps_problems_count(problems) > 0), "neither or both of an object and problems");
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char line[4096];
    int needed = cps_problem_text(cps_problems_at(problems, i), line, sizeof line);
    demand(needed > 0 && needed < (int)sizeof line, "a problem is too long");
    demand(cps_problems_at(problems, i)->text[0], "a problem says nothing");
  }
  cps_problems_free(problems);
}

#endif
