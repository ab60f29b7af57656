/* study.h - what the commands that run a scenario many times share: sens, fit, optimize. */
#ifndef STUDY_H
#define STUDY_H

#include "options.h"
#include "report.h"
#include "result_files.h"

/* Texts that grow; owned. */
typedef struct words {
  char **item;
  int n;
} words;

/* Adds the parts of a list with commas between them; commas in parentheses are part of an item. */
void words_split(words *w, const char *text);
void words_add(words *w, const char *text, size_t length);
/* Leaves out what stands there already; the order stays. */
void words_once(words *w);
void words_free(words *w);

/* Reads a scenario. If anything is wrong it says so (as JSON if that was asked for), and returns NULL with an exit
 * status. */
cps_scenario *study_load(const char *file, const text_list *set, int as_json, int *status);

/* Writes into a folder that is there: result.h5, scenario.yaml, series and events if they are small, summary.json. */
int study_write(const char *where, const char *folder, const outcome *o);

/* A run of a scenario that has ended. */
typedef struct study_run {
  cps_scenario *scenario; /* owned */
  cps_system *system;
  cps_simulation *sim;
  cps_error error;
  outcome all;
} study_run;

/* Runs a scenario, of which it takes ownership (NULL: it says why in error already). That the run fails is no failure of
 * this; 0 only if there is nothing to run. */
int study_run_make(study_run *r, cps_scenario *scenario, cps_error *error);
void study_run_free(study_run *r);

/* The exit status that goes with an error. */
int study_status(const cps_error *e);

/* A number, or "-" where there is none. */
const char *number_or_dash(char *text, size_t size, const char *format, double value);

/* Writes a file by a function, under another name until it is complete. */
int study_file(const char *where, const char *folder, const char *name, void (*write)(FILE *, const void *),
               const void *data);

#endif
