/* link_lexicon.h - links between the tokens of sentence pairs, learned from the pairs alone: a lexicon (IBM model 1,
 * lexicon.h) in each direction, and the links on which both agree. They are the reference that calibration compares
 * attention with. On the embedded model's held-out pairs, this intersection is closer to eflomal's links than either
 * direction or their grown union. */
#ifndef DRAGOMAN_LINK_LEXICON_H
#define DRAGOMAN_LINK_LEXICON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "tokenizer.h"

typedef struct LinkLexicon LinkLexicon; /* fields: link_lexicon.c */

/* The sizes of both vocabularies. `end` is a target id that stands for no word: source tokens without a translation
 * are linked to it, as target tokens without one are linked to the special tokens of the source. OK: the caller owns
 * *out. */
MUST_USE Status link_lexicon_new(LinkLexicon **out, size_t source_size, size_t target_size, int32_t end, Err *err);
void link_lexicon_free(LinkLexicon *lexicon); /* NULL is allowed */

/* Copies a pair; `target` has no special tokens. Sets *full instead when there is no room for it. */
MUST_USE Status link_lexicon_add(LinkLexicon *lexicon, const Encoding *source, const IdList *target, bool *full,
                                 Err *err);
MUST_USE Status link_lexicon_learn(LinkLexicon *lexicon, Err *err);

/* links[target->len]: the index in source->ids that each target token is linked to, or -1. */
MUST_USE Status link_lexicon_links(LinkLexicon *lexicon, const Encoding *source, const IdList *target, int32_t *links,
                                   Err *err);

#endif
