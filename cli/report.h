/* report.h - results as one HTML page: the machine in motion, plots, audit; no network needed.
 *
 * What a page shows comes through a report_source, whether the run has just ended or was read from a folder.
 */
#ifndef REPORT_H
#define REPORT_H

#include "report_pack.h"
#include "result_files.h"

/* What was measured, to be laid over a column as points. */
typedef struct report_data {
  const char *name; /* of the column */
  const char *unit;
  const double *x, *y; /* [n] */
  long n;
} report_data;

/* One result of a report. */
typedef struct report_source {
  const char *label; /* short name, such as that of the folder */
  const outcome
      *run; /* result, settings, status, error, wall time; its scenario may be NULL: no drawing then */
  const char *title, *file, *hash, *solver, *version; /* NULL where not known */
  const char *text;                                   /* the scenario's source */
  const char *summary; /* as it is written to summary.json, for its warnings; NULL: none */
  cps_energy energy;   /* at the end */
  cps_counters counters;
  const char **focus; /* columns of which derivatives are shown first; NULL: none */
  int n_focus;
  const report_data *data; /* what was measured; NULL: nothing */
  int n_data;
} report_source;

/* A source about a run of this process; borrows everything. */
report_source report_source_of(const char *label, const outcome *o);

/* Writes the page. Complains and returns STATUS_IO if that fails. */
int report_write(const char *where, const char *path, int named, const report_source *sources, int n);

/* The last part of a path, without a slash at its end. */
void report_label(char *label, size_t size, const char *folder);

/* Writes FOLDER/report.html about a run that has just been written there. */
int report_write_run(const char *where, const char *folder, const outcome *o);

/* ---- parts (report_data.c, report_asset.c) */

/* What the page carries (report_pack.h). */
void report_encode(const report_source *sources, int n, bytes *out);

/* The front end, as web/build.mjs bundled it. */
typedef struct web_asset {
  const char *text;
  size_t length;
} web_asset;

web_asset web_report_script(void);
web_asset web_report_style(void);
web_asset web_space_script(void);
web_asset web_study_script(void);
web_asset web_study_style(void);

/* A page (report_html.c): up to its body, with the scripts that may run in it, data in a gzip stream under an id, and the script that shows them. A live page asks
 * the server that it came from. `page_hash` writes what a policy says of a script or style that is allowed. */
void page_hash(FILE *out, web_asset asset);
void page_open(FILE *out, const char *title, web_asset style, const web_asset *scripts, int n_scripts,
               int live);
void page_data(FILE *out, const char *id, const void *data, size_t length);
void page_close(FILE *out, web_asset script);

#endif
