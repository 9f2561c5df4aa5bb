/* markdown_syntax.c - small parts and lines of Markdown, and the spelling of characters: see markdown.h. */
#include "markdown.h"

#include <stdio.h>
#include <string.h>

#include <unicode/uchar.h>

#include "utf8.h"

/* --- Small parts. */

/* Longer comments and tags in a paragraph are taken for text, so that reading takes linear time. */
#define LONGEST_TAG      ((size_t)4096)
#define LONGEST_LABEL    ((size_t)1000)
#define LONGEST_TEMPLATE ((size_t)1000)
#define ADDRESS_DEPTH    32

bool markdown_is_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool markdown_is_escape(const char *text, size_t at, size_t end)
{
    return text[at] == '\\' && at + 1 < end && markdown_is_punctuation(text[at + 1]);
}

bool markdown_is_escaped(const char *text, size_t length)
{
    size_t start = length;

    while (start && text[start - 1] == '\\') start--;
    return (length - start) % 2 != 0;
}

Range markdown_trimmed(const char *text, size_t at, size_t end)
{
    at = chars_skip_space(text, at, end);
    return (Range){ at, chars_trimmed_end(text, at, end) };
}

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '-';
}

/* Returns the end of an attribute with the white space before it, or `at`. */
static size_t read_attribute(const char *text, size_t at, size_t end)
{
    size_t i = chars_skip_space(text, at, end), value;

    if (i == at || i == end || !(char_is_letter(text[i]) || text[i] == '_' || text[i] == ':')) return at;
    while (i < end && (is_name_character(text[i]) || char_is_among(text[i], "_.:"))) i++;
    value = chars_skip_space(text, i, end);
    if (value == end || text[value] != '=') return i;
    value = chars_skip_space(text, value + 1, end);
    if (value < end && (text[value] == '"' || text[value] == '\'')) {
        const size_t closing = chars_find(text, value + 1, end, text[value]);
        return closing < end ? closing + 1 : at;
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
    i = chars_skip_space(text, i, end);
    if (!is_end && i < end && text[i] == '/') i++;
    return i < end && text[i] == '>' ? i + 1 : at;
}

size_t markdown_read_html(const char *text, size_t at, size_t end)
{
    end = chars_limit(at, end, LONGEST_TAG);
    if (end - at < 3) return at;
    if (text[at + 1] == '?') return chars_after(text, at + 2, end, "?>", at);
    if (text[at + 1] != '!') return read_tag(text, at, end);
    if (chars_begin(text, at, end, "<!-->")) return at + 5;
    if (chars_begin(text, at, end, "<!--->")) return at + 6;
    if (chars_begin(text, at, end, "<!--")) return chars_after(text, at + 4, end, "-->", at);
    if (chars_begin(text, at, end, "<![CDATA[")) return chars_after(text, at + 9, end, "]]>", at);
    return char_is_letter(text[at + 2]) ? chars_after(text, at + 2, end, ">", at) : at;
}

size_t markdown_read_attributes(const char *text, size_t at, size_t end)
{
    const size_t limit = chars_limit(at, end, LONGEST_TEMPLATE);
    size_t i, name;
    bool has_mark;

    if (at == end || text[at] != '{') return at;
    i = chars_skip_blanks(text, at + 1, limit);
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
    if (chars_begin(text, at, end, "{:")) return markdown_read_attributes(text, at, end);
    return chars_begin(text, at, end, "{%") ? html_template_end(text, at, end, NULL) : at;
}

size_t markdown_read_variable(const char *text, size_t at, size_t end)
{
    static const char *const marks[][2] = { { "{{<", ">}}" }, { "{{%", "%}}" }, { "{{{", "}}}" }, { "{{", "}}" } };
    const size_t limit = chars_limit(at, end, LONGEST_TEMPLATE);

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (chars_begin(text, at, end, marks[i][0]))
            return chars_after(text, at + strlen(marks[i][0]), limit, marks[i][1], at);
    return at;
}

/* Returns the place of the first `closing` in text[at..end) that is not escaped. Returns `end` or more if there is
 * none, or if one of the characters `others` is before it. */
static size_t find_closing(const char *text, size_t at, size_t end, char closing, const char *others)
{
    for (; at < end && text[at] != closing; at++) {
        if (char_is_among(text[at], others)) return end;
        at += markdown_is_escape(text, at, end);
    }
    return at;
}

size_t markdown_read_label(const char *text, size_t at, size_t end)
{
    const size_t limit = chars_limit(at, end, LONGEST_LABEL), closing = find_closing(text, at + 1, limit, ']', "[");

    return closing < limit && !markdown_line_is_blank(text, at + 1, closing) ? closing + 1 : at;
}

uint64_t markdown_label_key(const char *text, Range label)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a over code points */

    label = markdown_trimmed(text, label.begin, label.end);
    for (size_t at = label.begin; at < label.end;) {
        const size_t space = chars_skip_space(text, at, label.end);
        uint32_t code = ' ';
        if (space > at)
            at = space;
        else
            at += utf8_next(text + at, label.end - at, &code);
        hash = (hash ^ (uint32_t)u_foldCase((UChar32)code, U_FOLD_CASE_DEFAULT)) * 1099511628211u;
    }
    return hash;
}

/* Returns the end of the address of a link, or `at`. Only an address in <> may be empty. */
static size_t read_address(const char *text, size_t at, size_t end)
{
    size_t depth = 0, i = at;

    if (at < end && text[at] == '<') {
        i = find_closing(text, at + 1, end, '>', "\n<");
        return i < end ? i + 1 : at;
    }
    for (size_t next; i < end && (unsigned char)text[i] > ' ' && text[i] != 0x7f; i++) {
        next = text[i] == '{' ? markdown_read_variable(text, i, end) : i;
        if (next == i && chars_begin(text, i, end, "{%")) next = markdown_read_template(text, i, end);
        if (next > i) {
            i = next - 1;
        } else if (markdown_is_escape(text, i, end)) {
            i++;
        } else if (text[i] == '(') {
            if (++depth > ADDRESS_DEPTH) return at;
        } else if (text[i] == ')' && !depth--) {
            return i;
        }
    }
    return depth ? at : i;
}

/* Reads "title", 'title' or (title) after white space. */
static size_t read_title(const char *text, size_t at, size_t end, Range *title)
{
    const size_t begin = chars_skip_space(text, at, end);
    bool has_parentheses;
    size_t i;

    *title = (Range){ at, at };
    if (begin == at || begin == end || !char_is_among(text[begin], "\"'(")) return at;
    has_parentheses = text[begin] == '(';
    i = find_closing(text, begin + 1, end, has_parentheses ? ')' : text[begin], has_parentheses ? "(" : "");
    if (i >= end) return at;
    *title = (Range){ begin + 1, i };
    return i + 1;
}

size_t markdown_read_target(const char *text, size_t at, size_t end, Range *title)
{
    const size_t begin = at < end ? chars_skip_space(text, at + 1, end) : end;
    size_t i;

    if (at >= end || text[at] != '(' || begin == end) return at;
    i = read_address(text, begin, end);
    if (i == begin && text[i] == '<') return at;
    i = chars_skip_space(text, read_title(text, i, end, title), end);
    return i < end && text[i] == ')' ? i + 1 : at;
}

/* Returns the end of the line if only blanks follow in it, otherwise `none`. */
static size_t end_line(const char *text, size_t at, size_t end, size_t none)
{
    while (at < end && (char_is_blank(text[at]) || text[at] == '\r')) at++;
    if (at == end) return end;
    return text[at] == '\n' ? at + 1 : none;
}

size_t markdown_read_definition(const char *text, size_t at, size_t end, Range *label, Range *title)
{
    size_t begin, address, after;

    if (at >= end || text[at] != '[') return at;
    begin = markdown_read_label(text, at, end);
    if (begin == at || begin == end || text[begin] != ':' || text[at + 1] == '^') return at;
    *label = (Range){ at + 1, begin - 1 };
    begin = chars_skip_space(text, begin + 1, end);
    address = read_address(text, begin, end);
    if (address == begin) return at;
    after = end_line(text, read_title(text, address, end, title), end, at);
    if (after > at) return after;
    *title = (Range){ address, address };
    return end_line(text, address, end, at);
}

bool markdown_line_is_blank(const char *text, size_t at, size_t end)
{
    return chars_skip_space(text, at, end) == end;
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

    if (chars_begin(text, at, end, "{%"))
        i += chars_begin(text, at, end, "{%-") ? 3 : 2;
    else if (chars_begin(text, at, end, "{{<") || chars_begin(text, at, end, "{{%"))
        i += 3;
    return i > at ? chars_skip_blanks(text, i, end) : at;
}

static size_t name_end(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_letter(text[at])) at++;
    return at;
}

bool markdown_line_begins_code(const char *text, size_t at, size_t end, Range *name)
{
    static const char names[] = "codeblock comment highlight katex math mermaid";
    const size_t begin = after_tag_mark(text, at, end), stop = name_end(text, begin, end);
    const char *mark = end - at < 3 || text[at + 1] == '%' ? "%}" : text[at + 2] == '<' ? ">}}" : "%}}";
    size_t after;

    end = chars_trimmed_end(text, at, end);
    *name = (Range){ begin, stop };
    if (begin == at || !chars_are_among(text + begin, stop - begin, names)) return false;
    after = chars_after(text, stop, end, mark, 0);
    return after == end && text[after - strlen(mark) - 1] != '/';
}

bool markdown_line_ends_code(const char *text, size_t at, size_t end, Range name)
{
    const size_t length = name.end - name.begin;

    for (; at < end; at++) {
        size_t i = after_tag_mark(text, at, end);
        if (i == at) continue;
        if (text[at + 1] == '%')
            i = chars_begin(text, i, end, "end") ? i + 3 : end;
        else
            i = chars_begin(text, i, end, "/") ? chars_skip_space(text, i + 1, end) : end;
        if (name_end(text, i, end) - i == length && memcmp(text + i, text + name.begin, length) == 0) return true;
    }
    return false;
}

/* Whether one of the names (a list separated by spaces) is at byte `at`, as a whole word. */
static bool has_name(const char *text, size_t at, size_t end, const char *names)
{
    size_t after = at;

    while (after < end && !char_is_space(text[after]) && text[after] != '>' && text[after] != '/') after++;
    return after <= end && chars_are_in(text + at, after - at, names);
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
        if (chars_begin(text, at, end, "<!--")) return 2;
        if (chars_begin(text, at, end, "<![CDATA[")) return 5;
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

/* --- How characters are spelled in Markdown: with a backslash where they would be markup. */

static const char specials[] = "\\`*_[]<>&!#~|+-.)(:\"'";

#define FIRST_FLAG 64u

/* The longest white space and quote marks before a line of a paragraph, in bytes. */
#define LONGEST_INDENT ((size_t)200)

static unsigned flag_of(char c)
{
    return char_is_among(c, specials) ? FIRST_FLAG << (strchr(specials, c) - specials) : 0;
}

static char next(const SpellingPlace *place)
{
    return place->after_length ? *place->after : '\n';
}

/* Whether the text that was written before byte `at` ends at the beginning of a line, with blanks and quote marks. */
static bool is_line_start(const SpellingPlace *place, size_t at)
{
    const size_t limit = at < LONGEST_INDENT ? 0 : at - LONGEST_INDENT;

    if (!at) return true;
    while (at > limit && (char_is_blank(place->before[at - 1]) || place->before[at - 1] == '>')) at--;
    return at > limit && char_is_newline(place->before[at - 1]);
}

/* Whether a character is not markup at this place in a text. For titles, there are other rules. */
static bool is_safe_in_text(unsigned kind, char c, const SpellingPlace *place)
{
    const char before = place->before_length ? place->before[place->before_length - 1] : '\n', after = next(place);
    const bool is_alone = place->before_length && char_is_space(before) && char_is_space(after);
    const bool can_begin = kind == MARKDOWN_PARAGRAPH; /* its lines can begin blocks */
    const bool begins = can_begin && is_line_start(place, place->before_length);
    size_t number = place->before_length; /* where the digits before it begin */

    if (c == '`') return false;
    if (c == '*') return is_alone;
    if (c == '_')
        return is_alone || (u_isalnum((UChar32)utf8_code_before(place->before, place->before_length)) &&
                            u_isalnum((UChar32)utf8_code_at(place->after, place->after_length, 0)));
    if (c == '[') return place->before_length && after != '^';
    if (c == ']') return !strchr("([:", after);
    if (c == '<') return !char_is_letter(after) && !strchr("/!?", after);
    if (c == '!') return after != '[';
    if (c == '~') return before != '~' && after != '~';
    if (c == ':') return before != ']' && !(begins && char_is_space(after));
    if (c == '(') return before != ']';
    if (c == '>') return !begins;
    if (c == '#' && begins) return after != '#' && !char_is_space(after);
    if (c == '#') return can_begin || !char_is_space(before) || !(after == '#' || char_is_space(after));
    if (c == '+' || c == '-') return !begins || !(char_is_space(after) || after == '-');
    if ((c != '.' && c != ')') || !can_begin || !char_is_space(after)) return true;
    /* with a number before it, the character would begin an item of a list */
    while (number && place->before_length - number < 9 && char_is_digit(place->before[number - 1])) number--;
    return number == place->before_length || !is_line_start(place, number);
}

static bool is_safe(char c, const SpellingPlace *place)
{
    const unsigned kind = place->context % MARKDOWN_KINDS;
    char joined[SPELLING_AHEAD + 1] = "&", reference[HTML_ENTITY_BYTES];
    size_t size, length;

    if (c == '&') { /* safe unless it begins a character reference */
        if (place->after_length) memcpy(joined + 1, place->after, place->after_length);
        length = html_entity_read(joined, place->after_length + 1, false, reference, &size);
        return !length || joined[length - 1] != ';';
    }
    if (c == '\\') return place->after_length && !markdown_is_punctuation(next(place)) && !char_is_space(next(place));
    if (c == '|') return !(place->context & MARKDOWN_CELL);
    if (kind == MARKDOWN_DOUBLE) return c != '"';
    if (kind == MARKDOWN_SINGLE) return c != '\'';
    if (kind == MARKDOWN_PARENTHESES) return c != '(' && c != ')';
    return is_safe_in_text(kind, c, place);
}

unsigned markdown_spelling_flag(char c, const SpellingPlace *place)
{
    const unsigned flag = flag_of(c);

    return flag && !is_safe(c, place) ? flag : 0;
}

static bool is_list_marker(const char *text, size_t length)
{
    size_t at = 0;

    if (strchr("-+*", text[0])) return length == 1 || char_is_space(text[1]);
    while (at < length && char_is_digit(text[at])) at++;
    return at && at < length && strchr(".)", text[at]) && (at + 1 == length || char_is_space(text[at + 1]));
}

/* Whether a line of a paragraph that begins with these bytes may begin another block, or be the line below a heading or
 * the header of a table. The rest of the line is not known. Any list marker counts, because in a list it would begin an
 * item. */
static bool may_begin_block(const char *text, size_t length)
{
    const char first = length ? text[0] : '\0';
    size_t at = 0, count = 0;
    Range range;

    if (!length) return false;
    if (char_is_among(first, "#>=|:")) return true;
    if (first == '-' || first == '+') return is_list_marker(text, length) || strchr("-=|:", text[1]);
    if (char_is_among(first, "`~!?")) return length > 2 && text[1] == first && text[2] == first;
    if (first == '<') return markdown_line_html(text, 0, length, true) != 0;
    if (first == '[')
        return length > 1 && text[1] == '^' && (!memchr(text, ']', length) || markdown_line_footnote(text, 0, length));
    if (first == '*' || first == '_') {
        for (; at < length && (text[at] == first || char_is_blank(text[at])); at++) count += text[at] == first;
        if (count >= 3 && (at == length || char_is_space(text[at]) || char_is_space(text[at - 1])))
            return true; /* a rule */
        return (first == '*' && is_list_marker(text, length)) || markdown_line_abbreviation(text, 0, length, &range);
    }
    if (first != '{') return is_list_marker(text, length);
    if (markdown_read_attributes(text, 0, length)) return true;
    for (size_t end = 3; end <= length; end++)
        if (text[end - 1] == '}') return markdown_line_begins_code(text, 0, end, &range);
    return length > 1 && text[1] != '{' && text[1] != '%';
}

/* Before a newline, a blank or a backslash at the end of the text would be a hard break. */
static bool may_break_markdown(const SpellingPlace *place)
{
    const size_t length = place->before_length;

    if (place->context < HTML_CONTEXTS) return true;
    if (may_begin_block(place->after, place->after_length)) return false;
    return !(length && char_is_blank(place->before[length - 1])) && !markdown_is_escaped(place->before, length);
}

static bool is_special_markdown(unsigned context, uint32_t code)
{
    static const char *const lists[] = { "\\`*_[]<>&!#~|+-.)(:", "\\`*_[]<&!#~|(", "\\&|\"", "\\&|'", "\\&|()" };

    if (context < HTML_CONTEXTS) return html_spelling.is_special(context, code);
    return code && code < 128 && strchr(lists[context % MARKDOWN_KINDS - MARKDOWN_PARAGRAPH], (int)code);
}

/* Whether the place is in code or in an address in <>, where there are no escapes. */
static bool is_raw(const SpellingPlace *place)
{
    return place->span_length && (*place->span == '`' || (*place->span == '<' && place->span_length == 1));
}

static size_t spell_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    size_t length = 0;
    bool is_plain;

    if (place->context < HTML_CONTEXTS) return html_spelling.spell(code, place, out);
    if (code == '`' && (place->context & flag_of('`')) && !is_raw(place)) { /* \` might end code before it */
        memcpy(out, "&#96;", 5);
        return 5;
    }
    /* In the text of a link, brackets have to be balanced, so those that the source does not have are escaped. */
    is_plain = is_raw(place) ? code != '|' || !(place->context & MARKDOWN_CELL)
                             : code != '[' && code != ']' && is_safe((char)code, place);
    if (!is_plain) out[length++] = '\\';
    out[length++] = (char)code;
    return length;
}

/* Writes a character reference, except in code, where it would be text. */
static size_t refer_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    if (place->context < HTML_CONTEXTS) return html_spelling.refer(code, place, out);
    return is_raw(place) ? 0 : (size_t)snprintf(out, SPELLING_BYTES, "&#%u;", (unsigned)code);
}

static bool keeps_markdown(const char *spelling, size_t length, const SpellingPlace *place)
{
    if (place->context < HTML_CONTEXTS) return html_spelling.keeps(spelling, length, place);
    if (is_raw(place)) return length == 1 || (unsigned char)*spelling >= 128 || (length == 2 && spelling[1] == '|');
    if (length > 1) return true;
    if (strchr("[]", *spelling) && place->span_length && *place->span == '[') /* in the text of a link */
        return place->context & MARKDOWN_BRACKETS;
    return (place->context & flag_of(*spelling)) || is_safe(*spelling, place);
}

/* Writes the end of a link whose text was its label: [text][] and [text] become [text][label]. */
static Status close_label_markdown(const char *label, size_t length, Buf *out, Err *err)
{
    buf_put_text(out, "][");
    buf_put(out, label, length);
    buf_put_byte(out, ']');
    return buf_check(out, err);
}

/* Whether the bytes are a comment, a declaration or an instruction, which begin a block of HTML. */
static bool begins_block_markdown(const char *bytes, size_t length)
{
    return length > 1 && bytes[0] == '<' && (bytes[1] == '!' || bytes[1] == '?');
}

const SpellingRules markdown_spelling = { .is_special = is_special_markdown,
                                          .spell = spell_markdown,
                                          .keeps = keeps_markdown,
                                          .may_break = may_break_markdown,
                                          .refer = refer_markdown,
                                          .close_label = close_label_markdown,
                                          .marks = &markdown_emphasis_marks,
                                          .begins_block = begins_block_markdown };
