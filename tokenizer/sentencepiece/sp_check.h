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
    bool escapes_spaces;        /* a space is written as U+2581 (escape_whitespaces) */
    bool spaces_end;            /* the space goes behind a text, not in front (treat_whitespace_as_suffix) */
    Buf map;                    /* the character map, checked; or empty */
    bool bytes;                 /* unknown characters come as bytes (byte_fallback) */
    bool unused;                /* some pieces are unused */
    bool denormalizes;          /* a decoded text goes through a character map of its own */
    char *unknown_text;         /* what the unknown piece is decoded to (unk_surface) */
    size_t longest_replacement; /* bytes that one character may become */
} SpTraits;

/* Checks the bytes of `path` and appends to *model what libsentencepiece has
 * to know: nothing where all is ours. *traits, {0} before, is ended with
 * sp_traits_free() in every case. ERR_FORMAT names the file and the fault. */
MUST_USE Status sp_check_model(const unsigned char *data, size_t size, const char *path, Buf *model, SpTraits *traits,
                               Err *err);
void sp_traits_free(SpTraits *traits);

/* Texts are cut by dragoman (cuts) and joined (joins); else by the library. The
 * library takes 30 ms to open 32,000 pieces. */
bool sp_check_cuts(const SpTraits *traits);
bool sp_check_joins(const SpTraits *traits);

/* Checks a precompiled character map, as normalizer_spec and
 * denormalizer_spec hold it:
 *   u32 n (little-endian), n bytes of double-array trie, NUL-ended strings.
 * *longest is the length of the longest string reached. NULL, or what is
 * wrong with it. */
MUST_USE const char *sp_charsmap_fault(const unsigned char *map, size_t size, size_t *longest);

/* The longest rule of a map without fault that text[0..len) begins with: its
 * bytes, or 0, and what stands in their place. */
size_t sp_charsmap_match(const Buf *map, const char *text, size_t len, const char **to, size_t *to_len);

/* The byte of a piece "<0x00>" to "<0xFF>", else -1. */
int sp_byte_of(const char *piece, size_t len);

#endif
