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

/* A mesh that can move along the cable (moving_mesh.c): its nodes lie on a grid of `units` equal parts of the length. The longest
 * elements are `cell` of these, a power of two, and all others come from halving them. */
typedef struct grid {
  int units, cell;
} grid;

/* The same as elements of such a mesh, halved where they are longer than wanted, and then `spare` times more where they are nearest to
 * it. Neither ring nor ratio of neighbours: wanted lengths rise so slowly that it is two at most. */
int cps_grade_halving(double length, double size, double fine, double growth, const zone *zones, int n,
                      int spare, grid *on, double **out);

/* The length that is wanted at a distance from where elements are to be fine. */
double cps_grade_wanted(double size, double fine, double growth, double distance);

#endif
