/* escaped_code.c - see escaped_code.h. */
#include "escaped_code.h"

#include <string.h>

#include "chars.h"
#include "escaped_cursor.h"
#include "html_elements.h"

#define LONGEST_SPAN ((size_t)1000) /* also of a link */
#define FENCE        3              /* backquotes */

static size_t count_quotes(EscapedCursor *cursor)
{
    size_t count = 0;

    for (; cursor->c == '`'; count++) escaped_cursor_advance(cursor);
    return count;
}

/* `x`, but not the quotation marks of `a' and `b': code does not end with a blank, and no word follows it. */
static size_t span_end(const CodeReader *code, size_t at)
{
    const size_t end = code->end - at > LONGEST_SPAN ? at + LONGEST_SPAN : code->end;
    EscapedCursor cursor = escaped_cursor_at(code->bytes, at, end, code->read);
    const bool follows_word = code->last == '`' || code->last == '_' || char_is_alphanumeric(code->last);
    const size_t count = follows_word ? 0 : count_quotes(&cursor);
    char last = ' ';

    if (!count || count > FENCE || char_is_space(cursor.c)) return at;
    for (; cursor.c && cursor.c != '`' && cursor.c != '\n'; escaped_cursor_advance(&cursor)) last = cursor.c;
    if (char_is_space(last) || strchr(",;(", last) || count_quotes(&cursor) != count) return at;
    return cursor.c == '_' || char_is_alphanumeric(cursor.c) ? at : cursor.at;
}

static void skip_line(EscapedCursor *cursor)
{
    while (cursor->c && cursor->c != '\n') escaped_cursor_advance(cursor);
    escaped_cursor_advance(cursor);
}

static void skip_blanks(EscapedCursor *cursor)
{
    while (cursor->c == ' ' || cursor->c == '\t' || cursor->c == '\r') escaped_cursor_advance(cursor);
}

/* Lines from one that begins with ``` to one that contains only ```. */
static size_t block_end(CodeReader *code, size_t at)
{
    EscapedCursor cursor = escaped_cursor_at(code->bytes, at, code->end, code->read);

    if (!code->begins_line || code->has_no_fence || count_quotes(&cursor) < FENCE) return at;
    while (cursor.c && cursor.c != '`' && cursor.c != '\n') escaped_cursor_advance(&cursor);
    if (cursor.c == '`') return at;
    for (skip_line(&cursor); cursor.c; skip_line(&cursor)) {
        skip_blanks(&cursor);
        if (count_quotes(&cursor) < FENCE) continue;
        skip_blanks(&cursor);
        if (!cursor.c || cursor.c == '\n') return cursor.at;
    }
    code->has_no_fence = true;
    return at;
}

/* Whether the characters are next; moves on as far as they are. */
static bool skip_text(EscapedCursor *cursor, const char *text)
{
    for (; *text && cursor->c == *text; text++) escaped_cursor_advance(cursor);
    return !*text;
}

static size_t comment_end(CodeReader *code, size_t at)
{
    EscapedCursor cursor = escaped_cursor_at(code->bytes, at, code->end, code->read);
    size_t dashes = 0;

    if (code->has_no_mark || !skip_text(&cursor, "<!--")) return at;
    for (; cursor.c; escaped_cursor_advance(&cursor)) {
        if (cursor.c == '>' && dashes >= 2) return cursor.next;
        dashes = cursor.c == '-' ? dashes + 1 : 0;
    }
    code->has_no_mark = true;
    return at;
}

size_t escaped_code_end(CodeReader *code, size_t at)
{
    const EscapedPart part = code->read(code->bytes + at, code->end - at);
    size_t next = at, rst;

    if (part.size != 1) return at;
    if (*part.text == '<') next = comment_end(code, at);
    if (*part.text == '`') next = block_end(code, at);
    if (*part.text == '`' && next == at) next = span_end(code, at);
    rst = *part.text == '<' ? at : escaped_rst_end(code, at); /* `x`:role: is more than `x` */
    return rst > next ? rst : next;
}

void escaped_code_skip(CodeReader *code, size_t at, size_t next)
{
    const EscapedPart part = code->read(code->bytes + at, code->end - at);

    if (!part.size) return;
    code->last = part.length < next - at ? ' ' : *part.text; /* after code or a tag */
    code->begins_line = *part.text == '\n' || (code->begins_line && (*part.text == ' ' || *part.text == '\t'));
}

/* The target of a link, with parentheses in pairs. */
static bool skip_target(EscapedCursor *cursor)
{
    size_t depth = 0;

    for (; cursor->c && !char_is_space(cursor->c) && !strchr("[]<>`", cursor->c); escaped_cursor_advance(cursor)) {
        if (cursor->c == ')' && !depth) return true;
        depth += cursor->c == '(';
        depth -= cursor->c == ')';
    }
    return false;
}

bool escaped_code_link(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedLink *link)
{
    EscapedCursor cursor = escaped_cursor_at(bytes, at, end - at > LONGEST_SPAN ? at + LONGEST_SPAN : end, read);
    size_t begin;

    if (escaped_rst_link(bytes, at, end, read, link)) return true;
    link->opening.begin = cursor.at;
    if (cursor.c == '!') escaped_cursor_advance(&cursor);
    if (cursor.c != '[') return false;
    begin = link->opening.end = cursor.next;
    escaped_cursor_advance(&cursor);
    while (cursor.c && !strchr("[]\n", cursor.c)) escaped_cursor_advance(&cursor);
    link->closing.begin = cursor.at;
    if (cursor.at == begin || !skip_text(&cursor, "](") || cursor.c == ')' || !skip_target(&cursor)) return false;
    link->closing.end = cursor.next;
    return true;
}
