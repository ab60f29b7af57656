/* recording.c - see recording.h.
 *
 * The checkpoint file: "capstan run 2\n", then the scenario's name, its folder, the options of the run, the number of
 * settings and each of them, and the scenario, every one as a length in decimal, a line feed, that many bytes and a
 * line feed; then the state, or nothing if the run has not begun.
 * It is written under another name, brought to the disk and renamed: there is always a whole one. What it counts as
 * recorded is on the disk before.
 */
#include "recording.h"
#include "cli.h"
#include "cost.h"
#include "guard.h"
#include "input.h"
#include "options.h"
#include "progress.h"
#include "result_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below this size what result.h5 wastes does not matter [bytes]. */
#define RENEW_FROM 64e6

/* Up to this size a run that is stopped is made compact all the same, and its page drawn: that takes less than a second
 * [bytes]. */
#define COMPACT_MOST 2e7

static const char first_line[] = "capstan run 2\n";

/* ---------------------------------------------------------------- files */

static int could_not(recording *r, const char *path, const char *reason) {
  r->failed = 1;
  r->error = (cps_error){.status = CPS_IO};
  snprintf(r->error.text, sizeof r->error.text, "cannot write '%s': %s", path, reason);
  return 0;
}

/* Writes a file so that there is always a whole one of that name: the parts one after the other. */
static int replace_file(recording *r, const char *name, const void *const *part, const size_t *size, int n) {
  char path[FOLDER_ROOM];
  cps_output_file file;
  results_path(path, r->folder, name);
  int good = cps_output_open(&file, path, CPS_OUTPUT_INSIDE);
  if (!good) return could_not(r, path, file.reason);
  for (int i = 0; i < n && good; i++) good = cps_output_write(&file, part[i], size[i]);
  if (!good)
    cps_output_discard(&file);
  else
    good = cps_output_commit(&file);
  return good ? 1 : could_not(r, path, file.reason);
}

static unsigned long long identity_of(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return 0;
  return (unsigned long long)info.st_ino * 1000003u + (unsigned long long)info.st_dev;
}

/* ---------------------------------------------------------------- checkpoints */

static char *add_field(char *at, const char *text) {
  return at + sprintf(at, "%zu\n%s\n", strlen(text), text);
}

/* What comes before the state. */
static char *make_preamble(const recording *r, size_t *size) {
  const cps_scenario *s = r->source.scenario;
  cps_contents has;
  char count[24], options[60];
  size_t length;
  const char *source = cps_scenario_text(s, &length);
  cps_scenario_contents(s, &has);
  snprintf(count, sizeof count, "%d", has.n_settings);
  snprintf(options, sizeof options, "%.17g %d", r->every, r->no_report);
  size_t room = 512 + strlen(cps_scenario_file(s)) + strlen(r->origin) + length;
  for (int i = 0; i < has.n_settings; i++) room += strlen(has.settings[i]) + 32;
  char *text = (char *)grow(NULL, room, 1), *at = text;
  at += sprintf(at, "%s", first_line);
  at = add_field(at, cps_scenario_file(s));
  at = add_field(at, r->origin);
  at = add_field(at, options);
  at = add_field(at, count);
  for (int i = 0; i < has.n_settings; i++) at = add_field(at, has.settings[i]);
  at += sprintf(at, "%zu\n", length); /* may hold zeros */
  memcpy(at, source, length);
  at += length;
  *at++ = '\n';
  *size = (size_t)(at - text);
  return text;
}

/* With the state of the simulation, or, before there is one, without. */
static int write_checkpoint(recording *r) {
  const void *part[2];
  size_t size[2] = {0, 0};
  void *state = NULL;
  if (r->sim && cps_simulation_save(r->sim, &state, &size[1], &r->error) != CPS_OK) {
    r->failed = 1;
    return 0;
  }
  char *preamble = make_preamble(r, &size[0]);
  part[0] = preamble;
  part[1] = state;
  int good = replace_file(r, "checkpoint", part, size, 2);
  free(preamble);
  free(state);
  return good;
}

/* The next field; NULL if there is none. */
static char *take_field(char **at, const char *end, size_t *length) {
  char *stop = NULL;
  if (*at >= end || **at < '0' || **at > '9') return NULL;
  unsigned long long n = strtoull(*at, &stop, 10);
  if (*stop != '\n' || n >= (unsigned long long)(end - stop) || stop[n + 1] != '\n') return NULL;
  stop[n + 1] = 0;
  *at = stop + n + 2;
  if (length) *length = (size_t)n;
  return stop + 1;
}

static int not_found(const char *what, const char *path, char *why, size_t size) {
  snprintf(why, size, "%s '%s': %s", what, path, strerror(errno));
  return 0;
}

int interrupted_there(const char *folder, char *why, size_t size) {
  char path[FOLDER_ROOM];
  if (!results_path(path, folder, "checkpoint") || access(path, F_OK) == 0 || errno != ENOENT) return 1;
  return not_found("there is no run to go on with: cannot read", path, why, size);
}

int interrupted_read(interrupted *i, const char *folder, char *why, size_t size) {
  char path[FOLDER_ROOM];
  memset(i, 0, sizeof *i);
  if (!results_path(path, folder, "checkpoint")) return not_found("the name is too long:", folder, why, size);
  size_t n = 0;
  if (access(path, F_OK) == 0 && !input_is_file(path)) {
    snprintf(why, size, "cannot read '%s': it is not a regular file", path);
    return 0;
  }
  i->all = input_file(path, &n);
  if (!i->all) return not_found("there is no run to go on with: cannot read", path, why, size);
  char *at = i->all + strlen(first_line), *end = i->all + n;
  char *count = NULL, *options = NULL;
  double settings;
  if (n > strlen(first_line) && memcmp(i->all, first_line, strlen(first_line)) == 0) {
    i->file = take_field(&at, end, NULL);
    i->origin = i->file ? take_field(&at, end, NULL) : NULL;
    options = i->origin ? take_field(&at, end, NULL) : NULL;
    count = options ? take_field(&at, end, NULL) : NULL;
  }
  i->n_settings = count && read_number(count, &settings) && settings >= 0 && settings <= TEXT_LIST_MAX
                      ? (int)settings
                      : -1;
  if (i->n_settings >= 0) {
    i->setting = (char **)grow(NULL, (size_t)i->n_settings + 1, sizeof *i->setting);
    for (int k = 0; k < i->n_settings; k++)
      if (!(i->setting[k] = take_field(&at, end, NULL))) i->n_settings = -1;
  }
  i->text = i->n_settings >= 0 ? take_field(&at, end, &i->length) : NULL;
  if (!i->text || sscanf(options, "%lf %d", &i->every, &i->no_report) != 2 || !(i->every >= 0))
    i->n_settings = -1;
  if (i->n_settings < 0) {
    snprintf(why, size, "'%s' is damaged", path);
    return 0;
  }
  cps_plain_text(i->file, 0); /* it is shown */
  i->state = (unsigned char *)at;
  i->size = (size_t)(end - at);
  return 1;
}

void interrupted_free(interrupted *i) {
  free(i->all);
  free((void *)i->setting);
  memset(i, 0, sizeof *i);
}

/* ---------------------------------------------------------------- a run */

/* The folder that the scenario's other files are found in, whatever the current one is later. */
static void find_origin(recording *r) {
  char folder[FOLDER_ROOM];
  const char *file = cps_scenario_file(r->source.scenario), *slash = strrchr(file, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
  char *whole = realpath(folder, NULL);
  snprintf(r->origin, sizeof r->origin, "%s", whole ? whole : folder);
  free(whole);
}

int recording_intend(recording *r, int *intended) {
  static const char *const used[] = {"checkpoint", "result.h5"};
  char path[FOLDER_ROOM];
  *intended = 0;
  if (!*r->origin) find_origin(r);
  for (int i = 0; i < 2; i++)
    if (!results_path(path, r->folder, used[i]) || access(path, F_OK) == 0) return 1;
  *intended = write_checkpoint(r);
  return *intended;
}

/* What a run that was killed was writing. */
static void remove_parts(const recording *r) {
  static const char *const names[] = {"result.h5",  "checkpoint",   "scenario.yaml", "series.csv",
                                      "events.csv", "summary.json", "report.html"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char name[64], path[FOLDER_ROOM];
    snprintf(name, sizeof name, "%s.part", names[i]);
    if (results_path(path, r->folder, name)) unlink(path);
  }
}

static int flush(recording *r, int to_disk);

/* HDF5 writes result.h5 from here on; who takes up the run finds it as if it had been killed. */
static void guard_result(const recording *r) {
  char path[FOLDER_ROOM];
  results_path(path, r->folder, "result.h5");
  guard_begin("run", path, r->folder);
}

int recording_start(recording *r, int has_checkpoint) {
  if (!*r->origin) find_origin(r);
  r->failed = 0;
  remove_parts(r);
  /* From the checkpoint on this run can go on, and that of before cannot. It counts no rows, so that it does not matter which
   * result.h5 it stands beside. */
  if (!has_checkpoint && !write_checkpoint(r)) return 0;
  r->started = 1;
  r->limit = RENEW_FROM;
  r->flushed = r->checkpointed = seconds_now();
  /* Who flushes at every look wants to have what there is room for: the file grows from the start. */
  return r->every > 0 || flush(r, 0);
}

/* The folder becomes this run's: what an earlier one left goes, before result.h5 is replaced. */
static int take_over(recording *r) {
  static const char *const old[] = {"summary.json", "series.csv", "events.csv", "report.html"};
  size_t length[1];
  const void *text[] = {cps_scenario_text(r->source.scenario, &length[0])};
  if (r->taken) return 1;
  for (size_t i = 0; i < sizeof old / sizeof old[0]; i++) {
    char gone[FOLDER_ROOM];
    results_path(gone, r->folder, old[i]);
    remove(gone);
  }
  if (!replace_file(r, "scenario.yaml", text, length, 1)) return 0;
  r->taken = 1;
  return 1;
}

static int close_file(const recording *r, cps_result_file *file, const char *status, cps_error *err) {
  guard_result(r);
  cps_status closed = cps_result_file_close(file, status, err);
  guard_end();
  return closed == CPS_OK;
}

/* Makes the file that grows, with all that there is so far, in the place of any of before. */
static cps_result_file *make_live(recording *r, cps_error *err) {
  char path[FOLDER_ROOM];
  cps_output_file name;
  results_path(path, r->folder, "result.h5");
  if (!cps_output_name(&name, path, CPS_OUTPUT_INSIDE)) {
    could_not(r, path, name.reason);
    return NULL;
  }
  guard_result(r);
  cps_result_file *live = cps_result_file_new(name.part, &r->source, err);
  guard_end();
  if (live && take_over(r)) {
    if (cps_output_commit(&name)) {
      r->identity = identity_of(path);
      return live;
    }
    could_not(r, path, name.reason);
  }
  if (live) close_file(r, live, NULL, NULL);
  cps_output_discard(&name);
  return NULL;
}

/* Somebody may have removed the folder: then writing succeeds and nothing is kept. */
static int still_there(recording *r) {
  char path[FOLDER_ROOM];
  results_path(path, r->folder, "result.h5");
  if (identity_of(path) == r->identity) return 1;
  r->failed = 1;
  r->error = (cps_error){.status = CPS_IO};
  snprintf(r->error.text, sizeof r->error.text,
           "'%s' has vanished, or was replaced, while the run went on: nothing more can be kept there", path);
  return 0;
}

/* Every flush loses the place of what it writes again. Once that has become much, the file is made anew from what is
 * in memory; if there is no room for that now, later. */
static int renew(recording *r) {
  char path[FOLDER_ROOM];
  struct stat info;
  results_path(path, r->folder, "result.h5");
  if (stat(path, &info) != 0 || (double)info.st_size < r->limit) return 1;
  cps_result_file *fresh = make_live(r, NULL);
  if (r->failed) return 0;
  if (!fresh) {
    r->limit *= 2;
    return 1;
  }
  close_file(r, r->file, NULL, NULL); /* it has no name any more; only processes that have it open see it */
  r->file = fresh;
  if (stat(path, &info) == 0 && 4 * (double)info.st_size > r->limit) r->limit = 4 * (double)info.st_size;
  return 1;
}

/* Adds what is new to the file that grows. */
static int add_new(recording *r, int to_disk) {
  guard_result(r);
  if (cps_result_file_append(r->file, &r->error) != CPS_OK ||
      cps_result_file_flush(r->file, to_disk, &r->error) != CPS_OK)
    r->failed = 1;
  guard_end();
  return !r->failed && still_there(r);
}

static int flush(recording *r, int to_disk) {
  if (r->failed) return 0;
  if (r->file) return add_new(r, to_disk) && renew(r);
  r->file = make_live(r, &r->error);
  r->failed = !r->file;
  return !r->failed;
}

int recording_tick(recording *r) {
  double now = seconds_now();
  if (r->failed) return 0;
  if (now - r->flushed < r->every) return 1;
  cost_part before = cost_turn(COST_SECURING);
  int good = flush(r, 0);
  r->flushed = seconds_now();
  cost_turn(before);
  return good;
}

int recording_checkpoint(cps_simulation *sim, void *data) {
  recording *r = (recording *)data;
  (void)sim;
  if (seconds_now() - r->checkpointed < r->every) return 0;
  cost_part before = cost_turn(COST_SECURING);
  int good = flush(r, 1) && write_checkpoint(r);
  r->flushed = r->checkpointed = seconds_now();
  cost_turn(before);
  return !good;
}

/* The file as it stays: compact, with status and summary in it. */
static int write_whole(recording *r) {
  char path[FOLDER_ROOM];
  results_path(path, r->folder, "result.h5");
  if ((r->file && !still_there(r)) || !take_over(r)) return 0;
  guard_result(r);
  r->failed = cps_result_file_write(path, &r->source, &r->error) != CPS_OK;
  guard_end();
  return !r->failed;
}

/* What there is to be written [bytes]. */
static double recorded(const cps_result *r) {
  double values = (double)cps_result_rows(r) * cps_result_columns(r);
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    values += (double)f->points * f->components * (f->constant ? 1 : (double)cps_result_frames(r));
  }
  return values * sizeof(double);
}

int recording_end(recording *r, const char *status, const char *summary) {
  if (!r->started) return 0;
  r->source.status = status;
  r->source.summary = summary;
  /* who has asked to stop does not want to wait: a large file stays as it has grown */
  r->grown = !r->failed && r->file && strcmp(status, "stopped") == 0 &&
             recorded(r->source.result) > COMPACT_MOST && add_new(r, 0);
  int good = r->grown || (!r->failed && write_whole(r));
  /* The file that grew is no longer to be seen; but if it is all that there is, it gets what it lacks, as far as there is
   * room for it. */
  if (!good) {
    r->failed = 0;
    cps_error why = r->error;
    if (flush(r, 0)) r->error = why;
    r->failed = 1;
  }
  if (r->file && r->grown)
    good = close_file(r, r->file, status, &r->error);
  else if (r->file)
    close_file(r, r->file, good ? NULL : status, NULL);
  r->failed |= !good;
  r->file = NULL;
  return good;
}

void recording_forget(const recording *r) {
  char path[FOLDER_ROOM];
  if (results_path(path, r->folder, "checkpoint")) remove(path);
}
