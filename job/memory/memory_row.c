/* memory_row.c - see memory_row.h. */
#include "memory_row.h"

#include <inttypes.h>
#include <string.h>

#include "dragoman.h"
#include "utf8.h"

#define DIGITS       ((size_t)16)
#define MADE_BYTES   (1 + DIGITS)
#define MOST_COLUMNS ((size_t)6)

static int digit_value(char digit)
{
    return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool memory_row_is_language(MemoryText text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    if (text.length >= DRAGOMAN_LANGUAGE_TAG) return false;
    for (size_t i = 0; i < text.length; i++)
        if (!text.text[i] || !strchr(letters, text.text[i])) return false;
    return true;
}

/* Replaces the escapes of a column and returns its new length. Other backslashes stay. */
static size_t unescape(char *text, size_t length)
{
    static const char escapes[] = "t\tn\nr\r\\\\";
    size_t out = 0;

    for (size_t i = 0; i < length; i++) {
        const char *known = text[i] == '\\' && i + 1 < length ? strchr(escapes, text[i + 1]) : NULL;
        if (known && (known - escapes) % 2 == 0 && *known) {
            text[out++] = known[1];
            i++;
        } else {
            text[out++] = text[i];
        }
    }
    return out;
}

static MemoryText escaped_text(MemoryText column)
{
    return (MemoryText){ column.text, unescape((char *)column.text, column.length) };
}

/* Cuts the row at its tabs and returns the number of its columns, of which the first ones are stored. */
static size_t cut(const char *bytes, size_t length, MemoryText columns[MOST_COLUMNS])
{
    const char *at = bytes, *end = bytes + length;

    for (size_t count = 0;;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (count < MOST_COLUMNS) columns[count] = (MemoryText){ at, (size_t)((tab ? tab : end) - at) };
        count++;
        if (!tab) return count;
        at = tab + 1;
    }
}

bool memory_row_read_made(MemoryRow *out, MemoryText column)
{
    out->is_made = true;
    out->identity = 0;
    if (column.length != MADE_BYTES || column.text[0] != '#') return false;
    for (size_t i = 1; i < MADE_BYTES; i++) {
        const int digit = digit_value(column.text[i]);
        if (digit < 0) return false;
        out->identity = out->identity << 4 | (uint64_t)digit;
    }
    return true;
}

static Status check_languages(const MemoryRow *row, Err *err)
{
    if (memory_row_is_language(row->from) && memory_row_is_language(row->to)) return OK;
    return err_set(err, ERR_FORMAT, "columns 2 and 3 must be codes of languages, such as de or pt-BR, or empty");
}

Status memory_row_read(MemoryRow *out, char *bytes, size_t length, Err *err)
{
    MemoryText columns[MOST_COLUMNS];
    const size_t count = cut(bytes, length, columns);
    Status st;

    *out = (MemoryRow){ .is_made = false };
    if (utf8_clean_length(bytes, length) < length) return err_set(err, ERR_FORMAT, "not valid UTF-8, or a NUL byte");
    if (count == 2) {
        out->source = columns[0];
        out->target = columns[1];
        return OK;
    }
    if (count < 5 || count > MOST_COLUMNS)
        return err_set(err, ERR_FORMAT,
                       "a row must have the columns SOURCE and TARGET, or five or six columns; this "
                       "one has %zu",
                       count);
    if (columns[0].length && !memory_row_read_made(out, columns[0]))
        return err_set(err, ERR_FORMAT, "the first of several columns must be empty, or # and 16 hexadecimal digits");
    out->from = columns[1];
    out->to = columns[2];
    st = check_languages(out, err);
    if (st != OK) return st;
    out->source = escaped_text(columns[3]);
    out->target = escaped_text(columns[4]);
    if (count == MOST_COLUMNS) out->parts = escaped_text(columns[5]);
    return OK;
}

static bool is_line_break(char c)
{
    return c == '\n' || c == '\r';
}

static void join_lines(MemoryText text)
{
    char *bytes = (char *)text.text;

    for (size_t i = 0; i < text.length; i++)
        if (is_line_break(bytes[i])) bytes[i] = ' ';
}

static MemoryText without_breaks_around(MemoryText text)
{
    while (text.length && is_line_break(text.text[text.length - 1])) text.length--;
    for (; text.length && is_line_break(*text.text); text.length--) text.text++;
    return text;
}

void memory_row_join_lines(MemoryRow *row)
{
    if (!row->is_made) {
        row->source = without_breaks_around(row->source);
        row->target = without_breaks_around(row->target);
        join_lines(row->source);
    }
    join_lines(row->target);
}

bool memory_row_is_torn(const char *bytes, size_t length)
{
    if (!length || bytes[0] != '#') return false;
    for (size_t i = 1; i < length && i < MADE_BYTES; i++)
        if (digit_value(bytes[i]) < 0) return false;
    return length <= MADE_BYTES || bytes[MADE_BYTES] == '\t';
}

static void put_column(Buf *out, MemoryText text)
{
    buf_put_byte(out, '\t');
    if (text.length) buf_put_escaped(out, text.text, text.length);
}

Status memory_row_append(Buf *out, const MemoryRow *row, Err *err)
{
    if (row->is_made) buf_put_format(out, "#%016" PRIx64, row->identity);
    put_column(out, row->from);
    put_column(out, row->to);
    put_column(out, row->source);
    put_column(out, row->target);
    if (row->parts.length) put_column(out, row->parts);
    buf_put_byte(out, '\n');
    return buf_check(out, err);
}
