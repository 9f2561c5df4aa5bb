/* format.c - see format.h. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_string.h"

const char *const format_names[FORMATS + 1] = { "text", "tsv", "jsonl", "marian", NULL };

/* The fewest digits that read back to the same float. */
static Status append_score(Buf *out, float score, Err *err)
{
    char text[32];

    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)score);
        if (strtof(text, NULL) == score) break;
    }
    return buf_append_text(out, text, err);
}

/* The text with each byte of `bytes` replaced by the name at its place. */
static Status append_replaced(Buf *out, const Buf *text, const char *bytes, const char *const *names, Err *err)
{
    Status st = OK;
    size_t start = 0;

    if (!text->len) return OK;
    for (size_t i = 0; st == OK && i < text->len; i++) {
        const char *hit = text->data[i] ? strchr(bytes, text->data[i]) : NULL;

        if (!hit) continue;
        st = buf_append(out, text->data + start, i - start, err);
        if (st == OK) st = buf_append_text(out, names[hit - bytes], err);
        start = i + 1;
    }
    return st == OK ? buf_append(out, text->data + start, text->len - start, err) : st;
}

static Status append_ending(Formatter *f, Ending ending, bool last, Buf *out, Err *err)
{
    static const char *const texts[] = {
        [ENDING_LF] = "\n", [ENDING_CRLF] = "\r\n", [ENDING_NONE] = "", [ENDING_CR] = "\r"
    };
    bool closed = ending == ENDING_LF || ending == ENDING_CRLF;

    if (last && !closed) f->owes_newline = true;
    return buf_append_text(out, last || closed ? texts[ending] : "\n", err);
}

/* What stays where there is nothing to translate. */
static const Buf *untouched(const DragomanLine *line)
{
    return line->pivot_count ? &line->pivots[line->pivot_count - 1] : &line->source;
}

/* One line in, one line out: a model may know a piece for the newline. */
static Status text_line(Formatter *f, const DragomanLine *line, Ending ending, Buf *out, Err *err)
{
    static const char *const space[] = { " " };
    size_t rows = line->count ? line->count : f->n_best;
    Status st = f->owes_newline ? buf_append(out, "\n", 1, err) : OK;

    f->owes_newline = false;
    for (size_t i = 0; st == OK && i < rows; i++) {
        const Buf *text = line->count ? &line->translations[i].text : untouched(line);

        st = append_replaced(out, text, "\n", space, err);
        if (st == OK) st = append_ending(f, ending, i + 1 == rows, out, err);
    }
    return st;
}

static Status tsv_line(const DragomanLine *line, Buf *out, Err *err)
{
    static const char *const escapes[] = { "\\t", "\\n", "\\r", "\\\\" };
    Status st = OK;

    if (!line->count) return buf_append_format(out, err, "%zu\t1\t0\t\n", line->number);
    for (size_t i = 0; st == OK && i < line->count; i++) {
        st = buf_append_format(out, err, "%zu\t%zu\t", line->number, i + 1);
        if (st == OK) st = append_score(out, line->translations[i].score, err);
        if (st == OK) st = buf_append(out, "\t", 1, err);
        if (st == OK) st = append_replaced(out, &line->translations[i].text, "\t\n\r\\", escapes, err);
        if (st == OK) st = buf_append(out, "\n", 1, err);
    }
    return st;
}

/* Numbers as C++ prints them: six digits. */
static Status marian_line(const Formatter *f, const DragomanLine *line, Buf *out, Err *err)
{
    static const char *const space[] = { " " };
    static const DragomanTranslation blank;
    const size_t rows = line->count ? line->count : f->n_best;
    Status st = OK;

    for (size_t i = 0; st == OK && i < rows; i++) {
        const DragomanTranslation *t = line->count ? &line->translations[i] : &blank;
        st = buf_append_format(out, err, "%zu ||| ", line->number - 1);
        if (st == OK) st = append_replaced(out, &t->text, "\n", space, err);
        if (st == OK) st = buf_append_format(out, err, " ||| F0= %g ||| %g\n", (double)t->sum, (double)t->score);
    }
    return st;
}

static Status json_ids(const char *key, const IdList *ids, Buf *out, Err *err)
{
    Status st = buf_append_format(out, err, ",\"%s\":[", key);

    for (size_t i = 0; st == OK && i < ids->len; i++)
        st = buf_append_format(out, err, "%s%d", i ? "," : "", (int)ids->data[i]);
    return st == OK ? buf_append(out, "]", 1, err) : st;
}

static Status json_tokens(const Dragoman *d, const IdList *ids, Buf *out, Err *err)
{
    Status st = buf_append_text(out, ",\"tokens\":[", err);

    for (size_t i = 0; st == OK && i < ids->len; i++) {
        const char *piece = dragoman_piece(d, ids->data[i]);

        if (i) st = buf_append(out, ",", 1, err);
        if (!piece) piece = "";
        if (st == OK) st = json_string_append(out, piece, strlen(piece), err);
    }
    return st == OK ? buf_append(out, "]", 1, err) : st;
}

/* JSON has no word for a number that is not finite: null. */
static Status json_translation(const Dragoman *d, const DragomanTranslation *t, Buf *out, Err *err)
{
    Status st = buf_append_text(out, "{\"text\":", err);

    if (st == OK) st = json_string_append(out, t->text.data ? t->text.data : "", t->text.len, err);
    if (st == OK) st = buf_append_text(out, ",\"score\":", err);
    if (st == OK) st = isfinite(t->score) ? append_score(out, t->score, err) : buf_append_text(out, "null", err);
    if (st == OK) st = json_ids("ids", &t->ids, out, err);
    if (st == OK) st = json_tokens(d, &t->ids, out, err);
    return st == OK ? buf_append(out, "}", 1, err) : st;
}

/* Only where there are several models. */
static Status json_pivots(const DragomanLine *line, Buf *out, Err *err)
{
    Status st = line->pivot_count ? buf_append_text(out, ",\"pivots\":[", err) : OK;

    for (size_t i = 0; st == OK && i < line->pivot_count; i++) {
        const Buf *text = &line->pivots[i];
        if (i) st = buf_append(out, ",", 1, err);
        if (st == OK) st = json_string_append(out, text->data ? text->data : "", text->len, err);
    }
    return st == OK && line->pivot_count ? buf_append(out, "]", 1, err) : st;
}

static Status jsonl_line(const Dragoman *d, const DragomanLine *line, Buf *out, Err *err)
{
    Status st = buf_append_format(out, err, "{\"line\":%zu,\"source\":", line->number);

    if (st == OK) st = json_string_append(out, line->source.data ? line->source.data : "", line->source.len, err);
    if (st == OK) st = json_ids("source_ids", &line->source_ids, out, err);
    if (st == OK) st = json_pivots(line, out, err);
    if (st == OK) st = buf_append_text(out, ",\"translations\":[", err);
    for (size_t i = 0; st == OK && i < line->count; i++) {
        if (i) st = buf_append(out, ",", 1, err);
        if (st == OK) st = json_translation(d, &line->translations[i], out, err);
    }
    return st == OK ? buf_append_text(out, "]}\n", err) : st;
}

Status format_line(Formatter *f, const Dragoman *d, const DragomanLine *line, Ending ending, Buf *out, Err *err)
{
    switch (f->format) {
    case FORMAT_TSV:
        return tsv_line(line, out, err);
    case FORMAT_JSONL:
        return jsonl_line(d, line, out, err);
    case FORMAT_MARIAN:
        return marian_line(f, line, out, err);
    default:
        return text_line(f, line, ending, out, err);
    }
}
