/* capstan.h - stick-slip friction, and cables on pulleys, drums and winches.
 *
 * This header is the whole public interface and its documentation.
 *
 *   Units      SI everywhere; `double` for quantities, `int` for indices.
 *   Names      cps_noun_verb for functions, cps_noun for types, CPS_... for constants.
 *   Errors     makers return an object or NULL, doers return a cps_status; a cps_error * may be NULL.
 *   Ownership  inputs are copied; `const` pointers that are returned are borrowed.
 *   Threads    no global state: every function may be called from any thread.
 *
 * The library never prints, never exits and never longjmps.
 *
 * Licence: Apache-2.0
 */
#ifndef CAPSTAN_H
#define CAPSTAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CPS_VERSION_MAJOR 0
#define CPS_VERSION_MINOR 2
#define CPS_VERSION_PATCH 0

#if defined(_WIN32) && defined(CPS_BUILD_SHARED)
#define CPS_API __declspec(dllexport)
#elif defined(_WIN32) && defined(CPS_USE_SHARED)
#define CPS_API __declspec(dllimport)
#elif defined(_WIN32)
#define CPS_API
#else
#define CPS_API __attribute__((visibility("default")))
#endif

/* The version of the library that is linked, such as "0.2.0". */
CPS_API const char *cps_version(void);
/* Whether the innermost loops of cables run with AVX2 and FMA; not if the environment says CAPSTAN_PLAIN=1, which gives the same
 * bits on every processor. */
CPS_API int cps_has_avx2(void);
CPS_API int cps_has_avx512(void); /* and AVX-512 (F, DQ, VL) besides */
CPS_API int cps_has_neon(void);   /* the same of NEON and its fused products, on aarch64 */

/* A number as the shortest text that reads back as the same double, whatever the locale; size >= CPS_NUMBER_TEXT. Returns its
 * length. */
enum { CPS_NUMBER_TEXT = 32 };
CPS_API int cps_number_shortest(char *text, size_t size, double value);
/* For texts that came from elsewhere, such as names in a result, and are to be shown: replaces what could act on a terminal or
 * make a line read otherwise than it is by question marks, in place; with `lines`, line feeds and tabs stay. */
CPS_API void cps_plain_text(char *text, int lines);
/* How many letters of one word have to be changed, added, left out or swapped with their neighbour to make the other of it, whatever
 * their case, over the first 48: for "did you mean". */
CPS_API int cps_edit_distance(const char *a, const char *b);
/* The SHA-256 of some bytes, as results name their scenario by. */
CPS_API void cps_sha256_hex(const void *bytes, size_t size, char hex[65]);

/* Frees text and bytes that the library has handed over, also where the caller's free() is another one. NULL is fine. */
CPS_API void cps_free(void *memory);

/* ------------------------------------------------------------------ files that are written
 *
 * Whole or not at all, on the disk before they bear their name, and never in the place of something that is not a file: a regular
 * file is written beside its place as NAME.part, which is made anew, and renamed when it is complete. A target of another kind (a
 * device, a pipe) is written to directly. */

enum { CPS_OUTPUT_PATH = 4096 };

/* How the last part of a path is taken. */
typedef enum cps_output_where {
  CPS_OUTPUT_NAMED, /* somebody named this file: links are followed, devices and pipes written to */
  CPS_OUTPUT_INSIDE, /* a file of one's own within a folder: a link that has its name is replaced, not followed */
  CPS_OUTPUT_COPY /* the same for what can be made again from another file: nobody waits for the disk */
} cps_output_where;

typedef struct cps_output_file {
  int descriptor;             /* -1 if there is none */
  int copy;                   /* not waited for */
  char path[CPS_OUTPUT_PATH]; /* where it will be, links followed */
  char part[CPS_OUTPUT_PATH]; /* where it is until then; "" if the target is written to directly */
  char reason[160];           /* why the last call failed */
} cps_output_file;

/* Opens the file to be written; 0 if it cannot be. */
CPS_API int cps_output_open(cps_output_file *file, const char *path, cps_output_where where);
/* Finds the names and makes way for the part, for those who open it themselves, with O_EXCL. 0 if the target is not a regular file,
 * or cannot be. */
CPS_API int cps_output_name(cps_output_file *file, const char *path, cps_output_where where);
/* Finds where a file is that is changed in place, as tables of studies are: links are followed, also those of its folder. 0 if it is
 * not a regular file, or cannot be. */
CPS_API int cps_output_place(cps_output_file *file, const char *path);
/* Makes a folder, and those above it, unless they are there, and waits until their names are on the disk. If nobody named it
 * (INSIDE, COPY), a link in its place is refused. 0 if it cannot be made: `path` is that which cannot. */
CPS_API int cps_folder_make(cps_output_file *file, const char *path, cps_output_where where);
/* Writes all bytes; 0 if that fails. */
CPS_API int cps_output_write(cps_output_file *file, const void *bytes, size_t size);
/* Brings what was written to the disk, closes the descriptor if there is one, and gives the file its name; 0 if that fails, and
 * then the part is gone. */
CPS_API int cps_output_commit(cps_output_file *file);
/* Gives up: closes the descriptor and removes the part. */
CPS_API void cps_output_discard(cps_output_file *file);
/* Waits until the names in the folder of a file are on the disk; 0 with errno if that fails. */
CPS_API int cps_folder_sync(const char *path);

/* ------------------------------------------------------------------ errors */

typedef enum cps_status {
  CPS_OK = 0,
  CPS_FAILED = -1,    /* the computation failed; what was computed until then is valid */
  CPS_BAD_INPUT = -2, /* the caller's input is wrong; nothing was done */
  CPS_IO = -3,        /* a file could not be read or written */
  CPS_NO_MEMORY = -4
} cps_status;

/* What went wrong, for a person to read. A function that succeeds leaves it untouched. */
typedef struct cps_error {
  cps_status status;
  char file[256]; /* the input file, "" if none */
  int line;       /* position in the file, from 1; 0 if none */
  int column;
  char key[128];    /* path of the offending key, such as "contacts.belt.friction.mu" */
  double time;      /* simulated time, NaN if none [s] */
  char text[512];   /* one sentence: what was found, and what would be right */
  char source[200]; /* the line of the file, "" if none; `column` points into it */
} cps_error;

/* The name of a status, such as "bad input". */
CPS_API const char *cps_status_name(cps_status status);

/* ------------------------------------------------------------------ friction laws
 *
 * A friction law gives the force f that a surface exerts on a body sliding over it with velocity v under the
 * normal force n. Signs: f acts on the body, so sliding friction has f v <= 0; the balance force f_eq is the
 * value of f that would give zero relative acceleration, so a body that sticks has f = f_eq (Quinn 2004).
 *
 * A law is a constant descriptor (cps_law): data that describe it, and functions that evaluate it. The
 * built-in ones are found with cps_law_find and cps_law_at; a descriptor of your own works wherever a
 * built-in one does, in scenarios too (cps_laws).
 *
 *   const cps_law *law = cps_law_find("cdq");
 *   double p[CPS_MAX_PARAMS];
 *   cps_law_defaults(law, p);
 *   cps_law_input in = {.v = 0.01, .n = 10, .f_eq = 2, .mode = CPS_MODE_FREE};
 *   cps_law_output out;
 *   cps_law_jacobian jac;
 *   cps_law_eval(law, p, &in, &out, &jac);       // out.f, jac.f.v = df/dv, jac.f.p[i] = df/dp_i
 */

enum {
  CPS_MAX_PARAMS = 16, /* most parameters of a law */
  CPS_MAX_STATES = 8,  /* most internal states of a law */
  CPS_MAX_GUARDS = 8,  /* most guards of a law */
  CPS_MODE_FREE = -1   /* as a mode: let the law choose from velocity, forces and states */
};

/* Inputs larger than this in magnitude are treated as this large, so that no finite input overflows. */
#define CPS_INPUT_MAX 1e30

/* A parameter of a law or element: name, unit, default, closed range, meaning. */
typedef struct cps_param {
  const char *name;
  const char *unit; /* as UDUNITS-2 reads it; "1" for none */
  double value;     /* the default */
  double min, max;
  const char *meaning;
} cps_param;

/* An internal state of a law. */
typedef struct cps_state {
  const char *name;
  const char *unit;
  int parity; /* -1 if it changes sign with v (a deflection), +1 if not (an age) */
  const char *meaning;
} cps_state;

/* What is true of a law. The tests measure every one of them. */
enum {
  CPS_CREEPS = 1 << 0,     /* slides, however slowly, under a static load below the limit */
  CPS_STICKS = 1 << 1,     /* comes to true rest under such a load */
  CPS_NEEDS_FEQ = 1 << 2,  /* uses the balance force */
  CPS_MEMORY = 1 << 3,     /* has internal states */
  CPS_MODES = 1 << 4,      /* switches between modes, with guards */
  CPS_CONTINUOUS = 1 << 5, /* f and z_t are continuous in v, n, f_eq and z (mode free) */
  CPS_SMOOTH = 1 << 6,     /* and continuously differentiable, for n > 0 */
  /* Exceptions; `note` says why. */
  CPS_UNBOUNDED = 1 << 7,  /* |f| grows without limit with |v| */
  CPS_LOAD_FREE = 1 << 8,  /* f does not vanish with n */
  CPS_DISSIPATES = 1 << 9, /* f v <= 0 outside the stick band; with memory: no work from any closed cycle */
  CPS_LOG_SINGULAR = 1 << 10, /* a derivative grows logarithmically without limit at v = 0 */
  CPS_SNAPS = 1 << 11         /* with memory: the force jumps where a guard fires */
};

/* The point at which a law is evaluated. */
typedef struct cps_law_input {
  double v;        /* sliding velocity [m/s] */
  double n;        /* normal force [N]; negative counts as zero */
  double f_eq;     /* balance force [N]; ignored by laws without CPS_NEEDS_FEQ */
  const double *z; /* internal states [n_states]; NULL if the law has none */
  int mode;        /* CPS_MODE_FREE, or 0 .. n_modes - 1 */
} cps_law_input;

/* What a law says there. */
typedef struct cps_law_output {
  double f;                   /* friction force on the body [N] */
  double z_t[CPS_MAX_STATES]; /* rates of the internal states */
} cps_law_output;

/* First derivatives of one output with respect to everything. */
typedef struct cps_partials {
  double v, n, f_eq;
  double z[CPS_MAX_STATES];
  double p[CPS_MAX_PARAMS];
} cps_partials;

/* First derivatives of all outputs. Entries past the law's n_states and n_params are not written. */
typedef struct cps_law_jacobian {
  cps_partials f;
  cps_partials z_t[CPS_MAX_STATES];
} cps_law_jacobian;

/* Magnitudes that belong to a law at a given normal force: what can be held, what can be reached. */
typedef struct cps_law_scale {
  double f_stick;           /* largest force that it holds at rest, or its static peak [N] */
  double f_peak;            /* upper bound of |f| for these parameters; INFINITY if there is none [N] */
  double v_band;            /* |v| up to which it imitates rest, so that f v > 0 may occur [m/s] */
  double v_scale;           /* velocity over which it varies [m/s] */
  double z[CPS_MAX_STATES]; /* bound of |z_i| in operation */
} cps_law_scale;

/* What a step of implicit Euler makes of a law with one state: the state and its rate at the end, and the force there as a function of
 * velocity and load. */
typedef struct cps_law_step {
  double z, z_t, f;
  double f_v, f_n; /* through the state, too */
} cps_law_step;

typedef struct cps_law cps_law;
struct cps_law {
  const char *name;
  const char *aliases; /* other names, separated by blanks; NULL if none */
  const char *family;
  const char *title;
  const char *equation; /* one line */
  const char *citation;
  const char *note; /* how it differs from its neighbours, and the reason of each exception; NULL if none */
  unsigned traits;  /* CPS_CREEPS | ... */
  int n_params;
  const cps_param *params;
  int n_states;
  const cps_state *states;
  int n_modes;              /* 0 without CPS_MODES */
  const char *const *modes; /* names; NULL if mode k is the set of elements (bits of k) that slip */
  int n_guards;             /* guards per mode */

  /* Gives f and z_t and, unless jac is NULL, the derivatives that are not zero: the caller has zeroed all,
   * made n >= 0 and, for laws with modes, put in a mode. */
  void (*eval)(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
               cps_law_jacobian *jac);
  void (*scale)(const cps_law *law, const double *p, double n, cps_law_scale *scale);
  /* Says what is wrong with parameters that are each in range; NULL if nothing. May itself be NULL. */
  const char *(*check)(const cps_law *law, const double *p);
  /* Laws with modes only. The mode that fits a point; the guards of in->mode, of which none is negative while
   * the mode holds (unused ones are 1); and what happens when guard k turns negative: the new mode, and the
   * new states. Derivative arguments may be NULL, and are zeroed by the caller. */
  int (*mode)(const cps_law *law, const double *p, const cps_law_input *in);
  void (*guards)(const cps_law *law, const double *p, const cps_law_input *in, double *g, cps_partials *g_x);
  int (*transition)(const cps_law *law, const double *p, const cps_law_input *in, int guard, double *z,
                    cps_partials *z_x);
  /* Laws with memory and CPS_SNAPS only, and may be NULL: a slide from in->z on that lasts `time`, at constant velocity, load and
   * balance force, with all guards that fire in it. Gives the states after it in z, its mean force in *f, which is continuous
   * in the velocity where f itself jumps, and returns the mode after it. Derivative arguments as above. */
  int (*slide)(const cps_law *law, const double *p, const cps_law_input *in, double time, double *z,
               double *f, cps_partials *f_x, cps_partials *z_x);
  /* Laws with one state, without modes and without CPS_NEEDS_FEQ only, and may be NULL: z = in->z + time z_t(v, n, z) in closed form.
   * Without it the solution is found by iteration. */
  void (*step)(const cps_law *law, const double *p, const cps_law_input *in, double time, cps_law_step *out);
  const void *data; /* for the functions' own use */
};

/* How many laws are built in, and the i-th of them. */
CPS_API int cps_law_count(void);
CPS_API const cps_law *cps_law_at(int i);

/* The built-in law of that name or alias; NULL if there is none. */
CPS_API const cps_law *cps_law_find(const char *name);

/* The built-in law whose name is nearest to a misspelt one. */
CPS_API const cps_law *cps_law_nearest(const char *name);

/* Fills p[n_params] with the defaults. */
CPS_API void cps_law_defaults(const cps_law *law, double *p);

/* The index of a parameter by name; -1 if the law has none of that name. */
CPS_API int cps_law_param(const cps_law *law, const char *name);

/* Checks that every parameter is finite, in range, and fits the others. */
CPS_API cps_status cps_law_check(const cps_law *law, const double *p, cps_error *err);

/* Checks that a descriptor is complete and consistent: worth calling once on a law of your own. */
CPS_API cps_status cps_law_validate(const cps_law *law, cps_error *err);

/* Evaluates a law: force, state rates and, unless jac is NULL, every first derivative. At a kink the
 * derivatives are those of one side; at a jump those of the piece that applies. No finite input gives NaN or
 * infinity, as long as the parameters pass cps_law_check. */
CPS_API void cps_law_eval(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                          cps_law_jacobian *jac);

/* A step of implicit Euler from in->z on; only for laws with a `step`. */
CPS_API void cps_law_implicit_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                                   cps_law_step *out);

/* Characteristic magnitudes at normal force n. */
CPS_API void cps_law_scales(const cps_law *law, const double *p, double n, cps_law_scale *scale);

/* The mode that fits a point; 0 for laws without modes. */
CPS_API int cps_law_mode(const cps_law *law, const double *p, const cps_law_input *in);

/* Writes the name of a mode, such as "stick", into text[size]. */
CPS_API void cps_law_mode_name(const cps_law *law, int mode, char *text, size_t size);

/* The guards of in->mode, g[n_guards], and unless NULL their derivatives g_x[n_guards]. */
CPS_API void cps_law_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                            cps_partials *g_x);

/* Fires guard k of in->mode: returns the new mode, puts the new states into z[n_states] and, unless NULL,
 * their derivatives with respect to everything before into z_x[n_states]. */
CPS_API int cps_law_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard,
                               double *z, cps_partials *z_x);

/* Fires whatever guards are negative until none is: returns the mode that then holds, and leaves its states
 * in z[n_states]. Meant for solvers that do not locate events. */
CPS_API int cps_law_settle(const cps_law *law, const double *p, const cps_law_input *in, double *z);

/* Laws of your own, for scenarios to name: `friction: {my-law: {mu: 0.3}}`. A scenario that is read with them
 * (cps_scenario_load_with) treats them as if they were built in: parameters with units, defaults and ranges, runs, sensitivities,
 * fits. The descriptors and the list must outlive such scenarios. */
typedef struct cps_laws cps_laws;
CPS_API cps_laws *cps_laws_new(void); /* NULL if out of memory */
CPS_API void cps_laws_free(cps_laws *laws);
/* Adds a law, unless cps_law_validate finds fault with it, or one of its names is taken or can be no key of a scenario. */
CPS_API cps_status cps_laws_add(cps_laws *laws, const cps_law *law, cps_error *err);
/* The law of that name or alias among these (NULL: none) and the built-in ones; NULL if there is none. */
CPS_API const cps_law *cps_laws_find(const cps_laws *laws, const char *name);
/* How many these and the built-in ones are, and the i-th of them: built-in ones come first. */
CPS_API int cps_laws_count(const cps_laws *laws);
CPS_API const cps_law *cps_laws_at(const cps_laws *laws, int i);

/* ------------------------------------------------------------------ normal contact
 *
 * Force of a surface on a body that has entered it by `depth`, at the rate `rate` (both positive inwards).
 * Never pulls. */

typedef struct cps_normal_output {
  double n;                 /* normal force, >= 0 [N] */
  double depth, rate;       /* dn/d(depth), dn/d(rate) */
  double p[CPS_MAX_PARAMS]; /* dn/dp_i */
} cps_normal_output;

typedef struct cps_normal cps_normal;
struct cps_normal {
  const char *name;
  const char *aliases;
  const char *title;
  const char *equation;
  const char *citation;
  const char *note;
  int n_params;
  const cps_param *params;
  /* Gives the force and its derivatives; the caller has zeroed all. No force without depth, and never a negative one. */
  void (*eval)(const cps_normal *law, const double *p, double depth, double rate, cps_normal_output *out);
  /* The integral of the force at rest over the depth [J], for the energy audit; NULL: by quadrature, which is exact to round-off for
   * powers of the depth with whole and half exponents up to 6, and as exact as the force is smooth otherwise. */
  double (*energy)(const cps_normal *law, const double *p, double depth);
  const void *data;
};

CPS_API int cps_normal_count(void);
CPS_API const cps_normal *cps_normal_at(int i);
CPS_API const cps_normal *cps_normal_find(const char *name);
CPS_API void cps_normal_eval(const cps_normal *law, const double *p, double depth, double rate,
                             cps_normal_output *out);
/* Checks that a descriptor is complete, and its law, with default parameters, presses only what has entered and never pulls: worth
 * calling once on a law of your own. */
CPS_API cps_status cps_normal_validate(const cps_normal *law, cps_error *err);
/* The same as cps_laws_add, _find, _count and _at for laws of normal contact: a scenario that is read with the list can name them,
 * `normal: {my-law: {stiffness: 1e6}}`, wherever it can name a built-in one. */
CPS_API cps_status cps_laws_add_normal(cps_laws *laws, const cps_normal *law, cps_error *err);
CPS_API const cps_normal *cps_laws_find_normal(const cps_laws *laws, const char *name);
CPS_API int cps_laws_normals(const cps_laws *laws);
CPS_API const cps_normal *cps_laws_normal_at(const cps_laws *laws, int i);

/* ------------------------------------------------------------------ belt and capstan (Euler-Eytelwein,
 * Johnson)
 *
 * A massless cable on a drum with wrap angle `angle`: tension t_in where it runs on, t_out where it runs off.
 * The stick arc lies where the cable runs on; on the slip arc the tension changes exponentially. */

typedef struct cps_wrap {
  double ratio;     /* larger over smaller tension */
  double limit;     /* the ratio at which all slips, exp(mu angle) */
  double slip_arc;  /* |ln(t_out/t_in)| / mu, at most angle [rad] */
  double stick_arc; /* angle - slip_arc [rad] */
  double margin;    /* mu angle - ln(ratio): positive if it holds */
  double torque;    /* t_out - t_in: torque on the cable over drum radius [N] */
  double slip_arc_t_in, slip_arc_t_out, slip_arc_mu; /* derivatives of the slip arc while part of it sticks */
  int slips;                                         /* 1 if the whole arc slips */
} cps_wrap;

/* Stick and slip arcs; tensions must be positive. CPS_BAD_INPUT otherwise. */
CPS_API cps_status cps_wrap_eval(double t_in, double t_out, double mu, double angle, cps_wrap *wrap);

/* Tension at `theta` from where the cable runs on, 0 <= theta <= angle [N]. */
CPS_API double cps_wrap_tension(double t_in, double t_out, double mu, double angle, double theta);

/* Power lost by elastic creep, (t_out - t_in)^2 q / (2 EA), for a flow q of unstretched cable [W]. */
CPS_API double cps_wrap_power(double t_in, double t_out, double ea, double flow);

/* ------------------------------------------------------------------ helpers */

/* Fifth-order step from (x0, y0) to (x1, y1) with zero slope and curvature at both ends, as in multibody
 * codes. Slope, unless NULL, receives dy/dx. */
CPS_API double cps_step5(double x, double x0, double y0, double x1, double y1, double *slope);

/* Third-order step, STEP of multibody codes. */
CPS_API double cps_step3(double x, double x0, double y0, double x1, double y1, double *slope);

/* Estimates of Simpack's stick-slip parameters, Schuderer et al. (2024):
 * (11) c_f = mu_s n / x_s; (12) d_f = 2 D sqrt(c_f n/g); (13) rise time of the stick force for stiffness c_f;
 * (14) c_f for a wanted rise time. `n` is a reference normal force, `damping` the ratio D in (0, 1). */
CPS_API double cps_simpack_stiffness(double mu_s, double n, double x_s);
CPS_API double cps_simpack_damping(double damping, double c_f, double n, double g);
CPS_API double cps_simpack_rise_time(double damping, double c_f, double n, double g);
CPS_API double cps_simpack_stiffness_for_rise(double damping, double rise_time, double n, double g);

/* ------------------------------------------------------------------ scenarios
 *
 * scenario file -> scenario -> system -> simulation -> result. Each stage reads only the one before it.
 *
 *   cps_problems *problems = NULL;
 *   cps_scenario *scenario = cps_scenario_load("block.yaml", NULL, 0, &problems);
 *   cps_system *system = cps_system_new(scenario, &err);
 *   cps_simulation *sim = cps_simulation_new(system, &err);
 *   cps_simulation_run(sim, NULL, NULL, &err);
 *   const cps_result *result = cps_simulation_result(sim);
 */

/* All that is wrong with a file, in file order. */
typedef struct cps_problems cps_problems;
CPS_API int cps_problems_count(const cps_problems *problems);
CPS_API const cps_error *cps_problems_at(const cps_problems *problems, int i);
CPS_API void cps_problems_free(cps_problems *problems);

/* Writes a problem as people read it, into text[size]: file:line:column: key: sentence, source line, caret.
 * Returns the length that was needed, as snprintf does. */
CPS_API int cps_problem_text(const cps_error *problem, char *text, size_t size);

typedef struct cps_scenario cps_scenario;

/* Reads a scenario file, or `length` bytes of text under the name `file` (relative paths in it start at that
 * file's folder), with n settings "path=value" on top. Returns NULL if anything is wrong; *problems (unless
 * NULL) then lists all of it, and is the caller's to free. */
CPS_API cps_scenario *cps_scenario_load(const char *path, const char *const *settings, int n,
                                        cps_problems **problems);
CPS_API cps_scenario *cps_scenario_parse(const char *text, size_t length, const char *file,
                                         const char *const *settings, int n, cps_problems **problems);
/* The same with more to say about how; zeroed means as above. */
typedef struct cps_load_options {
  const char *const *settings; /* [n_settings] "path=value", on top */
  int n_settings;
  const cps_laws *laws; /* that the scenario may name besides the built-in ones; NULL: none */
  const char *folder;   /* where relative paths in the source start; NULL: the folder of the file */
} cps_load_options;
CPS_API cps_scenario *cps_scenario_load_with(const char *path, const cps_load_options *options,
                                             cps_problems **problems);
CPS_API cps_scenario *cps_scenario_parse_with(const char *text, size_t length, const char *file,
                                              const cps_load_options *options, cps_problems **problems);
CPS_API void cps_scenario_free(cps_scenario *scenario);
CPS_API const char *cps_scenario_title(const cps_scenario *scenario);

/* What a computation is at, for those who wait for it. */
typedef struct cps_wait {
  const char *doing; /* "the drawing of a cable", "the search for the equilibrium", "a time step" */
  double time;       /* simulated time at which that began [s] */
  long iterations;   /* of Newton's method, counted from the start of the simulation; 0: it has none */
} cps_wait;

/* Has `wait` called from within all that may take long and is made of this scenario afterwards: in each iteration of
 * Newton's method, of steps as well as of the search for an equilibrium, where a progress report would come only after the
 * whole step. It is called by the thread that computes; several may do so at a time. If it returns nonzero, what is under way
 * is given up with CPS_FAILED, as soon as possible; the state is that of the last whole step. NULL: nobody waits. */
CPS_API void cps_scenario_on_wait(cps_scenario *scenario, int (*wait)(const cps_wait *now, void *data),
                                  void *data);
CPS_API const char *cps_scenario_hash(const cps_scenario *scenario);
CPS_API const char *cps_scenario_file(const cps_scenario *scenario); /* its name, as it was given */
/* The source, with a zero after its *length (unless NULL) bytes. */
CPS_API const char *cps_scenario_text(const cps_scenario *scenario, size_t *length);

/* The format of scenario files, generated from the tables that the reader uses: a JSON Schema, and the
 * reference in Markdown. Returns text to be freed with cps_free(), NULL if out of memory. */
CPS_API char *cps_scenario_schema(void);
CPS_API char *cps_scenario_reference(void);

/* Reads "9.2 MN", "10 mm" or "0.25" as a quantity of the given unit, in SI. CPS_BAD_INPUT with a reason if it
 * is not one. */
CPS_API cps_status cps_quantity_parse(const char *text, const char *unit, double *value, cps_error *err);
/* What a unit such as "kN s/m" is in SI: a factor, and the powers of m, kg, s, A, K, mol, cd, rad. CPS_BAD_INPUT if it is no unit, or more
 * than a factor. */
CPS_API cps_status cps_unit_parts(const char *unit, double *factor, int powers[8], cps_error *err);

/* ------------------------------------------------------------------ scenarios without a file
 *
 * A builder is filled by calls, with the keys, units, defaults and checks of scenario files (docs/scenario.md), and becomes a
 * scenario. A path is keys with dots between them; what lies on it is made where it is missing, and what was there before is
 * replaced. Whether a value is right is said when the scenario is made; problems have the path of the key, and line and
 * column in the model written as YAML.
 *
 *   cps_builder *m = cps_builder_new("block");
 *   cps_builder_set(m, "bodies.block.mass", 1, &err);                            // SI
 *   cps_builder_set_text(m, "springs.k.stiffness", "40 N/m", &err);
 *   cps_builder_set_yaml(m, "springs.k.between", "[block, ground]", &err);
 *   cps_builder_set(m, "run.until", 2, &err);
 *   cps_scenario *scenario = cps_builder_scenario(m, NULL, &problems);
 */
typedef struct cps_builder cps_builder;
CPS_API cps_builder *cps_builder_new(const char *name); /* that problems have for a file; NULL: "model" */
CPS_API void cps_builder_free(cps_builder *builder);
/* A number in SI; n of them as a list; a text, such as a quantity with its unit or a name; a value as one line of YAML.
 * CPS_BAD_INPUT if the path cannot be one. */
CPS_API cps_status cps_builder_set(cps_builder *builder, const char *path, double value, cps_error *err);
CPS_API cps_status cps_builder_set_numbers(cps_builder *builder, const char *path, const double *values,
                                           int n, cps_error *err);
CPS_API cps_status cps_builder_set_text(cps_builder *builder, const char *path, const char *text,
                                        cps_error *err);
CPS_API cps_status cps_builder_set_yaml(cps_builder *builder, const char *path, const char *yaml,
                                        cps_error *err);
/* The scenario of a model, which may change or go afterwards; NULL if anything is wrong, as cps_scenario_load. `laws`: as in
 * cps_load_options. */
CPS_API cps_scenario *cps_builder_scenario(const cps_builder *builder, const cps_laws *laws,
                                           cps_problems **problems);
/* The model as a scenario file: text to be freed with cps_free, NULL if out of memory. */
CPS_API char *cps_builder_yaml(const cps_builder *builder);

/* ------------------------------------------------------------------ what a scenario holds
 *
 * For those who list, draw or compare what was read: SI, names resolved to indices, texts borrowed from the scenario. Bodies and
 * surfaces are one list, bodies first; the index -1 is the ground, or nothing. Doers return CPS_BAD_INPUT if there is no such thing. */

enum { CPS_NAME_ROOM = 64 }; /* a name has fewer bytes */

typedef struct cps_contents {
  int bodies, surfaces, springs, contacts, loads, drums, cables; /* how many */
  int dim;                                                       /* 2: in the plane, 3: in space */
  double gravity[3];                                             /* [m/s2] */
  const char *solver;
  double from, until;              /* [s] */
  double step;                     /* fixed, or largest [s]; 0: the solver chooses */
  double output;                   /* interval of rows [s]; 0: every step */
  double tolerance, tolerance_abs; /* of adaptive solvers: relative, absolute */
  const char *const *settings;     /* [n_settings] "path=value", on top of the source */
  int n_settings;
} cps_contents;
CPS_API void cps_scenario_contents(const cps_scenario *scenario, cps_contents *contents);

typedef struct cps_body {
  const char *name;
  const char *kind; /* "line": one freedom; "plane": moves freely; "surface": moves as prescribed */
  double mass;      /* [kg] */
  double origin[3], direction[3]; /* place = origin + x direction [m]; not of "plane" */
  double x[3];                    /* at the start [m]; a line has x[0] alone */
} cps_body;
CPS_API cps_status cps_scenario_body_at(const cps_scenario *scenario, int i, cps_body *body);

typedef struct cps_spring {
  const char *name;
  double length; /* without force [m] */
  int tension_only, along_line;
  int body[2];         /* at its ends */
  double offset[2][3]; /* from the body's reference point; of the ground the point itself [m] */
} cps_spring;
CPS_API cps_status cps_scenario_spring_at(const cps_scenario *scenario, int i, cps_spring *spring);

typedef struct cps_contact {
  const char *name;
  const cps_law *law;
  int body[2];
} cps_contact;
CPS_API cps_status cps_scenario_contact_at(const cps_scenario *scenario, int i, cps_contact *contact);

typedef struct cps_load {
  const char *name;
  int body;
  double direction[3];
} cps_load;
CPS_API cps_status cps_scenario_load_at(const cps_scenario *scenario, int i, cps_load *load);
CPS_API double cps_scenario_force(const cps_scenario *scenario, int load,
                                  double t); /* at a time [N]; NaN: none */

typedef struct cps_drum {
  const char *name;
  double radius;             /* of the cable's centre line on it [m] */
  double center[3], axis[3]; /* [m]; a unit vector */
  int carrier;               /* the body that its centre is on */
  int moves[3];              /* whether the centre moves along x, y, z as prescribed: */
} cps_drum;
CPS_API cps_status cps_scenario_drum_at(const cps_scenario *scenario, int i, cps_drum *drum);
CPS_API double cps_scenario_shift(const cps_scenario *scenario, int drum, int component,
                                  double t); /* by [m]; NaN: it does not */

typedef struct cps_cable {
  const char *name;
  const cps_law *law;     /* of its friction on drums; NULL: none */
  double diameter;        /* [m]; 0: not given */
  double mass_per_length; /* [kg/m] */
  int closed;             /* a belt: it has no ends */
  struct {
    const char *kind; /* "free", "pinned", "clamped", "body", "rim" */
    int body, drum;   /* that it is on */
  } end[2];
} cps_cable;
CPS_API cps_status cps_scenario_cable_at(const cps_scenario *scenario, int i, cps_cable *cable);
/* The drum that is the k-th on the path of a cable; -1 past the last. */
CPS_API int cps_scenario_wrap(const cps_scenario *scenario, int cable, int k);

/* Every text of a scenario that is no number, by its path: laws, kinds, names, items of paths. What cps_scenario_quantities leaves out.
 * *list is the caller's, to be released with cps_free; texts in it are borrowed from the scenario. */
typedef struct cps_word {
  char path[128];
  const char *text;
} cps_word;
CPS_API cps_status cps_scenario_words(const cps_scenario *scenario, cps_word **list, int *n, cps_error *err);

/* ------------------------------------------------------------------ systems and simulations */

/* The equations of a scenario: constant, may be shared between threads. The scenario must outlive it. */
typedef struct cps_system cps_system;
CPS_API cps_system *cps_system_new(const cps_scenario *scenario, cps_error *err);
CPS_API void cps_system_free(cps_system *system);
/* What is doubtful in a system that can be made, the i-th sentence for people: parts that are so fast or so stiff that numbers or
 * steps cannot resolve them. NULL past the last. Runs have these among their warnings. */
CPS_API const char *cps_system_warning(const cps_system *system, int i);
/* Everything that would keep cps_system_new from making a system, or a simulation from running it: cables that cannot lie
 * as their paths say, what the solver cannot do, ... CPS_OK if there is nothing; otherwise *problems (unless NULL) lists it,
 * as cps_scenario_load does. */
CPS_API cps_status cps_system_check(const cps_scenario *scenario, cps_problems **problems);

/* A run: state, workspace and result. The system must outlive it. Cables are drawn along their paths; cps_simulation_start
 * lets them come to rest. Several simulations of one system may be used at the same time, each by one thread. */
typedef struct cps_simulation cps_simulation;
CPS_API cps_simulation *cps_simulation_new(const cps_system *system, cps_error *err);
CPS_API void cps_simulation_free(cps_simulation *sim);

/* Starts: finds the equilibrium of cables that start from rest (statics), with the inputs as they are. Done by
 * cps_simulation_run and cps_simulation_step if the caller has not. CPS_FAILED if there is no equilibrium: the error says
 * what runs away. A second call does nothing. */
CPS_API cps_status cps_simulation_start(cps_simulation *sim, cps_error *err);

/* How a run is getting on. */
typedef struct cps_progress {
  double from, until, time, step; /* simulated times and the current step [s] */
  long steps;
  int sticking, slipping; /* contacts */
} cps_progress;

/* Runs to the end. `progress` (unless NULL) is called now and then; if it returns nonzero the run stops there
 * with CPS_FAILED. On failure the result holds everything up to that time. */
CPS_API cps_status cps_simulation_run(cps_simulation *sim, int (*progress)(const cps_progress *, void *),
                                      void *data, cps_error *err);

/* Calls `progress` during cps_simulation_step, too, until it is told otherwise (NULL): nonzero stops the step with
 * CPS_FAILED where it has come to. */
CPS_API void cps_simulation_on_progress(cps_simulation *sim, int (*progress)(const cps_progress *, void *),
                                        void *data);

/* Reports progress every so many seconds of real time, instead of every so many steps; 0: steps. */
CPS_API void cps_simulation_progress_every(cps_simulation *sim, double seconds);

/* Rows of more than 64 MB are kept in a file of that folder, without a name, which is gone with the simulation: memory stays as it
 * is, however long the run. Columns are read as before. The folder is borrowed, until the simulation ends. */
CPS_API void cps_simulation_rows_in(cps_simulation *sim, const char *folder);

/* Checkpoints: the state of a run as bytes, from which it goes on to the very same bits, also in another process
 * with the same build. A run has instants at which it can be saved, every so many steps, without any effect on what
 * follows; `call` is called there, with `data`, and if it returns nonzero the run stops. cps_simulation_save works there and
 * at any other time between steps; *bytes is the caller's to free (cps_free). Where a method holds a history of its own (bdf),
 * or pivots of a matrix (alpha with bodies), saving makes it forget them, in the simulation that is saved as in
 * the one that is restored: both go on to the same bits, which are not quite those without saving.
 *
 * cps_simulation_restore puts the state into a simulation of the same scenario, new or used; cps_simulation_run
 * or cps_simulation_step then goes on from there. *recorded (unless NULL) is how much the result held: rows and events
 * are not part of the bytes, and the result of the restored simulation starts with what comes after. */
typedef struct cps_extent {
  long rows, events, frames;
} cps_extent;
CPS_API void cps_simulation_on_checkpoint(cps_simulation *sim, int (*call)(cps_simulation *, void *),
                                          void *data);
CPS_API cps_status cps_simulation_save(cps_simulation *sim, void **bytes, size_t *size, cps_error *err);
CPS_API cps_status cps_simulation_restore(cps_simulation *sim, const void *bytes, size_t size,
                                          cps_extent *recorded, cps_error *err);

/* The same without a copy that outlives the process: a block of memory of a known size, for simulations of the same system.
 * Nothing is allocated once cps_simulation_state_size has been called. */
CPS_API size_t cps_simulation_state_size(cps_simulation *sim, cps_error *err); /* 0 if it cannot start */
CPS_API cps_status cps_simulation_state_get(cps_simulation *sim, void *block, cps_error *err);
CPS_API cps_status cps_simulation_state_set(cps_simulation *sim, const void *block, cps_error *err);
/* The same of a block that may come from anywhere: what it holds is checked as cps_simulation_restore does, and if it is
 * refused the simulation is what it was. */
CPS_API cps_status cps_simulation_state_take(cps_simulation *sim, const void *block, size_t size,
                                             cps_error *err);
/* What is where in such a block: items one after the other, each at a multiple of eight bytes. Returns how many there are, of
 * which the first `room` are put into items; -1 if the simulation cannot start. */
typedef enum cps_role {
  CPS_ROLE_PLACE,        /* places and angles [m, rad] */
  CPS_ROLE_VELOCITY,     /* and their rates */
  CPS_ROLE_ACCELERATION, /* accelerations, and what generalised-alpha carries along in their place */
  CPS_ROLE_FORCE,        /* friction forces, torques, reactions */
  CPS_ROLE_MEMORY,       /* states of friction laws, their rates and modes */
  CPS_ROLE_WORK,         /* energy that has gone in and out */
  CPS_ROLE_INPUT,        /* inputs */
  CPS_ROLE_METHOD        /* time, lengths of steps, counters, first guesses of iterations */
} cps_role;
typedef struct cps_state_item {
  const char *name; /* such as "bodies.x"; cables and drums have items of the same name, in order */
  cps_role role;
  size_t offset, size; /* [bytes] */
} cps_state_item;
CPS_API int cps_simulation_state_items(cps_simulation *sim, cps_state_item *items, int room, cps_error *err);
/* Makes `to` a copy of `from`, result excepted; both are of the same system. */
CPS_API cps_status cps_simulation_copy(cps_simulation *to, cps_simulation *from, cps_error *err);
/* 1 if the states of two simulations of one system agree to the bit, else 0, with the name of the first part that differs. */
CPS_API int cps_simulation_same(cps_simulation *a, cps_simulation *b, char *name, size_t size);
/* Changes n quantities of the scenario between two steps, values in SI, for this simulation alone: it goes on from the state that it
 * has, inputs included; all other quantities are those of its scenario. Meant for what may change in the middle of a run: forces,
 * friction, stiffness, damping, gains of drives (cps_path_tunable). The energy that jumps with it counts as if it had been there from
 * the start. Before the simulation has started, any quantity may change. CPS_BAD_INPUT, with the simulation as it was, if a value is
 * not allowed, or the state does not fit. */
CPS_API cps_status cps_simulation_retune(cps_simulation *sim, const char *const *paths, const double *values,
                                         int n, cps_error *err);
/* Whether the quantity at a path may change in the middle of a run. Others are used when the simulation starts, or shape its state:
 * places, lengths, masses, meshes. */
CPS_API int cps_path_tunable(const char *path);
/* Back to where it started, with an empty result and inputs at their start values. */
CPS_API cps_status cps_simulation_reset(cps_simulation *sim, cps_error *err);
/* The same with n quantities of the scenario changed, values in SI, for this simulation alone: its system and those that
 * share it stay as they are. The file is not read again. Equilibrium is found anew. */
CPS_API cps_status cps_simulation_reset_with(cps_simulation *sim, const char *const *paths,
                                             const double *values, int n, cps_error *err);

/* What happened at a contact. */
typedef struct cps_event {
  double time;
  int contact;              /* -1: a cable on its pulley */
  int from, to;             /* modes */
  const char *contact_name; /* or the cable's name */
  char what[48];            /* such as "stick -> slip forward" */
} cps_event;

/* Counters of a run. */
typedef struct cps_counters {
  long steps, rejected, evaluations, newton, factorisations, events;
  long unsolved; /* of those rejected: Newton's method did not converge */
} cps_counters;

/* Energy at a time, and what has gone in and out since the start [J]. The closing error is
 * kinetic + elastic + gravity - their initial sum - work + dissipated - created. */
typedef struct cps_energy {
  double kinetic, elastic, gravity;
  double initial;                /* kinetic + elastic + gravity at the start */
  double load_work, motion_work; /* done on the system by loads and by prescribed motions */
  double friction, damping;      /* dissipated by contacts and by dampers */
  double solver;                 /* dissipated by the integrator itself, where it is known */
  double created;                /* made from nothing by a model that is not consistent: cables as springs */
  double error;                  /* what is left */
  double scale;                  /* largest energy seen, to judge the error by */
  double
      open; /* largest of error - solver during the run: by its part of `scale` a run is judged (run.audit) */
} cps_energy;

/* A result: columns over time, events, energy. Borrowed from the simulation. */
typedef struct cps_result cps_result;
CPS_API const cps_result *cps_simulation_result(const cps_simulation *sim);
CPS_API long cps_result_rows(const cps_result *result);
CPS_API int cps_result_columns(const cps_result *result);
CPS_API const char *cps_result_name(const cps_result *result, int column); /* such as "bodies.block.x" */
CPS_API const char *cps_result_unit(const cps_result *result, int column);
/* The values of a column, [rows]; column 0 is time. */
CPS_API const double *cps_result_data(const cps_result *result, int column);
CPS_API int cps_result_find(const cps_result *result, const char *name); /* -1 if there is none */
CPS_API long cps_result_events(const cps_result *result);
CPS_API const cps_event *cps_result_event(const cps_result *result, long i);
CPS_API void cps_result_energy(const cps_result *result, cps_energy *energy);
CPS_API void cps_result_counters(const cps_result *result, cps_counters *counters);
/* Takes rows that are in a file (cps_simulation_rows_in) out of memory: they come back when they are looked at. For those who have read many. */
CPS_API void cps_rows_release(const cps_result *result);
/* Sentences about what makes a result of a run doubtful; NULL past the last. A result that was loaded has them in its summary. */
CPS_API const char *cps_result_warning(const cps_result *result, int i);

/* ------------------------------------------------------------------ stepping from outside
 *
 * A program, a controller or another simulator advances the simulation piece by piece, and sets inputs between the pieces:
 *
 *   cps_simulation_keep(sim, 0, &err);                     // no rows
 *   int force = cps_simulation_input(sim, "push"), x = cps_simulation_column(sim, "bodies.cart.x");
 *   for (int k = 1; k <= 10000; k++) {
 *     cps_simulation_set(sim, force, control(cps_simulation_get(sim, x)), CPS_HOLD, &err);
 *     cps_simulation_step(sim, k * 0.001, 0, NULL, &err);
 *   }
 *
 * Inputs are quantities of the file that may be profiles: {input: NAME} in the file, or cps_scenario_with_inputs. Their values
 * belong to the simulation. A run that is cut into pieces makes the same steps, to the bit, if the method has a
 * fixed step that divides the pieces; others make steps that end there, and agree within their tolerance. */

typedef struct cps_input {
  const char *name;
  const char *unit; /* SI; "1" for none */
  const char *path; /* of the quantity that it is first used for, such as "drums.winch.drive.torque" */
  double start;     /* the value until it is set */
} cps_input;

typedef enum cps_hold_kind {
  CPS_HOLD, /* has the value from now on: a jump, after which accelerations are balanced anew */
  CPS_RAMP /* goes straight from what it is to the value during the next cps_simulation_step, and stays there */
} cps_hold_kind;

/* The same scenario with n more inputs: the quantities at these paths, such as "loads.push.force" or
 * "drums.winch.drive.torque", which have to be constant there; inputs start with that. They are named by their paths with "_" for
 * ".". NULL if a path names none that may be a profile. */
CPS_API cps_scenario *cps_scenario_with_inputs(const cps_scenario *scenario, const char *const *paths, int n,
                                               cps_error *err);

CPS_API int cps_simulation_inputs(const cps_simulation *sim);
CPS_API int cps_simulation_input(const cps_simulation *sim,
                                 const char *name); /* its index, -1 if there is none */
/* What input i is. CPS_BAD_INPUT if there is no such one. */
CPS_API cps_status cps_simulation_input_at(const cps_simulation *sim, int i, cps_input *input);
/* Sets input i, and says what it is now. A value has to be finite. */
CPS_API cps_status cps_simulation_set(cps_simulation *sim, int i, double value, cps_hold_kind kind,
                                      cps_error *err);
CPS_API double cps_simulation_input_value(const cps_simulation *sim, int i);

/* Columns are those of the result (cps_result_name, cps_result_unit): the index of one, -1 if there is none; and what it is
 * now, NaN if there is none. Nothing is recorded by it. */
CPS_API int cps_simulation_column(const cps_simulation *sim, const char *name);
CPS_API double cps_simulation_get(cps_simulation *sim, int column);
/* All of them, [cps_result_columns]: valid until the simulation changes. */
CPS_API const double *cps_simulation_values(cps_simulation *sim);
CPS_API double cps_simulation_time(const cps_simulation *sim);

/* What the result keeps: all rows, frames and events (a negative number, the default), none (0), or at least the last n and at
 * most twice as many. With 0, events are those of the last cps_simulation_step. Unless it keeps all, stepping
 * allocates nothing. What was recorded before is dropped. */
CPS_API cps_status cps_simulation_keep(cps_simulation *sim, long rows, cps_error *err);

enum { CPS_STEP_TO_EVENT = 1 }; /* flag: return at the first transition between modes of contacts */

typedef struct cps_outcome {
  double time;              /* where it has come to */
  int reached;              /* 1: `until`; 0: an event before it */
  long first_event, events; /* on the way: cps_result_event(result, first_event) and so on */
  long steps;               /* of the integrator */
} cps_outcome;

/* Advances to `until`, also past the end of the run that the file speaks of, in as many steps as the method needs. Times that
 * differ by less than 1e-9 of a step are the same: a fixed step that ends that near is the one that is made. Nothing
 * is done if it is there already. CPS_BAD_INPUT if `until` lies before or is not finite; CPS_FAILED if the integration
 * fails, with the simulation at the last time that was reached. `outcome` may be NULL. */
CPS_API cps_status cps_simulation_step(cps_simulation *sim, double until, int flags, cps_outcome *outcome,
                                       cps_error *err);

/* ------------------------------------------------------------------ derivatives of stretches
 *
 * The derivative of what one cps_simulation_step does: of state and columns at its end, by the state at its beginning, by
 * inputs and by parameters; as a product with a direction (jvp) or with weights of the end (vjp), exact for the steps that were
 * made, across stick and slip. Lengths of steps count as given.
 *
 *   cps_stretch *stretch = cps_stretch_new(sim, NULL, 0, &err);
 *   cps_simulation_set(sim, force, u, CPS_HOLD, &err);
 *   cps_stretch_step(stretch, t + 0.01, NULL, &err);
 *   cps_stretch_vjp(stretch, NULL, weights, NULL, by_input, NULL, &err);   // d(weights . columns)/d(inputs)
 */

typedef struct cps_stretch cps_stretch;
/* Of a simulation, which must outlive it, by n quantities of its scenario besides state and inputs. CPS_BAD_INPUT if its solver
 * has no exact derivatives, or a path is not that of a parameter. */
CPS_API cps_stretch *cps_stretch_new(cps_simulation *sim, const char *const *parameters, int n,
                                     cps_error *err);
CPS_API void cps_stretch_free(cps_stretch *stretch);
/* As cps_simulation_step of the simulation; the derivatives are those of the last one. The state at its beginning is
 * kept. */
CPS_API cps_status cps_stretch_step(cps_stretch *stretch, double until, cps_outcome *outcome, cps_error *err);
/* The numbers of the state that derivatives are by and of: how many, and what the i-th is: its item, and where it is in a block
 * (cps_simulation_state_get) as a double. Numbers of a block that are not among them follow from these, or have no effect. */
CPS_API int cps_stretch_numbers(const cps_stretch *stretch);
CPS_API cps_status cps_stretch_number(const cps_stretch *stretch, int i, cps_state_item *item);
/* A change of the state [numbers], of inputs [inputs] (of the value that was set last; of a ramp, that at its end) and of
 * parameters [n] gives a change of the state [numbers] and of columns [cps_result_columns] at the end. NULL: no change, or not
 * wanted. */
CPS_API cps_status cps_stretch_jvp(cps_stretch *stretch, const double *state, const double *inputs,
                                   const double *parameters, double *state_end, double *columns_end,
                                   cps_error *err);
/* The same transposed: weights of the state and of columns at the end give those of the state at the beginning, of inputs and of
 * parameters. */
CPS_API cps_status cps_stretch_vjp(cps_stretch *stretch, const double *state_end, const double *columns_end,
                                   double *state, double *inputs, double *parameters, cps_error *err);
/* What may make a derivative wrong, as cps_sens_warning; NULL past the last. */
CPS_API const char *cps_stretch_warning(const cps_stretch *stretch, int i);

/* ------------------------------------------------------------------ rates from outside
 *
 * Bodies under the solver `events` are an ordinary differential equation between two transitions, which a program may integrate by
 * its own method: model exchange. The guards of all contacts are positive while their modes hold. Where one is no longer, and at
 * the time that cps_exchange_event names, the caller stops and asks for the event:
 *
 *   cps_exchange_size(sim, &n, &n_guards, &err);
 *   cps_exchange_event(sim, &what, &err);                 // at the start
 *   for (;;) {
 *     cps_exchange_get(sim, y);
 *     ... integrates: cps_exchange_put(sim, t, y), then cps_exchange_rates and cps_exchange_guards ...
 *     cps_exchange_put(sim, t, y);                        // at a guard's zero, or at what.next
 *     cps_exchange_event(sim, &what, &err);
 *   }
 *
 * Columns (cps_simulation_get) and states (cps_simulation_state_get) are those of the present; cps_simulation_step is not for
 * such a simulation. */

typedef struct cps_exchange_state {
  char name[320]; /* that its column has */
  const char *unit;
  int column;     /* of the result; -1 if the file does not record it */
  int rate_of;    /* the state that it is the rate of: of a velocity the place; -1 if there is none */
  double nominal; /* a typical size */
} cps_exchange_state;

typedef struct cps_exchange_outcome {
  int changed; /* states or their rates have jumped: a contact comes to rest exactly, a body is released, a force is
                * switched on. What integrates them has to begin anew */
  long events; /* transitions that have happened */
  double next; /* when something prescribed next jumps; INFINITY: never */
} cps_exchange_outcome;

/* How many states and guards there are. CPS_BAD_INPUT, with a sentence, if the simulation cannot be integrated from outside:
 * cables, other solvers, and inputs that are motions. */
CPS_API cps_status cps_exchange_size(cps_simulation *sim, int *states, int *guards, cps_error *err);
CPS_API cps_status cps_exchange_state_at(cps_simulation *sim, int i, cps_exchange_state *state);
CPS_API cps_status cps_exchange_get(cps_simulation *sim, double *y, cps_error *err);
/* Puts time and, unless y is NULL, states; both have to be finite. */
CPS_API cps_status cps_exchange_put(cps_simulation *sim, double t, const double *y, cps_error *err);
CPS_API cps_status cps_exchange_rates(cps_simulation *sim, double *y_t, cps_error *err);
CPS_API cps_status cps_exchange_guards(cps_simulation *sim, double *guards, cps_error *err);
/* Fires the guards that are not positive, and passes the jump of something prescribed if it is time. */
CPS_API cps_status cps_exchange_event(cps_simulation *sim, cps_exchange_outcome *outcome, cps_error *err);

/* ------------------------------------------------------------------ batches
 *
 * Many simulations of one system, advanced together by several threads. Each has inputs, state and, after
 * cps_simulation_reset_with, parameters of its own. Results do not depend on the number of threads. */

typedef struct cps_batch cps_batch;
/* n simulations that keep no rows, and threads to step them (0: as many as the machine has processors). `columns` are what is
 * read out after each step, by name. */
CPS_API cps_batch *cps_batch_new(const cps_system *system, int n, int threads, const char *const *columns,
                                 int n_columns, cps_error *err);
CPS_API void cps_batch_free(cps_batch *batch);
/* The i-th simulation, for all that is not done together; not while cps_batch_step runs. Borrowed. */
CPS_API cps_simulation *cps_batch_at(cps_batch *batch, int i);
/* Sets inputs [n][inputs] (NULL: they stay), advances all by `duration` [s], each from where it is, and reads columns out
 * into outputs [n][n_columns] (NULL: not). status [n], unless NULL, gets how each fared; one that fails is NaN in outputs,
 * and does not hinder others. Returns CPS_OK, or the status of the first that failed, with its error. */
CPS_API cps_status cps_batch_step(cps_batch *batch, double duration, const double *inputs, cps_hold_kind kind,
                                  double *outputs, cps_status *status, cps_error *err);

/* ------------------------------------------------------------------ statics of cables */

/* Brings the cables of a simulation to rest where it stands, with inputs as they are and friction holding what it can hold,
 * and adds a row and a frame to its result; also between steps, for a new equilibrium after inputs have changed: places of the ends, tensions, wrap angles, and for each cable on each drum tensions,
 * arcs of stick and slip, and the part of the friction that is not used (margin). What is driven by a torque or a
 * controller is braked meanwhile. CPS_FAILED if there is no equilibrium: the error says what runs away, and where
 * to. Scenarios that start from equilibrium (the default) have it from cps_simulation_start. */
CPS_API cps_status cps_statics(cps_simulation *sim, cps_error *err);

/* A load that hangs on a cable: the mass of a body, or a force, and the range in which friction would hold it while
 * all other loads stay as they are. */
typedef struct cps_hold {
  char name[128];     /* its path, such as "bodies.right.mass" or "cables.rope.end.force" */
  const char *unit;   /* "kg" or "N" */
  double value;       /* as the scenario has it */
  double least, most; /* what is held, to four digits; 0 or INFINITY: no limit */
  int least_unknown; /* 1: just below, the search found neither an equilibrium nor something that runs: more may hold */
  int most_unknown; /* the same just above */
  double formula_least,
      formula_most; /* the same by the capstan formula, corrected for the weight of the cable
                                         beside the drum and for bending; NaN unless one drum that does not turn
                                         freely lies between two loaded ends of the only cable */
} cps_hold;

/* How many loads of a system can be varied (-1: out of memory), and the range of the i-th. Fails if nothing holds whatever the load; an
 * equilibrium with the value as it is is not needed. */
CPS_API int cps_hold_count(const cps_system *system);
CPS_API cps_status cps_hold_range(const cps_system *system, int i, cps_hold *hold, cps_error *err);

/* ------------------------------------------------------------------ fields */

/* Fields: what is recorded along the cables, frame by frame, at times of its own. A field has `points` places
 * with `components` values each; a constant one has a single frame.
 *   cables.NAME.s            material coordinate of the nodes, constant [m]
 *   cables.NAME.position     of the nodes [m]
 *   cables.NAME.tension      at the nodes [N]
 *   cables.NAME.contact.s    material coordinate of the contact points, constant [m]
 *   cables.NAME.contact.normal, .friction  force at the contact points [N]
 *   cables.NAME.contact.slip    sliding velocity [m/s]
 *   cables.NAME.contact.state   0 not touching, 1 sticks, 2 slips
 *   cables.NAME.contact.drum    index of the drum that is touched, -1 if none */
typedef struct cps_field {
  char name[128];
  const char *unit;
  int points, components;
  int constant;
} cps_field;
CPS_API int cps_result_fields(const cps_result *result);
CPS_API const cps_field *cps_result_field(const cps_result *result, int i);
CPS_API long cps_result_frames(const cps_result *result);
/* The time of each frame [frames]. */
CPS_API const double *cps_result_frame_times(const cps_result *result);
/* [frames][points][components], or [points][components] of a constant field. */
CPS_API const double *cps_result_field_data(const cps_result *result, int i);
/* What field i is now, [points][components] values; nothing is recorded by it. CPS_BAD_INPUT if there is no such field. */
CPS_API cps_status cps_simulation_field(cps_simulation *sim, int i, double *values, cps_error *err);

/* What columns and fields mean. The name of a column is KIND.THING.WHAT, of a cable on a drum cables.THING.DRUM.WHAT, and of
 * energies KIND.WHAT. */
typedef struct cps_column_meaning {
  const char *kind, *what, *unit;
  const char *text; /* for people; %s stands for the thing */
  const char *sign; /* what is positive, and how it is defined; "" if there is nothing to say */
  int on_drum;      /* of a cable on a drum */
  int field;        /* recorded along a cable, frame by frame */
} cps_column_meaning;

/* All of them; NULL past the last. And that of a column or field by its name, NULL if there is none: thing[size] gets the name of
 * what it belongs to. */
CPS_API const cps_column_meaning *cps_column_meaning_at(int i);
CPS_API const cps_column_meaning *cps_column_meaning_find(const char *name, char *thing, size_t size);

/* Result files, HDF5: docs/results.md says what is in them. cps_simulation_write writes the result of a run as one
 * file, under another name until it is complete. cps_result_load reads one, or the one in a folder, also while its
 * run goes on, or after it was killed; it is the caller's to free, which must not be done to the result of a
 * simulation. cps_result_text gives what else is in it, by name, NULL if it is not there: status ("running", "complete",
 * "failed", "stopped"), summary (JSON), scenario (the source), file, hash, settings (a line each), title, version, solver. */
CPS_API cps_status cps_simulation_write(const cps_simulation *sim, const char *path, cps_error *err);
/* Bytes before the HDF5 file proper, with the SHA-256 of what follows. */
enum { CPS_RESULT_SEAL = 512 };
CPS_API cps_result *cps_result_load(const char *path, cps_error *err);
CPS_API void cps_result_free(cps_result *result);
CPS_API const char *cps_result_text(const cps_result *result, const char *name);
/* Where things are that have a place of their own: bodies on lines, surfaces, drums. How many a loaded result knows, and the i-th. */
typedef struct cps_result_place {
  char name[CPS_NAME_ROOM];
  char kind[12];       /* line, plane, surface, drum */
  double at[3];        /* origin of the line, or centre [m] */
  double direction[3]; /* of the line, or axis */
  double radius;       /* of a drum [m], 0 of others */
} cps_result_place;
CPS_API int cps_result_places(const cps_result *result);
CPS_API const cps_result_place *cps_result_place_at(const cps_result *result, int i);

/* A result file that grows while its run goes on: others can read it meanwhile. `from` is copied; what it points to must outlive
 * the file. */
typedef struct cps_result_source {
  const cps_result *result;
  const cps_scenario *scenario;
  const char *status;  /* "running", "complete", "failed", "stopped" */
  const char *summary; /* JSON; NULL if there is none yet */
} cps_result_source;
typedef struct cps_result_file cps_result_file;
/* Makes it, with all that the result holds already. */
CPS_API cps_result_file *cps_result_file_new(const char *path, const cps_result_source *from, cps_error *err);
/* Adds what is new in the result since the last time. */
CPS_API cps_status cps_result_file_append(cps_result_file *file, cps_error *err);
/* Hands it to the operating system, and if `to_disk` waits until it is on the disk. */
CPS_API cps_status cps_result_file_flush(cps_result_file *file, int to_disk, cps_error *err);
/* Sets the status, unless NULL; frees the file, whether that and closing succeeds or not. */
CPS_API cps_status cps_result_file_close(cps_result_file *file, const char *status, cps_error *err);
/* Writes a whole file at once, compactly. */
CPS_API cps_status cps_result_file_write(const char *path, const cps_result_source *from, cps_error *err);
/* About how large the file of a run becomes before compression [bytes]; rows are not known (0) if every step is recorded. */
CPS_API double cps_result_size(const cps_scenario *scenario, const cps_result *result, double *rows,
                               double *frames);
/* Puts the first rows, events and frames of a loaded result into that of a simulation, which must be empty: for runs that are taken
 * up again. */
CPS_API cps_status cps_result_refill(cps_simulation *sim, const cps_result *loaded, cps_extent upto,
                                     cps_error *err);

/* A loaded result as a stream of plain bytes between processes of one machine, such as one that reads a file which nobody vouches for
 * and one that goes on with what was read. `put` and `get` move so many bytes, and return 0 if that fails. */
typedef int (*cps_pack_put)(void *to, const void *bytes, size_t size);
typedef int (*cps_pack_get)(void *from, void *bytes, size_t size);
CPS_API int cps_result_pack(const cps_result *result, cps_pack_put put, void *to); /* 0 if that fails */
/* Trusts nothing in it; NULL if it is not whole, or needs more than `most` bytes of memory or than there are. */
CPS_API cps_result *cps_result_unpack(cps_pack_get get, void *from, double most);

/* For people: "position of bodies block along its line"; the name itself where nothing better is known. */
CPS_API void cps_result_long_name(const char *name, char *text, size_t size);

/* ------------------------------------------------------------------ parameters by path
 *
 * Every number of a scenario has a path, as --set writes it: "bodies.block.mass", "cables.rope.contact.friction.mu",
 * "drums.pulley.drive.pd.setpoint.cycloid.amplitude". */

typedef struct cps_quantity {
  char path[128];
  char unit[32];   /* SI; "1" for none */
  double value;    /* in SI */
  double min, max; /* what a file may say, in SI; infinite: no limit */
  int above;       /* 1: min itself is not allowed */
  int whole;       /* 1: only whole numbers are */
} cps_quantity;

/* The quantity at a path. CPS_BAD_INPUT if the path names nothing, or no number. */
CPS_API cps_status cps_scenario_quantity(const cps_scenario *scenario, const char *path,
                                         cps_quantity *quantity, cps_error *err);

/* Every quantity of a scenario in the order in which it is read, whether the file gives it or leaves it at its default. *list is
 * the caller's, to be released with free; NULL if there is none. */
CPS_API cps_status cps_scenario_quantities(const cps_scenario *scenario, cps_quantity **list, int *n,
                                           cps_error *err);

/* The same scenario with n quantities changed, values in SI. NULL if that is not a good one; as cps_scenario_load. */
CPS_API cps_scenario *cps_scenario_with(const cps_scenario *scenario, const char *const *paths,
                                        const double *values, int n, cps_problems **problems);

/* ------------------------------------------------------------------ sensitivities
 *
 * Derivatives of outputs with respect to parameters, exact across stick and slip. An output is a function of recorded columns:
 *
 *   COLUMN            its value at the end of the run      bodies.block.x
 *   COLUMN@T          its value at time T                  bodies.block.x@0.5
 *   max(COLUMN)       its largest value, min(COLUMN) its smallest, over the recorded rows
 *   integral(COLUMN)  over time, by the trapezoidal rule over rows; also mean(COLUMN), rms(COLUMN)
 *   square(COLUMN, X) integral over time of (COLUMN - X)^2
 *   event(N)          time of the N-th event, from 1; event(CONTACT, N) of those of one contact
 *
 * max, min, integral, mean, rms and square may be limited to a part of the run: max(COLUMN, FROM, TO).
 *
 *   const char *wrt[] = {"bodies.block.mass", "springs.belt.stiffness"}, *of[] = {"bodies.block.x@1"};
 *   cps_sens *sens = cps_sens_new(scenario, wrt, 2, of, 1, &err);
 *   cps_sens_run(sens, CPS_SENS_AUTO, NULL, NULL, &err);
 *   double by_mass = cps_sens_gradient(sens, 0, 0);
 */

typedef enum cps_sens_method {
  CPS_SENS_AUTO,       /* forward, or adjoint where that costs less */
  CPS_SENS_FORWARD,    /* with all histories */
  CPS_SENS_ADJOINT,    /* cost hardly grows with the number of parameters */
  CPS_SENS_DIFFERENCES /* of whole runs: for comparison */
} cps_sens_method;

typedef struct cps_sens cps_sens;

/* The scenario must outlive it. */
CPS_API cps_sens *cps_sens_new(const cps_scenario *scenario, const char *const *wrt, int n_wrt,
                               const char *const *of, int n_of, cps_error *err);
CPS_API void cps_sens_free(cps_sens *sens);

/* Other values of the parameters, [n_wrt] in SI, for the runs that follow. */
CPS_API cps_status cps_sens_set(cps_sens *sens, const double *values, cps_error *err);
/* Rows at these rising times, [n] within the run, instead of those of run.output. */
CPS_API cps_status cps_sens_at(cps_sens *sens, const double *times, long n, cps_error *err);

/* One more output, whose index is returned (-1: out of memory, or weights that are not finite): the sum of weights[row][column]
 * times the entries of the result, [rows][cps_result_columns] of them. A run that makes another number of rows leaves it NaN,
 * with a warning. `of` is -1 for a new one, or an index from before, whose weights are replaced. */
CPS_API int cps_sens_weigh(cps_sens *sens, int of, const double *weights, long rows, cps_error *err);

/* Runs the simulation and differentiates it. On failure the result holds everything up to that time. */
CPS_API cps_status cps_sens_run(cps_sens *sens, cps_sens_method method,
                                int (*progress)(const cps_progress *, void *), void *data, cps_error *err);

CPS_API int cps_sens_parameters(const cps_sens *sens);
CPS_API const cps_quantity *cps_sens_parameter(const cps_sens *sens, int wrt);
CPS_API int cps_sens_outputs(const cps_sens *sens);
CPS_API const char *cps_sens_output(const cps_sens *sens, int of); /* as it was asked for */
CPS_API const char *cps_sens_unit(const cps_sens *sens, int of);
/* Of the last run: value of an output, and its derivative. */
CPS_API double cps_sens_value(const cps_sens *sens, int of);
CPS_API double cps_sens_gradient(const cps_sens *sens, int of, int wrt);
CPS_API cps_sens_method cps_sens_used(const cps_sens *sens);
/* The run itself; and d(column)/d(parameter) at its rows, NULL unless the method was forward or differences. */
CPS_API const cps_result *cps_sens_result(const cps_sens *sens);
CPS_API const double *cps_sens_history(const cps_sens *sens, int column, int wrt);
/* The run with the histories as columns, to be freed by cps_result_free. */
CPS_API cps_result *cps_sens_with_histories(const cps_sens *sens, cps_error *err);
/* The column that an output is about; NULL if it is an event. And the unit of a derivative, such as "m/(N/m)". */
CPS_API const char *cps_sens_output_column(const cps_sens *sens, int of);
CPS_API void cps_sens_ratio(char *text, size_t size, const char *above, const char *below);
/* Leaves out what happens to changes of state at transitions, which makes derivatives wrong: to show what that does. */
CPS_API void cps_sens_leave_jumps_out(cps_sens *sens);
/* Writes the result of the last run as cps_simulation_write does, with the histories as columns
 * "d(bodies.block.x)/d(bodies.block.mass)". */
CPS_API cps_status cps_sens_write(const cps_sens *sens, const char *path, cps_error *err);
/* What may make a derivative wrong or not exist, such as a contact that only grazes sticking; NULL past the last. */
CPS_API const char *cps_sens_warning(const cps_sens *sens, int i);

/* ------------------------------------------------------------------ tables of measurements */

/* Columns of numbers from a CSV file, the first of which is a time that rises. Cells are separated by commas, semicolons,
 * tabs or blanks; the first line names the columns, with a unit in brackets if they are not in SI: "bodies.block.x [mm]".
 * Cells that are empty or "nan" are NaN. NULL if anything is wrong; as cps_scenario_load. */
typedef struct cps_table cps_table;
CPS_API cps_table *cps_table_load(const char *path, cps_problems **problems);
CPS_API void cps_table_free(cps_table *table);
CPS_API int cps_table_columns(const cps_table *table);
CPS_API long cps_table_rows(const cps_table *table);
CPS_API const char *cps_table_name(const cps_table *table, int column);
CPS_API const char *cps_table_unit(const cps_table *table, int column); /* "" if none is given */
CPS_API const double *cps_table_data(const cps_table *table, int column);

/* ------------------------------------------------------------------ identification
 *
 * Finds parameters from measurements: least squares by Levenberg and Marquardt, with gradients of the residuals from
 * sensitivities. Several sets of data, each a run of its own with settings of its own, share the parameters.
 *
 *   const char *paths[] = {"contacts.belt.friction.mu_s", "springs.spring.stiffness"};
 *   cps_fit *fit = cps_fit_new(scenario, paths, 2, &err);
 *   int set = cps_fit_add_set(fit, NULL, 0, &err);
 *   cps_fit_add_series(fit, set, "bodies.block.x", times, values, NULL, n, &err);
 *   cps_fit_run(fit, NULL, NULL, &err);
 *   cps_fit_parameter mu_s;
 *   cps_fit_get(fit, 0, &mu_s);        // mu_s.value, mu_s.error, mu_s.low .. mu_s.high
 */

typedef enum cps_loss {
  CPS_LOSS_NONE,  /* squares */
  CPS_LOSS_HUBER, /* squares up to 1.345 standard deviations, then linear */
  CPS_LOSS_CAUCHY /* logarithm, with a scale of 2.385 standard deviations: outliers hardly count */
} cps_loss;

typedef struct cps_fit cps_fit;

/* The scenario must outlive it. Parameters start at the values that it has. */
CPS_API cps_fit *cps_fit_new(const cps_scenario *scenario, const char *const *paths, int n, cps_error *err);
CPS_API void cps_fit_free(cps_fit *fit);
/* Closed bounds of a parameter, in SI; infinite ones are none. The start is moved into them. */
CPS_API cps_status cps_fit_bounds(cps_fit *fit, int parameter, double min, double max, cps_error *err);
CPS_API cps_status cps_fit_loss(cps_fit *fit, cps_loss loss);
/* At most so many steps; 50 if nothing is said. */
CPS_API cps_status cps_fit_limit(cps_fit *fit, int steps);
/* A set of data: a run with n settings "path=value" on top of the scenario. Returns its index, or -1. */
CPS_API int cps_fit_add_set(cps_fit *fit, const char *const *settings, int n, cps_error *err);
/* A measured column of a set, at n rising times within the run, in SI; values that are NaN do not count. `sigma` is the
 * standard deviation of each value; NULL: it is the same for all of the series, and is found from the residuals. */
CPS_API cps_status cps_fit_add_series(cps_fit *fit, int set, const char *column, const double *times,
                                      const double *values, const double *sigma, long n, cps_error *err);

/* How a fit is getting on, after each step; or, inside of one, while a run goes on (run is not NULL). */
typedef struct cps_fit_progress {
  int step;
  double
      cost; /* half the sum of squares of residuals over their standard deviations, or its robust version */
  const double *values; /* of the parameters */
  const cps_progress *run;
} cps_fit_progress;

/* Fits. If `progress` returns nonzero it stops with CPS_FAILED; what was found until then is valid. CPS_FAILED also if
 * the first run fails. That it came to no minimum is no failure: cps_fit_reason says how it ended. */
CPS_API cps_status cps_fit_run(cps_fit *fit, int (*progress)(const cps_fit_progress *, void *), void *data,
                               cps_error *err);

/* What was found of a parameter. */
typedef struct cps_fit_parameter {
  cps_quantity quantity; /* path, unit, and the value found */
  double start;
  double min, max;  /* bounds */
  double error;     /* standard error; NaN if it cannot be known */
  double low, high; /* 95 % confidence interval, within the bounds */
  int at_bound;     /* it lies on a bound and would go beyond: -1 lower, 1 upper; 0: it does not */
} cps_fit_parameter;

CPS_API int cps_fit_parameters(const cps_fit *fit);
CPS_API cps_status cps_fit_get(const cps_fit *fit, int parameter, cps_fit_parameter *found);
CPS_API double cps_fit_correlation(const cps_fit *fit, int i, int j);
/* Covariance of the parameters that were found; NaN for those on a bound. */
CPS_API double cps_fit_covariance(const cps_fit *fit, int i, int j);

/* What was found of a series: sizes of what is left, and its standard deviation as it was given (root mean square) or
 * found. */
typedef struct cps_fit_series {
  const char *column, *unit;
  long n; /* values that count */
  double rms_before, rms_after;
  double sigma;
} cps_fit_series;

CPS_API int cps_fit_sets(const cps_fit *fit);
CPS_API int cps_fit_series_count(const cps_fit *fit, int set);
CPS_API cps_status cps_fit_series_get(const cps_fit *fit, int set, int series, cps_fit_series *found);

/* The scenario of a set with the parameters at their start, or as they were found: the caller's to free. */
CPS_API cps_scenario *cps_fit_scenario(const cps_fit *fit, int set, int found, cps_error *err);

CPS_API const char *cps_fit_reason(
    const cps_fit *fit); /* why it ended, a clause such as "the residuals no longer fall" */
CPS_API int cps_fit_converged(const cps_fit *fit);
CPS_API int cps_fit_steps(const cps_fit *fit);
CPS_API long cps_fit_runs(const cps_fit *fit); /* simulations */
CPS_API double cps_fit_cost(const cps_fit *fit, int found);
/* Singular values of the Jacobian of the residuals by relative changes of the parameters, largest first: the smaller the
 * last, the less is known. */
CPS_API double cps_fit_singular(const cps_fit *fit, int i);
/* What cannot be known from these data, and other doubts; NULL past the last. */
CPS_API const char *cps_fit_warning(const cps_fit *fit, int i);

/* ------------------------------------------------------------------ optimisation
 *
 * Minimises an output over parameters, within bounds and limits on other outputs, by sequential quadratic programming or
 * moving asymptotes (NLopt), with gradients from sensitivities.
 *
 *   const char *paths[] = {"drums.winch.drive.rotation.step5.to.0"};
 *   cps_optimize *o = cps_optimize_new(scenario, paths, 1, "rms(bodies.load.vx, 2, 3)", &err);
 *   cps_optimize_bounds(o, 0, 0.5, 2, &err);
 *   cps_optimize_limit(o, "max(cables.rope.tension_max)", -INFINITY, 500, &err);
 *   cps_optimize_run(o, NULL, NULL, &err);
 *   double best = cps_optimize_value(o, 0, 1);
 */

typedef enum cps_algorithm {
  CPS_ALGORITHM_SLSQP, /* D. Kraft: sequential least squares programming; for few parameters, also equations */
  CPS_ALGORITHM_MMA,   /* K. Svanberg: method of moving asymptotes; for many parameters */
  CPS_ALGORITHM_CCSA   /* the same author's, with quadratic approximations */
} cps_algorithm;

typedef struct cps_optimize cps_optimize;

/* Minimises `output`, or maximises it if its first character is "-". The scenario must outlive it; parameters start at
 * the values that it has. */
CPS_API cps_optimize *cps_optimize_new(const cps_scenario *scenario, const char *const *paths, int n,
                                       const char *output, cps_error *err);
CPS_API void cps_optimize_free(cps_optimize *o);
/* Closed bounds of a parameter, in SI. The start is moved into them. */
CPS_API cps_status cps_optimize_bounds(cps_optimize *o, int parameter, double min, double max,
                                       cps_error *err);
/* An output has to stay between two values in SI, of which one may be infinite; the same twice: it has to be that. */
CPS_API cps_status cps_optimize_limit(cps_optimize *o, const char *output, double least, double most,
                                      cps_error *err);
/* A robust optimum: every point is run at all samples, which are scenarios with the same parameters that differ in other numbers (such as
 * cps_study_scenario_at gives), and outputs are the mean over the samples, or the worst of them: the largest of what is minimised or has
 * an upper limit. They must outlive it; n = 0: the scenario alone, as without a call. */
typedef enum cps_robust { CPS_ROBUST_MEAN, CPS_ROBUST_WORST } cps_robust;
CPS_API cps_status cps_optimize_over(cps_optimize *o, const cps_scenario *const *samples, int n,
                                     cps_robust how, cps_error *err);
CPS_API cps_status cps_optimize_algorithm(cps_optimize *o, cps_algorithm algorithm);
/* At most so many runs; 200 if nothing is said. And how small the relative changes are at which it ends; 1e-5. */
CPS_API cps_status cps_optimize_effort(cps_optimize *o, int runs, double tolerance);

/* How it is getting on, after each run; or, inside of one, while it goes on (run is not NULL). */
typedef struct cps_optimize_progress {
  int runs;
  double objective;
  double violation;     /* of the limits, relative to their sizes; 0 if all hold */
  const double *values; /* of the parameters */
  const cps_progress *run;
} cps_optimize_progress;

/* Optimises. If `progress` returns nonzero it stops with CPS_FAILED; the best that was found until then is valid. That it
 * comes to no minimum is no failure: cps_optimize_reason says how it ended. */
CPS_API cps_status cps_optimize_run(cps_optimize *o, int (*progress)(const cps_optimize_progress *, void *),
                                    void *data, cps_error *err);

CPS_API int cps_optimize_parameters(const cps_optimize *o);
CPS_API const cps_quantity *cps_optimize_parameter(const cps_optimize *o, int i); /* as it was found */
CPS_API double cps_optimize_value(const cps_optimize *o, int i,
                                  int found); /* of a parameter: start, or found */
CPS_API void cps_optimize_range(const cps_optimize *o, int i, double *min, double *max);
/* Outputs: 0 is the one that is minimised, then those that are limited, in order. */
CPS_API int cps_optimize_outputs(const cps_optimize *o);
CPS_API const char *cps_optimize_output(const cps_optimize *o, int i);
CPS_API const char *cps_optimize_unit(const cps_optimize *o, int i);
CPS_API void cps_optimize_limits(const cps_optimize *o, int i, double *least, double *most);
CPS_API double cps_optimize_result(const cps_optimize *o, int i,
                                   int found); /* of an output: at the start, or at the end */
CPS_API double cps_optimize_violation(const cps_optimize *o, int found);
/* The scenario with the parameters as they were, or as they were found: the caller's to free. */
CPS_API cps_scenario *cps_optimize_scenario(const cps_optimize *o, int found, cps_error *err);
CPS_API const char *cps_optimize_reason(const cps_optimize *o);
CPS_API int cps_optimize_converged(const cps_optimize *o); /* and all limits hold */
CPS_API int cps_optimize_runs(const cps_optimize *o);
CPS_API const char *cps_optimize_warning(const cps_optimize *o, int i);

/* ------------------------------------------------------------------ studies
 *
 * A study runs a scenario at many values of its parameters: docs/sweep.md says what its file holds. A point is a function of the
 * study and of the point's index alone, so that any process can compute any part of a study. Results go into an SQLite file, a row
 * for each point, or to a function of the caller.
 *
 *   cps_study *study = cps_study_load("study.yaml", &problems);
 *   cps_study_options how = {.file = "points.sqlite"};
 *   cps_study_run(study, &how, NULL, &err);
 */

typedef struct cps_study cps_study;

/* Reads a study file, or text under the name `file`. NULL if anything is wrong with it or with its scenario; as cps_scenario_load. */
CPS_API cps_study *cps_study_load(const char *path, cps_problems **problems);
CPS_API cps_study *cps_study_parse(const char *text, size_t length, const char *file,
                                   cps_problems **problems);
CPS_API void cps_study_free(cps_study *study);
CPS_API const char *cps_study_title(const cps_study *study);
CPS_API const char *cps_study_hash(const cps_study *study); /* of its file and the CSV files that it names */
CPS_API const char *cps_study_method(const cps_study *study); /* such as "sobol" */
CPS_API const cps_scenario *cps_study_scenario(const cps_study *study);

/* The columns of the table: varied parameters, outputs, and derivatives d(OUTPUT)/d(PARAMETER) if the study wants them. */
typedef enum cps_study_kind { CPS_STUDY_PARAMETER, CPS_STUDY_OUTPUT, CPS_STUDY_GRADIENT } cps_study_kind;
typedef struct cps_study_column {
  cps_study_kind kind;
  char name[300];
  char unit[128];   /* SI; "1" for none; "" of variants, whose values are indices */
  const char *path; /* the (first) path of a parameter, the text of an output, "" otherwise */
  double low, high; /* range of a parameter, limits of an output; infinite or NaN: none */
} cps_study_column;
CPS_API int cps_study_parameters(const cps_study *study);
CPS_API int cps_study_outputs(const cps_study *study);
CPS_API int cps_study_columns(const cps_study *study); /* of all three kinds */
CPS_API cps_status cps_study_column_at(const cps_study *study, int i, cps_study_column *column);

/* How many points there are, and the values of parameters at the i-th, [cps_study_parameters] in SI. The value of a parameter with
 * variants is the index of one, -1 being the scenario as it is; cps_study_variant gives its name, NULL if they are numbers. */
CPS_API long long cps_study_count(const cps_study *study);
CPS_API cps_status cps_study_point(const cps_study *study, long long i, double *values, cps_error *err);
CPS_API const char *cps_study_variant(const cps_study *study, int parameter, double value);
/* The scenario of a point: the caller's to free; NULL if its values are not good ones, as cps_scenario_load. */
CPS_API cps_scenario *cps_study_scenario_at(const cps_study *study, long long i, cps_problems **problems);

/* A point that was computed. */
typedef struct cps_study_row {
  long long point;
  const double *values; /* [cps_study_columns]; NaN where there is none */
  const char *status;   /* "ok"; "limit": an output beyond its limits; "failed" */
  const char *message;  /* the sentence of a failure, or the limit that was broken; "" otherwise */
  long steps, iterations, rejected;
  double seconds;
} cps_study_row;

typedef struct cps_study_progress {
  long long done, wanted; /* points of this part of the study; those that were there before are in both */
  long long before;       /* those that were there before */
  long long failed, beyond;
  double seconds; /* since the start */
  double busy;    /* of processors in runs */
} cps_study_progress;

/* How a study is run; zeroed: all points, a thread for each processor, and nothing is written. */
typedef struct cps_study_options {
  int threads;
  int shard, shards;       /* only the points i with i mod shards = shard - 1; 0: all */
  const long long *points; /* only these, [n_points]; NULL: all */
  long long n_points;
  const char *file; /* an SQLite file; NULL: none */
  int resume;       /* points that the file has are not computed again; otherwise it must not be there */
  int rollback; /* the file may lie on a network disk: a rollback journal instead of a log that is shared in memory */
  /* For each point, in no particular order and one at a time, in the thread of the caller. */
  void (*row)(const cps_study_row *row, void *data);
  /* A few times a second, and at the end, in the thread of the caller; if it returns nonzero the study stops. */
  int (*progress)(const cps_study_progress *now, void *data);
  void *data;
} cps_study_options;

/* Runs a study. A point that fails is a row, and no failure of the study. CPS_FAILED if it was stopped: what was computed until
 * then is in the file. CPS_BAD_INPUT if the file belongs to another study or scenario, or has to be resumed; CPS_IO if it cannot be
 * written. `done`, unless NULL, gets how far it came. */
CPS_API cps_status cps_study_run(const cps_study *study, const cps_study_options *options,
                                 cps_study_progress *done, cps_error *err);

/* Adds the rows of files of the same study to a file, which is made if it is not there; a point that occurs twice is taken once.
 * *rows, unless NULL, gets how many rows it has then, and *wanted how many points the study has. */
CPS_API cps_status cps_study_merge(const char *to, const char *const *files, int n, long long *rows,
                                   long long *wanted, cps_error *err);
/* Writes the table of a file as CSV. */
CPS_API cps_status cps_study_csv(const char *file, const char *csv, cps_error *err);
/* The same as HDF5: one dataset "points" with a field for each column, and a group "study" with what the file says of the study. */
CPS_API cps_status cps_study_hdf(const char *file, const char *hdf, cps_error *err);
/* Opens the table of a study, which may come from anywhere, to be read: what is not made of plain tables, or could do something when
 * it is read, is refused. `live` if others may write to it meanwhile. The caller's to close with sqlite3_close. */
struct sqlite3;
CPS_API cps_status cps_study_table_open(const char *file, int live, struct sqlite3 **db, cps_error *err);

/* ------------------------------------------------------------------ numbers about samples
 *
 * A value that is not finite belongs to a point without a result; it is left out, and the count says how many were used. What cannot be
 * computed (a deviation of one point, an index of a constant) is NaN. Doers that need memory return CPS_OK or CPS_NO_MEMORY.
 */

/* Mean, standard deviation (of a sample: n - 1), extremes and where they are. */
typedef struct cps_sample {
  long n; /* values that are finite */
  double mean, deviation, least, most;
  long at_least, at_most; /* indices of the extremes; -1 if there are none */
} cps_sample;

CPS_API void cps_sample_summary(const double *x, long n, cps_sample *s);

/* Quantiles q[m] at the probabilities p[m], with linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, the
 * default of R and NumPy). */
CPS_API cps_status cps_sample_quantiles(const double *x, long n, const double *p, int m, double *q);

/* Correlation of pairs: Pearson's of the values; Spearman's of their ranks, ties sharing the mean of their ranks. */
CPS_API double cps_sample_correlation(const double *x, const double *y, long n);
CPS_API cps_status cps_sample_rank_correlation(const double *x, const double *y, long n, double *correlation);

/* The mean of the first at[k] points, its standard error and the deviation, for counts at[m] that ascend. What converges shows here. */
CPS_API void cps_sample_convergence(const double *x, long n, const long *at, int m, double *mean,
                                    double *error, double *deviation);

/* A number and the cps_interval that holds 95 % of its bootstrap resamples. */
typedef struct cps_interval {
  double value, low, high;
} cps_interval;

/* Sobol' indices of a Saltelli sample: y[n][d + 2], rows of a base point in the order A, B, AB_1 .. AB_d, where AB_i is A with parameter i
 * of B. First order after Saltelli et al. 2010, table 2 (b); total after Jansen 1999, table 2 (f). A base point with a value that is not
 * finite is left out. first[d], total[d]; *used: base points that took part. With resamples = 0 the intervals are NaN. The draws of the
 * bootstrap are a function of (seed, resample, position) alone. */
CPS_API cps_status cps_sobol_indices(const double *y, long n, int d, int resamples, uint64_t seed,
                                     cps_interval *first, cps_interval *total, long *used);

/* Elementary effects of one parameter (Morris 1991; Campolongo et al. 2007 for mu*). */
typedef struct cps_effects {
  double mu, sigma;
  cps_interval mu_star; /* mean of the sizes */
  long n;               /* effects that took part */
} cps_effects;

/* Of trajectories x[r][d + 1][d], y[r][d + 1], in which neighbours differ in one parameter. Effects are changes of y for the whole range
 * scale[d] of a parameter, so that they compare across parameters; effects[r][d] may be NULL, and holds NaN where there is none. */
CPS_API cps_status cps_morris(const double *x, const double *y, long r, int d, const double *scale,
                              int resamples, uint64_t seed, cps_effects *out, double *effects);

/* How far an output moves, to first order, when a parameter goes through its range: gradients g[n] at the points times the range. */
typedef struct cps_swing {
  double mean, mean_size;   /* of g * range, and of its size */
  double low, median, high; /* quantiles 5 %, 50 %, 95 % over the points */
  long n;
} cps_swing;

CPS_API cps_status cps_gradient_swing(const double *g, long n, double range, cps_swing *out);

#ifdef __cplusplus
}
#endif
#endif
