/* json.h - a small JSON writer: commas, indentation, escapes and numbers are its business.
 *
 *   json w = json_start(stdout);
 *   json_open(&w, NULL, '{');  json_number(&w, "force", -5);  json_close(&w);
 *   json_end(&w);
 *
 * Inside an object every value has a key; inside an array the key is NULL. Numbers are the shortest that read
 * back as the same double; what is not finite becomes null.
 */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

enum { JSON_DEPTH = 32 };

typedef struct json {
  FILE *out;
  int depth;
  char closing[JSON_DEPTH]; /* '}' or ']' of each open level */
  int count[JSON_DEPTH];    /* values written so far at each level */
  int flat;                 /* depth from which everything stays on one line, 0 for none */
} json;

json json_start(FILE *out);
void json_end(json *w);

/* Opens an object '{' or an array '['; json_open_flat keeps it and what it holds on one line. */
void json_open(json *w, const char *key, char bracket);
void json_open_flat(json *w, const char *key, char bracket);
void json_close(json *w);

/* Text that is NULL becomes null. */
void json_text(json *w, const char *key, const char *text);
void json_number(json *w, const char *key, double value);
void json_int(json *w, const char *key, int value);
void json_bool(json *w, const char *key, int value);
/* A value that is JSON already: length bytes of text. */
void json_raw(json *w, const char *key, const char *text, size_t length);

/* Writes the shortest decimal number that reads back as the same double into text[size]. */
void shortest_number(char *text, size_t size, double value);

#endif
