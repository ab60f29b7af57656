/* study_keys.c - see study_keys.h. */
#include "study_keys.h"

#include "keys_rows.h"

#include <string.h>

static const key study_rows[] = {
    {"study", KEY_INTEGER, .required = 1, .min = 1, .max = 1, .where = offsetof(raw_study, version),
     .example = "1", .meaning = "version of this format"},
    {"title", KEY_TEXT, .where = offsetof(raw_study, title), .example = "Friction and load",
     .meaning = "what the study is about"},
    {"scenario", KEY_TEXT, .required = 1, .where = offsetof(raw_study, scenario), .example = "pulley.yaml",
     .meaning = "the scenario file, relative to the study"},
    {"set", KEY_NAMED, .where = offsetof(raw_study, set), .example = "{run.until: 2 s}",
     .meaning = "values by path that all points have in common"},
    {"vary", KEY_NAMED, .required = 1, .where = offsetof(raw_study, vary),
     .example = "{bodies.block.mass: [1 kg, 2 kg]}", .meaning = "what varies, by name"},
    {"correlate", KEY_REPEATS, .table = &cps_keys_correlation, .where = offsetof(raw_study, correlate),
     .example = "[{of: [mu, mass], r: 0.5}]", .meaning = "groups of parameters that are not independent"},
    {"sample", KEY_MAP, .table = &cps_keys_sample, .where = offsetof(raw_study, sample),
     .example = "{method: sobol, points: 256}", .meaning = "how points are chosen; a grid without it"},
    {"outputs", KEY_NAMED, .required = 1, .where = offsetof(raw_study, outputs),
     .example = "{peak: max(cables.rope.tension_max)}", .meaning = "what is looked at, by name; or a list"},
    {"limits", KEY_FILES, .where = offsetof(raw_study, limits), .example = "[peak < 500 N]",
     .meaning = "what has to hold of outputs"},
    {"gradients", KEY_FLAG, .where = offsetof(raw_study, gradients), .example = "true",
     .meaning = "also the derivatives of all outputs with respect to all numbers that vary"},
    {"keep", KEY_WORD, .words = "none failed all", .where = offsetof(raw_study, keep), .example = "failed",
     .meaning = "whose results are kept as files: of no point, of those that fail or break a limit, of all"},
    {"give_up_after", KEY_PLACE, .where = offsetof(raw_study, patience), .example = "20000 steps",
     .meaning = "a point that takes longer has failed: steps, or seconds of processor time"},
};
const key_table cps_keys_study = TABLE("study", "a study", study_rows, "A study of a scenario.");

static const key sample_rows[] = {
    {"method", KEY_WORD, .words = cps_sampling_words, .where = offsetof(sample_numbers, method),
     .example = "sobol", .meaning = "how points are chosen"},
    {"points", KEY_INTEGER, .min = 1, .max = INFINITY, .where = offsetof(sample_numbers, points),
     .example = "1024", .meaning = "how many, of random, latin-hypercube and sobol"},
    {"levels", KEY_INTEGER, .min = 1, .max = INFINITY, .where = offsetof(sample_numbers, levels),
     .example = "4",
     .meaning = "of ranges and distributions that have no count of their own; of morris an even number, 4 "
                "unless said"},
    {"base", KEY_INTEGER, .min = 1, .max = INFINITY, .where = offsetof(sample_numbers, base),
     .example = "512", .meaning = "base points of saltelli, each of which makes d + 2 points"},
    {"trajectories", KEY_INTEGER, .min = 1, .max = INFINITY, .where = offsetof(sample_numbers, trajectories),
     .example = "20", .meaning = "of morris, each of which makes d + 1 points"},
    {"seed", KEY_INTEGER, .min = 0, .max = 9007199254740992, .where = offsetof(sample_numbers, seed),
     .example = "7", .meaning = "another seed, other points"},
    {"scramble", KEY_WORD, .words = "shift none", .where = offsetof(sample_numbers, scramble),
     .example = "shift", .meaning = "of sobol and saltelli: a random digital shift, or the bare sequence"},
};
const key_table cps_keys_sample = TABLE("sample", "a sample", sample_rows, "How points are chosen.");

static const key csv_rows[] = {
    {"file", KEY_TEXT, .required = 1, .where = offsetof(raw_csv, file), .example = "loads.csv",
     .meaning = "a CSV file, relative to the study"},
    {"column", KEY_COLUMN, .where = offsetof(raw_csv, column), .example = "mass",
     .meaning = "name or number of the column; the first without it"},
};
const key_table cps_keys_csv = TABLE("csv", "a column of a CSV file", csv_rows, "");

static const key correlation_rows[] = {
    {"of", KEY_NAMES, .required = 1, .where = offsetof(raw_correlation, of), .example = "[mu, mass]",
     .meaning = "names of parameters"},
    {"r", KEY_QUANTITY, "1", .min = -1, .max = 1, .value = NAN, .where = offsetof(raw_correlation, r),
     .example = "0.5", .meaning = "correlation of every pair of them, as normal scores"},
    {"matrix", KEY_PIECES, .where = offsetof(raw_correlation, matrix), .example = "[[1, 0.5], [0.5, 1]]",
     .meaning = "or all correlations"},
};
const key_table cps_keys_correlation = TABLE("correlate", "a correlated group", correlation_rows, "");

static const key vary_rows[] = {
    {"path", KEY_TEXT, .where = offsetof(raw_vary, path), .example = "bodies.block.mass",
     .meaning = "the number that varies; the name is the path without it"},
    {"paths", KEY_NAMES, .where = offsetof(raw_vary, paths),
     .example = "[bodies.left.mass, bodies.right.mass]", .meaning = "several that get the same value"},
    {"list", KEY_VALUES, UNIT_OF_PLACE, ANY, .where = offsetof(raw_vary, list), .example = "[1, 2, 5]",
     .meaning = "values"},
    {"range", KEY_VALUES, UNIT_OF_PLACE, ANY, .where = offsetof(raw_vary, range), .example = "[1, 5]",
     .meaning = "least and largest value"},
    {"csv", KEY_MAP, .table = &cps_keys_csv, .where = offsetof(raw_vary, csv),
     .example = "{file: loads.csv, column: mass}",
     .meaning = "a column of a CSV file; columns of one file go together, row by row"},
    {"variants", KEY_NAMED, .where = offsetof(raw_vary, variants), .example = "{smooth: {quinn: {mu: 0.2}}}",
     .meaning = "whole parts to put at the path, by name; or a list of words"},
    {"count", KEY_INTEGER, .min = 1, .max = INFINITY, .where = offsetof(raw_vary, count), .example = "5",
     .meaning = "levels of a range or distribution in a grid"},
    {"scale", KEY_WORD, .words = "linear log", .where = offsetof(raw_vary, scale), .example = "log",
     .meaning = "of a range"},
};

key_table cps_keys_of_vary(key *rows) {
  key_table t = {"vary", "a varied parameter", "", COUNT(vary_rows), rows};
  memcpy(rows, vary_rows, sizeof vary_rows);
  for (int i = 0; i < cps_distributions() && i < LAWS_MOST; i++) {
    const key_table *law = cps_distribution(i)->keys;
    rows[t.n++] = (key){.name = law->name,
                        .type = KEY_MAP,
                        .table = law,
                        .example = "{...}",
                        .where = offsetof(raw_vary, law) + (size_t)i * sizeof(const node *),
                        .meaning = law->what};
  }
  return t;
}
