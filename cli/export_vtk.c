/* export_vtk.c - a result as VTK poly data, one file per kind and frame, and a .pvd file that puts times to them.
 *
 *   cables_N.vtp    a polyline per cable; tension and whatever else is known at its nodes
 *   contacts_N.vtp  a point per contact point: forces, slip, state
 *   bodies_N.vtp    a point per body and surface
 *   drums_N.vtp     a circle with a spoke per drum
 *
 * Frames are those of the fields; a run without fields has some of its rows. Contact points lie on the cable where
 * their material coordinate says; between two frames of rows, bodies are where a straight line puts them.
 */
#include "cli.h"
#include "export.h"
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 1000, CIRCLE = 64, ARRAYS_MOST = 16 };

/* One file being put together: points, lines and data at the points. */
typedef struct poly {
  int n, room;
  double (*at)[3];
  int n_lines, *first, *count; /* the points of each line follow one another */
  int n_arrays;
  char names[ARRAYS_MOST][64];
  double *values[ARRAYS_MOST]; /* [room] */
} poly;

static int add_point(poly *p, double x, double y, double z) {
  if (p->n == p->room) {
    p->room = 2 * p->room + 64;
    p->at = (double(*)[3])grow(p->at, (size_t)p->room, sizeof *p->at);
    for (int i = 0; i < p->n_arrays; i++)
      p->values[i] = (double *)grow(p->values[i], (size_t)p->room, sizeof(double));
  }
  p->at[p->n][0] = x;
  p->at[p->n][1] = y;
  p->at[p->n][2] = z;
  for (int i = 0; i < p->n_arrays; i++) p->values[i][p->n] = 0;
  return p->n++;
}

static void add_line(poly *p, int first, int count) {
  p->first = (int *)grow(p->first, (size_t)p->n_lines + 1, sizeof(int));
  p->count = (int *)grow(p->count, (size_t)p->n_lines + 1, sizeof(int));
  p->first[p->n_lines] = first;
  p->count[p->n_lines++] = count;
}

/* The array of that name, made where it is not there yet; -1 if there are too many. */
static int array_named(poly *p, const char *name) {
  for (int i = 0; i < p->n_arrays; i++)
    if (strcmp(p->names[i], name) == 0) return i;
  if (p->n_arrays == ARRAYS_MOST) return -1;
  int i = p->n_arrays++;
  snprintf(p->names[i], sizeof p->names[i], "%s", name);
  p->values[i] = (double *)grow(NULL, (size_t)p->room + 1, sizeof(double));
  for (int k = 0; k < p->room; k++) p->values[i][k] = 0;
  return i;
}

static void set_value(poly *p, const char *name, int point, double value) {
  int i = array_named(p, name);
  if (i >= 0) p->values[i][point] = value;
}

static void clear(poly *p) {
  free(p->at);
  free(p->first);
  free(p->count);
  for (int i = 0; i < p->n_arrays; i++) free(p->values[i]);
  memset(p, 0, sizeof *p);
}

/* ---------------------------------------------------------------- files */

static void put_values(FILE *out, const double *values, size_t n) {
  for (size_t i = 0; i < n; i++) {
    /* NaN is no number for XML readers of VTK */
    csv_number(out, isfinite(values[i]) ? values[i] : 0);
    fputc(i % 9 == 8 ? '\n' : ' ', out);
  }
  fputc('\n', out);
}

static void put_cells(FILE *out, const char *kind, int n, const int *first, const int *count) {
  fprintf(out, "<%s>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n", kind);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < (count ? count[i] : 1); k++) fprintf(out, "%d ", (first ? first[i] : i) + k);
    fputc('\n', out);
  }
  fputs("</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n", out);
  for (int i = 0, end = 0; i < n; i++) {
    end += count ? count[i] : 1;
    fprintf(out, "%d\n", end);
  }
  fprintf(out, "</DataArray>\n</%s>\n", kind);
}

static void write_poly(FILE *out, const poly *p, double time) {
  int vertices = p->n_lines == 0 ? p->n : 0;
  fputs(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<PolyData>\n"
      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\n",
      out);
  put_values(out, &time, 1);
  fprintf(
      out,
      "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
      p->n, vertices, p->n_lines);
  for (int i = 0; i < p->n_arrays; i++) {
    fprintf(out, "<DataArray type=\"Float64\" Name=\"%s\" format=\"ascii\">\n", p->names[i]);
    put_values(out, p->values[i], (size_t)p->n);
    fputs("</DataArray>\n", out);
  }
  fputs("</PointData>\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
        out);
  put_values(out, p->n > 0 ? p->at[0] : NULL, 3 * (size_t)p->n);
  fputs("</DataArray>\n</Points>\n", out);
  put_cells(out, "Verts", vertices, NULL, NULL);
  put_cells(out, "Lines", p->n_lines, p->first, p->count);
  fputs("</Piece>\n</PolyData>\n</VTKFile>\n", out);
}

/* ---------------------------------------------------------------- what is in a frame */

/* A moment: a frame of the fields (-1 if there is none), and where among the rows it is. */
typedef struct moment {
  double time;
  long frame;
  long row;    /* the row before it */
  double part; /* how far to the next */
} moment;

static double value_at(const cps_result *r, int column, const moment *m) {
  const double *x = cps_result_data(r, column);
  return m->part > 0 ? x[m->row] + m->part * (x[m->row + 1] - x[m->row]) : x[m->row];
}

/* The columns of a body, surface or drum; -1 where there is none. Looked up once: there may be thousands. */
enum { X, Y, Z, V, VX, VY, ANGLE, PLACE_COLUMNS };
typedef struct place_columns {
  int column[PLACE_COLUMNS];
} place_columns;

static place_columns *find_columns(const cps_result *r) {
  static const char *const what[PLACE_COLUMNS] = {"x", "y", "z", "v", "vx", "vy", "angle"};
  place_columns *all = (place_columns *)grow(NULL, (size_t)cps_result_places(r) + 1, sizeof *all);
  for (int i = 0; i < cps_result_places(r); i++) {
    const cps_result_place *b = cps_result_place_at(r, i);
    const char *kind = strcmp(b->kind, "drum") == 0      ? "drums"
                       : strcmp(b->kind, "surface") == 0 ? "surfaces"
                                                         : "bodies";
    for (int k = 0; k < PLACE_COLUMNS; k++) {
      char name[3 * CPS_NAME_ROOM];
      snprintf(name, sizeof name, "%s.%s.%s", kind, b->name, what[k]);
      all[i].column[k] = cps_result_rows(r) > 0 ? cps_result_find(r, name) : -1;
    }
  }
  return all;
}

static double one_of(const cps_result *r, const place_columns *c, int which, const moment *m,
                     double otherwise) {
  return c->column[which] >= 0 ? value_at(r, c->column[which], m) : otherwise;
}

static void add_bodies(poly *p, const cps_result *r, const place_columns *columns, const moment *m) {
  for (int i = 0; i < cps_result_places(r); i++) {
    const cps_result_place *b = cps_result_place_at(r, i);
    const place_columns *c = &columns[i];
    if (strcmp(b->kind, "drum") == 0 || c->column[X] < 0) continue; /* not recorded */
    double x = value_at(r, c->column[X], m), speed = one_of(r, c, V, m, 0);
    int free_body = strcmp(b->kind, "plane") == 0;
    int at = free_body ? add_point(p, x, one_of(r, c, Y, m, 0), one_of(r, c, Z, m, 0))
                       : add_point(p, b->at[0] + x * b->direction[0], b->at[1] + x * b->direction[1],
                                   b->at[2] + x * b->direction[2]);
    if (free_body) speed = hypot(one_of(r, c, VX, m, 0), one_of(r, c, VY, m, 0));
    set_value(p, "body", at, i);
    set_value(p, "speed", at, speed);
  }
}

/* Two unit vectors that span the plane of a drum. */
static void plane_of(const double *axis, double u[3], double w[3]) {
  double side[3] = {1, 0, 0};
  if (fabs(axis[0]) > 0.9) side[0] = 0, side[1] = 1;
  double along = side[0] * axis[0] + side[1] * axis[1] + side[2] * axis[2], size = 0;
  for (int i = 0; i < 3; i++) u[i] = side[i] - along * axis[i];
  for (int i = 0; i < 3; i++) size += u[i] * u[i];
  for (int i = 0; i < 3; i++) u[i] /= sqrt(size);
  for (int i = 0; i < 3; i++) w[i] = axis[(i + 1) % 3] * u[(i + 2) % 3] - axis[(i + 2) % 3] * u[(i + 1) % 3];
}

static void add_drums(poly *p, const cps_result *r, const place_columns *columns, const moment *m) {
  for (int i = 0; i < cps_result_places(r); i++) {
    const cps_result_place *d = cps_result_place_at(r, i);
    if (strcmp(d->kind, "drum") != 0) continue;
    double u[3], w[3], turned = one_of(r, &columns[i], ANGLE, m, 0);
    plane_of(d->direction, u, w);
    int first = p->n;
    for (int k = 0; k <= CIRCLE; k++) {
      double a = turned + 2 * acos(-1) * k / CIRCLE, c = d->radius * cos(a), s = d->radius * sin(a);
      int at = add_point(p, d->at[0] + c * u[0] + s * w[0], d->at[1] + c * u[1] + s * w[1],
                         d->at[2] + c * u[2] + s * w[2]);
      set_value(p, "drum", at, i);
    }
    int centre = add_point(p, d->at[0], d->at[1], d->at[2]); /* after the last point of the circle: a spoke */
    set_value(p, "drum", centre, i);
    add_line(p, first, centre - first + 1);
  }
}

/* A field of a cable, "cables.NAME.what"; -1 if there is none. */
static int cable_field(const cps_result *r, const char *cable, int length, const char *what) {
  char name[200];
  snprintf(name, sizeof name, "%.*s.%s", length, cable, what);
  for (int i = 0; i < cps_result_fields(r); i++)
    if (strcmp(cps_result_field(r, i)->name, name) == 0) return i;
  return -1;
}

static const double *frame_of(const cps_result *r, int i, long frame) {
  const cps_field *f = cps_result_field(r, i);
  const double *data = cps_result_field_data(r, i);
  return f->constant ? data : data + (size_t)frame * (size_t)f->points * (size_t)f->components;
}

/* Where a material coordinate lies on a cable: on the straight line between its neighbours. */
static void place_on(const double *s, const double *x, int n, int dim, double at, double out[3]) {
  int k = 0;
  while (k + 2 < n && s[k + 1] < at) k++;
  double part = n > 1 && s[k + 1] > s[k] ? (at - s[k]) / (s[k + 1] - s[k]) : 0;
  for (int i = 0; i < 3; i++) {
    double a = i < dim ? x[k * dim + i] : 0, b = i < dim && n > 1 ? x[(k + 1) * dim + i] : a;
    out[i] = a + part * (b - a);
  }
}

/* Puts all fields of a cable with as many points into the points from `first` on. */
static void add_values(poly *p, const cps_result *r, const char *prefix, int length, int points, int first,
                       long frame, int below_contact) {
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    if (strncmp(f->name, prefix, (size_t)length) != 0 || f->name[length] != '.') continue;
    const char *what = f->name + length + 1;
    int is_contact = strncmp(what, "contact.", 8) == 0;
    if (f->points != points || f->components != 1 || (below_contact && !is_contact)) continue;
    const double *x = frame_of(r, i, frame);
    for (int k = 0; k < points; k++) set_value(p, below_contact ? what + 8 : what, first + k, x[k]);
  }
}

/* Every field that ends in .position starts a cable. */
static void add_cables(poly *cables, poly *contacts, const cps_result *r, long frame) {
  int number = 0;
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    size_t n = strlen(f->name), ending = strlen(".position");
    if (n <= ending || strcmp(f->name + n - ending, ".position") != 0 || f->components > 3) continue;
    int length = (int)(n - ending), first = cables->n, dim = f->components;
    const double *x = frame_of(r, i, frame);
    for (int k = 0; k < f->points; k++) {
      int at = add_point(cables, x[k * dim], dim > 1 ? x[k * dim + 1] : 0, dim > 2 ? x[k * dim + 2] : 0);
      set_value(cables, "cable", at, number);
    }
    add_line(cables, first, f->points);
    add_values(cables, r, f->name, length, f->points, first, frame, 0);
    int s = cable_field(r, f->name, length, "s"), at_s = cable_field(r, f->name, length, "contact.s");
    if (s >= 0 && at_s >= 0 && cps_result_field(r, s)->points == f->points) {
      int points = cps_result_field(r, at_s)->points, from = contacts->n;
      const double *where = frame_of(r, at_s, frame);
      for (int k = 0; k < points; k++) {
        double place[3];
        place_on(frame_of(r, s, frame), x, f->points, dim, where[k], place);
        set_value(contacts, "cable", add_point(contacts, place[0], place[1], place[2]), number);
      }
      add_values(contacts, r, f->name, length, points, from, frame, 1);
    }
    number++;
  }
}

/* ---------------------------------------------------------------- all frames */

static moment moment_at(const cps_result *r, double time, long frame) {
  moment m = {time, frame, 0, 0};
  const double *t = cps_result_data(r, 0);
  long low = 0, high = cps_result_rows(r) - 1;
  while (low < high) { /* the last row not after it */
    long middle = low + (high - low + 1) / 2;
    if (t[middle] <= time)
      low = middle;
    else
      high = middle - 1;
  }
  m.row = low;
  if (low + 1 < cps_result_rows(r) && t[low + 1] > t[low] && time > t[low])
    m.part = fmin(1, (time - t[low]) / (t[low + 1] - t[low]));
  return m;
}

static int write_frame(const cps_result *r, const place_columns *columns, const char *folder, const moment *m,
                       long number, FILE *list, int *files) {
  static const char *const kinds[] = {"cables", "contacts", "bodies", "drums"};
  poly p[4] = {{0}, {0}, {0}, {0}};
  int status = STATUS_GOOD;
  if (m->frame >= 0) add_cables(&p[0], &p[1], r, m->frame);
  add_bodies(&p[2], r, columns, m);
  add_drums(&p[3], r, columns, m);
  for (int i = 0; i < 4; i++) {
    char name[80], path[EXPORT_PATH], time[40];
    if (p[i].n > 0 && status == STATUS_GOOD) {
      snprintf(name, sizeof name, "vtk/%s_%05ld.vtp", kinds[i], number);
      FILE *out = export_open(folder, name, path);
      if (out) write_poly(out, &p[i], m->time);
      status = out ? close_output("export", path, out) : STATUS_IO;
      snprintf(time, sizeof time, "%.17g", m->time);
      fprintf(list, "<DataSet timestep=\"%s\" group=\"\" part=\"%d\" name=\"%s\" file=\"%s\"/>\n", time, i,
              kinds[i], name);
      ++*files;
    }
    clear(&p[i]);
  }
  return status;
}

int export_vtk(const cps_result *r, const char *folder, int *files) {
  char path[EXPORT_PATH];
  long frames = cps_result_frames(r), rows = cps_result_rows(r);
  long n = frames > 0 ? frames : rows < FRAMES_MOST ? rows : FRAMES_MOST;
  FILE *list = export_open(folder, "result.pvd", path);
  if (!list) return STATUS_IO;
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n",
        list);
  int status = STATUS_GOOD;
  place_columns *columns = find_columns(r);
  for (long i = 0; i < n && status == STATUS_GOOD; i++) {
    long row = n > 1 ? (long)((double)i * (double)(rows - 1) / (double)(n - 1) + 0.5) : 0;
    double time = frames > 0 ? cps_result_frame_times(r)[i] : cps_result_data(r, 0)[row];
    moment m = moment_at(r, time, frames > 0 ? i : -1);
    status = write_frame(r, columns, folder, &m, i, list, files);
  }
  free(columns);
  fputs("</Collection>\n</VTKFile>\n", list);
  int closed = close_output("export", path, list);
  ++*files;
  return status != STATUS_GOOD ? status : closed;
}
