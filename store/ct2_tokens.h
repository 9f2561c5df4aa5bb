/* ct2_tokens.h - what a CTranslate2 folder has for its texts: files beside model.bin, and special tokens. */
#ifndef DRAGOMAN_CT2_TOKENS_H
#define DRAGOMAN_CT2_TOKENS_H

#include <cJSON.h>
#include <stdbool.h>

#include "err.h"
#include "model_folder.h"

/* SentencePiece models by the names that people give them, source and target;
 * the target is NULL where one is for both. The list ends with NULLs. */
typedef struct {
    const char *source, *target;
} Ct2SpNames;
extern const Ct2SpNames ct2_sp_names[];

/* All names of files beside model.bin that its texts need, up to NULL. */
extern const char *const ct2_text_files[];

#define CT2_TOKEN_BYTES 256

/* Special tokens, and which of them CTranslate2 puts around a source. */
typedef struct {
    const char *unk, *bos, *eos, *start; /* start: NULL: none */
    bool source_bos, source_eos;
    char texts[3][CT2_TOKEN_BYTES]; /* those that model.bin says */
} Ct2Tokens;

/* As config.json says, before version 6 the attributes of model.bin. *out points into itself and into the folder's
 * trees: it is not copied and lasts until model_folder_forget_trees(). */
MUST_USE Status ct2_tokens_read(Ct2Tokens *out, ModelFolder *folder, Err *err);

/* Sets config.json's members. */
MUST_USE Status ct2_tokens_add(cJSON *json, const Ct2Tokens *tokens, Err *err);

#endif
