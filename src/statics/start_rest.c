/* start_rest.c - the drawing from which an equilibrium is found that is far away.
 *
 * The search for an equilibrium (equilibrium.c) descends from the drawing in small steps. Where a hook is drawn metres above the bight that it
 * comes to rest in, the slack cable would have to be followed as it falls: it tangles, or the search takes the fall for one without
 * end. But where bodies rest on strings without weight and friction is known from geometry (network.c), and from there the search has little
 * to do. A cable that is taut as drawn, and off balance, may be held by friction there: then the drawing comes first.
 */
#include "start_rest.h"

#include "newton.h"

#include <stdlib.h>

/* CPS_OK if the search finds an equilibrium. */
static cps_status search(const drawing *drawn, const cps_scenario *s) {
  machine m;
  cps_status status = cps_machine_make_drawn(&m, s, drawn, NULL);
  if (status != CPS_OK) return status;
  status = cps_machine_statics(&m, s->run.from, NULL);
  cps_machine_free(&m);
  return status;
}

/* Whether a cable is drawn with slack: none of it would hold anything there. */
static int has_slack(const drawing *drawn, const cps_scenario *s) {
  const double most = 0.01; /* of the length */
  for (int i = 0; i < s->n_cables; i++) {
    const shape *y = &drawn->cable[i];
    double length = 0;
    for (int k = 0; k < y->n && y->length; k++) length += y->length[k];
    if (y->slack > most * length) return 1;
  }
  return 0;
}

cps_status cps_drawing_rest(drawing *drawn, const cps_scenario *s, cps_error *err) {
  drawing rest = {0}, *first = drawn, *second = &rest;
  for (int i = 0; i < s->n_elements; i++)
    if (!s->cables[i].start_statics) return CPS_OK;
  int found = s->n_elements > 0 ? cps_drawing_settle(&rest, s) : 0;
  if (found == 0) return CPS_OK;
  cps_status status = found < 0 ? CPS_NO_MEMORY : CPS_OK;
  if (status == CPS_OK) {
    if (has_slack(drawn, s)) first = &rest, second = drawn;
    status = search(first, s);
  }
  if (status != CPS_OK && status != CPS_NO_MEMORY) {
    status = search(second, s);
    first = status == CPS_OK ? second : drawn;
  }
  if (first == &rest) {
    drawing keep = *drawn;
    *drawn = rest;
    rest = keep;
  }
  cps_drawing_free(&rest, s);
  if (status != CPS_NO_MEMORY) return CPS_OK; /* whoever runs it says what is wrong */
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the cables");
}
