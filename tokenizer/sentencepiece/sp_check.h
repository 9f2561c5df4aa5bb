/* sp_check.h - validates a SentencePiece model file, or writes one from parts of another file.
 * libsentencepiece trusts its file: it follows an offset outside the character map, overruns its stack when more
 * rules nest than it has room for, and prints the result of a failed self-test. Therefore dragoman checks the file
 * first. */
#ifndef DRAGOMAN_SP_CHECK_H
#define DRAGOMAN_SP_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "sp_pieces.h"
#include "sp_shim.h"

typedef enum { SP_UNIGRAM = 1, SP_BPE, SP_WORD, SP_CHAR } SpKind;

/* A second normalizer, for decoded texts. */
typedef struct {
    bool add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces;
    Buf map; /* the validated character map; empty: there is no such normalizer */
} SpDenormalizer;

/* The settings and pieces of a valid model. The booleans have the names of SentencePiece's protocol buffer. */
typedef struct {
    SpPieces *pieces;
    SpKind kind;
    bool add_dummy_prefix;           /* a space is added before a text */
    bool remove_extra_whitespaces;   /* runs of spaces become one */
    bool escape_whitespaces;         /* spaces are written as U+2581 */
    bool treat_whitespace_as_suffix; /* the space is added after a text, not before it */
    Buf map;                         /* the validated character map, or empty */
    bool bytes;                      /* unknown characters become byte pieces */
    bool unused;                     /* some pieces are of type UNUSED */
    SpDenormalizer denormalizer;
    char *unk_surface;          /* text of the unknown piece */
    SpOriginStyle origins;      /* not in the file: see sp_shim_set_origins() */
    bool keeps_end;             /* not in the file: see SpEdges */
    bool joins_white_space;     /* not in the file: see sp_shim_set_white_space() */
    size_t longest_replacement; /* bytes that one character can become */
} SpTraits;

/* Checks the bytes of `path`. Appends to *model the bytes that libsentencepiece must load; none if dragoman does
 * everything itself. *traits must be {0}; the caller frees it with sp_traits_free(), even after an error. ERR_FORMAT
 * names the file and the fault. */
MUST_USE Status sp_check_model(const unsigned char *data, size_t size, const char *path, Buf *model, SpTraits *traits,
                               Err *err);
void sp_traits_free(SpTraits *traits);

/* True if dragoman itself encodes texts with this model; otherwise libsentencepiece does, which takes 30 ms to load
 * 32,000 pieces. dragoman itself can decode the pieces of every model. */
bool sp_check_can_encode(const SpTraits *traits);

/* Checks a precompiled character map of normalizer_spec or denormalizer_spec:
 *   u32 n (little-endian), n bytes of double-array trie, NUL-terminated strings.
 * Sets *longest to the length of the longest reachable string. Returns NULL, or a description of the fault. */
MUST_USE const char *sp_charsmap_fault(const unsigned char *map, size_t size, size_t *longest);

/* Finds the longest rule of a valid map that matches the beginning of text[0..len). Returns the number of bytes that
 * it replaces, or 0, and sets *to to the replacement. */
size_t sp_charsmap_match(const Buf *map, const char *text, size_t len, const char **to, size_t *to_len);

/* The byte of a piece "<0x00>" to "<0xFF>", or -1. */
int sp_byte_of(const char *piece, size_t len);

/* Settings of a model, under the names of SentencePiece's protocol buffer. */
typedef struct {
    bool bpe;                      /* else unigram */
    bool bytes;                    /* unknown characters become <0xNN> */
    bool add_dummy_prefix;         /* a space is added before each text */
    bool remove_extra_whitespaces; /* runs of spaces become one; those at both ends are removed */
    const Buf *charsmap;           /* precompiled_charsmap; empty: characters stay unchanged */
} SpSettings;

/* Write the bytes of a model file, which sp_check_model() then reads and validates like any other. Each call appends to
 * *model. Pieces get their ids in the order of the calls. */
MUST_USE Status sp_build_piece(Buf *model, const char *piece, size_t len, float score, SpPieceType type, Err *err);
MUST_USE Status sp_build_settings(Buf *model, const SpSettings *settings, Err *err);

#endif
