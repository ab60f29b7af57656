/* hdf_disk.h - a file driver for HDF5 that survives a full disk. */
#ifndef CPS_HDF_DISK_H
#define CPS_HDF_DISK_H

#include <hdf5.h>

/* What H5Fget_vfd_handle gives for files of this driver. */
typedef struct hdf_disk {
  int descriptor;
  int error; /* errno of the first write that failed; 0 if none has */
  int *last; /* unless NULL: gets that, too. HDF5 writes when it closes, and then this is gone */
} hdf_disk;

/* Makes a file access list use the driver. Returns the driver, to be given back with H5FDunregister once the file
 * is closed; -1 if that fails. */
hid_t cps_hdf_disk_use(hid_t access);

/* The same for a file that is open already, to be read: HDF5 opens nothing, whatever name it is given. The descriptor
 * stays open. */
hid_t cps_hdf_disk_read(hid_t access, int descriptor);

#endif
