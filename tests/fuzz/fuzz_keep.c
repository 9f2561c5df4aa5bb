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
#include "utf8.h"

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

/* Compares with a search for each line of the file of words at each place. */
static void search_words(Part file, const char *text, size_t length)
{
    KeepRules *rules;
    RangeList found = { 0 };
    Buf copy = { 0 };
    Err err = { "" };

    require_ok(keep_rules_new(&rules, &err), &err);
    buf_put(&copy, file.bytes, file.size);
    if (keep_rules_add_words(rules, NAME, &copy, &err) != OK) {
        require_message(&err, NAME);
        file.size = 0;
    }
    require_ok(keep_rules_find(rules, text, length, &found, &err), &err);
    for (size_t begin = 0, end; begin < file.size; begin = end + 1) {
        const char *newline = memchr(file.bytes + begin, '\n', file.size - begin);
        const char *word;
        size_t size;
        end = newline ? (size_t)(newline - file.bytes) : file.size;
        if (!begin && end >= 3 && memcmp(file.bytes, "\xef\xbb\xbf", 3) == 0) begin = 3;
        word = file.bytes + begin + utf8_leading_space(file.bytes + begin, end - begin);
        size = (size_t)(file.bytes + end - word);
        size -= utf8_trailing_space(word, size);
        for (size_t at = 0; size && at + size <= length; at++) {
            if (memcmp(text + at, word, size) != 0 || keep_words_divides_word(text, length, at) ||
                keep_words_divides_word(text, length, at + size))
                continue;
            require(is_found(&found, at, at + 1), "each word", "that is in the text");
        }
    }
    ranges_free(&found);
    keep_rules_free(rules);
    buf_free(&copy);
}

static void search(KeepRules *rules, const char *text, size_t length)
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
