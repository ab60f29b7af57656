/* sens_list.h - linear maps as lists of entries over one vector: the adjoint is the same list read the other way round
 * (sens_elementary.h). */
#ifndef CPS_SENS_LIST_H
#define CPS_SENS_LIST_H

typedef struct entry {
  int row, column;
  double by;
} entry;

typedef struct entries {
  entry *e;
  int n, room;
  int lost; /* out of memory: something is missing */
} entries;

void cps_entries_add(entries *list, int row, int column, double by);
void cps_entries_free(entries *list);

#endif
