/* run_verdict.c - whether the result of a run can be trusted: its energy, its numbers, and how its steps went.
 *
 * What the audit leaves open, and what the integrator itself dissipates, is error: above `run.audit.warn` of the largest energy that is
 * a warning, above `run.audit.fail` the run has failed. Each is the largest of all rows and of the end, so that errors that
 * cancel in the end count, too.
 *
 * Elements of length l on a drum of radius R pass on forces with an error of about COARSE (l/R)^2 of the torque: measured on an elevator
 * with a deflector, whose exact torque follows from the weights. A cable that sinks into a drum by d works at the radius R - d.
 * Above MESH_ERROR either is a warning that says what to change. So is compression that a cable would answer by buckling: more than the
 * pi^2 EI/l^2 at which an element of length l does.
 *
 * Machines start at rest. What is prescribed to move at v from there hits the cable that it holds: a wave of sqrt(EA rho) v runs along it,
 * and its first element of length l, damped by eta, answers with eta v/l, whatever l is.
 *
 * Rows may miss the peak of a shock, which steps resolve: at default tolerance to about 0.1 % (random loads that fall into ropes).
 *
 * Between drums that stand where they were the mean tension of a belt stays. With contact at nodes elements on drums are chords, shorter than
 * their arcs by about (l/R)^2/24; where that is not small beside the strain, what friction has laid onto the drums in the run changes it.
 */
#include "machine.h"
#include "newton.h"
#include "system.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Faster than light [m/s], and further than light goes in a year [m]: no machine of ours. */
static const double FASTEST = 3e8, FURTHEST = 1e16;

/* With less kinetic energy than this no row needs a look at all of its numbers: a tonne would have 1400 km/s [J]. */
static const double SUSPECT = 1e15;

/* A part of what is stored that is round-off of its differences. */
static const double ROUND_OFF = 1e-10;

/* What the integrator may dissipate of the energy in motion before vibrations are said to die of it; and the part of all energy
 * below which they do not matter. */
static const double MOTION_LOST = 0.05, UNSEEN = 1e-7;

/* Rejected steps over all that were tried. */
static const double MANY_REJECTED = 0.3;
static const long FEW_STEPS = 50; /* a run so short says nothing about it */

/* With contact at nodes: 0.6 % at l/R = 0.15, 2.5 % at 0.3, 7.6 % at 0.5; with two points per element 1 % at 0.3 and 1.3 % at 0.5. */
static const double COARSE_NODES = 0.28, COARSE_POINTS = 0.1;
static const double pi = 3.14159265358979323846;
static const double MESH_ERROR = 0.01;
static const double MESH_SLIP = 0.1;      /* of slip work that the mesh adds */
static const double OVERSHOOT_MOST = 0.1; /* of a state of a law beyond where its mode ends, in fixed steps */
static const double PUSHED = 0.05;        /* compression over the largest tension of the run */

/* A chord's part of its arc over the strain, from which on a belt is looked at; and the change of its mean tension that is told. */
static const double LAID_SHORT = 0.3, DRIFT = 0.02;

/* Tension of an element that is turned back on itself, over the largest of the run. */
static const double FOLDED = 0.05;

/* A shock between rows, over the largest tension that these show. */
static const double UNSHOWN = 0.03;

/* The blow with which something prescribed sets out, over the largest tension of the cable that it moves. */
static const double BLOW = 0.05;

static void warn(cps_simulation *sim, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(&sim->result.warnings, format, args);
  va_end(args);
}

int cps_mesh_verdict_valid(const mesh_verdict *v, const cps_scenario *s) {
  int cables = s->n_cables > 0 ? s->n_cables : 1, drums = s->n_drums > 0 ? s->n_drums : 1;
  return v->cable >= 0 && v->cable < cables && v->sunk_cable >= 0 && v->sunk_cable < cables &&
         v->pushed_cable >= 0 && v->pushed_cable < cables && v->drum >= 0 && v->drum < drums &&
         v->sunk_drum >= 0 && v->folded_cable >= 0 && v->folded_cable < cables && v->sunk_drum < drums;
}

/* The length of the elements around a contact point; where the mesh changes, of the shorter one. */
static double length_at(const cable *c, const contact_point *p) {
  double length = c->length[p->node < c->n ? p->node : c->n - 1];
  return p->shape[0] == 1 && p->node > 0 ? fmin(length, c->length[p->node - 1]) : length;
}

/* Mean of a cable's tension over its length. */
static double mean_tension(const cable *c) {
  double sum = 0, length = 0;
  for (int k = 0; k < c->n; k++) {
    sum += c->tension[k] * c->length[k];
    length += c->length[k];
  }
  return sum / length;
}

/* By how much of its arc an element of a cable falls short on a drum that stands where it is; 0 if a drum of the cable may move, or where
 * points in elements are in contact. */
static double chord_part(const machine *m, const cable *c) {
  double most = 0;
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    if (p->drum < 0) continue;
    const scenario_drum *of = m->drum[p->drum].of;
    if (m->drum[p->drum].carrier >= 0 || of->shift[0] || of->shift[1] || of->shift[2] || p->shape[0] != 1)
      return 0;
    double part = length_at(c, p) / m->drum[p->drum].radius;
    most = fmax(most, part * part / 24);
  }
  return most;
}

/* The first look decides which belts are watched. */
static void note_belts(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (!c->of->closed || c->laid < 0) continue;
    double mean = mean_tension(c);
    int looked = c->laid > 0;
    if (!looked && !(mean > 0 && chord_part(m, c) > LAID_SHORT * mean / c->section.ea))
      c->laid = -1;
    else if (!looked)
      c->laid = mean;
    else
      c->laid_drift = fmax(c->laid_drift, fabs(mean / c->laid - 1));
  }
}

/* Whether an element runs against the direction of one of its ends: a loop that is smaller than it. */
static int is_folded(const cable *c, int k) {
  const double *a = c->q + k * c->b, *b = a + c->b;
  double ahead = 0, behind = 0;
  for (int d = 0; d < c->dim; d++) {
    ahead += (b[d] - a[d]) * a[c->dim + d];
    behind += (b[d] - a[d]) * b[c->dim + d];
  }
  return ahead < 0 || behind < 0;
}

static void note_folded(mesh_verdict *v, const cable *c, int cable) {
  double at = 0;
  for (int k = 0; k < c->n; k++) {
    if (c->tension[k] > v->folded && is_folded(c, k)) {
      v->folded = c->tension[k];
      v->folded_at = at + c->length[k] / 2;
      v->folded_cable = cable;
    }
    at += c->length[k];
  }
}

static void note_mesh(mesh_verdict *v, const machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double coarse = c->of->contact.quadrature > 1 ? COARSE_POINTS : COARSE_NODES;
    note_folded(v, c, i);
    for (int k = 0; k < c->n; k++) {
      double bears = pi * pi * c->section.ei / (c->length[k] * c->length[k]);
      v->pulled = fmax(v->pulled, c->tension[k]);
      if (c->section.slack > 0 || !(-c->tension[k] > fmax(v->pushed, bears))) continue;
      v->pushed = -c->tension[k];
      v->pushed_cable = i;
    }
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      double radius = m->drum[p->drum].radius, length = length_at(c, p), part = length / radius;
      if (coarse * part * part > v->error) {
        v->error = coarse * part * part;
        v->length = length;
        v->cable = i;
        v->drum = p->drum;
      }
      if (!(c->trace[k].depth > v->sunk * radius)) continue;
      v->sunk = c->trace[k].depth / radius;
      v->sunk_cable = i;
      v->sunk_drum = p->drum;
    }
  }
}

/* Slip work that is a matter of the mesh, where contact is in elements; who says `at: nodes` takes it as it is. */
static void judge_slip(cps_simulation *sim) {
  const machine *m = sim->machine;
  for (int i = 0; m && i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double work = 0;
    for (int k = 0; k < m->n_drums; k++) work += c->slip_work[k];
    if (!(c->mesh_slip > MESH_SLIP * work) || !(work > UNSEEN * sim->largest_energy)) continue;
    warn(sim,
         "cable %s slips on drums by %.3g J, of which up to %.2g J come from elements that run onto them: do "
         "not size wear by it. Shorter elements there (cables.%s.mesh.on_drums) make it less, by their "
         "length to "
         "the third power",
         c->of->name, work, fmin(c->mesh_slip, work), c->of->name);
  }
}

static void judge_mesh(cps_simulation *sim) {
  const mesh_verdict *v = &sim->mesh;
  const cps_scenario *s = sim->system->scenario;
  if (v->error > MESH_ERROR) {
    const char *cable = s->cables[v->cable].name;
    const scenario_drum *d = &s->drums[v->drum];
    double coarse = v->error / (v->length * v->length), enough = sqrt(MESH_ERROR / coarse);
    warn(sim,
         "elements of cable %s are %.3g mm long on drum %s, whose radius is %.4g mm: torque and differences "
         "of tension there are off by about %.2g %%. At most %.2g mm (cables.%s.mesh.on_drums, or more "
         "elements) makes that less than %.0f %%",
         cable, 1e3 * v->length, d->name, 1e3 * d->radius, 100 * v->error, 1e3 * enough, cable,
         100 * MESH_ERROR);
  }
  if (v->sunk > MESH_ERROR)
    warn(sim,
         "cable %s sinks into drum %s by %.2g %% of its radius, and works at that much less of it: a larger "
         "stiffness of its contact (cables.%s.contact.normal) makes that less",
         s->cables[v->sunk_cable].name, s->drums[v->sunk_drum].name, 100 * v->sunk,
         s->cables[v->sunk_cable].name);
  if (v->pushed > PUSHED * v->pulled)
    warn(sim,
         "cable %s is pushed by up to %.3g N, where a rope would buckle, since its elements are too long to: "
         "cables.%s.tension_only takes the push away; shorter elements (mesh), damping or a start that does "
         "not "
         "snap make it less",
         s->cables[v->pushed_cable].name, v->pushed, s->cables[v->pushed_cable].name);
}

static void judge_folded(cps_simulation *sim) {
  const mesh_verdict *v = &sim->mesh;
  if (!(v->folded > FOLDED * v->pulled)) return;
  const char *cable = sim->system->scenario->cables[v->folded_cable].name;
  warn(sim,
       "cable %s is turned back on itself %.3g m from its start, within one element, and bears up to %.3g N "
       "so: "
       "a loop that a rope would pull straight, or kink in. Bending stiffness (cables.%s.EI), damping of "
       "bending or shorter elements keep elements from that",
       cable, v->folded_at, v->folded, cable);
}

static void judge_belts(cps_simulation *sim) {
  const machine *m = sim->machine;
  for (int i = 0; m && i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    if (!(c->laid_drift > DRIFT)) continue;
    warn(sim,
         "the mean tension of belt %s has changed by up to %.2g %% between drums that stand still: its "
         "elements lie on them "
         "as chords, which is not little beside its strain. Shorter elements there "
         "(cables.%s.mesh.on_drums), "
         "or contact "
         "at points of elements (contact.at: {even: 2}), make that less",
         c->of->name, 100 * c->laid_drift, c->of->name);
  }
}

static void note_rows(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int e = 0; e < 2 && c->seam < 0; e++) c->shown = fmax(c->shown, cps_end_tension(c, e));
    for (int k = 0; k < c->n; k++) c->shown = fmax(c->shown, c->tension[k]); /* free ends bear nothing */
  }
}

/* Whoever sizes a rope by what rows show has to know of shocks between them. */
static void judge_peaks(cps_simulation *sim) {
  const machine *m = sim->machine;
  for (int i = 0; m && i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    if (c->shown > 0 && c->peak > (1 + UNSHOWN) * c->shown)
      warn(sim,
           "the tension at an end of cable %s reached %.4g N at %.6g s, between rows, which show %.4g N at "
           "most: a smaller run.output shows it",
           c->of->name, c->peak, c->peak_at, c->shown);
  }
}

static double size_of(int n, const double *x) {
  double sum = 0;
  for (int d = 0; d < n; d++) sum += x[d] * x[d];
  return sqrt(sum);
}

/* How fast an end moves along the cable. */
static double speed_along(const cable *c, int e) {
  const double *v = c->v + (e ? c->n : 0) * c->b, *slope = c->q + (e ? c->n : 0) * c->b + c->dim;
  double along = 0;
  for (int d = 0; d < c->dim; d++) along += v[d] * slope[d];
  return fabs(along) / size_of(c->dim, slope);
}

/* How fast what holds an end moves along the cable, as prescribed. */
static double end_speed(const machine *m, const cable *c, int e) {
  int rim = cps_end_is(c->end[e].kind, END_ON_DRUM);
  if (!cps_end_is(c->end[e].kind, END_AT_PLACE) &&
      !(rim && m->drum[c->end[e].drum].angle_at < 0 && m->drum[c->end[e].drum].carrier < 0))
    return 0;
  return speed_along(c, e);
}

/* A body that starts with a velocity stretches the first element of a damped rope at once, the faster the shorter that is. */
static void say_tugged(cps_simulation *sim, const cable *c) {
  const double most = 0.5; /* of the tension */
  for (int e = 0; e < 2 && c->seam < 0; e++) {
    if (!cps_end_is(c->of->end[e].kind, END_ON_BODY)) continue;
    double speed = speed_along(c, e), l = c->length[e ? c->n - 1 : 0];
    double tug = (c->section.axial_damping + c->section.rayleigh) / l * speed;
    const char *body = sim->system->scenario->bodies[c->of->end[e].body].name;
    double tension = 0; /* of the others */
    for (int k = !e; k < c->n - e; k++) tension = fmax(tension, c->tension[k]);
    if (!(tug > most * tension) || !(tension > 0)) continue;
    warn(sim,
         "cable %s starts at rest, but body %s at %.3g m/s along it: its damping makes that a blow of %.2g N "
         "in "
         "an element of %.3g m, and less in a longer one. Let the body start at rest, or with a velocity "
         "across the cable (bodies.%s)",
         c->of->name, body, speed, tug, l, body);
  }
}

/* Cables whose way runs through drums that they are wound on in other places. */
static void say_crossed(cps_simulation *sim) {
  const machine *m = sim->machine;
  for (int i = 0; m && i < m->n_cables; i++)
    for (int k = 0; k < m->n_drums && m->cable[i].n_points > 0; k++)
      if (m->cable[i].crossed[k] & 2)
        warn(sim,
             "the way of cable %s runs through drum %s, where its path does not lead it around that drum: "
             "there "
             "it is taken to pass beside the drum, and only what lies on it, and runs onto it from there, "
             "touches it",
             m->cable[i].of->name, m->drum[k].of->name);
}

/* Bodies that the search for an equilibrium has put far from where the file says that they are. */
static void say_moved(cps_simulation *sim) {
  const double most = 0.05; /* of the length of all cables */
  const machine *m = sim->machine;
  const cps_scenario *s = sim->system->scenario;
  for (int i = 0; m && cps_start_rests(sim) && i < s->n_bodies; i++) {
    const scenario_body *b = &s->bodies[i];
    const double *r = NULL;
    double gone = 0;
    if (b->kind != BODY_PLANE || !b->placed || b->adrift) continue;
    if (m->body_cable[i] >= 0) {
      const cable *c = &m->cable[m->body_cable[i]];
      r = c->q + (m->body_end[i] == 0 ? 0 : c->n * c->b);
    } else if (m->body_border[i] >= 0) {
      r = m->body[m->body_border[i]].r;
    }
    for (int d = 0; r && d < m->dim; d++) gone += (r[d] - b->x[d]) * (r[d] - b->x[d]);
    if (sqrt(gone) > most * cps_machine_span(m))
      warn(sim,
           "body %s starts %.2g m from its position in the file, where its cables let it rest: with start: "
           "drawn "
           "of the cable it starts where the file says",
           b->name, sqrt(gone));
  }
}

void cps_verdict_start(cps_simulation *sim) {
  const machine *m = sim->machine;
  say_crossed(sim);
  say_moved(sim);
  for (int i = 0; m && i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    const cable_section *s = &c->section;
    const char *what = "what holds its ", *name = "";
    double most = 0, tension = 0, fastest = 0;
    for (int k = 0; k < c->n; k++) tension = fmax(tension, c->tension[k]);
    for (int e = 0; e < 2 && c->seam < 0; e++) {
      double speed = end_speed(m, c, e), l = c->length[e ? c->n - 1 : 0];
      double blow = (sqrt(s->ea * s->rho) + (s->axial_damping + s->rayleigh) / l) * speed;
      if (!(blow > most)) continue;
      most = blow, fastest = speed, name = e ? "end" : "start";
    }
    for (int k = 0; k < c->n_points; k++) {
      const drum *d = c->point[k].drum >= 0 ? &m->drum[c->point[k].drum] : NULL;
      double speed = d && d->carrier < 0 ? size_of(m->dim, d->center_v) : 0;
      if (!(sqrt(s->ea * s->rho) * speed > most)) continue;
      most = sqrt(s->ea * s->rho) * speed, fastest = speed, what = "drum ", name = d->of->name;
    }
    if (most > BLOW * tension && tension > 0)
      warn(
          sim,
          "cable %s starts at rest, but %s%s is prescribed to move at %.3g m/s from there: that is a blow of "
          "up to %.2g N, and what its first moments show is a matter of mesh and damping. Let the profile "
          "start at rest, as {product: [PROFILE, {step5: {from: [0 s, 0], to: [1 s, 1]}}]} does",
          c->of->name, what, name, fastest, most);
    say_tugged(sim, c);
  }
}

void cps_verdict_note(cps_simulation *sim, const cps_energy *e) {
  if (sim->machine) {
    note_mesh(&sim->mesh, sim->machine);
    note_belts(sim->machine);
    note_rows(sim->machine);
  }
  double lost = fabs(e->error - e->solver), blur = fabs(e->initial) + fabs(e->gravity);
  sim->open_energy = fmax(sim->open_energy, lost - ROUND_OFF * blur);
  double passed = fabs(e->load_work) + fabs(e->motion_work) + fabs(e->friction) + fabs(e->damping);
  sim->moving_energy = fmax(sim->moving_energy, e->kinetic + passed);
}

/* What a column may be at most; INFINITY if it is not about the motion of a body. */
static double most_of(const char *name) {
  const char *what = strrchr(name, '.');
  if (strncmp(name, "bodies.", 7) != 0 || !what) return INFINITY;
  if (strcmp(what, ".v") == 0 || (what[1] == 'v' && strchr("xyz", what[2]) && what[2] && !what[3]))
    return FASTEST;
  return what[1] && strchr("xyz", what[1]) && !what[2] ? FURTHEST : INFINITY;
}

/* Looks at the last row, and names what has run away. */
static cps_status look_at_row(cps_simulation *sim, cps_error *err) {
  const cps_result *r = &sim->result;
  const cps_energy *e = &r->energy;
  const char *advice =
      sim->t > sim->system->scenario->run.from
          ? "the solution has run away; try a smaller run.step, or run.solver alpha or bdf"
          : "it starts with numbers that are too large to be computed with; see whether masses, "
            "velocities and their units are meant as they are";
  for (int c = 0; c < r->n_columns && r->rows > 0; c++) {
    double x = r->data[(size_t)c * (size_t)r->capacity + (size_t)r->rows - 1];
    if (fabs(x) > most_of(r->names[c]))
      return cps_simulation_fail(sim, -1, err, "%s is %.3g %s: %s", r->names[c], x, r->units[c], advice);
  }
  if (isfinite(e->kinetic + e->elastic + e->gravity) && isfinite(e->error)) return CPS_OK;
  return cps_simulation_fail(sim, -1, err, "its energy is not a finite number: %s", advice);
}

cps_status cps_verdict_row(cps_simulation *sim, cps_error *err) {
  const cps_energy *e = &sim->result.energy;
  if (e->kinetic < SUSPECT && isfinite(e->error)) return CPS_OK;
  return look_at_row(sim, err);
}

/* Why steps were rejected, and what helps. */
static void judge_steps(cps_simulation *sim) {
  const cps_counters *n = &sim->result.counters;
  double part = (double)n->rejected / fmax(1, (double)(n->rejected + n->steps));
  if (n->rejected + n->steps < FEW_STEPS || !(part > MANY_REJECTED)) return;
  if (2 * n->unsolved > n->rejected)
    warn(
        sim,
        "%.0f %% of the steps were rejected, most of them because Newton's method did not converge: contacts "
        "change too much within a step; a smaller run.step, softer contact (normal.stiffness), more damping, "
        "or a "
        "friction law with a wider transition (epsilon) helps",
        100 * part);
  else
    warn(sim,
         "%.0f %% of the steps were rejected, most of them because their error was above the tolerance (%g): "
         "something is fast or not smooth there; look at stiff springs or contacts without damping, and at "
         "profiles with corners%s",
         100 * part, sim->system->scenario->run.tolerance,
         /* not where too much energy is missing already */
         sim->open_energy > 1e-3 * sim->result.energy.scale ? "" : ", or loosen run.tolerance");
}

/* rk4 looks at modes only at the ends of its steps: by then a state may have gone far beyond where its mode ends. */
static void judge_overshoot(cps_simulation *sim) {
  const struct overshoot *o = &sim->overshoot;
  if (!(o->part > OVERSHOOT_MOST)) return;
  const scenario_contact *c = &sim->system->scenario->contacts[o->contact];
  warn(sim,
       "steps of %.3g s take the law %s of contact %s %.3g %% beyond where its mode ends, and rk4 looks for "
       "no "
       "such instants: forces are wrong by as much there. Use run.solver events or bdf, or run.step %.1g",
       o->step, c->law->name, c->name, 100 * o->part, o->step * OVERSHOOT_MOST / o->part);
}

/* Energy that is stored all the time, as in a string that is tuned, hides what the integrator takes from its vibration. */
static void judge_motion(cps_simulation *sim) {
  const cps_energy *e = &sim->result.energy;
  double lost = fabs(e->solver), blur = fabs(e->initial) + fabs(e->gravity);
  if (!(lost > UNSEEN * e->scale + ROUND_OFF * blur && lost > MOTION_LOST * sim->moving_energy)) return;
  warn(sim,
       "the integrator itself has dissipated %.2g J, %.3g %% of the energy in motion: vibrations die away "
       "faster than they should. A smaller run.tolerance or run.step makes it less, as does run.rho 1 with "
       "alpha",
       lost, 100 * fmin(1, lost / fmax(sim->moving_energy, lost)));
}

cps_status cps_verdict_run(cps_simulation *sim, cps_status status, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  const cps_energy *e = &sim->result.energy;
  judge_steps(sim);
  judge_overshoot(sim);
  judge_mesh(sim);
  judge_folded(sim);
  judge_belts(sim);
  judge_peaks(sim);
  judge_slip(sim);
  double part = e->scale > 0 ? sim->open_energy / e->scale : 0;
  int own = fabs(e->solver) > fabs(e->error);
  const char *what = own ? "what the integrator itself has dissipated or made"
                         : "what the audit of energy leaves open";
  if (status == CPS_OK) status = look_at_row(sim, err);
  if (status != CPS_OK) return status;
  if (run->audit_fail >= 0 && part > run->audit_fail)
    return cps_simulation_fail(
        sim, -1, err,
        "%s is %.2g J, %.3g %% of the largest energy, and %.3g %% is the limit: do not trust this "
        "result. Try a smaller run.tolerance or run.step; run.audit.fail sets the limit",
        what, sim->open_energy, 100 * part, 100 * run->audit_fail);
  if (run->audit_warn >= 0 && part > run->audit_warn)
    warn(sim,
         "%s is %.2g J, %.3g %% of the largest energy: a smaller run.tolerance or run.step makes it less "
         "(run.audit.warn is %.3g %%)",
         what, sim->open_energy, 100 * part, 100 * run->audit_warn);
  else if (run->audit_warn >= 0)
    judge_motion(sim);
  return CPS_OK;
}
