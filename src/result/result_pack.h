/* result_pack.h - a result as a stream of plain bytes between two processes of one machine: the one that read a file
 * which nobody vouches for, and the one that goes on with what was read. */
#ifndef CPS_RESULT_PACK_H
#define CPS_RESULT_PACK_H

#include "result_file.h"

/* Takes or gives so many bytes; 0 if that fails. */
typedef int (*pack_put)(void *to, const void *bytes, size_t size);
typedef int (*pack_get)(void *from, void *bytes, size_t size);

/* Gives a result that was loaded; 0 if that fails. */
int cps_result_pack(const cps_result *result, pack_put put, void *to);

/* Takes one, and trusts nothing in it; NULL if it is not whole, or there is no memory. */
cps_result *cps_result_unpack(pack_get get, void *from);

#endif
