/* markdown_spelling.c - see markdown_spelling.h. */
#include "markdown_spelling.h"

#include <stdio.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "html_entities.h"
#include "markdown_emphasis.h"
#include "markdown_extensions.h"
#include "markdown_lines.h"
#include "markdown_syntax.h"
#include "utf8.h"

static const char specials[] = "\\`*_[]<>&!#~|+-.)(:\"'";

#define FIRST_FLAG 64u

/* Before a line of a paragraph. */
#define LONGEST_INDENT ((size_t)200)

static unsigned kind_of(unsigned context)
{
    return context % MARKDOWN_KINDS;
}

static unsigned flag_of(char c)
{
    const char *found = c ? strchr(specials, c) : NULL;

    return found ? FIRST_FLAG << (found - specials) : 0;
}

static char previous(const SpellingPlace *place)
{
    return place->before_length ? place->before[place->before_length - 1] : '\n';
}

static char next(const SpellingPlace *place)
{
    return place->after_length ? *place->after : '\n';
}

static bool is_between_spaces(const SpellingPlace *place)
{
    return char_is_space(previous(place)) && char_is_space(next(place));
}

static bool is_between_letters(const SpellingPlace *place)
{
    uint32_t before, after;

    if (!place->before_length || !place->after_length) return false;
    (void)utf8_previous(place->before, place->before_length, &before);
    utf8_next(place->after, place->after_length, &after);
    return before != UTF8_INVALID && after != UTF8_INVALID && u_isalnum((UChar32)before) && u_isalnum((UChar32)after);
}

/* Whether the & begins a character reference. */
static bool is_reference(const SpellingPlace *place)
{
    char joined[SPELLING_AHEAD + 1] = "&", out[HTML_ENTITY_BYTES];
    size_t size, length;

    if (place->after_length) memcpy(joined + 1, place->after, place->after_length);
    length = html_entity_read(joined, place->after_length + 1, false, out, &size);
    return length && joined[length - 1] == ';';
}

/* Whether byte `at` of what was written begins the text or a line in it, after blanks and the marks of quotes. */
static bool is_line_start(const SpellingPlace *place, size_t at)
{
    const size_t limit = at < LONGEST_INDENT ? 0 : at - LONGEST_INDENT;

    if (!at) return true;
    while (at > limit && (char_is_blank(place->before[at - 1]) || place->before[at - 1] == '>')) at--;
    return at > limit && char_is_newline(place->before[at - 1]);
}

static bool begins_line(const SpellingPlace *place)
{
    return is_line_start(place, place->before_length);
}

/* Whether only digits precede in the line, as in a list item. */
static bool is_after_number(const SpellingPlace *place)
{
    size_t at = place->before_length;

    while (at && place->before_length - at < 9 && char_is_digit(place->before[at - 1])) at--;
    return at < place->before_length && is_line_start(place, at);
}

/* Whether a character means itself in a title. */
static bool is_safe_in_title(unsigned kind, char c)
{
    switch (c) {
    case '"':
        return kind != MARKDOWN_DOUBLE;
    case '\'':
        return kind != MARKDOWN_SINGLE;
    case '(':
    case ')':
        return kind != MARKDOWN_PARENTHESES;
    default:
        return true;
    }
}

/* The characters that begin a block at the beginning of a paragraph or of a line in it; `can_begin`: this is one. */
static bool is_safe_at_start(char c, const SpellingPlace *place, bool can_begin)
{
    const char after = next(place);

    switch (c) {
    case '>':
        return !can_begin || !begins_line(place);
    case '#':
        if (can_begin && begins_line(place)) return after != '#' && !char_is_space(after);
        return can_begin || !char_is_space(previous(place)) || !(after == '#' || char_is_space(after));
    case '+':
    case '-':
        return !can_begin || !begins_line(place) || !(char_is_space(after) || after == '-');
    case '.':
    case ')':
        return !can_begin || !char_is_space(after) || !is_after_number(place);
    default:
        return true;
    }
}

static bool is_safe_in_text(unsigned kind, char c, const SpellingPlace *place)
{
    const char after = next(place);

    switch (c) {
    case '`':
        return false;
    case '*':
        return place->before_length && is_between_spaces(place);
    case '_':
        return is_between_letters(place) || (place->before_length && is_between_spaces(place));
    case '[':
        return place->before_length && after != '^';
    case ']':
        return !strchr("([:", after);
    case '<':
        return !char_is_letter(after) && !strchr("/!?", after);
    case '!':
        return after != '[';
    case '~':
        return previous(place) != '~' && after != '~';
    case ':':
        if (kind == MARKDOWN_PARAGRAPH && begins_line(place) && char_is_space(after)) return false;
        return previous(place) != ']';
    case '(':
        return previous(place) != ']';
    default:
        return is_safe_at_start(c, place, kind == MARKDOWN_PARAGRAPH);
    }
}

static bool is_safe(char c, const SpellingPlace *place)
{
    const unsigned kind = kind_of(place->context);

    if (c == '\\') return place->after_length && !markdown_is_punctuation(next(place)) && !char_is_space(next(place));
    if (c == '&') return !is_reference(place);
    if (c == '|') return !(place->context & MARKDOWN_CELL);
    return kind <= MARKDOWN_INLINE ? is_safe_in_text(kind, c, place) : is_safe_in_title(kind, c);
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

/* Whether the bytes begin with three marks with or without blanks between them, and no word follows them. */
static bool is_rule(const char *text, size_t length)
{
    size_t at = 0, count = 0;

    for (; at < length && (text[at] == text[0] || char_is_blank(text[at])); at++) count += text[at] == text[0];
    return count >= 3 && (at == length || char_is_space(text[at]) || char_is_space(text[at - 1]));
}

static bool is_in_braces(const char *text, size_t length)
{
    Range name;

    if (markdown_read_attributes(text, 0, length)) return true;
    for (size_t end = 3; end <= length; end++)
        if (text[end - 1] == '}') return markdown_line_begins_code(text, 0, end, &name);
    return length > 1 && text[1] != '{' && text[1] != '%';
}

/* Whether a line of a paragraph that begins with these bytes could be the beginning of another block, or the line below
 * a heading or the header of a table; where the line ends is not known. In a list, marks that cannot interrupt a
 * paragraph begin an item. */
static bool may_begin_block(const char *text, size_t length)
{
    Range range;

    if (!length) return false;
    switch (text[0]) {
    case '#':
    case '>':
    case '=':
    case '|':
    case ':':
        return true;
    case '-':
    case '+':
        return is_list_marker(text, length) || strchr("-=|:", text[1]);
    case '*':
    case '_':
        return is_rule(text, length) || (text[0] == '*' && is_list_marker(text, length)) ||
               markdown_line_abbreviation(text, 0, length, &range);
    case '`':
    case '~':
    case '!':
    case '?':
        return length > 2 && text[1] == text[0] && text[2] == text[0];
    case '<':
        return markdown_line_html(text, 0, length, true) != 0;
    case '[':
        return length > 1 && text[1] == '^' && (!memchr(text, ']', length) || markdown_line_footnote(text, 0, length));
    case '{':
        return is_in_braces(text, length);
    default:
        return is_list_marker(text, length);
    }
}

/* Whether the text ends with a backslash that escapes nothing yet, or a blank: before a newline, it would be a hard
 * break. */
static bool ends_in_hard_break(const SpellingPlace *place)
{
    size_t start = place->before_length;

    if (start && char_is_blank(place->before[start - 1])) return true;
    while (start && place->before[start - 1] == '\\') start--;
    return (place->before_length - start) % 2 != 0;
}

static bool may_break_markdown(const SpellingPlace *place)
{
    if (place->context < HTML_CONTEXTS) return true;
    return !may_begin_block(place->after, place->after_length) && !ends_in_hard_break(place);
}

static bool is_special_markdown(unsigned context, uint32_t code)
{
    static const char *const lists[] = { "\\`*_[]<>&!#~|+-.)(:", "\\`*_[]<&!#~|(", "\\&|\"", "\\&|'", "\\&|()" };

    if (context < HTML_CONTEXTS) return html_spelling.is_special(context, code);
    return code && code < 128 && strchr(lists[kind_of(context) - MARKDOWN_PARAGRAPH], (int)code);
}

/* Whether the place is in code or in an address in <>, where there are no escapes. */
static bool is_raw(const SpellingPlace *place)
{
    return place->span_length && (*place->span == '`' || (*place->span == '<' && place->span_length == 1));
}

static bool is_in_link(const SpellingPlace *place)
{
    return place->span_length && *place->span == '[';
}

/* Whether a character that the source does not have here is written as it is. Brackets are not: in the text of a link,
 * they would have to be balanced. */
static bool is_plain(char c, const SpellingPlace *place)
{
    if (is_raw(place)) return c != '|' || !(place->context & MARKDOWN_CELL);
    return c != '[' && c != ']' && is_safe(c, place);
}

static size_t spell_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    size_t length = 0;

    if (place->context < HTML_CONTEXTS) return html_spelling.spell(code, place, out);
    if (code == '`' && (place->context & flag_of('`')) && !is_raw(place)) { /* an escaped one would end code */
        memcpy(out, "&#96;", 5);
        return 5;
    }
    if (!is_plain((char)code, place)) out[length++] = '\\';
    out[length++] = (char)code;
    return length;
}

/* Code has no references. */
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
    if (strchr("[]", *spelling) && is_in_link(place)) return place->context & MARKDOWN_BRACKETS;
    return (place->context & flag_of(*spelling)) || is_safe(*spelling, place);
}

/* [text][] and [text] become [text][label]. */
static Status close_label_markdown(const char *label, size_t length, Buf *out, Err *err)
{
    Status st = buf_append_text(out, "][", err);

    if (st == OK) st = buf_append(out, label, length, err);
    return st == OK ? buf_append_text(out, "]", err) : st;
}

/* Whether it is a comment, a declaration or an instruction, which begin HTML. */
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
