/* hdf.c - see hdf.h. */
#include "hdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hdf_voice cps_hdf_hush(void) {
  hdf_voice voice = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &voice.say, &voice.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return voice;
}

void cps_hdf_unhush(hdf_voice voice) { H5Eset_auto2(H5E_DEFAULT, voice.say, voice.data); }

/* ------------------------------------------------------------------ reasons */

typedef struct reason {
  char system[120]; /* what the operating system said */
  char first[120];  /* the innermost complaint of HDF5 */
} reason;

static herr_t look(unsigned n, const H5E_error2_t *e, void *data) {
  reason *r = data;
  const char *at = e->desc ? strstr(e->desc, "error message = '") : NULL;
  if (at && !*r->system) {
    at += strlen("error message = '");
    snprintf(r->system, sizeof r->system, "%.*s", (int)strcspn(at, "'"), at);
  }
  if (n == 0 && e->desc) snprintf(r->first, sizeof r->first, "%s", e->desc);
  return 0;
}

const char *cps_hdf_reason(char *text, size_t size) {
  reason r = {"", ""};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &r);
  H5Eclear2(H5E_DEFAULT);
  snprintf(text, size, "%s", *r.system ? r.system : *r.first ? r.first : "HDF5 does not say why");
  return text;
}

const char *cps_hdf_system(int number, char *text, size_t size) {
  if (strerror_r(number, text, size) != 0) snprintf(text, size, "error %d", number);
  return text;
}

/* ------------------------------------------------------------------ attributes */

hid_t cps_hdf_text_type(size_t length) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length > 0 ? length : 1);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

static int attribute(hid_t object, const char *name, hid_t type, const void *value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int good = a >= 0 && H5Awrite(a, type, value) >= 0;
  if (a >= 0) H5Aclose(a);
  H5Sclose(space);
  return good;
}

int cps_hdf_number(hid_t object, const char *name, double value) {
  return attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

int cps_hdf_integer(hid_t object, const char *name, int value) {
  return attribute(object, name, H5T_NATIVE_INT, &value);
}

int cps_hdf_text(hid_t object, const char *name, const char *text) {
  /* of variable length: Python then gets str and not bytes */
  hid_t type = cps_hdf_text_type(1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_strpad(type, H5T_STR_NULLTERM);
  int good = attribute(object, name, type, &text);
  H5Tclose(type);
  return good;
}

char *cps_hdf_read_text(hid_t object, const char *name) {
  hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  if (a < 0) return NULL;
  hid_t type = H5Aget_type(a);
  char *text = NULL;
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
    char *found = NULL;
    if (H5Aread(a, type, &found) >= 0 && found) {
      text = malloc(strlen(found) + 1);
      if (text) memcpy(text, found, strlen(found) + 1);
    }
    H5free_memory(found);
  } else if (H5Tget_class(type) == H5T_STRING) {
    size_t size = H5Tget_size(type);
    hid_t plain = cps_hdf_text_type(size);
    H5Tset_cset(plain, H5Tget_cset(type));
    text = calloc(size + 1, 1);
    if (text && H5Aread(a, plain, text) < 0) text[0] = 0;
    H5Tclose(plain);
  }
  H5Tclose(type);
  H5Aclose(a);
  return text;
}

int cps_hdf_read_integer(hid_t object, const char *name, int otherwise) {
  hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  int value = otherwise;
  if (a < 0) return otherwise;
  if (H5Aread(a, H5T_NATIVE_INT, &value) < 0) value = otherwise;
  H5Aclose(a);
  return value;
}
