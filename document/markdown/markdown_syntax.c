/* markdown_syntax.c - see markdown_syntax.h. */
#include "markdown_syntax.h"

#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "utf8.h"

/* Longer comments and tags in a paragraph are taken for text; so reading takes linear time. */
#define LONGEST_TAG      ((size_t)4096)
#define LONGEST_LABEL    ((size_t)1000)
#define LONGEST_TEMPLATE ((size_t)1000)
#define ADDRESS_DEPTH    32

bool markdown_is_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

size_t markdown_skip_space(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_space(text[at])) at++;
    return at;
}

Range markdown_trimmed(const char *text, size_t at, size_t end)
{
    at = markdown_skip_space(text, at, end);
    while (end > at && char_is_space(text[end - 1])) end--;
    return (Range){ at, end };
}

/* Returns the byte after the next `mark`, or `none`. */
static size_t after_mark(const char *text, size_t at, size_t end, const char *mark, size_t none)
{
    const size_t length = strlen(mark);

    while (at < end) {
        const char *found = memchr(text + at, mark[0], end - at);
        if (!found) break;
        at = (size_t)(found - text);
        if (end - at >= length && memcmp(found, mark, length) == 0) return at + length;
        at++;
    }
    return none;
}

static bool begins_with(const char *text, size_t at, size_t end, const char *prefix)
{
    const size_t length = strlen(prefix);

    return end - at >= length && memcmp(text + at, prefix, length) == 0;
}

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '-';
}

/* Returns the end of the value of an attribute, or `at`. */
static size_t read_value(const char *text, size_t at, size_t end)
{
    const char *closing;
    size_t i = at;

    if (at < end && (text[at] == '"' || text[at] == '\'')) {
        closing = memchr(text + at + 1, text[at], end - at - 1);
        return closing ? (size_t)(closing - text) + 1 : at;
    }
    while (i < end && !char_is_space(text[i]) && !strchr("\"'=<>`", text[i])) i++;
    return i;
}

/* Returns the end of an attribute with the white space before it, or `at`. */
static size_t read_attribute(const char *text, size_t at, size_t end)
{
    size_t i = markdown_skip_space(text, at, end), value;

    if (i == at || i == end || !(char_is_letter(text[i]) || text[i] == '_' || text[i] == ':')) return at;
    while (i < end && (is_name_character(text[i]) || strchr("_.:", text[i])) && text[i]) i++;
    value = markdown_skip_space(text, i, end);
    if (value == end || text[value] != '=') return i;
    value = markdown_skip_space(text, value + 1, end);
    i = read_value(text, value, end);
    return i > value ? i : at;
}

static size_t read_tag(const char *text, size_t at, size_t end)
{
    const bool is_end = at + 1 < end && text[at + 1] == '/';
    size_t i = at + 1 + is_end;

    if (i >= end || !char_is_letter(text[i])) return at;
    while (i < end && is_name_character(text[i])) i++;
    for (size_t next; !is_end; i = next) {
        next = read_attribute(text, i, end);
        if (next == i) break;
    }
    i = markdown_skip_space(text, i, end);
    if (!is_end && i < end && text[i] == '/') i++;
    return i < end && text[i] == '>' ? i + 1 : at;
}

size_t markdown_read_html(const char *text, size_t at, size_t end)
{
    if (end - at > LONGEST_TAG) end = at + LONGEST_TAG;
    if (end - at < 3) return at;
    if (text[at + 1] == '?') return after_mark(text, at + 2, end, "?>", at);
    if (text[at + 1] != '!') return read_tag(text, at, end);
    if (begins_with(text, at, end, "<!-->")) return at + 5;
    if (begins_with(text, at, end, "<!--->")) return at + 6;
    if (begins_with(text, at, end, "<!--")) return after_mark(text, at + 4, end, "-->", at);
    if (begins_with(text, at, end, "<![CDATA[")) return after_mark(text, at + 9, end, "]]>", at);
    return char_is_letter(text[at + 2]) ? after_mark(text, at + 2, end, ">", at) : at;
}

static bool is_email_character(char c)
{
    return c && (is_name_character(c) || strchr(".@!#$%&'*+/=?^_`{|}~", c));
}

size_t markdown_read_autolink(const char *text, size_t at, size_t end)
{
    size_t i = at + 1, scheme;
    bool has_at = false;

    if (end - at > LONGEST_TAG) end = at + LONGEST_TAG;
    while (i < end && (is_name_character(text[i]) || text[i] == '+' || text[i] == '.')) i++;
    scheme = i - at - 1;
    if (i < end && text[i] == ':' && scheme >= 2 && scheme <= 32 && char_is_letter(text[at + 1])) {
        while (i < end && !char_is_space(text[i]) && text[i] != '<' && text[i] != '>') i++;
        return i < end && text[i] == '>' ? i + 1 : at;
    }
    for (i = at + 1; i < end && is_email_character(text[i]); i++) has_at = has_at || text[i] == '@';
    return has_at && text[at + 1] != '@' && i < end && text[i] == '>' ? i + 1 : at;
}

/* Whether #id, .class or name= is there. */
static bool begins_attribute(const char *text, size_t at, size_t end)
{
    const bool has_mark = at < end && (text[at] == '#' || text[at] == '.');
    size_t i = at + has_mark;

    while (i < end && (is_name_character(text[i]) || text[i] == '_' || (unsigned char)text[i] >= 128)) i++;
    return i > at + has_mark && (has_mark || (i < end && text[i] == '='));
}

size_t markdown_read_attributes(const char *text, size_t at, size_t end)
{
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;
    size_t i = at + 1;

    if (at == end || text[at] != '{') return at;
    while (i < limit && char_is_blank(text[i])) i++;
    if (i == limit || (text[at + 1] != ':' && !begins_attribute(text, i, limit))) return at;
    for (; i < limit && text[i] != '\n'; i++)
        if (text[i] == '}') return i + 1;
    return at;
}

size_t markdown_read_template(const char *text, size_t at, size_t end)
{
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;

    if (begins_with(text, at, end, "{:")) return markdown_read_attributes(text, at, end);
    if (!begins_with(text, at, end, "{%")) return at;
    for (size_t i = at + 2; i + 1 < limit && text[i] != '\n'; i++)
        if (text[i] == '%' && text[i + 1] == '}') return i + 2;
    return at;
}

size_t markdown_read_variable(const char *text, size_t at, size_t end)
{
    static const char *const marks[][2] = { { "{{<", ">}}" }, { "{{%", "%}}" }, { "{{{", "}}}" }, { "{{", "}}" } };
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (begins_with(text, at, end, marks[i][0]))
            return after_mark(text, at + strlen(marks[i][0]), limit, marks[i][1], at);
    return at;
}

/* Returns the end of a tag or variable of a template in an address, or `at`. */
static size_t skip_template(const char *text, size_t at, size_t end)
{
    const size_t after = text[at] == '{' ? markdown_read_variable(text, at, end) : at;

    if (after > at || !begins_with(text, at, end, "{%")) return after;
    return markdown_read_template(text, at, end);
}

/* Returns the byte after `closing`, if it is the first bracket or brace from byte `at` on, and in this line; otherwise
 * 0. */
static size_t after_brackets(const char *text, size_t at, size_t end, char closing)
{
    const size_t limit = end - at < LONGEST_LABEL ? end : at + LONGEST_LABEL;

    while (at < limit && (!text[at] || !strchr("[]{}\n", text[at]))) at++;
    return at < limit && text[at] == closing ? at + 1 : 0;
}

size_t markdown_read_wiki_link(const char *text, size_t at, size_t end)
{
    const size_t inner = begins_with(text, at, end, "[[") ? after_brackets(text, at + 2, end, ']') : 0;

    return inner > at + 3 && inner < end && text[inner] == ']' ? inner + 1 : at;
}

size_t markdown_read_citation(const char *text, size_t at, size_t end)
{
    const bool is_one = begins_with(text, at, end, "[@") || begins_with(text, at, end, "[-@");
    const size_t after = is_one ? after_brackets(text, at + 2, end, ']') : 0;

    return after ? after : at;
}

size_t markdown_read_tex(const char *text, size_t at, size_t end, size_t *name_end)
{
    size_t i = at + 1, after;
    bool has_argument = false;

    while (i < end && char_is_letter(text[i])) i++;
    *name_end = i;
    for (; i > at + 1 && i < end && (text[i] == '{' || text[i] == '['); i = after) {
        after = after_brackets(text, i + 1, end, text[i] == '{' ? '}' : ']');
        if (!after) break;
        has_argument |= text[i] == '{';
    }
    return has_argument ? i : at;
}

size_t markdown_read_reference(const char *text, size_t at, size_t end)
{
    size_t i = at + sizeof "\\@ref(" - 1;

    if (!begins_with(text, at, end, "\\@ref(")) return at;
    while (i < end && (is_name_character(text[i]) || text[i] == ':' || text[i] == '_')) i++;
    return i < end && text[i] == ')' ? i + 1 : at;
}

size_t markdown_read_label(const char *text, size_t at, size_t end)
{
    bool has_text = false;

    if (end - at > LONGEST_LABEL) end = at + LONGEST_LABEL;
    for (size_t i = at + 1; i < end && text[i] != '['; i++) {
        if (text[i] == ']') return has_text ? i + 1 : at;
        if (!char_is_space(text[i])) has_text = true;
        if (text[i] == '\\' && i + 1 < end && markdown_is_punctuation(text[i + 1])) i++;
    }
    return at;
}

uint64_t markdown_label_key(const char *text, Range label)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a over code points */

    while (label.begin < label.end && char_is_space(text[label.end - 1])) label.end--;
    for (size_t at = markdown_skip_space(text, label.begin, label.end); at < label.end;) {
        const size_t space = markdown_skip_space(text, at, label.end);
        uint32_t code = ' ';
        if (space > at)
            at = space;
        else
            at += utf8_next(text + at, label.end - at, &code);
        hash = (hash ^ (uint32_t)u_foldCase((UChar32)code, U_FOLD_CASE_DEFAULT)) * 1099511628211u;
    }
    return hash;
}

static size_t read_bracketed_address(const char *text, size_t at, size_t end)
{
    for (size_t i = at + 1; i < end && text[i] != '\n' && text[i] != '<'; i++) {
        if (text[i] == '>') return i + 1;
        if (text[i] == '\\' && i + 1 < end && markdown_is_punctuation(text[i + 1])) i++;
    }
    return at;
}

size_t markdown_read_address(const char *text, size_t at, size_t end)
{
    size_t depth = 0, i = at;

    if (at < end && text[at] == '<') return read_bracketed_address(text, at, end);
    for (size_t next; i < end && (unsigned char)text[i] > ' ' && text[i] != 0x7f; i++) {
        next = skip_template(text, i, end);
        if (next > i) {
            i = next - 1;
        } else if (text[i] == '\\' && i + 1 < end && markdown_is_punctuation(text[i + 1])) {
            i++;
        } else if (text[i] == '(') {
            if (++depth > ADDRESS_DEPTH) return at;
        } else if (text[i] == ')' && !depth--) {
            return i;
        }
    }
    return depth ? at : i;
}

size_t markdown_read_title(const char *text, size_t at, size_t end)
{
    char closing;

    if (at >= end || !strchr("\"'(", text[at]) || !text[at]) return at;
    closing = text[at] == '(' ? ')' : text[at];
    for (size_t i = at + 1; i < end; i++) {
        if (text[i] == closing) return i + 1;
        if (text[i] == '(' && closing == ')') return at;
        if (text[i] == '\\' && i + 1 < end && markdown_is_punctuation(text[i + 1])) i++;
    }
    return at;
}

/* Reads a title after white space. */
static size_t read_spaced_title(const char *text, size_t at, size_t end, Range *title)
{
    const size_t begin = markdown_skip_space(text, at, end);
    const size_t after = begin > at ? markdown_read_title(text, begin, end) : begin;

    *title = (Range){ at, at };
    if (after == begin) return at;
    *title = (Range){ begin + 1, after - 1 };
    return after;
}

size_t markdown_read_target(const char *text, size_t at, size_t end, Range *title)
{
    const size_t begin = at < end ? markdown_skip_space(text, at + 1, end) : end;
    size_t i;

    if (at >= end || text[at] != '(' || begin == end) return at;
    i = markdown_read_address(text, begin, end);
    if (i == begin && text[i] == '<') return at;
    i = read_spaced_title(text, i, end, title);
    i = markdown_skip_space(text, i, end);
    return i < end && text[i] == ')' ? i + 1 : at;
}

/* Returns the end of the line if only blanks are left in it, otherwise `none`. */
static size_t end_line(const char *text, size_t at, size_t end, size_t none)
{
    while (at < end && (char_is_blank(text[at]) || text[at] == '\r')) at++;
    if (at == end) return end;
    return text[at] == '\n' ? at + 1 : none;
}

size_t markdown_read_definition(const char *text, size_t at, size_t end, MarkdownDefinition *out)
{
    size_t begin, address, title, after;

    if (at >= end || text[at] != '[') return at;
    begin = markdown_read_label(text, at, end);
    if (begin == at || begin == end || text[begin] != ':' || text[at + 1] == '^') return at;
    out->label = (Range){ at + 1, begin - 1 };
    begin = markdown_skip_space(text, begin + 1, end);
    address = markdown_read_address(text, begin, end);
    if (address == begin) return at;
    title = read_spaced_title(text, address, end, &out->title);
    after = end_line(text, title, end, at);
    if (after > at) return after;
    out->title = (Range){ address, address };
    return end_line(text, address, end, at);
}
