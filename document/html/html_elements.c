/* html_elements.c - see html_elements.h. */
#include "html_elements.h"

#include <string.h>
#include <strings.h>

/* --- What the elements of HTML mean for a translation. */

static const struct {
    HtmlElement kind;
    const char *names; /* separated by spaces */
} element_kinds[] = {
    { HTML_INLINE,
      "a abbr acronym b bdi bdo big blink cite data del dfn em font i ins label mark nobr output picture q rb "
      "ruby s small span strike strong sub sup time u" },
    { HTML_VOID_INLINE, "area embed img input param source track wbr" },
    { HTML_CODE, "code kbd samp tt var" },
    { HTML_CONTROL, "button meter progress slot" },
    { HTML_EMBEDDED, "audio canvas map noscript object video" },
    { HTML_PICTURE, "math rp rt rtc svg" },
    { HTML_PREFORMATTED, "listing pre" },
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
    for (size_t at = tag->attributes; html_attribute_next(bytes, tag, &at, out);)
        if (html_name_is(bytes, out->name, name)) return true;
    return false;
}

/* Whether the attribute exists and has one of the values. */
static bool attribute_is(const char *bytes, const HtmlToken *tag, const char *name, const char *values)
{
    HtmlAttribute attribute;

    return find_attribute(bytes, tag, name, &attribute) && html_name_is_in(bytes, attribute.value, values);
}

/* Whether the class is one of the names, separated by spaces; * at the end of a name stands for any characters. */
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

/* Whether one of the words in the value of an attribute is in the list. */
static bool has_word(const char *bytes, const HtmlToken *tag, const char *name, const char *names)
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

static bool has_class(const char *bytes, const HtmlToken *tag, const char *names)
{
    return has_word(bytes, tag, "class", names);
}

/* Whether the text of the element is the name of an icon, which a font shows. */
static bool is_icon(const char *bytes, const HtmlToken *tag)
{
    return has_class(bytes, tag, "material-icons material-icons-* material-symbols-*");
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
        if (html_name_is(bytes, attribute.value, "no")) return HTML_PROTECT;
        if (html_name_is_in(bytes, attribute.value, "yes") || attribute.value.begin == attribute.value.end)
            return HTML_TRANSLATE;
    }
    /* the class that translators of browsers obey, and those of a signature in the documentation of programs, which
     * Sphinx, Javadoc and rustdoc write */
    if (has_class(bytes, tag, "notranslate member-signature type-signature code-header") ||
        (has_class(bytes, tag, "sig-object") && has_class(bytes, tag, "sig")))
        return HTML_PROTECT;
    return html_element_kind(bytes, tag->name) != HTML_INLINE && is_icon(bytes, tag) ? HTML_PROTECT : HTML_INHERIT;
}

bool html_element_shows_attributes(const char *bytes, const HtmlToken *tag)
{
    if (html_name_is_in(bytes, tag->name, "script style")) return false;
    return !html_name_is(bytes, tag->name, "link") || !has_word(bytes, tag, "rel", "stylesheet");
}

const char *html_element_text_attribute(const char *bytes, const HtmlToken *tag)
{
    static const char metas[] = "description keywords og:title og:description og:image:alt twitter:title "
                                "twitter:description twitter:image:alt";

    if (html_name_is(bytes, tag->name, "meta"))
        return attribute_is(bytes, tag, "name", metas) || attribute_is(bytes, tag, "property", metas) ? "content" : "";
    if (html_name_is(bytes, tag->name, "table")) return "summary";
    if (html_name_is(bytes, tag->name, "input"))
        return attribute_is(bytes, tag, "type", "button reset submit") ? "value" : "";
    return html_name_is_in(bytes, tag->name, "option optgroup track") ? "label" : "";
}

bool html_attribute_is_text(const char *bytes, const HtmlAttribute *attribute, const char *of_element)
{
    return html_name_is_in(bytes, attribute->name,
                           "alt title placeholder aria-label aria-description "
                           "aria-placeholder aria-roledescription aria-valuetext") ||
           html_name_is_in(bytes, attribute->name, of_element);
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
    if (html_name_is(bytes, tag->name, "input") && attribute_is(bytes, tag, "type", "hidden")) return false;
    return !attribute_is(bytes, tag, "epub:type", "pagebreak") && !attribute_is(bytes, tag, "role", "doc-pagebreak") &&
           !has_class(bytes, tag, pages) &&
           !(find_attribute(bytes, tag, "id", &attribute) && class_is_in(bytes, attribute.value, pages));
}

/* --- Where an element of HTML ends, also one without an end tag. */

/* The longest element that is part of a text only if its contents allow it, and the most tags and texts in it; so
 * reading takes linear time. */
#define LONGEST_CONTROL ((size_t)1000)
#define CONTROL_PARTS   ((size_t)16)

/* HTML standard, 13.1.2.4 "Optional tags": the start tags and the end tags that end an element, and the elements inside
 * it whose tags do not. Names are separated by spaces. */
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

static const char void_elements[] = "area base br col embed hr img input link meta source track wbr";

bool html_extent_is_tag(const char *bytes, const HtmlToken *tag)
{
    if (html_name_is_in(bytes, tag->name, void_elements)) return true;
    return html_element_kind(bytes, tag->name) == HTML_PICTURE && bytes[tag->bytes.end - 2] == '/';
}

size_t html_extent_end(const char *bytes, size_t end, const HtmlToken *tag)
{
    const uint64_t key = html_name_key(bytes, tag->name);
    size_t at = tag->bytes.end, row = 0, depth = 1; /* `depth`: of elements with this name */
    size_t inner = 0;                               /* open elements in it whose tags do not end it */

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
        if (is_start && html_element_kind(bytes, token.name) == HTML_RAW)
            at = html_token_raw_end(bytes, at, end, token.name);
    }
    return at;
}

bool html_extent_is_whole(const char *bytes, const HtmlToken *tag)
{
    const size_t slash = tag->bytes.end - 2;
    size_t at = tag->attributes;
    HtmlAttribute attribute;

    if (bytes[slash] != '/') return false;
    while (html_attribute_next(bytes, tag, &at, &attribute))
        if (!attribute.quote && attribute.value.begin <= slash && slash < attribute.value.end) return false;
    return true;
}

/* Whether text is directly before or after a range, but for white space; or the range is all that the enclosing control
 * contains. A brace next to the range belongs to a tag of a template, not to text. */
static bool touches_text(const char *bytes, size_t end, Range range, size_t inside)
{
    while (range.begin && html_is_space(bytes[range.begin - 1])) range.begin--;
    while (range.end < end && html_is_space(bytes[range.end])) range.end++;
    if (range.begin && !strchr(">}", bytes[range.begin - 1])) return true;
    if (range.end == end) return false;
    if (!strchr("<{", bytes[range.end])) return true;
    return range.begin == inside && range.end + 1 < end && bytes[range.end + 1] == '/';
}

/* Whether a range is between two words without white space: "Home<my-separator></my-separator>Products". */
static bool separates_words(const char *bytes, size_t end, Range range)
{
    char before, after;

    if (!range.begin || range.end == end) return false;
    before = bytes[range.begin - 1];
    after = bytes[range.end];
    return !html_is_space(before) && !strchr(">}([;", before) && !html_is_space(after) && !strchr("<{)].,;:!?&", after);
}

bool html_extent_empty_is_in_text(const char *bytes, size_t end, Range range, size_t inside)
{
    return touches_text(bytes, end, range, inside) && !separates_words(bytes, end, range);
}

static bool is_blank(const char *bytes, Range range)
{
    while (range.begin < range.end && html_is_space(bytes[range.begin])) range.begin++;
    return range.begin == range.end;
}

/* A walk through the contents of controls in each other. */
typedef struct {
    const char *bytes;
    size_t end, parts; /* where it ends at the latest; the parts that may still be read */
} ControlWalk;

static bool find_in_text(ControlWalk *w, const HtmlToken *tag, size_t inside, HtmlToken *close);

/* Returns the end of a part of an element's contents if it can be in a text; otherwise its beginning. */
static size_t end_in_text(ControlWalk *w, const HtmlToken *part, const HtmlToken *tag)
{
    const bool has_text = html_element_kind(w->bytes, tag->name) != HTML_EMBEDDED;
    HtmlToken close;

    if (part->kind == HTML_OPAQUE) return part->bytes.end;
    if (part->kind == HTML_TEXT)
        return has_text || is_blank(w->bytes, part->bytes) ? part->bytes.end : part->bytes.begin;
    switch (html_element_kind(w->bytes, part->name)) {
    case HTML_INLINE:
    case HTML_VOID_INLINE:
    case HTML_CODE:
        return part->bytes.end;
    case HTML_PICTURE:
        return part->kind == HTML_START ? html_extent_end(w->bytes, w->end, part) : part->bytes.end;
    case HTML_CONTROL:
        if (part->kind == HTML_CLOSE || !has_text) return part->bytes.begin;
        return find_in_text(w, part, tag->bytes.end, &close) ? close.bytes.end : part->bytes.begin;
    default:
        return part->bytes.begin;
    }
}

static bool find_in_text(ControlWalk *w, const HtmlToken *tag, size_t inside, HtmlToken *close)
{
    const uint64_t key = html_name_key(w->bytes, tag->name);

    for (size_t at = tag->bytes.end, next; at < w->end && w->parts; at = next) {
        w->parts--;
        *close = html_token_read(w->bytes, at, w->end);
        if (close->kind == HTML_CLOSE && html_name_key(w->bytes, close->name) == key) {
            const Range range = { tag->bytes.begin, close->bytes.end };
            return at == tag->bytes.end ? html_extent_empty_is_in_text(w->bytes, w->end, range, inside)
                                        : touches_text(w->bytes, w->end, range, inside);
        }
        next = end_in_text(w, close, tag);
        if (next == at) return false;
    }
    return false;
}

bool html_extent_is_in_text(const char *bytes, size_t end, const HtmlToken *tag, size_t inside, HtmlToken *close)
{
    ControlWalk walk = { bytes, end, CONTROL_PARTS };

    if (end - tag->bytes.end > LONGEST_CONTROL) walk.end = tag->bytes.end + LONGEST_CONTROL;
    return find_in_text(&walk, tag, inside, close);
}
