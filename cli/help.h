/* help.h - the commands and what they say of themselves, for help, manual pages and shell completion. */
#ifndef HELP_H
#define HELP_H

#include "cli.h"

/* main.c: the table of commands. */
int command_count(void);
const command *command_at(int i);
const command *command_find(const char *name);

/* What `capstan COMMAND --help` prints; the caller's to free. */
char *command_help(const command *c);

/* Exit statuses, in one place: how many there are, and what each means. */
int exit_status_count(void);
const char *exit_status_meaning(int status);

/* Writes capstan.1 and capstan-COMMAND.1 into a folder. */
int manual_write(const char *folder);

/* columns.c: the reference of the columns of results, in Markdown. */
void columns_write(FILE *out);

/* new.c: calls with the name of every machine that can be copied. */
void new_names(void (*call)(const char *name, void *data), void *data);

#endif
