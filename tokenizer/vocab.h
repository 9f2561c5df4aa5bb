/* vocab.h - a vocabulary: piece strings <-> ids.
 * Read-only once it is complete and its special tokens are marked; threads may share one. */
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
    bool special;      /* an end, padding or unknown token and the like */
    const char *piece; /* owned by the vocabulary */
} VocabEntry;

typedef struct Vocab Vocab; /* fields: vocab.c */

/* Reads a JSON object {"piece": id, ...}, or the same in YAML (*.yml, *.yaml): every id a whole number from 0 to
 * VOCAB_MAX_ID, no id and no piece twice, not empty. Ids may have gaps. OK:
 * the caller owns *out. */
MUST_USE Status vocab_read(Vocab **out, const FileView *file, Err *err);
void vocab_free(Vocab *vocab); /* NULL is allowed */

/* The same by hand: an empty vocabulary, its pieces one by one (not
 * NUL-ended, no NUL in them), then vocab_complete(), which sorts and checks
 * that no id is there twice. Until then only vocab_id() may be asked, and so
 * again after another vocab_add(), until another vocab_complete(). `path`
 * names the origin in messages. */
MUST_USE Status vocab_new(Vocab **out, const char *path, Err *err);
MUST_USE Status vocab_add(Vocab *vocab, const char *piece, size_t len, int32_t id, Err *err);
MUST_USE Status vocab_complete(Vocab *vocab, Err *err);

/* The piece that was added as number `first`, under another id, too: that one can
 * be shown, not found. */
MUST_USE Status vocab_add_again(Vocab *vocab, size_t first, int32_t id, Err *err);

/* The same where pieces may share an id: it stands for the one added first,
 * the others are found by their strings alone. */
MUST_USE Status vocab_complete_sharing(Vocab *vocab, Err *err);

/* The id of a piece, or -1; at any time. */
int32_t vocab_id(const Vocab *vocab, const char *piece, size_t len);

/* By string and by id; NULL when there is none. */
const VocabEntry *vocab_find(const Vocab *vocab, const char *piece, size_t len);
const VocabEntry *vocab_entry(const Vocab *vocab, int32_t id);

/* The entries in the order of their ids. */
size_t vocab_count(const Vocab *vocab);
const VocabEntry *vocab_at(const Vocab *vocab, size_t index);

/* The largest id + 1: the rows that an embedding table must have. */
size_t vocab_size(const Vocab *vocab);

/* Marks the piece as special, if it is there. */
void vocab_mark_special(Vocab *vocab, const char *piece);

/* The file it came from, for messages. */
const char *vocab_path(const Vocab *vocab);

/* Whether its entries are pieces that words have been cut into, by the marks that SentencePiece (U+2581), OpenNMT's
 * tokenizer (U+FFED) and subword-nmt (@@ at the end) leave. */
bool vocab_has_pieces(const Vocab *vocab);

#endif
