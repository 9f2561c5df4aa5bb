/* html_tokens.c - see html_tokens.h. */
#include "html_tokens.h"

#include <string.h>
#include <strings.h>

#include "chars.h"

/* <![CDATA[ that is not closed so soon ends at the next >, and <% is alone. */
#define LONGEST_MARKED ((size_t)1 << 16)
/* The longest tag of a template; this limit keeps the time of reading linear. */
#define LONGEST_TEMPLATE ((size_t)1000)

static bool begins_with(const char *bytes, size_t at, size_t end, const char *prefix)
{
    const size_t length = strlen(prefix);

    return end - at >= length && strncasecmp(bytes + at, prefix, length) == 0;
}

/* Returns the first byte after the next `mark`, or `end`. */
static size_t after(const char *bytes, size_t at, size_t end, const char *mark)
{
    const size_t length = strlen(mark);

    while (at < end) {
        const char *found = memchr(bytes + at, mark[0], end - at);
        if (!found) break;
        at = (size_t)(found - bytes);
        if (end - at >= length && memcmp(found, mark, length) == 0) return at + length;
        at++;
    }
    return end;
}

static HtmlToken opaque(size_t begin, size_t end)
{
    return (HtmlToken){ .kind = HTML_OPAQUE, .bytes = { begin, end } };
}

size_t html_template_end(const char *bytes, size_t at, size_t end, bool *begins)
{
    static const char marks[][2][3] = { { "{%", "%}" }, { "{{", "}}" }, { "<%", "%>" }, { "<?", "?>" } };
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;
    const size_t count = sizeof marks / sizeof *marks;
    size_t mark = bytes[at] == '{' || bytes[at] == '<' ? 0 : count;

    while (mark < count && (end - at < 2 || memcmp(bytes + at, marks[mark][0], 2) != 0)) mark++;
    if (begins) *begins = mark < count;
    if (mark == count) return at;
    for (size_t i = at + 2; i + 2 <= limit && bytes[i] != '\n'; i++)
        if (memcmp(bytes + i, marks[mark][1], 2) == 0) return i + 2;
    return at;
}

/* Returns the end of a value: where its quote is. Braces may also be text, as in <a title="{{"> }}, so those of a
 * template contain no >. After the first tag that does not end, none is looked for; so reading takes linear time. */
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

/* Reads one attribute; *at is after the name of the tag or after an attribute. */
static bool read_attribute(const char *bytes, size_t *at, size_t end, HtmlAttribute *out)
{
    size_t i = *at;

    while (i < end && (html_is_space(bytes[i]) || bytes[i] == '/')) i++;
    *out = (HtmlAttribute){ .name = { i, i }, .value = { i, i } };
    if (i == end || bytes[i] == '>') {
        *at = i;
        return false;
    }
    for (i++; i < end && !html_is_space(bytes[i]) && !strchr("/>=", bytes[i]);) i++;
    out->name.end = i;
    *at = i;
    while (i < end && html_is_space(bytes[i])) i++;
    if (i == end || bytes[i] != '=') return true;
    for (i++; i < end && html_is_space(bytes[i]);) i++;
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
    while (read_attribute(bytes, &at, end, &attribute)) continue;
    if (at == end) return opaque(begin, end);
    tag.bytes.end = at + 1;
    return tag;
}

/* Returns the end of a comment, after --> or --!>. */
static size_t comment_end(const char *bytes, size_t at, size_t end)
{
    while ((at = after(bytes, at, end, "--")) < end) {
        if (bytes[at] == '>') return at + 1;
        if (begins_with(bytes, at, end, "!>")) return at + 2;
        at--;
    }
    return end;
}

/* Returns the end of what begins with marks[0] and ends with marks[1] within LONGEST_MARKED bytes, and before something
 * else begins so, which keeps the time linear; otherwise `none`. */
static size_t marked_end(const char *bytes, size_t at, size_t end, const char *const marks[2], size_t none)
{
    const size_t limit = end - at < LONGEST_MARKED ? end : at + LONGEST_MARKED;
    const size_t next = after(bytes, at + strlen(marks[0]), limit, marks[0]);
    const size_t found = after(bytes, at, next, marks[1]), length = strlen(marks[1]);

    return found - at > length && memcmp(bytes + found - length, marks[1], length) == 0 ? found : none;
}

static HtmlToken read_special(const char *bytes, size_t at, size_t end)
{
    static const char *const cdata[] = { "<![CDATA[", "]]>" };
    static const char *const comment[] = { "<%--", "--%>" };
    static const char *const code[] = { "<%", "%>" };

    if (begins_with(bytes, at, end, "<!-->")) return opaque(at, at + 5);
    if (begins_with(bytes, at, end, "<!--->")) return opaque(at, at + 6);
    if (begins_with(bytes, at, end, "<!--")) return opaque(at, comment_end(bytes, at + 4, end));
    if (begins_with(bytes, at, end, cdata[0]))
        return opaque(at, marked_end(bytes, at, end, cdata, after(bytes, at, end, ">")));
    if (begins_with(bytes, at, end, "<?php") || begins_with(bytes, at, end, "<?="))
        return opaque(at, after(bytes, at, end, "?>"));
    if (begins_with(bytes, at, end, comment[0])) return opaque(at, marked_end(bytes, at, end, comment, at + 2));
    if (begins_with(bytes, at, end, code[0])) return opaque(at, marked_end(bytes, at, end, code, at + 2));
    return opaque(at, after(bytes, at, end, ">"));
}

/* Whether the "<" at byte `at` begins something other than text. */
static bool begins_markup(const char *bytes, size_t at, size_t end)
{
    return end - at > 1 && (char_is_letter(bytes[at + 1]) || strchr("/!?%", bytes[at + 1])) && bytes[at + 1];
}

HtmlToken html_token_read(const char *bytes, size_t at, size_t end)
{
    const size_t begin = at;

    if (bytes[at] == '<' && begins_markup(bytes, at, end)) {
        if (char_is_letter(bytes[at + 1])) return read_tag(bytes, at, end);
        if (bytes[at + 1] == '/' && end - at > 2 && char_is_letter(bytes[at + 2])) return read_tag(bytes, at, end);
        return read_special(bytes, at, end);
    }
    for (at++; at < end; at++)
        if (bytes[at] == '<' && begins_markup(bytes, at, end)) break;
    return (HtmlToken){ .kind = HTML_TEXT, .bytes = { begin, at } };
}

/* Whether a tag that begins with `mark` and the name is at byte `at`. */
static bool is_tag(const char *bytes, size_t at, size_t end, const char *mark, Range name)
{
    const size_t length = name.end - name.begin, next = at + strlen(mark) + length;

    if (next > end || !begins_with(bytes, at, end, mark)) return false;
    if (strncasecmp(bytes + next - length, bytes + name.begin, length) != 0) return false;
    return next == end || html_is_space(bytes[next]) || bytes[next] == '/' || bytes[next] == '>';
}

/* Returns the next byte that may begin or end a comment, or begin a tag; otherwise `end`. */
static size_t next_mark(const char *bytes, size_t at, size_t end, bool is_in_comment)
{
    if (!is_in_comment) {
        const char *found = memchr(bytes + at, '<', end - at);
        return found ? (size_t)(found - bytes) : end;
    }
    while (at < end && bytes[at] != '<' && bytes[at] != '-') at++;
    return at;
}

/* HTML standard, 13.2.5.18 to 13.2.5.31: in a script, after <!-- and until -->, a start tag <script> and its end tag
 * are text. */
size_t html_token_raw_end(const char *bytes, size_t at, size_t end, Range name)
{
    const bool is_script = html_name_is(bytes, name, "script");
    enum { IN_DATA, IN_COMMENT, IN_INNER_SCRIPT } state = IN_DATA;

    for (; (at = next_mark(bytes, at, end, state != IN_DATA)) < end; at++) {
        if (is_tag(bytes, at, end, "</", name)) {
            if (state != IN_INNER_SCRIPT) return at;
            state = IN_COMMENT;
        } else if (is_script && state == IN_DATA && begins_with(bytes, at, end, "<!--")) {
            state = IN_COMMENT;
            at++; /* its hyphens may be those of --> */
        } else if (state != IN_DATA && begins_with(bytes, at, end, "-->")) {
            state = IN_DATA;
        } else if (state == IN_COMMENT && is_tag(bytes, at, end, "<", name)) {
            state = IN_INNER_SCRIPT;
        }
    }
    return end;
}

bool html_name_is(const char *bytes, Range name, const char *lower)
{
    const size_t length = strlen(lower);

    return name.end - name.begin == length && strncasecmp(bytes + name.begin, lower, length) == 0;
}

bool html_name_is_in(const char *bytes, Range name, const char *list)
{
    const size_t length = name.end - name.begin;

    while (*list) {
        size_t size = 0; /* for words this short, strcspn() takes twice as long as the whole loop */
        while (list[size] && list[size] != ' ') size++;
        if (size == length && strncasecmp(bytes + name.begin, list, size) == 0) return true;
        for (list += size; *list == ' ';) list++;
    }
    return false;
}

uint64_t html_name_key(const char *bytes, Range name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = name.begin; i < name.end; i++)
        hash = (hash ^ (unsigned char)(char_is_letter(bytes[i]) ? bytes[i] | 0x20 : bytes[i])) * 1099511628211u;
    return hash;
}

bool html_attribute_next(const char *bytes, const HtmlToken *tag, size_t *at, HtmlAttribute *out)
{
    return read_attribute(bytes, at, tag->bytes.end, out);
}
