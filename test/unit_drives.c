/* unit_drives.c - the table of drives: every key has its row, and derivatives are those of the torque. */
#include "test.h"

#include "drives.h"
#include "keys.h"
#include "reader.h"

static void every_key_has_a_row(void **state) {
  (void)state;
  assert_true(cps_keys_drive.n <= DRIVE_KEYS);
  for (int i = 0; i < cps_keys_drive.n; i++) {
    const key *k = &cps_keys_drive.keys[i];
    const drum_drive *d = cps_drive_find(k->name);
    if (!d || !d->unit) fail_msg("the drive %s has no row", k->name);
    if (k->unit) assert_string_equal(k->unit, d->unit);
  }
  char words[64];
  snprintf(words, sizeof words, "%s", cps_row(&cps_keys_drums, "drive")->words);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
    const drum_drive *d = cps_drive_find(word);
    if (!d || d->unit) fail_msg("the drive %s has no row", word);
  }
  assert_null(cps_drive_find("pedals"));
}

static double torque_at(const scenario_drum *d, const double *x) {
  scenario_drum moved = *d;
  moved.kp = x[4];
  moved.kd = x[5];
  return cps_drive_torque(&moved, (profile_value){.y = x[2], .y_t = x[3]}, x[0], x[1]).value;
}

static void derivatives_are_exact(void **state) {
  (void)state;
  static const char *const names[] = {"fixed", "free", "rotation", "pd", "torque"};
  rng random = rng_for("drives", 1);
  for (int i = 0; i < 50 * ROWS(names); i++) {
    scenario_drum d = {.drive = cps_drive_find(names[i % ROWS(names)]), .inertia = 1};
    double x[6];
    for (int k = 0; k < 6; k++) x[k] = rng_between(&random, k < 4 ? -2 : 0, 2);
    d.kp = x[4];
    d.kd = x[5];
    drive_torque f = cps_drive_torque(&d, (profile_value){.y = x[2], .y_t = x[3]}, x[0], x[1]);
    const double by[6] = {f.by_angle, f.by_rate, f.by_set, f.by_set_t, f.by_kp, f.by_kd};
    for (int k = 0; k < 6; k++) {
      double up[6], down[6], h = 1e-3; /* linear in each: no error but round-off */
      memcpy(up, x, sizeof x);
      memcpy(down, x, sizeof x);
      up[k] += h;
      down[k] -= h;
      double slope = (torque_at(&d, up) - torque_at(&d, down)) / (2 * h);
      if (!(fabs(slope - by[k]) < 1e-11))
        fail_msg("%s, derivative %d: %g is not %g", d.drive->name, k, by[k], slope);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_key_has_a_row),
                                     cmocka_unit_test(derivatives_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
