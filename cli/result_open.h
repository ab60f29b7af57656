/* result_open.h - results read by a process of their own, so that a file which nobody vouches for can neither bring the
 * tool down nor have it do something else. */
#ifndef RESULT_OPEN_H
#define RESULT_OPEN_H

#include "capstan.h"

/* cps_result_load, done by a child that may open one file and no other, write none, start nothing, and has limits on
 * memory (half of the machine's, at least 2 GB) and on time (10 s, and 1 s more for each 4 MB of the file, or
 * CAPSTAN_READ_SECONDS). */
cps_result *result_open(const char *path, cps_error *err);

#endif
