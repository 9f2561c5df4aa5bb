/* public_parts.h - the fields of Dragoman, for the files that implement the public headers. */
#ifndef DRAGOMAN_PUBLIC_PARTS_H
#define DRAGOMAN_PUBLIC_PARTS_H

#include "option_fields.h"
#include "translator.h"

struct Dragoman {
    Translator *translator;
    Spelling spelling;
};

#endif
