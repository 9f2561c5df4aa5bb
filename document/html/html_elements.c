/* html_elements.c - see html_elements.h. */
#include "html_elements.h"

#include <string.h>
#include <strings.h>

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

/* Whether the tag has the class that translators of browsers obey, or one of a signature in the documentation of
 * programs, which Sphinx, Javadoc and rustdoc write. */
static bool is_protected_class(const char *bytes, const HtmlToken *tag)
{
    if (has_class(bytes, tag, "notranslate member-signature type-signature code-header")) return true;
    return has_class(bytes, tag, "sig-object") && has_class(bytes, tag, "sig");
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
    if (is_protected_class(bytes, tag)) return HTML_PROTECT;
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

/* Whether the tag marks where a page of the printed book begins. */
static bool is_page(const char *bytes, const HtmlToken *tag)
{
    static const char pages[] = "page* pg*";
    HtmlAttribute attribute;

    return attribute_is(bytes, tag, "epub:type", "pagebreak") || attribute_is(bytes, tag, "role", "doc-pagebreak") ||
           has_class(bytes, tag, pages) ||
           (find_attribute(bytes, tag, "id", &attribute) && class_is_in(bytes, attribute.value, pages));
}

bool html_element_is_object(const char *bytes, const HtmlToken *tag)
{
    return html_name_is_object(bytes, tag->name) && !is_page(bytes, tag) &&
           !(html_name_is(bytes, tag->name, "input") && attribute_is(bytes, tag, "type", "hidden"));
}
