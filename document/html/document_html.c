/* document_html.c - HTML and XHTML. A unit is the text of a block element, or of a part of one between other blocks and
 * line breaks (<br>); so is each attribute that users read. Malformed HTML needs no tree: what ends a text is known
 * from the name of a tag alone, and the builder takes care of unbalanced tags. */
#include "html_units.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "html_elements.h"
#include "html_entities.h"
#include "text_encoding.h"
#include "utf8.h"

/* --- The statements of Angular in the text of HTML: @if (x) {, } @else {, @let x = 1; and }. */

/* Longer conditions are taken for text. */
#define LONGEST_CONDITION ((size_t)2000)

static size_t skip_space(const char *bytes, size_t at, size_t end)
{
    while (at < end && html_is_space(bytes[at])) at++;
    return at;
}

/* Returns the byte after the parentheses at byte `at`, or `at` if there are none. In quotes, they do not count. */
static size_t condition_end(const char *bytes, size_t at, size_t end)
{
    size_t depth = 0;
    char quote = 0;

    if (at == end || bytes[at] != '(') return at;
    if (end - at > LONGEST_CONDITION) end = at + LONGEST_CONDITION;
    for (size_t i = at; i < end; i++) {
        const char c = bytes[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"' || c == '`') {
            quote = c;
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && !--depth) {
            return i + 1;
        }
    }
    return at;
}

/* Returns the byte after @let name = value; with the name's end at byte `i`, or `at`. */
static size_t declaration_end(const char *bytes, size_t at, size_t i, size_t end)
{
    const size_t name = skip_space(bytes, i, end);

    if (end - at > LONGEST_CONDITION) end = at + LONGEST_CONDITION;
    for (i = name; i < end && (char_is_alphanumeric(bytes[i]) || bytes[i] == '_' || bytes[i] == '$');) i++;
    if (i == name || i >= end) return at;
    i = skip_space(bytes, i, end);
    if (i >= end || bytes[i] != '=') return at;
    while (i < end && bytes[i] != ';') i++;
    return i < end ? i + 1 : at;
}

/* Returns the end of the statement at byte `at` <= end of a text, @name (condition) {, @let or }, or `at` if there is
 * none. *blocks: the blocks that are open, which it changes; without any, } is text. */
static size_t statement_end(const char *bytes, size_t at, size_t end, size_t *blocks)
{
    size_t i = at + 1, after;
    Range name = { i, i };
    bool needs_condition;

    if (at < end && bytes[at] == '}' && *blocks) {
        --*blocks;
        return at + 1;
    }
    if (at >= end || bytes[at] != '@') return at;
    while (i < end && char_is_letter(bytes[i])) i++;
    name.end = i;
    if (html_name_is(bytes, name, "let")) return declaration_end(bytes, at, i, end);
    needs_condition = html_name_is_in(bytes, name, "if for switch case");
    if (!needs_condition && !html_name_is_in(bytes, name, "else default defer empty placeholder loading error"))
        return at;
    i = skip_space(bytes, i, end);
    if (html_name_is(bytes, name, "else") && end - i > 2 && memcmp(bytes + i, "if", 2) == 0) {
        i = skip_space(bytes, i + 2, end);
        needs_condition = true;
    }
    after = condition_end(bytes, i, end);
    if (needs_condition && after == i) return at;
    i = skip_space(bytes, after, end);
    if (i == end || bytes[i] != '{' || (i + 1 < end && bytes[i + 1] == '{')) return at;
    ++*blocks;
    return i + 1;
}

/* --- The encoding that an HTML document declares. */

/* The bytes in which browsers look for a declaration before they read the document. */
#define SCANNED_BYTES ((size_t)1024)

/* Elements whose contents have no tags. */
static const char raw_elements[] = "script style title textarea xmp iframe noembed noframes";

/* The names of the Encoding standard that stand for larger encodings, and what ICU calls these. */
static const struct {
    const char *names; /* separated by spaces */
    const char *encoding;
} encodings[] = {
    { "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso_8859-1 latin1 l1 ibm819 cp819 windows-1252 cp1252 "
      "x-cp1252 "
      "x-user-defined",
      "windows-1252" },
    { "iso-8859-9 iso8859-9 iso_8859-9 latin5 l5 windows-1254", "windows-1254" },
    { "iso-8859-11 iso8859-11 tis-620 windows-874", "windows-874" },
    { "gb2312 gb_2312 gb_2312-80 chinese gbk x-gbk", "GBK" },
    { "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j", "windows-31j" },
    { "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949", "windows-949" },
    { "big5 big5-hkscs cn-big5 csbig5 x-x-big5", "Big5-HKSCS" },
};

/* Finds the name after "charset=" in the content of a <meta>. */
static void find_in_content(const char *bytes, Range content, char name[ENCODING_NAME])
{
    size_t at = content.begin, end;
    char quote;

    for (;; at++) {
        if (content.end - at < 7) return;
        if (strncasecmp(bytes + at, "charset", 7) != 0) continue;
        for (at += 7; at < content.end && html_is_space(bytes[at]);) at++;
        if (at < content.end && bytes[at] == '=') break;
        at--;
    }
    for (at++; at < content.end && html_is_space(bytes[at]);) at++;
    quote = at < content.end && (bytes[at] == '"' || bytes[at] == '\'') ? bytes[at++] : '\0';
    for (end = at;
         end < content.end && (quote ? bytes[end] != quote : !html_is_space(bytes[end]) && bytes[end] != ';');)
        end++;
    if (!quote || end < content.end) text_encoding_set_name(name, bytes + at, end - at);
}

static void find_in_tag(const char *bytes, const HtmlToken *tag, char name[ENCODING_NAME])
{
    char in_content[ENCODING_NAME] = "";
    HtmlAttribute attribute;
    bool is_type = false;

    for (size_t at = tag->attributes; html_attribute_next(bytes, tag, &at, &attribute);) {
        const Range value = attribute.value;
        if (html_name_is(bytes, attribute.name, "charset"))
            text_encoding_set_name(name, bytes + value.begin, value.end - value.begin);
        else if (html_name_is(bytes, attribute.name, "http-equiv"))
            is_type = html_name_is(bytes, value, "content-type");
        else if (html_name_is(bytes, attribute.name, "content"))
            find_in_content(bytes, value, in_content);
    }
    if (!*name && is_type) memcpy(name, in_content, ENCODING_NAME);
}

/* Browsers look for the first <meta> that declares an encoding in the first bytes, byte by byte; later they read such
 * an element of the document again, and then text in scripts and the like is none. */
static void find_in_tags(const char *bytes, size_t end, bool is_read, char name[ENCODING_NAME])
{
    for (size_t at = 0; at < end && !*name;) {
        const HtmlToken token = html_token_read(bytes, at, end);
        at = token.bytes.end;
        if (token.kind != HTML_START) continue;
        if (html_name_is(bytes, token.name, "meta"))
            find_in_tag(bytes, &token, name);
        else if (is_read && html_name_is_in(bytes, token.name, raw_elements))
            at = html_token_raw_end(bytes, at, end, token.name);
    }
}

/* Finds the name in <meta charset="..."> or <meta http-equiv="Content-Type" content="...; charset=..."> within the
 * first 1024 bytes, else in an XML declaration (HTML standard, 13.2.3.2 "prescan a byte stream"), else in an element
 * anywhere (13.2.3.4 "changing the encoding while parsing"), unless characters other than ASCII show that the
 * document is UTF-8. Sets `name` to the encoding that browsers take for it, as windows-1252 for ISO-8859-1; "":
 * there is none. */
static void find_encoding(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    size_t ascii = 0;

    *name = '\0';
    find_in_tags(bytes, size < SCANNED_BYTES ? size : SCANNED_BYTES, false, name);
    if (!*name) declared_encoding_xml(bytes, size, name);
    if (!*name && size > SCANNED_BYTES) {
        while (ascii < size && (unsigned char)bytes[ascii] < 0x80) ascii++;
        if (ascii == size || utf8_clean_length(bytes + ascii, size - ascii) < size - ascii)
            find_in_tags(bytes, size, true, name);
    }
    for (size_t i = 0; *name && i < sizeof encodings / sizeof *encodings; i++)
        if (html_name_is_in(name, (Range){ 0, strlen(name) }, encodings[i].names))
            snprintf(name, ENCODING_NAME, "%s", encodings[i].encoding);
}

/* --- How characters are spelled in HTML. */

/* XML allows no < in a value; HTML reads a reference to it as well. */
static bool is_special_html(unsigned context, uint32_t code)
{
    switch (context) {
    case HTML_IN_DOUBLE_QUOTES:
        return code == '&' || code == '<' || code == '"';
    case HTML_IN_SINGLE_QUOTES:
        return code == '&' || code == '<' || code == '\'';
    case HTML_UNQUOTED:
        return code < 128 && code && strchr("&\"'<>=` \t\f", (int)code);
    default:
        return code == '&' || code == '<' || code == '>';
    }
}

/* Also for the characters that the encoding of the document lacks. */
static size_t spell_html(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    switch (code) {
    case '&':
        return spelling_copy("&amp;", out);
    case '<':
        return spelling_copy("&lt;", out);
    case '>':
        return spelling_copy("&gt;", out);
    case '"':
        return spelling_copy("&quot;", out);
    default:
        return (size_t)snprintf(out, SPELLING_BYTES, "&#%02u;", (unsigned)code);
    }
}

static bool keeps_html(const char *spelling, size_t length, const SpellingPlace *place)
{
    const char next = place->after_length ? *place->after : '\0';
    char joined[SPELLING_AHEAD + 64], out[HTML_ENTITY_BYTES];
    size_t size, read;

    if (*spelling == '&' && length > 64) return true; /* many leading zeros */
    if (*spelling == '&') {                           /* must be read as this spelling, whatever follows */
        memcpy(joined, spelling, length);
        if (place->after_length) memcpy(joined + length, place->after, place->after_length);
        read =
            html_entity_read(joined, length + place->after_length, place->context >= HTML_IN_DOUBLE_QUOTES, out, &size);
        return read == (length > 1 ? length : 0);
    }
    if (*spelling == '<' && place->context == HTML_IN_TEXT)
        return !next || (!char_is_letter(next) && !strchr("/!?%", next));
    if (*spelling == '<' && place->context < HTML_IN_DOUBLE_QUOTES) return next != '/';
    if (place->context == HTML_UNQUOTED) return !strchr("> \t\f\"'", *spelling);
    return true;
}

const SpellingRules html_spelling = {
    .is_special = is_special_html, .spell = spell_html, .keeps = keeps_html, .refer = spell_html
};

/* --- The parser. */

/* The most changes of what is kept inside each other; further ones are ignored. */
#define HTML_KEPT_LEVELS 16

/* The contents of inline elements are kept, or not, as the innermost element around them says whose name or attribute
 * `translate` decides this. */
typedef struct {
    uint64_t key; /* of this element */
    size_t depth; /* of elements with this key */
    bool is_kept;
} KeptLevel;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    KeptLevel levels[HTML_KEPT_LEVELS]; /* [level_count] */
    size_t level_count;
    size_t depth;  /* of protected elements that contain others to translate */
    size_t blocks; /* of Angular that are open */
    size_t inside; /* where the contents of the control begin that is being reported; 0: none */
    bool is_xml;   /* <title/> is a whole element */
} HtmlParser;

/* Reports one character, or a run of white space, and returns its end. What {{ x }} and <%= x %> insert is a part of
 * the sentence, which is kept as text; {% ... %} and <? ... ?> are not. */
static size_t report_part(HtmlParser *p, size_t at, size_t end, unsigned context)
{
    const char *bytes = p->bytes;
    const bool has_tags = context != HTML_IN_RCDATA && context != HTML_IN_LINES;
    size_t next = at + 1, length, size;
    char text[HTML_ENTITY_BYTES];

    if (html_is_space(bytes[at]) && context != HTML_IN_LINES) {
        while (next < end && html_is_space(bytes[next])) next++;
        document_builder_space(p->builder, at, next);
        return next;
    }
    if (bytes[at] == '&') {
        length = html_entity_read(bytes + at, p->end - at, context >= HTML_IN_DOUBLE_QUOTES, text, &size);
        if (length && at + length <= end) {
            document_builder_spelled(p->builder, text, size, at, at + length);
            return at + length;
        }
        document_builder_plain(p->builder, at, next);
        return next;
    }
    if (next < end && (memcmp(bytes + at, "{%", 2) == 0 || memcmp(bytes + at, "<?", 2) == 0)) {
        next = html_template_end(bytes, at, end, NULL);
        if (next > at) {
            document_builder_empty(p->builder, at, next);
            return next;
        }
        next = at + 1;
    }
    if (!has_tags && next < end && bytes[at] == '<' && bytes[next] == '/') {
        document_builder_empty(p->builder, at, ++next);
        return next;
    }
    while (next < end && !html_is_space(bytes[next]) && !strchr("&{<", bytes[next])) next++;
    document_builder_plain(p->builder, at, next);
    return next;
}

static void report_text(HtmlParser *p, size_t at, size_t end, unsigned context)
{
    while (at < end && !document_builder_failed(p->builder)) at = report_part(p, at, end, context);
}

static bool is_kept(const HtmlParser *p)
{
    return p->level_count && p->levels[p->level_count - 1].is_kept;
}

static void begin_text(HtmlParser *p, size_t at)
{
    if (document_builder_is_in_text(p->builder)) return;
    document_builder_begin(p->builder, HTML_IN_TEXT, at);
    if (is_kept(p)) document_builder_keep(p->builder, true);
}

static void end_unit(HtmlParser *p, size_t at)
{
    if (document_builder_is_in_text(p->builder)) document_builder_end_unit(p->builder, at);
}

/* Ends the text, and what its inline elements say: some are never closed. */
static void end_text(HtmlParser *p, size_t at)
{
    end_unit(p, at);
    p->level_count = 0;
}

/* Reports a text of its own: an attribute, or the contents of an element without tags. */
static void report_unit(HtmlParser *p, Range range, unsigned context)
{
    document_builder_begin(p->builder, context, range.begin);
    report_text(p, range.begin, range.end, context);
    document_builder_end_unit(p->builder, range.end);
}

/* Whether the value of an attribute is read like this by everybody: without quotes, it contains none; and each tag of a
 * template that begins in it ends in it. */
static bool is_well_formed(const HtmlParser *p, const HtmlAttribute *attribute)
{
    const Range value = attribute->value;
    const char *bytes = p->bytes + value.begin;
    const size_t length = value.end - value.begin;

    if (!attribute->quote && (memchr(bytes, '"', length) || memchr(bytes, '\'', length))) return false;
    for (size_t at = value.begin, next; at < value.end; at = next) {
        bool begins;
        next = html_template_end(p->bytes, at, value.end, &begins);
        if (next == at && begins) return false;
        next += next == at;
    }
    return true;
}

static void report_attributes(HtmlParser *p, const HtmlToken *tag)
{
    const char *of_element = html_element_text_attribute(p->bytes, tag);
    HtmlAttribute attribute;

    if (!html_element_shows_attributes(p->bytes, tag)) return;
    for (size_t at = tag->attributes; html_attribute_next(p->bytes, tag, &at, &attribute);) {
        const unsigned context = attribute.quote == '"' ? HTML_IN_DOUBLE_QUOTES
                                 : attribute.quote      ? HTML_IN_SINGLE_QUOTES
                                                        : HTML_UNQUOTED;
        if (html_attribute_is_text(p->bytes, &attribute, of_element) && is_well_formed(p, &attribute))
            report_unit(p, attribute.value, context);
    }
}

/* Reports the attributes of an element whose contents are left alone. */
static void report_opaque(HtmlParser *p, const HtmlToken *tag, HtmlTranslate says)
{
    if (says != HTML_PROTECT && !is_kept(p)) report_attributes(p, tag);
}

/* Reports an element that contains no text. */
static void report_object(HtmlParser *p, const HtmlToken *tag, size_t end)
{
    if (html_element_is_object(p->bytes, tag))
        document_builder_object(p->builder, tag->name, tag->bytes.begin, end);
    else
        document_builder_empty(p->builder, tag->bytes.begin, end);
}

static void report_inline(HtmlParser *p, const HtmlToken *tag, HtmlElement kind, HtmlTranslate says)
{
    const uint64_t key = html_name_key(p->bytes, tag->name);

    begin_text(p, tag->bytes.begin);
    if (says == HTML_INHERIT ? !is_kept(p) : says != HTML_PROTECT) report_attributes(p, tag);
    if (kind == HTML_VOID_INLINE) {
        report_object(p, tag, tag->bytes.end);
        return;
    }
    document_builder_open(p->builder, key, tag->bytes.begin, tag->bytes.end);
    if (kind == HTML_CODE && says == HTML_INHERIT) says = HTML_PROTECT;
    if (says != HTML_INHERIT && (says == HTML_PROTECT) != is_kept(p) && p->level_count < HTML_KEPT_LEVELS)
        p->levels[p->level_count++] = (KeptLevel){ key, 1, says == HTML_PROTECT };
    else if (p->level_count && p->levels[p->level_count - 1].key == key)
        p->levels[p->level_count - 1].depth++;
    document_builder_keep(p->builder, is_kept(p));
}

/* The language of the document is that of its translation. A document that is protected keeps its own. */
static void report_language(HtmlParser *p, const HtmlToken *tag)
{
    const char *language = document_builder_input(p->builder).options->language;
    HtmlAttribute attribute;

    for (size_t at = tag->attributes; language && html_attribute_next(p->bytes, tag, &at, &attribute);) {
        const Range value = attribute.value;
        const bool is_language =
            html_name_is(p->bytes, attribute.name, "lang") || html_name_is(p->bytes, attribute.name, "xml:lang");
        if (is_language && value.begin < value.end)
            document_builder_language(p->builder, value.begin, value.end, language);
    }
}

static size_t report_token(HtmlParser *p, const HtmlToken *token);

/* Reports a part of the document, which ends all texts. */
static void report_range(HtmlParser *p, size_t begin, size_t end)
{
    const size_t outer = p->end;

    p->end = end;
    for (size_t at = begin; at < end && !document_builder_failed(p->builder);) {
        const HtmlToken token = html_token_read(p->bytes, at, end);
        at = report_token(p, &token);
    }
    end_text(p, end);
    p->end = outer;
}

/* Reports the elements with translate="yes" in a protected one, and returns its end. */
static size_t report_protected(HtmlParser *p, const HtmlToken *tag)
{
    const size_t end = html_extent_end(p->bytes, p->end, tag);

    if (p->depth == HTML_KEPT_LEVELS) return end;
    p->depth++;
    for (size_t at = tag->bytes.end, next; at < end; at = next) {
        const HtmlToken token = html_token_read(p->bytes, at, end);
        next = token.bytes.end;
        if (token.kind != HTML_START) continue;
        if (html_element_kind(p->bytes, token.name) == HTML_RAW) {
            next = html_token_raw_end(p->bytes, next, end, token.name);
        } else if (html_element_translate(p->bytes, &token) == HTML_TRANSLATE) {
            next = html_extent_end(p->bytes, p->end, &token);
            report_range(p, at, next < end ? next : end);
        }
    }
    p->depth--;
    return end;
}

static void close_inline(HtmlParser *p, const HtmlToken *tag)
{
    const uint64_t key = html_name_key(p->bytes, tag->name);
    size_t level = p->level_count;

    while (level && p->levels[level - 1].key != key) level--;
    if (level && !--p->levels[level - 1].depth) p->level_count = level - 1; /* also those in it that are not closed */
    if (!document_builder_is_in_text(p->builder)) return;
    document_builder_close(p->builder, key, tag->bytes.begin, tag->bytes.end);
    document_builder_keep(p->builder, is_kept(p));
}

/* Reports the attributes of an element that is part of a text and contains none. */
static void report_empty(HtmlParser *p, const HtmlToken *tag, const HtmlToken *close)
{
    const size_t end = close->bytes.end;

    begin_text(p, tag->bytes.begin);
    for (HtmlToken token = *tag; token.bytes.end < end; token = html_token_read(p->bytes, token.bytes.end, end))
        if (token.kind == HTML_START && !is_kept(p) && html_element_translate(p->bytes, &token) != HTML_PROTECT)
            report_attributes(p, &token);
    report_object(p, tag, end);
}

/* Reports an element that is part of a text although it might be a block. */
static void report_control(HtmlParser *p, const HtmlToken *tag, const HtmlToken *close, HtmlTranslate says)
{
    const size_t outer = p->inside;

    p->inside = tag->bytes.end;
    report_inline(p, tag, HTML_INLINE, says);
    for (size_t at = tag->bytes.end; at < close->bytes.begin && !document_builder_failed(p->builder);) {
        const HtmlToken token = html_token_read(p->bytes, at, close->bytes.begin);
        at = report_token(p, &token);
    }
    close_inline(p, close);
    p->inside = outer;
}

/* Reports a start tag of XML that is a whole element. */
static void report_whole(HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_kind(p->bytes, tag->name);
    const HtmlTranslate says = html_element_translate(p->bytes, tag);
    const bool may_be_block = kind == HTML_CONTROL || kind == HTML_EMBEDDED;

    if (kind == HTML_INLINE || kind == HTML_CODE ||
        (may_be_block && html_extent_empty_is_in_text(p->bytes, p->end, tag->bytes, p->inside))) {
        report_inline(p, tag, HTML_VOID_INLINE, says);
        return;
    }
    if (kind == HTML_RAW || kind == HTML_PICTURE) {
        report_opaque(p, tag, says);
        return;
    }
    end_text(p, tag->bytes.begin);
    if (says != HTML_PROTECT) report_attributes(p, tag);
}

/* Returns where to go on. */
static size_t report_start(HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_tag_kind(p->bytes, tag);
    const HtmlTranslate says = html_element_translate(p->bytes, tag);
    bool is_empty = false;
    Range contents;
    HtmlToken close;
    size_t end;

    if (p->is_xml && html_extent_is_whole(p->bytes, tag) && kind != HTML_VOID_INLINE &&
        !html_name_is(p->bytes, tag->name, "br")) {
        report_whole(p, tag);
        return tag->bytes.end;
    }
    switch (kind) {
    case HTML_INLINE:
    case HTML_VOID_INLINE:
    case HTML_CODE:
        if (kind == HTML_INLINE && tag->bytes.end < p->end) {
            close = html_token_read(p->bytes, tag->bytes.end, p->end);
            is_empty =
                close.kind == HTML_CLOSE && html_name_key(p->bytes, close.name) == html_name_key(p->bytes, tag->name);
        }
        if (is_empty && html_element_is_object(p->bytes, tag)) {
            report_empty(p, tag, &close);
            return close.bytes.end;
        }
        report_inline(p, tag, kind, says);
        return tag->bytes.end;
    case HTML_CONTROL:
    case HTML_EMBEDDED:
        if (html_extent_is_in_text(p->bytes, p->end, tag, p->inside, &close)) {
            if (kind == HTML_EMBEDDED || close.bytes.begin == tag->bytes.end)
                report_empty(p, tag, &close);
            else
                report_control(p, tag, &close, says);
            return close.bytes.end;
        }
        end_text(p, tag->bytes.begin);
        break;
    case HTML_PICTURE:
        report_opaque(p, tag, says);
        end = html_extent_end(p->bytes, p->end, tag);
        if (document_builder_is_in_text(p->builder)) report_object(p, tag, end);
        return end;
    case HTML_RAW:
        report_opaque(p, tag, says);
        return html_token_raw_end(p->bytes, tag->bytes.end, p->end, tag->name);
    default:
        if (html_name_is(p->bytes, tag->name, "br")) {
            report_opaque(p, tag, says);
            if (!document_builder_is_in_text(p->builder)) return tag->bytes.end;
            document_builder_keep(p->builder, false);
            document_builder_line_end(p->builder, tag->bytes.begin, tag->bytes.end);
            document_builder_keep(p->builder, is_kept(p));
            return tag->bytes.end;
        }
        end_text(p, tag->bytes.begin);
    }
    if (says == HTML_PROTECT) return report_protected(p, tag);
    if (html_name_is(p->bytes, tag->name, "html")) report_language(p, tag);
    report_attributes(p, tag);
    if (kind == HTML_PREFORMATTED) return html_extent_end(p->bytes, p->end, tag);
    if (kind != HTML_RCDATA) return tag->bytes.end;
    contents = (Range){ tag->bytes.end, html_token_raw_end(p->bytes, tag->bytes.end, p->end, tag->name) };
    report_unit(p, contents, html_name_is(p->bytes, tag->name, "textarea") ? HTML_IN_LINES : HTML_IN_RCDATA);
    return contents.end;
}

/* Reports the text between tags. Statements of Angular, with white space around them, begin it, or end blocks in it;
 * they end the unit, because their order must stay. Braces in the text that belong together, as in {{ x }}, are
 * passed. */
static void report_texts(HtmlParser *p, Range range)
{
    for (size_t at = range.begin, next; at < range.end && !document_builder_failed(p->builder); at = next) {
        size_t depth = 0;
        for (size_t begin = skip_space(p->bytes, at, range.end);; begin = skip_space(p->bytes, at, range.end)) {
            next = statement_end(p->bytes, begin, range.end, &p->blocks);
            if (next == begin) break;
            end_unit(p, begin);
            at = next;
        }
        for (next = p->blocks ? at : range.end; next < range.end; next++) {
            if (p->bytes[next] == '{') depth++;
            if (p->bytes[next] == '}' && !depth--) break;
        }
        begin_text(p, at);
        report_text(p, at, next, HTML_IN_TEXT);
    }
}

static size_t report_token(HtmlParser *p, const HtmlToken *token)
{
    switch (token->kind) {
    case HTML_TEXT:
        report_texts(p, token->bytes);
        return token->bytes.end;
    case HTML_START:
        return report_start(p, token);
    case HTML_OPAQUE: /* an empty element, if it is in a text */
        return token->bytes.end;
    default:
        break;
    }
    switch (html_element_kind(p->bytes, token->name)) { /* of an end tag */
    case HTML_BLOCK:
    case HTML_CONTROL:
    case HTML_EMBEDDED:
    case HTML_PREFORMATTED:
    case HTML_RCDATA:
        end_text(p, token->bytes.begin);
        break;
    default:
        close_inline(p, token);
    }
    return token->bytes.end;
}

void html_units_add(DocumentBuilder *builder, size_t begin, size_t end, bool is_xml)
{
    HtmlParser p = { .builder = builder, .bytes = document_builder_input(builder).bytes, .is_xml = is_xml };

    report_range(&p, begin, end);
}

void html_units_add_attributes(DocumentBuilder *builder, const HtmlToken *tag)
{
    HtmlParser p = { .builder = builder, .bytes = document_builder_input(builder).bytes, .end = tag->bytes.end };

    report_attributes(&p, tag);
}

/* Whether the document says before the end of its first start tag that it is XHTML. It need not be well-formed, and may
 * be read as HTML by browsers: then nobody writes a <script/> in it, after which they would find no text. */
static bool is_xhtml(const BuilderInput *input)
{
    const char *bytes = input->bytes;
    HtmlToken token = { .bytes = { input->begin, input->begin } };
    HtmlAttribute attribute;

    while (token.kind != HTML_START && token.bytes.end < input->end) {
        size_t at;
        token = html_token_read(bytes, token.bytes.end, input->end);
        at = token.bytes.begin;
        if (token.kind != HTML_OPAQUE || token.bytes.end - at < sizeof "//DTD XHTML " - 1) continue;
        if (chars_begin(bytes, at, token.bytes.end, "<?xml")) return true;
        if (bytes[at + 1] == '!' && bytes[at + 2] != '-' && /* an XHTML doctype */
            chars_after(bytes, at, token.bytes.end, "//DTD XHTML ", 0))
            return true;
    }
    for (size_t at = token.attributes; token.kind == HTML_START && html_attribute_next(bytes, &token, &at, &attribute);)
        if (html_name_is(bytes, attribute.name, "xmlns"))
            return html_name_is(bytes, attribute.value, "http://www.w3.org/1999/xhtml");
    return false;
}

static void parse_html(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);

    html_units_add(builder, input.begin, input.end, is_xhtml(&input));
}

const DocumentFormat document_html = { .name = "html",
                                       .endings = ".html .htm .xhtml",
                                       .parse = parse_html,
                                       .spelling = &html_spelling,
                                       .bilingual = BILINGUAL_COLUMNS,
                                       .find_encoding = find_encoding };
