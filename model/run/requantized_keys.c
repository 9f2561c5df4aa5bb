/* requantized_keys.c - see requantized_keys.h.
 * Source   DecoderLayerSelfAttention() in src/models/transformer.h of marian-nmt/marian-dev. */
#include "requantized_keys.h"

#include <string.h>

#include "matrix_emulation.h"

bool requantized_keys_needed(const Model *model)
{
    const SelfAttention *self = &model->decoder[0].self;

    return model->config.decoder_layer.kind == DECODER_SELF_ATTENTION && self->query.weight &&
           matrix_shares_x_multiplier(self->qkv.weight);
}

/* The rows of one sentence in one layer. */
typedef struct {
    const RequantizedKeys *keys;
    const Layers *layers;
    const Linear *kv;
    KvCache *cache;
    size_t layer;
    const DecoderRow *rows;
    size_t count;
} Sentence;

/* True when an earlier row looks back at the same input. */
static bool is_repeated(const Sentence *s, size_t row, size_t position)
{
    const size_t owner = kv_cache_owner(s->cache, s->rows[row].beam, position);
    size_t r = 0;

    while (kv_cache_owner(s->cache, s->rows[r].beam, position) != owner) r++;
    return r < row;
}

/* Computes the multiplier from all inputs that the rows look back at. */
static float find_multiplier(const Sentence *s)
{
    float top = 0;

    for (size_t r = 0; r < s->count; r++)
        for (size_t i = 0; i < kv_cache_length(s->cache); i++) {
            const size_t owner = kv_cache_owner(s->cache, s->rows[r].beam, i);
            const float next = kv_cache_input_max(s->cache, s->layer, i, owner);
            top = next > top ? next : top;
        }
    return matrix_x_multiplier(&top, 1);
}

/* Inputs waiting in the scratch, and their positions in the cache. */
typedef struct {
    size_t count, first_position, first_row;
} Waiting;

/* Computes keys and values of the waiting inputs, and writes them in the same order. */
static void flush(const Sentence *s, float multiplier, Waiting *w, size_t position, size_t row)
{
    const size_t width = matrix_n(s->kv->weight);
    const float *from = s->keys->kv;

    matrix_multiply_scaled(s->layers->team, s->layers->scratch, s->kv->weight, multiplier, w->count, s->keys->inputs,
                           s->kv->bias, s->keys->kv);
    for (size_t i = w->first_position; i <= position; i++)
        for (size_t r = i == w->first_position ? w->first_row : 0; r < (i == position ? row : s->count); r++) {
            if (is_repeated(s, r, i)) continue;
            kv_cache_rewrite(s->cache, s->layer, i, kv_cache_owner(s->cache, s->rows[r].beam, i), from);
            from += width;
        }
    *w = (Waiting){ 0, position, row };
}

/* Recomputes the positions from `first` on. */
static void compute(const Sentence *s, float multiplier, size_t first)
{
    const size_t d = matrix_k(s->kv->weight), length = kv_cache_length(s->cache);
    Waiting w = { 0, first, 0 };

    for (size_t i = first; i < length; i++)
        for (size_t r = 0; r < s->count; r++) {
            if (is_repeated(s, r, i)) continue;
            if (w.count == s->keys->rows) flush(s, multiplier, &w, i, r);
            memcpy(s->keys->inputs + w.count++ * d,
                   kv_cache_input(s->cache, s->layer, i, kv_cache_owner(s->cache, s->rows[r].beam, i)),
                   d * sizeof(float));
        }
    flush(s, multiplier, &w, length - 1, s->count);
}

void requantized_keys_write(const RequantizedKeys *keys, const Layers *layers, size_t layer, const DecoderRow *rows,
                            size_t count, const float *x)
{
    const Linear *kv = &layers->model->decoder[layer].self.qkv;

    for (size_t r = 0, same; r < count; r += same) {
        Sentence s = { keys, layers, kv, rows[r].cache, layer, rows + r, 0 };
        float multiplier, *before = kv_cache_multiplier(s.cache, layer);
        for (same = 0; r + same < count && rows[r + same].cache == s.cache; same++)
            kv_cache_write_input(s.cache, layer, rows[r + same].beam, x + (r + same) * matrix_k(kv->weight));
        s.count = same;
        multiplier = find_multiplier(&s);
        compute(&s, multiplier, multiplier == *before ? kv_cache_length(s.cache) - 1 : 0);
        *before = multiplier;
    }
}
