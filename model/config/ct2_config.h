/* ct2_config.h - the layers of a CTranslate2 model: what model.bin says about them
 * (ct2_config.c), and the record of it in a packed model, which has no model.bin
 * (ct2_record.c): members that its config.json has beside those of the folder's. */
#ifndef DRAGOMAN_CT2_CONFIG_H
#define DRAGOMAN_CT2_CONFIG_H

#include <stdbool.h>

#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"

#define CT2_MODEL_TYPE "ctranslate2"

/* The fields of ModelConfig that the table of ct2_record.c names, and flags that others
 * follow from. Both stacks have the encoder's heads; max_positions is 0 without a
 * stored table. */
typedef struct {
    ModelConfig config;
    bool pre_norm, rms_norm, final_norm;
} Ct2Record;

/* Fills in these fields, checked; the others stay. Of a packed model by ct2_record_read().
 * A model that is no encoder-decoder Transformer, or has parts that dragoman lacks, is
 * refused by the name of the variable. */
MUST_USE Status ct2_config_read(Ct2Record *out, ModelFolder *folder, Err *err);

/* From a packed model's config.json. */
MUST_USE Status ct2_record_read(Ct2Record *out, JsonObject json, Err *err);

/* ERR_FORMAT, with the file and the field, where a number is out of its limits. */
MUST_USE Status ct2_record_check(const Ct2Record *record, const char *path, Err *err);

/* The config.json of a packed model: the folder's, the record and the special tokens.
 * *out is the caller's: cJSON_free(). */
MUST_USE Status ct2_record_print(char **out, const Ct2Record *record, ModelFolder *folder, Err *err);

#endif
