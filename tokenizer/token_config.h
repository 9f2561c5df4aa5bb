/* token_config.h - tokenizer_config.json + special_tokens_map.json.
 * Both files may be missing: the family's own names hold then. */
#ifndef DRAGOMAN_TOKEN_CONFIG_H
#define DRAGOMAN_TOKEN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* Strings are owned by the TokenConfig; NULL stands for what is not said. */
typedef struct {
    char *unk, *eos, *pad;
    char **special; /* [special_count]: every special token's string, those three included */
    size_t special_count;
    char *source_lang, *target_lang;
    size_t model_max_length; /* 0: not said, or no limit (1e30) */
    bool separate_vocabs;
} TokenConfig;

/* What holds where the files say nothing; NULL: no such token. */
typedef struct {
    const char *unk, *eos, *pad;
} TokenDefaults;

/* *out is ended with token_config_free() in every case. */
MUST_USE Status token_config_read(TokenConfig *out, const char *folder, const TokenDefaults *defaults, Err *err);
void token_config_free(TokenConfig *config); /* {0} is allowed */

#endif
