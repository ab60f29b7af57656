/* output_file.h - files that are written: whole or not at all, on the disk before they bear their name, and never in the
 * place of something that is not a file.
 *
 * A regular file is written beside its place as NAME.part, which is made anew (O_EXCL: whatever lies there, a link
 * included, is removed and not written to), and renamed when it is complete. A target of another kind (a device, a
 * pipe) is written to directly. */
#ifndef CPS_OUTPUT_FILE_H
#define CPS_OUTPUT_FILE_H

enum { OUTPUT_PATH = 4096 };

/* How the last part of a path is taken. */
typedef enum output_where {
  OUTPUT_NAMED,  /* somebody named this file: links are followed, devices and pipes written to */
  OUTPUT_INSIDE, /* a file of ours within a folder: a link that has its name is replaced, not followed */
  OUTPUT_COPY    /* the same for what can be made again from another file: nobody waits for the disk */
} output_where;

typedef struct output_file {
  int descriptor;         /* -1 if there is none */
  int copy;               /* not waited for */
  char path[OUTPUT_PATH]; /* where it will be, links followed */
  char part[OUTPUT_PATH]; /* where it is until then; "" if the target is written to directly */
  char reason[160];       /* why the last call failed */
} output_file;

/* Opens the file to be written; 0 if it cannot be. */
int cps_output_open(output_file *f, const char *path, output_where where);

/* Finds the names and makes way for the part, for those who open it themselves, with O_EXCL. 0 if the target is not a
 * regular file, or cannot be. */
int cps_output_name(output_file *f, const char *path, output_where where);

/* Brings what was written to the disk, closes the descriptor if there is one, and gives the file its name; 0 if that
 * fails, and then the part is gone. */
int cps_output_commit(output_file *f);

/* Gives up: closes the descriptor and removes the part. */
void cps_output_discard(output_file *f);

/* Writes all bytes; 0 if that fails. */
int cps_output_write(output_file *f, const void *bytes, unsigned long size);

/* Waits until the names in the folder of a file are on the disk; 0 with errno if that fails. */
int cps_folder_sync(const char *path);

#endif
