/* message_format.c - see message_format.h. */
#include "message_format.h"

static bool is_apostrophe(const EscapedPart *part)
{
    return part->size == 1 && *part->text == '\'';
}

static bool is_brace(const EscapedPart *part)
{
    return part->size == 1 && (*part->text == '{' || *part->text == '}');
}

/* The part at byte `at`; one without text at the end. */
static EscapedPart part_at(EscapedReader *read, const char *bytes, size_t at, size_t length)
{
    return at < length ? read(bytes + at, length - at) : (EscapedPart){ 0, 0, "" };
}

bool message_format_is_one(EscapedReader *read, const char *bytes, size_t length)
{
    bool has_argument = false, is_quoted = false;
    EscapedPart last = { 0, 0, "" }, part, next;

    for (size_t at = 0; at < length; at += part.length, last = part) {
        part = part_at(read, bytes, at, length);
        next = part_at(read, bytes, at + part.length, length);
        if (!is_apostrophe(&part)) {
            const bool is_digit = next.size == 1 && *next.text >= '0' && *next.text <= '9';
            has_argument |= !is_quoted && part.size == 1 && *part.text == '{' && is_digit;
        } else if (is_quoted) {
            if (!is_brace(&last) || is_brace(&next) || is_apostrophe(&next)) return false;
            is_quoted = false;
        } else if (is_apostrophe(&next)) {
            part.length += next.length;
        } else if (is_brace(&next)) {
            is_quoted = true;
        } else {
            return false;
        }
    }
    return has_argument && !is_quoted;
}

EscapedPart message_format_read(EscapedReader *read, const char *bytes, size_t length)
{
    EscapedPart part = read(bytes, length), next = part_at(read, bytes, part.length, length), after;

    if (is_apostrophe(&part)) {
        if (!is_apostrophe(&next) && !is_brace(&next)) return part;
        next.length += part.length;
        part = next;
        next = part_at(read, bytes, part.length, length);
    }
    if (!is_brace(&part) || !is_apostrophe(&next)) return part;
    after = part_at(read, bytes, part.length + next.length, length);
    if (!is_apostrophe(&after) && !is_brace(&after)) part.length += next.length;
    return part;
}

bool message_format_keeps(const char *spelling, size_t length)
{
    return length > 1 && (*spelling == '\'' || spelling[length - 1] == '\'');
}
