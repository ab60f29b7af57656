/* main.c - the command line tool: a table of commands, and help.
 *
 * A new command is one file with its function and one row here. Exit statuses are in help.c.
 */
#include "guard.h"
#include "help.h"

#include "capstan.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

static const command commands[] = {
    {"run", "simulate a scenario file; time series, events, summary; or resume", run_run},
    {"statics", "equilibrium of cables, and the loads that friction would hold", statics_run},
    {"sens", "derivatives of outputs with respect to parameters", sens_run},
    {"fit", "parameters from measured series, with their uncertainty", fit_run},
    {"optimize", "the parameters that make an output least, within limits", optimize_run},
    {"sweep", "a scenario at many values of its parameters, from a study file", sweep_run},
    {"fmu", "a scenario as an FMU, FMI 2.0 or 3.0", fmu_run},
    {"export", "a result as CSV, VTK (ParaView) or NumPy files", export_run},
    {"check", "say everything that is wrong with a scenario file", check_run},
    {"report", "results as one page to look at; two or more are compared", report_run},
    {"models", "list the friction laws; show, plot and evaluate one of them", models_run},
    {"new", "start from a machine that works: list them, copy one", new_run},
    {"diff", "what tells two scenarios, or two results, apart", diff_run},
    {"doctor", "what this program is made of and runs on, for reports of trouble", doctor_run},
    {"completion", "let bash, zsh or fish complete commands, options and paths", completion_run},
    {"reproduce", "published numbers beside our own, from the files in scenarios/", reproduce_run},
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

int command_count(void) { return N_COMMANDS; }
const command *command_at(int i) { return &commands[i]; }

const command *command_find(const char *name) {
  for (int i = 0; i < N_COMMANDS; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

static void print_help(FILE *out) {
  fprintf(out, "capstan - stick-slip friction, and cables on pulleys, drums and winches\n\n"
               "Usage: capstan COMMAND [ARGUMENTS]\n\nCommands:\n");
  for (int i = 0; i < N_COMMANDS; i++) fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].help);
  fprintf(out, "  %-11s %s\n", "help", "say more about a command: capstan help COMMAND");
  fprintf(out, "\nOptions:\n  -h, --help     this text\n      --version  the version\n\nExit status:");
  for (int i = 0; i < exit_status_count(); i++)
    fprintf(out, "%s %d %s", i ? "," : "", i, exit_status_meaning(i));
  fprintf(out, ".\n");
}

static int unknown_command(const char *name) {
  nearest n = {.word = name};
  for (int i = 0; i < N_COMMANDS; i++) nearest_offer(&n, commands[i].name);
  nearest_offer(&n, "help");
  if (name[0] == '-') {
    nearest_offer(&n, "--help");
    nearest_offer(&n, "--version");
    complain(NULL, "there is no option '%s'; did you mean '%s'? 'capstan --help' lists them", name, n.best);
  } else {
    complain(NULL, "there is no command '%s'; did you mean '%s'? 'capstan --help' lists them", name, n.best);
  }
  return STATUS_USAGE;
}

/* capstan help [COMMAND], by way of the command's own --help. */
static int help_about(int argc, char **argv) {
  if (argc == 0) {
    print_help(stdout);
    return STATUS_GOOD;
  }
  if (strcmp(argv[0], "--columns") == 0 && argc == 1) {
    columns_write(stdout);
    return STATUS_GOOD;
  }
  if (strcmp(argv[0], "--man") == 0) {
    if (argc == 2) return manual_write(argv[1]);
    complain("help", "--man needs a folder for the pages: capstan help --man FOLDER");
    return STATUS_USAGE;
  }
  if (argc > 1) {
    complain("help", "one command at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    return STATUS_USAGE;
  }
  if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
    return help_about(0, NULL);
  const command *c = command_find(argv[0]);
  if (!c) return unknown_command(argv[0]);
  char option[] = "--help";
  char *arguments[] = {option, NULL};
  return c->run(1, arguments);
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return STATUS_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "help") == 0)
    return help_about(argc - 2, argv + 2);
  if (strcmp(name, "--version") == 0) {
    printf("capstan %s\n", cps_version());
    return STATUS_GOOD;
  }
  const command *c = command_find(name);
  return c ? c->run(argc - 2, argv + 2) : unknown_command(name);
}

/* Deflate asks for a quarter of a megabyte at a time and gives it back: that need not go to the operating system each
 * time. */
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

int main(int argc, char **argv) {
  keep_memory();
  int status = dispatch(argc, argv);
  /* A full disk must not pass for success, so what is buffered goes out while it can still be reported. */
  int written = close_output(NULL, "-", stdout);
  return guard_leave(status != STATUS_GOOD ? status : written);
}
