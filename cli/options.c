/* options.c - see options.h. */
#include "options.h"
#include "cli.h"

#include <string.h>

/* The parser's position and what it has found wrong so far. */
typedef struct parser {
  const char *where;
  const option *table;
  int n_options;
  int argc, at; /* `at` is the argument being read */
  char **argv;
  int problems;
  const text_list *full; /* which was said of already */
} parser;

static const option *find_long(const parser *s, const char *name, size_t length) {
  for (int i = 0; i < s->n_options; i++)
    if (strlen(s->table[i].name) == length && memcmp(s->table[i].name, name, length) == 0)
      return &s->table[i];
  return NULL;
}

static const option *find_short(const parser *s, char letter) {
  for (int i = 0; i < s->n_options; i++)
    if (letter && s->table[i].letter == letter) return &s->table[i];
  return NULL;
}

static void unknown(parser *s, const char *found, const char *name, size_t length) {
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  nearest n = {.word = word};
  for (int i = 0; i < s->n_options; i++) nearest_offer(&n, s->table[i].name);
  s->problems++;
  if (n.best) {
    complain(s->where, "there is no option '%s'; did you mean '--%s'? 'capstan %s --help' lists them", found,
             n.best, s->where);
  } else {
    complain(s->where, "there is no option '%s'", found);
  }
}

/* Puts a value where the option wants it. */
static void store(parser *s, const option *o, const char *value) {
  if (o->kind == OPTION_TEXT) {
    const char **target = (const char **)o->target;
    if (*target) {
      complain(s->where, "--%s is given twice, as '%s' and '%s'; once is enough", o->name, *target, value);
      s->problems++;
    }
    *target = value;
    return;
  }
  text_list *list = (text_list *)o->target;
  if (list->n < TEXT_LIST_MAX) {
    list->item[list->n++] = value;
  } else if (s->full != list) {
    s->full = list;
    complain(s->where, "--%s is given more than %d times", o->name, TEXT_LIST_MAX);
    s->problems++;
  }
}

/* One option with its value: `value` is what follows '=' or the letter, NULL if nothing does. */
static void take(parser *s, const option *o, const char *value) {
  if (o->kind == OPTION_FLAG) {
    *(int *)o->target = 1;
    if (value) {
      complain(s->where, "--%s takes no value, but '%s' was given", o->name, value);
      s->problems++;
    }
    return;
  }
  if (!value && s->at + 1 < s->argc) {
    /* An option where a value should be is a forgotten value; "-" and negative numbers are values. */
    const char *next = s->argv[s->at + 1];
    if (strncmp(next, "--", 2) != 0) value = s->argv[++s->at];
  }
  if (!value) {
    complain(s->where, "--%s needs a value: --%s %s", o->name, o->name, o->value);
    s->problems++;
    return;
  }
  store(s, o, value);
}

static void take_long(parser *s, const char *argument) {
  const char *name = argument + 2;
  size_t length = strcspn(name, "=");
  const option *o = find_long(s, name, length);
  if (!o) {
    unknown(s, argument, name, length);
    return;
  }
  take(s, o, name[length] ? name + length + 1 : NULL);
}

static void take_short(parser *s, const char *argument) {
  const option *o = find_short(s, argument[1]);
  if (!o) {
    unknown(s, argument, argument + 1, strlen(argument + 1));
    return;
  }
  const char *rest = argument + 2;
  take(s, o, !*rest ? NULL : *rest == '=' ? rest + 1 : rest);
}

int options_parse(const char *where, const option *table, int n_options, int argc, char **argv) {
  parser s = {where, table, n_options, argc, 0, argv, 0, NULL};
  int rest = 0, ended = 0;
  for (; s.at < argc; s.at++) {
    char *a = argv[s.at];
    if (ended || a[0] != '-' || !a[1])
      argv[rest++] = a;
    else if (strcmp(a, "--") == 0)
      ended = 1;
    else if (a[1] == '-')
      take_long(&s, a);
    else
      take_short(&s, a);
  }
  return s.problems ? -1 : rest;
}

void options_help(FILE *out, const option *table, int n_options) {
  for (int i = 0; i < n_options; i++) {
    char left[64] = "";
    if (table[i].letter)
      append(left, sizeof left, "-%c, ", table[i].letter);
    else
      append(left, sizeof left, "    ");
    append(left, sizeof left, "--%s", table[i].name);
    if (table[i].value) append(left, sizeof left, " %s", table[i].value);
    fprintf(out, "  %-28s %s\n", left, table[i].help);
  }
}
