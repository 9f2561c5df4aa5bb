/* segment_results.c - see segment_results.h. */
#include "segment_results.h"

#include <stdlib.h>
#include <string.h>

#include "line_judge.h"
#include "line_kept.h"
#include "sp_shim.h"
#include "text.h"
#include "utf8.h"
#include "settings.h"

/* --- Unknown tokens.
 *
 * In text, a source token is written as its bytes of the source. A token that begins a word of the source begins a
 * word of the translation. */

bool line_unknowns_any(const SegmentResult *result, const LineRules *rules)
{
    if (!rules->unknowns) return false;
    for (size_t i = 0; i < result->ids.len; i++)
        if (result->ids.data[i] == tokenizer_facts(rules->tokenizer)->target_unknown) return true;
    return false;
}

static bool is_blank(const Buf *text, Range range)
{
    const char *from = text->data + range.begin;
    const size_t len = range.end - range.begin;

    if (len == strlen(SP_SPACE) && memcmp(from, SP_SPACE, len) == 0) return true;
    return utf8_leading_space(from, len) == len;
}

/* The bytes of a source token in line_text(). One that is only a space stands for the token after it. Those of a
 * character that is several tokens belong to the last one. */
static Range source_range(const Line *line, size_t source)
{
    const RangeList *ranges = line_source_ranges(line);
    size_t at = source;

    while (at + 1 < ranges->len && is_blank(line_text(line), ranges->data[at])) at++;
    return ranges->data[at];
}

static bool is_kept(const Line *line, Range range)
{
    const SpanList *items = line->kept ? &line->kept->items : NULL;
    const size_t i = items ? spans_find(items->data, items->len, range.begin) : 0;

    return items && i < items->len && items->data[i].place.begin < range.end;
}

static bool may_replace(const Line *line, size_t source, const Tokenizer *tokenizer)
{
    const int32_t id = line_source_ids(line)->data[source];
    const bool special = tokenizer_source_is_special(tokenizer, id) && id != tokenizer_facts(tokenizer)->source_unknown;

    return !special && !is_kept(line, source_range(line, source));
}

/* The index of a segment's token in the line. Only its pieces have one here, not the special tokens after them. */
static size_t index_in_line(const SegmentPlace *place, size_t i)
{
    return place->unit + place->skipped + i;
}

/* Returns the end of the pieces if there is no such token. */
static size_t most_attended(const Segment *segment, const float *attention, const Tokenizer *tokenizer)
{
    const SegmentPlace *place = &segment->place;
    const size_t end = place->head + place->pieces;
    size_t best = end;

    for (size_t i = place->head; i < end; i++) {
        if (best < end && !(attention[i] > attention[best])) continue;
        if (may_replace(segment->line, index_in_line(place, i), tokenizer)) best = i;
    }
    return best;
}

static Status append(UnknownList *list, UnknownToken token, Err *err)
{
    Status st = buf_grow_list(&list->data, &list->cap, list->len, 1, sizeof *list->data, "the unknown tokens", err);

    if (st == OK) list->data[list->len++] = token;
    return st;
}

Status line_unknowns_find(SegmentResult *result, const Segment *segment, const LineRules *rules, Err *err)
{
    const int32_t unknown = tokenizer_facts(rules->tokenizer)->target_unknown;
    const size_t columns = segment->source.len, end = segment->place.head + segment->place.pieces;
    Status st = OK;

    for (size_t i = 0; st == OK && i < result->ids.len; i++) {
        size_t source;
        if (result->ids.data[i] != unknown) continue;
        source = most_attended(segment, result->attention + i * columns, rules->tokenizer);
        if (source < end) st = append(&result->unknowns, (UnknownToken){ i, source }, err);
    }
    return st;
}

Status line_unknowns_add(UnknownList *list, const Segment *segment, const SegmentResult *result, size_t first, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < result->unknowns.len; i++) {
        const UnknownToken token = result->unknowns.data[i];
        st = append(list, (UnknownToken){ first + token.target, index_in_line(&segment->place, token.source) }, err);
    }
    return st;
}

const UnknownToken *line_unknowns_next(const UnknownList *list, size_t *next, size_t target)
{
    while (*next < list->len && list->data[*next].target < target) ++*next;
    return *next < list->len && list->data[*next].target == target ? &list->data[*next] : NULL;
}

/* Text that replaces a token. */
typedef struct {
    const char *text;
    size_t len;
    bool begins_word;
} Replacement;

/* Drops the white space at both ends, which begins a word. */
static Replacement trimmed(Replacement r)
{
    const size_t space = utf8_leading_space(r.text, r.len);

    r.begins_word |= space > 0;
    r.text += space;
    r.len -= space;
    r.len -= utf8_trailing_space(r.text, r.len);
    return r;
}

/* The bytes of a source token. Pieces keep their space symbols. */
static Replacement replacement_of(const Line *line, size_t source, const LineRules *rules)
{
    const Buf *text = line_text(line);
    const Range range = source_range(line, source);
    Replacement r = { text->data + range.begin, range.end - range.begin,
                      tokenizer_facts(rules->tokenizer)->source_is_words };

    if (rules->pieces_in) {
        r.begins_word |= text_begins_with(text->data + line_source_ranges(line)->data[source].begin, SP_SPACE);
        return r;
    }
    if (!range.begin || utf8_trailing_space(text->data, range.begin)) r.begins_word = true;
    return trimmed(r);
}

/* What the vocabulary does not have becomes a piece. */
static Status append_own_piece(Buf *out, const Line *line, size_t source, const LineRules *rules, Err *err)
{
    const Replacement r = replacement_of(line, source, rules);
    const bool symbol = r.begins_word && !tokenizer_facts(rules->tokenizer)->source_is_words;

    if (symbol) buf_put_text(out, SP_SPACE);
    buf_put_replaced(out, r.text, r.len, " ", SP_SPACE);
    return buf_check(out, err);
}

Status line_unknowns_append_piece(Buf *out, const Line *line, size_t source, const LineRules *rules, Err *err)
{
    const int32_t id = line_source_ids(line)->data[source];
    const Range range = line_source_ranges(line)->data[source];

    if (rules->pieces_in) {
        buf_put(out, line_text(line)->data + range.begin, range.end - range.begin);
        return buf_check(out, err);
    }
    if (id == tokenizer_facts(rules->tokenizer)->source_unknown) return append_own_piece(out, line, source, rules, err);
    buf_put_text(out, tokenizer_source_piece(rules->tokenizer, id));
    return buf_check(out, err);
}

static bool ends_with_space(const Buf *text)
{
    return utf8_trailing_space(text->data, text->len) > 0;
}

static Status append_space(Buf *out, bool begins_word, Err *err)
{
    if (begins_word && out->len && !ends_with_space(out)) buf_put_byte(out, ' ');
    return buf_check(out, err);
}

static Status append_source(Buf *out, const Line *line, size_t source, const LineRules *rules, Err *err)
{
    Replacement r = replacement_of(line, source, rules);
    Buf spaced = { 0 };
    Status st = OK;

    if (rules->pieces_in) {
        buf_put_replaced(&spaced, r.text, r.len, SP_SPACE, " ");
        st = buf_check(&spaced, err);
        if (st == OK) r = trimmed((Replacement){ spaced.data, spaced.len, r.begins_word });
    }
    if (st == OK) st = append_space(out, r.begins_word, err);
    if (st == OK) buf_put(out, r.text, r.len);
    if (st == OK) st = buf_check(out, err);
    buf_free(&spaced);
    return st;
}

/* The text that is made of a decoded one. */
typedef struct {
    const Line *line;
    const LineRules *rules;
    const Buf *text; /* decoded; the first `at` bytes have been read */
    size_t at;
    Buf made;
    bool replaced; /* the last token in `made` comes from the source */
} Rewriter;

static Status copy_until(Rewriter *w, size_t end, Err *err)
{
    const size_t begin = w->at;

    if (end <= begin) return OK;
    w->at = end;
    buf_put(&w->made, w->text->data + begin, end - begin);
    return buf_check(&w->made, err);
}

/* A translation that began with an unknown token has lost the space before its first word. */
static Status restore_space(Rewriter *w, int32_t id, Range range, Err *err)
{
    const Tokenizer *tokenizer = w->rules->tokenizer;
    const bool begins_word = tokenizer_facts(tokenizer)->target_is_words ||
                             text_begins_with(tokenizer_target_piece(tokenizer, id), SP_SPACE);
    const bool has_space = utf8_leading_space(w->text->data + range.begin, range.end - range.begin) > 0;

    return append_space(&w->made, begins_word && !has_space, err);
}

/* Writes an id and sets its range. Bytes before it that belong to no id are copied. */
static Status rewrite(Rewriter *w, int32_t id, const UnknownToken *unknown, Range *range, Err *err)
{
    const Range old = *range;
    Status st = copy_until(w, old.begin, err);

    range->begin = w->made.len;
    if (st == OK && unknown) {
        st = append_source(&w->made, w->line, unknown->source, w->rules, err);
        if (old.end > w->at) w->at = old.end;
        w->replaced = true;
    } else if (st == OK && old.end > old.begin) {
        if (w->replaced) st = restore_space(w, id, old, err);
        if (st == OK) st = copy_until(w, old.end, err);
        w->replaced = false;
    }
    range->end = w->made.len;
    return st;
}

Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules, const DecodedIds *ids,
                         Err *err)
{
    Rewriter w = { .line = line, .rules = rules, .text = ids->text };
    Status st = OK;

    for (size_t i = ids->first, next = 0; st == OK && i < ids->end; i++)
        st = rewrite(&w, ids->data[i], line_unknowns_next(list, &next, i), &ids->ranges[i - ids->first], err);
    if (st == OK) st = copy_until(&w, ids->text->len, err);
    if (st == OK) {
        buf_free(ids->text);
        *ids->text = w.made;
        w.made = (Buf){ 0 };
    }
    buf_free(&w.made);
    return st;
}

Status line_append_ids(IdList *ids, const SegmentResult *result, const LineRules *rules, Err *err)
{
    Status st = ids_append_all(ids, result->ids.data, result->ids.len, err);
    int32_t *last = st == OK && result->ids.len ? &ids->data[ids->len - 1] : NULL;

    if (last && rules->chosen_ends && search_params_is_eos(rules->params, *last)) *last = rules->end;
    return st;
}

/* --- The results of a session. */

void line_free_results(SegmentResult *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ids_free(&results[i].ids);
        free(results[i].unknowns.data);
        free(results[i].attention);
        free(results[i].token_scores);
    }
    free(results);
}

Status segment_results_record(Session *session, const LineRules *rules, bool given, Err *err)
{
    const bool unknowns = rules->unknowns && !given, features = rules->features && !given;
    Status st = rules->attention || unknowns ? session_record_attention(session, NULL, err) : OK;

    if (st == OK && (rules->token_scores || features)) st = session_record_scores(session, err);
    return st == OK && features ? session_record_spread(session, err) : st;
}

/* With rules->shift, token t gets the attention of step t + shift, and the last rows stay. The attention that replaces
 * unknown tokens is dropped unless the rules ask for it. */
static Status add_attention(SegmentResult *result, const Segment *segment, Session *session, size_t i,
                            const LineRules *rules, Err *err)
{
    const size_t rows = result->ids.len, columns = segment->source.len, shift = rules->shift;
    Status st = OK;

    result->attention = calloc(rows * columns, sizeof *result->attention);
    if (!result->attention) return err_memory(err, "an alignment");
    session_result_attention(session, i, result->attention);
    if (shift < rows)
        memmove(result->attention, result->attention + shift * columns,
                (rows - shift) * columns * sizeof *result->attention);
    if (rules->unknowns && !segment->line->given) st = line_unknowns_find(result, segment, rules, err);
    if (rules->attention) return st;
    free(result->attention);
    result->attention = NULL;
    return st;
}

static Status add_token_scores(SegmentResult *result, Session *session, size_t i, Err *err)
{
    result->token_scores = calloc(result->ids.len, sizeof *result->token_scores);
    if (!result->token_scores) return err_memory(err, "the scores of tokens");
    session_result_scores(session, i, result->token_scores);
    return OK;
}

/* Finds what the ids and the choices of the search say about the translation. */
static Status judge(SegmentResult *result, const Segment *segment, Session *session, size_t i, Err *err)
{
    const size_t len = result->ids.len;
    float *scores = calloc(len + 1, sizeof *scores);
    TokenSpread *spread = calloc(len + 1, sizeof *spread);
    Status st = scores && spread ? OK : err_memory(err, "the confidence");

    if (st == OK) {
        session_result_scores(session, i, scores);
        session_result_spread(session, i, spread);
        line_features_add(&result->features, scores, spread, len);
        result->flags = line_flags_of_ids(&segment->source, &result->ids, session_result_limit(session));
    }
    free(scores);
    free(spread);
    return st;
}

Status segment_results_add(Segment *segment, size_t room, Session *session, size_t i, const LineRules *rules, Err *err)
{
    const Hypothesis hypothesis = session_result(session, i);
    const bool given = segment->line->given;
    SegmentResult *result;
    Status st;

    if (!segment->results) segment->results = calloc(room, sizeof *segment->results);
    if (!segment->results) return err_memory(err, "a translation");
    result = &segment->results[segment->count++];
    result->score = hypothesis.score;
    result->sum = hypothesis.sum;
    result->missed = hypothesis.missed;
    st = ids_append_all(&result->ids, hypothesis.ids, hypothesis.len, err);
    if (st == OK && (rules->attention || (!given && line_unknowns_any(result, rules))))
        st = add_attention(result, segment, session, i, rules, err);
    if (st == OK && rules->token_scores) st = add_token_scores(result, session, i, err);
    if (st == OK && rules->features && !given) st = judge(result, segment, session, i, err);
    return st;
}

/* --- Second attempts. */

Status rescue_params(SearchParams *out, const SearchParams *from, Err *err)
{
    Status st = search_params_copy(out, from, err);

    if (st != OK) return st;
    search_params_unite(out);
    if (out->beams < RESCUE_BEAMS / 2)
        out->beams = RESCUE_BEAMS;
    else if (out->beams <= (size_t)setting_rows[DRAGOMAN_BEAMS].about.high / 2)
        out->beams *= 2;
    if (!from->no_repeat_ngram || from->no_repeat_ngram > RESCUE_NGRAM) out->no_repeat_ngram = RESCUE_NGRAM;
    return OK;
}

bool rescue_is_wanted(const Segment *segment)
{
    return segment->count && segment->results[0].flags & DRAGOMAN_FLAG_LOOP;
}

void rescue_begin(Segment *segment)
{
    segment->first_results = segment->results;
    segment->first_count = segment->count;
    segment->results = NULL;
    segment->count = 0;
}

/* How good a translation is if the numbers of flags are equal. */
static double quality(const SegmentResult *result, const ConfidenceFit *fit)
{
    return fit ? line_features_confidence(&result->features, fit) : (double)line_features(&result->features).mean;
}

static bool is_better(const SegmentResult *second, const SegmentResult *first, const ConfidenceFit *fit)
{
    const size_t now = line_flags_count(second->flags), before = line_flags_count(first->flags);

    if (second->missed != first->missed) return second->missed < first->missed;
    return now != before ? now < before : quality(second, fit) > quality(first, fit);
}

void rescue_end(Segment *segment, const ConfidenceFit *fit)
{
    SegmentResult *results = segment->results;
    const size_t count = segment->count;

    segment->rescued = count && is_better(&results[0], &segment->first_results[0], fit);
    if (!segment->rescued) {
        segment->results = segment->first_results;
        segment->count = segment->first_count;
        segment->first_results = results;
        segment->first_count = count;
    }
    line_free_results(segment->first_results, segment->first_count);
    segment->first_results = NULL;
    segment->first_count = 0;
}
