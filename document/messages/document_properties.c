/* document_properties.c - Java .properties: the values are texts. Unless an encoding is asked for, a document in ASCII
 * stays in ASCII, since Java before version 9 reads these files as Latin-1. */
#include <string.h>

#include <unicode/uchar.h>

#include "document_encoding.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "utf8.h"

/* Contexts, as bits. */
enum {
    IN_ASCII = 1,
    AFTER_SPACE = 2, /* no '=' or ':' before the value: it must not begin with one */
    IN_MESSAGE = 4   /* of Java's MessageFormat */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

static size_t skip_blanks(const char *bytes, size_t at, size_t end)
{
    while (at < end && is_blank(bytes[at])) at++;
    return at;
}

/* Returns the length of a line break at bytes[0], or 0. */
static size_t break_length(const char *bytes, size_t length)
{
    if (!length || (*bytes != '\n' && *bytes != '\r')) return 0;
    return length > 1 && bytes[0] == '\r' && bytes[1] == '\n' ? 2 : 1;
}

/* Returns the length of a backslash, a line break and the blanks after it at bytes[0]; 0: there are none. */
static size_t join_length(const char *bytes, size_t length)
{
    const size_t line = length > 1 && *bytes == '\\' ? break_length(bytes + 1, length - 1) : 0;

    return line ? skip_blanks(bytes, 1 + line, length) : 0;
}

/* A space or newline before the end of a line is one part with it. */
static EscapedPart read_properties(const char *bytes, size_t length)
{
    static const char names[] = "fnrt", codes[] = "\f\n\r\t";
    const size_t join = join_length(bytes, length);
    EscapedPart part;
    const char *name;

    if (join) return escaped_text_code(join, 0);
    if (*bytes != '\\') {
        part = escaped_text_plain(bytes, length);
    } else if (length < 2 || bytes[1] == 'u') {
        part = escaped_text_utf16(bytes, length);
        return part.length ? part : escaped_text_code(1, 0);
    } else if ((name = strchr(names, bytes[1])) && *name) {
        part = escaped_text_code(2, (uint32_t)codes[name - names]);
    } else {
        part = escaped_text_plain(bytes + 1, length - 1);
        part.length++;
    }
    if (part.size == 1 && (part.text[0] == ' ' || part.text[0] == '\n'))
        part.length += join_length(bytes + part.length, length - part.length);
    return part;
}

static EscapedPart read_message(const char *bytes, size_t length)
{
    return escaped_text_message(read_properties, bytes, length);
}

static EscapedReader *reader_of(unsigned context)
{
    return context & IN_MESSAGE ? read_message : read_properties;
}

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t at, end;
    unsigned context;
} PropertiesParser;

/* Skips blanks and line breaks that join lines. */
static size_t skip_space(const PropertiesParser *p, size_t at, size_t end)
{
    for (size_t length = 1; length; at += length) {
        at = skip_blanks(p->bytes, at, end);
        length = join_length(p->bytes + at, end - at);
    }
    return at;
}

/* Reports the units of the value of a property. Only one that begins with the first letter of the value is
 * AFTER_SPACE. */
static void report_property(const PropertiesParser *p, size_t end)
{
    size_t key = p->at, value;
    unsigned context = p->context;
    bool is_after_space;
    uint32_t first = 0;
    EscapedText text;

    while (key < end && !is_blank(p->bytes[key]) && p->bytes[key] != '=' && p->bytes[key] != ':')
        key += p->bytes[key] == '\\' ? 2 : 1;
    value = skip_space(p, key < end ? key : end, end);
    is_after_space = value == end || (p->bytes[value] != '=' && p->bytes[value] != ':');
    if (!is_after_space) value = skip_space(p, value + 1, end);
    if (value < end) utf8_next(p->bytes + value, end - value, &first);
    is_after_space = is_after_space && u_isalpha((UChar32)first);
    if (escaped_text_is_message(read_properties, p->bytes + value, end - value)) context |= IN_MESSAGE;
    text = escaped_text_start(p->builder, reader_of(context), value, end);
    while (escaped_text_has_more(&text) && !document_builder_failed(p->builder)) {
        document_builder_begin(p->builder, context | (is_after_space ? AFTER_SPACE : 0), text.at);
        escaped_text_report(&text);
        document_builder_end_unit(p->builder, text.at);
        is_after_space = false;
    }
    escaped_text_free(&text);
}

static void parse_properties(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    PropertiesParser p = { builder, input.bytes, input.begin, input.end, input.options->encoding ? 0 : IN_ASCII };

    for (size_t i = input.begin; i < input.end; i++)
        if ((unsigned char)input.bytes[i] >= 0x80) p.context = 0;
    document_builder_accelerators(builder, "&");
    while (p.at < p.end && !document_builder_failed(builder)) {
        size_t end;
        p.at = skip_blanks(p.bytes, p.at, p.end);
        if (p.at < p.end && (p.bytes[p.at] == '#' || p.bytes[p.at] == '!')) {
            for (end = p.at; end < p.end && !break_length(p.bytes + end, 1);) end++;
        } else {
            for (end = p.at; end < p.end && !break_length(p.bytes + end, p.end - end); end++) {
                if (p.bytes[end] != '\\' || end + 1 == p.end)
                    continue; /* a backslash joins the next line to this one */
                end += break_length(p.bytes + end + 1, p.end - end - 1) == 2 ? 2 : 1;
            }
            report_property(&p, end < p.end ? end : p.end);
        }
        p.at = end + 1;
    }
}

static bool is_special_properties(unsigned context, uint32_t code)
{
    return code == '\\' || code < 0x20 || ((context & IN_ASCII) && code >= 0x7f) ||
           ((context & AFTER_SPACE) && (code == '=' || code == ':')) || ((context & IN_MESSAGE) && code == '\'');
}

static size_t spell_properties(uint32_t code, const SpellingPlace *place, char *out)
{
    static const char codes[] = "\f\n\r\t", names[] = "fnrt";
    const char *known = code && code < 0x20 ? strchr(codes, (int)code) : NULL;

    if ((code == '=' || code == ':') && place->before_length) {
        out[0] = (char)code;
        return 1;
    }
    if (code == '\'') {
        out[0] = out[1] = (char)code;
        return 2;
    }
    if (!known && (code < 0x20 || code >= 0x7f)) return escaped_text_put_utf16(code, true, out);
    out[0] = '\\';
    out[1] = known ? names[known - codes] : (char)code;
    return 2;
}

static bool keeps_properties(const char *spelling, size_t length, const SpellingPlace *place)
{
    if ((place->context & AFTER_SPACE) && (*spelling == '=' || *spelling == ':')) return place->before_length > 0;
    if ((place->context & IN_MESSAGE) && escaped_text_keeps_message(spelling, length)) return true;
    return escaped_text_keeps(reader_of(place->context), spelling, length, place);
}

static const SpellingRules properties_spelling = {
    .is_special = is_special_properties, .spell = spell_properties, .keeps = keeps_properties, .refer = spell_properties
};

const DocumentFormat document_properties = { .name = "properties",
                                             .endings = ".properties",
                                             .parse = parse_properties,
                                             .spelling = &properties_spelling,
                                             .find_encoding = declared_encoding_properties,
                                             .arguments = ARGUMENTS_PRINTF };
