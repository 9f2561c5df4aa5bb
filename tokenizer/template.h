/* template.h - the parts that the tokenizers of all families share, and the functions that open those of each family.
 * A family opens its files and fills a Tokenizer. tokenizer.c has the table of families; apart from that, it works from
 * these fields alone and never asks for the family. */
#ifndef DRAGOMAN_TEMPLATE_H
#define DRAGOMAN_TEMPLATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "added.h"
#include "buf.h"
#include "err.h"
#include "indic_text.h"
#include "model_folder.h"
#include "opus_text.h"
#include "prompt.h"
#include "ranges.h"
#include "sp_model.h"
#include "token_config.h"
#include "tokenizer.h"
#include "vocab.h"

/* Where the source language's token is: among the special tokens before a text, among those after it, or nowhere. A
 * prompt may name the language instead. */
typedef enum { SOURCE_NOWHERE, SOURCE_BEFORE, SOURCE_AFTER, SOURCE_IN_PROMPT } SourcePlace;

/* The ways in which transformers and the tutorials' code join pieces. "Stripped" means that white space at both
 * ends is removed, as Python's str.strip() does. "Joined" means that the pieces are concatenated and their space
 * symbols become spaces. */
typedef enum {
    DECODE_SURFACE,   /* Marian: SentencePiece decodes, remaining space symbols become spaces, stripped */
    DECODE_STRIPPED,  /* M2M100, mBART-50, Barthez, T5: SentencePiece decodes; stripped */
    DECODE_JOINED,    /* NLLB, mBART-25: joined and stripped */
    DECODE_METASPACE, /* fast classes of transformers: joined; SpTraits.start says how the text begins */
    DECODE_PLAIN,     /* tutorials: SentencePiece decodes */
    DECODE_WORDS      /* tutorials: words separated by spaces, no SentencePiece model */
} DecodeStyle;

struct Tokenizer {
    TokenizerFacts facts;
    TokenConfig config;
    Added *added;                   /* made from `config`; NULL: no added tokens */
    SpModel *source_sp, *target_sp; /* the same if both sides share it; NULL: word lists */
    Vocab *source, *target;
    int32_t eos;          /* of the source */
    IdList before, after; /* special tokens before and after each source text */
    IdList before_target; /* special tokens that the model writes before each translation */
    /* If facts.pieces_are_complete, piece input gets these tokens instead of `before` and `after`; without a
     * SentencePiece model, all input is pieces. */
    IdList pieces_before, pieces_after;
    const TokenizerLanguage *from, *to; /* point into facts.languages; NULL: none chosen */
    SourcePlace source_place;           /* which list has the token of `from`, if one is chosen */
    size_t source_index;                /* index of that token in the list */
    bool lacks_target;                  /* the user must still choose a target language */
    const char *prefix;                 /* text before each source text, points into facts.languages; or NULL */
    char *cannot_tokenize;        /* why text cannot be tokenized: a message that names the missing files, or NULL */
    const char *missing_language; /* the error if the user must still choose a language, or NULL */
    bool leading_code;            /* a line may begin with >>xxx<<, which then replaces `before` */
    bool no_space_after_added;    /* no space is added before text that follows an added token */
    AddedSpace space_before_added;
    bool needs_prefix; /* a line without a language prefix needs `prefix` */
    DecodeStyle decode;
    OpusSteps steps;     /* cleaning of the text before it is encoded, if `cleans` */
    bool is_indic;       /* texts pass through indic_text.h */
    bool own_specials;   /* special tokens of the source are not special in the target */
    Prompt *prompt;      /* what a language model reads; NULL: the family has no prompts */
    bool answer_follows; /* the answer continues the line of the prompt or a token, so it gets no added space */
};

/* Appends the text of pieces (NUL-terminated, no special tokens) to *out. Added tokens may be among them. `ranges` as
 * for sp_decode(). */
MUST_USE Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                               size_t count, Buf *out, Range *ranges, Err *err);

/* Returns ERR_USAGE with a message that begins with `problem` and lists the model's languages. */
Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err);
/* Finds the language that the user means. An unknown one is ERR_USAGE with the list of languages. */
MUST_USE Status template_find_language(const Tokenizer *tokenizer, const char *option, const char *wanted,
                                       const TokenizerLanguage **out, Err *err);
/* Returns the language that a file calls `name`; NULL if there is none. */
const TokenizerLanguage *template_known_language(const Tokenizer *tokenizer, const char *name);

/* --- A tokenizer that is being opened. Sticky like buf_put(): the first function that fails sets `status` and writes
 * the message; later calls do nothing. The caller checks `status` at the end, and before it uses a value that one of
 * the functions should have set. LIST_PUT() may be used for the lists of ids; tokenizer_open() checks them. --- */

typedef struct {
    Tokenizer *tokenizer;
    ModelFolder *folder;
    const char *from, *to;       /* the languages that the user asked for; NULL: not given */
    const char *source, *target; /* the files that the user named (tokenizer_open_files()), else NULL */
    const char *prompt;          /* the prompt that the user named, or NULL */
    const char *model_type;
    Vocab *draft; /* a vocabulary under construction, from template_draft() on */
    int32_t next; /* its largest id so far + 1 */
    size_t limit; /* ids from here on are left out: the model has no embedding for them; 0: no limit */
    Err *err;
    Status status;
} Opening;

/* Reads the settings of the tokenizer. */
void template_read_config(Opening *o, const TokenDefaults *defaults);

/* Opens the SentencePiece model `path`. */
void template_open_sp(Opening *o, SpModel **out, const char *path);
/* The SentencePiece models of both sides, which another thread opens meanwhile: with 32,000 pieces each, opening them
 * takes as long as reading a vocabulary of 60,000. Every template_begin_sp_pair() needs a template_end_sp_pair(), which
 * gives the models to the tokenizer. Files with the same bytes are opened once. If no thread can be started,
 * template_begin_sp_pair() opens the models itself. */
typedef struct {
    FileView source_file, target_file;
    SpModel *source, *target;
    Status status;
    Err err;
    bool has_thread;
    pthread_t thread;
} SpPair;
void template_begin_sp_pair(Opening *o, SpPair *pair, const char *source, const char *target);
void template_end_sp_pair(Opening *o, SpPair *pair);
/* Opens the file `name` of the folder. */
void template_open_vocab(Opening *o, Vocab **out, const char *name);
/* Builds a vocabulary from the pieces of a SentencePiece model, with SentencePiece's own ids. `name` stands for the
 * file in messages. */
void template_list_pieces(Opening *o, Vocab **out, const SpModel *model, const char *name);

/* Opens the folder's SentencePiece model under any of its usual names and uses it for both sides. If there is none,
 * opens tokenizer.json, which also sets the vocabularies. ERR_IO names the files that are missing. */
void template_open_model(Opening *o);
/* The usual name under which the folder has a SentencePiece model, or NULL. */
const char *template_sp_name(ModelFolder *folder);
/* Opens tokenizer.json only. Its special tokens around a text are dropped unless `takes_around`: most families add
 * their own, language tokens included. */
void template_open_json(Opening *o, bool takes_around);
/* The same for models of any program: see tokenizer_json_open_exact(). */
void template_open_json_exact(Opening *o);
/* Opens vocab.json and merges.txt, byte-level BPE, for both sides. */
void template_open_merges(Opening *o);

/* Replaces the SentencePiece model that template_open_model() found by the folder's tokenizer.json, if there is one.
 * The two can differ in the space before the text, and in the tokens that are split off first. The model is kept if it
 * has byte pieces, because older tokenizer.json files lost them, or if tokenizer.json has no equivalent SentencePiece
 * model. A broken tokenizer.json is an error. */
void template_prefer_json(Opening *o);

/* DECODE_METASPACE, the style of the fast classes, if the folder has a tokenizer.json; otherwise `slow`. */
DecodeStyle template_decode_style(ModelFolder *folder, DecodeStyle slow);

/* If a side has no SentencePiece model, and its vocabulary consists of subword pieces, sets cannot_tokenize to a
 * message that says so and names the missing file. */
void template_check_words(Opening *o, const char *source_wanted, const char *target_wanted);

/* Begins a vocabulary, Opening.draft; messages call it by `name`, a file of the folder. Call template_draft_complete()
 * or template_draft_end() at the end, even after an error. The functions that add tokens skip strings that the draft
 * already has. If two tokens share an id, the one added first is decoded. */
void template_draft(Opening *o, const char *name);
void template_draft_token(Opening *o, const char *text, int32_t id);
/* Adds the codes, which are separated by spaces, between two `marks`, with ids from `first` on. If `first` is -1, each
 * gets the next free id. */
void template_draft_codes(Opening *o, const char *codes, const char *marks, int32_t first);
/* Adds the added tokens, with the ids that the folder's files give them. */
void template_draft_added(Opening *o);
/* Adds SentencePiece's pieces from number `first` on. Piece i gets the id i + offset. */
void template_draft_pieces(Opening *o, size_t first, int32_t offset);
/* Adds the entries of a vocabulary. */
void template_draft_vocab(Opening *o, const Vocab *vocab);
/* Appends the special tokens that have no id yet, in transformers' order. */
void template_draft_specials(Opening *o);
/* Completes the draft as *out, and marks the added tokens that are special. After an error, frees the draft; *out is
 * then NULL. */
void template_draft_complete(Opening *o, Vocab **out);
/* Completes the draft and makes it the vocabulary of both sides. */
void template_draft_end(Opening *o);
/* Leaves special tokens out of the vocabulary if the model has no embedding for them. Published models have such tokens
 * where no text needs them: <mask> of BART, <image_soft_token> of Gemma 3. `all`: leaves out all tokens without
 * an embedding, special or not. */
void template_fit_vocab(Opening *o, bool all);

/* Finds the ids of the unknown token and the end token. */
void template_find_unk_and_eos(Opening *o);

/* Sets *out to a copy of the text; leaves it unchanged if the text is NULL. */
void template_copy_text(Opening *o, char **out, const char *text);

/* Finds the id of a token; `kind` describes it in the message when it is missing. */
void template_find_token(Opening *o, const Vocab *vocab, const char *token, const char *kind, int32_t *out);

/* Adds a language, whose name has `len` bytes, and returns it; NULL after an error. */
TokenizerLanguage *template_add_language(Opening *o, const char *name, size_t len, int32_t id, const char *prefix,
                                         const char *from);
/* Adds a language for each code (separated by spaces) whose token, a code between two `marks`, is in the vocabulary. */
void template_add_codes(Opening *o, const char *codes, const char *marks);
/* Returns the first code in *codes, whose length is *len, and moves *codes past it; NULL if no code is left. */
const char *template_next_code(const char **codes, size_t *len);

/* Finds the language that the user asked for with the option, if any. */
void template_find_choice(Opening *o, const char *option, const char *wanted, const TokenizerLanguage **out);
/* Sets tokenizer->from and ->to from the user's choice, otherwise from tokenizer_config.json. */
void template_choose(Opening *o);

/* Appends the token of the source language, if one is chosen, to the special tokens before or after each source text,
 * and remembers the place for tokenizer_set_source(). */
void template_place_source(Opening *o, SourcePlace place);

/* Two ways to select the target language: as the forced first token, or as the decoder's start token. The user's choice
 * comes first, then the language that the model's settings name, then the one in tokenizer_config.json. Both functions
 * set tokenizer->missing_language if a language is still needed. */
void template_force_target(Opening *o);
void template_start_target(Opening *o);
/* Another way: the tokens of both languages precede each source text. Both must be known. */
void template_place_languages(Opening *o);

/* ERR_USAGE if the user asked for another language than the one that the model `has`; any language is accepted if `has`
 * is NULL or names no known language, such as a group ("ROMANCE"). `verb`: "from" or "into". */
void template_check_language(Opening *o, const char *option, const char *wanted, const char *has, const char *verb);

/* The prompt names the target language, and the source language as well if `needs_source`. Sets
 * tokenizer->missing_language if a language is still needed. */
void template_prompt_languages(Opening *o, bool needs_target, bool needs_source);

/* ERR_USAGE if the user chose a language; for models whose files name none. */
void template_reject_choice(Opening *o);

/* Reads a number from config.json; leaves *out unchanged when there is no such key. */
void template_model_size(Opening *o, const char *key, size_t *out);

/* --- The families. One row of the table for each kind of model folder, by config.json's model_type and by the
 * tokenizer_class without "Fast". A row whose class is NULL matches every class that has no other row. --- */

typedef struct {
    const char *model_type, *class_name;
    void (*open)(Opening *o);
} TokenizerTemplate;

void marian_open_tokenizer(Opening *o);
void marian_open_files(Opening *o);
/* Lists the languages >>xxx<< of the source vocabulary and applies the user's choice. If there are any, a line may
 * begin with such a code. */
void marian_choose_code(Opening *o);
void ct2_open_tokenizer(Opening *o);
void m2m_open_tokenizer(Opening *o);
void m2m_open_any(Opening *o);
void m2m_open_small100(Opening *o);
/* Whether the files of a folder with M2M100's languages say that it is SMaLL-100. */
bool m2m_is_small100(Opening *o);
/* Puts the token of the target language before each source text, as SMaLL-100 expects. */
void m2m_place_small100(Opening *o);
void fairseq_open_nllb(Opening *o);
void fairseq_open_seamless(Opening *o);
void fairseq_open_any_mbart(Opening *o);
void fairseq_open_mbart(Opening *o);
void fairseq_open_mbart50(Opening *o);
void fairseq_open_roberta(Opening *o);
void bart_open_barthez(Opening *o);
void indictrans_open_tokenizer(Opening *o);
void bart_open_unknown(Opening *o);
void t5_open_byt5(Opening *o);
/* Lists MADLAD-400's languages, the pieces <2xx> of the source vocabulary, and applies the user's choice. */
void t5_choose_piece(Opening *o);
void t5_open_tokenizer(Opening *o);
void fsmt_open_tokenizer(Opening *o);
void tutorial_open_tokenizer(Opening *o);
void prompt_open_tokenizer(Opening *o);

#endif
