/* document_csv.c - CSV (RFC 4180, also with other delimiters) and TSV. The texts are the cells of all columns, or of
 * those that --column names. A newline in a quoted cell separates units. With --header, or if --column gives a name,
 * the first row contains the names and is not translated. */
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "data_values.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "utf8.h"

/* --- Cells --------------------------------------------------------------------------- */

typedef enum {
    CELL_PLAIN,       /* gets quotes if a translation needs them */
    CELL_QUOTED,      /* "a ""b""" */
    CELL_HALF_QUOTED, /* like "a" b: these quotes are text. The cell gets outer quotes if they would not close */
    CELL_RAW          /* never gets quotes; quotes in it are text */
} CellKind;

typedef struct {
    CellKind kind;
    Range bytes, text; /* with and without quotes */
    bool ends_row;
    size_t next; /* where the next cell begins */
} CsvCell;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    char delimiter;
    bool has_names; /* the first row contains names of columns */
    bool is_tsv;    /* a quoted cell may contain tabs or newlines, but not both: in many files, quotes are text */
} CsvReader;

/* The context of a cell's text is 4 times the index of the delimiter, plus the CellKind. */
static const char delimiters[] = ",;\t|";
#define DELIMITERS (sizeof delimiters - 1)

/* How many rows are examined to find the delimiter. */
#define ROWS 20

#define MOST_NAMED 12 /* columns in a message */

static unsigned cell_context(const CsvReader *r, CellKind kind)
{
    return (unsigned)(strchr(delimiters, r->delimiter) - delimiters) * 4 + (unsigned)kind;
}

/* Returns the place of the closing quote of the cell at `at`, or where the search ended without one. */
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

/* Reads the cell at byte `at`, which may be the end of the file. */
static CsvCell read_cell(const CsvReader *r, size_t at)
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
    cell.next = at + (cell.ends_row ? chars_break_length(r->bytes, at, r->end) : 1);
    return cell;
}

/* Counts the delimiters in the row at `at` outside of cells in quotes, and returns where the next row begins. */
static size_t count_delimiters(const char *bytes, size_t at, size_t end, size_t *counts)
{
    bool is_quoted = false, is_start = true;

    memset(counts, 0, DELIMITERS * sizeof *counts);
    for (; at < end && (is_quoted || !char_is_newline(bytes[at])); at++) {
        const bool is_delimiter = char_is_among(bytes[at], delimiters);
        if (bytes[at] == '"' && (is_start || is_quoted)) is_quoted = !is_quoted;
        if (is_delimiter && !is_quoted) counts[strchr(delimiters, bytes[at]) - delimiters]++;
        is_start = !is_quoted && (is_delimiter || bytes[at] == '"'); /* a second quote reopens the cell */
    }
    while (at < end && char_is_newline(bytes[at])) at++;
    return at;
}

/* Finds the delimiter of a file. If the first line is like "sep=;", returns that delimiter and moves *begin to the next
 * line. Otherwise returns the most frequent one of , ; tab and | outside of quotes in the first row, but prefers
 * delimiters that are equally frequent in the next rows. */
static char find_delimiter(const char *bytes, size_t *begin, size_t end)
{
    static const char name[] = "sep=";
    size_t first[DELIMITERS], counts[DELIMITERS], best = 0, at = *begin + sizeof name - 1;
    bool is_same[DELIMITERS];

    if (at + 1 < end && chars_begin(bytes, *begin, end, name) && char_is_among(bytes[at], delimiters) &&
        char_is_newline(bytes[at + 1])) {
        *begin = at + 1 + chars_break_length(bytes, at + 1, end);
        return bytes[at];
    }
    at = count_delimiters(bytes, *begin, end, first);
    for (size_t i = 0; i < DELIMITERS; i++) is_same[i] = true;
    for (size_t row = 1; row < ROWS && at < end; row++) {
        at = count_delimiters(bytes, at, end, counts);
        for (size_t i = 0; i < DELIMITERS; i++) is_same[i] &= counts[i] == first[i];
    }
    for (size_t i = 1; i < DELIMITERS; i++) {
        const bool is_better = is_same[i] == is_same[best] ? first[i] > first[best] : is_same[i];
        if (first[i] && (is_better || !first[best])) best = i;
    }
    return delimiters[best];
}

/* Reads a character of a quoted cell. Other cells are read with escaped_text_plain(). */
static EscapedPart read_quoted(const char *bytes, size_t length)
{
    if (length > 1 && bytes[0] == '"' && bytes[1] == '"') return escaped_text_code(2, '"');
    return escaped_text_plain(bytes, length);
}

static EscapedReader *reader_of(const CsvCell *cell)
{
    return cell->kind == CELL_QUOTED ? read_quoted : escaped_text_plain;
}

/* --- The document -------------------------------------------------------------------- */

/* Sets *index to the column with this number (from 1) or with this name in the first row. */
static bool find_column(CsvReader *r, size_t begin, const char *name, size_t *index)
{
    const bool is_number = *name && !name[strspn(name, "0123456789")];
    const size_t number = is_number ? strtoul(name, NULL, 10) : 0;
    CsvCell cell = { .next = begin };

    if (!is_number) r->has_names = true;
    for (*index = 0; !cell.ends_row; ++*index) {
        const char *rest = name; /* the part of the name that is not compared yet; NULL: the names differ */
        cell = read_cell(r, cell.next);
        for (size_t at = cell.text.begin; rest && at < cell.text.end;) {
            const EscapedPart part = reader_of(&cell)(r->bytes + at, cell.text.end - at);
            rest = *rest && strncmp(rest, part.text, part.size) == 0 ? rest + part.size : NULL;
            at += part.length;
        }
        if (is_number ? *index + 1 == number : rest && !*rest) return true;
    }
    return false;
}

/* Fails because the first row has no column `name`; the message has the first columns that it has. */
static void fail_column(const CsvReader *r, size_t begin, const char *name)
{
    CsvCell cell = { .next = begin };
    Buf names = { 0 };

    for (size_t i = 0; i < MOST_NAMED && !cell.ends_row; i++) {
        cell = read_cell(r, cell.next);
        buf_put_format(&names, "%s%.*s", i ? ", " : "", (int)(cell.text.end - cell.text.begin),
                       r->bytes + cell.text.begin);
    }
    if (!cell.ends_row) buf_put_text(&names, ", ...");
    document_builder_fail(r->builder, begin, "the first row has no column '%s'; it %s%s", name,
                          names.len ? "has: " : "is empty", names.len ? names.data : "");
    buf_free(&names);
}

/* Reports a cell, unless it is a code. Quotes count only at the ends of a cell: if a translation needs them, they also
 * enclose tags, and what escaped_text_is_padded() finds at the ends. An unchanged text never gets quotes. */
static void report_cell(const CsvReader *r, const CsvCell *cell)
{
    const size_t length = cell->text.end - cell->text.begin;
    const char *bytes = r->bytes + cell->text.begin;
    const size_t space = utf8_leading_space(bytes, length);
    const bool has_quote = cell->kind == CELL_PLAIN && space < length && bytes[space] == '"'; /* which is text */
    const bool has_nul = memchr(bytes, '\0', length); /* NUL is not text, and a text may begin after it */
    const unsigned raw = cell_context(r, CELL_RAW);
    const unsigned context = cell->kind != CELL_QUOTED && has_nul ? raw : cell_context(r, cell->kind);
    const bool is_quoted = cell->kind == CELL_QUOTED;
    EscapedText text;
    bool is_padded;

    if (data_value_is_code("", bytes, length)) return;
    text = escaped_text_start(r->builder, reader_of(cell), cell->text.begin, cell->text.end);
    is_padded = !is_quoted && (escaped_text_is_padded(bytes, length) || text.tags.len > 0);
    text.is_whole = !is_quoted; /* quotes would enclose only one of its texts */
    if (!is_padded)
        escaped_text_report_rest(&text, context, context);
    else if (escaped_text_has_more(&text))
        escaped_text_report_unit(&text, has_quote ? raw : context, raw, true);
    escaped_text_free(&text);
}

static void parse_cells(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    CsvReader r = {
        .builder = builder, .bytes = input.bytes, .end = input.end, .has_names = input.options->has_header
    };
    size_t row = 0, column = 0, begin = input.begin;
    size_t *columns = malloc((input.options->column_count + 1) * sizeof *columns); /* indices of columns to translate */

    r.is_tsv = input.format == &document_tsv;
    r.delimiter = r.is_tsv ? '\t' : find_delimiter(input.bytes, &begin, input.end);
    if (!columns) document_builder_fail_memory(builder);
    for (size_t i = 0; columns && i < input.options->column_count; i++)
        if (!find_column(&r, begin, input.options->columns[i], &columns[i]))
            fail_column(&r, begin, input.options->columns[i]);
    for (size_t at = begin; at < input.end && !document_builder_failed(builder);) {
        const CsvCell cell = read_cell(&r, at);
        bool is_wanted = !input.options->column_count;
        for (size_t i = 0; i < input.options->column_count; i++) is_wanted |= columns[i] == column;
        if (is_wanted && !(row == 0 && r.has_names)) report_cell(&r, &cell);
        column = cell.ends_row ? 0 : column + 1;
        row += cell.ends_row;
        at = cell.next;
    }
    free(columns);
}

/* --- Spelling ------------------------------------------------------------------------ */

static bool is_special_csv(unsigned context, uint32_t code)
{
    if (context % 4 == CELL_QUOTED) return code == '"';
    return context % 4 >= CELL_HALF_QUOTED && code == (unsigned char)delimiters[context / 4];
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

/* An unquoted cell gets quotes if its text contains the delimiter or begins with a quote. A half-quoted cell gets
 * quotes if its first quote would not close, because all later quotes are doubled: "a" b, translated as "a"". */
static unsigned choose_context_csv(unsigned context, char first, const char *text, size_t length, const char **quotes)
{
    const unsigned kind = context % 4;
    const bool has_quote = length && *text == '"';
    bool needs_quotes = kind == CELL_PLAIN && length && (has_quote || memchr(text, delimiters[context / 4], length));
    size_t at = 1;

    (void)first; /* markup never begins with a quote */
    if (kind == CELL_HALF_QUOTED && has_quote) {
        while (at < length && (text[at] != '"' || (at + 1 < length && text[at + 1] == '"')))
            at += text[at] == '"' ? 2 : 1;
        needs_quotes = at >= length;
    }
    if (!needs_quotes) return context;
    *quotes = "\"";
    return context - kind + CELL_QUOTED;
}

static const SpellingRules csv_spelling = {
    .is_special = is_special_csv, .spell = spell_csv, .keeps = keeps_csv, .choose_context = choose_context_csv
};

const DocumentFormat document_csv = {
    .name = "csv", .endings = ".csv", .parse = parse_cells, .spelling = &csv_spelling, .arguments = ARGUMENTS_IN_ORDER
};
const DocumentFormat document_tsv = {
    .name = "tsv", .endings = ".tsv", .parse = parse_cells, .spelling = &csv_spelling, .arguments = ARGUMENTS_IN_ORDER
};
