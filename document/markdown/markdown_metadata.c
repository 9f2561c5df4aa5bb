/* markdown_metadata.c - see markdown_metadata.h. */
#include "markdown_metadata.h"

#include <string.h>

#include "chars.h"
#include "html_tokens.h"
#include "markdown_front_matter.h"
#include "markdown_lines.h"
#include "markdown_syntax.h"

#define TITLE_BLOCK_FIELDS 3

/* Returns the byte after the line at byte `at` < end and the indented lines after it. */
static size_t field_end(const char *bytes, size_t at, size_t end)
{
    at = markdown_next_line(bytes, at, end);
    while (at < end && char_is_blank(bytes[at])) {
        const size_t next = markdown_next_line(bytes, at, end);
        if (markdown_line_is_blank(bytes, at, next)) break;
        at = next;
    }
    return at;
}

static bool is_percent_field(const char *bytes, size_t at, size_t end)
{
    return at < end && bytes[at] == '%' && (at + 1 == end || char_is_space(bytes[at + 1]));
}

/* Finds the key of the line [at, end) and where its value begins. */
static bool read_key(const char *bytes, size_t at, size_t end, Range *key, size_t *value)
{
    size_t i = at;

    if (i == end || !char_is_letter(bytes[i])) return false;
    while (i < end && (char_is_alphanumeric(bytes[i]) || bytes[i] == '_' || bytes[i] == '-' || bytes[i] == ' ')) i++;
    if (i == end || bytes[i] != ':' || (i + 1 < end && !char_is_space(bytes[i + 1]))) return false;
    *key = (Range){ at, i };
    *value = i + 1;
    return true;
}

/* Keys that prose does not begin with, or hardly. */
static bool is_common(const char *bytes, Range key)
{
    return html_name_is_in(bytes, key, "title slug layout template css");
}

/* Keys of several words are those of MultiMarkdown. */
static bool is_key(const char *bytes, Range key)
{
    static const char *const phrases[] = { "base header level", "html header",    "html footer",  "latex config",
                                           "latex input",       "latex footer",   "latex header", "latex mode",
                                           "odf header",        "quotes language" };

    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (html_name_is(bytes, key, phrases[i])) return true;
    if (memchr(bytes + key.begin, ' ', key.end - key.begin)) return false;
    return (bytes[key.begin] >= 'A' && bytes[key.begin] <= 'Z') || is_common(bytes, key) ||
           html_name_is_in(bytes, key,
                           "author authors date category categories tag tags modified date_created date_modified "
                           "subtitle summary description keywords lang language status copyright url save_as email "
                           "affiliation");
}

static size_t title_block_end(const char *bytes, size_t at, size_t end)
{
    for (size_t count = 0; count < TITLE_BLOCK_FIELDS && is_percent_field(bytes, at, end); count++)
        at = field_end(bytes, at, end);
    return at;
}

size_t markdown_metadata_end(const char *bytes, size_t at, size_t end)
{
    size_t i = at, count = 0, value;
    bool has_common = false;
    Range key;

    if (is_percent_field(bytes, at, end)) return title_block_end(bytes, at, end);
    for (; i < end; i = field_end(bytes, i, end), count++) {
        if (markdown_line_is_blank(bytes, i, markdown_next_line(bytes, i, end)))
            return count > 1 && has_common ? i : at;
        if (!read_key(bytes, i, end, &key, &value) || !is_key(bytes, key)) break;
        has_common |= is_common(bytes, key);
    }
    return at;
}

bool markdown_metadata_next(const char *bytes, size_t *at, size_t end, Range *text)
{
    while (*at < end) {
        const size_t begin = *at, after = field_end(bytes, begin, end);
        size_t value;
        Range key;

        *at = after;
        if (bytes[begin] == '%') { /* only the first field is text */
            *at = end;
            *text = markdown_trimmed(bytes, begin + 1, after);
            return true;
        }
        if (read_key(bytes, begin, end, &key, &value) &&
            markdown_front_matter_is_text(bytes + key.begin, key.end - key.begin)) {
            *text = markdown_trimmed(bytes, value, after);
            return true;
        }
    }
    return false;
}
