/* completion.c - capstan completion: scripts for bash, zsh and fish, which ask the tool itself for words.
 *
 * `capstan completion --complete INDEX WORDS...` prints what the word of that index can become, one a line: commands, options out
 * of the help texts, laws, machines, and paths of numbers inside the scenario file that the line names. */
#include "help.h"
#include "input.h"
#include "options.h"

#include "capstan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char bash_script[] =
    "# capstan completion bash: put this line into ~/.bashrc\n"
    "#   eval \"$(capstan completion bash)\"\n"
    "_capstan() {\n"
    "  local IFS=$'\\n' cur=${COMP_WORDS[COMP_CWORD]}\n"
    "  COMPREPLY=($(compgen -W \"$(capstan completion --complete \"$COMP_CWORD\" \"${COMP_WORDS[@]}\" "
    "2>/dev/null)\" -- \"$cur\"))\n"
    "  if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
    "  return 0\n"
    "}\n"
    "complete -o default -F _capstan capstan\n";

static const char zsh_script[] =
    "#compdef capstan\n"
    "# capstan completion zsh: put this line into ~/.zshrc\n"
    "#   eval \"$(capstan completion zsh)\"\n"
    "_capstan() {\n"
    "  local -a found\n"
    "  found=(${(f)\"$(capstan completion --complete $((CURRENT - 1)) \"${words[@]}\" 2>/dev/null)\"})\n"
    "  if (( $#found )); then\n"
    "    if [[ $found[1] == *= ]]; then compadd -S '' -a found; else compadd -a found; fi\n"
    "  else\n"
    "    _files\n"
    "  fi\n"
    "}\n"
    "compdef _capstan capstan\n";

static const char fish_script[] =
    "# capstan completion fish: capstan completion fish > ~/.config/fish/completions/capstan.fish\n"
    "function __capstan_complete\n"
    "  set -l words (commandline -opc) (commandline -ct)\n"
    "  capstan completion --complete (math (count $words) - 1) $words 2>/dev/null\n"
    "end\n"
    "complete -c capstan -a '(__capstan_complete)'\n";

static const struct {
  const char *name, *script;
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

enum { N_SHELLS = sizeof shells / sizeof shells[0] };

/* ---------------------------------------------------------------- words */

/* The word that is being written: what of it stands before a comma stays, and what follows it is completed. */
typedef struct offer {
  const char *current;
  const char *ending; /* after each candidate */
  size_t kept;        /* bytes of `current` that stay */
} offer;

static void offer_word(const offer *o, const char *word) {
  const char *begun = o->current + o->kept;
  if (strncmp(word, begun, strlen(begun)) == 0)
    printf("%.*s%s%s\n", (int)o->kept, o->current, word, o->ending);
}

static void offer_name(const char *name, void *data) { offer_word((const offer *)data, name); }

static void offer_options(const offer *o, const command *c) {
  char *help = command_help(c);
  const char *line = strstr(help, "Options:\n");
  for (line = line ? line + 9 : ""; *line == ' ';) {
    const char *name = strstr(line, "--"), *end = strchr(line, '\n');
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strspn(name, "abcdefghijklmnopqrstuvwxyz-"), name);
    offer_word(o, word);
    if (!end) break;
    line = end + 1;
  }
  free(help);
}

/* The scenario file that the line names. */
static const char *file_of(int n, char **words) {
  for (int i = 2; i < n; i++) {
    size_t length = strlen(words[i]);
    int yaml = (length > 5 && strcmp(words[i] + length - 5, ".yaml") == 0) ||
               (length > 4 && strcmp(words[i] + length - 4, ".yml") == 0);
    if (yaml && access(words[i], R_OK) == 0) return words[i];
  }
  return NULL;
}

static void offer_paths(const offer *o, const char *file) {
  cps_scenario *s = file ? cps_scenario_load(file, NULL, 0, NULL) : NULL;
  cps_quantity *list = NULL;
  int n = 0;
  if (s && cps_scenario_quantities(s, &list, &n, NULL) == CPS_OK)
    for (int i = 0; i < n; i++) offer_word(o, list[i].path);
  free(list);
  cps_scenario_free(s);
}

static void offer_laws(const offer *o) {
  for (int i = 0; i < cps_law_count(); i++) offer_word(o, cps_law_at(i)->name);
}

/* What follows an option; 0 if it is nothing that is known here. */
static int offer_value(offer *o, const char *name, int n, char **words) {
  static const char *const paths[] = {"--wrt", "--parameters", "-p"};
  const char *comma = strrchr(o->current, ',');
  if (strcmp(name, "--set") == 0 || strcmp(name, "-s") == 0) {
    o->ending = "=";
    offer_paths(o, file_of(n, words));
    return 1;
  }
  o->kept = comma ? (size_t)(comma - o->current) + 1 : 0;
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    if (strcmp(name, paths[i]) != 0) continue;
    offer_paths(o, file_of(n, words));
    return 1;
  }
  if (strcmp(name, "--compare") == 0) {
    offer_laws(o);
    return 1;
  }
  o->kept = 0;
  return 0;
}

static int complete(int index, int n, char **words) {
  offer o = {index < n ? words[index] : "", "", 0};
  const command *c = index > 1 && n > 1 ? command_find(words[1]) : NULL;
  if (index == 1) {
    for (int i = 0; i < command_count(); i++) offer_word(&o, command_at(i)->name);
    offer_word(&o, "help");
  } else if (index > 1 && n > 1 && strcmp(words[1], "help") == 0) {
    for (int i = 0; i < command_count(); i++) offer_word(&o, command_at(i)->name);
  } else if (!c || offer_value(&o, words[index - 1], n, words)) {
    return STATUS_GOOD;
  } else if (o.current[0] == '-') {
    offer_options(&o, c);
  } else if (strcmp(c->name, "models") == 0) {
    offer_laws(&o);
  } else if (strcmp(c->name, "new") == 0) {
    new_names(offer_name, &o);
  } else if (strcmp(c->name, "completion") == 0) {
    for (int i = 0; i < N_SHELLS; i++) offer_word(&o, shells[i].name);
  }
  return STATUS_GOOD;
}

/* ---------------------------------------------------------------- the command */

int completion_run(int argc, char **argv) {
  double index;
  if (argc >= 3 && strcmp(argv[0], "--complete") == 0) {
    if (!read_number(argv[1], &index) || index < 0 || index > argc - 2) return STATUS_USAGE;
    return complete((int)index, argc - 2, argv + 2);
  }
  int help = 0;
  const option table[] = {
      {"help", 'h', OPTION_FLAG, &help, NULL, "this text"},
  };
  int n = options_parse("completion", table, 1, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (help) {
    printf("capstan completion - let the shell complete commands, options, laws and paths of parameters\n\n"
           "Usage: capstan completion bash|zsh|fish\n\n"
           "Prints a script for the shell. After --set, --wrt and --parameters it completes the paths of the "
           "numbers\n"
           "in the scenario file that the line names.\n\nOptions:\n");
    options_help(stdout, table, 1);
    printf("\nExamples:\n"
           "  eval \"$(capstan completion bash)\"                                       # in ~/.bashrc\n"
           "  eval \"$(capstan completion zsh)\"                                        # in ~/.zshrc\n"
           "  capstan completion fish > ~/.config/fish/completions/capstan.fish\n");
    return STATUS_GOOD;
  }
  for (int i = 0; i < N_SHELLS && n == 1; i++) {
    if (strcmp(argv[0], shells[i].name) != 0) continue;
    fputs(shells[i].script, stdout);
    return STATUS_GOOD;
  }
  complain("completion", "for which shell? capstan completion bash, zsh or fish%s%s%s",
           n > 0 ? "; found '" : "", n > 0 ? argv[0] : "", n > 0 ? "'" : "");
  return STATUS_USAGE;
}
