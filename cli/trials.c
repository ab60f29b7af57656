/* trials.c - see trials.h. */
#include "trials.h"
#include "cli.h"
#include "progress.h"
#include "study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text) {
  size_t n = strlen(text ? text : "") + 1;
  return (char *)memcpy(grow(NULL, n, 1), text ? text : "", n);
}

void trials_start(trials *t, const char *where, const char *title, const char *scenario) {
  memset(t, 0, sizeof *t);
  t->page = watch_start(where, study_page_live());
  if (!t->page) return;
  t->began = seconds_now();
  study_table *table = &t->table;
  static const char *const keys[] = {"title", "scenario", "method", "version"};
  const char *const values[] = {title, scenario, "search", cps_version()};
  table->file = copy_of(scenario);
  table->n_keys = 4;
  table->key = (char **)grow(NULL, 4, sizeof *table->key);
  table->value = (char **)grow(NULL, 4, sizeof *table->value);
  for (int i = 0; i < 4; i++) {
    table->key[i] = copy_of(keys[i]);
    table->value[i] = copy_of(values[i]);
  }
  fprintf(stderr, "capstan %s: to follow it: %s\n", where, watch_address(t->page));
}

void trials_column(trials *t, const char *kind, const char *name, const char *unit, double low, double high) {
  if (!t->page) return;
  study_table *table = &t->table;
  table->column = (study_table_column *)grow(table->column, (size_t)table->n_columns + 1,
                                             sizeof *table->column);
  table->column[table->n_columns++] = (study_table_column){.name = copy_of(name),
                                                           .kind = copy_of(kind),
                                                           .unit = copy_of(unit),
                                                           .path = copy_of(name),
                                                           .low = low,
                                                           .high = high};
}

void trials_add(trials *t, const double *values) {
  if (!t->page) return;
  study_table *table = &t->table;
  if (table->n == t->room) study_table_room(table, t->room = 2 * t->room + 64);
  long i = table->n++;
  table->point[i] = i;
  table->status[i] = POINT_OK;
  table->message[i] = NULL;
  table->seconds[i] = table->steps[i] = table->iterations[i] = table->rejected[i] = NAN;
  for (int k = 0; k < table->n_columns; k++) table->column[k].x[i] = values[k];
}

static study_page_state state_of(const trials *t, const char *status) {
  return (study_page_state){.memory = &t->table,
                            .status = status,
                            .done = (double)t->table.n,
                            .wanted = NAN,
                            .wall = seconds_now() - t->began};
}

int trials_tick(trials *t) {
  if (!t->page) return 0;
  study_page_state now = state_of(t, "running");
  return watch_tick(t->page, study_page_encode, &now);
}

void trials_end(trials *t, const char *status) {
  if (!t->page) return;
  study_page_state now = state_of(t, status);
  watch_end(t->page, study_page_encode, &now);
  t->page = NULL;
  study_table_clear(&t->table);
}
