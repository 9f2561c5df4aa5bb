/* ct2_config.h - the layers of a CTranslate2 model, as model.bin describes them. A packed model has no
 * model.bin: its config.json keeps a record of them beside the original keys. */
#ifndef DRAGOMAN_CT2_CONFIG_H
#define DRAGOMAN_CT2_CONFIG_H

#include <stdbool.h>

#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"

#define CT2_MODEL_TYPE "ctranslate2"

/* The fields of ModelConfig that the record has, and flags from which others follow. Both stacks
 * have the encoder's heads; max_positions is 0 unless positions are stored. */
typedef struct {
    ModelConfig config;
    bool pre_norm, rms_norm, final_norm;
} Ct2Record;

/* Reads and checks these fields; other fields stay unchanged. For a packed model it reads the record.
 * A model that is not an encoder-decoder Transformer, or has an unsupported part, is rejected; the
 * message names the variable. */
MUST_USE Status ct2_config_read(Ct2Record *out, ModelFolder *folder, Err *err);

/* Reads the record from the config.json of a packed model. */
MUST_USE Status ct2_record_read(Ct2Record *out, JsonObject json, Err *err);

/* Prints the config.json of a packed model: that of the folder, the record and the special tokens.
 * The caller frees *out with cJSON_free(). */
MUST_USE Status ct2_record_print(char **out, const Ct2Record *record, ModelFolder *folder, Err *err);

#endif
