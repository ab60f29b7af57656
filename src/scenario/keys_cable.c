/* keys_cable.c - the tables of keys of drums and cables: see keys.h. */
#include "keys_rows.h"

/* ------------------------------------------------------------------ drums */

static const key components[] = {
    {"x", KEY_PROFILE, UNIT_OF_PLACE, .otherwise = "0", .where = offsetof(raw_components, component[0]),
     .example = "{sine: {amplitude: 1, omega: 2 rad/s}}", .meaning = "along x, over time"},
    {"y", KEY_PROFILE, UNIT_OF_PLACE, .otherwise = "0", .where = offsetof(raw_components, component[1]),
     .example = "{sine: {amplitude: 1, omega: 2 rad/s}}", .meaning = "along y, over time"},
    {"z", KEY_PROFILE, UNIT_OF_PLACE, .otherwise = "0", .where = offsetof(raw_components, component[2]),
     .example = "{sine: {amplitude: 1, omega: 2 rad/s}}", .meaning = "along z, over time; in space"},
};

const key_table cps_keys_components = TABLE(
    "components", "the components of a vector over time", components,
    "A vector over time: a profile for each component that is not 0.");

static const key pd[] = {
    {"kp", KEY_QUANTITY, "1/s2", .required = 1, NOT_NEG, .where = offsetof(raw_pd, kp), .example = "400",
     .meaning = "angular acceleration per angle; of a drum with inertia the torque per angle [N m/rad]"},
    {"kd", KEY_QUANTITY, "1/s", NOT_NEG, .where = offsetof(raw_pd, kd), .example = "40",
     .meaning = "the same per angular velocity; of a drum with inertia [N m s/rad]"},
    {"setpoint", KEY_PROFILE, "rad", .required = 1, .where = offsetof(raw_pd, setpoint),
     .example = "{cycloid: {amplitude: 45 deg, duration: 10 s}}", .meaning = "the wanted angle, over time"},
};

const key_table cps_keys_pd = TABLE("pd", "a PD controller", pd,
                                    "A controller that turns the drum to an angle: acceleration (without "
                                    "inertia) or torque kp (setpoint - angle) + kd (its rate - rate).");

static const key drive[] = {
    {"rotation", KEY_PROFILE, "rad", .where = offsetof(raw_drive, told[0]),
     .example = "{ramp: {rate: 1 rad/s}}", .meaning = "turns as prescribed: the angle over time"},
    {"pd", KEY_MAP, .table = &cps_keys_pd, .where = offsetof(raw_drive, told[1]),
     .example = "{kp: 400, kd: 40, setpoint: 45 deg}", .meaning = "is turned to an angle by a controller"},
    {"torque", KEY_PROFILE, "N m", .where = offsetof(raw_drive, told[2]), .example = "50 N m",
     .meaning = "is driven by a torque over time, and needs inertia"},
};

const key_table cps_keys_drive = TABLE("drive", "a drive", drive,
                                       "What turns a drum: `fixed`, `free`, or one of these.");

static const key bearing[] = {
    {"friction", KEY_FRICTION, .required = 1, .where = offsetof(raw_bearing, friction),
     .example = "{coulomb: {mu: 0.1}}", .meaning = "the friction law and its parameters"},
    {"radius", KEY_QUANTITY, "m", .required = 1, POSITIVE, .where = offsetof(raw_bearing, radius),
     .example = "20 mm", .meaning = "radius at which it rubs"},
    {"load", KEY_AMOUNT, "N", .words = "cable", .value = -1, .second = -1, .otherwise = "`cable`", NOT_NEG,
     .where = offsetof(raw_bearing, load), .example = "500 N",
     .meaning = "normal force in it; `cable` takes what the cables press on the drum"},
};

const key_table cps_keys_bearing = TABLE("bearing", "a bearing", bearing,
                                         "Friction in the bearing of a drum that turns by itself.");

static const key drums[] = {
    {"radius", KEY_QUANTITY, "m", .required = 1, POSITIVE, .where = offsetof(raw_drum, radius),
     .example = "250 mm", .meaning = "radius of the cable's centre line on it"},
    {"center", KEY_VECTOR, "m", ANY, .where = offsetof(raw_drum, center), .example = "[0, 2 m]",
     .meaning = "its centre when the run starts; in space a point on its axis. A drum that is carried by a "
                "body sits "
                "on it unless this says otherwise"},
    {"axis", KEY_AXIS, "1", ANY, .third = 1, .where = offsetof(raw_drum, axis), .example = "[0, 1, 0]",
     .meaning = "its axis, in space; its length does not matter. Angles count counterclockwise about it"},
    {"drive", KEY_CHOICE, .words = "fixed free", .table = &cps_keys_drive, .otherwise = "`fixed`",
     .where = offsetof(raw_drum, drive), .example = "{rotation: {ramp: {rate: 1 rad/s}}}",
     .meaning = "what turns it: `fixed` nothing ever does, `free` only the cables (which needs inertia), "
                "`{rotation: ...}` an angle over time, `{torque: ...}` a torque (which needs inertia), "
                "`{pd: ...}` a controller"},
    {"inertia", KEY_QUANTITY, "kg m2", POSITIVE, .otherwise = "none", .where = offsetof(raw_drum, inertia),
     .example = "0.1 kg m2", .meaning = "moment of inertia about the axis"},
    {"rate", KEY_QUANTITY, "rad/s", ANY, .where = offsetof(raw_drum, rate), .example = "10 rpm",
     .meaning = "initial angular velocity, of drums with inertia"},
    {"bearing", KEY_MAP, .table = &cps_keys_bearing, .otherwise = "without friction",
     .where = offsetof(raw_drum, bearing), .example = "{friction: {coulomb: {mu: 0.1}}, radius: 20 mm}",
     .meaning = "friction in its bearing; needs inertia"},
    {"moved", KEY_MAP, "m", .table = &cps_keys_components, .otherwise = "the centre stays",
     .where = offsetof(raw_drum, moved), .example = "{y: {sine: {amplitude: 1 m, frequency: 0.1 Hz}}}",
     .meaning = "displacement of the centre, over time"},
    {"carried_by", KEY_TEXT, .otherwise = "nothing", .where = offsetof(raw_drum, carried_by),
     .example = "hook",
     .meaning =
         "the body that carries the centre, which keeps its distance from it. A body that says "
         "nothing about its "
         "place moves freely, and starts at the centre of the drum; if that is not said either, where the "
         "lengths of cables around its drums let it rest, or else at the origin"},
};

const key_table cps_keys_drums = TABLE(
    "drums", "a drum", drums, "Pulleys, drums and winches: circles in the plane, cylinders in space.");

/* ------------------------------------------------------------------ paths */

#define PLACE(meaning_)                                                                                      \
  {                                                                                                          \
    "at", KEY_VECTOR, "m", ANY, .otherwise = "as the path says", .where = offsetof(raw_place, at),           \
                                .example = "[0, 2 m]", .meaning = meaning_                                   \
  }
#define MOVED                                                                                                \
  {                                                                                                          \
    "moved", KEY_MAP, "m",                                                                                   \
        .table = &cps_keys_components, .otherwise = "it stays", .where = offsetof(raw_place, moved),         \
        .example = "{y: {sine: {amplitude: 1 m, frequency: 0.1 Hz}}}", .meaning = "displacement over time"   \
  }

static const key end_free[] = {
    PLACE("where it is at the start"),
    {"force", KEY_MAP, "N", .table = &cps_keys_components, .otherwise = "none",
     .where = offsetof(raw_place, force), .example = "{y: -100 N}", .meaning = "force on it, over time"},
};
static const key end_pinned[] = {PLACE("where it is held"), MOVED};
static const key end_clamped[] = {
    PLACE("where it is held"),
    {"direction", KEY_VECTOR, "1", ANY, .otherwise = "as the path says",
     .where = offsetof(raw_place, direction), .example = "[1, 0]",
     .meaning = "direction of the cable there, from its start towards its end; its length does not matter"},
    MOVED};

const key_table cps_keys_end_free = TABLE("end-free", "a free end", end_free,
                                          "An end that nothing holds, and a force may pull.");
const key_table cps_keys_end_pinned = TABLE("end-pinned", "a pinned end", end_pinned,
                                            "An end held at a point, free to turn.");
const key_table cps_keys_end_clamped = TABLE("end-clamped", "a clamped end", end_clamped,
                                             "An end held at a point and in its direction.");

static const key ends[] = {
    {"body", KEY_TEXT, .where = offsetof(raw_end, name), .example = "load",
     .meaning = "on a body; its name alone means the same"},
    {"free", KEY_PLACE, "m", ANY, .table = &cps_keys_end_free, .where = offsetof(raw_end, place),
     .example = "[0, -1 m]", .meaning = "held by nothing; `free` alone lets the path say where it is"},
    {"pinned", KEY_PLACE, "m", ANY, .table = &cps_keys_end_pinned, .where = offsetof(raw_end, place),
     .example = "[0, 2 m]", .meaning = "held at a point, free to turn"},
    {"clamped", KEY_PLACE, "m", ANY, .table = &cps_keys_end_clamped, .where = offsetof(raw_end, place),
     .example = "{at: [0, 0], direction: [1, 0]}", .meaning = "held at a point and in its direction"},
    {"rim", KEY_TEXT, .where = offsetof(raw_end, name), .example = "winch",
     .meaning = "fixed to the rim of a drum; the item next to it says how much is wound on that drum"},
};

const key_table cps_keys_ends = TABLE("ends", "an end of a cable", ends,
                                      "The ends of a cable: the first and the last entry of its path.");

static const key path[] = {
    {"hang", KEY_AMOUNT, "m", .words = "rest", POSITIVE, .where = offsetof(raw_item, length),
     .example = "1 m",
     .meaning = "straight along gravity for a length; `rest` takes what the cable's `length` leaves"},
    {"over", KEY_TEXT, .where = offsetof(raw_item, drum), .example = "pulley",
     .meaning = "around a drum, on the side against gravity"},
    {"under", KEY_TEXT, .where = offsetof(raw_item, drum), .example = "pulley",
     .meaning = "around a drum, on the side along gravity"},
    {"around", KEY_TEXT, .where = offsetof(raw_item, drum), .example = "pulley",
     .meaning = "around a drum in the direction that `turn` says"},
    {"to", KEY_VECTOR, "m", ANY, .otherwise = "none", .where = offsetof(raw_item, vector),
     .example = "[1 m, 0]", .meaning = "straight to a point"},
    {"along", KEY_VECTOR, "1", ANY, .otherwise = "none", .where = offsetof(raw_item, vector),
     .example = "[1, 0]", .meaning = "straight in a direction, whose length does not matter, for `length`"},
    {"length", KEY_QUANTITY, "m", POSITIVE, .otherwise = "what the cable's `length` leaves",
     .where = offsetof(raw_item, length), .example = "3 m", .meaning = "how far, with `along`"},
    {"turn", KEY_WORD, .words = "clockwise counterclockwise", .value = -1,
     .otherwise = "as over, under and the neighbours say", .where = offsetof(raw_item, turn),
     .example = "clockwise",
     .meaning = "how it goes around the drum, seen against the drum's axis: in the plane as drawn"},
    {"turns", KEY_INTEGER, .min = 0, .max = 1000, .where = offsetof(raw_item, turns), .example = "2",
     .meaning = "full turns on top of what the neighbours give"},
    {"pitch", KEY_QUANTITY, "m", ANY, .where = offsetof(raw_item, pitch), .example = "10 mm",
     .meaning = "shift along the drum's axis per turn, in space"},
};

const key_table cps_keys_path = TABLE(
    "path", "an item of a path", path,
    "What lies between the ends: each item has one of `hang`, `over`, `under`, `around`, `to` and `along`.");

/* ------------------------------------------------------------------ cables */

static const key contact_points[] = {
    {"quadrature", KEY_INTEGER, .min = 1, .max = 5, .where = offsetof(raw_contact_points, quadrature),
     .example = "2", .meaning = "at Gauss points, that many in each element"},
    {"even", KEY_INTEGER, .min = 1, .max = 5, .where = offsetof(raw_contact_points, even), .example = "2",
     .meaning =
         "at that many points in each element, equally far from each other along the cable: what runs onto a "
         "drum then shakes least"},
};

const key_table cps_keys_contact_points = TABLE("contact-points", "where a cable touches", contact_points,
                                                "Where contact is looked for along a cable.");

static const key touching[] = {
    {"at", KEY_CHOICE, .words = "nodes quadrature", .table = &cps_keys_contact_points,
     .otherwise = "`{even: 2}`", .where = offsetof(raw_cable_contact, at), .example = "nodes",
     .meaning =
         "where contact is looked for: at points of each element that are equally far from each other "
         "(`{even: 2}`), at Gauss points (`quadrature` alone means two), or at the nodes, which takes half "
         "of the time, but adds slip work of its own where elements run onto a drum (theory.md)"},
    {"drums", KEY_NAMES, .words = "all", .otherwise = "those of the path",
     .where = offsetof(raw_cable_contact, drums), .example = "[pulley, winch]",
     .meaning = "the drums that the cable may touch, or `all`"},
    {"normal", KEY_PRESSING, .required = 1, .where = offsetof(raw_cable_contact, normal),
     .example = "{hunt-crossley: {stiffness: 1e9, exponent: 1.5, damping: 1}}",
     .meaning =
         "the law of normal contact and its parameters; its stiffness and force are per length of "
         "cable (so N/m becomes N/m2), or those of a node (see `per`). Stiffness per length that is left "
         "out is that at which a cable under a thousandth of EA sinks into the smallest of its drums by a "
         "thousandth of the radius; derivatives hold it"},
    {"per", KEY_WORD, .words = "length node", .value = -1,
     .otherwise = "`node` with `at: nodes`, else `length`", .where = offsetof(raw_cable_contact, per),
     .example = "length",
     .meaning = "with `at: nodes`: whether stiffness and force of `normal` are those of each node, as in "
                "papers, whatever "
                "the length of its elements, or per length of cable, as everywhere else"},
    {"friction", KEY_FRICTION, .required = 1, .where = offsetof(raw_cable_contact, friction),
     .example = "{quinn: {mu: 0.25, epsilon: 10 mm/s}}", .meaning = "the friction law and its parameters"},
    {"reading", KEY_WORD, .words = "consistent all-stick", .where = offsetof(raw_cable_contact, reading),
     .example = "all-stick",
     .meaning =
         "of laws that need balance forces: consistent with the contacts that slip (Quinn 3.3), or those of "
         "the problem in which all contacts stick (Westin)"},
};

const key_table cps_keys_cable_contact = TABLE("cable-contact", "the contact of a cable", touching,
                                               "How a cable touches drums, and rubs on them.");

static const key damping[] = {
    {"rayleigh", KEY_QUANTITY, "N s", NOT_NEG, .where = offsetof(scenario_cable, rayleigh),
     .example = "10 N s", .meaning = "Westin's damping (18), of all motion; it brakes rigid rotation, too"},
    {"axial", KEY_QUANTITY, "N s", NOT_NEG, .where = offsetof(scenario_cable, axial_damping),
     .example = "100 N s", .meaning = "force per rate of strain"},
    {"bending", KEY_QUANTITY, "N m2 s", NOT_NEG, .where = offsetof(scenario_cable, bending_damping),
     .example = "0.01 N m2 s", .meaning = "moment per rate of curvature"},
};

static const key quadrature[] = {
    {"axial", KEY_INTEGER, .value = 3, .min = 1, .max = 5, .where = offsetof(raw_quadrature, axial),
     .example = "3", .meaning = "Gauss points of the axial force; fewer lessen membrane locking"},
    {"bending", KEY_INTEGER, .value = 3, .min = 1, .max = 5, .where = offsetof(raw_quadrature, bending),
     .example = "3", .meaning = "Gauss points of the bending moment"},
};

static const key mesh[] = {
    {"size", KEY_QUANTITY, "m", .required = 1, POSITIVE, .where = offsetof(scenario_cable, size),
     .example = "50 mm", .meaning = "longest element"},
    {"on_drums", KEY_QUANTITY, "m", POSITIVE, .otherwise = "size",
     .where = offsetof(scenario_cable, drum_size), .example = "10 mm",
     .meaning = "longest element on drums, and along what is hauled onto them in the run by drums that are "
                "turned as prescribed or by a controller, and by ends that are moved"},
    {"growth", KEY_QUANTITY, "1", .value = 1.3, .min = 1, .max = 10, .above = 1,
     .where = offsetof(scenario_cable, growth), .example = "1.3",
     .meaning = "largest ratio of the lengths of neighbours"},
    {"follow", KEY_FLAG, .where = offsetof(scenario_cable, follows), .example = "true",
     .meaning =
         "whether the short elements follow the drums while the cable runs over them, so that the cost "
         "depends on how much of it is bent and not on its length"},
    {"spare", KEY_INTEGER, .min = 0, .max = 1e6, .otherwise = "chosen",
     .where = offsetof(scenario_cable, spare), .example = "100",
     .meaning = "with follow: elements kept for what comes to lie on drums; what is wound onto a winch needs "
                "one per on_drums"},
};

static const key masses[] = {
    {"at", KEY_QUANTITY, "m", .required = 1, NOT_NEG, .where = offsetof(point_mass, at), .example = "1 m",
     .meaning = "length of cable from its start"},
    {"mass", KEY_QUANTITY, "kg", .required = 1, POSITIVE, .where = offsetof(point_mass, mass),
     .example = "2 kg", .meaning = "mass"},
};

const key_table cps_keys_damping = TABLE("damping", "damping", damping, "Damping inside a cable.");
const key_table cps_keys_quadrature = TABLE("quadrature", "quadrature", quadrature,
                                            "Points at which the elastic forces of an element are summed.");
const key_table cps_keys_mesh = TABLE(
    "mesh", "a mesh", mesh,
    "Elements by size: short where the cable is on drums, growing from there to the longest.");
const key_table cps_keys_masses = TABLE("masses", "a point mass", masses,
                                        "Point masses along a cable: clamps, balls, grips.");

static const key cables[] = {
    {"model", KEY_WORD, .words = "ancf springs semi-analytical semi-analytical-flow semi-analytical-printed",
     .where = offsetof(raw_cable, model), .example = "semi-analytical",
     .meaning =
         "how it is computed: by finite elements, or, if it runs over one pulley with a body at each end, "
         "in few variables: as two springs, or with arcs of stick and slip on the pulley (Lugris et al., "
         "corrected or as printed). Springs, loads and contacts may act on bodies with a `direction` at its "
         "ends"},
    {"EA", KEY_QUANTITY, "N", POSITIVE, .otherwise = "from diameter and modulus",
     .where = offsetof(raw_cable, ea), .example = "9.2 MN", .meaning = "axial stiffness"},
    {"EI", KEY_QUANTITY, "N m2", NOT_NEG, .where = offsetof(raw_cable, ei), .example = "0.7 N m2",
     .meaning = "bending stiffness, with EA"},
    {"mass_per_length", KEY_QUANTITY, "kg/m", NOT_NEG, .otherwise = "from diameter and density",
     .where = offsetof(raw_cable, rho), .example = "0.4555 kg/m",
     .meaning = "mass per length, with EA; above 0 unless model says that there are no elements"},
    {"diameter", KEY_QUANTITY, "m", POSITIVE, .otherwise = "EA, EI and mass_per_length",
     .where = offsetof(raw_cable, diameter), .example = "10 mm",
     .meaning = "of a round cross-section: instead of EA, EI and mass_per_length"},
    {"modulus", KEY_QUANTITY, "Pa", POSITIVE, .otherwise = "EA, EI and mass_per_length",
     .where = offsetof(raw_cable, modulus), .example = "117 GPa",
     .meaning = "Young's modulus, with diameter"},
    {"density", KEY_QUANTITY, "kg/m3", POSITIVE, .otherwise = "EA, EI and mass_per_length",
     .where = offsetof(raw_cable, density), .example = "5800 kg/m3", .meaning = "density, with diameter"},
    {"bending_factor", KEY_QUANTITY, "1", .value = 1, .min = 0, .max = 1,
     .where = offsetof(raw_cable, bending_factor), .example = "0.1",
     .meaning =
         "EI as a fraction of that of a solid rod, with diameter: wires that slide make a rope softer"},
    {"damping", KEY_MAP, .table = &cps_keys_damping, .otherwise = "none",
     .where = offsetof(raw_cable, damping), .example = "{rayleigh: 10 N s}", .meaning = "damping inside it"},
    {"strain", KEY_WORD, .words = "engineering green", .where = offsetof(raw_cable, strain),
     .example = "green",
     .meaning = "measure of axial strain: change of length, so that EA means what it does in Hooke's law, or "
                "Green-Lagrange, as papers have it; they differ by 1.5 times the strain"},
    {"tension_only", KEY_FLAG, .where = offsetof(raw_cable, tension_only), .example = "true",
     .meaning =
         "the cable bears no compression: where it is shorter than its length it is slack, without axial "
         "force, and damping never pushes. Otherwise elements push until they buckle, which coarse ones do "
         "late"},
    {"curvature", KEY_WORD, .words = "approximate exact", .where = offsetof(raw_cable, curvature),
     .example = "exact", .meaning = "measure of bending: the second derivative, or the true curvature"},
    {"quadrature", KEY_MAP, .table = &cps_keys_quadrature, .otherwise = "3 points each",
     .where = offsetof(raw_cable, quadrature), .example = "{axial: 2}",
     .meaning = "points of the elastic forces"},
    {"elements", KEY_INTEGER, .min = 1, .max = 1e6, .otherwise = "from mesh",
     .where = offsetof(raw_cable, elements), .example = "40",
     .meaning = "number of elements, all of one length; either this or mesh"},
    {"mesh", KEY_MAP, .table = &cps_keys_mesh, .otherwise = "elements", .where = offsetof(raw_cable, mesh),
     .example = "{size: 50 mm, on_drums: 10 mm}", .meaning = "elements by size"},
    {"path", KEY_PATH, .required = 1, .where = offsetof(raw_cable, path),
     .example = "[left, hang 1 m, over pulley, hang 1 m, right]", .meaning = "the way that it runs"},
    {"closed", KEY_FLAG, .where = offsetof(raw_cable, closed), .example = "true",
     .meaning = "a belt: its path has no ends and returns to its start"},
    {"length", KEY_QUANTITY, "m", POSITIVE, .otherwise = "that of the path",
     .where = offsetof(raw_cable, length), .example = "10 m",
     .meaning = "length without tension; more than the path needs sags, less is stretched"},
    {"tension", KEY_QUANTITY, "N", POSITIVE, .otherwise = "what length gives",
     .where = offsetof(raw_cable, tension), .example = "500 N",
     .meaning = "wanted at the start, of belts and of cables whose ends are both held; instead of length"},
    {"masses", KEY_REPEATS, .table = &cps_keys_masses, .otherwise = "none",
     .where = offsetof(raw_cable, masses), .example = "[{at: 1 m, mass: 2 kg}]",
     .meaning = "point masses along it"},
    {"start", KEY_WORD, .words = "equilibrium drawn braked", .value = -1,
     .otherwise = "`equilibrium`; `braked` with a warning where there is none",
     .where = offsetof(raw_cable, start), .example = "drawn",
     .meaning = "starts from equilibrium, or from the path as it is drawn; or `braked`, from the equilibrium "
                "with all "
                "drums held, of which those that turn freely are released when the run starts"},
    {"contact", KEY_MAP, .table = &cps_keys_cable_contact, .otherwise = "needed on drums",
     .where = offsetof(raw_cable, contact),
     .example = "{normal: {hunt-crossley: {stiffness: 1e9}}, friction: {quinn: {mu: 0.25}}}",
     .meaning = "how it touches drums, and rubs on them"},
};

const key_table cps_keys_cables = TABLE("cables", "a cable", cables,
                                        "Ropes, cables and belts: elastic in tension and bending, with mass. "
                                        "What they are made of is said by EA, EI "
                                        "and mass_per_length, or by diameter, modulus and density.");
