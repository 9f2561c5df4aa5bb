/* config.c - see config.h and family.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "family.h"
#include "file_kind.h"
#include "json.h"
#include "name_map.h"

void model_config_free(ModelConfig *config)
{
    search_params_free(&config->search);
    buf_free(&config->stops);
    name_map_free(config->name_map);
    free(config->decoder_layer.tied);
    free(config->attention.window.layers);
    free(config->attention.window.encoder_layers);
    free(config->shortlist.path);
    free(config->vocab_files.source);
    free(config->vocab_files.target);
    *config = (ModelConfig){ 0 };
}

/* --- Families. --- */

static const Family *const families[] = { &marian_family,      &bart_family,   &mbart_family,    &m2m100_family,
                                          &indictrans_family,  &fsmt_family,   &seamless_family, &seamless_v2_family,
                                          &t5_family,          &mt5_family,    &umt5_family,     &transformer_family,
                                          &ctranslate2_family, &llama_family,  &mistral_family,  &qwen2_family,
                                          &qwen3_family,       &gemma2_family, &gemma3_family,   &gemma3_text_family,
                                          &hunyuan_family,     &t5gemma_family };

#define FAMILIES (sizeof families / sizeof *families)

#define INSTEAD "for translation, use an OPUS-MT, M2M-100, NLLB-200, mBART-50 or MADLAD-400 model"

/* Model types that people may try to open for translation, and why they cannot be opened. */
static const struct {
    const char *types; /* separated by spaces */
    const char *reason;
} reasons[] = {
    { "nllb-moe", "NLLB-MoE is a mixture of experts; the other NLLB-200 models, of 0.6 to 3.3 billion parameters, are "
                  "supported" },
    { "switch_transformers", "it is a mixture of experts; T5, mT5 and MADLAD-400 models are supported" },
    { "t5gemma2 longt5", "its layers are not those of T5; " INSTEAD },
    { "pegasus pegasus_x bigbird_pegasus led prophetnet xlm-prophetnet blenderbot blenderbot-small mvp plbart",
      "it is a model for summaries, conversations or code; " INSTEAD },
    { "encoder-decoder", "it joins an encoder and a decoder of other models; " INSTEAD },
    { "whisper speech_to_text speech-encoder-decoder wav2vec2 moonshine",
      "it is a model for speech, and dragoman translates text" },
    { "gpt2 gpt_neo gpt_neox gptj gpt_oss opt bloom llama4 mixtral ministral qwen2_moe qwen3_moe gemma gemma3n gemma4 "
      "phi phi3 falcon cohere cohere2 olmo olmo2 stablelm glm glm4 deepseek_v2 deepseek_v3 smollm3 xglm hunyuan_v1_moe "
      "seed_oss",
      "of the decoder-only language models, dragoman supports the types llama, mistral, qwen2, qwen3, gemma2, gemma3, "
      "gemma3_text and hunyuan_v1_dense" },
    { "bert roberta xlm-roberta xlm distilbert electra deberta deberta-v2 albert modernbert camembert",
      "it has an encoder only, and cannot write text; " INSTEAD },
};

/* Says why models of a well-known type are not supported, and what works instead; NULL for other names. */
static const char *reason_against(const char *name)
{
    const size_t len = strlen(name);

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (chars_are_among(name, len, reasons[i].types)) return reasons[i].reason;
    return NULL;
}

/* --- config.json. --- */

/* Returns the error for a config.json without model_type. The file may be an error message of a server, or belong to a
 * CTranslate2 folder whose model.bin is invalid. */
static Status refuse_untyped(JsonObject json, ModelFolder *folder, Err *err)
{
    const cJSON *fault = json_member(json, "error");
    FileView file = { 0 };
    Status st = OK;

    if (cJSON_IsString(fault))
        return err_set(err, ERR_FORMAT, "%s: contains the error message \"%.200s\": download the file again", json.file,
                       fault->valuestring);
    if (model_folder_has(folder, CT2_FILE)) st = model_folder_read(folder, CT2_FILE, &file, err);
    if (st == OK && file.path) st = file_kind_check(&file.map, file.path, "a model.bin of CTranslate2", err);
    return st == OK ? json_require(json, "model_type", err) : st;
}

static Status find_family(const Family **out, JsonObject json, ModelFolder *folder, Err *err)
{
    const char *name = NULL, *reason;
    Buf known = { 0 };
    Status st = json_member(json, "model_type") ? OK : refuse_untyped(json, folder, err);
    JsonReader r = { json, err, st };

    json_read_string(&r, "model_type", &name);
    if (r.st != OK) return r.st;
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0) {
            *out = families[i];
            return OK;
        }
    reason = reason_against(name);
    if (reason)
        return err_set(err, ERR_UNSUPPORTED, "%s: model_type \"%s\" is not supported: %s", json.file, name, reason);
    for (size_t i = 0; i < FAMILIES; i++) buf_put_format(&known, "%s%s", i ? ", " : "", families[i]->name);
    st = buf_check(&known, err);
    if (st == OK)
        st = err_set(err, ERR_UNSUPPORTED, "%s: model_type \"%s\" is not supported; dragoman supports %s", json.file,
                     name, known.data);
    buf_free(&known);
    return st;
}

/* Reads config.json, which only a CTranslate2 model may lack. */
static Status read_tree(JsonObject *json, ModelFolder *folder, Err *err)
{
    const char *path = model_folder_path(folder);
    size_t adapters;

    if (model_folder_kind(folder) == MODEL_CTRANSLATE2) return model_folder_json(folder, "config.json", json, err);
    if (model_folder_is_directory(folder) && !model_folder_has(folder, "config.json"))
        return model_folder_report(folder, err);
    /* from_pretrained() of transformers would apply the adapter, whose weights are not here. */
    (void)model_folder_adapters(folder, &adapters);
    if (!adapters && model_folder_has(folder, ADAPTER_CONFIG))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: " ADAPTER_CONFIG " belongs to an adapter (LoRA), but adapter_model.safetensors is missing; "
                       "if the weights contain the adapter, remove " ADAPTER_CONFIG,
                       path);
    return model_folder_require_json(folder, "config.json", json, err);
}

Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err)
{
    const Family *family = &ctranslate2_family;
    const ModelKind kind = model_folder_kind(folder);
    bool tied = false;
    JsonReader r = { .err = err };

    *out = (ModelConfig){ 0 };
    if (kind == MODEL_MARIAN) return marian_folder_read(out, folder, vocabs, err);
    r.st = read_tree(&r.json, folder, err);
    if (r.st == OK && kind != MODEL_CTRANSLATE2) r.st = find_family(&family, r.json, folder, err);
    json_read_bool(&r, "tie_encoder_decoder", &tied);
    if (r.st == OK && tied) /* one stack serves as encoder and decoder */
        json_fault(&r, ERR_UNSUPPORTED, "tie_encoder_decoder is true, which dragoman does not support");
    if (r.st != OK) return r.st;
    family_set_defaults(out, family);
    if (family->read)
        family->read(out, &r);
    else
        r.st = ct2_config_read(out, folder, err);
    json_read_bool(&r, "dragoman_split_sentences", &out->split_sentences);
    json_read_bool(&r, "dragoman_lower_capitals", &out->lower_capitals);
    json_read_bool(&r, "dragoman_keep_unknown", &out->keep_unknown);
    json_read_bool(&r, "dragoman_keep_numbers", &out->keep_numbers);
    json_read_bool(&r, "dragoman_valid_utf8", &out->valid_utf8);
    return r.st == OK && family->read ? generation_config_read(out, folder, r.json, err) : r.st;
}
