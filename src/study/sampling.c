/* sampling.c - from the index of a point to its values: dimensions, methods, correlation.
 *
 * Nothing is kept from point to point. A method gives each dimension a coordinate: a probability (random, latin-hypercube, sobol,
 * saltelli), a level out of some (grid, corners, one-at-a-time, morris), or the value of the scenario (one-at-a-time). The
 * dimension turns it into values.
 */
#include "study_data.h"

#include "counter_random.h"
#include "internal.h"
#include "keys_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ dimensions */

static void row_of(const study_dimension *d, int64_t i, double *values) {
  for (int k = 0; k < d->n; k++) values[k] = d->variants ? (double)i : d->values[k * d->count + i];
}

static int64_t at_most(int64_t i, int64_t last) { return i < 0 ? 0 : i > last ? last : i; }

static void values_at_unit(const study_dimension *d, double u, double *values) {
  row_of(d, at_most((int64_t)(u * (double)d->count), d->count - 1), values);
}

static void values_at_level(const study_dimension *d, int64_t level, int64_t levels, double *values) {
  double part = levels > 1 ? (double)level / (double)(levels - 1) : 0;
  row_of(d, levels == d->count ? level : at_most(llround(part * (double)(d->count - 1)), d->count - 1),
         values);
}

static void range_at(const study_dimension *d, double part, double *values) {
  double x = d->log ? d->low * exp(log(d->high / d->low) * part) : d->low + (d->high - d->low) * part;
  values[0] = part == 0 ? d->low : part == 1 ? d->high : x;
}

static void range_at_unit(const study_dimension *d, double u, double *values) { range_at(d, u, values); }

static void range_at_level(const study_dimension *d, int64_t level, int64_t levels, double *values) {
  range_at(d, levels > 1 ? (double)level / (double)(levels - 1) : 0.5, values);
}

static void law_at_unit(const study_dimension *d, double u, double *values) {
  values[0] = d->law->quantile(d->p, u);
}

/* The middle of each of so many parts of equal probability. */
static void law_at_level(const study_dimension *d, int64_t level, int64_t levels, double *values) {
  values[0] = d->law->quantile(d->p, ((double)level + 0.5) / (double)levels);
}

const dimension_kind cps_dimension_values = {"values", 1, values_at_unit, values_at_level},
                     cps_dimension_range = {"range", 0, range_at_unit, range_at_level},
                     cps_dimension_distribution = {"distribution", 0, law_at_unit, law_at_level};

/* ------------------------------------------------------------------ grids */

/* Levels of a dimension in a grid. */
static int64_t grid_levels(const cps_study *s, const study_dimension *d) {
  return d->count > 0 ? d->count : (int64_t)s->sample.levels;
}

static int64_t corner_levels(const cps_study *s, const study_dimension *d) {
  (void)s;
  int whole = d->variants || d->file; /* of these there are no least and largest */
  return whole || (d->kind->discrete && d->count < 2) ? d->count : 2;
}

/* The ends of a distribution without bounds are where only one of a hundred lies beyond. */
static coordinate corner(const study_dimension *d, int64_t level, int64_t levels) {
  coordinate c = {AT_LEVEL, 0, level, levels};
  if (!d->law) return c;
  c.kind = AT_UNIT;
  c.u = level == 0 ? 0.01 : 0.99;
  return c;
}

typedef int64_t level_count(const cps_study *s, const study_dimension *d);

static double product(const cps_study *s, level_count *levels) {
  double n = 1;
  for (int j = 0; j < s->n_dimensions; j++) n *= (double)levels(s, &s->dimensions[j]);
  return n;
}

/* The last dimension changes fastest. */
static void mixed_radix(const cps_study *s, uint64_t i, level_count *levels, coordinate *at) {
  for (int j = s->n_dimensions - 1; j >= 0; j--) {
    uint64_t n = (uint64_t)levels(s, &s->dimensions[j]);
    at[j] = (coordinate){AT_LEVEL, 0, (int64_t)(i % n), (int64_t)n};
    i /= n;
  }
}

static double grid_count(const cps_study *s) { return product(s, grid_levels); }
static void grid_point(const cps_study *s, uint64_t i, coordinate *at) { mixed_radix(s, i, grid_levels, at); }

static double corners_count(const cps_study *s) { return product(s, corner_levels); }
static void corners_point(const cps_study *s, uint64_t i, coordinate *at) {
  mixed_radix(s, i, corner_levels, at);
  for (int j = 0; j < s->n_dimensions; j++) at[j] = corner(&s->dimensions[j], at[j].level, at[j].levels);
}

/* Point 0 is the scenario as it is; then each dimension alone takes its levels, or its two ends. */
static int64_t alone_levels(const cps_study *s, const study_dimension *d) {
  int64_t n = grid_levels(s, d);
  return n > 0 ? n : 2;
}

static double alone_count(const cps_study *s) {
  double n = 1;
  for (int j = 0; j < s->n_dimensions; j++) n += (double)alone_levels(s, &s->dimensions[j]);
  return n;
}

static void alone_point(const cps_study *s, uint64_t i, coordinate *at) {
  uint64_t before = 1;
  for (int j = 0; j < s->n_dimensions; j++) {
    const study_dimension *d = &s->dimensions[j];
    uint64_t n = (uint64_t)alone_levels(s, d);
    at[j] = (coordinate){.kind = AT_NOMINAL};
    if (i >= before && i < before + n)
      at[j] = grid_levels(s, d) > 0 ? (coordinate){AT_LEVEL, 0, (int64_t)(i - before), (int64_t)n}
                                    : corner(d, (int64_t)(i - before), (int64_t)n);
    before += n;
  }
}

/* ------------------------------------------------------------------ samples */

static double points_count(const cps_study *s) { return s->sample.points; }

static void random_point(const cps_study *s, uint64_t i, coordinate *at) {
  for (int j = 0; j < s->n_dimensions; j++)
    at[j] = (coordinate){.kind = AT_UNIT, .u = cps_random_unit(s->seed, i, (uint32_t)j, RANDOM_POINT)};
}

/* Of n equal parts, each is met once in each dimension. */
static void hypercube_point(const cps_study *s, uint64_t i, coordinate *at) {
  uint64_t n = (uint64_t)s->count;
  for (int j = 0; j < s->n_dimensions; j++) {
    uint64_t part = cps_random_place(s->seed, i, n, (uint32_t)j, RANDOM_PERMUTATION);
    double inside = cps_random_unit(s->seed, i, (uint32_t)j, RANDOM_JITTER);
    double u = ((double)part + inside) / (double)n;
    at[j] = (coordinate){.kind = AT_UNIT, .u = fmin(fmax(u, 0x1p-54), 1 - 0x1p-53)};
  }
}

/* A digital shift keeps the stratification of the points and keeps them away from 0. */
static double sobol_unit(const cps_study *s, uint64_t i, int dimension) {
  uint32_t x = cps_sobol(s->directions[dimension], i) ^ s->shift[dimension];
  return ((double)x + 0.5) * 0x1p-32;
}

static void sobol_point(const cps_study *s, uint64_t i, coordinate *at) {
  for (int j = 0; j < s->n_dimensions; j++) at[j] = (coordinate){.kind = AT_UNIT, .u = sobol_unit(s, i, j)};
}

/* Per base point the rows A, B, AB_1 .. AB_d: AB_j is A with coordinate j of B (Saltelli et al., Comput. Phys. Commun. 181
 * (2010) 259-270). A and B are the two halves of a Sobol' point in 2d dimensions. */
static double saltelli_count(const cps_study *s) { return s->sample.base * (s->n_dimensions + 2); }

static void saltelli_point(const cps_study *s, uint64_t i, coordinate *at) {
  uint64_t rows = (uint64_t)s->n_dimensions + 2, base = i / rows;
  int row = (int)(i % rows);
  for (int j = 0; j < s->n_dimensions; j++) {
    int from_b = row == 1 || row == 2 + j;
    at[j] = (coordinate){.kind = AT_UNIT, .u = sobol_unit(s, base, from_b ? s->n_dimensions + j : j)};
  }
}

/* Trajectories of M. D. Morris, Technometrics 33 (1991) 161-174: from a random level each dimension moves once, by half of the
 * levels, up or down, in random order. */
static double morris_count(const cps_study *s) { return s->sample.trajectories * (s->n_dimensions + 1); }

static void morris_point(const cps_study *s, uint64_t i, coordinate *at) {
  uint64_t rows = (uint64_t)s->n_dimensions + 1, trajectory = i / rows, row = i % rows;
  int64_t levels = (int64_t)s->sample.levels, half = levels / 2;
  for (int j = 0; j < s->n_dimensions; j++) {
    uint64_t bits = cps_random_bits(s->seed, trajectory, (uint32_t)j, RANDOM_LEVEL);
    int64_t low = (int64_t)((bits >> 1) % (uint64_t)half), down = (int64_t)(bits & 1);
    uint64_t moves_at = cps_random_place(s->seed, (uint64_t)j, (uint64_t)s->n_dimensions,
                                         (uint32_t)trajectory, RANDOM_ORDER);
    int moved = row > moves_at;
    at[j] = (coordinate){AT_LEVEL, 0, low + (moved != (int)down ? half : 0), levels};
  }
}

/* ------------------------------------------------------------------ the table */

static const sampling methods[] = {
    {"grid", SAMPLE_LEVELS, 0, 1, grid_count, grid_point,
     "all combinations of the values; the last changes fastest"},
    {"corners", 0, 0, 1, corners_count, corners_point, "all combinations of the two ends; all variants"},
    {"one-at-a-time", SAMPLE_LEVELS, 0, 1, alone_count, alone_point,
     "the scenario as it is, then each parameter alone"},
    {"random", SAMPLE_POINTS | SAMPLE_SEED, SAMPLE_POINTS, 0, points_count, random_point,
     "independent points"},
    {"latin-hypercube", SAMPLE_POINTS | SAMPLE_SEED, SAMPLE_POINTS, 0, points_count, hypercube_point,
     "each of n equal parts of every parameter once"},
    {"sobol", SAMPLE_POINTS | SAMPLE_SEED | SAMPLE_SCRAMBLE, SAMPLE_POINTS, 0, points_count, sobol_point,
     "a sequence of low discrepancy; best with a power of 2"},
    {"saltelli", SAMPLE_BASE | SAMPLE_SEED | SAMPLE_SCRAMBLE, SAMPLE_BASE, 1, saltelli_count, saltelli_point,
     "for Sobol' indices: base (d + 2) points"},
    {"morris", SAMPLE_TRAJECTORIES | SAMPLE_LEVELS | SAMPLE_SEED, SAMPLE_TRAJECTORIES, 1, morris_count,
     morris_point, "for elementary effects: trajectories (d + 1) points"},
};

const char cps_sampling_words[] = "grid corners one-at-a-time random latin-hypercube sobol saltelli morris";
const sampling *cps_sampling(int i) { return &methods[i]; }

int cps_sampling_prepare(cps_study *s) {
  if (!(s->method->takes & SAMPLE_SCRAMBLE)) return 1;
  int n = s->method->point == saltelli_point ? 2 * s->n_dimensions : s->n_dimensions;
  s->directions = malloc((size_t)n * sizeof *s->directions);
  s->shift = calloc((size_t)n, sizeof *s->shift);
  if (!s->directions || !s->shift) return 0;
  for (int j = 0; j < n; j++) {
    cps_sobol_directions(j, s->directions[j]);
    if (s->sample.scramble == 0)
      s->shift[j] = (uint32_t)cps_random_bits(s->seed, 0, (uint32_t)j, RANDOM_SHIFT);
  }
  return 1;
}

/* ------------------------------------------------------------------ points */

/* Normal scores of a group become correlated ones. */
static void correlate(const study_group *g, coordinate *at) {
  double z[SOBOL_MOST];
  for (int i = 0; i < g->n; i++) z[i] = cps_normal_quantile(at[g->dimension[i]].u);
  for (int i = 0; i < g->n; i++) {
    double sum = 0;
    for (int k = 0; k <= i; k++) sum += g->factor[i * g->n + k] * z[k];
    at[g->dimension[i]].u = fmin(fmax(cps_normal_probability(sum), 0x1p-1022), 1 - 0x1p-53);
  }
}

long long cps_study_count(const cps_study *s) { return s->count; }

cps_status cps_study_point(const cps_study *s, long long i, double *values, cps_error *err) {
  coordinate at[SOBOL_MOST];
  if (i < 0 || i >= s->count)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no point %lld: they are 0 to %lld", i,
                         (long long)s->count - 1);
  s->method->point(s, (uint64_t)i, at);
  for (int g = 0; g < s->n_groups; g++) correlate(&s->groups[g], at);
  for (int j = 0; j < s->n_dimensions; j++) {
    const study_dimension *d = &s->dimensions[j];
    double *v = &values[d->first];
    if (at[j].kind == AT_UNIT)
      d->kind->at_unit(d, at[j].u, v);
    else if (at[j].kind == AT_LEVEL)
      d->kind->at_level(d, at[j].level, at[j].levels, v);
    for (int k = 0; k < d->n; k++) {
      if (at[j].kind == AT_NOMINAL) v[k] = d->variants ? -1 : s->parameters[d->first + k].nominal;
      if (s->parameters[d->first + k].integer) v[k] = round(v[k]);
    }
  }
  return CPS_OK;
}

int64_t cps_study_combination(const cps_study *s, const double *values) {
  int64_t n = 0;
  for (int j = 0; j < s->n_dimensions; j++) {
    const study_dimension *d = &s->dimensions[j];
    if (d->variants) n = n * (d->count + 1) + (int64_t)values[d->first] + 1;
  }
  return n;
}
