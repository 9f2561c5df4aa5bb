/* tokenizer_facts.c - what a Tokenizer says about itself: its vocabularies, the
 * ids that it knows, its languages. */
#include <string.h>

#include "template.h"
#include "tokenizer.h"

Status tokenizer_check_text(const Tokenizer *tokenizer, Err *err)
{
    return tokenizer->uncut ? err_set(err, ERR_IO, "%s", tokenizer->uncut) : OK;
}

bool tokenizer_source_is_words(const Tokenizer *tokenizer)
{
    return !tokenizer->source_sp;
}

size_t tokenizer_source_vocab(const Tokenizer *tokenizer)
{
    return vocab_size(tokenizer->source);
}

size_t tokenizer_target_vocab(const Tokenizer *tokenizer)
{
    return vocab_size(tokenizer->target);
}

int32_t tokenizer_decoder_start(const Tokenizer *tokenizer)
{
    return tokenizer->decoder_start;
}

int32_t tokenizer_forced_bos(const Tokenizer *tokenizer)
{
    return tokenizer->forced_bos;
}

int32_t tokenizer_target_end(const Tokenizer *tokenizer)
{
    return tokenizer->target_eos;
}

size_t tokenizer_model_max_length(const Tokenizer *tokenizer)
{
    return tokenizer->config.model_max_length;
}

size_t tokenizer_language_count(const Tokenizer *tokenizer)
{
    return tokenizer->language_count;
}

const char *tokenizer_language(const Tokenizer *tokenizer, size_t index)
{
    return tokenizer->languages[index].name;
}

bool tokenizer_chooses_source(const Tokenizer *tokenizer)
{
    return tokenizer->chooses_source;
}

const char *tokenizer_source_language(const Tokenizer *tokenizer)
{
    if (tokenizer->to && tokenizer->to->from) return tokenizer->to->from;
    return tokenizer->from ? tokenizer->from->name : tokenizer->config.source_lang;
}

const char *tokenizer_target_language(const Tokenizer *tokenizer)
{
    if (tokenizer->to) return tokenizer->to->name;
    return tokenizer->language_count ? NULL : tokenizer->config.target_lang;
}

static int32_t find_piece(const Vocab *vocab, const char *piece, size_t len)
{
    const VocabEntry *entry = vocab_find(vocab, piece, len);

    return entry ? entry->id : -1;
}

int32_t tokenizer_find_source(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return find_piece(tokenizer->source, piece, len);
}

int32_t tokenizer_find_target(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return find_piece(tokenizer->target, piece, len);
}

int32_t tokenizer_target_unknown(const Tokenizer *tokenizer)
{
    return tokenizer->target_unk;
}
