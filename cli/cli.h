/* cli.h - what the commands of the tool share: exit statuses, rows of the command table, words for people. */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdio.h>

/* Exit statuses, the same for every command. */
enum { STATUS_GOOD = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_IO = 3 };

/* A command: `run` gets the arguments after the command's name and returns an exit status. */
typedef struct command {
  const char *name;
  const char *help; /* one line */
  int (*run)(int argc, char **argv);
} command;

/* The commands, one file each; main.c holds their table. */
int models_run(int argc, char **argv);
int run_run(int argc, char **argv);
int statics_run(int argc, char **argv);
int check_run(int argc, char **argv);
int export_run(int argc, char **argv);
int reproduce_run(int argc, char **argv);
int report_run(int argc, char **argv);
int sens_run(int argc, char **argv);
int fit_run(int argc, char **argv);
int optimize_run(int argc, char **argv);
int sweep_run(int argc, char **argv);
int fmu_run(int argc, char **argv);
int new_run(int argc, char **argv);
int diff_run(int argc, char **argv);
int doctor_run(int argc, char **argv);
int completion_run(int argc, char **argv);

#if defined(__GNUC__)
#define PRINTS(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTS(text, first)
#endif

/* Says on standard error what is wrong, as "capstan models: ...", one line. */
void complain(const char *where, const char *format, ...) PRINTS(2, 3);

/* A text, such as the name of a file, without what could act on a terminal or make two lines of one; good for the next four calls. */
const char *shown_name(const char *text);

/* Appends to a string held in text[size]; what does not fit is cut. */
void append(char *text, size_t size, const char *format, ...) PRINTS(3, 4);

/* The known word that is nearest to one that is not known: offer all candidates, then read `best`. A
 * candidate that contains the word, or is contained in it, counts as near. */
typedef struct nearest {
  const char *word;
  const char *best; /* NULL before the first offer */
  int distance;
} nearest;

void nearest_offer(nearest *n, const char *candidate);

/* Offers each of the blank-separated words; `best` is then a copy in room[size]. */
void nearest_offer_words(nearest *n, const char *words, char *room, size_t size);

/* Reads a finite number that fills the whole text; 0 if it is none. */
int read_number(const char *text, double *value);

/* Writes a number for people: exact, and in the shorter of the two notations, such as 0.01 or 1e6. */
void number_text(char *text, size_t size, double value);

/* A stream into a text that grows, with an end; NULL without memory. When it is closed, *text is to be freed; 0, and *text is NULL, if
 * there was not enough memory for all of it. */
FILE *text_open(char **text, size_t *size);
int text_close(FILE *file, char **text);

/* realloc, or the end of the program with a message. */
void *grow(void *block, size_t count, size_t size);
_Noreturn void out_of_memory(void);
/* What is called before the program ends for want of memory. */
void before_out_of_memory(void (*call)(void));

/* Opens a file to write, "-" being standard output; complains and returns NULL if it cannot. The file appears under
 * its name when it is closed, whole; a device or a pipe is written to directly (cps_output_open). */
FILE *open_output(const char *where, const char *path);

/* The same for a file of ours in a folder, whose name nobody gave: a link that has that name is replaced. */
FILE *open_output_inside(const char *where, const char *path);
/* And for many files that can be made again: nobody waits until they are on the disk. */
FILE *open_output_copy(const char *where, const char *path);

/* Makes a folder for files, and those above it, unless they are there; complains and returns 0 if it cannot. */
int open_folder(const char *where, const char *path);
/* The same for one within a folder, whose name nobody gave: a link in its place is refused. */
int open_folder_inside(const char *where, const char *path);

/* Brings what was written so far to the disk; complains and returns STATUS_IO if not everything could be written. */
int flush_output(const char *where, const char *path, FILE *file);

/* Closes it and gives it its name; complains and returns STATUS_IO if not everything could be written, and then the
 * file is what it was before. */
int close_output(const char *where, const char *path, FILE *file);

/* Whether it is a file, beside which others can be put, and not standard output, a device or a pipe. */
int output_is_file(FILE *file);

/* Closes it, and leaves what was there before. */
void discard_output(FILE *file);

#endif
