/* line_columns.c - see line_columns.h. */
#include "line_columns.h"

#include <string.h>

#include "text.h"
#include "utf8.h"

#define FORCE_DECODE_COLUMNS "source,prefix"

static bool equals(const char *word, const char *name, size_t length)
{
    return strlen(word) == length && memcmp(word, name, length) == 0;
}

static Status add_column(LineColumns *columns, const char *name, size_t length, Err *err)
{
    static const char *const names[] = { "source", "prefix", "must", "-" }; /* in the order of LineColumn */

    if (columns->count == LINE_COLUMNS_MOST)
        return err_set(err, ERR_USAGE, "--tsv-in: more than %d columns", LINE_COLUMNS_MOST);
    for (LineColumn column = COLUMN_SOURCE; column <= COLUMN_IGNORED; column++) {
        if (!equals(names[column], name, length)) continue;
        columns->items[columns->count++] = column;
        return OK;
    }
    return err_set(err, ERR_USAGE, "--tsv-in: a column must be source, prefix, must or -, not '%.*s'", (int)length,
                   name);
}

static size_t count_columns(const LineColumns *columns, LineColumn column)
{
    size_t count = 0;

    for (size_t i = 0; i < columns->count; i++) count += columns->items[i] == column;
    return count;
}

bool line_columns_has(const LineColumns *columns, LineColumn column)
{
    return count_columns(columns, column) > 0;
}

static Status read_names(LineColumns *out, const char *names, Err *err)
{
    Status st = OK;

    out->names = names;
    for (const char *name = names; st == OK && name;) {
        const size_t length = strcspn(name, ",");
        st = add_column(out, name, length, err);
        name = name[length] ? name + length + 1 : NULL;
    }
    if (st != OK) return st;
    if (count_columns(out, COLUMN_SOURCE) != 1)
        return err_set(err, ERR_USAGE, "--tsv-in %s: the column source must be given exactly once", names);
    if (count_columns(out, COLUMN_PREFIX) > 1)
        return err_set(err, ERR_USAGE, "--tsv-in %s: the column prefix can be given only once", names);
    return OK;
}

Status line_columns_read(LineColumns *out, const JobSettings *settings, Err *err)
{
    const char *names = settings->force_decode ? FORCE_DECODE_COLUMNS : settings->options->tsv_in;

    *out = (LineColumns){ .every = settings->options->musts, .is_forced = settings->force_decode };
    if (out->every.count > LINE_MUSTS_MOST)
        return err_set(err, ERR_USAGE, "--must: more than %d texts", LINE_MUSTS_MOST);
    return names ? read_names(out, names, err) : OK;
}

/* Removes the white space around the text. A blank cell requires nothing. */
static void add_must(LineParts *out, const char *text, size_t length)
{
    const size_t space = utf8_leading_space(text, length);

    if (space == length) return;
    out->musts[out->must_count++] = (RouterPart){ text + space, length - space - utf8_trailing_space(text, length) };
}

static void add_part(LineParts *out, LineColumn column, const char *text, size_t length)
{
    if (column == COLUMN_SOURCE) out->source = (RouterPart){ text, length };
    if (column == COLUMN_PREFIX) out->prefix = (RouterPart){ text, length };
    if (column == COLUMN_MUST) add_must(out, text, length);
}

static size_t count_cells(const char *text, size_t length)
{
    size_t count = 1;

    for (size_t i = 0; i < length; i++) count += text[i] == '\t';
    return count;
}

static size_t cell_length(const char *text, size_t length)
{
    const char *tab = memchr(text, '\t', length);

    return tab ? (size_t)(tab - text) : length;
}

static Status split(const LineColumns *columns, const char *text, size_t length, LineParts *out, Err *err)
{
    const size_t found = count_cells(text, length), whole = length;

    if (found != columns->count)
        return err_set(err, ERR_FORMAT, "the line has %zu column%s, but %s%s has %zu", found, plural(found),
                       columns->is_forced ? "--force-decode" : "--tsv-in ", columns->is_forced ? "" : columns->names,
                       columns->count);
    for (size_t i = 0; i < columns->count; i++) {
        const size_t cell = cell_length(text, length);
        add_part(out, columns->items[i], text, cell);
        text += cell + (i + 1 < columns->count);
        length -= cell + (i + 1 < columns->count);
    }
    out->other_bytes = whole - out->source.length;
    return OK;
}

Status line_columns_split(const LineColumns *columns, const char *text, size_t length, LineParts *out, Err *err)
{
    const bool has_columns = columns && columns->count, blank = utf8_leading_space(text, length) == length;

    out->source = (RouterPart){ text, has_columns && blank ? cell_length(text, length) : length };
    out->prefix = (RouterPart){ .text = NULL };
    out->must_count = 0;
    out->other_bytes = length - out->source.length;
    if (!columns || blank) return OK;
    for (size_t i = 0; i < columns->every.count; i++)
        add_must(out, columns->every.items[i], strlen(columns->every.items[i]));
    return has_columns ? split(columns, text, length, out, err) : OK;
}
