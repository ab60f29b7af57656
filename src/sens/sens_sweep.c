/* sens_sweep.c - sens_sweep.h with the instructions that every processor has. */
#define SWEEP(x) cps_narrow_sweep_##x
#include "sens_sweep.h"
