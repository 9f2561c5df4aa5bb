/* markdown_units.c - turns paragraphs, headings and cells into units: recognizes their small parts, such as labels and
 * tags, and parses their markup. See markdown.h. */
#include "markdown.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "line_breaks.h"
#include "utf8.h"

/* --- Small parts that CommonMark defines by their characters. */

/* A longer tag, comment, formula, label or template is taken for text. The limits keep the reading time linear. */
#define LONGEST_TAG      ((size_t)4096)
#define LONGEST_FORMULA  ((size_t)4096)
#define LONGEST_JSX      ((size_t)1000) /* of a tag whose > may begin a line */
#define LONGEST_LABEL    ((size_t)1000)
#define LONGEST_TEMPLATE ((size_t)1000)
#define ADDRESS_DEPTH    32

bool markdown_is_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/* Whether text[at] is a backslash that escapes the next character, which is before `end`. */
static bool is_escape(const char *text, size_t at, size_t end)
{
    return text[at] == '\\' && at + 1 < end && markdown_is_punctuation(text[at + 1]);
}

bool markdown_is_escaped(const char *text, size_t length)
{
    size_t start = length;

    while (start && text[start - 1] == '\\') start--;
    return (length - start) % 2 != 0;
}

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '-';
}

/* Returns the end of the expression of JSX at text[at], such as {[a, "}"]}, or `at` if there is none. */
static size_t expression_end(const char *text, size_t at, size_t end)
{
    size_t depth = 0;

    if (at == end || text[at] != '{') return at;
    for (size_t i = at; i < end; i++) {
        if (char_is_among(text[i], "\"'`"))
            i = chars_find(text, i + 1, end, text[i]);
        else if (text[i] == '{')
            depth++;
        else if (text[i] == '}' && !--depth)
            return i + 1;
    }
    return at;
}

/* Returns the end of an attribute and the white space before it; `at` if there is none. Attributes of JSX may be
 * expressions in braces. */
static size_t read_attribute(const char *text, size_t at, size_t end)
{
    size_t i = chars_skip_space(text, at, end), value;

    if (i == at || i == end) return at;
    value = expression_end(text, i, end);
    if (value > i) return value;
    if (!char_is_letter(text[i]) && !char_is_among(text[i], "_:")) return at;
    while (i < end && (is_name_character(text[i]) || char_is_among(text[i], "_.:"))) i++;
    value = chars_skip_space(text, i, end);
    if (value == end || text[value] != '=') return i;
    value = chars_skip_space(text, value + 1, end);
    if (value < end && (text[value] == '"' || text[value] == '\'')) {
        const size_t closing = chars_find(text, value + 1, end, text[value]);
        return closing < end ? closing + 1 : at;
    }
    i = expression_end(text, value, end);
    if (i > value) return i;
    for (; i < end && !char_is_space(text[i]) && !strchr("\"'=<>`", text[i]);) i++;
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

size_t markdown_whole_lines_end(const char *bytes, Range line, size_t end)
{
    const size_t limit = chars_limit(line.begin, end, LONGEST_FORMULA);
    const bool may_be_tag = chars_begin(bytes, line.begin, line.end, "<");
    const size_t tag = may_be_tag ? read_tag(bytes, line.begin, chars_limit(line.begin, end, LONGEST_JSX)) : 0;
    const bool is_tag = tag > line.end;

    if (!is_tag &&
        (!chars_begin(bytes, line.begin, line.end, "$$") || chars_after(bytes, line.begin + 2, line.end, "$$", 0)))
        return 0;
    for (size_t at = chars_next_line(bytes, line.end, end), next; at < limit; at = next) {
        Range text;
        next = chars_next_line(bytes, at, end);
        if (is_tag && next >= tag) return tag;
        text = chars_trimmed(bytes, chars_skip(bytes, at, next, " \t>"), next);
        if (text.begin == text.end) return 0;
        if (!is_tag && (chars_begin(bytes, text.begin, text.end, "$$") || chars_end(bytes, text.begin, text.end, "$$")))
            return text.end <= limit ? text.end : 0;
    }
    return 0;
}

size_t markdown_read_attributes(const char *text, size_t at, size_t end)
{
    const size_t limit = chars_limit(at, end, LONGEST_TEMPLATE);
    size_t i, name;
    bool has_mark;

    if (at == end || text[at] != '{') return at;
    if (chars_begin(text, at, limit, "{-}")) return at + 3; /* a heading without a number */
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

/* Returns the end of {% ... %} or {: ... } in one line, or `at`. */
static size_t template_end(const char *text, size_t at, size_t end)
{
    if (chars_begin(text, at, end, "{:")) return markdown_read_attributes(text, at, end);
    return chars_begin(text, at, end, "{%") ? html_template_end(text, at, end, NULL) : at;
}

/* Returns the end of {{ ... }}, {{< ... >}} or {{% ... %}} of Jekyll, Hugo and others, or `at`. */
static size_t variable_end(const char *text, size_t at, size_t end)
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
        at += is_escape(text, at, end);
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

    label = chars_trimmed(text, label.begin, label.end);
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
        next = text[i] == '{' ? variable_end(text, i, end) : i;
        if (next == i && chars_begin(text, i, end, "{%")) next = template_end(text, i, end);
        if (next > i) {
            i = next - 1;
        } else if (is_escape(text, i, end)) {
            i++;
        } else if (text[i] == '(') {
            if (++depth > ADDRESS_DEPTH) return at;
        } else if (text[i] == ')' && !depth--) {
            return i;
        }
    }
    return depth ? at : i;
}

/* Reads "title", 'title' or (title) after white space. Returns its end, or `at` if there is none. */
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

/* Reads (address "title") after the text of a link. *title is the text inside the quotes; it may be empty. */
static size_t target_end(const char *text, size_t at, size_t end, Range *title)
{
    const size_t begin = at < end ? chars_skip_space(text, at + 1, end) : end;
    size_t i;

    if (at >= end || text[at] != '(' || begin == end) return at;
    i = read_address(text, begin, end);
    if (i == begin && text[i] == '<') return at;
    i = chars_skip_space(text, read_title(text, i, end, title), end);
    return i < end && text[i] == ')' ? i + 1 : at;
}

/* Returns the end of the line if only blanks follow byte `at` in it, otherwise `none`. */
static size_t end_line(const char *text, size_t at, size_t end, size_t none)
{
    while (at < end && (char_is_blank(text[at]) || text[at] == '\r')) at++;
    if (at == end) return end;
    return text[at] == '\n' ? at + 1 : none;
}

size_t markdown_read_definition(const char *text, size_t at, size_t end, Range *label, Range *title)
{
    size_t begin, address, after;
    bool is_comment;

    if (at >= end || text[at] != '[') return at;
    begin = markdown_read_label(text, at, end);
    if (begin == at || begin == end || text[begin] != ':' || text[at + 1] == '^') return at;
    *label = (Range){ at + 1, begin - 1 };
    begin = chars_skip_space(text, begin + 1, end);
    address = read_address(text, begin, end);
    if (address == begin) return at;
    after = end_line(text, read_title(text, address, end, title), end, at);
    is_comment = chars_are_among(text + begin, address - begin, "# <>");
    if (after == at || is_comment) *title = (Range){ address, address };
    return after > at ? after : end_line(text, address, end, at);
}

bool markdown_line_is_blank(const char *text, size_t at, size_t end)
{
    return chars_skip_space(text, at, end) == end;
}

/* --- The parts of a text: text, escapes, spans, links, tags. */

typedef enum {
    MARKDOWN_TEXT,
    MARKDOWN_SPELLED, /* an escape or a character reference */
    MARKDOWN_BREAK,   /* a soft line break, with the blanks before it */
    MARKDOWN_HARD,    /* a hard line break */
    MARKDOWN_OPEN,    /* the beginning of a span */
    MARKDOWN_CLOSE,
    MARKDOWN_EMPTY, /* an image, a footnote, a comment */
    MARKDOWN_TAG    /* a start or end tag of HTML */
} MarkdownKind;

/* A part of the text [begin, end). */
typedef struct {
    MarkdownKind kind;
    bool is_kept, is_raw;         /* kept: not translated; raw: without escapes and references */
    bool is_label;                /* the end of a link whose text is its label */
    Range bytes;                  /* empty: nothing is left of it */
    uint64_t key;                 /* the same for both ends of a span */
    char text[HTML_ENTITY_BYTES]; /* [size], for MARKDOWN_SPELLED: what the escape or reference stands for */
    size_t size;
    Range alt, title; /* texts in the part; may be empty */
} MarkdownNode;

typedef LIST_OF(MarkdownNode) MarkdownNodes; /* in order and without gaps */

#define LONGEST_BRACKETS  ((size_t)1000)
#define LONGEST_CODE_MARK 80

/* --- Where marks of emphasis can open and close spans. */

typedef enum { SIDE_SPACE, SIDE_PUNCTUATION, SIDE_OTHER } Side;

static Side side_of(uint32_t code)
{
    if (utf8_is_space(code)) return SIDE_SPACE;
    if (code == UTF8_INVALID) return SIDE_OTHER;
    if (code < 128) return markdown_is_punctuation((char)code) ? SIDE_PUNCTUATION : SIDE_OTHER;
    return u_ispunct((UChar32)code) || (U_GET_GC_MASK((UChar32)code) & U_GC_S_MASK) ? SIDE_PUNCTUATION : SIDE_OTHER;
}

static Side side_before(const char *text, Range range, size_t at)
{
    return at == range.begin ? SIDE_SPACE : side_of(utf8_code_before(text + range.begin, at - range.begin));
}

static Side side_after(const char *text, Range range, size_t at)
{
    return at == range.end ? SIDE_SPACE : side_of(utf8_code_at(text, range.end, at));
}

typedef struct {
    bool can_open, can_close;
} Flanks;

/* Applies section 6.2 of CommonMark: "left-flanking", "right-flanking" and rules 1 to 8. */
static Flanks flanks_of(char mark, Side before, Side after)
{
    const bool is_left = after != SIDE_SPACE && (after == SIDE_OTHER || before != SIDE_OTHER);
    const bool is_right = before != SIDE_SPACE && (before == SIDE_OTHER || after != SIDE_OTHER);

    if (mark != '_') return (Flanks){ is_left, is_right };
    return (Flanks){ is_left && (!is_right || before == SIDE_PUNCTUATION),
                     is_right && (!is_left || after == SIDE_PUNCTUATION) };
}

/* Whether the ends of a span are marks of emphasis. If the span continues in another text, one of them has length 0. */
static bool is_mark(const char *open, size_t open_length, const char *close, size_t close_length)
{
    const char *mark = open_length ? open : close;
    const size_t length = open_length ? open_length : close_length;

    if (!length || length > 2 || !strchr("*_~", mark[0]) || mark[0] != mark[length - 1]) return false;
    return !open_length || !close_length || (open_length == close_length && memcmp(open, close, length) == 0);
}

static bool fits(const MarkPlace *place)
{
    const char mark = place->length ? place->mark[0] : ' ';
    size_t before = place->before_length, after = 0, cut;
    uint32_t code = 0;
    Flanks flanks;

    if (!strchr("*_~", mark)) return true;
    while (before && place->before[before - 1] == mark) before--;
    before += markdown_is_escaped(place->before, before) && before < place->before_length;
    while (after < place->after_length && place->after[after] == mark) after++;
    if (place->is_empty) return false;
    /* If the character before or after the run of marks is not completely known, assume that the mark fits. */
    cut = before;
    while (cut && char_goes_on(place->before[cut - 1])) cut--;
    if (place->before_length == SPELLING_AHEAD && !cut) return true;
    if (after < place->after_length) utf8_next(place->after + after, place->after_length - after, &code);
    if (place->after_length == SPELLING_AHEAD &&
        (after == SPELLING_AHEAD || (after + 4 > SPELLING_AHEAD && code == UTF8_INVALID)))
        return true;
    if (place->follows_same && !(place->context & MARKDOWN_MARKS) &&
        (place->before_length - before + place->length + after) % 3 != 0)
        return false;
    if (mark == '~' && place->before_length - before + after) return false;
    flanks = flanks_of(mark, side_before(place->before, (Range){ 0, before }, before),
                       side_after(place->after, (Range){ after, place->after_length }, after));
    return place->closes ? flanks.can_close : flanks.can_open;
}

static bool may_pass(uint32_t code)
{
    return side_of(code) != SIDE_OTHER;
}

static const char *replace(const char *mark, size_t length, bool closes, unsigned attempt)
{
    if (mark[0] == '_' && attempt == 1) return length == 2 ? "**" : "*";
    if (mark[0] == '~') return closes ? "</del>" : "<del>";
    if (length == 2) return closes ? "</strong>" : "<strong>";
    return closes ? "</em>" : "<em>";
}

const MarkRules markdown_emphasis_marks = { is_mark, fits, may_pass, replace };

/* --- Formulas of TeX, \( ... \) and \[ ... \], which MathJax and KaTeX find in Markdown. In prose, these marks may be
 * escaped brackets: \(see below\). The text between them is a formula if it has a command of TeX or an index; if it has
 * an operator, but no two successive words of three or more letters; or if all its words have one or two letters. */

static bool is_letter(char c)
{
    return char_is_letter(c) || (unsigned char)c >= 128;
}

/* Whether text[at] is a ^ or _ between a base and an argument. In _word_, it marks emphasis. */
static bool is_script(const char *text, size_t at, Range inner)
{
    const char before = at > inner.begin ? text[at - 1] : ' ', after = at + 1 < inner.end ? text[at + 1] : ' ';

    if (text[at] != '^' && text[at] != '_') return false;
    if (!is_letter(before) && !char_is_digit(before) && !strchr("})]'", before)) return false;
    return is_letter(after) || char_is_digit(after) || after == '{' || after == '\\';
}

/* Whether the text between the marks is a formula. A command proves this. A subscript or superscript proves it as well,
 * unless it is a word of several characters, as in the name a_word: then _ counts only as an operator, such as +.
 * - A text with an operator is a formula unless two words of three or more letters have only space between them.
 * - A text without one is a formula unless it has a word of three or more letters, or two words of two letters with
 *   only space between them. */
static bool is_formula(const char *text, Range inner)
{
    bool is_escaped = false, has_operator = false, has_long = false, has_pair = false, has_long_pair = false;
    size_t last = 0, length; /* letters of the previous word; 0 if more than white space follows it */

    for (size_t i = inner.begin; i < inner.end; i++) {
        const char next = i + 1 < inner.end ? text[i + 1] : '.', after = i + 2 < inner.end ? text[i + 2] : ' ';
        const bool is_name = is_letter(next) && (is_letter(after) || char_is_digit(after) || after == '_');
        const bool is_index = is_script(text, i, inner), begins_escape = text[i] == '\\' && !is_escaped;
        const bool is_spaced = i > inner.begin && char_is_space(text[i - 1]) && char_is_space(next);
        if ((is_index && !is_name && !is_escaped) || (begins_escape && char_is_letter(next))) return true;
        has_operator |= is_index || char_is_among(text[i], "=<>+") || (is_spaced && char_is_among(text[i], "-*/|"));
        is_escaped = begins_escape;
    }
    for (size_t i = inner.begin; i < inner.end; i += length ? length : 1) {
        for (length = 0; i + length < inner.end && is_letter(text[i + length]);) length++;
        has_long |= length >= 3;
        has_pair |= length >= 2 && last >= 2;
        has_long_pair |= length >= 3 && last >= 3;
        if (length || !char_is_space(text[i])) last = length;
    }
    return has_operator ? !has_long_pair : !has_long && !has_pair;
}

/* Returns the byte after the formula that begins with the backslash at text[at], at most `end`; or `at` if the closing
 * bracket is missing, or if the text inside does not look like a formula. The search stops at another opening bracket,
 * so that each byte is read only once for each kind of bracket. */
static size_t formula_end(const char *text, size_t at, size_t end)
{
    const size_t limit = chars_limit(at + 2, end, LONGEST_FORMULA);
    const char opening = end - at < 5 ? '\0' : text[at + 1], closing = opening == '(' ? ')' : ']';
    Range inner = { at + 2, at + 2 };
    size_t after;

    if (opening != '(' && opening != '[') return at;
    for (; inner.end + 1 < limit; inner.end++) {
        if (text[inner.end] != '\\') continue;
        if (text[inner.end + 1] == closing) break;
        if (text[inner.end + 1] == opening) return at;
        inner.end++;
    }
    if (inner.end + 1 >= limit || markdown_line_is_blank(text, inner.begin, inner.end)) return at;
    if (!is_formula(text, inner)) return at;
    after = inner.end + 2;
    return opening == '[' && after < end && strchr("([\\", text[after]) ? at : after;
}

/* A longer text between single dollar signs is no formula. */
#define LONGEST_DOLLARS ((size_t)400)

/* Whether the text between dollar signs has at byte `at` what only formulas have: a command of TeX, or an index. The _
 * of a_word is no index. */
static bool proves_formula(const char *text, size_t at, Range inner)
{
    const char next = at + 1 < inner.end ? text[at + 1] : ' ', after = at + 2 < inner.end ? text[at + 2] : ' ';

    if (text[at] == '\\') return char_is_letter(next);
    if (text[at] == '^') return true;
    if (text[at] != '_' || at == inner.begin || char_is_space(text[at - 1]) || char_is_space(next)) return false;
    return !is_letter(next) || !(is_letter(after) || char_is_digit(after) || after == '_');
}

/* Returns the byte after the formula that begins with the dollar sign at text[at], $...$ or $$...$$; or `at` if there
 * is none: a text between two prices has neither a command nor an index, or a space or a digit is beside the second
 * sign. Code and links come first. */
static size_t dollar_formula_end(const char *text, size_t at, Range paragraph)
{
    const size_t marks = chars_begin(text, at, paragraph.end, "$$") ? 2 : 1;
    const size_t limit = chars_limit(at, paragraph.end, marks == 2 ? LONGEST_FORMULA : LONGEST_DOLLARS);
    Range inner = { at + marks, at + marks };
    bool is_proved = false;
    size_t end;

    if (at > paragraph.begin && (is_letter(text[at - 1]) || char_is_digit(text[at - 1]) || text[at - 1] == '$'))
        return at;
    for (; inner.end < limit && text[inner.end] != '$'; inner.end++) {
        if (text[inner.end] == '`' || chars_begin(text, inner.end, limit, "](")) return at;
        inner.end += text[inner.end] == '\\' && inner.end + 1 < limit;
    }
    end = inner.end + marks;
    if (end > limit || inner.end <= inner.begin || text[end - 1] != '$') return at;
    if (marks == 2) return end;
    for (size_t i = inner.begin; i < inner.end && !is_proved; i++) is_proved = proves_formula(text, i, inner);
    if (!is_proved || char_is_space(text[inner.begin]) || char_is_space(text[inner.end - 1])) return at;
    return end < paragraph.end && (is_letter(text[end]) || char_is_digit(text[end])) ? at : end;
}

/* --- The parser. As in the appendix of CommonMark, runs of * _ ~ and opening brackets are text at first and become
 * spans when their other end is found. */

/* A run of the character *, _ or ~. Its node becomes shorter when spans take marks from it. */
typedef struct {
    size_t node, length; /* index of its node; its original length */
    char mark;
    bool can_open, can_close;
} MarkRun;

typedef struct {
    size_t node, run; /* index of its node; the number of runs before it */
    bool is_image;
} Bracket;

typedef struct {
    const char *text;
    size_t begin, end; /* of the text */
    const MarkdownTexts *texts;
    bool is_title; /* the text is the title of a link: it has only escapes and references */
    bool is_cell;  /* the text is a cell of a table: \| is a |, even in code */
    MarkdownNodes nodes;
    bool is_full;            /* the text has more nodes than UNIT_PARTS */
    MarkdownNode lost;       /* takes the place of a new node after a failure */
    LIST_OF(MarkRun) runs;   /* runs that are not matched yet */
    LIST_OF(size_t) openers; /* runs that can still open a span */
    LIST_OF(Bracket) brackets;
    size_t inactive;                        /* brackets before this one open no links: links do not nest */
    bool lacks_code[LONGEST_CODE_MARK + 1]; /* lacks_code[n]: no run of n backticks follows */
    uint64_t key;
} InlineParser;

static bool has_failed(const InlineParser *p)
{
    return p->is_full || p->nodes.failed || p->runs.failed || p->openers.failed || p->brackets.failed;
}

static bool is_defined(const InlineParser *p, Range label)
{
    const uint64_t key = markdown_label_key(p->text, label);

    return str_map_get(p->texts->labels, (const char *)&key, sizeof key, -1) >= 0;
}

/* Adds a node. Its other fields are 0. */
static MarkdownNode *add(InlineParser *p, MarkdownKind kind, size_t begin, size_t end)
{
    const MarkdownNode node = { .kind = kind, .bytes = { begin, end } };

    p->is_full |= p->nodes.len == UNIT_PARTS;
    if (!p->is_full) LIST_PUT(&p->nodes, node);
    return has_failed(p) ? &p->lost : &p->nodes.data[p->nodes.len - 1];
}

static size_t add_text(InlineParser *p, size_t begin, size_t end)
{
    add(p, MARKDOWN_TEXT, begin, end);
    return end;
}

static size_t add_spelled(InlineParser *p, const char *text, size_t size, size_t begin, size_t end)
{
    MarkdownNode *node = add(p, MARKDOWN_SPELLED, begin, end);

    memcpy(node->text, text, size);
    node->size = size;
    return end;
}

/* Adds a part that is kept. No character in it is markup. */
static size_t add_kept(InlineParser *p, size_t begin, size_t end)
{
    for (size_t at = begin, next; at < end && !has_failed(p); at = next) {
        next = p->text[at] == '\n' ? at + 1 : chars_find(p->text, at, end, '\n');
        add(p, p->text[at] == '\n' ? MARKDOWN_BREAK : MARKDOWN_TEXT, at, next)->is_kept = true;
    }
    return end;
}

/* --- Emphasis. */

static Range *rest_of(const InlineParser *p, const MarkRun *run)
{
    return &p->nodes.data[run->node].bytes;
}

static size_t left_of(const InlineParser *p, const MarkRun *run)
{
    return rest_of(p, run)->end - rest_of(p, run)->begin;
}

/* Applies CommonMark's rules 9 and 10 ("multiple of 3"). */
static bool are_partners(const MarkRun *opener, const MarkRun *closer)
{
    if (opener->mark != closer->mark) return false;
    if (opener->mark == '~') return opener->length == closer->length;
    if (!closer->can_open && !opener->can_close) return true;
    return closer->length % 3 == 0 || (opener->length + closer->length) % 3 != 0;
}

/* Matches the closer with openers until all its marks are used or no opener fits. No opener before the run *bottom fits
 * closers of this kind. */
static void match_closer(InlineParser *p, size_t index, size_t *bottom)
{
    const MarkRun *closer = &p->runs.data[index];

    while (!has_failed(p) && left_of(p, closer)) {
        const MarkRun *opener = NULL;
        size_t found = p->openers.len, length, begin, end;
        bool is_double;
        for (; found && p->openers.data[found - 1] >= *bottom; found--) {
            opener = &p->runs.data[p->openers.data[found - 1]];
            if (are_partners(opener, closer)) break;
            opener = NULL;
        }
        if (!opener) {
            *bottom = index;
            return;
        }
        /* the span takes the last marks of the opener and the first ones of the closer */
        is_double = left_of(p, opener) >= 2 && left_of(p, closer) >= 2;
        length = opener->mark == '~' ? opener->length : is_double ? 2 : 1;
        end = rest_of(p, opener)->end -= length;
        begin = (rest_of(p, closer)->begin += length) - length;
        p->key++;
        add(p, MARKDOWN_OPEN, end, end + length)->key = p->key;
        add(p, MARKDOWN_CLOSE, begin, begin + length)->key = p->key;
        p->openers.len = left_of(p, opener) ? found : found - 1;
    }
}

/* Finds the spans among the runs from `first` on, and removes these runs. Appends nodes for the two ends of each span,
 * with a new key. */
static void match_emphasis(InlineParser *p, size_t first)
{
    enum { CLOSER_KINDS = 18 };
    size_t bottoms[CLOSER_KINDS];

    for (size_t i = 0; i < CLOSER_KINDS; i++) bottoms[i] = first;
    p->openers.len = 0;
    for (size_t i = first; i < p->runs.len && !has_failed(p); i++) {
        const MarkRun *run = &p->runs.data[i];
        const size_t kind = (run->mark == '*' ? 0u : run->mark == '_' ? 6u : 12u) + (run->can_open ? 3u : 0u);
        if (run->can_close) match_closer(p, i, &bottoms[kind + run->length % 3]);
        if (run->can_open && left_of(p, run)) LIST_PUT(&p->openers, i);
    }
    p->runs.len = first;
}

static size_t run_end(const InlineParser *p, size_t at)
{
    const char mark = p->text[at];

    while (at < p->end && p->text[at] == mark) at++;
    return at;
}

static size_t read_marks(InlineParser *p, size_t at)
{
    const size_t end = run_end(p, at);
    const Range range = { p->begin, p->end };
    const Flanks flanks = flanks_of(p->text[at], side_before(p->text, range, at), side_after(p->text, range, end));
    const MarkRun run = { p->nodes.len, end - at, p->text[at], flanks.can_open, flanks.can_close };

    if (run.mark != '~' || run.length <= 2) LIST_PUT(&p->runs, run);
    return add_text(p, at, end);
}

/* --- Escapes, references, line breaks, code, tags. */

/* Returns the byte after `closing` if it is the first bracket or brace from byte `at` on and in the same line;
 * otherwise 0. */
static size_t after_brackets(const InlineParser *p, size_t at, char closing)
{
    const size_t limit = chars_limit(at, p->end, LONGEST_BRACKETS);

    while (at < limit && !char_is_among(p->text[at], "[]{}\n")) at++;
    return at < limit && p->text[at] == closing ? at + 1 : 0;
}

/* Reads a command of TeX such as \name[x]{y}. A command without braces counts only if it is the whole text. */
static size_t read_tex(InlineParser *p, size_t at)
{
    size_t i = at + 1, after;
    bool is_tex;

    while (i < p->end && char_is_letter(p->text[i])) i++;
    is_tex = at == p->begin && i == p->end;
    for (; i < p->end && (p->text[i] == '{' || p->text[i] == '['); i = after) {
        after = after_brackets(p, i + 1, p->text[i] == '{' ? '}' : ']');
        if (!after) break;
        is_tex |= p->text[i] == '{';
    }
    return is_tex ? add_kept(p, at, i) : add_text(p, at, at + 1);
}

static size_t read_escape(InlineParser *p, size_t at)
{
    const char next = at + 1 < p->end ? p->text[at + 1] : '\0';
    size_t end = at;

    if (!p->is_title && chars_begin(p->text, at, p->end, "\\@ref(")) { /* of bookdown: \@ref(fig:name) */
        for (end = at + sizeof "\\@ref(" - 1; end < p->end; end++)
            if (!char_is_alphanumeric(p->text[end]) && !char_is_among(p->text[end], "-:_")) break;
        end = end < p->end && p->text[end] == ')' ? end + 1 : at;
    }
    if (!p->is_title && end == at) end = formula_end(p->text, at, p->end);
    if (end > at) return add_kept(p, at, end);
    if (char_is_letter(next) && !p->is_title) return read_tex(p, at);
    if (next == '\n' && !p->is_title) {
        add(p, MARKDOWN_HARD, at, at + 2);
        return at + 2;
    }
    if (!markdown_is_punctuation(next)) return add_text(p, at, at + 1);
    return add_spelled(p, p->text + at + 1, 1, at, at + 2);
}

static MarkdownNode *last_node(const InlineParser *p)
{
    return p->nodes.len ? &p->nodes.data[p->nodes.len - 1] : NULL;
}

/* Blanks before the newline belong to the break; two or more spaces make it a hard one. */
static size_t read_newline(InlineParser *p, size_t at)
{
    MarkdownNode *last = last_node(p);
    size_t begin = at;
    bool is_hard;

    if (last && last->kind == MARKDOWN_TEXT)
        while (begin > last->bytes.begin && char_is_blank(p->text[begin - 1])) begin--;
    if (last && begin < at) last->bytes.end = begin;
    is_hard = !p->is_title && at - begin >= 2 && p->text[at - 1] == ' ' && p->text[at - 2] == ' ';
    add(p, is_hard ? MARKDOWN_HARD : MARKDOWN_BREAK, begin, at + 1);
    return at + 1;
}

/* Adds a span of code, or of an address in <>. Its contents are `inner`; with its marks, it is [begin, end). */
static size_t add_raw_span(InlineParser *p, size_t begin, Range inner, size_t end)
{
    const char *text = p->text;
    const uint64_t key = ++p->key;

    add(p, MARKDOWN_OPEN, begin, inner.begin)->key = key;
    for (size_t at = inner.begin, next; at < inner.end && !has_failed(p); at = next) {
        MarkdownNode *node;
        next = at + 1;
        if (text[at] == '\\' && p->is_cell && next < inner.end && text[next] == '|') {
            next = add_spelled(p, "|", 1, at, at + 2);
        } else if (text[at] == '\n') {
            add(p, MARKDOWN_BREAK, at, next);
        } else {
            while (next < inner.end && text[next] != '\n' && text[next] != '\\') next++;
            add_text(p, at, next);
        }
        node = has_failed(p) ? &p->lost : last_node(p);
        node->is_kept = node->is_raw = true;
    }
    add(p, MARKDOWN_CLOSE, inner.end, end)->key = key;
    return end;
}

static size_t read_code(InlineParser *p, size_t at)
{
    const size_t begin = run_end(p, at), length = begin - at;

    if (length > LONGEST_CODE_MARK || p->lacks_code[length]) return add_text(p, at, begin);
    for (size_t i = begin, next; (i = chars_find(p->text, i, p->end, '`')) < p->end; i = next) {
        next = run_end(p, i);
        if (next - i == length)
            return add_raw_span(p, at, (Range){ begin, i }, markdown_read_attributes(p->text, next, p->end));
    }
    p->lacks_code[length] = true;
    return add_text(p, at, begin);
}

/* Returns the end of an address such as <https://x.y> or <a@x.y>; `at` if there is none. */
static size_t autolink_end(const InlineParser *p, size_t at)
{
    const size_t end = chars_limit(at, p->end, LONGEST_TAG);
    const char *text = p->text;
    size_t i = at + 1, scheme;
    bool has_at = false;

    while (i < end && (char_is_alphanumeric(text[i]) || char_is_among(text[i], "-+."))) i++;
    scheme = i - at - 1;
    if (i < end && text[i] == ':' && scheme >= 2 && scheme <= 32 && char_is_letter(text[at + 1])) {
        while (i < end && !char_is_space(text[i]) && text[i] != '<' && text[i] != '>') i++;
        return i < end && text[i] == '>' ? i + 1 : at;
    }
    for (i = at + 1; i < end; i++) {
        if (!char_is_alphanumeric(text[i]) && !char_is_among(text[i], "-.@!#$%&'*+/=?^_`{|}~")) break;
        has_at |= text[i] == '@';
    }
    return has_at && text[at + 1] != '@' && i < end && text[i] == '>' ? i + 1 : at;
}

static size_t read_angle(InlineParser *p, size_t at)
{
    size_t end = autolink_end(p, at);
    const bool is_tag = at + 1 < p->end && (char_is_letter(p->text[at + 1]) || p->text[at + 1] == '/');

    if (end > at) return add_raw_span(p, at, (Range){ at + 1, end - 1 }, end);
    end = markdown_read_html(p->text, at, p->end);
    if (end == at) return add_text(p, at, at + 1);
    add(p, is_tag ? MARKDOWN_TAG : MARKDOWN_EMPTY, at, end);
    return end;
}

/* --- Links. */

/* Returns the end of a link of a wiki, such as [[page]] or [[page|text]], or of a citation of pandoc: [@key, p. 3].
 * Returns `at` for a link of Markdown and for anything else. */
static size_t read_other_brackets(const InlineParser *p, size_t at)
{
    const char *text = p->text;
    const bool is_wiki = chars_begin(text, at, p->end, "[[");
    size_t end = 0;

    if (is_wiki || chars_begin(text, at, p->end, "[@") || chars_begin(text, at, p->end, "[-@"))
        end = after_brackets(p, at + 2, ']');
    if (is_wiki) end = end > at + 3 && end < p->end && text[end] == ']' ? end + 1 : 0;
    if (!end || (end < p->end && strchr(is_wiki ? "([" : "([:", text[end]))) return at;
    return is_defined(p, (Range){ at + 1 + is_wiki, end - 1 - is_wiki }) ? at : end;
}

static size_t read_open_bracket(InlineParser *p, size_t at)
{
    const bool is_image = p->text[at] == '!';
    const size_t bracket = at + is_image, label = markdown_read_label(p->text, bracket, p->end);
    const size_t other = read_other_brackets(p, bracket);
    const Bracket item = { p->nodes.len, p->runs.len, is_image };

    if (other > bracket) return add_kept(p, at, other);
    if (!is_image && at + 1 < p->end && p->text[at + 1] == '^' && label > at + 3) { /* a footnote */
        add(p, MARKDOWN_EMPTY, at, label);
        return label;
    }
    LIST_PUT(&p->brackets, item);
    return add_text(p, at, bracket + 1);
}

/* Reads the address or label of a link after its text, whose closing bracket is before byte `at`. Returns the end of
 * the link, or 0 if this is not a link. *is_label: the text of the link is its label. */
static size_t read_link_end(const InlineParser *p, Range text, size_t at, Range *title, bool *is_label)
{
    size_t end = target_end(p->text, at, p->end, title);

    if (end > at) return end;
    *title = (Range){ at, at };
    if (at < p->end && p->text[at] == '[') end = markdown_read_label(p->text, at, p->end);
    if (end > at) return is_defined(p, (Range){ at + 1, end - 1 }) ? end : 0;
    if (markdown_read_label(p->text, text.begin - 1, text.end + 1) != text.end + 1 || !is_defined(p, text)) return 0;
    *is_label = true;
    return chars_begin(p->text, at, p->end, "[]") ? at + 2 : at;
}

static size_t read_close_bracket(InlineParser *p, size_t at)
{
    MarkdownNode *node;
    Bracket bracket;
    Range text, title;
    bool is_label = false;
    size_t end;

    if (!p->brackets.len) return add_text(p, at, at + 1);
    bracket = p->brackets.data[--p->brackets.len];
    text = (Range){ p->nodes.data[bracket.node].bytes.end, at };
    if (p->inactive > p->brackets.len) {
        p->inactive = p->brackets.len;
        if (!bracket.is_image) return add_text(p, at, at + 1);
    }
    end = read_link_end(p, text, at + 1, &title, &is_label);
    if (!end) return add_text(p, at, at + 1);
    if (bracket.is_image || !is_label) end = markdown_read_attributes(p->text, end, p->end);
    if (bracket.is_image) { /* everything inside it becomes one node */
        const size_t begin = p->nodes.data[bracket.node].bytes.begin;
        p->nodes.len = bracket.node;
        p->runs.len = bracket.run;
        node = add(p, MARKDOWN_EMPTY, begin, end);
        node->alt = is_label ? (Range){ text.begin, text.begin } : text;
    } else {
        match_emphasis(p, bracket.run);
        p->nodes.data[bracket.node].kind = MARKDOWN_OPEN;
        p->nodes.data[bracket.node].key = ++p->key;
        node = add(p, MARKDOWN_CLOSE, at, end);
        node->key = p->key;
        node->is_label = is_label;
        p->inactive = p->brackets.len;
    }
    node->title = title;
    return end;
}

/* --- All parts. */

static size_t read_plain(InlineParser *p, size_t at)
{
    const char *specials = p->is_title ? "\\&\n" : "\\`*_~[]!<&\n{$";
    size_t end = at + 1;

    while (end < p->end && !char_is_among(p->text[end], specials)) end++;
    return add_text(p, at, end);
}

/* Reads a template, or attributes in braces after a link, an image or code. */
static size_t read_template(InlineParser *p, size_t at)
{
    const char *text = p->text;
    const bool follows_mark = at > p->begin && strchr(")]`", text[at - 1]);
    MarkdownNode *last = last_node(p);
    size_t end;

    if (last && last->kind == MARKDOWN_TEXT && last->bytes.end == at && text[at - 1] == ':') { /* an icon, :name: */
        size_t icon = at - 1;
        end = markdown_read_attributes(text, at, p->end);
        while (icon > last->bytes.begin && (char_is_alphanumeric(text[icon - 1]) || strchr("+-", text[icon - 1])))
            icon--;
        if (end > at && at - icon > 2 && icon > last->bytes.begin && text[icon - 1] == ':') {
            last->bytes.end = --icon;
            return add_kept(p, icon, end);
        }
    }
    end = variable_end(text, at, p->end);
    if (end > at) { /* keep it, unless it is a shortcode that is an end tag or alone in the first line */
        const bool is_end = text[chars_skip_space(text, at + 3, end)] == '/';
        const bool is_alone = at == p->begin && (end == p->end || text[end] == '\n');
        if (!strchr("<%", text[at + 2]) || !(is_end || is_alone)) return add_kept(p, at, end);
    }
    if (end == at) end = template_end(text, at, p->end);
    if (end == at && follows_mark) end = markdown_read_attributes(text, at, p->end);
    if (end == at) return read_plain(p, at);
    add(p, MARKDOWN_EMPTY, at, end);
    return end;
}

static size_t read_part(InlineParser *p, size_t at)
{
    const char c = p->text[at];
    char text[HTML_ENTITY_BYTES];
    size_t size, length, end;

    if (c == '&') {
        length = html_entity_read(p->text + at, p->end - at, false, text, &size);
        if (!length || p->text[at + length - 1] != ';') return add_text(p, at, at + 1);
        return add_spelled(p, text, size, at, at + length);
    }
    if (c == '\\') return read_escape(p, at);
    if (c == '\n') return read_newline(p, at);
    if (p->is_title) return read_plain(p, at);
    if (c == '`') return read_code(p, at);
    if (c == '*' || c == '_' || c == '~') return read_marks(p, at);
    if (c == '[' || chars_begin(p->text, at, p->end, "![")) return read_open_bracket(p, at);
    if (c == ']') return read_close_bracket(p, at);
    if (c == '<') return read_angle(p, at);
    if (c == '{') return read_template(p, at);
    if (c == '$' && (end = dollar_formula_end(p->text, at, (Range){ p->begin, p->end })) > at)
        return add_kept(p, at, end);
    return read_plain(p, at);
}

static int compare_nodes(const void *a, const void *b)
{
    const Range x = ((const MarkdownNode *)a)->bytes, y = ((const MarkdownNode *)b)->bytes;

    if (x.begin != y.begin) return x.begin < y.begin ? -1 : 1;
    return x.end < y.end ? -1 : x.end > y.end;
}

size_t markdown_texts_source(const MarkdownTexts *t, size_t at)
{
    size_t next;

    FIND_FIRST(next, t->lines.len, t->lines.data[next].text > at);
    return t->lines.data[next - 1].source + (at - t->lines.data[next - 1].text);
}

/* --- Units. */

/* Keys of spans of HTML have this bit. */
#define TAG_KEY ((uint64_t)1 << 63)

typedef struct {
    const MarkdownTexts *texts;
    DocumentBuilder *builder;
    unsigned context; /* of the paragraph; titles and descriptions inside it have other contexts */
    const char *text; /* of the paragraph */
    BuilderInput input;
    bool is_inner; /* the text is a title or a description inside another text, so texts inside it are not reported */
    uint64_t kept; /* key of an inline element whose contents are kept; 0: none */
    size_t depth;  /* of elements with this key */
} Reporter;

static size_t source_of(const Reporter *r, size_t at)
{
    return markdown_texts_source(r->texts, at);
}

/* Where a unit begins in the document. The builder may move the markup between `begin` and `text` out of the unit. */
typedef struct {
    size_t begin, text;
    bool has_text;
} UnitStart;

/* Returns how many bytes the builder removes at the beginning of a unit: white space and invisible characters. */
static size_t leading_nothing(const char *text, size_t length)
{
    size_t at = 0;

    for (size_t step = 1; step && at < length; at += step)
        step = !text[at] || text[at] == '\r' ? 1 : utf8_leading_space(text + at, length - at);
    return at;
}

/* Returns the flags of the characters of a node, both if the unit begins with its markup and if it begins after it. */
static unsigned flags_of_text(const Reporter *r, const MarkdownNode *node, unsigned context, UnitStart *start)
{
    const char *bytes = r->input.bytes;
    const size_t begin = source_of(r, node->bytes.begin), end = begin + node->bytes.end - node->bytes.begin;
    size_t at = begin + (start->has_text ? 0 : leading_nothing(bytes + begin, end - begin));
    unsigned flags = 0;

    if (at < end && !start->has_text) *start = (UnitStart){ start->begin, at, true };
    for (; at < end; at++) {
        const size_t left = r->input.end - at - 1;
        SpellingPlace place = { .context = context,
                                .before = bytes + start->begin,
                                .before_length = at - start->begin,
                                .after = bytes + at + 1,
                                .after_length = left < SPELLING_AHEAD ? left : SPELLING_AHEAD };
        flags |= markdown_spelling_flag(bytes[at], &place);
        place.before = bytes + start->text;
        place.before_length = at - start->text;
        flags |= markdown_spelling_flag(bytes[at], &place);
    }
    return flags;
}

/* Returns the flags of the characters that have no backslash in places where one would be needed. */
static unsigned find_flags(const Reporter *r, const MarkdownNode *nodes, size_t count, unsigned context)
{
    const size_t first = count ? source_of(r, nodes[0].bytes.begin) : 0;
    UnitStart start = { .begin = first };
    unsigned flags = 0;
    size_t links = 0; /* links around the node */

    for (size_t i = 0, next; i < count; i++) {
        const MarkdownNode *node = &nodes[i];
        const char *bytes = r->text + node->bytes.begin;
        const size_t length = node->bytes.end - node->bytes.begin;
        if (node->kind == MARKDOWN_TEXT && !node->is_raw) flags |= flags_of_text(r, node, context, &start);
        if (length && node->kind == MARKDOWN_OPEN && *bytes == '[') links++;
        if (length && node->kind == MARKDOWN_CLOSE && *bytes == ']' && links) links--;
        if (length && node->kind == MARKDOWN_TEXT && links &&
            (memchr(bytes, '[', length) || memchr(bytes, ']', length)))
            flags |= MARKDOWN_BRACKETS;
        if (node->kind == MARKDOWN_CLOSE) { /* a span with the same mark may open directly after it */
            for (next = i + 1; next < count && nodes[next].bytes.begin == nodes[next].bytes.end;) next++;
            if (next < count && nodes[next].kind == MARKDOWN_OPEN && *bytes == r->text[nodes[next].bytes.begin])
                flags |= MARKDOWN_MARKS;
        }
        if (!start.has_text && node->kind == MARKDOWN_SPELLED && leading_nothing(node->text, node->size) < node->size)
            start = (UnitStart){ start.begin, source_of(r, node->bytes.begin), true };
    }
    return flags;
}

/* Reports plain text. Two or more blanks stand for one space. */
static void report_plain(const Reporter *r, const MarkdownNode *node)
{
    const size_t begin = source_of(r, node->bytes.begin), end = begin + (node->bytes.end - node->bytes.begin);
    const char *bytes = r->input.bytes;

    for (size_t at = begin, next; at < end; at = next) {
        for (next = at; next < end && char_is_blank(bytes[next]);) next++;
        if (!node->is_raw && (next - at > 1 || (next > at && bytes[at] == '\t'))) {
            document_builder_space(r->builder, at, next);
            continue;
        }
        for (next = at + 1; next < end && !char_is_blank(bytes[next]);) next++;
        document_builder_plain(r->builder, at, next);
    }
}

/* Parses a part of the paragraph into nodes, in order and without gaps; the caller frees their data. */
static MarkdownNodes parse(const Reporter *r, Range range, bool is_title)
{
    InlineParser p = { .text = r->text,
                       .begin = range.begin,
                       .end = range.end,
                       .texts = r->texts,
                       .is_title = is_title,
                       .is_cell = r->context & MARKDOWN_CELL };

    for (size_t at = p.begin; at < p.end && !has_failed(&p);) at = read_part(&p, at);
    if (!has_failed(&p)) match_emphasis(&p, 0);
    if (!has_failed(&p) && p.nodes.len) qsort(p.nodes.data, p.nodes.len, sizeof *p.nodes.data, compare_nodes);
    free(p.runs.data);
    free(p.openers.data);
    free(p.brackets.data);
    if (p.is_full)
        document_builder_fail(r->builder, source_of(r, range.begin),
                              "a text has more than %zu parts, which is not supported", UNIT_PARTS);
    else if (has_failed(&p))
        document_builder_fail_memory(r->builder);
    return p.nodes;
}

static void report_nodes(Reporter *r, const MarkdownNode *nodes, size_t count);

/* Parses and reports a text inside the markup of another text, such as the title of a link. */
static void report_inner(const Reporter *r, Range range, unsigned kind)
{
    const bool is_title = kind != MARKDOWN_INLINE;
    unsigned context = kind | (r->context & MARKDOWN_CELL);
    Reporter inner = *r;
    MarkdownNodes nodes;

    if (range.begin == range.end || r->is_inner) return;
    inner.is_inner = true;
    inner.kept = 0;
    nodes = parse(r, range, is_title);
    if (!document_builder_failed(r->builder)) {
        context |= find_flags(&inner, nodes.data, nodes.len, context);
        document_builder_begin(r->builder, context, source_of(r, range.begin));
        report_nodes(&inner, nodes.data, nodes.len);
        document_builder_end_unit(r->builder, source_of(r, range.end));
    }
    free(nodes.data);
}

static void report_title(const Reporter *r, Range title)
{
    const char quote = title.begin < title.end ? r->text[title.begin - 1] : '\0';
    const unsigned kind = quote == '"' ? MARKDOWN_DOUBLE : quote == '(' ? MARKDOWN_PARENTHESES : MARKDOWN_SINGLE;

    report_inner(r, title, kind);
}

/* Reads the tag of a node from the text of the paragraph: in the document, quote marks may be inside the tag. */
static HtmlToken tag_of(const Reporter *r, const MarkdownNode *node)
{
    return html_token_read(r->text, node->bytes.begin, node->bytes.end);
}

static bool is_block(HtmlElement kind)
{
    return kind == HTML_BLOCK || kind == HTML_PREFORMATTED || kind == HTML_RAW || kind == HTML_RCDATA;
}

/* Reports the attributes of a tag, unless quote marks or indentation are inside the tag in the document. */
static void report_attributes(const Reporter *r, const MarkdownNode *node)
{
    const size_t begin = source_of(r, node->bytes.begin), end = source_of(r, node->bytes.end);
    HtmlToken tag;

    if (r->is_inner || r->kept || end - begin != node->bytes.end - node->bytes.begin) return;
    tag = html_token_read(r->input.bytes, begin, end);
    if (tag.kind == HTML_START && tag.bytes.end == end && !(r->context & MARKDOWN_CELL))
        html_units_add_attributes(r->builder, &tag);
}

static bool is_line_end(const Reporter *r, const MarkdownNode *node)
{
    return node->kind == MARKDOWN_HARD ||
           (node->kind == MARKDOWN_TAG && html_name_is_in(r->text, tag_of(r, node).name, "br"));
}

static void report_tag(Reporter *r, const MarkdownNode *node)
{
    const HtmlToken tag = tag_of(r, node);
    const HtmlElement kind = html_element_tag_kind(r->text, &tag);
    const uint64_t key = html_name_key(r->text, tag.name) | TAG_KEY;
    const size_t begin = source_of(r, node->bytes.begin), end = source_of(r, node->bytes.end);
    const bool is_protected = tag.kind == HTML_START && html_element_translate(r->text, &tag) == HTML_PROTECT;
    const bool is_whole = html_extent_is_tag(r->text, &tag);

    if (tag.kind == HTML_CLOSE) {
        document_builder_close(r->builder, key, begin, end);
        if (r->kept != key || --r->depth) return;
        r->kept = 0;
        document_builder_keep(r->builder, false);
        return;
    }
    if (!is_protected) report_attributes(r, node);
    if (is_line_end(r, node)) {
        document_builder_separate(r->builder, begin, end, BREAK_HARD);
    } else if (is_whole && html_element_is_object(r->text, &tag)) {
        document_builder_object(r->builder, (Range){ begin, begin }, begin, end);
    } else if (is_whole || is_block(html_element_kind(r->text, tag.name))) {
        document_builder_empty(r->builder, begin, end);
    } else {
        document_builder_open(r->builder, key, begin, end);
        if (!r->kept && (kind == HTML_CODE || kind == HTML_PICTURE || is_protected)) {
            r->kept = key;
            r->depth = 0;
            document_builder_keep(r->builder, true);
        }
        r->depth += r->kept == key;
    }
}

static void report_nodes(Reporter *r, const MarkdownNode *nodes, size_t count)
{
    for (size_t i = 0; i < count && !document_builder_failed(r->builder); i++) {
        const MarkdownNode *node = &nodes[i];
        const size_t begin = source_of(r, node->bytes.begin), end = source_of(r, node->bytes.end);
        if (node->bytes.begin == node->bytes.end) continue;
        if (!r->kept) document_builder_keep(r->builder, node->is_kept);
        if (node->kind == MARKDOWN_EMPTY) report_inner(r, node->alt, MARKDOWN_INLINE);
        report_title(r, node->title);
        if (node->kind == MARKDOWN_TEXT)
            report_plain(r, node);
        else if (node->kind == MARKDOWN_SPELLED)
            document_builder_spelled(r->builder, node->text, node->size, begin, end);
        else if (node->kind == MARKDOWN_BREAK)
            document_builder_space(r->builder, begin, end);
        else if (node->kind == MARKDOWN_HARD)
            document_builder_separate(r->builder, begin, end, BREAK_HARD);
        else if (node->kind == MARKDOWN_TAG)
            report_tag(r, node);
        else if (node->kind == MARKDOWN_OPEN)
            document_builder_open(r->builder, node->key, begin, end);
        else if (node->kind == MARKDOWN_CLOSE && node->is_label)
            document_builder_close_label(r->builder, node->key, begin, end);
        else if (node->kind == MARKDOWN_CLOSE)
            document_builder_close(r->builder, node->key, begin, end);
        else if (r->text[node->bytes.begin] == '!')
            document_builder_object(r->builder, (Range){ begin, begin }, begin, end);
        else
            document_builder_empty(r->builder, begin, end);
    }
}

/* Whether the node ends a unit. Adds its text to *before, which is the text before the next node. */
static bool ends_unit(const Reporter *r, const MarkdownNodes *nodes, size_t index, LineBefore *before)
{
    const MarkdownNode *node = &nodes->data[index];
    const bool is_text = node->kind == MARKDOWN_TEXT || node->kind == MARKDOWN_SPELLED, is_end = is_line_end(r, node);
    uint32_t code, next = 0; /* the first character of the next line, after white space; 0: none */

    for (size_t at = node->bytes.begin; is_text && at < node->bytes.end;) {
        at += utf8_next(r->text + at, node->bytes.end - at, &code);
        line_breaks_add(before, code);
    }
    if (node->kind == MARKDOWN_BREAK || is_end) line_breaks_add(before, ' ');
    for (size_t i = index + 1; is_end && !next && i < nodes->len && !is_line_end(r, &nodes->data[i]); i++) {
        const Range bytes = nodes->data[i].bytes;
        const size_t length = bytes.end - bytes.begin, front = utf8_leading_space(r->text + bytes.begin, length);
        if (nodes->data[i].kind == MARKDOWN_TEXT && front < length)
            (void)utf8_next(r->text + bytes.begin + front, length - front, &next);
    }
    if (is_end) return !line_breaks_goes_on(before, next, BREAK_HARD);
    return node->kind == MARKDOWN_TAG && is_block(html_element_kind(r->text, tag_of(r, node).name));
}

/* The spans that are open at one place; at most the outer MARKUP_DEPTH. */
typedef struct {
    uint64_t keys[MARKUP_DEPTH]; /* [depth] */
    size_t depth;
} OpenSpans;

/* Reports nodes as a unit. A span may continue from the previous unit or into the next one, as in *one<br>two*. It gets
 * an end without bytes in this unit, so that the end moves with words. White space next to such an end is left out,
 * because it would move as well. */
static void report_unit(Reporter *r, MarkdownNode *nodes, size_t count, OpenSpans *spans)
{
    const unsigned context = r->context;
    const OpenSpans before = *spans;
    size_t first = 0, last = count, begin, end;

    if (!count) return;
    begin = source_of(r, nodes[0].bytes.begin);
    end = source_of(r, nodes[count - 1].bytes.end);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].kind == MARKDOWN_OPEN && spans->depth < MARKUP_DEPTH) spans->keys[spans->depth++] = nodes[i].key;
        if (nodes[i].kind == MARKDOWN_CLOSE && spans->depth && spans->keys[spans->depth - 1] == nodes[i].key)
            spans->depth--;
    }
    for (size_t i = 0; before.depth && i < count; i++) { /* leaves out white space at the beginning */
        Range *bytes = &nodes[i].bytes;
        if (nodes[i].kind == MARKDOWN_BREAK) bytes->begin = bytes->end;
        bytes->begin = chars_skip_blanks(r->text, bytes->begin, bytes->end);
        if (bytes->begin < bytes->end) break;
    }
    for (size_t i = count; spans->depth && i--;) { /* and at the end */
        Range *bytes = &nodes[i].bytes;
        if (nodes[i].kind == MARKDOWN_BREAK) bytes->end = bytes->begin;
        while (bytes->begin < bytes->end && char_is_blank(r->text[bytes->end - 1])) bytes->end--;
        if (bytes->begin < bytes->end) break;
    }
    r->kept = 0;
    document_builder_begin(r->builder, context | find_flags(r, nodes, count, context), begin);
    document_builder_whole(r->builder);
    while (first < last && nodes[first].bytes.begin == nodes[first].bytes.end) first++;
    while (last > first && nodes[last - 1].bytes.begin == nodes[last - 1].bytes.end) last--;
    if (first < last) {
        const size_t from = source_of(r, nodes[first].bytes.begin), to = source_of(r, nodes[last - 1].bytes.end);
        for (size_t i = 0; i < before.depth; i++) document_builder_open(r->builder, before.keys[i], from, from);
        report_nodes(r, nodes, last);
        for (size_t i = spans->depth; i--;) document_builder_close(r->builder, spans->keys[i], to, to);
    }
    document_builder_end_unit(r->builder, end);
}

static Reporter reporter_of(const MarkdownTexts *texts, unsigned context)
{
    return (Reporter){ .texts = texts,
                       .context = context,
                       .builder = texts->builder,
                       .text = texts->text.data,
                       .input = document_builder_input(texts->builder) };
}

void markdown_units_add(const MarkdownTexts *texts, Range range, unsigned context)
{
    Reporter r = reporter_of(texts, context);
    MarkdownNodes nodes;
    OpenSpans spans = { .depth = 0 };
    LineBefore before = { 0 };
    size_t first = 0;

    if (range.begin == range.end) return;
    nodes = parse(&r, range, false);
    for (size_t i = 0; i <= nodes.len && !document_builder_failed(texts->builder); i++) {
        if (i < nodes.len && !ends_unit(&r, &nodes, i, &before)) continue;
        report_unit(&r, nodes.data ? nodes.data + first : NULL, i - first, &spans);
        first = i + 1;
        before = (LineBefore){ 0 };
        if (i < nodes.len && nodes.data[i].kind == MARKDOWN_TAG) report_attributes(&r, &nodes.data[i]);
    }
    free(nodes.data);
}

void markdown_units_add_title(const MarkdownTexts *texts, Range title)
{
    const Reporter r = reporter_of(texts, 0);

    report_title(&r, title);
}
