/* document_text.c - plain text: paragraphs (--as text), and lines in another encoding than UTF-8.
 *
 * A document has paragraphs over several lines, quoted e-mail, lists. A paragraph is a run of lines with the same
 * number of quote marks (>). It ends before a blank line, a line without letters or digits (a rule), a list marker or a
 * deeper indentation, and after a line so short that the next word would easily have fit: short lines are verses or
 * addresses, not wrapped text. Indentation, quote marks and list markers are not translated. Inside a paragraph, they
 * are parts of the line breaks. A line with tabs between words is a row of a table: each column is a text. */
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "document_formats.h"
#include "words.h"

/* A number with more digits is not a list marker but, for example, a year at the end of a sentence. */
#define MARKER_DIGITS 3

#define LONGEST_NUMBER 8 /* the most bytes of the number of a paragraph, such as 1.1 */

/* Offsets in the document: [begin, text) is the prefix, [text, end) the text without white space at its end. */
typedef struct {
    size_t begin, text, end, next;
    size_t quotes; /* number of quote marks */
    size_t indent; /* bytes of white space before the text or the marker */
    bool has_marker, has_words, has_columns;
} TextLine;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    bool is_bilingual;       /* each translation is written below its line, so columns are not separate texts */
    LIST_OF(TextLine) lines; /* of the current paragraph */
} TextParser;

/* Returns the length of a list marker with the blanks after it, or 0: "- ", "* ", "+ ", "• ", "12. ", "3) ", "a) ", or
 * the number of a paragraph, such as 1.1 or (iv), before a tab. */
static size_t marker_length(const char *text, size_t length)
{
    static const char bullet[] = "•";
    const bool is_letter = length && char_is_lower(text[0]);
    size_t at = 0;

    if (length && strchr("-*+", text[0])) {
        at = 1;
    } else if (chars_begin(text, 0, length, bullet)) {
        at = sizeof bullet - 1;
    } else {
        size_t end = is_letter;
        while (end < length && !is_letter && end < MARKER_DIGITS && char_is_digit(text[end])) end++;
        if (end && end < length && (text[end] == ')' || (text[end] == '.' && !is_letter))) at = end + 1;
    }
    if (!at) {
        bool is_number = false;
        size_t end = 0;
        for (; end < length && end < LONGEST_NUMBER && (char_is_alphanumeric(text[end]) || memchr(".()", text[end], 3));
             end++)
            is_number |= text[end] == '.' || text[end] == ')';
        if (is_number && end < length && text[end] == '\t') at = end;
    }
    if (!at || (at < length && !char_is_space(text[at]))) return 0;
    return chars_skip_blanks(text, at, length);
}

static TextLine read_line(const TextParser *p, size_t begin, size_t limit)
{
    TextLine line = { .begin = begin };
    const size_t newline = chars_find(p->bytes, begin, limit, '\n');
    size_t at = begin, start = begin;

    line.next = newline + (newline < limit);
    line.end = chars_trimmed_end(p->bytes, begin, newline);
    for (; at < line.end && (char_is_blank(p->bytes[at]) || p->bytes[at] == '>'); at++) {
        if (p->bytes[at] != '>') continue;
        line.quotes++;
        start = at + 1;
    }
    line.indent = at - start;
    line.text = at + marker_length(p->bytes + at, line.end - at);
    line.has_marker = line.text > at;
    line.has_words = words_has_letter_or_digit(p->bytes + line.text, line.end - line.text);
    line.has_columns = !p->is_bilingual && memchr(p->bytes + line.text, '\t', line.end - line.text);
    return line;
}

/* Reports the text of a line: two or more blanks as one space. Blanks with a tab end a column, which is a unit. */
static void report_text(const TextParser *p, size_t begin, size_t end)
{
    for (size_t at = begin, start = begin; at <= end; at++) {
        const size_t after = chars_skip_blanks(p->bytes, at, end);
        if (at < end && after - at < 2 && p->bytes[at] != '\t') continue;
        document_builder_plain(p->builder, start, at);
        start = after;
        if (after == at) continue;
        if (p->is_bilingual || !memchr(p->bytes + at, '\t', after - at))
            document_builder_space(p->builder, at, after);
        else
            document_builder_next_unit(p->builder, 0, at, after);
        at = after - 1;
    }
}

/* Whether the line is at most 60 % as wide as the widest line, even with the first word of the next line. */
static bool ends_early(const TextParser *p, const TextLine *line, size_t widest)
{
    const size_t width = chars_count(p->bytes + line->begin, line->end - line->begin);
    size_t end = line[1].text;

    while (end < line[1].end && !char_is_blank(p->bytes[end])) end++;
    return (width + 1 + chars_count(p->bytes + line[1].text, end - line[1].text)) * 10 <= widest * 6;
}

static void end_paragraph(TextParser *p)
{
    size_t widest = 0;

    for (size_t i = 0; i < p->lines.len; i++) {
        const TextLine *line = &p->lines.data[i];
        const size_t width = chars_count(p->bytes + line->begin, line->end - line->begin);
        if (width > widest) widest = width;
    }
    for (size_t i = 0; i < p->lines.len; i++) {
        const TextLine *line = &p->lines.data[i];
        if (!document_builder_is_in_text(p->builder)) document_builder_begin(p->builder, 0, line->text);
        report_text(p, line->text, line->end);
        if (i + 1 < p->lines.len && !ends_early(p, line, widest))
            document_builder_space(p->builder, line->end, line[1].text);
        else
            document_builder_end_unit(p->builder, line->end);
    }
    p->lines.len = 0;
}

/* Whether the line continues the paragraph. All lines after the second one must have the indentation of the second. */
static bool continues(const TextParser *p, const TextLine *line)
{
    const TextLine *first = p->lines.data;

    if (!p->lines.len || line->has_marker || line->quotes != first->quotes) return false;
    if (line->has_columns || first->has_columns) return false;
    if (p->lines.len > 1) return line->indent == first[1].indent;
    return line->indent <= first->indent || first->has_marker;
}

static void parse_text(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    TextParser p = { .builder = builder, .bytes = input.bytes, .is_bilingual = input.options->bilingual };
    TextLine line;

    for (size_t at = input.begin; at < input.end && !document_builder_failed(builder); at = line.next) {
        line = read_line(&p, at, input.end);
        if (!line.has_words || !continues(&p, &line)) end_paragraph(&p);
        if (line.has_words) LIST_PUT(&p.lines, line);
        if (p.lines.failed) document_builder_fail_memory(builder);
    }
    end_paragraph(&p);
    free(p.lines.data);
}

/* In a wrapped paragraph, a line must not begin like a list item or a quotation. */
static bool may_break_text(const SpellingPlace *place)
{
    const char *text = place->after;
    size_t length = place->after_length;

    if (length) length = chars_trimmed_end(text, 0, chars_find(text, 0, length, '\n'));
    return !length || (*text != '>' && !marker_length(text, length));
}

static const SpellingRules text_spelling = { .may_break = may_break_text };

const DocumentFormat document_text = {
    .name = "text", .endings = "", .parse = parse_text, .spelling = &text_spelling, .bilingual = BILINGUAL_BLOCKS
};

/* --- Lines ---------------------------------------------------------------------------
 * Each line is a text, or several texts with tabs between them. This format is not used for lines in UTF-8, which are
 * translated while they arrive. */

static void parse_lines(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *bytes = input.bytes;

    for (size_t at = input.begin, next; at < input.end && !document_builder_failed(builder); at = next + 1) {
        Range text;
        for (next = at; next < input.end && bytes[next] != '\t' && bytes[next] != '\n';) next++;
        text = chars_trimmed(bytes, at, next);
        if (text.begin == text.end) continue;
        document_builder_begin(builder, 0, text.begin);
        document_builder_plain(builder, text.begin, text.end);
        document_builder_end_unit(builder, text.end);
    }
}

const DocumentFormat document_lines = { .name = "lines", .endings = "", .parse = parse_lines };
