/* format.c - see format.h. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "ranges.h"
#include "text.h"

/* --- Alignments --- */

Status alignment_style_read(AlignmentStyle *out, const char *text, Err *err)
{
    char *end;
    const double value = strtod(text, &end);

    *out = (AlignmentStyle){ strcasecmp(text, "soft") == 0 ? ALIGNMENT_SOFT : ALIGNMENT_LINKS, 1 };
    if (strcasecmp(text, "hard") == 0 || out->kind == ALIGNMENT_SOFT) return OK;
    out->threshold = (float)value;
    if (strspn(text, "0123456789+-.eE") == strlen(text) && end != text && !*end && out->threshold > 0 && value <= 1)
        return OK;
    return err_set(err, ERR_USAGE, "--alignment must be hard, soft, or a number above 0 and at most 1, not '%s'", text);
}

/* The separators of an alignment. */
typedef struct {
    const char *open, *close;  /* around a pair or a row */
    const char *inner, *outer; /* what separates the numbers of a pair or row; what separates pairs or rows */
} Notation;

/* Appends the rows of a soft alignment. Most weights of a long line are 0; they are not formatted, to save time. */
static Status put_rows(Buf *out, DragomanAlignment *alignment, Notation n, Err *err)
{
    size_t sources, targets;
    float *row;

    (void)dragoman_alignment_sources(alignment, &sources);
    (void)dragoman_alignment_targets(alignment, &targets);
    row = calloc(sources + 1, sizeof *row);
    if (!row) return err_memory(err, "an alignment");
    for (size_t i = 0; i < targets; i++) {
        dragoman_alignment_row(alignment, i, row);
        buf_put_text(out, i ? n.outer : "");
        buf_put_text(out, n.open);
        for (size_t k = 0; k < sources; k++) {
            buf_put_text(out, k ? n.inner : "");
            if (row[k] > 0)
                buf_put_format(out, "%g", (double)row[k]);
            else
                buf_put_byte(out, '0');
        }
        buf_put_text(out, n.close);
    }
    free(row);
    return OK;
}

/* Appends the alignment of a translation in the style that the user has chosen. */
static Status alignment_append(Buf *out, const DragomanLine *line, size_t rank, AlignmentStyle style, DragomanUnit unit,
                               bool json, Err *err)
{
    const bool soft = style.kind == ALIGNMENT_SOFT;
    const Notation n = json ? (Notation){ "[", "]", ",", "," } : (Notation){ "", "", soft ? "," : "-", " " };
    DragomanAlignment *alignment;
    const DragomanLink *links = NULL;
    size_t count = 0;
    DragomanError error;
    Status st = OK;

    if (dragoman_align(&alignment, line, rank, unit, &error) != DRAGOMAN_OK)
        return err_set(err, (Status)error.status, "%s", error.message);
    if (json) buf_put_byte(out, '[');
    if (soft)
        st = put_rows(out, alignment, n, err);
    else if (dragoman_alignment_links(alignment, style.threshold, &links, &count, &error) != DRAGOMAN_OK)
        st = err_set(err, (Status)error.status, "%s", error.message);
    for (size_t i = 0; st == OK && i < count; i++)
        buf_put_format(out, "%s%s%zu%s%zu%s", i ? n.outer : "", n.open, links[i].source, n.inner, links[i].target,
                       n.close);
    if (json) buf_put_byte(out, ']');
    dragoman_alignment_free(alignment);
    return st == OK ? buf_check(out, err) : st;
}

/* --- Translations --- */

const char *const format_names[FORMATS + 1] = { "text", "tsv", "jsonl", "marian", NULL };

/* Appends the score with as few digits as possible so that reading it gives the same float. */
static void put_score(Buf *out, float score)
{
    char text[32];

    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)score);
        if (strtof(text, NULL) == score) break;
    }
    buf_put_text(out, text);
}

/* Appends the scores of the tokens from number `first` on, as a column or as a field of JSON. */
static void put_token_scores(Buf *out, const DragomanLine *line, size_t rank, size_t first, bool json)
{
    size_t count;
    const float *scores = dragoman_line_token_scores(line, rank, &count);

    buf_put_text(out, json ? ",\"token_scores\":[" : "\t");
    for (size_t i = first; i < count; i++) {
        if (i > first) buf_put_byte(out, json ? ',' : ' ');
        put_score(out, scores[i]);
    }
    if (json) buf_put_byte(out, ']');
}

/* Appends the vocabulary pieces of these token ids as a JSON array. `piece_of` is dragoman_piece() or
 * dragoman_source_piece(). */
static void put_tokens(Buf *out, const Dragoman *d, const char *(*piece_of)(const Dragoman *d, int32_t id),
                       const int32_t *ids, size_t count)
{
    buf_put_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        const char *piece = piece_of(d, ids[i]);
        if (i) buf_put_byte(out, ',');
        json_put_text(out, piece ? piece : "");
    }
    buf_put_byte(out, ']');
}

static LineText source_of(const DragomanLine *line)
{
    LineText text;

    text.data = dragoman_line_source(line, &text.len);
    return text;
}

/* Whether the line has kept parts but nothing to translate, so that its text is also its translation. */
static bool is_kept(const DragomanLine *line)
{
    return dragoman_line_kept(line, 0, NULL) && !dragoman_line_count(line);
}

/* Returns the translation of this rank, or the text that takes its place (is_kept()); empty if there is neither. */
static LineText translation(const DragomanItem *item, size_t rank)
{
    LineText text = { "", 0 };

    if (dragoman_line_count(item->line) || is_kept(item->line)) text.data = dragoman_item_text(item, rank, &text.len);
    return text;
}

/* Appends the text with a space for each byte that is one of `bytes`. */
static void put_with_spaces(Buf *out, LineText text, const char *bytes)
{
    const size_t start = out->len;

    buf_put(out, text.data, text.len);
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] && strchr(bytes, out->data[i])) out->data[i] = ' ';
}

/* Appends `before` and the alignment, if the user asked for it. */
static void put_alignment(Formatter *f, const DragomanLine *line, size_t rank, const char *before, Buf *out)
{
    if (f->alignment.kind == ALIGNMENT_NONE || f->st != OK) return;
    buf_put_text(out, before);
    f->st = alignment_append(out, line, rank, f->alignment, f->unit, f->format == FORMAT_JSONL, f->err);
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

/* Appends the confidence and the flags, each after the separator of its format. A confidence has three digits, because
 * no calibration is more precise. The program adds the flag "language" to the flags of the library. */
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

/* The rank of the translation in this row. All rows of a line that no model has read are the same. */
static size_t rank_of_row(const DragomanLine *line, size_t row)
{
    return dragoman_line_segments(line) ? row : 0;
}

/* Writes one line for each of the n best translations; newlines in a translation become spaces. If the search found
 * fewer than n, the last lines are empty. If the line of the input has no newline, the last of these lines has none. */
static void text_line(Formatter *f, const DragomanItem *item, Buf *out)
{
    const DragomanLine *line = item->line;
    const bool closed = text_ends_with(item->ending, "\n");
    const size_t count = dragoman_line_count(line), rows = count > f->n_best ? count : f->n_best;

    if (f->owes_newline) buf_put_byte(out, '\n');
    f->owes_newline = !closed && rows;
    for (size_t i = 0; i < rows; i++) {
        LineText text;
        if (f->bilingual) {
            put_with_spaces(out, source_of(line), "\t");
            buf_put_byte(out, '\t');
        }
        text.data = dragoman_item_text(item, rank_of_row(line, i), &text.len);
        put_with_spaces(out, text, f->bilingual ? "\n\t" : "\n");
        put_alignment(f, line, i, " ||| ", out);
        put_word_scores(f, line, i, out);
        buf_put_text(out, closed || i + 1 == rows ? item->ending : "\n");
    }
}

/* The number of the line in its file. */
static size_t line_number(const Formatter *f, const DragomanItem *item)
{
    return item->number - f->lines_before;
}

static void tsv_line(Formatter *f, const DragomanItem *item, Buf *out)
{
    const DragomanLine *line = item->line;
    const size_t number = line_number(f, item), count = dragoman_line_count(line), rows = count ? count : 1;

    for (size_t i = 0; i < rows; i++) {
        const LineText text = translation(item, i);
        buf_put_format(out, "%zu\t%zu\t", number, i + 1);
        put_score(out, dragoman_line_score(line, i));
        buf_put_byte(out, '\t');
        buf_put_escaped(out, text.data, text.len);
        put_alignment(f, line, i, "\t", out);
        if (f->token_scores) put_token_scores(out, line, i, 0, false);
        put_confidence(f, item, i, out);
        buf_put_byte(out, '\n');
    }
}

/* Numbers have six digits, as printed by C++. */
static void marian_line(Formatter *f, const DragomanItem *item, Buf *out)
{
    const DragomanLine *line = item->line;
    const size_t count = dragoman_line_count(line), rows = dragoman_line_segments(line) && count ? count : f->n_best;

    for (size_t i = 0; i < rows; i++) {
        const double sum = count ? (double)dragoman_line_sum(line, i) : 0;
        const double score = count ? (double)dragoman_line_score(line, i) : 0;
        buf_put_format(out, "%zu ||| ", line_number(f, item) - 1);
        if (count || is_kept(line)) put_with_spaces(out, translation(item, rank_of_row(line, i)), "\n");
        put_alignment(f, line, i, " ||| ", out);
        put_word_scores(f, line, i, out);
        buf_put_format(out, " ||| F0= %g ||| %g\n", sum, score);
    }
}

static void json_put_ids(Buf *out, const char *key, const int32_t *ids, size_t count)
{
    buf_put_format(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) buf_put_format(out, "%s%d", i ? "," : "", (int)ids[i]);
    buf_put_byte(out, ']');
}

/* Appends the glossary terms of a line: each term, its allowed translations, what was found in the translation, or
 * null, and the verdict. */
static void json_put_terms(Buf *out, const DragomanItem *item, size_t rank)
{
    const char *source = dragoman_line_source(item->line, NULL), *target = translation(item, rank).data;
    static const char *const verdicts[] = { [DRAGOMAN_TERM_MISSED] = "missed",
                                            [DRAGOMAN_TERM_MET] = "met",
                                            [DRAGOMAN_TERM_INFLECTED] = "inflected",
                                            [DRAGOMAN_TERM_REPLACED] = "replaced" };
    DragomanTerm term;

    buf_put_text(out, ",\"terms\":[");
    for (size_t i = 0; dragoman_item_term(item, rank, i, &term); i++) {
        buf_put_text(out, i ? ",{\"source\":" : "{\"source\":");
        json_put_string(out, source + term.source.begin, term.source.end - term.source.begin);
        buf_put_text(out, ",\"expected\":[");
        for (size_t k = 0; k < term.form_count; k++) {
            if (k) buf_put_byte(out, ',');
            json_put_text(out, term.forms[k]);
        }
        buf_put_text(out, "],\"found\":");
        if (term.found.end)
            json_put_string(out, target + term.found.begin, term.found.end - term.found.begin);
        else
            buf_put_text(out, "null");
        buf_put_format(out, ",\"verdict\":\"%s\"}", verdicts[term.verdict]);
    }
    buf_put_byte(out, ']');
}

/* Writes null for a score that is not finite, because JSON has no such number. */
static void json_translation(Formatter *f, const DragomanItem *item, size_t rank, Buf *out)
{
    const DragomanLine *line = item->line;
    const float score = dragoman_line_score(line, rank);
    const LineText text = translation(item, rank);
    size_t count;
    const int32_t *ids = dragoman_line_ids(line, rank, &count);

    buf_put_text(out, "{\"text\":");
    json_put_string(out, text.data, text.len);
    buf_put_text(out, ",\"score\":");
    if (isfinite(score))
        put_score(out, score);
    else
        buf_put_text(out, "null");
    json_put_ids(out, "ids", ids, count);
    buf_put_text(out, ",\"tokens\":");
    put_tokens(out, item->dragoman, dragoman_piece, ids, count);
    if (f->token_scores) put_token_scores(out, line, rank, 0, true);
    put_confidence(f, item, rank, out);
    put_alignment(f, line, rank, ",\"alignment\":", out);
    if (item->terms) json_put_terms(out, item, rank);
    buf_put_byte(out, '}');
}

/* The language is null if it is not recognized. Only a line that passed through several models has pivots. */
static void jsonl_line(Formatter *f, const DragomanItem *item, Buf *out)
{
    const DragomanLine *line = item->line;
    const size_t rows = is_kept(line) ? 1 : dragoman_line_count(line), pivots = dragoman_line_pivot_count(line);
    const LineText source = source_of(line);
    size_t count;
    const int32_t *ids = dragoman_line_source_ids(line, &count);

    buf_put_format(out, "{\"line\":%zu", line_number(f, item));
    if (f->language) buf_put_text(out, ",\"language\":");
    if (f->language && item->language) json_put_text(out, item->language);
    if (f->language && !item->language) buf_put_text(out, "null");
    buf_put_text(out, ",\"source\":");
    json_put_string(out, source.data, source.len);
    json_put_ids(out, "source_ids", ids, count);
    buf_put_text(out, ",\"source_tokens\":");
    put_tokens(out, item->dragoman, dragoman_source_piece, ids, count);
    for (size_t i = 0; i < pivots; i++) {
        LineText pivot;
        pivot.data = dragoman_line_pivot(line, i, &pivot.len);
        buf_put_text(out, i ? "," : ",\"pivots\":[");
        json_put_string(out, pivot.data, pivot.len);
    }
    if (pivots) buf_put_byte(out, ']');
    if (f->rescue) buf_put_format(out, ",\"rescued\":%s", dragoman_line_rescued(line) ? "true" : "false");
    buf_put_text(out, ",\"translations\":[");
    for (size_t i = 0; i < rows; i++) {
        if (i) buf_put_byte(out, ',');
        json_translation(f, item, i, out);
    }
    buf_put_text(out, "]}\n");
}

Status format_line(Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    static void (*const lines[FORMATS])(Formatter * f, const DragomanItem *item, Buf *out) = {
        [FORMAT_TEXT] = text_line,
        [FORMAT_TSV] = tsv_line,
        [FORMAT_JSONL] = jsonl_line,
        [FORMAT_MARIAN] = marian_line,
    };

    f->st = OK;
    f->err = err;
    lines[f->format](f, item, out);
    return f->st == OK ? buf_check(out, err) : f->st;
}

/* --- Pairs of texts --- */

/* Leaves out tokens that the model is forced to write. */
static void put_pair_scores(const Formatter *f, const DragomanItem *item, Buf *out)
{
    const DragomanLine *line = item->line;
    const bool json = f->format == FORMAT_JSONL;
    const size_t first = dragoman_line_forced(line, 0);
    const float sum = dragoman_line_sum(line, 0);
    size_t count;
    const int32_t *ids = dragoman_line_ids(line, 0, &count);

    count -= first;
    if (json) buf_put_text(out, ",\"sum\":");
    put_score(out, sum);
    buf_put_format(out, json ? ",\"count\":%zu,\"mean\":" : "\t%zu\t", count);
    put_score(out, sum / (float)count);
    if (f->token_scores && json) {
        buf_put_text(out, ",\"tokens\":");
        put_tokens(out, item->dragoman, dragoman_piece, ids + first, count);
    }
    if (f->token_scores) put_token_scores(out, line, 0, first, json);
    put_confidence(f, item, 0, out);
}

/* Appends what each line begins with: its number, unless the format is text. */
static void put_pair_number(const Formatter *f, size_t number, Buf *out)
{
    if (f->format == FORMAT_JSONL) buf_put_format(out, "{\"line\":%zu", number);
    if (f->format == FORMAT_TSV) buf_put_format(out, "%zu\t", number);
}

/* Appends the other columns of a row without values. */
static void put_empty_columns(const Formatter *f, Buf *out)
{
    size_t tabs = f->alignment.kind == ALIGNMENT_NONE ? 2u + f->token_scores + 2u * f->confidence : 0;

    for (; f->format == FORMAT_TSV && tabs; tabs--) buf_put_byte(out, '\t');
}

Status pair_format_line(const Formatter *f, const DragomanItem *item, Buf *out, Err *err)
{
    const DragomanLine *line = item->line;
    const bool json = f->format == FORMAT_JSONL;
    Status st = OK;

    put_pair_number(f, dragoman_line_number(line), out);
    if (!dragoman_line_count(line)) {
        put_empty_columns(f, out);
    } else if (f->alignment.kind == ALIGNMENT_NONE) {
        put_pair_scores(f, item, out);
    } else {
        if (json) buf_put_text(out, ",\"alignment\":");
        st = alignment_append(out, line, 0, f->alignment, f->unit, json, err);
    }
    buf_put_text(out, json ? "}\n" : "\n");
    return st == OK ? buf_check(out, err) : st;
}

Status pair_format_failure(const Formatter *f, size_t number, const char *reason, Buf *out, Err *err)
{
    put_pair_number(f, number, out);
    if (f->format == FORMAT_JSONL) {
        buf_put_text(out, ",\"error\":");
        json_put_text(out, reason);
        buf_put_byte(out, '}');
    }
    put_empty_columns(f, out);
    buf_put_byte(out, '\n');
    return buf_check(out, err);
}
