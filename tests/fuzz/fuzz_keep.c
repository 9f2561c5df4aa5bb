/* fuzz_keep.c - fuzzes the parts of a text that translations keep: regular expressions, words and built-in patterns.
 * Input    A regular expression, a file of words and a text, with the byte 0x01 between any two. If the first byte is
 *          '!', the built-in patterns are used as well.
 * Checks   An invalid expression is wrong usage that names it, and a broken file of words is refused with its name.
 *          The parts are in order, apart from each other, not empty and whole characters. Each word is found wherever
 *          it stands by itself.
 * Options  -max_len=600 */
#include "fuzz_support.h"

#include "buf.h"
#include "keep_rules.h"

#define NAME "dir/words"

typedef struct {
    const char *bytes;
    size_t size;
} Part;

/* Takes the bytes up to the next divider. */
static Part take_part(const uint8_t **data, size_t *size)
{
    const uint8_t *end = fuzz_divider(*data, *size);
    const Part part = { (const char *)*data, end ? (size_t)(end - *data) : *size };

    *data += part.size + (end != NULL);
    *size -= part.size + (end != NULL);
    return part;
}

static bool is_inside_character(const char *text, size_t length, size_t at)
{
    return at < length && ((unsigned char)text[at] & 0xc0) == 0x80;
}

static void check_ranges(const RangeList *found, const char *text, size_t length)
{
    size_t end = 0;

    for (size_t i = 0; i < found->len; i++) {
        const Range *range = &found->data[i];
        require(range->begin < range->end && range->end <= length, "a part", "of the text");
        require(range->begin >= end, "parts", "in order");
        require(!is_inside_character(text, length, range->begin) && !is_inside_character(text, length, range->end),
                "whole characters", text);
        end = range->end;
    }
}

static bool is_found(const RangeList *found, size_t begin, size_t end)
{
    for (size_t i = 0; i < found->len; i++)
        if (found->data[i].begin <= begin && found->data[i].end >= end) return true;
    return false;
}

/* Compares with a search for each word at each place. */
static void check_words(const KeepWords *words, const RangeList *found, const char *text, size_t length)
{
    for (size_t i = 0; i < words->phrases.len; i++) {
        const LineText *phrase = &words->phrases.data[i];
        for (size_t at = 0; at + phrase->len <= length; at++) {
            const size_t end = at + phrase->len;
            if (memcmp(text + at, phrase->data, phrase->len) != 0 || keep_words_divides_word(text, length, at) ||
                keep_words_divides_word(text, length, end))
                continue;
            require(is_found(found, at, at + 1), "each word", "that is in the text");
        }
    }
}

/* Reads the words again, for check_words(). */
static void search_words(Part file, const char *text, size_t length)
{
    KeepWords words = { 0 };
    RangeList found = { 0 };
    Buf copy = { 0 };
    Err err = { "" };

    buf_put(&copy, file.bytes, file.size);
    if (keep_words_read(&words, NAME, &copy, &err) == OK) {
        require_ok(keep_words_find(&words, text, length, &found, &err), &err);
        check_words(&words, &found, text, length);
    } else {
        require_message(&err, NAME);
    }
    ranges_free(&found);
    keep_words_free(&words);
    buf_free(&copy);
}

static void search(const KeepRules *rules, const char *text, size_t length)
{
    const UnitText unit = { .text = text, .length = length };
    RangeList found = { 0 };
    Err err = { "" };

    if (keep_rules_find(rules, text, length, &found, &err) == OK)
        check_ranges(&found, text, length);
    else
        require(strncmp(err.text, "the expression '", 16) == 0, "a limit", err.text);
    if (keep_rules_find_in_unit(rules, &unit, &found, &err) == OK) check_ranges(&found, text, length);
    ranges_free(&found);
}

static bool add_rules(KeepRules *rules, const char *expression, Part words)
{
    Buf file = { 0 };
    Err err = { "" };
    Status st = *expression ? keep_rules_add_expression(rules, expression, &err) : OK;

    if (st != OK) {
        require(st == ERR_USAGE && *err.text == '\'', "the expression", err.text);
        require(!strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
        return false;
    }
    buf_put(&file, words.bytes, words.size);
    st = keep_rules_add_words(rules, NAME, &file, &err);
    buf_free(&file);
    if (st != OK) require_message(&err, NAME);
    return st == OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool has_patterns = size && *data == '!';
    Part pattern, words;
    KeepRules *rules;
    char *expression;
    size_t replaced;
    Buf text = { 0 };
    Err err = { "" };

    data += has_patterns;
    size -= has_patterns;
    pattern = take_part(&data, &size);
    words = take_part(&data, &size);
    expression = strndup(pattern.bytes, pattern.size);
    require(expression != NULL, "memory", "an expression");
    buf_put_clean(&text, (const char *)data, size, &replaced);
    require_ok(keep_rules_new(&rules, &err), &err);
    if (has_patterns) require_ok(keep_rules_add_patterns(rules, &err), &err);
    if (add_rules(rules, expression, words)) search(rules, text.data ? text.data : "", text.len);
    search_words(words, text.data ? text.data : "", text.len);
    keep_rules_free(rules);
    free(expression);
    buf_free(&text);
    return 0;
}
