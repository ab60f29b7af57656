/* Result files: what is written is read back bit for bit, also while they are being written, and after their
 * writer failed. With a made-up result, so that fields are among it. */
#include "row_store.h"
#include "test.h"

#include "result_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS_MOST = 3000, EVENTS_MOST = 700, FRAMES_MOST = 60, POINTS = 17, COLUMNS = 4 };

static const char source[] = "capstan: 1\n"
                             "title: \"Bl\u00f6cke\"\n"
                             "bodies:\n"
                             "  bl\u00f6ck: {mass: 1 kg, at: [1, 2], direction: [0, 1]}\n"
                             "contacts:\n"
                             "  c: {between: [bl\u00f6ck, ground], normal: 1 N, friction: coulomb}\n"
                             "run: {until: 1 s}\n";

static char folder[] = "/tmp/capstan-unit-XXXXXX";
static char path[200];

typedef struct made_up {
  cps_result r;
  cps_scenario *scenario;
  cps_result_source source;
} made_up;

static const struct {
  const char *name, *unit;
  int points, components, constant;
} fields[] = {{"cables.rope.s", "m", POINTS, 1, 1},        {"cables.rope.position", "m", POINTS, 2, 0},
              {"cables.rope.tension", "N", POINTS, 1, 0},  {"cables.rope.contact.s", "m", 1, 1, 1},
              {"cables.rope.contact.state", "1", 1, 1, 0}, {"cables.b.position", "m", 3, 3, 0}};

static made_up make_up(void) {
  static const char *const names[COLUMNS] = {"time", "bodies.bl\u00f6ck.x", "contacts.c.f", "energy.kinetic"};
  static const char *units[COLUMNS] = {"s", "m", "N", "J"};
  static const char *const settings[] = {"run.until=2 s", "run.step=\n1 ms"};
  made_up m = {.scenario = cps_scenario_parse(source, strlen(source), "block.yaml", settings, 2, NULL)};
  assert_non_null(m.scenario);
  rng random = rng_for("made up", 3);
  m.r.n_columns = COLUMNS;
  m.r.names = calloc(COLUMNS, sizeof *m.r.names);
  m.r.units = units;
  m.r.capacity = ROWS_MOST;
  m.r.data = calloc((size_t)COLUMNS * ROWS_MOST, sizeof(double));
  for (int c = 0; c < COLUMNS; c++) strcpy(m.r.names[c], names[c]);
  for (int i = 0; i < COLUMNS * ROWS_MOST; i++)
    m.r.data[i] = rng_sign(&random) * rng_log(&random, 1e-300, 1e300);
  m.r.data[ROWS_MOST + 1] = NAN;
  m.r.data[ROWS_MOST + 2] = -0.0;
  m.r.data[ROWS_MOST + 3] = -INFINITY;
  m.r.events = calloc(EVENTS_MOST, sizeof *m.r.events);
  for (int i = 0; i < EVENTS_MOST; i++) {
    m.r.events[i] = (cps_event){rng_uniform(&random), 0, i % 3 - 1, i % 3, m.scenario->contacts[0].name, ""};
    strcpy(m.r.events[i].what, i % 2 ? "stick -> slip forward" : "slip backward -> stick");
  }
  m.r.n_fields = ROWS(fields);
  m.r.fields = calloc(ROWS(fields), sizeof *m.r.fields);
  m.r.frame_times = calloc(FRAMES_MOST, sizeof(double));
  m.r.frames_capacity = FRAMES_MOST;
  for (int i = 0; i < FRAMES_MOST; i++) m.r.frame_times[i] = 0.1 * i;
  for (int i = 0; i < ROWS(fields); i++) {
    cps_field *f = &m.r.fields[i].field;
    strcpy(f->name, fields[i].name);
    f->unit = fields[i].unit;
    f->points = fields[i].points;
    f->components = fields[i].components;
    f->constant = fields[i].constant;
    size_t n = (size_t)f->points * (size_t)f->components * (f->constant ? 1 : FRAMES_MOST);
    m.r.fields[i].data = calloc(n, sizeof(double));
    for (size_t k = 0; k < n; k++) m.r.fields[i].data[k] = rng_between(&random, -9, 9);
  }
  m.source = (cps_result_source){.scenario = m.scenario, .status = "running"};
  return m;
}

static void forget(made_up *m) {
  for (int i = 0; i < m->r.n_fields; i++) free(m->r.fields[i].data);
  free(m->r.fields);
  free(m->r.frame_times);
  free(m->r.names);
  free(m->r.data);
  free(m->r.events);
  cps_scenario_free(m->scenario);
}

static void extend(made_up *m, long rows, long events, long frames) {
  m->r.rows = rows;
  m->r.n_events = events;
  m->r.frames = frames;
}

static void same_bits(const void *a, const void *b, size_t bytes) {
  if (bytes > 0) assert_memory_equal(a, b, bytes);
}

static void compare(const cps_result *r, const made_up *m, long rows, long events, long frames) {
  assert_int_equal(cps_result_rows(r), rows);
  assert_int_equal(cps_result_columns(r), COLUMNS);
  for (int c = 0; c < COLUMNS; c++) {
    assert_string_equal(cps_result_name(r, c), cps_result_name(&m->r, c));
    assert_string_equal(cps_result_unit(r, c), cps_result_unit(&m->r, c));
    same_bits(cps_result_data(r, c), cps_result_data(&m->r, c), (size_t)rows * sizeof(double));
  }
  assert_int_equal(cps_result_events(r), events);
  for (long i = 0; i < events; i++) {
    const cps_event *a = cps_result_event(r, i), *b = &m->r.events[i];
    assert_true(a->time == b->time && a->contact == b->contact && a->from == b->from && a->to == b->to);
    assert_string_equal(a->what, b->what);
    assert_string_equal(a->contact_name, b->contact_name);
  }
  assert_int_equal(cps_result_frames(r), frames);
  assert_int_equal(cps_result_fields(r), ROWS(fields));
  same_bits(cps_result_frame_times(r), m->r.frame_times, (size_t)frames * sizeof(double));
  for (int i = 0; i < ROWS(fields); i++) {
    const cps_field *f = cps_result_field(r, i);
    assert_string_equal(f->name, fields[i].name);
    assert_string_equal(f->unit, fields[i].unit);
    assert_int_equal(f->points, fields[i].points);
    assert_int_equal(f->components, fields[i].components);
    assert_int_equal(f->constant, fields[i].constant);
    size_t n = (size_t)f->points * (size_t)f->components * (f->constant ? 1 : (size_t)frames);
    if (!f->constant || frames > 0)
      same_bits(cps_result_field_data(r, i), m->r.fields[i].data, n * sizeof(double));
  }
}

static void check_texts(const cps_result *r, const char *status) {
  assert_string_equal(cps_result_text(r, "status"), status);
  assert_string_equal(cps_result_text(r, "scenario"), source);
  assert_string_equal(cps_result_text(r, "file"), "block.yaml");
  assert_string_equal(cps_result_text(r, "settings"), "run.until=2 s\nrun.step=\n1 ms");
  assert_string_equal(cps_result_text(r, "title"), "Bl\u00f6cke");
  assert_string_equal(cps_result_text(r, "version"), cps_version());
  assert_int_equal(strlen(cps_result_text(r, "hash")), 64);
  assert_null(cps_result_text(r, "nonsense"));
  assert_int_equal(cps_result_places(r), 1);
  const cps_result_place *p = cps_result_place_at(r, 0);
  assert_string_equal(p->kind, "line");
  assert_true(p->at[0] == 1 && p->at[1] == 2 && p->direction[1] == 1);
}

/* Written at once, and read. */
static void whole(void **state) {
  (void)state;
  const long sizes[][3] = {{0, 0, 0}, {1, 1, 1}, {ROWS_MOST, EVENTS_MOST, FRAMES_MOST}, {77, 0, 3}};
  for (int i = 0; i < ROWS(sizes); i++) {
    made_up m = make_up();
    m.source.result = &m.r;
    m.source.status = "complete";
    m.source.summary = "{\"a\": 1}\n";
    extend(&m, sizes[i][0], sizes[i][1], sizes[i][2]);
    cps_error err = {0};
    if (cps_result_file_write(path, &m.source, &err) != CPS_OK) fail_msg("%s", err.text);
    cps_result *r = cps_result_load(i % 2 ? folder : path, &err);
    if (!r) fail_msg("%s", err.text);
    compare(r, &m, sizes[i][0], sizes[i][1], sizes[i][2]);
    check_texts(r, "complete");
    assert_string_equal(cps_result_text(r, "summary"), "{\"a\": 1}\n");
    cps_result_free(r);
    forget(&m);
  }
}

/* Written piece by piece, and read after each flush, by others. */
static void live(void **state) {
  (void)state;
  made_up m = make_up();
  m.source.result = &m.r;
  cps_error err = {0};
  extend(&m, 3, 0, 0); /* a run that is resumed has something from the start */
  cps_result_file *f = cps_result_file_new(path, &m.source, &err);
  if (!f) fail_msg("%s", err.text);
  rng random = rng_for("live", 1);
  long rows = 3, events = 0, frames = 0;
  while (rows < ROWS_MOST) {
    rows += 1 + rng_below(&random, 200);
    events += rng_below(&random, 60);
    frames += rng_below(&random, 5);
    rows = rows < ROWS_MOST ? rows : ROWS_MOST;
    events = events < EVENTS_MOST ? events : EVENTS_MOST;
    frames = frames < FRAMES_MOST ? frames : FRAMES_MOST;
    extend(&m, rows, events, frames);
    assert_int_equal(cps_result_file_append(f, &err), CPS_OK);
    if (cps_result_file_flush(f, rng_below(&random, 5) == 0, &err) != CPS_OK) fail_msg("%s", err.text);
    cps_result *r = cps_result_load(path, &err);
    if (!r) fail_msg("%s", err.text);
    compare(r, &m, rows, events, frames);
    check_texts(r, "running");
    assert_null(cps_result_text(r, "summary"));
    cps_result_free(r);
  }
  assert_int_equal(cps_result_file_close(f, "stopped", &err), CPS_OK);
  cps_result *r = cps_result_load(path, &err);
  compare(r, &m, rows, events, frames);
  check_texts(r, "stopped");
  cps_result_free(r);
  forget(&m);
}

/* Very many columns are in one dataset while the run goes on, and in one each at the end. */
static void many_columns(void **state) {
  (void)state;
  enum { MANY = 1501, LONG = 50 };
  made_up m = make_up();
  cps_result r = {.n_columns = MANY, .capacity = LONG};
  r.names = calloc(MANY, sizeof *r.names);
  r.units = calloc(MANY, sizeof *r.units);
  r.data = calloc((size_t)MANY * LONG, sizeof(double));
  for (int c = 0; c < MANY; c++) {
    snprintf(r.names[c], sizeof r.names[c], c ? "bodies.b%d.x" : "time", c);
    r.units[c] = c % 2 ? "m" : "s";
    for (int i = 0; i < LONG; i++) r.data[c * LONG + i] = 1000.0 * c + i;
  }
  m.source.result = &r;
  cps_error err = {0};
  cps_result_file *f = cps_result_file_new(path, &m.source, &err);
  if (!f) fail_msg("%s", err.text);
  for (int end = 0; end < 2; end++) {
    for (r.rows = end ? LONG : 7; !end && r.rows <= LONG; r.rows += 43) {
      assert_int_equal(cps_result_file_append(f, &err), CPS_OK);
      assert_int_equal(cps_result_file_flush(f, 0, &err), CPS_OK);
    }
    r.rows = LONG;
    if (end) {
      assert_int_equal(cps_result_file_close(f, "complete", &err), CPS_OK);
      assert_int_equal(cps_result_file_write(path, &m.source, &err), CPS_OK);
    }
    cps_result *found = cps_result_load(path, &err);
    if (!found) fail_msg("%s", err.text);
    assert_int_equal(cps_result_columns(found), MANY);
    assert_int_equal(cps_result_rows(found), LONG);
    for (int c = 0; c < MANY; c++) {
      assert_string_equal(cps_result_name(found, c), r.names[c]);
      assert_string_equal(cps_result_unit(found, c), r.units[c]);
      same_bits(cps_result_data(found, c), cps_result_data(&r, c), LONG * sizeof(double));
    }
    cps_result_free(found);
  }
  free(r.names);
  free((void *)r.units);
  free(r.data);
  forget(&m);
}

/* A disk that is full at any moment: the writer says so and goes on living, and what was flushed is there. */
static void full_disk(void **state) {
  (void)state;
  made_up m = make_up();
  m.source.result = &m.r;
  int made = 0, failed_later = 0;
  signal(SIGXFSZ, SIG_IGN);
  for (rlim_t limit = 200; limit < 3000000; limit += limit / 7 + 100) {
    struct rlimit before, now;
    getrlimit(RLIMIT_FSIZE, &before);
    now = before;
    now.rlim_cur = limit;
    extend(&m, 0, 0, 0);
    remove(path);
    setrlimit(RLIMIT_FSIZE, &now);
    cps_error err = {0};
    cps_result_file *f = cps_result_file_new(path, &m.source, &err);
    long flushed = -1;
    if (!f) assert_non_null(strstr(err.text, "File too large"));
    for (long rows = 100; f && rows <= ROWS_MOST; rows += 100) {
      extend(&m, rows, rows / 5, rows / 50);
      cps_status status = cps_result_file_append(f, &err);
      if (status == CPS_OK) status = cps_result_file_flush(f, 0, &err);
      if (status != CPS_OK) break;
      flushed = rows;
    }
    int closed = f ? cps_result_file_close(f, "complete", &err) : CPS_IO;
    setrlimit(RLIMIT_FSIZE, &before);
    if (!f) continue;
    made++;
    failed_later += closed != CPS_OK;
    cps_result *r = cps_result_load(path, &err);
    if (!r) fail_msg("limit %ld: %s", (long)limit, err.text);
    long rows = flushed < 0 ? 0 : flushed;
    /* what was said to be flushed is there; a little more may be */
    assert_true(cps_result_rows(r) >= rows);
    rows = cps_result_rows(r);
    compare(r, &m, rows, rows / 5, rows / 50);
    cps_result_free(r);
  }
  assert_true(made > 8 && failed_later > 8);
  forget(&m);
}

/* The writer dies between two flushes, or at any other moment. */
static void killed(void **state) {
  (void)state;
  made_up m = make_up();
  m.source.result = &m.r;
  rng random = rng_for("killed", 1);
  for (int round = 0; round < 25; round++) {
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    remove(path);
    pid_t child = fork();
    if (child == 0) {
      cps_result_file *f = cps_result_file_new(path, &m.source, NULL);
      char go = f ? 'y' : 'n';
      if (write(pipe_ends[1], &go, 1) != 1) _exit(1);
      for (long rows = 5; f && rows <= ROWS_MOST; rows += 5) {
        extend(&m, rows, rows / 5, rows / 50);
        cps_result_file_append(f, NULL);
        if (rows % 25 == 0) cps_result_file_flush(f, 0, NULL);
      }
      pause();
    }
    char go = 0;
    close(pipe_ends[1]);
    assert_int_equal(read(pipe_ends[0], &go, 1), 1);
    assert_int_equal(go, 'y');
    nanosleep(&(struct timespec){0, 1000L * rng_below(&random, 60000)}, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipe_ends[0]);
    cps_error err = {0};
    cps_result *r = cps_result_load(path, &err);
    if (!r) fail_msg("%s", err.text);
    long rows = cps_result_rows(r);
    assert_int_equal(rows % 25, 0);
    compare(r, &m, rows, rows / 5, rows / 50);
    cps_result_free(r);
  }
  forget(&m);
}

/* Files that are none, or are cut short: an error with a reason, never a crash. */
static void bad_files(void **state) {
  (void)state;
  cps_error err = {0};
  assert_null(cps_result_load("/nowhere/result.h5", &err));
  assert_int_equal(err.status, CPS_IO);
  assert_non_null(strstr(err.text, "No such file"));
  assert_null(cps_result_load("/", &err));
  made_up m = make_up();
  m.source.result = &m.r;
  extend(&m, 100, 20, 3);
  assert_int_equal(cps_result_file_write("/nowhere/result.h5", &m.source, &err), CPS_IO);
  assert_non_null(strstr(err.text, "No such file"));
  assert_int_equal(cps_result_file_write(path, &m.source, &err), CPS_OK);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  static unsigned char bytes[1 << 20];
  size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_true(n > 1000 && n < sizeof bytes);
  rng random = rng_for("bad files", 1);
  int refused = 0;
  for (int i = 0; i < 40; i++) {
    size_t length = (size_t)rng_below(&random, (int)n);
    file = fopen(path, "wb");
    fwrite(bytes, 1, length, file);
    fclose(file);
    cps_result *r = cps_result_load(path, &err);
    refused += !r;
    cps_result_free(r);
  }
  assert_int_equal(refused, 40);
  file = fopen(path, "wb");
  fputs("time,x\n", file);
  fclose(file);
  assert_null(cps_result_load(path, &err));
  forget(&m);
}

static void long_names(void **state) {
  (void)state;
  char text[200];
  cps_result_long_name("bodies.block.x", text, sizeof text);
  assert_string_equal(text, "position of body block");
  cps_result_long_name("cables.rope.contact.normal", text, sizeof text);
  assert_string_equal(text, "normal force at the contact points of cable rope");
  cps_result_long_name("energy.kinetic", text, sizeof text);
  assert_string_equal(text, "kinetic energy");
  cps_result_long_name("what.is.this", text, sizeof text);
  assert_string_equal(text, "what.is.this");
}

/* ------------------------------------------------------------------ rows in a file */

/* Rows that are many go to a file of the folder, and look as before. */
static void test_rows_in_file(void **state) {
  (void)state;
  enum { FEW = 1 << 10, MANY = 5 << 20, MORE = 8 << 20 };
  cps_result r = {.n_columns = 2, .folder = "."};
  assert_true(cps_rows_grow(&r, FEW));
  assert_true(r.mapped == 0);
  for (r.rows = 0; r.rows < FEW; r.rows++)
    for (int c = 0; c < 2; c++) r.data[(size_t)c * FEW + (size_t)r.rows] = (double)(r.rows + c);
  assert_true(cps_rows_grow(&r, MANY));
  assert_true(r.mapped == 2 * sizeof(double) * MANY);
  for (; r.rows < MANY; r.rows += 1 << 18) {
    for (int c = 0; c < 2; c++) r.data[(size_t)c * MANY + (size_t)r.rows] = (double)(r.rows + c);
    cps_rows_added(&r, (size_t)2 * sizeof(double) << 18);
  }
  r.rows = MANY;
  cps_rows_release(&r);
  assert_true(cps_rows_grow(&r, MORE));
  for (long i = 0; i < MANY; i += i < FEW ? 1 : 1 << 18)
    for (int c = 0; c < 2; c++) assert_true(cps_result_data(&r, c)[i] == (double)(i + c));
  cps_rows_free(&r);
  assert_null(r.data);
  /* where there is no such folder, memory takes them */
  r = (cps_result){.n_columns = 2, .folder = "there/is/none"};
  assert_true(cps_rows_grow(&r, MANY));
  assert_true(r.mapped == 0);
  cps_rows_free(&r);
}

/* So do events and fields. */
static void test_blocks_in_file(void **state) {
  (void)state;
  enum { FEW = 1 << 10, MANY = 3 << 20, MORE = 4 << 20 };
  size_t mapped = 0;
  int *x = cps_room_grow(".", NULL, &mapped, 0, FEW * sizeof *x);
  assert_true(x && mapped == 0);
  for (int i = 0; i < FEW; i++) x[i] = i;
  x = cps_room_grow(".", x, &mapped, FEW * sizeof *x, MANY * sizeof *x);
  assert_true(x && mapped == MANY * sizeof *x);
  for (int i = FEW; i < MANY; i++) x[i] = i;
  x = cps_room_grow(".", x, &mapped, MANY * sizeof *x, MORE * sizeof *x);
  assert_true(x && mapped == MORE * sizeof *x);
  for (int i = 0; i < MANY; i++) assert_true(x[i] == i);
  /* a folder that has gone: memory takes them again */
  x = cps_room_grow("there/is/none", x, &mapped, MANY * sizeof *x, 2 * MORE * sizeof *x);
  assert_true(x && mapped == 0);
  for (int i = 0; i < MANY; i++) assert_true(x[i] == i);
  cps_room_free(x, mapped);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole),
                                     cmocka_unit_test(live),
                                     cmocka_unit_test(many_columns),
                                     cmocka_unit_test(full_disk),
                                     cmocka_unit_test(killed),
                                     cmocka_unit_test(bad_files),
                                     cmocka_unit_test(test_rows_in_file),
                                     cmocka_unit_test(test_blocks_in_file),
                                     cmocka_unit_test(long_names)};
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/result.h5", folder);
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  remove(path);
  rmdir(folder);
  return failures;
}
