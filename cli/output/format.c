/* format.c - see format.h. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text.h"

const char *const format_names[FORMATS + 1] = { "text", "tsv", "jsonl", "marian", NULL };

void format_put_score(Buf *out, float score)
{
    char text[32];

    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)score);
        if (strtof(text, NULL) == score) break;
    }
    buf_put_text(out, text);
}

void format_put_scores(Buf *out, const float *scores, size_t count, const char *separator)
{
    for (size_t i = 0; i < count; i++) {
        if (i) buf_put_text(out, separator);
        format_put_score(out, scores[i]);
    }
}

void format_put_tokens(Buf *out, const Dragoman *d, const int32_t *ids, size_t count)
{
    buf_put_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        const char *piece = dragoman_piece(d, ids[i]);
        if (i) buf_put_byte(out, ',');
        json_put_string(out, piece ? piece : "", piece ? strlen(piece) : 0);
    }
    buf_put_byte(out, ']');
}

/* A text with its length. */
typedef struct {
    const char *data;
    size_t len;
} Text;

static Text source_of(const DragomanLine *line)
{
    Text text;

    text.data = dragoman_line_source(line, &text.len);
    return text;
}

/* The text to write if there is nothing to translate. */
static Text untouched(const DragomanLine *line)
{
    const size_t pivots = dragoman_line_pivot_count(line);
    Text text;

    if (!pivots) return source_of(line);
    text.data = dragoman_line_pivot(line, pivots - 1, &text.len);
    return text;
}

/* Whether the line has nothing but kept items and marks: its text takes the place of a translation. */
static bool is_kept(const DragomanLine *line)
{
    return dragoman_line_kept(line, 0, NULL) && !dragoman_line_count(line);
}

static Text translation(const DragomanLine *line, size_t rank)
{
    Text text;

    if (is_kept(line)) return untouched(line);
    text.data = dragoman_line_translation(line, rank, &text.len);
    return text;
}

/* Appends the text, replacing each byte of `bytes` by the entry of `names` with the same index. */
static void put_replaced(Buf *out, Text text, const char *bytes, const char *const *names)
{
    size_t start = 0;

    for (size_t i = 0; i < text.len; i++) {
        const char *hit = text.data[i] ? strchr(bytes, text.data[i]) : NULL;

        if (!hit) continue;
        buf_put(out, text.data + start, i - start);
        buf_put_text(out, names[hit - bytes]);
        start = i + 1;
    }
    buf_put(out, text.data + start, text.len - start);
}

/* Appends the alignment after `before`; nothing if there is to be none. */
static Status append_alignment(const Formatter *f, const DragomanLine *line, size_t rank, const char *before, Buf *out,
                               Err *err)
{
    if (f->alignment.kind == ALIGNMENT_NONE) return OK;
    buf_put_text(out, before);
    return alignment_append(out, line, rank, f->alignment, f->unit, f->format == FORMAT_JSONL, err);
}

/* Appends the scores of the tokens after `before`; nothing if there are to be none. */
static void put_token_scores(const Formatter *f, const DragomanLine *line, size_t rank, const char *before, Buf *out)
{
    const bool json = f->format == FORMAT_JSONL;
    size_t count;
    const float *scores = dragoman_line_token_scores(line, rank, &count);

    if (!f->token_scores) return;
    buf_put_text(out, before);
    format_put_scores(out, scores, count, json ? "," : " ");
    if (json) buf_put_byte(out, ']');
}

/* Appends the scores of the tokens as marian-decoder does, with five digits after the point. */
static void put_word_scores(const Formatter *f, const DragomanLine *line, size_t rank, Buf *out)
{
    size_t count;
    const float *scores = dragoman_line_token_scores(line, rank, &count);

    if (!f->word_scores) return;
    buf_put_text(out, " ||| WordScores=");
    for (size_t i = 0; i < count; i++) buf_put_format(out, " %.5f", (double)scores[i]);
}

/* Appends the confidence and the flags, which both have three separators around them. A confidence has three digits,
 * which is more than a calibration can know. The flag "language" is not one of the library's. */
static void put_confidence(const Formatter *f, const DragomanItem *item, size_t rank, Buf *out)
{
    const bool json = f->format == FORMAT_JSONL;
    const double confidence = dragoman_line_confidence(item->line, rank);
    const unsigned flags = dragoman_line_flags(item->line, rank);
    const char *separator = "", *quote = json ? "\"" : "";

    if (!f->confidence) return;
    buf_put_text(out, json ? ",\"confidence\":" : "\t");
    if (isfinite(confidence))
        buf_put_format(out, "%.3f", confidence);
    else if (json)
        buf_put_text(out, "null");
    buf_put_text(out, json ? ",\"flags\":[" : "\t");
    for (unsigned flag = 1; dragoman_flag_name(flag); flag <<= 1) {
        if (!(flags & flag)) continue;
        buf_put_format(out, "%s%s%s%s", separator, quote, dragoman_flag_name(flag), quote);
        separator = ",";
    }
    if (item->is_other_language) buf_put_format(out, "%s%slanguage%s", separator, quote, quote);
    if (json) buf_put_byte(out, ']');
}

/* Replaces newlines, which a model may produce, by spaces: one line in, one line out. With n best translations, these
 * are n lines out; a search that found fewer leaves the last ones empty. Only the last of them ends as the line of the
 * input does. */
static Status text_line(Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    static const char *const spaces[] = { " ", " " };
    const DragomanLine *line = item->line;
    const bool closed = text_ends_with(item->ending, "\n");
    const size_t count = dragoman_line_count(line), rows = count > f->n_best ? count : f->n_best;
    Status st = OK;

    if (f->owes_newline) buf_put_byte(out, '\n');
    f->owes_newline = !closed && rows;
    for (size_t i = 0; st == OK && i < rows; i++) {
        if (f->bilingual) {
            put_replaced(out, source_of(line), "\t", spaces);
            buf_put_byte(out, '\t');
        }
        put_replaced(out, count ? translation(line, i) : untouched(line), f->bilingual ? "\n\t" : "\n", spaces);
        st = append_alignment(f, line, i, " ||| ", out, err);
        put_word_scores(f, line, i, out);
        buf_put_text(out, closed || i + 1 == rows ? item->ending : "\n");
    }
    return st;
}

/* The number of the line in its file. */
static size_t line_number(const Formatter *f, const DragomanItem *item)
{
    return item->number - f->lines_before;
}

static Status tsv_line(const Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    const size_t number = line_number(f, item), count = dragoman_line_count(line), rows = count ? count : 1;
    Status st = OK;

    for (size_t i = 0; st == OK && i < rows; i++) {
        const Text text = translation(line, i);
        buf_put_format(out, "%zu\t%zu\t", number, i + 1);
        format_put_score(out, dragoman_line_score(line, i));
        buf_put_byte(out, '\t');
        buf_put_escaped(out, text.data, text.len);
        st = append_alignment(f, line, i, "\t", out, err);
        put_token_scores(f, line, i, "\t", out);
        put_confidence(f, item, i, out);
        buf_put_byte(out, '\n');
    }
    return st;
}

/* Numbers have six digits, as C++ prints them. */
static Status marian_line(const Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    static const char *const space[] = { " " };
    const DragomanLine *line = item->line;
    const size_t count = dragoman_line_count(line), rows = count ? count : f->n_best;
    Status st = OK;

    for (size_t i = 0; st == OK && i < rows; i++) {
        const double sum = count ? (double)dragoman_line_sum(line, i) : 0;
        const double score = count ? (double)dragoman_line_score(line, i) : 0;
        buf_put_format(out, "%zu ||| ", line_number(f, item) - 1);
        if (count || is_kept(line)) put_replaced(out, translation(line, i), "\n", space);
        st = append_alignment(f, line, i, " ||| ", out, err);
        put_word_scores(f, line, i, out);
        buf_put_format(out, " ||| F0= %g ||| %g\n", sum, score);
    }
    return st;
}

static void json_put_ids(Buf *out, const char *key, const int32_t *ids, size_t count)
{
    buf_put_format(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) buf_put_format(out, "%s%d", i ? "," : "", (int)ids[i]);
    buf_put_byte(out, ']');
}

/* Appends the terms of a line: the text of each, what may translate it, and what does. */
static void json_put_terms(Buf *out, const DragomanItem *item, size_t rank)
{
    const char *source = dragoman_line_source(item->line, NULL), *target = translation(item->line, rank).data;
    DragomanTerm term;

    buf_put_text(out, ",\"terms\":[");
    for (size_t i = 0; dragoman_item_term(item, rank, i, &term); i++) {
        buf_put_text(out, i ? ",{\"source\":" : "{\"source\":");
        json_put_string(out, source + term.source.begin, term.source.end - term.source.begin);
        buf_put_text(out, ",\"expected\":[");
        for (size_t k = 0; k < term.form_count; k++) {
            if (k) buf_put_byte(out, ',');
            json_put_string(out, term.forms[k], strlen(term.forms[k]));
        }
        buf_put_text(out, "],\"found\":");
        if (term.found.end)
            json_put_string(out, target + term.found.begin, term.found.end - term.found.begin);
        else
            buf_put_text(out, "null");
        buf_put_byte(out, '}');
    }
    buf_put_byte(out, ']');
}

/* Writes null for a score that is not finite, because JSON has no such number. */
static Status json_translation(const Formatter *f, const DragomanItem *item, size_t rank, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    const float score = dragoman_line_score(line, rank);
    const Text text = translation(line, rank);
    size_t count;
    const int32_t *ids = dragoman_line_ids(line, rank, &count);
    Status st;

    buf_put_text(out, "{\"text\":");
    json_put_string(out, text.data, text.len);
    buf_put_text(out, ",\"score\":");
    if (isfinite(score))
        format_put_score(out, score);
    else
        buf_put_text(out, "null");
    json_put_ids(out, "ids", ids, count);
    buf_put_text(out, ",\"tokens\":");
    format_put_tokens(out, item->dragoman, ids, count);
    put_token_scores(f, line, rank, ",\"token_scores\":[", out);
    put_confidence(f, item, rank, out);
    st = append_alignment(f, line, rank, ",\"alignment\":", out, err);
    if (item->terms) json_put_terms(out, item, rank);
    buf_put_byte(out, '}');
    return st;
}

/* The language is null if it is not recognized. Only a line that passed through several models has pivots. */
static Status jsonl_line(const Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    const size_t rows = is_kept(line) ? 1 : dragoman_line_count(line), pivots = dragoman_line_pivot_count(line);
    const Text source = source_of(line);
    size_t count;
    const int32_t *ids = dragoman_line_source_ids(line, &count);
    Status st = OK;

    buf_put_format(out, "{\"line\":%zu", line_number(f, item));
    if (f->language) buf_put_text(out, ",\"language\":");
    if (f->language && item->language) json_put_string(out, item->language, strlen(item->language));
    if (f->language && !item->language) buf_put_text(out, "null");
    buf_put_text(out, ",\"source\":");
    json_put_string(out, source.data, source.len);
    json_put_ids(out, "source_ids", ids, count);
    for (size_t i = 0; i < pivots; i++) {
        Text pivot;
        pivot.data = dragoman_line_pivot(line, i, &pivot.len);
        buf_put_text(out, i ? "," : ",\"pivots\":[");
        json_put_string(out, pivot.data, pivot.len);
    }
    if (pivots) buf_put_byte(out, ']');
    if (f->rescue) buf_put_format(out, ",\"rescued\":%s", dragoman_line_rescued(line) ? "true" : "false");
    buf_put_text(out, ",\"translations\":[");
    for (size_t i = 0; st == OK && i < rows; i++) {
        if (i) buf_put_byte(out, ',');
        st = json_translation(f, item, i, out, err);
    }
    buf_put_text(out, "]}\n");
    return st;
}

Status format_line(Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    const Status st = f->format == FORMAT_TSV      ? tsv_line(f, item, out, err)
                      : f->format == FORMAT_JSONL  ? jsonl_line(f, item, out, err)
                      : f->format == FORMAT_MARIAN ? marian_line(f, item, out, err)
                                                   : text_line(f, item, out, err);

    return st == OK ? buf_check(out, err) : st;
}
