/* bind.c - see binder.h and model.h: the whole model, its embeddings and positions, and the tensors that no layer
 * uses. */
#include "binder.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "json.h"
#include "name_map.h"
#include "packed.h"
#include "text.h"

#define WARNING_BYTES 1024

/* 16-bit weights of more bytes than this keep their stored type, because widening would double their
 * memory. Smaller models are faster as f32. */
#define WIDENED_BYTES ((size_t)32 << 20)

/* A packed model stores it only if the decoder has an embedding matrix of its own. */
#define DECODER_EMBEDDINGS "decoder.table"
/* The same for an output layer that is not the decoder's embeddings. */
#define OUTPUT "output"

/* Returns the first name that exists. The weight of an untied output layer is never used as embeddings. */
static const char *stored_alias(const Binder *b, const TensorAliases names)
{
    const ModelConfig *config = &b->model->config;

    for (size_t i = 0; i < TENSOR_ALIASES && names[i]; i++) {
        if (!config->output.tied && config->names->output && strcmp(names[i], config->names->output) == 0) continue;
        if (binder_find(b, names[i], "")) return names[i];
    }
    return names[0];
}

static Status bind_embedding_matrix(Binder *b, Matrix **out, const char *packed, const char *name, size_t vocab)
{
    return bind_linear_weights(b, out, packed, vocab, b->model->config.d_model, &name, "", 1);
}

/* The bias has the shape [V] or [1, V]. As in transformers, a missing final_logits_bias means zeros. */
static Status bind_output_bias(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    size_t shape[2] = { 1, config->decoder.vocab };
    const Tensor *t = config->output.use_bias ? binder_find(b, config->names->output_bias, "") : NULL;
    float *bias;
    Status st;

    if (!t && config->output.use_bias && config->name_map) return binder_missing(b, config->names->output_bias, "");
    if (!t) return OK;
    st = t->rank == 1 ? binder_check(b, t, 1, shape + 1) : binder_check(b, t, 2, shape);
    if (st != OK) return st;
    bias = binder_allocate(b, shape[1], sizeof *bias, &st);
    if (st == OK) st = binder_read(b, t, 0, shape[1], bias);
    if (st != OK) return st;
    binder_note(b, t);
    for (size_t i = 0; i < shape[1]; i++) bias[i] *= config->output.scale;
    b->model->output.bias = bias;
    bind_linear_shift(b, &b->model->output, 0);
    return OK;
}

/* True when the embeddings are shared only by the configuration: nothing is tied, and the file holds different
 * matrices for the two stacks. */
static bool has_separate_embeddings(const Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *source = config->names->encoder.embeddings[0], *target = config->names->decoder.embeddings[0];
    const Tensor *s, *t;

    if (!config->embedding.shared) return true;
    if (weights_packed(b->weights)) return weights_find(b->weights, PACKED_MATRICES DECODER_EMBEDDINGS) != NULL;
    if (config->output.tied || !source || !target) return false;
    s = binder_find(b, source, "");
    t = binder_find(b, target, "");
    return s && t && !binder_same_numbers(s, t);
}

/* True when an output layer that the configuration calls tied is in the file, with other numbers. */
static bool has_own_output(const Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const Tensor *output, *table;

    if (!config->output.is_own_if_stored) return false;
    if (weights_packed(b->weights)) return weights_find(b->weights, PACKED_MATRICES OUTPUT) != NULL;
    output = binder_find(b, config->names->output, "");
    table = binder_find(b, stored_alias(b, config->names->shared_embeddings), "");
    return output && table && !binder_same_numbers(output, table);
}

static Status bind_embeddings(Binder *b)
{
    Model *model = b->model;
    const ModelConfig *config = &model->config;
    const TensorNames *names = config->names;
    Matrix **source = &model->encoder_ends.embeddings, **target = &model->decoder_ends.embeddings;
    Status st;

    if (has_own_output(b)) model->config.output.tied = false;
    if (!has_separate_embeddings(b)) {
        st = bind_embedding_matrix(b, source, "encoder.table", stored_alias(b, names->shared_embeddings),
                                   config->encoder.vocab);
        *target = *source;
    } else {
        st = bind_embedding_matrix(b, source, "encoder.table", stored_alias(b, names->encoder.embeddings),
                                   config->encoder.vocab);
        if (st == OK)
            st = bind_embedding_matrix(b, target, DECODER_EMBEDDINGS, stored_alias(b, names->decoder.embeddings),
                                       config->decoder.vocab);
    }
    if (st != OK) return st;
    model->output.weight = *target;
    if (!config->output.tied)
        st = bind_embedding_matrix(b, &model->output.weight, OUTPUT, names->output, config->decoder.vocab);
    return st == OK ? bind_output_bias(b) : st;
}

/* The number of rows of stored positions becomes the maximum; of two stacks, the lower one. */
static void adopt_positions(Binder *b)
{
    ModelConfig *config = &b->model->config;
    const char *names[2] = { config->names->encoder.positions[0], config->names->decoder.positions[0] };
    size_t rows = 0;

    for (size_t i = 0; config->positions.kind != POSITIONS_NONE && i < 2; i++) {
        const Tensor *t = names[i] ? binder_find(b, names[i], "") : NULL;
        if (!t || t->rank != 2 || t->shape[1] != config->d_model || t->shape[0] == 0) continue;
        rows = rows && rows < t->shape[0] ? rows : t->shape[0];
    }
    if (!rows && config->positions.kind == POSITIONS_LEARNED && config->positions.fallback_scale > 0) {
        config->positions.kind = POSITIONS_TENSOR2TENSOR;
        config->embedding.scale = config->positions.fallback_scale;
    }
    if (rows) config->positions.max = rows < FAMILY_MAX_POSITIONS ? rows : FAMILY_MAX_POSITIONS;
}

/* Upper limit for computed positions, whose size no file confirms; the largest in use have 2^23 elements. */
#define MAX_COMPUTED ((size_t)1 << 27)

/* Uses stored positions if they exist; the decoder may use those of the encoder. Both share computed positions,
 * which a plan does not need. */
static Status bind_positions(Binder *b, StackEnds *ends, const TensorAliases names)
{
    const ModelConfig *config = &b->model->config;
    const char *name = names[0] ? stored_alias(b, names) : NULL;
    const Tensor *t = name ? binder_find(b, name, "") : NULL;
    Status st = OK;

    if (config->positions.kind == POSITIONS_NONE) return OK;
    /* Read stored positions from row positions.offset on. */
    if (t) {
        size_t shape[2] = { config->positions.max + config->positions.offset, config->d_model };
        if (config->positions.allow_more_rows && t->rank == 2 && t->shape[0] > shape[0]) shape[0] = t->shape[0];
        st = binder_check(b, t, 2, shape);
        if (st == OK)
            ends->positions = binder_allocate(b, config->positions.max * config->d_model, sizeof *ends->positions, &st);
        if (st != OK) return st;
        if (config->positions.kind == POSITIONS_LEARNED) binder_note(b, t);
        return binder_read(b, t, config->positions.offset * config->d_model, config->positions.max * config->d_model,
                           ends->positions);
    }
    if (config->positions.kind == POSITIONS_LEARNED) return binder_missing(b, name ? name : "positions", "");
    if (config->positions.max > MAX_COMPUTED / config->d_model) {
        return err_set(b->err, ERR_UNSUPPORTED,
                       "%s: max_positions is %zu and d_model %zu: position embeddings of this size are not supported",
                       weights_path(b->weights), config->positions.max, config->d_model);
    }
    ends->positions = b->model->encoder_ends.positions;
    if (ends->positions) return OK;
    if (!b->model->positions && !b->plan) st = position_table_new(&b->model->positions, config, b->err);
    ends->computed = b->model->positions;
    return st;
}

static Status bind_ends(Binder *b, StackEnds *ends, const StackNames *names, const char *highway)
{
    const ModelConfig *config = &b->model->config;
    const AroundNames top = { .norm = names->final_norm, .highway = names->final_highway, .packed = highway };
    Status st = bind_norm(b, &ends->embedding_norm, config->embedding.has_layernorm ? names->embedding_norm : NULL);

    return st == OK ? bind_norms(b, &ends->after_stack, false, config->sublayer.after_stack, top) : st;
}

/* --- Tensors that no layer uses. --- */

/* Unused tensors that files may hold, as shell patterns: copies of tied embeddings, positions that are
 * computed, version numbers, a bias of older T5 files that transformers drops, and values that are read
 * together with a matrix: Marian's multipliers and CTranslate2's scales. */
static const char *const harmless[] = {
    "*lm_head.weight",
    "*shared.weight",
    "*embed_tokens.weight",
    "*embed_positions.weight*",
    "*EncDecAttention.relative_attention_bias.weight",
    "*.position_ids",
    "*.version",
    "*_QuantMult[AB]",
    "*/weight_scale",
    "*/relative_attention_bias",
    "*coder/embeddings*/weight",
    "decoder/projection/weight",
    "special:*",
};

/* Checks that tied embeddings are equal wherever they are stored. */
static Status check_ties(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *const names[] = { "target_embedding.weight",
                                  config->embedding.shared ? "source_embedding.weight" : NULL,
                                  config->output.tied ? config->names->output : NULL };
    const Tensor *first = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Tensor *t = names[i] ? binder_find(b, names[i], "") : NULL;
        if (t && first && !binder_same_numbers(t, first))
            return err_set(b->err, ERR_FORMAT,
                           "%s: tensors %s and %s differ, but \"tie\" in config.json says that they are equal", t->file,
                           first->name, t->name);
        if (t && !first) first = t;
    }
    return OK;
}

/* True when nothing uses the tensor. A single number is a setting or a flag, and does not count. */
static bool is_unused(const Binder *b, size_t index)
{
    const NameMap *map = b->model->config.name_map;
    const Tensor *t = weights_at(b->weights, index);

    if (b->used[index] || t->dtype == DTYPE_OTHER) return false;
    if (map) return !name_map_ignores(map, t->name);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (fnmatch(harmless[i], t->name, 0) == 0) return false;
    return t->count > 1;
}

/* Returns the number, from 1, of the layer that a tensor belongs to, or 0 if its name does not start with
 * `prefix`, the prefix of the stack's layers. */
static unsigned long layer_of(const char *name, const char *prefix)
{
    const char *brace = strchr(prefix, '{');
    const size_t head = brace ? (size_t)(brace - prefix) : 0;
    char *end;
    unsigned long number;

    if (!brace || strncmp(name, prefix, head) != 0 || strspn(name + head, "0123456789") == 0) return 0;
    number = strtoul(name + head, &end, 10);
    if (number > FAMILY_MAX_LAYERS || !text_begins_with(end, brace + 3)) return 0;
    return brace[1] == 'n' ? number : number + 1;
}

/* Rejects a stack with more layers than configured: it is a different model. */
static Status check_layers(const Binder *b, const Tensor *t)
{
    const ModelConfig *config = &b->model->config;
    const char *const prefixes[2] = { config->names->encoder.layer, config->names->decoder.layer };
    const size_t layers[2] = { config->encoder.layers, config->decoder.layers };

    for (size_t i = 0; i < 2; i++) {
        const unsigned long layer = layer_of(t->name, prefixes[i]);
        if (layer > layers[i])
            return err_set(b->err, ERR_FORMAT,
                           "%s: tensor %s: belongs to %s layer %lu, but the model's configuration has only %zu",
                           t->file, t->name, i ? "decoder" : "encoder", layer, layers[i]);
    }
    return OK;
}

/* Looks for tensors that the model described by config.json does not use. They become model->warning, which names the
 * first one. Tensors of layers beyond the configured number are rejected. Copies of tied embeddings, positions that are
 * computed, and tensors of types without arithmetic are ignored. With a name map, unused tensors that "ignore_tensors"
 * does not list are rejected, because some setting must be wrong. */
static Status check_unused(Binder *b)
{
    const bool mapped = b->model->config.name_map;
    const Tensor *first = NULL;
    char *text;
    size_t count = 0;
    Status st = mapped ? check_ties(b) : OK;

    if (mapped) { /* finding them marks them as used */
        (void)binder_find(b, "source_positions", "");
        (void)binder_find(b, "target_positions", "");
    }
    for (size_t i = 0; st == OK && i < weights_count(b->weights); i++) {
        const Tensor *t = weights_at(b->weights, i);
        if (!is_unused(b, i)) continue;
        if (mapped)
            return err_set(b->err, ERR_FORMAT,
                           "%s: tensor %s is not used by the model that config.json describes; list it in "
                           "\"ignore_tensors\" if it is not needed",
                           t->file, t->name);
        st = check_layers(b, t);
        if (!first) first = t;
        count++;
    }
    text = st == OK && count ? binder_allocate(b, WARNING_BYTES, 1, &st) : NULL;
    if (text && count == 1)
        snprintf(text, WARNING_BYTES, "%s: tensor %s is not used by any layer", first->file, first->name);
    else if (text)
        snprintf(text, WARNING_BYTES, "%s: %zu tensors are not used by any layer; the first is %s", first->file, count,
                 first->name);
    b->model->warning = text;
    return st;
}

/* --- The whole model. --- */

static bool has_much_16bit(const Weights *weights)
{
    size_t bytes = 0;

    for (size_t i = 0; i < weights_count(weights); i++) {
        const Tensor *t = weights_at(weights, i);
        if (t->dtype == DTYPE_F16 || t->dtype == DTYPE_BF16) bytes += t->bytes;
    }
    return bytes > WIDENED_BYTES;
}

static Status bind_all(Binder *b)
{
    Model *model = b->model;
    const TensorNames *names = model->config.names;
    const SublayerStep *top = model->config.sublayer.after_stack;
    Status st = arena_new(&model->arena, b->err);

    model->keeps_start = sublayer_steps_have(top, STEP_ADD) || sublayer_steps_have(top, STEP_HIGHWAY);
    if (st == OK) st = arena_new_large(&model->matrix_arena, b->err);
    if (st == OK && model->config.positions.max_is_guess) adopt_positions(b);
    if (st == OK) st = bind_embeddings(b);
    if (st == OK) st = bind_ends(b, &model->encoder_ends, &names->encoder, "encoder.top.highway");
    if (st == OK) st = bind_ends(b, &model->decoder_ends, &names->decoder, "decoder.top.highway");
    if (st == OK) st = bind_layers_encoder(b);
    if (st == OK) st = bind_layers_decoder(b);
    /* Bind positions after the layers, whose matrices confirm d_model: no file confirms positions.max. */
    if (st == OK) st = bind_positions(b, &model->encoder_ends, names->encoder.positions);
    if (st == OK) st = bind_positions(b, &model->decoder_ends, names->decoder.positions);
    if (st == OK) model->zero_position = binder_allocate(b, model->config.d_model, sizeof(float), &st);
    if (st == OK && !weights_packed(b->weights)) st = check_unused(b);
    if (model->config.positions.max && model->config.search.max_length > model->config.positions.max)
        model->config.search.max_length = model->config.positions.max;
    return st;
}

Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err)
{
    Binder binder = { .model = model,
                      .weights = weights,
                      .plan = plan,
                      .prefix = "",
                      .keeps_16bit = has_much_16bit(weights),
                      .err = err };
    Status st;

    model->table = hash64_begin();
    binder.used = calloc(weights_count(weights) + 1, sizeof *binder.used);
    st = binder.used ? bind_all(&binder) : err_memory(err, "the model");
    free(binder.used);
    return st;
}

/* The beginning of all names of a model that PEFT has wrapped. */
#define WRAPPED "base_model.model."

Status bind_fault_explain(Status st, ModelFolder *folder, const Weights *weights, Err *err)
{
    JsonObject json;
    Err unread;
    const cJSON *quantization;
    const char *method;
    size_t wrapped = 0;

    if (st != ERR_FORMAT && st != ERR_UNSUPPORTED) return st;
    while (wrapped < weights_count(weights) && text_begins_with(weights_at(weights, wrapped)->name, WRAPPED)) wrapped++;
    if (wrapped && wrapped == weights_count(weights))
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
