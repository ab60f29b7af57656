/* solver_vector.c - see solver_vector.h. */
#include "solver_vector.h"

#include <stdlib.h>

/* As that of the serial vectors, whose operations work on it. */
typedef struct content {
  struct _N_VectorContent_Serial serial;
  struct family *family;
  N_Vector next, next_idle; /* all clones of the family; those that nobody uses */
  int idle;
} content;

typedef struct family {
  N_Vector root, spare, first, first_idle;
  int given; /* the spare vector is in use */
} family;

static content *content_of(N_Vector v) { return v->content; }

static void free_vector(N_Vector v) {
  if (!v) return;
  content *c = content_of(v);
  free(c->serial.data);
  free(c);
  N_VFreeEmpty(v);
}

static N_Vector make(N_Vector like, sunindextype n, family *f) {
  N_Vector v = N_VNewEmpty(like->sunctx);
  content *c = calloc(1, sizeof *c);
  realtype *data = calloc(n > 0 ? (size_t)n : 1, sizeof *data);
  if (!v || !c || !data || N_VCopyOps(like, v) != 0) {
    free(data);
    free(c);
    if (v) N_VFreeEmpty(v);
    return NULL;
  }
  c->serial.length = n;
  c->serial.own_data = SUNTRUE;
  c->serial.data = data;
  c->family = f;
  v->content = c;
  return v;
}

static N_Vector clone(N_Vector like) {
  family *f = content_of(like)->family;
  N_Vector v = f->first_idle;
  if (v) {
    f->first_idle = content_of(v)->next_idle;
    content_of(v)->idle = 0;
    return v;
  }
  v = make(like, N_VGetLength(like), f);
  if (!v) {
    f->given = 1;
    return f->spare;
  }
  content_of(v)->next = f->first;
  return f->first = v;
}

static void free_family(family *f) {
  for (N_Vector v = f->first; v;) {
    N_Vector next = content_of(v)->next;
    free_vector(v);
    v = next;
  }
  free_vector(f->spare);
  free_vector(f->root);
  free(f);
}

static void destroy(N_Vector v) {
  if (!v) return;
  content *c = content_of(v);
  family *f = c->family;
  if (v == f->root) {
    free_family(f);
  } else if (v != f->spare && !c->idle) {
    c->idle = 1;
    c->next_idle = f->first_idle;
    f->first_idle = v;
  }
}

SUNContext cps_solver_context(void) {
  /* it follows what it was refused, or cannot even be freed then; so there has to be more than it asks for */
  enum { MORE = 65536 };
  SUNContext made = NULL;
  void *room = malloc(MORE);
  free(room);
  if (!room) return NULL;
  return SUNContext_Create(NULL, &made) == 0 ? made : NULL;
}

N_Vector cps_vector_new(sunindextype n, SUNContext context) {
  N_Vector like = N_VNewEmpty_Serial(n, context);
  family *f = calloc(1, sizeof *f);
  if (like && f && (f->root = make(like, n, f)) != NULL) {
    f->root->ops->nvclone = clone;
    f->root->ops->nvcloneempty = NULL;
    f->root->ops->nvdestroy = destroy;
    f->spare = make(f->root, n, f);
  }
  if (like) N_VDestroy(like);
  if (f && f->spare) return f->root;
  if (f) free_family(f);
  return NULL;
}

int cps_vector_whole(N_Vector v) { return !content_of(v)->family->given; }
