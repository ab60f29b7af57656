/* own_laws.c - laws of a user's own beside the built-in ones: a list that scenarios are read with. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cps_laws {
  int n, room, n_normal, room_normal;
  const cps_law **law; /* owned; what they point to is not */
  const cps_normal **normal;
};

cps_laws *cps_laws_new(void) { return calloc(1, sizeof(cps_laws)); }

void cps_laws_free(cps_laws *laws) {
  if (!laws) return;
  free(laws->law);
  free(laws->normal);
  free(laws);
}

static int is_called(const char *name, const char *aliases, const char *wanted) {
  return strcmp(name, wanted) == 0 || cps_in_words(aliases, wanted);
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
    if (is_called(laws->law[i]->name, laws->law[i]->aliases, name)) found = laws->law[i];
  return found;
}

int cps_laws_normals(const cps_laws *laws) { return cps_normal_count() + (laws ? laws->n_normal : 0); }

const cps_normal *cps_laws_normal_at(const cps_laws *laws, int i) {
  int built_in = cps_normal_count();
  if (i < built_in) return cps_normal_at(i);
  return laws && i - built_in < laws->n_normal ? laws->normal[i - built_in] : NULL;
}

const cps_normal *cps_laws_find_normal(const cps_laws *laws, const char *name) {
  const cps_normal *found = cps_normal_find(name);
  for (int i = 0; laws && !found && name && *name && i < laws->n_normal; i++)
    if (is_called(laws->normal[i]->name, laws->normal[i]->aliases, name)) found = laws->normal[i];
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

/* What a law of either kind, friction or normal contact, is known by. */
typedef struct identity {
  int normal;
  const char *name, *aliases;
  int n_params;
  const cps_param *params;
} identity;

/* Whether a name can be added; says why not. */
static cps_status check_name(const cps_laws *laws, const identity *of, const char *text, size_t length,
                             cps_error *err) {
  const char *law = of->name;
  char name[48] = "";
  if (!is_key(text, length))
    return cps_error_set(
        err, CPS_BAD_INPUT, law,
        "law %s: a name has up to 40 letters, digits, - and _, a letter first; found \"%.*s\"", law,
        (int)(length < 60 ? length : 60), text);
  memcpy(name, text, length);
  if (of->normal ? cps_laws_find_normal(laws, name) != NULL : cps_laws_find(laws, name) != NULL)
    return cps_error_set(err, CPS_BAD_INPUT, law, "law %s: there is a law %s already", law, name);
  return CPS_OK;
}

static cps_status check_parameter(const char *law, const cps_param *p, cps_error *err) {
  double one;
  char text[80];
  cps_error why;
  if (!p->name || !is_key(p->name, strlen(p->name)))
    return cps_error_set(err, CPS_BAD_INPUT, law,
                         "law %s: a parameter has no name, or one that is no key: \"%.60s\"", law,
                         p->name ? p->name : "");
  if (!p->unit || !(p->min <= p->value && p->value <= p->max))
    return cps_error_set(err, CPS_BAD_INPUT, law,
                         "law %s: parameter %s needs a unit (\"1\" for none) and a default within its range",
                         law, p->name);
  if (strstr(p->unit, "^exponent"))
    return CPS_OK; /* of normal contact: the other parameter says what it is */
  snprintf(text, sizeof text, "1 %.70s", p->unit);
  if (cps_quantity_parse(strcmp(p->unit, "1") == 0 ? "1" : text, p->unit, &one, &why) != CPS_OK)
    return cps_error_set(err, CPS_BAD_INPUT, law, "law %s: parameter %s: %s", law, p->name, why.text);
  return CPS_OK;
}

static cps_status check_identity(const cps_laws *laws, const identity *of, cps_error *err) {
  cps_status status = check_name(laws, of, of->name, strlen(of->name), err);
  for (const char *s = of->aliases; status == CPS_OK && s && *s; s += strspn(s, " ")) {
    size_t length = strcspn(s, " ");
    if (length) status = check_name(laws, of, s, length, err);
    s += length;
  }
  for (int i = 0; i < of->n_params && status == CPS_OK; i++)
    status = check_parameter(of->name, &of->params[i], err);
  return status;
}

/* A list of pointers with room for one more; NULL if there is none, and the list is as it was. */
static void *with_room(void *list, int n, int *room) {
  if (n < *room) return list;
  int more = *room ? 2 * *room : 4;
  void *longer = realloc(list, (size_t)more * sizeof(void *));
  if (longer) *room = more;
  return longer;
}

cps_status cps_laws_add(cps_laws *laws, const cps_law *law, cps_error *err) {
  cps_status status = cps_law_validate(law, err);
  if (status == CPS_OK)
    status = check_identity(laws, &(identity){0, law->name, law->aliases, law->n_params, law->params}, err);
  if (status != CPS_OK) return status;
  const cps_law **list = with_room(laws->law, laws->n, &laws->room);
  if (!list) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for law %s", law->name);
  laws->law = list;
  laws->law[laws->n++] = law;
  return CPS_OK;
}

cps_status cps_laws_add_normal(cps_laws *laws, const cps_normal *law, cps_error *err) {
  cps_status status = cps_normal_validate(law, err);
  if (status == CPS_OK)
    status = check_identity(laws, &(identity){1, law->name, law->aliases, law->n_params, law->params}, err);
  if (status != CPS_OK) return status;
  const cps_normal **list = with_room(laws->normal, laws->n_normal, &laws->room_normal);
  if (!list) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for law %s", law->name);
  laws->normal = list;
  laws->normal[laws->n_normal++] = law;
  return CPS_OK;
}
