/* format.c - see format.h. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "term_check.h"
#include "text.h"

const char *const format_names[FORMATS + 1] = { "text", "tsv", "jsonl", "marian", NULL };

Status format_score(Buf *out, float score, Err *err)
{
    char text[32];

    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)score);
        if (strtof(text, NULL) == score) break;
    }
    return buf_append_text(out, text, err);
}

Status format_scores(Buf *out, const float *scores, size_t count, const char *separator, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        if (i) st = buf_append_text(out, separator, err);
        if (st == OK) st = format_score(out, scores[i], err);
    }
    return st;
}

Status format_tokens(Buf *out, const Dragoman *d, const int32_t *ids, size_t count, Err *err)
{
    Status st = buf_append(out, "[", 1, err);

    for (size_t i = 0; st == OK && i < count; i++) {
        const char *piece = dragoman_piece(d, ids[i]);
        if (i) st = buf_append(out, ",", 1, err);
        if (!piece) piece = "";
        if (st == OK) st = json_string_append(out, piece, strlen(piece), err);
    }
    return st == OK ? buf_append(out, "]", 1, err) : st;
}

/* A text with its length. */
typedef struct {
    const char *data;
    size_t len;
} Text;

/* The text to write if there is nothing to translate. */
static Text untouched(const DragomanLine *line)
{
    const size_t pivots = dragoman_line_pivot_count(line);
    Text text;

    text.data = pivots ? dragoman_line_pivot(line, pivots - 1, &text.len) : dragoman_line_source(line, &text.len);
    return text;
}

/* Whether the line has nothing but kept items and marks: its text takes the place of a translation. */
static bool is_kept(const DragomanLine *line)
{
    size_t asked, unknown;

    (void)dragoman_line_kept(line, 0, &asked);
    (void)dragoman_line_unknown(line, 0, &unknown);
    return asked + unknown && !dragoman_line_count(line);
}

static Text translation(const DragomanLine *line, size_t rank)
{
    Text text;

    if (is_kept(line)) return untouched(line);
    text.data = dragoman_line_translation(line, rank, &text.len);
    return text;
}

/* Appends the text, replacing each byte of `bytes` by the entry of `names` with the same index. */
static Status append_replaced(Buf *out, Text text, const char *bytes, const char *const *names, Err *err)
{
    Status st = OK;
    size_t start = 0;

    for (size_t i = 0; st == OK && i < text.len; i++) {
        const char *hit = text.data[i] ? strchr(bytes, text.data[i]) : NULL;

        if (!hit) continue;
        st = buf_append(out, text.data + start, i - start, err);
        if (st == OK) st = buf_append_text(out, names[hit - bytes], err);
        start = i + 1;
    }
    return st == OK ? buf_append(out, text.data + start, text.len - start, err) : st;
}

static Status append_ending(Formatter *f, const char *ending, bool last, Buf *out, Err *err)
{
    const bool closed = text_ends_with(ending, "\n");

    if (last && !closed) f->owes_newline = true;
    return buf_append_text(out, last || closed ? ending : "\n", err);
}

/* Appends the alignment after `before`; nothing if there is to be none. */
static Status append_alignment(const Formatter *f, const DragomanLine *line, size_t rank, const char *before, Buf *out,
                               Err *err)
{
    Status st;

    if (f->alignment.kind == ALIGNMENT_NONE) return OK;
    st = buf_append_text(out, before, err);
    return st == OK ? alignment_append(out, line, rank, f->alignment, f->unit, f->format == FORMAT_JSONL, err) : st;
}

/* Appends the scores of the tokens after `before`; nothing if there are to be none. */
static Status append_token_scores(const Formatter *f, const DragomanLine *line, size_t rank, const char *before,
                                  Buf *out, Err *err)
{
    const bool json = f->format == FORMAT_JSONL;
    size_t count;
    const float *scores = dragoman_line_token_scores(line, rank, &count);
    Status st;

    if (!f->token_scores) return OK;
    st = buf_append_text(out, before, err);
    if (st == OK) st = format_scores(out, scores, count, json ? "," : " ", err);
    return st == OK && json ? buf_append(out, "]", 1, err) : st;
}

/* Appends the scores of the tokens as marian-decoder does, with five digits after the point. */
static Status append_word_scores(const Formatter *f, const DragomanLine *line, size_t rank, Buf *out, Err *err)
{
    size_t count;
    const float *scores = dragoman_line_token_scores(line, rank, &count);
    Status st = f->word_scores ? buf_append_text(out, " ||| WordScores=", err) : OK;

    for (size_t i = 0; f->word_scores && st == OK && i < count; i++)
        st = buf_append_format(out, err, " %.5f", (double)scores[i]);
    return st;
}

/* Appends the names of the flags, each between two quotes. One of them is not the library's. */
static Status append_flags(const DragomanItem *item, size_t rank, const char *quote, Buf *out, Err *err)
{
    const unsigned flags = dragoman_line_flags(item->line, rank);
    Status st = OK;
    bool first = true;

    for (unsigned flag = 1; st == OK && dragoman_flag_name(flag); flag <<= 1) {
        if (!(flags & flag)) continue;
        st = buf_append_format(out, err, "%s%s%s%s", first ? "" : ",", quote, dragoman_flag_name(flag), quote);
        first = false;
    }
    if (st == OK && item->is_other_language)
        st = buf_append_format(out, err, "%s%slanguage%s", first ? "" : ",", quote, quote);
    return st;
}

/* Three digits, which is more than a calibration can know. */
static Status append_confidence(const DragomanLine *line, size_t rank, const char *unknown, Buf *out, Err *err)
{
    const double confidence = dragoman_line_confidence(line, rank);

    if (!isfinite(confidence)) return buf_append_text(out, unknown, err);
    return buf_append_format(out, err, "%.3f", confidence);
}

/* Both columns are empty if they have nothing to say. */
static Status tsv_confidence(const Formatter *f, const DragomanItem *item, size_t rank, Buf *out, Err *err)
{
    Status st;

    if (!f->confidence) return OK;
    st = buf_append(out, "\t", 1, err);
    if (st == OK) st = append_confidence(item->line, rank, "", out, err);
    if (st == OK) st = buf_append(out, "\t", 1, err);
    return st == OK ? append_flags(item, rank, "", out, err) : st;
}

static Status json_confidence(const Formatter *f, const DragomanItem *item, size_t rank, Buf *out, Err *err)
{
    Status st;

    if (!f->confidence) return OK;
    st = buf_append_text(out, ",\"confidence\":", err);
    if (st == OK) st = append_confidence(item->line, rank, "null", out, err);
    if (st == OK) st = buf_append_text(out, ",\"flags\":[", err);
    if (st == OK) st = append_flags(item, rank, "\"", out, err);
    return st == OK ? buf_append(out, "]", 1, err) : st;
}

/* The first column of two. */
static Status append_source(Buf *out, const DragomanLine *line, Err *err)
{
    static const char *const space[] = { " " };
    Text text;
    Status st;

    text.data = dragoman_line_source(line, &text.len);
    st = append_replaced(out, text, "\t", space, err);
    return st == OK ? buf_append(out, "\t", 1, err) : st;
}

/* Replaces newlines, which a model may produce, by spaces: one line in, one line out. With n best translations, these
 * are n lines out; a search that found fewer leaves the last ones empty. */
static Status text_line(Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    static const char *const spaces[] = { " ", " " };
    const char *replaced = f->bilingual ? "\n\t" : "\n";
    const size_t count = dragoman_line_count(line), rows = count > f->n_best ? count : f->n_best;
    Status st = f->owes_newline ? buf_append(out, "\n", 1, err) : OK;

    f->owes_newline = false;
    for (size_t i = 0; st == OK && i < rows; i++) {
        if (f->bilingual) st = append_source(out, line, err);
        if (st == OK) st = append_replaced(out, count ? translation(line, i) : untouched(line), replaced, spaces, err);
        if (st == OK) st = append_alignment(f, line, i, " ||| ", out, err);
        if (st == OK) st = append_word_scores(f, line, i, out, err);
        if (st == OK) st = append_ending(f, item->ending, i + 1 == rows, out, err);
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
        st = buf_append_format(out, err, "%zu\t%zu\t", number, i + 1);
        if (st == OK) st = format_score(out, dragoman_line_score(line, i), err);
        if (st == OK) st = buf_append(out, "\t", 1, err);
        if (st == OK) {
            const Text text = translation(line, i);
            st = buf_append_escaped(out, text.data, text.len, err);
        }
        if (st == OK) st = append_alignment(f, line, i, "\t", out, err);
        if (st == OK) st = append_token_scores(f, line, i, "\t", out, err);
        if (st == OK) st = tsv_confidence(f, item, i, out, err);
        if (st == OK) st = buf_append(out, "\n", 1, err);
    }
    return st;
}

/* Numbers have six digits, as C++ prints them. */
static Status marian_line(const Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    static const char *const space[] = { " " };
    const size_t count = dragoman_line_count(line), rows = count ? count : f->n_best;
    Status st = OK;

    for (size_t i = 0; st == OK && i < rows; i++) {
        const double sum = count ? (double)dragoman_line_sum(line, i) : 0;
        const double score = count ? (double)dragoman_line_score(line, i) : 0;
        st = buf_append_format(out, err, "%zu ||| ", line_number(f, item) - 1);
        if (st == OK && (count || is_kept(line))) st = append_replaced(out, translation(line, i), "\n", space, err);
        if (st == OK) st = append_alignment(f, line, i, " ||| ", out, err);
        if (st == OK) st = append_word_scores(f, line, i, out, err);
        if (st == OK) st = buf_append_format(out, err, " ||| F0= %g ||| %g\n", sum, score);
    }
    return st;
}

/* Ids with their number. */
typedef struct {
    const int32_t *data;
    size_t len;
} Ids;

static Status json_text(Text text, Buf *out, Err *err)
{
    return json_string_append(out, text.data, text.len, err);
}

static Status json_ids(const char *key, Ids ids, Buf *out, Err *err)
{
    Status st = buf_append_format(out, err, ",\"%s\":[", key);

    for (size_t i = 0; st == OK && i < ids.len; i++)
        st = buf_append_format(out, err, "%s%d", i ? "," : "", (int)ids.data[i]);
    return st == OK ? buf_append(out, "]", 1, err) : st;
}

/* Appends a term: its text, what may translate it, and what does. */
static Status json_term(const DragomanLine *line, size_t rank, const TermMatches *terms, size_t index, Buf *out,
                        Err *err)
{
    const TermMatch *term = &terms->items[index];
    const char *source = dragoman_line_source(line, NULL), *target = translation(line, rank).data;
    DragomanRange found;
    Status st = buf_append_text(out, index ? ",{\"source\":" : "{\"source\":", err);

    if (st == OK) st = json_string_append(out, source + term->place.begin, term->place.end - term->place.begin, err);
    if (st == OK) st = buf_append_text(out, ",\"expected\":[", err);
    for (size_t i = 0; st == OK && i < term->form_count; i++) {
        if (i) st = buf_append(out, ",", 1, err);
        if (st == OK) st = json_string_append(out, term->forms[i], strlen(term->forms[i]), err);
    }
    if (st == OK) st = buf_append_text(out, "],\"found\":", err);
    if (st != OK) return st;
    st = term_check(line, rank, index, term, &found)
             ? json_string_append(out, target + found.begin, found.end - found.begin, err)
             : buf_append_text(out, "null", err);
    return st == OK ? buf_append(out, "}", 1, err) : st;
}

/* Appends nothing if there is no glossary. */
static Status json_terms(const DragomanLine *line, size_t rank, const TermMatches *terms, Buf *out, Err *err)
{
    Status st = terms ? buf_append_text(out, ",\"terms\":[", err) : OK;

    for (size_t i = 0; terms && st == OK && i < terms->count; i++) st = json_term(line, rank, terms, i, out, err);
    return st == OK && terms ? buf_append(out, "]", 1, err) : st;
}

/* Writes null for a score that is not finite, because JSON has no such number. */
static Status json_translation(const Formatter *f, const DragomanItem *item, const TermMatches *terms, size_t rank,
                               Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    const float score = dragoman_line_score(line, rank);
    Ids ids;
    Status st = buf_append_text(out, "{\"text\":", err);

    ids.data = dragoman_line_ids(line, rank, &ids.len);
    if (st == OK) st = json_text(translation(line, rank), out, err);
    if (st == OK) st = buf_append_text(out, ",\"score\":", err);
    if (st == OK) st = isfinite(score) ? format_score(out, score, err) : buf_append_text(out, "null", err);
    if (st == OK) st = json_ids("ids", ids, out, err);
    if (st == OK) st = buf_append_text(out, ",\"tokens\":", err);
    if (st == OK) st = format_tokens(out, item->dragoman, ids.data, ids.len, err);
    if (st == OK) st = append_token_scores(f, line, rank, ",\"token_scores\":[", out, err);
    if (st == OK) st = json_confidence(f, item, rank, out, err);
    if (st == OK) st = append_alignment(f, line, rank, ",\"alignment\":", out, err);
    if (st == OK) st = json_terms(line, rank, terms, out, err);
    return st == OK ? buf_append(out, "}", 1, err) : st;
}

/* Appends nothing if there is only one model. */
static Status json_pivots(const DragomanLine *line, Buf *out, Err *err)
{
    const size_t count = dragoman_line_pivot_count(line);
    Status st = count ? buf_append_text(out, ",\"pivots\":[", err) : OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        Text text;
        text.data = dragoman_line_pivot(line, i, &text.len);
        if (i) st = buf_append(out, ",", 1, err);
        if (st == OK) st = json_text(text, out, err);
    }
    return st == OK && count ? buf_append(out, "]", 1, err) : st;
}

/* The language is null if it is not recognized. */
static Status json_language(const char *language, Buf *out, Err *err)
{
    Status st = buf_append_text(out, ",\"language\":", err);

    if (st != OK) return st;
    return language ? json_string_append(out, language, strlen(language), err) : buf_append_text(out, "null", err);
}

static Status jsonl_line(const Formatter *f, const DragomanItem *item, const TermMatches *terms, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    const size_t rows = is_kept(line) ? 1 : dragoman_line_count(line);
    Status st = buf_append_format(out, err, "{\"line\":%zu", line_number(f, item));
    Text source;
    Ids ids;

    if (st == OK && f->language) st = json_language(item->language, out, err);
    if (st == OK) st = buf_append_text(out, ",\"source\":", err);
    source.data = dragoman_line_source(line, &source.len);
    ids.data = dragoman_line_source_ids(line, &ids.len);
    if (st == OK) st = json_text(source, out, err);
    if (st == OK) st = json_ids("source_ids", ids, out, err);
    if (st == OK) st = json_pivots(line, out, err);
    if (st == OK && f->rescue)
        st = buf_append_format(out, err, ",\"rescued\":%s", dragoman_line_rescued(line) ? "true" : "false");
    if (st == OK) st = buf_append_text(out, ",\"translations\":[", err);
    for (size_t i = 0; st == OK && i < rows; i++) {
        if (i) st = buf_append(out, ",", 1, err);
        if (st == OK) st = json_translation(f, item, terms, i, out, err);
    }
    return st == OK ? buf_append_text(out, "]}\n", err) : st;
}

Status format_line(Formatter *f, const DragomanItem *item, const TermMatches *terms, Buf *out, Err *err)
{
    switch (f->format) {
    case FORMAT_TSV:
        return tsv_line(f, item, out, err);
    case FORMAT_JSONL:
        return jsonl_line(f, item, terms, out, err);
    case FORMAT_MARIAN:
        return marian_line(f, item, out, err);
    default:
        return text_line(f, item, out, err);
    }
}
