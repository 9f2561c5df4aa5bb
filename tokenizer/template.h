/* template.h - what the families' tokenizers have in common, and the table
 * row of each. A family opens its files and fills a Tokenizer; tokenizer.c
 * does the rest from these fields and never asks for the family. */
#ifndef DRAGOMAN_TEMPLATE_H
#define DRAGOMAN_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "added.h"
#include "buf.h"
#include "err.h"
#include "model_folder.h"
#include "opus_text.h"
#include "sp_shim.h"
#include "surface.h"
#include "token_config.h"
#include "vocab.h"

/* A language that the model can be told about. */
typedef struct {
    char *name;   /* "deu" of >>deu<<, "de" of __de__ and <2de>, "de_DE" */
    int32_t id;   /* of its token, in the source vocabulary; -1: asked for in words */
    char *prefix; /* those words: "translate English to German: ", "<2de> "; else NULL */
    char *from;   /* the one language that these words translate from, or NULL */
} Language;

typedef struct Tokenizer Tokenizer; /* its functions: tokenizer.h */
struct Tokenizer {
    TokenConfig config;
    Added *added;                   /* of `config`, or NULL */
    SpModel *source_sp, *target_sp; /* one and the same when shared; so are the vocabularies; NULL: a list of words */
    Vocab *source, *target;
    int32_t source_unk, target_unk, eos;
    int32_t target_eos;                /* see tokenizer_target_end() */
    int32_t decoder_start, forced_bos; /* what the target language changes, else -1 */
    IdList before, after;              /* special tokens around each source text */
    bool own_wrap; /* pieces have these around them instead; texts without a SentencePiece model are pieces */
    IdList pieces_before, pieces_after;
    Language *languages;
    size_t language_count;
    bool chooses_source;       /* `languages` are source languages, too */
    const Language *from, *to; /* of `languages`; NULL: none chosen */
    const char *prefix;        /* words in front of each text, of `languages`, or NULL */
    char *uncut;               /* why texts cannot be cut into pieces: the files that are not there; or NULL */
    const char *missing;       /* what must be said before anything can be translated, or NULL */
    bool leading_code;         /* a line may begin with its own >>xxx<<, which then stands instead of `before` */
    bool needs_words;          /* a line begins with words of `languages`, its own or `prefix` */
    DecodeStyle decode;
    OpusSteps steps;   /* what texts go through first, if `cleans` */
    bool own_specials; /* the target's special tokens are its own; else the source's count there, too */
};

/* What the user asked for, NULL where not. */
typedef struct {
    const char *from, *to;
} LanguageChoice;

/* One row a kind of folder: config.json's model_type and the tokenizer_class
 * without "Fast"; a row whose class is NULL takes every other class. */
typedef struct {
    const char *model_type, *class_name;
    MUST_USE Status (*open)(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
} TokenizerTemplate;

/* The row for a folder (template_table.c). */
MUST_USE Status template_find(const TokenizerTemplate **out, ModelFolder *folder, const char *model_type, Err *err);

/* Opens folder/name. */
MUST_USE Status template_open_sp(SpModel **out, ModelFolder *folder, const char *name, Err *err);
MUST_USE Status template_open_vocab(Vocab **out, ModelFolder *folder, const char *name, Err *err);
/* The pieces of a SentencePiece model by its own ids; `name` stands for the file. */
MUST_USE Status template_list_pieces(Vocab **out, const SpModel *model, const char *name, Err *err);

/* The folder's one SentencePiece model, by any of its usual names, for both
 * sides; where none is there, tokenizer.json, which sets the vocabularies, too.
 * ERR_IO names what is not there. */
MUST_USE Status template_open_model(Tokenizer *tokenizer, ModelFolder *folder, Err *err);
/* The same for tokenizer.json alone, with its special tokens around a text. */
MUST_USE Status template_open_json(Tokenizer *tokenizer, ModelFolder *folder, Err *err);

/* Takes a tokenizer.json, where there is one that can be read, in the place of
 * the SentencePiece model that template_open_model() found. It may say other
 * things: whether a space goes before the text, which tokens are split off
 * first. A model with byte pieces stays: older files lost them. */
void template_prefer_json(Tokenizer *tokenizer, ModelFolder *folder);

/* The fast class's where the folder has a tokenizer.json, else the slow one's. */
DecodeStyle template_decode_style(ModelFolder *folder, DecodeStyle slow);

/* A vocabulary on its way; `next` follows the largest id so far. Ids from
 * `limit` on (0: no limit) are left out: the model has no row for them. */
typedef struct {
    Vocab *vocab;
    int32_t next;
    size_t limit;
} Draft;

/* Each adds tokens, but none whose string is there already: of two tokens
 * with the same id, the one added first is decoded. */
MUST_USE Status template_draft_begin(Draft *draft, ModelFolder *folder, const char *name, Err *err);
MUST_USE Status template_draft_token(Draft *draft, const char *text, int32_t id, Err *err);
MUST_USE Status template_draft_codes(Draft *draft, const char *codes, int32_t first, Err *err);
/* Tokens that the folder's files give an id. */
MUST_USE Status template_draft_added(Draft *draft, const TokenConfig *config, Err *err);
/* SentencePiece's pieces from `first` on, each at its own id + offset. */
MUST_USE Status template_draft_pieces(Draft *draft, const SpModel *model, size_t first, int32_t offset, Err *err);
/* Special tokens without an id are appended, in transformers' order. */
MUST_USE Status template_draft_specials(Draft *draft, const TokenConfig *config, Err *err);
/* The vocabulary becomes both sides' of the tokenizer; a draft that failed is
 * dropped. */
MUST_USE Status template_draft_end(Draft *draft, Tokenizer *tokenizer, Status st, Err *err);

/* Finds the unknown and the end token. */
MUST_USE Status template_find_ends(Tokenizer *tokenizer, Err *err);

/* The id of a token; `kind` names it in the message when it is missing. */
MUST_USE Status template_find_token(const Vocab *vocab, const char *token, const char *kind, int32_t *out, Err *err);

/* Adds a language; `len` bytes of its name. */
MUST_USE Status template_add_language(Tokenizer *tokenizer, const char *name, size_t len, int32_t id,
                                      const char *prefix, const char *from, Err *err);
/* Adds those of the codes, separated by spaces, whose token (the code between
 * two `marks`) is in the vocabulary. */
MUST_USE Status template_add_codes(Tokenizer *tokenizer, const char *codes, const char *marks, Err *err);

/* The language that the user names; ERR_USAGE with the list for another. */
MUST_USE Status template_find_language(const Tokenizer *tokenizer, const char *option, const char *wanted,
                                       const Language **out, Err *err);
/* The same for a name in a file, or a token; NULL when it is none. */
const Language *template_known_language(const Tokenizer *tokenizer, const char *name);
const Language *template_language_of(const Tokenizer *tokenizer, int32_t id);

/* Sets tokenizer->from and ->to: what the user says, else what
 * tokenizer_config.json says. */
MUST_USE Status template_choose(Tokenizer *tokenizer, LanguageChoice choice, Err *err);

/* The target language becomes the forced first token, or the decoder's start
 * token: the user's, else the one that the model's own settings name, else
 * tokenizer_config.json's. Then tokenizer->missing says what has not been
 * said. */
MUST_USE Status template_force_target(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status template_start_target(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);

/* A model whose files name no language cannot be told about one. */
MUST_USE Status template_refuse_choice(LanguageChoice choice, Err *err);

/* An id of generation_config.json, or of config.json where that file is
 * missing; -1 when it is not there. */
MUST_USE Status template_model_id(ModelFolder *folder, const char *key, int32_t *out, Err *err);
/* A number of config.json; *out stays as it is when it is not there. */
MUST_USE Status template_model_size(ModelFolder *folder, const char *key, size_t *out, Err *err);

/* ERR_USAGE with the names of the model's languages; `problem` begins it. */
Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err);

MUST_USE Status marian_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
/* The languages >>xxx<< of a source vocabulary, and the one that the user says. */
MUST_USE Status marian_choose_code(Tokenizer *tokenizer, LanguageChoice choice, Err *err);
MUST_USE Status ct2_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status m2m_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status m2m_open_any(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status m2m_open_small100(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_nllb(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_any_mbart(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_mbart(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_mbart50(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_roberta(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status bart_open_barthez(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status bart_open_unknown(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status bart_wrap(Tokenizer *tokenizer, LanguageChoice choice, Err *err);
MUST_USE Status t5_refuse_bytes(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
/* MADLAD-400's languages, the pieces <2xx> of a source vocabulary, and the one that the user says. */
MUST_USE Status t5_choose_piece(Tokenizer *tokenizer, LanguageChoice choice, Err *err);
MUST_USE Status t5_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status tutorial_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);

#endif
