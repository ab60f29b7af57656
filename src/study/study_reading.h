/* study_reading.h - what study_read.c and study_vary.c share. */
#ifndef CPS_STUDY_READING_H
#define CPS_STUDY_READING_H

#include "reader.h"
#include "study_keys.h"

enum { SETTINGS_MOST = 500 };

/* Room for one more item at the end of an array; NULL if out of memory. */
void *cps_study_more(document *d, void **array, int n, size_t size);

/* A value as a setting, "path=value"; the caller's to free, NULL if out of memory. */
char *cps_study_setting(document *d, const char *path, const node *value);
/* The scenario with further settings; says at a node what is wrong with it otherwise. */
cps_scenario *cps_study_with(reader *r, const node *at, const cps_scenario *s, const char *const *settings,
                             int n);

/* Complains about a name that the table cannot have, or has already. */
void cps_study_check_name(reader *r, const cps_study *s, const node *at, const char *name);

/* An entry of `vary`: a parameter, and a dimension unless it shares one. */
void cps_study_read_varied(reader *r, cps_study *s, const map_entry *entry);
void cps_study_free_dimension(study_dimension *d);

#endif
