/* models.h - what `capstan models` is made of: one list of entries, and the ways to show them.
 *
 * An entry is a view of a friction law, of a law of normal contact, or of the capstan equation; whatever
 * lists, draws or documents models goes through entries and need not know how many kinds there are.
 */
#ifndef MODELS_H
#define MODELS_H

#include "capstan.h"
#include "chart.h"
#include "json.h"
#include "options.h"
#include "term.h"

typedef struct entry {
  const char *group;
  const char *name, *aliases, *title, *equation, *citation, *note;
  int n_params;
  const cps_param *params;
  const cps_law *law;       /* if it is a friction law */
  const cps_normal *normal; /* if it is a law of normal contact; otherwise it is the capstan equation */
} entry;

/* Parameters of the capstan entry, in the order of its table. */
enum { WRAP_MU, WRAP_ANGLE };

/* entries.c: the list. */
int entry_count(void);
entry entry_at(int i);
/* By name or alias; 0 if there is none. */
int entry_find(const char *name, entry *e);
/* The name or alias nearest to one that is not known, in room[size]. */
const char *entry_nearest(const char *name, char *room, size_t size);
void entry_defaults(const entry *e, double *p);
/* 0 if the parameters are good, otherwise how many complaints were made. */
int entry_check(const entry *e, const double *p);

/* The next part of an equation, which has two blanks between them; 0 at the end. */
int equation_part(const char **rest, char *part, size_t size);

/* A trait in words: the short form for tables, the name in JSON, the sentence for people. */
typedef struct trait {
  unsigned bit;
  const char *brief; /* NULL if not in the table */
  const char *name;
  const char *sentence;
} trait;

extern const trait traits[];
extern const int n_traits;

/* The traits of a law in short, such as "sticks f_eq modes C0". */
void traits_brief(unsigned bits, char *text, size_t size);

/* curves.c: the panels that show an entry under a normal force n, or for the capstan a tension n. */
figure entry_figure(const entry *e, const double *p, double n);

/* models_list.c */
void models_table(FILE *out, const term *t);
void models_json(FILE *out);
void entry_json(json *w, const char *key, const entry *e);

/* models_show.c: one entry for people, with its curves. */
void models_show(FILE *out, const term *t, const entry *e, const double *p, double n);

/* models_at.c: a point given as "v=0.01,n=10": how many complaints it deserves; and, if none, what the model
 * says there. */
int models_at_check(const entry *e, const text_list *points);
void models_at(FILE *out, const entry *e, const double *p, const text_list *points, int as_json);
/* Reads "name=value,..." of --set into p; returns how many complaints were made. */
int models_set(const entry *e, const text_list *settings, double *p);

/* models_doc.c: writes the reference in Markdown and its plots; returns an exit status. */
int models_markdown(const char *path);

/* models_compare.c: laws ("all" or names with commas) in experiments (NULL: all of them), as a page and as JSON. */
int models_compare(const char *laws, const char *tests, const text_list *with, const text_list *set,
                   const char *load, const char *html, int as_json);

#endif
