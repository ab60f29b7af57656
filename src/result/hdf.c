/* hdf.c - see hdf.h. */
#include "hdf.h"

#include <limits.h>

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
  /* of fixed length: texts of variable length lie in a heap that has no checksum */
  hid_t type = cps_hdf_text_type(strlen(text));
  int good = attribute(object, name, type, text);
  H5Tclose(type);
  return good;
}

/* ------------------------------------------------------------------ reading */

/* Texts are no longer than that, and packed data no more than so many times as large as their file: deflate cannot do
 * better than 1032. */
enum { TEXT_MOST = 1 << 28, PACKED_MOST = 1100, FILE_LEAST = 65536 };

/* Whether no part of a path is a soft or external link. */
static int is_hard(hid_t at, const char *path) {
  char part[1024];
  size_t n = strlen(path);
  if (n >= sizeof part) return 0;
  for (size_t i = 1; i <= n; i++) {
    H5L_info_t info;
    if (path[i] != '/' && path[i]) continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (H5Lexists(at, part, H5P_DEFAULT) <= 0 || H5Lget_info(at, part, &info, H5P_DEFAULT) < 0 ||
        info.type != H5L_TYPE_HARD)
      return 0;
  }
  return n > 0;
}

hid_t cps_hdf_open_group(hid_t at, const char *path) {
  return is_hard(at, path) ? H5Gopen2(at, path, H5P_DEFAULT) : -1;
}

/* Values lie in the file itself, packed in ways that we use. */
static int is_plain(hid_t dataset) {
  static const H5Z_filter_t known[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32};
  hid_t how = H5Dget_create_plist(dataset);
  if (how < 0) return 0;
  H5D_layout_t layout = H5Pget_layout(how);
  int good = (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
             H5Pget_external_count(how) == 0;
  int n = H5Pget_nfilters(how);
  for (int i = 0; i < n && good; i++) {
    unsigned flags = 0;
    size_t values = 0;
    H5Z_filter_t id = H5Pget_filter2(how, (unsigned)i, &flags, &values, NULL, 0, NULL, NULL);
    good = id == known[0] || id == known[1] || id == known[2];
  }
  H5Pclose(how);
  return good && n >= 0;
}

hid_t cps_hdf_open_dataset(hid_t at, const char *path) {
  hid_t d = is_hard(at, path) ? H5Dopen2(at, path, H5P_DEFAULT) : -1;
  if (d >= 0 && !is_plain(d)) {
    H5Dclose(d);
    d = -1;
  }
  return d;
}

/* Bytes of the file that an object is in. */
static double file_size(hid_t object) {
  hsize_t size = 0;
  hid_t file = H5Iget_file_id(object);
  if (file < 0) return 0;
  if (H5Fget_filesize(file, &size) < 0) size = 0;
  H5Fclose(file);
  return (double)size;
}

int cps_hdf_sizes(hid_t dataset, hsize_t size[3]) {
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  int rank = H5Sget_simple_extent_type(space) == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space) : 0;
  size[0] = size[1] = size[2] = 1;
  if (rank < 1 || rank > 3 || H5Sget_simple_extent_dims(space, size, NULL) < 0) rank = 0;
  double bytes = (double)H5Tget_size(type) * (double)size[0] * (double)size[1] * (double)size[2];
  if (!(bytes <= PACKED_MOST * (file_size(dataset) + FILE_LEAST))) rank = 0;
  H5Tclose(type);
  H5Sclose(space);
  return rank;
}

/* Whether values of a type can be taken as those of another: numbers as every machine has them, text of fixed length. */
static int type_fits(hid_t found, H5T_class_t wanted) {
  H5T_class_t class = H5Tget_class(found);
  size_t size = H5Tget_size(found);
  if (class != wanted) return 0;
  if (class == H5T_FLOAT)
    return H5Tequal(found, H5T_IEEE_F64LE) > 0 || H5Tequal(found, H5T_IEEE_F64BE) > 0 ||
           H5Tequal(found, H5T_IEEE_F32LE) > 0 || H5Tequal(found, H5T_IEEE_F32BE) > 0;
  if (class == H5T_INTEGER)
    return (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_precision(found) == 8 * size &&
           H5Tget_offset(found) == 0;
  return class == H5T_STRING && H5Tis_variable_str(found) == 0 && size > 0 && size <= TEXT_MOST;
}

int cps_hdf_read(hid_t dataset, hid_t type, int rank, const hsize_t *size, void *data) {
  hsize_t there_is[3], start[3] = {0, 0, 0}, count[3] = {1, 1, 1};
  if (dataset < 0 || cps_hdf_sizes(dataset, there_is) != rank || there_is[0] < size[0]) return 0;
  for (int i = 0; i < rank; i++) count[i] = size[i];
  for (int i = 1; i < rank; i++)
    if (there_is[i] != count[i]) return 0;
  hid_t found = H5Dget_type(dataset), wanted = H5Tcopy(type);
  int good = type_fits(found, H5Tget_class(type));
  /* ASCII is as good as UTF-8, but HDF5 does not convert one to the other */
  if (good && H5Tget_class(type) == H5T_STRING) H5Tset_cset(wanted, H5Tget_cset(found));
  if (good && count[0] * count[1] * count[2] > 0) {
    hid_t there = H5Dget_space(dataset), here = H5Screate_simple(rank, count, NULL);
    good = H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
           H5Dread(dataset, wanted, here, there, H5P_DEFAULT, data) >= 0;
    H5Sclose(here);
    H5Sclose(there);
  }
  H5Tclose(wanted);
  H5Tclose(found);
  return good;
}

/* Room for a text of a fixed length, and how to read it. */
static char *text_room(hid_t found, hid_t *plain) {
  *plain = cps_hdf_text_type(H5Tget_size(found));
  H5Tset_cset(*plain, H5Tget_cset(found));
  return calloc(H5Tget_size(found) + 1, 1);
}

static int is_single(hid_t space) {
  H5S_class_t class = H5Sget_simple_extent_type(space);
  return class == H5S_SCALAR || (class == H5S_SIMPLE && H5Sget_simple_extent_npoints(space) == 1);
}

char *cps_hdf_read_whole_text(hid_t dataset) {
  if (dataset < 0) return NULL;
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset), plain = -1;
  char *text = NULL;
  if (is_single(space) && type_fits(type, H5T_STRING) &&
      (double)H5Tget_size(type) <= PACKED_MOST * (file_size(dataset) + FILE_LEAST)) {
    text = text_room(type, &plain);
    if (text && H5Dread(dataset, plain, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
      free(text);
      text = NULL;
    }
    H5Tclose(plain);
  }
  H5Sclose(space);
  H5Tclose(type);
  return text;
}

/* An attribute that is one value; -1 otherwise. */
static hid_t open_single(hid_t object, const char *name) {
  hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  if (a < 0) return -1;
  hid_t space = H5Aget_space(a);
  int good = is_single(space);
  H5Sclose(space);
  if (good) return a;
  H5Aclose(a);
  return -1;
}

char *cps_hdf_read_text(hid_t object, const char *name) {
  hid_t a = open_single(object, name);
  if (a < 0) return NULL;
  hid_t type = H5Aget_type(a), plain = -1;
  char *text = NULL;
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
    char *found = NULL;
    if (H5Aread(a, type, &found) >= 0 && found) {
      text = malloc(strlen(found) + 1);
      if (text) memcpy(text, found, strlen(found) + 1);
    }
    H5free_memory(found);
  } else if (type_fits(type, H5T_STRING)) {
    text = text_room(type, &plain);
    if (text && H5Aread(a, plain, text) < 0) text[0] = 0;
    H5Tclose(plain);
  }
  H5Tclose(type);
  H5Aclose(a);
  return text;
}

int cps_hdf_read_integer(hid_t object, const char *name, int otherwise) {
  hid_t a = open_single(object, name);
  if (a < 0) return otherwise;
  hid_t type = H5Aget_type(a);
  long long value = otherwise;
  if (!type_fits(type, H5T_INTEGER) || H5Aread(a, H5T_NATIVE_LLONG, &value) < 0) value = otherwise;
  H5Tclose(type);
  H5Aclose(a);
  return value >= INT_MIN && value <= INT_MAX ? (int)value : otherwise;
}
