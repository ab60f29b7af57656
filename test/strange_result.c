/* strange_result.c - see strange_result.h. */
#include "strange_result.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static strange_source *source;

uint32_t cps_strange_below(uint32_t n) { return source->next(source->from) % n; }

void cps_strange_use(strange_source *from) { source = from; }

enum { PATHS_MOST = 4000, VALUES_MOST = 100000 /* bytes */ };
static char paths[PATHS_MOST][400];
static int n_paths;

static herr_t collect(hid_t at, const char *name, const H5O_info_t *info, void *data) {
  (void)at, (void)data;
  if (n_paths < PATHS_MOST && strcmp(name, ".") != 0 && info->type == H5O_TYPE_DATASET)
    snprintf(paths[n_paths++], sizeof paths[0], "%.390s", name);
  return 0;
}

static hid_t strange_type(void) {
  hid_t t;
  switch (cps_strange_below(9)) {
  case 0:
    t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    return t;
  case 1:
    t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, 1 + cps_strange_below(70000));
    return t;
  case 2:
    t = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(t, "a", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(t, "b", 8, H5T_NATIVE_INT);
    return t;
  case 3:
    return H5Tvlen_create(H5T_NATIVE_DOUBLE);
  case 4:
    return H5Tcreate(H5T_OPAQUE, 1 + cps_strange_below(64));
  case 5: {
    hsize_t n = 1 + cps_strange_below(50);
    return H5Tarray_create2(H5T_NATIVE_INT, 1, &n);
  }
  case 6:
    return H5Tcopy(H5T_STD_REF_OBJ);
  case 7:
    t = H5Tcopy(H5T_NATIVE_DOUBLE);
    H5Tset_ebias(t, 1 + cps_strange_below(2000));
    return t;
  default:
    return H5Tcopy(cps_strange_below(2) ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE);
  }
}

static hid_t strange_space(hsize_t most[4]) {
  hsize_t size[4];
  int rank = 1 + (int)cps_strange_below(4);
  for (int i = 0; i < rank; i++) {
    static const hsize_t sizes[] = {0, 1, 2, 3, 7, 1000};
    size[i] = sizes[cps_strange_below(6)];
    most[i] = H5S_UNLIMITED;
  }
  if (cps_strange_below(12) == 0)
    size[0] = (hsize_t)1 << (20 + cps_strange_below((uint32_t)source->largest - 20));
  if (cps_strange_below(10) == 0) return H5Screate(H5S_NULL);
  if (cps_strange_below(10) == 0) return H5Screate(H5S_SCALAR);
  return H5Screate_simple(rank, size, most);
}

static void strange_dataset(hid_t file, const char *path, const char *victim) {
  hsize_t most[4], chunk[4] = {4, 2, 2, 2};
  hid_t space = strange_space(most),
        type = cps_strange_below(2) ? strange_type() : H5Tcopy(H5T_NATIVE_DOUBLE);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  uint32_t kind = cps_strange_below(6);
  int rank = H5Sget_simple_extent_ndims(space);
  if (kind == 0) { /* the bytes of another file */
    hsize_t n = 64;
    H5Sclose(space);
    space = H5Screate_simple(1, &n, NULL);
    H5Tclose(type);
    type = H5Tcopy(H5T_NATIVE_DOUBLE);
    H5Pset_external(how, victim, 0, H5F_UNLIMITED);
  } else if (kind == 1) { /* a view of another file */
    hsize_t n = 16;
    hid_t from = H5Screate_simple(1, &n, NULL);
    H5Sclose(space);
    space = H5Screate_simple(1, &n, NULL);
    H5Tclose(type);
    type = H5Tcopy(H5T_NATIVE_DOUBLE);
    H5Pset_virtual(how, space, victim, "/series/time", from);
    H5Sclose(from);
  } else if (rank > 0) {
    H5Pset_chunk(how, rank, chunk);
    if (cps_strange_below(2)) H5Pset_deflate(how, 1);
    if (cps_strange_below(4) == 0) H5Pset_fletcher32(how);
  }
  hid_t d = H5Dcreate2(file, path, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (d >= 0) {
    int order = (int)cps_strange_below(5);
    hid_t one = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(d, cps_strange_below(2) ? "column" : "field", H5T_NATIVE_INT, one, H5P_DEFAULT,
                         H5P_DEFAULT);
    if (a >= 0) H5Awrite(a, H5T_NATIVE_INT, &order), H5Aclose(a);
    H5Sclose(one);
    H5Dclose(d);
  }
  H5Pclose(how);
  H5Tclose(type);
  H5Sclose(space);
}

static void strange_attribute(hid_t file, const char *path) {
  static const char *const names[] = {"unit",      "column",   "field",      "constant", "name",
                                      "long_name", "settings", "file",       "hash",     "title",
                                      "version",   "solver",   "conventions"};
  static const char *const owners[] = {"/", "/scenario", "/provenance"};
  const char *owner = cps_strange_below(2) ? path : owners[cps_strange_below(3)];
  hsize_t most[4];
  hid_t space = strange_space(most), type = strange_type();
  hssize_t n = H5Sget_simple_extent_npoints(space);
  /* HDF5 makes room for the whole of an attribute */
  int small = n >= 0 && (size_t)n < VALUES_MOST / H5Tget_size(type);
  for (int i = 0; i < 3 && small; i++) {
    const char *name = names[cps_strange_below(13)];
    hid_t o = H5Oopen(file, owner, H5P_DEFAULT);
    if (o < 0) break;
    H5Adelete(o, name);
    hid_t a = H5Acreate2(o, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0 && n > 0 && H5Tis_variable_str(type) <= 0 && H5Tget_class(type) != H5T_VLEN) {
      unsigned char *bytes = malloc((size_t)n * H5Tget_size(type));
      for (size_t k = 0; k < (size_t)n * H5Tget_size(type); k++)
        bytes[k] = (unsigned char)(32 + cps_strange_below(200));
      H5Awrite(a, type, bytes);
      free(bytes);
    }
    if (a >= 0) H5Aclose(a);
    H5Oclose(o);
  }
  H5Tclose(type);
  H5Sclose(space);
}

void cps_strange_change(const char *name, const char *victim) {
  hid_t file = H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT);
  if (file < 0) return;
  n_paths = 0;
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, collect, NULL);
  int changes = 1 + (int)cps_strange_below(3);
  for (int i = 0; i < changes && n_paths > 0; i++) {
    const char *path = paths[cps_strange_below((uint32_t)n_paths)];
    /* what everything hangs on is hit often */
    static const char *const important[] = {"series/time",   "recorded",    "status",
                                            "fields/time",   "events/time", "events/from",
                                            "scenario/text", "geometry/at", "events/contact_index"};
    if (cps_strange_below(2)) path = important[cps_strange_below(9)];
    uint32_t what = cps_strange_below(8);
    if (what == 7) {
      strange_attribute(file, path);
      continue;
    }
    if (what == 6) { /* longer or shorter */
      hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
      hsize_t size[3] = {cps_strange_below(4)
                             ? cps_strange_below(5)
                             : (hsize_t)1 << (8 + cps_strange_below((uint32_t)source->largest - 8)),
                         1 + cps_strange_below(3), 1 + cps_strange_below(3)};
      if (d >= 0) H5Dset_extent(d, size), H5Dclose(d);
      continue;
    }
    H5Ldelete(file, path, H5P_DEFAULT);
    if (what == 0)
      H5Lcreate_soft(cps_strange_below(2) ? "/series" : "/series/time", file, path, H5P_DEFAULT, H5P_DEFAULT);
    else if (what == 1)
      H5Lcreate_external(victim, "/series/time", file, path, H5P_DEFAULT, H5P_DEFAULT);
    else if (what == 2) {
      hid_t g = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      if (g >= 0) H5Gclose(g);
    } else
      strange_dataset(file, path, victim);
  }
  H5Fclose(file);
}
