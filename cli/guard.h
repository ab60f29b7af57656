/* guard.h - calls of a library that does not survive every allocation that fails.
 *
 * HDF5 and zlib, when they are refused memory while they write, may call exit or follow a pointer that is none. Between
 * guard_begin and guard_end the tool then ends with a sentence and STATUS_IO, as it does when a disk is full: `file` is what was
 * being written, of which "FILE.part" is removed, and `folder`, unless it is NULL, holds the run that can be gone on with. Calls do not
 * nest. A signal that somebody else has taken, as sanitizers do, stays theirs. */
#ifndef GUARD_H
#define GUARD_H

void guard_begin(const char *where, const char *file, const char *folder);
void guard_end(void);

/* For the end of main: HDF5 cleans up when the process ends and may crash even then, which does not change the status. */
int guard_leave(int status);

#endif
