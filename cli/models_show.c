/* models_show.c - one model for people: what it is, what it takes, and what it looks like. */
#include "cli.h"
#include "models.h"

#include <string.h>

enum { INDENT = 2, COLUMN = 14 }; /* of headings and of what follows them */

/* "Heading     text, wrapped under itself". */
static void print_field(FILE *out, const term *t, const char *heading, const char *text) {
  if (!text || !*text) return;
  fprintf(out, "%*s%s", INDENT, "", term_dim(t));
  term_pad(out, heading, COLUMN - INDENT);
  fprintf(out, "%s", term_plain(t));
  term_wrap(out, t, COLUMN, COLUMN, text);
}

static const char *shown_unit(const char *unit) { return strcmp(unit, "1") == 0 ? "-" : unit; }

/* Widths of the columns of a table of parameters. */
typedef struct widths {
  int name, unit, value, range;
} widths;

static void range_text(char *text, size_t size, const cps_param *q) {
  char lo[40], hi[40];
  number_text(lo, sizeof lo, q->min);
  number_text(hi, sizeof hi, q->max);
  snprintf(text, size, "%s..%s", lo, hi);
}

static void widen(int *width, const char *text) {
  int n = term_columns(text) + 2;
  if (n > *width) *width = n;
}

static void print_params(FILE *out, const term *t, const entry *e, const double *p) {
  widths w = {11, 6, 9, 7};
  char range[96], value[40];
  for (int i = 0; i < e->n_params; i++) {
    const cps_param *q = &e->params[i];
    range_text(range, sizeof range, q);
    number_text(value, sizeof value, p[i]);
    widen(&w.name, q->name);
    widen(&w.unit, shown_unit(q->unit));
    widen(&w.value, value);
    widen(&w.range, range);
  }
  fprintf(out, "\n%*s%s", INDENT, "", term_dim(t));
  int changed = 0;
  for (int i = 0; i < e->n_params; i++) changed |= p[i] != e->params[i].value;
  term_pad(out, "parameter", w.name);
  term_pad(out, "unit", w.unit);
  term_pad(out, changed ? "value" : "default", w.value);
  term_pad(out, "range", w.range);
  fprintf(out, "meaning%s\n", term_plain(t));
  int column = INDENT + w.name + w.unit + w.value + w.range;
  for (int i = 0; i < e->n_params; i++) {
    const cps_param *q = &e->params[i];
    range_text(range, sizeof range, q);
    number_text(value, sizeof value, p[i]);
    fprintf(out, "%*s%s", INDENT, "", term_bold(t));
    term_pad(out, q->name, w.name);
    fprintf(out, "%s", term_plain(t));
    term_pad(out, shown_unit(q->unit), w.unit);
    term_pad(out, value, w.value);
    term_pad(out, range, w.range);
    term_wrap(out, t, column, column < t->width - 20 ? column : INDENT + w.name, q->meaning);
  }
}

static void print_traits(FILE *out, const term *t, unsigned bits) {
  const char *heading = "traits";
  for (int i = 0; i < n_traits; i++) {
    if (!(bits & traits[i].bit)) continue;
    /* What is smooth is continuous; saying both is noise. */
    if (traits[i].bit == CPS_CONTINUOUS && (bits & CPS_SMOOTH)) continue;
    fprintf(out, "%*s%s", INDENT, "", term_dim(t));
    term_pad(out, heading, COLUMN - INDENT);
    fprintf(out, "%s", term_plain(t));
    term_wrap(out, t, COLUMN, COLUMN, traits[i].sentence);
    heading = "";
  }
}

static void print_states(FILE *out, const term *t, const cps_law *law) {
  for (int i = 0; i < law->n_states; i++) {
    const cps_state *z = &law->states[i];
    char text[256];
    snprintf(text, sizeof text, "%s [%s]: %s", z->name, shown_unit(z->unit), z->meaning);
    print_field(out, t, i ? "" : "states", text);
  }
}

/* Modes by name; when there are as many as sets of elements, what the letters mean. */
static void print_modes(FILE *out, const term *t, const cps_law *law) {
  char text[512] = "";
  if (!law->n_modes) return;
  if (law->modes) {
    for (int i = 0; i < law->n_modes; i++) append(text, sizeof text, "%s%s", i ? "; " : "", law->modes[i]);
  } else {
    char first[32], last[32];
    cps_law_mode_name(law, 0, first, sizeof first);
    cps_law_mode_name(law, law->n_modes - 1, last, sizeof last);
    snprintf(text, sizeof text, "%d, from %s (all elements stick) to %s (all slip)", law->n_modes, first,
             last);
  }
  print_field(out, t, "modes", text);
}

void models_show(FILE *out, const term *t, const entry *e, const double *p, double n) {
  char heading[256];
  snprintf(heading, sizeof heading, "- %s (%s)", e->title, e->group);
  fprintf(out, "%s%s%s ", term_bold(t), e->name, term_plain(t));
  term_wrap(out, t, term_columns(e->name) + 1, COLUMN, heading);
  fputc('\n', out);
  char part[400];
  int parts = 0;
  for (const char *rest = e->equation; equation_part(&rest, part, sizeof part);)
    print_field(out, t, parts++ ? "" : "equation", part);
  print_field(out, t, "also called", e->aliases);
  if (e->law) {
    print_traits(out, t, e->law->traits);
    print_states(out, t, e->law);
    print_modes(out, t, e->law);
  }
  print_field(out, t, "note", e->note);
  print_field(out, t, "source", e->citation);
  print_params(out, t, e, p);
  figure f = entry_figure(e, p, n);
  char text[40];
  number_text(text, sizeof text, n);
  if (e->law)
    fprintf(out, "\n  Curves for a normal force of %s N:\n", text);
  else
    fprintf(out, "\n  Curves for %s of %s N:\n", e->normal ? "forces up to about" : "a tension t_in", text);
  for (int i = 0; i < f.n_panels; i++) {
    fputc('\n', out);
    term_plot(out, t, &f.panels[i], 15);
  }
  figure_free(&f);
}
