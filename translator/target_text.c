/* target_text.c - see target_text.h. */
#include "target_text.h"

#include <string.h>

#include "chars.h"
#include "normal_form.h"
#include "text.h"
#include "utf8.h"

Status target_prefix_check_room(const IdList *ids, const char *name, const SearchParams *params, Err *err)
{
    if (!ids->len || ids->len < params->max_length) return OK;
    return err_set(err, ERR_USAGE, "%s has %zu piece%s, too many for a max length of %zu", name, ids->len,
                   plural(ids->len), params->max_length);
}

/* A forced first token goes before the prefix, because search forces it only in an empty translation. */
Status target_prefix_encode(IdList *out, PrefixFacts *facts, const TargetPrefix *prefix, const Tokenizer *tokenizer,
                            const SearchParams *params, Err *err)
{
    static const char spaces[] = " \t\v\f\r\n";
    const int32_t forced = params->forced_bos, unknown = tokenizer_facts(tokenizer)->target_unknown;
    const LineText text = prefix->text;
    IdList ids = { 0 };
    bool adds;
    Status st;

    if (text.len && (utf8_clean_length(text.data, text.len) < text.len || memchr(text.data, '\n', text.len)))
        return err_set(err, ERR_USAGE, "%s is not valid UTF-8 or contains a newline", prefix->name);
    for (size_t begin = 0, end; prefix->pieces && begin < text.len; begin = end) {
        begin = chars_skip(text.data, begin, text.len, spaces);
        for (end = begin; end < text.len && !char_is_among(text.data[end], spaces);) end++;
        if (begin < end && tokenizer_find_target(tokenizer, text.data + begin, end - begin) < 0)
            return err_set(err, ERR_USAGE, "%s: \"%.*s\" is not a piece of the model's vocabulary", prefix->name,
                           (int)(end - begin), text.data + begin);
    }
    st = tokenizer_encode_target(tokenizer, text.data, text.len, prefix->pieces, &ids, err);
    adds = st == OK && forced >= 0 && ids.len && ids.data[0] != forced;
    if (facts) *facts = (PrefixFacts){ st == OK && ids_contain(&ids, unknown), adds };
    if (adds) st = ids_append(out, forced, err);
    if (st == OK) st = ids_append_all(out, ids.data, ids.len, err);
    ids_free(&ids);
    return st;
}

/* --- Spellings --- */

Status spelling_append_plain(Buf *out, const char *text, size_t length, RangeList *map, Err *err)
{
    static const NormalForms composed = { { FORM_NFC }, 1 };
    Buf words = { 0 }; /* the text with one space for each run of white space in it */
    RangeList origins = { 0 };
    bool space = false;
    Status st;

    for (size_t at = 0, step; at < length; at += step) {
        uint32_t code;
        step = utf8_next(text + at, length - at, &code);
        if (utf8_is_space(code)) {
            space = words.len > 0;
            continue;
        }
        if (space) buf_put_byte(&words, ' ');
        if (space && map) LIST_PUT(&origins, ((Range){ at - 1, at }));
        buf_put(&words, text + at, step);
        if (map) ranges_put_bytes(&origins, at, at + step);
        space = false;
    }
    st = buf_check(&words, err);
    if (st == OK) st = LIST_CHECK(&origins, "the words of a text", err);
    if (st == OK && words.len) st = normal_form_append(&composed, words.data, words.len, out, map, err);
    if (st == OK && map) ranges_trace(map, 0, &origins);
    ranges_free(&origins);
    buf_free(&words);
    return st;
}

Status spelling_check(bool *is_spelled, const Tokenizer *tokenizer, const int32_t *ids, size_t count, const char *text,
                      size_t length, Err *err)
{
    Buf decoded = { 0 }, plain = { 0 }, wanted = { 0 };
    Status st = tokenizer_decode(tokenizer, ids, count, &decoded, NULL, err);

    *is_spelled = st == OK && chars_are_equal((LineText){ decoded.data, decoded.len }, (LineText){ text, length });
    if (st == OK && !*is_spelled) {
        if (decoded.len) st = spelling_append_plain(&plain, decoded.data, decoded.len, NULL, err);
        if (st == OK) st = spelling_append_plain(&wanted, text, length, NULL, err);
        *is_spelled =
            st == OK && chars_are_equal((LineText){ plain.data, plain.len }, (LineText){ wanted.data, wanted.len });
    }
    buf_free(&decoded);
    buf_free(&plain);
    buf_free(&wanted);
    return st;
}
