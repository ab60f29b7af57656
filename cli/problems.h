/* problems.h - how the commands that read scenario files tell what is wrong with them. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include "capstan.h"
#include "json.h"

/* Prints all of them on standard error, as people read them. */
void problems_print(const cps_problems *problems);

/* Prints an error of a command: as people read it if it has a place in a file, or as a sentence of the command. */
void problem_print(const char *command, const cps_error *error);

/* Writes them as an array of objects. */
void problems_json(json *w, const char *key, const cps_problems *problems);

/* Says what is wrong with a file: to people, or as the document that was asked for. Returns the exit status. */
int problems_refuse(const char *file, const cps_problems *problems, int as_json);

/* The exit status: a file that cannot be read is an input/output error, everything else is bad input. */
int problems_status(const cps_problems *problems);

#endif
