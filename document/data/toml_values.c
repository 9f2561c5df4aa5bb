/* toml_values.c - TOML: see data_values.h. */
#include "data_values.h"

#include <stdio.h>
#include <string.h>

#include "chars.h"
#include "escaped_text.h"
#include "utf8.h"

/* Contexts, by the quotes around a string; three of them around several lines. */
enum { TOML_BASIC, TOML_LITERAL, TOML_BASIC_LINES, TOML_LITERAL_LINES };

#define LINES_QUOTES 3

typedef struct {
    DocumentBuilder *builder; /* NULL: only check */
    const char *bytes;
    size_t at, end;
    DataKeyTest *is_wanted_key;
} TomlReader;

static bool is_literal(unsigned context)
{
    return context == TOML_LITERAL || context == TOML_LITERAL_LINES;
}

/* A backslash at the end of a line joins it with the next one. */
static EscapedPart read_basic(const char *bytes, size_t length)
{
    static const EscapeRules escapes = { "btnfre\"\\", "\b\t\n\f\r\x1b\"\\", "", 0, false };
    size_t digits, at;

    if (*bytes != '\\' || length < 2) return escaped_text_plain(bytes, length);
    digits = bytes[1] == 'u' ? 4 : bytes[1] == 'U' ? 8 : 0;
    if (digits && length >= 2 + digits)
        return escaped_text_code(2 + digits, escaped_text_hex(bytes + 2, digits, digits));
    at = chars_skip_space(bytes, 1, length);
    return at > 1 ? escaped_text_code(at, 0) : escaped_text_escape(&escapes, bytes, length);
}

static char current(const TomlReader *r)
{
    return r->at < r->end ? r->bytes[r->at] : '\0';
}

static void skip_blanks(TomlReader *r)
{
    r->at = chars_skip_blanks(r->bytes, r->at, r->end);
}

static void skip_comment(TomlReader *r)
{
    if (current(r) != '#') return;
    while (r->at < r->end && !char_is_newline(r->bytes[r->at])) r->at++;
}

/* Skips blanks and a comment. Returns whether the line ends there. */
static bool end_line(TomlReader *r)
{
    skip_blanks(r);
    skip_comment(r);
    if (r->at < r->end && !char_is_newline(r->bytes[r->at])) return false;
    while (char_is_newline(current(r))) r->at++;
    return true;
}

/* Reads a string. *contents: what is between its quotes. */
static bool read_string(TomlReader *r, Range *contents, unsigned *context)
{
    const char quote = current(r);
    size_t quotes = 1;

    if (r->end - r->at >= 2 * LINES_QUOTES && r->bytes[r->at + 1] == quote && r->bytes[r->at + 2] == quote)
        quotes = LINES_QUOTES;
    *context = (quote == '\'' ? TOML_LITERAL : TOML_BASIC) + (quotes > 1 ? TOML_BASIC_LINES : 0u);
    contents->begin = r->at += quotes;
    for (; r->at < r->end; r->at++) {
        size_t count = 0;
        if (quotes == 1 && char_is_newline(r->bytes[r->at])) return false;
        if (quote == '"' && r->bytes[r->at] == '\\') {
            r->at++;
            continue;
        }
        while (count < quotes && r->at + count < r->end && r->bytes[r->at + count] == quote) count++;
        if (count < quotes) continue;
        while (quotes > 1 && r->at + quotes < r->end && r->bytes[r->at + quotes] == quote)
            r->at++; /* """" ends in one */
        contents->end = r->at;
        r->at += quotes;
        return true;
    }
    return false;
}

/* Reads a key with dots; *key is its last part. */
static bool read_key(TomlReader *r, Range *key)
{
    for (;; r->at++) {
        unsigned context;
        skip_blanks(r);
        *key = (Range){ r->at, r->at };
        if (current(r) == '"' || current(r) == '\'') {
            if (!read_string(r, key, &context)) return false;
        } else {
            while (char_is_alphanumeric(current(r)) || current(r) == '_' || current(r) == '-') key->end = ++r->at;
            if (key->begin == key->end) return false;
        }
        skip_blanks(r);
        if (current(r) != '.') return true;
    }
}

/* Skips an array, an inline table or a table's name. */
static bool skip_brackets(TomlReader *r)
{
    size_t depth = 0;

    do {
        Range contents;
        unsigned context;
        const char c = current(r);
        skip_comment(r);
        if (r->at == r->end) return false;
        if (c == '"' || c == '\'') {
            if (!read_string(r, &contents, &context)) return false;
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        r->at++;
    } while (depth);
    return true;
}

static bool read_value(TomlReader *r, Range key)
{
    const char quote = current(r);
    Range contents;
    unsigned context;

    if (quote == '[' || quote == '{') return skip_brackets(r);
    if (quote != '"' && quote != '\'') {
        const size_t begin = r->at;
        while (r->at < r->end && r->bytes[r->at] != '#' && !char_is_newline(r->bytes[r->at])) r->at++;
        return r->at > begin;
    }
    if (!read_string(r, &contents, &context)) return false;
    if (!r->builder || !r->is_wanted_key(r->bytes + key.begin, key.end - key.begin)) return true;
    /* Quotes in a string of several lines follow each other: another text could make three of them. */
    for (size_t at = contents.begin; context >= TOML_BASIC_LINES && at < contents.end; at++)
        if (r->bytes[at] == quote && (at + 1 == contents.end || r->bytes[at + 1] == quote)) return true;
    escaped_text_report_units(r->builder, is_literal(context) ? escaped_text_plain : read_basic, context,
                              contents.begin, contents.end);
    return true;
}

static bool read_lines(TomlReader r)
{
    while (r.at < r.end) {
        Range key;
        if (end_line(&r)) continue;
        if (current(&r) == '[') {
            if (!skip_brackets(&r) || !end_line(&r)) return false;
            continue;
        }
        if (!read_key(&r, &key) || current(&r) != '=') return false;
        r.at++;
        skip_blanks(&r);
        if (!read_value(&r, key) || !end_line(&r)) return false;
    }
    return true;
}

void toml_values_read(DocumentBuilder *builder, BuilderInput input, DataKeyTest *is_wanted_key)
{
    TomlReader r = { .bytes = input.bytes, .at = input.begin, .end = input.end, .is_wanted_key = is_wanted_key };

    if (!read_lines(r)) return;
    r.builder = builder;
    (void)read_lines(r);
}

static bool is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t') || code == 0x7f;
}

static bool is_special_toml(unsigned context, uint32_t code)
{
    if (is_control(code)) return true;
    return is_literal(context) ? code == '\'' : code == '"' || code == '\\';
}

/* A literal string has no escapes, so its quotes become apostrophes. */
static size_t spell_toml(uint32_t code, const SpellingPlace *place, char *out)
{
    if (is_literal(place->context)) return code == '\'' ? utf8_put(0x2019, out) : spelling_copy(" ", out);
    if (is_control(code)) return (size_t)snprintf(out, SPELLING_BYTES, "\\u%04x", (unsigned)code);
    out[0] = '\\';
    out[1] = (char)code;
    return 2;
}

/* A quote may be itself in several lines, but not beside another one. */
static bool keeps_toml(const char *spelling, size_t length, const SpellingPlace *place)
{
    const char before = place->before_length ? place->before[place->before_length - 1] : '\0';
    const char after = place->after_length ? *place->after : '\0';

    if (length > 1 || !strchr("\"'", *spelling)) return true;
    return place->context >= TOML_BASIC_LINES && before != *spelling && after != *spelling;
}

static size_t refer_toml(uint32_t code, const SpellingPlace *place, char *out)
{
    return is_literal(place->context) ? 0 : (size_t)snprintf(out, SPELLING_BYTES, "\\U%08x", (unsigned)code);
}

const SpellingRules toml_spelling = {
    .is_special = is_special_toml, .spell = spell_toml, .keeps = keeps_toml, .refer = refer_toml
};
