/* check.c - capstan check: reads a scenario file and says everything that is wrong with it.
 *
 * It also prints what the files of docs/ about scenarios are made of: the schema and the reference.
 */
#include "cli.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "problems.h"

#include <stdlib.h>
#include <string.h>

enum { N_OPTIONS = 5 };

typedef struct check_options {
  int help, json, schema, reference;
  text_list set;
} check_options;

static void print_help(const option *table) {
  printf("capstan check - say everything that is wrong with a scenario file, without running it\n\n"
         "Usage: capstan check FILE [--set PATH=VALUE]... [--json]      FILE may be - for standard input\n"
         "       capstan check --schema       the JSON Schema of scenario files, for editors\n"
         "       capstan check --reference    the reference of scenario files, in Markdown\n\nOptions:\n");
  options_help(stdout, table, N_OPTIONS);
  printf("\nExit status: 0 nothing is wrong, 2 something is, 3 the file cannot be read.\n");
}

/* "3 bodies" */
static void append_count(char *text, size_t size, int n, const char *one, const char *many) {
  if (n > 0) append(text, size, "%s%d %s", *text ? ", " : "", n, n == 1 ? one : many);
}

static void print_good(const cps_scenario *s, const char *file) {
  char text[200] = "", until[40];
  cps_contents has;
  cps_scenario_contents(s, &has);
  append_count(text, sizeof text, has.bodies, "body", "bodies");
  append_count(text, sizeof text, has.surfaces, "surface", "surfaces");
  append_count(text, sizeof text, has.springs, "spring", "springs");
  append_count(text, sizeof text, has.contacts, "contact", "contacts");
  append_count(text, sizeof text, has.loads, "load", "loads");
  append_count(text, sizeof text, has.drums, "drum", "drums");
  append_count(text, sizeof text, has.cables, "cable", "cables");
  number_text(until, sizeof until, has.until);
  printf("%s is good: %s; %s until %s s\n", shown_name(file), text, has.solver, until);
}

/* One document, whether the scenario is good (s) or not (problems). */
static void print_json(const cps_scenario *s, const cps_system *system, const cps_problems *problems,
                       const char *file) {
  json w = json_start(stdout);
  json_open(&w, NULL, '{');
  json_text(&w, "file", file);
  json_bool(&w, "ok", s != NULL);
  if (s) {
    cps_contents has;
    cps_scenario_contents(s, &has);
    json_text(&w, "title", cps_scenario_title(s));
    json_text(&w, "hash", cps_scenario_hash(s));
    json_int(&w, "bodies", has.bodies);
    json_int(&w, "surfaces", has.surfaces);
    json_int(&w, "springs", has.springs);
    json_int(&w, "contacts", has.contacts);
    json_int(&w, "loads", has.loads);
    json_int(&w, "drums", has.drums);
    json_int(&w, "cables", has.cables);
    json_text(&w, "solver", has.solver);
    json_number(&w, "from", has.from);
    json_number(&w, "until", has.until);
  }
  problems_json(&w, "problems", problems);
  json_open(&w, "warnings", '[');
  for (int i = 0; system && cps_system_warning(system, i); i++)
    json_text(&w, NULL, cps_system_warning(system, i));
  json_close(&w);
  json_close(&w);
  json_end(&w);
}

static int check_file(const char *file, const check_options *o) {
  cps_problems *problems = NULL;
  cps_scenario *s = input_scenario(file, &o->set, &problems);
  if (s && cps_system_check(s, &problems) != CPS_OK) {
    cps_scenario_free(s);
    s = NULL;
  }
  cps_system *system = s ? cps_system_new(s, NULL) : NULL;
  int status = s ? STATUS_GOOD : problems_status(problems);
  if (o->json)
    print_json(s, system, problems, file);
  else if (s)
    print_good(s, file);
  else
    problems_print(problems);
  for (int i = 0; system && !o->json && cps_system_warning(system, i); i++)
    complain("check", "warning: %s", cps_system_warning(system, i));
  cps_system_free(system);
  cps_problems_free(problems);
  cps_scenario_free(s);
  return status;
}

/* Prints text that the library made, and frees it. */
static int print_made(char *text) {
  if (!text) {
    complain("check", "out of memory");
    return STATUS_FAILED;
  }
  fputs(text, stdout);
  free(text);
  return STATUS_GOOD;
}

int check_run(int argc, char **argv) {
  check_options o = {0};
  const option table[N_OPTIONS] = {
      {"set", 's', OPTION_LIST, &o.set, "PATH=VALUE", "change a value, such as --set run.until='5 s'"},
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"schema", 0, OPTION_FLAG, &o.schema, NULL, "print the JSON Schema of scenario files"},
      {"reference", 0, OPTION_FLAG, &o.reference, NULL, "print the reference of scenario files"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  int n = options_parse("check", table, N_OPTIONS, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table);
    return STATUS_GOOD;
  }
  int asks = o.schema + o.reference;
  if (asks > 1 || (asks == 1 && (n > 0 || o.set.n > 0 || o.json))) {
    complain("check", "--%s stands alone", o.schema ? "schema" : "reference");
    return STATUS_USAGE;
  }
  if (o.schema) return print_made(cps_scenario_schema());
  if (o.reference) return print_made(cps_scenario_reference());
  if (n != 1) {
    complain("check",
             n == 0 ? "which file? usage: capstan check FILE" : "one file at a time, please; found %d", n);
    return STATUS_USAGE;
  }
  return check_file(argv[0], &o);
}
