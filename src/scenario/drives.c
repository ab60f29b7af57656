/* drives.c - the drives of drums. To add one: a row here, and its key in keys_cable.c. */
#include "drives.h"

#include <string.h>

/* Westin (31): kp (setpoint - angle) + kd (its rate - rate). */
static drive_torque controlled(const scenario_drum *d, profile_value set, double angle, double rate) {
  double behind = set.y - angle, slower = set.y_t - rate;
  return (drive_torque){d->kp * behind + d->kd * slower, -d->kp, -d->kd, d->kp, d->kd, behind, slower};
}

static drive_torque given(const scenario_drum *d, profile_value set, double angle, double rate) {
  (void)d, (void)angle, (void)rate;
  return (drive_torque){.value = set.y, .by_set = 1};
}

static const drum_drive drives[] = {
    {"fixed", NULL, "is fixed", 0, NULL},
    {"free", NULL, "turns freely", DRIVE_TURNS | DRIVE_NEEDS_INERTIA | DRIVE_RELEASES, NULL},
    {"rotation", "rad", "turns as prescribed", DRIVE_PRESCRIBES, NULL},
    {"pd", "rad", "is turned by a controller", DRIVE_TURNS | DRIVE_LEADS, controlled},
    {"torque", "N m", "is driven by a torque", DRIVE_TURNS | DRIVE_NEEDS_INERTIA, given},
};

const drum_drive *cps_drive_find(const char *name) {
  for (size_t i = 0; i < sizeof drives / sizeof drives[0]; i++)
    if (strcmp(drives[i].name, name) == 0) return &drives[i];
  return NULL;
}
