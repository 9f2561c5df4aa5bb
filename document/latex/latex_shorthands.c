/* latex_shorthands.c - see latex_shorthands.h.
 * Source   The manual of babel-german, version 2.14, table 1, without its shorthands for words of the old spelling ("ck
 * "ff "ll "mm "nn "pp "rr "tt) and for capitals ("S "Z "E "I). */
#include "latex_shorthands.h"

#include <string.h>

#define SOFT_HYPHEN 0xad

static bool is_german(const LatexScan *s, Range word)
{
    return latex_scan_is_in(s, word, "german ngerman austrian naustrian swissgerman nswissgerman germanb");
}

/* Whether an option of a class, which may be anything, is the name of a language. */
static bool is_language(const LatexScan *s, Range word)
{
    return is_german(s, word) ||
           latex_scan_is_in(
               s, word,
               "english american british USenglish UKenglish canadian australian newzealand french francais "
               "frenchb acadian canadien italian spanish catalan galician portuguese brazilian brazil "
               "portuges romanian latin dutch afrikaans danish swedish norsk nynorsk icelandic finnish "
               "estonian latvian lithuanian polish czech slovak slovene croatian serbian bulgarian "
               "russian ukrainian hungarian magyar greek turkish irish welsh basque esperanto");
}

/* Returns the next option in the list from byte *at on, without blanks; empty at the end. */
static Range next_option(const LatexScan *s, size_t *at, size_t end)
{
    Range word;

    while (*at < end && strchr(" \t\r\n,", s->bytes[*at])) ++*at;
    word = (Range){ *at, *at };
    while (*at < end && s->bytes[*at] != ',') ++*at;
    for (word.end = *at; word.end > word.begin && strchr(" \t\r\n", s->bytes[word.end - 1]);) word.end--;
    return word;
}

/* Whether the main language of the options is German: that of main=NAME, or else the last name of a language. In the
 * options of babel, all names are. *has_language: there is one. */
static bool is_main_german(const LatexScan *s, Range options, bool of_class, bool *has_language)
{
    static const char main[] = "main=";
    bool is_last = false;

    *has_language = false;
    for (size_t at = options.begin; at < options.end;) {
        Range word = next_option(s, &at, options.end);
        const size_t length = word.end - word.begin;
        const bool is_main = length >= sizeof main && memcmp(s->bytes + word.begin, main, sizeof main - 1) == 0;
        if (is_main) word.begin += sizeof main - 1;
        if (word.begin == word.end || memchr(s->bytes + word.begin, '=', word.end - word.begin)) continue;
        if (of_class && !is_language(s, word)) continue;
        *has_language = true;
        is_last = is_german(s, word);
        if (is_main) break;
    }
    return is_last;
}

/* Returns where the text begins for the first time outside of comments, or the end of the range. The range begins
 * outside of a comment. */
static size_t find(const LatexScan *s, Range range, const char *text)
{
    const size_t length = strlen(text);

    for (size_t at = range.begin; at < range.end; at++) {
        if (range.end - at >= length && memcmp(s->bytes + at, text, length) == 0) return at;
        if (s->bytes[at] == '\\')
            at++;
        else if (s->bytes[at] == '%')
            at = latex_scan_line_end(s, at);
    }
    return range.end;
}

/* Finds the command with the argument, {babel}, and what is in its brackets. */
static bool find_options(const LatexScan *s, Range preamble, const char *text, Range *options)
{
    const size_t at = find(s, preamble, text);

    if (at == preamble.end) return false;
    *options = (Range){ at, at };
    if (at > preamble.begin && s->bytes[at - 1] == ']') {
        options->end = at - 1;
        while (options->begin > preamble.begin && s->bytes[options->begin - 1] != '[') options->begin--;
    }
    return true;
}

/* Whether the text changes to another language than German. */
static bool leaves_german(const LatexScan *s, Range range)
{
    static const char select[] = "\\selectlanguage";
    Range name;

    while ((range.begin = find(s, range, select)) < range.end) {
        range.begin += sizeof select - 1;
        range.begin = latex_scan_blanks(s, range.begin);
        if (latex_scan_argument(s, range.begin, &name) > range.begin && !is_german(s, name)) return true;
    }
    return false;
}

/* Whether the document gives the quote another meaning: none, or that of csquotes. */
static bool turns_off(const LatexScan *s, Range range)
{
    static const char *const commands[] = { "\\shorthandoff", "\\MakeOuterQuote", "\\MakeInnerQuote", "\\MakeAutoQuote",
                                            "shorthands=off" };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (find(s, range, commands[i]) < range.end) return true;
    return leaves_german(s, range);
}

bool latex_shorthands_are_german(const LatexScan *s, size_t begin, size_t end)
{
    static const char class[] = "\\documentclass";
    const Range preamble = { begin, end };
    Range options;
    bool has_language, is_main;
    size_t at;

    if (!find_options(s, preamble, "{babel}", &options)) return false;
    if (turns_off(s, (Range){ begin, s->end })) return false;
    is_main = is_main_german(s, options, false, &has_language);
    if (has_language) return is_main;
    at = find(s, preamble, class);
    if (at == end) return false;
    at += sizeof class - 1;
    return latex_scan_option(s, at, &options) > at && is_main_german(s, options, true, &has_language);
}

size_t latex_shorthand_read(const LatexScan *s, size_t at, uint32_t *code)
{
    static const struct {
        char key;
        uint32_t code;
    } rows[] = { { 'a', 0xe4 },   { 'o', 0xf6 },    { 'u', 0xfc },        { 'A', 0xc4 },        { 'O', 0xd6 },
                 { 'U', 0xdc },   { 's', 0xdf },    { 'z', 0xdf },        { 'e', 0xeb },        { 'i', 0xef },
                 { '`', 0x201e }, { '\'', 0x201c }, { '<', 0xab },        { '>', 0xbb },        { '=', '-' },
                 { '~', '-' },    { '/', '/' },     { '-', SOFT_HYPHEN }, { '|', SOFT_HYPHEN }, { '"', SOFT_HYPHEN } };

    if (s->bytes[at] != '"' || at + 1 >= s->end) return at;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s->bytes[at + 1] != rows[i].key) continue;
        *code = rows[i].code;
        return at + 2;
    }
    return at;
}
