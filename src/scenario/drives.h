/* drives.h - what turns drums, as rows of a table: see drives.c. */
#ifndef CPS_DRIVES_H
#define CPS_DRIVES_H

#include "scenario.h"

/* What a drive does on a drum, and its derivatives: by the drum's angle and rate, by what it is told and the rate of that, and by
 * its gains. */
typedef struct drive_torque {
  double value, by_angle, by_rate, by_set, by_set_t, by_kp, by_kd;
} drive_torque;

enum {
  DRIVE_PRESCRIBES = 1,    /* what it is told is the angle */
  DRIVE_TURNS = 2,         /* a drum with inertia moves under its torque */
  DRIVE_NEEDS_INERTIA = 4, /* and one without cannot */
  DRIVE_LEADS = 8, /* it is told an angle to go to; without inertia its torque is the angular acceleration */
  DRIVE_RELEASES = 16 /* nothing but cables turns or holds the drum, in statics neither */
};

struct drum_drive {
  const char *name, *unit; /* as scenarios name it; unit of what it is told, NULL: nothing */
  const char *does;        /* of a drum: "turns freely" */
  unsigned traits;
  /* NULL: none. `set` is what it is told, now. */
  drive_torque (*torque)(const scenario_drum *d, profile_value set, double angle, double rate);
};

const drum_drive *cps_drive_find(const char *name); /* NULL: there is none */

/* A drum of zeros, without a drive, is fixed. */
static inline int cps_drive_is(const scenario_drum *d, unsigned traits) {
  return d->drive && (d->drive->traits & traits) != 0;
}
/* Torque of the drive of a drum; zero if it has none. */
static inline drive_torque cps_drive_torque(const scenario_drum *d, profile_value set, double angle,
                                            double rate) {
  drive_torque none = {0};
  return d->drive && d->drive->torque ? d->drive->torque(d, set, angle, rate) : none;
}
/* Whether a drum's angle is an unknown: it has inertia, and its motion is not given. */
static inline int cps_drum_is_free(const scenario_drum *d) {
  return d->inertia > 0 && cps_drive_is(d, DRIVE_TURNS);
}
/* Whether its controller leads it, and it is no unknown: its angle and rate are a state of their own. */
static inline int cps_drum_is_led(const scenario_drum *d) {
  return d->inertia == 0 && cps_drive_is(d, DRIVE_LEADS);
}

#endif
