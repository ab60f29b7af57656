/* pairs.c - see pairs.h. */
#include "pairs.h"
#include "cli.h"

#include <string.h>

static void unknown_name(const char *where, const char *owner, const char *name, const slot *slots,
                         int n_slots) {
  nearest n = {.word = name};
  char known[640] = "";
  for (int i = 0; i < n_slots; i++) {
    nearest_offer(&n, slots[i].name);
    append(known, sizeof known, "%s%s", i ? ", " : "", slots[i].name);
  }
  if (!n.best)
    complain(where, "%s has no '%s': it takes none at all", owner, name);
  else
    complain(where, "%s has no '%s'; did you mean '%s'? It takes %s", owner, name, n.best, known);
}

/* Two names may lead to one place; both are then taken. */
static int already_given(const slot *slots, int n_slots, const slot *s) {
  for (int i = 0; i < n_slots; i++)
    if (slots[i].given && slots[i].value == s->value && slots[i].text == s->text) return 1;
  return 0;
}

/* One pair, already split; 1 if there was something to complain about. */
static int read_pair(const char *where, const char *owner, const char *name, const char *value, slot *slots,
                     int n_slots) {
  slot *s = NULL;
  for (int i = 0; i < n_slots; i++)
    if (strcmp(slots[i].name, name) == 0) s = &slots[i];
  if (!s) {
    unknown_name(where, owner, name, slots, n_slots);
    return 1;
  }
  if (already_given(slots, n_slots, s)) {
    complain(where, "'%s' is given twice; once is enough", name);
    return 1;
  }
  s->given = 1;
  if (s->text) {
    snprintf(s->text, s->size, "%s", value);
    return 0;
  }
  if (read_number(value, s->value)) return 0;
  complain(where, "%s = '%s' is not a finite number; write it plainly and in SI units, such as %s=0.01", name,
           value, name);
  return 1;
}

int read_pairs(const char *where, const char *option_name, const char *owner, const text_list *list,
               slot *slots, int n_slots) {
  int problems = 0;
  for (int i = 0; i < list->n; i++) {
    const char *rest = list->item[i];
    do {
      size_t n = strcspn(rest, ",");
      char pair[256];
      snprintf(pair, sizeof pair, "%.*s", n < sizeof pair ? (int)n : (int)sizeof pair - 1, rest);
      char *equals = strchr(pair, '=');
      if (equals) {
        *equals = 0;
        problems += read_pair(where, owner, pair, equals + 1, slots, n_slots);
      } else {
        complain(where, "--%s takes NAME=VALUE pairs with commas between them, but found '%s'", option_name,
                 pair);
        problems++;
      }
      rest += n;
    } while (*rest++ == ',');
  }
  return problems;
}
