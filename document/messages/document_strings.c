/* document_strings.c - Apple .strings: "key" = "value"; with comments as in C. The values are texts. */
#include <stdio.h>
#include <string.h>

#include "chars.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "utf8.h"

/* An octal number has up to three digits. Beyond ASCII, it is in an encoding of its own, and has no text. */
static EscapedPart read_strings(const char *bytes, size_t length)
{
    static const char names[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
    const char *name = length > 1 && bytes[1] ? strchr(names, bytes[1]) : NULL;
    size_t at = 1;
    uint32_t code = 0;
    EscapedPart part;

    if (*bytes != '\\') return escaped_text_plain(bytes, length);
    if (length < 2) return escaped_text_code(1, 0);
    if (name) return escaped_text_code(2, (uint32_t)codes[name - names]);
    for (; at < length && at < 4 && bytes[at] >= '0' && bytes[at] <= '7'; at++)
        code = code * 8 + (uint32_t)(bytes[at] - '0');
    if (at > 1) return escaped_text_code(at, code < 0x80 ? code : 0);
    if (bytes[1] == 'u' || bytes[1] == 'U') {
        part = escaped_text_utf16(bytes, length);
        return part.length ? part : escaped_text_code(2, 0);
    }
    part = escaped_text_plain(bytes + 1, length - 1);
    part.length++;
    return part;
}

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t at, end;
} StringsParser;

/* Skips white space and comments. Returns the next character; NUL: the end. */
static char skip_space(StringsParser *p)
{
    while (p->at < p->end && !document_builder_failed(p->builder)) {
        const size_t begin = p->at;
        if (chars_begin(p->bytes, p->at, p->end, "//")) {
            while (p->at < p->end && p->bytes[p->at] != '\n' && p->bytes[p->at] != '\r') p->at++;
        } else if (chars_begin(p->bytes, p->at, p->end, "/*")) {
            for (p->at += 2; p->at < p->end && !chars_begin(p->bytes, p->at, p->end, "*/");) p->at++;
            if (p->at == p->end) document_builder_fail(p->builder, begin, "this comment has no closing */");
            p->at += p->at < p->end ? 2 : 0;
        } else if (p->bytes[p->at] && strchr(" \t\r\n\f\v", p->bytes[p->at])) {
            p->at++;
        } else {
            return p->bytes[p->at];
        }
    }
    return '\0';
}

/* Reads a string with or without quotes. Returns its contents. */
static Range read_string(StringsParser *p)
{
    const size_t begin = p->at;

    if (p->bytes[begin] != '"') {
        while (p->at < p->end && p->bytes[p->at] && !strchr(" \t\r\n=;\"{}()<>", p->bytes[p->at])) p->at++;
        if (p->at == begin) document_builder_fail(p->builder, begin, "expected a string");
        return (Range){ p->at, p->at };
    }
    for (p->at++; p->at < p->end && p->bytes[p->at] != '"'; p->at++)
        if (p->bytes[p->at] == '\\') p->at++;
    if (p->at >= p->end) {
        p->at = p->end;
        document_builder_fail(p->builder, begin, "this string has no closing quote");
        return (Range){ begin, begin };
    }
    return (Range){ begin + 1, p->at++ };
}

static void parse_strings(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    StringsParser p = { builder, input.bytes, input.begin, input.end };

    while (skip_space(&p) && !document_builder_failed(builder)) {
        Range value;
        (void)read_string(&p);
        if (skip_space(&p) == '=') {
            p.at++;
            if (!skip_space(&p)) document_builder_fail(builder, p.at, "expected a string");
            if (document_builder_failed(builder)) break;
            value = read_string(&p);
            escaped_text_report_units(builder, read_strings, 0, value.begin, value.end);
        }
        if (skip_space(&p) != ';') document_builder_fail(builder, p.at, "expected ';' after an entry");
        p.at++;
    }
    if (p.at < p.end) document_builder_fail(builder, p.at, "expected a string");
}

/* Property lists that macOS has compiled. */
static const char *recognize_binary(const char *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "bplist", 6) == 0 ? "this is a binary property list; convert it to text first"
                                                        : NULL;
}

static bool is_special_strings(unsigned context, uint32_t code)
{
    (void)context;
    return code == '"' || code == '\\' || code < 0x20;
}

static size_t spell_strings(uint32_t code, const SpellingPlace *place, char *out)
{
    static const char codes[] = "\"\\\n\r\t", names[] = "\"\\nrt";
    const char *known = code ? strchr(codes, (int)code) : NULL;

    (void)place;
    out[0] = '\\';
    if (!known) return (size_t)snprintf(out, 7, "\\U%04x", (unsigned)code);
    out[1] = names[known - codes];
    return 2;
}

/* \UXXXX, or two of them. */
static size_t refer_strings(uint32_t code, const SpellingPlace *place, char *out)
{
    const size_t length = escaped_text_put_utf16(code, false, out);

    (void)place;
    for (size_t i = 0; i < length; i++)
        if (out[i] == 'u') out[i] = 'U';
    return length;
}

static bool keeps_strings(const char *spelling, size_t length, const SpellingPlace *place)
{
    return escaped_text_keeps(read_strings, spelling, length, place);
}

static const SpellingRules strings_spelling = {
    .is_special = is_special_strings, .spell = spell_strings, .keeps = keeps_strings, .refer = refer_strings
};

const DocumentFormat document_strings = { .name = "strings",
                                          .endings = ".strings",
                                          .parse = parse_strings,
                                          .spelling = &strings_spelling,
                                          .recognize_other = recognize_binary,
                                          .arguments = ARGUMENTS_PRINTF };
