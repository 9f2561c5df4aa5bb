/* family_transformer.h - the tutorials' own Transformers. */
#ifndef DRAGOMAN_FAMILY_TRANSFORMER_H
#define DRAGOMAN_FAMILY_TRANSFORMER_H

#include "family.h"

extern const Family transformer_family;

#endif
