/* family.h - the model families that dragoman opens: one table row each.
 * A row says how config.json is read into a ModelConfig, and how the tensors
 * are called. The arithmetic never asks for the family. */
#ifndef DRAGOMAN_FAMILY_H
#define DRAGOMAN_FAMILY_H

#include "buf.h"
#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"

struct Family {
    const char *name; /* config.json's model_type */
    /* Fills in everything but config->family and config->search; NULL: family_ctranslate2_read() does. */
    Status (*read)(ModelConfig *config, JsonObject json, Err *err);
    ModelConfig config; /* what the models have in common, and defaults */
    bool own_search;    /* `read` fills in config->search, too: no generation_config.json counts */
};

extern const Family marian_family, bart_family, mbart_family, m2m100_family; /* family_bart.c */
extern const Family t5_family, mt5_family, umt5_family;                      /* family_t5.c */
extern const Family ctranslate2_family;                                      /* models of CTranslate2's converters */
extern const Family marian_nmt_family;                                       /* models in Marian's own files */
extern const Family transformer_family;                                      /* the tutorials' own Transformers */

/* What ctranslate2_family has for a `read`: the variables of model.bin are no JSON. */
MUST_USE Status family_ctranslate2_read(ModelConfig *config, ModelFolder *folder, Err *err);

/* Beyond these no model exists; a larger number is a broken file. */
#define FAMILY_MAX_LAYERS    1000
#define FAMILY_MAX_SIDE      (1 << 20)
#define FAMILY_MAX_VOCAB     (1 << 24)
#define FAMILY_MAX_POSITIONS (1 << 14)

/* *out = family->config, which family->read() completes. */
void family_set_defaults(ModelConfig *out, const Family *family);

/* The row of that name, or NULL. */
const Family *family_find(const char *name);

/* Why a family that people know is not among them, to be put behind its name;
 * "" for any other name. */
const char *family_reason(const char *name);

/* Appends the names of all rows, separated by ", ". */
MUST_USE Status family_list(Buf *out, Err *err);

/* Reads an activation by its name in transformers' ACT2FN; *out is the
 * default. `key` is for messages. */
MUST_USE Status family_find_activation(Activation *out, const char *name, const char *key, JsonObject json, Err *err);

/* Required whole numbers from 1 to `most`. */
MUST_USE Status family_read_size(size_t *out, JsonObject json, const char *key, size_t most, Err *err);

#endif
