/* doctor.c - capstan doctor: what this program is made of and runs on, for reports of trouble. */
#include "cli.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "term.h"

#include "capstan.h"

#include <hdf5.h>
#include <nlopt.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <yaml.h>
#include <zlib.h>

enum { FACTS_MOST = 24, FACT_ROOM = 300 };

typedef struct fact {
  const char *name;
  char text[FACT_ROOM];
} fact;

typedef struct facts {
  fact item[FACTS_MOST];
  int n;
} facts;

static void say(facts *f, const char *name, const char *format, ...) PRINTS(3, 4);

static void say(facts *f, const char *name, const char *format, ...) {
  if (f->n == FACTS_MOST) return;
  va_list args;
  va_start(args, format);
  f->item[f->n].name = name;
  vsnprintf(f->item[f->n++].text, FACT_ROOM, format, args);
  va_end(args);
}

static void say_build(facts *f) {
  say(f, "capstan", "%s", cps_version());
#if defined(__clang__)
  say(f, "compiler", "clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  say(f, "compiler", "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  say(f, "compiler", "unknown");
#endif
#if defined(__SANITIZE_ADDRESS__)
  say(f, "build", "with the address sanitizer");
#elif defined(NDEBUG)
  say(f, "build", "release");
#else
  say(f, "build", "with assertions");
#endif
}

/* The innermost loops of cables have two forms; which one runs decides about the last digits. */
static void say_processor(facts *f) {
  struct utsname system;
  if (uname(&system) == 0) say(f, "system", "%s %s, %s", system.sysname, system.release, system.machine);
  char model[200] = "", line[400];
  FILE *info = fopen("/proc/cpuinfo", "r");
  while (info && !*model && fgets(line, sizeof line, info))
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
      snprintf(model, sizeof model, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
  if (info) fclose(info);
  say(f, "processor", "%s%s%ld cores", model, *model ? ", " : "", sysconf(_SC_NPROCESSORS_ONLN));
#if defined(__x86_64__)
  say(f, "kernels of cables", "%s",
      cps_has_avx512() ? "AVX-512, AVX2 and FMA"
      : cps_has_avx2() ? "AVX2 and FMA"
                       : "plain: this processor has no AVX2 and FMA, or CAPSTAN_PLAIN is set");
#else
  say(f, "kernels of cables", "%s",
      cps_has_neon() ? "NEON"
                     : "plain: AVX2 and FMA are for x86-64, NEON for aarch64, or CAPSTAN_PLAIN is set");
#endif
}

static void say_libraries(facts *f) {
  char text[64] = "";
  int nlopt[3];
  /* asking HDF5 would set it up, which it does not survive without memory; it runs with no headers but its own */
  say(f, "HDF5", "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
  SUNDIALSGetVersion(text, sizeof text);
  say(f, "SUNDIALS", "%s", text);
  say(f, "libyaml", "%s", yaml_get_version_string());
  nlopt_version(&nlopt[0], &nlopt[1], &nlopt[2]);
  say(f, "SQLite", "%s", sqlite3_libversion());
  say(f, "NLopt", "%d.%d.%d", nlopt[0], nlopt[1], nlopt[2]);
  say(f, "zlib", "%s", zlibVersion());
}

static void say_surroundings(facts *f) {
  char path[4096];
  term t = term_detect(stdout, 80);
  say(f, "terminal", "%d columns, %s, %s", t.width, t.utf8 ? "UTF-8" : "ASCII",
      t.colour ? "colour" : "no colour");
  if (input_find_scenario(NULL, "winch.yaml", path, sizeof path))
    say(f, "scenarios", "%.*s", (int)(strrchr(path, '/') - path), path);
  else
    say(f, "scenarios", "not found; CAPSTAN_SCENARIOS names their folder");
}

int doctor_run(int argc, char **argv) {
  struct {
    int help, json;
  } o = {0};
  const option table[] = {
      {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON document"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("doctor", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    printf("capstan doctor - what this program is made of and runs on\n\n"
           "Usage: capstan doctor [--json]\n\n"
           "Versions of the libraries, how it was built, which form of the innermost loops this processor "
           "gets,\n"
           "and where it finds its files: what a report of trouble should contain.\n\nOptions:\n");
    options_help(stdout, table, n_options);
    return STATUS_GOOD;
  }
  if (n > 0) {
    complain("doctor", "it takes no arguments: found '%s'", argv[0]);
    return STATUS_USAGE;
  }
  facts f = {.n = 0};
  say_build(&f);
  say_processor(&f);
  say_libraries(&f);
  say_surroundings(&f);
  if (o.json) {
    json w = json_start(stdout);
    json_open(&w, NULL, '{');
    for (int i = 0; i < f.n; i++) json_text(&w, f.item[i].name, f.item[i].text);
    json_close(&w);
    json_end(&w);
  } else {
    for (int i = 0; i < f.n; i++) printf("  %-20s %s\n", f.item[i].name, f.item[i].text);
  }
  return STATUS_GOOD;
}
