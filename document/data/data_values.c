/* data_values.c - paths of values, and TOML: see data_values.h. */
#include "data_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "escaped_text.h"
#include "utf8.h"

/* --- Paths ---------------------------------------------------------------------- */

void data_path_cut(DataPath *path, size_t depth)
{
    if (depth >= path->starts.len) return;
    path->text.len = path->starts.data[depth];
    path->starts.len = depth;
}

void data_path_set(DataPath *path, size_t depth, const char *key, size_t length)
{
    Err err;

    data_path_cut(path, depth);
    LIST_PUT(&path->starts, path->text.len);
    buf_put(&path->text, key, length);
    buf_put_byte(&path->text, '\0');
    if (LIST_CHECK(&path->starts, "a path", &err) != OK || buf_check(&path->text, &err) != OK)
        document_builder_fail_memory(path->builder);
}

void data_path_set_index(DataPath *path, size_t depth, size_t index)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%zu", index);

    data_path_set(path, depth, text, (size_t)length);
}

/* Returns the number of keys in the longest beginning of the path that matches a pattern; 0: none matches. */
static size_t match_any(const DataPath *path, const char *const *patterns, size_t count)
{
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        const char *pattern = patterns[i];
        size_t keys = 0;
        for (; *pattern && keys < path->starts.len; keys++) {
            const char *key = data_path_key(path, keys);
            size_t length = strlen(key);
            if (strncmp(pattern, key, length) != 0 || !strchr(".", pattern[length])) {
                if (*pattern != '*' || !strchr(".", pattern[1])) break; /* the pattern has another key here */
                length = 1;
            }
            pattern += length + (pattern[length] == '.');
        }
        if (!*pattern && keys > most) most = keys;
    }
    return most;
}

/* --- Codes ---------------------------------------------------------------------- */

/* Keys whose values may be codes. They may also have a plural s, or be the end of a longer key such as contentType. */
static const char code_keys[] =
    "lang language locale hreflang country region id uid uuid guid key slug sku code type kind status state mode "
    "format encoding charset currency timezone tz url uri href src path file filename icon color colour class "
    "classname style theme layout variant shape weight display direction dir align alignment position size method "
    "operator order sort role gender permission access visibility severity priority level scope env environment "
    "protocol version license target rel platform os arch unit frequency interval engine model provider strategy "
    "policy schema namespace module package component event action handler hook route ref";

/* Values that are codes, whatever their key is, unless it is one of `label_keys`. */
static const char code_words[] = "on off true false null none auto";
static const char label_keys[] =
    "label text title caption heading header name message msg subject summary placeholder tooltip description comment "
    "note hint help alt value button content question answer option choice";

/* Returns the last word of key[0..*end) and its length, and moves *end to the beginning of this word. The length is 0
 * if no word is left. contentType, content_type and content-type have two words. */
static const char *word_before(const char *key, size_t *end, size_t *length)
{
    size_t at = *end;

    while (at && !char_is_alphanumeric(key[at - 1])) at--;
    *end = at;
    while (at && char_is_alphanumeric(key[at - 1]) &&
           (at == *end || !(char_is_upper(key[at]) && char_is_lower(key[at - 1]))))
        at--;
    *length = *end - at;
    *end = at;
    return key + at;
}

/* A code is one word of ASCII letters, digits and marks that is not capitalized like Open. Its key must end with one of
 * `code_keys`, or the value must be one of `code_words`. A value that is also a word of its key, as in "on": "on", is a
 * text that serves as its own key. */
bool data_value_is_code(const char *key, const char *value, size_t length)
{
    bool has_lower = false, has_mark = false, is_known;
    size_t end = strlen(key), size;
    const char *word;

    if (!length || length > 64 || !char_is_alphanumeric(value[length - 1])) return false;
    for (size_t i = 0; i < length; i++) {
        if (!char_is_alphanumeric(value[i]) && !char_is_among(value[i], "_-.:/+#@")) return false;
        has_lower |= char_is_lower(value[i]);
        has_mark |= !char_is_letter(value[i]);
    }
    if (char_is_upper(*value) && has_lower && !has_mark) return false;
    word = word_before(key, &end, &size);
    if (!size) return false;
    is_known =
        chars_are_in(word, size, code_keys) || (word[size - 1] == 's' && chars_are_in(word, size - 1, code_keys));
    if (!is_known && (!chars_are_in(value, length, code_words) || chars_are_in(word, size, label_keys))) return false;
    do {
        if (size == length && strncasecmp(word, value, length) == 0) return false;
        word = word_before(key, &end, &size);
    } while (size && !is_known); /* if the last word is one of `code_keys`, compare only this word */
    return true;
}

bool data_path_is_wanted(const DataPath *path, const char *value, size_t length)
{
    const DocumentOptions *options = document_builder_input(path->builder).options;
    const size_t selected = match_any(path, options->selects, options->select_count);
    size_t depth = path->starts.len; /* number of keys up to the last one that is not an index */
    const char *key = NULL;

    for (; depth; depth--) {
        key = data_path_key(path, depth - 1);
        if (!*key || key[strspn(key, "0123456789")]) break;
    }
    if (path->is_wanted_key && (!depth || !path->is_wanted_key(key, strlen(key)))) return false;
    if (options->select_count && !selected) return false;
    if (match_any(path, options->skips, options->skip_count)) return false;
    return !depth || selected >= depth || !data_value_is_code(key, value, length);
}

void data_path_free(DataPath *path)
{
    buf_free(&path->text);
    free(path->starts.data);
    *path = (DataPath){ 0 };
}

/* --- TOML ----------------------------------------------------------------------- */

/* Contexts: the kinds of quotes around a string. Three quotes enclose a string of several lines. */
enum { TOML_BASIC, TOML_LITERAL, TOML_BASIC_LINES, TOML_LITERAL_LINES };

#define LINES_QUOTES 3

typedef struct {
    DocumentBuilder *builder; /* NULL: only check the syntax */
    const char *bytes;
    size_t at, end;
    DataKeyTest *is_wanted_key;
} TomlReader;

static bool is_literal(unsigned context)
{
    return context == TOML_LITERAL || context == TOML_LITERAL_LINES;
}

/* Reads a character of a basic string. A backslash at the end of a line joins it with the next line. */
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

/* Reads a string. Sets *contents to the bytes between its quotes. */
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
            r->at++; /* of four quotes, the first is part of the contents */
        contents->end = r->at;
        r->at += quotes;
        return true;
    }
    return false;
}

/* Reads a key, which may have dots. Sets *key to its last part. */
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

/* Skips an array, an inline table or the name of a table, with its brackets. */
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
    /* Leave a string with adjacent quotes or a quote at its end: three quotes in a row would end its translation. */
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

/* A literal string has no escapes, so quotes in it become U+2019. */
static size_t spell_toml(uint32_t code, const SpellingPlace *place, char *out)
{
    if (is_literal(place->context)) return code == '\'' ? utf8_put(0x2019, out) : spelling_copy(" ", out);
    if (is_control(code)) return (size_t)snprintf(out, SPELLING_BYTES, "\\u%04x", (unsigned)code);
    out[0] = '\\';
    out[1] = (char)code;
    return 2;
}

/* In a string of several lines, a quote needs no escape unless another quote is next to it. */
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
