/* family.h - the supported model families, each a Family, and the readers of their configurations. A Family says how
 * config.json becomes a ModelConfig, and names the tensors. The arithmetic never tests the family. */
#ifndef DRAGOMAN_FAMILY_H
#define DRAGOMAN_FAMILY_H

#include <stdbool.h>

#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"
#include "search.h"

typedef struct Weights Weights; /* weights.h */

struct Family {
    const char *name; /* model_type in config.json */
    /* Fills in everything except config->family and config->search; NULL: ct2_config_read() is called instead, which
     * also fills in config->search. */
    void (*read)(ModelConfig *config, JsonReader *r);
    ModelConfig config; /* the values that all models of the family share, and defaults */
};

extern const Family marian_family, bart_family, mbart_family, m2m100_family, fsmt_family, indictrans_family,
    seamless_family, seamless_v2_family;                                      /* family_bart.c */
extern const Family t5_family, mt5_family, umt5_family;                       /* family_t5.c */
extern const Family llama_family, mistral_family, qwen2_family, qwen3_family, /* family_llm.c */
    gemma2_family, gemma3_family, gemma3_text_family, hunyuan_family, t5gemma_family;
extern const Family ctranslate2_family; /* models of CTranslate2's converters */
extern const Family marian_nmt_family;  /* models in Marian's own files */
extern const Family transformer_family; /* Transformers of tutorials */

/* No model exceeds these limits; a larger number means a broken file. */
#define FAMILY_MAX_LAYERS    1000
#define FAMILY_MAX_SIDE      (1 << 20)
#define FAMILY_MAX_VOCAB     (1 << 24)
#define FAMILY_MAX_POSITIONS (1 << 14)
#define FAMILY_MAX_BEAMS     1024
#define FAMILY_MAX_BUCKETS   4096 /* of relative positions */
#define FAMILY_MAX_DISTANCE  4096 /* of relative positions; each distance takes memory for its biases */

/* Sets *out to family->config, with a default AlignmentConfig if it has none. family->read() then completes it. */
void family_set_defaults(ModelConfig *out, const Family *family);

/* Looks up an activation by its name in ACT2FN of transformers. `key` is the key of config.json, for messages. */
void family_find_activation(JsonReader *r, const char *key, const char *name, Activation *out);

/* Reads a required integer from 1 to `most`. */
static inline void family_read_size(JsonReader *r, const char *key, size_t most, size_t *out)
{
    json_read_required_size(r, key, 1, most, out);
}

/* --- generation_config.c: the search settings of a model folder. --- */

/* Reads generation_config.json of `folder` into model->search. If the file is missing or config.json overrides it,
 * reads the same keys of config.json, as transformers does. Ids are checked against the model's target vocabulary.
 * Appends stop_strings to model->stops, each with a final NUL. */
MUST_USE Status generation_config_read(ModelConfig *model, ModelFolder *folder, JsonObject config, Err *err);

/* Sets max_length, num_beams and early_stopping of a task in config.json's task_specific_params. They replace the
 * values from generation_config_read(), but max_new_tokens takes precedence over max_length, as in the pipelines of
 * transformers. */
MUST_USE Status generation_config_adopt_task(SearchParams *out, ModelFolder *folder, const char *task,
                                             const ModelConfig *model, Err *err);

/* --- marian_folder.c: a model in Marian's own files: model.npz or model.bin with the model's settings inside, and
 * decoder.yml with the search settings. --- */

/* model_config_read() for Marian models. `vocabs` are the user's vocabularies "SOURCE,TARGET", or one
 * for both languages; NULL: those that decoder.yml names, or else those found in the folder. */
MUST_USE Status marian_folder_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);

/* Prints the search settings of a packed model as JSON, the content of its file MARIAN_DECODER, which names the
 * vocabularies and the shortlist without folders, because a packed model stores all files side by side. The caller
 * frees *json with cJSON_free(). */
#define MARIAN_DECODER "decoder.yml"
MUST_USE Status marian_folder_print(char **json, ModelFolder *folder, const Weights *weights, const ModelConfig *config,
                                    Err *err);

/* --- ct2_config.c: the layers of a CTranslate2 model, as model.bin describes them. A packed model has no model.bin:
 * its config.json has a record of the layers in addition to the original keys. --- */

/* Reads the configuration from the variables of model.bin, or from the record of a packed model. Rejects a model that
 * is not an encoder-decoder Transformer or has an unsupported part; the message names the variable. */
MUST_USE Status ct2_config_read(ModelConfig *config, ModelFolder *folder, Err *err);

/* Prints the config.json of a packed model: the content of the folder's config.json, the special tokens, and the record
 * with `rounding`. The caller frees *out with cJSON_free(). */
MUST_USE Status ct2_config_print(char **out, RowRounding rounding, ModelFolder *folder, Err *err);

#endif
