/* html_elements.c - see html_elements.h. */
#include "html_elements.h"

#include <string.h>

static const struct {
    HtmlElement kind;
    const char *names; /* separated by spaces */
} element_kinds[] = {
    { HTML_INLINE,
      "a abbr acronym b bdi bdo big blink cite data del dfn em font i ins label mark nobr output q rb rp rt "
      "rtc ruby s small span strike strong sub sup time u" },
    { HTML_VOID_INLINE, "img input wbr" },
    { HTML_CODE, "code kbd samp tt var" },
    { HTML_PICTURE, "math svg" },
    { HTML_PREFORMATTED, "listing pre" },
    { HTML_RAW, "iframe noembed noframes script style xmp" },
    { HTML_RCDATA, "textarea title" },
};

/* Whether the list, separated by spaces, contains the name. */
static bool lists_name(const char *list, const char *bytes, ByteRange name)
{
    char word[16];

    while (*list) {
        const size_t size = strcspn(list, " ");
        memcpy(word, list, size);
        word[size] = '\0';
        if (html_name_is(bytes, name, word)) return true;
        list += size + strspn(list + size, " ");
    }
    return false;
}

HtmlElement html_element_kind(const char *bytes, ByteRange name)
{
    for (size_t i = 0; i < sizeof element_kinds / sizeof *element_kinds; i++)
        if (lists_name(element_kinds[i].names, bytes, name)) return element_kinds[i].kind;
    return HTML_BLOCK;
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

    return find_attribute(bytes, tag, name, &attribute) && lists_name(values, bytes, attribute.value);
}

HtmlTranslate html_element_translate(const char *bytes, const HtmlToken *tag)
{
    HtmlAttribute attribute;

    if (!find_attribute(bytes, tag, "translate", &attribute)) return HTML_INHERIT;
    if (html_name_is(bytes, attribute.value, "no")) return HTML_PROTECT;
    return html_name_is(bytes, attribute.value, "yes") || html_name_is(bytes, attribute.value, "") ? HTML_TRANSLATE
                                                                                                   : HTML_INHERIT;
}

bool html_attribute_is_text(const char *bytes, const HtmlToken *tag, const HtmlAttribute *attribute)
{
    if (lists_name("alt title placeholder aria-label", bytes, attribute->name)) return true;
    if (html_name_is(bytes, tag->name, "meta") && html_name_is(bytes, attribute->name, "content"))
        return attribute_is(bytes, tag, "name", "description keywords") ||
               attribute_is(bytes, tag, "property", "og:title og:description");
    if (html_name_is(bytes, tag->name, "input") && html_name_is(bytes, attribute->name, "value"))
        return attribute_is(bytes, tag, "type", "button reset submit");
    return lists_name("option optgroup track", bytes, tag->name) && html_name_is(bytes, attribute->name, "label");
}
