/* bind_unused.c - see bind_parts.h. */
#include "bind_parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "name_map.h"
#include "text.h"

#define WARNING_BYTES 1024

/* Unused tensors that files may hold, as shell patterns: copies of tied embeddings, positions that are
 * computed, version numbers, a bias of older T5 files that transformers drops, and values that are read
 * together with a matrix: Marian's multipliers and CTranslate2's scales. */
static const char *const HARMLESS[] = {
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

/* Checks that all tensors of `names`, which ends with NULL, are equal. */
static Status check_tie(Binder *b, const char *const *names)
{
    const Tensor *first = NULL;

    for (; *names; names++) {
        const Tensor *t = binder_find(b, *names, "");
        if (t && first && !binder_same_numbers(t, first))
            return err_set(b->err, ERR_FORMAT,
                           "%s: tensors %s and %s differ, but \"tie\" in config.json says that they are equal", t->file,
                           first->name, t->name);
        if (t && !first) first = t;
    }
    return OK;
}

static Status check_ties(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *source = "source_embedding.weight", *target = "target_embedding.weight";
    const char *output = config->names->output;
    const char *names[4] = { target, NULL };
    size_t count = 1;

    if (config->embedding.shared) names[count++] = source;
    if (config->output.tied) names[count++] = output;
    return check_tie(b, names);
}

/* True when nothing uses the tensor. A single number is a setting or a flag, and does not count. */
static bool is_unused(const Binder *b, size_t index)
{
    const NameMap *map = b->model->config.name_map;
    const Tensor *t = weights_at(b->weights, index);

    if (b->used[index] || t->dtype == DTYPE_OTHER) return false;
    if (map) return !name_map_ignores(map, t->name);
    for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++)
        if (fnmatch(HARMLESS[i], t->name, 0) == 0) return false;
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

static Status refuse_unused(const Binder *b, const Tensor *t)
{
    return err_set(b->err, ERR_FORMAT,
                   "%s: tensor %s is not used by the model that config.json describes; list it in \"ignore_tensors\" "
                   "if it is not needed",
                   t->file, t->name);
}

static Status warn_of_unused(Binder *b, size_t count, const Tensor *first)
{
    Model *model = b->model;
    Status st = OK;
    char *text = binder_allocate(b, WARNING_BYTES, 1, &st);

    if (st != OK) return st;
    if (count == 1)
        snprintf(text, WARNING_BYTES, "%s: tensor %s is not used by any layer", first->file, first->name);
    else
        snprintf(text, WARNING_BYTES, "%s: %zu tensors are not used by any layer; the first is %s", first->file, count,
                 first->name);
    model->warning = text;
    return OK;
}

Status bind_unused_check(Binder *b)
{
    const bool mapped = b->model->config.name_map;
    const Tensor *first = NULL;
    size_t count = 0;
    Status st = mapped ? check_ties(b) : OK;

    if (mapped) { /* finding them marks them as used */
        (void)binder_find(b, "source_positions", "");
        (void)binder_find(b, "target_positions", "");
    }
    for (size_t i = 0; st == OK && i < weights_count(b->weights); i++) {
        const Tensor *t = weights_at(b->weights, i);
        if (!is_unused(b, i)) continue;
        st = mapped ? refuse_unused(b, t) : check_layers(b, t);
        if (!first) first = t;
        count++;
    }
    return st == OK && count ? warn_of_unused(b, count, first) : st;
}
