/* network.h - where bodies rest that hang in several cables. See network.c. */
#ifndef CPS_NETWORK_H
#define CPS_NETWORK_H

#include "cable_path.h"

typedef struct network {
  cps_scenario *s;   /* whose bodies and drums are moved; its lists of them are the network's own */
  const char *moves; /* [bodies] which of them may move */
  const double *
      natural; /* [cables] unstretched lengths; not above 0: the cable has none, and holds nothing; NAN: its hangs and straight
                            pieces are as long as the path says, the rest of it is what it is where the bodies are */
  int rims_stay; /* ends on rims are where they are now, and more or less is wound as bodies move; else as many turns as paths say */
} network;

typedef enum network_verdict {
  NETWORK_RESTS, /* the bodies are where they rest */
  NETWORK_RUNS,  /* nothing holds one of them, which *body says */
  NETWORK_LOST,  /* the search did not end, or there are too many of them; bodies are as before */
  NETWORK_NO_MEMORY
} network_verdict;

/* Moves bodies from where they are to where they rest; with rims_stay, wraps beside rims get `more`, for which paths must be the network's
 * own, too. */
network_verdict cps_network_settle(const network *w, int *body);

/* Puts a body and the drums that it carries at a place [3]. */
void cps_body_put(cps_scenario *s, int body, const double *at);
/* Where a body is at the start. */
void cps_body_place(const scenario_body *b, double *at);
/* Unstretched length of a path, in which hangs and straight pieces are as long as they are said to be; 0 if none of them is. */
double cps_path_natural(const path *p, const scenario_cable *c);

#endif
