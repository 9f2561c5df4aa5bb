/* family_marian_nmt.h - models in Marian's own files. */
#ifndef DRAGOMAN_FAMILY_MARIAN_NMT_H
#define DRAGOMAN_FAMILY_MARIAN_NMT_H

#include "family.h"

extern const Family marian_nmt_family;

#endif
