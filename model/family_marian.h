/* family_marian.h - OPUS-MT and other Marian models in Hugging Face's form. */
#ifndef DRAGOMAN_FAMILY_MARIAN_H
#define DRAGOMAN_FAMILY_MARIAN_H

#include "family.h"

extern const Family marian_family;

#endif
