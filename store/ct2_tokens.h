/* ct2_tokens.h - the tokenizer files and special tokens of a CTranslate2 folder. */
#ifndef DRAGOMAN_CT2_TOKENS_H
#define DRAGOMAN_CT2_TOKENS_H

#include <cJSON.h>
#include <stdbool.h>

#include "err.h"
#include "model_folder.h"

/* The usual names of SentencePiece models, source and target; target is NULL if one model is for both. NULLs end the
 * list. */
typedef struct {
    const char *source, *target;
    bool adds_end; /* true for the names of quickmt: its models need the end token after each source text */
} Ct2SpNames;
extern const Ct2SpNames ct2_sp_names[];

/* All file names that the tokenizers may need beside model.bin; ends with NULL. */
extern const char *const ct2_text_files[];

#define CT2_TOKEN_BYTES 256

/* The special tokens. The flags tell which of them CTranslate2 adds to a source text. */
typedef struct {
    const char *unk, *bos, *eos, *start; /* start may be NULL */
    bool source_bos, source_eos;
    char texts[3][CT2_TOKEN_BYTES]; /* tokens stored in model.bin */
} Ct2Tokens;

/* Reads config.json or, before version 6, the attributes of model.bin. Do not copy *out, since it contains pointers to
 * itself. It is valid until model_folder_forget_trees(). */
MUST_USE Status ct2_tokens_read(Ct2Tokens *out, ModelFolder *folder, Err *err);

/* Sets the members of config.json that hold the tokens. */
MUST_USE Status ct2_tokens_add(cJSON *json, const Ct2Tokens *tokens, Err *err);

#endif
