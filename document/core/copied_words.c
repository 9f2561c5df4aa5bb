/* copied_words.c - see copied_words.h. */
#include "copied_words.h"

#include <stdbool.h>
#include <string.h>

#include <unicode/uchar.h>

#include "utf8.h"

/* In a text with more markup, words are not looked for: the time grows with the product of both lengths. */
#define MOST_MARKUP ((size_t)1000)

#define LONGEST_ENDING ((size_t)6)  /* bytes of the ending of a number */
#define LONGEST_NUMBER ((size_t)20) /* its digits */

static bool is_word_before(const char *text, size_t at)
{
    uint32_t code;

    if (!at) return false;
    (void)utf8_previous(text, at, &code);
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
static Range word_around(const UnitText *text, Range range)
{
    const Range none = { range.begin, range.begin };
    Range word = range;

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
static size_t find_copy(const UnitText *text, Range word, const char *translation, size_t length)
{
    const char *bytes = text->text + word.begin;
    const size_t size = word.end - word.begin;
    size_t copy = find_word(translation, length, 0, bytes, size);

    for (size_t at = find_word(text->text, text->length, 0, bytes, size); at < word.begin && copy < length;
         at = find_word(text->text, text->length, at + size, bytes, size))
        copy = find_word(translation, length, copy + size, bytes, size);
    return copy;
}

/* --- Endings of numbers ---------------------------------------------------------- */

static bool is_in_number(char c, bool is_roman)
{
    return is_roman ? c && strchr("IVXLCDM", c) : c >= '0' && c <= '9';
}

/* The number of digits or Roman numerals that ends at byte `at`; empty if there is none, or a part of a word. */
static Range number_before(const char *text, size_t at)
{
    const bool is_roman = at && is_in_number(text[at - 1], true);
    Range number = { at, at };

    while (number.begin && at - number.begin <= LONGEST_NUMBER && is_in_number(text[number.begin - 1], is_roman))
        number.begin--;
    return is_word_before(text, number.begin) ? (Range){ at, at } : number;
}

/* Whether the text is st, nd, rd or th. */
static bool is_english_ending(const char *text, size_t length)
{
    static const char endings[][3] = { "st", "nd", "rd", "th" };

    for (size_t i = 0; length == 2 && i < sizeof endings / sizeof *endings; i++)
        if (memcmp(text, endings[i], 2) == 0) return true;
    return false;
}

/* The number whose ending is in a range of the text: letters directly after it. Those of English may follow a space.
 * Empty if there is none. */
static Range number_of_ending(const UnitText *text, Range range)
{
    const Range none = { range.begin, range.begin };
    size_t letters = 0, at = range.begin;
    Range number;
    bool is_english;

    if (range.begin == range.end || range.end - range.begin > LONGEST_ENDING) return none;
    if (is_word_after(text->text, text->length, range.end)) return none;
    while (at < range.end) {
        uint32_t code;
        at += utf8_next(text->text + at, range.end - at, &code);
        letters += u_isalpha((UChar32)code) && !u_isupper((UChar32)code);
        if (!u_isalpha((UChar32)code) && !(code == '.' && at == range.end)) return none;
    }
    if (!letters) return none;
    at = range.begin;
    is_english = is_english_ending(text->text + at, range.end - at);
    if (at && text->text[at - 1] == ' ' && is_english) at--;
    number = number_before(text->text, at);
    return is_english || number.end - number.begin > 1 || u_isdigit(text->text[number.begin]) ? number : none;
}

bool copied_words_is_ending(const UnitText *text, Range range)
{
    const Range number = number_of_ending(text, range);

    return number.begin < number.end;
}

/* Returns where the next occurrence of a number ends, from byte `at` on; 0: there is none. */
static size_t find_number(const char *text, size_t length, size_t at, const char *number, size_t size)
{
    const bool is_roman = is_in_number(*number, true);

    for (; at + size <= length; at++) {
        const char *found = memchr(text + at, *number, length - size - at + 1);
        if (!found) break;
        at = (size_t)(found - text);
        if (memcmp(found, number, size) == 0 && !is_word_before(text, at) &&
            !(at + size < length && (is_in_number(found[size], is_roman) || u_isupper((unsigned char)found[size]))))
            return at + size;
    }
    return 0;
}

/* The ending of the same number in a translation: the letters after it, or the empty place there. Returns false if the
 * translation does not have the number. */
static bool find_ending(const UnitText *text, Range ending, const char *translation, size_t length, Range *out)
{
    const Range number = number_of_ending(text, ending);
    const char *bytes = text->text + number.begin;
    const size_t size = number.end - number.begin;
    size_t copy = find_number(translation, length, 0, bytes, size);

    for (size_t at = find_number(text->text, text->length, 0, bytes, size); at && at < number.end && copy;
         at = find_number(text->text, text->length, at, bytes, size))
        copy = find_number(translation, length, copy, bytes, size);
    *out = (Range){ copy, copy };
    while (copy && is_word_after(translation, length, out->end)) {
        uint32_t code;
        out->end += utf8_next(translation + out->end, length - out->end, &code);
    }
    if (out->end - out->begin > LONGEST_ENDING) out->end = out->begin;
    return copy > 0;
}

/* Puts the span after the same number, but not out of its parent. */
static void place_ending(const UnitText *text, size_t index, const char *translation, size_t length, Range *places)
{
    const Markup *markup = &text->markup[index];
    const Range parent = markup->parent == MARKUP_ROOT ? (Range){ 0, length } : places[markup->parent];
    Range place;

    if (!find_ending(text, markup->text, translation, length, &place)) return;
    if (place.begin < parent.begin || place.begin > parent.end) return;
    if (place.end > parent.end) place.end = place.begin;
    places[index] = place;
}

/* --------------------------------------------------------------------------------- */

static void divide(const UnitText *text, size_t index, const char *translation, size_t length, Range *places)
{
    const Markup *markup = &text->markup[index];
    const Range word = word_around(text, markup->text);
    const Range parent = markup->parent == MARKUP_ROOT ? (Range){ 0, length } : places[markup->parent];
    size_t copy;

    if (word.begin == word.end) return;
    copy = find_copy(text, word, translation, length);
    if (copy == length) return;
    copy += markup->text.begin - word.begin;
    if (copy < parent.begin || copy + (markup->text.end - markup->text.begin) > parent.end) return;
    places[index] = (Range){ copy, copy + (markup->text.end - markup->text.begin) };
}

void copied_words_divide(const UnitText *text, const char *translation, size_t length, Range *places)
{
    for (size_t i = 0; text->markup_count <= MOST_MARKUP && i < text->markup_count; i++) {
        divide(text, i, translation, length, places);
        if (copied_words_is_ending(text, text->markup[i].text)) place_ending(text, i, translation, length, places);
    }
}
