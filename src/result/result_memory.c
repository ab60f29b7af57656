/* result_memory.c - results that belong to no simulation: made, copied, asked, freed. Needs no files. */
#include "result_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cps_result_text_names[RESULT_TEXTS] = {"status",   "summary", "scenario", "file",  "hash",
                                                         "settings", "title",   "version",  "solver"};

cps_result *cps_result_empty(void) {
  cps_result *r = calloc(1, sizeof *r);
  if (r) r->texts = calloc(1, sizeof *r->texts);
  if (r && r->texts) return r;
  free(r);
  return NULL;
}

int cps_result_make_columns(cps_result *r, int n) {
  size_t cells;
  r->n_columns = n;
  r->capacity = r->rows > 0 ? r->rows : 1;
  if (!cps_size_times((size_t)n, (size_t)r->capacity, &cells)) return 0;
  r->names = calloc((size_t)n, sizeof *r->names);
  r->units = calloc((size_t)n, sizeof *r->units);
  r->texts->column_unit = calloc((size_t)n, UNIT_ROOM);
  r->data = calloc(cells, sizeof(double));
  return r->names && r->units && r->texts->column_unit && r->data;
}

/* Fields and events of another result. */
static int copy_rest(cps_result *r, const cps_result *of) {
  size_t events = (size_t)of->n_events, frames = (size_t)of->frames;
  r->texts->contact = calloc(events + 1, sizeof *r->texts->contact);
  r->events = calloc(events + 1, sizeof *r->events);
  r->frame_times = calloc(frames + 1, sizeof(double));
  r->fields = calloc((size_t)of->n_fields + 1, sizeof *r->fields);
  if (!r->texts->contact || !r->events || !r->frame_times || !r->fields) return 0;
  for (size_t i = 0; i < events; i++) {
    snprintf(r->texts->contact[i], EVENT_NAME, "%s", of->events[i].contact_name);
    r->events[i] = of->events[i];
    r->events[i].contact_name = r->texts->contact[i];
  }
  r->n_events = of->n_events;
  if (frames > 0) memcpy(r->frame_times, of->frame_times, frames * sizeof(double));
  r->frames = of->frames;
  for (; r->n_fields < of->n_fields; r->n_fields++) {
    const field_data *from = &of->fields[r->n_fields];
    field_data *to = &r->fields[r->n_fields];
    size_t entry = (size_t)from->field.points * (size_t)from->field.components;
    size_t n = from->data ? entry * (from->field.constant ? frames > 0 : frames) : 0;
    to->field = from->field;
    to->data = malloc(n * sizeof(double) + 1);
    if (!to->data) return 0;
    if (n > 0) memcpy(to->data, from->data, n * sizeof(double));
  }
  return 1;
}

cps_result *cps_result_copy(const cps_result *of, int extra, cps_error *err) {
  cps_result *r = cps_result_empty();
  if (r) {
    r->rows = of->rows;
    r->energy = of->energy;
    r->counters = of->counters;
    if (cps_result_make_columns(r, of->n_columns + extra) && copy_rest(r, of)) {
      for (int c = 0; c < of->n_columns; c++)
        cps_result_set_column(r, c, of->names[c], of->units[c], cps_result_data(of, c));
      return r;
    }
    cps_result_free(r);
  }
  cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a copy of the result");
  return NULL;
}

void cps_result_set_column(cps_result *r, int c, const char *name, const char *unit, const double *data) {
  snprintf(r->names[c], sizeof r->names[c], "%s", name);
  snprintf(r->texts->column_unit[c], UNIT_ROOM, "%s", unit);
  r->units[c] = r->texts->column_unit[c];
  if (r->rows > 0) memcpy(r->data + (size_t)c * (size_t)r->capacity, data, (size_t)r->rows * sizeof(double));
}

void cps_result_free(cps_result *r) {
  if (!r || !r->texts) return; /* that of a simulation is not ours to free */
  loaded_text *t = r->texts;
  for (int i = 0; i < RESULT_TEXTS; i++) free(t->text[i]);
  free(t->column_unit);
  free(t->field_unit);
  free(t->contact);
  free(t->places);
  free(t);
  for (int i = 0; i < r->n_fields; i++) free(r->fields[i].data);
  free(r->fields);
  free(r->frame_times);
  free(r->names);
  free((void *)r->units);
  free(r->data);
  free(r->events);
  free(r);
}

const char *cps_result_text(const cps_result *r, const char *name) {
  for (int i = 0; r->texts && i < RESULT_TEXTS; i++)
    if (strcmp(cps_result_text_names[i], name) == 0) return r->texts->text[i];
  return NULL;
}

int cps_result_places(const cps_result *r) { return r->texts ? r->texts->n_places : 0; }
const cps_result_place *cps_result_place_at(const cps_result *r, int i) {
  return i >= 0 && i < cps_result_places(r) ? &r->texts->places[i] : NULL;
}
