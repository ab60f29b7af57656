/* shard.h - which part of a study a process computes: as it is told, or from what job schedulers and MPI launchers say. */
#ifndef SHARD_H
#define SHARD_H

#include <stddef.h>

typedef struct shard {
  int index, count; /* 1 .. count; count 0: the whole */
  int threads;      /* processors that the scheduler gives this process; 0: not said */
} shard;

/* "3/16" or "auto"; complains and returns 0 if it is neither. */
int shard_read(const char *text, shard *s);

/* Prints the script of a Slurm array job of so many tasks for a study, whose results go to `folder`. */
void shard_slurm(const char *study, const char *folder, int tasks, int threads);

#endif
