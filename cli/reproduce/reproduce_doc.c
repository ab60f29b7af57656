/* reproduce_doc.c - see reproduce_doc.h.
 *
 * The page must be the same bytes for the same build on every machine, so nothing in it depends on the time
 * or on the path, and deviations near round-off are only bounded.
 */
#include "reproduce_doc.h"
#include "cli.h"
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void value_text(char *text, size_t size, double value, int digits) {
  if (isnan(value)) {
    snprintf(text, size, "-");
    return;
  }
  char rounded[40];
  snprintf(rounded, sizeof rounded, "%.*g", digits, value);
  number_text(text, size, strtod(rounded, NULL));
}

void allowed_text(char *text, size_t size, const row *x) {
  char number[40];
  value_text(number, sizeof number, x->tolerance, 3);
  if (x->by == AT_LEAST || x->by == AT_MOST)
    snprintf(text, size, "at %s", x->by == AT_LEAST ? "least" : "most");
  else
    snprintf(text, size, "%s %s", number, x->by == RELATIVE ? "rel." : "abs.");
}

/* How much of what is allowed is used up, in tens. */
static void used_text(char *text, size_t size, const row *x) {
  double expected = isnan(x->reference) ? x->published : x->reference, off = fabs(x->computed - expected);
  double allowed = x->by == RELATIVE ? x->tolerance * fabs(expected) : x->tolerance;
  if (isnan(off) || x->by == AT_LEAST || x->by == AT_MOST || !(allowed > 0))
    snprintf(text, size, "-");
  else if (off < 0.1 * allowed)
    snprintf(text, size, "< 10 %%");
  else
    snprintf(text, size, "%.0f %%", 10 * round(10 * off / allowed));
}

/* The computed value with as many digits as its tolerance makes interesting: what lies below a thousandth of
 * it is round-off, and may differ from machine to machine. */
static void computed_text(char *text, size_t size, const row *x) {
  double expected = isnan(x->reference) ? x->published : x->reference;
  double allowed = x->by == RELATIVE ? x->tolerance * fabs(expected) : x->by == ABSOLUTE ? x->tolerance : 0;
  if (!(allowed > 0)) allowed = 1e-3 * fabs(x->computed);
  double grain = pow(10, floor(log10(allowed > 0 ? allowed : 1)) - 1);
  value_text(text, size, grain * round(x->computed / grain) + 0.0, 12); /* + 0.0: no minus zero */
}

/* "docs/verification.md" gives "docs/verification"; what has no ending gets one. */
static void folder_of(char *folder, size_t size, const char *path) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  if (dot && dot > (slash ? slash + 1 : path))
    snprintf(folder, size, "%.*s", (int)(dot - path), path);
  else
    snprintf(folder, size, "%s.figures", path);
}

static int rows_of(const reproduction *r, const char *id, int *good) {
  int n = 0;
  *good = 0;
  for (int i = 0; i < r->n_rows; i++) {
    if (strcmp(r->rows[i].id, id) != 0) continue;
    n++;
    *good += r->rows[i].ok;
  }
  return n;
}

/* Text in a table: a bar would end the cell. */
static void put_cell(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|') fputc('\\', out);
    fputc(*text, out);
  }
}

static void write_overview(FILE *out, const reproduction *r, const study *(*study_at)(int)) {
  fprintf(out, "| id | | rows | ok |\n|---|---|---:|---:|\n");
  int all = 0, all_good = 0;
  for (int i = 0; study_at(i); i++) {
    int good, n = rows_of(r, study_at(i)->id, &good);
    if (!n) continue;
    char anchor[64];
    snprintf(anchor, sizeof anchor, "%s", study_at(i)->id);
    for (char *c = anchor, *to = anchor;; c++) {
      if (*c != '.') *to++ = *c;
      if (!*c) break;
    }
    fprintf(out, "| [`%s`](#%s) | %s | %d | %d |\n", study_at(i)->id, anchor, study_at(i)->title, n, good);
    all += n;
    all_good += good;
  }
  fprintf(out, "| | | **%d** | **%d** |\n\n", all, all_good);
}

/* The notes of a study, each once: the number of that of row `of`, or how many there are before row `of`. */
static int note_number(const reproduction *r, const row *of) {
  int number = 0;
  for (const row *x = r->rows; x <= of; x++) {
    if (strcmp(x->id, of->id) != 0 || !x->note) continue;
    int known = 0;
    for (const row *y = r->rows; y < x && !known; y++)
      known = y->note && strcmp(y->id, of->id) == 0 && strcmp(y->note, x->note) == 0 ? 1 : 0;
    number += !known;
    if (x != of && of->note && strcmp(x->note, of->note) == 0) break;
  }
  return number;
}

static void write_table(FILE *out, const reproduction *r, const char *id) {
  fprintf(out, "| | item | published | reference | computed | unit | allowed | used |\n"
               "|---|---|---:|---:|---:|---|---|---:|\n");
  for (int i = 0; i < r->n_rows; i++) {
    const row *x = &r->rows[i];
    if (strcmp(x->id, id) != 0) continue;
    char published[40], reference[40], computed[40], used[40], allowed[40];
    value_text(published, sizeof published, x->published, 7);
    value_text(reference, sizeof reference, x->reference, 12);
    computed_text(computed, sizeof computed, x);
    used_text(used, sizeof used, x);
    allowed_text(allowed, sizeof allowed, x);
    fprintf(out, "| %s | ", x->ok ? "ok" : "**off**");
    put_cell(out, x->item);
    if (x->note) fprintf(out, " (%d)", note_number(r, x));
    fprintf(out, " | %s | %s | %s | %s | %s | %s |\n", published, reference, computed,
            strcmp(x->unit, "1") == 0 ? "" : x->unit, allowed, used);
  }
  fputc('\n', out);
}

static void write_notes(FILE *out, const reproduction *r, const char *id) {
  int number = 0;
  for (int i = 0; i < r->n_rows; i++) {
    const row *x = &r->rows[i];
    if (strcmp(x->id, id) != 0 || !x->note || note_number(r, x) <= number) continue;
    fprintf(out, "%d. %s\n", ++number, x->note);
  }
  if (number) fputc('\n', out);
}

/* Where the references of a study come from, each source once. */
static void write_sources(FILE *out, const reproduction *r, const char *id) {
  const char *seen[8];
  int n = 0;
  for (int i = 0; i < r->n_rows && n < 8; i++) {
    const row *x = &r->rows[i];
    if (strcmp(x->id, id) != 0 || !x->source) continue;
    int known = 0;
    for (int k = 0; k < n; k++) known += strcmp(seen[k], x->source) == 0;
    if (known) continue;
    fprintf(out, "%s%s", n ? ", " : "Reference: ", x->source);
    seen[n++] = x->source;
  }
  if (n) fprintf(out, ".\n\n");
}

static void write_drawings(FILE *out, const reproduction *r, const char *id, const char *folder) {
  for (int i = 0; i < r->n_drawings; i++) {
    const drawing *d = &r->drawings[i];
    if (strcmp(d->id, id) != 0) continue;
    char title[120];
    plain_text(title, sizeof title, d->figure.title);
    fprintf(out, "![%s](%s/%s.svg)\n\n%s\n\n", title, folder, d->name, d->caption);
  }
}

static void write_page(FILE *out, const reproduction *r, const study *(*study_at)(int), const char *folder) {
  fprintf(
      out,
      "# Verification\n\n"
      "Published test cases, run from the files in [scenarios/](../scenarios). This page and its figures are "
      "written by\n`capstan reproduce --markdown docs/verification.md`; nothing in it is written by hand. "
      "What `make docs` "
      "adds at its end is a campaign\non random machines, from `test/reference/random_machines.md`.\n\n"
      "*Published* is what the paper prints. *Reference* was found independently of this program: in closed "
      "form, by an\nevent-driven solution or with another implementation of the same scheme. *ok* compares "
      "what is computed with the reference,\nor with the published number where there is no reference. A "
      "number in parentheses points to a note under the table.\n\n");
  write_overview(out, r, study_at);
  const char *paper = "";
  for (int i = 0; study_at(i); i++) {
    const study *s = study_at(i);
    int good;
    if (!rows_of(r, s->id, &good)) continue;
    if (strcmp(paper, s->paper) != 0) fprintf(out, "## %s\n\n", s->paper);
    paper = s->paper;
    fprintf(out, "### %s\n\n**%s.** %s\n\n", s->id, s->title, s->about);
    write_table(out, r, s->id);
    write_notes(out, r, s->id);
    write_sources(out, r, s->id);
    write_drawings(out, r, s->id, folder);
  }
}

static int write_figures(const char *where, const char *folder, const reproduction *r) {
  if (r->n_drawings > 0 && !open_folder_inside(where, folder)) return STATUS_IO;
  for (int i = 0; i < r->n_drawings; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", folder, r->drawings[i].name);
    FILE *out = open_output_inside(where, path);
    if (!out) return STATUS_IO;
    plot_svg(out, &r->drawings[i].figure);
    int status = close_output(where, path, out);
    if (status != STATUS_GOOD) return status;
  }
  return STATUS_GOOD;
}

int verification_write(const char *where, const char *path, const reproduction *r,
                       const study *(*study_at)(int)) {
  char folder[4000];
  folder_of(folder, sizeof folder, strcmp(path, "-") == 0 ? "verification.md" : path);
  const char *name = strrchr(folder, '/');
  FILE *out = open_output(where, path);
  if (!out) return STATUS_IO;
  write_page(out, r, study_at, name ? name + 1 : folder);
  int with_figures = output_is_file(out), status = close_output(where, path, out);
  return status == STATUS_GOOD && with_figures ? write_figures(where, folder, r) : status;
}
