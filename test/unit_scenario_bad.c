/* unit_scenario_bad.c - every file of scenario_bad/ is refused with the problems that it announces.
 *
 * The first lines of a file say what to expect, in order and complete:
 *   # set: path=value         a setting to read it with
 *   # expect: 4:17: bodies.block.mass: found "-1 kg"...    line, column, path, and how the sentence starts
 * A problem in another file, or in a setting, has the name of that before the line. What the reader does not see is
 * found when a system is made of the scenario. Files that are large or deep are made by the tests at the end.
 */
#include "test.h"

#include <dirent.h>
#include <time.h>

enum { LINES_MOST = 16, LINE_SIZE = 512 };

/* What the head of a file says. */
typedef struct announcement {
  char expect[LINES_MOST][LINE_SIZE];
  char set[LINES_MOST][LINE_SIZE];
  const char *settings[LINES_MOST];
  int n_expect, n_set;
} announcement;

static char *folder(void) {
  static char path[1024];
  const char *root = getenv("SOURCE_DIR");
  snprintf(path, sizeof path, "%s/test/scenario_bad/", root ? root : ".");
  return path;
}

static void read_announcement(const char *path, announcement *a) {
  char line[LINE_SIZE];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  memset(a, 0, sizeof *a);
  while (fgets(line, sizeof line, file) && line[0] == '#') {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "# expect: ", 10) == 0 && a->n_expect < LINES_MOST)
      snprintf(a->expect[a->n_expect++], LINE_SIZE, "%s", line + 10);
    if (strncmp(line, "# set: ", 7) == 0 && a->n_set < LINES_MOST) {
      snprintf(a->set[a->n_set], LINE_SIZE, "%s", line + 7);
      a->settings[a->n_set] = a->set[a->n_set];
      a->n_set++;
    }
  }
  fclose(file);
}

/* A problem in the words of an announcement. */
static void problem_line(const cps_error *e, const char *path, char *line, size_t size) {
  char place[400] = "";
  const char *file = e->file;
  size_t n = strlen(folder());
  if (strncmp(file, folder(), n) == 0) file += n;
  if (strcmp(e->file, path) != 0) snprintf(place, sizeof place, "%s:", file);
  snprintf(line, size, "%s%d:%d: %s%s%s", place, e->line, e->column, e->key, e->key[0] ? ": " : "", e->text);
  /* Included files are told with the folder, too. */
  for (char *s = strstr(line, folder()); s; s = strstr(line, folder())) memmove(s, s + n, strlen(s + n) + 1);
}

/* A system is refused with one of the problems, word for word and at the same place. */
static void refuses_the_same(const cps_scenario *s, const cps_problems *problems) {
  cps_error err = {0};
  assert_null(cps_system_new(s, &err));
  assert_null(cps_system_new(s, NULL));
  assert_int_equal(cps_system_check(s, NULL), CPS_BAD_INPUT);
  int same = 0;
  for (int i = 0; i < cps_problems_count(problems); i++) {
    const cps_error *e = cps_problems_at(problems, i);
    same += strcmp(e->text, err.text) == 0 && strcmp(e->key, err.key) == 0 && e->line == err.line &&
            e->column == err.column && strcmp(e->file, err.file) == 0 && strcmp(e->source, err.source) == 0;
  }
  if (same != 1) fail_msg("%s:%d:%d: %s: %s", err.file, err.line, err.column, err.key, err.text);
}

static int check_file(const char *name) {
  char path[1200], line[1200];
  announcement a;
  snprintf(path, sizeof path, "%s%s", folder(), name);
  read_announcement(path, &a);
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_load(path, a.settings, a.n_set, &problems);
  if (s && cps_system_check(s, &problems) != CPS_OK) {
    refuses_the_same(s, problems);
    cps_scenario_free(s);
    s = NULL;
  }
  int n = cps_problems_count(problems), bad = s != NULL || n != a.n_expect || n == 0;
  for (int i = 0; i < n || i < a.n_expect; i++) {
    if (i < n) problem_line(cps_problems_at(problems, i), path, line, sizeof line);
    int same = i < n && i < a.n_expect && strncmp(line, a.expect[i], strlen(a.expect[i])) == 0;
    if (!same && !bad) bad = 1;
    if (!same)
      print_error("%s\n  expected: %s\n  found:    %s\n", name, i < a.n_expect ? a.expect[i] : "nothing",
                  i < n ? line : "nothing");
  }
  /* Each can be shown, with the line and a caret under it. */
  for (int i = 0; i < n; i++) {
    const cps_error *e = cps_problems_at(problems, i);
    char text[2048];
    assert_true(cps_problem_text(e, text, sizeof text) < (int)sizeof text);
    assert_true(strstr(text, e->text) != NULL);
    if (e->source[0]) assert_true(text[strlen(text) - 1] == '^');
  }
  cps_scenario_free(s);
  cps_problems_free(problems);
  return bad;
}

static void test_files(void **state) {
  (void)state;
  DIR *dir = opendir(folder());
  assert_non_null(dir);
  int n = 0, bad = 0;
  for (struct dirent *e; (e = readdir(dir));) {
    size_t length = strlen(e->d_name);
    if (length < 5 || strcmp(e->d_name + length - 5, ".yaml") != 0) continue;
    bad += check_file(e->d_name);
    n++;
  }
  closedir(dir);
  print_message("%d broken scenarios\n", n);
  assert_int_equal(bad, 0);
  assert_true(n >= 280);
}

/* ------------------------------------------------------------------ made here */

/* Text that grows. */
typedef struct text {
  char *s;
  size_t n, room;
} text;

static void add(text *t, const char *format, ...) {
  char piece[400];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  assert_true(n >= 0 && (size_t)n < sizeof piece);
  while (t->n + (size_t)n + 1 > t->room) {
    t->room = t->room ? 2 * t->room : 4096;
    t->s = realloc(t->s, t->room);
    assert_non_null(t->s);
  }
  memcpy(t->s + t->n, piece, (size_t)n + 1);
  t->n += (size_t)n;
}

static void repeat_text(text *t, const char *piece, int n) {
  for (int i = 0; i < n; i++) add(t, "%s", piece);
}

/* Parses and frees the text, which must be refused within seconds; the first problem starts as given. */
static void refuse(text *t, const char *expect) {
  char line[1200];
  cps_problems *problems = NULL;
  clock_t start = clock();
  cps_scenario *s = cps_scenario_parse(t->s, t->n, "made.yaml", NULL, 0, &problems);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_null(s);
  assert_true(cps_problems_count(problems) >= 1);
  problem_line(cps_problems_at(problems, 0), "made.yaml", line, sizeof line);
  if (strncmp(line, expect, strlen(expect)) != 0) fail_msg("expected: %s\nfound:    %s", expect, line);
  assert_true(seconds < 20);
  cps_problems_free(problems);
  free(t->s);
}

static void test_deep(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\ntitle: ");
  repeat_text(&t, "[", 100000);
  refuse(&t, "2:71: values are nested more than 64 levels deep");
  t = (text){0};
  add(&t, "capstan: 1\na: ");
  repeat_text(&t, "{a: ", 100000);
  refuse(&t, "2:");
  t = (text){0};
  for (int i = 0; i < 2000; i++) {
    repeat_text(&t, " ", i);
    add(&t, "a:\n");
  }
  refuse(&t, "65:65: values are nested more than 64 levels deep");
  t = (text){0};
  repeat_text(&t, "- ", 100000);
  refuse(&t, "1:129: values are nested more than 64 levels deep");
  t = (text){0};
  repeat_text(&t, "? ", 100000);
  refuse(&t, "1:");
}

/* A chain of aliases is as deep as what it stands for. */
static void test_deep_by_aliases(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\nx:\n  - &a0 [1]\n");
  for (int i = 1; i < 100; i++) add(&t, "  - &a%d [*a%d]\n", i, i - 1);
  refuse(&t, "64:10: values are nested more than 64 levels deep");
}

/* A billion laughs, as profiles and as templates: few values that would expand to too many. */
static void test_laughs(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\nbodies: {b: {mass: 1}}\nprofiles:\n  p0: 1 N\n");
  for (int i = 1; i < 40; i++) add(&t, "  p%d: {sum: [p%d, p%d, p%d, p%d]}\n", i, i - 1, i - 1, i - 1, i - 1);
  add(&t, "loads: {f: {on: b, force: p25}}\nrun: {until: 1}\n");
  refuse(&t, "4:7: profiles.p0: all profiles together");
  t = (text){0};
  add(&t, "capstan: 1\nx:\n  - &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
  for (int i = 1; i < 30; i++) {
    add(&t, "  - &a%d [", i);
    for (int k = 0; k < 10; k++) add(&t, "%s*a%d", k ? ", " : "", i - 1);
    add(&t, "]\n");
  }
  add(&t, "repeat: [{count: 10, bodies: {\"b{i}\": {mass: 1, at: *a29}}}]\nrun: {until: 1}\n");
  refuse(&t, "2:1: x: there is no key \"x\"");
}

/* Merging the same large map into many small ones costs more than the file shows. */
static void test_merges(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\nx: &x {");
  for (int i = 0; i < 20000; i++) add(&t, "k%d: 1, ", i);
  add(&t, "}\ny:\n");
  for (int i = 0; i < 20000; i++) add(&t, "  - {<<: *x}\n");
  refuse(&t, "201:5: here the scenario grows beyond 4 million values");
}

static void test_many_problems(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\nbodies:\n");
  for (int i = 0; i < 100000; i++) add(&t, "  b%d: {mass: -1, x: y}\n", i);
  add(&t, "run: {until: 1}\n");
  cps_problems *problems = NULL;
  assert_null(cps_scenario_parse(t.s, t.n, "made.yaml", NULL, 0, &problems));
  assert_int_equal(cps_problems_count(problems), 51);
  assert_int_equal(cps_problems_at(problems, 0)->line, 3);
  assert_int_equal(cps_problems_at(problems, 49)->line, 27);
  assert_string_equal(cps_problems_at(problems, 50)->text, "and 199950 more problems");
  cps_problems_free(problems);
  free(t.s);
}

/* Names that are not there, among many that are. */
static void test_many_dangling(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\nbodies:\n");
  for (int i = 0; i < 20000; i++) add(&t, "  body%d: {mass: 1}\n", i);
  add(&t, "springs:\n");
  for (int i = 0; i < 20000; i++) add(&t, "  s%d: {between: [bdoy%d, ground], stiffness: 1}\n", i, i);
  add(&t, "run: {until: 1}\n");
  refuse(&t,
         "20004:18: springs.s0.between.0: there is no body or surface \"bdoy0\"; did you mean \"body0\"?");
}

/* One line of 10 MB with a mistake near its end. */
static void test_long_line(void **state) {
  (void)state;
  text t = {0};
  add(&t, "capstan: 1\nrun: {until: 1}\nbodies: {");
  for (int i = 0; i < 250000; i++) add(&t, "b%d: {mass: 1 kg, x: %d mm}, ", i, i);
  add(&t, "last: {mass: 0}}\n");
  assert_true(t.n > 8000000);
  cps_problems *problems = NULL;
  assert_null(cps_scenario_parse(t.s, t.n, "made.yaml", NULL, 0, &problems));
  assert_int_equal(cps_problems_count(problems), 1);
  const cps_error *e = cps_problems_at(problems, 0);
  assert_string_equal(e->key, "bodies.last.mass");
  assert_int_equal(e->column, (int)(strchr(t.s, '}') + 1 + strlen("\nbodies: {") - t.s) > 0 ? e->column : 0);
  assert_true(e->column > 8000000);
  /* The caret stands under the zero. */
  char shown[2048];
  cps_problem_text(e, shown, sizeof shown);
  char *line = strstr(shown, "| ..."), *caret = strrchr(shown, '^');
  assert_true(line && caret);
  assert_int_equal(line[caret - strrchr(shown, '|')], '0');
  cps_problems_free(problems);
  free(t.s);
}

static void test_too_large(void **state) {
  (void)state;
  size_t n = (size_t)65 << 20;
  char *zeros = calloc(n, 1);
  assert_non_null(zeros);
  cps_problems *problems = NULL;
  assert_null(cps_scenario_parse(zeros, n, "made.yaml", NULL, 0, &problems));
  assert_int_equal(cps_problems_count(problems), 1);
  assert_string_equal(cps_problems_at(problems, 0)->text, "this is larger than 64 MB");
  cps_problems_free(problems);
  free(zeros);
}

static void test_no_file(void **state) {
  (void)state;
  cps_problems *problems = NULL;
  assert_null(cps_scenario_load("no/such/file.yaml", NULL, 0, &problems));
  assert_int_equal(cps_problems_count(problems), 1);
  assert_int_equal(cps_problems_at(problems, 0)->status, CPS_IO);
  char text_of[400];
  cps_problem_text(cps_problems_at(problems, 0), text_of, sizeof text_of);
  assert_string_equal(text_of, "no/such/file.yaml: there is no such file");
  cps_problems_free(problems);
  assert_null(cps_scenario_load(folder(), NULL, 0, &problems));
  assert_string_equal(cps_problems_at(problems, 0)->text, "it is a folder, not a file");
  cps_problems_free(problems);
  assert_null(cps_scenario_load(NULL, NULL, 0, NULL));
  assert_null(cps_scenario_parse(NULL, 0, NULL, NULL, 0, NULL));
  cps_scenario_free(NULL);
  cps_problems_free(NULL);
  assert_int_equal(cps_problems_count(NULL), 0);
  assert_null(cps_problems_at(NULL, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files),           cmocka_unit_test(test_deep),
      cmocka_unit_test(test_deep_by_aliases), cmocka_unit_test(test_laughs),
      cmocka_unit_test(test_merges),          cmocka_unit_test(test_many_problems),
      cmocka_unit_test(test_many_dangling),   cmocka_unit_test(test_long_line),
      cmocka_unit_test(test_too_large),       cmocka_unit_test(test_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
