/* alpha_nodes.c - alpha_nodes.h for every processor, and the choice between the two. */
#define ALPHA_NODES(x) cps_plain_nodes_##x
#include "alpha_nodes.h"
#include "processor.h"

#if CPS_FUSED
#define CHOOSE(x, ...) (cps_has_fused() ? cps_fused_nodes_##x(__VA_ARGS__) : cps_plain_nodes_##x(__VA_ARGS__))
#else
#define CHOOSE(x, ...) cps_plain_nodes_##x(__VA_ARGS__)
#endif

void cps_nodes_expect(cable *c, const alpha_weights *u, double lengths) { CHOOSE(expect, c, u, lengths); }

void cps_nodes_learn(cable *c, double lengths, double fades) { CHOOSE(learn, c, lengths, fades); }

double cps_nodes_finish(cable *c, const alpha_weights *u) { return CHOOSE(finish, c, u); }
