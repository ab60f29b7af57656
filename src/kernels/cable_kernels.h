/* cable_kernels.h - cable_segments.h for the plane and for space, with contact at nodes and at one or two points of an element: included with
 * KERNELS, the name of their table. */
#include "dense.h"
#include "element_recipe.h"

#define DIM        2
#define NAME(x)    x##_2
#define ELEMENT(x) x##_2
#include "cable_elements.h"
#include "cable_links.h"
#undef NAME
#define POINTS  0
#define NAME(x) x##_20
#include "cable_segments.h"
#define POINTS  1
#define NAME(x) x##_21
#include "cable_segments.h"
#define POINTS  2
#define NAME(x) x##_22
#include "cable_segments.h"
#undef DIM
#undef ELEMENT

#define DIM        3
#define NAME(x)    x##_3
#define ELEMENT(x) x##_3
#include "cable_elements.h"
#include "cable_links.h"
#undef NAME
#define POINTS  0
#define NAME(x) x##_30
#include "cable_segments.h"
#define POINTS  1
#define NAME(x) x##_31
#include "cable_segments.h"
#define POINTS  2
#define NAME(x) x##_32
#include "cable_segments.h"
#undef DIM
#undef ELEMENT

const segment_kernel KERNELS[2][1 + PER_NODE_MAX] = {
    {{LANES, eliminate_20, substitute_20},
     {LANES, eliminate_21, substitute_21},
     {LANES, eliminate_22, substitute_22}},
    {{LANES, eliminate_30, substitute_30},
     {LANES, eliminate_31, substitute_31},
     {LANES, eliminate_32, substitute_32}},
};
