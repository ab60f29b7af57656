/* keys.h - the format of scenario files, as tables.
 *
 * A row is a key: its name, type, unit, default, range and meaning, and where its value goes. The reader, the
 * JSON Schema and docs/scenario.md all iterate over these tables, so a new key is one row, and one field of
 * the structure that takes its value.
 */
#ifndef CPS_KEYS_H
#define CPS_KEYS_H

#include "scenario.h"
#include "yaml_tree.h"

typedef enum key_type {
  /* Read as they are into a field of the given type. */
  KEY_INTEGER,  /* double */
  KEY_QUANTITY, /* double */
  KEY_FLAG,     /* int */
  KEY_WORD,     /* int: which of `words`, from 0 */
  KEY_TEXT,     /* const char * */
  KEY_VECTOR,   /* double[3], of two or three components */
  KEY_AXIS,     /* double[3] */
  KEY_POINT,    /* double[2]: a time, and a value in the unit */
  KEY_AMOUNT,   /* double: a quantity, or one of `words`, which stand for `second` */
  /* Left to readers of their own: const node *. */
  KEY_GRAVITY,  /* a quantity or a vector */
  KEY_PROFILE,  /* a quantity, the name of a profile, or a profile */
  KEY_NORMAL,   /* a profile, or the word weight or load */
  KEY_FRICTION, /* a law */
  KEY_PRESSING, /* a law of normal contact */
  KEY_STATES,   /* initial states of a law */
  KEY_ENDS,     /* ends of a spring */
  KEY_PAIR,     /* two names */
  KEY_NAMES,    /* names, or one of `words` */
  KEY_CHOICE,   /* one of `words`, or a map with one of the keys of `table` */
  KEY_PLACE,    /* a vector, or a map with the keys of `table`, or nothing */
  KEY_PATH,     /* ends of a cable, and what it runs over */
  KEY_TIMES,    /* a list of times */
  KEY_VALUES,   /* a list of quantities */
  KEY_PIECES,   /* a list of lists of polynomial coefficients */
  KEY_COLUMN,   /* a column of a CSV file: name or number */
  KEY_PARTS,    /* a list of profiles */
  KEY_FILES,    /* a list of file names */
  KEY_MAP,      /* a map with the keys of `table` */
  KEY_NAMED,    /* a map from names to maps with the keys of `table` */
  KEY_PROFILES, /* a map from names to profiles */
  KEY_REPEATS,  /* a list of maps with the keys of `table` */
  KEY_TEXTS     /* a list of texts */
} key_type;

/* Units that depend on where a profile is used: that of the place, and its rates. */
#define UNIT_OF_PLACE "*"
#define UNIT_RATE     "*/s"

typedef struct key_table key_table;

typedef struct key {
  const char *name;
  key_type type;
  const char *unit;       /* NULL if it has none */
  const char *words;      /* with blanks between them */
  const key_table *table; /* of KEY_MAP, KEY_NAMED, KEY_REPEATS, KEY_CHOICE, KEY_PLACE */
  double value, second;   /* the default; vectors have two */
  double third;           /* and axes three */
  const char *otherwise;  /* what holds without the key, where the default does not say it */
  double min, max;        /* range, closed unless `above`; of each component of a vector */
  int above;              /* greater than min, not equal */
  int required;
  size_t where; /* offset of the field */
  const char *example;
  const char *meaning;
} key;

struct key_table {
  const char *name;    /* "bodies" */
  const char *what;    /* "a body" */
  const char *meaning; /* of the section */
  int n;
  const key *keys;
};

/* What the rows of each table fill. */
typedef struct raw_scenario {
  double version;
  const char *title;
  const node *gravity, *include, *profiles, *bodies, *surfaces, *springs, *contacts, *loads, *drums, *cables,
      *repeat, *run;
  const node *outputs;
} raw_scenario;

typedef struct raw_body {
  double mass, x, v, held_until;
  double at[3], direction[3], position[3], velocity[3];
} raw_body;

typedef struct raw_surface {
  const node *velocity, *position;
  double at[3], direction[3];
} raw_surface;

typedef struct raw_spring {
  const node *between;
  double stiffness, damping, length;
  int tension_only, kind;
} raw_spring;

typedef struct raw_contact {
  const node *between, *normal, *friction, *state;
} raw_contact;

typedef struct raw_load {
  const char *on;
  const node *force;
  double direction[3];
} raw_load;

typedef struct raw_audit {
  double warn, fail;
} raw_audit;

typedef struct raw_run {
  scenario_run run;
  const node *audit;
  int solver;
} raw_run;

typedef struct raw_outputs {
  double every, fields;
  const node *columns;
} raw_outputs;

typedef struct raw_repeat {
  double count, from;
  const char *index;
  const node *profiles, *bodies, *surfaces, *springs, *contacts, *loads, *drums, *cables;
} raw_repeat;

typedef struct raw_drum {
  double radius, inertia, rate;
  double center[3], axis[3];
  const node *drive, *bearing, *moved;
  const char *carried_by;
} raw_drum;

/* What each kind of drive is told, in the order of its keys; there may be so many. */
enum { DRIVE_KEYS = 16 };
typedef struct raw_drive {
  const node *told[DRIVE_KEYS];
} raw_drive;

typedef struct raw_pd {
  double kp, kd;
  const node *setpoint;
} raw_pd;

typedef struct raw_bearing {
  const node *friction;
  double radius, load;
} raw_bearing;

typedef struct raw_components {
  const node *component[3];
} raw_components;

typedef struct raw_cable {
  double ea, ei, rho, diameter, modulus, density, bending_factor, elements, length, tension;
  const node *damping, *quadrature, *mesh, *path, *masses, *contact;
  int model, strain, tension_only, curvature, closed, start;
} raw_cable;

typedef struct raw_quadrature {
  double axial, bending;
} raw_quadrature;

/* An end is one thing, and so is an item: their keys share one place. */
typedef struct raw_end {
  const char *name;
  const node *place;
} raw_end;

typedef struct raw_place {
  double at[3], direction[3];
  const node *moved, *force;
} raw_place;

typedef struct raw_item {
  const char *drum;
  double vector[3], length;
  double turns, pitch;
  int turn;
} raw_item;

typedef struct raw_cable_contact {
  const node *at, *drums, *normal, *friction;
  int per, reading;
} raw_cable_contact;

typedef struct raw_contact_points {
  double quadrature, even;
} raw_contact_points;

/* Numbers go into the profile itself; the rest is worked on. */
typedef struct raw_profile {
  profile p;
  double frequency;
  const node *times, *values, *coefficients, *time, *value, *parts;
  const char *file, *name;
  int cubic;
} raw_profile;

extern const key_table cps_keys_scenario, cps_keys_bodies, cps_keys_surfaces, cps_keys_springs,
    cps_keys_contacts, cps_keys_loads, cps_keys_run, cps_keys_audit, cps_keys_outputs, cps_keys_repeat;
/* Of drums and cables, in keys_cable.c. */
extern const key_table cps_keys_drums, cps_keys_drive, cps_keys_pd, cps_keys_bearing, cps_keys_components,
    cps_keys_cables, cps_keys_damping, cps_keys_quadrature, cps_keys_mesh, cps_keys_masses, cps_keys_ends,
    cps_keys_end_free, cps_keys_end_pinned, cps_keys_end_clamped, cps_keys_path, cps_keys_cable_contact,
    cps_keys_contact_points;

enum { UNIT_ROOM = 32 };
enum { SPRING_LINE = 0, SPRING_DISTANCE = 1 };
extern const char cps_solver_words[];

/* A kind of profile. KEY_PARTS rows make a sum or a product, whose value is the list itself. */
typedef struct profile_type {
  profile_kind kind;
  const key_table *keys; /* its name is that of the kind */
  const char *equation;
} profile_type;

int cps_profile_types(void);
const profile_type *cps_profile_type(int i);

/* The rows of a law's parameters and states, made for the occasion: rows[CPS_MAX_PARAMS]. */
key_table cps_keys_of_law(const cps_law *law, key *rows);
/* Of a law of normal contact; `per_length`: where it gives force per length. */
key_table cps_keys_of_normal(const cps_normal *law, int per_length, char units[][UNIT_ROOM], key *rows);
key_table cps_keys_of_states(const cps_law *law, key *rows);

/* "a quantity in kg", "true or false", ...: what a key takes. `place` is the unit of the place; a key with
 * the unit
 * "" is said to take a quantity without saying in what. */
const char *cps_key_expects(const key *k, const char *place, char *text, size_t size);

/* The unit of a key at a place: "*" stands for the place's. NULL if any will do. */
const char *cps_key_unit(const key *k, const char *unit, char *text, size_t size);

#endif
