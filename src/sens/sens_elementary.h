/* sens_elementary.h - elementary linear maps, forward or with `back` transposed, of numbers of the type NUMBER, in which OF(x) has x in
 * every lane. What is made of them is written once, and gone through from its start for changes and from its end for weights. */

/* *to += by *from. */
INLINE void add(int back, NUMBER *to, double by, NUMBER *from) {
  if (back)
    *from += OF(by) * *to;
  else
    *to += OF(by) * *from;
}

/* *to = by *from, and nothing else. */
INLINE void put(int back, NUMBER *to, double by, NUMBER *from) {
  if (back) {
    *from += OF(by) * *to;
    *to = OF(0);
  } else {
    *to = OF(by) * *from;
  }
}

/* The same for a number that several are added to: from opened to closed it is the sum. */
INLINE NUMBER opened(int back, const NUMBER *to) { return back ? *to : OF(0); }

INLINE void closed(int back, NUMBER *to, NUMBER sum) { *to = back ? OF(0) : sum; }

static inline void clear(NUMBER *z, int at, int n) {
  if (n > 0) memset(z + at, 0, (size_t)n * sizeof *z);
}

static inline void copy(int back, NUMBER *z, int to, int from, int n) {
  if (!back) {
    if (n > 0) memcpy(z + to, z + from, (size_t)n * sizeof *z);
    return;
  }
  for (int k = 0; k < n; k++) z[from + k] += z[to + k];
  clear(z, to, n);
}

/* A list of entries, one after the other. */
static inline void apply(int back, const entries *list, NUMBER *z) {
  const entry *e = list->e;
  for (int i = 0; i < list->n && !back; i++) z[e[i].row] += OF(e[i].by) * z[e[i].column];
  for (int i = list->n - 1; i >= 0 && back; i--) z[e[i].column] += OF(e[i].by) * z[e[i].row];
}
