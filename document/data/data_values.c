/* data_values.c - paths of values, TOML, and objects of JavaScript: see data_values.h. */
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

/* Of a longer key, only the end is kept, because the key is read again for each of its values; and the first byte,
 * because a @ marks metadata of ARB. */
#define KEY_BYTES ((size_t)1024)

void data_path_set(DataPath *path, size_t depth, const char *key, size_t length)
{
    const size_t skipped = length > KEY_BYTES ? length - KEY_BYTES : 0;

    data_path_cut(path, depth);
    LIST_PUT(&path->starts, path->text.len);
    if (skipped) buf_put_byte(&path->text, *key);
    buf_put(&path->text, key + skipped, length - skipped);
    buf_put_byte(&path->text, '\0');
    if (path->starts.failed || path->text.failed) document_builder_fail_memory(path->builder);
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
    "policy schema namespace module package component event action handler hook route ref accesskey hotkey "
    "shortcut keycode commandkey";

/* Values that are codes, whatever their key is, unless it is one of `label_keys`. */
static const char code_words[] = "on off true false null none auto";
static const char constants[] = "true false null"; /* those that are codes without a key, too */
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
           (at == *end || !char_is_upper(key[at]) ||
            !(char_is_lower(key[at - 1]) || (at + 1 < *end && char_is_lower(key[at + 1])))))
        at--;
    *length = *end - at;
    *end = at;
    return key + at;
}

/* The shortest word of letters, digits and marks that is encoded data, such as a key or a file in base64. */
#define SHORTEST_DATA 40

/* Whether the value is a color, such as #1e90ff. A word of different letters without a digit may be a tag: #face. */
static bool is_color(const char *value, size_t length)
{
    bool has_digit = false, is_even = true;

    if (*value != '#' || (length != 4 && length != 5 && length != 7 && length != 9)) return false;
    for (size_t i = 1; i < length; i++) {
        if (char_hex_value(value[i]) < 0) return false;
        has_digit |= char_is_digit(value[i]);
        is_even &= value[i] == value[1];
    }
    return has_digit || is_even;
}

/* Whether the value is data:TYPE;base64,... or a long word with digits and both kinds of letters, as in base64. */
static bool is_encoded(const char *value, size_t length)
{
    const size_t begin = chars_begin(value, 0, length, "data:") ? chars_after(value, 0, length, ";base64,", 0) : 0;
    bool has_lower = false, has_upper = false, has_digit = false;

    for (size_t i = begin; i < length; i++) {
        if (chars_begin(value, i, length, "\\/")) continue; /* an escape of JSON */
        if (!char_is_alphanumeric(value[i]) && !char_is_among(value[i], "+/_-.=")) return false;
        has_lower |= char_is_lower(value[i]);
        has_upper |= char_is_upper(value[i]);
        has_digit |= char_is_digit(value[i]);
    }
    return begin || (length >= SHORTEST_DATA && has_lower && has_upper && has_digit);
}

/* A code is one word of ASCII letters, digits and marks that is not capitalized like Open. Its key must end with one of
 * `code_keys`, or the value must be one of `code_words`. A value that is also a word of its key, as in "on": "on", is a
 * text that serves as its own key. \N, the NULL of databases, colors and encoded data are always codes. */
bool data_value_is_code(const char *key, const char *value, size_t length)
{
    bool has_lower = false, has_mark = false, is_known;
    size_t end = strlen(key), size;
    const char *word;

    if (chars_are_among(value, length, "\\N \\\\N")) return true; /* in JSON, the backslash is doubled */
    if (length && (is_color(value, length) || is_encoded(value, length))) return true;
    if (!length || length > 64 || !char_is_alphanumeric(value[length - 1])) return false;
    for (size_t i = 0; i < length; i++) {
        if (value[i] == '\\' && value[i + 1] == '/') continue; /* an escape of JSON; the value does not end here */
        if (!char_is_alphanumeric(value[i]) && !char_is_among(value[i], "_-.:/+#@")) return false;
        has_lower |= char_is_lower(value[i]);
        has_mark |= !char_is_letter(value[i]);
    }
    if (char_is_upper(*value) && has_lower && !has_mark) return false;
    word = word_before(key, &end, &size);
    if (!size) return chars_are_in(value, length, constants);
    is_known =
        chars_are_in(word, size, code_keys) || (word[size - 1] == 's' && chars_are_in(word, size - 1, code_keys));
    if (!is_known && (!chars_are_in(value, length, code_words) || chars_are_in(word, size, label_keys))) return false;
    do {
        if (size == length && strncasecmp(word, value, length) == 0) return false;
        word = word_before(key, &end, &size);
    } while (size && !is_known); /* if the last word is one of `code_keys`, compare only this word */
    return true;
}

/* Whether values with this key are texts in front matter: the last word of the key is title, summary or the like. */
static bool is_text_key(const char *key)
{
    size_t end = strlen(key), length;
    const char *word = word_before(key, &end, &length);

    return key[end + length] == '\0' && length &&
           chars_are_in(word, length,
                        "title subtitle description summary excerpt abstract tagline caption headline heading intro "
                        "teaser blurb about alt label text details cap subcap");
}

bool data_path_is_wanted(const DataPath *path, const char *value, size_t length)
{
    const DocumentOptions *options = document_builder_input(path->builder).options;
    const bool is_front = path->is_front_matter;
    const size_t selected = is_front ? match_any(path, options->front_matter, options->front_matter_count)
                                     : match_any(path, options->selects, options->select_count);
    size_t depth = path->starts.len; /* number of keys up to the last one that is not an index */
    bool has_defaults = true;
    const char *key = NULL;

    for (; depth; depth--) {
        key = data_path_key(path, depth - 1);
        if (!*key || key[strspn(key, "0123456789")]) break;
    }
    for (size_t i = 0; i < options->front_matter_count; i++)
        has_defaults &= strcmp(options->front_matter[i], "none") != 0;
    if (is_front && !selected && !(has_defaults && depth && is_text_key(key))) return false;
    if (!is_front && options->select_count && !selected) return false;
    if (!is_front && match_any(path, options->skips, options->skip_count)) return false;
    return (depth && selected >= depth) || !data_value_is_code(depth ? key : "", value, length);
}

void data_path_free(DataPath *path)
{
    buf_free(&path->text);
    free(path->starts.data);
    *path = (DataPath){ 0 };
}

/* --- TOML, and objects of JavaScript ----------------------------------------------------------------------- */

/* Contexts: the kinds of quotes around a string. In TOML, three quotes enclose a string of several lines. */
enum { TOML_BASIC, TOML_LITERAL, TOML_BASIC_LINES, TOML_LITERAL_LINES };
enum { SCRIPT_DOUBLE, SCRIPT_SINGLE, SCRIPT_TEMPLATE };

#define LINES_QUOTES 3

/* The deepest nesting of arrays and inline tables. */
#define PAIR_DEPTH 64

static const SpellingRules script_spelling;

typedef struct {
    DocumentBuilder *builder;
    TextCursor in;
    bool is_script;   /* an object of JavaScript */
    bool only_checks; /* report nothing */
    DataPath path;
    size_t table; /* number of keys in the path of the table */
    size_t depth; /* number of open brackets */
    Range list;   /* the name of the array of tables to which the last [[ belongs, and the number of its tables */
    size_t list_count;
} PairReader;

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

static EscapedPart read_script(const char *bytes, size_t length)
{
    static const EscapeRules escapes = { "btnvfr0", "\b\t\n\v\f\r", "u", 0, true };
    size_t at, line_break;

    if (*bytes != '\\' || length < 2) return escaped_text_plain(bytes, length);
    line_break = chars_break_length(bytes, 1, length);
    if (line_break) return escaped_text_code(1 + line_break, 0);
    if (bytes[1] == 'x' && length >= 4) return escaped_text_code(4, escaped_text_hex(bytes + 2, 2, 2));
    if (!chars_begin(bytes, 1, length, "u{")) return escaped_text_escape(&escapes, bytes, length);
    at = chars_skip(bytes, 3, length, "0123456789abcdefABCDEF");
    return at > 3 && at < 11 && at < length && bytes[at] == '}'
               ? escaped_text_code(at + 1, escaped_text_hex(bytes + 3, at - 3, at - 3))
               : escaped_text_code(2, 0);
}

static void skip_blanks(PairReader *r)
{
    r->in.at = chars_skip_blanks(r->in.text, r->in.at, r->in.end);
}

/* If a comment begins here, skips it, without the newline after it, and returns true. */
static bool skip_comment(PairReader *r)
{
    if (r->is_script && cursor_begins(&r->in, "/*")) {
        r->in.at = chars_after(r->in.text, r->in.at + 2, r->in.end, "*/", r->in.end);
        return true;
    }
    if (r->is_script ? !cursor_begins(&r->in, "//") : cursor_char(&r->in) != '#') return false;
    while (r->in.at < r->in.end && !char_is_newline(r->in.text[r->in.at])) r->in.at++;
    return true;
}

/* Skips blanks and comments. Returns whether the line ends there. */
static bool end_line(PairReader *r)
{
    do skip_blanks(r);
    while (skip_comment(r));
    if (r->in.at < r->in.end && !char_is_newline(r->in.text[r->in.at])) return false;
    while (char_is_newline(cursor_char(&r->in))) r->in.at++;
    return true;
}

static void skip_lines(PairReader *r)
{
    while (r->in.at < r->in.end && end_line(r)) continue;
}

/* Reads a string. Sets *contents to the bytes between its quotes. */
static bool read_string(PairReader *r, Range *contents, unsigned *context)
{
    const char quote = cursor_char(&r->in);
    size_t quotes = 1;

    if (!r->is_script && r->in.end - r->in.at >= 2 * LINES_QUOTES && r->in.text[r->in.at + 1] == quote &&
        r->in.text[r->in.at + 2] == quote)
        quotes = LINES_QUOTES;
    if (r->is_script)
        *context = quote == '"' ? SCRIPT_DOUBLE : quote == '\'' ? SCRIPT_SINGLE : SCRIPT_TEMPLATE;
    else
        *context = (quote == '\'' ? TOML_LITERAL : TOML_BASIC) + (quotes > 1 ? TOML_BASIC_LINES : 0u);
    contents->begin = r->in.at += quotes;
    for (; r->in.at < r->in.end; r->in.at++) {
        size_t count = 0;
        if (quotes == 1 && quote != '`' && char_is_newline(r->in.text[r->in.at])) return false;
        if ((quote == '"' || r->is_script) && r->in.text[r->in.at] == '\\') {
            r->in.at += 1 + (chars_break_length(r->in.text, r->in.at + 1, r->in.end) > 1);
            continue;
        }
        while (count < quotes && r->in.at + count < r->in.end && r->in.text[r->in.at + count] == quote) count++;
        if (count < quotes) continue;
        while (quotes > 1 && r->in.at + quotes < r->in.end && r->in.text[r->in.at + quotes] == quote)
            r->in.at++; /* of four quotes, the first is part of the contents */
        contents->end = r->in.at;
        r->in.at += quotes;
        return true;
    }
    return false;
}

/* Reads a key, which may have dots in TOML, and puts its parts into the path from `depth` on. */
static bool read_key(PairReader *r, size_t depth)
{
    for (;; r->in.at++, depth++) {
        unsigned context;
        Range key;
        skip_blanks(r);
        key = (Range){ r->in.at, r->in.at };
        if (cursor_char(&r->in) == '"' || cursor_char(&r->in) == '\'') {
            if (!read_string(r, &key, &context)) return false;
        } else {
            while (char_is_alphanumeric(cursor_char(&r->in)) ||
                   char_is_among(cursor_char(&r->in), r->is_script ? "_$" : "_-"))
                key.end = ++r->in.at;
            if (key.begin == key.end) return false;
        }
        data_path_set(&r->path, depth, r->in.text + key.begin, key.end - key.begin);
        skip_blanks(r);
        if (cursor_char(&r->in) != '.' || r->is_script) return true;
    }
}

/* Reads the name of a table, with its brackets: [a.b], or [[a.b]] for the next table of an array. */
static bool read_table(PairReader *r)
{
    const size_t brackets = cursor_begins(&r->in, "[[") ? 2 : 1;
    Range name = { r->in.at += brackets, 0 };

    if (!read_key(r, 0)) return false;
    name.end = r->in.at;
    if (!cursor_begins(&r->in, brackets > 1 ? "]]" : "]")) return false;
    r->in.at += brackets;
    if (brackets > 1) {
        const bool is_next = name.end - name.begin == r->list.end - r->list.begin &&
                             memcmp(r->in.text + name.begin, r->in.text + r->list.begin, name.end - name.begin) == 0;
        r->list_count = is_next ? r->list_count + 1 : 0;
        r->list = name;
        data_path_set_index(&r->path, r->path.starts.len, r->list_count);
    }
    r->table = r->path.starts.len;
    return true;
}

static void report_string(PairReader *r, Range contents, char quote, unsigned context)
{
    const char *bytes = r->in.text;

    if (r->only_checks || !data_path_is_wanted(&r->path, r->in.text + contents.begin, contents.end - contents.begin))
        return;
    /* Leave a string with adjacent quotes or a quote at its end: three quotes in a row would end its translation. */
    for (size_t at = contents.begin; !r->is_script && context >= TOML_BASIC_LINES && at < contents.end; at++)
        if (r->in.text[at] == quote && (at + 1 == contents.end || r->in.text[at + 1] == quote)) return;
    if (r->is_script && quote == '`' && chars_after(bytes, contents.begin, contents.end, "${", 0)) return;
    escaped_text_report_units(r->builder,
                              r->is_script          ? read_script
                              : is_literal(context) ? escaped_text_plain
                                                    : read_basic,
                              context, contents.begin, contents.end);
}

static bool read_value(PairReader *r);

/* Reads a key, = or, in JavaScript, a colon, and a value. The path of the key begins after `depth` keys. */
static bool read_pair(PairReader *r, size_t depth)
{
    if (!read_key(r, depth) || cursor_char(&r->in) != (r->is_script ? ':' : '=')) return false;
    r->in.at++;
    if (r->is_script) skip_lines(r);
    skip_blanks(r);
    return read_value(r);
}

/* Reads an array or an inline table, whose path has `depth` keys. */
static bool read_brackets(PairReader *r, char close)
{
    const size_t depth = r->path.starts.len;

    if (r->depth == PAIR_DEPTH) return false;
    r->depth++;
    r->in.at++;
    skip_lines(r);
    for (size_t index = 0; cursor_char(&r->in) != close; index++) {
        if (close == ']') data_path_set_index(&r->path, depth, index);
        if (!(close == ']' ? read_value(r) : read_pair(r, depth))) return false;
        skip_lines(r);
        if (cursor_char(&r->in) != ',' && cursor_char(&r->in) != close) return false;
        if (cursor_char(&r->in) == close) break;
        r->in.at++;
        skip_lines(r);
    }
    r->depth--;
    r->in.at++;
    data_path_cut(&r->path, depth);
    return true;
}

/* Skips the parentheses of a call, with what is in them. */
static bool skip_call(PairReader *r)
{
    size_t depth = 0;

    do {
        const char c = cursor_char(&r->in);
        Range contents;
        unsigned context;
        if (r->in.at == r->in.end) return false;
        if (char_is_among(c, "\"'`")) {
            if (!read_string(r, &contents, &context)) return false;
            continue;
        }
        depth += c == '(';
        depth -= c == ')';
        r->in.at++;
    } while (depth);
    return true;
}

static bool read_value(PairReader *r)
{
    const char first = cursor_char(&r->in);
    const size_t begin = r->in.at;
    Range contents;
    unsigned context;

    if (first == '[' || first == '{') return read_brackets(r, first == '[' ? ']' : '}');
    if (first == '"' || first == '\'' || (r->is_script && first == '`')) {
        if (!read_string(r, &contents, &context)) return false;
        report_string(r, contents, first, context);
        return true;
    }
    /* In JavaScript, numbers, words and calls; other expressions are not read. */
    while (r->in.at < r->in.end &&
           !char_is_among(r->in.text[r->in.at], r->is_script ? ",]}\r\n[{\"'`/<?:;" : "#,]}\r\n")) {
        if (!r->is_script || r->in.text[r->in.at] != '(')
            r->in.at++;
        else if (!skip_call(r))
            return false;
    }
    return r->in.at > begin;
}

static bool read_lines(PairReader *r)
{
    bool is_valid = true;

    while (is_valid && r->in.at < r->in.end && !document_builder_failed(r->builder))
        if (!end_line(r))
            is_valid = (cursor_char(&r->in) == '[' ? read_table(r) : read_pair(r, r->table)) && end_line(r);
    data_path_free(&r->path);
    return is_valid;
}

void toml_values_read_front_matter(DocumentBuilder *builder, BuilderInput input)
{
    const PairReader reader = { .builder = builder,
                                .in = { input.bytes, input.begin, input.end },
                                .only_checks = true,
                                .path = { .builder = builder, .is_front_matter = true } };
    PairReader r = reader;

    if (!read_lines(&r)) return;
    r = reader;
    r.only_checks = false;
    (void)read_lines(&r);
}

bool script_values_read_object(DocumentBuilder *builder, size_t at, bool is_reporting, size_t *end)
{
    const BuilderInput input = document_builder_input(builder);
    const PairReader reader = { .builder = builder,
                                .in = { input.bytes, at, input.end },
                                .is_script = true,
                                .only_checks = true,
                                .path = { .builder = builder, .is_front_matter = true } };
    PairReader r = reader;
    const bool is_valid = read_brackets(&r, '}');

    *end = r.in.at;
    data_path_free(&r.path);
    if (!is_valid || !is_reporting) return is_valid;
    r = reader;
    r.only_checks = false;
    document_builder_embed(builder, &script_spelling);
    (void)read_brackets(&r, '}');
    document_builder_embed(builder, NULL);
    data_path_free(&r.path);
    return true;
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

/* Writes the escape of a special character, also for a basic string of TOML. */
static size_t spell_script(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    if (is_control(code)) return (size_t)snprintf(out, SPELLING_BYTES, "\\u%04x", (unsigned)code);
    out[0] = '\\';
    out[1] = (char)code;
    return 2;
}

/* A literal string has no escapes, so quotes in it become U+2019. */
static size_t spell_toml(uint32_t code, const SpellingPlace *place, char *out)
{
    if (is_literal(place->context)) return code == '\'' ? utf8_put(0x2019, out) : spelling_copy(" ", out);
    return spell_script(code, place, out);
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

static bool is_special_script(unsigned context, uint32_t code)
{
    static const char quotes[] = "\"'`";

    return is_control(code) || code == '\\' || code == (uint32_t)quotes[context] ||
           (context == SCRIPT_TEMPLATE && code == '$');
}

static bool keeps_script(const char *spelling, size_t length, const SpellingPlace *place)
{
    if (length == 1 && *spelling == '$') return !place->after_length || *place->after != '{';
    return escaped_text_keeps(read_script, spelling, length, place);
}

static size_t refer_script(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    return (size_t)snprintf(out, SPELLING_BYTES, "\\u{%x}", (unsigned)code);
}

static const SpellingRules script_spelling = {
    .is_special = is_special_script, .spell = spell_script, .keeps = keeps_script, .refer = refer_script
};
