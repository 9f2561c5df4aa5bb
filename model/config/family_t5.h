/* family_t5.h - T5 and its descendants: family_t5.c. */
#ifndef DRAGOMAN_FAMILY_T5_H
#define DRAGOMAN_FAMILY_T5_H

#include "family.h"

extern const Family t5_family, mt5_family, umt5_family;

#endif
