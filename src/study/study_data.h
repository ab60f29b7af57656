/* study_data.h - a study: what of a scenario varies, how points are chosen, and what is looked at.
 *
 * A dimension is one coordinate of a sample, and gives values to one parameter or, with columns of one CSV file, to several. A
 * parameter has a name, which is its column in the table of results, and the paths that get its value.
 */
#ifndef CPS_STUDY_DATA_H
#define CPS_STUDY_DATA_H

#include "distribution.h"
#include "sobol.h"

#include <stdint.h>

typedef struct study_variant {
  char *name;    /* owned */
  char *setting; /* owned: "path=value" */
} study_variant;

typedef struct study_parameter {
  char *name;  /* owned */
  char **path; /* owned: [n_paths] */
  int n_paths;
  char unit[32];
  int integer;    /* only whole numbers: values are rounded */
  double nominal; /* as the scenario has it; NaN: a variant */
  double low, high;
  int dimension;
} study_parameter;

typedef struct study_dimension study_dimension;

/* What a coordinate of a point is: a probability, a level out of some, or the value of the scenario. */
typedef enum coordinate_kind { AT_NOMINAL, AT_UNIT, AT_LEVEL } coordinate_kind;
typedef struct coordinate {
  coordinate_kind kind;
  double u;              /* 0 < u < 1 */
  int64_t level, levels; /* 0 .. levels - 1 */
} coordinate;

/* A kind of dimension. */
typedef struct dimension_kind {
  const char *name;
  int discrete;
  /* Values of the dimension's parameters, by probability and by level. */
  void (*at_unit)(const study_dimension *d, double u, double *values);
  void (*at_level)(const study_dimension *d, int64_t level, int64_t levels, double *values);
} dimension_kind;

struct study_dimension {
  const dimension_kind *kind;
  int first, n; /* parameters */
  int64_t
      count; /* values of a list, rows, variants; or levels that a range has in a grid, 0 if nothing is said */
  double *values; /* owned: [n][count] */
  double low, high;
  int log; /* a range on a logarithmic scale */
  const distribution *law;
  double p[DISTRIBUTION_PARAMS];
  study_variant *variants; /* owned: [count]; NULL of numbers */
  char *file;              /* owned: of a CSV file, as it was written; NULL otherwise */
};

extern const dimension_kind cps_dimension_values, cps_dimension_range, cps_dimension_distribution;

/* Dimensions whose normal scores are correlated: lower triangle of a Cholesky factor. */
typedef struct study_group {
  int n;
  int *dimension; /* owned: [n] */
  double *factor; /* owned: [n][n] */
} study_group;

typedef struct study_output {
  char *name, *text; /* owned */
  char unit[64];
  double least, most; /* limits; infinite: none */
} study_output;

typedef enum study_keep { KEEP_NONE, KEEP_FAILED, KEEP_ALL } study_keep;

/* A method of sampling. */
typedef struct sampling {
  const char *name;
  unsigned takes;  /* SAMPLE_..., keys that mean something */
  unsigned needs;  /* those that have to be there */
  int independent; /* correlated groups have no meaning */
  double (*count)(const cps_study *s);
  void (*point)(const cps_study *s, uint64_t i, coordinate *at);
  const char *meaning;
} sampling;

enum {
  SAMPLE_POINTS = 1,
  SAMPLE_LEVELS = 2,
  SAMPLE_BASE = 4,
  SAMPLE_TRAJECTORIES = 8,
  SAMPLE_SEED = 16,
  SAMPLE_SCRAMBLE = 32
};

/* The keys of `sample`, in the order of the bits above. */
typedef struct sample_numbers {
  double points, levels, base, trajectories, seed;
  int scramble; /* 0: shift, 1: none */
  int method;
} sample_numbers;

struct cps_study {
  char *file, *text; /* owned */
  size_t length;
  char *title;
  char hash[65];
  cps_scenario *scenario; /* owned: with what `set` says */
  const sampling *method;
  sample_numbers sample;
  uint64_t seed;
  int n_parameters, n_dimensions, n_outputs, n_groups;
  study_parameter *parameters;
  study_dimension *dimensions;
  study_output *outputs;
  study_group *groups;
  uint32_t (*directions)[SOBOL_BITS]; /* owned: of Sobol' points, shifts last; NULL if there are none */
  uint32_t *shift;                    /* owned */
  int gradients;
  study_keep keep;
  double most_steps, most_seconds; /* after which a point is given up; infinite: never */
  int64_t count;                   /* points */
};

const sampling *cps_sampling(int i);
extern const char cps_sampling_words[];

/* Makes what the method needs to have at hand; 0 if out of memory. */
int cps_sampling_prepare(cps_study *s);

/* Most points of a study, and most dimensions of a Sobol' sequence. */
#define POINTS_MOST 1e9

/* Combinations of variants: how many there are (1 without variants), and the one that a point's values have; -1 in a part: the
 * scenario as it is. */
int64_t cps_study_combination(const cps_study *s, const double *values);

#endif
