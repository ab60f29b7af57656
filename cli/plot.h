/* plot.h - figures as self-contained SVG. */
#ifndef PLOT_H
#define PLOT_H

#include "chart.h"

#include <stdio.h>

/* Writes the figure as one SVG document: panels side by side, at most three in a row, legends below them. The
 * same figure gives the same bytes. */
void plot_svg(FILE *out, const figure *f);

/* Writes text with &, <, > and quotes escaped for XML. */
void plot_escape(FILE *out, const char *text);

#endif
