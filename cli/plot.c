/* plot.c - figures as SVG.
 *
 * The document stands alone: no scripts, no style sheets, no fonts beyond the generic ones, no ids (so that
 * several may stand in one HTML page), and a white background of its own, so that dark viewers show it as
 * drawn. Legends stand below their panel, where no curve can run into them. Lengths are in pixels.
 */
#include "plot.h"
#include "cli.h"

#include <math.h>
#include <string.h>

enum {
  PANEL_WIDTH = 400,
  PLOT_WIDTH = 316,
  PLOT_HEIGHT = 232,
  LEFT = 66,   /* of the plot area inside its panel */
  TITLE = 30,  /* height of a panel's title */
  BOTTOM = 48, /* below the plot area: ticks and label */
  ENTRY = 18,  /* height of a legend row */
  SWATCH = 26, /* length of a legend line */
  MARGIN = 16, /* around everything */
  PER_ROW = 3
};

/* Okabe and Ito's colours, told apart by all kinds of colour vision; yellow is left out as too pale on white.
 */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#333333"};

enum { N_COLOURS = sizeof palette / sizeof palette[0] };

static const char *colour_of(const series *s) { return palette[s->colour % N_COLOURS]; }

void plot_escape(FILE *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
  }
}

/* Text with _{sub} and ^{super}, and a proper minus sign before digits. */
static void markup(FILE *out, const char *text) {
  int shift = 0; /* of the open span */
  for (; *text; text++) {
    if ((*text == '_' || *text == '^') && text[1] == '{') {
      shift = *text == '_' ? 3 : -5;
      fprintf(out, "<tspan dy=\"%d\" font-size=\"75%%\">", shift);
      text++;
    } else if (shift && *text == '}') {
      fprintf(out, "</tspan><tspan dy=\"%d\">\xE2\x80\x8B</tspan>", -shift);
      shift = 0;
    } else if (*text == '-' && text[1] >= '0' && text[1] <= '9') {
      fputs("\xE2\x88\x92", out);
    } else {
      char one[2] = {*text, 0};
      plot_escape(out, one);
    }
  }
}

/* About how wide a text is at font size 12, in the wider of the fonts that viewers choose. */
static double text_width(const char *text) {
  double width = 0;
  for (; *text; text++) {
    if (((unsigned char)*text & 0xC0) == 0x80 || strchr("{}", *text)) continue;
    width += strchr("il.,;:|!'()[] tfj", *text) ? 4.3 : strchr("mwMW@=", *text) ? 10.5 : 7.5;
  }
  return width;
}

/* Text at a place; anchor is "start", "middle" or "end". */
static void put_text(FILE *out, double x, double y, const char *anchor, const char *style, const char *text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, style);
  markup(out, text);
  fputs("</text>\n", out);
}

/* ---------------------------------------------------------------- one panel */

/* A panel's place on the page and its scales. */
typedef struct frame {
  double x, y; /* top left corner of the plot area */
  scale sx, sy;
} frame;

static double place_x(const frame *f, double x) { return scale_place(&f->sx, x) * PLOT_WIDTH; }
static double place_y(const frame *f, double y) { return (1 - scale_place(&f->sy, y)) * PLOT_HEIGHT; }

static void draw_line(FILE *out, double x0, double y0, double x1, double y1, const char *style) {
  fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1, style);
}

/* Grid, ticks, zero lines and labels. */
static void draw_axes(FILE *out, const frame *f, const panel *p) {
  const char *small = "font-size=\"11\" fill=\"#444444\"";
  for (int i = 0; i < f->sx.n_ticks; i++) {
    double x = f->x + place_x(f, f->sx.tick[i]);
    int zero = !f->sx.log && f->sx.tick[i] == 0;
    draw_line(out, x, f->y, x, f->y + PLOT_HEIGHT, zero ? "stroke=\"#9a9a9a\"" : "stroke=\"#e4e4e4\"");
    put_text(out, x, f->y + PLOT_HEIGHT + 16, "middle", small, f->sx.text[i]);
  }
  for (int i = 0; i < f->sy.n_ticks; i++) {
    double y = f->y + place_y(f, f->sy.tick[i]);
    int zero = !f->sy.log && f->sy.tick[i] == 0;
    draw_line(out, f->x, y, f->x + PLOT_WIDTH, y, zero ? "stroke=\"#9a9a9a\"" : "stroke=\"#e4e4e4\"");
    put_text(out, f->x - 7, y + 4, "end", small, f->sy.text[i]);
  }
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#777777\"/>\n",
          f->x, f->y, PLOT_WIDTH, PLOT_HEIGHT);
  put_text(out, f->x, f->y - 10, "start", "font-size=\"13\" font-weight=\"600\" fill=\"#222222\"", p->title);
  const char *label = "font-size=\"12\" fill=\"#222222\"";
  put_text(out, f->x + PLOT_WIDTH / 2.0, f->y + PLOT_HEIGHT + 36, "middle", label, f->sx.label);
  char turned[120];
  double x = f->x - LEFT + 16, y = f->y + PLOT_HEIGHT / 2.0;
  snprintf(turned, sizeof turned, "%s transform=\"rotate(-90 %.1f %.1f)\"", label, x, y);
  put_text(out, x, y, "middle", turned, f->sy.label);
}

static void draw_mark(FILE *out, double x, double y, chart_mark mark, const char *colour) {
  switch (mark) {
  case MARK_NONE:
    break;
  case MARK_DOT:
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\"/>\n", x, y, colour);
    break;
  case MARK_RING:
    fprintf(
        out,
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.6\"/>\n",
        x, y, colour);
    break;
  case MARK_SQUARE:
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"6.4\" height=\"6.4\" fill=\"%s\"/>\n", x - 3.2, y - 3.2,
            colour);
    break;
  case MARK_CROSS:
    fprintf(out, "<path d=\"M%.1f %.1fl6.4 6.4m0 -6.4l-6.4 6.4\" stroke=\"%s\" stroke-width=\"1.8\"/>\n",
            x - 3.2, y - 3.2, colour);
    break;
  }
}

static const char *dash_of(chart_line line) {
  return line == LINE_DASHED   ? " stroke-dasharray=\"7 4\""
         : line == LINE_DOTTED ? " stroke-dasharray=\"2 4\""
                               : "";
}

/* Starts a path in the series' colour; its "d" attribute is left open. */
static void start_path(FILE *out, const series *s, double width, const char *dash) {
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.2g\" stroke-linejoin=\"round\"%s d=\"",
          colour_of(s), width, dash);
}

/* The pieces of a series. Points closer than a quarter of a pixel to the last one are not worth their bytes.
 */
static void draw_pieces(FILE *out, const frame *f, const series *s) {
  start_path(out, s, 2 * s->width, dash_of(s->line));
  int open = 0;
  double last_x = 0, last_y = 0;
  for (int i = 0; i < s->n; i++) {
    double x = place_x(f, s->x[i]), y = place_y(f, s->y[i]);
    if (!isfinite(x) || !isfinite(y)) {
      open = 0;
      continue;
    }
    int ends = i + 1 == s->n || !isfinite(s->y[i + 1]);
    if (open && !ends && fabs(x - last_x) < 0.25 && fabs(y - last_y) < 0.25) continue;
    fprintf(out, "%s%.1f %.1f", open ? "L" : "M", x, y);
    open = 1;
    last_x = x;
    last_y = y;
  }
  fputs("\"/>\n", out);
}

/* Jumps as thin dotted lines, and a dot for a piece that is a single point. */
static void draw_jumps(FILE *out, const frame *f, const series *s) {
  int jumps = 0;
  for (int i = 1; i + 1 < s->n; i++) {
    if (isfinite(s->y[i]) || !isfinite(s->y[i - 1]) || !isfinite(s->y[i + 1])) continue;
    if (!jumps++) start_path(out, s, 1.2, " stroke-dasharray=\"1.5 3\"");
    fprintf(out, "M%.1f %.1fL%.1f %.1f", place_x(f, s->x[i - 1]), place_y(f, s->y[i - 1]),
            place_x(f, s->x[i + 1]), place_y(f, s->y[i + 1]));
  }
  if (jumps) fputs("\"/>\n", out);
  for (int i = 0; i < s->n; i++) {
    int alone = isfinite(s->y[i]) && (i == 0 || !isfinite(s->y[i - 1])) &&
                (i + 1 == s->n || !isfinite(s->y[i + 1]));
    if (alone) draw_mark(out, place_x(f, s->x[i]), place_y(f, s->y[i]), MARK_DOT, colour_of(s));
  }
}

static void draw_series(FILE *out, const frame *f, const series *s) {
  if (s->line != LINE_NONE) {
    draw_pieces(out, f, s);
    draw_jumps(out, f, s);
  }
  for (int i = 0; s->mark != MARK_NONE && i < s->n; i++) {
    double x = place_x(f, s->x[i]), y = place_y(f, s->y[i]);
    if (isfinite(x) && isfinite(y)) draw_mark(out, x, y, s->mark, colour_of(s));
  }
}

/* The legend from `top` down: entries in rows, as many in each as fit. With out = NULL it only measures.
 * Returns its height. */
static double legend(FILE *out, double left, double top, const panel *p) {
  double x = 0, y = 0;
  int any = 0;
  for (int i = 0; i < p->n_series; i++) {
    const series *s = &p->series[i];
    if (!s->label[0]) continue;
    double width = SWATCH + 6 + text_width(s->label) + 16;
    if (any && x + width > PLOT_WIDTH + 24) {
      x = 0;
      y += ENTRY;
    }
    any = 1;
    if (out) {
      double ly = top + y + 9;
      if (s->line != LINE_NONE) {
        start_path(out, s, 2 * s->width, dash_of(s->line));
        fprintf(out, "M%.1f %.1fh%d\"/>\n", left + x, ly, SWATCH);
      }
      draw_mark(out, left + x + SWATCH / 2.0, ly, s->mark, colour_of(s));
      put_text(out, left + x + SWATCH + 6, ly + 4, "start", "font-size=\"12\" fill=\"#222222\"", s->label);
    }
    x += width;
  }
  return any ? y + ENTRY + 6 : 0;
}

static void draw_panel(FILE *out, const panel *p, double left, double top) {
  frame f = {left + LEFT, top + TITLE, scale_fit(p, 'x', 6), scale_fit(p, 'y', 6)};
  draw_axes(out, &f, p);
  /* An inner svg clips what lies outside the limits, without needing an id. */
  fprintf(out, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\">\n", f.x, f.y, PLOT_WIDTH, PLOT_HEIGHT);
  for (int i = 0; i < p->n_series; i++) draw_series(out, &f, &p->series[i]);
  fputs("</svg>\n", out);
  legend(out, f.x, f.y + PLOT_HEIGHT + BOTTOM, p);
}

/* ---------------------------------------------------------------- the page */

/* Where the next piece of a text ends: after ", ", or at its end. */
static size_t piece_length(const char *text) {
  const char *comma = strstr(text, ", ");
  return comma ? (size_t)(comma - text) + 2 : strlen(text);
}

/* Breaks a list "a = 1, b = 2" after commas into lines of at most `width` pixels; with out = NULL only counts
 * them. */
static int wrapped(FILE *out, double x, double y, double width, const char *text) {
  int lines = 0;
  while (*text) {
    char line[400];
    size_t n = piece_length(text);
    while (text[n]) {
      size_t more = n + piece_length(text + n);
      snprintf(line, sizeof line, "%.*s", (int)more, text);
      if (text_width(line) > width) break;
      n = more;
    }
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    if (out) put_text(out, x, y + 16 * lines, "start", "font-size=\"12\" fill=\"#555555\"", line);
    lines++;
    text += n;
  }
  return lines;
}

/* The title, in a smaller font if it is long. */
static void put_title(FILE *out, const char *title, double width) {
  double size = fmin(17, 12 * width / (1.05 * text_width(title) + 1));
  char style[120];
  snprintf(style, sizeof style, "font-size=\"%.1f\" font-weight=\"700\" fill=\"#111111\"", size);
  put_text(out, MARGIN, MARGIN + 14, "start", style, title);
}

/* The height that a row of panels needs: the plot and the tallest legend. */
static double row_height(const figure *f, int first) {
  double tallest = 0;
  for (int i = first; i < f->n_panels && i < first + PER_ROW; i++)
    tallest = fmax(tallest, legend(NULL, 0, 0, &f->panels[i]));
  return TITLE + PLOT_HEIGHT + BOTTOM + tallest + 10;
}

void plot_svg(FILE *out, const figure *f) {
  int columns = f->n_panels < PER_ROW ? f->n_panels : PER_ROW;
  double width = 2 * MARGIN + PANEL_WIDTH * (columns > 0 ? columns : 1);
  double head = MARGIN + 24 + 16 * wrapped(NULL, 0, 0, width - 2 * MARGIN, f->subtitle) + 6;
  double height = head;
  for (int i = 0; i < f->n_panels; i += PER_ROW) height += row_height(f, i);
  height += MARGIN / 2.0;
  fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  fprintf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
      width, height, width, height);
  char plain[120];
  plain_text(plain, sizeof plain, f->title);
  plot_escape(out, plain);
  fprintf(out, "</title>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
  put_title(out, f->title, width - 2 * MARGIN);
  wrapped(out, MARGIN, MARGIN + 34, width - 2 * MARGIN, f->subtitle);
  double top = head;
  for (int i = 0; i < f->n_panels; i += PER_ROW) {
    for (int k = i; k < f->n_panels && k < i + PER_ROW; k++)
      draw_panel(out, &f->panels[k], MARGIN + (k - i) * PANEL_WIDTH, top);
    top += row_height(f, i);
  }
  fputs("</svg>\n", out);
}
