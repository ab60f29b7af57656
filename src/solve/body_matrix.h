/* body_matrix.h - the entries that bodies, springs and contacts have in the matrix of a Newton iteration: see body_matrix.c. */
#ifndef CPS_BODY_MATRIX_H
#define CPS_BODY_MATRIX_H

#include "bodies.h"
#include "sparse.h"

/* A normal force that depends on a spring: contact, spring, which end, and where its row meets the coordinates. */
typedef struct press_link {
  int contact, spring, side;
  int slot[6];
} press_link;

/* Slots of a contact: (a, f) (b, f) (f, a) (f, b) (f, f). */
typedef struct contact_slots {
  int af, bf, fa, fb, ff;
} contact_slots;

typedef struct body_matrix {
  pool pool; /* all arrays */
  const cps_system *s;
  const int *unknown; /* [nx] row and column of each coordinate; -1: it is no unknown */
  const int *force;   /* [nc] and of the force of each contact */
  int *line_slot;     /* [4 n_line] */
  int *plane_slot;    /* [36 n_plane] */
  contact_slots *contact_slot;
  press_link *links;
  int n_links;
  double *line_k, *line_d; /* [n_line] tangents of springs */
  plane_tangent *plane;    /* [n_plane] */
} body_matrix;

/* `unknown` and `force` must outlive it. 0 if out of memory. */
int cps_body_matrix_make(body_matrix *b, const cps_system *s, const int *unknown, const int *force);
/* One that knows tangents of springs alone, to be looked at. */
int cps_body_tangents_make(body_matrix *b, const cps_system *s);
void cps_body_matrix_free(body_matrix *b);

/* The entries of the matrix but for the diagonal; or, with `forces` 0, of the graph of coordinates that share an equation. The most
 * that there may be, and their number. */
long cps_body_matrix_most(const body_matrix *b);
long cps_body_matrix_list(const body_matrix *b, int forces, place *list);

/* An order of elimination for the matrix of n unknowns, which may have more entries. Unknowns are ordered by AMD on the graph of those
 * that share an equation; the force of a contact follows right after the last coordinate that it acts on, so that its pivot is not
 * zero where the contact sticks. 0 if out of memory. */
int cps_body_matrix_order(const body_matrix *b, int n, const place *more, long count, int *order);

/* Where an entry lies among the values of a matrix; somewhere that does not count if row or column is -1. */
typedef int (*entry_slot)(const void *matrix, int row, int column);
void cps_body_matrix_settle(body_matrix *b, entry_slot slot, const void *matrix);

/* Finds the tangents of springs. */
void cps_body_matrix_look(const body_matrix *b, const double *q, const double *v);
/* Adds to the values what springs do if unknowns x change coordinates by b_q dx and velocities by b_v dx. */
void cps_body_matrix_springs(const body_matrix *b, double b_q, double b_v, double *value);
/* Contacts that bear the same load twice leave their shares open; this much of a preference for small ones decides. */
#define CPS_CONTACT_SHARE 1e-11
/* The force of contact i in the equations of its sides, in units of `unit`; its own equation by the sides, and by the force. */
static inline void cps_body_matrix_contact(const body_matrix *b, int i, double unit, double by_side,
                                           double by_force, double *value) {
  const contact_slots *at = &b->contact_slot[i];
  double sb = b->s->contacts[i].sb;
  value[at->af] -= unit;
  value[at->bf] += sb * unit;
  value[at->fa] += by_side;
  value[at->fb] -= sb * by_side;
  value[at->ff] += by_force + (b->s->contacts[i].group >= 0 ? CPS_CONTACT_SHARE * unit : 0);
}
/* Link l, given the derivative of the contact's equation by its normal force. */
void cps_body_matrix_press(const body_matrix *b, const press_link *l, double by_n, double b_q, double b_v,
                           double *value);

#endif
