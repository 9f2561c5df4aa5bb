/* bilingual.c - see bilingual.h. */
#include "bilingual.h"

#include <string.h>
#include <strings.h>

#include "chars.h"

/* Two columns need no style sheet: they are inline blocks, which are allowed wherever text is. */
#define COLUMN "<span style=\"display:inline-block;width:48%%;vertical-align:top\" dir=\"auto\"%s%s%s>"

static size_t line_begin(const DocumentFile *file, size_t at)
{
    while (at && file->bytes[at - 1] != '\n') at--;
    return at;
}

static size_t line_end(const DocumentFile *file, size_t at)
{
    const char *newline = at < file->size ? memchr(file->bytes + at, '\n', file->size - at) : NULL;

    return newline ? (size_t)(newline - file->bytes) : file->size;
}

static bool is_blank(const DocumentFile *file, size_t begin, size_t end)
{
    while (begin < end && char_is_space(file->bytes[begin])) begin++;
    return begin == end;
}

/* A line of = or - makes a heading of Markdown from the line before it. */
static bool is_underline(const DocumentFile *file, size_t begin, size_t end)
{
    size_t at = begin;

    while (at < end && (file->bytes[at] == '=' || file->bytes[at] == '-')) at++;
    return at > begin && is_blank(file, at, end);
}

/* Whether the text is all that its lines have, but for quote marks, list markers and indentation. A text after the key
 * of metadata, as in `Title: text`, is not. */
static bool is_block(const BilingualUnit *unit)
{
    const DocumentFile *file = unit->file;
    const size_t begin = line_begin(file, unit->place.begin), end = line_end(file, unit->place.end);

    for (size_t at = begin; at < unit->place.begin; at++) {
        if (strchr("#|[<\"'`%", file->bytes[at])) return false;
        if (file->bytes[at] == ':' && at > begin && char_is_alphanumeric(file->bytes[at - 1])) return false;
    }
    if (!is_blank(file, unit->place.end, end)) return false;
    return end == file->size || !is_underline(file, end + 1, line_end(file, end + 1));
}

/* The texts of options have no markup, and those of other contexts than that of text do not either. */
static bool is_column(const BilingualUnit *unit)
{
    static const char option[] = "<option";
    size_t at = unit->place.begin;

    if (unit->source->context) return false;
    while (at && unit->file->bytes[at - 1] != '<') at--;
    return !at || unit->file->size - at < sizeof option ||
           strncasecmp(unit->file->bytes + at - 1, option, sizeof option - 1) != 0;
}

bool bilingual_writes_source(const BilingualUnit *unit)
{
    return unit->kind == BILINGUAL_BLOCKS || !is_column(unit);
}

static Status append_escaped(Buf *out, const char *text, size_t length, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < length; i++) {
        const char *name = text[i] == '&' ? "&amp;" : text[i] == '<' ? "&lt;" : text[i] == '>' ? "&gt;" : NULL;
        st = name ? buf_append_text(out, name, err) : buf_append(out, text + i, 1, err);
    }
    return st;
}

static Status begin_columns(const BilingualUnit *unit, Buf *out, Err *err)
{
    Status st = buf_append_format(out, err, COLUMN, "", "", "");

    if (st == OK) st = append_escaped(out, unit->source->text, unit->source->length, err);
    if (st == OK) st = buf_append_text(out, "</span> ", err);
    if (st != OK) return st;
    return buf_append_format(out, err, COLUMN, unit->language ? " lang=\"" : "", unit->language ? unit->language : "",
                             unit->language ? "\"" : "");
}

/* Appends what is before the first line of a block, with spaces instead of list markers. */
static Status append_indent(const BilingualUnit *unit, bool with_blanks, Buf *out, Err *err)
{
    const size_t begin = line_begin(unit->file, unit->place.begin);
    size_t end = unit->place.begin;
    Status st = OK;

    while (!with_blanks && end > begin && unit->file->bytes[end - 1] != '>') end--;
    for (size_t at = begin; st == OK && at < end; at++) {
        const char c = unit->file->bytes[at];
        if (((unsigned char)c & 0xc0) != 0x80) st = buf_append(out, c == '>' || c == '\t' ? &c : " ", 1, err);
    }
    return st;
}

static Status begin_block(const BilingualUnit *unit, Buf *out, Err *err)
{
    const size_t end = line_end(unit->file, unit->place.end);
    const char *newline = end && end < unit->file->size && unit->file->bytes[end - 1] == '\r' ? "\r\n" : "\n";
    Status st = buf_append_text(out, newline, err);

    if (st == OK) st = append_indent(unit, false, out, err);
    if (st == OK) st = buf_append_text(out, newline, err);
    return st == OK ? append_indent(unit, true, out, err) : st;
}

Status bilingual_begin(const BilingualUnit *unit, Buf *out, Err *err)
{
    if (unit->kind == BILINGUAL_COLUMNS && is_column(unit)) return begin_columns(unit, out, err);
    if (unit->kind == BILINGUAL_BLOCKS && is_block(unit)) return begin_block(unit, out, err);
    return buf_append_text(out, " / ", err);
}

Status bilingual_end(const BilingualUnit *unit, Buf *out, Err *err)
{
    return unit->kind == BILINGUAL_COLUMNS && is_column(unit) ? buf_append_text(out, "</span>", err) : OK;
}
