/* token_config.h - tokenizer_config.json, special_tokens_map.json,
 * added_tokens.json. Any of them may be missing: the family's own names hold
 * then. */
#ifndef DRAGOMAN_TOKEN_CONFIG_H
#define DRAGOMAN_TOKEN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "model_folder.h"

/* A token outside the family's own vocabulary. */
typedef struct {
    char *text;
    int32_t id;
    bool special;                     /* left out of a translation's text */
    bool lstrip, rstrip, single_word; /* added.c */
} AddedToken;

/* Strings are owned by the TokenConfig; NULL stands for what is not said. */
typedef struct {
    char *unk, *eos, *pad, *bos, *sep, *cls, *mask;
    char **special; /* [special_count]: every special token's string: the additional ones, then those above */
    size_t special_count;
    size_t additional_count; /* of additional_special_tokens */
    bool has_additional;     /* the files say which, none perhaps */
    AddedToken *added;       /* [added_count]: added_tokens_decoder, else added_tokens.json and tokenizer.json's */
    size_t added_count;
    char *source_lang, *target_lang; /* Marian's keys */
    char *src_lang, *tgt_lang;       /* the other families' */
    char *language_codes;            /* M2M100: "m2m100" or "wmt21" */
    size_t extra_ids;                /* T5; the class's 100 where the files say nothing */
    size_t model_max_length;         /* 0: not said, or no limit (1e30) */
    bool separate_vocabs;
    bool legacy_behaviour; /* NLLB */
} TokenConfig;

/* What holds where the files say nothing; NULL: no such token. */
typedef struct {
    const char *unk, *eos, *pad, *bos, *sep, *cls, *mask;
    bool needs_added; /* the family looks at `added`: the files beside tokenizer_config.json are read for it */
} TokenDefaults;

extern const TokenDefaults token_defaults_bart; /* of BART, and of the families of fairseq */

/* *out is ended with token_config_free() in every case. */
MUST_USE Status token_config_read(TokenConfig *out, ModelFolder *folder, const TokenDefaults *defaults, Err *err);
void token_config_free(TokenConfig *config); /* {0} is allowed */

/* tokenizer_class of tokenizer_config.json, else of config.json, without the
 * "Fast" at its end; NULL when neither says it. *out is the caller's. */
MUST_USE Status token_config_class(char **out, ModelFolder *folder, Err *err);

#endif
