/* plain_text.h - texts that came from elsewhere and are to be shown: what could act on a terminal, or make a line read
 * otherwise than it is, is replaced. */
#ifndef CPS_PLAIN_TEXT_H
#define CPS_PLAIN_TEXT_H

#include <stddef.h>

/* How many bytes at the start of text are one character that is harmless: 0 if it is a control character (also those
 * above 127), a mark that changes the direction of text, or not UTF-8. Line feeds and tabs are not harmless. */
int cps_plain_length(const char *text);

/* The first place in a text that has a control character other than a line feed or a tab, a mark that turns the order of what
 * is read, or something that is not UTF-8; its name, such as U+001B. NULL if there is none. */
const char *cps_plain_control(const char *text, char name[16]);

/* Whether a text consists of letters, digits, - and _; of what is beyond ASCII, signs and marks are no letters. */
int cps_plain_name(const char *text);

/* Replacing what is not harmless is cps_plain_text of capstan.h. */
#include "capstan.h"

#endif
