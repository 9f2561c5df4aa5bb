/* vocab.h - a vocabulary: maps pieces, or whole words, to ids and back.
 * It is read-only once it is complete and its special tokens are marked; threads may share one. */
#ifndef DRAGOMAN_VOCAB_H
#define DRAGOMAN_VOCAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "mapped_file.h"

/* The largest id that a vocabulary may hold. */
#define VOCAB_MAX_ID (1 << 24)

typedef struct {
    int32_t id;
    bool special;      /* an end, padding, unknown or similar token */
    const char *piece; /* owned by the vocabulary */
} VocabEntry;

typedef struct Vocab Vocab; /* fields: vocab.c */

/* Reads a JSON object {"piece": id, ...}, or the same in YAML (*.yml, *.yaml). It must not be empty; every id is a
 * whole number from 0 to VOCAB_MAX_ID, and no id or piece may appear twice. Ids may have gaps. OK: the caller owns
 * *out. */
MUST_USE Status vocab_read(Vocab **out, const FileView *file, Err *err);
void vocab_free(Vocab *vocab); /* NULL is allowed */

/* These build a vocabulary by hand: vocab_new() makes an empty one, vocab_add() adds a piece (not NUL-terminated,
 * without NUL bytes), and vocab_complete() sorts the entries. If pieces may share an id, the id is decoded to the piece
 * that was added first, and the others can only be looked up by their strings; otherwise a duplicate id is ERR_FORMAT.
 * Before vocab_complete(), and again after a later vocab_add(), only vocab_id() may be called. `path` names the source
 * of the vocabulary in messages. */
MUST_USE Status vocab_new(Vocab **out, const char *path, Err *err);
MUST_USE Status vocab_add(Vocab *vocab, const char *piece, size_t len, int32_t id, Err *err);
MUST_USE Status vocab_complete(Vocab *vocab, bool shares_ids, Err *err);

/* Gives the piece that was added as number `first` a second id. The second id is decoded to the piece; the piece is
 * still encoded to its first id. */
MUST_USE Status vocab_add_second_id(Vocab *vocab, size_t first, int32_t id, Err *err);

/* The id of a piece, or -1. May be called at any time. */
int32_t vocab_id(const Vocab *vocab, const char *piece, size_t len);

/* Look up an entry by its string or id; NULL if there is none. */
const VocabEntry *vocab_find(const Vocab *vocab, const char *piece, size_t len);
const VocabEntry *vocab_entry(const Vocab *vocab, int32_t id);

/* The entries, in the order of their ids. */
size_t vocab_count(const Vocab *vocab);
const VocabEntry *vocab_at(const Vocab *vocab, size_t index);

/* The largest id + 1: the number of rows that an embedding matrix must have. */
size_t vocab_size(const Vocab *vocab);

/* The number of ids that the file defines: the lines of a word list, empty lines included; otherwise vocab_size(). */
size_t vocab_lines(const Vocab *vocab);

/* Marks the piece as special if the vocabulary has it. */
void vocab_mark_special(Vocab *vocab, const char *piece);

/* The file that the vocabulary came from, for messages. */
const char *vocab_path(const Vocab *vocab);

/* True if some entries are subword pieces. They are recognized by the marks of SentencePiece (U+2581), OpenNMT's
 * tokenizer (U+FFED) and subword-nmt (a final @@). */
bool vocab_has_pieces(const Vocab *vocab);
/* True if it is a vocabulary of byte-level BPE: it has the characters that stand for tab, newline and space. */
bool vocab_is_byte_level(const Vocab *vocab);

/* --- Vocabularies of whole words. A text is split at white space, as Python's str.split() does. --- */

/* Reads a list with one token per line (UTF-8, LF or CRLF), whose id is the line number, counted from 0. No token
 * may appear twice; the id of an empty line belongs to no word. OK: the caller owns *out. */
MUST_USE Status word_list_read(Vocab **out, const FileView *file, Err *err);

/* Finds the next word of text[*at, len) and moves *at to its end; false at the end of the text. */
bool word_list_next(const char *text, size_t len, size_t *at, const char **word, size_t *word_len);

#endif
