/* hdf.h - small helpers around HDF5, for the files that write and read results. */
#ifndef CPS_HDF_H
#define CPS_HDF_H

#include "internal.h"

#include <hdf5.h>

/* HDF5 prints what goes wrong unless told not to; the library never prints. */
typedef struct hdf_voice {
  H5E_auto2_t say;
  void *data;
} hdf_voice;

hdf_voice cps_hdf_hush(void);
void cps_hdf_unhush(hdf_voice voice);

/* Why the last call failed, in the words of the operating system where it was to blame: never empty. */
const char *cps_hdf_reason(char *text, size_t size);

/* What an errno means. */
const char *cps_hdf_system(int number, char *text, size_t size);

/* Text of a fixed length, of at least one byte. */
hid_t cps_hdf_text_type(size_t length);

/* Attributes of one number, and of text; 0 if that fails. */
int cps_hdf_number(hid_t object, const char *name, double value);
int cps_hdf_integer(hid_t object, const char *name, int value);
int cps_hdf_text(hid_t object, const char *name, const char *text);

/* ---- Reading. Files may come from anywhere: nothing is read whose form is not exactly the one expected. */

/* A group or dataset that is reached by hard links alone, and a dataset whose values are in this file, stored by the
 * filters that capstan uses; -1 otherwise. */
hid_t cps_hdf_open_group(hid_t at, const char *path);
hid_t cps_hdf_open_dataset(hid_t at, const char *path);

/* Sizes of a dataset of one to three dimensions, which together are no more than its file can hold; returns their
 * number, 0 if it is not such a dataset. */
int cps_hdf_sizes(hid_t dataset, hsize_t size[3]);

/* Reads a block from the start of a dataset: it must have `rank` dimensions, at least size[0] along the first, exactly
 * size[1], size[2] along the others, and values of the class of `type`. 0 if not. */
int cps_hdf_read(hid_t dataset, hid_t type, int rank, const hsize_t *size, void *data);

/* The text of a dataset, or of an attribute, which must be one. The caller's to free; NULL if there is none. */
char *cps_hdf_read_whole_text(hid_t dataset);
char *cps_hdf_read_text(hid_t object, const char *name);

/* An attribute that is one integer within the range of int, or else the default. */
int cps_hdf_read_integer(hid_t object, const char *name, int otherwise);

#endif
