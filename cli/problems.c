/* problems.c - see problems.h. */
#include "problems.h"
#include "cli.h"

void problem_print(const char *command, const cps_error *error) {
  char text[2048];
  cps_problem_text(error, text, sizeof text);
  if (error->line > 0)
    fprintf(stderr, "%s\n", text);
  else
    complain(command, "%s", error->text);
}

void problems_print(const cps_problems *problems) {
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char text[2048];
    cps_problem_text(cps_problems_at(problems, i), text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
}

void problems_json(json *w, const char *key, const cps_problems *problems) {
  json_open(w, key, '[');
  for (int i = 0; i < cps_problems_count(problems); i++) {
    const cps_error *e = cps_problems_at(problems, i);
    json_open(w, NULL, '{');
    json_text(w, "status", cps_status_name(e->status));
    json_text(w, "file", e->file);
    json_int(w, "line", e->line);
    json_int(w, "column", e->column);
    json_text(w, "key", e->key);
    json_text(w, "text", e->text);
    json_text(w, "source", e->source);
    json_close(w);
  }
  json_close(w);
}

int problems_status(const cps_problems *problems) {
  for (int i = 0; i < cps_problems_count(problems); i++) {
    cps_status status = cps_problems_at(problems, i)->status;
    if (status == CPS_IO) return STATUS_IO;
    if (status == CPS_NO_MEMORY) return STATUS_FAILED;
  }
  return STATUS_USAGE;
}

int problems_refuse(const char *file, const cps_problems *problems, int as_json) {
  if (as_json) {
    json w = json_start(stdout);
    json_open(&w, NULL, '{');
    json_text(&w, "status", "bad input");
    json_text(&w, "scenario", file);
    problems_json(&w, "problems", problems);
    json_close(&w);
    json_end(&w);
  } else {
    problems_print(problems);
  }
  return problems_status(problems);
}
