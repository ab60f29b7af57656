/* mesh_grading.h - element lengths that are small in zones and grow away from them. See mesh_grading.c. */
#ifndef CPS_GRADING_H
#define CPS_GRADING_H

typedef struct zone {
  double from, to;
} zone;

enum { GRADING_MOST = 10000000 }; /* elements */

/* Lengths of elements that add up to `length`: at most `fine` where they touch a zone, at most `size`
 * elsewhere, neighbours (in a ring also the last and the first) by no more than the factor `growth` apart.
 * Returns their number and the owned array *out; 0 if out of memory, -1 if more than GRADING_MOST are
 * needed. */
int cps_grade(double length, double size, double fine, double growth, const zone *zones, int n, int ring,
              double **out);

#endif
