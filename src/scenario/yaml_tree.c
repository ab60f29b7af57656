/* yaml_tree.c - from libyaml's events to a tree: see yaml_tree.h.
 *
 * The event interface is used because it neither recurses nor resolves anything: depth, aliases, merge keys
 * and duplicates are dealt with here, where their cost is known.
 *
 * The marks of libyaml count characters. Places are offsets in bytes, so a cursor follows the marks through
 * the text; they hardly ever go back, and never far.
 */
#include "yaml_tree.h"
#include "plain_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

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
} frame;

typedef struct builder {
  document *d;
  int source;
  const char *text; /* what the parser reads: the source, with blanks where it is to be skipped */
  size_t length;
  size_t character, byte; /* a place in it by characters, as libyaml counts them, and by bytes */
  frame stack[DEPTH_MOST];
  int depth;
  node **pending; /* parts of the collections on the stack */
  size_t n_pending, room;
  name_index anchors; /* names to indices of `anchored` */
  node **anchored;
  int n_anchored, anchored_room;
  node *root;
  unsigned last; /* where the last event starts */
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

static int is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* The place of a mark. */
static mark place_of(builder *b, const yaml_mark_t *m) {
  while (b->character < m->index && b->byte < b->length) {
    do b->byte++;
    while (b->byte < b->length && is_continuation(b->text[b->byte]));
    b->character++;
  }
  while (b->character > m->index && b->byte > 0) {
    do b->byte--;
    while (b->byte > 0 && is_continuation(b->text[b->byte]));
    b->character--;
  }
  return (mark){b->source, (unsigned)b->byte};
}

/* The place of a value behind its anchor and tag, with which its event starts. */
static mark behind_properties(const builder *b, mark at) {
  const char *s = b->text + at.offset;
  while (*s == '&' || *s == '!') {
    s += strcspn(s, " \t\r\n");
    s += strspn(s, " \t\r\n");
    while (*s == '#') {
      s += strcspn(s, "\r\n");
      s += strspn(s, " \t\r\n");
    }
  }
  return (mark){b->source, (unsigned)(s - b->text)};
}

/* Text of an event, in the arena; NULL if there is none, or no memory. */
static const char *event_text(builder *b, const yaml_char_t *text, size_t length, mark at) {
  if (!text) return NULL;
  const char *copy = cps_document_text(b->d, (const char *)text, length);
  if (!copy) out_of_memory(b);
  if (copy && strlen(copy) != length) {
    cps_problem(b->d, at, NULL, "found text with a NUL character in it");
    b->stop = 1;
    return NULL;
  }
  return copy;
}

static const char *event_name(builder *b, const yaml_char_t *name, mark at) {
  return name ? event_text(b, name, strlen((const char *)name), at) : NULL;
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

static void reject_tag(builder *b, const yaml_char_t *tag, mark at) {
  char quote[QUOTE_SIZE];
  if (tag)
    cps_problem(b->d, at, NULL, "found the tag %s; tags are not used here",
                cps_quote(quote, (const char *)tag));
}

static void on_scalar(builder *b, const yaml_event_t *event, mark start) {
  mark at = behind_properties(b, start);
  /* Where a value is missing, the colon is shown. */
  if (event->start_mark.index == event->end_mark.index && at.offset > 0) at.offset--;
  node *n = cps_node_new(b->d, NODE_NULL, at);
  if (!n) {
    b->stop = 1;
    return;
  }
  const char *text = event_text(b, event->data.scalar.value, event->data.scalar.length, at);
  if (!text || b->stop) return;
  int plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  char unseen[16];
  if (cps_plain_control(text, unseen))
    cps_problem(
        b->d, at, NULL,
        "found text with the character %s in it, which acts on a terminal or is not text; leave it out",
        unseen);
  if (!(plain && is_null_word(text))) {
    n->kind = NODE_SCALAR;
    n->text = text;
    n->quoted = !plain;
  }
  reject_tag(b, event->data.scalar.tag, start);
  remember(b, event_name(b, event->data.scalar.anchor, start), n);
  if (!b->stop) attach(b, n);
}

static void on_alias(builder *b, const yaml_event_t *event, mark at) {
  const char *name = event_name(b, event->data.alias.anchor, at);
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

static void on_start(builder *b, node_kind kind, const yaml_char_t *anchor, const yaml_char_t *tag,
                     mark start) {
  mark at = behind_properties(b, start);
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
  reject_tag(b, tag, start);
  b->stack[b->depth++] = (frame){n, b->n_pending, event_name(b, anchor, start)};
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

static void on_event(builder *b, const yaml_event_t *event) {
  mark at = place_of(b, &event->start_mark);
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    on_document(b, at);
    break;
  case YAML_MAPPING_START_EVENT:
    on_start(b, NODE_MAP, event->data.mapping_start.anchor, event->data.mapping_start.tag, at);
    break;
  case YAML_SEQUENCE_START_EVENT:
    on_start(b, NODE_LIST, event->data.sequence_start.anchor, event->data.sequence_start.tag, at);
    break;
  case YAML_SCALAR_EVENT:
    on_scalar(b, event, at);
    break;
  case YAML_ALIAS_EVENT:
    on_alias(b, event, at);
    break;
  case YAML_MAPPING_END_EVENT:
  case YAML_SEQUENCE_END_EVENT:
    on_end(b);
    break;
  default:
    break;
  }
  b->last = at.offset;
}

/* ------------------------------------------------------------------ syntax errors */

/* What libyaml says, in words that help. Where: at the problem, or at the start of what it is a part of. */
static const struct {
  const char *says, *means;
  int at_start;
} plain_words[] = {
    {"a tab character", "found a tab in the indentation; YAML is indented with blanks only", 0},
    {"could not find expected ':'",
     "this line does not fit the one before; check the indentation, and put text that contains \": \" in "
     "quotes",
     1},
    {"mapping values are not allowed",
     "found a second \": \" in this line; text that contains it goes in quotes", 0},
    {"block sequence entries are not allowed",
     "found \"- \" behind something else in this line; a list starts in a line of its own", 0},
    {"did not find expected key", "this line is not indented like the ones that it belongs to", 0},
    {"did not find expected '-' indicator", "this line is not indented like the ones that it belongs to", 0},
    {"did not find expected ','", "a comma is missing here, or a bracket before is not closed", 0},
    {"found unexpected end of stream", "this quote is never closed", 1},
    {"found unexpected document indicator", "this quote is never closed", 1},
    {"unknown escape character",
     "found an unknown escape in double quotes; a backslash is written \\\\, or use single quotes", 0},
    {"hexdecimal number", "found an escape in double quotes without its hexadecimal digits", 0},
    {"invalid Unicode character escape", "found an escape in double quotes that is no character", 0},
    {"alphabetic or numeric character",
     "the name of an anchor or alias consists of letters, digits, \"-\" and \"_\"", 0},
    {"found unexpected ':'", "a blank is missing after this colon", 0},
    {"expected whitespace or line break",
     "found a tag; tags are not used here, and text that starts with \"!\" goes in quotes", 1},
    {"did not find expected node content", "a value is missing here", 0},
    {"cannot start any token", "a value cannot start with this character; text that does goes in quotes", 0},
    {"indentation indicator", "found text after \"|\" or \">\"; it starts in the next line", 0},
    {"expected comment or line break", "found text after \"|\" or \">\"; it starts in the next line", 0},
    {"expected <document start>", "a second value starts here; a scenario is one map", 0},
};

static const char never_closed[] = "this bracket is never closed";
static const char too_many[] = "there is a closing bracket too many here";
enum { N_WORDS = sizeof plain_words / sizeof plain_words[0], TAB = 0, DOES_NOT_FIT = 1 };

/* Where the line of a place starts. */
static unsigned line_start(const builder *b, mark at) {
  int line, column;
  cps_mark_place(b->d, at, &line, &column);
  return cps_mark_offset(b->d, b->source, line, 1);
}

/* Whether there is a ": " in the text between. */
static int has_colon(const char *text, unsigned from, unsigned to) {
  for (unsigned i = from; i + 1 < to; i++)
    if (text[i] == ':' && text[i + 1] == ' ') return 1;
  return 0;
}

static void complain_syntax(builder *b, const yaml_parser_t *parser) {
  const char *says = parser->problem ? parser->problem : "syntax error";
  mark at = place_of(b, &parser->problem_mark);
  unsigned line = line_start(b, at), indent = line + (unsigned)strspn(b->text + line, " ");
  const char *means = NULL;
  size_t i = 0;
  while (i < N_WORDS && !strstr(says, plain_words[i].says)) i++;
  if (i < N_WORDS) means = plain_words[i].means;
  /* The word by itself does not tell where the bracket, the quote, or the wrong line is. */
  char here = at.offset < b->length ? b->text[at.offset] : 0;
  int in_flow = strstr(says, "did not find expected ','") != NULL;
  int line_goes_on = here == ':' && b->last < line;
  if (b->text[indent] == '\t') {
    means = plain_words[TAB].means;
    at.offset = indent;
  } else if (in_flow && (!here || line_goes_on)) {
    means = never_closed;
    at = place_of(b, &parser->context_mark);
  } else if (here && strchr("]}", here) && strstr(says, "did not find expected") &&
             !strstr(says, "content") && !strstr(says, "white")) {
    means = too_many;
  } else if (strstr(says, "mapping values") && !has_colon(b->text, indent, at.offset)) {
    means = plain_words[DOES_NOT_FIT].means;
    at.offset = indent;
  } else if (i < N_WORDS && plain_words[i].at_start) {
    at = place_of(b, &parser->context_mark);
  }
  if (means)
    cps_problem(b->d, at, NULL, "%s", means);
  else
    cps_problem(b->d, at, NULL, "this is not YAML: %s", says);
}

/* ------------------------------------------------------------------ parsing */

static void run_parser(builder *b, yaml_parser_t *parser) {
  for (int done = 0; !b->stop && !done;) {
    yaml_event_t event;
    if (yaml_parser_parse(parser, &event)) {
      done = event.type == YAML_STREAM_END_EVENT;
      on_event(b, &event);
      yaml_event_delete(&event);
    } else if (parser->error == YAML_MEMORY_ERROR) {
      out_of_memory(b);
    } else {
      complain_syntax(b, parser);
      b->stop = 1;
    }
  }
}

node *cps_yaml_parse(document *d, int source, size_t skip) {
  builder b = {
      .d = d, .source = source, .text = d->sources[source].text, .length = d->sources[source].length};
  if (!cps_text_check(d, source, skip)) return NULL;
  if (skip > 0) {
    char *blanked = cps_document_text(d, b.text, b.length);
    if (!blanked) return NULL;
    memset(blanked, ' ', skip < b.length ? skip : b.length);
    b.text = blanked;
  }
  /* A byte order mark is not for the parser. */
  if (b.length >= 3 && memcmp(b.text, "\xef\xbb\xbf", 3) == 0) b.byte = 3;
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    out_of_memory(&b);
    return NULL;
  }
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)b.text + b.byte, b.length - b.byte);
  run_parser(&b, &parser);
  yaml_parser_delete(&parser);
  free(b.pending);
  free(b.anchored);
  cps_index_free(&b.anchors);
  return b.stop || d->no_memory ? NULL : b.root;
}
