/* reader.h - reads nodes by the tables of keys, and complains in one voice. */
#ifndef CPS_READER_H
#define CPS_READER_H

#include "keys.h"
#include "units.h"

typedef struct reader {
  document *d;
  const cps_laws *laws; /* besides the built-in ones; NULL: none */
  const char *folder;   /* where relative paths in the first source start; NULL: the folder of its file */
  char path[200];       /* of the value being read, such as "bodies.block.mass" */
  unit_cache units;
  const node *profiles;     /* the named ones; NULL if there are none */
  name_index profile_index; /* to entries of `profiles` */
  unsigned char *profile_used;
  long profile_cost;      /* numbers in all profiles made so far */
  scenario_input *inputs; /* of the profiles made so far */
  int n_inputs;
  name_index bodies;    /* of bodies and surfaces, to indices of scenario.bodies */
  name_index drums;     /* to indices of scenario.drums */
  struct probe *probes; /* paths that are looked up, NULL if none: see parameter_paths.h */
  int n_probes;
  far_number far;
  int lenient;       /* numbers may leave their ranges a little: for derivatives at a bound */
  const node *space; /* the first value that speaks of a third dimension; NULL if none does */
} reader;

/* Goes down to a key, or to an item of a list, and back up to where cps_enter was. */
int cps_enter(reader *r, const char *key);
int cps_enter_item(reader *r, int i);
void cps_leave(reader *r, int before);

/* Adds a problem at a node, with the current path. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void cps_complain(reader *r, const node *at, const char *format, ...);

/* Says what was found where something else is expected: `found "x"[: why]; expected ..., such as ...`. */
void cps_complain_type(reader *r, const node *found, const key *k, const char *unit, const char *why);

/* Reads a map by a table, defaults included: returns 0 if there was anything to complain about. `unit` is
 * that of the place, for keys whose unit depends on it. Node types are stored as they are. */
int cps_read_map(reader *r, const node *map, const key_table *table, const char *unit, void *target);

/* The same for a map inside, which may be missing (NULL) if none of its keys is required. */
int cps_read_part(reader *r, const node *map, const char *name, const key_table *table, const char *unit,
                  void *target);

/* One of the words of a key (0, 1, ...), or the only key of a map (the number of words, and so on), whose
 * value goes into its field of target; -1 after a complaint. */
int cps_read_choice(reader *r, const node *n, const key *k, void *target);

/* The value of one key; each returns 0 after a complaint. */
int cps_read_value(reader *r, const node *n, const key *k, const char *unit, void *target);
int cps_read_quantity(reader *r, const node *n, const key *k, const char *unit, double *value);

/* A list of quantities, into an array of its own (at least one; NULL after a complaint). */
double *cps_read_numbers(reader *r, const node *list, const key *k, const char *unit, int *n);

/* Reads a profile whose values have the given unit (NULL: any); NULL after a complaint. */
profile *cps_read_profile(reader *r, const node *n, const key *k, const char *unit);

/* The profile under a key of a table; NULL if there is none or after a complaint. */
profile *cps_read_profile_key(reader *r, const node *n, const key_table *table, const char *name,
                              const char *unit);

/* A vector over time, from a map of its components; the profiles of components that are 0 are NULL. */
void cps_read_components(reader *r, const node *map, const char *name, const char *unit, profile **out);

/* Reads the named profiles that are not used, to report their errors. */
void cps_check_profiles(reader *r);

/* Reads columns of a CSV file into x and y (owned by the caller); 0 after a complaint. */
int cps_read_csv(reader *r, const node *at, const char *file, const node *time, const node *value, double **x,
                 double **y, int *n);

/* Reads one column of a CSV file, by name or number; the header may give a unit, as in "mass [t]". Owned by the caller; NULL after
 * a complaint. */
double *cps_read_csv_column(reader *r, const node *at, const char *file, const node *column, const char *unit,
                            int *n);

/* The row of a key; NULL if there is none. */
const key *cps_row(const key_table *t, const char *name);

/* Whether text can be the name of something; complains if not. */
int cps_check_name(reader *r, const node *key);

#endif
