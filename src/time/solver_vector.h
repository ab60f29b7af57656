/* solver_vector.h - vectors for SUNDIALS that survive a refused allocation.
 *
 * N_VClone of SUNDIALS follows what a vector's own clone returns, also if that is NULL; and after a call that was refused memory,
 * what it has freed is freed again with the rest. The clones of a vector made here belong to it: they live as long as it does, and
 * are used again. Where there is no memory for one more, a spare one is given out, and then nothing that was computed may be used. */
#ifndef SOLVER_VECTOR_H
#define SOLVER_VECTOR_H

#include <nvector/nvector_serial.h>

/* What SUNDIALS wants to be made first; NULL if there is no memory. */
SUNContext cps_solver_context(void);

/* A vector of n numbers; NULL if there is no memory. N_VDestroy frees it with all its clones, after those who use them. */
N_Vector cps_vector_new(sunindextype n, SUNContext context);

/* Whether all clones of it, and of those, have numbers of their own. */
int cps_vector_whole(N_Vector v);

#endif
