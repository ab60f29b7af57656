/* result_files.c - see result_files.h. */
#include "result_files.h"
#include "cli.h"
#include "cost.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS_SHOWN = 20, CELLS_MOST = 500000 };

/* ---------------------------------------------------------------- files */

int results_path(char path[FOLDER_ROOM], const char *folder, const char *name) {
  int length = snprintf(path, FOLDER_ROOM, "%s/%s", folder, name);
  return length > 0 && length < FOLDER_ROOM;
}

/* The lock is on the folder itself and ends with the process: nothing is left to be cleared away. Where folders cannot be
 * locked, as on some network disks, runs go on without a lock. */
int results_take(const char *where, const char *folder) {
  static int held = -1;
  if (held >= 0) close(held);
  held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (held < 0 || flock(held, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return STATUS_GOOD;
  complain(where, "another run is at work in '%s': wait until it has ended, or choose another folder",
           folder);
  return STATUS_IO;
}

int results_prepare(const char *where, const char *folder, int take) {
  char path[FOLDER_ROOM];
  size_t length = strlen(folder);
  if (length == 0 || length >= sizeof path - 32) {
    complain(where, length ? "the name of the result folder is too long" : "the result folder has no name");
    return STATUS_IO;
  }
  if (!open_folder(where, folder)) return STATUS_IO;
  if (take && results_take(where, folder) != STATUS_GOOD) return STATUS_IO;
  /* Better to learn now than after an hour that nothing can be written there. */
  cps_output_file probe;
  results_path(path, folder, "summary.json");
  if (!cps_output_open(&probe, path, CPS_OUTPUT_INSIDE)) {
    complain(where, "cannot write in the result folder '%s': %s", folder, probe.reason);
    return STATUS_IO;
  }
  cps_output_discard(&probe);
  return STATUS_GOOD;
}

/* ---------------------------------------------------------------- CSV */

/* Text as a CSV field: in quotes where it must be. What a spreadsheet would take for a formula gets an apostrophe before it,
 * so that it stays text there. */
void csv_field(FILE *out, const char *text) {
  const char *mark = *text && strchr("=+-@\t\r", *text) ? "'" : "";
  if (!text[strcspn(text, ",\"\n\r")]) {
    fprintf(out, "%s%s", mark, text);
    return;
  }
  fprintf(out, "\"%s", mark);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

/* The number 0 with either sign is "0"; others are the shortest that read back the same. */
void csv_number(FILE *out, double value) {
  if (value == 0) {
    fputc('0', out);
    return;
  }
  char text[40];
  shortest_number(text, sizeof text, value);
  fputs(text, out);
}

int series_is_small(const cps_result *r) {
  return (double)cps_result_rows(r) * cps_result_columns(r) <= CELLS_MOST;
}

void series_write(FILE *out, const cps_result *r) {
  int columns = cps_result_columns(r);
  const double **data = (const double **)grow(NULL, (size_t)columns, sizeof *data);
  for (int c = 0; c < columns; c++) {
    char head[200];
    snprintf(head, sizeof head, "%s [%s]", cps_result_name(r, c), cps_result_unit(r, c));
    if (c) fputc(',', out);
    csv_field(out, head);
    data[c] = cps_result_data(r, c);
  }
  fputc('\n', out);
  for (long i = 0; i < cps_result_rows(r); i++) {
    if (i % ROWS_AT_ONCE == 0) cps_rows_release(r);
    for (int c = 0; c < columns; c++) {
      if (c) fputc(',', out);
      csv_number(out, data[c][i]);
    }
    fputc('\n', out);
  }
  free((void *)data);
}

/* The two sides of "stick -> slip forward". */
static void split_event(const cps_event *e, char *from, char *to, size_t size) {
  const char *arrow = strstr(e->what, " -> ");
  snprintf(from, size, "%.*s", arrow ? (int)(arrow - e->what) : 0, e->what);
  snprintf(to, size, "%s", arrow ? arrow + 4 : e->what);
}

void events_write(FILE *out, const cps_result *r) {
  fputs("time [s],contact,from,to\n", out);
  for (long i = 0; i < cps_result_events(r); i++) {
    const cps_event *e = cps_result_event(r, i);
    char from[48], to[48];
    split_event(e, from, to, sizeof from);
    csv_number(out, e->time);
    fputc(',', out);
    csv_field(out, e->contact_name);
    fputc(',', out);
    csv_field(out, from);
    fputc(',', out);
    csv_field(out, to);
    fputc('\n', out);
  }
}

/* ---------------------------------------------------------------- summary */

double closing_error(const cps_energy *e) { return e->scale > 0 ? fabs(e->error) / e->scale : 0; }

long transitions_of(const cps_result *r, int contact) {
  long n = 0;
  for (long i = 0; i < cps_result_events(r); i++) n += cps_result_event(r, i)->contact == contact;
  return n;
}

static void json_long(json *w, const char *key, long value) { json_number(w, key, (double)value); }

static void write_run(json *w, const outcome *o) {
  cps_contents run;
  cps_scenario_contents(o->scenario, &run);
  long rows = cps_result_rows(o->result);
  json_open_flat(w, "run", '{');
  json_text(w, "solver", run.solver);
  json_number(w, "from", run.from);
  json_number(w, "until", run.until);
  json_number(w, "reached", rows ? cps_result_data(o->result, 0)[rows - 1] : run.from);
  json_number(w, "step", run.step > 0 ? run.step : NAN);
  json_number(w, "output", run.output > 0 ? run.output : NAN);
  json_number(w, "tolerance", run.tolerance);
  json_number(w, "absolute_tolerance", run.tolerance_abs);
  json_close(w);
}

static void write_error(json *w, const cps_error *e) {
  if (!e) {
    json_text(w, "error", NULL);
    return;
  }
  json_open(w, "error", '{');
  json_number(w, "time", e->time);
  json_text(w, "key", *e->key ? e->key : NULL);
  json_text(w, "text", e->text);
  json_close(w);
}

/* The last row. */
static void write_end(json *w, const cps_result *r) {
  long last = cps_result_rows(r) - 1;
  json_open(w, "end", '{');
  for (int c = 0; last >= 0 && c < cps_result_columns(r); c++)
    json_number(w, cps_result_name(r, c), cps_result_data(r, c)[last]);
  json_close(w);
}

void column_extremes(const cps_result *r, int c, long *least, long *most) {
  const double *x = cps_result_data(r, c);
  double low = INFINITY, high = -INFINITY;
  *least = *most = 0;
  for (long i = 0; i < cps_result_rows(r); i++) {
    if (i % ROWS_AT_ONCE == 0) cps_rows_release(r);
    if (x[i] < low) low = x[i], *least = i;
    if (x[i] > high) high = x[i], *most = i;
  }
}

/* Smallest and largest value of every column among the rows, and when. */
static void write_extremes(json *w, const cps_result *r) {
  const double *t = cps_result_data(r, 0);
  json_open(w, "extremes", '{');
  for (int c = 1; c < cps_result_columns(r) && cps_result_rows(r) > 0; c++) {
    const double *x = cps_result_data(r, c);
    long least, most;
    column_extremes(r, c, &least, &most);
    json_open_flat(w, cps_result_name(r, c), '{');
    json_text(w, "unit", cps_result_unit(r, c));
    json_number(w, "min", x[least]);
    json_number(w, "min_time", t[least]);
    json_number(w, "max", x[most]);
    json_number(w, "max_time", t[most]);
    json_close(w);
  }
  json_close(w);
}

static void write_event_list(json *w, const cps_result *r) {
  long n = cps_result_events(r);
  json_open(w, "events", '{');
  json_long(w, "count", n);
  json_open(w, "first", '[');
  for (long i = 0; i < n && i < EVENTS_SHOWN; i++) {
    const cps_event *e = cps_result_event(r, i);
    char from[48], to[48];
    split_event(e, from, to, sizeof from);
    json_open_flat(w, NULL, '{');
    json_number(w, "time", e->time);
    json_text(w, "contact", e->contact_name);
    json_text(w, "from", from);
    json_text(w, "to", to);
    json_close(w);
  }
  json_close(w);
  json_close(w);
}

/* The column of that name, looked for from `from` on: columns come in the order of the contacts, and with thousands of
 * them nobody wants to start over each time. -1 if there is none. */
static int find_from(const cps_result *r, int from, const char *name) {
  for (int c = from; c < cps_result_columns(r); c++)
    if (strcmp(cps_result_name(r, c), name) == 0) return c;
  return from > 0 ? find_from(r, 0, name) : -1;
}

static void write_contacts(json *w, const outcome *o) {
  const cps_result *r = o->result;
  long last = cps_result_rows(r) - 1;
  cps_contents has;
  cps_scenario_contents(o->scenario, &has);
  long *count = (long *)grow(NULL, (size_t)has.contacts + 1, sizeof *count);
  memset(count, 0, ((size_t)has.contacts + 1) * sizeof *count);
  for (long i = 0; i < cps_result_events(r); i++)
    if (cps_result_event(r, i)->contact >= 0 && cps_result_event(r, i)->contact < has.contacts)
      count[cps_result_event(r, i)->contact]++;
  int column = 0;
  json_open(w, "contacts", '{');
  cps_contact c;
  for (int i = 0; cps_scenario_contact_at(o->scenario, i, &c) == CPS_OK; i++) {
    char name[2 * CPS_NAME_ROOM];
    snprintf(name, sizeof name, "contacts.%s.work", c.name);
    column = find_from(r, column < 0 ? 0 : column, name);
    json_open_flat(w, c.name, '{');
    json_text(w, "law", c.law->name);
    json_number(w, "friction_work", last >= 0 && column >= 0 ? cps_result_data(r, column)[last] : NAN);
    json_long(w, "transitions", count[i]);
    json_close(w);
  }
  json_close(w);
  free(count);
}

static void write_energy(json *w, const cps_result *r) {
  cps_energy e;
  cps_result_energy(r, &e);
  json_open(w, "energy", '{');
  json_text(w, "unit", "J");
  json_number(w, "initial", e.initial);
  json_number(w, "kinetic", e.kinetic);
  json_number(w, "elastic", e.elastic);
  json_number(w, "gravity", e.gravity);
  json_number(w, "load_work", e.load_work);
  json_number(w, "motion_work", e.motion_work);
  json_number(w, "friction", e.friction);
  json_number(w, "damping", e.damping);
  json_number(w, "solver", e.solver);
  json_number(w, "created", e.created);
  json_number(w, "closing_error", e.error);
  json_number(w, "largest", e.scale);
  json_number(w, "relative_error", closing_error(&e));
  json_number(w, "judged", e.scale > 0 ? e.open / e.scale : 0);
  json_close(w);
}

static void write_counters(json *w, const cps_result *r) {
  cps_counters n;
  cps_result_counters(r, &n);
  json_open_flat(w, "counters", '{');
  json_long(w, "steps", n.steps);
  json_long(w, "rejected", n.rejected);
  json_long(w, "unsolved", n.unsolved);
  json_long(w, "evaluations", n.evaluations);
  json_long(w, "newton", n.newton);
  json_long(w, "factorisations", n.factorisations);
  json_long(w, "events", n.events);
  json_close(w);
}

void warnings_write(json *w, const cps_result *r) {
  json_open(w, "warnings", '[');
  for (int i = 0; cps_result_warning(r, i); i++) json_text(w, NULL, cps_result_warning(r, i));
  json_close(w);
}

void summary_write(FILE *out, const outcome *o) {
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "title", cps_scenario_title(o->scenario));
  json_text(&w, "status", o->status);
  write_error(&w, o->error);
  warnings_write(&w, o->result);
  json_text(&w, "scenario", cps_scenario_file(o->scenario));
  json_text(&w, "hash", cps_scenario_hash(o->scenario));
  json_open_flat(&w, "settings", '[');
  for (int i = 0; i < o->n_settings; i++) json_text(&w, NULL, o->settings[i]);
  json_close(&w);
  json_text(&w, "version", cps_version());
  write_run(&w, o);
  write_end(&w, o->result);
  write_contacts(&w, o);
  write_energy(&w, o->result);
  write_event_list(&w, o->result);
  write_extremes(&w, o->result);
  write_counters(&w, o->result);
  json_long(&w, "rows", cps_result_rows(o->result));
  json_number(&w, "wall_time", o->wall);
  cost_json(&w, "processor_time");
  json_close(&w);
  json_end(&w);
}

char *summary_text(const outcome *o) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = text_open(&text, &size);
  if (!out) return NULL;
  summary_write(out, o);
  text_close(out, &text);
  return text;
}

/* ---------------------------------------------------------------- the folder */

static void write_series(FILE *out, const outcome *o) { series_write(out, o->result); }
static void write_events(FILE *out, const outcome *o) { events_write(out, o->result); }

/* The summary comes last, so that where there is a new one there is all the rest. */
static const struct content {
  const char *name;
  void (*write)(FILE *out, const outcome *o);
  int large; /* only if it stays small */
} contents[] = {
    {"series.csv", write_series, 1}, {"events.csv", write_events, 1}, {"summary.json", summary_write, 0}};

enum { N_CONTENTS = sizeof contents / sizeof contents[0] };

int results_write(const char *where, const char *folder, const outcome *o) {
  FILE *file[N_CONTENTS] = {NULL};
  char path[N_CONTENTS][FOLDER_ROOM];
  int status = STATUS_GOOD, small = series_is_small(o->result);
  for (int i = 0; i < N_CONTENTS && status == STATUS_GOOD; i++) {
    if (contents[i].large && !small) continue;
    results_path(path[i], folder, contents[i].name);
    file[i] = open_output_inside(where, path[i]);
    if (file[i]) contents[i].write(file[i], o);
    status = file[i] ? flush_output(where, path[i], file[i]) : STATUS_IO;
  }
  for (int i = 0; i < N_CONTENTS; i++) {
    if (file[i] && status == STATUS_GOOD)
      status = close_output(where, path[i], file[i]);
    else if (file[i])
      discard_output(file[i]);
  }
  return status;
}
