/* statics.c - capstan statics: equilibrium of the cables of a scenario, and the range of loads that friction holds. */
#include "cli.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEG (180 / 3.14159265358979323846)

enum { N_OPTIONS = 4, COLUMN_SIZE = 3 * CPS_NAME_ROOM };

typedef struct statics_options {
  int help, json, no_range;
  text_list set;
} statics_options;

/* All that is found. */
typedef struct findings {
  const cps_scenario *scenario;
  const char *file;
  const cps_result *result; /* NULL if there is no equilibrium */
  cps_error error;          /* which says why */
  int n_holds;
  cps_hold *holds;
  cps_error *hold_errors;
  int incomplete; /* there was no memory for all of the ranges */
} findings;

static void print_help(const option *table) {
  printf("capstan statics - equilibrium of cables with friction, and the loads that friction would hold\n\n"
         "Usage: capstan statics FILE [--set PATH=VALUE]... [--json]\n\n"
         "Prints where the ends come to rest, tensions, wrap angles, arcs of stick and slip and the part of "
         "the\n"
         "friction that is used for each cable on each drum, and the torque on each drum. Then, for the mass "
         "of\n"
         "every body and every force at a cable's end, the range that friction would hold while all other "
         "loads\n"
         "stay, beside what the capstan formula says where one drum lies between two loaded "
         "ends.\n\nOptions:\n");
  options_help(stdout, table, N_OPTIONS);
  printf("\nExit status: 0 there is an equilibrium, 1 there is none (the ranges are printed all the same),\n"
         "2 bad input or usage, 3 the file cannot be read.\n");
}

/* ---------------------------------------------------------------- values */

static double value(const findings *f, const char *kind, const char *name, const char *what) {
  char column[COLUMN_SIZE];
  snprintf(column, sizeof column, "%s.%s.%s", kind, name, what);
  int c = cps_result_find(f->result, column);
  long last = cps_result_rows(f->result) - 1;
  return c >= 0 && last >= 0 ? cps_result_data(f->result, c)[last] + 0.0 : NAN;
}

static int is_in_space(const cps_scenario *scenario) {
  cps_contents has;
  cps_scenario_contents(scenario, &has);
  return has.dim == 3;
}

/* A value of a cable on a drum. */
static double contact_response(const findings *f, const cps_cable *c, const cps_drum *d, const char *what) {
  char kind[COLUMN_SIZE];
  snprintf(kind, sizeof kind, "cables.%s", c->name);
  return value(f, kind, d->name, what);
}

static int touches(const findings *f, const cps_cable *c, const cps_drum *d) {
  return isfinite(contact_response(f, c, d, "wrap"));
}

/* Where an end of a cable is. */
static const double *end_place(const findings *f, const cps_cable *c, int end, int *dim) {
  char name[COLUMN_SIZE];
  snprintf(name, sizeof name, "cables.%s.position", c->name);
  for (int i = 0; i < cps_result_fields(f->result); i++) {
    const cps_field *p = cps_result_field(f->result, i);
    if (strcmp(p->name, name) != 0 || cps_result_frames(f->result) < 1) continue;
    size_t frame = (size_t)(cps_result_frames(f->result) - 1) * (size_t)(p->points * p->components);
    *dim = p->components;
    return cps_result_field_data(f->result, i) + frame + (end ? (p->points - 1) * p->components : 0);
  }
  return NULL;
}

static void end_name(const findings *f, const cps_cable *c, int end, char *text, size_t size) {
  cps_body body = {.name = ""};
  cps_drum drum = {.name = ""};
  cps_scenario_body_at(f->scenario, c->end[end].body, &body);
  int rim = cps_scenario_drum_at(f->scenario, c->end[end].drum, &drum) == CPS_OK;
  const char *on = rim ? drum.name : body.name;
  snprintf(text, size, "%s %s, %s%s%s%s", c->name, end ? "end" : "start", c->end[end].kind, rim ? " of" : "",
           *on ? " " : "", on);
}

/* ---------------------------------------------------------------- for people */

static void print_ends(const findings *f) {
  printf("\n  %-34s %14s %14s %14s\n", "ends at rest", "x [m]", "y [m]", "tension [N]");
  cps_cable cable, *c = &cable;
  for (int i = 0; cps_scenario_cable_at(f->scenario, i, c) == CPS_OK; i++) {
    for (int e = 0; e < 2 && !c->closed; e++) {
      char name[COLUMN_SIZE];
      int dim = 2;
      const double *r = end_place(f, c, e, &dim);
      end_name(f, c, e, name, sizeof name);
      printf("  %-34s %14.7g %14.7g %14.7g\n", name, r ? r[0] : NAN, r ? r[1] : NAN,
             value(f, "cables", c->name, e ? "tension_end" : "tension_start"));
      if (r && dim == 3) printf("  %-34s %14s %14.7g (z)\n", "", "", r[2]);
    }
    printf("  %-34s %14s from %.7g to %.7g N\n", c->name, "tension",
           value(f, "cables", c->name, "tension_min"), value(f, "cables", c->name, "tension_max"));
  }
}

static void print_contacts(const findings *f) {
  int lines = 0;
  cps_cable cable, *c = &cable;
  cps_drum drum, *d = &drum;
  for (int i = 0; cps_scenario_cable_at(f->scenario, i, c) == CPS_OK; i++)
    for (int k = 0; cps_scenario_drum_at(f->scenario, k, d) == CPS_OK; k++) {
      if (!touches(f, c, d)) continue;
      if (!lines++)
        printf("\n  %-20s %9s %9s %9s %11s %11s %11s %11s %9s\n", "cable on drum", "wrap", "sticks", "slips",
               "T in [N]", "T out [N]", "normal [N]", "frict. [N]", "used");
      char name[COLUMN_SIZE];
      snprintf(name, sizeof name, "%s on %s", c->name, d->name);
      printf("  %-20s %8.2f° %8.2f° %8.2f° %11.6g %11.6g %11.6g %11.6g %8.2f%%\n", name,
             DEG * contact_response(f, c, d, "wrap"), DEG * contact_response(f, c, d, "stick_arc"),
             DEG * contact_response(f, c, d, "slip_arc"), contact_response(f, c, d, "t_in"),
             contact_response(f, c, d, "t_out"), contact_response(f, c, d, "normal"),
             contact_response(f, c, d, "friction"), 100 * (1 - contact_response(f, c, d, "margin")));
    }
}

static void print_drums(const findings *f) {
  int space = is_in_space(f->scenario);
  cps_drum d;
  for (int k = 0; cps_scenario_drum_at(f->scenario, k, &d) == CPS_OK; k++) {
    const char *name = d.name;
    if (k == 0)
      printf("\n  %-20s %14s %14s %14s %14s\n", "drum", "torque [N m]", "x force [N]", "y force [N]",
             space ? "z force [N]" : "");
    printf("  %-20s %14.7g %14.7g %14.7g", name, value(f, "drums", name, "torque"),
           value(f, "drums", name, "fx"), value(f, "drums", name, "fy"));
    if (space) printf(" %14.7g", value(f, "drums", name, "fz"));
    printf("\n");
  }
}

/* Whether a value is held: 1, 0, or -1 where that is not known. */
static int is_held(const cps_hold *h) {
  if (h->value < h->least) return h->least_unknown ? -1 : 0;
  if (h->value > h->most) return h->most_unknown ? -1 : 0;
  return isnan(h->least) || isnan(h->most) ? -1 : 1;
}

static void limit_text(char *text, size_t size, double x) {
  if (isnan(x))
    snprintf(text, size, "-");
  else if (isinf(x))
    snprintf(text, size, "no limit");
  else
    snprintf(text, size, "%.5g", x);
}

static void print_holds(const findings *f) {
  if (f->n_holds == 0) return;
  printf("\n  %-28s %12s %12s %12s %15s %12s\n", "friction holds", "now", "from", "to", "formula: from",
         "to");
  for (int i = 0; i < f->n_holds; i++) {
    const cps_hold *h = &f->holds[i];
    char text[4][24];
    double limits[4] = {h->least, h->most, h->formula_least, h->formula_most};
    if (f->hold_errors[i].status != CPS_OK) {
      printf("  %-28s %s\n", h->name, f->hold_errors[i].text);
      continue;
    }
    for (int k = 0; k < 4; k++) limit_text(text[k], sizeof text[k], limits[k]);
    int unknown = h->least_unknown || h->most_unknown, held = is_held(h);
    printf("  %-28s %12.5g %12s %12s %15s %12s  %s%s%s%s%s\n", h->name, h->value, text[0], text[1], text[2],
           text[3], h->unit,
           held == 0  ? ", not held"
           : held < 0 ? ", not known to hold"
                      : "",
           unknown ? "; more may hold" : "", h->least_unknown ? " below" : "",
           h->most_unknown ? " above" : "");
  }
}

static void print_findings(const findings *f) {
  const char *title = cps_scenario_title(f->scenario);
  printf("%s\n", title && *title ? title : shown_name(f->file));
  if (f->result) {
    print_ends(f);
    print_contacts(f);
    print_drums(f);
  }
  print_holds(f);
}

/* ---------------------------------------------------------------- JSON */

static void json_ends(json *w, const findings *f) {
  json_open(w, "ends", '[');
  cps_cable cable, *c = &cable;
  for (int i = 0; cps_scenario_cable_at(f->scenario, i, c) == CPS_OK; i++) {
    for (int e = 0; e < 2 && !c->closed; e++) {
      int dim = 2;
      const double *r = end_place(f, c, e, &dim);
      json_open_flat(w, NULL, '{');
      json_text(w, "cable", c->name);
      json_text(w, "end", e ? "end" : "start");
      cps_body body = {.name = NULL};
      cps_scenario_body_at(f->scenario, c->end[e].body, &body);
      json_text(w, "body", body.name);
      json_open(w, "position", '[');
      for (int d = 0; r && d < dim; d++) json_number(w, NULL, r[d]);
      json_close(w);
      json_number(w, "tension", value(f, "cables", c->name, e ? "tension_end" : "tension_start"));
      json_close(w);
    }
  }
  json_close(w);
}

static void json_contacts(json *w, const findings *f) {
  static const char *const what[] = {"wrap",  "stick_arc", "slip_arc", "t_in",
                                     "t_out", "normal",    "friction", "margin"};
  json_open(w, "contacts", '[');
  cps_cable cable, *c = &cable;
  cps_drum drum, *d = &drum;
  for (int i = 0; cps_scenario_cable_at(f->scenario, i, c) == CPS_OK; i++)
    for (int k = 0; cps_scenario_drum_at(f->scenario, k, d) == CPS_OK; k++) {
      if (!touches(f, c, d)) continue;
      json_open_flat(w, NULL, '{');
      json_text(w, "cable", c->name);
      json_text(w, "drum", d->name);
      for (size_t j = 0; j < sizeof what / sizeof what[0]; j++)
        json_number(w, what[j], contact_response(f, c, d, what[j]));
      json_close(w);
    }
  json_close(w);
  json_open(w, "drums", '[');
  for (int k = 0; cps_scenario_drum_at(f->scenario, k, d) == CPS_OK; k++) {
    const char *name = d->name;
    json_open_flat(w, NULL, '{');
    json_text(w, "drum", name);
    json_number(w, "torque", value(f, "drums", name, "torque"));
    json_number(w, "fx", value(f, "drums", name, "fx"));
    json_number(w, "fy", value(f, "drums", name, "fy"));
    if (is_in_space(f->scenario)) json_number(w, "fz", value(f, "drums", name, "fz"));
    json_close(w);
  }
  json_close(w);
}

static void print_json(const findings *f) {
  json w = json_start(stdout);
  json_open(&w, NULL, '{');
  json_text(&w, "scenario", f->file);
  json_bool(&w, "equilibrium", f->result != NULL);
  if (f->result) {
    json_ends(&w, f);
    json_contacts(&w, f);
  } else {
    json_text(&w, "error", f->error.text);
  }
  json_open(&w, "holds", '[');
  for (int i = 0; i < f->n_holds; i++) {
    const cps_hold *h = &f->holds[i];
    int good = f->hold_errors[i].status == CPS_OK;
    json_open_flat(&w, NULL, '{');
    json_text(&w, "name", h->name);
    json_text(&w, "unit", h->unit);
    json_number(&w, "value", h->value);
    json_number(&w, "least", h->least);
    json_number(&w, "most", h->most); /* null: no limit */
    json_number(&w, "formula_least", h->formula_least);
    json_number(&w, "formula_most", h->formula_most);
    json_bool(&w, "least_unknown", h->least_unknown); /* what lies beyond is not known not to hold */
    json_bool(&w, "most_unknown", h->most_unknown);
    if (good && is_held(h) >= 0)
      json_bool(&w, "held", is_held(h));
    else
      json_number(&w, "held", NAN); /* null: not known */
    json_text(&w, "error", good ? NULL : f->hold_errors[i].text);
    json_close(&w);
  }
  json_close(&w);
  json_close(&w);
  json_end(&w);
}

/* ---------------------------------------------------------------- the command */

static void find_holds(findings *f, const cps_system *system) {
  f->n_holds = cps_hold_count(system);
  f->incomplete = f->n_holds < 0;
  if (f->incomplete) f->n_holds = 0;
  f->holds = grow(NULL, (size_t)f->n_holds + 1, sizeof *f->holds);
  f->hold_errors = grow(NULL, (size_t)f->n_holds + 1, sizeof *f->hold_errors);
  memset(f->hold_errors, 0, ((size_t)f->n_holds + 1) * sizeof *f->hold_errors);
  for (int i = 0; i < f->n_holds; i++)
    f->incomplete |= cps_hold_range(system, i, &f->holds[i], &f->hold_errors[i]) == CPS_NO_MEMORY;
  /* a range that has the present value in it, where that is not held, says nothing: with another load the rope has run off its drum */
  for (int i = 0; i < f->n_holds && !f->result; i++) {
    cps_hold *h = &f->holds[i];
    if (is_held(h) != 1) continue;
    h->least = h->most = NAN;
    h->least_unknown = h->most_unknown = 0;
  }
}

static int find_rest(const cps_scenario *scenario, const char *file, const statics_options *o) {
  findings f = {.scenario = scenario, .file = file};
  cps_system *system = cps_system_new(scenario, &f.error);
  cps_cable first;
  if (system && cps_scenario_cable_at(scenario, 0, &first) != CPS_OK) {
    complain("statics", "%s has no cables: statics is about cables on drums", file);
    cps_system_free(system);
    return STATUS_USAGE;
  }
  cps_simulation *sim = system ? cps_simulation_new(system, &f.error) : NULL;
  cps_status status = sim ? cps_statics(sim, &f.error) : f.error.status;
  if (sim && status == CPS_OK) f.result = cps_simulation_result(sim);
  if (system && !o->no_range && (status == CPS_OK || status == CPS_FAILED)) find_holds(&f, system);
  if (o->json)
    print_json(&f);
  else if (f.result || f.n_holds > 0)
    print_findings(&f);
  fflush(stdout);
  if (!f.result && !o->json) problem_print("statics", &f.error);
  if (f.incomplete) complain("statics", "out of memory: the loads that friction holds are not all there");
  free(f.holds);
  free(f.hold_errors);
  cps_simulation_free(sim);
  cps_system_free(system);
  return f.result && !f.incomplete ? STATUS_GOOD : status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_FAILED;
}

/* Says what is wrong with the file: to people, or as the document that was asked for. */
static void refuse(const char *file, const cps_problems *problems, int as_json) {
  if (!as_json) {
    problems_print(problems);
    return;
  }
  json w = json_start(stdout);
  json_open(&w, NULL, '{');
  json_text(&w, "scenario", file);
  json_bool(&w, "equilibrium", 0);
  problems_json(&w, "problems", problems);
  json_close(&w);
  json_end(&w);
}

int statics_run(int argc, char **argv) {
  statics_options o = {0};
  const option table[N_OPTIONS] = {
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE",
       "change a value, such as --set bodies.right.mass='20 kg'"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"no-range", 0, OPTION_FLAG, &o.no_range, NULL,
       "the equilibrium alone, without the loads that would hold"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  int n = options_parse("statics", table, N_OPTIONS, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table);
    return STATUS_GOOD;
  }
  if (n != 1) {
    complain("statics",
             n == 0 ? "which file? usage: capstan statics FILE" : "one file at a time, please; found %d", n);
    return STATUS_USAGE;
  }
  cps_problems *problems = NULL;
  cps_scenario *scenario = input_scenario(argv[0], &o.set, &problems);
  int status;
  if (!scenario) {
    refuse(argv[0], problems, o.json);
    status = problems_status(problems);
  } else {
    status = find_rest(scenario, argv[0], &o);
  }
  cps_problems_free(problems);
  cps_scenario_free(scenario);
  return status;
}
