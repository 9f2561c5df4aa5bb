/* attention_choice.c - see attention_choice.h. */
#include "attention_choice.h"

#include <stdlib.h>

#include "text.h"

/* Appends the heads of a setting, or those of `from` if it is not NULL, to *out after checking them. */
static Status append(AttentionChoice *out, const AttentionChoice *from, const AlignmentConfig *own,
                     const StackConfig *decoder, Err *err)
{
    const size_t layer = own->layer_from_end < decoder->layers ? decoder->layers - own->layer_from_end : 0;
    const size_t count = from ? from->count : own->heads ? own->heads : decoder->heads;
    AttentionHead *grown;

    if (!from && !own->layer_from_end)
        return err_set(err, ERR_USAGE,
                       "the model's settings choose a decoder layer or head for alignments that does not exist");
    grown = realloc(out->heads, (out->count + count) * sizeof *grown);
    if (!grown) return err_memory(err, "the attention");
    out->heads = grown;
    for (size_t i = 0; i < count; i++) {
        const AttentionHead h = from ? from->heads[i] : (AttentionHead){ layer, own->first_head + i };
        if (h.layer >= decoder->layers || h.head >= decoder->heads)
            return err_set(err, ERR_USAGE,
                           "layer %zu, head %zu (from 0) does not exist: the decoder has %zu layer%s of %zu head%s",
                           h.layer, h.head, decoder->layers, plural(decoder->layers), decoder->heads,
                           plural(decoder->heads));
        out->heads[out->count++] = h;
    }
    return OK;
}

Status attention_choice_copy(AttentionChoice *out, const AttentionChoice *from, const ModelConfig *config, Err *err)
{
    Status st;

    *out = (AttentionChoice){ .separate = from && from->separate };
    if (from && !from->count) return err_set(err, ERR_USAGE, "no attention head is chosen");
    st = append(out, from, &config->alignment, &config->decoder, err);
    if (st != OK) attention_choice_free(out);
    return st;
}

Status attention_choice_guide(AttentionChoice *choice, const ModelConfig *config, Err *err)
{
    const size_t before = choice->count;
    Status st =
        append(choice, NULL, config->guide.layer_from_end ? &config->guide : &config->alignment, &config->decoder, err);

    if (st == OK)
        choice->guides = choice->count - before;
    else
        choice->count = before;
    return st;
}

void attention_choice_free(AttentionChoice *choice)
{
    free(choice->heads);
    *choice = (AttentionChoice){ 0 };
}

size_t attention_choice_planes(const AttentionChoice *choice)
{
    const size_t own = choice->count - choice->guides;

    return (choice->separate || !own ? own : 1) + (choice->guides > 0);
}

bool attention_choice_has_layer(const AttentionChoice *choice, size_t layer)
{
    size_t i = 0;

    while (i < choice->count && choice->heads[i].layer != layer) i++;
    return i < choice->count;
}

void attention_choice_add(const AttentionChoice *choice, const Kernels *kernels, size_t layer,
                          const float *probabilities, AttentionColumns columns, float *out)
{
    const size_t own = choice->count - choice->guides, first = columns.first;
    const size_t seen = columns.source > first ? columns.source - first : 0;
    const size_t count = columns.keys < seen ? columns.keys : seen;
    float *const guide = out + (attention_choice_planes(choice) - 1) * columns.source;

    for (size_t i = 0; i < choice->count; i++) {
        const bool guides = i >= own, separate = choice->separate && !guides;
        const float factor = separate ? 1.0f : 1.0f / (float)(guides ? choice->guides : own);
        float *plane = (guides ? guide : separate ? out + i * columns.source : out) + first;
        if (choice->heads[i].layer != layer) continue;
        kernels->embed(plane, probabilities + choice->heads[i].head * columns.keys, factor, plane, count);
    }
}
