/* cost.h - what the parts of a command cost: processor time, from the start of the program on. */
#ifndef COST_H
#define COST_H

#include "json.h"

typedef enum cost_part {
  COST_PROGRAM,  /* loading the program, options, and what is in no other part */
  COST_SCENARIO, /* reading the scenario, and making the model */
  COST_START,    /* the state at the start: cables come to rest */
  COST_DYNAMICS, /* stepping */
  COST_SECURING, /* results and checkpoints while the run goes on */
  COST_RESULT,   /* result.h5 at the end */
  COST_SERIES,   /* series.csv, events.csv, summary.json */
  COST_REPORT,   /* report.html */
  N_COSTS
} cost_part;

/* From here on the time belongs to another part; returns the one that it belonged to. */
cost_part cost_turn(cost_part to);

/* All parts in seconds, as an object of that key. */
void cost_json(json *w, const char *key);
/* The same as a line for people: "53 ms: dynamics 21, ..."; what is below a hundredth of it is left out. */
void cost_text(char *text, size_t size);

#endif
