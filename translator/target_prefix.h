/* target_prefix.h - the forced beginning of translations: of all (DRAGOMAN_PREFIX), or of one line
 * (dragoman_request_prefix()). */
#ifndef DRAGOMAN_TARGET_PREFIX_H
#define DRAGOMAN_TARGET_PREFIX_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "line_request.h"
#include "search_params.h"
#include "tokenizer.h"

typedef struct {
    LineText text;
    bool pieces;      /* the text consists of pieces */
    const char *name; /* for messages */
} TargetPrefix;

/* Appends the ids of the prefix for a search with these parameters, whose forced first token goes before them; none for
 * an empty text. Text that the vocabulary lacks becomes the unknown token, and *has_unknown true. ERR_USAGE for a text
 * that is not valid UTF-8 or contains a newline, and for a piece that is not in the vocabulary. */
MUST_USE Status target_prefix_encode(IdList *out, bool *has_unknown, const TargetPrefix *prefix,
                                     const Tokenizer *tokenizer, const SearchParams *params, Err *err);

/* ERR_USAGE if there is no room for another token after the prefix. */
MUST_USE Status target_prefix_check_room(const IdList *ids, const char *name, const SearchParams *params, Err *err);

#endif
