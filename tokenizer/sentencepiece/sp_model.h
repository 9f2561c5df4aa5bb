/* sp_model.h - SentencePiece models: their pieces, their file, and the steps from a text to its pieces and back, with
 * dragoman's own encoder and decoder and a C interface to libsentencepiece (sp_shim.cc).
 * The functions throw no exceptions and print nothing. A model is read-only after opening; threads may share one. */
#ifndef DRAGOMAN_SP_MODEL_H
#define DRAGOMAN_SP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "buf.h"
#include "byte_level.h"
#include "err.h"
#include "mapped_file.h"
#include "moses.h"
#include "normal_form.h"
#include "ranges.h"
#include "str_map.h"

/* The character that stands for a space in pieces. */
#define SP_SPACE "\xe2\x96\x81" /* U+2581 */

/* The program whose rules say which bytes of a text a piece stands for. */
typedef enum {
    SP_ORIGINS_SENTENCEPIECE,
    SP_ORIGINS_TOKENIZERS,      /* the library tokenizers */
    SP_ORIGINS_TOKENIZERS_WORDS /* tokenizers, where a WhitespaceSplit removes the spaces between words */
} SpOriginStyle;

/* Receives one piece (not NUL-terminated). */
typedef void (*SpPieceFn)(void *context, const char *piece, size_t len);

/* How a decoded text begins. */
typedef enum {
    SP_START_KEPT,  /* as its pieces do */
    SP_START_PIECE, /* the first piece loses its spaces */
    SP_START_SPACE  /* the text loses one space */
} SpStart;

/* --- The pieces, by id and by string (sp_pieces.c). They are read-only once complete; threads may share them. --- */

/* The longest piece in bytes. */
#define SP_PIECE_MAX 4096

typedef enum {
    SP_NORMAL = 1,
    SP_UNKNOWN,      /* exactly one piece */
    SP_CONTROL,      /* never found in a text */
    SP_USER_DEFINED, /* found wherever it occurs in a text, before all others */
    SP_UNUSED,
    SP_BYTE /* <0xNN> */
} SpPieceType;

typedef struct {
    uint32_t start; /* where its NUL-terminated string begins in SpPieces.text */
    uint16_t len;
    uint8_t type; /* SpPieceType */
    float score;
} SpPiece;

typedef struct {
    Buf text;      /* all strings */
    SpPiece *list; /* [count], by id */
    size_t count, cap;
    float lowest; /* the lowest score of a normal piece */
    bool has_symbols;
    StrMap *merges;      /* see sp_pieces_add_merge(); NULL: none */
    bool ignores_merges; /* a text that is a piece is not split */
    size_t suffix;       /* BPE: so many bytes at the end of a text belong to its last character */
    /* The index, which sp_pieces_complete() makes. */
    uint32_t *slots;   /* [2^bits] */
    uint16_t *longest; /* [2^bits], length of the longest piece, by the hash of its first bytes */
    uint8_t *filter;   /* 2^(bits + 3) bits */
    unsigned bits;
    uint64_t factor, start; /* of the hash */
} SpPieces;

MUST_USE Status sp_pieces_new(SpPieces **out, Err *err);
void sp_pieces_free(SpPieces *pieces); /* NULL is allowed */

/* Adds a piece of 1 to SP_PIECE_MAX bytes without NUL. It gets the next id. */
MUST_USE Status sp_pieces_add(SpPieces *pieces, const char *text, size_t len, float score, SpPieceType type, Err *err);

/* Adds a merge of two pieces. A BPE model with merges joins the neighbours whose merge was added first; without merges,
 * it joins those that make the piece with the highest score. *added is false if there is such a merge already. */
MUST_USE Status sp_pieces_add_merge(SpPieces *pieces, int32_t left, int32_t right, bool *added, Err *err);

/* Must be called after the last piece was added and before the functions below. Two pieces may have the same string
 * only if one of them is a text piece (normal, user-defined, unused) and the other is not. *duplicate is the id of a
 * piece that violates this, or -1. */
MUST_USE Status sp_pieces_complete(SpPieces *pieces, int32_t *duplicate, Err *err);

/* The string of a piece, which `pieces` owns. */
const char *sp_pieces_text(const SpPieces *pieces, int32_t id);
/* The length of the longest user-defined piece that the text begins with, or 0. */
size_t sp_pieces_symbol(const SpPieces *pieces, const char *text, size_t len);

/* Finds a piece by its string; -1 if there is none. If a text piece and another piece have it, finds the other one. */
int32_t sp_pieces_find(const SpPieces *pieces, const char *text, size_t len);
/* Like sp_pieces_find(), but finds only text pieces. */
int32_t sp_pieces_find_text(const SpPieces *pieces, const char *text, size_t len);

/* Enumerates the text pieces that a text begins with, shortest first. */
typedef struct {
    const SpPieces *pieces;
    const char *text;
    uint64_t hash; /* of the first `len` bytes */
    size_t len;    /* of the piece that was found */
    size_t limit;  /* maximum length of a longer piece */
} SpWalk;
SpWalk sp_pieces_walk(const SpPieces *pieces, const char *text, size_t len);
/* The id of the next piece, or -1. */
int32_t sp_pieces_next(SpWalk *walk);

/* --- The file (sp_check.c).
 * libsentencepiece trusts its file: it follows an offset outside the character map, overruns its stack when more
 * rules nest than it has room for, and prints the result of a failed self-test. Therefore dragoman checks the file
 * first. --- */

typedef enum { SP_UNIGRAM = 1, SP_BPE, SP_WORD, SP_CHAR } SpKind;

/* The booleans are named as in SentencePiece's protocol buffer. */
typedef struct {
    bool add_dummy_prefix;         /* a space is added before a text */
    bool remove_extra_whitespaces; /* runs of spaces become one */
    bool escape_whitespaces;       /* spaces are written as U+2581 */
    Buf map;                       /* the validated character map, or empty */
} SpNormalizer;

/* The settings and pieces of a valid model. */
typedef struct {
    SpPieces *pieces;
    SpKind kind;
    SpNormalizer normalizer;
    SpNormalizer denormalizer;       /* for decoded texts; an empty map: there is none */
    bool treat_whitespace_as_suffix; /* the space is added after a text, not before it */
    bool bytes;                      /* unknown characters become byte pieces */
    bool drops_broken;               /* bytes that belong to no character have no text; else they become U+FFFD */
    bool unused;                     /* some pieces are of type UNUSED */
    char *unk_surface;               /* text of the unknown piece */
    size_t longest_replacement;      /* bytes that one character can become */
    bool keeps_end;                  /* see SpEdges */
    /* Settings of a tokenizer.json that a model file does not have: */
    NormalForms forms;      /* applied to every text first */
    SpOriginStyle origins;  /* whose rules the ranges of sp_shim_encode() follow */
    bool joins_white_space; /* all white space counts as spaces once the character map has been applied */
    ByteLevel *byte_level;  /* NULL: not byte-level BPE */
    Buf spellings;          /* see sp_piece_spelling() */
    uint32_t *starts;       /* where the spelling of each piece begins; NULL: it is the piece itself */
    Moses *moses;           /* NULL: not fastBPE of words, as in FSMT; only the kind and the pieces count with it */
    SpStart start; /* how decoded texts begin; a model file sets SP_START_PIECE if it adds a space before a text */
} SpTraits;

/* Sets the default settings of a model file, and an empty list of pieces. The caller frees *traits with
 * sp_traits_free(), even after an error. */
MUST_USE Status sp_traits_init(SpTraits *traits, Err *err);

/* Checks the bytes of a file. Appends to *model the bytes that libsentencepiece must load; none if dragoman does
 * everything itself. *traits must be {0}; the caller frees it with sp_traits_free(), even after an error. `twin`, if it
 * is not NULL, has the settings of a valid model: a character map that equals its map is not checked again. ERR_FORMAT
 * names the file and the fault. */
MUST_USE Status sp_check_model(const FileView *file, const SpTraits *twin, Buf *model, SpTraits *traits, Err *err);
/* For a model that sp_check_model() has not read: completes its pieces, and checks them and its character map. */
MUST_USE Status sp_check_traits(SpTraits *traits, const char *path, Err *err);
void sp_traits_free(SpTraits *traits);

/* The text of a piece with spaces as U+2581: its bytes if the model is byte-level, and a space for the end of a word of
 * fastBPE. Of other models, the piece itself. */
const char *sp_piece_spelling(const SpTraits *traits, const char *piece);

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

/* --- The steps from a text to its pieces and back (sp_steps.c). --- */

/* The receiver of the pieces. Adjacent unknown pieces are merged into one, or are split into byte pieces <0xNN>. */
typedef struct {
    bool bytes;
    SpPieceFn each;
    void *context;
    RangeList *ranges; /* receives one range for each piece; the caller calls ranges_check(); NULL: not asked for */
    /* What the ranges are computed from: */
    const char *text;     /* the normalized text, which the pieces are parts of */
    const RangeList *map; /* the origins of its bytes */
    SpOriginStyle style;
    bool splits_unknown; /* adjacent unknown pieces are not merged */
    bool whole_runs;     /* each byte piece has the range of its whole run of byte pieces (tokenizers, Unigram) */
    /* Used by the encoders: */
    const char *unknown; /* start of the pending unknown piece, or NULL */
    size_t unknown_len;
} SpSink;

/* Normalizes the text and appends it to *out: applies the character map, joins spaces, writes them as U+2581, and
 * adds one before the text. Takes time linear in the length of the text. `map` starts empty and receives the origins of
 * the bytes that are appended, in the text; NULL: not asked for. */
MUST_USE Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, RangeList *map, Err *err);

/* Splits text (normalized, spaces as U+2581) into its most probable sequence of pieces. */
MUST_USE Status unigram_encode(const SpPieces *pieces, const char *text, size_t len, SpSink *sink, Err *err);

/* Splits text into characters and repeatedly joins the two neighbours that make the piece with the highest score.
 * Not for models with unused pieces, which would have to be split again. */
MUST_USE Status bpe_encode(const SpPieces *pieces, const char *text, size_t len, SpSink *sink, Err *err);

/* The same for byte-level models: completes what depends on the pieces, encodes a text (not normalized) and decodes. */
void byte_level_complete(ByteLevel *level, const SpPieces *pieces);
MUST_USE Status byte_level_encode(const SpTraits *traits, const char *text, size_t len, SpPieceFn each, void *context,
                                  RangeList *ranges, Err *err);
MUST_USE Status byte_level_decode(const char *const *pieces, size_t count, Buf *out, Range *ranges, Err *err);

/* Splits a text (not normalized) into words, and these into pieces; the last piece of a word ends with MOSES_END. */
MUST_USE Status moses_encode(const SpTraits *traits, const char *text, size_t len, SpPieceFn each, void *context,
                             RangeList *ranges, Err *err);

/* Appends the text of pieces (NUL-terminated) to *out, as SentencePiece's Decode() produces it. A piece that the model
 * does not know is copied as it is. Ignores traits->start, which is for the decoder of the fast classes. ranges[count]
 * receives the bytes of *out that each piece became; NULL: not asked for. Of the byte pieces of one character, the last
 * one has all its bytes, and the others are empty. */
MUST_USE Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges,
                          Err *err);

/* --- Models (sp_shim.cc). --- */

typedef struct SpProcessor SpProcessor; /* fields: sp_shim.cc */

typedef struct {
    SpTraits traits;
    char *path;             /* for messages */
    SpProcessor *processor; /* libsentencepiece's; NULL: dragoman itself encodes */
} SpModel;

/* Opens the model in the bytes of a file, which need not outlive the call. OK: the caller owns *out. Otherwise *out
 * is NULL and the message names the file and the fault. */
MUST_USE Status sp_shim_open(SpModel **out, const FileView *file, Err *err);
/* Opens the models of the source and of the target language. Files with the same bytes are one model: *target is then
 * *source. After an error, the caller frees what is not NULL. */
MUST_USE Status sp_shim_open_pair(SpModel **source, SpModel **target, const FileView *source_file,
                                  const FileView *target_file, Err *err);
void sp_shim_free(SpModel *model); /* NULL is allowed */
/* Makes a model of valid traits, which become {0}. `path` names the file in messages. OK: the caller owns *out. */
MUST_USE Status sp_shim_new(SpModel **out, SpTraits *traits, const char *path, Err *err);

/* How the ends of a part of a longer text are encoded. Models that only libsentencepiece can encode treat each part
 * like a whole text. */
typedef struct {
    bool follows;   /* no space is added before it; if the model joins spaces, spaces at the beginning become one */
    bool keeps_end; /* if the model joins spaces, spaces at the end become one, even if the part has nothing else */
} SpEdges;

/* Encodes text (valid UTF-8) as pieces. ERR_UNSUPPORTED: SentencePiece, which counts bytes in int, might overflow.
 * Pass {0} as `edges` for a whole text. Consecutive unknown characters become one piece with their normalized text, or
 * byte pieces <0xNN>. If `ranges` is not NULL, the bytes of the text that each piece stands for are appended to it
 * before each() receives the piece. */
MUST_USE Status sp_shim_encode(const SpModel *model, SpEdges edges, const char *text, size_t len, SpPieceFn each,
                               void *context, RangeList *ranges, Err *err);

/* Sets *cost to the sum of the costs of the text's pieces. A piece of a Unigram model costs its negated score, which is
 * a log-probability; with other kinds of models each piece costs 1, so that common texts, which have few pieces, cost
 * little. A byte piece and a run of unknown characters cost `unknown`. */
MUST_USE Status sp_shim_cost(const SpModel *model, const char *text, size_t len, float unknown, float *cost, Err *err);

/* The pieces by SentencePiece's own ids, 0 to count - 1; "" for an id out of range. The model owns the string. */
size_t sp_shim_piece_count(const SpModel *model);
const char *sp_shim_piece(const SpModel *model, size_t id);

#ifdef __cplusplus
}
#endif

#endif
