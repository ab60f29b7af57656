/* shard.c - see shard.h.
 *
 * Launchers tell every process its rank and their number in its environment, so that nothing has to be linked. Tasks of a Slurm
 * array may have several ranks each: parts are then counted over both. */
#include "shard.h"
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of variables, rank from 0 and number; the first pair that is set counts. */
static const struct {
  const char *rank, *size, *who;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI"},
    {"PMI_RANK", "PMI_SIZE", "MPICH"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH2"},
    {"PMIX_RANK", "PMIX_SIZE", "PMIx"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun"},
    {"SLURM_PROCID", "SLURM_NTASKS", "Slurm"},
};

/* A variable that is a whole number, not negative; -1 if it is not there or none. */
static long variable(const char *name) {
  const char *text = getenv(name);
  char *end;
  if (!text || !*text) return -1;
  long n = strtol(text, &end, 10);
  return *end || n < 0 || n > INT_MAX ? -1 : n;
}

static int read_auto(shard *s) {
  long task = variable("SLURM_ARRAY_TASK_ID"), tasks = variable("SLURM_ARRAY_TASK_COUNT");
  long first = variable("SLURM_ARRAY_TASK_MIN"), step = variable("SLURM_ARRAY_TASK_STEP"), rank = 0, size = 0;
  const char *lonely = NULL;
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0] && size < 1; i++) {
    long r = variable(launchers[i].rank), n = variable(launchers[i].size);
    if (r >= 0 && n >= 1 && r < n) {
      rank = r;
      size = n;
    } else if (r >= 0 && !lonely) {
      lonely = launchers[i].rank;
    }
  }
  if (task >= 0 && tasks >= 1) {
    long index = (task - (first >= 0 ? first : 0)) / (step >= 1 ? step : 1);
    if (index < 0 || index >= tasks) {
      complain("sweep", "--shard auto: SLURM_ARRAY_TASK_ID is %ld, which is not among %ld tasks from %ld",
               task, tasks, first);
      return 0;
    }
    rank = index * (size > 1 ? size : 1) + (size > 1 ? rank : 0);
    size = tasks * (size > 1 ? size : 1);
  }
  if (size < 1) {
    complain("sweep",
             "--shard auto: %s%s there is no Slurm array job, srun, Open MPI, MPICH or PMIx in the "
             "environment that says "
             "which part this is; --shard 1/4 says it by hand",
             lonely ? lonely : "", lonely ? " is set, but not how many there are, and" : "");
    return 0;
  }
  long threads = variable("SLURM_CPUS_PER_TASK");
  s->index = (int)rank + 1;
  s->count = (int)size;
  s->threads = threads >= 1 ? (int)threads : 1;
  return 1;
}

int shard_read(const char *text, shard *s) {
  char rest;
  if (strcmp(text, "auto") == 0) return read_auto(s);
  if (sscanf(text, "%d/%d%c", &s->index, &s->count, &rest) == 2 && s->count >= 1 && s->index >= 1 &&
      s->index <= s->count)
    return 1;
  complain("sweep", "a shard is written i/n with i from 1 to n, such as 3/16, or auto; found '%s'", text);
  return 0;
}

/* Text for a shell, in single quotes. */
static void put_quoted(const char *text) {
  putchar('\'');
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*text);
  }
  putchar('\'');
}

void shard_slurm(const char *study, const char *folder, int tasks, int threads) {
  printf("#!/bin/bash\n"
         "# An array job: each task computes its part of the points into a file of its own, and goes on "
         "where it was\n"
         "# if it is requeued. Afterwards: capstan sweep --merge FOLDER/shard-*.sqlite\n"
         "#SBATCH --job-name=capstan-sweep\n"
         "#SBATCH --array=1-%d\n"
         "#SBATCH --cpus-per-task=%d\n"
         "#SBATCH --requeue\n"
         "#SBATCH --output=capstan-sweep-%%A_%%a.log\n"
         "#SBATCH --open-mode=append\n"
         "${CAPSTAN:-capstan} sweep ",
         tasks, threads);
  put_quoted(study);
  printf(" -o ");
  put_quoted(folder);
  printf(" --shard auto --resume --quiet\n");
}
