/* tokenizer.h - converts text to token ids and back, exactly as the model's own tokenizer does.
 * A tokenizer is read-only once it is open; threads may share one. */
#ifndef DRAGOMAN_TOKENIZER_H
#define DRAGOMAN_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cJSON.h>

#include "buf.h"
#include "err.h"
#include "model_folder.h"
#include "ranges.h"

typedef struct Tokenizer Tokenizer; /* fields: template.h */

/* A language that the user can choose. */
typedef struct {
    char *name;    /* "deu" of >>deu<<, "de" of __de__ and <2de>, "de_DE" */
    int32_t id;    /* id of its token in the source vocabulary; -1: the language is selected by `prefix` */
    char *prefix;  /* text before the source text: "translate English to German: ", "<2de> "; or NULL */
    char *from;    /* the only source language for this target; NULL: any, or unknown */
    char *task;    /* the name of its task in task_specific_params: "translation_en_to_de", or NULL */
    char *title;   /* what a prompt calls it: "German" */
    char *chinese; /* what a Chinese prompt calls it; NULL: the same */
} TokenizerLanguage;

/* A term of a text, and how to translate it. */
typedef struct {
    LineText term, translation;
} PromptTerm;

typedef LIST_OF(PromptTerm) PromptTerms;

/* Facts about a tokenizer, known once it is open. */
typedef struct {
    size_t source_vocab, target_vocab;      /* the smallest vocabulary sizes (largest id + 1) that a model must have */
    int32_t source_unknown, target_unknown; /* ids of the unknown tokens */
    /* Ids that the chosen target language puts at the start of decoding; -1: the model's own settings apply. */
    int32_t decoder_start, forced_bos;
    int32_t target_end; /* the end token; -1 unless a vocabulary defines it (CTranslate2, tokenizer_open_files()) */
    size_t model_max_length; /* of tokenizer_config.json, or 0 */
    /* The pieces are whole words, which are separated by spaces in a text. */
    bool source_is_words, target_is_words;
    bool source_spells;           /* characters that the vocabulary does not have become pieces of bytes */
    bool pieces_are_complete;     /* piece input must spell out every special token, as CTranslate2 expects it */
    TokenizerLanguage *languages; /* [language_count]: the target languages, in the order of the vocabulary */
    size_t language_count;
    bool chooses_source;     /* the user can choose the source language from the same list */
    bool prompts;            /* the source is a prompt with the text inside, and the translation an answer to it */
    bool target_continues;   /* a translation is encoded without a space before it, so a word in it needs one */
    bool takes_terms;        /* the prompt has a place for the terms of the text */
    const char *prompt_name; /* of a published prompt; NULL: another one, or none */
    IdList stops;            /* tokens that end an answer, besides those of the model's settings */
    Buf stop_texts;          /* texts that end an answer, each with a final NUL */
    const char *task; /* the chosen task of config.json's task_specific_params ("translation_en_to_de"), or NULL */
} TokenizerFacts;
const TokenizerFacts *tokenizer_facts(const Tokenizer *tokenizer);

/* Opens the tokenizer files of a model folder. `model_type` comes from config.json and selects the row of the table
 * of families (tokenizer.c). `from` and `to` are the languages that the user named, or NULL; every spelling is
 * accepted: de, deu, deu_Latn, >>deu<<, de-AT, German. A language that the model does not know is ERR_USAGE, and the
 * message lists the languages that it does know. `prompt` is the user's prompt for a language model, a file or the name
 * of a prompt; NULL: that of the model. OK: the caller owns *out. */
MUST_USE Status tokenizer_open(Tokenizer **out, ModelFolder *folder, const char *model_type, const char *from,
                               const char *to, const char *prompt, Err *err);
/* Opens a tokenizer from files that the user named one by one. Their tokens have the ids of
 * Marian's own models (marian.c). */
MUST_USE Status tokenizer_open_files(Tokenizer **out, ModelFolder *folder, const char *source, const char *target,
                                     const char *from, const char *to, Err *err);
void tokenizer_free(Tokenizer *tokenizer); /* NULL is allowed */

/* A tokenized source text. `ids` is the encoder's input, special tokens included; the tokens of the text itself are
 * ids.data[body .. body + pieces). A token of a prompt counts as a token of the text if it has any bytes of it. The
 * caller may set `terms`, for models with facts.takes_terms. The caller may set `ranges`, which then receives the bytes
 * of each id in the text as it was given, before any cleaning or normalization. They equal the ranges of
 * SentencePiece's immutable proto or, if the pieces come from a tokenizer.json, the offset_mapping of the library
 * tokenizers; sp_steps.c describes both. Ranges may overlap or be empty. A token that the text does not contain has an
 * empty range: at the beginning of the text if it is before the text's own tokens, at the end otherwise. If nothing is
 * left of a text but an unknown token, that token stands for all of it. */
typedef struct {
    IdList ids;
    size_t body;
    size_t pieces;
    RangeList *ranges; /* owned by the caller; NULL: not asked for */
    Buf replaced; /* parts of the text that short names stand for, each with a final NUL: tokenizer_decode_replaced() */
    const PromptTerm *terms; /* [term_count], owned by the caller */
    size_t term_count;
    bool is_part; /* set by the caller, for tokenizer_encode_translation(): the text is a part of a translation. Numbers
                     and addresses stay as they are, since names for them would stand for those of the source */
} Encoding;
void encoding_free(Encoding *encoding); /* {0} is allowed */

/* Returns ERR_USAGE with the list of languages when the model cannot translate until the user names one.
 * tokenizer_encode() fails in the same case. */
MUST_USE Status tokenizer_check_languages(const Tokenizer *tokenizer, Err *err);

/* Returns ERR_IO when the vocabulary consists of subword pieces but no file can split text into them or join them.
 * The message names the files that were looked for. */
MUST_USE Status tokenizer_check_text(const Tokenizer *tokenizer, Err *err);

/* Returns ERR_FORMAT if an added token that may occur in a text has no embedding. `rows` is the number of source
 * embeddings. The message names the token and its file in `folder`. */
MUST_USE Status tokenizer_check_added(const Tokenizer *tokenizer, const char *folder, size_t rows, Err *err);

/* Encodes a text (valid UTF-8, no newline). Characters that spell a special token are ordinary text, with one
 * exception: where the family has language tokens, a leading >>xxx<< selects the target language of this line. It may
 * name the language in any way that `to` may, and it overrides `to`. A code that names no language is text if `to`
 * was given and ERR_USAGE otherwise. A line without a code is ERR_USAGE, with the list of languages, if `to` was not
 * given and the model has more than one target language. *out is cleared first. */
MUST_USE Status tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err);

/* The number of bytes at the beginning of the text that select a language: >>xxx<< or the model's own prefix, and the
 * spaces after it. They apply to every sentence of the text. */
size_t tokenizer_language_length(const Tokenizer *tokenizer, const char *text, size_t len);

/* Encodes pieces separated by ASCII white space instead of text. Each piece is looked up by its string, special
 * tokens included; an unknown one becomes the unknown token. An end token at the end of the line is not repeated. */
MUST_USE Status tokenizer_encode_pieces(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out,
                                        Err *err);

/* Builds the encoder's input for a part of an encoding: ids [first, first + count) of its body, between the same
 * special tokens. The ids belong to the source vocabulary, as in Encoding.ids. */
MUST_USE Status tokenizer_encode_part(const Encoding *whole, size_t first, size_t count, IdList *out, Err *err);

/* Sets *cost to a measure of how rare a word (valid UTF-8) is in the source, or in the target: common words cost less.
 * With a SentencePiece model, the cost comes from sp_shim_cost(); without one, a word of the vocabulary costs 0.
 * Unknown characters or words cost TOKENIZER_UNKNOWN_COST, as much as hundreds of pieces. */
#define TOKENIZER_UNKNOWN_COST 10000.0f
MUST_USE Status tokenizer_word_cost(const Tokenizer *tokenizer, bool target, const char *word, size_t len, float *cost,
                                    Err *err);

/* The piece of a source id, as the vocabulary has it. The tokenizer owns the string. */
const char *tokenizer_source_piece(const Tokenizer *tokenizer, int32_t id);
/* The text of a piece, with spaces as U+2581: it shows where sentences and words end. A piece of byte-level BPE may
 * have incomplete characters; any other is its own text. The tokenizer owns the string. */
const char *tokenizer_source_spelling(const Tokenizer *tokenizer, int32_t id);
const char *tokenizer_target_spelling(const Tokenizer *tokenizer, int32_t id);
bool tokenizer_source_is_special(const Tokenizer *tokenizer, int32_t id);

/* Encodes a part of a translation, for example the prefix that it must begin with, as with Encoding.is_part. The ids
 * belong to the target vocabulary, without special tokens. */
MUST_USE Status tokenizer_encode_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces,
                                        IdList *out, Err *err);

/* Encodes a whole translation, as transformers does with text_target, but without a language token and without the end
 * token: those depend on how the model is used. The ids belong to the target vocabulary. With `pieces`, the text
 * consists of pieces. *out is cleared first; ranges are as for tokenizer_encode(). */
MUST_USE Status tokenizer_encode_translation(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces,
                                             Encoding *out, Err *err);

/* Appends the text of target ids to *out. The result is the same as from decode(ids, skip_special_tokens=True,
 * clean_up_tokenization_spaces=False) in transformers. If `ranges` is not NULL, ranges[count] receives the bytes of
 * *out that each id became, in order. A space between two words belongs to the piece that has it. Of the byte pieces of
 * one character, the last one has all its bytes, and the others are empty. A special token has an empty range, at the
 * end of the piece before it or at the beginning of the text. Bytes that join words, or surround an added token, belong
 * to no id. */
MUST_USE Status tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buf *out, Range *ranges,
                                 Err *err);

/* Does the same, and puts back the parts of the source text that names stood for: Encoding.replaced; NULL: none. */
MUST_USE Status tokenizer_decode_replaced(const Tokenizer *tokenizer, const int32_t *ids, size_t count,
                                          const Buf *replaced, Buf *out, Range *ranges, Err *err);

/* The piece of a target id, or "<unk>" if the id has none. The tokenizer owns the string. */
const char *tokenizer_target_piece(const Tokenizer *tokenizer, int32_t id);
bool tokenizer_target_is_special(const Tokenizer *tokenizer, int32_t id);

/* Appends the text of a target id as it appears in the middle of a translation: a piece with spaces for its space
 * symbols, the byte of a byte piece, or a space and a word of a vocabulary of words. A special token adds nothing. */
MUST_USE Status tokenizer_target_append(const Tokenizer *tokenizer, int32_t id, Buf *out, Err *err);

/* The id of the byte piece for this byte; -1: translations have none. */
int32_t tokenizer_target_byte(const Tokenizer *tokenizer, unsigned char byte);

/* The id of a piece, or -1. */
int32_t tokenizer_find_source(const Tokenizer *tokenizer, const char *piece, size_t len);
int32_t tokenizer_find_target(const Tokenizer *tokenizer, const char *piece, size_t len);

/* Makes `language` the source language, in any spelling that `from` may have. ERR_USAGE if the language is unknown, or
 * if the model has no choice of source languages. */
MUST_USE Status tokenizer_set_source(Tokenizer *tokenizer, const char *language, Err *err);

/* Creates a tokenizer for texts in another source language. It shares everything but the special tokens with the
 * original, which must live longer. OK: the caller owns *out and ends it with tokenizer_view_free(). */
MUST_USE Status tokenizer_view_new(Tokenizer **out, const Tokenizer *tokenizer, const char *language, Err *err);
void tokenizer_view_free(Tokenizer *view); /* NULL is allowed */

/* Adds the prompt to a config.json, in which tokenizer_open() finds it. */
MUST_USE Status tokenizer_put_prompt(const Tokenizer *tokenizer, cJSON *config, Err *err);

/* What the prompt calls the target language; NULL if there is no prompt, or no language is chosen. */
const char *tokenizer_target_title(const Tokenizer *tokenizer);

/* The chosen language, or the only language that the model has on that side; NULL if neither is known. */
const char *tokenizer_source_language(const Tokenizer *tokenizer);
const char *tokenizer_target_language(const Tokenizer *tokenizer);

#endif
