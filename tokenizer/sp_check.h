/* sp_check.h - a SentencePiece model file, read with distrust.
 * libsentencepiece believes its file: an offset outside the character map is
 * followed, more nested rules than its stack has room for overrun it, and a
 * failed self-test is printed. So the file is walked here first. */
#ifndef DRAGOMAN_SP_CHECK_H
#define DRAGOMAN_SP_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "unigram.h"

/* What the tokenizer needs to know of a sound model. */
typedef struct {
    size_t pieces;
    bool adds_prefix;           /* a text gets a space in front of it (add_dummy_prefix) */
    bool bytes;                 /* unknown characters come as bytes (byte_fallback) */
    size_t longest_replacement; /* bytes that one character may become */
    Unigram *unigram;           /* its pieces, or NULL for another kind of model; the caller's: unigram_free() */
} SpTraits;

/* Checks the bytes of `path` and appends them to *model, less what dragoman
 * has no use for (the self-test). ERR_FORMAT names the file and the fault. */
MUST_USE Status sp_check_model(const unsigned char *data, size_t size, const char *path, Buf *model, SpTraits *traits,
                               Err *err);

/* Checks a precompiled character map, as normalizer_spec and
 * denormalizer_spec hold it:
 *   u32 n (little-endian), n bytes of double-array trie, NUL-ended strings.
 * *longest is the length of the longest string reached. NULL, or what is
 * wrong with it. */
MUST_USE const char *sp_charsmap_fault(const unsigned char *map, size_t size, size_t *longest);

#endif
