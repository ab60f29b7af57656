/* read_sections.h - bodies, springs, contacts, loads, drums, cables and the run, from nodes to plain data. */
#ifndef CPS_ELEMENTS_H
#define CPS_ELEMENTS_H

#include "reader.h"

/* Each fills its part of the scenario, and complains about all that is wrong. Bodies and surfaces come first,
 * since the others refer to them; drums come before cables, and cables before the rest, since bodies at their
 * ends move freely. */
void cps_read_gravity(reader *r, const node *n, cps_scenario *s);
void cps_read_bodies(reader *r, const node *bodies, const node *surfaces, cps_scenario *s);
void cps_read_springs(reader *r, const node *springs, cps_scenario *s);
void cps_read_contacts(reader *r, const node *contacts, cps_scenario *s);
void cps_read_drums(reader *r, const node *drums, cps_scenario *s);
void cps_read_cables(reader *r, const node *cables, cps_scenario *s);
void cps_read_loads(reader *r, const node *loads, cps_scenario *s);
void cps_read_run(reader *r, const node *n, cps_scenario *s);
/* `run` is the section that may say the same, NULL if there is none. */
void cps_read_outputs(reader *r, const node *n, const node *run, cps_scenario *s);

/* The body or surface that a node names, or GROUND; NOBODY after a complaint. */
enum { NOBODY = -2 };
int cps_find_body(reader *r, const node *n, const cps_scenario *s);

/* A body with mass, for use as `what`: NOBODY after a complaint. */
int cps_find_mass(reader *r, const node *n, const cps_scenario *s, const char *what);

/* The drum that a node names; -1 after a complaint. */
int cps_find_drum(reader *r, const node *n, const cps_scenario *s);

/* A friction law and its parameters. */
void cps_read_friction(reader *r, const node *n, const cps_law **law, double *p);

/* The path of a cable. */
void cps_read_path(reader *r, const node *n, const cps_scenario *s, scenario_cable *c);

/* An entry of a path that is written as text, "over pulley", as a map, {over: pulley}; NULL if it is none, or
 * if memory ran out. */
node *cps_path_entry(document *d, const node *text);

/* Whether nothing can move it: ground and surfaces. */
int cps_is_fixed(const cps_scenario *s, int body);

/* An array for the elements of a section (all zero), or NULL if there are none or no memory. Complains about
 * sections that are not maps. */
void *cps_section(reader *r, const node *section, const key *k, size_t size);

/* Starts an element: checks its name and goes down its path, and back up with cps_leave. */
int cps_enter_element(reader *r, const char *section, const map_entry *e, char *name);

/* Makes a direction a unit vector; 0 if it is zero. */
int cps_normalise(double *v);

/* Fills the weights that rest on contacts. */
void cps_find_weights(reader *r, cps_scenario *s, const node *contacts);

#endif
