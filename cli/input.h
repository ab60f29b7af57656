/* input.h - what commands read: scenario files, "-" being standard input, and results. */
#ifndef INPUT_H
#define INPUT_H

#include "capstan.h"
#include "options.h"

/* How a file is called in messages and in names of folders: "stdin" for "-". */
const char *input_name(const char *path);

/* "dir/block.yaml" gives "block" and the ending: where results go. */
void input_folder(const char *file, const char *ending, char *folder, size_t size);

/* Whether it is a regular file: who waits for a pipe, or reads a device that has no end, waits for ever. */
int input_is_file(const char *path);

/* A whole file with a zero behind it, to be freed; NULL with errno if it cannot be read. */
char *input_file(const char *path, size_t *length);

/* As cps_scenario_load. */
cps_scenario *input_scenario(const char *path, const text_list *set, cps_problems **problems);

/* As result_open. If it fails, complains, and says what to do where something else than a result was named; *status is then
 * the exit status. */
cps_result *input_result(const char *where, const char *path, int *status);

/* Whether something is a result: a folder with a result.h5, or an HDF5 file. */
int input_is_result(const char *path);

/* Where scenarios/NAME is: in the folder `named` or CAPSTAN_SCENARIOS names, here, or where this program was built or installed.
 * 0 if it is not there; the path then serves for the message. */
int input_find_scenario(const char *named, const char *name, char *path, size_t size);

/* The folder that this program lies in; "" if that is not known. */
void input_own_folder(char *folder, size_t size);

#endif
