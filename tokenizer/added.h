/* added.h - tokens that were added to a vocabulary (add_tokens()) and are not special, and the control tokens of
 * prompts. They are split off before SentencePiece sees the rest of a text.
 * Read-only once made. */
#ifndef DRAGOMAN_ADDED_H
#define DRAGOMAN_ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ranges.h"
#include "sp_model.h"
#include "token_config.h"

typedef struct Added Added; /* fields: added.c */

/* How a space between a text and the added token after it is encoded, if the model joins spaces. With the last two
 * values, text that follows an added token and begins with a space gets no second space. */
typedef enum {
    ADDED_SPACE_DROPPED,         /* dropped, like a space at the end of a text */
    ADDED_SPACE_NORMALIZED_ONLY, /* kept before tokens with `normalized`, else dropped */
    ADDED_SPACE_KEPT
} AddedSpace;

/* Sets *out to NULL if there are none. */
MUST_USE Status added_new(Added **out, const TokenConfig *config, const SpModel *model, AddedSpace space, Err *err);
void added_free(Added *added); /* NULL is allowed */

bool added_has(const Added *added, const char *piece);

/* Whether text after an added token begins with a space that replaces the space usually added before a text. */
bool added_begins_with_space(AddedSpace space, const char *text, size_t len);

/* One part of a text: a token, or the text between two tokens. */
typedef struct {
    const char *text; /* [len] */
    size_t len;
    const RangeList *map;    /* [len], the range in the original text of each byte; empty unless `traced` */
    const AddedToken *token; /* NULL: text */
    bool has_space;          /* the text follows another part and begins with a space, so none is added before it */
    bool keeps_end;          /* a space at the end of the text stays */
} AddedPart;

typedef Status (*AddedFn)(void *context, const AddedPart *part, Err *err);

/* Splits the text at its added tokens, from left to right. Of the tokens that begin at the same position, the longest
 * wins. Control tokens are only found outside of the ranges `own`, which are ascending; NULL: all of the text is one.
 * `traced`: the origins of the parts are asked for. */
MUST_USE Status added_split(const Added *added, LineText text, const RangeList *own, bool traced, AddedFn each,
                            void *context, Err *err);

#endif
