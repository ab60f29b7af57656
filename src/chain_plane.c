/* chain_plane.c - chain_plane.h for every processor. */
#define PLANE(x) cps_plane_##x
#include "chain_plane.h"
