/* sens_list.c - lists of entries. */
#include "sens_list.h"

#include <stdlib.h>
#include <string.h>

void cps_entries_add(entries *list, int row, int column, double by) {
  if (by == 0) return;
  if (list->n == list->room) {
    int room = list->room > 0 ? 2 * list->room : 256;
    entry *more = realloc(list->e, (size_t)room * sizeof *more);
    if (!more) {
      list->lost = 1;
      return;
    }
    list->e = more;
    list->room = room;
  }
  list->e[list->n++] = (entry){row, column, by};
}

void cps_entries_free(entries *list) {
  free(list->e);
  memset(list, 0, sizeof *list);
}
