/* schema.c - the JSON Schema of scenario files, from the tables of keys.
 *
 * Draft 7, which editors understand. It checks structure, words and the ranges of plain numbers; units and
 * references are beyond it.
 */
#include "buffer.h"
#include "keys.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REF(name)         "\"$ref\": \"#/definitions/" name "\""
#define LIST(range, what) "\"type\": \"array\", " range ", \"items\": {" what "}"
#define TWO               "\"minItems\": 2, \"maxItems\": 2"
#define OR_NULL(type)     "\"type\": [\"" type "\", \"null\"]"
#define EITHER(a, b)      "\"anyOf\": [{" a "}, {" b "}]"
#define NAMES             "\"type\": [\"string\", \"array\"], \"minItems\": 1, \"items\": {" STRING "}"
#define STRING            "\"type\": \"string\""

/* What each type looks like; ranges, words and descriptions are added to it. */
static const char *const fragments[] = {
    [KEY_INTEGER] = "\"type\": \"integer\"",
    [KEY_QUANTITY] = REF("quantity"),
    [KEY_FLAG] = "\"type\": \"boolean\"",
    [KEY_WORD] = STRING,
    [KEY_TEXT] = "\"type\": [\"string\", \"number\"]",
    [KEY_VECTOR] = REF("vector"),
    [KEY_AXIS] = LIST("\"minItems\": 3, \"maxItems\": 3", REF("quantity")),
    [KEY_POINT] = LIST(TWO, REF("quantity")),
    [KEY_AMOUNT] = "",
    [KEY_GRAVITY] = EITHER(REF("quantity"), REF("vector")),
    [KEY_PROFILE] = REF("profile"),
    [KEY_NORMAL] = EITHER("\"enum\": [\"weight\", \"load\"]", REF("profile")),
    [KEY_FRICTION] = REF("friction"),
    [KEY_PRESSING] = REF("normal"),
    [KEY_STATES] = OR_NULL("object") ", \"additionalProperties\": {" REF("quantity") "}",
    [KEY_ENDS] = LIST(TWO, REF("end")),
    [KEY_PAIR] = LIST(TWO, STRING),
    [KEY_NAMES] = NAMES,
    [KEY_CHOICE] = "",
    [KEY_PLACE] = "",
    [KEY_PATH] = "\"type\": \"array\", \"minItems\": 2, \"items\": {\"anyOf\": [{" STRING
                 "}, {" REF("ends") "}, {" REF("path") "}]}",
    [KEY_TIMES] = LIST("\"minItems\": 2", REF("quantity")),
    [KEY_VALUES] = LIST("\"minItems\": 2", REF("quantity")),
    [KEY_PIECES] = LIST("\"minItems\": 1", LIST("\"minItems\": 1, \"maxItems\": 4", REF("quantity"))),
    [KEY_COLUMN] = "\"type\": [\"string\", \"integer\"]",
    [KEY_PARTS] = LIST("\"minItems\": 1", REF("profile")),
    [KEY_FILES] = "\"type\": [\"string\", \"array\", \"null\"], \"items\": {" STRING "}",
    [KEY_MAP] = "",
    [KEY_NAMED] = OR_NULL("object"),
    [KEY_PROFILES] = OR_NULL("object") ", \"additionalProperties\": {" REF("profile") "}",
    [KEY_REPEATS] = OR_NULL("array"),
    [KEY_TEXTS] = "\"type\": [\"string\", \"array\"], \"items\": {" STRING "}",
};

/* Text in quotes, with what JSON wants escaped. */
static void add_text(buffer *b, const char *text) {
  cps_buffer_add(b, "\"");
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      cps_buffer_add(b, "\\%c", *text);
    else if ((unsigned char)*text >= 0x20)
      cps_buffer_add(b, "%c", *text);
  }
  cps_buffer_add(b, "\"");
}

static void add_words(buffer *b, const char *words, const char **separator) {
  while (words && *words) {
    cps_buffer_add(b, "%s\"%.*s\"", *separator, (int)strcspn(words, " "), words);
    *separator = ", ";
    words += strcspn(words, " ");
    words += strspn(words, " ");
  }
}

/* Meaning, unit and default in one sentence. */
static void add_description(buffer *b, const key *k) {
  char text[600], value[40];
  size_t n = (size_t)snprintf(text, sizeof text, "%s", k->meaning ? k->meaning : k->name);
  if (k->unit && strcmp(k->unit, "1") != 0 && k->unit[0] != '*' && n < sizeof text)
    n += (size_t)snprintf(text + n, sizeof text - n, " [%s]", k->unit);
  cps_number_text(value, sizeof value, k->value);
  const char *otherwise = k->otherwise                                        ? k->otherwise
                          : k->type == KEY_QUANTITY || k->type == KEY_INTEGER ? value
                                                                              : NULL;
  if (k->required) otherwise = NULL;
  if (otherwise && n < sizeof text) snprintf(text + n, sizeof text - n, " (default: %s)", otherwise);
  cps_buffer_add(b, "\"description\": ");
  add_text(b, text);
}

static void add_range(buffer *b, const key *k) {
  char number[40];
  if (isfinite(k->min))
    cps_buffer_add(b, ", \"%s\": %s", k->above ? "exclusiveMinimum" : "minimum",
                   cps_number_text(number, sizeof number, k->min));
  if (isfinite(k->max))
    cps_buffer_add(b, ", \"maximum\": %s", cps_number_text(number, sizeof number, k->max));
}

/* Keys that take one of two forms: words or a quantity, words or a map with one key, a vector or a map. */
static void add_either(buffer *b, const key *k) {
  const char *separator = "";
  cps_buffer_add(b, ", \"anyOf\": [");
  if (k->words) {
    cps_buffer_add(b, "{\"enum\": [");
    add_words(b, k->words, &separator);
    cps_buffer_add(b, "]}");
  } else {
    cps_buffer_add(b, "{\"type\": \"null\"}, {%s}", fragments[KEY_VECTOR]);
  }
  if (k->type == KEY_AMOUNT)
    cps_buffer_add(b, ", {%s}]", fragments[KEY_QUANTITY]);
  else
    cps_buffer_add(b, ", {\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]%s}]", k->table->name,
                   k->type == KEY_CHOICE ? ", \"minProperties\": 1, \"maxProperties\": 1" : "");
}

/* One key. Siblings of $ref are ignored in draft 7, so a reference goes into allOf. */
static void add_key(buffer *b, const key *k) {
  const char *fragment = fragments[k->type];
  int reference = strncmp(fragment, "\"$ref\"", 6) == 0;
  int number = k->type == KEY_QUANTITY || k->type == KEY_INTEGER;
  cps_buffer_add(b, "{");
  add_description(b, k);
  if (reference)
    cps_buffer_add(b, ", \"allOf\": [{%s}]", fragment);
  else if (*fragment)
    cps_buffer_add(b, ", %s", fragment);
  if (number) add_range(b, k);
  if (k->type == KEY_AMOUNT || k->type == KEY_CHOICE || k->type == KEY_PLACE) {
    add_either(b, k);
  } else if (k->words && k->type != KEY_NAMES) {
    const char *separator = "";
    cps_buffer_add(b, ", \"enum\": [");
    add_words(b, k->words, &separator);
    cps_buffer_add(b, "]");
  }
  if (k->type == KEY_MAP)
    cps_buffer_add(b, ", \"allOf\": [{\"$ref\": \"#/definitions/%s\"}]", k->table->name);
  if (k->type == KEY_NAMED)
    cps_buffer_add(b, ", \"additionalProperties\": {\"$ref\": \"#/definitions/%s\"}", k->table->name);
  if (k->type == KEY_REPEATS)
    cps_buffer_add(b, ", \"items\": {\"$ref\": \"#/definitions/%s\"}", k->table->name);
  cps_buffer_add(b, "}");
}

/* A map with the keys of a table, without the braces around it. */
static void add_table(buffer *b, const key_table *t, const char *indent) {
  const char *separator = "";
  cps_buffer_add(b, "%s\"type\": \"object\",\n%s\"additionalProperties\": false,\n", indent, indent);
  cps_buffer_add(b, "%s\"description\": ", indent);
  add_text(b, t->meaning);
  cps_buffer_add(b, ",\n%s\"required\": [", indent);
  for (int i = 0; i < t->n; i++) {
    if (!t->keys[i].required) continue;
    cps_buffer_add(b, "%s\"%s\"", separator, t->keys[i].name);
    separator = ", ";
  }
  cps_buffer_add(b, "],\n%s\"properties\": {", indent);
  for (int i = 0; i < t->n; i++) {
    cps_buffer_add(b, "%s\n%s  \"%s\": ", i ? "," : "", indent, t->keys[i].name);
    add_key(b, &t->keys[i]);
  }
  cps_buffer_add(b, "\n%s}", indent);
}

static void add_profile(buffer *b) {
  cps_buffer_add(b, "    \"profile\": {\n      \"description\": \"a quantity over time: constant, the name "
                    "of a profile, or "
                    "one of the kinds\",\n"
                    "      \"anyOf\": [\n        {\"type\": [\"number\", \"string\"]}");
  for (int i = 0; i < cps_profile_types(); i++) {
    const key_table *t = cps_profile_type(i)->keys;
    cps_buffer_add(
        b,
        ",\n        {\"type\": \"object\", \"required\": [\"%s\"], \"additionalProperties\": false, "
        "\"properties\": {\"%s\": {\n",
        t->name, t->name);
    if (cps_profile_type(i)->kind == PROFILE_INPUT)
      cps_buffer_add(b, "\"anyOf\": [{\"type\": \"string\"}, {");
    if (t->keys[0].type == KEY_PARTS) {
      cps_buffer_add(b, "          \"description\": ");
      add_text(b, t->meaning);
      cps_buffer_add(b, ", %s", fragments[KEY_PARTS]);
    } else {
      add_table(b, t, "          ");
    }
    if (cps_profile_type(i)->kind == PROFILE_INPUT) cps_buffer_add(b, "}]");
    cps_buffer_add(b, "}}}");
  }
  cps_buffer_add(b, "\n      ]\n    }");
}

static void add_normal(buffer *b) {
  const char *separator = "";
  cps_buffer_add(b, "    \"normal\": {\n      \"description\": \"a law of normal contact, alone or with its "
                    "parameters\",\n      \"anyOf\": [\n        {\"enum\": [");
  for (int i = 0; i < cps_normal_count(); i++) {
    add_words(b, cps_normal_at(i)->name, &separator);
    add_words(b, cps_normal_at(i)->aliases, &separator);
  }
  cps_buffer_add(b, "]}");
  for (int i = 0; i < cps_normal_count(); i++) {
    const cps_normal *law = cps_normal_at(i);
    char units[CPS_MAX_PARAMS][UNIT_ROOM], names[200];
    key rows[CPS_MAX_PARAMS];
    key_table t = cps_keys_of_normal(law, 1, units, rows);
    snprintf(names, sizeof names, "%s %s", law->name, law->aliases ? law->aliases : "");
    cps_buffer_add(b, ",\n        {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
                      "\"propertyNames\": {\"enum\": [");
    separator = "";
    add_words(b, names, &separator);
    cps_buffer_add(b, "]}, \"additionalProperties\": {\"type\": [\"object\", \"null\"], "
                      "\"additionalProperties\": false, \"properties\": {");
    for (int k = 0; k < t.n; k++) {
      cps_buffer_add(b, "%s\n          \"%s\": ", k ? "," : "", rows[k].name);
      add_key(b, &rows[k]);
    }
    cps_buffer_add(b, "}}}");
  }
  cps_buffer_add(b, "\n      ]\n    }");
}

static void add_friction(buffer *b) {
  const char *separator = "";
  cps_buffer_add(
      b, "    \"friction\": {\n      \"description\": \"a friction law, alone or with its parameters\",\n"
         "      \"anyOf\": [\n        {\"enum\": [");
  for (int i = 0; i < cps_law_count(); i++) {
    add_words(b, cps_law_at(i)->name, &separator);
    add_words(b, cps_law_at(i)->aliases, &separator);
  }
  cps_buffer_add(b, "]},\n        {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
                    "\"additionalProperties\": false, \"properties\": {");
  separator = "";
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    char names[200];
    snprintf(names, sizeof names, "%s %s", law->name, law->aliases ? law->aliases : "");
    /* An alias refers to the law itself. */
    for (const char *s = names; *s; s += strspn(s, " ")) {
      cps_buffer_add(b, "%s\n          \"%.*s\": {\"$ref\": \"#/definitions/law-%s\"}", separator,
                     (int)strcspn(s, " "), s, law->name);
      separator = ",";
      s += strcspn(s, " ");
    }
  }
  cps_buffer_add(b, "\n        }}\n      ]\n    }");
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    key rows[CPS_MAX_PARAMS];
    key_table t = cps_keys_of_law(law, rows);
    cps_buffer_add(b, ",\n    \"law-%s\": {\n      \"description\": ", law->name);
    add_text(b, law->title);
    cps_buffer_add(b,
                   ", \"type\": [\"object\", \"null\"], \"additionalProperties\": false, \"properties\": {");
    for (int k = 0; k < t.n; k++) {
      cps_buffer_add(b, "%s\n        \"%s\": ", k ? "," : "", rows[k].name);
      add_key(b, &rows[k]);
    }
    cps_buffer_add(b, "\n      }\n    }");
  }
}

char *cps_scenario_schema(void) {
  static const key_table *const tables[] = {
      &cps_keys_bodies,        &cps_keys_surfaces,       &cps_keys_springs,
      &cps_keys_contacts,      &cps_keys_loads,          &cps_keys_run,
      &cps_keys_audit,         &cps_keys_outputs,        &cps_keys_repeat,
      &cps_keys_drums,         &cps_keys_drive,          &cps_keys_pd,
      &cps_keys_bearing,       &cps_keys_components,     &cps_keys_cables,
      &cps_keys_damping,       &cps_keys_quadrature,     &cps_keys_mesh,
      &cps_keys_masses,        &cps_keys_ends,           &cps_keys_end_free,
      &cps_keys_end_pinned,    &cps_keys_end_clamped,    &cps_keys_path,
      &cps_keys_cable_contact, &cps_keys_contact_points,
  };
  buffer b = {0};
  cps_buffer_add(&b, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                     "  \"title\": \"Capstan scenario, version 1\",\n"
                     "  \"$comment\": \"generated by capstan check --schema\",\n");
  add_table(&b, &cps_keys_scenario, "  ");
  cps_buffer_add(
      &b,
      ",\n  \"definitions\": {\n"
      "    \"quantity\": {\"description\": \"a number in SI, or text with a unit such as 10 mm\", "
      "\"type\": [\"number\", \"string\"], \"pattern\": \"^ *([-+]?[.0-9]|.*\\\\{)\"},\n"
      "    \"vector\": {\"description\": \"two or three quantities\", \"type\": \"array\", \"minItems\": 2, "
      "\"maxItems\": 3, \"items\": {\"$ref\": \"#/definitions/quantity\"}},\n"
      "    \"end\": {\"description\": \"an end of a spring: a name, or a name and a point\", \"anyOf\": "
      "[{\"type\": \"string\"}, {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, "
      "\"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/definitions/quantity\"}, {\"$ref\": "
      "\"#/definitions/vector\"}]}}]},\n");
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    cps_buffer_add(&b, "    \"%s\": {\n", tables[i]->name);
    add_table(&b, tables[i], "      ");
    cps_buffer_add(&b, "\n    },\n");
  }
  add_profile(&b);
  cps_buffer_add(&b, ",\n");
  add_normal(&b);
  cps_buffer_add(&b, ",\n");
  add_friction(&b);
  cps_buffer_add(&b, "\n  }\n}\n");
  return cps_buffer_take(&b);
}
