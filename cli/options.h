/* options.h - a table-driven parser of command line options, shared by all commands.
 *
 *   struct { int json; const char *svg; text_list set; } o = {0};
 *   const option table[] = {{"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"}, ...};
 *   int n = options_parse("models", table, COUNT, argc, argv);   // < 0: complaints were made
 *
 * Long options take their value after '=' or as the next argument; "--" ends the options. The arguments that
 * are not options are left in argv[0 .. n-1].
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdio.h>

typedef enum option_kind {
  OPTION_FLAG, /* int: set to 1 */
  OPTION_TEXT, /* const char *: the value; given twice is an error */
  OPTION_LIST  /* text_list: every value, in order */
} option_kind;

/* Values of an option that may be repeated. */
enum { TEXT_LIST_MAX = 64 };
typedef struct text_list {
  int n;
  const char *item[TEXT_LIST_MAX];
} text_list;

typedef struct option {
  const char *name; /* long name, without dashes */
  char letter;      /* short name, 0 if none */
  option_kind kind;
  void *target;
  const char *value; /* what the value is called in the help; NULL for flags */
  const char *help;  /* one line */
} option;

/* Parses; returns how many other arguments there are, or -1 after complaining about all that is wrong. */
int options_parse(const char *where, const option *table, int n_options, int argc, char **argv);

/* Prints one line per option. */
void options_help(FILE *out, const option *table, int n_options);

#endif
