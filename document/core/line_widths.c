/* line_widths.c - see line_widths.h. */
#include "line_widths.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"

size_t line_widths_columns(const char *bytes, size_t length)
{
    size_t columns = 0;

    for (size_t i = 0; i < length; i++) columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return columns;
}

size_t line_widths_advance(size_t column, const char *bytes, size_t length)
{
    size_t start = length;

    while (start > 0 && !char_is_newline(bytes[start - 1])) start--;
    return (start ? 0 : column) + line_widths_columns(bytes + start, length - start);
}

size_t line_widths_newlines(const char *bytes, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) count += char_is_newline(bytes[i]);
    return count;
}

size_t line_widths_first(const char *bytes, size_t length, bool *has_newline)
{
    size_t end = 0;

    while (end < length && !char_is_newline(bytes[end])) end++;
    *has_newline = end < length;
    return line_widths_columns(bytes, end);
}

static size_t columns_between(const DocumentFile *file, size_t begin, size_t end)
{
    bool has_newline;

    return line_widths_first(file->bytes + begin, end - begin, &has_newline);
}

/* Returns the column after the bytes [begin, end), and notes the lines that end in them. */
static size_t pass(LineWidths *w, const DocumentFile *file, size_t begin, size_t end, size_t column)
{
    for (size_t at = begin; at < end; at++) {
        if (char_is_newline(file->bytes[at])) {
            w->newlines++;
            if (column > w->width) w->width = column;
            column = 0;
        } else {
            column += ((unsigned char)file->bytes[at] & 0xc0) != 0x80;
        }
    }
    return column;
}

/* The columns from the last newline before `end`, not looking before `begin`. */
static size_t columns_of_line(const DocumentFile *file, size_t begin, size_t end)
{
    size_t start = end;

    while (start > begin && !char_is_newline(file->bytes[start - 1])) start--;
    return columns_between(file, start, end);
}

/* Returns the byte at which the word ends that begins after the break runs[index]. */
static size_t word_end(const DocumentFile *file, const UnitText *text, size_t index)
{
    for (size_t i = index + 1; i < text->run_count; i++) {
        const Range bytes = text->runs[i].bytes;
        const char *space;
        if (text->runs[i].kind == RUN_BREAK) return bytes.begin;
        if (text->runs[i].kind != RUN_PLAIN) continue;
        space = memchr(file->bytes + bytes.begin, ' ', bytes.end - bytes.begin);
        if (space) return (size_t)(space - file->bytes);
    }
    return text->bytes.end;
}

/* Adds the break runs[index] of a line of `columns` columns, with the smallest value of the limit. */
static Status add_break(LineWidths *w, const DocumentFile *file, const UnitText *text, size_t index, size_t columns,
                        Err *err)
{
    const Range bytes = text->runs[index].bytes;
    const size_t indent = columns_of_line(file, bytes.begin, bytes.end);
    Status st = buf_grow_list(&w->breaks, &w->capacity, w->count, 1, sizeof *w->breaks, "lines", err);

    if (st != OK) return st;
    w->breaks[w->count++] = (LineBreak){ index, bytes, w->newlines, columns, indent };
    if (columns > w->width) w->width = columns;
    return OK;
}

/* The widest line is known now, so each limit can be raised towards it. */
static void raise_limits(LineWidths *w, const DocumentFile *file, const UnitText *text)
{
    for (size_t i = 0; i < w->count; i++) {
        LineBreak *line = &w->breaks[i];
        const size_t most = line->limit + columns_between(file, line->bytes.end, word_end(file, text, line->run));
        line->limit = w->width < most ? w->width : most;
    }
}

/* Returns the index of the first line break from runs[index] on that is in no kept part, or run_count. *kept is the
 * next kept part; it starts as 0. */
static size_t next_break(const UnitText *text, const Rendering *rendering, size_t index, size_t *kept)
{
    for (; index < text->run_count; index++) {
        const size_t at = text->runs[index].text.begin;
        if (text->runs[index].kind != RUN_BREAK) continue;
        while (*kept < rendering->kept_count && rendering->kept[*kept].source.end <= at) ++*kept;
        if (*kept == rendering->kept_count || at < rendering->kept[*kept].source.begin) break;
    }
    return index;
}

Status line_widths_find(LineWidths *out, const DocumentFile *file, const UnitText *text, const Rendering *rendering,
                        Err *err)
{
    size_t column, begin = text->bytes.begin, kept = 0, i = next_break(text, rendering, 0, &kept);
    Status st = OK;

    if (i == text->run_count) return OK;
    out->first_column = column = columns_of_line(file, 0, begin);
    for (; st == OK && i < text->run_count; i = next_break(text, rendering, i + 1, &kept)) {
        const Range bytes = text->runs[i].bytes;
        st = add_break(out, file, text, i, pass(out, file, begin, bytes.begin, column), err);
        if (st == OK) column = out->breaks[out->count - 1].indent;
        begin = bytes.end;
    }
    if (st != OK) return st;
    column = pass(out, file, begin, text->bytes.end, column);
    if (column > out->width) out->width = column;
    raise_limits(out, file, text);
    return OK;
}

void line_widths_free(LineWidths *widths)
{
    free(widths->breaks);
    *widths = (LineWidths){ 0 };
}
