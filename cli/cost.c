/* cost.c - see cost.h. */
#include "cost.h"

#include <time.h>

static const struct cost_name {
  const char *key, *text;
} names[N_COSTS] = {
    [COST_PROGRAM] = {"program", "program"},
    [COST_SCENARIO] = {"scenario", "scenario"},
    [COST_START] = {"start", "start"},
    [COST_DYNAMICS] = {"dynamics", "dynamics"},
    [COST_SECURING] = {"securing", "securing"},
    [COST_RESULT] = {"result", "result.h5"},
    [COST_SERIES] = {"series", "CSV and summary"},
    [COST_REPORT] = {"report", "report.html"},
};

static double spent[N_COSTS]; /* [s] */
static double until;          /* the processor time that is in `spent` [s] */
static cost_part now = COST_PROGRAM;

cost_part cost_turn(cost_part to) {
  struct timespec t;
  cost_part from = now;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0) {
    double used = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    spent[from] += used - until;
    until = used;
  }
  now = to;
  return from;
}

void cost_json(json *w, const char *key) {
  cost_turn(now);
  json_open_flat(w, key, '{');
  json_number(w, "total", until);
  for (int i = 0; i < N_COSTS; i++) json_number(w, names[i].key, spent[i]);
  json_close(w);
}

void cost_text(char *text, size_t size) {
  cost_turn(now);
  int in_seconds = until >= 10;
  double scale = in_seconds ? 1 : 1e3;
  int n = snprintf(text, size, scale * until < 1000 ? "%.3g %s" : "%.0f %s", scale * until,
                   in_seconds ? "s" : "ms");
  for (int i = 0, shown = 0; i < N_COSTS; i++) {
    if (spent[i] < 0.01 * until || n < 0 || (size_t)n >= size) continue;
    double cost = scale * spent[i];
    n += snprintf(text + n, size - (size_t)n, cost < 100 ? "%s %s %.2g" : "%s %s %.0f", shown++ ? "," : ":",
                  names[i].text, cost);
  }
}
