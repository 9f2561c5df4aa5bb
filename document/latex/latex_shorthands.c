/* latex_shorthands.c - see latex_shorthands.h.
 * Source   The manual of babel-german, version 2.14, table 1. */
#include "latex_shorthands.h"

#include <string.h>

static bool is_german(const LatexScan *s, ByteRange word)
{
    return latex_scan_is_in(s, word, "german ngerman austrian naustrian swissgerman nswissgerman germanb");
}

/* Returns the next option in the list from byte *at on, without blanks; empty at the end. */
static ByteRange next_option(const LatexScan *s, size_t *at, size_t end)
{
    ByteRange word;

    while (*at < end && strchr(" \t\r\n,", s->bytes[*at])) ++*at;
    word = (ByteRange){ *at, *at };
    while (*at < end && s->bytes[*at] != ',') ++*at;
    for (word.end = *at; word.end > word.begin && strchr(" \t\r\n", s->bytes[word.end - 1]);) word.end--;
    return word;
}

/* Whether the last option of babel that is a name is German. *has_language: there is one. */
static bool is_last_german(const LatexScan *s, ByteRange options, bool *has_language)
{
    bool is_last = false;

    *has_language = false;
    for (size_t at = options.begin; at < options.end;) {
        const ByteRange word = next_option(s, &at, options.end);
        if (word.begin == word.end || memchr(s->bytes + word.begin, '=', word.end - word.begin)) continue;
        *has_language = true;
        is_last = is_german(s, word);
    }
    return is_last;
}

static bool has_german(const LatexScan *s, ByteRange options)
{
    for (size_t at = options.begin; at < options.end;)
        if (is_german(s, next_option(s, &at, options.end))) return true;
    return false;
}

static bool is_comment(const LatexScan *s, size_t at)
{
    while (at && s->bytes[at - 1] != '\n')
        if (s->bytes[--at] == '%') return true;
    return false;
}

/* Finds the command with the argument, {babel}, and what is in its brackets. */
static bool find_options(const LatexScan *s, ByteRange preamble, const char *text, ByteRange *options)
{
    const size_t length = strlen(text);
    size_t at = preamble.begin;

    while ((at = latex_scan_find(s, at, preamble.end, text, length)) < preamble.end && is_comment(s, at)) at += length;
    if (at == preamble.end) return false;
    *options = (ByteRange){ at, at };
    if (at > preamble.begin && s->bytes[at - 1] == ']') {
        options->end = at - 1;
        while (options->begin > preamble.begin && s->bytes[options->begin - 1] != '[') options->begin--;
    }
    return true;
}

bool latex_shorthands_are_german(const LatexScan *s, size_t begin, size_t end)
{
    static const char class[] = "\\documentclass", off[] = "\\shorthandoff";
    const ByteRange preamble = { begin, end };
    ByteRange options;
    bool has_language, is_last;
    size_t at;

    if (!find_options(s, preamble, "{babel}", &options)) return false;
    if (latex_scan_find(s, begin, s->end, off, sizeof off - 1) < s->end) return false;
    is_last = is_last_german(s, options, &has_language);
    if (has_language) return is_last;
    at = latex_scan_find(s, begin, end, class, sizeof class - 1);
    if (at == end) return false;
    at += sizeof class - 1;
    return latex_scan_option(s, at, &options) > at && has_german(s, options);
}

size_t latex_shorthand_read(const LatexScan *s, size_t at, uint32_t *code)
{
    static const struct {
        char key;
        uint32_t code;
    } rows[] = { { 'a', 0xe4 },   { 'o', 0xf6 },    { 'u', 0xfc }, { 'A', 0xc4 }, { 'O', 0xd6 },
                 { 'U', 0xdc },   { 's', 0xdf },    { 'z', 0xdf }, { 'e', 0xeb }, { 'i', 0xef },
                 { '`', 0x201e }, { '\'', 0x201c }, { '<', 0xab }, { '>', 0xbb }, { '=', '-' },
                 { '~', '-' },    { '/', '/' },     { '-', 0 },    { '|', 0 },    { '"', 0 } };

    if (s->bytes[at] != '"' || at + 1 >= s->end) return at;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s->bytes[at + 1] != rows[i].key) continue;
        *code = rows[i].code;
        return at + 2;
    }
    return at;
}
