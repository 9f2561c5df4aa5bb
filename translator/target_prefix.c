/* target_prefix.c - see target_prefix.h. */
#include "target_prefix.h"

#include <string.h>

#include "text.h"
#include "utf8.h"

Status target_prefix_check_room(const IdList *ids, const char *name, const SearchParams *params, Err *err)
{
    if (!ids->len || ids->len < params->max_length) return OK;
    return err_set(err, ERR_USAGE, "%s has %zu piece%s, too many for a max length of %zu", name, ids->len,
                   plural(ids->len), params->max_length);
}

static bool is_space(char c)
{
    return c && strchr(" \t\v\f\r\n", c);
}

static Status check_text(const TargetPrefix *prefix, Err *err)
{
    const LineText text = prefix->text;

    if (!text.len || (utf8_clean_length(text.data, text.len) == text.len && !memchr(text.data, '\n', text.len)))
        return OK;
    return err_set(err, ERR_USAGE, "%s is not valid UTF-8 or contains a newline", prefix->name);
}

/* Checks that the pieces of the prefix are pieces of the vocabulary. */
static Status check_pieces(const TargetPrefix *prefix, const Tokenizer *tokenizer, Err *err)
{
    const char *text = prefix->text.data;
    size_t begin = 0, end;

    for (; begin < prefix->text.len; begin = end) {
        while (begin < prefix->text.len && is_space(text[begin])) begin++;
        for (end = begin; end < prefix->text.len && !is_space(text[end]);) end++;
        if (begin < end && tokenizer_find_target(tokenizer, text + begin, end - begin) < 0)
            return err_set(err, ERR_USAGE, "%s: \"%.*s\" is not a piece of the model's vocabulary", prefix->name,
                           (int)(end - begin), text + begin);
    }
    return OK;
}

static bool contains(const IdList *ids, int32_t id)
{
    for (size_t i = 0; i < ids->len; i++)
        if (ids->data[i] == id) return true;
    return false;
}

/* A forced first token goes before the prefix, because search forces it only in an empty translation. */
Status target_prefix_encode(IdList *out, PrefixFacts *facts, const TargetPrefix *prefix, const Tokenizer *tokenizer,
                            const SearchParams *params, Err *err)
{
    const int32_t forced = params->forced_bos;
    IdList ids = { 0 };
    Status st = check_text(prefix, err);

    *facts = (PrefixFacts){ .has_unknown = false };
    if (st == OK && prefix->pieces) st = check_pieces(prefix, tokenizer, err);
    if (st == OK)
        st = tokenizer_encode_target(tokenizer, prefix->text.data, prefix->text.len, prefix->pieces, &ids, err);
    if (st == OK) {
        facts->has_unknown = contains(&ids, tokenizer_target_unknown(tokenizer));
        facts->added = forced >= 0 && ids.len && ids.data[0] != forced;
    }
    if (st == OK && facts->added) st = ids_append(out, forced, err);
    if (st == OK) st = ids_append_all(out, ids.data, ids.len, err);
    ids_free(&ids);
    return st;
}
