/* family.h - the supported model families, one row each. A row says how config.json becomes a
 * ModelConfig, and names the tensors. The arithmetic never tests the family. */
#ifndef DRAGOMAN_FAMILY_H
#define DRAGOMAN_FAMILY_H

#include "buf.h"
#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"

struct Family {
    const char *name; /* model_type in config.json */
    /* Fills in everything except config->family and config->search; NULL: family_ctranslate2_read() does. */
    Status (*read)(ModelConfig *config, JsonObject json, Err *err);
    ModelConfig config; /* what all models of the family share, and defaults */
    bool own_search;    /* `read` fills in config->search as well; generation_config.json is ignored */
};

extern const Family marian_family, bart_family, mbart_family, m2m100_family; /* family_bart.c */
extern const Family t5_family, mt5_family, umt5_family;                      /* family_t5.c */
extern const Family ctranslate2_family;                                      /* models of CTranslate2's converters */
extern const Family marian_nmt_family;                                       /* models in Marian's own files */
extern const Family transformer_family;                                      /* Transformers of tutorials */

/* The `read` of ctranslate2_family, which reads the variables of model.bin instead of JSON. */
MUST_USE Status family_ctranslate2_read(ModelConfig *config, ModelFolder *folder, Err *err);

/* No model exceeds these limits; a larger number means a broken file. */
#define FAMILY_MAX_LAYERS    1000
#define FAMILY_MAX_SIDE      (1 << 20)
#define FAMILY_MAX_VOCAB     (1 << 24)
#define FAMILY_MAX_POSITIONS (1 << 14)

/* Sets *out = family->config, which family->read() completes; and AlignmentConfig, unless the family has its own. */
void family_set_defaults(ModelConfig *out, const Family *family);

/* Returns the family of that name, or NULL. */
const Family *family_find(const char *name);

/* Says why models of a well-known type are not supported, and what works instead; NULL for other names. */
const char *family_reason(const char *name);

/* Appends the names of all families, separated by ", ". */
MUST_USE Status family_list(Buf *out, Err *err);

/* Looks up an activation by its name in transformers' ACT2FN. *out holds the default before the call.
 * `key` is for messages. */
MUST_USE Status family_find_activation(Activation *out, const char *name, const char *key, JsonObject json, Err *err);

/* Reads a required integer from 1 to `most`. */
MUST_USE Status family_read_size(size_t *out, JsonObject json, const char *key, size_t most, Err *err);

#endif
