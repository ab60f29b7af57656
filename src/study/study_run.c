/* study_run.c - the points of a study, computed by threads.
 *
 * Each thread takes the next point that no other has taken, sets the values, runs, and leaves a row. The thread of the caller writes
 * rows into the store, a transaction every COMMIT_EVERY seconds, and reports progress. Threads share scenarios, one for each
 * combination of variants; what a point gives does not depend on who computes it, nor on what was computed before.
 */
#include "study_data.h"

#include "internal.h"
#include "parameter_paths.h"
#include "plain_locale.h"
#include "sens_result.h"
#include "store.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ENGINES_MOST = 8, MESSAGE_SIZE = 640 };
static const double COMMIT_EVERY = 0.25, TELL_EVERY = 0.1; /* [s] */

/* A row on its way from a thread to the store. */
typedef struct done_row {
  struct done_row *next;
  cps_study_row row;
  char message[MESSAGE_SIZE];
  double values[];
} done_row;

/* The scenario with one combination of variants. */
typedef struct base {
  int64_t combination;
  cps_scenario *scenario; /* owned, unless it is that of the study */
  cps_error error;        /* if there is none */
} base;

typedef struct sweep {
  const cps_study *study;
  const cps_study_options *options;
  int64_t total;         /* positions in this part of the study */
  unsigned char *before; /* owned: [total] which of them were there before; NULL: none */
  char folder[1024];     /* of results that are kept; "" if there are none */
  int n_paths;           /* numbers that are set, over all parameters */
  const char **paths;    /* owned: [n_paths], borrowed texts */
  const char **outputs;  /* owned: [n_outputs], borrowed texts */
  pthread_mutex_t lock;  /* of what follows */
  pthread_cond_t news;
  int64_t next;
  int stop, working;
  done_row *first, **last;
  pthread_mutex_t bases_lock;
  base **bases; /* owned */
  int n_bases;
  pthread_mutex_t keep_lock; /* HDF5 takes one thread at a time */
} sweep;

/* What a thread runs one combination with. */
typedef struct engine {
  int64_t combination;
  cps_sens *sens;
} engine;

typedef struct worker {
  sweep *w;
  pthread_t thread;
  engine engines[ENGINES_MOST];
  int n_engines, replace;
  double *values; /* owned: [n_paths] */
  double began;   /* processor time of this thread at the start of the point [s] */
  int given_up;   /* the point has had its time */
} worker;

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_now(void) { return seconds_of(CLOCK_MONOTONIC); }

/* ------------------------------------------------------------------ columns */

const char *cps_study_title(const cps_study *s) { return s->title; }
const char *cps_study_hash(const cps_study *s) { return s->hash; }
const char *cps_study_method(const cps_study *s) { return s->method->name; }
const cps_scenario *cps_study_scenario(const cps_study *s) { return s->scenario; }
int cps_study_parameters(const cps_study *s) { return s->n_parameters; }
int cps_study_outputs(const cps_study *s) { return s->n_outputs; }

static int is_number(const cps_study *s, int parameter) {
  return !s->dimensions[s->parameters[parameter].dimension].variants;
}

static int count_numbers(const cps_study *s) {
  int n = 0;
  for (int i = 0; i < s->n_parameters; i++) n += is_number(s, i);
  return n;
}

int cps_study_columns(const cps_study *s) {
  return s->n_parameters + s->n_outputs * (1 + (s->gradients ? count_numbers(s) : 0));
}

/* The k-th parameter that is a number. */
static int number_at(const cps_study *s, int k) {
  for (int i = 0; i < s->n_parameters; i++)
    if (is_number(s, i) && k-- == 0) return i;
  return -1;
}

cps_status cps_study_column_at(const cps_study *s, int i, cps_study_column *c) {
  memset(c, 0, sizeof *c);
  if (i < 0 || i >= cps_study_columns(s)) return CPS_BAD_INPUT;
  c->path = "";
  if (i < s->n_parameters) {
    const study_parameter *p = &s->parameters[i];
    c->kind = CPS_STUDY_PARAMETER;
    snprintf(c->name, sizeof c->name, "%s", p->name);
    snprintf(c->unit, sizeof c->unit, "%s", is_number(s, i) ? p->unit : "");
    c->path = p->path[0];
    c->low = is_number(s, i) ? p->low : NAN;
    c->high = is_number(s, i) ? p->high : NAN;
    return CPS_OK;
  }
  i -= s->n_parameters;
  if (i < s->n_outputs) {
    const study_output *o = &s->outputs[i];
    c->kind = CPS_STUDY_OUTPUT;
    snprintf(c->name, sizeof c->name, "%s", o->name);
    snprintf(c->unit, sizeof c->unit, "%s", o->unit);
    c->path = o->text;
    c->low = o->least;
    c->high = o->most;
    return CPS_OK;
  }
  i -= s->n_outputs;
  int numbers = count_numbers(s);
  if (numbers == 0) return CPS_BAD_INPUT;
  const study_output *o = &s->outputs[i / numbers];
  const study_parameter *p = &s->parameters[number_at(s, i % numbers)];
  c->kind = CPS_STUDY_GRADIENT;
  snprintf(c->name, sizeof c->name, "d(%s)/d(%s)", o->name, p->name);
  cps_sens_ratio(c->unit, sizeof c->unit, o->unit, p->unit);
  c->low = c->high = NAN;
  return CPS_OK;
}

const char *cps_study_variant(const cps_study *s, int parameter, double value) {
  if (parameter < 0 || parameter >= s->n_parameters || is_number(s, parameter)) return NULL;
  const study_dimension *d = &s->dimensions[s->parameters[parameter].dimension];
  return value >= 0 && value < (double)d->count ? d->variants[(int)value].name : "scenario";
}

/* ------------------------------------------------------------------ scenarios of points */

/* The scenario with the variants of a point. */
static cps_scenario *with_variants(const cps_study *s, const double *values, cps_problems **problems) {
  const cps_scenario *from = s->scenario;
  const char **settings = calloc((size_t)(from->n_settings + s->n_dimensions) + 1, sizeof *settings);
  int n = 0;
  if (!settings) {
    if (problems) *problems = cps_problems_no_memory();
    return NULL;
  }
  for (int i = 0; i < from->n_settings; i++) settings[n++] = from->settings[i];
  for (int j = 0; j < s->n_dimensions; j++) {
    const study_dimension *d = &s->dimensions[j];
    if (d->variants && values[d->first] >= 0) settings[n++] = d->variants[(int)values[d->first]].setting;
  }
  cps_scenario *made = cps_scenario_again(from, settings, n, NULL, 0, 0, problems);
  free(settings);
  return made;
}

/* Values of parameters as values of paths; returns how many. */
static int spread(const cps_study *s, const double *values, const char **paths, double *numbers) {
  int n = 0;
  for (int i = 0; i < s->n_parameters; i++) {
    for (int k = 0; is_number(s, i) && k < s->parameters[i].n_paths; k++, n++) {
      if (paths) paths[n] = s->parameters[i].path[k];
      if (numbers) numbers[n] = values[i];
    }
  }
  return n;
}

cps_scenario *cps_study_scenario_at(const cps_study *s, long long i, cps_problems **problems) {
  int n = spread(s, NULL, NULL, NULL);
  double *values = calloc((size_t)s->n_parameters, sizeof *values),
         *numbers = calloc((size_t)n + 1, sizeof *numbers);
  const char **paths = calloc((size_t)n + 1, sizeof *paths);
  cps_scenario *base_scenario = NULL, *made = NULL;
  if (problems) *problems = NULL;
  if (values && numbers && paths && cps_study_point(s, i, values, NULL) == CPS_OK) {
    spread(s, values, paths, numbers);
    base_scenario = with_variants(s, values, problems);
    if (base_scenario) made = cps_scenario_with(base_scenario, paths, numbers, n, problems);
  } else if (problems) {
    *problems = cps_problems_no_memory();
  }
  cps_scenario_free(base_scenario);
  free(values);
  free(numbers);
  free(paths);
  return made;
}

/* The base of a point, made when it is first asked for. */
static const base *base_of(sweep *w, int64_t combination, const double *values) {
  base *found = NULL;
  pthread_mutex_lock(&w->bases_lock);
  for (int i = 0; i < w->n_bases && !found; i++)
    if (w->bases[i]->combination == combination) found = w->bases[i];
  base **more = found ? NULL : realloc(w->bases, ((size_t)w->n_bases + 1) * sizeof *more);
  base *made = more ? calloc(1, sizeof *made) : NULL;
  if (more) w->bases = more;
  if (made) {
    cps_problems *problems = NULL;
    made->combination = combination;
    made->scenario = with_variants(w->study, values, &problems);
    if (!made->scenario && cps_problems_count(problems) > 0) made->error = *cps_problems_at(problems, 0);
    cps_problems_free(problems);
    w->bases[w->n_bases++] = found = made;
  }
  pthread_mutex_unlock(&w->bases_lock);
  return found;
}

/* What runs a combination in this thread; NULL with an error. */
static cps_sens *engine_of(worker *k, const double *values, cps_error *err) {
  sweep *w = k->w;
  const cps_study *s = w->study;
  int64_t combination = cps_study_combination(s, values);
  for (int i = 0; i < k->n_engines; i++)
    if (k->engines[i].combination == combination) return k->engines[i].sens;
  const base *b = base_of(w, combination, values);
  if (!b || !b->scenario) {
    if (b)
      *err = b->error;
    else
      cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a scenario");
    return NULL;
  }
  cps_sens *sens = (s->gradients ? cps_sens_new : cps_sens_new_plain)(b->scenario, w->paths, w->n_paths,
                                                                      w->outputs, s->n_outputs, err);
  if (!sens) return NULL;
  if (!w->folder[0]) cps_sens_without_frames(sens);
  if (isfinite(s->most_steps)) cps_sens_give_up_after(sens, s->most_steps);
  int at = k->n_engines < ENGINES_MOST ? k->n_engines++ : k->replace++ % ENGINES_MOST;
  cps_sens_free(k->engines[at].sens);
  k->engines[at] = (engine){combination, sens};
  return sens;
}

/* ------------------------------------------------------------------ points */

static int asked_to_stop(sweep *w) {
  pthread_mutex_lock(&w->lock);
  int stop = w->stop;
  pthread_mutex_unlock(&w->lock);
  return stop;
}

/* Called by a run from time to time: whether it has to end. */
static int has_to_end(const cps_progress *now, void *data) {
  (void)now;
  worker *k = data;
  double most = k->w->study->most_seconds;
  if (isfinite(most) && seconds_of(CLOCK_THREAD_CPUTIME_ID) - k->began > most) k->given_up = 1;
  return k->given_up || asked_to_stop(k->w);
}

/* Two numbers as texts: with six digits, or with as many as tell one from the other. */
static void short_texts(double a, double b, char *first, char *second, size_t size) {
  for (int digits = 6; digits <= 17; digits++) {
    cps_print(first, size, "%.*g", digits, a);
    cps_print(second, size, "%.*g", digits, b);
    if (strcmp(first, second) != 0) break;
  }
}

/* Outputs against their limits. An event that did not happen is one that is still to come. */
static void judge(const cps_study *s, const double *outputs, done_row *d) {
  char value[40], limit[40];
  for (int i = 0; i < s->n_outputs; i++) {
    const study_output *o = &s->outputs[i];
    double y = isnan(outputs[i]) ? INFINITY : outputs[i];
    int above = y > o->most;
    if (!above && !(y < o->least)) continue;
    d->row.status = "limit";
    const char *unit = strcmp(o->unit, "1") == 0 ? "" : o->unit, *blank = *unit ? " " : "";
    short_texts(y, above ? o->most : o->least, value, limit, sizeof value);
    if (isnan(outputs[i]))
      snprintf(d->message, sizeof d->message, "%s: it does not happen, and has to before %s%s%s", o->name,
               limit, blank, unit);
    else
      snprintf(d->message, sizeof d->message, "%s is %s%s%s, %s the limit of %s%s%s", o->name, value, blank,
               unit, above ? "above" : "below", limit, blank, unit);
    return;
  }
}

static void take_results(const worker *k, const cps_sens *sens, done_row *d) {
  const cps_study *s = k->w->study;
  double *outputs = d->values + s->n_parameters, *gradients = outputs + s->n_outputs;
  int numbers = s->gradients ? count_numbers(s) : 0;
  for (int i = 0; i < s->n_outputs; i++) outputs[i] = cps_sens_value(sens, i);
  for (int i = 0; i < s->n_outputs && numbers > 0; i++) {
    for (int p = 0, q = 0, path = 0; p < s->n_parameters; p++) {
      if (!is_number(s, p)) continue;
      double sum = 0;
      for (int m = 0; m < s->parameters[p].n_paths; m++) sum += cps_sens_gradient(sens, i, path++);
      gradients[i * numbers + q++] = sum;
    }
  }
  judge(s, outputs, d);
}

static void keep_result(sweep *w, const cps_sens *sens, done_row *d) {
  const cps_study *s = w->study;
  char path[sizeof w->folder + 40];
  cps_error err = {0};
  int wanted = s->keep == KEEP_ALL || (s->keep == KEEP_FAILED && strcmp(d->row.status, "ok") != 0);
  if (!w->folder[0] || !wanted || !sens || !cps_sens_result(sens)) return;
  snprintf(path, sizeof path, "%s/%lld.h5", w->folder, d->row.point);
  pthread_mutex_lock(&w->keep_lock);
  cps_output_file folder;
  const char *reason = NULL;
  if (!cps_folder_make(&folder, w->folder, CPS_OUTPUT_INSIDE))
    reason = folder.reason;
  else if (cps_sens_write(sens, path, &err) != CPS_OK)
    reason = err.text;
  if (reason && !d->message[0])
    snprintf(d->message, sizeof d->message, "the result could not be kept: %s", reason);
  pthread_mutex_unlock(&w->keep_lock);
}

/* Computes one point; 0 if it was stopped on the way, and then it is still to be done. */
static int compute(worker *k, long long point, done_row *d) {
  sweep *w = k->w;
  const cps_study *s = w->study;
  cps_error err = {.time = NAN};
  double began = seconds_now();
  int columns = cps_study_columns(s);
  k->given_up = 0;
  k->began = isfinite(s->most_seconds) ? seconds_of(CLOCK_THREAD_CPUTIME_ID) : 0;
  for (int i = 0; i < columns; i++) d->values[i] = NAN;
  d->row = (cps_study_row){.point = point, .values = d->values, .status = "ok", .message = d->message};
  d->message[0] = 0;
  cps_status status = cps_study_point(s, point, d->values, &err);
  spread(s, d->values, NULL, k->values);
  cps_sens *sens = status == CPS_OK ? engine_of(k, d->values, &err) : NULL;
  if (!sens) status = CPS_FAILED;
  if (status == CPS_OK) status = cps_sens_set(sens, k->values, &err);
  int ran = status == CPS_OK;
  if (ran)
    status = s->gradients ? cps_sens_run(sens, CPS_SENS_AUTO, has_to_end, k, &err)
                          : cps_sens_simulate(sens, has_to_end, k, &err);
  if (status != CPS_OK && !k->given_up && asked_to_stop(w)) return 0;
  if (status == CPS_OK) {
    take_results(k, sens, d);
  } else {
    d->row.status = "failed";
    if (k->given_up)
      snprintf(err.text, sizeof err.text,
               "at t = %.9g s: given up after %.6g s of processor time, as give_up_after says", err.time,
               s->most_seconds);
    if (strncmp(err.text, "at t = ", 7) == 0)
      snprintf(d->message, sizeof d->message, "%s", err.text);
    else
      snprintf(d->message, sizeof d->message, "%s%s%s", err.key, err.key[0] ? ": " : "", err.text);
  }
  if (ran && cps_sens_result(sens)) {
    cps_counters c;
    cps_result_counters(cps_sens_result(sens), &c);
    d->row.steps = c.steps;
    d->row.iterations = c.newton;
    d->row.rejected = c.rejected;
    keep_result(w, sens, d);
  }
  d->row.seconds = seconds_now() - began;
  return 1;
}

/* Which point stands at a position of this part of the study. */
static long long point_at(const sweep *w, int64_t position) {
  const cps_study_options *o = w->options;
  if (o->points) return o->points[position];
  return o->shards > 0 ? (o->shard - 1) + position * o->shards : position;
}

static void *work(void *data) {
  worker *k = data;
  sweep *w = k->w;
  size_t size = sizeof(done_row) + (size_t)cps_study_columns(w->study) * sizeof(double);
  pthread_mutex_lock(&w->lock);
  while (!w->stop) {
    while (w->next < w->total && w->before && w->before[w->next]) w->next++;
    if (w->next >= w->total) break;
    long long point = point_at(w, w->next++);
    pthread_mutex_unlock(&w->lock);
    done_row *d = malloc(size);
    int good = d && compute(k, point, d);
    pthread_mutex_lock(&w->lock);
    if (!good) {
      free(d);
      w->stop = 1;
      break;
    }
    d->next = NULL;
    *w->last = d;
    w->last = &d->next;
    pthread_cond_signal(&w->news);
  }
  w->working--;
  pthread_cond_signal(&w->news);
  pthread_mutex_unlock(&w->lock);
  for (int i = 0; i < k->n_engines; i++) cps_sens_free(k->engines[i].sens);
  return NULL;
}

/* ------------------------------------------------------------------ the caller's thread */

/* Rows that wait for the store. */
typedef struct waiting {
  done_row *first, **last;
  int n;
  double since;
} waiting;

static cps_status store_rows(waiting *q, study_store *store, cps_error *err) {
  cps_status status = CPS_OK;
  cps_study_row *rows = store && q->n > 0 ? malloc((size_t)q->n * sizeof *rows) : NULL;
  if (store && q->n > 0 && !rows) status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for rows");
  int n = 0;
  for (done_row *d = q->first; d && rows; d = d->next) rows[n++] = d->row;
  if (rows) status = cps_store_add(store, rows, n, err);
  free(rows);
  while (q->first) {
    done_row *d = q->first;
    q->first = d->next;
    free(d);
  }
  q->last = &q->first;
  q->n = 0;
  return status;
}

/* Takes the rows that threads have left; waits for some, but not for long. Returns how many threads still work. */
static int take_rows(sweep *w, waiting *q) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(TELL_EVERY * 1e9);
  if (until.tv_nsec >= 1000000000L) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000L;
  }
  pthread_mutex_lock(&w->lock);
  if (w->working > 0) pthread_cond_timedwait(&w->news, &w->lock, &until);
  if (w->first) {
    *q->last = w->first;
    q->last = w->last;
    w->first = NULL;
    w->last = &w->first;
  }
  int working = w->working;
  pthread_mutex_unlock(&w->lock);
  return working;
}

static void ask_to_stop(sweep *w) {
  pthread_mutex_lock(&w->lock);
  w->stop = 1;
  pthread_mutex_unlock(&w->lock);
}

static void count_row(const cps_study_row *row, cps_study_progress *now) {
  now->done++;
  now->failed += strcmp(row->status, "failed") == 0;
  now->beyond += strcmp(row->status, "limit") == 0;
  now->busy += row->seconds;
}

/* Until all threads have ended and all rows are written. */
static cps_status serve(sweep *w, study_store *store, cps_study_progress *now, cps_error *err) {
  const cps_study_options *o = w->options;
  waiting q = {NULL, &q.first, 0, seconds_now()};
  cps_status status = CPS_OK;
  double began = seconds_now(), told = 0;
  for (int working = 1; working > 0;) {
    done_row **fresh = q.last;
    working = take_rows(w, &q);
    for (done_row *d = *fresh; d; d = d->next, q.n++) {
      count_row(&d->row, now);
      if (o->row) o->row(&d->row, o->data);
    }
    double clock = seconds_now();
    now->seconds = clock - began;
    if (clock - q.since > COMMIT_EVERY || working == 0) {
      cps_status stored = status == CPS_OK ? store_rows(&q, store, err) : store_rows(&q, NULL, NULL);
      if (stored != CPS_OK) status = stored;
      q.since = clock;
    }
    int stop = status != CPS_OK;
    if (o->progress && (clock - told >= TELL_EVERY || working == 0)) {
      stop |= o->progress(now, o->data);
      told = clock;
    }
    if (stop) ask_to_stop(w);
  }
  return status;
}

/* ------------------------------------------------------------------ running */

static void end(sweep *w) {
  for (int i = 0; i < w->n_bases; i++) {
    cps_scenario_free(w->bases[i]->scenario);
    free(w->bases[i]);
  }
  free(w->bases);
  free(w->before);
  free(w->paths);
  free(w->outputs);
  pthread_mutex_destroy(&w->lock);
  pthread_mutex_destroy(&w->bases_lock);
  pthread_mutex_destroy(&w->keep_lock);
  pthread_cond_destroy(&w->news);
}

static cps_status begin(sweep *w, cps_error *err) {
  const cps_study *s = w->study;
  const cps_study_options *o = w->options;
  pthread_mutex_init(&w->lock, NULL);
  pthread_mutex_init(&w->bases_lock, NULL);
  pthread_mutex_init(&w->keep_lock, NULL);
  pthread_cond_init(&w->news, NULL);
  w->last = &w->first;
  w->total = o->points ? o->n_points : s->count;
  if (!o->points && o->shards > 0)
    w->total = s->count > o->shard - 1 ? (s->count - o->shard) / o->shards + 1 : 0;
  w->n_paths = spread(s, NULL, NULL, NULL);
  w->paths = calloc((size_t)w->n_paths + 1, sizeof *w->paths);
  w->outputs = calloc((size_t)s->n_outputs + 1, sizeof *w->outputs);
  if (!w->paths || !w->outputs) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a study");
  spread(s, NULL, w->paths, NULL);
  for (int i = 0; i < s->n_outputs; i++) w->outputs[i] = s->outputs[i].text;
  if (o->file && s->keep != KEEP_NONE) {
    const char *slash = strrchr(o->file, '/');
    snprintf(w->folder, sizeof w->folder, "%.*spoints", slash ? (int)(slash - o->file) + 1 : 0, o->file);
  }
  return CPS_OK;
}

/* Which points are there already. */
static cps_status find_done(sweep *w, study_store *store, cps_study_progress *now, cps_error *err) {
  if (!store || !cps_store_rows(store)) return CPS_OK;
  w->before = calloc((size_t)w->total + 1, 1);
  if (!w->before) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a list of points");
  for (int64_t i = 0; i < w->total; i++) {
    w->before[i] = (unsigned char)cps_store_has(store, point_at(w, i), &now->failed, &now->beyond);
    now->before += w->before[i];
  }
  now->done = now->before;
  return CPS_OK;
}

static cps_status run_threads(sweep *w, study_store *store, cps_study_progress *now, cps_error *err) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t wanted = w->options->threads > 0 ? w->options->threads : processors > 0 ? processors : 1;
  if (wanted > w->total - now->before) wanted = w->total - now->before;
  int n = (int)(wanted > 1 ? wanted : 1), started = 0;
  cps_status status = CPS_OK;
  worker *workers = calloc((size_t)n, sizeof *workers);
  if (!workers) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %d threads", n);
  w->working = n;
  for (int i = 0; i < n && status == CPS_OK; i++) {
    workers[i].w = w;
    workers[i].values = calloc((size_t)w->n_paths + 1, sizeof(double));
    if (!workers[i].values || pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      status = cps_error_set(err, CPS_FAILED, NULL, "thread %d of %d cannot be started", i + 1, n);
    else
      started++;
  }
  if (started < n) {
    pthread_mutex_lock(&w->lock);
    w->working -= n - started;
    w->stop = 1;
    pthread_mutex_unlock(&w->lock);
  }
  cps_status served = serve(w, store, now, err);
  for (int i = 0; i < started; i++) pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < n; i++) free(workers[i].values);
  free(workers);
  return status != CPS_OK ? status : served;
}

cps_status cps_study_run(const cps_study *s, const cps_study_options *options, cps_study_progress *done,
                         cps_error *err) {
  static const cps_study_options usual = {0};
  sweep w = {.study = s, .options = options ? options : &usual};
  const cps_study_options *o = w.options;
  cps_study_progress now = {0};
  cps_error e = {.time = NAN};
  if (o->shards < 0 || (o->shards > 0 && (o->shard < 1 || o->shard > o->shards)))
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no shard %d of %d: they count from 1", o->shard,
                         o->shards);
  for (long long i = 0; o->points && i < o->n_points; i++)
    if (o->points[i] < 0 || o->points[i] >= s->count)
      return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no point %lld: they are 0 to %lld",
                           o->points[i], (long long)s->count - 1);
  cps_status status = begin(&w, &e);
  study_store *store = NULL;
  if (status == CPS_OK && o->file) {
    store = cps_store_open(s, o->file, o->resume, o->rollback, &e);
    if (!store) status = e.status;
  }
  now.wanted = w.total;
  if (status == CPS_OK) status = find_done(&w, store, &now, &e);
  if (status == CPS_OK && now.before < w.total) status = run_threads(&w, store, &now, &e);
  cps_store_close(store);
  end(&w);
  if (done) *done = now;
  if (status == CPS_OK && now.done < now.wanted)
    status = cps_error_set(&e, CPS_FAILED, NULL, "stopped with %lld of %lld points", now.done, now.wanted);
  if (status != CPS_OK && err) *err = e;
  return status;
}
