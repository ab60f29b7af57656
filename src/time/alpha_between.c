/* alpha_between.c - where Newton's method starts in a step that ends within another one, from the same start: at a row (driver.c).
 *
 * Accelerations and friction forces are taken from the line between the last row, or the start, and the end of the step around
 * it. That leaves 1.09 iterations per row of the motorised pulley instead of 2.31; the line from the start leaves 1.69, and the parabola
 * through the start, the last row and the end 1.47.
 */
#include "newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a contact point: its friction, and whether it sticks; negative: it touches nothing. */
enum { PER_POINT = AXES + 1 };

static double sticks(const contact_point *p) { return p->drum < 0 ? -1 : p->stuck != 0; }

int cps_between_make(alpha_between *b, const machine *m) {
  size_t n = (size_t)m->nb;
  for (int i = 0; i < m->n_cables; i++)
    n += cps_cable_entries(&m->cable[i]) + (size_t)(PER_POINT * m->cable[i].n_points);
  b->end = malloc((2 * n + 1) * sizeof *b->end);
  b->row = b->end ? b->end + n : NULL;
  return b->end != NULL;
}

void cps_between_free(alpha_between *b) {
  free(b->end);
  *b = (alpha_between){0};
}

/* An unknown of the border: an acceleration, or a force. */
static double *value(const dof *f) { return f->kind == DOF_PLACE ? f->a : f->q; }

void cps_between_note(alpha_between *b, const machine *m, double from, double h) {
  if (b->is == BETWEEN_NONE || (b->is == BETWEEN_KNOWN && from != b->from)) return;
  int whole = b->is == BETWEEN_EXPECTED;
  double *to = whole ? b->end : b->row;
  b->from = from;
  b->length = whole ? h : b->length;
  b->at = whole ? 0 : h;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    size_t n = cps_cable_entries(c);
    memcpy(to, c->a, n * sizeof *to);
    to += n;
    for (int k = 0; k < c->n_points; k++, to += PER_POINT) {
      memcpy(to, c->point[k].f, sizeof c->point[k].f);
      to[AXES] = sticks(&c->point[k]);
    }
  }
  for (int k = 0; k < m->nb; k++) *to++ = *value(&m->free[k]);
}

/* A contact that touches all the time: its friction, and if it sticks now and then, what friction says. */
static void start_point(contact_point *p, const double *last, const double *end, double part, int guesses) {
  for (int j = 0; j < AXES; j++) p->f[j] = last[j] + part * (end[j] - last[j]);
  if (!guesses) return;
  int holds = last[AXES] == end[AXES] ? end[AXES] > 0 : fabs(p->f[0]) <= p->limit;
  p->guess = holds ? GUESS_STICK : p->f[0] > 0 ? GUESS_FORWARD : GUESS_BACKWARD;
  if (holds && hypot(p->f[0], p->f[1]) > p->limit) p->guess = GUESS_NONE; /* as in any step */
}

int cps_between_start(const alpha_between *b, machine *m, double from, double h) {
  if (b->is != BETWEEN_KNOWN || from != b->from || h <= b->at || h >= b->length) return 0;
  int any = b->at > 0;
  double part = (h - b->at) / (b->length - b->at);
  const double *end = b->end, *row = b->row;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t n = cps_cable_entries(c);
    const double *last = any ? row : c->a0;
    for (size_t k = 0; k < n; k++) c->a[k] = last[k] + part * (end[k] - last[k]);
    end += n;
    row += n;
    int guesses = cps_contact_guesses(c, cps_alpha_chosen(&m->of->run, h).q_new);
    for (int k = 0; k < c->n_points; k++, end += PER_POINT, row += PER_POINT) {
      contact_point *p = &c->point[k];
      double first[PER_POINT] = {p->f[0], p->f[1], sticks(p)};
      const double *before = any ? row : first;
      if (before[AXES] >= 0 && end[AXES] >= 0) start_point(p, before, end, part, guesses);
    }
  }
  for (int k = 0; k < m->nb; k++) {
    double *x = value(&m->free[k]), last = any ? row[k] : *x;
    *x = last + part * (end[k] - last);
  }
  return 1;
}
