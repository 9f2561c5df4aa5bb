/* markdown_syntax.c - see markdown_syntax.h. */
#include "markdown_syntax.h"

#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "utf8.h"

/* --- The small parts of Markdown that CommonMark defines by their characters. Each function reads at text[at], at most
 * to `end`, and returns the byte after the part, or `at` if it is not there. */

/* Longer comments and tags in a paragraph are taken for text; so reading takes linear time. */
#define LONGEST_TAG      ((size_t)4096)
#define LONGEST_LABEL    ((size_t)1000)
#define LONGEST_TEMPLATE ((size_t)1000)
#define ADDRESS_DEPTH    32

bool markdown_is_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool markdown_is_escaped(const char *text, size_t length)
{
    size_t start = length;

    while (start && text[start - 1] == '\\') start--;
    return (length - start) % 2 != 0;
}

size_t markdown_skip_space(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_space(text[at])) at++;
    return at;
}

size_t markdown_trimmed_end(const char *text, size_t at, size_t end)
{
    while (end > at && char_is_space(text[end - 1])) end--;
    return end;
}

Range markdown_trimmed(const char *text, size_t at, size_t end)
{
    at = markdown_skip_space(text, at, end);
    return (Range){ at, markdown_trimmed_end(text, at, end) };
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

bool markdown_begins_with(const char *text, size_t at, size_t end, const char *prefix)
{
    const size_t length = strlen(prefix);

    return at + length <= end && memcmp(text + at, prefix, length) == 0;
}

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '-';
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
    if (value < end && (text[value] == '"' || text[value] == '\'')) {
        const char *closing = memchr(text + value + 1, text[value], end - value - 1);
        return closing ? (size_t)(closing - text) + 1 : at;
    }
    for (i = value; i < end && !char_is_space(text[i]) && !strchr("\"'=<>`", text[i]);) i++;
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
    if (markdown_begins_with(text, at, end, "<!-->")) return at + 5;
    if (markdown_begins_with(text, at, end, "<!--->")) return at + 6;
    if (markdown_begins_with(text, at, end, "<!--")) return after_mark(text, at + 4, end, "-->", at);
    if (markdown_begins_with(text, at, end, "<![CDATA[")) return after_mark(text, at + 9, end, "]]>", at);
    return char_is_letter(text[at + 2]) ? after_mark(text, at + 2, end, ">", at) : at;
}

size_t markdown_read_attributes(const char *text, size_t at, size_t end)
{
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;
    size_t i = at + 1, name;
    bool has_mark;

    if (at == end || text[at] != '{') return at;
    while (i < limit && char_is_blank(text[i])) i++;
    if (i == limit) return at;
    has_mark = text[i] == '#' || text[i] == '.';
    i += has_mark;
    for (name = i; i < limit && (is_name_character(text[i]) || text[i] == '_' || (unsigned char)text[i] >= 128);) i++;
    if (text[at + 1] != ':' && (i == name || (!has_mark && (i == limit || text[i] != '=')))) return at;
    for (; i < limit && text[i] != '\n'; i++)
        if (text[i] == '}') return i + 1;
    return at;
}

size_t markdown_read_template(const char *text, size_t at, size_t end)
{
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;

    if (markdown_begins_with(text, at, end, "{:")) return markdown_read_attributes(text, at, end);
    if (!markdown_begins_with(text, at, end, "{%")) return at;
    for (size_t i = at + 2; i + 1 < limit && text[i] != '\n'; i++)
        if (text[i] == '%' && text[i + 1] == '}') return i + 2;
    return at;
}

size_t markdown_read_variable(const char *text, size_t at, size_t end)
{
    static const char *const marks[][2] = { { "{{<", ">}}" }, { "{{%", "%}}" }, { "{{{", "}}}" }, { "{{", "}}" } };
    const size_t limit = end - at < LONGEST_TEMPLATE ? end : at + LONGEST_TEMPLATE;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (markdown_begins_with(text, at, end, marks[i][0]))
            return after_mark(text, at + strlen(marks[i][0]), limit, marks[i][1], at);
    return at;
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

    label = markdown_trimmed(text, label.begin, label.end);
    for (size_t at = label.begin; at < label.end;) {
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

/* The address of a link; it may be empty only in <>. */
static size_t markdown_read_address(const char *text, size_t at, size_t end)
{
    size_t depth = 0, i = at;

    if (at < end && text[at] == '<') {
        for (i++; i < end && text[i] != '\n' && text[i] != '<'; i++) {
            if (text[i] == '>') return i + 1;
            if (text[i] == '\\' && i + 1 < end && markdown_is_punctuation(text[i + 1])) i++;
        }
        return at;
    }
    for (size_t next; i < end && (unsigned char)text[i] > ' ' && text[i] != 0x7f; i++) {
        next = text[i] == '{' ? markdown_read_variable(text, i, end) : i;
        if (next == i && markdown_begins_with(text, i, end, "{%")) next = markdown_read_template(text, i, end);
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

/* "title", 'title' or (title). */
static size_t markdown_read_title(const char *text, size_t at, size_t end)
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

bool markdown_line_is_blank(const char *text, size_t at, size_t end)
{
    return markdown_skip_space(text, at, end) == end;
}

size_t markdown_next_line(const char *text, size_t at, size_t end)
{
    const char *newline = memchr(text + at, '\n', end - at);

    return newline ? (size_t)(newline - text) + 1 : end;
}

size_t markdown_line_footnote(const char *text, size_t at, size_t end)
{
    size_t after;

    if (end - at < 5 || text[at] != '[' || text[at + 1] != '^') return 0;
    after = markdown_read_label(text, at, end);
    return after > at + 3 && after < end && text[after] == ':' ? after + 1 - at : 0;
}

/* Returns the byte after {%, {%-, {{< or {{% with the blanks that follow, or `at`. */
static size_t after_tag_mark(const char *text, size_t at, size_t end)
{
    size_t i = at;

    if (markdown_begins_with(text, at, end, "{%"))
        i += markdown_begins_with(text, at, end, "{%-") ? 3 : 2;
    else if (markdown_begins_with(text, at, end, "{{<") || markdown_begins_with(text, at, end, "{{%"))
        i += 3;
    while (i > at && i < end && char_is_blank(text[i])) i++;
    return i;
}

static size_t name_end(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_letter(text[at])) at++;
    return at;
}

bool markdown_line_begins_code(const char *text, size_t at, size_t end, Range *name)
{
    static const char *const names[] = { "codeblock", "comment", "highlight", "katex", "math", "mermaid" };
    const size_t begin = after_tag_mark(text, at, end), stop = name_end(text, begin, end);
    const char *mark = end - at < 3 || text[at + 1] == '%' ? "%}" : text[at + 2] == '<' ? ">}}" : "%}}";
    bool is_known = false;
    size_t i = stop;

    end = markdown_trimmed_end(text, at, end);
    *name = (Range){ begin, stop };
    for (size_t k = 0; begin > at && k < sizeof names / sizeof *names; k++)
        is_known |= stop - begin == strlen(names[k]) && markdown_begins_with(text, begin, end, names[k]);
    while (is_known && i < end && !markdown_begins_with(text, i, end, mark)) i++;
    return is_known && i + strlen(mark) == end && text[i - 1] != '/';
}

bool markdown_line_ends_code(const char *text, size_t at, size_t end, Range name)
{
    const size_t length = name.end - name.begin;

    for (; at < end; at++) {
        size_t i = after_tag_mark(text, at, end);
        if (i == at) continue;
        if (text[at + 1] == '%')
            i = markdown_begins_with(text, i, end, "end") ? i + 3 : end;
        else
            i = markdown_begins_with(text, i, end, "/") ? markdown_skip_space(text, i + 1, end) : end;
        if (name_end(text, i, end) - i == length && memcmp(text + i, text + name.begin, length) == 0) return true;
    }
    return false;
}

/* Whether one of the names, separated by spaces, is at `at` and ends there. */
static bool has_name(const char *text, size_t at, size_t end, const char *names)
{
    for (const char *name = names; *name;) {
        const size_t size = strcspn(name, " ");
        const size_t after = at + size;
        if (after <= end && strncasecmp(text + at, name, size) == 0 &&
            (after == end || char_is_space(text[after]) || text[after] == '>' || text[after] == '/'))
            return true;
        name += size + strspn(name + size, " ");
    }
    return false;
}

int markdown_line_html(const char *text, size_t at, size_t end, bool interrupts)
{
    static const char raw_names[] = "pre script style textarea";
    static const char block_names[] =
        "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl "
        "dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend "
        "li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td "
        "tfoot th thead title tr track ul";
    size_t tag;

    if (end - at < 3 || text[at] != '<') return 0;
    if (has_name(text, at + 1, end, raw_names)) return 1;
    if (text[at + 1] == '?') return 3;
    if (text[at + 1] == '!') {
        if (end - at >= 4 && memcmp(text + at, "<!--", 4) == 0) return 2;
        if (end - at >= 9 && memcmp(text + at, "<![CDATA[", 9) == 0) return 5;
        return char_is_letter(text[at + 2]) ? 4 : 0;
    }
    if (has_name(text, at + 1 + (text[at + 1] == '/'), end, block_names)) return 6;
    if (interrupts) return 0;
    tag = markdown_read_html(text, at, end);
    return tag > at && markdown_line_is_blank(text, tag, end) ? 7 : 0;
}

bool markdown_line_abbreviation(const char *text, size_t at, size_t end, Range *meaning)
{
    size_t i;

    if (end - at < 5 || text[at] != '*' || text[at + 1] != '[') return false;
    i = markdown_read_label(text, at + 1, end);
    if (i == at + 1 || i == end || text[i] != ':') return false;
    *meaning = markdown_trimmed(text, i + 1, end);
    return true;
}
