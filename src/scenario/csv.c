/* csv.c - CSV files: two columns of one for a profile, times that rise and values; or a whole table of measurements.
 *
 * Cells are separated by commas, semicolons, tabs or blanks, whichever the first line has; lines that are
 * empty or start with # are skipped; a first line that does not start with a number is the header. Every cell
 * that is used must be a finite number in SI units.
 */
#include "reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 128, COMPLAINTS_MOST = 5 };

typedef struct csv {
  reader *r;
  int source;
  const char *text;
  size_t length, at; /* `at` is where the next line starts */
  size_t line;       /* where the current one starts */
  size_t line_end;
  char separator; /* ' ' means any blanks */
  int outer;      /* length of the path of the table */
  int complaints;
  size_t seen_line,
      seen_at; /* where the column `seen` of that line starts: the next one need not be looked for from the start */
  int seen;
} csv;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
complain(csv *c, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  c->complaints++;
  cps_problem_add(c->r->d, (mark){c->source, (unsigned)at}, c->r->path, 0, format, args);
  va_end(args);
}

static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* Goes to the next line that has something to say; 0 at the end. */
static int next_line(csv *c) {
  while (c->at < c->length) {
    size_t start = c->at, end = start;
    while (end < c->length && c->text[end] != '\n' && c->text[end] != '\r') end++;
    c->at = end < c->length ? end + 1 : end;
    while (start < end && is_blank(c->text[start])) start++;
    while (end > start && is_blank(c->text[end - 1])) end--;
    if (start == end || c->text[start] == '#') continue;
    c->line = start;
    c->line_end = end;
    return 1;
  }
  return 0;
}

static char guess_separator(const csv *c) {
  static const char candidates[] = ";,\t";
  for (const char *s = candidates; *s; s++)
    if (memchr(c->text + c->line, *s, c->line_end - c->line)) return *s;
  return ' ';
}

/* Column i, from 0, of the current line: its place, and its text without quotes and blanks. 0 if there is
 * none. */
static int cell(csv *c, int i, size_t *place, char text[CELL_SIZE]) {
  int known = c->seen > 0 && c->seen_line == c->line && c->seen <= i;
  size_t s = known ? c->seen_at : c->line;
  for (int k = known ? c->seen : 0; k < i; k++) {
    while (s < c->line_end && !(c->separator == ' ' ? is_blank(c->text[s]) : c->text[s] == c->separator)) s++;
    if (s == c->line_end) return 0;
    s++;
    while (c->separator == ' ' && s < c->line_end && is_blank(c->text[s])) s++;
  }
  c->seen_line = c->line;
  c->seen_at = s;
  c->seen = i;
  size_t e = s;
  while (e < c->line_end && !(c->separator == ' ' ? is_blank(c->text[e]) : c->text[e] == c->separator)) e++;
  while (s < e && (is_blank(c->text[s]) || c->text[s] == '"')) s++;
  while (e > s && (is_blank(c->text[e - 1]) || c->text[e - 1] == '"')) e--;
  *place = s;
  snprintf(text, CELL_SIZE, "%.*s", (int)(e - s < CELL_SIZE ? e - s : CELL_SIZE - 1), c->text + s);
  return 1;
}

static int is_number(const char *text, double *value) {
  const char *end;
  return cps_number_read(text, &end, value) && !*end;
}

/* ------------------------------------------------------------------ columns */

static int find_header(csv *c, const node *name) {
  char text[CELL_SIZE], quote[QUOTE_SIZE], hint[HINT_SIZE];
  nearest_name near = {.word = name->text};
  char names[32][CELL_SIZE], list[300] = "";
  size_t place, used = 0;
  for (int i = 0; cell(c, i, &place, text); i++) {
    if (strcmp(text, name->text) == 0) return i;
    if (i >= 32) continue;
    memcpy(names[i], text, sizeof text);
    cps_nearest_offer(&near, names[i]);
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", text);
  }
  cps_complain(c->r, name, "there is no column %s in %s%s Its columns are: %s", cps_quote(quote, name->text),
               c->r->d->sources[c->source].name, cps_nearest_hint(&near, ".", hint), list);
  return -1;
}

static int count_columns(csv *c) {
  char text[CELL_SIZE];
  size_t place;
  int n = 0;
  while (cell(c, n, &place, text)) n++;
  return n;
}

/* The index of a column given by name or number; -1 after a complaint. */
static int find_column(csv *c, const node *at, const node *n, const char *key, int otherwise,
                       int has_header) {
  reader *r = c->r;
  const char *file = r->d->sources[c->source].name;
  double number = otherwise;
  int column = -1;
  int by_number = !n || (n->kind == NODE_SCALAR && !n->quoted && is_number(n->text, &number));
  cps_leave(r, c->outer);
  cps_enter(r, key);
  if (n && n->kind != NODE_SCALAR)
    cps_complain(r, n, "found %s; expected the name or the number of a column, such as 2", cps_node_what(n));
  else if (by_number && number == floor(number) && number >= 1 && number <= count_columns(c))
    column = (int)number - 1;
  else if (by_number)
    cps_complain(r, n ? n : at, "there is no column %g in %s, which has %d", number, file, count_columns(c));
  else if (has_header)
    column = find_header(c, n);
  else
    cps_complain(r, n, "%s has no header that names columns; give the number of the column, such as 2", file);
  cps_leave(r, c->outer);
  cps_enter(r, "file");
  return column;
}

static int read_cell(csv *c, int column, const char *what, double *value) {
  char text[CELL_SIZE], quote[QUOTE_SIZE];
  size_t place = c->line_end;
  if (!cell(c, column, &place, text) || !*text)
    complain(c, place, "there is no %s in column %d of this line", what, column + 1);
  else if (!is_number(text, value))
    complain(c, place, "found %s in column %d; expected a number, the %s", cps_quote(quote, text), column + 1,
             what);
  else if (!isfinite(*value))
    complain(c, place, "the %s in column %d is too large", what, column + 1);
  else
    return 1;
  return 0;
}

/* ------------------------------------------------------------------ points */

typedef struct points {
  double *x, *y;
  int n, room;
} points;

static int add_point(points *p, double x, double y) {
  if (p->n == p->room) {
    int room = p->room ? 2 * p->room : 256;
    double *more = realloc(p->x, (size_t)room * sizeof(double));
    if (more) p->x = more;
    double *more_y = more ? realloc(p->y, (size_t)room * sizeof(double)) : NULL;
    if (!more_y) return 0;
    p->y = more_y;
    p->room = room;
  }
  p->x[p->n] = x;
  p->y[p->n++] = y;
  return 1;
}

static void read_rows(csv *c, int time, int value, points *p) {
  do {
    double x, y;
    int good = read_cell(c, time, "time", &x);
    good = read_cell(c, value, "value", &y) && good;
    if (!good) continue;
    if (p->n > 0 && !(x > p->x[p->n - 1])) {
      complain(c, c->line, "the time %.9g s is not later than the one before, %.9g s", x, p->x[p->n - 1]);
      continue;
    }
    if (!add_point(p, x, y)) {
      c->r->d->no_memory = 1;
      return;
    }
  } while (c->complaints < COMPLAINTS_MOST && next_line(c));
}

/* Goes to the first line; 1 if that is a header, 0 if not, -1 after a complaint that there is none. */
static int begin(csv *c, const node *at) {
  char text[CELL_SIZE];
  size_t place;
  double number;
  if (!next_line(c)) {
    cps_complain(c->r, at, "%s has no data", c->r->d->sources[c->source].name);
    return -1;
  }
  c->separator = guess_separator(c);
  return cell(c, 0, &place, text) && !is_number(text, &number);
}

static int read_all(csv *c, const node *at, const node *time, const node *value, points *p) {
  int has_header = begin(c, at);
  if (has_header < 0) return 0;
  int x = find_column(c, at, time, "time", 1, has_header);
  int y = find_column(c, at, value, "value", 2, has_header);
  if (x < 0 || y < 0) return 0;
  if (!has_header || next_line(c)) read_rows(c, x, y, p);
  if (c->complaints || c->r->d->no_memory) return 0;
  if (p->n >= 2) return 1;
  cps_complain(c->r, at, "%s has %d line%s of data; at least 2 are needed", c->r->d->sources[c->source].name,
               p->n, p->n == 1 ? "" : "s");
  return 0;
}

/* The source of a file, read at most once; -1 after a complaint. */
static int open_source(reader *r, const node *at, const char *file) {
  char path[1024], why[80], quote[QUOTE_SIZE];
  const char *folder = file[0] == '/' ? "" : r->d->sources[at->at.source].folder;
  int n = snprintf(path, sizeof path, "%s%s", folder, file);
  for (int i = 0; i < r->d->n_sources; i++) {
    if (strcmp(r->d->sources[i].name, path) != 0) continue;
    r->d->sources[i].unread = 0;
    return i;
  }
  size_t length = 0;
  char *text = NULL;
  if (n >= (int)sizeof path)
    snprintf(why, sizeof why, "its name is too long");
  else if (r->d->n_sources >= SOURCES_MOST)
    snprintf(why, sizeof why, "there are too many files");
  else
    text = cps_file_read(r->d, path, 1, &length, why, sizeof why);
  if (text) return cps_document_add(r->d, path, "", text, length);
  cps_complain(r, at, "the file %s cannot be used: %s", cps_quote(quote, file), why);
  return -1;
}

static void start_at_text(csv *c) {
  c->text = c->r->d->sources[c->source].text;
  c->length = c->r->d->sources[c->source].length;
  if (c->length >= 3 && memcmp(c->text, "\xef\xbb\xbf", 3) == 0) c->at = 3;
}

int cps_read_csv(reader *r, const node *at, const char *file, const node *time, const node *value, double **x,
                 double **y, int *n) {
  points p = {0};
  int outer = cps_enter(r, "file"), source = open_source(r, at, file);
  if (source < 0) {
    cps_leave(r, outer);
    return 0;
  }
  csv c = {.outer = outer, .r = r, .source = source};
  start_at_text(&c);
  int good = read_all(&c, at, time, value, &p);
  cps_leave(r, outer);
  if (!good) {
    free(p.x);
    free(p.y);
    return 0;
  }
  *x = p.x;
  *y = p.y;
  *n = p.n;
  return 1;
}

/* ------------------------------------------------------------------ single columns */

static void split_head(const char *text, char name[CELL_SIZE], char unit[CELL_SIZE]);

/* The header of a column may give the unit of its numbers: "mass [t]". */
static int read_column_cell(csv *c, int column, const char *given, const char *unit, double *value) {
  char text[CELL_SIZE], quantity[2 * CELL_SIZE + 2], why[160], quote[QUOTE_SIZE];
  size_t place = c->line_end;
  if (!*given) return read_cell(c, column, "value", value);
  if (!cell(c, column, &place, text)) text[0] = 0;
  snprintf(quantity, sizeof quantity, "%s %s", text, given);
  if (*text && cps_quantity_read(&c->r->units, quantity, unit, value, why, sizeof why)) return 1;
  complain(c, place, "found %s in column %d; expected a number%s%s", cps_quote(quote, text), column + 1,
           *text ? ": " : "", *text ? why : "");
  return 0;
}

static int read_column(csv *c, const node *at, const node *column, const char *unit, points *p) {
  char text[CELL_SIZE], name[CELL_SIZE], given[CELL_SIZE] = "";
  size_t place;
  int has_header = begin(c, at), found = -1;
  if (has_header < 0) return 0;
  for (int i = 0; has_header && column && column->kind == NODE_SCALAR && cell(c, i, &place, text); i++) {
    split_head(text, name, given);
    if (strcmp(name, column->text) == 0) found = i;
    if (found >= 0) break;
  }
  if (found < 0) found = find_column(c, at, column, "column", 1, has_header);
  if (found < 0) return 0;
  if (has_header && cell(c, found, &place, text)) split_head(text, name, given);
  if (!has_header || next_line(c)) {
    do {
      double x;
      if (!read_column_cell(c, found, given, unit, &x)) continue;
      if (!add_point(p, x, 0)) c->r->d->no_memory = 1;
    } while (c->complaints < COMPLAINTS_MOST && !c->r->d->no_memory && next_line(c));
  }
  if (!c->complaints && p->n == 0)
    cps_complain(c->r, at, "%s has no line of data", c->r->d->sources[c->source].name);
  return p->n > 0 && !c->complaints && !c->r->d->no_memory;
}

double *cps_read_csv_column(reader *r, const node *at, const char *file, const node *column, const char *unit,
                            int *n) {
  points p = {0};
  csv c = {.r = r, .outer = cps_enter(r, "file"), .source = open_source(r, at, file)};
  int good = c.source >= 0;
  if (good) start_at_text(&c);
  good = good && read_column(&c, at, column, unit, &p);
  cps_leave(r, c.outer);
  free(p.y);
  if (good) {
    *n = p.n;
    return p.x;
  }
  free(p.x);
  return NULL;
}

/* ------------------------------------------------------------------ tables */

struct cps_table {
  int columns;
  long rows, room;
  char (*names)[CELL_SIZE]; /* [columns] */
  char (*units)[CELL_SIZE];
  double *data; /* [columns][room] */
};

/* "bodies.block.x [mm]" into name and unit. */
static void split_head(const char *text, char name[CELL_SIZE], char unit[CELL_SIZE]) {
  const char *open = strrchr(text, '[');
  size_t length = strlen(text);
  int has_unit = open && open > text && text[length - 1] == ']';
  size_t n = has_unit ? (size_t)(open - text) : length;
  while (n > 0 && is_blank(text[n - 1])) n--;
  snprintf(name, CELL_SIZE, "%.*s", (int)n, text);
  snprintf(unit, CELL_SIZE, "%.*s", has_unit ? (int)(text + length - open) - 2 : 0, has_unit ? open + 1 : "");
}

static int make_table(csv *c, cps_table *t) {
  char text[CELL_SIZE];
  size_t place;
  t->columns = count_columns(c);
  t->names = calloc((size_t)t->columns + 1, sizeof *t->names);
  t->units = calloc((size_t)t->columns + 1, sizeof *t->units);
  if (!t->names || !t->units) return 0;
  for (int i = 0; i < t->columns && cell(c, i, &place, text); i++) split_head(text, t->names[i], t->units[i]);
  return 1;
}

static int grow_table(cps_table *t) {
  long room = t->room ? 2 * t->room : 256;
  double *data = malloc((size_t)room * (size_t)t->columns * sizeof *data);
  if (!data) return 0;
  for (int i = 0; i < t->columns && t->rows > 0; i++)
    memcpy(data + (size_t)i * (size_t)room, t->data + (size_t)i * (size_t)t->room,
           (size_t)t->rows * sizeof *data);
  free(t->data);
  t->data = data;
  t->room = room;
  return 1;
}

/* A cell that may be empty. */
static int read_value(csv *c, int column, double *value) {
  char text[CELL_SIZE];
  size_t place;
  *value = NAN;
  if (!cell(c, column, &place, text) || !*text) return 1;
  if (strcmp(text, "nan") == 0 || strcmp(text, "NaN") == 0 || strcmp(text, "NA") == 0) return 1;
  return read_cell(c, column, "value", value);
}

static void read_table(csv *c, cps_table *t) {
  while (c->complaints < COMPLAINTS_MOST && next_line(c)) {
    if (t->rows == t->room && !grow_table(t)) {
      c->r->d->no_memory = 1;
      return;
    }
    double *time = &t->data[t->rows];
    if (!read_cell(c, 0, "time", time)) continue;
    if (t->rows > 0 && !(*time > time[-1])) {
      complain(c, c->line, "the time %.9g is not later than the one before, %.9g", *time, time[-1]);
      continue;
    }
    int good = 1;
    for (int i = 1; i < t->columns; i++)
      good &= read_value(c, i, &t->data[(size_t)i * (size_t)t->room + (size_t)t->rows]);
    t->rows += good;
  }
}

static void fill_table(csv *c, const char *path, cps_table *t) {
  document *d = c->r->d;
  char text[CELL_SIZE];
  size_t place;
  double number;
  if (c->length >= 3 && memcmp(c->text, "\xef\xbb\xbf", 3) == 0) c->at = 3;
  if (!next_line(c)) {
    cps_problem_file(d, CPS_BAD_INPUT, path, "it has no data");
    return;
  }
  c->separator = guess_separator(c);
  if (cell(c, 0, &place, text) && is_number(text, &number))
    complain(c, place, "the first line names the columns, such as time,bodies.block.x; found a number");
  else if (count_columns(c) < 2)
    complain(c, place, "there is a time, but nothing that was measured: only one column");
  else if (!make_table(c, t))
    d->no_memory = 1;
  else
    read_table(c, t);
  if (!c->complaints && !d->no_memory && t->rows < 2)
    cps_problem_file(d, CPS_BAD_INPUT, path, "at least two lines of data are needed");
}

cps_table *cps_table_load(const char *path, cps_problems **problems) {
  document d;
  char why[80] = "there is no file name";
  size_t length = 0;
  if (problems) *problems = NULL;
  reader *r = calloc(1, sizeof *r);
  cps_table *t = calloc(1, sizeof *t);
  if (!r || !t || !cps_document_start(&d)) {
    free(r);
    free(t);
    if (problems) *problems = cps_problems_no_memory();
    return NULL;
  }
  r->d = &d;
  char *text = path ? cps_file_read(&d, path, 1, &length, why, sizeof why) : NULL;
  if (!text && !d.no_memory) cps_problem_file(&d, CPS_IO, path ? path : "", why);
  int source = text ? cps_document_add(&d, path, "", text, length) : -1;
  if (source >= 0) {
    csv c = {.r = r, .source = source, .text = d.sources[source].text, .length = d.sources[source].length};
    fill_table(&c, path, t);
  }
  cps_problems *list = d.problems;
  if (d.no_memory) cps_problems_out_of_memory(list);
  cps_document_end(&d);
  free(r);
  if (cps_problems_count(list) == 0) {
    cps_problems_free(list);
    return t;
  }
  cps_problems_finish(list);
  if (problems)
    *problems = list;
  else
    cps_problems_free(list);
  cps_table_free(t);
  return NULL;
}

void cps_table_free(cps_table *t) {
  if (!t) return;
  free(t->names);
  free(t->units);
  free(t->data);
  free(t);
}

int cps_table_columns(const cps_table *t) { return t->columns; }
long cps_table_rows(const cps_table *t) { return t->rows; }
const char *cps_table_name(const cps_table *t, int i) {
  return i >= 0 && i < t->columns ? t->names[i] : NULL;
}
const char *cps_table_unit(const cps_table *t, int i) {
  return i >= 0 && i < t->columns ? t->units[i] : NULL;
}
const double *cps_table_data(const cps_table *t, int i) {
  return i >= 0 && i < t->columns && t->data ? t->data + (size_t)i * (size_t)t->room : NULL;
}
