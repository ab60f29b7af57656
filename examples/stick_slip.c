/* stick_slip.c - a block on a moving belt, held by a spring: it sticks, slips, and sticks again.
 *
 *        /|            ______
 *        /|---/\/\/\--| mass |        m u' = -k x + f(u - belt)
 *        /|           |______|
 *       ================================>  belt
 *
 * E. Rabinowicz's block, with two laws. "coulomb-static" truly sticks: it has modes, and the instants at
 * which one ends are found by bisection. "brown-mcphee" is smooth, and slides a little on the belt all the
 * time.
 *
 *   stick_slip [DIR]     writes DIR/coulomb-static.csv and DIR/brown-mcphee.csv
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>

static const double mass = 1, stiffness = 10, belt = 1, gravity = 9.81; /* kg, N/m, m/s, m/s2 */
static const double mu_s = 0.8, mu_d = 0.7;

/* A friction law with its parameters. */
typedef struct friction {
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
} friction;

/* Time, position, velocity, and the mode of the law. */
typedef struct block {
  double t, x, u;
  int mode;
} block;

/* What is remembered of a run. */
enum { MOST_EVENTS = 32 };
typedef struct history {
  int n_events;
  double event[MOST_EVENTS];
  double ride[2]; /* distance slid on the belt at 0.3 s and at 0.8 s, between which the block rides on it */
} history;

static friction make_friction(const char *name) {
  friction f = {.law = cps_law_find(name)};
  cps_law_defaults(f.law, f.p);
  f.p[cps_law_param(f.law, "mu_s")] = mu_s;
  f.p[cps_law_param(f.law, "mu_d")] = mu_d;
  int v_t = cps_law_param(f.law, "v_t"); /* only smooth laws have one: the velocity of their peak */
  if (v_t >= 0) f.p[v_t] = 0.01;
  return f;
}

/* What the law sees: sliding velocity, load, and the force that would keep the block at the belt's speed. */
static cps_law_input contact(const block *b) {
  return (cps_law_input){.v = b->u - belt, .n = mass * gravity, .f_eq = stiffness * b->x, .mode = b->mode};
}

static double friction_force(const friction *f, const block *b) {
  cps_law_input in = contact(b);
  cps_law_output out;
  cps_law_eval(f->law, f->p, &in, &out, NULL);
  return out.f;
}

static double acceleration(const friction *f, const block *b) {
  return (friction_force(f, b) - stiffness * b->x) / mass;
}

/* The block moved on by h with a given velocity and acceleration. */
static block moved(const block *b, double h, double u, double a) {
  return (block){b->t + h, b->x + h * u, b->u + h * a, b->mode};
}

/* One step of the classical Runge-Kutta method, all of it in the present mode. */
static block step(const friction *f, const block *b, double h) {
  double a1 = acceleration(f, b);
  block b2 = moved(b, h / 2, b->u, a1);
  double a2 = acceleration(f, &b2);
  block b3 = moved(b, h / 2, b2.u, a2);
  double a3 = acceleration(f, &b3);
  block b4 = moved(b, h, b3.u, a3);
  double a4 = acceleration(f, &b4);
  return moved(b, h, (b->u + 2 * b2.u + 2 * b3.u + b4.u) / 6, (a1 + 2 * a2 + 2 * a3 + a4) / 6);
}

/* The guard that says that the mode has ended; -1 while it holds. Laws without modes have no guards. */
static int ended(const friction *f, const block *b) {
  double g[CPS_MAX_GUARDS];
  cps_law_input in = contact(b);
  cps_law_guards(f->law, f->p, &in, g, NULL);
  for (int i = 0; i < f->law->n_guards; i++)
    if (g[i] < 0) return i;
  return -1;
}

/* Goes on by h, or to the first event on the way, where the mode changes. Returns whether there was one. */
static int advance(const friction *f, block *b, double h) {
  block next = step(f, b, h);
  int event = ended(f, &next) >= 0;
  if (event) {
    double before = 0, after = h;
    while (after - before > 1e-15) {
      double middle = (before + after) / 2;
      next = step(f, b, middle);
      if (ended(f, &next) >= 0)
        after = middle;
      else
        before = middle;
    }
    next = step(f, b, after);
    cps_law_input in = contact(&next);
    next.mode = cps_law_transition(f->law, f->p, &in, ended(f, &next), NULL, NULL);
    if (fabs(next.u - belt) < 1e-12) next.u = belt; /* caught: now exactly as fast as the belt */
  }
  *b = next;
  return event;
}

/* Ten seconds from rest, at x = 0; a row of the table every 10 ms and at each event. */
static history simulate(const friction *f, FILE *table) {
  history past = {0};
  block b = {0};
  cps_law_input in = contact(&b);
  b.mode = cps_law_mode(f->law, f->p, &in);
  fprintf(table, "t,x,u,f,mode\n");
  for (int row = 0; row < 1000; row++) {
    double until = 0.01 * (row + 1);
    while (b.t < until) {
      int event = advance(f, &b, fmin(1e-4, until - b.t));
      if (event && past.n_events < MOST_EVENTS) past.event[past.n_events++] = b.t;
      if (event || b.t >= until) {
        char mode[16];
        cps_law_mode_name(f->law, b.mode, mode, sizeof mode);
        fprintf(table, "%.9f,%.9f,%.9f,%.9f,%s\n", b.t, b.x, b.u, friction_force(f, &b), mode);
      }
    }
    if (row == 29) past.ride[0] = b.x - belt * b.t;
    if (row == 79) past.ride[1] = b.x - belt * b.t;
  }
  return past;
}

/* Runs a law, with its table in DIR/NAME.csv. */
static int run(const char *name, const char *dir, history *past) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.csv", dir, name);
  FILE *table = fopen(path, "w");
  if (!table) {
    perror(path);
    return 0;
  }
  friction f = make_friction(name);
  *past = simulate(&f, table);
  return fclose(table) == 0;
}

int main(int argc, char **argv) {
  const char *dir = argc > 1 ? argv[1] : ".";
  history sticks, creeps;
  if (!run("coulomb-static", dir, &sticks) || !run("brown-mcphee", dir, &creeps)) return 3;

  /* In closed form: it rides from x_d - a to x_d + a, then swings freely around x_d until it is caught. */
  double omega = sqrt(stiffness / mass);
  double a = (mu_s - mu_d) * mass * gravity / stiffness;
  double exact = 2 * a / belt + (2 * acos(-1) - 2 * atan(a * omega / belt)) / omega;
  double period = sticks.event[3] - sticks.event[1];
  double slid = 1000 * fabs(sticks.ride[1] - sticks.ride[0]),
         crept = 1000 * fabs(creeps.ride[1] - creeps.ride[0]);

  printf("block on a belt, 10 s: caught at %.9f s, slips at %.9f s, caught again at %.9f s\n",
         sticks.event[0], sticks.event[1], sticks.event[2]);
  printf("  period of the stick-slip cycle      %.9f s   (closed form %.9f s)\n", period, exact);
  printf("  slid while riding, coulomb-static   %.6f mm\n", slid);
  printf("  slid while riding, brown-mcphee     %.6f mm\n", crept);
  printf("  results                             %s/coulomb-static.csv, %s/brown-mcphee.csv\n", dir, dir);
  return fabs(period - exact) < 1e-9 && slid < 1e-9 && crept > 0.1 ? 0 : 1;
}
