/* family_ctranslate2.h - models that CTranslate2's converters made. */
#ifndef DRAGOMAN_FAMILY_CTRANSLATE2_H
#define DRAGOMAN_FAMILY_CTRANSLATE2_H

#include "family.h"

extern const Family ctranslate2_family;

#endif
