/* parameter_paths.h - finds numbers of a scenario by their paths.
 *
 * Only the reader knows every number of a scenario, with its unit, its range and its default. So a scenario is read
 * once more with a list of paths, and the reader tells each number that it comes across, written or not.
 */
#ifndef CPS_PROBE_H
#define CPS_PROBE_H

#include "reader.h"

/* Every number of a scenario, in a list that grows. */
typedef struct quantity_list {
  cps_quantity *item; /* owned */
  int n, room;
  int no_memory;
} quantity_list;

typedef struct probe {
  const char *path;   /* as asked for */
  quantity_list *all; /* not NULL: asks for every number, and for no path */
  cps_quantity q;
  int found;       /* a number is there */
  int other;       /* something else is */
  char inside[96]; /* a number further down, "" if there is none */
  int inside_default;
  int want_near; /* whether to look for a name that is nearly right */
  nearest_name near;
  char best[200]; /* what it points to */
} probe;

/* For the reader, at its path or at an item of it (NULL: none): a number; a key that is not written; anything. */
void cps_probe_number(reader *r, const char *item, const key *k, const char *unit, double value);
void cps_probe_default(reader *r, const key *k, const char *unit);
void cps_probe_other(reader *r);

/* Looks for n paths in one go. CPS_BAD_INPUT if a path is not that of a number. */
cps_status cps_scenario_probe(const cps_scenario *s, probe *probes, int n, cps_error *err);

/* As cps_scenario_with; `lenient` lets numbers leave their ranges. */
cps_scenario *cps_scenario_vary(const cps_scenario *s, const char *const *paths, const double *values, int n,
                                int lenient, cps_problems **problems);

/* scenario.c: reads the source of a scenario once more, with other settings. r supplies probes and leniency. */
cps_scenario *cps_scenario_again(const cps_scenario *s, const char *const *settings, int n, probe *probes,
                                 int n_probes, int lenient, cps_problems **problems);

#endif
