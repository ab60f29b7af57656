/* term.h - the terminal: its width and abilities, wrapped text, and plots drawn with characters. */
#ifndef TERM_H
#define TERM_H

#include "chart.h"

#include <stdio.h>

typedef struct term {
  int width;  /* columns */
  int utf8;   /* braille and other characters beyond ASCII can be shown */
  int colour; /* escape sequences are welcome */
} term;

/* What the environment says of an output. Width: COLUMNS, else the terminal's, else `width` is taken. */
term term_detect(FILE *out, int width);

/* Escape sequences for bold, dim and plain text; "" without colour. */
const char *term_bold(const term *t);
const char *term_dim(const term *t);
const char *term_plain(const term *t);

/* Prints text broken at blanks to the width: `first` columns are already used on the first line, the others
 * are indented by `indent`. Ends with a new line. */
void term_wrap(FILE *out, const term *t, int first, int indent, const char *text);

/* How many columns a UTF-8 text takes. */
int term_columns(const char *text);

/* Prints text padded with blanks to a number of columns. */
void term_pad(FILE *out, const char *text, int columns);

/* Draws a panel `rows` lines high, with title, axes and legend. Series are told apart by letters on the
 * curves and, where possible, by colour. */
void term_plot(FILE *out, const term *t, const panel *p, int rows);

#endif
