/* escaped_tags.c - see escaped_tags.h. */
#include "escaped_tags.h"

#include <string.h>
#include <strings.h>

#include "chars.h"
#include "xml_references.h"

#define LONGEST_TAG ((size_t)1000)

/* The decoded characters of a text, one by one. */
typedef struct {
    const char *bytes;
    size_t at, next, end; /* of the character */
    char c;               /* '\0' at the end; the first byte of those that are not ASCII */
    bool in_cdata;
} Cursor;

static void advance(Cursor *cursor)
{
    char text[HTML_ENTITY_BYTES];
    size_t length;

    cursor->at = cursor->next;
    if (cursor->at >= cursor->end) {
        cursor->c = '\0';
    } else if (cursor->bytes[cursor->at] == '&' && !cursor->in_cdata) {
        cursor->next = xml_reference_read(cursor->bytes, cursor->at, text, &length);
        cursor->c = length ? text[0] : '&';
    } else {
        cursor->c = cursor->bytes[cursor->next++];
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == ':' || c == '_' || c == '.';
}

/* Returns whether there was one character at least. */
static bool skip_name(Cursor *cursor)
{
    const bool is_one = is_letter(cursor->c);

    while (is_one && is_name(cursor->c)) advance(cursor);
    return is_one;
}

static void skip_spaces(Cursor *cursor)
{
    while (char_is_space(cursor->c)) advance(cursor);
}

static bool skip_value(Cursor *cursor)
{
    char quote;

    if (cursor->c == '\\') advance(cursor); /* in Android's strings */
    quote = cursor->c;
    if (quote != '"' && quote != '\'') {
        while (cursor->c && !char_is_space(cursor->c) && cursor->c != '>') advance(cursor);
        return cursor->c != '\0';
    }
    advance(cursor);
    while (cursor->c && cursor->c != quote) advance(cursor);
    if (!cursor->c) return false;
    advance(cursor);
    return true;
}

/* NAME=VALUE */
static bool skip_attribute(Cursor *cursor)
{
    if (!skip_name(cursor)) return false;
    skip_spaces(cursor);
    if (cursor->c != '=') return false;
    advance(cursor);
    skip_spaces(cursor);
    return skip_value(cursor);
}

static bool skip_attributes(Cursor *cursor)
{
    for (;;) {
        skip_spaces(cursor);
        if (cursor->c == '>' || cursor->c == '/') return true;
        if (!skip_attribute(cursor)) return false;
    }
}

size_t escaped_tag_read(const char *bytes, size_t at, size_t end, bool in_cdata, EscapedTag *tag)
{
    Cursor cursor = { .bytes = bytes, .next = at, .in_cdata = in_cdata };

    cursor.end = end - at > LONGEST_TAG ? at + LONGEST_TAG : end;
    advance(&cursor);
    if (cursor.c != '<') return at;
    advance(&cursor);
    tag->kind = cursor.c == '/' ? ESCAPED_CLOSE : ESCAPED_OPEN;
    if (cursor.c == '/') advance(&cursor);
    tag->name.begin = cursor.at;
    if (!skip_name(&cursor)) return at;
    tag->name.end = cursor.at;
    if (!skip_attributes(&cursor)) return at;
    if (cursor.c == '/') {
        tag->kind = ESCAPED_EMPTY;
        advance(&cursor);
    }
    return cursor.c == '>' ? cursor.next : at;
}

size_t escaped_reference_read(const char *bytes, size_t at, size_t end, bool in_cdata, char out[HTML_ENTITY_BYTES],
                              size_t *size)
{
    static const char escaped[] = "&amp;";
    const size_t skipped = in_cdata ? 0 : sizeof escaped - 2; /* all but the & */
    char reference[HTML_ENTITY_NAME + 2] = "&";
    size_t count, length;

    if (bytes[at] != '&' || end - at <= skipped + 1) return at;
    if (!in_cdata && memcmp(bytes + at, escaped, sizeof escaped - 1) != 0) return at;
    count = end - at - skipped - 1;
    if (count > sizeof reference - 1) count = sizeof reference - 1;
    memcpy(reference + 1, bytes + at + skipped + 1, count);
    length = html_entity_read(reference, count + 1, false, out, size);
    return length && reference[length - 1] == ';' ? at + skipped + length : at;
}

bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag)
{
    static const char *const names[] = { "br", "p",  "div", "li",    "ul", "ol", "dl", "dt", "dd", "tr",
                                         "td", "th", "hr",  "table", "h1", "h2", "h3", "h4", "h5", "h6" };
    const size_t length = tag->name.end - tag->name.begin;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncasecmp(names[i], bytes + tag->name.begin, length) == 0) return true;
    return false;
}
