/* export.h - results in other formats: what the files of capstan export share. */
#ifndef EXPORT_H
#define EXPORT_H

#include "capstan.h"

#include <stdio.h>

/* Each writes into a folder that exists; returns an exit status after complaining. *files counts what was
 * written. */
int export_csv(const cps_result *r, const char *folder, int *files);
int export_vtk(const cps_result *r, const char *folder, int *files);
int export_npy(const cps_result *r, const char *folder, int *files);

/* Opens "folder/name" to write, after making folders that it names; complains and returns NULL if it cannot. path is
 * filled for close_output. */
enum { EXPORT_PATH = 4096 };
FILE *export_open(const char *folder, const char *name, char path[EXPORT_PATH]);

/* Says which files that a folder still holds were exported of an earlier run, if there are any. */
void export_name_stale(const char *where, const char *folder);

#endif
