/* document_html.c - HTML and XHTML. A unit is a text that is translated at once: the text of a block element, the part
 * of it between other blocks and line breaks (<br>), or an attribute that users read. Malformed HTML needs no tree: the
 * name of a tag alone says whether the tag ends a text, and the builder takes care of unbalanced tags. */
#include "html.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <unicode/uloc.h>

#include "document_encoding.h"
#include "front_matter.h"
#include "utf8.h"

/* --- The statements of Angular in the text of HTML: @if (x) {, } @else {, @let x = 1; and }. */

/* The greatest length of a condition in parentheses; what is longer is read as text. */
#define LONGEST_CONDITION ((size_t)2000)

/* Returns the byte after the parentheses at byte `at`, or `at` if there are none. Skips parentheses in quotes. */
static size_t condition_end(const char *bytes, size_t at, size_t end)
{
    size_t depth = 0;
    char quote = 0;

    if (at == end || bytes[at] != '(') return at;
    end = chars_limit(at, end, LONGEST_CONDITION);
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

/* Returns the end of the statement at byte `at` <= end, @name (condition) {, @let or }, or `at` if there is none.
 * Updates *blocks, the number of open blocks; if it is 0, } is text. */
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
    if (html_name_is_in(bytes, name, "let")) { /* @let name = value; */
        const size_t begin = html_skip_space(bytes, i, end);
        end = chars_limit(at, end, LONGEST_CONDITION);
        for (i = begin; i < end && (char_is_alphanumeric(bytes[i]) || bytes[i] == '_' || bytes[i] == '$');) i++;
        if (i == begin) return at;
        i = html_skip_space(bytes, i, end);
        return i < end && bytes[i] == '=' ? chars_after(bytes, i, end, ";", at) : at;
    }
    needs_condition = html_name_is_in(bytes, name, "if for switch case");
    if (!needs_condition && !html_name_is_in(bytes, name, "else default defer empty placeholder loading error"))
        return at;
    i = html_skip_space(bytes, i, end);
    if (html_name_is_in(bytes, name, "else") && end - i > 2 && chars_begin(bytes, i, end, "if")) {
        i = html_skip_space(bytes, i + 2, end);
        needs_condition = true;
    }
    after = condition_end(bytes, i, end);
    if (needs_condition && after == i) return at;
    i = html_skip_space(bytes, after, end);
    if (i == end || bytes[i] != '{' || (i + 1 < end && bytes[i + 1] == '{')) return at;
    ++*blocks;
    return i + 1;
}

/* --- The encoding that an HTML document declares. */

/* Browsers first look for a declaration in this many bytes at the beginning of the document. */
#define SCANNED_BYTES ((size_t)1024)

/* Names of encodings, and the ICU name of the encoding with which browsers read such documents. It often has more
 * characters: windows-1252 for iso-8859-1 (Encoding standard). */
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
    char quote = '\0';

    for (;; at++) {
        if (at >= content.end) return;
        if (!chars_begin_case(bytes, at, content.end, "charset")) continue;
        at = html_skip_space(bytes, at + sizeof "charset" - 1, content.end);
        if (at < content.end && bytes[at] == '=') break;
        at--;
    }
    at = html_skip_space(bytes, at + 1, content.end);
    if (at < content.end && (bytes[at] == '"' || bytes[at] == '\'')) quote = bytes[at++];
    for (end = at; end < content.end; end++)
        if (quote ? bytes[end] == quote : html_is_space(bytes[end]) || bytes[end] == ';') break;
    if (!quote || end < content.end) text_encoding_set_name(name, bytes + at, end - at);
}

static void find_in_tag(const char *bytes, const HtmlToken *tag, char name[ENCODING_NAME])
{
    char in_content[ENCODING_NAME] = "";
    HtmlAttribute attribute;
    bool is_type = false;

    for (size_t at = tag->attributes; html_attribute_read(bytes, &at, tag->bytes.end, &attribute);) {
        const Range value = attribute.value;
        if (html_name_is_in(bytes, attribute.name, "charset"))
            text_encoding_set_name(name, bytes + value.begin, value.end - value.begin);
        else if (html_name_is_in(bytes, attribute.name, "http-equiv"))
            is_type = html_name_is_in(bytes, value, "content-type");
        else if (html_name_is_in(bytes, attribute.name, "content"))
            find_in_content(bytes, value, in_content);
    }
    if (!*name && is_type) memcpy(name, in_content, ENCODING_NAME);
}

/* Finds the encoding in the first <meta> that declares one. `is_read`: ignores <meta> in the text of a script and the
 * like, as browsers do when they read the document. When they scan the first bytes, they do not ignore it. */
static void find_in_tags(const char *bytes, size_t end, bool is_read, char name[ENCODING_NAME])
{
    for (size_t at = 0; at < end && !*name;) {
        const HtmlToken token = html_token_read(bytes, at, end);
        at = token.bytes.end;
        if (token.kind != HTML_START) continue;
        if (html_name_is_in(bytes, token.name, "meta")) {
            find_in_tag(bytes, &token, name);
        } else if (is_read) {
            const HtmlElement kind = html_element_kind(bytes, token.name);
            if (kind == HTML_RAW || kind == HTML_RCDATA) at = html_raw_end(bytes, at, end, token.name);
        }
    }
}

/* Finds the encoding that the document declares, in this order:
 * - in the first 1024 bytes, <meta charset="..."> or <meta http-equiv="Content-Type" content="...; charset=..."> (HTML
 *   standard, 13.2.3.2 "prescan a byte stream");
 * - an XML declaration;
 * - such a <meta> anywhere (13.2.3.4 "changing the encoding while parsing"), unless other characters than ASCII show
 *   that the document is UTF-8.
 * Sets `name` to the encoding that browsers use for it, such as windows-1252 for ISO-8859-1; "": none is declared. */
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

/* Whether a character must be written as a reference in this context. XML allows no < in an attribute's value. */
static bool is_special_html(unsigned context, uint32_t code)
{
    switch (context) {
    case HTML_IN_DOUBLE_QUOTES:
        return code == '&' || code == '<' || code == '"';
    case HTML_IN_SINGLE_QUOTES:
        return code == '&' || code == '<' || code == '\'';
    case HTML_UNQUOTED:
        return code < 128 && char_is_among((char)code, "&\"'<>=` \t\f");
    default:
        return code == '&' || code == '<' || code == '>';
    }
}

size_t html_spell(uint32_t code, const SpellingPlace *place, char *out)
{
    static const char *const names[] = { ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;" };

    (void)place;
    if (code < sizeof names / sizeof *names && names[code]) return spelling_copy(names[code], out);
    return (size_t)snprintf(out, SPELLING_BYTES, "&#%02u;", (unsigned)code);
}

static bool keeps_html(const char *spelling, size_t length, const SpellingPlace *place)
{
    const char next = place->after_length ? *place->after : '\0';
    char joined[SPELLING_AHEAD + 64], out[HTML_ENTITY_BYTES];
    size_t size, read;

    if (*spelling == '&' && length > 64) return true; /* many leading zeros */
    if (*spelling == '&') {                           /* must still be read as & together with the next bytes */
        memcpy(joined, spelling, length);
        if (place->after_length) memcpy(joined + length, place->after, place->after_length);
        read =
            html_entity_read(joined, length + place->after_length, place->context >= HTML_IN_DOUBLE_QUOTES, out, &size);
        return read == (length > 1 ? length : 0);
    }
    if (*spelling == '<' && place->context <= HTML_IN_SVG) return !html_follows_mark(next);
    if (*spelling == '<' && place->context < HTML_IN_DOUBLE_QUOTES) return next != '/';
    if (place->context == HTML_UNQUOTED) return !strchr("> \t\f\"'", *spelling);
    return true;
}

const SpellingRules html_spelling = {
    .is_special = is_special_html, .spell = html_spell, .keeps = keeps_html, .refer = html_spell
};

/* --- Where an element of HTML ends, with or without an end tag. */

/* A longer HTML_CONTROL, or one with more tags and texts in it, is a block. These limits keep the time linear. */
#define LONGEST_CONTROL ((size_t)1000)
#define CONTROL_PARTS   ((size_t)16)

/* HTML standard, 13.1.2.4 "Optional tags": an element in `names` without an end tag ends before a start tag in `starts`
 * or an end tag in `ends`, unless that tag is in a nested element in `inner`. Names are separated by spaces. */
static const struct {
    const char *names, *starts, *ends, *inner;
} optional_ends[] = {
    { "li", "li", "ul ol menu", "ul ol menu" },
    { "dt dd", "dt dd", "dl", "dl" },
    { "p",
      "address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
      "header hgroup hr li main menu nav ol p pre search section table ul",
      "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hgroup "
      "html li main menu nav ol search section table tbody td tfoot th thead tr ul",
      "" },
    { "td th", "td th tr tbody tfoot thead", "table tr tbody tfoot thead", "table" },
    { "tr", "tr tbody tfoot thead", "table tbody tfoot thead", "table" },
    { "tbody tfoot thead", "tbody tfoot thead", "table", "table" },
    { "option", "option optgroup", "select datalist optgroup", "" },
    { "optgroup", "optgroup", "select", "" },
    { "rp rt rtc", "rb rp rt rtc ruby div h1 h2 h3 h4 h5 h6 li ol p table td th tr ul",
      "ruby body div h1 h2 h3 h4 h5 h6 html li ol p table td th tr ul", "" },
};

#define OPTIONAL_ENDS (sizeof optional_ends / sizeof *optional_ends)

/* Returns the end of the element that begins with the tag: after its end tag; or, for elements that may lack one (<li>,
 * <p>, <td> ...), before the tag that implies it. If there is neither, returns `end`, the end of the document. */
static size_t element_end(const char *bytes, size_t end, const HtmlToken *tag)
{
    const uint64_t key = html_name_key(bytes, tag->name);
    size_t at = tag->bytes.end, row = 0, depth = 1; /* `depth`: number of open elements with this name */
    size_t inner = 0;                               /* number of open elements in optional_ends[row].inner */

    if (html_extent_is_tag(bytes, tag)) return at;
    while (row < OPTIONAL_ENDS && !html_name_is_in(bytes, tag->name, optional_ends[row].names)) row++;
    while (at < end && depth) {
        const HtmlToken token = html_token_read(bytes, at, end);
        const bool is_start = token.kind == HTML_START;
        if ((is_start || token.kind == HTML_CLOSE) && row < OPTIONAL_ENDS) {
            const char *ends = is_start ? optional_ends[row].starts : optional_ends[row].ends;
            if (!inner && html_name_is_in(bytes, token.name, ends)) return at;
            if (html_name_is_in(bytes, token.name, optional_ends[row].inner)) inner += is_start ? 1 : (size_t)-1;
        }
        if ((is_start || token.kind == HTML_CLOSE) && html_name_key(bytes, token.name) == key && !inner &&
            !html_extent_is_tag(bytes, &token))
            depth += is_start ? 1 : (size_t)-1;
        at = token.bytes.end;
        if (is_start && html_element_kind(bytes, token.name) == HTML_RAW) at = html_raw_end(bytes, at, end, token.name);
    }
    return at;
}

/* Whether the start tag is a whole element in XML: it ends in />, and the slash is not part of a value without quotes,
 * as in <a href=x/>. */
static bool is_whole(const char *bytes, const HtmlToken *tag)
{
    const size_t slash = tag->bytes.end - 2;
    size_t at = tag->attributes;
    HtmlAttribute attribute;

    if (bytes[slash] != '/') return false;
    while (html_attribute_read(bytes, &at, tag->bytes.end, &attribute))
        if (!attribute.quote && attribute.value.begin <= slash && slash < attribute.value.end) return false;
    return true;
}

/* Whether only white space is between a range and text before or after it, or the range is the whole contents of a
 * control, which begin at `inside`. A brace next to the range belongs to a template's tag, not to text. */
static bool touches_text(const char *bytes, size_t end, Range range, size_t inside)
{
    while (range.begin && html_is_space(bytes[range.begin - 1])) range.begin--;
    range.end = html_skip_space(bytes, range.end, end);
    if (range.begin && !strchr(">}", bytes[range.begin - 1])) return true;
    if (range.end == end) return false;
    if (!strchr("<{", bytes[range.end])) return true;
    return range.begin == inside && range.end + 1 < end && bytes[range.end + 1] == '/';
}

/* Whether an empty HTML_CONTROL or HTML_EMBEDDED is a part of a text: it must touch text. It is no part if it separates
 * two words without white space, as in Home<my-separator></my-separator>Products. */
static bool is_empty_in_text(const char *bytes, size_t end, Range range, size_t inside)
{
    char before, after;

    if (!touches_text(bytes, end, range, inside)) return false;
    if (!range.begin || range.end == end) return true;
    before = bytes[range.begin - 1];
    after = bytes[range.end];
    return html_is_space(before) || strchr(">}([;", before) || html_is_space(after) || strchr("<{)].,;:!?&", after);
}

/* The limits of a walk through the contents of nested controls. */
typedef struct {
    const char *bytes;
    size_t end, parts; /* where the walk must end, and how many more tags and texts may be read */
} ControlWalk;

static bool find_in_text(ControlWalk *w, const HtmlToken *tag, size_t inside, HtmlToken *close);

/* Returns the end of `part`, a part of the contents of `tag`, if it may be inside a text; otherwise its beginning. */
static size_t end_in_text(ControlWalk *w, const HtmlToken *part, const HtmlToken *tag)
{
    const bool has_text = html_element_kind(w->bytes, tag->name) != HTML_EMBEDDED;
    size_t at = part->bytes.begin;
    HtmlToken close;

    if (part->kind == HTML_OPAQUE) return part->bytes.end;
    if (part->kind == HTML_TEXT) {
        at = html_skip_space(w->bytes, at, part->bytes.end);
        return has_text || at == part->bytes.end ? part->bytes.end : part->bytes.begin;
    }
    switch (html_element_kind(w->bytes, part->name)) {
    case HTML_INLINE:
    case HTML_VOID_INLINE:
    case HTML_CODE:
        return part->bytes.end;
    case HTML_PICTURE:
        return part->kind == HTML_START ? element_end(w->bytes, w->end, part) : part->bytes.end;
    case HTML_CONTROL:
        if (part->kind == HTML_CLOSE || !has_text) return part->bytes.begin;
        return find_in_text(w, part, tag->bytes.end, &close) ? close.bytes.end : part->bytes.begin;
    default:
        return part->bytes.begin;
    }
}

/* Like is_empty_in_text(), for an element that has contents or an end tag. It must also be short and contain no block.
 * Sets *close to its end tag. */
static bool find_in_text(ControlWalk *w, const HtmlToken *tag, size_t inside, HtmlToken *close)
{
    const uint64_t key = html_name_key(w->bytes, tag->name);

    for (size_t at = tag->bytes.end, next; at < w->end && w->parts; at = next) {
        w->parts--;
        *close = html_token_read(w->bytes, at, w->end);
        if (close->kind == HTML_CLOSE && html_name_key(w->bytes, close->name) == key) {
            const Range range = { tag->bytes.begin, close->bytes.end };
            return at == tag->bytes.end ? is_empty_in_text(w->bytes, w->end, range, inside)
                                        : touches_text(w->bytes, w->end, range, inside);
        }
        next = end_in_text(w, close, tag);
        if (next == at) return false;
    }
    return false;
}

/* --- The parser. */

/* The most nested elements that change whether text is kept, that is, not translated; deeper ones are ignored. */
#define HTML_KEPT_LEVELS 16

/* An open inline element that says by its name or its attribute `translate` whether its contents are kept. The
 * innermost of these elements decides. */
typedef struct {
    uint64_t key; /* html_name_key() of the element */
    size_t depth; /* number of open elements with this key */
    bool is_kept;
} KeptLevel;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    KeptLevel levels[HTML_KEPT_LEVELS]; /* [level_count] */
    size_t level_count;
    size_t depth;   /* number of open protected elements that contain elements to translate */
    size_t blocks;  /* number of open blocks of Angular */
    size_t inside;  /* where the contents of the current control begin; 0: not inside a control */
    bool in_text;   /* this parser has begun a text; around <svg>, another parser may have begun one */
    bool in_svg;    /* reads the contents of <svg> */
    bool in_option; /* in the text of <option> */
    bool is_xml;    /* <title/> is a whole element, without an end tag */
} HtmlParser;

/* Reports text: characters, and runs of white space. {{ x }} and <%= x %> insert a part of the sentence, so they are
 * kept as text; {% ... %} and <? ... ?> become empty elements. */
static void report_text(HtmlParser *p, size_t at, size_t end, unsigned context)
{
    const char *bytes = p->bytes;
    const bool has_tags = context != HTML_IN_RCDATA && context != HTML_IN_LINES;
    char text[HTML_ENTITY_BYTES];

    for (size_t next; at < end && !document_builder_failed(p->builder); at = next) {
        const bool is_entity = bytes[at] == '&';
        size_t size, length = is_entity ? html_entity_read(bytes + at, p->end - at, context >= HTML_IN_DOUBLE_QUOTES,
                                                           text, &size)
                                        : 0;
        const bool is_template = chars_begin(bytes, at, end, "{%") || chars_begin(bytes, at, end, "<?");
        next = at + 1;
        if (html_is_space(bytes[at]) && context != HTML_IN_LINES) {
            next = html_skip_space(bytes, next, end);
            document_builder_space(p->builder, at, next);
        } else if (length && at + length <= end) {
            next = at + length;
            document_builder_spelled(p->builder, text, size, at, next);
        } else if (is_template && html_template_end(bytes, at, end, NULL) > at) {
            next = html_template_end(bytes, at, end, NULL);
            document_builder_empty(p->builder, at, next);
        } else if (!has_tags && chars_begin(bytes, at, end, "</")) {
            document_builder_empty(p->builder, at, ++next);
        } else {
            while (!is_entity && next < end && !html_is_space(bytes[next]) && !strchr("&{<", bytes[next])) next++;
            document_builder_plain(p->builder, at, next);
        }
    }
}

/* Whether --skip names the element. */
static bool is_skipped(const HtmlParser *p, const HtmlToken *tag)
{
    const DocumentOptions *options = document_builder_input(p->builder).options;

    for (size_t i = 0; i < options->skip_count; i++)
        if (!strchr(options->skips[i], ' ') && html_name_is_in(p->bytes, tag->name, options->skips[i])) return true;
    return false;
}

/* Whether the element says that it is translated, or --skip that it is not. */
static HtmlTranslate says_translate(const HtmlParser *p, const HtmlToken *tag)
{
    return is_skipped(p, tag) ? HTML_PROTECT : html_element_translate(p->bytes, tag);
}

/* The blocks that HTML knows. */
static const char blocks[] =
    "address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main "
    "menu meta nav ol optgroup option p search section select summary table tbody td template tfoot th thead tr ul";

/* Like html_element_tag_kind(), but an element that --skip names and HTML does not know may be a part of a text, and an
 * <svg> in another one is a block. */
static HtmlElement find_kind(const HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_tag_kind(p->bytes, tag);

    if (p->in_svg && html_name_is_in(p->bytes, tag->name, "svg")) return HTML_BLOCK;
    return kind == HTML_BLOCK && is_skipped(p, tag) && !html_name_is_in(p->bytes, tag->name, blocks) ? HTML_CONTROL
                                                                                                     : kind;
}

static bool is_kept(const HtmlParser *p)
{
    return p->level_count && p->levels[p->level_count - 1].is_kept;
}

static void begin_text(HtmlParser *p, size_t at)
{
    if (p->in_text) return;
    p->in_text = true;
    document_builder_begin(p->builder, p->in_svg || p->in_option ? HTML_IN_SVG : HTML_IN_TEXT, at);
    if (is_kept(p)) document_builder_keep(p->builder, true);
}

static void end_unit(HtmlParser *p, size_t at)
{
    if (p->in_text) document_builder_end_unit(p->builder, at);
    p->in_text = false;
}

/* Ends the text. Forgets the open inline elements in it: some have no end tag. */
static void end_text(HtmlParser *p, size_t at)
{
    end_unit(p, at);
    p->level_count = 0;
}

/* Reports a whole unit: the value of an attribute, or the contents of an element without tags in it (<title>). */
static void report_unit(HtmlParser *p, Range range, unsigned context)
{
    document_builder_begin(p->builder, context, range.begin);
    report_text(p, range.begin, range.end, context);
    document_builder_end_unit(p->builder, range.end);
}

/* Whether all programs find the same end of an attribute's value: a value without quotes around it contains no quotes,
 * and each template tag that begins in the value ends in it. */
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

/* Reports the attributes of a tag that users read. Scripts and style sheets have no such attributes: the title of a
 * style sheet names a set of style sheets. */
static void report_attributes(HtmlParser *p, const HtmlToken *tag)
{
    static const char names[] =
        "alt title placeholder aria-label aria-description aria-placeholder aria-roledescription "
        "aria-valuetext";
    const char *of_element = html_attribute_of_text(p->bytes, tag);
    HtmlAttribute attribute;

    if (html_name_is_in(p->bytes, tag->name, "script style") ||
        (html_name_is_in(p->bytes, tag->name, "link") && html_attribute_has_word(p->bytes, tag, "rel", "stylesheet")))
        return;
    for (size_t at = tag->attributes; html_attribute_read(p->bytes, &at, tag->bytes.end, &attribute);) {
        const unsigned context = attribute.quote == '"' ? HTML_IN_DOUBLE_QUOTES
                                 : attribute.quote      ? HTML_IN_SINGLE_QUOTES
                                                        : HTML_UNQUOTED;
        const bool is_text =
            html_name_is_in(p->bytes, attribute.name, names) || html_name_is_in(p->bytes, attribute.name, of_element);
        if (is_text && is_well_formed(p, &attribute)) report_unit(p, attribute.value, context);
    }
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

/* Replaces the language and the direction of text in <html> or <body> by those of the translation, unless the document
 * is protected. Without a direction, a page is read from left to right. */
static void report_language(HtmlParser *p, const HtmlToken *tag)
{
    const char *language = document_builder_input(p->builder).options->language;
    const bool is_leftward = language && uloc_isRightToLeft(language);
    bool has_direction = false;
    HtmlAttribute attribute;

    for (size_t at = tag->attributes; language && html_attribute_read(p->bytes, &at, tag->bytes.end, &attribute);) {
        const Range value = attribute.value;
        if (html_name_is_in(p->bytes, attribute.name, "lang xml:lang") && value.begin < value.end)
            document_builder_language(p->builder, value.begin, value.end, language);
        if (!html_name_is_in(p->bytes, attribute.name, "dir")) continue;
        has_direction = true;
        if (html_name_is_in(p->bytes, value, is_leftward ? "ltr" : "rtl"))
            document_builder_label(p->builder, value.begin, value.end, is_leftward ? "rtl" : "ltr");
    }
    if (is_leftward && !has_direction && html_name_is_in(p->bytes, tag->name, "html"))
        document_builder_label(p->builder, tag->name.end, tag->name.end, " dir=\"rtl\"");
}

static size_t report_token(HtmlParser *p, const HtmlToken *token);

/* Reports the tokens of a part of the document. */
static void report_tokens(HtmlParser *p, size_t at, size_t end)
{
    while (at < end && !document_builder_failed(p->builder)) {
        const HtmlToken token = html_token_read(p->bytes, at, end);
        at = report_token(p, &token);
    }
}

/* Reports the bytes [begin, end). A text that is still open at `end` ends there. */
static void report_range(HtmlParser *p, size_t begin, size_t end)
{
    const size_t outer = p->end;

    p->end = end;
    report_tokens(p, begin, end);
    end_text(p, end);
    p->end = outer;
}

/* For a protected element: reports only the elements with translate="yes" in it. Returns its end. */
static size_t report_protected(HtmlParser *p, const HtmlToken *tag)
{
    const size_t end = element_end(p->bytes, p->end, tag);

    if (p->depth == HTML_KEPT_LEVELS) return end;
    p->depth++;
    for (size_t at = tag->bytes.end, next; at < end; at = next) {
        const HtmlToken token = html_token_read(p->bytes, at, end);
        next = token.bytes.end;
        if (token.kind != HTML_START) continue;
        if (html_element_kind(p->bytes, token.name) == HTML_RAW) {
            next = html_raw_end(p->bytes, next, end, token.name);
        } else if (says_translate(p, &token) == HTML_TRANSLATE) {
            next = element_end(p->bytes, end, &token);
            report_range(p, at, next);
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
    if (level && !--p->levels[level - 1].depth) p->level_count = level - 1; /* also ends unclosed elements in it */
    if (!p->in_text) return;
    document_builder_close(p->builder, key, tag->bytes.begin, tag->bytes.end);
    document_builder_keep(p->builder, is_kept(p));
}

/* Reports a line break in a text. */
static void report_break(HtmlParser *p, size_t begin, size_t end)
{
    document_builder_keep(p->builder, false);
    document_builder_separate(p->builder, begin, end, BREAK_HARD);
    document_builder_keep(p->builder, is_kept(p));
}

/* --- SVG in HTML. */

/* Reports the texts in the contents of <svg>. The text around <svg> may be open. A tag that ends in /> is a whole
 * element there, as in XML. */
static void report_svg(const HtmlParser *p, size_t begin, size_t end)
{
    HtmlParser inner = { .builder = p->builder, .bytes = p->bytes, .in_svg = true, .is_xml = true };

    report_range(&inner, begin, end);
}

/* Whether the tag begins a line of a text: a <tspan> that has a position. */
static bool begins_line(const HtmlParser *p, const HtmlToken *tag)
{
    return tag->kind == HTML_START && html_name_is_in(p->bytes, tag->name, "tspan") &&
           html_attribute_has_word(p->bytes, tag, "x", "*");
}

/* If a line follows the end tag of <tspan>, reports the tags between the two lines as a line break, and returns its
 * end; otherwise returns where the end tag begins. */
static size_t report_line_break(HtmlParser *p, const HtmlToken *close)
{
    const size_t at = html_skip_space(p->bytes, close->bytes.end, p->end);
    HtmlToken next;

    if (!p->in_text || at == p->end || !html_name_is_in(p->bytes, close->name, "tspan")) return close->bytes.begin;
    next = html_token_read(p->bytes, at, p->end);
    if (!begins_line(p, &next)) return close->bytes.begin;
    report_break(p, close->bytes.begin, next.bytes.end);
    return next.bytes.end;
}

/* --- Elements. */

/* Reports an element that is part of a text and contains no text, with the attributes of its tags. */
static void report_empty(HtmlParser *p, const HtmlToken *tag, const HtmlToken *close)
{
    const size_t end = close->bytes.end;

    begin_text(p, tag->bytes.begin);
    for (HtmlToken token = *tag; token.bytes.end < end; token = html_token_read(p->bytes, token.bytes.end, end))
        if (token.kind == HTML_START && !is_kept(p) && says_translate(p, &token) != HTML_PROTECT)
            report_attributes(p, &token);
    report_object(p, tag, end);
}

/* Reports a start tag that is a whole element in XHTML, such as <span/>. */
static void report_whole(HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_kind(p->bytes, tag->name);
    const HtmlTranslate says = says_translate(p, tag);
    const bool may_be_block = kind == HTML_CONTROL || kind == HTML_EMBEDDED;

    if (kind == HTML_INLINE || kind == HTML_CODE ||
        (may_be_block && is_empty_in_text(p->bytes, p->end, tag->bytes, p->inside))) {
        report_inline(p, tag, HTML_VOID_INLINE, says);
        return;
    }
    if (kind != HTML_RAW && kind != HTML_PICTURE)
        end_text(p, tag->bytes.begin);
    else if (is_kept(p))
        return;
    if (says != HTML_PROTECT) report_attributes(p, tag);
}

/* The search for the end of an inline element ends here, so that it takes linear time. */
#define LONGEST_INLINE ((size_t)4000)

/* Whether an inline element that is not translated has a block in it, such as a link around a heading. An element
 * without an end tag has none. */
static bool protects_block(const HtmlParser *p, const HtmlToken *tag, HtmlElement kind, HtmlTranslate says)
{
    const bool is_code = kind == HTML_CODE && says == HTML_INHERIT;
    const size_t limit = chars_limit(tag->bytes.end, p->end, LONGEST_INLINE);
    const uint64_t key = html_name_key(p->bytes, tag->name);
    bool has_block = false;
    size_t depth = 1;

    if (kind == HTML_VOID_INLINE || (says != HTML_PROTECT && !is_code) || is_kept(p)) return false;
    for (size_t at = tag->bytes.end; at < limit && depth;) {
        const HtmlToken token = html_token_read(p->bytes, at, limit);
        const bool is_same = token.kind != HTML_OPAQUE && html_name_key(p->bytes, token.name) == key;
        at = token.bytes.end;
        depth += token.kind == HTML_START && is_same;
        depth -= token.kind == HTML_CLOSE && is_same;
        has_block |= token.kind == HTML_START && html_name_is_in(p->bytes, token.name, blocks) &&
                     !html_name_is_in(p->bytes, token.name, "br");
    }
    return !depth && has_block;
}

/* Reports a start tag, and returns the byte from which to continue. */
static size_t report_start(HtmlParser *p, const HtmlToken *tag)
{
    const HtmlElement kind = find_kind(p, tag);
    const HtmlTranslate says = says_translate(p, tag);
    const bool is_br = html_name_is_in(p->bytes, tag->name, "br");
    const size_t outer = p->inside;
    ControlWalk walk;
    Range contents;
    HtmlToken close;
    size_t end;

    if (p->is_xml && is_whole(p->bytes, tag) && kind != HTML_VOID_INLINE && !is_br) {
        report_whole(p, tag);
        return tag->bytes.end;
    }
    if ((kind == HTML_PICTURE || kind == HTML_RAW || is_br) && says != HTML_PROTECT && !is_kept(p))
        report_attributes(p, tag);
    switch (kind) {
    case HTML_INLINE:
    case HTML_VOID_INLINE:
    case HTML_CODE:
        if (kind == HTML_INLINE && tag->bytes.end < p->end) {
            close = html_token_read(p->bytes, tag->bytes.end, p->end);
            if (close.kind == HTML_CLOSE && html_name_key(p->bytes, close.name) == html_name_key(p->bytes, tag->name) &&
                html_element_is_object(p->bytes, tag)) {
                report_empty(p, tag, &close);
                return close.bytes.end;
            }
        }
        if (protects_block(p, tag, kind, says)) {
            end_text(p, tag->bytes.begin);
            return report_protected(p, tag);
        }
        if (begins_line(p, tag)) end_unit(p, tag->bytes.begin);
        report_inline(p, tag, kind, says);
        return tag->bytes.end;
    case HTML_CONTROL:
    case HTML_EMBEDDED:
        walk = (ControlWalk){ p->bytes, chars_limit(tag->bytes.end, p->end, LONGEST_CONTROL), CONTROL_PARTS };
        if (find_in_text(&walk, tag, p->inside, &close)) {
            if (kind == HTML_EMBEDDED || close.bytes.begin == tag->bytes.end) {
                report_empty(p, tag, &close);
                return close.bytes.end;
            }
            p->inside = tag->bytes.end;
            report_inline(p, tag, HTML_INLINE, says);
            report_tokens(p, tag->bytes.end, close.bytes.begin);
            close_inline(p, &close);
            p->inside = outer;
            return close.bytes.end;
        }
        end_text(p, tag->bytes.begin);
        break;
    case HTML_PICTURE:
        end = element_end(p->bytes, p->end, tag);
        if (html_name_is_in(p->bytes, tag->name, "svg") && says != HTML_PROTECT && !is_kept(p))
            report_svg(p, tag->bytes.end, end);
        if (p->in_text) report_object(p, tag, end);
        return end;
    case HTML_RAW:
        return html_raw_end(p->bytes, tag->bytes.end, p->end, tag->name);
    default:
        if (is_br) {
            if (!p->in_text) return tag->bytes.end;
            report_break(p, tag->bytes.begin, tag->bytes.end);
            return tag->bytes.end;
        }
        end_text(p, tag->bytes.begin);
    }
    if (says == HTML_PROTECT) return report_protected(p, tag);
    p->in_option = html_name_is_in(p->bytes, tag->name, "option");
    if (html_name_is_in(p->bytes, tag->name, "html body")) report_language(p, tag);
    report_attributes(p, tag);
    if (kind == HTML_PREFORMATTED) return element_end(p->bytes, p->end, tag);
    if (kind != HTML_RCDATA) return tag->bytes.end;
    contents = (Range){ tag->bytes.end, html_raw_end(p->bytes, tag->bytes.end, p->end, tag->name) };
    report_unit(p, contents, html_name_is_in(p->bytes, tag->name, "textarea") ? HTML_IN_LINES : HTML_IN_RCDATA);
    return contents.end;
}

/* Reports the text between tags. Statements of Angular at its beginning, and the } that end their blocks, end the unit,
 * because their order must not change. Pairs of braces in the text, as in {{ x }}, are skipped. */
static void report_texts(HtmlParser *p, Range range)
{
    for (size_t at = range.begin, next; at < range.end && !document_builder_failed(p->builder); at = next) {
        size_t depth = 0;
        for (size_t begin = html_skip_space(p->bytes, at, range.end);;
             begin = html_skip_space(p->bytes, at, range.end)) {
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
    size_t end;

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
    switch (html_element_kind(p->bytes, token->name)) { /* token is an end tag */
    case HTML_BLOCK:
    case HTML_CONTROL:
    case HTML_EMBEDDED:
    case HTML_PREFORMATTED:
    case HTML_RCDATA:
        end_text(p, token->bytes.begin);
        p->in_option = false;
        break;
    default:
        end = report_line_break(p, token);
        if (end > token->bytes.begin) return end;
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

/* Whether the beginning of the document, up to its first start tag, says that it is XHTML. Browsers may read such a
 * document as HTML: then it contains no <script/>, because they would show no text after it. */
static bool is_xhtml(const BuilderInput *input)
{
    const char *bytes = input->bytes;
    HtmlToken token = { .bytes = { input->begin, input->begin } };

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
    return token.kind == HTML_START && html_attribute_is(bytes, &token, "xmlns", "http://www.w3.org/1999/xhtml");
}

static void parse_html(DocumentBuilder *builder)
{
    BuilderInput input = document_builder_input(builder);

    input.begin = front_matter_read(builder, input.bytes, input.begin, input.end);
    html_units_add(builder, input.begin, input.end, is_xhtml(&input));
}

const DocumentFormat document_html = { .name = "html",
                                       .endings = ".html .htm .xhtml",
                                       .parse = parse_html,
                                       .spelling = &html_spelling,
                                       .bilingual = BILINGUAL_COLUMNS,
                                       .find_encoding = find_encoding };
