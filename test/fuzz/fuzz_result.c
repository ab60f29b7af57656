/* fuzz_result.c - result files whose objects were changed as the input says: the reader of results, in this process. What it gives
 * can be looked at whole, and has nothing of another file. Changes of bytes, which HDF5 itself does not survive, are left to
 * mutate_result.c. */
#include "fuzz_file.h"
#include "fuzz_problems.h"
#include "result_file.h"
#include "seal.h"
#include "strange_result.h"

#include <hdf5.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char machine[] =
    "capstan: 1\ntitle: Small\nbodies: {block: {mass: 1 kg}}\nsurfaces: {belt: {velocity: 1 m/s}}\n"
    "springs: {spring: {between: [ground, block], stiffness: 10 N/m}}\n"
    "contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: "
    "0.7}}}}\n"
    "run: {until: 3 s, output: 0.2 s, solver: events}\n";

/* A finished file, as bytes. */
typedef struct original {
  unsigned char *bytes;
  size_t size;
} original;

static original make_original(fuzz_file *file) {
  original made = {0};
  cps_error err;
  cps_scenario *scenario = cps_scenario_parse(machine, sizeof machine - 1, "fuzz.yaml", NULL, 0, NULL);
  cps_system *system = scenario ? cps_system_new(scenario, &err) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  demand(sim && cps_simulation_run(sim, NULL, NULL, &err) == CPS_OK, "the machine does not run");
  cps_result_source from = {cps_simulation_result(sim), scenario, "complete", "{}"};
  fuzz_file_fill(file, "", 0);
  unlink(file->path);
  demand(cps_result_file_write(file->path, &from, &err) == CPS_OK, "no result file");
  FILE *f = fopen(file->path, "rb");
  demand(f && fseek(f, 0, SEEK_END) == 0, "the result file cannot be read");
  made.size = (size_t)ftell(f);
  made.bytes = malloc(made.size);
  rewind(f);
  demand(made.bytes && fread(made.bytes, 1, made.size, f) == made.size, "the result file cannot be read");
  fclose(f);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(scenario);
  return made;
}

/* The next four bytes of the input; behind its end something that goes on. */
typedef struct choices {
  const uint8_t *data;
  size_t size, at;
  uint32_t state;
} choices;

static uint32_t choose(void *from) {
  choices *c = from;
  if (c->at < c->size) c->state = c->state * 31 + c->data[c->at++];
  c->state = c->state * 1664525u + 1013904223u;
  return c->state >> 8;
}

static int is_secret(const void *bytes, size_t size) {
  for (size_t i = 0; i + 12 <= size; i++)
    if (memcmp((const char *)bytes + i, "SECRETSECRET", 12) == 0) return 1;
  return 0;
}

static void look_at(const cps_result *r) {
  long rows = cps_result_rows(r), frames = cps_result_frames(r);
  for (int c = 0; c < cps_result_columns(r); c++) {
    const double *x = cps_result_data(r, c);
    demand(!x || !is_secret(x, (size_t)rows * sizeof *x), "a column of another file");
    demand(strlen(cps_result_name(r, c)) < 1000 && strlen(cps_result_unit(r, c)) < 1000, "a long name");
  }
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    const double *x = cps_result_field_data(r, i);
    size_t n = (size_t)f->points * (size_t)f->components * (size_t)(f->constant ? 1 : frames);
    demand(!x || !is_secret(x, n * sizeof *x), "a field of another file");
  }
  for (long i = 0; i < cps_result_events(r); i++) {
    const cps_event *e = cps_result_event(r, i);
    demand(memchr(e->what, 0, sizeof e->what) && strlen(e->contact_name) < 1000, "an event without end");
  }
  static const char *const texts[] = {"status", "summary", "title", "scenario"};
  for (int i = 0; i < 4; i++) {
    const char *text = cps_result_text(r, texts[i]);
    demand(!text || !is_secret(text, strlen(text)), "a text of another file");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_file file;
  static char victim[220];
  static original finished;
  if (!finished.bytes) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    finished = make_original(&file);
    snprintf(victim, sizeof victim, "%s/victim", FUZZ_FOLDER);
  }
  choices input = {data, size, 0, 1};
  strange_source source = {choose, &input, 24};
  cps_strange_use(&source);
  FILE *f = fopen(file.path, "wb");
  demand(f && fwrite(finished.bytes, 1, finished.size, f) == finished.size && fclose(f) == 0,
         "no room for a file");
  cps_strange_change(file.path, victim);
  demand(cps_seal_write(file.path), "no seal");
  cps_error err = {0};
  cps_result *r = cps_result_load(file.path, &err);
  if (r)
    look_at(r);
  else
    demand(err.text[0], "refused without a word");
  cps_result_free(r);
  return 0;
}
