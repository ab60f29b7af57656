/* term.c - see term.h.
 *
 * A plot is a grid of character cells. With UTF-8 each cell is a braille pattern of 2 x 4 dots; without, one
 * character whose letter says which series passes. Curves are drawn as straight lines between their points.
 */
#include "term.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---------------------------------------------------------------- abilities */

/* The locale's character set as the environment states it, in the order of POSIX. */
static int locale_is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++) {
    const char *value = getenv(names[i]);
    if (!value || !*value) continue;
    return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8") || strstr(value, "UTF8");
  }
  return 0;
}

static int find_width(FILE *out, int otherwise) {
  const char *columns = getenv("COLUMNS");
  long given = columns ? strtol(columns, NULL, 10) : 0;
  int width = given > 0 && given < 10000 ? (int)given : 0;
  struct winsize size;
  if (width <= 0 && isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (width <= 0) return otherwise;
  return width < 40 ? 40 : width > 500 ? 500 : width;
}

term term_detect(FILE *out, int width) {
  const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
  term t;
  t.width = find_width(out, width);
  t.utf8 = locale_is_utf8();
  t.colour = isatty(fileno(out)) && !(no_colour && *no_colour) && kind && strcmp(kind, "dumb") != 0;
  return t;
}

const char *term_bold(const term *t) { return t->colour ? "\033[1m" : ""; }
const char *term_dim(const term *t) { return t->colour ? "\033[2m" : ""; }
const char *term_plain(const term *t) { return t->colour ? "\033[0m" : ""; }

/* ---------------------------------------------------------------- text */

int term_columns(const char *text) {
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
  return n;
}

void term_pad(FILE *out, const char *text, int columns) {
  fputs(text, out);
  for (int i = term_columns(text); i < columns; i++) fputc(' ', out);
}

void term_wrap(FILE *out, const term *t, int first, int indent, const char *text) {
  int column = first, words = 0;
  while (*text) {
    size_t n = strcspn(text, " ");
    char word[256];
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, text);
    int width = term_columns(word);
    if (words && column + 1 + width > t->width) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
      words = 0;
    }
    fprintf(out, "%s%s", words ? " " : "", word);
    column += width + (words > 0);
    words++;
    text += n;
    text += strspn(text, " ");
  }
  fputc('\n', out);
}

/* ---------------------------------------------------------------- canvas */

enum { MAX_COLUMNS = 160, MAX_ROWS = 60, LABEL = 9 };

/* What a cell shows: dots of curves and of zero lines, the series drawn last, and a letter on top. */
typedef struct cell {
  unsigned char dots, grid;
  signed char series; /* -1 for none */
  char letter;        /* 0 for none */
} cell;

typedef struct canvas {
  int columns, rows;
  int dx, dy; /* dots per cell */
  cell cells[MAX_ROWS][MAX_COLUMNS];
} canvas;

/* The bit of a dot inside a braille pattern; with one dot per cell it is the first. */
static unsigned char dot_bit(int x, int y) {
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  return bits[y][x];
}

/* Sets the dot at (x, y), counted from the top left; series -1 is the grid. */
static void set_dot(canvas *c, int x, int y, int index) {
  if (x < 0 || y < 0 || x >= c->columns * c->dx || y >= c->rows * c->dy) return;
  cell *at = &c->cells[y / c->dy][x / c->dx];
  unsigned char bit = dot_bit(x % c->dx, y % c->dy);
  if (index < 0) {
    at->grid |= bit;
    return;
  }
  at->dots |= bit;
  at->series = (signed char)index;
}

/* A straight line of dots; `every` leaves some out. */
static void draw_line(canvas *c, double x0, double y0, double x1, double y1, int index, int every) {
  double length = fmax(fabs(x1 - x0), fabs(y1 - y0));
  int steps = length < 1e4 ? (int)ceil(length) : 10000;
  for (int i = 0; i <= steps; i++) {
    double s = steps ? (double)i / steps : 0;
    if (i % every == 0) set_dot(c, (int)lround(x0 + s * (x1 - x0)), (int)lround(y0 + s * (y1 - y0)), index);
  }
}

/* The dot on which a point falls; 0 if it has no place or lies far outside. */
static int to_dot(const canvas *c, const scale *sx, const scale *sy, double x, double y, double *dx,
                  double *dy) {
  double u = scale_place(sx, x), w = scale_place(sy, y);
  if (!(fabs(u) < 10) || !(fabs(w) < 10)) return 0;
  *dx = u * (c->columns * c->dx - 1);
  *dy = (1 - w) * (c->rows * c->dy - 1);
  return 1;
}

static void draw_series(canvas *c, const scale *sx, const scale *sy, const series *s, int index) {
  double x0 = 0, y0 = 0;
  int open = 0, before = 0; /* a point right before; any point before */
  for (int i = 0; i < s->n; i++) {
    double x, y;
    if (!to_dot(c, sx, sy, s->x[i], s->y[i], &x, &y)) {
      open = 0;
      continue;
    }
    int every = s->line == LINE_SOLID ? 1 : 3;
    /* A gap is a jump: dotted. */
    if (before && s->line != LINE_NONE)
      draw_line(c, x0, y0, x, y, index, open ? every : 3);
    else
      set_dot(c, (int)lround(x), (int)lround(y), index);
    open = before = 1;
    x0 = x;
    y0 = y;
  }
}

/* Puts the letter of a series where it is farthest from all others, so that it can be read. */
static void place_letter(canvas *c, const scale *sx, const scale *sy, const panel *p, int index) {
  const series *s = &p->series[index];
  double best = -1;
  int column = -1, row = -1;
  for (int i = 0; i < s->n; i++) {
    double x, y, free_space = 1e9;
    if (!to_dot(c, sx, sy, s->x[i], s->y[i], &x, &y)) continue;
    for (int k = 0; k < p->n_series; k++) {
      const series *o = &p->series[k];
      for (int j = 0; k != index && j < o->n; j++) {
        double ox, oy;
        if (to_dot(c, sx, sy, o->x[j], o->y[j], &ox, &oy))
          free_space = fmin(free_space, fabs(ox - x) / 2 + fabs(oy - y));
      }
    }
    int cx = (int)lround(x) / c->dx, cy = (int)lround(y) / c->dy;
    int inside = cx >= 0 && cy >= 0 && cx < c->columns && cy < c->rows;
    if (inside && !c->cells[cy][cx].letter && free_space > best) {
      best = free_space;
      column = cx;
      row = cy;
    }
  }
  if (column < 0) return;
  c->cells[row][column].letter = (char)('a' + index % 26);
  c->cells[row][column].series = (signed char)index;
}

/* ---------------------------------------------------------------- output */

static const int colours[] = {34, 31, 32, 35, 33, 36, 37}; /* in the order of the palette of plot.c */

static void print_colour(FILE *out, const term *t, int colour) {
  if (t->colour) fprintf(out, "\033[%dm", colours[colour % 7]);
}

static void print_cell(FILE *out, const term *t, const panel *p, const cell *at) {
  int dots = at->dots ? at->dots : at->grid;
  if (!dots && !at->letter) {
    fputc(' ', out);
    return;
  }
  if (at->series >= 0)
    print_colour(out, t, p->series[at->series].colour);
  else
    fputs(term_dim(t), out);
  if (at->letter) {
    fputc(at->letter, out);
  } else if (t->utf8) {
    int code = 0x2800 + dots;
    fprintf(out, "%c%c%c", 0xE0 | code >> 12, 0x80 | (code >> 6 & 0x3F), 0x80 | (code & 0x3F));
  } else {
    fputc(!at->dots ? '.' : p->n_series > 1 ? "*+ox#%@&"[at->series % 8] : '*', out);
  }
  fputs(term_plain(t), out);
}

/* The text of the tick that falls on a row of cells; NULL if none does. */
static const char *tick_at_row(const canvas *c, const scale *sy, int row) {
  for (int i = 0; i < sy->n_ticks; i++) {
    double y = (1 - scale_place(sy, sy->tick[i])) * (c->rows * c->dy - 1);
    if ((int)lround(y) / c->dy == row) return sy->text[i];
  }
  return NULL;
}

/* The x axis: a rule with ticks, and their numbers below. */
static void print_x_axis(FILE *out, const term *t, const canvas *c, const scale *sx) {
  char numbers[MAX_COLUMNS + LABEL + 32];
  char ticks[MAX_COLUMNS] = {0};
  memset(numbers, ' ', sizeof numbers);
  int end = 0; /* of the last number written */
  for (int i = 0; i < sx->n_ticks; i++) {
    int column = (int)lround(scale_place(sx, sx->tick[i]) * (c->columns - 1));
    if (column < 0 || column >= c->columns) continue;
    ticks[column] = 1;
    char text[32];
    plain_text(text, sizeof text, sx->text[i]);
    int length = (int)strlen(text), start = LABEL + 2 + column - length / 2;
    if (end > 0 && start <= end) continue;
    memcpy(numbers + start, text, (size_t)length);
    end = start + length;
  }
  numbers[end] = 0;
  fprintf(out, "%*s %s", LABEL, "", t->utf8 ? "└" : "+");
  for (int i = 0; i < c->columns; i++) fputs(ticks[i] ? (t->utf8 ? "┴" : "+") : (t->utf8 ? "─" : "-"), out);
  fprintf(out, "\n%s\n", numbers);
}

/* Markup as plain text, with the micro sign spelt "u" where it cannot be shown. */
static void shown_text(const term *t, char *text, size_t size, const char *markup) {
  plain_text(text, size, markup);
  char *to = text;
  for (const char *c = text; *c && !t->utf8; c++)
    if ((unsigned char)*c != 0xC2) *to++ = (unsigned char)*c == 0xB5 ? 'u' : *c;
  if (!t->utf8) *to = 0;
}

static void print_legend(FILE *out, const term *t, const panel *p) {
  int column = 0;
  for (int i = 0; p->n_series > 1 && i < p->n_series; i++) {
    char text[96];
    shown_text(t, text, sizeof text, p->series[i].label);
    int width = term_columns(text) + 6;
    if (column && column + width > t->width - LABEL) {
      fputc('\n', out);
      column = 0;
    }
    fprintf(out, "%*s", column ? 4 : LABEL + 2, "");
    print_colour(out, t, p->series[i].colour);
    if (t->utf8)
      fprintf(out, "%c", 'a' + i % 26);
    else
      fprintf(out, "%c%c", 'a' + i % 26, "*+ox#%@&"[i % 8]);
    fprintf(out, "%s %s", term_plain(t), text);
    column += width;
  }
  if (column) fputc('\n', out);
}

/* Dotted lines at x = 0 and y = 0. */
static void draw_zero_lines(canvas *c, const scale *sx, const scale *sy) {
  double x, y;
  if (!sy->log && to_dot(c, sx, sy, sx->lo, 0, &x, &y))
    draw_line(c, 0, y, c->columns * c->dx, y, -1, 2 * c->dx);
  if (!sx->log && to_dot(c, sx, sy, 0, sy->lo, &x, &y))
    draw_line(c, x, 0, x, c->rows * c->dy, -1, c->dy > 1 ? 2 : 1);
}

static void print_label(FILE *out, const term *t, int indent, const char *label) {
  char text[160];
  shown_text(t, text, sizeof text, label);
  fprintf(out, "%*s%s\n", indent, "", text);
}

void term_plot(FILE *out, const term *t, const panel *p, int rows) {
  static const cell empty = {0, 0, -1, 0};
  canvas *c = (canvas *)grow(NULL, 1, sizeof *c);
  int columns = (t->width < 88 ? t->width : 88) - LABEL - 4;
  c->columns = columns < 20 ? 20 : columns > MAX_COLUMNS ? MAX_COLUMNS : columns;
  c->rows = rows < 4 ? 4 : rows > MAX_ROWS ? MAX_ROWS : rows;
  c->dx = t->utf8 ? 2 : 1;
  c->dy = t->utf8 ? 4 : 1;
  for (int i = 0; i < c->rows; i++)
    for (int k = 0; k < c->columns; k++) c->cells[i][k] = empty;
  scale sx = scale_fit(p, 'x', 6), sy = scale_fit(p, 'y', c->rows / 3 + 1);
  draw_zero_lines(c, &sx, &sy);
  for (int i = 0; i < p->n_series; i++) draw_series(c, &sx, &sy, &p->series[i], i);
  for (int i = 0; p->n_series > 1 && i < p->n_series; i++) place_letter(c, &sx, &sy, p, i);

  fprintf(out, "%s", term_bold(t));
  print_label(out, t, 2, p->title);
  fprintf(out, "%s", term_plain(t));
  print_label(out, t, 2, sy.label);
  for (int row = 0; row < c->rows; row++) {
    const char *tick = tick_at_row(c, &sy, row);
    char text[32] = "";
    if (tick) plain_text(text, sizeof text, tick);
    fprintf(out, "%*s %s", LABEL, text, t->utf8 ? (tick ? "┤" : "│") : (tick ? "+" : "|"));
    int used = c->columns; /* no blanks at the end of a line */
    while (used > 0 && !c->cells[row][used - 1].dots && !c->cells[row][used - 1].grid) used--;
    for (int k = 0; k < used; k++) print_cell(out, t, p, &c->cells[row][k]);
    fputc('\n', out);
  }
  print_x_axis(out, t, c, &sx);
  print_label(out, t, LABEL + 2, sx.label);
  print_legend(out, t, p);
  free(c);
}
