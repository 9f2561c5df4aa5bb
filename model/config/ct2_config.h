/* ct2_config.h - what a CTranslate2 folder says about its model, as one JSON
 * object: config.json's keys, and what only model.bin says, put under the keys
 * of ct2_config.c. A packed model has this object as its config.json. */
#ifndef DRAGOMAN_CT2_CONFIG_H
#define DRAGOMAN_CT2_CONFIG_H

#include <cJSON.h>

#include "err.h"
#include "model_folder.h"

#define CT2_MODEL_TYPE "ctranslate2"

/* The key that a model goes without when it is turned into other numbers. */
#define CT2_ROW_ROUNDING "row_rounding"
#define CT2_ROUNDED_DOWN "down" /* its value for matrices of 8 bits */

/* Reads both files. *out is the caller's: cJSON_Delete(). A model that is no
 * encoder-decoder Transformer, or has parts that dragoman lacks, is refused by
 * the name of the variable. */
MUST_USE Status ct2_config_read(cJSON **out, ModelFolder *folder, Err *err);

#endif
