/* target_text.c - see target_text.h. */
#include "target_text.h"

#include <string.h>

#include "normal_form.h"
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
    const LineText text = prefix->text;
    Status st = OK;

    *facts = (PrefixFacts){ .has_unknown = false };
    if (text.len && (utf8_clean_length(text.data, text.len) < text.len || memchr(text.data, '\n', text.len)))
        return err_set(err, ERR_USAGE, "%s is not valid UTF-8 or contains a newline", prefix->name);
    if (prefix->pieces) st = check_pieces(prefix, tokenizer, err);
    if (st == OK) st = tokenizer_encode_target(tokenizer, text.data, text.len, prefix->pieces, &ids, err);
    if (st == OK) {
        facts->has_unknown = contains(&ids, tokenizer_facts(tokenizer)->target_unknown);
        facts->added = forced >= 0 && ids.len && ids.data[0] != forced;
    }
    if (st == OK && facts->added) st = ids_append(out, forced, err);
    if (st == OK) st = ids_append_all(out, ids.data, ids.len, err);
    ids_free(&ids);
    return st;
}

/* --- Spellings --- */

/* Appends bytes whose origins are those of the text from `at` on. */
static Status append_bytes(Buf *out, const char *bytes, size_t count, size_t at, RangeList *map, Err *err)
{
    Status st;

    buf_put(out, bytes, count);
    st = buf_check(out, err);
    return st == OK && map ? ranges_append_bytes(map, at, at + count, err) : st;
}

/* Appends the text with one space for each run of white space in it. */
static Status append_words(Buf *out, const char *text, size_t length, RangeList *map, Err *err)
{
    bool space = false;
    Status st = OK;

    for (size_t at = 0, step; st == OK && at < length; at += step) {
        uint32_t code;
        step = utf8_next(text + at, length - at, &code);
        if (utf8_is_space(code)) {
            space = out->len > 0;
            continue;
        }
        if (space) st = append_bytes(out, " ", 1, at - 1, map, err);
        if (st == OK) st = append_bytes(out, text + at, step, at, map, err);
        space = false;
    }
    return st;
}

Status spelling_append_plain(Buf *out, const char *text, size_t length, RangeList *map, Err *err)
{
    static const NormalForms composed = { { FORM_NFC }, 1 };
    Buf words = { 0 };
    RangeList origins = { 0 };
    Status st = append_words(&words, text, length, map ? &origins : NULL, err);

    if (st == OK && words.len) st = normal_form_append(&composed, words.data, words.len, out, map, err);
    if (st == OK && map) ranges_trace(map, 0, &origins);
    ranges_free(&origins);
    buf_free(&words);
    return st;
}

static bool is_equal(const Buf *text, const char *other, size_t length)
{
    return text->len == length && (!length || memcmp(text->data, other, length) == 0);
}

Status spelling_check(bool *is_spelled, const Tokenizer *tokenizer, const int32_t *ids, size_t count, const char *text,
                      size_t length, Err *err)
{
    Buf decoded = { 0 }, plain = { 0 }, wanted = { 0 };
    Status st = tokenizer_decode(tokenizer, ids, count, &decoded, NULL, err);

    *is_spelled = st == OK && is_equal(&decoded, text, length);
    if (st == OK && !*is_spelled) {
        if (decoded.len) st = spelling_append_plain(&plain, decoded.data, decoded.len, NULL, err);
        if (st == OK) st = spelling_append_plain(&wanted, text, length, NULL, err);
        *is_spelled = st == OK && is_equal(&plain, wanted.data, wanted.len);
    }
    buf_free(&decoded);
    buf_free(&plain);
    buf_free(&wanted);
    return st;
}
