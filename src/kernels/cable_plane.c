/* cable_plane.c - cable_plane.h for every processor. */
#define PLANE(x) cps_plane_##x
#include "cable_plane.h"
