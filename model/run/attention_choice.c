/* attention_choice.c - see attention_choice.h. */
#include "attention_choice.h"

#include <stdlib.h>

#include "text.h"

Status attention_choice_copy(AttentionChoice *out, const AttentionChoice *from, const ModelConfig *config, Err *err)
{
    const AlignmentConfig *own = &config->alignment;
    const StackConfig *decoder = &config->decoder;
    const size_t layer = own->layer_from_end < decoder->layers ? decoder->layers - own->layer_from_end : 0;
    size_t count;

    *out = (AttentionChoice){ 0 };
    if (from && !from->count) return err_set(err, ERR_USAGE, "no attention head is chosen");
    if (!from && !own->layer_from_end)
        return err_set(err, ERR_USAGE,
                       "the model's settings choose a decoder layer or head for alignments that does not exist");
    count = from ? from->count : own->heads ? own->heads : decoder->heads;
    out->heads = calloc(count, sizeof *out->heads);
    if (!out->heads) return err_memory(err, "the attention");
    out->count = count;
    out->separate = from && from->separate;
    for (size_t i = 0; i < count; i++) {
        const AttentionHead h = from ? from->heads[i] : (AttentionHead){ layer, own->first_head + i };
        out->heads[i] = h;
        if (h.layer < decoder->layers && h.head < decoder->heads) continue;
        attention_choice_free(out);
        return err_set(
            err, ERR_USAGE, "layer %zu, head %zu (from 0) does not exist: the decoder has %zu layer%s of %zu head%s",
            h.layer, h.head, decoder->layers, plural(decoder->layers), decoder->heads, plural(decoder->heads));
    }
    return OK;
}

void attention_choice_free(AttentionChoice *choice)
{
    free(choice->heads);
    *choice = (AttentionChoice){ 0 };
}

size_t attention_choice_planes(const AttentionChoice *choice)
{
    return choice->separate || !choice->count ? choice->count : 1;
}

bool attention_choice_has_layer(const AttentionChoice *choice, size_t layer)
{
    size_t i = 0;

    while (i < choice->count && choice->heads[i].layer != layer) i++;
    return i < choice->count;
}

void attention_choice_add(const AttentionChoice *choice, const Kernels *kernels, size_t layer,
                          const float *probabilities, size_t keys, float *out)
{
    const float factor = choice->separate ? 1.0f : 1.0f / (float)choice->count;

    for (size_t i = 0; i < choice->count; i++) {
        float *plane = choice->separate ? out + i * keys : out;
        if (choice->heads[i].layer != layer) continue;
        kernels->embed(plane, probabilities + choice->heads[i].head * keys, factor, plane, keys);
    }
}
