/* spelling.c - see spelling.h. */
#include "spelling.h"

#include <string.h>

#include "normal_form.h"
#include "utf8.h"

/* Appends bytes whose origins are those of the text from `at` on. */
static Status append_bytes(Buf *out, const char *bytes, size_t count, size_t at, RangeList *map, Err *err)
{
    const Status st = buf_append(out, bytes, count, err);

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
