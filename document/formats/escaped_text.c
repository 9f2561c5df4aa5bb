/* escaped_text.c - see escaped_text.h. */
#include "escaped_text.h"

#include <stdio.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "html_elements.h"
#include "utf8.h"

#define LONGEST_SPELLING 64

static EscapedPart part_at(const EscapedText *t, size_t at)
{
    return t->read(t->bytes + at, t->end - at);
}

/* The first code point of a part; 0: it has no text. */
static uint32_t code_of(const EscapedPart *part)
{
    uint32_t code = 0;

    if (part->size) utf8_next(part->text, part->size, &code);
    return code;
}

static bool is_newline(uint32_t code)
{
    return code == '\n' || code == '\r';
}

/* Sets `letters_end`. Letters in markup and in code do not count. */
static void find_letters_end(EscapedText *t)
{
    size_t next = 0;

    t->letters_end = t->at;
    for (size_t at = t->at; at < t->end;) {
        const FoundTag *tag = escaped_tags_at(&t->tags, &next, at);
        const EscapedPart part = part_at(t, at);
        const bool is_letter = !tag && u_isalpha((UChar32)code_of(&part)) && !escaped_tags_is_code(&t->tags, at);
        at = tag ? tag->bytes.end : at + part.length;
        if (is_letter) t->letters_end = at;
    }
}

EscapedText escaped_text_start(DocumentBuilder *builder, EscapedReader *read, size_t begin, size_t end)
{
    EscapedText t = { .builder = builder,
                      .read = read,
                      .bytes = document_builder_input(builder).bytes,
                      .at = begin,
                      .end = end,
                      .begins_line = true,
                      .tags = escaped_tags_find(builder, (Range){ begin, end }, read) };

    find_letters_end(&t);
    return t;
}

void escaped_text_free(EscapedText *t)
{
    escaped_tags_free(&t->tags);
}

bool escaped_text_has_more(const EscapedText *t)
{
    return t->at < t->letters_end;
}

/* The first code point at or after byte `at`; 0: there is none. */
static uint32_t code_after(const EscapedText *t, size_t at)
{
    EscapedPart next = { 0, 0, "" };

    for (; at < t->end && !next.size; at += next.length) next = part_at(t, at);
    return code_of(&next);
}

/* Whether the sentence goes on after a <br>, and white space. */
static bool goes_on_after_tag(const EscapedText *t, const FoundTag *tag)
{
    size_t at = tag->bytes.end;

    while (at < t->end) {
        const EscapedPart part = part_at(t, at);
        if (part.size && !utf8_is_space(code_of(&part))) break;
        at += part.length;
    }
    return html_name_is(t->bytes, tag->tag.name, "br") &&
           line_breaks_goes_on(&t->before, code_after(t, at), BREAK_HARD);
}

#define WIDE_GAP 3

/* Whether the blanks at byte `at`, after the character `last` of the line, separate two columns: tabs; three spaces; or
 * two in a line that begins like those of a help text, if no sentence ends there. */
static bool is_gap(const EscapedText *t, size_t at, uint32_t last)
{
    size_t spaces = 0;
    uint32_t code = ' ';

    if (!last || t->is_whole || escaped_tags_is_code(&t->tags, at)) return false;
    while (code == ' ' && spaces < WIDE_GAP && at < t->end) {
        const EscapedPart part = part_at(t, at);
        code = code_of(&part);
        spaces += code == ' ';
        at += part.length;
    }
    if (code == '\t' || spaces == WIDE_GAP) return true;
    return spaces == 2 && t->is_indented && code != ' ' && !is_newline(code) &&
           !(last < 0x80 && strchr(".!?:", (int)last));
}

/* Whether the tag ends the text before it, unless a sentence goes on after it. */
static bool ends_line(const EscapedText *t, const FoundTag *tag)
{
    return (tag->is_block || tag->ends_line) && !t->is_whole;
}

/* What the line at `t->at` contains, up to the next column. */
typedef struct {
    size_t end; /* after its newline or the tag of a block; before the blanks that end a column */
    bool has_letters, has_newline;
} LinePart;

static LinePart line_part(const EscapedText *t)
{
    LinePart out = { .end = t->at };
    size_t next_tag = t->next_tag;
    uint32_t last = 0;
    bool is_end = false;

    while (!is_end && out.end < t->end) {
        const FoundTag *tag = escaped_tags_at(&t->tags, &next_tag, out.end);
        const EscapedPart part = part_at(t, out.end);
        const uint32_t code = tag ? 0 : code_of(&part);
        const bool is_code = !tag && escaped_tags_is_code(&t->tags, out.end);
        if ((code == ' ' || code == '\t') && is_gap(t, out.end, last)) break;
        out.end = tag ? tag->bytes.end : out.end + part.length;
        out.has_newline = is_newline(code);
        is_end = tag ? ends_line(t, tag) : out.has_newline;
        if (u_isalpha((UChar32)code) && !is_code) out.has_letters = true;
        if (code && code != ' ' && code != '\t') last = code;
    }
    return out;
}

/* Leaves lines and columns without letters out of the text. There is one with letters. */
static void skip_lines(EscapedText *t)
{
    for (;;) {
        LinePart part;
        if (t->begins_line && t->at < t->end) {
            const EscapedPart first = part_at(t, t->at);
            t->is_indented = code_of(&first) == ' ' || code_of(&first) == '-';
        }
        part = line_part(t);
        t->begins_line = !part.has_letters && part.has_newline;
        if (part.has_letters) return;
        document_builder_empty(t->builder, t->at, part.end);
        t->at = part.end;
    }
}

/* Returns the length of an escape at byte `at` that is text, a backslash and n, r or t; 0: there is none. */
static size_t literal_length(const EscapedText *t, size_t at)
{
    const EscapedPart slash = at < t->end ? part_at(t, at) : escaped_text_code(1, 0);
    EscapedPart name;

    if (slash.size != 1 || *slash.text != '\\' || at + slash.length >= t->end) return 0;
    name = part_at(t, at + slash.length);
    return name.size == 1 && memchr("nrt", *name.text, 3) ? slash.length + name.length : 0;
}

/* Whether the sentence goes on at byte `at`, in lower case or with a backslash; perhaps after a space, if there is one
 * at `t->at`, too. */
static bool goes_on_at(const EscapedText *t, size_t at)
{
    EscapedPart part = at < t->end ? part_at(t, at) : escaped_text_code(1, 0);

    if (t->last < 0x80 && memchr(".!?", (int)t->last, 3)) return false;
    if (t->is_after_space && code_of(&part) == ' ' && at + part.length < t->end) part = part_at(t, at + part.length);
    return code_of(&part) == '\\' || u_islower((UChar32)code_of(&part));
}

/* Returns the length of the escapes of this kind at `t->at`, which break a line after another program has read them;
 * 0: there are none. A single one inside a sentence is a part of a word or a path, or what the sentence is about. */
static size_t literal_break(const EscapedText *t)
{
    size_t next = t->at, count = 0, length;

    if (t->is_whole || escaped_tags_is_code(&t->tags, t->at)) return 0;
    if (t->at < t->break_end) return t->break_end - t->at;
    while ((length = literal_length(t, next)) > 0) {
        next += length;
        count++;
    }
    return count == 1 && goes_on_at(t, next) ? 0 : next - t->at;
}

static void report_part(EscapedText *t, const EscapedPart *part)
{
    const size_t end = t->at + part->length;

    document_builder_keep(t->builder, escaped_tags_is_code(&t->tags, t->at));
    if (part->size == 1 && part->text[0] == ' ')
        document_builder_space(t->builder, t->at, end);
    else
        document_builder_spelled(t->builder, part->text, part->size, t->at, end);
    document_builder_keep(t->builder, false);
    if (part->size) line_breaks_add(&t->before, code_of(part));
    if (part->size && part->text[0] != ' ' && part->text[0] != '\t') t->last = code_of(part);
    if (part->size) t->is_after_space = part->text[0] == ' ';
    t->at = end;
}

/* Reports a tag inside a text; that of a block with a space at its outer side if there is none. */
static void report_tag(EscapedText *t, const FoundTag *found)
{
    const Range bytes = found->bytes;
    const EscapedPart next = bytes.end < t->end ? part_at(t, bytes.end) : escaped_text_code(1, ' ');
    const bool separates = found->is_block && t->separates, is_open = found->tag.kind == ESCAPED_OPEN;

    if (separates && is_open && !t->is_after_space) document_builder_space(t->builder, bytes.begin, bytes.begin);
    escaped_tags_report(t->builder, found);
    if (separates && !is_open && code_of(&next) != ' ') document_builder_space(t->builder, bytes.end, bytes.end);
    if (found->is_block || found->ends_line) t->is_after_space = true;
    if (found->ends_line) line_breaks_add(&t->before, ' ');
    t->at = bytes.end;
}

static void report_line(EscapedText *t)
{
    t->last = 0;
    t->before = (LineBefore){ 0 };
    t->is_after_space = true;
    document_builder_whole(t->builder);
    skip_lines(t);
    while (t->at < t->end && !document_builder_failed(t->builder)) {
        const EscapedPart part = part_at(t, t->at);
        const FoundTag *tag = escaped_tags_at(&t->tags, &t->next_tag, t->at);
        const size_t literal = tag ? 0 : literal_break(t);
        const uint32_t code = code_of(&part);
        const LineBreakKind kind = part.size > 1 ? BREAK_ALWAYS : BREAK_NEWLINE;
        if (tag && (!ends_line(t, tag) || (tag->ends_line && goes_on_after_tag(t, tag)))) {
            report_tag(t, tag);
            continue;
        }
        if (literal) {
            t->break_end = t->at + literal;
            if (t->last && t->break_end < t->letters_end) return;
            document_builder_empty(t->builder, t->at, t->break_end);
            t->at = t->break_end;
            continue;
        }
        if (!tag && !is_newline(code) && !((code == ' ' || code == '\t') && is_gap(t, t->at, t->last))) {
            report_part(t, &part);
            continue;
        }
        if (!escaped_text_has_more(t)) break;
        if (!tag && !is_newline(code)) t->is_indented = false; /* two spaces end the first column only */
        if (tag || !is_newline(code) || !line_breaks_goes_on(&t->before, code_after(t, t->at + part.length), kind))
            return;
        document_builder_space(t->builder, t->at, t->at + part.length);
        line_breaks_add(&t->before, ' ');
        t->at += part.length;
    }
    document_builder_empty(t->builder, t->at, t->end);
    t->at = t->end;
}

void escaped_text_report(EscapedText *t)
{
    report_line(t);
    t->is_divided |= escaped_text_has_more(t);
    if (t->is_divided) document_builder_divided(t->builder);
}

/* An own text must not have spaces without bytes, because they would be written. */
void escaped_text_report_unit(EscapedText *t, unsigned context, unsigned own, bool is_whole)
{
    const unsigned contexts[] = { context, own };
    const EscapedText start = *t;
    size_t texts[2];

    for (size_t i = 0; i < 2; i++) {
        *t = start;
        t->is_whole |= is_whole;
        t->separates = is_whole && i == 0;
        document_builder_begin(t->builder, contexts[i], t->at);
        escaped_text_report(t);
        if (is_whole) t->at = t->end;
        document_builder_end_text(t->builder, t->at, &texts[i]);
    }
    document_builder_add_unit(t->builder, &(UnitPlan){ .source = texts[0], .own = texts[1] });
}

void escaped_text_report_rest(EscapedText *t, unsigned context, unsigned own)
{
    while (escaped_text_has_more(t) && !document_builder_failed(t->builder)) {
        if (own != context) {
            escaped_text_report_unit(t, context, own, false);
            continue;
        }
        document_builder_begin(t->builder, context, t->at);
        escaped_text_report(t);
        document_builder_end_unit(t->builder, t->at);
    }
}

void escaped_text_report_units(DocumentBuilder *builder, EscapedReader *read, unsigned context, size_t begin,
                               size_t end)
{
    EscapedText text = escaped_text_start(builder, read, begin, end);

    escaped_text_report_rest(&text, context, context);
    escaped_text_free(&text);
}

bool escaped_text_keeps(EscapedReader *read, const char *spelling, size_t length, const SpellingPlace *place)
{
    char joined[LONGEST_SPELLING + SPELLING_AHEAD];

    if (length > LONGEST_SPELLING) return true; /* it contains line breaks */
    memcpy(joined, spelling, length);
    if (place->after_length) memcpy(joined + length, place->after, place->after_length);
    return read(joined, length + place->after_length).length == length;
}

EscapedPart escaped_text_plain(const char *bytes, size_t length)
{
    EscapedPart part;
    uint32_t code;

    if (length > 1 && bytes[0] == '\r' && bytes[1] == '\n') return escaped_text_code(2, '\n');
    part.length = part.size = utf8_next(bytes, length, &code);
    memcpy(part.text, bytes, part.length);
    return part;
}

EscapedPart escaped_text_code(size_t length, uint32_t code)
{
    EscapedPart part = { length, 0, "" };

    if (code && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000)) part.size = utf8_put(code, part.text);
    return part;
}

uint32_t escaped_text_hex(const char *bytes, size_t length, size_t digits)
{
    uint32_t code = 0;

    if (length < digits) return UTF8_INVALID;
    for (size_t i = 0; i < digits; i++) {
        const int value = char_hex_value(bytes[i]);
        if (value < 0) return UTF8_INVALID;
        code = code * 16 + (uint32_t)value;
    }
    return code;
}

/* Returns the code unit of \uXXXX. */
static uint32_t code_unit(const char *bytes, size_t length)
{
    return length < 6 || bytes[0] != '\\' || (bytes[1] | 0x20) != 'u' ? UTF8_INVALID
                                                                      : escaped_text_hex(bytes + 2, length - 2, 4);
}

EscapedPart escaped_text_utf16(const char *bytes, size_t length)
{
    const uint32_t high = code_unit(bytes, length);
    const uint32_t low = high >= 0xd800 && high < 0xdc00 ? code_unit(bytes + 6, length - 6) : UTF8_INVALID;

    if (high == UTF8_INVALID) return (EscapedPart){ .length = 0 };
    if (low < 0xdc00 || low >= 0xe000) return escaped_text_code(6, high);
    return escaped_text_code(12, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
}

size_t escaped_text_put_utf16(uint32_t code, bool is_upper, char *out)
{
    const char *format = is_upper ? "\\u%04X" : "\\u%04x";
    char text[16];
    size_t length = 0;

    if (code >= 0x10000) {
        length = (size_t)snprintf(text, sizeof text, format, 0xd800 + ((code - 0x10000) >> 10));
        memcpy(out, text, length);
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    snprintf(text, sizeof text, format, code);
    memcpy(out + length, text, 6);
    return length + 6;
}

/* --- Java's MessageFormat ----------------------------------------------------------- */

static bool is_apostrophe(const EscapedPart *part)
{
    return part->size == 1 && *part->text == '\'';
}

static bool is_brace(const EscapedPart *part)
{
    return part->size == 1 && (*part->text == '{' || *part->text == '}');
}

/* The part at byte `at`; one without text at the end. */
static EscapedPart part_or_end(EscapedReader *read, const char *bytes, size_t at, size_t length)
{
    return at < length ? read(bytes + at, length - at) : (EscapedPart){ 0, 0, "" };
}

bool escaped_text_is_message(EscapedReader *read, const char *bytes, size_t length)
{
    bool has_argument = false, is_quoted = false;
    EscapedPart last = { 0, 0, "" }, part, next;

    for (size_t at = 0; at < length; at += part.length, last = part) {
        part = part_or_end(read, bytes, at, length);
        next = part_or_end(read, bytes, at + part.length, length);
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

EscapedPart escaped_text_message(EscapedReader *read, const char *bytes, size_t length)
{
    EscapedPart part = read(bytes, length), next = part_or_end(read, bytes, part.length, length), after;

    if (is_apostrophe(&part)) {
        if (!is_apostrophe(&next) && !is_brace(&next)) return part;
        next.length += part.length;
        part = next;
        next = part_or_end(read, bytes, part.length, length);
    }
    if (!is_brace(&part) || !is_apostrophe(&next)) return part;
    after = part_or_end(read, bytes, part.length + next.length, length);
    if (!is_apostrophe(&after) && !is_brace(&after)) part.length += next.length;
    return part;
}

bool escaped_text_keeps_message(const char *spelling, size_t length)
{
    return length > 1 && (*spelling == '\'' || spelling[length - 1] == '\'');
}
