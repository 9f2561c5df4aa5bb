/* family_bart.h - BART and what is built like it: family_bart.c. */
#ifndef DRAGOMAN_FAMILY_BART_H
#define DRAGOMAN_FAMILY_BART_H

#include "family.h"

extern const Family marian_family, bart_family, mbart_family, m2m100_family;

#endif
