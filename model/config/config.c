/* config.c - see config.h. */
#include "config.h"

#include <stdlib.h>

#include "ct2_config.h"
#include "ct2_file.h"
#include "family.h"
#include "file_kind.h"
#include "generation_config.h"
#include "json.h"
#include "marian_folder.h"
#include "model_fault.h"
#include "name_map.h"
#include "path.h"
#include "stored_file.h"
#include "tree_file.h"

/* config.json of something else: what a server says instead of a file, or that of CTranslate2, whose model.bin says the
 * rest and is not what it should be. */
static Status refuse_untyped(JsonObject json, const char *folder, Err *err)
{
    const cJSON *fault = json_member(json, "error");
    char *path = path_join(folder, CT2_FILE);
    MappedFile file = { 0 };
    Status st = path ? OK : err_memory(err, "a file name");

    if (st == OK && cJSON_IsString(fault))
        st = err_set(err, ERR_FORMAT, "%s: is an error message, \"%.200s\": did the download fail?", json.file,
                     fault->valuestring);
    if (st == OK && stored_file_exists(path)) st = stored_file_open(&file, path, err);
    if (st == OK && stored_file_exists(path)) st = file_kind_check(&file, path, "a model.bin of CTranslate2", err);
    mapped_file_close(&file);
    free(path);
    return st == OK ? json_require(json, "model_type", err) : st;
}

static Status find_family(const Family **out, JsonObject json, const char *folder, Err *err)
{
    const char *name = NULL;
    Buf known = { 0 };
    Status st = json_member(json, "model_type") ? OK : refuse_untyped(json, folder, err);

    if (st == OK) st = json_get_string(json, "model_type", &name, err);
    if (st != OK) return st;
    *out = family_find(name);
    if (*out) return OK;
    st = family_list(&known, err);
    if (st == OK)
        st = err_set(err, ERR_UNSUPPORTED, "%s: model_type \"%s\" is not supported%s; dragoman opens: %s", json.file,
                     name, family_reason(name), known.data);
    buf_free(&known);
    return st;
}

/* One stack that serves as encoder and decoder. */
static Status refuse_tied_stacks(JsonObject json, Err *err)
{
    bool tied = false;
    Status st = json_get_bool(json, "tie_encoder_decoder", &tied, err);

    if (st != OK || !tied) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: tie_encoder_decoder is true, which dragoman does not support", json.file);
}

void model_config_free(ModelConfig *config)
{
    search_params_free(&config->search);
    name_map_free(config->name_map);
    free(config->tied_layers);
    free(config->shortlist);
    free(config->source_vocab);
    free(config->target_vocab);
    *config = (ModelConfig){ 0 };
}

/* CTranslate2's config.json says little without its model.bin. */
static Status read_tree(cJSON **out, const char *folder, const char *path, Err *err)
{
    if (!path) return err_memory(err, "a file name");
    if (path_is_directory(folder) && !stored_file_exists(path) && !ct2_config_fits(folder))
        return model_fault_of_folder(folder, err);
    return ct2_config_fits(folder) ? ct2_config_read(out, folder, err) : tree_file_read_json(out, path, err);
}

Status model_config_read(ModelConfig *out, const char *folder, const char *vocabs, Err *err)
{
    char *path;
    cJSON *tree = NULL;
    Status st;

    *out = (ModelConfig){ 0 };
    if (!stored_file_exists(folder) && !ct2_file_is_inside(folder)) return model_fault_of_missing(folder, err);
    if (marian_folder_is(folder)) return marian_folder_read(out, folder, vocabs, err);
    path = path_join(folder, "config.json");
    st = read_tree(&tree, folder, path, err);
    if (st == OK) {
        JsonObject json = { tree, path };
        st = find_family(&out->family, json, folder, err);
        if (st == OK) st = refuse_tied_stacks(json, err);
        if (st == OK) {
            out->default_start = out->family->default_start;
            out->default_eos = out->family->default_eos;
            out->default_forced_bos = -1;
            st = out->family->read(out, json, err);
        }
        if (st == OK) st = json_get_bool(json, "dragoman_split_sentences", &out->split_sentences, err);
        if (st == OK && !out->family->own_search) st = generation_config_read(&out->search, folder, json, out, err);
    }
    cJSON_Delete(tree);
    free(path);
    return st;
}

bool model_config_is_file(const char *path)
{
    return !path_is_directory(path) && marian_folder_is(path);
}
