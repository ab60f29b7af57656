/* keys.c - the tables of keys: see keys.h. */
#include "internal.h"
#include "keys_rows.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ things */

static const key bodies[] = {
    {"mass", KEY_QUANTITY, "kg", .required = 1, POSITIVE, .where = offsetof(raw_body, mass),
     .example = "1 kg", .meaning = "mass"},
    {"x", KEY_QUANTITY, "m", ANY, .where = offsetof(raw_body, x), .example = "2.75 m",
     .meaning = "initial coordinate along its line"},
    {"v", KEY_QUANTITY, "m/s", ANY, .where = offsetof(raw_body, v), .example = "0.1 m/s",
     .meaning = "initial velocity along its line"},
    {"at", KEY_VECTOR, "m", ANY, .where = offsetof(raw_body, at), .example = "[0, 0.5 m]",
     .meaning = "where x = 0 lies"},
    {"direction", KEY_VECTOR, "1", ANY, .value = 1, .where = offsetof(raw_body, direction),
     .example = "[1, 0]", .meaning = "direction of the line; its length does not matter"},
    {"position", KEY_VECTOR, "m", ANY, .otherwise = "it slides on a line",
     .where = offsetof(raw_body, position), .example = "[0.75 m, -1.3 m]",
     .meaning = "initial position: a body that has one moves freely"},
    {"velocity", KEY_VECTOR, "m/s", ANY, .where = offsetof(raw_body, velocity), .example = "[0, 0]",
     .meaning = "initial velocity, with position"},
    {"held_until", KEY_QUANTITY, "s", ANY, .value = -INFINITY, .otherwise = "never held",
     .where = offsetof(raw_body, held_until), .example = "1 s",
     .meaning = "fixed at its initial place until then, and released with its initial velocity"},
};

static const key surfaces[] = {
    {"velocity", KEY_PROFILE, "m/s", .where = offsetof(raw_surface, velocity), .example = "1 m/s",
     .meaning = "velocity along its line, over time; either this or position"},
    {"position", KEY_PROFILE, "m", .where = offsetof(raw_surface, position),
     .example = "{sine: {amplitude: 10 mm, omega: 2 rad/s}}",
     .meaning = "position along its line, over time"},
    {"at", KEY_VECTOR, "m", ANY, .where = offsetof(raw_surface, at), .example = "[0, 0.5 m]",
     .meaning = "where position 0 lies"},
    {"direction", KEY_VECTOR, "1", ANY, .value = 1, .where = offsetof(raw_surface, direction),
     .example = "[1, 0]", .meaning = "direction of the line; its length does not matter"},
};

static const key springs[] = {
    {"between", KEY_ENDS, "m", .required = 1, .where = offsetof(raw_spring, between),
     .example = "[block, ground]",
     .meaning = "the two ends: a body, a surface or `ground`; `{block: [10 mm, 0]}` is a point fixed to it, "
                "`{ground: [1 m, 0]}` or `{ground: 1 m}` a fixed point"},
    {"stiffness", KEY_QUANTITY, "N/m", NOT_NEG, .where = offsetof(raw_spring, stiffness), .example = "10 N/m",
     .meaning = "force per extension; a spring has this or damping, or both"},
    {"damping", KEY_QUANTITY, "N s/m", NOT_NEG, .where = offsetof(raw_spring, damping),
     .example = "0.5 N s/m", .meaning = "force per rate of extension"},
    {"length", KEY_QUANTITY, "m", NOT_NEG, .where = offsetof(raw_spring, length), .example = "1.5 m",
     .meaning = "length without force"},
    {"tension_only", KEY_FLAG, .where = offsetof(raw_spring, tension_only), .example = "true",
     .meaning = "a rope: no force while it is slack, and never a push"},
    {"kind", KEY_WORD, .words = "line distance", .value = -1,
     .otherwise =
         "`line` if both ends stay on parallel lines and the points given lie on them, `distance` otherwise "
         "and for ropes",
     .where = offsetof(raw_spring, kind), .example = "line",
     .meaning = "extension measured along the line of the bodies, or as the distance of the end points"},
};

static const key contacts[] = {
    {"between", KEY_PAIR, .required = 1, .where = offsetof(raw_contact, between), .example = "[block, belt]",
     .meaning =
         "the body that slides, and the body, surface or `ground` that it slides on; the sliding velocity is "
         "that of the first relative to the second"},
    {"normal", KEY_NORMAL, "N", .required = 1, NOT_NEG, .where = offsetof(raw_contact, normal),
     .example = "5 N",
     .meaning =
         "normal force, over time; or `weight`: what weight presses the first body, and all that rests on it "
         "through contacts with `weight` or `load`, onto its line, with what cables that hang there and on "
         "drums that it carries pull; or `load`: that, and what springs and loads press it down. Never less "
         "than 0"},
    {"friction", KEY_FRICTION, .required = 1, .where = offsetof(raw_contact, friction),
     .example = "{coulomb: {mu: 0.5}}",
     .meaning = "the friction law and its parameters; a name alone means its defaults"},
    {"state", KEY_STATES, .otherwise = "0", .where = offsetof(raw_contact, state), .example = "{z: 0}",
     .meaning = "initial internal states, for laws that have them"},
};

static const key loads[] = {
    {"on", KEY_TEXT, .required = 1, .where = offsetof(raw_load, on), .example = "block",
     .meaning = "the body that it acts on"},
    {"force", KEY_PROFILE, "N", .required = 1, .where = offsetof(raw_load, force), .example = "3 N",
     .meaning = "force over time"},
    {"direction", KEY_VECTOR, "1", ANY, .otherwise = "the line of the body",
     .where = offsetof(raw_load, direction), .example = "[1, 0]",
     .meaning = "its direction; its length does not matter"},
};

const char cps_solver_words[] = "rk4 alpha bdf events";

static const key audit[] = {
    {"warn", KEY_AMOUNT, "1", .words = "off", .value = 1e-3, .second = -1, .otherwise = "0.1 %", NOT_NEG,
     .where = offsetof(raw_audit, warn), .example = "0.1 %", .meaning = "above this a run is warned about"},
    {"fail", KEY_AMOUNT, "1", .words = "off", .value = 0.05, .second = -1, .otherwise = "5 %", NOT_NEG,
     .where = offsetof(raw_audit, fail), .example = "5 %",
     .meaning = "above this a run has failed; its results are kept"},
};

const key_table cps_keys_audit = TABLE(
    "audit", "an audit", audit,
    "How much energy may be missing: what the audit of all energies and works leaves open, or the integrator "
    "itself has "
    "dissipated, over the largest energy of the run. `off` judges nothing.");

static const key run[] = {
    {"until", KEY_QUANTITY, "s", .required = 1, ANY, .where = offsetof(raw_run, run.until), .example = "10 s",
     .meaning = "time at which the run ends"},
    {"from", KEY_QUANTITY, "s", ANY, .where = offsetof(raw_run, run.from), .example = "0 s",
     .meaning = "time at which it starts"},
    {"solver", KEY_WORD, .words = cps_solver_words, .value = -1,
     .otherwise =
         "`alpha` with cables; `events` if every contact's law has modes, or any of them jumps; `alpha` if "
         "contacts with laws that need balance forces close a circle (two blocks that rest on the ground and "
         "on "
         "each other); otherwise `bdf`",
     .where = offsetof(raw_run, solver), .example = "events",
     .meaning =
         "how the equations are integrated; with cables of elements `alpha` or `bdf`; `events` where all "
         "cables are in few variables, whichever but `rk4` is named"},
    {"step", KEY_QUANTITY, "s", POSITIVE, .otherwise = "the solver chooses",
     .where = offsetof(raw_run, run.step), .example = "10 ms",
     .meaning = "step of solvers with a fixed step, largest step of the others"},
    {"output", KEY_QUANTITY, "s", NOT_NEG, .otherwise = "every step", .where = offsetof(raw_run, run.output),
     .example = "10 ms", .meaning = "interval of the time series; 0 means every step"},
    {"tolerance", KEY_QUANTITY, "1", .value = 1e-8, .otherwise = "1e-8; with cables 1e-6", .min = 0, .max = 1,
     .above = 1, .where = offsetof(raw_run, run.tolerance), .example = "1e-8",
     .meaning =
         "relative tolerance of adaptive solvers; with cables `alpha` measures the error of a step by their "
         "length"},
    {"absolute_tolerance", KEY_QUANTITY, "1", .value = 1e-10, POSITIVE,
     .where = offsetof(raw_run, run.tolerance_abs), .example = "1e-10",
     .meaning = "absolute tolerance of adaptive solvers, in SI units"},
    {"rho", KEY_QUANTITY, "1", .value = 0.8, .min = 0, .max = 1, .where = offsetof(raw_run, run.rho),
     .example = "0.8", .meaning = "spectral radius at infinity of `alpha`: 1 damps nothing, 0 most"},
    {"newmark", KEY_FLAG, .where = offsetof(raw_run, run.newmark), .example = "true",
     .meaning = "`alpha` as Newmark's rule, which damps nothing unless `gamma` says so"},
    {"gamma", KEY_QUANTITY, "1", .value = 0.5, .min = 0.5, .max = 1, .where = offsetof(raw_run, run.gamma),
     .example = "0.55",
     .meaning =
         "of Newmark's rule, with beta = (gamma + 1/2)^2/4: 0.5 damps nothing, and more than that damps what "
         "is fast, and costs an order of accuracy"},
    {"balance", KEY_QUANTITY, "1", .value = 1e-6, POSITIVE,
     .otherwise = "`tolerance`, but at least 1e-9 and at most 1e-6", .where = offsetof(raw_run, run.balance),
     .example = "1e-9",
     .meaning =
         "force that Newton's method may leave unbalanced in a step of cables, relative to the largest "
         "tension; the next step makes up for it"},
    {"fields", KEY_QUANTITY, "s", .value = -1, NOT_NEG, .otherwise = "about 200 in all",
     .where = offsetof(raw_run, run.fields), .example = "50 ms",
     .meaning = "interval at which shape, tension and contact along the cables are recorded; 0 means never"},
    {"max_steps", KEY_INTEGER, .value = 1e8, .min = 1, .max = 1e15, .where = offsetof(raw_run, run.max_steps),
     .example = "1e6", .meaning = "give up after that many steps"},
    {"audit", KEY_MAP, .table = &cps_keys_audit, .otherwise = "{warn: 0.1 %, fail: 5 %}",
     .where = offsetof(raw_run, audit), .example = "{warn: 1 %, fail: off}",
     .meaning = "when missing energy makes a run doubtful, or a failure"},
};

const key_table cps_keys_bodies = TABLE(
    "bodies", "a body", bodies,
    "Bodies with mass. One with `position` moves freely; any other slides "
    "on a line, with the coordinate x from `at` along `direction`. One at the end of a cable that says "
    "nothing "
    "about its place moves freely, too, and starts where the cable's path leaves it.");
const key_table cps_keys_surfaces = TABLE(
    "surfaces", "a surface", surfaces,
    "Belts and other things without mass that move along a line as prescribed, "
    "by `velocity` or by `position`.");
const key_table cps_keys_springs = TABLE("springs", "a spring", springs, "Springs, dampers and ropes.");
const key_table cps_keys_contacts = TABLE(
    "contacts", "a contact", contacts,
    "Friction between a body that slides on a line and what it slides on.");
const key_table cps_keys_loads = TABLE("loads", "a load", loads, "Forces on bodies.");
const key_table cps_keys_run = TABLE("run", "run", run, "What to simulate, and how.");

static const key outputs[] = {
    {"every", KEY_QUANTITY, "s", NOT_NEG, .value = -1, .otherwise = "`run.output`",
     .where = offsetof(raw_outputs, every), .example = "10 ms",
     .meaning = "interval of the time series; 0 means every step"},
    {"fields", KEY_QUANTITY, "s", NOT_NEG, .value = -1, .otherwise = "`run.fields`",
     .where = offsetof(raw_outputs, fields), .example = "50 ms",
     .meaning = "interval of what is recorded along the cables; 0 means nothing"},
    {"columns", KEY_TEXTS, .otherwise = "all", .where = offsetof(raw_outputs, columns),
     .example = "[\"bodies.*\", \"contacts.belt.f\"]",
     .meaning = "which columns to record; `*` stands for any text. Time is always among them"},
};
const key_table cps_keys_outputs = TABLE("outputs", "outputs", outputs,
                                         "What to record, and how often: see results.md.");

/* ------------------------------------------------------------------ the whole */

static const key repeat[] = {
    {"count", KEY_INTEGER, .required = 1, .min = 1, .max = 1e6, .where = offsetof(raw_repeat, count),
     .example = "32", .meaning = "how many copies"},
    {"from", KEY_INTEGER, .value = 1, .min = -1e9, .max = 1e9, .where = offsetof(raw_repeat, from),
     .example = "1", .meaning = "value of the index in the first copy"},
    {"index", KEY_TEXT, .otherwise = "`i`", .where = offsetof(raw_repeat, index), .example = "i",
     .meaning = "name of the index"},
    {"profiles", KEY_PROFILES, .where = offsetof(raw_repeat, profiles),
     .example = "{\"p{i}\": {sine: {amplitude: 1, omega: \"{i}\"}}}", .meaning = "profiles to repeat"},
    {"bodies", KEY_NAMED, .table = &cps_keys_bodies, .where = offsetof(raw_repeat, bodies),
     .example = "{\"b{i}\": {mass: 1 kg}}", .meaning = "bodies to repeat"},
    {"surfaces", KEY_NAMED, .table = &cps_keys_surfaces, .where = offsetof(raw_repeat, surfaces),
     .example = "{\"belt{i}\": {velocity: 1 m/s}}", .meaning = "surfaces to repeat"},
    {"springs", KEY_NAMED, .table = &cps_keys_springs, .where = offsetof(raw_repeat, springs),
     .example = "{\"s{i}\": {between: [\"b{i}\", \"b{i+1}\"], stiffness: 32}}",
     .meaning = "springs to repeat"},
    {"contacts", KEY_NAMED, .table = &cps_keys_contacts, .where = offsetof(raw_repeat, contacts),
     .example = "{\"c{i}\": {between: [\"b{i}\", ground], normal: 1 N, friction: coulomb}}",
     .meaning = "contacts to repeat"},
    {"loads", KEY_NAMED, .table = &cps_keys_loads, .where = offsetof(raw_repeat, loads),
     .example = "{\"l{i}\": {on: \"b{i}\", force: 1 N}}", .meaning = "loads to repeat"},
    {"drums", KEY_NAMED, .table = &cps_keys_drums, .where = offsetof(raw_repeat, drums),
     .example = "{\"d{i}\": {radius: 0.1 m, center: [\"{i}\", 0]}}", .meaning = "drums to repeat"},
    {"cables", KEY_NAMED, .table = &cps_keys_cables, .where = offsetof(raw_repeat, cables),
     .example =
         "{\"c{i}\": {EA: 1 MN, mass_per_length: 1, elements: 9, path: [{pinned: [\"{i}\", 0]}, hang 1 m, "
         "free]}}",
     .meaning = "cables to repeat"},
};

const key_table cps_keys_repeat = TABLE(
    "repeat", "a repeat", repeat,
    "Chains: sections of which copies are made, one for each value of an index. `{i}`, `{i+1}` and in "
    "general "
    "`{...}` with numbers, the index, + - * / and parentheses is replaced in every key and value; a value "
    "that "
    "is only `\"{...}\"` becomes a number. In flow style such text goes in quotes.");

static const key scenario[] = {
    {"capstan", KEY_INTEGER, .required = 1, .min = 1, .max = 1, .where = offsetof(raw_scenario, version),
     .example = "1", .meaning = "version of the format"},
    {"title", KEY_TEXT, .otherwise = "no title", .where = offsetof(raw_scenario, title),
     .example = "Block on a belt", .meaning = "what it is, for people"},
    {"include", KEY_FILES, .otherwise = "nothing", .where = offsetof(raw_scenario, include),
     .example = "[common.yaml]",
     .meaning = "other files to start from; what this file says wins, key by key of each body, spring, ..."},
    {"gravity", KEY_GRAVITY, "m/s2", .value = 9.81, NOT_NEG, .where = offsetof(raw_scenario, gravity),
     .example = "9.81 m/s2",
     .meaning = "magnitude along -y, or a vector such as `[0, -9.81]` or, in space, `[0, 0, -9.81]`"},
    {"profiles", KEY_PROFILES, .where = offsetof(raw_scenario, profiles), .otherwise = "none",
     .example = "{push: {sine: {amplitude: 1 N, omega: 0.5 rad/s}}}",
     .meaning =
         "profiles by name, for use wherever a profile is expected; units are checked where they are used"},
    {"bodies", KEY_NAMED, .table = &cps_keys_bodies, .where = offsetof(raw_scenario, bodies),
     .otherwise = "none", .example = "{block: {mass: 1 kg}}", .meaning = "what moves"},
    {"surfaces", KEY_NAMED, .table = &cps_keys_surfaces, .where = offsetof(raw_scenario, surfaces),
     .otherwise = "none", .example = "{belt: {velocity: 1 m/s}}", .meaning = "what moves as prescribed"},
    {"springs", KEY_NAMED, .table = &cps_keys_springs, .where = offsetof(raw_scenario, springs),
     .otherwise = "none", .example = "{k: {between: [block, ground], stiffness: 10 N/m}}",
     .meaning = "springs, dampers, ropes"},
    {"contacts", KEY_NAMED, .table = &cps_keys_contacts, .where = offsetof(raw_scenario, contacts),
     .otherwise = "none", .example = "{c: {between: [block, belt], normal: weight, friction: coulomb}}",
     .meaning = "friction"},
    {"loads", KEY_NAMED, .table = &cps_keys_loads, .where = offsetof(raw_scenario, loads),
     .otherwise = "none", .example = "{pull: {on: block, force: 3 N}}", .meaning = "forces"},
    {"drums", KEY_NAMED, .table = &cps_keys_drums, .where = offsetof(raw_scenario, drums),
     .otherwise = "none", .example = "{pulley: {radius: 250 mm}}", .meaning = "pulleys, drums and winches"},
    {"cables", KEY_NAMED, .table = &cps_keys_cables, .where = offsetof(raw_scenario, cables),
     .otherwise = "none",
     .example =
         "{rope: {EA: 9.2 MN, mass_per_length: 0.5 kg/m, elements: 40, path: [{pinned: [0, 0]}, hang 1 m, "
         "load]}}",
     .meaning = "ropes, cables and belts"},
    {"repeat", KEY_REPEATS, .table = &cps_keys_repeat, .where = offsetof(raw_scenario, repeat),
     .otherwise = "none", .example = "[{count: 32, bodies: {\"b{i}\": {mass: 1 kg}}}]", .meaning = "chains"},
    {"run", KEY_MAP, .table = &cps_keys_run, .required = 1, .where = offsetof(raw_scenario, run),
     .example = "{until: 10 s}", .meaning = "what to simulate"},
    {"outputs", KEY_MAP, .table = &cps_keys_outputs, .where = offsetof(raw_scenario, outputs),
     .otherwise = "everything", .example = "{every: 10 ms, columns: [\"bodies.*\"]}",
     .meaning = "what to record"},
};

const key_table cps_keys_scenario = TABLE("scenario", "a scenario", scenario, "The keys of the file itself.");

/* ------------------------------------------------------------------ profiles */

/* Where number i of a profile goes. */
#define A(i) .where = (offsetof(raw_profile, p.a) + (i) * sizeof(double))

static const key sine[] = {
    {"amplitude", KEY_QUANTITY, UNIT_OF_PLACE, .required = 1, ANY, A(0), .example = "1",
     .meaning = "amplitude"},
    {"omega", KEY_QUANTITY, "rad/s", ANY, .otherwise = "from frequency", A(1), .example = "2 rad/s",
     .meaning = "angular frequency; either this or frequency"},
    {"frequency", KEY_QUANTITY, "Hz", ANY, .otherwise = "from omega",
     .where = offsetof(raw_profile, frequency), .example = "0.5 Hz", .meaning = "frequency"},
    {"phase", KEY_QUANTITY, "rad", ANY, A(2), .example = "90 deg", .meaning = "phase at the start"},
    {"offset", KEY_QUANTITY, UNIT_OF_PLACE, ANY, A(3), .example = "1", .meaning = "mean value"},
    {"start", KEY_QUANTITY, "s", ANY, A(4), .example = "1 s", .meaning = "time from which the phase counts"},
};

static const key pulses[] = {
    {"amplitude", KEY_QUANTITY, UNIT_OF_PLACE, .required = 1, ANY, A(0), .example = "1",
     .meaning = "value during a pulse"},
    {"start", KEY_QUANTITY, "s", ANY, A(1), .example = "1 s", .meaning = "start of the first pulse"},
    {"width", KEY_QUANTITY, "s", .required = 1, POSITIVE, A(2), .example = "1 s",
     .meaning = "duration of a pulse"},
    {"period", KEY_QUANTITY, "s", POSITIVE, .otherwise = "needed for several pulses", A(3), .example = "2 s",
     .meaning = "from one start to the next"},
    {"count", KEY_INTEGER, .value = 1, .min = 1, .max = 1e12, A(4), .example = "3",
     .meaning = "number of pulses"},
};

static const key step[] = {
    {"from", KEY_POINT, UNIT_OF_PLACE, .required = 1, ANY, A(0), .example = "[1 s, 0]",
     .meaning = "time and value where it starts"},
    {"to", KEY_POINT, UNIT_OF_PLACE, .required = 1, ANY, A(2), .example = "[2 s, 1]",
     .meaning = "time and value where it ends"},
};

static const key cycloid[] = {
    {"amplitude", KEY_QUANTITY, UNIT_OF_PLACE, .required = 1, ANY, A(0), .example = "1", .meaning = "rise"},
    {"duration", KEY_QUANTITY, "s", .required = 1, POSITIVE, A(1), .example = "10 s",
     .meaning = "duration of the rise"},
    {"start", KEY_QUANTITY, "s", ANY, A(2), .example = "1 s", .meaning = "when it starts"},
};

static const key ramp[] = {
    {"rate", KEY_QUANTITY, UNIT_RATE, .required = 1, ANY, A(0), .example = "0.1", .meaning = "slope"},
    {"start", KEY_QUANTITY, "s", ANY, A(1), .example = "1 s", .meaning = "when it starts; 0 before"},
    {"end", KEY_QUANTITY, "s", ANY, .value = INFINITY, .otherwise = "never", A(2), .example = "5 s",
     .meaning = "when it ends; constant after"},
};

static const key polynomial[] = {
    {"times", KEY_TIMES, "s", .required = 1, .where = offsetof(raw_profile, times),
     .example = "[0 s, 1 s, 2 s]", .meaning = "where the pieces start, and where the last one ends; rising"},
    {"coefficients", KEY_PIECES, UNIT_OF_PLACE, .required = 1, .where = offsetof(raw_profile, coefficients),
     .example = "[[0, 1], [1, 1, -2, 1]]",
     .meaning = "for each piece 1 to 4 coefficients, of powers 0 to 3 of the time since the piece started"},
};

static const key table[] = {
    {"times", KEY_TIMES, "s", .otherwise = "from file", .where = offsetof(raw_profile, times),
     .example = "[0 s, 1 s, 2 s]", .meaning = "times, rising"},
    {"values", KEY_VALUES, UNIT_OF_PLACE, .otherwise = "from file", .where = offsetof(raw_profile, values),
     .example = "[0, 1, 0]", .meaning = "a value for each time"},
    {"file", KEY_TEXT, .otherwise = "times and values", .where = offsetof(raw_profile, file),
     .example = "data.csv",
     .meaning = "a CSV file with SI values, beside the scenario unless its path is absolute"},
    {"time", KEY_COLUMN, .otherwise = "1", .where = offsetof(raw_profile, time), .example = "1",
     .meaning = "column of the times: its name in the header, or its number from 1"},
    {"value", KEY_COLUMN, .otherwise = "2", .where = offsetof(raw_profile, value), .example = "force",
     .meaning = "column of the values"},
    {"interpolation", KEY_WORD, .words = "linear cubic", .where = offsetof(raw_profile, cubic),
     .example = "cubic", .meaning = "straight lines, or a natural cubic spline"},
};

static const key parts[] = {
    {"parts", KEY_PARTS, UNIT_OF_PLACE, .required = 1, .where = offsetof(raw_profile, parts),
     .example = "[1 N, {sine: {amplitude: 2 N, omega: 1 rad/s}}]", .meaning = "profiles"},
};

static const key input[] = {
    {"name", KEY_TEXT, .required = 1, .where = offsetof(raw_profile, name), .example = "push",
     .meaning = "what it is set by; the same name in several places is one input"},
    {"start", KEY_QUANTITY, UNIT_OF_PLACE, ANY, A(0), .example = "0", .meaning = "its value until it is set"},
};

static const key_table keys_sine = TABLE("sine", "a sine", sine, "A harmonic motion or force.");
static const key_table keys_pulses = TABLE("pulses", "a pulse train", pulses,
                                           "Rectangular pulses, 0 in between.");
static const key_table keys_step = TABLE("step", "a step", step,
                                         "STEP of multibody codes: a cubic from one value to another.");
static const key_table keys_step5 = TABLE("step5", "a step", step,
                                          "STEP5 of multibody codes: the same of fifth order.");
static const key_table keys_cycloid = TABLE("cycloid", "a cycloid", cycloid,
                                            "A rise with smooth acceleration.");
static const key_table keys_ramp = TABLE("ramp", "a ramp", ramp, "A straight rise.");
static const key_table keys_polynomial = TABLE(
    "polynomial", "a polynomial", polynomial,
    "Piecewise polynomials of up to third order; constant before and after.");
static const key_table keys_table = TABLE(
    "table", "a table", table,
    "Values at given times, constant before and after: written here, or from a CSV file.");
static const key_table keys_sum = TABLE("sum", "a sum", parts, "The sum of a list of profiles.");
static const key_table keys_product = TABLE(
    "product", "a product", parts,
    "The product of a list of profiles; the first carries the unit, the others are plain numbers.");

static const key_table keys_input = TABLE("input", "an input", input,
                                          "Set from outside while time passes, by a program that steps the "
                                          "simulation; a run alone keeps its start value. "
                                          "`{input: push}` is short for `{input: {name: push}}`.");

static const profile_type types[] = {
    {PROFILE_SINE, &keys_sine, "offset + amplitude sin(omega (t - start) + phase)"},
    {PROFILE_PULSES, &keys_pulses,
     "amplitude for start + k period <= t < start + k period + width, k = 0 ... count - 1"},
    {PROFILE_STEP, &keys_step, "y0 + (y1 - y0) s^2 (3 - 2 s), s = (t - t0)/(t1 - t0) in 0 ... 1"},
    {PROFILE_STEP5, &keys_step5, "y0 + (y1 - y0) s^3 (10 - 15 s + 6 s^2), s = (t - t0)/(t1 - t0) in 0 ... 1"},
    {PROFILE_CYCLOID, &keys_cycloid,
     "amplitude (s - sin(2 pi s)/(2 pi)), s = (t - start)/duration in 0 ... 1"},
    {PROFILE_RAMP, &keys_ramp, "rate (t - start) for start <= t <= end"},
    {PROFILE_POLYNOMIAL, &keys_polynomial, "c0 + c1 s + c2 s^2 + c3 s^3, s = t - times[i]"},
    {PROFILE_TABLE, &keys_table, "interpolation of (times, values)"},
    {PROFILE_SUM, &keys_sum, "p1 + p2 + ..."},
    {PROFILE_PRODUCT, &keys_product, "p1 p2 ..."},
    {PROFILE_INPUT, &keys_input, "as set: constant, or straight to a value over the next stretch"},
};

int cps_profile_types(void) { return COUNT(types); }
const profile_type *cps_profile_type(int i) { return &types[i]; }

/* ------------------------------------------------------------------ laws */

key_table cps_keys_of_law(const cps_law *law, key *rows) {
  for (int i = 0; i < law->n_params; i++) {
    const cps_param *p = &law->params[i];
    rows[i] = (key){.name = p->name,
                    .type = KEY_QUANTITY,
                    .unit = p->unit,
                    .value = p->value,
                    .min = p->min,
                    .max = p->max,
                    .where = (size_t)i * sizeof(double),
                    .meaning = p->meaning};
  }
  return (key_table){law->name, law->name, law->title, law->n_params, rows};
}

key_table cps_keys_of_normal(const cps_normal *law, int per_length, char units[][UNIT_ROOM], key *rows) {
  for (int i = 0; i < law->n_params; i++) {
    const cps_param *p = &law->params[i];
    size_t n = strlen(p->unit);
    /* Per length means another "/m" on whatever is a force: N/m becomes N/m2. */
    int force = per_length && p->unit[0] == 'N' && !strstr(p->unit, "^exponent");
    const char *more = !force ? "" : n > 2 && strcmp(p->unit + n - 2, "/m") == 0 ? "2" : "/m";
    snprintf(units[i], UNIT_ROOM, "%s%s", p->unit, more);
    rows[i] = (key){.name = p->name,
                    .type = KEY_QUANTITY,
                    .unit = units[i],
                    .value = p->value,
                    .min = p->min,
                    .max = p->max,
                    .where = (size_t)i * sizeof(double),
                    .meaning = p->meaning};
  }
  return (key_table){law->name, law->name, law->title, law->n_params, rows};
}

key_table cps_keys_of_states(const cps_law *law, key *rows) {
  for (int i = 0; i < law->n_states; i++) {
    const cps_state *s = &law->states[i];
    rows[i] = (key){.name = s->name,
                    .type = KEY_QUANTITY,
                    .unit = s->unit,
                    ANY,
                    .where = (size_t)i * sizeof(double),
                    .meaning = s->meaning};
  }
  return (key_table){"state", "the states of this law", law->title, law->n_states, rows};
}

/* ------------------------------------------------------------------ words */

const char *cps_key_unit(const key *k, const char *unit, char *text, size_t size) {
  if (!k->unit || k->unit[0] != '*') return k->unit;
  if (!unit) return NULL;
  snprintf(text, size, "%s%s", unit, k->unit + 1);
  return text;
}

/* What each type takes: # is "number" or "quantity in kg", @ the same of several, $ the words or the name. */
static const char *const expects[] = {
    [KEY_INTEGER] = "a whole number",
    [KEY_QUANTITY] = "a #",
    [KEY_FLAG] = "true or false",
    [KEY_WORD] = "one of $",
    [KEY_TEXT] = "text",
    [KEY_VECTOR] = "a list of two or three @",
    [KEY_AXIS] = "a list of three @",
    [KEY_POINT] = "a list of a time and a #",
    [KEY_AMOUNT] = "a #, or the word $",
    [KEY_GRAVITY] = "a #, or a list of two or three",
    [KEY_PROFILE] = "a #, the name of a profile, or a profile",
    [KEY_NORMAL] = "a #, a profile, or one of the words weight and load",
    [KEY_FRICTION] = "a friction law, alone or with its parameters",
    [KEY_PRESSING] = "a law of normal contact, alone or with its parameters",
    [KEY_STATES] = "a map of initial states",
    [KEY_ENDS] = "a list of two ends",
    [KEY_PAIR] = "a list of two names",
    [KEY_NAMES] = "a list of names, or the word $",
    [KEY_CHOICE] = "one of $",
    [KEY_PLACE] = "a list of two or three @, or a map",
    [KEY_PATH] = "a list of ends and of what lies between them",
    [KEY_TIMES] = "a list of @",
    [KEY_VALUES] = "a list of @",
    [KEY_PIECES] = "a list of lists of 1 to 4 coefficients",
    [KEY_COLUMN] = "the name or the number of a column",
    [KEY_PARTS] = "a list of profiles",
    [KEY_FILES] = "a list of file names",
    [KEY_MAP] = "a map",
    [KEY_NAMED] = "a map from names to $",
    [KEY_PROFILES] = "a map from names to profiles",
    [KEY_REPEATS] = "a list of maps",
    [KEY_TEXTS] = "a list of names",
};

/* Words with commas between them. */
static void add_words(char *text, size_t size, const char *words) {
  for (size_t n = 0; *words && n + 2 < size; words++) {
    if (*words == ' ') text[n++] = ',';
    text[n++] = *words;
    text[n] = 0;
  }
}

const char *cps_key_expects(const key *k, const char *place, char *text, size_t size) {
  char room[64];
  const char *unit = cps_key_unit(k, place, room, sizeof room);
  int plain = !unit || strcmp(unit, "1") == 0 || strstr(unit, "^exponent");
  size_t n = 0;
  text[0] = 0;
  for (const char *s = expects[k->type]; *s && n + 1 < size; s++, n = strlen(text)) {
    if (*s == '$') {
      add_words(text + n, size - n, k->words ? k->words : k->name);
      for (int i = 0; k->type == KEY_CHOICE && i < k->table->n; i++) {
        n = strlen(text);
        if (!cps_in_words(k->words, k->table->keys[i].name))
          snprintf(text + n, size - n, ", %s", k->table->keys[i].name);
      }
    } else if ((*s == '#' || *s == '@') && plain)
      snprintf(text + n, size - n, "%s", *s == '#' ? "number" : "numbers");
    else if (*s == '#' || *s == '@')
      snprintf(text + n, size - n, "%s%s%s", *s == '#' ? "quantity" : "quantities", *unit ? " in " : "",
               unit);
    else
      snprintf(text + n, size - n, "%c", *s);
  }
  return text;
}
