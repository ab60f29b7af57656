/* sparse_order.c - an elimination order with little fill-in: minimum degree on a quotient graph.
 *
 * P. R. Amestoy, T. A. Davis, I. S. Duff, An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal. Appl. 17(4), 1996,
 * from which the approximate degree and the absorption of elements are taken. Eliminating a variable makes an element of it: the clique
 * of the variables that it was adjacent to, kept as one list. A variable is adjacent to variables and to elements; both lists only get
 * shorter, since an element takes the place of what it covers, so they stay where they are. The pattern is that of A + A'.
 */
#include "sparse.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph {
  int n, left; /* variables, and those not eliminated yet */
  int *list;   /* neighbours of variables, then the variables of elements */
  long used, room;
  long *start;    /* [n] where the list of a variable, or of the element that it became, starts */
  int *elements;  /* [n] a variable's list: so many elements, ... */
  int *variables; /* [n] ... and behind them so many variables; an element's: its variables */
  int *degree;    /* [n] approximate, and the list of variables of the same degree: */
  int *next, *before, *head;
  int *mark; /* [n] 1: in the element that is being made */
  int *
      outside; /* [n] of an element: its variables outside of the one that is being made; -1: not looked at */
  signed char *state; /* [n] */
} graph;

enum { VARIABLE, ELEMENT, GONE };

static void take_out(graph *g, int i) {
  int d = g->degree[i];
  if (g->before[i] >= 0)
    g->next[g->before[i]] = g->next[i];
  else
    g->head[d] = g->next[i];
  if (g->next[i] >= 0) g->before[g->next[i]] = g->before[i];
}

static void put_in(graph *g, int i, int degree) {
  g->degree[i] = degree;
  g->before[i] = -1;
  g->next[i] = g->head[degree];
  if (g->next[i] >= 0) g->before[g->next[i]] = i;
  g->head[degree] = i;
}

/* The neighbours of all variables, each pair once in either direction. */
static int fill_lists(graph *g, const sparse *m) {
  int n = m->n;
  for (int j = 0; j < n; j++)
    for (int k = m->first[j]; k < m->first[j + 1]; k++) {
      if (m->row[k] == j) continue;
      g->variables[j]++;
      g->variables[m->row[k]]++;
    }
  long total = 0;
  for (int j = 0; j < n; j++) {
    g->start[j] = total;
    total += g->variables[j];
    g->variables[j] = 0;
  }
  g->room = 2 * total + n + 1;
  g->list = malloc((size_t)g->room * sizeof(int));
  if (!g->list) return 0;
  for (int j = 0; j < n; j++)
    for (int k = m->first[j]; k < m->first[j + 1]; k++) {
      int i = m->row[k];
      if (i == j) continue;
      g->list[g->start[j] + g->variables[j]++] = i;
      g->list[g->start[i] + g->variables[i]++] = j;
    }
  for (int j = 0; j < n; j++) {
    int *list = g->list + g->start[j], kept = 0;
    for (int k = 0; k < g->variables[j]; k++)
      if (!g->mark[list[k]]) {
        g->mark[list[k]] = 1;
        list[kept++] = list[k];
      }
    g->variables[j] = kept;
    for (int k = 0; k < kept; k++) g->mark[list[k]] = 0;
  }
  g->used = total;
  return 1;
}

/* Makes the element of variable p: all that it is adjacent to, also by elements, which are absorbed. Returns 0 without memory. */
static int make_element(graph *g, int p) {
  long most = g->variables[p];
  const int *own = g->list + g->start[p];
  for (int k = 0; k < g->elements[p]; k++) most += g->variables[own[k]];
  if (g->used + most > g->room) {
    long room = 2 * (g->used + most);
    int *more = realloc(g->list, (size_t)room * sizeof(int));
    if (!more) return 0;
    g->list = more;
    g->room = room;
    own = g->list + g->start[p];
  }
  int *element = g->list + g->used, n = 0;
  g->mark[p] = 1;
  for (int k = 0; k <= g->elements[p]; k++) {
    int is_own = k == g->elements[p], e = is_own ? p : own[k];
    const int *from = is_own ? own + g->elements[p] : g->list + g->start[e];
    for (int i = 0; i < g->variables[e]; i++)
      if (!g->mark[from[i]]) {
        g->mark[from[i]] = 1;
        element[n++] = from[i];
      }
    if (!is_own) g->state[e] = GONE;
  }
  g->state[p] = ELEMENT;
  g->start[p] = g->used;
  g->elements[p] = 0;
  g->variables[p] = n;
  g->used += n;
  return 1;
}

/* Counts, for all elements next to the new one, the variables they have outside of it. */
static void count_outside(graph *g, int p) {
  const int *element = g->list + g->start[p];
  for (int k = 0; k < g->variables[p]; k++) {
    const int *near = g->list + g->start[element[k]];
    for (int i = 0; i < g->elements[element[k]]; i++) {
      int e = near[i];
      if (g->state[e] != ELEMENT) continue;
      if (g->outside[e] < 0) g->outside[e] = g->variables[e];
      g->outside[e]--;
    }
  }
}

/* Shortens the lists of a variable of the new element p, and finds its degree. */
static void renew(graph *g, int p, int i) {
  int *list = g->list + g->start[i], n_elements = 0, kept = 0, ends = g->elements[i] + g->variables[i];
  int degree = g->variables[p] - 1;
  for (int k = 0; k < g->elements[i]; k++) {
    int e = list[k];
    if (g->state[e] != ELEMENT || g->outside[e] == 0) continue;
    degree += g->outside[e];
    list[n_elements++] = e;
  }
  for (int k = g->elements[i]; k < ends; k++)
    if (!g->mark[list[k]]) list[n_elements + kept++] = list[k];
  /* There is a place for p: it covers an element or a variable that was here. */
  list[n_elements + kept] = list[n_elements];
  list[n_elements] = p;
  g->elements[i] = n_elements + 1;
  g->variables[i] = kept;
  degree += kept;
  int bound = g->degree[i] + g->variables[p] - 1;
  if (degree > bound) degree = bound;
  put_in(g, i, degree < g->left - 1 ? degree : g->left - 1);
}

static void forget_marks(graph *g, int p) {
  const int *element = g->list + g->start[p];
  g->mark[p] = 0;
  for (int k = 0; k < g->variables[p]; k++) {
    int i = element[k];
    g->mark[i] = 0;
    const int *near = g->list + g->start[i];
    for (int e = 0; e < g->elements[i]; e++) g->outside[near[e]] = -1;
  }
}

/* Elements within the new one are absorbed by it, too. */
static void absorb(graph *g, int p) {
  const int *element = g->list + g->start[p];
  for (int k = 0; k < g->variables[p]; k++) {
    const int *near = g->list + g->start[element[k]];
    for (int i = 0; i < g->elements[element[k]]; i++)
      if (near[i] != p && g->state[near[i]] == ELEMENT && g->outside[near[i]] == 0) g->state[near[i]] = GONE;
  }
}

static int eliminate(graph *g, int *order) {
  int least = 0;
  for (int k = 0; k < g->n; k++) {
    while (g->head[least] < 0) least++;
    int p = g->head[least];
    order[k] = p;
    take_out(g, p);
    g->left--;
    if (!make_element(g, p)) return 0;
    const int *element = g->list + g->start[p];
    for (int i = 0; i < g->variables[p]; i++) take_out(g, element[i]);
    count_outside(g, p);
    absorb(g, p);
    for (int i = 0; i < g->variables[p]; i++) renew(g, p, element[i]);
    for (int i = 0; i < g->variables[p]; i++)
      if (g->degree[element[i]] < least) least = g->degree[element[i]];
    forget_marks(g, p);
  }
  return 1;
}

int cps_sparse_order(const sparse *m, int *order) {
  size_t n = (size_t)m->n + 1;
  graph g = {.n = m->n, .left = m->n};
  int **arrays[] = {&g.elements, &g.variables, &g.degree, &g.next, &g.before, &g.head, &g.mark, &g.outside};
  g.start = calloc(n, sizeof(long));
  g.state = calloc(n, 1);
  int good = g.start && g.state;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    good = (*arrays[i] = calloc(n, sizeof(int))) && good;
  if (good && fill_lists(&g, m)) {
    for (int i = 0; i < m->n; i++) g.head[i] = g.outside[i] = -1;
    for (int i = 0; i < m->n; i++) put_in(&g, i, g.variables[i]);
    good = eliminate(&g, order);
  } else {
    good = 0;
  }
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(*arrays[i]);
  free(g.start);
  free(g.state);
  free(g.list);
  return good;
}
