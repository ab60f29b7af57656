/* result_pack.c - a result as a stream of plain bytes.
 *
 * The stream: a head with all counts, then column names, units and values, events, times of frames, fields, places and
 * texts. Who takes it checks each count before there is room made for it, and ends each text itself. */
#include "result_file.h"
#include "result_texts.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pack_head {
  int64_t columns, rows, events, frames, fields, places;
} pack_head;

typedef struct pack_event {
  double time;
  int32_t contact, from, to, unused;
  char name[EVENT_NAME];
  char what[48];
} pack_event;

typedef struct pack_field {
  int64_t points, components, constant;
  char name[128];
  char unit[UNIT_ROOM];
} pack_field;

/* Texts are no longer than that [bytes]. */
#define TEXT_MOST ((int64_t)1 << 30)

static size_t field_size(const cps_field *f, long frames) {
  return (size_t)f->points * (size_t)f->components * (f->constant ? 1 : (size_t)frames);
}

static int put_events(const cps_result *r, cps_pack_put put, void *to) {
  for (long i = 0; i < r->n_events; i++) {
    const cps_event *e = &r->events[i];
    pack_event p;
    memset(&p, 0, sizeof p);
    p.time = e->time;
    p.contact = e->contact;
    p.from = e->from;
    p.to = e->to;
    snprintf(p.name, sizeof p.name, "%s", e->contact_name);
    memcpy(p.what, e->what, sizeof p.what);
    if (!put(to, &p, sizeof p)) return 0;
  }
  return 1;
}

static int put_fields(const cps_result *r, cps_pack_put put, void *to) {
  for (int i = 0; i < r->n_fields; i++) {
    const cps_field *f = &r->fields[i].field;
    pack_field p;
    memset(&p, 0, sizeof p);
    p.points = f->points;
    p.components = f->components;
    p.constant = f->constant;
    snprintf(p.name, sizeof p.name, "%s", f->name);
    snprintf(p.unit, sizeof p.unit, "%s", f->unit);
    if (!put(to, &p, sizeof p) || !put(to, r->fields[i].data, field_size(f, r->frames) * sizeof(double)))
      return 0;
  }
  return 1;
}

int cps_result_pack(const cps_result *r, cps_pack_put put, void *to) {
  const loaded_text *t = r->texts;
  pack_head h = {r->n_columns, r->rows, r->n_events, r->frames, r->n_fields, t->n_places};
  int good = put(to, &h, sizeof h) && put(to, r->names, (size_t)r->n_columns * sizeof *r->names) &&
             put(to, t->column_unit, (size_t)r->n_columns * UNIT_ROOM);
  for (int c = 0; c < r->n_columns && good; c++)
    good = put(to, cps_result_data(r, c), (size_t)r->rows * sizeof(double));
  good = good && put_events(r, put, to) && put(to, r->frame_times, (size_t)r->frames * sizeof(double)) &&
         put_fields(r, put, to) && put(to, t->places, (size_t)t->n_places * sizeof *t->places);
  for (int i = 0; i < RESULT_TEXTS && good; i++) {
    int64_t length = t->text[i] ? (int64_t)strlen(t->text[i]) : -1;
    good = put(to, &length, sizeof length) && (length <= 0 || put(to, t->text[i], (size_t)length));
  }
  return good;
}

/* ------------------------------------------------------------------ taking */

/* Where it comes from, and for how many bytes there may still be room made. */
typedef struct taking {
  cps_pack_get get;
  void *from;
  size_t left;
} taking;

static int take(taking *t, void *bytes, size_t size) { return t->get(t->from, bytes, size); }

/* Whether there may be room made for n entries of that size, which is then counted. */
static int allow(taking *t, int64_t n, size_t entry) {
  size_t bytes;
  if (n < 0 || !cps_size_times((size_t)n, entry, &bytes) || bytes > t->left) return 0;
  t->left -= bytes;
  return 1;
}

static int head_is_good(const pack_head *h) {
  const int64_t most = INT64_MAX / 4096;
  return h->columns > 0 && h->columns < INT_MAX / 2 && h->rows >= 0 && h->rows < most && h->events >= 0 &&
         h->events < most && h->frames >= 0 && h->frames < most && h->fields >= 0 &&
         h->fields < INT_MAX / 2 && h->places >= 0 && h->places < INT_MAX / 2;
}

static int get_columns(cps_result *r, int n, taking *in) {
  loaded_text *t = r->texts;
  if (!cps_result_make_columns(r, n) || !take(in, r->names, (size_t)n * sizeof *r->names) ||
      !take(in, t->column_unit, (size_t)n * UNIT_ROOM))
    return 0;
  for (int c = 0; c < n; c++) {
    r->names[c][sizeof *r->names - 1] = t->column_unit[c][UNIT_ROOM - 1] = 0;
    r->units[c] = t->column_unit[c];
    if (!take(in, r->data + (size_t)c * (size_t)r->capacity, (size_t)r->rows * sizeof(double))) return 0;
  }
  return 1;
}

static int get_events(cps_result *r, size_t n, taking *in) {
  r->events = calloc(n + 1, sizeof *r->events);
  r->texts->contact = calloc(n + 1, sizeof *r->texts->contact);
  if (!r->events || !r->texts->contact) return 0;
  for (size_t i = 0; i < n; i++) {
    pack_event p;
    if (!take(in, &p, sizeof p)) return 0;
    p.name[sizeof p.name - 1] = p.what[sizeof p.what - 1] = 0;
    if (p.contact < -1) return 0;
    memcpy(r->texts->contact[i], p.name, sizeof p.name);
    r->events[i] = (cps_event){p.time, p.contact, p.from, p.to, r->texts->contact[i], ""};
    memcpy(r->events[i].what, p.what, sizeof p.what);
  }
  r->n_events = (long)n;
  return 1;
}

static int get_fields(cps_result *r, int n, taking *in) {
  r->fields = calloc((size_t)n + 1, sizeof *r->fields);
  r->texts->field_unit = calloc((size_t)n + 1, UNIT_ROOM);
  if (!r->fields || !r->texts->field_unit) return 0;
  for (int i = 0; i < n; i++) {
    pack_field p;
    field_data *f = &r->fields[i];
    size_t entry, whole, bytes;
    if (!take(in, &p, sizeof p) || p.points < 0 || p.points > INT_MAX || p.components < 1 ||
        p.components > INT_MAX || !cps_size_times((size_t)p.points, (size_t)p.components, &entry) ||
        entry > INT_MAX || !cps_size_times(entry, p.constant ? 1 : (size_t)r->frames, &whole) ||
        !cps_size_times(whole, sizeof(double), &bytes) || !allow(in, (int64_t)whole, sizeof(double)))
      return 0;
    p.name[sizeof p.name - 1] = p.unit[sizeof p.unit - 1] = 0;
    memcpy(f->field.name, p.name, sizeof f->field.name);
    memcpy(r->texts->field_unit[i], p.unit, UNIT_ROOM);
    f->field.unit = r->texts->field_unit[i];
    f->field.points = (int)p.points;
    f->field.components = (int)p.components;
    f->field.constant = p.constant != 0;
    f->data = calloc(whole + 1, sizeof(double));
    r->n_fields = i + 1;
    if (!f->data || !take(in, f->data, bytes)) return 0;
  }
  return 1;
}

static int get_texts(loaded_text *t, taking *in) {
  for (int i = 0; i < RESULT_TEXTS; i++) {
    int64_t length;
    if (!take(in, &length, sizeof length) || length > TEXT_MOST) return 0;
    if (length < 0) continue;
    if (!allow(in, length, 1)) return 0;
    t->text[i] = calloc((size_t)length + 1, 1);
    if (!t->text[i] || !take(in, t->text[i], (size_t)length)) return 0;
  }
  return 1;
}

static int get_all(cps_result *r, taking *in) {
  pack_head h;
  if (!take(in, &h, sizeof h) || !head_is_good(&h)) return 0;
  if (!allow(in, h.columns, sizeof *r->names + UNIT_ROOM + sizeof *r->units) ||
      !allow(in, h.columns * (h.rows > 0 ? 1 : 0), (size_t)h.rows * sizeof(double)) ||
      !allow(in, h.events, sizeof *r->events + sizeof *r->texts->contact) ||
      !allow(in, h.frames, sizeof(double)) || !allow(in, h.fields, sizeof *r->fields + UNIT_ROOM) ||
      !allow(in, h.places, sizeof *r->texts->places))
    return 0;
  r->rows = (long)h.rows;
  r->frames = r->frames_capacity = (long)h.frames;
  r->frame_times = calloc((size_t)h.frames + 1, sizeof(double));
  r->texts->places = calloc((size_t)h.places + 1, sizeof *r->texts->places);
  if (!r->frame_times || !r->texts->places || !get_columns(r, (int)h.columns, in) ||
      !get_events(r, (size_t)h.events, in) || !take(in, r->frame_times, (size_t)h.frames * sizeof(double)) ||
      !get_fields(r, (int)h.fields, in) ||
      !take(in, r->texts->places, (size_t)h.places * sizeof *r->texts->places))
    return 0;
  for (int64_t i = 0; i < h.places; i++) {
    cps_result_place *p = &r->texts->places[i];
    p->name[sizeof p->name - 1] = p->kind[sizeof p->kind - 1] = 0;
  }
  r->texts->n_places = (int)h.places;
  return get_texts(r->texts, in);
}

cps_result *cps_result_unpack(cps_pack_get get, void *from, double most) {
  taking in = {get, from, most < (double)SIZE_MAX ? (size_t)most : SIZE_MAX};
  cps_result *r = cps_result_empty();
  if (r && get_all(r, &in)) return r;
  cps_result_free(r);
  return NULL;
}
