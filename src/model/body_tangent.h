/* body_tangent.h - what acts on bodies, differentiated by all that it depends on, the numbers of its tables included. The same
 * rows serve the derivatives of runs with and without cables. See body_tangent.c. */
#ifndef CPS_BODY_TANGENT_H
#define CPS_BODY_TANGENT_H

#include "body_matrix.h"
#include "pool.h"

/* ------------------------------------------------------------------ numbers */

/* Numbers of a spring along a line, of an end of a spring between points and of the spring itself, of a contact (its normal force
 * where that is a number, or what weight presses it with; the parameters of its law), and of a load. */
enum { LINE_SA, LINE_SB, LINE_REST, LINE_K, LINE_D, LINE_NUMBERS };
enum { END_BASE, END_ALONG = 3, END_UP = 12, END_NUMBERS = 15 };
enum { PLANE_K = 2 * END_NUMBERS, PLANE_D, PLANE_LENGTH, PLANE_NUMBERS };
enum { CONTACT_LOAD, CONTACT_LAW, CONTACT_NUMBERS = CONTACT_LAW + CPS_MAX_PARAMS };
enum { LOAD_U, LOAD_PRESS = 3, LOAD_NUMBERS };

/* Where the numbers of the tables of bodies start, as one vector: masses and weights of coordinates first. */
typedef struct body_numbers {
  int mass, weight, line, plane, contact, load, count;
} body_numbers;

body_numbers cps_numbers_layout(const cps_system *s);
/* All of them. Springs along lines are counted with the signs that they have in `like`. */
void cps_numbers_read(const cps_system *s, const cps_system *like, double *x);

/* ------------------------------------------------------------------ rows */

/* What a row depends on: a coordinate's place, velocity or acceleration, surfaces included; the force of a contact; a state of a
 * law; a load's force or a normal force as prescribed; what cables press a coordinate's body onto its line with; a number. */
typedef enum body_cause {
  BY_PLACE,
  BY_VELOCITY,
  BY_ACCELERATION,
  BY_FRICTION,
  BY_STATE,
  BY_LOAD,
  BY_NORMAL,
  BY_HUNG,
  BY_NUMBER,
  BODY_CAUSES
} body_cause;

/* The caller's function that takes the entries of rows: cause is a body_cause, or one of the caller's own. */
typedef struct tangent_sink {
  void (*add)(const struct tangent_sink *k, int row, int cause, int i, double by);
  void *to;
} tangent_sink;

/* What presses a body onto its line and so bears on a normal force: end `side` of a spring between points, or a load (spring -1). */
typedef struct press_cause {
  int spring, side, load;
} press_cause;

/* Those of each contact, one list after the other. */
typedef struct press_causes {
  int *first; /* [nc + 1] */
  press_cause *list;
} press_causes;
void cps_press_causes_make(press_causes *c, const cps_system *s, pool *p);

/* A point at which all of it has been looked at. */
typedef struct body_point {
  const cps_system *s;
  const workspace *k; /* normal forces, and which bodies are free */
  double t;
  const double *y, *a;         /* [ny] [nx] with what surfaces do */
  const body_matrix *tangents; /* of springs, */
  const spring_slope *spring;  /* [springs] by their number in the scenario */
  const press_causes *presses;
  const unsigned char *varies; /* [numbers] which of them are asked for */
  body_numbers at;
} body_point;

/* The spring with number j among those along lines, then those between points: its number in the scenario. */
static inline int cps_spring_index(const cps_system *s, int j) {
  return j < s->n_line ? s->line[j].index : s->plane[j - s->n_line].index;
}

/* Rows of spring j, times `by`: extension and its rate, tension, its elastic part, and the rest of it, which its damper makes. */
void cps_tangent_extension(const body_point *p, const tangent_sink *k, int row, int j, double by_e,
                           double by_rate);
void cps_tangent_tension(const body_point *p, const tangent_sink *k, int row, int j, double by);
void cps_tangent_elastic(const body_point *p, const tangent_sink *k, int row, int j, double by);
void cps_tangent_damper(const body_point *p, const tangent_sink *k, int row, int j, double by);

/* What weights, loads and springs do to each coordinate, by[coordinate] times, into row[coordinate]; none if that is negative. The entries of
 * springs along lines that are never slack, by places and velocities, are the same at every point: they are apart. */
void cps_tangent_forces(const body_point *p, const tangent_sink *k, const int *row, const double *by);
void cps_tangent_steady_forces(const body_point *p, const tangent_sink *k, const int *row, const double *by);

/* Rows of contact i: velocity (rate 1) or acceleration (2) of sliding; the mass that balance forces are scaled by; normal force, of
 * which nothing is left where there is none. */
void cps_tangent_sliding(const body_point *p, const tangent_sink *k, int row, int i, int rate, double by);
void cps_tangent_mass(const body_point *p, const tangent_sink *k, int row, int i, double by);
void cps_tangent_normal(const body_point *p, const tangent_sink *k, int row, int i, double by);
/* The balance force f - m a. */
void cps_tangent_balance(const body_point *p, const tangent_sink *k, int row, int i, double by);
/* Something that follows from its law, whose derivatives are given. */
void cps_tangent_law(const body_point *p, const tangent_sink *k, int row, int i, const cps_partials *d,
                     double by);

/* Stored energies, into three rows, none if negative: kinetic, elastic, of weight. */
void cps_tangent_energy(const body_point *p, const tangent_sink *k, const int row[3]);

/* A step between two points: what is at its start goes to the sink k[0], what is at its end to k[1]; from where to where things move,
 * to way[0] and way[1]. */
typedef struct body_step {
  const body_point *at[2];
  const tangent_sink *k[2], *way[2];
  const double *f[2];     /* [nc] contact forces */
  const double *force[2]; /* [nx] applied forces */
  int *row;               /* room: [nx], */
  double *by;             /* [nx] */
} body_step;

/* Works of the step as cps_work_add sums them: of friction at contact i, and of dampers, loads and the motion of surfaces. */
void cps_tangent_friction_work(const body_step *x, int row, int i);
void cps_tangent_works(const body_step *x, int damping, int loads, int motion);

#endif
