/* copied_words.c - see copied_words.h. */
#include "copied_words.h"

#include <stdbool.h>
#include <string.h>

#include <unicode/uchar.h>

#include "utf8.h"

/* In a text with more markup, words are not looked for: the time grows with the product of both lengths. */
#define MOST_MARKUP ((size_t)1000)

static bool is_word_before(const char *text, size_t at)
{
    size_t start = at;
    uint32_t code;

    if (!at) return false;
    do start--;
    while (start && ((unsigned char)text[start] & 0xc0) == 0x80);
    (void)utf8_next(text + start, at - start, &code);
    return code != UTF8_INVALID && u_isalnum((UChar32)code);
}

static bool is_word_after(const char *text, size_t length, size_t at)
{
    uint32_t code;

    if (at == length) return false;
    (void)utf8_next(text + at, length - at, &code);
    return code != UTF8_INVALID && u_isalnum((UChar32)code);
}

/* The word around a range that is inside it; empty if there is none. */
static ByteRange word_around(const UnitText *text, ByteRange range)
{
    const ByteRange none = { range.begin, range.begin };
    ByteRange word = range;

    for (size_t at = range.begin; at < range.end; at++)
        if (((unsigned char)text->text[at] & 0xc0) != 0x80 && !is_word_after(text->text, text->length, at)) return none;
    while (word.begin && is_word_before(text->text, word.begin)) word.begin--;
    while (((unsigned char)text->text[word.begin] & 0xc0) == 0x80) word.begin++;
    while (is_word_after(text->text, text->length, word.end)) {
        uint32_t code;
        word.end += utf8_next(text->text + word.end, text->length - word.end, &code);
    }
    if (range.begin == range.end && (word.begin == range.begin || word.end == range.end)) return none;
    return word.begin == range.begin && word.end == range.end ? none : word;
}

/* Returns the next place of the word from byte `at` on; `length` if there is none. */
static size_t find_word(const char *text, size_t length, size_t at, const char *word, size_t size)
{
    for (; at + size <= length; at++) {
        const char *found = memchr(text + at, word[0], length - size - at + 1);
        if (!found) break;
        at = (size_t)(found - text);
        if (memcmp(found, word, size) == 0 && !is_word_before(text, at) && !is_word_after(text, length, at + size))
            return at;
    }
    return length;
}

/* Returns where the translation has the word of the text; `length` if nowhere. */
static size_t find_copy(const UnitText *text, ByteRange word, const char *translation, size_t length)
{
    const char *bytes = text->text + word.begin;
    const size_t size = word.end - word.begin;
    size_t copy = find_word(translation, length, 0, bytes, size);

    for (size_t at = find_word(text->text, text->length, 0, bytes, size); at < word.begin && copy < length;
         at = find_word(text->text, text->length, at + size, bytes, size))
        copy = find_word(translation, length, copy + size, bytes, size);
    return copy;
}

static void divide(const UnitText *text, size_t index, const char *translation, size_t length, ByteRange *places)
{
    const Markup *markup = &text->markup[index];
    const ByteRange word = word_around(text, markup->text);
    const ByteRange parent = markup->parent == MARKUP_ROOT ? (ByteRange){ 0, length } : places[markup->parent];
    size_t copy;

    if (word.begin == word.end) return;
    copy = find_copy(text, word, translation, length);
    if (copy == length) return;
    copy += markup->text.begin - word.begin;
    if (copy < parent.begin || copy + (markup->text.end - markup->text.begin) > parent.end) return;
    places[index] = (ByteRange){ copy, copy + (markup->text.end - markup->text.begin) };
}

void copied_words_divide(const UnitText *text, const char *translation, size_t length, ByteRange *places)
{
    for (size_t i = 0; text->markup_count <= MOST_MARKUP && i < text->markup_count; i++)
        divide(text, i, translation, length, places);
}
