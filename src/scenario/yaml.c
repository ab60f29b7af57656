/* yaml.c - from libfyaml's events to a tree: see yaml.h.
 *
 * The event interface is used because it neither recurses nor resolves anything: depth, aliases, merge keys
 * and duplicates are dealt with here, where their cost is known.
 */
#include "yaml.h"
#include "plain_text.h"

#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ nodes */

node *cps_node_new(document *d, node_kind kind, mark at) {
  if (d->nodes >= NODES_MOST) {
    if (d->nodes++ == NODES_MOST)
      cps_problem(d, at, NULL, "here the scenario grows beyond %d million values, which is the limit",
                  NODES_MOST / 1000000);
    return NULL;
  }
  node *n = cps_document_alloc(d, sizeof *n);
  if (!n) return NULL;
  d->nodes++;
  memset(n, 0, sizeof *n);
  n->kind = (unsigned char)kind;
  n->height = 1;
  n->at = at;
  if (kind == NODE_NULL) n->text = "";
  return n;
}

node *cps_node_scalar(document *d, const char *text, mark at) {
  node *n = cps_node_new(d, NODE_SCALAR, at);
  if (!n) return NULL;
  n->text = cps_document_text(d, text, strlen(text));
  return n->text ? n : NULL;
}

node *cps_node_copy(document *d, const node *from) {
  node *n = cps_node_new(d, NODE_NULL, from->at);
  if (n) *n = *from;
  return n;
}

int cps_node_find(const node *map, const char *key) {
  for (int i = 0; map && map->kind == NODE_MAP && i < map->n; i++)
    if (strcmp(map->entry[i].key->text, key) == 0) return i;
  return -1;
}

const node *cps_node_key(const node *map, const char *key) {
  int i = cps_node_find(map, key);
  return i < 0 ? NULL : map->entry[i].key;
}

node *cps_node_get(const node *map, const char *key) {
  int i = cps_node_find(map, key);
  return i < 0 ? NULL : map->entry[i].value;
}

static void raise_to(node *n, const node *part) {
  if (part->height >= n->height) n->height = (unsigned char)(part->height + 1);
}

int cps_node_put(document *d, node *map, node *key, node *value) {
  map_entry *more = cps_document_alloc(d, ((size_t)map->n + 1) * sizeof *more);
  if (!more) return 0;
  if (map->n) memcpy(more, map->entry, (size_t)map->n * sizeof *more);
  more[map->n++] = (map_entry){key, value};
  map->entry = more;
  raise_to(map, value);
  return 1;
}

const char *cps_node_what(const node *n) {
  switch ((node_kind)n->kind) {
  case NODE_NULL:
    return "nothing";
  case NODE_SCALAR:
    return "text";
  case NODE_MAP:
    return n->n ? "a map" : "an empty map";
  case NODE_LIST:
    return n->n ? "a list" : "an empty list";
  }
  return "nothing";
}

/* ------------------------------------------------------------------ unique keys */

/* An entry and where it stood, for sorting. */
typedef struct ranked {
  map_entry entry;
  int rank, drop;
} ranked;

static int by_key(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  int order = strcmp(x->entry.key->text, y->entry.key->text);
  return order ? order : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_rank(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void complain_duplicate(document *d, const node *first, const node *again, const char *path) {
  int line, column;
  char quote[QUOTE_SIZE];
  cps_mark_place(d, first->at, &line, &column);
  const char *file = d->sources[first->at.source].name;
  int elsewhere = first->at.source != again->at.source;
  if (!elsewhere && first->at.offset == again->at.offset) {
    cps_problem(d, again->at, path,
                "every copy would be called %s; put the index into the name, such as \"b{i}\"",
                cps_quote(quote, again->text));
    return;
  }
  cps_problem(d, again->at, path, "the key %s is given twice; it is first given in %s%sline %d, column %d",
              cps_quote(quote, again->text), elsewhere ? file : "", elsewhere ? ", " : "", line, column);
}

/* Few entries are compared with one another, many are sorted. */
static void unique_few(document *d, node *map, int n_own, const char *path) {
  int n = 0;
  for (int i = 0; i < map->n; i++) {
    int k = 0;
    while (k < n && strcmp(map->entry[k].key->text, map->entry[i].key->text) != 0) k++;
    if (k == n)
      map->entry[n++] = map->entry[i];
    else if (i < n_own)
      complain_duplicate(d, map->entry[k].key, map->entry[i].key, path);
  }
  map->n = n;
}

void cps_entries_unique(document *d, node *map, int n_own, const char *path) {
  if (map->n <= 16) {
    unique_few(d, map, n_own, path);
    return;
  }
  size_t n = (size_t)map->n;
  ranked *r = malloc(n * sizeof *r);
  if (!r) {
    d->no_memory = 1;
    return;
  }
  for (int i = 0; i < map->n; i++) r[i] = (ranked){map->entry[i], i, 0};
  qsort(r, n, sizeof *r, by_key);
  size_t first = 0;
  for (size_t i = 1; i < n; i++) {
    if (strcmp(r[first].entry.key->text, r[i].entry.key->text) != 0) {
      first = i;
      continue;
    }
    r[i].drop = 1;
    if (r[i].rank < n_own) complain_duplicate(d, r[first].entry.key, r[i].entry.key, path);
  }
  qsort(r, n, sizeof *r, by_rank);
  map->n = 0;
  for (size_t i = 0; i < n; i++)
    if (!r[i].drop) map->entry[map->n++] = r[i].entry;
  free(r);
}

/* ------------------------------------------------------------------ building */

/* A collection that is not complete yet. */
typedef struct frame {
  node *collection;
  size_t first;       /* its first part in `pending` */
  const char *anchor; /* NULL if it has none */
  int flow;
} frame;

typedef struct builder {
  document *d;
  int source;
  frame stack[DEPTH_MOST];
  int depth;
  node **pending; /* parts of the collections on the stack */
  size_t n_pending, room;
  name_index anchors; /* names to indices of `anchored` */
  node **anchored;
  int n_anchored, anchored_room;
  node *root;
  unsigned last; /* end of the last event */
  int documents;
  int stop; /* a problem was found after which nothing makes sense */
} builder;

static void *grow(void *block, size_t count, size_t size) {
  return count < (size_t)-1 / size ? realloc(block, count * size) : NULL;
}

static int out_of_memory(builder *b) {
  b->d->no_memory = b->stop = 1;
  return 0;
}

static int push_pending(builder *b, node *n) {
  if (b->n_pending == b->room) {
    size_t room = b->room ? 2 * b->room : 256;
    node **more = grow(b->pending, room, sizeof(node *));
    if (!more) return out_of_memory(b);
    b->pending = more;
    b->room = room;
  }
  b->pending[b->n_pending++] = n;
  return 1;
}

/* Hangs a complete node into the collection it belongs to. */
static void attach(builder *b, node *n) {
  if (b->depth == 0) {
    b->root = n;
    return;
  }
  node *parent = b->stack[b->depth - 1].collection;
  if (n->height + b->depth > DEPTH_MOST + 1) {
    cps_problem(b->d, n->at, NULL, "values are nested more than %d levels deep here", DEPTH_MOST);
    b->stop = 1;
    return;
  }
  raise_to(parent, n);
  push_pending(b, n);
}

/* The text of a token, in the arena; NULL without a token or without memory. */
static const char *token_text(builder *b, struct fy_token *token, mark at) {
  size_t length = 0;
  const char *text = token ? fy_token_get_text(token, &length) : NULL;
  if (!text) return NULL;
  const char *copy = cps_document_text(b->d, text, length);
  if (!copy) out_of_memory(b);
  if (copy && strlen(copy) != length) {
    cps_problem(b->d, at, NULL, "found text with a NUL character in it");
    b->stop = 1;
    return NULL;
  }
  return copy;
}

static void remember(builder *b, const char *anchor, node *n) {
  if (!anchor) return;
  if (b->n_anchored == b->anchored_room) {
    int room = b->anchored_room ? 2 * b->anchored_room : 16;
    node **more = grow(b->anchored, (size_t)room, sizeof(node *));
    if (!more) {
      out_of_memory(b);
      return;
    }
    b->anchored = more;
    b->anchored_room = room;
  }
  b->anchored[b->n_anchored] = n;
  if (!cps_index_put(&b->anchors, anchor, b->n_anchored++)) out_of_memory(b);
}

static int is_null_word(const char *text) {
  return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0 ||
         strcmp(text, "NULL") == 0;
}

static void reject_tag(builder *b, struct fy_token *tag, mark at) {
  if (!tag) return;
  char quote[QUOTE_SIZE];
  const char *text = token_text(b, tag, at);
  if (text) cps_problem(b->d, at, NULL, "found the tag %s; tags are not used here", cps_quote(quote, text));
}

/* Text in single quotes, decoded here: libfyaml 0.7.12 leaks memory over doubled quotes. */
static const char *single_quoted(builder *b, struct fy_event *event, mark at) {
  const struct fy_mark *end = fy_event_end_mark(event);
  const char *text = b->d->sources[b->source].text + at.offset;
  size_t n = end && end->input_pos >= at.offset ? end->input_pos - at.offset : 0, used = 0;
  if (!memchr(text, '\'', n)) return token_text(b, event->scalar.value, at);
  if (memchr(text, '\n', n) || memchr(text, '\r', n)) {
    cps_problem(b->d, at, NULL,
                "found a doubled quote in text over several lines; use double quotes around it");
    b->stop = 1;
    return NULL;
  }
  char *copy = cps_document_alloc(b->d, n + 1);
  if (!copy) {
    out_of_memory(b);
    return NULL;
  }
  for (size_t i = 0; i < n; i++) {
    copy[used++] = text[i];
    if (text[i] == '\'') i++;
  }
  copy[used] = 0;
  return copy;
}

static void on_scalar(builder *b, struct fy_event *event, mark at) {
  struct fy_token *token = event->scalar.value;
  enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
  node *n = cps_node_new(b->d, NODE_NULL, at);
  if (!n) {
    b->stop = 1;
    return;
  }
  const char *text = style == FYSS_SINGLE_QUOTED ? single_quoted(b, event, at) : token_text(b, token, at);
  if (b->stop) return;
  int plain = style == FYSS_PLAIN;
  /* The place is that of the opening quote. */
  if ((style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && at.offset > 0) n->at.offset--;
  char unseen[16];
  if (text && cps_plain_control(text, unseen))
    cps_problem(
        b->d, at, NULL,
        "found text with the character %s in it, which acts on a terminal or is not text; leave it out",
        unseen);
  if (text && !(plain && is_null_word(text))) {
    n->kind = NODE_SCALAR;
    n->text = text;
    n->quoted = !plain;
  }
  reject_tag(b, event->scalar.tag, at);
  remember(b, token_text(b, event->scalar.anchor, at), n);
  if (!b->stop) attach(b, n);
}

static void on_alias(builder *b, struct fy_event *event, mark at) {
  const char *name = token_text(b, event->alias.anchor, at);
  if (at.offset > 0) at.offset--; /* the asterisk */
  if (!name) return;
  int i = cps_index_get(&b->anchors, name);
  if (i >= 0 && b->anchored) {
    attach(b, b->anchored[i]);
    return;
  }
  char quote[QUOTE_SIZE];
  int inside = 0;
  for (int k = 0; k < b->depth; k++) inside |= b->stack[k].anchor && strcmp(b->stack[k].anchor, name) == 0;
  if (inside)
    cps_problem(b->d, at, NULL, "the alias %s refers to what it is a part of", cps_quote(quote, name));
  else
    cps_problem(b->d, at, NULL, "there is no anchor %s before this alias", cps_quote(quote, name));
  /* What stands in for it is not complained about again. */
  node *n = cps_node_new(b->d, NODE_NULL, at);
  if (!n) return;
  n->repeated = 1;
  attach(b, n);
}

static void on_start(builder *b, node_kind kind, struct fy_token *anchor, struct fy_token *tag, int flow,
                     mark at) {
  if (b->depth == DEPTH_MOST) {
    cps_problem(b->d, at, NULL, "values are nested more than %d levels deep here", DEPTH_MOST);
    b->stop = 1;
    return;
  }
  node *n = cps_node_new(b->d, kind, at);
  if (!n) {
    b->stop = 1;
    return;
  }
  reject_tag(b, tag, at);
  b->stack[b->depth++] = (frame){n, b->n_pending, token_text(b, anchor, at), flow};
}

/* The maps that a merge key brings: one, or a list of them; 0 if it is something else. */
static int count_maps(const node *value) {
  if (value->kind == NODE_MAP) return 1;
  for (int i = 0; value->kind == NODE_LIST && i < value->n; i++)
    if (value->item[i]->kind != NODE_MAP) return 0;
  return value->kind == NODE_LIST ? value->n : 0;
}

static const node *map_of(const node *value, int i) {
  return value->kind == NODE_MAP ? value : value->item[i];
}

/* Counts the entries that a merge key will bring, and says so if it cannot bring any. */
static size_t count_merged(builder *b, const node *value) {
  size_t n = 0;
  int maps = count_maps(value);
  for (int i = 0; i < maps; i++) n += (size_t)map_of(value, i)->n;
  if (maps == 0)
    cps_problem(b->d, value->at, NULL,
                "the merge key \"<<\" takes a map or a list of maps, such as *name; found %s",
                cps_node_what(value));
  return n;
}

static void append(node *map, const node *from) {
  for (int i = 0; i < from->n; i++) {
    raise_to(map, from->entry[i].value);
    map->entry[map->n++] = from->entry[i];
  }
}

static void append_merged(node *map, const node *value) {
  int maps = count_maps(value);
  for (int i = 0; i < maps; i++) append(map, map_of(value, i));
}

static int is_merge(const node *key) {
  return key->kind == NODE_SCALAR && !key->quoted && strcmp(key->text, "<<") == 0;
}

/* Turns the pending keys and values of a map into entries: own ones first, then those merged into it. */
static void close_map(builder *b, node *map, node *const *part, size_t n_parts) {
  size_t room = n_parts / 2;
  for (size_t i = 0; i + 1 < n_parts; i += 2)
    if (is_merge(part[i])) room += count_merged(b, part[i + 1]);
  b->d->nodes += (long)(room - n_parts / 2);
  if (b->d->nodes > NODES_MOST) {
    cps_problem(b->d, map->at, NULL, "here the scenario grows beyond %d million values, which is the limit",
                NODES_MOST / 1000000);
    b->stop = 1;
    return;
  }
  map->entry = cps_document_alloc(b->d, room * sizeof *map->entry);
  if (!map->entry) {
    out_of_memory(b);
    return;
  }
  for (size_t i = 0; i + 1 < n_parts; i += 2) {
    if (is_merge(part[i])) continue;
    if (part[i]->kind != NODE_SCALAR)
      cps_problem(b->d, part[i]->at, NULL, "found %s as a key; a key is a word", cps_node_what(part[i]));
    else
      map->entry[map->n++] = (map_entry){part[i], part[i + 1]};
  }
  int n_own = map->n;
  for (size_t i = 0; i + 1 < n_parts; i += 2)
    if (is_merge(part[i])) append_merged(map, part[i + 1]);
  cps_entries_unique(b->d, map, n_own, NULL);
}

static void close_list(builder *b, node *list, node *const *part, size_t n_parts) {
  list->item = cps_document_alloc(b->d, n_parts * sizeof(node *));
  if (!list->item) {
    out_of_memory(b);
    return;
  }
  if (n_parts) memcpy(list->item, part, n_parts * sizeof(node *));
  list->n = (int)n_parts;
}

static void on_end(builder *b) {
  if (b->depth == 0) return;
  frame f = b->stack[--b->depth];
  /* An empty collection may come before the first part of any. */
  size_t n_parts = b->pending ? b->n_pending - f.first : 0;
  node *const none[1] = {NULL}, *const *part = b->pending ? b->pending + f.first : none;
  if (f.collection->kind == NODE_MAP)
    close_map(b, f.collection, part, n_parts);
  else
    close_list(b, f.collection, part, n_parts);
  b->n_pending = f.first;
  remember(b, f.anchor, f.collection);
  if (!b->stop) attach(b, f.collection);
}

static void on_document(builder *b, mark at) {
  if (b->documents++ == 0) return;
  cps_problem(b->d, at, NULL, "a second document starts here; a scenario is one document");
  b->stop = 1;
}

static void on_event(builder *b, struct fy_event *event) {
  const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
  size_t length = b->d->sources[b->source].length;
  mark at = {b->source, start && start->input_pos <= length ? (unsigned)start->input_pos : b->last};
  switch (event->type) {
  case FYET_DOCUMENT_START:
    on_document(b, at);
    break;
  case FYET_MAPPING_START:
    on_start(b, NODE_MAP, event->mapping_start.anchor, event->mapping_start.tag,
             fy_event_get_node_style(event) == FYNS_FLOW, at);
    break;
  case FYET_SEQUENCE_START:
    on_start(b, NODE_LIST, event->sequence_start.anchor, event->sequence_start.tag,
             fy_event_get_node_style(event) == FYNS_FLOW, at);
    break;
  case FYET_SCALAR:
    on_scalar(b, event, at);
    break;
  case FYET_ALIAS:
    on_alias(b, event, at);
    break;
  case FYET_MAPPING_END:
  case FYET_SEQUENCE_END:
    on_end(b);
    break;
  default:
    break;
  }
  if (end && end->input_pos <= length && end->input_pos > 0) b->last = (unsigned)end->input_pos;
}

/* ------------------------------------------------------------------ syntax errors */

/* What libfyaml says, in words that help. An open bracket is shown where it was opened. */
static const struct {
  const char *says, *means;
  int opened;
} plain_words[] = {
    {"tab character may not be used", "found a tab in the indentation; YAML is indented with blanks only", 0},
    {"invalid multiline plain key",
     "this line does not fit the one before; check the indentation, and put text that contains \": \" in "
     "quotes",
     0},
    {"nested block mapping on the same line",
     "found a second \": \" in this line; text that contains it goes in quotes", 0},
    {"invalid indentation", "this line is not indented like the ones that it belongs to", 0},
    {"wrongly indented flow", "this bracket is never closed", 1},
    {"without a closing", "this bracket is never closed", 1},
    {"without closing quote", "this quote is never closed", 0},
    {"wrongly indented double-quoted", "this quote is never closed", 0},
    {"wrongly indented single-quoted", "this quote is never closed", 0},
    {"missing comma in flow", "a comma is missing here, or a bracket before is not closed", 0},
    {"extra closing", "there is a closing bracket too many here", 0},
    {"depth limit", "values are nested too deeply here", 0},
};

static int has_tab_indent(const document *d, int source, int line) {
  const struct source *s = &d->sources[source];
  if (line < 1 || line > s->n_lines) return 0;
  const char *p = s->text + s->line[line - 1];
  p += strspn(p, " ");
  return *p == '\t';
}

static void complain_syntax(builder *b, struct fy_diag *diag) {
  document *d = b->d;
  void *iterator = NULL;
  const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iterator);
  if (!e) {
    cps_problem(d, (mark){b->source, b->last}, NULL, "this is not YAML");
    return;
  }
  mark at = {b->source, cps_mark_offset(d, b->source, e->line, e->column)};
  const char *says = e->msg ? e->msg : "syntax error";
  const char *means = NULL;
  int opened = 0;
  for (size_t i = 0; i < sizeof plain_words / sizeof plain_words[0] && !means; i++) {
    if (!strstr(says, plain_words[i].says)) continue;
    means = plain_words[i].means;
    opened = plain_words[i].opened;
  }
  if (has_tab_indent(d, b->source, e->line)) {
    means = plain_words[0].means;
    at.offset = d->sources[b->source].line[e->line - 1];
    at.offset += (unsigned)strspn(d->sources[b->source].text + at.offset, " ");
  } else if (opened && b->depth > 0 && b->stack[b->depth - 1].flow) {
    at = b->stack[b->depth - 1].collection->at;
  } else if (strstr(says, "quote") && at.offset > 0 &&
             strchr("'\"", d->sources[b->source].text[at.offset - 1])) {
    at.offset--;
  }
  if (means)
    cps_problem(d, at, NULL, "%s", means);
  else
    cps_problem(d, at, NULL, "this is not YAML: %s", says);
}

/* ------------------------------------------------------------------ parsing */

static void run_parser(builder *b, struct fy_parser *parser, struct fy_diag *diag) {
  while (!b->stop) {
    struct fy_event *event = fy_parser_parse(parser);
    if (!event) break;
    on_event(b, event);
    fy_parser_event_free(parser, event);
  }
  if (!b->stop && fy_parser_get_stream_error(parser)) {
    complain_syntax(b, diag);
    b->stop = 1;
  }
}

node *cps_yaml_parse(document *d, int source, size_t skip) {
  builder b = {.d = d, .source = source};
  const char *text = d->sources[source].text;
  size_t length = d->sources[source].length;
  if (!cps_text_check(d, source, skip)) return NULL;
  char *blanked = NULL;
  if (skip > 0) {
    blanked = cps_document_text(d, text, length);
    if (!blanked) return NULL;
    memset(blanked, ' ', skip < length ? skip : length);
    text = blanked;
  }
  struct fy_diag_cfg diag_cfg;
  fy_diag_cfg_default(&diag_cfg);
  diag_cfg.fp = NULL;
  diag_cfg.level = FYET_ERROR;
  diag_cfg.colorize = false;
  struct fy_diag *diag = fy_diag_create(&diag_cfg);
  if (diag) fy_diag_set_collect_errors(diag, true);
  struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                      FYPCF_SLOPPY_FLOW_INDENTATION,
                             .diag = diag};
  struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
  if (!parser || fy_parser_set_string(parser, text, length) != 0)
    out_of_memory(&b);
  else
    run_parser(&b, parser, diag);
  if (parser) fy_parser_destroy(parser);
  if (diag) fy_diag_destroy(diag);
  free(b.pending);
  free(b.anchored);
  cps_index_free(&b.anchors);
  return b.stop || d->no_memory ? NULL : b.root;
}
