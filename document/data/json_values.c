/* json_values.c - see json_values.h. */
#include "json_values.h"

#include <string.h>

#include "chars.h"
#include "utf8.h"

static EscapedPart read_json(const char *bytes, size_t length)
{
    static const char names[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    const char *name;

    if (*bytes != '\\' || length < 2) return escaped_text_plain(bytes, length);
    if (bytes[1] == 'u') {
        const EscapedPart part = escaped_text_utf16(bytes, length);
        return part.length ? part : escaped_text_code(2, 0);
    }
    name = bytes[1] ? strchr(names, bytes[1]) : NULL;
    return escaped_text_code(2, name ? (uint32_t)codes[name - names] : 0);
}

static char current(const JsonReader *r)
{
    return r->at < r->end ? r->bytes[r->at] : '\0';
}

static bool fail(JsonReader *r, const char *what)
{
    if (!r->fault) r->fault = what;
    return false;
}

static void skip_space(JsonReader *r)
{
    while (r->at < r->end && r->bytes[r->at] && strchr(" \t\r\n", r->bytes[r->at])) r->at++;
}

static bool read_escape(JsonReader *r)
{
    const char next = r->at + 1 < r->end ? r->bytes[r->at + 1] : '\0';

    if (next == 'u' && escaped_text_hex(r->bytes + r->at + 2, r->end - r->at - 2, 4) != UTF8_INVALID)
        r->at += 6;
    else if (next && strchr("\"\\/bfnrt", next))
        r->at += 2;
    else
        return fail(r, "invalid escape in a string");
    return true;
}

/* Reads a string. *contents: what is between its quotes. */
static bool read_string(JsonReader *r, Range *contents)
{
    contents->begin = ++r->at;
    while (r->at < r->end && r->bytes[r->at] != '"') {
        if ((unsigned char)r->bytes[r->at] < 0x20) return fail(r, "control character in a string");
        if (r->bytes[r->at] != '\\')
            r->at++;
        else if (!read_escape(r))
            return false;
    }
    if (r->at == r->end) return fail(r, "a string has no closing quote");
    contents->end = r->at++;
    return true;
}

static size_t skip_digits(JsonReader *r)
{
    const size_t begin = r->at;

    while (current(r) >= '0' && current(r) <= '9') r->at++;
    return r->at - begin;
}

static bool read_number(JsonReader *r)
{
    if (current(r) == '-') r->at++;
    if (current(r) == '0')
        r->at++;
    else if (!skip_digits(r))
        return fail(r, "invalid number");
    if (current(r) == '.') {
        r->at++;
        if (!skip_digits(r)) return fail(r, "invalid number");
    }
    if ((current(r) | 0x20) == 'e') {
        r->at++;
        if (current(r) == '+' || current(r) == '-') r->at++;
        if (!skip_digits(r)) return fail(r, "invalid number");
    }
    return true;
}

static bool read_word(JsonReader *r)
{
    static const char *const words[] = { "true", "false", "null" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (r->end - r->at < length || memcmp(r->bytes + r->at, words[i], length) != 0) continue;
        r->at += length;
        return true;
    }
    return fail(r, r->at == r->end ? "unexpected end" : "not a JSON value");
}

/* Whether the value describes others: in an object whose key begins with @, or below a key that begins with @@, as in
 * ARB files. */
static bool is_metadata(const JsonReader *r)
{
    for (size_t i = 0; i < r->depth; i++) {
        const char *key = r->path.text.data + r->path.starts[i];
        const bool is_object = i + 1 < r->depth && !r->is_array[i + 1];
        if (!r->is_array[i] && key[0] == '@' && (is_object || key[1] == '@')) return true;
    }
    return false;
}

/* The language of an ARB file. */
static void report_language(JsonReader *r, Range value)
{
    if (r->depth == 1 && r->options->language && strcmp(r->path.text.data, "@@locale") == 0)
        document_builder_language(r->builder, value.begin, value.end, r->options->language);
}

static bool read_text(JsonReader *r)
{
    Range contents;

    if (!read_string(r, &contents)) return false;
    if (!r->builder) return true;
    if (is_metadata(r))
        report_language(r, contents);
    else if (data_path_is_wanted(&r->path, r->options, r->bytes + contents.begin, contents.end - contents.begin))
        escaped_text_report_units(r->builder, read_json, r->context, contents.begin, contents.end);
    return true;
}

static bool set_path(JsonReader *r, Status st)
{
    if (st == OK) return true;
    if (r->builder) document_builder_fail_memory(r->builder);
    return fail(r, "out of memory");
}

/* Reads "key": and appends the key to the path. */
static bool read_key(JsonReader *r)
{
    Range contents;
    Status st = OK;
    Err err;

    skip_space(r);
    if (current(r) != '"') return fail(r, "expected a key in quotes");
    if (!read_string(r, &contents)) return false;
    skip_space(r);
    if (current(r) != ':') return fail(r, "expected ':' after the key");
    r->at++;
    if (!r->builder) return true;
    buf_clear(&r->key);
    for (size_t at = contents.begin; st == OK && at < contents.end;) {
        const EscapedPart part = read_json(r->bytes + at, contents.end - at);
        st = buf_append(&r->key, part.text, part.size, &err);
        at += part.length;
    }
    return set_path(r, st == OK ? data_path_set(&r->path, r->depth - 1, r->key.data, r->key.len, &err) : st);
}

/* Prepares the path of the next value in the innermost array or object. */
static bool begin_item(JsonReader *r)
{
    Err err;

    if (!r->is_array[r->depth - 1]) return read_key(r);
    if (!r->builder) return true;
    return set_path(r, data_path_set_index(&r->path, r->depth - 1, r->indices[r->depth - 1]++, &err));
}

static char closing(const JsonReader *r)
{
    return r->is_array[r->depth - 1] ? ']' : '}';
}

static void close_innermost(JsonReader *r)
{
    r->at++;
    data_path_cut(&r->path, --r->depth);
}

/* Opens an array or object. *is_complete: it is empty. */
static bool open_container(JsonReader *r, bool *is_complete)
{
    if (r->depth == JSON_DEPTH) return fail(r, "nested too deeply");
    r->indices[r->depth] = 0;
    r->is_array[r->depth++] = current(r) == '[';
    r->at++;
    skip_space(r);
    *is_complete = current(r) == closing(r);
    if (!*is_complete) return begin_item(r);
    close_innermost(r);
    return true;
}

/* Reads the beginning of a value. *is_complete: that was all of it. */
static bool read_value(JsonReader *r, bool *is_complete)
{
    const char c = (skip_space(r), current(r));

    *is_complete = true;
    if (c == '{' || c == '[') return open_container(r, is_complete);
    if (c == '"') return read_text(r);
    return c == '-' || (c >= '0' && c <= '9') ? read_number(r) : read_word(r);
}

/* Closes what ends after a value, or goes on to the next value. *is_complete: nothing is open. */
static bool end_value(JsonReader *r, bool *is_complete)
{
    for (;;) {
        skip_space(r);
        *is_complete = !r->depth;
        if (*is_complete) return true;
        if (current(r) == ',') {
            r->at++;
            return begin_item(r);
        }
        if (current(r) != closing(r))
            return fail(r, r->is_array[r->depth - 1] ? "expected ',' or ']'" : "expected ',' or '}'");
        close_innermost(r);
    }
}

/* Reads one value and the white space around it. Returns whether all of it is there. */
static bool read_all(JsonReader *r)
{
    bool is_complete = false;

    while (!is_complete && !(r->builder && document_builder_failed(r->builder))) {
        if (!read_value(r, &is_complete)) return false;
        if (is_complete && !end_value(r, &is_complete)) return false;
    }
    return is_complete;
}

void json_values_read(JsonReader *r)
{
    if (read_all(r) && r->at < r->end) fail(r, "unexpected text after the value");
}

size_t json_values_end(const char *bytes, size_t at, size_t end)
{
    JsonReader r = { .bytes = bytes, .at = at, .end = end };

    if (!read_all(&r)) return at;
    while (char_is_space(bytes[r.at - 1])) r.at--;
    return r.at;
}

void json_values_read_part(DocumentBuilder *builder, BuilderInput input, bool (*is_wanted_key)(const char *, size_t))
{
    JsonReader r = { .builder = builder,
                     .options = input.options,
                     .bytes = input.bytes,
                     .at = input.begin,
                     .end = input.end,
                     .context = json_values_context(input.bytes + input.begin, input.end - input.begin),
                     .path = { .is_wanted_key = is_wanted_key } };

    json_values_read(&r);
    json_values_free(&r);
}

void json_values_free(JsonReader *r)
{
    data_path_free(&r->path);
    buf_free(&r->key);
}

unsigned json_values_context(const char *bytes, size_t length)
{
    bool has_escapes = false;

    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)bytes[i] >= 0x80) return JSON_UTF8;
        if (bytes[i] != '\\' || i + 1 == length) continue;
        if (bytes[++i] == 'u') has_escapes = true; /* \\u is no escape */
        if ((unsigned char)bytes[i] >= 0x80) return JSON_UTF8;
    }
    return has_escapes ? JSON_ASCII : JSON_UTF8;
}

static bool is_special_json(unsigned context, uint32_t code)
{
    return code == '"' || code == '\\' || code < 0x20 || (context == JSON_ASCII && code >= 0x80);
}

static size_t spell_json(uint32_t code, const SpellingPlace *place, char *out)
{
    static const char codes[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *known = code && code < 0x80 ? strchr(codes, (int)code) : NULL;

    (void)place;
    if (!known) return escaped_text_put_utf16(code, false, out);
    out[0] = '\\';
    out[1] = names[known - codes];
    return 2;
}

static bool keeps_json(const char *spelling, size_t length, const SpellingPlace *place)
{
    return escaped_text_keeps(read_json, spelling, length, place);
}

const SpellingRules json_spelling = {
    .is_special = is_special_json, .spell = spell_json, .keeps = keeps_json, .refer = spell_json
};
