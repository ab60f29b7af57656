/* own_laws.c - laws of a user's own beside the built-in ones: a list that scenarios are read with. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cps_laws {
  int n, room;
  const cps_law **law; /* owned; what it points to is not */
};

cps_laws *cps_laws_new(void) { return calloc(1, sizeof(cps_laws)); }

void cps_laws_free(cps_laws *laws) {
  if (!laws) return;
  free(laws->law);
  free(laws);
}

int cps_laws_count(const cps_laws *laws) { return cps_law_count() + (laws ? laws->n : 0); }

const cps_law *cps_laws_at(const cps_laws *laws, int i) {
  int built_in = cps_law_count();
  if (i < built_in) return cps_law_at(i);
  return laws && i - built_in < laws->n ? laws->law[i - built_in] : NULL;
}

const cps_law *cps_laws_find(const cps_laws *laws, const char *name) {
  const cps_law *found = cps_law_find(name);
  for (int i = 0; laws && !found && name && *name && i < laws->n; i++)
    if (strcmp(laws->law[i]->name, name) == 0 || cps_in_words(laws->law[i]->aliases, name))
      found = laws->law[i];
  return found;
}

/* Whether text can be a key of a scenario and a part of a path: a letter first, then also digits, - and _. */
static int is_key(const char *text, size_t length) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char others[] = "0123456789-_";
  if (length == 0 || length > 40 || !strchr(letters, text[0])) return 0;
  for (size_t i = 0; i < length; i++)
    if (!strchr(letters, text[i]) && !strchr(others, text[i])) return 0;
  return 1;
}

/* Whether a name can be added; says why not. */
static cps_status check_name(const cps_laws *laws, const cps_law *law, const char *text, size_t length,
                             cps_error *err) {
  char name[48] = "";
  if (!is_key(text, length))
    return cps_error_set(
        err, CPS_BAD_INPUT, law->name,
        "law %s: a name has up to 40 letters, digits, - and _, a letter first; found \"%.*s\"", law->name,
        (int)(length < 60 ? length : 60), text);
  memcpy(name, text, length);
  if (cps_laws_find(laws, name))
    return cps_error_set(err, CPS_BAD_INPUT, law->name, "law %s: there is a law %s already", law->name, name);
  return CPS_OK;
}

static cps_status check_parameter(const cps_law *law, const cps_param *p, cps_error *err) {
  double one;
  char text[80];
  cps_error why;
  if (!p->name || !is_key(p->name, strlen(p->name)))
    return cps_error_set(err, CPS_BAD_INPUT, law->name,
                         "law %s: a parameter has no name, or one that is no key: \"%.60s\"", law->name,
                         p->name ? p->name : "");
  if (!p->unit || !(p->min <= p->value && p->value <= p->max))
    return cps_error_set(err, CPS_BAD_INPUT, law->name,
                         "law %s: parameter %s needs a unit (\"1\" for none) and a default within its range",
                         law->name, p->name);
  snprintf(text, sizeof text, "1 %.70s", p->unit);
  if (cps_quantity_parse(strcmp(p->unit, "1") == 0 ? "1" : text, p->unit, &one, &why) != CPS_OK)
    return cps_error_set(err, CPS_BAD_INPUT, law->name, "law %s: parameter %s: %s", law->name, p->name,
                         why.text);
  return CPS_OK;
}

cps_status cps_laws_add(cps_laws *laws, const cps_law *law, cps_error *err) {
  cps_status status = cps_law_validate(law, err);
  if (status == CPS_OK) status = check_name(laws, law, law->name, strlen(law->name), err);
  for (const char *s = law->aliases; status == CPS_OK && s && *s; s += strspn(s, " ")) {
    size_t length = strcspn(s, " ");
    if (length) status = check_name(laws, law, s, length, err);
    s += length;
  }
  for (int i = 0; i < law->n_params && status == CPS_OK; i++)
    status = check_parameter(law, &law->params[i], err);
  if (status != CPS_OK) return status;
  if (laws->n == laws->room) {
    int room = laws->room ? 2 * laws->room : 4;
    const cps_law **more = realloc(laws->law, (size_t)room * sizeof *more);
    if (!more) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for law %s", law->name);
    laws->law = more;
    laws->room = room;
  }
  laws->law[laws->n++] = law;
  return CPS_OK;
}
