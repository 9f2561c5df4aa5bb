/* template.h - what the families' tokenizers have in common, and the table
 * row of each. A family opens its files and fills a Tokenizer; tokenizer.c
 * does the rest from these fields and never asks for the family. */
#ifndef DRAGOMAN_TEMPLATE_H
#define DRAGOMAN_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "sp_shim.h"
#include "token_config.h"
#include "tokenizer.h"
#include "vocab.h"

/* A language that the model can be told to translate into. */
typedef struct {
    char *name; /* "deu" of >>deu<< */
    int32_t id; /* of its token, in the source vocabulary */
} TargetLanguage;

struct Tokenizer {
    TokenConfig config;
    SpModel *source_sp, *target_sp;
    Vocab *source, *target; /* one and the same when shared */
    int32_t source_unk, target_unk, eos;
    int32_t decoder_start, forced_bos; /* what the target language changes, else -1 */
    IdList before, after;              /* special tokens around each source text */
    TargetLanguage *languages;
    size_t language_count;
    bool leading_code; /* a line may begin with its own >>xxx<<, which then stands instead of `before` */
};

/* What the user asked for, NULL where not. */
typedef struct {
    const char *from, *to;
} LanguageChoice;

typedef struct {
    const char *model_type;
    MUST_USE Status (*open)(Tokenizer *tokenizer, const char *folder, LanguageChoice choice, Err *err);
} TokenizerTemplate;

/* Opens folder/name. */
MUST_USE Status template_open_sp(SpModel **out, const char *folder, const char *name, Err *err);
MUST_USE Status template_open_vocab(Vocab **out, const char *folder, const char *name, Err *err);

/* ERR_USAGE with the names of the model's languages; `problem` begins it. */
Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err);

/* marian.c */
MUST_USE Status marian_open_tokenizer(Tokenizer *tokenizer, const char *folder, LanguageChoice choice, Err *err);

#endif
