/* word_cost.c - see tokenizer.h: how common a word is, as far as a vocabulary shows it. */
#include "template.h"
#include "tokenizer.h"

Status tokenizer_word_cost(const Tokenizer *tokenizer, bool target, const char *word, size_t len, float *cost, Err *err)
{
    const SpModel *model = target ? tokenizer->target_sp : tokenizer->source_sp;
    const VocabEntry *entry;

    if (model) return sp_shim_cost(model, word, len, TOKENIZER_UNKNOWN_COST, cost, err);
    entry = vocab_find(target ? tokenizer->target : tokenizer->source, word, len);
    *cost = entry && !entry->special ? 0 : TOKENIZER_UNKNOWN_COST;
    return OK;
}
