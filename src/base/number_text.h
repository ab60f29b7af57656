/* number_text.h - numbers as text. */
#ifndef CPS_NUMBER_TEXT_H
#define CPS_NUMBER_TEXT_H

#include <stddef.h>

#include "capstan.h"

enum { NUMBER_TEXT = CPS_NUMBER_TEXT };

#endif
