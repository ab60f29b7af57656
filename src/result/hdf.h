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

/* Reading them: text is the caller's to free, NULL if it is not there; numbers have a default. */
char *cps_hdf_read_text(hid_t object, const char *name);
int cps_hdf_read_integer(hid_t object, const char *name, int otherwise);

#endif
