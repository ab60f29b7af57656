/* alpha_nodes.h - what generalised-alpha does with the nodes of a cable in the plane before and after a step: a node is a vector, of which the
 * first two numbers are its place and the others its slope. A template, compiled for every processor and with fused products
 * (alpha_nodes.c, alpha_nodes_fused.c); alpha_predict.c says what it is about.
 */
#include "newton.h"
#include "simd.h"

#include <float.h>

/* Where the nodes are expected at the end of the step: with accelerations that change as they did in the last one, by the part that fitted best,
 * times `lengths`; 0: with accelerations that stay. */
void ALPHA_NODES(expect)(cable *c, const alpha_weights *u, double lengths) {
  const four h = four_of(u->h), q_0 = four_of(u->q_aux), q_1 = four_of(u->q_old), q_2 = four_of(u->q_new);
  const four v_0 = four_of(u->v.x_aux), v_1 = four_of(u->v.x_old), v_2 = four_of(u->v.x_new);
  const four one = four_of(1), by_length = four_of(lengths);
  for (int k = 0; k <= c->n; k++) {
    four v = load(c->v + k * 4), aux = load(c->aux + k * 4), a0 = load(c->a0 + k * 4), a = load(c->a + k * 4);
    if (lengths != 0) {
      four sums = load(c->trend[k]);
      four products = __builtin_shufflevector(sums, sums, 0, 0, 2, 2),
           squares = __builtin_shufflevector(sums, sums, 1, 1, 3, 3);
      four by = products / larger(squares, four_of(DBL_MIN)); /* both are zero where nothing has changed */
      by = larger(-one, -larger(-one, -by));
      a += by_length * by * load(c->rise + k * 4);
      save(c->a + k * 4, a);
    }
    save(c->q + k * 4, load(c->q + k * 4) + (h * v + q_0 * aux + q_1 * a0 + q_2 * a));
    save(c->v + k * 4, v + (v_0 * aux + v_1 * a0 + v_2 * a));
  }
}

/* Adds a step to the sums, of which `fades` is left. */
void ALPHA_NODES(learn)(cable *c, double lengths, double fades) {
  const four weights = {lengths, lengths * lengths, lengths, lengths * lengths};
  for (int k = 0; k <= c->n; k++) {
    four now = load(c->a + k * 4) - load(c->a0 + k * 4), last = load(c->rise + k * 4);
    four products = now * last, squares = last * last;
    products += __builtin_shufflevector(products, products, 1, 0, 3, 2);
    squares += __builtin_shufflevector(squares, squares, 1, 0, 3, 2);
    save(c->trend[k], four_of(fades) * load(c->trend[k]) +
                          weights * __builtin_shufflevector(products, squares, 0, 4, 2, 6));
    save(c->rise + k * 4, now);
  }
}

/* Auxiliary accelerations at the end of the step; the sum of squares of how much those of places have changed. */
double ALPHA_NODES(finish)(cable *c, const alpha_weights *u) {
  const four by_a = four_of(u->v.aux_new), by_a0 = four_of(u->v.aux_old), by_aux = four_of(u->v.aux_aux);
  four squares = four_of(0);
  for (int k = 0; k <= c->n; k++) {
    four before = load(c->aux0 + k * 4);
    four aux = by_a * load(c->a + k * 4) + by_a0 * load(c->a0 + k * 4) + by_aux * before;
    save(c->aux + k * 4, aux);
    squares += (aux - before) * (aux - before);
  }
  return squares[0] + squares[1];
}
