/* document_csv.c - CSV and TSV. The cells, or those of the columns that are asked for, are texts; a newline in a cell
 * in quotes separates units. If a column is asked for by name, the first row contains the names and stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "csv_cells.h"
#include "document_formats.h"
#include "utf8.h"

typedef struct {
    CsvReader reader;
    const DocumentOptions *options;
    size_t *columns; /* [options->column_count], from 0 */
    bool has_names;  /* the first row contains names of columns */
} CsvParser;

/* Whether the cell says `name`. */
static bool has_text(const CsvParser *p, const CsvCell *cell, const char *name)
{
    EscapedReader *read = csv_cells_reader(cell->kind);

    for (size_t at = cell->text.begin; at < cell->text.end;) {
        const EscapedPart part = read(p->reader.bytes + at, cell->text.end - at);
        if (strncmp(name, part.text, part.size) != 0) return false;
        name += part.size;
        at += part.length;
    }
    return !*name;
}

/* Sets *index to the column with this number or name in the first row. */
static bool find_column(CsvParser *p, size_t begin, const char *name, size_t *index)
{
    const bool is_number = *name && !name[strspn(name, "0123456789")];
    const size_t number = is_number ? strtoul(name, NULL, 10) : 0;
    CsvCell cell = { .next = begin };

    if (!is_number) p->has_names = true;
    for (*index = 0; !cell.ends_row; ++*index) {
        cell = csv_cells_read(&p->reader, cell.next);
        if (is_number ? *index + 1 == number : has_text(p, &cell, name)) return true;
    }
    return false;
}

static void find_columns(CsvParser *p, size_t begin)
{
    const size_t count = p->options->column_count;

    p->columns = malloc((count + 1) * sizeof *p->columns);
    if (!p->columns) document_builder_fail_memory(p->reader.builder);
    for (size_t i = 0; p->columns && i < count; i++)
        if (!find_column(p, begin, p->options->columns[i], &p->columns[i]))
            document_builder_fail(p->reader.builder, begin, "the first row has no column '%s'", p->options->columns[i]);
}

static bool is_wanted(const CsvParser *p, size_t row, size_t column)
{
    if (row == 0 && p->has_names) return false;
    for (size_t i = 0; i < p->options->column_count; i++)
        if (p->columns[i] == column) return true;
    return !p->options->column_count;
}

/* The context of a cell. NULs are no part of the text, which therefore could begin inside of the cell. */
static unsigned context_of(const CsvParser *p, const CsvCell *cell)
{
    const bool has_nul = memchr(p->reader.bytes + cell->text.begin, '\0', cell->text.end - cell->text.begin);

    return csv_cells_context(&p->reader, cell->kind != CELL_QUOTED && has_nul ? CELL_RAW : cell->kind);
}

/* The context of a translation of a cell with white space or tags at its ends. Readers see quotes only at the ends of a
 * cell, so a translation that needs some gets them around these, too; the cell's own text never has quotes. */
static unsigned padded_context(const CsvParser *p, const CsvCell *cell)
{
    const char *text = p->reader.bytes + cell->text.begin;
    const size_t length = cell->text.end - cell->text.begin, space = utf8_leading_space(text, length);
    const bool has_quote = cell->kind == CELL_PLAIN && space < length && text[space] == '"'; /* a part of the text */

    return has_quote ? csv_cells_context(&p->reader, CELL_RAW) : context_of(p, cell);
}

static void report_cell(const CsvParser *p, const CsvCell *cell)
{
    const size_t length = cell->text.end - cell->text.begin;
    const char *bytes = p->reader.bytes + cell->text.begin;
    EscapedText text =
        escaped_text_start(p->reader.builder, csv_cells_reader(cell->kind), cell->text.begin, cell->text.end);
    const bool is_padded = cell->kind != CELL_QUOTED && (utf8_leading_space(bytes, length) ||
                                                         utf8_trailing_space(bytes, length) || text.tags.len > 0);

    if (!is_padded)
        escaped_text_report_rest(&text, context_of(p, cell), context_of(p, cell));
    else if (escaped_text_has_more(&text))
        escaped_text_report_unit(&text, padded_context(p, cell), csv_cells_context(&p->reader, CELL_RAW), true);
    escaped_text_free(&text);
}

static void parse_cells(DocumentBuilder *builder, bool is_tsv)
{
    const BuilderInput input = document_builder_input(builder);
    CsvParser p = { .reader = { builder, input.bytes, input.end, '\t', is_tsv }, .options = input.options };
    size_t row = 0, column = 0, begin = input.begin;

    if (!is_tsv) p.reader.delimiter = csv_cells_delimiter(input.bytes, &begin, input.end);
    find_columns(&p, begin);
    for (size_t at = begin; at < input.end && !document_builder_failed(builder);) {
        const CsvCell cell = csv_cells_read(&p.reader, at);
        if (is_wanted(&p, row, column)) report_cell(&p, &cell);
        column = cell.ends_row ? 0 : column + 1;
        row += cell.ends_row;
        at = cell.next;
    }
    free(p.columns);
}

static void parse_csv(DocumentBuilder *builder)
{
    parse_cells(builder, false);
}

static void parse_tsv(DocumentBuilder *builder)
{
    parse_cells(builder, true);
}

const DocumentFormat document_csv = {
    .name = "csv", .endings = ".csv", .parse = parse_csv, .spelling = &csv_spelling, .arguments = ARGUMENTS_IN_ORDER
};
const DocumentFormat document_tsv = {
    .name = "tsv", .endings = ".tsv", .parse = parse_tsv, .spelling = &csv_spelling, .arguments = ARGUMENTS_IN_ORDER
};
