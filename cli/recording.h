/* recording.h - the result folder while a run goes on: result.h5 grows, checkpoints are taken, and a run that
 * was interrupted is found again. */
#ifndef RECORDING_H
#define RECORDING_H

#include "result_files.h"

typedef struct recording {
  const char *folder;
  char origin[FOLDER_ROOM]; /* absolute folder of the scenario file, from which its other files are found */
  cps_simulation *sim;
  cps_result_source source;
  cps_result_file *file;        /* the one that grows; NULL until the first flush: a short run needs none */
  int started;                  /* there is a checkpoint of this run */
  int taken;                    /* what an earlier run left in the folder is gone */
  double every;                 /* seconds between flushes, and between checkpoints */
  int no_report;                /* asked for, and to be remembered */
  double flushed, checkpointed; /* when that was last done */
  unsigned long long identity;  /* of result.h5, to notice that somebody took it away */
  double limit;                 /* size of result.h5 from which on it is made anew [bytes] */
  int grown;                    /* it ended as the file that grew: who stopped it would have had to wait */
  int failed;                   /* something could not be written: `error` says what */
  cps_error error;
} recording;

/* Starts: from here on the run can be resumed. If it cannot be started what an earlier one left is untouched, and the error is
 * in r; otherwise that goes when the first result.h5 of this run is complete. `has_checkpoint`: there is one of this
 * run already. 0 if it fails. */
int recording_start(recording *r, int has_checkpoint);

/* Before a run that may take long to start, in a folder that nobody has used yet: what is needed to start it again by
 * --resume. 0 if that fails; *intended: it was written, to be taken back by recording_forget if the run cannot start. */
int recording_intend(recording *r, int *intended);

/* To be called often: writes what is new if it is time. 0 if that fails. */
int recording_tick(recording *r);

/* For cps_simulation_on_checkpoint; data is the recording. */
int recording_checkpoint(cps_simulation *sim, void *data);

/* Writes result.h5 anew, compact and with that status and summary in it. 0 if that fails; then the one that grew, if there
 * is one, is closed with all that there is room for. */
int recording_end(recording *r, const char *status, const char *summary);

/* Removes the checkpoint: the run is over. */
void recording_forget(const recording *r);

/* A run that was interrupted: what its checkpoint says. */
typedef struct interrupted {
  char *file;     /* the scenario's name as it was given */
  char *origin;   /* its folder */
  char **setting; /* [n_settings] */
  int n_settings;
  char *text; /* the scenario */
  size_t length;
  double every; /* options of the run */
  int no_report;
  unsigned char *state;
  size_t size; /* 0: it has not begun */
  char *all;   /* the file that all of these point into */
} interrupted;

/* Whether a folder may have one; if not, `why` says so. */
int interrupted_there(const char *folder, char *why, size_t size);
/* Reads it. 0 if there is none, or it cannot be read: `why` says so. */
int interrupted_read(interrupted *i, const char *folder, char *why, size_t size);
void interrupted_free(interrupted *i);

#endif
