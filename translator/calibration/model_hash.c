/* model_hash.c - see model_hash.h. */
#include "model_hash.h"

#include <string.h>

#include "hash64.h"

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
    add_pieces(&hash, tokenizer, tokenizer_source_vocab(tokenizer), tokenizer_source_piece);
    add_pieces(&hash, tokenizer, tokenizer_target_vocab(tokenizer), tokenizer_target_piece);
    hash64_add_number(&hash, model_table_hash(model));
    return hash64_end(&hash);
}
