/* added.h - tokens that were added to a vocabulary (add_tokens()) and are not special. They are split off before
 * SentencePiece sees the rest of a text.
 * Read-only once made. */
#ifndef DRAGOMAN_ADDED_H
#define DRAGOMAN_ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ranges.h"
#include "sp_shim.h"
#include "token_config.h"

typedef struct Added Added; /* fields: added.c */

/* Sets *out to NULL if there are none. */
MUST_USE Status added_new(Added **out, const TokenConfig *config, const SpModel *model, Err *err);
void added_free(Added *added); /* NULL is allowed */

bool added_has(const Added *added, const char *piece);

/* Receives one part of a text: a token, or the text between two tokens (`token` is NULL then). `map` has the origins of
 * the part's bytes; it is empty if they are not asked for. */
typedef Status (*AddedFn)(void *context, const char *text, size_t len, const RangeList *map, const AddedToken *token,
                          Err *err);

/* Splits the text at its added tokens, from left to right. Of the tokens that begin at the same position, the longest
 * wins. `traced`: the origins of the parts are asked for. */
MUST_USE Status added_split(const Added *added, const char *text, size_t len, bool traced, AddedFn each, void *context,
                            Err *err);

#endif
