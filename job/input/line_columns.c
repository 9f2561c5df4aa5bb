/* line_columns.c - see line_columns.h. */
#include "line_columns.h"

#include <string.h>
#include <strings.h>

#include "text.h"
#include "utf8.h"

#define FORCE_DECODE_COLUMNS "source,prefix"

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

Status line_columns_read(LineColumns *out, const DragomanOptions *settings, Err *err)
{
    static const char *const names[] = { "source", "prefix", "must", "-" }; /* in the order of LineColumn */
    const char *list = settings->force_decode ? FORCE_DECODE_COLUMNS : settings->tsv_in;

    *out = (LineColumns){ .settings = settings };
    if (!list) return OK;
    for (const char *name = list; name;) {
        const size_t length = strcspn(name, ",");
        LineColumn column = COLUMN_SOURCE;
        if (out->count == LINE_COLUMNS_MOST)
            return err_set(err, ERR_USAGE, SETTING(COLUMNS) ": more than %d columns", LINE_COLUMNS_MOST);
        while (column <= COLUMN_IGNORED && (strncasecmp(name, names[column], length) != 0 || names[column][length]))
            column++;
        if (column > COLUMN_IGNORED)
            return err_set(err, ERR_USAGE, SETTING(COLUMNS) ": a column must be source, prefix, must or -, not '%.*s'",
                           (int)length, name);
        out->items[out->count++] = column;
        name = name[length] ? name + length + 1 : NULL;
    }
    if (count_columns(out, COLUMN_SOURCE) != 1)
        return err_set(err, ERR_USAGE, SETTING(COLUMNS) " %s: the column source must be given exactly once", list);
    if (count_columns(out, COLUMN_PREFIX) > 1)
        return err_set(err, ERR_USAGE, SETTING(COLUMNS) " %s: the column prefix can be given only once", list);
    return OK;
}

/* Cuts off the next cell of a line, and the tab after it. */
static LineText next_cell(LineText *line)
{
    const char *tab = memchr(line->data, '\t', line->len);
    const LineText cell = { line->data, tab ? (size_t)(tab - line->data) : line->len };
    const size_t size = cell.len + (tab != NULL);

    *line = (LineText){ line->data + size, line->len - size };
    return cell;
}

Status line_columns_source(const LineColumns *columns, LineText line, LineText *source, Err *err)
{
    size_t found = 1;

    *source = line;
    if (!columns->count) return OK;
    if (utf8_is_blank(line.data, line.len)) {
        *source = next_cell(&line);
        return OK;
    }
    for (size_t i = 0; i < line.len; i++) found += line.data[i] == '\t';
    if (found != columns->count)
        return err_set(err, ERR_FORMAT, "the line has %zu column%s, but %s%s has %zu", found, plural(found),
                       columns->settings->force_decode ? SETTING(FORCE_DECODE) : SETTING(COLUMNS) " ",
                       columns->settings->force_decode ? "" : columns->settings->tsv_in, columns->count);
    for (size_t i = 0; i < columns->count; i++) {
        const LineText cell = next_cell(&line);
        if (columns->items[i] == COLUMN_SOURCE) *source = cell;
    }
    return OK;
}

/* Requires that the translation contains the text, trimmed of white space. If the text is blank, requires nothing. */
static DragomanStatus ask_must(DragomanRequest *request, LineText text, DragomanError *error)
{
    const Range part = ranges_trimmed(text.data, (Range){ 0, text.len });

    if (part.begin == part.end) return DRAGOMAN_OK;
    return dragoman_request_must(request, text.data + part.begin, part.end - part.begin, error);
}

DragomanStatus line_columns_ask(const LineColumns *columns, LineText line, DragomanRequest *request,
                                DragomanError *error)
{
    const TextList *musts = &columns->settings->musts; /* of all lines */
    DragomanStatus st = DRAGOMAN_OK;

    if (utf8_is_blank(line.data, line.len)) return DRAGOMAN_OK;
    for (size_t i = 0; st == DRAGOMAN_OK && i < musts->count; i++) {
        const char *text = musts->items[i];
        st = ask_must(request, (LineText){ text, strlen(text) }, error);
    }
    for (size_t i = 0; st == DRAGOMAN_OK && i < columns->count; i++) {
        const LineText cell = next_cell(&line);
        if (columns->items[i] == COLUMN_PREFIX) st = dragoman_request_prefix(request, cell.data, cell.len, error);
        if (columns->items[i] == COLUMN_MUST) st = ask_must(request, cell, error);
    }
    return st;
}
