/* token_config.h - reads tokenizer_config.json, special_tokens_map.json and added_tokens.json. Any of them may be
 * missing; the family's default tokens then apply. */
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
    const char *file;                             /* name of the file that has it */
    bool special;                                 /* not part of a translation's text */
    bool control;                                 /* split off in a prompt, but not in the user's text within it */
    bool lstrip, rstrip, single_word, normalized; /* see added.c */
} AddedToken;

/* The TokenConfig owns the strings; NULL means that the files do not set the value. */
typedef struct {
    char *unk, *eos, *pad, *bos, *sep, *cls, *mask;
    char **special; /* [special_count]: strings of all special tokens: the additional ones, then the named ones above */
    size_t special_count;
    size_t additional_count; /* number of additional_special_tokens */
    bool has_additional;     /* the files list additional tokens; the list may be empty */
    AddedToken *added; /* [added_count]: from added_tokens_decoder, else from added_tokens.json and tokenizer.json */
    size_t added_count;
    char *source_lang, *target_lang; /* keys of Marian */
    char *src_lang, *tgt_lang;       /* keys of the other families */
    char *language_codes;            /* M2M100: "m2m100" or "wmt21" */
    size_t extra_ids;        /* number of T5's tokens <extra_id_0>, ...; 100, as in T5's class, if no file sets it */
    size_t model_max_length; /* 0: not set, or no limit (1e30) */
    bool separate_vocabs;
    bool legacy_behaviour; /* NLLB */
    bool legacy;           /* T5: a space is added before text that follows an added token; true by default */
    bool add_prefix_space; /* T5 without `legacy`, byte-level BPE: a space is added before a text */
} TokenConfig;

/* The values of a family that apply if the files do not set them; NULL: no such token. */
typedef struct {
    const char *unk, *eos, *pad, *bos, *sep, *cls, *mask;
    bool add_prefix_space;
} TokenDefaults;

extern const TokenDefaults token_defaults_bart; /* for BART and the families of fairseq */

/* The caller frees *out with token_config_free(), even after an error. */
MUST_USE Status token_config_read(TokenConfig *out, ModelFolder *folder, const TokenDefaults *defaults, Err *err);
void token_config_free(TokenConfig *config); /* {0} is allowed */

/* Reads tokenizer_class from tokenizer_config.json, otherwise from config.json, and removes a final "Fast". *out is
 * NULL if no file names a class, or only a generic one (PreTrainedTokenizer); the caller frees *out. */
MUST_USE Status token_config_class(char **out, ModelFolder *folder, Err *err);

#endif
