/* ct2_tokens.h - what a CTranslate2 folder has for its texts: files beside model.bin, and special tokens. */
#ifndef DRAGOMAN_CT2_TOKENS_H
#define DRAGOMAN_CT2_TOKENS_H

#include <cJSON.h>

#include "ct2_file.h"
#include "err.h"

/* SentencePiece models by the names that people give them, source and target;
 * the target is NULL where one is for both. The list ends with NULLs. */
typedef struct {
    const char *source, *target;
} Ct2SpNames;
extern const Ct2SpNames ct2_sp_names[];

/* All names of files beside model.bin that its texts need, up to NULL. */
extern const char *const ct2_text_files[];

/* Before version 6 there is no config.json: adds its keys unk_token, bos_token, eos_token, decoder_start_token,
 * add_source_bos and add_source_eos to the object, as attributes of model.bin say; does nothing for later versions. */
MUST_USE Status ct2_tokens_add(cJSON *object, const Ct2File *file, Err *err);

#endif
