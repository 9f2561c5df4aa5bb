/* typography.c - see typography.h. */
#include "typography.h"

#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "text_parts.h"
#include "utf8.h"

#define OPENING_SINGLE 0x2018u
#define CLOSING_SINGLE 0x2019u
#define LOW_SINGLE     0x201au
#define OPENING_DOUBLE 0x201cu
#define CLOSING_DOUBLE 0x201du
#define LOW_DOUBLE     0x201eu
#define LONGEST_QUOTE  ((size_t)4000) /* how many bytes after the text are searched for the closing mark */
#define MOST_MARKS     64             /* the number of bits of QuoteMarks.single */

/* Whether the character only says where a word may be divided, or how a symbol looks: a soft hyphen, a word joiner or a
 * variation selector. */
static bool is_invisible(uint32_t code)
{
    return code == 0xad || code == 0x2060 || code == 0xfe0e || code == 0xfe0f;
}

bool typography_is_needed(LineText text)
{
    for (size_t at = 0, step; at < text.len; at += step) {
        uint32_t code = (unsigned char)text.data[at];
        step = code < 0x80 ? 1 : utf8_next(text.data + at, text.len - at, &code);
        if (code == '\'' || is_invisible(code)) return true;
        if (code >= 0x2010 && code <= LOW_SINGLE && strchr("\x10\x11\x18\x19\x1a", (int)(code & 0xff))) return true;
    }
    return false;
}

/* Whether the text ends or has white space at byte `at`. */
static bool is_space_at(LineText text, size_t at)
{
    const uint32_t code = utf8_code_at(text.data, text.len, at);

    return !code || utf8_is_space(code);
}

/* Whether the mark may open a quotation: it comes after white space or another mark, and before a text. */
static bool opens(LineText text, size_t at, size_t size)
{
    const uint32_t before = utf8_code_before(text.data, at);

    return !text_parts_is_letter(before) && !is_space_at(text, at + size) &&
           !(U_GET_GC_MASK((UChar32)before) & U_GC_PE_MASK);
}

/* Whether the mark may be the apostrophe of a genitive: it is after an s and before white space. Such a mark closes a
 * quotation only if no other mark does. */
static bool may_be_genitive(LineText text, size_t at, size_t size)
{
    return (utf8_code_before(text.data, at) | 0x20) == 's' && is_space_at(text, at + size);
}

/* Returns the number of bytes at `at` that are the word 'n' of Rock 'n' Roll with its apostrophes, or 0. */
static size_t length_of_and(LineText text, size_t at)
{
    static const char *const words[] = { "'n'",           "'N'",           "\u2018n\u2019",
                                         "\u2018N\u2019", "\u2019n\u2019", "\u2019N\u2019" };

    if (at >= text.len || !char_is_among(text.data[at], "'\xe2")) return 0; /* the first bytes of the words */
    if (text_parts_is_letter(utf8_code_before(text.data, at))) return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_parts_are_at(text, at, words[i]) && is_space_at(text, at + strlen(words[i]))) return strlen(words[i]);
    return 0;
}

/* Whether a mark before the text at byte `at` may be the apostrophe of '90s or of a short word: 'Twas. */
static bool may_be_shortened(LineText text, size_t at)
{
    static const char *const words[] = { "em", "tis", "twas", "til", "cause" };
    size_t end = at;

    if (at < text.len && char_is_digit(text.data[at])) return true;
    while (end < text.len && char_is_letter(text.data[end])) end++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (end - at == strlen(words[i]) && (text.data[at] | 0x20) == *words[i] &&
            memcmp(text.data + at + 1, words[i] + 1, end - at - 1) == 0)
            return true;
    return false;
}

/* Returns the place of the mark, at `begin` or later, that closes a quotation with the opening mark `open`, or text.len
 * if the next quotation opens before such a mark. `shortened`: `open` may be the apostrophe of a shortened word, so the
 * apostrophe of a genitive does not close it. */
static size_t find_partner(LineText text, size_t begin, uint32_t open, bool shortened)
{
    size_t found = text.len;

    for (size_t at = begin, step; at < text.len; at += step) {
        uint32_t code;
        bool is_partner;
        step = length_of_and(text, at);
        if (step) continue;
        step = utf8_next(text.data + at, text.len - at, &code);
        is_partner = code == (open == '\'' ? open : CLOSING_SINGLE) || (open == LOW_SINGLE && code == OPENING_SINGLE);
        /* A closing mark comes after a text, and before white space or another mark. */
        if (is_partner && at > begin && !utf8_is_space(utf8_code_before(text.data, at)) &&
            !text_parts_is_letter(utf8_code_at(text.data, text.len, at + step))) {
            if (shortened && may_be_genitive(text, at, step)) continue;
            if (found == text.len) found = at;
            if (!may_be_genitive(text, at, step)) return at;
        } else if (code == open && opens(text, at, step)) {
            break;
        }
    }
    return found;
}

static bool is_double(uint32_t code)
{
    return code == '"' || (code >= OPENING_DOUBLE && code <= LOW_DOUBLE);
}

/* Replaces the single mark at byte `at` by a double one, and sets its bit in *bits. */
static void replace(char *text, size_t at, uint32_t code, QuoteMarks *marks, uint64_t *bits)
{
    (void)utf8_put(code == '\''         ? '"'
                   : code == LOW_SINGLE ? LOW_DOUBLE
                                        : code + OPENING_DOUBLE - OPENING_SINGLE,
                   text + at);
    if (marks->count < MOST_MARKS) *bits |= (uint64_t)1 << marks->count;
    marks->count++;
}

QuoteMarks typography_read_quotes(char *text, size_t len, LineText rest, uint32_t *open)
{
    const LineText whole = { text, len };
    size_t partner = *open ? find_partner(whole, 0, *open, false) : len;
    QuoteMarks marks = { 0, 0 };
    uint64_t typewriter = 0; /* bits of the single marks of ASCII */
    bool has_double = false;

    for (size_t at = 0, step; at < len; at += step) {
        uint32_t code;
        bool shortened;
        step = length_of_and(whole, at);
        if (step) continue;
        step = utf8_next(text + at, len - at, &code);
        if (at == partner && *open) {
            replace(text, at, code, &marks, code == '\'' ? &typewriter : &marks.single);
            *open = 0;
        } else if (is_double(code)) {
            has_double = true;
            marks.count++;
        } else if (!*open && (code == '\'' || code == OPENING_SINGLE || code == LOW_SINGLE) && opens(whole, at, step)) {
            shortened = code != LOW_SINGLE && may_be_shortened(whole, at + step);
            partner = find_partner(whole, at + step, code, shortened);
            if (partner == len && rest.len > LONGEST_QUOTE) rest.len = utf8_clean_length(rest.data, LONGEST_QUOTE);
            if (partner == len && find_partner(rest, 0, code, shortened) == rest.len) continue;
            replace(text, at, code, &marks, code == '\'' ? &typewriter : &marks.single);
            *open = code;
        }
    }
    if (has_double) marks.single |= typewriter;
    return marks;
}

void typography_write_quotes(char *text, size_t len, const QuoteMarks *source)
{
    const bool all = source->count <= MOST_MARKS && source->single && !(source->single & (source->single + 1)) &&
                     source->single >> (source->count - 1);
    size_t count = 0, mark = 0;

    if (!source->single || source->count > MOST_MARKS) return;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !all && count != source->count) return;
        for (size_t at = 0, step; at < len; at += step) {
            uint32_t code;
            step = utf8_next(text + at, len - at, &code);
            if (!is_double(code)) continue;
            if (!pass)
                count++;
            else if (all || source->single >> mark++ & 1)
                (void)utf8_put(code == '"' ? '\'' : code - (OPENING_DOUBLE - OPENING_SINGLE), text + at);
        }
    }
}

Status typography_append(Buf *out, LineText text, RangeList *map, Err *err)
{
    size_t begin = 0;
    Status st;

    for (size_t at = 0, step; at <= text.len; at += step) {
        uint32_t code = 0;
        step = at < text.len ? utf8_next(text.data + at, text.len - at, &code) : 1;
        if (at < text.len && code != 0x2010 && code != 0x2011 && !is_invisible(code)) continue;
        buf_put(out, text.data + begin, at - begin);
        ranges_put_bytes(map, begin, at);
        if (at < text.len && !is_invisible(code)) {
            buf_put_byte(out, '-');
            LIST_PUT(map, ((Range){ at, at + step }));
        }
        begin = at + step;
    }
    st = buf_check(out, err);
    return st == OK ? LIST_CHECK(map, "the marks of a text", err) : st;
}
