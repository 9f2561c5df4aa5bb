/* html_extent.c - see html_extent.h. */
#include "html_extent.h"

#include "html_elements.h"

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
};

#define OPTIONAL_ENDS (sizeof optional_ends / sizeof *optional_ends)

static const char void_elements[] = "area base br col embed hr img input link meta source track wbr";

bool html_extent_is_tag(const char *bytes, const HtmlToken *tag)
{
    if (html_name_is_in(bytes, tag->name, void_elements)) return true;
    return html_element_kind(bytes, tag->name) == HTML_PICTURE && bytes[tag->bytes.end - 2] == '/';
}

/* The row of optional_ends for an element, or OPTIONAL_ENDS. */
static size_t optional_end_of(const char *bytes, ByteRange name)
{
    size_t row = 0;

    while (row < OPTIONAL_ENDS && !html_name_is_in(bytes, name, optional_ends[row].names)) row++;
    return row;
}

/* A walk through the tags in an element. */
typedef struct {
    const char *bytes;
    size_t row;   /* of optional_ends, or OPTIONAL_ENDS */
    uint64_t key; /* of the element's name */
    size_t depth; /* of elements with this name */
    size_t inner; /* open elements in it whose tags do not end it */
} ExtentWalk;

/* Whether the tag implies the end of the element before it. */
static bool implies_end(ExtentWalk *w, const HtmlToken *tag)
{
    const bool is_start = tag->kind == HTML_START;

    if (w->row == OPTIONAL_ENDS) return false;
    if (!w->inner &&
        html_name_is_in(w->bytes, tag->name, is_start ? optional_ends[w->row].starts : optional_ends[w->row].ends))
        return true;
    if (html_name_is_in(w->bytes, tag->name, optional_ends[w->row].inner)) w->inner += is_start ? 1 : (size_t)-1;
    return false;
}

size_t html_extent_end(const char *bytes, size_t end, const HtmlToken *tag)
{
    ExtentWalk w = { bytes, optional_end_of(bytes, tag->name), html_name_key(bytes, tag->name), 1, 0 };
    size_t at = tag->bytes.end;

    if (html_extent_is_tag(bytes, tag)) return at;
    while (at < end && w.depth) {
        const HtmlToken token = html_token_read(bytes, at, end);
        if (token.kind == HTML_START || token.kind == HTML_CLOSE) {
            if (implies_end(&w, &token)) return at;
            if (html_name_key(bytes, token.name) == w.key && !w.inner && !html_extent_is_tag(bytes, &token))
                w.depth += token.kind == HTML_START ? 1 : (size_t)-1;
        }
        at = token.bytes.end;
        if (token.kind == HTML_START && html_element_kind(bytes, token.name) == HTML_RAW)
            at = html_token_raw_end(bytes, at, end, token.name);
    }
    return at;
}
