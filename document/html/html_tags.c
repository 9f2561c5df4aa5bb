/* html_tags.c - the tags of HTML, their attributes, and what the elements mean for a translation: see html.h. */
#include <string.h>
#include <strings.h>

#include "html.h"

/* --- The parts of a document. */

/* The greatest length of <![CDATA[ ]]> and <% %>. If the end is not found within this length, <![CDATA[ ends at the
 * next >, and only the two bytes <% are skipped. */
#define LONGEST_MARKED ((size_t)1 << 16)
/* The greatest length of a template's tag, such as {% if x %}; the limit keeps the time of reading linear. */
#define LONGEST_TEMPLATE ((size_t)1000)

static HtmlToken opaque(size_t begin, size_t end)
{
    return (HtmlToken){ .kind = HTML_OPAQUE, .bytes = { begin, end } };
}

size_t html_template_end(const char *bytes, size_t at, size_t end, bool *begins)
{
    static const char marks[][2][3] = { { "{%", "%}" }, { "{{", "}}" }, { "<%", "%>" }, { "<?", "?>" } };
    const size_t limit = chars_limit(at, end, LONGEST_TEMPLATE), count = sizeof marks / sizeof *marks;
    size_t mark = bytes[at] == '{' || bytes[at] == '<' ? 0 : count;

    while (mark < count && (end - at < 2 || memcmp(bytes + at, marks[mark][0], 2) != 0)) mark++;
    if (begins) *begins = mark < count;
    if (mark == count) return at;
    for (size_t i = at + 2; i + 2 <= limit && bytes[i] != '\n'; i++)
        if (memcmp(bytes + i, marks[mark][1], 2) == 0) return i + 2;
    return at;
}

/* Returns where the quote at the end of an attribute's value is. Quotes in a template's tags do not end the value. In
 * <a title="{{"> }}, the braces are text: a tag in braces must not contain a >. After the first template tag without an
 * end, no others are looked for, so the time is linear. */
static size_t quoted_end(const char *bytes, size_t at, size_t end, char quote)
{
    bool is_template = true;

    while (at < end && bytes[at] != quote) {
        bool begins = false;
        const size_t next = is_template ? html_template_end(bytes, at, end, &begins) : at;
        if (begins) is_template = next > at && (bytes[at] == '<' || !memchr(bytes + at, '>', next - at));
        at = begins && is_template ? next : at + 1;
    }
    return at;
}

/* Whether the tag goes on after a template's tag that ends at byte `at`. In <p {{>Hello {{ name }}</p>, it has ended
 * before. */
static bool tag_goes_on(const char *bytes, size_t at, size_t end)
{
    while (at < end && bytes[at] != '<' && bytes[at] != '>') at++;
    return at < end && bytes[at] == '>';
}

bool html_attribute_read(const char *bytes, size_t *at, size_t end, HtmlAttribute *out)
{
    size_t i = *at;

    while (i < end && (html_is_space(bytes[i]) || bytes[i] == '/')) i++;
    *out = (HtmlAttribute){ .name = { i, i }, .value = { i, i } };
    if (i == end || bytes[i] == '>') {
        *at = i;
        return false;
    }
    out->name.end = html_template_end(bytes, i, end, NULL);
    if (out->name.end > i && (bytes[i] == '<' || tag_goes_on(bytes, out->name.end, end))) { /* between attributes */
        *at = out->name.end;
        out->value = (Range){ *at, *at };
        return true;
    }
    for (i++; i < end && !html_is_space(bytes[i]) && !strchr("/>=", bytes[i]);) i++;
    out->name.end = i;
    *at = i;
    i = html_skip_space(bytes, i, end);
    if (i == end || bytes[i] != '=') return true;
    i = html_skip_space(bytes, i + 1, end);
    if (i < end && (bytes[i] == '"' || bytes[i] == '\'')) out->quote = bytes[i++];
    out->value.begin = i;
    if (out->quote) i = quoted_end(bytes, i, end, out->quote);
    while (!out->quote && i < end && !html_is_space(bytes[i]) && bytes[i] != '>') i++;
    out->value.end = i;
    *at = i + (out->quote && i < end);
    return true;
}

static HtmlToken read_tag(const char *bytes, size_t begin, size_t end)
{
    const bool is_end = bytes[begin + 1] == '/';
    HtmlToken tag = { .kind = is_end ? HTML_CLOSE : HTML_START, .bytes = { begin, end } };
    HtmlAttribute attribute;
    size_t at = begin + 1 + is_end;

    tag.name.begin = at;
    while (at < end && !html_is_space(bytes[at]) && bytes[at] != '/' && bytes[at] != '>') at++;
    tag.name.end = tag.attributes = at;
    while (html_attribute_read(bytes, &at, end, &attribute)) continue;
    if (at == end) return opaque(begin, end);
    tag.bytes.end = at + 1;
    return tag;
}

/* Returns the end of a part that begins with marks[0] at byte `at` and ends with marks[1]. Returns `none` if marks[1]
 * is not found within LONGEST_MARKED bytes and before the next marks[0]. These limits keep the time linear. */
static size_t marked_end(const char *bytes, size_t at, size_t end, const char *const marks[2], size_t none)
{
    const size_t limit = chars_limit(at, end, LONGEST_MARKED);
    const size_t next = chars_after(bytes, at + strlen(marks[0]), limit, marks[0], limit);
    const size_t found = chars_after(bytes, at, next, marks[1], next);

    return chars_end(bytes, at + 1, found, marks[1]) ? found : none;
}

static HtmlToken read_special(const char *bytes, size_t at, size_t end)
{
    static const char *const cdata[] = { "<![CDATA[", "]]>" };
    static const char *const comment[] = { "<%--", "--%>" };
    static const char *const code[] = { "<%", "%>" };

    if (chars_begin(bytes, at, end, "<!--")) { /* ends with --> or --!>; <!--> and <!---> are whole comments */
        for (size_t i = at + 2; (i = chars_after(bytes, i, end, "--", end)) < end; i--) {
            if (bytes[i] == '>') return opaque(at, i + 1);
            if (i >= at + sizeof "<!----" - 1 && chars_begin(bytes, i, end, "!>")) return opaque(at, i + 2);
        }
        return opaque(at, end);
    }
    if (chars_begin_case(bytes, at, end, cdata[0]))
        return opaque(at, marked_end(bytes, at, end, cdata, chars_after(bytes, at, end, ">", end)));
    if (chars_begin_case(bytes, at, end, "<?php") || chars_begin_case(bytes, at, end, "<?="))
        return opaque(at, chars_after(bytes, at, end, "?>", end));
    if (chars_begin_case(bytes, at, end, comment[0])) return opaque(at, marked_end(bytes, at, end, comment, at + 2));
    if (chars_begin_case(bytes, at, end, code[0])) return opaque(at, marked_end(bytes, at, end, code, at + 2));
    return opaque(at, chars_after(bytes, at, end, ">", end));
}

/* Whether the "<" at byte `at` begins markup. */
static bool begins_markup(const char *bytes, size_t at, size_t end)
{
    return end - at > 1 && html_follows_mark(bytes[at + 1]);
}

HtmlToken html_token_read(const char *bytes, size_t at, size_t end)
{
    const size_t begin = at;

    if (bytes[at] == '<' && begins_markup(bytes, at, end)) {
        const size_t name = at + 1 + (bytes[at + 1] == '/');
        return name < end && char_is_letter(bytes[name]) ? read_tag(bytes, at, end) : read_special(bytes, at, end);
    }
    for (at++; at < end; at++)
        if (bytes[at] == '<' && begins_markup(bytes, at, end)) break;
    return (HtmlToken){ .kind = HTML_TEXT, .bytes = { begin, at } };
}

/* Whether a tag with this name begins at byte `at`; `mark` is what is before the name, "<" or "</". */
static bool is_tag(const char *bytes, size_t at, size_t end, const char *mark, Range name)
{
    const size_t length = name.end - name.begin, next = at + strlen(mark) + length;

    if (next > end || !chars_begin_case(bytes, at, end, mark)) return false;
    if (strncasecmp(bytes + next - length, bytes + name.begin, length) != 0) return false;
    return next == end || html_is_space(bytes[next]) || bytes[next] == '/' || bytes[next] == '>';
}

size_t html_raw_end(const char *bytes, size_t at, size_t end, Range name)
{
    const bool is_script = html_name_is_in(bytes, name, "script");
    enum { IN_DATA, IN_COMMENT, IN_INNER_SCRIPT } state = IN_DATA;

    for (; at < end; at++) {
        if (state == IN_DATA) at = chars_find(bytes, at, end, '<');
        while (at < end && bytes[at] != '<' && bytes[at] != '-') at++; /* a hyphen may end a comment */
        if (is_tag(bytes, at, end, "</", name)) {
            if (state != IN_INNER_SCRIPT) return at;
            state = IN_COMMENT;
        } else if (is_script && state == IN_DATA && chars_begin_case(bytes, at, end, "<!--")) {
            state = IN_COMMENT;
            at++; /* the hyphens of <!-- may also be the hyphens of --> */
        } else if (state != IN_DATA && chars_begin_case(bytes, at, end, "-->")) {
            state = IN_DATA;
        } else if (state == IN_COMMENT && is_tag(bytes, at, end, "<", name)) {
            state = IN_INNER_SCRIPT;
        }
    }
    return end;
}

uint64_t html_name_key(const char *bytes, Range name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = name.begin; i < name.end; i++)
        hash = (hash ^ (unsigned char)(char_is_letter(bytes[i]) ? bytes[i] | 0x20 : bytes[i])) * 1099511628211u;
    return hash;
}

/* --- What the elements of HTML mean for a translation. */

static const struct {
    HtmlElement kind;
    const char *names; /* separated by spaces */
} element_kinds[] = {
    { HTML_INLINE,
      "a abbr acronym b bdi bdo big blink cite data del dfn em font i ins label mark nobr output picture q rb "
      "ruby s small span strike strong sub sup textpath time tspan u" },
    { HTML_VOID_INLINE, "area embed img input param source track wbr" },
    { HTML_CODE, "code kbd samp tt var" },
    { HTML_CONTROL, "button meter progress slot" },
    { HTML_EMBEDDED, "audio canvas map noscript object video" },
    { HTML_PICTURE, "math rp rt rtc svg" },
    { HTML_PREFORMATTED, "listing metadata pre" },
    { HTML_RAW, "iframe noembed noframes script style xmp" },
    { HTML_RCDATA, "textarea title" },
};

static HtmlElement listed_kind(const char *bytes, Range name)
{
    for (size_t i = 0; i < sizeof element_kinds / sizeof *element_kinds; i++)
        if (html_name_is_in(bytes, name, element_kinds[i].names)) return element_kinds[i].kind;
    return HTML_BLOCK;
}

HtmlElement html_element_kind(const char *bytes, Range name)
{
    const size_t length = name.end - name.begin;
    const char *colon = memchr(bytes + name.begin, ':', length);

    if (!colon && memchr(bytes + name.begin, '-', length)) return HTML_CONTROL;
    if (!colon) return listed_kind(bytes, name);
    name.begin = (size_t)(colon + 1 - bytes);
    return listed_kind(bytes, name) == HTML_PICTURE ? HTML_PICTURE : HTML_CONTROL;
}

/* Finds the first attribute with this name. */
static bool find_attribute(const char *bytes, const HtmlToken *tag, const char *name, HtmlAttribute *out)
{
    for (size_t at = tag->attributes; html_attribute_read(bytes, &at, tag->bytes.end, out);)
        if (html_name_is_in(bytes, out->name, name)) return true;
    return false;
}

bool html_attribute_is(const char *bytes, const HtmlToken *tag, const char *name, const char *values)
{
    HtmlAttribute attribute;

    return find_attribute(bytes, tag, name, &attribute) && html_name_is_in(bytes, attribute.value, values);
}

/* Whether the class is one of the names, which are separated by spaces. * at the end of a name matches any rest. */
static bool class_is_in(const char *bytes, Range class, const char *names)
{
    while (*names) {
        const size_t length = strcspn(names, " "), prefix = strcspn(names, " *"), size = class.end - class.begin;
        const bool may_match = prefix < length ? size >= prefix : size == length;
        if (may_match && strncasecmp(bytes + class.begin, names, prefix) == 0) return true;
        names += length + strspn(names + length, " ");
    }
    return false;
}

bool html_attribute_has_word(const char *bytes, const HtmlToken *tag, const char *name, const char *names)
{
    HtmlAttribute attribute;
    size_t begin, end;

    if (!find_attribute(bytes, tag, name, &attribute)) return false;
    for (begin = attribute.value.begin; begin < attribute.value.end; begin = end + 1) {
        for (end = begin; end < attribute.value.end && !html_is_space(bytes[end]);) end++;
        if (class_is_in(bytes, (Range){ begin, end }, names)) return true;
    }
    return false;
}

/* Whether the text of the element is the name of an icon, which an icon font shows as a picture. */
static bool is_icon(const char *bytes, const HtmlToken *tag)
{
    return html_attribute_has_word(bytes, tag, "class", "material-icons material-icons-* material-symbols-*");
}

HtmlElement html_element_tag_kind(const char *bytes, const HtmlToken *tag)
{
    const HtmlElement kind = html_element_kind(bytes, tag->name);

    return kind == HTML_INLINE && tag->kind == HTML_START && is_icon(bytes, tag) ? HTML_CODE : kind;
}

HtmlTranslate html_element_translate(const char *bytes, const HtmlToken *tag)
{
    HtmlAttribute attribute;

    if (find_attribute(bytes, tag, "translate", &attribute)) {
        if (html_name_is_in(bytes, attribute.value, "no")) return HTML_PROTECT;
        if (html_name_is_in(bytes, attribute.value, "yes") || attribute.value.begin == attribute.value.end)
            return HTML_TRANSLATE;
    }
    /* the class that browsers do not translate, and the classes of the signatures of functions and types in the
     * documentation that Sphinx, Javadoc and rustdoc write */
    if (html_attribute_has_word(bytes, tag, "class", "notranslate member-signature type-signature code-header") ||
        (html_attribute_has_word(bytes, tag, "class", "sig-object") &&
         html_attribute_has_word(bytes, tag, "class", "sig")))
        return HTML_PROTECT;
    return html_element_kind(bytes, tag->name) != HTML_INLINE && is_icon(bytes, tag) ? HTML_PROTECT : HTML_INHERIT;
}

const char *html_attribute_of_text(const char *bytes, const HtmlToken *tag)
{
    static const char metas[] = "description keywords og:title og:description og:image:alt twitter:title "
                                "twitter:description twitter:image:alt";

    if (html_name_is_in(bytes, tag->name, "meta"))
        return html_attribute_is(bytes, tag, "name", metas) || html_attribute_is(bytes, tag, "property", metas)
                   ? "content"
                   : "";
    if (html_name_is_in(bytes, tag->name, "table")) return "summary";
    if (html_name_is_in(bytes, tag->name, "input"))
        return html_attribute_is(bytes, tag, "type", "button reset submit") ? "value" : "";
    return html_name_is_in(bytes, tag->name, "option optgroup track") ? "label" : "";
}

bool html_name_is_object(const char *bytes, Range name)
{
    const size_t length = name.end - name.begin;
    const char *colon = memchr(bytes + name.begin, ':', length);

    if (colon) return html_name_is_in(bytes, (Range){ (size_t)(colon + 1 - bytes), name.end }, "svg math");
    return memchr(bytes + name.begin, '-', length) || /* a custom element */
           html_name_is_in(bytes, name,
                           "img input embed svg math i span output time data meter progress slot canvas object audio "
                           "video picture button");
}

bool html_element_is_object(const char *bytes, const HtmlToken *tag)
{
    static const char pages[] = "page* pg*";
    HtmlAttribute attribute;

    if (!html_name_is_object(bytes, tag->name)) return false;
    if (html_name_is_in(bytes, tag->name, "input") && html_attribute_is(bytes, tag, "type", "hidden")) return false;
    return !html_attribute_is(bytes, tag, "epub:type", "pagebreak") &&
           !html_attribute_is(bytes, tag, "role", "doc-pagebreak") &&
           !html_attribute_has_word(bytes, tag, "class", pages) &&
           !(find_attribute(bytes, tag, "id", &attribute) && class_is_in(bytes, attribute.value, pages));
}

static const char void_elements[] = "area base br col embed hr img input link meta source track wbr";

bool html_extent_is_tag(const char *bytes, const HtmlToken *tag)
{
    if (html_name_is_in(bytes, tag->name, void_elements)) return true;
    return html_element_kind(bytes, tag->name) == HTML_PICTURE && bytes[tag->bytes.end - 2] == '/';
}
