/* column_meanings.c - what every column and field of a result means, in one table. A new column needs a row here; a test compares. */
#include "capstan.h"

#include <stdio.h>
#include <string.h>

#define COLUMN(kind, what, unit, text, sign)                                                                 \
  { kind, what, unit, text, sign, 0, 0 }
#define ON_DRUM(what, unit, text, sign)                                                                      \
  { "cables", what, unit, text, sign, 1, 0 }
#define AT_ENDS(what, unit, before, behind, sign)                                                            \
  COLUMN("cables", what "_start", unit, before " start " behind, sign),                                      \
      COLUMN("cables", what "_end", unit, before " end " behind, sign)
#define FIELD(what, unit, text, sign)                                                                        \
  { "cables", what, unit, text, sign, 0, 1 }

static const cps_column_meaning meanings[] = {
    COLUMN("time", "", "s", "time", ""),

    COLUMN("bodies", "x", "m", "position of body %s",
           "of a body on a line: from its `at`, positive along its `direction`; of one that moves freely: "
           "along x"),
    COLUMN("bodies", "y", "m", "position of body %s along y", ""),
    COLUMN("bodies", "z", "m", "position of body %s along z", "in space only"),
    COLUMN("bodies", "v", "m/s", "velocity of body %s along its line", "positive along its `direction`"),
    COLUMN("bodies", "vx", "m/s", "velocity of body %s along x", ""),
    COLUMN("bodies", "vy", "m/s", "velocity of body %s along y", ""),
    COLUMN("bodies", "vz", "m/s", "velocity of body %s along z", "in space only"),

    COLUMN("surfaces", "x", "m", "position of surface %s",
           "positive along its `direction`; not recorded if its velocity is prescribed beside cables"),
    COLUMN("surfaces", "v", "m/s", "velocity of surface %s", "positive along its `direction`"),

    COLUMN("springs", "force", "N", "tension of spring %s",
           "positive if it pulls its ends together, damping included"),

    COLUMN("contacts", "v", "m/s", "sliding velocity of contact %s",
           "of the first thing of `between` relative to the second, along the first one's line"),
    COLUMN("contacts", "f", "N", "friction force of contact %s",
           "on the first thing of `between`, along its line: negative while it slides forward"),
    COLUMN("contacts", "n", "N", "normal force of contact %s", "positive if it presses"),
    COLUMN(
        "contacts", "f_eq", "N", "balance force of contact %s",
        "the friction that would keep the sliding velocity as it is, signed as f; only of laws that use it"),
    COLUMN("contacts", "slips", "1", "whether contact %s slips", "1 slips, 0 sticks"),
    COLUMN("contacts", "work", "J", "energy dissipated by contact %s", "since the start; grows"),

    COLUMN("bearings", "v", "m/s", "sliding velocity in the bearing of drum %s",
           "rate times the radius of the bearing; positive counterclockwise"),
    COLUMN("bearings", "f", "N", "friction force in the bearing of drum %s",
           "on the drum, at the radius of the bearing: negative while the drum turns counterclockwise"),
    COLUMN("bearings", "n", "N", "normal force in the bearing of drum %s", ""),

    COLUMN("drums", "angle", "rad", "angle of drum %s",
           "positive counterclockwise about its axis, 0 at the start unless it is driven"),
    COLUMN("drums", "rate", "rad/s", "angular velocity of drum %s", "positive counterclockwise"),
    COLUMN("drums", "torque", "N m", "torque of the cables on drum %s",
           "positive counterclockwise; the bearing and the drive are not in it"),
    COLUMN("drums", "drive", "N m", "torque of the drive of drum %s",
           "positive counterclockwise; of a prescribed rotation what its motor must do, inertia times "
           "acceleration less `torque`"),
    COLUMN("drums", "fx", "N", "force of the cables on drum %s along x", ""),
    COLUMN("drums", "fy", "N", "force of the cables on drum %s along y", "negative if they press it down"),
    COLUMN("drums", "fz", "N", "force of the cables on drum %s along z", "in space only"),
    COLUMN("drums", "x", "m", "position of the centre of drum %s along x", "only if it moves"),
    COLUMN("drums", "y", "m", "position of the centre of drum %s along y", "only if it moves"),
    COLUMN("drums", "z", "m", "position of the centre of drum %s along z", "only if it moves, in space"),

    COLUMN("cables", "tension_start", "N", "tension of cable %s at its very start",
           "positive if it pulls; of a belt, in its first element"),
    COLUMN("cables", "tension_end", "N", "tension of cable %s at its very end",
           "positive if it pulls; of a belt, in its last element"),
    COLUMN("cables", "tension_max", "N", "largest tension along cable %s",
           "of any element, or of the ends, at that time"),
    COLUMN("cables", "tension_min", "N", "smallest tension along cable %s",
           "of any element, or of the ends, at that time; negative where it is pushed"),
    AT_ENDS("fx", "N", "force of cable %s at its", "on what it is attached to, along x",
            "on the pin, clamp, rim or body; none of a free end. A mass at the very end belongs to what "
            "holds it"),
    AT_ENDS("fy", "N", "force of cable %s at its", "on what it is attached to, along y",
            "negative if it pulls that down"),
    AT_ENDS("fz", "N", "force of cable %s at its", "on what it is attached to, along z", "in space only"),
    AT_ENDS("mx", "N m", "moment of cable %s at its", "on the clamp, about x", "clamped ends in space only"),
    AT_ENDS("my", "N m", "moment of cable %s at its", "on the clamp, about y", "clamped ends in space only"),
    AT_ENDS("mz", "N m", "moment of cable %s at its", "on the clamp, about z",
            "clamped ends only; positive counterclockwise"),
    COLUMN("cables", "elongation_start", "m", "elongation of cable %s between its start and the pulley",
           "models in few variables only"),
    COLUMN("cables", "elongation_end", "m", "elongation of cable %s between the pulley and its end",
           "models in few variables only"),
    COLUMN("cables", "created_start", "J", "energy that the equations of cable %s create at its start",
           "models in few variables only; since the start of the run"),
    COLUMN("cables", "created_end", "J", "energy that the equations of cable %s create at its end",
           "models in few variables only; since the start of the run"),

    ON_DRUM("wrap", "rad", "angle over which cable %s touches the drum",
            "between its directions before and behind the drum, whatever the mesh; sum of stick_arc and "
            "slip_arc; full turns count"),
    ON_DRUM("stick_arc", "rad", "part of the wrap of cable %s that sticks", ""),
    ON_DRUM("slip_arc", "rad", "part of the wrap of cable %s that slips", ""),
    ON_DRUM("t_in", "N", "tension of cable %s before the drum",
            "where the path of the cable reaches it, whichever way the cable runs"),
    ON_DRUM("t_out", "N", "tension of cable %s behind the drum", "where the path of the cable leaves it"),
    ON_DRUM("normal", "N", "sum of the normal forces between cable %s and the drum",
            "of their sizes, not a resultant: that is drums.NAME.fx and fy"),
    ON_DRUM("friction", "N", "sum of the friction forces of the drum on cable %s",
            "along the rim, positive counterclockwise; on a clockwise wrap about t_out - t_in"),
    ON_DRUM("margin", "1", "margin of cable %s against slipping through",
            "1 - |friction|/(sum of mu N): 1 is without friction, 0 slips all around. Models in few "
            "variables: the part of the wrap that sticks"),
    ON_DRUM("slip_work", "J", "energy that friction of cable %s on the drum dissipates",
            "since the start; grows. Of that, elements of length l that run onto a drum add about mu T "
            "(l/R)^3/24 "
            "per metre with contact at nodes, and lay the cable onto the drum under up to mu T l/R too much "
            "tension, where elastic creep alone is (T1 - T2)^2/(2 EA); contact at `{even: 2}` adds mu T "
            "(l/R)^3/500. A warning says when that is more than a tenth: see theory.md"),
    ON_DRUM("penetration", "m", "penetration of cable %s into the drum",
            "of the deepest contact point; small against the radius if the contact is stiff enough"),
    ON_DRUM("slip_power", "W", "power that friction of cable %s on the drum dissipates",
            "models in few variables only"),

    COLUMN("energy", "kinetic", "J", "kinetic energy", ""),
    COLUMN("energy", "elastic", "J", "elastic energy", "of springs, cables and contacts"),
    COLUMN("energy", "gravity", "J", "potential energy of gravity", "0 where all coordinates are 0"),
    COLUMN("energy", "friction", "J", "energy dissipated by friction",
           "since the start; positive if it is lost"),
    COLUMN("energy", "damping", "J", "energy dissipated by dampers",
           "of springs, cables and contact; since the start"),
    COLUMN("energy", "load_work", "J", "work of loads", "since the start; positive if it is put in"),
    COLUMN("energy", "motion_work", "J", "work of prescribed motions",
           "of surfaces, drums and ends that move as prescribed, and of drives; positive if it is put in"),
    COLUMN("energy", "solver", "J", "energy dissipated by the solver",
           "numerical damping; only if the solver has some"),
    COLUMN("energy", "created", "J", "energy created from nothing",
           "by equations as they are printed; models in few variables only"),
    COLUMN("energy", "error", "J", "closing error of the energy balance",
           "what is stored now, less what was stored at first and what was put in, plus what was lost"),

    FIELD("s", "m", "material coordinate of the nodes of cable %s",
          "unstretched length from its start; constant"),
    FIELD("position", "m", "position of the nodes of cable %s",
          "two components in the plane, three in space"),
    FIELD("tension", "N", "tension of cable %s", "at the nodes; positive if it pulls"),
    FIELD("contact.s", "m", "material coordinate of the contact points of cable %s", "constant"),
    FIELD("contact.normal", "N", "normal force at the contact points of cable %s",
          "of the drum on the cable, outwards"),
    FIELD("contact.friction", "N", "friction force at the contact points of cable %s",
          "of the drum on the cable, positive counterclockwise"),
    FIELD("contact.slip", "m/s", "sliding velocity at the contact points of cable %s",
          "of the cable relative to the rim, positive counterclockwise"),
    FIELD("contact.state", "1", "contact points of cable %s: 0 off, 1 sticks, 2 slips", ""),
    FIELD("contact.drum", "1", "drum that the contact points of cable %s touch, -1 if none",
          "index in the order of the scenario, from 0"),
};

enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

const cps_column_meaning *cps_column_meaning_at(int i) {
  return i >= 0 && i < MEANINGS ? &meanings[i] : NULL;
}

static int is_part(const char *text, const char *name, size_t length) {
  return strlen(text) == length && strncmp(text, name, length) == 0;
}

const cps_column_meaning *cps_column_meaning_find(const char *name, char *thing, size_t size) {
  size_t kind = strcspn(name, ".");
  const char *middle = name[kind] ? name + kind + 1 : name + kind;
  size_t n = strcspn(middle, ".");
  /* "energy.kinetic" and "time" belong to nothing. */
  const char *what = middle[n] ? middle + n + 1 : middle, *drum = strchr(what, '.');
  if (size > 0) snprintf(thing, size, "%.*s", middle[n] ? (int)n : 0, middle);
  const cps_column_meaning *found = NULL;
  for (int i = 0; i < MEANINGS && !found; i++) {
    const cps_column_meaning *m = &meanings[i];
    if (is_part(m->kind, name, kind) && !m->on_drum && strcmp(m->what, what) == 0) found = m;
  }
  for (int i = 0; i < MEANINGS && !found && drum; i++) {
    const cps_column_meaning *m = &meanings[i];
    if (is_part(m->kind, name, kind) && m->on_drum && strcmp(m->what, drum + 1) == 0) found = m;
  }
  return found;
}
