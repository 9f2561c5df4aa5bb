/* config_reader.c - see config_reader.h. */
#include "config_reader.h"

#include "family.h"
#include "file_kind.h"
#include "generation_config.h"
#include "json.h"
#include "marian_folder.h"
#include "model_fault.h"
#include "path.h"

/* Rejects a config.json without model_type: an error message that a server sent instead of the file, or that of a
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

    if (st == OK) st = json_get_string(json, "model_type", &name, err);
    if (st != OK) return st;
    *out = family_find(name);
    if (*out) return OK;
    reason = family_reason(name);
    if (reason)
        return err_set(err, ERR_UNSUPPORTED, "%s: model_type \"%s\" is not supported: %s", json.file, name, reason);
    st = family_list(&known, err);
    if (st == OK)
        st = err_set(err, ERR_UNSUPPORTED, "%s: model_type \"%s\" is not supported; dragoman supports %s", json.file,
                     name, known.data);
    buf_free(&known);
    return st;
}

/* Rejects models with one stack that serves as encoder and decoder. */
static Status refuse_tied_stacks(JsonObject json, Err *err)
{
    bool tied = false;
    Status st = json_get_bool(json, "tie_encoder_decoder", &tied, err);

    if (st != OK || !tied) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: tie_encoder_decoder is true, which dragoman does not support", json.file);
}

/* from_pretrained() of transformers applies an adapter that is in the folder of a model. */
static Status refuse_adapter(ModelFolder *folder, Err *err)
{
    if (!model_folder_has(folder, "adapter_config.json")) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: adapter_config.json belongs to an adapter (LoRA), which dragoman does not apply: merge the "
                   "adapter into its model and give the folder of the result; if the weights contain it, remove "
                   "adapter_config.json",
                   model_folder_path(folder));
}

/* A CTranslate2 model needs no config.json beside its model.bin. */
static Status read_tree(JsonObject *json, ModelFolder *folder, Err *err)
{
    const char *path = model_folder_path(folder);
    Status st;

    if (model_folder_kind(folder) == MODEL_CTRANSLATE2) return model_folder_json(folder, "config.json", json, err);
    if (model_folder_is_directory(folder) && !model_folder_has(folder, "config.json"))
        return model_fault_of_folder(path, err);
    st = refuse_adapter(folder, err);
    return st == OK ? model_folder_require_json(folder, "config.json", json, err) : st;
}

static Status read_family(ModelConfig *out, JsonObject json, ModelFolder *folder, Err *err)
{
    const Family *family = &ctranslate2_family;
    Status st = OK;

    if (model_folder_kind(folder) != MODEL_CTRANSLATE2) st = find_family(&family, json, folder, err);
    if (st == OK) st = refuse_tied_stacks(json, err);
    if (st != OK) return st;
    family_set_defaults(out, family);
    st = family->read ? family->read(out, json, err) : family_ctranslate2_read(out, folder, err);
    if (st == OK) st = json_get_bool(json, "dragoman_split_sentences", &out->split_sentences, err);
    if (st == OK) st = json_get_bool(json, "dragoman_lower_capitals", &out->lower_capitals, err);
    if (st == OK) st = json_get_bool(json, "dragoman_keep_unknown", &out->keep_unknown, err);
    if (st == OK) st = json_get_bool(json, "dragoman_keep_numbers", &out->keep_numbers, err);
    if (st == OK) st = json_get_bool(json, "dragoman_valid_utf8", &out->valid_utf8, err);
    if (st != OK || family->own_search) return st;
    return generation_config_read(&out->search, &out->stops, folder, json, out, err);
}

Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err)
{
    JsonObject json;
    Status st;

    *out = (ModelConfig){ 0 };
    if (model_folder_kind(folder) == MODEL_MARIAN) return marian_folder_read(out, folder, vocabs, err);
    st = read_tree(&json, folder, err);
    return st == OK ? read_family(out, json, folder, err) : st;
}
