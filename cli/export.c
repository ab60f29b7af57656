/* export.c - capstan export: a result as CSV, VTK or NumPy files. */
#include "export.h"
#include "cli.h"
#include "input.h"
#include "options.h"
#include "result_files.h"
#include "study_table.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct export_options {
  int help, csv, vtk, npy, hdf5, quiet;
  const char *folder;
} export_options;

static void print_help(FILE *out, const option *table, int n) {
  fprintf(out,
          "Usage: capstan export RESULT [--csv] [--vtk] [--npy] [-o FOLDER]\n"
          "       capstan export STUDY.sqlite [--csv] [--hdf5] [-o FOLDER]\n\n"
          "Writes a result (a folder of capstan run, or the result.h5 in it) in other formats. Also of a\n"
          "run that goes on, or was killed. Of a study, the table of its points.\n\nOptions:\n");
  options_help(out, table, n);
  fprintf(
      out,
      "\nExamples:\n"
      "  capstan export block.results --csv\n"
      "  capstan export winch.results --vtk -o paraview   # then open paraview/result.pvd\n"
      "  capstan export block.results --npy               # then numpy.load(\"block.results/result.npz\")\n");
}

FILE *export_open(const char *folder, const char *name, char path[EXPORT_PATH]) {
  int n = snprintf(path, EXPORT_PATH, "%s/%s", folder, name);
  if (n < 0 || n >= EXPORT_PATH) {
    complain("export", "the name of the folder is too long");
    return NULL;
  }
  for (char *c = path + strlen(folder) + 1; *c; c++) {
    if (*c != '/') continue;
    *c = 0;
    int made = open_folder_inside("export", path);
    *c = '/';
    if (!made) return NULL;
  }
  return open_output_copy("export", path);
}

/* ---------------------------------------------------------------- CSV */

/* One row per frame: time, then every component of every point. A constant field has one row and no time. */
static void write_field(FILE *out, const cps_result *r, int i) {
  static const char axes[] = "xyz";
  const cps_field *f = cps_result_field(r, i);
  const double *data = cps_result_field_data(r, i), *times = cps_result_frame_times(r);
  if (!f->constant) fputs("time [s]", out);
  for (int p = 0; p < f->points; p++) {
    for (int c = 0; c < f->components; c++) {
      char head[80], axis[4] = "";
      if (f->components > 1 && c < 3) snprintf(axis, sizeof axis, ".%c", axes[c]);
      snprintf(head, sizeof head, "%d%s [%s]", p, axis, f->unit);
      if (!f->constant || p + c > 0) fputc(',', out);
      csv_field(out, head);
    }
  }
  fputc('\n', out);
  int entry = f->points * f->components;
  for (long k = 0; k < (f->constant ? 1 : cps_result_frames(r)); k++) {
    if (!f->constant) csv_number(out, times[k]);
    for (int j = 0; j < entry; j++) {
      if (!f->constant || j > 0) fputc(',', out);
      csv_number(out, data[(size_t)k * (size_t)entry + (size_t)j]);
    }
    fputc('\n', out);
  }
}

int export_csv(const cps_result *r, const char *folder, int *files) {
  char path[EXPORT_PATH];
  int status = STATUS_GOOD;
  for (int i = -2; i < cps_result_fields(r) && status == STATUS_GOOD; i++) {
    char name[200];
    snprintf(name, sizeof name,
             i == -2   ? "series.csv"
             : i == -1 ? "events.csv"
                       : "fields/%s.csv",
             i >= 0 ? cps_result_field(r, i)->name : "");
    FILE *out = export_open(folder, name, path);
    if (!out) return STATUS_IO;
    if (i == -2)
      series_write(out, r);
    else if (i == -1)
      events_write(out, r);
    else
      write_field(out, r, i);
    status = close_output("export", path, out);
    ++*files;
  }
  return status;
}

/* ---------------------------------------------------------------- what an earlier export left */

/* Files of an earlier export that had more frames or more cables would be taken for part of this one. */
static void remove_earlier(const char *folder, const char *below, const char *const *starts,
                           const char *ending) {
  char path[EXPORT_PATH];
  if (snprintf(path, sizeof path, "%s/%s", folder, below) >= (int)sizeof path) return;
  DIR *open = opendir(path);
  for (const struct dirent *e; open && (e = readdir(open)) != NULL;) {
    size_t n = strlen(e->d_name), k = strlen(ending);
    int ours = 0;
    for (const char *const *s = starts; *s; s++) ours |= strncmp(e->d_name, *s, strlen(*s)) == 0;
    if (!ours || n <= k || strcmp(e->d_name + n - k, ending) != 0) continue;
    char file[2 * EXPORT_PATH];
    snprintf(file, sizeof file, "%s/%s", path, e->d_name);
    unlink(file);
  }
  if (open) closedir(open);
}

static void remove_earlier_exports(const char *folder, int csv, int vtk) {
  static const char *const fields[] = {"cables.", NULL}, *const frames[] = {"cables_", "contacts_", "bodies_",
                                                                            "drums_", NULL};
  if (csv) remove_earlier(folder, "fields", fields, ".csv");
  if (vtk) remove_earlier(folder, "vtk", frames, ".vtp");
}

void export_name_stale(const char *where, const char *folder) {
  static const char *const names[] = {"fields", "vtk", "result.pvd", "result.npz"};
  char path[EXPORT_PATH], list[200] = "";
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (snprintf(path, sizeof path, "%s/%s", folder, names[i]) < (int)sizeof path && access(path, F_OK) == 0)
      append(list, sizeof list, "%s%s", *list ? ", " : "", names[i]);
  if (*list)
    complain(where, "what was exported of an earlier run is still in %s: %s; capstan export makes it anew",
             folder, list);
}

/* ---------------------------------------------------------------- the command */

/* The table of a study: STEM.csv and STEM.h5, beside it or in a folder. */
static int export_study(const char *table, const export_options *o) {
  cps_error error = {.status = CPS_OK};
  char path[EXPORT_PATH];
  const char *slash = strrchr(table, '/'), *name = slash ? slash + 1 : table, *dot = strrchr(name, '.');
  int before = o->folder ? 0 : (int)(name - table),
      stem = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  int status = o->folder ? results_prepare("export", o->folder, 0) : STATUS_GOOD;
  const char *const endings[] = {o->csv ? ".csv" : NULL, o->hdf5 ? ".h5" : NULL};
  for (int i = 0; i < 2 && status == STATUS_GOOD; i++) {
    if (!endings[i]) continue;
    if (snprintf(path, sizeof path, "%s%s%.*s%.*s%s", o->folder ? o->folder : "", o->folder ? "/" : "",
                 before, table, stem, name, endings[i]) >= (int)sizeof path) {
      complain("export", "the name of the folder is too long");
      return STATUS_USAGE;
    }
    if ((i == 0 ? cps_study_csv : cps_study_hdf)(table, path, &error) != CPS_OK) {
      complain("export", "%s", error.text);
      status = error.status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_IO;
    } else if (!o->quiet) {
      printf("wrote %s\n", shown_name(path));
    }
  }
  return status;
}

int export_run(int argc, char **argv) {
  export_options o = {0};
  const option table[] = {
      {"csv", 0, OPTION_FLAG, &o.csv, NULL, "series.csv, events.csv, fields/*.csv"},
      {"vtk", 0, OPTION_FLAG, &o.vtk, NULL, "vtk/*.vtp and result.pvd, for ParaView"},
      {"npy", 0, OPTION_FLAG, &o.npy, NULL, "result.npz, for NumPy"},
      {"hdf5", 0, OPTION_FLAG, &o.hdf5, NULL,
       "of a study: the table of its points; a result is HDF5 already"},
      {"output", 'o', OPTION_TEXT, (void *)&o.folder, "FOLDER",
       "where the files go; the folder of the result. - with --csv prints the series"},
      {"quiet", 'q', OPTION_FLAG, &o.quiet, NULL, "print nothing but problems"},
      {"help", 'h', OPTION_FLAG, &o.help, NULL, "this text"},
  };
  const int n_options = sizeof table / sizeof table[0];
  int n = options_parse("export", table, n_options, argc, argv);
  if (n < 0) return STATUS_USAGE;
  if (o.help) {
    print_help(stdout, table, n_options);
    return STATUS_GOOD;
  }
  if (n == 1 && study_table_is(argv[0])) {
    if (!o.vtk && !o.npy && (o.csv || o.hdf5)) return export_study(argv[0], &o);
    complain("export", "the table of a study goes to --csv or --hdf5");
    return STATUS_USAGE;
  }
  if (n == 1 && o.hdf5) {
    complain("export", "--hdf5 is for studies; the result.h5 of a run is HDF5 already");
    return STATUS_USAGE;
  }
  if (n != 1 || !(o.csv || o.vtk || o.npy)) {
    if (n == 0)
      complain("export", "which result? capstan export RESULT --csv");
    else if (n > 1)
      complain("export", "one result at a time, please: found '%s' after '%s'", argv[1], argv[0]);
    else
      complain("export", "in which format? --csv, --vtk or --npy");
    return STATUS_USAGE;
  }
  int to_stdout = o.folder && strcmp(o.folder, "-") == 0;
  if (to_stdout && (o.vtk || o.npy)) {
    complain("export", "only the series goes to standard output: capstan export RESULT --csv -o -");
    return STATUS_USAGE;
  }
  /* Beside the result, unless it is to go elsewhere. */
  char beside[EXPORT_PATH];
  struct stat info;
  int is_folder = stat(argv[0], &info) == 0 && S_ISDIR(info.st_mode);
  const char *slash = strrchr(argv[0], '/');
  snprintf(beside, sizeof beside, "%.*s",
           is_folder ? (int)strlen(argv[0])
           : slash   ? (int)(slash - argv[0])
                     : 1,
           is_folder || slash ? argv[0] : ".");
  const char *folder = o.folder ? o.folder : beside;

  int files = 0, status;
  cps_result *r = input_result("export", argv[0], &status);
  if (!r) return status;
  if (to_stdout) {
    series_write(stdout, r);
    cps_result_free(r);
    return STATUS_GOOD;
  }
  status = o.folder ? results_prepare("export", folder, 0) : STATUS_GOOD;
  if (status == STATUS_GOOD) remove_earlier_exports(folder, o.csv, o.vtk);
  if (status == STATUS_GOOD && o.csv) status = export_csv(r, folder, &files);
  if (status == STATUS_GOOD && o.vtk) status = export_vtk(r, folder, &files);
  if (status == STATUS_GOOD && o.npy) status = export_npy(r, folder, &files);
  if (status == STATUS_GOOD && !o.quiet)
    printf("%d file%s in %s/: %ld rows, %ld events, %ld frames\n", files, files == 1 ? "" : "s",
           shown_name(folder), cps_result_rows(r), cps_result_events(r), cps_result_frames(r));
  cps_result_free(r);
  return status;
}
