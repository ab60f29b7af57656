/* elements.h - bodies, springs, contacts, loads and the run, from nodes to plain data. */
#ifndef CPS_ELEMENTS_H
#define CPS_ELEMENTS_H

#include "reader.h"

/* Each fills its part of the scenario, and complains about all that is wrong. Bodies and surfaces come first,
 * since the others refer to them. */
void cps_read_gravity(reader *r, const node *n, cps_scenario *s);
void cps_read_bodies(reader *r, const node *bodies, const node *surfaces, cps_scenario *s);
void cps_read_springs(reader *r, const node *springs, cps_scenario *s);
void cps_read_contacts(reader *r, const node *contacts, cps_scenario *s);
void cps_read_loads(reader *r, const node *loads, cps_scenario *s);
void cps_read_run(reader *r, const node *n, cps_scenario *s);
/* `run` is the section that may say the same, NULL if there is none. */
void cps_read_outputs(reader *r, const node *n, const node *run, cps_scenario *s);

/* The body or surface that a node names, or GROUND; NOBODY after a complaint. */
enum { NOBODY = -2 };
int cps_find_body(reader *r, const node *n, const cps_scenario *s);

/* Whether nothing can move it: ground and surfaces. */
int cps_is_fixed(const cps_scenario *s, int body);

/* An array for the elements of a section (all zero), or NULL if there are none or no memory. Complains about
 * sections that are not maps. */
void *cps_section(reader *r, const node *section, const key *k, size_t size);

/* Starts an element: checks its name and goes down its path, and back up with cps_leave. */
int cps_enter_element(reader *r, const char *section, const map_entry *e, char *name, int *line, int *column);

/* Makes a direction a unit vector; 0 if it is zero. */
int cps_normalise(double *v);

/* Fills the weights that rest on contacts. */
void cps_find_weights(reader *r, cps_scenario *s, const node *contacts);

/* The row of a key, for messages. */
const key *cps_row(const key_table *t, const char *name);

#endif
