/* llm_models.h - writes the models of tests/golden/llm to folders: config.json and model.safetensors, whose values
 * depend only on the names of the tensors. scripts/reference/make_llm_goldens.py computes the same values. */
#ifndef DRAGOMAN_LLM_MODELS_H
#define DRAGOMAN_LLM_MODELS_H

#include "test_support.h"

#include <cJSON.h>

#define LLM_REFERENCE GOLDEN_ROOT "/llm/reference.jsonl"

/* Appends the values of a tensor, spread evenly around `middle`, at most `range` away: FNV-1a of the name and
 * SplitMix64 of the index give 24 random bits each. */
static inline void llm_put_values(Buf *out, const char *name, size_t count, float middle, float range)
{
    uint64_t seed = 0xcbf29ce484222325;

    for (; *name; name++) seed = (seed ^ (unsigned char)*name) * 0x100000001b3;
    for (size_t i = 0; i < count; i++) {
        uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
        float value;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        z ^= z >> 31;
        value = ((float)(z >> 40) * 0x1p-23f - 1) * range + middle;
        buf_put(out, (const char *)&value, sizeof value);
    }
}

/* Writes the model of a line of LLM_REFERENCE. */
static inline void llm_write_folder(const char *folder, const cJSON *line)
{
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(line, "tensors"), *tensor;
    char *config = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(line, "config"));
    Buf head = { 0 }, values = { 0 }, file = { 0 };

    assert_non_null(config);
    free(support_write_text(folder, "config.json", config));
    cJSON_free(config);
    cJSON_ArrayForEach(tensor, tensors)
    {
        const char *name = cJSON_GetArrayItem(tensor, 0)->valuestring;
        const cJSON *shape = cJSON_GetArrayItem(tensor, 1), *side;
        const size_t begin = values.len;
        size_t count = 1;

        buf_put_format(&head, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", head.len ? "," : "{", name);
        cJSON_ArrayForEach(side, shape)
        {
            buf_put_format(&head, "%s%d", side == shape->child ? "" : ",", side->valueint);
            count *= (size_t)side->valueint;
        }
        llm_put_values(&values, name, count, (float)cJSON_GetArrayItem(tensor, 2)->valuedouble,
                       (float)cJSON_GetArrayItem(tensor, 3)->valuedouble);
        buf_put_format(&head, "],\"data_offsets\":[%zu,%zu]}", begin, values.len);
    }
    buf_put_text(&head, "}");
    for (size_t i = 0; i < 8; i++) buf_put_byte(&file, (char)(head.len >> (8 * i) & 255));
    buf_put(&file, head.data, head.len);
    buf_put(&file, values.data, values.len);
    free(support_write_file(folder, "model.safetensors", file.data, file.len));
    buf_free(&head);
    buf_free(&values);
    buf_free(&file);
}

#endif
