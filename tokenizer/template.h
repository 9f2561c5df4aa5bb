/* template.h - the parts that the tokenizers of all families share, and the table of families. A family opens its
 * files and fills a Tokenizer; tokenizer.c works from these fields alone and never asks for the family. */
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
#include "ranges.h"
#include "token_config.h"
#include "vocab.h"

/* A language that the user can choose. */
typedef struct {
    char *name;   /* "deu" of >>deu<<, "de" of __de__ and <2de>, "de_DE" */
    int32_t id;   /* id of its token in the source vocabulary; -1: the language is selected by `prefix` */
    char *prefix; /* text before the source text: "translate English to German: ", "<2de> "; or NULL */
    char *from;   /* the only source language of `prefix`, or NULL */
    char *task;   /* the name of its task in task_specific_params: "translation_en_to_de", or NULL */
} Language;

/* The list of special tokens that has the token of the source language. */
typedef enum { SOURCE_NOWHERE, SOURCE_BEFORE, SOURCE_AFTER } SourcePlace;

/* The ways in which transformers and the tutorials' code join pieces. "Stripped" means that white space at both
 * ends is removed, as Python's str.strip() does. "Joined" means that the pieces are concatenated and their space
 * symbols become spaces. */
typedef enum {
    DECODE_SURFACE,   /* Marian: SentencePiece decodes, remaining space symbols become spaces, stripped */
    DECODE_STRIPPED,  /* M2M100, mBART-50, Barthez, T5: SentencePiece decodes; stripped */
    DECODE_JOINED,    /* NLLB, mBART-25: joined, space symbols become spaces, stripped */
    DECODE_METASPACE, /* fast classes: joined; sp_shim_start() says how the text begins */
    DECODE_PLAIN,     /* tutorials: SentencePiece decodes */
    DECODE_WORDS      /* tutorials: words separated by spaces, no SentencePiece model */
} DecodeStyle;

typedef struct Tokenizer Tokenizer; /* functions: tokenizer.h */
struct Tokenizer {
    TokenConfig config;
    Added *added;                   /* made from `config`; NULL: no added tokens */
    SpModel *source_sp, *target_sp; /* equal when both sides share them; NULL models: word lists */
    Vocab *source, *target;
    int32_t source_unk, target_unk, eos;
    int32_t target_eos;                /* see tokenizer_target_end() */
    int32_t decoder_start, forced_bos; /* set by the target language, else -1 */
    IdList before, after;              /* special tokens before and after each source text */
    IdList before_target;              /* special tokens that the model writes before each translation */
    /* Piece input gets pieces_before and pieces_after instead; without a SentencePiece model, all input is pieces. */
    bool separate_piece_tokens;
    IdList pieces_before, pieces_after;
    Language *languages;
    size_t language_count;
    bool chooses_source;          /* `languages` are source languages, too */
    const Language *from, *to;    /* point into `languages`; NULL: none chosen */
    SourcePlace source_place;     /* where the token of `from` is, or would be */
    size_t source_index;          /* in that list */
    bool lacks_target;            /* the user must still choose a target language */
    const char *prefix;           /* text before each source text, points into `languages`; or NULL */
    char *cannot_tokenize;        /* why text cannot be tokenized: a message that names the missing files, or NULL */
    const char *missing_language; /* the error if the user must still choose a language, or NULL */
    bool leading_code;            /* a line may begin with >>xxx<<, which then replaces `before` */
    bool no_space_after_added;    /* text after an added token keeps its own space and gets no other one */
    AddedSpace space_before_added;
    bool needs_prefix; /* a line needs a language's prefix: its own, or `prefix` */
    DecodeStyle decode;
    OpusSteps steps;   /* cleaning of the text before it is encoded, if `cleans` */
    bool own_specials; /* the source's special tokens do not count in the target */
};

/* The languages that the user asked for; NULL: not given. */
typedef struct {
    const char *from, *to;
} LanguageChoice;

/* One row per kind of model folder, by config.json's model_type and by the tokenizer_class without "Fast". A row
 * whose class is NULL matches every class that has no row of its own. */
typedef struct {
    const char *model_type, *class_name;
    MUST_USE Status (*open)(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
} TokenizerTemplate;

/* Opens the SentencePiece models of both sides. Files with the same bytes are opened once. */
MUST_USE Status template_open_sp_pair(Tokenizer *tokenizer, ModelFolder *folder, const char *source, const char *target,
                                      Err *err);
/* Opens the file `name` of the folder. */
MUST_USE Status template_open_vocab(Vocab **out, ModelFolder *folder, const char *name, Err *err);
/* Builds a vocabulary from the pieces of a SentencePiece model, with SentencePiece's own ids. `name` stands for the
 * file in messages. */
MUST_USE Status template_list_pieces(Vocab **out, const SpModel *model, const char *name, Err *err);

/* Opens the folder's SentencePiece model under any of its usual names and uses it for both sides. If there is none,
 * opens tokenizer.json, which sets the vocabularies, too. ERR_IO names the files that are missing. */
MUST_USE Status template_open_model(Tokenizer *tokenizer, ModelFolder *folder, Err *err);
bool template_has_sp(ModelFolder *folder); /* whether it has such a SentencePiece model */
/* Opens tokenizer.json only, and takes its special tokens around a text. */
MUST_USE Status template_open_json(Tokenizer *tokenizer, ModelFolder *folder, Err *err);

/* Replaces the SentencePiece model that template_open_model() found by tokenizer.json, if the folder has one. The
 * two can differ: in the space before the text, and in the tokens that are split off first. A model with
 * byte pieces is kept, because older tokenizer.json files lost them; so is one whose tokenizer.json has no equivalent
 * SentencePiece model. A broken tokenizer.json is an error. */
MUST_USE Status template_prefer_json(Tokenizer *tokenizer, ModelFolder *folder, Err *err);

/* Appends the text of pieces (NUL-terminated, no special tokens) to *out. Added tokens may be among them. `ranges` as
 * for sp_shim_decode(). */
MUST_USE Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                               size_t count, Buf *out, Range *ranges, Err *err);

/* DECODE_METASPACE, the style of the fast classes, if the folder has a tokenizer.json; otherwise `slow`. */
DecodeStyle template_decode_style(ModelFolder *folder, DecodeStyle slow);

/* A vocabulary under construction. `next` is the largest id so far + 1. Ids from `limit` on (0: no limit) are left
 * out, because the model has no embedding for them. */
typedef struct {
    Vocab *vocab;
    int32_t next;
    size_t limit;
} Draft;

/* Each function adds tokens and skips strings that the draft already has. If two tokens share an id, the one added
 * first is decoded. */
MUST_USE Status template_draft_begin(Draft *draft, ModelFolder *folder, const char *name, Err *err);
MUST_USE Status template_draft_token(Draft *draft, const char *text, int32_t id, Err *err);
MUST_USE Status template_draft_codes(Draft *draft, const char *codes, int32_t first, Err *err);
/* Adds the tokens to which the folder's files give an id. */
MUST_USE Status template_draft_added(Draft *draft, const TokenConfig *config, Err *err);
/* Adds SentencePiece's pieces from `first` on, each with the id i + offset. */
MUST_USE Status template_draft_pieces(Draft *draft, const SpModel *model, size_t first, int32_t offset, Err *err);
/* Adds the entries of a vocabulary. */
MUST_USE Status template_draft_vocab(Draft *draft, const Vocab *vocab, Err *err);
/* Appends the special tokens that have no id yet, in transformers' order. */
MUST_USE Status template_draft_specials(Draft *draft, const TokenConfig *config, Err *err);
/* Completes the draft as *out, and marks the added tokens that are special. If `st` is not OK, frees the draft; *out
 * is then NULL. */
MUST_USE Status template_draft_complete(Draft *draft, Vocab **out, const TokenConfig *config, Status st, Err *err);
/* Completes the draft and makes it the vocabulary of both sides. If `st` is not OK, frees the draft. */
MUST_USE Status template_draft_end(Draft *draft, Tokenizer *tokenizer, Status st, Err *err);

/* Finds the ids of the unknown token and the end token. */
MUST_USE Status template_find_unk_and_eos(Tokenizer *tokenizer, Err *err);

/* Finds the id of a token; `kind` describes it in the message when it is missing. */
MUST_USE Status template_find_token(const Vocab *vocab, const char *token, const char *kind, int32_t *out, Err *err);

/* Adds a language; its name has `len` bytes. */
MUST_USE Status template_add_language(Tokenizer *tokenizer, const char *name, size_t len, int32_t id,
                                      const char *prefix, const char *from, Err *err);
/* Adds those of the codes (separated by spaces) whose token is in the vocabulary: the code between two `marks`. */
MUST_USE Status template_add_codes(Tokenizer *tokenizer, const char *codes, const char *marks, Err *err);

/* Finds the language that the user means. An unknown one is ERR_USAGE with the list of languages. */
MUST_USE Status template_find_language(const Tokenizer *tokenizer, const char *option, const char *wanted,
                                       const Language **out, Err *err);
/* Finds the language of a name in a file, or of a token's id; NULL if there is none. */
const Language *template_known_language(const Tokenizer *tokenizer, const char *name);
const Language *template_language_of(const Tokenizer *tokenizer, int32_t id);

/* Sets tokenizer->from and ->to from the user's choice, otherwise from tokenizer_config.json. */
MUST_USE Status template_choose(Tokenizer *tokenizer, LanguageChoice choice, Err *err);

/* Appends the token of the source language, if one is chosen, to the special tokens before or after each source text,
 * and remembers the place for tokenizer_set_source(). */
MUST_USE Status template_place_source(Tokenizer *tokenizer, SourcePlace place, Err *err);

/* Makes the target language the forced first token or the decoder's start token. The user's choice comes first, then
 * the language that the model's settings name, then tokenizer_config.json's. Both set tokenizer->missing_language if a
 * language is still needed. */
MUST_USE Status template_force_target(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status template_start_target(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);

/* ERR_USAGE if the user chose a language; for models whose files name none. */
MUST_USE Status template_reject_choice(LanguageChoice choice, Err *err);

/* Reads an id from generation_config.json, or from config.json if that file is missing. *out is -1 when there is no
 * such key. */
MUST_USE Status template_model_id(ModelFolder *folder, const char *key, int32_t *out, Err *err);
/* Reads a number from config.json; leaves *out unchanged when there is no such key. */
MUST_USE Status template_model_size(ModelFolder *folder, const char *key, size_t *out, Err *err);

/* Returns ERR_USAGE with a message that begins with `problem` and lists the model's languages. */
Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err);

MUST_USE Status marian_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
/* Lists the languages >>xxx<< of the source vocabulary and applies the user's choice. If there are any, a line may
 * begin with such a code. */
MUST_USE Status marian_choose_code(Tokenizer *tokenizer, LanguageChoice choice, Err *err);
MUST_USE Status ct2_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status m2m_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status m2m_open_any(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status m2m_open_small100(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
/* Whether the files of a folder with M2M100's languages say that it is SMaLL-100. */
MUST_USE Status m2m_is_small100(bool *out, ModelFolder *folder, Err *err);
/* Puts the token of the target language before each source text, as SMaLL-100 expects. */
MUST_USE Status m2m_place_small100(Tokenizer *tokenizer, Err *err);
MUST_USE Status fairseq_open_nllb(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_any_mbart(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_mbart(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_mbart50(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status fairseq_open_roberta(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status bart_open_barthez(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status bart_open_unknown(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status t5_reject_byt5(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
/* Lists MADLAD-400's languages, the pieces <2xx> of the source vocabulary, and applies the user's choice. */
MUST_USE Status t5_choose_piece(Tokenizer *tokenizer, LanguageChoice choice, Err *err);
MUST_USE Status t5_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);
MUST_USE Status tutorial_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err);

#endif
