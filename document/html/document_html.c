/* document_html.c - HTML and XHTML. A unit is the text of a block element, or of a part of one between other blocks and
 * line breaks (<br>); so is each attribute that users read. Malformed HTML needs no tree: what ends a text is known from
 * the name of a tag alone, and the builder takes care of unbalanced tags. */
#include <string.h>
#include <strings.h>

#include "document_formats.h"
#include "html_elements.h"
#include "html_entities.h"
#include "html_extent.h"
#include "html_tokens.h"
#include "html_units.h"
#include "utf8.h"

/* Contexts of texts. */
enum { IN_TEXT, IN_RCDATA, IN_DOUBLE_QUOTES, IN_SINGLE_QUOTES, UNQUOTED };

/* What begins with {% and is longer is not taken for a template's tag; so reading takes linear time. */
#define LONGEST_TEMPLATE ((size_t)1000)

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    uint64_t kept; /* key of an inline element whose contents are kept; 0: none */
    size_t depth;  /* of elements with this key */
} HtmlParser;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void report_entity(HtmlParser *p, size_t at, size_t *end, bool in_attribute)
{
    char text[HTML_ENTITY_BYTES];
    size_t size;
    const size_t length = html_entity_read(p->bytes + at, p->end - at, in_attribute, text, &size);

    if (length && at + length <= *end) {
        document_builder_spelled(p->builder, text, size, at, at + length);
        *end = at + length;
    } else {
        document_builder_plain(p->builder, at, at + 1);
        *end = at + 1;
    }
}

/* Returns the end of {% ... %} at byte `at`, if it ends in the same line; otherwise `at`. */
static size_t template_end(const HtmlParser *p, size_t at, size_t end)
{
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;

    if (limit - at < 4 || p->bytes[at + 1] != '%') return at;
    for (size_t i = at + 2; i + 1 < limit && p->bytes[i] != '\n'; i++)
        if (p->bytes[i] == '%' && p->bytes[i + 1] == '}') return i + 2;
    return at;
}

/* Reports one character, or a run of white space, and returns its end. */
static size_t report_part(HtmlParser *p, size_t at, size_t end, unsigned context)
{
    size_t next = at + 1;

    if (is_space(p->bytes[at])) {
        while (next < end && is_space(p->bytes[next])) next++;
        document_builder_space(p->builder, at, next);
    } else if (p->bytes[at] == '&') {
        next = end;
        report_entity(p, at, &next, context >= IN_DOUBLE_QUOTES);
    } else if (p->bytes[at] == '{' && template_end(p, at, end) > at) {
        next = template_end(p, at, end);
        document_builder_empty(p->builder, at, next);
    } else if (context == IN_RCDATA && p->bytes[at] == '<' && next < end && p->bytes[next] == '/') {
        document_builder_empty(p->builder, at, ++next);
    } else {
        while (next < end && !is_space(p->bytes[next]) && !strchr("&{<", p->bytes[next])) next++;
        document_builder_plain(p->builder, at, next);
    }
    return next;
}

static void report_text(HtmlParser *p, size_t at, size_t end, unsigned context)
{
    while (at < end && !document_builder_failed(p->builder)) at = report_part(p, at, end, context);
}

static void begin_text(HtmlParser *p, size_t at)
{
    if (!document_builder_is_in_text(p->builder)) document_builder_begin(p->builder, IN_TEXT, at);
}

static void end_text(HtmlParser *p, size_t at)
{
    if (document_builder_is_in_text(p->builder)) document_builder_end_unit(p->builder, at);
    p->kept = 0;
}

/* Reports a text of its own: an attribute, or the contents of an element without tags. */
static void report_unit(HtmlParser *p, ByteRange range, unsigned context)
{
    document_builder_begin(p->builder, context, range.begin);
    report_text(p, range.begin, range.end, context);
    document_builder_end_unit(p->builder, range.end);
}

/* A value without quotes that contains some is malformed, and may be read differently elsewhere. */
static bool is_well_formed(const HtmlParser *p, const HtmlAttribute *attribute)
{
    for (size_t i = attribute->value.begin; !attribute->quote && i < attribute->value.end; i++)
        if (p->bytes[i] == '"' || p->bytes[i] == '\'') return false;
    return true;
}

static void report_attributes(HtmlParser *p, const HtmlToken *tag)
{
    const char *of_element = html_element_text_attribute(p->bytes, tag);
    HtmlAttribute attribute;

    for (size_t at = tag->attributes; html_attribute_next(p->bytes, tag, &at, &attribute);) {
        const unsigned context = attribute.quote == '"' ? IN_DOUBLE_QUOTES
                                 : attribute.quote      ? IN_SINGLE_QUOTES
                                                        : UNQUOTED;
        if (is_well_formed(p, &attribute) && html_attribute_is_text(p->bytes, &attribute, of_element))
            report_unit(p, attribute.value, context);
    }
}

static size_t element_end(const HtmlParser *p, const HtmlToken *tag)
{
    return html_extent_end(p->bytes, p->end, tag);
}

/* Keeps the contents of an inline element. */
static void keep_contents(HtmlParser *p, const HtmlToken *tag)
{
    if (p->kept) return;
    p->kept = html_name_key(p->bytes, tag->name);
    p->depth = 0;
    document_builder_keep(p->builder, true);
}

static void report_inline(HtmlParser *p, const HtmlToken *tag, HtmlElement kind, bool is_protected)
{
    const uint64_t key = html_name_key(p->bytes, tag->name);

    begin_text(p, tag->bytes.begin);
    if (!p->kept && !is_protected) report_attributes(p, tag);
    if (kind == HTML_VOID_INLINE) {
        document_builder_empty(p->builder, tag->bytes.begin, tag->bytes.end);
        return;
    }
    document_builder_open(p->builder, key, tag->bytes.begin, tag->bytes.end);
    if (kind == HTML_CODE || is_protected) keep_contents(p, tag);
    p->depth += p->kept == key;
}

/* Returns where to go on. */
static size_t report_start(HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_kind(p->bytes, tag->name);
    const bool is_protected = html_element_is_protected(p->bytes, tag);
    ByteRange contents;

    switch (kind) {
    case HTML_INLINE:
    case HTML_VOID_INLINE:
    case HTML_CODE:
        report_inline(p, tag, kind, is_protected);
        return tag->bytes.end;
    case HTML_PICTURE:
        return element_end(p, tag);
    case HTML_RAW:
        return html_token_raw_end(p->bytes, tag->bytes.end, p->end, tag->name);
    default:
        end_text(p, tag->bytes.begin);
    }
    if (is_protected || kind == HTML_PREFORMATTED) return element_end(p, tag);
    report_attributes(p, tag);
    if (kind != HTML_RCDATA) return tag->bytes.end;
    contents = (ByteRange){ tag->bytes.end, html_token_raw_end(p->bytes, tag->bytes.end, p->end, tag->name) };
    report_unit(p, contents, IN_RCDATA);
    return contents.end;
}

static void report_close(HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_kind(p->bytes, tag->name);
    const uint64_t key = html_name_key(p->bytes, tag->name);

    if (kind == HTML_BLOCK || kind == HTML_PREFORMATTED || kind == HTML_RCDATA) {
        end_text(p, tag->bytes.begin);
    } else if (document_builder_is_in_text(p->builder)) {
        document_builder_close(p->builder, key, tag->bytes.begin, tag->bytes.end);
        if (p->kept != key || --p->depth) return;
        p->kept = 0;
        document_builder_keep(p->builder, false);
    }
}

static size_t report_token(HtmlParser *p, const HtmlToken *token)
{
    switch (token->kind) {
    case HTML_TEXT:
        begin_text(p, token->bytes.begin);
        report_text(p, token->bytes.begin, token->bytes.end, IN_TEXT);
        break;
    case HTML_START:
        return report_start(p, token);
    case HTML_CLOSE:
        report_close(p, token);
        break;
    default: /* an empty element, if it is in a text */
        break;
    }
    return token->bytes.end;
}

void html_units_add(DocumentBuilder *builder, size_t begin, size_t end)
{
    HtmlParser p = { .builder = builder, .bytes = document_builder_input(builder).bytes, .end = end };

    for (size_t at = begin; at < end && !document_builder_failed(builder);) {
        const HtmlToken token = html_token_read(p.bytes, at, end);
        at = report_token(&p, &token);
    }
    end_text(&p, end);
}

void html_units_add_attributes(DocumentBuilder *builder, const HtmlToken *tag)
{
    HtmlParser p = { .builder = builder, .bytes = document_builder_input(builder).bytes, .end = tag->bytes.end };

    report_attributes(&p, tag);
}

static void parse_html(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);

    html_units_add(builder, input.begin, input.end);
}

static bool is_special_html(unsigned context, uint32_t code)
{
    switch (context) {
    case IN_DOUBLE_QUOTES:
        return code == '&' || code == '"';
    case IN_SINGLE_QUOTES:
        return code == '&' || code == '\'';
    case UNQUOTED:
        return code < 128 && code && strchr("&\"'<>=` \t\f", (int)code);
    default:
        return code == '&' || code == '<' || code == '>';
    }
}

static size_t copy(const char *text, char *out)
{
    const size_t length = strlen(text);

    memcpy(out, text, length);
    return length;
}

static size_t spell_html(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    switch (code) {
    case '&':
        return copy("&amp;", out);
    case '<':
        return copy("&lt;", out);
    case '>':
        return copy("&gt;", out);
    case '"':
        return copy("&quot;", out);
    default: /* ASCII */
        out[0] = '&', out[1] = '#';
        out[2] = code >= 10 ? (char)('0' + code / 10) : '0';
        out[3] = (char)('0' + code % 10);
        out[4] = ';';
        return 5;
    }
}

/* Whether spelling and what follows are read as this spelling. */
static bool keeps_reference(const char *spelling, size_t length, const SpellingPlace *place)
{
    char joined[SPELLING_AHEAD + 64], out[HTML_ENTITY_BYTES];
    size_t size, read;

    if (length > 64) return true; /* many leading zeros */
    memcpy(joined, spelling, length);
    if (place->after_length) memcpy(joined + length, place->after, place->after_length);
    read = html_entity_read(joined, length + place->after_length, place->context >= IN_DOUBLE_QUOTES, out, &size);
    return read == (length > 1 ? length : 0);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool keeps_html(const char *spelling, size_t length, const SpellingPlace *place)
{
    const char next = place->after_length ? *place->after : '\0';

    if (*spelling == '&') return keeps_reference(spelling, length, place);
    if (*spelling == '<' && place->context == IN_TEXT) return !next || (!is_letter(next) && !strchr("/!?%", next));
    if (*spelling == '<' && place->context == IN_RCDATA) return next != '/';
    if (place->context == UNQUOTED) return !strchr("> \t\f\"'", *spelling);
    return true;
}

const SpellingRules html_spelling = { .is_special = is_special_html, .spell = spell_html, .keeps = keeps_html };

const DocumentFormat document_html = { "html", ".html .htm .xhtml", parse_html, &html_spelling };
