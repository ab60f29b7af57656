/* new.c - capstan new: a machine from scenarios/ to start from, with its comments. */
#include "cli.h"
#include "help.h"
#include "input.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NAMES_MOST = 400, NAME_SIZE = 200 };

/* What there is to copy: names without ".yaml", such as "winch" or "quinn/chain". */
typedef struct gallery {
  char folder[PATH_SIZE];
  char (*name)[NAME_SIZE];
  int n;
} gallery;

static int by_name(const void *a, const void *b) { return strcmp((const char *)a, (const char *)b); }

static void collect(gallery *g, const char *below) {
  char path[PATH_SIZE];
  if (snprintf(path, sizeof path, "%s/%s", g->folder, below) >= (int)sizeof path) return;
  DIR *folder = opendir(path);
  for (const struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
    char name[NAME_SIZE], full[2 * PATH_SIZE];
    struct stat info;
    if (e->d_name[0] == '.' ||
        snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", e->d_name) >= (int)sizeof name)
      continue;
    snprintf(full, sizeof full, "%s/%s", g->folder, name);
    if (stat(full, &info) != 0) continue;
    size_t length = strlen(name);
    if (S_ISDIR(info.st_mode) && !*below) {
      /* studies are no machines, and name theirs by where it lies */
      if (strcmp(name, "studies") != 0) collect(g, name);
    } else if (length > 5 && strcmp(name + length - 5, ".yaml") == 0 && g->n < NAMES_MOST) {
      name[length - 5] = 0;
      memcpy(g->name[g->n++], name, sizeof name);
    }
  }
  if (folder) closedir(folder);
}

static int gallery_open(gallery *g, const char *named) {
  char path[PATH_SIZE];
  g->n = 0;
  g->name = NULL;
  if (!input_find_scenario(named, "winch.yaml", path, sizeof path)) return 0;
  *strrchr(path, '/') = 0;
  memcpy(g->folder, path, sizeof path);
  g->name = (char(*)[NAME_SIZE])grow(NULL, NAMES_MOST, sizeof *g->name);
  collect(g, "");
  qsort(g->name, (size_t)g->n, sizeof *g->name, by_name);
  return 1;
}

void new_names(void (*call)(const char *name, void *data), void *data) {
  gallery g;
  if (gallery_open(&g, NULL))
    for (int i = 0; i < g.n; i++) call(g.name[i], data);
  free(g.name);
}

/* The title of a scenario, without reading all of it: the line "title: ..."; "" if there is none. */
static void title_of(const gallery *g, const char *name, char *title, size_t size) {
  char path[2 * PATH_SIZE], line[400];
  snprintf(path, sizeof path, "%s/%s.yaml", g->folder, name);
  *title = 0;
  FILE *file = fopen(path, "r");
  while (file && !*title && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "title: ", 7) == 0) snprintf(title, size, "%s", line + 7);
  }
  if (file) fclose(file);
}

/* The last part of a name: "chain" of "quinn/chain". */
static const char *last_part(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

/* Whether `word` is one of the words of a name like "drum-hoist". */
static int has_word(const char *name, const char *word) {
  size_t n = strlen(word);
  for (const char *at = name; n > 0 && (at = strstr(at, word)) != NULL; at += n)
    if ((at == name || at[-1] == '-') && (at[n] == 0 || at[n] == '-')) return 1;
  return 0;
}

/* How well a machine answers to what was wanted: its whole name, its last part, a word of that; 0 if not at all. */
static int fits(const char *name, const char *wanted) {
  return strcmp(name, wanted) == 0                ? 3
         : strcmp(last_part(name), wanted) == 0   ? 2
         : has_word(last_part(name), wanted) != 0 ? 1
                                                  : 0;
}

/* The machine that fits best, the first of the list among equals; the others are named on standard error. NULL after complaining. */
static const char *choose(const gallery *g, const char *wanted, int quiet) {
  const char *found = NULL;
  int best = 0, also = 0;
  nearest n = {.word = wanted};
  for (int i = 0; i < g->n; i++) {
    if (fits(g->name[i], wanted) > best) {
      best = fits(g->name[i], wanted);
      found = g->name[i];
    }
    nearest_offer(&n, last_part(g->name[i]));
  }
  if (!found) {
    complain("new", "there is no machine '%s'%s%s%s; 'capstan new' lists them", wanted,
             n.best ? "; did you mean '" : "", n.best ? n.best : "", n.best ? "'?" : "");
    return NULL;
  }
  for (int i = 0; best < 3 && !quiet && i < g->n; i++) {
    if (g->name[i] == found || fits(g->name[i], wanted) == 0) continue;
    if (also++ == 0) fprintf(stderr, "capstan new: took %s; there is also", found);
    fprintf(stderr, "%s %s", also > 1 ? "," : "", g->name[i]);
  }
  if (also) fputc('\n', stderr);
  return found;
}

static int copy(const gallery *g, const char *name, const char *to, int force) {
  char path[2 * PATH_SIZE], block[1 << 16];
  snprintf(path, sizeof path, "%s/%s.yaml", g->folder, name);
  if (!force && strcmp(to, "-") != 0 && access(to, F_OK) == 0) {
    complain("new", "'%s' is there already; -o FILE names another one, --force writes over it", to);
    return STATUS_USAGE;
  }
  FILE *in = fopen(path, "r");
  if (!in) {
    complain("new", "cannot read '%s': %s", path, strerror(errno));
    return STATUS_IO;
  }
  FILE *out = open_output("new", to);
  for (size_t n; out && (n = fread(block, 1, sizeof block, in)) > 0;) fwrite(block, 1, n, out);
  fclose(in);
  return out ? close_output("new", to, out) : STATUS_IO;
}

static void print_help(const option *table, int n) {
  printf("capstan new - start from a machine that works\n\n"
         "Usage: capstan new                                 the machines there are\n"
         "       capstan new NAME [-o FILE]                  copy one of them, with its comments\n\n"
         "NAME is a machine of the list, its last part ('chain' for 'quinn/chain'), or a word of that "
         "('hoist' for\n"
         "'gallery/drum-hoist'). FILE is its last part with .yaml unless it is given; '-' is standard "
         "output.\n\nOptions:\n");
  options_help(stdout, table, n);
  printf("\nExamples:\n"
         "  capstan new winch && capstan run winch.yaml\n"
         "  capstan new pulley -o - | capstan run - --set run.until='2 s'\n");
}

int new_run(int argc, char **argv) {
  struct {
    int help, force, quiet;
    const char *output, *scenarios;
  } o = {0};
  const option table[] = {
      {"output", 'o', OPTION_TEXT, (void *)&o.output, "FILE", "where it goes; NAME.yaml"},
      {"force", 0, OPTION_FLAG, &o.force, NULL, "write over a file that is there"},
      {"scenarios", 0, OPTION_TEXT, (void *)&o.scenarios, "FOLDER", "where the machines are"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("new", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(table, n_options);
    return STATUS_GOOD;
  }
  if (n > 1) {
    complain("new", "one machine at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    return STATUS_USAGE;
  }
  gallery g;
  if (!gallery_open(&g, o.scenarios)) {
    complain("new", "the scenario files are not there; name their folder with --scenarios");
    free(g.name);
    return STATUS_IO;
  }
  int status = STATUS_GOOD;
  if (n == 0) {
    int width = 0;
    for (int i = 0; i < g.n; i++)
      if ((int)strlen(g.name[i]) > width) width = (int)strlen(g.name[i]);
    for (int i = 0; i < g.n; i++) {
      char title[120];
      title_of(&g, g.name[i], title, sizeof title);
      printf("  %-*s  %s\n", width, g.name[i], title);
    }
  } else {
    const char *name = choose(&g, argv[0], o.quiet), *slash = name ? strrchr(name, '/') : NULL;
    char file[NAME_SIZE + 8];
    snprintf(file, sizeof file, "%s.yaml", slash ? slash + 1 : name ? name : "");
    const char *to = o.output ? o.output : file;
    status = name ? copy(&g, name, to, o.force) : STATUS_USAGE;
    if (status == STATUS_GOOD && !o.quiet && strcmp(to, "-") != 0)
      printf("wrote %s; to go on: capstan run %s\n", shown_name(to), shown_name(to));
  }
  free(g.name);
  return status;
}
