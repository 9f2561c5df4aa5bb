/* ensemble_model.c - see ensemble_model.h. */
#include "ensemble_model.h"

#include <stdlib.h>

#include "attention_score.h"
#include "kernels.h"
#include "matrix_emulation.h"
#include "model.h"

/* Keys and values are bf16 with int8 matmuls, unless score functions need f32. */
static DType cache_type(const Model *model)
{
    const ModelConfig *config = model_config(model);
    bool is_plain = attention_score_is_plain(&config->attention.decoder_score) &&
                    attention_score_is_plain(&config->attention.cross_score);

    return is_plain && !config->int8.f32_kv_cache && model_precision(model) == PRECISION_INT8 &&
                   !model_is_stored_8bit(model)
               ? DTYPE_BF16
               : DTYPE_F32;
}

Status ensemble_model_init(EnsembleModel *out, const Model *model, size_t sentences, size_t beams, size_t max_length,
                           Err *err)
{
    const Kernels *kernels =
        matrix_shares_x_multiplier(model->decoder[0].cross.query.weight) ? kernels_emulation_get() : kernels_get();
    Status st;

    *out = (EnsembleModel){ .model = model, .sentence_count = sentences, .max_length = max_length };
    out->caches = calloc(sentences, sizeof(KvCache *));
    out->choices = calloc(sentences, sizeof *out->choices);
    if (!out->caches || !out->choices) return err_memory(err, "a session");
    st = encoder_new(&out->encoder, model, kernels, err);
    if (st == OK) st = decoder_new(&out->decoder, model, kernels, sentences, beams, max_length, err);
    if (st == OK)
        st = page_pool_new(&out->pool, model_config(model), cache_type(model), decoder_requantizes_keys(model), beams,
                           err);
    return st;
}

Status ensemble_model_use_choices(EnsembleModel *em, Err *err)
{
    return em->rows ? OK : matrix_rows_new(&em->rows, em->model->output.weight, err);
}

Status ensemble_model_open_cache(EnsembleModel *em, size_t sentence, Err *err)
{
    return em->caches[sentence] ? OK : kv_cache_new(&em->caches[sentence], em->pool, em->max_length, err);
}

void ensemble_model_free(EnsembleModel *em)
{
    for (size_t i = 0; i < em->sentence_count; i++) {
        if (em->caches) kv_cache_free(em->caches[i]);
        if (em->choices) output_choice_free(&em->choices[i]);
    }
    free(em->caches);
    free(em->choices);
    matrix_rows_free(em->rows);
    page_pool_free(em->pool);
    decoder_free(em->decoder);
    encoder_free(em->encoder);
    *em = (EnsembleModel){ 0 };
}

Status ensemble_model_use_team(EnsembleModel *em, Team *team, Err *err)
{
    encoder_use_team(em->encoder, team);
    return decoder_use_team(em->decoder, team, err);
}

LogitsBlock ensemble_model_add_scores(const EnsembleModel *em, bool is_first, const LogitsBlock *block, float *sums)
{
    const float weight = model_weight(em->model);
    LogitsBlock out = *block;

    out.stride = model_config(em->model)->decoder.vocab;
    out.logits = sums + block->row * out.stride;
    for (size_t r = 0; r < block->rows; r++) {
        float *logits = block->logits + r * block->stride, *sum = out.logits + r * out.stride;
        kernels_get()->log_softmax(logits, block->count);
        for (size_t i = 0; i < block->count; i++) sum[i] = (is_first ? 0.0f : sum[i]) + weight * logits[i];
    }
    return out;
}
