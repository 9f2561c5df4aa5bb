/* keep_words.c - see keep_words.h. */
#include "keep_words.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "utf8.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static int compare_words(const void *a, const void *b)
{
    const KeepWord *x = a, *y = b;
    const int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);

    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

/* Adds the phrase on a line, if there is one. On failure the message is only the reason. */
static Status add_line(KeepWords *words, const char *line, size_t length, Err *err)
{
    size_t space;
    Status st;

    if (utf8_clean_length(line, length) < length) return err_set(err, ERR_FORMAT, "not valid UTF-8");
    space = utf8_leading_space(line, length);
    line += space;
    length -= space;
    length -= utf8_trailing_space(line, length);
    if (!length) return OK;
    if (length > KEEP_WORD_BYTES)
        return err_set(err, ERR_FORMAT, "this phrase is longer than %zu bytes", KEEP_WORD_BYTES);
    st = buf_grow_list(&words->items, &words->capacity, words->count, 1, sizeof *words->items, "the words", err);
    if (st == OK) words->items[words->count++] = (KeepWord){ line, length };
    return st;
}

Status keep_words_read(KeepWords *words, const char *name, Buf *file, Err *err)
{
    size_t at = 0, line = 1;
    Err reason;
    Status st = OK;

    words->file = *file;
    *file = (Buf){ 0 };
    if (words->file.len >= 3 && memcmp(words->file.data, BYTE_ORDER_MARK, 3) == 0) at = 3;
    for (; at < words->file.len; line++) {
        const char *begin = words->file.data + at, *end = memchr(begin, '\n', words->file.len - at);
        const size_t length = end ? (size_t)(end - begin) : words->file.len - at;
        st = add_line(words, begin, length, &reason);
        if (st != OK) return err_set(err, st, "%s:%zu: %s", name, line, reason.text);
        at += length + 1;
    }
    if (words->count) qsort(words->items, words->count, sizeof *words->items, compare_words);
    return OK;
}

void keep_words_free(KeepWords *words)
{
    buf_free(&words->file);
    free(words->items);
}

/* Whether the character belongs to words that have to be divided by something else. */
static bool is_in_word(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;

    if (code < 0x80) return u_isalnum((UChar32)code) || code == '_';
    if (!u_isalnum((UChar32)code) && !(U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK)) return false;
    return !uscript_breaksBetweenLetters(uscript_getScript((UChar32)code, &fault));
}

static bool is_word_before(const char *text, size_t at)
{
    uint32_t code;

    if (!at) return false;
    (void)utf8_previous(text, at, &code);
    return is_in_word(code);
}

bool keep_words_divides_word(const char *text, size_t length, size_t at)
{
    uint32_t code;

    if (at == length || !is_word_before(text, at)) return false;
    (void)utf8_next(text + at, length - at, &code);
    return is_in_word(code);
}

/* The byte of a phrase, or -1 after its end. */
static int byte_at(const KeepWord *word, size_t at)
{
    return at < word->length ? (unsigned char)word->bytes[at] : -1;
}

/* The first of the phrases [low, high), which agree in their first `at` bytes, whose next byte is `least` or more. */
static size_t first_from(const KeepWords *words, size_t low, size_t high, size_t at, int least)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (byte_at(&words->items[middle], at) < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The length of the longest phrase that begins at text[0] and does not end inside a word; 0: none. */
static size_t longest_phrase(const KeepWords *words, const char *text, size_t length)
{
    size_t low = 0, high = words->count, longest = 0;

    for (size_t at = 0; at < length && low < high; at++) {
        const int byte = (unsigned char)text[at];
        low = first_from(words, low, high, at, byte);
        high = first_from(words, low, high, at, byte + 1);
        if (low < high && words->items[low].length == at + 1 && !keep_words_divides_word(text, length, at + 1))
            longest = at + 1;
    }
    return longest;
}

Status keep_words_find(const KeepWords *words, const char *text, size_t length, RangeList *out, Err *err)
{
    bool was_in_word = false;
    Status st = OK;

    for (size_t at = 0, step; st == OK && at < length; at += step) {
        size_t found = 0;
        uint32_t code;
        bool is_word;
        step = utf8_next(text + at, length - at, &code);
        is_word = is_in_word(code);
        if (!was_in_word || !is_word) found = longest_phrase(words, text + at, length - at);
        if (found) st = ranges_append(out, (Range){ at, at + found }, 1, err);
        was_in_word = found ? is_word_before(text, at + found) : is_word;
        if (found) step = found;
    }
    return st;
}
