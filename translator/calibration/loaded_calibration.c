/* loaded_calibration.c - see loaded_calibration.h. */
#include "loaded_calibration.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "path.h"

static void add_stack(Hash64 *hash, const StackConfig *stack)
{
    const size_t sizes[] = {
        stack->layers, stack->heads, stack->head_size, stack->ffn, stack->ffn_depth, stack->vocab
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) hash64_add_number(hash, sizes[i]);
}

/* An id without a piece counts as an empty one. */
static void add_pieces(Hash64 *hash, const Tokenizer *tokenizer, size_t count,
                       const char *(*piece_of)(const Tokenizer *tokenizer, int32_t id))
{
    hash64_add_number(hash, count);
    for (size_t id = 0; id < count; id++) {
        const char *piece = piece_of(tokenizer, (int32_t)id);
        hash64_add(hash, piece ? piece : "", piece ? strlen(piece) + 1 : 1);
    }
}

uint64_t model_hash(const Model *model, const Tokenizer *tokenizer)
{
    const ModelConfig *config = model_config(model);
    Hash64 hash = hash64_begin();

    hash64_add_number(&hash, config->d_model);
    add_stack(&hash, &config->encoder);
    add_stack(&hash, &config->decoder);
    add_pieces(&hash, tokenizer, tokenizer_facts(tokenizer)->source_vocab, tokenizer_source_piece);
    add_pieces(&hash, tokenizer, tokenizer_facts(tokenizer)->target_vocab, tokenizer_target_piece);
    hash64_add_number(&hash, model_table_hash(model));
    return hash64_end(&hash);
}

Status loaded_calibration_read(LoadedCalibration *out, ModelFolder *folder, const char *path, ModelConfig *config,
                               Err *err)
{
    JsonObject json;
    Status st;

    *out = (LoadedCalibration){ .path = path ? strdup(path) : path_join(model_folder_place(folder), CALIBRATION_FILE) };
    if (!out->path) return err_memory(err, "a path");
    if (!path && !model_folder_has_path(folder, out->path)) {
        loaded_calibration_free(out);
        return OK;
    }
    st = model_folder_json_path(folder, out->path, &json, err);
    if (st == OK) st = calibration_read(&out->values, json, config, err);
    if (st == OK) config->alignment = out->values.alignment;
    return st;
}

void loaded_calibration_free(LoadedCalibration *calibration)
{
    free(calibration->path);
    *calibration = (LoadedCalibration){ 0 };
}

Status loaded_calibration_check(const LoadedCalibration *calibration, const Model *model, const Tokenizer *tokenizer,
                                Err *err)
{
    if (!calibration->path || calibration->values.model == model_hash(model, tokenizer)) return OK;
    return err_set(err, ERR_USAGE, "%s: was made for another model; make a new one with 'dragoman calibrate'",
                   calibration->path);
}

const ConfidenceFit *loaded_calibration_fit(const LoadedCalibration *calibration)
{
    return calibration->path && calibration->values.has_confidence ? &calibration->values.confidence : NULL;
}
