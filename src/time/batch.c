/* batch.c - many simulations of one system, stepped by a pool of threads.
 *
 * A step is a piece of work that all threads share: each takes the next simulation that no other thread has taken, until none is left. The
 * caller's thread takes its part. Every simulation is touched by one thread at a time, and what it computes does not depend on
 * which: results are the same bits whatever the number of threads.
 */
#include "system.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cps_batch {
  int n, n_threads, n_columns, n_inputs;
  cps_simulation **sim; /* [n] */
  int *column;          /* [n_columns] */
  pthread_t *thread;    /* [n_threads - 1] */
  int running;          /* threads that have been started */
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  long round; /* number of the step; threads wait for the next one */
  int quit, next, busy;
  /* of the present step */
  double duration;
  const double *inputs;
  cps_hold_kind kind;
  double *outputs;
  cps_status *status;
  int failed; /* first simulation that failed; n: none */
  cps_error error;
};

static cps_status step_one(cps_batch *b, int i, cps_error *err) {
  cps_simulation *sim = b->sim[i];
  cps_status status = CPS_OK;
  for (int k = 0; b->inputs && k < b->n_inputs && status == CPS_OK; k++)
    status = cps_simulation_set(sim, k, b->inputs[(size_t)i * (size_t)b->n_inputs + (size_t)k], b->kind, err);
  if (status == CPS_OK)
    status = cps_simulation_step(sim, cps_simulation_time(sim) + b->duration, 0, NULL, err);
  for (int k = 0; b->outputs && k < b->n_columns; k++)
    b->outputs[(size_t)i * (size_t)b->n_columns + (size_t)k] = status == CPS_OK
                                                                   ? cps_simulation_get(sim, b->column[k])
                                                                   : NAN;
  return status;
}

/* Takes simulations until none is left. The lock is held before and after. */
static void take_part(cps_batch *b) {
  while (b->next < b->n) {
    int i = b->next++;
    pthread_mutex_unlock(&b->lock);
    cps_error err;
    cps_error_set(&err, CPS_OK, NULL, "%s", "");
    cps_status status = step_one(b, i, &err);
    pthread_mutex_lock(&b->lock);
    if (b->status) b->status[i] = status;
    if (status != CPS_OK && i < b->failed) {
      b->failed = i;
      b->error = err;
      b->error.status = status;
    }
  }
}

static void *work(void *data) {
  cps_batch *b = data;
  pthread_mutex_lock(&b->lock);
  for (long seen = 0;;) {
    while (!b->quit && b->round == seen) pthread_cond_wait(&b->begin, &b->lock);
    if (b->quit) break;
    seen = b->round;
    b->busy++;
    take_part(b);
    if (--b->busy == 0) pthread_cond_signal(&b->end);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

void cps_batch_free(cps_batch *b) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  b->quit = 1;
  pthread_cond_broadcast(&b->begin);
  pthread_mutex_unlock(&b->lock);
  for (int i = 0; i < b->running; i++) pthread_join(b->thread[i], NULL);
  for (int i = 0; b->sim && i < b->n; i++) cps_simulation_free(b->sim[i]);
  pthread_cond_destroy(&b->begin);
  pthread_cond_destroy(&b->end);
  pthread_mutex_destroy(&b->lock);
  free(b->sim);
  free(b->column);
  free(b->thread);
  free(b);
}

/* Simulations after which it is seen for the first time what one takes: thousands of pages even if they are small. The first ones may
 * lie in memory that the process has freed before, so it is seen again whenever their number has doubled. */
enum { SAMPLE = 256 };
static const double GIB = 1024.0 * 1024 * 1024;

/* Memory that the process holds [bytes]; 0 where the system does not say so. */
static double resident(void) {
  long all, held = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (!f) return 0;
  if (fscanf(f, "%ld %ld", &all, &held) != 2) held = 0;
  fclose(f);
  return (double)held * (double)sysconf(_SC_PAGESIZE);
}

/* Refuses what would eat all memory, and take hours to do so: the system gives it away without having it. */
static cps_status afford(const cps_batch *b, int made, double before, cps_error *err) {
  double held = resident(), there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double needed = (held - before) / made * b->n;
  if (before <= 0 || needed <= there) return CPS_OK;
  return cps_error_set(err, CPS_NO_MEMORY, NULL,
                       "a batch of %d simulations would take %.0f GB, and this machine has %.0f GB", b->n,
                       needed / GIB, there / GIB);
}

static cps_status fill(cps_batch *b, const cps_system *system, const char *const *columns, cps_error *err) {
  double before = resident();
  for (int i = 0; i < b->n; i++) {
    b->sim[i] = cps_simulation_new(system, err);
    cps_status status = b->sim[i] ? cps_simulation_keep(b->sim[i], 0, err) : CPS_FAILED;
    int made = i + 1, doubled = made >= SAMPLE && (made & (made - 1)) == 0;
    if (status == CPS_OK && doubled) status = afford(b, made, before, err);
    if (status != CPS_OK) {
      b->n = i + 1; /* there are no others to free */
      return status;
    }
  }
  b->n_inputs = cps_simulation_inputs(b->sim[0]);
  for (int k = 0; k < b->n_columns; k++) {
    b->column[k] = cps_simulation_column(b->sim[0], columns[k]);
    if (b->column[k] < 0)
      return cps_error_set(err, CPS_BAD_INPUT, columns[k], "there is no column \"%s\"", columns[k]);
  }
  return CPS_OK;
}

cps_batch *cps_batch_new(const cps_system *system, int n, int threads, const char *const *columns,
                         int n_columns, cps_error *err) {
  if (n < 1 || threads < 0 || n_columns < 0) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "a batch of %d simulations in %d threads cannot be", n, threads);
    return NULL;
  }
  cps_batch *b = calloc(1, sizeof *b);
  if (!b) {
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a batch");
    return NULL;
  }
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  b->n = n;
  b->n_threads = threads > 0 ? threads : processors > 0 ? (int)processors : 1;
  if (b->n_threads > n) b->n_threads = n;
  b->n_columns = n_columns;
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->begin, NULL);
  pthread_cond_init(&b->end, NULL);
  b->sim = calloc((size_t)n, sizeof(cps_simulation *));
  b->column = calloc((size_t)n_columns + 1, sizeof *b->column);
  b->thread = calloc((size_t)b->n_threads, sizeof *b->thread);
  cps_status status = b->sim && b->column && b->thread
                          ? fill(b, system, columns, err)
                          : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a batch");
  while (status == CPS_OK && b->running + 1 < b->n_threads) {
    if (pthread_create(&b->thread[b->running], NULL, work, b) != 0)
      status = cps_error_set(err, CPS_FAILED, NULL, "thread %d of %d cannot be started", b->running + 1,
                             b->n_threads - 1);
    else
      b->running++;
  }
  if (status == CPS_OK) return b;
  cps_batch_free(b);
  return NULL;
}

cps_simulation *cps_batch_at(cps_batch *b, int i) { return i >= 0 && i < b->n ? b->sim[i] : NULL; }

cps_status cps_batch_step(cps_batch *b, double duration, const double *inputs, cps_hold_kind kind,
                          double *outputs, cps_status *status, cps_error *err) {
  if (!(duration >= 0) || !isfinite(duration))
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "a batch cannot advance by %g s", duration);
  pthread_mutex_lock(&b->lock);
  b->duration = duration;
  b->inputs = inputs;
  b->kind = kind;
  b->outputs = outputs;
  b->status = status;
  b->failed = b->n;
  b->next = 0;
  b->round++;
  pthread_cond_broadcast(&b->begin);
  take_part(b);
  while (b->busy > 0) pthread_cond_wait(&b->end, &b->lock);
  int failed = b->failed < b->n;
  if (failed && err) *err = b->error;
  cps_status first = failed ? b->error.status : CPS_OK;
  pthread_mutex_unlock(&b->lock);
  return first;
}
