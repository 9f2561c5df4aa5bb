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
#include "sp_pieces.h"

typedef enum { SP_UNIGRAM = 1, SP_BPE, SP_WORD, SP_CHAR } SpKind;

/* What a sound model says. */
typedef struct {
    SpPieces *pieces;
    SpKind kind;
    bool adds_prefix;           /* a text gets a space in front of it (add_dummy_prefix) */
    bool joins_spaces;          /* several spaces are one (remove_extra_whitespaces) */
    bool bytes;                 /* unknown characters come as bytes (byte_fallback) */
    bool unused;                /* some pieces are unused */
    bool denormalizes;          /* a decoded text goes through a character map of its own */
    char *unknown_text;         /* what the unknown piece is decoded to (unk_surface) */
    size_t longest_replacement; /* bytes that one character may become */
} SpTraits;

/* Checks the bytes of `path` and appends to *model what libsentencepiece has
 * to know. *traits, {0} before, is ended with sp_traits_free() in every case.
 * ERR_FORMAT names the file and the fault. */
MUST_USE Status sp_check_model(const unsigned char *data, size_t size, const char *path, Buf *model, SpTraits *traits,
                               Err *err);
void sp_traits_free(SpTraits *traits);

/* The library has only the model's settings and its user-defined symbols, so
 * that it opens at once: it normalizes texts, and dragoman cuts and joins. */
bool sp_check_is_stripped(const SpTraits *traits);

/* Checks a precompiled character map, as normalizer_spec and
 * denormalizer_spec hold it:
 *   u32 n (little-endian), n bytes of double-array trie, NUL-ended strings.
 * *longest is the length of the longest string reached. NULL, or what is
 * wrong with it. */
MUST_USE const char *sp_charsmap_fault(const unsigned char *map, size_t size, size_t *longest);

/* The byte of a piece "<0x00>" to "<0xFF>", else -1. */
int sp_byte_of(const char *piece, size_t len);

#endif
