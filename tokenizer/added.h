/* added.h - tokens that were added to a vocabulary (add_tokens()) and are not
 * special. They are cut out of a text before SentencePiece sees the rest.
 * Read-only once made. */
#ifndef DRAGOMAN_ADDED_H
#define DRAGOMAN_ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "sp_shim.h"
#include "token_config.h"

typedef struct Added Added; /* fields: added.c */

/* *out is NULL when there are none. */
MUST_USE Status added_new(Added **out, const TokenConfig *config, const SpModel *model, Err *err);
void added_free(Added *added); /* NULL is allowed */

bool added_has(const Added *added, const char *piece);

/* Takes a part of a text: a token, or what lies between two of them
 * (`token` is NULL then). */
typedef Status (*AddedFn)(void *context, const char *text, size_t len, const AddedToken *token, Err *err);

/* Cuts the text at its leftmost token, of those that begin there the longest,
 * and goes on behind it. */
MUST_USE Status added_split(const Added *added, const char *text, size_t len, AddedFn each, void *context, Err *err);

#endif
