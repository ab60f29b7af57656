/* sweep.c - capstan sweep: a scenario at many values of its parameters, as a study file says. */
#include "cli.h"
#include "input.h"
#include "problems.h"
#include "progress.h"
#include "shard.h"
#include "study.h"
#include "study_page.h"
#include "watch.h"

#include <errno.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4200 };

typedef struct sweep_options {
  int help, json, quiet, dry, resume, merge, slurm, csv, no_report, watch;
  const char *output, *threads_text, *shard_text, *point_text, *tasks_text;
} sweep_options;

typedef struct sweep {
  const sweep_options *o;
  const char *study_file;
  const cps_study *study;
  int threads, tasks;
  shard part;
  char folder[PATH_SIZE]; /* in which the table lies */
  char file[PATH_SIZE];   /* the table */
  char page[PATH_SIZE];   /* about it */
  progress bar;
  watch_server *watch; /* NULL: no live page */
  cps_study_progress done;
  long long first_failed[3];
  int n_failed;
  char first_message[600];
} sweep;

static void print_help(const option *table, int n) {
  printf("capstan sweep - a scenario at many values of its parameters, as a study file says\n\n"
         "Usage: capstan sweep STUDY.yaml [-o FOLDER] [--threads N] [--resume]\n"
         "       capstan sweep STUDY.yaml --watch\n"
         "       capstan sweep STUDY.yaml --dry-run\n"
         "       capstan sweep STUDY.yaml --point K\n"
         "       capstan sweep STUDY.yaml --shard I/N | --shard auto\n"
         "       capstan sweep STUDY.yaml --slurm --tasks N > job.sh\n"
         "       capstan sweep --merge FILE... [-o FILE]\n\n"
         "The table of all points is an SQLite file, a row for each. Ctrl-C, a kill or a full disk lose "
         "nothing but the\n"
         "points that are being computed; --resume goes on. Shards are parts of a study for several "
         "machines; their\n"
         "files are merged in the end. docs/sweep.md describes study files and the table.\n\nOptions:\n");
  options_help(stdout, table, n);
  printf("\nExamples:\n"
         "  capstan sweep friction.yaml --dry-run\n"
         "  capstan sweep friction.yaml --threads 8 --csv\n"
         "  mpirun -n 16 capstan sweep friction.yaml --shard auto -o out && capstan sweep --merge "
         "out/shard-*.sqlite\n");
}

static const char *title_of(const sweep *s) {
  const char *own = cps_study_title(s->study), *scenario = cps_scenario_title(cps_study_scenario(s->study));
  return *own ? own : scenario && *scenario ? scenario : shown_name(s->study_file);
}

/* ---------------------------------------------------------------- where things go */

static int ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), k = strlen(ending);
  return n > k && strcmp(text + n - k, ending) == 0;
}

/* The table, and the folder that it lies in. */
static int find_places(sweep *s) {
  char name[512];
  input_folder(s->study_file, ".sweep", name, sizeof name);
  const char *output = s->o->output ? s->o->output : name;
  int named = ends_with(output, ".sqlite") || ends_with(output, ".db");
  size_t length = strlen(output);
  if (length + 64 > sizeof s->file) {
    complain("sweep", "the name '%.60s...' is too long", output);
    return 0;
  }
  char part[64] = "";
  if (s->part.count > 0) snprintf(part, sizeof part, "shard-%04d-of-%04d", s->part.index, s->part.count);
  if (!named) {
    snprintf(s->folder, sizeof s->folder, "%s", output);
    snprintf(s->file, sizeof s->file, "%s/%s.sqlite", output, *part ? part : "points");
    return 1;
  }
  const char *slash = strrchr(output, '/');
  size_t stem = length - strlen(strrchr(output, '.'));
  snprintf(s->folder, sizeof s->folder, "%.*s", slash ? (int)(slash - output) : 1, slash ? output : ".");
  snprintf(s->file, sizeof s->file, "%.*s%s%s%s", (int)stem, output, *part ? "-" : "", part, output + stem);
  return 1;
}

/* ---------------------------------------------------------------- while it runs */

static void note_row(const cps_study_row *row, void *data) {
  sweep *s = (sweep *)data;
  if (strcmp(row->status, "failed") != 0) return;
  if (s->n_failed == 0) snprintf(s->first_message, sizeof s->first_message, "%s", row->message);
  if (s->n_failed < 3) s->first_failed[s->n_failed] = row->point;
  s->n_failed++;
}

/* What the page that follows the study is told of it. */
static study_page_state state_of(const sweep *s, const cps_study_progress *now, const char *status) {
  return (study_page_state){.table = s->file,
                            .status = status,
                            .done = (double)now->done,
                            .wanted = (double)now->wanted,
                            .wall = now->seconds};
}

static int show(const cps_study_progress *now, void *data) {
  sweep *s = (sweep *)data;
  study_page_state state = state_of(s, now, "running");
  if (s->watch && watch_tick(s->watch, study_page_encode, &state)) return 1;
  if (!progress_due(&s->bar)) return progress_stopped();
  double fresh = (double)(now->done - now->before), rate = now->seconds > 0 ? fresh / now->seconds : 0;
  char line[240], left[40];
  span_text(left, sizeof left, rate > 0 ? (double)(now->wanted - now->done) / rate : INFINITY);
  double fraction = now->wanted > 0 ? (double)now->done / (double)now->wanted : 1;
  snprintf(line, sizeof line,
           "%3.0f %%  %lld of %lld points, %lld failed, %lld beyond limits, %.3g/s, %s left", 100 * fraction,
           now->done, now->wanted, now->failed, now->beyond, rate, left);
  progress_draw(&s->bar, "sweep", fraction, line);
  return progress_stopped();
}

/* ---------------------------------------------------------------- afterwards */

static void print_done(const sweep *s) {
  const cps_study_progress *d = &s->done;
  char span[40];
  span_text(span, sizeof span, d->seconds);
  printf("%s\n", title_of(s));
  printf("  points      %lld of %lld", d->done, d->wanted);
  if (s->part.count > 0) printf(", part %d of %d", s->part.index, s->part.count);
  printf("%s%s", d->before ? ", some from before" : "", "\n");
  printf("  failed      %lld\n  beyond      %lld broke a limit\n", d->failed, d->beyond);
  if (d->done > d->before) {
    double rate = (double)(d->done - d->before) / fmax(d->seconds, 1e-9);
    printf("  time        %s, %.*f points/s\n", span, rate < 1 ? 3 : rate < 100 ? 1 : 0, rate);
  }
  printf("  table       %s\n", shown_name(s->file));
  if (*s->page) printf("  page        %s\n", shown_name(s->page));
  if (s->n_failed > 0)
    printf("\n  The first that failed, point %lld: %s\n  again: capstan sweep %s --point %lld\n",
           s->first_failed[0], s->first_message, shown_name(s->study_file), s->first_failed[0]);
}

static void print_json(const sweep *s, const char *status) {
  json w = json_start(stdout);
  json_open(&w, NULL, '{');
  json_text(&w, "status", status);
  json_text(&w, "title", title_of(s));
  json_text(&w, "study", s->study_file);
  json_text(&w, "hash", cps_study_hash(s->study));
  json_text(&w, "scenario_hash", cps_scenario_hash(cps_study_scenario(s->study)));
  json_text(&w, "method", cps_study_method(s->study));
  json_text(&w, "version", cps_version());
  json_number(&w, "count", (double)cps_study_count(s->study));
  json_number(&w, "wanted", (double)s->done.wanted);
  json_number(&w, "done", (double)s->done.done);
  json_number(&w, "before", (double)s->done.before);
  json_number(&w, "failed", (double)s->done.failed);
  json_number(&w, "beyond", (double)s->done.beyond);
  if (s->part.count > 0) {
    json_int(&w, "shard", s->part.index);
    json_int(&w, "shards", s->part.count);
  }
  json_number(&w, "wall_time", s->done.seconds);
  json_number(&w, "busy", s->done.busy);
  json_text(&w, "table", s->file);
  json_text(&w, "page", *s->page ? s->page : NULL);
  json_close(&w);
  json_end(&w);
}

static int write_csv(const char *file) {
  char path[PATH_SIZE + 8];
  cps_error error = {0};
  snprintf(path, sizeof path, "%.*s.csv", (int)(strlen(file) - strlen(strrchr(file, '.'))), file);
  if (cps_study_csv(file, path, &error) == CPS_OK) return STATUS_GOOD;
  problem_print("sweep", &error);
  return study_status(&error);
}

/* The page beside a table: points.html of points.sqlite. */
static int write_page(const char *table, char *page, size_t size) {
  snprintf(page, size, "%.*s.html", (int)(strlen(table) - strlen(strrchr(table, '.'))), table);
  return study_page_write("sweep", table, page, 0);
}

/* Every point takes and gives back the same memory. By default large pieces go back to the system each time, and the pages that come
 * again have to be cleared: for the pulley with 40 elements that was a tenth of the time of a run. */
static void keep_memory(void) {
#if defined(__GLIBC__)
  enum { KEPT = 256 << 20 };
  mallopt(M_MMAP_THRESHOLD, KEPT);
  mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

static int run_all(sweep *s) {
  cps_error error = {.time = NAN};
  if (!find_places(s) || !open_folder("sweep", s->folder)) return STATUS_IO;
  cps_study_options how = {.threads = s->threads,
                           .shard = s->part.index,
                           .shards = s->part.count,
                           .file = s->file,
                           .resume = s->o->resume,
                           .rollback = s->part.count > 0,
                           .row = note_row,
                           .progress = show,
                           .data = s};
  if (s->o->watch) s->watch = watch_start("sweep", study_page_live());
  if (s->watch) fprintf(stderr, "capstan sweep: to follow it: %s\n", watch_address(s->watch));
  keep_memory();
  progress_start(&s->bar, stderr, s->o->quiet);
  cps_status done = cps_study_run(s->study, &how, &s->done, &error);
  int stopped = progress_stopped();
  progress_end(&s->bar);
  study_page_state state = state_of(s, &s->done, done == CPS_OK ? "complete" : "stopped");
  watch_end(s->watch, study_page_encode, &state);
  int status = done == CPS_OK ? STATUS_GOOD : study_status(&error);
  if (done != CPS_OK && done != CPS_FAILED) {
    error.line = 0;
    error.file[0] = 0;
    problem_print("sweep", &error);
    return status;
  }
  /* a part of a study has no page: the table of all parts has one */
  if (!s->o->no_report && s->part.count == 0 && write_page(s->file, s->page, sizeof s->page) != STATUS_GOOD)
    return STATUS_IO;
  if (s->o->json)
    print_json(s, done == CPS_OK ? "complete" : "stopped");
  else if (!s->o->quiet)
    print_done(s);
  if (done != CPS_OK)
    complain("sweep", "%s with %lld of %lld points in %s; to go on: the same command with --resume",
             stopped ? "stopped" : error.text, s->done.done, s->done.wanted, s->file);
  if (s->o->csv && write_csv(s->file) != STATUS_GOOD) return STATUS_IO;
  return status;
}

/* ---------------------------------------------------------------- before */

/* Bytes of a file; 0 if it is not there. */
static double file_size(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

/* Runs a few points into a folder of its own, and says what all would cost. */
static int dry_run(sweep *s) {
  enum { TRIED = 3 };
  long long n = cps_study_count(s->study), parts = s->part.count > 0 ? s->part.count : 1;
  long long tried[TRIED] = {0, n / 2, n - 1};
  int n_tried = n < TRIED ? (int)n : TRIED;
  enum { ROOM = 4096 };
  const char *temporary = getenv("TMPDIR");
  char folder[ROOM], file[ROOM + 64], kept[ROOM + 64];
  cps_error error = {.time = NAN};
  int length = snprintf(folder, sizeof folder, "%s/capstan-sweep-XXXXXX",
                        temporary && *temporary ? temporary : "/tmp");
  if (length >= ROOM || !mkdtemp(folder)) {
    complain("sweep", "no temporary folder can be made; TMPDIR names where");
    return STATUS_IO;
  }
  snprintf(file, sizeof file, "%s/points.sqlite", folder);
  cps_study_options how = {
      .threads = 1, .points = tried, .n_points = n_tried, .file = file, .progress = show, .data = s};
  progress_start(&s->bar, stderr, 1);
  cps_status done = cps_study_run(s->study, &how, &s->done, &error);
  progress_end(&s->bar);
  double bytes = 0, row = 10 * (cps_study_columns(s->study) + 7) + 16;
  for (int i = 0; i < n_tried; i++) {
    snprintf(kept, sizeof kept, "%s/points/%lld.h5", folder, tried[i]);
    bytes += file_size(kept);
    unlink(kept);
  }
  snprintf(kept, sizeof kept, "%s/points", folder);
  rmdir(kept);
  unlink(file);
  rmdir(folder);
  if (done != CPS_OK) {
    problem_print("sweep", &error);
    return study_status(&error);
  }
  int threads = s->threads > 0 ? s->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
  double each = s->done.busy / n_tried, mine = (double)n / (double)parts;
  double seconds = each * mine / fmin(threads > 0 ? threads : 1, fmax(mine, 1)),
         disk = mine * (row + bytes / n_tried);
  if (s->o->json) {
    json w = json_start(stdout);
    json_open(&w, NULL, '{');
    json_text(&w, "study", s->study_file);
    json_text(&w, "method", cps_study_method(s->study));
    json_number(&w, "points", (double)n);
    json_number(&w, "parts", (double)parts);
    json_number(&w, "seconds_per_point", each);
    json_int(&w, "threads", threads);
    json_number(&w, "seconds", seconds);
    json_number(&w, "bytes", disk);
    json_close(&w);
    json_end(&w);
    return STATUS_GOOD;
  }
  char span[40], one[40];
  span_text(span, sizeof span, seconds);
  span_text(one, sizeof one, each);
  printf("%s\n  method      %s, %d parameters, %d outputs\n", title_of(s), cps_study_method(s->study),
         cps_study_parameters(s->study), cps_study_outputs(s->study));
  printf("  runs        %lld%s", n, parts > 1 ? "" : "\n");
  if (parts > 1) printf(", in %lld parts\n", parts);
  printf("  each        %s, as %d of them took%s\n", one, n_tried, s->done.failed ? "; some failed" : "");
  printf("  time        about %s with %d thread%s%s\n", span, threads, threads == 1 ? "" : "s",
         parts > 1 ? ", for one part" : "");
  printf("  disk        about %.3g %s%s\n",
         disk >= 1e9   ? disk / 1e9
         : disk >= 1e6 ? disk / 1e6
                       : disk / 1e3,
         disk >= 1e9   ? "GB"
         : disk >= 1e6 ? "MB"
                       : "kB",
         bytes > 0 ? ", most of it results that are kept" : "");
  return STATUS_GOOD;
}

/* ---------------------------------------------------------------- one point */

static void print_point(const sweep *s, long long k, const double *values) {
  printf("point %lld of %s\n", k, shown_name(s->study_file));
  for (int i = 0; i < cps_study_parameters(s->study); i++) {
    cps_study_column c;
    cps_study_column_at(s->study, i, &c);
    const char *variant = cps_study_variant(s->study, i, values[i]);
    char number[40];
    number_text(number, sizeof number, values[i]);
    printf("  %-24s %s%s%s\n", c.name, variant ? variant : number,
           variant || strcmp(c.unit, "1") == 0 ? "" : " ", strcmp(c.unit, "1") == 0 ? "" : c.unit);
  }
}

/* Runs a point as `capstan run` would, with results and a report in a folder. */
static int run_point(const sweep *s) {
  double k;
  char folder[512], ending[64];
  cps_error error = {.time = NAN};
  double *values = (double *)grow(NULL, (size_t)cps_study_parameters(s->study), sizeof *values);
  if (!read_number(s->o->point_text, &k) || k != floor(k) ||
      cps_study_point(s->study, (long long)k, values, &error) != CPS_OK) {
    complain("sweep", "--point takes the number of a point, 0 to %lld; found '%s'",
             cps_study_count(s->study) - 1, s->o->point_text);
    free(values);
    return STATUS_USAGE;
  }
  if (!s->o->quiet && !s->o->json) print_point(s, (long long)k, values);
  free(values);
  snprintf(ending, sizeof ending, ".point-%lld", (long long)k);
  input_folder(s->study_file, ending, folder, sizeof folder);
  const char *where = s->o->output ? s->o->output : folder;
  cps_problems *problems = NULL;
  cps_scenario *scenario = cps_study_scenario_at(s->study, (long long)k, &problems);
  if (!scenario) problems_print(problems);
  cps_problems_free(problems);
  if (!scenario) return STATUS_FAILED;
  int status = results_prepare("sweep", where, 1);
  if (status != STATUS_GOOD) {
    cps_scenario_free(scenario);
    return status;
  }
  study_run run = {0};
  if (!study_run_make(&run, scenario, &error)) {
    problem_print("sweep", &error);
    return STATUS_FAILED;
  }
  status = study_write("sweep", where, &run.all);
  if (status == STATUS_GOOD && !s->o->no_report) status = report_write_run("sweep", where, &run.all);
  if (s->o->json) summary_write(stdout, &run.all);
  if (run.all.error) problem_print("sweep", run.all.error);
  if (status == STATUS_GOOD && !s->o->quiet && !s->o->json)
    printf("  results                  %s/\n", shown_name(where));
  if (status == STATUS_GOOD && run.all.error) status = STATUS_FAILED;
  study_run_free(&run);
  return status;
}

/* ---------------------------------------------------------------- merging */

static int merge(const sweep_options *o, int n, char **files) {
  char to[PATH_SIZE];
  cps_error error = {.time = NAN};
  long long rows = 0, wanted = 0;
  if (n == 0) {
    complain("sweep", "which files? capstan sweep --merge FILE...");
    return STATUS_USAGE;
  }
  const char *slash = strrchr(files[0], '/');
  snprintf(to, sizeof to, "%.*spoints.sqlite", slash ? (int)(slash - files[0]) + 1 : 0, files[0]);
  if (o->output) snprintf(to, sizeof to, "%s", o->output);
  if (o->output && !ends_with(to, ".sqlite") && !ends_with(to, ".db"))
    append(to, sizeof to, "/points.sqlite");
  double began = seconds_now();
  if (cps_study_merge(to, (const char *const *)files, n, &rows, &wanted, &error) != CPS_OK) {
    error.file[0] = 0;
    problem_print("sweep", &error);
    return study_status(&error);
  }
  double seconds = seconds_now() - began;
  if (o->json) {
    json w = json_start(stdout);
    json_open(&w, NULL, '{');
    json_text(&w, "table", to);
    json_number(&w, "points", (double)rows);
    json_number(&w, "wanted", (double)wanted);
    json_number(&w, "wall_time", seconds);
    json_close(&w);
    json_end(&w);
  } else if (!o->quiet) {
    printf("%s has %lld of %lld points%s\n", shown_name(to), rows, wanted,
           rows < wanted ? ": some are still missing" : "");
  }
  char page[PATH_SIZE + 8];
  if (!o->no_report && write_page(to, page, sizeof page) != STATUS_GOOD) return STATUS_IO;
  return o->csv ? write_csv(to) : STATUS_GOOD;
}

/* ---------------------------------------------------------------- the command */

static int read_count(const char *name, const char *text, int *n) {
  double x;
  if (!text) return 1;
  if (read_number(text, &x) && x >= 1 && x <= 100000 && x == floor(x)) {
    *n = (int)x;
    return 1;
  }
  complain("sweep", "--%s takes a number, such as 8; found '%s'", name, text);
  return 0;
}

static int run_study(sweep *s) {
  cps_problems *problems = NULL;
  cps_study *study = cps_study_load(s->study_file, &problems);
  if (!study) {
    int status = problems_status(problems);
    if (s->o->json) {
      json w = json_start(stdout);
      json_open(&w, NULL, '{');
      json_text(&w, "status", "bad input");
      json_text(&w, "study", s->study_file);
      problems_json(&w, "problems", problems);
      json_close(&w);
      json_end(&w);
    } else {
      problems_print(problems);
    }
    cps_problems_free(problems);
    return status;
  }
  s->study = study;
  int status = s->o->dry ? dry_run(s) : s->o->point_text ? run_point(s) : run_all(s);
  cps_study_free(study);
  return status;
}

int sweep_run(int argc, char **argv) {
  sweep_options o = {0};
  const option table[] = {
      {"output", 'o', OPTION_TEXT, (void *)&o.output, "FOLDER",
       "where the table goes, or FILE.sqlite; STUDY without its ending + .sweep"},
      {"threads", 'j', OPTION_TEXT, (void *)&o.threads_text, "N",
       "so many points at a time; one for each processor"},
      {"dry-run", 'n', OPTION_FLAG, &o.dry, NULL, "say how many runs, how long and how much disk"},
      {"resume", 0, OPTION_FLAG, &o.resume, NULL, "go on with a table that was begun"},
      {"point", 0, OPTION_TEXT, (void *)&o.point_text, "K",
       "run this point alone, with results and a report"},
      {"shard", 0, OPTION_TEXT, (void *)&o.shard_text, "I/N",
       "compute part I of N; auto: as the job scheduler says"},
      {"merge", 0, OPTION_FLAG, &o.merge, NULL, "put tables of parts together"},
      {"slurm", 0, OPTION_FLAG, &o.slurm, NULL, "print the script of a Slurm array job"},
      {"tasks", 0, OPTION_TEXT, (void *)&o.tasks_text, "N", "tasks of that job; 16"},
      {"csv", 0, OPTION_FLAG, &o.csv, NULL, "also write the table as CSV"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"watch", 'w', OPTION_FLAG, &o.watch, NULL, "serve a page on this computer that follows the study"},
      {"no-report", 0, OPTION_FLAG, &o.no_report, NULL, "write no page, and with --point no report.html"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("sweep", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  sweep s = {.o = &o, .tasks = 16};
  if (!read_count("threads", o.threads_text, &s.threads) || !read_count("tasks", o.tasks_text, &s.tasks))
    return STATUS_USAGE;
  if (o.merge) return merge(&o, n, argv);
  if (n != 1) {
    if (n > 1)
      complain("sweep", "one study at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    else
      complain("sweep", "which study? capstan sweep STUDY.yaml");
    return STATUS_USAGE;
  }
  s.study_file = argv[0];
  if (o.shard_text && !shard_read(o.shard_text, &s.part)) return STATUS_USAGE;
  if (!s.threads) s.threads = s.part.threads;
  if (o.slurm) {
    char folder[512];
    input_folder(argv[0], ".sweep", folder, sizeof folder);
    shard_slurm(argv[0], o.output ? o.output : folder, s.tasks, s.threads > 0 ? s.threads : 1);
    return STATUS_GOOD;
  }
  return run_study(&s);
}
