/* target_prefix.h - the forced beginning of translations: of all (DRAGOMAN_PREFIX), or of one line
 * (dragoman_request_prefix()). */
#ifndef DRAGOMAN_TARGET_PREFIX_H
#define DRAGOMAN_TARGET_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "search_params.h"
#include "tokenizer.h"

typedef struct {
    LineText text;
    bool pieces;      /* the text consists of pieces */
    const char *name; /* for messages */
} TargetPrefix;

/* What became of the text of a prefix. */
typedef struct {
    bool has_unknown; /* the vocabulary lacks some of it, which is now the unknown token */
    size_t added;     /* forced first tokens before its own ones: 0 or 1 */
} PrefixFacts;

/* Appends the ids of the prefix for a search with these parameters, whose forced first token goes before them; none for
 * an empty text. ERR_USAGE for a text that is not valid UTF-8 or contains a newline, and for a piece that is not in the
 * vocabulary. */
MUST_USE Status target_prefix_encode(IdList *out, PrefixFacts *facts, const TargetPrefix *prefix,
                                     const Tokenizer *tokenizer, const SearchParams *params, Err *err);

/* ERR_USAGE if there is no room for another token after the prefix. */
MUST_USE Status target_prefix_check_room(const IdList *ids, const char *name, const SearchParams *params, Err *err);

#endif
