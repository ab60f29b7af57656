/* cable_kernels.c - cable_kernels.h for every processor. */
#define KERNELS cps_kernels_plain
#include "cable_kernels.h"
