/* families.h - the families, one row each; family_table.c lists them. */
#ifndef DRAGOMAN_FAMILIES_H
#define DRAGOMAN_FAMILIES_H

#include "family.h"

extern const Family marian_family, bart_family, mbart_family, m2m100_family; /* family_bart.c */
extern const Family t5_family, mt5_family, umt5_family;                      /* family_t5.c */
extern const Family ctranslate2_family;                                      /* models of CTranslate2's converters */
extern const Family marian_nmt_family;                                       /* models in Marian's own files */
extern const Family transformer_family;                                      /* the tutorials' own Transformers */

#endif
