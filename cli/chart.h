/* chart.h - what a plot is, apart from how it is drawn: figures of panels of series, and their axes.
 *
 * plot.c draws a figure as SVG, term.c draws a panel in the terminal. Quantities are in SI units; the axis
 * chooses a prefix (mm/s, um) by itself. Texts may hold subscripts "f_{eq}" and superscripts "10^{3}".
 */
#ifndef CHART_H
#define CHART_H

#include <stddef.h>

typedef enum chart_line { LINE_SOLID, LINE_DASHED, LINE_DOTTED, LINE_NONE } chart_line;
typedef enum chart_mark { MARK_NONE, MARK_DOT, MARK_RING, MARK_SQUARE, MARK_CROSS } chart_mark;

/* Points joined by a line. A point that is not finite breaks it: the gap is a jump, drawn dotted. */
typedef struct series {
  char label[80]; /* in the legend; "" keeps it out */
  int n, room;
  double *x, *y;
  int colour; /* index into the palette; the series' own index unless set */
  chart_line line;
  chart_mark mark;
  double width; /* line width as a multiple of the usual one */
} series;

typedef struct axis {
  char name[80];
  char unit[24]; /* "1" for none */
  int log;       /* base-10 logarithmic; points that are not positive are left out */
  double lo, hi; /* limits; from the data if lo >= hi */
} axis;

typedef struct panel {
  char title[120];
  axis x, y;
  int n_series, room;
  series *series;
} panel;

typedef struct figure {
  char title[120];
  char subtitle[400]; /* wrapped as needed */
  int n_panels, room;
  panel *panels;
} figure;

/* An empty panel at the end of the figure; the pointer is good until the next is added. */
panel *figure_panel(figure *f, const char *title);
void figure_free(figure *f);

void axis_set(axis *a, const char *name, const char *unit);

/* An empty series at the end of the panel; the pointer is good until the next is added. */
series *panel_series(panel *p, const char *label);
/* Removes the last series. */
void panel_drop(panel *p);

void series_add(series *s, double x, double y);
/* Ends the line; the next point starts a new piece. */
void series_break(series *s);

/* An axis ready to draw: limits, ticks and label. */
enum { SCALE_TICKS = 24 };
typedef struct scale {
  int log;
  double lo, hi;   /* SI */
  double factor;   /* shown value = SI value * factor */
  char label[128]; /* name and unit, such as "velocity v [mm/s]" */
  int n_ticks;
  double tick[SCALE_TICKS]; /* SI */
  char text[SCALE_TICKS][24];
} scale;

/* The scale of the x axis (which = 'x') or y axis ('y') of a panel, with about `wanted` ticks. */
scale scale_fit(const panel *p, char which, int wanted);

/* Where a value lies on the scale, 0 at lo and 1 at hi; NaN if it has no place. */
double scale_place(const scale *s, double value);

/* A quantity for people, with SI prefix and unit where that is usual: "5 mm/s", "0.5 N", "0". */
void quantity_text(char *text, size_t size, double value, const char *unit);

/* Copies markup without its braces: "f_{eq}" as "f_eq". */
void plain_text(char *text, size_t size, const char *markup);

#endif
