/* csv_cells.c - see csv_cells.h. */
#include "csv_cells.h"

#include <string.h>

#include "chars.h"
#include "utf8.h"

/* A context is 4 times the index of the delimiter, plus the CellKind. */
static const char delimiters[] = ",;\t|";
#define DELIMITERS (sizeof delimiters - 1)

/* Of the rows that tell the delimiter. */
#define ROWS 20

static char delimiter_of(unsigned context)
{
    return delimiters[context / 4];
}

unsigned csv_cells_context(const CsvReader *r, CellKind kind)
{
    return (unsigned)(strchr(delimiters, r->delimiter) - delimiters) * 4 + (unsigned)kind;
}

/* Returns the byte of the quote that ends the cell at `at`, or the end of what was searched. */
static size_t closing_quote(const CsvReader *r, size_t at)
{
    bool has_tab = false, has_newline = false;

    for (at++; at < r->end; at++) {
        has_tab |= r->bytes[at] == '\t';
        has_newline |= char_is_newline(r->bytes[at]);
        if (r->is_tsv && has_tab && has_newline) break;
        if (r->bytes[at] != '"') continue;
        if (at + 1 == r->end || r->bytes[at + 1] != '"') break;
        at++;
    }
    return at;
}

static bool ends_cell(const CsvReader *r, size_t at)
{
    return at >= r->end || r->bytes[at] == r->delimiter || char_is_newline(r->bytes[at]);
}

CsvCell csv_cells_read(const CsvReader *r, size_t at)
{
    const bool has_quote = at < r->end && r->bytes[at] == '"';
    const size_t quote = has_quote ? closing_quote(r, at) : at;
    CsvCell cell = { .kind = has_quote ? CELL_HALF_QUOTED : CELL_PLAIN, .bytes = { at, at } };

    if (has_quote && quote == r->end && !r->is_tsv)
        document_builder_fail(r->builder, at, "this cell has no closing quote");
    if (has_quote && quote < r->end && r->bytes[quote] == '"' && ends_cell(r, quote + 1)) {
        cell.kind = CELL_QUOTED;
        cell.bytes.end = quote + 1;
        cell.text = (Range){ at + 1, quote };
    } else {
        while (!ends_cell(r, cell.bytes.end)) cell.bytes.end++;
        cell.text = cell.bytes;
    }
    at = cell.bytes.end;
    cell.ends_row = at >= r->end || r->bytes[at] != r->delimiter;
    cell.next = at + (at < r->end);
    if (cell.ends_row && cell.next < r->end && r->bytes[at] == '\r' && r->bytes[cell.next] == '\n') cell.next++;
    return cell;
}

/* Counts the delimiters in the row at `at` outside of cells in quotes, and returns where the next row begins. */
static size_t count_delimiters(const char *bytes, size_t at, size_t end, size_t *counts)
{
    bool is_quoted = false, is_start = true;

    memset(counts, 0, DELIMITERS * sizeof *counts);
    for (; at < end && (is_quoted || !char_is_newline(bytes[at])); at++) {
        const char *known = bytes[at] ? strchr(delimiters, bytes[at]) : NULL;
        if (bytes[at] == '"' && (is_start || is_quoted)) is_quoted = !is_quoted;
        if (known && !is_quoted) counts[known - delimiters]++;
        is_start = (known && !is_quoted) || (!is_quoted && bytes[at] == '"'); /* a quote after a quote is doubled */
    }
    while (at < end && char_is_newline(bytes[at])) at++;
    return at;
}

/* Reads a first line like "sep=;". Returns its delimiter, or NUL. */
static char read_separator(const char *bytes, size_t *begin, size_t end)
{
    static const char name[] = "sep=";
    const size_t at = *begin + sizeof name - 1;

    if (at + 1 >= end || memcmp(bytes + *begin, name, sizeof name - 1) != 0 || !char_is_newline(bytes[at + 1]))
        return '\0';
    if (!bytes[at] || !strchr(delimiters, bytes[at])) return '\0';
    *begin = at + 2;
    if (*begin < end && bytes[*begin - 1] == '\r' && bytes[*begin] == '\n') ++*begin;
    return bytes[at];
}

static char find_delimiter(const char *bytes, size_t begin, size_t end)
{
    size_t first[DELIMITERS], counts[DELIMITERS], best = 0;
    bool is_same[DELIMITERS];

    begin = count_delimiters(bytes, begin, end, first);
    for (size_t i = 0; i < DELIMITERS; i++) is_same[i] = true;
    for (size_t row = 1; row < ROWS && begin < end; row++) {
        begin = count_delimiters(bytes, begin, end, counts);
        for (size_t i = 0; i < DELIMITERS; i++) is_same[i] &= counts[i] == first[i];
    }
    for (size_t i = 1; i < DELIMITERS; i++) {
        const bool is_better = is_same[i] == is_same[best] ? first[i] > first[best] : is_same[i];
        if (first[i] && (is_better || !first[best])) best = i;
    }
    return delimiters[best];
}

char csv_cells_delimiter(const char *bytes, size_t *begin, size_t end)
{
    const char separator = read_separator(bytes, begin, end);

    return separator ? separator : find_delimiter(bytes, *begin, end);
}

static EscapedPart read_quoted(const char *bytes, size_t length)
{
    if (length > 1 && bytes[0] == '"' && bytes[1] == '"') return escaped_text_code(2, '"');
    return escaped_text_plain(bytes, length);
}

static EscapedPart read_plain(const char *bytes, size_t length)
{
    return escaped_text_plain(bytes, length);
}

EscapedReader *csv_cells_reader(CellKind kind)
{
    return kind == CELL_QUOTED ? read_quoted : read_plain;
}

static bool is_special_csv(unsigned context, uint32_t code)
{
    if (context % 4 == CELL_QUOTED) return code == '"';
    return context % 4 >= CELL_HALF_QUOTED && code == (unsigned char)delimiter_of(context);
}

static size_t spell_csv(uint32_t code, const SpellingPlace *place, char *out)
{
    static const uint32_t similar[] = { 0xff0c, 0xff1b, ' ', 0xff5c };

    if (place->context % 4 != CELL_QUOTED) return utf8_put(similar[place->context / 4], out);
    out[0] = out[1] = (char)code;
    return 2;
}

static bool keeps_csv(const char *spelling, size_t length, const SpellingPlace *place)
{
    return place->context % 4 != CELL_QUOTED || *spelling != '"' || length == 2;
}

/* Whether a cell with this text is in quotes that do not end: all other quotes in it are doubled. */
static bool has_open_quote(const char *text, size_t length)
{
    size_t at = 1;

    if (!length || *text != '"') return false;
    while (at < length && (text[at] != '"' || (at + 1 < length && text[at + 1] == '"'))) at += text[at] == '"' ? 2 : 1;
    return at >= length;
}

/* A cell without quotes around it gets some if its text contains the delimiter or begins with a quote; one with quotes
 * in it whose first quote would not end, too: "a" b, translated as "a"". */
static unsigned choose_context_csv(unsigned context, char first, const char *text, size_t length, const char **quotes)
{
    const unsigned kind = context % 4;
    const bool needs_quotes = kind == CELL_PLAIN
                                  ? length && (*text == '"' || memchr(text, delimiter_of(context), length))
                                  : kind == CELL_HALF_QUOTED && has_open_quote(text, length);

    (void)first; /* markup begins with no quote */
    if (!needs_quotes) return context;
    *quotes = "\"";
    return context - kind + CELL_QUOTED;
}

const SpellingRules csv_spelling = {
    .is_special = is_special_csv, .spell = spell_csv, .keeps = keeps_csv, .choose_context = choose_context_csv
};
