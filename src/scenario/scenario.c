/* scenario.c - from a file, or from text, to a scenario.
 *
 *   text -> tree (yaml.c) -> includes (include.c) -> repeats (repeat.c) -> settings (settings.c)
 *        -> plain data (read_bodies.c, read_contacts.c, read_drums.c, read_cables.c, read_path.c, read_profile.c)
 *
 * Every step goes on after a problem if it can, so that all problems of a file are found in one go.
 *
 * A scenario keeps its tree. The same scenario with other numbers starts from that, so that no text is parsed and no file is
 * opened again; nodes on the way to a number are copied (settings.c), all others are shared, and never changed.
 */
#include "scenario.h"

#include "expand.h"
#include "internal.h"
#include "parameter_paths.h"
#include "read_sections.h"
#include "sha256.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a source says, after includes, repeats and the first n_settings settings; the sources after n_texts are data. */
struct scenario_tree {
  atomic_int users;
  document d;
  node *root;
  int n_settings, n_texts;
  sha256 hashed; /* the hash of the first source, to go on from */
};

static void drop_tree(struct scenario_tree *t) {
  if (!t || atomic_fetch_sub(&t->users, 1) > 1) return;
  cps_document_end(&t->d);
  free(t);
}

/* ------------------------------------------------------------------ reading the tree */

static void index_profiles(reader *r, const node *profiles) {
  if (!profiles || profiles->kind == NODE_NULL) return;
  if (profiles->kind != NODE_MAP) {
    int before = cps_enter(r, "profiles");
    cps_complain_type(r, profiles, cps_row(&cps_keys_scenario, "profiles"), NULL, NULL);
    cps_leave(r, before);
    return;
  }
  r->profiles = profiles;
  r->profile_used = calloc((size_t)profiles->n + 1, 1);
  if (!r->profile_used) r->d->no_memory = 1;
  for (int i = 0; i < profiles->n && !r->d->no_memory; i++) {
    const node *name = profiles->entry[i].key;
    int before = cps_enter(r, "profiles");
    cps_enter(r, name->text);
    cps_check_name(r, name);
    if (strcmp(name->text, "weight") == 0 || strcmp(name->text, "load") == 0)
      cps_complain(r, name, "the name \"%s\" has a meaning of its own for normal forces", name->text);
    cps_leave(r, before);
    if (!cps_index_put(&r->profile_index, name->text, i)) r->d->no_memory = 1;
  }
}

/* Complains about a section that only the plane has, if the scenario speaks of space. */
static void refuse_space(reader *r, const node *section, const char *name) {
  if (!r->space || !section || section->kind != NODE_MAP || section->n == 0) return;
  int line, column, before = cps_enter(r, name);
  cps_mark_place(r->d, r->space->at, &line, &column);
  cps_complain(r, section->entry[0].key,
               "there are no %s in space, and this scenario is in space since line %d says something about z",
               name, line);
  cps_leave(r, before);
}

/* Everything that the tree says, into the scenario. */
static void read_tree(reader *r, const node *root, cps_scenario *s) {
  raw_scenario raw;
  memset(&raw, 0, sizeof raw);
  cps_read_map(r, root, &cps_keys_scenario, NULL, &raw);
  s->title = cps_text_copy_of(r->d, raw.title ? raw.title : "");
  index_profiles(r, raw.profiles);
  if (r->d->no_memory) return;
  cps_read_gravity(r, raw.gravity, s);
  cps_read_bodies(r, raw.bodies, raw.surfaces, s);
  cps_read_drums(r, raw.drums, s);
  cps_read_cables(r, raw.cables, s);
  cps_read_contacts(r, raw.contacts, s);
  if (raw.run) cps_read_run(r, raw.run, s);
  if (raw.outputs) cps_read_outputs(r, raw.outputs, raw.run, s);
  cps_read_springs(r, raw.springs, s);
  cps_read_loads(r, raw.loads, s);
  cps_check_profiles(r);
  s->inputs = r->inputs;
  s->n_inputs = r->n_inputs;
  r->inputs = NULL;
  s->dim = r->space ? 3 : 2;
  refuse_space(r, raw.contacts, "contacts");
  refuse_space(r, raw.surfaces, "surfaces");
  int moving = s->n_cables;
  for (int i = 0; i < s->n_bodies; i++) moving += s->bodies[i].kind != BODY_SURFACE;
  if (moving == 0 && cps_problems_count(r->d->problems) == 0)
    cps_complain(r, root,
                 "there is nothing to simulate; a scenario has at least one body or cable, such as "
                 "bodies: {block: {mass: 1 kg}}");
}

static setting *new_settings(document *d, int n) {
  setting *list = calloc((size_t)n + 1, sizeof *list);
  if (!list) d->no_memory = 1;
  return list;
}

/* The tree of a scenario with everything in it; NULL after a problem that leaves nothing to read. */
static node *build_tree(reader *r, const char *const *settings, int n) {
  document *d = r->d;
  setting *list = new_settings(d, n);
  if (!list) return NULL;
  node *root = cps_yaml_parse(d, 0, 0);
  if (n > 0) cps_settings_parse(r, settings, n, list);
  if (!root) {
    if (cps_problems_count(d->problems) == 0 && !d->no_memory)
      cps_problem(d, (mark){0, 0}, NULL, "this scenario is empty; it starts with capstan: 1");
  } else if (root->kind != NODE_MAP) {
    char quote[QUOTE_SIZE];
    cps_problem(d, root->at, NULL, "found %s; a scenario is a map that starts with capstan: 1",
                root->kind == NODE_SCALAR ? cps_quote(quote, root->text) : cps_node_what(root));
    root = NULL;
  } else {
    root = cps_expand_includes(r, root);
    cps_settings_apply(r, root, list, n, 1);
    cps_expand_repeats(r, root);
    cps_settings_apply(r, root, list, n, 0);
  }
  free(list);
  return d->no_memory ? NULL : root;
}

/* The same from a tree that is there, with further settings, all of them numbers. */
static node *change_tree(reader *r, const struct scenario_tree *tree, const char *const *settings, int n) {
  setting *list = new_settings(r->d, n);
  node *root = list ? cps_node_own(r->d, tree->root) : NULL;
  if (root) {
    cps_settings_parse(r, settings, n, list);
    cps_settings_apply(r, root, list, n, 0);
  }
  free(list);
  return r->d->no_memory ? NULL : root;
}

/* ------------------------------------------------------------------ loading */

/* Of the source alone it is what sha256sum says; settings and then further files follow behind separators. */
static void set_hash(const document *d, cps_scenario *s) {
  sha256 h = s->tree->hashed;
  for (char separator = 0; separator < 2; separator++) {
    for (int i = 1; i < d->n_sources; i++) {
      const source *f = &d->sources[i];
      if ((strcmp(f->name, "--set") != 0) != separator || f->unread) continue;
      cps_sha256_add(&h, &separator, 1);
      cps_sha256_add(&h, f->text, f->length);
    }
  }
  cps_sha256_end(&h, s->hash);
}

/* Settings are kept, so that the scenario can be read again with others on top. */
static void keep_settings(document *d, cps_scenario *s, const char *const *settings, int n) {
  s->settings = calloc((size_t)n + 1, sizeof *s->settings);
  if (!s->settings) d->no_memory = 1;
  for (int i = 0; i < n && !d->no_memory; i++)
    if (settings[i]) s->settings[s->n_settings++] = cps_text_copy_of(d, settings[i]);
}

static cps_scenario *new_scenario(document *d) {
  cps_scenario *s = calloc(1, sizeof *s);
  if (s)
    s->file = cps_text_copy_of(d, d->sources[0].name);
  else
    d->no_memory = 1;
  return s;
}

/* Reads the document whose first source is there; or, from a tree, the document that starts from that. */
static cps_scenario *read_document(document *d, const char *const *settings, int n, const reader *like,
                                   struct scenario_tree *from) {
  reader *r = calloc(1, sizeof *r);
  struct scenario_tree *tree = from ? from : calloc(1, sizeof *tree);
  cps_scenario *s = new_scenario(d);
  if (!r || !tree || !s) {
    d->no_memory = 1;
    if (!from) free(tree);
    free(r);
    return s;
  }
  if (like) *r = *like;
  r->d = d;
  s->laws = r->laws;
  s->tree = tree;
  s->folder = r->folder ? cps_text_copy_of(d, r->folder) : NULL;
  keep_settings(d, s, settings, n);
  atomic_fetch_add(&tree->users, 1);
  node *root = NULL;
  if (from && !d->no_memory) {
    root = change_tree(r, from, settings + from->n_settings, n - from->n_settings);
  } else if (!d->no_memory) {
    cps_sha256_start(&tree->hashed);
    cps_sha256_add(&tree->hashed, d->sources[0].text, d->sources[0].length);
    root = tree->root = build_tree(r, settings, n);
    tree->n_settings = s->n_settings;
    tree->n_texts = d->n_sources;
  }
  if (root) read_tree(r, root, s);
  s->far = r->far;
  set_hash(d, s);
  cps_index_free(&r->bodies);
  cps_index_free(&r->drums);
  cps_index_free(&r->profile_index);
  free(r->profile_used);
  free(r->inputs);
  free(r);
  return s;
}

/* Ends a document: a scenario without problems, or problems without a scenario. The tree of a scenario keeps it. */
static cps_scenario *finish(document *d, cps_scenario *s, cps_problems **problems) {
  cps_problems *list = d->problems;
  if (d->no_memory) cps_problems_out_of_memory(list);
  if (cps_problems_count(list) > 0) {
    cps_problems_finish(list);
    cps_scenario_free(s);
    s = NULL;
  }
  d->problems = NULL;
  if (s && !s->tree->d.sources)
    s->tree->d = *d;
  else
    cps_document_end(d);
  if (s) {
    s->text = s->tree->d.sources[0].text;
    s->length = s->tree->d.sources[0].length;
  }
  if (problems && !s)
    *problems = list;
  else
    cps_problems_free(list);
  return s;
}

/* Adds the text that all starts with, of which it takes ownership; relative paths in it start in the folder, or where the file is. 0 if
 * that fails. */
static int add_first(document *d, const char *file, const char *folder, char *text, size_t length) {
  char whole[4096];
  size_t n = folder ? strlen(folder) : 0;
  if (n > 0 &&
      snprintf(whole, sizeof whole, "%s%s", folder, folder[n - 1] == '/' ? "" : "/") >= (int)sizeof whole) {
    free(text);
    cps_problem_file(d, CPS_BAD_INPUT, file, "the name of its folder is too long");
    return 0;
  }
  const char *start = n > 0 ? cps_document_text(d, whole, strlen(whole)) : cps_document_folder(d, file);
  return cps_document_add(d, file, start, text, length) == 0;
}

/* Takes ownership of the text. */
static cps_scenario *parse_owned(document *d, char *text, size_t length, const char *file,
                                 const char *const *settings, int n, const reader *like,
                                 cps_problems **problems) {
  cps_scenario *s = NULL;
  char why[80];
  if (length > TEXT_MOST) {
    free(text);
    snprintf(why, sizeof why, "this is larger than %d MB", TEXT_MOST >> 20);
    cps_problem_file(d, CPS_BAD_INPUT, file, why);
  } else if (n > SOURCES_MOST / 2) {
    free(text);
    snprintf(why, sizeof why, "there are more than %d settings", SOURCES_MOST / 2);
    cps_problem_file(d, CPS_BAD_INPUT, "--set", why);
  } else if (add_first(d, file, like->folder, text, length)) {
    s = read_document(d, settings, n, like, NULL);
  }
  return finish(d, s, problems);
}

static cps_scenario *parse(const char *text, size_t length, const char *file, const char *const *settings,
                           int n, const reader *like, cps_problems **problems) {
  document d;
  if (!cps_document_begin(&d, problems)) return NULL;
  if (!text) length = 0;
  char *copy = length <= TEXT_MOST ? cps_text_copy(&d, text, length) : NULL;
  if (d.no_memory) return finish(&d, NULL, problems);
  return parse_owned(&d, copy, length, file ? file : "scenario", settings, settings ? n : 0, like, problems);
}

static const cps_load_options usual = {0};

cps_scenario *cps_scenario_parse_with(const char *text, size_t length, const char *file,
                                      const cps_load_options *options, cps_problems **problems) {
  const cps_load_options *o = options ? options : &usual;
  reader like = {.laws = o->laws, .folder = o->folder};
  return parse(text, length, file, o->settings, o->n_settings, &like, problems);
}

cps_scenario *cps_scenario_parse(const char *text, size_t length, const char *file,
                                 const char *const *settings, int n, cps_problems **problems) {
  return cps_scenario_parse_with(text, length, file,
                                 &(cps_load_options){.settings = settings, .n_settings = n}, problems);
}

/* The scenario of a tree with further settings. */
static cps_scenario *read_changed(struct scenario_tree *tree, const char *const *settings, int n,
                                  const reader *like, cps_problems **problems) {
  document d;
  cps_scenario *s = NULL;
  if (problems) *problems = NULL;
  if (cps_document_start_from(&d, &tree->d)) {
    for (int i = tree->n_texts; i < d.n_sources; i++) d.sources[i].unread = 1;
    s = read_document(&d, settings, n, like, tree);
  } else if (!d.problems) {
    if (problems) *problems = cps_problems_no_memory();
    return NULL;
  } else {
    d.no_memory = 1;
  }
  return finish(&d, s, problems);
}

cps_scenario *cps_scenario_again(const cps_scenario *s, const char *const *settings, int n, probe *probes,
                                 int n_probes, int lenient, cps_problems **problems) {
  reader *like = calloc(1, sizeof *like);
  if (!like) {
    if (problems) *problems = cps_problems_no_memory();
    return NULL;
  }
  like->laws = s->laws;
  like->folder = s->folder;
  like->probes = probes;
  like->n_probes = n_probes;
  like->lenient = lenient;
  int known = s->tree->n_settings, numbers = n >= known && n <= SOURCES_MOST / 2;
  for (int i = 0; numbers && i < n; i++)
    numbers = i < known ? strcmp(settings[i], s->settings[i]) == 0 : cps_setting_is_number(settings[i]);
  cps_scenario *again = numbers ? read_changed(s->tree, settings, n, like, problems)
                                : parse(s->text, s->length, s->file, settings, n, like, problems);
  free(like);
  return again;
}

cps_scenario *cps_scenario_load(const char *path, const char *const *settings, int n,
                                cps_problems **problems) {
  return cps_scenario_load_with(path, &(cps_load_options){.settings = settings, .n_settings = n}, problems);
}

cps_scenario *cps_scenario_load_with(const char *path, const cps_load_options *options,
                                     cps_problems **problems) {
  const cps_load_options *o = options ? options : &usual;
  reader like = {.laws = o->laws, .folder = o->folder};
  document d;
  size_t length = 0;
  if (!cps_document_begin(&d, problems)) return NULL;
  char *text = cps_document_file(&d, path, &length);
  if (!text) return finish(&d, NULL, problems);
  return parse_owned(&d, text, length, path, o->settings, o->settings ? o->n_settings : 0, &like, problems);
}

/* ------------------------------------------------------------------ places in the source */

/* Where the source says something: the deepest part of a key's path that is there. Maps and lists are pointed to by
 * their key, other values by themselves. */
static mark place_of(const reader *r, const node *n, const char *path) {
  mark at = n->at;
  for (int depth = 0; *path; depth++) {
    size_t length = strcspn(path, ".");
    char part[CPS_NAME_ROOM + 1];
    if (length >= sizeof part) break;
    memcpy(part, path, length);
    part[length] = 0;
    const node *next = NULL, *name = NULL;
    if (n->kind == NODE_LIST) {
      char *end;
      long k = strtol(part, &end, 10);
      if (*part && !*end && k >= 0 && k < n->n) next = n->item[k];
    } else if (n->kind == NODE_MAP) {
      name = cps_node_key(n, part);
      next = name ? cps_node_get(n, part) : NULL;
      if (!name && depth >= 2 && cps_node_kind(r, n)) { /* its name may be left out */
        n = n->entry[0].value;
        continue;
      }
    }
    if (!next) break;
    at = name && next->kind != NODE_SCALAR ? name->at : next->at;
    n = next;
    path += length + (path[length] == '.');
  }
  return at;
}

cps_problems *cps_scenario_place(const cps_scenario *s, const cps_error *found, int n) {
  document d;
  cps_problems *problems = NULL;
  if (!cps_document_start(&d)) return cps_problems_no_memory();
  reader *r = calloc(1, sizeof *r);
  char *text = malloc(s->length + 1);
  const node *root = NULL;
  d.no_memory = !r || !text;
  if (!d.no_memory) {
    memcpy(text, s->text, s->length + 1);
    r->d = &d;
    r->laws = s->laws;
    if (add_first(&d, s->file, s->folder, text, s->length))
      root = build_tree(r, (const char *const *)s->settings, s->n_settings);
  } else {
    free(text);
  }
  for (int i = 0; i < n && !d.no_memory; i++)
    cps_problem(&d, root ? place_of(r, root, found[i].key) : (mark){-1, 0}, found[i].key, "%s",
                found[i].text);
  free(r);
  finish(&d, NULL, &problems);
  return problems;
}

void cps_scenario_locate(const cps_scenario *s, cps_error *err) {
  if (!err || err->line > 0) return;
  cps_problems *problems = cps_scenario_place(s, err, 1);
  for (int i = 0; i < cps_problems_count(problems); i++) {
    const cps_error *e = cps_problems_at(problems, i);
    if (strcmp(e->text, err->text) != 0) continue;
    memcpy(err->file, e->file, sizeof err->file);
    memcpy(err->source, e->source, sizeof err->source);
    err->line = e->line;
    err->column = e->column;
  }
  cps_problems_free(problems);
}

void cps_scenario_blame(const cps_scenario *s, cps_error *err) {
  const far_number *f = &s->far;
  if (!err || f->decades == 0 || strcmp(err->key, f->key) == 0) return;
  cps_error blamed = *err;
  /* the time stands beside the text */
  const char *text = err->text, *behind = strstr(text, " s: ");
  if (isfinite(err->time) && strncmp(text, "at t = ", 7) == 0 && behind && behind < text + 32)
    text = behind + 4;
  snprintf(blamed.key, sizeof blamed.key, "%s", f->key);
  snprintf(blamed.text, sizeof blamed.text,
           "found %s, far from the numbers of machines, such as %s; with it: %.*s", f->said, f->usual,
           (int)sizeof blamed.text - 200, text);
  blamed.line = blamed.column = 0;
  cps_scenario_locate(s, &blamed);
  *err = blamed;
}

static void free_three(profile *const *p) {
  for (int i = 0; i < 3; i++) cps_profile_free(p[i]);
}

static void free_cable(scenario_cable *c) {
  for (int k = 0; k < 2; k++) {
    free_three(c->end[k].shift);
    free_three(c->end[k].force);
  }
  free(c->path);
  free(c->masses);
  free(c->contact.drums);
}

void cps_scenario_free(cps_scenario *s) {
  if (!s) return;
  for (int i = 0; i < s->n_drums; i++) {
    cps_profile_free(s->drums[i].motion);
    free_three(s->drums[i].shift);
  }
  for (int i = 0; i < s->n_cables; i++) free_cable(&s->cables[i]);
  free(s->drums);
  free(s->cables);
  for (int i = 0; i < s->n_bodies; i++) cps_profile_free(s->bodies[i].motion);
  for (int i = 0; i < s->n_contacts; i++) cps_profile_free(s->contacts[i].given);
  for (int i = 0; i < s->n_loads; i++) cps_profile_free(s->loads[i].force);
  free(s->bodies);
  free(s->springs);
  free(s->contacts);
  free(s->loads);
  free(s->outputs.pattern);
  free(s->inputs);
  for (int i = 0; i < s->n_settings; i++) free(s->settings[i]);
  free(s->settings);
  free(s->file);
  free(s->folder);
  drop_tree(s->tree);
  free(s->title);
  free(s);
}

void cps_scenario_on_wait(cps_scenario *s, int (*wait)(const cps_wait *now, void *data), void *data) {
  s->wait = wait;
  s->wait_data = data;
}

const node *cps_scenario_root(const cps_scenario *s) { return s->tree->root; }
