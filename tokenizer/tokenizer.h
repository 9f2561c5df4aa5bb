/* tokenizer.h - text <-> ids, as the model's own tokenizer does it.
 * Read-only after opening; threads may share one. */
#ifndef DRAGOMAN_TOKENIZER_H
#define DRAGOMAN_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "model_folder.h"

typedef struct Tokenizer Tokenizer; /* fields: tokenizer.c */

/* Opens the tokenizer files of a model folder. `model_type` is config.json's
 * and picks the template (one table row a family). `from` and `to` are the
 * user's languages or NULL: de, deu, deu_Latn, >>deu<<, de-AT, German; one that the model does not know
 * is ERR_USAGE with the list of those it does. OK: the caller owns *out. */
MUST_USE Status tokenizer_open(Tokenizer **out, ModelFolder *folder, const char *model_type, const char *from,
                               const char *to, Err *err);
/* The same for files that are named one by one, with the ids of Marian's models
 * (marian_files.c). */
MUST_USE Status tokenizer_open_files(Tokenizer **out, ModelFolder *folder, const char *source, const char *target,
                                     const char *from, const char *to, Err *err);
void tokenizer_free(Tokenizer *tokenizer); /* NULL is allowed */

/* A source text cut into pieces. `ids` holds what the encoder takes, special
 * tokens included; the pieces proper are ids.data[body .. body + pieces). */
typedef struct {
    IdList ids;
    size_t body;
    size_t pieces;
} Encoding;
void encoding_free(Encoding *encoding); /* {0} is allowed */

/* ERR_USAGE, with the list of languages, when nothing can be translated until
 * a language is named; tokenizer_encode() fails alike. */
MUST_USE Status tokenizer_check_languages(const Tokenizer *tokenizer, Err *err);

/* ERR_IO, with the files that were looked for, where the vocabulary has pieces of words and nothing
 * is there that cuts a text into them or joins them. */
MUST_USE Status tokenizer_check_text(const Tokenizer *tokenizer, Err *err);

/* Encodes text (valid UTF-8, no newline). Characters that spell a special
 * token are ordinary text, but for a leading >>xxx<<, where the family has
 * such codes: it names this line's own language, in any way that `to` may, and goes
 * before `to`. One that names none is text with `to`, and ERR_USAGE without it. A line
 * without a code is ERR_USAGE, with the list, when no `to` was given and the
 * model translates into more than one language. *out is cleared first. */
MUST_USE Status tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err);

/* How many bytes at the beginning of the text ask for a language, >>xxx<< or
 * words of the model's own, with the spaces after them: they belong to all of
 * its sentences. */
size_t tokenizer_language_length(const Tokenizer *tokenizer, const char *text, size_t len);

/* Pieces hold everything that the model is to be told, languages,
 * too: that is how CTranslate2 takes them. */
bool tokenizer_pieces_are_complete(const Tokenizer *tokenizer);

/* The same for pieces separated by ASCII white space: every piece by
 * its string, special ones too, an unknown one as the unknown token. An end
 * token at the end is not doubled. */
MUST_USE Status tokenizer_encode_pieces(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out,
                                        Err *err);

/* Ids (of the source vocabulary, as in Encoding.ids) for some of the pieces
 * of one encoding: body ids [first, first + count) wrapped in the same
 * special tokens. */
MUST_USE Status tokenizer_encode_part(const Tokenizer *tokenizer, const Encoding *whole, size_t first, size_t count,
                                      IdList *out, Err *err);

/* The source-side surface of one body id, for finding sentence ends and
 * spaces when a long line is wrapped. Owned by the tokenizer. */
const char *tokenizer_source_piece(const Tokenizer *tokenizer, int32_t id);

/* Source pieces are whole words: a space lies between any two. */
bool tokenizer_source_is_words(const Tokenizer *tokenizer);

/* Ids of the forced beginning of a translation, in the target vocabulary, without special tokens. */
MUST_USE Status tokenizer_encode_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces,
                                        IdList *out, Err *err);

/* Appends the text of target ids to *out: what transformers gives for
 * decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False). */
MUST_USE Status tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buf *out, Err *err);

/* The string of a target id ("<unk>" if it has none). Owned by the tokenizer. */
const char *tokenizer_target_piece(const Tokenizer *tokenizer, int32_t id);
bool tokenizer_target_is_special(const Tokenizer *tokenizer, int32_t id);

/* The ids of pieces by their strings, or -1; that of unknown target tokens. */
int32_t tokenizer_find_source(const Tokenizer *tokenizer, const char *piece, size_t len);
int32_t tokenizer_find_target(const Tokenizer *tokenizer, const char *piece, size_t len);
int32_t tokenizer_target_unknown(const Tokenizer *tokenizer);

/* Smallest vocabulary sizes (largest id + 1) that a model must have. */
size_t tokenizer_source_vocab(const Tokenizer *tokenizer);
size_t tokenizer_target_vocab(const Tokenizer *tokenizer);

/* Ids that the target language puts at the decoder's beginning, or -1 where
 * the model's own settings hold. */
int32_t tokenizer_decoder_start(const Tokenizer *tokenizer);
int32_t tokenizer_forced_bos(const Tokenizer *tokenizer);

/* The target's end token where the vocabulary says it (CTranslate2's, and of
 * tokenizer_open_files()), else -1. */
int32_t tokenizer_target_end(const Tokenizer *tokenizer);

/* tokenizer_config.json's model_max_length, or 0. */
size_t tokenizer_model_max_length(const Tokenizer *tokenizer);

/* The target languages to choose from, in the vocabulary's order; with
 * tokenizer_chooses_source() the source languages, too. */
size_t tokenizer_language_count(const Tokenizer *tokenizer);
const char *tokenizer_language(const Tokenizer *tokenizer, size_t index);
bool tokenizer_chooses_source(const Tokenizer *tokenizer);

/* The language that was chosen, or the one of a model with one on that side;
 * or NULL. */
const char *tokenizer_source_language(const Tokenizer *tokenizer);
const char *tokenizer_target_language(const Tokenizer *tokenizer);

#endif
