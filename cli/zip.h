/* zip.h - writes ZIP archives, for FMUs. See zip.c. */
#ifndef ZIP_H
#define ZIP_H

#include <stddef.h>
#include <stdio.h>

typedef struct zip zip;

/* An archive that goes to a file; the file stays the caller's. NULL if out of memory. */
zip *zip_new(FILE *file);
/* Adds a file by its name in the archive, deflated. 0 if that fails. */
int zip_add(zip *z, const char *name, const void *bytes, size_t size);
/* Writes the directory and frees; 0 if anything could not be written. */
int zip_end(zip *z);

#endif
