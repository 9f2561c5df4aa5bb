/* escaped_rst.c - reStructuredText in strings, as in the PO files of Sphinx: see escaped_code.h.
 * Source   Docutils, "reStructuredText Markup Specification", inline markup. */
#include "escaped_code.h"

#include <string.h>

#include "chars.h"
#include "escaped_cursor.h"

#define LONGEST_MARKUP ((size_t)1000)
#define LONGEST_NAME   ((size_t)64)

/* Whether markup may begin after the character, or end before it; NUL: the beginning or the end of the string. */
static bool may_begin_after(char last)
{
    return !last || char_is_space(last) || strchr("'\"([{<-/:", last);
}

static bool may_end_before(char next)
{
    return !next || char_is_space(next) || strchr("'\")]}>-/:.,;!?\\", next);
}

static EscapedCursor cursor_at(const char *bytes, size_t at, size_t end, EscapedReader *read)
{
    return escaped_cursor_at(bytes, at, end - at > LONGEST_MARKUP ? at + LONGEST_MARKUP : end, read);
}

static bool is_name(char c)
{
    return char_is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '+';
}

/* Moves over a name with this character after it. */
static bool skip_name(EscapedCursor *cursor, char close)
{
    const size_t begin = cursor->at;

    while (is_name(cursor->c) && cursor->at - begin < LONGEST_NAME) escaped_cursor_advance(cursor);
    if (cursor->at == begin || cursor->c != close) return false;
    escaped_cursor_advance(cursor);
    return true;
}

/* Moves over the name of a role: :py:func: of Sphinx, or {py:func} of MyST. */
static bool skip_role(EscapedCursor *cursor)
{
    EscapedCursor last;

    if (cursor->c != ':' && cursor->c != '{') return false;
    if (cursor->c == ':') {
        escaped_cursor_advance(cursor);
        do {
            if (!skip_name(cursor, ':')) return false;
            last = *cursor;
        } while (is_name(cursor->c));
        *cursor = last;
        return true;
    }
    escaped_cursor_advance(cursor);
    for (last = *cursor; skip_name(cursor, ':'); last = *cursor) continue;
    *cursor = last;
    return skip_name(cursor, '}');
}

/* What is between two backquotes. */
typedef struct {
    size_t begin, end;     /* of the contents */
    size_t target;         /* where a blank and <target> begin at its end; 0: there is none */
    EscapedCursor closing; /* after the last backquote */
} Interpreted;

static bool read_interpreted(EscapedCursor cursor, Interpreted *out)
{
    char last = ' ';

    if (cursor.c != '`') return false;
    escaped_cursor_advance(&cursor);
    *out = (Interpreted){ .begin = cursor.at };
    if (char_is_space(cursor.c) || cursor.c == '`') return false;
    for (; cursor.c && cursor.c != '`'; escaped_cursor_advance(&cursor)) {
        const size_t at = cursor.at;
        const char c = cursor.c;
        if (c == '\\') escaped_cursor_advance(&cursor);
        if (char_is_space(c) && at > out->begin) {
            EscapedCursor next = cursor;
            escaped_cursor_advance(&next);
            if (next.c == '<') out->target = at;
        }
        last = c;
    }
    if (!cursor.c || char_is_space(last)) return false;
    if (last != '>') out->target = 0;
    out->end = cursor.at;
    escaped_cursor_advance(&cursor);
    out->closing = cursor;
    return true;
}

/* Moves over the underscores of a reference, x_ or x__. */
static bool skip_underscores(EscapedCursor *cursor)
{
    if (cursor->c != '_') return false;
    escaped_cursor_advance(cursor);
    if (cursor->c == '_') escaped_cursor_advance(cursor);
    return true;
}

/* Whether a word, or markup in a phrase, begins with the character. */
static bool may_begin_word(char c)
{
    return char_is_alphanumeric(c) || (unsigned char)c >= 0x80 || strchr("\"'(", c);
}

/* Whether the contents of the role are code, in which < is no target. */
static bool is_code_role(const char *bytes, size_t begin, size_t end)
{
    static const char *const names[] = { ":math:", ":code:", ":samp:", ":kbd:", "{math}", "{code}", "{samp}", "{kbd}" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (end - begin == strlen(names[i]) && memcmp(bytes + begin, names[i], end - begin) == 0) return true;
    return false;
}

/* |name|, perhaps with _ after it. */
static size_t substitution_end(EscapedCursor cursor, size_t at)
{
    char last = ' ';

    escaped_cursor_advance(&cursor);
    if (char_is_space(cursor.c)) return at;
    for (; cursor.c && !strchr("|`\n", cursor.c); escaped_cursor_advance(&cursor)) last = cursor.c;
    if (cursor.c != '|' || char_is_space(last)) return at;
    escaped_cursor_advance(&cursor);
    (void)skip_underscores(&cursor);
    return may_end_before(cursor.c) ? cursor.at : at;
}

/* [1]_, [#name]_, [CIT2002]_ */
static size_t note_end(EscapedCursor cursor, size_t at)
{
    escaped_cursor_advance(&cursor);
    if (cursor.c == '#' || cursor.c == '*') escaped_cursor_advance(&cursor);
    if (cursor.c == ']')
        escaped_cursor_advance(&cursor);
    else if (!skip_name(&cursor, ']'))
        return at;
    return skip_underscores(&cursor) && may_end_before(cursor.c) ? cursor.at : at;
}

/* A reference of one word: name_ */
static size_t word_end(EscapedCursor cursor, size_t at)
{
    char last = '\0', before = '\0';
    size_t end = at;

    for (; is_name(cursor.c) && cursor.at - at < LONGEST_NAME; escaped_cursor_advance(&cursor)) {
        before = last;
        last = cursor.c;
    }
    end = cursor.at;
    if (last != '_' || !before || !(char_is_alphanumeric(before) || before == '_')) return at;
    return may_end_before(cursor.c) && cursor.c != '\'' && cursor.c != '/' ? end : at;
}

/* :role:`x`, `x`:role: and `x`_, but not one with a target. */
static size_t interpreted_end(EscapedCursor cursor, size_t at)
{
    const bool has_role = skip_role(&cursor);
    Interpreted text;

    if (!read_interpreted(cursor, &text)) return at;
    if (text.target && !(has_role && is_code_role(cursor.bytes, at, cursor.at))) return at;
    cursor = text.closing;
    if (!has_role && !skip_underscores(&cursor) && !skip_role(&cursor)) return at;
    return may_end_before(cursor.c) ? cursor.at : at;
}

size_t escaped_rst_end(const CodeReader *code, size_t at)
{
    EscapedCursor cursor;

    if (!may_begin_after(code->last)) return at;
    cursor = cursor_at(code->bytes, at, code->end, code->read);
    switch (cursor.c) {
    case '|':
        return substitution_end(cursor, at);
    case '[':
        return note_end(cursor, at);
    case ':':
    case '{':
    case '`':
        return interpreted_end(cursor, at);
    default:
        return char_is_alphanumeric(cursor.c) ? word_end(cursor, at) : at;
    }
}

/* **strong** or *emphasis*, which Markdown has, too: the marks are inside of words neither here nor there. */
static bool read_emphasis(EscapedCursor cursor, EscapedLink *link)
{
    const size_t at = cursor.at;
    size_t marks = 0, count = 0;
    char last = ' ';

    for (; cursor.c == '*'; escaped_cursor_advance(&cursor)) marks++;
    link->opening = (Range){ at, cursor.at };
    if (!marks || marks > 2 || !may_begin_word(cursor.c) || (at && cursor.bytes[at - 1] == '*')) return false;
    for (; cursor.c && cursor.c != '\n'; escaped_cursor_advance(&cursor)) {
        if (cursor.c != '*') {
            last = cursor.c;
            continue;
        }
        link->closing.begin = cursor.at;
        for (count = 0; cursor.c == '*'; escaped_cursor_advance(&cursor)) count++;
        link->closing.end = cursor.at;
        return count == marks && !char_is_space(last) && last != '\\' && may_end_before(cursor.c);
    }
    return false;
}

bool escaped_rst_link(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedLink *link)
{
    EscapedCursor cursor = cursor_at(bytes, at, end, read);
    const bool has_role = skip_role(&cursor);
    Interpreted text;

    if (cursor.c == '*') return read_emphasis(cursor, link);
    if (!read_interpreted(cursor, &text) || !text.target) return false;
    cursor = text.closing;
    if (!has_role && !skip_underscores(&cursor)) return false;
    link->opening = (Range){ at, text.begin };
    link->closing = (Range){ text.target, cursor.at };
    return may_end_before(cursor.c);
}
