/* models_list.c - all models as a table for people, and as one JSON document. */
#include "cli.h"
#include "models.h"

#include <string.h>

/* Two lines: name and title; below them, dimmed, traits and parameters. */
static void print_row(FILE *out, const term *t, const entry *e, int column) {
  char brief[80] = "", params[400] = "";
  if (e->law) traits_brief(e->law->traits, brief, sizeof brief);
  for (int i = 0; i < e->n_params; i++)
    append(params, sizeof params, "%s%s", i ? ", " : "", e->params[i].name);
  fprintf(out, "  %s", term_bold(t));
  term_pad(out, e->name, column - 2);
  fprintf(out, "%s", term_plain(t));
  term_wrap(out, t, column, column, e->title);
  fprintf(out, "    %s", term_dim(t));
  term_pad(out, brief, column - 4);
  term_wrap(out, t, column, column, params);
  fprintf(out, "%s", term_plain(t));
}

void models_table(FILE *out, const term *t) {
  int longest = 0;
  for (int i = 0; i < entry_count(); i++) {
    char brief[80] = "";
    entry e = entry_at(i);
    if (e.law) traits_brief(e.law->traits, brief, sizeof brief);
    int width = term_columns(e.name) + 2, below = term_columns(brief) + 4;
    longest = width > longest ? width : longest;
    longest = below > longest ? below : longest;
  }
  const char *group = "";
  for (int i = 0; i < entry_count(); i++) {
    entry e = entry_at(i);
    if (strcmp(group, e.group) != 0)
      fprintf(out, "%s%s%s%s\n", i ? "\n" : "", term_bold(t), e.group, term_plain(t));
    group = e.group;
    print_row(out, t, &e, longest + 2);
  }
  fprintf(out, "\n%d friction laws, %d laws of normal contact, and the capstan equation.\n", cps_law_count(),
          cps_normal_count());
  term_wrap(
      out, t, 0, 0,
      "sticks: comes to true rest; creeps: does not; f_eq: uses the balance force; memory: internal states; "
      "modes: stick and slip with guards; C0: continuous; C1: continuously differentiable.");
  term_wrap(
      out, t, 0, 0,
      "'capstan models NAME' shows a model's equation, parameters and curves; 'capstan help models' what "
      "else there is.");
}

static void params_json(json *w, const entry *e) {
  json_open(w, "params", '[');
  for (int i = 0; i < e->n_params; i++) {
    const cps_param *q = &e->params[i];
    json_open_flat(w, NULL, '{');
    json_text(w, "name", q->name);
    json_text(w, "unit", q->unit);
    json_number(w, "default", q->value);
    json_number(w, "min", q->min);
    json_number(w, "max", q->max);
    json_text(w, "meaning", q->meaning);
    json_close(w);
  }
  json_close(w);
}

static void law_json(json *w, const cps_law *law) {
  json_open_flat(w, "traits", '{');
  for (int i = 0; i < n_traits; i++) json_bool(w, traits[i].name, (law->traits & traits[i].bit) != 0);
  json_close(w);
  json_open(w, "states", '[');
  for (int i = 0; i < law->n_states; i++) {
    json_open_flat(w, NULL, '{');
    json_text(w, "name", law->states[i].name);
    json_text(w, "unit", law->states[i].unit);
    json_int(w, "parity", law->states[i].parity);
    json_text(w, "meaning", law->states[i].meaning);
    json_close(w);
  }
  json_close(w);
  json_open_flat(w, "modes", '[');
  for (int i = 0; i < law->n_modes; i++) {
    char name[64];
    cps_law_mode_name(law, i, name, sizeof name);
    json_text(w, NULL, name);
  }
  json_close(w);
  json_int(w, "guards", law->n_guards);
  cps_law_scale s;
  double p[CPS_MAX_PARAMS];
  cps_law_defaults(law, p);
  cps_law_scales(law, p, 1, &s);
  json_open_flat(w, "scales_at_1_N", '{');
  json_number(w, "f_stick", s.f_stick);
  json_number(w, "f_peak", s.f_peak);
  json_number(w, "v_band", s.v_band);
  json_number(w, "v_scale", s.v_scale);
  json_open(w, "z", '[');
  for (int i = 0; i < law->n_states; i++) json_number(w, NULL, s.z[i]);
  json_close(w);
  json_close(w);
}

void entry_json(json *w, const char *key, const entry *e) {
  json_open(w, key, '{');
  json_text(w, "name", e->name);
  json_open_flat(w, "aliases", '[');
  for (const char *a = e->aliases; a && *a; a += strspn(a, " ")) {
    char word[64];
    size_t n = strcspn(a, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, a);
    json_text(w, NULL, word);
    a += n;
  }
  json_close(w);
  json_text(w, "kind", e->law ? "friction" : e->normal ? "normal" : "wrap");
  json_text(w, "family", e->group);
  json_text(w, "title", e->title);
  json_text(w, "equation", e->equation);
  json_text(w, "citation", e->citation);
  json_text(w, "note", e->note);
  params_json(w, e);
  if (e->law) law_json(w, e->law);
  json_close(w);
}

void models_json(FILE *out) {
  static const struct {
    const char *key;
    int laws, normals;
  } kinds[] = {{"friction", 1, 0}, {"normal", 0, 1}, {"wrap", 0, 0}};
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "capstan", cps_version());
  for (int k = 0; k < 3; k++) {
    json_open(&w, kinds[k].key, '[');
    for (int i = 0; i < entry_count(); i++) {
      entry e = entry_at(i);
      if ((e.law != NULL) == kinds[k].laws && (e.normal != NULL) == kinds[k].normals)
        entry_json(&w, NULL, &e);
    }
    json_close(&w);
  }
  json_close(&w);
  json_end(&w);
}
