/* machine.h - cables on drums with the bodies they carry: state, and one Newton matrix for all of it.
 *
 * A cable is a chain of ANCF elements (cable.c). Its matrix is block-tridiagonal by node; the friction forces of
 * contact points are unknowns of their own inside the block of their node, so a Newton iteration costs O(n). What
 * several nodes share - the angle of a drum that the cable turns, a body that carries a drum or hangs on two
 * cables, the seam of a belt - is a border of few unknowns (cable_elimination.c).
 *
 *   machine.c   makes a machine of a scenario, moves what is prescribed
 *   moving_mesh.c   short elements that follow the drums
 *   cable_elimination.c     a Newton iteration of one cable: elements, contact, elimination
 *   contact_point.c   a contact point: search, normal force, friction
 *   stick_guess.c  who sticks and who slips next
 *   body_equations.c    drums and bodies that are free to move
 *   cable_ends.c  reactions of ends, and what ends on rims do to drums
 *   energy.c     energy and work
 *   element_energy.c    sums over the elements that it needs
 */
#ifndef CPS_MACHINE_H
#define CPS_MACHINE_H

#include "bodies.h"
#include "cable.h"
#include "cable_shapes.h"
#include "drives.h"
#include "internal.h"
#include "newton_loop.h"
#include "path_kinds.h"
#include "pool.h"
#include "residual.h"
#include "state_block.h"

enum { AXES = 2, PER_NODE_MAX = 2 }; /* friction forces of a point in space; contact points of a node */
enum { SEGMENTS_MAX = 8 };           /* of a cable that is eliminated in lanes (cable_segments.h) */
/* unknowns of the border that kernels have room for; unknowns of an interface between segments */
enum { BORDER_MET = 16, SEGMENT_WIDTH = 10 };

/* ------------------------------------------------------------------ parts */

typedef struct drum {
  const scenario_drum *of;
  const input_value *inputs; /* those of the machine */
  double radius, axis[3];
  double center[3], center_v[3], center_a[3];
  double angle, rate, acceleration;
  double start, start_center[3]; /* statics: angle and centre when springs took hold of the contact points */
  int angle_at;                  /* border unknown that is its angle; -1: not free */
  int braked;                    /* it does not turn in statics */
  int carrier;                   /* body of the border that carries it; -1: none */
  int elsewhere;                 /* it is turned by a cable in few variables, and does not move here */
  double offset[3];              /* from that body */
  int bearing;                   /* slide that cables press on with their contact forces; -1: none */
  double torque;                 /* of the cables on it, of the last look */
  double push[3];                /* force of the cables on it */
} drum;

/* How a friction law enters the equations. */
typedef enum law_kind {
  LAW_VELOCITY, /* f = F(v, n) */
  LAW_BALANCE,  /* f = F(v, f_eq, n), smooth */
  LAW_KINK,     /* the same with kinks: a clamp decides between stick and slip */
  LAW_JUMP,     /* set-valued at rest: v = 0, or f = F(v, n) */
  LAW_MEMORY    /* with states */
} law_kind;

typedef struct contact_law {
  const cps_normal *normal;
  double normal_p[CPS_MAX_PARAMS];
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
  law_kind kind;
  double viscous; /* slope -df/dv at rest per unit of normal force, of laws that know f_eq */
  double hold;    /* force held at rest per unit of normal force; negative: not proportional */
  double most;    /* with memory, or smooth: what it answers with at most, per unit of N; else INFINITY */
  int walks;      /* LAW_MEMORY: guards fire within steps, as its force does not jump where they do */
  int located;    /* LAW_MEMORY: steps end where guards fire (alpha.c) */
  int drags; /* LAW_MEMORY: creeps, so slowly at rest that velocity is not known well enough to evaluate it */
  double rise; /* LAW_VELOCITY: steepest fall of friction with velocity, per unit of normal force */
  int slip[2]; /* LAW_JUMP: modes of sliding forward and backward */
} contact_law;

/* A place where a cable may touch a drum. */
typedef struct contact_point {
  /* what iterations look at while it touches nothing, in one line of the cache */
  int drum;       /* that it touches; -1: none */
  int near;       /* the only drum that it may touch while it stays within `clear` of where it was seen */
  double f[AXES]; /* friction force on the cable along t and, in space, the axis: unknowns */
  double clear, travel, seen[3];
  int stuck;
  int slid;                    /* LAW_JUMP: whether it slid at the end of the last step */
  int drum0;                   /* before the step, */
  unsigned char stuck0, slid0; /* as these */
  unsigned char held;          /* LAW_JUMP: whether the last iteration held it, */
  unsigned char flips;         /* and how often it has let go in this step; 2: twice or more */
  int guess;          /* of the next iteration: 0 none, 1 sticks, 2 slips and is rubbed along t, 3 against */
  int node;           /* it lies at that node, or on the element that starts there */
  int mode[AXES];     /* of laws with memory and modes, */
  int mode0[AXES];    /* and when the step starts */
  double shape[4];    /* of the element's coordinates r0, r0', r1, r1' */
  double weight;      /* length that it stands for; 1 where numbers of contact are those of a node */
  double s;           /* material coordinate */
  double mass;        /* that the balance force is scaled by */
  double scale[AXES]; /* that stands for it, see contact_point.c; along the axis only with memory */
  /* as of the last evaluation */
  double depth, depth_t, n, v[AXES], limit;
  double box;                /* friction that it bears before it slips, as the guess sees it */
  double stiff;              /* dN/d(depth), with all that follows it */
  double t[3], slip, slip_r; /* direction of sliding; r_s + k v, and its derivative along t */
  double moved;              /* along t, by the last iteration */
  double spring[AXES];       /* statics: what the spring that holds it pulls with */
  double root;               /* of the balance force, over what is held: where to look for it next */
  double wrong;              /* how far off the last guess was [N] */
} contact_point;
_Static_assert(sizeof(contact_point) % 64 == 0, "points of a cable start with a line of the cache");

enum { GUESS_NONE, GUESS_STICK, GUESS_FORWARD, GUESS_BACKWARD };

/* What a contact point did at the end of the last step, for the work that it does in the next. */
typedef struct contact_trace {
  int drum;
  double r[3];    /* from the drum's centre */
  double pull[3]; /* friction force on the cable */
  double push[3]; /* the whole force on the cable */
  double f, depth, n_damping;
  double rise; /* by how much f changed in the step; 0: it did not touch at its start */
} contact_trace;

/* States of a law with memory at a point: now, what an implicit step starts from, and their rates. */
typedef struct contact_memory {
  double z[AXES][CPS_MAX_STATES], z_star[AXES][CPS_MAX_STATES], z_t[AXES][CPS_MAX_STATES];
  double z0[AXES][CPS_MAX_STATES], aux[AXES][CPS_MAX_STATES], aux0[AXES][CPS_MAX_STATES];
  double z_t0[AXES][CPS_MAX_STATES];
  int mode1[AXES]; /* in which the last evaluation of a step ended */
} contact_memory;

/* What an end of a cable is tied to. */
typedef struct tie {
  const end_kind *kind;
  int body;      /* of the border; -1: none */
  int drum;      /* of a rim; -1: none */
  double angle;  /* on the rim, when the drum's is zero */
  double height; /* along its axis, from its centre */
  double at[3];  /* of a pinned or clamped end */
  const profile *const *shift;
  const profile *const *force;
} tie;

typedef struct segment_kernel segment_kernel;
typedef enum kernel_set { KERNELS_BEST, KERNELS_PLAIN, KERNELS_FUSED, KERNELS_AVX512 } kernel_set;

typedef struct cable cable;
struct cable {
  const scenario_cable *of;
  int dim, n, b; /* elements; b = 2 dim coordinates of a node */
  cable_section section;
  double *length; /* [n] unstretched */
  double *mass;   /* [n + 1] point masses */
  grid on;        /* of a mesh that moves, */
  double unit;    /* its spacing, and */
  int *place;     /* [n + 1] of nodes on it; NULL: the mesh does not move */
  double *wanted; /* [n] lengths of elements, of the last look */
  double moved;   /* how far anything has gone since then, at most [m] */
  double gravity[3];
  double *tension;                  /* [n] as of the last look at its energy */
  double *q, *v, *a, *aux;          /* [n + 1][b] */
  double *q0, *v0, *a0, *aux0, *f0; /* before the step */
  double *rise;                     /* [n + 1][b] by how much accelerations changed in the last step */
  double (*trend)[4];               /* [n + 1] of these, see alpha_predict.c */
  unsigned char *fixed;             /* [n + 1] bit per coordinate that does not follow the equations */
  double load[2][3];                /* forces on the two ends */
  double reaction[2][6];            /* of the equations that fixed and tied coordinates of the ends replace */
  tie end[2];
  int seam; /* a belt: first of 2 dim border unknowns that are its first and last node; -1: open */
  int per_node, n_points, slots; /* contact points per node, in all; friction unknowns per node */
  int all_stick; /* Westin's reading: balance forces are those of the problem in which all contacts stick */
  contact_point *point;
  contact_trace *trace;        /* [n_points] */
  double *slip_work;           /* [drums of the machine] */
  double mesh_slip;            /* of all of it, about what the mesh adds [J] */
  double peak, peak_at, shown; /* largest pull at an end after any step, and when; at rows alone [N, s, N] */
  double laid,
      laid_drift; /* of belts that lie on drums as chords: mean tension at the first row, its largest relative change; -1: others */
  double loads0[2][3], reaction0[2][6];
  contact_memory *memory; /* [n_points] of laws with states, else NULL */
  double (*start)[3];     /* [n_points] statics: where springs hold the points */
  contact_law contact;
  int n_drums, *drums; /* that it may touch; n_drums < 0: all */
  unsigned char *
      crossed; /* [drums of the machine] 1: the way runs through it, too, where it is not led around it; 2: and nothing else that it is wound on is there */
  int has_extra; /* objective damping or exact curvature: `extra`, without the rest of the section */
  cable_section extra;
  double *gap,
      *gap0; /* all_stick: [n + 1][b] by how much accelerations would differ if all contacts stuck, */
  double *pull, *pull0; /* [n_points][AXES] and friction forces; see cable_pass.h */
  /* of a Newton iteration: unknowns of a node, solution and eliminated blocks */
  int width;                         /* b + slots, or twice that where all contacts are taken to stick */
  double *x;                         /* [links + 1][width] */
  double *up;                        /* [links + 1][width][width] */
  double *right;                     /* [links + 1][width][1 + border] */
  double *across;                    /* [links + 1][border][width] */
  double *kept;                      /* of inner nodes of segments, see cable_segments.h */
  double *room;                      /* that they all lie in */
  const segment_kernel *by;          /* that eliminated it; NULL: it was eliminated node by node */
  int links;                         /* elements, or segments, between which it was cut at the nodes */
  int cut[SEGMENTS_MAX + 1];         /* of which these are the ends */
  int n_met;                         /* slots for unknowns of the border that segments have met, */
  int met[BORDER_MET][SEGMENTS_MAX]; /* and which those are; -1: none */
  int frozen;                        /* scales of friction stay as they are: for differences */
  int wrong;                         /* a contact sticks or slips as it should not, as of the last look */
  double *draft;                     /* [16 n_points + 4] for the slip front */
};

/* What an unknown of the border is: a place or an angle, or a force, which has no velocity. */
typedef enum dof_kind {
  DOF_PLACE,
  DOF_FRICTION, /* of a bearing or a rail */
  DOF_PRESS     /* that of cables on a body onto its line */
} dof_kind;

/* An unknown of the border: where it lies in the state now, and as it was kept before the step. Coordinates of bodies and forces of
 * contacts are those of bodies.h. */
typedef struct dof {
  double *q, *v, *a, *aux, *q0, *v0, *a0, *aux0;
  double rise, trend[2]; /* as those of cables */
  dof_kind kind;
} dof;

/* A body that is not simply a mass at the end of one cable. */
typedef struct machine_body {
  const scenario_body *of;
  int index; /* in the scenario */
  int at, n; /* its unknowns */
  double mass;
  int held;                    /* fixed where it is */
  int apart;                   /* no cable pulls at it, nor at anything that springs or contacts join to it */
  double base[3], along[4][3]; /* place = base + sum q_k along_k */
  /* Equations that a force on the body enters: those of its unknowns and, if its line is pressed by what hangs on it, that of
   * this force, press = along[n] . force. */
  int rows, row[4];
  int press_at; /* unknown that is that force; -1: none */
  double r[3], v[3], a[3];
} machine_body;

/* Friction between freedoms of the border: bearings of drums, bodies on rails. Sliding velocity is
 * factor[0] v[at[0]] - factor[1] v[at[1]], or in place of the last that of a surface. */
typedef struct slide {
  int f_at;  /* border unknown that is its force */
  int at[2]; /* -1: none */
  double factor[2];
  const scenario_body *surface;
  const scenario_contact *contact; /* of bodies; NULL: a bearing */
  int index;                       /* of the contact */
  int drum;                        /* of a bearing */
  int held;                        /* nothing that rubs in it is free to move */
  contact_law law;
  contact_point p;
  contact_memory y;
  double start;
  double by_n;       /* of its equation by the normal force, as of the last evaluation, */
  double pressed[3]; /* and by the forces of cables on its drum */
} slide;

/* The normal force of a slide depends on what cables press a body with: an unknown, and where that is in the slide's equation. */
typedef struct press {
  int slide, unknown, slot;
} press;

/* Where a law has states: at a point of a cable, or in a slide. */
typedef struct law_site {
  contact_memory *y;
  contact_point *p;
  const contact_law *law;
  int axes;
  int on_cable; /* states of points of cables rest while they touch nothing */
} law_site;

/* Work since the start, by kind [J]; see energy.c. */
typedef struct audit {
  double friction, contact_damping, damping, load_work, motion_work, solver;
} audit;

/* What statics does with a machine, for those who differentiate it. */
typedef enum machine_note {
  NOTE_REST,       /* velocities and accelerations are zero now, */
  NOTE_LET_GO,     /* and friction forces */
  NOTE_HOLD,       /* springs hold the contact points where they are */
  NOTE_SOLVED,     /* a step from rest */
  NOTE_REMEMBERED, /* states of laws with memory are those that hold the friction forces */
  NOTE_STARTED     /* velocities are those of the start, and what is prescribed has been moved there */
} machine_note;

struct step_coeffs;

typedef struct machine {
  pool pool; /* all arrays but the state */
  const cps_scenario *of;
  const input_value *inputs; /* of the simulation; NULL: as they start */
  int dim;
  double gravity[3];
  int n_cables, n_drums, n_bodies;
  cable *cable;
  drum *drum, *drum0;
  machine_body *body;
  const int *body_cable, *body_end; /* [scenario bodies] the cable's end that simply is the body; -1: none */
  int *body_border;                 /* [scenario bodies] index in `body`; -1: none */
  cps_system *system;               /* owned: tables of bodies, springs, loads and contacts (bodies.h), */
  workspace forces;                 /* what acts on them as of the last look, */
  state_block state;                /* of all of the machine: parts of it are */
  double *y,
      *y0; /* [ny] coordinates and velocities of bodies, states of laws, works; now and before the step, */
  double *a, *a0; /* [nx] accelerations, */
  double *f, *f0; /* [nc] forces of contacts, */
  double *own[4],
      *own0[4];     /* [nb] q, v, a of unknowns that are none of these, and aux of all; those of cables */
  int *unknown;     /* [nx] border unknown that is a coordinate; -1: none */
  work_start start; /* of the step, for its work; what it points to is in */
  double *start_q, *start_f; /* [nx] [nc] */
  double *room;              /* [nx] */
  int n_slides;
  slide *slide;
  int n_sites;
  law_site *site;     /* those of cables, then those of slides */
  int nb;             /* unknowns that are no cable's own, */
  int near;           /* of which the first are those that cables have to do with */
  dof *free;          /* [nb] */
  double *s, *rhs;    /* [near][near] what the cables leave; [nb] */
  residual equations; /* of bodies and contacts, with the system of all of them */
  int *force;         /* [nc] which of the unknowns are the forces of contacts */
  int *owner;         /* [nb] the body whose place an unknown is; -1: it is none */
  int n_presses;
  press *press;
  int n_apart; /* bodies that have nothing to do with cables: their remainders are judged as those of bodies alone */
  audit work;
  double loss0;       /* power of damping at the end of the last step, */
  double audited;     /* and when that was; after a jump, its time */
  kernel_set kernels; /* that eliminate its cables */
  double travel;      /* how far drum centres have moved, at most, summed up */
  double grip;        /* statics: stiffness of the springs that hold contact points [N/m] */
  convergence convergence;
  double rise_length; /* of the step in which accelerations changed by `rise`; 0: not known */
  sight sight;        /* of Newton's method on laws between bodies */
  const char *doing;  /* what its iterations are for, if not for a time step; NULL: for that */
  long iterations;    /* of Newton's method, */
  int stopped;        /* and whether who waits for them has enough */
  int no_memory;      /* the search for an equilibrium has lacked it: what it found is not to be trusted */
  void (*note)(struct machine *m, machine_note what, const struct step_coeffs *coeffs,
               void *data); /* or NULL */
  void *note_data;
} machine;

/* Coordinates of a cable, and the length of its shortest element. */
static inline size_t cps_cable_entries(const cable *c) { return (size_t)(c->n + 1) * (size_t)c->b; }
static inline double cps_cable_shortest(const cable *c) {
  double shortest = c->length[0];
  for (int k = 1; k < c->n; k++) shortest = c->length[k] < shortest ? c->length[k] : shortest;
  return shortest;
}

/* ------------------------------------------------------------------ making */

/* A machine at the start of the scenario: cables drawn along their paths. */
cps_status cps_machine_make(machine *m, const cps_scenario *s, cps_error *err);
/* The same with cables that have been drawn already: as a system has them. */
cps_status cps_machine_make_drawn(machine *m, const cps_scenario *s, const drawing *drawn, cps_error *err);
void cps_machine_free(machine *m);

/* From now on inputs have these values, which must outlive it. */
void cps_machine_inputs(machine *m, const input_value *in);

/* Moves what is prescribed to time t: drums, ends, loads. Drums under control are integrated from t0. */
void cps_machine_move(machine *m, double t0, double t);

/* Lets go of bodies that are held no longer at time t, with their initial velocities; whether there were any. To be called where
 * something jumps. */
int cps_machine_release(machine *m, double t);

/* A contact point as it is when it has touched nothing yet: point j of node or element i, which starts after the length s. */
/* Half of the elements around node i. */
double cps_node_length(const cable *c, int i);
void cps_point_make(cable *c, int i, int j, double s);
/* Whether two drums share their room, as sheaves on one axle do: in space, with axes that are parallel. */
int cps_drums_overlap(const machine *m, int i, int k);
/* How far a place is outside a drum. */
double cps_drum_gap(const machine *m, int k, const double *r);

/* After a step of length h: moves nodes of cables whose mesh follows the drums to where short elements are needed now, with the curve, its
 * velocity and momentum; the energy that this costs is the solver's. Whether there were any. */
int cps_mesh_follow(machine *m, double t, double h);

/* Puts ends and drums that are tied to the border where it says. */
void cps_machine_tie(machine *m);

/* ------------------------------------------------------------------ Newton */

/* How unknowns follow their accelerations in a step: dq = q_a da, dv = v_a da, dz = z_s dz_t. States of laws whose guards
 * fire within steps know nothing of the step before: they go from where they were through the whole step. */
typedef struct step_coeffs {
  double t, q_a, v_a, z_s;
  double bristle; /* > 0: friction is a spring of that stiffness from `start`, up to what the law holds */
  int careful;    /* pivoting, no short cuts */
  double length;  /* of the step; 0: an instant, or statics */
  double rail;    /* as `bristle`, of contacts between bodies and of bearings */
} step_coeffs;

/* Springs that hold bodies on rails, and drums in their bearings, where contact points of cables have springs of `grip`. */
double cps_rail_grip(double grip);
/* Whether these springs give way above what friction holds. They do not while cables are laid onto their drums, by hardly any springs. */
int cps_rails_give(const step_coeffs *coeffs);

static inline double cps_memory_time(const contact_law *l, const step_coeffs *coeffs) {
  return l->walks ? coeffs->length : coeffs->z_s;
}

/* Before an iteration: tells who waits for it; nonzero if it is not to be made. */
int cps_machine_waits(machine *m, const step_coeffs *coeffs);
/* An iteration on everything. Its first part assembles the equations and eliminates the cables onto those of drums and bodies; its second
 * solves and applies, with steps of at most `most`. 0 if the matrix is singular or something is not finite. */
int cps_machine_evaluate(machine *m, const step_coeffs *coeffs, residual_norms *left);
int cps_machine_correct(machine *m, const step_coeffs *coeffs, double most, residual_norms *left);
int cps_machine_iterate(machine *m, const step_coeffs *coeffs, double most, residual_norms *left);

/* Looks at time t what touches what, with which forces, and changes nothing else. */
void cps_machine_update_contacts(machine *m, double t);

/* To be called after every step: modes of laws with memory, and what jumps slid. 1 if states of laws have jumped. */
int cps_machine_settle(machine *m);

/* Forward elimination of one cable (cable_elimination.c): fills up, right, across; adds what it leaves to the border's s and
 * rhs. 0 if singular. Then back substitution, given the border's solution in rhs, which also applies the changes to
 * places, velocities, accelerations and friction; the largest change of place, NaN if something is not finite. */
int cps_cable_eliminate(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left);
double cps_cable_substitute(const machine *m, cable *c, const step_coeffs *coeffs);
void cps_cable_take_back(const machine *m, cable *c, const step_coeffs *coeffs,
                         double part); /* of what it has applied */
/* How far the surface of a drum moves along t with the border's solution. */
double cps_surface_move(const machine *m, const drum *g, const double *t);

/* Kernels that eliminate the inner nodes of a cable, segment by segment (cable_segments.h), and then substitute and apply `factor` of
 * the changes. What is left of each of the segments is for its two interfaces: own, of the first; next, of the second; u and l, of
 * the first by the second and back. Residuals are without what elimination takes from them, `less`; elastic is what contact
 * takes its scale from. Unknowns of the first may include friction. */
typedef struct segment_ends {
  double own[SEGMENT_WIDTH][SEGMENT_WIDTH], u[SEGMENT_WIDTH][6], l[6][SEGMENT_WIDTH], next[6][6];
  double less[SEGMENT_WIDTH], next_less[6], r[6], next_r[6], elastic[3][3], next_elastic[3][3];
} segment_ends;
struct segment_kernel {
  int lanes; /* segments of a cable */
  int (*eliminate)(machine *m, cable *c, const step_coeffs *coeffs, segment_ends *ends, residual_norms *left);
  double (*substitute)(const machine *m, cable *c, const step_coeffs *coeffs, double factor);
};
/* For the plane and for space, with contact at nodes, or at one or two points of an element; in copies for processors. */
extern const segment_kernel cps_kernels_plain[2][1 + PER_NODE_MAX], cps_kernels_fused[2][1 + PER_NODE_MAX],
    cps_kernels_avx512[2][1 + PER_NODE_MAX];

/* The same for a whole cable in the plane with contact at nodes, whose ends are no part of the border (cable_plane.h), in two copies.
 * The border has at most PLANE_BORDER unknowns. */
enum { PLANE_BORDER = 10 };
int cps_plane_eliminate(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left);
int cps_fused_eliminate(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left);
double cps_plane_substitute(const machine *m, cable *c, const step_coeffs *coeffs, double factor);
double cps_fused_substitute(const machine *m, cable *c, const step_coeffs *coeffs, double factor);

kernel_set cps_kernels_most(void); /* that this processor can run */

/* Room that an iteration needs for a cable [doubles]. */
size_t cps_cable_room(const machine *m, const cable *c);

/* The border's own equations (body_equations.c): adds to s and rhs, in units of dq. */
void cps_border_assemble(machine *m, const step_coeffs *coeffs, residual_norms *left);
/* Whether a slide sticks that should slip, or the other way round, by more than the force `slack`. */
int cps_slides_wrong(machine *m, const step_coeffs *coeffs, double slack);
/* How the equations of bearings depend on the forces of cables, as of the last evaluation. */
void cps_slides_press(machine *m);
/* Looks at bodies, springs and contacts as they are: fills y but for works, and forces. Surfaces are put where they are at t. */
void cps_bodies_look(const machine *m, double t);
/* Whether slides are held, and the mass that balance forces of contacts are scaled by, as bodies are held now. */
void cps_slides_weigh(machine *m);
/* Looks at slides of laws with memory once more, where a solve has left them. */
void cps_slides_refresh(machine *m, const struct step_coeffs *coeffs);
/* Whether a contact between bodies has another equation than that of bodies alone: a spring holds it in statics, its law jumps, or has
 * memory. */
static inline int cps_slide_is_rubbed(const slide *y, const step_coeffs *coeffs) {
  return coeffs->bristle > 0 || y->law.kind == LAW_JUMP || y->law.kind == LAW_MEMORY;
}
struct friction;
/* That equation, and that of a bearing: f - F with its derivatives, given normal force, friction force, and place, velocity and
 * acceleration of sliding; returns its derivative by place. */
double cps_slide_rub(slide *y, const step_coeffs *coeffs, double n, double force, double x, double v,
                     double a, struct friction *f);
/* What its friction sees there. */
struct slip_motion;
struct slip_motion cps_slide_motion(const slide *y, const step_coeffs *coeffs, double n, double v, double a);
/* What a law holds differentiated by the normal force. */
double cps_friction_holds_per(const contact_law *l, double n);
/* The slide of a contact between bodies: they come last. */
static inline const slide *cps_contact_slide(const machine *m, int contact) {
  return &m->slide[m->n_slides - m->system->nc + contact];
}
/* Finds what normal forces of slides depend on, and makes the system of equations; 0 if out of memory. */
int cps_border_prepare(machine *m);
/* Torque of a drum's drive, and its derivatives. */
double cps_drum_torque(const drum *g, double t, double *by_angle, double *by_rate);

/* The state, for checkpoints (machine_state.c). */
struct checkpoint;
void cps_machine_list(struct checkpoint *c, machine *m);

/* ------------------------------------------------------------------ audit (energy.c) */

/* Looks at what contact points, ends and drums bear in the present state. */
void cps_audit_look(machine *m);
/* Forgets what was; to be called before the first step and after a jump. */
void cps_audit_start(machine *m, double t);
/* Adds the work of the step of length h that ended at t, just before anything that jumps there, from the state that was kept
 * before it. */
void cps_audit_step(machine *m, double t, double h);
/* Power of a cable's objective damping, now. */
double cps_damping_power(const cable *c);
/* Stored energy and work so far. */
void cps_audit_energy(const machine *m, cps_energy *e);

/* ------------------------------------------------------------------ ends of cables (cable_ends.c) */

/* The force that acts on end e of a cable from outside, loads not counted: [2 dim] of its place and of its slope, from the present
 * state and the traces of its contact points. */
void cps_end_reaction(const cable *c, int e, double *reaction);
/* The force of what holds end e, or hangs on it, on the cable: as above, with a mass at the very end counted to what holds it. */
void cps_end_hold(const cable *c, int e, double *hold);
/* Its part along the cable; of a belt, the tension of the element beside the seam. */
double cps_end_tension(const cable *c, int e);
/* From the axis of the drum to an end on its rim, and axis x that. */
void cps_rim_arm(const machine *m, const cable *c, int e, double *arm, double *along);
/* Adds what ends on rims do to the forces and torques of drums, by their reactions. */
void cps_rims_bear(machine *m);

/* ------------------------------------------------------------------ sums over elements (element_energy.c) */

typedef struct cable_store {
  double elastic, kinetic, gravity; /* [J] */
} cable_store;

/* Energy of a cable with its point masses; also writes the tension that each element passes on. */
void cps_cable_survey(const cable *c, cable_store *o);
/* Of the step from what was kept before it: adds inertia's work less the change of kinetic energy, and the work of
 * Westin's damping. */
void cps_cable_step_work(const cable *c, double *solver, double *damping);

/* Their two copies. */
void cps_narrow_store(const cable *c, double *tension, cable_store *o);
void cps_fused_store(const cable *c, double *tension, cable_store *o);
void cps_narrow_step_work(const cable *c, double *solver, double *damping);
void cps_fused_step_work(const cable *c, double *solver, double *damping);

/* ------------------------------------------------------------------ contact */

/* A contact point linearised: what it does to the cable, per change of place with everything that follows it. */
typedef struct contact_response {
  double force[3];        /* on the cable */
  double k[3][3];         /* - d force/d place, friction unknowns held */
  double dir[AXES][3];    /* directions of friction */
  double rest[AXES];      /* f - F */
  double rest_r[AXES][3]; /* its derivatives: place, */
  double rest_f[AXES][AXES];
  double rest_angle[AXES]; /* angle of the drum */
  /* all_stick only: what the problem in which all contacts stick needs to know */
  double slide_a[AXES], slide_t; /* sliding acceleration, and its derivative along t */
  double away[3];                /* -d dir[0] per t.dr */
} contact_response;

/* Evaluates point p of a cable at place r, velocity v, acceleration a; stiff is the diagonal block of the iteration
 * matrix there [dim][dim] with rows `stride` apart. 0 if it touches nothing. Returns 1 and fills out otherwise. */
int cps_contact_eval(machine *m, cable *c, contact_point *p, const double *r, const double *v,
                     const double *a, const double *stiff, int stride, const step_coeffs *coeffs,
                     contact_response *out);

/* What a contact point has to do with an unknown of the border: derivatives of the equations of its place and of its friction by
 * that unknown, and of that unknown's equation by place and friction. */
typedef struct border_touch {
  int n, at[6]; /* the angle of the drum, its bearing, and the body that carries it, with what presses that */
  double column[6][3], column_f[6][AXES], row[6][3], row_f[6][AXES];
} border_touch;
/* Fills it, and adds the point's forces and what only concerns the border to rhs and s. */
void cps_contact_border(machine *m, const contact_point *p, const contact_response *t, border_touch *o);

/* Prepares a law for use in contacts. */
void cps_contact_law_set(contact_law *l, const cps_normal *normal, const double *normal_p, const cps_law *law,
                         const double *p);

/* What friction sees: velocities and accelerations of sliding, and the scale of the balance force. */
typedef struct slip_motion {
  int axes;
  double v[AXES], a[AXES];
  double scale, rate, viscous;
  double steep
      [AXES]; /* LAW_MEMORY: slopes of the lines on which the law is looked for [N s/m]; 0: at v itself */
} slip_motion;

/* f - F, and its derivatives by v, a and f of each axis, and by N; and for those by plain numbers, of laws without memory: whether the
 * law was asked, at which velocity and balance force, and in which direction F is its answer. */
typedef struct friction {
  double rest[AXES], by_v[AXES][AXES], by_a[AXES][AXES], by_f[AXES][AXES], by_n[AXES];
  int asked;
  double at_v, at_e, dir[AXES];
} friction;

/* By parameters of the law, by the mass that the balance force is scaled by, and by the viscous slope per unit of normal force. */
typedef struct friction_numbers {
  double law[AXES][CPS_MAX_PARAMS], mass[AXES], viscous[AXES];
} friction_numbers;

/* The friction equation of a point whose n and limit are known; y is NULL for laws without memory. */
void cps_friction_eval(const contact_law *l, contact_point *p, contact_memory *y, const slip_motion *s,
                       double z_s, friction *out);
/* The same of laws without memory where a solve has ended: on the branch that it found, which p->stuck says. */
void cps_friction_found(const contact_law *l, contact_point *p, const slip_motion *s, friction *out);
/* The same in Westin's reading: pull is what contacts that all stuck would need less. */
void cps_friction_all_stick(const contact_law *l, contact_point *p, const double *pull, const slip_motion *s,
                            friction *out);
/* How what was evaluated depends on plain numbers, where the equation holds. */
void cps_friction_numbers(const contact_law *l, const contact_point *p, const slip_motion *s,
                          const friction *y, friction_numbers *out);
double cps_friction_holds(const contact_law *l, double n);

/* A friction law by itself, in one direction: force and derivatives, the states eliminated. z has a guess of the states, and
 * gets those at the end; *mode1, unless it is NULL, the mode there. */
typedef struct law_response {
  double f, f_v, f_n, f_e;
} law_response;
law_response cps_law_respond(const contact_law *l, double v, double n, double e, int mode, double *z,
                             const double *z_star, double *z_t, double z_s, int *mode1);

/* The path of a law's states through a step, at the velocity, load and balance force of its end (law_memory.c). */
enum { PIECES = 64 };
typedef struct memory_piece {
  int mode;
  int guard; /* that ends it; -1: the end of the step */
  double time;
  double from[CPS_MAX_STATES], z[CPS_MAX_STATES]; /* at its start and, before the transition, at its end */
} memory_piece;
typedef struct memory_path {
  int n, mode; /* at the end */
  int solved;  /* whether every implicit step was */
  int slid;    /* one slide of the law's own (cps_law.slide), in one piece */
  memory_piece piece[PIECES];
} memory_path;
void cps_memory_advance(const contact_law *l, double v, double n, double e, int mode, const double *guess,
                        const double *z_star, double z_s, memory_path *path);

/* Something of a law with memory that follows from velocity, load, balance force, friction force, the states that a solve starts
 * from, and parameters. */
typedef struct recall_row {
  double v, n, e, f, star[CPS_MAX_STATES], p[CPS_MAX_PARAMS];
} recall_row;

/* Force at the end of a path, with its row and those of the states; by z_star and parameters only if `wide`. Unless it is NULL,
 * z_time gets what the states change by if the step lasts longer (not of a law's own slide). */
double cps_memory_rows_of(const contact_law *l, double v, double n, double e, const memory_path *path,
                          int wide, recall_row *f, recall_row *z, double *z_time);
/* What a law says by itself, x, and through states with rows z. */
void cps_memory_chain(const cps_law *law, const cps_partials *x, const recall_row *z, int wide,
                      recall_row *row);
/* Rows of states that a step of length z_s of implicit Euler makes of those of the states before it. */
void cps_memory_follow(const cps_law *law, const cps_law_jacobian *jac, double z_s, int wide, recall_row *z);

/* States with which a law with memory holds force f at rest (law_memory.c): it is pulled slowly from z = 0, further and further,
 * until it answers with f. What it cannot hold stays at the most that it can. */
enum { PULLS = 64 };
typedef struct pull {
  double length; /* [m] */
  int mode;
  double z[CPS_MAX_STATES]; /* after it */
} pull;
/* Their number; path [PULLS], or NULL, gets all of them. *holds: the last is as long as it takes to hold f. */
int cps_memory_pull(const contact_law *l, double n, double f, double *z, pull *path, int *holds);
/* One pull, from states z: the path of its states, with guards; the number of its pieces. */
int cps_memory_pull_path(const contact_law *l, double n, double f, const double *z, double length, int mode,
                         memory_path *path);
/* How fast it is pulled: against the force [m/s]. */
double cps_memory_crawl(double f);
/* Lets the law take over force f: its states, their rates, and its mode. */
void cps_memory_take(const contact_law *l, double n, double f, int *mode, contact_memory *y, int axis);
/* Modes of laws with memory that have none yet, from what was looked at: a step is in one mode. */
void cps_memory_choose(machine *m);
/* Looks at the points of laws with memory once more, where a solve has left them: what its last iteration saw was a step behind.
 * What touches nothing keeps the states that it had before the solve. */
void cps_memory_refresh(machine *m, const struct step_coeffs *coeffs);

/* Whether some contact sticks that should slip, or the other way round, by more than the force `slack`. */
int cps_contact_wrong(const machine *m, const cable *c, const step_coeffs *coeffs, double slack);

/* Excess of friction over what it holds is passed on to the next contact that can bear it: a guess for the next
 * iteration that lets a slip front move over many contacts at once. */
void cps_contact_spread(machine *m, cable *c, const step_coeffs *coeffs);
/* Laws with memory, and smooth ones: takes friction that an iteration has thrown beyond what the law answers with back to that. */
void cps_contact_limit(cable *c);
/* Whether there is such a guess; q_a is dq/da of the step. */
int cps_contact_guesses(const cable *c, double q_a);

#endif
