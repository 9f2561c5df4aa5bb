/* bind_fault.c - see bind.h: explains weights that other programs have changed, so that tensors are missing or have
 * other types. */
#include "bind.h"
#include "json.h"
#include "text.h"

/* The beginning of all names of a model that PEFT has wrapped. */
#define WRAPPED "base_model.model."

static bool is_wrapped(const Weights *weights)
{
    for (size_t i = 0; i < weights_count(weights); i++)
        if (!text_begins_with(weights_at(weights, i)->name, WRAPPED)) return false;
    return weights_count(weights) > 0;
}

Status bind_fault_explain(Status st, ModelFolder *folder, const Weights *weights, Err *err)
{
    JsonObject json;
    Err unread;
    const cJSON *quantization;
    const char *method;

    if (st != ERR_FORMAT && st != ERR_UNSUPPORTED) return st;
    if (is_wrapped(weights))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the names of the tensors begin with \"" WRAPPED "\", so an adapter (LoRA) is not merged: "
                       "save the result of merge_and_unload() of peft",
                       weights_path(weights));
    if (model_folder_json(folder, "config.json", &json, &unread) != OK) return st;
    quantization = json_member(json, "quantization_config");
    if (!cJSON_IsObject(quantization)) return st;
    method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(quantization, "quant_method"));
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: quantization_config is set, and dragoman does not support weights that are quantized (%.40s): "
                   "save the model without quantization (%s)",
                   json.file, method ? method : "no quant_method", err->text);
}
