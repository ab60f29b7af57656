/* find_start.c - the equilibrium that a run starts from.
 *
 * A drum that turns freely between loads of different weight has none: the loads go as soon as it is let go. Unless the file asks for an
 * equilibrium, such drums are then held until the run starts, as drums that are driven by a torque or a controller are, and
 * the run says so.
 */
#include "newton.h"
#include "steppers.h"
#include "system.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cps_start_rests(const cps_simulation *sim) {
  const cps_scenario *s = sim->system->scenario;
  for (int i = 0; sim->machine && i < s->n_elements; i++)
    if (s->cables[i].start_statics) return 1;
  return 0;
}

/* Whether the file says how its cables start. */
static int told(const cps_scenario *s) {
  for (int i = 0; i < s->n_elements; i++)
    if (s->cables[i].start_told) return 1;
  return 0;
}

/* A drum that turns freely in the search; NULL if there is none. */
static const drum *turns_freely(const cps_simulation *sim) {
  const machine *m = sim->machine;
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0 && !m->drum[i].braked) return &m->drum[i];
  return NULL;
}

/* As it is drawn once more, with all drums held in the search, or as the file says. */
static cps_status draw_anew(cps_simulation *sim, int brake, cps_error *err) {
  machine *m = sim->machine;
  cps_driver_free(sim); /* it knows where the machine has its numbers */
  cps_machine_free(m);
  cps_status status = cps_machine_make_drawn(m, sim->system->scenario, sim->system->drawn, err);
  if (status != CPS_OK) return status;
  cps_machine_inputs(m, sim->inputs);
  sim->y = m->y;
  sim->work = m->forces;
  for (int i = 0; i < m->n_drums && brake; i++) m->drum[i].braked = 1;
  cps_machine_move(m, sim->t, sim->t);
  return CPS_OK;
}

static void warn(cps_simulation *sim, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(&sim->result.warnings, format, args);
  va_end(args);
}

/* Finds the equilibrium with all drums held. */
static cps_status find_braked(cps_simulation *sim, cps_error *err) {
  cps_status status = draw_anew(sim, 1, err);
  return status == CPS_OK ? cps_machine_statics(sim->machine, sim->t, NULL) : status;
}

cps_status cps_start_find(cps_simulation *sim, int may_brake, cps_error *err) {
  const cps_scenario *s = sim->system->scenario;
  cps_error why = {0};
  cps_status status = cps_machine_statics(sim->machine, sim->t, &why);
  const drum *free = status == CPS_FAILED && !sim->machine->stopped && !sim->beside ? turns_freely(sim)
                                                                                    : NULL;
  if (free) {
    const char *name = free->of->name;                               /* of the scenario */
    int known = strstr(why.text, "there is no equilibrium") != NULL; /* and not only a search that is lost */
    int found = find_braked(sim, &why) == CPS_OK;
    if (found && may_brake && !told(s)) {
      status = CPS_OK;
      warn(sim,
           "%s where drum %s turns freely: it starts held, as by a brake that opens when the run starts. "
           "`start: braked` of the cables says that; `start: equilibrium` refuses it",
           known ? "nothing holds the cables" : "no equilibrium of the cables was found", name);
    } else if (found) {
      cps_error first = why; /* it may know more: what a bearing bears, or that elements are too long */
      status = draw_anew(sim, 0, &why);
      if (status == CPS_OK && (!known || strstr(first.text, "Nothing holds drum")))
        status = cps_error_set(&why, CPS_FAILED, NULL, "%s", first.text);
      else if (status == CPS_OK)
        status = cps_error_set(
            &why, CPS_FAILED, NULL,
            "there is no equilibrium: nothing holds the cables where drum %s turns freely. "
            "With `start: braked` of the cables it is held, as by a brake that opens when "
            "the run starts",
            name);
    }
  }
  if (status != CPS_OK && err) {
    *err = why;
    if (status == CPS_FAILED && !sim->machine->stopped && !free) cps_scenario_blame(s, err);
    if (!err->file[0]) snprintf(err->file, sizeof err->file, "%s", s->file ? s->file : "");
  }
  return status;
}
