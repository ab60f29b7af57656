/* seal.h - the SHA-256 of a finished result file, in the 512 bytes before the HDF5 file proper (its user block), so that
 * damage is seen before HDF5 looks at anything. A seal says that a file is as it was written, not by whom. */
#ifndef CPS_SEAL_H
#define CPS_SEAL_H

#include <stddef.h>

#include "capstan.h"

enum { SEAL_SIZE = CPS_RESULT_SEAL };

/* Writes the seal of a file whose first SEAL_SIZE bytes are free for it; 0 with errno if that fails. */
int cps_seal_write(const char *path);

typedef enum seal_state { SEAL_NONE, SEAL_GOOD, SEAL_BROKEN } seal_state;

/* Compares the file with its seal. */
seal_state cps_seal_check(int descriptor);

#endif
